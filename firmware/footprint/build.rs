//! Turns `RACCOON_SET` into a level and a number of shares. Any memory will do.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=RACCOON_SET");
    println!("cargo::rerun-if-changed=../layouts/mps2.x");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::copy("../layouts/mps2.x", out.join("memory.x")).expect("the layout is in the tree");
    println!("cargo::rustc-link-search={}", out.display());

    let set = env::var("RACCOON_SET").unwrap_or_else(|_| "raccoon-128-2".into());
    let parts: Vec<&str> = set.split('-').collect();
    let ["raccoon", level, d] = parts[..] else {
        panic!("RACCOON_SET is {set} and not like raccoon-128-2")
    };
    let config = format!(
        "/// The level.\npub type Level = raccoon_dsa::Raccoon{level};\n\
         /// The number of shares.\npub const D: usize = {d};\n"
    );
    fs::write(out.join("config.rs"), config).expect("OUT_DIR can be written to");
}
