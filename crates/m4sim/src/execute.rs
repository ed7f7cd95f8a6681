//! What each instruction does.

use crate::alu::{self, add_with_carry, bottom, top};
use crate::decode::{FlagRule, Half, Instruction, LR, Mode, Op, PC, Precision, Round, SP, Swap};
use crate::fault::{FaultKind, Step, fault};
use crate::machine::Machine;
use crate::observer::Observer;

/// Immediate of the breakpoint that is a semihosting call.
const SEMIHOSTING: u32 = 0xAB;

/// CONTROL bit that tells that floating-point state is in use.
const CONTROL_FPCA: u32 = 4;

/// FPSCR bits that exist.
const FPSCR_MASK: u32 = 0xF7C0_009F;

impl Machine {
    #[inline(always)]
    fn reg(&self, register: u8) -> u32 {
        self.registers[usize::from(register & 15)]
    }

    #[inline(always)]
    fn set(&mut self, register: u8, value: u32) {
        self.registers[usize::from(register & 15)] = value;
    }

    /// As [`set`](Self::set), for instructions that may write sp, whose two low bits do not exist.
    #[inline(always)]
    fn set_any(&mut self, register: u8, value: u32) {
        let mask = if register == SP { !3 } else { !0 };
        self.set(register, value & mask);
    }

    #[inline(always)]
    fn fp_reg(&self, register: u8) -> u32 {
        self.fp[usize::from(register & 31)]
    }

    #[inline(always)]
    fn set_fp(&mut self, register: u8, value: u32) {
        self.fp[usize::from(register & 31)] = value;
    }

    #[inline(always)]
    fn set_nz(&mut self, result: u32) {
        self.flags.n = result >> 31 != 0;
        self.flags.z = result == 0;
    }

    /// Carry that a modified immediate leaves in a logical instruction.
    #[inline(always)]
    fn immediate_carry(&self, i: &Instruction) -> bool {
        if i.amount != 0 { i.imm >> 31 != 0 } else { self.flags.c }
    }

    /// The shifted second operand, and the carry out of the shifter.
    #[inline(always)]
    fn shifted(&self, i: &Instruction) -> (u32, bool) {
        let value = self.reg(i.rm);
        if i.amount == 0 {
            (value, self.flags.c)
        } else {
            alu::shift_immediate(value, i.shift, i.amount, self.flags.c)
        }
    }

    #[inline(always)]
    fn logical(&mut self, i: &Instruction, result: u32, carry: bool) {
        if i.flags != FlagRule::Keep {
            self.set_nz(result);
            self.flags.c = carry;
        }
        self.set_any(i.rd, result);
    }

    #[inline(always)]
    fn arithmetic(&mut self, i: &Instruction, a: u32, b: u32, carry: bool) {
        let (result, carry, overflow) = add_with_carry(a, b, carry);
        if i.flags != FlagRule::Keep {
            self.set_nz(result);
            self.flags.c = carry;
            self.flags.v = overflow;
        }
        self.set_any(i.rd, result);
    }

    #[inline(always)]
    fn test(&mut self, result: u32, carry: bool) {
        self.set_nz(result);
        self.flags.c = carry;
    }

    #[inline(always)]
    fn compare(&mut self, a: u32, b: u32, carry: bool) {
        let (result, carry, overflow) = add_with_carry(a, b, carry);
        self.set_nz(result);
        self.flags.c = carry;
        self.flags.v = overflow;
    }

    #[inline(always)]
    fn half_of(&self, register: u8, half: Half) -> i32 {
        let value = self.reg(register);
        if half == Half::Top { top(value) } else { bottom(value) }
    }

    /// The products of bottom with bottom and top with top halves, the second operand's exchanged
    /// on demand.
    #[inline(always)]
    fn dual_products(&self, i: &Instruction, swap: Swap) -> (i64, i64) {
        let n = self.reg(i.rn);
        let m = self.reg(i.rm).rotate_right(if swap == Swap::Yes { 16 } else { 0 });
        (i64::from(bottom(n) * bottom(m)), i64::from(top(n)) * i64::from(top(m)))
    }

    /// Stores the low word of `exact`, and sets Q when it does not fit.
    #[inline(always)]
    fn accumulate_q(&mut self, i: &Instruction, exact: i64) {
        self.flags.q |= exact != i64::from(exact as i32);
        self.set(i.rd, exact as u32);
    }

    #[inline(always)]
    fn signed_product(&self, i: &Instruction) -> i64 {
        i64::from(self.reg(i.rn) as i32) * i64::from(self.reg(i.rm) as i32)
    }

