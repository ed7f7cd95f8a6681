//! The `m4sim` command from the outside: exit status, messages, JSON.

#[allow(dead_code, reason = "each test program uses its part of the module")]
mod common;

use std::path::PathBuf;
use std::process::{Command, Output};

use common::{Code, Program, RAM_BASE, halves};
use m4sim::Range;
use serde_json::Value;

/// A file that is removed when the test is over.
struct File(PathBuf);

impl File {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("m4sim-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("writing a temporary file");
        File(path)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let command = env!("CARGO_BIN_EXE_m4sim");
        Command::new(command).arg("run").arg(&self.0).args(arguments).output().expect("m4sim")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // A leftover file does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_exit_status_is_passed_on() {
    let good = File::new("good", &Program::new(halves(&[])).elf());
    let run = good.run(&["--ram", "64K"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    // movs r0, #SYS_EXIT; movs r1, #0; bkpt: not an application exit
    let bad = File::new("bad", &Program::new(halves(&[0x2018, 0x2100, 0xBEAB])).elf());
    assert_eq!(bad.run(&[]).status.code(), Some(1));
}

#[test]
fn faults_and_misuse_give_status_2_and_a_reason() {
    let program = Program::new(vec![Code::Call("culprit")]).function("culprit", halves(&[0xDE00]));
    let elf = File::new("fault", &program.elf());
    let run = elf.run(&[]);
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("UDF #0") && stderr(&run).contains("in culprit"));
    let endless = File::new("endless", &Program::new(halves(&[0xE7FE])).elf());
    let run = endless.run(&["--max-instructions", "1000"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("stopped after 1000 instructions"), "{}", stderr(&run));
    for wrong in [&["--ram", "lots"][..], &["--ram", "8192M"], &["--no-such-option"]] {
        assert_eq!(elf.run(wrong).status.code(), Some(2));
    }
    assert_eq!(File::new("text", b"not an ELF file").run(&[]).status.code(), Some(2));
}

#[test]
fn too_little_ram_is_refused_with_the_reason() {
    let zeroed = Range { base: RAM_BASE, size: 65 << 10 };
    let elf = File::new("large", &Program::new(halves(&[])).zeroed(zeroed).elf());
    let run = elf.run(&["--ram", "64K"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("(66560 bytes)"), "{}", stderr(&run));
    assert_eq!(elf.run(&["--ram", "0x20000000:96K"]).status.code(), Some(0));
}

#[test]
fn json_holds_the_outcome_and_the_profile() {
    let f = halves(&[0x4770]);
    let elf = File::new("json", &Program::new(vec![Code::Call("f")]).function("f", f).elf());
    let run = elf.run(&["--json", "--profile"]);
    let json: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(json["outcome"]["exit"], 0);
    // bl 2, bx 2, and the exit: four instructions, then the breakpoint, whose cycle is counted.
    assert_eq!(json["instructions"], 6);
    assert_eq!(json["cycles"], 2 + 2 + 4 + 1);
    let names: Vec<_> = json["functions"].as_array().expect("list").iter().collect();
    assert!(names.iter().any(|f| f["name"] == "f" && f["self_cycles"] == 2));
}

#[test]
fn slow_ram_is_chosen_by_address() {
    let cycles = |options: &[&str]| {
        // r1 = RAM; ldr r0, [r1]
        let elf = File::new("slow", &Program::new(halves(&[0x2101, 0x0749, 0x6808])).elf());
        let run = elf.run(&[&["--json"], options].concat());
        let json: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        json["cycles"].as_u64().expect("a number")
    };
    let fast = cycles(&[]);
    assert_eq!(cycles(&["--slow", "0"]), fast);
    assert_eq!(cycles(&["--slow", "0x20000100:64K"]), fast);
    assert_eq!(cycles(&["--slow", "64K"]), fast + 1);
}

#[test]
fn the_constant_time_check_compares_two_inputs() {
    // movs r0, #SYS_READC; bkpt; cmp r0, #1; bne over the nop; nop; nop
    let code = [0x2007, 0xBEAB, 0x2801, 0xD100, 0xBF00, 0xBF00];
    let elf = File::new("ct", &Program::new(halves(&code)).elf());
    let (one, two) = (File::new("one", &[1]), File::new("two", &[2]));
    let path = |file: &File| file.0.to_string_lossy().into_owned();
    let run = elf.run(&["--input", &path(&one), "--ct", "--ct-input", &path(&two)]);
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert_eq!(run.status.code(), Some(1), "{text}{}", stderr(&run));
    assert!(text.contains("DIFFERENCE") && text.contains("bne"), "{text}");
    let run = elf.run(&["--input", &path(&one), "--ct", "--ct-input", &path(&one)]);
    assert_eq!(run.status.code(), Some(0));
}

#[test]
fn the_constant_time_check_compares_two_argument_lists() {
    // r1 = RAM; SYS_GET_CMDLINE into RAM + 32 by a block at RAM + 16; r2 = last character of a name
    // of known length; cmp r2, #98; bne over the nop; nop; nop
    let code = [
        0x2101, 0x0749, 0x3110, // r1 = RAM + 16
        0x460C, 0x3410, 0x600C, // mov r4, r1; adds r4, #16; str r4, [r1]
        0x2050, 0x6048, 0x2015, 0xBEAB, // movs r0, #80; str r0, [r1, #4]; SYS_GET_CMDLINE
        0x6849, 0x1E49, 0x5C62, // ldr r1, [r1, #4]; subs r1, #1; ldrb r2, [r4, r1]
        0x2A62, 0xD100, 0xBF00, 0xBF00,
    ];
    let elf = File::new("arguments", &Program::new(halves(&code)).elf());
    let different = elf.run(&["--args", "x", "b", "--ct", "x", "c"]);
    let text = String::from_utf8_lossy(&different.stdout).into_owned();
    assert_eq!(different.status.code(), Some(1), "{text}{}", stderr(&different));
    assert!(text.contains("bne"), "{text}");
    assert_eq!(elf.run(&["--args", "x", "b", "--ct", "x", "b"]).status.code(), Some(0));
    assert_eq!(elf.run(&["--args=-x", "--ct=-x"]).status.code(), Some(0));
}
