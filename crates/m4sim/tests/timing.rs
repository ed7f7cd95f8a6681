//! Cycle counts of short sequences, worked out by hand from section 3.3 of the Cortex-M4 Technical
//! Reference Manual and the parameters documented in `CycleModel`. RAM is fast except where a test
//! says slow.

use m4sim::{CycleModel, Host, Machine, Memory, Range, SLOW_RAM, Silent, Stop};

const RAM: Range = Range { base: 0x2000_0000, size: 0x1000 };

/// Address of the first instruction behind the set-up; a multiple of 4.
const START: u32 = 20;

/// r1 = RAM, r2 = 8, r3 = RAM + 8, r4 = RAM + 16; r0 and r5 up are 0.
const SETUP: [u16; 6] = [
    0x2101, // movs r1, #1
    0x0749, // lsls r1, r1, #29
    0x2208, // movs r2, #8
    0x188B, // adds r3, r1, r2
    0x189C, // adds r4, r3, r2
    0xBF00, // nop
];

fn machine(code: &[u16]) -> Machine {
    let mut image = Vec::new();
    image.extend((RAM.base + RAM.size).to_le_bytes());
    image.extend(9u32.to_le_bytes());
    for halfword in SETUP.iter().chain(code) {
        image.extend(halfword.to_le_bytes());
    }
    image.resize(256, 0);
    let mut memory = Memory::default();
    memory.add_ram(RAM);
    memory.add_rom(0, image);
    let mut machine = Machine::new(memory, 0, Host::silent()).expect("vector table");
    assert_eq!(machine.run(SETUP.len() as u64, &mut Silent), Stop::Limit);
    assert_eq!(machine.pc(), START);
    machine
}

/// Cycles of each of the first `count` instructions executed.
fn cycles_of(machine: &mut Machine, count: usize) -> Vec<u64> {
    let mut cycles = Vec::new();
    for _ in 0..count {
        let before = machine.cycles();
        assert_eq!(machine.step(&mut Silent), None, "at {:#x}", machine.pc());
        cycles.push(machine.cycles() - before);
    }
    cycles
}

#[track_caller]
fn check(code: &[u16], expected: &[u64]) {
    assert_eq!(cycles_of(&mut machine(code), expected.len()), expected);
}

#[test]
fn data_processing_and_every_multiplication_take_one_cycle() {
    check(&[0x1888, 0x4088, 0x4348], &[1, 1, 1]); // adds, lsls by register, muls
    check(&[0xFBA1, 0x5602], &[1]); // umull r5, r6, r1, r2
    check(&[0xFBE1, 0x5062], &[1]); // umaal r5, r0, r1, r2
    check(&[0xFB51, 0xF512], &[1]); // smmulr r5, r1, r2
    check(&[0xFBC1, 0x5602], &[1]); // smlal r5, r6, r1, r2
    check(&[0xFB21, 0x5602], &[1]); // smlad r6, r1, r2, r5
}

/// As [`check`], with all RAM slow.
#[track_caller]
fn check_slow(code: &[u16], expected: &[u64]) {
    let mut machine = machine(code);
    machine.set_slow_ram(RAM);
    assert_eq!(cycles_of(&mut machine, expected.len()), expected);
}

#[test]
fn a_single_load_takes_two_cycles_and_overlaps_with_the_load_in_front() {
    check(&[0x6808, 0x681D], &[2, 1]); // ldr r0, [r1]; ldr r5, [r3]
    // The manual's examples: three and four cycles.
    check(&[0x5888, 0x5099], &[2, 1]); // ldr r0, [r1, r2]; str r1, [r3, r2]
    check(&[0x5888, 0x681D, 0x6866], &[2, 1, 1]); // ..., ldr r5, [r3]; ldr r6, [r4, #4]
    check(&[0x7808, 0xF9B3, 0x5000], &[2, 1]); // ldrb r0, [r1]; ldrsh r5, [r3]
}

#[test]
fn a_store_behind_a_load_takes_no_time() {
    check(&[0x5888, 0x6158], &[2, 0]); // ldr r0, [r1, r2]; str r0, [r3, #20]
    check(&[0x6808, 0x681D, 0x7020], &[2, 1, 0]); // ldr r0, [r1]; ldr r5, [r3]; strb r0, [r4]
    check(&[0x6808, 0x6018, 0x6020], &[2, 0, 1]); // only the first of two stores
    check(&[0x6808, 0xBF00, 0x6018], &[2, 1, 1]); // not with an instruction between
    check(&[0xE9D1, 0x0500, 0x6018], &[3, 1]); // ldrd r0, r5, [r1]; str r0, [r3]
}

