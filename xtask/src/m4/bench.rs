//! `cargo xtask m4 bench`: cycles and memory on the simulated core, checked against the known
//! answers.

use super::image::{self, Build, Masks, Matrix};
use super::operations::{Operations, Totals};
use super::{chart, published, simulate, table};
use crate::run;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use m4sim::{Image, Section};
use raccoon_dsa::{Level, Raccoon128, Signature, VerifyingKey};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::thread;

/// The operations of the image.
const OPERATIONS: [&str; 3] = ["keygen", "sign", "verify"];
/// First address of RAM; flash lies below.
const RAM: u32 = 0x2000_0000;

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    build: Build,
    /// One operation instead of all three
    #[arg(long, value_enum)]
    op: Option<Operation>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// All sets, matrix forms and mask generators; writes results/m4-bench.json, .md and .svg
    #[arg(long, conflicts_with_all = ["set", "matrix", "masks", "op", "json"])]
    all: bool,
}

/// An operation of the image.
#[derive(Clone, Copy, ValueEnum)]
pub enum Operation {
    /// Key generation
    Keygen,
    /// Signing
    Sign,
    /// Verification
    Verify,
}

impl Operation {
    /// Its function.
    pub fn name(self) -> &'static str {
        OPERATIONS[self as usize]
    }
}

/// One image, measured.
#[derive(Serialize)]
pub struct Measurement {
    pub set: String,
    pub matrix: String,
    pub masks: String,
    pub backend: String,
    pub compiler: String,
    pub model: String,
    pub ops: BTreeMap<String, Op>,
    sha256: Hashes,
    kat: &'static str,
}

/// One operation, measured. `cycles` and `instructions` are without the random generator's.
#[derive(Serialize)]
pub struct Op {
    pub cycles: u64,
    instructions: u64,
    pub keccak_permutations: u64,
    pub keccak_cycles: u64,
    pub ntt_cycles: u64,
    pub sampling_cycles: u64,
    pub mask_cycles: u64,
    rng_cycles: u64,
    /// Stack, workspace and static data, without key, message and output.
    pub ram_bytes: u64,
    pub stack_bytes: u32,
    pub workspace_bytes: u64,
    pub static_bytes: u64,
    /// The whole image, with all three operations and the harness.
    flash_bytes: u64,
}

#[derive(Serialize, PartialEq, Debug)]
struct Hashes {
    pk: String,
    sk: String,
    sm: String,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.all {
        return all();
    }
    let mut measurement = measure(&arguments.build)?;
    if let Some(operation) = arguments.op {
        measurement.ops.retain(|op, _| op == operation.name());
    }
    if arguments.json {
        println!("{}", serde_json::to_string(&measurement)?);
    } else {
        print(&measurement);
    }
    Ok(())
}

/// Builds and runs an image, and checks its results.
pub fn measure(build: &Build) -> Result<Measurement> {
    let image = image::load(&image::build("bench", build)?)?;
    Ok(simulate_bench(build, &image)?.0)
}

/// Measures a small set and verifies what the core signed on the host.
pub fn demo() -> Result<()> {
    let build = Build::new("raccoon-128-2", Matrix::Streamed, Masks::Default);
    let image = image::load(&image::build("bench", &build)?)?;
    let (measurement, output) = simulate_bench(&build, &image)?;
    println!("\non a simulated Cortex-M4");
    print(&measurement);
    output.verify::<Raccoon128>()?;
    println!("the signature made there verifies here");
    Ok(())
}

