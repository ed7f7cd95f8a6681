//! The ring Rq = Zq\[x\]/(x^512 + 1), kept as residues modulo q1 and q2.
//!
//! A [`Poly`] is two rows of 512 signed 32-bit lanes: lane `i` of row 1 is
//! congruent to coefficient `i` modulo q1, lane `i` of row 2 modulo q2. Lanes are
//! *lazy*: they are reduced only where a bound demands it.
//!
//! # Bounds
//! "Bound B" means that every lane of row 1 satisfies |x| <= B * q1 and every lane
//! of row 2 |x| <= B * q2. A 32-bit lane holds up to bound 64, because
//! 64 * q2 = 2130706496 < 2^31. Each operation below states the bounds it takes
//! and gives; callers carry the sum next to the code. Builds with debug assertions
//! check what transforms and multiplications take and what reductions give, and
//! overflow checks catch any lane that leaves i32.
//!
//! # Scales
//! Multiplications are Montgomery multiplications with R = 2^32, so the product of
//! two *plain* polynomials carries a factor 1/R. A polynomial is
//! - **plain**: lanes are congruent to the value;
//! - **Montgomery**: to R times the value. Montgomery times plain is plain;
//! - **product**: to 1/R times the value. Sums of products of plain polynomials are
//!   of this kind, and [`Poly::intt_product`] takes the factor away.
//!
//! # Domains
//! Coefficients, lowest degree first; or the NTT domain of specification 2.7.1,
//! lane `i` holding the value at g^(2 rev(i) + 1), rev reversing nine bits.
//!
//! # What a backend owes
//! A backend is a module with the functions `ntt`, `intt`, `intt_product`, `mul`,
//! `mul_add`, `add`, `sub`, `reduce`, `add_bytes`, `add_words`, `set_uniform` and `round`
//! over [`Poly`], `lift` over the two lanes of a coefficient, and `pack`, `unpack`,
//! `add_packed` and `mul_add_packed` over [`PackedPoly`], each exactly as the method of
//! that meaning below: same domain, same scale, output within the stated bound for every
//! input within its bound, no other memory touched. Lanes may differ from another backend's
//! by multiples of the prime. Time and addresses do not depend on the lanes, nor on bytes
//! and words but where that is said. Arguments never alias, except where a method takes
//! `&mut self` and works in place.

#[cfg(raccoon_backend = "armv7em")]
#[doc(hidden)]
pub mod armv7em;
mod packed;
#[doc(hidden)]
pub mod portable;
mod residue;

/// The functions of the backend in use.
mod backend {
    macro_rules! part {
        ($part:literal: $($function:ident),*) => {
            #[cfg(all(raccoon_backend = "armv7em", not(raccoon_portable_part = $part)))]
            pub use super::armv7em::{$($function),*};
            #[cfg(any(raccoon_backend = "portable", raccoon_portable_part = $part))]
            pub use super::portable::{$($function),*};
        };
    }
    part!("words": add_bytes, add_words, set_uniform);
    part!("ntt": ntt, intt, intt_product);
    part!("pointwise": add, sub, mul, mul_add, reduce, pack, unpack, add_packed, mul_add_packed);
    part!("lift": lift, round);
}

pub use packed::{Factor, PackedPoly};

use crate::params::N;
use crate::storage::{Zeroed, wipe_slice};
use residue::{Prime, Prime1, Prime2};
use zeroize::Zeroize;

/// A polynomial: 512 residues mod q1, then 512 mod q2; 4 KiB.
///
/// It may be a secret: not `Copy`, not printable, not comparable.
#[repr(C, align(8))]
pub struct Poly {
    /// Residues mod q1.
    pub row1: [i32; N],
    /// Residues mod q2.
    pub row2: [i32; N],
}

impl Zeroed for Poly {
    const ZERO: Self = Poly { row1: [0; N], row2: [0; N] };
}

impl Zeroize for Poly {
    fn zeroize(&mut self) {
        wipe_slice(&mut self.row1);
        wipe_slice(&mut self.row2);
    }
}

impl Poly {
    /// Sets every lane to zero.
    pub fn clear(&mut self) {
        self.row1.fill(0);
        self.row2.fill(0);
    }

    /// Copies the lanes of another polynomial.
    pub fn copy_from(&mut self, other: &Self) {
        self.row1.copy_from_slice(&other.row1);
        self.row2.copy_from_slice(&other.row2);
    }

    /// Adds lane by lane. Bounds add up; the sum is at most 64.
    pub fn add(&mut self, other: &Self) {
        backend::add(self, other);
    }

    /// Subtracts lane by lane. Bounds add up; the sum is at most 64.
    pub fn sub(&mut self, other: &Self) {
        backend::sub(self, other);
    }

    /// Brings every lane to bound 3/4, from any value of an i32.
    pub fn reduce(&mut self) {
        backend::reduce(self);
        self.debug_assert_bound(3, 4);
    }

    /// Forward transform in place; keeps the scale. Takes bound B <= 48, gives B + 7.
    pub fn ntt(&mut self) {
        self.debug_assert_bound(48, 1);
        backend::ntt(self);
    }

    /// Inverse transform in place; keeps the scale. Takes bound 8, gives 3.
    pub fn intt(&mut self) {
        self.debug_assert_bound(8, 1);
        backend::intt(self);
        self.debug_assert_bound(3, 1);
    }

