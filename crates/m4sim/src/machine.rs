//! The processor: its state, the instruction loop, and its way to memory.

use crate::alu;
use crate::decode::{Condition, FlagRule, Instruction, LR, Op, Operand, PC, SP, decode};
use crate::fault::{Fault, FaultKind, Step, Stop, Trap, fault};
use crate::memory::{Memory, Range, WriteError};
use crate::observer::{Access, Observer, Record};
use crate::semihosting::Host;
use crate::system::{SYSTEM, System};
use crate::timing::{Cost, CycleModel, Pipeline, SLOW_RAM, Slow, extra_transfers};

/// Entries of the cache for instructions outside the main flash; a power of two.
const LOOSE_ENTRIES: usize = 4096;

/// Core registers, pc included.
const REGISTERS: usize = 16;

/// A Cortex-M4 with its memories.
#[derive(Debug)]
pub struct Machine {
    pub(crate) registers: [u32; REGISTERS],
    pub(crate) flags: Flags,
    pub(crate) it: u8,
    pub(crate) fp: [u32; 32],
    pub(crate) fpscr: u32,
    /// The stack pointer that is not in use: PSP while MSP is active, and the other way round.
    pub(crate) other_sp: u32,
    pub(crate) control: u32,
    pub(crate) primask: u32,
    pub(crate) basepri: u32,
    pub(crate) faultmask: u32,
    pub(crate) exclusive: bool,
    pub(crate) pc: u32,
    /// Address of the instruction that follows the one being executed.
    pub(crate) next: u32,
    jumped_from: u32,
    memory: Memory,
    slow_ram: Range,
    pub(crate) system: System,
    code: Code,
    pub(crate) model: CycleModel,
    pub(crate) pipeline: Pipeline,
    pub(crate) cycles: u64,
    instructions: u64,
    pub(crate) host: Host,
}

/// The condition flags, the saturation flag and the GE bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) n: bool,
    pub(crate) z: bool,
    pub(crate) c: bool,
    pub(crate) v: bool,
    pub(crate) q: bool,
    pub(crate) ge: u8,
}

impl Flags {
    /// The flags as APSR bits.
    pub(crate) fn bits(self) -> u32 {
        u32::from(self.n) << 31
            | u32::from(self.z) << 30
            | u32::from(self.c) << 29
            | u32::from(self.v) << 28
            | u32::from(self.q) << 27
            | u32::from(self.ge) << 16
    }

    /// Takes N, Z, C and V from APSR bits.
    pub(crate) fn set_nzcv(&mut self, bits: u32) {
        self.n = bits >> 31 & 1 != 0;
        self.z = bits >> 30 & 1 != 0;
        self.c = bits >> 29 & 1 != 0;
        self.v = bits >> 28 & 1 != 0;
    }

    pub(crate) fn passes(self, condition: Condition) -> bool {
        match condition {
            Condition::Eq => self.z,
            Condition::Ne => !self.z,
            Condition::Cs => self.c,
            Condition::Cc => !self.c,
            Condition::Mi => self.n,
            Condition::Pl => !self.n,
            Condition::Vs => self.v,
            Condition::Vc => !self.v,
            Condition::Hi => self.c && !self.z,
            Condition::Ls => !self.c || self.z,
            Condition::Ge => self.n == self.v,
            Condition::Lt => self.n != self.v,
            Condition::Gt => !self.z && self.n == self.v,
            Condition::Le => self.z || self.n != self.v,
            Condition::Al => true,
        }
    }
}

/// A decoded instruction with the fixed part of its cost.
#[derive(Clone, Copy, Debug)]
struct Slot {
    instruction: Instruction,
    cost: Cost,
}

impl Slot {
    const EMPTY: Slot = Slot { instruction: Instruction::of(Op::Undecoded), cost: Cost::NONE };

    fn new(machine: &Machine, [first, second]: [u16; 2]) -> Self {
        let instruction = decode(first, second);
        Slot { instruction, cost: machine.model.cost(&instruction, machine.pc) }
    }
}

/// Decoded instructions. The main flash has a slot for every halfword. Code elsewhere, in RAM above
/// all, shares a small cache whose entries are compared with memory at each use, so that a program
/// may write code.
#[derive(Debug, Default)]
struct Code {
    base: u32,
    slots: Vec<Slot>,
    loose: Vec<Loose>,
}

