//! Arrays whose length a parameter set fixes, usable in `const` and `static`.

use zeroize::{DefaultIsZeroes, Zeroize};

/// A type with an all-zero value known at compile time.
pub trait Zeroed {
    /// The all-zero value.
    const ZERO: Self;
}

macro_rules! zeroed {
    ($($t:ty)*) => { $(impl Zeroed for $t { const ZERO: Self = 0; })* };
}
zeroed!(u8 u32 u64 i32);

impl<T: Zeroed, const LEN: usize> Zeroed for [T; LEN] {
    const ZERO: Self = [T::ZERO; LEN];
}

/// Wipes numbers; one loop for all arrays of a type, as code is memory too.
#[inline(never)]
pub(crate) fn wipe_slice<T: DefaultIsZeroes>(slice: &mut [T]) {
    slice.zeroize();
}

/// An array `[T; LEN]` of a length that the parameter set knows.
pub trait Storage<T>: Zeroed + AsRef<[T]> + AsMut<[T]> {}

impl<T: Zeroed, const LEN: usize> Storage<T> for [T; LEN] {}
