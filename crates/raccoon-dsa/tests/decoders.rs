//! The decoders against the model of the encodings: a bounded run of the fuzz targets,
//! with the same scripts every time; and the longest signature.

#[path = "decoders/targets.rs"]
mod targets;

use raccoon_dsa::params::{Level, N, Z_LOW_BITS};
use raccoon_dsa::{Error, Raccoon128, Raccoon192, Raccoon256, Signature};
use raccoon_kat::NistDrbg;
use rand_core::Rng;
use std::collections::BTreeSet;
use targets::edit::{Edit, apply};
use targets::model::Triple;
use targets::{Outcome, encode};

/// The name of an outcome, without places and lengths.
fn kind(outcome: Outcome) -> String {
    let name = outcome.map_or_else(|error| format!("{error:?}"), |()| "Ok".to_owned());
    name.split_whitespace().next().expect("a name").to_owned()
}

/// Runs random scripts. They have to reach every kind of outcome that there is.
fn run(target: fn(&[u8]) -> Outcome, scripts: usize, kinds: &[&str]) {
    let mut drbg = NistDrbg::new(&[0xFD; 48]);
    let mut seen = BTreeSet::new();
    for _ in 0..scripts {
        let mut script = vec![0; drbg.next_u32() as usize % 48];
        drbg.fill_bytes(&mut script);
        seen.insert(kind(target(&script)));
    }
    assert_eq!(seen, kinds.iter().map(|&kind| kind.to_owned()).collect());
}

#[test]
fn verifying_keys() {
    run(targets::verifying_key, 4000, &["Ok", "Length", "PublicCoefficient"]);
}

#[test]
fn signing_keys() {
    let kinds = ["Ok", "Length", "PublicCoefficient", "SecretCoefficient"];
    run(targets::signing_key, 2000, &kinds);
}

#[test]
fn signatures() {
    let kinds = ["Ok", "Length", "HintRange", "ResponseRange", "Truncated", "Padding", "Norm"];
    run(targets::signature, 3000, &kinds);
}

#[test]
fn verification() {
    let kinds = [
        "Ok",
        "Length",
        "PublicCoefficient",
        "HintRange",
        "ResponseRange",
        "Truncated",
        "Padding",
        "Norm",
        "Mismatch",
    ];
    run(targets::verify, 2000, &kinds);
}

/// A signature that ends with coefficient `last` of z and with its last bit: with ones in
/// h, and 2^40 in z, as long as there is room for.
fn full_length<L: Level>(last: i64) -> Triple {
    let mut triple = Triple {
        c_hash: vec![0xC5; L::KAPPA / 4],
        hints: vec![0; L::K * N],
        // One bit more than zero has for the high part, one for the sign.
        responses: vec![1 << Z_LOW_BITS; L::ELL * N],
    };
    triple.responses[L::ELL * N - 1] = last;
    let room = 8 * L::SIGNATURE_BYTES - triple.bits().len();
    // Each one in h takes two bits more than a zero.
    assert_eq!(room % 2, 0);
    triple.hints[..room / 2].fill(1);
    triple
}

/// A signature may end with its last bit, and not one bit later.
fn fill_to_the_last_bit<L: Level>() {
    // The last bit is a sign, or the end of the ones.
    for last in [1 << Z_LOW_BITS, -1 << Z_LOW_BITS, 0] {
        let triple = full_length::<L>(last);
        let signature = encode::<L>(&triple).expect("a signature that just fits");
        assert_eq!(Some(signature.as_ref().to_vec()), triple.encode::<L>());
        assert!(Signature::<L>::from_bytes(signature.as_ref()).is_ok());
    }
    let mut long = full_length::<L>(1 << Z_LOW_BITS);
    long.responses[0] *= 2;
    assert!(encode::<L>(&long).is_err(), "one bit too long");
    let cut = &long.bits()[..8 * L::SIGNATURE_BYTES];
    let cut = Edit::Splice { bit: 0, remove: cut.len(), insert: cut.to_owned(), repeat: 1 };
    let cut = apply(&[cut], &vec![0; L::SIGNATURE_BYTES]);
    assert_eq!(Signature::<L>::from_bytes(&cut), Err(Error::Truncated));
}

#[test]
fn signatures_may_fill_their_bytes() {
    fill_to_the_last_bit::<Raccoon128>();
    fill_to_the_last_bit::<Raccoon192>();
    fill_to_the_last_bit::<Raccoon256>();
}
