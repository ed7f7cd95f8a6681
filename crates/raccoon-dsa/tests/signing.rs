//! Keys and signatures as a caller meets them: every set, every choice, every way to hand
//! in a message, and what happens when randomness fails.

use raccoon_dsa::masking::{MaskGenerator, Output, Sign};
use raccoon_dsa::params::{S_BYTES, W_BYTES};
use raccoon_dsa::ring::{Factor, PackedPoly, Poly};
use raccoon_dsa::sampling::expand_a;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    ChaCha8, Encoding, Error, Level, Lfsr127, Masks, Matrix, MessageHash, ParameterSet, Raccoon128,
    Raccoon192, Raccoon256, Signature, SigningKey, SigningKeyRef, Stored, Streamed,
    VerifyWorkspace, VerifyingKey, VerifyingKeyRef, Workspace, generate, refresh, sign, verify,
};
use raccoon_kat::NistDrbg;
use rand_core::{TryCryptoRng, TryRng};
use shake::digest::{ExtendableOutput, Update, XofReader};
use signature::{
    Keypair, MultipartVerifier, RandomizedMultipartSignerMut, RandomizedSignerMut,
    SignatureEncoding, Verifier,
};
use std::cell::Cell;
use std::sync::Mutex;
use zeroize::Zeroize;

const MESSAGE: &[u8] = b"the message that is signed";

/// The generator of a seed that is one byte, repeated.
fn drbg(seed: u8) -> NistDrbg {
    NistDrbg::new(&[seed; 48])
}

/// The masks and the workspace of one choice of matrix and mask generator.
struct Signer<L, const D: usize, M = Streamed<L>, G = ChaCha8>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    masks: Masks<L, D, G>,
    workspace: Box<Workspace<L, D, M, G>>,
}

impl<L, const D: usize, M, G> Signer<L, D, M, G>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    fn new(mask_seed: u8) -> Self {
        let Ok(masks) = Masks::from_rng(&mut drbg(mask_seed));
        Self { masks, workspace: Box::new(Workspace::new()) }
    }

    fn generate(&mut self, rng: &mut impl TryCryptoRng) -> Result<L::SigningKeyBytes, Error> {
        let mut secret = L::SigningKeyBytes::ZERO;
        self.generate_into(&mut secret, rng).map(|()| secret)
    }

    fn generate_into(
        &mut self,
        secret: &mut L::SigningKeyBytes,
        rng: &mut impl TryCryptoRng,
    ) -> Result<(), Error> {
        generate(secret, rng, &mut self.masks, &mut self.workspace)
    }

    fn sign(
        &mut self,
        key: &[u8],
        rng: &mut impl TryCryptoRng,
        message: &[u8],
    ) -> Result<L::SignatureBytes, Error> {
        let mut signature = L::SignatureBytes::ZERO;
        self.sign_into(&mut signature, key, rng, message).map(|()| signature)
    }

    fn sign_into(
        &mut self,
        signature: &mut L::SignatureBytes,
        key: &[u8],
        rng: &mut impl TryCryptoRng,
        message: &[u8],
    ) -> Result<(), Error> {
        let key = SigningKeyRef::<L, D>::from_bytes(key)?;
        let mu = key.hasher().chain(message).finish();
        sign(&key, &mu, signature, rng, &mut self.masks, &mut self.workspace)
    }

    fn refresh(
        &mut self,
        key: &mut SigningKey<L, D>,
        rng: &mut impl TryCryptoRng,
    ) -> Result<(), Error> {
        refresh(key, rng, &mut self.masks, &mut self.workspace)
    }
}

