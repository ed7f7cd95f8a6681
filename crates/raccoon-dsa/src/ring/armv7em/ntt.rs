//! The forward transform: three passes of three layers, eight coefficients in registers.
//!
//! A butterfly (a, b) -> (a + t, a - t), t = zeta b mod p, is four instructions:
//!
//! ```text
//! h = b zeta' / 2^32, rounded    with zeta' = 2^32 zeta / p, rounded
//! b = a + b zeta
//! b = b - h p                    that is a + t
//! a = 2 a - b                    that is a - t
//! ```
//!
//! so sums and differences change places. Only low halves are kept, which is enough, since
//! the results are known to fit. With |b| < 2^31, h is off from b zeta / p by 1/2 for its
//! own rounding and by 1/4 for that of zeta', hence |t| <= 3/4 p. The constant zeta' is all
//! that is stored, for zeta is `zeta' p / 2^32`, rounded: what rounding took from zeta' counts for p/2
//! in 2^32.

use super::Constants;
use core::arch::naked_asm;

/// Transforms a row of 512 residues in place: bound B <= 48 in, B + 7 out.
///
/// Each of the nine layers adds 3/4 to the bound, so that 48 + 27/4 is never passed.
///
/// - r0: row. r1: constants of the prime.
/// - Uses r2 to r12, lr and s0 to s15; 36 bytes of stack; 1,096 bytes of code.
/// - 16,710 cycles: 83, 83 and 89 for eight coefficients in the three passes.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn ntt_row(row: *mut i32, constants: *const Constants) {
    naked_asm!(
        // \z = zeta of the constant \zq.
        r".macro zeta z, zq
            smmulr \z, \zq, r10
        .endm",
        // A butterfly; \h may be \zq, if that is not used again.
        r".macro butterfly a, b, z=r12, zq=r11, h=lr
            smmulr \h, \b, \zq
            mla \b, \b, \z, \a
            mls \b, \h, r10, \b
            rsb \a, \b, \a, lsl #1
        .endm",
        // The next seven constants at r1 and their zetas, to s0 to s13 in pairs.
        r".macro load_zetas
            ldm.w r1!, {{r2-r8}}
            store_zeta r2, s0, s1
            store_zeta r3, s2, s3
            store_zeta r4, s4, s5
            store_zeta r5, s6, s7
            store_zeta r6, s8, s9
            store_zeta r7, s10, s11
            store_zeta r8, s12, s13
        .endm
        .macro store_zeta zq, s, t
            zeta r9, \zq
            vmov \s, \t, \zq, r9
        .endm",
        // Three layers on eight coefficients at a distance of \d bytes; r0 moves to the next.
        r".macro three_layers d
            ldr.w r2, [r0]
            ldr.w r3, [r0, #1*\d]
            ldr.w r4, [r0, #2*\d]
            ldr.w r5, [r0, #3*\d]
            ldr.w r6, [r0, #4*\d]
            ldr.w r7, [r0, #5*\d]
            ldr.w r8, [r0, #6*\d]
            ldr.w r9, [r0, #7*\d]
            vmov r11, r12, s0, s1
            butterfly r2, r6
            butterfly r3, r7
            butterfly r4, r8
            butterfly r5, r9
            vmov r11, r12, s2, s3
            butterfly r6, r8
            butterfly r7, r9
            vmov r11, r12, s4, s5
            butterfly r2, r4
            butterfly r3, r5
            vmov r11, r12, s6, s7
            butterfly r8, r9
            vmov r11, r12, s8, s9
            butterfly r6, r7
            vmov r11, r12, s10, s11
            butterfly r4, r5
            vmov r11, r12, s12, s13
            butterfly r2, r3
            str.w r8, [r0, #1*\d]
            str.w r7, [r0, #2*\d]
            str.w r6, [r0, #3*\d]
            str.w r5, [r0, #4*\d]
            str.w r4, [r0, #5*\d]
            str.w r3, [r0, #6*\d]
            str.w r2, [r0, #7*\d]
            str r9, [r0], #4
        .endm",
        "push.w {{r4-r11, lr}}",
        // r10 is p; s14 the next constants, s15 the end of the row.
        "ldr r10, [r1], #{zetas}",
        "add.w r2, r0, #2048",
        "vmov s15, r2",
        // Layers 1 to 3: one block of 64 groups.
        "load_zetas",
        "vmov s14, r1",
        "add.w r1, r0, #256",
        ".p2align 2",
        "1:",
        "three_layers 256",
        "cmp r0, r1",
        "bne.n 1b",
        "sub.w r0, r0, #256",
        // Layers 4 to 6: eight blocks of eight groups.
        "2:",
        "vmov r1, s14",
        "load_zetas",
        "vmov s14, r1",
        "add.w r1, r0, #32",
        ".p2align 2",
        "3:",
        "three_layers 32",
        "cmp r0, r1",
        "bne.n 3b",
        "add.w r0, r0, #224",
        "vmov r1, s15",
        "cmp r0, r1",
        "bne.w 2b",
        // Layers 7 to 9: 64 blocks of one group. A constant is loaded for each block, two of
        // them at a time where they are used once.
        "sub.w r0, r0, #2048",
        "vmov r1, s14",
        ".p2align 2",
        "4:",
        "ldr.w r2, [r0]",
        "ldr.w r3, [r0, #4]",
        "ldr.w r4, [r0, #8]",
        "ldr.w r5, [r0, #12]",
        "ldr.w r6, [r0, #16]",
        "ldr.w r7, [r0, #20]",
        "ldr.w r8, [r0, #24]",
        "ldr.w r9, [r0, #28]",
        "ldr.w r11, [r1]",
        "zeta r12, r11",
        "butterfly r2, r6",
        "butterfly r3, r7",
        "butterfly r4, r8",
        "butterfly r5, r9",
        "ldr.w r11, [r1, #8]",
        "zeta r12, r11",
        "butterfly r2, r4",
        "butterfly r3, r5",
        "ldr.w r11, [r1, #4]",
        "zeta r12, r11",
        "butterfly r6, r8",
        "butterfly r7, r9",
        "ldr.w r11, [r1, #24]",
        "ldr.w lr, [r1, #20]",
        "zeta r12, r11",
        "butterfly r2, r3, h=r11",
        "zeta r12, lr",
        "butterfly r4, r5, zq=lr",
        "str.w r2, [r0, #28]",
        "str.w r3, [r0, #24]",
        "str.w r4, [r0, #20]",
        "str.w r5, [r0, #16]",
        "ldr.w r11, [r1, #16]",
        "ldr.w lr, [r1, #12]",
        "zeta r12, r11",
        "butterfly r6, r7, h=r11",
        "zeta r12, lr",
        "butterfly r8, r9, zq=lr",
        "str.w r6, [r0, #12]",
        "str.w r7, [r0, #8]",
        "str.w r8, [r0, #4]",
        "str r9, [r0], #32",
        "add.w r1, r1, #28",
        "vmov lr, s15",
        "cmp.w r0, lr",
        "bne.w 4b",
        "pop.w {{r4-r11, pc}}",
        ".purgem zeta",
        ".purgem butterfly",
        ".purgem load_zetas",
        ".purgem store_zeta",
        ".purgem three_layers",
        zetas = const core::mem::offset_of!(Constants, zetas),
    )
}
