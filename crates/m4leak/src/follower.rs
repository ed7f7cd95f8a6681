//! A run that follows the reference run, so that its samples are those of the same instructions.
//!
//! Constant-time code executes the same instructions in every run, and a follower then simply keeps
//! pace. Where runs part, in a loop that discards random words for instance, a sample is found
//! again by the call it belongs to, the address of the instruction, and how often that call has
//! executed it. Calls are known by the call that makes them, the calling instruction and its
//! count; so runs keep pace again within the next call, and behind the return.

use crate::model::{Model, Models, Place};
use crate::probe::{Latches, Move, Probe, Sink, Word};
use crate::reference::{Visits, Window};
use m4sim::decode::SP;
use m4sim::{Machine, Silent};
use serde::{Deserialize, Serialize};

/// Marks a sample that a run does not have.
pub const ABSENT: u8 = u8::MAX;

/// Samples of one run in one window.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// One for each meeting of the window: a Hamming distance, or [`ABSENT`].
    pub values: Vec<u8>,
    /// Whether the run kept pace with the reference throughout, and so has every sample.
    pub complete: bool,
}

/// Writes Hamming distances to the samples of a step.
#[derive(Debug, Default)]
struct Writer {
    samples: Vec<u8>,
    position: usize,
    end: usize,
}

impl Sink<()> for Writer {
    #[inline(always)]
    fn meet(&mut self, _model: Model, _place: Place, old: Word<()>, new: Word<()>) {
        if self.position < self.end {
            self.samples[self.position] = (old.value ^ new.value).count_ones() as u8;
            self.position += 1;
        }
    }
}

/// How a follower stands to the reference run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Pace {
    /// Before this step of the window.
    Keeps(usize),
    /// On its own in the innermost of its loose calls.
    Loose,
    /// Back from this call, from which the reference run has not returned yet.
    Waits(u32),
    /// At the end.
    Ended,
}

/// A call in which a follower goes its own way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Loose {
    /// The reference run's call, unless it makes no such call.
    call: Option<u32>,
    return_address: u32,
    sp: u32,
    visits: Visits,
}

/// A follower that can be taken up again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FollowerCut {
    instructions: u64,
    latches: Latches<()>,
    moved: Move,
    pace: Pace,
    loose: Vec<Loose>,
}

/// A machine that follows the reference run.
pub(crate) struct Follower {
    machine: Machine,
    probe: Probe<(), Writer>,
    pace: Pace,
    loose: Vec<Loose>,
    end: u32,
}

impl Follower {
    /// `machine` stands at the start of the observation, which ends at the address `end`.
    pub(crate) fn new(machine: Machine, end: u32, models: Models) -> Self {
        let probe = Probe::new(models, Writer::default());
        Follower { machine, probe, pace: Pace::Keeps(0), loose: Vec::new(), end }
    }

    /// Where the run stands, between two windows.
    pub(crate) fn cut(&self) -> FollowerCut {
        FollowerCut {
            instructions: self.machine.instructions(),
            latches: self.probe.latches.clone(),
            moved: self.probe.moved,
            pace: self.pace,
            loose: self.loose.clone(),
        }
    }

    /// Goes on where a run of the same program with the same input was cut.
    pub(crate) fn resume(&mut self, cut: FollowerCut) {
        let missing = cut.instructions - self.machine.instructions();
        self.machine.run(missing, &mut Silent);
        (self.probe.latches, self.probe.moved) = (cut.latches, cut.moved);
        (self.pace, self.loose) = (cut.pace, cut.loose);
    }

    /// Runs to the end of the window.
    pub(crate) fn run(&mut self, window: &Window, samples: &mut Samples) {
        samples.values.clear();
        samples.values.resize(window.meetings.len(), ABSENT);
        std::mem::swap(&mut samples.values, &mut self.probe.sink.samples);
        samples.complete = matches!(self.pace, Pace::Keeps(_));
        if samples.complete {
            self.pace = Pace::Keeps(0);
        }
        loop {
            let goes_on = match self.pace {
                Pace::Keeps(step) => self.keep_pace(window, step),
                Pace::Loose => self.step_loosely(window),
                Pace::Waits(call) => self.join(window, call),
                Pace::Ended => false,
            };
            samples.complete &= self.loose.is_empty() && matches!(self.pace, Pace::Keeps(_));
            if !goes_on {
                break;
            }
        }
        std::mem::swap(&mut samples.values, &mut self.probe.sink.samples);
    }

