//! Polynomials at rest, in 49 bits a coefficient.

use super::residue::{Prime, Prime1, Prime2};
use super::{Poly, backend};
use crate::params::N;
use crate::storage::{Zeroed, wipe_slice};
use zeroize::Zeroize;

/// A polynomial that is kept for later: canonical residues, 24 bits mod q1 and 25 bits mod q2,
/// in 3,136 bytes where a [`Poly`] has 4,096.
///
/// It may be a secret: not `Copy`, not printable, not comparable.
#[repr(C)]
pub struct PackedPoly {
    /// The residue mod q1 in bits 0 to 23, and above it bits 0 to 7 of the residue mod q2.
    pub(super) low: [u32; N],
    /// Bits 8 to 23 of the residue mod q2.
    pub(super) middle: [u16; N],
    /// Bit 24 of the residue mod q2 of coefficient i, in bit i mod 32 of word i / 32.
    pub(super) top: [u32; N / 32],
}

/// A factor of products that are added up.
pub trait Factor {
    /// Pointwise `sum += self * factor / R`, adding 1 to the bound of `sum`. Takes bounds
    /// with product at most 64.
    fn mul_add_to(&self, factor: &Poly, sum: &mut Poly);
}

impl Factor for Poly {
    fn mul_add_to(&self, factor: &Poly, sum: &mut Poly) {
        sum.mul_add(self, factor);
    }
}

/// A packed polynomial has bound 1.
impl Factor for PackedPoly {
    fn mul_add_to(&self, factor: &Poly, sum: &mut Poly) {
        backend::mul_add_packed(sum, self, factor);
    }
}

impl Zeroed for PackedPoly {
    const ZERO: Self = PackedPoly { low: [0; N], middle: [0; N], top: [0; N / 32] };
}

impl Zeroize for PackedPoly {
    fn zeroize(&mut self) {
        wipe_slice(&mut self.low);
        wipe_slice(&mut self.middle);
        wipe_slice(&mut self.top);
    }
}

impl PackedPoly {
    /// Packs a polynomial, of any bound.
    pub fn pack(&mut self, poly: &Poly) {
        backend::pack(self, poly);
    }

    /// Sets `poly` to the packed polynomial. Gives bound 1.
    pub fn unpack(&self, poly: &mut Poly) {
        backend::unpack(poly, self);
    }

    /// Adds the packed polynomial to `sum`. Adds 1 to the bound.
    pub fn add_to(&self, sum: &mut Poly) {
        backend::add_packed(sum, self);
    }

    /// The residues of coefficient `i`.
    #[inline(always)]
    pub(super) fn residues(&self, i: usize) -> (i32, i32) {
        let low = self.low[i];
        let top = (self.top[i / 32] >> (i % 32)) & 1;
        let residue2 = low >> 24 | u32::from(self.middle[i]) << 8 | top << 24;
        ((low & 0xFF_FFFF) as i32, residue2 as i32)
    }

    /// Sets coefficients 32 `block` to 32 `block` + 31 to the residues of any lanes.
    #[inline(always)]
    pub(super) fn set_block(&mut self, block: usize, lanes: impl Fn(usize) -> (i32, i32)) {
        let mut top = 0;
        for bit in 0..32 {
            let i = 32 * block + bit;
            let (lane1, lane2) = lanes(i);
            let residue1 = Prime1::canonical(Prime1::reduce(lane1)) as u32;
            let residue2 = Prime2::canonical(Prime2::reduce(lane2)) as u32;
            self.low[i] = residue1 | residue2 << 24;
            self.middle[i] = (residue2 >> 8) as u16;
            top |= (residue2 >> 24) << bit;
        }
        self.top[block] = top;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Q1, Q2};

    /// Lanes at the ends of their range and in between.
    fn lanes(poly: &mut Poly) {
        for i in 0..N {
            let spread = (i as i32).wrapping_mul(0x0076_5432);
            poly.row1[i] = [0, Q1 - 1, -1, 64 * Q1, -64 * Q1, i32::MAX, i32::MIN, spread][i % 8];
            poly.row2[i] = [0, Q2 - 1, -1, 64 * Q2, -64 * Q2, i32::MAX, i32::MIN, !spread][i % 8];
        }
    }

    #[test]
    fn unpacked_is_canonical() {
        let (mut poly, mut unpacked) = (Poly::ZERO, Poly::ZERO);
        let mut packed = PackedPoly::ZERO;
        lanes(&mut poly);
        packed.pack(&poly);
        packed.unpack(&mut unpacked);
        for i in 0..N {
            assert_eq!(unpacked.row1[i], poly.row1[i].rem_euclid(Q1));
            assert_eq!(unpacked.row2[i], poly.row2[i].rem_euclid(Q2));
        }
    }

    #[test]
    fn sums_and_products_are_those_of_the_unpacked() {
        let (mut poly, mut unpacked, mut factor) = (Poly::ZERO, Poly::ZERO, Poly::ZERO);
        let mut packed = PackedPoly::ZERO;
        lanes(&mut poly);
        packed.pack(&poly);
        packed.unpack(&mut unpacked);
        for i in 0..N {
            (factor.row1[i], factor.row2[i]) = (i as i32 - 7, 5 - i as i32);
        }

        let (mut sum, mut expected) = (Poly::ZERO, Poly::ZERO);
        packed.add_to(&mut sum);
        packed.mul_add_to(&factor, &mut sum);
        expected.add(&unpacked);
        expected.mul_add(&unpacked, &factor);
        sum.sub(&expected);
        for i in 0..N {
            assert_eq!((sum.row1[i] % Q1, sum.row2[i] % Q2), (0, 0), "coefficient {i}");
        }
    }

    #[test]
    fn size() {
        assert_eq!(size_of::<PackedPoly>(), N * 49 / 8);
    }
}
