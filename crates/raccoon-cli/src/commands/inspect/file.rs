//! What a file is.

use crate::commands::fingerprint;
use crate::failure::Failure;
use crate::kind::{Kind, read_some_kind};
use crate::set::{LevelOperation, SetOperation};
use crate::table::{Align, Table, bits, bytes};
use raccoon_dsa::encoding::{SignatureReader, decode_signature};
use raccoon_dsa::params::{N, S_BYTES, T_BYTES, Z_LOW_BITS};
use raccoon_dsa::{Error, Level, ParameterSet, SigningKeyRef, VerifyingKeyRef};
use std::io::Write;
use std::path::Path;

/// Writes what a file is, its parts, and whether it is well-formed; fails if it is not.
pub fn describe(path: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let (kind, bytes) = read_some_kind(path)?;
    let description = match kind {
        Kind::PublicKey(level) => level.run(PublicKey(&bytes)),
        Kind::SecretKey(set) => set.run(SecretKey(&bytes)),
        Kind::Signature(level) => level.run(Signature(&bytes)),
    };
    let Description { shares, parts, fingerprint, verdict } = description;
    writeln!(out, "{}: {kind}, {shares}\n\n{parts}", path.display())?;
    if let Some(fingerprint) = fingerprint {
        writeln!(out, "fingerprint {fingerprint}")?;
    }
    verdict.map_err(|error| Failure::file(path, error))?;
    writeln!(out, "well-formed")?;
    Ok(())
}

/// All that is shown of a file, none of it secret.
struct Description {
    shares: String,
    parts: Parts,
    /// Of the public key.
    fingerprint: Option<String>,
    verdict: Result<(), Error>,
}

/// Name, size, details.
type Parts = Table<3>;

fn parts() -> Parts {
    Table::new([Align::Left, Align::Right, Align::Left])
}

/// Of what does not depend on the number of shares.
const ANY_SHARES: &str = "for any d";

struct PublicKey<'a>(&'a [u8]);

impl LevelOperation for PublicKey<'_> {
    type Output = Description;

    fn run<L: Level>(self) -> Description {
        let mut parts = parts();
        parts.row(["seed of A", &bytes(L::KAPPA / 8), ""]);
        parts.row(["t", &bytes(L::K * T_BYTES), &format!("{} x {}", L::K, bytes(T_BYTES))]);
        parts.row(["all", &bytes(self.0.len()), ""]);
        Description {
            shares: ANY_SHARES.to_string(),
            parts,
            fingerprint: Some(fingerprint(self.0)),
            verdict: VerifyingKeyRef::<L>::from_bytes(self.0).map(drop),
        }
    }
}

struct SecretKey<'a>(&'a [u8]);

impl SetOperation for SecretKey<'_> {
    type Output = Description;

    fn run<L: ParameterSet<D>, const D: usize>(self) -> Description {
        let public_key = PublicKey(&self.0[..L::VERIFYING_KEY_BYTES]).run::<L>();
        let (share_keys, share_key) = (D - 1, L::KAPPA / 8);
        let share0 = L::ELL * S_BYTES;

        let mut parts = parts();
        parts.row(["public key", &bytes(L::VERIFYING_KEY_BYTES), ""]);
        let details = format!("{share_keys} x {}", bytes(share_key));
        parts.row(["share keys", &bytes(share_keys * share_key), &details]);
        parts.row(["share 0", &bytes(share0), &format!("{} x {}", L::ELL, bytes(S_BYTES))]);
        parts.row(["all", &bytes(self.0.len()), ""]);
        Description {
            shares: format!("d = {D}"),
            parts,
            verdict: SigningKeyRef::<L, D>::from_bytes(self.0).map(drop),
            ..public_key
        }
    }
}

struct Signature<'a>(&'a [u8]);

impl LevelOperation for Signature<'_> {
    type Output = Description;

    fn run<L: Level>(self) -> Description {
        let lengths = bit_lengths::<L>(self.0);
        let mut parts = parts();
        let (all, challenge) = (8 * self.0.len(), 2 * L::KAPPA);
        parts.row(["challenge hash", &bits(challenge), ""]);
        if let Ok((h, z)) = lengths {
            parts.row(["h", &bits(h), &format!("{} polynomials", L::K)]);
            parts.row(["z", &bits(z), &format!("{} polynomials", L::ELL)]);
            parts.row(["padding", &bits(all - challenge - h - z), ""]);
        }
        parts.row(["all", &bits(all), &bytes(self.0.len())]);
        Description {
            shares: ANY_SHARES.to_string(),
            parts,
            fingerprint: None,
            verdict: lengths.map(drop),
        }
    }
}

/// Bits of the encodings of h and z in a signature of the right length.
fn bit_lengths<L: Level>(signature: &[u8]) -> Result<(usize, usize), Error> {
    let mut z_bits = 0;
    let mut hints: SignatureReader<'_> = decode_signature::<L>(signature, |_, _, z| {
        let high = z.unsigned_abs() >> Z_LOW_BITS;
        z_bits += Z_LOW_BITS as usize + unary_and_sign(high, z == 0);
    })?;
    let mut h_bits = 0;
    for _ in 0..L::K * N {
        let h = hints.hint(L::H_INF).map_err(|_| Error::Truncated)?;
        h_bits += unary_and_sign(u64::from(h.unsigned_abs()), h == 0);
    }
    Ok((h_bits, z_bits))
}

/// Bits of `ones` ones, a zero, and a sign where there is one (specification 2.5.1).
fn unary_and_sign(ones: u64, is_zero: bool) -> usize {
    ones as usize + 1 + usize::from(!is_zero)
}
