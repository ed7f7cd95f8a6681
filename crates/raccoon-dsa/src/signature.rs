//! Signatures.

use crate::encoding::decode_signature;
use crate::error::Error;
use crate::key::copied;
use crate::params::Level;
use core::fmt;

/// A signature in its encoding: challenge hash, hint, response, zero padding.
///
/// A value of this type is well-formed: it was made by signing or passed strict decoding.
#[derive(Clone, PartialEq, Eq)]
pub struct Signature<L: Level>(L::SignatureBytes);

impl<L: Level> Signature<L> {
    /// Decodes a signature strictly and copies it.
    ///
    /// # Errors
    /// As [`decode_signature`](crate::encoding::decode_signature).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        decode_signature::<L>(bytes, |_, _, _| ())?;
        Ok(Self(copied(bytes)))
    }

    /// Takes over what [`sign`](crate::sign) has just made.
    pub(crate) fn from_signed(bytes: L::SignatureBytes) -> Self {
        Self(bytes)
    }

    /// The encoded signature, `L::SIGNATURE_BYTES` bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl<L: Level> fmt::Debug for Signature<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature<{}>({:02x?}..)", L::NAME, &self.as_bytes()[..8])
    }
}

impl<L: Level> TryFrom<&[u8]> for Signature<L> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes)
    }
}

impl<L: Level> AsRef<[u8]> for Signature<L> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}
