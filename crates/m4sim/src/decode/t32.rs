//! The 32-bit encodings, apart from floating point.

use super::{
    Arithmetic, Condition, FlagRule, Half, Instruction, LR, Lanes, Mode, Op, PC, Round, SP, Shift,
    Swap, bit, bits, fp, immediate_shift, is_bad, sign_extend,
};

const UNDEFINED: Instruction = Instruction::of(Op::Undefined);

pub(super) fn decode(h1: u16, h2: u16) -> Instruction {
    match bits(h1, 9, 4) {
        0b0100 if bit(h1, 6) => dual_exclusive_table(h1, h2),
        0b0100 => load_store_multiple(h1, h2),
        0b0101 => shifted_register(h1, h2),
        0b0110 | 0b0111 => fp::decode(h1, h2),
        0b1000..=0b1011 if bit(h2, 15) => branch_or_control(h1, h2),
        0b1000 | 0b1010 => modified_immediate(h1, h2),
        0b1001 | 0b1011 => plain_immediate(h1, h2),
        0b1100 => load_store_single(h1, h2),
        0b1101 if bit(h1, 8) => multiply(h1, h2),
        0b1101 => data_processing_register(h1, h2),
        _ => UNDEFINED,
    }
}

fn of(op: Op) -> Instruction {
    Instruction::of(op)
}

/// `instruction` unless one of the architecture's constraints on its fields is violated.
fn unless(violated: bool, instruction: Instruction) -> Instruction {
    if violated { UNDEFINED } else { instruction }
}

fn flag_rule(h1: u16) -> FlagRule {
    if bit(h1, 4) { FlagRule::Set } else { FlagRule::Keep }
}

fn load_store_multiple(h1: u16, h2: u16) -> Instruction {
    let (rn, list, load) = (bits(h1, 0, 4), u32::from(h2), bit(h1, 4));
    let (op, mode) = match (bits(h1, 7, 2), load) {
        (0b01, false) => (Op::Stmia, Mode::PostIndex),
        (0b01, true) => (Op::Ldmia, Mode::PostIndex),
        (0b10, false) => (Op::Stmdb, Mode::PreIndex),
        (0b10, true) => (Op::Ldmdb, Mode::PreIndex),
        _ => return UNDEFINED,
    };
    let writeback = bit(h1, 5);
    let has = |register: u8| list & (1 << register) != 0;
    let violated = rn == PC
        || has(SP)
        || list.count_ones() < 2
        || (writeback && has(rn))
        || (if load { has(PC) && has(LR) } else { has(PC) });
    let mode = if writeback { mode } else { Mode::Offset };
    unless(violated, Instruction { rn, imm: list, mode, ..of(op) })
}

fn dual_exclusive_table(h1: u16, h2: u16) -> Instruction {
    let (index, up, writeback, load) = (bit(h1, 8), bit(h1, 7), bit(h1, 5), bit(h1, 4));
    let rn = bits(h1, 0, 4);
    match (index, up, writeback) {
        (false, false, false) => exclusive_word(load, rn, h2),
        (false, true, false) => exclusive_or_table(load, rn, h2),
        _ => {
            let (rd, ra) = (bits(h2, 12, 4), bits(h2, 8, 4));
            let mode = match (index, writeback) {
                (true, false) => Mode::Offset,
                (true, true) => Mode::PreIndex,
                _ => Mode::PostIndex,
            };
            let violated = is_bad(rd)
                || is_bad(ra)
                || (load && rd == ra)
                || (writeback && (rn == rd || rn == ra || rn == PC))
                || (!load && rn == PC);
            let imm = offset(u32::from(h2 & 0xFF) << 2, up);
            let op = if load { Op::Ldrd } else { Op::Strd };
            unless(violated, Instruction { rd, ra, rn, imm, mode, ..of(op) })
        }
    }
}

fn exclusive_word(load: bool, rn: u8, h2: u16) -> Instruction {
    let (rt, rd, imm) = (bits(h2, 12, 4), bits(h2, 8, 4), u32::from(h2 & 0xFF) << 2);
    if load {
        let violated = is_bad(rt) || rn == PC || rd != PC;
        return unless(violated, Instruction { rd: rt, rn, imm, ..of(Op::Ldrex) });
    }
    store_exclusive(Op::Strex, rd, rt, rn, imm)
}

