//! Register allocation for straight-line code that may need more registers than there are. The value with the furthest
//! next use is evicted (Belady), to a stack slot or, if it came from memory that does not change, without a store.
//! Every store and reload is counted.

use crate::{Instruction, Reg};

/// The instructions of a machine, as allocation needs them.
pub trait Machine<I> {
    /// True if the value of `definition` can be recomputed by executing it again.
    fn repeatable(&self, definition: &I) -> bool;
    /// Builds `definition` with another result register.
    fn repeat(&self, definition: &I, reg: u8) -> I;
    /// Builds the store of `reg`, which holds the value of `definition`, to a stack slot.
    fn store(&self, definition: &I, reg: u8, slot: usize) -> I;
    /// Builds the reload from a slot.
    fn load(&self, definition: &I, reg: u8, slot: usize) -> I;
    /// Builds `user` with its operand `value` in memory: in the slot, or where `definition` reads it from. `None` if
    /// the instruction has no such form.
    fn in_memory(&self, user: &I, value: Reg, definition: &I, slot: Option<usize>) -> Option<I>;
    /// The sources whose register the result may take when they end with the instruction, the best first.
    fn shareable(&self, instruction: &I) -> [Option<Reg>; 3];
}

/// The code that allocation added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spills {
    /// The number of stack slots in use at once.
    pub slots: usize,
    /// The number of stores to them.
    pub stores: usize,
    /// The number of loads and memory operands from them.
    pub reloads: usize,
}

impl Spills {
    /// The sum for two consecutive pieces of code.
    pub fn and(self, other: Spills) -> Spills {
        Spills {
            slots: self.slots.max(other.slots),
            stores: self.stores + other.stores,
            reloads: self.reloads + other.reloads,
        }
    }
}

/// The error if one instruction reads and writes more registers than the pool has; the field is the pool's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFew(pub usize);

#[derive(Clone, Copy)]
struct Value<I> {
    definition: Option<I>,
    written: u32,
    register: Option<u8>,
    slot: Option<usize>,
}

struct Allocator<'m, I, M> {
    machine: &'m M,
    values: Vec<Value<I>>,
    /// The positions at which each value is mentioned, from the last to the first.
    mentions: Vec<Vec<u32>>,
    holds: [Option<u16>; 256],
    free: Vec<u8>,
    slots: Vec<bool>,
    spills: Spills,
    code: Vec<I>,
    pool: usize,
    at: u32,
}

/// Assigns registers of `pool` to the virtual registers of `code` and, where these do not suffice, stack slots.
///
/// # Errors
/// If one instruction needs more registers than the pool has.
pub fn allocate_spilling<I: Instruction + Copy>(
    code: &[I],
    virtuals: usize,
    pool: &[u8],
    machine: &impl Machine<I>,
) -> Result<(Vec<I>, Spills), TooFew> {
    let mut values = vec![Value { definition: None, written: 0, register: None, slot: None }; virtuals];
    let mut mentions: Vec<Vec<u32>> = vec![Vec::new(); virtuals];
    for (i, instruction) in code.iter().enumerate().rev() {
        let effects = instruction.effects();
        if let Some(Reg::Virtual(v)) = effects.writes {
            values[v as usize].definition = Some(*instruction);
            values[v as usize].written += 1;
        }
        for reg in effects.reads.into_iter().flatten().chain(effects.writes) {
            if let Reg::Virtual(v) = reg {
                let list = &mut mentions[v as usize];
                if list.last() != Some(&(i as u32)) {
                    list.push(i as u32);
                }
            }
        }
    }
    let mut allocator = Allocator {
        machine,
        values,
        mentions,
        holds: [None; 256],
        free: pool.iter().rev().copied().collect(),
        slots: Vec::new(),
        spills: Spills::default(),
        code: Vec::with_capacity(code.len() + code.len() / 8),
        pool: pool.len(),
        at: 0,
    };
    for (i, instruction) in code.iter().enumerate() {
        allocator.instruction(i as u32, *instruction)?;
    }
    Ok((allocator.code, allocator.spills))
}

