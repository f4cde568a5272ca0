//! Loops by induction. The state at a loop's head is remembered; when the head is reached again with more blocks
//! written, the new state, counted from the blocks processed since, must be contained in the remembered one. If not,
//! the remembered state is weakened and the body is followed again. This ends, because states only weaken.
//!
//! Everything in a state is counted from the blocks processed so far, so values of two states are never compared by
//! name alone. Each kind of name changes as follows when blocks are processed:
//!
//! | name | becomes |
//! |---|---|
//! | text, counters counted from here | those the same number of blocks further on (`weakening`) |
//! | counters counted from the end, keys, constants | unchanged |
//! | the chain | the previous output block, by the specification |
//! | the value of GHASH | that after the same number of blocks, by the specification |
//! | a rest | that of the table in the same place, of a later counter (`tables`) |
//! | the blocks of a table | their bytes, further on; forgotten if the iteration does not make the same |
//! | numbers by lengths, addresses | counted anew, or forgotten ([`Linear::seen_from`]) |
//! | facts about lengths, alignments, the carry, the last byte | the same facts further on, or forgotten |
//! | flags, opmasks of signs, look-ups | forgotten |
//!
//! Memos of values ([`crate::lanes::intern::Memo`]) depend only on their forms, whatever the atoms stand for, or are
//! cleared when a path's facts about counters change; renamings are remembered for one comparison. States where paths
//! meet ([`crate::lanes::cover`]) are compared like heads; merged states are counted from the same block
//! ([`crate::lanes::merge`]).

mod tables;
mod weakening;

use aesmith_cipher::problem::MOST_STREAMS;

use crate::lanes::explore::State;
use crate::lanes::rename::{Renamed, Window};
use crate::lanes::scalar::{Length, Linear, NO_COUNT, Word};
use crate::lanes::state::{LowByte, Path, Slot};
use crate::lanes::symbolic::{Flags, Stop, Symbolic, refuse};
use std::collections::BTreeSet;

/// The number of times that a loop invariant may be weakened before the proof fails. Each number with which the kernel
/// compares lengths may add a few (see [`Length::hastened`]): several kernels behind a choice by length compare with
/// many.
const MOST_WEAKENINGS: usize = 40;

/// A loop's head and the state there.
pub struct Head {
    /// Its offset.
    pub ip: u64,
    /// Its registers.
    pub machine: State,
    /// The rest of its state.
    pub path: Path,
    /// The number of waiting paths when it was entered.
    pub height: usize,
    /// Visits that processed no blocks.
    pub visits: usize,
    /// [`Symbolic::start_uses`] at entry.
    pub start_uses: usize,
    weakenings: usize,
}

impl Head {
    /// A head as entered first.
    pub fn new(ip: u64, machine: State, path: Path, height: usize, start_uses: usize) -> Self {
        Head { ip, machine, path, height, visits: 0, start_uses, weakenings: 0 }
    }
}

/// The cost of comparing two states, besides their stack, in terms examined.
const WEAKENING: u64 = 200;

/// Compares states at loop heads.
#[derive(Default)]
pub struct Induction {
    memo: Renamed,
    settled_memo: Renamed,
    word_memo: Renamed,
    window_memo: Renamed,
    schedule_memo: Renamed,
    advance: [i64; MOST_STREAMS],
    /// The numbers that the kernel compares with, ascending: least lengths are weakened to these.
    pub compared: Vec<i64>,
    /// True to forget values inside an S-box that two iterations write in two ways.
    pub forgets: bool,
    /// True if something was forgotten for this reason.
    pub forgot: bool,
    /// The common advance of all streams; 0 if they differ.
    pub alike: i64,
    /// The head's facts about the counter's last byte.
    head_low_byte: LowByte,
    /// The number of the head's table, and of the table in its place after the iteration.
    table: Option<(u16, u16)>,
}

impl Induction {
    /// True if blocks were processed between the head's state and this one.
    pub(crate) fn has_progress(&mut self, head: &Head, path: &Path) -> bool {
        for stream in 0..MOST_STREAMS {
            self.advance[stream] = path.written[stream].blocks - head.path.written[stream].blocks;
        }
        let streams =
            path.apart.len().min(path.facts.lengths.iter().filter(|l| l.streams.count_ones() == 1).count());
        let first = self.advance[0];
        self.alike = if self.advance[..streams].iter().all(|&a| a == first) { first } else { 0 };
        self.advance.iter().any(|&a| a != 0) && self.advance.iter().all(|&a| a >= 0)
    }

    /// True if fewer blocks of a stream were processed than in the head's state: then the head's state does not apply
    /// to this one.
    pub(crate) fn recedes(&self) -> bool {
        self.advance.iter().any(|&a| a < 0)
    }