/// A store exclusive: `rd` receives the status, `rm` is stored.
fn store_exclusive(op: Op, rd: u8, rm: u8, rn: u8, imm: u32) -> Instruction {
    let violated = is_bad(rd) || is_bad(rm) || rn == PC || rd == rn || rd == rm;
    unless(violated, Instruction { rd, rm, rn, imm, ..of(op) })
}

fn exclusive_or_table(load: bool, rn: u8, h2: u16) -> Instruction {
    let (rt, low) = (bits(h2, 12, 4), bits(h2, 0, 4));
    let sized = bits(h2, 8, 4) == 15;
    match (load, bits(h2, 4, 4)) {
        (true, kind @ 0..=1) => {
            let op = if kind == 0 { Op::Tbb } else { Op::Tbh };
            let violated = rn == SP || is_bad(low) || h2 & 0xFF00 != 0xF000;
            unless(violated, Instruction { rn, rm: low, amount: kind, ..of(op) })
        }
        (true, kind @ 4..=5) => {
            let op = if kind == 4 { Op::Ldrexb } else { Op::Ldrexh };
            let violated = is_bad(rt) || rn == PC || !sized || low != 15;
            unless(violated, Instruction { rd: rt, rn, ..of(op) })
        }
        (false, kind @ 4..=5) if sized => {
            let op = if kind == 4 { Op::Strexb } else { Op::Strexh };
            store_exclusive(op, low, rt, rn, 0)
        }
        _ => UNDEFINED,
    }
}

/// Registers allowed in the data-processing instructions that have sp forms.
#[derive(Clone, Copy)]
struct Fields {
    rd: u8,
    rn: u8,
    set: bool,
}

impl Fields {
    fn of(h1: u16, h2: u16) -> Self {
        Fields { rd: bits(h2, 8, 4), rn: bits(h1, 0, 4), set: bit(h1, 4) }
    }

    /// Whether the instruction only compares: flags written, no destination.
    fn compares(self) -> bool {
        self.rd == PC && self.set
    }
}

fn modified_immediate(h1: u16, h2: u16) -> Instruction {
    let fields = Fields::of(h1, h2);
    let Fields { rd, rn, .. } = fields;
    let coded = u16::from(bits(h1, 10, 1)) << 11 | (h2 >> 4) & 0x700 | h2 & 0xFF;
    let Some((imm, rotated)) = expand_immediate(coded) else { return UNDEFINED };
    let flags = flag_rule(h1);
    let build = |op| Instruction { rd, rn, imm, flags, amount: rotated.into(), ..of(op) };
    let compare = |op| Instruction { rd: 0, ..build(op) };
    let move_to = |op| Instruction { rn: 0, ..build(op) };
    let (bad_d, bad_n) = (is_bad(rd), is_bad(rn));
    match bits(h1, 5, 4) {
        0 if fields.compares() => unless(bad_n, compare(Op::TstImm)),
        0 => unless(bad_d || bad_n, build(Op::AndImm)),
        1 => unless(bad_d || bad_n, build(Op::BicImm)),
        2 if rn == PC => unless(bad_d, move_to(Op::MovImm)),
        2 => unless(bad_d || bad_n, build(Op::OrrImm)),
        3 if rn == PC => unless(bad_d, move_to(Op::MvnImm)),
        3 => unless(bad_d || bad_n, build(Op::OrnImm)),
        4 if fields.compares() => unless(bad_n, compare(Op::TeqImm)),
        4 => unless(bad_d || bad_n, build(Op::EorImm)),
        8 if fields.compares() => unless(rn == PC, compare(Op::CmnImm)),
        8 => unless(bad_stack_form(fields), build(Op::AddImm)),
        10 => unless(bad_d || bad_n, build(Op::AdcImm)),
        11 => unless(bad_d || bad_n, build(Op::SbcImm)),
        13 if fields.compares() => unless(rn == PC, compare(Op::CmpImm)),
        13 => unless(bad_stack_form(fields), build(Op::SubImm)),
        14 => unless(bad_d || bad_n, build(Op::RsbImm)),
        _ => UNDEFINED,
    }
}

/// ADD and SUB may have sp as first operand, and as destination only together with that.
fn bad_stack_form(fields: Fields) -> bool {
    fields.rd == PC || fields.rn == PC || (fields.rd == SP && fields.rn != SP)
}

