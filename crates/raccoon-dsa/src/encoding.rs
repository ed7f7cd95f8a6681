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

impl Unreadable {
    /// The error it amounts to, which is `out_of_range` unless bytes are missing.
    fn or(self, out_of_range: Error) -> Error {
        match self {
            Unreadable::Truncated => Error::Truncated,
            Unreadable::OutOfRange => out_of_range,
        }
    }
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
        let (ones, sign) = self.unary(0, self.bits.peek_short(), 25, limit)?;
        self.bits.skip(ones + 1)?;
        let magnitude = ones as i32;
        Ok(if self.negative(magnitude != 0, sign)? { -magnitude } else { magnitude })
    }

    /// The next response, |z| <= `limit`.
    #[inline(always)]
    pub fn response(&mut self, limit: u64) -> Result<i64, Unreadable> {
        let next = self.bits.peek();
        let window = (next >> Z_LOW_BITS) as u32;
        let (ones, sign) = self.unary(Z_LOW_BITS, window, 57 - Z_LOW_BITS, limit >> Z_LOW_BITS)?;
        self.bits.skip(Z_LOW_BITS + ones + 1)?;
        let low = next & ((1 << Z_LOW_BITS) - 1);
        let magnitude = low | u64::from(ones) << Z_LOW_BITS;
        if magnitude > limit {
            return Err(Unreadable::OutOfRange);
        }
        let magnitude = magnitude as i64;
        Ok(if self.negative(magnitude != 0, sign)? { -magnitude } else { magnitude })
    }

    /// Whether all that is left is zero.
    pub fn is_zero_to_the_end(self) -> bool {
        self.bits.is_zero_to_the_end()
    }

    /// The number of ones, at most `limit` < 56, before the first zero from `distance` bits
    /// ahead on, and the bit behind that zero. `window` is what follows there, `width` bits
    /// at least.
    #[inline(always)]
    fn unary(
        &self,
        distance: u32,
        window: u32,
        width: u32,
        limit: u64,
    ) -> Result<(u32, bool), Unreadable> {
        let mut ones = window.trailing_ones();
        let mut behind = window.wrapping_shr(ones + 1);
        if ones + 1 >= width && limit + 1 >= width.into() {
            let mut ahead = self.bits.clone();
            ahead.skip(distance)?;
            let window = ahead.peek();
            ones = window.trailing_ones();
            behind = window.wrapping_shr(ones + 1) as u32;
        }
        if u64::from(ones) > limit {
            return Err(Unreadable::OutOfRange);
        }
        Ok((ones, behind & 1 == 1))
    }

    /// Whether a magnitude that has a sign, `sign`, is negative; moves past the sign.
    #[inline(always)]
    fn negative(&mut self, signed: bool, sign: bool) -> Result<bool, Unreadable> {
        if signed {
            self.bits.skip(1)?;
        }
        Ok(signed && sign)
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
    for polynomial in 0..L::K {
        decode_hints(&mut reader, &mut bounds).map_err(|(coefficient, unreadable)| {
            unreadable.or(Error::HintRange { polynomial, coefficient })
        })?;
    }
    for polynomial in 0..L::ELL {
        let put = |coefficient, z| put(polynomial, coefficient, z);
        decode_responses(&mut reader, &mut bounds, put).map_err(|(coefficient, unreadable)| {
            unreadable.or(Error::ResponseRange { polynomial, coefficient })
        })?;
    }
    if !reader.is_zero_to_the_end() {
        return Err(Error::Padding);
    }
    bounds.check()?;
    Ok(hints)
}

/// Passes over the hints of one polynomial. An error comes with the index of the
/// coefficient.
#[inline(never)]
fn decode_hints<L: Level>(
    reader: &mut SignatureReader<'_>,
    bounds: &mut CheckBounds<L>,
) -> Result<(), (usize, Unreadable)> {
    for i in 0..N {
        let h = reader.hint(L::H_INF).map_err(|unreadable| (i, unreadable))?;
        bounds.hint(h);
    }
    Ok(())
}

/// Hands `put` the responses of one polynomial. An error comes with the index of the
/// coefficient.
#[inline(never)]
fn decode_responses<L: Level>(
    reader: &mut SignatureReader<'_>,
    bounds: &mut CheckBounds<L>,
    mut put: impl FnMut(usize, i64),
) -> Result<(), (usize, Unreadable)> {
    for i in 0..N {
        let z = reader.response(L::B_INF).map_err(|unreadable| (i, unreadable))?;
        bounds.response(z);
        put(i, z);
    }
    Ok(())
}