#[test]
fn an_access_whose_address_was_just_loaded_does_not_overlap() {
    check(&[0x680D, 0x682E], &[2, 2]); // ldr r5, [r1]; ldr r6, [r5]
    let mut machine = machine(&[0x600B, 0x680D, 0x602E]); // str r3, [r1]; ldr r5, [r1]; str r6, [r5]
    assert_eq!(cycles_of(&mut machine, 3), [1, 2, 1]);
}

#[test]
fn an_access_with_base_update_does_not_overlap() {
    // ldr r0, [r1], #4; ldr r5, [r3], #4
    check(&[0xF851, 0x0B04, 0xF853, 0x5B04], &[2, 2]);
    // ldr r0, [r1]; str r5, [r3], #4
    check(&[0x6808, 0xF843, 0x5B04], &[2, 1]);
}

#[test]
fn reads_of_slow_ram_wait_unless_they_follow_a_read() {
    check_slow(&[0x6808], &[3]); // ldr r0, [r1]
    check_slow(&[0x6808, 0x681D, 0x6866], &[3, 1, 1]); // ldr r0, [r1]; ldr r5, [r3]; ldr r6, [r4, #4]
    check_slow(&[0x6808, 0xBF00, 0x681D], &[3, 1, 3]); // with a nop between
    check_slow(&[0x6018, 0x681D], &[1, 3]); // str r0, [r3]; ldr r5, [r3]
    check_slow(&[0x6808, 0x6018], &[3, 0]); // ldr r0, [r1]; str r0, [r3]
}

#[test]
fn a_transfer_of_several_words_of_slow_ram_waits_once() {
    check_slow(&[0xE891, 0x0061], &[5]); // ldm r1, {r0, r5, r6}
    check_slow(&[0xE9D1, 0x0500], &[4]); // ldrd r0, r5, [r1]
    check_slow(&[0xE891, 0x0061, 0x681D], &[5, 2]); // ldm; ldr r5, [r3]: behind a read
    check_slow(&[0x6808, 0xE9D3, 0x5600], &[3, 3]); // ldr r0, [r1]; ldrd r5, r6, [r3]
}

#[test]
fn a_write_to_slow_ram_waits_for_the_write_in_front() {
    check_slow(&[0x6008], &[1]); // str r0, [r1]
    check_slow(&[0x6008, 0x6018, 0x6020], &[1, 2, 2]); // str r0, [r1]; str r0, [r3]; str r0, [r4]
    check_slow(&[0x6008, 0xBF00, 0x6018], &[1, 1, 1]); // with a nop between
    check_slow(&[0xE881, 0x0061], &[4]); // stm r1, {r0, r5, r6}
    check_slow(&[0xE9C1, 0x0500, 0x6020], &[3, 2]); // strd r0, r5, [r1]; str r0, [r4]
    check_slow(&[0x6008, 0xE9C3, 0x0500], &[1, 4]); // str r0, [r1]; strd r0, r5, [r3]
}

#[test]
fn a_skipped_instruction_and_a_branch_end_a_row_of_accesses() {
    // nop; it ne; strne r0, [r1]; it eq; streq r0, [r1] (skipped); str r0, [r3]
    check_slow(&[0xBF00, 0xBF18, 0x6008, 0xBF08, 0x6008, 0x6018], &[1, 0, 1, 0, 1, 1]);
    check_slow(&[0x6008, 0xE000, 0xBF00, 0x6018], &[1, 2, 1]); // str; b over a nop; str
    // adr r5; adds r5, #1; push {r5}; pop {pc} over two nops; ldr r0, [r1]
    check_slow(&[0xA502, 0x3501, 0xB420, 0xBD00, 0xBF00, 0xBF00, 0x6808], &[1, 1, 2, 4, 3]);
}

#[test]
fn fast_and_slow_ram_are_told_apart_by_address() {
    let mut machine = machine(&[0x6808, 0x6860, 0xBF00, 0x6860]);
    machine.set_slow_ram(Range { base: RAM.base + 20, size: 4 });
    // ldr r0, [r1], fast; ldr r0, [r4, #4], slow: the read in front was of fast RAM; nop; the latter
    assert_eq!(cycles_of(&mut machine, 4), [2, 2, 1, 3]);
    assert!(
        !SLOW_RAM.holds(RAM.base, 192 << 10) && SLOW_RAM.holds(RAM.base + (192 << 10), 448 << 10)
    );
}

