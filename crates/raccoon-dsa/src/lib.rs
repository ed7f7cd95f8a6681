//! Raccoon.
#![no_std]

mod api;
pub mod bounds;
pub mod challenge;
mod commit;
pub mod encoding;
mod error;
mod key;
mod keygen;
pub mod masking;
mod matrix;
mod message;
pub mod params;
pub mod ring;
pub mod sampling;
mod sign;
pub mod storage;
mod verify;
mod workspace;
pub mod xof;

pub use api::SignatureBytes;
pub use error::{Encoding, Error};
pub use key::{SigningKey, SigningKeyRef, VerifyingKey, VerifyingKeyRef};
pub use keygen::{generate, refresh};
pub use masking::{ChaCha8, Lfsr127, Masks};
pub use matrix::{Matrix, Stored, Streamed};
pub use message::{MessageHash, MessageHasher};
pub use params::{Level, ParameterSet, Raccoon128, Raccoon192, Raccoon256};
pub use sign::{Signature, sign};
pub use verify::verify;
pub use workspace::{VerifyWorkspace, Workspace};
