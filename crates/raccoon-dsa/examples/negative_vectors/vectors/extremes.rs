//! Signatures at a bound and beyond it, from a signer that knows none.

use super::model::{self, Triple};
use super::signer::{HONEST, Signer, Wish};
use raccoon_dsa::params::ParameterSet;
use raccoon_dsa::{Error, Raccoon128, Raccoon192, Raccoon256};

/// A level, and where in its sequences of signatures the rare ones are: each search
/// begins there and ends at once.
pub trait Searched: ParameterSet<1> + ParameterSet<2> + ParameterSet<4> {
    /// For [`Extremes::full`].
    const FULL: u64;
    /// For [`Extremes::at_bound`].
    const AT_BOUND: u64;
    /// For [`Extremes::beyond_response`].
    const BEYOND: u64;
}

impl Searched for Raccoon128 {
    const FULL: u64 = 100;
    const AT_BOUND: u64 = 501;
    const BEYOND: u64 = 1224;
}

impl Searched for Raccoon192 {
    const FULL: u64 = 3;
    const AT_BOUND: u64 = 5986;
    const BEYOND: u64 = 1389;
}

impl Searched for Raccoon256 {
    const FULL: u64 = 566;
    const AT_BOUND: u64 = 2143;
    const BEYOND: u64 = 242;
}

/// A search among the signatures of one message by one key.
pub struct Extremes<L: ParameterSet<1>> {
    signer: Signer<L>,
    mu: L::Digest,
}

impl<L: Searched> Extremes<L> {
    /// The signatures of a message by an encoded key with one share.
    pub fn new(secret: &[u8], message: &[u8]) -> Self {
        let signer = Signer::new(secret);
        let mu = signer.message_hash(message);
        Self { signer, mu }
    }

    /// Nothing is special about it.
    pub fn honest(&self) -> Vec<u8> {
        self.find(0, HONEST, |_, encoded| model::signature::<L>(encoded).is_ok())
    }

    /// Valid: the first coefficients of h and z at their bound. Ends within a byte.
    pub fn at_bound(&self) -> Vec<u8> {
        let (z, h) = (L::B_INF as i64, L::H_INF as i32);
        let wish = Wish { response: Some(z), hints: (1, h), ..HONEST };
        self.find(L::AT_BOUND, wish, |it, encoded| {
            (it.responses[0], it.hints[0]) == (z, h)
                && model::signature::<L>(encoded).is_ok_and(|decoded| decoded.end % 8 != 0)
        })
    }

    /// Valid: the encoding ends with the last bit.
    pub fn full(&self) -> Vec<u8> {
        let wish = Wish { terms: 10, ..HONEST };
        self.find(L::FULL, wish, |it, _| it.bits().len() == 8 * L::SIGNATURE_BYTES)
    }

    /// The first coefficient of z is -B_inf - 1; all else is right.
    pub fn beyond_response(&self) -> Vec<u8> {
        let z = -(L::B_INF as i64) - 1;
        let wish = Wish { response: Some(z), ..HONEST };
        self.find(L::BEYOND, wish, |it, _| it.responses[0] == z && it.norm() <= L::B22)
    }

    /// The first coefficient of h is one more than its bound; all else is right.
    pub fn beyond_hint(&self) -> Vec<u8> {
        let h = L::H_INF as i32 + 1;
        let wish = Wish { hints: (1, h), ..HONEST };
        self.find(0, wish, |it, _| it.hints[0] == h && it.norm() <= L::B22)
    }

    /// The norm is too large; all else is right. A short z makes room for the large h.
    pub fn beyond_norm(&self) -> Vec<u8> {
        let wish = Wish { terms: 6, hints: (400, 1), ..HONEST };
        self.find(0, wish, |_, encoded| model::signature::<L>(encoded).err() == Some(Error::Norm))
    }

    /// The first signature from `from` on that is not too long and is accepted.
    fn find(&self, from: u64, wish: Wish, accept: impl Fn(&Triple, &[u8]) -> bool) -> Vec<u8> {
        (from..)
            .find_map(|seed| {
                let triple = self.signer.sign(&self.mu, seed, &wish);
                let encoded = triple.encode::<L>().filter(|encoded| accept(&triple, encoded));
                if encoded.is_some() && seed > from + 100 {
                    eprintln!("{}: found at {seed}, searched from {from} on", L::NAME);
                }
                encoded
            })
            .expect("a signature as wished")
    }
}
