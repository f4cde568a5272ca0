//! The stack: its slots, the caller's arguments on it, and the limits of the stack pointer.

use std::ops::Range;

use super::{MOST_FRAME, Place, nothing_written};
use crate::lanes::forms::Form;
use crate::lanes::scalar::{Base, Linear, Word};
use crate::lanes::state::{Slot, StackAlignment};
use crate::lanes::symbolic::{Stop, Symbolic, refuse};

impl Symbolic {
    pub(super) fn load_argument(&mut self, at: Place, size: i64) -> Result<Word, Stop> {
        let streams = self.problem.streams() as i64;
        self.in_object(at, size, 8 * streams, "it reads")?;
        if size != 8 || at.offset % 8 != 0 {
            return refuse("it reads a part of an argument");
        }
        let stream = (at.offset / 8) as u8;
        let address = |base| Word::Linear(Linear::address(base, stream, 0));
        match at.base {
            Base::Keys => return Ok(address(Base::Key)),
            Base::Ivs => return Ok(address(Base::Iv)),
            _ => {}
        }
        // The other arguments are relative to entry; here they are counted from the blocks processed since.
        let Some(apart) = self.path.apart[stream as usize] else {
            return refuse("it reads an argument again after an unknown number of blocks of its stream");
        };
        self.start_uses += 1;
        let since =
            Linear { progress: if self.path.at_start { 0 } else { 16 }, ..Linear::number(16 * apart) };
        let linear = match at.base {
            Base::Inputs => Linear::address(Base::Input, stream, 0).minus(since),
            Base::Outputs => Linear::address(Base::Output, stream, 0).minus(since),
            _ => Linear::remaining(stream).plus(since),
        };
        Ok(linear.map_or(Word::Public, Word::Linear))
    }

    pub(super) fn slot_index(&self, at: Place) -> Result<usize, Stop> {
        match at.base {
            Base::Key => Ok((at.offset / 8) as usize),
            _ => {
                // Slots are counted downwards from the first byte above the frame.
                let end = match (at.base, self.path.alignment) {
                    (Base::AlignedFrame, Some(alignment)) if alignment.dead => {
                        return refuse(
                            "it reaches the aligned stack after the stack pointer went back above it",
                        );
                    }
                    (Base::AlignedFrame, Some(alignment)) => alignment.room(),
                    _ => 0,
                };
                if at.offset >= end || at.offset < -MOST_FRAME {
                    return refuse(format!(
                        "it reaches byte {} of the stack, which is not its own",
                        at.offset
                    ));
                }
                Ok((end - at.offset - 1) as usize / 8)
            }
        }
    }

    pub(super) fn slot(&self, at: Place) -> Result<Slot, Stop> {
        let index = self.slot_index(at)?;
        Ok(match at.base {
            Base::Key => self.path.key.get(index),
            Base::Frame => self.path.frame.get(index),
            _ => self.path.aligned_frame.get(index),
        })
    }

    /// Refuses bytes of the stack that are neither the kernel's own nor its return address.
    pub(super) fn own_stack(&self, at: Place, size: i64) -> Result<(), Stop> {
        let end = match (at.base, self.path.alignment) {
            (Base::Frame, _) => self.convention.pushed(),
            (Base::AlignedFrame, Some(alignment)) => alignment.room(),
            _ => return Ok(()),
        };
        if at.offset + size > end {
            return refuse(format!(
                "it reaches byte {} of the stack, which is not its own",
                at.offset + size - 1
            ));
        }
        Ok(())
    }

    /// Eight bytes of a slot.
    pub(crate) fn load_slot(&mut self, at: Place) -> Result<Word, Stop> {
        if at.offset % 8 != 0 {
            return self.load_from_slot(at, 8);
        }
        self.own_stack(at, 8)?;
        let word = self.partial_slot(at)?;
        // Bytes are computed from a lane only if it may have stale ones.
        let perhaps = match word {
            Word::Quad { lane, .. } => self.terms.holds_stale(lane),
            _ => true,
        };
        if self.keeps_stale
            && perhaps
            && (0..8).any(|i| self.word_byte(word, i).is_some_and(|form| self.terms.is_stale(form)))
        {
            return nothing_written(at);
        }
        Ok(word)
    }