    #[inline(always)]
    fn unsigned_product(&self, i: &Instruction) -> u64 {
        u64::from(self.reg(i.rn)) * u64::from(self.reg(i.rm))
    }

    /// The 64-bit accumulator in `rd` (low) and `ra` (high).
    #[inline(always)]
    fn accumulator(&self, i: &Instruction) -> u64 {
        u64::from(self.reg(i.ra)) << 32 | u64::from(self.reg(i.rd))
    }

    #[inline(always)]
    fn set_long(&mut self, i: &Instruction, value: u64) {
        self.set(i.rd, value as u32);
        self.set(i.ra, (value >> 32) as u32);
    }

    #[inline(always)]
    fn add_long(&mut self, i: &Instruction, value: i64) {
        self.set_long(i, self.accumulator(i).wrapping_add(value as u64));
    }

    /// High word of a product, accumulated into `addend`, rounded on demand.
    #[inline(always)]
    fn most_significant(&mut self, i: &Instruction, addend: u32, product: i64, round: Round) {
        let half = if round == Round::Yes { 0x8000_0000 } else { 0 };
        let sum = (i64::from(addend) << 32).wrapping_add(product).wrapping_add(half);
        self.set(i.rd, (sum >> 32) as u32);
    }

    #[inline(always)]
    fn saturating(&mut self, i: &Instruction, double: bool, subtract: bool) {
        let first = i64::from(self.reg(i.rn) as i32);
        let mut second = i64::from(self.reg(i.rm) as i32);
        if double {
            let (doubled, saturated) = alu::saturate_signed(2 * second, 32);
            second = doubled.into();
            self.flags.q |= saturated;
        }
        let exact = if subtract { first - second } else { first + second };
        let (result, saturated) = alu::saturate_signed(exact, 32);
        self.flags.q |= saturated;
        self.set(i.rd, result as u32);
    }

    /// Saturates both halves of `rn` by `saturate`.
    fn saturate_halves(&mut self, i: &Instruction, saturate: impl Fn(i64) -> (u32, bool)) {
        let n = self.reg(i.rn);
        let (low, q1) = saturate(bottom(n).into());
        let (high, q2) = saturate(top(n).into());
        self.flags.q |= q1 | q2;
        self.set(i.rd, low & 0xFFFF | high << 16);
    }

    /// `rm` rotated right by a multiple of 8.
    #[inline(always)]
    fn rotated(&self, i: &Instruction) -> u32 {
        self.reg(i.rm).rotate_right(i.amount.into())
    }

    #[inline(always)]
    fn field_mask(i: &Instruction) -> u32 {
        (u32::MAX >> (32 - i.amount)) << i.imm
    }

    fn divide(&mut self, i: &Instruction, signed: bool) {
        let (n, m) = (self.reg(i.rn), self.reg(i.rm));
        let (quotient, cycles) = if signed {
            let (n, m) = (n as i32, m as i32);
            let quotient = if m == 0 { 0 } else { n.wrapping_div(m) as u32 };
            (quotient, self.model.divide(n.unsigned_abs(), m.unsigned_abs()))
        } else {
            (n.checked_div(m).unwrap_or(0), self.model.divide(n, m))
        };
        self.cycles += cycles;
        self.set(i.rd, quotient);
    }

    /// Value of a base register: pc counts as word-aligned.
    #[inline(always)]
    fn base(&self, register: u8) -> u32 {
        let value = self.reg(register);
        if register == PC { value & !3 } else { value }
    }

    /// The address of a memory access.
    #[inline(always)]
    fn address(&self, i: &Instruction) -> u32 {
        match i.mode {
            Mode::Offset | Mode::PreIndex | Mode::Unprivileged => {
                self.base(i.rn).wrapping_add(i.imm)
            }
            Mode::Register => self.reg(i.rn).wrapping_add(self.reg(i.rm) << i.amount),
            Mode::PostIndex => self.reg(i.rn),
        }
    }

    #[inline(always)]
    fn write_back(&mut self, i: &Instruction) {
        if i.writes_back() {
            self.set_any(i.rn, self.reg(i.rn).wrapping_add(i.imm));
        }
    }

    /// Finishes a load: the base first, so that the loaded value wins in `rd`.
    #[inline(always)]
    fn loaded(&mut self, i: &Instruction, value: u32) {
        self.write_back(i);
        self.set_any(i.rd, value);
    }

