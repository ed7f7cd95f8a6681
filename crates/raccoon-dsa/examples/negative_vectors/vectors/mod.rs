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
use edit::apply;
use extremes::{Extremes, Searched};
use format::{Group, VectorFile};
use keys::set_public;
use raccoon_dsa::params::{Level, N, ParameterSet, Q_T, T_BITS};
use raccoon_dsa::{Raccoon128, Raccoon192, Raccoon256, SigningKey};
use raccoon_kat::NistDrbg;

const NOTES: [&str; 10] = [
    "Malformed keys and signatures of one level of Raccoon. An implementation has to refuse every \
     invalid vector, for whatever reason, and to accept every valid one.",
    "A group has a key pair, a message and a signature, which is valid unless the group says that \
     the key is malformed. A vector names one of them in `what`; its `edits`, made in order, give \
     the object to test with the other ones.",
    "what = verifyingKey: the key is decoded; if that succeeds, the message and signature \
     of the group are verified with it. signingKey: the key is decoded, and is valid if that succeeds. \
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
    "Some signatures come from a signer that knows the key but not the bounds: they satisfy the \
     equation of verification, so that only the check they are made for stands in their way.",
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
pub fn vector_files() -> [(&'static str, VectorFile); 6] {
    [
        ("raccoon_128_negative_keys.json", keys::<Raccoon128>()),
        ("raccoon_128_negative_signatures.json", signatures::<Raccoon128>()),
        ("raccoon_192_negative_keys.json", keys::<Raccoon192>()),
        ("raccoon_192_negative_signatures.json", signatures::<Raccoon192>()),
        ("raccoon_256_negative_keys.json", keys::<Raccoon256>()),
        ("raccoon_256_negative_signatures.json", signatures::<Raccoon256>()),
    ]
}

fn keys<L: Searched>() -> VectorFile {
    vector_file::<L>(vec![edited_keys::<L>(), signed_with_a_malformed_key::<L>()])
}

fn signatures<L: Searched>() -> VectorFile {
    vector_file::<L>(vec![edited_signatures::<L>(), extreme_signatures::<L>()])
}

fn vector_file<L: Level>(test_groups: Vec<Group>) -> VectorFile {
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

/// Edits of an honest key pair.
fn edited_keys<L: Searched>() -> Group {
    let seed = seed::<L>("edited keys");
    let mut drbg = NistDrbg::new(&seed);
    let key = generated::<L, 2>(&mut drbg);
    let message = b"a message".to_vec();
    let mu = key.hasher().chain(&message).finish();
    let signature = key.sign_hash(&mut drbg, &mu).expect("a signature");
    let mut tests = Tests::<L>::new(Group {
        comment: "An honest key pair and signature.".to_owned(),
        shares: 2,
        seed: seed.to_vec(),
        verifying_key: key.verifying_key().as_bytes().to_vec(),
        signing_key: key.as_bytes().to_vec(),
        message,
        signature: signature.as_bytes().to_vec(),
        tests: Vec::new(),
    });
    tests.verifying_keys(&mut drbg);
    tests.signing_keys();
    tests.group
}

/// A public key with 125 for a 0, which is nearly the same modulo q, and a signature made
/// for it.
fn signed_with_a_malformed_key<L: Searched>() -> Group {
    let seed = seed::<L>("malformed key");
    let key = generated::<L, 1>(&mut NistDrbg::new(&seed));
    let i = model::packed(key.as_bytes(), L::KAPPA, L::K * N, T_BITS)
        .iter()
        .position(|&t| t == 0)
        .expect("a coefficient of t that is zero");
    let secret = apply(&[set_public::<L>(i, Q_T)], key.as_bytes());
    let message = b"a message".to_vec();
    let mut tests = Tests::<L>::new(Group {
        comment: "A malformed public key: a coefficient of t is 125 in the place of 0. The \
                  signature is made for this key and satisfies the equation of verification."
            .to_owned(),
        shares: 1,
        seed: seed.to_vec(),
        verifying_key: secret[..L::VERIFYING_KEY_BYTES].to_vec(),
        signing_key: Vec::new(),
        signature: Extremes::<L>::new(&secret, &message).honest(),
        message,
        tests: Vec::new(),
    });
    tests.malformed_key(i);
    tests.group
}

/// Edits of an honest signature.
fn edited_signatures<L: Searched>() -> Group {
    let seed = seed::<L>("edited signatures");
    let mut drbg = NistDrbg::new(&seed);
    let key = generated::<L, 2>(&mut drbg);
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
        signing_key: Vec::new(),
        message,
        signature,
        tests: Vec::new(),
    });
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
fn extreme_signatures<L: Searched>() -> Group {
    let seed = seed::<L>("extreme signatures");
    let key = generated::<L, 1>(&mut NistDrbg::new(&seed));
    let message = b"a message".to_vec();
    let extremes = Extremes::new(key.as_bytes(), &message);
    let mut tests = Tests::<L>::new(Group {
        comment: "Signatures that satisfy the equation of verification. In this one the first \
                  coefficients of h and z are at their bound; it ends within a byte."
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

fn generated<L: ParameterSet<D>, const D: usize>(drbg: &mut NistDrbg) -> SigningKey<L, D> {
    SigningKey::generate(drbg).expect("a generator that cannot fail")
}

/// What the objects of a group are made from: a sentence and zeros.
fn seed<L: Level>(group: &str) -> [u8; 48] {
    let sentence = format!("{} vectors, {group}", L::NAME);
    let mut seed = [0; 48];
    seed[..sentence.len()].copy_from_slice(sentence.as_bytes());
    seed
}
