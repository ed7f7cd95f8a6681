//! Samplers, from seed to polynomial.

use super::{Inputs, cycles};
use crate::memory::Once;
use raccoon_dsa::ring::Poly;
use raccoon_dsa::sampling::{add_sample_u, expand_a};
use raccoon_dsa::storage::Zeroed;
use semihosting::println;

static POLY: Once<Poly> = Once::new(Poly::ZERO);

pub(super) fn run(inputs: &mut Inputs) {
    let poly = POLY.take();
    let seed: [u8; 16] = core::array::from_fn(|_| inputs.next() as u8);
    for u in [4, 6, 39, 41] {
        poly.clear();
        let spent = cycles(|| add_sample_u(poly, [7; 8], &seed, u));
        println!("kernel sample_u_{u} cycles {spent}");
    }
    let spent = cycles(|| expand_a(poly, 1, 2, &seed));
    println!("kernel expand_a cycles {spent}");
}
