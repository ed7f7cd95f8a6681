//! Known answers on an emulated and on a simulated core.

use super::image::{self, Build, Masks, Matrix};
use super::layout::BOARDS;
use super::{bench, ct, memory, simulate};
use crate::{packages, run};
use anyhow::{Context, Result, ensure};
use m4sim::Silent;

/// What a check is called, and how it went.
pub type Check = (String, Result<()>);

/// The first known answers of a set of each level, on QEMU and on the simulator; then the same sets
/// measured, the smallest also with the memory of each board and checked for constant time.
pub fn checks() -> Vec<Check> {
    let sets = ["raccoon-128-2", "raccoon-192-4", "raccoon-256-4"];
    let builds = sets.map(|set| Build::new(set, Matrix::Streamed, Masks::Default));
    let small = &builds[0];
    let constant_time =
        (format!("{} is constant-time on the Cortex-M4", small.set), ct::run(small));
    let check = |build: &Build| {
        let measured = bench::measure(build);
        let ram = measured.as_ref().ok().map(memory::has_not_grown);
        [
            (format!("{} known answers on the Cortex-M4", build.set), selftest(build)),
            (format!("{} measured on the Cortex-M4", build.set), measured.map(drop)),
            (format!("{} takes no more RAM than before", build.set), ram.unwrap_or(Ok(()))),
        ]
    };
    let boards = BOARDS.iter().map(|board| {
        let name = format!("{} known answers in the RAM of {}", small.set, board.chip);
        (name, selftest_in(small, board.layout))
    });
    builds.iter().flat_map(check).chain(boards).chain([constant_time]).collect()
}

/// On the simulator, with the RAM of a layout and no more.
fn selftest_in(build: &Build, layout: &str) -> Result<()> {
    let build = build.clone().in_layout(layout);
    let image = image::load(&image::build("selftest", &build)?)?;
    let output = simulate::run(&image, &build, &mut Silent)?;
    ensure!(output.contains("known answer 2 ok"), "on the simulator:\n{output}");
    Ok(())
}

fn selftest(build: &Build) -> Result<()> {
    let elf = image::build("selftest", build)?;
    let simulated = simulate::run(&image::load(&elf)?, build, &mut Silent)?;
    ensure!(simulated.contains("known answer 2 ok"), "on the simulator:\n{simulated}");

    packages::provide("qemu-system-arm", &["qemu-system-arm"])?;
    let elf = elf.to_string_lossy();
    let machine = ["-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", &*elf];
    let emulated = run::output("qemu-system-arm", &machine).context("QEMU failed")?;
    ensure!(emulated == simulated, "QEMU and the simulator differ:\n{emulated}\n{simulated}");
    Ok(())
}