/// The value of a 12-bit modified immediate, and whether it was formed by rotation (in which case
/// bit 31 becomes the carry). `None` for the UNPREDICTABLE zero patterns.
fn expand_immediate(coded: u16) -> Option<(u32, bool)> {
    let byte = u32::from(coded & 0xFF);
    match coded >> 8 {
        0 => Some((byte, false)),
        pattern @ 1..=3 => {
            let value = byte * [0x0001_0001, 0x0100_0100, 0x0101_0101][usize::from(pattern - 1)];
            (byte != 0).then_some((value, false))
        }
        _ => Some(((byte | 0x80).rotate_right(u32::from(coded >> 7)), true)),
    }
}

fn shifted_register(h1: u16, h2: u16) -> Instruction {
    let fields = Fields::of(h1, h2);
    let Fields { rd, rn, set } = fields;
    let rm = bits(h2, 0, 4);
    let distance = bits(h2, 12, 3) << 2 | bits(h2, 6, 2);
    let (shift, amount) = immediate_shift(bits(h2, 4, 2), distance);
    let flags = flag_rule(h1);
    let build = |op| Instruction { rd, rn, rm, shift, amount, flags, ..of(op) };
    let compare = |op| Instruction { rd: 0, ..build(op) };
    let move_to = |op| Instruction { rn: 0, ..build(op) };
    let (bad_d, bad_n, bad_m) = (is_bad(rd), is_bad(rn), is_bad(rm));
    let plain = shift == Shift::Lsl && amount == 0;
    if bit(h2, 15) {
        return UNDEFINED;
    }
    match bits(h1, 5, 4) {
        0 if fields.compares() => unless(bad_n || bad_m, compare(Op::TstReg)),
        0 => unless(bad_d || bad_n || bad_m, build(Op::AndReg)),
        1 => unless(bad_d || bad_n || bad_m, build(Op::BicReg)),
        2 if rn == PC && plain && !set => {
            let violated = rd == PC || rm == PC || (rd == SP && rm == SP);
            unless(violated, move_to(Op::MovReg))
        }
        2 if rn == PC => unless(bad_d || bad_m, move_to(Op::MovReg)),
        2 => unless(bad_d || bad_n || bad_m, build(Op::OrrReg)),
        3 if rn == PC => unless(bad_d || bad_m, move_to(Op::MvnReg)),
        3 => unless(bad_d || bad_n || bad_m, build(Op::OrnReg)),
        4 if fields.compares() => unless(bad_n || bad_m, compare(Op::TeqReg)),
        4 => unless(bad_d || bad_n || bad_m, build(Op::EorReg)),
        6 => {
            let violated = bad_d || bad_n || bad_m || set || bit(h2, 4);
            let op = if bit(h2, 5) { Op::Pkhtb } else { Op::Pkhbt };
            unless(violated, build(op))
        }
        8 if fields.compares() => unless(rn == PC || bad_m, compare(Op::CmnReg)),
        8 => unless(bad_m || bad_shifted_stack_form(fields, shift, amount), build(Op::AddReg)),
        10 => unless(bad_d || bad_n || bad_m, build(Op::AdcReg)),
        11 => unless(bad_d || bad_n || bad_m, build(Op::SbcReg)),
        13 if fields.compares() => unless(rn == PC || bad_m, compare(Op::CmpReg)),
        13 => unless(bad_m || bad_shifted_stack_form(fields, shift, amount), build(Op::SubReg)),
        14 => unless(bad_d || bad_n || bad_m, build(Op::RsbReg)),
        _ => UNDEFINED,
    }
}

/// With sp as destination the second operand may be shifted left by three at most.
fn bad_shifted_stack_form(fields: Fields, shift: Shift, amount: u8) -> bool {
    bad_stack_form(fields) || (fields.rd == SP && (shift != Shift::Lsl || amount > 3))
}

