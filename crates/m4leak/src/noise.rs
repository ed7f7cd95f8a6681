//! Gaussian noise, reproducible.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Independent Gaussian noise for every sample.
#[derive(Clone, Debug)]
pub struct Noise {
    sigma: f64,
    rng: Xoshiro256PlusPlus,
}

impl Noise {
    /// With standard deviation `sigma`, in units of one bit that flips.
    pub fn new(sigma: f64, seed: u64) -> Self {
        Noise { sigma, rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// The next value.
    #[inline]
    pub fn draw(&mut self) -> f64 {
        let standard: f64 = StandardNormal.sample(&mut self.rng);
        self.sigma * standard
    }
}