    /// Eight bytes of a slot, some of which may never have been written.
    pub(super) fn partial_slot(&mut self, at: Place) -> Result<Word, Stop> {
        if at.base == Base::Frame && at.offset == 0 {
            return Ok(Word::ReturnAddress);
        }
        match self.slot(at)? {
            Slot::Holds(word) => Ok(word),
            Slot::Untouched | Slot::Perhaps { .. } => nothing_written(at),
        }
    }

    /// Bytes of slots: known if all of them are; otherwise as secret as any of the slots.
    pub(super) fn load_from_slot(&mut self, at: Place, size: i64) -> Result<Word, Stop> {
        if size == 8 && at.offset % 8 == 0 {
            return self.load_slot(at);
        }
        self.own_stack(at, size)?;
        let mut bytes = Some([Form(0); 8]);
        let mut of = [Word::Public; 8];
        for i in 0..size {
            let here = at.plus(i);
            let slot = here.plus(-here.offset.rem_euclid(8));
            let word = self.partial_slot(slot)?;
            of[i as usize] = word;
            let form = self.word_byte(word, here.offset.rem_euclid(8) as usize);
            if self.keeps_stale && form.is_some_and(|form| self.terms.is_stale(form)) {
                return nothing_written(here);
            }
            match (&mut bytes, form) {
                (Some(bytes), Some(form)) => bytes[i as usize] = form,
                _ => bytes = None,
            }
        }
        Ok(match bytes {
            Some(bytes) => self.word_of_bytes(bytes),
            None => self.unknown_word(&of),
        })
    }

    pub(super) fn may_write_slot(&mut self, at: Place, size: i64) -> Result<(), Stop> {
        match at.base {
            Base::Key => {
                let Range { start, end } = self.problem.written_key();
                let (from, until) = (start as i64, end as i64);
                if at.offset < from || at.offset + size > until {
                    return refuse(format!(
                        "it writes bytes {} to {} of the key structure, not within {from} to {until}",
                        at.offset,
                        at.offset + size
                    ));
                }
                Ok(())
            }
            _ => {
                let (from, until) = match (at.base, self.path.alignment) {
                    (Base::Frame, Some(StackAlignment { dead: true, .. })) => (-MOST_FRAME, 0),
                    // Once aligned, the new frame lies anywhere below the used stack.
                    (Base::Frame, Some(alignment)) => (alignment.floor, 0),
                    (_, Some(alignment)) => (-MOST_FRAME, alignment.room()),
                    (_, None) => (-MOST_FRAME, 0),
                };
                if at.offset < from || at.offset + size > until {
                    return refuse(format!(
                        "it writes byte {} of the stack, which is not its own",
                        at.offset
                    ));
                }
                if self.path.table.is_some_and(|(base, ..)| base == at.base) {
                    self.path.table = None;
                }
                Ok(())
            }
        }
    }

    /// True if a slot may hold a key or message byte.
    pub(crate) fn slot_is_secret(&self, slot: Slot) -> bool {
        match slot {
            Slot::Holds(word) => self.word_is_secret(word),
            Slot::Perhaps { secret } => secret,
            Slot::Untouched => false,
        }
    }

    /// Writes a slot.
    pub(crate) fn set_slot(&mut self, at: Place, word: Word) -> Result<(), Stop> {
        let index = self.slot_index(at)?;
        let slots = match at.base {
            Base::Key => &mut self.path.key,
            Base::Frame => &mut self.path.frame,
            _ => &mut self.path.aligned_frame,
        };
        slots.set(index, Slot::Holds(word));
        Ok(())
    }

    /// Stores a scalar's low bytes to a slot.
    pub(super) fn store_to_slot(&mut self, at: Place, size: i64, word: Word) -> Result<(), Stop> {
        self.may_write_slot(at, size)?;
        if size == 8 && at.offset % 8 == 0 {
            return self.set_slot(at, word);
        }
        let Some(forms) = self.word_bytes(word) else {
            return refuse("it stores a part of an address, or of a value that is not known, to memory");
        };
        for i in 0..size {
            let here = at.plus(i);
            let slot = here.plus(-here.offset.rem_euclid(8));
            let old = match self.slot(slot)? {
                Slot::Holds(word) => self.word_bytes(word).ok_or(word),
                Slot::Untouched | Slot::Perhaps { secret: false } => Err(Word::Public),
                Slot::Perhaps { secret: true } => Err(Word::Unknown),
            };
            // The rest of an address, or of an unknown value, may not be read.
            let mut bytes = old.unwrap_or_else(|word| {
                let secret = self.word_is_secret(word);
                self.keeps_stale = true;
                [self.terms.stale(secret); 8]
            });
            bytes[here.offset.rem_euclid(8) as usize] = forms[i as usize];
            let new = self.word_of_bytes(bytes);
            self.set_slot(slot, new)?;
        }
        Ok(())
    }

