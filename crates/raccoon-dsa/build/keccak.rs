//! Writes the Keccak-f\[1600\] of the armv7em backend: a schedule on words, and the registers
//! that an allocator gives them.

use std::fmt::Write;

use crate::layout::{EFFECT_DELAY, Word, delay, source};

/// Where the ten half-planes of a round stand: row and half.
pub struct Schedule {
    pub order: [(usize, usize); 10],
    pub groups: Vec<usize>,
    pub start: usize,
    pub forward: bool,
    /// columns to accumulate at each of the planes
    pub accumulate: [[bool; 5]; 10],
}

type Value = usize;

#[derive(Clone, Copy, Debug)]
struct Rotated {
    value: Value,
    delay: u32,
}

#[derive(Debug)]
enum Op {
    Load(Vec<(Value, usize)>),
    Store(Value, usize),
    Alu { name: &'static str, to: Value, first: Value, second: Value, ror: u32 },
}

const COLUMN_BASE: [[usize; 2]; 5] = [[2, 3], [1, 0], [1, 2], [3, 3], [2, 0]];
/// Whether effect (x, h) is aligned to its left column
const EFFECT_LEFT: [[bool; 2]; 5] =
    [[true, false], [false, false], [false, true], [false, true], [false, true]];
/// Word index of the place of a word in memory in a round (mod 4)
fn place(word: Word, round: usize) -> usize {
    let (x, y, half) = word;
    if round == 0 {
        return 10 * y + 2 * x + half;
    }
    // The output (x, y, half) lies where the input of the same half-plane in column x lay.
    for at in 0..5 {
        let (from, _) = source((at, y, half));
        if from.0 == x {
            return place(from, round - 1);
        }
    }
    unreachable!()
}

struct Round<'a> {
    schedule: &'a Schedule,
    ops: &'a mut Vec<Op>,
    values: &'a mut usize,
    parity: [[Option<Rotated>; 2]; 5],
    have: Vec<Word>,
}

