//! The backend for ARMv7E-M: the Cortex-M4 and the Cortex-M7.
//!
//! Kernels are whole functions in assembly, with the contract of each above it. Cycles
//! are those of a Cortex-M4 without wait states.

#![allow(unsafe_code, reason = "kernels are assembly, called through pointers")]

mod lift;
mod words;

pub use super::portable::{add, intt, intt_product, mul, mul_add, ntt, reduce, sub};
pub use super::portable::{add_packed, mul_add_packed, pack, unpack};
pub use lift::round;
pub use words::{add_bytes, add_words, set_uniform};

/// 2^exponent / p, rounded: what a high product divides by.
const fn quotient(exponent: u32, p: i32) -> i64 {
    (((1i128 << exponent) + p as i128 / 2) / p as i128) as i64
}
