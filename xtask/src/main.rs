//! Every developer task of this workspace.

mod embedded;
mod run;
mod test;

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
    /// Generate a key, sign a real file and verify it; print sizes and times
    Demo,
    /// Run all tests and print how many ran
    Test,
    /// Build the core for the Cortex-M4, without std or alloc
    Embedded,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Demo => {
            run::cargo(&["run", "--release", "--quiet", "-p", "raccoon-cli", "--", "demo"])
        }
        Task::Test => test::run(),
        Task::Embedded => embedded::build(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
