//! Backend for ARMv7E-M: Cortex-M4F, Cortex-M7.
//!
//! Each generator has a kernel for everything that is done with an element. They are made
//! of the same pieces: a macro for each *form*, [`set`] to [`add_difference`], says what is
//! done with the residues of two coefficients, and the kernels of a generator differ in that
//! alone.
//!
//! Two coefficients take words a, b, c, d, as the module above says. A macro of a form gets
//! the registers that they are in and may use r1, r3, r12 and lr. r0 is the polynomial, whose
//! row 2 is 2048 bytes behind row 1, and r2 is `z`, each at a coefficient from which `$at`
//! counts, in bytes. `next` moves on. Words are below their limits, so residues are between
//! 0 and their prime.

#![allow(unsafe_code, reason = "calls of assembly functions with the contracts they state")]

use super::portable::{chacha8_start, quarter_round};
use super::{LIMIT1, LIMIT2, LfsrState, Output, Sign};
use crate::ring::Poly;
use core::arch::naked_asm;
use core::ptr::null;
use zeroize::Zeroize;

/// A kernel: the polynomial that is written, the state, and `z` of [`Output::AddSum`].
type Lfsr127Kernel = unsafe extern "C" fn(*mut Poly, *mut LfsrState, *const Poly);

/// Draws from the words of the shift register, low half first.
pub fn lfsr127(state: &mut LfsrState, sign: Sign, output: Output<'_, Poly>) {
    let (kernel, out, z): (Lfsr127Kernel, &mut Poly, *const Poly) = match (output, sign) {
        (Output::Set(out), Sign::Plus) => (lfsr127_set, out, null()),
        (Output::Set(out), Sign::Minus) => (lfsr127_set_negative, out, null()),
        (Output::Add(x) | Output::AddSum { z: None, x }, Sign::Plus) => (lfsr127_add, x, null()),
        (Output::Add(x) | Output::AddSum { z: None, x }, Sign::Minus) => (lfsr127_sub, x, null()),
        (Output::AddSum { z: Some(z), x }, Sign::Plus) => (lfsr127_add_sum, x, z),
        (Output::AddSum { z: Some(z), x }, Sign::Minus) => (lfsr127_add_difference, x, z),
    };
    // SAFETY: the kernels read and write the state and the polynomial, and read z where they
    // use it. All are aligned to 4 bytes.
    unsafe { kernel(out, state, z) }
}

/// `out[i] = R`.
#[rustfmt::skip]
macro_rules! set {
    (next $bytes:literal) => {
        concat!("add.w r0, r0, #", $bytes, "\n")
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(
            "lsr.w r1, ", $a, ", #8\n",
            "lsr.w r3, ", $b, ", #7\n",
            "lsr.w r12, ", $c, ", #8\n",
            "lsr.w lr, ", $d, ", #7\n",
            write_two!($at)
        )
    };
}

/// `out[i] = -R`. There is no `z`, so r2 is zero.
#[rustfmt::skip]
macro_rules! set_negative {
    (next $bytes:literal) => {
        concat!("add.w r0, r0, #", $bytes, "\n")
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(
            "sub.w r1, r2, ", $a, ", lsr #8\n",
            "sub.w r3, r2, ", $b, ", lsr #7\n",
            "sub.w r12, r2, ", $c, ", lsr #8\n",
            "sub.w lr, r2, ", $d, ", lsr #7\n",
            write_two!($at)
        )
    };
}

/// `x[i] += R`.
#[rustfmt::skip]
macro_rules! add {
    (next $bytes:literal) => {
        concat!("add.w r0, r0, #", $bytes, "\n")
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        accumulate!("add.w", $a, $b, $c, $d, $at)
    };
}

/// `x[i] -= R`.
#[rustfmt::skip]
macro_rules! sub {
    (next $bytes:literal) => {
        concat!("add.w r0, r0, #", $bytes, "\n")
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        accumulate!("sub.w", $a, $b, $c, $d, $at)
    };
}

/// `x[i] += z[i] + R`.
#[rustfmt::skip]
macro_rules! add_sum {
    (next $bytes:literal) => {
        concat!("add.w r0, r0, #", $bytes, "\nadd.w r2, r2, #", $bytes, "\n")
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(add_to_sum!("add.w", $a, $b, $at, "0"), add_to_sum!("add.w", $c, $d, $at, "4"))
    };
}

