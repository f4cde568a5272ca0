//! The state between two blocks: registers, memory and stack; joining states where paths meet, and finding the parts
//! that change between iterations of a loop.

use std::rc::Rc;

use aesmith_isa::lanes::{Counts, Machine};

use super::frame::{Frame, Slot, Stack};
use super::free::{Free, GaveUp, Kind, Value};
use super::numbers::{Made, Number, Traits};
use crate::lanes::intern::FastMap;

/// Registers, memory, stack.
#[derive(Clone)]
pub struct State {
    /// The registers.
    pub machine: Machine<Free>,
    /// Memory except for the stack.
    pub memory: Number,
    /// The stack.
    pub stack: Stack,
}

/// Computes the new value at a place, from the values at the same place in other states.
type Visit<'v> = dyn FnMut(&mut Free, Value, &[Value]) -> Value + 'v;

/// Values of names after an iteration, one for each back edge.
pub type Names = FastMap<Number, Vec<Value>>;

/// A value without a constant offset.
const fn whole(root: Number) -> Value {
    Value { root, offset: 0 }
}

impl State {
    /// The state at entry of a processor with this number of registers.
    pub fn entry(free: &mut Free, counts: Counts) -> State {
        let any = free.memory;
        let mut machine = Machine::filled(counts, whole(any), any, any, any);
        for (k, word) in machine.gpr.iter_mut().enumerate() {
            *word = whole(free.initial(Kind::General, k as u64));
        }
        for (k, lane) in machine.vector.as_flattened_mut().iter_mut().enumerate() {
            *lane = free.initial(Kind::Lane, k as u64);
        }
        for (k, mask) in machine.mask.iter_mut().enumerate() {
            *mask = free.initial(Kind::Mask, k as u64);
        }
        machine.flags = free.initial(Kind::Flags, 0);
        let stack = free.stack.clone().expect("begun");
        State { machine, memory: free.memory, stack }
    }

    /// Visits every value with those at its place in other states; with `alike`, also where all are equal.
    fn zip(
        &mut self,
        free: &mut Free,
        others: &[&State],
        alike: bool,
        visit: &mut Visit,
    ) -> Result<(), GaveUp> {
        let mut at: Vec<Value> = Vec::with_capacity(others.len());
        let mut scalar = |free: &mut Free, own: &mut Value, of: &dyn Fn(&State) -> Value| {
            if alike || others.iter().any(|other| of(other) != *own) {
                at.clear();
                at.extend(others.iter().map(|other| of(other)));
                *own = visit(free, *own, &at);
            }
        };
        for (k, own) in self.machine.gpr.iter_mut().enumerate() {
            scalar(free, own, &|other| other.machine.gpr[k]);
        }
        let mut number = |free: &mut Free, own: &mut Number, of: &dyn Fn(&State) -> Number| {
            let mut value = whole(*own);
            scalar(free, &mut value, &|other| whole(of(other)));
            *own = value.root;
        };
        for (k, lanes) in self.machine.vector.iter_mut().enumerate() {
            for (lane, own) in lanes.iter_mut().enumerate() {
                number(free, own, &|other| other.machine.vector[k][lane]);
            }
        }
        for (k, own) in self.machine.mask.iter_mut().enumerate() {
            number(free, own, &|other| other.machine.mask[k]);
        }
        number(free, &mut self.machine.flags, &|other| other.machine.flags);
        number(free, &mut self.memory, &|other| other.memory);
        for other in others {
            self.stack.deepest = self.stack.deepest.max(other.stack.deepest);
            self.stack.below = self.stack.below.max(other.stack.below);
            self.stack.left_secret |= other.stack.left_secret;
        }
        let entries: Vec<&Frame> = others.iter().map(|other| &other.stack.entry).collect();
        zip_frames(free, &mut self.stack.entry, &entries, alike, visit)?;
        let aligned: Vec<&Frame> = others.iter().filter_map(|other| other.stack.aligned.as_ref()).collect();
        match &mut self.stack.aligned {
            None if aligned.is_empty() => Ok(()),
            Some(own) if aligned.len() == others.len() => zip_frames(free, own, &aligned, alike, visit),
            _ => Err(GaveUp("a stack that is aligned on one way only")),
        }
    }

    /// The state where several paths meet at a block: common values, and elsewhere a value that lists the value on each
    /// path.
    pub fn meet(&mut self, free: &mut Free, block: usize, others: &[&State]) -> Result<(), GaveUp> {
        self.zip(free, others, false, &mut |free, own, others| {
            let mut of = vec![free.number(own)];
            of.extend(others.iter().map(|value| free.number(*value)));
            let traits = free.numbers.traits_of(&of);
            whole(free.numbers.quietly(Made::Met, [block as u64, 0], &of, traits))
        })
    }

