//! `sign` and `verify`.

use crate::sandbox::{Sandbox, set_bits};
use raccoon_dsa::{Raccoon128, Signature, VerifyingKey};
use signature::Verifier;
use std::fs::File;

const SIGN: &str = "sign --secret key.sec --signature message.sig message";

#[test]
fn signatures_are_valid_at_every_level() {
    for set in ["raccoon-128-1", "raccoon-192-4", "raccoon-256-16"] {
        let outcome = Sandbox::with_signature(set).verify().expect(0);
        let level = &set[.."raccoon-128".len()];
        let verdict = format!("message.sig: valid {level} signature of message\n");
        assert_eq!(outcome.stdout, verdict);
    }
}

#[test]
fn another_message_is_invalid() {
    let sandbox = Sandbox::with_signature("raccoon-128-2");
    for other in [&b"to whom it may concerm"[..], b"to whom it may concer", b""] {
        sandbox.write("message", other);
        sandbox.verify().expect_fault(1, &["message.sig: signature: not made for this message"]);
    }
}

#[test]
fn another_key_is_invalid() {
    let sandbox = Sandbox::with_signature("raccoon-128-2");
    sandbox.write("key.pub", &Sandbox::with_keys("raccoon-128-2").read("key.pub"));
    sandbox.verify().expect_fault(1, &["message.sig: signature: not made for this message"]);
}

#[test]
fn every_flipped_bit_is_invalid() {
    let sandbox = Sandbox::with_signature("raccoon-128-1");
    let signature = sandbox.read("message.sig");
    let bits = 8 * signature.len();
    // All over the signature, then all of the last byte.
    for bit in (0..bits).step_by(1801).chain(bits - 8..bits) {
        let mut forged = signature.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        sandbox.write("message.sig", &forged);
        sandbox.verify().expect_fault(1, &["message.sig: signature: "]);
    }
    sandbox.write("message.sig", &signature);
    sandbox.verify().expect(0);
}

#[test]
fn signatures_of_a_wrong_length_are_invalid() {
    let sandbox = Sandbox::with_signature("raccoon-128-1");
    let signature = sandbox.read("message.sig");
    for length in [0, 1, 11_523, 11_525, 14_544, 27_008, 27_009, 100_000] {
        let mut other = signature.clone();
        other.resize(length, 0);
        sandbox.write("message.sig", &other);
        let fault = format!("message.sig: the signature has {length} bytes instead of 11524");
        sandbox.verify().expect_fault(1, &[&fault]);
    }
}

#[test]
fn missing_files_and_folders_are_misuse() {
    let sandbox = Sandbox::with_signature("raccoon-128-1");
    for bad in ["missing", "."] {
        for arguments in [
            format!("verify --public {bad} --signature message.sig message"),
            format!("verify --public key.pub --signature {bad} message"),
            format!("verify --public key.pub --signature message.sig {bad}"),
            format!("sign --secret {bad} --signature new message"),
            format!("sign --secret key.sec --signature new {bad}"),
        ] {
            sandbox.run(&arguments).expect_fault(2, &[&format!("raccoon: {bad}: ")]);
        }
    }
    sandbox.run("verify --public key.pub message").expect_fault(2, &["--signature <FILE>"]);
    assert_eq!(sandbox.names(), ["key.pub", "key.sec", "message", "message.sig"]);
}

#[test]
fn a_malformed_public_key_is_refused() {
    let sandbox = Sandbox::with_signature("raccoon-128-8");
    let public = sandbox.read("key.pub");
    for (polynomial, coefficient, value) in [(0, 3, 125), (2, 0, 126), (4, 511, 127)] {
        let mut malformed = public.clone();
        set_bits(&mut malformed, 128 + 7 * (512 * polynomial + coefficient), 7, value);
        sandbox.write("key.pub", &malformed);
        let fault = format!(
            "raccoon: key.pub: public key: coefficient {coefficient} of polynomial {polynomial} of t is not below 125\n"
        );
        sandbox.verify().expect_fault(2, &[&fault]);
        sandbox.run("inspect key.pub").expect_fault(2, &[&fault]);
    }
    // The largest coefficient there is makes another key, not a malformed one.
    let mut other = public.clone();
    for coefficient in 0..8 {
        set_bits(&mut other, 128 + 7 * coefficient, 7, 124);
    }
    sandbox.write("key.pub", &other);
    sandbox.verify().expect_fault(1, &["message.sig: signature: "]);
}

#[test]
fn files_of_another_kind_are_refused() {
    let sandbox = Sandbox::with_signature("raccoon-128-8");
    sandbox
        .run("verify --public key.sec --signature message.sig message")
        .expect_fault(2, &["key.sec: this is a raccoon-128-8 secret key, not a public key"]);
    sandbox
        .run("sign --secret message.sig --signature new message")
        .expect_fault(2, &["message.sig: this is a raccoon-128 signature, not a secret key"]);
    sandbox
        .run("verify --public message --signature message.sig message")
        .expect_fault(2, &["message: no key", "22 bytes"]);
}

