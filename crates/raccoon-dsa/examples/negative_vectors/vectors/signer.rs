//! A signer without masks that follows the equation of verification but not the bounds:
//! its signatures are right in all but what it is asked to get wrong.

use super::model::Triple;
use raccoon_dsa::bounds::{centre_q, centre_w, round_shift};
use raccoon_dsa::challenge::{ChalHash, chal_poly};
use raccoon_dsa::encoding::unpack;
use raccoon_dsa::params::{
    Level, N, NU_T, NU_W, ParameterSet, Q_BITS, Q_W, S_BYTES, T_BITS, T_BYTES,
};
use raccoon_dsa::ring::Poly;
use raccoon_dsa::sampling::{add_sample_u, expand_a};
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::xof::Shake256;
use std::array;
use std::marker::PhantomData;

/// What a signature should be like.
#[derive(Clone, Copy)]
pub struct Wish {
    /// Uniform terms that each coefficient of r is the sum of. An honest signer has 8;
    /// with more the encoding gets longer.
    pub terms: usize,
    /// Coefficient 0 of r_0, if it is not to be random. That of z_0 is near it.
    pub response: Option<i64>,
    /// Added to the first so many coefficients of w_0, and thus to those of h_0.
    pub hints: (usize, i32),
}

/// An honest signer's choices.
pub const HONEST: Wish = Wish { terms: 8, response: None, hints: (0, 0) };

/// A key with one share, ready to sign again and again.
pub struct Signer<L: ParameterSet<1>> {
    public: Vec<u8>,
    matrix: Vec<Vec<Poly>>,
    /// In the NTT domain.
    s: Vec<Poly>,
    level: PhantomData<L>,
}

impl<L: ParameterSet<1>> Signer<L> {
    /// The signer of an encoded secret key, well-formed or not.
    pub fn new(secret: &[u8]) -> Self {
        let (public, share0) = secret.split_at(L::VERIFYING_KEY_BYTES);
        let seed = &public[..L::KAPPA / 8];
        let entry = |i, j| {
            let mut entry = Poly::ZERO;
            expand_a(&mut entry, i, j, seed);
            entry
        };
        let polynomial = |packed| {
            let mut s = Poly::ZERO;
            unpack(packed, Q_BITS, |n, x| s.set(n, x as i64));
            s
        };
        Self {
            public: public.to_vec(),
            matrix: (0..L::K).map(|i| (0..L::ELL).map(|j| entry(i, j)).collect()).collect(),
            s: share0.chunks_exact(S_BYTES).map(polynomial).collect(),
            level: PhantomData,
        }
    }

    /// mu = H(H(vk) || msg).
    pub fn message_hash(&self, message: &[u8]) -> L::Digest {
        let tr = shake::<L>(&[&self.public]);
        shake::<L>(&[tr.as_ref(), message])
    }

    /// A signature whose randomness comes from `seed` alone.
    pub fn sign(&self, mu: &L::Digest, seed: u64, wish: &Wish) -> Triple {
        let r = self.nonce(seed, wish);
        let r_ntt: Vec<Poly> = r.iter().map(transformed).collect();
        let w: Vec<[u8; N]> = (0..L::K).map(|i| self.commitment(i, &r_ntt, seed, wish)).collect();

        let mut hash = ChalHash::new::<L>(mu);
        w.iter().for_each(|w| hash.absorb(w));
        let c_hash = hash.finish::<L>();
        let mut c = Poly::ZERO;
        chal_poly::<L>(&mut c, &c_hash);

        let z: Vec<Poly> = self.s.iter().zip(&r).map(|(s, r)| response(s, &c, r)).collect();
        let z_ntt: Vec<Poly> = z.iter().map(transformed).collect();
        let hints = w.iter().enumerate().flat_map(|(i, w)| self.hints(i, w, &z_ntt, &c));
        Triple {
            c_hash: c_hash.as_ref().to_vec(),
            hints: hints.collect(),
            responses: z.iter().flat_map(|z| (0..N).map(|n| centre_q(z.lift(n)))).collect(),
        }
    }

    /// r, in coefficients.
    fn nonce(&self, seed: u64, wish: &Wish) -> Vec<Poly> {
        let mut r: Vec<Poly> = (0..L::ELL).map(|m| noise::<L>('r', m, seed, wish.terms)).collect();
        if let Some(x) = wish.response {
            r[0].set(0, x);
        }
        r
    }

    /// Adds row i of A times a vector in the NTT domain to `y`, which is in product scale;
    /// then takes `y` to plain coefficients.
    fn add_row(&self, i: usize, x: &[Poly], y: &mut Poly) {
        self.matrix[i].iter().zip(x).for_each(|(entry, x)| y.mul_add(entry, x));
        y.intt_product();
    }

    /// w_i, rounded.
    fn commitment(&self, i: usize, r: &[Poly], seed: u64, wish: &Wish) -> [u8; N] {
        let mut y = Poly::ZERO;
        self.add_row(i, r, &mut y);
        y.add(&noise::<L>('w', i, seed, HONEST.terms));
        let (count, shift) = if i == 0 { wish.hints } else { (0, 0) };
        array::from_fn(|n| {
            let w = round_shift(y.lift(n), NU_W) as i32;
            let shift = if n < count { shift } else { 0 };
            (w + shift).rem_euclid(Q_W as i32) as u8
        })
    }

    /// h_i = w_i - round(A_i z - 2^nu_t c t_i).
    fn hints(&self, i: usize, w: &[u8; N], z: &[Poly], c: &Poly) -> [i32; N] {
        let at = L::KAPPA / 8 + i * T_BYTES;
        let packed = &self.public[at..at + T_BYTES];
        let (mut t, mut y) = (Poly::ZERO, Poly::ZERO);
        unpack(packed, T_BITS, |n, x| t.set_small(n, (x << (NU_T - 32)) as i32));
        t.ntt();
        t.mul(c);
        y.sub(&t);
        self.add_row(i, z, &mut y);
        array::from_fn(|n| {
            let y = round_shift(y.lift(n), NU_W);
            centre_w((u64::from(w[n]) + Q_W - y) as u32)
        })
    }
}

/// c s + r, in coefficients.
fn response(s: &Poly, c: &Poly, r: &Poly) -> Poly {
    let mut z = Poly::ZERO;
    z.copy_from(s);
    z.mul(c);
    z.intt();
    z.add(r);
    z
}

/// In the NTT domain, reduced.
fn transformed(x: &Poly) -> Poly {
    let mut transformed = Poly::ZERO;
    transformed.copy_from(x);
    transformed.ntt();
    transformed.reduce();
    transformed
}

/// Coefficients that are sums of `terms` uniform ones of u_w bits.
fn noise<L: ParameterSet<1>>(label: char, index: usize, seed: u64, terms: usize) -> Poly {
    let mut poly = Poly::ZERO;
    for term in 0..terms {
        let header = [label as u8, index as u8, term as u8, 0, 0, 0, 0, 0];
        add_sample_u(&mut poly, header, &seed.to_le_bytes(), L::U_W);
    }
    poly.reduce();
    poly
}

/// SHAKE256 of some parts.
fn shake<L: Level>(parts: &[&[u8]]) -> L::Digest {
    let mut xof = Shake256::new();
    parts.iter().for_each(|part| xof.absorb(part));
    xof.finish();
    let mut digest = <L::Digest as Zeroed>::ZERO;
    xof.read(digest.as_mut());
    digest
}
