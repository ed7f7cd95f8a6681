//! `demo`.

use crate::sandbox::Sandbox;

#[test]
fn a_file_of_ones_own() {
    let sandbox = Sandbox::new();
    sandbox.write("message", b"");
    let text = sandbox.run("demo --set raccoon-192-2 message").expect(0).stdout;
    assert!(text.starts_with("raccoon-192-2 over message (0 B)\n"), "{text}");
    for part in [
        "public key 3160 B, secret key 18864 B",
        "signature 14544 B",
        "valid",
        "signs for the same public key",
        "medians of 11 runs",
        "a padding bit is set",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let forgeries = text.lines().filter(|line| line.contains(" signature: ")).count();
    assert_eq!(forgeries, 4, "{text}");
    assert_eq!(sandbox.names(), ["message"]);
}

#[test]
fn by_default_the_command_itself() {
    let sandbox = Sandbox::new();
    let text = sandbox.run("demo").expect(0).stdout;
    assert!(text.starts_with("raccoon-128-8 over /"), "{text}");
    assert!(sandbox.names().is_empty());
}

#[test]
fn a_missing_file() {
    Sandbox::new().run("demo missing").expect_fault(2, &["raccoon: missing: "]);
}
