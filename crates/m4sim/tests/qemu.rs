//! Differential test: random instruction sequences on the simulator and on QEMU.
//!
//! An image holds thousands of short tests. Each loads all core registers and flags from a table,
//! runs a random sequence, and stores registers, flags, floating-point registers and a checksum of
//! scratch memory in RAM; at the end the image writes all results to the console. Both machines run
//! the same image, and the results must be equal word by word.
//!
//! `M4SIM_DIFFTEST_INSTRUCTIONS` sets how many random instructions are executed (default 300,000),
//! `M4SIM_DIFFTEST_SEED` the first seed. `M4SIM_NO_QEMU` skips the test.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::rc::Rc;

use m4sim::decode::{Class, Instruction, Mode, Op, PC, SP, decode, is_wide};
use m4sim::{Host, Machine, Memory, Observer, Range, Record, Stop};

const QEMU: &str = "qemu-system-arm";
const RAM: Range = Range { base: 0x2000_0000, size: 4 << 20 };
/// Memory that the tests access at random.
const SCRATCH: u32 = RAM.base;
const SCRATCH_SIZE: u32 = 1024;
const STACK: u32 = RAM.base + 0x2000;
const RESULTS: u32 = RAM.base + 0x4000;
const IMAGE_LIMIT: usize = 4_000_000;
/// Literal loads reach this far around the program counter.
const MARGIN: usize = 4096;

/// Words stored by each test: r1 to r12, lr, APSR, r0, sp, checksum, s0 to s31.
const RESULT_NAMES: [&str; 17] = [
    "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr", "apsr", "r0",
    "sp", "memory",
];
const RESULT_WORDS: usize = RESULT_NAMES.len() + 32;
const RESULT_BYTES: u32 = 4 * RESULT_WORDS as u32;
const TESTS_PER_IMAGE: usize = 12_000;
const INSTRUCTIONS_PER_TEST: usize = 10;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// An operand: anything, or a value near a border.
    fn operand(&mut self) -> u32 {
        const BORDERS: [u32; 14] = [
            0,
            1,
            2,
            31,
            32,
            0x7F,
            0x80,
            0x7FFF,
            0x8000,
            0xFFFF,
            0x0001_0000,
            0x7FFF_FFFF,
            0x8000_0000,
            0xFFFF_FFFF,
        ];
        match self.below(4) {
            0 => BORDERS[self.below(14) as usize],
            1 => BORDERS[self.below(14) as usize] << 16 | BORDERS[self.below(14) as usize] & 0xFFFF,
            _ => self.next() as u32,
        }
    }
}

type Encoding = [u16; 2];

/// Encodings of the claimed instructions, by operation, size, addressing mode and flag rule.
type Pool = BTreeMap<String, Vec<Encoding>>;

fn pool() -> Pool {
    let mut pool = Pool::new();
    let mut random = Random(1);
    for first in 0..=u16::MAX {
        let tries = if is_wide(first) { 1000 } else { 1 };
        for _ in 0..tries {
            let second = biased(&mut random);
            let i = decode(first, second);
            if can_be_tested(&i) {
                let entry = pool.entry(key(&i)).or_default();
                if entry.len() < 4000 || random.chance(10) {
                    entry.push([first, second]);
                }
            }
        }
    }
    pool
}

fn key(i: &Instruction) -> String {
    format!("{:?} {} {:?} {:?} {:?}", i.op, i.size, i.mode, i.flags, i.shift)
}

/// A second halfword, often with fields at all zeros or all ones, which many encodings require.
fn biased(random: &mut Random) -> u16 {
    let word = random.next() as u16;
    let word = if random.chance(50) { word | 0xF000 } else { word };
    match random.below(10) {
        0 => word & 0xFF0F,
        1 => word | 0x00F0,
        2 => word & 0xFF0F | 0x0080,
        3 => word & 0xFFE0 | 0x0A10,
        4 => word & 0xF000 | 0x0A10,
        5 => word & 0xF00F | 0x0F40,
        6 => word & 0x0070 | 0x8F0F,
        7 => word & 0x0F0F | 0x0030,
        _ => word,
    }
}

