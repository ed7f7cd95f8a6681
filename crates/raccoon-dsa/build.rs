//! Chooses the backend of `ring` and `xof` by the target.
//!
//! `--cfg raccoon_backend="portable"` overrides the choice, and
//! `--cfg raccoon_portable_part="ntt"` for one part, to see what it is worth. Writes the
//! assembly of Keccak.

use std::{env, fs, path::Path};

#[path = "build/block.rs"]
mod block;
#[path = "build/keccak.rs"]
mod keccak;
#[path = "src/xof/armv7em/layout.rs"]
mod layout;
#[path = "build/registers.rs"]
mod registers;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/xof/armv7em/layout.rs");
    choose_backend();
    write_assembly();
}

fn choose_backend() {
    println!("cargo::rustc-check-cfg=cfg(raccoon_backend, values(\"portable\", \"armv7em\"))");
    println!(
        "cargo::rustc-check-cfg=cfg(raccoon_portable_part, \
         values(\"xof\", \"words\", \"ntt\", \"pointwise\", \"lift\", \"masks\"))"
    );
    if env::var_os("CARGO_CFG_RACCOON_BACKEND").is_none() {
        let target = env::var("TARGET").expect("cargo sets TARGET");
        let backend = match target.as_str() {
            // The Cortex-M4F and the Cortex-M7: DSP extension and floating-point registers.
            "thumbv7em-none-eabihf" => "armv7em",
            _ => "portable",
        };
        println!("cargo::rustc-cfg=raccoon_backend=\"{backend}\"");
    }
}

/// The kernels of the armv7em backend that are generated.
fn write_assembly() {
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let write = |name: &str, text: String| {
        fs::write(Path::new(&out).join(name), text).expect("OUT_DIR can be written to");
    };
    write("keccak_f1600.s", keccak::permutation(&keccak::SCHEDULE));
    write("sum_columns.s", keccak::sum_columns(&keccak::SCHEDULE));
    write("read_block.s", block::read_block());
}
