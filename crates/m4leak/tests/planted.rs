//! Small programs with a leak planted for each component of the models, and the remedy beside it.

#[path = "../../m4sim/tests/common/mod.rs"]
#[allow(dead_code, reason = "each test program uses its part of the module")]
mod common;

use common::{Code, Program, R1_IS_RAM, RAM_BASE, halves};
use m4leak::Device;
use m4leak::{
    Analysis, Cut, Judge, Model, Models, Observation, Order, Outcome, Place, Tvla, Window, group,
    merge,
};
use m4sim::{Image, Machine};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Duration;

// The shares of a secret lie at RAM and RAM + 4, a constant at RAM + 8, a random number from 1 to 8
// at RAM + 12. r1 = RAM.
const LOAD_FIRST: u16 = 0x680A; // ldr r2, [r1]
const LOAD_SECOND: u16 = 0x684B; // ldr r3, [r1, #4]
const LOAD_CONSTANT: u16 = 0x688B; // ldr r3, [r1, #8]
const MOVE_FIRST: u16 = 0x4614; // mov r4, r2
const MOVE_SECOND: u16 = 0x461C; // mov r4, r3
const MOVE_CONSTANT: u16 = 0x460C; // mov r4, r1
const STORE_FIRST: u16 = 0x610A; // str r2, [r1, #16]
const STORE_SECOND: u16 = 0x610B; // str r3, [r1, #16]
const STORE_CONSTANT: u16 = 0x6109; // str r1, [r1, #16]
const STORE_ELSEWHERE: u16 = 0x6149; // str r1, [r1, #20]
const RETURN: u16 = 0x4770; // bx lr

/// Both shares in registers, with a constant loaded in between.
const APART: [u16; 3] = [LOAD_FIRST, LOAD_CONSTANT, LOAD_SECOND];

fn program(target: Vec<Code>) -> Program {
    let main = R1_IS_RAM.into_iter().chain([Code::Call("target")]).collect();
    Program::new(main).function("target", target)
}

fn target(code: &[u16]) -> Program {
    program(halves(&[code, &[RETURN]].concat()))
}

struct Setting {
    models: Models,
    order: Order,
    traces: usize,
    window: usize,
    threads: usize,
    noise: f64,
}

const SETTING: Setting = Setting {
    models: Models::ALL,
    order: Order::First,
    traces: 600,
    window: 1000,
    threads: 2,
    noise: 0.0,
};

/// A program whose secret is zero in the first group and random in the other.
struct Planted<'a>(&'a Program);

impl Device for Planted<'_> {
    type Image = Image;

    fn image(&self) -> Result<Image, String> {
        Ok(self.0.image())
    }

    fn machine(&self, image: &Image, trace: usize) -> Result<Machine, String> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(trace as u64);
        let [mask, secret, rest]: [u32; 3] = rng.random();
        let secret = if group(trace) == 0 { 0 } else { secret };
        let words = [mask, mask ^ secret, 0x0F0F_0F0F, 1 + rest % 8];
        let mut machine = self.0.machine(image);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        machine.memory_mut().copy_in(RAM_BASE, &bytes).expect("RAM");
        Ok(machine)
    }
}

fn test_with(program: &Program, setting: &Setting) -> Outcome {
    interrupted(program, setting, Judge::new(setting.traces, 0), None, None).0
}

