//! The dependences of a block, derived from the reads and writes in the instructions' meanings.

use std::collections::HashMap;

use aesmith_isa::meaning::{Place, Step};
use aesmith_isa::table::{Field, Guard, Isa, Kind};
use aesmith_isa::{Insn, assemble::Item};

use super::block::{Block, Constraints, insn};
use super::set::RegisterSet;

/// The registers, flags and memory that an instruction reads and writes.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Access {
    /// Registers and flags read, virtual ones as in [`Insn`].
    pub reads: Vec<i32>,
    /// Registers and flags written.
    pub writes: Vec<i32>,
    /// The registers and flags in `writes` that may keep their old values; this matters only if the written value is
    /// needed.
    pub keeps: Vec<i32>,
    /// True if memory is read.
    pub loads: bool,
    /// True if memory is written.
    pub stores: bool,
}

impl Access {
    /// The accesses of an instruction, or a sentence on why it cannot be ordered.
    pub fn of(isa: &Isa, insn: &Insn) -> Result<Access, String> {
        let row = isa.of(insn);
        let effects = &row.effects;
        if effects.jumps {
            return Err(format!("{} jumps: it ends a straight line", row.name));
        }
        let mut access = Access { loads: effects.loads, stores: effects.stores, ..Access::default() };
        let field = |&(f, next): &(u8, bool)| {
            let r = insn.fields[usize::from(f)];
            if next && r >= Insn::VIRTUAL {
                return Err(format!("{}: pairs of virtual registers are not given registers", row.name));
            }
            Ok(r + i32::from(next))
        };
        for f in &effects.read_fields {
            access.reads.push(field(f)?);
        }
        for f in &effects.written_fields {
            access.writes.push(field(f)?);
        }
        access.reads.extend(effects.reads.iter().map(|&r| i32::from(r)));
        access.writes.extend(effects.writes.iter().map(|&r| i32::from(r)));
        let register = |place: Place| match place {
            Place::Fixed(r) => i32::from(r),
            Place::Field(f) => insn.fields[usize::from(f)],
            Place::Next(f) => insn.fields[usize::from(f)] + 1,
        };
        collect(&row.steps, false, &mut |step, inner| match step {
            Step::Multiple(f, _, store) => {
                let list = insn.fields[usize::from(*f)];
                let named = (0..16).filter(|r| list >> r & 1 == 1);
                if *store { access.reads.extend(named) } else { access.writes.extend(named) }
            }
            Step::Set(place, _) if inner => access.keeps.push(register(*place)),
            _ => {}
        });
        let flags = i32::from(isa.about.general)..isa.about.registers.len() as i32;
        match isa.about.guard {
            Guard::None => {}
            Guard::Field(name) => {
                let place = row.fields.iter().position(|f| f.name == name);
                let always = isa.conditions.len().saturating_sub(1) as i32;
                if let Some(place) = place
                    && insn.fields[place] < always
                {
                    access.reads.extend(flags.clone());
                    access.keeps.clone_from(&access.writes);
                }
            }
            Guard::Block(name) => {
                let state = isa.register(name).map(i32::from);
                if state.is_some_and(|r| access.writes.contains(&r)) {
                    return Err(format!("{}: instructions under a condition are not reordered", row.name));
                }
            }
        }
        // A register that may keep its old value counts as read; for flags, the caller decides.
        access.reads.extend(access.keeps.iter().filter(|r| !flags.contains(r)));
        let counter = isa.about.counter.map(|c| i32::from(c.register));
        if counter.is_some_and(|r| access.writes.contains(&r)) {
            return Err(format!("{} writes the program counter: it ends a straight line", row.name));
        }
        let plain = |r: &i32| Some(*r) != isa.about.zero.map(i32::from) && Some(*r) != counter;
        for list in [&mut access.reads, &mut access.writes, &mut access.keeps] {
            list.retain(plain);
            list.sort_unstable();
            list.dedup();
        }
        Ok(access)
    }
}

