//! From residues to rounded integers.

use super::super::Poly;
use super::super::residue::{centred, power};
use super::quotient;
use crate::params::{N, Q, Q1, Q2};
use core::arch::{asm, naked_asm};

/// q1^-1 mod q2, centred ...
const Q1_INVERSE: i32 = centred(power(Q1 as i64, (Q2 - 2) as u64, Q2), Q2);
/// ... and 2^32 times it, divided by q2 and rounded: |t| < 2^31.
const Q1_INVERSE_SCALE: i32 = {
    let twice = ((Q1_INVERSE as i64) << 33) / Q2 as i64;
    ((twice + twice.signum()) / 2) as i32
};

pub fn round(poly: &Poly, at: usize, nu: u32, rounded: &mut [u8]) {
    assert!(at <= N && rounded.len() <= N - at, "a byte without a coefficient");
    let (shift, modulus) = (nu - 32, (Q >> nu) as u32);
    // A `Poly` is row 1, then row 2.
    let lanes = core::ptr::from_ref(poly).cast::<i32>();
    // SAFETY: both rows hold as many lanes from `at` on as there are bytes.
    unsafe {
        round_kernel(lanes.add(at), rounded.as_mut_ptr(), rounded.len() / 2, shift, modulus);
    }
}

/// Lifts lanes a and b, |b| <= 64 q2, to 0 <= x < q and adds `$start` to the high word of
/// x; `$a` and `$high` are its words in the end. Uses `$b`.
///
/// `$scale` is 2^32 / q1, rounded, `$c` [`Q1_INVERSE`] and `$d` [`Q1_INVERSE_SCALE`].
macro_rules! lift {
    ($a:literal, $b:literal, $high:literal, $start:literal,
     $scale:literal, $q1:literal, $q2:literal, $c:literal, $d:literal) => {
        concat!(
            // a mod q1, |a| <= 3/4 q1: 1/2 for rounding a / q1 and 1/4 for rounding 2^32 / q1.
            "smmulr ",
            $high,
            ", ",
            $a,
            ", ",
            $scale,
            "\n",
            "mls ",
            $a,
            ", ",
            $high,
            ", ",
            $q1,
            ", ",
            $a,
            "\n",
            // 0 <= a < q1.
            "and.w ",
            $high,
            ", ",
            $q1,
            ", ",
            $a,
            ", asr #31\n",
            "add.w ",
            $a,
            ", ",
            $a,
            ", ",
            $high,
            "\n",
            // t = (b - a) / q1 mod q2: |b - a| <= 64 q2 + q1 < 2^31, so that |t| <= 3/4 q2.
            "sub.w ",
            $b,
            ", ",
            $b,
            ", ",
            $a,
            "\n",
            "mul ",
            $high,
            ", ",
            $b,
            ", ",
            $c,
            "\n",
            "smmulr ",
            $b,
            ", ",
            $b,
            ", ",
            $d,
            "\n",
            "mls ",
            $b,
            ", ",
            $b,
            ", ",
            $q2,
            ", ",
            $high,
            "\n",
            // 0 <= t < q2.
            "and.w ",
            $high,
            ", ",
            $q2,
            ", ",
            $b,
            ", asr #31\n",
            "add.w ",
            $b,
            ", ",
            $b,
            ", ",
            $high,
            "\n",
            // x = a + q1 t < q.
            "mov.w ",
            $high,
            ", ",
            $start,
            "\n",
            "umlal ",
            $a,
            ", ",
            $high,
            ", ",
            $q1,
            ", ",
            $b,
            "\n",
        )
    };
}

#[inline(always)]
pub fn lift(a: i32, b: i32) -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: computes on registers alone.
    unsafe {
        asm!(
            lift!("{a}", "{b}", "{high}", "#0", "{scale}", "{q1}", "{q2}", "{c}", "{d}"),
            a = inout(reg) a => low,
            b = inout(reg) b => _,
            high = out(reg) high,
            scale = in(reg) quotient(32, Q1) as i32,
            q1 = in(reg) Q1,
            q2 = in(reg) Q2,
            c = in(reg) Q1_INVERSE,
            d = in(reg) Q1_INVERSE_SCALE,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    u64::from(high) << 32 | u64::from(low)
}

/// Lifts a coefficient and rounds it, in [`round_kernel`]'s registers.
macro_rules! round_coefficient {
    ($lane:literal) => {
        concat!(
            "ldr.w r9, [r0, #",
            $lane,
            "]\n",
            "ldr.w r10, [r0, #2048 + ",
            $lane,
            "]\n",
            // x plus half a unit, below 2^50; the unit is 2^nu.
            lift!("r9", "r10", "r11", "r4", "r5", "r6", "r7", "r8", "r12"),
            "lsr.w r11, r11, r3\n",
            // At most the modulus, which becomes 0.
            "sub.w r9, r11, lr\n",
            "and.w r11, r11, r9, asr #31\n",
            "strb.w r11, [r1], #1\n",
        )
    };
}

/// Rounds coefficients of a plain polynomial of bound 64 to bytes, `2 * pairs` of them.
///
/// - r0: row 1 at the first coefficient; row 2 is 2048 bytes behind. r1: bytes. r2: pairs.
///   r3: nu - 32, from 10 to 16. On the stack: floor(q / 2^nu).
/// - Uses r4 to r11 and lr; 36 bytes of stack.
/// - About 21.5 cycles a coefficient.
#[unsafe(naked)]
unsafe extern "C" fn round_kernel(
    lanes: *const i32,
    rounded: *mut u8,
    pairs: usize,
    shift: u32,
    modulus: u32,
) {
    naked_asm!(
        "push.w {{r4-r11, lr}}",
        "ldr.w lr, [sp, #36]",
        // Half a unit is 2^(nu - 33) in the high word.
        "mov.w r4, #1",
        "lsl.w r4, r4, r3",
        "lsr.w r4, r4, #1",
        "mov.w r5, #{scale}",
        "movw r6, #{q1} & 0xFFFF",
        "movt r6, #{q1} >> 16",
        "movw r7, #{q2} & 0xFFFF",
        "movt r7, #{q2} >> 16",
        "movw r8, #{q1_inverse} & 0xFFFF",
        "movt r8, #{q1_inverse} >> 16",
        "movw r12, #{q1_inverse_scale} & 0xFFFF",
        "movt r12, #{q1_inverse_scale} >> 16",
        "cmp.w r2, #0",
        "beq.w 2f",
        ".p2align 2",
        "1:",
        round_coefficient!("0"),
        round_coefficient!("4"),
        "add.w r0, r0, #8",
        "subs.w r2, r2, #1",
        "bne.w 1b",
        "2:",
        "pop.w {{r4-r11, pc}}",
        scale = const quotient(32, Q1),
        q1 = const Q1,
        q2 = const Q2,
        q1_inverse = const Q1_INVERSE as u32,
        q1_inverse_scale = const Q1_INVERSE_SCALE as u32,
    )
}
