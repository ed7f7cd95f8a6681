//! What a parameter set is, and what it costs.

use crate::failure::Failure;
use crate::set::{SetName, SetOperation};
use crate::table::{Align, Table, bytes};
use raccoon_dsa::masking::MaskGenerator;
use raccoon_dsa::{
    ChaCha8, Lfsr127, Masks, Matrix, ParameterSet, Stored, Streamed, VerifyWorkspace, Workspace,
};
use std::io::Write;

/// Writes the parameters of a set, the sizes of its encodings and of its workspaces.
pub fn describe(set: SetName, out: &mut impl Write) -> Result<(), Failure> {
    let Description { parameters, encodings, signing, verification } = set.run(Describe);
    writeln!(out, "{set}\n\nparameters\n{parameters}\nencodings\n{encodings}")?;
    writeln!(out, "workspace of signing, key generation and refreshing\n{signing}")?;
    write!(out, "workspace of verification\n{verification}")?;
    Ok(())
}

struct Describe;

struct Description {
    parameters: Table<3>,
    encodings: Table<2>,
    signing: Table<6>,
    verification: Table<2>,
}

impl SetOperation for Describe {
    type Output = Description;

    fn run<L: ParameterSet<D>, const D: usize>(self) -> Description {
        Description {
            parameters: parameters::<L, D>(),
            encodings: encodings::<L, D>(),
            signing: signing::<L, D>(),
            verification: verification::<L, D>(),
        }
    }
}

fn parameters<L: ParameterSet<D>, const D: usize>() -> Table<3> {
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
    let mut row = |name: &str, value: usize, meaning: &str| {
        table.row([name, &value.to_string(), meaning]);
    };
    row("kappa", L::KAPPA, "bits of security");
    row("k", L::K, "rows of the matrix A");
    row("l", L::ELL, "columns of the matrix A");
    row("omega", L::OMEGA, "non-zero coefficients of a challenge");
    row("d", D, "shares of a secret");
    row("rep", L::REP, "repetitions of the noise");
    row("u_t", L::U_T as usize, "bits of the noise of a key");
    row("u_w", L::U_W as usize, "bits of the noise of a commitment");
    table
}

fn encodings<L: ParameterSet<D>, const D: usize>() -> Table<2> {
    let mut table = Table::new([Align::Left, Align::Right]);
    table.row(["public key", &bytes(L::VERIFYING_KEY_BYTES)]);
    table.row(["secret key", &bytes(L::SIGNING_KEY_BYTES)]);
    table.row(["signature", &bytes(L::SIGNATURE_BYTES)]);
    table
}

fn signing<L: ParameterSet<D>, const D: usize>() -> Table<6> {
    use Align::{Left, Right};
    let mut table = Table::new([Left, Left, Right, Right, Right, Right]);
    table.row(["matrix", "masks", "size", "fixed part", "seeds, cursors", "mask bank"]);
    table.row(signer::<L, D, Streamed<L>, ChaCha8>("ChaCha8"));
    table.row(signer::<L, D, Streamed<L>, Lfsr127>("Lfsr127"));
    table.row(signer::<L, D, Stored<L>, ChaCha8>("ChaCha8"));
    table.row(signer::<L, D, Stored<L>, Lfsr127>("Lfsr127"));
    table
}

/// One choice of where the matrix is and of the mask generator.
fn signer<L, const D: usize, M, G>(generator: &str) -> [String; 6]
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    let size = Workspace::<L, D, M, G>::SIZE;
    // All in a workspace that grows with the number of shares.
    let seeds = size_of::<L::NoiseSeeds>()
        + size_of::<L::ZeroEncodings<G::Cursor>>()
        + size_of::<L::Pairs<G::Cursor>>();
    [
        M::NAME.to_string(),
        generator.to_string(),
        bytes(size),
        bytes(size - seeds),
        bytes(seeds),
        bytes(size_of::<Masks<L, D, G>>()),
    ]
}

fn verification<L: ParameterSet<D>, const D: usize>() -> Table<2> {
    let mut table = Table::new([Align::Left, Align::Right]);
    table.row(["size", &bytes(VerifyWorkspace::<L>::SIZE)]);
    table
}
