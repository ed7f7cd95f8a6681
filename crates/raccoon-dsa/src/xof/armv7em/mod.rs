//! The Cortex-M4 backend: lanes as interleaved halves, the permutation in assembly.

#![allow(unsafe_code, reason = "the permutation is written in assembly")]

mod layout;

use super::RATE;
use crate::storage::Zeroed;
use core::arch::naked_asm;
use layout::delay;
use zeroize::Zeroize;

/// Lanes of the rate.
const RATE_LANES: usize = RATE / 8;
const ROUNDS: usize = 24;

/// The sponge state.
#[repr(C)]
pub struct State {
    /// Lane after lane its even bits and its odd bits, both rotated right by their delays.
    lanes: [[u32; 2]; 25],
    /// The sums of columns that one permutation leaves for the next, even and odd bits.
    sums: [[u32; 2]; 5],
    /// Whether `sums` are those of `lanes`.
    summed: bool,
}

/// How far the halves of the lanes of the rate are rotated right.
const DELAYS: [[u32; 2]; RATE_LANES] = {
    let mut delays = [[0; 2]; RATE_LANES];
    let mut lane = 0;
    while lane < RATE_LANES {
        let (x, y) = (lane % 5, lane / 5);
        delays[lane] = [delay((x, y, 0)), delay((x, y, 1))];
        lane += 1;
    }
    delays
};

/// Both halves of the round constants, rotated as the lane they are added to.
static ROUND_CONSTANTS: [[u32; 2]; ROUNDS] = {
    let mut constants = [[0; 2]; ROUNDS];
    let mut register = 1;
    let mut at = 0;
    while at < 7 * ROUNDS {
        // Output 7 i + j of the register is bit 2^j - 1 of constant i (FIPS 202, section 3.2.5).
        let (constant, bit) = (&mut constants[at / 7], (1 << (at % 7)) - 1);
        let half = bit % 2;
        let output: u32 = register & 1;
        constant[half] |= (output << (bit / 2)).rotate_right(DELAYS[0][half]);
        register <<= 1;
        register ^= (register >> 8) * 0x171;
        at += 1;
    }
    constants
};

impl Zeroed for State {
    const ZERO: Self = State { lanes: [[0; 2]; 25], sums: [[0; 2]; 5], summed: true };
}

impl State {
    pub fn xor(&mut self, offset: usize, bytes: &[u8]) {
        self.summed = false;
        // Bytes up to the next lane, whole lanes, bytes of one more.
        let (head, bytes) = bytes.split_at(bytes.len().min(offset.wrapping_neg() % 8));
        let (lanes, tail) = bytes.as_chunks();
        let first = (offset + head.len()) / 8;
        if !head.is_empty() {
            self.xor_part(offset, head);
        }
        self.xor_lanes(first, lanes);
        if !tail.is_empty() {
            self.xor_part(8 * (first + lanes.len()), tail);
        }
    }

    pub fn permute(&mut self) {
        let constants = ROUND_CONSTANTS.as_ptr_range();
        // SAFETY: the functions take exactly this. The constants are two words a round.
        unsafe {
            if !self.summed {
                sum_columns(self);
                self.summed = true;
            }
            keccak_f1600(self, constants.start, constants.end);
        }
    }

    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        match bytes.first_chunk_mut() {
            // SAFETY: the function takes exactly this.
            Some(block) if offset == 0 => unsafe { read_block(&self.lanes, block) },
            _ => self.read_range(offset, bytes),
        }
    }

    #[inline(never)]
    fn xor_lanes(&mut self, first: usize, lanes: &[[u8; 8]]) {
        let state = self.lanes.iter_mut().zip(&DELAYS).skip(first);
        for ((halves, &delays), &lane) in state.zip(lanes) {
            xor_lane(halves, delays, u64::from_le_bytes(lane));
        }
    }

    /// XORs bytes of a single lane.
    #[inline(never)]
    fn xor_part(&mut self, offset: usize, bytes: &[u8]) {
        let lane = bytes.iter().rev().fold(0, |lane, &byte| lane << 8 | u64::from(byte));
        let state = self.lanes.iter_mut().zip(&DELAYS).nth(offset / 8);
        if let Some((halves, &delays)) = state {
            xor_lane(halves, delays, lane << (8 * (offset % 8)));
        }
    }

    #[inline(never)]
    fn read_range(&self, offset: usize, mut bytes: &mut [u8]) {
        let mut at = offset % 8;
        for (&halves, &delays) in self.lanes.iter().zip(&DELAYS).skip(offset / 8) {
            let (now, later) = bytes.split_at_mut(bytes.len().min(8 - at));
            put_lane(read_lane(halves, delays) >> (8 * at), now);
            if later.is_empty() {
                return;
            }
            (bytes, at) = (later, 0);
        }
    }
}

/// The low end of a lane as up to eight bytes.
#[inline(always)]
fn put_lane(mut lane: u64, bytes: &mut [u8]) {
    match bytes.first_chunk_mut() {
        Some(bytes) => *bytes = lane.to_le_bytes(),
        None => {
            for byte in bytes {
                *byte = lane as u8;
                lane >>= 8;
            }
        }
    }
}

