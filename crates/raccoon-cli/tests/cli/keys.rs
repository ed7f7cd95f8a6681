//! `keygen` and `refresh`.

use crate::sandbox::{Outcome, RACCOON, SETS, Sandbox, set_bits};
use std::process::Command;

const KEYGEN: &str = "keygen --set raccoon-128-8 --secret key.sec --public key.pub";

#[test]
fn keys_of_all_sets_are_well_formed() {
    for set in SETS {
        let sandbox = Sandbox::with_keys(set);
        let secret = sandbox.run("inspect key.sec").expect(0).stdout;
        assert!(secret.contains(&format!("{set} secret key")), "{secret}");
        assert!(secret.contains("well-formed"), "{secret}");
        let public = sandbox.run("inspect key.pub").expect(0).stdout;
        let level = &set[.."raccoon-128".len()];
        assert!(public.contains(&format!("{level} public key")), "{public}");
        assert!(public.contains("well-formed"), "{public}");
        assert_eq!(sandbox.names(), ["key.pub", "key.sec"]);
    }
}

#[test]
fn two_keys_differ() {
    let [a, b] = [(); 2].map(|()| Sandbox::with_keys("raccoon-128-1").read("key.sec"));
    assert_ne!(a, b);
}

#[test]
fn unknown_sets_are_refused() {
    for set in ["raccoon-128-3", "raccoon-127-8", "raccoon-128", "Raccoon-128-8"] {
        let sandbox = Sandbox::new();
        let outcome = sandbox.run(&format!("keygen --set {set} --secret s --public p"));
        outcome.expect_fault(2, &[set, "raccoon-128-1,", "raccoon-256-32"]);
        assert!(sandbox.names().is_empty());
    }
}

#[test]
fn nothing_is_overwritten_without_force() {
    for taken in ["key.sec", "key.pub"] {
        let sandbox = Sandbox::new();
        sandbox.write(taken, b"precious");
        sandbox.run(KEYGEN).expect_fault(2, &[taken, "already exists", "--force"]);
        assert_eq!(sandbox.names(), [taken]);
        assert_eq!(sandbox.read(taken), b"precious");

        sandbox.run(&format!("{KEYGEN} --force")).expect(0);
        assert_eq!(sandbox.names(), ["key.pub", "key.sec"]);
        assert_eq!(sandbox.read("key.sec")[..2256], sandbox.read("key.pub"));
    }
}

#[test]
fn a_failed_keygen_leaves_nothing() {
    let sandbox = Sandbox::new();
    for (secret, public, named) in [
        ("key.sec", "no/such/key.pub", "no/such/key.pub"),
        ("no/such/key.sec", "key.pub", "no/such/key.sec"),
        ("key.sec", ".", "."),
        ("..", "key.pub", ".."),
        ("key", "./key", "./key"),
    ] {
        let arguments = format!("keygen --set raccoon-128-1 --secret {secret} --public {public}");
        sandbox.run(&arguments).expect_fault(2, &[&format!("raccoon: {named}: ")]);
        assert!(sandbox.names().is_empty(), "{arguments}");
        let arguments = format!("{arguments} --force");
        sandbox.run(&arguments).expect_fault(2, &[&format!("raccoon: {named}: ")]);
        assert!(sandbox.names().is_empty(), "{arguments}");
    }
}

#[test]
fn missing_arguments_are_misuse() {
    let sandbox = Sandbox::new();
    for arguments in ["", "keygen", "nonsense", "keygen --set raccoon-128-1 --secret s"] {
        sandbox.run(arguments).expect_fault(2, &["Usage"]);
    }
    assert!(sandbox.names().is_empty());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    fn mode(sandbox: &Sandbox, name: &str) -> u32 {
        let metadata = fs::metadata(sandbox.path(name)).expect("the file is there");
        metadata.permissions().mode() & 0o777
    }

    fn set_mode(sandbox: &Sandbox, name: &str, mode: u32) {
        fs::set_permissions(sandbox.path(name), Permissions::from_mode(mode)).expect("our file");
    }

    #[test]
    fn secret_keys_are_private_whatever_the_umask() {
        let sandbox = Sandbox::new();
        let mut shell = Command::new("sh");
        shell.current_dir(sandbox.path("")).args(["-c", "umask 000; exec \"$0\" \"$@\"", RACCOON]);
        Outcome::of(shell.args(KEYGEN.split_whitespace()), b"").expect(0);
        assert_eq!(mode(&sandbox, "key.sec"), 0o600);
        assert_eq!(mode(&sandbox, "key.pub"), 0o666);
    }

    #[test]
    fn a_secret_key_open_to_others_is_warned_of_and_closed_by_refresh() {
        let sandbox = Sandbox::with_keys("raccoon-128-2");
        for open in [0o640, 0o604] {
            set_mode(&sandbox, "key.sec", open);
            let outcome = sandbox.run("refresh --secret key.sec");
            let warning =
                format!("warning: key.sec: others can use this secret key (mode {open:o})");
            assert!(outcome.stderr.contains(&warning), "{}", outcome.stderr);
            assert_eq!(mode(&sandbox, "key.sec"), 0o600);
            // Without a warning.
            sandbox.run("refresh --secret key.sec").expect(0);
        }
    }

    #[test]
    fn links_are_followed_and_kept() {
        let sandbox = Sandbox::with_keys("raccoon-128-2");
        let old = sandbox.read("key.sec");
        symlink("key.sec", sandbox.path("link")).expect("a link");
        sandbox.run("refresh --secret link").expect(0);
        assert!(sandbox.path("link").is_symlink());
        assert_ne!(sandbox.read("key.sec"), old);
        assert_eq!(mode(&sandbox, "key.sec"), 0o600);
    }

    #[test]
    fn a_link_to_nowhere_is_not_overwritten() {
        let sandbox = Sandbox::new();
        symlink("nowhere", sandbox.path("key.pub")).expect("a link");
        sandbox.run(KEYGEN).expect_fault(2, &["key.pub: already exists"]);
        assert_eq!(sandbox.names(), ["key.pub"]);
    }

    #[test]
    fn what_is_no_regular_file_is_not_replaced() {
        let sandbox = Sandbox::new();
        let _socket = UnixListener::bind(sandbox.path("key.pub")).expect("a socket");
        let outcome = sandbox.run(&format!("{KEYGEN} --force"));
        outcome.expect_fault(2, &["key.pub: is not a regular file"]);
        let metadata = fs::metadata(sandbox.path("key.pub")).expect("the socket is there");
        assert!(metadata.file_type().is_socket());
        assert_eq!(sandbox.names(), ["key.pub"]);
    }
}

