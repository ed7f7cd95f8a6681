//! Raccoon, a post-quantum signature scheme made to be masked, for devices that sign
//! while an attacker holds and measures them.
//!
//! - All of Raccoon-128, -192 and -256 with 1, 2, 4, 8, 16 or 32 shares, byte-exact with
//!   the published known answers.
//! - `no_std`, no allocator, no operating system: randomness and memory are arguments.
//! - **Share streaming**: key generation and signing hold one share of a secret at a
//!   time, so that memory grows with the number of shares by seeds alone.
//! - Strict decoding: one byte string for one public key, signature, or sharing of a secret key.
//!
//! # Signing and verifying
//! ```
//! use raccoon_dsa::{Raccoon128, Signature, SigningKey, VerifyingKey};
//! use signature::{RandomizedSignerMut, Verifier};
//! # let mut rng = raccoon_kat::NistDrbg::new(&[7; 48]);
//!
//! // `rng` is any `rand_core::TryCryptoRng`, such as the operating system's generator.
//! let mut key = SigningKey::<Raccoon128, 8>::generate(&mut rng)?;
//!
//! // Signing through the trait also replaces the sharing of the key: store it again.
//! let signature = key.try_sign_with_rng(&mut rng, b"message")?;
//! let stored: &[u8] = key.as_bytes();
//!
//! let public = VerifyingKey::<Raccoon128>::from_bytes(key.verifying_key().as_bytes())?;
//! let signature = Signature::from_bytes(signature.as_bytes())?;
//! public.verify(b"message", &signature)?;
//! assert!(public.verify(b"another message", &signature).is_err());
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! The verifier knows the level alone: keys and signatures of all share counts look the
//! same to it. A number of shares that the specification does not have is an error at
//! compile time:
//! ```compile_fail,E0277
//! fn three_shares(_: raccoon_dsa::SigningKey<raccoon_dsa::Raccoon128, 3>) {}
//! ```
//! ```
//! fn eight_shares(_: raccoon_dsa::SigningKey<raccoon_dsa::Raccoon128, 8>) {}
//! ```
//!
//! # On a device
//! The calls [`generate`], [`sign`], [`refresh`] and [`verify`] work in memory that the
//! caller provides, read the key from where it lies (in flash, say), and fill their
//! results in place:
//! ```
//! use raccoon_dsa::{
//!     Level, Masks, ParameterSet, Raccoon128, SigningKeyRef, VerifyWorkspace, Workspace, generate,
//!     sign, verify,
//! };
//! # let mut rng = raccoon_kat::NistDrbg::new(&[7; 48]);
//!
//! // It could be in a `static`: `new` is `const`, and `Workspace::SIZE` says its bytes.
//! let mut workspace = Workspace::<Raccoon128, 4>::new();
//! let mut masks = Masks::from_rng(&mut rng)?;
//!
//! const KEY_BYTES: usize = <Raccoon128 as ParameterSet<4>>::SIGNING_KEY_BYTES;
//! let mut key = [0; KEY_BYTES];
//! generate(&mut key, &mut rng, &mut masks, &mut workspace)?;
//!
//! let key = SigningKeyRef::<Raccoon128, 4>::from_bytes(&key)?;
//! let mut hasher = key.hasher();
//! hasher.update(b"a message that arrives ");
//! hasher.update(b"in parts");
//! let mu = hasher.finish();
//! let mut signature = [0; Raccoon128::SIGNATURE_BYTES];
//! sign(&key, &mu, &mut signature, &mut rng, &mut masks, &mut workspace)?;
//!
//! verify(key.verifying_key(), &mu, &signature, &mut VerifyWorkspace::new())?;
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Choices
//! | choice | by | default |
//! |---|---|---|
//! | level and number of shares | [`Raccoon128`], [`Raccoon192`], [`Raccoon256`] with `D` | |
//! | memory or speed | [`Workspace`] with [`Streamed`] or [`Stored`] matrix | streamed |
//! | mask generator | [`Masks`] and [`Workspace`] with [`ChaCha8`] or [`Lfsr127`] | ChaCha8 |
//!
//! # Building blocks
//! The modules are public for evaluators and benchmarks; their interfaces may change in
//! any release. Only the items re-exported here are for general use.

#![no_std]

mod api;
mod bits;
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
mod signature;
pub mod storage;
mod verify;
mod workspace;
pub mod xof;

pub use api::SignatureBytes;
pub use error::{Encoding, Error};
pub use key::{SigningKey, SigningKeyRef, VerifyingKey, VerifyingKeyRef};
pub use keygen::{generate, refresh};
pub use masking::{ChaCha8, Lfsr127, MaskGenerator, Masks};
pub use matrix::{Matrix, Stored, Streamed};
pub use message::{MessageHash, MessageHasher};
pub use params::{Level, ParameterSet, Raccoon128, Raccoon192, Raccoon256};
pub use sign::{sign, sign_streamed};
pub use signature::Signature;
pub use storage::Zeroed;
pub use verify::verify;
pub use workspace::{VerifyWorkspace, Workspace};

/// The backend of arithmetic and hash that was built, for reports.
pub const BACKEND: &str = if cfg!(raccoon_backend = "armv7em") { "armv7em" } else { "portable" };

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
