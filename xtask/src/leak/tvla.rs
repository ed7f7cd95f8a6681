//! `cargo xtask leak tvla`: fixed against random.

use super::inputs::{Inputs, Vary};
use super::public::{self, PUBLIC};
use super::{Arguments, Target, report};
use crate::m4::image::{self, Build, Matrix};
use crate::m4::simulate;
use crate::run;
use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use m4leak::{
    Cut, Device, Judge, Models, Moments, Observation, Order, Outcome, Source, Tvla, Window,
};
use m4sim::{Image, Machine, Silent};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Where an observation begins and ends, by function.
const MARKS: [&str; 2] = ["leak_begin", "leak_end"];

/// How often the progress is saved.
const SAVED_EVERY: Duration = Duration::from_secs(120);

/// How far a test has come.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Progress {
    /// Of which test.
    test: String,
    /// The batch of traces at work.
    batch: usize,
    /// Windows of the batch that are done.
    windows: usize,
    /// Instructions that are done, of all traces.
    done: u64,
    /// The moments of the batches before, by window.
    kept: Vec<[Moments; 2]>,
    /// What has been judged.
    outcome: Option<Outcome>,
    /// Where the runs of the batch stand.
    cut: Option<Cut>,
}

/// Runs a test, prints its table and writes its report; whether nothing leaks.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let test = Test::new(arguments)?;
    let started = Instant::now();
    let outcome = test.outcome()?;
    let report = report::Report::new(&test, outcome, started.elapsed())?;
    println!("{}", report.table());
    let folder = test.folder();
    fs::write(folder.join("report.html"), report.html()?)?;
    fs::write(folder.join("outcome.json"), serde_json::to_string(&report.outcome)?)?;
    println!("report: {}", folder.join("report.html").display());
    Ok(report.leaks.is_empty())
}

/// A test, ready to run.
pub struct Test {
    pub arguments: Arguments,
    pub vary: Vary,
    pub elf: PathBuf,
    build: Build,
    inputs: Inputs,
}

impl Device for Test {
    type Image = Image;

    fn image(&self) -> Result<Image, String> {
        image::load(&self.elf).map_err(|error| error.to_string())
    }

    fn machine(&self, image: &Image, trace: usize) -> Result<Machine, String> {
        let machine = simulate::machine(image, &self.build, self.inputs.of(trace));
        machine.map(|(machine, _)| machine).map_err(|error| error.to_string())
    }
}

impl Test {
    pub fn new(arguments: &Arguments) -> Result<Self> {
        let keygen = arguments.target == Target::Keygen;
        let vary = arguments.vary.unwrap_or(if keygen { Vary::Noise } else { Vary::Key });
        let build = Build::new(&arguments.set, Matrix::Streamed, arguments.masks);
        let test = Self {
            vary,
            elf: image::build("leak", &build)?,
            build,
            inputs: Inputs::new(&arguments.set, arguments.target, vary)?,
            arguments: arguments.clone(),
        };
        // An image of its own: another build must not get in between.
        fs::create_dir_all(test.folder())?;
        let elf = test.folder().join("leak.elf");
        fs::copy(&test.elf, &elf)?;
        Ok(Self { elf, ..test })
    }

    fn folder(&self) -> PathBuf {
        run::root().join("target/leak").join(self.name())
    }

    /// A name for files.
    pub fn name(&self) -> String {
        let Arguments { set, target, order, traces, masks, .. } = &self.arguments;
        let vary = format!("{:?}", self.vary).to_lowercase();
        format!("{set}-{}-{vary}-{masks}-order{order}-{traces}", target.name())
    }

    pub fn models(&self) -> Models {
        let chosen = &self.arguments.models;
        if chosen.is_empty() { Models::ALL } else { chosen.iter().copied().collect() }
    }

    fn order(&self) -> Order {
        if self.arguments.order == 2 { Order::Second } else { Order::First }
    }

