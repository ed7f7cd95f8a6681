//! The vectors of a level.

mod builder;
#[path = "../../../tests/decoders/edit.rs"]
pub mod edit;
mod extremes;
pub mod format;
mod keys;
#[path = "../../../tests/decoders/model.rs"]
#[allow(dead_code, reason = "the tests of the decoders use the rest")]
pub mod model;
mod signatures;
mod signer;

use builder::Tests;
use extremes::{Extremes, Searched};
use format::{Group, VectorFile};
use raccoon_dsa::params::Level;
use raccoon_dsa::{Raccoon128, Raccoon192, Raccoon256, SigningKey};
use raccoon_kat::NistDrbg;

const NOTES: [&str; 10] = [
    "Malformed keys and signatures of one level of Raccoon. An implementation has to refuse every \
     invalid vector, for whatever reason, and to accept every valid one.",
    "Each group has a key pair, a message and a valid signature of it. A vector names one of them \
     in `what`; its `edits`, made in order, give the object to test against the other ones.",
    "what = verifyingKey: the key is decoded; if that succeeds, it must not verify the message \
     and signature of the group. signingKey: the key is decoded, and is valid if that succeeds. \
     message, signature: the signature of the message is verified.",
    "edit xor: the bits of `mask` are flipped, from byte `at` on.",
    "edit splice: the object is taken for a string of bits, bit i being bit i mod 8 (the lowest \
     is 0) of byte i / 8; from bit `bit` on `remove` bits are taken away and `insert` is put there \
     `repeat` times; then the string is cut, or filled with zeros, to the length it had.",
    "edit resize: the object is cut, or filled with zero bytes, to this number of bytes. \
     edit replace: another object takes its place.",
    "`reason` says what the strict decoder of this project finds first, reading from front to \
     back: the length, each coefficient of h, each of z, the padding; then the norm; then whether \
     the signature is one of this message by this key. `polynomial` and `coefficient` say where.",
    "A zero has no sign bit in this encoding, so there is no zero with the wrong sign: a one \
     behind a zero is the first bit of what follows. Vectors that insert such a sign show what \
     becomes of it.",
    "A signature may fill its bytes to the last bit; there is a valid vector for it. There is \
     none that ends inside h, as the longest h is shorter than a signature.",
    "Signatures of the second group come from a signer that knows the key but not the bounds: \
     they satisfy the equation of verification, so that only the check they are made for stands \
     in their way.",
];

const REASONS: [(&str, &str); 9] = [
    ("Length", "The object has the wrong number of bytes."),
    ("PublicCoefficient", "A coefficient of t is not below q_t = 125."),
    ("SecretCoefficient", "A coefficient of share 0 of s is not below q."),
    ("HintRange", "A coefficient of h is larger than B_inf / 2^nu_w, rounded."),
    ("ResponseRange", "A coefficient of z is larger than B_inf."),
    ("Truncated", "The bytes end before all coefficients do."),
    ("Padding", "A bit behind the last coefficient is set."),
    ("Norm", "The norm of (z, 2^nu_w h) is larger than B_2."),
    (
        "Mismatch",
        "The object is well-formed, but the signature is none of this message by this key.",
    ),
];

/// The files and their names.
pub fn vector_files() -> [(&'static str, VectorFile); 3] {
    [
        ("raccoon_128_negative.json", vector_file::<Raccoon128>()),
        ("raccoon_192_negative.json", vector_file::<Raccoon192>()),
        ("raccoon_256_negative.json", vector_file::<Raccoon256>()),
    ]
}

fn vector_file<L: Searched>() -> VectorFile {
    let test_groups = vec![edited_group::<L>(), extreme_group::<L>()];
    let mut file = VectorFile {
        algorithm: L::NAME.to_owned(),
        number_of_tests: test_groups.iter().map(|group| group.tests.len()).sum(),
        notes: NOTES.map(str::to_owned).to_vec(),
        reasons: REASONS.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
        test_groups,
    };
    let tests = file.test_groups.iter_mut().flat_map(|group| &mut group.tests);
    tests.zip(1..).for_each(|(test, id)| test.tc_id = id);
    file
}

/// Edits of an honest key pair and signature.
fn edited_group<L: Searched>() -> Group {
    let seed = seed::<L>("edited");
    let mut drbg = NistDrbg::new(&seed);
    let key = SigningKey::<L, 2>::generate(&mut drbg).expect("a generator that cannot fail");
    // A decoder that checks no more than the rest of the byte in which the encoding ends
    // checks no padding at all if nothing is left of that byte.
    let (message, signature) = (0..)
        .map(|i| {
            let message = format!("message {i}").into_bytes();
            let mu = key.hasher().chain(&message).finish();
            let signature = key.sign_hash(&mut drbg, &mu).expect("a signature");
            (message, signature.as_bytes().to_vec())
        })
        .find(|(_, signature)| model::signature::<L>(signature).is_ok_and(|it| it.end % 8 == 0))
        .expect("an encoding that ends with a byte");

    let mut tests = Tests::<L>::new(Group {
        comment: "An honest signature. Its encoding ends with a whole byte.".to_owned(),
        shares: 2,
        seed: seed.to_vec(),
        verifying_key: key.verifying_key().as_bytes().to_vec(),
        signing_key: key.as_bytes().to_vec(),
        message,
        signature,
        tests: Vec::new(),
    });
    tests.verifying_keys(&mut drbg);
    tests.signing_keys();
    tests.messages();
    tests.signature_lengths();
    tests.challenge_hashes();
    tests.hints();
    tests.responses();
    tests.zeros_with_a_sign();
    tests.streams_that_end_early();
    tests.padding();
    tests.norms();
    tests.group
}

/// Signatures at a bound and beyond it, which satisfy the equation of verification.
fn extreme_group<L: Searched>() -> Group {
    let seed = seed::<L>("extreme");
    let key = SigningKey::<L, 1>::generate(&mut NistDrbg::new(&seed));
    let key = key.expect("a generator that cannot fail");
    let message = b"a message".to_vec();
    let extremes = Extremes::new(&key, &message);

    let mut tests = Tests::<L>::new(Group {
        comment: "The first coefficients of h and z are at their bound. The encoding ends within \
                  a byte."
            .to_owned(),
        shares: 1,
        seed: seed.to_vec(),
        verifying_key: key.verifying_key().as_bytes().to_vec(),
        signing_key: Vec::new(),
        signature: extremes.at_bound(),
        message,
        tests: Vec::new(),
    });
    tests.extremes(&extremes);
    tests.padding();
    tests.group
}

/// What the objects of a group are made from: a sentence and zeros.
fn seed<L: Level>(group: &str) -> [u8; 48] {
    let sentence = format!("{} vectors, {group} group", L::NAME);
    let mut seed = [0; 48];
    seed[..sentence.len()].copy_from_slice(sentence.as_bytes());
    seed
}
