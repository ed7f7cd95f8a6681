//! The `raccoon` command: keys, signatures, known answers and a demonstration of the
//! Raccoon signature scheme.
//!
//! Exit codes: 0, done or valid; 1, the signature is not valid; 2, misuse or a bad file.

mod commands;
mod failure;
mod files;
mod kind;
mod message;
mod progress;
mod set;
mod signer;
mod table;

use clap::{Parser, Subcommand};
use commands::{demo, inspect, kat, keygen, refresh, sign, verify};
use std::process::ExitCode;

/// Sign and verify files with Raccoon, a masked post-quantum signature scheme
#[derive(Parser)]
#[command(
    name = "raccoon",
    version,
    after_help = "Exit codes: 0 done or valid, 1 invalid signature, 2 misuse or bad file."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Keygen(keygen::Arguments),
    Sign(sign::Arguments),
    Verify(verify::Arguments),
    Refresh(refresh::Arguments),
    Inspect(inspect::Arguments),
    Kat(kat::Arguments),
    Demo(demo::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Keygen(arguments) => keygen::run(&arguments),
        Command::Sign(arguments) => sign::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Refresh(arguments) => refresh::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Kat(arguments) => kat::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
