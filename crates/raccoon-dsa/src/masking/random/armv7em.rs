//! Backend for ARMv7E-M: Cortex-M4F, Cortex-M7.
//!
//! A generator has one kernel for each thing that is done with an element, made of the same
//! pieces: [`form`] names the *form* of a kernel, two of whose macros say what is done with
//! the residues of two coefficients.

#![allow(unsafe_code, reason = "calls of assembly functions with the contracts they state")]

use super::{LIMIT1, LIMIT2, LfsrState, Output, Sign};
use crate::ring::Poly;
use core::arch::naked_asm;
use core::ptr::null;

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

/// `out[i] = R` for coefficients `i` and `i + 1` with words `a, b` and `c, d`.
///
/// Forms use r0, the polynomial at coefficient 8 k, whose row 2 is 2048 bytes behind row 1;
/// r2, `z` at the same place; r1, r3, r12 and lr as scratch. Coefficients are numbered by
/// `$at` = 4 i, from 0 to 28, an offset in bytes.
macro_rules! set {
    (next) => {
        "add.w r0, r0, #32"
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(
            "lsr.w r1, ",
            $a,
            ", #8\n",
            "lsr.w r3, ",
            $b,
            ", #7\n",
            "lsr.w r12, ",
            $c,
            ", #8\n",
            "lsr.w lr, ",
            $d,
            ", #7\n",
            write_two!($at)
        )
    };
}

/// `out[i] = -R`; r2 is zero.
macro_rules! set_negative {
    (next) => {
        "add.w r0, r0, #32"
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(
            "sub.w r1, r2, ",
            $a,
            ", lsr #8\n",
            "sub.w r3, r2, ",
            $b,
            ", lsr #7\n",
            "sub.w r12, r2, ",
            $c,
            ", lsr #8\n",
            "sub.w lr, r2, ",
            $d,
            ", lsr #7\n",
            write_two!($at)
        )
    };
}

/// `x[i] += R`.
macro_rules! add {
    (next) => {
        "add.w r0, r0, #32"
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        accumulate!("add.w", $a, $b, $c, $d, $at)
    };
}

/// `x[i] -= R`.
macro_rules! sub {
    (next) => {
        "add.w r0, r0, #32"
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        accumulate!("sub.w", $a, $b, $c, $d, $at)
    };
}

/// `x[i] += z[i] + R`.
macro_rules! add_sum {
    (next) => {
        "add.w r0, r0, #32\nadd.w r2, r2, #32"
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(add_to_sum!("add.w", $a, $b, $at, "0"), add_to_sum!("add.w", $c, $d, $at, "4"))
    };
}

/// `x[i] += z[i] - R`.
macro_rules! add_difference {
    (next) => {
        "add.w r0, r0, #32\nadd.w r2, r2, #32"
    };
    ($a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(add_to_sum!("sub.w", $a, $b, $at, "0"), add_to_sum!("sub.w", $c, $d, $at, "4"))
    };
}

/// `x[i] = x[i] op R` for two coefficients.
macro_rules! accumulate {
    ($op:literal, $a:literal, $b:literal, $c:literal, $d:literal, $at:literal) => {
        concat!(
            "ldr.w r1, [r0, #",
            $at,
            "]\n",
            "ldr.w r12, [r0, #",
            $at,
            " + 4]\n",
            "ldr.w r3, [r0, #",
            $at,
            " + 2048]\n",
            "ldr.w lr, [r0, #",
            $at,
            " + 2052]\n",
            $op,
            " r1, r1, ",
            $a,
            ", lsr #8\n",
            $op,
            " r3, r3, ",
            $b,
            ", lsr #7\n",
            $op,
            " r12, r12, ",
            $c,
            ", lsr #8\n",
            $op,
            " lr, lr, ",
            $d,
            ", lsr #7\n",
            write_two!($at)
        )
    };
}

/// `x[i] += z[i] op R` for the coefficient at `$at + $next`: z first, by itself.
macro_rules! add_to_sum {
    ($op:literal, $a:literal, $b:literal, $at:literal, $next:literal) => {
        concat!(
            "ldr.w r1, [r2, #",
            $at,
            " + ",
            $next,
            "]\n",
            "ldr.w r3, [r2, #",
            $at,
            " + ",
            $next,
            " + 2048]\n",
            "ldr.w r12, [r0, #",
            $at,
            " + ",
            $next,
            "]\n",
            "ldr.w lr, [r0, #",
            $at,
            " + ",
            $next,
            " + 2048]\n",
            $op,
            " r1, r1, ",
            $a,
            ", lsr #8\n",
            $op,
            " r3, r3, ",
            $b,
            ", lsr #7\n",
            "add.w r12, r12, r1\n",
            "add.w lr, lr, r3\n",
            "str.w r12, [r0, #",
            $at,
            " + ",
            $next,
            "]\n",
            "str.w lr, [r0, #",
            $at,
            " + ",
            $next,
            " + 2048]\n",
        )
    };
}

/// Writes two coefficients: r1, r3 and r12, lr.
macro_rules! write_two {
    ($at:literal) => {
        concat!(
            "str.w r1, [r0, #",
            $at,
            "]\n",
            "str.w r12, [r0, #",
            $at,
            " + 4]\n",
            "str.w r3, [r0, #",
            $at,
            " + 2048]\n",
            "str.w lr, [r0, #",
            $at,
            " + 2052]\n",
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
macro_rules! lfsr127_two {
    ($form:ident, $label:literal, $at:literal) => {
        concat!(
            $label,
            ":\n",
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
            "bhs.n ",
            $label,
            "b\n",
            $form!("r6", "r7", "r4", "r5", $at),
        )
    };
}

/// Defines the kernel of the shift register for a form.
///
/// Contract: r0 -> polynomial, r1 -> state, r2 -> z. Each aligned to 4 bytes; z, if it is
/// used, is another polynomial. Lanes of the result are the integers that the form says, each
/// residue between 0 and its prime: bounds grow by 1, and by that of z. Time and the order of
/// accesses depend on how many words are discarded and on nothing else that is secret.
/// Registers as AAPCS; 40 bytes of stack, none of them secret but in r4 to r11 of the caller.
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
                // Eight coefficients.
                "2:",
                concat!(
                    lfsr127_two!($form, "3", "0"),
                    lfsr127_two!($form, "4", "8"),
                    lfsr127_two!($form, "5", "16"),
                    lfsr127_two!($form, "6", "24")
                ),
                $form!(next),
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

lfsr127_kernel!(lfsr127_set, set, "0");
lfsr127_kernel!(lfsr127_set_negative, set_negative, "0");
lfsr127_kernel!(lfsr127_add, add, "0");
lfsr127_kernel!(lfsr127_sub, sub, "0");
lfsr127_kernel!(lfsr127_add_sum, add_sum, "0");
lfsr127_kernel!(lfsr127_add_difference, add_difference, "0");

use super::portable::chacha8 as portable_chacha8;
pub fn chacha8(key: &[u32; 8], nonce: u64, sign: Sign, output: Output<'_, Poly>) {
    portable_chacha8(key, nonce, sign, output)
}
