//! All 18 response files of 100 vectors against the published hashes.

use raccoon_dsa::masking::MaskGenerator;
use raccoon_dsa::{ChaCha8, Lfsr127, ParameterSet, Raccoon128, Raccoon192, Raccoon256};
use raccoon_kat::{NistDrbg, write_responses};
use sha2::{Digest, Sha256};

/// Published with the specification (section 2.9): hash and name, which ends in the size
/// of the secret key.
const PUBLISHED: &str = include_str!("vectors/responses-100.sha256");

fn published(secret_key_bytes: usize) -> &'static str {
    let name = format!("PQCsignKAT_{secret_key_bytes}.rsp");
    let line = PUBLISHED.lines().find(|line| line.ends_with(&name));
    line.expect("a hash for every set").split_whitespace().next().expect("a hash")
}

fn check<L: ParameterSet<D>, const D: usize, G: MaskGenerator>() {
    let mut file = Vec::new();
    let mut mask_rng = NistDrbg::new(&[0x5A; 48]);
    write_responses::<L, D, G>(&mut file, 100, &mut mask_rng, |_| ()).expect("100 answers");
    let hash: String = Sha256::digest(&file).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, published(L::SIGNING_KEY_BYTES), "{}-{D}", L::NAME);
}

macro_rules! known_answers {
    ($($name:ident: $level:ident, $d:literal, $masks:ident;)*) => {
        $(#[test]
        fn $name() {
            check::<$level, $d, $masks>();
        })*
    };
}

// The masks do not change the answers; both generators take their turn.
known_answers! {
    raccoon_128_1: Raccoon128, 1, ChaCha8;
    raccoon_128_2: Raccoon128, 2, ChaCha8;
    raccoon_128_4: Raccoon128, 4, Lfsr127;
    raccoon_128_8: Raccoon128, 8, ChaCha8;
    raccoon_128_16: Raccoon128, 16, Lfsr127;
    raccoon_128_32: Raccoon128, 32, ChaCha8;
    raccoon_192_1: Raccoon192, 1, Lfsr127;
    raccoon_192_2: Raccoon192, 2, Lfsr127;
    raccoon_192_4: Raccoon192, 4, ChaCha8;
    raccoon_192_8: Raccoon192, 8, Lfsr127;
    raccoon_192_16: Raccoon192, 16, ChaCha8;
    raccoon_192_32: Raccoon192, 32, Lfsr127;
    raccoon_256_1: Raccoon256, 1, ChaCha8;
    raccoon_256_2: Raccoon256, 2, ChaCha8;
    raccoon_256_4: Raccoon256, 4, Lfsr127;
    raccoon_256_8: Raccoon256, 8, ChaCha8;
    raccoon_256_16: Raccoon256, 16, Lfsr127;
    raccoon_256_32: Raccoon256, 32, Lfsr127;
}