fn simulate_bench(build: &Build, image: &Image) -> Result<(Measurement, Output)> {
    let mut operations = Operations::new(image, &OPERATIONS).map_err(|error| anyhow!(error))?;
    let output = simulate::run(image, build, &mut operations)?;
    let output = Output::parse(&output)?;
    let sha256 = output.check(&build.set)?;
    let memory = Memory { sizes: &output.sizes, sections: image.sections() };
    let ops = operations.totals().map(|(name, totals)| (name.to_string(), memory.op(name, totals)));
    let measurement = Measurement {
        set: build.set.clone(),
        matrix: build.matrix.to_string(),
        masks: build.masks.to_string(),
        backend: output.backend.clone(),
        compiler: image::compiler()?,
        model: format!("m4sim {}", env!("CARGO_PKG_VERSION")),
        ops: ops.collect(),
        sha256,
        kat: "ok",
    };
    Ok((measurement, output))
}

/// What the image prints.
struct Output {
    backend: String,
    sizes: BTreeMap<String, u64>,
    secret: Vec<u8>,
    signed: Vec<u8>,
}

impl Output {
    fn parse(text: &str) -> Result<Self> {
        let line = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.with_context(|| format!("the image did not print {name}"))
        };
        let words: Vec<_> = line("sizes")?.split(' ').collect();
        let sizes = words.chunks_exact(2).map(|pair| Ok((pair[0].to_string(), pair[1].parse()?)));
        Ok(Self {
            backend: line("backend")?.into(),
            sizes: sizes.collect::<Result<_>>()?,
            secret: hex::decode(line("sk")?).context("the image printed a bad sk")?,
            signed: hex::decode(line("sm")?).context("the image printed a bad sm")?,
        })
    }

    /// Verifies signature and message with the public key that the secret key starts with.
    fn verify<L: Level>(&self) -> Result<()> {
        let key = VerifyingKey::<L>::from_bytes(&self.secret[..L::VERIFYING_KEY_BYTES])?;
        let (signature, message) = self.signed.split_at(L::SIGNATURE_BYTES);
        let mu = key.hasher().chain(message).finish();
        Ok(key.verify_hash(&mu, &Signature::from_bytes(signature)?)?)
    }

    /// Compares with the published known answer.
    fn check(&self, set: &str) -> Result<Hashes> {
        let (expected, public_bytes) = published::known_answer(set)?;
        let hash = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
        ensure!(self.secret.len() > public_bytes, "{set}: the secret key is too short");
        let found = Hashes {
            pk: hash(&self.secret[..public_bytes]),
            sk: hash(&self.secret),
            sm: hash(&self.signed),
        };
        let [pk, sk, sm] = expected;
        ensure!(found == Hashes { pk, sk, sm }, "{set}: the known answer does not come out");
        Ok(found)
    }
}

/// The memory of an image.
struct Memory<'a> {
    sizes: &'a BTreeMap<String, u64>,
    sections: &'a [Section],
}

impl Memory<'_> {
    fn op(&self, name: &str, totals: &Totals) -> Op {
        let workspace = if name == "verify" { "verify_workspace" } else { "workspace" };
        let workspace_bytes = self.size(workspace);
        let static_bytes =
            self.static_bytes() + if name == "verify" { 0 } else { self.size("masks") };
        Op {
            cycles: totals.cycles,
            instructions: totals.instructions,
            keccak_permutations: totals.keccak_permutations,
            keccak_cycles: totals.keccak_cycles,
            ntt_cycles: totals.ntt_cycles,
            sampling_cycles: totals.sampling_cycles,
            mask_cycles: totals.mask_cycles,
            rng_cycles: totals.rng_cycles,
            ram_bytes: u64::from(totals.stack_bytes) + workspace_bytes + static_bytes,
            stack_bytes: totals.stack_bytes,
            workspace_bytes,
            static_bytes,
            flash_bytes: self.section_bytes(|section| section.range.base < RAM),
        }
    }

    fn size(&self, name: &str) -> u64 {
        self.sizes.get(name).copied().unwrap_or_default()
    }

    /// Static data but for workspaces, key and signature.
    fn static_bytes(&self) -> u64 {
        let all = self.section_bytes(|section| section.range.base >= RAM);
        let known = ["workspace", "verify_workspace", "buffers"].map(|name| self.size(name));
        all.saturating_sub(known.iter().sum())
    }

    fn section_bytes(&self, belongs: impl Fn(&&Section) -> bool) -> u64 {
        self.sections.iter().filter(belongs).map(|section| u64::from(section.range.size)).sum()
    }
}

