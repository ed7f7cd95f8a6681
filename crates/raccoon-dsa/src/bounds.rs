//! Rounding, and CheckBounds (Algorithm 4) coefficient by coefficient.

use crate::error::Error;
use crate::params::{Level, NU_W, Q, Q_W};
use core::hint::black_box;
use core::marker::PhantomData;

/// Rounds 0 <= x < q to x / 2^nu and reduces modulo floor(q / 2^nu).
#[inline(always)]
pub fn round_shift(x: u64, nu: u32) -> u64 {
    let modulus = Q >> nu;
    let rounded = (x + (1 << (nu - 1))) >> nu;
    // rounded <= modulus: bring modulus itself to 0, without a condition.
    let below = ((rounded as i64 - modulus as i64) >> 63) as u64;
    rounded & black_box(below)
}

/// The representative of x mod q_w nearest to zero, for 0 <= x < 2 q_w: -15 to 15.
#[inline(always)]
pub fn centre_w(x: u32) -> i32 {
    const MODULUS: i32 = Q_W as i32;
    let x = x as i32;
    x - MODULUS * (i32::from(x > MODULUS / 2) + i32::from(x > MODULUS + MODULUS / 2))
}

/// The representative 0 <= x < q_w of x mod q_w, for -q_w <= x < 2 q_w. Not constant-time.
#[inline(always)]
pub fn reduce_w(x: i32) -> u32 {
    const MODULUS: i32 = Q_W as i32;
    (x + MODULUS * (i32::from(x < 0) - i32::from(x >= MODULUS))) as u32
}

/// The representative of 0 <= x < q nearest to zero.
#[inline(always)]
pub fn centre_q(x: u64) -> i64 {
    let above_half = ((Q / 2).wrapping_sub(x) as i64) >> 63;
    x as i64 - (Q as i64 & above_half)
}

/// The norms of a signature while its coefficients pass by.
///
/// The signature is public, or about to be: nothing here needs to be constant-time.
pub struct CheckBounds<L> {
    h_squared: u32,
    z_squared: u64,
    level: PhantomData<L>,
}

impl<L: Level> CheckBounds<L> {
    /// Before the first coefficient.
    pub const fn new() -> Self {
        Self { h_squared: 0, z_squared: 0, level: PhantomData }
    }

    /// Line 3: whether |h| is within its bound; if so, counts it into the norm.
    #[inline(always)]
    pub fn hint(&mut self, h: i32) -> bool {
        let magnitude = h.unsigned_abs();
        let within = u64::from(magnitude) <= L::H_INF;
        if within {
            // At most 3^2, and 4608 of them.
            self.h_squared += magnitude * magnitude;
        }
        within
    }

    /// Line 4: whether |z| is within its bound; if so, counts it into the norm, scaled.
    #[inline(always)]
    pub fn response(&mut self, z: i64) -> bool {
        let magnitude = z.unsigned_abs();
        let within = magnitude <= L::B_INF;
        if within {
            // Below 2^46, so that a square is below 2^28, and 3584 of them below 2^40.
            let scaled = magnitude >> 32;
            self.z_squared += scaled * scaled;
        }
        within
    }

    /// Lines 5 to 7, once all coefficients have passed.
    ///
    /// # Errors
    /// [`Error::Norm`].
    pub fn check(&self) -> Result<(), Error> {
        let h2 = u64::from(self.h_squared) << (2 * NU_W - 64);
        if h2 + self.z_squared > L::B22 { Err(Error::Norm) } else { Ok(()) }
    }
}

impl<L: Level> Default for CheckBounds<L> {
    fn default() -> Self {
        Self::new()
    }
}
