//! The permutation, and what surrounds it.

use super::{Inputs, cycles, report};
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::xof::{RATE, State, portable};

pub(super) fn run(inputs: &mut Inputs) {
    let mut ours = State::ZERO;
    let mut portable = portable::State::ZERO;
    for round in 0..16 {
        let block: [u8; RATE] = core::array::from_fn(|_| inputs.next() as u8);
        let (mut our_block, mut portable_block) = ([0; RATE], [0; RATE]);
        let counts = [
            ("xor_block", cycles(|| ours.xor(0, &block)), cycles(|| portable.xor(0, &block))),
            ("permute", cycles(|| ours.permute()), cycles(|| portable.permute())),
            (
                "read_block",
                cycles(|| ours.read(0, &mut our_block)),
                cycles(|| portable.read(0, &mut portable_block)),
            ),
        ];
        assert_eq!(our_block, portable_block);
        if round == 0 {
            counts.into_iter().for_each(|(name, ours, portable)| report(name, ours, portable));
        }
    }
}
