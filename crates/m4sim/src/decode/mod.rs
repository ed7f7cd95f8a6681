//! Thumb-2 instructions of ARMv7E-M: the decoded form and the decoder.
//!
//! [`decode`] is a pure function from one or two halfwords to an [`Instruction`]. Encodings that the
//! architecture leaves UNDEFINED or UNPREDICTABLE decode to [`Op::Undefined`], so a program that
//! relies on them stops instead of running on somebody's guess.

mod fp;
mod roles;
mod t16;
mod t32;
mod text;

pub use roles::{Class, Operand};

/// Index of the stack pointer among the core registers.
pub const SP: u8 = 13;
/// Index of the link register among the core registers.
pub const LR: u8 = 14;
/// Index of the program counter among the core registers.
pub const PC: u8 = 15;

/// One decoded instruction. Which fields mean something depends on `op`; the others are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What the instruction does.
    pub op: Op,
    /// Length of the encoding in bytes, 2 or 4.
    pub size: u8,
    /// Destination; transferred register of a load or store; low half of a 64-bit destination.
    /// For floating-point instructions the index of the first single-precision register.
    pub rd: u8,
    /// First operand, or base register of a memory access.
    pub rn: u8,
    /// Second operand, or index register of a memory access.
    pub rm: u8,
    /// Third operand; second transferred register; high half of a 64-bit destination.
    pub ra: u8,
    /// How the second operand is shifted.
    pub shift: Shift,
    /// Shift distance, rotation, field width, or 1 for a rotated modified immediate.
    pub amount: u8,
    /// Whether the condition flags are written.
    pub flags: FlagRule,
    /// Condition of a conditional branch, first condition of an IT instruction.
    pub condition: Condition,
    /// How a memory access forms its address.
    pub mode: Mode,
    /// Immediate value, offset, register list or branch displacement.
    pub imm: u32,
}

/// What an [`Instruction`] does. `...Imm` takes `imm` as second operand, `...Reg` the shifted `rm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is the architecture's mnemonic")]
pub enum Op {
    /// Not decoded yet; only found in the simulator's cache.
    Undecoded,
    /// UNDEFINED or UNPREDICTABLE.
    Undefined,
    /// A floating-point data-processing instruction, which the simulator does not execute.
    UnsupportedFp,

    AndImm,
    BicImm,
    OrrImm,
    OrnImm,
    EorImm,
    AddImm,
    AdcImm,
    SbcImm,
    SubImm,
    RsbImm,
    MovImm,
    MvnImm,
    TstImm,
    TeqImm,
    CmpImm,
    CmnImm,
    Movw,
    Movt,
    /// `rd` = word-aligned pc + `imm`.
    Adr,

    AndReg,
    BicReg,
    OrrReg,
    OrnReg,
    EorReg,
    AddReg,
    AdcReg,
    SbcReg,
    SubReg,
    RsbReg,
    /// Also LSL, LSR, ASR, ROR by an immediate, and RRX.
    MovReg,
    MvnReg,
    TstReg,
    TeqReg,
    CmpReg,
    CmnReg,
    /// LSL, LSR, ASR, ROR of `rn` by the low byte of `rm`.
    ShiftReg,

    Mul,
    Mla,
    Mls,
    Umull,
    Smull,
    Umlal,
    Smlal,
    Umaal,
    Smul(Half, Half),
    Smla(Half, Half),
    Smulw(Half),
    Smlaw(Half),
    Smlalxy(Half, Half),
    Smuad(Swap),
    Smusd(Swap),
    Smlad(Swap),
    Smlsd(Swap),
    Smlald(Swap),
    Smlsld(Swap),
    Smmul(Round),
    Smmla(Round),
    Smmls(Round),
    Usad8,
    Usada8,
    Udiv,
    Sdiv,

