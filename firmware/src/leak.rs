//! What a leakage evaluation observes: whole operations and single gadgets, on inputs from outside.
//!
//! An operation is observed between two marks, [`begin`] and [`end`], which are functions of these
//! names: a simulator finds them by name, a board raises and lowers a trigger there.

use crate::config::{D, Level, MaskGenerator};
use core::convert::Infallible;
use core::hint::black_box;
use raccoon_dsa::masking::{
    MaskGenerator as Generator, MaskStream, Output, RepeatedNoise, ResponseEncodings, Sign,
    ZeroEncoding, add_rep_noise_share, mask_compress_share, response_share,
};
use raccoon_dsa::params::N;
use raccoon_dsa::ring::Poly;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{Level as _, ParameterSet};
use rand_core::{TryCryptoRng, TryRng};
use zeroize::Zeroize;

type Cursor = <MaskGenerator as Generator>::Cursor;
type Seed = <Level as raccoon_dsa::Level>::Seed;

// The two marks differ in what they do, for equal functions are made one.

/// The observation begins.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn leak_begin() {
    black_box("begin");
}

/// The observation ends.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn leak_end() {
    black_box("end");
}

/// Runs what is to be observed.
pub fn observed(operation: impl FnOnce()) {
    clear_stack();
    leak_begin();
    operation();
    leak_end();
}

/// Overwrites what the preparation has left below on the stack: the observed operation would
/// show it by writing over it.
#[inline(never)]
fn clear_stack() {
    black_box(&mut [0u32; 2048]);
}

/// A mask generator that is stuck at zero, for showing that a test notices.
pub struct NoMasks;

impl Zeroed for NoMasks {
    const ZERO: Self = NoMasks;
}

impl Zeroize for NoMasks {
    fn zeroize(&mut self) {}
}

impl Generator for NoMasks {
    type Cursor = u32;

    const SEED_BYTES: usize = 32;

    fn from_seed(_seed: &[u8]) -> (Self, [u32; 2]) {
        (NoMasks, [0; 2])
    }

    fn uniform(&self, _cursor: &mut u32, _sign: Sign, output: Output<'_, Poly>) {
        match output {
            Output::Set(out) => out.clear(),
            Output::Add(_) | Output::AddSum { z: None, .. } => {}
            Output::AddSum { z: Some(z), x } => x.add(z),
        }
    }
}

/// Most random bytes of an operation: mask seeds, the seed of A, noise seeds, share keys.
const TAPE_BYTES: usize = 32 * (D - 1)
    + Level::KAPPA / 8
        * (1 + (D - 1) + (Level::K + Level::ELL) * <Level as ParameterSet<D>>::REP * D);

/// Randomness that was recorded outside; it starts again at its end.
pub struct Tape {
    bytes: [u8; TAPE_BYTES],
    length: usize,
    position: usize,
}

impl Tape {
    /// An empty tape.
    pub const EMPTY: Tape = Tape { bytes: [0; TAPE_BYTES], length: 0, position: 0 };

    /// Room for `length` bytes, to be filled.
    ///
    /// # Panics
    /// If there is not so much room.
    pub fn record(&mut self, length: usize) -> &mut [u8] {
        (self.length, self.position) = (length, 0);
        &mut self.bytes[..length]
    }
}

impl TryRng for Tape {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes).map(|()| u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    }

    #[inline(never)]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for byte in bytes {
            if self.position == self.length {
                self.position = 0;
            }
            *byte = self.bytes[self.position];
            self.position += 1;
        }
        Ok(())
    }
}

impl TryCryptoRng for Tape {}

/// The gadgets with all they work on: one share at a time goes through `share`, as it does in key
/// generation and signing.
pub struct Gadgets {
    /// The shares of the secret.
    pub shares: [Poly; D],
    /// A compressed secret, or a decoded one.
    pub x: Poly,
    /// A public polynomial.
    pub public: Poly,
    share: Poly,
    scratch: Poly,
    results: [Poly; D],
    bank: <Level as ParameterSet<D>>::Pairs<MaskStream<MaskGenerator>>,
    encodings: <Level as ParameterSet<D>>::ZeroEncodings<Cursor>,
    compression: <Level as ParameterSet<D>>::Pairs<Cursor>,
    seeds: <Level as ParameterSet<D>>::NoiseSeeds,
}

impl Gadgets {
    /// All zero.
    pub const ZERO: Gadgets = Gadgets {
        shares: Zeroed::ZERO,
        x: Poly::ZERO,
        public: Poly::ZERO,
        share: Poly::ZERO,
        scratch: Poly::ZERO,
        results: Zeroed::ZERO,
        bank: Zeroed::ZERO,
        encodings: Zeroed::ZERO,
        compression: Zeroed::ZERO,
        seeds: Zeroed::ZERO,
    };

    /// Seeds the mask generators and draws the noise seeds.
    pub fn prepare(&mut self, tape: &mut Tape) {
        let Ok(()) = self.seed(tape);
        for (start, stream) in self.compression.as_mut().iter_mut().zip(self.bank.as_ref()) {
            *start = stream.compress.clone();
        }
    }

