//! Loops by induction. The state at a loop's head is remembered; when the head is reached again
//! with more blocks written, the new state, seen from the blocks processed since, must be
//! contained in the remembered one. Where it is not, the remembered state is weakened there and
//! the body followed again: states only weaken, so this ends.

use crate::lanes::explore::State;
use crate::lanes::forms::Form;
use crate::lanes::memory::Place;
use crate::lanes::rename::{Renamed, Replacement, Window};
use crate::lanes::scalar::{Base, Length, Linear, NO_COUNT, Word};
use crate::lanes::state::{Carry, LowByte, Path, Slot, Slots};
use crate::lanes::symbolic::{Flags, Mask, Stop, Symbolic, refuse};
use crate::lanes::terms::{Atom, Index, Lane, Terms};
use std::collections::BTreeSet;

/// How often a loop invariant may be weakened before the proof fails. Each number that the kernel compares lengths with may take
/// some more (see [`Length::hastened`]): several kernels behind a choice by length compare with many.
const MOST_WEAKENINGS: usize = 40;

/// A loop's head and what holds there.
pub struct Head {
    /// Its offset.
    pub ip: u64,
    /// Its registers.
    pub machine: State,
    /// The rest of its state.
    pub path: Path,
    /// How many paths waited when it was entered.
    pub height: usize,
    /// Visits that processed no blocks.
    pub visits: usize,
    /// [`Symbolic::start_uses`] at entry.
    pub start_uses: usize,
    weakenings: usize,
}

impl Head {
    /// As entered first.
    pub fn new(ip: u64, machine: State, path: Path, height: usize, start_uses: usize) -> Self {
        Head { ip, machine, path, height, visits: 0, start_uses, weakenings: 0 }
    }
}

/// What the comparison of two states costs, beside their stack, in terms looked at.
const WEAKENING: u64 = 200;

/// Compares states at loop heads.
#[derive(Default)]
pub struct Induction {
    memo: Renamed,
    settled_memo: Renamed,
    word_memo: Renamed,
    window_memo: Renamed,
    schedule_memo: Renamed,
    advance: [i64; 16],
    /// The numbers that the kernel compares with, ascending: where least lengths come to rest.
    pub compared: Vec<i64>,
    /// What all streams advanced by; 0 if not alike.
    pub alike: i64,
    /// What the head knows of the counter's last byte.
    head_low_byte: LowByte,
}

impl Induction {
    /// Whether blocks were processed between the head's state and this one.
    pub fn has_progress(&mut self, head: &Head, path: &Path) -> bool {
        for stream in 0..16 {
            self.advance[stream] = path.written[stream].blocks - head.path.written[stream].blocks;
        }
        let streams =
            path.apart.len().min(path.facts.lengths.iter().filter(|l| l.streams.count_ones() == 1).count());
        let first = self.advance[0];
        self.alike = if self.advance[..streams].iter().all(|&a| a == first) { first } else { 0 };
        self.advance.iter().any(|&a| a != 0) && self.advance.iter().all(|&a| a >= 0)
    }

    /// Whether fewer blocks of a stream were processed than in the head's state: then it says
    /// nothing of this one.
    pub fn recedes(&self) -> bool {
        self.advance.iter().any(|&a| a < 0)
    }

    /// Whether a register counts turns of a loop that is not over the blocks of all streams alike:
    /// a loop over the streams, of which each turn may process blocks of one.
    pub fn is_turn(&self, head: &Head, machine: &State) -> bool {
        self.alike == 0
            && head
                .machine
                .gpr
                .iter()
                .zip(&machine.gpr)
                .any(|(old, new)| matches!((old.as_number(), new.as_number()), (Some(a), Some(b)) if a != b))
    }

