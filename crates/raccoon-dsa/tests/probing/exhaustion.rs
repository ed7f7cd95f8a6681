//! Probing security by counting: every secret, every sharing, every mask.

use super::run::{Number, Origin, Run};
use std::collections::{BTreeMap, BTreeSet};

/// What a run was about, besides its intermediate values.
#[derive(Clone, Copy)]
pub struct Outcome {
    /// What probes must not depend on.
    pub secret: u32,
    /// What everyone sees; 0 if nothing.
    pub public: u32,
}

/// One intermediate value in all runs.
struct Position {
    /// How many different values there are.
    range: usize,
    /// Which of them it is, run by run.
    ranks: Vec<u8>,
}

impl Position {
    fn of<V: Ord>(values: &[V]) -> Self {
        let distinct: BTreeSet<&V> = values.iter().collect();
        let ranks: BTreeMap<&V, u8> = distinct.into_iter().zip(0..).collect();
        Self { range: ranks.len(), ranks: values.iter().map(|value| ranks[value]).collect() }
    }
}

/// The intermediate values of all runs of a gadget.
pub struct Exhaustion {
    modulus: usize,
    outcomes: Vec<Outcome>,
    positions: Vec<Position>,
}

impl Exhaustion {
    /// Runs a gadget over Z_m for every value of every variable it draws. In run n, variable
    /// k, counted as they are drawn, has the value of digit k of n to the base m.
    pub fn of<V: Number>(modulus: u32, gadget: impl Fn(&Run<V>) -> Outcome) -> Self {
        let run_number = |n: usize| {
            let digit = move |k: usize| n as u32 / modulus.pow(k as u32) % modulus;
            let run = Run::new(modulus, move |k, _| V::constant(digit(k)));
            let outcome = gadget(&run);
            (outcome, run.events())
        };
        let origins: Vec<Origin> = run_number(0).1.iter().map(|event| event.origin).collect();
        let variables = origins.iter().filter(|origin| matches!(origin, Origin::Drawn(_)));
        let runs = (modulus as usize).pow(variables.count() as u32);

        let mut outcomes = Vec::with_capacity(runs);
        let mut values = vec![Vec::with_capacity(runs); origins.len()];
        for n in 0..runs {
            let (outcome, events) = run_number(n);
            assert!(
                events.iter().map(|event| event.origin).eq(origins.iter().copied()),
                "what is computed depends on values"
            );
            outcomes.push(outcome);
            for (values, event) in values.iter_mut().zip(&events) {
                values.push(event.value);
            }
        }
        let positions = values.iter().map(|values| Position::of(values)).collect();
        Self { modulus: modulus as usize, outcomes, positions }
    }

    /// The least number of probes, up to `most`, that together depend on the secret.
    pub fn fewest_leaking_probes(&self, most: usize) -> Option<usize> {
        (1..=most).find(|&t| self.leak(|probes| probes.len() <= t).is_some())
    }

    /// A set of probes that depends on the secret, among the sets that are allowed. What
    /// is allowed is so without any of its probes, too.
    pub fn leak(&self, allowed: impl Fn(&[usize]) -> bool) -> Option<Vec<usize>> {
        let mut probes = Vec::new();
        let nothing = vec![0; self.outcomes.len()];
        self.extended_leak(&mut probes, &nothing, &allowed).then_some(probes)
    }

    /// Whether some extension of `probes`, whose values in every run are in `seen`, leaks.
    fn extended_leak(
        &self,
        probes: &mut Vec<usize>,
        seen: &[usize],
        allowed: &impl Fn(&[usize]) -> bool,
    ) -> bool {
        for probe in probes.last().map_or(0, |last| last + 1)..self.positions.len() {
            probes.push(probe);
            if allowed(probes) {
                let seen = self.with_probe(seen, probe);
                if self.depends_on_secret(&seen) || self.extended_leak(probes, &seen, allowed) {
                    return true;
                }
            }
            probes.pop();
        }
        false
    }

    /// Joint values of some probes and one more.
    fn with_probe(&self, seen: &[usize], probe: usize) -> Vec<usize> {
        let Position { range, ranks } = &self.positions[probe];
        seen.iter().zip(ranks).map(|(&seen, &rank)| seen * range + usize::from(rank)).collect()
    }

    /// Whether the distribution of joint values, given what is public, differs between
    /// secrets.
    fn depends_on_secret(&self, seen: &[usize]) -> bool {
        let range = seen.iter().max().expect("a run") + 1;
        let m = self.modulus;
        let mut counts = vec![0_u32; m * m * range];
        for (outcome, seen) in self.outcomes.iter().zip(seen) {
            let class = outcome.public as usize * m + outcome.secret as usize;
            counts[class * range + seen] += 1;
        }
        counts
            .chunks_exact(m * range)
            .any(|secrets| secrets.chunks_exact(range).any(|counts| counts != &secrets[..range]))
    }

    /// Which of the first `inputs` variables the distribution of the probes depends on,
    /// given all of them: bit k for variable k.
    pub fn dependence(&self, probes: &[usize], inputs: usize) -> u128 {
        let start = vec![0; self.outcomes.len()];
        let seen = probes.iter().fold(start, |seen, &probe| self.with_probe(&seen, probe));
        let range: usize = probes.iter().map(|&probe| self.positions[probe].range).product();
        let assignments = self.modulus.pow(inputs as u32);
        let mut counts = vec![0_u32; assignments * range];
        for (n, seen) in seen.iter().enumerate() {
            counts[n % assignments * range + seen] += 1;
        }
        let distribution = |inputs: usize| &counts[inputs * range..][..range];
        let mut dependence = 0;
        for k in 0..inputs {
            let step = self.modulus.pow(k as u32);
            let differs = |a: usize| {
                let cleared = a - a / step % self.modulus * step;
                distribution(a) != distribution(cleared)
            };
            dependence |= u128::from((0..assignments).any(differs)) << k;
        }
        dependence
    }

    /// How many values can be probed.
    pub fn positions(&self) -> usize {
        self.positions.len()
    }
}
