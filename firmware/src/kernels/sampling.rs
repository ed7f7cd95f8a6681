//! Samplers and rounding: their kernels, and from seed to polynomial.

use super::{Inputs, cycles, report};
use crate::memory::Once;
use raccoon_dsa::params::{N, NU_T, NU_W, Q, Q1, Q2};
use raccoon_dsa::ring::{Poly, portable};
use raccoon_dsa::sampling::{add_sample_u, expand_a, sample_q};
use raccoon_dsa::storage::Zeroed;
use semihosting::println;

static POLYS: Once<[Poly; 2]> = Once::new([const { Poly::ZERO }; 2]);

/// Words of the largest block.
const WORDS: usize = 136;

pub(super) fn run(inputs: &mut Inputs) {
    let [ours, portable] = POLYS.take();
    bytes(ours, portable, inputs);
    noise(ours, portable, inputs, Poly::add_words::<5>, portable::add_words::<5>, [39, 40, 33]);
    noise(ours, portable, inputs, Poly::add_words::<6>, portable::add_words::<6>, [41, 48, 45]);
    uniform(ours, portable, inputs);
    rounding(ours, portable, inputs);
    whole(ours, inputs);
}

/// Words of bytes that are at one end, at the other, or random.
fn words<const BYTES: usize>(inputs: &mut Inputs) -> [[u8; BYTES]; WORDS] {
    core::array::from_fn(|_| {
        let kind = inputs.next() % 4;
        core::array::from_fn(|_| match kind {
            0 => [0, 0xFF, 0x80, 0x7F][inputs.next() as usize % 4],
            _ => inputs.next() as u8,
        })
    })
}

fn bytes(ours: &mut Poly, portable: &mut Poly, inputs: &mut Inputs) {
    for (u, count) in [(4, 136), (6, 136), (8, 136), (1, 104), (5, 4), (7, 0)] {
        let words = words::<1>(inputs);
        let bytes = &words.as_flattened()[..count];
        start(ours, portable, inputs);
        let spent = cycles(|| ours.add_bytes(N - count, bytes, u));
        let reference = cycles(|| portable::add_bytes(portable, N - count, bytes, u));
        assert!(ours.row1 == portable.row1 && ours.row2 == portable.row2, "add_bytes is wrong");
        if u == 4 {
            report("add_bytes", spent, reference);
        }
    }
}

/// Noise of words of several bytes, of the given widths.
fn noise<const BYTES: usize>(
    ours: &mut Poly,
    portable: &mut Poly,
    inputs: &mut Inputs,
    add: impl Fn(&mut Poly, usize, &[[u8; BYTES]], u32),
    add_portable: impl Fn(&mut Poly, usize, &[[u8; BYTES]], u32),
    widths: [u32; 3],
) {
    for u in widths {
        let words = words::<BYTES>(inputs);
        for (count, misaligned) in [(0, 0), (1, 1), (22, 0), (23, 1), (27, 2), (28, 3), (133, 3)] {
            let words = &words[misaligned..misaligned + count];
            start(ours, portable, inputs);
            let spent = cycles(|| add(ours, N - count, words, u));
            let reference = cycles(|| add_portable(portable, N - count, words, u));
            assert!(same_within(ours, portable, 2), "add_words is wrong");
            if u == widths[0] && count == 27 {
                println!("kernel add_words_{BYTES} cycles {spent} portable {reference}");
            }
        }
    }
}

