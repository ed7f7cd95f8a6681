//! Mask polynomials: every generator, in every form in which its elements are used.

use super::{Inputs, cycles, report};
use crate::memory::Once;
use raccoon_dsa::masking::{ChaCha8, Lfsr127, LfsrState, MaskGenerator, Output, Sign, portable};
use raccoon_dsa::ring::Poly;
use raccoon_dsa::storage::Zeroed;

/// Seeds that every kernel is tried with; the first [`EXTREME_SEEDS`] are not measured.
const SEEDS: usize = 11;
const EXTREME_SEEDS: usize = 3;

/// The result, the portable backend's result, and a summand.
static POLYS: Once<[Poly; 3]> = Once::new([const { Poly::ZERO }; 3]);

/// A form, by the end of its name.
const FORMS: [(&str, Sign, Form); 8] = [
    ("set", Sign::Plus, Form::Set),
    ("set_negative", Sign::Minus, Form::Set),
    ("add", Sign::Plus, Form::Add),
    ("sub", Sign::Minus, Form::Add),
    ("add_to_zero", Sign::Plus, Form::AddSum { from_zero: true }),
    ("sub_from_zero", Sign::Minus, Form::AddSum { from_zero: true }),
    ("add_sum", Sign::Plus, Form::AddSum { from_zero: false }),
    ("add_difference", Sign::Minus, Form::AddSum { from_zero: false }),
];

/// The forms of [`Output`].
#[derive(Clone, Copy)]
enum Form {
    Set,
    Add,
    AddSum { from_zero: bool },
}

impl Form {
    fn output<'a>(self, x: &'a mut Poly, z: &'a Poly) -> Output<'a, Poly> {
        match self {
            Form::Set => Output::Set(x),
            Form::Add => Output::Add(x),
            Form::AddSum { from_zero } => Output::AddSum { z: (!from_zero).then_some(z), x },
        }
    }
}

/// A generator with a copy of its state for the portable backend.
trait Pair {
    const NAME: &'static str;

    fn seeded(seed: &[u8; 32]) -> Self;
    fn draw(&mut self, sign: Sign, output: Output<'_, Poly>);
    fn draw_portably(&mut self, sign: Sign, output: Output<'_, Poly>);
}

struct Lfsr127Pair([LfsrState; 2]);

impl Pair for Lfsr127Pair {
    const NAME: &'static str = "lfsr127";

    fn seeded(seed: &[u8; 32]) -> Self {
        let (_, [state, _]) = Lfsr127::from_seed(seed);
        Self([state.clone(), state])
    }

    fn draw(&mut self, sign: Sign, output: Output<'_, Poly>) {
        Lfsr127.uniform(&mut self.0[0], sign, output);
    }

    fn draw_portably(&mut self, sign: Sign, output: Output<'_, Poly>) {
        portable::lfsr127(&mut self.0[1], sign, output);
    }
}

struct ChaCha8Pair {
    generator: ChaCha8,
    key: [u32; 8],
    cursors: [u64; 2],
}

impl Pair for ChaCha8Pair {
    const NAME: &'static str = "chacha8";

    fn seeded(seed: &[u8; 32]) -> Self {
        let (generator, starts) = ChaCha8::from_seed(seed);
        let mut key = [0; 8];
        for (word, bytes) in key.iter_mut().zip(seed.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        // In the sequence of compressed secrets the high half of the nonce is not zero.
        Self { generator, key, cursors: [starts[1]; 2] }
    }

    fn draw(&mut self, sign: Sign, output: Output<'_, Poly>) {
        self.generator.uniform(&mut self.cursors[0], sign, output);
    }

    fn draw_portably(&mut self, sign: Sign, output: Output<'_, Poly>) {
        portable::chacha8(&self.key, self.cursors[1], sign, output);
        self.cursors[1] += 1;
    }
}

pub(super) fn run(inputs: &mut Inputs) {
    let polys = POLYS.take();
    check::<Lfsr127Pair>(polys, inputs);
    check::<ChaCha8Pair>(polys, inputs);
}

fn check<P: Pair>([ours, portable, z]: &mut [Poly; 3], inputs: &mut Inputs) {
    for (name, sign, form) in FORMS {
        let mut total = [0; 2];
        for seed in 0..SEEDS {
            if seed == EXTREME_SEEDS {
                total = [0; 2];
            }
            let mut pair = P::seeded(&seed_bytes(seed, inputs));
            // Twice, so that the second starts where the first has stopped.
            for _ in 0..2 {
                fill(ours, inputs);
                portable.copy_from(ours);
                fill(z, inputs);
                total[0] += cycles(|| pair.draw(sign, form.output(ours, z)));
                total[1] += cycles(|| pair.draw_portably(sign, form.output(portable, z)));
                assert!(ours.row1 == portable.row1, "{} {name}: row 1", P::NAME);
                assert!(ours.row2 == portable.row2, "{} {name}: row 2", P::NAME);
            }
        }
        let drawn = 2 * (SEEDS - EXTREME_SEEDS) as u32;
        report(format_args!("mask_{}_{name}", P::NAME), total[0] / drawn, total[1] / drawn);
    }
}

/// First the extremes: no bit, all bits, and bits that the shift register does not have.
fn seed_bytes(seed: usize, inputs: &mut Inputs) -> [u8; 32] {
    match seed {
        0 => [0; 32],
        1 => [0xFF; 32],
        2 => core::array::from_fn(|i| if i % 16 == 7 { 0x80 } else { 0 }),
        _ => core::array::from_fn(|_| inputs.next() as u8),
    }
}

/// Any lanes that leave room for two more elements.
fn fill(poly: &mut Poly, inputs: &mut Inputs) {
    for lane in poly.row1.iter_mut().chain(&mut poly.row2) {
        *lane = (inputs.next() as i32) >> 2;
    }
}
