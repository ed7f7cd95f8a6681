//! Instructions as assembly text, in the unified syntax.

use std::fmt::Write;

use super::{
    Arithmetic, Condition, FlagRule, Half, Instruction, Lanes, Mode, Op, PC, Precision, Round, SP,
    Shift, Swap,
};

const REGISTERS: [&str; 16] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr",
    "pc",
];

/// The only barrier option the architecture defines for this profile.
const FULL_BARRIER: u32 = 15;

fn reg(register: u8) -> &'static str {
    REGISTERS[usize::from(register & 15)]
}

impl Instruction {
    /// The instruction as text, with branch targets for an instruction at `address`.
    pub fn text(&self, address: u32) -> String {
        let operands = self.operands(address);
        let mnemonic = self.mnemonic();
        if operands.is_empty() { mnemonic } else { format!("{mnemonic} {operands}") }
    }

    /// The mnemonic, with the `s` suffix where flags are written (outside an IT block).
    pub fn mnemonic(&self) -> String {
        let name = match self.op {
            Op::MovReg => return self.move_mnemonic(),
            Op::ShiftReg => shift_name(self.shift).to_owned(),
            Op::Parallel(arithmetic, lanes) => return parallel_name(arithmetic, lanes),
            Op::Smul(n, m) => format!("smul{}{}", half(n), half(m)),
            Op::Smla(n, m) => format!("smla{}{}", half(n), half(m)),
            Op::Smlalxy(n, m) => format!("smlal{}{}", half(n), half(m)),
            Op::Smulw(m) => format!("smulw{}", half(m)),
            Op::Smlaw(m) => format!("smlaw{}", half(m)),
            Op::Smuad(x) => format!("smuad{}", swap(x)),
            Op::Smusd(x) => format!("smusd{}", swap(x)),
            Op::Smlad(x) => format!("smlad{}", swap(x)),
            Op::Smlsd(x) => format!("smlsd{}", swap(x)),
            Op::Smlald(x) => format!("smlald{}", swap(x)),
            Op::Smlsld(x) => format!("smlsld{}", swap(x)),
            Op::Smmul(r) => format!("smmul{}", round(r)),
            Op::Smmla(r) => format!("smmla{}", round(r)),
            Op::Smmls(r) => format!("smmls{}", round(r)),
            Op::Bcond => format!("b{}", condition(self.condition)),
            Op::It => return self.it_mnemonic(),
            Op::Hint => hint_name(self.imm),
            Op::Cps => format!("cps{}", if self.amount == 1 { "id" } else { "ie" }),
            _ => self.plain_mnemonic().to_owned(),
        };
        let compares = matches!(
            self.op,
            Op::TstImm
                | Op::TeqImm
                | Op::CmpImm
                | Op::CmnImm
                | Op::TstReg
                | Op::TeqReg
                | Op::CmpReg
                | Op::CmnReg
        );
        let sets = self.flags != FlagRule::Keep && !compares;
        if sets { name + "s" } else { name }
    }

    fn move_mnemonic(&self) -> String {
        let plain = self.shift == Shift::Lsl && self.amount == 0;
        let name = if plain { "mov" } else { shift_name(self.shift) };
        format!("{name}{}", if self.flags == FlagRule::Keep { "" } else { "s" })
    }

    fn it_mnemonic(&self) -> String {
        let mask = self.imm & 15;
        let first = (self.imm >> 4) & 1;
        let mut text = String::from("it");
        for position in (mask.trailing_zeros() + 1..=3).rev() {
            text.push(if (mask >> position) & 1 == first { 't' } else { 'e' });
        }
        text
    }

