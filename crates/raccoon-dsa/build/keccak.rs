//! Writes Keccak-f\[1600\] for the Cortex-M4: a schedule of instructions on named values, to
//! which [`registers`](crate::registers) gives registers.

use crate::layout::{EFFECT_DELAY, Word, delay, source};
use crate::registers::{Operation, Registers, Step, Value};
use std::array;

/// In what order a round does what.
pub struct Schedule {
    /// The half-planes, row and half, in the order in which chi makes them.
    pub planes: [(usize, usize); 10],
    /// The columns and halves in the order in which theta adds them up.
    pub columns: [(usize, usize); 10],
    /// How many words theta loads at a time.
    pub groups: &'static [usize],
    /// Whether output x of a half-plane is added to its column's sum for the next theta while it
    /// is at hand. Theta loads the other words again.
    pub summed: [[bool; 5]; 10],
    /// Whether lane x of the first half-plane stays in a register from theta on.
    pub kept: [bool; 5],
    /// Whether the other lanes of the first half-plane are loaded with theta's last group.
    pub joined: bool,
    /// The core registers, by number, of the sums of the columns with half 0 and 1.
    pub sums: [[Option<usize>; 2]; 5],
}

/// The schedule in use.
pub const SCHEDULE: Schedule = Schedule {
    planes: [(3, 0), (1, 0), (2, 0), (0, 0), (4, 0), (1, 1), (2, 1), (4, 1), (3, 1), (0, 1)],
    columns: [(4, 1), (2, 0), (0, 1), (3, 0), (1, 1), (4, 0), (2, 1), (0, 0), (3, 1), (1, 0)],
    groups: &[6, 7, 6, 6, 8, 3],
    summed: [
        [false; 5],
        [false; 5],
        [false; 5],
        [false; 5],
        [false; 5],
        [true, true, false, false, true],
        [true, true, true, false, true],
        [true; 5],
        [true; 5],
        [true; 5],
    ],
    kept: [false, true, true, true, false],
    joined: false,
    sums: [[None, Some(7)], [None, Some(10)], [None, Some(2)], [None, Some(6)], [None, Some(1)]],
};

/// A value that is a word of the state once it has been rotated left by `delay`.
#[derive(Clone, Copy)]
struct Delayed {
    value: Value,
    delay: u32,
}

/// The row whose word gives the sum of column x its delay, for both halves.
const BASE_ROW: [[usize; 2]; 5] = [[2, 3], [1, 0], [1, 2], [3, 3], [2, 0]];

/// Whether an effect takes its delay from the column left of it, not from the one right of it.
const FROM_LEFT: [[bool; 2]; 5] =
    [[true, false], [false, false], [false, true], [false, true], [false, true]];

/// Floating-point registers: values in 0 to 13, the last eight of them the round constants
/// when the four rounds begin.
const WAITING: usize = 14;
/// Rounds after which all words are back in their places.
const ROUNDS: usize = 4;

/// Index in memory of a word between two rounds.
///
/// Chi writes a half-plane where its five inputs came from, one of each column, each output
/// into its own column. After four rounds every word is where it was.
fn place(word @ (x, y, half): Word, round: usize) -> usize {
    match round % ROUNDS {
        0 => 2 * (5 * y + x) + half,
        round => {
            let inputs = (0..5).map(|to| source((to, y, half)).0);
            let input = inputs.into_iter().find(|input| input.0 == x);
            place(input.unwrap_or(word), round - 1)
        }
    }
}

/// Writes down rounds.
struct Rounds<'a> {
    schedule: &'a Schedule,
    steps: Vec<Step>,
    values: usize,
    /// Rounds written.
    round: usize,
    /// What is known of the parities of the columns.
    sums: [[Option<Delayed>; 2]; 5],
    /// Words that these sums contain.
    summed: Vec<Word>,
    /// Values that stay at hand until the first half-plane.
    kept: Vec<(Word, Delayed)>,
    /// Core registers that values should get.
    wishes: Vec<Option<usize>>,
}

impl<'a> Rounds<'a> {
    /// Begins with the round constants as values.
    fn new(schedule: &'a Schedule) -> Self {
        Self {
            schedule,
            steps: vec![],
            values: 2 * ROUNDS,
            round: 0,
            sums: [[None; 2]; 5],
            summed: vec![],
            kept: vec![],
            wishes: vec![None; 2 * ROUNDS],
        }
    }

