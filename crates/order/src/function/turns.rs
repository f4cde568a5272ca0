//! Loops in functions: iterations that start the next one, and hints for the branch at their end.

use aesmith_isa::assemble::Item;

use super::{Function, Target};
use crate::inorder::Block;
use crate::inorder::block::insn;
use crate::modulo::{self, Cut};

/// The arranged iterations of a loop in a function.
pub struct Loop {
    block: Block,
    /// The iterations; `None` if the function is only counted.
    arranged: Option<modulo::Turns>,
}

impl<'t, T: Target + ?Sized> Function<'t, T> {
    /// Arranges the iterations of a loop, each of which executes this block; see [`crate::modulo`]. No register may be
    /// reserved between this call and the loop's last part.
    ///
    /// # Errors
    /// There are too few registers, or no operation before the cut may be executed ahead.
    pub fn turns(&self, block: &Block, cut: Option<Cut>) -> Result<Loop, String> {
        let (target, search) = (self.target, self.search);
        let arranged = self.constrained(|constraints| {
            let (isa, timing) = (target.isa(), target.timing());
            search.map(|search| modulo::turns(isa, block, cut, constraints, timing, search)).transpose()
        })?;
        Ok(Loop { block: block.clone(), arranged })
    }

    /// Adds the operations before the first iteration. The registers of values that go on stay reserved until an
    /// iteration is added.
    pub fn put_ahead(&mut self, turns: &Loop) {
        let Some(arranged) = &turns.arranged else { return };
        arranged.ahead.clone().into_iter().for_each(|ahead| self.put(ahead));
        self.fixed.extend(&arranged.goes_on);
    }

    /// Adds an iteration.
    pub fn put_turn(&mut self, turns: &Loop) {
        self.counts_block(&turns.block);
        let Some(arranged) = &turns.arranged else { return };
        self.fixed.retain(|r| !arranged.goes_on.contains(r));
        self.put(arranged.turn.clone());
    }

    /// Adds the rest of the last iteration.
    pub fn put_rest(&mut self, turns: &Loop) {
        let rest = turns.arranged.as_ref().and_then(|of| of.rest.clone());
        rest.into_iter().for_each(|rest| self.put(rest));
    }

    /// Adds the jump at the end of an iteration to the loop's label. Where the processor has hints, adds one in an idle
    /// half of a pair, or in a new pair, that is early enough.
    pub fn turn_again(&mut self, jump: Item, label: &str) {
        self.items(vec![jump]);
        let (target, branch) = (self.target, self.items.len() - 1);
        let (Some(rule), Some(halves)) = (target.timing().hint, target.pairs()) else { return };
        let turn = self.items.iter().rposition(|item| matches!(item, Item::Label(name) if name == label));
        let Some(turn) = turn else { return };
        let isa = target.isa();
        let bytes = |insns: &[Item]| -> u32 {
            insns.iter().filter_map(insn).map(|insn| u32::from(isa.of(insn).bytes())).sum()
        };
        let insns = |from: usize, until: usize| -> usize {
            self.items[from..until].iter().filter(|item| insn(item).is_some()).count()
        };
        // Each pair takes at least one cycle. If no half is idle, a pair is added for the hint.
        let least = 2 * rule.cycles as usize + 1;
        let pair = bytes(&halves.map(Item::Insn));
        let is_early =
            |at: usize| insns(at, branch) >= least && bytes(&self.items[at..branch]) + pair <= rule.reach;
        let idle = Item::Insn(halves[1]);
        let mut early = (turn + 1..branch).rev().filter(|&at| is_early(at));
        let free = early.clone().find(|&at| self.items[at] == idle);
        let pair = early.find(|&at| insns(turn, at).is_multiple_of(2));
        let at = match (free, pair) {
            (Some(at), _) => Some(at),
            (None, Some(at)) => {
                self.items.splice(at..at, halves.map(Item::Insn));
                Some(at + 1)
            }
            (None, None) => None,
        };
        let Some(at) = at else { return };
        let branch = self.items.len() - 1;
        let distance = bytes(&self.items[at..branch]);
        if let Some(hint) = target.hint(distance as i32, label) {
            self.counts(std::iter::once(&hint));
            self.items[at] = hint;
        }
    }
}
