//! Selects the operations that are executed in the previous iteration.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use aesmith_isa::table::Kind;
use aesmith_isa::{Insn, Isa, assemble::Item};

use crate::inorder::block::{Block, Constraints, Piece, insn};
use crate::inorder::depend::Graph;
use crate::inorder::pressure::Pressure;

/// The bit that marks regions read one iteration ahead: memory that the current iteration does not write.
const NEXT: u16 = 0x8000;

/// The cut of an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Cut<'c> {
    /// The index of the first piece that is not executed ahead.
    pub before: usize,
    /// Regions of memory that may be read ahead although they are written: the next iteration exists and reads other
    /// bytes of them than the current one writes.
    pub regions: &'c [u16],
}

/// A loop after the cut.
pub struct Split {
    /// The operations before the first iteration.
    pub ahead: Block,
    /// The rest of the last iteration.
    pub rest: Block,
    /// The rest of an iteration, followed by the start of the next.
    turn: Block,
    /// The number of pieces of `turn` that belong to the rest.
    left: usize,
    graph: Graph,
    /// Registers of values that pass from one iteration to the next.
    pub goes_on: Vec<u8>,
}

/// Marks the pieces that may be executed in the previous iteration: their inputs are available at its end, and their
/// effects are visible only within the block.
fn may_go(isa: &Isa, block: &Block, graph: &Graph, cut: Cut) -> Vec<bool> {
    let entering: Vec<i32> = block.enters.iter().map(|&(v, _)| v).collect();
    let leaving: Vec<i32> = block.leaves.iter().map(|&(v, _)| v).collect();
    let mut all = vec![false; block.pieces.len()];
    let mut written: Vec<i32> = Vec::new();
    for (k, piece) in block.pieces.iter().enumerate() {
        let access = &graph.access[k];
        let region = piece.region.is_none_or(|r| cut.regions.contains(&r));
        let own = access.writes.iter().all(|&r| r >= Insn::VIRTUAL && !leaving.contains(&r));
        let now = access.reads.iter().all(|r| !written.contains(r) && !entering.contains(r));
        let before = graph.before[k].iter().all(|&b| all[usize::from(b)]);
        let plain = insn(&piece.item).is_some_and(|insn| !isa.of(insn).effects.stores);
        all[k] = k < cut.before && region && own && now && before && plain;
        written.extend(access.writes.iter().filter(|&&r| r < Insn::VIRTUAL));
    }
    all
}

/// A piece with renumbered virtual registers.
fn renumbered(isa: &Isa, piece: &Piece, by: i32) -> Piece {
    let mut piece = piece.clone();
    if let Item::Insn(insn) | Item::Linked { insn, .. } = &mut piece.item {
        for (place, field) in isa.of(insn).fields.iter().enumerate() {
            if matches!(field.kind, Kind::Register { .. }) && insn.fields[place] >= Insn::VIRTUAL {
                insn.fields[place] += by;
            }
        }
    }
    piece
}

/// Cuts an iteration.
///
/// # Errors
/// No operation before the cut may be executed ahead, or there are too few registers for the values that pass on.
pub fn split(isa: &Isa, block: &Block, cut: Cut, constraints: &Constraints) -> Result<Split, String> {
    let graph = Graph::new(isa, block, constraints)?;
    let pressure = Pressure::new(isa, block, &graph, constraints)?;
    let goes = may_go(isa, block, &graph, cut);
    if !goes.contains(&true) {
        return Err("nothing of a turn can be done in the one before".into());
    }
    let part = |ahead: bool| -> Vec<Piece> {
        let each = block.pieces.iter().zip(&goes);
        each.filter(|(_, goes)| **goes == ahead).map(|(piece, _)| piece.clone()).collect()
    };
    let taken = |r: &u8| {
        block.enters.iter().any(|&(_, e)| e == *r) || block.leaves.iter().any(|&(_, l)| l == Some(*r))
    };
    let mut free: Vec<u8> = constraints.free.iter().copied().filter(|r| !taken(r)).collect();
    let mut goes_on: BTreeMap<i32, u8> = BTreeMap::new();
    for (v, of) in pressure.virtuals.iter().enumerate() {
        let both = [true, false].map(|ahead| of.accesses.iter().any(|&k| goes[usize::from(k)] == ahead));
        if both == [true, true] {
            // These are the least preferred registers, which must be saved.
            let at = free.iter().rposition(|&r| of.mask.contains(r));
            let at = at.ok_or("registers do not suffice for what goes from one turn to the next")?;
            goes_on.insert(Insn::VIRTUAL + v as i32, free.remove(at));
        }
    }
    let goes_on: Vec<(i32, u8)> = goes_on.into_iter().collect();
    let (left, next) = (part(false), part(true));
    let ahead = Block {
        pieces: next.clone(),
        leaves: goes_on.iter().map(|&(v, r)| (v, Some(r))).collect(),
        count: block.count,
        ..Block::default()
    };
    let rest = Block {
        pieces: left.clone(),
        enters: block.enters.iter().chain(&goes_on).copied().collect(),
        leaves: block.leaves.clone(),
        count: block.count,
        ..Block::default()
    };
    let next = next
        .iter()
        .map(|piece| Piece { region: piece.region.map(|r| r | NEXT), ..renumbered(isa, piece, block.count) });
    let goes_again = goes_on.iter().map(|&(v, r)| (v + block.count, Some(r)));
    let turn = Block {
        pieces: left.iter().cloned().chain(next).collect(),
        enters: rest.enters.clone(),
        leaves: block.leaves.iter().copied().chain(goes_again).collect(),
        count: 2 * block.count,
        ..Block::default()
    };
    let graph = Graph::new(isa, &turn, constraints)?;
    let goes_on = goes_on.into_iter().map(|(_, r)| r).collect();
    Ok(Split { ahead, rest, turn, left: left.len(), graph, goes_on })
}

impl Split {
    /// An iteration as a block, in which the next one's operations are spread over this fraction of it, from its end.
    pub fn turn(&self, spread: f64) -> Block {
        let (turn, graph) = (&self.turn, &self.graph);
        let (left, next) = (self.left as f64, (turn.pieces.len() - self.left) as f64);
        let place = |k: usize| match k.checked_sub(self.left) {
            None => k as f64,
            Some(k) => left * (1.0 - spread) + k as f64 * left * spread / next,
        };
        let mut places: Vec<u64> = (0..turn.pieces.len()).map(|k| (place(k) * 256.0) as u64).collect();
        // Predecessors come before the instructions that depend on them.
        for k in (0..places.len()).rev() {
            for &before in &graph.before[k] {
                let before = usize::from(before);
                places[before] = places[before].min(places[k]);
            }
        }
        let mut waiting: Vec<usize> = graph.before.iter().map(Vec::len).collect();
        let ready = (0..places.len()).filter(|&k| waiting[k] == 0);
        let mut ready: BinaryHeap<Reverse<(u64, usize)>> = ready.map(|k| Reverse((places[k], k))).collect();
        let mut pieces = Vec::with_capacity(turn.pieces.len());
        while let Some(Reverse((_, k))) = ready.pop() {
            pieces.push(turn.pieces[k].clone());
            for &next in &graph.after[k] {
                let next = usize::from(next);
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    ready.push(Reverse((places[next], next)));
                }
            }
        }
        Block { pieces, ..turn.clone() }
    }
}