impl<I: Instruction + Copy, M: Machine<I>> Allocator<'_, I, M> {
    fn instruction(&mut self, at: u32, mut instruction: I) -> Result<(), TooFew> {
        self.at = at;
        let effects = instruction.effects();
        if let Some(Reg::Virtual(v)) = effects.writes
            && self.values[v as usize].written == 1
            && self.machine.repeatable(&instruction)
        {
            // The instruction is executed where its value is first needed in a register, if anywhere.
            self.mentions[v as usize].pop();
            return Ok(());
        }
        let mut reads: [Option<u16>; 3] = [None; 3];
        for (k, reg) in effects.reads.into_iter().enumerate() {
            if let Some(Reg::Virtual(v)) = reg
                && !reads.contains(&Some(v))
            {
                reads[k] = Some(v);
            }
        }
        for v in reads.into_iter().flatten().chain(match effects.writes {
            Some(Reg::Virtual(v)) => Some(v),
            _ => None,
        }) {
            let list = &mut self.mentions[v as usize];
            if list.last() == Some(&at) {
                list.pop();
            }
        }
        let mut in_memory = Vec::new();
        for v in reads.into_iter().flatten() {
            if self.values[v as usize].register.is_some() {
                continue;
            }
            let value = self.values[v as usize];
            let Some(definition) = value.definition else { continue };
            let again = self.machine.repeatable(&definition) && value.written == 1;
            let last = self.mentions[v as usize].is_empty();
            // A value that is needed again gets a register while free ones are left.
            if last || self.free.is_empty() {
                let slot = if again { None } else { value.slot };
                let user = self.machine.in_memory(&instruction, Reg::Virtual(v), &definition, slot);
                if let Some(user) = user {
                    instruction = user;
                    self.spills.reloads += usize::from(!again);
                    for read in &mut reads {
                        if *read == Some(v) {
                            *read = None;
                        }
                    }
                    // The instruction reads this slot, so a store before it needs another one.
                    in_memory.extend(last.then_some(v));
                    continue;
                }
            }
            let register = self.take(&reads)?;
            let fetch = if again {
                self.machine.repeat(&definition, register)
            } else {
                self.spills.reloads += 1;
                let slot = value.slot.expect("a value out of its register stands in a slot");
                self.machine.load(&definition, register, slot)
            };
            self.code.push(fetch);
            self.give(v, register);
        }
        let names: Vec<(u16, u8)> = reads
            .into_iter()
            .flatten()
            .filter_map(|v| self.values[v as usize].register.map(|r| (v, r)))
            .collect();
        let shareable = self.machine.shareable(&instruction);
        let may_share = |v: u16| shareable.contains(&Some(Reg::Virtual(v)));
        let written = match effects.writes {
            Some(Reg::Virtual(v)) => Some(v),
            _ => None,
        };
        let ends: Vec<u16> = names
            .iter()
            .map(|(v, _)| *v)
            .filter(|v| self.mentions[*v as usize].is_empty() && Some(*v) != written)
            .collect();
        for &v in ends.iter().filter(|v| may_share(**v)) {
            self.end(v);
        }
        let mut into = None;
        if let Some(w) = written {
            if self.values[w as usize].register.is_none() {
                let wished = shareable.into_iter().flatten().find_map(|s| match s {
                    Reg::Virtual(v) if ends.contains(&v) => {
                        names.iter().find(|(n, _)| *n == v).map(|(_, r)| *r)
                    }
                    _ => None,
                });
                let register = match wished.and_then(|r| self.free.iter().position(|f| *f == r)) {
                    Some(index) => self.free.remove(index),
                    None => {
                        let keep: [Option<u16>; 3] = reads.map(|v| v.filter(|v| !may_share(*v)));
                        self.take(&keep)?
                    }
                };
                self.give(w, register);
            }
            // The content of its slot is out of date.
            if let Some(slot) = self.values[w as usize].slot.take() {
                self.slots[slot] = false;
            }
            into = self.values[w as usize].register;
        }
        instruction.rename(|reg| match reg {
            Reg::Virtual(v) => {
                let read = names.iter().find(|(n, _)| *n == v).map(|(_, r)| *r);
                let register = read.or(into.filter(|_| Some(v) == written));
                Reg::Fixed(register.expect("every virtual register has been given a machine register"))
            }
            fixed => fixed,
        });
        self.code.push(instruction);
        let late = ends.iter().copied().filter(|v| !may_share(*v));
        late.chain(in_memory).for_each(|v| self.end(v));
        if let Some(w) = written
            && self.mentions[w as usize].is_empty()
        {
            self.end(w);
        }
        Ok(())
    }

    fn give(&mut self, v: u16, register: u8) {
        self.values[v as usize].register = Some(register);
        self.holds[register as usize] = Some(v);
    }

    /// Frees a value that is not needed any more.
    fn end(&mut self, v: u16) {
        if let Some(register) = self.values[v as usize].register.take() {
            self.holds[register as usize] = None;
            self.free.push(register);
        }
        if let Some(slot) = self.values[v as usize].slot.take() {
            self.slots[slot] = false;
        }
    }

    /// Takes a register: a free one, or that of the value with the furthest next use that is not in `keep`.
    fn take(&mut self, keep: &[Option<u16>; 3]) -> Result<u8, TooFew> {
        if let Some(register) = self.free.pop() {
            return Ok(register);
        }
        let victim = self
            .holds
            .iter()
            .flatten()
            .copied()
            .filter(|v| !keep.contains(&Some(*v)))
            .max_by_key(|v| self.distance(*v));
        let Some(v) = victim else { return Err(TooFew(self.pool)) };
        let value = self.values[v as usize];
        let (register, definition) = (value.register.expect("it holds a register"), value.definition);
        let definition = definition.expect("it has been written");
        let again = value.written == 1 && self.machine.repeatable(&definition);
        if !again && value.slot.is_none() {
            let slot = self.slots.iter().position(|used| !used).unwrap_or_else(|| {
                self.slots.push(false);
                self.slots.len() - 1
            });
            self.slots[slot] = true;
            self.values[v as usize].slot = Some(slot);
            self.spills.slots = self.spills.slots.max(slot + 1);
            self.spills.stores += 1;
            self.code.push(self.machine.store(&definition, register, slot));
        }
        self.values[v as usize].register = None;
        self.holds[register as usize] = None;
        Ok(register)
    }

    /// The distance to the next mention; values that need no store count double.
    fn distance(&self, v: u16) -> u32 {
        let value = &self.values[v as usize];
        let next = self.mentions[v as usize].last().map_or(u32::MAX / 4, |next| next - self.at);
        let clean = value.slot.is_some()
            || (value.written == 1 && value.definition.as_ref().is_some_and(|d| self.machine.repeatable(d)));
        if clean { 2 * next } else { next }
    }
}

#[cfg(test)]
mod tests;
