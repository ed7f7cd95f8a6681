//! Tests that know nothing of the core: Welch's t, its threshold, signal-to-noise ratio and
//! correlation.

use crate::moments::{Moments, Order, Summary};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Welch's t of two means with their variances, each over its number of observations. 0 where
/// neither varies and both agree; infinite where neither varies and they differ.
pub fn welch(a: (f64, f64, f64), b: (f64, f64, f64)) -> f64 {
    let ((mean_a, variance_a, count_a), (mean_b, variance_b, count_b)) = (a, b);
    let difference = mean_a - mean_b;
    let error = variance_a / count_a + variance_b / count_b;
    if difference == 0.0 {
        return 0.0;
    }
    difference / error.sqrt()
}

impl Summary {
    /// Mean, variance and number of what a test of `order` compares: the sample itself, or the
    /// square of its distance from the mean.
    fn compared(&self, order: Order) -> (f64, f64, f64) {
        let [m2, _, m4] = self.central;
        let (mean, variance) = match order {
            Order::First => (self.mean, m2),
            Order::Second => (m2, m4 - m2 * m2),
        };
        // The unbiased variance.
        (mean, variance.max(0.0) * self.count / (self.count - 1.0), self.count)
    }

    /// Welch's t of two groups.
    pub fn t(&self, other: &Summary, order: Order) -> f64 {
        welch(self.compared(order), other.compared(order))
    }
}

/// The |t| that a leak-free device exceeds anywhere among `tests` samples with probability `alpha`
/// at most (Šidák), for two groups of together `traces` traces. The degrees of freedom are those
/// of the smaller group, which Welch's never fall below.
pub fn threshold(alpha: f64, tests: u64, traces: u64) -> f64 {
    // 1 - (1 - alpha)^(1 / tests), without cancellation.
    let each = -((-alpha).ln_1p() / tests.max(1) as f64).exp_m1();
    let freedom = (traces / 2).saturating_sub(1).max(1) as f64;
    let student = StudentsT::new(0.0, 1.0, freedom).expect("a positive number of degrees");
    upper_quantile(each / 2.0, |t| student.sf(t))
}

/// Where a decreasing tail probability falls to `p`, by bisection: quantile functions
/// that go through 1 - p lose the digits of a small p.
fn upper_quantile(p: f64, tail: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while tail(high) > p && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if tail(middle) > p { low = middle } else { high = middle }
    }
    high
}

/// Signal-to-noise ratio of each sample: the variance of the classes' means over the mean of
/// their variances. Classes without traces do not count.
pub fn signal_to_noise(classes: &[Moments]) -> Vec<f64> {
    let samples = classes.first().map_or(0, Moments::len);
    (0..samples).map(|index| ratio(classes, index)).collect()
}

fn ratio(classes: &[Moments], index: usize) -> f64 {
    let summaries: Vec<_> =
        classes.iter().map(|class| class.summary(index)).filter(|s| s.count > 0.0).collect();
    let total: f64 = summaries.iter().map(|s| s.count).sum();
    let mean = summaries.iter().map(|s| s.count * s.mean).sum::<f64>() / total;
    let signal: f64 = summaries.iter().map(|s| s.count * (s.mean - mean).powi(2)).sum();
    let noise: f64 = summaries.iter().map(|s| s.count * s.central[0]).sum();
    if signal == 0.0 { 0.0 } else { signal / noise }
}

/// Sums for the correlation of hypotheses with samples, over traces.
#[derive(Clone, Debug)]
pub struct Correlation {
    count: f64,
    samples: usize,
    x: Vec<[f64; 2]>,
    y: Vec<[f64; 2]>,
    xy: Vec<f64>,
}

impl Correlation {
    /// Of `hypotheses` predictions of a sample with `samples` samples.
    pub fn new(hypotheses: usize, samples: usize) -> Self {
        Correlation {
            count: 0.0,
            samples,
            x: vec![[0.0; 2]; samples],
            y: vec![[0.0; 2]; hypotheses],
            xy: vec![0.0; hypotheses * samples],
        }
    }

