//! The observer that turns executed instructions into pairs of values that meet.

use crate::model::{Model, Models, Place};
use m4sim::decode::{Class, Instruction, Op};
use m4sim::{Access, Observer, Record};
use serde::{Deserialize, Serialize};

/// First address of RAM; everything below is code memory, which has read lines of its own.
const RAM: u32 = 0x2000_0000;
/// Most transfers of one instruction: VLDM of 32 registers.
const MOST_ACCESSES: usize = 32;

/// A value and where it comes from. A run that only wants samples has `()` for the origin and pays
/// nothing for it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Word<T> {
    /// The value.
    pub value: u32,
    /// Its origin.
    pub origin: T,
}

/// Takes the pairs of values that meet.
pub trait Sink<T: Copy + Default> {
    /// `old` and `new` meet.
    fn meet(&mut self, model: Model, place: Place, old: Word<T>, new: Word<T>);

    /// Origin of the content of the word at `address`, which the instruction of origin `writer`
    /// is about to write.
    fn overwrite_memory(&mut self, address: u32, writer: T) -> T {
        let _ = (address, writer);
        T::default()
    }
}

/// How an instruction moved between functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Move {
    /// Not at all, or by a plain branch.
    #[default]
    None,
    /// By a call.
    Call,
    /// By a jump to an address from a register or from memory, which may be a return.
    MayReturn,
}

/// What persists from one instruction to the next.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Latches<T> {
    registers: [u32; 16],
    writers: [T; 16],
    fp: [u32; 32],
    fp_writers: [T; 32],
    operands: [Word<T>; 3],
    load_store: Word<T>,
    ram_read: Word<T>,
    ram_write: Word<T>,
    code_read: Word<T>,
    shifter: Word<T>,
    multiplier: [Word<T>; 2],
}

/// An observer that hands the pairs of values that meet to its sink, in a fixed order.
#[derive(Clone, Debug)]
pub struct Probe<T, S> {
    models: Models,
    pub(crate) latches: Latches<T>,
    accesses: [u32; MOST_ACCESSES],
    count: usize,
    pub(crate) moved: Move,
    /// Origin of what the next instruction makes.
    pub here: T,
    /// Where the pairs go.
    pub sink: S,
}

impl<T: Copy + Default, S: Sink<T>> Probe<T, S> {
    /// A probe with cleared latches.
    pub fn new(models: Models, sink: S) -> Self {
        Probe {
            models,
            latches: Latches::default(),
            accesses: [0; MOST_ACCESSES],
            count: 0,
            moved: Move::None,
            here: T::default(),
            sink,
        }
    }

    fn bus(&mut self, access: &Access) {
        let new = Word { value: access.bus, origin: self.here };
        let latches = &mut self.latches;
        let (place, lines) = match (access.address < RAM, access.write) {
            (true, _) => (Place::CodeRead, &mut latches.code_read),
            (false, false) => (Place::RamRead, &mut latches.ram_read),
            (false, true) => (Place::RamWrite, &mut latches.ram_write),
        };
        let old = std::mem::replace(&mut latches.load_store, new);
        let old_lines = std::mem::replace(lines, new);
        if self.models.contain(Model::Bus) {
            self.sink.meet(Model::Bus, Place::LoadStore, old, new);
            self.sink.meet(Model::Bus, place, old_lines, new);
        }
    }

    fn overwrite(&mut self, access: &Access) {
        let address = access.address & !3;
        let old =
            Word { value: access.old, origin: self.sink.overwrite_memory(address, self.here) };
        if self.models.contain(Model::Memory) {
            let value = merge(access.old, access);
            self.sink.meet(Model::Memory, Place::Word, old, Word { value, origin: self.here });
        }
    }

    fn transfer(&mut self, access: &Access) {
        if self.models.contain(Model::Transfer) && self.count > 0 {
            let origin = self.here;
            let old = Word { value: self.accesses[self.count - 1], origin };
            let place = Place::Between(self.count as u8 - 1);
            self.sink.meet(Model::Transfer, place, old, Word { value: access.value, origin });
        }
        self.accesses[self.count % MOST_ACCESSES] = access.value;
        self.count += 1;
    }

    fn operands(&mut self, record: &Record<'_>) {
        let origin = self.here;
        for (k, operand) in record.operands.iter().enumerate() {
            let &Some(value) = operand else { continue };
            let new = Word { value, origin };
            let old = std::mem::replace(&mut self.latches.operands[k], new);
            if self.models.contain(Model::Operands) {
                self.sink.meet(Model::Operands, Place::Operand(k as u8), old, new);
            }
        }
    }

    fn functional_units(&mut self, record: &Record<'_>) {
        let origin = self.here;
        if let Some(value) = record.shifted {
            let new = Word { value, origin };
            let old = std::mem::replace(&mut self.latches.shifter, new);
            if self.models.contain(Model::Shifter) {
                self.sink.meet(Model::Shifter, Place::ShifterOutput, old, new);
            }
        }
        if record.instruction.class() == Class::Multiply {
            let outputs = [record.result, record.high.map(|(new, _)| new)];
            for (k, value) in outputs.into_iter().enumerate() {
                let Some(value) = value else { continue };
                let new = Word { value, origin };
                let old = std::mem::replace(&mut self.latches.multiplier[k], new);
                if self.models.contain(Model::Shifter) {
                    self.sink.meet(Model::Shifter, Place::Multiplier(k as u8), old, new);
                }
            }
        }
    }