fn plain_immediate(h1: u16, h2: u16) -> Instruction {
    let (rd, rn) = (bits(h2, 8, 4), bits(h1, 0, 4));
    let imm12 =
        u32::from(bits(h1, 10, 1)) << 11 | u32::from(bits(h2, 12, 3)) << 8 | u32::from(h2 & 0xFF);
    let imm16 = u32::from(rn) << 12 | imm12;
    let fields = Fields { rd, rn, set: false };
    let add = |op| Instruction { rd, rn, imm: imm12, ..of(op) };
    let adr = |imm| unless(is_bad(rd), Instruction { rd, rn: PC, imm, ..of(Op::Adr) });
    match bits(h1, 4, 5) {
        0b00000 if rn == PC => adr(imm12),
        0b00000 => unless(bad_stack_form(fields), add(Op::AddImm)),
        0b01010 if rn == PC => adr(imm12.wrapping_neg()),
        0b01010 => unless(bad_stack_form(fields), add(Op::SubImm)),
        0b00100 => unless(is_bad(rd), Instruction { rd, imm: imm16, ..of(Op::Movw) }),
        0b01100 => unless(is_bad(rd), Instruction { rd, imm: imm16, ..of(Op::Movt) }),
        _ => saturate_or_bitfield(h1, h2),
    }
}

fn saturate_or_bitfield(h1: u16, h2: u16) -> Instruction {
    let (rd, rn) = (bits(h2, 8, 4), bits(h1, 0, 4));
    let low = bits(h2, 12, 3) << 2 | bits(h2, 6, 2);
    let field = bits(h2, 0, 5);
    let (bad_d, bad_n) = (is_bad(rd), is_bad(rn));
    if bit(h1, 10) || bit(h2, 5) {
        return UNDEFINED;
    }
    let (shift, amount) = immediate_shift(bits(h1, 4, 2) & 2, low);
    let saturate =
        |op, limit: u8| Instruction { rd, rn, shift, amount, imm: limit.into(), ..of(op) };
    let halves = |op, limit: u8| Instruction { rd, rn, imm: limit.into(), ..of(op) };
    let extract = |op| Instruction { rd, rn, imm: low.into(), amount: field + 1, ..of(op) };
    let bad_halves = bad_d || bad_n || bit(h2, 4);
    match bits(h1, 4, 5) {
        0b10010 if low == 0 => unless(bad_halves, halves(Op::Ssat16, field + 1)),
        0b10000 | 0b10010 => unless(bad_d || bad_n, saturate(Op::Ssat, field + 1)),
        0b11010 if low == 0 => unless(bad_halves, halves(Op::Usat16, field)),
        0b11000 | 0b11010 => unless(bad_d || bad_n, saturate(Op::Usat, field)),
        0b10100 => unless(bad_d || bad_n || low + field > 31, extract(Op::Sbfx)),
        0b11100 => unless(bad_d || bad_n || low + field > 31, extract(Op::Ubfx)),
        0b10110 => {
            if field < low || bad_d || rn == SP {
                return UNDEFINED;
            }
            let amount = field - low + 1;
            if rn == PC {
                Instruction { rd, imm: low.into(), amount, ..of(Op::Bfc) }
            } else {
                Instruction { rd, rn, imm: low.into(), amount, ..of(Op::Bfi) }
            }
        }
        _ => UNDEFINED,
    }
}

fn branch_or_control(h1: u16, h2: u16) -> Instruction {
    match (bit(h2, 14), bit(h2, 12)) {
        (false, false) if bits(h1, 7, 3) != 7 => {
            let low = u32::from(h2 & 0x7FF) << 1 | u32::from(h1 & 0x3F) << 12;
            let high = u32::from(bits(h2, 13, 1)) << 18
                | u32::from(bits(h2, 11, 1)) << 19
                | u32::from(bits(h1, 10, 1)) << 20;
            let condition = Condition::from_bits(bits(h1, 6, 4));
            Instruction { condition, imm: sign_extend(high | low, 21), ..of(Op::Bcond) }
        }
        (false, false) => control(h1, h2),
        (false, true) => Instruction { imm: long_displacement(h1, h2), ..of(Op::B) },
        (true, true) => Instruction { imm: long_displacement(h1, h2), ..of(Op::Bl) },
        _ => UNDEFINED,
    }
}

fn long_displacement(h1: u16, h2: u16) -> u32 {
    let sign = bits(h1, 10, 1);
    // The encoding stores the two bits below the sign inverted and exclusive-ored with it.
    let i1 = u32::from(!(bits(h2, 13, 1) ^ sign) & 1);
    let i2 = u32::from(!(bits(h2, 11, 1) ^ sign) & 1);
    let value = u32::from(sign) << 24
        | i1 << 23
        | i2 << 22
        | u32::from(h1 & 0x3FF) << 12
        | u32::from(h2 & 0x7FF) << 1;
    sign_extend(value, 25)
}

