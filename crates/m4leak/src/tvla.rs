//! Fixed against random: which samples tell the two groups apart.

use crate::follower::Samples;
use crate::model::{Model, Place};
use crate::moments::{Moments, Order};
use crate::noise::Noise;
use crate::probe::Word;
use crate::reference::{Meeting, Provenance, Window};
use crate::run::Analysis;
use crate::statistics::threshold;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A |t| below this is not kept in detail.
const INTERESTING: f64 = 4.0;
/// The largest |t| that is told; it stands for all above, up to infinity.
const LARGEST: f64 = 1e6;
/// Calling instructions that are kept of a finding.
pub const CALLERS: usize = 4;

/// A fixed-against-random test.
#[derive(Clone, Copy, Debug)]
pub struct Tvla {
    /// Statistical order.
    pub order: Order,
    /// Standard deviation of the noise; 0 for none.
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
}

/// The moments of both groups in a window.
#[derive(Debug)]
pub struct Groups {
    moments: [Moments; 2],
    noise: Option<Noise>,
}

impl Analysis for Tvla {
    type Partial = Groups;

    fn begin(&self, window: &Window, part: usize) -> Groups {
        let moments = || Moments::new(window.meetings.len(), self.order);
        let seed = self.seed ^ window.first << 8 ^ part as u64;
        let noise = (self.noise > 0.0).then(|| Noise::new(self.noise, seed));
        Groups { moments: [moments(), moments()], noise }
    }

    fn add(&self, groups: &mut Groups, trace: usize, samples: &Samples) {
        groups.moments[group(trace)].add(samples, groups.noise.as_mut());
    }
}

/// The group of a trace: 0, with the fixed value, or 1.
pub fn group(trace: usize) -> usize {
    trace & 1
}

/// The moments of both groups, from all workers.
pub fn merge(partials: Vec<Groups>) -> Option<[Moments; 2]> {
    partials.into_iter().map(|groups| groups.moments).reduce(|mut all, part| {
        all.iter_mut().zip(&part).for_each(|(all, part)| all.merge(part));
        all
    })
}

/// A sample that tells the groups apart, the worst of its place, instruction and calling
/// instruction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Model.
    pub model: Model,
    /// Place.
    pub place: Place,
    /// Address of the instruction.
    pub pc: u32,
    /// The instructions that have called, the innermost first; 0 where there are fewer.
    pub callers: [u32; CALLERS],
    /// Number of the instruction in the reference run.
    pub instruction: u64,
    /// Welch's t.
    pub t: f64,
    /// The value that was there in the reference run, and the instruction that made it.
    pub old: (u32, u32),
    /// The value that came, and the instruction that made it.
    pub new: (u32, u32),
    /// How many samples of this instruction and place exceed 4.0.
    pub samples: u64,
}

/// The largest |t| of a stretch of the run in each model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// Number of its first instruction.
    pub first: u64,
    /// By model, in the order of [`Model::ALL`]; public samples not included.
    pub worst: [f64; Model::ALL.len()],
}

/// The outcome of a test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Traces of both groups.
    pub traces: u64,
    /// Instructions of the reference run.
    pub instructions: u64,
    /// Samples tested.
    pub tested: u64,
    /// Samples that never varied; they cannot leak.
    pub constant: u64,
    /// Samples that too few traces have.
    pub missing: u64,
    /// Samples covered by each entry of the list of public places, and the worst |t| there.
    pub public: Vec<(u64, f64)>,
    /// The run in stretches.
    pub stretches: Vec<Stretch>,
    /// What tells the groups apart, and what comes near it.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// The largest |t| that a device without leaks would show, with the given probability of
    /// being exceeded.
    pub fn threshold(&self, alpha: f64) -> f64 {
        threshold(alpha, self.tested, self.traces)
    }

    /// The largest |t| found.
    pub fn worst(&self) -> f64 {
        let all = self.stretches.iter().flat_map(|stretch| stretch.worst);
        all.fold(0.0, f64::max)
    }

    /// The findings above `threshold`, worst first.
    pub fn leaks(&self, threshold: f64) -> Vec<Finding> {
        let above = self.findings.iter().filter(|finding| finding.t.abs() > threshold);
        let mut leaks: Vec<_> = above.copied().collect();
        leaks.sort_by(|a, b| b.t.abs().total_cmp(&a.t.abs()).then(a.pc.cmp(&b.pc)));
        leaks
    }
}