/// Verifies with the public key that an encoded secret key starts with.
fn verify_by<L: Level>(secret: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Error> {
    let public = VerifyingKeyRef::<L>::from_bytes(&secret[..L::VERIFYING_KEY_BYTES])?;
    let mu = public.hasher().chain(message).finish();
    verify(&public, &mu, signature, &mut Box::new(VerifyWorkspace::new()))
}

/// Runs a check at every set; one test a level.
macro_rules! at_every_set {
    ($($check:ident)*) => {
        $(mod $check {
            use super::*;
            at_every_set!(@ $check raccoon_128 Raccoon128);
            at_every_set!(@ $check raccoon_192 Raccoon192);
            at_every_set!(@ $check raccoon_256 Raccoon256);
        })*
    };
    (@ $check:ident $name:ident $level:ident) => {
        #[test]
        fn $name() {
            super::$check::<$level, 1>();
            super::$check::<$level, 2>();
            super::$check::<$level, 4>();
            super::$check::<$level, 8>();
            super::$check::<$level, 16>();
            super::$check::<$level, 32>();
        }
    };
}

at_every_set! { round_trips refreshing traits }

// ---- Every choice gives the same result.

/// A key and a signature; the masks come from another generator than the secrets.
fn key_and_signature<L, const D: usize, M, G>(
    mask_seed: u8,
) -> (L::SigningKeyBytes, L::SignatureBytes)
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    let mut rng = drbg(D as u8);
    let mut signer = Signer::<L, D, M, G>::new(mask_seed);
    let key = signer.generate(&mut rng).expect("a working generator");
    let signature = signer.sign(key.as_ref(), &mut rng, MESSAGE).expect("a working generator");
    (key, signature)
}

/// Neither the matrix store nor the mask generator nor the masks change a byte; what is
/// signed verifies, for this message alone.
fn round_trips<L: ParameterSet<D>, const D: usize>() {
    let made = key_and_signature::<L, D, Streamed<L>, ChaCha8>(1);
    let others = [
        key_and_signature::<L, D, Streamed<L>, ChaCha8>(2),
        key_and_signature::<L, D, Streamed<L>, Lfsr127>(3),
        key_and_signature::<L, D, Stored<L>, ChaCha8>(4),
        key_and_signature::<L, D, Stored<L>, Lfsr127>(5),
    ];
    for (choice, other) in others.iter().enumerate() {
        assert!(made == *other, "{}-{D}: choice {choice} gives other bytes", L::NAME);
    }
    let (key, signature) = made;
    let (key, signature) = (key.as_ref(), signature.as_ref());
    assert_eq!(verify_by::<L>(key, MESSAGE, signature), Ok(()));
    assert_eq!(verify_by::<L>(key, b"another message", signature), Err(Error::Mismatch));
    assert_eq!(verify_by::<L>(key, b"", signature), Err(Error::Mismatch));
}

#[test]
fn signatures_are_randomised() {
    let mut signer = Signer::<Raccoon128, 2>::new(1);
    let key = signer.generate(&mut drbg(1)).expect("a working generator");
    let rng = &mut drbg(2);
    let [first, second] = [(); 2].map(|()| signer.sign(&key, rng, MESSAGE).expect("a signature"));
    assert_ne!(first, second);
    assert_eq!(verify_by::<Raccoon128>(&key, MESSAGE, &first), Ok(()));
    assert_eq!(verify_by::<Raccoon128>(&key, MESSAGE, &second), Ok(()));
}

// ---- A verifier does not know the number of shares.

fn signed_by_key_of<L: ParameterSet<D>, const D: usize>() -> (VerifyingKey<L>, Signature<L>) {
    let mut rng = drbg(D as u8);
    let key = SigningKey::<L, D>::generate(&mut rng).expect("a working generator");
    let mu = key.hasher().chain(MESSAGE).finish();
    let signature = key.sign_hash(&mut rng, &mu).expect("a working generator");
    // As bytes from elsewhere: nothing but the level goes with them.
    let public = VerifyingKey::from_bytes(key.verifying_key().as_bytes()).expect("a key");
    (public, Signature::from_bytes(signature.as_bytes()).expect("a signature"))
}

fn keys_of_all_share_counts_verify_alike<L>()
where
    L: ParameterSet<1> + ParameterSet<2> + ParameterSet<4>,
    L: ParameterSet<8> + ParameterSet<16> + ParameterSet<32>,
{
    let signed: [(VerifyingKey<L>, Signature<L>); 6] = [
        signed_by_key_of::<L, 1>(),
        signed_by_key_of::<L, 2>(),
        signed_by_key_of::<L, 4>(),
        signed_by_key_of::<L, 8>(),
        signed_by_key_of::<L, 16>(),
        signed_by_key_of::<L, 32>(),
    ];
    for (i, (public, _)) in signed.iter().enumerate() {
        for (j, (_, signature)) in signed.iter().enumerate() {
            let mu = public.hasher().chain(MESSAGE).finish();
            let expected = if i == j { Ok(()) } else { Err(Error::Mismatch) };
            assert_eq!(public.verify_hash(&mu, signature), expected, "key {i}, signature {j}");
        }
    }
}

