//! Every decoder on malformed input, compared with the model of the encodings: what the
//! fuzz targets and the bounded run among the tests have in common.
//!
//! A target takes bytes as a *script* of changes to a valid object, so that a fuzzer gets
//! past the first checks. It says what the decoder found, and panics if that is wrong.

#[path = "edit.rs"]
pub mod edit;
#[path = "model.rs"]
#[allow(dead_code, reason = "the negative vectors use the rest")]
pub mod model;

use edit::{Edit, apply};
use model::Triple;
use raccoon_dsa::encoding::{Candidate, Rejected, SignatureWriter, decode_signature};
use raccoon_dsa::params::{Level, N, ParameterSet};
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Error, Raccoon128, Raccoon192, Raccoon256, Signature, SigningKey, SigningKeyRef,
    VerifyWorkspace, VerifyingKey, VerifyingKeyRef,
};
use raccoon_kat::NistDrbg;
use std::sync::LazyLock;

/// What a decoder found.
pub type Outcome = Result<(), Error>;

const MESSAGE: &[u8] = b"a message";

/// A script; past its end there are zeros.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Below `limit`, or zero.
    fn below(&mut self, limit: usize) -> usize {
        let number = u32::from_le_bytes([self.byte(), self.byte(), self.byte(), 0]);
        number as usize % limit.max(1)
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }

    fn element<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[usize::from(self.byte()) % of.len()]
    }

    /// A bit of an object; more often near its front or its end.
    fn bit(&mut self, bits: usize) -> usize {
        match self.byte() % 4 {
            0 => self.below(bits.min(1 << 12)),
            1 => bits.saturating_sub(1 + self.below(1 << 9)),
            _ => self.below(bits),
        }
    }

    fn edit(&mut self, object: &[u8]) -> Edit {
        let bits = 8 * object.len();
        match self.byte() % 5 {
            0 => {
                let bit = self.bit(bits);
                Edit::Xor { at: bit / 8, mask: vec![1 << (bit % 8)] }
            }
            1 => {
                let count = usize::from(self.byte());
                Edit::Xor { at: self.bit(bits) / 8, mask: self.bytes(count) }
            }
            2 => {
                let bit = self.bit(bits);
                let remove = usize::from(self.byte()).min(bits - bit);
                let insert = model::number_bits(self.byte().into(), u32::from(self.byte() % 9));
                Edit::Splice { bit, remove, insert, repeat: self.byte().into() }
            }
            3 => Edit::Resize(self.below(2 * object.len() + 2)),
            _ => {
                let count = self.below(object.len() + 1).min(self.0.len());
                Edit::Replace(self.bytes(count))
            }
        }
    }

    /// Changes an object until the script ends.
    fn edited(&mut self, object: &[u8]) -> Vec<u8> {
        let mut object = object.to_vec();
        while !self.0.is_empty() {
            let edit = self.edit(&object);
            object = apply(&[edit], &object);
        }
        object
    }

    /// Changes coefficients of a signature; leaves it as it is if it gets too long.
    fn reencoded<L: Level>(&mut self, signature: &[u8]) -> Vec<u8> {
        let changes = self.byte() % 4;
        if changes == 0 {
            return signature.to_vec();
        }
        let mut triple = model::signature::<L>(signature).expect("a valid signature").triple;
        for _ in 0..changes {
            if self.byte().is_multiple_of(2) {
                let h = self.coefficient(L::H_INF) as i32;
                self.range(&mut triple.hints).fill(h);
            } else {
                let z = self.coefficient(L::B_INF);
                self.range(&mut triple.responses).fill(z);
            }
        }
        triple.encode::<L>().unwrap_or_else(|| signature.to_vec())
    }

    /// A coefficient in or near its bounds.
    fn coefficient(&mut self, bound: u64) -> i64 {
        let bound = bound as i64;
        *self.element(&[0, 1, -1, bound / 2, bound, -bound, bound + 1, -bound - 1])
    }

    /// Up to 512 elements that follow each other, more often few.
    fn range<'t, T>(&mut self, of: &'t mut [T]) -> &'t mut [T] {
        let start = self.below(of.len());
        let count = (1 << (self.byte() % 10)).min(of.len() - start);
        &mut of[start..start + count]
    }
}

/// A valid object, and what is done with it once it is changed.
struct Target {
    object: Vec<u8>,
    check: fn(&[u8]) -> Outcome,
}

