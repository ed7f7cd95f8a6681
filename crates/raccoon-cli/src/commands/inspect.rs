//! `raccoon inspect`

mod file;
mod set;

use crate::failure::Failure;
use crate::set::{SET_HELP, SetName};
use std::io;
use std::path::PathBuf;

/// Say what a file is, or what a parameter set costs
///
/// Of a file: whether it is a public key, a secret key or a signature, its parts, and whether it
/// is well-formed. Nothing secret is shown.
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
pub struct Arguments {
    /// A key or signature
    #[arg(required_unless_present = "set", conflicts_with = "set")]
    file: Option<PathBuf>,
    #[arg(long, value_enum, hide_possible_values = true, help = SET_HELP)]
    set: Option<SetName>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if let Some(path) = &arguments.file {
        file::describe(path, &mut out)?;
    }
    if let Some(set) = arguments.set {
        set::describe(set, &mut out)?;
    }
    Ok(())
}
