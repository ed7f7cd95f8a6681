//! Transforms and arithmetic of polynomials.

use super::{Inputs, cycles, report};
use crate::memory::Once;
use raccoon_dsa::params::{N, Q1, Q2};
use raccoon_dsa::ring::{Factor, PackedPoly, Poly, portable};
use raccoon_dsa::storage::Zeroed;

/// The kernel's operands, the portable backend's, and the two that are only read.
static POLYS: Once<[Poly; 4]> = Once::new([const { Poly::ZERO }; 4]);
/// One polynomial, packed by the kernel and by the portable backend.
static PACKED: Once<[PackedPoly; 2]> = Once::new([const { PackedPoly::ZERO }; 2]);

/// A kernel, its portable counterpart, and the bounds of lanes that it takes and gives.
struct Kernel {
    name: &'static str,
    ours: fn(&mut Poly, &Poly, &Poly),
    portable: fn(&mut Poly, &Poly, &Poly),
    takes: Bounds,
    gives: Bound,
}

/// A multiple of the prime, in quarters. Nothing is beyond an i32.
type Bound = i64;
const ANY: Bound = i64::MAX;

/// Bounds of the operand that is replaced and of those that are only read.
struct Bounds(Bound, Bound);

const KERNELS: [Kernel; 8] = [
    Kernel {
        name: "ntt",
        ours: |x, _, _| x.ntt(),
        portable: |x, _, _| portable::ntt(x),
        takes: Bounds(4 * 48, 0),
        gives: 4 * (48 + 7),
    },
    Kernel {
        name: "intt",
        ours: |x, _, _| x.intt(),
        portable: |x, _, _| portable::intt(x),
        takes: Bounds(4 * 8, 0),
        gives: 4 * 3,
    },
    Kernel {
        name: "intt_product",
        ours: |x, _, _| x.intt_product(),
        portable: |x, _, _| portable::intt_product(x),
        takes: Bounds(4 * 8, 0),
        gives: 4 * 3,
    },
    Kernel {
        name: "mul",
        ours: |x, a, _| x.mul(a),
        portable: |x, a, _| portable::mul(x, a),
        takes: Bounds(4 * 64, 4),
        gives: 4,
    },
    Kernel {
        name: "mul_add",
        ours: Poly::mul_add,
        portable: portable::mul_add,
        takes: Bounds(4 * 63, 4 * 8),
        gives: 4 * 64,
    },
    Kernel {
        name: "add",
        ours: |x, a, _| x.add(a),
        portable: |x, a, _| portable::add(x, a),
        takes: Bounds(4 * 40, 4 * 24),
        gives: 4 * 64,
    },
    Kernel {
        name: "sub",
        ours: |x, a, _| x.sub(a),
        portable: |x, a, _| portable::sub(x, a),
        takes: Bounds(4 * 40, 4 * 24),
        gives: 4 * 64,
    },
    Kernel {
        name: "reduce",
        ours: |x, _, _| x.reduce(),
        portable: |x, _, _| portable::reduce(x),
        takes: Bounds(ANY, 0),
        gives: 3,
    },
];

/// How lanes within a bound are chosen.
#[derive(Clone, Copy)]
enum Lanes {
    Zero,
    Highest,
    Lowest,
    /// One end and the other in turns of 2^shift lanes.
    Turns(u32),
    Ends,
    Random,
}

pub(super) fn run(inputs: &mut Inputs) {
    let polys = POLYS.take();
    for kernel in &KERNELS {
        let turns = (0..9).map(Lanes::Turns);
        let ends = [Lanes::Zero, Lanes::Highest, Lanes::Lowest, Lanes::Ends, Lanes::Ends];
        for lanes in turns.chain(ends).chain([Lanes::Random; 3]) {
            let (ours, portable) = check(kernel, lanes, polys, inputs);
            if let Lanes::Zero = lanes {
                report(kernel.name, ours, portable);
            }
        }
    }
    packed(polys, inputs);
}

