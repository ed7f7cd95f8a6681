//! `cargo xtask m4 ablation`: what each part of the backend is worth.

use super::bench;
use super::image::{Build, Masks, Matrix};
use crate::run;
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use std::fmt::Write;
use std::fs;

/// The sets it is measured with.
const SETS: [&str; 2] = ["raccoon-128-2", "raccoon-128-32"];

/// The parts of the backend that can be portable on their own, and what they are.
const PARTS: [(&str, &str); 6] = [
    ("xof", "Keccak, and absorbing and squeezing around it"),
    ("words", "SampleU and SampleQ: from words of the hash to residues"),
    ("ntt", "NTT and inverse NTT"),
    ("pointwise", "products, sums, reductions, packing of polynomials"),
    ("lift", "Chinese remainders and rounding"),
    ("masks", "mask polynomials"),
];

/// Measures signing with each part portable in turn; prints the table and writes
/// `results/m4-ablation.md`.
pub fn run() -> Result<()> {
    let bar = ProgressBar::new(((PARTS.len() + 1) * SETS.len()) as u64);
    let measure = |part: Option<&str>| -> Result<Vec<f64>> {
        let cycles = |set: &&str| {
            let mut build = Build::new(set, Matrix::Streamed, Masks::Lfsr127);
            build.portable_part = part.map(str::to_string);
            let measurement = bench::measure(&build)?;
            bar.inc(1);
            Ok(measurement.ops["sign"].cycles as f64 / 1e6)
        };
        SETS.iter().map(cycles).collect()
    };
    let all = measure(None)?;
    let mut text = format!(
        "# What each part of the Cortex-M4 backend is worth\n\
         Written by `cargo xtask m4 ablation`: millions of cycles of signing (compact, `Lfsr127` masks) with one part at a time \
         replaced by plain Rust, on the simulated core; every run comes with its known answer.\n\n\
         | portable part | {} | | {} | |\n|---|---:|---:|---:|---:|\n",
        SETS[0], SETS[1]
    );
    let row = |text: &mut String, name: &str, cycles: &[f64]| {
        write!(text, "| {name}").context("cannot write the table")?;
        for (cycles, all) in cycles.iter().zip(&all) {
            let factor = cycles / all;
            write!(text, " | {cycles:.1} | {factor:.2}x").context("cannot write the table")?;
        }
        writeln!(text, " |").context("cannot write the table")
    };
    row(&mut text, "none", &all)?;
    for (part, name) in PARTS {
        row(&mut text, name, &measure(Some(part))?)?;
    }
    bar.finish_and_clear();
    print!("{text}");
    fs::create_dir_all(run::root().join("results"))?;
    fs::write(run::root().join("results/m4-ablation.md"), text)?;
    Ok(())
}
