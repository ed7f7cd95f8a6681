//! `raccoon keygen`

use super::fingerprint;
use crate::failure::Failure;
use crate::files::{Access, Target};
use crate::set::{SET_HELP, SetName, SetOperation};
use crate::signer::Signer;
use crate::table::bytes;
use raccoon_dsa::{Error, ParameterSet};
use std::io::{self, Write};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Generate a key pair
#[derive(clap::Args)]
pub struct Arguments {
    #[arg(long, value_enum, hide_possible_values = true, help = SET_HELP)]
    set: SetName,
    /// Where to write the secret key; only its owner will be able to read it
    #[arg(long, value_name = "FILE")]
    secret: PathBuf,
    /// Where to write the public key
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { set, secret, public, force } = arguments;
    let secret_target = Target::new(secret, *force)?;
    let public_target = Target::new(public, *force)?;
    secret_target.must_not_be(public)?;

    let (secret_key, public_length) = set.run(Generate)?;
    let public_key = &secret_key[..public_length];
    let secret_file = secret_target.stage(&secret_key, Access::Owner)?;
    let public_file = public_target.stage(public_key, Access::Everyone)?;
    // The secret key last: until then an older one is still there, and its public key can be
    // had from it again.
    public_file.publish_with(secret_file)?;

    let mut out = io::stdout().lock();
    writeln!(out, "{}: {set} secret key, {}", secret.display(), bytes(secret_key.len()))?;
    writeln!(out, "{}: {} public key, {}", public.display(), set.level, bytes(public_length))?;
    writeln!(out, "fingerprint {}", fingerprint(public_key))?;
    Ok(())
}

/// A secret key, and how many bytes at its start are the public key.
struct Generate;

impl SetOperation for Generate {
    type Output = Result<(Zeroizing<Vec<u8>>, usize), Error>;

    fn run<L: ParameterSet<D>, const D: usize>(self) -> Self::Output {
        Ok((Signer::<L, D>::new()?.generate()?, L::VERIFYING_KEY_BYTES))
    }
}
