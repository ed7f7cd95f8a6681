//! Firmware images, one for every parameter set, matrix form and mask generator.

use crate::embedded;
use crate::run;
use anyhow::{Context, Result, anyhow};
use clap::{Args, ValueEnum};
use m4sim::Image;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// What an image is built for.
#[derive(Args, Clone, Debug)]
pub struct Build {
    /// Parameter set, such as raccoon-128-2
    #[arg(long, default_value = "raccoon-128-2")]
    pub set: String,
    /// Where the matrix is: expanded whenever a row is needed, or kept whole
    #[arg(long, value_enum, default_value_t = Matrix::Streamed)]
    pub matrix: Matrix,
    /// Mask generator: the reference's, or the default
    #[arg(long, value_enum, default_value_t = Masks::Lfsr127)]
    pub masks: Masks,
    /// Backend of the arithmetic and the hash
    #[arg(long, value_enum, default_value_t = Backend::Armv7em)]
    pub backend: Backend,
    /// One part of the backend that is portable all the same, to see what it is worth
    #[arg(long)]
    pub portable_part: Option<String>,
    /// Memory layout, a file of firmware/layouts
    #[arg(long, default_value = "mps2")]
    pub layout: String,
}

impl Build {
    /// For the simulator.
    pub fn new(set: &str, matrix: Matrix, masks: Masks) -> Self {
        Self {
            set: set.into(),
            matrix,
            masks,
            backend: Backend::Armv7em,
            portable_part: None,
            layout: "mps2".into(),
        }
    }

    /// The folder of a build that is not the usual one, and the flag that makes it so.
    fn flag(&self) -> Option<(String, String)> {
        match (&self.backend, &self.portable_part) {
            (Backend::Portable, _) => {
                Some(("portable".into(), r#"raccoon_backend="portable""#.into()))
            }
            (_, Some(part)) => {
                Some((format!("portable-{part}"), format!(r#"raccoon_portable_part="{part}""#)))
            }
            _ => None,
        }
    }

    /// The same in another memory layout.
    pub fn in_layout(self, layout: &str) -> Self {
        Self { layout: layout.into(), ..self }
    }
}

/// The backend of ring and xof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// The one made for this core
    Armv7em,
    /// Plain Rust
    Portable,
}

/// Where the matrix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Matrix {
    /// One row at a time
    Streamed,
    /// All of it
    Stored,
}

/// The mask generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Masks {
    /// The reference's shift register, for comparison
    Lfsr127,
    /// The strong default
    Default,
    /// None at all: every mask is zero, to show what that does
    Zero,
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Matrix::Streamed => "streamed",
            Matrix::Stored => "stored",
        })
    }
}

impl fmt::Display for Masks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Masks::Lfsr127 => "lfsr127",
            Masks::Default => "default",
            Masks::Zero => "zero",
        })
    }
}

/// Builds an image of the firmware and returns the path of its ELF file.
pub fn build(image: &str, build: &Build) -> Result<PathBuf> {
    let firmware = run::root().join("firmware");
    let mut cargo = embedded::toolchain()?;
    cargo.current_dir(&firmware);
    let mut target = run::root().join("target/firmware");
    if let Some((folder, flag)) = build.flag() {
        // Its own folder, so that no backend is built again in turn. Cargo joins this flag with
        // those of the firmware's configuration.
        target.push(folder);
        cargo.arg("--config");
        cargo.arg(format!("target.{}.rustflags = ['--cfg', '{flag}']", embedded::TARGET));
    }
    cargo.args(["build", "--release", "--quiet", "--bin", image, "--target-dir"]).arg(&target);
    cargo.env("RACCOON_SET", &build.set);
    cargo.env("RACCOON_MATRIX", build.matrix.to_string());
    cargo.env("RACCOON_MASKS", build.masks.to_string());
    cargo.env("RACCOON_LAYOUT", &build.layout);
    run::succeed(&mut cargo)?;
    Ok(target.join(embedded::TARGET).join("release").join(image))
}

/// Reads an ELF file.
pub fn load(elf: &Path) -> Result<Image> {
    let bytes = fs::read(elf).with_context(|| format!("cannot read {}", elf.display()))?;
    Image::parse(&bytes).map_err(|error| anyhow!("{}: {error}", elf.display()))
}

/// The compiler of the images and the flags that matter.
pub fn compiler() -> Result<String> {
    let rustc = embedded::rustc()?;
    let version = run::output(&rustc, &["--version"]).context("the compiler has no version")?;
    Ok(format!("{}, -C opt-level=2 -C lto=fat", version.trim()))
}
