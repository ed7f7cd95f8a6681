//! The arithmetic, the samplers and the encodings against plain models of what the
//! specification says, and every lazy bound at its extreme values.
//!
//! The models are written for plainness: integers mod q in 128-bit arithmetic, transforms
//! by evaluation, streams byte by byte and bit by bit.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use proptest::prelude::*;
use raccoon_dsa::bounds::{CheckBounds, centre_q, centre_w, reduce_w, round_shift};
use raccoon_dsa::challenge::{ChalHash, chal_poly};
use raccoon_dsa::encoding::{
    Candidate, SignatureWriter, decode_signature, first_not_below, pack, unpack,
};
use raccoon_dsa::masking::{
    MaskGenerator, MaskStream, Noise, Output, ResponseEncodings, Sign, ZeroEncoding,
    add_rep_noise_share, mask_compress_share, response_share,
};
use raccoon_dsa::params::{N, NU_T, NU_W, Q, Q_BITS, Q_T, Q_W, Q1, Q2, T_BITS};
use raccoon_dsa::ring::Poly;
use raccoon_dsa::sampling::{add_sample_u, expand_a, sample_q, share_header};
use raccoon_dsa::storage::Zeroed;
use raccoon_dsa::xof::{RATE, Shake256};
use raccoon_dsa::{
    ChaCha8, Error, Level, Lfsr127, Masks, ParameterSet, Raccoon128, Raccoon192, Raccoon256,
    SigningKeyRef, Streamed, Workspace, generate, sign,
};
use raccoon_kat::NistDrbg;
use shake::digest::{ExtendableOutput, Update, XofReader};
use std::ops::RangeInclusive;

/// The 2n-th root of unity g of specification 2.7.2.
const ROOT: u64 = 358_453_792_785_495;
/// The Montgomery factor.
const R: u64 = 1 << 32;

// ---- The model: integers mod q, transforms by definition.

fn mul_mod(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(Q)) as u64
}

fn power(base: u64, exponent: u64) -> u64 {
    (0..64).rev().fold(1, |result, bit| {
        let square = mul_mod(result, result);
        if exponent >> bit & 1 == 1 { mul_mod(square, base) } else { square }
    })
}

/// 1/R mod q: 32 times one half.
fn r_inverse() -> u64 {
    power(Q.div_ceil(2), 32)
}

fn modulo(x: i128) -> u64 {
    x.rem_euclid(i128::from(Q)) as u64
}

/// What the lanes of a polynomial stand for.
fn values(poly: &Poly) -> Vec<u64> {
    // 1 mod q1 and 0 mod q2, and the other way round: q2^(q1 - 1) and q1^(q2 - 1).
    let one_zero = i128::from(power(Q2 as u64, Q1 as u64 - 1));
    let zero_one = i128::from(power(Q1 as u64, Q2 as u64 - 1));
    let lanes = poly.row1.iter().zip(&poly.row2);
    lanes.map(|(&a, &b)| modulo(i128::from(a) * one_zero + i128::from(b) * zero_one)).collect()
}

fn scaled(values: &[u64], factor: u64) -> Vec<u64> {
    values.iter().map(|&x| mul_mod(x, factor)).collect()
}

fn pairwise(a: &[u64], b: &[u64], f: impl Fn(i128, i128) -> i128) -> Vec<u64> {
    a.iter().zip(b).map(|(&a, &b)| modulo(f(a.into(), b.into()))).collect()
}

fn reverse_nine_bits(i: usize) -> u64 {
    (0..9).map(|bit| (i as u64 >> bit & 1) << (8 - bit)).sum()
}

/// The forward transform of specification 2.7.1: the values at g^(2 rev(i) + 1).
fn evaluated(coefficients: &[u64]) -> Vec<u64> {
    (0..N)
        .map(|i| {
            let point = power(ROOT, 2 * reverse_nine_bits(i) + 1);
            let horner = |sum, &c: &u64| (mul_mod(sum, point) + c) % Q;
            coefficients.iter().rev().fold(0, horner)
        })
        .collect()
}

/// The product modulo x^n + 1, term by term.
fn negacyclic_product(f: &[u64], g: &[u64]) -> Vec<u64> {
    let mut product = vec![0; N];
    for (i, &f) in f.iter().enumerate() {
        for (j, &g) in g.iter().enumerate() {
            let term = mul_mod(f, g);
            let term = if i + j < N { term } else { (Q - term) % Q };
            product[(i + j) % N] = (product[(i + j) % N] + term) % Q;
        }
    }
    product
}

// ---- Inputs.

/// The lanes of a polynomial that may be printed.
#[derive(Debug, Clone)]
struct Lanes(Vec<(i32, i32)>);

impl Lanes {
    fn poly(&self) -> Poly {
        let mut poly = Poly::ZERO;
        for (i, &(a, b)) in self.0.iter().enumerate() {
            (poly.row1[i], poly.row2[i]) = (a, b);
        }
        poly
    }
}

/// A bound as a fraction; a whole one converts from an integer.
#[derive(Debug, Clone, Copy)]
struct Bound(i64, i64);

impl From<i64> for Bound {
    fn from(bound: i64) -> Self {
        Bound(bound, 1)
    }
}

impl Bound {
    /// The largest lane within the bound.
    fn largest(self, q: i32) -> i32 {
        (self.0 * i64::from(q) / self.1).try_into().expect("a lane is an i32")
    }

    #[track_caller]
    fn holds(self, poly: &Poly) {
        let row = |row: &[i32], q| row.iter().all(|x| x.unsigned_abs() <= self.largest(q) as u32);
        assert!(row(&poly.row1, Q1) && row(&poly.row2, Q2), "beyond {self:?}");
    }
}

/// Any lanes within a bound, many of them at its ends.
fn lanes(bound: impl Into<Bound>) -> impl Strategy<Value = Lanes> {
    let bound = bound.into();
    let lane = |q| {
        let most = bound.largest(q);
        prop_oneof![4 => -most..=most, 1 => Just(most), 1 => Just(-most), 1 => Just(0)]
    };
    prop::collection::vec((lane(Q1), lane(Q2)), N).prop_map(Lanes)
}

/// Lanes that are all at an end of a bound: every sign alike, signs by each bit of the
/// index (so that every layer of a transform meets its largest sum and difference), and
/// signs without a pattern.
fn extremes(bound: impl Into<Bound>) -> Vec<Poly> {
    let bound = bound.into();
    let with_signs = |negative: &mut dyn FnMut(usize) -> bool| {
        let mut poly = Poly::ZERO;
        for i in 0..N {
            let sign = if negative(i) { -1 } else { 1 };
            poly.row1[i] = sign * bound.largest(Q1);
            poly.row2[i] = sign * bound.largest(Q2);
        }
        poly
    };
    let mut polys = vec![with_signs(&mut |_| false), with_signs(&mut |_| true)];
    for bit in 0..9 {
        polys.push(with_signs(&mut |i| i >> bit & 1 == 0));
        polys.push(with_signs(&mut |i| i >> bit & 1 == 1));
    }
    let mut rng = ChaCha8Rng::from_seed([1; 32]);
    polys.push(with_signs(&mut |_| rng.next_u32() & 1 == 0));
    polys
}