#[test]
fn verification_across_share_counts() {
    keys_of_all_share_counts_verify_alike::<Raccoon128>();
    keys_of_all_share_counts_verify_alike::<Raccoon192>();
    keys_of_all_share_counts_verify_alike::<Raccoon256>();
}

// ---- Refreshing.

/// The share keys, then share 0, in pieces that a refresh must all replace.
fn secret_pieces<L: ParameterSet<D>, const D: usize>(key: &[u8]) -> Vec<&[u8]> {
    let (share_keys, share0) = key[L::VERIFYING_KEY_BYTES..].split_at((D - 1) * L::KAPPA / 8);
    share_keys.chunks(L::KAPPA / 8).chain(share0.chunks(S_BYTES)).collect()
}

/// A refresh replaces every share and keeps the public key and the secret: the same
/// randomness gives the same signature before and after. The masks do not change it.
fn refreshing<L: ParameterSet<D>, const D: usize>() {
    let mut signer = Signer::<L, D>::new(1);
    let old = signer.generate(&mut drbg(1)).expect("a working generator");
    let signature = signer.sign(old.as_ref(), &mut drbg(2), MESSAGE);
    assert!(signature.is_ok());

    let mut key = SigningKey::<L, D>::from_bytes(old.as_ref()).expect("a generated key");
    signer.refresh(&mut key, &mut drbg(3)).expect("a working generator");
    let new = key.as_bytes();
    assert_eq!(new[..L::VERIFYING_KEY_BYTES], old.as_ref()[..L::VERIFYING_KEY_BYTES]);
    let pieces = secret_pieces::<L, D>(old.as_ref()).into_iter().zip(secret_pieces::<L, D>(new));
    for (old, new) in pieces {
        // One share is the secret itself, which there is only one encoding of.
        assert_eq!(old == new, D == 1);
    }
    assert!(signer.sign(new, &mut drbg(2), MESSAGE) == signature);

    let mut again = SigningKey::<L, D>::from_bytes(old.as_ref()).expect("a generated key");
    let mut other_masks = Signer::<L, D, Stored<L>, Lfsr127>::new(4);
    other_masks.refresh(&mut again, &mut drbg(3)).expect("a working generator");
    assert!(again.as_bytes() == new);
    other_masks.refresh(&mut again, &mut drbg(5)).expect("a working generator");
    assert_eq!(again.as_bytes() == new, D == 1);
    assert!(other_masks.sign(again.as_bytes(), &mut drbg(2), MESSAGE) == signature);
}

// ---- A message, in whatever form it comes.

/// SHAKE256 of the parts, one behind the other.
fn shake256<const BYTES: usize>(parts: &[&[u8]]) -> [u8; BYTES] {
    let mut hasher = shake::Shake256::default();
    parts.iter().for_each(|part| hasher.update(part));
    let mut output = [0; BYTES];
    hasher.finalize_xof().read(&mut output);
    output
}

#[test]
fn message_hashes() {
    let key = SigningKey::<Raccoon192, 2>::generate(&mut drbg(1)).expect("a working generator");
    let public = key.verifying_key();
    let message: Vec<u8> = (0..1000).map(|i| (i % 253) as u8).collect();

    // mu = H(H(vk) || msg), with hashes of 2 kappa bits.
    let key_hash = shake256::<48>(&[public.as_bytes()]);
    let expected = shake256::<48>(&[&key_hash, &message]);
    let external = MessageHash::<Raccoon192>::from_bytes(&expected).expect("48 bytes");
    assert_eq!(external.as_bytes(), expected);

    assert_eq!(key.hasher().chain(&message).finish(), external);
    assert_eq!(public.hasher().chain(&message).finish(), external);
    assert_eq!(key.as_view().hasher().chain(&message).finish(), external);
    assert_eq!(public.as_view().hasher().chain(&message).finish(), external);
    for size in [1, 7, 88, 135, 136, 137, 999] {
        let mut hasher = public.hasher();
        message.chunks(size).for_each(|part| hasher.update(part));
        hasher.update(b"");
        assert_eq!(hasher.finish(), external, "in parts of {size} bytes");
    }
    assert_ne!(public.hasher().chain(&message[1..]).finish(), external);

    for wrong in [0, 32, 47, 49, 64] {
        let refused = MessageHash::<Raccoon192>::from_bytes(&vec![0; wrong]);
        let encoding = Encoding::MessageHash;
        assert_eq!(refused, Err(Error::Length { encoding, expected: 48, found: wrong }));
    }
}