#[derive(Clone, Copy, Debug)]
struct Loose {
    address: u32,
    halfwords: [u16; 2],
    slot: Slot,
}

impl Machine {
    /// A machine with these memories in the state after reset: the stack pointer and the start
    /// address come from the vector table at `vectors`. Decoded instructions are kept for the
    /// read-only memory that holds the start address.
    pub fn new(memory: Memory, vectors: u32, host: Host) -> Result<Self, String> {
        let missing = || format!("no vector table at {vectors:#010x}");
        let sp = memory.word(vectors).ok_or_else(missing)?;
        let reset = memory.word(vectors.wrapping_add(4)).ok_or_else(missing)?;
        if reset & 1 == 0 {
            return Err(format!(
                "the vector table at {vectors:#010x} starts with {sp:#010x}, {reset:#010x}: \
                 the reset vector lacks the Thumb bit"
            ));
        }
        let start = reset & !1;
        let code = Code::new(memory.rom().find(|rom| rom.holds(start, 2)));
        let mut machine = Machine {
            registers: [0; REGISTERS],
            flags: Flags::default(),
            it: 0,
            fp: [0; 32],
            fpscr: 0,
            other_sp: 0,
            control: 0,
            primask: 0,
            basepri: 0,
            faultmask: 0,
            exclusive: false,
            pc: start,
            next: start,
            jumped_from: start,
            memory,
            slow_ram: SLOW_RAM,
            system: System::default(),
            code,
            model: CycleModel::default(),
            pipeline: Pipeline::default(),
            cycles: 0,
            instructions: 0,
            host,
        };
        machine.registers[usize::from(SP)] = sp & !3;
        machine.registers[usize::from(LR)] = u32::MAX;
        Ok(machine)
    }

    /// Replaces the cycle model. To be called before the first instruction: the costs of decoded
    /// instructions are kept.
    pub fn set_model(&mut self, model: CycleModel) {
        self.model = model;
    }

    /// Chooses the addresses whose RAM is slow, instead of [`SLOW_RAM`]; of size 0 for none.
    pub fn set_slow_ram(&mut self, range: Range) {
        self.slow_ram = range;
    }

    /// Core register `index` (0 to 15); for 15 the address of the next instruction.
    pub fn register(&self, index: u8) -> u32 {
        if index == PC { self.pc } else { self.registers[usize::from(index & 15)] }
    }

    /// Single-precision register `index` (0 to 31).
    pub fn fp_register(&self, index: u8) -> u32 {
        self.fp[usize::from(index & 31)]
    }

    /// The application program status register.
    pub fn apsr(&self) -> u32 {
        self.flags.bits()
    }

    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// Cycles since reset.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Instructions executed since reset, skipped ones included.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// The memories.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The memories, for a host that places data in them. Flash that has been executed must not be
    /// replaced.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Runs until the program stops or `instructions` more have been executed.
    pub fn run<O: Observer>(&mut self, instructions: u64, observer: &mut O) -> Stop {
        let end = self.instructions.saturating_add(instructions);
        // Out of `self` for the time being, so that instructions need not be copied to be executed.
        let mut code = std::mem::take(&mut self.code);
        let mut outcome = Ok(());
        while outcome.is_ok() && self.instructions < end {
            outcome = self.step_in(&mut code, observer);
        }
        self.code = code;
        outcome.map_or_else(|trap| self.stop(*trap), |()| Stop::Limit)
    }

    /// Executes one instruction; `Some` when the program stops there.
    pub fn step<O: Observer>(&mut self, observer: &mut O) -> Option<Stop> {
        match self.run(1, observer) {
            Stop::Limit => None,
            stop => Some(stop),
        }
    }

    fn stop(&self, trap: Trap) -> Stop {
        match trap {
            Trap::Exit(status) => Stop::Exit(status),
            Trap::Fault(kind @ FaultKind::Fetch { .. }) => {
                Stop::Fault(Fault { kind, pc: self.jumped_from })
            }
            Trap::Fault(kind) => Stop::Fault(Fault { kind, pc: self.pc }),
        }
    }

    /// The instruction at `address`, or `None` where there is no memory.
    pub fn instruction_at(&self, address: u32) -> Option<Instruction> {
        self.halfwords(address).map(|[first, second]| decode(first, second))
    }