/// Every polynomial at the extremes of one bound with every one of another.
fn extreme_pairs(a: impl Into<Bound>, b: impl Into<Bound>) -> impl Iterator<Item = (Poly, Poly)> {
    let b = b.into();
    extremes(a).into_iter().flat_map(move |a| extremes(b).into_iter().map(move |b| (copy(&a), b)))
}

fn copy(poly: &Poly) -> Poly {
    let mut copy = Poly::ZERO;
    copy.copy_from(poly);
    copy
}

/// Few cases, as every one covers 512 lanes; nothing is written to disk.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 64,
        max_shrink_iters: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

// ---- The ring.

fn check_sums(a: &Poly, b: &Poly) {
    let (mut sum, mut difference) = (copy(a), copy(a));
    sum.add(b);
    difference.sub(b);
    Bound(64, 1).holds(&sum);
    Bound(64, 1).holds(&difference);
    assert_eq!(values(&sum), pairwise(&values(a), &values(b), |a, b| a + b));
    assert_eq!(values(&difference), pairwise(&values(a), &values(b), |a, b| a - b));
}

fn check_product(a: &Poly, b: &Poly) {
    let product = pairwise(&values(a), &values(b), |a, b| a * b);
    let expected = scaled(&product, r_inverse());
    let mut product = copy(a);
    product.mul(b);
    Bound(1, 1).holds(&product);
    assert_eq!(values(&product), expected);
}

/// `sum` has bound 63.
fn check_sum_of_product(sum: &Poly, a: &Poly, b: &Poly) {
    let product = pairwise(&values(a), &values(b), |a, b| a * b);
    let expected = pairwise(&values(sum), &scaled(&product, r_inverse()), |x, y| x + y);
    let mut sum = copy(sum);
    sum.mul_add(a, b);
    Bound(64, 1).holds(&sum);
    assert_eq!(values(&sum), expected);
}

fn check_reduction(poly: &Poly) {
    let mut reduced = copy(poly);
    reduced.reduce();
    Bound(3, 4).holds(&reduced);
    assert_eq!(values(&reduced), values(poly));
}

fn check_ntt(poly: &Poly, bound: i64) {
    let mut transformed = copy(poly);
    transformed.ntt();
    Bound(bound + 7, 1).holds(&transformed);
    assert_eq!(values(&transformed), evaluated(&values(poly)));
}

fn check_inverse_ntt(poly: &Poly) {
    let (mut plain, mut product) = (copy(poly), copy(poly));
    plain.intt();
    product.intt_product();
    Bound(3, 1).holds(&plain);
    Bound(3, 1).holds(&product);
    assert_eq!(evaluated(&values(&plain)), values(poly));
    assert_eq!(values(&product), scaled(&values(&plain), R));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn sums(a in lanes(32), b in lanes(32)) {
        check_sums(&a.poly(), &b.poly());
    }

    #[test]
    fn products(a in lanes(8), b in lanes(8), wide in lanes(64), narrow in lanes(1)) {
        check_product(&a.poly(), &b.poly());
        check_product(&wide.poly(), &narrow.poly());
        check_product(&narrow.poly(), &wide.poly());
    }

    #[test]
    fn sums_of_products(sum in lanes(63), a in lanes(8), b in lanes(8)) {
        check_sum_of_product(&sum.poly(), &a.poly(), &b.poly());
    }

    #[test]
    fn reductions(rows in prop::collection::vec(any::<(i32, i32)>(), N)) {
        check_reduction(&Lanes(rows).poly());
    }

    #[test]
    fn forward_transforms(poly in lanes(48)) {
        check_ntt(&poly.poly(), 48);
    }

    #[test]
    fn inverse_transforms(poly in lanes(8)) {
        check_inverse_ntt(&poly.poly());
    }

    #[test]
    fn transforms_are_inverse(poly in lanes(1)) {
        let mut there_and_back = poly.poly();
        there_and_back.ntt();
        there_and_back.intt();
        prop_assert_eq!(values(&there_and_back), values(&poly.poly()));
    }

    #[test]
    fn transforms_are_linear(a in lanes(8), b in lanes(8)) {
        let mut sum = a.poly();
        sum.add(&b.poly());
        sum.ntt();
        let (mut a, mut b) = (a.poly(), b.poly());
        a.ntt();
        b.ntt();
        a.add(&b);
        prop_assert_eq!(values(&sum), values(&a));
    }

    #[test]
    fn multiplication(f in lanes(1), g in lanes(1)) {
        let expected = negacyclic_product(&values(&f.poly()), &values(&g.poly()));
        let (mut f, mut g) = (f.poly(), g.poly());
        f.ntt();
        g.ntt();
        g.reduce();
        f.mul(&g);
        f.intt_product();
        prop_assert_eq!(values(&f), expected);
    }

    #[test]
    fn multiplication_by_signs_in_montgomery_scale(
        f in lanes(1),
        signs in prop::collection::btree_map(0..N, any::<bool>(), 0..48),
    ) {
        let (mut c, mut plain) = (Poly::ZERO, vec![0; N]);
        for (&i, &negative) in &signs {
            c.set_sign_montgomery(i, negative);
            plain[i] = if negative { Q - 1 } else { 1 };
        }
        Bound(1, 2).holds(&c);
        prop_assert_eq!(values(&c), scaled(&plain, R));

        let expected = negacyclic_product(&values(&f.poly()), &plain);
        let mut f = f.poly();
        f.ntt();
        c.ntt();
        f.mul(&c);
        f.intt();
        prop_assert_eq!(values(&f), expected);
    }

    #[test]
    fn lifting(a: i32, b: i32) {
        check_lift(a, b);
    }

    #[test]
    fn coefficients(x in -(1i64 << 50) + 1..1 << 50, small in -Q1..=Q1, i in 0..N) {
        check_coefficient(i, x);
        check_small_coefficient(i, small);
    }
}

fn check_lift(a: i32, b: i32) {
    let mut poly = Poly::ZERO;
    (poly.row1[3], poly.row2[3]) = (a, b);
    let x = poly.lift(3);
    assert!(x < Q);
    assert_eq!((x as i64 - i64::from(a)) % i64::from(Q1), 0);
    assert_eq!((x as i64 - i64::from(b)) % i64::from(Q2), 0);
}

