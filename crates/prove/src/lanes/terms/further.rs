//! Lanes some blocks further on: each input block and counter is replaced by the one the same number of blocks later.
//! Blocks of a message are independent of each other, so an equality for some blocks also holds for those further on.

use crate::lanes::atoms::{Atom, Lane};
use crate::lanes::intern::{FastMap, Memo};
use crate::lanes::rename::Renamed;
use crate::lanes::terms::Terms;

/// Memos of lanes further on.
#[derive(Default)]
pub(crate) struct Further {
    lanes: Memo<(Lane, i32), Lane>,
    /// The results of renaming, by distance in blocks.
    renamed: FastMap<i32, Renamed>,
    /// Equality of two lanes whose first block is block 0.
    pub(crate) equal: Memo<(Lane, Lane), bool>,
}

impl Further {
    /// Calls [`Memo::check`], or [`Memo::check_again`], of all memos.
    pub(super) fn check_memos(&mut self, begin: bool) {
        self.lanes.check_if(begin);
        self.equal.check_if(begin);
        if self.lanes.is_checked() {
            self.renamed.clear();
        }
    }

    pub(super) fn clear(&mut self) {
        self.lanes.clear();
        self.renamed.clear();
        self.equal.clear();
    }
}

impl Terms {
    /// A lane `by` blocks further on. `None` if it is not the same function of the blocks there, since chains and
    /// counter tables depend on more than the position; and `None` for unknown lanes.
    pub(crate) fn further(&mut self, lane: Lane, by: i32) -> Option<Lane> {
        if !self.short_cuts || lane.is_unknown() || self.lane_facts(lane).bound {
            return None;
        }
        if by == 0 || self.is_fixed(lane) {
            return Some(lane);
        }
        if let Some(known) = self.further.lanes.get(&(lane, by)) {
            return Some(known).filter(|lane| !lane.is_unknown());
        }
        let mut memo = self.further.renamed.remove(&by).unwrap_or_default();
        let moved = self.rename(lane, &mut memo, &mut |terms, atom| match atom {
            Atom::Input { stream, block } => {
                // The same limit as for counters, beyond the blocks of any kernel.
                let block = block.checked_add(by).filter(|block| block.unsigned_abs() < 1 << 28);
                Some(block.map_or(Lane::UNKNOWN, |block| terms.atom(Atom::Input { stream, block })))
            }
            Atom::Counter { index, order } => {
                let index = index.plus_blocks(by);
                Some(index.map_or(Lane::UNKNOWN, |index| terms.atom(Atom::Counter { index, order })))
            }
            _ => None,
        });
        self.further.renamed.insert(by, memo);
        self.further.lanes.insert((lane, by), moved);
        Some(moved).filter(|lane| !lane.is_unknown())
    }

    /// True if two lanes are equal for every key and message, as [`Terms::same`] decides after moving their first block
    /// to block 0: equal lanes of other blocks are compared once.
    pub(crate) fn same_anywhere(&mut self, a: Lane, b: Lane) -> bool {
        let facts = self.lane_facts(a).and(self.lane_facts(b));
        let Some(by) = facts.first.checked_neg().filter(|_| !facts.bound) else { return false };
        let (Some(a), Some(b)) = (self.further(a, by), self.further(b, by)) else { return false };
        if a == b {
            return true;
        }
        if let Some(known) = self.further.equal.get(&(a, b)) {
            return known;
        }
        let equal = self.same(a, b);
        self.further.equal.insert((a, b), equal);
        equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::atoms::{Index, Order};
    use aesmith_isa::lanes::AesRound;

    fn output(terms: &mut Terms, block: i32) -> Lane {
        let counter = terms.atom(Atom::Counter { index: Index::At(block), order: Order::MEMORY });
        let input = terms.atom(Atom::Input { stream: 0, block });
        let key = terms.atom(Atom::Key { stream: 0, round: 0 });
        let state = terms.xor(counter, key);
        let state = terms.round(AesRound::EncryptLast, state);
        terms.xor(state, input)
    }

    #[test]
    fn lanes_further_on_are_of_the_blocks_there() {
        let mut terms = Terms::new();
        let (first, later) = (output(&mut terms, 3), output(&mut terms, 10));
        assert_eq!(terms.further(first, 7), Some(later));
        assert_eq!(terms.further(later, -7), Some(first));
        assert_eq!(terms.further(first, 0), Some(first));
        let end = terms.atom(Atom::Counter { index: Index::End(0), order: Order::MEMORY });
        assert_eq!(terms.further(end, 7), Some(end));
        let key = terms.atom(Atom::Key { stream: 0, round: 0 });
        assert_eq!(terms.further(key, 7), Some(key));
    }

    #[test]
    fn nothing_is_said_of_chains_rests_and_blocks_out_of_reach() {
        let mut terms = Terms::new();
        let block = output(&mut terms, 0);
        for atom in [Atom::Chain { stream: 0 }, Atom::Rest { rounds: 1, table: 0, index: 0 }] {
            let lane = terms.atom(atom);
            let beside = terms.xor(block, lane);
            let within = terms.round(AesRound::Encrypt, beside);
            for lane in [lane, beside, within] {
                assert_eq!(terms.further(lane, 1), None);
                assert!(!terms.same_anywhere(lane, lane));
            }
        }
        assert_eq!(terms.further(block, i32::MAX), None);
        assert_eq!(terms.further(Lane::PUBLIC, 1), None);
    }

    #[test]
    fn what_is_equal_of_some_blocks_is_equal_of_others_and_what_is_not_is_not() {
        let mut terms = Terms::new();
        for block in [5, -2, 9] {
            let right = output(&mut terms, block);
            let wrong = output(&mut terms, block + 1);
            let bytes = terms.expand(right);
            let by_bytes = terms.lane_of_bytes(bytes);
            assert!(by_bytes != right && terms.same_anywhere(by_bytes, right));
            assert!(!terms.same_anywhere(by_bytes, wrong));
            let one = terms.constant(1);
            let twisted = terms.xor(by_bytes, one);
            assert!(!terms.same_anywhere(twisted, right));
        }
        assert_eq!(terms.further.equal.count(), 3);
    }
}
