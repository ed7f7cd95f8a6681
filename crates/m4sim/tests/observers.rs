//! Profile, memory watch, constant-time check, records, semihosting, self-modifying code.

#[allow(dead_code, reason = "each test program uses its part of the module")]
mod common;

use common::{Code, Program, R1_IS_RAM, RAM_BASE, halves, recording_host};
use m4sim::ct::{Comparison, DifferenceKind, compare};
use m4sim::report::{StackUse, describe_comparison};
use m4sim::{Access, Image, Observer, Profile, Range, Record, Silent, Stop, Touched};

/// main calls f twice and g once; f calls g; g divides 7 by 2 and loses r4.
fn nested_calls() -> Program {
    let main = vec![Code::Call("f"), Code::Call("f"), Code::Call("g")];
    let f = vec![Code::Half(0xB500), Code::Call("g"), Code::Half(0xBD00)];
    let g = halves(&[0x2407, 0x2102, 0xFBB4, 0xF0F1, 0x4770]);
    Program::new(main).function("f", f).function("g", g)
}

#[test]
fn the_profile_counts_calls_and_cycles_by_caller() {
    let program = nested_calls();
    let image = program.image();
    let mut machine = program.machine(&image);
    let mut profile = Profile::new(&image, &machine);
    let mut touched = Touched::new(&machine);
    assert_eq!(machine.run(1000, &mut (&mut profile, &mut touched)), Stop::Exit(0));
    let totals = profile.totals();
    let total = |name: &str| totals.iter().find(|f| f.name == name).expect("executed");
    let (f, g) = (total("f"), total("g"));
    // g: movs, movs, udiv of two quotient bits, bx lr.
    let division = 3;
    let once = 1 + 1 + division + 2;
    assert_eq!((g.calls, g.self_cycles, g.inclusive_cycles), (3, 3 * once, 3 * once));
    // f: push {lr} 2, bl 2, pop {pc} 3.
    assert_eq!((f.calls, f.self_cycles), (2, 2 * 7));
    assert_eq!(f.inclusive_cycles, 2 * (7 + once));
    let callers: Vec<_> = g.callers.iter().map(|c| (c.name.as_str(), c.calls, c.cycles)).collect();
    assert_eq!(callers, [("f", 2, 2 * once), ("main", 1, once)]);
    let sum: u64 = totals.iter().map(|f| f.self_cycles).sum();
    assert_eq!(sum + 1, machine.cycles(), "all but the exiting breakpoint");
    assert_eq!(profile.divisions().iter().map(|d| d.count).sum::<u64>(), 3);
    assert_eq!(StackUse::of(&profile, &touched), StackUse { by_pointer: 4, by_writes: 4 });
    let ram = &touched.regions()[0];
    assert_eq!((ram.read, ram.written, ram.touched), (4, 4, 4));
}

#[test]
fn lost_registers_are_found() {
    let program = nested_calls();
    let image = program.image();
    let mut machine = program.machine(&image);
    let mut profile = Profile::new(&image, &machine);
    machine.run(1000, &mut profile);
    let lost = profile.lost_registers();
    let lost = lost.iter().map(|(l, n)| (l.function.as_str(), l.register.as_str(), *n));
    // The first call of g, and with it of f, changes r4 from 0 to 7; later ones write the same.
    assert_eq!(lost.collect::<Vec<_>>(), [("f", "r4", 1), ("g", "r4", 1)]);
}

/// main calls `leak` with r1 = RAM and r2 = the secret word there.
fn leaking(code: &[u16]) -> Program {
    let load = [Code::Half(0x680A), Code::Call("leak")];
    let main = R1_IS_RAM.into_iter().chain(load).collect();
    Program::new(main).function("leak", halves(code))
}

fn compare_secrets(program: &Program, secrets: [u32; 2], allowed: &[&str]) -> (Image, Comparison) {
    let image = program.image();
    let [mut a, mut b] = secrets.map(|secret| {
        let mut machine = program.machine(&image);
        machine.memory_mut().copy_in(RAM_BASE, &secret.to_le_bytes()).expect("RAM");
        machine
    });
    let allowed: Vec<String> = allowed.iter().map(|&name| name.to_owned()).collect();
    let result = compare(&image, &mut a, &mut b, &allowed, 10_000);
    (image, result)
}

