//! Writes Keccak-f\[1600\] for the Cortex-M4: a schedule of instructions on values, to which
//! [`registers`](crate::registers) gives registers.
//!
//! # What is saved, and where
//! - Lanes are split into even and odd bits, so that lane rotations are word rotations; the fifty
//!   words stay in memory. Chi works on a half-plane, five words of one row and one half.
//! - No rotation is an instruction: words are kept unrotated, with what is due ([`layout`]), and
//!   two words meet with the difference of their delays in the shifter.
//! - A half-plane is written where its inputs came from. Words move about in memory, and are
//!   back in their places after four rounds, which make the loop.
//! - Theta needs the sum of every column. The second five half-planes, which are all of one half,
//!   add most of their outputs to these sums while they are in registers, and the first five add
//!   those of one column. The next round need not load these 27 words twice. Five sums and five
//!   inputs leave little room for the effects of theta: these wait in floating-point registers.
//!   An effect that waits costs a cycle; so does a word loaded once more, and a group of loads
//!   costs one more than its words. The schedule is the best that a search found between the two.
//! - Words that theta has loaded and the first half-plane needs stay in registers.
//!
//! A round takes 202 exclusive-ors and bit-clears and 50 stores, which none of this changes, and
//! about 107 cycles for 69 loads and 25 moves.
//!
//! Lazy rotations, places that move and groups of loads are known from A. Adomnicai, "An update on
//! Keccak performance on ARMv7-M" (TCHES 2023), and from the XKCP.
//!
//! [`layout`]: crate::layout

use crate::layout::{EFFECT_DELAY, Word, delay, source};
use crate::registers::{Operation, Registers, Step, Value};
use std::array;

/// A column of the state's words of one half: x and half.
type Column = (usize, usize);

/// In what order a round does what.
pub struct Schedule {
    /// The half-planes, row and half, in the order in which chi makes them.
    planes: [(usize, usize); 10],
    /// Whether output x of a half-plane is added to the sum of its column while it is at hand.
    /// Theta loads the other words again.
    summed: [[bool; 5]; 10],
    /// Core registers, by number, for these sums: half 0 and half 1 of each column.
    sums: [[Option<usize>; 2]; 5],
    /// The columns in the order in which theta completes them.
    columns: [Column; 10],
    /// How many words theta loads at a time.
    groups: &'static [usize],
}

/// The schedule in use.
pub const SCHEDULE: Schedule = Schedule {
    planes: [(0, 1), (2, 1), (1, 1), (3, 1), (4, 1), (1, 0), (2, 0), (4, 0), (3, 0), (0, 0)],
    summed: [
        [false, false, false, true, false],
        [false, false, false, true, false],
        [false, false, false, true, false],
        [false, false, false, true, false],
        [false, false, false, true, false],
        [true, true, false, false, true],
        [true, true, false, true, true],
        [true; 5],
        [true; 5],
        [true; 5],
    ],
    sums: [[Some(7), None], [Some(8), None], [Some(6), None], [Some(1), Some(0)], [Some(2), None]],
    columns: [(0, 0), (2, 1), (4, 0), (1, 1), (3, 0), (0, 1), (2, 0), (4, 1), (1, 0), (3, 1)],
    groups: &[6, 5, 7, 5],
};

/// A value that is a word of the state once it has been rotated left by `delay`.
#[derive(Clone, Copy)]
struct Delayed {
    value: Value,
    delay: u32,
}

/// Effects of theta by column and half, as far as they are known.
type Effects = [[Option<Delayed>; 2]; 5];

/// The row whose word gives the sum of a column its delay, for both halves of column x.
const BASE_ROW: [[usize; 2]; 5] = [[2, 3], [1, 0], [1, 2], [3, 3], [2, 0]];

/// Whether an effect takes its delay from the sum on its left, not from the one on its right.
///
/// With this and with `BASE_ROW` the effects have the delays of [`EFFECT_DELAY`] again and again.
const FROM_LEFT: [[bool; 2]; 5] =
    [[true, false], [false, false], [false, true], [false, true], [false, true]];

/// Floating-point registers for values, from s0 on. The last eight hold the round constants when
/// four rounds begin.
const WAITING: usize = 14;

/// Rounds after which all words are back in their places.
const ROUNDS: usize = 4;

/// Index in memory of a word when a round begins.
///
/// Chi writes a half-plane where its five inputs came from. There is one from each column, and
/// each output takes the place of the input from its own column.
fn place((x, y, half): Word, round: usize) -> usize {
    match round % ROUNDS {
        0 => 2 * (5 * y + x) + half,
        round => {
            let mut inputs = (0..5).map(|to| source((to, y, half)).0);
            let input = inputs.find(|input| input.0 == x).expect("pi takes from every column");
            place(input, round - 1)
        }
    }
}

