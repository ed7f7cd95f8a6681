//! Signing (Algorithm 2).

use crate::bounds::{centre_q, centre_w};
use crate::challenge::{ChalHash, chal_poly};
use crate::encoding::{Candidate, Rejected, SignatureWriter, pack, unpack};
use crate::error::Error;
use crate::key::{SigningKeyRef, VerifyingKeyRef};
use crate::keygen::ROUNDED;
use crate::masking::{
    MaskGenerator, MaskStream, Masks, Output, ResponseEncodings, Sign, ZeroEncoding, response_share,
};
use crate::matrix::Matrix;
use crate::message::MessageHash;
use crate::params::{Level, N, NU_T, NU_W, ParameterSet, Q_W, W_BITS};
use crate::ring::Poly;
use crate::storage::Zeroed;
use crate::workspace::Workspace;
use rand_core::TryCryptoRng;

/// Signatures rejected in a row before the key is taken for damaged or the random
/// generator for broken. One is rejected with a probability below 10^-3 (specification
/// 2.6).
const MOST_ATTEMPTS: usize = 64;

/// Bytes of as many coefficients of w as are rounded at a time.
const W_BLOCK: usize = ROUNDED * W_BITS as usize / 8;

/// Signs a message hash into `signature` (Algorithm 2).
///
/// The key is only read; replace its sharing with [`refresh`](crate::refresh). Secrets
/// come from `rng`, masks from `masks`, and all work is done in `workspace`.
///
/// # Errors
/// [`Error::Randomness`], [`Error::Exhausted`]; `signature` is then all zero.
pub fn sign<L, const D: usize, M, G, R>(
    key: &SigningKeyRef<'_, L, D>,
    mu: &MessageHash<L>,
    signature: &mut L::SignatureBytes,
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
    *signature = Zeroed::ZERO;
    let mut rest = signature.as_mut();
    sign_streamed(key, mu, rng, masks, workspace, |piece| {
        let (now, later) = core::mem::take(&mut rest).split_at_mut(piece.len());
        now.copy_from_slice(piece);
        rest = later;
    })
}

/// Signs a message hash (Algorithm 2) and hands the signature to `emit` in pieces of 64
/// bytes at most, so that it need not fit into memory.
///
/// `emit` is first called when nothing can fail any more. All else is as in [`sign`].
///
/// # Errors
/// [`Error::Randomness`], [`Error::Exhausted`]; `emit` is then never called.
pub fn sign_streamed<L, const D: usize, M, G, R>(
    key: &SigningKeyRef<'_, L, D>,
    mu: &MessageHash<L>,
    rng: &mut R,
    masks: &mut Masks<L, D, G>,
    workspace: &mut Workspace<L, D, M, G>,
    emit: impl FnMut(&[u8]),
) -> Result<(), Error>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
    R: TryCryptoRng + ?Sized,
{
    let signed = workspace.sign(key, mu, rng, masks.streams());
    let result = signed.map(|c_hash| workspace.encode(&c_hash, emit));
    workspace.wipe();
    result
}

