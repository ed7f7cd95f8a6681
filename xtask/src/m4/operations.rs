//! Cycles of the operations of an image, and what they go to.

use m4sim::{Image, Observer, Record};

/// What a function's cycles are counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Keccak,
    Ntt,
    Sampling,
    Masks,
    Other,
}

/// Functions by a piece of their names; the first that fits decides.
const PARTS: &[(&str, Part)] = &[
    ("xof::portable::State::permute", Part::Keccak),
    ("xof::armv7em::keccak_f1600", Part::Keccak),
    // Of either backend, and the inverse too.
    ("ntt_row", Part::Ntt),
    ("xof::", Part::Sampling),
    ("sampling::", Part::Sampling),
    ("ring::armv7em::words", Part::Sampling),
    ("masking::random::", Part::Masks),
    ("ZeroEncoding", Part::Masks),
    ("", Part::Other),
];

fn part_of(function: &str) -> Part {
    let fits = |(piece, _): &&(&str, Part)| function.contains(piece);
    PARTS.iter().find(fits).map_or(Part::Other, |&(_, part)| part)
}

/// What one operation took.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Cycles without those of the random generator.
    pub cycles: u64,
    /// Instructions, likewise.
    pub instructions: u64,
    pub keccak_permutations: u64,
    pub keccak_cycles: u64,
    pub ntt_cycles: u64,
    pub sampling_cycles: u64,
    pub mask_cycles: u64,
    /// Cycles of the random generator, which stands for a hardware one.
    pub rng_cycles: u64,
    /// Bytes of stack below the caller's.
    pub stack_bytes: u32,
}

/// A call that is waited for to return.
struct Call {
    return_address: u32,
    stack_pointer: u32,
}

impl Call {
    /// The call whose first instruction this is.
    fn at(record: &Record<'_>, stack_pointer: u32) -> Self {
        Self { return_address: record.registers[14] & !1, stack_pointer }
    }

    fn returns(&self, record: &Record<'_>) -> bool {
        record.next == self.return_address && record.sp() == self.stack_pointer
    }
}

/// Observer that adds up the operations of an image, each a function with a plain name.
pub struct Operations<'a> {
    names: &'a [&'a str],
    totals: Vec<Totals>,
    entries: Vec<u32>,
    generator: u32,
    permutation: u32,
    parts: Parts,
    /// The operation that runs, and its call.
    operation: Option<(usize, Call)>,
    /// The call of the generator that runs within it.
    generating: Option<Call>,
    stack_pointer: u32,
}

impl<'a> Operations<'a> {
    /// For the functions `names` of an image.
    pub fn new(image: &Image, names: &'a [&'a str]) -> Result<Self, String> {
        let entry = |fits: &dyn Fn(&str) -> bool, name: &str| {
            let function = image.functions().iter().find(|function| fits(&function.name));
            function.map(|function| function.address).ok_or(format!("the image has no {name}"))
        };
        let entries = names.iter().map(|name| entry(&|function| function == *name, name));
        let is_generator =
            |function: &str| function.contains("MeteredRng") && function.contains("try_fill_bytes");
        Ok(Self {
            names,
            totals: vec![Totals::default(); names.len()],
            entries: entries.collect::<Result<_, _>>()?,
            generator: entry(&is_generator, "metered generator")?,
            permutation: entry(&|function| part_of(function) == Part::Keccak, "permutation")?,
            parts: Parts::of(image),
            operation: None,
            generating: None,
            stack_pointer: u32::MAX,
        })
    }

    /// The operations with their totals.
    pub fn totals(&self) -> impl Iterator<Item = (&'a str, &Totals)> {
        self.names.iter().copied().zip(&self.totals)
    }

    /// Whether an operation runs.
    pub fn is_running(&self) -> bool {
        self.operation.is_some()
    }

    fn begin(&mut self, record: &Record<'_>) {
        if let Some(operation) = self.entries.iter().position(|&entry| entry == record.pc) {
            self.operation = Some((operation, Call::at(record, self.stack_pointer)));
        }
    }

    fn count(&mut self, record: &Record<'_>) {
        let Some((operation, call)) = &self.operation else { return };
        let totals = &mut self.totals[*operation];
        let cycles = record.cycles_after - record.cycles_before;
        if self.generating.is_none() && record.pc == self.generator {
            self.generating = Some(Call::at(record, self.stack_pointer));
        }
        if let Some(generating) = &self.generating {
            totals.rng_cycles += cycles;
            if generating.returns(record) {
                self.generating = None;
            }
            return;
        }
        totals.cycles += cycles;
        totals.instructions += 1;
        totals.stack_bytes = totals.stack_bytes.max(call.stack_pointer.saturating_sub(record.sp()));
        match self.parts.at(record.pc) {
            Part::Keccak => totals.keccak_cycles += cycles,
            Part::Ntt => totals.ntt_cycles += cycles,
            Part::Sampling => totals.sampling_cycles += cycles,
            Part::Masks => totals.mask_cycles += cycles,
            Part::Other => {}
        }
        totals.keccak_permutations += u64::from(record.pc == self.permutation);
        if call.returns(record) {
            self.operation = None;
        }
    }
}

impl Observer for Operations<'_> {
    fn instruction(&mut self, record: &Record<'_>) {
        if self.operation.is_none() {
            self.begin(record);
        }
        self.count(record);
        self.stack_pointer = record.sp();
    }
}

/// The part that every halfword of code belongs to.
struct Parts {
    base: u32,
    by_halfword: Vec<Part>,
}

impl Parts {
    fn of(image: &Image) -> Self {
        let functions = image.functions();
        let base = functions.iter().map(|function| function.address).min().unwrap_or(0);
        let end = functions.iter().map(|function| function.address + function.size).max();
        let index = |address: u32| ((address - base) / 2) as usize;
        let mut by_halfword = vec![Part::Other; index(end.unwrap_or(base))];
        for function in functions {
            let halfwords = index(function.address)..index(function.address + function.size);
            by_halfword[halfwords].fill(part_of(&function.name));
        }
        Self { base, by_halfword }
    }

    fn at(&self, address: u32) -> Part {
        let index = (address.wrapping_sub(self.base) / 2) as usize;
        self.by_halfword.get(index).copied().unwrap_or(Part::Other)
    }
}
