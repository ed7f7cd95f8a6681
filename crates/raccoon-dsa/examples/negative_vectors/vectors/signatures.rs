//! Vectors about signatures.

use super::builder::{Sizes, Tests, flip, places, repeated, splice};
use super::edit::Edit;
use super::extremes::{Extremes, Searched};
use super::format::What;
use super::model::{hint_bits, position, response_bits};
use raccoon_dsa::params::{N, NU_W, Z_LOW_BITS};
use raccoon_dsa::{Encoding, Error};

/// Bits of the low part of a coefficient of z.
const LOW: usize = Z_LOW_BITS as usize;

fn hint_range((polynomial, coefficient): (usize, usize)) -> Error {
    Error::HintRange { polynomial, coefficient }
}

fn response_range((polynomial, coefficient): (usize, usize)) -> Error {
    Error::ResponseRange { polynomial, coefficient }
}

/// Numbers whose squares sum up to `sum`; not many.
fn squares(mut sum: u64) -> Vec<u64> {
    let mut roots = Vec::new();
    while sum > 0 {
        let root = sum.isqrt();
        roots.push(root);
        sum -= root * root;
    }
    roots
}

impl<L: Searched> Tests<L> {
    const BITS: usize = 8 * L::SIGNATURE_BYTES;
    const HINTS: usize = L::K * N;
    const RESPONSES: usize = L::ELL * N;
    /// The first bit of h.
    const H: usize = 2 * L::KAPPA;

    /// Puts a coefficient in the place of number `i` of h.
    fn set_hint(&self, i: usize, bits: &str) -> Edit {
        splice(self.base.hint_at[i], hint_bits(self.base.triple.hints[i]).len(), bits)
    }

    /// Puts a coefficient in the place of number `i` of z.
    fn set_response(&self, i: usize, bits: &str) -> Edit {
        splice(self.base.response_at[i], response_bits(self.base.triple.responses[i]).len(), bits)
    }

    /// Sets every bit behind the challenge hash to zero, then edits further: h = 0 has one
    /// bit a coefficient, z = 0 has 41.
    fn on_zeros(edits: impl IntoIterator<Item = Edit>) -> Vec<Edit> {
        let zeros = splice(Self::H, Self::BITS - Self::H, "");
        [zeros].into_iter().chain(edits).collect()
    }

    /// Lengthens the encoding until it would end behind the last bit by as much as `from`
    /// is before its end now, by making coefficients of z_0 larger.
    fn cut_at(&self, from: usize) -> Vec<Edit> {
        let mut missing = Self::BITS - from;
        let mut edits = Vec::new();
        // From behind, so that an edit does not move the ones that follow it.
        for i in (0..N).rev() {
            let high = self.base.triple.responses[i].unsigned_abs() >> LOW;
            let more = missing.min((L::B_INF >> LOW) as usize - 1 - high as usize);
            if more > 0 {
                edits.push(repeated(self.base.response_at[i] + LOW, 0, "1", more));
            }
            missing -= more;
        }
        edits
    }

    pub fn signature_lengths(&mut self) {
        self.add("unchanged", What::Signature, vec![], Ok(()));
        let mut others = Sizes::of_others::<L>(|sizes| sizes.signature);
        others.push(("the challenge hash alone".to_owned(), L::KAPPA / 4));
        others.push(("cut inside h".to_owned(), self.base.hint_at[Self::HINTS / 2] / 8));
        others.push(("cut inside z".to_owned(), self.base.response_at[Self::RESPONSES / 2] / 8));
        others.push(("without its padding".to_owned(), self.base.end.div_ceil(8)));
        self.lengths(What::Signature, Encoding::Signature, &others);
        let garbage = Edit::Xor { at: L::SIGNATURE_BYTES, mask: vec![0xFF] };
        let edits = vec![Edit::Resize(L::SIGNATURE_BYTES + 1), garbage];
        let (expected, found) = (L::SIGNATURE_BYTES, L::SIGNATURE_BYTES + 1);
        let reason = Error::Length { encoding: Encoding::Signature, expected, found };
        self.signature("one byte behind the end, not zero", edits, reason);
    }

    pub fn challenge_hashes(&mut self) {
        self.signature("first bit of the challenge hash flipped", vec![flip(0)], Error::Mismatch);
        let last = vec![flip(Self::H - 1)];
        self.signature("last bit of the challenge hash flipped", last, Error::Mismatch);
        let zero = vec![repeated(0, Self::H, "0", Self::H)];
        self.signature("challenge hash zero", zero, Error::Mismatch);
        let zero = vec![splice(0, Self::BITS, "")];
        self.signature("every bit zero", zero, Error::Mismatch);
        let zero = Self::on_zeros([]);
        self.signature("h and z zero", zero, Error::Mismatch);
        let ones = vec![repeated(0, Self::BITS, "1", Self::BITS)];
        self.signature("every bit one", ones, hint_range((0, 0)));
    }

