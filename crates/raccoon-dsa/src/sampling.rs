//! Uniform and short polynomials from seeds (specification 2.4.4 and 2.4.5).

use crate::params::{N, Q, Q_BITS};
use crate::ring::Poly;
use crate::xof::Words;

/// SampleQ (Algorithm 5): hands `put` the coefficients 0 <= f_i < q in order.
///
/// The rejection loop reveals which words of the stream were discarded, nothing of
/// those kept.
#[inline(always)]
pub fn sample_q(header: [u8; 8], seed: &[u8], mut put: impl FnMut(usize, i64)) {
    let mut words = Words::<7>::new();
    words.seed(header, seed);
    for i in 0..N {
        let coefficient = loop {
            let candidate = words.next_word() & ((1 << Q_BITS) - 1);
            if candidate < Q {
                break candidate;
            }
        };
        put(i, coefficient as i64);
    }
}

/// One entry of ExpandA (Algorithm 6), in the NTT domain. Gives bound 9.
pub fn expand_a(entry: &mut Poly, row: usize, column: usize, seed: &[u8]) {
    let header = [b'A', row as u8, column as u8, 0, 0, 0, 0, 0];
    sample_q(header, seed, |i, x| entry.set(i, x));
    entry.ntt();
}

/// Header of the polynomial of share `share`, column `column`, of an encoded key. The
/// published vectors have the column first, unlike Algorithm 14.
pub fn share_header(column: usize, share: usize) -> [u8; 8] {
    [b'K', column as u8, share as u8, 0, 0, 0, 0, 0]
}

/// SampleU (Algorithm 7): adds coefficients -2^(u-1) <= f_i < 2^(u-1) to `poly`, for
/// 1 <= u <= 8 or 33 <= u <= 48. Adds 2 to the bound.
pub fn add_sample_u(poly: &mut Poly, header: [u8; 8], seed: &[u8], u: u32) {
    if u <= 8 {
        let mut words = Words::<1>::new();
        words.seed(header, seed);
        for i in 0..N {
            poly.add_small_at(i, sign_extend(words.next_word(), u) as i32);
        }
    } else if u <= 40 {
        add_wide_sample_u::<5>(poly, header, seed, u);
    } else {
        add_wide_sample_u::<6>(poly, header, seed, u);
    }
}

#[inline(always)]
fn add_wide_sample_u<const BYTES: usize>(poly: &mut Poly, header: [u8; 8], seed: &[u8], u: u32) {
    debug_assert!(u as usize <= 8 * BYTES && u as usize > 8 * (BYTES - 1));
    let mut words = Words::<BYTES>::new();
    words.seed(header, seed);
    for i in 0..N {
        poly.add_at(i, sign_extend(words.next_word(), u));
    }
}

/// The low `bits` bits of `word` as a two's complement number.
#[inline(always)]
fn sign_extend(word: u64, bits: u32) -> i64 {
    ((word << (64 - bits)) as i64) >> (64 - bits)
}
