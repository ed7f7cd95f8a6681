//! Transforms and arithmetic of polynomials.

use super::{Inputs, cycles, report};
use crate::memory::Once;
use raccoon_dsa::params::{N, Q1, Q2};
use raccoon_dsa::ring::{Poly, portable};
use raccoon_dsa::storage::Zeroed;

/// Two operands, and a place for the portable backend's result.
static POLYS: Once<[Poly; 4]> = Once::new([const { Poly::ZERO }; 4]);

/// A kernel, its portable counterpart, and the bound of its inputs.
struct Kernel {
    name: &'static str,
    ours: fn(&mut Poly, &Poly, &Poly),
    portable: fn(&mut Poly, &Poly, &Poly),
    bound: i32,
}

const KERNELS: [Kernel; 8] = [
    Kernel {
        name: "ntt",
        ours: |x, _, _| x.ntt(),
        portable: |x, _, _| portable::ntt(x),
        bound: 48,
    },
    Kernel {
        name: "intt",
        ours: |x, _, _| x.intt(),
        portable: |x, _, _| portable::intt(x),
        bound: 8,
    },
    Kernel {
        name: "intt_product",
        ours: |x, _, _| x.intt_product(),
        portable: |x, _, _| portable::intt_product(x),
        bound: 8,
    },
    Kernel {
        name: "mul",
        ours: |x, a, _| x.mul(a),
        portable: |x, a, _| portable::mul(x, a),
        bound: 8,
    },
    Kernel { name: "mul_add", ours: Poly::mul_add, portable: portable::mul_add, bound: 8 },
    Kernel {
        name: "add",
        ours: |x, a, _| x.add(a),
        portable: |x, a, _| portable::add(x, a),
        bound: 32,
    },
    Kernel {
        name: "sub",
        ours: |x, a, _| x.sub(a),
        portable: |x, a, _| portable::sub(x, a),
        bound: 32,
    },
    Kernel {
        name: "reduce",
        ours: |x, _, _| x.reduce(),
        portable: |x, _, _| portable::reduce(x),
        bound: 64,
    },
];

pub(super) fn run(inputs: &mut Inputs) {
    let [ours, portable, a, b] = POLYS.take();
    for kernel in &KERNELS {
        for extreme in [true, false, false, false] {
            for (poly, copy) in [(&mut *ours, Some(&mut *portable)), (a, None), (b, None)] {
                fill(poly, kernel.bound, extreme, inputs);
                if let Some(copy) = copy {
                    copy.copy_from(poly);
                }
            }
            let our_cycles = cycles(|| (kernel.ours)(ours, a, b));
            let portable_cycles = cycles(|| (kernel.portable)(portable, a, b));
            assert!(congruent(ours, portable), "{} is wrong", kernel.name);
            if extreme {
                report(kernel.name, our_cycles, portable_cycles);
            }
        }
    }
}

/// Lanes up to `bound` times their prime: random, or all at one end or the other.
fn fill(poly: &mut Poly, bound: i32, extreme: bool, inputs: &mut Inputs) {
    for (row, q) in [(&mut poly.row1, Q1), (&mut poly.row2, Q2)] {
        let most = bound * q;
        for lane in row {
            let random = inputs.next();
            *lane = match (extreme, random & 1) {
                (true, 0) => most,
                (true, _) => -most,
                (false, _) => (random as i64 % i64::from(most)) as i32,
            };
        }
    }
}

/// Whether all lanes are congruent.
fn congruent(a: &Poly, b: &Poly) -> bool {
    let rows = |a: &[i32; N], b: &[i32; N], q: i32| {
        a.iter().zip(b).all(|(&a, &b)| (i64::from(a) - i64::from(b)) % i64::from(q) == 0)
    };
    rows(&a.row1, &b.row1, Q1) && rows(&a.row2, &b.row2, Q2)
}