    /// True if a register counts iterations of a loop that does not process the blocks of all streams alike: a loop
    /// over the streams, each iteration of which may process blocks of one.
    pub(crate) fn is_turn(&self, head: &Head, machine: &State) -> bool {
        self.alike == 0
            && head
                .machine
                .gpr
                .iter()
                .zip(machine.gpr.iter())
                .any(|(old, new)| matches!((old.as_number(), new.as_number()), (Some(a), Some(b)) if a != b))
    }

    /// Weakens the head's state so that it contains the reached one. True if the change requires that the body be
    /// followed again.
    pub(crate) fn weaken(
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
        // Nothing remains of the previous kernel.
        self.word_memo.window = None;
        self.window_memo.window = None;
        self.schedule_memo.window = None;
        self.head_low_byte = head.path.low_byte;
        if symbolic.mode.has_counter() {
            let (before, after) = (head.path.low_byte, symbolic.path.low_byte);
            let advance = self.advance[0] as i32;
            self.word_memo.window = Some(Window { before, advance, ..Window::still(after) });
            self.window_memo.window = Some(Window::still(after));
            self.schedule_memo.window = Some(Window::still(after));
        }
        let mut changed = self.alike != 0 && head.path.at_start && symbolic.start_uses > head.start_uses;
        let was_start = head.path.at_start;

        changed |= self.proves_at_head(symbolic, head);
        self.table = match (head.path.table, symbolic.path.table) {
            (Some((base, start, old)), Some((other, begins, new))) if (base, start) == (other, begins) => {
                Some((old, new))
            }
            _ => None,
        };
        changed |= self.weaken_tables(symbolic, &mut head.path);
        let begun = head.path.nonempty();
        head.path.begun = begun & symbolic.path.nonempty();
        changed |= head.path.begun != begun;
        let lengths = head.path.facts.lengths.clone();
        for (number, known) in lengths.iter().enumerate() {
            let Some(by) = self.advance_of(&lengths, number) else {
                // A length whose streams advanced differently: keep only facts that hold for any length.
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
        for register in 0..machine.gpr.len() {
            let (old, new) = (head.machine.gpr[register], machine.gpr[register]);
            changed |=
                self.weaken_word(symbolic, &mut head.machine.gpr[register], old, new, &lengths, was_start);
        }
        for register in 0..machine.vector.len() {
            for lane in 0..4 {
                let (old, new) = (head.machine.vector[register][lane], machine.vector[register][lane]);
                changed |= self.weaken_lane(symbolic, &mut head.machine.vector[register][lane], old, new);
            }
        }
        for register in 0..machine.mask.len() {
            changed |= self.weaken_mask(&mut head.machine.mask[register], machine.mask[register], &lengths);
        }
        if symbolic.mode.hashed().is_some() {
            let (old, new) = (head.path.hash, symbolic.path.hash);
            changed |= self.weaken_lane(symbolic, &mut head.path.hash, old, new);
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
        if self.table.is_none() && head.path.table.take().is_some() {
            changed = true;
        }
        let reached = symbolic.path.low_byte.seen_from(self.advance[0] as i32);
        if !reached.implies(&head.path.low_byte) {
            // Rests are named by the latest counter while their equality is known.
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

    /// The values of a length at which a register that holds the remaining bytes, plus a constant, equals a number that
    /// the kernel compares with.
    fn rests(&self, machine: &State, number: usize) -> Vec<i64> {
        let remaining = Linear::remaining(number as u8);
        let apart = machine.gpr.iter().filter_map(|word| match word {
            Word::Linear(linear) => linear.minus(remaining)?.as_number(),
            _ => None,
        });
        let apart: BTreeSet<i64> = apart.chain([0]).collect();
        apart.iter().flat_map(|apart| self.compared.iter().filter_map(|c| c.checked_sub(*apart))).collect()
    }

    /// Takes over secrets that the body leaves in the flags and in stack that the head knows nothing about: the way out
    /// of the loop may leave them behind, or treat them as public. True if that changed the head's state.
    pub(crate) fn weaken_leftovers(&self, symbolic: &Symbolic, head: &mut Head, machine: &State) -> bool {
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

    /// The number of blocks that a length advanced; `None` if its streams differ.
    fn advance_of(&self, lengths: &[Length], number: usize) -> Option<i64> {
        let streams = lengths[number].streams;
        let first = self.advance[streams.trailing_zeros() as usize];
        (0..MOST_STREAMS).filter(|s| streams >> s & 1 == 1).all(|s| self.advance[s] == first).then_some(first)
    }

    fn seen_from_here(&self, linear: Linear, lengths: &[Length]) -> Option<Linear> {
        if linear.count != NO_COUNT {
            // A length that was made within the loop, or whose streams advanced differently.
            if linear.count as usize >= lengths.len() {
                return None;
            }
            self.advance_of(lengths, linear.count as usize)?;
        }
        linear.seen_from(&|number| self.advance_of(lengths, number as usize).unwrap_or(0), self.alike)
    }
}
