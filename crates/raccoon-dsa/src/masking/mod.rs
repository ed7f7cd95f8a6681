//! The masked gadgets, streamed: one share of a secret in memory at a time.
//!
//! Every masked step of Raccoon acts on one share alone, but for ZeroEncoding; and an
//! output share of ZeroEncoding needs log2(d) uniform elements and no other share. So
//! whole masked computations run with the share index as their outer loop, provided
//! that a uniform element can be produced a second time for the second share that
//! needs it: see [`MaskGenerator`].
//!
//! The gadgets are generic over the masked [`Element`], so that the very same code that
//! signs is checked by exhaustion over tiny rings (`tests/probing.rs`).

mod compress;
mod gadgets;
mod noise;
mod random;
mod response;

pub use compress::mask_compress_share;
pub use gadgets::ZeroEncoding;
pub use noise::{Noise, RepeatedNoise, add_rep_noise_share};
#[doc(hidden)]
pub use random::portable;
pub use random::{ChaCha8, Lfsr127, LfsrState, MaskGenerator, MaskStream, Masks, Output, Sign};
pub use response::{ResponseEncodings, response_share};

use crate::ring::{PackedPoly, Poly};

/// What a share is made of: a ring element that gadgets may add and multiply.
pub trait Element {
    /// Sets it to zero.
    fn clear(&mut self);
    /// `self = other`.
    fn copy_from(&mut self, other: &Self);
    /// `self += other`.
    fn add(&mut self, other: &Self);
    /// `self *= factor`, a public factor.
    fn mul(&mut self, factor: &Self);
    /// Keeps the value and makes room for further additions, where the representation
    /// is lazy.
    fn reduce(&mut self);
}

/// Where an element is kept while others are worked on.
pub trait Kept<P> {
    /// Keeps `element`.
    fn keep(&mut self, element: &P);
    /// `sum +=` what is kept.
    fn add_to(&self, sum: &mut P);
}

impl<P: Element> Kept<P> for P {
    fn keep(&mut self, element: &P) {
        self.copy_from(element);
    }

    fn add_to(&self, sum: &mut P) {
        sum.add(self);
    }
}

impl Kept<Poly> for PackedPoly {
    fn keep(&mut self, element: &Poly) {
        self.pack(element);
    }

    fn add_to(&self, sum: &mut Poly) {
        PackedPoly::add_to(self, sum);
    }
}

impl Element for Poly {
    fn clear(&mut self) {
        Poly::clear(self);
    }

    fn copy_from(&mut self, other: &Self) {
        Poly::copy_from(self, other);
    }

    fn add(&mut self, other: &Self) {
        Poly::add(self, other);
    }

    fn mul(&mut self, factor: &Self) {
        Poly::mul(self, factor);
    }

    fn reduce(&mut self) {
        Poly::reduce(self);
    }
}
