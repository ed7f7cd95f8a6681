//! `raccoon demo`

use crate::failure::Failure;
use crate::message::Message;
use crate::set::{LevelName, SET_HELP, SetName, SetOperation, Shares};
use crate::signer::Signer;
use crate::table::{Align, Table, bytes, time};
use indicatif::HumanBytes;
use raccoon_dsa::{Error, MessageHash, ParameterSet, SigningKeyRef, VerifyWorkspace, verify};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Runs of every operation that is timed.
const RUNS: usize = 11;

/// Generate a key, sign a file and verify it; print sizes and times
///
/// No files are written.
#[derive(clap::Args)]
pub struct Arguments {
    #[arg(long, value_enum, hide_possible_values = true, help = SET_HELP)]
    #[arg(default_value_t = SetName { level: LevelName::Raccoon128, shares: Shares::D8 })]
    set: SetName,
    /// The file to sign [default: this program]
    file: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = match &arguments.file {
        Some(path) => path.clone(),
        None => std::env::current_exe()
            .map_err(|error| Failure::Misuse(format!("cannot find this program: {error}")))?,
    };
    let size = std::fs::metadata(&path).map_err(|error| Failure::file(&path, error))?.len();
    let mut out = io::stdout().lock();
    writeln!(out, "{} over {} ({})\n", arguments.set, path.display(), HumanBytes(size))?;
    let Report { operations, forgeries } = arguments.set.run(Demo(Message::File(path)))?;
    writeln!(out, "{operations}\nTimes are medians of {RUNS} runs; the file was hashed once.\n")?;
    write!(out, "refused, as they should be\n{forgeries}")?;
    Ok(())
}

/// What is printed.
struct Report {
    /// Name, time, result.
    operations: Table<3>,
    /// What was done to a signature or message, and why it was refused.
    forgeries: Table<2>,
}

struct Demo(Message);

impl SetOperation for Demo {
    type Output = Result<Report, Failure>;

    fn run<L: ParameterSet<D>, const D: usize>(self) -> Self::Output {
        let Demo(message) = self;
        let mut signer = Signer::<L, D>::new()?;
        let mut workspace = Box::<VerifyWorkspace<L>>::default();

        let (generating, secret) = median(|| signer.generate())?;
        let key = SigningKeyRef::from_bytes(&secret)?;
        let (hashing, mu) = timed(|| message.hash(key.hasher()))?;
        let (signing, signature) = median(|| signer.sign(&key, &mu))?;
        let mut check = |mu: &MessageHash<L>, signature: &[u8]| {
            verify(key.verifying_key(), mu, signature, &mut workspace)
        };
        let (verifying, ()) = median(|| check(&mu, &signature))?;
        let (refreshing, fresh) = median(|| signer.refresh(&secret))?;
        check(&mu, &signer.sign(&SigningKeyRef::from_bytes(&fresh)?, &mu)?)?;

        let longer = message.hash_with(key.hasher(), &[0])?;
        let mut forgeries =
            vec![("a byte appended to the file".to_string(), check(&longer, &signature))];
        let last = 8 * signature.len() - 1;
        for bit in [0, last / 2, last] {
            let verdict = check(&mu, &flipped(&signature, bit));
            forgeries.push((format!("bit {bit} of the signature flipped"), verdict));
        }

        let times = [generating, hashing, signing, verifying, refreshing];
        Ok(Report { operations: operations::<L, D>(times), forgeries: refusals(forgeries)? })
    }
}

fn operations<L: ParameterSet<D>, const D: usize>(times: [Duration; 5]) -> Table<3> {
    let public_key = bytes(L::VERIFYING_KEY_BYTES);
    let secret_key = bytes(L::SIGNING_KEY_BYTES);
    let results = [
        ("key generation", format!("public key {public_key}, secret key {secret_key}")),
        ("message hash", format!("mu {}", bytes(2 * L::KAPPA / 8))),
        ("signing", format!("signature {}", bytes(L::SIGNATURE_BYTES))),
        ("verification", "valid".to_string()),
        ("key refresh", "signs for the same public key".to_string()),
    ];
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
    for ((name, result), elapsed) in results.into_iter().zip(times) {
        table.row([name.to_string(), time(elapsed), result]);
    }
    table
}

/// The reasons why forgeries were refused; a failure if one was not.
fn refusals(forgeries: Vec<(String, Result<(), Error>)>) -> Result<Table<2>, Failure> {
    let mut table = Table::new([Align::Left, Align::Left]);
    for (forgery, verdict) in forgeries {
        match verdict {
            Ok(()) => return Err(Failure::Misuse(format!("valid in spite of {forgery}"))),
            Err(reason) => table.row([forgery, reason.to_string()]),
        }
    }
    Ok(table)
}

/// The signature with one bit flipped.
fn flipped(signature: &[u8], bit: usize) -> Vec<u8> {
    let mut forged = signature.to_vec();
    forged[bit / 8] ^= 1 << (bit % 8);
    forged
}

/// The median time of an operation over some runs, and the last result.
fn median<T, E>(mut operation: impl FnMut() -> Result<T, E>) -> Result<(Duration, T), E> {
    let (first, mut result) = timed(&mut operation)?;
    let mut times = [first; RUNS];
    for time in &mut times[1..] {
        (*time, result) = timed(&mut operation)?;
    }
    times.sort_unstable();
    Ok((times[RUNS / 2], result))
}

/// The time of one run of an operation, and its result.
fn timed<T, E>(operation: impl FnOnce() -> Result<T, E>) -> Result<(Duration, T), E> {
    let start = Instant::now();
    let result = operation()?;
    Ok((start.elapsed(), result))
}
