//! Figures of others: known answers, and Cortex-M4 cycles.
//!
//! Cycles are in millions, measured by the authors of "Efficient and Compact High-order Masking
//! Raccoon on Memory Constrained Devices" (TCHES 2026) on a NUCLEO-L4R5ZI with gcc 13.3: their own
//! code (*paper*) and the reference C (*ref*). The floor is 9,413 cycles, the best published for
//! this core, for every Keccak permutation that cannot be avoided.

use anyhow::{Context, Result};
use raccoon_dsa::{Level, Raccoon128, Raccoon192, Raccoon256};

/// A parameter set with its published figures, where there are any.
pub struct Set {
    pub name: &'static str,
    sign: Row,
    /// RAM of the paper's signing, in KB.
    pub paper_ram: u32,
    /// The floor of signing.
    pub floor: f64,
    keygen: Row,
    verify: Row,
}

/// Millions of cycles.
#[derive(Clone, Copy)]
pub struct Row {
    pub reference: Option<f64>,
    pub paper: Option<f64>,
}

const fn row(reference: f64, paper: f64) -> Row {
    Row { reference: some(reference), paper: some(paper) }
}

/// `None` for 0, which stands for a figure that was not published.
const fn some(figure: f64) -> Option<f64> {
    if figure == 0.0 { None } else { Some(figure) }
}

const fn set(name: &'static str, sign: Row, paper_ram: u32, floor: f64, keygen: Row) -> Set {
    let verify = match name.as_bytes()[8] {
        b'1' if name.as_bytes()[9] == b'2' => row(21.9, 10.8),
        b'1' => row(35.7, 17.2),
        _ => row(60.9, 29.0),
    };
    Set { name, sign, paper_ram, floor, keygen, verify }
}

/// All sets.
pub const SETS: [Set; 18] = [
    set("raccoon-128-1", row(65.3, 31.1), 234, 21.1, row(29.1, 12.9)),
    set("raccoon-128-2", row(72.4, 34.9), 287, 22.2, row(35.4, 16.2)),
    set("raccoon-128-4", row(84.8, 41.5), 361, 24.2, row(0.0, 0.0)),
    set("raccoon-128-8", row(197.0, 107.0), 558, 64.3, row(111.0, 55.9)),
    set("raccoon-128-16", row(0.0, 343.0), 612, 72.6, row(0.0, 0.0)),
    set("raccoon-128-32", row(0.0, 18_536.0), 370, 244.0, row(0.0, 661.0)),
    set("raccoon-192-1", row(93.9, 44.5), 336, 30.3, row(0.0, 0.0)),
    set("raccoon-192-2", row(103.0, 49.5), 389, 31.6, row(53.9, 24.6)),
    set("raccoon-192-4", row(108.0, 56.2), 488, 34.2, row(0.0, 0.0)),
    set("raccoon-192-8", row(0.0, 489.0), 407, 87.3, row(0.0, 77.5)),
    set("raccoon-192-16", row(0.0, 7_444.0), 260, 97.7, row(0.0, 0.0)),
    set("raccoon-192-32", row(0.0, 29_707.0), 396, 324.0, row(0.0, 1_058.0)),
    set("raccoon-256-1", row(122.0, 62.9), 509, 44.7, row(0.0, 0.0)),
    set("raccoon-256-2", row(135.0, 69.9), 579, 46.5, row(85.7, 39.0)),
    set("raccoon-256-4", row(0.0, 274.0), 312, 50.1, row(0.0, 0.0)),
    set("raccoon-256-8", row(0.0, 788.0), 505, 121.0, row(0.0, 0.0)),
    set("raccoon-256-16", row(0.0, 12_685.0), 298, 136.0, row(0.0, 0.0)),
    set("raccoon-256-32", row(0.0, 48_351.0), 437, 439.0, row(0.0, 1_767.0)),
];

/// The best known figure of a kernel elsewhere, and its source.
pub fn kernel(name: &str) -> Option<(&'static str, &'static str)> {
    let paper = "the paper's public development code, simulated";
    let dilithium = "pqm4's Dilithium transform of 256, scaled";
    Some(match name {
        "permute" => ("9,413", "lazy rotations, on an STM32F407"),
        "read_block" => ("920", "54 instructions a lane"),
        "ntt" => ("36,300", dilithium),
        "intt" | "intt_product" => ("37,700", dilithium),
        "mul" => ("8,737", paper),
        "mul_add" => ("14,112", paper),
        "sample_u_41" => ("270,000", "the paper"),
        "expand_a" => ("348,000", "the paper"),
        "mask_lfsr127" => ("15,900", "the paper's ZeroEncoding, d = 2"),
        _ => return None,
    })
}

const VECTORS: &str = include_str!("../../../crates/raccoon-kat/first-vectors.json");

/// The hashes of public key, secret key and signed message of a set's first known answer, and the
/// bytes of its public key.
pub fn known_answer(set: &str) -> Result<([String; 3], usize)> {
    let vectors: serde_json::Value = serde_json::from_str(VECTORS)?;
    let first = &vectors[set][0];
    let hash = |name: &str| {
        let hash = first[name].as_str().map(str::to_string);
        hash.with_context(|| format!("there is no known answer of {set}"))
    };
    let public_bytes = match set.split('-').nth(1) {
        Some("128") => Raccoon128::VERIFYING_KEY_BYTES,
        Some("192") => Raccoon192::VERIFYING_KEY_BYTES,
        _ => Raccoon256::VERIFYING_KEY_BYTES,
    };
    Ok(([hash("sha256_pk")?, hash("sha256_sk")?, hash("sha256_sm")?], public_bytes))
}

impl Set {
    /// The published cycles of an operation.
    pub fn published(&self, operation: &str) -> Row {
        match operation {
            "sign" => self.sign,
            "keygen" => self.keygen,
            _ => self.verify,
        }
    }
}
