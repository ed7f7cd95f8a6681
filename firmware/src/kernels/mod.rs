//! Every kernel of the backend in use: the same results as the portable one, and its cycles.
//!
//! A line for each kernel is printed: `kernel NAME cycles OURS portable PORTABLE`.

mod masks;
mod ring;
mod sampling;
mod xof;

use cortex_m::peripheral::DWT;
use semihosting::println;

/// Checks and measures all kernels.
///
/// # Panics
/// If a kernel and its portable counterpart differ.
pub fn run() {
    let mut inputs = Inputs(0x9E37_79B9_7F4A_7C15);
    xof::run(&mut inputs);
    ring::run(&mut inputs);
    sampling::run(&mut inputs);
    masks::run(&mut inputs);
}

/// Cycles of a call, without those of reading the counter.
fn cycles(call: impl FnOnce()) -> u32 {
    let nothing = ticks(|| ());
    ticks(call) - nothing
}

/// Cycles of a call between two readings of the counter.
#[inline(never)]
fn ticks(call: impl FnOnce()) -> u32 {
    let start = DWT::cycle_count();
    call();
    DWT::cycle_count().wrapping_sub(start)
}

/// Prints the cycles of a kernel and of its portable counterpart.
fn report(kernel: impl core::fmt::Display, ours: u32, portable: u32) {
    println!("kernel {kernel} cycles {ours} portable {portable}");
}

/// Pseudo-random inputs, the same in every run (xorshift64).
struct Inputs(u64);

impl Inputs {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