fn can_be_tested(i: &Instruction) -> bool {
    match i.op {
        Op::Undefined | Op::UnsupportedFp | Op::Bkpt | Op::Svc | Op::Udf | Op::It => false,
        // WFI would wait for ever; WFE and YIELD only give the host's time away.
        Op::Hint => i.imm == 0 || i.imm == 4,
        // Branches are built for their place, see `branch`.
        _ if i.class() == Class::Branch => false,
        _ if i.is_memory() => address_can_be_chosen(i),
        _ => true,
    }
}

fn address_can_be_chosen(i: &Instruction) -> bool {
    let indexed = i.mode == Mode::Register;
    // An index in sp cannot be set to an odd number; base and index need different registers.
    let unusable_index = indexed && (i.rm == i.rn || i.rm == SP);
    let literal_pc = i.op == Op::LdrPc && i.rn == PC;
    !unusable_index && !literal_pc
}

/// Whether `imm` is a register list or count instead of an offset.
fn moves_a_list(i: &Instruction) -> bool {
    matches!(i.op, Op::Ldmia | Op::Ldmdb | Op::Stmia | Op::Stmdb | Op::Vldm(_) | Op::Vstm(_))
}

/// Writes machine code.
struct Assembler {
    code: Vec<u8>,
}

impl Assembler {
    fn here(&self) -> u32 {
        self.code.len() as u32
    }

    fn half(&mut self, halfword: u16) {
        self.code.extend(halfword.to_le_bytes());
    }

    fn wide(&mut self, encoding: u32) {
        self.half((encoding >> 16) as u16);
        self.half(encoding as u16);
    }

    fn word(&mut self, word: u32) {
        self.code.extend(word.to_le_bytes());
    }

    fn encoding(&mut self, [first, second]: Encoding) {
        self.half(first);
        if is_wide(first) {
            self.half(second);
        }
    }

    fn align(&mut self) {
        if self.here() & 3 != 0 {
            self.half(0xBF00);
        }
    }

    /// Sets a register to a constant without touching the flags.
    fn set(&mut self, register: u8, value: u32) {
        if register == SP {
            self.set(12, value);
            self.half(0x46E5); // mov sp, r12
            return;
        }
        for (base, half) in [(0xF240_0000, value & 0xFFFF), (0xF2C0_0000, value >> 16)] {
            let fields = half >> 12 << 16 | (half >> 11 & 1) << 26 | (half >> 8 & 7) << 12;
            self.wide(base | fields | u32::from(register) << 8 | half & 0xFF);
        }
    }

    fn patch(&mut self, place: usize, word: u32) {
        self.code[place..place + 4].copy_from_slice(&word.to_le_bytes());
    }
}

/// One test of an image.
struct Test {
    start: u32,
    end: u32,
}

struct Program {
    code: Vec<u8>,
    tests: Vec<Test>,
    instructions: usize,
}

struct Builder<'a> {
    asm: Assembler,
    random: Random,
    pool: &'a Pool,
    keys: Vec<&'a String>,
    instructions: usize,
}

fn build(pool: &Pool, seed: u64) -> Program {
    let mut builder = Builder {
        asm: Assembler { code: Vec::new() },
        random: Random(seed),
        pool,
        keys: pool.keys().collect(),
        instructions: 0,
    };
    builder.asm.word(STACK);
    builder.asm.word(0);
    let states = builder.states();
    builder.asm.code.resize(builder.asm.code.len() + MARGIN, 0);
    let store_results = builder.asm.here();
    builder.emit_store_results();
    let reset = builder.asm.here();
    builder.asm.patch(4, reset | 1);
    builder.emit_start(states[0]);
    let mut tests = Vec::new();
    for (index, state) in states.iter().enumerate() {
        if builder.asm.code.len() > IMAGE_LIMIT - MARGIN {
            break;
        }
        tests.push(builder.test(*state, RESULTS + RESULT_BYTES * index as u32, store_results));
    }
    builder.emit_end(RESULT_BYTES * tests.len() as u32);
    builder.asm.code.resize(builder.asm.code.len() + MARGIN, 0);
    Program { code: builder.asm.code, tests, instructions: builder.instructions }
}

