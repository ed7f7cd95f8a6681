//! What the images have in common: the parameter set they were built for, the cycle
//! counter, the metered generator, the painted stack, and memory with a name.

#![no_std]

pub mod cycles;
pub mod kernels;
pub mod leak;
pub mod memory;
pub mod stack;

/// A published known answer, its results as SHA-256 hashes.
pub struct KnownAnswer {
    /// The seed of the generator.
    pub seed: [u8; 48],
    /// The message.
    pub message: &'static [u8],
    /// Hash of the public key.
    pub public: [u8; 32],
    /// Hash of the secret key.
    pub secret: [u8; 32],
    /// Hash of signature and message.
    pub signed: [u8; 32],
}

/// The parameter set, chosen by the environment of the build; see `build.rs`.
pub mod config {
    include!(concat!(env!("OUT_DIR"), "/config.rs"));
}
