//! The names of levels and parameter sets, and the way from a name to its type.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use raccoon_dsa::{Level, ParameterSet, Raccoon128, Raccoon192, Raccoon256};
use std::fmt;

/// Shorter than a list of all 18 names.
pub const SET_HELP: &str = "Parameter set raccoon-L-D: level L = 128, 192 or 256; \
    D = 1, 2, 4, 8, 16 or 32 shares";

/// A level, known at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelName {
    Raccoon128,
    Raccoon192,
    Raccoon256,
}

/// A number of shares, known at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shares {
    D1 = 1,
    D2 = 2,
    D4 = 4,
    D8 = 8,
    D16 = 16,
    D32 = 32,
}

/// A parameter set, known at run time; `raccoon-128-8`, say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetName {
    pub level: LevelName,
    pub shares: Shares,
}

/// Something to do at a level.
pub trait LevelOperation {
    type Output;

    fn run<L: Level>(self) -> Self::Output;
}

/// Something to do in a parameter set.
pub trait SetOperation {
    type Output;

    fn run<L: ParameterSet<D>, const D: usize>(self) -> Self::Output;
}

impl LevelName {
    pub const ALL: [Self; 3] = [Self::Raccoon128, Self::Raccoon192, Self::Raccoon256];

    pub fn run<O: LevelOperation>(self, operation: O) -> O::Output {
        match self {
            Self::Raccoon128 => operation.run::<Raccoon128>(),
            Self::Raccoon192 => operation.run::<Raccoon192>(),
            Self::Raccoon256 => operation.run::<Raccoon256>(),
        }
    }
}

impl SetName {
    pub const ALL: [Self; 18] = all_sets();

    pub fn run<O: SetOperation>(self, operation: O) -> O::Output {
        match self.level {
            LevelName::Raccoon128 => run_with::<Raccoon128, O>(self.shares, operation),
            LevelName::Raccoon192 => run_with::<Raccoon192, O>(self.shares, operation),
            LevelName::Raccoon256 => run_with::<Raccoon256, O>(self.shares, operation),
        }
    }
}

fn run_with<L, O>(shares: Shares, operation: O) -> O::Output
where
    L: ParameterSet<1>
        + ParameterSet<2>
        + ParameterSet<4>
        + ParameterSet<8>
        + ParameterSet<16>
        + ParameterSet<32>,
    O: SetOperation,
{
    match shares {
        Shares::D1 => operation.run::<L, 1>(),
        Shares::D2 => operation.run::<L, 2>(),
        Shares::D4 => operation.run::<L, 4>(),
        Shares::D8 => operation.run::<L, 8>(),
        Shares::D16 => operation.run::<L, 16>(),
        Shares::D32 => operation.run::<L, 32>(),
    }
}

const fn all_sets() -> [SetName; 18] {
    const SHARES: [Shares; 6] =
        [Shares::D1, Shares::D2, Shares::D4, Shares::D8, Shares::D16, Shares::D32];
    let mut sets = [SetName { level: LevelName::Raccoon128, shares: Shares::D1 }; 18];
    let mut i = 0;
    while i < sets.len() {
        sets[i] =
            SetName { level: LevelName::ALL[i / SHARES.len()], shares: SHARES[i % SHARES.len()] };
        i += 1;
    }
    sets
}

impl fmt::Display for LevelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Name;

        impl LevelOperation for Name {
            type Output = &'static str;

            fn run<L: Level>(self) -> &'static str {
                L::NAME
            }
        }

        f.write_str(self.run(Name))
    }
}

impl fmt::Display for SetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.level, self.shares as usize)
    }
}

impl ValueEnum for SetName {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.to_string()))
    }
}