fn control(h1: u16, h2: u16) -> Instruction {
    let rn = bits(h1, 0, 4);
    let imm = u32::from(h2 & 0xFF);
    match h1 & 0xFFF0 {
        0xF380 if h2 & 0xF300 == 0x8000 => move_to_special(rn, bits(h2, 10, 2), imm),
        0xF3A0 if rn == PC && h2 & 0xFF00 == 0x8000 => Instruction { imm, ..of(Op::Hint) },
        0xF3B0 if rn == PC && h2 & 0xFF00 == 0x8F00 => barrier(imm),
        0xF3E0 if rn == PC && h2 & 0xF000 == 0x8000 => {
            let rd = bits(h2, 8, 4);
            let readable = is_special_register(imm) || (5..=7).contains(&imm);
            unless(is_bad(rd) || !readable, Instruction { rd, imm, ..of(Op::Mrs) })
        }
        0xF7F0 if h2 & 0xF000 == 0xA000 => {
            let imm = u32::from(rn) << 12 | u32::from(h2 & 0xFFF);
            Instruction { imm, ..of(Op::Udf) }
        }
        _ => UNDEFINED,
    }
}

/// The special registers that MRS and MSR share: APSR and its supersets, the stack pointers, the
/// interrupt masks and CONTROL.
fn is_special_register(number: u32) -> bool {
    matches!(number, 0..=3 | 8 | 9 | 16..=20)
}

fn move_to_special(rn: u8, mask: u8, imm: u32) -> Instruction {
    let status = imm <= 3;
    let violated = is_bad(rn)
        || !(is_special_register(imm) || (5..=7).contains(&imm))
        || mask == 0
        || (!status && mask != 2);
    unless(violated, Instruction { rn, imm, amount: mask, ..of(Op::Msr) })
}

fn barrier(imm: u32) -> Instruction {
    let option = imm & 15;
    match imm >> 4 {
        2 if option == 15 => of(Op::Clrex),
        4 => Instruction { imm: option, ..of(Op::Dsb) },
        5 => Instruction { imm: option, ..of(Op::Dmb) },
        6 => Instruction { imm: option, ..of(Op::Isb) },
        _ => UNDEFINED,
    }
}

/// An offset that is added or subtracted, in two's complement.
fn offset(magnitude: u32, up: bool) -> u32 {
    if up { magnitude } else { magnitude.wrapping_neg() }
}

fn load_store_single(h1: u16, h2: u16) -> Instruction {
    let (load, signed, size) = (bit(h1, 4), bit(h1, 8), bits(h1, 5, 2));
    let op = match (load, signed, size) {
        (false, false, 0) => Op::Strb,
        (false, false, 1) => Op::Strh,
        (false, false, 2) => Op::Str,
        (true, false, 0) => Op::Ldrb,
        (true, false, 1) => Op::Ldrh,
        (true, false, 2) => Op::Ldr,
        (true, true, 0) => Op::Ldrsb,
        (true, true, 1) => Op::Ldrsh,
        _ => return UNDEFINED,
    };
    let Some(addressed) = address(h1, h2, of(op)) else { return UNDEFINED };
    let (rt, rn) = (bits(h2, 12, 4), bits(h1, 0, 4));
    let instruction = Instruction { rd: rt, ..addressed };
    let word = matches!(op, Op::Ldr | Op::Str);
    let writeback = instruction.writes_back();
    let clash = writeback && rn == rt;
    match (load, rt) {
        (false, _) if rn == PC => UNDEFINED,
        (false, _) => unless(rt == PC || (!word && rt == SP) || clash, instruction),
        (true, PC) if word => {
            let unprivileged = instruction.mode == Mode::Unprivileged;
            unless(unprivileged, Instruction { op: Op::LdrPc, ..instruction })
        }
        (true, PC) => {
            let plain = matches!(instruction.mode, Mode::Offset | Mode::Register);
            unless(!plain, Instruction { op: Op::Preload, rd: 0, ..instruction })
        }
        (true, _) => {
            let bad_stack = rt == SP && (!word || instruction.mode == Mode::Unprivileged);
            unless(bad_stack || clash, instruction)
        }
    }
}

