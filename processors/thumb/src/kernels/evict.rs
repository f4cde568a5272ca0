//! Register allocation for straight-line code with many more live values than registers: in the writer's order,
//! the value whose next use is farthest is spilled to the stack (Belady, IBM Systems Journal 1966), and stays
//! in a register once reloaded. Afterwards reloads are moved up where they extend a run of loads, of which all
//! but the first take one cycle.

use std::collections::HashMap;

use aesmith_isa::assemble::Item;
use aesmith_isa::{Insn, Isa};

use super::writer::SP;
use aesmith_order::inorder::Block;
use aesmith_order::inorder::block::insn;
use aesmith_order::inorder::depend::Access;

/// The location of a value.
#[derive(Clone, Copy, Default)]
struct Place {
    register: Option<u8>,
    slot: Option<usize>,
}

struct State<'a> {
    isa: &'a Isa,
    /// Positions at which each virtual register is read; for outputs, the end.
    uses: HashMap<i32, Vec<usize>>,
    places: HashMap<i32, Place>,
    holds: [Option<i32>; 16],
    free: &'a [u8],
    slots: Vec<Option<i32>>,
    code: Vec<Insn>,
}

/// Code, and its number of stack slots.
pub type Allocated = (Vec<Item>, usize);

impl State<'_> {
    fn next(&self, v: i32, after: usize) -> usize {
        self.uses.get(&v).and_then(|u| u.iter().find(|&&p| p >= after)).copied().unwrap_or(usize::MAX)
    }

    fn memory(&mut self, name: &str, r: u8, slot: usize) {
        let fields = [("rt", i32::from(r)), ("rn", SP), ("imm", 4 * slot as i32)];
        self.code.push(self.isa.insn(name, &fields));
    }

    /// Frees a register for position `at`, by spilling if necessary; never evicts a value of `kept`.
    fn register(&mut self, at: usize, kept: &[i32], liked: Option<u8>) -> Result<u8, String> {
        let empty = |s: &Self, r: u8| s.holds[usize::from(r)].is_none();
        if let Some(r) = liked.filter(|&r| empty(self, r)) {
            return Ok(r);
        }
        if let Some(&r) = self.free.iter().find(|&&r| empty(self, r)) {
            return Ok(r);
        }
        let candidates = self.free.iter().filter_map(|&r| Some((r, self.holds[usize::from(r)]?)));
        let farthest = candidates
            .filter(|(_, v)| !kept.contains(v))
            // Among equals, the one that is on the stack already.
            .max_by_key(|&(_, v)| (self.next(v, at), self.places[&v].slot.is_some()));
        let (r, v) = farthest.ok_or("an instruction needs more registers than there are")?;
        if self.places[&v].slot.is_none() {
            let slot = match self.slots.iter().position(Option::is_none) {
                Some(slot) => slot,
                None => {
                    self.slots.push(None);
                    self.slots.len() - 1
                }
            };
            self.slots[slot] = Some(v);
            self.memory("str.imm", r, slot);
            self.places.entry(v).or_default().slot = Some(slot);
        }
        self.places.entry(v).or_default().register = None;
        self.holds[usize::from(r)] = None;
        Ok(r)
    }

    fn put(&mut self, v: i32, r: u8) {
        self.holds[usize::from(r)] = Some(v);
        self.places.entry(v).or_default().register = Some(r);
    }

    /// Frees registers whose values are dead from a position on.
    fn forget(&mut self, at: usize) {
        for r in 0..16 {
            if let Some(v) = self.holds[r]
                && self.next(v, at) == usize::MAX
            {
                self.holds[r] = None;
                self.places.entry(v).or_default().register = None;
            }
        }
        for slot in 0..self.slots.len() {
            if self.slots[slot].is_some_and(|v| self.next(v, at) == usize::MAX) {
                self.slots[slot] = None;
            }
        }
    }
}

