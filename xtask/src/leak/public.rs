//! What an observer may see: places in the code whose values are public, or become so.
//!
//! A sample in which one of both values comes from such a place, or from what is called there, is
//! counted but not judged: the other value alone is judged elsewhere.

use m4leak::{Location, Source};

/// A place whose values are public, and why.
pub struct Public {
    /// End of the file's name.
    file: &'static str,
    at: At,
    /// Why nobody minds.
    pub reason: &'static str,
}

enum At {
    /// A function, with all that it calls.
    Function(&'static str),
    /// A line with this text, with all that it calls.
    Line(&'static str),
}

use At::{Function, Line};

const fn public(file: &'static str, at: At, reason: &'static str) -> Public {
    Public { file, at, reason }
}

/// All of them.
pub const PUBLIC: &[Public] = &[
    public("key.rs", Function("hash_key"), "the hash of the public key"),
    public("key.rs", Line("check_coefficients(packed, T_BYTES"), "the public key"),
    public("key.rs", Line("hash: self.hash }"), "a copy of the hash of the public key"),
    public(
        "key.rs",
        Line("VerifyingKeyRef::from_bytes(&bytes[..L::VERIFYING_KEY_BYTES])?"),
        "the public key and its hash",
    ),
    public(
        "key.rs",
        Line("Ok(key)"),
        "copies the hash of the public key; of secrets there are only addresses",
    ),
    public("sign.rs", Function("hint"), "z and h are the signature, or one that is rejected (2.6)"),
    public("sign.rs", Function("encode"), "the signature"),
    public("challenge.rs", Function("chal_poly"), "c is part of the signature"),
    public("challenge.rs", Function("new"), "the hash of the message"),
    public("challenge.rs", Function("absorb"), "w is recomputed by every verifier"),
    public("challenge.rs", Function("finish"), "c is part of the signature"),
    public(
        "commit.rs",
        Line("self.sum.add(share)"),
        "Decode makes t or w, which the specification does not mask from there on (2.3)",
    ),
    public("sign.rs", Line("self.sum.round("), "w before rounding: the same"),
    public("sign.rs", Line("pack(w, W_BITS"), "w"),
    public("keygen.rs", Line("self.sum.round("), "t before rounding: the same"),
    public("keygen.rs", Line("pack(packed, T_BITS"), "t"),
    public(
        "sampling.rs",
        Function("add_sample_u"),
        "a probe on a noise value shows that value (4.2.1)",
    ),
    public(
        "leak.rs",
        Line("// the decoded sum"),
        "the last addition of Decode makes its public result",
    ),
    public(
        "leak.rs",
        Function("try_fill_bytes"),
        "the random generator, which stands for a hardware one",
    ),
];

impl Public {
    /// The place, for people.
    pub fn place(&self) -> String {
        match self.at {
            Function(name) => format!("{name} in {}", self.file),
            Line(text) => format!("`{text}` in {}", self.file),
        }
    }

    fn covers(&self, location: &Location, source: &mut Source) -> bool {
        let file = format!("/{}", self.file);
        if !location.file.ends_with(&file) {
            return false;
        }
        match self.at {
            Function(name) => location.function.rsplit("::").next() == Some(name),
            Line(text) => source.text(location).contains(text),
        }
    }
}

/// The entry that covers the instruction at an address, with the functions it is inlined into.
pub fn entry(source: &mut Source, address: u32) -> Option<u16> {
    let locations = source.locations(address).to_vec();
    let covers = |entry: &Public| locations.iter().any(|place| entry.covers(place, source));
    PUBLIC.iter().position(covers).map(|index| index as u16)
}
