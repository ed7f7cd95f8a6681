//! What can be wrong.

use core::fmt;

/// The kind of encoding an [`Error::Length`] speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// A public (verifying) key.
    VerifyingKey,
    /// A secret (signing) key.
    SigningKey,
    /// A signature.
    Signature,
    /// A message hash mu.
    MessageHash,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::VerifyingKey => "public key",
            Encoding::SigningKey => "secret key",
            Encoding::Signature => "signature",
            Encoding::MessageHash => "message hash",
        })
    }
}

/// Checks a length.
pub(crate) fn check_length(encoding: Encoding, expected: usize, bytes: &[u8]) -> Result<(), Error> {
    match bytes.len() {
        found if found == expected => Ok(()),
        found => Err(Error::Length { encoding, expected, found }),
    }
}

/// Why an operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An encoding has the wrong number of bytes.
    Length {
        /// What it should be.
        encoding: Encoding,
        /// Bytes it should have.
        expected: usize,
        /// Bytes it has.
        found: usize,
    },
    /// A coefficient of t in a public key is not below q_t = 125.
    PublicCoefficient {
        /// Which polynomial of t.
        polynomial: usize,
        /// Which coefficient of it.
        coefficient: usize,
    },
    /// A coefficient of share 0 in a secret key is not below q.
    SecretCoefficient {
        /// Which polynomial of s.
        polynomial: usize,
        /// Which coefficient of it.
        coefficient: usize,
    },
    /// A signature ends before all its coefficients do.
    Truncated,
    /// A coefficient of the hint h is out of range.
    HintRange {
        /// Which polynomial of h.
        polynomial: usize,
        /// Which coefficient of it.
        coefficient: usize,
    },
    /// A coefficient of the response z is out of range.
    ResponseRange {
        /// Which polynomial of z.
        polynomial: usize,
        /// Which coefficient of it.
        coefficient: usize,
    },
    /// A bit behind the last coefficient of a signature is set.
    Padding,
    /// The norm of a signature's (z, 2^nu_w h) is too large.
    Norm,
    /// A signature is well-formed but not one of this message by this key.
    Mismatch,
    /// The caller's random generator failed.
    Randomness,
    /// Signing was rejected 64 times in a row, which does not happen in the lifetime of
    /// the universe to a working random generator and an undamaged key.
    Exhausted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Length { encoding, expected, found } => {
                write!(f, "the {encoding} has {found} bytes instead of {expected}")
            }
            Error::PublicCoefficient { polynomial, coefficient } => write!(
                f,
                "public key: coefficient {coefficient} of polynomial {polynomial} of t is not below 125"
            ),
            Error::SecretCoefficient { polynomial, coefficient } => write!(
                f,
                "secret key: coefficient {coefficient} of polynomial {polynomial} of s is not below q"
            ),
            Error::Truncated => f.write_str("signature: the encoding ends too early"),
            Error::HintRange { polynomial, coefficient } => write!(
                f,
                "signature: coefficient {coefficient} of polynomial {polynomial} of h is out of range"
            ),
            Error::ResponseRange { polynomial, coefficient } => write!(
                f,
                "signature: coefficient {coefficient} of polynomial {polynomial} of z is out of range"
            ),
            Error::Padding => f.write_str("signature: a padding bit is set"),
            Error::Norm => f.write_str("signature: the norm is too large"),
            Error::Mismatch => {
                f.write_str("signature: not made for this message by the holder of this key")
            }
            Error::Randomness => f.write_str("the random generator failed"),
            Error::Exhausted => f.write_str(
                "signing was rejected 64 times in a row: key damaged or random generator broken",
            ),
        }
    }
}

impl core::error::Error for Error {}

impl From<Error> for ::signature::Error {
    fn from(_: Error) -> Self {
        ::signature::Error::new()
    }
}
