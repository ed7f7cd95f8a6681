//! Leakage of programs on the simulated core: which values meet at which instruction, and whether
//! what they show tells secrets apart.
//!
//! - **Models** ([`Model`], [`Probe`]). An observer of the simulator that reports, at every
//!   instruction, each pair of values that meet on the same wires: results, operand latches,
//!   overwritten registers and memory words, the data bus, shifter and multiplier, the words of
//!   multi-register transfers. A sample is the Hamming distance of such a pair.
//! - **Runs** ([`Observation`]). Any number of runs of one program advance together, window by
//!   window, over as many threads as wanted. A reference run decides what is a sample; the other
//!   runs follow it, also past loops that discard random values, so that a sample is the
//!   same instruction of the same call in every run.
//! - **Statistics** ([`Moments`], [`statistics`]). Mergeable moments in one pass; Welch's t-test
//!   of first and second order and on centred products; a threshold corrected for the number
//!   of samples; signal-to-noise ratio; correlation.
//! - **Test** ([`Tvla`], [`Judge`]). Fixed against random, with each finding named: model, place,
//!   instruction, and the two values that met, with the instructions that made them.
//!
//! Samples without noise are integers, and so are their power sums: results do not depend on
//! the number of threads.

mod follower;
mod model;
mod moments;
mod noise;
pub mod npy;
mod probe;
mod reference;
mod run;
mod source;
pub mod statistics;
mod tvla;

pub use follower::{ABSENT, Samples};
pub use model::{Model, Models, Place};
pub use moments::{Moments, Order, Summary};
pub use noise::Noise;
pub use probe::{Probe, Sink, Word};
pub use reference::{Meeting, Provenance, Step, Window};
pub use run::{Analysis, Cut, Device, Observation};
pub use source::{Location, Source};
pub use tvla::{Finding, Groups, Judge, Outcome, Stretch, Tvla, group, merge};
