//! Many runs of one program, window by window.
//!
//! All machines live at once and advance together, so that only one window of samples has to be
//! held at a time, however long the program is. The reference run is a few windows ahead; each
//! worker thread owns a part of the machines.

use crate::follower::{Follower, FollowerCut, Samples};
use crate::model::Models;
use crate::reference::{IsPublic, Reference, ReferenceCut, Window};
use m4sim::{Machine, Silent, Stop};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Windows that the reference run may be ahead.
const AHEAD: usize = 4;

/// Makes the machines that are observed. A machine stays in the thread that made it.
pub trait Device: Sync {
    /// What the machines of one thread are made from.
    type Image;

    /// Loads the program.
    ///
    /// # Errors
    /// What is wrong with it.
    fn image(&self) -> Result<Self::Image, String>;

    /// The machine of a trace, freshly reset, with its inputs.
    ///
    /// # Errors
    /// Why there is none.
    fn machine(&self, image: &Self::Image, trace: usize) -> Result<Machine, String>;
}

/// What to observe.
pub struct Observation<'a, D> {
    /// The program with its inputs. Trace 0 is the reference.
    pub device: &'a D,
    /// Address of the first instruction observed.
    pub begin: u32,
    /// Address of the instruction that ends the observation.
    pub end: u32,
    /// The traces.
    pub traces: Range<usize>,
    /// Which samples are taken.
    pub models: Models,
    /// Instructions of a window.
    pub window: usize,
    /// Worker threads.
    pub threads: usize,
    /// How often all runs are cut, so that the observation can be resumed; never without it.
    pub cut_every: Option<Duration>,
    /// Where to go on, from an observation with the same device, traces and models.
    pub from: Option<Cut>,
}

/// All runs between two windows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cut {
    reference: ReferenceCut,
    followers: Vec<FollowerCut>,
}

/// What is done with the samples of each trace.
pub trait Analysis: Sync {
    /// What a worker gathers in a window.
    type Partial: Send;

    /// At the start of a window; `part` counts the workers.
    fn begin(&self, window: &Window, part: usize) -> Self::Partial;

    /// A trace's samples in the window.
    fn add(&self, partial: &mut Self::Partial, trace: usize, samples: &Samples);
}

/// What a worker has gathered in a window, and where its runs stand if they were to be cut.
type Answer<P> = Result<(P, Vec<FollowerCut>), String>;

impl<D: Device> Observation<'_, D> {
    /// Runs all traces. `is_public` says for an address whether its instruction works on public
    /// values; `finish` gets each window, in order, with what the workers have gathered, and a cut
    /// behind it from time to time.
    ///
    /// # Errors
    /// If a machine cannot be made or does not reach the start.
    pub fn run<'p, A: Analysis>(
        &self,
        is_public: impl FnMut(u32) -> Option<u16> + 'p,
        analysis: &A,
        mut finish: impl FnMut(&Window, Vec<A::Partial>, Option<Cut>),
    ) -> Result<(), String> {
        let machine = self.started(&self.device.image()?, 0)?;
        let is_public: Box<IsPublic<'_>> = Box::new(is_public);
        let mut reference = Reference::new(machine, self.end, self.models, is_public);
        if let Some(cut) = &self.from {
            reference.resume(cut.reference.clone());
        }
        let mut last_cut = Instant::now();
        thread::scope(|scope| {
            let workers: Vec<_> = self
                .parts()
                .into_iter()
                .enumerate()
                .map(|(part, traces)| {
                    let (to_worker, windows) = sync_channel(AHEAD);
                    let (answers, from_worker) = sync_channel(AHEAD);
                    scope.spawn(move || self.work(analysis, part, traces, &windows, &answers));
                    (to_worker, from_worker)
                })
                .collect();
            let mut pending = VecDeque::new();
            loop {
                while pending.len() < AHEAD {
                    let Some(mut window) = reference.window(self.window) else { break };
                    if self.cut_every.is_some_and(|often| last_cut.elapsed() >= often) {
                        window.cut = Some(reference.cut());
                        last_cut = Instant::now();
                    }
                    let window = Arc::new(window);
                    for (to_worker, _) in &workers {
                        // A worker that has failed says so in its answer.
                        let _ = to_worker.send(Arc::clone(&window));
                    }
                    pending.push_back(window);
                }
                let Some(window) = pending.pop_front() else { return Ok(()) };
                let answer = |from: &Receiver<Answer<A::Partial>>| {
                    from.recv().map_err(|_| "a worker has failed".to_owned())?
                };
                let answers: Result<Vec<_>, String> =
                    workers.iter().map(|(_, from_worker)| answer(from_worker)).collect();
                let (partials, followers): (Vec<_>, Vec<_>) = answers?.into_iter().unzip();
                let followers = followers.into_iter().flatten().collect();
                let cut = window.cut.clone().map(|reference| Cut { reference, followers });
                finish(&window, partials, cut);
            }
        })
    }

    /// The traces in parts of about the same size.
    fn parts(&self) -> Vec<Range<usize>> {
        let (start, count) = (self.traces.start, self.traces.len());
        let threads = self.threads.clamp(1, count.max(1));
        let bound = |part: usize| start + part * count / threads;
        (0..threads).map(|part| bound(part)..bound(part + 1)).collect()
    }

    fn work<A: Analysis>(
        &self,
        analysis: &A,
        part: usize,
        traces: Range<usize>,
        windows: &Receiver<Arc<Window>>,
        answers: &SyncSender<Answer<A::Partial>>,
    ) {
        let mut followers = match self.followers(traces) {
            Ok(followers) => followers,
            Err(error) => return drop(answers.send(Err(error))),
        };
        let mut samples = Samples::default();
        for window in windows {
            let mut partial = analysis.begin(&window, part);
            for (trace, follower) in &mut followers {
                follower.run(&window, &mut samples);
                analysis.add(&mut partial, *trace, &samples);
            }
            let followers = followers.iter().map(|(_, follower)| follower.cut());
            let cut = if window.cut.is_some() { followers.collect() } else { Vec::new() };
            if answers.send(Ok((partial, cut))).is_err() {
                return;
            }
        }
    }

    fn followers(&self, traces: Range<usize>) -> Result<Vec<(usize, Follower)>, String> {
        let image = self.device.image()?;
        let follower = |trace| {
            let machine = self.started(&image, trace)?;
            let mut follower = Follower::new(machine, self.end, self.models);
            let cut = self.from.as_ref().map(|cut| cut.followers.get(trace - self.traces.start));
            if let Some(cut) = cut {
                follower.resume(cut.ok_or("the cut is of another observation")?.clone());
            }
            Ok((trace, follower))
        };
        traces.map(follower).collect()
    }

    /// The machine of `trace` at the start of the observation.
    fn started(&self, image: &D::Image, trace: usize) -> Result<Machine, String> {
        let mut machine = self.device.machine(image, trace)?;
        while machine.pc() != self.begin {
            match machine.step(&mut Silent) {
                None => {}
                Some(Stop::Exit(status)) => {
                    return Err(format!("trace {trace} ended with {status} before the start"));
                }
                Some(stop) => {
                    return Err(format!("trace {trace} stopped before the start: {stop:?}"));
                }
            }
        }
        Ok(machine)
    }
}
