//! Key generation (Algorithm 1), and the refreshing of a stored key.

use crate::encoding::pack;
use crate::error::Error;
use crate::key::{SigningKey, SigningKeyRef, share_key, split_mut};
use crate::masking::{
    MaskGenerator, MaskStream, Masks, Output, Sign, ZeroEncoding, mask_compress_share,
};
use crate::matrix::Matrix;
use crate::params::{NU_T, ParameterSet, Q_BITS, S_BYTES, T_BITS, T_BYTES, wipe};
use crate::ring::Poly;
use crate::sampling::{sample_q, share_header};
use crate::storage::Zeroed;
use crate::workspace::Workspace;
use rand_core::TryCryptoRng;

/// Coefficients rounded at a time, and the bytes that they are packed into.
pub(crate) const ROUNDED: usize = 64;
const T_BLOCK: usize = ROUNDED * T_BITS as usize / 8;

/// Generates a key pair into `secret`, whose first `L::VERIFYING_KEY_BYTES` bytes are
/// the public key (Algorithm 1 with the encoding of specification 2.5).
///
/// Secrets come from `rng`, masks from `masks`, and all work is done in `workspace`.
///
/// # Errors
/// [`Error::Randomness`]; `secret` is then wiped.
pub fn generate<L, const D: usize, M, G, R>(
    secret: &mut L::SigningKeyBytes,
    rng: &mut R,
    masks: &mut Masks<L, D, G>,
    workspace: &mut Workspace<L, D, M, G>,
) -> Result<(), Error>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
    R: TryCryptoRng + ?Sized,
{
    let result = workspace.keygen(secret.as_mut(), rng, masks.streams());
    workspace.wipe();
    if result.is_err() {
        wipe(secret);
    }
    result
}

/// Replaces the sharing of s in an encoded key by a fresh one with new share keys
/// (specification 2.5.3); the key itself stays the same. Store the result.
///
/// # Errors
/// [`Error::Randomness`]; the old encoding then stands.
pub fn refresh<L, const D: usize, M, G, R>(
    key: &mut SigningKey<L, D>,
    rng: &mut R,
    masks: &mut Masks<L, D, G>,
    workspace: &mut Workspace<L, D, M, G>,
) -> Result<(), Error>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
    R: TryCryptoRng + ?Sized,
{
    let mut new_keys = <L::Pairs<L::Seed> as Zeroed>::ZERO;
    let result = workspace.refresh(key, rng, masks.streams(), new_keys.as_mut());
    new_keys.as_mut().iter_mut().for_each(wipe);
    workspace.wipe();
    result
}

impl<L, const D: usize, M, G> Workspace<L, D, M, G>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    fn keygen<R: TryCryptoRng + ?Sized>(
        &mut self,
        secret: &mut [u8],
        rng: &mut R,
        streams: &mut [MaskStream<G>],
    ) -> Result<(), Error> {
        let (public, share_keys, share0) = split_mut::<L, D>(secret);
        let (seed, t) = public.split_at_mut(L::KAPPA / 8);

        // 1. The seed of A.
        rng.try_fill_bytes(seed).map_err(|_| Error::Randomness)?;
        // 2. ExpandA.
        self.matrix.prepare(seed);
        // 3, 4. s, short and masked.
        self.commit_vector(L::U_T, rng, streams)?;
        for (i, packed) in t.chunks_exact_mut(T_BYTES).enumerate() {
            // 5, 6, 7. t_i = A_i s + noise, decoded.
            self.commit_row(i, L::U_T, seed, rng, streams)?;
            // 8. Rounded.
            for (block, packed) in packed.chunks_exact_mut(T_BLOCK).enumerate() {
                let mut rounded = [0; ROUNDED];
                self.sum.round(ROUNDED * block, NU_T, &mut rounded);
                pack(packed, T_BITS, |n| rounded[n].into());
            }
        }
        // 9. The secret key: s once more compressed, with the share keys of the encoding.
        for share_key in share_keys.chunks_exact_mut(L::KAPPA / 8) {
            rng.try_fill_bytes(share_key).map_err(|_| Error::Randomness)?;
        }
        for (m, packed) in share0.chunks_exact_mut(S_BYTES).enumerate() {
            self.encode_share0(m, share_keys, streams);
            pack(packed, Q_BITS, |n| self.sum.lift(n));
        }
        Ok(())
    }

    /// MaskCompress of x_m from the masks of `compression` to those of the share keys, in
    /// `sum`.
    /// Moves the cursors of `compression` on to the masks of x_{m+1}.
    fn encode_share0(&mut self, m: usize, share_keys: &[u8], streams: &[MaskStream<G>]) {
        let x = &mut self.sum;
        self.x.as_ref()[m].unpack(x);
        for (j, (stream, cursor)) in (1..).zip(streams.iter().zip(self.compression.as_mut())) {
            stream.generator.uniform(cursor, Sign::Plus, Output::Set(&mut self.share));
            mask_compress_share(x, j, &self.share, |x| {
                subtract_share(x, m, j, share_key::<L>(share_keys, j), &mut self.scratch);
            });
        }
    }

    fn refresh<R: TryCryptoRng + ?Sized>(
        &mut self,
        key: &mut SigningKey<L, D>,
        rng: &mut R,
        streams: &mut [MaskStream<G>],
        new_keys: &mut [L::Seed],
    ) -> Result<(), Error> {
        for new_key in new_keys.iter_mut() {
            rng.try_fill_bytes(new_key.as_mut()).map_err(|_| Error::Randomness)?;
        }
        for m in 0..L::ELL {
            self.refresh_polynomial(&key.as_view(), m, streams, new_keys);
        }
        // Nothing can fail from here on: the key is the old one or the new one.
        let (_, share_keys, share0) = split_mut::<L, D>(key.bytes.as_mut());
        for (old, new) in share_keys.chunks_exact_mut(L::KAPPA / 8).zip(new_keys) {
            old.copy_from_slice(new.as_ref());
        }
        for (x, packed) in self.x.as_ref().iter().zip(share0.chunks_exact_mut(S_BYTES)) {
            x.unpack(&mut self.sum);
            pack(packed, Q_BITS, |n| self.sum.lift(n));
        }
        Ok(())
    }

    /// Refresh, then MaskCompress to the new share keys, of s_m into x_m.
    fn refresh_polynomial(
        &mut self,
        key: &SigningKeyRef<'_, L, D>,
        m: usize,
        streams: &mut [MaskStream<G>],
        new_keys: &[L::Seed],
    ) {
        let x = &mut self.sum;
        let [encoding, ..] = self.encodings.as_mut() else { unreachable!() };
        let mut encoding = ZeroEncoding::new(encoding.as_mut());
        for j in 0..D {
            key.expand_share(m, j, &mut self.share);
            encoding.refresh_share(j, streams, &mut self.scratch, &mut self.share);
            self.share.reduce();
            mask_compress_share(x, j, &self.share, |x| {
                subtract_share(x, m, j, new_keys[j - 1].as_ref(), &mut self.scratch);
            });
        }
        self.x.as_mut()[m].pack(x);
    }
}

/// Subtracts from `x` share `j` of polynomial `m`, as its share key expands; adds 2 to the
/// bound. `scratch` is used.
#[inline(never)]
fn subtract_share(x: &mut Poly, m: usize, j: usize, share_key: &[u8], scratch: &mut Poly) {
    sample_q(scratch, share_header(m, j), share_key);
    x.sub(scratch);
}
