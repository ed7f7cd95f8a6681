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
    /// Text that the table must contain.
    names: &'static str,
}

/// Runs all and says whether each came out as it should.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let mut good = true;
    for control in controls(arguments.traces) {
        let test = Test::new(&control.test)?;
        let report = Report::new(&test, test.outcome()?, Duration::ZERO)?;
        let table = report.table();
        let right = report.leaks.is_empty() != control.leaks && table.contains(control.names);
        let found = if report.leaks.is_empty() { "no leak" } else { "leaks" };
        println!("{:5} {found:8} {}", if right { "ok" } else { "WRONG" }, control.name);
        if !right {
            println!("{table}");
        }
        good &= right;
    }
    Ok(good)
}

fn controls(traces: usize) -> Vec<Control> {
    let test = |set: &str, target| TestArguments::new(set, target, traces);
    let control = |name, test, leaks| Control { name, test, leaks, names: "" };
    let two = "raccoon-128-2";
    let random = |target| TestArguments { vary: Some(Vary::Nothing), ..test(two, target) };
    let zero = |target| TestArguments { masks: Masks::Zero, ..test(two, target) };
    let second = |set, target| TestArguments { order: 2, ..test(set, target) };
    vec![
        control("one share: the response", test("raccoon-128-1", Target::Response), true),
        control("one share: a key refreshed", test("raccoon-128-1", Target::Refresh), true),
        control("masks stuck at zero: MaskCompress", zero(Target::MaskCompress), true),
        control("masks stuck at zero: the response", zero(Target::Response), true),
        control("mask left out, two shares", test(two, Target::Unmasked), true),
        control("mask left out, four shares", test("raccoon-128-4", Target::Unmasked), false),
        control("random against random: the response", random(Target::Response), false),
        control("random against random: shares overwritten", random(Target::Planted), false),
        control("two shares at second order", second(two, Target::Planted), true),
        Control {
            names: "self.share.row1[i] = share.row1[i]; // planted",
            ..control("shares overwritten", test(two, Target::Planted), true)
        },
    ]
}