/// Visits every statement, with true for those under a condition.
fn collect<'a>(steps: &'a [Step], inner: bool, see: &mut impl FnMut(&'a Step, bool)) {
    for step in steps {
        see(step, inner);
        if let Step::If(_, then, otherwise) = step {
            collect(then, true, see);
            collect(otherwise, true, see);
        }
    }
}

/// Registers that a field may name; all for fields that hold none.
pub(crate) fn nameable(isa: &Isa, insn: &Insn, place: usize) -> RegisterSet {
    let row = isa.of(insn);
    let Field { kind: Kind::Register { base, step }, .. } = row.fields[place] else {
        return RegisterSet::ALL;
    };
    let (width, held) = (row.pattern.width(place), row.pattern.held(place));
    (0..1u32 << width)
        .filter(|code| u64::from(*code) & !held == 0)
        .filter(|code| !row.hidden.contains(&(place as u8, u64::from(*code))))
        .map(|code| u32::from(base) + u32::from(step) * code)
        .filter(|r| *r < u32::from(isa.about.general))
        .map(|r| r as u8)
        .collect()
}

/// The dependences of a block.
pub struct Graph {
    /// The accesses of each instruction.
    pub access: Vec<Access>,
    /// For each instruction, those that must stay before it.
    pub before: Vec<Vec<u16>>,
    /// For each instruction, those that must stay after it.
    pub after: Vec<Vec<u16>>,
}

impl Graph {
    /// The dependences of a block.
    pub fn new(isa: &Isa, block: &Block, constraints: &Constraints) -> Result<Graph, String> {
        let mut access = Vec::with_capacity(block.pieces.len());
        for piece in &block.pieces {
            let insn = insn(&piece.item).ok_or_else(|| {
                let what = match &piece.item {
                    Item::Label(name) => format!("the label {name}"),
                    other => format!("{other:?}"),
                };
                format!("a straight line holds instructions only, not {what}")
            })?;
            access.push(Access::of(isa, insn)?);
        }
        if access.len() >= usize::from(u16::MAX) {
            return Err(format!("a block of {} instructions is too long to be ordered", access.len()));
        }
        let count = access.len();
        let mut graph = Graph { access, before: vec![Vec::new(); count], after: vec![Vec::new(); count] };
        graph.registers(isa, block)?;
        for flag in i32::from(isa.about.general)..isa.about.registers.len() as i32 {
            graph.flag(flag, constraints.flags.iter().any(|&f| i32::from(f) == flag));
        }
        graph.memory(block, constraints);
        for list in graph.before.iter_mut().chain(&mut graph.after) {
            list.sort_unstable();
            list.dedup();
        }
        Ok(graph)
    }

    fn edge(&mut self, from: usize, to: usize) {
        if from != to {
            self.before[to].push(from as u16);
            self.after[from].push(to as u16);
        }
    }

