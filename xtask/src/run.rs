//! Running other programs.

use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask lies in the workspace").to_path_buf()
}

/// The cargo that runs this program, in the root of the workspace.
pub fn cargo_command() -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root());
    command
}

/// Runs cargo and fails if it does.
pub fn cargo(arguments: &[&str]) -> Result<()> {
    succeed(cargo_command().args(arguments))
}

/// Runs a program and fails if it does.
pub fn succeed(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot run {program}"))?;
    ensure!(status.success(), "{program} ended with {status}");
    Ok(())
}

/// What a program prints, or `None` if it cannot be run or fails.
pub fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
