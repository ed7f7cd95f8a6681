//! `raccoon sign`

use super::refresh::Refresh;
use crate::failure::Failure;
use crate::files::{Access, Target};
use crate::kind::read_secret_key;
use crate::message::Message;
use crate::set::SetOperation;
use crate::signer::Signer;
use crate::table::bytes;
use raccoon_dsa::{Error, ParameterSet, SigningKeyRef};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Sign a file
#[derive(clap::Args)]
#[command(after_help = "\
A masked key is not a static key: replace its sharing regularly, with `raccoon refresh` or by
signing with --refresh.")]
pub struct Arguments {
    /// The secret key
    #[arg(long, value_name = "FILE")]
    secret: PathBuf,
    /// Where to write the signature
    #[arg(long, value_name = "FILE")]
    signature: PathBuf,
    /// Replace a signature that is there
    #[arg(long)]
    force: bool,
    /// Once the signature is written, replace the sharing of the secret key in its file
    #[arg(long)]
    refresh: bool,
    /// The file to sign, or - for standard input
    message: Message,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { secret, signature, force, refresh, message } = arguments;
    let signature_target = Target::new(signature, *force)?;
    for input in [Some(secret.as_path()), message.path()].into_iter().flatten() {
        signature_target.must_not_be(input)?;
    }
    let secret_target = refresh.then(|| Target::existing(secret)).transpose()?;

    let (set, key) = read_secret_key(secret)?;
    let signed = set.run(Sign { path: secret, key: &key, message })?;
    signature_target.stage(&signed, Access::Everyone)?.publish()?;
    let refresh = |target| set.run(Refresh { path: secret, key: &key, target });
    let refreshed = secret_target.map(refresh).transpose();

    let mut out = io::stdout().lock();
    let size = bytes(signed.len());
    writeln!(out, "{}: {} signature of {message}, {size}", signature.display(), set.level)?;
    if let Some(done) = refreshed? {
        writeln!(out, "{done}")?;
    }
    Ok(())
}

struct Sign<'a> {
    path: &'a Path,
    key: &'a [u8],
    message: &'a Message,
}

impl SetOperation for Sign<'_> {
    type Output = Result<Vec<u8>, Failure>;

    fn run<L: ParameterSet<D>, const D: usize>(self) -> Self::Output {
        let key = SigningKeyRef::<L, D>::from_bytes(self.key)
            .map_err(|error| Failure::file(self.path, error))?;
        let mu = self.message.hash(key.hasher())?;
        Signer::new()?.sign(&key, &mu).map_err(|error| match error {
            // The operating system's generator says so when it fails.
            Error::Exhausted => Failure::file(self.path, "the secret key is damaged"),
            other => other.into(),
        })
    }
}