/// Completes `instruction` with its addressing mode.
fn address(h1: u16, h2: u16, instruction: Instruction) -> Option<Instruction> {
    let rn = bits(h1, 0, 4);
    let imm8 = u32::from(h2 & 0xFF);
    let up = bit(h2, 9);
    if rn == PC {
        let imm = offset(u32::from(h2 & 0xFFF), bit(h1, 7));
        return Some(Instruction { rn, imm, ..instruction });
    }
    if bit(h1, 7) {
        return Some(Instruction { rn, imm: u32::from(h2 & 0xFFF), ..instruction });
    }
    if bit(h2, 11) {
        let mode = match bits(h2, 8, 3) {
            0b110 => Mode::Unprivileged,
            0b100 => Mode::Offset,
            0b101 | 0b111 => Mode::PreIndex,
            0b001 | 0b011 => Mode::PostIndex,
            _ => return None,
        };
        return Some(Instruction { rn, imm: offset(imm8, up), mode, ..instruction });
    }
    let rm = bits(h2, 0, 4);
    if h2 & 0x0FC0 != 0 || is_bad(rm) {
        return None;
    }
    Some(Instruction { rn, rm, amount: bits(h2, 4, 2), mode: Mode::Register, ..instruction })
}

fn data_processing_register(h1: u16, h2: u16) -> Instruction {
    let (rd, rn, rm) = (bits(h2, 8, 4), bits(h1, 0, 4), bits(h2, 0, 4));
    if h2 & 0xF000 != 0xF000 || is_bad(rd) || is_bad(rm) || rn == SP {
        return UNDEFINED;
    }
    let group = bits(h2, 4, 4);
    match (bit(h1, 7), group) {
        (false, 0) => {
            let shift = [Shift::Lsl, Shift::Lsr, Shift::Asr, Shift::Ror];
            let shift = shift[usize::from(bits(h1, 5, 2))];
            let flags = flag_rule(h1);
            unless(rn == PC, Instruction { rd, rn, rm, shift, flags, ..of(Op::ShiftReg) })
        }
        (false, 8..=11) => extend(h1, rd, rn, rm, (group & 3) * 8),
        (true, 0..=7) => unless(rn == PC, parallel(h1, group, rd, rn, rm)),
        (true, 8..=11) => unless(rn == PC, bit_and_saturating(h1, group, rd, rn, rm)),
        _ => UNDEFINED,
    }
}

fn extend(h1: u16, rd: u8, rn: u8, rm: u8, amount: u8) -> Instruction {
    const OPS: [(Op, Op); 6] = [
        (Op::Sxth, Op::Sxtah),
        (Op::Uxth, Op::Uxtah),
        (Op::Sxtb16, Op::Sxtab16),
        (Op::Uxtb16, Op::Uxtab16),
        (Op::Sxtb, Op::Sxtab),
        (Op::Uxtb, Op::Uxtab),
    ];
    let Some(&(plain, adding)) = OPS.get(usize::from(bits(h1, 4, 3))) else { return UNDEFINED };
    let shift = Shift::Ror;
    if rn == PC {
        Instruction { rd, rm, shift, amount, ..of(plain) }
    } else {
        Instruction { rd, rn, rm, shift, amount, ..of(adding) }
    }
}

fn parallel(h1: u16, group: u8, rd: u8, rn: u8, rm: u8) -> Instruction {
    let lanes = match bits(h1, 4, 3) {
        0b000 => Lanes::Add8,
        0b001 => Lanes::Add16,
        0b010 => Lanes::Asx,
        0b100 => Lanes::Sub8,
        0b101 => Lanes::Sub16,
        0b110 => Lanes::Sax,
        _ => return UNDEFINED,
    };
    let arithmetic = match group {
        0 => Arithmetic::Signed,
        1 => Arithmetic::SignedSaturating,
        2 => Arithmetic::SignedHalving,
        4 => Arithmetic::Unsigned,
        5 => Arithmetic::UnsignedSaturating,
        6 => Arithmetic::UnsignedHalving,
        _ => return UNDEFINED,
    };
    Instruction { rd, rn, rm, ..of(Op::Parallel(arithmetic, lanes)) }
}

