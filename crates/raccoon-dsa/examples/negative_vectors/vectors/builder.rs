//! A group of vectors while it grows.

use super::edit::{Edit, apply};
use super::extremes::Searched;
use super::format::{Group, Outcome, Test, What};
use super::model::{self, Decoded};
use raccoon_dsa::params::{Level, N, ParameterSet};
use raccoon_dsa::{Encoding, Error, Raccoon128, Raccoon192, Raccoon256};
use std::marker::PhantomData;

/// A group and the tests it has so far.
pub struct Tests<L> {
    pub group: Group,
    /// The signature of the group.
    pub base: Decoded,
    level: PhantomData<L>,
}

impl<L: Searched> Tests<L> {
    /// A group without tests.
    pub fn new(group: Group) -> Self {
        let base = model::signature::<L>(&group.signature).expect("a well-formed signature");
        Self { group, base, level: PhantomData }
    }

    /// Adds a vector. What is expected has to be what the model says of the encoding.
    pub fn add(
        &mut self,
        comment: &str,
        what: What,
        edits: Vec<Edit>,
        expected: Result<(), Error>,
    ) {
        let well_formed = matches!(expected, Ok(()) | Err(Error::Mismatch));
        let encoding = if well_formed { Ok(()) } else { expected };
        assert_eq!(self.decode(what, &edits), encoding, "{}: {comment}", L::NAME);
        self.group.tests.push(Test {
            tc_id: 0,
            comment: comment.to_owned(),
            what,
            edits,
            result: if expected.is_ok() { Outcome::Valid } else { Outcome::Invalid },
            refusal: expected.err().map(Into::into),
        });
    }

    /// Adds a signature to be refused.
    pub fn signature(&mut self, comment: &str, edits: Vec<Edit>, reason: Error) {
        self.add(comment, What::Signature, edits, Err(reason));
    }

    /// Adds a signature whose coefficients are not where they were: what becomes of them
    /// is for the model to say.
    pub fn shifted_signature(&mut self, comment: &str, edits: Vec<Edit>) {
        let reason = self.decode(What::Signature, &edits).err().unwrap_or(Error::Mismatch);
        self.signature(comment, edits, reason);
    }

    /// Adds objects of a wrong length: the usual ones and others.
    pub fn lengths(&mut self, what: What, encoding: Encoding, others: &[(String, usize)]) {
        let expected = self.group.object(what).len();
        let usual = [
            ("no byte", 0),
            ("one byte", 1),
            ("one byte short", expected - 1),
            ("one byte long", expected + 1),
            ("twice as long", 2 * expected),
        ];
        let usual = usual.map(|(comment, found)| (comment.to_owned(), found));
        for (comment, found) in usual.iter().chain(others) {
            let reason = Error::Length { encoding, expected, found: *found };
            self.add(comment, what, vec![Edit::Resize(*found)], Err(reason));
        }
    }

    fn decode(&self, what: What, edits: &[Edit]) -> Result<(), Error> {
        let object = apply(edits, self.group.object(what));
        match what {
            What::VerifyingKey => model::verifying_key::<L>(&object),
            What::SigningKey => model::signing_key::<L, 2>(&object),
            What::Message => Ok(()),
            What::Signature => model::signature::<L>(&object).map(|_| ()),
        }
    }
}

/// The sizes of a level.
pub struct Sizes {
    pub name: &'static str,
    pub verifying_key: usize,
    pub signing_key: usize,
    pub signature: usize,
}

impl Sizes {
    fn of<L: ParameterSet<2>>() -> Self {
        Self {
            name: L::NAME,
            verifying_key: L::VERIFYING_KEY_BYTES,
            signing_key: L::SIGNING_KEY_BYTES,
            signature: L::SIGNATURE_BYTES,
        }
    }

    /// The lengths of an object at the other two levels, with comments.
    pub fn of_others<L: Level>(size: impl Fn(Self) -> usize) -> Vec<(String, usize)> {
        [Self::of::<Raccoon128>(), Self::of::<Raccoon192>(), Self::of::<Raccoon256>()]
            .into_iter()
            .filter(|sizes| sizes.name != L::NAME)
            .map(|sizes| (format!("as long as in {}", sizes.name), size(sizes)))
            .collect()
    }
}

/// First, middle and last coefficient of some polynomials.
pub fn places(polynomials: usize) -> [(&'static str, usize, usize); 3] {
    [("first", 0, 0), ("middle", polynomials / 2, N / 2), ("last", polynomials - 1, N - 1)]
}

/// Flips bit `bit` of an object.
pub fn flip(bit: usize) -> Edit {
    Edit::Xor { at: bit / 8, mask: vec![1 << (bit % 8)] }
}

/// Puts bits in the place of `remove` others.
pub fn splice(bit: usize, remove: usize, insert: impl Into<String>) -> Edit {
    repeated(bit, remove, insert, 1)
}

/// Puts repeated bits in the place of `remove` others.
pub fn repeated(bit: usize, remove: usize, insert: impl Into<String>, repeat: usize) -> Edit {
    Edit::Splice { bit, remove, insert: insert.into(), repeat }
}
