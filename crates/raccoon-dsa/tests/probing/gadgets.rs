//! What both orders of computation offer, so that one scenario runs on either.

use super::run::{Name, Run, Wire};

/// The shares of a value, share 0 first.
pub type Sharing<'r, V> = Vec<Wire<'r, V>>;

/// What signing needs besides the key.
pub struct Signing {
    /// The k rows of A, of l entries each.
    pub a: Vec<Vec<u32>>,
    /// The challenge.
    pub c: u32,
    /// Repetitions of the noise.
    pub rep: usize,
}

/// The masked gadgets in one order of computation, with the masks of one bank.
pub trait Gadgets<'r, V> {
    fn run(&self) -> &'r Run<V>;

    fn shares(&self) -> usize;

    /// Algorithm 12.
    fn zero_encoding(&mut self) -> Sharing<'r, V>;

    /// Algorithm 11.
    fn refresh(&mut self, x: &[Wire<'r, V>]) -> Sharing<'r, V>;

    /// Algorithm 8 on the polynomial `name`.
    fn add_rep_noise(&mut self, v: &[Wire<'r, V>], name: Name, rep: usize) -> Sharing<'r, V>;

    /// Algorithm 14: x, share 0 of the compressed sharing. The others are masks.
    fn mask_compress(&mut self, s: &[Wire<'r, V>]) -> Wire<'r, V>;

    /// Algorithm 2, lines 12 to 16, of one polynomial s and a compressed r whose share 0
    /// is `x`.
    fn respond(&mut self, s: &[Wire<'r, V>], x: &Wire<'r, V>, c: &Wire<'r, V>) -> Wire<'r, V>;

    /// Refresh and MaskCompress of one polynomial of a stored key: its new share 0.
    fn refresh_key(&mut self, s: &[Wire<'r, V>]) -> Wire<'r, V>;

    /// All that is masked in Algorithm 2, for the key polynomials s: gives w and z.
    fn sign(&mut self, signing: &Signing, s: &[Sharing<'r, V>]) -> Sharing<'r, V>;
}