/// Gathers the outcome of a test, window by window.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    outcome: Outcome,
    worst: FxHashMap<(Model, Place, u32, u32), Finding>,
}

impl Judge {
    /// For a test over so many traces in all, with so many entries of public places.
    pub fn new(traces: usize, public: usize) -> Self {
        let outcome =
            Outcome { traces: traces as u64, public: vec![(0, 0.0); public], ..Outcome::default() };
        Judge { outcome, worst: FxHashMap::default() }
    }

    /// Goes on from the outcome of the windows before.
    pub fn resume(outcome: Outcome) -> Self {
        let entry = |f: &Finding| ((f.model, f.place, f.pc, f.callers[0]), *f);
        let worst = outcome.findings.iter().map(entry).collect();
        Judge { outcome, worst }
    }

    /// The outcome so far.
    pub fn so_far(&self) -> Outcome {
        self.clone().outcome()
    }

    /// Judges the samples of a window.
    pub fn judge(&mut self, window: &Window, moments: &[Moments; 2], order: Order) {
        let mut worst = [0.0; Model::ALL.len()];
        for (step, instruction) in (window.first..).enumerate().take(window.steps.len()) {
            for sample in window.samples(step) {
                let meeting = &window.meetings[sample];
                let Some(t) = self.t(moments, sample, order) else { continue };
                if let Some(entry) = meeting.public() {
                    self.note_public(entry, t);
                    continue;
                }
                self.outcome.tested += 1;
                let model = &mut worst[meeting.model as usize];
                *model = t.abs().max(*model);
                if t.abs() > INTERESTING {
                    self.note(found(window, step, meeting, instruction, t));
                }
            }
        }
        self.outcome.instructions += window.steps.len() as u64;
        self.outcome.stretches.push(Stretch { first: window.first, worst });
    }

    /// Welch's t, if the sample can be tested.
    fn t(&mut self, moments: &[Moments; 2], sample: usize, order: Order) -> Option<f64> {
        let [a, b] = [0, 1].map(|group| moments[group].summary(sample));
        if a.count + b.count < self.outcome.traces as f64 / 2.0 || a.count < 2.0 || b.count < 2.0 {
            self.outcome.missing += 1;
            return None;
        }
        if a.central[0] == 0.0 && b.central[0] == 0.0 && a.mean == b.mean {
            self.outcome.constant += 1;
            return None;
        }
        // Finite, for formats that know no infinity.
        Some(a.t(&b, order).clamp(-LARGEST, LARGEST))
    }

    fn note_public(&mut self, entry: u16, t: f64) {
        if let Some((samples, worst)) = self.outcome.public.get_mut(usize::from(entry)) {
            *samples += 1;
            *worst = t.abs().max(*worst);
        }
    }

    fn note(&mut self, found: Finding) {
        let Finding { model, place, pc, callers: [caller, ..], .. } = found;
        let finding = self.worst.entry((model, place, pc, caller)).or_insert(found);
        let samples = finding.samples + 1;
        if found.t.abs() > finding.t.abs() {
            *finding = found;
        }
        finding.samples = samples;
    }

    /// The outcome.
    pub fn outcome(self) -> Outcome {
        let mut findings: Vec<_> = self.worst.into_values().collect();
        findings.sort_by_key(|f| (f.pc, f.callers, f.model, f.place));
        Outcome { findings, ..self.outcome }
    }
}

fn found(window: &Window, step: usize, meeting: &Meeting, instruction: u64, t: f64) -> Finding {
    let Meeting { model, place, old, new } = *meeting;
    let value = |word: Word<Provenance>| (word.value, word.origin.pc);
    let mut callers = [0; CALLERS];
    callers.iter_mut().zip(window.callers(step)).for_each(|(caller, site)| *caller = site);
    Finding {
        model,
        place,
        pc: window.steps[step].pc,
        callers,
        instruction,
        t,
        old: value(old),
        new: value(new),
        samples: 0,
    }
}