#[test]
fn refresh_changes_the_sharing_and_not_the_key() {
    for set in ["raccoon-128-8", "raccoon-192-2", "raccoon-256-32"] {
        let sandbox = Sandbox::with_signature(set);
        let public = sandbox.read("key.pub");
        let old = sandbox.read("key.sec");
        sandbox.run("refresh --secret key.sec").expect(0);
        let new = sandbox.read("key.sec");

        assert_eq!(new.len(), old.len());
        assert_eq!(new[..public.len()], public);
        // Nowhere behind the public key do 16 bytes stay the same.
        let secrets = old[public.len()..].windows(16).zip(new[public.len()..].windows(16));
        assert!(secrets.into_iter().all(|(old, new)| old != new));
        assert_eq!(sandbox.names(), ["key.pub", "key.sec", "message", "message.sig"]);

        sandbox.verify().expect(0);
        sandbox.run("sign --secret key.sec --signature message.sig message --force").expect(0);
        sandbox.verify().expect(0);
    }
}

/// Another name of the old file still shows the old key, whole: the file was replaced,
/// not written to.
#[test]
fn refresh_replaces_the_file_in_one_step() {
    let sandbox = Sandbox::with_keys("raccoon-128-8");
    let old = sandbox.read("key.sec");
    std::fs::hard_link(sandbox.path("key.sec"), sandbox.path("old.sec")).expect("another name");
    sandbox.run("refresh --secret key.sec").expect(0);
    assert_eq!(sandbox.read("old.sec"), old);
    assert_ne!(sandbox.read("key.sec"), old);
}

#[test]
fn one_share_needs_no_refreshing() {
    let sandbox = Sandbox::with_keys("raccoon-192-1");
    let old = sandbox.read("key.sec");
    let outcome = sandbox.run("refresh --secret key.sec").expect(0);
    assert!(outcome.stdout.contains("nothing to refresh"), "{}", outcome.stdout);
    assert_eq!(sandbox.read("key.sec"), old);
}

#[test]
fn refresh_refuses_what_is_no_secret_key() {
    let sandbox = Sandbox::with_keys("raccoon-128-2");
    sandbox.run("refresh --secret missing").expect_fault(2, &["missing: "]);
    sandbox.run("refresh --secret .").expect_fault(2, &[".: is a directory"]);
    sandbox
        .run("refresh --secret key.pub")
        .expect_fault(2, &["key.pub: this is a raccoon-128 public key"]);
    sandbox.write("empty", b"");
    sandbox.run("refresh --secret empty").expect_fault(2, &["empty: no key", "0 bytes"]);
}

#[test]
fn a_malformed_secret_key_is_refused_and_stays() {
    let sandbox = Sandbox::with_keys("raccoon-128-2");
    let mut malformed = sandbox.read("key.sec");
    let share0 = 8 * (2256 + 16);
    set_bits(&mut malformed, share0 + 49 * (512 + 2), 49, 549_824_583_172_097);
    sandbox.write("key.sec", &malformed);
    sandbox.write("message", b"");
    for arguments in [
        "refresh --secret key.sec",
        "sign --secret key.sec --signature message.sig message",
        "sign --secret key.sec --signature message.sig --refresh message",
        "inspect key.sec",
    ] {
        let fault = "key.sec: secret key: coefficient 2 of polynomial 1 of s is not below q";
        sandbox.run(arguments).expect_fault(2, &[fault]);
    }
    assert_eq!(sandbox.read("key.sec"), malformed);
    assert_eq!(sandbox.names(), ["key.pub", "key.sec", "message"]);
}

#[test]
fn nothing_secret_is_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("message", b"");
    let mut printed = sandbox.run(KEYGEN).expect(0).stdout;
    let mut secrets = sandbox.read("key.sec")[2256..].to_vec();
    for arguments in [
        "inspect key.sec",
        "sign --secret key.sec --signature message.sig --refresh message",
        "refresh --secret key.sec",
        "inspect key.sec",
    ] {
        printed += &sandbox.run(arguments).expect(0).stdout;
        secrets.extend_from_slice(&sandbox.read("key.sec")[2256..]);
    }
    let printed = printed.to_lowercase();
    for secret in secrets.windows(8) {
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(!printed.contains(&digits), "{digits} in {printed}");
    }
}
