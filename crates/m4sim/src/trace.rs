//! A trace of every instruction, as text.

use std::io::{self, Write};

use crate::observer::{Access, Observer, Record};

/// Observer that writes one line an instruction: cycle count, address, disassembly, result, accesses.
#[derive(Debug)]
pub struct Trace<W: Write> {
    sink: W,
    accesses: String,
    error: Option<io::Error>,
}

impl<W: Write> Trace<W> {
    /// A trace that is written to `sink`.
    pub fn new(sink: W) -> Self {
        Trace { sink, accesses: String::new(), error: None }
    }

    /// Completes the output; returns the first error met.
    pub fn finish(mut self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.sink.flush(),
        }
    }

    fn line(&mut self, record: &Record<'_>) -> io::Result<()> {
        let text = record.instruction.text(record.pc);
        write!(self.sink, "{:10} {:08x}  {text:36}", record.cycles_before, record.pc)?;
        if !record.executed {
            write!(self.sink, " (skipped)")?;
        }
        if let Some(result) = record.result {
            write!(self.sink, " = {result:08x}")?;
        }
        writeln!(self.sink, "{}", self.accesses)
    }
}

impl<W: Write> Observer for Trace<W> {
    fn access(&mut self, access: &Access) {
        let direction = if access.write { "write" } else { "read" };
        let digits = 2 * access.size as usize;
        self.accesses += &format!(" {direction} {:08x}:{:0digits$x}", access.address, access.value);
    }

    fn instruction(&mut self, record: &Record<'_>) {
        if self.error.is_none() {
            self.error = self.line(record).err();
        }
        self.accesses.clear();
    }
}
