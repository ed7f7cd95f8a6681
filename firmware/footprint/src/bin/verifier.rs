//! Verification and nothing else, to see what it takes of flash.

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m::asm;
use cortex_m_rt::entry;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{VerifyWorkspace, VerifyingKeyRef};
use raccoon_footprint::config::Level;
use raccoon_footprint::memory::Once;

type VerifyingKeyBytes = <Level as raccoon_dsa::Level>::VerifyingKeyBytes;
type SignatureBytes = <Level as raccoon_dsa::Level>::SignatureBytes;

static WORKSPACE: Once<VerifyWorkspace<Level>> = Once::new(VerifyWorkspace::new());
static KEY: Once<VerifyingKeyBytes> = Once::new(VerifyingKeyBytes::ZERO);
static SIGNATURE: Once<SignatureBytes> = Once::new(SignatureBytes::ZERO);

#[entry]
fn main() -> ! {
    let (key, signature) = (black_box(KEY.take()), black_box(SIGNATURE.take()));
    let verified = VerifyingKeyRef::<Level>::from_bytes(key).and_then(|key| {
        let mu = key.hasher().chain(black_box(b"message")).finish();
        raccoon_dsa::verify(&key, &mu, signature, WORKSPACE.take())
    });
    black_box(verified.is_ok());
    loop {
        asm::wfi();
    }
}