fn check_coefficient(i: usize, x: i64) {
    let single = |x: i128| {
        let mut values = vec![0; N];
        values[i] = modulo(x);
        values
    };
    let mut poly = Poly::ZERO;
    poly.set(i, x);
    Bound(2, 1).holds(&poly);
    assert_eq!(values(&poly), single(x.into()));
    // Setting replaces.
    poly.set(i, 1);
    assert_eq!(values(&poly), single(1));
}

fn check_small_coefficient(i: usize, x: i32) {
    let mut poly = Poly::ZERO;
    poly.row1.fill(5);
    poly.row2.fill(5);
    poly.set_small(i, x);
    let mut expected = vec![5; N];
    expected[i] = modulo(x.into());
    assert_eq!(values(&poly), expected);
}

#[test]
fn coefficients_at_the_ends_of_their_range() {
    let q = Q as i64;
    let largest = (1 << 50) - 1;
    let edges = [0, 1, q / 2, q / 2 + 1, q - 1, q, q + 1, 1 << 24, (1 << 24) - 1, largest];
    for x in edges {
        check_coefficient(0, x);
        check_coefficient(N - 1, -x);
    }
    for x in [-Q1, -1, 0, 1, Q1] {
        check_small_coefficient(7, x);
    }
}

#[test]
fn lifting_at_the_ends_of_its_range() {
    let lane = |q: i32| {
        let near = |x: i32| [x.saturating_sub(1), x, x.saturating_add(1)];
        [i32::MIN, -64 * q, -q, -q / 2, 0, q / 2, q, 64 * q, i32::MAX].map(near)
    };
    for a in lane(Q1).into_iter().flatten() {
        for b in lane(Q2).into_iter().flatten() {
            check_lift(a, b);
        }
    }
}

#[test]
fn sums_at_their_extremes() {
    for (a, b) in [(32, 32), (63, 1), (1, 63)] {
        extreme_pairs(a, b).for_each(|(a, b)| check_sums(&a, &b));
    }
}

#[test]
fn products_at_their_extremes() {
    for (a, b) in [(8, 8), (64, 1), (1, 64)] {
        extreme_pairs(a, b).for_each(|(a, b)| check_product(&a, &b));
    }
}

#[test]
fn sums_of_products_at_their_extremes() {
    for (a, b) in [(8, 8), (64, 1), (1, 64)] {
        for (a, b) in extreme_pairs(a, b) {
            for sum in &extremes(63)[..2] {
                check_sum_of_product(sum, &a, &b);
            }
        }
    }
}

#[test]
fn reductions_at_their_extremes() {
    for lane in [i32::MIN, i32::MIN + 1, i32::MAX, i32::MAX - 1] {
        check_reduction(&Poly { row1: [lane; N], row2: [lane; N] });
    }
    extremes(64).iter().for_each(check_reduction);
}

#[test]
fn forward_transforms_at_their_extremes() {
    for bound in [0, 1, 48] {
        extremes(bound).iter().for_each(|poly| check_ntt(poly, bound));
    }
}

#[test]
fn inverse_transforms_at_their_extremes() {
    extremes(8).iter().for_each(check_inverse_ntt);
}

// ---- The sums of bounds that key generation, signing and verification rely on.

/// A mask generator whose every element is the largest one: q1 - 1 and q2 - 1.
struct Largest;

impl Zeroed for Largest {
    const ZERO: Self = Largest;
}

impl zeroize::Zeroize for Largest {
    fn zeroize(&mut self) {}
}

impl MaskGenerator for Largest {
    type Cursor = u32;

    const SEED_BYTES: usize = 0;

    fn from_seed(_: &[u8]) -> (Self, [u32; 2]) {
        (Largest, [0; 2])
    }

    fn uniform(&self, _: &mut u32, sign: Sign, output: Output<'_, Poly>) {
        let mut largest = Poly::ZERO;
        match sign {
            Sign::Plus => largest.add(&Poly { row1: [Q1 - 1; N], row2: [Q2 - 1; N] }),
            Sign::Minus => largest.sub(&Poly { row1: [Q1 - 1; N], row2: [Q2 - 1; N] }),
        }
        match output {
            Output::Set(out) => out.copy_from(&largest),
            Output::Add(out) => out.add(&largest),
            Output::AddSum { z, x } => {
                z.into_iter().for_each(|z| largest.add(z));
                x.add(&largest);
            }
        }
    }
}

/// Noise that adds bound 2, the most that SampleU may add.
struct LargestNoise {
    negative: bool,
}

impl Noise<Poly> for LargestNoise {
    fn add(&self, _: usize, _: usize, share: &mut Poly) {
        let largest = Poly { row1: [2 * Q1; N], row2: [2 * Q2; N] };
        if self.negative { share.sub(&largest) } else { share.add(&largest) }
    }
}

/// The bank of the largest number of shares, 32.
fn largest_bank() -> [MaskStream<Largest>; 31] {
    Zeroed::ZERO
}

/// A masked vector: a zero encoding of bound 5 and a repetition of noise give 12, which is
/// reduced.
#[test]
fn noise_of_32_shares_at_its_extreme() {
    for negative in [false, true] {
        let (mut share, mut scratch) = (Poly::ZERO, Poly::ZERO);
        let mut bank = largest_bank();
        let (mut first, mut others) = ([0; 31], [[0; 31]; 4]);
        for j in 0..32 {
            ZeroEncoding::new(&mut first).share(j, &mut bank, &mut share);
            Bound(5, 1).holds(&share);
            let noise = LargestNoise { negative };
            add_rep_noise_share(&mut share, j, &noise, &mut others, &mut bank, &mut scratch);
            Bound(3, 4).holds(&share);
            share.ntt();
        }
    }
}

/// Compressing shares of bound 3/4 gives 3/4 + 3/4, however many they are.
#[test]
fn compression_of_32_shares_at_its_extreme() {
    for share in extremes(Bound(3, 4)) {
        let mut x = Poly::ZERO;
        for j in 0..32 {
            mask_compress_share(&mut x, j, &share, |x| {
                Largest.uniform(&mut 0, Sign::Minus, Output::Add(x));
            });
            Bound(3, 2).holds(&x);
        }
    }
}

/// Rows of up to seven products of A (bound 9) with a mask (1), then the inverse transform.
#[test]
fn rows_of_seven_products_at_their_extremes() {
    for (entry, mask) in extreme_pairs(9, 1) {
        let mut row = Poly::ZERO;
        (0..7).for_each(|_| row.mul_add(&entry, &mask));
        Bound(7, 1).holds(&row);
        row.intt_product();
    }
}