#[test]
fn flash_is_not_slow() {
    check_slow(&[0x4800, 0x4901], &[2, 1]); // ldr r0, [pc]; ldr r1, [pc, #4]
}

#[test]
fn stores_take_one_cycle_and_two_with_register_offset() {
    check(&[0x6008, 0x6018, 0x5088, 0x681D], &[1, 1, 2, 2]); // str, str, str [r1, r2], ldr
}

#[test]
fn an_address_computed_just_before_costs_a_cycle() {
    check(&[0x188B, 0x6818], &[1, 3]); // adds r3, r1, r2; ldr r0, [r3]
    check(&[0x188B, 0x6018], &[1, 2]); // adds r3, r1, r2; str r0, [r3]
    check(&[0x2204, 0x5888], &[1, 3]); // movs r2, #4; ldr r0, [r1, r2]
    check(&[0x188B, 0xBF00, 0x6818], &[1, 1, 2]); // with a nop between
    check(&[0x1888, 0x6018], &[1, 1]); // adds r0, r1, r2; str r0, [r3]: only the datum
}

#[test]
fn transfers_of_several_words_take_one_cycle_more_than_words() {
    check(&[0xB40F], &[5]); // push {r0-r3}
    check(&[0xE891, 0x0061], &[4]); // ldm r1, {r0, r5, r6}
    check(&[0xE8A1, 0x0061], &[4]); // stm r1!, {r0, r5, r6}
    check(&[0xE9D1, 0x0500], &[3]); // ldrd r0, r5, [r1]
    check(&[0xE9C1, 0x0500], &[3]); // strd r0, r5, [r1]
    check(&[0x6808, 0xE9D3, 0x5600, 0x681D], &[2, 3, 2]); // no overlap on either side
}

#[test]
fn branches_take_two_cycles_when_taken_and_one_otherwise() {
    check(&[0xE000, 0xBF00, 0xBF00], &[2, 1]); // b over a nop
    check(&[0xD000, 0xBF00], &[1, 1]); // beq, not taken: r4 is not zero
    check(&[0xD100, 0xBF00, 0xBF00], &[2, 1]); // bne, taken
    check(&[0xB101, 0xB901, 0xBF00, 0xBF00], &[1, 2, 1]); // cbz r1, cbnz r1
    check(&[0xF000, 0xF800], &[2]); // bl to the next instruction
    // adr r0; adds r0, #7; bx r0: to the nop behind
    check(&[0xA000, 0x3007, 0x4700, 0xBF00], &[1, 1, 2, 1]);
}

#[test]
fn a_load_of_pc_takes_four_cycles_and_a_table_branch_five() {
    // ldr pc, [pc, #4]; word behind a nop pair: START + 12, Thumb
    check(&[0xF8DF, 0xF004, 0xBF00, 0xBF00, 0x0021, 0x0000, 0xBF00], &[4, 1]);
    check(&[0xE8DF, 0xF000, 0x0001, 0xBF00], &[5, 1]); // tbb [pc, r0]
}

#[test]
fn pop_with_pc_pays_for_the_refill() {
    // adr r5; adds r5, #9; push {r5}; pop {pc}; nop
    check(&[0xA502, 0x3501, 0xB420, 0xBD00, 0xBF00], &[1, 1, 2, 3, 1]);
    // push {r0-r2, r5}; pop {r0-r2, pc} with r5 as return address
    check(&[0xA503, 0x3501, 0xB427, 0xBC07, 0xBD00, 0xBF00, 0xBF00], &[1, 1, 5, 4, 3, 1]);
}

#[test]
fn a_branch_to_a_misaligned_32_bit_instruction_costs_a_cycle() {
    // b to START + 6, where add.w r5, r1, r2 stands
    check(&[0xE001, 0xBF00, 0xBF00, 0xEB01, 0x0502], &[2, 2]);
    // b to START + 4: aligned
    check(&[0xE000, 0xBF00, 0xEB01, 0x0502], &[2, 1]);
}

