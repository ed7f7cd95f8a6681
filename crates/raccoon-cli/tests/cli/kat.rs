//! `kat`.

use crate::sandbox::Sandbox;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// SHA-256 of the published response files of ten answers.
const TEN_ANSWERS: [(&str, &str); 3] = [
    ("raccoon-128-1", "91cb0f6dde5dbfdf6f4b3c53a99fe8859d61353a2f7d40e48c47fc9efdea187b"),
    ("raccoon-192-2", "a669ad9afee54e1186d06f9e31026abe503d2fc6c84cd306d846d208b974bd34"),
    ("raccoon-256-4", "62c22d543ab9c4788e1605922ea0971c41fced3e101372fd28e71f2bddc4b3c6"),
];

#[test]
fn responses_are_the_published_ones() {
    let sandbox = Sandbox::new();
    for (set, expected) in TEN_ANSWERS {
        let responses = sandbox.run(&format!("kat --set {set} --count 10")).expect(0).stdout;
        let hash: String =
            Sha256::digest(&responses).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, expected, "{set}");
    }
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command("kat --set raccoon-128-1 --count 100000");
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut line).expect("a line");
    assert_eq!(line, "# Raccoon-128-1\n");
    drop(stdout);
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command("kat --set raccoon-128-1 --count 1");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let output = command.stdout(full).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.starts_with("raccoon: standard output: "), "{message}");
}

#[test]
fn the_number_of_answers_is_a_number() {
    let sandbox = Sandbox::new();
    for count in ["-1", "many", ""] {
        let outcome = sandbox.run(&format!("kat --set raccoon-128-1 --count={count}"));
        outcome.expect_fault(2, &["--count <N>"]);
    }
}
