//! The challenge (specification 2.4.6).

use crate::params::{Level, N};
use crate::ring::Poly;
use crate::storage::Zeroed;
use crate::xof::Shake256;

/// ChalHash (Algorithm 9) while the rows of w come in.
///
/// The published vectors absorb mu before w, unlike Algorithm 9.
pub struct ChalHash(Shake256);

impl ChalHash {
    /// Starts with the header and the message hash mu.
    pub fn new<L: Level>(mu: &L::Digest) -> Self {
        let mut xof = Shake256::new();
        xof.absorb(&[b'h', L::K as u8, 0, 0, 0, 0, 0, 0]);
        xof.absorb(mu.as_ref());
        Self(xof)
    }

    /// Absorbs the next coefficients of w, one byte each, row by row.
    pub fn absorb(&mut self, w: &[u8]) {
        self.0.absorb(w);
    }

    /// The challenge hash.
    pub fn finish<L: Level>(mut self) -> L::Digest {
        let mut hash = <L::Digest as Zeroed>::ZERO;
        self.0.finish();
        self.0.read(hash.as_mut());
        hash
    }
}

/// ChalPoly (Algorithm 10): exactly omega coefficients +1 or -1, the rest 0; given in
/// Montgomery scale and the NTT domain with bound 15/2. The challenge is public.
#[inline(never)]
pub fn chal_poly<L: Level>(c: &mut Poly, hash: &L::Digest) {
    let mut xof = Shake256::new();
    xof.absorb(&[b'c', L::OMEGA as u8, 0, 0, 0, 0, 0, 0]);
    xof.absorb(hash.as_ref());
    xof.finish();

    c.clear();
    let mut taken = [false; N];
    let mut weight = 0;
    while weight < L::OMEGA {
        let mut draw = [0; 2];
        xof.read(&mut draw);
        let draw = usize::from(u16::from_le_bytes(draw));
        let position = (draw >> 1) % N;
        if !taken[position] {
            taken[position] = true;
            // The published vectors give +1 to a set low bit, unlike Algorithm 10.
            c.set_sign_montgomery(position, draw & 1 == 0);
            weight += 1;
        }
    }
    c.ntt();
}
