//! How deep the stack gets, by painting it.

use core::arch::asm;

const PAINT: u32 = 0xC5C5_C5C5;
/// Left alone right below the stack pointer, for the painter itself.
const MARGIN: usize = 64;

unsafe extern "C" {
    /// End of the static data, from the linker script: the lowest word of the stack.
    static mut _stack_end: u32;
}

fn lowest() -> *mut u32 {
    // Only the address of the symbol is taken.
    &raw mut _stack_end
}

#[inline(always)]
fn pointer() -> usize {
    let pointer;
    // SAFETY: reads the stack pointer and nothing else.
    unsafe { asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// Runs an operation and returns the bytes of stack it used below its caller's.
#[inline(never)]
pub fn depth(operation: impl FnOnce()) -> usize {
    let top = pointer();
    let end = (top - MARGIN) as *mut u32;
    let mut word = lowest();
    while word < end {
        // SAFETY: between the static data and the stack in use, no memory is in use.
        unsafe {
            word.write_volatile(PAINT);
            word = word.add(1);
        }
    }
    operation();
    let mut word = lowest();
    // SAFETY: the same words are read back.
    while word < end && unsafe { word.read_volatile() } == PAINT {
        // SAFETY: stays at or below `end`.
        word = unsafe { word.add(1) };
    }
    top - word as usize
}