fn difference(code: &[u16], secrets: [u32; 2]) -> DifferenceKind {
    let (image, result) = compare_secrets(&leaking(code), secrets, &[]);
    let difference = result.difference.expect("a difference");
    assert_eq!(image.function_at(difference.pc).map(|f| f.name.as_str()), Some("leak"));
    difference.kind
}

#[test]
fn constant_time_code_passes() {
    // muls r2, r2, r2; eors r2, r1; str r2, [r1, #4]; bx lr
    let (_, result) = compare_secrets(&leaking(&[0x4352, 0x404A, 0x604A, 0x4770]), [3, 500], &[]);
    assert_eq!(result.difference, None);
    assert!(result.compared > 8);
    assert_eq!(result.stop, Stop::Exit(0));
}

/// Runs that fail alike do not differ, but nothing behind the fault was compared.
#[test]
fn runs_that_fail_alike_are_told() {
    // udf #0
    let (image, result) = compare_secrets(&leaking(&[0xDE00]), [3, 500], &[]);
    assert_eq!(result.difference, None);
    assert!(matches!(result.stop, Stop::Fault(_)), "{:?}", result.stop);
    let machine = leaking(&[0xDE00]).machine(&image);
    assert!(describe_comparison(&result, &image, &machine).contains("BOTH FAILED"));
}

#[test]
fn a_secret_branch_is_found() {
    // cbz r2, over the nop; nop; bx lr
    let kind = difference(&[0xB102, 0xBF00, 0xBF00, 0x4770], [0, 1]);
    assert!(matches!(kind, DifferenceKind::Path(..)), "{kind:?}");
}

#[test]
fn a_secret_condition_is_found() {
    // cmp r2, #0; it eq; moveq r0, r1; bx lr
    assert_eq!(difference(&[0x2A00, 0xBF08, 0x4608, 0x4770], [0, 1]), DifferenceKind::Condition);
}

#[test]
fn a_secret_load_address_is_found() {
    // ldr r0, [r1, r2]; bx lr
    let kind = difference(&[0x5888, 0x4770], [16, 32]);
    assert_eq!(kind, DifferenceKind::Address(RAM_BASE + 16, RAM_BASE + 32));
}

#[test]
fn a_secret_division_is_found_even_when_its_time_is_the_same() {
    // udiv r0, r1, r2; bx lr
    assert_eq!(difference(&[0xFBB1, 0xF0F2, 0x4770], [2, 3]), DifferenceKind::Division);
}

#[test]
fn an_allowed_function_may_differ_and_the_check_goes_on_behind_it() {
    let leak = [0xB102, 0xBF00, 0xBF00, 0x4770];
    let (_, result) = compare_secrets(&leaking(&leak), [0, 1], &["leak"]);
    assert_eq!(result.difference, None);
    assert_eq!(result.allowed.get("leak"), Some(&1));
    // The same, with a second leak behind the allowed function.
    let load = [Code::Half(0x680A), Code::Call("leak"), Code::Call("other")];
    let program = Program::new(R1_IS_RAM.into_iter().chain(load).collect())
        .function("leak", halves(&leak))
        .function("other", halves(&[0x5888, 0x4770]));
    let (image, result) = compare_secrets(&program, [0, 4], &["leak"]);
    let difference = result.difference.expect("the second leak");
    assert_eq!(image.function_at(difference.pc).map(|f| f.name.as_str()), Some("other"));
}

/// Operands, shifter output, result and overwritten value of an instruction.
type Values = ([Option<u32>; 3], Option<u32>, Option<u32>, Option<u32>);

/// Keeps everything.
#[derive(Default)]
struct Everything {
    accesses: Vec<Access>,
    results: Vec<Values>,
}

impl Observer for Everything {
    fn access(&mut self, access: &Access) {
        self.accesses.push(*access);
    }

    fn instruction(&mut self, r: &Record<'_>) {
        self.results.push((r.operands, r.shifted, r.result, r.overwritten));
    }
}