    #[inline(always)]
    fn branch_if(&mut self, taken: bool, i: &Instruction) {
        if taken {
            self.branch(self.reg(PC).wrapping_add(i.imm));
        }
    }

    fn require_fp(&self) -> Step<()> {
        if self.system.fp_enabled() { Ok(()) } else { fault(FaultKind::FpDisabled) }
    }

    fn require_aligned(address: u32, size: u32) -> Step<()> {
        if address & (size - 1) == 0 { Ok(()) } else { fault(FaultKind::Unaligned { address }) }
    }

    #[inline(always)]
    pub(crate) fn execute<O: Observer>(&mut self, i: &Instruction, observer: &mut O) -> Step<()> {
        match i.op {
            Op::Undecoded | Op::Undefined => return fault(FaultKind::Undefined),
            Op::UnsupportedFp => return fault(FaultKind::UnsupportedFp),

            Op::AndImm => self.logical(i, self.reg(i.rn) & i.imm, self.immediate_carry(i)),
            Op::BicImm => self.logical(i, self.reg(i.rn) & !i.imm, self.immediate_carry(i)),
            Op::OrrImm => self.logical(i, self.reg(i.rn) | i.imm, self.immediate_carry(i)),
            Op::OrnImm => self.logical(i, self.reg(i.rn) | !i.imm, self.immediate_carry(i)),
            Op::EorImm => self.logical(i, self.reg(i.rn) ^ i.imm, self.immediate_carry(i)),
            Op::MovImm => self.logical(i, i.imm, self.immediate_carry(i)),
            Op::MvnImm => self.logical(i, !i.imm, self.immediate_carry(i)),
            Op::AddImm => self.arithmetic(i, self.reg(i.rn), i.imm, false),
            Op::AdcImm => self.arithmetic(i, self.reg(i.rn), i.imm, self.flags.c),
            Op::SbcImm => self.arithmetic(i, self.reg(i.rn), !i.imm, self.flags.c),
            Op::SubImm => self.arithmetic(i, self.reg(i.rn), !i.imm, true),
            Op::RsbImm => self.arithmetic(i, !self.reg(i.rn), i.imm, true),
            Op::TstImm => self.test(self.reg(i.rn) & i.imm, self.immediate_carry(i)),
            Op::TeqImm => self.test(self.reg(i.rn) ^ i.imm, self.immediate_carry(i)),
            Op::CmpImm => self.compare(self.reg(i.rn), !i.imm, true),
            Op::CmnImm => self.compare(self.reg(i.rn), i.imm, false),
            Op::Movw => self.set(i.rd, i.imm),
            Op::Movt => self.set(i.rd, self.reg(i.rd) & 0xFFFF | i.imm << 16),
            Op::Adr => self.set(i.rd, self.base(PC).wrapping_add(i.imm)),

            Op::AndReg => {
                let (m, carry) = self.shifted(i);
                self.logical(i, self.reg(i.rn) & m, carry);
            }
            Op::BicReg => {
                let (m, carry) = self.shifted(i);
                self.logical(i, self.reg(i.rn) & !m, carry);
            }
            Op::OrrReg => {
                let (m, carry) = self.shifted(i);
                self.logical(i, self.reg(i.rn) | m, carry);
            }
            Op::OrnReg => {
                let (m, carry) = self.shifted(i);
                self.logical(i, self.reg(i.rn) | !m, carry);
            }
            Op::EorReg => {
                let (m, carry) = self.shifted(i);
                self.logical(i, self.reg(i.rn) ^ m, carry);
            }
            Op::MovReg => {
                let (m, carry) = self.shifted(i);
                self.logical(i, m, carry);
            }
            Op::MvnReg => {
                let (m, carry) = self.shifted(i);
                self.logical(i, !m, carry);
            }
            Op::AddReg => self.arithmetic(i, self.reg(i.rn), self.shifted(i).0, false),
            Op::AdcReg => self.arithmetic(i, self.reg(i.rn), self.shifted(i).0, self.flags.c),
            Op::SbcReg => self.arithmetic(i, self.reg(i.rn), !self.shifted(i).0, self.flags.c),
            Op::SubReg => self.arithmetic(i, self.reg(i.rn), !self.shifted(i).0, true),
            Op::RsbReg => self.arithmetic(i, !self.reg(i.rn), self.shifted(i).0, true),
            Op::TstReg => {
                let (m, carry) = self.shifted(i);
                self.test(self.reg(i.rn) & m, carry);
            }
            Op::TeqReg => {
                let (m, carry) = self.shifted(i);
                self.test(self.reg(i.rn) ^ m, carry);
            }
            Op::CmpReg => self.compare(self.reg(i.rn), !self.shifted(i).0, true),
            Op::CmnReg => self.compare(self.reg(i.rn), self.shifted(i).0, false),
            Op::ShiftReg => {
                let (n, m) = (self.reg(i.rn), self.reg(i.rm));
                let (result, carry) = alu::shift_register(n, i.shift, m, self.flags.c);
                self.logical(i, result, carry);
            }

            Op::Mul => {
                let result = self.reg(i.rn).wrapping_mul(self.reg(i.rm));
                self.logical(i, result, self.flags.c);
            }
            Op::Mla => {
                let product = self.reg(i.rn).wrapping_mul(self.reg(i.rm));
                self.set(i.rd, self.reg(i.ra).wrapping_add(product));
            }
            Op::Mls => {
                let product = self.reg(i.rn).wrapping_mul(self.reg(i.rm));
                self.set(i.rd, self.reg(i.ra).wrapping_sub(product));
            }
            Op::Umull => self.set_long(i, self.unsigned_product(i)),
            Op::Smull => self.set_long(i, self.signed_product(i) as u64),
            Op::Umlal => {
                let sum = self.accumulator(i).wrapping_add(self.unsigned_product(i));
                self.set_long(i, sum);
            }
            Op::Smlal => self.add_long(i, self.signed_product(i)),
            Op::Umaal => {
                // At most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
                let addends = u64::from(self.reg(i.rd)) + u64::from(self.reg(i.ra));
                self.set_long(i, self.unsigned_product(i) + addends);
            }
            Op::Smul(n, m) => {
                self.set(i.rd, (self.half_of(i.rn, n) * self.half_of(i.rm, m)) as u32);
            }
            Op::Smla(n, m) => {
                let product = i64::from(self.half_of(i.rn, n) * self.half_of(i.rm, m));
                self.accumulate_q(i, product + i64::from(self.reg(i.ra) as i32));
            }
            Op::Smulw(m) => {
                let product = i64::from(self.reg(i.rn) as i32) * i64::from(self.half_of(i.rm, m));
                self.set(i.rd, (product >> 16) as u32);
            }
            Op::Smlaw(m) => {
                let product = i64::from(self.reg(i.rn) as i32) * i64::from(self.half_of(i.rm, m));
                self.accumulate_q(i, (product >> 16) + i64::from(self.reg(i.ra) as i32));
            }
            Op::Smlalxy(n, m) => {
                self.add_long(i, i64::from(self.half_of(i.rn, n) * self.half_of(i.rm, m)));
            }
            Op::Smuad(swap) => {
                let (low, high) = self.dual_products(i, swap);
                self.accumulate_q(i, low + high);
            }
            Op::Smusd(swap) => {
                let (low, high) = self.dual_products(i, swap);
                self.set(i.rd, (low - high) as u32);
            }
            Op::Smlad(swap) => {
                let (low, high) = self.dual_products(i, swap);
                self.accumulate_q(i, low + high + i64::from(self.reg(i.ra) as i32));
            }
            Op::Smlsd(swap) => {
                let (low, high) = self.dual_products(i, swap);
                self.accumulate_q(i, low - high + i64::from(self.reg(i.ra) as i32));
            }
            Op::Smlald(swap) => {
                let (low, high) = self.dual_products(i, swap);
                self.add_long(i, low + high);
            }
            Op::Smlsld(swap) => {
                let (low, high) = self.dual_products(i, swap);
                self.add_long(i, low - high);
            }
            Op::Smmul(round) => self.most_significant(i, 0, self.signed_product(i), round),
            Op::Smmla(round) => {
                self.most_significant(i, self.reg(i.ra), self.signed_product(i), round);
            }
            Op::Smmls(round) => {
                self.most_significant(i, self.reg(i.ra), -self.signed_product(i), round);
            }
            Op::Usad8 => self.set(i.rd, alu::sum_of_differences(self.reg(i.rn), self.reg(i.rm))),
            Op::Usada8 => {
                let sum = alu::sum_of_differences(self.reg(i.rn), self.reg(i.rm));
                self.set(i.rd, self.reg(i.ra).wrapping_add(sum));
            }
            Op::Udiv => self.divide(i, false),
            Op::Sdiv => self.divide(i, true),

            Op::Sxtb => self.set(i.rd, self.rotated(i) as i8 as u32),
            Op::Sxth => self.set(i.rd, self.rotated(i) as i16 as u32),
            Op::Uxtb => self.set(i.rd, self.rotated(i) & 0xFF),
            Op::Uxth => self.set(i.rd, self.rotated(i) & 0xFFFF),
            Op::Sxtb16 => self.set(i.rd, sign_bytes(self.rotated(i))),
            Op::Uxtb16 => self.set(i.rd, self.rotated(i) & 0x00FF_00FF),
            Op::Sxtab => {
                let extended = self.rotated(i) as i8 as u32;
                self.set(i.rd, self.reg(i.rn).wrapping_add(extended));
            }
            Op::Sxtah => {
                let extended = self.rotated(i) as i16 as u32;
                self.set(i.rd, self.reg(i.rn).wrapping_add(extended));
            }
            Op::Uxtab => {
                self.set(i.rd, self.reg(i.rn).wrapping_add(self.rotated(i) & 0xFF));
            }
            Op::Uxtah => {
                self.set(i.rd, self.reg(i.rn).wrapping_add(self.rotated(i) & 0xFFFF));
            }
            Op::Sxtab16 => self.set(i.rd, add_halves(self.reg(i.rn), sign_bytes(self.rotated(i)))),
            Op::Uxtab16 => {
                self.set(i.rd, add_halves(self.reg(i.rn), self.rotated(i) & 0x00FF_00FF));
            }
            Op::Pkhbt => {
                self.set(i.rd, self.reg(i.rn) & 0xFFFF | self.shifted(i).0 & 0xFFFF_0000);
            }
            Op::Pkhtb => {
                self.set(i.rd, self.reg(i.rn) & 0xFFFF_0000 | self.shifted(i).0 & 0xFFFF);
            }
            Op::Sel => {
                self.set(i.rd, alu::select(self.flags.ge, self.reg(i.rn), self.reg(i.rm)));
            }
            Op::Parallel(arithmetic, lanes) => {
                let (n, m) = (self.reg(i.rn), self.reg(i.rm));
                let (result, ge) = alu::parallel(arithmetic, lanes, n, m);
                self.flags.ge = ge.unwrap_or(self.flags.ge);
                self.set(i.rd, result);
            }
            Op::Qadd => self.saturating(i, false, false),
            Op::Qsub => self.saturating(i, false, true),
            Op::Qdadd => self.saturating(i, true, false),
            Op::Qdsub => self.saturating(i, true, true),
            Op::Ssat => {
                let (result, saturated) = alu::saturate_signed(self.shifted_first(i), i.imm);
                self.flags.q |= saturated;
                self.set(i.rd, result as u32);
            }
            Op::Usat => {
                let (result, saturated) = alu::saturate_unsigned(self.shifted_first(i), i.imm);
                self.flags.q |= saturated;
                self.set(i.rd, result);
            }
            Op::Ssat16 => self.saturate_halves(i, |half| {
                let (value, saturated) = alu::saturate_signed(half, i.imm);
                (value as u32, saturated)
            }),
            Op::Usat16 => self.saturate_halves(i, |half| alu::saturate_unsigned(half, i.imm)),
            Op::Bfi => {
                let mask = Self::field_mask(i);
                let inserted = self.reg(i.rn) << i.imm & mask;
                self.set(i.rd, self.reg(i.rd) & !mask | inserted);
            }
            Op::Bfc => self.set(i.rd, self.reg(i.rd) & !Self::field_mask(i)),
            Op::Sbfx => {
                let unused = 32 - u32::from(i.amount);
                let aligned = self.reg(i.rn) << (unused - i.imm);
                self.set(i.rd, ((aligned as i32) >> unused) as u32);
            }
            Op::Ubfx => {
                let unused = 32 - u32::from(i.amount);
                self.set(i.rd, self.reg(i.rn) << (unused - i.imm) >> unused);
            }
            Op::Clz => self.set(i.rd, self.reg(i.rm).leading_zeros()),
            Op::Rbit => self.set(i.rd, self.reg(i.rm).reverse_bits()),
            Op::Rev => self.set(i.rd, self.reg(i.rm).swap_bytes()),
            Op::Rev16 => self.set(i.rd, self.reg(i.rm).swap_bytes().rotate_right(16)),
            Op::Revsh => self.set(i.rd, (self.reg(i.rm) as u16).swap_bytes() as i16 as u32),

            Op::B => self.branch_if(true, i),
            Op::Bcond => self.branch_if(self.flags.passes(i.condition), i),
            Op::Cbz => self.branch_if(self.reg(i.rn) == 0, i),
            Op::Cbnz => self.branch_if(self.reg(i.rn) != 0, i),
            Op::Bl => {
                self.set(LR, self.next | 1);
                self.branch_if(true, i);
            }
            Op::Bx => self.branch_exchange(self.reg(i.rm))?,
            Op::Blx => {
                let target = self.reg(i.rm);
                self.branch_exchange(target)?;
                self.set(LR, self.pc.wrapping_add(2) | 1);
            }
            Op::AddPc => self.branch(self.reg(PC).wrapping_add(self.reg(i.rm))),
            Op::MovPc => self.branch(self.reg(i.rm)),
            Op::Tbb => {
                let address = self.reg(i.rn).wrapping_add(self.reg(i.rm));
                let entry = self.load_byte(address, observer)?;
                self.branch(self.reg(PC).wrapping_add(2 * entry));
            }
            Op::Tbh => {
                let address = self.reg(i.rn).wrapping_add(self.reg(i.rm) << 1);
                let entry = self.load_half(address, observer)?;
                self.branch(self.reg(PC).wrapping_add(2 * entry));
            }
            Op::It => self.it = i.imm as u8,

            Op::Ldr => {
                let value = self.load_word(self.address(i), observer)?;
                self.loaded(i, value);
            }
            Op::Ldrb => {
                let value = self.load_byte(self.address(i), observer)?;
                self.loaded(i, value);
            }
            Op::Ldrh => {
                let value = self.load_half(self.address(i), observer)?;
                self.loaded(i, value);
            }
            Op::Ldrsb => {
                let value = self.load_byte(self.address(i), observer)?;
                self.loaded(i, value as i8 as u32);
            }
            Op::Ldrsh => {
                let value = self.load_half(self.address(i), observer)?;
                self.loaded(i, value as i16 as u32);
            }
            Op::LdrPc => {
                let target = self.load_word(self.address(i), observer)?;
                self.branch_exchange(target)?;
                self.write_back(i);
            }
            Op::Str => {
                self.store_word(self.address(i), self.reg(i.rd), observer)?;
                self.write_back(i);
            }
            Op::Strb => {
                self.store_byte(self.address(i), self.reg(i.rd), observer)?;
                self.write_back(i);
            }
            Op::Strh => {
                self.store_half(self.address(i), self.reg(i.rd), observer)?;
                self.write_back(i);
            }
            Op::Ldrd => {
                let address = self.address(i);
                Self::require_aligned(address, 4)?;
                let low = self.load_word(address, observer)?;
                let high = self.load_word(address.wrapping_add(4), observer)?;
                self.write_back(i);
                self.set(i.rd, low);
                self.set(i.ra, high);
            }
            Op::Strd => {
                let address = self.address(i);
                Self::require_aligned(address, 4)?;
                self.store_word(address, self.reg(i.rd), observer)?;
                self.store_word(address.wrapping_add(4), self.reg(i.ra), observer)?;
                self.write_back(i);
            }
            Op::Ldrex => {
                let address = self.address(i);
                Self::require_aligned(address, 4)?;
                let value = self.load_word(address, observer)?;
                self.load_exclusive(i, value);
            }
            Op::Ldrexh => {
                let address = self.address(i);
                Self::require_aligned(address, 2)?;
                let value = self.load_half(address, observer)?;
                self.load_exclusive(i, value);
            }
            Op::Ldrexb => {
                let value = self.load_byte(self.address(i), observer)?;
                self.load_exclusive(i, value);
            }
            Op::Strex => {
                let address = self.address(i);
                Self::require_aligned(address, 4)?;
                if self.claim_exclusive(i) {
                    self.store_word(address, self.reg(i.rm), observer)?;
                }
            }
            Op::Strexh => {
                let address = self.address(i);
                Self::require_aligned(address, 2)?;
                if self.claim_exclusive(i) {
                    self.store_half(address, self.reg(i.rm), observer)?;
                }
            }
            Op::Strexb => {
                if self.claim_exclusive(i) {
                    self.store_byte(self.address(i), self.reg(i.rm), observer)?;
                }
            }
            Op::Clrex => self.exclusive = false,
            Op::Ldmia => self.load_multiple(i, self.reg(i.rn), observer)?,
            Op::Ldmdb => self.load_multiple(i, self.below_base(i), observer)?,
            Op::Stmia => self.store_multiple(i, self.reg(i.rn), observer)?,
            Op::Stmdb => self.store_multiple(i, self.below_base(i), observer)?,
            Op::Preload | Op::Hint | Op::Dmb | Op::Dsb | Op::Isb => {}

            Op::Mrs => self.set(i.rd, self.special(i.imm)),
            Op::Msr => self.set_special(i.imm, i.amount, self.reg(i.rn)),
            Op::Cps => {
                if i.imm & 2 != 0 {
                    self.primask = i.amount.into();
                }
                if i.imm & 1 != 0 {
                    self.faultmask = i.amount.into();
                }
            }
            Op::Bkpt if i.imm == SEMIHOSTING => self.semihosting()?,
            Op::Bkpt => return fault(FaultKind::Breakpoint(i.imm)),
            Op::Svc => return fault(FaultKind::SupervisorCall(i.imm)),
            Op::Udf => return fault(FaultKind::PermanentlyUndefined(i.imm)),

            _ => self.execute_fp(i, observer)?,
        }
        Ok(())
    }