fn uniform(ours: &mut Poly, portable: &mut Poly, inputs: &mut Inputs) {
    for around_q in [false, true] {
        let mut words = words::<7>(inputs);
        if around_q {
            for word in &mut words {
                let near = inputs.next() % 5;
                let far = (inputs.next() % 3) << 24;
                let x = Q + near + far - 2 - (1 << 24);
                word.copy_from_slice(&(x | inputs.next() << 49).to_le_bytes()[..7]);
            }
        }
        for (count, misaligned) in [(0, 0), (1, 1), (19, 0), (19, 1), (20, 2), (20, 3), (133, 3)] {
            let words = &words[misaligned..misaligned + count];
            start(ours, portable, inputs);
            let (mut end, mut portable_end) = (0, 0);
            let spent = cycles(|| end = ours.set_uniform(N - count, words));
            let reference =
                cycles(|| portable_end = portable::set_uniform(portable, N - count, words));
            assert!(end == portable_end && same_within(ours, portable, 2), "set_uniform is wrong");
            if !around_q && misaligned == 2 {
                report("set_uniform", spent, reference);
            }
        }
    }
}

/// Lanes of bound 1 in both polynomials.
fn start(ours: &mut Poly, portable: &mut Poly, inputs: &mut Inputs) {
    for (row, q) in [(&mut ours.row1, Q1), (&mut ours.row2, Q2)] {
        row.fill_with(|| (inputs.next() as i64 % i64::from(q)) as i32);
    }
    portable.copy_from(ours);
}

/// Whether all lanes are congruent, and ours within a bound of 1 more than `added`.
fn same_within(ours: &Poly, portable: &Poly, added: i32) -> bool {
    let rows = |a: &[i32; N], b: &[i32; N], q: i32| {
        a.iter().zip(b).all(|(&a, &b)| (a - b) % q == 0 && a.abs() <= (1 + added) * q)
    };
    rows(&ours.row1, &portable.row1, Q1) && rows(&ours.row2, &portable.row2, Q2)
}

fn rounding(poly: &mut Poly, lifted: &mut Poly, inputs: &mut Inputs) {
    for nu in [NU_T, NU_W] {
        for kind in 0..4 {
            rounding_inputs(poly, nu, kind, inputs);
            lifted.copy_from(poly);
            let (mut ours, mut portable) = ([0; N], [0; N]);
            let spent = cycles(|| poly.round(0, nu, &mut ours));
            let reference = cycles(|| portable::round(lifted, 0, nu, &mut portable));
            assert!(ours == portable, "round is wrong");
            if kind == 0 {
                println!("kernel round_{nu} cycles {spent} portable {reference}");
            }
        }
    }
}

/// Random lanes; lanes at the ends of bound 64; coefficients around the edges of rounding;
/// the same with lanes far from zero.
fn rounding_inputs(poly: &mut Poly, nu: u32, kind: u32, inputs: &mut Inputs) {
    for i in 0..N {
        let random = inputs.next();
        let edge = (random % (2 * (Q >> nu) + 1)) << (nu - 1);
        let near = edge as i64 + (random >> 32) as i64 % 3 - 1;
        poly.set(i, near);
        match kind {
            0 => {
                poly.row1[i] = (random as i64 % (64 * i64::from(Q1))) as i32;
                poly.row2[i] = (inputs.next() as i64 % (64 * i64::from(Q2))) as i32;
            }
            1 => {
                poly.row1[i] = if random & 1 == 0 { 64 * Q1 } else { -64 * Q1 };
                poly.row2[i] = if random & 2 == 0 { 64 * Q2 } else { -64 * Q2 };
            }
            2 => (),
            _ => {
                poly.row1[i] += if random & 1 == 0 { 60 * Q1 } else { -60 * Q1 };
                poly.row2[i] += if random & 2 == 0 { 60 * Q2 } else { -60 * Q2 };
            }
        }
    }
}

fn whole(poly: &mut Poly, inputs: &mut Inputs) {
    let seed: [u8; 16] = core::array::from_fn(|_| inputs.next() as u8);
    for u in [4, 6, 39, 41] {
        poly.clear();
        let spent = cycles(|| add_sample_u(poly, [7; 8], &seed, u));
        println!("kernel sample_u_{u} cycles {spent}");
    }
    let spent = cycles(|| sample_q(poly, [7; 8], &seed));
    println!("kernel sample_q cycles {spent}");
    let spent = cycles(|| expand_a(poly, 1, 2, &seed));
    println!("kernel expand_a cycles {spent}");
}