    /// Handles a change of the stack pointer: it must lie in the kernel's own stack, and data further below it than the
    /// red zone is lost, even if it is lowered again: a signal handler may have written there.
    pub(crate) fn stack_moved(&mut self, to: Word) -> Result<(), Stop> {
        let Word::Linear(rsp) = to else { return refuse("the stack pointer is not known") };
        let most = match (rsp.base, self.path.alignment) {
            // Past the return address, after a return.
            (Base::Frame, _) => self.convention.pushed(),
            (Base::AlignedFrame, Some(alignment)) if !alignment.dead => alignment.room(),
            _ => return refuse("the stack pointer leaves the stack"),
        };
        if !rsp.is_fixed() || rsp.offset > most {
            return refuse("the stack pointer leaves the kernel's own stack");
        }
        // The location of an aligned frame is known up to the alignment.
        let above = match (rsp.base, self.path.alignment) {
            (Base::AlignedFrame, Some(alignment)) => alignment.to - alignment.top,
            _ => 0,
        };
        if above.saturating_sub(rsp.offset) > MOST_FRAME {
            return refuse(format!("the stack pointer is lowered by more than {MOST_FRAME} bytes"));
        }
        let depth = self.path.depth();
        self.deepest = self.deepest.max(depth);
        let red_zone = i64::from(self.convention.red_zone);
        let kept = |end: i64| ((end - rsp.offset + red_zone) / 8).max(0) as usize;
        let (slots, kept) = match (rsp.base, &mut self.path.alignment) {
            (Base::Frame, alignment) => {
                if let Some(alignment) = alignment {
                    alignment.dead = true;
                    if self.path.table.is_some_and(|(base, ..)| base == Base::AlignedFrame) {
                        self.path.table = None;
                    }
                }
                (&self.path.frame, kept(0))
            }
            _ => (&self.path.aligned_frame, kept(most)),
        };
        if kept >= slots.count() {
            return Ok(());
        }
        let secret = (kept..slots.count()).any(|i| self.slot_is_secret(slots.get(i)));
        self.left_secret |= secret;
        if self.path.table.is_some_and(|(base, ..)| base == rsp.base) {
            self.path.table = None;
        }
        match rsp.base {
            Base::Frame => self.path.frame.truncate(kept),
            _ => self.path.aligned_frame.truncate(kept),
        }
        Ok(())
    }

    /// Notes how far below the stack pointer an instruction reads or writes; the lower of the stack pointers `before`
    /// and `after` it counts.
    pub(crate) fn note_below(&mut self, before: Word, after: Word) {
        let Some(at) = self.accessed.take() else { return };
        let pointers = [before, after].into_iter().filter_map(|pointer| match pointer {
            Word::Linear(rsp) if rsp.is_fixed() && rsp.base == at.base => Some(rsp.offset),
            _ => None,
        });
        let below = pointers.min().map_or(0, |rsp| rsp - at.offset);
        self.below = self.below.max(usize::try_from(below).unwrap_or_default());
    }

    /// Refuses stack accesses that a signal handler may overwrite, and notes the lowest other one of an instruction.
    pub(crate) fn above_red_zone(&mut self, at: Place, stack_pointer: Word) -> Result<(), Stop> {
        if !matches!(at.base, Base::Frame | Base::AlignedFrame) {
            return Ok(());
        }
        match stack_pointer {
            Word::Linear(rsp) if rsp.is_fixed() && rsp.base == at.base => {
                let red_zone = self.convention.red_zone;
                if at.offset < rsp.offset - i64::from(red_zone) {
                    return refuse(format!(
                        "it uses the stack more than {red_zone} bytes below the stack pointer"
                    ));
                }
                if self.accessed.is_none_or(|lowest| at.offset < lowest.offset) {
                    self.accessed = Some(at);
                }
                Ok(())
            }
            Word::Linear(rsp)
                if rsp.is_fixed() && at.base == Base::Frame && rsp.base == Base::AlignedFrame =>
            {
                Ok(())
            }
            _ => refuse("the stack pointer is not known"),
        }
    }
}