    fn registers(&mut self, isa: &Isa, block: &Block) -> Result<(), String> {
        let is_flag = |r: i32| r >= i32::from(isa.about.general) && r < Insn::VIRTUAL;
        let mut writer: HashMap<i32, Option<usize>> = block.enters.iter().map(|&(v, _)| (v, None)).collect();
        let mut readers: HashMap<i32, Vec<usize>> = HashMap::new();
        for k in 0..self.access.len() {
            let access = self.access[k].clone();
            for &r in access.reads.iter().filter(|&&r| !is_flag(r)) {
                match writer.get(&r) {
                    Some(&Some(w)) => self.edge(w, k),
                    None if r >= Insn::VIRTUAL => {
                        let name = isa.register_name(r);
                        return Err(format!("{name} is read by instruction {k} before it is written"));
                    }
                    _ => {}
                }
                readers.entry(r).or_default().push(k);
            }
            for &r in access.writes.iter().filter(|&&r| !is_flag(r)) {
                if let Some(&Some(w)) = writer.get(&r) {
                    self.edge(w, k);
                }
                for reader in readers.remove(&r).unwrap_or_default() {
                    self.edge(reader, k);
                }
                writer.insert(r, Some(k));
                if access.reads.contains(&r) {
                    readers.entry(r).or_default();
                }
            }
        }
        // The value that leaves in a register is written after the last access to the value that entered in it.
        for &(v, r) in &block.enters {
            for &(u, _) in block.leaves.iter().filter(|&&(u, to)| u != v && to == Some(r)) {
                let touch = |k: usize, v: i32| {
                    let access = &self.access[k];
                    access.reads.contains(&v) || access.writes.contains(&v)
                };
                let (old, new): (Vec<usize>, Vec<usize>) = (
                    (0..self.access.len()).filter(|&k| touch(k, v)).collect(),
                    (0..self.access.len()).filter(|&k| touch(k, u)).collect(),
                );
                for &from in &old {
                    for &to in new.iter().filter(|&&to| to > from) {
                        self.edge(from, to);
                    }
                }
            }
        }
        match block.leaves.iter().find(|(v, _)| !writer.contains_key(v)) {
            Some((v, _)) => Err(format!("{} is wanted at the end and never written", isa.register_name(*v))),
            None => Ok(()),
        }
    }

    /// Adds the dependences of a flag. Dead flag writes may be reordered freely, but not between a flag write and its
    /// readers. (Most instructions of Thumb write flags.)
    fn flag(&mut self, flag: i32, kept: bool) {
        // An instruction that may keep the flag reads the old value if its own result is needed.
        let mut needed = kept;
        let mut keeps = vec![false; self.access.len()];
        for (k, access) in self.access.iter().enumerate().rev() {
            if access.writes.contains(&flag) {
                needed &= access.keeps.contains(&flag);
                keeps[k] = needed;
            }
            needed |= access.reads.contains(&flag);
        }
        // The values in order: the writer and the readers of each.
        let mut values: Vec<(Option<usize>, Vec<usize>)> = vec![(None, Vec::new())];
        for (k, access) in self.access.iter().enumerate() {
            if keeps[k] || access.reads.contains(&flag) {
                values.last_mut().expect("one value at least").1.push(k);
            }
            if access.writes.contains(&flag) {
                values.push((Some(k), Vec::new()));
            }
        }
        let last = values.len() - 1;
        let live: Vec<bool> =
            values.iter().enumerate().map(|(n, v)| !v.1.is_empty() || kept && n == last).collect();
        let mut previous: Option<usize> = None;
        for n in 0..values.len() {
            let (writer, readers) = values[n].clone();
            if let Some(w) = writer {
                for &reader in &readers {
                    self.edge(w, reader);
                }
                if let Some(p) = previous {
                    for &reader in &values[p].1 {
                        self.edge(reader, w);
                    }
                    if let (Some(before), true) = (values[p].0, live[n]) {
                        self.edge(before, w);
                    }
                }
                if !live[n]
                    && let Some(next) = (n + 1..values.len()).find(|&m| live[m])
                    && let Some(next) = values[next].0
                {
                    self.edge(w, next);
                }
            }
            if live[n] {
                previous = Some(n);
            }
        }
    }

    fn memory(&mut self, block: &Block, constraints: &Constraints) {
        for k in 0..self.access.len() {
            for earlier in 0..k {
                let (a, b) = (&self.access[earlier], &self.access[k]);
                let both = (a.loads || a.stores) && (b.loads || b.stores);
                if !both || !(a.stores || b.stores) {
                    continue;
                }
                let same = match (block.pieces[earlier].region, block.pieces[k].region) {
                    (Some(x), Some(y)) => x == y,
                    (None, Some(_)) => a.stores || !constraints.unmarked_is_constant,
                    (Some(_), None) => b.stores || !constraints.unmarked_is_constant,
                    (None, None) => true,
                };
                if same {
                    self.edge(earlier, k);
                }
            }
        }
    }
}
