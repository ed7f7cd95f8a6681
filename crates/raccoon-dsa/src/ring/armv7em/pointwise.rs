//! Sums, products and reductions lane by lane, as many at a time as registers allow: a load
//! costs one cycle behind another load and two anywhere else.

use super::super::Poly;
use super::{Constants, PRIME1, PRIME2};
use core::arch::naked_asm;

pub fn add(sum: &mut Poly, other: &Poly) {
    // SAFETY: the kernel reads both polynomials and writes the first.
    unsafe { add_kernel(sum, other) }
}

pub fn sub(difference: &mut Poly, other: &Poly) {
    // SAFETY: the kernel reads both polynomials and writes the first.
    unsafe { sub_kernel(difference, other) }
}

pub fn reduce(poly: &mut Poly) {
    // SAFETY: the kernel reads and writes a row.
    unsafe {
        reduce_row(poly.row1.as_mut_ptr(), &PRIME1);
        reduce_row(poly.row2.as_mut_ptr(), &PRIME2);
    }
}

pub fn mul(product: &mut Poly, factor: &Poly) {
    // SAFETY: the kernel reads both rows and writes the first.
    unsafe {
        mul_row(product.row1.as_mut_ptr(), factor.row1.as_ptr(), &PRIME1);
        mul_row(product.row2.as_mut_ptr(), factor.row2.as_ptr(), &PRIME2);
    }
}

pub fn mul_add(sum: &mut Poly, a: &Poly, b: &Poly) {
    // SAFETY: the kernel reads the rows and writes the first.
    unsafe {
        mul_add_row(sum.row1.as_mut_ptr(), a.row1.as_ptr(), b.row1.as_ptr(), &PRIME1);
        mul_add_row(sum.row2.as_mut_ptr(), a.row2.as_ptr(), b.row2.as_ptr(), &PRIME2);
    }
}

