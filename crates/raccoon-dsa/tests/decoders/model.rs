//! The encodings of specification 2.5 spelled out one bit at a time, slowly and
//! plainly: what the decoders of the crate are compared with.
//!
//! Bit i of a byte string is bit i mod 8 of byte i / 8.

use raccoon_dsa::params::{
    Level, N, NU_W, ParameterSet, Q, Q_BITS, Q_T, S_BYTES, T_BITS, T_BYTES, Z_LOW_BITS,
};
use raccoon_dsa::{Encoding, Error};

/// A signature.
pub struct Triple {
    /// The challenge hash.
    pub c_hash: Vec<u8>,
    /// k * n coefficients of h.
    pub hints: Vec<i32>,
    /// l * n coefficients of z.
    pub responses: Vec<i64>,
}

/// A decoded signature, and where its coefficients are.
pub struct Decoded {
    /// The signature.
    pub triple: Triple,
    /// First bit of each coefficient of h.
    pub hint_at: Vec<usize>,
    /// First bit of each coefficient of z.
    pub response_at: Vec<usize>,
    /// The bit behind the last coefficient.
    pub end: usize,
}

/// Bits from the lowest one on.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn bit(&mut self) -> Result<u64, Error> {
        let byte = self.bytes.get(self.at / 8).ok_or(Error::Truncated)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Ok(bit.into())
    }

    fn number(&mut self, bits: u32) -> Result<u64, Error> {
        (0..bits).try_fold(0, |number, i| Ok(number | self.bit()? << i))
    }

    /// The ones before the next zero, which is read too.
    fn unary(&mut self, limit: u64, beyond: Error) -> Result<u64, Error> {
        let mut ones = 0;
        while self.bit()? == 1 {
            ones += 1;
            if ones > limit {
                return Err(beyond);
            }
        }
        Ok(ones)
    }

    fn signed(&mut self, magnitude: u64) -> Result<i64, Error> {
        let negative = magnitude != 0 && self.bit()? == 1;
        Ok(if negative { -(magnitude as i64) } else { magnitude as i64 })
    }
}

/// Where coefficient number `i` of a vector is: polynomial and coefficient of it.
pub fn position(i: usize) -> (usize, usize) {
    (i / N, i % N)
}

fn check_length(encoding: Encoding, expected: usize, bytes: &[u8]) -> Result<(), Error> {
    let found = bytes.len();
    if found == expected { Ok(()) } else { Err(Error::Length { encoding, expected, found }) }
}

/// Values of `bits` bits each, from bit `at` on.
pub fn packed(bytes: &[u8], at: usize, count: usize, bits: u32) -> Vec<u64> {
    let mut reader = Reader { bytes, at };
    (0..count).map(|_| reader.number(bits).expect("enough bits")).collect()
}

/// A public key: seed, then t (specification 2.5.2).
pub fn verifying_key<L: Level>(bytes: &[u8]) -> Result<(), Error> {
    check_length(Encoding::VerifyingKey, L::KAPPA / 8 + L::K * T_BYTES, bytes)?;
    let t = packed(bytes, L::KAPPA, L::K * N, T_BITS);
    match t.iter().position(|&x| x >= Q_T).map(position) {
        Some((polynomial, coefficient)) => {
            Err(Error::PublicCoefficient { polynomial, coefficient })
        }
        None => Ok(()),
    }
}

/// A secret key: public key, share keys, share 0 (specification 2.5.3).
pub fn signing_key<L: ParameterSet<D>, const D: usize>(bytes: &[u8]) -> Result<(), Error> {
    let public_bytes = L::KAPPA / 8 + L::K * T_BYTES;
    let share0_at = public_bytes + (D - 1) * L::KAPPA / 8;
    check_length(Encoding::SigningKey, share0_at + L::ELL * S_BYTES, bytes)?;
    verifying_key::<L>(&bytes[..public_bytes])?;
    let share0 = packed(bytes, 8 * share0_at, L::ELL * N, Q_BITS);
    match share0.iter().position(|&x| x >= Q).map(position) {
        Some((polynomial, coefficient)) => {
            Err(Error::SecretCoefficient { polynomial, coefficient })
        }
        None => Ok(()),
    }
}

