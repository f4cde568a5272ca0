//! States of the cipher between rounds, where terms are of bits: loops with several blocks at several rounds have them at their heads.

use aesmith_check::claim;
use aesmith_check::linear::Linear;
use aesmith_check::spec::{Mode, rounds};
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{Atom, LaneId, Part, PartId, Terms};

/// A state of a block: the lane behind a round, before its key is added.
pub(crate) struct State {
    pub(crate) lane: LaneId,
    /// The number of the block.
    pub(crate) block: Linear,
    /// The expression, with [`BLOCK`] in place of that number.
    text: String,
}

/// Stands for the number of a block.
const BLOCK: char = '@';

impl State {
    /// The expression, with that of the block's number.
    pub(crate) fn text(&self, block: &str) -> String {
        self.text.replace(BLOCK, block)
    }
}

/// The state that a lane is, but for what is added to it, as a guess from its first bit that is made by an S-box.
pub(crate) fn of(s: &mut Symbolic, lane: LaneId) -> Option<State> {
    let contract = s.contract;
    // Encryption in CBC has one block at a time.
    let is_chained = contract.mode == Mode::Cbc && !contract.is_inverse;
    if !s.terms.has_bits() || is_chained || contract.mode == Mode::Keys {
        return None;
    }
    let (block, depth) = root(&s.terms, lane)?;
    let (mut lane, mut text) = match contract.mode {
        Mode::Ctr => (claim::chain(s, &block).ok()?, format!("chain[{BLOCK}]")),
        _ => (s.terms.part(Part::Text(block.clone())), format!("x[{BLOCK}]")),
    };
    let (round, last) = rounds(contract.is_inverse);
    let names = if contract.is_inverse { ["dec", "declast"] } else { ["enc", "enclast"] };
    for number in 1..=depth.min(contract.rounds) {
        let key = s.terms.part(Part::Key(u16::from(number) - 1));
        lane = s.terms.xor(lane, key);
        let is_last = number == contract.rounds;
        lane = s.terms.round(if is_last { last } else { round }, lane);
        text = format!("{}({text} ^ k{})", names[usize::from(is_last)], number - 1);
    }
    Some(State { lane, block, text })
}

/// The number of the block that a lane is computed from, and of rounds, at least one.
fn root(terms: &Terms, lane: LaneId) -> Option<(Linear, u8)> {
    let bits = &terms.get_lane(lane).bits;
    let summands = |bit: u32| terms.summands(bit).0.into_iter().map(|(part, _)| part);
    let is_box = |part: &PartId| matches!(terms.get_part(*part), Part::Box(..));
    let mut part = bits.iter().flat_map(|&bit| summands(bit)).find(is_box)?;
    for depth in 1.. {
        let Part::Box(_, byte) = terms.get_part(part) else { return None };
        let inner: Vec<PartId> = byte.iter().flat_map(|&bit| summands(bit)).collect();
        if let Some(&next) = inner.iter().find(|part| is_box(part)) {
            part = next;
            continue;
        }
        let low = terms.find(&Atom::Counter(0));
        let block = inner.into_iter().find_map(|part| match terms.get_part(part) {
            Part::Text(block) => Some(block.clone()),
            Part::Word(word) => {
                let block = word.minus(&Linear::atom(low?));
                let is_other =
                    block.terms.iter().any(|&(id, _)| matches!(terms.get_atom(id), Atom::Counter(_)));
                (!is_other).then_some(block)
            }
            _ => None,
        });
        return Some((block?, depth));
    }
    None
}
