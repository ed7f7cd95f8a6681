//! Arithmetic on single residues: Montgomery reduction, splitting, lifting.

use crate::params::{N, Q1, Q2};
use core::hint::black_box;

/// Smallest integer that generates the multiplicative groups of both primes
/// (specification 2.7.2).
const GENERATOR: i64 = 15;
/// lcm(q1 - 1, q2 - 1) / 2n: g = GENERATOR to this power has order 2n mod both primes.
const ROOT_EXPONENT: u64 = 2_097_414_144 / (2 * N as u64);

/// One of the two primes, with the constants that follow from it.
pub(super) trait Prime {
    /// The prime.
    const Q: i32;
    /// `ZETAS[k]` = g^rev(k) in Montgomery scale, centred; rev reverses nine bits.
    const ZETAS: &'static [i32; N];
    /// Q^-1 mod 2^32.
    const Q_INVERSE: i32 = inverse_mod_r(Self::Q);
    /// R = 2^32 mod Q, centred: the unit in Montgomery scale.
    const R: i32 = centred(power(2, 32, Self::Q), Self::Q);
    /// 2^51 / Q, rounded: a high product with it divides by Q / 2^19.
    const RECIPROCAL: i32 = (((1 << 51) + Self::Q as i64 / 2) / Self::Q as i64) as i32;
    /// 1/n in Montgomery scale: the scaling of the inverse transform. (2^-9 R = 2^23.)
    const N_INVERSE: i32 = centred(power(2, 32 - 9, Self::Q), Self::Q);
    /// R/n in Montgomery scale: the same, taking the factor 1/R of a product away.
    const N_INVERSE_PRODUCT: i32 = centred(power(2, 64 - 9, Self::Q), Self::Q);

    /// Montgomery reduction: x / R mod Q.
    ///
    /// The low 32 bits of `x + m Q` vanish, so the shift is exact. With |m| <= 2^31:
    /// |result| <= |x| / 2^32 + Q / 2.
    #[inline(always)]
    fn montgomery_reduce(x: i64) -> i32 {
        let m = (x as i32).wrapping_mul(Self::Q_INVERSE.wrapping_neg());
        // Both terms are below 2^62 for |x| < 2^62; their sum is the result times 2^32.
        ((x + i64::from(m) * i64::from(Self::Q)) >> 32) as i32
    }

    /// Montgomery product: a b / R mod Q, |result| <= |a b| / 2^32 + Q / 2.
    ///
    /// With |b| <= Q/2 (every constant here) and any a: |result| <= 3 Q / 4.
    #[inline(always)]
    fn montgomery(a: i32, b: i32) -> i32 {
        Self::montgomery_reduce(i64::from(a) * i64::from(b))
    }

    /// The residue of any i32, |result| <= 3 Q / 4.
    #[inline(always)]
    fn reduce(a: i32) -> i32 {
        Self::montgomery(a, Self::R)
    }

    /// The residue of |x| < 2^50, |result| < 2 Q: x - t Q, with t = x / Q from the high bits
    /// of x alone.
    ///
    /// Before it is rounded down, t is too small by less than 1/31 for the bits left out,
    /// 2^19 < Q/31, and off by at most 1/4 for half a unit of the reciprocal. So the result is
    /// above -1/4 Q and below 1.3 Q, and 32 bits are enough for it.
    #[inline(always)]
    fn residue(x: i64) -> i32 {
        debug_assert!(x.unsigned_abs() < 1 << 50);
        let high = (x >> 19) as i32;
        let t = (i64::from(high) * i64::from(Self::RECIPROCAL)) >> 32;
        (x as i32).wrapping_sub((t as i32).wrapping_mul(Self::Q))
    }

    /// The representative 0 <= x < Q of |a| < Q.
    ///
    /// The compiler may not know that the mask is one: it would make a condition of it.
    #[inline(always)]
    fn canonical(a: i32) -> i32 {
        a + (black_box(a >> 31) & Self::Q)
    }
}

/// q1.
pub(super) enum Prime1 {}
/// q2.
pub(super) enum Prime2 {}

static ZETAS1: [i32; N] = zetas(Q1);
static ZETAS2: [i32; N] = zetas(Q2);

impl Prime for Prime1 {
    const Q: i32 = Q1;
    const ZETAS: &'static [i32; N] = &ZETAS1;
}

impl Prime for Prime2 {
    const Q: i32 = Q2;
    const ZETAS: &'static [i32; N] = &ZETAS2;
}

/// q1^-1 mod q2 in Montgomery scale.
const Q1_INVERSE: i32 =
    centred(power(Q1 as i64, (Q2 - 2) as u64, Q2) * power(2, 32, Q2) % Q2 as i64, Q2);

/// The integer 0 <= x < q with x = a mod q1 and x = b mod q2, from any lanes (Garner):
/// x = a + q1 t with t = (b - a) / q1 mod q2.
#[inline(always)]
pub fn lift(a: i32, b: i32) -> u64 {
    let a = Prime1::canonical(Prime1::reduce(a));
    // |b - a| <= 3/4 q2 + q1 < 2 q2.
    let t = Prime2::montgomery(Prime2::reduce(b) - a, Q1_INVERSE);
    let t = Prime2::canonical(t);
    a as u64 + Q1 as u64 * t as u64
}

/// base^exponent mod q.
pub(super) const fn power(base: i64, mut exponent: u64, q: i32) -> i64 {
    let q = q as i64;
    let (mut result, mut square) = (1, base % q);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * square % q;
        }
        square = square * square % q;
        exponent >>= 1;
    }
    result
}

