//! Every developer task of this workspace.

mod embedded;
mod leak;
mod m4;
mod packages;
mod run;
mod test;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Developer tasks
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Generate a key, sign and verify, here and on a simulated Cortex-M4
    Demo,
    /// Run all tests and print how many ran
    Test,
    /// Build the core for the Cortex-M4, without std or alloc
    Embedded,
    /// Firmware images, and what they do on a simulated Cortex-M4
    #[command(subcommand)]
    M4(m4::Task),
    /// Leakage of the instructions that run, on a simulated Cortex-M4
    #[command(subcommand)]
    Leak(leak::Task),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Demo => demo(),
        Task::Test => test::run(),
        Task::Embedded => embedded::build(),
        Task::M4(task) => m4::run(&task),
        Task::Leak(task) => return leak::run(&task),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The command's own demonstration, over a file that is there; then the same on the core.
fn demo() -> Result<()> {
    const FILE: &str = "LICENSE-APACHE";
    run::cargo(&["run", "--release", "--quiet", "-p", "raccoon-cli", "--", "demo", FILE])?;
    m4::bench::demo()
}
