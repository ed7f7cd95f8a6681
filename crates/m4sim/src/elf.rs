//! Program images: what an ELF file says about memory, functions and source lines.

use std::fmt;
use std::sync::Arc;

use object::read::elf::{ElfFile32, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind, elf};

use crate::machine::Machine;
use crate::memory::{Memory, Range};
use crate::semihosting::Host;

/// The part of the address space that the architecture reserves for RAM.
const SRAM: Range = Range { base: 0x2000_0000, size: 0x2000_0000 };
/// Segments of flash closer than this share one read-only memory, with erased bytes between them.
const LARGEST_GAP: u32 = 1 << 20;
/// Content of erased flash.
const ERASED: u8 = 0xFF;
/// Names under which linker scripts place the vector table.
const VECTOR_SECTIONS: [&str; 3] = [".vector_table", ".isr_vector", ".vectors"];

/// Why an image cannot be loaded or started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(pub String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

fn error<T>(message: impl Into<String>) -> Result<T, LoadError> {
    Err(LoadError(message.into()))
}

/// A function or a label in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Address of the first instruction.
    pub address: u32,
    /// Bytes of code.
    pub size: u32,
    /// Name, demangled.
    pub name: String,
}

/// A section that occupies memory of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Name.
    pub name: String,
    /// Where it lies when the program runs.
    pub range: Range,
}

#[derive(Clone, Debug)]
struct Segment {
    load_address: u32,
    run: Range,
    writable: bool,
    data: Vec<u8>,
}

type Lines = addr2line::Context<gimli::EndianArcSlice<gimli::LittleEndian>>;

/// A parsed ELF file for 32-bit Arm.
pub struct Image {
    segments: Vec<Segment>,
    sections: Vec<Section>,
    functions: Vec<Function>,
    vectors: Option<u32>,
    lines: Option<Lines>,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("sections", &self.sections)
            .field("functions", &self.functions.len())
            .finish_non_exhaustive()
    }
}

impl Image {
    /// Parses an ELF file.
    pub fn parse(bytes: &[u8]) -> Result<Self, LoadError> {
        let file = ElfFile32::<Endianness>::parse(bytes)
            .map_err(|e| LoadError(format!("not a 32-bit ELF file: {e}")))?;
        let endian = file.endian();
        if file.elf_header().e_machine(endian) != elf::EM_ARM || endian != Endianness::Little {
            return error("not an ELF file for little-endian Arm");
        }
        let sections = sections(&file);
        let vectors = sections.iter().find(|s| VECTOR_SECTIONS.contains(&s.name.as_str()));
        Ok(Image {
            segments: segments(&file, bytes)?,
            vectors: vectors.map(|s| s.range.base),
            functions: functions(&file),
            sections,
            lines: lines(&file),
        })
    }

    /// The function that `address` lies in.
    pub fn function_at(&self, address: u32) -> Option<&Function> {
        self.function_index(address).map(|index| &self.functions[index])
    }

    /// Index in [`functions`](Self::functions) of the function that `address` lies in.
    pub fn function_index(&self, address: u32) -> Option<usize> {
        let index = self.functions.partition_point(|f| f.address <= address).checked_sub(1)?;
        let function = &self.functions[index];
        (address - function.address < function.size).then_some(index)
    }

    /// The functions, by ascending address.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The sections that occupy memory.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The source line of `address` as `file:line`, where debugging information has it.
    pub fn line_at(&self, address: u32) -> Option<String> {
        let location = self.lines.as_ref()?.find_location(address.into()).ok()??;
        Some(format!("{}:{}", location.file?, location.line?))
    }

    /// `address` for a message: function with offset, and source line.
    pub fn describe(&self, address: u32) -> String {
        let mut text = format!("{address:#010x}");
        match self.function_at(address) {
            Some(f) if f.address == address => text += &format!(" in {}", f.name),
            Some(f) => text += &format!(" in {}+{:#x}", f.name, address - f.address),
            None => text += " in no known function",
        }
        if let Some(line) = self.line_at(address) {
            text += &format!(" ({line})");
        }
        text
    }

