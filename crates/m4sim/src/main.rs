//! The `m4sim` command: runs a program for a Cortex-M4 and reports what it cost.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use m4sim::ct::{self, Comparison};
use m4sim::report::{Report, describe_comparison, describe_fault};
use m4sim::{
    Host, Image, Machine, Observer, Profile, Range, SLOW_RAM, Silent, Stop, Stream, Touched, Trace,
};
use serde_json::json;

/// RAM where none is chosen: that of an STM32L4R5.
const DEFAULT_RAM: Range = Range { base: DEFAULT_BASE, size: 640 << 10 };
const DEFAULT_BASE: u32 = 0x2000_0000;
/// Status for misuse, faults and exhausted limits.
const FAILED: u8 = 2;
/// Status when the constant-time check finds a difference.
const DIFFERENT: u8 = 1;
/// Instructions between two updates of the progress line.
const CHUNK: u64 = 4_000_000;

/// Runs programs for a Cortex-M4, counts cycles, and watches memory.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs an ELF image until it exits; its exit status becomes this command's.
    Run(Run),
}

#[derive(clap::Args)]
struct Run {
    /// The image.
    elf: PathBuf,
    /// A region of RAM, SIZE at 0x20000000 or BASE:SIZE, as in 64K or 0x10000000:64K; may be repeated.
    #[arg(long, value_parser = parse_range, value_name = "[BASE:]SIZE")]
    ram: Vec<Range>,
    /// Addresses whose RAM is slow; 0 for none. By default those of an STM32L4R5: from 0x20030000 on.
    #[arg(long, value_parser = parse_range, value_name = "[BASE:]SIZE")]
    slow: Option<Range>,
    /// File that the image reads as its console input.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Report cycles by function, stack, memory, divisions, registers not kept.
    #[arg(long)]
    profile: bool,
    /// Write every executed instruction to a file.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Stop after this many instructions.
    #[arg(long, value_name = "N", default_value_t = u64::MAX)]
    max_instructions: u64,
    /// Arguments of the image; one that starts with a hyphen is written --args=-x.
    #[arg(long, num_args = 0.., value_name = "ARG")]
    args: Vec<String>,
    /// Constant-time check: run a second time with these arguments and compare the two runs.
    #[arg(long, num_args = 0.., value_name = "ARG", conflicts_with_all = ["profile", "trace"])]
    ct: Option<Vec<String>>,
    /// Console input of the second run of the constant-time check.
    #[arg(long, value_name = "FILE", requires = "ct")]
    ct_input: Option<PathBuf>,
    /// A function that may behave differently in the constant-time check; may be repeated.
    #[arg(long, value_name = "FUNCTION", requires = "ct")]
    allow: Vec<String>,
    /// Print the report as JSON on standard output, with the image's output inside.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let Command::Run(run) = Arguments::parse().command;
    match run.perform() {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            eprintln!("m4sim: {message}");
            ExitCode::from(FAILED)
        }
    }
}

fn parse_range(text: &str) -> Result<Range, String> {
    let (base, size) = match text.split_once(':') {
        Some((base, size)) => (parse_number(base)?, size),
        None => (DEFAULT_BASE, text),
    };
    Ok(Range { base, size: parse_number(size)? })
}