/// A hole of ten gigabytes; reading it would take seconds.
#[test]
fn long_files_are_not_read() {
    let sandbox = Sandbox::with_signature("raccoon-128-1");
    let hole = File::create(sandbox.path("hole")).expect("a new file");
    hole.set_len(10_000_000_000).expect("a file with a hole");
    sandbox
        .run("verify --public hole --signature message.sig message")
        .expect_fault(2, &["hole: no key", "10000000000 bytes"]);
    sandbox
        .run("sign --secret hole --signature new message")
        .expect_fault(2, &["hole: no key", "10000000000 bytes"]);
    sandbox
        .run("verify --public key.pub --signature hole message")
        .expect_fault(1, &["hole: the signature has 10000000000 bytes instead of 11524"]);
}

#[test]
fn messages_can_come_from_standard_input() {
    let sandbox = Sandbox::with_signature("raccoon-128-1");
    let message = sandbox.read("message");
    let verify = "verify --public key.pub --signature message.sig -";
    sandbox.run_with_input(verify, &message).expect(0);
    sandbox.run_with_input(verify, b"other").expect_fault(1, &["message.sig: "]);

    let sign = "sign --secret key.sec --signature message.sig --force -";
    sandbox.run_with_input(sign, &message).expect(0);
    sandbox.verify().expect(0);
}

/// Around the rate of SHAKE256 and around the size of the buffer, against the library,
/// which has the message in one piece.
#[test]
fn messages_of_any_length() {
    let sandbox = Sandbox::with_keys("raccoon-128-1");
    let key = VerifyingKey::<Raccoon128>::from_bytes(&sandbox.read("key.pub")).expect("our key");
    for length in [0, 1, 103, 104, 105, 136, 65_535, 65_536, 65_537, 131_072, 200_001] {
        let message: Vec<u8> = (0..length).map(|i: u32| (i % 251) as u8).collect();
        sandbox.write("message", &message);
        sandbox.run(&format!("{SIGN} --force")).expect(0);
        sandbox.verify().expect(0);
        let signature = Signature::from_bytes(&sandbox.read("message.sig")).expect("our signature");
        key.verify(&message, &signature).expect("a valid signature");
    }
}

#[test]
fn nothing_is_overwritten_without_force() {
    let sandbox = Sandbox::with_signature("raccoon-128-1");
    let old = sandbox.read("message.sig");
    sandbox.run(SIGN).expect_fault(2, &["message.sig: already exists (--force"]);
    assert_eq!(sandbox.read("message.sig"), old);
    sandbox.run(&format!("{SIGN} --force")).expect(0);
    assert_ne!(sandbox.read("message.sig"), old);
    sandbox.verify().expect(0);
}

#[test]
fn an_input_is_never_an_output() {
    let sandbox = Sandbox::with_signature("raccoon-128-1");
    let (key, message) = (sandbox.read("key.sec"), sandbox.read("message"));
    for input in ["key.sec", "message"] {
        let arguments = format!("sign --secret key.sec --signature ./{input} --force message");
        sandbox.run(&arguments).expect_fault(2, &[&format!("{input}: is given twice")]);
    }
    assert_eq!((sandbox.read("key.sec"), sandbox.read("message")), (key, message));
}

#[test]
fn signing_reads_the_key_and_refreshes_it_on_request() {
    let sandbox = Sandbox::with_signature("raccoon-128-4");
    let old = sandbox.read("key.sec");
    sandbox.run(&format!("{SIGN} --force")).expect(0);
    assert_eq!(sandbox.read("key.sec"), old);

    sandbox.run(&format!("{SIGN} --force --refresh")).expect(0);
    assert_ne!(sandbox.read("key.sec"), old);
    sandbox.verify().expect(0);
    sandbox.run(&format!("{SIGN} --force")).expect(0);
    sandbox.verify().expect(0);
}

#[test]
fn help_tells_to_refresh() {
    let help = Sandbox::new().run("sign --help").expect(0).stdout;
    assert!(help.contains("raccoon refresh"), "{help}");
}

#[test]
fn a_damaged_secret_key_signs_nothing() {
    let sandbox = Sandbox::with_keys("raccoon-128-1");
    sandbox.write("message", b"");
    let mut damaged = sandbox.read("key.sec");
    damaged[2256] ^= 1;
    sandbox.write("key.sec", &damaged);
    sandbox.run(SIGN).expect_fault(2, &["key.sec: the secret key is damaged"]);
    assert_eq!(sandbox.names(), ["key.pub", "key.sec", "message"]);
}

/// All the address space that signing gets is 32 MiB, and the message is larger.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_message() {
    use crate::sandbox::{Outcome, RACCOON};
    use std::process::Command;

    let sandbox = Sandbox::with_keys("raccoon-256-32");
    let message = File::create(sandbox.path("message")).expect("a new file");
    message.set_len(64 << 20).expect("a file with a hole");
    let mut shell = Command::new("sh");
    let limited = "ulimit -v 32768; exec \"$0\" \"$@\"";
    shell.current_dir(sandbox.path("")).args(["-c", limited, RACCOON]);
    Outcome::of(shell.args(SIGN.split_whitespace()), b"").expect(0);
    sandbox.verify().expect(0);
}
