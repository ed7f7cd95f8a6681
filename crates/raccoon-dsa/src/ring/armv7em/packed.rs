//! Between lanes and the 49 bits of a coefficient at rest.
//!
//! A coefficient is 24 bits of `low` for its residue mod q1; for that mod q2 the other 8 bits
//! of `low`, then 16 bits of `middle` and one bit of `top`, a word of which is for 32
//! coefficients.

use super::super::{PackedPoly, Poly};
use super::{Constants, PRIME1, PRIME2};
use core::arch::naked_asm;
use core::mem::offset_of;

pub fn pack(packed: &mut PackedPoly, poly: &Poly) {
    // SAFETY: the kernel reads the polynomial and writes the packed one.
    unsafe { pack_kernel(packed, poly, &PRIME1, &PRIME2) }
}

pub fn unpack(poly: &mut Poly, packed: &PackedPoly) {
    // SAFETY: the kernel reads the packed polynomial and writes the other.
    unsafe { unpack_kernel(poly, packed) }
}

pub fn mul_add_packed(sum: &mut Poly, packed: &PackedPoly, factor: &Poly) {
    // SAFETY: each kernel reads the packed polynomial and a row, and writes a row.
    unsafe {
        mul_add_packed_row1(sum.row1.as_mut_ptr(), packed, factor.row1.as_ptr(), &PRIME1);
        mul_add_packed_row2(sum.row2.as_mut_ptr(), packed, factor.row2.as_ptr(), &PRIME2);
    }
}