/// The two kernels that combine the lanes of two polynomials by one instruction.
macro_rules! lane_by_lane {
    ($(#[$doc:meta])* $kernel:ident, $instruction:literal) => {
        $(#[$doc])*
        ///
        /// - r0: the polynomial that is replaced. r1: the other.
        /// - Uses r2 to r9 and lr; 28 bytes of stack; 280 bytes of code.
        /// - 4,760 cycles: 74 for 16 lanes.
        #[unsafe(naked)]
        unsafe extern "C" fn $kernel(poly: *mut Poly, other: *const Poly) {
            naked_asm!(
                r".macro four_lanes at
                    ldr.w r2, [r0, #\at]
                    ldr.w r3, [r0, #\at+4]
                    ldr.w r4, [r0, #\at+8]
                    ldr.w r5, [r0, #\at+12]
                    ldr.w r6, [r1, #\at]
                    ldr.w r7, [r1, #\at+4]
                    ldr.w r8, [r1, #\at+8]
                    ldr.w r9, [r1, #\at+12]",
                concat!($instruction, " r2, r2, r6"),
                concat!($instruction, " r3, r3, r7"),
                concat!($instruction, " r4, r4, r8"),
                concat!($instruction, " r5, r5, r9"),
                r"  str.w r2, [r0, #\at]
                    str.w r3, [r0, #\at+4]
                    str.w r4, [r0, #\at+8]
                    str.w r5, [r0, #\at+12]
                .endm",
                "push.w {{r4-r9, lr}}",
                "add.w lr, r0, #4096",
                ".p2align 2",
                "1:",
                "four_lanes 0",
                "four_lanes 16",
                "four_lanes 32",
                "four_lanes 48",
                "adds r0, #64",
                "adds r1, #64",
                "cmp.w r0, lr",
                "bne.w 1b",
                "pop.w {{r4-r9, pc}}",
                ".purgem four_lanes",
            )
        }
    };
}

lane_by_lane! {
    /// Adds lane by lane. The caller knows that sums fit.
    add_kernel, "add.w"
}

lane_by_lane! {
    /// Subtracts lane by lane. The caller knows that differences fit.
    sub_kernel, "sub.w"
}

/// Reduces a row of any 512 lanes to bound 3/4.
///
/// A lane x is off from t p, t = x / p, by p/2 for rounding t and p/4 for rounding 2^32 / p.
///
/// - r0: row. r1: constants of the prime.
/// - Uses r1 to r11 and lr; 36 bytes of stack; 172 bytes of code.
/// - 2,330 cycles: 72 for 16 lanes.
#[unsafe(naked)]
unsafe extern "C" fn reduce_row(row: *mut i32, constants: *const Constants) {
    naked_asm!(
        r".macro reduce x
            smmulr r1, \x, r11
            mls \x, r1, r10, \x
        .endm",
        r".macro eight_lanes
            ldm.w r0, {{r2-r9}}
            reduce r2
            reduce r3
            reduce r4
            reduce r5
            reduce r6
            reduce r7
            reduce r8
            reduce r9
            stm.w r0!, {{r2-r9}}
        .endm",
        "push.w {{r4-r11, lr}}",
        "ldr.w r10, [r1]",
        "ldr.w r11, [r1, #{reciprocal}]",
        "add.w lr, r0, #2048",
        ".p2align 2",
        "1:",
        "eight_lanes",
        "eight_lanes",
        "cmp.w r0, lr",
        "bne.w 1b",
        "pop.w {{r4-r11, pc}}",
        ".purgem reduce",
        ".purgem eight_lanes",
        reciprocal = const core::mem::offset_of!(Constants, reciprocal),
    )
}

/// Multiplies a row by another, lane by lane and by 1/R: bounds with product at most 64 in,
/// 1 out.
///
/// The product x of two lanes becomes (x + m p) / 2^32 with m = -x / p mod 2^32, for which the
/// low half vanishes: at most 64 p^2 / 2^32 + p/2 <= p.
///
/// - r0: the row that is replaced. r1: the other. r2: constants of the prime.
/// - Uses r2 to r12 and lr; 36 bytes of stack; 224 bytes of code.
/// - 3,610 cycles: 56 for eight lanes.
#[unsafe(naked)]
unsafe extern "C" fn mul_row(product: *mut i32, factor: *const i32, constants: *const Constants) {
    naked_asm!(
        // \b = \a \b / 2^32 mod p.
        r".macro montgomery a, b
            smull \a, \b, \a, \b
            mul lr, \a, r3
            smlal \a, \b, lr, r2
        .endm",
        r".macro four_lanes at
            ldr.w r4, [r0, #\at]
            ldr.w r5, [r0, #\at+4]
            ldr.w r6, [r0, #\at+8]
            ldr.w r7, [r0, #\at+12]
            ldr.w r8, [r1, #\at]
            ldr.w r9, [r1, #\at+4]
            ldr.w r10, [r1, #\at+8]
            ldr.w r11, [r1, #\at+12]
            montgomery r4, r8
            montgomery r5, r9
            montgomery r6, r10
            montgomery r7, r11
            str.w r8, [r0, #\at]
            str.w r9, [r0, #\at+4]
            str.w r10, [r0, #\at+8]
            str.w r11, [r0, #\at+12]
        .endm",
        "push.w {{r4-r11, lr}}",
        "ldr.w r3, [r2, #{negative_inverse}]",
        "ldr.w r2, [r2]",
        "add.w r12, r0, #2048",
        ".p2align 2",
        "1:",
        "four_lanes 0",
        "four_lanes 16",
        "adds r0, #32",
        "adds r1, #32",
        "cmp.w r0, r12",
        "bne.w 1b",
        "pop.w {{r4-r11, pc}}",
        ".purgem montgomery",
        ".purgem four_lanes",
        negative_inverse = const core::mem::offset_of!(Constants, negative_inverse),
    )
}

/// Adds to a row the product of two others, lane by lane, by 1/R: bounds of these with product
/// at most 64 in; 1 is added to the bound.
///
/// A lane s becomes (s 2^32 + x + m p) / 2^32 for the product x, where m = -x / p mod 2^32 as in
/// `mul_row`: the sum costs nothing. What it takes is a register that is zero, and the vanishing
/// low half leaves one.
///
/// - r0: sum. r1, r2: factors. r3: constants of the prime.
/// - Uses r3 to r12 and lr; 36 bytes of stack; 492 bytes of code.
/// - 4,100 cycles: 127 for 16 lanes.
#[unsafe(naked)]
unsafe extern "C" fn mul_add_row(
    sum: *mut i32,
    a: *const i32,
    b: *const i32,
    constants: *const Constants,
) {
    naked_asm!(
        // \s += \a \b / 2^32 mod p, with r12 = 0 before and after.
        r".macro montgomery_add s, a, b
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
        "two_lanes 32",
        "two_lanes 40",
        "two_lanes 48",
        "two_lanes 56",
        "add.w r0, r0, #64",
        "add.w r1, r1, #64",
        "add.w r2, r2, #64",
        "cmp.w r0, lr",
        "bne.w 1b",
        "pop.w {{r4-r11, pc}}",
        ".purgem montgomery_add",
        ".purgem two_lanes",
        negative_inverse = const core::mem::offset_of!(Constants, negative_inverse),
    )
}