    /// Weakens the head's state so that it contains the one reached; whether that changed it in a
    /// way that the body must be followed again.
    pub fn weaken(
        &mut self,
        symbolic: &mut Symbolic,
        head: &mut Head,
        machine: &State,
    ) -> Result<bool, Stop> {
        symbolic.terms.forms.work += WEAKENING + (head.path.frame.count() + head.path.key.count()) as u64;
        self.memo.clear();
        self.word_memo.clear();
        self.window_memo.clear();
        self.schedule_memo.clear();
        self.schedule_memo.schedule = Some(symbolic.schedule());
        // Nothing of the kernel before.
        self.word_memo.window = None;
        self.window_memo.window = None;
        self.schedule_memo.window = None;
        self.head_low_byte = head.path.low_byte;
        if symbolic.mode.counts() {
            let (before, after) = (head.path.low_byte, symbolic.path.low_byte);
            let advance = self.advance[0] as i32;
            self.word_memo.window = Some(Window { before, advance, after, sought: None, high: 0 });
            self.window_memo.window = Some(Window::still(after));
            self.schedule_memo.window = Some(Window::still(after));
        }
        let mut changed = self.alike != 0 && head.path.at_start && symbolic.start_uses > head.start_uses;
        let was_start = head.path.at_start;

        // A table that the body proved when it read it: the head's memory may hold it already.
        if let (None, Some((base, offset, _))) = (head.path.table, symbolic.path.table) {
            std::mem::swap(&mut symbolic.path, &mut head.path);
            let proved = symbolic.prove_table(Place { base, stream: 0, offset });
            if let Ok(table) = proved {
                symbolic.path.table = Some((base, offset, table));
                changed = true;
            }
            std::mem::swap(&mut symbolic.path, &mut head.path);
        }
        let lengths = head.path.facts.lengths.clone();
        for (number, known) in lengths.iter().enumerate() {
            let Some(by) = self.advance_of(&lengths, number) else {
                // Lengths of which not all streams advanced alike: only what is true of any.
                let any = Length::any(known.streams);
                if *known != any {
                    head.path.facts.lengths[number] = any;
                    changed = true;
                }
                continue;
            };
            let reached = symbolic.path.facts.lengths[number].seen_from(by);
            if !known.contains(&reached) {
                let joined = known.join(&reached);
                head.path.facts.lengths[number] = match head.weakenings < MOST_WEAKENINGS / 2 {
                    true => joined,
                    false => joined.hastened(known, by, &self.rests(&head.machine, number)),
                };
                changed = true;
            }
        }
        for register in 0..16 {
            let (old, new) = (head.machine.gpr[register], machine.gpr[register]);
            changed |=
                self.weaken_word(symbolic, &mut head.machine.gpr[register], old, new, &lengths, was_start);
        }
        for register in 0..32 {
            for lane in 0..4 {
                let (old, new) = (head.machine.vector[register][lane], machine.vector[register][lane]);
                changed |= self.weaken_lane(symbolic, &mut head.machine.vector[register][lane], old, new);
            }
        }
        for register in 0..8 {
            changed |= self.weaken_mask(&mut head.machine.mask[register], machine.mask[register], &lengths);
        }
        for stream in 0..symbolic.problem.streams() {
            let (old, new) = (head.path.iv[stream], symbolic.path.iv[stream]);
            changed |= self.weaken_lane(symbolic, &mut head.path.iv[stream], old, new);
            let reached = symbolic.path.written[stream].seen_from(self.advance[stream]);
            if reached != head.path.written[stream] {
                return refuse(
                    "the order in which a loop writes its blocks differs from one turn to the next",
                );
            }
        }
        if self.alike == 0 {
            for stream in 0..symbolic.problem.streams() {
                if self.advance[stream] != 0 && head.path.apart[stream].take().is_some() {
                    changed = true;
                }
            }
        }
        for stream in 0..symbolic.problem.streams() {
            let same = head.path.apart[stream] == symbolic.path.apart[stream];
            if !same && head.path.apart[stream].take().is_some() {
                changed = true;
            }
        }
        if head.path.alignment != symbolic.path.alignment {
            return refuse("a loop aligns the stack");
        }
        let mut frame = std::mem::take(&mut head.path.frame);
        let reached = symbolic.path.frame.clone();
        changed |= self.weaken_slots(symbolic, &mut frame, &reached, &lengths, was_start);
        head.path.frame = frame;
        let mut frame = std::mem::take(&mut head.path.aligned_frame);
        let reached = symbolic.path.aligned_frame.clone();
        changed |= self.weaken_slots(symbolic, &mut frame, &reached, &lengths, was_start);
        head.path.aligned_frame = frame;
        if head.path.table.is_some() && head.path.table != symbolic.path.table {
            head.path.table = None;
            changed = true;
        }
        let reached = symbolic.path.low_byte.seen_from(self.advance[0] as i32);
        if !reached.implies(&head.path.low_byte) {
            // Rests are named by the latest counter while it is known that they are the same.
            let known = head.path.low_byte;
            for lane in head.machine.vector.iter_mut().flatten() {
                *lane = self.settled(symbolic, *lane, known);
            }
            head.path.low_byte = known.join(&reached);
            changed = true;
        }
        if let Some(from) = head.path.upper_fixed {
            let by = self.advance[0] as i32;
            if symbolic.path.upper_fixed.is_none_or(|reached| reached - by > from) {
                head.path.upper_fixed = None;
                changed = true;
            }
        }
        changed |= self.weaken_carry(&mut head.path, &symbolic.path);
        changed |= self.weaken_alignment(&mut head.path, &symbolic.path);
        if changed {
            head.path.at_start &= self.alike == 0;
            head.weakenings += 1;
            if head.weakenings > MOST_WEAKENINGS + 4 * self.compared.len() {
                return refuse("no state of this loop's head was found that its body keeps");
            }
        }
        Ok(changed)
    }

