//! `cargo xtask m4 footprint`: the flash that the scheme takes, with and without signing.

use super::image;
use crate::{embedded, run};
use anyhow::{Result, ensure};
use m4sim::Image;
use std::fmt::Write;
use std::fs;

/// Most bytes of an image that generates keys, signs and verifies.
const SIGNER_LIMIT: u32 = 48 << 10;
/// Most bytes of an image that verifies.
const VERIFIER_LIMIT: u32 = 24 << 10;
/// First address of RAM; flash lies below.
const RAM: u32 = 0x2000_0000;

/// Builds both images of each level for the least flash and for speed; prints the table, writes
/// it to `results/m4-flash.md`, and fails if an image of the small profile is over its limit.
pub fn run() -> Result<()> {
    let mut text = format!(
        "# Flash on the Cortex-M4\n\
         Written by `cargo xtask m4 footprint`: bytes of whole images, vector table included, with two shares and the default \
         mask generator. *Signer*: key generation, signing and verification; *verifier*: verification, without any masking code. \
         *Small* is optimised for size (the kernels are assembly in any case), *fast* is what is measured elsewhere. {}\n\n\
         | level | signer, small | verifier, small | signer, fast | verifier, fast |\n|---|---:|---:|---:|---:|\n",
        image::compiler()?
    );
    for level in ["128", "192", "256"] {
        let [small, fast] = ["small", "release"].map(|profile| sizes(level, profile));
        let (small, fast) = (small?, fast?);
        writeln!(
            text,
            "| Raccoon-{level} | {} | {} | {} | {} |",
            small.signer, small.verifier, fast.signer, fast.verifier
        )?;
        ensure!(small.signer <= SIGNER_LIMIT, "Raccoon-{level} takes {} B", small.signer);
        ensure!(small.verifier <= VERIFIER_LIMIT, "verifying takes {} B", small.verifier);
    }
    print!("{text}");
    fs::create_dir_all(run::root().join("results"))?;
    fs::write(run::root().join("results/m4-flash.md"), text)?;
    Ok(())
}

/// Bytes of flash.
struct Sizes {
    signer: u32,
    verifier: u32,
}

fn sizes(level: &str, profile: &str) -> Result<Sizes> {
    let target = run::root().join("target/firmware/footprint");
    let mut cargo = embedded::toolchain()?;
    cargo.current_dir(run::root().join("firmware"));
    cargo.args(["build", "--quiet", "-p", "raccoon-footprint", "--profile", profile]);
    cargo.arg("--target-dir").arg(&target);
    cargo.env("RACCOON_SET", format!("raccoon-{level}-2"));
    run::succeed(&mut cargo)?;
    let load = |image: &str| image::load(&target.join(embedded::TARGET).join(profile).join(image));
    let (signer, verifier) = (load("signer")?, load("verifier")?);
    let masks = |image: &Image| image.functions().iter().any(|f| f.name.contains("masking"));
    ensure!(masks(&signer), "the signer's masking code has another name");
    ensure!(!masks(&verifier), "masking code is linked to a verifier");
    Ok(Sizes { signer: flash(&signer), verifier: flash(&verifier) })
}

fn flash(image: &Image) -> u32 {
    let sections = image.sections().iter().filter(|section| section.range.base < RAM);
    sections.map(|section| section.range.size).sum()
}