/// y = A_i z - 2^nu_t c t_i: c t of bound 8 * 15/2, then seven products, gives 8.
#[test]
fn the_verification_equation_at_its_extremes() {
    for (entry, z) in extreme_pairs(9, Bound(3, 4)) {
        for mut t in extremes(8).into_iter().take(2) {
            t.mul(&extremes(Bound(15, 2))[0]);
            let mut y = Poly::ZERO;
            y.sub(&t);
            Bound(1, 1).holds(&y);
            (0..7).for_each(|_| y.mul_add(&entry, &z));
            Bound(8, 1).holds(&y);
            y.intt_product();
        }
    }
}

/// The response: s of bound 2 against a challenge of 15/2, and three refreshes.
#[test]
fn responses_of_32_shares_at_their_extremes() {
    for (s, c) in extreme_pairs(2, Bound(15, 2)) {
        let mut bank = largest_bank();
        let mut x = extremes(Bound(3, 4)).swap_remove(0);
        let (mut share, mut scratch) = (Poly::ZERO, Poly::ZERO);
        let mut cursors = [[0; 31]; 3];
        let [on_s, on_r, on_z] = &mut cursors;
        let mut encodings = ResponseEncodings {
            s: ZeroEncoding::new(on_s),
            r: ZeroEncoding::new(on_r),
            z: ZeroEncoding::new(on_z),
        };
        for j in 0..32 {
            share.copy_from(&s);
            let add_mask = |bank: &[MaskStream<Largest>], r: Output<'_, Poly>| {
                bank[j - 1].generator.uniform(&mut 0, Sign::Plus, r);
            };
            response_share(
                &mut x,
                j,
                &mut share,
                &c,
                add_mask,
                &mut encodings,
                &mut bank,
                &mut scratch,
            );
            Bound(24, 1).holds(&x);
        }
    }
}

/// A key and a signature, from fixed randomness and any masks.
fn key_and_signature<L: ParameterSet<D>, const D: usize, G: MaskGenerator>()
-> (L::SigningKeyBytes, L::SignatureBytes) {
    let rng = &mut NistDrbg::new(&[D as u8; 48]);
    let Ok(mut masks) = Masks::<L, D, G>::from_rng(&mut NistDrbg::new(&[1; 48]));
    let mut workspace = Box::new(Workspace::<L, D, Streamed<L>, G>::new());
    let (mut secret, mut signature) = (L::SigningKeyBytes::ZERO, L::SignatureBytes::ZERO);
    generate(&mut secret, rng, &mut masks, &mut workspace).expect("a working generator");
    let key = SigningKeyRef::<L, D>::from_bytes(secret.as_ref()).expect("a generated key");
    let mu = key.hasher().finish();
    sign(&key, &mu, &mut signature, rng, &mut masks, &mut workspace).expect("a signature");
    (secret, signature)
}

/// Key generation and signing as they are, with every mask at its largest: the checks on
/// bounds and overflow hold in all of it, and the result is that of random masks.
fn check_largest_masks<L: ParameterSet<D>, const D: usize>() {
    let random = key_and_signature::<L, D, ChaCha8>();
    assert!(key_and_signature::<L, D, Largest>() == random, "{}-{D}", L::NAME);
}

#[test]
fn signing_with_the_largest_masks() {
    check_largest_masks::<Raccoon128, 2>();
    check_largest_masks::<Raccoon128, 4>();
    check_largest_masks::<Raccoon128, 8>();
    check_largest_masks::<Raccoon128, 16>();
    check_largest_masks::<Raccoon128, 32>();
    check_largest_masks::<Raccoon192, 32>();
    check_largest_masks::<Raccoon256, 32>();
}

// ---- SHAKE256 and the samplers.

/// SHAKE256 as another crate has it.
fn shake256(parts: &[&[u8]]) -> shake::Shake256Reader {
    let mut hasher = shake::Shake256::default();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize_xof()
}

fn squeezed(reader: &mut shake::Shake256Reader, bytes: usize) -> Vec<u8> {
    let mut output = vec![0; bytes];
    reader.read(&mut output);
    output
}

fn bit(bytes: &[u8], i: usize) -> u64 {
    u64::from(bytes[i / 8] >> (i % 8) & 1)
}

/// The low `bits` bits, unsigned, lowest first (specification 2.4.1).
fn unsigned(bytes: &[u8], bits: usize) -> u64 {
    (0..bits).map(|i| bit(bytes, i) << i).sum()
}

/// The low `bits` bits, signed, lowest first (specification 2.4.1).
fn signed(bytes: &[u8], bits: usize) -> i64 {
    unsigned(bytes, bits - 1) as i64 - ((bit(bytes, bits - 1) as i64) << (bits - 1))
}

/// Algorithm 5.
fn model_sample_q(header: [u8; 8], seed: &[u8]) -> Vec<u64> {
    let mut stream = shake256(&[&header, seed]);
    let candidates = std::iter::from_fn(|| Some(unsigned(&squeezed(&mut stream, 7), 49)));
    candidates.filter(|&candidate| candidate < Q).take(N).collect()
}

/// Algorithm 7.
fn model_sample_u(header: [u8; 8], seed: &[u8], u: usize) -> Vec<i64> {
    let mut stream = shake256(&[&header, seed]);
    (0..N).map(|_| signed(&squeezed(&mut stream, u.div_ceil(8)), u)).collect()
}

fn check_sample_q(header: [u8; 8], seed: &[u8]) {
    let mut sampled = Poly::ZERO;
    sample_q(&mut sampled, header, seed);
    Bound(2, 1).holds(&sampled);
    assert_eq!(values(&sampled), model_sample_q(header, seed));
}

/// Seeds of the three levels.
fn seeds() -> [Vec<u8>; 3] {
    [16, 24, 32].map(|bytes| (0..bytes).map(|i| 7 * i + bytes).collect())
}

