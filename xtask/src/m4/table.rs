//! The measurements in Markdown, beside the published figures.

use super::bench::{Measurement, Op};
use super::published::{SETS, Set};

/// Finds measurements by set, matrix form and mask generator.
pub struct Measurements<'a>(pub &'a [Measurement]);

impl Measurements<'_> {
    /// An operation, if it was measured.
    pub fn op(&self, set: &str, matrix: &str, masks: &str, operation: &str) -> Option<&Op> {
        let wanted = (set, matrix, masks);
        let is_wanted =
            |found: &&Measurement| (&*found.set, &*found.matrix, &*found.masks) == wanted;
        self.0.iter().find(is_wanted)?.ops.get(operation)
    }

    /// Its cycles, in millions.
    pub fn mcycles(&self, set: &str, matrix: &str, masks: &str, operation: &str) -> Option<f64> {
        self.op(set, matrix, masks, operation).map(|op| op.cycles as f64 / 1e6)
    }
}

/// All tables.
pub fn tables(measurements: &[Measurement]) -> String {
    let mut text = String::from(
        "# Cycles and memory on the Cortex-M4\n\
         Written by `cargo xtask m4 bench --all`; every row comes with its known answer. Millions of cycles on the simulated \
         core, without the random generator's. *Stored* and *compact*: the matrix kept whole, or one row at a time. *Reference* \
         and *paper*: the board measurements published with the TCHES 2026 paper (NUCLEO-L4R5ZI, gcc 13.3). *Floor*: the Keccak \
         permutations that signing cannot avoid, at 9,413 cycles, the best published for this core. Masks of the first \
         tables are those of the reference, from `Lfsr127`.\n",
    );
    if let Some(Measurement { compiler, model, backend, .. }) = measurements.first() {
        text += &format!("\nCompiler: {compiler}; model: {model}; backend: {backend}\n");
    }
    text += "\n![Cycles of signing against the number of shares](m4-bench.svg)\n";
    let measurements = Measurements(measurements);
    for (operation, title) in
        [("sign", "Signing"), ("keygen", "Key generation"), ("verify", "Verification")]
    {
        text += &cycles(&measurements, operation, title);
    }
    text += &default_masks(&measurements);
    text + &parts(&measurements)
}

/// A table: a heading, a head, and a row for every set.
fn table(title: &str, columns: &[&str], row: impl Fn(&Set) -> Vec<String>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<_> = columns.iter().map(ToString::to_string).collect();
    let rule: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(i, _)| if i == 0 { "---" } else { "---:" }.into())
        .collect();
    let rows: String = SETS.iter().map(|set| line(&row(set))).collect();
    format!("\n## {title}\n{}{}{rows}", line(&head), line(&rule))
}

fn cycles(measurements: &Measurements<'_>, operation: &str, title: &str) -> String {
    let columns = [
        "set",
        "reference",
        "paper",
        "floor",
        "stored",
        "compact",
        "reference / stored",
        "paper / stored",
        "paper / compact",
        "stored / floor",
    ];
    table(title, &columns, |set| {
        let published = set.published(operation);
        let floor = (operation == "sign").then_some(set.floor);
        let [stored, compact] = ["stored", "streamed"]
            .map(|matrix| measurements.mcycles(set.name, matrix, "lfsr127", operation));
        vec![
            set.name.into(),
            figure(published.reference),
            figure(published.paper),
            figure(floor),
            figure(stored),
            figure(compact),
            ratio(published.reference, stored),
            ratio(published.paper, stored),
            ratio(published.paper, compact),
            ratio(stored, floor),
        ]
    })
}

fn default_masks(measurements: &Measurements<'_>) -> String {
    let columns = [
        "set",
        "sign stored",
        "sign compact",
        "against `Lfsr127`",
        "keygen compact",
        "against `Lfsr127`",
    ];
    table("The default mask generator", &columns, |set| {
        let find = |matrix, masks, op| measurements.mcycles(set.name, matrix, masks, op);
        let sign = find("streamed", "default", "sign");
        let keygen = find("streamed", "default", "keygen");
        vec![
            set.name.into(),
            figure(find("stored", "default", "sign")),
            figure(sign),
            ratio(sign, find("streamed", "lfsr127", "sign")),
            figure(keygen),
            ratio(keygen, find("streamed", "lfsr127", "keygen")),
        ]
    })
}

/// Where signing spends its time, and what memory it takes.
fn parts(measurements: &Measurements<'_>) -> String {
    let columns = [
        "set",
        "permutations",
        "Keccak",
        "NTT",
        "sampling",
        "masks",
        "RAM compact, KiB",
        "RAM stored, KiB",
        "paper, KB",
    ];
    table("Signing: where the time goes (compact), and memory", &columns, |set| {
        let op = |matrix| measurements.op(set.name, matrix, "lfsr127", "sign");
        let share = |part: fn(&Op) -> u64| {
            let percent = |op: &Op| format!("{:.0} %", 100.0 * part(op) as f64 / op.cycles as f64);
            op("streamed").map_or("-".into(), percent)
        };
        let ram = |matrix| {
            op(matrix).map_or("-".into(), |op| format!("{:.1}", op.ram_bytes as f64 / 1024.0))
        };
        vec![
            set.name.into(),
            op("streamed").map_or("-".into(), |op| op.keccak_permutations.to_string()),
            share(|op| op.keccak_cycles),
            share(|op| op.ntt_cycles),
            share(|op| op.sampling_cycles),
            share(|op| op.mask_cycles),
            ram("streamed"),
            ram("stored"),
            set.paper_ram.to_string(),
        ]
    })
}

/// Millions of cycles, three digits at least.
fn figure(mcycles: Option<f64>) -> String {
    match mcycles {
        Some(mcycles) if mcycles < 100.0 => format!("{mcycles:.1}"),
        Some(mcycles) => format!("{mcycles:.0}"),
        None => "-".into(),
    }
}

fn ratio(a: Option<f64>, b: Option<f64>) -> String {
    a.zip(b).map_or("-".into(), |(a, b)| format!("{:.2}", a / b))
}