impl Builder<'_> {
    /// Emits the initial states (APSR, r0 to r12, lr); returns their addresses.
    fn states(&mut self) -> Vec<u32> {
        let mut states = Vec::new();
        for _ in 0..TESTS_PER_IMAGE {
            states.push(self.asm.here());
            let apsr = self.random.next() as u32 & 0xF80F_0000;
            self.asm.word(apsr);
            for _ in 0..14 {
                let value = self.random.operand();
                self.asm.word(value);
            }
        }
        states
    }

    /// Emits the subroutine that stores a test's results at r0, given r0 in s31 and lr in s30.
    fn emit_store_results(&mut self) {
        let asm = &mut self.asm;
        asm.wide(0xE880_1FFE); // stm r0, {r1-r12}
        asm.wide(0xEE1F_1A10); // vmov r1, s30
        asm.half(0x6301); // str r1, [r0, #48]
        asm.wide(0xF3EF_8100); // mrs r1, apsr
        asm.half(0x6341); // str r1, [r0, #52]
        asm.wide(0xEE1F_1A90); // vmov r1, s31
        asm.half(0x6381); // str r1, [r0, #56]
        asm.half(0x4669); // mov r1, sp
        asm.half(0x63C1); // str r1, [r0, #60]
        asm.set(2, SCRATCH);
        asm.half(0x2300); // movs r3, #0
        asm.set(4, SCRATCH_SIZE / 4);
        asm.wide(0xF852_5B04); // loop: ldr r5, [r2], #4
        asm.wide(0xEB05_13F3); // add r3, r5, r3, ror #7
        asm.half(0x3C01); // subs r4, #1
        asm.half(0xD1F9); // bne loop
        asm.half(0x6403); // str r3, [r0, #64]
        asm.half(0x3044); // adds r0, #68
        asm.wide(0xEC80_0A20); // vstmia r0, {s0-s31}
        asm.set(SP, STACK);
        asm.half(0x4770); // bx lr
    }

    /// Emits what enables the floating-point unit and fills its registers.
    fn emit_start(&mut self, table: u32) {
        let asm = &mut self.asm;
        asm.set(0, 0xE000_ED88);
        asm.half(0x6801); // ldr r1, [r0]
        asm.wide(0xF441_0170); // orr r1, r1, #0xf00000
        asm.half(0x6001); // str r1, [r0]
        asm.wide(0xF3BF_8F4F); // dsb
        asm.wide(0xF3BF_8F6F); // isb
        asm.set(0, table);
        asm.wide(0xEC90_0A20); // vldmia r0, {s0-s31}
    }

    /// Emits the output of all results, and the exit.
    fn emit_end(&mut self, size: u32) {
        let asm = &mut self.asm;
        let data = STACK + 64;
        asm.set(1, data);
        asm.set(2, u32::from_le_bytes(*b":tt\0"));
        asm.half(0x600A); // str r2, [r1]
        for (place, value) in [(data + 4, data), (data + 8, 4), (data + 12, 3)] {
            asm.set(1, place);
            asm.set(2, value);
            asm.half(0x600A); // str r2, [r1]
        }
        asm.set(1, data + 4);
        asm.half(0x2001); // movs r0, #SYS_OPEN
        asm.half(0xBEAB); // bkpt 0xab
        asm.set(1, data + 4);
        asm.half(0x6008); // str r0, [r1]
        asm.set(2, RESULTS);
        asm.half(0x604A); // str r2, [r1, #4]
        asm.set(2, size);
        asm.half(0x608A); // str r2, [r1, #8]
        asm.half(0x2005); // movs r0, #SYS_WRITE
        asm.half(0xBEAB); // bkpt 0xab
        asm.set(1, 0x2_0026);
        asm.half(0x2018); // movs r0, #SYS_EXIT
        asm.half(0xBEAB); // bkpt 0xab
    }

    fn test(&mut self, state: u32, result: u32, store_results: u32) -> Test {
        self.asm.set(0, state);
        self.asm.half(0x6801); // ldr r1, [r0]
        self.asm.half(0x3004); // adds r0, #4
        self.asm.wide(0xF381_8C00); // msr apsr_nzcvqg, r1
        self.asm.wide(0xE890_5FFF); // ldm r0, {r0-r12, lr}
        let start = self.asm.here();
        let goal = self.instructions + INSTRUCTIONS_PER_TEST;
        while self.instructions < goal {
            match self.random.below(100) {
                0..12 => self.branch(),
                12..27 => self.it_block(),
                _ => self.single(),
            }
        }
        let end = self.asm.here();
        self.asm.wide(0xEE0F_0A90); // vmov s31, r0
        self.asm.wide(0xEE0F_EA10); // vmov s30, lr
        self.asm.set(0, result);
        let displacement = store_results.wrapping_sub(self.asm.here() + 4);
        self.asm.wide(long_branch(0xF000_D000, displacement));
        Test { start, end }
    }

    fn pick(&mut self) -> (Encoding, Instruction) {
        let key = self.keys[self.random.below(self.keys.len() as u32) as usize];
        let encodings = &self.pool[key];
        let encoding = encodings[self.random.below(encodings.len() as u32) as usize];
        (encoding, decode(encoding[0], encoding[1]))
    }

    fn single(&mut self) {
        let (encoding, i) = self.pick();
        if i.is_memory() {
            self.memory(encoding, &i);
        } else {
            if i.op == Op::Msr && i.imm == 20 {
                // Everything but the unprivileged mode.
                let value = self.random.below(4) * 2;
                self.asm.set(i.rn, value);
            }
            self.asm.encoding(encoding);
        }
        self.instructions += 1;
    }

    fn memory(&mut self, encoding: Encoding, i: &Instruction) {
        let aligned = i.rn == SP
            || i.class() != Class::Load && i.class() != Class::Store
            || matches!(i.op, Op::LdrPc | Op::Ldrex | Op::Ldrexh | Op::Strex | Op::Strexh);
        let mask = if aligned { !3 } else { !0 };
        let target = (SCRATCH + 128 + self.random.below(SCRATCH_SIZE - 256)) & mask;
        let index = self.random.below(16) * if i.op == Op::LdrPc { 4 } else { 1 };
        if matches!(i.op, Op::Strex | Op::Strexb | Op::Strexh) {
            self.claim_or_clear(i, target);
        }
        let start = self.asm.here() as usize;
        // The first pass finds out where the instruction ends.
        let mut end = 0;
        for _ in 0..2 {
            self.asm.code.truncate(start);
            self.emit_memory(encoding, i, target, index, end);
            end = self.asm.here();
        }
    }

    /// Emits the set-up of the address registers and the instruction; loads of pc go to `end`.
    fn emit_memory(
        &mut self,
        encoding: Encoding,
        i: &Instruction,
        target: u32,
        index: u32,
        end: u32,
    ) {
        let offset = match i.mode {
            Mode::Register => index << i.amount,
            Mode::PostIndex => 0,
            _ if moves_a_list(i) => 0,
            _ => i.imm,
        };
        let base = target.wrapping_sub(offset) & if i.rn == SP { !3 } else { !0 };
        if i.destinations() & (1 << PC) != 0 {
            let slot = match i.op {
                Op::Ldmia => base + 4 * (i.words() - 1),
                Op::Ldmdb => base - 4,
                _ => base.wrapping_add(offset),
            };
            self.asm.set(0, slot);
            self.asm.set(1, end | 1);
            self.asm.half(0x6001); // str r1, [r0]
        }
        if i.rn != PC {
            self.asm.set(i.rn, base);
        }
        if i.mode == Mode::Register {
            self.asm.set(i.rm, index);
        }
        self.asm.encoding(encoding);
    }

    /// Emits a matching load exclusive or a CLREX in front of a store exclusive.
    fn claim_or_clear(&mut self, i: &Instruction, target: u32) {
        if self.random.chance(30) {
            self.asm.wide(0xF3BF_8F2F); // clrex
            return;
        }
        self.asm.set(0, target);
        self.asm.wide(match i.op {
            Op::Strex => 0xE850_1F00,  // ldrex r1, [r0]
            Op::Strexb => 0xE8D0_1F4F, // ldrexb r1, [r0]
            _ => 0xE8D0_1F5F,          // ldrexh r1, [r0]
        });
    }

    /// Emits an IT instruction and its block.
    fn it_block(&mut self) {
        let condition = self.random.below(15) as u16;
        let mut mask = 1 + self.random.below(15) as u16;
        if condition == 14 {
            mask = 1 << self.random.below(4);
        }
        self.asm.half(0xBF00 | condition << 4 | mask);
        self.instructions += 1;
        let length = 4 - mask.trailing_zeros();
        for position in 0..length {
            if position + 1 == length && self.random.chance(15) {
                self.asm.half(0xE000); // b over the next instruction
                self.asm.half(0x3301); // adds r3, #1
            } else {
                let encoding = self.pick_for_block();
                self.asm.encoding(encoding);
            }
            self.instructions += 1;
        }
    }

    fn pick_for_block(&mut self) -> Encoding {
        loop {
            let (encoding, i) = self.pick();
            // MOVS between registers as 16 bits and CPS are unpredictable in a block.
            let unpredictable = i.op == Op::Cps || encoding[0] < 0x40;
            if !i.is_memory() && !unpredictable && i.op != Op::Msr {
                return encoding;
            }
        }
    }

    /// Emits a branch of any kind over an instruction.
    fn branch(&mut self) {
        const BRANCHES: u32 = 12;
        let register = self.random.below(8) as u8;
        let condition = self.random.below(14);
        let kind = self.random.below(BRANCHES);
        self.asm.align();
        let start = self.asm.here();
        match kind {
            0 => self.asm.half(0xE000),                           // b
            1 => self.asm.half(0xD000 | (condition as u16) << 8), // b<condition>
            2 => self.asm.wide(0xF000_B801),                      // b.w
            3 => self.asm.wide(0xF000_8001 | condition << 22),    // b<condition>.w
            4 => self.asm.wide(0xF000_F801),                      // bl
            5 => self.asm.half(0xB100 | u16::from(register)),     // cbz
            6 => self.asm.half(0xB900 | u16::from(register)),     // cbnz
            7..=9 => {
                let base = [0x4700, 0x4780, 0x4687][kind as usize - 7]; // bx, blx, mov pc
                self.asm.set(register, (start + 12) | 1);
                self.asm.half(base | u16::from(register) << 3);
            }
            10 => {
                self.asm.set(register, 0);
                self.asm.half(0x4487 | u16::from(register) << 3); // add pc, register
            }
            _ => self.table_branch(register),
        }
        self.asm.half(0x3301); // adds r3, #1
        self.instructions += 1;
    }

    /// Emits TBB or TBH with a table of two entries behind it; the second leads past the filler.
    fn table_branch(&mut self, register: u8) {
        let index = self.random.below(2);
        self.asm.set(register, index);
        if self.random.chance(50) {
            self.asm.wide(0xE8DF_F000 | u32::from(register)); // tbb [pc, register]
            self.asm.half(0x0201);
        } else {
            self.asm.wide(0xE8DF_F010 | u32::from(register)); // tbh [pc, register, lsl #1]
            self.asm.half(2);
            self.asm.half(3);
        }
    }
}