    /// Loads the image into a machine with these RAM regions and resets it.
    pub fn machine(&self, ram: &[Range], host: Host) -> Result<Machine, LoadError> {
        check_regions(ram)?;
        let mut memory = Memory::default();
        for &range in ram {
            memory.add_ram(range);
        }
        for segment in &self.segments {
            segment.check(ram)?;
        }
        let (in_ram, in_flash): (Vec<_>, Vec<_>) =
            self.segments.iter().filter(|s| !s.data.is_empty()).partition(|s| s.loads_into(ram));
        for (base, data) in flash(in_flash) {
            memory.add_rom(base, data);
        }
        for segment in in_ram {
            memory.copy_in(segment.load_address, &segment.data).map_err(|address| {
                LoadError(format!("a segment is loaded to {address:#010x}, outside RAM"))
            })?;
        }
        let vectors = self.vector_table()?;
        let machine = Machine::new(memory, vectors, host).map_err(LoadError)?;
        check_stack(machine.register(crate::decode::SP), ram)?;
        Ok(machine)
    }

    fn vector_table(&self) -> Result<u32, LoadError> {
        let lowest = self.segments.iter().filter(|s| !s.data.is_empty()).map(|s| s.load_address);
        match self.vectors.or(lowest.min()) {
            Some(address) => Ok(address),
            None => error("the image contains nothing to execute"),
        }
    }
}

impl Segment {
    fn loads_into(&self, ram: &[Range]) -> bool {
        ram.iter().any(|range| range.holds(self.load_address, 1))
    }

    /// Whatever changes at run time, and whatever has an address in the SRAM area, must fit the RAM.
    fn check(&self, ram: &[Range]) -> Result<(), LoadError> {
        let moves = self.load_address != self.run.base;
        let grows = self.data.len() as u32 != self.run.size;
        let needs_ram = self.writable || moves || grows || SRAM.holds(self.run.base, 1);
        let fits = ram.iter().any(|range| range.holds(self.run.base, self.run.size));
        if fits || !needs_ram {
            return Ok(());
        }
        error(format!("a segment needs RAM at {}, but the RAM is {}", self.run, list(ram)))
    }
}

fn list(ram: &[Range]) -> String {
    if ram.is_empty() {
        return "empty".to_owned();
    }
    ram.iter().map(Range::to_string).collect::<Vec<_>>().join(" and ")
}

fn check_regions(ram: &[Range]) -> Result<(), LoadError> {
    for (i, a) in ram.iter().enumerate() {
        if a.size == 0 || a.base.checked_add(a.size - 1).is_none() {
            return error(format!("the RAM region {a} is empty or exceeds the address space"));
        }
        let overlaps = |b: &&Range| a.holds(b.base, 1) || b.holds(a.base, 1);
        if let Some(b) = ram[i + 1..].iter().find(overlaps) {
            return error(format!("the RAM regions {a} and {b} overlap"));
        }
    }
    Ok(())
}

fn check_stack(sp: u32, ram: &[Range]) -> Result<(), LoadError> {
    let inside = |range: &Range| sp > range.base && range.holds(sp.wrapping_sub(4), 4);
    if ram.iter().any(inside) {
        return Ok(());
    }
    error(format!("the stack starts at {sp:#010x}, outside the RAM: {}", list(ram)))
}

/// The read-only memories that hold these segments.
fn flash(mut segments: Vec<&Segment>) -> Vec<(u32, Vec<u8>)> {
    segments.sort_by_key(|s| s.load_address);
    let mut memories: Vec<(u32, Vec<u8>)> = Vec::new();
    for segment in segments {
        match memories.last_mut() {
            Some((base, data)) if gap(*base, data, segment) <= LARGEST_GAP => {
                let offset = (segment.load_address - *base) as usize;
                let end = offset + segment.data.len();
                data.resize(data.len().max(end), ERASED);
                data[offset..end].copy_from_slice(&segment.data);
            }
            _ => memories.push((segment.load_address, segment.data.clone())),
        }
    }
    memories
}

