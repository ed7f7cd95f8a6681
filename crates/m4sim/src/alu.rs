//! Arithmetic of the data-processing instructions, as pure functions on 32-bit words.

use crate::decode::{Arithmetic, Lanes, Shift};

/// `a + b + carry`, with carry and signed overflow.
#[inline(always)]
pub(crate) fn add_with_carry(a: u32, b: u32, carry: bool) -> (u32, bool, bool) {
    let (partial, c1) = a.overflowing_add(b);
    let (result, c2) = partial.overflowing_add(u32::from(carry));
    let overflow = ((a ^ result) & (b ^ result)) >> 31 != 0;
    (result, c1 | c2, overflow)
}

/// `value` shifted by an immediate distance, and the carry out. Distances are 0 to 31 for LSL,
/// 1 to 32 for LSR and ASR, 1 to 31 for ROR.
#[inline(always)]
pub(crate) fn shift_immediate(value: u32, shift: Shift, amount: u8, carry: bool) -> (u32, bool) {
    let n = u32::from(amount);
    match shift {
        // Also a rotation by nothing, as the extending instructions have it.
        _ if n == 0 => (value, carry),
        Shift::Lsl => (value << n, (value >> (32 - n)) & 1 != 0),
        Shift::Lsr => (((u64::from(value)) >> n) as u32, (value >> (n - 1)) & 1 != 0),
        Shift::Asr => ((i64::from(value as i32) >> n) as u32, ((value as i32) >> (n - 1)) & 1 != 0),
        Shift::Ror => (value.rotate_right(n), (value >> (n - 1)) & 1 != 0),
        Shift::Rrx => (value >> 1 | u32::from(carry) << 31, value & 1 != 0),
    }
}

/// `value` shifted by a register's low byte (0 to 255), and the carry out.
#[inline(always)]
pub(crate) fn shift_register(value: u32, shift: Shift, distance: u32, carry: bool) -> (u32, bool) {
    let n = distance & 0xFF;
    if n == 0 {
        return (value, carry);
    }
    match shift {
        Shift::Lsl if n > 32 => (0, false),
        Shift::Lsl => (((u64::from(value)) << n) as u32, (value >> (32 - n)) & 1 != 0),
        Shift::Lsr if n > 32 => (0, false),
        Shift::Asr if n > 32 => shift_immediate(value, shift, 32, carry),
        Shift::Lsr | Shift::Asr => shift_immediate(value, shift, n as u8, carry),
        Shift::Ror | Shift::Rrx => {
            let result = value.rotate_right(n & 31);
            (result, result >> 31 != 0)
        }
    }
}

/// The signed value of the bottom half.
#[inline(always)]
pub(crate) fn bottom(value: u32) -> i32 {
    i32::from(value as i16)
}

/// The signed value of the top half.
#[inline(always)]
pub(crate) fn top(value: u32) -> i32 {
    (value as i32) >> 16
}

/// `value` clamped to a signed range of `bits` (1 to 32), and whether it had to be.
pub(crate) fn saturate_signed(value: i64, bits: u32) -> (i32, bool) {
    let limit = 1i64 << (bits - 1);
    let clamped = value.clamp(-limit, limit - 1);
    (clamped as i32, clamped != value)
}

/// `value` clamped to an unsigned range of `bits` (0 to 32), and whether it had to be.
pub(crate) fn saturate_unsigned(value: i64, bits: u32) -> (u32, bool) {
    let clamped = value.clamp(0, (1i64 << bits) - 1);
    (clamped as u32, clamped != value)
}

/// The sum of the absolute differences of the four unsigned bytes.
pub(crate) fn sum_of_differences(a: u32, b: u32) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    a.iter().zip(b).map(|(&x, y)| u32::from(x.abs_diff(y))).sum()
}

/// Bytes of `a` where `ge` has a one, of `b` elsewhere.
pub(crate) fn select(ge: u8, a: u32, b: u32) -> u32 {
    let byte = |lane: u32| u32::from((ge >> lane) & 1) * (0xFF << (8 * lane));
    let mask = (0..4).map(byte).fold(0, |mask, bits| mask | bits);
    (a & mask) | (b & !mask)
}

/// A parallel addition or subtraction: the result, and the GE bits for the modular forms.
pub(crate) fn parallel(arithmetic: Arithmetic, lanes: Lanes, a: u32, b: u32) -> (u32, Option<u8>) {
    let width = if matches!(lanes, Lanes::Add8 | Lanes::Sub8) { 8 } else { 16 };
    let count = 32 / width;
    let (mut result, mut ge) = (0u32, 0u8);
    for lane in 0..count {
        let exchange = matches!(lanes, Lanes::Asx | Lanes::Sax);
        let other = if exchange { count - 1 - lane } else { lane };
        let (x, y) = (field(arithmetic, a, lane, width), field(arithmetic, b, other, width));
        let subtract = subtracts(lanes, lane);
        let exact = if subtract { x - y } else { x + y };
        let value = reduce(arithmetic, exact, width) as u32 & ((1 << width) - 1);
        result |= value << (lane * width);
        if greater_or_equal(arithmetic, exact, subtract, width) {
            let ones = (1u8 << (4 / count)) - 1;
            ge |= ones << (lane * 4 / count);
        }
    }
    let modular = matches!(arithmetic, Arithmetic::Signed | Arithmetic::Unsigned);
    (result, modular.then_some(ge))
}

fn subtracts(lanes: Lanes, lane: u32) -> bool {
    match lanes {
        Lanes::Add16 | Lanes::Add8 => false,
        Lanes::Sub16 | Lanes::Sub8 => true,
        Lanes::Asx => lane == 0,
        Lanes::Sax => lane == 1,
    }
}

fn is_signed(arithmetic: Arithmetic) -> bool {
    matches!(
        arithmetic,
        Arithmetic::Signed | Arithmetic::SignedSaturating | Arithmetic::SignedHalving
    )
}

fn field(arithmetic: Arithmetic, word: u32, lane: u32, width: u32) -> i32 {
    let aligned = word << (32 - width * (lane + 1));
    if is_signed(arithmetic) {
        (aligned as i32) >> (32 - width)
    } else {
        (aligned >> (32 - width)) as i32
    }
}

fn reduce(arithmetic: Arithmetic, exact: i32, width: u32) -> i32 {
    match arithmetic {
        Arithmetic::Signed | Arithmetic::Unsigned => exact,
        Arithmetic::SignedHalving | Arithmetic::UnsignedHalving => exact >> 1,
        Arithmetic::SignedSaturating => saturate_signed(exact.into(), width).0,
        Arithmetic::UnsignedSaturating => saturate_unsigned(exact.into(), width).0 as i32,
    }
}

/// Whether a lane sets its GE bits: no borrow of a subtraction, carry of an unsigned addition,
/// non-negative signed result.
fn greater_or_equal(arithmetic: Arithmetic, exact: i32, subtract: bool, width: u32) -> bool {
    if arithmetic == Arithmetic::Unsigned && !subtract { exact >> width != 0 } else { exact >= 0 }
}
