//! Where the cycles go: by function, by caller, and what the functions do to the stack and to the
//! registers they must keep.

use std::collections::HashMap;

use crate::calls::{CallStack, Event, FunctionId, Kept};
use crate::decode::{Class, SP};
use crate::elf::Image;
use crate::machine::Machine;
use crate::observer::{Observer, Record};

/// Totals of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionTotals {
    /// Name.
    pub name: String,
    /// Calls.
    pub calls: u64,
    /// Instructions executed in the function itself.
    pub self_instructions: u64,
    /// Cycles spent in the function itself.
    pub self_cycles: u64,
    /// Cycles between call and return, callees included; recursive calls count once.
    pub inclusive_cycles: u64,
    /// The same by calling function.
    pub callers: Vec<CallerTotals>,
}

/// What a function cost on behalf of one caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerTotals {
    /// Name of the calling function.
    pub name: String,
    /// Calls from there.
    pub calls: u64,
    /// Cycles between call and return.
    pub cycles: u64,
}

/// A division that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DivisionSite {
    /// Address of the UDIV or SDIV.
    pub address: u32,
    /// How often it was executed.
    pub count: u64,
}

/// A register that a function should have kept but did not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LostRegister {
    /// Name of the function.
    pub function: String,
    /// Name of the register.
    pub register: String,
}

/// Observer that attributes cycles to functions.
#[derive(Debug)]
pub struct Profile<'a> {
    image: &'a Image,
    calls: CallStack,
    totals: Vec<FunctionTotals>,
    /// How often each function is on the stack.
    active: Vec<u32>,
    by_caller: HashMap<(FunctionId, FunctionId), (u64, u64)>,
    divisions: HashMap<u32, u64>,
    lost: HashMap<LostRegister, u64>,
    initial_sp: u32,
    lowest_sp: u32,
    now: u64,
}

impl<'a> Profile<'a> {
    /// A profile of a run of `image` that starts in the present state of `machine`.
    pub fn new(image: &'a Image, machine: &Machine) -> Self {
        let calls = CallStack::new(image);
        let mut totals = vec![FunctionTotals::default(); calls.map.unknown() + 1];
        for (totals, function) in totals.iter_mut().zip(image.functions()) {
            totals.name.clone_from(&function.name);
        }
        totals[calls.map.unknown()].name = "(no known function)".to_owned();
        Profile {
            image,
            active: vec![0; totals.len()],
            totals,
            calls,
            by_caller: HashMap::new(),
            divisions: HashMap::new(),
            lost: HashMap::new(),
            initial_sp: machine.register(SP),
            lowest_sp: machine.register(SP),
            now: machine.cycles(),
        }
    }

    /// Stack pointer at the start.
    pub fn initial_sp(&self) -> u32 {
        self.initial_sp
    }

    /// Lowest stack pointer seen.
    pub fn lowest_sp(&self) -> u32 {
        self.lowest_sp
    }

    /// The divisions executed, by address.
    pub fn divisions(&self) -> Vec<DivisionSite> {
        let sites = self.divisions.iter();
        let mut sites: Vec<_> =
            sites.map(|(&address, &count)| DivisionSite { address, count }).collect();
        sites.sort_by_key(|site| site.address);
        sites
    }

    /// Registers that functions failed to keep, with the number of calls that lost them.
    pub fn lost_registers(&self) -> Vec<(LostRegister, u64)> {
        let mut lost: Vec<_> = self.lost.iter().map(|(l, &n)| (l.clone(), n)).collect();
        lost.sort_by(|(a, _), (b, _)| (&a.function, &a.register).cmp(&(&b.function, &b.register)));
        lost
    }

