//! Strings of bits, the lowest bit of each byte first (specification 2.4.1).
//!
//! Both ends work on machine words. Time and addresses depend on the numbers of bits alone.

/// The bytes end too early.
#[derive(Debug)]
pub(crate) struct TooShort;

/// Writes bits into bytes.
pub(crate) struct BitWriter<'a> {
    out: &'a mut [u8],
    /// Bytes written.
    at: usize,
    /// Bits that do not fill a word yet.
    word: u32,
    /// Their number, below 32.
    held: u32,
}

impl<'a> BitWriter<'a> {
    /// Starts at the first byte of `out`.
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { out, at: 0, word: 0, held: 0 }
    }

    /// The low `bits` <= 64 bits of `value`, the rest of which is zero.
    #[inline(always)]
    pub fn put(&mut self, value: u64, bits: u32) -> Result<(), TooShort> {
        self.put_word(value as u32, bits.min(32))?;
        if bits > 32 { self.put_word((value >> 32) as u32, bits - 32) } else { Ok(()) }
    }

    /// The low `bits` <= 32 bits of `value`, the rest of which is zero.
    #[inline(always)]
    fn put_word(&mut self, value: u32, bits: u32) -> Result<(), TooShort> {
        let word = self.word | value << self.held;
        let held = self.held + bits;
        if held < 32 {
            (self.word, self.held) = (word, held);
            return Ok(());
        }
        *self.out[self.at..].first_chunk_mut().ok_or(TooShort)? = word.to_le_bytes();
        self.at += size_of::<u32>();
        // What did not fit: 32 - held bits did, and that may be all.
        self.word = value >> 1 >> (31 - self.held);
        self.held = held - 32;
        Ok(())
    }

    /// Fills the last byte and all behind it with zeros.
    pub fn finish(self) -> Result<(), TooShort> {
        let rest = &mut self.out[self.at..];
        let last = self.word.to_le_bytes();
        let used = self.held.div_ceil(8) as usize;
        rest.get_mut(..used).ok_or(TooShort)?.copy_from_slice(&last[..used]);
        rest[used..].fill(0);
        Ok(())
    }
}

/// Reads bits from bytes.
#[derive(Clone)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bits read.
    at: usize,
}

impl<'a> BitReader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// At least the next 57 bits; behind the end there are zeros.
    #[inline(always)]
    pub fn peek(&self) -> u64 {
        u64::from_le_bytes(self.next_bytes()) >> (self.at % 8)
    }

    /// At least the next 25 bits; behind the end there are zeros.
    #[inline(always)]
    pub fn peek_short(&self) -> u32 {
        u32::from_le_bytes(self.next_bytes()) >> (self.at % 8)
    }

    /// The bytes from that of the next bit on.
    #[inline(always)]
    fn next_bytes<const BYTES: usize>(&self) -> [u8; BYTES] {
        let bytes = &self.bytes[self.at / 8..];
        bytes.first_chunk().copied().unwrap_or_else(|| padded(bytes))
    }

    /// Moves on by `bits`.
    #[inline(always)]
    pub fn skip(&mut self, bits: u32) -> Result<(), TooShort> {
        let at = self.at + bits as usize;
        if at > 8 * self.bytes.len() {
            return Err(TooShort);
        }
        self.at = at;
        Ok(())
    }

    /// The next `bits` <= 57 bits.
    #[inline(always)]
    pub fn take(&mut self, bits: u32) -> Result<u64, TooShort> {
        let value = self.peek() & ((1 << bits) - 1);
        self.skip(bits)?;
        Ok(value)
    }

    /// The next bit.
    #[inline(always)]
    pub fn take_bit(&mut self) -> Result<bool, TooShort> {
        let bit = self.peek_short() & 1 == 1;
        self.skip(1)?;
        Ok(bit)
    }

    /// Whether all that is left is zero.
    pub fn is_zero_to_the_end(&self) -> bool {
        self.peek() == 0 && self.bytes[self.at / 8..].iter().skip(1).all(|&byte| byte == 0)
    }
}

/// Fewer than `BYTES` bytes, and zeros.
#[cold]
fn padded<const BYTES: usize>(bytes: &[u8]) -> [u8; BYTES] {
    let mut padded = [0; BYTES];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}
