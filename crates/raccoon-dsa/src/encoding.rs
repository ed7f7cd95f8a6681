//! Encodings (specification 2.5), strict both ways: one byte string for one value.

use crate::bits::{BitReader, BitWriter, TooShort, WordSink};
use crate::bounds::CheckBounds;
use crate::error::{Encoding, Error, check_length};
use crate::params::{Level, N, Z_LOW_BITS};
use core::marker::PhantomData;

/// Packs values of `bits` <= 56 bits each, lowest bits first, as many as fill `bytes`, which
/// are whole words.
#[inline(always)]
pub fn pack(bytes: &mut [u8], bits: u32, mut value: impl FnMut(usize) -> u64) {
    debug_assert!(bytes.len().is_multiple_of(4));
    let values = 8 * bytes.len() / bits as usize;
    let mut writer = BitWriter::new(bytes.as_chunks_mut().0.iter_mut());
    for i in 0..values {
        writer.put(value(i), bits);
    }
}

/// Hands `put` the values that [`pack`] packed, in order.
#[inline(always)]
pub fn unpack(bytes: &[u8], bits: u32, mut put: impl FnMut(usize, u64)) {
    let values = 8 * bytes.len() / bits as usize;
    let mut reader = BitReader::new(bytes);
    for i in 0..values {
        put(i, reader.take(bits).expect("the values fill whole words"));
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

/// Finds out whether a signature is in bounds and fits its length, before any of it is
/// written.
pub struct Candidate<L> {
    bounds: CheckBounds<L>,
    bits: usize,
}

/// The signature is out of bounds or does not fit: sign again.
#[derive(Debug)]
pub struct Rejected;

impl<L: Level> Candidate<L> {
    /// Before the first coefficient.
    pub const fn new() -> Self {
        Self { bounds: CheckBounds::new(), bits: 0 }
    }

    /// Takes a hint into account.
    ///
    /// # Errors
    /// It is out of bounds.
    pub fn hint(&mut self, h: i32) -> Result<(), Rejected> {
        self.bits += unary_and_sign_length(h.unsigned_abs(), h != 0) as usize;
        if self.bounds.hint(h) { Ok(()) } else { Err(Rejected) }
    }

    /// Takes a response into account.
    ///
    /// # Errors
    /// It is out of bounds.
    pub fn response(&mut self, z: i64) -> Result<(), Rejected> {
        if !self.bounds.response(z) {
            return Err(Rejected);
        }
        let high = (z.unsigned_abs() >> Z_LOW_BITS) as u32;
        self.bits += (Z_LOW_BITS + unary_and_sign_length(high, z != 0)) as usize;
        Ok(())
    }

    /// Once all coefficients have been seen.
    ///
    /// # Errors
    /// The norm is out of bounds, or the encoding is too long.
    pub fn check(&self) -> Result<(), Rejected> {
        self.bounds.check().map_err(|_| Rejected)?;
        let bytes = L::KAPPA / 4 + self.bits.div_ceil(8);
        if bytes <= L::SIGNATURE_BYTES { Ok(()) } else { Err(Rejected) }
    }
}

impl<L: Level> Default for Candidate<L> {
    fn default() -> Self {
        Self::new()
    }
}

/// Writes a signature, piece by piece: challenge hash, then k*n hints, then l*n responses.
/// It must have passed as a [`Candidate`].
pub struct SignatureWriter<L, F: FnMut(&[u8])> {
    bits: BitWriter<Pieces<F>>,
    level: PhantomData<L>,
}

impl<L: Level, F: FnMut(&[u8])> SignatureWriter<L, F> {
    /// Starts with the challenge hash. `emit` is handed the pieces in order.
    pub fn new(challenge: &L::Digest, mut emit: F) -> Self {
        let challenge = challenge.as_ref();
        emit(challenge);
        let pieces = Pieces { emit, block: [0; BLOCK], at: 0, before: challenge.len() };
        Self { bits: BitWriter::new(pieces), level: PhantomData }
    }

    /// |h| ones, a zero, and a sign if h is not 0.
    #[inline(always)]
    pub fn hint(&mut self, h: i32) {
        self.unary_and_sign(h.unsigned_abs(), h != 0, h < 0);
    }

    /// The low 40 bits of |z|, the rest of it in ones, a zero, and a sign if z is not 0.
    #[inline(always)]
    pub fn response(&mut self, z: i64) {
        let magnitude = z.unsigned_abs();
        self.bits.put(magnitude & ((1 << Z_LOW_BITS) - 1), Z_LOW_BITS);
        self.unary_and_sign((magnitude >> Z_LOW_BITS) as u32, z != 0, z < 0);
    }

    /// Fills the rest with zeros.
    pub fn finish(self) {
        self.bits.finish().finish(L::SIGNATURE_BYTES);
    }

    /// `ones` ones, a zero, and a sign bit if there is one.
    #[inline(always)]
    fn unary_and_sign(&mut self, mut ones: u32, signed: bool, negative: bool) {
        const MOST: u32 = u32::BITS - 3;
        while ones > MOST {
            self.bits.put_word((1 << MOST) - 1, MOST);
            ones -= MOST;
        }
        let bits = ((1 << ones) - 1) | u32::from(negative) << (ones + 1);
        self.bits.put_word(bits, unary_and_sign_length(ones, signed));
    }
}

/// Bits of `ones` ones, a zero, and perhaps a sign.
const fn unary_and_sign_length(ones: u32, signed: bool) -> u32 {
    ones + 1 + signed as u32
}

/// Hands out words in pieces of [`BLOCK`] bytes.
struct Pieces<F: FnMut(&[u8])> {
    emit: F,
    block: [u8; BLOCK],
    /// Bytes of the block that are filled.
    at: usize,
    /// Bytes handed out.
    before: usize,
}

/// Bytes of a piece.
const BLOCK: usize = 64;

impl<F: FnMut(&[u8])> WordSink for Pieces<F> {
    #[inline(always)]
    fn word(&mut self, word: u32) {
        self.block[self.at..self.at + 4].copy_from_slice(&word.to_le_bytes());
        self.at += 4;
        if self.at == BLOCK {
            (self.emit)(&self.block);
            self.before += BLOCK;
            self.at = 0;
        }
    }
}

impl<F: FnMut(&[u8])> Pieces<F> {
    /// Hands out what is left, and zeros up to `length` bytes in all.
    fn finish(mut self, length: usize) {
        self.block[self.at..].fill(0);
        while self.before < length {
            let piece = BLOCK.min(length - self.before);
            (self.emit)(&self.block[..piece]);
            self.before += piece;
            self.block.fill(0);
        }
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
        let mut ones = self.bits.peek_short().trailing_ones();
        if ones >= 25 && limit >= 25 {
            ones = self.bits.peek().trailing_ones();
        }
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
