//! Encodings (specification 2.5), strict both ways: one byte string for one value.

use crate::bounds::CheckBounds;
use crate::error::{Encoding, Error, check_length};
use crate::params::{Level, N, Z_LOW_BITS};

/// Packs N values of `bits` <= 56 bits each, lowest bits first, into N * bits / 8 bytes.
///
/// # Panics
/// If there are fewer bytes.
pub fn pack(bytes: &mut [u8], bits: u32, mut value: impl FnMut(usize) -> u64) {
    debug_assert_eq!(bytes.len(), N * bits as usize / 8);
    let (mut buffer, mut held) = (0u64, 0);
    let mut out = bytes.iter_mut();
    for i in 0..N {
        buffer |= value(i) << held;
        held += bits;
        while held >= 8 {
            *out.next().expect("N values fill whole bytes") = buffer as u8;
            buffer >>= 8;
            held -= 8;
        }
    }
}

/// Hands `put` the N values that [`pack`] packed, in order.
///
/// # Panics
/// If there are fewer than N * bits / 8 bytes.
pub fn unpack(bytes: &[u8], bits: u32, mut put: impl FnMut(usize, u64)) {
    debug_assert_eq!(bytes.len(), N * bits as usize / 8);
    let (mut buffer, mut held) = (0u64, 0);
    let mut bytes = bytes.iter();
    for i in 0..N {
        while held < bits {
            buffer |= u64::from(*bytes.next().expect("N values fill whole bytes")) << held;
            held += 8;
        }
        put(i, buffer & ((1 << bits) - 1));
        buffer >>= bits;
        held -= bits;
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
    out: &'a mut [u8],
    at: usize,
    buffer: u64,
    held: u32,
    bounds: CheckBounds<L>,
}

/// The signature is out of bounds or does not fit: sign again.
#[derive(Debug)]
pub struct Rejected;

impl<'a, L: Level> SignatureWriter<'a, L> {
    /// Starts with the challenge hash; `out` has the length of a signature.
    ///
    /// # Panics
    /// If `out` is shorter than the challenge hash.
    pub fn new(out: &'a mut [u8], challenge: &L::Digest) -> Self {
        let challenge = challenge.as_ref();
        out[..challenge.len()].copy_from_slice(challenge);
        Self { out, at: challenge.len(), buffer: 0, held: 0, bounds: CheckBounds::new() }
    }

    /// |h| ones, a zero, and a sign if h is not 0.
    pub fn hint(&mut self, h: i32) -> Result<(), Rejected> {
        if !self.bounds.hint(h) {
            return Err(Rejected);
        }
        self.unary_and_sign(h.unsigned_abs(), h != 0, h < 0)
    }

    /// The low 40 bits of |z|, the rest of it in ones, a zero, and a sign if z is not 0.
    pub fn response(&mut self, z: i64) -> Result<(), Rejected> {
        if !self.bounds.response(z) {
            return Err(Rejected);
        }
        let magnitude = z.unsigned_abs();
        self.put(magnitude & ((1 << Z_LOW_BITS) - 1), Z_LOW_BITS)?;
        self.unary_and_sign((magnitude >> Z_LOW_BITS) as u32, z != 0, z < 0)
    }

    /// Checks the norm and fills the rest with zeros.
    pub fn finish(mut self) -> Result<(), Rejected> {
        self.bounds.check().map_err(|_| Rejected)?;
        if self.held > 0 {
            self.put(0, 8 - self.held)?;
        }
        self.out[self.at..].fill(0);
        Ok(())
    }

    /// `ones` < 48 ones, a zero, and a sign bit if there is one.
    fn unary_and_sign(&mut self, ones: u32, signed: bool, sign: bool) -> Result<(), Rejected> {
        self.put((1 << ones) - 1, ones + 1)?;
        if signed { self.put(u64::from(sign), 1) } else { Ok(()) }
    }

    /// The low `bits` <= 56 bits of `value`, the rest of which is zero.
    fn put(&mut self, value: u64, bits: u32) -> Result<(), Rejected> {
        self.buffer |= value << self.held;
        self.held += bits;
        while self.held >= 8 {
            *self.out.get_mut(self.at).ok_or(Rejected)? = self.buffer as u8;
            self.at += 1;
            self.buffer >>= 8;
            self.held -= 8;
        }
        Ok(())
    }
}

/// Reads a signature; refuses what [`SignatureWriter`] would not have written.
#[derive(Clone)]
pub struct SignatureReader<'a> {
    bytes: core::slice::Iter<'a, u8>,
    buffer: u64,
    held: u32,
}

