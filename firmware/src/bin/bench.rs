//! Key generation, signing and verification of the set's first known answer, measured.
//!
//! Prints a line for each operation: cycles without the generator's, the generator's cycles,
//! the depth of the stack; the backend; a line of sizes; then the results in hexadecimal, for the host to
//! check.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Masks, ParameterSet, SigningKeyRef, VerifyWorkspace, VerifyingKeyRef, Workspace,
};
use raccoon_firmware::KnownAnswer;
use raccoon_firmware::config::{D, KNOWN_ANSWERS, Level, MaskGenerator, Matrix};
use raccoon_firmware::cycles::{self, MeteredRng};
use raccoon_firmware::memory::Once;
use raccoon_firmware::stack;
use semihosting::{print, println, process};

type SigningKeyBytes = <Level as ParameterSet<D>>::SigningKeyBytes;
type SignatureBytes = <Level as raccoon_dsa::Level>::SignatureBytes;
type SignerWorkspace = Workspace<Level, D, Matrix, MaskGenerator>;
type SignerMasks = Masks<Level, D, MaskGenerator>;

static ANSWER: &KnownAnswer = &KNOWN_ANSWERS[0];
static WORKSPACE: Once<SignerWorkspace> = Once::new(SignerWorkspace::new());
static VERIFY_WORKSPACE: Once<VerifyWorkspace<Level>> = Once::new(VerifyWorkspace::new());
static KEY: Once<SigningKeyBytes> = Once::new(SigningKeyBytes::ZERO);
static SIGNATURE: Once<SignatureBytes> = Once::new(SignatureBytes::ZERO);

#[entry]
fn main() -> ! {
    cycles::start();
    let workspace = WORKSPACE.take();
    let (key, signature) = (KEY.take(), SIGNATURE.take());
    // Masks do not change the answer; any seed will do.
    let mut masks =
        SignerMasks::from_rng(&mut MeteredRng::new(&ANSWER.seed)).unwrap_or_else(|e| match e {});
    let mut rng = MeteredRng::new(&ANSWER.seed);

    measure("keygen", &mut rng, |rng| keygen(key, rng, &mut masks, workspace));
    measure("sign", &mut rng, |rng| sign(key, signature, rng, &mut masks, workspace));
    let verify_workspace = VERIFY_WORKSPACE.take();
    measure("verify", &mut rng, |_| verify(key, signature, verify_workspace));

    println!("backend {}", raccoon_dsa::BACKEND);
    println!(
        "sizes workspace {} verify_workspace {} masks {} buffers {}",
        size_of::<SignerWorkspace>(),
        size_of::<VerifyWorkspace<Level>>(),
        size_of::<SignerMasks>(),
        size_of::<SigningKeyBytes>() + size_of::<SignatureBytes>(),
    );
    print_hex("sk", &[key]);
    print_hex("sm", &[signature, ANSWER.message]);
    process::exit(0)
}

fn measure(name: &str, rng: &mut MeteredRng, operation: impl FnOnce(&mut MeteredRng)) {
    let mut measured = (0, 0);
    let stack_bytes = stack::depth(|| measured = rng.measure(operation));
    let (cycles, rng_cycles) = measured;
    println!("{name} cycles {cycles} rng_cycles {rng_cycles} stack_bytes {stack_bytes}");
}

// The three operations have names of their own, for profiles to be cut by.

#[unsafe(no_mangle)]
#[inline(never)]
fn keygen(
    key: &mut SigningKeyBytes,
    rng: &mut MeteredRng,
    masks: &mut SignerMasks,
    workspace: &mut SignerWorkspace,
) {
    raccoon_dsa::generate(key, rng, masks, workspace).expect("the generator never fails");
}

#[unsafe(no_mangle)]
#[inline(never)]
fn sign(
    key: &SigningKeyBytes,
    signature: &mut SignatureBytes,
    rng: &mut MeteredRng,
    masks: &mut SignerMasks,
    workspace: &mut SignerWorkspace,
) {
    let key = SigningKeyRef::<Level, D>::from_bytes(key).expect("a key just made");
    let mu = key.hasher().chain(ANSWER.message).finish();
    raccoon_dsa::sign(&key, &mu, signature, rng, masks, workspace)
        .expect("the generator never fails");
}

#[unsafe(no_mangle)]
#[inline(never)]
fn verify(
    key: &SigningKeyBytes,
    signature: &SignatureBytes,
    workspace: &mut VerifyWorkspace<Level>,
) {
    let public = &key[..<Level as raccoon_dsa::Level>::VERIFYING_KEY_BYTES];
    let public = VerifyingKeyRef::<Level>::from_bytes(public).expect("a key just made");
    let mu = public.hasher().chain(ANSWER.message).finish();
    raccoon_dsa::verify(&public, &mu, signature, workspace).expect("a signature just made");
}

fn print_hex(name: &str, parts: &[&[u8]]) {
    print!("{name} ");
    for part in parts {
        for chunk in part.chunks(32) {
            let mut digits = [0; 64];
            for (pair, byte) in digits.chunks_exact_mut(2).zip(chunk) {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                pair.copy_from_slice(&[
                    DIGITS[usize::from(byte >> 4)],
                    DIGITS[usize::from(byte & 15)],
                ]);
            }
            let digits = core::str::from_utf8(&digits[..2 * chunk.len()]).expect("digits");
            print!("{digits}");
        }
    }
    println!();
}
