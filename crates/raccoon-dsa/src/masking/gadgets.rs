//! ZeroEncoding (Algorithm 12), one output share at a time.

use super::{Element, MaskGenerator, MaskStream, Output, Sign};

/// One ZeroEncoding in progress: what is needed to draw each mask a second time.
///
/// In the recursion of Algorithm 12, level s (s = 0 innermost) adds a uniform R\[s\]\[j\]
/// to share j, whose bit s is 0, and subtracts it from share j + 2^s. Hence
///
/// ```text
/// z_j = sum over s of  +R[s][j]        if bit s of j is 0
///                      -R[s][j - 2^s]  if bit s of j is 1
/// ```
///
/// with the same partial sums in the same order. Shares are asked for in ascending
/// order. R\[s\]\[j\] comes from generator j; its cursor is kept from share j to share
/// j + 2^s, in slot `j mod 2^s` of the 2^s slots of level s: d - 1 slots in all.
pub struct ZeroEncoding<'a, C> {
    cursors: &'a mut [C],
}

impl<'a, C: Clone> ZeroEncoding<'a, C> {
    /// An encoding that has not started; `cursors` has d - 1 slots.
    pub fn new(cursors: &'a mut [C]) -> Self {
        Self { cursors }
    }

    /// Sets `z` to share `j`; shares are asked for in the order 0, 1, ..., d - 1.
    /// Gives bound log2(d) <= 5.
    pub fn share<P, G>(&mut self, j: usize, bank: &mut [MaskStream<G, P>], z: &mut P)
    where
        P: Element,
        G: MaskGenerator<P, Cursor = C>,
    {
        if bank.is_empty() {
            z.clear(); // d = 1: the only encoding of zero is zero.
        }
        for level in 0..levels(bank) {
            let output = if level == 0 { Output::Set(&mut *z) } else { Output::Add(&mut *z) };
            self.draw(level, j, bank, output);
        }
    }

    /// Refresh (Algorithm 11) of share `j`: `x += z_j`. `z` is scratch: the last level is
    /// added to it on the way to `x`.
    pub fn refresh_share<P, G>(
        &mut self,
        j: usize,
        bank: &mut [MaskStream<G, P>],
        z: &mut P,
        x: &mut P,
    ) where
        P: Element,
        G: MaskGenerator<P, Cursor = C>,
    {
        let levels = levels(bank);
        for level in 0..levels {
            let output = if level + 1 == levels {
                Output::AddSum { z: (level > 0).then_some(&*z), x: &mut *x }
            } else if level == 0 {
                Output::Set(&mut *z)
            } else {
                Output::Add(&mut *z)
            };
            self.draw(level, j, bank, output);
        }
    }

    /// Draws the mask of a level of share `j`, for the first or the second time.
    fn draw<P, G>(
        &mut self,
        level: u32,
        j: usize,
        bank: &mut [MaskStream<G, P>],
        output: Output<'_, P>,
    ) where
        G: MaskGenerator<P, Cursor = C>,
    {
        let half = 1 << level;
        let lower = j & !half;
        let cursor = &mut self.cursors[half - 1 + lower % half];
        let stream = &mut bank[lower];
        if lower == j {
            *cursor = stream.refresh.clone();
            stream.generator.uniform(&mut stream.refresh, Sign::Plus, output);
        } else {
            stream.generator.uniform(cursor, Sign::Minus, output);
        }
    }
}

/// log2(d): the levels of the recursion.
fn levels<S>(bank: &[S]) -> u32 {
    (bank.len() + 1).ilog2()
}
