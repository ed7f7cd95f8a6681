//! The cycle model: what each instruction costs on a Cortex-M4 whose flash has no wait states.
//!
//! The figures are those of the Cortex-M4 Technical Reference Manual (section 3.3), completed by
//! effects the manual only describes in words. [`CycleModel`] holds every one of them. Costs that
//! follow from the instruction and its address alone are worked out once, when it is decoded; what
//! depends on the instructions before it is added by [`Pipeline`] when it is issued, and what
//! depends on the memory it reaches, at the access.
//!
//! # Slow RAM
//! The RAM of a device need not be of one kind. On an STM32L4R5, programs run faster with their
//! stack in SRAM1 than in SRAM2 or SRAM3, which start at 0x2003_0000. The model knows two kinds: fast
//! RAM, and slow RAM, where two things cost a cycle more, once for each instruction:
//! - a read, unless the instruction directly in front read slow RAM too: reads in a row are
//!   pipelined, and only the first of them waits;
//! - a write, if the instruction directly in front wrote slow RAM: the write buffer hides the wait of
//!   a write, but not of the next one.
//!
//! [`SLOW_RAM`] says what is slow by default.
//!
//! # Where the rules come from
//! Three rules are not in the manual: the two above, and that a store behind a load costs nothing
//! where the manual's example has it cost a cycle. They, and the shortest of the manual's refills
//! (1 to 3 cycles), were found by comparing counted events with published cycles, as described with
//! the figures in `results/m4-validation.md`.

use crate::decode::{Class, Instruction, Mode, Op};
use crate::memory::Range;

/// The addresses whose RAM is slow where nothing else is chosen: those of SRAM2 and SRAM3 of an
/// STM32L4R5, and all RAM above. A stack at the end of a large RAM is then as slow as on that device.
pub const SLOW_RAM: Range = Range { base: 0x2003_0000, size: 0x1FFD_0000 };

/// Every parameter of the cycle model. They describe the core, never a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleModel {
    /// Cycles of an instruction with no cost of its own: data processing, every multiplication, a
    /// branch not taken, an instruction whose condition fails.
    pub simple: u8,
    /// Added for refilling the pipeline when a branch is taken.
    pub branch_refill: u8,
    /// Added when a branch leads to a 32-bit instruction at an address of 2 modulo 4, which takes
    /// two fetches.
    pub target_misaligned: u8,
    /// Added for the fetch that falls behind in a run of 32-bit instructions at 2 modulo 4 ...
    pub run_stall: u8,
    /// ... at the instruction with this number in the run, counted from 1.
    pub run_length: u8,
    /// Single load, alone.
    pub load: u8,
    /// Saved when a single load or store stands right behind a single load that does not produce its
    /// address: the two overlap. Instructions with base update never save it. At most `load` and
    /// `store`.
    pub load_overlap: u8,
    /// Single store, immediate offset.
    pub store: u8,
    /// Single store, register offset.
    pub store_register_offset: u8,
    /// Load into pc, without the refill.
    pub load_pc: u8,
    /// TBB and TBH, without the refill.
    pub table_branch: u8,
    /// Transfer of several words: this much and a cycle a word.
    pub multiple: u8,
    /// Added when the instruction in front is data processing that writes a register of the address.
    pub address_interlock: u8,
    /// IT that is not folded. Behind a 16-bit instruction it is folded and costs nothing.
    pub if_then: u8,
    /// Moves between core and floating-point registers, a word.
    pub fp_move: u8,
    /// Fewest cycles of UDIV and SDIV.
    pub divide_least: u8,
    /// Most cycles of UDIV and SDIV, for a quotient of 32 bits.
    pub divide_most: u8,
    /// Added for each additional transfer that an unaligned load is split into. Additional transfers
    /// of a store occupy the write buffer instead, and delay only the next memory access.
    pub split_transfer: u8,
    /// DMB, DSB, ISB, with nothing outstanding.
    pub barrier: u8,
    /// Added when an instruction reads slow RAM and the one in front did not.
    pub slow_read: u8,
    /// Added when an instruction writes slow RAM and the one in front did, too.
    pub slow_write: u8,
}

