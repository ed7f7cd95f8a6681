//! The backend for ARMv7E-M: the Cortex-M4 and the Cortex-M7.
//!
//! Kernels are whole functions in assembly, with the contract of each above it. Cycles
//! are those of a Cortex-M4 without wait states. Those of transforms and products work on
//! one row; what depends on its prime is in [`Constants`].

#![allow(unsafe_code, reason = "kernels are assembly, called through pointers")]

mod intt;
mod lift;
mod ntt;
mod packed;
mod pointwise;
mod words;

pub use super::portable::add_packed;
pub use lift::{lift, round};
pub use packed::{mul_add_packed, pack, unpack};
pub use pointwise::{add, mul, mul_add, reduce, sub};
pub use words::{add_bytes, add_words, set_uniform};

use super::Poly;
use super::residue::{Prime, Prime1, Prime2, centred};
use crate::params::N;

pub fn ntt(poly: &mut Poly) {
    // SAFETY: the kernel reads and writes a row and reads constants.
    unsafe {
        ntt::ntt_row(poly.row1.as_mut_ptr(), &PRIME1);
        ntt::ntt_row(poly.row2.as_mut_ptr(), &PRIME2);
    }
}

pub fn intt(poly: &mut Poly) {
    static SCALING1: Scaling = scaling::<Prime1>(Prime1::N_INVERSE);
    static SCALING2: Scaling = scaling::<Prime2>(Prime2::N_INVERSE);
    inverse(poly, &SCALING1, &SCALING2);
}

pub fn intt_product(poly: &mut Poly) {
    static SCALING1: Scaling = scaling::<Prime1>(Prime1::N_INVERSE_PRODUCT);
    static SCALING2: Scaling = scaling::<Prime2>(Prime2::N_INVERSE_PRODUCT);
    inverse(poly, &SCALING1, &SCALING2);
}

fn inverse(poly: &mut Poly, scaling1: &Scaling, scaling2: &Scaling) {
    // SAFETY: the kernel reads and writes a row and reads constants.
    unsafe {
        intt::intt_row(poly.row1.as_mut_ptr(), &PRIME1, scaling1);
        intt::intt_row(poly.row2.as_mut_ptr(), &PRIME2, scaling2);
    }
}

/// What kernels need to know of a prime p. Their code knows where each field is.
#[repr(C)]
struct Constants {
    /// p.
    prime: i32,
    /// -1/p mod 2^32.
    negative_inverse: i32,
    /// 2^32 / p, rounded.
    reciprocal: i32,
    /// For the blocks of the transforms' three passes, 1, 8 to 15 and 64 to 127: the seven
    /// zetas of block i, with indices i; 2i, 2i + 1; 4i to 4i + 3. For each zeta the constant
    /// `2^32 zeta / p`, rounded, the zeta being centred.
    zetas: [i32; N - 1],
}

static PRIME1: Constants = constants::<Prime1>();
static PRIME2: Constants = constants::<Prime2>();

const fn constants<P: Prime>() -> Constants {
    let negative_inverse = P::Q_INVERSE.wrapping_neg();
    let mut zetas = [0; N - 1];
    let (mut at, mut block) = (0, 1);
    while block < 128 {
        let (mut layer, mut width) = (block, 1);
        while width <= 4 {
            let mut i = 0;
            while i < width {
                // With zeta R = zeta' p + r and |r| < p/2, r is the zeta in Montgomery
                // scale, so zeta' = - r / p mod R.
                zetas[at] = P::ZETAS[layer + i].wrapping_mul(negative_inverse);
                at += 1;
                i += 1;
            }
            (layer, width) = (2 * layer, 2 * width);
        }
        block = match block {
            1 => 8,
            15 => 64,
            _ => block + 1,
        };
    }
    Constants { prime: P::Q, negative_inverse, reciprocal: quotient(32, P::Q) as i32, zetas }
}

/// The constants of the inverse transform's last pass, in Montgomery scale and in the order
/// of its multiplications: the negative zetas 7 to 4, scaled; 3, scaled and not; 2, scaled
/// and not; 1, scaled and not; and the scale itself.
type Scaling = [i32; 11];

const fn scaling<P: Prime>(scale: i32) -> Scaling {
    let mut constants = [0; 11];
    let mut i = 0;
    while i < 4 {
        constants[i] = -product::<P>(P::ZETAS[7 - i], scale);
        i += 1;
    }
    while i < 10 {
        let zeta = P::ZETAS[5 - i / 2];
        constants[i] = -product::<P>(zeta, scale);
        constants[i + 1] = -zeta;
        i += 2;
    }
    constants[10] = scale;
    constants
}

/// a b / R mod p, centred.
const fn product<P: Prime>(a: i32, b: i32) -> i32 {
    let q = P::Q as i64;
    let product = (a as i64 * b as i64).rem_euclid(q);
    // Dividing by R = 2^32 a bit at a time.
    let (mut quotient, mut bit) = (product, 0);
    while bit < 32 {
        quotient = (quotient + (quotient & 1) * q) / 2;
        bit += 1;
    }
    centred(quotient, P::Q)
}

/// 2^exponent / p, rounded: what a high product divides by.
const fn quotient(exponent: u32, p: i32) -> i64 {
    (((1i128 << exponent) + p as i128 / 2) / p as i128) as i64
}