#[test]
fn shake256_around_the_rate() {
    let lengths = [0, 1, 7, 8, 135, 136, 137, 271, 272, 273, 1000];
    let input: Vec<u8> = (0..1000).map(|i| (i % 251) as u8).collect();
    for absorbed in lengths {
        for read in lengths {
            let input = &input[..absorbed];
            let mut output = vec![0; read];
            let mut xof = Shake256::new();
            xof.absorb(input);
            xof.finish();
            xof.read(&mut output);
            assert_eq!(output, squeezed(&mut shake256(&[input]), read), "{absorbed}, {read}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..config() })]

    #[test]
    fn shake256_in_parts(
        parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..RATE + 9), 0..6),
        reads in prop::collection::vec(0..RATE + 9, 0..6),
    ) {
        let mut xof = Shake256::new();
        parts.iter().for_each(|part| xof.absorb(part));
        xof.finish();
        let mut expected = shake256(&[&parts.concat()]);
        for bytes in reads {
            let mut output = vec![0; bytes];
            xof.read(&mut output);
            prop_assert_eq!(output, squeezed(&mut expected, bytes));
        }
    }

    #[test]
    fn sample_q_of_any_seed(header: [u8; 8], seed in prop::collection::vec(any::<u8>(), 32)) {
        check_sample_q(header, &seed);
    }
}

#[test]
fn sample_q_at_every_level() {
    for seed in seeds() {
        for header in [[0; 8], share_header(3, 31), [255; 8]] {
            check_sample_q(header, &seed);
        }
    }
}

#[test]
fn sample_u_at_every_width() {
    for seed in seeds() {
        for u in [4, 5, 6, 7, 39, 40, 41] {
            let header = [b'u', 3, 4, u as u8, 0, 0, 0, 0];
            let mut poly = Poly::ZERO;
            poly.row1.fill(1);
            poly.row2.fill(1);
            add_sample_u(&mut poly, header, &seed, u);
            Bound(3, 1).holds(&poly);

            let noise = model_sample_u(header, &seed, u as usize);
            let expected: Vec<u64> = noise.iter().map(|&x| modulo(i128::from(x) + 1)).collect();
            assert_eq!(values(&poly), expected, "u = {u}");
            // The samples fill their range.
            let half = 1 << (u - 1);
            assert!(noise.iter().all(|x| (-half..half).contains(x)));
            assert!(noise.iter().any(|&x| x < -half / 2) && noise.iter().any(|&x| x >= half / 2));
        }
    }
}

/// Words whose bytes are all at one end, at the other, or around a sign bit.
fn extreme_words<const BYTES: usize>() -> Vec<[u8; BYTES]> {
    let mut words = vec![[0; BYTES], [0xFF; BYTES]];
    for i in 0..8 * BYTES {
        let bit = (1u64 << i).to_le_bytes();
        let mut word = [0; BYTES];
        word.copy_from_slice(&bit[..BYTES]);
        words.extend([word, word.map(|byte| !byte)]);
    }
    words
}

fn check_add_words<const BYTES: usize>(
    add: impl Fn(&mut Poly, usize, &[[u8; BYTES]], u32),
    widths: RangeInclusive<u32>,
    added: i64,
) {
    let words = extreme_words::<BYTES>();
    let words = &words[..words.len() / 4 * 4];
    for u in widths {
        for at in [0, 5, N - words.len()] {
            let mut poly = Poly::ZERO;
            poly.row1.fill(-Q1);
            poly.row2.fill(-Q2);
            add(&mut poly, at, words, u);
            Bound(1 + added, 1).holds(&poly);
            let mut expected = vec![0; N];
            for (x, word) in expected[at..].iter_mut().zip(words) {
                *x = modulo(signed(word, u as usize).into());
            }
            assert_eq!(values(&poly), expected, "u = {u}");
        }
    }
}

#[test]
fn words_are_added_at_any_place_and_width() {
    let add_bytes = |poly: &mut Poly, at, bytes: &[[u8; 1]], u| {
        poly.add_bytes(at, bytes.as_flattened(), u);
    };
    check_add_words::<1>(add_bytes, 1..=8, 1);
    check_add_words::<5>(Poly::add_words::<5>, 33..=40, 2);
    check_add_words::<6>(Poly::add_words::<6>, 41..=48, 2);
}

#[test]
fn uniform_coefficients_around_q() {
    let top = [0, 0x7F << 49];
    let below = [0, 1, Q - (1 << 24), Q - 2, Q - 1];
    let above = [Q, Q + 1, Q | 0xFF_FFFF, Q + (1 << 24), (1 << 49) - 1];
    let word = |x: u64| <[u8; 7]>::try_from(&x.to_le_bytes()[..7]).expect("7 bytes");
    let mixed: Vec<u64> = below.into_iter().zip(above).flat_map(|(a, b)| [a, b]).collect();
    for count in 0..=mixed.len() {
        for at in [0, 3, N - count] {
            let candidates = &mixed[..count];
            let words: Vec<[u8; 7]> =
                candidates.iter().enumerate().map(|(i, &x)| word(x | top[i / 3 % 2])).collect();
            let mut poly = Poly::ZERO;
            let end = poly.set_uniform(at, &words);
            Bound(2, 1).holds(&poly);
            let kept: Vec<u64> = candidates.iter().copied().filter(|&x| x < Q).collect();
            assert_eq!(end, at + kept.len());
            let mut expected = vec![0; N];
            expected[at..end].copy_from_slice(&kept);
            assert_eq!(values(&poly), expected);
        }
    }
}

#[test]
fn expand_a_is_sample_q_transformed() {
    for seed in seeds() {
        for (row, column) in [(0, 0), (0, 6), (8, 0), (8, 6)] {
            let mut entry = Poly::ZERO;
            expand_a(&mut entry, row, column, &seed);
            Bound(9, 1).holds(&entry);
            let header = [b'A', row as u8, column as u8, 0, 0, 0, 0, 0];
            assert_eq!(values(&entry), evaluated(&model_sample_q(header, &seed)));
        }
    }
}

#[test]
fn headers_of_shares_have_the_column_first() {
    assert_eq!(share_header(2, 5), [b'K', 2, 5, 0, 0, 0, 0, 0]);
}

// ---- The challenge.

/// Algorithm 10, with the sign of the published vectors and exactly omega terms.
fn model_chal_poly(omega: usize, hash: &[u8]) -> Vec<i64> {
    let mut stream = shake256(&[&[b'c', omega as u8, 0, 0, 0, 0, 0, 0], hash]);
    let mut c = vec![0; N];
    while c.iter().filter(|&&x| x != 0).count() < omega {
        let draw = squeezed(&mut stream, 2);
        let i = unsigned(&draw, 10) as usize >> 1;
        if c[i] == 0 {
            c[i] = if bit(&draw, 0) == 1 { 1 } else { -1 };
        }
    }
    c
}

fn check_challenge<L: Level>() {
    for fill in 0..64 {
        let mut hash = L::Digest::ZERO;
        hash.as_mut().fill(fill);
        let mut c = Poly::ZERO;
        chal_poly::<L>(&mut c, &hash);
        Bound(15, 2).holds(&c);
        c.reduce();
        c.intt();

        let model = model_chal_poly(L::OMEGA, hash.as_ref());
        let plain: Vec<u64> = model.iter().map(|&x| modulo(x.into())).collect();
        assert_eq!(values(&c), scaled(&plain, R));
        assert_eq!(plain.iter().filter(|&&x| x != 0).count(), L::OMEGA);
    }
}

fn check_challenge_hash<L: Level>() {
    let mut mu = L::Digest::ZERO;
    mu.as_mut().fill(0xC3);
    let w: Vec<[u8; N]> = (0..L::K).map(|i| [i as u8; N]).collect();
    let mut hash = ChalHash::new::<L>(&mu);
    w.iter().for_each(|row| hash.absorb(row));

    let header = [b'h', L::K as u8, 0, 0, 0, 0, 0, 0];
    let mut expected = shake256(&[&header, mu.as_ref(), &w.concat()]);
    assert_eq!(hash.finish::<L>().as_ref(), squeezed(&mut expected, L::KAPPA / 4));
}

#[test]
fn challenges() {
    check_challenge::<Raccoon128>();
    check_challenge::<Raccoon192>();
    check_challenge::<Raccoon256>();
}

#[test]
fn challenge_hashes() {
    check_challenge_hash::<Raccoon128>();
    check_challenge_hash::<Raccoon192>();
    check_challenge_hash::<Raccoon256>();
}

// ---- Mask generators.

/// One element at a cursor.
fn drawn<G: MaskGenerator>(generator: &G, cursor: &mut G::Cursor, sign: Sign) -> Poly {
    let mut element = Poly::ZERO;
    generator.uniform(cursor, sign, Output::Set(&mut element));
    element
}

fn seed_of<G: MaskGenerator>(start: u8) -> Vec<u8> {
    (start..).take(G::SEED_BYTES).collect()
}

fn check_residues_in_range<G: MaskGenerator>() {
    let (generator, [mut cursor, _]) = G::from_seed(&seed_of::<G>(1));
    for _ in 0..100 {
        let element = drawn(&generator, &mut cursor, Sign::Plus);
        assert!(element.row1.iter().all(|x| (0..Q1).contains(x)));
        assert!(element.row2.iter().all(|x| (0..Q2).contains(x)));
    }
}

/// The first elements of the refresh sequence of a seed.
fn first_elements<G: MaskGenerator>(seed: u8) -> Vec<Vec<u64>> {
    let (generator, [mut cursor, _]) = G::from_seed(&seed_of::<G>(seed));
    (0..5).map(|_| values(&drawn(&generator, &mut cursor, Sign::Plus))).collect()
}

/// Equal seeds and equal cursors give equal elements; other seeds and places do not.
fn check_replay<G: MaskGenerator>() {
    let elements = first_elements::<G>(2);
    assert_eq!(first_elements::<G>(2), elements);
    for (element, other) in elements.iter().zip(first_elements::<G>(3)) {
        assert_ne!(*element, other);
        assert_eq!(elements.iter().filter(|other| *other == element).count(), 1);
    }

    let (generator, [mut cursor, _]) = G::from_seed(&seed_of::<G>(2));
    for element in elements {
        let mut kept = cursor.clone();
        assert_eq!(values(&drawn(&generator, &mut cursor, Sign::Plus)), element);
        assert_eq!(values(&drawn(&generator, &mut kept, Sign::Plus)), element);
    }
}

fn check_signs<G: MaskGenerator>() {
    let (generator, [cursor, _]) = G::from_seed(&seed_of::<G>(4));
    let (mut once, mut again) = (cursor.clone(), cursor);
    let mut sum = drawn(&generator, &mut once, Sign::Plus);
    generator.uniform(&mut again, Sign::Minus, Output::Add(&mut sum));
    assert!(sum.row1 == [0; N] && sum.row2 == [0; N]);
    // Both left the cursor at the same place.
    let next = drawn(&generator, &mut once, Sign::Plus);
    assert_eq!(values(&next), values(&drawn(&generator, &mut again, Sign::Plus)));
}

/// No lane pair of the first elements of the two sequences is the same, and drawing from
/// one does not move the other.
fn check_sequences<G: MaskGenerator>() {
    let (generator, [mut refresh, mut compress]) = G::from_seed(&seed_of::<G>(5));
    let untouched = refresh.clone();
    let pairs = |poly: Poly| poly.row1.into_iter().zip(poly.row2);
    let draw = |cursor: &mut G::Cursor| drawn(&generator, cursor, Sign::Plus);
    let compressed: Vec<_> = (0..20).flat_map(|_| pairs(draw(&mut compress))).collect();
    let refreshed: Vec<_> = (0..20).flat_map(|_| pairs(draw(&mut refresh))).collect();
    let seen: std::collections::HashSet<_> = compressed.into_iter().collect();
    assert!(refreshed.iter().all(|pair| !seen.contains(pair)));
    let first: Vec<_> = pairs(draw(&mut untouched.clone())).collect();
    assert_eq!(first, refreshed[..N]);
}

/// 64 bins, 63 degrees of freedom: a uniform sequence is outside these limits once in
/// some ten thousand seeds, and the seed is fixed.
fn check_distribution<G: MaskGenerator>() {
    const BINS: usize = 64;
    const ELEMENTS: usize = 256;
    let (generator, [mut cursor, _]) = G::from_seed(&seed_of::<G>(6));
    let mut counts = [[0u32; BINS]; 2];
    for _ in 0..ELEMENTS {
        let element = drawn(&generator, &mut cursor, Sign::Plus);
        for i in 0..N {
            counts[0][(element.row1[i] as u64 * BINS as u64 / Q1 as u64) as usize] += 1;
            counts[1][(element.row2[i] as u64 * BINS as u64 / Q2 as u64) as usize] += 1;
        }
    }
    let expected = (ELEMENTS * N / BINS) as f64;
    for row in counts {
        let deviation = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
        let chi_squared: f64 = row.iter().map(deviation).sum();
        assert!((28.0..116.0).contains(&chi_squared), "{chi_squared}");
    }
}

fn check_generator<G: MaskGenerator>() {
    check_residues_in_range::<G>();
    check_replay::<G>();
    check_signs::<G>();
    check_sequences::<G>();
    check_distribution::<G>();
}

#[test]
fn chacha8_masks() {
    check_generator::<ChaCha8>();
}

#[test]
fn lfsr127_masks() {
    check_generator::<Lfsr127>();
}

/// The first two lane pairs of a shift register whose first word is `first` and whose bits
/// below the 64 that decide it are `low`.
fn first_pairs(first: u64, low: u64) -> [(i32, i32); 2] {
    // Backwards through one step: bits 63 to 126 of the state become the word, but for the
    // feedback of bit 126 into its lowest bit.
    let state = u128::from(first ^ first >> 63) << 63 | u128::from(low);
    let (generator, [mut cursor, _]) = Lfsr127::from_seed(&[state.to_le_bytes(); 2].concat());
    let element = drawn(&generator, &mut cursor, Sign::Plus);
    [0, 1].map(|i| (element.row1[i], element.row2[i]))
}

/// The largest residues are kept; words with one residue that is too large are not, nor
/// is what was drawn together with them.
#[test]
fn residues_at_the_ends_of_their_range() {
    for garbage in [0, 0x7F_0000_00FF] {
        let word = |a: i32, b: i32| (a as u64) << 8 | (b as u64) << 39 | garbage;
        // As the first word; the second is then 0 or 1. And as the second; the first is
        // then 0 but for bit 63.
        let pairs = |word: u64| {
            let bit63 = (word ^ word >> 63) << 63;
            [first_pairs(word, word & (u64::MAX >> 1)), first_pairs(bit63, word >> 1)]
        };
        for (a, b) in [(0, 1), (Q1 - 1, 0), (0, Q2 - 1), (Q1 - 1, Q2 - 1)] {
            let [first, second] = pairs(word(a, b));
            assert_eq!((first[0], first[1]), ((a, b), (0, 0)));
            assert_eq!(second[1], (a, b));
        }
        for (a, b) in [(Q1, 1), (1, Q2), (Q1, Q2)] {
            for pair in pairs(word(a, b)).concat() {
                assert!(pair.0 != a && pair.1 != b && pair.0 < Q1 && pair.1 < Q2);
                assert_ne!(pair, (0, 0));
            }
        }
    }
}

/// The words of a block of ChaCha8, four for two coefficients. A residue mod q1 or q2 takes
/// 24 or 25 high bits of a word; what is left of words makes other words.
fn model_groups(words: [u32; 16]) -> [[u32; 4]; 5] {
    // Low bits of words, one behind the other; the eight lowest bits do not matter.
    let joined = |pieces: &[(usize, u32)]| {
        let bits = pieces.iter().fold(0, |sum, &(i, bits)| (sum << bits) + words[i] % (1 << bits));
        bits << 8
    };
    let left = |i| joined(&[(i, 8), (i + 2, 8), (i + 1, 4), (i + 3, 4)]);
    let rest = joined(&[(0, 6), (1, 6), (6, 6), (7, 6)]);
    let direct = |i| core::array::from_fn(|k| words[i + k]);
    [
        direct(12),
        direct(8),
        [left(12), words[0], left(8), words[1]],
        direct(2),
        [left(2), words[6], rest, words[7]],
    ]
}

/// ChaCha8 of another crate, from the block counter 0 of a nonce.
#[test]
fn chacha8_is_chacha8() {
    let seed: [u8; 32] = core::array::from_fn(|i| 3 * i as u8 + 1);
    let (generator, starts) = ChaCha8::from_seed(&seed);
    for (mut cursor, first_nonce) in starts.into_iter().zip([0, 1 << 63]) {
        for nonce in first_nonce..first_nonce + 4 {
            let mut words = ChaCha8Rng::from_seed(seed);
            words.set_stream(nonce);
            let blocks = core::iter::repeat_with(|| core::array::from_fn(|_| words.next_u32()));
            let mut pairs = blocks
                .flat_map(model_groups)
                .map(|[a, b, c, d]| [a >> 8, b >> 7, c >> 8, d >> 7].map(|x| x as i32))
                .filter(|residues| residues.iter().zip([Q1, Q2, Q1, Q2]).all(|(x, q)| *x < q));
            let element = drawn(&generator, &mut cursor, Sign::Plus);
            for i in (0..N).step_by(2) {
                let lanes = [&element.row1, &element.row2].map(|row| [row[i], row[i + 1]]);
                let [a, b, c, d] = pairs.next().expect("an endless sequence");
                assert_eq!(lanes, [[a, c], [b, d]]);
            }
        }
    }
}

// ---- Rounding, bounds and packing.

/// floor(x / 2^nu + 1/2) mod floor(q / 2^nu).
fn model_round_shift(x: u64, nu: u32) -> u64 {
    let (x, unit) = (u128::from(x), 1u128 << nu);
    ((2 * x + unit) / (2 * unit) % (u128::from(Q) / unit)) as u64
}

#[test]
fn rounding_at_every_edge() {
    for (nu, modulus) in [(NU_T, Q_T), (NU_W, Q_W)] {
        let half = 1 << (nu - 1);
        let edges = (0..=2 * modulus + 1).flat_map(|k| {
            let edge = k * half;
            [edge.saturating_sub(1), edge, edge + 1]
        });
        for x in edges.chain([Q - 2, Q - 1]).filter(|&x| x < Q) {
            let rounded = round_shift(x, nu);
            assert!(rounded < modulus);
            assert_eq!(rounded, model_round_shift(x, nu), "{x} / 2^{nu}");
        }
        assert_eq!(round_shift(half - 1, nu), 0);
        assert_eq!(round_shift(half, nu), 1);
        // What would round to the modulus, up to q - 1, is zero.
        assert_eq!(round_shift(modulus * 2 * half - half - 1, nu), modulus - 1);
        assert_eq!(round_shift(modulus * 2 * half - half, nu), 0);
        assert_eq!(round_shift(Q - 1, nu), 0);
    }
}

#[test]
fn centring_mod_q() {
    let q = Q as i64;
    for (x, centred) in [(0, 0), (1, 1), (q / 2, q / 2), (q / 2 + 1, -(q / 2)), (q - 1, -1)] {
        assert_eq!(centre_q(x as u64), centred);
    }
}

#[test]
fn reductions_mod_q_w_over_their_whole_range() {
    for x in 0..2 * Q_W as u32 {
        let centred = centre_w(x);
        assert!((-15..=15).contains(&centred));
        assert_eq!((centred - x as i32) % Q_W as i32, 0);
    }
    let q_w = Q_W as i32;
    for x in -q_w..2 * q_w {
        assert_eq!(reduce_w(x), x.rem_euclid(q_w) as u32);
    }
}

/// Rounding a polynomial, or a part of it, is rounding its coefficients.
fn check_rounding(poly: &Poly) {
    for nu in [NU_T, NU_W] {
        let expected: Vec<u64> =
            values(poly).into_iter().map(|x| model_round_shift(x, nu)).collect();
        for (at, count) in [(0, N), (0, 64), (3, 2), (N - 64, 64), (N, 0)] {
            let mut rounded = vec![0; count];
            poly.round(at, nu, &mut rounded);
            let rounded: Vec<u64> = rounded.into_iter().map(u64::from).collect();
            assert_eq!(rounded, expected[at..at + count]);
        }
    }
}

#[test]
fn rounding_polynomials_at_every_edge() {
    let half = 1 << (NU_T - 1);
    let edges = (0..=2 * Q_T).flat_map(|k| [(k * half).saturating_sub(1), k * half]);
    let mut poly = Poly::ZERO;
    for (i, x) in edges.chain([Q - 2, Q - 1]).enumerate() {
        poly.set(i, x as i64);
    }
    check_rounding(&poly);
    // The same in other lanes of the same residues.
    for lane in &mut poly.row1 {
        *lane -= 60 * Q1;
    }
    for lane in &mut poly.row2 {
        *lane += 60 * Q2;
    }
    check_rounding(&poly);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..config() })]

    #[test]
    fn rounding_polynomials(a in any::<[i32; 4]>(), b in any::<[i32; 4]>()) {
        let mut poly = Poly::ZERO;
        for i in 0..N {
            (poly.row1[i], poly.row2[i]) = (a[i % 4], b[i / 4 % 4]);
        }
        check_rounding(&poly);
    }

    #[test]
    fn rounding_and_centring(x in 0..Q) {
        prop_assert_eq!(round_shift(x, NU_T), model_round_shift(x, NU_T));
        prop_assert_eq!(round_shift(x, NU_W), model_round_shift(x, NU_W));
        let centred = centre_q(x);
        prop_assert!(centred.unsigned_abs() <= Q / 2);
        prop_assert_eq!(modulo(centred.into()), x);
    }

    #[test]
    fn packing(values in prop::collection::vec(any::<u64>(), N)) {
        for bits in [T_BITS, Q_BITS] {
            check_packing(&values, bits);
        }
    }
}