    /// Keeps pace from `step` on as long as it can.
    fn keep_pace(&mut self, window: &Window, mut step: usize) -> bool {
        let loose = self.loose.last().and_then(|loose| loose.call);
        while let Some(expected) = window.steps.get(step) {
            if loose == Some(expected.call) {
                self.pace = Pace::Loose;
                return true;
            }
            if self.machine.pc() != expected.pc {
                return self.part(window, step);
            }
            if !self.step(window, Some(step)) {
                return false;
            }
            step += 1;
        }
        self.pace = Pace::Keeps(step);
        false
    }

    /// Executes an instruction, the one of `step` if the reference run has it; `false` when the
    /// program stops.
    #[inline(always)]
    fn step(&mut self, window: &Window, step: Option<usize>) -> bool {
        let range = step.map_or(0..0, |step| window.samples(step));
        (self.probe.sink.position, self.probe.sink.end) = (range.start, range.end);
        let stopped = self.machine.step(&mut self.probe).is_some();
        if stopped {
            self.pace = Pace::Ended;
        }
        !stopped
    }

    /// The reference run has gone elsewhere at `step`.
    fn part(&mut self, window: &Window, step: usize) -> bool {
        if self.machine.pc() == self.end {
            self.pace = Pace::Ended;
            return false;
        }
        let id = step.checked_sub(1).map_or(window.preceding, |before| window.steps[before].call);
        let Some(call) = window.calls.get(&id) else {
            self.pace = Pace::Ended;
            return false;
        };
        if self.probe.moved == Move::MayReturn && self.stands_behind(call.return_address, call.sp) {
            self.pace = Pace::Waits(id);
            return true;
        }
        self.loose.push(Loose {
            call: Some(id),
            return_address: call.return_address,
            sp: call.sp,
            visits: window.visits_before(id, step),
        });
        if self.probe.moved == Move::Call {
            self.push_unknown();
        }
        self.pace = Pace::Loose;
        true
    }

    fn stands_behind(&self, return_address: u32, sp: u32) -> bool {
        self.machine.pc() == return_address && self.machine.register(SP) == sp
    }

    fn push_unknown(&mut self) {
        self.loose.push(Loose {
            call: None,
            return_address: self.machine.register(14) & !1,
            sp: self.machine.register(SP),
            visits: Visits::default(),
        });
    }

    /// One instruction of the innermost loose call.
    fn step_loosely(&mut self, window: &Window) -> bool {
        let pc = self.machine.pc();
        if pc == self.end {
            self.pace = Pace::Ended;
            return false;
        }
        let Some(loose) = self.loose.last_mut() else {
            unreachable!("a loose run has a loose call")
        };
        let visits = loose.visits.get(&pc).copied().unwrap_or(0);
        let mut step = None;
        if let Some(id) = loose.call {
            step = window.find(id, pc, visits + 1);
            let active = window.calls.get(&id).and_then(|call| Some((call, call.next?)));
            if let Some((call, (next, visit))) = active {
                let done = loose.visits.get(&next).copied().unwrap_or(0);
                let arrived = done >= visit || (pc == next && visits + 1 == visit);
                // A call that the reference run may still make is awaited.
                let early = step.is_none()
                    && visits >= call.before.get(&pc).copied().unwrap_or(0)
                    && self.machine.instruction_at(pc).is_some_and(|i| i.is_call());
                if step.is_none() && (arrived || early) || done >= visit {
                    return false;
                }
            }
        }
        loose.visits.insert(pc, visits + 1);
        if !self.step(window, step) {
            return false;
        }
        match self.probe.moved {
            Move::None => {}
            Move::Call => self.enter(window, step),
            Move::MayReturn => self.leave(window),
        }
        true
    }

    /// A loose call has called; the reference run did so at `step`.
    fn enter(&mut self, window: &Window, step: Option<usize>) {
        let Some(next) = step.map(|step| step + 1) else { return self.push_unknown() };
        match window.steps.get(next) {
            Some(expected) if expected.pc != self.machine.pc() => self.push_unknown(),
            _ => self.pace = Pace::Keeps(next),
        }
    }

    /// A loose call may have returned.
    fn leave(&mut self, window: &Window) {
        let Some(loose) = self.loose.last() else { return };
        if !self.stands_behind(loose.return_address, loose.sp) {
            return;
        }
        let call = loose.call;
        self.loose.pop();
        if let Some(call) = call {
            self.pace = Pace::Waits(call);
            self.join(window, call);
        }
    }

    /// Goes on behind the reference run's return from `call`, if there is one in this window.
    fn join(&mut self, window: &Window, call: u32) -> bool {
        let left = window.calls.get(&call).and_then(|call| call.left);
        if let Some(left) = left {
            self.pace = Pace::Keeps(left as usize);
        }
        left.is_some()
    }
}