impl Target {
    fn verifying_key<L: ParameterSet<1>>() -> Self {
        let object = key::<L, 1>().verifying_key().as_bytes().to_vec();
        Target { object, check: check_verifying_key::<L> }
    }

    fn signing_key<L: ParameterSet<D>, const D: usize>() -> Self {
        Target { object: key::<L, D>().as_bytes().to_vec(), check: check_signing_key::<L, D> }
    }
}

fn key<L: ParameterSet<D>, const D: usize>() -> SigningKey<L, D> {
    SigningKey::generate(&mut NistDrbg::new(&[0xF0; 48])).expect("a generator that cannot fail")
}

/// A key and a signature.
struct Signed<L: Level> {
    key: VerifyingKey<L>,
    signature: Signature<L>,
}

impl<L: ParameterSet<1>> Signed<L> {
    fn new() -> Self {
        let key = key::<L, 1>();
        let mu = key.hasher().chain(MESSAGE).finish();
        let signature = key.sign_hash(&mut NistDrbg::new(&[0xF1; 48]), &mu).expect("a signature");
        Self { key: key.verifying_key(), signature }
    }
}

static SIGNED_128: LazyLock<Signed<Raccoon128>> = LazyLock::new(Signed::new);
static SIGNED_192: LazyLock<Signed<Raccoon192>> = LazyLock::new(Signed::new);
static SIGNED_256: LazyLock<Signed<Raccoon256>> = LazyLock::new(Signed::new);

static VERIFYING_KEYS: LazyLock<[Target; 3]> = LazyLock::new(|| {
    [
        Target::verifying_key::<Raccoon128>(),
        Target::verifying_key::<Raccoon192>(),
        Target::verifying_key::<Raccoon256>(),
    ]
});

static SIGNING_KEYS: LazyLock<[Target; 6]> = LazyLock::new(|| {
    [
        Target::signing_key::<Raccoon128, 1>(),
        Target::signing_key::<Raccoon128, 8>(),
        Target::signing_key::<Raccoon192, 2>(),
        Target::signing_key::<Raccoon192, 32>(),
        Target::signing_key::<Raccoon256, 4>(),
        Target::signing_key::<Raccoon256, 16>(),
    ]
});

/// The decoders of public keys.
pub fn verifying_key(script: &[u8]) -> Outcome {
    changed_target(&*VERIFYING_KEYS, script)
}

/// The decoders of secret keys.
pub fn signing_key(script: &[u8]) -> Outcome {
    changed_target(&*SIGNING_KEYS, script)
}

fn changed_target(targets: &[Target], script: &[u8]) -> Outcome {
    let mut script = Script(script);
    let target = script.element(targets);
    (target.check)(&script.edited(&target.object))
}

/// The decoders of signatures.
pub fn signature(script: &[u8]) -> Outcome {
    fn at<L: Level>(signed: &Signed<L>, mut script: Script<'_>) -> Outcome {
        let signature = script.reencoded::<L>(signed.signature.as_bytes());
        check_signature::<L>(&script.edited(&signature))
    }
    let mut script = Script(script);
    match script.byte() % 3 {
        0 => at(&SIGNED_128, script),
        1 => at(&SIGNED_192, script),
        _ => at(&SIGNED_256, script),
    }
}

/// Verification, with the key, the message or the signature changed.
pub fn verify(script: &[u8]) -> Outcome {
    fn at<L: Level>(signed: &Signed<L>, mut script: Script<'_>) -> Outcome {
        let (key, signature) = (signed.key.as_bytes(), signed.signature.as_bytes());
        match script.byte() % 4 {
            0 => check_verify(signed, &script.edited(key), MESSAGE, signature),
            1 => check_verify(signed, key, &script.edited(MESSAGE), signature),
            _ => {
                let signature = script.reencoded::<L>(signature);
                check_verify(signed, key, MESSAGE, &script.edited(&signature))
            }
        }
    }
    let mut script = Script(script);
    match script.byte() % 3 {
        0 => at(&SIGNED_128, script),
        1 => at(&SIGNED_192, script),
        _ => at(&SIGNED_256, script),
    }
}

