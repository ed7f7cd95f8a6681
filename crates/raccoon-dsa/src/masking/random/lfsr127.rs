//! The generator of the reference code.

use super::{MaskGenerator, Output, Sign, backend};
use crate::ring::Poly;
use crate::storage::Zeroed;
use zeroize::Zeroize;

/// The 127-bit shift register of the reference code, x^127 + x^64 + 1, 64 steps at a
/// time. **For measurement only**: it is linear, so its masks are predictable.
pub struct Lfsr127;

impl Zeroed for Lfsr127 {
    const ZERO: Self = Lfsr127;
}

impl Zeroize for Lfsr127 {
    fn zeroize(&mut self) {}
}

/// The state of [`Lfsr127`]: bits 0 to 63, then bits 64 to 126.
#[derive(Clone)]
#[repr(transparent)]
pub struct LfsrState([u64; 2]);

impl Zeroize for LfsrState {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Zeroed for LfsrState {
    const ZERO: Self = LfsrState([0; 2]);
}

impl LfsrState {
    /// The state of 16 bytes. The all-zero state, which would stay zero for ever, is
    /// replaced by 1.
    fn from_bytes(bytes: &[u8]) -> Self {
        let state = u128::from_le_bytes(bytes.try_into().expect("16 bytes")) & (u128::MAX >> 1);
        let state = state | u128::from(state == 0);
        LfsrState([state as u64, (state >> 64) as u64])
    }

    /// 64 steps; returns the 64 new bits.
    #[inline(always)]
    pub(super) fn step(&mut self) -> u64 {
        let [low, high] = self.0;
        let new = ((high << 1) | (low >> 63)) ^ (high >> 62);
        self.0 = [new, (new ^ low) & (u64::MAX >> 1)];
        new
    }
}

impl MaskGenerator for Lfsr127 {
    type Cursor = LfsrState;

    const SEED_BYTES: usize = 32;

    fn from_seed(seed: &[u8]) -> (Self, [LfsrState; 2]) {
        let (refresh, compress) = seed.split_at(16);
        (Lfsr127, [LfsrState::from_bytes(refresh), LfsrState::from_bytes(compress)])
    }

    #[inline(never)]
    fn uniform(&self, cursor: &mut LfsrState, sign: Sign, output: Output<'_, Poly>) {
        backend::lfsr127(cursor, sign, output);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The self-test of the reference generator.
    #[test]
    fn lfsr127_known_answers() {
        let mut state = LfsrState([0x8796_A5B4_C3D2_E1F0, 0x0F1E_2D3C_4B5A_6978]);
        let outputs = core::array::from_fn(|_| state.step());
        let expected: [u64; 8] = [
            0x1E3C_5A78_96B4_D2F1,
            0x3355_FF98_AACC_6602,
            0x5AD3_4BC0_78F1_69E6,
            0xD30D_68B1_A47A_1FC9,
            0x13BC_46E3_B916_EC5F,
            0x8162_5CA4_3AD9_E72D,
            0x25BC_348F_079E_16E5,
            0x49BC_D056_7A8F_E390,
        ];
        assert_eq!(outputs, expected);
    }

    /// 64 steps are 64 multiplications by x modulo x^127 + x^64 + 1.
    #[test]
    fn lfsr127_step_by_step() {
        let mut state = LfsrState([0x0123_4567_89AB_CDEF, 0x7EDC_BA98_7654_3210]);
        let mut polynomial = u128::from(state.0[1]) << 64 | u128::from(state.0[0]);
        for _ in 0..100 {
            for _ in 0..64 {
                polynomial <<= 1;
                if polynomial >> 127 == 1 {
                    polynomial ^= 1 << 127 | 1 << 64 | 1;
                }
            }
            assert_eq!(state.step(), polynomial as u64);
            assert_eq!(state.0[1], (polynomial >> 64) as u64);
        }
    }

    #[test]
    fn lfsr127_seeds() {
        let bytes = core::array::from_fn::<u8, 16, _>(|i| 0xF0 + i as u8);
        let state = LfsrState::from_bytes(&bytes);
        assert_eq!(state.0, [0xF7F6_F5F4_F3F2_F1F0, 0x7FFE_FDFC_FBFA_F9F8]);
        // Both seeds of the zero state.
        assert_eq!(LfsrState::from_bytes(&[0; 16]).0, [1, 0]);
        assert_eq!(LfsrState::from_bytes(&(1u128 << 127).to_le_bytes()).0, [1, 0]);
    }
}
