//! The constant-time check: two runs with different secrets must not be told apart by time.
//!
//! Both machines advance in lockstep. At each instruction they must be at the same address, access
//! the same memory addresses, execute or skip alike, take the same number of cycles, and divide the
//! same numbers (a division's time depends on its operands). Functions may be allowed to differ by
//! name; both machines then run on alone until that call returns, and are compared again from there.

use std::collections::BTreeMap;
use std::fmt;

use crate::calls::{CallStack, Event};
use crate::decode::Class;
use crate::elf::Image;
use crate::fault::Stop;
use crate::machine::Machine;
use crate::observer::{Access, Observer, Record};

/// Most transfers of one instruction: VLDM of 32 registers.
const MOST_ACCESSES: usize = 32;

/// Outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Instructions executed in lockstep.
    pub compared: u64,
    /// How often each allowed function made a difference.
    pub allowed: BTreeMap<String, u64>,
    /// The first difference that is not allowed.
    pub difference: Option<Difference>,
    /// How both runs ended, where they were alike: all is compared only if they exit.
    pub stop: Stop,
}

/// Where and how two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Address of the instruction that behaves differently.
    pub pc: u32,
    /// What is different about it.
    pub kind: DifferenceKind,
}

/// What is different about an instruction. The operands of a division may be secret and are not
/// told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// It is followed by different instructions.
    Path(u32, u32),
    /// Its condition holds in one run only.
    Condition,
    /// It accesses different addresses.
    Address(u32, u32),
    /// It divides different numbers.
    Division,
    /// It takes a different number of cycles.
    Cycles(u64, u64),
    /// One run stops there, the other does not, or for another reason.
    Stop,
    /// An allowed function returned to different addresses, or one run stopped inside it.
    Return,
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DifferenceKind::Path(a, b) => write!(f, "continues at {a:#010x} or {b:#010x}"),
            DifferenceKind::Condition => write!(f, "is executed or skipped"),
            DifferenceKind::Address(a, b) => write!(f, "accesses {a:#010x} or {b:#010x}"),
            DifferenceKind::Division => write!(f, "divides different numbers"),
            DifferenceKind::Cycles(a, b) => write!(f, "takes {a} or {b} cycles"),
            DifferenceKind::Stop => write!(f, "stops one run only, or both differently"),
            DifferenceKind::Return => write!(f, "does not bring the runs together again"),
        }
    }
}

/// What one machine shows while it executes an instruction.
struct Watch {
    calls: CallStack,
    accesses: Vec<u32>,
    next: u32,
    executed: bool,
    cycles: u64,
    division: Option<[Option<u32>; 3]>,
}

impl Watch {
    fn new(image: &Image) -> Self {
        Watch {
            calls: CallStack::new(image),
            accesses: Vec::with_capacity(MOST_ACCESSES),
            next: 0,
            executed: true,
            cycles: 0,
            division: None,
        }
    }

    fn difference(&self, other: &Watch) -> Option<DifferenceKind> {
        if self.executed != other.executed {
            return Some(DifferenceKind::Condition);
        }
        if self.accesses != other.accesses {
            let pairs = self.accesses.iter().zip(&other.accesses);
            let (&a, &b) = pairs.into_iter().find(|(a, b)| a != b).unwrap_or((&0, &0));
            return Some(DifferenceKind::Address(a, b));
        }
        if self.division != other.division {
            return Some(DifferenceKind::Division);
        }
        if self.next != other.next {
            return Some(DifferenceKind::Path(self.next, other.next));
        }
        (self.cycles != other.cycles).then_some(DifferenceKind::Cycles(self.cycles, other.cycles))
    }
}

impl Observer for Watch {
    fn access(&mut self, access: &Access) {
        self.accesses.push(access.address);
    }

    fn instruction(&mut self, record: &Record<'_>) {
        self.next = record.next;
        self.executed = record.executed;
        self.cycles = record.cycles_after - record.cycles_before;
        let divides = record.executed && record.instruction.class() == Class::Divide;
        self.division = divides.then_some(record.operands);
        if let Event::Return(depth) = self.calls.follow(record) {
            self.calls.truncate(depth);
        }
    }
}

/// A machine with what is watched of it.
struct Run<'a> {
    machine: &'a mut Machine,
    watch: Watch,
}

impl Run<'_> {
    fn step(&mut self) -> Option<Stop> {
        self.watch.accesses.clear();
        self.machine.step(&mut self.watch)
    }

    /// Runs until fewer than `depth` + 1 calls are active; `false` when the program stops before.
    fn leave(&mut self, depth: usize, limit: u64) -> bool {
        while self.watch.calls.frames.len() > depth {
            if self.machine.instructions() >= limit || self.step().is_some() {
                return false;
            }
        }
        true
    }
}

/// Compares runs of `image` on two machines that differ in their secrets, for `limit` instructions
/// at most. `allowed` names functions that may behave differently: full names, or their last parts
/// behind `::`.
pub fn compare(
    image: &Image,
    a: &mut Machine,
    b: &mut Machine,
    allowed: &[String],
    limit: u64,
) -> Comparison {
    let permitted: Vec<bool> = image
        .functions()
        .iter()
        .map(|f| allowed.iter().any(|name| is_named(&f.name, name)))
        .chain([false])
        .collect();
    let mut a = Run { machine: a, watch: Watch::new(image) };
    let mut b = Run { machine: b, watch: Watch::new(image) };
    let mut result =
        Comparison { compared: 0, allowed: BTreeMap::new(), difference: None, stop: Stop::Limit };
    while a.machine.instructions() < limit {
        let pc = a.machine.pc();
        let permission = a.watch.calls.frames.iter().rposition(|f| permitted[f.function]);
        let permission = permission.map(|depth| (depth, a.watch.calls.frames[depth].function));
        let stops = (a.step(), b.step());
        let kind = match stops {
            (None, None) => a.watch.difference(&b.watch),
            (Some(x), Some(y)) if x == y => {
                result.stop = x;
                break;
            }
            _ => Some(DifferenceKind::Stop),
        };
        result.compared += 1;
        let Some(kind) = kind else { continue };
        let Some((depth, function)) = permission.filter(|_| kind != DifferenceKind::Stop) else {
            result.difference = Some(Difference { pc, kind });
            break;
        };
        *result.allowed.entry(image.functions()[function].name.clone()).or_default() += 1;
        let together = a.leave(depth, limit) && b.leave(depth, limit);
        if !together || a.machine.pc() != b.machine.pc() {
            result.difference = Some(Difference { pc, kind: DifferenceKind::Return });
            break;
        }
    }
    result
}

/// Whether `function` is called `name`, possibly within a path.
fn is_named(function: &str, name: &str) -> bool {
    function == name || function.strip_suffix(name).is_some_and(|path| path.ends_with("::"))
}