/// Writes down rounds.
struct Rounds<'a> {
    schedule: &'a Schedule,
    steps: Vec<Step>,
    /// Core registers that values should get, for every value there is.
    wishes: Vec<Option<usize>>,
    /// Rounds written.
    round: usize,
    /// Sums of columns, of the words in `summed`.
    sums: [[Option<Delayed>; 2]; 5],
    summed: Vec<Word>,
    /// What stays in registers until the first half-plane.
    kept: Vec<(Word, Delayed)>,
}

impl<'a> Rounds<'a> {
    /// Values 0 to 7 are the round constants.
    fn new(schedule: &'a Schedule) -> Self {
        Self {
            schedule,
            steps: vec![],
            wishes: vec![None; 2 * ROUNDS],
            round: 0,
            sums: [[None; 2]; 5],
            summed: vec![],
            kept: vec![],
        }
    }

    fn new_value(&mut self) -> Value {
        self.wishes.push(None);
        self.wishes.len() - 1
    }

    fn comment(&mut self, comment: String) {
        self.steps.push(Step::Comment(comment));
    }

    fn load(&mut self, words: &[Word]) -> Vec<(Word, Delayed)> {
        let mut group = vec![];
        let mut values = vec![];
        for &word in words {
            let value = self.new_value();
            group.push((value, place(word, self.round)));
            values.push((word, Delayed { value, delay: delay(word) }));
        }
        self.steps.push(Step::Load(group));
        values
    }

    /// The result is as late as `first`: the shifter turns `second` by the difference.
    fn compute(&mut self, operation: Operation, first: Delayed, second: Delayed) -> Delayed {
        let to = self.new_value();
        let rotation = (32 + first.delay - second.delay) % 32;
        let (first, delay) = (first.value, first.delay);
        self.steps.push(Step::Compute { operation, to, first, second: second.value, rotation });
        Delayed { value: to, delay }
    }

    fn add_to_sum(&mut self, word @ (x, y, half): Word, value: Delayed) {
        let sum = match self.sums[x][half] {
            None => value,
            Some(sum) if BASE_ROW[x][half] == y => self.compute(Operation::Eor, value, sum),
            Some(sum) => self.compute(Operation::Eor, sum, value),
        };
        self.sums[x][half] = Some(sum);
        self.summed.push(word);
    }

    /// Adds to a sum that outlasts the round.
    fn add_to_next_sum(&mut self, word @ (x, _, half): Word, value: Delayed) {
        self.add_to_sum(word, value);
        let sum = self.sums[x][half].expect("it was just added to");
        self.wishes[sum.value] = self.schedule.sums[x][half];
    }

    /// Loads the words that a round would leave summed, and sums them.
    fn prepare(&mut self) {
        let planes = self.schedule.planes.into_iter().zip(self.schedule.summed);
        let words = planes.flat_map(|((row, half), summed)| {
            (0..5).filter(move |&x| summed[x]).map(move |x| (x, row, half))
        });
        for group in words.collect::<Vec<_>>().chunks(7) {
            for (word, value) in self.load(group) {
                self.add_to_next_sum(word, value);
            }
        }
    }

    /// The sums, as values.
    fn carried(&self) -> Vec<Value> {
        self.sums.iter().flatten().flatten().map(|sum| sum.value).collect()
    }

    /// A round, of whose constants the values are given.
    fn round(&mut self, constants: [Value; 2]) {
        let effects = self.theta();
        self.sums = [[None; 2]; 5];
        self.summed.clear();
        let planes = self.schedule.planes.into_iter().zip(self.schedule.summed);
        for ((row, half), summed) in planes {
            self.comment(format!("effects, then chi: half {half} of row {row}"));
            let inputs = self.inputs(row, half, &effects);
            for x in 0..5 {
                let word = (x, row, half);
                let mut output = self.chi([0, 1, 2].map(|after| inputs[(x + after) % 5]));
                assert_eq!(output.delay, delay(word));
                if (x, row) == (0, 0) {
                    let constant = Delayed { value: constants[half], ..output };
                    output = self.compute(Operation::Eor, output, constant);
                }
                self.steps.push(Step::Store(output.value, place(word, self.round + 1)));
                if summed[x] {
                    self.add_to_next_sum(word, output);
                }
            }
        }
        self.round += 1;
    }

    fn chi(&mut self, [a, b, c]: [Delayed; 3]) -> Delayed {
        let masked = self.compute(Operation::Bic, c, b);
        self.compute(Operation::Eor, masked, a)
    }

