//! The default generator.

use super::{MaskGenerator, Sign, uniform_residues};
use crate::ring::Poly;
use crate::storage::Zeroed;
use zeroize::Zeroize;

/// ChaCha with eight rounds, in counter mode: the default.
///
/// The key is the seed; the nonce is the number of the polynomial, which is all that a
/// cursor is; blocks count from zero within a polynomial.
pub struct ChaCha8 {
    key: [u32; 8],
}

impl Zeroize for ChaCha8 {
    fn zeroize(&mut self) {
        self.key.zeroize();
    }
}

impl Zeroed for ChaCha8 {
    const ZERO: Self = ChaCha8 { key: [0; 8] };
}

impl MaskGenerator for ChaCha8 {
    type Cursor = u64;

    const SEED_BYTES: usize = 32;

    fn from_seed(seed: &[u8]) -> (Self, [u64; 2]) {
        let mut key = [0; 8];
        for (word, bytes) in key.iter_mut().zip(seed.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
        }
        (ChaCha8 { key }, [0, 1 << 63])
    }

    #[inline(never)]
    fn uniform(&self, cursor: &mut u64, sign: Sign, out: &mut Poly) {
        let mut block = [0; 16];
        let mut counter = 0;
        let mut used = block.len();
        uniform_residues(sign, out, || {
            if used == block.len() {
                self.block(*cursor, counter, &mut block);
                counter += 1;
                used = 0;
            }
            used += 2;
            (block[used - 2], block[used - 1])
        });
        block.zeroize();
        *cursor += 1;
    }
}

impl ChaCha8 {
    /// Block `counter` of polynomial `nonce`.
    fn block(&self, nonce: u64, counter: u64, block: &mut [u32; 16]) {
        let k = &self.key;
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

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha8Rng;
    use chacha20::rand_core::{Rng, SeedableRng};

    /// Blocks against another implementation, in all words of counter and nonce.
    #[test]
    fn chacha8_blocks() {
        let seed = core::array::from_fn(|i| 7 * i as u8);
        let (generator, _) = ChaCha8::from_seed(&seed);
        for nonce in [0, 1, 1 << 32, 1 << 63, u64::MAX] {
            for counter in [0, 1, u64::from(u32::MAX), 1 << 32, 1 << 63] {
                let mut words = ChaCha8Rng::from_seed(seed);
                words.set_stream(nonce);
                words.set_block_pos(counter);
                let mut block = [0; 16];
                generator.block(nonce, counter, &mut block);
                assert_eq!(block, core::array::from_fn(|_| words.next_u32()));
            }
        }
    }
}