    pub fn hints(&mut self) {
        let bound = L::H_INF as i32;
        for (place, polynomial, coefficient) in places(L::K) {
            let i = polynomial * N + coefficient;
            let beyond = hint_range((polynomial, coefficient));
            for h in [bound + 1, -(bound + 1)] {
                let comment = format!("{place} coefficient of h: {h}, beyond its bound");
                self.signature(&comment, vec![self.set_hint(i, &hint_bits(h))], beyond);
            }
            for ones in [63, 64, 65, 1000, 100_000] {
                let comment = format!("{place} coefficient of h: {ones} more ones");
                let edit = repeated(self.base.hint_at[i], 0, "1", ones);
                self.signature(&comment, vec![edit], beyond);
            }
            for h in [bound, -bound] {
                let comment = format!("{place} coefficient of h: {h}, in range");
                let edit = self.set_hint(i, &hint_bits(h));
                self.signature(&comment, vec![edit], Error::Mismatch);
            }
        }
        let mut nonzero = (0..Self::HINTS).filter(|&i| self.base.triple.hints[i] != 0);
        let (first, last) = (nonzero.next(), nonzero.next_back());
        for (place, i) in [("first", first), ("last", last)] {
            let i = i.expect("coefficients of h that are not zero");
            let edit = self.set_hint(i, &hint_bits(-self.base.triple.hints[i]));
            let comment = format!("{place} coefficient of h that is not zero: sign flipped");
            self.signature(&comment, vec![edit], Error::Mismatch);
        }
    }

    pub fn responses(&mut self) {
        let bound = L::B_INF as i64;
        for (place, polynomial, coefficient) in places(L::ELL) {
            let i = polynomial * N + coefficient;
            let beyond = response_range((polynomial, coefficient));
            for z in [bound + 1, -(bound + 1)] {
                let comment = format!("{place} coefficient of z: {z}, beyond its bound by one");
                self.signature(&comment, vec![self.set_response(i, &response_bits(z))], beyond);
            }
            let comment =
                format!("{place} coefficient of z: high part at its bound, low part all ones");
            let edit = self.set_response(i, &response_bits(bound | ((1 << LOW) - 1)));
            self.signature(&comment, vec![edit], beyond);

            let magnitude = self.base.triple.responses[i].unsigned_abs();
            for ones in [24, 38, 60, 63, 64, 65, 1000, 100_000] {
                let in_range = magnitude + (ones << LOW) <= L::B_INF;
                let comment = format!("{place} coefficient of z: {ones} more ones");
                let edit = repeated(self.base.response_at[i] + LOW, 0, "1", ones as usize);
                let reason = if in_range { Error::Mismatch } else { beyond };
                self.signature(&comment, vec![edit], reason);
            }
            let z = self.base.triple.responses[i];
            let others = [
                ("at its upper bound", bound),
                ("at its lower bound", -bound),
                ("sign flipped", -z),
                ("lowest bit flipped", if z < 0 { -(-z ^ 1) } else { z ^ 1 }),
                ("zero", 0),
            ];
            for (name, z) in others {
                let edit = self.set_response(i, &response_bits(z));
                let comment = format!("{place} coefficient of z: {name}");
                self.signature(&comment, vec![edit], Error::Mismatch);
            }
        }
    }

    pub fn zeros_with_a_sign(&mut self) {
        let mut zeros = (0..Self::HINTS).filter(|&i| self.base.triple.hints[i] == 0);
        let (first, last) = (zeros.next(), zeros.next_back());
        for (place, i) in [("first", first), ("last", last)] {
            let edit = self.set_hint(i.expect("coefficients of h that are zero"), "01");
            self.shifted_signature(&format!("{place} zero of h: a sign behind it"), vec![edit]);
        }
        for (place, polynomial, coefficient) in places(L::ELL) {
            let negative_zero = response_bits(0) + "1";
            let edit = self.set_response(polynomial * N + coefficient, &negative_zero);
            let comment = format!("{place} coefficient of z: zero with a sign behind it");
            self.shifted_signature(&comment, vec![edit]);
        }
        let first_z = Self::H + Self::HINTS;
        let last_z = first_z + Self::RESPONSES * (LOW + 1);
        let on_zeros = [
            (
                "h and z zero, a sign behind the first coefficient of h: the second is 1",
                Self::H + 1,
                Error::Mismatch,
            ),
            (
                "h and z zero, a sign behind h: the first coefficient of z is 1",
                first_z,
                Error::Mismatch,
            ),
            (
                "h and z zero, a sign behind the first coefficient of z: the second is 1",
                first_z + LOW + 1,
                Error::Mismatch,
            ),
            ("h and z zero, a sign behind z: the padding is not zero", last_z, Error::Padding),
        ];
        for (comment, bit, reason) in on_zeros {
            self.signature(comment, Self::on_zeros([splice(bit, 0, "1")]), reason);
        }
        for (name, bit) in [("h", Self::H), ("z", self.base.response_at[0])] {
            self.shifted_signature(&format!("a zero before {name}"), vec![splice(bit, 0, "0")]);
            self.shifted_signature(
                &format!("the first bit of {name} missing"),
                vec![splice(bit, 1, "")],
            );
        }
    }