    /// The instruction's halfwords; the second is 0 behind a 16-bit instruction.
    pub fn halfwords(&self, address: u32) -> Option<[u16; 2]> {
        let halfword = |a: u32| self.memory.read::<2>(a).map(u16::from_le_bytes);
        let first = halfword(address)?;
        let wide = crate::decode::is_wide(first);
        let second = if wide { halfword(address.wrapping_add(2))? } else { 0 };
        Some([first, second])
    }

    #[inline(always)]
    fn step_in<O: Observer>(&mut self, code: &mut Code, observer: &mut O) -> Step<()> {
        let slot = code.fetch(self)?;
        if self.it != 0 {
            return self.step_conditional(*slot, observer);
        }
        self.perform(slot, true, observer)
    }

    /// One instruction of an IT block.
    fn step_conditional<O: Observer>(&mut self, mut slot: Slot, observer: &mut O) -> Step<()> {
        let passes = self.advance_it() || slot.instruction.op == Op::Bkpt;
        if slot.instruction.flags == FlagRule::SetOutsideIt {
            slot.instruction.flags = FlagRule::Keep;
        }
        self.perform(&slot, passes, observer)
    }

    #[inline(always)]
    fn perform<O: Observer>(&mut self, slot: &Slot, passes: bool, observer: &mut O) -> Step<()> {
        let instruction = &slot.instruction;
        self.next = self.pc.wrapping_add(u32::from(instruction.size));
        self.registers[usize::from(PC)] = self.pc.wrapping_add(4);
        let before = if O::ACTIVE { Some(self.before(instruction)) } else { None };
        let cycles_before = self.cycles;
        if passes {
            self.cycles += self.pipeline.issue(&slot.cost, &self.model, self.cycles);
            self.execute(instruction, observer)?;
        } else {
            self.cycles += self.pipeline.skip(&slot.cost, &self.model);
        }
        if let Some(before) = before {
            observer.instruction(&self.record(instruction, before, passes, cycles_before));
        }
        self.pc = self.next;
        self.instructions += 1;
        Ok(())
    }

    /// Moves on in the IT block; whether the current instruction's condition passes.
    fn advance_it(&mut self) -> bool {
        let passes = self.flags.passes(Condition::from_bits(self.it >> 4));
        self.it = if self.it & 7 == 0 { 0 } else { self.it & 0xE0 | (self.it << 1) & 0x1F };
        passes
    }

    fn before(&self, instruction: &Instruction) -> Before {
        let value = |operand| match operand {
            Operand::None => None,
            Operand::Core(register) => Some(self.registers[usize::from(register & 15)]),
            Operand::Fp(register) => Some(self.fp[usize::from(register & 31)]),
            Operand::Immediate(value) => Some(value),
        };
        Before {
            operands: instruction.operand_positions().map(value),
            shifted: self.shifter_output(instruction),
            low: self.destination(instruction, instruction.rd),
            high: self.destination(instruction, instruction.ra),
        }
    }

    fn shifter_output(&self, instruction: &Instruction) -> Option<u32> {
        let Instruction { shift, amount, rn, rm, .. } = *instruction;
        let [n, m] = [rn, rm].map(|register| self.registers[usize::from(register & 15)]);
        let carry = self.flags.c;
        match instruction.op {
            Op::ShiftReg => Some(alu::shift_register(n, shift, m, carry).0),
            Op::Ssat | Op::Usat => Some(alu::shift_immediate(n, shift, amount, carry).0),
            _ if instruction.shifts_second_operand() => {
                Some(alu::shift_immediate(m, shift, amount, carry).0)
            }
            _ => None,
        }
    }

    /// Content of `register` where `instruction` writes it.
    fn destination(&self, instruction: &Instruction, register: u8) -> Option<u32> {
        match instruction.op {
            Op::VmovToSingle | Op::VmovReg | Op::VmovImm | Op::Vldr(_) => {
                Some(self.fp[usize::from(instruction.rd & 31)])
            }
            Op::Ldmia | Op::Ldmdb => None,
            _ if instruction.destinations() & (1 << (register & 15)) != 0 => {
                Some(self.registers[usize::from(register & 15)])
            }
            _ => None,
        }
    }

