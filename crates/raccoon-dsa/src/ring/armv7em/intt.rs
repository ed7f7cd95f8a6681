//! The inverse transform: three passes of three layers, eight coefficients in registers.
//!
//! A butterfly is (a, b) -> (a + b, (b - a) zeta), as in the portable backend, on the zetas
//! of the forward transform in reverse order. The first pass streams their constants and
//! multiplies as the forward transform does: `h = b zeta' / 2^32`, rounded, and then
//! `b zeta - h p`. The other two hold their zetas in floating-point registers and multiply
//! by Montgomery's method, which takes one register a zeta instead of two: the low half of
//! `b zeta + m p` vanishes for m = -b zeta / p mod 2^32. Of a constant zeta', the low half of
//! `zeta' p` is minus the zeta in Montgomery scale; hence differences are a - b there. Either
//! product is within 3/4 p for any difference that fits into 32 bits.

use super::{Constants, Scaling};
use core::arch::naked_asm;

/// Transforms a row of 512 residues in place and scales it: bound 8 in, 3 out.
///
/// The scale is part of the last pass' zetas: what a butterfly of that pass multiplies for
/// the first time is scaled, and only lane 0 of eight, never multiplied, is scaled by itself.
///
/// - r0: row. r1: constants of the prime. r2: scaling.
/// - Uses r2 to r12, lr and s0 to s15; 36 bytes of stack; 1,238 bytes of code.
/// - 19,070 cycles: 105, 92 and 96 for eight coefficients in the three passes.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn intt_row(
    row: *mut i32,
    constants: *const Constants,
    scaling: *const Scaling,
) {
    naked_asm!(
        // Sum and product of a difference in the first pass; \h may be \zq, if that is not
        // used again.
        r".macro inverse_butterfly a, b, zq=r11, h=lr
            sub.w \b, \b, \a
            add.w \a, \b, \a, lsl #1
            smmulr \h, \b, \zq
            mul \b, \b, r12
            mls \b, \h, r10, \b
        .endm",
        // \b = \b r12 / 2^32 mod p.
        r".macro montgomery b
            smull lr, \b, \b, r12
            mul r1, lr, r11
            smlal lr, \b, r1, r10
        .endm",
        // Sum and product of a difference in the other passes.
        r".macro montgomery_butterfly a, b
            add.w \a, \a, \b
            sub.w \b, \a, \b, lsl #1
            montgomery \b
        .endm",
        // \a to bound 3/4, with \unit = 2^32 / p, rounded.
        r".macro reduce a, unit, h
            smmulr \h, \a, \unit
            mls \a, \h, r10, \a
        .endm",
        // Eight coefficients at a distance of \d bytes, from and to memory; r0 moves on.
        r".macro load_eight d
            ldr.w r2, [r0]
            ldr.w r3, [r0, #1*\d]
            ldr.w r4, [r0, #2*\d]
            ldr.w r5, [r0, #3*\d]
            ldr.w r6, [r0, #4*\d]
            ldr.w r7, [r0, #5*\d]
            ldr.w r8, [r0, #6*\d]
            ldr.w r9, [r0, #7*\d]
        .endm
        .macro store_eight d
            str.w r3, [r0, #1*\d]
            str.w r4, [r0, #2*\d]
            str.w r5, [r0, #3*\d]
            str.w r6, [r0, #4*\d]
            str.w r7, [r0, #5*\d]
            str.w r8, [r0, #6*\d]
            str.w r9, [r0, #7*\d]
            str r2, [r0], #4
        .endm",
        "push.w {{r4-r11, lr}}",
        // r10 is p; s12 the constants, s13 is 2^32 / p, s14 the scaling, s15 the end of the row.
        "ldr.w r10, [r1]",
        "ldr.w r11, [r1, #{reciprocal}]",
        "add.w r12, r0, #2048",
        "vmov s13, r11",
        "vmov s14, r2",
        "vmov s15, r12",
        // Layers 1 to 3: 64 groups of eight neighbours, the table of constants backwards.
        "vmov s12, r1",
        "addw r1, r1, #{end}",
        ".p2align 2",
        "1:",
        // Bound 8 becomes 16 and 3/4; then 32, 3/2 and 3/4 twice; then 64, 3, and at most 3/2.
        "ldr.w r2, [r0]",
        "ldr.w r3, [r0, #4]",
        "ldr.w r4, [r0, #8]",
        "ldr.w r5, [r0, #12]",
        "ldr r11, [r1, #-4]",
        "ldr lr, [r1, #-8]",
        "smmulr r12, r11, r10",
        "inverse_butterfly r2, r3, h=r11",
        "smmulr r12, lr, r10",
        "inverse_butterfly r4, r5, zq=lr",
        "ldr.w r6, [r0, #16]",
        "ldr.w r7, [r0, #20]",
        "ldr.w r8, [r0, #24]",
        "ldr.w r9, [r0, #28]",
        "ldr r11, [r1, #-12]",
        "ldr lr, [r1, #-16]",
        "smmulr r12, r11, r10",
        "inverse_butterfly r6, r7, h=r11",
        "smmulr r12, lr, r10",
        "inverse_butterfly r8, r9, zq=lr",
        "ldr r11, [r1, #-20]",
        "smmulr r12, r11, r10",
        "inverse_butterfly r2, r4",
        "inverse_butterfly r3, r5",
        "ldr r11, [r1, #-24]",
        "smmulr r12, r11, r10",
        "inverse_butterfly r6, r8",
        "inverse_butterfly r7, r9",
        "ldr r11, [r1, #-28]",
        "smmulr r12, r11, r10",
        "inverse_butterfly r2, r6",
        "inverse_butterfly r3, r7",
        "inverse_butterfly r4, r8",
        "inverse_butterfly r5, r9",
        // Lane 0 from 64 to 3/4; 3 is left in lane 1.
        "vmov r12, s13",
        "reduce r2, r12, lr",
        "stm.w r0!, {{r2-r9}}",
        "sub.w r1, r1, #28",
        "vmov lr, s15",
        "cmp.w r0, lr",
        "bne.w 1b",
        // Layers 4 to 6: eight blocks of eight groups. From here on r11 is -1/p mod 2^32, and
        // s12 the constants used last.
        "vmov r2, s12",
        "ldr.w r11, [r2, #{negative_inverse}]",
        "vmov s12, r1",
        "sub.w r0, r0, #2048",
        "2:",
        "vmov r1, s12",
        "ldmdb.w r1!, {{r2-r8}}",
        "mul r2, r2, r10",
        "mul r3, r3, r10",
        "mul r4, r4, r10",
        "mul r5, r5, r10",
        "mul r6, r6, r10",
        "mul r7, r7, r10",
        "mul r8, r8, r10",
        "vmov s0, s1, r2, r3",
        "vmov s2, s3, r4, r5",
        "vmov s4, s5, r6, r7",
        "vmov s6, r8",
        "vmov s12, r1",
        "add.w r2, r0, #32",
        "vmov s11, r2",
        ".p2align 2",
        "3:",
        // Bound 3 becomes 6 and 3/4; then 12, 3/2 and 3/4 twice; then 24, 3, and at most 3/2.
        "load_eight 32",
        "vmov r12, s6",
        "montgomery_butterfly r2, r3",
        "vmov r12, s5",
        "montgomery_butterfly r4, r5",
        "vmov r12, s4",
        "montgomery_butterfly r6, r7",
        "vmov r12, s3",
        "montgomery_butterfly r8, r9",
        "vmov r12, s2",
        "montgomery_butterfly r2, r4",
        "montgomery_butterfly r3, r5",
        "vmov r12, s1",
        "montgomery_butterfly r6, r8",
        "montgomery_butterfly r7, r9",
        "vmov r12, s0",
        "montgomery_butterfly r2, r6",
        "montgomery_butterfly r3, r7",
        "montgomery_butterfly r4, r8",
        "montgomery_butterfly r5, r9",
        // Lane 0 from 24 to 3/4; 3 is left in lane 1.
        "vmov r12, s13",
        "reduce r2, r12, lr",
        "store_eight 32",
        "vmov r1, s11",
        "cmp r0, r1",
        "bne.n 3b",
        "add.w r0, r0, #224",
        "vmov r1, s15",
        "cmp r0, r1",
        "bne.w 2b",
        // Layers 7 to 9: one block of 64 groups.
        "sub.w r0, r0, #2048",
        "vmov r1, s14",
        "vldmia r1, {{s0-s10}}",
        "add.w r2, r0, #256",
        "vmov s11, r2",
        ".p2align 2",
        "4:",
        // Bound 3 becomes 24 in lane 0, and as before at most 3 elsewhere.
        "load_eight 256",
        "vmov r12, s0",
        "montgomery_butterfly r2, r3",
        "vmov r12, s1",
        "montgomery_butterfly r4, r5",
        "vmov r12, s2",
        "montgomery_butterfly r6, r7",
        "vmov r12, s3",
        "montgomery_butterfly r8, r9",
        // Lanes 1, 3, 5 and 7 are scaled from here on ...
        "vmov r12, s4",
        "montgomery_butterfly r2, r4",
        "vmov r12, s5",
        "montgomery_butterfly r3, r5",
        "vmov r12, s6",
        "montgomery_butterfly r6, r8",
        "vmov r12, s7",
        "montgomery_butterfly r7, r9",
        // ... lanes 2 and 6 from here on ...
        "vmov r12, s8",
        "montgomery_butterfly r2, r6",
        "vmov r12, s9",
        "montgomery_butterfly r3, r7",
        "montgomery_butterfly r4, r8",
        "montgomery_butterfly r5, r9",
        // ... and now also lanes 4 and 0.
        "vmov r12, s10",
        "montgomery r2",
        "store_eight 256",
        "vmov r1, s11",
        "cmp r0, r1",
        "bne.n 4b",
        "pop.w {{r4-r11, pc}}",
        ".purgem inverse_butterfly",
        ".purgem montgomery",
        ".purgem montgomery_butterfly",
        ".purgem reduce",
        ".purgem load_eight",
        ".purgem store_eight",
        reciprocal = const core::mem::offset_of!(Constants, reciprocal),
        negative_inverse = const core::mem::offset_of!(Constants, negative_inverse),
        end = const size_of::<Constants>(),
    )
}