/// A number, decimal or hexadecimal, with an optional K or M for kibi and mebi.
fn parse_number(text: &str) -> Result<u32, String> {
    let (digits, unit) = match text.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix(['M', 'm']).map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    let number = match digits.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    let number =
        number.map_err(|_| format!("{text} is not a number such as 65536, 0x10000, 64K"))?;
    number.checked_mul(unit).ok_or_else(|| format!("{text} does not fit 32 bits"))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// What the image wrote, where it is kept for the report.
#[derive(Clone, Default)]
struct Captured {
    output: Arc<Mutex<Vec<u8>>>,
    error: Arc<Mutex<Vec<u8>>>,
}

impl Captured {
    fn keep(&self, stream: Stream, bytes: &[u8]) {
        let buffer = match stream {
            Stream::Output => &self.output,
            Stream::Error => &self.error,
        };
        if let Ok(mut buffer) = buffer.lock() {
            buffer.extend_from_slice(bytes);
        }
    }

    fn text(buffer: &Mutex<Vec<u8>>) -> String {
        buffer.lock().map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default()
    }
}

/// Passes what the image writes on to the terminal. A closed pipe must not end the simulation.
fn pass_on(stream: Stream, bytes: &[u8]) {
    let _ = match stream {
        Stream::Output => std::io::stdout().write_all(bytes),
        Stream::Error => std::io::stderr().write_all(bytes),
    };
}

impl Run {
    fn perform(&self) -> Result<u8, String> {
        let image =
            Image::parse(&read(&self.elf)?).map_err(|e| format!("{}: {e}", self.elf.display()))?;
        match &self.ct {
            Some(arguments) => self.compare(&image, arguments),
            None => self.simulate(&image),
        }
    }

    fn simulate(&self, image: &Image) -> Result<u8, String> {
        let captured = Captured::default();
        let sink = captured.clone();
        let keep = self.json;
        let console = move |stream, bytes: &[u8]| {
            if keep { sink.keep(stream, bytes) } else { pass_on(stream, bytes) }
        };
        let mut machine = self.machine(image, &self.args, self.input.as_deref(), console)?;
        let mut profile = Profile::new(image, &machine);
        let mut touched = Touched::new(&machine);
        let stop = match &self.trace {
            Some(path) => self.trace(path, &mut machine, (&mut profile, &mut touched))?,
            None if self.profile => self.go(&mut machine, &mut (&mut profile, &mut touched)),
            None => self.go(&mut machine, &mut Silent),
        };
        let detail = self.profile.then_some((&profile, &touched));
        let report = Report { image, machine: &machine, stop: &stop, detail };
        if self.json {
            let mut json = report.json();
            json["output"] = json!(Captured::text(&captured.output));
            json["error_output"] = json!(Captured::text(&captured.error));
            println!("{json}");
        } else if self.profile {
            eprint!("{}", report.text());
        }
        Ok(self.status(&stop, image, &machine))
    }

    fn status(&self, stop: &Stop, image: &Image, machine: &Machine) -> u8 {
        match stop {
            Stop::Exit(status) => *status as u8,
            Stop::Fault(fault) => {
                eprintln!("m4sim: {}", describe_fault(fault, image, machine));
                FAILED
            }
            Stop::Limit => {
                eprintln!(
                    "m4sim: stopped after {} instructions\n  at {}",
                    machine.instructions(),
                    image.describe(machine.pc())
                );
                FAILED
            }
        }
    }

    fn trace(
        &self,
        path: &Path,
        machine: &mut Machine,
        mut detail: (&mut Profile<'_>, &mut Touched),
    ) -> Result<Stop, String> {
        let failed = |e| format!("{}: {e}", path.display());
        let mut trace = Trace::new(BufWriter::new(File::create(path).map_err(failed)?));
        let stop = self.go(machine, &mut (&mut trace, &mut detail));
        trace.finish().map_err(failed)?;
        Ok(stop)
    }

    fn machine(
        &self,
        image: &Image,
        arguments: &[String],
        input: Option<&Path>,
        console: impl FnMut(Stream, &[u8]) + 'static,
    ) -> Result<Machine, String> {
        let ram = if self.ram.is_empty() { &[DEFAULT_RAM][..] } else { &self.ram };
        let name = self.elf.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let words: Vec<_> = [&name].into_iter().chain(arguments).cloned().collect();
        let input = input.map(read).transpose()?.unwrap_or_default();
        let host = Host::new(words.join(" "), input, console);
        let machine = image.machine(ram, host);
        let mut machine = machine.map_err(|e| format!("{}: {e}", self.elf.display()))?;
        machine.set_slow_ram(self.slow.unwrap_or(SLOW_RAM));
        Ok(machine)
    }

    /// Runs to the end, with a progress line on a terminal.
    fn go<O: Observer>(&self, machine: &mut Machine, observer: &mut O) -> Stop {
        let progress = progress();
        loop {
            let left = self.max_instructions - machine.instructions();
            let stop = machine.run(left.min(CHUNK), observer);
            if stop != Stop::Limit || machine.instructions() >= self.max_instructions {
                progress.finish_and_clear();
                return stop;
            }
            progress.set_message(format!("{} million cycles", machine.cycles() / 1_000_000));
        }
    }

    fn compare(&self, image: &Image, arguments: &[String]) -> Result<u8, String> {
        let second = self.ct_input.as_deref().or(self.input.as_deref());
        let mut a = self.machine(image, &self.args, self.input.as_deref(), |_, _| {})?;
        let mut b = self.machine(image, arguments, second, |_, _| {})?;
        let progress = progress();
        progress.set_message("comparing two runs");
        let result = ct::compare(image, &mut a, &mut b, &self.allow, self.max_instructions);
        progress.finish_and_clear();
        if self.json {
            println!("{}", comparison_json(&result, image, &a));
        } else {
            println!("{}", describe_comparison(&result, image, &a));
        }
        Ok(match (result.difference, result.stop) {
            (Some(_), _) => DIFFERENT,
            (None, Stop::Exit(0)) => 0,
            // What lies behind the end was not compared.
            (None, _) => FAILED,
        })
    }
}

fn comparison_json(result: &Comparison, image: &Image, machine: &Machine) -> serde_json::Value {
    json!({
        "compared": result.compared,
        "allowed": result.allowed,
        "exit": matches!(result.stop, Stop::Exit(0)),
        "difference": result.difference.as_ref().map(|_| describe_comparison(result, image, machine)),
    })
}

/// A spinner with a message, drawn only on a terminal.
fn progress() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]");
    let bar = ProgressBar::new_spinner();
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