impl Default for CycleModel {
    fn default() -> Self {
        CycleModel {
            simple: 1,
            branch_refill: 1,
            target_misaligned: 1,
            run_stall: 1,
            run_length: 3,
            load: 2,
            load_overlap: 1,
            store: 1,
            store_register_offset: 2,
            load_pc: 3,
            table_branch: 4,
            multiple: 1,
            address_interlock: 1,
            if_then: 1,
            fp_move: 1,
            divide_least: 2,
            divide_most: 12,
            split_transfer: 1,
            barrier: 1,
            slow_read: 1,
            slow_write: 1,
        }
    }
}

impl CycleModel {
    /// Cycles of a division of `dividend` by `divisor` (both as magnitudes). The divider stops early:
    /// its work grows with the number of quotient bits.
    pub fn divide(&self, dividend: u32, divisor: u32) -> u64 {
        let least = u64::from(self.divide_least);
        if divisor == 0 || dividend < divisor {
            return least;
        }
        let quotient_bits = u64::from(divisor.leading_zeros() - dividend.leading_zeros() + 1);
        let span = u64::from(self.divide_most) - least;
        least + (quotient_bits * span).div_ceil(32)
    }

    /// What `instruction` costs at `address`, as far as that is fixed.
    pub(crate) fn cost(&self, instruction: &Instruction, address: u32) -> Cost {
        let class = instruction.class();
        let destinations = instruction.destinations();
        let computes =
            matches!(class, Class::Alu | Class::Multiply | Class::Divide | Class::FpMove);
        let single_load = class == Class::Load && instruction.op != Op::LdrPc;
        let single_store = class == Class::Store && !is_exclusive(instruction.op);
        Cost {
            cycles: self.base(instruction, class),
            overlaps: (single_load || single_store) && !instruction.writes_back(),
            memory: instruction.is_memory(),
            single_load,
            folds: class == Class::IfThen,
            short: instruction.size == 2,
            misaligned: instruction.size == 4 && address & 2 != 0,
            address: instruction.address_registers(),
            computed: if computes { destinations } else { 0 },
            loaded: if single_load { destinations } else { 0 },
        }
    }

    fn base(&self, instruction: &Instruction, class: Class) -> u8 {
        match class {
            _ if instruction.op == Op::LdrPc => self.load_pc,
            _ if matches!(instruction.op, Op::Tbb | Op::Tbh) => self.table_branch,
            _ if matches!(instruction.op, Op::Dmb | Op::Dsb | Op::Isb) => self.barrier,
            Class::Load => self.load,
            // A store exclusive reads a status like a load.
            Class::Store if is_exclusive(instruction.op) => self.load,
            Class::Store if instruction.mode == Mode::Register => self.store_register_offset,
            Class::Store => self.store,
            Class::LoadMultiple | Class::StoreMultiple => self.multiple + instruction.words() as u8,
            Class::IfThen => self.if_then,
            Class::FpMove if matches!(instruction.op, Op::VmovToPair | Op::VmovFromPair) => {
                2 * self.fp_move
            }
            Class::FpMove => self.fp_move,
            // The cycles of a division are added when its operands are known.
            Class::Divide => 0,
            _ => self.simple,
        }
    }
}

fn is_exclusive(store: Op) -> bool {
    !matches!(store, Op::Str | Op::Strb | Op::Strh)
}

/// The fixed part of an instruction's cost, and what it means to its neighbours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    cycles: u8,
    /// May overlap with a single load in front of it.
    overlaps: bool,
    memory: bool,
    single_load: bool,
    /// Is an IT.
    folds: bool,
    short: bool,
    /// 32 bits at 2 modulo 4.
    misaligned: bool,
    /// Registers that form an address.
    address: u16,
    /// Registers written by computation.
    computed: u16,
    /// Registers written by a single load.
    loaded: u16,
}

impl Cost {
    pub(crate) const NONE: Cost = Cost {
        cycles: 0,
        overlaps: false,
        memory: false,
        single_load: false,
        folds: false,
        short: false,
        misaligned: false,
        address: 0,
        computed: 0,
        loaded: 0,
    };
}

