//! `inspect`.

use crate::sandbox::{SETS, Sandbox};

/// The cells of the line that starts with `first`.
#[track_caller]
fn row<'t>(text: &'t str, first: &str) -> Vec<&'t str> {
    let line = text.lines().find(|line| line.trim_start().starts_with(first));
    let line = line.unwrap_or_else(|| panic!("no {first:?} in {text}"));
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn a_secret_key() {
    let text = Sandbox::with_keys("raccoon-192-4").run("inspect key.sec").expect(0).stdout;
    assert!(text.starts_with("key.sec: raccoon-192-4 secret key, d = 4\n"), "{text}");
    assert_eq!(row(&text, "public key"), ["public key", "3160 B"]);
    assert_eq!(row(&text, "share keys"), ["share keys", "72 B", "3 x 24 B"]);
    assert_eq!(row(&text, "share 0"), ["share 0", "15680 B", "5 x 3136 B"]);
    assert_eq!(row(&text, "all"), ["all", "18912 B"]);
    assert!(text.ends_with("well-formed\n"), "{text}");
}

#[test]
fn a_public_key() {
    let text = Sandbox::with_keys("raccoon-192-4").run("inspect key.pub").expect(0).stdout;
    assert!(text.starts_with("key.pub: raccoon-192 public key, for any d\n"), "{text}");
    assert_eq!(row(&text, "seed of A"), ["seed of A", "24 B"]);
    assert_eq!(row(&text, "t "), ["t", "3136 B", "7 x 448 B"]);
    assert_eq!(row(&text, "all"), ["all", "3160 B"]);
    assert!(text.ends_with("well-formed\n"), "{text}");
}

#[test]
fn both_halves_have_the_fingerprint_that_keygen_shows() {
    let sandbox = Sandbox::new();
    let keygen = sandbox.run("keygen --set raccoon-128-2 --secret s --public p").expect(0).stdout;
    let fingerprint = row(&keygen, "fingerprint");
    for file in ["s", "p"] {
        let text = sandbox.run(&format!("inspect {file}")).expect(0).stdout;
        assert_eq!(row(&text, "fingerprint"), fingerprint);
    }
    sandbox.run("keygen --set raccoon-128-2 --secret s2 --public p2").expect(0);
    let text = sandbox.run("inspect p2").expect(0).stdout;
    assert_ne!(row(&text, "fingerprint"), fingerprint);
}

#[test]
fn the_parts_of_a_signature_add_up() {
    let sandbox = Sandbox::with_signature("raccoon-256-2");
    let text = sandbox.run("inspect message.sig").expect(0).stdout;
    assert!(text.starts_with("message.sig: raccoon-256 signature, for any d\n"), "{text}");
    let bits = |first| -> usize {
        let cells = row(&text, first);
        cells[1].strip_suffix(" bits").expect("bits").parse().expect("a number")
    };
    assert_eq!(bits("challenge hash"), 512);
    assert_eq!(bits("all"), 8 * 20_330);
    let padding = bits("padding");
    assert_eq!(bits("challenge hash") + bits("h ") + bits("z ") + padding, bits("all"));

    // The padding starts behind the sign of the last coefficient, which can be flipped.
    let first = bits("all") - padding;
    let inspect_flipped = |bit: usize| {
        let mut flipped = sandbox.read("message.sig");
        flipped[bit / 8] ^= 1 << (bit % 8);
        sandbox.write("flipped", &flipped);
        sandbox.run("inspect flipped")
    };
    inspect_flipped(first - 1).expect(0);
    inspect_flipped(first).expect_fault(2, &["flipped: signature: a padding bit is set"]);
}

#[test]
fn a_malformed_signature() {
    let sandbox = Sandbox::with_signature("raccoon-128-1");
    let mut signature = sandbox.read("message.sig");
    *signature.last_mut().expect("bytes") = 0x80;
    sandbox.write("message.sig", &signature);
    let outcome = sandbox.run("inspect message.sig").expect(2);
    assert!(outcome.stdout.starts_with("message.sig: raccoon-128 signature"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("well-formed"), "{}", outcome.stdout);
    assert_eq!(outcome.stderr, "raccoon: message.sig: signature: a padding bit is set\n");
}

#[test]
fn what_is_none_of_it() {
    let sandbox = Sandbox::new();
    sandbox.write("file", &[0; 2257]);
    sandbox.run("inspect file").expect_fault(2, &["file: no key or signature", "2257 bytes"]);
    sandbox.run("inspect missing").expect_fault(2, &["missing: "]);
    sandbox.run("inspect").expect_fault(2, &["Usage"]);
    sandbox.run("inspect file --set raccoon-128-1").expect_fault(2, &["cannot be used with"]);
}

#[test]
fn a_parameter_set() {
    let text = Sandbox::new().run("inspect --set raccoon-192-16").expect(0).stdout;
    assert!(text.starts_with("raccoon-192-16\n"), "{text}");
    for (name, value) in [
        ("kappa", "192"),
        ("k ", "7"),
        ("l ", "5"),
        ("omega", "31"),
        ("d ", "16"),
        ("rep", "2"),
        ("u_t", "6"),
        ("u_w", "40"),
        ("public key", "3160 B"),
        ("secret key", "19200 B"),
        ("signature", "14544 B"),
    ] {
        assert_eq!(row(&text, name)[1], value, "{name}");
    }
}

#[test]
fn workspaces_grow_by_seeds_alone() {
    let sandbox = Sandbox::new();
    let mut without_seeds = Vec::new();
    for set in SETS.iter().filter(|set| set.starts_with("raccoon-256-")) {
        let text = sandbox.run(&format!("inspect --set {set}")).expect(0).stdout;
        let bytes = |cell: &str| -> usize {
            cell.strip_suffix(" B").expect("bytes").parse().expect("a number")
        };
        for matrix in ["streamed  ChaCha8", "stored    Lfsr127"] {
            let cells = row(&text, matrix);
            let [size, rest, seeds] = [bytes(cells[2]), bytes(cells[3]), bytes(cells[4])];
            assert_eq!(size, rest + seeds);
            without_seeds.push((matrix, rest));
        }
    }
    without_seeds.sort_unstable();
    without_seeds.dedup();
    assert_eq!(without_seeds.len(), 2, "{without_seeds:?}");
}