    /// Runs the test, or goes on with it. Traces beyond one batch are simulated batch after batch,
    /// and their moments, of the whole run, kept meanwhile.
    pub fn outcome(&self) -> Result<Outcome> {
        let image = self.image().map_err(|error| anyhow!(error))?;
        let bar = self.progress(&image)?;
        let mut source = self.source()?;
        let mut progress = self.saved().unwrap_or_default();
        let mut judge = match progress.outcome.take() {
            Some(outcome) => Judge::resume(outcome),
            None => Judge::new(self.arguments.traces, PUBLIC.len()),
        };
        let batches = self.batches();
        for (number, traces) in batches.iter().enumerate().skip(progress.batch) {
            let last = number + 1 == batches.len();
            let from = progress.cut.take();
            bar.set_position(progress.done);
            self.observe(&image, traces.clone(), from, &mut source, |window, mut moments, cut| {
                if let Some(before) = progress.kept.get_mut(progress.windows) {
                    moments.iter_mut().zip(&*before).for_each(|(all, part)| all.merge(part));
                    *before = moments.clone();
                } else if !last {
                    progress.kept.push(moments.clone());
                }
                if last {
                    judge.judge(window, &moments, self.order());
                }
                progress.windows += 1;
                progress.done += (window.steps.len() * traces.len()) as u64;
                bar.set_position(progress.done);
                if cut.is_some() {
                    progress.cut = cut;
                    progress.outcome = Some(judge.so_far());
                    bar.suspend(|| self.save(&progress));
                }
            })?;
            (progress.batch, progress.windows, progress.cut) = (number + 1, 0, None);
        }
        bar.finish_and_clear();
        // There need not be one.
        let _ = fs::remove_file(self.progress_file());
        Ok(judge.outcome())
    }

    fn progress_file(&self) -> PathBuf {
        self.folder().join("progress.json")
    }

    /// What an interrupted run of the same test with the same image has left.
    fn saved(&self) -> Option<Progress> {
        if self.arguments.afresh {
            return None;
        }
        let file = fs::read(self.progress_file()).ok()?;
        let progress: Progress = serde_json::from_slice(&file).ok()?;
        (progress.test == self.identity().ok()?).then_some(progress)
    }

    /// Replaces what was saved: by a new file that takes its place when it is whole.
    fn save(&self, progress: &Progress) {
        let whole = || -> Result<()> {
            let progress = Progress { test: self.identity()?, ..progress.clone() };
            let file = self.progress_file();
            let part = file.with_extension("part");
            fs::write(&part, serde_json::to_vec(&progress)?)?;
            Ok(fs::rename(&part, &file)?)
        };
        if let Err(error) = whole() {
            eprintln!("the progress is not saved: {error:#}");
        }
    }

    /// All that decides the outcome.
    fn identity(&self) -> Result<String> {
        let image = Sha256::digest(fs::read(&self.elf)?);
        let Arguments { batch, window, models, noise, .. } = &self.arguments;
        Ok(format!("{} {batch} {window} {models:?} {noise} {}", self.name(), hex::encode(image)))
    }

    pub fn source(&self) -> Result<Source> {
        Source::new(&self.elf).map_err(|error| anyhow!(error))
    }

    fn batches(&self) -> Vec<std::ops::Range<usize>> {
        let traces = self.arguments.traces;
        let starts = (0..traces).step_by(self.arguments.batch.max(1));
        starts.map(|start| start..traces.min(start + self.arguments.batch)).collect()
    }

    fn observe(
        &self,
        image: &Image,
        traces: std::ops::Range<usize>,
        from: Option<Cut>,
        source: &mut Source,
        mut finish: impl FnMut(&Window, [Moments; 2], Option<Cut>),
    ) -> Result<()> {
        let [begin, end] = marks(image)?;
        let observation = Observation {
            device: self,
            begin,
            end,
            traces,
            models: self.models(),
            window: self.arguments.window,
            threads: available_parallelism().map_or(1, usize::from),
            cut_every: Some(SAVED_EVERY),
            from,
        };
        let tvla = Tvla { order: self.order(), noise: self.arguments.noise, seed: 0 };
        let is_public = |address| public::entry(source, address);
        observation
            .run(is_public, &tvla, |window, partials, cut| {
                if let Some(moments) = m4leak::merge(partials) {
                    finish(window, moments, cut);
                }
            })
            .map_err(|error| anyhow!(error))
    }

    /// A bar over all instructions of all traces, by the length of the first.
    fn progress(&self, image: &Image) -> Result<ProgressBar> {
        let [begin, end] = marks(image)?;
        let mut machine = self.machine(image, 0).map_err(|error| anyhow!(error))?;
        let mut advance = |to| {
            while machine.pc() != to && machine.step(&mut Silent).is_none() {}
            machine.instructions()
        };
        let instructions = advance(begin).abs_diff(advance(end));
        let style = ProgressStyle::with_template("{wide_bar} {percent} %  {eta} left")?;
        let total = instructions * self.arguments.traces as u64;
        Ok(ProgressBar::new(total).with_style(style))
    }
}

fn marks(image: &Image) -> Result<[u32; 2]> {
    let mark = |name| {
        let function = image.functions().iter().find(|function| function.name == name);
        function.map(|f| f.address).with_context(|| format!("the image has no {name}"))
    };
    let [begin, end] = MARKS.map(mark);
    Ok([begin?, end?])
}