/// A signature: challenge hash, h, z, zeros (specification 2.5.1 and 2.4.4).
pub fn signature<L: Level>(bytes: &[u8]) -> Result<Decoded, Error> {
    check_length(Encoding::Signature, L::SIGNATURE_BYTES, bytes)?;
    let decoded = coefficients::<L>(bytes)?;
    let mut padding = Reader { bytes, at: decoded.end };
    while let Ok(bit) = padding.bit() {
        if bit == 1 {
            return Err(Error::Padding);
        }
    }
    if decoded.triple.norm() > L::B22 { Err(Error::Norm) } else { Ok(decoded) }
}

/// The coefficients of a signature, each within its bound, whatever follows them.
pub fn coefficients<L: Level>(bytes: &[u8]) -> Result<Decoded, Error> {
    let mut reader = Reader { bytes, at: 2 * L::KAPPA };
    let (mut hints, mut hint_at) = (Vec::new(), Vec::new());
    for i in 0..L::K * N {
        let (polynomial, coefficient) = position(i);
        let beyond = Error::HintRange { polynomial, coefficient };
        hint_at.push(reader.at);
        let magnitude = reader.unary(L::H_INF, beyond)?;
        hints.push(reader.signed(magnitude)? as i32);
    }
    let (mut responses, mut response_at) = (Vec::new(), Vec::new());
    for i in 0..L::ELL * N {
        let (polynomial, coefficient) = position(i);
        let beyond = Error::ResponseRange { polynomial, coefficient };
        response_at.push(reader.at);
        let low = reader.number(Z_LOW_BITS)?;
        let high = reader.unary(L::B_INF >> Z_LOW_BITS, beyond)?;
        let magnitude = (high << Z_LOW_BITS) + low;
        if magnitude > L::B_INF {
            return Err(beyond);
        }
        responses.push(reader.signed(magnitude)?);
    }
    let c_hash = bytes[..L::KAPPA / 4].to_vec();
    let triple = Triple { c_hash, hints, responses };
    Ok(Decoded { triple, hint_at, response_at, end: reader.at })
}

impl Triple {
    /// 2^-64 times the squared norm of (z, 2^nu_w h), as Algorithm 4 approximates it.
    pub fn norm(&self) -> u64 {
        let h: u64 = self.hints.iter().map(|h| u64::from(h.unsigned_abs().pow(2))).sum();
        let z: u64 = self.responses.iter().map(|z| (z.unsigned_abs() >> 32).pow(2)).sum();
        (h << (2 * NU_W - 64)) + z
    }

    /// The bits of the encoding, without padding.
    pub fn bits(&self) -> String {
        let mut bits: String = self.c_hash.iter().map(|&x| number_bits(x.into(), 8)).collect();
        bits.extend(self.hints.iter().map(|&h| hint_bits(h)));
        bits.extend(self.responses.iter().map(|&z| response_bits(z)));
        bits
    }

    /// The encoding; `None` if it is too long.
    pub fn encode<L: Level>(&self) -> Option<Vec<u8>> {
        let bits = self.bits();
        let mut bytes = vec![0; L::SIGNATURE_BYTES];
        for (i, _) in bits.bytes().enumerate().filter(|&(_, bit)| bit == b'1') {
            *bytes.get_mut(i / 8)? |= 1 << (i % 8);
        }
        (bits.len() <= 8 * bytes.len()).then_some(bytes)
    }
}

/// The bits of a coefficient of h.
pub fn hint_bits(h: i32) -> String {
    unary_and_sign(h.unsigned_abs().into(), h.into())
}

/// The bits of a coefficient of z.
pub fn response_bits(z: i64) -> String {
    let magnitude = z.unsigned_abs();
    number_bits(magnitude, Z_LOW_BITS) + &unary_and_sign(magnitude >> Z_LOW_BITS, z)
}

/// The lowest `bits` bits of a number.
pub fn number_bits(number: u64, bits: u32) -> String {
    (0..bits).map(|i| if number >> i & 1 == 1 { '1' } else { '0' }).collect()
}

fn unary_and_sign(ones: u64, x: i64) -> String {
    let sign = match x {
        ..0 => "1",
        0 => "",
        1.. => "0",
    };
    "1".repeat(ones as usize) + "0" + sign
}
