//! Reading small files within bounds, and writing files whole or not at all.

use crate::failure::Failure;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};
use zeroize::Zeroizing;

/// A file that was read.
pub struct SmallFile {
    pub contents: Contents,
    pub private: Private,
}

/// What was in a file.
pub enum Contents {
    /// All of it; wiped when dropped, as it may be a secret key.
    Whole(Zeroizing<Vec<u8>>),
    /// More than was asked for, and how much that is, in words.
    TooLong(String),
}

/// Whether a file is closed to its group and to others.
pub enum Private {
    Yes,
    No { mode: u32 },
}

/// Reads a file of at most `limit` bytes. No more than that is read of a longer one.
pub fn read(path: &Path, limit: usize) -> Result<SmallFile, Failure> {
    read_or_io_error(path, limit).map_err(|error| Failure::file(path, error))
}

fn read_or_io_error(path: &Path, limit: usize) -> io::Result<SmallFile> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    // Room for all, so that no part of a secret key is left behind in a smaller buffer.
    let mut bytes = Zeroizing::new(Vec::with_capacity(limit + 1));
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    let contents = match bytes.len() {
        read if read <= limit => Contents::Whole(bytes),
        _ if metadata.is_file() => Contents::TooLong(format!("{} bytes", metadata.len())),
        _ => Contents::TooLong(format!("more than {limit} bytes")),
    };
    Ok(SmallFile { contents, private: privacy(&metadata) })
}

#[cfg(unix)]
fn privacy(metadata: &Metadata) -> Private {
    use std::os::unix::fs::PermissionsExt;
    match metadata.permissions().mode() & 0o777 {
        mode if metadata.is_file() && mode & 0o077 != 0 => Private::No { mode },
        _ => Private::Yes,
    }
}

/// Elsewhere a new file is as private as its folder.
#[cfg(not(unix))]
fn privacy(_: &Metadata) -> Private {
    Private::Yes
}

/// Who may read a new file.
#[derive(Clone, Copy)]
pub enum Access {
    /// Its owner alone, from the moment it is created.
    Owner,
    /// Whom the user's umask lets read it.
    Everyone,
}

/// A place to write a file to.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    replace: bool,
}

impl Target {
    /// Checks that a file can be written to `path`, before any work is done for it. One
    /// that is there is replaced only if `force` says so.
    pub fn new(path: &Path, force: bool) -> Result<Self, Failure> {
        let fault = |fault: &str| Err(Failure::file(path, fault));
        let directory = directory_of(path);
        if !directory.is_dir() {
            return fault(&format!("there is no directory {}", directory.display()));
        }
        // A link that leads nowhere has no metadata but is there as well.
        let target = fs::metadata(path).ok();
        match target {
            Some(target) if target.is_dir() => fault("is a directory"),
            _ if !force && path.symlink_metadata().is_ok() => fault(ALREADY_THERE),
            // Replacing /dev/null, say, would be a surprise.
            Some(target) if !target.is_file() => fault("is not a regular file"),
            _ => Ok(Self { path: resolve(path), replace: force }),
        }
    }

    /// A file that is there, to be replaced.
    pub fn existing(path: &Path) -> Result<Self, Failure> {
        match fs::metadata(path) {
            Ok(_) => Self::new(path, true),
            Err(error) => Err(Failure::file(path, error)),
        }
    }

    /// Refuses a target that is also the file at `other`.
    pub fn must_not_be(&self, other: &Path) -> Result<(), Failure> {
        if self.path == resolve(other) {
            return Err(Failure::file(other, "is given twice; an output needs a file of its own"));
        }
        Ok(())
    }

    /// Writes `bytes` to a temporary file beside the target, down to the disk.
    pub fn stage(&self, bytes: &[u8], access: Access) -> Result<Staged<'_>, Failure> {
        let stage = || -> io::Result<NamedTempFile> {
            let mut file = create(directory_of(&self.path), access)?;
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        let file = stage().map_err(|error| Failure::file(&self.path, error))?;
        Ok(Staged { file, target: self })
    }
}

const ALREADY_THERE: &str = "already exists (--force replaces it)";

/// A file that is complete but has not got its name. Dropped, it is gone.
pub struct Staged<'t> {
    file: NamedTempFile,
    target: &'t Target,
}

impl Staged<'_> {
    /// Gives the file its name, in one step.
    pub fn publish(self) -> Result<(), Failure> {
        let Target { path, replace } = self.target;
        let persisted = match replace {
            true => self.file.persist(path),
            false => self.file.persist_noclobber(path),
        };
        match persisted {
            Ok(_) => {
                sync_directory(directory_of(path));
                Ok(())
            }
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                Err(Failure::file(path, ALREADY_THERE))
            }
            Err(error) => Err(Failure::file(path, error.error)),
        }
    }

    /// Publishes this file, then another. If the other cannot be, this one is taken away
    /// again, unless it has replaced an older file, which cannot be brought back.
    pub fn publish_with(self, other: Staged<'_>) -> Result<(), Failure> {
        let Target { path, replace } = self.target;
        self.publish()?;
        other.publish().inspect_err(|_| {
            if !replace {
                // There is a failure to report already.
                let _ = fs::remove_file(path);
            }
        })
    }
}

fn create(directory: &Path, access: Access) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".raccoon-");
    if let Access::Everyone = access {
        permit_everyone(&mut builder);
    }
    // Without more words, it is the owner's alone.
    builder.tempfile_in(directory)
}

#[cfg(unix)]
fn permit_everyone(builder: &mut Builder<'_, '_>) {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn permit_everyone(_: &mut Builder<'_, '_>) {}

/// Makes a new name last. Either way the file is whole, so that a system that cannot do
/// it is no failure.
fn sync_directory(directory: &Path) {
    if cfg!(unix) {
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Where a path leads in the end, by links too, whether or not there is a file yet.
fn resolve(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().or_else(|_| {
        let name = path.file_name().unwrap_or_default();
        directory_of(path).canonicalize().map(|directory| directory.join(name))
    });
    resolved.unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory in which the second file appears between the check of its name and its
    /// writing.
    fn fail_to_write_a_pair(replace_first: bool) -> Result<tempfile::TempDir, Failure> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let [first, second] = ["first", "second"].map(|name| directory.path().join(name));
        if replace_first {
            fs::write(&first, "older").expect("a writable directory");
        }
        let target1 = Target::new(&first, replace_first)?;
        let target2 = Target::new(&second, false)?;
        let staged1 = target1.stage(b"1", Access::Owner)?;
        let staged2 = target2.stage(b"2", Access::Everyone)?;

        fs::write(&second, "of another").expect("a writable directory");
        let failure = staged1.publish_with(staged2).expect_err("the second name is taken");

        assert!(matches!(failure, Failure::Misuse(reason) if reason.contains("already exists")));
        assert_eq!(fs::read_to_string(&second).expect("a readable file"), "of another");
        Ok(directory)
    }

    fn files(directory: &tempfile::TempDir) -> usize {
        fs::read_dir(directory.path()).expect("a readable directory").count()
    }

    #[test]
    fn a_new_pair_is_written_whole_or_not_at_all() -> Result<(), Failure> {
        assert_eq!(files(&fail_to_write_a_pair(false)?), 1);
        Ok(())
    }

    #[test]
    fn what_replaced_a_file_is_not_removed() -> Result<(), Failure> {
        let directory = fail_to_write_a_pair(true)?;
        assert_eq!(files(&directory), 2);
        let first = fs::read_to_string(directory.path().join("first")).expect("a readable file");
        assert_eq!(first, "1");
        Ok(())
    }
}