/// `x[i] += z[i] - R`.
#[rustfmt::skip]
macro_rules! add_difference {
    (next $bytes:literal) => {
        concat!("add.w r0, r0, #", $bytes, "\nadd.w r2, r2, #", $bytes, "\n")
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(add_to_sum!("sub.w", $a, $b, $at, "0"), add_to_sum!("sub.w", $c, $d, $at, "4"))
    };
}

/// `x[i] = x[i] op R` for two coefficients.
#[rustfmt::skip]
macro_rules! accumulate {
    ($op:literal, $a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(
            "ldr.w r1, [r0, #", $at, "]\n",
            "ldr.w r12, [r0, #", $at, " + 4]\n",
            "ldr.w r3, [r0, #", $at, " + 2048]\n",
            "ldr.w lr, [r0, #", $at, " + 2052]\n",
            $op, " r1, r1, ", $a, ", lsr #8\n",
            $op, " r3, r3, ", $b, ", lsr #7\n",
            $op, " r12, r12, ", $c, ", lsr #8\n",
            $op, " lr, lr, ", $d, ", lsr #7\n",
            write_two!($at)
        )
    };
}

/// `x[i] += z[i] op R` for the coefficient at `$at + $next`: z first, by itself.
#[rustfmt::skip]
macro_rules! add_to_sum {
    ($op:literal, $a:literal, $b:literal, $at:literal, $next:literal) => {
        concat!(
            "ldr.w r1, [r2, #", $at, " + ", $next, "]\n",
            "ldr.w r3, [r2, #", $at, " + ", $next, " + 2048]\n",
            "ldr.w r12, [r0, #", $at, " + ", $next, "]\n",
            "ldr.w lr, [r0, #", $at, " + ", $next, " + 2048]\n",
            $op, " r1, r1, ", $a, ", lsr #8\n",
            $op, " r3, r3, ", $b, ", lsr #7\n",
            "add.w r12, r12, r1\n",
            "add.w lr, lr, r3\n",
            "str.w r12, [r0, #", $at, " + ", $next, "]\n",
            "str.w lr, [r0, #", $at, " + ", $next, " + 2048]\n",
        )
    };
}

/// Writes two coefficients: r1, r3 and r12, lr.
#[rustfmt::skip]
macro_rules! write_two {
    ($at:literal) => {
        concat!(
            "str.w r1, [r0, #", $at, "]\n",
            "str.w r12, [r0, #", $at, " + 4]\n",
            "str.w r3, [r0, #", $at, " + 2048]\n",
            "str.w lr, [r0, #", $at, " + 2052]\n",
        )
    };
}

/// Two steps of the shift register, again until their words are accepted, then what
/// `$form` does with two coefficients.
///
/// The state is L = r4, r5 and the 63 bits H = r8, r9, low words first, where bit 63 of H
/// may be anything. A step is
/// ```text
/// L' = 2 H + (bit 63 of L ^ bit 62 of H)     H' = L' ^ L
/// ```
/// and with D = 2 H, bit 62 of H is bit 63 of D, so the summand is bit 63 of L ^ D; the
/// high word of L' is that of D.
#[rustfmt::skip]
macro_rules! lfsr127_two {
    ($form:ident, $at:literal) => {
        concat!(
            "3:\n",
            // D = r6, r7 = 2 H.
            "adds.w r6, r8, r8\n",
            "adc.w r7, r9, r9\n",
            // First step, in place: L' = r6, r7; D' = r4, r5.
            "eor.w r5, r5, r7\n",
            "eor.w r6, r6, r5, lsr #31\n",
            "eor.w r4, r4, r6\n",
            "adds.w r4, r4, r4\n",
            "adc.w r5, r5, r5\n",
            // Second step: L'' = r4, r5; H'' = r8, r9. The words of both steps are there.
            "eor.w r9, r7, r5\n",
            "eor.w r4, r4, r9, lsr #31\n",
            "eor.w r8, r6, r4\n",
            // Four words that should be below their limits.
            "cmp r6, r10\n",
            "ittt lo\n",
            "cmplo r7, r11\n",
            "cmplo r4, r10\n",
            "cmplo r5, r11\n",
            "bhs.n 3b\n",
            $form!("r6", "r7", "r4", "r5", $at),
        )
    };
}

