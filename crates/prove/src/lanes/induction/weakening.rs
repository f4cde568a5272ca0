//! Weakening of the facts about a register, a slot or an address at a loop's head until the body keeps them.

use aesmith_cipher::mode::Next;
use aesmith_cipher::problem::MOST_STREAMS;

use super::Induction;
use super::tables::table_now;
use crate::lanes::forms::Form;
use crate::lanes::rename::{Renamed, Replacement};
use crate::lanes::scalar::{Base, Length, Linear, Word};
use crate::lanes::state::{Carry, LowByte, Path, Slot, Slots};
use crate::lanes::symbolic::{Mask, Symbolic};
use crate::lanes::terms::{Atom, Index, Lane, Terms};

impl Induction {
    pub(super) fn weaken_word(
        &mut self,
        symbolic: &mut Symbolic,
        place: &mut Word,
        old: Word,
        new: Word,
        lengths: &[Length],
        was_start: bool,
    ) -> bool {
        if old == Word::Unknown || (old == Word::Public && !symbolic.word_is_secret(new)) {
            return false;
        }
        let weaker = match (old, new) {
            (Word::Linear(a), Word::Linear(b)) => match self.seen_from_here(b, lengths) {
                Some(b) if a == b => return false,
                Some(b) => match self.per_block(a, b) {
                    Some(linear) if was_start => {
                        symbolic.start_uses += 1;
                        Word::Linear(linear)
                    }
                    _ => Word::Public,
                },
                None => Word::Public,
            },
            (Word::Ones(a), Word::Ones(b)) => match self.seen_from_here(b, lengths) {
                Some(b) if a == b => return false,
                _ => Word::Public,
            },
            (
                Word::Quad { lane: a, high: ha, swapped: sa },
                Word::Quad { lane: b, high: hb, swapped: sb },
            ) if ha == hb && sa == sb => {
                let shifted = self.shifted(symbolic, a);
                if shifted == b {
                    return false;
                }
                let compared = self.compares(symbolic, a, b);
                if compared && symbolic.terms.same(shifted, b) {
                    return false;
                }
                // The counter's high half does not change while the low half does not overflow.
                let seen = Word::Quad { lane: shifted, high: ha, swapped: sa };
                if let (Some((i, false)), Some((k, false))) =
                    (symbolic.counter_half(seen), symbolic.counter_half(new))
                    && symbolic.same_high_half(k, i)
                {
                    return false;
                }
                if compared && symbolic.terms.has_cones(a) && self.is_shifted(symbolic, old, new) {
                    return false;
                }
                symbolic.unknown_word(&[old, new])
            }
            (
                Word::CounterByte { index: i, mask: m, scale: s, base: a },
                Word::CounterByte { index: k, mask: n, scale: t, base: b },
            ) if m == n && s == t => {
                // The byte grows with the counter until it wraps.
                let by = self.advance[0] as i32;
                let latest = self.head_low_byte.representative(i);
                let since = Linear::number(-i64::from(s) * i64::from(latest - i));
                let (i, a) = (latest, a.plus(since).unwrap_or(a));
                let grown = Linear::number(i64::from(s) * i64::from(i + by - k));
                let same = m == 0xff
                    && symbolic.path.low_byte.same_window(k, i + by)
                    && self.seen_from_here(b, lengths) == a.plus(grown);
                if same {
                    return false;
                }
                Word::Public
            }
            (Word::TableEntry, Word::TableEntry) => return false,
            (Word::Bytes(_) | Word::Quad { .. }, Word::Bytes(_) | Word::Quad { .. })
                if self.is_shifted(symbolic, old, new) =>
            {
                return false;
            }
            (Word::Initial(a), Word::Initial(b)) if a == b => return false,
            (Word::ReturnAddress, Word::ReturnAddress) => return false,
            _ => symbolic.unknown_word(&[old, new]),
        };
        *place = weaker;
        true
    }

    /// A number that grew in proportion to the processed blocks, in the first loop of a call: none had been processed
    /// before.
    fn per_block(&self, a: Linear, b: Linear) -> Option<Linear> {
        let grown = b.minus(a)?.as_number()?;
        let by = self.alike;
        if by == 0 || grown % by != 0 {
            return None;
        }
        let progress = i32::try_from(grown / by).ok()?;
        Some(Linear { progress: a.progress.checked_add(progress)?, ..a })
    }

