//! The portable backend: plain Rust, any target, the reference for all others.

use super::{LIMIT1, LIMIT2, LfsrState, Output, Sign};
use crate::params::N;
use crate::ring::Poly;
use zeroize::Zeroize;

/// Draws from the words of the shift register, low half first.
pub fn lfsr127(state: &mut LfsrState, sign: Sign, output: Output<'_, Poly>) {
    let mut pair = || {
        let word = state.step();
        [word as u32, (word >> 32) as u32]
    };
    uniform(sign, output, || [pair(), pair()]);
}

/// Draws from the blocks of a key and nonce, from block 0 on.
pub fn chacha8(key: &[u32; 8], nonce: u64, sign: Sign, output: Output<'_, Poly>) {
    let mut block = [0; 16];
    let mut counter = 0;
    let mut used = block.len();
    uniform(sign, output, || {
        if used == block.len() {
            chacha8_block(key, nonce, counter, &mut block);
            counter += 1;
            used = 0;
        }
        used += 4;
        [[block[used - 4], block[used - 3]], [block[used - 2], block[used - 1]]]
    });
    block.zeroize();
}

/// Draws an element from words, four at a time, and puts it where it belongs.
#[inline(always)]
fn uniform(sign: Sign, output: Output<'_, Poly>, words: impl FnMut() -> [[u32; 2]; 2]) {
    let signed = |residue: u32| match sign {
        Sign::Plus => residue as i32,
        Sign::Minus => -(residue as i32),
    };
    match output {
        Output::Set(out) => residues(words, |i, a, b| {
            out.row1[i] = signed(a);
            out.row2[i] = signed(b);
        }),
        Output::Add(x) | Output::AddSum { z: None, x } => residues(words, |i, a, b| {
            x.row1[i] += signed(a);
            x.row2[i] += signed(b);
        }),
        Output::AddSum { z: Some(z), x } => residues(words, |i, a, b| {
            x.row1[i] += z.row1[i] + signed(a);
            x.row2[i] += z.row2[i] + signed(b);
        }),
    }
}

/// Hands `put` the residues of every coefficient.
#[inline(always)]
fn residues(mut words: impl FnMut() -> [[u32; 2]; 2], mut put: impl FnMut(usize, u32, u32)) {
    for i in (0..N).step_by(2) {
        let pairs = loop {
            let pairs = words();
            if pairs.iter().all(|&[a, b]| a < LIMIT1 && b < LIMIT2) {
                break pairs;
            }
        };
        for (i, [a, b]) in (i..).zip(pairs) {
            put(i, a >> 8, b >> 7);
        }
    }
}

/// Block `counter` of polynomial `nonce`.
pub(super) fn chacha8_block(k: &[u32; 8], nonce: u64, counter: u64, block: &mut [u32; 16]) {
    // "expand 32-byte k", key, 64-bit block counter, 64-bit nonce.
    let mut start = [
        0x6170_7865,
        0x3320_646E,
        0x7962_2D32,
        0x6B20_6574,
        k[0],
        k[1],
        k[2],
        k[3],
        k[4],
        k[5],
        k[6],
        k[7],
        counter as u32,
        (counter >> 32) as u32,
        nonce as u32,
        (nonce >> 32) as u32,
    ];
    *block = start;
    for _ in 0..4 {
        quarter_round(block, 0, 4, 8, 12);
        quarter_round(block, 1, 5, 9, 13);
        quarter_round(block, 2, 6, 10, 14);
        quarter_round(block, 3, 7, 11, 15);
        quarter_round(block, 0, 5, 10, 15);
        quarter_round(block, 1, 6, 11, 12);
        quarter_round(block, 2, 7, 8, 13);
        quarter_round(block, 3, 4, 9, 14);
    }
    for (word, start) in block.iter_mut().zip(&start) {
        *word = word.wrapping_add(*start);
    }
    start.zeroize();
}

#[inline(always)]
fn quarter_round(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}