#[test]
fn messages_whole_in_parts_streamed_and_hashed() {
    let mut rng = drbg(1);
    let mut key = SigningKey::<Raccoon128, 4>::generate(&mut rng).expect("a working generator");
    let public = key.verifying_key();
    let parts: [&[u8]; 4] = [b"a message ", b"", b"in three", b" parts"];
    let whole = parts.concat();
    let key_hash = shake256::<32>(&[public.as_bytes()]);
    let mu = shake256::<32>(&[&key_hash, &whole]);
    let mu = MessageHash::from_bytes(&mu).expect("32 bytes");

    let of_whole = key.try_sign_with_rng(&mut rng, &whole).expect("a signature");
    let of_parts = key.try_multipart_sign_with_rng(&mut rng, &parts).expect("a signature");
    let of_mu = key.sign_hash(&mut rng, &mu).expect("a signature");
    for signature in [of_whole, of_parts, of_mu] {
        assert!(public.verify(&whole, &signature).is_ok());
        assert!(public.multipart_verify(&parts, &signature).is_ok());
        assert_eq!(public.verify_hash(&mu, &signature), Ok(()));
        assert!(public.multipart_verify(&parts[1..], &signature).is_err());
    }
}

// ---- The traits of the `signature` crate.

/// What code sees that knows the traits alone: a signature of the message, its encoding,
/// and the key that verifies it.
fn sign_through_traits<S, K>(key: &mut K, rng: &mut impl TryCryptoRng) -> (K::VerifyingKey, S)
where
    S: SignatureEncoding,
    K: RandomizedSignerMut<S> + Keypair,
    K::VerifyingKey: Verifier<S>,
{
    let signature = key.try_sign_with_rng(rng, MESSAGE).expect("a working generator");
    let encoded = signature.to_bytes();
    assert_eq!(encoded.as_ref().len(), signature.encoded_len());
    let Ok(decoded) = S::try_from(encoded.as_ref()) else { panic!("the encoding of a signature") };
    let public = key.verifying_key();
    assert!(public.verify(MESSAGE, &signature).is_ok());
    assert!(public.verify(MESSAGE, &decoded).is_ok());
    assert!(public.verify(b"another message", &decoded).is_err());
    (public, decoded)
}

/// Signing through the traits makes a signature of the level, and refreshes the key.
fn traits<L: ParameterSet<D>, const D: usize>() {
    let mut rng = drbg(1);
    let mut key = SigningKey::<L, D>::generate(&mut rng).expect("a working generator");
    let before = key.as_bytes().to_vec();
    let (public, signature) = sign_through_traits::<Signature<L>, _>(&mut key, &mut rng);
    assert_eq!(signature.as_bytes().len(), L::SIGNATURE_BYTES);
    assert_eq!(public.as_bytes(), &before[..L::VERIFYING_KEY_BYTES]);
    assert_eq!(public.as_bytes(), &key.as_bytes()[..L::VERIFYING_KEY_BYTES]);
    assert_eq!(key.as_bytes() == before, D == 1);
    // The refreshed key signs on.
    sign_through_traits::<Signature<L>, _>(&mut key, &mut rng);
}

// ---- Generators that fail or are stuck.

/// Works for a number of calls, then fails half-way through every one.
struct FailingAfter {
    calls: usize,
    source: NistDrbg,
}

impl FailingAfter {
    fn new(calls: usize) -> Self {
        Self { calls, source: drbg(9) }
    }
}

#[derive(Debug)]
struct NoEntropy;

impl std::fmt::Display for NoEntropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no entropy")
    }
}

