//! The floating-point encodings: moves, loads and stores. Arithmetic is recognised only to be
//! refused with a better message.

use super::{Instruction, Mode, Op, PC, Precision, SP, bit, bits, is_bad};

const UNDEFINED: Instruction = Instruction::of(Op::Undefined);

/// FPSCR's number in VMRS and VMSR.
const FPSCR: u8 = 1;

pub(super) fn decode(h1: u16, h2: u16) -> Instruction {
    // Only coprocessors 10 and 11 exist. The prefix 0xEF belongs to Advanced SIMD.
    if h1 >> 8 == 0xEF || h2 & 0x0E00 != 0x0A00 {
        return UNDEFINED;
    }
    if h1 & 0xFFE0 == 0xEC40 {
        return move_pair(h1, h2);
    }
    if !bit(h1, 9) {
        return load_store(h1, h2);
    }
    if bit(h2, 4) { move_one(h1, h2) } else { data_processing(h1, h2) }
}

fn of(op: Op) -> Instruction {
    Instruction::of(op)
}

/// Index of the first single-precision register named by a four-bit field and its extension bit,
/// or `None` beyond the sixteen double registers of FPv4-SP.
fn register(precision: Precision, field: u8, extension: bool) -> Option<u8> {
    match precision {
        Precision::Single => Some(field << 1 | u8::from(extension)),
        Precision::Double => (!extension).then_some(field << 1),
    }
}

fn precision(h2: u16) -> Precision {
    if bit(h2, 8) { Precision::Double } else { Precision::Single }
}

fn move_pair(h1: u16, h2: u16) -> Instruction {
    let (rt, rt2, to_core) = (bits(h2, 12, 4), bits(h1, 0, 4), bit(h1, 4));
    let Some(first) = register(precision(h2), bits(h2, 0, 4), bit(h2, 5)) else {
        return UNDEFINED;
    };
    let violated = is_bad(rt) || is_bad(rt2) || first == 31 || h2 & 0xD0 != 0x10;
    if violated || (to_core && rt == rt2) {
        return UNDEFINED;
    }
    // `amount` keeps the written width, for the disassembly.
    let amount = bits(h2, 8, 1);
    if to_core {
        Instruction { rd: rt, ra: rt2, rn: first, amount, ..of(Op::VmovFromPair) }
    } else {
        Instruction { rd: first, rn: rt, rm: rt2, amount, ..of(Op::VmovToPair) }
    }
}

fn load_store(h1: u16, h2: u16) -> Instruction {
    let (index, up, writeback, load) = (bit(h1, 8), bit(h1, 7), bit(h1, 5), bit(h1, 4));
    let rn = bits(h1, 0, 4);
    let precision = precision(h2);
    let Some(rd) = register(precision, bits(h2, 12, 4), bit(h1, 6)) else { return UNDEFINED };
    let words = u32::from(h2 & 0xFF);
    if index && !writeback {
        let offset = words << 2;
        let imm = if up { offset } else { offset.wrapping_neg() };
        let op = if load { Op::Vldr(precision) } else { Op::Vstr(precision) };
        let violated = !load && rn == PC;
        return if violated { UNDEFINED } else { Instruction { rd, rn, imm, ..of(op) } };
    }
    let mode = match (index, up, writeback) {
        (false, true, true) => Mode::PostIndex,
        (false, true, false) => Mode::Offset,
        (true, false, true) => Mode::PreIndex,
        _ => return UNDEFINED,
    };
    let odd_double = precision == Precision::Double && words & 1 != 0;
    if words == 0 || odd_double || u32::from(rd) + words > 32 || rn == PC {
        return UNDEFINED;
    }
    let op = if load { Op::Vldm(precision) } else { Op::Vstm(precision) };
    Instruction { rd, rn, imm: words, mode, ..of(op) }
}

fn move_one(h1: u16, h2: u16) -> Instruction {
    let rt = bits(h2, 12, 4);
    let to_core = bit(h1, 4);
    let single = !bit(h2, 8);
    let field = bits(h1, 0, 4);
    match (single, bits(h1, 5, 3)) {
        (true, 0) if h2 & 0x6F == 0 => {
            let number = field << 1 | bits(h2, 7, 1);
            move_word(to_core, rt, number)
        }
        (false, index @ 0..=1) if h2 & 0xEF == 0 => {
            let moved = move_word(to_core, rt, field << 1 | index);
            Instruction { amount: 1, ..moved }
        }
        (true, 7) if h2 & 0xEF == 0 && field == FPSCR => {
            if to_core {
                if rt == SP { UNDEFINED } else { Instruction { rd: rt, ..of(Op::Vmrs) } }
            } else if is_bad(rt) {
                UNDEFINED
            } else {
                Instruction { rn: rt, ..of(Op::Vmsr) }
            }
        }
        _ => UNDEFINED,
    }
}

fn move_word(to_core: bool, rt: u8, number: u8) -> Instruction {
    if is_bad(rt) {
        UNDEFINED
    } else if to_core {
        Instruction { rd: rt, rn: number, ..of(Op::VmovFromSingle) }
    } else {
        Instruction { rd: number, rn: rt, ..of(Op::VmovToSingle) }
    }
}

fn data_processing(h1: u16, h2: u16) -> Instruction {
    // Double-precision arithmetic does not exist on this core.
    if bit(h2, 8) {
        return UNDEFINED;
    }
    let rd = bits(h2, 12, 4) << 1 | bits(h1, 6, 1);
    let rm = bits(h2, 0, 4) << 1 | bits(h2, 5, 1);
    match (h1 & 0xFFB0, h2 & 0xD0) {
        (0xEEB0, 0x00 | 0x80) => {
            if h2 & 0xF0 != 0 {
                return UNDEFINED;
            }
            let imm = expand_immediate(bits(h1, 0, 4) << 4 | bits(h2, 0, 4));
            Instruction { rd, imm, ..of(Op::VmovImm) }
        }
        (0xEEB0, 0x40) if h1 & 15 == 0 => Instruction { rd, rm, ..of(Op::VmovReg) },
        _ => of(Op::UnsupportedFp),
    }
}

/// The single-precision value of an eight-bit immediate.
fn expand_immediate(coded: u8) -> u32 {
    let coded = u32::from(coded);
    let exponent = if coded & 0x40 != 0 { 0x3E00_0000 } else { 0x4000_0000 };
    (coded & 0x80) << 24 | exponent | (coded & 0x3F) << 19
}
