//! Encodings (specification 2.5), strict both ways: one byte string for one value.

use crate::bits::{BitReader, BitWriter, TooShort};
use crate::bounds::CheckBounds;
use crate::error::{Encoding, Error, check_length};
use crate::params::{Level, N, Z_LOW_BITS};

/// Packs N values of `bits` <= 56 bits each, lowest bits first, into N * bits / 8 bytes.
///
/// # Panics
/// If there are fewer bytes.
#[inline(always)]
pub fn pack(bytes: &mut [u8], bits: u32, mut value: impl FnMut(usize) -> u64) {
    debug_assert_eq!(bytes.len(), N * bits as usize / 8);
    let mut writer = BitWriter::new(bytes);
    for i in 0..N {
        writer.put(value(i), bits).expect("N values fill whole words");
    }
}

/// Hands `put` the N values that [`pack`] packed, in order.
///
/// # Panics
/// If there are fewer than N * bits / 8 bytes.
#[inline(always)]
pub fn unpack(bytes: &[u8], bits: u32, mut put: impl FnMut(usize, u64)) {
    debug_assert_eq!(bytes.len(), N * bits as usize / 8);
    let mut reader = BitReader::new(bytes);
    for i in 0..N {
        put(i, reader.take(bits).expect("N values fill whole words"));
    }
}

/// The first of N packed values that is not below `limit`, if any. Looks at all of
/// them in any case.
pub fn first_not_below(bytes: &[u8], bits: u32, limit: u64) -> Option<usize> {
    let mut first = N;
    unpack(bytes, bits, |i, x| {
        if x >= limit && first == N {
            first = i;
        }
    });
    (first < N).then_some(first)
}

/// Writes a signature: challenge hash, then k*n hints, then l*n responses.
pub struct SignatureWriter<'a, L> {
    bits: BitWriter<'a>,
    bounds: CheckBounds<L>,
}

/// The signature is out of bounds or does not fit: sign again.
#[derive(Debug)]
pub struct Rejected;

impl From<TooShort> for Rejected {
    fn from(_: TooShort) -> Self {
        Rejected
    }
}

impl<'a, L: Level> SignatureWriter<'a, L> {
    /// Starts with the challenge hash; `out` has the length of a signature.
    ///
    /// # Panics
    /// If `out` is shorter than the challenge hash.
    pub fn new(out: &'a mut [u8], challenge: &L::Digest) -> Self {
        let challenge = challenge.as_ref();
        let (head, out) = out.split_at_mut(challenge.len());
        head.copy_from_slice(challenge);
        Self { bits: BitWriter::new(out), bounds: CheckBounds::new() }
    }

    /// |h| ones, a zero, and a sign if h is not 0.
    #[inline(always)]
    pub fn hint(&mut self, h: i32) -> Result<(), Rejected> {
        if !self.bounds.hint(h) {
            return Err(Rejected);
        }
        self.unary_and_sign(h.unsigned_abs(), h != 0, h < 0)
    }

    /// The low 40 bits of |z|, the rest of it in ones, a zero, and a sign if z is not 0.
    #[inline(always)]
    pub fn response(&mut self, z: i64) -> Result<(), Rejected> {
        if !self.bounds.response(z) {
            return Err(Rejected);
        }
        let magnitude = z.unsigned_abs();
        self.bits.put(magnitude & ((1 << Z_LOW_BITS) - 1), Z_LOW_BITS)?;
        self.unary_and_sign((magnitude >> Z_LOW_BITS) as u32, z != 0, z < 0)
    }

    /// Checks the norm and fills the rest with zeros.
    pub fn finish(self) -> Result<(), Rejected> {
        self.bounds.check().map_err(|_| Rejected)?;
        Ok(self.bits.finish()?)
    }

    /// `ones` < 48 ones, a zero, and a sign bit if there is one.
    #[inline(always)]
    fn unary_and_sign(&mut self, ones: u32, signed: bool, sign: bool) -> Result<(), Rejected> {
        let unary = (1 << ones) - 1;
        let sign = u64::from(sign) << (ones + 1);
        Ok(self.bits.put(unary | sign, ones + 1 + u32::from(signed))?)
    }
}

