//! Key generation, refreshing and signing with secrets from the input, for runs with different
//! secrets to be compared step by step.
//!
//! The input is 48 bytes that seed all secrets and masks. What is public and drawn before the
//! first secret, the seed of the matrix, is the same in every run.

#![no_std]
#![no_main]

use core::convert::Infallible;
use cortex_m_rt::entry;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Level as _, Masks, ParameterSet, SigningKey, SigningKeyRef, Workspace, generate, refresh, sign,
};
use raccoon_firmware::config::{D, Level, MaskGenerator, Matrix};
use raccoon_firmware::memory::Once;
use raccoon_kat::NistDrbg;
use rand_core::{TryCryptoRng, TryRng};
use semihosting::io::Read;
use semihosting::process;

type SigningKeyBytes = <Level as ParameterSet<D>>::SigningKeyBytes;
type SignatureBytes = <Level as raccoon_dsa::Level>::SignatureBytes;

/// All the memory this needs.
struct Memory {
    workspace: Workspace<Level, D, Matrix, MaskGenerator>,
    key: SigningKeyBytes,
    signature: SignatureBytes,
}

static MEMORY: Once<Memory> = Once::new(Memory {
    workspace: Workspace::new(),
    key: SigningKeyBytes::ZERO,
    signature: SignatureBytes::ZERO,
});

/// Secret bytes, behind a first call that is answered with zeros: the seed of the matrix.
struct Secrets {
    drbg: NistDrbg,
    calls: u32,
}

impl TryRng for Secrets {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.drbg.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.drbg.try_next_u64()
    }

    /// Known to the comparison by name: a generator of its own, not what is compared.
    #[inline(never)]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.calls += 1;
        if self.calls == 1 {
            bytes.fill(0);
            return Ok(());
        }
        self.drbg.try_fill_bytes(bytes)
    }
}

impl TryCryptoRng for Secrets {}

#[entry]
fn main() -> ! {
    let mut seed = [0; 48];
    let mut input = semihosting::io::stdin().expect("there is an input");
    input.read_exact(&mut seed).expect("the input has 48 bytes");

    let Memory { workspace, key, signature } = MEMORY.take();
    let mut masks = Masks::from_rng(&mut NistDrbg::new(&seed)).unwrap_or_else(|e| match e {});
    let mut rng = Secrets { drbg: NistDrbg::new(&seed), calls: 0 };
    generate(key, &mut rng, &mut masks, workspace).expect("the generator never fails");

    let mut owned = SigningKey::<Level, D>::from_bytes(key).expect("a key just made");
    refresh(&mut owned, &mut rng, &mut masks, workspace).expect("the generator never fails");
    key.copy_from_slice(owned.as_bytes());

    let view = SigningKeyRef::<Level, D>::from_bytes(key).expect("a key just made");
    let mu = view.hasher().chain(Level::NAME.as_bytes()).finish();
    sign(&view, &mu, signature, &mut rng, &mut masks, workspace)
        .expect("the generator never fails");
    process::exit(0)
}
