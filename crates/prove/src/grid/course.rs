//! The loop of a thread: the paths of an iteration, and the induction over iterations.

use std::collections::BTreeSet;

use aesmith_isa::execute::Machine;
use aesmith_isa::grid::EXIT;

use crate::bits::Refutation;
use crate::bits::forms::Bits;
use crate::bits::value::Value as Data;
use crate::grid::ahead::Held;
use crate::grid::domain::{Path, Value};
use crate::grid::facts::Question;
use crate::grid::index::{Form, Symbol};
use crate::grid::setup::{LIMIT, Stop, Thread};

/// The most paths of an iteration; an iteration with more is given up.
const MOST_PATHS: usize = 64;

/// The most backward jumps within an iteration; after more of them a loop counts as endless.
const MOST_BACKWARDS: u32 = 1000;

/// The end of a path.
#[derive(Clone)]
pub struct End {
    /// The events on the path.
    pub path: Path,
    /// The state in which it came back to the head of the loop; `None` if the thread ended.
    pub back: Option<Machine<Value>>,
}

/// The facts at the head of a loop that hold in any iteration.
pub struct Head {
    /// Registers.
    pub machine: Machine<Value>,
    /// The facts about blocks of text.
    pub path: Path,
}

impl Thread<'_> {
    /// Follows all paths from a state to the head of the loop, which it may begin at, or to the end of the thread.
    pub fn follow(&mut self, machine: Machine<Value>, path: Path, head: u64) -> Result<Vec<End>, Refutation> {
        let mut ends = Vec::new();
        let mut open = vec![(machine, path)];
        while let Some((mut machine, path)) = open.pop() {
            if ends.len() + open.len() > MOST_PATHS {
                return Err(self.refuse(machine.pc, "a turn has more paths than a proof follows"));
            }
            self.domain.path = path;
            let mut backwards = 0;
            let back = loop {
                match self.step(&mut machine)? {
                    Stop::Went(false) if machine.pc == head => break Some(machine),
                    Stop::Went(false) => {}
                    Stop::Went(true) if machine.pc == head => break Some(machine),
                    // An inner loop is executed as many times as its counter says.
                    Stop::Went(true) => {
                        backwards += 1;
                        if backwards > MOST_BACKWARDS {
                            return Err(self.refuse(machine.pc, "a loop within a turn does not end"));
                        }
                        self.inner = self.inner.max(backwards + 1);
                    }
                    Stop::Barrier => {
                        return Err(self.refuse(
                            machine.pc,
                            "a barrier behind the first: not every thread need come to it",
                        ));
                    }
                    Stop::Exit => break None,
                    Stop::Asks(question) => {
                        let mut other = self.domain.path.clone();
                        other.facts.add(question.clone(), false);
                        open.push((machine.clone(), other));
                        self.domain.path.facts.add(question, true);
                    }
                }
            };
            ends.push(End { path: std::mem::take(&mut self.domain.path), back });
        }
        Ok(ends)
    }

    /// The head of the only loop of a thread from a state on; other loops are nested in it.
    pub fn head(&mut self, machine: &Machine<Value>) -> Result<u64, Refutation> {
        let from = machine.pc;
        match self.head_of(from, &self.reached(from)) {
            // Threads of other kinds have taken another branch before this thread asks anything.
            Err(_) => {
                let first = self.first_question(machine)?;
                self.head_of(from, &self.reached(first))
            }
            found => found,
        }
    }

    /// The head of the only loop from an instruction on, among the reached loops.
    fn head_of(&self, from: u64, reached: &BTreeSet<u64>) -> Result<u64, Refutation> {
        let isa = self.isa;
        let targets = self.program.insns.iter().enumerate().filter_map(|(at, insn)| {
            let distance = isa.operand(insn, "to").filter(|&distance| distance <= 0)?;
            Some((at as u64, (at as i64 + i64::from(distance)) as u64))
        });
        let loops: Vec<(u64, u64)> =
            targets.filter(|&(at, to)| reached.contains(&at) && to >= from).collect();
        let Some(head) = loops.iter().map(|&(_, to)| to).min() else {
            return Err(self.refuse(from, "no loop stands there: a grid of some size leaves text undone"));
        };
        let end = loops.iter().filter(|&&(_, to)| to == head).map(|&(at, _)| at).max().unwrap_or(head);
        match loops.iter().all(|&(at, _)| at <= end) {
            true => Ok(head),
            false => Err(self.refuse(from, "there are loops one after another")),
        }
    }

    /// The instruction at which a thread first asks something or ends.
    fn first_question(&mut self, machine: &Machine<Value>) -> Result<u64, Refutation> {
        let mut machine = machine.clone();
        self.domain.path = Path::default();
        for _ in 0..LIMIT {
            if !matches!(self.step(&mut machine)?, Stop::Went(_)) {
                self.domain.path = Path::default();
                return Ok(machine.pc);
            }
        }
        Err(self.refuse(machine.pc, "a thread never asks how many blocks of text there are"))
    }

    /// The instructions that a thread may reach from one on, whatever its branches depend on.
    fn reached(&self, from: u64) -> BTreeSet<u64> {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            let Some(insn) = self.program.insns.get(at as usize).filter(|_| reached.insert(at)) else {
                continue;
            };
            let to = self.isa.operand(insn, "to").map(|distance| at.wrapping_add_signed(distance.into()));
            let next = (self.isa.of(insn).class != EXIT).then_some(at + 1);
            open.extend(to.into_iter().chain(next));
        }
        reached
    }

    /// The loop invariant, generalised from the states before and after the first iteration: a register is unchanged,
    /// or has moved on by a multiple of the number of blocks of threads, or is unknown.
    pub(crate) fn any_turn(&self, first: &End, second: &End) -> Option<Head> {
        let (before, after) = (first.back.as_ref()?, second.back.as_ref()?);
        let streams = self.program.has_streams();
        let moved = |old: &Form, new: &Form| Some(old.plus(&new.minus(old).in_turns(streams)?, 1));
        // Numbers of blocks of text of a thread may be bits of its own number at first.
        let form = |value: &Value| self.domain.form(64, value);
        let general = |((old, new), width): ((&Value, &Value), u8)| match (old, new) {
            _ if old.same(new) => old.clone(),
            (Value::Data(_), Value::Data(_)) if width == 64 => {
                let moved = form(old).zip(form(new)).and_then(|(old, new)| moved(&old, &new));
                moved.map_or(Value::unknown(true), Value::Index)
            }
            (Value::Index(old), Value::Index(new)) => {
                moved(old, new).map_or(Value::unknown(true), Value::Index)
            }
            (Value::Text(of, old), Value::Text(role, new)) if of == role => {
                moved(old, new).map_or(Value::unknown(true), |form| Value::Text(*role, form))
            }
            _ => Value::unknown(true),
        };
        let widths = self.isa.about.registers.iter().map(|&(_, width)| width);
        let registers = before.registers.iter().zip(&after.registers).zip(widths).map(general).collect();
        let mut path = Path::default();
        for old in first.path.facts.affirmed() {
            let later = second.path.facts.affirmed().filter(|new| *new != old && new.high == old.high);
            // The question for the next iteration's block comes last, after those for other blocks of this iteration.
            let low = later.filter_map(|new| moved(&old.low, &new.low)).last();
            low.into_iter().for_each(|low| path.facts.add(Question { low, ..old.clone() }, true));
            // A stream that is there stays there.
            if old.high == Form::of(Symbol::Streams, 1) {
                path.facts.add(old.clone(), true);
            }
        }
        let mut machine = before.clone();
        machine.registers = registers;
        Some(Head { machine, path })
    }

    /// Lets the registers that hold words of the initial vector before the loop hold words of the chain value in any
    /// iteration. Returns these registers, each with the first byte of its word.
    pub fn chain(&mut self, first: &End, any: &mut Head) -> Vec<(usize, usize)> {
        let Some(machine) = &first.back else { return Vec::new() };
        let (iv, chain) = (self.domain.iv.clone(), self.domain.chain());
        let mut found = Vec::new();
        for (register, value) in machine.registers.iter().enumerate() {
            let Value::Data(Data::Bits(bits)) = value else { continue };
            let place = (0..16).step_by(4).find(|&at| bits[..] == iv[at..at + 4].concat()[..]);
            if let Some(at) = place {
                let word = self.domain.symbols.value(chain[at..at + 4].concat());
                any.machine.registers[register] = Value::Data(word);
                found.push((register, at));
            }
        }
        found
    }

    /// True if registers hold what must be the chain value of the next iteration: the only block that an iteration
    /// writes.
    fn chains(&self, end: &End, machine: &Machine<Value>, chain: &[(usize, usize)]) -> bool {
        let mut written = end.path.written.values();
        let (Some(block), None) = (written.next(), written.next()) else { return chain.is_empty() };
        chain.iter().all(|&(register, at)| {
            let bytes: Option<Vec<_>> = block[at..at + 4].iter().map(|cell| cell.flatten()).collect();
            let Value::Data(Data::Bits(bits)) = &machine.registers[register] else { return false };
            bytes.is_some_and(|bytes| {
                bytes.concat() == bits[..] && !bits.iter().any(|&bit| Bits::is_opaque(bit))
            })
        })
    }

    /// The registers that do not come back as the invariant of the head, one iteration later.
    pub fn uneven(&mut self, head: &Head, end: &End, chain: &[(usize, usize)], held: &[Held]) -> Vec<usize> {
        let Some(machine) = &end.back else { return Vec::new() };
        let is_even = |(register, (general, found)): (usize, (&Value, &Value))| {
            if let Some(held) = held.iter().find(|held| held.register == register) {
                return self.is_held_again(held, found);
            }
            let later = match general {
                Value::Index(form) => Value::Index(form.a_turn_later()),
                Value::Text(role, form) => Value::Text(*role, form.a_turn_later()),
                other => other.clone(),
            };
            let unknown = matches!(general, Value::Data(Data::Unknown(_)));
            unknown || chain.iter().any(|&(of, _)| of == register) || later.same(found)
        };
        let both = head.machine.registers.iter().zip(&machine.registers).enumerate();
        let even: Vec<bool> = both.map(is_even).collect();
        (0..even.len()).filter(|&register| !even[register]).collect()
    }

    /// The refutation for a register that does not come back as the invariant of the head.
    pub(crate) fn refuse_uneven(&self, head: &Head, register: usize, held: &[Held]) -> Refutation {
        let name = self.isa.about.registers[register].0;
        let why = match held.iter().any(|held| held.register == register) {
            true => format!("{name} does not hold the text of the next turn"),
            false => format!("{name} does not move on evenly from turn to turn of the loop"),
        };
        self.refuse(head.machine.pc, why)
    }

    /// Checks that the state that came back to the head satisfies the invariant one iteration later, given that its
    /// registers do.
    pub(crate) fn comes_back(
        &self,
        head: &Head,
        end: &End,
        chain: &[(usize, usize)],
    ) -> Result<(), Refutation> {
        let Some(machine) = &end.back else { return Ok(()) };
        let at = head.machine.pc;
        if !self.chains(end, machine, chain) {
            return Err(
                self.refuse(at, "what a turn takes for the block before is not what the one before wrote")
            );
        }
        for question in head.path.facts.affirmed() {
            if end.path.facts.answer(&question.a_turn_later()) != Some(true) {
                let low = &question.low;
                let why = format!("the loop goes on though nothing says that `{low}` is there a turn later");
                return Err(self.refuse(at, why));
            }
        }
        let bounded = |q: &Question| q.low.is_natural() && q.low.pace() > 0;
        if !end.path.facts.affirmed().any(bounded) {
            return Err(self
                .refuse(at, "the loop goes on without end: no turn asks whether a block of text is there"));
        }
        Ok(())
    }
}
