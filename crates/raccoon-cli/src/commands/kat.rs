//! `raccoon kat`

use crate::failure::Failure;
use crate::progress::Progress;
use crate::set::{SET_HELP, SetName, SetOperation};
use getrandom::SysRng;
use raccoon_dsa::{ChaCha8, ParameterSet};
use raccoon_kat::write_responses;
use std::io::{self, BufWriter};

/// Write known answers to standard output, in the format of NIST's .rsp files
#[derive(clap::Args)]
pub struct Arguments {
    #[arg(long, value_enum, hide_possible_values = true, help = SET_HELP)]
    set: SetName,
    /// How many answers
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: usize,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.set.run(Kat { count: arguments.count })
}

struct Kat {
    count: usize,
}

impl SetOperation for Kat {
    type Output = Result<(), Failure>;

    fn run<L: ParameterSet<D>, const D: usize>(self) -> Self::Output {
        let mut out = BufWriter::new(io::stdout().lock());
        let mut progress = Progress::of_things("answering", self.count as u64);
        let step = |_| progress.advance(1);
        write_responses::<L, D, ChaCha8>(&mut out, self.count, &mut SysRng, step)?;
        Ok(())
    }
}