    pub fn streams_that_end_early(&mut self) {
        let last = self.base.response_at[Self::RESPONSES - 1];
        let end = self.base.end;
        let cuts = [
            ("before its sign", end - 1),
            ("before the zero behind its ones", end - 2),
            ("inside its low part", last + LOW / 2),
            ("before it", last),
        ];
        for (name, from) in cuts {
            let comment = format!("the bytes end at the last coefficient of z, {name}");
            self.signature(&comment, self.cut_at(from), Error::Truncated);
        }
        let high = (L::B_INF >> LOW) as i64;
        let z_0 = self.base.response_at[0]..self.base.response_at[N];
        let large = vec![repeated(z_0.start, z_0.len(), response_bits(high << LOW), N)];
        self.signature("z_0 large: the bytes end in another polynomial", large, Error::Truncated);
        let h = repeated(Self::H, 0, hint_bits(L::H_INF as i32), Self::HINTS);
        let comment = "every coefficient of h at its bound and z zero: the bytes do not suffice";
        self.signature(comment, Self::on_zeros([h]), Error::Truncated);
    }

    pub fn padding(&mut self) {
        let (end, bits) = (self.base.end, Self::BITS);
        assert!(end + 16 <= bits, "padding");
        for bit in (end..end + 8).chain([(end + bits) / 2]).chain(bits - 8..bits) {
            let comment = format!("padding bit {} of {} set", bit - end, bits - end);
            self.signature(&comment, vec![flip(bit)], Error::Padding);
        }
        let all = vec![repeated(end, bits - end, "1", bits - end)];
        self.signature("every padding bit set", all, Error::Padding);
    }

    pub fn norms(&mut self) {
        let (bound, scale) = (L::H_INF as i32, 2 * NU_W - 64);
        // As many hints at their bound as it takes.
        let mut norm = self.base.triple.norm();
        let mut count = 0;
        while norm <= L::B22 {
            let h = self.base.triple.hints[count];
            norm += ((bound * bound - h * h) as u64) << scale;
            count += 1;
        }
        for (comment, count, reason) in [
            ("h at its bound: norm just within its own", count - 1, Error::Mismatch),
            ("h at its bound: norm just beyond its own", count, Error::Norm),
        ] {
            let h = self.base.hint_at[0]..self.base.hint_at[count];
            let edit = repeated(h.start, h.len(), hint_bits(bound), count);
            self.signature(comment, vec![edit], reason);
        }
        // The bound as a sum of squares of h and z.
        let ones = (L::B22 >> scale) as usize;
        let first_z = Self::H + ones * hint_bits(1).len() + Self::HINTS - ones;
        for (name, excess, reason) in
            [("at", 0, Error::Mismatch), ("one more than", 1, Error::Norm)]
        {
            let rest = L::B22 - ((ones as u64) << scale);
            let roots = squares(rest).into_iter().chain(vec![1; excess]);
            let z: Vec<String> = roots.map(|root| response_bits((root << 32) as i64)).collect();
            let h = repeated(Self::H, ones, hint_bits(1), ones);
            let z = splice(first_z, z.len() * (LOW + 1), z.concat());
            let comment = format!("a signature of a norm exactly {name} its bound");
            self.signature(&comment, Self::on_zeros([h, z]), reason);
        }
    }

    pub fn extremes(&mut self, extremes: &Extremes<L>) {
        let what = What::Signature;
        let replaced = |signature| vec![Edit::Replace(signature)];
        self.add("h and z at their bound", what, vec![], Ok(()));
        self.add("the encoding ends with the last bit", what, replaced(extremes.full()), Ok(()));

        let first = position(0);
        for (name, signature, reason) in [
            ("z", extremes.beyond_response(), response_range(first)),
            ("h", extremes.beyond_hint(), hint_range(first)),
            ("norm", extremes.beyond_norm(), Error::Norm),
        ] {
            let comment = format!("{name} beyond its bound, all else right");
            self.signature(&comment, replaced(signature), reason);
        }
    }
}
