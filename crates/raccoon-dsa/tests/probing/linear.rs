//! Probing security by linear algebra.
//!
//! Everything masked in Raccoon is linear in the shares, the noise and the masks, with
//! public coefficients. So what t probes tell is decided by the span of t linear forms,
//! exactly and without counting: a combination that contains a mask is uniform and tells
//! nothing, and the combinations without masks are all that is learned. The moduli can be
//! the real ones, the primes q1 and q2: masks act on every coefficient of a polynomial by
//! itself.

use super::run::{Event, Origin, Run, Value, Variable, Wire};
use std::array;
use std::collections::BTreeMap;

/// A linear form over Z_p: coordinate 0 is the constant term, coordinate k + 1 the
/// coefficient of the k-th variable drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form<const W: usize>(pub [u32; W]);

impl<const W: usize> Value for Form<W> {
    fn constant(k: u32) -> Self {
        Form(array::from_fn(|i| if i == 0 { k } else { 0 }))
    }

    fn sum(&self, other: &Self, modulus: u32) -> Self {
        Form(array::from_fn(|i| self.0[i].sum(&other.0[i], modulus)))
    }

    fn difference(&self, other: &Self, modulus: u32) -> Self {
        Form(array::from_fn(|i| self.0[i].difference(&other.0[i], modulus)))
    }

    fn product(&self, factor: &Self, modulus: u32) -> Self {
        Form(self.0.map(|coefficient| coefficient.product(&factor.0[0], modulus)))
    }

    fn reduced(&self, _: u32) -> Option<Self> {
        None
    }
}

/// A run on linear forms over a prime field.
pub fn symbolic_run<const W: usize>(prime: u32) -> Run<Form<W>> {
    Run::new(prime, |k, _| {
        assert!(k + 1 < W, "more than {W} variables");
        Form(array::from_fn(|i| u32::from(i == k + 1)))
    })
}

/// The coordinates that occur in a form: bit i for coordinate i.
fn support<const W: usize>(form: &Form<W>) -> u128 {
    form.0.iter().rev().fold(0, |bits, &x| bits << 1 | u128::from(x != 0))
}

/// A value that can be probed.
#[derive(Clone, Copy)]
struct Probe<const W: usize> {
    event: usize,
    form: Form<W>,
    /// How many values of each group of inputs it may tell of.
    allowance: u32,
}

/// What probes on a run tell about its inputs.
///
/// Inputs come in groups: the shares of one secret, the noise of one vector. Probes are
/// good if the inputs they tell of, besides what is public, are in each group as many as
/// there are probes, or fewer. In the usual words the gadget is then *t-non-interfering*;
/// and as any d - 1 shares of a secret are uniform, t = d - 1 probes tell nothing of it.
pub struct Observer<const W: usize> {
    prime: u32,
    /// The coordinates of masks.
    masks: Vec<usize>,
    /// The coordinates of each group of inputs.
    groups: BTreeMap<char, u128>,
    probes: Vec<Probe<W>>,
    public: Vec<Form<W>>,
}

impl<const W: usize> Observer<W> {
    /// An observer of all values of a run. `group` says which group of inputs a variable
    /// belongs to; the others are masks.
    pub fn new(run: &Run<Form<W>>, group: impl Fn(Variable) -> Option<char>) -> Self {
        let events = run.events();
        let drawn = events.iter().filter_map(|event| match event.origin {
            Origin::Drawn(variable) => Some(variable),
            _ => None,
        });
        let (mut masks, mut groups) = (Vec::new(), BTreeMap::new());
        for (coordinate, variable) in (1..).zip(drawn) {
            match group(variable) {
                None => masks.push(coordinate),
                Some(name) => *groups.entry(name).or_default() |= 1 << coordinate,
            }
        }
        let probes = (0..).zip(&events);
        let probes =
            probes.map(|(event, Event { value, .. })| Probe { event, form: *value, allowance: 1 });
        Self { prime: run.modulus(), masks, groups, probes: probes.collect(), public: Vec::new() }
    }

