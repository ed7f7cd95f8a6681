//! The portable backend: 25 64-bit lanes, the permutation of the `keccak` crate.

use crate::storage::Zeroed;
use zeroize::Zeroize;

/// The sponge state, lane by lane.
pub struct State([u64; 25]);

impl Zeroed for State {
    const ZERO: Self = State([0; 25]);
}

impl State {
    pub fn xor(&mut self, offset: usize, bytes: &[u8]) {
        // Bytes up to the next lane, whole lanes, bytes of one more.
        let (head, bytes) = bytes.split_at(bytes.len().min(offset.wrapping_neg() % 8));
        self.xor_bytes(offset, head);
        let lane = (offset + head.len()) / 8;
        let (lanes, tail) = bytes.as_chunks();
        for (state, &bytes) in self.0[lane..].iter_mut().zip(lanes) {
            *state ^= u64::from_le_bytes(bytes);
        }
        self.xor_bytes(8 * (lane + lanes.len()), tail);
    }

    fn xor_bytes(&mut self, offset: usize, bytes: &[u8]) {
        for (at, &byte) in (offset..).zip(bytes) {
            self.0[at / 8] ^= u64::from(byte) << (8 * (at % 8));
        }
    }

    #[inline(never)]
    pub fn permute(&mut self) {
        keccak::Keccak::new().with_f1600(|f1600| f1600(&mut self.0));
    }

    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        if offset.is_multiple_of(8) {
            for (chunk, lane) in bytes.chunks_mut(8).zip(&self.0[offset / 8..]) {
                chunk.copy_from_slice(&lane.to_le_bytes()[..chunk.len()]);
            }
        } else {
            for (at, byte) in (offset..).zip(bytes) {
                *byte = (self.0[at / 8] >> (8 * (at % 8))) as u8;
            }
        }
    }
}

impl Zeroize for State {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}