    /// `rn` shifted as a saturating instruction asks, without loss.
    fn shifted_first(&self, i: &Instruction) -> i64 {
        let n = self.reg(i.rn);
        i64::from(alu::shift_immediate(n, i.shift, i.amount, false).0 as i32)
    }

    fn load_exclusive(&mut self, i: &Instruction, value: u32) {
        self.exclusive = true;
        self.set(i.rd, value);
    }

    /// Whether a store exclusive takes effect; `rd` receives its status.
    fn claim_exclusive(&mut self, i: &Instruction) -> bool {
        let claimed = std::mem::take(&mut self.exclusive);
        self.set(i.rd, u32::from(!claimed));
        claimed
    }

    fn below_base(&self, i: &Instruction) -> u32 {
        self.reg(i.rn).wrapping_sub(4 * i.imm.count_ones())
    }

    fn load_multiple<O: Observer>(
        &mut self,
        i: &Instruction,
        start: u32,
        observer: &mut O,
    ) -> Step<()> {
        Self::require_aligned(start, 4)?;
        let mut address = start;
        let mut values = [0; 16];
        for register in listed(i.imm) {
            values[usize::from(register)] = self.load_word(address, observer)?;
            address = address.wrapping_add(4);
        }
        if i.imm & (1 << PC) != 0 {
            self.branch_exchange(values[usize::from(PC)])?;
        }
        self.write_back_multiple(i, start, address);
        for register in listed(i.imm & !(1 << PC)) {
            self.set(register, values[usize::from(register)]);
        }
        Ok(())
    }

