//! Key generation, signing and verification and nothing else, to see what they take of flash.
//!
//! There is no console, no known answer, and no real generator: a device has its own.

#![no_std]
#![no_main]

use core::convert::Infallible;
use core::hint::black_box;
use cortex_m::asm;
use cortex_m_rt::entry;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Masks, ParameterSet, SigningKeyRef, VerifyWorkspace, VerifyingKeyRef, Workspace,
};
use raccoon_footprint::config::{D, Level};
use raccoon_footprint::memory::Once;
use rand_core::{TryCryptoRng, TryRng};

type SigningKeyBytes = <Level as ParameterSet<D>>::SigningKeyBytes;
type SignatureBytes = <Level as raccoon_dsa::Level>::SignatureBytes;

static WORKSPACE: Once<Workspace<Level, D>> = Once::new(Workspace::new());
static VERIFY_WORKSPACE: Once<VerifyWorkspace<Level>> = Once::new(VerifyWorkspace::new());
static KEY: Once<SigningKeyBytes> = Once::new(SigningKeyBytes::ZERO);
static SIGNATURE: Once<SignatureBytes> = Once::new(SignatureBytes::ZERO);

/// Stands where a hardware generator is called. Its output is not random.
struct Entropy;

impl TryRng for Entropy {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(black_box(0))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(black_box(0))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(black_box(0));
        Ok(())
    }
}

impl TryCryptoRng for Entropy {}

#[entry]
fn main() -> ! {
    let (workspace, key, signature) = (WORKSPACE.take(), KEY.take(), SIGNATURE.take());
    let mut masks = Masks::from_rng(&mut Entropy).unwrap_or_else(|e| match e {});
    let made = raccoon_dsa::generate(key, &mut Entropy, &mut masks, workspace).is_ok();
    let signed = SigningKeyRef::<Level, D>::from_bytes(key).and_then(|key| {
        let mu = key.hasher().chain(black_box(b"message")).finish();
        raccoon_dsa::sign(&key, &mu, signature, &mut Entropy, &mut masks, workspace)
    });
    let public = &key[..<Level as raccoon_dsa::Level>::VERIFYING_KEY_BYTES];
    let verified = VerifyingKeyRef::<Level>::from_bytes(public).and_then(|key| {
        let mu = key.hasher().chain(black_box(b"message")).finish();
        raccoon_dsa::verify(&key, &mu, signature, VERIFY_WORKSPACE.take())
    });
    black_box((made, signed.is_ok(), verified.is_ok()));
    loop {
        asm::wfi();
    }
}
