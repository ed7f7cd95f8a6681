//! The shipped gadgets, called one share after the other as the signer calls them.

use super::gadgets::{Gadgets, Sharing, Signing};
use super::generator::{Bank, Fault, Generator, bank};
use super::run::{Name, Run, Value, Variable, Wire};
use raccoon_dsa::masking::{
    MaskGenerator, MaskStream, Noise, Output, ResponseEncodings, Sign, ZeroEncoding,
    add_rep_noise_share, mask_compress_share, response_share,
};

/// The shipped gadgets with a bank of mask generators.
pub struct Streamed<'r, V: Value> {
    pub run: &'r Run<V>,
    pub shares: usize,
    pub bank: Bank<'r, V>,
}

/// The noise of a polynomial.
pub struct NoiseOf(pub Name);

impl<V: Value> Noise<Wire<'_, V>> for NoiseOf {
    fn add(&self, rep: usize, j: usize, share: &mut Wire<'_, V>) {
        *share = &*share + &share.run.draw(Variable::Noise(self.0, rep, j));
    }
}

/// Subtracts the mask that is share `j` of the compressed secret.
pub fn subtract_mask<'r, V: Value>(bank: &mut Bank<'r, V>, j: usize, x: &mut Wire<'r, V>) {
    let stream = &mut bank[j - 1];
    stream.generator.uniform(&mut stream.compress, Sign::Minus, Output::Add(x));
}

impl<'r, V: Value> Streamed<'r, V> {
    pub fn new(run: &'r Run<V>, shares: usize) -> Self {
        Self::with_fault(run, shares, Fault::None)
    }

    pub fn with_fault(run: &'r Run<V>, shares: usize, fault: Fault) -> Self {
        Self { run, shares, bank: bank(shares, fault) }
    }

    /// The cursors of a zero encoding that has not started.
    pub fn cursors(&self) -> Vec<u64> {
        vec![0; self.shares - 1]
    }

    /// The cursors of the compression masks.
    fn compression(&self) -> Vec<u64> {
        self.bank.iter().map(|stream| stream.compress).collect()
    }

    /// As `Workspace::commit_vector` does it for polynomial `m` of r: share 0.
    fn commit_polynomial(&mut self, m: usize, rep: usize) -> Wire<'r, V> {
        let mut encodings = vec![self.cursors(); rep + 1];
        let (first, others) = encodings.split_first_mut().expect("rep + 1 of them");
        let (bank, noise) = (&mut self.bank, NoiseOf(('r', m)));
        let [mut x, mut share, mut scratch] = [0; 3].map(|zero| self.run.constant(zero));
        for j in 0..self.shares {
            ZeroEncoding::new(first).share(j, bank, &mut share);
            add_rep_noise_share(&mut share, j, &noise, others, bank, &mut scratch);
            mask_compress_share(&mut x, j, &share, |x| subtract_mask(bank, j, x));
        }
        x
    }

    /// As `Workspace::commit_row`: w_i, from the compressed r.
    fn commit_row(
        &mut self,
        i: usize,
        row: &[u32],
        rep: usize,
        x: &[Wire<'r, V>],
        compression: &[u64],
    ) -> Wire<'r, V> {
        let mut encodings = vec![self.cursors(); rep];
        let [mut public, mut scratch] = [0; 2].map(|zero| self.run.constant(zero));
        for j in 0..self.shares {
            let mut share = self.run.constant(0);
            let mut cursors = compression.to_vec();
            for (&entry, x) in row.iter().zip(x) {
                let mut r = x.clone();
                if j > 0 {
                    let mask = Output::Set(&mut r);
                    self.bank[j - 1].generator.uniform(&mut cursors[j - 1], Sign::Plus, mask);
                }
                share = &share + &(&r * &self.run.constant(entry));
            }
            let noise = NoiseOf(('w', i));
            let bank = &mut self.bank;
            add_rep_noise_share(&mut share, j, &noise, &mut encodings, bank, &mut scratch);
            public = &public + &share;
        }
        public
    }

    /// As `Workspace::respond` does it for one polynomial: z.
    fn respond_polynomial(
        &mut self,
        s: &[Wire<'r, V>],
        mut x: Wire<'r, V>,
        c: &Wire<'r, V>,
        compression: &mut [u64],
    ) -> Wire<'r, V> {
        let [mut for_s, mut for_r, mut for_z] = [0; 3].map(|_| self.cursors());
        let mut encodings = ResponseEncodings {
            s: ZeroEncoding::new(&mut for_s),
            r: ZeroEncoding::new(&mut for_r),
            z: ZeroEncoding::new(&mut for_z),
        };
        let mut scratch = self.run.constant(0);
        for (j, share) in s.iter().enumerate() {
            let add_mask = |bank: &[MaskStream<Generator, _>], r: Output<'_, Wire<'r, V>>| {
                bank[j - 1].generator.uniform(&mut compression[j - 1], Sign::Plus, r);
            };
            let (mut share, bank) = (share.clone(), &mut self.bank);
            response_share(&mut x, j, &mut share, c, add_mask, &mut encodings, bank, &mut scratch);
        }
        x
    }
}