    /// Inverse transform in place of a polynomial in *product* scale, giving a plain
    /// one. Takes bound 8, gives 3.
    pub fn intt_product(&mut self) {
        self.debug_assert_bound(8, 1);
        backend::intt_product(self);
        self.debug_assert_bound(3, 1);
    }

    /// Pointwise `self * factor / R`. Takes bounds with product at most 64, gives 1.
    pub fn mul(&mut self, factor: &Self) {
        Self::debug_assert_product_bound(self, factor);
        backend::mul(self, factor);
        self.debug_assert_bound(1, 1);
    }

    /// Pointwise `self += a * b / R`. Takes bounds of `a` and `b` with product at most
    /// 64, adds 1 to the bound of `self`.
    pub fn mul_add(&mut self, a: &Self, b: &Self) {
        Self::debug_assert_product_bound(a, b);
        backend::mul_add(self, a, b);
    }

    /// Sets coefficient `i` to `x`, |x| < 2^50. Gives bound 2.
    #[inline]
    pub fn set(&mut self, i: usize, x: i64) {
        self.row1[i] = Prime1::residue(x);
        self.row2[i] = Prime2::residue(x);
    }

    /// Sets coefficient `i` to a small `x`, |x| <= q1: its own residue in both rows.
    /// Gives bound 1.
    #[inline]
    pub fn set_small(&mut self, i: usize, x: i32) {
        debug_assert!(x.abs() <= Prime1::Q);
        self.row1[i] = x;
        self.row2[i] = x;
    }

    /// Adds to the coefficients from `at` on the low 1 <= u <= 8 bits of each byte, as
    /// two's complement numbers. The number of bytes is a multiple of 4. Adds 1 to the
    /// bound.
    pub fn add_bytes(&mut self, at: usize, bytes: &[u8], u: u32) {
        debug_assert!((1..=8).contains(&u) && bytes.len().is_multiple_of(4));
        backend::add_bytes(self, at, bytes, u);
    }

    /// Adds to the coefficients from `at` on the low u bits of each little-endian word of
    /// 5 or 6 bytes, as two's complement numbers; u is 1 to 8 below a word's bits, or all of
    /// them. Adds 2 to the bound.
    pub fn add_words<const BYTES: usize>(&mut self, at: usize, words: &[[u8; BYTES]], u: u32) {
        const { assert!(BYTES == 5 || BYTES == 6) };
        debug_assert!((u as usize).div_ceil(8) == BYTES);
        backend::add_words(self, at, words, u);
    }

    /// Sets the coefficients from `at` on to those of the little-endian words whose low
    /// 49 bits are below q, in order, and skips the others; there is room for all. Returns the
    /// place behind the last. Gives bound 2.
    ///
    /// Time and addresses depend on which words are skipped.
    pub fn set_uniform(&mut self, at: usize, words: &[[u8; 7]]) -> usize {
        debug_assert!(at + words.len() <= N);
        backend::set_uniform(self, at, words)
    }

    /// Sets coefficient `i` to +1 or -1 in Montgomery scale. Gives bound 1/2.
    pub fn set_sign_montgomery(&mut self, i: usize, negative: bool) {
        let sign = 1 - 2 * i32::from(negative);
        self.row1[i] = sign * Prime1::R;
        self.row2[i] = sign * Prime2::R;
    }

    /// The coefficient `i` of a plain polynomial as the integer 0 <= x < q, by the
    /// Chinese remainder theorem. Takes bound 64.
    #[inline]
    pub fn lift(&self, i: usize) -> u64 {
        backend::lift(self.row1[i], self.row2[i])
    }

    /// The coefficients of a plain polynomial from `at` on, [rounded](crate::bounds::round_shift)
    /// by 42 <= nu <= 48 bits, one for each byte; an even number. Takes bound 64.
    pub fn round(&self, at: usize, nu: u32, rounded: &mut [u8]) {
        debug_assert!((42..=48).contains(&nu) && rounded.len().is_multiple_of(2));
        backend::round(self, at, nu, rounded);
    }

    /// In builds with debug assertions: every lane is within `numerator / denominator`
    /// times its prime.
    pub(crate) fn debug_assert_bound(&self, numerator: i64, denominator: i64) {
        if cfg!(debug_assertions) {
            let within = |row: &[i32], q: i32| {
                row.iter().all(|&x| i64::from(x).abs() * denominator <= numerator * i64::from(q))
            };
            assert!(
                within(&self.row1, Prime1::Q) && within(&self.row2, Prime2::Q),
                "a lane is beyond {numerator}/{denominator} times its prime"
            );
        }
    }

    /// In builds with debug assertions: the product of two lanes is within 64 times the
    /// square of their prime.
    fn debug_assert_product_bound(a: &Self, b: &Self) {
        if cfg!(debug_assertions) {
            let within = |a: &[i32], b: &[i32], q: i32| {
                let product = |(&a, &b)| (i64::from(a) * i64::from(b)).abs();
                a.iter().zip(b).map(product).all(|x| x <= 64 * i64::from(q) * i64::from(q))
            };
            assert!(
                within(&a.row1, &b.row1, Prime1::Q) && within(&a.row2, &b.row2, Prime2::Q),
                "a product is beyond 64 times the square of its prime"
            );
        }
    }
}