    fn record(
        &self,
        instruction: &Instruction,
        before: Before,
        executed: bool,
        cycles_before: u64,
    ) -> Record<'_> {
        let wide = before.high.is_some() && instruction.ra != instruction.rd;
        let high = self.destination(instruction, instruction.ra);
        Record {
            pc: self.pc,
            instruction: *instruction,
            executed,
            cycles_before,
            cycles_after: self.cycles,
            operands: before.operands,
            shifted: before.shifted,
            result: self.destination(instruction, instruction.rd),
            overwritten: before.low,
            high: if wide { high.zip(before.high) } else { None },
            next: self.next,
            registers: &self.registers,
            fp: &self.fp,
        }
    }

    /// Continues at `target` (bit 0 ignored) and pays for the refill.
    #[inline(always)]
    pub(crate) fn branch(&mut self, target: u32) {
        self.jumped_from = self.pc;
        self.next = target & !1;
        self.cycles += self.pipeline.refill(&self.model);
    }

    /// Continues at `target`, whose bit 0 must ask for Thumb state.
    #[inline(always)]
    pub(crate) fn branch_exchange(&mut self, target: u32) -> Step<()> {
        if target & 1 == 0 {
            return fault(FaultKind::NotThumb { target });
        }
        self.branch(target);
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn load_word<O: Observer>(&mut self, address: u32, observer: &mut O) -> Step<u32> {
        let value = match self.memory.read::<4>(address) {
            Some(bytes) => u32::from_le_bytes(bytes),
            None => self.load_elsewhere(address, 4)?,
        };
        self.note_load(address, 4, value, observer);
        Ok(value)
    }

    #[inline(always)]
    pub(crate) fn load_half<O: Observer>(&mut self, address: u32, observer: &mut O) -> Step<u32> {
        let value = match self.memory.read::<2>(address) {
            Some(bytes) => u32::from(u16::from_le_bytes(bytes)),
            None => self.load_elsewhere(address, 2)?,
        };
        self.note_load(address, 2, value, observer);
        Ok(value)
    }

    #[inline(always)]
    pub(crate) fn load_byte<O: Observer>(&mut self, address: u32, observer: &mut O) -> Step<u32> {
        let value = match self.memory.read::<1>(address) {
            Some([byte]) => u32::from(byte),
            None => self.load_elsewhere(address, 1)?,
        };
        self.note_load(address, 1, value, observer);
        Ok(value)
    }

    #[inline(always)]
    fn note_load<O: Observer>(&mut self, address: u32, size: u32, value: u32, observer: &mut O) {
        self.wait(address, Slow::Read);
        if address & (size - 1) != 0 {
            let extra = extra_transfers(address, size) as u8 * self.model.split_transfer;
            self.cycles += u64::from(extra);
        }
        if O::ACTIVE {
            let old = self.aligned_word(address, value);
            let bus = if address & (size - 1) == 0 { old } else { value };
            let pc = self.pc;
            observer.access(&Access { pc, address, size, write: false, value, bus, old });
        }
    }

    /// Pays for an access where it reaches slow RAM.
    #[inline(always)]
    fn wait(&mut self, address: u32, access: Slow) {
        if self.slow_ram.holds(address, 1) {
            self.cycles += self.pipeline.slow_access(access, &self.model);
        }
    }

    /// The aligned word around `address`; outside the memories `otherwise`.
    fn aligned_word(&self, address: u32, otherwise: u32) -> u32 {
        self.memory.word(address & !3).unwrap_or(otherwise)
    }

    /// Loads from the system registers, and accesses across the border of two memories.
    #[cold]
    fn load_elsewhere(&mut self, address: u32, size: u32) -> Step<u32> {
        if SYSTEM.holds(address, size) {
            let word = self.system.read(address & !3, self.cycles);
            let value = word >> (8 * (address & 3));
            return Ok(if size == 4 { value } else { value & ((1 << (8 * size)) - 1) });
        }
        let bytes = (0..size).map(|i| self.memory.byte(address.wrapping_add(i)));
        let value = bytes.rev().try_fold(0u32, |word, byte| byte.map(|b| word << 8 | u32::from(b)));
        match value {
            Some(value) => Ok(value),
            None => fault(FaultKind::Read { address, size }),
        }
    }

    #[inline(always)]
    pub(crate) fn store_word<O: Observer>(
        &mut self,
        address: u32,
        value: u32,
        observer: &mut O,
    ) -> Step<()> {
        self.store(address, value.to_le_bytes(), value, observer)
    }

    #[inline(always)]
    pub(crate) fn store_half<O: Observer>(
        &mut self,
        address: u32,
        value: u32,
        observer: &mut O,
    ) -> Step<()> {
        self.store(address, (value as u16).to_le_bytes(), value & 0xFFFF, observer)
    }

    #[inline(always)]
    pub(crate) fn store_byte<O: Observer>(
        &mut self,
        address: u32,
        value: u32,
        observer: &mut O,
    ) -> Step<()> {
        self.store(address, [value as u8], value & 0xFF, observer)
    }

    #[inline(always)]
    fn store<const N: usize, O: Observer>(
        &mut self,
        address: u32,
        bytes: [u8; N],
        value: u32,
        observer: &mut O,
    ) -> Step<()> {
        let size = N as u32;
        if O::ACTIVE {
            let old = self.aligned_word(address, 0);
            let lanes = [0x0101_0101, 0x0001_0001, 0, 1][N - 1];
            let bus = if address & (size - 1) == 0 { value * lanes } else { value };
            let pc = self.pc;
            observer.access(&Access { pc, address, size, write: true, value, bus, old });
        }
        if let Err(error) = self.memory.write(address, bytes) {
            self.store_elsewhere(address, &bytes, error)?;
        }
        self.wait(address, Slow::Write);
        if address & (size - 1) != 0 {
            let extra = extra_transfers(address, size);
            self.pipeline.split_store(extra, &self.model, self.cycles);
        }
        Ok(())
    }

    #[cold]
    fn store_elsewhere(&mut self, address: u32, bytes: &[u8], error: WriteError) -> Step<()> {
        let size = bytes.len() as u32;
        if error == WriteError::ReadOnly {
            return fault(FaultKind::ReadOnly { address });
        }
        if SYSTEM.holds(address, size) {
            // Narrow writes reach no modelled register.
            if let Ok(word) = bytes.try_into() {
                self.system.write(address & !3, u32::from_le_bytes(word), self.cycles);
            }
            return Ok(());
        }
        match self.memory.copy_in(address, bytes) {
            Ok(()) => Ok(()),
            Err(_) => fault(FaultKind::Write { address, size }),
        }
    }
}