    fn store_multiple<O: Observer>(
        &mut self,
        i: &Instruction,
        start: u32,
        observer: &mut O,
    ) -> Step<()> {
        Self::require_aligned(start, 4)?;
        let mut address = start;
        for register in listed(i.imm) {
            self.store_word(address, self.reg(register), observer)?;
            address = address.wrapping_add(4);
        }
        self.write_back_multiple(i, start, address);
        Ok(())
    }

    /// Writes back the end that the transfer moved the base to: the upper one where it ascended.
    fn write_back_multiple(&mut self, i: &Instruction, start: u32, end: u32) {
        match i.mode {
            Mode::PostIndex => self.set_any(i.rn, end),
            Mode::PreIndex => self.set_any(i.rn, start),
            _ => {}
        }
    }

    fn execute_fp<O: Observer>(&mut self, i: &Instruction, observer: &mut O) -> Step<()> {
        self.require_fp()?;
        self.control |= CONTROL_FPCA;
        match i.op {
            Op::VmovToSingle => self.set_fp(i.rd, self.reg(i.rn)),
            Op::VmovFromSingle => self.set(i.rd, self.fp_reg(i.rn)),
            Op::VmovToPair => {
                self.set_fp(i.rd, self.reg(i.rn));
                self.set_fp(i.rd + 1, self.reg(i.rm));
            }
            Op::VmovFromPair => {
                self.set(i.rd, self.fp_reg(i.rn));
                self.set(i.ra, self.fp_reg(i.rn + 1));
            }
            Op::VmovReg => self.set_fp(i.rd, self.fp_reg(i.rm)),
            Op::VmovImm => self.set_fp(i.rd, i.imm),
            Op::Vldr(precision) => {
                self.load_fp(i.rd, words(precision), self.address(i), observer)?;
            }
            Op::Vstr(precision) => {
                self.store_fp(i.rd, words(precision), self.address(i), observer)?;
            }
            Op::Vldm(_) => {
                let start = self.fp_start(i);
                let end = self.load_fp(i.rd, i.imm, start, observer)?;
                self.write_back_multiple(i, start, end);
            }
            Op::Vstm(_) => {
                let start = self.fp_start(i);
                let end = self.store_fp(i.rd, i.imm, start, observer)?;
                self.write_back_multiple(i, start, end);
            }
            Op::Vmrs if i.rd == PC => self.flags.set_nzcv(self.fpscr),
            Op::Vmrs => self.set(i.rd, self.fpscr),
            Op::Vmsr => self.fpscr = self.reg(i.rn) & FPSCR_MASK,
            _ => return fault(FaultKind::Undefined),
        }
        Ok(())
    }

