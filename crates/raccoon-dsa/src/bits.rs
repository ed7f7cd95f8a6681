//! Strings of bits, the lowest bit of each byte first (specification 2.4.1).
//!
//! Both ends work on machine words. Time and addresses depend on the numbers of bits alone.

/// The bytes end too early.
#[derive(Debug)]
pub(crate) struct TooShort;

/// Takes words, one after the other.
pub(crate) trait WordSink {
    /// The next word, which stands for four little-endian bytes.
    fn word(&mut self, word: u32);
}

/// Places for words.
impl WordSink for core::slice::IterMut<'_, [u8; 4]> {
    /// # Panics
    /// If there are too few.
    #[inline(always)]
    fn word(&mut self, word: u32) {
        *self.next().expect("there is room for all words") = word.to_le_bytes();
    }
}

/// Makes words of bits.
pub(crate) struct BitWriter<W> {
    sink: W,
    /// Bits that do not fill a word yet.
    word: u32,
    /// Their number, below 32.
    held: u32,
}

impl<W: WordSink> BitWriter<W> {
    /// Starts with the first bit of the first word.
    pub fn new(sink: W) -> Self {
        Self { sink, word: 0, held: 0 }
    }

    /// The low `bits` <= 64 bits of `value`, the rest of which is zero.
    #[inline(always)]
    pub fn put(&mut self, value: u64, bits: u32) {
        self.put_word(value as u32, bits.min(32));
        if bits > 32 {
            self.put_word((value >> 32) as u32, bits - 32);
        }
    }

    /// The low `bits` <= 32 bits of `value`, the rest of which is zero.
    #[inline(always)]
    pub fn put_word(&mut self, value: u32, bits: u32) {
        let word = self.word | value << self.held;
        let held = self.held + bits;
        if held < 32 {
            (self.word, self.held) = (word, held);
            return;
        }
        self.sink.word(word);
        // What did not fit: 32 - held bits did, and that may be all.
        self.word = value >> 1 >> (31 - self.held);
        self.held = held - 32;
    }

    /// Fills the last word with zeros.
    pub fn finish(mut self) -> W {
        if self.held > 0 {
            self.sink.word(self.word);
        }
        self.sink
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
        let next = if bits <= 25 { self.peek_short().into() } else { self.peek() };
        self.skip(bits)?;
        let value = next & ((1 << bits) - 1);
        Ok(value)
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
