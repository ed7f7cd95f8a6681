//! Semihosting: the calls by which a program reaches console, input and command line.
//!
//! Only the console `:tt` can be opened, so a program cannot touch the host's files.

use std::fmt;

use crate::fault::{FaultKind, Step, Trap, fault};
use crate::machine::Machine;

const SYS_OPEN: u32 = 0x01;
const SYS_CLOSE: u32 = 0x02;
const SYS_WRITEC: u32 = 0x03;
const SYS_WRITE0: u32 = 0x04;
const SYS_WRITE: u32 = 0x05;
const SYS_READ: u32 = 0x06;
const SYS_READC: u32 = 0x07;
const SYS_ISERROR: u32 = 0x08;
const SYS_ISTTY: u32 = 0x09;
const SYS_SEEK: u32 = 0x0A;
const SYS_FLEN: u32 = 0x0C;
const SYS_CLOCK: u32 = 0x10;
const SYS_TIME: u32 = 0x11;
const SYS_ERRNO: u32 = 0x13;
const SYS_GET_CMDLINE: u32 = 0x15;
const SYS_EXIT: u32 = 0x18;
const SYS_EXIT_EXTENDED: u32 = 0x20;
const SYS_ELAPSED: u32 = 0x30;
const SYS_TICKFREQ: u32 = 0x31;

/// Reason code of an orderly exit.
const APPLICATION_EXIT: u32 = 0x2_0026;
/// What a failed call returns.
const FAILED: u32 = u32::MAX;
const STDIN: u32 = 1;
const STDOUT: u32 = 2;
const STDERR: u32 = 3;
/// Longest string taken from a program, in bytes.
const LONGEST_STRING: u32 = 1 << 16;
/// Clock assumed where a call asks for time: 100 MHz, so a centisecond is a million cycles.
const CYCLES_PER_SECOND: u32 = 100_000_000;

/// Where console output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error, and the debug channel of SYS_WRITE0 and SYS_WRITEC.
    Error,
}

/// Receives what the program writes.
type Console = Box<dyn FnMut(Stream, &[u8])>;

/// The host's side of semihosting.
pub struct Host {
    command_line: String,
    input: Vec<u8>,
    position: usize,
    console: Console,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The input may hold secrets.
        f.debug_struct("Host").field("command_line", &self.command_line).finish_non_exhaustive()
    }
}

impl Host {
    /// A host that gives the program this command line and this input, and hands what the program
    /// writes to `console`.
    pub fn new(
        command_line: String,
        input: Vec<u8>,
        console: impl FnMut(Stream, &[u8]) + 'static,
    ) -> Self {
        Host { command_line, input, position: 0, console: Box::new(console) }
    }

    /// A host without command line and input that drops all output.
    pub fn silent() -> Self {
        Host::new(String::new(), Vec::new(), |_, _| {})
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        (self.console)(stream, bytes);
    }

    fn read(&mut self, size: u32) -> &[u8] {
        let rest = &self.input[self.position..];
        let taken = &rest[..rest.len().min(size as usize)];
        self.position += taken.len();
        taken
    }
}

impl Machine {
    /// Performs the call with number in r0 and parameter in r1; the answer goes to r0.
    pub(crate) fn semihosting(&mut self) -> Step<()> {
        let (operation, parameter) = (self.registers[0], self.registers[1]);
        self.registers[0] = match operation {
            SYS_OPEN => self.sys_open(parameter)?,
            SYS_CLOSE => 0,
            SYS_WRITEC => {
                let bytes = self.guest_bytes(parameter, 1)?;
                self.host.write(Stream::Error, &bytes);
                operation
            }
            SYS_WRITE0 => {
                let bytes = self.guest_string(parameter)?;
                self.host.write(Stream::Error, &bytes);
                operation
            }
            SYS_WRITE => self.sys_write(parameter)?,
            SYS_READ => self.sys_read(parameter)?,
            SYS_READC => self.host.read(1).first().map_or(FAILED, |&byte| byte.into()),
            SYS_ISERROR => u32::from(self.guest_word(parameter)? as i32 <= -1),
            SYS_ISTTY => 1,
            SYS_SEEK | SYS_FLEN => FAILED,
            SYS_CLOCK => (self.cycles / u64::from(CYCLES_PER_SECOND / 100)) as u32,
            // Real time would make two runs differ.
            SYS_TIME | SYS_ERRNO => 0,
            SYS_GET_CMDLINE => self.sys_get_cmdline(parameter)?,
            SYS_EXIT => {
                let status = if parameter == APPLICATION_EXIT { 0 } else { 1 };
                return Err(Box::new(Trap::Exit(status)));
            }
            SYS_EXIT_EXTENDED => {
                let reason = self.guest_word(parameter)?;
                let status = self.guest_word(parameter.wrapping_add(4))? as i32;
                let status = if reason == APPLICATION_EXIT { status } else { 1 };
                return Err(Box::new(Trap::Exit(status)));
            }
            SYS_ELAPSED => self.sys_elapsed(parameter)?,
            SYS_TICKFREQ => CYCLES_PER_SECOND,
            other => return fault(FaultKind::Semihosting(other)),
        };
        Ok(())
    }

