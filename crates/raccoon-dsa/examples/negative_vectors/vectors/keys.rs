//! Vectors about keys, and about messages.

use super::builder::{Sizes, Tests, flip, places, repeated, splice};
use super::edit::Edit;
use super::extremes::Searched;
use super::format::What;
use super::model::{number_bits, packed, position};
use raccoon_dsa::params::{Level, N, ParameterSet, Q, Q_BITS, Q_T, S_BYTES, T_BITS, T_BYTES};
use raccoon_dsa::{Encoding, Error, SigningKey};
use raccoon_kat::NistDrbg;

/// Puts a value in the place of number `i` of packed ones that start at bit `start`.
fn set_packed(start: usize, bits: u32, i: usize, value: u64) -> Edit {
    let bit = start + i * bits as usize;
    splice(bit, bits as usize, number_bits(value, bits))
}

/// Puts a value in the place of coefficient number `i` of t in a key.
pub fn set_public<L: Level>(i: usize, value: u64) -> Edit {
    set_packed(L::KAPPA, T_BITS, i, value)
}

impl<L: Searched> Tests<L> {
    /// Public keys. `drbg` makes another one.
    pub fn verifying_keys(&mut self, drbg: &mut NistDrbg) {
        let what = What::VerifyingKey;
        self.add("unchanged", what, vec![], Ok(()));
        let others = Sizes::of_others::<L>(|sizes| sizes.verifying_key);
        self.lengths(what, Encoding::VerifyingKey, &others);
        for (place, polynomial, coefficient) in places(L::K) {
            let set = |value| vec![set_public::<L>(polynomial * N + coefficient, value)];
            for value in Q_T..1 << T_BITS {
                let comment = format!("{place} coefficient of t: {value}");
                let reason = Error::PublicCoefficient { polynomial, coefficient };
                self.add(&comment, what, set(value), Err(reason));
            }
            let comment = format!("{place} coefficient of t: {}, in range but another", Q_T - 1);
            self.add(&comment, what, set(Q_T - 1), Err(Error::Mismatch));
        }
        let t_bits = 8 * L::K * T_BYTES;
        let all = vec![repeated(L::KAPPA, t_bits, "1", t_bits)];
        let first = Error::PublicCoefficient { polynomial: 0, coefficient: 0 };
        self.add("every coefficient of t: 127", what, all, Err(first));
        for (place, bit) in [("first", 0), ("last", L::KAPPA - 1)] {
            let comment = format!("{place} bit of the seed flipped");
            self.add(&comment, what, vec![flip(bit)], Err(Error::Mismatch));
        }
        let other = SigningKey::<L, 2>::generate(drbg).expect("a generator that cannot fail");
        let other = Edit::Replace(other.verifying_key().as_bytes().to_vec());
        self.add("another key", what, vec![other], Err(Error::Mismatch));
    }

    /// A public key whose coefficient number `i` of t is 125 in the place of 0.
    pub fn malformed_key(&mut self, i: usize) {
        let (polynomial, coefficient) = position(i);
        let reason = Error::PublicCoefficient { polynomial, coefficient };
        self.add("a coefficient of t: 125", What::VerifyingKey, vec![], Err(reason));
        let other = vec![set_public::<L>(i, 0)];
        self.add("0 in its place: another key", What::VerifyingKey, other, Err(Error::Mismatch));
    }

    /// Secret keys.
    pub fn signing_keys(&mut self) {
        let what = What::SigningKey;
        self.add("unchanged", what, vec![], Ok(()));
        let mut others = Sizes::of_others::<L>(|sizes| sizes.signing_key);
        others.push(("the public key alone".to_owned(), L::VERIFYING_KEY_BYTES));
        others.push((
            "as long as with 1 share".to_owned(),
            <L as ParameterSet<1>>::SIGNING_KEY_BYTES,
        ));
        others.push((
            "as long as with 4 shares".to_owned(),
            <L as ParameterSet<4>>::SIGNING_KEY_BYTES,
        ));
        self.lengths(what, Encoding::SigningKey, &others);

        let share0 = 8 * L::VERIFYING_KEY_BYTES + L::KAPPA;
        for (place, polynomial, coefficient) in places(L::ELL) {
            let set = |value| vec![set_packed(share0, Q_BITS, polynomial * N + coefficient, value)];
            for (name, value) in [("q", Q), ("q + 1", Q + 1), ("2^49 - 1", (1 << Q_BITS) - 1)] {
                let comment = format!("{place} coefficient of share 0: {name}");
                let reason = Error::SecretCoefficient { polynomial, coefficient };
                self.add(&comment, what, set(value), Err(reason));
            }
            let comment = format!("{place} coefficient of share 0: q - 1, in range");
            self.add(&comment, what, set(Q - 1), Ok(()));
        }
        let values = packed(&self.group.signing_key, share0, L::ELL * N, Q_BITS);
        let i = values.iter().position(|x| x + Q < 1 << Q_BITS).expect("a small value");
        let (polynomial, coefficient) = position(i);
        let same = vec![set_packed(share0, Q_BITS, i, values[i] + Q)];
        let reason = Error::SecretCoefficient { polynomial, coefficient };
        self.add("a coefficient x of share 0: x + q", what, same, Err(reason));
        let share0_bits = 8 * L::ELL * S_BYTES;
        let all = vec![repeated(share0, share0_bits, "1", share0_bits)];
        let first = Error::SecretCoefficient { polynomial: 0, coefficient: 0 };
        self.add("every bit of share 0 set", what, all, Err(first));

        for (place, polynomial, coefficient) in places(L::K) {
            let comment = format!("embedded public key, {place} coefficient of t: {Q_T}");
            let edit = set_public::<L>(polynomial * N + coefficient, Q_T);
            let reason = Error::PublicCoefficient { polynomial, coefficient };
            self.add(&comment, what, vec![edit], Err(reason));
        }
    }

    /// Other messages.
    pub fn messages(&mut self) {
        let what = What::Message;
        let length = self.group.message.len();
        let others = [
            ("first bit flipped", flip(0)),
            ("last bit flipped", flip(8 * length - 1)),
            ("no byte", Edit::Resize(0)),
            ("a zero byte appended", Edit::Resize(length + 1)),
        ];
        for (comment, edit) in others {
            self.add(comment, what, vec![edit], Err(Error::Mismatch));
        }
    }
}
