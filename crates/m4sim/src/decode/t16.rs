//! The 16-bit encodings.

use super::{
    Condition, FlagRule, Instruction, LR, Mode, Op, PC, SP, Shift, bit, bits, immediate_shift,
    sign_extend,
};

const UNDEFINED: Instruction = Instruction::of(Op::Undefined);

pub(super) fn decode(hw: u16) -> Instruction {
    match hw >> 12 {
        0..=1 => shift_add_subtract(hw),
        2..=3 => immediate(hw),
        4 => match bits(hw, 10, 2) {
            0 => data_processing(hw),
            1 => high_registers(hw),
            _ => load_literal(hw),
        },
        5 => load_store_register(hw),
        6 => load_store_immediate(hw, [Op::Str, Op::Ldr], 2),
        7 => load_store_immediate(hw, [Op::Strb, Op::Ldrb], 0),
        8 => load_store_immediate(hw, [Op::Strh, Op::Ldrh], 1),
        9 => load_store_stack(hw),
        10 => address(hw),
        11 => miscellaneous(hw),
        12 => load_store_multiple(hw),
        13 => conditional_branch(hw),
        // 15 never comes here: it starts a 32-bit encoding.
        _ => Instruction { imm: sign_extend(u32::from(hw & 0x7FF) << 1, 12), ..of(Op::B) },
    }
}

fn of(op: Op) -> Instruction {
    Instruction::of(op)
}

fn shift_add_subtract(hw: u16) -> Instruction {
    let (rd, rn) = (bits(hw, 0, 3), bits(hw, 3, 3));
    let flags = FlagRule::SetOutsideIt;
    let third = bits(hw, 6, 3);
    match bits(hw, 11, 2) {
        3 => match bits(hw, 9, 2) {
            0 => Instruction { rd, rn, rm: third, flags, ..of(Op::AddReg) },
            1 => Instruction { rd, rn, rm: third, flags, ..of(Op::SubReg) },
            2 => Instruction { rd, rn, imm: third.into(), flags, ..of(Op::AddImm) },
            _ => Instruction { rd, rn, imm: third.into(), flags, ..of(Op::SubImm) },
        },
        kind => {
            let (shift, amount) = immediate_shift(kind, bits(hw, 6, 5));
            Instruction { rd, rm: rn, shift, amount, flags, ..of(Op::MovReg) }
        }
    }
}

fn immediate(hw: u16) -> Instruction {
    let register = bits(hw, 8, 3);
    let imm = u32::from(hw & 0xFF);
    let flags = FlagRule::SetOutsideIt;
    match bits(hw, 11, 2) {
        0 => Instruction { rd: register, imm, flags, ..of(Op::MovImm) },
        1 => Instruction { rn: register, imm, flags: FlagRule::Set, ..of(Op::CmpImm) },
        2 => Instruction { rd: register, rn: register, imm, flags, ..of(Op::AddImm) },
        _ => Instruction { rd: register, rn: register, imm, flags, ..of(Op::SubImm) },
    }
}

fn data_processing(hw: u16) -> Instruction {
    let (rd, rm) = (bits(hw, 0, 3), bits(hw, 3, 3));
    let flags = FlagRule::SetOutsideIt;
    let two = |op| Instruction { rd, rn: rd, rm, flags, ..of(op) };
    let shift = |shift| Instruction { shift, ..two(Op::ShiftReg) };
    let compare = |op| Instruction { rn: rd, rm, flags: FlagRule::Set, ..of(op) };
    match bits(hw, 6, 4) {
        0 => two(Op::AndReg),
        1 => two(Op::EorReg),
        2 => shift(Shift::Lsl),
        3 => shift(Shift::Lsr),
        4 => shift(Shift::Asr),
        5 => two(Op::AdcReg),
        6 => two(Op::SbcReg),
        7 => shift(Shift::Ror),
        8 => compare(Op::TstReg),
        9 => Instruction { rd, rn: rm, flags, ..of(Op::RsbImm) },
        10 => compare(Op::CmpReg),
        11 => compare(Op::CmnReg),
        12 => two(Op::OrrReg),
        13 => Instruction { rd, rn: rm, rm: rd, flags, ..of(Op::Mul) },
        14 => two(Op::BicReg),
        _ => Instruction { rd, rm, flags, ..of(Op::MvnReg) },
    }
}

fn high_registers(hw: u16) -> Instruction {
    let rd = bits(hw, 0, 3) | bits(hw, 7, 1) << 3;
    let rm = bits(hw, 3, 4);
    match bits(hw, 8, 2) {
        0 if rd == PC && rm == PC => UNDEFINED,
        0 if rd == PC => Instruction { rn: PC, rm, ..of(Op::AddPc) },
        0 => Instruction { rd, rn: rd, rm, ..of(Op::AddReg) },
        1 if (rd < 8 && rm < 8) || rd == PC || rm == PC => UNDEFINED,
        1 => Instruction { rn: rd, rm, flags: FlagRule::Set, ..of(Op::CmpReg) },
        2 if rd == PC => Instruction { rm, ..of(Op::MovPc) },
        2 => Instruction { rd, rm, ..of(Op::MovReg) },
        _ if hw & 7 != 0 || (bit(hw, 7) && rm == PC) => UNDEFINED,
        _ if bit(hw, 7) => Instruction { rm, ..of(Op::Blx) },
        _ => Instruction { rm, ..of(Op::Bx) },
    }
}

fn load_literal(hw: u16) -> Instruction {
    Instruction { rd: bits(hw, 8, 3), rn: PC, imm: u32::from(hw & 0xFF) << 2, ..of(Op::Ldr) }
}