/// Allocates a block in its order over these registers. Inputs and outputs use the registers that the block
/// specifies; a value that is updated in place keeps its register throughout.
pub fn allocated(isa: &Isa, block: &Block, free: &[u8]) -> Result<Allocated, String> {
    let insns: Vec<Insn> = block.pieces.iter().filter_map(|p| insn(&p.item)).copied().collect();
    let accesses: Vec<Access> = insns.iter().map(|i| Access::of(isa, i)).collect::<Result<_, _>>()?;
    let mut uses: HashMap<i32, Vec<usize>> = HashMap::new();
    let mut constant: Vec<i32> = Vec::new();
    for (at, access) in accesses.iter().enumerate() {
        for &v in access.reads.iter().filter(|&&v| v >= Insn::VIRTUAL) {
            uses.entry(v).or_default().push(at);
            if access.writes.contains(&v) {
                constant.push(v);
            }
        }
    }
    for &(v, _) in &block.leaves {
        uses.entry(v).or_default().push(insns.len());
    }
    let wanted: HashMap<i32, u8> = block.leaves.iter().filter_map(|&(v, r)| Some((v, r?))).collect();
    let stay: Vec<u8> = block.enters.iter().filter(|(v, _)| constant.contains(v)).map(|&(_, r)| r).collect();
    let free: Vec<u8> = free.iter().copied().filter(|r| !stay.contains(r)).collect();
    let mut state = State {
        isa,
        uses,
        places: HashMap::new(),
        holds: [None; 16],
        free: &free,
        slots: Vec::new(),
        code: Vec::new(),
    };
    for &(v, r) in &block.enters {
        state.put(v, r);
    }
    state.forget(0);
    for (at, (insn, access)) in insns.iter().zip(&accesses).enumerate() {
        let reads: Vec<i32> = access.reads.iter().copied().filter(|&v| v >= Insn::VIRTUAL).collect();
        for &v in &reads {
            if state.places.get(&v).is_none_or(|p| p.register.is_none()) {
                let slot = state.places.get(&v).and_then(|p| p.slot);
                let slot = slot.ok_or("a value is read before it is written")?;
                let r = state.register(at, &reads, None)?;
                state.memory("ldr.imm", r, slot);
                state.put(v, r);
            }
        }
        let mut placed = *insn;
        let mut given: HashMap<i32, u8> =
            reads.iter().filter_map(|&v| Some((v, state.places[&v].register?))).collect();
        state.forget(at + 1);
        for &v in access.writes.iter().filter(|&&v| v >= Insn::VIRTUAL) {
            if given.contains_key(&v) {
                continue;
            }
            let r = state.register(at + 1, &[], wanted.get(&v).copied())?;
            state.put(v, r);
            given.insert(v, r);
        }
        for field in &mut placed.fields {
            if let Some(&r) = given.get(field) {
                *field = i32::from(r);
            }
        }
        state.code.push(placed);
    }
    settle(&mut state, &wanted)?;
    let slots = state.slots.len();
    let code = hoisted(isa, state.code);
    Ok((code.into_iter().map(Item::Insn).collect(), slots))
}

/// Moves outputs to their registers.
fn settle(state: &mut State, wanted: &HashMap<i32, u8>) -> Result<(), String> {
    let mut moves: Vec<(Option<u8>, u8, i32)> =
        wanted.iter().map(|(&v, &r)| (state.places[&v].register, r, v)).collect();
    moves.sort_unstable_by_key(|&(_, to, _)| to);
    moves.retain(|&(from, to, _)| from != Some(to));
    while !moves.is_empty() {
        let free = moves.iter().position(|&(_, to, _)| !moves.iter().any(|&(from, ..)| from == Some(to)));
        match free {
            Some(k) => {
                let (from, to, v) = moves.remove(k);
                match (from, state.places[&v].slot) {
                    (Some(from), _) => {
                        let fields = [("rd", i32::from(to)), ("rm", i32::from(from))];
                        state.code.push(state.isa.insn("mov.reg", &fields));
                    }
                    (None, Some(slot)) => state.memory("ldr.imm", to, slot),
                    (None, None) => return Err("a value that leaves is not there".into()),
                }
            }
            None => {
                // A cycle: one of its values waits in a register that no output needs.
                let taken = |r: &u8| moves.iter().any(|&(from, to, _)| from == Some(*r) || to == *r);
                let held = |r: &u8| wanted.values().any(|w| w == r);
                let spare = state.free.iter().copied().find(|r| !taken(r) && !held(r));
                let spare = spare.ok_or("no register is left to exchange others")?;
                let from = moves[0].0.unwrap_or(spare);
                let fields = [("rd", i32::from(spare)), ("rm", i32::from(from))];
                state.code.push(state.isa.insn("mov.reg", &fields));
                moves[0].0 = Some(spare);
            }
        }
    }
    Ok(())
}

/// Moves loads from the stack up to directly after another load, if their register is free and they do not pass
/// a store to the stack.
fn hoisted(isa: &Isa, code: Vec<Insn>) -> Vec<Insn> {
    let access: Vec<Access> = code.iter().map(|i| Access::of(isa, i).unwrap_or_default()).collect();
    let mut order: Vec<usize> = (0..code.len()).collect();
    let loads = |k: usize| access[k].loads && !access[k].stores;
    let from_stack = |k: usize| loads(k) && access[k].reads == [SP];
    for at in 1..order.len() {
        let k = order[at];
        if !from_stack(k) || loads(order[at - 1]) {
            continue;
        }
        let target = access[k].writes[0];
        let mut best = None;
        for to in (0..at).rev() {
            let j = order[to];
            if loads(j) && !access[j].writes.contains(&target) {
                // Not where it would separate a load from an instruction that must follow it directly.
                best = Some(to + 1);
                break;
            }
            let touches = access[j].reads.contains(&target) || access[j].writes.contains(&target);
            if touches || access[j].stores {
                break;
            }
        }
        if let Some(to) = best {
            order[to..=at].rotate_right(1);
        }
    }
    order.into_iter().map(|k| code[k]).collect()
}