#[test]
fn observers_see_operands_results_and_the_bus() {
    // r1 = RAM; movs r2, #0x81; strb r2, [r1, #1]; ldrsb r3, [r1, #1];
    // add.w r0, r1, r2, lsl #4; stmia r1!, {r0, r2}
    let code = [0x2281, 0x704A, 0xF991, 0x3001, 0xEB01, 0x1002, 0xC105];
    let program = Program::new(R1_IS_RAM.into_iter().chain(halves(&code)).collect());
    let image = program.image();
    let mut machine = program.machine(&image);
    let mut seen = Everything::default();
    assert_eq!(machine.run(1000, &mut seen), Stop::Exit(0));
    let access = |k: usize| {
        let a = seen.accesses[k];
        (a.address - RAM_BASE, a.size, a.write, a.value, a.bus, a.old)
    };
    let sum = RAM_BASE + 0x810;
    assert_eq!(access(0), (1, 1, true, 0x81, 0x8181_8181, 0));
    assert_eq!(access(1), (1, 1, false, 0x81, 0x8100, 0x8100));
    assert_eq!(access(2), (0, 4, true, sum, sum, 0x8100));
    assert_eq!(access(3), (4, 4, true, 0x81, 0x81, 0));
    let (operands, shifted, result, overwritten) = seen.results[5];
    assert_eq!(operands, [Some(RAM_BASE), Some(0x81), None]);
    assert_eq!((shifted, result, overwritten), (Some(0x810), Some(sum), Some(0)));
    let (operands, _, result, _) = seen.results[4];
    assert_eq!((operands[0], result), (Some(RAM_BASE), Some(0xFFFF_FF81)));
}

#[test]
fn semihosting_passes_command_line_input_and_output() {
    // Parameter block at RAM + 0x100: { RAM + 0x200, 32 }; SYS_GET_CMDLINE, then SYS_WRITE0 of it,
    // then SYS_READC and SYS_WRITEC of what was read.
    let code = [
        0x460C, 0x34FF, 0x3401, // mov r4, r1; adds r4, #255; adds r4, #1
        0x4625, 0x35FF, 0x3501, // mov r5, r4; adds r5, #255; adds r5, #1
        0x6025, 0x2020, 0x6060, // str r5, [r4]; movs r0, #32; str r0, [r4, #4]
        0x2015, 0x4621, 0xBEAB, // movs r0, #SYS_GET_CMDLINE; mov r1, r4; bkpt
        0x2004, 0x4629, 0xBEAB, // movs r0, #SYS_WRITE0; mov r1, r5; bkpt
        0x2007, 0xBEAB, 0x7028, // movs r0, #SYS_READC; bkpt; strb r0, [r5]
        0x2003, 0x4629, 0xBEAB, // movs r0, #SYS_WRITEC; mov r1, r5; bkpt
    ];
    let program = Program::new(R1_IS_RAM.into_iter().chain(halves(&code)).collect());
    let (host, output) = recording_host("image --seed 7", b"!");
    let ram = Range { base: RAM_BASE, size: 0x1000 };
    let mut machine = program.image().machine(&[ram], host).expect("a loadable image");
    assert_eq!(machine.run(1000, &mut Silent), Stop::Exit(0));
    assert_eq!(output.borrow().as_slice(), b"image --seed 7!");
}

#[test]
fn code_in_ram_may_be_rewritten() {
    // r1 = RAM; writes "movs r0, #k; bx lr" there for k = 0x11, then 0x22, calling it each time.
    let code = [
        0x2447, 0x0224, 0x3470, // movs r4, #0x47; lsls r4, r4, #8; adds r4, #0x70 (bx lr)
        0x804C, // strh r4, [r1, #2]
        0x2420, 0x0224,
        0x3411, // movs r4, #0x20; lsls r4, r4, #8; adds r4, #0x11 (movs r0, #0x11)
        0x800C, 0x1C4D, 0x47A8, // strh r4, [r1]; adds r5, r1, #1; blx r5
        0x4606, 0x3411, 0x800C, // mov r6, r0; adds r4, #0x11; strh r4, [r1]
        0x47A8, 0x4607, // blx r5; mov r7, r0
    ];
    let program = Program::new(R1_IS_RAM.into_iter().chain(halves(&code)).collect());
    let image = program.image();
    let mut machine = program.machine(&image);
    assert_eq!(machine.run(1000, &mut Silent), Stop::Exit(0));
    assert_eq!((machine.register(6), machine.register(7)), (0x11, 0x22));
}