fn gap(base: u32, data: &[u8], segment: &Segment) -> u32 {
    (segment.load_address - base).saturating_sub(data.len() as u32)
}

fn segments(file: &ElfFile32<'_>, bytes: &[u8]) -> Result<Vec<Segment>, LoadError> {
    let endian = file.endian();
    let mut segments = Vec::new();
    for header in file.elf_program_headers() {
        let size = header.p_memsz(endian);
        if header.p_type(endian) != elf::PT_LOAD || size == 0 {
            continue;
        }
        let Ok(data) = header.data(endian, bytes) else {
            return error("a segment lies outside the file");
        };
        let run = Range { base: header.p_vaddr(endian), size };
        let load_address = header.p_paddr(endian);
        let end = u64::from(load_address) + data.len() as u64;
        if end > 1 << 32 || data.len() > size as usize {
            return error(format!("the segment at {load_address:#010x} is malformed"));
        }
        let writable = header.p_flags(endian).0 & elf::PF_W.0 != 0;
        segments.push(Segment { load_address, run, writable, data: data.to_vec() });
    }
    Ok(segments)
}

fn sections(file: &ElfFile32<'_>) -> Vec<Section> {
    let occupies = |flags| matches!(flags, SectionFlags::Elf { sh_flags, .. } if sh_flags.0 & elf::SHF_ALLOC.0 != 0);
    let mut sections: Vec<_> = file
        .sections()
        .filter(|s| occupies(s.flags()) && s.size() > 0)
        .map(|s| Section {
            name: s.name().unwrap_or("?").to_owned(),
            range: Range { base: s.address() as u32, size: s.size() as u32 },
        })
        .collect();
    sections.sort_by_key(|s| s.range.base);
    sections
}

/// Functions and code labels. Labels without a size, as in hand-written assembly, reach to the next.
fn functions(file: &ElfFile32<'_>) -> Vec<Function> {
    let code: Vec<_> = file
        .sections()
        .filter(|s| s.kind() == object::SectionKind::Text)
        .map(|s| Range { base: s.address() as u32, size: s.size() as u32 })
        .collect();
    let section_end = |address: u32| {
        let section = code.iter().find(|range| range.holds(address, 1));
        section.map(|range| range.base.saturating_add(range.size))
    };
    let mut functions: Vec<_> = file.symbols().filter_map(|s| function(&s)).collect();
    functions.sort_by_key(|f| (f.address, f.size == 0));
    functions.dedup_by_key(|f| f.address);
    functions.retain(|f| section_end(f.address).is_some());
    let starts: Vec<_> = functions.iter().map(|f| f.address).collect();
    for (i, f) in functions.iter_mut().enumerate() {
        let end = section_end(f.address).unwrap_or(f.address);
        let next = starts.get(i + 1).map_or(end, |&start| start.min(end));
        let reach = end - f.address;
        f.size = if f.size == 0 { next - f.address } else { f.size.min(reach) };
    }
    functions
}

fn function<'a>(symbol: &impl ObjectSymbol<'a>) -> Option<Function> {
    let name = symbol.name().ok().filter(|n| !n.is_empty() && !n.starts_with('$'))?;
    let is_function = symbol.kind() == SymbolKind::Text;
    let is_label = symbol.kind() == SymbolKind::Unknown && symbol.is_global();
    if symbol.is_undefined() || !(is_function || is_label) {
        return None;
    }
    Some(Function {
        address: symbol.address() as u32 & !1,
        size: symbol.size() as u32,
        name: format!("{:#}", rustc_demangle::demangle(name)),
    })
}

/// Line information; absent where the file has none or it is damaged.
fn lines(file: &ElfFile32<'_>) -> Option<Lines> {
    let load = |id: gimli::SectionId| -> Result<_, gimli::Error> {
        let data = file.section_by_name(id.name()).and_then(|s| s.data().ok()).unwrap_or(&[]);
        Ok(gimli::EndianArcSlice::new(Arc::from(data), gimli::LittleEndian))
    };
    Lines::from_dwarf(gimli::Dwarf::load(load).ok()?).ok()
}