    /// A lane one iteration later.
    fn shifted(&mut self, symbolic: &mut Symbolic, lane: Lane) -> Lane {
        let alike = i32::try_from(self.alike).ok().filter(|&by| by != 0);
        if let Some(later) = alike.and_then(|by| symbolic.terms.further(lane, by)) {
            return later;
        }
        self.renamed(symbolic, |terms, memo, rename| terms.rename(lane, memo, rename))
    }

    /// True if an iteration's lane is compared with that of the iteration before, although they are written
    /// differently. A newly made value inside an S-box is almost always dead: it is forgotten at first, and compared
    /// only after a proof has failed.
    fn compares(&mut self, symbolic: &Symbolic, old: Lane, new: Lane) -> bool {
        let terms = &symbolic.terms;
        let midst = |lane: Lane| !lane.is_unknown() && (terms.has_cones(lane) || terms.is_by_bits(lane));
        let skipped = self.forgets && old != new && midst(old) && midst(new);
        self.forgot |= skipped;
        !skipped
    }

    /// True if a scalar of bytes equals another one iteration later.
    fn is_shifted(&mut self, symbolic: &mut Symbolic, old: Word, new: Word) -> bool {
        if symbolic.word_is_fixed(old) {
            return old == new;
        }
        let (Some(x), Some(y)) = (symbolic.word_bytes(old), symbolic.word_bytes(new)) else {
            return false;
        };
        self.later(symbolic, x).is_some_and(|x| self.are_same(symbolic, &x, &y))
    }

    /// Compares bytes after an iteration, by the facts known there.
    pub(super) fn are_same(&mut self, symbolic: &mut Symbolic, x: &[Form], y: &[Form]) -> bool {
        x.iter().zip(y).all(|(&x, &y)| {
            let mut same = |terms: &mut Terms, memo: &mut Renamed| {
                terms.same_byte(x, y)
                    || terms.same_byte_in_window(x, y, memo)
                    || terms.same_byte_in_window(x, y, &mut self.schedule_memo)
            };
            x == y || same(&mut symbolic.terms, &mut self.window_memo)
        })
    }

    /// Bytes one iteration later; `None` if one of them has no form then.
    pub(super) fn later<const N: usize>(
        &mut self,
        symbolic: &mut Symbolic,
        mut bytes: [Form; N],
    ) -> Option<[Form; N]> {
        let mut memo = std::mem::take(&mut self.word_memo);
        let known = self.renamed(symbolic, |terms, _, rename| {
            let memo = &mut memo;
            bytes.iter_mut().all(|byte| match terms.rename_form(*byte, memo, rename) {
                Some(renamed) => {
                    *byte = renamed;
                    true
                }
                None => false,
            })
        });
        self.word_memo = memo;
        known.then_some(bytes)
    }

    /// Calls `rename` with the replacement of each atom by its value one iteration later.
    fn renamed<R>(
        &mut self,
        symbolic: &mut Symbolic,
        rename: impl FnOnce(&mut Terms, &mut Renamed, Replacement) -> R,
    ) -> R {
        // Chains need the specification, which needs the terms: they are computed before renaming.
        let streams = symbolic.problem.streams();
        let mut chains = [Lane::ZERO; MOST_STREAMS];
        if matches!(symbolic.mode.next(), Next::Output | Next::Doubled) {
            for (stream, chain) in chains.iter_mut().enumerate().take(streams) {
                let blocks = i32::try_from(self.advance[stream]).unwrap_or(i32::MAX);
                *chain = symbolic.chain_before(stream as u8, blocks);
            }
        }
        let blocks = i32::try_from(self.advance[0]).unwrap_or(i32::MAX);
        let hash = symbolic.mode.hashed().map(|_| symbolic.hash_before(blocks));
        let advance = self.advance;
        let (low_byte, head_low_byte) = (symbolic.path.low_byte, self.head_low_byte);
        let tables = self.table;
        let mut later = |terms: &mut Terms, atom: Atom| match atom {
            Atom::Input { stream, block } => {
                let block = block + advance[stream as usize] as i32;
                Some(terms.atom(Atom::Input { stream, block }))
            }
            Atom::Counter { index: Index::At(i), order } => {
                let index = Index::At(i + advance[0] as i32);
                Some(terms.atom(Atom::Counter { index, order }))
            }
            Atom::Rest { rounds, table, index } => {
                // Counters that share the other bytes share the rest.
                let later = head_low_byte.representative(index) + advance[0] as i32;
                let index = low_byte.representative(later);
                let table = table_now(tables, table);
                Some(terms.atom(Atom::Rest { rounds, table, index }))
            }
            Atom::Chain { stream } => Some(chains[stream as usize]),
            Atom::Hash => hash,
            Atom::Cipher { block } => Some(terms.atom(Atom::Cipher { block: block + advance[0] as i32 })),
            _ => None,
        };
        rename(&mut symbolic.terms, &mut self.memo, &mut later)
    }