    fn fp_start(&self, i: &Instruction) -> u32 {
        let base = self.reg(i.rn);
        if i.mode == Mode::PreIndex { base.wrapping_sub(4 * i.imm) } else { base }
    }

    /// Loads `count` words into registers from `first` on; returns the address behind them.
    fn load_fp<O: Observer>(
        &mut self,
        first: u8,
        count: u32,
        address: u32,
        observer: &mut O,
    ) -> Step<u32> {
        Self::require_aligned(address, 4)?;
        for k in 0..count {
            let value = self.load_word(address.wrapping_add(4 * k), observer)?;
            self.set_fp(first + k as u8, value);
        }
        Ok(address.wrapping_add(4 * count))
    }

    /// Stores `count` registers from `first` on; returns the address behind them.
    fn store_fp<O: Observer>(
        &mut self,
        first: u8,
        count: u32,
        address: u32,
        observer: &mut O,
    ) -> Step<u32> {
        Self::require_aligned(address, 4)?;
        for k in 0..count {
            let value = self.fp_reg(first + k as u8);
            self.store_word(address.wrapping_add(4 * k), value, observer)?;
        }
        Ok(address.wrapping_add(4 * count))
    }

    /// Reads special register `number`.
    fn special(&self, number: u32) -> u32 {
        match number {
            // The exception number is 0 and the execution bits read as zero.
            0..=3 => self.flags.bits(),
            8 => self.stack_pointer(false),
            9 => self.stack_pointer(true),
            16 => self.primask,
            17 | 18 => self.basepri,
            19 => self.faultmask,
            20 => self.control,
            _ => 0,
        }
    }

