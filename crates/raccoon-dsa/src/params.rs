//! The three levels and the six share counts (specification, tables 2 to 4).
//!
//! A *level* ([`Raccoon128`], [`Raccoon192`], [`Raccoon256`]) fixes everything a
//! verifier sees. A *parameter set* is a level with a number of shares `D`; it is
//! an implementation of [`ParameterSet<D>`] for the level, so a `D` for which the
//! specification has no parameters does not compile.

use crate::storage::{Storage, Zeroed};
use core::fmt::Debug;
use zeroize::Zeroize;

/// Degree of the ring Rq = Zq\[x\]/(x^n + 1).
pub const N: usize = 512;
/// First prime factor of q: 2^24 - 2^18 + 1.
pub const Q1: i32 = (1 << 24) - (1 << 18) + 1;
/// Second prime factor of q: 2^25 - 2^18 + 1.
pub const Q2: i32 = (1 << 25) - (1 << 18) + 1;
/// The modulus q = q1 * q2 = 549824583172097, a 49-bit number.
pub const Q: u64 = Q1 as u64 * Q2 as u64;
/// Bits of a coefficient mod q.
pub const Q_BITS: u32 = 49;
/// Bits dropped from t in the public key, nu_t.
pub const NU_T: u32 = 42;
/// Bits dropped from the commitment w, nu_w.
pub const NU_W: u32 = 44;
/// Modulus of the rounded t: floor(q / 2^nu_t) = 125.
pub const Q_T: u64 = Q >> NU_T;
/// Modulus of the rounded w: floor(q / 2^nu_w) = 31.
pub const Q_W: u64 = Q >> NU_W;
/// Bits of a rounded t coefficient in the public key.
pub const T_BITS: u32 = Q_BITS - NU_T;
/// Bytes of one polynomial of t in a public key.
pub const T_BYTES: usize = N * T_BITS as usize / 8;
/// Bits of a rounded w coefficient, or of a hint modulo q_w.
pub const W_BITS: u32 = Q_BITS - NU_W;
/// Bytes of one polynomial of w while it is kept.
pub const W_BYTES: usize = N * W_BITS as usize / 8;
/// Bytes of one polynomial mod q in a secret key.
pub const S_BYTES: usize = N * Q_BITS as usize / 8;
/// Low bits of |z| that are written as they are (specification 2.5.1).
pub const Z_LOW_BITS: u32 = 40;

mod sealed {
    pub trait Sealed {}
}

/// A security level: all that public keys and signatures depend on.
///
/// Implemented by [`Raccoon128`], [`Raccoon192`] and [`Raccoon256`] alone.
pub trait Level: sealed::Sealed + Copy + Eq + Debug + Send + Sync + 'static {
    /// The name in lower case, such as `raccoon-128`.
    const NAME: &'static str;
    /// Security parameter kappa, in bits: 128, 192 or 256.
    const KAPPA: usize;
    /// Rows k of the matrix A; polynomials of t, w and h.
    const K: usize;
    /// Columns l of the matrix A; polynomials of s, r and z.
    const ELL: usize;
    /// Non-zero coefficients omega of the challenge polynomial.
    const OMEGA: usize;
    /// Bound 2^-64 * B2^2 on the scaled squared norm of (z, 2^nu_w h).
    const B22: u64;
    /// Bound B_inf on every |z| coefficient.
    const B_INF: u64;
    /// Bound on every |h| coefficient: B_inf / 2^nu_w, rounded.
    const H_INF: u64 = (Self::B_INF + (1 << (NU_W - 1))) >> NU_W;
    /// Bytes of a public key: the seed of A and k polynomials of t.
    const VERIFYING_KEY_BYTES: usize = Self::KAPPA / 8 + Self::K * T_BYTES;
    /// Bytes of a signature.
    const SIGNATURE_BYTES: usize;

    /// kappa bits: a seed, or the key of one share.
    type Seed: ByteArray;
    /// 2 kappa bits: a challenge hash, a message hash, a key hash.
    type Digest: ByteArray;
    /// An encoded public key.
    type VerifyingKeyBytes: ByteArray;
    /// An encoded signature.
    type SignatureBytes: ByteArray;
    /// `[T; ELL]`.
    type Columns<T: Zeroed>: Storage<T>;
    /// `[T; K]`.
    type Rows<T: Zeroed>: Storage<T>;
}

/// The parameters of a level that depend on the number of shares `D`.
pub trait ParameterSet<const D: usize>: Level {
    /// Repetitions of the noise in AddRepNoise.
    const REP: usize;
    /// Bits u_t of the key's noise.
    const U_T: u32;
    /// Bits u_w of the commitment's noise.
    const U_W: u32;
    /// Bytes of a secret key: public key, d-1 share keys, share 0.
    const SIGNING_KEY_BYTES: usize =
        Self::VERIFYING_KEY_BYTES + (D - 1) * Self::KAPPA / 8 + Self::ELL * S_BYTES;