impl<'r, V: Value> Gadgets<'r, V> for Streamed<'r, V> {
    fn run(&self) -> &'r Run<V> {
        self.run
    }

    fn shares(&self) -> usize {
        self.shares
    }

    fn zero_encoding(&mut self) -> Sharing<'r, V> {
        let mut cursors = self.cursors();
        let mut encoding = ZeroEncoding::new(&mut cursors);
        (0..self.shares)
            .map(|j| {
                let mut z = self.run.constant(0);
                encoding.share(j, &mut self.bank, &mut z);
                z
            })
            .collect()
    }

    fn refresh(&mut self, x: &[Wire<'r, V>]) -> Sharing<'r, V> {
        let mut cursors = self.cursors();
        let mut encoding = ZeroEncoding::new(&mut cursors);
        let mut z = self.run.constant(0);
        let mut x = x.to_vec();
        for (j, x) in x.iter_mut().enumerate() {
            encoding.refresh_share(j, &mut self.bank, &mut z, x);
        }
        x
    }

    fn add_rep_noise(&mut self, v: &[Wire<'r, V>], name: Name, rep: usize) -> Sharing<'r, V> {
        let mut encodings = vec![self.cursors(); rep];
        let (noise, bank) = (NoiseOf(name), &mut self.bank);
        let mut z = self.run.constant(0);
        let mut v = v.to_vec();
        for (j, v) in v.iter_mut().enumerate() {
            add_rep_noise_share(v, j, &noise, &mut encodings, bank, &mut z);
        }
        v
    }

    fn mask_compress(&mut self, s: &[Wire<'r, V>]) -> Wire<'r, V> {
        let mut x = self.run.constant(0);
        for (j, s) in s.iter().enumerate() {
            mask_compress_share(&mut x, j, s, |x| subtract_mask(&mut self.bank, j, x));
        }
        x
    }

    fn respond(&mut self, s: &[Wire<'r, V>], x: &Wire<'r, V>, c: &Wire<'r, V>) -> Wire<'r, V> {
        let mut compression = self.compression();
        self.respond_polynomial(s, x.clone(), c, &mut compression)
    }

    /// As `Workspace::refresh_polynomial`.
    fn refresh_key(&mut self, s: &[Wire<'r, V>]) -> Wire<'r, V> {
        let mut cursors = self.cursors();
        let mut encoding = ZeroEncoding::new(&mut cursors);
        let [mut x, mut scratch] = [0; 2].map(|zero| self.run.constant(zero));
        for (j, share) in s.iter().enumerate() {
            let mut share = share.clone();
            encoding.refresh_share(j, &mut self.bank, &mut scratch, &mut share);
            mask_compress_share(&mut x, j, &share, |x| subtract_mask(&mut self.bank, j, x));
        }
        x
    }

    /// As `Workspace::sign`.
    fn sign(&mut self, signing: &Signing, s: &[Sharing<'r, V>]) -> Sharing<'r, V> {
        let mut compression = self.compression();
        let x: Sharing<'r, V> =
            (0..s.len()).map(|m| self.commit_polynomial(m, signing.rep)).collect();
        let mut outputs = Vec::new();
        for (i, row) in signing.a.iter().enumerate() {
            outputs.push(self.commit_row(i, row, signing.rep, &x, &compression));
        }
        let c = self.run.constant(signing.c);
        for (s, x) in s.iter().zip(x) {
            outputs.push(self.respond_polynomial(s, x, &c, &mut compression));
        }
        outputs
    }
}
