//! Probing security of the shipped masked gadgets, over tiny rings.
//!
//! A secret is cut into d shares, any d - 1 of which are uniformly random. An observer who
//! reads any t = d - 1 intermediate values of a computation should still know nothing of
//! the secret: that is *t-probing security*. It is a property of the set of
//! intermediate values; in which order they are computed does not enter.
//!
//! The gadgets are generic over the ring, and here they run over rings that record every
//! value (`probing/run.rs` says what counts as one). Three things are shown:
//! 1. Streamed, share by share, they compute *the same values* as the algorithms of the
//!    specification, which handle all shares of a secret at once: so what is proved of
//!    these algorithms is true of the streamed ones.
//! 2. By counting over all secrets, sharings and masks in Z_2 and Z_3: no d - 1 values
//!    depend on the secret. Some of it is counted for lazily reduced integers, too, which
//!    show more than the residues that they stand for.
//! 3. By linear algebra over the primes of Raccoon itself: t probes depend on no more than
//!    t shares and t noise values, which is what lets gadgets be composed.
//!
//! Each check is run on faulty code, too, and has to find the fault.

#[path = "probing/exhaustion.rs"]
mod exhaustion;
#[path = "probing/faulty.rs"]
mod faulty;
#[path = "probing/gadgets.rs"]
mod gadgets;
#[path = "probing/generator.rs"]
mod generator;
#[path = "probing/linear.rs"]
mod linear;
#[path = "probing/run.rs"]
mod run;
#[path = "probing/specification.rs"]
mod specification;
#[path = "probing/streamed.rs"]
mod streamed;

use exhaustion::{Exhaustion, Outcome};
use faulty::{compress_early, noise_without_refresh, respond_without};
use gadgets::{Gadgets, Sharing, Signing};
use generator::{COMPRESSION, Fault};
use linear::{Observer, symbolic_run};
use raccoon_dsa::masking::Element;
use raccoon_dsa::params::{Q1, Q2};
use run::{Event, Lane, Number, Run, Value, Variable, Wire};
use specification::{Specification, decode};
use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use streamed::Streamed;

/// Small moduli, and a prime so large that values are not equal by accident.
const MODULI: [u32; 4] = [5, 7, 251, LARGE_PRIME];
const LARGE_PRIME: u32 = (1 << 31) - 1;
const SHARES: [usize; 5] = [2, 4, 8, 16, 32];
/// The primes that polynomials are kept modulo.
const RACCOON_PRIMES: [u32; 2] = [Q1 as u32, Q2 as u32];

/// The repetitions of the noise that the parameter sets have (table 3).
fn repetitions(shares: usize) -> usize {
    match shares {
        4 | 16 => 2,
        _ => 4,
    }
}

// ---- 1. The same values, in another order.

/// The multiset of the intermediate values of a run with pseudorandom variables.
fn values(modulus: u32, seed: u32, code: impl Fn(&Run<u32>)) -> Vec<Event<u32>> {
    let run = Run::new(modulus, move |_, variable| {
        let mut hasher = DefaultHasher::new();
        (seed, variable).hash(&mut hasher);
        (hasher.finish() % u64::from(modulus)) as u32
    });
    code(&run);
    let mut events = run.events();
    events.sort();
    events
}

/// Asserts that a computation has the same values in both orders.
fn assert_same_values(computation: impl Fn(&mut dyn Gadgets<'_, u32>)) {
    for modulus in MODULI {
        for shares in SHARES {
            for seed in 0..3 {
                let streamed =
                    values(modulus, seed, |run| computation(&mut Streamed::new(run, shares)));
                let specified =
                    values(modulus, seed, |run| computation(&mut Specification::new(run, shares)));
                assert!(streamed == specified, "values differ: {shares} shares modulo {modulus}");
            }
        }
    }
}

/// The shares of input `name`.
fn input<'r, V: Value>(gadgets: &dyn Gadgets<'r, V>, name: char) -> Sharing<'r, V> {
    gadgets.run().sharing((name, 0), gadgets.shares())
}

fn refresh_input(gadgets: &mut dyn Gadgets<'_, u32>) {
    let x = input(gadgets, 'x');
    gadgets.refresh(&x);
}

