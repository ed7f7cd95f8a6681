//! Masked code with faults of the kind that the tests must not miss.

use super::gadgets::{Gadgets, Sharing};
use super::generator::Bank;
use super::run::{Name, Value, Wire};
use super::specification::decode;
use super::streamed::{NoiseOf, Streamed, subtract_mask};
use raccoon_dsa::masking::{add_rep_noise_share, mask_compress_share};

/// AddRepNoise without its refreshes: the shipped gadget with no mask generators.
pub fn noise_without_refresh<'r, V: Value>(
    streamed: &Streamed<'r, V>,
    v: &[Wire<'r, V>],
    name: Name,
    rep: usize,
) -> Sharing<'r, V> {
    let mut no_bank: Bank<'r, V> = Vec::new();
    let mut encodings = vec![streamed.cursors(); rep];
    let mut z = streamed.run.constant(0);
    let mut v = v.to_vec();
    for (j, v) in v.iter_mut().enumerate() {
        add_rep_noise_share(v, j, &NoiseOf(name), &mut encodings, &mut no_bank, &mut z);
    }
    v
}

/// MaskCompress that adds a share before it subtracts its mask.
pub fn compress_early<'r, V: Value>(
    streamed: &mut Streamed<'r, V>,
    s: &[Wire<'r, V>],
) -> Wire<'r, V> {
    let mut x = streamed.run.constant(0);
    for (j, s) in s.iter().enumerate() {
        mask_compress_share(&mut x, j, s, |_| {});
        if j > 0 {
            subtract_mask(&mut streamed.bank, j, &mut x);
        }
    }
    x
}

/// Algorithm 2, lines 12 to 16, without one of its lines.
pub fn respond_without<'r, V: Value>(
    line: Option<u32>,
    streamed: &mut Streamed<'r, V>,
    s: &[Wire<'r, V>],
    r: &[Wire<'r, V>],
    c: &Wire<'r, V>,
) -> Wire<'r, V> {
    let mut refresh = |of: u32, x: &[Wire<'r, V>]| {
        if line == Some(of) { x.to_vec() } else { streamed.refresh(x) }
    };
    let s = refresh(12, s);
    let r = refresh(13, r);
    let z: Sharing<'r, V> = s.iter().zip(&r).map(|(s, r)| &(s * c) + r).collect();
    decode(&refresh(15, &z))
}
