//! The default generator.

use super::{MaskGenerator, Output, Sign, backend};
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
    fn uniform(&self, cursor: &mut u64, sign: Sign, output: Output<'_, Poly>) {
        backend::chacha8(&self.key, *cursor, sign, output);
        *cursor += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::portable::{chacha8_block, chacha8_start};
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
                let mut start = chacha8_start(&generator.key, nonce);
                [start[12], start[13]] = [counter as u32, (counter >> 32) as u32];
                let mut block = [0; 16];
                chacha8_block(&start, &mut block);
                assert_eq!(block, core::array::from_fn(|_| words.next_u32()));
            }
        }
    }
}
