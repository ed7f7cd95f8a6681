//! AddRepNoise (Algorithm 8), one share at a time.

use super::{Element, MaskGenerator, MaskStream, ZeroEncoding};
use crate::ring::Poly;
use crate::sampling::add_sample_u;

/// The short noise that AddRepNoise adds.
pub trait Noise<P> {
    /// Adds the noise of repetition `rep` and share `j` to `share`.
    fn add(&self, rep: usize, j: usize, share: &mut P);
}

/// Share `j` of AddRepNoise on one polynomial: `rep` times, add noise, then refresh.
///
/// `encodings` holds the d - 1 cursors of each repetition's zero encoding; `z` is
/// scratch. The share is reduced after every repetition, because the integer in a lazy
/// lane would tell of the noise of several. With [`RepeatedNoise`] a repetition adds
/// 2 + log2(d) <= 7 to the bound; the result has bound 3/4.
pub fn add_rep_noise_share<P, G, E>(
    share: &mut P,
    j: usize,
    noise: &impl Noise<P>,
    encodings: &mut [E],
    bank: &mut [MaskStream<G, P>],
    z: &mut P,
) where
    P: Element,
    G: MaskGenerator<P>,
    E: AsMut<[G::Cursor]>,
{
    for (rep, cursors) in encodings.iter_mut().enumerate() {
        noise.add(rep, j, share);
        ZeroEncoding::new(cursors.as_mut()).refresh_share(j, bank, z, share);
        share.reduce();
    }
}

/// SampleU over the noise seeds of one polynomial.
pub struct RepeatedNoise<'a, S, const D: usize> {
    /// Index of the polynomial in its vector.
    pub index: usize,
    /// Bits of the noise, u_t or u_w.
    pub u: u32,
    /// One seed for every repetition and share.
    pub seeds: &'a [[S; D]],
}

impl<S: AsRef<[u8]>, const D: usize> Noise<Poly> for RepeatedNoise<'_, S, D> {
    fn add(&self, rep: usize, j: usize, share: &mut Poly) {
        let header = [b'u', rep as u8, self.index as u8, j as u8, 0, 0, 0, 0];
        add_sample_u(share, header, self.seeds[rep][j].as_ref(), self.u);
    }
}
