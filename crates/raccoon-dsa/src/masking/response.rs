//! The masked response z = c s + r (Algorithm 2, lines 12 to 16), one share at a time.

use super::{Element, Kept, MaskGenerator, MaskStream, Output, ZeroEncoding};

/// The zero encodings of the three refreshes.
pub struct ResponseEncodings<'a, C> {
    /// Refreshes s before it is used (line 12).
    pub s: ZeroEncoding<'a, C>,
    /// Refreshes r before it is used again (line 13).
    pub r: ZeroEncoding<'a, C>,
    /// Refreshes z before it is decoded (line 15).
    pub z: ZeroEncoding<'a, C>,
}

/// Adds share `j` of z to its decoded sum, which grows in `x`; shares come in order.
///
/// Before share 0, `x` is the compressed r, that is r_0; from then on it is the sum of
/// the shares of z so far. `share` comes as s_j and is used up; `add_mask` adds E_j of
/// the compression, which is r_j, and is called for j >= 1.
/// `scratch` is used. `c` is the challenge in Montgomery scale.
///
/// Bounds: s_j up to 2, so s_j + 5 = 7 against 15/2 of c is within 64; r_j is at most 1,
/// so z_j is at most 1 + 6 + 5 = 12, reduced to 3/4 before the sum so far is added to it.
#[allow(clippy::too_many_arguments, reason = "the operands of three refreshes and a product")]
pub fn response_share<P, G>(
    x: &mut impl Kept<P>,
    j: usize,
    share: &mut P,
    c: &P,
    add_mask: impl FnOnce(&[MaskStream<G, P>], Output<'_, P>),
    encodings: &mut ResponseEncodings<'_, G::Cursor>,
    bank: &mut [MaskStream<G, P>],
    scratch: &mut P,
) where
    P: Element,
    G: MaskGenerator<P>,
{
    // 12. Refresh s.
    encodings.s.refresh_share(j, bank, scratch, share);
    // 14. c s ...
    share.mul(c);
    // 13, 14. Refresh r, in the scratch that the encoding of zero is made in; ... + r.
    encodings.r.share(j, bank, scratch);
    if j == 0 {
        x.add_to(scratch);
        share.add(scratch);
    } else {
        add_mask(bank, Output::AddSum { z: Some(scratch), x: share });
    }
    // 15. Refresh z.
    encodings.z.refresh_share(j, bank, scratch, share);
    // 16. Decode z.
    share.reduce();
    if j > 0 {
        x.add_to(share);
    }
    x.keep(share);
}