/// A coefficient that could not be read.
pub enum Unreadable {
    /// The bytes end inside it.
    Truncated,
    /// It is larger than any valid one.
    OutOfRange,
}

impl<'a> SignatureReader<'a> {
    /// Behind the challenge hash of a signature of the right length.
    ///
    /// # Panics
    /// If the signature is shorter than the challenge hash.
    pub fn new<L: Level>(signature: &'a [u8]) -> Self {
        let bytes = signature[2 * L::KAPPA / 8..].iter();
        Self { bytes, buffer: 0, held: 0 }
    }

    /// The next hint, |h| <= `limit`.
    #[inline(always)]
    pub fn hint(&mut self, limit: u64) -> Result<i32, Unreadable> {
        let magnitude = self.unary(limit)? as i32;
        Ok(if magnitude != 0 && self.take(1)? == 1 { -magnitude } else { magnitude })
    }

    /// The next response, |z| <= `limit`.
    #[inline(always)]
    pub fn response(&mut self, limit: u64) -> Result<i64, Unreadable> {
        let low = self.take(Z_LOW_BITS)?;
        let magnitude = low | (self.unary(limit >> Z_LOW_BITS)? << Z_LOW_BITS);
        if magnitude > limit {
            return Err(Unreadable::OutOfRange);
        }
        let magnitude = magnitude as i64;
        Ok(if magnitude != 0 && self.take(1)? == 1 { -magnitude } else { magnitude })
    }

    /// Whether all that is left is zero.
    pub fn is_zero_to_the_end(mut self) -> bool {
        self.buffer == 0 && self.bytes.all(|&byte| byte == 0)
    }

    /// The next `bits` <= 56 bits.
    #[inline(always)]
    fn take(&mut self, bits: u32) -> Result<u64, Unreadable> {
        self.fill();
        if self.held < bits {
            return Err(Unreadable::Truncated);
        }
        let value = self.buffer & ((1 << bits) - 1);
        self.drop_bits(bits);
        Ok(value)
    }

    /// The number of ones, at most `limit` < 56, before the next zero.
    #[inline(always)]
    fn unary(&mut self, limit: u64) -> Result<u64, Unreadable> {
        self.fill();
        let ones = self.buffer.trailing_ones();
        if u64::from(ones) > limit {
            return Err(Unreadable::OutOfRange);
        }
        if ones >= self.held {
            return Err(Unreadable::Truncated);
        }
        self.drop_bits(ones + 1);
        Ok(u64::from(ones))
    }

    #[inline(always)]
    fn drop_bits(&mut self, bits: u32) {
        self.buffer >>= bits;
        self.held -= bits;
    }

    /// Holds at least 57 bits, or all there are. Bits above `held` are zero.
    #[inline(always)]
    fn fill(&mut self) {
        while self.held <= 56 {
            let Some(&byte) = self.bytes.next() else { return };
            self.buffer |= u64::from(byte) << self.held;
            self.held += 8;
        }
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
        for coefficient in 0..N {
            let h = reader.hint(L::H_INF).map_err(|unreadable| match unreadable {
                Unreadable::Truncated => Error::Truncated,
                Unreadable::OutOfRange => Error::HintRange { polynomial, coefficient },
            })?;
            bounds.hint(h);
        }
    }
    for polynomial in 0..L::ELL {
        for coefficient in 0..N {
            let z = reader.response(L::B_INF).map_err(|unreadable| match unreadable {
                Unreadable::Truncated => Error::Truncated,
                Unreadable::OutOfRange => Error::ResponseRange { polynomial, coefficient },
            })?;
            bounds.response(z);
            put(polynomial, coefficient, z);
        }
    }
    if !reader.is_zero_to_the_end() {
        return Err(Error::Padding);
    }
    bounds.check()?;
    Ok(hints)
}