/// BL (or with another `base` B.W) over `displacement` bytes.
fn long_branch(base: u32, displacement: u32) -> u32 {
    let bit = |index: u32| displacement >> index & 1;
    let sign = bit(24);
    let (j1, j2) = (bit(23) ^ 1 ^ sign, bit(22) ^ 1 ^ sign);
    let (high, low) = (displacement >> 12 & 0x3FF, displacement >> 1 & 0x7FF);
    base | sign << 26 | high << 16 | j1 << 13 | j2 << 11 | low
}

/// Counts records, so that they are formed for every kind of instruction.
struct Records(u64);

impl Observer for Records {
    fn instruction(&mut self, _record: &Record<'_>) {
        self.0 += 1;
    }
}

fn run_here(program: &Program) -> Vec<u8> {
    let mut memory = Memory::default();
    memory.add_ram(RAM);
    memory.add_rom(0, program.code.clone());
    let output = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&output);
    let console = move |_, bytes: &[u8]| sink.borrow_mut().extend_from_slice(bytes);
    let mut machine =
        Machine::new(memory, 0, Host::new(String::new(), Vec::new(), console)).expect("image");
    let mut records = Records(0);
    let stop = machine.run(1 << 32, &mut records);
    assert_eq!(stop, Stop::Exit(0), "{}", listing_around(program, machine.pc()));
    // The exiting breakpoint does not complete.
    assert_eq!(records.0, machine.instructions());
    output.take()
}

