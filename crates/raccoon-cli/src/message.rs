//! Messages: files of any size, hashed as a stream.

use crate::failure::Failure;
use crate::progress::Progress;
use raccoon_dsa::{Level, MessageHash, MessageHasher};
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Bytes that are in memory at a time.
const BUFFER: usize = 1 << 16;

/// Where a message comes from.
#[derive(Debug, Clone)]
pub enum Message {
    /// Standard input, called `-`.
    Stdin,
    File(PathBuf),
}

impl Message {
    /// Hashes the message.
    pub fn hash<L: Level>(&self, hasher: MessageHasher<L>) -> Result<MessageHash<L>, Failure> {
        self.hash_with(hasher, &[])
    }

    /// Hashes the message with `suffix` behind it.
    pub fn hash_with<L: Level>(
        &self,
        hasher: MessageHasher<L>,
        suffix: &[u8],
    ) -> Result<MessageHash<L>, Failure> {
        let hash = match self {
            Message::Stdin => hash_stream(io::stdin().lock(), None, hasher),
            Message::File(path) => hash_file(path, hasher),
        };
        let hasher = hash.map_err(|error| Failure::Misuse(format!("{self}: {error}")))?;
        Ok(hasher.chain(suffix).finish())
    }

    /// The path of the message, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Message::Stdin => None,
            Message::File(path) => Some(path),
        }
    }
}

impl From<OsString> for Message {
    fn from(argument: OsString) -> Self {
        if argument == "-" { Message::Stdin } else { Message::File(argument.into()) }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Stdin => f.write_str("standard input"),
            Message::File(path) => path.display().fmt(f),
        }
    }
}

fn hash_file<L: Level>(path: &Path, hasher: MessageHasher<L>) -> io::Result<MessageHasher<L>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let length = metadata.is_file().then_some(metadata.len());
    hash_stream(file, length, hasher)
}

fn hash_stream<L: Level>(
    mut message: impl Read,
    length: Option<u64>,
    mut hasher: MessageHasher<L>,
) -> io::Result<MessageHasher<L>> {
    let mut progress = Progress::of_bytes("hashing", length);
    let mut buffer = vec![0; BUFFER];
    loop {
        match message.read(&mut buffer) {
            Ok(0) => return Ok(hasher),
            Ok(read) => {
                hasher.update(&buffer[..read]);
                progress.advance(read as u64);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
