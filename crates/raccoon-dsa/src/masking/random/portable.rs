//! The portable backend: plain Rust, any target, the reference for all others.

use super::{LIMIT1, LIMIT2, LfsrState, Output, Sign};
use crate::params::N;
use crate::ring::Poly;
use zeroize::Zeroize;

/// The words of two coefficients: mod q1 and q2, mod q1 and q2.
type Words = [[u32; 2]; 2];

/// Draws from the words of the shift register, low half first.
pub fn lfsr127(state: &mut LfsrState, sign: Sign, output: Output<'_, Poly>) {
    let mut pair = || {
        let word = state.step();
        [word as u32, (word >> 32) as u32]
    };
    uniform(sign, output, |words: &mut [Words; 1]| *words = [[pair(), pair()]]);
}

/// Draws from the blocks of a key and nonce, from block 0 on.
pub fn chacha8(key: &[u32; 8], nonce: u64, sign: Sign, output: Output<'_, Poly>) {
    let mut start = chacha8_start(key, nonce);
    let mut block = [0; 16];
    uniform(sign, output, |words| {
        chacha8_block(&start, &mut block);
        start[12] += 1;
        *words = chacha8_words(&block);
    });
    block.zeroize();
    start.zeroize();
}

/// Draws an element from words, K times two coefficients at once, and puts it where it
/// belongs.
#[inline(always)]
fn uniform<const K: usize>(
    sign: Sign,
    output: Output<'_, Poly>,
    draw: impl FnMut(&mut [Words; K]),
) {
    let signed = |residue: u32| match sign {
        Sign::Plus => residue as i32,
        Sign::Minus => -(residue as i32),
    };
    match output {
        Output::Set(out) => residues(draw, |i, a, b| {
            out.row1[i] = signed(a);
            out.row2[i] = signed(b);
        }),
        Output::Add(x) | Output::AddSum { z: None, x } => residues(draw, |i, a, b| {
            x.row1[i] += signed(a);
            x.row2[i] += signed(b);
        }),
        Output::AddSum { z: Some(z), x } => residues(draw, |i, a, b| {
            x.row1[i] += z.row1[i] + signed(a);
            x.row2[i] += z.row2[i] + signed(b);
        }),
    }
}

/// Hands `put` the residues of every coefficient.
#[inline(always)]
fn residues<const K: usize>(
    mut draw: impl FnMut(&mut [Words; K]),
    mut put: impl FnMut(usize, u32, u32),
) {
    let mut words = [[[0; 2]; 2]; K];
    let mut i = 0;
    while i < N {
        draw(&mut words);
        for &[[a, b], [c, d]] in &words {
            if i < N && a < LIMIT1 && b < LIMIT2 && c < LIMIT1 && d < LIMIT2 {
                put(i, a >> 8, b >> 7);
                put(i + 1, c >> 8, d >> 7);
                i += 2;
            }
        }
    }
    words.zeroize();
}

/// The words of a block. The 16 words make five times four with what the residues leave of
/// them: the low eight or seven bits.
fn chacha8_words(x: &[u32; 16]) -> [Words; 5] {
    let low = |i: usize, bits: u32| x[i] & ((1 << bits) - 1);
    // Of words for residues mod q1, q2, q1, q2 eight, four, eight and four bits.
    let left =
        |i: usize| low(i, 8) << 24 | low(i + 2, 8) << 16 | low(i + 1, 4) << 12 | low(i + 3, 4) << 8;
    // Of the words that stand beside leftovers, six bits each.
    let rest = low(0, 6) << 26 | low(1, 6) << 20 | low(6, 6) << 14 | low(7, 6) << 8;
    [
        [[x[12], x[13]], [x[14], x[15]]],
        [[x[8], x[9]], [x[10], x[11]]],
        [[left(12), x[0]], [left(8), x[1]]],
        [[x[2], x[3]], [x[4], x[5]]],
        [[left(2), x[6]], [rest, x[7]]],
    ]
}

/// What block 0 of polynomial `nonce` starts with: "expand 32-byte k", the key, a 64-bit block
/// counter, a 64-bit nonce.
#[rustfmt::skip]
pub(super) fn chacha8_start(key: &[u32; 8], nonce: u64) -> [u32; 16] {
    let [k0, k1, k2, k3, k4, k5, k6, k7] = *key;
    [
        0x6170_7865, 0x3320_646E, 0x7962_2D32, 0x6B20_6574,
        k0, k1, k2, k3,
        k4, k5, k6, k7,
        0, 0, nonce as u32, (nonce >> 32) as u32,
    ]
}

/// A block from what it starts with.
pub(super) fn chacha8_block(start: &[u32; 16], block: &mut [u32; 16]) {
    *block = *start;
    for _ in 0..4 {
        for column in 0..4 {
            quarter_round(block, column, 4 + column, 8 + column, 12 + column);
        }
        quarter_round(block, 0, 5, 10, 15);
        quarter_round(block, 1, 6, 11, 12);
        quarter_round(block, 2, 7, 8, 13);
        quarter_round(block, 3, 4, 9, 14);
    }
    for (word, start) in block.iter_mut().zip(start) {
        *word = word.wrapping_add(*start);
    }
}

#[inline(always)]
pub(super) fn quarter_round(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}