/// Reads a signature; refuses what [`SignatureWriter`] would not have written.
#[derive(Clone)]
pub struct SignatureReader<'a> {
    bits: BitReader<'a>,
}

/// A coefficient that could not be read.
pub enum Unreadable {
    /// The bytes end inside it.
    Truncated,
    /// It is larger than any valid one.
    OutOfRange,
}

impl From<TooShort> for Unreadable {
    fn from(_: TooShort) -> Self {
        Unreadable::Truncated
    }
}

impl<'a> SignatureReader<'a> {
    /// Behind the challenge hash of a signature of the right length.
    ///
    /// # Panics
    /// If the signature is shorter than the challenge hash.
    pub fn new<L: Level>(signature: &'a [u8]) -> Self {
        Self { bits: BitReader::new(&signature[2 * L::KAPPA / 8..]) }
    }

    /// The next hint, |h| <= `limit`.
    #[inline(always)]
    pub fn hint(&mut self, limit: u64) -> Result<i32, Unreadable> {
        let magnitude = self.unary(limit)? as i32;
        Ok(if self.sign(magnitude != 0)? { -magnitude } else { magnitude })
    }

    /// The next response, |z| <= `limit`.
    #[inline(always)]
    pub fn response(&mut self, limit: u64) -> Result<i64, Unreadable> {
        let low = self.bits.take(Z_LOW_BITS)?;
        let magnitude = low | (self.unary(limit >> Z_LOW_BITS)? << Z_LOW_BITS);
        if magnitude > limit {
            return Err(Unreadable::OutOfRange);
        }
        let magnitude = magnitude as i64;
        Ok(if self.sign(magnitude != 0)? { -magnitude } else { magnitude })
    }

    /// Whether all that is left is zero.
    pub fn is_zero_to_the_end(self) -> bool {
        self.bits.is_zero_to_the_end()
    }

    /// The number of ones, at most `limit` < 56, before the next zero.
    #[inline(always)]
    fn unary(&mut self, limit: u64) -> Result<u64, Unreadable> {
        let ones = if limit < 25 {
            self.bits.peek_short().trailing_ones()
        } else {
            self.bits.peek().trailing_ones()
        };
        if u64::from(ones) > limit {
            return Err(Unreadable::OutOfRange);
        }
        self.bits.skip(ones + 1)?;
        Ok(ones.into())
    }

    /// The sign bit, if there is one: whether it is set.
    #[inline(always)]
    fn sign(&mut self, signed: bool) -> Result<bool, Unreadable> {
        Ok(signed && self.bits.take_bit()?)
    }
}

/// Decodes a signature completely and strictly: its length right, every coefficient in
/// range, every padding bit zero, the norm within its bound. Hands `put` the
/// coefficients (polynomial, index, value) of z, and returns a reader of the hints.
///
/// # Errors
/// [`Error::Length`], [`Error::Truncated`], [`Error::HintRange`],
/// [`Error::ResponseRange`], [`Error::Padding`], [`Error::Norm`].
pub fn decode_signature<L: Level>(
    signature: &[u8],
    mut put: impl FnMut(usize, usize, i64),
) -> Result<SignatureReader<'_>, Error> {
    check_length(Encoding::Signature, L::SIGNATURE_BYTES, signature)?;
    let mut bounds = CheckBounds::<L>::new();
    let hints = SignatureReader::new::<L>(signature);
    let mut reader = hints.clone();
    for i in 0..L::K * N {
        let h = reader.hint(L::H_INF).map_err(|unreadable| match unreadable {
            Unreadable::Truncated => Error::Truncated,
            Unreadable::OutOfRange => Error::HintRange { polynomial: i / N, coefficient: i % N },
        })?;
        bounds.hint(h);
    }
    for i in 0..L::ELL * N {
        let (polynomial, coefficient) = (i / N, i % N);
        let z = reader.response(L::B_INF).map_err(|unreadable| match unreadable {
            Unreadable::Truncated => Error::Truncated,
            Unreadable::OutOfRange => Error::ResponseRange { polynomial, coefficient },
        })?;
        bounds.response(z);
        put(polynomial, coefficient, z);
    }
    if !reader.is_zero_to_the_end() {
        return Err(Error::Padding);
    }
    bounds.check()?;
    Ok(hints)
}
