//! The portable backend: plain Rust, any target, the reference for all others.
//!
//! Kernels are never inlined: a call costs nothing beside 1024 lanes, and profiles show
//! where the time goes.

pub use super::residue::lift;
use super::residue::{Prime, Prime1, Prime2};
use super::{PackedPoly, Poly};
use crate::bounds::round_shift;
use crate::params::{N, Q, Q_BITS};

#[inline(never)]
pub fn add(sum: &mut Poly, other: &Poly) {
    zip(&mut sum.row1, &other.row1, |a, b| a + b);
    zip(&mut sum.row2, &other.row2, |a, b| a + b);
}

#[inline(never)]
pub fn sub(difference: &mut Poly, other: &Poly) {
    zip(&mut difference.row1, &other.row1, |a, b| a - b);
    zip(&mut difference.row2, &other.row2, |a, b| a - b);
}

#[inline(never)]
pub fn reduce(poly: &mut Poly) {
    reduce_row::<Prime1>(&mut poly.row1);
    reduce_row::<Prime2>(&mut poly.row2);
}

pub fn ntt(poly: &mut Poly) {
    ntt_row::<Prime1>(&mut poly.row1);
    ntt_row::<Prime2>(&mut poly.row2);
}

pub fn intt(poly: &mut Poly) {
    intt_row::<Prime1>(&mut poly.row1, Prime1::N_INVERSE);
    intt_row::<Prime2>(&mut poly.row2, Prime2::N_INVERSE);
}

pub fn intt_product(poly: &mut Poly) {
    intt_row::<Prime1>(&mut poly.row1, Prime1::N_INVERSE_PRODUCT);
    intt_row::<Prime2>(&mut poly.row2, Prime2::N_INVERSE_PRODUCT);
}

#[inline(never)]
pub fn mul(product: &mut Poly, factor: &Poly) {
    zip(&mut product.row1, &factor.row1, Prime1::montgomery);
    zip(&mut product.row2, &factor.row2, Prime2::montgomery);
}

#[inline(never)]
pub fn mul_add(sum: &mut Poly, a: &Poly, b: &Poly) {
    for i in 0..N {
        sum.row1[i] += Prime1::montgomery(a.row1[i], b.row1[i]);
        sum.row2[i] += Prime2::montgomery(a.row2[i], b.row2[i]);
    }
}

#[inline(never)]
pub fn add_bytes(poly: &mut Poly, at: usize, bytes: &[u8], u: u32) {
    for ((x1, x2), &byte) in poly.row1[at..].iter_mut().zip(&mut poly.row2[at..]).zip(bytes) {
        let x = i32::from((byte << (8 - u)) as i8 >> (8 - u));
        *x1 += x;
        *x2 += x;
    }
}

#[inline(never)]
pub fn add_words<const BYTES: usize>(poly: &mut Poly, at: usize, words: &[[u8; BYTES]], u: u32) {
    for ((x1, x2), word) in poly.row1[at..].iter_mut().zip(&mut poly.row2[at..]).zip(words) {
        let x = (little_endian(word) << (64 - u)) as i64 >> (64 - u);
        *x1 += Prime1::residue(x);
        *x2 += Prime2::residue(x);
    }
}

#[inline(never)]
pub fn set_uniform(poly: &mut Poly, mut at: usize, words: &[[u8; 7]]) -> usize {
    for word in words {
        let candidate = little_endian(word) & ((1 << Q_BITS) - 1);
        if candidate < Q {
            poly.set(at, candidate as i64);
            at += 1;
        }
    }
    at
}

#[inline(never)]
pub fn round(poly: &Poly, at: usize, nu: u32, rounded: &mut [u8]) {
    for ((rounded, &a), &b) in rounded.iter_mut().zip(&poly.row1[at..]).zip(&poly.row2[at..]) {
        *rounded = round_shift(lift(a, b), nu) as u8;
    }
}

/// The value of at most eight bytes.
#[inline(always)]
fn little_endian<const BYTES: usize>(bytes: &[u8; BYTES]) -> u64 {
    let mut word = [0; 8];
    word[..BYTES].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

#[inline(never)]
pub fn pack(packed: &mut PackedPoly, poly: &Poly) {
    for block in 0..N / 32 {
        packed.set_block(block, |i| (poly.row1[i], poly.row2[i]));
    }
}

#[inline(never)]
pub fn unpack(poly: &mut Poly, packed: &PackedPoly) {
    for i in 0..N {
        (poly.row1[i], poly.row2[i]) = packed.residues(i);
    }
}

#[inline(never)]
pub fn add_packed(sum: &mut Poly, packed: &PackedPoly) {
    for i in 0..N {
        let (residue1, residue2) = packed.residues(i);
        sum.row1[i] += residue1;
        sum.row2[i] += residue2;
    }
}

#[inline(never)]
pub fn mul_add_packed(sum: &mut Poly, packed: &PackedPoly, factor: &Poly) {
    for i in 0..N {
        let (residue1, residue2) = packed.residues(i);
        sum.row1[i] += Prime1::montgomery(residue1, factor.row1[i]);
        sum.row2[i] += Prime2::montgomery(residue2, factor.row2[i]);
    }
}

/// `a[i] = f(a[i], b[i])`.
#[inline(always)]
fn zip(a: &mut [i32; N], b: &[i32; N], f: impl Fn(i32, i32) -> i32) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = f(*a, b);
    }
}

fn reduce_row<P: Prime>(row: &mut [i32; N]) {
    for x in row {
        *x = P::reduce(*x);
    }
}

/// Cooley-Tukey butterflies from distance 256 down to 1.
///
/// A layer adds a Montgomery product with a constant, so at most 3/4 q, to each lane:
/// after nine layers the bound has grown by 27/4 < 7.
#[inline(never)]
fn ntt_row<P: Prime>(row: &mut [i32; N]) {
    let mut k = 1;
    let mut distance = N / 2;
    while distance > 0 {
        for block in row.chunks_exact_mut(2 * distance) {
            let zeta = P::ZETAS[k];
            k += 1;
            let (low, high) = block.split_at_mut(distance);
            for (a, b) in low.iter_mut().zip(high) {
                let t = P::montgomery(*b, zeta);
                *b = *a - t;
                *a += t;
            }
        }
        distance /= 2;
    }
}

/// Gentleman-Sande butterflies from distance 1 up to 256, then the scaling.
///
/// A layer doubles the bound of sums and leaves 3/4 for products. From bound 8 three
/// layers reach 64, the most a lane holds; all lanes are then reduced to 3/4, and the
/// six layers left reach 48. The scaling ends at 3/4. The zetas of the forward
/// transform serve in reverse order: -zeta[k] of a layer is the inverse of its mirror
/// image, so `(b - a) * zeta` is the difference times the inverse root.
#[inline(never)]
fn intt_row<P: Prime>(row: &mut [i32; N], scale: i32) {
    let mut k = N - 1;
    let mut distance = 1;
    while distance < N {
        for block in row.chunks_exact_mut(2 * distance) {
            let zeta = P::ZETAS[k];
            k -= 1;
            let (low, high) = block.split_at_mut(distance);
            for (a, b) in low.iter_mut().zip(high) {
                let difference = *b - *a;
                *a += *b;
                *b = P::montgomery(difference, zeta);
            }
        }
        if distance == 4 {
            reduce_row::<P>(row);
        }
        distance *= 2;
    }
    for x in row {
        *x = P::montgomery(*x, scale);
    }
}
