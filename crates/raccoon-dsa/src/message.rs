//! The message hash mu = H(H(vk) || msg).

use crate::error::{Encoding, Error, check_length};
use crate::key::copied;
use crate::params::Level;
use crate::storage::Zeroed;
use crate::xof::Shake256;
use core::marker::PhantomData;

/// Hashes a message in parts of any size, in constant memory.
///
/// Made by `hasher()` of a key, as the hash binds the key to the message.
pub struct MessageHasher<L> {
    xof: Shake256,
    level: PhantomData<L>,
}

impl<L: Level> MessageHasher<L> {
    pub(crate) fn new(key_hash: &L::Digest) -> Self {
        let mut xof = Shake256::new();
        xof.absorb(key_hash.as_ref());
        Self { xof, level: PhantomData }
    }

    /// Hashes the next part of the message.
    pub fn update(&mut self, part: &[u8]) {
        self.xof.absorb(part);
    }

    /// The same, for chaining.
    #[must_use]
    pub fn chain(mut self, part: &[u8]) -> Self {
        self.update(part);
        self
    }

    /// The message hash.
    pub fn finish(mut self) -> MessageHash<L> {
        let mut mu = <L::Digest as Zeroed>::ZERO;
        self.xof.finish();
        self.xof.read(mu.as_mut());
        MessageHash(mu)
    }
}

/// A message hash mu, 2 kappa bits: what is really signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageHash<L: Level>(pub(crate) L::Digest);

impl<L: Level> MessageHash<L> {
    /// An external mu: one that was computed elsewhere, as SHAKE256(tr || msg) with
    /// tr = SHAKE256(public key), each 2 kappa bits long.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn from_bytes(mu: &[u8]) -> Result<Self, Error> {
        check_length(Encoding::MessageHash, L::KAPPA / 4, mu)?;
        Ok(Self(copied(mu)))
    }

    /// The bytes of mu.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }
}