impl<L, const D: usize, M, G> Workspace<L, D, M, G>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    /// Leaves the hint in `w` and z in `x`, and returns the challenge hash.
    fn sign<R: TryCryptoRng + ?Sized>(
        &mut self,
        key: &SigningKeyRef<'_, L, D>,
        mu: &MessageHash<L>,
        rng: &mut R,
        streams: &mut [MaskStream<G>],
    ) -> Result<L::Digest, Error> {
        let public = key.verifying_key();
        // 3. ExpandA.
        self.matrix.prepare(public.seed());
        for _ in 0..MOST_ATTEMPTS {
            // 4, 5. r, short and masked.
            self.commit_vector(L::U_W, rng, streams)?;
            // 6 to 10.
            let c_hash = self.commit(mu, public.seed(), rng, streams)?;
            // 11. ChalPoly.
            chal_poly::<L>(&mut self.sum, &c_hash);
            // 12 to 16.
            self.respond(key, streams);
            // 17 to 20.
            if self.hint(public).is_ok() {
                return Ok(c_hash);
            }
        }
        Err(Error::Exhausted)
    }

    /// The commitment w = A r + noise, rounded, and its challenge hash (lines 6 to 10).
    fn commit<R: TryCryptoRng + ?Sized>(
        &mut self,
        mu: &MessageHash<L>,
        seed: &[u8],
        rng: &mut R,
        streams: &mut [MaskStream<G>],
    ) -> Result<L::Digest, Error> {
        let mut hash = ChalHash::new::<L>(&mu.0);
        let mut rounded = [0; ROUNDED];
        for i in 0..L::K {
            // 6, 7, 8. w_i = A_i r + noise, decoded.
            self.commit_row(i, L::U_W, seed, rng, streams)?;
            // 9, 10. Rounded, and ChalHash.
            for (block, w) in self.w.as_mut()[i].chunks_exact_mut(W_BLOCK).enumerate() {
                self.sum.round(ROUNDED * block, NU_W, &mut rounded);
                hash.absorb(&rounded);
                pack(w, W_BITS, |n| rounded[n].into());
            }
        }
        Ok(hash.finish::<L>())
    }

    /// The response z = c s + r (lines 12 to 16), decoded, in `x`, in the NTT domain. Uses the cursors of `compression` up.
    fn respond(&mut self, key: &SigningKeyRef<'_, L, D>, streams: &mut [MaskStream<G>]) {
        let (share, scratch) = (&mut self.share, &mut self.scratch);
        let compression = self.compression.as_mut();
        let [s, r, z, ..] = self.encodings.as_mut() else { unreachable!() };
        for (m, x) in self.x.as_mut().iter_mut().enumerate() {
            let mut encodings = ResponseEncodings {
                s: ZeroEncoding::new(s.as_mut()),
                r: ZeroEncoding::new(r.as_mut()),
                z: ZeroEncoding::new(z.as_mut()),
            };
            for j in 0..D {
                key.expand_share(m, j, share);
                let add_mask = |streams: &[MaskStream<G>], r: Output<'_, Poly>| {
                    streams[j - 1].generator.uniform(&mut compression[j - 1], Sign::Plus, r);
                };
                let c = &self.sum;
                response_share(x, j, share, c, add_mask, &mut encodings, streams, scratch);
            }
        }
    }

    /// The hint h, in place of w modulo q_w, and z in coefficients, if they are in bounds
    /// (lines 17 to 20).
    #[inline(never)]
    fn hint(&mut self, key: &VerifyingKeyRef<'_, L>) -> Result<(), Rejected> {
        let mut candidate = Candidate::<L>::new();
        let y = &mut self.share;
        let mut rounded = [0; ROUNDED];
        for (i, w) in self.w.as_mut().iter_mut().enumerate() {
            // 17. y_i = A_i z - 2^nu_t c t_i, of bound 1 + 7.
            minus_c_t(y, key, i, &self.sum, &mut self.scratch);
            self.matrix.mul_row_add(i, key.seed(), self.x.as_ref(), y, &mut self.scratch, false);
            y.intt_product();
            // 18. h_i = w_i - round(y_i).
            for (block, w) in w.chunks_exact_mut(W_BLOCK).enumerate() {
                y.round(ROUNDED * block, NU_W, &mut rounded);
                unpack(w, W_BITS, |n, w| {
                    rounded[n] = ((w + Q_W - u64::from(rounded[n])) as u32 % Q_W as u32) as u8;
                });
                rounded.iter().try_for_each(|&h| candidate.hint(centre_w(h.into())))?;
                pack(w, W_BITS, |n| rounded[n].into());
            }
        }
        let z = y;
        for packed in self.x.as_mut() {
            packed.unpack(z);
            z.intt();
            (0..N).try_for_each(|n| candidate.response(centre_q(z.lift(n))))?;
            packed.pack(z);
        }
        candidate.check()
    }

    /// The signature, of which all parts are known (line 21).
    #[inline(never)]
    fn encode(&mut self, c_hash: &L::Digest, emit: impl FnMut(&[u8])) {
        let mut writer = SignatureWriter::<L, _>::new(c_hash, emit);
        for h in self.w.as_ref() {
            unpack(h, W_BITS, |_, h| writer.hint(centre_w(h as u32)));
        }
        let z = &mut self.share;
        for packed in self.x.as_ref() {
            packed.unpack(z);
            (0..N).for_each(|n| writer.response(centre_q(z.lift(n))));
        }
        writer.finish();
    }
}

/// y = - 2^nu_t c t_i in the NTT domain and product scale, with bound 1, from the
/// challenge in Montgomery scale; A_i z is then added. `scratch` is used.
pub(crate) fn minus_c_t<L: Level>(
    y: &mut Poly,
    key: &VerifyingKeyRef<'_, L>,
    i: usize,
    c: &Poly,
    scratch: &mut Poly,
) {
    let t = scratch;
    // In product scale, 2^nu_t t_i is 2^(nu_t - 32) t_i, which is below 2^17.
    key.t(i, |n, x| t.set_small(n, (x << (NU_T - 32)) as i32));
    t.ntt();
    // Bound 8 against 15/2 of c: within 64.
    t.mul(c);
    y.clear();
    y.sub(t);
}
