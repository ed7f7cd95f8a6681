//! Which bytes of RAM a run read and wrote.

use crate::elf::Image;
use crate::machine::Machine;
use crate::memory::Range;
use crate::observer::{Access, Observer};

const READ: u8 = 1;
const WRITTEN: u8 = 2;

/// Observer that marks every byte of RAM that is accessed.
#[derive(Clone, Debug)]
pub struct Touched {
    regions: Vec<(Range, Vec<u8>)>,
}

/// How much of a piece of memory was accessed, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// What it is: a region, a section, the stack.
    pub name: String,
    /// Where it is.
    pub range: Range,
    /// Bytes read at least once.
    pub read: u32,
    /// Bytes written at least once.
    pub written: u32,
    /// Bytes read or written at least once.
    pub touched: u32,
}

impl Touched {
    /// Marks for the RAM of `machine`.
    pub fn new(machine: &Machine) -> Self {
        let regions = machine.memory().ram().map(|r| (r, vec![0; r.size as usize]));
        Touched { regions: regions.collect() }
    }

    /// Bytes accessed in each RAM region.
    pub fn regions(&self) -> Vec<Usage> {
        self.regions.iter().map(|&(range, _)| self.usage("RAM".to_owned(), range)).collect()
    }

    /// Bytes accessed in each section of `image` that lies in RAM.
    pub fn sections(&self, image: &Image) -> Vec<Usage> {
        let inside = |range: Range| {
            self.regions.iter().any(|(region, _)| region.holds(range.base, range.size))
        };
        let sections = image.sections().iter().filter(|s| inside(s.range));
        sections.map(|s| self.usage(s.name.clone(), s.range)).collect()
    }

    /// The stack that starts at `top`: the space below it down to the next section, or to the start
    /// of the region.
    pub fn stack(&self, image: &Image, top: u32) -> Option<Usage> {
        let below = top.checked_sub(1)?;
        let (region, _) = self.regions.iter().find(|(region, _)| region.holds(below, 1))?;
        let ends = image.sections().iter().map(|s| s.range.base.saturating_add(s.range.size));
        let floor = ends.filter(|&end| end <= top).max().unwrap_or(0).max(region.base);
        Some(self.usage("stack".to_owned(), Range { base: floor, size: top - floor }))
    }

    /// Lowest address in `range` that was written: the high-water mark of a stack.
    pub fn lowest_written(&self, range: Range) -> Option<u32> {
        let offset = self.marks(range).iter().position(|mark| mark & WRITTEN != 0)?;
        Some(range.base + offset as u32)
    }

    fn marks(&self, range: Range) -> &[u8] {
        for (region, marks) in &self.regions {
            if region.holds(range.base, range.size) {
                let start = (range.base - region.base) as usize;
                return &marks[start..start + range.size as usize];
            }
        }
        &[]
    }

    fn usage(&self, name: String, range: Range) -> Usage {
        let marks = self.marks(range);
        let count = |mask: u8| marks.iter().filter(|&mark| mark & mask != 0).count() as u32;
        Usage {
            name,
            range,
            read: count(READ),
            written: count(WRITTEN),
            touched: count(READ | WRITTEN),
        }
    }
}

impl Observer for Touched {
    fn access(&mut self, access: &Access) {
        let mark = if access.write { WRITTEN } else { READ };
        for (region, marks) in &mut self.regions {
            if region.holds(access.address, access.size) {
                let start = (access.address - region.base) as usize;
                marks[start..start + access.size as usize].iter_mut().for_each(|m| *m |= mark);
                return;
            }
        }
    }
}
