//! `cargo xtask m4 ct`: the constant-time check.
//!
//! Key generation, refreshing and signing run twice, in lockstep, with different secrets and masks
//! but one public seed of the matrix. Both runs must execute the same instructions, with the same
//! conditions, and access the same addresses.

use super::image::{self, Build};
use super::simulate;
use anyhow::{Result, bail};
use m4sim::ct::{Comparison, compare};
use m4sim::report::describe_comparison;
use m4sim::{Image, Machine, Stop};
use sha2::{Digest, Sha256};

/// Functions that may differ, and why.
const ALLOWED: [(&str, &str); 7] = [
    (
        "Secrets as rand_core::TryRng>::try_fill_bytes",
        "the random generator, which stands for a hardware one",
    ),
    (
        "MaskGenerator>::uniform",
        "discards masks that are out of range; tells nothing of those kept",
    ),
    ("expand_share", "SampleQ of a share key: the same"),
    ("subtract_share", "SampleQ of a share key: the same"),
    ("chal_poly", "the challenge is public"),
    ("::hint", "the signature is public, or rejected and forgotten"),
    ("::encode", "the signature is public"),
];

/// Runs the check and prints its outcome.
pub fn run(build: &Build) -> Result<()> {
    let image = image::load(&image::build("ct", build)?)?;
    let (result, machine) = compare_runs(&image, build)?;
    println!("{}\n{}", build.set, describe_comparison(&result, &image, &machine));
    match (result.difference, result.stop) {
        (Some(_), _) => bail!("{} is not constant-time", build.set),
        (None, Stop::Exit(0)) => Ok(()),
        (None, _) => bail!("{}: the image did not come to its end", build.set),
    }
}

fn compare_runs(image: &Image, build: &Build) -> Result<(Comparison, Machine)> {
    let (mut a, _) = simulate::machine(image, build, secrets("a"))?;
    let (mut b, _) = simulate::machine(image, build, secrets("b"))?;
    let allowed = image.functions().iter().map(|function| function.name.clone());
    let allowed: Vec<_> =
        allowed.filter(|name| ALLOWED.iter().any(|(end, _)| name.ends_with(end))).collect();
    let result = compare(image, &mut a, &mut b, &allowed, u64::MAX);
    Ok((result, a))
}

/// 48 bytes of a name.
fn secrets(name: &str) -> Vec<u8> {
    let [first, second] =
        [0, 1].map(|i| Sha256::new().chain_update(name).chain_update([i]).finalize());
    [&first[..], &second[..16]].concat()
}
