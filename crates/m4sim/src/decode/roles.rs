//! Which registers play which part in an instruction: what the cycle model and the observers ask.

use super::{Instruction, Mode, Op, PC, Precision};

/// Broad kind of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Data processing that is not a multiplication or division, moves included.
    Alu,
    /// Any multiplication, with or without accumulation.
    Multiply,
    /// UDIV and SDIV.
    Divide,
    /// Single load of a core register.
    Load,
    /// Single store of a core register.
    Store,
    /// LDM, LDRD, POP, and every floating-point load.
    LoadMultiple,
    /// STM, STRD, PUSH, and every floating-point store.
    StoreMultiple,
    /// Anything whose purpose is to write pc without loading it from memory, or TBB and TBH.
    Branch,
    /// IT.
    IfThen,
    /// Moves between core and floating-point registers, or among the latter.
    FpMove,
    /// Hints, barriers, special registers, traps.
    Other,
}

/// An operand in one of the three positions of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Nothing in this position.
    None,
    /// A core register.
    Core(u8),
    /// A single-precision register.
    Fp(u8),
    /// An immediate value.
    Immediate(u32),
}

impl Instruction {
    /// The instruction's class.
    pub fn class(&self) -> Class {
        match self.op {
            Op::Mul
            | Op::Mla
            | Op::Mls
            | Op::Umull
            | Op::Smull
            | Op::Umlal
            | Op::Smlal
            | Op::Umaal
            | Op::Smul(..)
            | Op::Smla(..)
            | Op::Smulw(_)
            | Op::Smlaw(_)
            | Op::Smlalxy(..)
            | Op::Smuad(_)
            | Op::Smusd(_)
            | Op::Smlad(_)
            | Op::Smlsd(_)
            | Op::Smlald(_)
            | Op::Smlsld(_)
            | Op::Smmul(_)
            | Op::Smmla(_)
            | Op::Smmls(_) => Class::Multiply,
            Op::Udiv | Op::Sdiv => Class::Divide,
            Op::B
            | Op::Bcond
            | Op::Bl
            | Op::Bx
            | Op::Blx
            | Op::Cbz
            | Op::Cbnz
            | Op::Tbb
            | Op::Tbh
            | Op::AddPc
            | Op::MovPc => Class::Branch,
            Op::It => Class::IfThen,
            Op::Ldr
            | Op::Ldrb
            | Op::Ldrh
            | Op::Ldrsb
            | Op::Ldrsh
            | Op::LdrPc
            | Op::Ldrex
            | Op::Ldrexb
            | Op::Ldrexh => Class::Load,
            Op::Str | Op::Strb | Op::Strh | Op::Strex | Op::Strexb | Op::Strexh => Class::Store,
            Op::Ldrd | Op::Ldmia | Op::Ldmdb | Op::Vldr(_) | Op::Vldm(_) => Class::LoadMultiple,
            Op::Strd | Op::Stmia | Op::Stmdb | Op::Vstr(_) | Op::Vstm(_) => Class::StoreMultiple,
            Op::VmovToSingle
            | Op::VmovFromSingle
            | Op::VmovToPair
            | Op::VmovFromPair
            | Op::VmovReg
            | Op::VmovImm
            | Op::Vmrs
            | Op::Vmsr => Class::FpMove,
            Op::Undecoded
            | Op::Undefined
            | Op::UnsupportedFp
            | Op::Clrex
            | Op::Preload
            | Op::Mrs
            | Op::Msr
            | Op::Cps
            | Op::Hint
            | Op::Dmb
            | Op::Dsb
            | Op::Isb
            | Op::Bkpt
            | Op::Svc
            | Op::Udf => Class::Other,
            _ => Class::Alu,
        }
    }

    /// Words that a memory instruction transfers; 0 for other instructions.
    pub fn words(&self) -> u32 {
        match self.op {
            Op::Ldmia | Op::Ldmdb | Op::Stmia | Op::Stmdb => self.imm.count_ones(),
            Op::Vldm(_) | Op::Vstm(_) => self.imm,
            Op::Ldrd | Op::Strd => 2,
            Op::Vldr(Precision::Double) | Op::Vstr(Precision::Double) => 2,
            _ => u32::from(self.is_memory()),
        }
    }

    /// Whether the instruction reads or writes data memory, other than a table branch.
    pub fn is_memory(&self) -> bool {
        matches!(
            self.class(),
            Class::Load | Class::Store | Class::LoadMultiple | Class::StoreMultiple
        )
    }

    /// Core registers that form the address of a memory access, as a bit mask.
    pub fn address_registers(&self) -> u16 {
        if !self.is_memory() && !matches!(self.op, Op::Tbb | Op::Tbh) {
            return 0;
        }
        let indexed = self.mode == Mode::Register || matches!(self.op, Op::Tbb | Op::Tbh);
        let index = if indexed { 1 << self.rm } else { 0 };
        1 << self.rn | index
    }

    /// Core registers that the instruction writes, base writeback included, as a bit mask.
    pub fn destinations(&self) -> u16 {
        let base = if self.writes_back() { 1 << self.rn } else { 0 };
        base | self.results()
    }