impl std::error::Error for NoEntropy {}

impl TryRng for FailingAfter {
    type Error = NoEntropy;

    fn try_next_u32(&mut self) -> Result<u32, NoEntropy> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, NoEntropy> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), NoEntropy> {
        let works = self.calls > 0;
        self.calls = self.calls.saturating_sub(1);
        let filled = if works { bytes.len() } else { bytes.len() / 2 };
        let Ok(()) = self.source.try_fill_bytes(&mut bytes[..filled]);
        if works { Ok(()) } else { Err(NoEntropy) }
    }
}

impl TryCryptoRng for FailingAfter {}

/// The noise seeds of l + k masked polynomials: the calls of one attempt to sign.
const fn noise_calls<L: ParameterSet<D>, const D: usize>() -> usize {
    L::REP * D * (L::ELL + L::K)
}

#[test]
fn key_generation_with_a_failing_generator() {
    type L = Raccoon128;
    const BYTES: usize = <L as ParameterSet<4>>::SIGNING_KEY_BYTES;
    let mut signer = Signer::<L, 4>::new(1);
    // The seed of A, the noise seeds, the share keys.
    let needed = 1 + noise_calls::<L, 4>() + 3;
    for calls in 0..needed {
        let mut secret = [0xEE; BYTES];
        let result = signer.generate_into(&mut secret, &mut FailingAfter::new(calls));
        assert_eq!(result, Err(Error::Randomness), "after {calls} calls");
        assert!(secret == [0; BYTES], "after {calls} calls");
    }
    assert!(signer.generate(&mut FailingAfter::new(needed)).is_ok());
}

#[test]
fn signing_with_a_failing_generator() {
    type L = Raccoon128;
    let mut signer = Signer::<L, 4>::new(1);
    let key = signer.generate(&mut drbg(1)).expect("a working generator");
    let needed = noise_calls::<L, 4>();
    for calls in 0..needed {
        let mut signature = [0xEE; L::SIGNATURE_BYTES];
        let mut rng = FailingAfter::new(calls);
        let result = signer.sign_into(&mut signature, &key, &mut rng, MESSAGE);
        assert_eq!(result, Err(Error::Randomness), "after {calls} calls");
        assert!(signature == [0; L::SIGNATURE_BYTES], "after {calls} calls");
    }
    assert!(signer.sign(&key, &mut FailingAfter::new(needed), MESSAGE).is_ok());
}

#[test]
fn refreshing_with_a_failing_generator() {
    let mut signer = Signer::<Raccoon256, 8>::new(1);
    let mut key = SigningKey::<Raccoon256, 8>::generate(&mut drbg(1)).expect("a generator");
    let before = key.as_bytes().to_vec();
    for calls in 0..7 {
        let result = signer.refresh(&mut key, &mut FailingAfter::new(calls));
        assert_eq!(result, Err(Error::Randomness), "after {calls} calls");
        assert!(key.as_bytes() == before, "after {calls} calls");
    }
    assert_eq!(signer.refresh(&mut key, &mut FailingAfter::new(7)), Ok(()));
    assert!(key.as_bytes() != before);
}

/// The convenient calls draw the seeds of their masks too.
#[test]
fn convenient_calls_with_a_failing_generator() {
    type Key = SigningKey<Raccoon128, 4>;
    let pairs = 3;
    let noise = noise_calls::<Raccoon128, 4>();
    let failing = FailingAfter::new;
    let mut key = Key::generate(&mut drbg(1)).expect("a working generator");
    let before = key.as_bytes().to_vec();
    let mu = key.hasher().chain(MESSAGE).finish();

    for calls in 0..pairs + 1 + noise + pairs {
        assert_eq!(Key::generate(&mut failing(calls)).err(), Some(Error::Randomness));
    }
    for calls in 0..pairs + noise {
        assert_eq!(key.sign_hash(&mut failing(calls), &mu).err(), Some(Error::Randomness));
    }
    for calls in 0..2 * pairs {
        assert_eq!(key.refresh(&mut failing(calls)), Err(Error::Randomness));
    }
    let needed = pairs + noise + 2 * pairs;
    for calls in 0..needed {
        assert!(key.try_sign_with_rng(&mut failing(calls), MESSAGE).is_err());
    }
    assert!(key.as_bytes() == before);
    assert!(key.try_sign_with_rng(&mut failing(needed), MESSAGE).is_ok());
    assert!(key.as_bytes() != before);
}