impl Round<'_> {
    fn new_value(&mut self) -> Value {
        *self.values += 1;
        *self.values - 1
    }
    fn alu(&mut self, name: &'static str, first: Rotated, second: Rotated) -> Rotated {
        let to = self.new_value();
        let ror = (32 + first.delay - second.delay) % 32;
        self.ops.push(Op::Alu { name, to, first: first.value, second: second.value, ror });
        Rotated { value: to, delay: first.delay }
    }
    fn load(&mut self, words: &[Word], round: usize) -> Vec<Rotated> {
        let loads: Vec<_> = words.iter().map(|&w| (self.new_value(), place(w, round))).collect();
        let r = loads.iter().zip(words).map(|(l, &w)| Rotated { value: l.0, delay: delay(w) });
        let r = r.collect();
        self.ops.push(Op::Load(loads));
        r
    }
    fn add_parity(&mut self, word: Word, v: Rotated) {
        let (x, y, h) = word;
        self.have.push(word);
        let p = match self.parity[x][h] {
            None => v,
            Some(p) if COLUMN_BASE[x][h] == y => self.alu("eor", v, p),
            Some(p) => self.alu("eor", p, v),
        };
        self.parity[x][h] = Some(p);
    }

    fn theta(&mut self, round: usize) -> [[Rotated; 2]; 5] {
        let s = self.schedule;
        let nodes: Vec<(usize, usize)> = (0..10)
            .map(|k| {
                let k = if s.forward { s.start + k } else { s.start + 10 - k } % 10;
                (2 * k % 5, k % 2)
            })
            .collect();
        let have = std::mem::take(&mut self.have);
        let words: Vec<Word> = nodes
            .iter()
            .flat_map(|&(x, h)| (0..5).map(move |i| (x, (COLUMN_BASE[x][h] + 1 + i) % 5, h)))
            .filter(|w| !have.contains(w))
            .collect();
        let mut effect = [[Rotated { value: 0, delay: 0 }; 2]; 5];
        let mut done = [[false; 2]; 5];
        let mut node = 0;
        let mut rest = &words[..];
        let mut groups = s.groups.iter();
        while node < 10 {
            if !rest.is_empty() {
                let n = (*groups.next().unwrap_or(&4)).min(rest.len());
                let (now, later) = rest.split_at(n);
                rest = later;
                let vs = self.load(now, round);
                for (&w, v) in now.iter().zip(vs) {
                    self.add_parity(w, v);
                }
            }
            while node < 10 {
                let (x, h) = nodes[node];
                if rest.iter().any(|w| (w.0, w.2) == (x, h)) {
                    break;
                }
                node += 1;
                done[x][h] = true;
                for (ex, eh) in [((x + 1) % 5, h), ((x + 4) % 5, 1 - h)] {
                    let (l, r) = (((ex + 4) % 5, eh), ((ex + 1) % 5, 1 - eh));
                    if done[l.0][l.1] && done[r.0][r.1] {
                        let left = self.parity[l.0][l.1].unwrap();
                        let mut right = self.parity[r.0][r.1].unwrap();
                        if eh == 0 {
                            right.delay = (right.delay + 1) % 32;
                        }
                        effect[ex][eh] = if EFFECT_LEFT[ex][eh] {
                            self.alu("eor", left, right)
                        } else {
                            self.alu("eor", right, left)
                        };
                        assert_eq!(effect[ex][eh].delay, EFFECT_DELAY[ex][eh]);
                    }
                }
            }
        }
        effect
    }

    fn run(&mut self, round: usize, constants: [Value; 2]) {
        let effect = self.theta(round);
        self.parity = Default::default();
        self.have.clear();
        for (i, (y, half)) in self.schedule.order.into_iter().enumerate() {
            let sources: Vec<(Word, u32)> = (0..5).map(|x| source((x, y, half))).collect();
            let words: Vec<Word> = sources.iter().map(|s| s.0).collect();
            let lanes = self.load(&words, round);
            let mut b = Vec::new();
            for (&((x, _, h), rotation), lane) in sources.iter().zip(lanes) {
                let mut v = self.alu("eor", effect[x][h], lane);
                v.delay = (v.delay + rotation) % 32;
                b.push(v);
            }
            for x in 0..5 {
                let t = self.alu("bic", b[(x + 2) % 5], b[(x + 1) % 5]);
                let mut out = self.alu("eor", t, b[x]);
                assert_eq!(out.delay, delay((x, y, half)));
                if (x, y) == (0, 0) {
                    out = self.alu("eor", out, Rotated { value: constants[half], ..out });
                }
                self.ops.push(Op::Store(out.value, place((x, y, half), round + 1)));
                if self.schedule.accumulate[i][x] {
                    self.add_parity((x, y, half), out);
                }
            }
        }
    }
}

const REGISTERS: [&str; 13] =
    ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr"];

struct Allocator {
    registers: [Option<Value>; 13],
    slots: [Option<Value>; 32],
    nslots: usize,
    uses: Vec<Vec<usize>>,
    hints: Vec<Option<usize>>,
    text: String,
    cost: usize,
    now: usize,
    moves: usize,
    bias: f64,
    peak: usize,
}

