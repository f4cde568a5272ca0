//! Straight-line code over values for ARMv6-M, which has eight registers for computation, with two operands per
//! instruction, and six more registers that values can only be moved to and from. In the writer's order, the
//! value whose next use is farthest is evicted from its register (Belady, IBM Systems Journal 1966): to one of
//! the six while one is free, then to the stack.

use std::collections::HashMap;

use super::SP;
use super::writer::Code;

/// Registers for computation, and registers for evicted values.
const LOW: std::ops::Range<i32> = 0..8;
const HIGH: [i32; 6] = [8, 9, 10, 11, 12, 14];

/// An operation that computes a value.
enum Operation {
    /// `ands` or `eors` of two values, in any order.
    Two(&'static str, usize, usize),
    /// A right shift by this number of bits.
    Down(usize, i32),
    /// Twice the first XOR the second.
    Doubled(usize, usize),
    /// The first by the second: `rors` or `bics`.
    By(&'static str, usize, usize),
    /// A left shift by this number of bits.
    Up(usize, i32),
    /// The complement.
    Not(usize),
    /// The word of the frame at this offset from the stack pointer.
    Kept(i32),
    /// The word of memory at this offset from an address.
    Loaded(usize, i32),
    /// No result: stores the value in the frame, at this offset from the stack pointer.
    Keep(usize, i32),
    /// No result: stores the first value at this offset from the second, an address.
    Store(usize, usize, i32),
}

impl Operation {
    /// The values that it reads.
    fn reads(&self) -> [Option<usize>; 2] {
        match *self {
            Operation::Two(_, a, b)
            | Operation::Doubled(a, b)
            | Operation::By(_, a, b)
            | Operation::Store(a, b, _) => [Some(a), Some(b)],
            Operation::Down(a, _)
            | Operation::Up(a, _)
            | Operation::Not(a)
            | Operation::Loaded(a, _)
            | Operation::Keep(a, _) => [Some(a), None],
            Operation::Kept(_) => [None, None],
        }
    }
}

/// A line: values are numbered, first its inputs, then its operations.
pub(crate) struct Straight {
    /// The registers of the inputs.
    enters: Vec<i32>,
    operations: Vec<Operation>,
}

impl Straight {
    /// An empty line with inputs in these registers.
    pub fn of(enters: &[i32]) -> Straight {
        Straight { enters: enters.to_vec(), operations: Vec::new() }
    }

    fn made(&mut self, operation: Operation) -> usize {
        self.operations.push(operation);
        self.enters.len() + self.operations.len() - 1
    }

    /// The `ands` or `eors` of two values.
    pub fn two(&mut self, name: &'static str, a: usize, b: usize) -> usize {
        self.made(Operation::Two(name, a, b))
    }

    /// A shift to the right.
    pub fn down(&mut self, a: usize, by: i32) -> usize {
        self.made(Operation::Down(a, by))
    }

    /// Twice `a`, XOR `b`.
    pub fn doubled(&mut self, a: usize, b: usize) -> usize {
        self.made(Operation::Doubled(a, b))
    }

    /// `rors` or `bics` of a value by another.
    pub fn by(&mut self, name: &'static str, a: usize, b: usize) -> usize {
        self.made(Operation::By(name, a, b))
    }

    /// A shift to the left.
    pub fn up(&mut self, a: usize, by: i32) -> usize {
        self.made(Operation::Up(a, by))
    }

    /// The complement.
    pub fn not(&mut self, a: usize) -> usize {
        self.made(Operation::Not(a))
    }

    /// A word of the frame, which may stay there.
    pub fn kept(&mut self, offset: i32) -> usize {
        self.made(Operation::Kept(offset))
    }

    /// The word at an offset from an address.
    pub fn loaded(&mut self, address: usize, offset: i32) -> usize {
        self.made(Operation::Loaded(address, offset))
    }

    /// Stores a word in the frame.
    pub fn keep(&mut self, a: usize, offset: i32) {
        self.made(Operation::Keep(a, offset));
    }

    /// Stores a word at an offset from an address.
    pub fn store(&mut self, a: usize, address: usize, offset: i32) {
        self.made(Operation::Store(a, address, offset));
    }

    /// Writes the line, leaves its last value in `to`, and returns the number of stack words that it uses.
    pub fn write(&self, code: &mut Code, to: i32) -> Result<usize, String> {
        self.written(code, Some(to))
    }

    /// Writes a line whose only results are its stores; its values may use `words` stack words.
    pub(crate) fn write_within(&self, code: &mut Code, words: i32) -> Result<(), String> {
        let taken = self.written(code, None)?;
        if taken as i32 > words {
            return Err(format!("{taken} words of the stack are needed, {words} are there"));
        }
        Ok(())
    }

    fn written(&self, code: &mut Code, to: Option<i32>) -> Result<usize, String> {
        let first = self.enters.len();
        let mut uses = vec![Vec::new(); first + self.operations.len()];
        for (at, operation) in self.operations.iter().enumerate() {
            for value in operation.reads().into_iter().flatten() {
                uses[value].push(at);
            }
        }
        if let Some(last) = uses.last_mut().filter(|_| to.is_some()) {
            last.push(self.operations.len());
        }
        let mut held = Held { uses, low: [None; 8], away: HashMap::new(), slots: 0, code };
        for (value, &r) in self.enters.iter().enumerate() {
            held.low[r as usize] = Some(value);
        }
        for (at, operation) in self.operations.iter().enumerate() {
            held.at(at, operation, first + at)?;
        }
        let Some(to) = to else { return Ok(held.slots) };
        let last = first + self.operations.len() - 1;
        let r = held.in_low(last, self.operations.len(), &[])?;
        let slots = held.slots;
        if r != to {
            code.mov(to, r);
        }
        Ok(slots)
    }
}

/// The place of an evicted value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Away {
    High(i32),
    Slot(usize),
    /// In the frame, where the writer stored it.
    Kept(i32),
}

/// Values and their places.
struct Held<'c> {
    /// The positions of each value's uses.
    uses: Vec<Vec<usize>>,
    low: [Option<usize>; 8],
    /// The places of evicted values, and of copies.
    away: HashMap<usize, Away>,
    slots: usize,
    code: &'c mut Code,
}