    /// What a length is where a register that holds the bytes remaining, counted from elsewhere perhaps, is
    /// one of the numbers that the kernel compares with.
    fn rests(&self, machine: &State, number: usize) -> Vec<i64> {
        let remaining = Linear::remaining(number as u8);
        let apart = machine.gpr.iter().filter_map(|word| match word {
            Word::Linear(linear) => linear.minus(remaining)?.as_number(),
            _ => None,
        });
        let apart: BTreeSet<i64> = apart.chain([0]).collect();
        apart.iter().flat_map(|apart| self.compared.iter().filter_map(|c| c.checked_sub(*apart))).collect()
    }

    /// What the body leaves in the flags and in stack that the head knows nothing of, where that is
    /// secret: the way out of the loop may leave it, or take it for public. Whether that changed
    /// the head's state.
    pub fn weaken_leftovers(&self, symbolic: &Symbolic, head: &mut Head, machine: &State) -> bool {
        let mut changed = false;
        if symbolic.flags_are_secret(machine.flags) && !symbolic.flags_are_secret(head.machine.flags) {
            head.machine.flags = Flags::Unknown { secret: true };
            changed = true;
        }
        let reached = &symbolic.path;
        for (slots, reached) in
            [(&mut head.path.frame, &reached.frame), (&mut head.path.aligned_frame, &reached.aligned_frame)]
        {
            for index in 0..reached.count() {
                if symbolic.slot_is_secret(reached.get(index)) && !symbolic.slot_is_secret(slots.get(index)) {
                    slots.set(index, Slot::Perhaps { secret: true });
                    changed = true;
                }
            }
        }
        changed
    }

    /// By how many blocks a length advanced; `None` if its streams did not alike.
    fn advance_of(&self, lengths: &[Length], number: usize) -> Option<i64> {
        let streams = lengths[number].streams;
        let first = self.advance[streams.trailing_zeros() as usize];
        (0..16).filter(|s| streams >> s & 1 == 1).all(|s| self.advance[s] == first).then_some(first)
    }

    fn seen_from_here(&self, linear: Linear, lengths: &[Length]) -> Option<Linear> {
        if linear.count != NO_COUNT {
            // A length that was made within the loop, or whose streams parted.
            if linear.count as usize >= lengths.len() {
                return None;
            }
            self.advance_of(lengths, linear.count as usize)?;
        }
        linear.seen_from(&|number| self.advance_of(lengths, number as usize).unwrap_or(0), self.alike)
    }

