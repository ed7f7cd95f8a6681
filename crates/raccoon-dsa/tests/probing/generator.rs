//! The mask generators of a run, sound ones and others.

use super::run::{Value, Variable, Wire};
use raccoon_dsa::masking::{MaskGenerator, MaskStream, Output, Sign};
use raccoon_dsa::storage::Zeroed;
use zeroize::Zeroize;

/// Where the sequence of compression masks begins.
pub const COMPRESSION: u64 = 1 << 32;

/// How a mask generator can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A cursor stays where it is: the next mask is the same again.
    StuckCursor,
    /// The second drawing of a mask gives the next mask of the sequence.
    WrongReplay,
    /// All generators have the same seed.
    SharedSeed,
}

/// Generator `number` of a bank. Its masks are variables of the run of the element that
/// they are added to.
pub struct Generator {
    number: u32,
    fault: Fault,
}

impl Zeroed for Generator {
    const ZERO: Self = Generator { number: 0, fault: Fault::None };
}

impl Zeroize for Generator {
    fn zeroize(&mut self) {
        *self = Self::ZERO;
    }
}

impl<'r, V: Value> MaskGenerator<Wire<'r, V>> for Generator {
    type Cursor = u64;

    const SEED_BYTES: usize = 1;

    fn from_seed(seed: &[u8]) -> (Self, [u64; 2]) {
        (Generator { number: seed[0].into(), fault: Fault::None }, [0, COMPRESSION])
    }

    fn uniform(&self, cursor: &mut u64, sign: Sign, output: Output<'_, Wire<'r, V>>) {
        let skipped = u64::from(self.fault == Fault::WrongReplay && sign == Sign::Minus);
        let variable = Variable::Mask(self.number as usize, *cursor + skipped);
        *cursor += u64::from(self.fault != Fault::StuckCursor);
        let add_to = |summand: &Wire<'r, V>, mask: &Wire<'r, V>| match sign {
            Sign::Plus => summand + mask,
            Sign::Minus => summand - mask,
        };
        match output {
            Output::Set(out) => *out = add_to(&out.run.constant(0), &out.run.draw(variable)),
            Output::Add(out) => *out = add_to(out, &out.run.draw(variable)),
            Output::AddSum { z, x } => {
                let zero = x.run.constant(0);
                *x = &*x + &add_to(z.unwrap_or(&zero), &x.run.draw(variable));
            }
        }
    }
}

/// A bank of d - 1 generators whose elements live in a run.
pub type Bank<'r, V> = Vec<MaskStream<Generator, Wire<'r, V>>>;

/// A bank for `shares` shares, with a fault or none.
pub fn bank<'r, V: Value>(shares: usize, fault: Fault) -> Bank<'r, V> {
    (0..shares as u8 - 1)
        .map(|number| {
            let seed = if fault == Fault::SharedSeed { 0 } else { number };
            let (generator, [refresh, compress]) =
                <Generator as MaskGenerator<Wire<'r, V>>>::from_seed(&[seed]);
            MaskStream { generator: Generator { fault, ..generator }, refresh, compress }
        })
        .collect()
}