/// Gives the same byte for ever.
struct Stuck(u8);

impl TryRng for Stuck {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(u32::from_le_bytes([self.0; 4]))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(u64::from_le_bytes([self.0; 8]))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(self.0);
        Ok(())
    }
}

impl TryCryptoRng for Stuck {}

/// Nothing loops until a generator gives something else; what is signed is valid.
fn check_stuck_generator<G: MaskGenerator>(byte: u8) {
    type L = Raccoon128;
    let Ok(masks) = Masks::<L, 4, G>::from_rng(&mut Stuck(byte));
    let workspace = Box::new(Workspace::new());
    let mut signer = Signer::<L, 4, Streamed<L>, G> { masks, workspace };
    let key = signer.generate(&mut Stuck(byte)).expect("a generator that does not fail");
    match signer.sign(&key, &mut Stuck(byte), MESSAGE) {
        Ok(signature) => assert_eq!(verify_by::<L>(&key, MESSAGE, &signature), Ok(())),
        Err(error) => assert_eq!(error, Error::Exhausted),
    }
    let mut key = SigningKey::<L, 4>::from_bytes(&key).expect("a generated key");
    assert_eq!(signer.refresh(&mut key, &mut Stuck(byte)), Ok(()));
}

#[test]
fn stuck_generators() {
    for byte in [0, 0x55, 0xFF] {
        check_stuck_generator::<ChaCha8>(byte);
        check_stuck_generator::<Lfsr127>(byte);
    }
}

/// The public half of one key with the secret half of another: no hint is ever in bounds.
#[test]
fn signing_gives_up_after_too_many_rejections() {
    type L = Raccoon128;
    let mut signer = Signer::<L, 1>::new(1);
    let mut key = signer.generate(&mut drbg(1)).expect("a working generator");
    let other = signer.generate(&mut drbg(2)).expect("a working generator");
    key[L::VERIFYING_KEY_BYTES..].copy_from_slice(&other[L::VERIFYING_KEY_BYTES..]);

    let mut signature = [0xEE; L::SIGNATURE_BYTES];
    let result = signer.sign_into(&mut signature, &key, &mut drbg(3), MESSAGE);
    assert_eq!(result, Err(Error::Exhausted));
    assert!(signature == [0; L::SIGNATURE_BYTES]);
}

// ---- The workspace.

/// Takes no room in a workspace: its rows are never freed, which a short test affords.
struct Elsewhere;

impl Zeroed for Elsewhere {
    const ZERO: Self = Elsewhere;
}

impl<L: Level> Matrix<L> for Elsewhere {
    const NAME: &'static str = "elsewhere";

    type Entry = Poly;

    fn prepare(&mut self, _: &[u8]) {}

    fn mul_row_add(
        &mut self,
        i: usize,
        seed: &[u8],
        x: &[PackedPoly],
        sum: &mut Poly,
        _: &mut Poly,
        _: bool,
    ) -> &[Poly] {
        let entry = |column| {
            let mut entry = Poly::ZERO;
            expand_a(&mut entry, i, column, seed);
            entry
        };
        let row = (0..L::ELL).map(entry).collect::<Vec<_>>().leak();
        for (entry, x) in row.iter().zip(x) {
            x.mul_add_to(entry, sum);
        }
        row
    }
}

/// Bytes of a workspace without its matrix: the packed polynomials x; share, scratch, sum;
/// the rounded commitment; the noise seeds; the cursors of all zero encodings and of the
/// compression.
const fn workspace_bytes<L: ParameterSet<D>, const D: usize, G: MaskGenerator>() -> usize {
    let polynomials = L::ELL * size_of::<PackedPoly>() + 3 * size_of::<Poly>();
    let seeds = L::REP * D * L::KAPPA / 8;
    let cursors = (L::REP + 2) * (D - 1) * size_of::<G::Cursor>();
    polynomials + L::K * W_BYTES + seeds + cursors
}

