//! The reference run, which decides what is a sample: window by window it writes down the executed
//! instructions, the calls they belong to, and which values meet at each of them.

use crate::model::{Model, Models, Place};
use crate::probe::{Latches, Move, Probe, Sink, Word};
use m4sim::decode::SP;
use m4sim::{Machine, Silent};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// How often each instruction of a call has been executed.
pub(crate) type Visits = FxHashMap<u32, u32>;

/// Where a value was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The instruction; 0 for what was there before the run.
    pub pc: u32,
    /// The entry of the list of public places that the instruction is covered by.
    pub public: Option<u16>,
}

/// Two values that meet: a sample of the run.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// In which model.
    pub model: Model,
    /// Where.
    pub place: Place,
    /// What was there before, in the reference run.
    pub old: Word<Provenance>,
    /// What comes, in the reference run.
    pub new: Word<Provenance>,
}

impl Meeting {
    /// The entry of the list of public places that covers one of both values.
    pub fn public(&self) -> Option<u16> {
        self.new.origin.public.or(self.old.origin.public)
    }
}

/// An executed instruction of the reference run.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its address.
    pub pc: u32,
    /// The call it belongs to.
    pub call: u32,
    /// How often the call has executed it, this time included.
    pub visit: u32,
    /// Its first sample in the window.
    pub first_sample: u32,
}

/// A call that the reference run was in during a window.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The calling call, and the address of the instruction that called.
    parent: Option<(u32, u32)>,
    pub(crate) return_address: u32,
    pub(crate) sp: u32,
    /// The first step behind its return, where it returns in the window.
    pub(crate) left: Option<u32>,
    /// What it executes next, or has called last, at the end of the window, if it is active then:
    /// address and visit.
    pub(crate) next: Option<(u32, u32)>,
    /// Its visits before the window.
    pub(crate) before: Visits,
}

/// A stretch of the reference run.
#[derive(Debug)]
pub struct Window {
    /// Number of its first instruction, counted from the start of the observation.
    pub first: u64,
    /// The instructions.
    pub steps: Vec<Step>,
    /// The samples, those of each step in turn.
    pub meetings: Vec<Meeting>,
    /// Where the reference run stands behind it, if all runs are to be cut there.
    pub(crate) cut: Option<ReferenceCut>,
    pub(crate) calls: FxHashMap<u32, Call>,
    /// The call of the instruction before the first.
    pub(crate) preceding: u32,
    index: OnceLock<Vec<(u32, u32, u32, u32)>>,
}

impl Window {
    /// The samples of a step.
    pub fn samples(&self, step: usize) -> std::ops::Range<usize> {
        let first = |k: usize| self.steps.get(k).map(|step| step.first_sample as usize);
        first(step).unwrap_or(self.meetings.len())..first(step + 1).unwrap_or(self.meetings.len())
    }

    /// The step that the sample belongs to.
    pub fn step_of(&self, sample: usize) -> usize {
        self.steps.partition_point(|step| step.first_sample as usize <= sample) - 1
    }

    /// The instructions that have called, from the innermost call of a step on.
    pub fn callers(&self, step: usize) -> impl Iterator<Item = u32> {
        let parent = |call: u32| self.calls.get(&call).and_then(|call| call.parent);
        let calls =
            std::iter::successors(parent(self.steps[step].call), move |&(id, _)| parent(id));
        calls.map(|(_, site)| site)
    }

    /// The step in which `call` executes `pc` for the `visit`th time.
    pub(crate) fn find(&self, call: u32, pc: u32, visit: u32) -> Option<usize> {
        let index = self.index.get_or_init(|| self.sorted_steps());
        let key = (call, pc, visit);
        let position = index.partition_point(|&(c, p, v, _)| (c, p, v) < key);
        let &(c, p, v, step) = index.get(position)?;
        ((c, p, v) == key).then_some(step as usize)
    }

    fn sorted_steps(&self) -> Vec<(u32, u32, u32, u32)> {
        let entry = |(k, step): (usize, &Step)| (step.call, step.pc, step.visit, k as u32);
        let mut index: Vec<_> = self.steps.iter().enumerate().map(entry).collect();
        index.sort_unstable();
        index
    }

    /// The visits of `call` before `step`.
    pub(crate) fn visits_before(&self, call: u32, step: usize) -> Visits {
        let mut visits = self.calls.get(&call).map(|c| c.before.clone()).unwrap_or_default();
        for step in self.steps[..step].iter().filter(|step| step.call == call) {
            visits.insert(step.pc, step.visit);
        }
        visits
    }
}

/// A reference run that can be taken up again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReferenceCut {
    instructions: u64,
    latches: Latches<Provenance>,
    moved: Move,
    writers: FxHashMap<u32, Provenance>,
    calls: Vec<Active>,
    ids: u32,
    executed: u64,
}

/// Notes the meetings of the reference run.
#[derive(Debug, Default)]
struct Notes {
    meetings: Vec<Meeting>,
    /// Who wrote each word of memory.
    writers: FxHashMap<u32, Provenance>,
}

impl Sink<Provenance> for Notes {
    fn meet(&mut self, model: Model, place: Place, old: Word<Provenance>, new: Word<Provenance>) {
        self.meetings.push(Meeting { model, place, old, new });
    }

    fn overwrite_memory(&mut self, address: u32, writer: Provenance) -> Provenance {
        self.writers.insert(address, writer).unwrap_or_default()
    }
}

/// An active call of the reference run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Active {
    id: u32,
    parent: Option<(u32, u32)>,
    return_address: u32,
    sp: u32,
    visits: Visits,
    public: Option<u16>,
    /// Address and visit of its last instruction.
    last: (u32, u32),
}

