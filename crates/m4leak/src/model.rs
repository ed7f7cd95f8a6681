//! The leakage models: which two values meet in which place.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A leakage model. A sample is the Hamming distance of the two values that meet; for
/// [`Value`](Model::Value) the other value is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Model {
    /// Results and loaded data alone.
    Value,
    /// Successive values in one operand position.
    Operands,
    /// A destination register's old content and its new one.
    Result,
    /// Successive words on the data lines and in the load/store unit, unused bytes of narrow
    /// accesses included. They stay until the next access.
    Bus,
    /// A memory word's old content and its new one.
    Memory,
    /// Successive outputs of the shifter and of the multiplier.
    Shifter,
    /// Each word of a multi-register transfer and the next.
    Transfer,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 7] = [
        Model::Value,
        Model::Operands,
        Model::Result,
        Model::Bus,
        Model::Memory,
        Model::Shifter,
        Model::Transfer,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Model::Value => "value",
            Model::Operands => "operands",
            Model::Result => "result",
            Model::Bus => "bus",
            Model::Memory => "memory",
            Model::Shifter => "shifter",
            Model::Transfer => "transfer",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Model::ALL.into_iter().find(|model| model.name() == name);
        known.ok_or_else(|| format!("there is no leakage model {name}"))
    }
}

/// A choice of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Models(u8);

impl Models {
    /// Every model.
    pub const ALL: Models = Models(0x7F);

    /// Whether `model` is among them.
    #[inline(always)]
    pub fn contain(self, model: Model) -> bool {
        self.0 & 1 << model as u8 != 0
    }

    /// The models, in order.
    pub fn iter(self) -> impl Iterator<Item = Model> {
        Model::ALL.into_iter().filter(move |&model| self.contain(model))
    }
}

impl FromIterator<Model> for Models {
    fn from_iter<I: IntoIterator<Item = Model>>(models: I) -> Self {
        Models(models.into_iter().fold(0, |set, model| set | 1 << model as u8))
    }
}

/// Where exactly two values meet: what a chip would have one set of wires for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// The register file alone.
    Destination,
    /// The high word of a destination pair, or a further register of a multiple load.
    FurtherDestination(u8),
    /// Operand position 0, 1 or 2.
    Operand(u8),
    /// The load/store unit, which sees every access.
    LoadStore,
    /// The lines on which RAM is read.
    RamRead,
    /// The lines on which RAM is written.
    RamWrite,
    /// The lines on which code memory is read.
    CodeRead,
    /// A stored word.
    Word,
    /// The shifter's output.
    ShifterOutput,
    /// The multiplier's low or high output word.
    Multiplier(u8),
    /// Between word k and word k + 1 of a transfer.
    Between(u8),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Destination => write!(f, "register"),
            Place::FurtherDestination(k) => write!(f, "register {}", k + 1),
            Place::Operand(k) => write!(f, "operand {}", k + 1),
            Place::LoadStore => write!(f, "load/store unit"),
            Place::RamRead => write!(f, "RAM read lines"),
            Place::RamWrite => write!(f, "RAM write lines"),
            Place::CodeRead => write!(f, "code read lines"),
            Place::Word => write!(f, "memory word"),
            Place::ShifterOutput => write!(f, "shifter"),
            Place::Multiplier(k) => write!(f, "multiplier word {}", k + 1),
            Place::Between(k) => write!(f, "words {} and {}", k + 1, k + 2),
        }
    }
}