fn bit_and_saturating(h1: u16, group: u8, rd: u8, rn: u8, rm: u8) -> Instruction {
    let unary = |op| unless(rn != rm, Instruction { rd, rm, ..of(op) });
    // The saturating instructions name their operands the other way round: Rm first.
    let saturating = |op| Instruction { rd, rn: rm, rm: rn, ..of(op) };
    match (bits(h1, 4, 3), group & 3) {
        (0, 0) => saturating(Op::Qadd),
        (0, 1) => saturating(Op::Qdadd),
        (0, 2) => saturating(Op::Qsub),
        (0, 3) => saturating(Op::Qdsub),
        (1, 0) => unary(Op::Rev),
        (1, 1) => unary(Op::Rev16),
        (1, 2) => unary(Op::Rbit),
        (1, 3) => unary(Op::Revsh),
        (2, 0) => Instruction { rd, rn, rm, ..of(Op::Sel) },
        (3, 0) => unary(Op::Clz),
        _ => UNDEFINED,
    }
}

fn half(top: bool) -> Half {
    if top { Half::Top } else { Half::Bottom }
}

fn swap(exchange: bool) -> Swap {
    if exchange { Swap::Yes } else { Swap::No }
}

fn round(rounding: bool) -> Round {
    if rounding { Round::Yes } else { Round::No }
}

fn multiply(h1: u16, h2: u16) -> Instruction {
    if bit(h1, 7) { long_multiply(h1, h2) } else { short_multiply(h1, h2) }
}

fn short_multiply(h1: u16, h2: u16) -> Instruction {
    let (rd, rn, rm, ra) = (bits(h2, 8, 4), bits(h1, 0, 4), bits(h2, 0, 4), bits(h2, 12, 4));
    let (x, y) = (bit(h2, 5), bit(h2, 4));
    let accumulates = ra != PC;
    let (plain, adding) = match (bits(h1, 4, 3), bits(h2, 4, 4)) {
        (0, 0) => (Op::Mul, Op::Mla),
        (0, 1) => (Op::Undefined, Op::Mls),
        (1, 0..=3) => (Op::Smul(half(x), half(y)), Op::Smla(half(x), half(y))),
        (2, 0..=1) => (Op::Smuad(swap(y)), Op::Smlad(swap(y))),
        (3, 0..=1) => (Op::Smulw(half(y)), Op::Smlaw(half(y))),
        (4, 0..=1) => (Op::Smusd(swap(y)), Op::Smlsd(swap(y))),
        (5, 0..=1) => (Op::Smmul(round(y)), Op::Smmla(round(y))),
        (6, 0..=1) => (Op::Undefined, Op::Smmls(round(y))),
        (7, 0) => (Op::Usad8, Op::Usada8),
        _ => return UNDEFINED,
    };
    let violated = is_bad(rd) || is_bad(rn) || is_bad(rm) || ra == SP;
    let instruction = if accumulates {
        Instruction { rd, rn, rm, ra, ..of(adding) }
    } else if plain == Op::Undefined {
        UNDEFINED
    } else {
        Instruction { rd, rn, rm, ..of(plain) }
    };
    unless(violated, instruction)
}

fn long_multiply(h1: u16, h2: u16) -> Instruction {
    let (low, high, rn, rm) = (bits(h2, 12, 4), bits(h2, 8, 4), bits(h1, 0, 4), bits(h2, 0, 4));
    let (x, y) = (bit(h2, 5), bit(h2, 4));
    let op = match (bits(h1, 4, 3), bits(h2, 4, 4)) {
        (0, 0) => Op::Smull,
        (1, 15) => Op::Sdiv,
        (2, 0) => Op::Umull,
        (3, 15) => Op::Udiv,
        (4, 0) => Op::Smlal,
        (4, 8..=11) => Op::Smlalxy(half(x), half(y)),
        (4, 12..=13) => Op::Smlald(swap(y)),
        (5, 12..=13) => Op::Smlsld(swap(y)),
        (6, 0) => Op::Umlal,
        (6, 6) => Op::Umaal,
        _ => return UNDEFINED,
    };
    let bad_operands = is_bad(high) || is_bad(rn) || is_bad(rm);
    if matches!(op, Op::Sdiv | Op::Udiv) {
        return unless(bad_operands || low != PC, Instruction { rd: high, rn, rm, ..of(op) });
    }
    let violated = bad_operands || is_bad(low) || low == high;
    unless(violated, Instruction { rd: low, ra: high, rn, rm, ..of(op) })
}