impl Held<'_> {
    fn next(&self, value: usize, after: usize) -> Option<usize> {
        self.uses[value].iter().copied().find(|&at| at >= after)
    }

    fn register(&self, value: usize) -> Option<i32> {
        LOW.into_iter().find(|&r| self.low[r as usize] == Some(value))
    }

    /// Frees the places of values that are dead from a position on.
    fn forget(&mut self, at: usize) {
        for r in 0..8 {
            if self.low[r].is_some_and(|value| self.next(value, at).is_none()) {
                self.low[r] = None;
            }
        }
        let uses = &self.uses;
        self.away.retain(|&value, _| uses[value].iter().any(|&u| u >= at));
    }

    /// A place for an evicted value: copies of values that are also in a low register are dropped before the
    /// stack is used.
    fn place(&mut self, value: usize) -> Away {
        let free = HIGH.into_iter().find(|&h| !self.away.values().any(|&p| p == Away::High(h)));
        let given_up = || {
            let copies =
                self.away.iter().filter(|&(&v, p)| matches!(p, Away::High(_)) && self.register(v).is_some());
            copies.max_by_key(|&(&v, _)| v).map(|(&v, &p)| (v, p))
        };
        let place = if let Some(h) = free {
            Away::High(h)
        } else if let Some((v, p)) = given_up() {
            self.away.remove(&v);
            p
        } else {
            let slot =
                (0..).find(|&s| !self.away.values().any(|&p| p == Away::Slot(s))).unwrap_or(self.slots);
            self.slots = self.slots.max(slot + 1);
            Away::Slot(slot)
        };
        self.away.insert(value, place);
        place
    }

    /// A free low register; the values in `kept` are not evicted.
    fn empty(&mut self, at: usize, kept: &[usize]) -> Result<i32, String> {
        if let Some(r) = LOW.into_iter().find(|&r| self.low[r as usize].is_none()) {
            return Ok(r);
        }
        let farthest = LOW
            .filter_map(|r| Some((r, self.low[r as usize]?)))
            .filter(|(_, value)| !kept.contains(value))
            .max_by_key(|&(_, value)| (self.next(value, at), self.away.contains_key(&value)));
        let (r, value) = farthest.ok_or("an operation needs more registers than there are")?;
        if !self.away.contains_key(&value) {
            match self.place(value) {
                Away::High(h) => self.code.mov(h, r),
                Away::Slot(s) => self.code.memory("str", r, SP, 4 * s as i32),
                Away::Kept(_) => return Err("a place to wait in is one of the frame's".into()),
            }
        }
        self.low[r as usize] = None;
        Ok(r)
    }

    /// Moves an evicted value to a register.
    fn fetch(&mut self, value: usize, to: i32) -> Result<(), String> {
        match self.away.get(&value).ok_or("a value is read before it is written")? {
            Away::High(h) => self.code.mov(to, *h),
            Away::Slot(s) => self.code.memory("ldr", to, SP, 4 * *s as i32),
            Away::Kept(offset) => self.code.memory("ldr", to, SP, *offset),
        }
        Ok(())
    }

    fn in_low(&mut self, value: usize, at: usize, kept: &[usize]) -> Result<i32, String> {
        if let Some(r) = self.register(value) {
            return Ok(r);
        }
        let r = self.empty(at, kept)?;
        self.fetch(value, r)?;
        self.low[r as usize] = Some(value);
        Ok(r)
    }

    /// A register that holds only this value, which an instruction may overwrite.
    fn spent(&mut self, value: usize, at: usize, kept: &[usize]) -> Result<i32, String> {
        let r = match self.register(value) {
            Some(r) if self.next(value, at + 1).is_none() => r,
            Some(own) => {
                let r = self.empty(at, &[kept, &[value]].concat())?;
                self.code.put("movs_reg", &[("rd", r), ("rm", own)]);
                r
            }
            None => {
                let r = self.empty(at, kept)?;
                self.fetch(value, r)?;
                r
            }
        };
        self.low[r as usize] = None;
        Ok(r)
    }

    /// The register of a value, and one for a result.
    fn beside(&mut self, a: usize, at: usize) -> Result<(i32, i32), String> {
        let from = self.in_low(a, at, &[])?;
        let r = match self.next(a, at + 1) {
            None => from,
            Some(_) => self.empty(at, &[a])?,
        };
        Ok((from, r))
    }

    fn at(&mut self, at: usize, operation: &Operation, value: usize) -> Result<(), String> {
        let to = match *operation {
            Operation::Two(name, a, b) => {
                // Overwrites a value that is dead afterwards, or one that has to be moved anyway.
                let rank = |v: usize| match (self.next(v, at + 1), self.register(v)) {
                    (None, Some(_)) => 0,
                    (None, None) => 1,
                    (Some(_), None) => 2,
                    (Some(_), Some(_)) => 3,
                };
                let (over, other) = if rank(b) < rank(a) { (b, a) } else { (a, b) };
                let other_at = self.in_low(other, at, &[over])?;
                let r = self.spent(over, at, &[other])?;
                self.code.op(name, r, other_at);
                r
            }
            Operation::Doubled(a, b) => {
                let other = self.in_low(b, at, &[a])?;
                let r = self.spent(a, at, &[b])?;
                self.code.lsl(r, r, 1);
                self.code.op("eors", r, other);
                r
            }
            Operation::By(name, a, b) => {
                let other = self.in_low(b, at, &[a])?;
                let r = self.spent(a, at, &[b])?;
                self.code.op(name, r, other);
                r
            }
            Operation::Down(a, by) => {
                let (from, r) = self.beside(a, at)?;
                self.code.lsr(r, from, by);
                r
            }
            Operation::Up(a, by) => {
                let (from, r) = self.beside(a, at)?;
                self.code.lsl(r, from, by);
                r
            }
            Operation::Not(a) => {
                let (from, r) = self.beside(a, at)?;
                self.code.put("mvns_reg", &[("rd", r), ("rm", from)]);
                r
            }
            Operation::Loaded(a, offset) => {
                let (from, r) = self.beside(a, at)?;
                self.code.memory("ldr", r, from, offset);
                r
            }
            Operation::Kept(offset) => {
                self.away.insert(value, Away::Kept(offset));
                return Ok(());
            }
            Operation::Keep(a, offset) => {
                let r = self.in_low(a, at, &[])?;
                self.code.memory("str", r, SP, offset);
                self.forget(at + 1);
                return Ok(());
            }
            Operation::Store(a, address, offset) => {
                let to = self.in_low(address, at, &[a])?;
                let r = self.in_low(a, at, &[address])?;
                self.code.memory("str", r, to, offset);
                self.forget(at + 1);
                return Ok(());
            }
        };
        self.low[to as usize] = Some(value);
        self.forget(at + 1);
        Ok(())
    }
}