    fn results(&self) -> u16 {
        // Floating-point register numbers go beyond 15, but then the masks are not used.
        let (rd, ra) = (1 << (self.rd & 15), 1 << (self.ra & 15));
        match self.op {
            Op::TstImm
            | Op::TeqImm
            | Op::CmpImm
            | Op::CmnImm
            | Op::TstReg
            | Op::TeqReg
            | Op::CmpReg
            | Op::CmnReg => 0,
            Op::Umull
            | Op::Smull
            | Op::Umlal
            | Op::Smlal
            | Op::Umaal
            | Op::Smlalxy(..)
            | Op::Smlald(_)
            | Op::Smlsld(_)
            | Op::Ldrd
            | Op::VmovFromPair => rd | ra,
            Op::VmovFromSingle | Op::Mrs | Op::Strex | Op::Strexb | Op::Strexh => rd,
            Op::Vmrs if self.rd != PC => rd,
            Op::LdrPc => 1 << PC,
            Op::Ldmia | Op::Ldmdb => self.imm as u16,
            Op::Bl | Op::Blx => 1 << super::LR,
            _ => match self.class() {
                Class::Alu | Class::Multiply | Class::Divide | Class::Load => rd,
                _ => 0,
            },
        }
    }

    /// The operands in their positions: first, second, third. A store's datum stands third.
    pub fn operand_positions(&self) -> [Operand; 3] {
        use Operand::{Core, Fp, Immediate, None};
        let (rd, rn, rm, ra) = (Core(self.rd), Core(self.rn), Core(self.rm), Core(self.ra));
        let imm = Immediate(self.imm);
        match self.op {
            Op::MovImm | Op::MvnImm | Op::Movw => [None, imm, None],
            Op::Movt => [rd, imm, None],
            Op::Adr => [Core(PC), imm, None],
            Op::MovReg
            | Op::MvnReg
            | Op::MovPc
            | Op::Bx
            | Op::Blx
            | Op::Clz
            | Op::Rbit
            | Op::Rev
            | Op::Rev16
            | Op::Revsh
            | Op::Sxtb
            | Op::Sxth
            | Op::Sxtb16
            | Op::Uxtb
            | Op::Uxth
            | Op::Uxtb16 => [None, rm, None],
            Op::Bfi => [rn, rd, None],
            Op::Bfc => [None, rd, None],
            Op::Sbfx | Op::Ubfx | Op::Ssat | Op::Usat | Op::Ssat16 | Op::Usat16 => [rn, None, None],
            Op::Umlal | Op::Smlal | Op::Umaal => [rn, rm, rd],
            Op::Smlalxy(..) | Op::Smlald(_) | Op::Smlsld(_) => [rn, rm, rd],
            Op::Mla
            | Op::Mls
            | Op::Smla(..)
            | Op::Smlaw(_)
            | Op::Smlad(_)
            | Op::Smlsd(_)
            | Op::Smmla(_)
            | Op::Smmls(_)
            | Op::Usada8 => [rn, rm, ra],
            Op::Cbz | Op::Cbnz | Op::Msr | Op::Vmsr => [rn, None, None],
            Op::Tbb | Op::Tbh => [rn, rm, None],
            Op::VmovToSingle => [rn, None, None],
            Op::VmovToPair => [rn, rm, None],
            Op::VmovFromSingle => [Fp(self.rn), None, None],
            Op::VmovFromPair => [Fp(self.rn), Fp(self.rn + 1), None],
            Op::VmovReg => [None, Fp(self.rm), None],
            Op::VmovImm => [None, imm, None],
            Op::Strex | Op::Strexb | Op::Strexh => [rn, imm, rm],
            Op::Vstr(_) => [rn, imm, Fp(self.rd)],
            Op::Strd => [rn, rd, ra],
            _ if self.is_memory() => {
                let offset = if self.mode == Mode::Register { rm } else { imm };
                let datum = if self.class() == Class::Store { rd } else { None };
                [rn, offset, datum]
            }
            _ if self.takes_immediate() => [rn, imm, None],
            _ if matches!(self.class(), Class::Alu | Class::Multiply | Class::Divide) => {
                [rn, rm, None]
            }
            _ => [None; 3],
        }
    }

    /// Whether the second operand goes through the shifter by an immediate distance.
    pub(crate) fn shifts_second_operand(&self) -> bool {
        matches!(
            self.op,
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
                | Op::MovReg
                | Op::MvnReg
                | Op::TstReg
                | Op::TeqReg
                | Op::CmpReg
                | Op::CmnReg
                | Op::Pkhbt
                | Op::Pkhtb
                | Op::Sxtb
                | Op::Sxth
                | Op::Sxtb16
                | Op::Uxtb
                | Op::Uxth
                | Op::Uxtb16
                | Op::Sxtab
                | Op::Sxtah
                | Op::Sxtab16
                | Op::Uxtab
                | Op::Uxtah
                | Op::Uxtab16
        )
    }

    fn takes_immediate(&self) -> bool {
        matches!(
            self.op,
            Op::AndImm
                | Op::BicImm
                | Op::OrrImm
                | Op::OrnImm
                | Op::EorImm
                | Op::AddImm
                | Op::AdcImm
                | Op::SbcImm
                | Op::SubImm
                | Op::RsbImm
                | Op::TstImm
                | Op::TeqImm
                | Op::CmpImm
                | Op::CmnImm
        )
    }

    /// Whether the instruction can be a function call.
    pub fn is_call(&self) -> bool {
        matches!(self.op, Op::Bl | Op::Blx)
    }
}