    /// Takes in a trace and what each hypothesis predicts for it.
    pub fn add(&mut self, predictions: &[f64], samples: &[f64]) {
        assert_eq!((predictions.len(), samples.len()), (self.y.len(), self.samples));
        self.count += 1.0;
        let add = |sums: &mut [f64; 2], v: f64| *sums = [sums[0] + v, sums[1] + v * v];
        self.x.iter_mut().zip(samples).for_each(|(sums, &x)| add(sums, x));
        self.y.iter_mut().zip(predictions).for_each(|(sums, &y)| add(sums, y));
        for (row, &y) in self.xy.chunks_exact_mut(self.samples.max(1)).zip(predictions) {
            row.iter_mut().zip(samples).for_each(|(sum, &x)| *sum += x * y);
        }
    }

    /// Pearson's correlation of a hypothesis with a sample; 0 where one of both does not vary.
    pub fn coefficient(&self, hypothesis: usize, sample: usize) -> f64 {
        let n = self.count;
        let ([x, xx], [y, yy]) = (self.x[sample], self.y[hypothesis]);
        let covariance = n * self.xy[hypothesis * self.samples + sample] - x * y;
        let product = (n * xx - x * x) * (n * yy - y * y);
        if product > 0.0 { covariance / product.sqrt() } else { 0.0 }
    }

    /// The strongest correlation of a hypothesis with any sample, by absolute value.
    pub fn strongest(&self, hypothesis: usize) -> f64 {
        let coefficients = (0..self.samples).map(|sample| self.coefficient(hypothesis, sample));
        coefficients.fold(0.0, |best: f64, c| if c.abs() > best.abs() { c } else { best })
    }
}

/// Centred-product test of all pairs of samples of two traces' groups: Welch's t of the products
/// of two samples' distances from their group's means. `columns[k]` holds sample k over the traces;
/// `group` says which group a trace is in. Calls `found` with each pair (i, j), i < j, and its t.
pub fn bivariate(columns: &[Vec<f32>], group: &[bool], mut found: impl FnMut(usize, usize, f64)) {
    let [first, second] = [false, true].map(|which| Centred::new(columns, group, which));
    for i in 0..columns.len() {
        for j in i + 1..columns.len() {
            found(i, j, welch(first.product(i, j), second.product(i, j)));
        }
    }
}

/// The samples of one group, less their means.
struct Centred(Vec<Vec<f32>>);

impl Centred {
    fn new(columns: &[Vec<f32>], group: &[bool], which: bool) -> Self {
        let centred = |column: &Vec<f32>| {
            let of_group = column.iter().zip(group).filter(|&(_, &g)| g == which);
            let mut values: Vec<f32> = of_group.map(|(&x, _)| x).collect();
            let sum: f64 = values.iter().map(|&x| f64::from(x)).sum();
            let mean = (sum / values.len() as f64) as f32;
            values.iter_mut().for_each(|x| *x -= mean);
            values
        };
        Centred(columns.iter().map(centred).collect())
    }