/// Packing lanes of any bound, unpacking, and multiplying by the packed.
fn packed([ours, portable, lanes, factor]: &mut [Poly; 4], inputs: &mut Inputs) {
    let [packed, portably_packed] = PACKED.take();
    let mut spent = [(0, 0); 3];
    for kind in [Lanes::Turns(0), Lanes::Turns(8), Lanes::Ends, Lanes::Random] {
        fill(lanes, ANY, kind, inputs);
        spent[0] =
            (cycles(|| packed.pack(lanes)), cycles(|| portable::pack(portably_packed, lanes)));

        spent[1] = (cycles(|| packed.unpack(ours)), cycles(|| portable::unpack(portable, packed)));
        assert!(equal(ours, portable), "unpack is wrong");
        portable::unpack(portable, portably_packed);
        assert!(equal(ours, portable), "pack is wrong");

        fill(ours, 4 * 63, kind, inputs);
        fill(factor, 4 * 64, kind, inputs);
        portable.copy_from(ours);
        spent[2] = (
            cycles(|| packed.mul_add_to(factor, ours)),
            cycles(|| portable::mul_add_packed(portable, packed, factor)),
        );
        assert!(congruent(ours, portable), "mul_add_packed is wrong");
        assert!(within(ours, 4 * 64), "mul_add_packed passes its bound");
    }
    for (name, (ours, portable)) in ["pack", "unpack", "mul_add_packed"].into_iter().zip(spent) {
        report(name, ours, portable);
    }
}

/// Runs both backends on the same operands; the cycles of each.
fn check(
    kernel: &Kernel,
    lanes: Lanes,
    [ours, portable, a, b]: &mut [Poly; 4],
    inputs: &mut Inputs,
) -> (u32, u32) {
    fill(ours, kernel.takes.0, lanes, inputs);
    portable.copy_from(ours);
    fill(a, kernel.takes.1, lanes, inputs);
    fill(b, kernel.takes.1, Lanes::Ends, inputs);
    let read = (checksum(a), checksum(b));

    let our_cycles = cycles(|| (kernel.ours)(ours, a, b));
    let portable_cycles = cycles(|| (kernel.portable)(portable, a, b));

    assert!(congruent(ours, portable), "{} is wrong", kernel.name);
    assert!(within(ours, kernel.gives), "{} passes its bound", kernel.name);
    assert!(read == (checksum(a), checksum(b)), "{} writes what it reads", kernel.name);
    (our_cycles, portable_cycles)
}

fn rows(poly: &Poly) -> [(&[i32; N], i64); 2] {
    [(&poly.row1, i64::from(Q1)), (&poly.row2, i64::from(Q2))]
}

/// The least and the greatest lane within a bound.
fn range(bound: Bound, q: i64) -> (i64, i64) {
    if bound == ANY { (i32::MIN.into(), i32::MAX.into()) } else { (-bound * q / 4, bound * q / 4) }
}

fn fill(poly: &mut Poly, bound: Bound, lanes: Lanes, inputs: &mut Inputs) {
    for (row, q) in [(&mut poly.row1, Q1), (&mut poly.row2, Q2)] {
        let (least, most) = range(bound, q.into());
        for (i, lane) in row.iter_mut().enumerate() {
            let random = inputs.next();
            let end = |high| if high { most } else { least };
            *lane = match lanes {
                Lanes::Zero => 0,
                Lanes::Highest => most,
                Lanes::Lowest => least,
                Lanes::Turns(shift) => end(i >> shift & 1 == 0),
                Lanes::Ends => end(random >> 40 & 1 == 0),
                Lanes::Random => least + (random >> 1) as i64 % (most - least + 1),
            } as i32;
        }
    }
}

/// Whether all lanes are congruent.
fn congruent(a: &Poly, b: &Poly) -> bool {
    rows(a).into_iter().zip(rows(b)).all(|((a, q), (b, _))| {
        a.iter().zip(b).all(|(&a, &b)| (i64::from(a) - i64::from(b)) % q == 0)
    })
}

/// Whether all lanes are the same.
fn equal(a: &Poly, b: &Poly) -> bool {
    a.row1 == b.row1 && a.row2 == b.row2
}

/// Whether all lanes are within the bound.
fn within(poly: &Poly, bound: Bound) -> bool {
    rows(poly).iter().all(|(row, q)| row.iter().all(|&x| 4 * i64::from(x).abs() <= bound * q))
}

/// Changes with any single lane.
fn checksum(poly: &Poly) -> u32 {
    let lanes = poly.row1.iter().chain(&poly.row2);
    lanes.fold(0, |sum: u32, &lane| sum.rotate_left(1) ^ lane as u32)
}
