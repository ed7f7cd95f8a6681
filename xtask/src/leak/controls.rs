//! `cargo xtask leak controls`: tests whose outcome is known.

use super::inputs::Vary;
use super::report::Report;
use super::tvla::Test;
use super::{Arguments as TestArguments, Target};
use crate::m4::image::Masks;
use anyhow::Result;
use clap::Args;
use std::time::Duration;

/// How the controls are run.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Traces of each, both groups together
    #[arg(long, default_value_t = 200)]
    traces: usize,
}

struct Control {
    name: &'static str,
    test: TestArguments,
    leaks: bool,
    /// Text of the line that must be named.
    line: &'static str,
}

/// Runs all and says whether each came out as it should.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let mut good = true;
    for control in controls(arguments.traces) {
        let test = Test::new(&control.test)?;
        let report = Report::new(&test, test.outcome()?, Duration::ZERO)?;
        let leaks = !report.leaks.is_empty();
        let named = control.line.is_empty() || report.names(control.line);
        let right = leaks == control.leaks && named;
        let found = if leaks { "leaks" } else { "no leak" };
        println!("{:5} {found:8} {}", if right { "ok" } else { "WRONG" }, control.name);
        if !right {
            println!("{}", report.table());
        }
        good &= right;
    }
    Ok(good)
}

fn controls(traces: usize) -> Vec<Control> {
    let test = |set: &str, target| TestArguments::new(set, target, traces);
    let control = |name, test, leaks| Control { name, test, leaks, line: "" };
    let (one, two, four) = ("raccoon-128-1", "raccoon-128-2", "raccoon-128-4");
    let random = |target| TestArguments { vary: Some(Vary::Nothing), ..test(two, target) };
    let zero = |target| TestArguments { masks: Masks::Zero, ..test(two, target) };
    // Whole operations are long, and what leaks without any mask shows at once.
    let whole = |test: TestArguments| TestArguments { traces: traces.min(60), ..test };
    let second = |target| TestArguments { order: 2, ..test(two, target) };
    vec![
        control("one share: the response", test(one, Target::Response), true),
        control("one share: a key refreshed", test(one, Target::Refresh), true),
        control("masks stuck at zero: MaskCompress", zero(Target::MaskCompress), true),
        control("masks stuck at zero: key generation", whole(zero(Target::Keygen)), true),
        control("the mask of share 1 left out, two shares", test(two, Target::Unmasked), true),
        control("the mask of share 1 left out, four shares", test(four, Target::Unmasked), false),
        control("random against random: the response", random(Target::Response), false),
        control("random against random: shares overwritten", random(Target::Planted), false),
        control("shares overwritten, at second order", second(Target::Planted), true),
        Control {
            line: "// planted",
            ..control("shares overwritten", test(two, Target::Planted), true)
        },
        control("ZeroEncoding", test(two, Target::ZeroEncoding), false),
        control("Refresh", test(two, Target::RefreshGadget), false),
        control("AddRepNoise", test(two, Target::AddRepNoise), false),
        control("the transform of a share", test(two, Target::Ntt), false),
        control("a share times public polynomials", test(two, Target::MulAdd), false),
        control("z = c s + r", test(two, Target::Response), false),
        control("Decode", test(two, Target::Decode), false),
        control("MaskCompress", test(two, Target::MaskCompress), false),
        control("a key decoded", test(two, Target::DecodeKey), false),
        control("a key refreshed", whole(test(two, Target::Refresh)), false),
        control("signing", whole(test(two, Target::Sign)), false),
    ]
}
