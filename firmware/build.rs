//! Turns the environment into a memory layout and a parameter set.
//!
//! | variable | values | default |
//! |---|---|---|
//! | `RACCOON_LAYOUT` | a file of `layouts/`, without `.x` | `mps2` |
//! | `RACCOON_SET` | `raccoon-128-1` to `raccoon-256-32` | `raccoon-128-2` |
//! | `RACCOON_MATRIX` | `streamed`, `stored` | `streamed` |
//! | `RACCOON_MASKS` | `lfsr127`, `default`, `zero` | `lfsr127` |

use std::path::{Path, PathBuf};
use std::{env, fs};

const VECTORS: &str = "../crates/raccoon-kat/first-vectors.json";

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let layout = format!("layouts/{}.x", setting("RACCOON_LAYOUT", "mps2"));
    copy(Path::new(&layout), &out.join("memory.x"));
    println!("cargo::rustc-link-search={}", out.display());

    let set = setting("RACCOON_SET", "raccoon-128-2");
    fs::write(out.join("config.rs"), config(&set)).expect("OUT_DIR can be written to");
}

/// An environment variable; a change of it rebuilds.
fn setting(name: &str, default: &str) -> String {
    println!("cargo::rerun-if-env-changed={name}");
    env::var(name).unwrap_or_else(|_| default.into())
}

fn copy(from: &Path, to: &Path) {
    println!("cargo::rerun-if-changed={}", from.display());
    fs::copy(from, to).unwrap_or_else(|error| panic!("no layout {}: {error}", from.display()));
}

/// The Rust source of the parameter set and its first known answer.
fn config(set: &str) -> String {
    let mut parts = set.split('-');
    let (Some("raccoon"), Some(level), Some(d), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        panic!("RACCOON_SET is {set} and not like raccoon-128-2");
    };
    let matrix = match setting("RACCOON_MATRIX", "streamed").as_str() {
        "streamed" => "Streamed",
        "stored" => "Stored",
        other => panic!("RACCOON_MATRIX is {other} and not streamed or stored"),
    };
    let masks = match setting("RACCOON_MASKS", "lfsr127").as_str() {
        "lfsr127" => "raccoon_dsa::Lfsr127",
        "default" => "raccoon_dsa::ChaCha8",
        "zero" => "crate::leak::NoMasks",
        other => panic!("RACCOON_MASKS is {other} and not lfsr127, default or zero"),
    };

    println!("cargo::rerun-if-changed={VECTORS}");
    let vectors = fs::read_to_string(VECTORS).expect("the first vectors are in the tree");
    let vectors: serde_json::Value = serde_json::from_str(&vectors).expect("they are JSON");
    let answers = vectors[set].as_array().unwrap_or_else(|| panic!("there is no set {set}"));
    let answers: String = answers.iter().map(known_answer).collect();
    format!(
        "/// The level.\npub type Level = raccoon_dsa::Raccoon{level};\n\
         /// The number of shares.\npub const D: usize = {d};\n\
         /// Where the matrix is.\npub type Matrix = raccoon_dsa::{matrix}<Level>;\n\
         /// The mask generator.\npub type MaskGenerator = {masks};\n\
         /// The first known answers of the set.\n\
         pub static KNOWN_ANSWERS: &[crate::KnownAnswer] = &[{answers}];\n"
    )
}

/// The Rust source of a known answer.
fn known_answer(answer: &serde_json::Value) -> String {
    let bytes = |name: &str| {
        let digits = answer[name].as_str().unwrap_or_else(|| panic!("a vector has no {name}"));
        let pairs = digits.as_bytes().chunks_exact(2).map(|pair| String::from_utf8_lossy(pair));
        let bytes: Vec<String> = pairs.map(|pair| format!("0x{pair}")).collect();
        format!("[{}]", bytes.join(", "))
    };
    format!(
        "crate::KnownAnswer {{ seed: {}, message: &{}, public: {}, secret: {}, signed: {} }},",
        bytes("seed"),
        bytes("msg"),
        bytes("sha256_pk"),
        bytes("sha256_sk"),
        bytes("sha256_sm")
    )
}