/// Packs the canonical residues of any lanes.
///
/// - r0: packed. r1: polynomial. r2, r3: constants of q1 and q2.
/// - Uses r2 to r12, lr, s0 and s1; 36 bytes of stack; 604 bytes of code.
/// - 9,040 cycles: 139 for eight coefficients.
#[unsafe(naked)]
unsafe extern "C" fn pack_kernel(
    packed: *mut PackedPoly,
    poly: *const Poly,
    prime1: *const Constants,
    prime2: *const Constants,
) {
    naked_asm!(
        // 0 <= \x < p, from any \x: first to 3/4 p, and then p is added to what is negative.
        r".macro canonical x, prime, reciprocal
            smmulr r12, \x, \reciprocal
            mls \x, r12, \prime, \x
            and.w r12, \prime, \x, asr #31
            add.w \x, \x, r12
        .endm",
        // The coefficient with residues \x and \y: to `low` and `middle`, and from the top into
        // the word of top bits, from which the lowest goes.
        r".macro put x, y, at
            canonical \x, r3, r4
            canonical \y, r5, r6
            orr.w \x, \x, \y, lsl #24
            lsrs.w r12, \y, #25
            rrx r2, r2
            lsr.w \y, \y, #8
            str.w \x, [r0, #4*(\at)]
            strh.w \y, [lr, #2*(\at)]
        .endm",
        r".macro two_coefficients at
            ldr.w r8, [r1, #4*\at]
            ldr.w r9, [r1, #4*\at+4]
            ldr.w r10, [r1, #2048+4*\at]
            ldr.w r11, [r1, #2048+4*\at+4]
            put r8, r10, \at
            put r9, r11, \at+1
        .endm",
        "push.w {{r4-r11, lr}}",
        "ldr.w r4, [r2, #{reciprocal}]",
        "ldr.w r6, [r3, #{reciprocal}]",
        "ldr.w r5, [r3]",
        "ldr.w r3, [r2]",
        // lr is the place of the next middle bits, s0 that of the next top bits; s1 is the end
        // of row 1.
        "add.w r7, r0, #{top}",
        "add.w lr, r0, #{middle}",
        "add.w r12, r1, #2048",
        "vmov s0, r7",
        "vmov s1, r12",
        "1:",
        // 32 coefficients, eight at a time.
        "mov.w r7, #4",
        ".p2align 2",
        "2:",
        "two_coefficients 0",
        "two_coefficients 2",
        "two_coefficients 4",
        "two_coefficients 6",
        "add.w r0, r0, #32",
        "add.w r1, r1, #32",
        "add.w lr, lr, #16",
        "subs.w r7, r7, #1",
        "bne.w 2b",
        "vmov r7, s0",
        "str r2, [r7], #4",
        "vmov s0, r7",
        "vmov r12, s1",
        "cmp.w r1, r12",
        "bne.w 1b",
        "pop.w {{r4-r11, pc}}",
        ".purgem canonical",
        ".purgem put",
        ".purgem two_coefficients",
        reciprocal = const offset_of!(Constants, reciprocal),
        middle = const offset_of!(PackedPoly, middle),
        top = const offset_of!(PackedPoly, top),
    )
}

/// Unpacks both rows: bound 1.
///
/// - r0: polynomial. r1: packed.
/// - Uses r2 to r12 and lr; 36 bytes of stack; 344 bytes of code.
/// - 5,270 cycles: 81 for eight coefficients.
#[unsafe(naked)]
unsafe extern "C" fn unpack_kernel(poly: *mut Poly, packed: *const PackedPoly) {
    naked_asm!(
        // The coefficient at \at of `low`, with its middle bits at the lower end of \middle;
        // the lowest of the top bits is used up.
        r".macro coefficient at, low, middle
            bic.w r10, \low, #0xff000000
            lsr.w \low, \low, #24
            bfi \low, \middle, #8, #16
            bfi \low, r3, #24, #1
            lsr.w r3, r3, #1
            str.w r10, [r0, #4*(\at)]
            str.w \low, [r0, #2048+4*(\at)]
        .endm",
        r".macro four_coefficients at
            ldr.w r4, [r1, #4*\at]
            ldr.w r5, [r1, #4*\at+4]
            ldr.w r6, [r1, #4*\at+8]
            ldr.w r7, [r1, #4*\at+12]
            ldr.w r8, [r2, #2*\at]
            ldr.w r9, [r2, #2*\at+4]
            coefficient \at, r4, r8
            lsr.w r8, r8, #16
            coefficient \at+1, r5, r8
            coefficient \at+2, r6, r9
            lsr.w r9, r9, #16
            coefficient \at+3, r7, r9
        .endm",
        "push.w {{r4-r11, lr}}",
        // r2 is the place of the next middle bits, r12 that of the next top bits, lr its end.
        "add.w r2, r1, #{middle}",
        "add.w r12, r1, #{top}",
        "add.w lr, r12, #64",
        "1:",
        // 32 coefficients, eight at a time.
        "ldr r3, [r12], #4",
        "mov.w r11, #4",
        ".p2align 2",
        "2:",
        "four_coefficients 0",
        "four_coefficients 4",
        "add.w r0, r0, #32",
        "add.w r1, r1, #32",
        "add.w r2, r2, #16",
        "subs.w r11, r11, #1",
        "bne.w 2b",
        "cmp.w r12, lr",
        "bne.w 1b",
        "pop.w {{r4-r11, pc}}",
        ".purgem coefficient",
        ".purgem four_coefficients",
        middle = const offset_of!(PackedPoly, middle),
        top = const offset_of!(PackedPoly, top),
    )
}

/// Adds to row 1 of a sum the product of a packed polynomial and a row, lane by lane, by 1/R:
/// bound 64 of this in; 1 is added to the bound.
///
/// Sums cost nothing, as in [`mul_add`](super::mul_add).
///
/// - r0: sum. r1: packed. r2: factor. r3: constants of q1.
/// - Uses r1 to r12 and lr; 36 bytes of stack; 300 bytes of code.
/// - 4,830 cycles: 75 for eight lanes.
#[unsafe(naked)]
unsafe extern "C" fn mul_add_packed_row1(
    sum: *mut i32,
    packed: *const PackedPoly,
    factor: *const i32,
    constants: *const Constants,
) {
    naked_asm!(
        // \s += \a \b / 2^32 mod q1, with r12 = 0 before and after.
        r".macro montgomery_add s, a, b
            bic.w \a, \a, #0xff000000
            smlal r12, \s, \a, \b
            mul \a, r12, r11
            smlal r12, \s, \a, r3
        .endm",
        r".macro two_lanes at
            ldr.w r4, [r0, #\at]
            ldr.w r5, [r0, #\at+4]
            ldr.w r6, [r1, #\at]
            ldr.w r7, [r1, #\at+4]
            ldr.w r8, [r2, #\at]
            ldr.w r9, [r2, #\at+4]
            montgomery_add r4, r6, r8
            montgomery_add r5, r7, r9
            str.w r4, [r0, #\at]
            str.w r5, [r0, #\at+4]
        .endm",
        "push.w {{r4-r11, lr}}",
        "ldr.w r11, [r3, #{negative_inverse}]",
        "ldr.w r3, [r3]",
        "mov.w r12, #0",
        "add.w lr, r0, #2048",
        ".p2align 2",
        "1:",
        "two_lanes 0",
        "two_lanes 8",
        "two_lanes 16",
        "two_lanes 24",
        "add.w r0, r0, #32",
        "add.w r1, r1, #32",
        "add.w r2, r2, #32",
        "cmp.w r0, lr",
        "bne.w 1b",
        "pop.w {{r4-r11, pc}}",
        ".purgem montgomery_add",
        ".purgem two_lanes",
        negative_inverse = const offset_of!(Constants, negative_inverse),
    )
}

/// The same for row 2.
///
/// - r0: sum. r1: packed. r2: factor. r3: constants of q2.
/// - Uses r1 to r12, lr and s0 to s2; 36 bytes of stack; 484 bytes of code.
/// - 7,400 cycles: 113 for eight lanes.
#[unsafe(naked)]
unsafe extern "C" fn mul_add_packed_row2(
    sum: *mut i32,
    packed: *const PackedPoly,
    factor: *const i32,
    constants: *const Constants,
) {
    naked_asm!(
        // \low = the residue of the coefficient with its middle bits at the lower end of r6;
        // the lowest of the top bits is used up.
        r".macro residue low
            lsr.w \low, \low, #24
            bfi \low, r6, #8, #16
            bfi \low, r10, #24, #1
            lsr.w r10, r10, #1
        .endm",
        // \s += \a \b / 2^32 mod q2, with r12 = 0 before and after.
        r".macro montgomery_add s, a, b
            smlal r12, \s, \a, \b
            mul \a, r12, r11
            smlal r12, \s, \a, r3
        .endm",
        r".macro two_lanes at
            ldr.w r4, [r1, #4*\at]
            ldr.w r5, [r1, #4*\at+4]
            ldr.w r6, [lr, #2*\at]
            residue r4
            lsr.w r6, r6, #16
            residue r5
            ldr.w r6, [r2, #4*\at]
            ldr.w r7, [r2, #4*\at+4]
            ldr.w r8, [r0, #4*\at]
            ldr.w r9, [r0, #4*\at+4]
            montgomery_add r8, r4, r6
            montgomery_add r9, r5, r7
            str.w r8, [r0, #4*\at]
            str.w r9, [r0, #4*\at+4]
        .endm",
        "push.w {{r4-r11, lr}}",
        "ldr.w r11, [r3, #{negative_inverse}]",
        "ldr.w r3, [r3]",
        "mov.w r12, #0",
        // lr is the place of the next middle bits, s0 that of the next top bits; s1 is the end
        // of a block of 32 coefficients, s2 that of the row.
        "add.w lr, r1, #{middle}",
        "add.w r4, r1, #{top}",
        "add.w r5, r0, #2048",
        "vmov s0, r4",
        "vmov s2, r5",
        "1:",
        "vmov r4, s0",
        "ldr r10, [r4], #4",
        "vmov s0, r4",
        "add.w r5, r0, #128",
        "vmov s1, r5",
        ".p2align 2",
        "2:",
        "two_lanes 0",
        "two_lanes 2",
        "two_lanes 4",
        "two_lanes 6",
        "add.w r0, r0, #32",
        "add.w r1, r1, #32",
        "add.w r2, r2, #32",
        "add.w lr, lr, #16",
        "vmov r4, s1",
        "cmp.w r0, r4",
        "bne.w 2b",
        "vmov r4, s2",
        "cmp.w r0, r4",
        "bne.w 1b",
        "pop.w {{r4-r11, pc}}",
        ".purgem residue",
        ".purgem montgomery_add",
        ".purgem two_lanes",
        negative_inverse = const offset_of!(Constants, negative_inverse),
        middle = const offset_of!(PackedPoly, middle),
        top = const offset_of!(PackedPoly, top),
    )
}
