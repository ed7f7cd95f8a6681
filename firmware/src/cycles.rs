//! The cycle counter, and a generator that is not counted.

use core::convert::Infallible;
use cortex_m::Peripherals;
use cortex_m::peripheral::DWT;
use raccoon_kat::NistDrbg;
use rand_core::{TryCryptoRng, TryRng};

/// Starts the cycle counter. Where there is none, as on QEMU, all counts are zero.
pub fn start() {
    let mut peripherals = Peripherals::take().expect("nothing else takes the peripherals");
    peripherals.DCB.enable_trace();
    peripherals.DWT.enable_cycle_counter();
}

/// Cycles since a start: 32 bits of the counter, extended by calling
/// [`elapsed`](Self::elapsed) at least once in 2^32 cycles.
pub struct Stopwatch {
    last: u32,
    total: u64,
}

impl Stopwatch {
    /// Starts now.
    pub fn new() -> Self {
        Self { last: DWT::cycle_count(), total: 0 }
    }

    /// Cycles so far.
    pub fn elapsed(&mut self) -> u64 {
        let now = DWT::cycle_count();
        self.total += u64::from(now.wrapping_sub(self.last));
        self.last = now;
        self.total
    }
}

impl Default for Stopwatch {
    fn default() -> Self {
        Self::new()
    }
}

/// The generator of the known answers, with its own cycles counted apart: it stands for
/// a hardware generator.
pub struct MeteredRng {
    drbg: NistDrbg,
    /// Runs from the start of the operation.
    clock: Stopwatch,
    /// Cycles spent in the generator.
    spent: u64,
}

impl MeteredRng {
    /// The generator of a known answer.
    pub fn new(seed: &[u8; 48]) -> Self {
        Self { drbg: NistDrbg::new(seed), clock: Stopwatch::new(), spent: 0 }
    }

    /// Runs an operation; returns its cycles without the generator's, and the generator's.
    pub fn measure(&mut self, operation: impl FnOnce(&mut Self)) -> (u64, u64) {
        self.clock = Stopwatch::new();
        self.spent = 0;
        operation(self);
        (self.clock.elapsed() - self.spent, self.spent)
    }
}

impl TryRng for MeteredRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.drbg.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.drbg.try_next_u64()
    }

    /// Also reads the clock often enough for it never to wrap unseen.
    #[inline(never)]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        let before = self.clock.elapsed();
        self.drbg.try_fill_bytes(bytes)?;
        self.spent += self.clock.elapsed() - before;
        Ok(())
    }
}

impl TryCryptoRng for MeteredRng {}
