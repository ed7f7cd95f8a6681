//! Uniform and short polynomials from seeds (specification 2.4.4 and 2.4.5).
//!
//! Each works on whole blocks of the hash's output.

use crate::params::N;
use crate::ring::Poly;
use crate::xof::Words;

/// SampleQ (Algorithm 5): sets the coefficients 0 <= f_i < q. Gives bound 2.
///
/// Rejection reveals which words of the stream were discarded, nothing of those kept.
#[inline(never)]
pub fn sample_q(poly: &mut Poly, header: [u8; 8], seed: &[u8]) {
    let mut stream = Words::<7>::new();
    stream.seed(header, seed);
    let mut at = 0;
    while at < N {
        let mut words = stream.next_words();
        while at < N && !words.is_empty() {
            let (fitting, rest) = words.split_at(words.len().min(N - at));
            at = poly.set_uniform(at, fitting);
            words = rest;
        }
    }
}

/// One entry of ExpandA (Algorithm 6), in the NTT domain. Gives bound 9.
pub fn expand_a(entry: &mut Poly, row: usize, column: usize, seed: &[u8]) {
    let header = [b'A', row as u8, column as u8, 0, 0, 0, 0, 0];
    sample_q(entry, header, seed);
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
        sample_words::<1>(header, seed, |at, bytes| poly.add_bytes(at, bytes.as_flattened(), u));
    } else if u <= 40 {
        sample_words::<5>(header, seed, |at, words| poly.add_words(at, words, u));
    } else {
        sample_words::<6>(header, seed, |at, words| poly.add_words(at, words, u));
    }
}

/// Hands `take` a word for every coefficient, a block at a time, with the place of the
/// first.
#[inline(always)]
fn sample_words<const BYTES: usize>(
    header: [u8; 8],
    seed: &[u8],
    mut take: impl FnMut(usize, &[[u8; BYTES]]),
) {
    let mut stream = Words::new();
    stream.seed(header, seed);
    let mut at = 0;
    while at < N {
        let words = stream.next_words();
        let words = &words[..words.len().min(N - at)];
        take(at, words);
        at += words.len();
    }
}