    /// Completes the sums of all columns, and makes their effects.
    fn theta(&mut self) -> Effects {
        let known = std::mem::take(&mut self.summed);
        let words = self.schedule.columns.into_iter().flat_map(|(x, half)| {
            (1..=5).map(move |after| (x, (BASE_ROW[x][half] + after) % 5, half))
        });
        let words: Vec<_> = words.filter(|word| !known.contains(word)).collect();
        let mut missing = &words[..];
        let mut columns = self.schedule.columns.into_iter().peekable();
        let mut complete = vec![];
        let mut effects = [[None; 2]; 5];
        for &size in self.schedule.groups {
            let (now, later) = missing.split_at(size);
            self.load_to_sums(now);
            missing = later;
            let is_complete = |&(x, half): &Column| {
                !missing.iter().any(|&(word_x, _, word_half)| (word_x, word_half) == (x, half))
            };
            while let Some(column) = columns.next_if(is_complete) {
                complete.push(column);
                self.make_effects(column, &complete, &mut effects);
            }
        }
        assert!(missing.is_empty(), "the groups are too small");
        effects
    }

    fn load_to_sums(&mut self, words: &[Word]) {
        self.comment(format!("theta adds up {words:?}"));
        let (row, half) = self.schedule.planes[0];
        for (word, value) in self.load(words) {
            if (0..5).any(|x| source((x, row, half)).0 == word) {
                self.kept.push((word, value));
            }
            self.add_to_sum(word, value);
        }
    }

    /// Makes the effects for which `column` was the last that was missing.
    fn make_effects(&mut self, (x, half): Column, complete: &[Column], effects: &mut Effects) {
        for (x, half) in [((x + 1) % 5, half), ((x + 4) % 5, 1 - half)] {
            // The sum on the left, and the lane on the right rotated by one bit. This exchanges
            // its halves, and rotates what were the odd bits.
            let columns = [((x + 4) % 5, half), ((x + 1) % 5, 1 - half)];
            if columns.iter().all(|column| complete.contains(column)) {
                let sums = columns.map(|(x, half)| self.sums[x][half].expect("it is complete"));
                let left = sums[0];
                let right = Delayed { delay: (sums[1].delay + 1 - half as u32) % 32, ..sums[1] };
                let (first, second) =
                    if FROM_LEFT[x][half] { (left, right) } else { (right, left) };
                let effect = self.compute(Operation::Eor, first, second);
                assert_eq!(effect.delay, EFFECT_DELAY[x][half]);
                effects[x][half] = Some(effect);
            }
        }
    }

    /// Five words with the effects added, after rho and pi: what chi makes a half-plane of.
    fn inputs(&mut self, row: usize, half: usize, effects: &Effects) -> [Delayed; 5] {
        let sources: [_; 5] = array::from_fn(|x| source((x, row, half)));
        let mut at_hand = std::mem::take(&mut self.kept);
        let words = sources.iter().map(|&(word, _)| word);
        let missing: Vec<_> =
            words.filter(|word| !at_hand.iter().any(|(kept, _)| kept == word)).collect();
        at_hand.extend(self.load(&missing));
        sources.map(|(word, rotation)| {
            let (_, value) = at_hand.iter().find(|(loaded, _)| *loaded == word).expect("loaded");
            let effect = effects[word.0][word.2].expect("theta has made all effects");
            let sum = self.compute(Operation::Eor, effect, *value);
            Delayed { delay: (sum.delay + rotation) % 32, ..sum }
        })
    }
}

/// The function `(state, constants, end of constants)`.
///
/// s15 holds the constants not yet used, s14 their end; the flags tell through all four rounds
/// whether these are the last. The other floating-point registers are cleared, the stack holds
/// nothing but what the caller had in r4 to r11.
pub fn permutation(schedule: &Schedule) -> String {
    let mut rounds = Rounds::new(schedule);
    rounds.prepare();
    let (prologue, first) = (rounds.steps.len(), rounds.carried());
    for round in 0..ROUNDS {
        rounds.round([2 * round, 2 * round + 1]);
    }
    let last = rounds.carried();
    let mut float = vec![None; WAITING - 2 * ROUNDS];
    float.extend((0..2 * ROUNDS).map(Some));
    let mut registers = Registers::new(&rounds.steps, &last, float, rounds.wishes);
    let (prologue, four_rounds) = rounds.steps.split_at(prologue);
    registers.write(prologue);
    let before = registers.hold(&first);
    let prologue = registers.text();
    registers.write(four_rounds);
    let after = registers.hold(&last);
    let four_rounds = registers.text();
    assert_eq!(before, after, "the loop moves a sum");
    assert!(before.iter().all(|&place| place < 11), "r12 and lr are not free");
    let clear = registers.clear();
    format!(
        "    .fpu fpv4-sp-d16
    push.w {{r4-r11, lr}}
    vmov s14, r2
    vmov s15, r1
    @ the sums that a round leaves for the next
{prologue}    .p2align 2
0:
    vmov r12, s15
    vmov lr, s14
    vldmia r12!, {{s6-s13}}
    vmov s15, r12
    cmp.w r12, lr
{four_rounds}    bne.w 0b
{clear}    pop.w {{r4-r11, pc}}
"
    )
}
