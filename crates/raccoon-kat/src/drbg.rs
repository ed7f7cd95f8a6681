//! AES-256 CTR_DRBG (NIST SP 800-90A) as the known-answer generator uses it: no
//! derivation function, no personalisation, no reseeding.

use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use core::convert::Infallible;
use rand_core::{TryCryptoRng, TryRng};

const BLOCK: usize = 16;

/// The generator behind the published vectors. It re-keys itself after every call, so
/// that one long call gives other bytes than several short ones.
///
/// It is a tool for known answers and no source of secrets.
pub struct NistDrbg {
    key: [u8; 32],
    counter: u128,
}

impl NistDrbg {
    /// The generator of 48 bytes of entropy.
    pub fn new(entropy: &[u8; 48]) -> Self {
        let mut drbg = Self { key: [0; 32], counter: 0 };
        drbg.update(entropy);
        drbg
    }

    fn cipher(&self) -> Aes256 {
        Aes256::new(&self.key.into())
    }

    fn next_block(&mut self, cipher: &Aes256) -> [u8; BLOCK] {
        self.counter = self.counter.wrapping_add(1);
        let mut block = self.counter.to_be_bytes().into();
        cipher.encrypt_block(&mut block);
        block.into()
    }

    fn update(&mut self, provided: &[u8; 48]) {
        let cipher = self.cipher();
        let mut state = *provided;
        for chunk in state.chunks_exact_mut(BLOCK) {
            for (byte, key) in chunk.iter_mut().zip(self.next_block(&cipher)) {
                *byte ^= key;
            }
        }
        let (key, counter) = state.split_at(32);
        self.key = key.try_into().expect("32 bytes");
        self.counter = u128::from_be_bytes(counter.try_into().expect("16 bytes"));
    }
}

impl TryRng for NistDrbg {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        let cipher = self.cipher();
        for chunk in bytes.chunks_mut(BLOCK) {
            let block = self.next_block(&cipher);
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
        self.update(&[0; 48]);
        Ok(())
    }
}

impl TryCryptoRng for NistDrbg {}
