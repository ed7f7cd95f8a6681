//! The memory an operation works in.

use crate::masking::{ChaCha8, MaskGenerator};
use crate::matrix::{Matrix, Streamed};
use crate::params::{Level, ParameterSet, W_BYTES, wipe};
use crate::ring::{PackedPoly, Poly};
use crate::storage::{Zeroed, wipe_slice};
use core::marker::PhantomData;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The working memory of key generation, signing and key refreshing.
///
/// Its size, [`Workspace::SIZE`], depends on the level and on where the matrix is, and
/// is the same at every number of shares but for seeds: `rep * d` noise seeds, and a
/// cursor for every mask that must be drawn a second time, of which there are
/// `(rep + 2) * (d - 1)`; a cursor has 8 bytes with ChaCha8, 16 with Lfsr127. It is wiped after
/// every operation and when dropped.
///
/// It is large: put it in a `static` (the constructor is `const`) or in a `Box`, not on
/// a small stack. The matrix comes last, as it is used least: where memory has fast and
/// slow parts, a workspace that starts in a fast one may end in a slow one.
#[repr(C)]
pub struct Workspace<L, const D: usize, M = Streamed<L>, G = ChaCha8>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    /// Share 0 of the compressed secret vector, r or s; at the end of signing, z.
    pub(crate) x: L::Columns<PackedPoly>,
    /// The share at work.
    pub(crate) share: Poly,
    /// An encoding of zero, or a mask, on its way into `share`.
    pub(crate) scratch: Poly,
    /// A sum of shares: first share 0 of a compressed secret while it takes the others in,
    /// then t_i or w_i, which is no longer secret; at last the challenge.
    pub(crate) sum: Poly,
    /// The rounded commitment from the time it is known, then the hint, modulo q_w.
    pub(crate) w: L::Rows<[u8; W_BYTES]>,
    /// The noise seeds of one polynomial.
    pub(crate) seeds: L::NoiseSeeds,
    /// What the zero encodings of one polynomial remember.
    pub(crate) encodings: L::ZeroEncodings<G::Cursor>,
    /// Where the masks of the compressed secret begin.
    pub(crate) compression: L::Pairs<G::Cursor>,
    /// A, or one row of it.
    pub(crate) matrix: M,
}

impl<L, const D: usize, M, G> Workspace<L, D, M, G>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    /// Bytes of a workspace.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace.
    pub const fn new() -> Self {
        Self::ZERO
    }

    /// Wipes all that was secret. The matrix is public and stays.
    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.x);
        self.share.zeroize();
        self.scratch.zeroize();
        self.sum.zeroize();
        self.w.as_mut().iter_mut().for_each(|w| wipe_slice(w));
        self.seeds.as_mut().iter_mut().flatten().for_each(wipe);
        self.encodings.as_mut().iter_mut().for_each(wipe);
        wipe(&mut self.compression);
    }
}

impl<L, const D: usize, M, G> Zeroed for Workspace<L, D, M, G>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    const ZERO: Self = Self {
        matrix: Zeroed::ZERO,
        x: Zeroed::ZERO,
        share: Zeroed::ZERO,
        scratch: Zeroed::ZERO,
        sum: Zeroed::ZERO,
        w: Zeroed::ZERO,
        seeds: Zeroed::ZERO,
        encodings: Zeroed::ZERO,
        compression: Zeroed::ZERO,
    };
}

impl<L, const D: usize, M, G> Default for Workspace<L, D, M, G>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    fn default() -> Self {
        Self::ZERO
    }
}

impl<L, const D: usize, M, G> Drop for Workspace<L, D, M, G>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    fn drop(&mut self) {
        self.wipe();
    }
}

impl<L, const D: usize, M, G> ZeroizeOnDrop for Workspace<L, D, M, G>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
}

/// The working memory of verification. Nothing in it is secret.
pub struct VerifyWorkspace<L: Level> {
    /// The response, in the NTT domain.
    pub(crate) z: L::Columns<Poly>,
    /// One entry of A, or one polynomial of t.
    pub(crate) entry: Poly,
    /// One row of the recomputed commitment.
    pub(crate) y: Poly,
    /// The challenge.
    pub(crate) challenge: Poly,
    level: PhantomData<L>,
}

impl<L: Level> VerifyWorkspace<L> {
    /// Bytes of a workspace.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace.
    pub const fn new() -> Self {
        Self {
            z: Zeroed::ZERO,
            entry: Zeroed::ZERO,
            y: Zeroed::ZERO,
            challenge: Zeroed::ZERO,
            level: PhantomData,
        }
    }
}

impl<L: Level> Default for VerifyWorkspace<L> {
    fn default() -> Self {
        Self::new()
    }
}
