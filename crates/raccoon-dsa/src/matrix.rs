//! The public matrix A: the one choice between memory and speed.

use crate::params::Level;
use crate::ring::{Factor, PackedPoly, Poly};
use crate::sampling::expand_a;
use crate::storage::Zeroed;

/// Where a signer has A, in the NTT domain, plain scale, bound 9 or, packed, 1.
pub trait Matrix<L: Level>: Zeroed {
    /// What it is called, for reports.
    const NAME: &'static str;

    /// An entry of a row that is kept.
    type Entry: Factor;

    /// Called once before the rows of an operation are asked for.
    fn prepare(&mut self, seed: &[u8]);

    /// Adds row `i` times `x`, in product scale, to `sum`; adds `L::ELL` to its bound. With
    /// `keep`, returns the `L::ELL` polynomials of the row for as long as they are needed;
    /// otherwise what is returned is not the row. `seed` is the one given to `prepare`;
    /// `scratch` is used.
    fn mul_row_add(
        &mut self,
        i: usize,
        seed: &[u8],
        x: &[PackedPoly],
        sum: &mut Poly,
        scratch: &mut Poly,
        keep: bool,
    ) -> &[Self::Entry];
}

/// Room for one row, packed. The matrix is expanded twice a signature: row by row for
/// the commitment, entry by entry for the hint.
pub struct Streamed<L: Level>(L::Columns<PackedPoly>);

/// Room for the whole matrix (80, 140 or 252 KiB), expanded once.
pub struct Stored<L: Level>(L::Rows<L::Columns<Poly>>);

impl<L: Level> Zeroed for Streamed<L> {
    const ZERO: Self = Streamed(Zeroed::ZERO);
}

impl<L: Level> Zeroed for Stored<L> {
    const ZERO: Self = Stored(Zeroed::ZERO);
}

impl<L: Level> Matrix<L> for Streamed<L> {
    const NAME: &'static str = "streamed";

    type Entry = PackedPoly;

    fn prepare(&mut self, _seed: &[u8]) {}

    fn mul_row_add(
        &mut self,
        i: usize,
        seed: &[u8],
        x: &[PackedPoly],
        sum: &mut Poly,
        scratch: &mut Poly,
        keep: bool,
    ) -> &[PackedPoly] {
        for (column, (x, entry)) in x.iter().zip(self.0.as_mut()).enumerate() {
            // Bound 9 against 1.
            expand_a(scratch, i, column, seed);
            x.mul_add_to(scratch, sum);
            if keep {
                entry.pack(scratch);
            }
        }
        self.0.as_ref()
    }
}

impl<L: Level> Matrix<L> for Stored<L> {
    const NAME: &'static str = "stored";

    type Entry = Poly;

    fn prepare(&mut self, seed: &[u8]) {
        for (i, row) in self.0.as_mut().iter_mut().enumerate() {
            for (column, entry) in row.as_mut().iter_mut().enumerate() {
                expand_a(entry, i, column, seed);
            }
        }
    }

    fn mul_row_add(
        &mut self,
        i: usize,
        _seed: &[u8],
        x: &[PackedPoly],
        sum: &mut Poly,
        _scratch: &mut Poly,
        _keep: bool,
    ) -> &[Poly] {
        let row = self.0.as_ref()[i].as_ref();
        for (entry, x) in row.iter().zip(x) {
            x.mul_add_to(entry, sum);
        }
        row
    }
}
