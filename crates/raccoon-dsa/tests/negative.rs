//! Malformed keys and signatures: the published vectors, and every single-bit change.

#[path = "../examples/negative_vectors/vectors/mod.rs"]
mod vectors;

use raccoon_dsa::params::{Level, ParameterSet};
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Error, Masks, MessageHash, Raccoon128, Raccoon192, Raccoon256, Signature, SigningKey,
    SigningKeyRef, Stored, VerifyWorkspace, VerifyingKey, VerifyingKeyRef, Workspace, sign, verify,
};
use raccoon_kat::NistDrbg;
use std::thread;
use vectors::edit::apply;
use vectors::format::{Group, Outcome, Refusal, Test, VectorFile, What};

const FILES: [&str; 6] = [
    include_str!("vectors/raccoon_128_negative_keys.json"),
    include_str!("vectors/raccoon_128_negative_signatures.json"),
    include_str!("vectors/raccoon_192_negative_keys.json"),
    include_str!("vectors/raccoon_192_negative_signatures.json"),
    include_str!("vectors/raccoon_256_negative_keys.json"),
    include_str!("vectors/raccoon_256_negative_signatures.json"),
];

/// What [`Signer`] signs.
const MESSAGE: &[u8] = b"message";

/// Verification with everything borrowed, and once more with everything owned.
fn verify_both<L: Level>(key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Error> {
    let borrowed = || {
        let key = VerifyingKeyRef::<L>::from_bytes(key)?;
        let mu = key.hasher().chain(message).finish();
        verify(&key, &mu, signature, &mut VerifyWorkspace::new())
    };
    let owned = || {
        let key = VerifyingKey::<L>::from_bytes(key)?;
        let mu = key.hasher().chain(message).finish();
        key.verify_hash(&mu, &Signature::from_bytes(signature)?)
    };
    let result = borrowed();
    assert_eq!(result, owned());
    result
}

fn decode_signing_key<L: ParameterSet<2>>(bytes: &[u8]) -> Result<(), Error> {
    let borrowed = SigningKeyRef::<L, 2>::from_bytes(bytes).map(|_| ());
    assert_eq!(borrowed, SigningKey::<L, 2>::from_bytes(bytes).map(|_| ()));
    borrowed
}

fn run<L: ParameterSet<2>>(group: &Group, test: &Test) -> Result<(), Error> {
    let object = apply(&test.edits, group.object(test.what));
    match test.what {
        What::VerifyingKey => verify_both::<L>(&object, &group.message, &group.signature),
        What::SigningKey => decode_signing_key::<L>(&object),
        What::Message => verify_both::<L>(&group.verifying_key, &object, &group.signature),
        What::Signature => verify_both::<L>(&group.verifying_key, &group.message, &object),
    }
}

fn check_file<L: ParameterSet<2>>(json: &str) {
    let file: VectorFile = serde_json::from_str(json).expect("a vector file");
    assert_eq!(file.algorithm, L::NAME);
    let mut ran = 0;
    for group in &file.test_groups {
        for test in &group.tests {
            let result = run::<L>(group, test);
            let name = format!("{} {}: {}", L::NAME, test.tc_id, test.comment);
            assert_eq!(result.is_ok(), test.result == Outcome::Valid, "{name}: {result:?}");
            assert_eq!(result.err().map(Refusal::from), test.refusal, "{name}");
            ran += 1;
        }
    }
    assert_eq!(ran, file.number_of_tests);
}

#[test]
fn vectors_128() {
    check_file::<Raccoon128>(FILES[0]);
    check_file::<Raccoon128>(FILES[1]);
}

#[test]
fn vectors_192() {
    check_file::<Raccoon192>(FILES[2]);
    check_file::<Raccoon192>(FILES[3]);
}

#[test]
fn vectors_256() {
    check_file::<Raccoon256>(FILES[4]);
    check_file::<Raccoon256>(FILES[5]);
}

/// The files are what the example writes.
#[test]
fn vectors_are_reproduced() {
    for ((name, file), published) in vectors::vector_files().iter().zip(FILES) {
        assert!(file.to_json() == published, "{name} differs from what the generator makes");
    }
}

/// A key, a message hash, and what it takes to sign it often.
struct Signer<L: ParameterSet<1>> {
    key: SigningKey<L, 1>,
    mu: MessageHash<L>,
    drbg: NistDrbg,
    masks: Masks<L, 1>,
    workspace: Box<Workspace<L, 1, Stored<L>>>,
}

impl<L: ParameterSet<1>> Signer<L> {
    fn new() -> Self {
        let mut drbg = NistDrbg::new(&[0xB1; 48]);
        let key = SigningKey::generate(&mut drbg).expect("a key");
        let mu = key.hasher().chain(MESSAGE).finish();
        let masks = Masks::from_rng(&mut drbg).expect("masks");
        Self { key, mu, drbg, masks, workspace: Box::new(Workspace::new()) }
    }

    fn sign(&mut self) -> L::SignatureBytes {
        let mut signature = L::SignatureBytes::ZERO;
        let (key, mu) = (self.key.as_view(), &self.mu);
        sign(&key, mu, &mut signature, &mut self.drbg, &mut self.masks, &mut self.workspace)
            .expect("a signature");
        signature
    }
}

/// Flips bits, one at a time, and hands out what comes of it.
fn flips(bytes: &mut [u8], bits: impl Iterator<Item = usize>, mut check: impl FnMut(&[u8], usize)) {
    for bit in bits {
        bytes[bit / 8] ^= 1 << (bit % 8);
        check(bytes, bit);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

/// Every bit: of the challenge hash, of h, of z, and of the padding.
#[test]
fn no_flipped_bit_of_a_signature_is_accepted() {
    let mut signer = Signer::<Raccoon128>::new();
    let signature = signer.sign();
    let (key, mu) = (signer.key.verifying_key(), signer.mu);
    let accepted = |signature: &[u8], workspace: &mut VerifyWorkspace<Raccoon128>| {
        verify(&key.as_view(), &mu, signature, workspace).is_ok()
    };
    assert!(accepted(&signature, &mut VerifyWorkspace::new()));

    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for first in 0..threads {
            let (mut signature, accepted) = (signature, &accepted);
            scope.spawn(move || {
                let mut workspace = Box::new(VerifyWorkspace::new());
                let bits = (first..8 * Raccoon128::SIGNATURE_BYTES).step_by(threads);
                flips(&mut signature, bits, |flipped, bit| {
                    assert!(!accepted(flipped, &mut workspace), "bit {bit}");
                });
            });
        }
    });
}

/// 500 signatures, each with each bit of its last byte flipped.
fn flip_last_bytes<L: ParameterSet<1>>() {
    let mut signer = Signer::<L>::new();
    let mut workspace = VerifyWorkspace::new();
    for _ in 0..500 {
        let mut signature = signer.sign();
        let key = signer.key.as_view();
        let last = 8 * L::SIGNATURE_BYTES - 8..8 * L::SIGNATURE_BYTES;
        flips(signature.as_mut(), last, |flipped, bit| {
            let result = verify(key.verifying_key(), &signer.mu, flipped, &mut workspace);
            assert_eq!(result, Err(Error::Padding), "bit {bit}");
        });
    }
}

#[test]
fn no_flipped_last_byte_is_accepted_128() {
    flip_last_bytes::<Raccoon128>();
}

#[test]
fn no_flipped_last_byte_is_accepted_192() {
    flip_last_bytes::<Raccoon192>();
}

#[test]
fn no_flipped_last_byte_is_accepted_256() {
    flip_last_bytes::<Raccoon256>();
}

/// Every bit of the seed, one in five of t: as a coefficient has seven bits, each of its
/// bits in turn.
#[test]
fn no_flipped_bit_of_a_public_key_is_accepted() {
    let mut signer = Signer::<Raccoon128>::new();
    let signature = signer.sign();
    let mut public = signer.key.verifying_key().as_bytes().to_vec();
    let mut workspace = VerifyWorkspace::new();
    let mut verify = |public: &[u8]| {
        let key = VerifyingKeyRef::<Raccoon128>::from_bytes(public)?;
        let mu = key.hasher().chain(MESSAGE).finish();
        verify(&key, &mu, &signature, &mut workspace)
    };
    assert_eq!(verify(&public), Ok(()));
    let seed = 0..Raccoon128::KAPPA;
    let t = (Raccoon128::KAPPA..8 * Raccoon128::VERIFYING_KEY_BYTES).step_by(5);
    flips(&mut public, seed.chain(t), |flipped, bit| {
        assert!(verify(flipped).is_err(), "bit {bit}");
    });
}
