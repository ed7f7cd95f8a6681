//! Keys, owned and borrowed.

use crate::encoding::{first_not_below, unpack};
use crate::error::{Encoding, Error, check_length};
use crate::message::MessageHasher;
use crate::params::{
    ByteArray, Level, ParameterSet, Q, Q_BITS, Q_T, S_BYTES, T_BITS, T_BYTES, wipe,
};
use crate::ring::Poly;
use crate::sampling::{sample_q, share_header};
use crate::storage::Zeroed;
use crate::xof::Shake256;
use core::fmt;
use zeroize::ZeroizeOnDrop;

/// tr = H(vk), which every message hash starts with.
fn hash_key<L: Level>(public: &[u8]) -> L::Digest {
    let mut hash = <L::Digest as Zeroed>::ZERO;
    let mut xof = Shake256::new();
    xof.absorb(public);
    xof.finish();
    xof.read(hash.as_mut());
    hash
}

/// The polynomials, `size` bytes each, packed one behind the other.
fn check_coefficients(
    packed: &[u8],
    size: usize,
    bits: u32,
    limit: u64,
    error: impl Fn(usize, usize) -> Error,
) -> Result<(), Error> {
    for (polynomial, bytes) in packed.chunks_exact(size).enumerate() {
        if let Some(coefficient) = first_not_below(bytes, bits, limit) {
            return Err(error(polynomial, coefficient));
        }
    }
    Ok(())
}

/// A public key that lies in memory somewhere, in flash for instance.
pub struct VerifyingKeyRef<'k, L: Level> {
    bytes: &'k [u8],
    hash: L::Digest,
}

impl<'k, L: Level> VerifyingKeyRef<'k, L> {
    /// Checks an encoded key.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::PublicCoefficient`] if a coefficient of t is 125 or
    /// more.
    pub fn from_bytes(bytes: &'k [u8]) -> Result<Self, Error> {
        check_length(Encoding::VerifyingKey, L::VERIFYING_KEY_BYTES, bytes)?;
        let packed = &bytes[L::KAPPA / 8..];
        check_coefficients(packed, T_BYTES, T_BITS, Q_T, |polynomial, coefficient| {
            Error::PublicCoefficient { polynomial, coefficient }
        })?;
        Ok(Self { bytes, hash: hash_key::<L>(bytes) })
    }

    /// The encoded key.
    pub fn as_bytes(&self) -> &'k [u8] {
        self.bytes
    }

    /// A hasher for a message to this key.
    pub fn hasher(&self) -> MessageHasher<L> {
        MessageHasher::new(&self.hash)
    }

    /// The seed of A.
    pub(crate) fn seed(&self) -> &'k [u8] {
        &self.bytes[..L::KAPPA / 8]
    }

    /// Hands `put` the coefficients of t_i.
    pub(crate) fn t(&self, i: usize, put: impl FnMut(usize, u64)) {
        let start = L::KAPPA / 8 + i * T_BYTES;
        unpack(&self.bytes[start..start + T_BYTES], T_BITS, put);
    }
}

/// A public key.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifyingKey<L: Level> {
    bytes: L::VerifyingKeyBytes,
    hash: L::Digest,
}

impl<L: Level> VerifyingKey<L> {
    /// Checks and copies an encoded key.
    ///
    /// # Errors
    /// As [`VerifyingKeyRef::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let hash = VerifyingKeyRef::<L>::from_bytes(bytes)?.hash;
        Ok(Self { bytes: copied(bytes), hash })
    }

    /// The encoded key, `L::VERIFYING_KEY_BYTES` bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The key, borrowed.
    pub fn as_view(&self) -> VerifyingKeyRef<'_, L> {
        VerifyingKeyRef { bytes: self.bytes.as_ref(), hash: self.hash }
    }

    /// A hasher for a message to this key.
    pub fn hasher(&self) -> MessageHasher<L> {
        MessageHasher::new(&self.hash)
    }
}

impl<L: Level> fmt::Debug for VerifyingKey<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey<{}>({:?})", L::NAME, self.hash)
    }
}

impl<L: Level> TryFrom<&[u8]> for VerifyingKey<L> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes)
    }
}

impl<L: Level> AsRef<[u8]> for VerifyingKey<L> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// A secret key that lies in memory somewhere, in flash for instance.
///
/// It is the encoding of specification 2.5.3: the public key; a key of kappa bits for
/// every share but the first, which expands to that share of s; share 0, in the NTT
/// domain. Shares are expanded one at a time, when they are needed.
pub struct SigningKeyRef<'k, L: Level, const D: usize> {
    public: VerifyingKeyRef<'k, L>,
    share_keys: &'k [u8],
    share0: &'k [u8],
}

impl<'k, L: ParameterSet<D>, const D: usize> SigningKeyRef<'k, L, D> {
    /// Checks an encoded key.
    ///
    /// # Errors
    /// As [`VerifyingKeyRef::from_bytes`], and [`Error::SecretCoefficient`] if a
    /// coefficient of share 0 is q or more. That the secret half belongs to the public half
    /// is not checked: signing with a key of which it is not true ends in
    /// [`Error::Exhausted`].
    pub fn from_bytes(bytes: &'k [u8]) -> Result<Self, Error> {
        check_length(Encoding::SigningKey, L::SIGNING_KEY_BYTES, bytes)?;
        let public = VerifyingKeyRef::from_bytes(&bytes[..L::VERIFYING_KEY_BYTES])?;
        let key = Self::of_parts(public, bytes);
        check_coefficients(key.share0, S_BYTES, Q_BITS, Q, |polynomial, coefficient| {
            Error::SecretCoefficient { polynomial, coefficient }
        })?;
        Ok(key)
    }

