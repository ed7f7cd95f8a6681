//! Every kernel, checked against the portable backend and measured.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use raccoon_firmware::{cycles, kernels};
use semihosting::process;

#[entry]
fn main() -> ! {
    cycles::start();
    kernels::run();
    process::exit(0)
}
