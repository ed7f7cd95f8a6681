//! `cargo xtask m4 profile`: where the cycles of an operation go.

use super::bench::Operation;
use super::image::{self, Build};
use super::operations::Operations;
use super::simulate;
use anyhow::{Result, anyhow};
use clap::Args;
use m4sim::{Observer, Profile, Record};

/// What to profile.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    build: Build,
    /// The operation
    #[arg(long, value_enum, default_value_t = Operation::Sign)]
    op: Operation,
    /// Functions to print
    #[arg(long, default_value_t = 20)]
    most: usize,
}

/// Prints the functions of an operation by their own cycles, the random generator's included.
pub fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { build, op, most } = arguments;
    let image = image::load(&image::build("bench", build)?)?;
    let names = [op.name()];
    let operations = Operations::new(&image, &names).map_err(|error| anyhow!(error))?;
    let (at_reset, _) = simulate::machine(&image, build, Vec::new())?;
    let mut within = Within { operations, profile: Profile::new(&image, &at_reset) };
    simulate::run(&image, build, &mut within)?;

    let totals = within.profile.totals();
    let all: u64 = totals.iter().map(|function| function.self_cycles).sum();
    println!("{} of {}: {all} cycles\n", op.name(), build.set);
    println!("{:>13} {:>6} {:>13} {:>9}  function", "self", "", "with callees", "calls");
    for function in totals.iter().take(*most) {
        let share = 100.0 * function.self_cycles as f64 / all as f64;
        println!(
            "{:>13} {share:>5.1}% {:>13} {:>9}  {}",
            function.self_cycles, function.inclusive_cycles, function.calls, function.name
        );
    }
    Ok(())
}

/// A profile of an operation and of nothing else.
struct Within<'a> {
    operations: Operations<'a>,
    profile: Profile<'a>,
}

impl Observer for Within<'_> {
    fn instruction(&mut self, record: &Record<'_>) {
        let was_running = self.operations.is_running();
        self.operations.instruction(record);
        if was_running || self.operations.is_running() {
            self.profile.instruction(record);
        }
    }
}
