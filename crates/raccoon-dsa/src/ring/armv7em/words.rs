//! From words of a hash's output to residues: SampleU and SampleQ without the hash.
//!
//! A word of several bytes is loaded as its low 32 bits and, from a higher address, its
//! high 32 bits: the core takes unaligned words, for one or two cycles more. The residue
//! of x modulo p is then `low - t p` in 32-bit arithmetic, where t is x / p, rounded, from
//! the high bits alone: two instructions a residue, and none of them on 64 bits. (Montgomery
//! reduction would take three, and leave a factor 1/R to be made up for.)

use super::super::Poly;
use super::quotient;
use crate::params::{N, Q, Q1, Q2};
use core::arch::naked_asm;

/// The first lane of a row from coefficient `at` on, of which `count` are to be used.
fn lanes(poly: &mut Poly, at: usize, count: usize) -> *mut i32 {
    assert!(at <= N && count <= N - at, "a word without a coefficient");
    // A `Poly` is row 1, then row 2.
    let lanes = core::ptr::from_mut(poly).cast::<i32>();
    // SAFETY: at <= N, within the polynomial or at the end of row 1.
    unsafe { lanes.add(at) }
}

pub fn add_bytes(poly: &mut Poly, at: usize, bytes: &[u8], u: u32) {
    let lanes = lanes(poly, at, bytes.len());
    // In all four bytes of a word: the u bits, and the highest of them.
    let (field, sign) = (0x0101_0101 * ((1 << u) - 1), 0x0101_0101 << (u - 1));
    // SAFETY: both rows hold as many lanes behind `at` as there are bytes.
    unsafe { add_bytes_kernel(lanes, bytes.as_ptr(), bytes.len() / 4, field, sign) }
}

/// Adds bytes, `4 * groups` of them, to the lanes of both rows: the bits of `field`, with
/// `sign` as the sign bit.
///
/// - r0: row 1 at the first coefficient; row 2 is 2048 bytes behind. r1: bytes. r2:
///   groups. r3: `field`. On the stack: `sign`.
/// - Uses r4 to r11 and lr; 36 bytes of stack.
/// - 38 cycles a group: 9.5 a coefficient.
#[unsafe(naked)]
unsafe extern "C" fn add_bytes_kernel(
    lanes: *mut i32,
    bytes: *const u8,
    groups: usize,
    field: u32,
    sign: u32,
) {
    naked_asm!(
        "push.w {{r4-r11, lr}}",
        "ldr.w r12, [sp, #36]",
        "cbz r2, 2f",
        ".p2align 2",
        "1:",
        // (x & field ^ sign) - sign extends the sign within each byte.
        "ldr.w lr, [r1], #4",
        "and.w lr, lr, r3",
        "eor.w lr, lr, r12",
        "ssub8 lr, lr, r12",
        "ldm.w r0, {{r4-r7}}",
        "sxtab r4, r4, lr",
        "sxtab r5, r5, lr, ror #8",
        "sxtab r6, r6, lr, ror #16",
        "sxtab r7, r7, lr, ror #24",
        "add.w r8, r0, #2048",
        "stm.w r0!, {{r4-r7}}",
        "ldm.w r8, {{r4-r7}}",
        "sxtab r4, r4, lr",
        "sxtab r5, r5, lr, ror #8",
        "sxtab r6, r6, lr, ror #16",
        "sxtab r7, r7, lr, ror #24",
        "stm.w r8, {{r4-r7}}",
        "subs.w r2, r2, #1",
        "bne.w 1b",
        "2:",
        "pop.w {{r4-r11, pc}}",
    )
}

pub fn add_words<const BYTES: usize>(poly: &mut Poly, at: usize, words: &[[u8; BYTES]], u: u32) {
    let (count, words) = (words.len(), words.as_ptr().cast::<u8>());
    let lanes = lanes(poly, at, count);
    // The high 32 bits of a word are shifted to the left end of a register: they are then
    // x / 2^(u - 32), and t is their high product with 2^u / p.
    let shift = 8 * BYTES as u32 - u;
    let scale = |p| ((quotient(8 * BYTES as u32, p) + ((1 << shift) >> 1)) >> shift) as i32;
    let (scale1, scale2) = (scale(Q1), scale(Q2));
    // SAFETY: both rows hold as many lanes behind `at` as there are words.
    unsafe {
        match BYTES {
            5 => add_words_kernel::<5>(lanes, words, count, shift, scale1, scale2),
            6 => add_words_kernel::<6>(lanes, words, count, shift, scale1, scale2),
            _ => unreachable!("noise comes in words of 5 or 6 bytes"),
        }
    }
}

