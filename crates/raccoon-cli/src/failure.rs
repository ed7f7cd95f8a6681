//! What ends a command early.

use raccoon_kat::KatError;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

/// Why a command did not do what it was asked for.
#[derive(Debug)]
pub enum Failure {
    /// A signature is not valid, for the reason given.
    Invalid(String),
    /// Misuse, a bad file, or a fault of the system.
    Misuse(String),
    /// The reader of standard output has seen enough.
    ClosedPipe,
}

impl Failure {
    /// Misuse or a fault of the file at `path`.
    pub fn file(path: &Path, fault: impl Display) -> Self {
        Failure::Misuse(format!("{}: {fault}", path.display()))
    }

    /// Says what is wrong and gives the exit code.
    pub fn report(&self) -> ExitCode {
        match self {
            Failure::Invalid(reason) => {
                complain(reason);
                ExitCode::from(1)
            }
            Failure::Misuse(reason) => {
                complain(reason);
                ExitCode::from(2)
            }
            Failure::ClosedPipe => ExitCode::SUCCESS,
        }
    }
}

/// A message on standard error. If nobody can be told, the exit code still speaks.
pub fn complain(message: impl Display) {
    let _ = writeln!(io::stderr(), "raccoon: {message}");
}

/// A failure to write to standard output. (Failures of files name their file.)
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Misuse(format!("standard output: {error}")),
        }
    }
}

/// A failure of the scheme that is no fault of a file.
impl From<raccoon_dsa::Error> for Failure {
    fn from(error: raccoon_dsa::Error) -> Self {
        Failure::Misuse(error.to_string())
    }
}

impl From<KatError> for Failure {
    fn from(error: KatError) -> Self {
        match error {
            KatError::Io(error) => error.into(),
            KatError::Scheme(error) => error.into(),
        }
    }
}
