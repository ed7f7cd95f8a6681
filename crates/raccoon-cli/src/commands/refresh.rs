//! `raccoon refresh`

use crate::failure::Failure;
use crate::files::{Access, Target};
use crate::kind::read_secret_key;
use crate::set::SetOperation;
use crate::signer::Signer;
use raccoon_dsa::{ParameterSet, SigningKeyRef};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replace the sharing of a secret key by a fresh one
///
/// The key stays the same, as do its public key and all signatures. Its file is replaced in one
/// step: a crash leaves the old one or the new one.
#[derive(clap::Args)]
pub struct Arguments {
    /// The secret key
    #[arg(long, value_name = "FILE")]
    secret: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = &arguments.secret;
    let target = Target::existing(path)?;
    let (set, key) = read_secret_key(path)?;
    let done = set.run(Refresh { path, key: &key, target })?;
    writeln!(io::stdout(), "{done}")?;
    Ok(())
}

/// Refreshes a secret key, replaces its file, and says what was done.
pub struct Refresh<'a> {
    pub path: &'a Path,
    pub key: &'a [u8],
    pub target: Target,
}

impl SetOperation for Refresh<'_> {
    type Output = Result<String, Failure>;

    fn run<L: ParameterSet<D>, const D: usize>(self) -> Self::Output {
        let name = self.path.display();
        SigningKeyRef::<L, D>::from_bytes(self.key)
            .map_err(|error| Failure::file(self.path, error))?;
        if D == 1 {
            return Ok(format!("{name}: has one share, so there is nothing to refresh"));
        }
        let key = Signer::<L, D>::new()?.refresh(self.key)?;
        self.target.stage(&key, Access::Owner)?.publish()?;
        Ok(format!("{name}: {D} fresh shares"))
    }
}
