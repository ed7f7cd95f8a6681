//! The chain of active function calls, followed from the outside.

use crate::decode::{Op, PC};
use crate::elf::Image;
use crate::observer::Record;

/// Index of a function in [`Image::functions`]; the number of functions stands for "none of them".
pub(crate) type FunctionId = usize;

/// Largest span of code for which every halfword has an entry in the table.
const LARGEST_TABLE: u32 = 64 << 20;

/// Looks up functions by address, quickly.
#[derive(Clone, Debug)]
pub(crate) struct FunctionMap {
    base: u32,
    /// Function of each halfword from `base` on.
    ids: Vec<u32>,
    entries: Vec<u32>,
}

impl FunctionMap {
    pub(crate) fn new(image: &Image) -> Self {
        let functions = image.functions();
        let base = functions.first().map_or(0, |f| f.address);
        let end = functions.iter().map(|f| f.address + f.size).max().unwrap_or(base);
        let unknown = functions.len() as u32;
        let mut ids = vec![unknown; ((end - base).min(LARGEST_TABLE) / 2) as usize];
        for (id, function) in functions.iter().enumerate() {
            let first = ((function.address - base) / 2) as usize;
            let last = (first + function.size as usize / 2).min(ids.len());
            if first < last {
                ids[first..last].fill(id as u32);
            }
        }
        FunctionMap { base, ids, entries: functions.iter().map(|f| f.address).collect() }
    }

    /// The id that means no known function.
    pub(crate) fn unknown(&self) -> FunctionId {
        self.entries.len()
    }

    pub(crate) fn id(&self, address: u32) -> FunctionId {
        let index = (address.wrapping_sub(self.base) / 2) as usize;
        self.ids.get(index).map_or(self.unknown(), |&id| id as usize)
    }

    fn is_entry(&self, address: u32) -> bool {
        self.entries.get(self.id(address)) == Some(&address)
    }
}

/// An active call.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    return_address: u32,
    sp: u32,
    pub(crate) entered_at: u64,
    /// Registers a callee must keep, at the call; `None` where the call was a jump from a function
    /// that had come to its end.
    pub(crate) kept: Option<Kept>,
}

/// The registers that the procedure call standard makes a callee keep: r4 to r11, s16 to s31.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) core: [u32; 8],
    pub(crate) fp: [u32; 16],
}

impl Kept {
    pub(crate) fn of(record: &Record<'_>) -> Self {
        Kept {
            core: std::array::from_fn(|k| record.registers[4 + k]),
            fp: std::array::from_fn(|k| record.fp[16 + k]),
        }
    }
}

/// What an instruction did to the chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Nothing.
    None,
    /// A frame was pushed.
    Call,
    /// The frames from this depth on have returned.
    Return(usize),
}

/// The active calls, outermost first.
#[derive(Clone, Debug)]
pub(crate) struct CallStack {
    pub(crate) map: FunctionMap,
    pub(crate) frames: Vec<Frame>,
}

impl CallStack {
    pub(crate) fn new(image: &Image) -> Self {
        CallStack { map: FunctionMap::new(image), frames: Vec::new() }
    }

    /// Notes an executed instruction. Frames that return are left in place for the caller to look
    /// at and [truncate](Self::truncate).
    pub(crate) fn follow(&mut self, record: &Record<'_>) -> Event {
        if self.frames.is_empty() {
            // No function returns to address 1.
            self.push(self.map.id(record.pc), 1, record, record.cycles_before, false);
        }
        if !record.jumps() {
            return Event::None;
        }
        if record.instruction.is_call() {
            let return_address = record.registers[14] & !1;
            self.push(self.map.id(record.next), return_address, record, record.cycles_after, true);
            return Event::Call;
        }
        if may_return(record) {
            let returned = |f: &Frame| f.return_address == record.next && f.sp == record.sp();
            if let Some(top) = self.frames.iter().rposition(returned) {
                let jumped_to = self.frames[..top].iter().rev().take_while(|f| returned(f)).count();
                return Event::Return(top - jumped_to);
            }
        }
        self.follow_jump(record)
    }

    /// A jump to the start of a function continues the caller's call: a tail call.
    fn follow_jump(&mut self, record: &Record<'_>) -> Event {
        let (from, to) = (self.map.id(record.pc), self.map.id(record.next));
        if from == to || !self.map.is_entry(record.next) {
            return Event::None;
        }
        let Some(top) = self.frames.last() else { return Event::None };
        let (return_address, sp) = (top.return_address, top.sp);
        if sp != record.sp() {
            return Event::None;
        }
        let same_call = |f: &&Frame| f.return_address == return_address && f.sp == sp;
        let repeated = self.frames.iter().rev().take_while(same_call).any(|f| f.function == to);
        if repeated {
            return Event::None;
        }
        self.push(to, return_address, record, record.cycles_after, false);
        Event::Call
    }

    fn push(&mut self, function: FunctionId, ret: u32, record: &Record<'_>, now: u64, keeps: bool) {
        self.frames.push(Frame {
            function,
            return_address: ret,
            sp: record.sp(),
            entered_at: now,
            kept: keeps.then(|| Kept::of(record)),
        });
    }

    /// Removes the frames from `depth` on.
    pub(crate) fn truncate(&mut self, depth: usize) {
        self.frames.truncate(depth);
    }
}

/// Whether a jump can be a return: its target comes from a register or from memory.
fn may_return(record: &Record<'_>) -> bool {
    let i = &record.instruction;
    match i.op {
        Op::Bx | Op::MovPc | Op::LdrPc => true,
        Op::Ldmia | Op::Ldmdb => i.imm & (1 << PC) != 0,
        _ => false,
    }
}