/// Defines the kernel of the shift register for a form.
///
/// Contract: r0 -> polynomial, r1 -> state, r2 -> z or null; all aligned to 4 bytes, none
/// overlapping another. Lanes become what the form says, as integers: they must leave room
/// for one more prime. The state is moved on. How many words are discarded shows in time;
/// nothing else does. Registers as the procedure call standard has them, s0 changed; 40 bytes
/// of stack.
macro_rules! lfsr127_kernel {
    ($name:ident, $form:ident, $cycles:literal) => {
        #[doc = concat!("[`", stringify!($form), "`] with the shift register: about ", $cycles, " cycles.")]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_: *mut Poly, _: *mut LfsrState, _: *const Poly) {
            naked_asm!(
                ".fpu fpv4-sp-d16",
                ".p2align 2",
                "push.w {{r1, r4-r11, lr}}",
                "ldrd r4, r5, [r1]",
                "ldrd r8, r9, [r1, #8]",
                "movw r10, #({limit1} & 0xFFFF)",
                "movt r10, #({limit1} >> 16)",
                "movw r11, #({limit2} & 0xFFFF)",
                "movt r11, #({limit2} >> 16)",
                // Row 1 ends where row 2 begins.
                "add.w r1, r0, #2048",
                "vmov s0, r1",
                ".p2align 2",
                // Sixteen coefficients.
                "2:",
                concat!(
                    lfsr127_two!($form, "0"),
                    lfsr127_two!($form, "8"),
                    lfsr127_two!($form, "16"),
                    lfsr127_two!($form, "24"),
                    lfsr127_two!($form, "32"),
                    lfsr127_two!($form, "40"),
                    lfsr127_two!($form, "48"),
                    lfsr127_two!($form, "56"),
                ),
                $form!(next "64"),
                "vmov r1, s0",
                "cmp.w r0, r1",
                "bne.w 2b",
                "ldr.w r1, [sp], #4",
                "bic.w r9, r9, #0x80000000",
                "strd r4, r5, [r1]",
                "strd r8, r9, [r1, #8]",
                "pop.w {{r4-r11, pc}}",
                limit1 = const LIMIT1,
                limit2 = const LIMIT2,
            )
        }
    };
}

lfsr127_kernel!(lfsr127_set, set, "6,380");
lfsr127_kernel!(lfsr127_set_negative, set_negative, "6,380");
lfsr127_kernel!(lfsr127_add, add, "7,650");
lfsr127_kernel!(lfsr127_sub, sub, "7,650");
lfsr127_kernel!(lfsr127_add_sum, add_sum, "10,040");
lfsr127_kernel!(lfsr127_add_difference, add_difference, "10,040");

/// Where the blocks of a polynomial start, in the order of the registers they go to.
#[repr(C)]
struct ChaCha8Start {
    /// The state behind the first quarter rounds of columns 1 to 3, which are the same for
    /// all blocks of a polynomial, as the block counter is in column 0: rows a, d, b, then
    /// words 8, 11, 9 and 10. Rows b and d are as [`quarter`] leaves them: to be read rotated.
    first: [u32; 16],
    /// The words that block 0 starts with: rows a, d, b, c.
    words: [u32; 16],
}

impl ChaCha8Start {
    fn new(key: &[u32; 8], nonce: u64) -> Self {
        let [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3] =
            chacha8_start(key, nonce);
        let words = [a0, a1, a2, a3, d0, d1, d2, d3, b0, b1, b2, b3, c0, c1, c2, c3];
        let mut first = words;
        [first[13], first[14], first[15]] = [c3, c1, c2];
        for (column, c) in [(1, 14), (2, 15), (3, 13)] {
            quarter_round(&mut first, column, 8 + column, c, 4 + column);
            first[8 + column] = first[8 + column].rotate_left(25);
            first[4 + column] = first[4 + column].rotate_left(24);
        }
        Self { first, words }
    }
}

/// A kernel: the polynomial that is written, where the blocks start, and `z` of
/// [`Output::AddSum`].
type ChaCha8Kernel = unsafe extern "C" fn(*mut Poly, *const ChaCha8Start, *const Poly);

