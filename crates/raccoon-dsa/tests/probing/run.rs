//! A run of masked code that remembers every value it computes.
//!
//! What counts as an intermediate value is the same for every code under test:
//! - a variable, when it is drawn: an input share, a noise value, a mask. It counts once,
//!   however often it is drawn again: replaying a mask gives the same value on another day,
//!   and an observer of either has observed both;
//! - the result of every addition, subtraction and multiplication, even when another
//!   operation has given the same value before, and of every reduction that changes it;
//! - not a copy, nor a sum with the constant zero of a cleared accumulator: that is the
//!   same value in another place. Nor what is public: constants, factors.

use raccoon_dsa::masking::Element;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

/// A polynomial's name, such as `('r', 1)`: the letter of its vector and its index there.
pub type Name = (char, usize);

/// What is drawn, rather than computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// Share `j` of an input.
    Share(Name, usize),
    /// The noise of a repetition and share.
    Noise(Name, usize, usize),
    /// What a mask generator, by its number, gives at a position of its sequence.
    Mask(usize, u64),
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    Drawn(Variable),
    Sum,
    Difference,
    Product,
    Reduction,
}

/// An intermediate value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event<V> {
    pub origin: Origin,
    pub value: V,
}

/// What the masked code computes with: elements of a small ring, in one form or another.
pub trait Value: Clone + Debug + Eq {
    fn constant(k: u32) -> Self;
    fn sum(&self, other: &Self, modulus: u32) -> Self;
    fn difference(&self, other: &Self, modulus: u32) -> Self;
    /// `factor` is public.
    fn product(&self, factor: &Self, modulus: u32) -> Self;
    /// The value with room for further additions; none if it is always as it should be.
    fn reduced(&self, modulus: u32) -> Option<Self>;
}

/// Values that can be counted.
pub trait Number: Value + Copy + Ord {
    /// What it stands for, in 0..m.
    fn residue(self, modulus: u32) -> u32;
}

/// Integers modulo m < 2^31, in 0..m.
impl Value for u32 {
    fn constant(k: u32) -> Self {
        k
    }

    fn sum(&self, other: &Self, modulus: u32) -> Self {
        let sum = self + other;
        if sum < modulus { sum } else { sum - modulus }
    }

    fn difference(&self, other: &Self, modulus: u32) -> Self {
        self.sum(&(modulus - other), modulus)
    }

    fn product(&self, factor: &Self, modulus: u32) -> Self {
        (u64::from(*self) * u64::from(*factor) % u64::from(modulus)) as u32
    }

    fn reduced(&self, _: u32) -> Option<Self> {
        None
    }
}

impl Number for u32 {
    fn residue(self, _: u32) -> u32 {
        self
    }
}

/// A lazy residue, as the lanes of polynomials are: an integer that is reduced only on demand
/// and by multiplications. What it shows beyond its residue is how often its summands,
/// together, exceed the modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane(i32);

impl Value for Lane {
    fn constant(k: u32) -> Self {
        Lane(k as i32)
    }

    fn sum(&self, other: &Self, _: u32) -> Self {
        Lane(self.0 + other.0)
    }

    fn difference(&self, other: &Self, _: u32) -> Self {
        Lane(self.0 - other.0)
    }

    fn product(&self, factor: &Self, modulus: u32) -> Self {
        Lane((self.0 * factor.0).rem_euclid(modulus as i32))
    }

    fn reduced(&self, modulus: u32) -> Option<Self> {
        Some(Lane(self.0.rem_euclid(modulus as i32)))
    }
}

impl Number for Lane {
    fn residue(self, modulus: u32) -> u32 {
        self.0.rem_euclid(modulus as i32) as u32
    }
}

/// One run: it gives the variables their values and keeps all values.
pub struct Run<V> {
    modulus: u32,
    /// The value of the k-th variable that is drawn.
    assignment: Box<dyn Fn(usize, Variable) -> V>,
    /// The event of every variable so far.
    drawn: RefCell<BTreeMap<Variable, usize>>,
    events: RefCell<Vec<Event<V>>>,
}