/// A test with what is kept of it behind window `cut_behind`; `from` is what was kept before.
fn interrupted(
    program: &Program,
    setting: &Setting,
    mut judge: Judge,
    from: Option<Cut>,
    cut_behind: Option<usize>,
) -> (Outcome, Option<(Outcome, Cut)>) {
    let image = program.image();
    let function = |name: &str| {
        let found = image.functions().iter().find(|f| f.name == name);
        found.expect("a known function").address
    };
    let observation = Observation {
        device: &Planted(program),
        begin: function("target"),
        end: function("main") + 8,
        traces: 0..setting.traces,
        models: setting.models,
        window: setting.window,
        threads: setting.threads,
        cut_every: cut_behind.map(|_| Duration::ZERO),
        from,
    };
    let tvla = Tvla { order: setting.order, noise: setting.noise, seed: 1 };
    let (mut windows, mut kept) = (0, None);
    let finish = |window: &Window, partials: Vec<<Tvla as Analysis>::Partial>, cut: Option<Cut>| {
        judge.judge(window, &merge(partials).expect("workers"), setting.order);
        if Some(windows) == cut_behind {
            kept = cut.map(|cut| (judge.so_far(), cut));
        }
        windows += 1;
    };
    observation.run(|_| None, &tvla, finish).expect("a run");
    (judge.outcome(), kept)
}

/// Model, place and offset in `target` of everything above the threshold.
fn leaks_with(program: &Program, setting: &Setting) -> Vec<(Model, Place, u32)> {
    let outcome = test_with(program, setting);
    let image = program.image();
    let leaks = outcome.leaks(outcome.threshold(0.01));
    leaks
        .iter()
        .map(|f| (f.model, f.place, f.pc - image.function_at(f.pc).expect("code").address))
        .collect()
}

/// Model, place and offset of everything found by one model.
fn found(code: &[u16], model: Model) -> Vec<(Place, u32)> {
    let setting = Setting { models: [model].into_iter().collect(), ..SETTING };
    let leaks = leaks_with(&target(code), &setting);
    leaks.into_iter().map(|(_, place, offset)| (place, offset)).collect()
}

#[test]
fn shares_kept_apart_do_not_leak_in_any_model() {
    let moves = [MOVE_FIRST, MOVE_CONSTANT, MOVE_SECOND];
    // The first store would follow the second share through the load/store unit.
    let stores = [STORE_ELSEWHERE, STORE_FIRST, STORE_ELSEWHERE, STORE_CONSTANT, STORE_SECOND];
    let code = [&APART[..], &moves, &stores].concat();
    assert_eq!(leaks_with(&target(&code), &SETTING), []);
    let outcome = test_with(&target(&code), &SETTING);
    assert!(outcome.tested > 20 && outcome.missing == 0, "{outcome:?}");
}

#[test]
fn values() {
    // eors r2, r3
    assert_eq!(found(&[&APART[..], &[0x405A]].concat(), Model::Value), [(Place::Destination, 6)]);
}

#[test]
fn operand_latches() {
    let leak = [&APART[..], &[MOVE_FIRST, MOVE_SECOND]].concat();
    assert_eq!(found(&leak, Model::Operands), [(Place::Operand(1), 8)]);
    let remedy = [&APART[..], &[MOVE_FIRST, MOVE_CONSTANT, MOVE_SECOND]].concat();
    assert_eq!(found(&remedy, Model::Operands), []);
}

#[test]
fn overwritten_results() {
    let leak = [&APART[..], &[MOVE_FIRST, MOVE_SECOND]].concat();
    assert_eq!(found(&leak, Model::Result), [(Place::Destination, 8)]);
    // movs r4, #0 in between.
    let remedy = [&APART[..], &[MOVE_FIRST, 0x2400, MOVE_SECOND]].concat();
    assert_eq!(found(&remedy, Model::Result), []);
}

#[test]
fn the_data_bus_keeps_a_word_until_the_next_access() {
    // nop; movs r4, #0 in between.
    let leak = [LOAD_FIRST, 0xBF00, 0x2400, LOAD_SECOND];
    assert_eq!(found(&leak, Model::Bus), [(Place::LoadStore, 6), (Place::RamRead, 6)]);
    assert_eq!(found(&APART, Model::Bus), []);
    // A store in between clears the load/store unit, but not the read lines.
    let store = [LOAD_FIRST, STORE_CONSTANT, LOAD_SECOND];
    assert_eq!(found(&store, Model::Bus), [(Place::RamRead, 4)]);
}