    fn guest_word(&self, address: u32) -> Step<u32> {
        match self.memory().word(address) {
            Some(word) => Ok(word),
            None => fault(FaultKind::Read { address, size: 4 }),
        }
    }

    fn guest_bytes(&self, address: u32, size: u32) -> Step<Vec<u8>> {
        match self.memory().copy_out(address, size) {
            Ok(bytes) => Ok(bytes),
            Err(address) => fault(FaultKind::Read { address, size: 1 }),
        }
    }

    fn set_guest_bytes(&mut self, address: u32, bytes: &[u8]) -> Step<()> {
        match self.memory_mut().copy_in(address, bytes) {
            Ok(()) => Ok(()),
            Err(address) => fault(FaultKind::Write { address, size: 1 }),
        }
    }

    fn guest_string(&self, start: u32) -> Step<Vec<u8>> {
        let mut text = Vec::new();
        for offset in 0..LONGEST_STRING {
            let address = start.wrapping_add(offset);
            match self.memory().byte(address) {
                Some(0) => break,
                Some(byte) => text.push(byte),
                None => return fault(FaultKind::Read { address, size: 1 }),
            }
        }
        Ok(text)
    }

    /// The `N` words of a parameter block.
    fn parameters<const N: usize>(&self, block: u32) -> Step<[u32; N]> {
        let mut words = [0; N];
        for (i, word) in words.iter_mut().enumerate() {
            *word = self.guest_word(block.wrapping_add(4 * i as u32))?;
        }
        Ok(words)
    }

    fn sys_open(&self, block: u32) -> Step<u32> {
        let [name, mode, length] = self.parameters(block)?;
        let name = self.guest_bytes(name, length.min(LONGEST_STRING))?;
        // Modes 0 to 3 read, 4 to 7 write, 8 to 11 append; for the console they choose the stream.
        Ok(match mode {
            _ if name != b":tt" => FAILED,
            0..=3 => STDIN,
            4..=7 => STDOUT,
            8..=11 => STDERR,
            _ => FAILED,
        })
    }

    /// Returns the number of bytes not written.
    fn sys_write(&mut self, block: u32) -> Step<u32> {
        let [handle, address, size] = self.parameters(block)?;
        let stream = match handle {
            STDOUT => Stream::Output,
            STDERR => Stream::Error,
            _ => return Ok(size),
        };
        let bytes = self.guest_bytes(address, size)?;
        self.host.write(stream, &bytes);
        Ok(0)
    }

    /// Returns the number of bytes not read.
    fn sys_read(&mut self, block: u32) -> Step<u32> {
        let [handle, address, size] = self.parameters(block)?;
        if handle != STDIN {
            return Ok(size);
        }
        let bytes = self.host.read(size).to_vec();
        self.set_guest_bytes(address, &bytes)?;
        Ok(size - bytes.len() as u32)
    }

    fn sys_get_cmdline(&mut self, block: u32) -> Step<u32> {
        let [address, size] = self.parameters(block)?;
        let mut text = self.host.command_line.clone().into_bytes();
        let length = text.len() as u32;
        text.push(0);
        if text.len() > size as usize {
            return Ok(FAILED);
        }
        self.set_guest_bytes(address, &text)?;
        self.set_guest_bytes(block.wrapping_add(4), &length.to_le_bytes())?;
        Ok(0)
    }

    fn sys_elapsed(&mut self, block: u32) -> Step<u32> {
        let cycles = self.cycles.to_le_bytes();
        self.set_guest_bytes(block, &cycles)?;
        Ok(0)
    }
}
