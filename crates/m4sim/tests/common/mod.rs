//! Small programs as ELF files, built without an assembler.

use std::cell::RefCell;
use std::rc::Rc;

use m4sim::{Host, Image, Machine, Range};

pub const RAM_BASE: u32 = 0x2000_0000;
/// Address of the first function, behind a vector table of two words.
const CODE_BASE: u32 = 8;

/// `r1` = RAM_BASE.
pub const R1_IS_RAM: [Code; 2] = [Code::Half(0x2101), Code::Half(0x0749)];
/// An orderly exit through SYS_EXIT.
pub const EXIT: [Code; 5] = [
    Code::Half(0x2018), // movs r0, #SYS_EXIT
    Code::Half(0x2102), // movs r1, #2
    Code::Half(0x0409), // lsls r1, r1, #16
    Code::Half(0x3126), // adds r1, #0x26
    Code::Half(0xBEAB), // bkpt 0xab
];

/// A piece of a function.
#[derive(Clone, Copy)]
pub enum Code {
    /// A 16-bit instruction.
    Half(u16),
    /// A 32-bit instruction.
    Wide(u32),
    /// BL to the function of this name.
    Call(&'static str),
}

/// 16-bit instructions.
pub fn halves(halfwords: &[u16]) -> Vec<Code> {
    halfwords.iter().map(|&halfword| Code::Half(halfword)).collect()
}

/// A program: functions in order of address, the first of them the start, and the memory it claims.
pub struct Program {
    functions: Vec<(&'static str, Vec<Code>)>,
    stack_top: u32,
    zeroed: Option<Range>,
}

impl Program {
    pub fn new(main: Vec<Code>) -> Self {
        let main = main.into_iter().chain(EXIT).collect();
        Program { functions: vec![("main", main)], stack_top: RAM_BASE + 0x400, zeroed: None }
    }

    pub fn function(mut self, name: &'static str, code: Vec<Code>) -> Self {
        self.functions.push((name, code));
        self
    }

    pub fn stack_top(mut self, address: u32) -> Self {
        self.stack_top = address;
        self
    }

    /// Claims memory as a `.bss` section does.
    pub fn zeroed(mut self, range: Range) -> Self {
        self.zeroed = Some(range);
        self
    }

    pub fn image(&self) -> Image {
        Image::parse(&self.elf()).expect("a valid image")
    }

    pub fn machine(&self, image: &Image) -> Machine {
        let ram = Range { base: RAM_BASE, size: 0x1000 };
        image.machine(&[ram], Host::silent()).expect("a loadable image")
    }

    /// Address and size of each function.
    fn layout(&self) -> Vec<(u32, u32)> {
        let mut address = CODE_BASE;
        let size = |code: &Code| if matches!(code, Code::Half(_)) { 2 } else { 4 };
        let place = |(_, code): &(&str, Vec<Code>)| {
            let start = address;
            let length = code.iter().map(size).sum::<u32>();
            address = (start + length).next_multiple_of(4);
            (start, length)
        };
        self.functions.iter().map(place).collect()
    }

    fn flash(&self) -> Vec<u8> {
        let layout = self.layout();
        let mut flash = Vec::new();
        flash.extend(self.stack_top.to_le_bytes());
        flash.extend((CODE_BASE | 1).to_le_bytes());
        for ((_, code), (start, _)) in self.functions.iter().zip(&layout) {
            flash.resize(*start as usize, 0);
            for piece in code {
                match *piece {
                    Code::Half(halfword) => flash.extend(halfword.to_le_bytes()),
                    Code::Wide(word) => push_wide(&mut flash, word),
                    Code::Call(name) => {
                        let index = self.functions.iter().position(|(n, _)| *n == name);
                        let (target, _) = layout[index.expect("a known function")];
                        let displacement = target.wrapping_sub(flash.len() as u32 + 4);
                        push_wide(&mut flash, branch_and_link(displacement));
                    }
                }
            }
        }
        flash.resize(flash.len().next_multiple_of(4), 0);
        flash
    }

    pub fn elf(&self) -> Vec<u8> {
        let flash = self.flash();
        let mut strings = b"\0.text\0.bss\0.symtab\0.strtab\0".to_vec();
        let mut symbols = vec![0; 16];
        for ((name, _), (address, size)) in self.functions.iter().zip(self.layout()) {
            for word in [strings.len() as u32, address | 1, size] {
                symbols.extend(word.to_le_bytes());
            }
            // A global function in section 1.
            symbols.extend([0x12, 0, 1, 0]);
            strings.extend(name.bytes().chain([0]));
        }
        let segments = if self.zeroed.is_some() { 2 } else { 1 };
        let text_at = 52 + 32 * segments;
        let symbols_at = text_at + flash.len() as u32;
        let strings_at = symbols_at + symbols.len() as u32;
        let sections_at = (strings_at + strings.len() as u32).next_multiple_of(4);
        let bss = self.zeroed.unwrap_or(Range { base: 0, size: 0 });

        let mut elf = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        push_halves(&mut elf, &[2, 40]);
        push_words(&mut elf, &[1, CODE_BASE | 1, 52, sections_at, 0x0500_0000]);
        push_halves(&mut elf, &[52, 32, segments as u16, 40, 5, 4]);
        let length = flash.len() as u32;
        push_words(&mut elf, &[1, text_at, 0, 0, length, length, 5, 4]);
        if segments == 2 {
            push_words(&mut elf, &[1, 0, bss.base, bss.base, 0, bss.size, 6, 4]);
        }
        elf.extend(flash);
        elf.extend(&symbols);
        elf.extend(&strings);
        elf.resize(sections_at as usize, 0);
        push_words(&mut elf, &[0; 10]);
        push_words(&mut elf, &[1, 1, 6, 0, text_at, length, 0, 0, 4, 0]);
        push_words(&mut elf, &[7, 8, 3, bss.base, 0, bss.size, 0, 0, 4, 0]);
        let size = symbols.len() as u32;
        push_words(&mut elf, &[12, 2, 0, 0, symbols_at, size, 4, 1, 4, 16]);
        let size = strings.len() as u32;
        push_words(&mut elf, &[20, 3, 0, 0, strings_at, size, 0, 0, 1, 0]);
        elf
    }
}

fn push_wide(flash: &mut Vec<u8>, word: u32) {
    flash.extend(((word >> 16) as u16).to_le_bytes());
    flash.extend((word as u16).to_le_bytes());
}

fn push_words(bytes: &mut Vec<u8>, words: &[u32]) {
    words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
}

fn push_halves(bytes: &mut Vec<u8>, halves: &[u16]) {
    halves.iter().for_each(|half| bytes.extend(half.to_le_bytes()));
}

fn branch_and_link(displacement: u32) -> u32 {
    // The two bits below the sign equal it in a program of this size, which is encoded as ones.
    let sign = displacement >> 31;
    0xF000_F800 | sign << 26 | (displacement >> 12 & 0x3FF) << 16 | displacement >> 1 & 0x7FF
}

/// A host that gives the program `command_line` and `input`, and what the program wrote to it.
pub fn recording_host(command_line: &str, input: &[u8]) -> (Host, Rc<RefCell<Vec<u8>>>) {
    let output = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&output);
    let console = move |_, bytes: &[u8]| sink.borrow_mut().extend_from_slice(bytes);
    (Host::new(command_line.to_owned(), input.to_vec(), console), output)
}