    /// Compares the state at a loop's head with the states at its back edges. A value that changes gets a name, which
    /// stands for its value when the loop was entered. Returns the value of each name after an iteration, or `None` if
    /// the state was changed: then the loop must be followed again.
    pub fn turn(&mut self, free: &mut Free, head: usize, back: &[&State]) -> Result<Option<Names>, GaveUp> {
        let stack = self.stack.clone();
        // A stack slot that is written in the loop and not before it, or that is no longer protected, is a change, too.
        if self.name_changes(free, head, back, &[])? || self.stack != stack {
            return Ok(None);
        }
        let (became, apart) = self.named(free, head, back)?;
        if !apart.is_empty() {
            // Of values with one name, those that are unchanged after an iteration differ from those that are not.
            return match self.name_changes(free, head, back, &apart)? {
                true => Ok(None),
                false => Err(GaveUp("values that have one name and change in several ways")),
            };
        }
        // New facts about addresses may move loads across stores.
        let news = became.iter().filter(|(name, became)| free.addresses.note(**name, became)).count();
        Ok((news == 0).then_some(became))
    }

    /// Names the values that differ after an iteration, and renames values with one name that become different
    /// (`apart`); true if anything was named.
    fn name_changes(
        &mut self,
        free: &mut Free,
        head: usize,
        back: &[&State],
        apart: &[Number],
    ) -> Result<bool, GaveUp> {
        let mut changed = false;
        self.zip(free, back, false, &mut |free, own, after| {
            let before = free.numbers.traits(own.root);
            let traits = after.iter().fold(before, |all, value| all.or(free.numbers.traits(value.root)));
            // The lowest bits of a name's level are its traits.
            let (level, of) = match level(free, head, own) {
                None => (0, vec![free.number(own)]),
                Some(level) if apart.contains(&own.root) => {
                    // Values that were equal when the loop was entered change in different ways.
                    let mut of = vec![own.root];
                    of.extend(after.iter().map(|value| free.number(*value)));
                    ((level & !7) + 8, of)
                }
                Some(level) if traits != before => (level & !7, free.numbers.parts(own.root).collect()),
                Some(_) => return own,
            };
            changed = true;
            let constants = [head as u64, level | traits.bits()];
            whole(free.numbers.quietly(Made::Turns, constants, &of, Traits::from_bits(constants[1])))
        })?;
        Ok(changed)
    }

    /// The value of each name after an iteration, and the names that have several values.
    fn named(&self, free: &mut Free, head: usize, back: &[&State]) -> Result<(Names, Vec<Number>), GaveUp> {
        let (mut became, mut apart) = (Names::default(), Vec::new());
        self.clone().zip(free, back, true, &mut |free, own, after| {
            if level(free, head, own).is_some() {
                match became.get(&own.root) {
                    Some(known) if *known != after => apart.push(own.root),
                    Some(_) => {}
                    None => drop(became.insert(own.root, after.to_vec())),
                }
            }
            own
        })?;
        Ok((became, apart))
    }
}

/// The level of a name that a loop gave; `None` for any other value.
fn level(free: &Free, head: usize, value: Value) -> Option<u64> {
    let (by, [of, level]) = free.numbers.made_by(value.root);
    (by == Made::Turns as u8 && of == head as u64 && value.offset == 0).then_some(level)
}

/// Visits the slots of frames. A slot that is not of the same kind everywhere is lost.
fn zip_frames(
    free: &mut Free,
    own: &mut Frame,
    others: &[&Frame],
    alike: bool,
    visit: &mut Visit,
) -> Result<(), GaveUp> {
    if others.iter().any(|other| (other.root, other.top) != (own.root, own.top)) {
        return Err(GaveUp("frames of two kinds"));
    }
    if !alike && others.iter().all(|other| other.slots == own.slots) {
        return Ok(());
    }
    let count = others.iter().map(|other| other.slots.len()).fold(own.slots.len(), usize::max);
    let slot = |frame: &Frame, k: usize| frame.slots.get(k).copied().unwrap_or(Slot::Untouched);
    let mut slots = Vec::with_capacity(count);
    for k in 0..count {
        let first = slot(own, k);
        if !alike && others.iter().all(|other| slot(other, k) == first) {
            slots.push(first);
            continue;
        }
        let kind = |other: Slot| match (first, other) {
            (Slot::Word(_), Slot::Word(value)) => Some(value),
            (Slot::Half(_, a), Slot::Half(lane, b)) if a == b => Some(whole(lane)),
            _ => None,
        };
        let values: Option<Vec<Value>> = others.iter().map(|other| kind(slot(other, k))).collect();
        slots.push(match (first, values) {
            (Slot::Word(value), Some(values)) => Slot::Word(visit(free, value, &values)),
            (Slot::Half(lane, high), Some(values)) => {
                Slot::Half(visit(free, whole(lane), &values).root, high)
            }
            _ => {
                let mut all = others.iter().map(|other| slot(other, k)).chain([first]);
                Slot::Lost { secret: all.any(|slot| slot.is_secret(&free.numbers)) }
            }
        });
    }
    own.slots = Rc::new(slots);
    Ok(())
}