/// Adds the residues of a word to the lanes at r0, and moves r0 on.
///
/// r6, r7: primes; r4, r5: their scales; r3: shift. Uses r8 to r11.
macro_rules! add_word {
    ($word:literal) => {
        concat!(
            "ldr.w r8, [r0]\n",
            "ldr.w r9, [r0, #2048]\n",
            "ldr.w r10, [r1, #",
            $word,
            "]\n",
            "ldr.w r11, [r1, #",
            $word,
            " + {bytes} - 4]\n",
            // |t - x / p| <= 1/2, 1/4 for the scale's rounding, and less than 1/128 for the
            // bits that are not in r11: low - t p is within 0.77 p, and may wrap around in
            // between.
            "add.w r8, r8, r10\n",
            "add.w r9, r9, r10\n",
            "lsl.w r11, r11, r3\n",
            "smmulr r10, r11, r4\n",
            "smmulr r11, r11, r5\n",
            "mls r8, r10, r6, r8\n",
            "mls r9, r11, r7, r9\n",
            "str.w r9, [r0, #2048]\n",
            "str.w r8, [r0], #4\n",
        )
    };
}

/// Adds words of `BYTES` bytes, `count` of them, to the lanes of both rows, as signed
/// numbers of 8 `BYTES` - `shift` bits. Adds less than 1 to the bound.
///
/// - r0: row 1 at the first coefficient; row 2 is 2048 bytes behind. r1: words. r2: count.
///   r3: shift, 0 to 7. On the stack: 2^(8 `BYTES` - `shift`) / p for both primes, rounded.
/// - Uses r4 to r11; 32 bytes of stack.
/// - About 17.5 cycles a word.
#[unsafe(naked)]
unsafe extern "C" fn add_words_kernel<const BYTES: usize>(
    lanes: *mut i32,
    words: *const u8,
    count: usize,
    shift: u32,
    scale1: i32,
    scale2: i32,
) {
    naked_asm!(
        "push.w {{r4-r11}}",
        "ldrd r4, r5, [sp, #32]",
        "movw r6, #{q1} & 0xFFFF",
        "movt r6, #{q1} >> 16",
        "movw r7, #{q2} & 0xFFFF",
        "movt r7, #{q2} >> 16",
        // The odd word first, then pairs.
        "lsrs.w r2, r2, #1",
        "bcc.w 1f",
        add_word!("0"),
        "add.w r1, r1, #{bytes}",
        "cmp.w r2, #0",
        "1:",
        "beq.w 3f",
        ".p2align 2",
        "2:",
        add_word!("0"),
        add_word!("{bytes}"),
        "add.w r1, r1, #2 * {bytes}",
        "subs.w r2, r2, #1",
        "bne.w 2b",
        "3:",
        "pop.w {{r4-r11}}",
        "bx lr",
        q1 = const Q1,
        q2 = const Q2,
        bytes = const BYTES,
    )
}

pub fn set_uniform(poly: &mut Poly, at: usize, words: &[[u8; 7]]) -> usize {
    let first = lanes(poly, at, words.len());
    // SAFETY: both rows hold as many lanes behind `at` as there are words.
    let last = unsafe { set_uniform_kernel(first, words.as_ptr().cast(), words.len()) };
    at + (last as usize - first as usize) / size_of::<i32>()
}