/// Draws from the blocks of a key and nonce, from block 0 on.
pub fn chacha8(key: &[u32; 8], nonce: u64, sign: Sign, output: Output<'_, Poly>) {
    let (kernel, out, z): (ChaCha8Kernel, &mut Poly, *const Poly) = match (output, sign) {
        (Output::Set(out), Sign::Plus) => (chacha8_set, out, null()),
        (Output::Set(out), Sign::Minus) => (chacha8_set_negative, out, null()),
        (Output::Add(x) | Output::AddSum { z: None, x }, Sign::Plus) => (chacha8_add, x, null()),
        (Output::Add(x) | Output::AddSum { z: None, x }, Sign::Minus) => (chacha8_sub, x, null()),
        (Output::AddSum { z: Some(z), x }, Sign::Plus) => (chacha8_add_sum, x, z),
        (Output::AddSum { z: Some(z), x }, Sign::Minus) => (chacha8_add_difference, x, z),
    };
    let mut start = ChaCha8Start::new(key, nonce);
    // SAFETY: the kernels read `start`, read and write the polynomial, and read z where they
    // use it. All are aligned to 4 bytes.
    unsafe { kernel(out, &start, z) }
    start.first.zeroize();
    start.words.zeroize();
}

/// A quarter round. Rotations are not done but left to the next reader: b is read rotated
/// right by `$rb` and d by `$rd`; afterwards b is to be read rotated right by 25 (left by 7)
/// and d by 24 (left by 8).
#[rustfmt::skip]
macro_rules! quarter {
    ($a:literal, $b:literal, $c:literal, $d:literal, $rb:literal, $rd:literal) => {
        concat!(
            "add.w ", $a, ", ", $a, ", ", $b, ", ror #", $rb, "\n",
            "eor.w ", $d, ", ", $a, ", ", $d, ", ror #", $rd, "\n",
            "add.w ", $c, ", ", $c, ", ", $d, ", ror #16\n",
            "eor.w ", $b, ", ", $c, ", ", $b, ", ror #", $rb, "\n",
            "add.w ", $a, ", ", $a, ", ", $b, ", ror #20\n",
            "eor.w ", $d, ", ", $a, ", ", $d, ", ror #16\n",
            "add.w ", $c, ", ", $c, ", ", $d, ", ror #24\n",
            "eor.w ", $b, ", ", $c, ", ", $b, ", ror #20\n",
        )
    };
    ($a:literal, $b:literal, $c:literal, $d:literal) => {
        quarter!($a, $b, $c, $d, "25", "24")
    };
}

/// The quarter rounds of all columns: r12, lr are words 8, 9 before and 10, 11 behind.
#[rustfmt::skip]
macro_rules! columns {
    () => {
        concat!(
            quarter!("r0", "r8", "r12", "r4"),
            quarter!("r1", "r9", "lr", "r5"),
            "vmov s0, r12\n vmov s1, lr\n vmov r12, s2\n vmov lr, s3\n",
            quarter!("r2", "r10", "r12", "r6"),
            quarter!("r3", "r11", "lr", "r7"),
        )
    };
}

/// The quarter rounds of all diagonals: r12, lr are words 10, 11 before and 8, 9 behind.
#[rustfmt::skip]
macro_rules! diagonals {
    ($word9:literal) => {
        concat!(
            quarter!("r0", "r9", "r12", "r7"),
            quarter!("r1", "r10", "lr", "r4"),
            "vmov s2, r12\n vmov s3, lr\n vmov r12, s0\n vmov lr, ", $word9, "\n",
            quarter!("r2", "r11", "r12", "r5"),
            quarter!("r3", "r8", "lr", "r6"),
        )
    };
}

/// `$word` += the word it started with, kept in `$start`; `$word` is read rotated.
#[rustfmt::skip]
macro_rules! add_start {
    ($word:literal, $start:literal, $rotation:literal) => {
        concat!("vmov r12, ", $start, "\n", "add.w ", $word, ", r12, ", $word, $rotation, "\n",)
    };
}