fn check_verifying_key<L: Level>(bytes: &[u8]) -> Outcome {
    let expected = model::verifying_key::<L>(bytes);
    let borrowed = VerifyingKeyRef::<L>::from_bytes(bytes);
    assert_eq!(borrowed.map(|key| key.as_bytes().to_vec()), expected.map(|()| bytes.to_vec()));
    let owned = VerifyingKey::<L>::from_bytes(bytes);
    assert_eq!(owned.map(|key| key.as_bytes().to_vec()), expected.map(|()| bytes.to_vec()));
    expected
}

fn check_signing_key<L: ParameterSet<D>, const D: usize>(bytes: &[u8]) -> Outcome {
    let expected = model::signing_key::<L, D>(bytes);
    let borrowed = SigningKeyRef::<L, D>::from_bytes(bytes);
    let public = |()| bytes[..L::VERIFYING_KEY_BYTES].to_vec();
    assert_eq!(borrowed.map(|key| key.verifying_key().as_bytes().to_vec()), expected.map(public));
    let owned = SigningKey::<L, D>::from_bytes(bytes);
    assert!(owned.map(|key| key.as_bytes().to_vec()) == expected.map(|()| bytes.to_vec()));
    expected
}

fn check_signature<L: Level>(bytes: &[u8]) -> Outcome {
    let expected = model::signature::<L>(bytes);
    let outcome = expected.as_ref().map(|_| ()).map_err(|&error| error);
    let decoded = Signature::<L>::from_bytes(bytes);
    assert_eq!(decoded.map(|it| it.as_bytes().to_vec()), outcome.map(|()| bytes.to_vec()));
    assert_eq!(decode_signature::<L>(bytes, |_, _, _| ()).map(|_| ()), outcome);
    if let Ok(expected) = expected {
        let found = decode::<L>(bytes);
        assert_eq!(found.hints, expected.triple.hints);
        assert_eq!(found.responses, expected.triple.responses);
        // What is accepted is what would be written.
        let written = encode::<L>(&found).expect("a signature within all bounds");
        assert_eq!(written.as_ref(), bytes);
    }
    outcome
}

fn check_verify<L: Level>(
    signed: &Signed<L>,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Outcome {
    let unchanged =
        (key, message, signature) == (signed.key.as_bytes(), MESSAGE, signed.signature.as_bytes());
    let expected = model::verifying_key::<L>(key)
        .and_then(|()| model::signature::<L>(signature))
        .and(if unchanged { Ok(()) } else { Err(Error::Mismatch) });
    let verified = VerifyingKeyRef::<L>::from_bytes(key).and_then(|key| {
        let mu = key.hasher().chain(message).finish();
        raccoon_dsa::verify(&key, &mu, signature, &mut VerifyWorkspace::new())
    });
    assert_eq!(verified, expected);
    expected
}

/// What the crate reads from a signature that it accepts.
fn decode<L: Level>(signature: &[u8]) -> Triple {
    let mut responses = vec![0; L::ELL * N];
    let mut reader = decode_signature::<L>(signature, |polynomial, coefficient, z| {
        responses[polynomial * N + coefficient] = z;
    })
    .expect("a well-formed signature");
    let mut hint = || reader.hint(L::H_INF).unwrap_or_else(|_| panic!("a hint that was readable"));
    Triple {
        c_hash: signature[..L::KAPPA / 4].to_vec(),
        hints: (0..L::K * N).map(|_| hint()).collect(),
        responses,
    }
}

/// What the crate writes.
pub fn encode<L: Level>(triple: &Triple) -> Result<L::SignatureBytes, Rejected> {
    let mut candidate = Candidate::<L>::new();
    triple.hints.iter().try_for_each(|&h| candidate.hint(h))?;
    triple.responses.iter().try_for_each(|&z| candidate.response(z))?;
    candidate.check()?;

    let mut signature = L::SignatureBytes::ZERO;
    let mut c_hash = <L::Digest as Zeroed>::ZERO;
    c_hash.as_mut().copy_from_slice(&triple.c_hash);
    let mut rest = signature.as_mut();
    let mut writer = SignatureWriter::<L, _>::new(&c_hash, |piece: &[u8]| {
        let (now, later) = core::mem::take(&mut rest).split_at_mut(piece.len());
        now.copy_from_slice(piece);
        rest = later;
    });
    triple.hints.iter().for_each(|&h| writer.hint(h));
    triple.responses.iter().for_each(|&z| writer.response(z));
    writer.finish();
    Ok(signature)
}
