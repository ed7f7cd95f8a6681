//! `cargo xtask m4 board`: an image on a real board, through a debug probe.

use super::image::{self, Build};
use super::layout::{BOARDS, Board};
use crate::run;
use anyhow::{Result, bail};
use clap::Args;
use std::process::Command;

/// What to run, and where.
#[derive(Args)]
pub struct Arguments {
    /// The image: bench, kernels, selftest or ct
    #[arg(long, default_value = "bench")]
    image: String,
    /// The set, matrix form and masks; the layout names the board: l4r5 or f407
    #[command(flatten)]
    build: Build,
}

/// Builds the image for the board, and flashes and runs it with probe-rs.
pub fn run(arguments: &Arguments) -> Result<()> {
    let board = board(&arguments.build.layout)?;
    let elf = image::build(&arguments.image, &arguments.build)?;
    if run::output("probe-rs", &["--version"]).is_none() {
        bail!("probe-rs is missing; run\n    cargo install probe-rs-tools --locked");
    }
    run::succeed(Command::new("probe-rs").args(["run", "--chip", board.chip]).arg(&elf))
}

fn board(layout: &str) -> Result<&'static Board> {
    match BOARDS.iter().find(|board| board.layout == layout) {
        Some(board) => Ok(board),
        None => {
            let boards = BOARDS.map(|board| board.layout).join(" and ");
            bail!("{layout} is no board; the boards are {boards}, as in --layout l4r5")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::board;

    #[test]
    fn boards_by_layout() {
        assert_eq!(board("l4r5").expect("a board").chip, "STM32L4R5ZITx");
        let error = board("mps2").err().expect("no board").to_string();
        assert!(error.contains("l4r5 and f407"), "{error}");
    }
}
