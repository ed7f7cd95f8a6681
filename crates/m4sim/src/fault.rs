//! Why a run ends.

use std::fmt;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The program exited with this status.
    Exit(i32),
    /// The program did what the device does not allow.
    Fault(Fault),
    /// The instruction limit was reached.
    Limit,
}

/// A fault, at the instruction that caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// Address of the instruction. For a jump into nowhere, of the jump.
    pub pc: u32,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An UNDEFINED or UNPREDICTABLE encoding.
    Undefined,
    /// Floating-point arithmetic, which the simulator does not execute.
    UnsupportedFp,
    /// A floating-point instruction before the program enabled the unit in CPACR.
    FpDisabled,
    /// A read of memory that does not exist.
    Read {
        /// First byte of the access.
        address: u32,
        /// Bytes.
        size: u32,
    },
    /// A write to memory that does not exist.
    Write {
        /// First byte of the access.
        address: u32,
        /// Bytes.
        size: u32,
    },
    /// A write to flash.
    ReadOnly {
        /// First byte of the access.
        address: u32,
    },
    /// A multi-word or exclusive access at an unaligned address.
    Unaligned {
        /// The address.
        address: u32,
    },
    /// Execution reached an address without memory.
    Fetch {
        /// The address.
        address: u32,
    },
    /// A branch to an address with bit 0 clear, which would leave Thumb state.
    NotThumb {
        /// The branch target.
        target: u32,
    },
    /// UDF, which compilers place where a program has panicked or must not come.
    PermanentlyUndefined(u32),
    /// SVC: there is no operating system.
    SupervisorCall(u32),
    /// A breakpoint that is not a semihosting call.
    Breakpoint(u32),
    /// A semihosting operation that is not provided.
    Semihosting(u32),
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Undefined => write!(f, "undefined or unpredictable instruction"),
            FaultKind::UnsupportedFp => {
                write!(f, "unsupported instruction: floating-point arithmetic")
            }
            FaultKind::FpDisabled => {
                write!(f, "floating-point instruction while CPACR keeps the unit disabled")
            }
            FaultKind::Read { address, size } => {
                write!(f, "read of {size} bytes at {address:#010x}, where no memory is")
            }
            FaultKind::Write { address, size } => {
                write!(f, "write of {size} bytes at {address:#010x}, where no memory is")
            }
            FaultKind::ReadOnly { address } => write!(f, "write to flash at {address:#010x}"),
            FaultKind::Unaligned { address } => write!(
                f,
                "unaligned address {address:#010x} in an instruction that requires alignment"
            ),
            FaultKind::Fetch { address } => {
                write!(f, "execution at {address:#010x}, where no memory is")
            }
            FaultKind::NotThumb { target } => {
                write!(f, "branch to {target:#010x}, an address without the Thumb bit")
            }
            FaultKind::PermanentlyUndefined(n) => write!(f, "UDF #{n}"),
            FaultKind::SupervisorCall(n) => write!(f, "SVC #{n}, but no handler is simulated"),
            FaultKind::Breakpoint(n) => write!(f, "breakpoint {n}"),
            FaultKind::Semihosting(n) => {
                write!(f, "semihosting operation {n:#x} is not provided")
            }
        }
    }
}

/// Why an instruction did not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trap {
    Exit(i32),
    Fault(FaultKind),
}

/// Result of a part of an instruction. The trap is boxed so that the good case fits a register.
pub(crate) type Step<T> = Result<T, Box<Trap>>;

/// A fault as the error of a [`Step`].
#[cold]
pub(crate) fn fault<T>(kind: FaultKind) -> Step<T> {
    Err(Box::new(Trap::Fault(kind)))
}
