//! Replayable generators of mask randomness (specification 2.8.2).

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

    /// Bytes of a seed. Equal seeds give equal generators; seeds are secret.
    const SEED_BYTES: usize;

    /// The generator of a seed of [`SEED_BYTES`](Self::SEED_BYTES) bytes, and the
    /// starts of two sequences that never meet.
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

/// The 127-bit shift register of the reference code, x^127 + x^64 + 1, 64 steps at a
/// time. **For measurement only**: it is linear, so its masks are predictable.
pub struct Lfsr127;

impl Zeroed for Lfsr127 {
    const ZERO: Self = Lfsr127;
}

impl Zeroize for Lfsr127 {
    fn zeroize(&mut self) {}
}

/// The state of [`Lfsr127`]: bits 0 to 63, then bits 64 to 126.
#[derive(Clone)]
pub struct LfsrState([u64; 2]);

impl Zeroize for LfsrState {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Zeroed for LfsrState {
    const ZERO: Self = LfsrState([0; 2]);
}

impl LfsrState {
    /// The state of 16 bytes. The all-zero state, which would stay zero for ever, is
    /// replaced by 1.
    fn from_bytes(bytes: &[u8]) -> Self {
        let state = u128::from_le_bytes(bytes.try_into().expect("16 bytes")) & (u128::MAX >> 1);
        let state = state | u128::from(state == 0);
        LfsrState([state as u64, (state >> 64) as u64])
    }

    /// 64 steps; returns the 64 new bits.
    #[inline(always)]
    fn step(&mut self) -> u64 {
        let [low, high] = self.0;
        let new = ((high << 1) | (low >> 63)) ^ (high >> 62);
        self.0 = [new, (new ^ low) & (u64::MAX >> 1)];
        new
    }
}

impl MaskGenerator for Lfsr127 {
    type Cursor = LfsrState;

    const SEED_BYTES: usize = 32;

    fn from_seed(seed: &[u8]) -> (Self, [LfsrState; 2]) {
        let (refresh, compress) = seed.split_at(16);
        (Lfsr127, [LfsrState::from_bytes(refresh), LfsrState::from_bytes(compress)])
    }

    fn uniform(&self, cursor: &mut LfsrState, sign: Sign, out: &mut Poly) {
        uniform_residues(sign, out, || {
            let word = cursor.step();
            (word as u32, (word >> 32) as u32)
        });
    }
}

/// ChaCha with eight rounds, in counter mode: the default.
///
/// The key is the seed; the nonce is the number of the polynomial, which is all that a
/// cursor is; blocks count from zero within a polynomial.
pub struct ChaCha8 {
    key: [u32; 8],
}

impl Zeroize for ChaCha8 {
    fn zeroize(&mut self) {
        self.key.zeroize();
    }
}

impl Zeroed for ChaCha8 {
    const ZERO: Self = ChaCha8 { key: [0; 8] };
}

impl MaskGenerator for ChaCha8 {
    type Cursor = u64;

    const SEED_BYTES: usize = 32;

    fn from_seed(seed: &[u8]) -> (Self, [u64; 2]) {
        let mut key = [0; 8];
        for (word, bytes) in key.iter_mut().zip(seed.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
        }
        (ChaCha8 { key }, [0, 1 << 63])
    }

    fn uniform(&self, cursor: &mut u64, sign: Sign, out: &mut Poly) {
        let mut block = [0; 16];
        let mut counter = 0;
        let mut used = block.len();
        uniform_residues(sign, out, || {
            if used == block.len() {
                self.block(*cursor, counter, &mut block);
                counter += 1;
                used = 0;
            }
            used += 2;
            (block[used - 2], block[used - 1])
        });
        block.zeroize();
        *cursor += 1;
    }
}

impl ChaCha8 {
    /// Block `counter` of polynomial `nonce`.
    fn block(&self, nonce: u64, counter: u64, block: &mut [u32; 16]) {
        let k = &self.key;
        // "expand 32-byte k", key, 64-bit block counter, 64-bit nonce.
        let start = [
            0x6170_7865,
            0x3320_646E,
            0x7962_2D32,
            0x6B20_6574,
            k[0],
            k[1],
            k[2],
            k[3],
            k[4],
            k[5],
            k[6],
            k[7],
            counter as u32,
            (counter >> 32) as u32,
            nonce as u32,
            (nonce >> 32) as u32,
        ];
        *block = start;
        for _ in 0..4 {
            quarter_round(block, 0, 4, 8, 12);
            quarter_round(block, 1, 5, 9, 13);
            quarter_round(block, 2, 6, 10, 14);
            quarter_round(block, 3, 7, 11, 15);
            quarter_round(block, 0, 5, 10, 15);
            quarter_round(block, 1, 6, 11, 12);
            quarter_round(block, 2, 7, 8, 13);
            quarter_round(block, 3, 4, 9, 14);
        }
        for (word, start) in block.iter_mut().zip(start) {
            *word = word.wrapping_add(start);
        }
    }
}

#[inline(always)]
fn quarter_round(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}
