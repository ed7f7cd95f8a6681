//! One operation or gadget on inputs from outside, to be observed.
//!
//! The input is a byte that chooses the target, the randomness (four bytes of length, little-endian,
//! and so many bytes: mask seeds first, then what the operation draws), and what the target works
//! on: an encoded secret key, or the polynomials of a gadget.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use raccoon_dsa::params::N;
use raccoon_dsa::ring::Poly;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Level as _, Masks, MessageHash, ParameterSet, SigningKey, SigningKeyRef, VerifyingKeyRef,
    Workspace, generate, refresh, sign,
};
use raccoon_firmware::config::{D, Level, MaskGenerator, Matrix};
use raccoon_firmware::leak::{Gadgets, Tape, observed};
use raccoon_firmware::memory::Once;
use semihosting::io::{Read, Stdin};
use semihosting::process;

type SigningKeyBytes = <Level as ParameterSet<D>>::SigningKeyBytes;
type SignatureBytes = <Level as raccoon_dsa::Level>::SignatureBytes;

/// All the memory this needs.
struct Memory {
    workspace: Workspace<Level, D, Matrix, MaskGenerator>,
    gadgets: Gadgets,
    tape: Tape,
    key: SigningKeyBytes,
    signature: SignatureBytes,
}

static MEMORY: Once<Memory> = Once::new(Memory {
    workspace: Workspace::new(),
    gadgets: Gadgets::ZERO,
    tape: Tape::EMPTY,
    key: SigningKeyBytes::ZERO,
    signature: SignatureBytes::ZERO,
});

#[entry]
fn main() -> ! {
    let memory = MEMORY.take();
    let mut input = semihosting::io::stdin().expect("there is an input");
    let [target] = read(&mut input);
    let length = u32::from_le_bytes(read(&mut input)) as usize;
    input.read_exact(memory.tape.record(length)).expect("the input has its length");
    match target {
        0..=3 => operation(target, memory, &mut input),
        _ => gadget(target, memory, &mut input),
    }
    process::exit(0)
}

fn read<const BYTES: usize>(input: &mut Stdin) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    input.read_exact(&mut bytes).expect("the input is long enough");
    bytes
}

fn operation(target: u8, memory: &mut Memory, input: &mut Stdin) {
    let Memory { workspace, tape, key, signature, .. } = memory;
    let Ok(mut masks) = Masks::from_rng(tape);
    if target == 0 {
        return observed(|| {
            generate(key, tape, &mut masks, workspace).expect("the tape never fails");
        });
    }
    input.read_exact(key.as_mut()).expect("the input has a key");
    match target {
        1 => {
            let mu = message();
            let key = SigningKeyRef::<Level, D>::from_bytes(key).expect("a valid key");
            observed(|| {
                sign(&key, &mu, signature, tape, &mut masks, workspace)
                    .expect("the tape never fails");
            });
        }
        2 => {
            let mut key = SigningKey::<Level, D>::from_bytes(key).expect("a valid key");
            observed(|| {
                refresh(&mut key, tape, &mut masks, workspace).expect("the tape never fails");
            });
        }
        _ => observed(|| {
            assert!(SigningKeyRef::<Level, D>::from_bytes(key).is_ok(), "the key is valid");
        }),
    }
}

/// The hash of a message to a public key that is always the same: a signer takes any.
fn message() -> MessageHash<Level> {
    let public = <Level as raccoon_dsa::Level>::VerifyingKeyBytes::ZERO;
    let public = VerifyingKeyRef::<Level>::from_bytes(&public).expect("a well-formed key");
    public.hasher().chain(Level::NAME.as_bytes()).finish()
}

fn gadget(target: u8, memory: &mut Memory, input: &mut Stdin) {
    let Memory { gadgets, tape, .. } = memory;
    gadgets.prepare(tape);
    for poly in gadgets.shares.iter_mut().chain([&mut gadgets.x, &mut gadgets.public]) {
        read_poly(poly, input);
    }
    match target {
        4 => observed(|| gadgets.zero_encoding()),
        5 => observed(|| gadgets.refresh()),
        6 => observed(|| gadgets.add_rep_noise()),
        7 => observed(|| gadgets.ntt()),
        8 => observed(|| gadgets.mul_add()),
        9 => observed(|| gadgets.response()),
        10 => observed(|| gadgets.decode()),
        11 => observed(|| gadgets.mask_compress(true)),
        12 => observed(|| gadgets.mask_compress(false)),
        13 => observed(|| gadgets.overwrite()),
        _ => panic!("there is no target {target}"),
    }
}

/// A polynomial: its lanes, row by row, four bytes each.
fn read_poly(poly: &mut Poly, input: &mut Stdin) {
    for row in [&mut poly.row1, &mut poly.row2] {
        for lanes in row.chunks_exact_mut(N / 8) {
            let bytes: [u8; N / 2] = read(input);
            for (lane, bytes) in lanes.iter_mut().zip(bytes.chunks_exact(4)) {
                *lane = i32::from_le_bytes(bytes.try_into().expect("four bytes"));
            }
        }
    }
}
