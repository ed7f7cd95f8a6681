//! Moments of many samples at once, in one pass and mergeable.

use crate::follower::{ABSENT, Samples};
use crate::noise::Noise;
use serde::{Deserialize, Serialize};

/// Samples are shifted by this before they are raised to powers: the mean of a Hamming distance of
/// random words, so that sums stay small. Without noise all sums are integers below 2^53 and thus
/// exact.
const SHIFT: f64 = 16.0;

/// Statistical order of a univariate test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Means.
    First,
    /// Variances.
    Second,
}

/// Counts and power sums of each sample over a group of traces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// Traces that have every sample.
    complete: u64,
    /// Further traces that have this one.
    others: Vec<u32>,
    /// Sums of the powers 1, 2 and, for second order, 3, 4.
    sums: Vec<Vec<f64>>,
}

/// What is known of one sample in a group: number, mean and central moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Number of traces.
    pub count: f64,
    /// Mean.
    pub mean: f64,
    /// Central moments 2, 3 and 4, the latter two 0 unless collected.
    pub central: [f64; 3],
}

impl Moments {
    /// Of `samples` samples.
    pub fn new(samples: usize, order: Order) -> Self {
        let powers = match order {
            Order::First => 2,
            Order::Second => 4,
        };
        Moments { complete: 0, others: vec![0; samples], sums: vec![vec![0.0; samples]; powers] }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.others.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.others.is_empty()
    }

    /// Takes in a trace of Hamming distances, with noise if there is any.
    pub fn add(&mut self, samples: &Samples, noise: Option<&mut Noise>) {
        let values = &samples.values;
        if samples.complete {
            self.complete += 1;
        } else {
            self.others.iter_mut().zip(values).for_each(|(n, &x)| *n += u32::from(x != ABSENT));
        }
        let weight = |x: u8| if x == ABSENT { 0.0 } else { 1.0 };
        match (noise, samples.complete) {
            (Some(noise), _) => {
                self.add_with(values, |x| (f64::from(x) + noise.draw() - SHIFT, weight(x)));
            }
            (None, true) => self.add_with(values, |x| (f64::from(x) - SHIFT, 1.0)),
            (None, false) => self.add_with(values, |x| (f64::from(x) - SHIFT, weight(x))),
        }
    }

    /// Takes in a trace that has every sample, with any values.
    pub fn add_values(&mut self, values: &[f64]) {
        self.complete += 1;
        self.add_with(values, |x| (x - SHIFT, 1.0));
    }

    /// Adds the powers of `value`'s first part, weighted with its second.
    #[inline(always)]
    fn add_with<T: Copy>(&mut self, samples: &[T], mut value: impl FnMut(T) -> (f64, f64)) {
        assert_eq!(samples.len(), self.len(), "a trace has as many samples as the moments");
        if let [s1, s2] = &mut self.sums[..] {
            for ((&x, s1), s2) in samples.iter().zip(s1).zip(s2) {
                let (x, weight) = value(x);
                *s1 += x * weight;
                *s2 += x * x * weight;
            }
        } else if let [s1, s2, s3, s4] = &mut self.sums[..] {
            for ((((&x, s1), s2), s3), s4) in samples.iter().zip(s1).zip(s2).zip(s3).zip(s4) {
                let (x, weight) = value(x);
                let (x1, x2) = (x * weight, x * x * weight);
                *s1 += x1;
                *s2 += x2;
                *s3 += x1 * x2;
                *s4 += x2 * x2;
            }
        }
    }

    /// Takes in the traces of other moments of the same samples.
    pub fn merge(&mut self, other: &Moments) {
        assert_eq!(self.len(), other.len(), "moments of the same samples");
        self.complete += other.complete;
        self.others.iter_mut().zip(&other.others).for_each(|(a, b)| *a += b);
        for (sums, others) in self.sums.iter_mut().zip(&other.sums) {
            sums.iter_mut().zip(others).for_each(|(a, b)| *a += b);
        }
    }

    /// Sample `index`.
    pub fn summary(&self, index: usize) -> Summary {
        let count = self.complete as f64 + f64::from(self.others[index]);
        // Raw moments of the shifted sample, then central ones.
        let mut raw = [0.0; 4];
        for (raw, sums) in raw.iter_mut().zip(&self.sums) {
            *raw = if count > 0.0 { sums[index] / count } else { 0.0 };
        }
        let [m, m2, m3, m4] = raw;
        let central2 = (m2 - m * m).max(0.0);
        let (central3, central4) = if self.sums.len() == 4 {
            let central3 = m3 - 3.0 * m * m2 + 2.0 * m * m * m;
            (central3, (m4 - 4.0 * m * m3 + 6.0 * m * m * m2 - 3.0 * m * m * m * m).max(0.0))
        } else {
            (0.0, 0.0)
        };
        Summary { count, mean: m + SHIFT, central: [central2, central3, central4] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACES: [[u8; 3]; 4] = [[0, 5, 32], [3, 5, 30], [1, 5, 0], [7, 5, 8]];

    fn samples(values: &[u8], complete: bool) -> Samples {
        Samples { values: values.to_vec(), complete }
    }

    fn by_definition(values: &[f64]) -> Summary {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let central =
            [2, 3, 4].map(|k| values.iter().map(|x| (x - mean).powi(k)).sum::<f64>() / count);
        Summary { count, mean, central }
    }

    fn close(a: Summary, b: Summary) -> bool {
        let pairs = a.central.into_iter().zip(b.central).chain([(a.mean, b.mean)]);
        a.count == b.count && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + b.abs()))
    }

    #[test]
    fn moments_are_those_of_the_definition() {
        let mut moments = Moments::new(3, Order::Second);
        TRACES.iter().for_each(|trace| moments.add(&samples(trace, true), None));
        for k in 0..3 {
            let column = TRACES.map(|trace| f64::from(trace[k]));
            assert!(close(moments.summary(k), by_definition(&column)));
        }
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let mut whole = Moments::new(3, Order::First);
        TRACES.iter().for_each(|trace| whole.add(&samples(trace, true), None));
        let (mut a, mut b) = (Moments::new(3, Order::First), Moments::new(3, Order::First));
        a.add(&samples(&TRACES[0], true), None);
        TRACES[1..].iter().for_each(|trace| b.add(&samples(trace, true), None));
        a.merge(&b);
        assert_eq!(a, whole);
    }

    #[test]
    fn noise_adds_its_variance() {
        let (mut moments, mut noise) = (Moments::new(1, Order::First), Noise::new(3.0, 1));
        for _ in 0..20_000 {
            moments.add(&samples(&[7], true), Some(&mut noise));
        }
        let summary = moments.summary(0);
        assert!((summary.mean - 7.0).abs() < 0.1 && (summary.central[0] - 9.0).abs() < 0.4);
    }

    #[test]
    fn absent_samples_do_not_count() {
        let mut moments = Moments::new(3, Order::Second);
        moments.add(&samples(&TRACES[0], true), None);
        moments.add(&samples(&[9, ABSENT, 31], false), None);
        moments.add(&samples(&TRACES[1], true), None);
        assert!(close(moments.summary(0), by_definition(&[0.0, 9.0, 3.0])));
        assert!(close(moments.summary(1), by_definition(&[5.0, 5.0])));
        assert!(close(moments.summary(2), by_definition(&[32.0, 31.0, 30.0])));
    }
}
