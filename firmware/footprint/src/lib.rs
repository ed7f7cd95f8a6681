//! What the images have in common: the parameter set, memory with a name, and a panic that is
//! not reported.

#![no_std]

#[path = "../../src/memory.rs"]
pub mod memory;

/// The parameter set, from the environment of the build.
pub mod config {
    include!(concat!(env!("OUT_DIR"), "/config.rs"));
}

/// A device without a console stops.
#[cfg(target_os = "none")]
#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}
