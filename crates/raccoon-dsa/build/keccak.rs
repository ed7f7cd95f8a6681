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
//! - Theta needs the sum of every column. Half-planes add most of their outputs to these sums while
//!   they are in registers, and the next round need not load those words twice. The last round
//!   leaves its sums for the next permutation: the [`State`] keeps them as long as nothing changes
//!   the words, and `sum_columns` makes them anew.
//! - Sums and five inputs leave little room for the effects of theta: these wait in floating-point
//!   registers. An effect that waits costs a cycle; so does a word loaded once more. The schedule
//!   is the best that a search found between the two.
//! - A group of loads costs a cycle more than its words, unless a store stands right behind it,
//!   which then costs nothing. So the last outputs of a half-plane wait for the next loads.
//! - Words that theta has loaded and the first half-plane needs stay in registers; one word stays
//!   in its register from the round before.
//!
//! A round takes 202 exclusive-ors and bit-clears, 49 stores, of which 12 cost nothing, 55 loads in
//! 13 groups, and 41 moves: 348 cycles.
//!
//! Lazy rotations, places that move and groups of loads are known from A. Adomnicai, "An update on
//! Keccak performance on ARMv7-M" (TCHES 2023), and from the XKCP.
//!
//! [`layout`]: crate::layout
//! [`State`]: ../src/xof/armv7em/mod.rs

use crate::layout::{EFFECT_DELAY, Word, delay, source};
use crate::registers::{Operation, Registers, Step, Value};
use std::array;
use std::collections::VecDeque;

/// A column of the state's words of one half: x and half.
type Column = (usize, usize);

/// In what order a round does what.
pub struct Schedule {
    /// The half-planes, row and half, in the order in which chi makes them.
    planes: [(usize, usize); 10],
    /// The output x with which chi begins; the others follow in turn.
    begin: [usize; 10],
    /// How many outputs, the last ones, wait until words are loaded again: behind each group of
    /// loads one of them is stored.
    late: [usize; 10],
    /// Whether output x of a half-plane is added to the sum of its column while it is at hand.
    /// Theta loads the other words again.
    summed: [[bool; 5]; 10],
    /// Core registers, by number, for these sums: half 0 and half 1 of each column.
    sums: [[Option<usize>; 2]; 5],
    /// The columns in the order in which theta completes them.
    columns: [Column; 10],
    /// How many words theta loads at a time.
    groups: &'static [usize],
    /// Whether input x of the first half-plane stays in a register once theta has loaded it.
    kept: [bool; 5],
    /// Input x of the first half-plane that stays in a register from the round before, and which.
    /// It must be summed.
    carried: (usize, usize),
    /// The half-planes, by number, with whose inputs half 0 and half 1 of the round constant come.
    constants: [usize; 2],
}

/// The schedule in use.
pub const SCHEDULE: Schedule = Schedule {
    planes: [(0, 1), (3, 1), (4, 1), (2, 1), (1, 1), (0, 0), (4, 0), (3, 0), (1, 0), (2, 0)],
    begin: [4, 4, 1, 1, 4, 0, 4, 1, 1, 2],
    late: [2, 0, 1, 1, 1, 1, 1, 1, 1, 4],
    summed: [
        [false, true, true, true, false],
        [true, true, true, true, false],
        [true, true, true, true, false],
        [true, true, true, true, false],
        [true, false, true, true, false],
        [true; 5],
        [true; 5],
        [true; 5],
        [true; 5],
        [true; 5],
    ],
    sums: [
        [Some(3), Some(7)],
        [Some(5), Some(10)],
        [Some(9), Some(6)],
        [Some(2), Some(1)],
        [Some(0), None],
    ],
    columns: [(3, 0), (1, 1), (4, 0), (2, 1), (0, 0), (3, 1), (1, 0), (4, 1), (2, 0), (0, 1)],
    groups: &[3, 2, 2],
    kept: [true, true, true, false, true],
    carried: (2, 8),
    constants: [5, 0],
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

/// Floating-point registers for values, from s0 on.
const WAITING: usize = 14;

/// Index in memory of the sums of columns: behind the words, half by half.
const SUMS: usize = 50;

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
    /// Outputs not yet stored, with their places.
    late: VecDeque<(Value, usize)>,
}

