//! Mask polynomials.

use super::{Inputs, cycles};
use crate::memory::Once;
use raccoon_dsa::masking::{ChaCha8, Lfsr127, MaskGenerator, Sign};
use raccoon_dsa::ring::Poly;
use raccoon_dsa::storage::Zeroed;
use semihosting::println;

static POLY: Once<Poly> = Once::new(Poly::ZERO);

pub(super) fn run(inputs: &mut Inputs) {
    let poly = POLY.take();
    measure::<Lfsr127>("mask_lfsr127", poly, inputs);
    measure::<ChaCha8>("mask_chacha8", poly, inputs);
}

fn measure<G: MaskGenerator>(name: &str, poly: &mut Poly, inputs: &mut Inputs) {
    let seed: [u8; 32] = core::array::from_fn(|_| inputs.next() as u8);
    let (generator, [mut cursor, _]) = G::from_seed(&seed[..G::SEED_BYTES]);
    poly.clear();
    let spent = cycles(|| generator.uniform(&mut cursor, Sign::Plus, poly));
    println!("kernel {name} cycles {spent}");
}