impl<V: Value> Run<V> {
    pub fn new(modulus: u32, assignment: impl Fn(usize, Variable) -> V + 'static) -> Self {
        Self {
            modulus,
            assignment: Box::new(assignment),
            drawn: RefCell::default(),
            events: RefCell::default(),
        }
    }

    pub fn modulus(&self) -> u32 {
        self.modulus
    }

    /// All values so far.
    pub fn events(&self) -> Vec<Event<V>> {
        self.events.borrow().clone()
    }

    /// A public constant.
    pub fn constant(&self, k: u32) -> Wire<'_, V> {
        Wire { run: self, value: V::constant(k % self.modulus), event: None }
    }

    /// The value of a variable, new if it was not drawn before.
    pub fn draw(&self, variable: Variable) -> Wire<'_, V> {
        let known = self.drawn.borrow().get(&variable).copied();
        if let Some(event) = known {
            let value = self.events.borrow()[event].value.clone();
            return Wire { run: self, value, event: Some(event) };
        }
        let number = self.drawn.borrow().len();
        let wire = self.record(Origin::Drawn(variable), (self.assignment)(number, variable));
        self.drawn.borrow_mut().extend(wire.event.map(|event| (variable, event)));
        wire
    }

    /// The shares of an input.
    pub fn sharing(&self, name: Name, shares: usize) -> Vec<Wire<'_, V>> {
        (0..shares).map(|j| self.draw(Variable::Share(name, j))).collect()
    }

    fn record(&self, origin: Origin, value: V) -> Wire<'_, V> {
        let mut events = self.events.borrow_mut();
        events.push(Event { origin, value: value.clone() });
        Wire { run: self, value, event: Some(events.len() - 1) }
    }
}

/// A value on its way through a run, and the event that it is; none if it is public.
#[derive(Clone)]
pub struct Wire<'r, V> {
    pub run: &'r Run<V>,
    pub value: V,
    pub event: Option<usize>,
}

impl<'r, V: Value> Wire<'r, V> {
    fn is_constant(&self) -> bool {
        self.event.is_none()
    }
}

impl<'r, V: Value> Add for &Wire<'r, V> {
    type Output = Wire<'r, V>;

    fn add(self, other: Self) -> Wire<'r, V> {
        if self.is_constant() {
            assert_eq!(self.value, V::constant(0), "the only constant that is added to");
            return other.clone();
        }
        self.run.record(Origin::Sum, self.value.sum(&other.value, self.run.modulus))
    }
}

impl<'r, V: Value> Sub for &Wire<'r, V> {
    type Output = Wire<'r, V>;

    fn sub(self, other: Self) -> Wire<'r, V> {
        self.run.record(Origin::Difference, self.value.difference(&other.value, self.run.modulus))
    }
}

/// The product with a public factor.
impl<'r, V: Value> Mul for &Wire<'r, V> {
    type Output = Wire<'r, V>;

    fn mul(self, factor: Self) -> Wire<'r, V> {
        assert!(factor.is_constant(), "a product of two secrets");
        self.run.record(Origin::Product, self.value.product(&factor.value, self.run.modulus))
    }
}

/// What the shipped gadgets compute with.
impl<V: Value> Element for Wire<'_, V> {
    fn clear(&mut self) {
        *self = self.run.constant(0);
    }

    fn copy_from(&mut self, other: &Self) {
        self.clone_from(other);
    }

    fn add(&mut self, other: &Self) {
        *self = &*self + other;
    }

    fn mul(&mut self, factor: &Self) {
        *self = &*self * factor;
    }

    fn reduce(&mut self) {
        if let Some(reduced) = self.value.reduced(self.run.modulus) {
            *self = self.run.record(Origin::Reduction, reduced);
        }
    }
}
