//! Statics that are handed out once, by name, so that a map of the image shows them.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

/// Memory that is handed out once.
pub struct Once<T> {
    value: UnsafeCell<T>,
    taken: AtomicBool,
}

// SAFETY: `take` hands the value to one caller only.
unsafe impl<T: Send> Sync for Once<T> {}

impl<T> Once<T> {
    /// Not handed out yet.
    pub const fn new(value: T) -> Self {
        Self { value: UnsafeCell::new(value), taken: AtomicBool::new(false) }
    }

    /// The memory.
    ///
    /// # Panics
    /// The second time.
    #[expect(clippy::mut_from_ref, reason = "the flag makes the reference unique")]
    pub fn take(&self) -> &mut T {
        assert!(!self.taken.swap(true, Ordering::Relaxed), "taken twice");
        // SAFETY: the flag lets one caller through.
        unsafe { &mut *self.value.get() }
    }
}
