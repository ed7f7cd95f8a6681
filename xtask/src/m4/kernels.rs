//! `cargo xtask m4 kernels`: every kernel, checked against the portable backend and measured.

use super::image::{self, Build, Masks, Matrix};
use super::{published, simulate};
use crate::run;
use anyhow::{Context, Result, ensure};
use m4sim::Silent;
use std::fmt::Write;
use std::fs;

/// The cycles of a kernel.
#[derive(Debug, PartialEq)]
struct Kernel {
    name: String,
    cycles: u64,
    /// Those of its portable counterpart, if it has one.
    portable: Option<u64>,
}

/// Measures the kernels, prints the table, and writes it to `results/m4-kernels.md`.
pub fn run() -> Result<()> {
    let table = table(&measure()?)?;
    print!("{table}");
    fs::create_dir_all(run::root().join("results"))?;
    fs::write(run::root().join("results/m4-kernels.md"), table)?;
    Ok(())
}

/// Builds and runs the image, which ends with an error where a kernel is wrong.
fn measure() -> Result<Vec<Kernel>> {
    let build = Build::new("raccoon-128-2", Matrix::Streamed, Masks::Lfsr127);
    let output =
        simulate::run(&image::load(&image::build("kernels", &build)?)?, &build, &mut Silent)?;
    let kernels: Vec<_> = output.lines().filter_map(parse).collect();
    ensure!(!kernels.is_empty(), "the image printed no kernel:\n{output}");
    Ok(kernels)
}

/// A line `kernel NAME cycles N`, perhaps with `portable N` behind it.
fn parse(line: &str) -> Option<Kernel> {
    let mut words = line.strip_prefix("kernel ")?.split(' ');
    let name = words.next()?.to_string();
    let mut figure =
        |label| words.next().filter(|word| *word == label).and(words.next())?.parse().ok();
    Some(Kernel { name, cycles: figure("cycles")?, portable: figure("portable") })
}

fn table(kernels: &[Kernel]) -> Result<String> {
    let mut text = format!(
        "# Kernels on the Cortex-M4\n\
         Written by `cargo xtask m4 kernels`: cycles on the simulated core ({}; m4sim {}). Every kernel gives what its portable \
         counterpart gives, on random and on extreme inputs. *Elsewhere*: the best known figure of others and where it is \
         from. A polynomial is 512 coefficients modulo both primes.\n\n\
         | kernel | cycles | portable | elsewhere | |\n|---|---:|---:|---:|---|\n",
        image::compiler()?,
        env!("CARGO_PKG_VERSION"),
    );
    for Kernel { name, cycles, portable } in kernels {
        let portable = portable.map_or("-".into(), |portable| portable.to_string());
        let (figure, source) = published::kernel(name).unwrap_or(("-", ""));
        writeln!(text, "| `{name}` | {cycles} | {portable} | {figure} | {source} |")
            .context("cannot write the table")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_image() {
        let kernel =
            |name: &str, cycles, portable| Some(Kernel { name: name.into(), cycles, portable });
        assert_eq!(
            parse("kernel ntt cycles 32000 portable 160000"),
            kernel("ntt", 32_000, Some(160_000))
        );
        assert_eq!(parse("kernel expand_a cycles 300000"), kernel("expand_a", 300_000, None));
        assert_eq!(parse("kernel ntt"), None);
        assert_eq!(parse("known answer 0 ok"), None);
    }
}