impl<'a> Rounds<'a> {
    fn new(schedule: &'a Schedule) -> Self {
        Self {
            schedule,
            steps: vec![],
            wishes: vec![],
            round: 0,
            sums: [[None; 2]; 5],
            summed: vec![],
            kept: vec![],
            late: VecDeque::new(),
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
        self.load_with(words, vec![])
    }

    /// Loads words and round constants, then stores what has waited longest.
    fn load_with(
        &mut self,
        words: &[Word],
        constants: Vec<(Value, usize)>,
    ) -> Vec<(Word, Delayed)> {
        let mut group = vec![];
        let mut values = vec![];
        for &word in words {
            let (value, place) = (self.new_value(), place(word, self.round));
            assert!(self.late.iter().all(|&(_, late)| late != place), "not yet stored");
            group.push((value, place));
            values.push((word, Delayed { value, delay: delay(word) }));
        }
        if !group.is_empty() || !constants.is_empty() {
            self.steps.push(Step::Load { words: group, constants });
            self.store_late(1);
        }
        values
    }

    fn store_late(&mut self, most: usize) {
        let now = self.late.drain(..most.min(self.late.len()));
        self.steps.extend(now.map(|(value, place)| Step::Store(value, place)));
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
        let sum = self.sum((x, half));
        if self.is_last() {
            self.wishes[sum.value] = self.schedule.sums[x][half];
        }
    }

    /// Whether four rounds end with this one: what outlasts it should be where they begin.
    fn is_last(&self) -> bool {
        self.round % ROUNDS == ROUNDS - 1
    }

    /// Sums the words that a round leaves summed, column by column, and stores the sums.
    fn sum_columns(&mut self) {
        for (x, half) in self.summed_columns() {
            let planes = self.schedule.planes.iter().zip(&self.schedule.summed);
            let planes = planes.filter(|(plane, summed)| plane.1 == half && summed[x]);
            let words: Vec<_> = planes.map(|(&(row, _), _)| (x, row, half)).collect();
            for (word, value) in self.load(&words) {
                self.add_to_sum(word, value);
            }
            self.store_sum((x, half));
        }
    }

    /// Columns with words that are summed while they are at hand.
    fn summed_columns(&self) -> Vec<Column> {
        let columns = (0..10).map(|column| (column / 2, column % 2));
        columns.filter(|&(x, half)| self.schedule.sums[x][half].is_some()).collect()
    }

    fn sum(&self, (x, half): Column) -> Delayed {
        self.sums[x][half].expect("a sum was begun")
    }

    fn store_sum(&mut self, (x, half): Column) {
        let sum = self.sum((x, half)).value;
        self.steps.push(Step::Store(sum, SUMS + 2 * x + half));
    }

    /// Loads what the last round has left, sums with the delays that `summed` gave them.
    fn resume(&mut self, summed: &Rounds) {
        self.summed.clone_from(&summed.summed);
        let mut words = vec![];
        for (x, half) in self.summed_columns() {
            let sum = Delayed { value: self.new_value(), ..summed.sum((x, half)) };
            words.push((sum.value, SUMS + 2 * x + half));
            self.wishes[sum.value] = self.schedule.sums[x][half];
            self.sums[x][half] = Some(sum);
        }
        let carried = Delayed { value: self.new_value(), delay: delay(self.carried()) };
        words.push((carried.value, place(self.carried(), 0)));
        self.steps.push(Step::Load { words, constants: vec![] });
        self.wishes[carried.value] = Some(self.schedule.carried.1);
        self.kept.push((self.carried(), carried));
    }

    /// The word that stays in its register between two rounds.
    fn carried(&self) -> Word {
        let (row, half) = self.schedule.planes[0];
        source((self.schedule.carried.0, row, half)).0
    }

    /// Keeps the word that stays in its register between two rounds.
    fn keep(&mut self, carried: Delayed) {
        if self.is_last() {
            self.wishes[carried.value] = Some(self.schedule.carried.1);
        }
        self.kept.push((self.carried(), carried));
    }

    /// The values that outlast a round.
    fn outlasting(&self) -> Vec<Value> {
        let sums = self.summed_columns().into_iter().map(|column| self.sum(column).value);
        sums.chain(self.kept.iter().map(|(_, kept)| kept.value)).collect()
    }

    /// Stores what the last round has left.
    fn suspend(&mut self) {
        self.summed_columns().into_iter().for_each(|column| self.store_sum(column));
        let (word, carried) = self.kept[0];
        self.steps.push(Step::Store(carried.value, place(word, self.round)));
    }

    fn round(&mut self) {
        let effects = self.theta();
        self.sums = [[None; 2]; 5];
        self.summed.clear();
        let mut constants = [None; 2];
        for plane in 0..10 {
            let (row, half) = self.schedule.planes[plane];
            self.comment(format!("effects, then chi: half {half} of row {row}"));
            let inputs = self.inputs(plane, &effects, &mut constants);
            for turn in 0..5 {
                let x = (self.schedule.begin[plane] + turn) % 5;
                let mut output = self.chi([0, 1, 2].map(|after| inputs[(x + after) % 5]));
                assert_eq!(output.delay, delay((x, row, half)));
                if (x, row) == (0, 0) {
                    let value = constants[half].expect("constants come in time");
                    output = self.compute(Operation::Eor, output, Delayed { value, ..output });
                }
                self.leave((x, row, half), output, turn + self.schedule.late[plane] >= 5);
                if self.schedule.summed[plane][x] {
                    self.add_to_next_sum((x, row, half), output);
                }
            }
        }
        self.round += 1;
    }

    /// Sees to it that the next round finds an output.
    fn leave(&mut self, word: Word, output: Delayed, late: bool) {
        let place = place(word, self.round + 1);
        if word == self.carried() {
            self.keep(output);
        } else if late {
            self.late.push_back((output.value, place));
        } else {
            self.steps.push(Step::Store(output.value, place));
        }
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
            if (0..5).any(|x| self.schedule.kept[x] && source((x, row, half)).0 == word) {
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
                let sums = columns.map(|column| self.sum(column));
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

    /// Five words with the effects added, after rho and pi: what chi makes a half-plane of. Round
    /// constants come with them.
    fn inputs(
        &mut self,
        plane: usize,
        effects: &Effects,
        constants: &mut [Option<Value>; 2],
    ) -> [Delayed; 5] {
        let (row, half) = self.schedule.planes[plane];
        let sources: [_; 5] = array::from_fn(|x| source((x, row, half)));
        let mut at_hand = std::mem::take(&mut self.kept);
        let words = sources.iter().map(|&(word, _)| word);
        let missing: Vec<_> =
            words.filter(|word| !at_hand.iter().any(|(kept, _)| kept == word)).collect();
        let mut constants_now = vec![];
        for half in (0..2).filter(|&half| self.schedule.constants[half] == plane) {
            let value = self.new_value();
            constants[half] = Some(value);
            constants_now.push((value, 2 * self.round + half));
        }
        at_hand.extend(self.load_with(&missing, constants_now));
        sources.map(|(word, rotation)| {
            let (_, value) = at_hand.iter().find(|(loaded, _)| *loaded == word).expect("loaded");
            let effect = effects[word.0][word.2].expect("theta has made all effects");
            let sum = self.compute(Operation::Eor, effect, *value);
            Delayed { delay: (sum.delay + rotation) % 32, ..sum }
        })
    }
}

/// The function `(state)`, which makes the sums that a round leaves for the next.
pub fn sum_columns(schedule: &Schedule) -> String {
    let mut rounds = Rounds::new(schedule);
    rounds.sum_columns();
    let mut registers = Registers::new(&rounds.steps, 0, rounds.wishes);
    registers.write(&rounds.steps);
    let text = registers.text();
    assert!(!text.contains("r6"), "r4 and r5 are saved");
    format!("    push.w {{r4, r5}}\n{text}    pop.w {{r4, r5}}\n    bx lr\n")
}

/// The function `(state, constants, end of constants)`.
///
/// s15 holds the constants not yet used, s14 their end. The other floating-point registers hold
/// values, the stack nothing but what the caller had in r4 to r11.
pub fn permutation(schedule: &Schedule) -> String {
    let mut summed = Rounds::new(schedule);
    summed.sum_columns();
    let mut rounds = Rounds::new(schedule);
    rounds.resume(&summed);
    let (prologue, first) = (rounds.steps.len(), rounds.outlasting());
    for _ in 0..ROUNDS {
        rounds.round();
    }
    rounds.store_late(usize::MAX);
    let (end, last) = (rounds.steps.len(), rounds.outlasting());
    for column in rounds.summed_columns() {
        assert_eq!(rounds.sum(column).delay, summed.sum(column).delay);
    }
    rounds.suspend();
    let mut registers = Registers::new(&rounds.steps, WAITING, rounds.wishes);
    registers.write(&rounds.steps[..prologue]);
    let before = registers.hold(&first);
    let prologue_text = registers.text();
    registers.write(&rounds.steps[prologue..end]);
    let after = registers.hold(&last);
    let four_rounds = registers.text();
    assert_eq!(before, after, "the loop moves a sum");
    assert!(before.iter().all(|&place| place < 11), "r12 and lr are not free");
    registers.write(&rounds.steps[end..]);
    let epilogue = registers.text();
    format!(
        "    .fpu fpv4-sp-d16
    push.w {{r4-r11, lr}}
    vmov s14, r2
    vmov s15, r1
    @ what a round leaves for the next
{prologue_text}    .p2align 2
0:
{four_rounds}    vmov r12, s15
    vmov lr, s14
    add.w r12, r12, #{constants}
    vmov s15, r12
    cmp.w r12, lr
    bne.w 0b
{epilogue}    pop.w {{r4-r11, pc}}
",
        constants = 8 * ROUNDS
    )
}
