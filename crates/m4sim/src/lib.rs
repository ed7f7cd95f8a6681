//! A Cortex-M4 simulator: executes ELF images for `thumbv7em`, counts cycles, watches memory.
//!
//! - **Instructions.** All of ARMv7E-M for user code: every 16-bit and 32-bit Thumb encoding, the
//!   DSP extension, and of the floating-point unit (FPv4-SP) the moves, loads and stores. Arithmetic
//!   on floating-point numbers stops the run, as does every encoding that the architecture calls
//!   UNDEFINED or UNPREDICTABLE. There are no exceptions and no interrupts: what would raise one
//!   ends the run with a [`Fault`].
//! - **Memory.** Flash holds what the image loads there and is read-only. RAM has the regions and
//!   sizes the user chooses; an image that does not fit is not loaded, and an access beyond them
//!   faults. The system registers at 0xE000_0000 offer the cycle counter (DWT), SysTick without its
//!   interrupt, CPACR, VTOR and DEMCR. Other peripherals do not exist.
//! - **Cycles.** [`CycleModel`] lists every parameter. Flash has no wait states. RAM is fast or slow,
//!   by default as on an STM32L4R5: fast below 0x2003_0000, slow from there on ([`SLOW_RAM`]). The
//!   cycles of a program depend on nothing but the program, its input, the model and what RAM is slow:
//!   two runs agree to the cycle.
//! - **Host.** Semihosting gives the program a console, one input, its command line and exit.
//! - **Observers.** An [`Observer`] sees each instruction with operands, result and overwritten
//!   value, and each word on the bus. [`Profile`] attributes cycles to functions and callers, finds
//!   the stack's depth, the divisions, and the registers a function should have kept. [`Touched`]
//!   marks the bytes of RAM that were used. [`Trace`] writes every instruction down. Without an
//!   observer ([`Silent`]) none of this costs time.
//! - **Constant time.** [`ct::compare`] runs two machines with different secrets in lockstep.
//!
//! # Example
//! ```no_run
//! use m4sim::{Host, Image, Profile, Range, Stop};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let image = Image::parse(&std::fs::read("firmware.elf")?)?;
//! let ram = Range { base: 0x2000_0000, size: 64 << 10 };
//! let host = Host::new("firmware sign".into(), vec![], |_stream, bytes| {
//!     print!("{}", String::from_utf8_lossy(bytes));
//! });
//! let mut machine = image.machine(&[ram], host)?;
//! let mut profile = Profile::new(&image, &machine);
//! match machine.run(u64::MAX, &mut profile) {
//!     Stop::Exit(status) => println!("exit {status} after {} cycles", machine.cycles()),
//!     Stop::Fault(fault) => println!("{}", m4sim::report::describe_fault(&fault, &image, &machine)),
//!     Stop::Limit => println!("still running"),
//! }
//! for function in profile.totals() {
//!     println!("{:10} {}", function.self_cycles, function.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # The command
//! ```text
//! m4sim run IMAGE.elf --ram 64K                      runs it; its exit status is passed on
//! m4sim run IMAGE.elf --ram 640K --profile           cycles by function, stack, memory, divisions
//! m4sim run IMAGE.elf --slow 0x20010000:64K          chooses what RAM is slow; --slow 0 for none
//! m4sim run IMAGE.elf --args sign --json             the same for programs, --profile adds detail
//! m4sim run IMAGE.elf --args sign 1 --ct sign 2      constant-time check of two argument lists
//! m4sim run IMAGE.elf --input a --ct --ct-input b    the same with two inputs
//! ```
//! Faults, limits and misuse give status 2; a difference found by `--ct` gives status 1.
//!
//! # How it is tested
//! `tests/qemu.rs` runs random sequences over every claimed instruction on the simulator and on QEMU
//! and compares registers, flags and memory; `M4SIM_DIFFTEST_INSTRUCTIONS=1000000` sets the length
//! of an extended run and `M4SIM_DIFFTEST_SEED` its start. `tests/disassembler.rs` compares the
//! decoder with an independent disassembler over all 16-bit and a million 32-bit encodings.
//! `tests/timing.rs` holds sequences whose cycles were worked out by hand.
//!
//! # Inside
//! An image's flash is decoded once, instruction by instruction as it is reached, into a table with
//! one entry for each halfword ([`decode::Instruction`] and the fixed part of its cost). Code in RAM
//! shares a small cache that is checked against memory at each use.

mod alu;
mod calls;
pub mod ct;
pub mod decode;
mod elf;
mod execute;
mod fault;
mod machine;
mod memory;
mod observer;
pub mod profile;
pub mod report;
mod semihosting;
mod system;
mod timing;
mod touched;
mod trace;

pub use elf::{Function, Image, LoadError, Section};
pub use fault::{Fault, FaultKind, Stop};
pub use machine::Machine;
pub use memory::{Memory, Range};
pub use observer::{Access, Observer, Record, Silent};
pub use profile::Profile;
pub use semihosting::{Host, Stream};
pub use timing::{CycleModel, SLOW_RAM};
pub use touched::{Touched, Usage};
pub use trace::Trace;
