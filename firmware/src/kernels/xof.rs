//! The permutation, and what surrounds it.

use super::{Inputs, cycles, report};
use core::hint::black_box;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::xof::{RATE, State, portable};

/// The first lanes of the permuted all-zero state (Keccak team, KeccakF-1600-IntermediateValues).
const PERMUTED_ZERO: [u64; 5] = [
    0xF125_8F79_40E1_DDE7,
    0x84D5_CCF9_33C0_478A,
    0xD598_261E_A65A_A9EE,
    0xBD15_4730_6F80_494D,
    0x8B28_4E05_6253_D057,
];

/// The state of the backend and of the portable one, always given the same.
struct Pair {
    ours: State,
    portable: portable::State,
}

impl Pair {
    const ZERO: Self = Self { ours: State::ZERO, portable: portable::State::ZERO };

    fn xor(&mut self, offset: usize, bytes: &[u8]) {
        self.ours.xor(offset, bytes);
        self.portable.xor(offset, bytes);
    }

    fn permute(&mut self) {
        self.ours.permute();
        self.portable.permute();
    }

    /// Reads a range into the middle of a buffer, whose other bytes must stay.
    fn check(&self, offset: usize, len: usize) {
        const MARGIN: usize = 8;
        let [mut ours, mut portable] = [[0xA5; MARGIN + RATE + MARGIN]; 2];
        let at = MARGIN / 2 + len % MARGIN;
        self.ours.read(offset, &mut ours[at..at + len]);
        self.portable.read(offset, &mut portable[at..at + len]);
        assert_eq!(ours, portable, "{len} bytes at {offset}");
    }

    /// Compares all bits: those out of reach of `read` decide the next permutation.
    fn check_all(&mut self) {
        self.check(0, RATE);
        self.permute();
        self.check(0, RATE);
    }
}

pub(super) fn run(inputs: &mut Inputs) {
    known_answer();
    extreme_states();
    random_states(inputs);
    partial_blocks(inputs);
    measure(inputs);
}

fn known_answer() {
    let mut state = State::ZERO;
    state.permute();
    let mut bytes = [0; 8 * PERMUTED_ZERO.len()];
    state.read(0, &mut bytes);
    for (bytes, lane) in bytes.as_chunks().0.iter().zip(PERMUTED_ZERO) {
        assert_eq!(u64::from_le_bytes(*bytes), lane);
    }
}

/// All ones, and every single bit.
fn extreme_states() {
    let mut pair = Pair::ZERO;
    pair.xor(0, &[0xFF; RATE]);
    pair.check_all();
    for bit in 0..8 * RATE {
        let mut pair = Pair::ZERO;
        pair.xor(bit / 8, &[1 << (bit % 8)]);
        pair.check_all();
    }
}

fn random_states(inputs: &mut Inputs) {
    let mut pair = Pair::ZERO;
    for _ in 0..64 {
        pair.xor(0, &random_block(inputs));
        pair.check_all();
    }
}

/// Every range that fits the rate.
fn partial_blocks(inputs: &mut Inputs) {
    let mut pair = Pair::ZERO;
    let block = random_block(inputs);
    for offset in 0..=RATE {
        for len in 0..=RATE - offset {
            pair.xor(offset, &block[offset..offset + len]);
            pair.check(offset, len);
        }
        pair.check_all();
    }
}

fn measure(inputs: &mut Inputs) {
    let Pair { mut ours, mut portable } = Pair::ZERO;
    let mut block = random_block(inputs);
    for (name, offset, len) in [("xor_block", 0, RATE), ("xor_header", 0, 8), ("xor_seed", 8, 32)] {
        let bytes = black_box(&block[..len]);
        let our_cycles = cycles(|| ours.xor(black_box(offset), bytes));
        report(name, our_cycles, cycles(|| portable.xor(black_box(offset), bytes)));
    }
    // The first permutation behind absorbed bytes has more to do.
    for name in ["permute_absorbed", "permute"] {
        report(name, cycles(|| ours.permute()), cycles(|| portable.permute()));
    }
    let out = black_box(&mut block);
    let our_cycles = cycles(|| black_box(&ours).read(0, out));
    report("read_block", our_cycles, cycles(|| black_box(&portable).read(0, out)));
}

fn random_block(inputs: &mut Inputs) -> [u8; RATE] {
    core::array::from_fn(|_| inputs.next() as u8)
}
