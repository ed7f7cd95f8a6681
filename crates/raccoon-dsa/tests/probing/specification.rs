//! The masked algorithms as the specification states them: all shares of a value at once.

use super::gadgets::{Gadgets, Sharing, Signing};
use super::generator::COMPRESSION;
use super::run::{Name, Run, Value, Variable, Wire};

/// The specification's algorithms on the variables of a run.
pub struct Specification<'r, V> {
    run: &'r Run<V>,
    shares: usize,
    /// How many masks of zero encodings each generator has given.
    masks: Vec<u64>,
}

impl<'r, V: Value> Specification<'r, V> {
    pub fn new(run: &'r Run<V>, shares: usize) -> Self {
        Self { run, shares, masks: vec![0; shares] }
    }

    /// ZeroEncoding(d), Algorithm 12, for the d shares from `first` on. The mask that is
    /// added to a share comes from the generator of that share.
    fn zero_encoding_of(&mut self, first: usize, d: usize) -> Sharing<'r, V> {
        if d == 1 {
            return vec![self.run.constant(0)];
        }
        let z1 = self.zero_encoding_of(first, d / 2);
        let z2 = self.zero_encoding_of(first + d / 2, d / 2);
        let r: Sharing<'r, V> = (first..first + d / 2).map(|j| self.mask(j)).collect();
        let z1 = z1.iter().zip(&r).map(|(z, r)| z + r);
        let z2 = z2.iter().zip(&r).map(|(z, r)| z - r);
        z1.chain(z2).collect()
    }

    fn mask(&mut self, generator: usize) -> Wire<'r, V> {
        let position = self.masks[generator];
        self.masks[generator] += 1;
        self.run.draw(Variable::Mask(generator, position))
    }

    /// The fresh uniform share `j` of compressed polynomial `m`.
    fn compression_mask(&self, m: usize, j: usize) -> Wire<'r, V> {
        self.run.draw(Variable::Mask(j - 1, COMPRESSION + m as u64))
    }

    /// MaskCompress of polynomial `m`, Algorithm 14: x.
    fn compressed(&self, m: usize, s: &[Wire<'r, V>]) -> Wire<'r, V> {
        let mut x = s[0].clone();
        for i in 1..self.shares {
            let r = self.compression_mask(m, i);
            x = &x - &r;
            x = &x + &s[i];
        }
        x
    }

    /// MaskDecompress of polynomial `m`, Algorithm 15.
    fn decompressed(&self, m: usize, x: &Wire<'r, V>) -> Sharing<'r, V> {
        let masks = (1..self.shares).map(|j| self.compression_mask(m, j));
        [x.clone()].into_iter().chain(masks).collect()
    }

    /// Algorithm 2, lines 12 to 16, for one polynomial.
    fn response(&mut self, s: &[Wire<'r, V>], r: &[Wire<'r, V>], c: &Wire<'r, V>) -> Wire<'r, V> {
        let s = self.refresh(s);
        let r = self.refresh(r);
        let z: Sharing<'r, V> = s.iter().zip(&r).map(|(s, r)| &(s * c) + r).collect();
        let z = self.refresh(&z);
        decode(&z)
    }
}

/// Decode, Algorithm 13.
pub fn decode<'r, V: Value>(x: &[Wire<'r, V>]) -> Wire<'r, V> {
    x[1..].iter().fold(x[0].clone(), |sum, x| &sum + x)
}

impl<'r, V: Value> Gadgets<'r, V> for Specification<'r, V> {
    fn run(&self) -> &'r Run<V> {
        self.run
    }

    fn shares(&self) -> usize {
        self.shares
    }

    fn zero_encoding(&mut self) -> Sharing<'r, V> {
        self.zero_encoding_of(0, self.shares)
    }

    /// Algorithm 11.
    fn refresh(&mut self, x: &[Wire<'r, V>]) -> Sharing<'r, V> {
        let z = self.zero_encoding();
        x.iter().zip(&z).map(|(x, z)| x + z).collect()
    }

    /// Algorithm 8.
    fn add_rep_noise(&mut self, v: &[Wire<'r, V>], name: Name, rep: usize) -> Sharing<'r, V> {
        let mut v = v.to_vec();
        for i_rep in 0..rep {
            for (j, share) in v.iter_mut().enumerate() {
                let noise = self.run.draw(Variable::Noise(name, i_rep, j));
                *share = &*share + &noise;
            }
            v = self.refresh(&v);
        }
        v
    }

    fn mask_compress(&mut self, s: &[Wire<'r, V>]) -> Wire<'r, V> {
        self.compressed(0, s)
    }

    fn respond(&mut self, s: &[Wire<'r, V>], x: &Wire<'r, V>, c: &Wire<'r, V>) -> Wire<'r, V> {
        self.response(s, &self.decompressed(0, x), c)
    }

    fn refresh_key(&mut self, s: &[Wire<'r, V>]) -> Wire<'r, V> {
        let s = self.refresh(s);
        self.mask_compress(&s)
    }

    /// Algorithm 2, with r compressed between lines 5 and 6.
    fn sign(&mut self, signing: &Signing, s: &[Sharing<'r, V>]) -> Sharing<'r, V> {
        let r: Vec<Sharing<'r, V>> = (0..s.len())
            .map(|m| {
                // 4, 5.
                let r = self.zero_encoding();
                let r = self.add_rep_noise(&r, ('r', m), signing.rep);
                self.decompressed(m, &self.compressed(m, &r))
            })
            .collect();
        let mut outputs = Vec::new();
        for (i, row) in signing.a.iter().enumerate() {
            // 6.
            let row: Sharing<'r, V> = row.iter().map(|&a| self.run.constant(a)).collect();
            let w: Sharing<'r, V> = (0..self.shares)
                .map(|j| {
                    let products = row.iter().zip(&r).map(|(a, r)| &r[j] * a);
                    products.fold(self.run.constant(0), |sum, product| &sum + &product)
                })
                .collect();
            // 7, 8.
            let w = self.add_rep_noise(&w, ('w', i), signing.rep);
            outputs.push(decode(&w));
        }
        let c = self.run.constant(signing.c);
        for (s, r) in s.iter().zip(&r) {
            outputs.push(self.response(s, r, &c));
        }
        outputs
    }
}