/// A block of ChaCha8, for the kernels below alone; 322 cycles.
///
/// Takes `ChaCha8Start::first` at the address in s28, its words 9 and 10 in s26 and s27, and
/// in s4 to s19 the words that the block starts with: rows a, d, b, c. Gives words 0 to 7 at
/// sp and above, words 12 to 15 in r4 to r7, and words 8 to 11 in s0 to s3, to which the
/// words that the block starts with are still to be added. Moves the block counter in s8 on.
/// Uses all core registers but sp, and s25.
#[unsafe(naked)]
unsafe extern "C" fn chacha8_block() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        ".p2align 2",
        "vmov s25, lr",
        // Rows a, d, b in r0-r3, r4-r7, r8-r11; words 8 and 11 in r12, lr. Block counter.
        "vmov lr, s28",
        "ldm.w lr, {{r0-r12, lr}}",
        "vmov r4, s8",
        // First columns: column 0 alone, with nothing left to rotate.
        concat!(
            "add.w r0, r0, r8\n",
            "eor.w r4, r0, r4\n",
            "add.w r12, r12, r4, ror #16\n",
            "eor.w r8, r12, r8\n",
            "add.w r0, r0, r8, ror #20\n",
            "eor.w r4, r0, r4, ror #16\n",
            "add.w r12, r12, r4, ror #24\n",
            "eor.w r8, r12, r8, ror #20\n",
        ),
        "vmov s0, r12",
        "vmov r12, s27",
        diagonals!("s26"),
        concat!(columns!(), diagonals!("s1")),
        concat!(columns!(), diagonals!("s1")),
        concat!(columns!(), diagonals!("s1")),
        // The words the block started with: rows a, b and d. Row c is left to the caller.
        "vmov s0, r12",
        "vmov s1, lr",
        concat!(
            add_start!("r0", "s4", ""),
            add_start!("r1", "s5", ""),
            add_start!("r2", "s6", ""),
            add_start!("r3", "s7", ""),
            add_start!("r8", "s12", ", ror #25"),
            add_start!("r9", "s13", ", ror #25"),
            add_start!("r10", "s14", ", ror #25"),
            add_start!("r11", "s15", ", ror #25"),
            add_start!("r5", "s9", ", ror #24"),
            add_start!("r6", "s10", ", ror #24"),
            add_start!("r7", "s11", ", ror #24"),
            add_start!("r4", "s8", ", ror #24"),
        ),
        // The next block.
        "add.w r12, r12, #1",
        "vmov s8, r12",
        "stm.w sp, {{r0-r3, r8-r11}}",
        "vmov lr, s25",
        "bx lr",
    )
}

/// What `$form` does with two coefficients, if their words are accepted and the polynomial
/// is not complete.
#[rustfmt::skip]
macro_rules! chacha8_two {
    ($form:ident, $a:literal, $b:literal, $c:literal, $d:literal) => {
        concat!(
            "cmp ", $a, ", r10\n",
            "itttt lo\n",
            "cmplo ", $b, ", r11\n",
            "cmplo ", $c, ", r10\n",
            "cmplo ", $d, ", r11\n",
            "cmplo r0, r9\n",
            "bhs.w 3f\n",
            $form!($a, $b, $c, $d, "0"),
            $form!(next "8"),
            "3:\n",
        )
    };
}

/// `$to` = 24 bits that two coefficients did not use, on top: eight low bits of each of the
/// words `$a`, `$c` mod q1, four of each of `$b`, `$d` mod q2.
#[rustfmt::skip]
macro_rules! chacha8_leftover {
    ($to:literal, $a:literal, $b:literal, $c:literal, $d:literal) => {
        concat!(
            "lsl.w ", $to, ", ", $a, ", #24\n",
            "bfi ", $to, ", ", $c, ", #16, #8\n",
            "bfi ", $to, ", ", $b, ", #12, #4\n",
            "bfi ", $to, ", ", $d, ", #8, #4\n",
        )
    };
}