    Sxtb,
    Sxth,
    Sxtb16,
    Uxtb,
    Uxth,
    Uxtb16,
    Sxtab,
    Sxtah,
    Sxtab16,
    Uxtab,
    Uxtah,
    Uxtab16,
    Pkhbt,
    Pkhtb,
    Sel,
    Parallel(Arithmetic, Lanes),
    Qadd,
    Qsub,
    Qdadd,
    Qdsub,
    Ssat,
    Usat,
    Ssat16,
    Usat16,
    Bfi,
    Bfc,
    Sbfx,
    Ubfx,
    Clz,
    Rbit,
    Rev,
    Rev16,
    Revsh,

    B,
    /// Conditional branch.
    Bcond,
    Bl,
    Bx,
    Blx,
    Cbz,
    Cbnz,
    Tbb,
    Tbh,
    /// `ADD pc, rm`.
    AddPc,
    /// `MOV pc, rm`.
    MovPc,
    It,

    Ldr,
    Ldrb,
    Ldrh,
    Ldrsb,
    Ldrsh,
    /// LDR with pc as destination.
    LdrPc,
    Str,
    Strb,
    Strh,
    Ldrd,
    Strd,
    Ldrex,
    Ldrexb,
    Ldrexh,
    Strex,
    Strexb,
    Strexh,
    Clrex,
    Ldmia,
    Ldmdb,
    Stmia,
    Stmdb,
    Preload,

    /// `rd` = special register number `imm`.
    Mrs,
    /// Special register number `imm` = `rn`, fields in `amount`.
    Msr,
    Cps,
    /// NOP, YIELD, WFE, WFI, SEV, DBG.
    Hint,
    Dmb,
    Dsb,
    Isb,
    Bkpt,
    Svc,
    Udf,

    /// Single-precision register `rd` = core register `rn`.
    VmovToSingle,
    /// Core register `rd` = single-precision register `rn`.
    VmovFromSingle,
    /// Consecutive single-precision registers `rd`, `rd` + 1 = core registers `rn`, `rm`.
    VmovToPair,
    /// Core registers `rd`, `ra` = consecutive single-precision registers `rn`, `rn` + 1.
    VmovFromPair,
    /// Single-precision register `rd` = single-precision register `rm`.
    VmovReg,
    VmovImm,
    Vldr(Precision),
    Vstr(Precision),
    Vldm(Precision),
    Vstm(Precision),
    Vmrs,
    Vmsr,
}

/// Half of a 32-bit operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Half {
    /// Bits 15 to 0.
    Bottom,
    /// Bits 31 to 16.
    Top,
}

/// Whether the halves of the second operand are exchanged first (the X suffix).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Swap {
    No,
    Yes,
}

/// Whether a most-significant-word multiply rounds (the R suffix).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Round {
    No,
    Yes,
}

/// Prefix of a parallel addition or subtraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arithmetic {
    /// S: signed modular, sets GE.
    Signed,
    /// Q: signed saturating.
    SignedSaturating,
    /// SH: signed halving.
    SignedHalving,
    /// U: unsigned modular, sets GE.
    Unsigned,
    /// UQ: unsigned saturating.
    UnsignedSaturating,
    /// UH: unsigned halving.
    UnsignedHalving,
}

/// Lanes of a parallel addition or subtraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is the architecture's mnemonic")]
pub enum Lanes {
    Add16,
    /// Exchange, top adds, bottom subtracts.
    Asx,
    /// Exchange, top subtracts, bottom adds.
    Sax,
    Sub16,
    Add8,
    Sub8,
}

/// Width of a floating-point memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Precision {
    /// One word a register.
    Single,
    /// Two words a register.
    Double,
}

/// How the second operand is shifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the architecture's names")]
pub enum Shift {
    Lsl,
    Lsr,
    Asr,
    Ror,
    Rrx,
}

/// Whether an instruction writes the condition flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagRule {
    /// Never.
    Keep,
    /// Always.
    Set,
    /// Only outside an IT block (the 16-bit encodings).
    SetOutsideIt,
}