impl Allocator {
    fn emit(&mut self, s: &str) {
        writeln!(self.text, "    {s}").unwrap();
        self.cost += 1;
    }
    fn next_use(&self, v: Value) -> usize {
        self.uses[v].iter().copied().find(|&u| u >= self.now).unwrap_or(usize::MAX)
    }
    fn later_use(&self, v: Value) -> usize {
        self.uses[v].iter().copied().find(|&u| u > self.now).unwrap_or(usize::MAX)
    }
    fn take(&mut self, v: Value, pinned: &[Value]) -> usize {
        let hinted: Vec<usize> = self.hints.iter().flatten().copied().collect();
        let hint = self.hints[v].filter(|&r| self.registers[r].is_none());
        let free = hint
            .or_else(|| (0..13).find(|r| self.registers[*r].is_none() && !hinted.contains(r)))
            .or_else(|| (0..13).find(|r| self.registers[*r].is_none()));
        let r = free.unwrap_or_else(|| {
            let r = (0..13)
                .filter(|&r| !pinned.contains(&self.registers[r].unwrap()))
                .max_by_key(|&r| {
                    let v = self.registers[r].unwrap();
                    let clean = self.slots.contains(&Some(v));
                    let d = (self.next_use(v) - self.now) as f64;
                    (d * if clean { self.bias } else { 1.0 } * 16.0) as usize
                })
                .expect("a register to spill");
            let v = self.registers[r].unwrap();
            if !self.slots.contains(&Some(v)) {
                let slot = self.slots[..self.nslots]
                    .iter()
                    .position(Option::is_none)
                    .expect("a free floating-point register");
                self.peak = self.peak.max(slot);
                self.slots[slot] = Some(v);
                self.emit(&format!("vmov s{slot}, {}", REGISTERS[r]));
                self.moves += 1;
            }
            r
        });
        self.registers[r] = Some(v);
        r
    }
    fn bring(&mut self, v: Value, pinned: &[Value]) -> usize {
        if let Some(r) = self.registers.iter().position(|&x| x == Some(v)) {
            return r;
        }
        let slot = self.slots.iter().position(|&x| x == Some(v)).expect("value somewhere");
        let r = self.take(v, pinned);
        self.emit(&format!("vmov {}, s{slot}", REGISTERS[r]));
        self.moves += 1;
        r
    }
    fn drop_dead(&mut self, v: Value) {
        if self.later_use(v) == usize::MAX {
            for r in self.registers.iter_mut().chain(&mut self.slots) {
                if *r == Some(v) {
                    *r = None;
                }
            }
        }
    }
    fn run(&mut self, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Load(group) => {
                    let pinned: Vec<Value> = group.iter().map(|g| g.0).collect();
                    let rs: Vec<usize> = pinned.iter().map(|&v| self.take(v, &pinned)).collect();
                    for (r, (_, at)) in rs.into_iter().zip(group) {
                        self.emit(&format!("ldr.w {}, [r0, #{}]", REGISTERS[r], 4 * at));
                    }
                    self.cost += 1;
                }
                Op::Store(v, at) => {
                    let r = self.bring(*v, &[]);
                    self.emit(&format!("str.w {}, [r0, #{}]", REGISTERS[r], 4 * at));
                    self.drop_dead(*v);
                }
                Op::Alu { name, to, first, second, ror } => {
                    let a = self.bring(*first, &[*first, *second]);
                    let b = self.bring(*second, &[*first, *second]);
                    self.drop_dead(*first);
                    self.drop_dead(*second);
                    let r = self.take(*to, &[]);
                    let shift = if *ror == 0 { String::new() } else { format!(", ror #{ror}") };
                    self.emit(&format!(
                        "{name}.w {}, {}, {}{shift}",
                        REGISTERS[r], REGISTERS[a], REGISTERS[b]
                    ));
                }
            }
            self.now += 1;
        }
    }
}

pub struct Output {
    pub text: String,
    pub cost: usize,
    pub moves: usize,
}

