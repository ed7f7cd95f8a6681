//! MaskCompress (Algorithm 14), one share at a time.

use super::Element;

/// Feeds share `j` of a secret into its compressed form `x`; shares come in order.
///
/// The shares become (x, E_1, ..., E_{d-1}) with fresh uniform E_j that can be drawn
/// again: x = s_0 + sum of (s_j - E_j). `subtract_mask` subtracts E_j from its
/// argument; it is called for j >= 1, and before s_j is added, so that x never holds
/// the sum of two old shares. For the same reason x is reduced in between: E_j hides the
/// residue of x - E_j + s_j, but not the integer in a lazy lane. Gives 3/4 and the bound
/// of s_j.
pub fn mask_compress_share<P: Element>(
    x: &mut P,
    j: usize,
    share: &P,
    subtract_mask: impl FnOnce(&mut P),
) {
    if j == 0 {
        x.copy_from(share);
    } else {
        subtract_mask(x);
        x.reduce();
        x.add(share);
    }
}