/// How a memory access forms its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `rn` + `imm`, or word-aligned pc + `imm`.
    Offset,
    /// `rn` + (`rm` << `amount`).
    Register,
    /// `rn` + `imm`, written back to `rn`.
    PreIndex,
    /// `rn`, then `rn` + `imm` written back.
    PostIndex,
    /// As `Offset`, with unprivileged access, which the simulator does not tell apart.
    Unprivileged,
}

/// A condition code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the architecture's names")]
#[repr(u8)]
pub enum Condition {
    Eq,
    Ne,
    Cs,
    Cc,
    Mi,
    Pl,
    Vs,
    Vc,
    Hi,
    Ls,
    Ge,
    Lt,
    Gt,
    Le,
    Al,
}

impl Condition {
    /// The condition of a four-bit field; 0b1110 and 0b1111 both mean always.
    pub fn from_bits(bits: u8) -> Self {
        const ALL: [Condition; 16] = [
            Condition::Eq,
            Condition::Ne,
            Condition::Cs,
            Condition::Cc,
            Condition::Mi,
            Condition::Pl,
            Condition::Vs,
            Condition::Vc,
            Condition::Hi,
            Condition::Ls,
            Condition::Ge,
            Condition::Lt,
            Condition::Gt,
            Condition::Le,
            Condition::Al,
            Condition::Al,
        ];
        ALL[usize::from(bits & 15)]
    }
}

impl Instruction {
    /// An instruction with every field but `op` at its neutral value, 4 bytes long.
    pub(crate) const fn of(op: Op) -> Self {
        Instruction {
            op,
            size: 4,
            rd: 0,
            rn: 0,
            rm: 0,
            ra: 0,
            shift: Shift::Lsl,
            amount: 0,
            flags: FlagRule::Keep,
            condition: Condition::Al,
            mode: Mode::Offset,
            imm: 0,
        }
    }

    /// Whether the base register is written back.
    pub fn writes_back(&self) -> bool {
        matches!(self.mode, Mode::PreIndex | Mode::PostIndex)
    }
}

/// Whether a first halfword belongs to a 32-bit instruction.
pub fn is_wide(first: u16) -> bool {
    first >= 0xE800
}

/// Decodes the instruction that starts with halfword `first`; `second` is the halfword behind it,
/// looked at only when the instruction is 32 bits long.
pub fn decode(first: u16, second: u16) -> Instruction {
    if is_wide(first) {
        t32::decode(first, second)
    } else {
        Instruction { size: 2, ..t16::decode(first) }
    }
}

/// The `count` bits of `word` from bit `low` on.
fn bits(word: u16, low: u32, count: u32) -> u8 {
    ((word >> low) & ((1 << count) - 1)) as u8
}

fn bit(word: u16, index: u32) -> bool {
    (word >> index) & 1 != 0
}

/// Whether `register` is sp or pc, which most 32-bit encodings exclude.
fn is_bad(register: u8) -> bool {
    register == SP || register == PC
}

/// The shift of a two-bit type and five-bit distance; a distance of 0 means 32 for LSR and ASR and
/// turns ROR into RRX.
fn immediate_shift(kind: u8, distance: u8) -> (Shift, u8) {
    match (kind, distance) {
        (0, _) => (Shift::Lsl, distance),
        (1, 0) => (Shift::Lsr, 32),
        (1, _) => (Shift::Lsr, distance),
        (2, 0) => (Shift::Asr, 32),
        (2, _) => (Shift::Asr, distance),
        (_, 0) => (Shift::Rrx, 1),
        _ => (Shift::Ror, distance),
    }
}

/// Extends the low `width` bits of `value` by their sign.
fn sign_extend(value: u32, width: u32) -> u32 {
    let unused = 32 - width;
    (((value << unused) as i32) >> unused) as u32
}
