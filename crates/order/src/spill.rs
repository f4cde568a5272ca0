//! Registers for straight-line code that may need more of them than there are: what is needed
//! furthest in the future gives way (Belady), to a stack slot or, if it came from memory that does
//! not change, to nothing. Every store and reload is counted.

use crate::{Instruction, Reg};

/// What allocation must know of a machine's instructions.
pub trait Machine<I> {
    /// Whether the value that `definition` makes can be had again by executing it again.
    fn repeatable(&self, definition: &I) -> bool;
    /// `definition` into another register.
    fn repeat(&self, definition: &I, reg: u8) -> I;
    /// `reg`, which holds what `definition` made, to a stack slot.
    fn store(&self, definition: &I, reg: u8, slot: usize) -> I;
    /// Back from the slot.
    fn load(&self, definition: &I, reg: u8, slot: usize) -> I;
    /// `user` with its operand `value` in memory: in the slot, or where `definition` reads it from.
    /// None if it cannot.
    fn from_memory(&self, user: &I, value: Reg, definition: &I, slot: Option<usize>) -> Option<I>;
    /// The sources whose register the result may take when they end with the instruction, the best
    /// first.
    fn shareable(&self, instruction: &I) -> [Option<Reg>; 3];
}

/// What allocation added to the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spills {
    /// Stack slots in use at once.
    pub slots: usize,
    /// Stores to them.
    pub stores: usize,
    /// Loads and memory operands from them.
    pub reloads: usize,
}

impl Spills {
    /// Both, one after the other.
    pub fn and(self, other: Spills) -> Spills {
        Spills {
            slots: self.slots.max(other.slots),
            stores: self.stores + other.stores,
            reloads: self.reloads + other.reloads,
        }
    }
}

/// No register is left for what one instruction reads and writes: this many are too few.
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
    /// Positions at which each value is mentioned, all in one list, from the last to the first.
    mentions: Vec<Vec<u32>>,
    holds: [Option<u16>; 256],
    free: Vec<u8>,
    slots: Vec<bool>,
    spills: Spills,
    code: Vec<I>,
    pool: usize,
    at: u32,
}