fn is_zero<L, const D: usize, M, G>(workspace: &Workspace<L, D, M, G>) -> bool
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    let start = core::ptr::from_ref(workspace).cast::<u8>();
    // SAFETY: the callers have checked that the workspace has no bytes but those of its
    // fields, which are integers and thus initialised; the reference keeps them alive.
    #[allow(unsafe_code, reason = "the only way to see all memory of a workspace")]
    let bytes = unsafe { core::slice::from_raw_parts(start, size_of_val(workspace)) };
    bytes.iter().all(|&byte| byte == 0)
}

fn check_wiping<G: MaskGenerator>() {
    type L = Raccoon128;
    assert_eq!(Workspace::<L, 4, Elsewhere, G>::SIZE, workspace_bytes::<L, 4, G>());
    let mut signer = Signer::<L, 4, Elsewhere, G>::new(1);
    assert!(is_zero(&signer.workspace));

    let key = signer.generate(&mut drbg(1)).expect("a working generator");
    assert!(is_zero(&signer.workspace), "after key generation");
    signer.sign(&key, &mut drbg(2), MESSAGE).expect("a working generator");
    assert!(is_zero(&signer.workspace), "after signing");
    let mut key = SigningKey::<L, 4>::from_bytes(&key).expect("a generated key");
    signer.refresh(&mut key, &mut drbg(3)).expect("a working generator");
    assert!(is_zero(&signer.workspace), "after a refresh");

    for calls in [1, 40, 75] {
        assert!(signer.generate(&mut FailingAfter::new(calls)).is_err());
        assert!(is_zero(&signer.workspace), "after {calls} calls in key generation");
    }
    for calls in [1, 40, 71] {
        assert!(signer.sign(key.as_bytes(), &mut FailingAfter::new(calls), MESSAGE).is_err());
        assert!(is_zero(&signer.workspace), "after {calls} calls in signing");
    }
}

#[test]
fn workspaces_are_wiped() {
    check_wiping::<ChaCha8>();
    check_wiping::<Lfsr127>();

    // What stays in a streamed workspace is the public matrix: the check sees that.
    let mut signer = Signer::<Raccoon128, 4>::new(1);
    let matrix = <Raccoon128 as Level>::ELL * size_of::<PackedPoly>();
    assert_eq!(
        Workspace::<Raccoon128, 4>::SIZE,
        matrix + workspace_bytes::<Raccoon128, 4, ChaCha8>()
    );
    assert!(signer.generate(&mut drbg(1)).is_ok());
    assert!(!is_zero(&signer.workspace));
}

/// A workspace grows with the number of shares by the noise seeds and 2 KiB at most.
fn check_workspace_growth<L: ParameterSet<1> + ParameterSet<32>, M: Matrix<L>>() {
    let seeds = |rep, shares| rep * shares * L::KAPPA / 8;
    let few = seeds(<L as ParameterSet<1>>::REP, 1);
    let many = seeds(<L as ParameterSet<32>>::REP, 32);
    let growth = Workspace::<L, 32, M>::SIZE - Workspace::<L, 1, M>::SIZE;
    assert!((many - few..=many - few + 2048).contains(&growth), "{}: {growth}", L::NAME);
}

#[test]
fn workspaces_do_not_grow_with_the_shares() {
    check_workspace_growth::<Raccoon128, Streamed<_>>();
    check_workspace_growth::<Raccoon192, Streamed<_>>();
    check_workspace_growth::<Raccoon256, Streamed<_>>();
    check_workspace_growth::<Raccoon128, Stored<_>>();
    check_workspace_growth::<Raccoon192, Stored<_>>();
    check_workspace_growth::<Raccoon256, Stored<_>>();
}