    fn new_value(&mut self) -> Value {
        self.values += 1;
        self.wishes.push(None);
        self.values - 1
    }

    fn comment(&mut self, comment: String) {
        self.steps.push(Step::Comment(comment));
    }

    fn load(&mut self, words: &[Word]) -> Vec<Delayed> {
        let group = words.iter().map(|&word| (self.new_value(), place(word, self.round)));
        let group: Vec<_> = group.collect();
        let values = group.iter().zip(words);
        let values =
            values.map(|(&(value, _), &word)| Delayed { value, delay: delay(word) }).collect();
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
        self.summed.push(word);
        let sum = match self.sums[x][half] {
            None => value,
            Some(sum) if BASE_ROW[x][half] == y => self.compute(Operation::Eor, value, sum),
            Some(sum) => self.compute(Operation::Eor, sum, value),
        };
        self.sums[x][half] = Some(sum);
    }

    /// Effects of theta on the columns: the sum on the left, and the one on the right rotated
    /// by one bit of the lane.
    fn theta(&mut self) -> [[Option<Delayed>; 2]; 5] {
        let known = std::mem::take(&mut self.summed);
        let missing = self.schedule.columns.into_iter().flat_map(|(x, half)| {
            (1..6).map(move |after| (x, (BASE_ROW[x][half] + after) % 5, half))
        });
        let missing: Vec<_> = missing.filter(|word| !known.contains(word)).collect();
        let mut columns = self.schedule.columns.into_iter().peekable();
        let mut effects = [[None; 2]; 5];
        let mut finished = vec![];
        let mut loaded = 0;
        for &size in self.schedule.groups {
            let now = loaded..(loaded + size).min(missing.len());
            loaded = now.end;
            self.load_to_sums(&missing[now], loaded == missing.len());
            let is_complete = |column: &(usize, usize)| {
                !missing[loaded..].iter().any(|&(x, _, half)| (x, half) == *column)
            };
            while let Some(column) = columns.next_if(is_complete) {
                finished.push(column);
                self.finish_effects(column, &finished, &mut effects);
            }
        }
        effects
    }

    /// Loads words and adds them to the sums of their columns; at last also what the first
    /// half-plane needs.
    fn load_to_sums(&mut self, words: &[Word], last: bool) {
        let (row, half) = self.schedule.planes[0];
        let first: [Word; 5] = array::from_fn(|x| source((x, row, half)).0);
        let is_kept = |word| (0..5).any(|x| first[x] == word && self.schedule.kept[x]);
        let mut group = words.to_vec();
        if last && self.schedule.joined {
            let kept = self.kept.iter().map(|&(word, _)| word).chain(words.iter().copied());
            let kept: Vec<_> = kept.filter(|&word| is_kept(word)).collect();
            group.extend(first.into_iter().filter(|word| !kept.contains(word)));
        }
        if group.is_empty() {
            return;
        }
        self.comment(format!("theta adds up {words:?}"));
        let values = self.load(&group);
        for (index, (word, value)) in group.into_iter().zip(values).enumerate() {
            if index >= words.len() || is_kept(word) {
                self.kept.push((word, value));
            }
            if index < words.len() {
                self.add_to_sum(word, value);
            }
        }
    }

    /// Makes the effects that the sum of `column` was the last to wait for.
    fn finish_effects(
        &mut self,
        (x, half): (usize, usize),
        finished: &[(usize, usize)],
        effects: &mut [[Option<Delayed>; 2]; 5],
    ) {
        for (x, half) in [((x + 1) % 5, half), ((x + 4) % 5, 1 - half)] {
            let (left, right) = (((x + 4) % 5, half), ((x + 1) % 5, 1 - half));
            if finished.contains(&left) && finished.contains(&right) {
                let [left, mut right] =
                    [left, right].map(|(x, half)| self.sums[x][half].expect("it is finished"));
                // Rotating a lane by one bit exchanges its halves, and rotates one of them.
                right.delay = (right.delay + 1 - half as u32) % 32;
                let effect = match FROM_LEFT[x][half] {
                    true => self.compute(Operation::Eor, left, right),
                    false => self.compute(Operation::Eor, right, left),
                };
                assert_eq!(effect.delay, EFFECT_DELAY[x][half]);
                effects[x][half] = Some(effect);
            }
        }
    }