fn run_qemu(program: &Program, seed: u64) -> Vec<u8> {
    let image = std::env::temp_dir().join(format!("m4sim-{}-{seed}.bin", std::process::id()));
    std::fs::write(&image, &program.code).expect("writing the image");
    let output = Command::new(QEMU)
        .args(["-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", "none"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(&image)
        .stdin(Stdio::null())
        .output()
        .expect("running QEMU");
    std::fs::remove_file(&image).expect("removing the image");
    assert!(output.status.success(), "QEMU: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn compare(program: &Program, ours: &[u8], theirs: &[u8]) {
    let expected = program.tests.len() * RESULT_BYTES as usize;
    assert_eq!(theirs.len(), expected, "size of QEMU's output");
    assert_eq!(ours.len(), expected, "size of the simulator's output");
    for (index, test) in program.tests.iter().enumerate() {
        let range = index * RESULT_BYTES as usize..(index + 1) * RESULT_BYTES as usize;
        let (ours, theirs) = (&ours[range.clone()], &theirs[range]);
        assert!(
            ours == theirs,
            "test {index}:\n{}{}",
            listing(program, test),
            differences(ours, theirs)
        );
    }
}

fn differences(ours: &[u8], theirs: &[u8]) -> String {
    let words = ours.chunks(4).zip(theirs.chunks(4)).enumerate().filter(|(_, (a, b))| a != b);
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    words
        .map(|(k, (a, b))| {
            let name =
                RESULT_NAMES.get(k).map_or(format!("s{}", k as i32 - 17), |n| (*n).to_owned());
            format!("{name}: simulator {:#010x}, QEMU {:#010x}\n", word(a), word(b))
        })
        .collect()
}

fn listing_around(program: &Program, pc: u32) -> String {
    let test = program.tests.iter().find(|t| (t.start..t.end + 20).contains(&pc));
    format!("stopped at {pc:#x}\n{}", test.map_or(String::new(), |t| listing(program, t)))
}

fn listing(program: &Program, test: &Test) -> String {
    let half = |a: u32| {
        let a = a as usize;
        u16::from_le_bytes([program.code[a], program.code[a + 1]])
    };
    let mut text = String::new();
    let mut address = test.start;
    while address < test.end {
        let i = decode(half(address), half(address + 2));
        text += &format!(
            "{address:#x}  {:04x} {:04x}  {}\n",
            half(address),
            half(address + 2),
            i.text(address)
        );
        address += u32::from(i.size);
    }
    text
}

/// Instructions that must be among the tested ones, besides IT and the branches.
const CLAIMED: &str = "\
    adc adcs add adds adr and ands asr asrs bfc bfi bic bics clrex clz cmn cmp cpsid cpsie dmb dsb \
    eor eors isb ldm ldmdb ldr ldrb ldrbt ldrd ldrex ldrexb ldrexh ldrh ldrht ldrsb ldrsbt ldrsh \
    ldrsht ldrt lsl lsls lsr lsrs mla mls mov movs movt movw mrs msr mul muls mvn mvns nop orn orns \
    orr orrs pkhbt pkhtb pld pop push qadd qadd16 qadd8 qasx qdadd qdsub qsax qsub qsub16 qsub8 rbit \
    rev rev16 revsh ror rors rrx rrxs rsb rsbs sadd16 sadd8 sasx sbc sbcs sbfx sdiv sel sev shadd16 \
    shadd8 shasx shsax shsub16 shsub8 smlabb smlabt smlad smladx smlal smlalbb smlalbt smlald \
    smlaldx smlaltb smlaltt smlatb smlatt smlawb smlawt smlsd smlsdx smlsld smlsldx smmla smmlar \
    smmls smmlsr smmul smmulr smuad smuadx smulbb smulbt smull smultb smultt smulwb smulwt smusd \
    smusdx ssat ssat16 ssax ssub16 ssub8 stm stmdb str strb strbt strd strex strexb strexh strh \
    strht strt sub subs sxtab sxtab16 sxtah sxtb sxtb16 sxth teq tst uadd16 uadd8 uasx ubfx udiv \
    uhadd16 uhadd8 uhasx uhsax uhsub16 uhsub8 umaal umlal umull uqadd16 uqadd8 uqasx uqsax uqsub16 \
    uqsub8 usad8 usada8 usat usat16 usax usub16 usub8 uxtab uxtab16 uxtah uxtb uxtb16 uxth vldmdb \
    vldmia vldr vmov vmov.32 vmov.f32 vmrs vmsr vpop vpush vstmdb vstmia vstr";

fn check_coverage(pool: &Pool) {
    let encodings = pool.values().flatten();
    let tested: BTreeSet<_> = encodings.map(|e| decode(e[0], e[1]).mnemonic()).collect();
    let missing: Vec<_> = CLAIMED.split_whitespace().filter(|m| !tested.contains(*m)).collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
}

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}

#[test]
fn random_sequences_behave_as_on_qemu() {
    if std::env::var_os("M4SIM_NO_QEMU").is_some() {
        eprintln!("M4SIM_NO_QEMU is set: not compared with QEMU");
        return;
    }
    if Command::new(QEMU).arg("--version").stdout(Stdio::null()).status().is_err() {
        panic!(
            "{QEMU} is missing: install it (Debian: apt-get install qemu-system-arm), or set M4SIM_NO_QEMU"
        );
    }
    let wanted = setting("M4SIM_DIFFTEST_INSTRUCTIONS", 300_000) as usize;
    let mut seed = setting("M4SIM_DIFFTEST_SEED", 1);
    let pool = pool();
    check_coverage(&pool);
    let (mut done, mut tests) = (0, 0);
    while done < wanted {
        let program = build(&pool, seed);
        let ours = run_here(&program);
        compare(&program, &ours, &run_qemu(&program, seed));
        done += program.instructions;
        tests += program.tests.len();
        seed += 1;
    }
    eprintln!("{done} random instructions in {tests} tests, {} kinds: all equal", pool.len());
}