#[inline(always)]
fn xor_lane(halves: &mut [u32; 2], delays: [u32; 2], lane: u64) {
    let [even, odd] = interleave(lane);
    halves[0] ^= even.rotate_right(delays[0]);
    halves[1] ^= odd.rotate_right(delays[1]);
}

#[inline(always)]
fn read_lane([even, odd]: [u32; 2], delays: [u32; 2]) -> u64 {
    deinterleave([even.rotate_left(delays[0]), odd.rotate_left(delays[1])])
}

impl Zeroize for State {
    fn zeroize(&mut self) {
        self.lanes.zeroize();
        self.sums.zeroize();
        // SAFETY: the function takes no argument, and the registers are the caller's to lose.
        unsafe { forget_waiting() }
    }
}

/// Even and odd bits of a lane.
///
/// The number of a bit is five binary digits for its place in a word and one for the word.
/// [`exchange`] makes the word's digit change places with one of the others. Five of them turn
/// all six digits round, so that the lowest is the word's in the end.
#[inline(always)]
fn interleave(lane: u64) -> [u32; 2] {
    let words = exchange_16([lane as u32, (lane >> 32) as u32]);
    let words = exchange::<8>(words, 0x00FF_00FF);
    let words = exchange::<4>(words, 0x0F0F_0F0F);
    let words = exchange::<2>(words, 0x3333_3333);
    exchange::<1>(words, 0x5555_5555)
}

/// Undoes [`interleave`].
#[inline(always)]
fn deinterleave(halves: [u32; 2]) -> u64 {
    let words = exchange::<1>(halves, 0x5555_5555);
    let words = exchange::<2>(words, 0x3333_3333);
    let words = exchange::<4>(words, 0x0F0F_0F0F);
    let words = exchange::<8>(words, 0x00FF_00FF);
    let [low, high] = exchange_16(words);
    u64::from(high) << 32 | u64::from(low)
}

/// Exchanges the bits of the first word whose place has the digit `DIGIT` with those of the
/// second word `DIGIT` places below, which `mask` picks out.
#[inline(always)]
fn exchange<const DIGIT: u32>([first, second]: [u32; 2], mask: u32) -> [u32; 2] {
    let difference = (first >> DIGIT ^ second) & mask;
    [first ^ difference << DIGIT, second ^ difference]
}

/// `exchange::<16>`, in the two instructions there are for it.
#[inline(always)]
fn exchange_16([first, second]: [u32; 2]) -> [u32; 2] {
    [first & 0xFFFF | second << 16, second & 0xFFFF_0000 | first >> 16]
}

/// Makes the sums of a state whose lanes have changed.
///
/// Straight code, written by `build/keccak.rs`. r1 to r3 are lost, the stack takes eight bytes for
/// r4 and r5 of the caller. 108 cycles.
#[unsafe(naked)]
unsafe extern "C" fn sum_columns(state: &mut State) {
    naked_asm!(include_str!(concat!(env!("OUT_DIR"), "/sum_columns.s")), options(raw));
}

/// Keccak-f\[1600\] in place.
///
/// Four rounds in a loop, written by `build/keccak.rs`, which explains them. In and out: any
/// state, in the representation of [`State`], with its sums. The constants are those of a multiple
/// of four rounds, their end is behind the last.
///
/// r0 to r3, r12 and the flags are lost. s0 to s13 hold values for which the core registers have no
/// room, and still do in the end: see [`forget_waiting`]. s14 and s15 hold addresses. The stack
/// takes 36 bytes, for r4 to r11 and lr of the caller: no word of the state ever is on it.
///
/// 8,445 cycles by m4sim, and 108 for `sum_columns` where bytes were absorbed. It counts 9,385
/// for the assembly of pqm4 (9,413 on a board).
#[unsafe(naked)]
unsafe extern "C" fn keccak_f1600(
    state: &mut State,
    constants: *const [u32; 2],
    constants_end: *const [u32; 2],
) {
    naked_asm!(include_str!(concat!(env!("OUT_DIR"), "/keccak_f1600.s")), options(raw));
}

/// Clears the registers in which values have waited: s0 to s13. r0 is lost. 17 cycles.
#[unsafe(naked)]
unsafe extern "C" fn forget_waiting() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "mov r0, #0",
        ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13",
        "vmov s\\number, r0",
        ".endr",
        "bx lr",
    );
}

/// Copies the rate out, as bytes in the usual order.
///
/// Straight code, written by `build/block.rs`. The block may be at any address. r2, r3 and r12
/// are lost, the stack takes 16 bytes for r4 to r6 and lr of the caller. 405 cycles.
#[unsafe(naked)]
unsafe extern "C" fn read_block(state: &[[u32; 2]; 25], block: &mut [u8; RATE]) {
    naked_asm!(include_str!(concat!(env!("OUT_DIR"), "/read_block.s")), options(raw));
}