/// Workspaces are constants, so that a device can place them where it likes.
#[test]
fn workspaces_in_statics() {
    type L = Raccoon128;
    static SIGNING: Mutex<Workspace<L, 8>> = Mutex::new(Workspace::new());
    static VERIFYING: Mutex<VerifyWorkspace<L>> = Mutex::new(VerifyWorkspace::new());

    let workspace = &mut *SIGNING.lock().expect("no other user");
    let Ok(mut masks) = Masks::from_rng(&mut drbg(1));
    let mut key = [0; <L as ParameterSet<8>>::SIGNING_KEY_BYTES];
    assert_eq!(generate(&mut key, &mut drbg(2), &mut masks, workspace), Ok(()));
    let key = SigningKeyRef::<L, 8>::from_bytes(&key).expect("a generated key");
    let mu = key.hasher().chain(MESSAGE).finish();
    let mut signature = [0; L::SIGNATURE_BYTES];
    assert_eq!(sign(&key, &mu, &mut signature, &mut drbg(3), &mut masks, workspace), Ok(()));

    // One workspace serves one verification after the other.
    let workspace = &mut *VERIFYING.lock().expect("no other user");
    let other = key.hasher().finish();
    assert_eq!(verify(key.verifying_key(), &mu, &signature, workspace), Ok(()));
    assert_eq!(verify(key.verifying_key(), &other, &signature, workspace), Err(Error::Mismatch));
    assert_eq!(verify(key.verifying_key(), &mu, &signature, workspace), Ok(()));
}

/// A generator whose masks are all zero, and are counted.
struct Counting;

thread_local! {
    static DRAWN: Cell<usize> = const { Cell::new(0) };
}

impl Zeroed for Counting {
    const ZERO: Self = Counting;
}

impl Zeroize for Counting {
    fn zeroize(&mut self) {}
}

impl MaskGenerator for Counting {
    type Cursor = u8;

    const SEED_BYTES: usize = 1;

    fn from_seed(_: &[u8]) -> (Self, [u8; 2]) {
        (Counting, [0; 2])
    }

    fn uniform(&self, _: &mut u8, _: Sign, output: Output<'_, Poly>) {
        DRAWN.set(DRAWN.get() + 1);
        match output {
            Output::Set(out) => out.clear(),
            Output::Add(_) | Output::AddSum { z: None, .. } => {}
            Output::AddSum { z: Some(z), x } => x.add(z),
        }
    }
}

/// The masks that an operation draws.
fn drawn(operation: impl FnOnce()) -> usize {
    let before = DRAWN.get();
    operation();
    DRAWN.get() - before
}

/// The gadgets are probed one by one elsewhere; here every operation is held to using each
/// of them as often as its algorithm does.
fn count_masks<L: ParameterSet<D>, const D: usize>() {
    let mut signer = Signer::<L, D, Streamed<L>, Counting>::new(1);
    let mut rng = drbg(2);
    let mut secret = L::SigningKeyBytes::ZERO;
    let generating = drawn(|| signer.generate_into(&mut secret, &mut rng).expect("a key"));
    let mut key = SigningKey::<L, D>::from_bytes(secret.as_ref()).expect("a key");
    let mu = key.hasher().chain(MESSAGE).finish();
    let Signer { masks, workspace } = &mut signer;
    let mut signature = L::SignatureBytes::ZERO;
    let signing = drawn(|| {
        sign(&key.as_view(), &mu, &mut signature, &mut rng, masks, workspace).expect("a signature")
    });
    let refreshing = drawn(|| refresh(&mut key, &mut rng, masks, workspace).expect("a key"));

    // A zero encoding draws each of d/2 log2(d) masks twice, for the two shares they meet.
    let encoding = D * D.ilog2() as usize;
    let compressed = D - 1;
    // ZeroEncoding, AddRepNoise, MaskCompress for each column; the masks of the compressed
    // vector, AddRepNoise for each row.
    let vector = L::ELL * ((1 + L::REP) * encoding + compressed);
    let product = L::K * (L::ELL * compressed + L::REP * encoding);
    assert_eq!(generating, vector + product + L::ELL * compressed, "key generation, d = {D}");
    // Algorithm 2, lines 12, 13 and 15.
    let response = L::ELL * (3 * encoding + compressed);
    assert_eq!(signing, vector + product + response, "signing, d = {D}");
    assert_eq!(refreshing, L::ELL * encoding, "refreshing, d = {D}");
}

#[test]
fn every_refresh_draws_its_masks() {
    count_masks::<Raccoon128, 1>();
    count_masks::<Raccoon128, 2>();
    count_masks::<Raccoon192, 4>();
    count_masks::<Raccoon256, 8>();
    count_masks::<Raccoon128, 32>();
}
