//! The known answers of Raccoon: requests and responses in the format of NIST's
//! `PQCgenKAT_sign.c`, byte for byte.
//!
//! `first-vectors.json` beside the sources holds the seeds, messages and result hashes of the
//! first three published vectors of every set, for firmware to be checked by.
//!
//! Without the `std` feature this is the generator and the requests alone, for use in
//! firmware.

#![cfg_attr(not(feature = "std"), no_std)]

mod drbg;
#[cfg(feature = "std")]
mod response;

pub use drbg::NistDrbg;
#[cfg(feature = "std")]
pub use response::{KatError, Response, respond, write_responses};

use rand_core::Rng;

/// The requests of a response file, in order: a seed and a message each.
pub struct Requests {
    drbg: NistDrbg,
    count: usize,
}

impl Requests {
    /// From request 0 on.
    pub fn new() -> Self {
        let entropy = core::array::from_fn(|i| i as u8);
        Self { drbg: NistDrbg::new(&entropy), count: 0 }
    }

    /// Bytes of the next message: 33, 66, 99, ...
    pub fn message_len(&self) -> usize {
        33 * (self.count + 1)
    }

    /// The next request: its message, [`message_len`](Self::message_len) bytes, is
    /// written to `message`, and the seed of its generator is returned.
    ///
    /// # Panics
    /// If `message` has another length.
    pub fn next_into(&mut self, message: &mut [u8]) -> [u8; 48] {
        assert_eq!(message.len(), self.message_len(), "a request has a message of fixed length");
        let mut seed = [0; 48];
        self.drbg.fill_bytes(&mut seed);
        self.drbg.fill_bytes(message);
        self.count += 1;
        seed
    }
}

impl Default for Requests {
    fn default() -> Self {
        Self::new()
    }
}