/// Gives each virtual register of `code` registers of `pool` and, where these do not suffice,
/// stack slots.
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
            // Executed where it is first needed in a register, if anywhere.
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
            // A register for what is needed again, as long as there are free ones.
            if last || self.free.is_empty() {
                let slot = if again { None } else { value.slot };
                let user = self.machine.from_memory(&instruction, Reg::Virtual(v), &definition, slot);
                if let Some(user) = user {
                    instruction = user;
                    self.spills.reloads += usize::from(!again);
                    for read in &mut reads {
                        if *read == Some(v) {
                            *read = None;
                        }
                    }
                    // Its slot is read by the instruction: what is stored before that needs another.
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
            // What its slot holds is out of date.
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

    /// The value is not needed any more.
    fn end(&mut self, v: u16) {
        if let Some(register) = self.values[v as usize].register.take() {
            self.holds[register as usize] = None;
            self.free.push(register);
        }
        if let Some(slot) = self.values[v as usize].slot.take() {
            self.slots[slot] = false;
        }
    }

    /// A register: a free one, or that of the value that is needed furthest in the future and is
    /// none of `keep`.
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

    /// How far away the next mention is; what need not be stored first seems further.
    fn distance(&self, v: u16) -> u32 {
        let value = &self.values[v as usize];
        let next = self.mentions[v as usize].last().map_or(u32::MAX / 4, |next| next - self.at);
        let clean = value.slot.is_some()
            || (value.written == 1 && value.definition.as_ref().is_some_and(|d| self.machine.repeatable(d)));
        if clean { 2 * next } else { next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effects;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Where a number is, on the machine of these tests.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    enum Place {
        Reg(Reg),
        Slot(usize),
        /// Memory that does not change.
        Fixed(u32),
    }

    #[derive(Clone, Copy, Debug)]
    enum Kind {
        /// A number made of the sources; this one's, which tells it apart.
        Make(u32),
        /// The first source.
        Copy,
    }

    /// `dst = kind(sources)`; the last source may be memory.
    #[derive(Clone, Copy, Debug)]
    struct Toy {
        kind: Kind,
        dst: Place,
        sources: [Option<Place>; 2],
        /// Whether the result may not share a register with the last source.
        apart: bool,
    }

    impl Instruction for Toy {
        fn effects(&self) -> Effects {
            let reg = |place: Option<Place>| match place {
                Some(Place::Reg(r)) => Some(r),
                _ => None,
            };
            Effects {
                reads: [reg(self.sources[0]), reg(self.sources[1]), None],
                writes: reg(Some(self.dst)),
                text: None,
            }
        }
        fn rename(&mut self, mut map: impl FnMut(Reg) -> Reg) {
            let mut renamed = |place: Place| match place {
                Place::Reg(r) => Place::Reg(map(r)),
                other => other,
            };
            self.sources = self.sources.map(|s| s.map(&mut renamed));
            self.dst = renamed(self.dst);
        }
    }

    struct Tester;

    impl Machine<Toy> for Tester {
        fn repeatable(&self, i: &Toy) -> bool {
            matches!((i.kind, i.sources), (Kind::Copy, [Some(Place::Fixed(_)), None]))
        }
        fn repeat(&self, i: &Toy, reg: u8) -> Toy {
            Toy { dst: Place::Reg(Reg::Fixed(reg)), ..*i }
        }
        fn store(&self, _: &Toy, reg: u8, slot: usize) -> Toy {
            let from = Some(Place::Reg(Reg::Fixed(reg)));
            Toy { kind: Kind::Copy, dst: Place::Slot(slot), sources: [from, None], apart: false }
        }
        fn load(&self, _: &Toy, reg: u8, slot: usize) -> Toy {
            let dst = Place::Reg(Reg::Fixed(reg));
            Toy { kind: Kind::Copy, dst, sources: [Some(Place::Slot(slot)), None], apart: false }
        }
        fn from_memory(&self, user: &Toy, value: Reg, of: &Toy, slot: Option<usize>) -> Option<Toy> {
            let value = Some(Place::Reg(value));
            if user.sources[1] != value || user.sources[0] == value {
                return None;
            }
            let from = slot.map_or(of.sources[0], |slot| Some(Place::Slot(slot)));
            Some(Toy { sources: [user.sources[0], from], ..*user })
        }
        fn shareable(&self, i: &Toy) -> [Option<Reg>; 3] {
            let [a, b, _] = i.effects().reads;
            [a, b.filter(|_| !i.apart), None]
        }
    }

    /// The numbers that the code makes, in order.
    fn run(code: &[Toy]) -> Vec<u64> {
        let mut places: HashMap<Place, u64> = HashMap::new();
        let mut made = Vec::new();
        for toy in code {
            let value = |place: Place| match place {
                Place::Fixed(n) => u64::from(n) + 100,
                place => places.get(&place).copied().unwrap_or(7),
            };
            let number = match toy.kind {
                Kind::Copy => value(toy.sources[0].expect("a copy is of something")),
                Kind::Make(id) => toy.sources.iter().flatten().fold(u64::from(id), |h, s| {
                    (h ^ value(*s)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(9)
                }),
            };
            places.insert(toy.dst, number);
            if matches!(toy.kind, Kind::Make(_)) {
                made.push(number);
            }
        }
        made
    }

    fn programs() -> impl Strategy<Value = Vec<Toy>> {
        let seeds = (any::<u16>(), any::<u16>(), 0..8u8, any::<bool>());
        proptest::collection::vec(seeds, 1..80).prop_map(|seeds| {
            let mut code: Vec<Toy> = Vec::new();
            for (i, (a, b, kind, apart)) in seeds.into_iter().enumerate() {
                let pick = |s: u16| (i > 0).then(|| code[s as usize % i].dst);
                let fresh = Place::Reg(Reg::Virtual(i as u16));
                code.push(match kind {
                    0 | 1 => {
                        let from = Some(Place::Fixed(u32::from(a % 5)));
                        Toy { kind: Kind::Copy, dst: fresh, sources: [from, None], apart }
                    }
                    // Now and then a value is written again.
                    2 => Toy {
                        kind: Kind::Make(i as u32),
                        dst: pick(b).unwrap_or(fresh),
                        sources: [pick(a), None],
                        apart: false,
                    },
                    _ => Toy {
                        kind: Kind::Make(i as u32),
                        dst: fresh,
                        sources: [pick(a), pick(b)],
                        apart: apart && pick(a) != pick(b),
                    },
                });
            }
            code
        })
    }

    proptest! {
        #[test]
        fn few_registers_keep_the_meaning(code in programs(), registers in 3u8..12) {
            let pool: Vec<u8> = (0..registers).collect();
            let (allocated, spills) = allocate_spilling(&code, code.len(), &pool, &Tester).unwrap();
            prop_assert_eq!(run(&allocated), run(&code));
            for toy in &allocated {
                if let (true, Place::Reg(dst)) = (toy.apart, toy.dst) {
                    prop_assert!(toy.sources[1] != Some(Place::Reg(dst)));
                }
            }
            let stores = allocated.iter().filter(|t| matches!(t.dst, Place::Slot(_))).count();
            prop_assert_eq!(spills.stores, stores);
        }
    }

    #[test]
    fn one_instruction_can_be_too_much() {
        let reg = |n| Place::Reg(Reg::Virtual(n));
        let make = |n: u16, sources| Toy { kind: Kind::Make(n.into()), dst: reg(n), sources, apart: false };
        let code = [
            make(0, [None; 2]),
            make(1, [None; 2]),
            make(2, [Some(reg(0)), Some(reg(1))]),
            make(3, [Some(reg(1)), Some(reg(0))]),
        ];
        assert!(allocate_spilling(&code, 4, &[0, 1], &Tester).is_ok());
        assert_eq!(allocate_spilling(&code, 4, &[0], &Tester).unwrap_err(), TooFew(1));
    }
}