    pub(super) fn weaken_lane(
        &mut self,
        symbolic: &mut Symbolic,
        place: &mut Lane,
        old: Lane,
        new: Lane,
    ) -> bool {
        if old == Lane::UNKNOWN || (old == Lane::PUBLIC && !symbolic.terms.is_secret(new)) {
            return false;
        }
        if old != Lane::PUBLIC {
            let shifted = self.shifted(symbolic, old);
            // Two unknown values are not equal.
            let known = !shifted.is_unknown();
            if known && (shifted == new || shifted == self.settled(symbolic, new, symbolic.path.low_byte)) {
                return false;
            }
            // The specification may name a value that a technique computes.
            if known && self.compares(symbolic, old, new) && symbolic.terms.same(shifted, new) {
                return false;
            }
        }
        *place = symbolic.terms.unknown(&[old, new]);
        true
    }

    /// A lane with one representative for each rest.
    pub(super) fn settled(&mut self, symbolic: &mut Symbolic, lane: Lane, low_byte: LowByte) -> Lane {
        if !symbolic.mode.has_counter() {
            return lane;
        }
        self.settled_memo.clear();
        symbolic.terms.rename(lane, &mut self.settled_memo, &mut |terms, atom| match atom {
            Atom::Rest { rounds, table, index } => {
                let index = low_byte.representative(index);
                Some(terms.atom(Atom::Rest { rounds, table, index }))
            }
            Atom::Bytes { .. } | Atom::Cone { .. } => Some(terms.atom(atom)),
            _ => None,
        })
    }

    pub(super) fn weaken_mask(&self, place: &mut Mask, new: Mask, lengths: &[Length]) -> bool {
        let same = match (*place, new) {
            (Mask::Secret, _) => true,
            (Mask::Unknown, new) => !new.is_secret(),
            (Mask::Bits(a), Mask::Bits(b)) => a == b,
            (Mask::Lowest(a), Mask::Lowest(b)) => self.seen_from_here(b, lengths) == Some(a),
            _ => false,
        };
        if !same {
            *place = if new.is_secret() { Mask::Secret } else { place.forgotten() };
        }
        !same
    }

    pub(super) fn weaken_slots(
        &mut self,
        symbolic: &mut Symbolic,
        slots: &mut Slots,
        reached: &Slots,
        lengths: &[Length],
        was_start: bool,
    ) -> bool {
        let mut changed = false;
        for index in 0..slots.count() {
            let Slot::Holds(old) = slots.get(index) else { continue };
            let Slot::Holds(new) = reached.get(index) else {
                let secret = symbolic.word_is_secret(old) || symbolic.slot_is_secret(reached.get(index));
                slots.set(index, Slot::Perhaps { secret });
                changed = true;
                continue;
            };
            let mut word = old;
            if self.weaken_word(symbolic, &mut word, old, new, lengths, was_start) {
                slots.set(index, Slot::Holds(word));
                changed = true;
            }
        }
        changed
    }

    pub(super) fn weaken_carry(&self, head: &mut Path, reached: &Path) -> bool {
        let Some(known) = head.carry else { return false };
        let by = self.advance[0] as i32;
        let kept = !known.overflows
            && reached.carry.is_some_and(|now| {
                let seen = Carry {
                    from: now.from - by,
                    to: match now.to {
                        Index::At(to) => Index::At(to - by),
                        end => end,
                    },
                    ..now
                };
                let limit = match (known.to, seen.to) {
                    (Index::At(a), Index::At(b)) => a <= b,
                    (Index::End(a), Index::End(b)) => a <= b,
                    _ => false,
                };
                !seen.overflows && seen.from <= known.from && limit
            });
        if !kept {
            head.carry = None;
        }
        !kept
    }

    /// Keeps alignments of addresses only if the advance keeps them, including the advance of nested loops: then the
    /// reached state still knows them.
    pub(super) fn weaken_alignment(&self, head: &mut Path, reached: &Path) -> bool {
        let before = head.aligned.len();
        let advance = self.advance;
        head.aligned.retain(|a| {
            let moves = matches!(a.base, Base::Input | Base::Output);
            let by = if moves { 16 * advance[a.stream as usize] } else { 0 };
            reached.is_aligned(a.base, a.stream, a.offset + by, a.multiple)
        });
        head.aligned.len() != before
    }
}