pub fn assembly(s: &Schedule, fix: &[usize; 5], bias: f64) -> Output {
    let mut ops = Vec::new();
    let mut values = 8; // the constants
    // Prologue: the words accumulated at the end of the round before.
    let mut have: Vec<Word> = Vec::new();
    for (i, (y, h)) in s.order.into_iter().enumerate() {
        for x in 0..5 {
            if s.accumulate[i][x] {
                have.push((x, y, h));
            }
        }
    }
    let mut round = Round {
        schedule: s,
        ops: &mut ops,
        values: &mut values,
        parity: Default::default(),
        have: vec![],
    };
    for chunk in have.chunks(5) {
        let vs = round.load(chunk, 0);
        for (&w, v) in chunk.iter().zip(vs) {
            round.add_parity(w, v);
        }
    }
    let starts: Vec<(usize, usize, Value)> = (0..5)
        .flat_map(|x| [(x, 0), (x, 1)])
        .filter_map(|(x, h)| round.parity[x][h].map(|p| (x, h, p.value)))
        .collect();
    let prologue = round.ops.len();
    for r in 0..4 {
        round.run(r, [2 * r, 2 * r + 1]);
    }
    let ends: Vec<Value> =
        starts.iter().map(|&(x, h, _)| round.parity[x][h].unwrap().value).collect();

    let mut uses = vec![Vec::new(); values];
    for (i, op) in ops.iter().enumerate() {
        match op {
            Op::Load(_) => {}
            Op::Store(v, _) => uses[*v].push(i),
            Op::Alu { first, second, .. } => {
                uses[*first].push(i);
                uses[*second].push(i);
            }
        }
    }
    let mut hints = vec![None; values];
    for (i, (&end, start)) in ends.iter().zip(&starts).enumerate() {
        uses[end].push(ops.len());
        hints[start.2] = Some(fix[i]);
        hints[end] = Some(fix[i]);
    }
    let mut a = Allocator {
        registers: [None; 13],
        slots: [None; 32],
        nslots: 14,
        uses,
        hints,
        text: String::new(),
        cost: 0,
        now: 0,
        moves: 0,
        bias,
        peak: 0,
    };
    for i in 0..8 {
        a.slots[6 + i] = Some(i);
    }
    a.run(&ops[..prologue]);
    let begin: Vec<usize> =
        starts.iter().map(|s| a.registers.iter().position(|&x| x == Some(s.2)).unwrap()).collect();
    let mut text = String::from(HEAD);
    text += &a.text;
    text += LOOP;
    a.text.clear();
    a.cost = 0;
    a.run(&ops[prologue..]);
    let finish: Vec<Option<usize>> =
        ends.iter().map(|&v| a.registers.iter().position(|&x| x == Some(v))).collect();
    // parallel move
    let mut pending: Vec<(usize, usize)> = vec![];
    for ((f, &b), &v) in finish.iter().zip(&begin).zip(&ends) {
        match f {
            Some(f) if *f != b => pending.push((*f, b)),
            Some(_) => {}
            None => {
                let slot = a.slots.iter().position(|&x| x == Some(v)).unwrap();
                a.emit(&format!("vmov {}, s{slot}", REGISTERS[b]));
            }
        }
    }
    while !pending.is_empty() {
        if let Some(i) = (0..pending.len()).find(|&i| !pending.iter().any(|p| p.0 == pending[i].1))
        {
            let (f, t) = pending.remove(i);
            a.emit(&format!("mov.w {}, {}", REGISTERS[t], REGISTERS[f]));
        } else {
            let f = pending[0].0;
            a.emit(&format!("mov.w r12, {}", REGISTERS[f]));
            pending[0].0 = 11;
        }
    }
    text += &a.text;
    text += TAIL;
    Output { text, cost: a.cost, moves: a.moves }
}

const HEAD: &str = "    .fpu fpv4-sp-d16
    push.w {r4-r11, lr}
    vmov s14, r2
    vmov s15, r1
";
const LOOP: &str = "0:
    vmov r12, s15
    vldmia r12!, {s6-s13}
    vmov s15, r12
";
const TAIL: &str = "    vmov r12, s15
    vmov lr, s14
    cmp.w r12, lr
    bne.w 0b
    pop.w {r4-r11, pc}
";

pub fn permutation() -> String {
    let mut accumulate = [[false; 5]; 10];
    for row in &mut accumulate[5..] {
        *row = [true; 5];
    }
    accumulate[5][4] = false;
    let s = Schedule {
        order: [(0, 0), (3, 0), (1, 0), (2, 0), (4, 0), (1, 1), (2, 1), (4, 1), (3, 1), (0, 1)],
        groups: vec![8, 7, 6, 11, 9, 8, 9, 3, 5],
        start: 7,
        forward: false,
        accumulate,
    };
    assembly(&s, &[10, 7, 5, 9, 1], 1.2).text
}
