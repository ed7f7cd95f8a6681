//! Response files.

use crate::{NistDrbg, Requests};
use raccoon_dsa::masking::MaskGenerator;
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::{
    Error, Masks, Matrix, ParameterSet, SigningKeyRef, Stored, VerifyWorkspace, VerifyingKeyRef,
    Workspace, generate, sign, verify,
};
use rand_core::TryCryptoRng;
use std::fmt;
use std::io::{self, Write};

/// What can go wrong while known answers are made.
#[derive(Debug)]
pub enum KatError {
    /// The file could not be written.
    Io(io::Error),
    /// The scheme failed.
    Scheme(Error),
}

impl fmt::Display for KatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KatError::Io(error) => write!(f, "cannot write the responses: {error}"),
            KatError::Scheme(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for KatError {}

impl From<io::Error> for KatError {
    fn from(error: io::Error) -> Self {
        KatError::Io(error)
    }
}

impl From<Error> for KatError {
    fn from(error: Error) -> Self {
        KatError::Scheme(error)
    }
}

/// The answer to one request.
pub struct Response<L: ParameterSet<D>, const D: usize> {
    secret: L::SigningKeyBytes,
    signature: L::SignatureBytes,
}

impl<L: ParameterSet<D>, const D: usize> Response<L, D> {
    /// The secret key; it starts with the public key.
    pub fn secret(&self) -> &[u8] {
        self.secret.as_ref()
    }

    /// The public key.
    pub fn public(&self) -> &[u8] {
        &self.secret()[..L::VERIFYING_KEY_BYTES]
    }

    /// The signature.
    pub fn signature(&self) -> &[u8] {
        self.signature.as_ref()
    }
}

/// Answers one request: generates a key, signs, and verifies the signature, in
/// `workspace`. The masks do not change the answer.
///
/// # Errors
/// What the scheme reports.
pub fn respond<L, const D: usize, M, G>(
    seed: &[u8; 48],
    message: &[u8],
    masks: &mut Masks<L, D, G>,
    workspace: &mut Workspace<L, D, M, G>,
) -> Result<Response<L, D>, Error>
where
    L: ParameterSet<D>,
    M: Matrix<L>,
    G: MaskGenerator,
{
    let mut drbg = NistDrbg::new(seed);
    let mut secret = L::SigningKeyBytes::ZERO;
    generate(&mut secret, &mut drbg, masks, workspace)?;

    let key = SigningKeyRef::<L, D>::from_bytes(secret.as_ref())?;
    let mu = key.hasher().chain(message).finish();
    let mut signature = L::SignatureBytes::ZERO;
    sign(&key, &mu, &mut signature, &mut drbg, masks, workspace)?;

    let response = Response { secret, signature };
    let public = VerifyingKeyRef::<L>::from_bytes(response.public())?;
    let mut workspace = Box::new(VerifyWorkspace::new());
    verify(&public, &mu, response.signature(), &mut workspace)?;
    Ok(response)
}

/// Writes a response file of `count` answers. `mask_rng` seeds the masks, and
/// `progress` is told after every answer how many there are.
///
/// # Errors
/// [`KatError`].
pub fn write_responses<L, const D: usize, G>(
    out: &mut impl Write,
    count: usize,
    mask_rng: &mut impl TryCryptoRng,
    mut progress: impl FnMut(usize),
) -> Result<(), KatError>
where
    L: ParameterSet<D>,
    G: MaskGenerator,
{
    let mut masks = Masks::<L, D, G>::from_rng(mask_rng).map_err(|_| Error::Randomness)?;
    let mut workspace = Box::new(Workspace::<L, D, Stored<L>, G>::new());
    let mut requests = Requests::new();

    write!(out, "# Raccoon-{}-{D}\n\n", L::KAPPA)?;
    for i in 0..count {
        let mut message = vec![0; requests.message_len()];
        let seed = requests.next_into(&mut message);
        let response = respond(&seed, &message, &mut masks, &mut workspace)?;

        writeln!(out, "count = {i}")?;
        write_hex(out, "seed", &[&seed])?;
        writeln!(out, "mlen = {}", message.len())?;
        write_hex(out, "msg", &[&message])?;
        write_hex(out, "pk", &[response.public()])?;
        write_hex(out, "sk", &[response.secret()])?;
        writeln!(out, "smlen = {}", L::SIGNATURE_BYTES + message.len())?;
        write_hex(out, "sm", &[response.signature(), &message])?;
        writeln!(out)?;
        progress(i + 1);
    }
    out.flush()?;
    Ok(())
}

/// `name = ` and upper-case hexadecimal digits.
fn write_hex(out: &mut impl Write, name: &str, parts: &[&[u8]]) -> io::Result<()> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    write!(out, "{name} = ")?;
    for part in parts {
        let digits: Vec<u8> = part
            .iter()
            .flat_map(|&byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
            .collect();
        out.write_all(&digits)?;
    }
    writeln!(out)
}