/// The representative of 0 <= x < q nearest to zero.
pub(super) const fn centred(x: i64, q: i32) -> i32 {
    if x > (q / 2) as i64 { (x - q as i64) as i32 } else { x as i32 }
}

/// q^-1 mod 2^32, by Newton's iteration: each step doubles the correct low bits.
const fn inverse_mod_r(q: i32) -> i32 {
    let mut inverse = 1i32;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2i32.wrapping_sub(q.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// g^rev(k) in Montgomery scale, for all k.
const fn zetas(q: i32) -> [i32; N] {
    let root = power(GENERATOR, ROOT_EXPONENT, q);
    let mut table = [0; N];
    let mut k = 0;
    while k < N {
        let reversed = k.reverse_bits() >> (usize::BITS - N.trailing_zeros());
        let zeta = power(root, reversed as u64, q) * power(2, 32, q) % q as i64;
        table[k] = centred(zeta, q);
        k += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Q;

    /// g of specification 2.7.2.
    const ROOT: u64 = 358_453_792_785_495;

    /// Whether x = y mod Q.
    fn congruent<P: Prime>(x: impl Into<i128>, y: impl Into<i128>) -> bool {
        (x.into() - y.into()) % i128::from(P::Q) == 0
    }

    fn check_constants<P: Prime>() {
        assert_eq!(P::Q.wrapping_mul(P::Q_INVERSE), 1);
        let scaled = |x: i32, factor: i128| i128::from(x) * factor;
        assert!(congruent::<P>(P::R, 1i64 << 32));
        assert!(congruent::<P>(scaled(P::N_INVERSE, N as i128), 1i64 << 32));
        assert!(congruent::<P>(scaled(P::N_INVERSE_PRODUCT, N as i128), 1i128 << 64));
        for constant in [P::R, P::N_INVERSE, P::N_INVERSE_PRODUCT] {
            assert!(constant.abs() <= P::Q / 2);
        }
    }

    #[test]
    fn constants() {
        check_constants::<Prime1>();
        check_constants::<Prime2>();
        assert_eq!(i64::from(Q1) * i64::from(Q2), Q as i64);
        assert!(congruent::<Prime2>(i64::from(Q1_INVERSE) * i64::from(Q1), 1i64 << 32));
    }

    fn check_zetas<P: Prime>() {
        let mut power_of_root = i128::from(1);
        for exponent in 0..N {
            let k = (0..9).map(|bit| (exponent >> bit & 1) << (8 - bit)).sum::<usize>();
            assert!(congruent::<P>(P::ZETAS[k], power_of_root << 32), "zeta {k}");
            assert!(P::ZETAS[k].abs() <= P::Q / 2);
            power_of_root = power_of_root * i128::from(ROOT) % i128::from(Q);
        }
        // g^n = -1: the transform is negacyclic.
        assert!(congruent::<P>(power_of_root, -1));
    }

    #[test]
    fn zetas_are_powers_of_the_root() {
        check_zetas::<Prime1>();
        check_zetas::<Prime2>();
    }

    fn check_montgomery_reduction<P: Prime>() {
        let near = |x: i64| [x - 1, x, x + 1];
        let below = (1 << 62) - 2;
        for x in [-below, -1 << 32, -1 << 31, 0, 1 << 31, 1 << 32, below].into_iter().flat_map(near)
        {
            let reduced = i128::from(P::montgomery_reduce(x));
            assert!(congruent::<P>(reduced << 32, x));
            // |result| <= |x| / 2^32 + Q / 2, in units of 2^-33.
            let bound = 2 * i128::from(x.abs()) + (i128::from(P::Q) << 32);
            assert!(reduced.abs() << 33 <= bound, "{x}");
        }
    }

    fn check_products_with_constants<P: Prime>() {
        let half = P::Q / 2;
        for a in [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 1, i32::MAX] {
            for b in [-half, -half + 1, -1, 0, 1, half - 1, half] {
                let product = i64::from(P::montgomery(a, b));
                assert!(congruent::<P>(product << 32, i64::from(a) * i64::from(b)));
                assert!(4 * product.abs() <= 3 * i64::from(P::Q));
            }
        }
    }

    fn check_residues<P: Prime>() {
        let q = i64::from(P::Q);
        for a in [i32::MIN, i32::MIN + 1, -64 * P::Q, 64 * P::Q, i32::MAX - 1, i32::MAX] {
            let reduced = P::reduce(a);
            assert!(congruent::<P>(reduced, a) && 4 * i64::from(reduced).abs() <= 3 * q);
        }
        let most = (1 << 50) - 1;
        let low = (1 << 19) - 1;
        for x in [most, most - low, low, 0, -1, -low, -low - 1, low - most, -most] {
            let residue = P::residue(x);
            assert!(congruent::<P>(residue, x) && i64::from(residue).abs() < 2 * q);
        }
        for a in [1 - P::Q, -1, 0, 1, P::Q - 1] {
            let canonical = P::canonical(a);
            assert!(congruent::<P>(canonical, a) && (0..P::Q).contains(&canonical));
        }
    }

    #[test]
    fn reductions_at_their_extremes() {
        check_montgomery_reduction::<Prime1>();
        check_montgomery_reduction::<Prime2>();
        check_products_with_constants::<Prime1>();
        check_products_with_constants::<Prime2>();
        check_residues::<Prime1>();
        check_residues::<Prime2>();
    }
}
