//! What a leakage model, a profiler or a tracer can see of a run.

use crate::decode::{Instruction, SP};

/// Sees every executed instruction and every word transferred to or from memory.
///
/// The simulator is compiled separately for each observer, so a run with [`Silent`] pays nothing.
pub trait Observer {
    /// Whether the simulator collects anything at all for this observer.
    const ACTIVE: bool = true;

    /// A transfer, reported while the instruction that makes it executes. Multi-register transfers
    /// report each word in the order of the bus.
    fn access(&mut self, _access: &Access) {}

    /// An instruction has been executed, after its accesses.
    fn instruction(&mut self, _record: &Record<'_>) {}
}

/// The observer that looks at nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    const ACTIVE: bool = false;
}

impl<O: Observer> Observer for &mut O {
    const ACTIVE: bool = O::ACTIVE;

    fn access(&mut self, access: &Access) {
        O::access(self, access);
    }

    fn instruction(&mut self, record: &Record<'_>) {
        O::instruction(self, record);
    }
}

/// Two observers of the same run.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;

    fn access(&mut self, access: &Access) {
        self.0.access(access);
        self.1.access(access);
    }

    fn instruction(&mut self, record: &Record<'_>) {
        self.0.instruction(record);
        self.1.instruction(record);
    }
}

/// One transfer between core and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Address of the instruction.
    pub pc: u32,
    /// First byte transferred.
    pub address: u32,
    /// Bytes transferred: 1, 2 or 4.
    pub size: u32,
    /// Whether memory was written.
    pub write: bool,
    /// The datum, before any sign extension.
    pub value: u32,
    /// What the 32 data lines carry. A read brings the whole aligned word around the address; a
    /// narrow write repeats its datum on every lane. For unaligned accesses, which the core splits,
    /// this is the datum itself.
    pub bus: u32,
    /// The aligned word around `address` before the access.
    pub old: u32,
}

/// One executed instruction.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Its address.
    pub pc: u32,
    /// The instruction.
    pub instruction: Instruction,
    /// Whether it took effect; false where the condition of an IT block fails.
    pub executed: bool,
    /// Cycle count before it.
    pub cycles_before: u64,
    /// Cycle count behind it.
    pub cycles_after: u64,
    /// Operand values in the positions of [`Instruction::operand_positions`].
    pub operands: [Option<u32>; 3],
    /// Second operand behind the shifter, where the instruction has a shifted register.
    pub shifted: Option<u32>,
    /// What the first destination register (`rd`) holds behind the instruction.
    pub result: Option<u32>,
    /// What it held before.
    pub overwritten: Option<u32>,
    /// Second destination of 64-bit results and LDRD: new and old content.
    pub high: Option<(u32, u32)>,
    /// Address of the instruction that follows.
    pub next: u32,
    /// Core registers r0 to r14 behind the instruction; entry 15 holds no register.
    pub registers: &'a [u32; 16],
    /// Single-precision registers behind the instruction.
    pub fp: &'a [u32; 32],
}

impl Record<'_> {
    /// The stack pointer behind the instruction.
    pub fn sp(&self) -> u32 {
        self.registers[usize::from(SP)]
    }

    /// Whether the next instruction is not the one behind this one.
    pub fn jumps(&self) -> bool {
        self.next != self.pc.wrapping_add(u32::from(self.instruction.size))
    }
}
