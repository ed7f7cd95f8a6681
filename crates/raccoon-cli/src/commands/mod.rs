//! The commands, one file each.

pub mod demo;
pub mod inspect;
pub mod kat;
pub mod keygen;
pub mod refresh;
pub mod sign;
pub mod verify;

use sha2::{Digest, Sha256};

/// The first half of the SHA-256 of a public key, in hexadecimal digits.
fn fingerprint(public_key: &[u8]) -> String {
    Sha256::digest(public_key)[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