    fn process_stack_active(&self) -> bool {
        self.control & 2 != 0
    }

    fn stack_pointer(&self, process: bool) -> u32 {
        if process == self.process_stack_active() { self.reg(SP) } else { self.other_sp }
    }

    fn set_stack_pointer(&mut self, process: bool, value: u32) {
        if process == self.process_stack_active() {
            self.set_any(SP, value);
        } else {
            self.other_sp = value & !3;
        }
    }

    /// Writes special register `number`; `fields` selects the flags (2) and the GE bits (1).
    fn set_special(&mut self, number: u32, fields: u8, value: u32) {
        match number {
            0..=3 => {
                if fields & 2 != 0 {
                    self.flags.set_nzcv(value);
                    self.flags.q = value >> 27 & 1 != 0;
                }
                if fields & 1 != 0 {
                    self.flags.ge = (value >> 16 & 15) as u8;
                }
            }
            8 => self.set_stack_pointer(false, value),
            9 => self.set_stack_pointer(true, value),
            16 => self.primask = value & 1,
            17 => self.basepri = value & 0xFF,
            18 => {
                let value = value & 0xFF;
                if value != 0 && (value < self.basepri || self.basepri == 0) {
                    self.basepri = value;
                }
            }
            19 => self.faultmask = value & 1,
            20 => self.set_control(value),
            _ => {}
        }
    }

    fn set_control(&mut self, value: u32) {
        if (value ^ self.control) & 2 != 0 {
            let active = self.reg(SP);
            self.set(SP, self.other_sp);
            self.other_sp = active;
        }
        self.control = value & 7;
    }
}

fn words(precision: Precision) -> u32 {
    if precision == Precision::Double { 2 } else { 1 }
}

/// The registers of a list, in ascending order.
fn listed(list: u32) -> impl Iterator<Item = u8> {
    let mut rest = list;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let register = rest.trailing_zeros() as u8;
        rest &= rest - 1;
        Some(register)
    })
}

/// Bytes 0 and 2, sign-extended into halfwords.
fn sign_bytes(value: u32) -> u32 {
    let low = value as i8 as u16;
    let high = (value >> 16) as i8 as u16;
    u32::from(high) << 16 | u32::from(low)
}

/// Sum of each pair of halfwords.
fn add_halves(a: u32, b: u32) -> u32 {
    let low = a.wrapping_add(b) & 0xFFFF;
    (a & 0xFFFF_0000).wrapping_add(b & 0xFFFF_0000) | low
}
