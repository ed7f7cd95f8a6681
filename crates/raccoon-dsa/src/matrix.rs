//! The public matrix A: the one choice between memory and speed.

use crate::params::Level;
use crate::ring::Poly;
use crate::sampling::expand_a;
use crate::storage::Zeroed;

/// Where a signer has A, in the NTT domain, plain scale, bound 9.
pub trait Matrix<L: Level>: Zeroed {
    /// What it is called, for reports.
    const NAME: &'static str;

    /// Called once before the rows of an operation are asked for.
    fn prepare(&mut self, seed: &[u8]);

    /// Row `i`: `L::ELL` polynomials. `seed` is the one given to `prepare`.
    fn row(&mut self, i: usize, seed: &[u8]) -> &[Poly];
}

/// Room for one row, which is expanded whenever it is asked for: twice a signature.
pub struct Streamed<L: Level>(L::Columns<Poly>);

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

    fn prepare(&mut self, _seed: &[u8]) {}

    fn row(&mut self, i: usize, seed: &[u8]) -> &[Poly] {
        expand_row(self.0.as_mut(), i, seed);
        self.0.as_ref()
    }
}

impl<L: Level> Matrix<L> for Stored<L> {
    const NAME: &'static str = "stored";

    fn prepare(&mut self, seed: &[u8]) {
        for (i, row) in self.0.as_mut().iter_mut().enumerate() {
            expand_row(row.as_mut(), i, seed);
        }
    }

    fn row(&mut self, i: usize, _seed: &[u8]) -> &[Poly] {
        self.0.as_ref()[i].as_ref()
    }
}

fn expand_row(row: &mut [Poly], i: usize, seed: &[u8]) {
    for (column, entry) in row.iter_mut().enumerate() {
        expand_a(entry, i, column, seed);
    }
}