/// Sets the lanes from r0 on to a candidate and moves on, or skips it.
///
/// Takes its low 32 bits and, in the other register, bits 24 and up. r4, r5: primes; r3,
/// r12: their scales; r6: bits 24 and up of q. Uses r11 and both registers. `$label` and
/// the label behind it are its own.
macro_rules! set_candidate {
    ($low:literal, $high:literal, $n:literal) => {
        concat!(
            "ubfx ",
            $high,
            ", ",
            $high,
            ", #0, #25\n",
            "cmp.w ",
            $high,
            ", r6\n",
            "bhs.w 4",
            $n,
            "f\n",
            "3",
            $n,
            ":\n",
            // 2^56 / p is 2^32 and a signed word: a multiplication that adds `high`. With
            // x = high 2^24 + rest, |high 2^24 - t p| <= 0.51 p and 0 <= rest < 1.02 p, so that
            // x - t p is above -0.51 p and below 1.53 p.
            "smmlar r11, ",
            $high,
            ", r3, ",
            $high,
            "\n",
            "smmlar ",
            $high,
            ", ",
            $high,
            ", r12, ",
            $high,
            "\n",
            "mls r11, r11, r4, ",
            $low,
            "\n",
            "mls ",
            $high,
            ", ",
            $high,
            ", r5, ",
            $low,
            "\n",
            "str.w ",
            $high,
            ", [r0, #2048]\n",
            "str.w r11, [r0], #4\n",
            "5",
            $n,
            ":\n",
        )
    };
}

/// The other half of [`set_candidate`]: bits 24 and up are those of q, or more.
macro_rules! compare_low {
    ($low:literal, $n:literal) => {
        concat!(
            "4",
            $n,
            ":\n",
            "bhi.w 5",
            $n,
            "b\n",
            "ubfx r11, ",
            $low,
            ", #0, #24\n",
            "cmp.w r11, lr\n",
            "blo.w 3",
            $n,
            "b\n",
            "b.w 5",
            $n,
            "b\n",
        )
    };
}

/// Sets lanes of both rows to the words of seven bytes whose low 49 bits are below q, in
/// order; returns the address behind the last in row 1. Gives less than bound 1.53.
///
/// - r0: row 1 at the first coefficient; row 2 is 2048 bytes behind. r1: words. r2: count.
/// - Uses r4 to r11 and lr; 36 bytes of stack.
/// - About 16.5 cycles a word.
#[unsafe(naked)]
unsafe extern "C" fn set_uniform_kernel(
    lanes: *mut i32,
    words: *const u8,
    count: usize,
) -> *mut i32 {
    naked_asm!(
        "push.w {{r4-r11, lr}}",
        "movw r3, #{scale1} & 0xFFFF",
        "movt r3, #{scale1} >> 16",
        "movw r12, #{scale2} & 0xFFFF",
        "movt r12, #{scale2} >> 16",
        "movw r4, #{q1} & 0xFFFF",
        "movt r4, #{q1} >> 16",
        "movw r5, #{q2} & 0xFFFF",
        "movt r5, #{q2} >> 16",
        "movw r6, #{q_high} & 0xFFFF",
        "movt r6, #{q_high} >> 16",
        "movw lr, #{q_low} & 0xFFFF",
        "movt lr, #{q_low} >> 16",
        // The odd word first, then pairs.
        "lsrs.w r2, r2, #1",
        "bcc.w 1f",
        "ldr.w r7, [r1]",
        "ldr.w r8, [r1, #3]",
        "add.w r1, r1, #7",
        set_candidate!("r7", "r8", "0"),
        "cmp.w r2, #0",
        "1:",
        "beq.w 6f",
        ".p2align 2",
        "2:",
        "ldr.w r7, [r1]",
        "ldr.w r8, [r1, #3]",
        "ldr.w r9, [r1, #7]",
        "ldr.w r10, [r1, #10]",
        "add.w r1, r1, #14",
        set_candidate!("r7", "r8", "1"),
        set_candidate!("r9", "r10", "2"),
        "subs.w r2, r2, #1",
        "bne.w 2b",
        "6:",
        "pop.w {{r4-r11, pc}}",
        compare_low!("r7", "0"),
        compare_low!("r7", "1"),
        compare_low!("r9", "2"),
        q1 = const Q1,
        q2 = const Q2,
        scale1 = const (quotient(56, Q1) - (1 << 32)) as u32,
        scale2 = const (quotient(56, Q2) - (1 << 32)) as u32,
        q_high = const (Q >> 24) as u32,
        q_low = const (Q & 0xFF_FFFF) as u32,
    )
}