fn add_noise_to_input(gadgets: &mut dyn Gadgets<'_, u32>) {
    let v = input(gadgets, 'v');
    gadgets.add_rep_noise(&v, ('u', 0), repetitions(gadgets.shares()));
}

fn compress_input(gadgets: &mut dyn Gadgets<'_, u32>) {
    let s = input(gadgets, 's');
    gadgets.mask_compress(&s);
}

fn respond_to_input(gadgets: &mut dyn Gadgets<'_, u32>) {
    let s = input(gadgets, 's');
    let x = gadgets.run().draw(Variable::Share(('r', 0), 0));
    gadgets.respond(&s, &x, &gadgets.run().constant(3));
}

fn refresh_stored_key(gadgets: &mut dyn Gadgets<'_, u32>) {
    let s = input(gadgets, 's');
    gadgets.refresh_key(&s);
}

/// Signing with three rows and two columns.
fn sign_with_input(gadgets: &mut dyn Gadgets<'_, u32>) {
    let key: Vec<_> = (0..2).map(|m| gadgets.run().sharing(('s', m), gadgets.shares())).collect();
    let a = vec![vec![2, 3], vec![4, 1], vec![6, 2]];
    gadgets.sign(&Signing { a, c: 3, rep: repetitions(gadgets.shares()) }, &key);
}

#[test]
fn streamed_zero_encoding_has_the_values_of_algorithm_12() {
    assert_same_values(|gadgets| {
        gadgets.zero_encoding();
    });
}

#[test]
fn streamed_refresh_has_the_values_of_algorithm_11() {
    assert_same_values(refresh_input);
}

#[test]
fn streamed_noise_has_the_values_of_algorithm_8() {
    assert_same_values(add_noise_to_input);
}

#[test]
fn streamed_compression_has_the_values_of_algorithm_14() {
    assert_same_values(compress_input);
}

#[test]
fn streamed_response_has_the_values_of_algorithm_2_lines_12_to_16() {
    assert_same_values(respond_to_input);
}

#[test]
fn streamed_key_refreshing_has_the_values_of_algorithms_11_and_14() {
    assert_same_values(refresh_stored_key);
}

/// All that is masked in signing, composed as the signer composes it. The specification's
/// side is Algorithm 2 with one step more: Algorithm 14 on r, between lines 5 and 6.
#[test]
fn streamed_signing_has_the_values_of_algorithm_2_with_r_compressed() {
    assert_same_values(sign_with_input);
}

/// Asserts that code with a fault has other values than the specification has.
fn assert_other_values(
    shares: usize,
    faulty: impl Fn(&mut Streamed<'_, u32>),
    computation: impl Fn(&mut dyn Gadgets<'_, u32>),
    fault: Fault,
) {
    let faulty =
        values(LARGE_PRIME, 0, |run| faulty(&mut Streamed::with_fault(run, shares, fault)));
    let sound = values(LARGE_PRIME, 0, |run| computation(&mut Specification::new(run, shares)));
    assert!(faulty != sound, "unnoticed at {shares} shares, generators with {fault:?}");
}

#[test]
fn a_reused_mask_changes_the_values() {
    type Computation = fn(&mut dyn Gadgets<'_, u32>);
    let computations: [Computation; 5] =
        [refresh_input, add_noise_to_input, respond_to_input, refresh_stored_key, sign_with_input];
    for fault in [Fault::StuckCursor, Fault::WrongReplay, Fault::SharedSeed] {
        for computation in computations {
            for shares in [4, 8, 16, 32] {
                assert_other_values(shares, |faulty| computation(faulty), computation, fault);
            }
        }
    }
    // Two shares have one generator.
    for fault in [Fault::StuckCursor, Fault::WrongReplay] {
        for computation in [add_noise_to_input, respond_to_input, sign_with_input] {
            assert_other_values(2, |faulty| computation(faulty), computation, fault);
        }
    }
}

/// The shares of a compressed input: x, E_1, ..., E_{d-1}.
fn compressed_input<'r, V: Value>(gadgets: &dyn Gadgets<'r, V>, name: char) -> Sharing<'r, V> {
    let mut shares = vec![gadgets.run().draw(Variable::Share((name, 0), 0))];
    let masks = (1..gadgets.shares()).map(|j| Variable::Mask(j - 1, COMPRESSION));
    shares.extend(masks.map(|mask| gadgets.run().draw(mask)));
    shares
}

#[test]
fn a_refresh_left_out_changes_the_values() {
    for shares in SHARES {
        let noise = |streamed: &mut Streamed<'_, u32>| {
            let v = input(streamed, 'v');
            noise_without_refresh(streamed, &v, ('u', 0), repetitions(shares));
        };
        assert_other_values(shares, noise, add_noise_to_input, Fault::None);

        let response = |run: &Run<u32>, line| {
            let mut streamed = Streamed::new(run, shares);
            let (s, r) = (input(&streamed, 's'), compressed_input(&streamed, 'r'));
            respond_without(line, &mut streamed, &s, &r, &run.constant(3));
        };
        let sound = values(LARGE_PRIME, 0, |run| respond_to_input(&mut Streamed::new(run, shares)));
        assert!(values(LARGE_PRIME, 0, |run| response(run, None)) == sound);
        for line in [12, 13, 15] {
            let faulty = values(LARGE_PRIME, 0, |run| response(run, Some(line)));
            assert!(faulty != sound, "unnoticed at {shares} shares: no line {line}");
        }
    }
}

