//! What an image is given: a key, or the shares of a secret, with all randomness.
//!
//! Traces of even number are the fixed group, the others the random one. Sharings, masks and all
//! else that an attacker does not choose is fresh in every trace of both groups.

use super::Target;
use anyhow::{Result, bail};
use clap::ValueEnum;
use raccoon_dsa::params::{N, Q1, Q2};
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Masks, ParameterSet, Raccoon128, Raccoon192, Raccoon256, SigningKey, Workspace, generate,
};
use raccoon_kat::NistDrbg;
use rand_core::{Rng, TryCryptoRng, TryRng};
use sha2::{Digest, Sha384};
use std::convert::Infallible;
use std::marker::PhantomData;

/// What is fixed in one group and random in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Vary {
    /// The secret key, or the secret that a gadget works on
    Key,
    /// The seeds of the noise
    Noise,
    /// Nothing: both groups are random
    Nothing,
}

/// Makes the input of each trace.
pub struct Inputs {
    scheme: Box<dyn Scheme>,
    target: Target,
    vary: Vary,
    fixed_key: Vec<u8>,
}

impl Inputs {
    pub fn new(set: &str, target: Target, vary: Vary) -> Result<Self> {
        let scheme = scheme(set)?;
        let fixed_key = if target.takes_key() { scheme.key("fixed") } else { Vec::new() };
        Ok(Self { scheme, target, vary, fixed_key })
    }

    /// What the image reads in a trace.
    pub fn of(&self, trace: usize) -> Vec<u8> {
        let tape = self.tape(trace);
        let length = (tape.len() as u32).to_le_bytes();
        let payload = match self.target {
            Target::Keygen => Vec::new(),
            target if target.takes_key() => self.key(trace),
            _ => self.polynomials(trace),
        };
        [&[self.target.code()][..], &length, &tape, &payload].concat()
    }

    /// The name of what varies: of itself in the fixed group, of the trace in the other.
    fn varied(&self, what: Vary, trace: usize) -> String {
        let fixed = self.vary == what && m4leak::group(trace) == 0;
        if fixed { "fixed".into() } else { format!("varied {trace}") }
    }

    fn tape(&self, trace: usize) -> Vec<u8> {
        let sizes = self.scheme.sizes();
        let mut tape = vec![0; sizes.mask_seeds];
        let mut fresh = generator(&format!("masks {trace}"));
        fresh.fill_bytes(&mut tape);
        if self.target == Target::Keygen {
            // The seed of A is public.
            tape.resize(tape.len() + sizes.seed, 0);
        }
        if self.target != Target::Refresh {
            let mut noise = vec![0; sizes.noise_seeds];
            generator(&self.varied(Vary::Noise, trace)).fill_bytes(&mut noise);
            tape.extend(noise);
        }
        let mut share_keys = vec![0; sizes.share_keys];
        fresh.fill_bytes(&mut share_keys);
        tape.extend(share_keys);
        tape.truncate(sizes.tape());
        tape
    }

    fn key(&self, trace: usize) -> Vec<u8> {
        let name = self.varied(Vary::Key, trace);
        let random = (self.vary != Vary::Noise && name != "fixed").then(|| self.scheme.key(&name));
        let key = random.as_ref().unwrap_or(&self.fixed_key);
        self.scheme.reshared(key, &format!("sharing {trace}"))
    }

    /// The shares of a secret, a polynomial that is random, and one that is public.
    fn polynomials(&self, trace: usize) -> Vec<u8> {
        let mut secret = uniform(&mut generator(&self.varied(Vary::Key, trace)));
        let mut fresh = generator(&format!("sharing {trace}"));
        let mut polynomials: Vec<Lanes> =
            (1..self.scheme.sizes().shares).map(|_| uniform(&mut fresh)).collect();
        for share in &polynomials {
            for ((lane, share), q) in secret.iter_mut().zip(share).zip(moduli()) {
                *lane = (*lane - share).rem_euclid(q);
            }
        }
        polynomials.push(secret);
        polynomials.extend([uniform(&mut fresh), uniform(&mut fresh)]);
        polynomials.iter().flatten().flat_map(|lane| lane.to_le_bytes()).collect()
    }
}

/// Both rows of a polynomial.
type Lanes = Vec<i32>;

/// The modulus of each lane.
fn moduli() -> impl Iterator<Item = i32> {
    [Q1, Q2].into_iter().flat_map(|q| std::iter::repeat_n(q, N))
}

fn uniform(rng: &mut NistDrbg) -> Lanes {
    // 64 bits leave a bias of 2^-39.
    let mut bytes = vec![0; 16 * N];
    rng.fill_bytes(&mut bytes);
    let lane = |(bytes, q): (&[u8; 8], i32)| (u64::from_le_bytes(*bytes) % q as u64) as i32;
    bytes.as_chunks().0.iter().zip(moduli()).map(lane).collect()
}