fn load_store_register(hw: u16) -> Instruction {
    const OPS: [Op; 8] =
        [Op::Str, Op::Strh, Op::Strb, Op::Ldrsb, Op::Ldr, Op::Ldrh, Op::Ldrb, Op::Ldrsh];
    let op = OPS[usize::from(bits(hw, 9, 3))];
    let (rd, rn, rm) = (bits(hw, 0, 3), bits(hw, 3, 3), bits(hw, 6, 3));
    Instruction { rd, rn, rm, mode: Mode::Register, ..of(op) }
}

fn load_store_immediate(hw: u16, ops: [Op; 2], scale: u32) -> Instruction {
    let imm = u32::from(bits(hw, 6, 5)) << scale;
    let op = ops[usize::from(bits(hw, 11, 1))];
    Instruction { rd: bits(hw, 0, 3), rn: bits(hw, 3, 3), imm, ..of(op) }
}

fn load_store_stack(hw: u16) -> Instruction {
    let op = if bit(hw, 11) { Op::Ldr } else { Op::Str };
    Instruction { rd: bits(hw, 8, 3), rn: SP, imm: u32::from(hw & 0xFF) << 2, ..of(op) }
}

fn address(hw: u16) -> Instruction {
    let (rd, imm) = (bits(hw, 8, 3), u32::from(hw & 0xFF) << 2);
    if bit(hw, 11) {
        Instruction { rd, rn: SP, imm, ..of(Op::AddImm) }
    } else {
        Instruction { rd, rn: PC, imm, ..of(Op::Adr) }
    }
}

fn miscellaneous(hw: u16) -> Instruction {
    let (rd, rm) = (bits(hw, 0, 3), bits(hw, 3, 3));
    match bits(hw, 8, 4) {
        0 => {
            let op = if bit(hw, 7) { Op::SubImm } else { Op::AddImm };
            Instruction { rd: SP, rn: SP, imm: u32::from(hw & 0x7F) << 2, ..of(op) }
        }
        1 | 3 | 9 | 11 => {
            let imm = u32::from(bits(hw, 3, 5)) << 1 | u32::from(bits(hw, 9, 1)) << 6;
            let op = if bit(hw, 11) { Op::Cbnz } else { Op::Cbz };
            Instruction { rn: rd, imm, ..of(op) }
        }
        2 => {
            let op = [Op::Sxth, Op::Sxtb, Op::Uxth, Op::Uxtb][usize::from(bits(hw, 6, 2))];
            Instruction { rd, rm, ..of(op) }
        }
        4 | 5 => stack_multiple(Op::Stmdb, u32::from(hw & 0xFF) | u32::from(bits(hw, 8, 1)) << LR),
        12 | 13 => {
            stack_multiple(Op::Ldmia, u32::from(hw & 0xFF) | u32::from(bits(hw, 8, 1)) << PC)
        }
        6 if hw & 0xEC == 0x60 && hw & 3 != 0 => {
            Instruction { imm: u32::from(hw & 3), amount: bits(hw, 4, 1), ..of(Op::Cps) }
        }
        10 => match bits(hw, 6, 2) {
            0 => Instruction { rd, rm, ..of(Op::Rev) },
            1 => Instruction { rd, rm, ..of(Op::Rev16) },
            3 => Instruction { rd, rm, ..of(Op::Revsh) },
            _ => UNDEFINED,
        },
        14 => Instruction { imm: u32::from(hw & 0xFF), ..of(Op::Bkpt) },
        15 => if_then_or_hint(hw),
        _ => UNDEFINED,
    }
}

fn stack_multiple(op: Op, imm: u32) -> Instruction {
    if imm == 0 {
        return UNDEFINED;
    }
    let mode = if op == Op::Ldmia { Mode::PostIndex } else { Mode::PreIndex };
    Instruction { rn: SP, imm, mode, ..of(op) }
}

fn if_then_or_hint(hw: u16) -> Instruction {
    let (first, mask) = (bits(hw, 4, 4), bits(hw, 0, 4));
    if mask == 0 {
        return Instruction { imm: first.into(), ..of(Op::Hint) };
    }
    // "Always" has no opposite, so it allows no "else" entry.
    let always_with_else = first == 14 && mask.count_ones() != 1;
    if first == 15 || always_with_else {
        return UNDEFINED;
    }
    Instruction { condition: Condition::from_bits(first), imm: u32::from(hw & 0xFF), ..of(Op::It) }
}

fn load_store_multiple(hw: u16) -> Instruction {
    let (rn, imm) = (bits(hw, 8, 3), u32::from(hw & 0xFF));
    let listed = imm & (1 << rn) != 0;
    if imm == 0 {
        return UNDEFINED;
    }
    if bit(hw, 11) {
        let mode = if listed { Mode::Offset } else { Mode::PostIndex };
        return Instruction { rn, imm, mode, ..of(Op::Ldmia) };
    }
    if listed && imm & ((1 << rn) - 1) != 0 {
        return UNDEFINED;
    }
    Instruction { rn, imm, mode: Mode::PostIndex, ..of(Op::Stmia) }
}

fn conditional_branch(hw: u16) -> Instruction {
    let imm = u32::from(hw & 0xFF);
    match bits(hw, 8, 4) {
        14 => Instruction { imm, ..of(Op::Udf) },
        15 => Instruction { imm, ..of(Op::Svc) },
        condition => Instruction {
            condition: Condition::from_bits(condition),
            imm: sign_extend(imm << 1, 9),
            ..of(Op::Bcond)
        },
    }
}
