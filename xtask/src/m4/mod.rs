//! The Cortex-M4: images, and what they do on a simulated core.

mod ablation;
pub mod bench;
mod board;
mod chart;
mod ct;
mod footprint;
pub mod image;
mod kernels;
mod layout;
mod memory;
mod operations;
mod profile;
mod published;
pub mod selftest;
pub mod simulate;
mod table;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Cortex-M4 tasks.
#[derive(Subcommand)]
pub enum Task {
    /// Build a firmware image and print where it is
    Build(BuildArguments),
    /// Measure key generation, signing and verification on the simulated core
    Bench(bench::Arguments),
    /// Check every kernel against the portable backend and measure it; writes results/m4-kernels.md
    Kernels,
    /// Measure signing with each part of the backend portable in turn; writes results/m4-ablation.md
    Ablation,
    /// Build the scheme and nothing else, and print its flash; writes results/m4-flash.md
    Footprint,
    /// Measure the RAM of every operation of every set; writes results/m4-memory.md
    Memory,
    /// Run an image on a real board through a debug probe
    Board(board::Arguments),
    /// Profile: the functions of an operation by cycles
    Profile(profile::Arguments),
    /// Check that key generation, refreshing and signing are constant-time
    Ct(image::Build),
}

#[derive(Args)]
pub struct BuildArguments {
    /// The image: bench, kernels, selftest or ct
    #[arg(long, default_value = "bench")]
    image: String,
    #[command(flatten)]
    build: image::Build,
}

pub fn run(task: &Task) -> Result<()> {
    match task {
        Task::Build(arguments) => {
            println!("{}", image::build(&arguments.image, &arguments.build)?.display());
            Ok(())
        }
        Task::Bench(arguments) => bench::run(arguments),
        Task::Kernels => kernels::run(),
        Task::Ablation => ablation::run(),
        Task::Footprint => footprint::run(),
        Task::Memory => memory::run(),
        Task::Board(arguments) => board::run(arguments),
        Task::Profile(arguments) => profile::run(arguments),
        Task::Ct(build) => ct::run(build),
    }
}