    /// Adds a round, whose constants are values.
    fn round(&mut self, constants: [Value; 2]) {
        let effects = self.theta();
        self.sums = [[None; 2]; 5];
        self.summed.clear();
        for (number, (row, half)) in self.schedule.planes.into_iter().enumerate() {
            self.comment(format!("effects, then chi: half {half} of row {row}"));
            let inputs = self.inputs(row, half, &effects);
            for x in 0..5 {
                let [a, b, c] = [0, 1, 2].map(|after| inputs[(x + after) % 5]);
                let masked = self.compute(Operation::Bic, c, b);
                let mut output = self.compute(Operation::Eor, masked, a);
                assert_eq!(output.delay, delay((x, row, half)));
                if (x, row) == (0, 0) {
                    let constant = Delayed { value: constants[half], ..output };
                    output = self.compute(Operation::Eor, output, constant);
                }
                let place = place((x, row, half), self.round + 1);
                self.steps.push(Step::Store(output.value, place));
                if self.schedule.summed[number][x] {
                    self.add_to_sum((x, row, half), output);
                    let sum = self.sums[x][half].expect("just added to");
                    self.wishes[sum.value] = self.schedule.sums[x][half];
                }
            }
        }
        self.round += 1;
    }

    /// What chi works on in a half-plane: five words with their effects, after rho and pi.
    fn inputs(
        &mut self,
        row: usize,
        half: usize,
        effects: &[[Option<Delayed>; 2]; 5],
    ) -> [Delayed; 5] {
        let sources: [_; 5] = array::from_fn(|x| source((x, row, half)));
        let mut at_hand = std::mem::take(&mut self.kept);
        let missing: Vec<_> = sources
            .iter()
            .map(|&(word, _)| word)
            .filter(|word| !at_hand.iter().any(|(kept, _)| kept == word))
            .collect();
        if !missing.is_empty() {
            at_hand.extend(missing.iter().copied().zip(self.load(&missing)));
        }
        sources.map(|(word, rotation)| {
            let (_, value) = at_hand.iter().find(|(kept, _)| *kept == word).expect("loaded");
            let effect = effects[word.0][word.2].expect("theta makes all effects");
            let sum = self.compute(Operation::Eor, effect, *value);
            Delayed { delay: (sum.delay + rotation) % 32, ..sum }
        })
    }

    /// Loads and adds up the words that a round finds summed.
    fn sum_first_words(&mut self) {
        let mut words = vec![];
        for (number, (row, half)) in self.schedule.planes.into_iter().enumerate() {
            let summed = (0..5).filter(|&x| self.schedule.summed[number][x]);
            words.extend(summed.map(|x| (x, row, half)));
        }
        for words in words.chunks(8) {
            let values = self.load(words);
            for (&(x, row, half), value) in words.iter().zip(values) {
                self.add_to_sum((x, row, half), value);
                let sum = self.sums[x][half].expect("just added to");
                self.wishes[sum.value] = self.schedule.sums[x][half];
            }
        }
    }

    fn carried(&self) -> Vec<Value> {
        self.sums.iter().flatten().flatten().map(|sum| sum.value).collect()
    }
}

/// The function `(state, constants, end of constants)`.
///
/// s15 holds the constants not yet used, s14 their end; the flags tell through all four rounds
/// whether these are the last. The other floating-point registers are cleared, the stack holds
/// nothing but what the caller had in r4 to r11.
pub fn permutation(schedule: &Schedule) -> String {
    let mut rounds = Rounds::new(schedule);
    rounds.sum_first_words();
    let (prologue, first) = (rounds.steps.len(), rounds.carried());
    for round in 0..ROUNDS {
        rounds.round([2 * round, 2 * round + 1]);
    }
    let last = rounds.carried();
    let mut float = vec![None; WAITING - 2 * ROUNDS];
    float.extend((0..2 * ROUNDS).map(Some));
    let mut registers = Registers::new(&rounds.steps, &last, float, rounds.wishes);
    let places = |registers: &Registers, values: &[Value]| -> Vec<_> {
        values.iter().map(|&value| registers.place_of(value)).collect()
    };
    let (prologue, four_rounds) = rounds.steps.split_at(prologue);
    let prologue = registers.write(prologue);
    let before = places(&registers, &first);
    let four_rounds = registers.write(four_rounds);
    assert_eq!(before, places(&registers, &last), "the loop moves a sum");
    assert!(!before.iter().any(|&place| place >= Some(11)), "r12 and lr are not free");
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
