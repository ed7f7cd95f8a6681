//! What a file is: keys and signatures have no header, but their lengths all differ.

use crate::failure::{Failure, complain};
use crate::files::{Contents, Private, read};
use crate::set::{LevelName, LevelOperation, SetName, SetOperation};
use raccoon_dsa::{Level, ParameterSet, Raccoon256};
use std::fmt;
use std::path::Path;
use zeroize::Zeroizing;

/// Bytes of the longest file there is, a secret key of raccoon-256-32.
pub const LONGEST: usize = <Raccoon256 as ParameterSet<32>>::SIGNING_KEY_BYTES;

/// What the bytes of a file encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    PublicKey(LevelName),
    SecretKey(SetName),
    Signature(LevelName),
}

impl Kind {
    /// What has `length` bytes, if anything.
    pub fn of_length(length: usize) -> Option<Self> {
        let levels = LevelName::ALL.into_iter();
        let sets = SetName::ALL.into_iter();
        levels
            .flat_map(|level| [Self::PublicKey(level), Self::Signature(level)])
            .chain(sets.map(Self::SecretKey))
            .find(|kind| kind.length() == length)
    }

    /// Bytes of the encoding.
    pub fn length(self) -> usize {
        match self {
            Self::PublicKey(level) => level.run(Lengths).0,
            Self::Signature(level) => level.run(Lengths).1,
            Self::SecretKey(set) => set.run(Lengths),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PublicKey(level) => write!(f, "{level} public key"),
            Self::SecretKey(set) => write!(f, "{set} secret key"),
            Self::Signature(level) => write!(f, "{level} signature"),
        }
    }
}

struct Lengths;

/// Bytes of a public key and of a signature.
impl LevelOperation for Lengths {
    type Output = (usize, usize);

    fn run<L: Level>(self) -> (usize, usize) {
        (L::VERIFYING_KEY_BYTES, L::SIGNATURE_BYTES)
    }
}

/// Bytes of a secret key.
impl SetOperation for Lengths {
    type Output = usize;

    fn run<L: ParameterSet<D>, const D: usize>(self) -> usize {
        L::SIGNING_KEY_BYTES
    }
}

/// Reads a file that should be a public key. Its contents are not yet checked.
pub fn read_public_key(path: &Path) -> Result<(LevelName, Zeroizing<Vec<u8>>), Failure> {
    let (kind, bytes) = read_some_kind(path)?;
    match kind {
        Kind::PublicKey(level) => Ok((level, bytes)),
        other => Err(Failure::file(path, format!("this is a {other}, not a public key"))),
    }
}

/// Reads a file that should be a secret key. Its contents are not yet checked.
pub fn read_secret_key(path: &Path) -> Result<(SetName, Zeroizing<Vec<u8>>), Failure> {
    let (kind, bytes) = read_some_kind(path)?;
    match kind {
        Kind::SecretKey(set) => Ok((set, bytes)),
        other => Err(Failure::file(path, format!("this is a {other}, not a secret key"))),
    }
}

/// Reads a file of any kind.
pub fn read_some_kind(path: &Path) -> Result<(Kind, Zeroizing<Vec<u8>>), Failure> {
    let file = read(path, LONGEST)?;
    let bytes = match file.contents {
        Contents::Whole(bytes) => bytes,
        Contents::TooLong(length) => return Err(no_kind(path, length)),
    };
    let Some(kind) = Kind::of_length(bytes.len()) else {
        return Err(no_kind(path, format!("{} bytes", bytes.len())));
    };
    if let (Kind::SecretKey(_), Private::No { mode }) = (kind, file.private) {
        complain(format_args!(
            "warning: {}: others can use this secret key (mode {mode:03o}); chmod 600 it",
            path.display()
        ));
    }
    Ok((kind, bytes))
}

fn no_kind(path: &Path, length: impl fmt::Display) -> Failure {
    let fault = format!("no key or signature of any parameter set has {length}");
    Failure::file(path, fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_tell_all_kinds_apart() {
        for level in LevelName::ALL {
            for kind in [Kind::PublicKey(level), Kind::Signature(level)] {
                assert_eq!(Kind::of_length(kind.length()), Some(kind));
            }
        }
        for set in SetName::ALL {
            let kind = Kind::SecretKey(set);
            assert_eq!(Kind::of_length(kind.length()), Some(kind));
        }
    }

    #[test]
    fn the_longest_file_is_a_secret_key() {
        let longest = SetName::ALL.into_iter().map(|set| Kind::SecretKey(set).length()).max();
        assert_eq!(longest, Some(LONGEST));
    }
}