/// What a [`Record`] needs from before the instruction.
struct Before {
    operands: [Option<u32>; 3],
    shifted: Option<u32>,
    low: Option<u32>,
    high: Option<u32>,
}

impl Code {
    fn new(main: Option<Range>) -> Self {
        let (base, size) = main.map_or((0, 0), |rom| (rom.base, rom.size));
        let empty = Loose { address: u32::MAX, halfwords: [0; 2], slot: Slot::EMPTY };
        Code {
            base,
            slots: vec![Slot::EMPTY; size as usize / 2],
            loose: vec![empty; LOOSE_ENTRIES],
        }
    }

    /// The instruction at the machine's pc.
    #[inline(always)]
    fn fetch(&mut self, machine: &Machine) -> Step<&Slot> {
        let index = (machine.pc.wrapping_sub(self.base) >> 1) as usize;
        let known = self.slots.get(index).is_some_and(|s| s.instruction.op != Op::Undecoded);
        if known { Ok(&self.slots[index]) } else { self.fetch_new(machine, index) }
    }

    #[cold]
    fn fetch_new(&mut self, machine: &Machine, index: usize) -> Step<&Slot> {
        let address = machine.pc;
        let Some(halfwords) = machine.halfwords(address) else {
            return fault(FaultKind::Fetch { address });
        };
        if index >= self.slots.len() {
            return Ok(self.fetch_loose(machine, halfwords));
        }
        let slot = &mut self.slots[index];
        *slot = Slot::new(machine, halfwords);
        Ok(slot)
    }

    fn fetch_loose(&mut self, machine: &Machine, halfwords: [u16; 2]) -> &Slot {
        let address = machine.pc;
        let entry = &mut self.loose[(address >> 1) as usize % LOOSE_ENTRIES];
        if entry.address != address || entry.halfwords != halfwords {
            *entry = Loose { address, halfwords, slot: Slot::new(machine, halfwords) };
        }
        &entry.slot
    }
}