    /// The public half.
    pub fn verifying_key(&self) -> &VerifyingKeyRef<'k, L> {
        &self.public
    }

    /// A hasher for a message to be signed by this key.
    pub fn hasher(&self) -> MessageHasher<L> {
        self.public.hasher()
    }

    fn of_parts(public: VerifyingKeyRef<'k, L>, bytes: &'k [u8]) -> Self {
        let (_, share_keys, share0) = split::<L, D>(bytes);
        Self { public, share_keys, share0 }
    }

    /// Sets `share` to share `j` of s_m, in the NTT domain. Gives bound 2.
    #[inline(never)]
    pub(crate) fn expand_share(&self, m: usize, j: usize, share: &mut Poly) {
        if j == 0 {
            let packed = &self.share0[m * S_BYTES..(m + 1) * S_BYTES];
            unpack(packed, Q_BITS, |i, x| share.set(i, x as i64));
        } else {
            sample_q(share, share_header(m, j), share_key::<L>(self.share_keys, j));
        }
    }
}

/// The parts of an encoded secret key: public key, share keys, share 0.
fn split<L: ParameterSet<D>, const D: usize>(bytes: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let (public, secret) = bytes.split_at(L::VERIFYING_KEY_BYTES);
    let (share_keys, share0) = secret.split_at((D - 1) * L::KAPPA / 8);
    (public, share_keys, share0)
}

/// The same, to be written to.
pub(crate) fn split_mut<L: ParameterSet<D>, const D: usize>(
    bytes: &mut [u8],
) -> (&mut [u8], &mut [u8], &mut [u8]) {
    let (public, secret) = bytes.split_at_mut(L::VERIFYING_KEY_BYTES);
    let (share_keys, share0) = secret.split_at_mut((D - 1) * L::KAPPA / 8);
    (public, share_keys, share0)
}

/// The key of share `j` >= 1 among the share keys.
pub(crate) fn share_key<L: Level>(share_keys: &[u8], j: usize) -> &[u8] {
    let size = L::KAPPA / 8;
    &share_keys[(j - 1) * size..j * size]
}

/// A secret key with `D` shares. Wiped when dropped; its bytes are never printed.
///
/// A masked key is not a static key (specification 2.5.3): its sharing should be
/// replaced as it is used. [`signature::RandomizedSignerMut`] does so after every
/// signature; [`refresh`](Self::refresh) does it on its own. Store the new encoding.
pub struct SigningKey<L: ParameterSet<D>, const D: usize> {
    pub(crate) bytes: L::SigningKeyBytes,
    pub(crate) hash: L::Digest,
}

impl<L: ParameterSet<D>, const D: usize> SigningKey<L, D> {
    /// Checks and copies an encoded key.
    ///
    /// # Errors
    /// As [`SigningKeyRef::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let hash = SigningKeyRef::<L, D>::from_bytes(bytes)?.public.hash;
        Ok(Self { bytes: copied(bytes), hash })
    }

    /// Takes over bytes that key generation has just made.
    pub(crate) fn from_generated(bytes: &L::SigningKeyBytes) -> Self {
        let hash = hash_key::<L>(&bytes.as_ref()[..L::VERIFYING_KEY_BYTES]);
        Self { bytes: *bytes, hash }
    }

    /// The encoded key, `L::SIGNING_KEY_BYTES` bytes. They are secret.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The key, borrowed.
    pub fn as_view(&self) -> SigningKeyRef<'_, L, D> {
        let bytes = self.bytes.as_ref();
        let public = VerifyingKeyRef { bytes: &bytes[..L::VERIFYING_KEY_BYTES], hash: self.hash };
        SigningKeyRef::of_parts(public, bytes)
    }

    /// A copy of the public half.
    pub fn verifying_key(&self) -> VerifyingKey<L> {
        VerifyingKey { bytes: copied(split::<L, D>(self.as_bytes()).0), hash: self.hash }
    }

    /// A hasher for a message to be signed by this key.
    pub fn hasher(&self) -> MessageHasher<L> {
        MessageHasher::new(&self.hash)
    }
}

impl<L: ParameterSet<D>, const D: usize> Drop for SigningKey<L, D> {
    fn drop(&mut self) {
        wipe(&mut self.bytes);
    }
}

impl<L: ParameterSet<D>, const D: usize> ZeroizeOnDrop for SigningKey<L, D> {}

impl<L: ParameterSet<D>, const D: usize> fmt::Debug for SigningKey<L, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey<{}-{D}>(..)", L::NAME)
    }
}

impl<L: ParameterSet<D>, const D: usize> TryFrom<&[u8]> for SigningKey<L, D> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes)
    }
}

/// An array with the bytes of a slice of the same length.
pub(crate) fn copied<A: ByteArray>(bytes: &[u8]) -> A {
    let mut array = A::ZERO;
    array.as_mut().copy_from_slice(bytes);
    array
}