    /// The functions that were executed, by descending cycles of their own. Calls that are still
    /// active count up to now.
    pub fn totals(&self) -> Vec<FunctionTotals> {
        let (mut totals, mut by_caller) = (self.totals.clone(), self.by_caller.clone());
        let mut seen = vec![false; totals.len()];
        for (depth, frame) in self.calls.frames.iter().enumerate() {
            let cycles = self.now - frame.entered_at;
            if !std::mem::replace(&mut seen[frame.function], true) {
                totals[frame.function].inclusive_cycles += cycles;
            }
            if let Some(caller) = depth.checked_sub(1).map(|d| &self.calls.frames[d]) {
                by_caller.entry((frame.function, caller.function)).or_default().1 += cycles;
            }
        }
        for ((callee, caller), (calls, cycles)) in by_caller {
            let name = totals[caller].name.clone();
            totals[callee].callers.push(CallerTotals { name, calls, cycles });
        }
        for function in &mut totals {
            function.callers.sort_by(|a, b| (b.cycles, &a.name).cmp(&(a.cycles, &b.name)));
        }
        totals.retain(|f| f.self_instructions > 0);
        totals.sort_by(|a, b| (b.self_cycles, &a.name).cmp(&(a.self_cycles, &b.name)));
        totals
    }

    fn enter(&mut self) {
        let depth = self.calls.frames.len() - 1;
        let function = self.calls.frames[depth].function;
        self.totals[function].calls += 1;
        self.active[function] += 1;
        if let Some(caller) = depth.checked_sub(1).map(|d| self.calls.frames[d].function) {
            self.by_caller.entry((function, caller)).or_default().0 += 1;
        }
    }

    fn leave(&mut self, depth: usize, record: &Record<'_>) {
        for d in (depth..self.calls.frames.len()).rev() {
            let frame = &self.calls.frames[d];
            let (function, cycles) = (frame.function, record.cycles_after - frame.entered_at);
            self.active[function] -= 1;
            if self.active[function] == 0 {
                self.totals[function].inclusive_cycles += cycles;
            }
            if let Some(caller) = d.checked_sub(1).map(|d| self.calls.frames[d].function) {
                self.by_caller.entry((function, caller)).or_default().1 += cycles;
            }
        }
        self.check_kept(depth, record);
        self.calls.truncate(depth);
    }

    /// Compares the registers to be kept between the call of the frame at `depth` and its return.
    fn check_kept(&mut self, depth: usize, record: &Record<'_>) {
        let frame = &self.calls.frames[depth];
        let (Some(before), after) = (&frame.kept, Kept::of(record)) else { return };
        if *before == after {
            return;
        }
        let core = before.core.iter().zip(after.core).enumerate();
        let core = core.filter(|(_, (b, a))| *b != a).map(|(k, _)| format!("r{}", 4 + k));
        let fp = before.fp.iter().zip(after.fp).enumerate();
        let fp = fp.filter(|(_, (b, a))| *b != a).map(|(k, _)| format!("s{}", 16 + k));
        let function = &self.totals[frame.function].name;
        for register in core.chain(fp) {
            let lost = LostRegister { function: function.clone(), register };
            *self.lost.entry(lost).or_default() += 1;
        }
    }

    /// The image this is a profile of.
    pub fn image(&self) -> &Image {
        self.image
    }
}

impl Observer for Profile<'_> {
    fn instruction(&mut self, record: &Record<'_>) {
        let function = &mut self.totals[self.calls.map.id(record.pc)];
        function.self_instructions += 1;
        function.self_cycles += record.cycles_after - record.cycles_before;
        self.now = record.cycles_after;
        self.lowest_sp = self.lowest_sp.min(record.sp());
        if record.executed && record.instruction.class() == Class::Divide {
            *self.divisions.entry(record.pc).or_default() += 1;
        }
        let first = self.calls.frames.is_empty();
        let event = self.calls.follow(record);
        if first {
            let root = self.calls.frames[0].function;
            self.active[root] += 1;
            self.totals[root].calls += 1;
        }
        match event {
            Event::None => {}
            Event::Call => self.enter(),
            Event::Return(depth) => self.leave(depth, record),
        }
    }
}
