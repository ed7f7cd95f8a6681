//! Building for `thumbv7em-none-eabihf`.
//!
//! With rustup the target is a component. Where rustup cannot fetch it, Debian's own
//! compiler comes with the source of `core`, which cargo can build.

use crate::{packages, run};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

/// The target.
pub const TARGET: &str = "thumbv7em-none-eabihf";
/// Debian's compiler, cargo, and the source of its libraries.
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_SOURCE: &str = "/usr/lib/rustlib/src/rust/library/core";

/// Builds the core, without any other feature than its own.
pub fn build() -> Result<()> {
    let mut cargo = toolchain()?;
    cargo.current_dir(run::root());
    cargo.args(["build", "--release", "-p", "raccoon-dsa", "--no-default-features"]);
    // Its own folder: two compilers in one would rebuild everything in turn.
    cargo.args(["--target", TARGET, "--target-dir", "target/embedded"]);
    run::succeed(&mut cargo)
}

/// The compiler that [`toolchain`] uses.
pub fn rustc() -> Result<String> {
    let cargo = toolchain()?;
    let debian = cargo.get_program() == DEBIAN_CARGO;
    Ok(if debian { DEBIAN_RUSTC.into() } else { "rustc".into() })
}

/// A cargo that can build for the target.
pub fn toolchain() -> Result<Command> {
    if rustup_has_target() || (rustup_adds_target() && rustup_has_target()) {
        return Ok(run::cargo_command());
    }
    if !debian_is_there() {
        packages::install(&DEBIAN_PACKAGES);
    }
    if debian_is_there() {
        return Ok(debian_cargo());
    }
    bail!(
        "no compiler for {TARGET}; run one of\n    rustup target add {TARGET}\n    apt-get install {}",
        DEBIAN_PACKAGES.join(" ")
    )
}

fn rustup_has_target() -> bool {
    run::output("rustup", &["target", "list", "--installed"])
        .is_some_and(|targets| targets.lines().any(|target| target == TARGET))
}

fn rustup_adds_target() -> bool {
    run::output("rustup", &["target", "add", TARGET]).is_some()
}

fn debian_is_there() -> bool {
    [DEBIAN_RUSTC, DEBIAN_CARGO, DEBIAN_SOURCE].iter().all(|path| Path::new(path).exists())
}

fn debian_cargo() -> Command {
    let mut cargo = Command::new(DEBIAN_CARGO);
    // `build-std` is only for nightly compilers, or with this.
    cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTC", DEBIAN_RUSTC);
    // Set by the cargo that runs this program, for another compiler.
    for variable in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC_WRAPPER", "RUSTFLAGS"] {
        cargo.env_remove(variable);
    }
    cargo.arg("-Zbuild-std=core");
    cargo
}