    /// Mean, variance and number of the products of two samples.
    fn product(&self, i: usize, j: usize) -> (f64, f64, f64) {
        const LANES: usize = 8;
        let (a, b) = (&self.0[i], &self.0[j]);
        let (mut sums, mut squares) = ([0.0f32; LANES], [0.0f32; LANES]);
        let (a_chunks, a_rest) = a.as_chunks::<LANES>();
        let (b_chunks, b_rest) = b.as_chunks::<LANES>();
        for (a, b) in a_chunks.iter().zip(b_chunks) {
            for k in 0..LANES {
                let product = a[k] * b[k];
                sums[k] += product;
                squares[k] += product * product;
            }
        }
        for (k, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
            let product = a * b;
            sums[k] += product;
            squares[k] += product * product;
        }
        let total = |lanes: [f32; LANES]| lanes.iter().map(|&x| f64::from(x)).sum::<f64>();
        let count = a.len() as f64;
        let mean = total(sums) / count;
        let variance = (total(squares) / count - mean * mean).max(0.0) * count / (count - 1.0);
        (mean, variance, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(order: Order, values: &[f64]) -> Summary {
        let mut moments = Moments::new(1, order);
        values.iter().for_each(|&x| moments.add_values(&[x]));
        moments.summary(0)
    }

    /// Worked out by hand: means 2 and 4, variances 1 and 4, three observations each.
    #[test]
    fn welch_by_hand() {
        let (a, b) = ([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]);
        let t = moments(Order::First, &a).t(&moments(Order::First, &b), Order::First);
        assert!((t + 2.0 / (5.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn second_order_is_welch_of_centred_squares() {
        let (a, b) = ([1.0, 2.0, 4.0, 9.0], [2.0, 4.0, 7.0, 3.0]);
        let squares = |v: &[f64]| {
            let mean = v.iter().sum::<f64>() / v.len() as f64;
            v.iter().map(|x| (x - mean).powi(2)).collect::<Vec<_>>()
        };
        let [p, q] = [&a, &b].map(|v| moments(Order::First, &squares(v)));
        let [x, y] = [&a, &b].map(|v| moments(Order::Second, v));
        assert!((x.t(&y, Order::Second) - p.t(&q, Order::First)).abs() < 1e-9);
    }

    #[test]
    fn constant_samples() {
        assert_eq!(welch((3.0, 0.0, 5.0), (3.0, 0.0, 5.0)), 0.0);
        assert_eq!(welch((4.0, 0.0, 5.0), (3.0, 0.0, 5.0)), f64::INFINITY);
    }

    /// Against tables: two-sided normal quantiles, which Student's approach with many degrees.
    #[test]
    fn thresholds() {
        assert!((threshold(0.05, 1, 2_000_000) - 1.95996).abs() < 1e-4);
        // Student with 10 degrees of freedom, 5 %: 2.2281.
        assert!((threshold(0.05, 1, 22) - 2.22814).abs() < 1e-4);
        // Two-sided 1e-10: 6.4670 standard deviations.
        assert!((threshold(1e-3, 10_000_000, 2_000_000_000) - 6.4670).abs() < 1e-3);
        assert!(threshold(0.01, 1 << 30, 1000) > threshold(0.01, 1 << 30, 10_000));
    }

    #[test]
    fn ratio_by_hand() {
        let class = |values: &[f64]| {
            let mut moments = Moments::new(1, Order::First);
            values.iter().for_each(|&x| moments.add_values(&[x]));
            moments
        };
        // Means 2 and 6 around 4: signal 4. Variances 1 and 1.
        let snr = signal_to_noise(&[class(&[1.0, 3.0]), class(&[5.0, 7.0])]);
        assert!((snr[0] - 4.0).abs() < 1e-12);
    }

    #[test]
    fn correlation_finds_the_hypothesis() {
        let mut correlation = Correlation::new(2, 2);
        for k in 0..50u32 {
            let x = f64::from(k * 7 % 11);
            let other = f64::from(k * k % 13);
            correlation.add(&[x, f64::from(k % 3)], &[other, 5.0 - 2.0 * x]);
        }
        assert!((correlation.coefficient(0, 1) + 1.0).abs() < 1e-9);
        assert!(correlation.strongest(1).abs() < 0.4);
    }

    #[test]
    fn two_shares_leak_in_a_centred_product_only() {
        // A secret bit is 0 in the first group and random in the second; a second column masks it.
        let (mut columns, mut group) = (vec![Vec::new(); 3], Vec::new());
        for k in 0..800u32 {
            let random = (k.wrapping_mul(2_654_435_761) >> 13) & 7;
            let second = k % 2 == 1;
            let secret = if second { random >> 1 & 1 } else { 0 };
            let mask = random & 1;
            columns[0].push((mask ^ secret) as f32);
            columns[1].push(mask as f32);
            columns[2].push((random >> 2) as f32);
            group.push(second);
        }
        let mut t = std::collections::BTreeMap::new();
        bivariate(&columns, &group, |i, j, value| {
            t.insert((i, j), value.abs());
        });
        assert!(t[&(0, 1)] > 10.0, "{t:?}");
        assert!(t[&(0, 2)] < 4.5 && t[&(1, 2)] < 4.5, "{t:?}");
    }
}