/// Says whether an instruction at an address works on public values: the index of the reason.
pub(crate) type IsPublic<'a> = dyn FnMut(u32) -> Option<u16> + 'a;

/// The machine that goes first.
pub(crate) struct Reference<'a> {
    machine: Machine,
    probe: Probe<Provenance, Notes>,
    calls: Vec<Active>,
    ids: u32,
    executed: u64,
    end: u32,
    is_public: Box<IsPublic<'a>>,
    public: FxHashMap<u32, Option<u16>>,
    finished: bool,
}

impl<'a> Reference<'a> {
    /// A run from where `machine` stands to the instruction at `end`, which is not executed.
    pub(crate) fn new(
        machine: Machine,
        end: u32,
        models: Models,
        is_public: Box<IsPublic<'a>>,
    ) -> Self {
        let root = Active {
            id: 0,
            parent: None,
            return_address: 1,
            sp: machine.register(SP),
            visits: Visits::default(),
            public: None,
            last: (0, 0),
        };
        Reference {
            machine,
            probe: Probe::new(models, Notes::default()),
            calls: vec![root],
            ids: 1,
            executed: 0,
            end,
            is_public,
            public: FxHashMap::default(),
            finished: false,
        }
    }

    /// Where the run stands.
    pub(crate) fn cut(&self) -> ReferenceCut {
        ReferenceCut {
            instructions: self.machine.instructions(),
            latches: self.probe.latches.clone(),
            moved: self.probe.moved,
            writers: self.probe.sink.writers.clone(),
            calls: self.calls.clone(),
            ids: self.ids,
            executed: self.executed,
        }
    }

    /// Goes on where a run of the same program with the same input was cut.
    pub(crate) fn resume(&mut self, cut: ReferenceCut) {
        let missing = cut.instructions - self.machine.instructions();
        self.machine.run(missing, &mut Silent);
        self.probe.latches = cut.latches;
        self.probe.moved = cut.moved;
        self.probe.sink.writers = cut.writers;
        (self.calls, self.ids, self.executed) = (cut.calls, cut.ids, cut.executed);
    }

    /// The next window: `length` instructions, or some more if it can then end with a call or a
    /// return.
    pub(crate) fn window(&mut self, length: usize) -> Option<Window> {
        if self.finished {
            return None;
        }
        let mut window = self.open();
        loop {
            if self.machine.pc() == self.end {
                self.finished = true;
                break;
            }
            self.step(&mut window);
            if self.finished {
                break;
            }
            let long = window.steps.len() >= length && self.probe.moved != Move::None;
            if long || window.steps.len() >= 2 * length {
                break;
            }
        }
        self.close(&mut window);
        Some(window)
    }

    fn open(&mut self) -> Window {
        let calls = self.calls.iter().map(|active| (active.id, active.call())).collect();
        Window {
            first: self.executed,
            steps: Vec::new(),
            meetings: Vec::new(),
            cut: None,
            calls,
            preceding: self.calls.last().map_or(0, |active| active.id),
            index: OnceLock::new(),
        }
    }

    fn step(&mut self, window: &mut Window) {
        let pc = self.machine.pc();
        let here = self.public_at(pc);
        let active = self.calls.last_mut().expect("the outermost call never returns");
        let visit = active.visits.entry(pc).or_insert(0);
        *visit += 1;
        active.last = (pc, *visit);
        let first_sample = self.probe.sink.meetings.len() as u32;
        window.steps.push(Step { pc, call: active.id, visit: *visit, first_sample });
        let public = active.public.or(here);
        self.probe.here = Provenance { pc, public };
        self.finished = self.machine.step(&mut self.probe).is_some();
        self.executed += 1;
        self.follow(window, public);
    }

    fn follow(&mut self, window: &mut Window, public: Option<u16>) {
        let sp = self.machine.register(SP);
        match self.probe.moved {
            Move::None => {}
            Move::Call => {
                let entry = self.public_at(self.machine.pc());
                let active = Active {
                    id: self.ids,
                    parent: self.calls.last().map(|caller| (caller.id, caller.last.0)),
                    return_address: self.machine.register(14) & !1,
                    sp,
                    visits: Visits::default(),
                    public: public.or(entry),
                    last: (self.machine.pc(), 0),
                };
                window.calls.insert(active.id, active.call());
                self.calls.push(active);
                self.ids += 1;
            }
            Move::MayReturn => {
                let pc = self.machine.pc();
                let returns = |call: &Active| call.return_address == pc && call.sp == sp;
                if let Some(depth) = self.calls.iter().rposition(returns) {
                    for call in self.calls.drain(depth..) {
                        if let Some(call) = window.calls.get_mut(&call.id) {
                            call.left = Some(window.steps.len() as u32);
                        }
                    }
                }
            }
        }
    }

    fn close(&mut self, window: &mut Window) {
        let innermost = self.calls.len() - 1;
        for (depth, active) in self.calls.iter().enumerate() {
            let Some(call) = window.calls.get_mut(&active.id) else { continue };
            let pc = self.machine.pc();
            let visits = active.visits.get(&pc).copied().unwrap_or(0);
            call.next = Some(if depth == innermost { (pc, visits + 1) } else { active.last });
        }
        window.meetings = std::mem::take(&mut self.probe.sink.meetings);
    }

    fn public_at(&mut self, pc: u32) -> Option<u16> {
        let is_public = &mut self.is_public;
        *self.public.entry(pc).or_insert_with(|| is_public(pc))
    }
}

impl Active {
    fn call(&self) -> Call {
        Call {
            parent: self.parent,
            return_address: self.return_address,
            sp: self.sp,
            left: None,
            next: None,
            before: self.visits.clone(),
        }
    }
}