    /// Probes on these outputs may tell nothing: with it, non-interference is *strong*.
    pub fn with_free_outputs(mut self, outputs: &[Wire<'_, Form<W>>]) -> Self {
        for output in outputs {
            self.probes[output.event.expect("not a constant")].allowance = 0;
        }
        self
    }

    /// These values are public.
    pub fn with_public(mut self, values: &[Wire<'_, Form<W>>]) -> Self {
        self.public.extend(values.iter().map(|wire| wire.value));
        self
    }

    /// A set of at most `most` probes, given as events, that tells too much.
    pub fn telling_probes(&self, most: usize) -> Option<Vec<usize>> {
        let mut chosen = Vec::new();
        let probes = self.distinct_probes();
        let found = self.search(&probes, &mut chosen, 0, most);
        found.then(|| chosen.iter().map(|probe| probe.event).collect())
    }

    /// The coordinates of the inputs that the probes on these events tell of.
    pub fn told_by(&self, events: &[usize]) -> u128 {
        self.told(events.iter().map(|&event| self.probes[event].form).collect())
    }

    /// One probe for every value, up to a factor: the one with the least allowance.
    fn distinct_probes(&self) -> Vec<Probe<W>> {
        let mut distinct = BTreeMap::new();
        for probe in &self.probes {
            let Some(leading) = probe.form.0.iter().position(|&x| x != 0) else {
                continue; // Always zero.
            };
            let form = self.normalised(&probe.form, leading);
            let known = distinct.entry(form).or_insert(*probe);
            if probe.allowance < known.allowance {
                *known = *probe;
            }
        }
        distinct.into_values().collect()
    }

    /// Whether `chosen` can be extended by some of `candidates` to a set that tells too much.
    /// The candidates have lost, by elimination, a mask for each mask in what was chosen;
    /// `told` are the inputs that what was chosen tells of.
    fn search(
        &self,
        candidates: &[Probe<W>],
        chosen: &mut Vec<Probe<W>>,
        told: u128,
        most: usize,
    ) -> bool {
        for (i, probe) in candidates.iter().enumerate() {
            chosen.push(*probe);
            let mask = self.mask_in(&probe.form);
            let told = if mask.is_some() { told } else { told | support(&probe.form) };
            if mask.is_none() && self.is_too_much(told, chosen) && !self.is_public(chosen) {
                return true;
            }
            if chosen.len() < most {
                let mut rest = candidates[i + 1..].to_vec();
                if let Some(mask) = mask {
                    let pivot = self.normalised(&probe.form, mask);
                    for other in &mut rest {
                        other.form = self.eliminated(&other.form, &pivot, mask);
                    }
                }
                if self.search(&rest, chosen, told, most) {
                    return true;
                }
            }
            chosen.pop();
        }
        false
    }

    fn is_too_much(&self, told: u128, chosen: &[Probe<W>]) -> bool {
        let allowance = chosen.iter().map(|probe| probe.allowance).sum();
        self.groups.values().any(|group| (told & group).count_ones() > allowance)
    }

    /// Whether all that the probes tell too much of is public.
    fn is_public(&self, chosen: &[Probe<W>]) -> bool {
        // Probes in `chosen` are reduced; together they span what they spanned before.
        let forms = chosen.iter().map(|probe| probe.form).collect();
        self.is_little_modulo(&self.public, forms, chosen)
    }

    /// Whether the forms tell little if multiples of the public values are subtracted from
    /// them. Some input that is in one public value alone is not told of; it decides the
    /// multiple. All such inputs are tried.
    fn is_little_modulo(
        &self,
        public: &[Form<W>],
        forms: Vec<Form<W>>,
        chosen: &[Probe<W>],
    ) -> bool {
        let Some((value, rest)) = public.split_first() else {
            return !self.is_too_much(self.told(forms), chosen);
        };
        let others = self.public.iter().filter(|&other| other != value);
        let own = others.fold(support(value), |own, other| own & !support(other));
        (0..W).filter(|k| own >> k & 1 == 1).any(|k| {
            let pivot = self.normalised(value, k);
            let forms = forms.iter().map(|form| self.eliminated(form, &pivot, k)).collect();
            self.is_little_modulo(rest, forms, chosen)
        })
    }

    /// The coordinates in those combinations of forms that are free of masks.
    fn told(&self, mut forms: Vec<Form<W>>) -> u128 {
        let mut told = 0;
        while let Some(form) = forms.pop() {
            match self.mask_in(&form) {
                None => told |= support(&form),
                Some(mask) => {
                    let pivot = self.normalised(&form, mask);
                    for other in &mut forms {
                        *other = self.eliminated(other, &pivot, mask);
                    }
                }
            }
        }
        told
    }

    /// The coordinate of a mask that occurs in a form.
    fn mask_in(&self, form: &Form<W>) -> Option<usize> {
        self.masks.iter().copied().find(|&mask| form.0[mask] != 0)
    }

    /// `form` less the multiple of `pivot`, whose coordinate `k` is 1, that takes away
    /// coordinate `k`.
    fn eliminated(&self, form: &Form<W>, pivot: &Form<W>, k: usize) -> Form<W> {
        match form.0[k] {
            0 => *form,
            factor => form.difference(&self.scaled(pivot, factor), self.prime),
        }
    }

    /// The multiple of `form` whose coordinate `k` is 1.
    fn normalised(&self, form: &Form<W>, k: usize) -> Form<W> {
        self.scaled(form, self.inverse(form.0[k]))
    }

    fn scaled(&self, form: &Form<W>, factor: u32) -> Form<W> {
        form.product(&Form::constant(factor), self.prime)
    }

    /// 1/x, by Fermat.
    fn inverse(&self, x: u32) -> u32 {
        let bits = (0..u32::BITS).rev().map(|bit| (self.prime - 2) >> bit & 1 == 1);
        bits.fold(1, |power, bit| {
            let square = power.product(&power, self.prime);
            if bit { square.product(&x, self.prime) } else { square }
        })
    }
}