/// A generator of its own for every name.
fn generator(name: &str) -> NistDrbg {
    NistDrbg::new(&Sha384::digest(name).into())
}

/// Bytes and numbers that depend on the set.
struct Sizes {
    shares: usize,
    mask_seeds: usize,
    seed: usize,
    noise_seeds: usize,
    share_keys: usize,
}

impl Sizes {
    /// The longest tape an image has room for.
    fn tape(&self) -> usize {
        self.mask_seeds + self.seed + self.noise_seeds + self.share_keys
    }
}

/// A parameter set, for keys to be made on the host.
trait Scheme: Send + Sync {
    fn sizes(&self) -> Sizes;
    /// The secret key of a name; all have the same matrix.
    fn key(&self, name: &str) -> Vec<u8>;
    /// The same key in a fresh sharing.
    fn reshared(&self, key: &[u8], name: &str) -> Vec<u8>;
}

struct Set<L, const D: usize>(PhantomData<L>);

impl<L: ParameterSet<D>, const D: usize> Scheme for Set<L, D> {
    fn sizes(&self) -> Sizes {
        let seed = L::KAPPA / 8;
        Sizes {
            shares: D,
            mask_seeds: 32 * (D - 1),
            seed,
            noise_seeds: seed * (L::K + L::ELL) * L::REP * D,
            share_keys: seed * (D - 1),
        }
    }

    fn key(&self, name: &str) -> Vec<u8> {
        let mut rng = PublicFirst { rng: generator(name), first: true };
        let Ok(mut masks) = Masks::<L, D>::from_rng(&mut generator(name));
        let mut workspace = Box::new(Workspace::<L, D>::new());
        let mut key = L::SigningKeyBytes::ZERO;
        generate(&mut key, &mut rng, &mut masks, &mut workspace)
            .expect("the generator never fails");
        key.as_ref().to_vec()
    }

    fn reshared(&self, key: &[u8], name: &str) -> Vec<u8> {
        let mut key = SigningKey::<L, D>::from_bytes(key).expect("a key made here");
        key.refresh(&mut generator(name)).expect("the generator never fails");
        key.as_bytes().to_vec()
    }
}

fn scheme(set: &str) -> Result<Box<dyn Scheme>> {
    macro_rules! find {
        ($($level:literal $type:ident),*; $shares:tt) => { $(find!(@ $level $type $shares);)* };
        (@ $level:literal $type:ident [$($d:literal)*]) => {
            $(if set == concat!("raccoon-", $level, "-", $d) {
                return Ok(Box::new(Set::<$type, $d>(PhantomData)));
            })*
        };
    }
    find!("128" Raccoon128, "192" Raccoon192, "256" Raccoon256; [1 2 4 8 16 32]);
    bail!("there is no set {set}")
}

/// A generator whose first call, for the seed of the matrix, is answered with zeros.
struct PublicFirst {
    rng: NistDrbg,
    first: bool,
}

impl TryRng for PublicFirst {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.rng.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.rng.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        if std::mem::take(&mut self.first) {
            bytes.fill(0);
            return Ok(());
        }
        self.rng.try_fill_bytes(bytes)
    }
}

impl TryCryptoRng for PublicFirst {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_groups() {
        let inputs = Inputs::new("raccoon-128-2", Target::Refresh, Vary::Key).expect("a set");
        let [a, b, c] = [0, 1, 2].map(|trace| inputs.of(trace));
        assert!(a != c, "the sharing of the fixed key is fresh");
        let key = |input: &[u8]| {
            let start = input.len() - inputs.fixed_key.len();
            SigningKey::<Raccoon128, 2>::from_bytes(&input[start..]).expect("a key").verifying_key()
        };
        assert!(key(&a) == key(&c) && key(&a) != key(&b));
    }

    #[test]
    fn shares_add_up_to_the_secret() {
        let inputs = Inputs::new("raccoon-128-4", Target::Ntt, Vary::Key).expect("a set");
        let sum = |trace| {
            let input = inputs.of(trace);
            let bytes = &input[input.len() - 6 * 8 * N..];
            let lanes: Vec<_> =
                bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b)).collect();
            let lane =
                |k: usize| (0..4).map(|share| i64::from(lanes[share * 2 * N + k])).sum::<i64>();
            moduli().enumerate().map(|(k, q)| lane(k) % i64::from(q)).collect::<Vec<_>>()
        };
        assert!(sum(0) == sum(2) && sum(0) != sum(1));
    }

    #[test]
    fn unknown_sets() {
        assert!(scheme("raccoon-128-3").is_err());
    }
}