#[test]
fn shares_combined_early_change_the_values() {
    for shares in SHARES {
        let early = |streamed: &mut Streamed<'_, u32>| {
            let s = input(streamed, 's');
            compress_early(streamed, &s);
        };
        assert_other_values(shares, early, compress_input, Fault::None);
    }
}

// ---- 2. Counting over all secrets, sharings and masks.

/// What the shares of a sharing sum up to.
fn secret<V: Number>(shares: &[Wire<'_, V>]) -> u32 {
    let modulus = shares[0].run.modulus();
    shares.iter().map(|share| share.value.residue(modulus)).sum::<u32>() % modulus
}

/// All runs of code that handles the input x of `shares` shares and has no public result.
fn exhausted<V: Number>(
    modulus: u32,
    shares: usize,
    fault: Fault,
    code: impl for<'r> Fn(&mut Streamed<'r, V>, &[Wire<'r, V>]),
) -> Exhaustion {
    Exhaustion::of(modulus, |run| {
        let mut streamed = Streamed::with_fault(run, shares, fault);
        let x = input(&streamed, 'x');
        code(&mut streamed, &x);
        Outcome { secret: secret(&x), public: 0 }
    })
}

/// Asserts that any d - 1 probes show nothing of the secret; some d probes, such as all
/// shares, do.
fn assert_secure<V: Number>(code: impl for<'r> Fn(&mut Streamed<'r, V>, &[Wire<'r, V>])) {
    for modulus in [2, 3] {
        for shares in [2, 4] {
            let all = exhausted(modulus, shares, Fault::None, &code);
            assert_eq!(all.fewest_leaking_probes(shares), Some(shares), "{shares} mod {modulus}");
        }
    }
}

fn refresh<'r, V: Value>(streamed: &mut Streamed<'r, V>, x: &[Wire<'r, V>]) {
    streamed.refresh(x);
}

fn compress<'r, V: Value>(streamed: &mut Streamed<'r, V>, s: &[Wire<'r, V>]) {
    streamed.mask_compress(s);
}

#[test]
fn counting_finds_refresh_secure() {
    assert_secure::<u32>(refresh);
    assert_secure::<Lane>(refresh);
}

#[test]
fn counting_finds_compression_secure() {
    assert_secure::<u32>(compress);
    assert_secure::<Lane>(compress);
}

/// The response z = c s + r is public, and r, uniform here, hides s: given z, no d - 1
/// probes show more of s.
#[test]
fn counting_finds_the_response_secure() {
    fn check<V: Number>() {
        for (modulus, c) in [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)] {
            let all = Exhaustion::of(modulus, |run: &Run<V>| {
                let mut streamed = Streamed::new(run, 2);
                let (s, r) = (input(&streamed, 's'), compressed_input(&streamed, 'r'));
                let z = streamed.respond(&s, &r[0], &run.constant(c));
                let public = z.value.residue(modulus);
                assert_eq!(public, (c * secret(&s) + secret(&r)) % modulus);
                Outcome { secret: secret(&s), public }
            });
            assert_eq!(all.fewest_leaking_probes(2), Some(2), "c = {c} mod {modulus}");
        }
    }
    check::<u32>();
    check::<Lane>();
}

/// Runs code that refreshes the sum of two secrets, reduces its shares or not, and decodes
/// it: whether d - 1 probes show, given the sum, more of the first secret.
fn decoding_leaks<V: Number>(modulus: u32, shares: usize, reduce: bool) -> bool {
    let all = Exhaustion::of(modulus, |run: &Run<V>| {
        let mut streamed = Streamed::new(run, shares);
        let (a, b) = (input(&streamed, 'a'), input(&streamed, 'b'));
        let sum: Sharing<'_, V> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        let mut sum = streamed.refresh(&sum);
        if reduce {
            sum.iter_mut().for_each(Element::reduce);
        }
        let public = decode(&sum).value.residue(modulus);
        Outcome { secret: secret(&a), public }
    });
    all.fewest_leaking_probes(shares - 1).is_some()
}

/// The signer reduces every share before it decodes, and lazy lanes need it.
#[test]
fn counting_finds_decoding_after_a_refresh_secure() {
    for (modulus, shares) in [(2, 2), (3, 2), (2, 4)] {
        assert!(!decoding_leaks::<u32>(modulus, shares, false));
        assert!(!decoding_leaks::<Lane>(modulus, shares, true));
        assert!(decoding_leaks::<Lane>(modulus, shares, false));
    }
}

/// One probe on AddRepNoise depends on one noise value, on lazy lanes as well.
#[test]
fn counting_finds_one_noise_value_behind_one_probe() {
    const NOISE: usize = 4;
    fn check<V: Number>() {
        for modulus in [2, 3] {
            let all = Exhaustion::of(modulus, |run: &Run<V>| {
                for (rep, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    run.draw(Variable::Noise(('u', 0), rep, j));
                }
                let mut streamed = Streamed::new(run, 2);
                let v = input(&streamed, 'v');
                streamed.add_rep_noise(&v, ('u', 0), 2);
                Outcome { secret: 0, public: 0 }
            });
            for probe in 0..all.positions() {
                assert!(all.dependence(&[probe], NOISE).count_ones() <= 1, "{probe} {modulus}");
            }
        }
    }
    check::<u32>();
    check::<Lane>();
}

/// A key is used, refreshed, and used again. Each use is read by d - 1 probes; probes inside
/// the refresh are counted with both uses.
fn leak_over_two_uses(
    modulus: u32,
    shares: usize,
    refresh: impl for<'r> Fn(&mut Streamed<'r, u32>, &[Wire<'r, u32>]) -> Sharing<'r, u32>,
) -> Option<Vec<usize>> {
    let uses = RefCell::default();
    let all = exhausted::<u32>(modulus, shares, Fault::None, |streamed, x| {
        let refreshed = refresh(streamed, x);
        *uses.borrow_mut() = [x, &refreshed]
            .map(|x| x.iter().filter_map(|share| share.event).collect::<Vec<usize>>());
    });
    let [first, second] = uses.into_inner();
    all.leak(|probes| {
        let count = |in_first, in_second| {
            let is = |probe| [first.contains(probe), second.contains(probe)];
            probes.iter().filter(|&probe| is(probe) == [in_first, in_second]).count()
        };
        let inside = count(false, false);
        let room = [count(true, false), count(false, true)]
            .map(|own| (shares - 1).checked_sub(inside + own));
        // A share that both uses have can be read in the one where there is room.
        matches!(room, [Some(a), Some(b)] if count(true, true) <= a + b)
    })
}

#[test]
fn counting_finds_a_refreshed_key_secure_and_another_not() {
    for modulus in [2, 3] {
        for shares in [2, 4] {
            assert_eq!(
                leak_over_two_uses(modulus, shares, |streamed, x| streamed.refresh(x)),
                None
            );
            let leak = leak_over_two_uses(modulus, shares, |_, x| x.to_vec());
            assert!(leak.is_some(), "{shares} shares mod {modulus}");
        }
    }
}

#[test]
fn counting_finds_what_is_not_masked() {
    for modulus in [2, 3] {
        let all = Exhaustion::of::<u32>(modulus, |run| {
            let mut streamed = Streamed::new(run, 2);
            let secret = run.draw(Variable::Share(('x', 0), 0));
            streamed.refresh(&[secret.clone(), run.constant(0)]);
            Outcome { secret: secret.value, public: 0 }
        });
        assert_eq!(all.fewest_leaking_probes(1), Some(1));
    }
}

/// With E_1 = E_2 = E_3 the compressed secret is x = s - 3 E.
#[test]
fn counting_finds_a_reused_mask() {
    let fewest = |modulus| {
        let all = exhausted::<u32>(modulus, 4, Fault::SharedSeed, |streamed, x| {
            streamed.mask_compress(x);
        });
        all.fewest_leaking_probes(3)
    };
    assert_eq!([fewest(2), fewest(3)], [Some(2), Some(1)]);
}

#[test]
fn counting_finds_shares_combined_early() {
    for modulus in [2, 3] {
        for (shares, fewest) in [(2, 1), (4, 3)] {
            let all = exhausted::<u32>(modulus, shares, Fault::None, |streamed, x| {
                compress_early(streamed, x);
            });
            assert_eq!(all.fewest_leaking_probes(shares), Some(fewest));
        }
    }
}

// ---- 3. Linear algebra over the real primes.

/// Shares and noise belong to their vectors; everything else drawn is a mask.
fn by_vector(variable: Variable) -> Option<char> {
    match variable {
        Variable::Share((vector, _), _) | Variable::Noise((vector, _), _, _) => Some(vector),
        Variable::Mask(..) => None,
    }
}

/// Refreshes an input, whose refreshed shares may not tell anything.
fn observed_refresh<const W: usize>(prime: u32, shares: usize, fault: Fault) -> Observer<W> {
    let run = symbolic_run(prime);
    let mut streamed = Streamed::with_fault(&run, shares, fault);
    let x = input(&streamed, 'x');
    let refreshed = streamed.refresh(&x);
    Observer::new(&run, by_vector).with_free_outputs(&refreshed)
}

/// d - 1 probes depend on at most as many shares as there are probes on anything but the
/// output: so values before a refresh and values behind it can be probed independently.
#[test]
fn refresh_is_strongly_non_interfering() {
    for prime in RACCOON_PRIMES {
        for shares in [2, 4, 8] {
            let observer = observed_refresh::<21>(prime, shares, Fault::None);
            assert_eq!(observer.telling_probes(shares - 1), None, "{shares} shares mod {prime}");
        }
    }
    for fault in [Fault::StuckCursor, Fault::SharedSeed] {
        let observer = observed_refresh::<21>(LARGE_PRIME, 4, fault);
        assert!(observer.telling_probes(3).is_some(), "{fault:?}");
    }
}

/// t probes depend on at most t shares. With two shares compression is as good as a refresh;
/// with more it is not, because x + E_1 can be a sum of two shares.
#[test]
fn compression_is_non_interfering() {
    for prime in RACCOON_PRIMES {
        for shares in [2, 4, 8] {
            let run = symbolic_run::<21>(prime);
            let mut streamed = Streamed::new(&run, shares);
            let s = input(&streamed, 's');
            let mut outputs = vec![streamed.mask_compress(&s)];
            outputs.extend((1..shares).map(|j| run.draw(Variable::Mask(j - 1, COMPRESSION))));
            let observer = Observer::new(&run, by_vector);
            assert_eq!(observer.telling_probes(shares - 1), None, "{shares} shares mod {prime}");

            let observer = observer.with_free_outputs(&outputs);
            assert_eq!(observer.telling_probes(shares - 1).is_none(), shares == 2);
        }
    }
    let run = symbolic_run::<21>(LARGE_PRIME);
    let mut streamed = Streamed::new(&run, 2);
    let s = input(&streamed, 's');
    compress_early(&mut streamed, &s);
    assert!(Observer::new(&run, by_vector).telling_probes(1).is_some());
}

/// The claim of specification 4.2.1 and its figure 7: t probes on AddRepNoise depend on at
/// most t noise values, and without its refreshes on more.
#[test]
fn probes_on_the_noise_show_one_noise_value_each() {
    let telling = |prime, shares, rep, refreshes| {
        let run = symbolic_run::<64>(prime);
        let mut streamed = Streamed::new(&run, shares);
        let v = input(&streamed, 'v');
        if refreshes {
            streamed.add_rep_noise(&v, ('u', 0), rep);
        } else {
            noise_without_refresh(&streamed, &v, ('u', 0), rep);
        }
        Observer::new(&run, by_vector).telling_probes(shares - 1)
    };
    for prime in RACCOON_PRIMES {
        assert_eq!(telling(prime, 2, 4, true), None);
        assert_eq!(telling(prime, 4, 2, true), None);
        assert_eq!(telling(prime, 4, 4, true), None);
        assert!(telling(prime, 4, 4, false).is_some());
    }
}

/// t probes depend, given the public sum, on at most t shares.
#[test]
fn decoding_after_a_refresh_is_non_interfering() {
    for prime in RACCOON_PRIMES {
        for shares in [2, 4] {
            let run = symbolic_run::<21>(prime);
            let mut streamed = Streamed::new(&run, shares);
            let x = input(&streamed, 'x');
            let sum = decode(&streamed.refresh(&x));
            let observer = Observer::new(&run, by_vector);
            // That the sum is public matters: the sum depends on all shares.
            assert!(observer.telling_probes(shares - 1).is_some());
            let observer = observer.with_public(&[sum]);
            assert_eq!(observer.telling_probes(shares - 1), None, "{shares} shares mod {prime}");
        }
    }
}

/// t probes depend, given the public z, on at most t shares of s and t shares of r.
#[test]
fn the_response_is_non_interfering() {
    let group = |variable| match variable {
        Variable::Mask(_, COMPRESSION) => Some('r'),
        _ => by_vector(variable),
    };
    for prime in RACCOON_PRIMES {
        for shares in [2, 4] {
            let run = symbolic_run::<21>(prime);
            let mut streamed = Streamed::new(&run, shares);
            let (s, r) = (input(&streamed, 's'), compressed_input(&streamed, 'r'));
            let z = streamed.respond(&s, &r[0], &run.constant(12_345));
            let observer = Observer::new(&run, group).with_public(&[z]);
            assert_eq!(observer.telling_probes(shares - 1), None, "{shares} shares mod {prime}");
        }
    }
}

/// Signing as a whole with l columns and two rows: which probes tell too much, given the
/// public w and z.
fn telling_probes_on_signing(
    prime: u32,
    shares: usize,
    l: usize,
    fault: Fault,
) -> Option<Vec<usize>> {
    let run = symbolic_run::<120>(prime);
    let mut streamed = Streamed::with_fault(&run, shares, fault);
    let key: Vec<_> = (0..l).map(|m| run.sharing(('s', m), shares)).collect();
    let a =
        vec![vec![1_234_567, 7_654_321][..l].to_vec(), vec![3_456_789, 9_876_543][..l].to_vec()];
    let signing = Signing { a, c: 12_345, rep: repetitions(shares) };
    let public = streamed.sign(&signing, &key);
    Observer::new(&run, by_vector).with_public(&public).telling_probes(shares - 1)
}

/// The claim of specification 4.2.3: t probes anywhere depend, given w (before it is
/// rounded) and z, on at most t shares of s, t noise values of r and t of w.
#[test]
fn signing_is_non_interfering() {
    for prime in RACCOON_PRIMES {
        assert_eq!(telling_probes_on_signing(prime, 2, 2, Fault::None), None);
        assert_eq!(telling_probes_on_signing(prime, 4, 1, Fault::None), None);
    }
    for fault in [Fault::StuckCursor, Fault::SharedSeed] {
        assert!(telling_probes_on_signing(LARGE_PRIME, 4, 1, fault).is_some(), "{fault:?}");
    }
}

/// On any three probes linear algebra and counting agree about the shares these depend on.
#[test]
fn linear_algebra_and_counting_agree() {
    for fault in [Fault::None, Fault::SharedSeed] {
        let all = exhausted::<u32>(3, 4, fault, |streamed, x| {
            streamed.refresh(x);
        });
        let observer = observed_refresh::<21>(3, 4, fault);
        let positions = all.positions();
        for a in 0..positions {
            for b in a..positions {
                for c in b..positions {
                    // Coordinate 0 of a form is its constant.
                    let told = observer.told_by(&[a, b, c]) >> 1;
                    assert_eq!(all.dependence(&[a, b, c], 4), told, "{a} {b} {c}, {fault:?}");
                }
            }
        }
    }
}
