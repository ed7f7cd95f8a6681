//! `raccoon verify`

use crate::failure::Failure;
use crate::files::{Contents, read};
use crate::kind::{LONGEST, read_public_key};
use crate::message::Message;
use crate::set::LevelOperation;
use raccoon_dsa::{Level, VerifyWorkspace, VerifyingKeyRef, verify};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Verify a signature of a file
#[derive(clap::Args)]
pub struct Arguments {
    /// The public key of the signer
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
    /// The signature
    #[arg(long, value_name = "FILE")]
    signature: PathBuf,
    /// The file that was signed, or - for standard input
    message: Message,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { public, signature, message } = arguments;
    let (level, key) = read_public_key(public)?;
    let contents = read(signature, LONGEST)?.contents;
    let verdict = level.run(Verify { path: public, key: &key, signature: &contents, message })?;
    verdict.map_err(|fault| Failure::Invalid(format!("{}: {fault}", signature.display())))?;
    writeln!(io::stdout(), "{}: valid {level} signature of {message}", signature.display())?;
    Ok(())
}

struct Verify<'a> {
    path: &'a Path,
    key: &'a [u8],
    signature: &'a Contents,
    message: &'a Message,
}

/// The verdict on the signature, unless there is none.
impl LevelOperation for Verify<'_> {
    type Output = Result<Result<(), String>, Failure>;

    fn run<L: Level>(self) -> Self::Output {
        let key = VerifyingKeyRef::<L>::from_bytes(self.key)
            .map_err(|error| Failure::file(self.path, error))?;
        let mu = self.message.hash(key.hasher())?;
        Ok(match self.signature {
            Contents::Whole(signature) => {
                let mut workspace = Box::<VerifyWorkspace<L>>::default();
                verify(&key, &mu, signature, &mut workspace).map_err(|error| error.to_string())
            }
            Contents::TooLong(length) => {
                Err(format!("the signature has {length} instead of {}", L::SIGNATURE_BYTES))
            }
        })
    }
}