    fn weaken_word(
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
                if shifted == b || symbolic.terms.same(shifted, b) {
                    return false;
                }
                // The counter's high half does not change while the low one does not overflow.
                let seen = Word::Quad { lane: shifted, high: ha, swapped: sa };
                if let (Some((i, false)), Some((k, false))) =
                    (symbolic.counter_half(seen), symbolic.counter_half(new))
                    && symbolic.same_high_half(k, i)
                {
                    return false;
                }
                symbolic.unknown_word(&[old, new])
            }
            (
                Word::CounterByte { index: i, mask: m, scale: s, base: a },
                Word::CounterByte { index: k, mask: n, scale: t, base: b },
            ) if m == n && s == t => {
                // The byte grows with the counter as long as it does not wrap.
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

    /// A number that grew in proportion to the blocks processed, from the first loop of a call:
    /// then none had been processed.
    fn per_block(&self, a: Linear, b: Linear) -> Option<Linear> {
        let grown = b.minus(a)?.as_number()?;
        let by = self.alike;
        if by == 0 || grown % by != 0 {
            return None;
        }
        let progress = i32::try_from(grown / by).ok()?;
        Some(Linear { progress: a.progress.checked_add(progress)?, ..a })
    }

    /// A lane as it is one turn later.
    fn shifted(&mut self, symbolic: &mut Symbolic, lane: Lane) -> Lane {
        self.renamed(symbolic, |terms, memo, rename| terms.rename(lane, memo, rename))
    }

    /// Whether a scalar of bytes is what another is one turn later.
    fn is_shifted(&mut self, symbolic: &mut Symbolic, old: Word, new: Word) -> bool {
        if symbolic.word_is_fixed(old) {
            return old == new;
        }
        let (Some(x), Some(y)) = (self.shifted_bytes(symbolic, old), symbolic.word_bytes(new)) else {
            return false;
        };
        (0..8).all(|i| {
            let mut same = |terms: &mut Terms, memo: &mut Renamed| {
                terms.same_byte(x[i], y[i])
                    || terms.same_byte_in_window(x[i], y[i], memo)
                    || terms.same_byte_in_window(x[i], y[i], &mut self.schedule_memo)
            };
            x[i] == y[i] || same(&mut symbolic.terms, &mut self.window_memo)
        })
    }

    /// A scalar of bytes as it is one turn later.
    fn shifted_bytes(&mut self, symbolic: &mut Symbolic, word: Word) -> Option<[Form; 8]> {
        let mut bytes = symbolic.word_bytes(word)?;
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

    /// What `rename` gives when each atom becomes what it is one turn later.
    fn renamed<R>(
        &mut self,
        symbolic: &mut Symbolic,
        rename: impl FnOnce(&mut Terms, &mut Renamed, Replacement) -> R,
    ) -> R {
        // Chains need the specification, which needs the terms: fetched before renaming.
        let streams = symbolic.problem.streams();
        let mut chains = [Lane::ZERO; 16];
        if symbolic.mode.is_serial() {
            for (stream, chain) in chains.iter_mut().enumerate().take(streams) {
                *chain = match self.advance[stream] {
                    0 => symbolic.terms.atom(Atom::Chain { stream: stream as u8 }),
                    by => symbolic.output(stream as u8, by as i32 - 1),
                };
            }
        }
        let advance = self.advance;
        let (low_byte, head_low_byte) = (symbolic.path.low_byte, self.head_low_byte);
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
                // All counters that share the other bytes share the rest.
                let later = head_low_byte.representative(index) + advance[0] as i32;
                let index = low_byte.representative(later);
                Some(terms.atom(Atom::Rest { rounds, table, index }))
            }
            Atom::Chain { stream } => Some(chains[stream as usize]),
            _ => None,
        };
        rename(&mut symbolic.terms, &mut self.memo, &mut later)
    }

    fn weaken_lane(&mut self, symbolic: &mut Symbolic, place: &mut Lane, old: Lane, new: Lane) -> bool {
        if old == Lane::UNKNOWN || (old == Lane::PUBLIC && !symbolic.terms.is_secret(new)) {
            return false;
        }
        if old != Lane::PUBLIC {
            let shifted = self.shifted(symbolic, old);
            // One unknown is not another.
            let known = !shifted.is_unknown();
            if known && (shifted == new || shifted == self.settled(symbolic, new, symbolic.path.low_byte)) {
                return false;
            }
            // What a technique computes may be what the specification names.
            if known && symbolic.terms.same(shifted, new) {
                return false;
            }
        }
        *place = symbolic.terms.unknown(&[old, new]);
        true
    }

    /// A lane with one representative for each rest.
    fn settled(&mut self, symbolic: &mut Symbolic, lane: Lane, low_byte: LowByte) -> Lane {
        if !symbolic.mode.counts() {
            return lane;
        }
        self.settled_memo.clear();
        symbolic.terms.rename(lane, &mut self.settled_memo, &mut |terms, atom| match atom {
            Atom::Rest { rounds, table, index } => {
                let index = low_byte.representative(index);
                Some(terms.atom(Atom::Rest { rounds, table, index }))
            }
            Atom::Bytes { .. } => Some(terms.atom(atom)),
            _ => None,
        })
    }

    fn weaken_mask(&self, place: &mut Mask, new: Mask, lengths: &[Length]) -> bool {
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

    fn weaken_slots(
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

    fn weaken_carry(&self, head: &mut Path, reached: &Path) -> bool {
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

    /// Alignments of addresses that advance hold only if the advance keeps them, that of loops
    /// within this one too: then what was reached knows of them still.
    fn weaken_alignment(&self, head: &mut Path, reached: &Path) -> bool {
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
