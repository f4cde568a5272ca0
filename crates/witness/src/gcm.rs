//! Names of what kernels of GCM hold: values of GHASH, and blocks that it absorbs.

use aesmith_check::check::State;
use aesmith_check::claim;
use aesmith_check::field::{self, matrices::REVERSED_BLOCK};
use aesmith_check::linear::Linear;
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{Atom, Lane, LaneId, Part};

/// The name of a lane, the number of its block, and true if its bytes are reversed: a value of GHASH, or a block of output.
pub(crate) fn named(s: &mut Symbolic, lane: LaneId) -> Option<(&'static str, Linear, bool)> {
    let reversed = s.terms.shuffled(lane, &REVERSED_BLOCK);
    let is_own = |value: LaneId| (value == lane || value == reversed).then_some(value == reversed);
    if let Some(block) = hashed(s, lane) {
        let value = field::hash(s, &block).ok()?;
        return Some(("hash", block, is_own(value)?));
    }
    let text = s.terms.get_lane(lane).parts.iter().find_map(|&(part, _)| match s.terms.get_part(part) {
        Part::Text(block) => Some(block.clone()),
        _ => None,
    })?;
    let value = claim::output_with(s, &text, &Linear::default()).ok()?;
    Some(("y", text, is_own(value)?))
}

/// The block before which a lane may be the value of GHASH: the power of the hash key that the value with a name is
/// multiplied by.
fn hashed(s: &Symbolic, lane: LaneId) -> Option<Linear> {
    let hash = Part::Hash(s.path.hashed.clone());
    let Lane { parts, .. } = s.terms.get_lane(lane);
    parts.iter().find_map(|&(part, _)| match s.terms.get_part(part) {
        own if *own == hash => Some(s.path.hashed.clone()),
        Part::Multiple((inner, _), _, exponent) if *s.terms.get_part(*inner) == hash => {
            s.path.hashed.offset_checked((*exponent).into())
        }
        _ => None,
    })
}

/// In GCM, the block before which a register has the value of GHASH: the last one that there is, or else the one of the beginning of
/// the path.
pub(crate) fn absorbed(s: &mut Symbolic, state: &State) -> Option<Linear> {
    if !s.contract.mode.is_gcm() {
        return None;
    }
    let mut last = s.path.hashed.clone();
    for &lane in state.registers.vectors.iter().flatten() {
        let lane = s.again(lane);
        if let Some(("hash", block, _)) = named(s, lane)
            && block.minus(&last).as_number().is_some_and(|further| further > 0)
        {
            last = block;
        }
    }
    Some(last)
}

/// The number of blocks that the counter in the IV's memory has counted.
pub(crate) fn counted(s: &mut Symbolic) -> Option<Linear> {
    let [low, high] = [0, 1].map(|half| s.path.texts[0].iv[half].clone());
    let lane = s.terms.words(&low, &high);
    let counter = s.terms.word(Atom::Counter(2));
    s.terms.get_lane(lane).parts.iter().find_map(|&(part, _)| match s.terms.get_part(part) {
        Part::Word(word) => Some(word.minus(&counter)),
        _ => None,
    })
}
