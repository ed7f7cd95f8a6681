//! What key generation and signing have in common: a short masked vector, compressed,
//! and its product with A plus noise, decoded row by row.

use crate::error::Error;
use crate::masking::{
    MaskGenerator, MaskStream, Output, RepeatedNoise, Sign, ZeroEncoding, add_rep_noise_share,
    mask_compress_share,
};
use crate::matrix::Matrix;
use crate::params::ParameterSet;
use crate::ring::Factor;
use crate::workspace::Workspace;
use rand_core::TryCryptoRng;

impl<L, const D: usize, M, G> Workspace<L, D, M, G>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    /// A fresh secret vector of l short polynomials in the NTT domain (Algorithm 1,
    /// lines 3 and 4; Algorithm 2, lines 4 and 5), compressed: `x` is share 0, and the
    /// sequences that start at `compression` are the other shares.
    pub(crate) fn commit_vector<R: TryCryptoRng + ?Sized>(
        &mut self,
        u: u32,
        rng: &mut R,
        streams: &mut [MaskStream<G>],
    ) -> Result<(), Error> {
        for (start, stream) in self.compression.as_mut().iter_mut().zip(&*streams) {
            *start = stream.compress.clone();
        }
        for m in 0..L::ELL {
            self.draw_seeds(rng)?;
            let noise = RepeatedNoise { index: m, u, seeds: self.seeds.as_ref() };
            let (x, share) = (&mut self.sum, &mut self.share);
            let [first, others @ ..] = self.encodings.as_mut() else { unreachable!() };
            for j in 0..D {
                // Bound 5, then 3/4.
                ZeroEncoding::new(first.as_mut()).share(j, streams, share);
                add_rep_noise_share(share, j, &noise, others, streams, &mut self.scratch);
                share.ntt();
                share.reduce();
                // Bound 3/4 + 3/4.
                mask_compress_share(x, j, share, |x| {
                    let stream = &mut streams[j - 1];
                    stream.generator.uniform(&mut stream.compress, Sign::Minus, Output::Add(x));
                });
            }
            self.x.as_mut()[m].pack(x);
        }
        Ok(())
    }

    /// Row `i` of A times the secret vector plus noise, decoded into `sum`, in the
    /// coefficient domain (Algorithm 1, lines 5 to 7; Algorithm 2, lines 6 to 8).
    /// Gives bound 24.
    pub(crate) fn commit_row<R: TryCryptoRng + ?Sized>(
        &mut self,
        i: usize,
        u: u32,
        seed: &[u8],
        rng: &mut R,
        streams: &mut [MaskStream<G>],
    ) -> Result<(), Error> {
        self.draw_seeds(rng)?;
        let noise = RepeatedNoise { index: i, u, seeds: self.seeds.as_ref() };
        let (share, scratch) = (&mut self.share, &mut self.scratch);
        // A has bound 9, x and a mask 1: products give 1 each, a row at most 7.
        share.clear();
        let row = self.matrix.mul_row_add(i, seed, self.x.as_ref(), share, scratch, D > 1);
        self.sum.clear();
        for j in 0..D {
            if j > 0 {
                share.clear();
                let mut cursor = self.compression.as_ref()[j - 1].clone();
                for entry in row {
                    let mask = Output::Set(&mut *scratch);
                    streams[j - 1].generator.uniform(&mut cursor, Sign::Plus, mask);
                    entry.mul_add_to(scratch, share);
                }
            }
            share.intt_product();
            let encodings = &mut self.encodings.as_mut()[..L::REP];
            add_rep_noise_share(share, j, &noise, encodings, streams, scratch);
            // 32 shares of bound 3/4 sum to 24.
            self.sum.add(share);
        }
        Ok(())
    }

    /// The noise seeds of one polynomial, repetition by repetition and share by share,
    /// each with a call of its own: the order and the calls decide the published vectors.
    fn draw_seeds<R: TryCryptoRng + ?Sized>(&mut self, rng: &mut R) -> Result<(), Error> {
        for seed in self.seeds.as_mut().iter_mut().flatten() {
            rng.try_fill_bytes(seed.as_mut()).map_err(|_| Error::Randomness)?;
        }
        Ok(())
    }
}
