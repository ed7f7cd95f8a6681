//! SHAKE256, the only hash of the scheme (specification 2.4.2).
//!
//! # What a backend owes
//! A type `State`, the 1600-bit sponge state in whatever layout suits the backend,
//! with
//! - `ZERO`, the all-zero state;
//! - `xor(offset, bytes)`: XORs bytes into the rate at a byte offset,
//!   `offset + bytes.len() <= 136`;
//! - `permute()`: Keccak-f\[1600\];
//! - `read(offset, bytes)`: copies bytes of the rate out, same range; whole blocks are what it
//!   does best;
//! - `Zeroize`.
//!
//! Bytes may be at any address. Time and addresses depend on lengths and offsets alone.

#[cfg(raccoon_backend = "armv7em")]
#[doc(hidden)]
pub mod armv7em;
#[doc(hidden)]
pub mod portable;

#[cfg(all(raccoon_backend = "armv7em", not(raccoon_portable_part = "xof")))]
use armv7em as backend;
#[cfg(any(raccoon_backend = "portable", raccoon_portable_part = "xof"))]
use portable as backend;

use crate::storage::Zeroed;
#[doc(hidden)]
pub use backend::State;
use zeroize::Zeroize;

/// Bytes absorbed or squeezed between two permutations.
pub const RATE: usize = 136;
/// Domain separation and first padding bit of SHAKE.
const SHAKE_PAD: u8 = 0x1F;

/// SHAKE256: absorb, [`finish`](Self::finish), read. Wiped when dropped.
///
/// Seeds are absorbed in place: a sponge that holds one is never moved, so that no copy
/// is left behind on the stack.
pub struct Shake256 {
    state: State,
    /// Bytes of the present block already taken in or given out.
    offset: usize,
}

impl Shake256 {
    /// An empty sponge.
    pub const fn new() -> Self {
        Self { state: State::ZERO, offset: 0 }
    }

    /// Absorbs bytes; several calls equal one call with everything joined.
    pub fn absorb(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(RATE - self.offset));
            self.state.xor(self.offset, now);
            self.offset += now.len();
            if self.offset == RATE {
                self.state.permute();
                self.offset = 0;
            }
            bytes = later;
        }
    }

    /// Ends the input; only [`read`](Self::read) may follow.
    pub fn finish(&mut self) {
        self.state.xor(self.offset, &[SHAKE_PAD]);
        self.state.xor(RATE - 1, &[0x80]);
        self.offset = RATE;
    }

    /// Fills `bytes` with the next output.
    pub fn read(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            if self.offset == RATE {
                self.state.permute();
                self.offset = 0;
            }
            let (now, later) = bytes.split_at_mut(bytes.len().min(RATE - self.offset));
            self.state.read(self.offset, now);
            self.offset += now.len();
            bytes = later;
        }
    }

    /// Absorbs all input at once: whole lanes that end in [`SHAKE_PAD`] and zeros, fewer than the
    /// rate has. The sponge is empty.
    fn take_padded(&mut self, padded: &[u8]) {
        debug_assert!(self.offset == 0 && padded.len() < RATE);
        self.state.xor(0, padded);
        self.state.xor(RATE - 1, &[0x80]);
        self.offset = RATE;
    }

    /// Fills `block` with the next [`RATE`] bytes of output, all output so far having been
    /// read in such blocks.
    fn next_block(&mut self, block: &mut [u8]) {
        debug_assert!(self.offset == RATE && block.len() == RATE);
        self.state.permute();
        self.state.read(0, block);
    }
}

impl Default for Shake256 {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Shake256 {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

/// The output of SHAKE256 for an eight-byte header and a seed, as little-endian words
/// of `BYTES` <= 8 bytes each, a block at a time.
///
/// It is squeezed in one shot: every permutation serves a whole block with one copy,
/// however the words straddle blocks. Wiped when dropped.
#[repr(C, align(8))]
pub struct Words<const BYTES: usize> {
    /// The last block, right behind what the block before it left over. The block is
    /// aligned, so that a backend reads out whole machine words.
    buffer: [u8; ROOM + RATE],
    /// Bytes at the end of the buffer that are not part of a whole word.
    left_over: usize,
    xof: Shake256,
}

/// Room for the bytes that one block leaves over for the next: less than one word.
const ROOM: usize = 8;

impl<const BYTES: usize> Words<BYTES> {
    /// An unseeded stream; [`seed`](Self::seed) must follow.
    pub const fn new() -> Self {
        Self { buffer: [0; ROOM + RATE], left_over: 0, xof: Shake256::new() }
    }

    /// Absorbs header and seed, which fit one block together with a lane of padding: seeds of up
    /// to 112 bytes.
    ///
    /// They are joined in the buffer, which the first block overwrites.
    pub fn seed(&mut self, header: [u8; 8], seed: &[u8]) {
        let input = &mut self.buffer[ROOM..];
        let end = header.len() + seed.len();
        input[..header.len()].copy_from_slice(&header);
        input[header.len()..end].copy_from_slice(seed);
        input[end] = SHAKE_PAD;
        self.xof.take_padded(&input[..(end + 1).next_multiple_of(8)]);
    }

    /// The next words: all that end in the next block.
    pub fn next_words(&mut self) -> &[[u8; BYTES]] {
        // What is left over stands at the end of the buffer, and must end where a block
        // begins.
        self.buffer.copy_within(RATE.., 0);
        self.xof.next_block(&mut self.buffer[ROOM..]);
        let (words, rest) = self.buffer[ROOM - self.left_over..].as_chunks();
        self.left_over = rest.len();
        words
    }
}

impl<const BYTES: usize> Default for Words<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const BYTES: usize> Drop for Words<BYTES> {
    fn drop(&mut self) {
        self.buffer.as_mut_slice().zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 202 example values: SHAKE256 of the empty message.
    #[test]
    fn shake256_of_nothing() {
        let mut xof = Shake256::new();
        xof.finish();
        let mut out = [0; 8];
        xof.read(&mut out);
        assert_eq!(out, [0x46, 0xb9, 0xdd, 0x2b, 0x0b, 0xa8, 0x8d, 0x13]);
    }

    #[test]
    fn words_equal_the_byte_stream() {
        fn check<const BYTES: usize>() {
            let (header, seed) = ([7; 8], [9; 32]);
            let mut words = Words::<BYTES>::new();
            words.seed(header, &seed);
            let mut xof = Shake256::new();
            xof.absorb(&header);
            xof.absorb(&seed);
            xof.finish();
            let mut given = 0;
            for block in 1..50 {
                let words = words.next_words();
                for word in words {
                    let mut bytes = [0; BYTES];
                    xof.read(&mut bytes);
                    assert_eq!(word, &bytes);
                }
                given += words.len();
                assert_eq!(given, block * RATE / BYTES);
            }
        }
        check::<1>();
        check::<2>();
        check::<5>();
        check::<6>();
        check::<7>();
        check::<8>();
    }
}