    fn plain_mnemonic(&self) -> &'static str {
        let unprivileged = self.mode == Mode::Unprivileged;
        let ascending_pop = self.rn == SP && self.mode == Mode::PostIndex;
        match self.op {
            Op::Undecoded => "<undecoded>",
            Op::Undefined => "<undefined>",
            Op::UnsupportedFp => "<floating-point arithmetic>",
            Op::AndImm | Op::AndReg => "and",
            Op::BicImm | Op::BicReg => "bic",
            Op::OrrImm | Op::OrrReg => "orr",
            Op::OrnImm | Op::OrnReg => "orn",
            Op::EorImm | Op::EorReg => "eor",
            Op::AddImm | Op::AddReg | Op::AddPc => "add",
            Op::AdcImm | Op::AdcReg => "adc",
            Op::SbcImm | Op::SbcReg => "sbc",
            Op::SubImm | Op::SubReg => "sub",
            Op::RsbImm | Op::RsbReg => "rsb",
            Op::MovImm | Op::MovPc => "mov",
            Op::MvnImm | Op::MvnReg => "mvn",
            Op::TstImm | Op::TstReg => "tst",
            Op::TeqImm | Op::TeqReg => "teq",
            Op::CmpImm | Op::CmpReg => "cmp",
            Op::CmnImm | Op::CmnReg => "cmn",
            Op::Movw => "movw",
            Op::Movt => "movt",
            Op::Adr => "adr",
            Op::Mul => "mul",
            Op::Mla => "mla",
            Op::Mls => "mls",
            Op::Umull => "umull",
            Op::Smull => "smull",
            Op::Umlal => "umlal",
            Op::Smlal => "smlal",
            Op::Umaal => "umaal",
            Op::Usad8 => "usad8",
            Op::Usada8 => "usada8",
            Op::Udiv => "udiv",
            Op::Sdiv => "sdiv",
            Op::Sxtb => "sxtb",
            Op::Sxth => "sxth",
            Op::Sxtb16 => "sxtb16",
            Op::Uxtb => "uxtb",
            Op::Uxth => "uxth",
            Op::Uxtb16 => "uxtb16",
            Op::Sxtab => "sxtab",
            Op::Sxtah => "sxtah",
            Op::Sxtab16 => "sxtab16",
            Op::Uxtab => "uxtab",
            Op::Uxtah => "uxtah",
            Op::Uxtab16 => "uxtab16",
            Op::Pkhbt => "pkhbt",
            Op::Pkhtb => "pkhtb",
            Op::Sel => "sel",
            Op::Qadd => "qadd",
            Op::Qsub => "qsub",
            Op::Qdadd => "qdadd",
            Op::Qdsub => "qdsub",
            Op::Ssat => "ssat",
            Op::Usat => "usat",
            Op::Ssat16 => "ssat16",
            Op::Usat16 => "usat16",
            Op::Bfi => "bfi",
            Op::Bfc => "bfc",
            Op::Sbfx => "sbfx",
            Op::Ubfx => "ubfx",
            Op::Clz => "clz",
            Op::Rbit => "rbit",
            Op::Rev => "rev",
            Op::Rev16 => "rev16",
            Op::Revsh => "revsh",
            Op::B => "b",
            Op::Bl => "bl",
            Op::Bx => "bx",
            Op::Blx => "blx",
            Op::Cbz => "cbz",
            Op::Cbnz => "cbnz",
            Op::Tbb => "tbb",
            Op::Tbh => "tbh",
            Op::Ldr | Op::LdrPc if unprivileged => "ldrt",
            Op::Ldr | Op::LdrPc => "ldr",
            Op::Ldrb if unprivileged => "ldrbt",
            Op::Ldrb => "ldrb",
            Op::Ldrh if unprivileged => "ldrht",
            Op::Ldrh => "ldrh",
            Op::Ldrsb if unprivileged => "ldrsbt",
            Op::Ldrsb => "ldrsb",
            Op::Ldrsh if unprivileged => "ldrsht",
            Op::Ldrsh => "ldrsh",
            Op::Str if unprivileged => "strt",
            Op::Str => "str",
            Op::Strb if unprivileged => "strbt",
            Op::Strb => "strb",
            Op::Strh if unprivileged => "strht",
            Op::Strh => "strh",
            Op::Ldrd => "ldrd",
            Op::Strd => "strd",
            Op::Ldrex => "ldrex",
            Op::Ldrexb => "ldrexb",
            Op::Ldrexh => "ldrexh",
            Op::Strex => "strex",
            Op::Strexb => "strexb",
            Op::Strexh => "strexh",
            Op::Clrex => "clrex",
            Op::Ldmia if ascending_pop => "pop",
            Op::Ldmia => "ldm",
            Op::Ldmdb => "ldmdb",
            Op::Stmdb if self.is_push() => "push",
            Op::Stmdb => "stmdb",
            Op::Stmia => "stm",
            Op::Preload => "pld",
            Op::Mrs => "mrs",
            Op::Msr => "msr",
            Op::Dmb => "dmb",
            Op::Dsb => "dsb",
            Op::Isb => "isb",
            Op::Bkpt => "bkpt",
            Op::Svc => "svc",
            Op::Udf => "udf",
            Op::VmovToSingle | Op::VmovFromSingle if self.amount == 1 => "vmov.32",
            Op::VmovToSingle | Op::VmovFromSingle | Op::VmovToPair | Op::VmovFromPair => "vmov",
            Op::VmovReg | Op::VmovImm => "vmov.f32",
            Op::Vldr(_) => "vldr",
            Op::Vstr(_) => "vstr",
            Op::Vldm(_) if ascending_pop => "vpop",
            Op::Vldm(_) if self.mode == Mode::PreIndex => "vldmdb",
            Op::Vldm(_) => "vldmia",
            Op::Vstm(_) if self.is_push() => "vpush",
            Op::Vstm(_) if self.mode == Mode::PreIndex => "vstmdb",
            Op::Vstm(_) => "vstmia",
            Op::Vmrs => "vmrs",
            Op::Vmsr => "vmsr",
            _ => "<named by its operands>",
        }
    }

    fn is_push(&self) -> bool {
        self.rn == SP && self.mode == Mode::PreIndex
    }

    fn operands(&self, address: u32) -> String {
        let (rd, rn, rm, ra, imm) =
            (reg(self.rd), reg(self.rn), reg(self.rm), reg(self.ra), self.imm);
        let target = address.wrapping_add(4).wrapping_add(imm);
        match self.op {
            Op::AndImm
            | Op::BicImm
            | Op::OrrImm
            | Op::OrnImm
            | Op::EorImm
            | Op::AddImm
            | Op::AdcImm
            | Op::SbcImm
            | Op::SubImm
            | Op::RsbImm => format!("{rd}, {rn}, #{}", number(imm)),
            Op::MovImm | Op::MvnImm | Op::Movw | Op::Movt => format!("{rd}, #{}", number(imm)),
            Op::Adr => format!("{rd}, #{}", signed(imm)),
            Op::TstImm | Op::TeqImm | Op::CmpImm | Op::CmnImm => {
                format!("{rn}, #{}", number(imm))
            }
            Op::AndReg
            | Op::BicReg
            | Op::OrrReg
            | Op::OrnReg
            | Op::EorReg
            | Op::AddReg
            | Op::AdcReg
            | Op::SbcReg
            | Op::SubReg
            | Op::RsbReg
            | Op::Pkhbt
            | Op::Pkhtb => format!("{rd}, {rn}, {rm}{}", self.shift_suffix()),
            Op::MovReg => self.move_operands(),
            Op::MvnReg => format!("{rd}, {rm}{}", self.shift_suffix()),
            Op::TstReg | Op::TeqReg | Op::CmpReg | Op::CmnReg => {
                format!("{rn}, {rm}{}", self.shift_suffix())
            }
            Op::ShiftReg
            | Op::Mul
            | Op::Smul(..)
            | Op::Smulw(_)
            | Op::Smuad(_)
            | Op::Smusd(_)
            | Op::Smmul(_)
            | Op::Usad8
            | Op::Udiv
            | Op::Sdiv
            | Op::Sel
            | Op::Parallel(..)
            | Op::Qadd
            | Op::Qsub
            | Op::Qdadd
            | Op::Qdsub => format!("{rd}, {rn}, {rm}"),
            Op::Mla
            | Op::Mls
            | Op::Smla(..)
            | Op::Smlaw(_)
            | Op::Smlad(_)
            | Op::Smlsd(_)
            | Op::Smmla(_)
            | Op::Smmls(_)
            | Op::Usada8 => format!("{rd}, {rn}, {rm}, {ra}"),
            Op::Umull
            | Op::Smull
            | Op::Umlal
            | Op::Smlal
            | Op::Umaal
            | Op::Smlalxy(..)
            | Op::Smlald(_)
            | Op::Smlsld(_) => format!("{rd}, {ra}, {rn}, {rm}"),
            Op::Sxtb | Op::Sxth | Op::Sxtb16 | Op::Uxtb | Op::Uxth | Op::Uxtb16 => {
                format!("{rd}, {rm}{}", self.shift_suffix())
            }
            Op::Sxtab | Op::Sxtah | Op::Sxtab16 | Op::Uxtab | Op::Uxtah | Op::Uxtab16 => {
                format!("{rd}, {rn}, {rm}{}", self.shift_suffix())
            }
            Op::Ssat | Op::Usat => format!("{rd}, #{imm}, {rn}{}", self.shift_suffix()),
            Op::Ssat16 | Op::Usat16 => format!("{rd}, #{imm}, {rn}"),
            Op::Bfi | Op::Sbfx | Op::Ubfx => format!("{rd}, {rn}, #{imm}, #{}", self.amount),
            Op::Bfc => format!("{rd}, #{imm}, #{}", self.amount),
            Op::Clz | Op::Rbit | Op::Rev | Op::Rev16 | Op::Revsh => format!("{rd}, {rm}"),
            Op::B | Op::Bcond | Op::Bl => format!("#{target:#x}"),
            Op::Bx | Op::Blx => rm.to_owned(),
            Op::Cbz | Op::Cbnz => format!("{rn}, #{target:#x}"),
            Op::Tbb => format!("[{rn}, {rm}]"),
            Op::Tbh => format!("[{rn}, {rm}, lsl #1]"),
            Op::AddPc | Op::MovPc => format!("pc, {rm}"),
            Op::It => condition(self.condition).to_owned(),
            Op::Ldr
            | Op::Ldrb
            | Op::Ldrh
            | Op::Ldrsb
            | Op::Ldrsh
            | Op::Str
            | Op::Strb
            | Op::Strh
            | Op::Ldrex
            | Op::Ldrexb
            | Op::Ldrexh => format!("{rd}, {}", self.address_text()),
            Op::LdrPc => format!("pc, {}", self.address_text()),
            Op::Preload => self.address_text(),
            Op::Ldrd | Op::Strd => format!("{rd}, {ra}, {}", self.address_text()),
            Op::Strex | Op::Strexb | Op::Strexh => {
                format!("{rd}, {rm}, {}", self.address_text())
            }
            Op::Ldmia | Op::Ldmdb | Op::Stmia | Op::Stmdb => self.multiple_operands(),
            Op::Mrs => format!("{rd}, {}", special_name(imm)),
            Op::Msr => format!("{}, {rn}", special_name(imm)),
            Op::Cps => ["", "f", "i", "if"][(imm & 3) as usize].to_owned(),
            Op::Dmb | Op::Dsb | Op::Isb if imm == FULL_BARRIER => "sy".to_owned(),
            Op::Dmb | Op::Dsb | Op::Isb | Op::Bkpt | Op::Svc | Op::Udf => {
                format!("#{}", number(imm))
            }
            Op::VmovToSingle => format!("{}, {rn}", scalar(self.rd, self.amount)),
            Op::VmovFromSingle => format!("{rd}, {}", scalar(self.rn, self.amount)),
            Op::VmovToPair => format!("{}, {rn}, {rm}", pair(self.rd, self.amount)),
            Op::VmovFromPair => format!("{rd}, {ra}, {}", pair(self.rn, self.amount)),
            Op::VmovReg => format!("s{}, s{}", self.rd, self.rm),
            Op::VmovImm => format!("s{}, #{:e}", self.rd, f32::from_bits(imm)),
            Op::Vldr(precision) | Op::Vstr(precision) => {
                format!("{}, {}", fp_register(precision, self.rd), self.address_text())
            }
            Op::Vldm(precision) | Op::Vstm(precision) => self.fp_multiple_operands(precision),
            Op::Vmrs if self.rd == PC => "apsr_nzcv, fpscr".to_owned(),
            Op::Vmrs => format!("{rd}, fpscr"),
            Op::Vmsr => format!("fpscr, {rn}"),
            Op::Undecoded | Op::Undefined | Op::UnsupportedFp | Op::Clrex | Op::Hint => {
                String::new()
            }
        }
    }

    fn move_operands(&self) -> String {
        let (rd, rm) = (reg(self.rd), reg(self.rm));
        match (self.shift, self.amount) {
            (Shift::Lsl, 0) | (Shift::Rrx, _) => format!("{rd}, {rm}"),
            (_, amount) => format!("{rd}, {rm}, #{}", number(amount.into())),
        }
    }

    fn shift_suffix(&self) -> String {
        match (self.shift, self.amount) {
            (Shift::Rrx, _) => ", rrx".to_owned(),
            (_, 0) => String::new(),
            (shift, amount) => format!(", {} #{}", shift_name(shift), number(amount.into())),
        }
    }

    fn address_text(&self) -> String {
        let (rn, rm) = (reg(self.rn), reg(self.rm));
        let offset = signed(self.imm);
        match self.mode {
            Mode::Register if self.amount == 0 => format!("[{rn}, {rm}]"),
            Mode::Register => format!("[{rn}, {rm}, lsl #{}]", self.amount),
            Mode::Offset | Mode::Unprivileged if self.imm == 0 => format!("[{rn}]"),
            Mode::Offset | Mode::Unprivileged => format!("[{rn}, #{offset}]"),
            Mode::PreIndex => format!("[{rn}, #{offset}]!"),
            Mode::PostIndex => format!("[{rn}], #{offset}"),
        }
    }

    fn multiple_operands(&self) -> String {
        let list: Vec<_> = (0..16).filter(|&r| self.imm & (1 << r) != 0).map(reg).collect();
        let list = list.join(", ");
        let stack = matches!(self.mnemonic().as_str(), "push" | "pop");
        let mark = if self.writes_back() { "!" } else { "" };
        if stack { format!("{{{list}}}") } else { format!("{}{mark}, {{{list}}}", reg(self.rn)) }
    }

    fn fp_multiple_operands(&self, precision: Precision) -> String {
        let step = if precision == Precision::Double { 2 } else { 1 };
        let last = self.rd + self.imm as u8;
        let mut list = String::new();
        for register in (self.rd..last).step_by(step) {
            let comma = if list.is_empty() { "" } else { ", " };
            // Writing to a String cannot fail.
            let _ = write!(list, "{comma}{}", fp_register(precision, register));
        }
        let stack = matches!(self.mnemonic().as_str(), "vpush" | "vpop");
        let mark = if self.writes_back() { "!" } else { "" };
        if stack { format!("{{{list}}}") } else { format!("{}{mark}, {{{list}}}", reg(self.rn)) }
    }
}

