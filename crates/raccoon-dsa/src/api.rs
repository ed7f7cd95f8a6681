//! The convenient calls, which make their own workspace, and the traits of the
//! [`signature`](::signature) crate.

use crate::error::Error;
use crate::key::{SigningKey, VerifyingKey};
use crate::keygen::{generate, refresh};
use crate::masking::{ChaCha8, Masks};
use crate::matrix::Streamed;
use crate::message::MessageHash;
use crate::params::{Level, ParameterSet, wipe};
use crate::sign::sign;
use crate::signature::Signature;
use crate::storage::Zeroed;
use crate::verify::verify;
use crate::workspace::{VerifyWorkspace, Workspace};
use ::signature::{
    Keypair, MultipartVerifier, RandomizedMultipartSignerMut, RandomizedSignerMut,
    SignatureEncoding, Verifier,
};
use rand_core::TryCryptoRng;

/// The workspace of the convenient calls.
type OwnWorkspace<L, const D: usize> = Workspace<L, D, Streamed<L>, ChaCha8>;

fn masks<L: ParameterSet<D>, const D: usize, R: TryCryptoRng + ?Sized>(
    rng: &mut R,
) -> Result<Masks<L, D>, Error> {
    Masks::from_rng(rng).map_err(|_| Error::Randomness)
}

impl<L: ParameterSet<D>, const D: usize> SigningKey<L, D> {
    /// Generates a key with a workspace and masks of its own, on the stack; see
    /// [`generate`](crate::generate) for the call that leaves both to the caller.
    ///
    /// # Errors
    /// [`Error::Randomness`].
    pub fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, Error> {
        let mut masks = masks(rng)?;
        let mut bytes = <L::SigningKeyBytes as Zeroed>::ZERO;
        generate(&mut bytes, rng, &mut masks, &mut OwnWorkspace::<L, D>::new())?;
        let key = Self::from_generated(&bytes);
        wipe(&mut bytes);
        Ok(key)
    }

    /// Signs a message hash with a workspace and masks of its own, on the stack; see
    /// [`sign`](crate::sign). The key is only read: follow with
    /// [`refresh`](Self::refresh), or sign through [`signature::RandomizedSignerMut`].
    ///
    /// # Errors
    /// [`Error::Randomness`], [`Error::Exhausted`].
    pub fn sign_hash<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        mu: &MessageHash<L>,
    ) -> Result<Signature<L>, Error> {
        let mut masks = masks(rng)?;
        let mut bytes = <L::SignatureBytes as Zeroed>::ZERO;
        let workspace = &mut OwnWorkspace::<L, D>::new();
        sign(&self.as_view(), mu, &mut bytes, rng, &mut masks, workspace)?;
        Ok(Signature::from_signed(bytes))
    }

    /// Replaces the sharing of the secret by a fresh one with new share keys; see
    /// [`refresh`](crate::refresh). Store [`as_bytes`](Self::as_bytes) afterwards.
    ///
    /// # Errors
    /// [`Error::Randomness`]; the old sharing then stands.
    pub fn refresh<R: TryCryptoRng + ?Sized>(&mut self, rng: &mut R) -> Result<(), Error> {
        let mut masks = masks(rng)?;
        refresh(self, rng, &mut masks, &mut OwnWorkspace::<L, D>::new())
    }
}

impl<L: Level> VerifyingKey<L> {
    /// Verifies a signature of a message hash with a workspace of its own, on the stack.
    ///
    /// # Errors
    /// [`Error::Mismatch`].
    pub fn verify_hash(&self, mu: &MessageHash<L>, signature: &Signature<L>) -> Result<(), Error> {
        verify(&self.as_view(), mu, signature.as_bytes(), &mut VerifyWorkspace::new())
    }
}

/// Signs, then refreshes the key: a masked key is not a static key.
impl<L: ParameterSet<D>, const D: usize> RandomizedMultipartSignerMut<Signature<L>>
    for SigningKey<L, D>
{
    fn try_multipart_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &mut self,
        rng: &mut R,
        parts: &[&[u8]],
    ) -> Result<Signature<L>, ::signature::Error> {
        let mut hasher = self.hasher();
        parts.iter().for_each(|part| hasher.update(part));
        let signature = self.sign_hash(rng, &hasher.finish())?;
        self.refresh(rng)?;
        Ok(signature)
    }
}

/// Signs, then refreshes the key: a masked key is not a static key.
impl<L: ParameterSet<D>, const D: usize> RandomizedSignerMut<Signature<L>> for SigningKey<L, D> {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &mut self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature<L>, ::signature::Error> {
        self.try_multipart_sign_with_rng(rng, &[message])
    }
}

impl<L: ParameterSet<D>, const D: usize> Keypair for SigningKey<L, D> {
    type VerifyingKey = VerifyingKey<L>;

    fn verifying_key(&self) -> VerifyingKey<L> {
        Self::verifying_key(self)
    }
}

impl<L: Level> MultipartVerifier<Signature<L>> for VerifyingKey<L> {
    fn multipart_verify(
        &self,
        parts: &[&[u8]],
        signature: &Signature<L>,
    ) -> Result<(), ::signature::Error> {
        let mut hasher = self.hasher();
        parts.iter().for_each(|part| hasher.update(part));
        Ok(self.verify_hash(&hasher.finish(), signature)?)
    }
}

impl<L: Level> Verifier<Signature<L>> for VerifyingKey<L> {
    fn verify(&self, message: &[u8], signature: &Signature<L>) -> Result<(), ::signature::Error> {
        self.multipart_verify(&[message], signature)
    }
}

impl<L: Level> SignatureEncoding for Signature<L> {
    type Repr = SignatureBytes<L>;
}

/// The bytes of a signature, as [`SignatureEncoding::to_bytes`] gives them.
#[derive(Clone)]
pub struct SignatureBytes<L: Level>(Signature<L>);

impl<L: Level> AsRef<[u8]> for SignatureBytes<L> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl<L: Level> From<Signature<L>> for SignatureBytes<L> {
    fn from(signature: Signature<L>) -> Self {
        Self(signature)
    }
}