    fn seed(&mut self, tape: &mut Tape) -> Result<(), Infallible> {
        for stream in self.bank.as_mut() {
            let mut seed = [0; 32];
            tape.try_fill_bytes(&mut seed)?;
            let (generator, [refresh, compress]) = MaskGenerator::from_seed(&seed);
            *stream = MaskStream { generator, refresh, compress };
        }
        for seed in self.seeds.as_mut().iter_mut().flatten() {
            let seed: &mut Seed = seed;
            tape.try_fill_bytes(seed.as_mut())?;
        }
        Ok(())
    }

    /// ZeroEncoding, made where a share of the secret was.
    #[inline(never)]
    pub fn zero_encoding(&mut self) {
        let [cursors, ..] = self.encodings.as_mut() else { unreachable!() };
        let mut encoding = ZeroEncoding::new(cursors.as_mut());
        for (j, share) in self.shares.iter_mut().enumerate() {
            encoding.share(j, self.bank.as_mut(), share);
        }
    }

    /// Refresh.
    #[inline(never)]
    pub fn refresh(&mut self) {
        let [cursors, ..] = self.encodings.as_mut() else { unreachable!() };
        let mut encoding = ZeroEncoding::new(cursors.as_mut());
        for j in 0..D {
            self.share.copy_from(&self.shares[j]);
            encoding.refresh_share(j, self.bank.as_mut(), &mut self.scratch, &mut self.share);
            self.results[j].copy_from(&self.share);
        }
    }

    /// AddRepNoise.
    #[inline(never)]
    pub fn add_rep_noise(&mut self) {
        let noise = RepeatedNoise {
            index: 0,
            u: <Level as ParameterSet<D>>::U_W,
            seeds: self.seeds.as_ref(),
        };
        let encodings = &mut self.encodings.as_mut()[..<Level as ParameterSet<D>>::REP];
        for j in 0..D {
            self.share.copy_from(&self.shares[j]);
            let bank = self.bank.as_mut();
            add_rep_noise_share(&mut self.share, j, &noise, encodings, bank, &mut self.scratch);
            self.results[j].copy_from(&self.share);
        }
    }

    /// The forward transform of each share.
    #[inline(never)]
    pub fn ntt(&mut self) {
        self.shares.iter_mut().for_each(Poly::ntt);
    }

    /// Each share times a public polynomial, accumulated over a row of four.
    #[inline(never)]
    pub fn mul_add(&mut self) {
        for (share, result) in self.shares.iter().zip(&mut self.results) {
            result.clear();
            for _ in 0..4 {
                result.mul_add(&self.public, share);
            }
        }
    }

    /// z = c s + r, accumulated.
    #[inline(never)]
    pub fn response(&mut self) {
        let [s, r, z, ..] = self.encodings.as_mut() else { unreachable!() };
        let mut encodings = ResponseEncodings {
            s: ZeroEncoding::new(s.as_mut()),
            r: ZeroEncoding::new(r.as_mut()),
            z: ZeroEncoding::new(z.as_mut()),
        };
        let compression = self.compression.as_mut();
        for j in 0..D {
            self.share.copy_from(&self.shares[j]);
            let add_mask = |bank: &[MaskStream<MaskGenerator>], r: Output<'_, Poly>| {
                bank[j - 1].generator.uniform(&mut compression[j - 1], Sign::Plus, r);
            };
            let (x, share, scratch) = (&mut self.x, &mut self.share, &mut self.scratch);
            let bank = self.bank.as_mut();
            response_share(x, j, share, &self.public, add_mask, &mut encodings, bank, scratch);
        }
    }

    /// Decode: refreshed shares are added up.
    #[inline(never)]
    pub fn decode(&mut self) {
        let [cursors, ..] = self.encodings.as_mut() else { unreachable!() };
        let mut encoding = ZeroEncoding::new(cursors.as_mut());
        self.x.clear();
        for j in 0..D {
            self.share.copy_from(&self.shares[j]);
            encoding.refresh_share(j, self.bank.as_mut(), &mut self.scratch, &mut self.share);
            self.share.reduce();
            self.x.add(&self.share); // the decoded sum
        }
        // Without something behind it the last call would be a jump, and belong to another function.
        black_box(&mut self.x);
    }

    /// MaskCompress. Without `all`, the mask of share 1 is left out.
    #[inline(never)]
    pub fn mask_compress(&mut self, all: bool) {
        for j in 0..D {
            self.share.copy_from(&self.shares[j]);
            mask_compress_share(&mut self.x, j, &self.share, |x| {
                if all || j > 1 {
                    let stream = &mut self.bank.as_mut()[j - 1];
                    stream.generator.uniform(&mut stream.compress, Sign::Minus, Output::Add(x));
                }
            });
        }
    }

    /// A leak, planted: each share is stored over the one before.
    #[inline(never)]
    pub fn overwrite(&mut self) {
        for share in &self.shares {
            for i in 0..N {
                self.share.row1[i] = share.row1[i]; // planted
                black_box(&mut self.share);
            }
        }
    }
}
