//! The set's first known answers, made and checked on the core.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Masks, ParameterSet, SigningKeyRef, VerifyWorkspace, Workspace, generate, sign, verify,
};
use raccoon_firmware::KnownAnswer;
use raccoon_firmware::config::{D, KNOWN_ANSWERS, Level, MaskGenerator, Matrix};
use raccoon_firmware::memory::Once;
use raccoon_kat::NistDrbg;
use semihosting::{println, process};
use sha2::{Digest, Sha256};

type SigningKeyBytes = <Level as ParameterSet<D>>::SigningKeyBytes;
type SignatureBytes = <Level as raccoon_dsa::Level>::SignatureBytes;

/// All the memory a check needs.
struct Memory {
    workspace: Workspace<Level, D, Matrix, MaskGenerator>,
    verify: VerifyWorkspace<Level>,
    key: SigningKeyBytes,
    signature: SignatureBytes,
}

static MEMORY: Once<Memory> = Once::new(Memory {
    workspace: Workspace::new(),
    verify: VerifyWorkspace::new(),
    key: SigningKeyBytes::ZERO,
    signature: SignatureBytes::ZERO,
});

#[entry]
fn main() -> ! {
    let memory = MEMORY.take();
    for (count, answer) in KNOWN_ANSWERS.iter().enumerate() {
        check(answer, memory);
        println!("known answer {count} ok");
    }
    process::exit(0)
}

fn check(answer: &KnownAnswer, memory: &mut Memory) {
    let Memory { workspace, verify: verify_workspace, key, signature } = memory;
    let mut rng = NistDrbg::new(&answer.seed);
    let mut masks = Masks::from_rng(&mut NistDrbg::new(&[0x5A; 48])).unwrap_or_else(|e| match e {});

    generate(key, &mut rng, &mut masks, workspace).expect("the generator never fails");
    let public = &key[..<Level as raccoon_dsa::Level>::VERIFYING_KEY_BYTES];
    assert_eq!(Sha256::digest(public)[..], answer.public, "public key");
    assert_eq!(Sha256::digest(&key[..])[..], answer.secret, "secret key");

    let view = SigningKeyRef::<Level, D>::from_bytes(key).expect("a key just made");
    let mu = view.hasher().chain(answer.message).finish();
    sign(&view, &mu, signature, &mut rng, &mut masks, workspace)
        .expect("the generator never fails");
    let signed = Sha256::new().chain_update(&signature[..]).chain_update(answer.message).finalize();
    assert_eq!(signed[..], answer.signed, "signature");
    verify(view.verifying_key(), &mu, signature, verify_workspace).expect("a signature just made");
}