    /// A register takes a result: alone, and over what it held.
    fn write(&mut self, place: Place, old: Word<T>, value: u32) {
        let new = Word { value, origin: self.here };
        if self.models.contain(Model::Value) {
            self.sink.meet(Model::Value, place, Word { value: 0, origin: new.origin }, new);
        }
        if self.models.contain(Model::Result) {
            self.sink.meet(Model::Result, place, old, new);
        }
    }

    fn results(&mut self, record: &Record<'_>) {
        let i = &record.instruction;
        match i.op {
            Op::Ldmia | Op::Ldmdb => self.loaded_core(record),
            Op::Vldm(_) | Op::Vldr(_) => self.loaded_fp(record),
            Op::VmovToPair => {
                let values =
                    [record.operands[0], record.operands[1]].map(Option::unwrap_or_default);
                self.write_fp(i.rd, &values);
            }
            _ => self.single_results(record),
        }
    }

    fn single_results(&mut self, record: &Record<'_>) {
        let i = &record.instruction;
        let to_fp = matches!(i.op, Op::VmovToSingle | Op::VmovReg | Op::VmovImm);
        if let (Some(value), Some(old)) = (record.result, record.overwritten) {
            let writers =
                if to_fp { &self.latches.fp_writers[..] } else { &self.latches.writers[..] };
            let origin = writers[usize::from(i.rd) % writers.len()];
            self.write(Place::Destination, Word { value: old, origin }, value);
        }
        if let Some((value, old)) = record.high {
            let origin = self.latches.writers[usize::from(i.ra & 15)];
            self.write(Place::FurtherDestination(1), Word { value: old, origin }, value);
        }
        if to_fp {
            self.latches.fp_writers[usize::from(i.rd & 31)] = self.here;
        }
    }

    fn loaded_core(&mut self, record: &Record<'_>) {
        let listed = (0..16).filter(|register| record.instruction.imm & 1 << register != 0);
        for (k, register) in listed.enumerate() {
            let old = Word {
                value: self.latches.registers[register],
                origin: self.latches.writers[register],
            };
            let value = self.accesses[k % MOST_ACCESSES];
            self.write(Place::FurtherDestination(k as u8), old, value);
        }
    }

    fn loaded_fp(&mut self, record: &Record<'_>) {
        let values = self.accesses;
        self.write_fp(record.instruction.rd, &values[..self.count.min(MOST_ACCESSES)]);
    }

    fn write_fp(&mut self, first: u8, values: &[u32]) {
        for (k, &value) in values.iter().enumerate() {
            let register = (usize::from(first) + k) % 32;
            let old = Word {
                value: self.latches.fp[register],
                origin: self.latches.fp_writers[register],
            };
            self.write(Place::FurtherDestination(k as u8), old, value);
            self.latches.fp_writers[register] = self.here;
        }
    }

    fn remember(&mut self, record: &Record<'_>) {
        self.latches.registers = *record.registers;
        if touches_fp(&record.instruction) {
            self.latches.fp = *record.fp;
        }
        let mut written = record.instruction.destinations();
        while written != 0 {
            self.latches.writers[written.trailing_zeros() as usize] = self.here;
            written &= written - 1;
        }
    }
}

impl<T: Copy + Default, S: Sink<T>> Observer for Probe<T, S> {
    #[inline]
    fn access(&mut self, access: &Access) {
        self.bus(access);
        if access.write {
            self.overwrite(access);
        }
        self.transfer(access);
    }

    #[inline]
    fn instruction(&mut self, record: &Record<'_>) {
        self.moved = Move::None;
        if record.executed {
            self.operands(record);
            self.functional_units(record);
            self.results(record);
            self.remember(record);
            if record.jumps() {
                self.moved = how(&record.instruction);
            }
        }
        self.count = 0;
    }
}

fn how(instruction: &Instruction) -> Move {
    match instruction.op {
        _ if instruction.is_call() => Move::Call,
        Op::Bx | Op::MovPc | Op::LdrPc | Op::Ldmia | Op::Ldmdb => Move::MayReturn,
        _ => Move::None,
    }
}

fn touches_fp(instruction: &Instruction) -> bool {
    matches!(
        instruction.op,
        Op::VmovToSingle | Op::VmovToPair | Op::VmovReg | Op::VmovImm | Op::Vldr(_) | Op::Vldm(_)
    )
}

/// The aligned word behind a write. Of a write that crosses words, the part in the first.
fn merge(old: u32, access: &Access) -> u32 {
    let shift = 8 * (access.address & 3);
    let mask = u32::MAX >> (32 - 8 * access.size);
    old & !(mask << shift) | (access.value & mask) << shift
}
