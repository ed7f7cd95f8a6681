//! Verification (Algorithm 3).

use crate::bounds::reduce_w;
use crate::challenge::{ChalHash, chal_poly};
use crate::encoding::{SignatureReader, decode_signature};
use crate::error::Error;
use crate::key::{VerifyingKeyRef, copied};
use crate::message::MessageHash;
use crate::params::{Level, N, NU_W};
use crate::sampling::expand_a;
use crate::sign::minus_c_t;
use crate::workspace::VerifyWorkspace;

/// Verifies an encoded signature of a message hash (Algorithm 3), decoding it strictly.
///
/// # Errors
/// What is wrong with the encoding (see
/// [`decode_signature`](crate::encoding::decode_signature)), or [`Error::Mismatch`].
pub fn verify<L: Level>(
    key: &VerifyingKeyRef<'_, L>,
    mu: &MessageHash<L>,
    signature: &[u8],
    workspace: &mut VerifyWorkspace<L>,
) -> Result<(), Error> {
    let VerifyWorkspace { z, entry, y, challenge, .. } = workspace;
    let z = z.as_mut();

    // 1, 2. Deserialize and CheckBounds.
    let mut hints = decode_signature::<L>(signature, |m, n, value| z[m].set(n, value))?;
    for z in &mut *z {
        z.ntt();
        z.reduce();
    }
    // 5. ChalPoly.
    let c_hash: L::Digest = copied(&signature[..L::KAPPA / 4]);
    chal_poly::<L>(challenge, &c_hash);

    let mut hash = ChalHash::new::<L>(&mu.0);
    for i in 0..L::K {
        // 4, 6. y_i = A_i z - 2^nu_t c t_i, of bound 1 + 7.
        minus_c_t(y, key, i, challenge, entry);
        for (column, z) in z.iter().enumerate() {
            expand_a(entry, i, column, key.seed());
            y.mul_add(entry, z);
        }
        y.intt_product();
        // 7. w'_i = round(y_i) + h_i mod q_w.
        let mut w = [0; N];
        y.round(0, NU_W, &mut w);
        add_hints::<L>(&mut w, &mut hints)?;
        // 8. ChalHash.
        hash.absorb(&w);
    }
    // 9, 10.
    if hash.finish::<L>() == c_hash { Ok(()) } else { Err(Error::Mismatch) }
}

/// w'_i from round(y_i): adds the next hints mod q_w.
#[inline(never)]
fn add_hints<L: Level>(w: &mut [u8; N], hints: &mut SignatureReader<'_>) -> Result<(), Error> {
    for w in w {
        let h = hints.hint(L::H_INF).map_err(|_| Error::Truncated)?;
        *w = reduce_w(i32::from(*w) + h) as u8;
    }
    Ok(())
}