/// Defines the kernel of ChaCha8 for a form.
///
/// Contract: r0 -> polynomial, r1 -> [`ChaCha8Start`], r2 -> z or null; all aligned to 4
/// bytes, none overlapping another. Lanes become what the form says, as integers: they must
/// leave room for one more prime. How many words are discarded shows in time; nothing else
/// does. Registers as the procedure call standard has them, s0 to s15 cleared; 120 bytes of
/// stack, where words lay in the lowest 32, which are cleared.
macro_rules! chacha8_kernel {
    ($name:ident, $form:ident, $cycles:literal) => {
        #[doc = concat!("[`", stringify!($form), "`] with ChaCha8: about ", $cycles, " cycles.")]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_: *mut Poly, _: *const ChaCha8Start, _: *const Poly) {
            naked_asm!(
                ".fpu fpv4-sp-d16",
                ".p2align 2",
                "push.w {{r4-r11, lr}}",
                "vpush {{s16-s28}}",
                "sub.w sp, sp, #32",
                // Where the state of a block comes from, words 9 and 10 of it, all its words.
                "vmov s28, r1",
                "add.w r1, r1, #56",
                "vldmia r1!, {{s26-s27}}",
                "vldmia r1, {{s4-s19}}",
                // Row 1 ends where row 2 begins.
                "add.w r9, r0, #2048",
                "vmov s24, r9",
                "movw r10, #({limit1} & 0xFFFF)",
                "movt r10, #({limit1} >> 16)",
                "movw r11, #({limit2} & 0xFFFF)",
                "movt r11, #({limit2} >> 16)",
                "vmov s22, r10",
                "vmov s23, r11",
                ".p2align 2",
                "2:",
                "vmov s20, r0",
                "vmov s21, r2",
                "bl {block}",
                "vmov r0, s20",
                "vmov r2, s21",
                "vmov r9, s24",
                "vmov r10, s22",
                "vmov r11, s23",
                // Words 12 to 15.
                chacha8_two!($form, "r4", "r5", "r6", "r7"),
                chacha8_leftover!("r8", "r4", "r5", "r6", "r7"),
                // Words 8 to 11, once the words they started with are added.
                "vmov r4, s0",
                "vmov r5, s1",
                "vmov r6, s2",
                "vmov r7, s3",
                "vmov r1, s16",
                "vmov r3, s17",
                "vmov r12, s18",
                "vmov lr, s19",
                "add.w r4, r4, r1",
                "add.w r5, r5, r3",
                "add.w r6, r6, r12",
                "add.w r7, r7, lr",
                chacha8_two!($form, "r4", "r5", "r6", "r7"),
                chacha8_leftover!("r4", "r4", "r5", "r6", "r7"),
                // The leftovers of these eight words, words 0 and 1.
                "ldr.w r5, [sp]",
                "ldr.w r7, [sp, #4]",
                chacha8_two!($form, "r8", "r5", "r4", "r7"),
                // Six bits each of words 0 and 1.
                "lsl.w r8, r5, #26",
                "bfi r8, r7, #20, #6",
                // Words 2 to 5.
                "ldr.w r4, [sp, #8]",
                "ldr.w r5, [sp, #12]",
                "ldr.w r6, [sp, #16]",
                "ldr.w r7, [sp, #20]",
                chacha8_two!($form, "r4", "r5", "r6", "r7"),
                chacha8_leftover!("r4", "r4", "r5", "r6", "r7"),
                // The leftovers of these four words and of words 0, 1, 6 and 7; words 6 and 7.
                "ldr.w r5, [sp, #24]",
                "ldr.w r7, [sp, #28]",
                "bfi r8, r5, #14, #6",
                "bfi r8, r7, #8, #6",
                chacha8_two!($form, "r4", "r5", "r8", "r7"),
                "cmp.w r0, r9",
                "blo.w 2b",
                // Leave nothing of the last block, nor of the key.
                "mov.w r0, #0",
                "mov.w r1, #0",
                "mov.w r2, #0",
                "mov.w r3, #0",
                "stm.w sp, {{r0-r3}}",
                "add.w r12, sp, #16",
                "stm.w r12, {{r0-r3}}",
                "vmov s0, s1, r0, r1",
                "vmov s2, s3, r0, r1",
                "vmov s4, s5, r0, r1",
                "vmov s6, s7, r0, r1",
                "vmov s8, s9, r0, r1",
                "vmov s10, s11, r0, r1",
                "vmov s12, s13, r0, r1",
                "vmov s14, s15, r0, r1",
                "add.w sp, sp, #32",
                "vpop {{s16-s28}}",
                "pop.w {{r4-r11, pc}}",
                limit1 = const LIMIT1,
                limit2 = const LIMIT2,
                block = sym chacha8_block,
            )
        }
    };
}

chacha8_kernel!(chacha8_set, set, "24,400");
chacha8_kernel!(chacha8_set_negative, set_negative, "24,400");
chacha8_kernel!(chacha8_add, add, "25,800");
chacha8_kernel!(chacha8_sub, sub, "25,800");
chacha8_kernel!(chacha8_add_sum, add_sum, "28,300");
chacha8_kernel!(chacha8_add_difference, add_difference, "28,300");
