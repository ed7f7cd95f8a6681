//! The Cortex-M4 backend: bit-interleaved lanes, the permutation in assembly.

#![allow(unsafe_code, reason = "kernels in assembly")]

mod layout;

use super::RATE;
use crate::storage::Zeroed;
use core::arch::naked_asm;
use layout::delay;
use zeroize::Zeroize;

/// The sponge state. Word `2 * lane + half` holds the even bits (half 0) or the odd bits
/// (half 1) of a lane, rotated right by [`delay`].
pub struct State([u32; 50]);

impl Zeroed for State {
    const ZERO: Self = State([0; 50]);
}

/// Round constants, two halves a round, rotated as the words they are added to.
static ROUND_CONSTANTS: [u32; 48] = round_constants();

/// FIPS 202, section 3.2.5: bit 2^j - 1 of constant `round` is output 7 * round + j of a
/// feedback register.
const fn round_constants() -> [u32; 48] {
    let mut constants = [0; 48];
    let mut register: u32 = 1;
    let mut round = 0;
    while round < 24 {
        let mut j = 0;
        while j < 7 {
            if register & 1 == 1 {
                let bit: u32 = (1 << j) - 1;
                let half = (bit % 2) as usize;
                constants[2 * round + half] |= (1 << (bit / 2)) as u32;
            }
            register <<= 1;
            if register & 0x100 != 0 {
                register ^= 0x171;
            }
            j += 1;
        }
        let mut half = 0;
        while half < 2 {
            constants[2 * round + half] =
                constants[2 * round + half].rotate_right(delay((0, 0, half)));
            half += 1;
        }
        round += 1;
    }
    constants
}

macro_rules! each_lane {
    (|$lane:ident| $body:expr) => {
        each_lane!($lane $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    };
    ($lane:ident $body:expr, $($number:literal)*) => {
        $({ let $lane = $number; $body; })*
    };
}
impl State {
    pub fn xor(&mut self, offset: usize, bytes: &[u8]) {
        match bytes.first_chunk() {
            Some(block) if offset == 0 => self.xor_block(block),
            _ => self.xor_bytes(offset, bytes),
        }
    }

    pub fn permute(&mut self) {
        let constants = ROUND_CONSTANTS.as_ptr_range();
        // SAFETY: 50 words of state, 48 of constants.
        unsafe { permute(self.0.as_mut_ptr(), constants.start, constants.end) }
    }

    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        match bytes.first_chunk_mut() {
            Some(block) if offset == 0 => self.read_block(block),
            _ => self.read_bytes(offset, bytes),
        }
    }

    #[inline(never)]
    fn xor_block(&mut self, block: &[u8; RATE]) {
        let (lanes, _) = block.as_chunks();
        each_lane!(|lane| self.xor_lane(lane, lanes[lane]));
    }

    #[inline(never)]
    fn read_block(&self, block: &mut [u8; RATE]) {
        let (lanes, _) = block.as_chunks_mut();
        each_lane!(|lane| lanes[lane] = self.lane(lane));
    }

    #[inline(never)]
    fn xor_bytes(&mut self, mut offset: usize, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (lane, at) = (offset / 8, offset % 8);
            let (now, later) = bytes.split_at(bytes.len().min(8 - at));
            let mut padded = [0; 8];
            padded[at..at + now.len()].copy_from_slice(now);
            self.xor_lane(lane, padded);
            (offset, bytes) = (offset + now.len(), later);
        }
    }

    #[inline(never)]
    fn read_bytes(&self, mut offset: usize, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let (lane, at) = (offset / 8, offset % 8);
            let (now, later) = bytes.split_at_mut(bytes.len().min(8 - at));
            now.copy_from_slice(&self.lane(lane)[at..at + now.len()]);
            (offset, bytes) = (offset + now.len(), later);
        }
    }

    #[inline(always)]
    fn xor_lane(&mut self, lane: usize, bytes: [u8; 8]) {
        let [low, high] = [0, 4].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[at + i])));
        let [even, odd] = interleave([low, high]);
        let [even_delay, odd_delay] = DELAYS[lane];
        self.0[2 * lane] ^= even.rotate_right(even_delay.into());
        self.0[2 * lane + 1] ^= odd.rotate_right(odd_delay.into());
    }

    #[inline(always)]
    fn lane(&self, lane: usize) -> [u8; 8] {
        let [even_delay, odd_delay] = DELAYS[lane];
        let even = self.0[2 * lane].rotate_left(even_delay.into());
        let odd = self.0[2 * lane + 1].rotate_left(odd_delay.into());
        let [low, high] = deinterleave([even, odd]);
        (u64::from(high) << 32 | u64::from(low)).to_le_bytes()
    }
}

/// Delays of the words of the lanes of the rate.
const DELAYS: [[u8; 2]; RATE / 8] = {
    let mut delays = [[0; 2]; RATE / 8];
    let mut lane = 0;
    while lane < delays.len() {
        let mut half = 0;
        while half < 2 {
            delays[lane][half] = delay((lane % 5, lane / 5, half)) as u8;
            half += 1;
        }
        lane += 1;
    }
    delays
};

impl Zeroize for State {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// Even and odd bits of a lane given as two words.
#[inline(always)]
fn interleave(words: [u32; 2]) -> [u32; 2] {
    let words = swap::<16>(words, 0x0000_FFFF);
    let words = swap::<8>(words, 0x00FF_00FF);
    let words = swap::<4>(words, 0x0F0F_0F0F);
    let words = swap::<2>(words, 0x3333_3333);
    swap::<1>(words, 0x5555_5555)
}

#[inline(always)]
fn deinterleave(halves: [u32; 2]) -> [u32; 2] {
    let words = swap::<1>(halves, 0x5555_5555);
    let words = swap::<2>(words, 0x3333_3333);
    let words = swap::<4>(words, 0x0F0F_0F0F);
    let words = swap::<8>(words, 0x00FF_00FF);
    swap::<16>(words, 0x0000_FFFF)
}

#[inline(always)]
fn swap<const SHIFT: u32>([a, b]: [u32; 2], mask: u32) -> [u32; 2] {
    let difference = (a >> SHIFT ^ b) & mask;
    [a ^ difference << SHIFT, b ^ difference]
}

/// Keccak-f\[1600\].
#[unsafe(naked)]
unsafe extern "C" fn permute(state: *mut u32, constants: *const u32, end: *const u32) {
    naked_asm!(include_str!(concat!(env!("OUT_DIR"), "/keccak.s")), options(raw));
}
