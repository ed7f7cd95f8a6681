//! Gives the values of a straight-line program registers, and writes it down.
//!
//! Values that find no register wait in floating-point registers, a cycle away.

use std::fmt::Write;

/// A value; it never changes.
pub type Value = usize;

/// Core registers for values. r0 is the base of all memory accesses.
const CORE: [&str; 13] =
    ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr"];

/// Two-operand instructions.
#[derive(Clone, Copy)]
pub enum Operation {
    /// Exclusive or.
    Eor,
    /// The first operand and not the second.
    Bic,
}

/// What a program does.
pub enum Step {
    /// A line for the reader.
    Comment(String),
    /// Words come from their indices in memory, and constants from theirs, to which s15 points. A
    /// group is worth having: a load behind a load takes one cycle, a load behind something else
    /// two, and a store behind a load none.
    Load { words: Vec<(Value, usize)>, constants: Vec<(Value, usize)> },
    /// A value goes to an index in memory.
    Store(Value, usize),
    /// `to` is made of `first` and of `second` rotated right.
    Compute { operation: Operation, to: Value, first: Value, second: Value, rotation: u32 },
}

impl Step {
    fn operands(&self) -> Vec<Value> {
        match *self {
            Step::Comment(_) | Step::Load { .. } => vec![],
            Step::Store(value, _) => vec![value],
            Step::Compute { first, second, .. } => vec![first, second],
        }
    }
}

/// Where the values of a program are while it is written.
pub struct Registers {
    core: [Option<Value>; CORE.len()],
    float: Vec<Option<Value>>,
    /// Core registers that values should get if they are free.
    wishes: Vec<Option<usize>>,
    /// Whether any value wishes a core register.
    wished: [bool; CORE.len()],
    /// The steps that use a value.
    uses: Vec<Vec<usize>>,
    /// Number of the present step.
    now: usize,
    text: String,
}

impl Registers {
    /// For `steps`, with as many floating-point registers.
    pub fn new(steps: &[Step], float: usize, wishes: Vec<Option<usize>>) -> Self {
        let mut uses = vec![vec![]; wishes.len()];
        for (number, step) in steps.iter().enumerate() {
            step.operands().into_iter().for_each(|value| uses[value].push(number));
        }
        let mut wished = [false; CORE.len()];
        wishes.iter().flatten().for_each(|&place| wished[place] = true);
        let core = [None; CORE.len()];
        let float = vec![None; float];
        Self { core, float, wishes, wished, uses, now: 0, text: String::new() }
    }

    /// Writes the next steps.
    pub fn write(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
            self.now += 1;
        }
    }

    /// The text that has been written since the last call.
    pub fn text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Brings values into core registers and nowhere else, and tells which by number.
    ///
    /// Only then may a jump come here from where other values are in these registers.
    pub fn hold(&mut self, values: &[Value]) -> Vec<usize> {
        let places = values.iter().map(|&value| self.fetch(value, values)).collect();
        for at in &mut self.float {
            *at = at.filter(|held| !values.contains(held));
        }
        places
    }

    /// The core register of a value, by number.
    fn place_of(&self, value: Value) -> Option<usize> {
        self.core.iter().position(|&at| at == Some(value))
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Comment(comment) => self.line(format_args!("@ {comment}")),
            Step::Load { words, constants } => self.load(words, constants),
            Step::Store(value, index) => {
                let place = self.fetch(*value, &[]);
                self.line(format_args!("str.w {}, [r0, #{}]", CORE[place], 4 * index));
                self.release(*value);
            }
            Step::Compute { operation, to, first, second, rotation } => {
                let [a, b] = [*first, *second].map(|value| self.fetch(value, &[*first, *second]));
                self.release(*first);
                self.release(*second);
                let place = self.assign(*to, &[]);
                let name = match operation {
                    Operation::Eor => "eor.w",
                    Operation::Bic => "bic.w",
                };
                let [to, a, b] = [place, a, b].map(|place| CORE[place]);
                match rotation {
                    0 => self.line(format_args!("{name} {to}, {a}, {b}")),
                    _ => self.line(format_args!("{name} {to}, {a}, {b}, ror #{rotation}")),
                }
            }
        }
    }

    fn load(&mut self, words: &[(Value, usize)], constants: &[(Value, usize)]) {
        // All registers first, so that no move stands between two loads.
        let values: Vec<_> = words.iter().chain(constants).map(|&(value, _)| value).collect();
        let places: Vec<_> = values.iter().map(|&value| self.assign(value, &values)).collect();
        let names: Vec<_> = places.into_iter().map(|place| CORE[place]).collect();
        // The last constant takes the place of the address.
        let address = names.last().expect("there is something to load");
        if !constants.is_empty() {
            self.line(format_args!("vmov {address}, s15"));
        }
        let (of_words, of_constants) = names.split_at(words.len());
        for (name, (_, index)) in of_words.iter().zip(words) {
            self.line(format_args!("ldr.w {name}, [r0, #{}]", 4 * index));
        }
        for (name, (_, index)) in of_constants.iter().zip(constants) {
            self.line(format_args!("ldr.w {name}, [{address}, #{}]", 4 * index));
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "    {line}").expect("a string takes everything");
    }

    /// Brings a value into a core register, at the cost of none of `pinned`.
    fn fetch(&mut self, value: Value, pinned: &[Value]) -> usize {
        self.place_of(value).unwrap_or_else(|| {
            let waiting = self.float.iter().position(|&at| at == Some(value));
            let waiting = waiting.expect("a value is in some register");
            let place = self.assign(value, pinned);
            self.line(format_args!("vmov {}, s{waiting}", CORE[place]));
            place
        })
    }

    /// Gives a value a core register: the one it wishes, or a free one, or that of the value
    /// used farthest from now.
    fn assign(&mut self, value: Value, pinned: &[Value]) -> usize {
        let free = |place: &usize| self.core[*place].is_none();
        let place = self.wishes[value]
            .filter(free)
            .or_else(|| (0..CORE.len()).find(|place| free(place) && !self.wished[*place]))
            .or_else(|| (0..CORE.len()).find(free))
            .unwrap_or_else(|| self.evict(pinned));
        self.core[place] = Some(value);
        place
    }

    /// Empties a core register; its value waits in a floating-point register.
    fn evict(&mut self, pinned: &[Value]) -> usize {
        let (place, value) = (0..CORE.len())
            .filter_map(|place| self.core[place].map(|value| (place, value)))
            .filter(|(_, value)| !pinned.contains(value))
            .max_by_key(|&(_, value)| self.distance(value))
            .expect("fewer pinned values than registers");
        if !self.float.contains(&Some(value)) {
            let waiting = self.float.iter().position(|at| at.is_none());
            let waiting = waiting.expect("enough floating-point registers");
            self.float[waiting] = Some(value);
            self.line(format_args!("vmov s{waiting}, {}", CORE[place]));
        }
        place
    }

    /// How far the next use of a value is.
    fn distance(&self, value: Value) -> usize {
        let next = self.uses[value].iter().find(|&&number| number >= self.now);
        next.map_or(usize::MAX, |number| number - self.now)
    }

    /// Frees the registers of a value that the present step uses last.
    fn release(&mut self, value: Value) {
        if self.uses[value].last().is_none_or(|&number| number <= self.now) {
            for at in self.core.iter_mut().chain(&mut self.float) {
                *at = at.filter(|&held| held != value);
            }
        }
    }
}
