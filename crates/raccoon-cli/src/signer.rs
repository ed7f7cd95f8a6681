//! The operations of a holder of a secret key, with the memory of a host.

use getrandom::SysRng;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Error, Masks, MessageHash, ParameterSet, SigningKey, SigningKeyRef, Stored, Workspace,
    generate, refresh, sign,
};
use zeroize::{Zeroize, Zeroizing};

/// Masks and a workspace for any number of operations.
pub struct Signer<L: ParameterSet<D>, const D: usize> {
    masks: Masks<L, D>,
    workspace: Box<Workspace<L, D, Stored<L>>>,
}

impl<L: ParameterSet<D>, const D: usize> Signer<L, D> {
    /// A signer with masks from the operating system.
    pub fn new() -> Result<Self, Error> {
        let masks = Masks::from_rng(&mut SysRng).map_err(|_| Error::Randomness)?;
        Ok(Self { masks, workspace: Box::default() })
    }

    /// A new secret key, which starts with its public key.
    pub fn generate(&mut self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut key = L::SigningKeyBytes::ZERO;
        let result = generate(&mut key, &mut SysRng, &mut self.masks, &mut self.workspace);
        let bytes = Zeroizing::new(key.as_ref().to_vec());
        key.as_mut().zeroize();
        result.map(|()| bytes)
    }

    /// A signature of a message hash.
    pub fn sign(
        &mut self,
        key: &SigningKeyRef<'_, L, D>,
        mu: &MessageHash<L>,
    ) -> Result<Vec<u8>, Error> {
        let mut signature = L::SignatureBytes::ZERO;
        sign(key, mu, &mut signature, &mut SysRng, &mut self.masks, &mut self.workspace)?;
        Ok(signature.as_ref().to_vec())
    }

    /// The same key with a fresh sharing of its secret, which for one share alone is
    /// the same encoding.
    pub fn refresh(&mut self, key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut key = SigningKey::<L, D>::from_bytes(key)?;
        refresh(&mut key, &mut SysRng, &mut self.masks, &mut self.workspace)?;
        Ok(Zeroizing::new(key.as_bytes().to_vec()))
    }
}
