//! The one test command.

use crate::m4::selftest;
use crate::{embedded, packages, run};
use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Runs every test of the workspace and builds the core for its target.
///
/// The tests run at release speed with debug assertions and overflow checks, so that
/// every known answer also checks every bound of the lazy arithmetic.
pub fn run() -> Result<()> {
    // The simulator is tested against it.
    let emulator = packages::provide("qemu-system-arm", &["qemu-system-arm"]);

    let mut tally = Tally::default();
    tally.count("there is a qemu-system-arm", &emulator);
    let tests = cargo_test(&mut tally);
    let embedded = ("the core builds for the Cortex-M4".to_string(), embedded::build());
    let on_the_core = selftest::checks();
    for (name, result) in [embedded].into_iter().chain(on_the_core) {
        tally.count(&name, &result);
    }

    println!("\n{} passed, {} failed", tally.passed, tally.failed);
    tests?;
    ensure!(tally.failed == 0, "checks failed");
    Ok(())
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
}

impl Tally {
    fn count(&mut self, name: &str, result: &Result<()>) {
        let verdict = match result {
            Ok(()) => {
                self.passed += 1;
                "ok"
            }
            Err(error) => {
                self.failed += 1;
                eprintln!("{name}: {error:#}");
                "FAILED"
            }
        };
        println!("test {name} ... {verdict}");
    }

    /// Adds a closing line such as `test result: ok. 18 passed; 0 failed; ...`.
    fn read(&mut self, line: &str) {
        let Some(summary) = line.strip_prefix("test result: ") else { return };
        let before = |word: &str| {
            let head = summary.split(word).next().unwrap_or_default();
            head.rsplit([' ', ';']).find_map(|part| part.parse::<usize>().ok()).unwrap_or(0)
        };
        self.passed += before(" passed");
        self.failed += before(" failed");
    }
}

fn cargo_test(tally: &mut Tally) -> Result<()> {
    let mut child = run::cargo_command()
        .args(["test", "--workspace", "--profile", "checked", "--no-fail-fast"])
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo test")?;
    let stdout = child.stdout.take().expect("standard output is a pipe");
    for line in BufReader::new(stdout).lines() {
        let line = line.context("cannot read the output of cargo test")?;
        println!("{line}");
        tally.read(&line);
    }
    if !child.wait().context("cannot wait for cargo test")?.success() {
        bail!("tests failed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn closing_lines_are_added_up() {
        let mut tally = Tally::default();
        tally.read("test result: ok. 18 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
        tally.read("test result: FAILED. 7 passed; 2 failed; 1 ignored; finished in 3.2s");
        tally.read("test something ... ok");
        assert_eq!((tally.passed, tally.failed), (25, 2));
    }
}