#[test]
fn narrow_accesses_show_the_whole_word() {
    // ldrb r2, [r1]; ldrb r3, [r1, #5]: different bytes.
    let leak = [0x780A, 0x794B];
    assert_eq!(found(&leak, Model::Bus), [(Place::LoadStore, 2), (Place::RamRead, 2)]);
    assert_eq!(found(&leak, Model::Result), []);
}

#[test]
fn overwritten_memory() {
    let leak = [&APART[..], &[STORE_FIRST, STORE_ELSEWHERE, STORE_SECOND]].concat();
    assert_eq!(found(&leak, Model::Memory), [(Place::Word, 10)]);
    let remedy = [&APART[..], &[STORE_FIRST, STORE_CONSTANT, STORE_SECOND]].concat();
    assert_eq!(found(&remedy, Model::Memory), []);
}

#[test]
fn shifter_and_multiplier() {
    // lsls r4, r2, #1; lsls r4, r3, #1
    let shifts = [&APART[..], &[0x0054, 0x005C]].concat();
    assert_eq!(found(&shifts, Model::Shifter), [(Place::ShifterOutput, 8)]);
    // mul r4, r2, r1; mul r5, r3, r1
    let products = [&APART[..], &[0xFB02, 0xF401, 0xFB03, 0xF501]].concat();
    assert_eq!(found(&products, Model::Shifter), [(Place::Multiplier(0), 10)]);
}

#[test]
fn multi_register_transfers() {
    // ldrd r2, r3, [r1]; ldm r1, {r2, r3}; movw, movt, mov and str to CPACR, then vldm r1, {s0, s1};
    // push {r2, r3} and its undoing.
    let enabled_fpu = [0xF64E, 0x5088, 0xF2CE, 0x0000, 0xF44F, 0x0270, 0x6002, 0xEC91, 0x0A02];
    let transfers: [(&[u16], u32); 4] = [
        (&[0xE9D1, 0x2300], 0),
        (&[0xE891, 0x000C], 0),
        (&enabled_fpu, 14),
        (&[LOAD_FIRST, LOAD_CONSTANT, LOAD_SECOND, 0xB40C, 0xB002], 6),
    ];
    for (code, offset) in transfers {
        assert_eq!(found(code, Model::Transfer), [(Place::Between(0), offset)], "{code:x?}");
    }
    // ldrd r2, r3, [r1, #4]: the second share and a constant.
    assert_eq!(found(&[0xE9D1, 0x2301], Model::Transfer), []);
}

#[test]
fn the_values_that_met_are_named_with_their_origins() {
    let code = [&APART[..], &[STORE_FIRST, STORE_ELSEWHERE, STORE_SECOND]].concat();
    let setting = Setting { models: [Model::Memory].into_iter().collect(), ..SETTING };
    let program = target(&code);
    let outcome = test_with(&program, &setting);
    let [finding] = outcome.leaks(outcome.threshold(0.01))[..] else { panic!("{outcome:?}") };
    let start = finding.pc - 10;
    assert_eq!((finding.old.1 - start, finding.new.1 - start), (6, 10));
    // The reference is in the group whose secret is zero: both shares are the same mask.
    assert_eq!(finding.old.0, finding.new.0);
}

#[test]
fn second_order_sees_what_first_order_cannot() {
    // pkhbt r4, r2, r3, lsl #16: a half of each share. The weight of both together has the same mean
    // whatever the secret, but varies twice as much if they are equal.
    let program = target(&[&APART[..], &[0xEAC2, 0x4403]].concat());
    let value = Setting { models: [Model::Value].into_iter().collect(), ..SETTING };
    assert_eq!(leaks_with(&program, &value), []);
    let second = Setting { order: Order::Second, ..value };
    assert_eq!(leaks_with(&program, &second), [(Model::Value, Place::Destination, 6)]);
}

/// subs r5, #1; bne back, for ldr r5, [r1, #12]: a loop of random length.
const LOAD_COUNT: u16 = 0x68CD;
const LOOP: [u16; 2] = [0x3D01, 0xD1FD];

