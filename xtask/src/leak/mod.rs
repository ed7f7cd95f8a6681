//! Leakage evaluation of the instructions that run.

mod controls;
mod inputs;
mod public;
mod report;
mod tvla;

use crate::m4::image::Masks;
use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use inputs::Vary;
use m4leak::Model;
use std::process::ExitCode;

/// Leakage tasks.
#[derive(Subcommand)]
pub enum Task {
    /// Fixed against random: ends with 0 if nothing leaks, with 1 if something does, with 2 if it
    /// could not run
    Tvla(Arguments),
    /// Check that tests which must find a leak find it, and that the others do not
    Controls(controls::Arguments),
}

/// What is tested, and how.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Parameter set, such as raccoon-128-2
    #[arg(long, default_value = "raccoon-128-2")]
    pub set: String,
    /// Operation or gadget
    #[arg(long, value_enum)]
    pub target: Target,
    /// Statistical order of the test
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    pub order: u8,
    /// Traces, both groups together
    #[arg(long, default_value_t = 1000)]
    pub traces: usize,
    /// Leakage models; all unless given
    #[arg(long, value_delimiter = ',')]
    pub models: Vec<Model>,
    /// Standard deviation of Gaussian noise on each sample, in bits
    #[arg(long, default_value_t = 0.0)]
    pub noise: f64,
    /// Mask generator
    #[arg(long, value_enum, default_value_t = Masks::Lfsr127)]
    pub masks: Masks,
    /// What is fixed in one group and random in the other
    #[arg(long, value_enum)]
    pub vary: Option<Vary>,
    /// Probability of a finding where there is no leak, over all samples
    #[arg(long, default_value_t = 0.01)]
    pub alpha: f64,
    /// Traces that are simulated at a time; each takes some megabytes
    #[arg(long, default_value_t = 1000)]
    pub batch: usize,
    /// Instructions of a window
    #[arg(long, default_value_t = 4096)]
    pub window: usize,
    /// Do not go on where an interrupted run of the same test has stopped
    #[arg(long)]
    pub afresh: bool,
}

impl Arguments {
    fn new(set: &str, target: Target, traces: usize) -> Self {
        Self {
            set: set.into(),
            target,
            order: 1,
            traces,
            models: Vec::new(),
            noise: 0.0,
            masks: Masks::Lfsr127,
            vary: None,
            alpha: 0.01,
            batch: 1000,
            window: 4096,
            afresh: false,
        }
    }
}

/// What is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Key generation
    Keygen,
    /// Signing
    Sign,
    /// Refreshing of a stored key
    Refresh,
    /// Decoding of a stored key
    DecodeKey,
    /// ZeroEncoding, made where a share was
    ZeroEncoding,
    /// Refresh of a polynomial
    RefreshGadget,
    /// AddRepNoise
    AddRepNoise,
    /// The transform of a share
    Ntt,
    /// A share times public polynomials, accumulated
    MulAdd,
    /// z = c s + r
    Response,
    /// Decode
    Decode,
    /// MaskCompress
    MaskCompress,
    /// MaskCompress without the mask of share 1: a control
    Unmasked,
    /// Shares stored over each other: a control
    Planted,
}

impl Target {
    /// How the image calls it.
    fn code(self) -> u8 {
        self as u8
    }

    fn name(self) -> String {
        let value = self.to_possible_value().expect("no target is hidden");
        value.get_name().to_owned()
    }

    fn takes_key(self) -> bool {
        matches!(self, Target::Sign | Target::Refresh | Target::DecodeKey)
    }
}

/// Runs a task; the exit code tells leaks from failures.
pub fn run(task: &Task) -> ExitCode {
    let outcome: Result<bool> = match task {
        Task::Tvla(arguments) => tvla::run(arguments),
        Task::Controls(arguments) => controls::run(arguments),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}