/// What an instruction did to slow RAM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Slow {
    #[default]
    Nothing,
    Read,
    Write,
}

/// What the instructions already issued mean for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipeline {
    computed: u16,
    loaded: u16,
    behind_load: bool,
    behind_short: bool,
    refilled: bool,
    run: u8,
    write_buffer_free_at: u64,
    /// Of the instruction in front, and of the one being executed.
    slow_before: Slow,
    slow_now: Slow,
}

impl Pipeline {
    /// Cycles of the instruction with `cost`, issued at cycle `now`.
    #[inline(always)]
    pub(crate) fn issue(&mut self, cost: &Cost, model: &CycleModel, now: u64) -> u64 {
        if cost.folds && self.behind_short {
            // A folded IT occupies no slot: the instruction behind it sees the one in front.
            self.run = 0;
            return 0;
        }
        let mut cycles = u64::from(cost.cycles) + self.fetch_stall(cost, model);
        if self.computed & cost.address != 0 {
            cycles += u64::from(model.address_interlock);
        }
        if cost.overlaps && self.behind_load && self.loaded & cost.address == 0 {
            cycles -= u64::from(model.load_overlap);
        }
        if cost.memory && now < self.write_buffer_free_at {
            cycles += self.write_buffer_free_at - now;
        }
        self.slow_before = std::mem::take(&mut self.slow_now);
        self.computed = cost.computed;
        self.loaded = cost.loaded;
        self.behind_load = cost.single_load;
        self.behind_short = cost.short;
        cycles
    }

    /// Cycles of an instruction whose condition fails.
    pub(crate) fn skip(&mut self, cost: &Cost, model: &CycleModel) -> u64 {
        let stall = self.fetch_stall(cost, model);
        self.slow_now = Slow::Nothing;
        self.computed = 0;
        self.loaded = 0;
        self.behind_load = false;
        self.behind_short = cost.short;
        u64::from(model.simple) + stall
    }

    #[inline(always)]
    fn fetch_stall(&mut self, cost: &Cost, model: &CycleModel) -> u64 {
        let refilled = std::mem::take(&mut self.refilled);
        if !cost.misaligned {
            self.run = 0;
            return 0;
        }
        self.run = self.run.saturating_add(1);
        let behind = if self.run == model.run_length { model.run_stall } else { 0 };
        let target = if refilled { model.target_misaligned } else { 0 };
        u64::from(behind + target)
    }

    /// Cycles added by a taken branch, which empties the pipeline.
    #[inline(always)]
    pub(crate) fn refill(&mut self, model: &CycleModel) -> u64 {
        self.computed = 0;
        self.loaded = 0;
        self.behind_load = false;
        self.behind_short = false;
        self.refilled = true;
        self.run = 0;
        self.slow_now = Slow::Nothing;
        u64::from(model.branch_refill)
    }

    /// Cycles added by an access to slow RAM. An instruction that transfers several words calls this
    /// for each; only the first can cost anything.
    #[inline(always)]
    pub(crate) fn slow_access(&mut self, access: Slow, model: &CycleModel) -> u64 {
        if self.slow_now == access {
            return 0;
        }
        self.slow_now = access;
        let repeats = self.slow_before == access;
        u64::from(match access {
            Slow::Read if !repeats => model.slow_read,
            Slow::Write if repeats => model.slow_write,
            _ => 0,
        })
    }

    /// Notes that a store is split into `extra` more transfers, in the buffer behind cycle `now`.
    pub(crate) fn split_store(&mut self, extra: u32, model: &CycleModel, now: u64) {
        self.write_buffer_free_at = now + u64::from(extra) * u64::from(model.split_transfer);
    }
}

/// Additional transfers of an access of `size` bytes at an unaligned address: a halfword at an odd
/// address goes as two bytes, a word as two halfwords or as byte, halfword, byte.
pub(crate) fn extra_transfers(address: u32, size: u32) -> u32 {
    match (size, address & 3) {
        (2, 1 | 3) | (4, 2) => 1,
        (4, 1 | 3) => 2,
        _ => 0,
    }
}