#[test]
fn runs_find_each_other_behind_a_loop_of_random_length() {
    let code = [&[LOAD_COUNT][..], &LOOP, &[LOAD_FIRST, LOAD_SECOND]].concat();
    for window in [1, 2, 3, 1000] {
        let setting = Setting { models: [Model::Bus].into_iter().collect(), window, ..SETTING };
        let leaks = leaks_with(&target(&code), &setting);
        let bus = |place| (Model::Bus, place, 8);
        assert_eq!(leaks, [bus(Place::LoadStore), bus(Place::RamRead)], "window {window}");
    }
}

#[test]
fn runs_find_each_other_behind_a_call_and_within_the_next() {
    // push {lr}; bl wait; bl leak; bl wait; pop {pc}
    let calls = ["wait", "leak", "wait", "leak"].map(Code::Call);
    let all = [&[Code::Half(0xB500)][..], &calls, &[Code::Half(0xBD00)]].concat();
    let program = program(all)
        .function("wait", halves(&[&[LOAD_COUNT][..], &LOOP, &[RETURN]].concat()))
        .function("leak", halves(&[LOAD_FIRST, LOAD_SECOND, RETURN]));
    for window in [1, 4, 1000] {
        let setting = Setting { models: [Model::Bus].into_iter().collect(), window, ..SETTING };
        let outcome = test_with(&program, &setting);
        let leaks = outcome.leaks(outcome.threshold(0.01));
        // In the load/store unit and on the lines, in both calls.
        let callers: Vec<_> = leaks.iter().map(|f| f.callers[0] - leaks[0].callers[0]).collect();
        assert_eq!(callers.len(), 4, "window {window}: {leaks:?}");
        assert_eq!(callers.iter().filter(|&&distance| distance == 0).count(), 2);
        assert!(leaks.iter().all(|finding| finding.samples == 1), "window {window}: {leaks:?}");
    }
}

#[test]
fn an_interrupted_test_ends_like_any_other() {
    // push {lr}; bl wait; bl leak; pop {pc}, with loops of random length in both.
    let calls = ["wait", "leak", "wait", "leak"].map(Code::Call);
    let program = program([&[Code::Half(0xB500)][..], &calls, &[Code::Half(0xBD00)]].concat())
        .function("wait", halves(&[&[LOAD_COUNT][..], &LOOP, &[RETURN]].concat()))
        .function("leak", halves(&[&[LOAD_COUNT][..], &LOOP, &APART, &[RETURN]].concat()));
    let setting = Setting { window: 3, traces: 100, ..SETTING };
    let whole = test_with(&program, &setting);
    for cut_behind in 0..5 {
        let judge = Judge::new(setting.traces, 0);
        let (_, kept) = interrupted(&program, &setting, judge, None, Some(cut_behind));
        let kept = serde_json::to_string(&kept.expect("a cut")).expect("JSON");
        let (outcome, cut) = serde_json::from_str(&kept).expect("the same");
        let judge = Judge::resume(outcome);
        let (resumed, _) = interrupted(&program, &setting, judge, Some(cut), None);
        assert_eq!(resumed, whole, "behind window {cut_behind}");
    }
}

#[test]
fn nothing_depends_on_threads_and_windows() {
    let code = [&APART[..], &[MOVE_FIRST, MOVE_SECOND, STORE_FIRST, STORE_SECOND]].concat();
    let whole = test_with(&target(&code), &Setting { threads: 1, ..SETTING });
    let split = test_with(&target(&code), &Setting { window: 2, threads: 3, ..SETTING });
    assert_eq!((whole.findings, whole.tested), (split.findings, split.tested));
}

#[test]
fn noise_hides_a_leak_from_few_traces() {
    let code = [LOAD_FIRST, LOAD_SECOND];
    let bus = [Model::Bus].into_iter().collect();
    let noisy = |noise, traces| {
        leaks_with(&target(&code), &Setting { models: bus, noise, traces, ..SETTING }).len()
    };
    assert_eq!((noisy(1.0, 600), noisy(200.0, 600)), (2, 0));
}