#[test]
fn the_third_misaligned_32_bit_instruction_in_a_row_stalls_once() {
    let add = [0xEB01, 0x0502];
    let aligned: Vec<u16> = add.repeat(6);
    check(&aligned, &[1; 6]);
    let mut misaligned = vec![0xBF00];
    misaligned.extend(add.repeat(6));
    check(&misaligned, &[1, 1, 1, 2, 1, 1, 1]);
}

#[test]
fn it_is_free_behind_a_16_bit_instruction() {
    // nop; it ne; movne r5, r1; it eq; moveq r5, r1 (skipped)
    check(&[0xBF00, 0xBF18, 0x460D, 0xBF08, 0x460D], &[1, 0, 1, 0, 1]);
    // add.w r5, r1, r2; it ne; movne r5, r1
    check(&[0xEB01, 0x0502, 0xBF18, 0x460D], &[1, 1, 1]);
    // A skipped load takes a single cycle.
    check(&[0xBF00, 0xBF08, 0x6808], &[1, 0, 1]);
}

#[test]
fn division_takes_two_to_twelve_cycles_by_quotient_length() {
    let model = CycleModel::default();
    assert_eq!(model.divide(7, 0), 2);
    assert_eq!(model.divide(7, 8), 2);
    assert_eq!(model.divide(1, 1), 3);
    assert_eq!(model.divide(u32::MAX, 1), 12);
    assert!((1..32).all(|k| model.divide(1 << k, 1) >= model.divide(1 << (k - 1), 1)));
    check(&[0xFBB2, 0xF5F1], &[2]); // udiv r5, r2, r1: 8 / 0x2000_0000
    check(&[0xFBB1, 0xF5F2], &[11]); // udiv r5, r1, r2: quotient 2^26, 27 bits
    check(&[0xFB91, 0xF5F2], &[11]); // sdiv, the same
}

#[test]
fn unaligned_loads_pay_for_their_parts() {
    check(&[0xF8D1, 0x0001], &[4]); // ldr r0, [r1, #1]: byte, halfword, byte
    check(&[0xF8D1, 0x0002], &[3]); // ldr r0, [r1, #2]: two halfwords
    check(&[0xF8B1, 0x0001], &[3]); // ldrh r0, [r1, #1]: two bytes
    check(&[0xF8B1, 0x0002], &[2]); // ldrh r0, [r1, #2]
}

#[test]
fn an_unaligned_store_delays_only_the_next_access() {
    check(&[0xF8C1, 0x0001, 0x681D], &[1, 4]); // str r0, [r1, #1]; ldr r5, [r3]
    check(&[0xF8C1, 0x0001, 0xBF00, 0xBF00, 0x681D], &[1, 1, 1, 2]);
}

#[test]
fn floating_point_moves_loads_and_stores() {
    let enable = [
        0xF64E, 0x5588, // movw r5, #0xed88
        0xF2CE, 0x0500, // movt r5, #0xe000
        0xF44F, 0x0670, // mov r6, #0xf00000
        0x602E, 0xBF00, // str r6, [r5]; nop
    ];
    let check = |code: &[u16], expected: &[u64]| {
        let whole: Vec<u16> = enable.iter().chain(code).copied().collect();
        let mut machine = machine(&whole);
        cycles_of(&mut machine, 5);
        assert_eq!(cycles_of(&mut machine, expected.len()), expected);
    };
    check(&[0xEE00, 0x1A10], &[1]); // vmov s0, r1
    check(&[0xEC45, 0x1B10], &[2]); // vmov d0, r1, r5
    check(&[0xED91, 0x0A00], &[2]); // vldr s0, [r1]
    check(&[0xED91, 0x0B00], &[3]); // vldr d0, [r1]
    check(&[0xED81, 0x0B00], &[3]); // vstr d0, [r1]
    check(&[0xEC91, 0x0A06], &[7]); // vldmia r1, {s0-s5}
}

#[test]
fn the_program_can_read_the_cycle_counter() {
    let code = [
        0xF241, 0x0500, // movw r5, #0x1000
        0xF2CE, 0x0500, // movt r5, #0xe000
        0x2601, 0x602E, // movs r6, #1; str r6, [r5]
        0x6868, 0xBF00, // ldr r0, [r5, #4]; nop
        0xBF00, 0x686F, // nop; ldr r7, [r5, #4]
        0x1A3F, // subs r7, r7, r0
    ];
    let mut machine = machine(&code);
    cycles_of(&mut machine, 9);
    // A load and two instructions of one cycle lie between the two readings.
    assert_eq!(machine.register(7), 4);
}
