//! States of the cipher between rounds, where terms are of bits: loops with several blocks at several rounds have them at their heads.

use aesmith_check::spec::{Mode, rounds};
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{Atom, LaneId, Part, PartId, Terms};
use std::collections::BTreeSet;

/// A state of a block: the lane behind a round, before its key is added.
pub(crate) struct State {
    pub(crate) lane: LaneId,
    /// The block of text, or the counter, to which the first key is added.
    pub(crate) block: LaneId,
    /// The expression, with [`BLOCK`] in place of that of the block.
    text: String,
}

/// Stands for a block.
const BLOCK: char = '@';

impl State {
    /// The expression, with that of the block.
    pub(crate) fn text(&self, block: &str) -> String {
        self.text.replace(BLOCK, block)
    }
}

/// The state that a lane is, but for what is added to it, as a guess from the S-boxes that make it.
pub(crate) fn of(s: &mut Symbolic, lane: LaneId) -> Option<State> {
    let contract = s.contract;
    // Encryption in CBC has one block at a time.
    let is_chained = contract.mode == Mode::Cbc && !contract.is_inverse;
    if !s.terms.has_bits() || is_chained || contract.mode == Mode::Keys {
        return None;
    }
    let (inputs, depth) = inputs(&s.terms, lane);
    if depth == 0 || depth > contract.rounds {
        return None;
    }
    let mut inputs = inputs.into_iter().map(|part| s.terms.get_part(part).clone());
    let block = if contract.mode == Mode::Ctr {
        let words: Vec<_> =
            inputs.filter_map(|part| if let Part::Word(word) = part { Some(word) } else { None }).collect();
        let half = |half| {
            let counter = s.terms.find(&Atom::Counter(half));
            words.iter().find(|word| word.terms.iter().any(|&(id, _)| Some(id) == counter))
        };
        let (low, high) = (half(0)?, half(1)?);
        let (low, high) = (s.terms.swapped(low), s.terms.swapped(high));
        s.terms.words(&high, &low)
    } else {
        let text = inputs.find(|part| matches!(part, Part::Text(_)))?;
        s.terms.part(text)
    };
    let (round, last) = rounds(contract.is_inverse);
    let names = if contract.is_inverse { ["dec", "declast"] } else { ["enc", "enclast"] };
    let (mut lane, mut text) = (block, BLOCK.to_string());
    for number in 1..=depth {
        let key = s.terms.part(Part::Key(u16::from(number) - 1));
        lane = s.terms.xor(lane, key);
        let is_last = number == contract.rounds;
        lane = s.terms.round(if is_last { last } else { round }, lane);
        text = format!("{}({text} ^ k{})", names[usize::from(is_last)], number - 1);
    }
    Some(State { lane, block, text })
}

/// The parts that a lane is computed from by S-boxes, and the number of rounds.
fn inputs(terms: &Terms, lane: LaneId) -> (BTreeSet<PartId>, u8) {
    let of = |bits: &[u32]| -> BTreeSet<PartId> {
        bits.iter().flat_map(|&bit| terms.summands(bit).0).map(|(part, _)| part).collect()
    };
    let (mut parts, mut depth) = (of(&terms.get_lane(lane).bits), 0);
    loop {
        let byte = |part: &PartId| match terms.get_part(*part) {
            Part::Box(_, byte) => Some(*byte),
            _ => None,
        };
        let bytes: BTreeSet<[u32; 8]> = parts.iter().filter_map(byte).collect();
        if bytes.is_empty() || depth == u8::MAX {
            return (parts, depth);
        }
        parts = bytes.iter().flat_map(|byte| of(byte)).collect();
        depth += 1;
    }
}