fn print(measurement: &Measurement) {
    let Measurement { set, matrix, masks, backend, compiler, model, .. } = measurement;
    println!("{set}, matrix {matrix}, masks {masks}, backend {backend}\n{compiler}, {model}\n");
    println!(
        "{:>8} {:>13} {:>13} {:>8} {:>6} {:>6} {:>6} {:>6} {:>10} {:>8}",
        "",
        "cycles",
        "instructions",
        "permuted",
        "Keccak",
        "NTT",
        "sample",
        "masks",
        "RAM",
        "stack"
    );
    for (name, op) in &measurement.ops {
        let share = |cycles: u64| format!("{:.1}%", 100.0 * cycles as f64 / op.cycles as f64);
        println!(
            "{name:>8} {:>13} {:>13} {:>8} {:>6} {:>6} {:>6} {:>6} {:>8} B {:>6} B",
            op.cycles,
            op.instructions,
            op.keccak_permutations,
            share(op.keccak_cycles),
            share(op.ntt_cycles),
            share(op.sampling_cycles),
            share(op.mask_cycles),
            op.ram_bytes,
            op.stack_bytes
        );
    }
    println!("\nthe results are those of the known answers");
}

/// Everything, on all cores: images are built one after the other and simulated beside that.
fn all() -> Result<()> {
    let builds: Vec<Build> = published::SETS
        .iter()
        .flat_map(|set| {
            let matrices = [Matrix::Streamed, Matrix::Stored].into_iter();
            matrices.flat_map(move |matrix| {
                [Masks::Lfsr127, Masks::Default].map(|masks| Build::new(set.name, matrix, masks))
            })
        })
        .collect();
    let measurements = measure_with_progress(&builds)?;
    let results = run::root().join("results");
    fs::create_dir_all(&results)?;
    let json = serde_json::to_string_pretty(&measurements)?;
    fs::write(results.join("m4-bench.json"), json + "\n")?;
    fs::write(results.join("m4-bench.md"), table::tables(&measurements))?;
    fs::write(results.join("m4-bench.svg"), chart::signing(&measurements)?)?;
    println!("{} images measured; results/m4-bench.json, .md and .svg written", measurements.len());
    Ok(())
}

/// Measures images, in the order given, with a progress bar.
pub fn measure_with_progress(builds: &[Build]) -> Result<Vec<Measurement>> {
    let bar = ProgressBar::new(builds.len() as u64).with_style(
        ProgressStyle::with_template("{msg:16} {wide_bar} {pos}/{len} {eta}").expect("a template"),
    );
    let measurements = measure_all(builds, &bar)?;
    bar.finish_and_clear();
    Ok(measurements)
}

fn measure_all(builds: &[Build], bar: &ProgressBar) -> Result<Vec<Measurement>> {
    let queue = Mutex::new(builds.iter().enumerate());
    let done = Mutex::new(BTreeMap::new());
    let work = || -> Result<()> {
        loop {
            let next = {
                // One build at a time: they share a folder.
                let mut queue = queue.lock().expect("no thread panics");
                let Some((index, build)) = queue.next() else { return Ok(()) };
                bar.set_message(build.set.clone());
                (index, build, image::load(&image::build("bench", build)?)?)
            };
            let (index, build, image) = next;
            let (measurement, _) = simulate_bench(build, &image)?;
            done.lock().expect("no thread panics").insert(index, measurement);
            bar.inc(1);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(_) => bail!("a worker panicked"),
        })
    })?;
    Ok(done.into_inner().expect("no thread panics").into_values().collect())
}
