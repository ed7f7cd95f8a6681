//! Replayable generators of mask randomness (specification 2.8.2).

mod chacha8;
mod lfsr127;

pub use chacha8::ChaCha8;
pub use lfsr127::{Lfsr127, LfsrState};

use crate::params::{N, ParameterSet, Q1, Q2, wipe};
use crate::ring::Poly;
use crate::storage::Zeroed;
use core::marker::PhantomData;
use rand_core::TryCryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Whether a mask is added or subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Add it.
    Plus,
    /// Subtract it.
    Minus,
}

/// A generator of uniform ring elements that can be drawn a second time.
///
/// The generator itself never changes; a *cursor* says where in its sequence the next
/// element is. Drawing twice from equal cursors gives equal elements.
pub trait MaskGenerator<P = Poly>: Zeroed + Zeroize + Sized {
    /// A place in the sequence.
    type Cursor: Clone + Zeroed + Zeroize;

    /// Bytes of a seed, at most 32. Equal seeds give equal generators; seeds are secret.
    const SEED_BYTES: usize;

    /// The generator of a seed of [`SEED_BYTES`](Self::SEED_BYTES) bytes, and the
    /// starts of two sequences, which do not meet but with negligible probability.
    fn from_seed(seed: &[u8]) -> (Self, [Self::Cursor; 2]);

    /// Adds the element at the cursor to `out`, or subtracts it, and moves the cursor
    /// behind it. For [`Poly`], adds 1 to the bound.
    fn uniform(&self, cursor: &mut Self::Cursor, sign: Sign, out: &mut P);
}

/// One generator of a bank with its two sequences.
pub struct MaskStream<G: MaskGenerator<P>, P = Poly> {
    /// The generator.
    pub generator: G,
    /// Where the masks of zero encodings continue.
    pub refresh: G::Cursor,
    /// Where the masks of compressed secrets continue.
    pub compress: G::Cursor,
}

impl<P, G: MaskGenerator<P>> Zeroed for MaskStream<G, P> {
    const ZERO: Self =
        MaskStream { generator: G::ZERO, refresh: Zeroed::ZERO, compress: Zeroed::ZERO };
}

impl<P, G: MaskGenerator<P>> Zeroize for MaskStream<G, P> {
    fn zeroize(&mut self) {
        self.generator.zeroize();
        self.refresh.zeroize();
        self.compress.zeroize();
    }
}

/// The mask randomness of a signer with `D` shares: d - 1 independent generators.
///
/// Generator j feeds the masks between share j and the shares above it, and the mask
/// that stands for share j + 1 of a compressed secret. Every bank is seeded by the
/// caller's generator; there is no default seed. It can serve any number of operations
/// one after the other, and is wiped when dropped.
pub struct Masks<L, const D: usize, G = ChaCha8>
where
    L: ParameterSet<D>,
    G: MaskGenerator,
{
    streams: L::Pairs<MaskStream<G>>,
    level: PhantomData<L>,
}

impl<L, const D: usize, G> Masks<L, D, G>
where
    L: ParameterSet<D>,
    G: MaskGenerator,
{
    /// A bank seeded from a cryptographic generator; one call for every seed.
    ///
    /// # Errors
    /// What the generator reports.
    pub fn from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut masks = Self { streams: Zeroed::ZERO, level: PhantomData };
        masks.reseed(rng)?;
        Ok(masks)
    }

    /// Seeds the bank anew, in place.
    ///
    /// # Errors
    /// What the generator reports; the bank may then be partly reseeded, and every
    /// generator in it has still been seeded.
    pub fn reseed<R: TryCryptoRng + ?Sized>(&mut self, rng: &mut R) -> Result<(), R::Error> {
        const { assert!(G::SEED_BYTES <= 32, "a seed has at most 32 bytes") };
        let mut seed = [0; 32];
        let seed = &mut seed[..G::SEED_BYTES];
        for stream in self.streams.as_mut() {
            let drawn = rng.try_fill_bytes(seed);
            if drawn.is_ok() {
                let (generator, [refresh, compress]) = G::from_seed(seed);
                *stream = MaskStream { generator, refresh, compress };
            }
            seed.zeroize();
            drawn?;
        }
        Ok(())
    }

    /// The d - 1 streams.
    pub(crate) fn streams(&mut self) -> &mut [MaskStream<G>] {
        self.streams.as_mut()
    }
}

impl<L, const D: usize, G> Drop for Masks<L, D, G>
where
    L: ParameterSet<D>,
    G: MaskGenerator,
{
    fn drop(&mut self) {
        wipe(&mut self.streams);
    }
}

impl<L, const D: usize, G> ZeroizeOnDrop for Masks<L, D, G>
where
    L: ParameterSet<D>,
    G: MaskGenerator,
{
}

/// Uniform mod q from pairs of 32-bit words, as a uniform residue mod q1 and a uniform
/// residue mod q2: by the Chinese remainder theorem the same distribution.
///
/// Low bits are taken and the pair is discarded if either residue is out of range
/// (2.3 % of pairs); that branch reveals nothing of the pairs kept.
#[inline(always)]
fn uniform_residues(sign: Sign, out: &mut Poly, mut next: impl FnMut() -> (u32, u32)) {
    let mask = match sign {
        Sign::Plus => 0,
        Sign::Minus => -1,
    };
    for i in 0..N {
        let (a, b) = loop {
            let (a, b) = next();
            let (a, b) = ((a & 0x00FF_FFFF) as i32, (b & 0x01FF_FFFF) as i32);
            if a < Q1 && b < Q2 {
                break (a, b);
            }
        };
        // (x ^ mask) - mask is x or -x.
        out.row1[i] += (a ^ mask) - mask;
        out.row2[i] += (b ^ mask) - mask;
    }
}
