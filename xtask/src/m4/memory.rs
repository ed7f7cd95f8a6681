//! `cargo xtask m4 memory`: the RAM of every operation of every set, against its limits.

use super::bench::{self, Measurement, Op};
use super::image::{Build, Masks, Matrix};
use super::published::{SETS, Set};
use crate::run;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// Bytes of RAM by set and operation, as they were last written down.
type Figures = BTreeMap<String, BTreeMap<String, u64>>;

/// Where they are.
const FIGURES: &str = "results/m4-memory.json";

/// Most RAM of an operation of a level, in bytes: signing and key generation, verification.
fn limits(set: &Set) -> [u64; 2] {
    let kib = match set.name.split('-').nth(1) {
        Some("128") => [48, 32],
        Some("192") => [56, 36],
        _ => [72, 44],
    };
    kib.map(|kib| kib << 10)
}

/// Measures all sets in the compact form with the default masks; prints the table, writes it to
/// `results/m4-memory.md`, and fails if an operation is over its limit.
pub fn run() -> Result<()> {
    let builds: Vec<_> =
        SETS.iter().map(|set| Build::new(set.name, Matrix::Streamed, Masks::Default)).collect();
    let measurements = bench::measure_with_progress(&builds)?;
    let text = table(&measurements)?;
    print!("{text}");
    fs::create_dir_all(run::root().join("results"))?;
    fs::write(run::root().join("results/m4-memory.md"), text)?;
    let figures: Figures = measurements.iter().map(|one| (one.set.clone(), ram(one))).collect();
    let json = serde_json::to_string_pretty(&figures)?;
    fs::write(run::root().join(FIGURES), json + "\n")?;
    for (set, measurement) in SETS.iter().zip(&measurements) {
        check(set, measurement)?;
    }
    Ok(())
}

/// Fails if an operation takes over 1 % more RAM than was last written down.
pub fn has_not_grown(measurement: &Measurement) -> Result<()> {
    let figures = fs::read_to_string(run::root().join(FIGURES))
        .with_context(|| format!("{FIGURES} cannot be read; `cargo xtask m4 memory` writes it"))?;
    let figures: Figures = serde_json::from_str(&figures).context(FIGURES)?;
    let written = figures.get(&measurement.set).context("the set is not in the figures")?;
    compare(written, &ram(measurement))
}

fn compare(written: &BTreeMap<String, u64>, found: &BTreeMap<String, u64>) -> Result<()> {
    for (operation, found) in found {
        let written = written.get(operation).context("the operation is not in the figures")?;
        ensure!(
            100 * found <= 101 * written,
            "{operation}: {found} B of RAM, and {written} before"
        );
    }
    Ok(())
}

fn ram(measurement: &Measurement) -> BTreeMap<String, u64> {
    measurement.ops.iter().map(|(name, op)| (name.clone(), op.ram_bytes)).collect()
}

fn check(set: &Set, measurement: &Measurement) -> Result<()> {
    for (name, Op { ram_bytes, .. }) in &measurement.ops {
        let limit = limit(set, name);
        ensure!(ram_bytes <= &limit, "{}: {name} takes {ram_bytes} B, more than {limit}", set.name);
    }
    Ok(())
}

fn limit(set: &Set, operation: &str) -> u64 {
    let [secret, public] = limits(set);
    if operation == "verify" { public } else { secret }
}

fn table(measurements: &[Measurement]) -> Result<String> {
    let mut text = String::from(
        "# RAM on the Cortex-M4\n\
         Written by `cargo xtask m4 memory`: bytes of the compact form with the default masks, without key, message and signature. \
         *Static*: data of the image and the bank of mask generators. *Stack*: the deepest below the caller, as the \
         simulator sees it. *Paper*: RAM of signing in the TCHES 2026 paper, in bytes. Flash: `m4-flash.md`.\n",
    );
    for operation in ["sign", "keygen", "verify"] {
        writeln!(
            text,
            "\n## {operation}\n| set | stack | workspace | static | all | limit | paper |\n|---|---:|---:|---:|---:|---:|---:|"
        )?;
        for (set, measurement) in SETS.iter().zip(measurements) {
            let op = measurement.ops.get(operation).context("an operation was not measured")?;
            let paper = match operation {
                "sign" => (u64::from(set.paper_ram) * 1000).to_string(),
                _ => "-".into(),
            };
            writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {paper} |",
                set.name,
                op.stack_bytes,
                op.workspace_bytes,
                op.static_bytes,
                op.ram_bytes,
                limit(set, operation)
            )?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_found() {
        let ram = |bytes| BTreeMap::from([("sign".to_string(), bytes)]);
        assert!(compare(&ram(40_000), &ram(40_400)).is_ok());
        let error = compare(&ram(40_000), &ram(40_401)).expect_err("it has grown").to_string();
        assert!(error.contains("40401 B"), "{error}");
        assert!(compare(&BTreeMap::new(), &ram(1)).is_err());
    }
}