    /// An encoded secret key.
    type SigningKeyBytes: ByteArray;
    /// `[T; D - 1]`: one value for every share but the first.
    type Pairs<T: Zeroed>: Storage<T>;
    /// The noise seeds of one polynomial: `[[Seed; D]; REP]`.
    type NoiseSeeds: Storage<[Self::Seed; D]>;
    /// `[Pairs<T>; REP + 1]`: what the zero encodings of one polynomial remember.
    type ZeroEncodings<T: Zeroed>: Storage<Self::Pairs<T>>;
}

/// A fixed-size array of bytes.
pub trait ByteArray: Storage<u8> + Copy + Eq + Debug + Send + Sync + 'static {}

impl<const B: usize> ByteArray for [u8; B] {}

macro_rules! level {
    ($(#[$doc:meta])* $level:ident, $name:literal, kappa $kappa:literal, k $k:literal, l $l:literal,
     omega $omega:literal, b22 $b22:literal, b_inf $b_inf:literal, sig $sig:literal,
     sets [$($d:literal: rep $rep:literal, u_t $u_t:literal, u_w $u_w:literal;)*]) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $level;

        impl sealed::Sealed for $level {}

        impl Level for $level {
            const NAME: &'static str = $name;
            const KAPPA: usize = $kappa;
            const K: usize = $k;
            const ELL: usize = $l;
            const OMEGA: usize = $omega;
            const B22: u64 = $b22;
            const B_INF: u64 = $b_inf;
            const SIGNATURE_BYTES: usize = $sig;

            type Seed = [u8; $kappa / 8];
            type Digest = [u8; $kappa / 4];
            type VerifyingKeyBytes = [u8; <$level as Level>::VERIFYING_KEY_BYTES];
            type SignatureBytes = [u8; $sig];
            type Columns<T: Zeroed> = [T; $l];
            type Rows<T: Zeroed> = [T; $k];
        }

        $(impl ParameterSet<$d> for $level {
            const REP: usize = $rep;
            const U_T: u32 = $u_t;
            const U_W: u32 = $u_w;

            type SigningKeyBytes = [u8; <$level as ParameterSet<$d>>::SIGNING_KEY_BYTES];
            type Pairs<T: Zeroed> = [T; $d - 1];
            type NoiseSeeds = [[Self::Seed; $d]; $rep];
            type ZeroEncodings<T: Zeroed> = [[T; $d - 1]; $rep + 1];
        })*
    };
}

level! {
    /// Raccoon-128: kappa = 128, comparable to AES-128.
    Raccoon128, "raccoon-128", kappa 128, k 5, l 4,
    omega 19, b22 14_656_575_897, b_inf 41_954_689_765_971, sig 11_524,
    sets [
        1: rep 8, u_t 6, u_w 41;
        2: rep 4, u_t 6, u_w 41;
        4: rep 2, u_t 6, u_w 41;
        8: rep 4, u_t 5, u_w 40;
        16: rep 2, u_t 5, u_w 40;
        32: rep 4, u_t 4, u_w 39;
    ]
}

level! {
    /// Raccoon-192: kappa = 192, comparable to AES-192.
    Raccoon192, "raccoon-192", kappa 192, k 7, l 5,
    omega 31, b22 24_964_497_408, b_inf 47_419_426_657_048, sig 14_544,
    sets [
        1: rep 8, u_t 7, u_w 41;
        2: rep 4, u_t 7, u_w 41;
        4: rep 2, u_t 7, u_w 41;
        8: rep 4, u_t 6, u_w 40;
        16: rep 2, u_t 6, u_w 40;
        32: rep 4, u_t 5, u_w 39;
    ]
}

level! {
    /// Raccoon-256: kappa = 256, comparable to AES-256.
    Raccoon256, "raccoon-256", kappa 256, k 9, l 7,
    omega 44, b22 38_439_957_299, b_inf 50_958_538_642_039, sig 20_330,
    sets [
        1: rep 8, u_t 6, u_w 41;
        2: rep 4, u_t 6, u_w 41;
        4: rep 2, u_t 6, u_w 41;
        8: rep 4, u_t 5, u_w 40;
        16: rep 2, u_t 5, u_w 40;
        32: rep 4, u_t 4, u_w 39;
    ]
}

/// Wipes the elements of a [`Storage`].
#[inline(never)]
pub(crate) fn wipe<T: Zeroize>(storage: &mut impl AsMut<[T]>) {
    storage.as_mut().iter_mut().for_each(Zeroize::zeroize);
}
