//! What the simulated device does not allow, and how the simulator says so.

#[allow(dead_code, reason = "each test program uses its part of the module")]
mod common;

use common::{Code, Program, R1_IS_RAM, RAM_BASE, halves};
use m4sim::report::{Report, describe_fault};
use m4sim::{FaultKind, Host, Image, Profile, Range, Silent, Stop, Touched};

/// Runs `code` as function `culprit`, called from `main`; returns the fault and its description.
fn fault_of(code: Vec<Code>) -> (FaultKind, String) {
    let program = Program::new(vec![Code::Call("culprit")]).function("culprit", code);
    let image = program.image();
    let mut machine = program.machine(&image);
    match machine.run(1_000_000, &mut Silent) {
        Stop::Fault(fault) => {
            let text = describe_fault(&fault, &image, &machine);
            (fault.kind, text)
        }
        stop => panic!("no fault, but {stop:?}"),
    }
}

fn with_ram_pointer(code: &[u16]) -> Vec<Code> {
    R1_IS_RAM.into_iter().chain(halves(code)).collect()
}

#[track_caller]
fn check(code: Vec<Code>, kind: FaultKind, parts: &[&str]) {
    let (found, text) = fault_of(code);
    assert_eq!(found, kind);
    for part in parts {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
}

#[test]
fn a_wild_pointer_stops_with_address_instruction_and_symbol() {
    // movs r1, #1; lsls r1, r1, #30; ldr r0, [r1, #4]
    check(
        halves(&[0x2101, 0x0789, 0x6848]),
        FaultKind::Read { address: 0x4000_0004, size: 4 },
        &["0x40000004", "culprit+0x4", "6848: ldr r0, [r1, #4]"],
    );
    check(
        halves(&[0x2101, 0x0789, 0x7008]),
        FaultKind::Write { address: 0x4000_0000, size: 1 },
        &["0x40000000", "culprit+0x4", "strb r0, [r1]"],
    );
}

#[test]
fn an_undefined_instruction_stops_with_its_encoding() {
    check(
        vec![Code::Wide(0xFFFF_FFFF)],
        FaultKind::Undefined,
        &["undefined", "in culprit", "ffff ffff"],
    );
    check(halves(&[0xDE2A]), FaultKind::PermanentlyUndefined(42), &["UDF #42", "culprit"]);
    check(halves(&[0xDF01]), FaultKind::SupervisorCall(1), &["SVC #1"]);
}

#[test]
fn multi_word_accesses_must_be_aligned_and_others_need_not() {
    let unaligned = FaultKind::Unaligned { address: RAM_BASE + 2 };
    // adds r1, #2, then ldmia, ldrd, strd, ldrex
    check(with_ram_pointer(&[0x3102, 0xC90C]), unaligned.clone(), &["0x20000002", "ldm r1!"]);
    check(with_ram_pointer(&[0x3102, 0xE9D1, 0x2300]), unaligned.clone(), &["ldrd"]);
    check(with_ram_pointer(&[0x3102, 0xE9C1, 0x2300]), unaligned.clone(), &["strd"]);
    check(with_ram_pointer(&[0x3102, 0xE851, 0x2F00]), unaligned, &["ldrex"]);
    // ldr r0, [r1]; str r0, [r1]; ldrh r0, [r1]; udf #0
    let allowed = with_ram_pointer(&[0x3101, 0x6808, 0x6008, 0x8808, 0xDE00]);
    check(allowed, FaultKind::PermanentlyUndefined(0), &[]);
}

#[test]
fn floating_point_needs_its_unit_enabled_and_arithmetic_is_refused() {
    check(vec![Code::Wide(0xEE00_1A10)], FaultKind::FpDisabled, &["CPACR", "vmov s0, r1"]);
    // vadd.f32 s0, s0, s0
    check(vec![Code::Wide(0xEE30_0A00)], FaultKind::UnsupportedFp, &["unsupported", "ee30 0a00"]);
}

#[test]
fn flash_cannot_be_written_and_code_must_be_thumb() {
    check(
        halves(&[0x2100, 0x6008]),
        FaultKind::ReadOnly { address: 0 },
        &["write to flash at 0x00000000", "str r0, [r1]"],
    );
    check(halves(&[0x2104, 0x4708]), FaultKind::NotThumb { target: 4 }, &["bx r1"]);
}

#[test]
fn a_jump_into_nowhere_is_reported_where_it_was_made() {
    // movs r1, #1; lsls r1, r1, #30; adds r1, #1; bx r1
    check(
        halves(&[0x2101, 0x0789, 0x3101, 0x4708]),
        FaultKind::Fetch { address: 0x4000_0000 },
        &["execution at 0x40000000", "culprit+0x6", "bx r1"],
    );
}

#[test]
fn a_stack_that_outgrows_ram_faults() {
    // push {r0-r7}; b back
    check(
        halves(&[0xB4FF, 0xE7FD]),
        FaultKind::Write { address: RAM_BASE - 32, size: 4 },
        &["push {r0, r1", "culprit", "RAM: 0x20000000..0x20001000 (4096 bytes)", "stack pointer"],
    );
}

#[test]
fn an_image_that_needs_65_kib_does_not_load_with_64() {
    let zeroed = Range { base: RAM_BASE, size: 65 << 10 };
    let program = Program::new(halves(&[])).zeroed(zeroed);
    let image = program.image();
    let load = |size| image.machine(&[Range { base: RAM_BASE, size }], Host::silent());
    let message = load(64 << 10).expect_err("too little RAM").to_string();
    assert!(message.contains("(66560 bytes)") && message.contains("(65536 bytes)"), "{message}");
    let mut machine = load(96 << 10).expect("enough RAM");
    assert_eq!(machine.run(100, &mut Silent), Stop::Exit(0));
}

#[test]
fn a_stack_outside_ram_is_refused() {
    let program = Program::new(halves(&[])).stack_top(RAM_BASE + 0x8000);
    let image = program.image();
    let ram = Range { base: RAM_BASE, size: 0x4000 };
    let message = image.machine(&[ram], Host::silent()).expect_err("no stack").to_string();
    assert!(message.contains("stack starts at 0x20008000"), "{message}");
}

#[test]
fn damaged_files_are_refused() {
    for bytes in [&b""[..], b"\x7fELF", &[0; 100]] {
        assert!(Image::parse(bytes).is_err());
    }
}

#[test]
fn no_damage_makes_the_simulator_panic() {
    let elf = Program::new(halves(&[])).zeroed(Range { base: RAM_BASE, size: 64 }).elf();
    let ram = Range { base: RAM_BASE, size: 0x1000 };
    let mut state = 1u64;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (state >> 33) as usize % bound
    };
    let mut loaded = 0;
    for _ in 0..20_000 {
        let mut damaged = elf.clone();
        for _ in 0..=next(4) {
            let place = next(damaged.len());
            damaged[place] = [0, 1, 0x7F, 0xFF, next(256) as u8][next(5)];
        }
        damaged.truncate(damaged.len() - next(4) * next(100));
        let Ok(image) = Image::parse(&damaged) else { continue };
        let Ok(mut machine) = image.machine(&[ram], Host::silent()) else { continue };
        let mut profile = Profile::new(&image, &machine);
        let mut touched = Touched::new(&machine);
        let stop = machine.run(100, &mut (&mut profile, &mut touched));
        let detail = Some((&profile, &touched));
        let report = Report { image: &image, machine: &machine, stop: &stop, detail };
        assert!(!report.text().is_empty());
        loaded += 1;
    }
    assert!(loaded > 1000, "only {loaded} images could be loaded");
}

#[test]
fn ram_regions_must_not_overlap_or_wrap() {
    let image = Program::new(halves(&[])).image();
    let overlapping = [(RAM_BASE, 0x1000), (RAM_BASE + 0x800, 0x1000)];
    let wrapping = [(RAM_BASE, 0x1000), (0xFFFF_F000, 0x2000)];
    for regions in [overlapping, wrapping] {
        let ram = regions.map(|(base, size)| Range { base, size });
        assert!(image.machine(&ram, Host::silent()).is_err());
    }
}