/// Packed bits are those of the values, one value behind the other, and unpack to them.
fn check_packing(values: &[u64], bits: u32) {
    let values: Vec<u64> = values.iter().map(|x| x % (1 << bits)).collect();
    let mut packed = vec![0; N * bits as usize / 8];
    pack(&mut packed, bits, |i| values[i]);
    for (i, value) in values.iter().enumerate() {
        for b in 0..bits as usize {
            assert_eq!(bit(&packed, i * bits as usize + b), value >> b & 1);
        }
    }
    let mut unpacked = vec![];
    unpack(&packed, bits, |i, x| {
        assert_eq!(i, unpacked.len());
        unpacked.push(x);
    });
    assert_eq!(unpacked, values);

    let limit = values[N / 2];
    let first = values.iter().position(|&x| x >= limit);
    assert_eq!(first_not_below(&packed, bits, limit), first);
    assert_eq!(first_not_below(&packed, bits, 1 << bits), None);
}

#[test]
fn packing_extremes() {
    for bits in [T_BITS, Q_BITS] {
        check_packing(&[0; N], bits);
        check_packing(&[u64::MAX; N], bits);
        let alternating: Vec<u64> = (0..N).map(|i| u64::MAX * (i as u64 % 2)).collect();
        check_packing(&alternating, bits);
    }
}

