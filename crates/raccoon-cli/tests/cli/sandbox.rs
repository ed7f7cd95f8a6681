//! A folder of its own to run the command in.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub const RACCOON: &str = env!("CARGO_BIN_EXE_raccoon");

pub const SETS: [&str; 18] = [
    "raccoon-128-1",
    "raccoon-128-2",
    "raccoon-128-4",
    "raccoon-128-8",
    "raccoon-128-16",
    "raccoon-128-32",
    "raccoon-192-1",
    "raccoon-192-2",
    "raccoon-192-4",
    "raccoon-192-8",
    "raccoon-192-16",
    "raccoon-192-32",
    "raccoon-256-1",
    "raccoon-256-2",
    "raccoon-256-4",
    "raccoon-256-8",
    "raccoon-256-16",
    "raccoon-256-32",
];

pub struct Sandbox(TempDir);

impl Sandbox {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// With a key pair `key.sec`, `key.pub` of the set.
    pub fn with_keys(set: &str) -> Self {
        let sandbox = Self::new();
        sandbox.run(&format!("keygen --set {set} --secret key.sec --public key.pub")).expect(0);
        sandbox
    }

    /// With a key pair, a `message` and its signature `message.sig`.
    pub fn with_signature(set: &str) -> Self {
        let sandbox = Self::with_keys(set);
        sandbox.write("message", b"to whom it may concern");
        sandbox.run("sign --secret key.sec --signature message.sig message").expect(0);
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("a writable file");
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("a readable file")
    }

    /// The names of all that is there, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a readable folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("a readable folder").file_name())
            .map(|name| name.into_string().expect("a name in Unicode"))
            .collect();
        names.sort();
        names
    }

    /// A command in the sandbox; its arguments are separated by spaces.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(RACCOON);
        command.current_dir(self.0.path()).args(arguments.split_whitespace());
        command
    }

    pub fn run(&self, arguments: &str) -> Outcome {
        self.run_with_input(arguments, b"")
    }

    pub fn run_with_input(&self, arguments: &str, input: &[u8]) -> Outcome {
        Outcome::of(&mut self.command(arguments), input)
    }

    /// Verifies `message.sig` of `message`.
    pub fn verify(&self) -> Outcome {
        self.run("verify --public key.pub --signature message.sig message")
    }
}

/// What a command did.
pub struct Outcome {
    pub stdout: String,
    pub stderr: String,
    code: Option<i32>,
    command: String,
}

impl Outcome {
    pub fn of(command: &mut Command, input: &[u8]) -> Self {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().expect("the command can be run");
        // A command that does not want the input may be gone before it is written.
        let _ = child.stdin.take().expect("standard input is a pipe").write_all(input);
        let output = child.wait_with_output().expect("the command ends");
        let text = |bytes| String::from_utf8(bytes).expect("output is Unicode");
        Self {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code(),
            command: format!("{command:?}"),
        }
    }

    /// Checks the exit code, and that failures alone are reported on standard error.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        let Self { stdout, stderr, command, .. } = &self;
        assert_eq!(self.code, Some(code), "{command}\n{stdout}{stderr}");
        assert_eq!(stderr.is_empty(), code == 0, "{command}\n{stdout}{stderr}");
        self
    }

    /// Checks the exit code and that the message has all these parts.
    #[track_caller]
    pub fn expect_fault(self, code: i32, parts: &[&str]) {
        let Self { stderr, .. } = self.expect(code);
        for part in parts {
            assert!(stderr.contains(part), "{part:?} is not in {stderr:?}");
        }
    }
}

/// Overwrites `width` bits from bit `start` on, lowest first.
pub fn set_bits(bytes: &mut [u8], start: usize, width: usize, value: u64) {
    for i in 0..width {
        let (byte, bit) = ((start + i) / 8, (start + i) % 8);
        bytes[byte] = bytes[byte] & !(1 << bit) | ((value >> i & 1) as u8) << bit;
    }
}