fn half(half: Half) -> &'static str {
    if half == Half::Top { "t" } else { "b" }
}

fn swap(swap: Swap) -> &'static str {
    if swap == Swap::Yes { "x" } else { "" }
}

fn round(round: Round) -> &'static str {
    if round == Round::Yes { "r" } else { "" }
}

fn shift_name(shift: Shift) -> &'static str {
    match shift {
        Shift::Lsl => "lsl",
        Shift::Lsr => "lsr",
        Shift::Asr => "asr",
        Shift::Ror => "ror",
        Shift::Rrx => "rrx",
    }
}

fn condition(condition: Condition) -> &'static str {
    const NAMES: [&str; 15] =
        ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al"];
    NAMES[condition as usize]
}

fn parallel_name(arithmetic: Arithmetic, lanes: Lanes) -> String {
    let prefix = match arithmetic {
        Arithmetic::Signed => "s",
        Arithmetic::SignedSaturating => "q",
        Arithmetic::SignedHalving => "sh",
        Arithmetic::Unsigned => "u",
        Arithmetic::UnsignedSaturating => "uq",
        Arithmetic::UnsignedHalving => "uh",
    };
    let lanes = match lanes {
        Lanes::Add16 => "add16",
        Lanes::Asx => "asx",
        Lanes::Sax => "sax",
        Lanes::Sub16 => "sub16",
        Lanes::Add8 => "add8",
        Lanes::Sub8 => "sub8",
    };
    format!("{prefix}{lanes}")
}