/// Values of z whose scaled squares sum to `total`: the largest square first.
fn squares_summing_to(mut total: u64) -> Vec<i64> {
    let mut z = vec![];
    while total > 0 {
        let root = total.isqrt().min(0x1FFF);
        total -= root * root;
        z.push((root << 32) as i64);
    }
    z
}

fn check_bounds<L: Level>() {
    let (h, z) = (L::H_INF as i32, L::B_INF as i64);
    for (h, z) in [(h, z), (-h, -z)] {
        assert!(CheckBounds::<L>::new().hint(h));
        assert!(!CheckBounds::<L>::new().hint(h + h.signum()));
        assert!(CheckBounds::<L>::new().response(z));
        assert!(!CheckBounds::<L>::new().response(z + z.signum()));
    }
    // H_INF is B_inf / 2^nu_w, rounded.
    assert_eq!(L::H_INF, (2 * L::B_INF + (1 << NU_W)) / (2 << NU_W));

    // The norm: at its bound, and one above. One hint of 1 counts 2^(2 nu_w - 64).
    let norm = |rest: u64| {
        let mut bounds = CheckBounds::<L>::new();
        assert!(bounds.hint(-1));
        for z in squares_summing_to(rest) {
            // What is below 2^32 does not count.
            assert!(bounds.response(-(z | 0xFFFF_FFFF)));
        }
        bounds.check()
    };
    let rest = L::B22 - (1 << (2 * NU_W - 64));
    assert_eq!(norm(rest), Ok(()));
    assert_eq!(norm(rest + 1), Err(Error::Norm));
}

