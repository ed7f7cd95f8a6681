//! Replayable generators of mask randomness (specification 2.8.2).

//!
//! # How elements are drawn
//! A polynomial is drawn as a uniform residue mod q1 and a uniform residue mod q2 for each
//! coefficient: by the Chinese remainder theorem the same distribution as uniform mod q.
//! Two coefficients take four 32-bit words. The residues are the 24 high bits of words 0
//! and 2 and the 25 high bits of words 1 and 3; all four words are discarded if one of them
//! is not below [`LIMIT1`] or [`LIMIT2`], that is, one of the residues not below its
//! prime (4.6 % of all; that branch reveals nothing of the words kept).
//!
//! # What a backend owes
//! A backend is a module with a function `lfsr127` that draws from the words of
//! [`Lfsr127`], and a function `chacha8` for [`ChaCha8`]. They take what the generator
//! keeps, a [`Sign`], and where the element goes. All backends draw the same elements.
//! No branch and no address depends on a word that is kept.

#[cfg(raccoon_backend = "armv7em")]
#[doc(hidden)]
pub mod armv7em;
mod chacha8;
mod lfsr127;
#[doc(hidden)]
pub mod portable;

pub use chacha8::ChaCha8;
pub use lfsr127::{Lfsr127, LfsrState};

#[cfg(raccoon_backend = "armv7em")]
use armv7em as backend;
#[cfg(raccoon_backend = "portable")]
use portable as backend;

use crate::params::{ParameterSet, Q1, Q2, wipe};
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

/// Where an element R goes, with its sign.
pub enum Output<'a, P> {
    /// `out = R`.
    Set(&'a mut P),
    /// `out += R`.
    Add(&'a mut P),
    /// `x += z + R`, where `z + R` is computed first; no `z` means zero.
    AddSum {
        /// The summand that R is added to.
        z: Option<&'a P>,
        /// What the sum is added to.
        x: &'a mut P,
    },
}

/// A word below this holds a residue mod q1 in its 24 high bits.
const LIMIT1: u32 = (Q1 as u32) << 8;
/// A word below this holds a residue mod q2 in its 25 high bits.
const LIMIT2: u32 = (Q2 as u32) << 7;

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

    /// Draws the element at the cursor, moves the cursor behind it, and writes or adds
    /// the element or its negative to `output`. A [`Poly`] drawn has bound 1.
    fn uniform(&self, cursor: &mut Self::Cursor, sign: Sign, output: Output<'_, P>);
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