fn hint_name(number: u32) -> String {
    match number {
        0..=4 => ["nop", "yield", "wfe", "wfi", "sev"][number as usize].to_owned(),
        0xF0..=0xFF => format!("dbg #{}", number & 15),
        _ => format!("hint #{number}"),
    }
}

fn special_name(number: u32) -> String {
    let name = match number {
        0 => "apsr",
        1 => "iapsr",
        2 => "eapsr",
        3 => "xpsr",
        5 => "ipsr",
        6 => "epsr",
        7 => "iepsr",
        8 => "msp",
        9 => "psp",
        16 => "primask",
        17 => "basepri",
        18 => "basepri_max",
        19 => "faultmask",
        20 => "control",
        _ => return format!("special register {number}"),
    };
    name.to_owned()
}

fn fp_register(precision: Precision, register: u8) -> String {
    match precision {
        Precision::Single => format!("s{register}"),
        Precision::Double => format!("d{}", register / 2),
    }
}

/// A single-precision register, or the half of a double one that it is.
fn scalar(register: u8, double: u8) -> String {
    if double == 1 {
        format!("d{}[{}]", register / 2, register % 2)
    } else {
        format!("s{register}")
    }
}

fn pair(first: u8, double: u8) -> String {
    if double == 1 { format!("d{}", first / 2) } else { format!("s{first}, s{}", first + 1) }
}

/// Small numbers in decimal, others in hexadecimal.
fn number(value: u32) -> String {
    if value < 10 { format!("{value}") } else { format!("{value:#x}") }
}

fn signed(value: u32) -> String {
    let value = value as i32;
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", number(value.unsigned_abs()))
}