#[test]
fn bounds_of_signatures() {
    check_bounds::<Raccoon128>();
    check_bounds::<Raccoon192>();
    check_bounds::<Raccoon256>();
}

/// A signature with the largest coefficients of both signs among zeros and random ones
/// decodes to what was written.
fn check_signature_encoding<L: Level>() {
    let mut rng = ChaCha8Rng::from_seed([9; 32]);
    let mut h = vec![0; L::K * N];
    let mut z = vec![0; L::ELL * N];
    for z in z.iter_mut().step_by(3) {
        *z = (rng.next_u64() as i64) >> (64 - 40);
    }
    let (h_most, z_most) = (L::H_INF as i32, L::B_INF as i64);
    h[..4].copy_from_slice(&[h_most, -h_most, 1, -1]);
    z[..6].copy_from_slice(&[z_most, -z_most, 1, -1, 1 << 40, -(1 << 40)]);
    (h[L::K * N - 1], z[L::ELL * N - 1]) = (-h_most, -z_most);

    let mut challenge = L::Digest::ZERO;
    challenge.as_mut().fill(0x5A);
    let mut candidate = Candidate::<L>::new();
    h.iter().for_each(|&h| candidate.hint(h).expect("a hint in bounds"));
    z.iter().for_each(|&z| candidate.response(z).expect("a response in bounds"));
    candidate.check().expect("a signature in bounds");
    let mut signature = vec![];
    let emit = |piece: &[u8]| signature.extend_from_slice(piece);
    let mut writer = SignatureWriter::<L, _>::new(&challenge, emit);
    h.iter().for_each(|&h| writer.hint(h));
    z.iter().for_each(|&z| writer.response(z));
    writer.finish();

    assert_eq!(signature.len(), L::SIGNATURE_BYTES);
    assert_eq!(&signature[..L::KAPPA / 4], challenge.as_ref());
    let mut decoded = vec![];
    let mut hints = decode_signature::<L>(&signature, |m, n, z| {
        assert_eq!(m * N + n, decoded.len());
        decoded.push(z);
    })
    .expect("a valid encoding");
    assert_eq!(decoded, z);
    for h in h {
        assert!(matches!(hints.hint(L::H_INF), Ok(found) if found == h));
    }
}

#[test]
fn signature_encodings() {
    check_signature_encoding::<Raccoon128>();
    check_signature_encoding::<Raccoon192>();
    check_signature_encoding::<Raccoon256>();
}
