//! The stack of a kernel that is reduced: eight-byte places below the stack pointer at entry, and below one that was
//! aligned. It is no memory that anybody else sees: what a kernel keeps there, and where, is its own affair, as long
//! as the rules here hold.

use std::rc::Rc;

use super::free::{GaveUp, Value};
use super::numbers::{Number, Numbers};

/// Deepest frame.
const DEEPEST: i64 = 1 << 16;

/// Eight bytes of stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Never written, or not kept.
    Untouched,
    /// A scalar.
    Word(Value),
    /// Half of a lane: bytes 8 to 15 where it is so.
    Half(Number, bool),
    /// Written on some ways only, or in several manners: nobody may read it.
    Lost {
        /// Whether a secret may be in it.
        secret: bool,
    },
}

impl Slot {
    /// Whether a key or message byte may be in it.
    pub fn is_secret(self, numbers: &Numbers) -> bool {
        match self {
            Slot::Untouched => false,
            Slot::Lost { secret } => secret,
            Slot::Word(value) => numbers.is_secret(value.root),
            Slot::Half(lane, _) => numbers.is_secret(lane),
        }
    }
}

/// Places below an address: place `i` holds the bytes from `top - 8 (i + 1)`, counted from that address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Where it begins.
    pub root: Number,
    /// Its upper end, counted from there.
    pub top: i64,
    /// What the address it is counted from is a multiple of, and aligning it may have skipped; 0 at entry.
    pub multiple: i64,
    /// The places.
    pub slots: Rc<Vec<Slot>>,
}

impl Frame {
    /// An empty one.
    pub fn new(root: Number, top: i64) -> Frame {
        Frame { root, top, multiple: 0, slots: Rc::default() }
    }

    /// Of which place the bytes from `offset` on are.
    fn place(&self, offset: i64) -> Result<usize, GaveUp> {
        let below = self.top.saturating_sub(offset);
        match below % 8 == 0 && (8..=DEEPEST).contains(&below) {
            true => Ok(below as usize / 8 - 1),
            false => Err(GaveUp("a place of the stack that is no whole slot below its top")),
        }
    }

    /// What stands at an offset.
    pub fn get(&self, offset: i64) -> Result<Slot, GaveUp> {
        let place = self.place(offset)?;
        Ok(self.slots.get(place).copied().unwrap_or(Slot::Untouched))
    }

    /// Writes there.
    pub fn set(&mut self, offset: i64, slot: Slot) -> Result<(), GaveUp> {
        let place = self.place(offset)?;
        let slots = Rc::make_mut(&mut self.slots);
        if slots.len() <= place {
            slots.resize(place + 1, Slot::Untouched);
        }
        slots[place] = slot;
        Ok(())
    }

    /// The lowest offset that was ever written.
    pub fn lowest(&self) -> i64 {
        self.top - 8 * self.slots.len() as i64
    }

    /// Forgets what lies below an offset; whether any of it may be secret.
    pub fn forget_below(&mut self, offset: i64, numbers: &Numbers) -> bool {
        if self.lowest() >= offset {
            return false;
        }
        let kept = (self.top.saturating_sub(offset).max(0) / 8) as usize;
        let secret = self.slots[kept..].iter().any(|slot| slot.is_secret(numbers));
        if self.slots[kept..].iter().any(|slot| *slot != Slot::Untouched) {
            Rc::make_mut(&mut self.slots)[kept..].fill(Slot::Untouched);
        }
        secret
    }
}

/// The stack: below the pointer at entry, and below an aligned one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stack {
    /// Below the pointer at entry.
    pub entry: Frame,
    /// Below an aligned pointer, while the stack pointer is counted from it.
    pub aligned: Option<Frame>,
    /// Whether a secret was left where the stack pointer no longer protects it.
    pub left_secret: bool,
    /// The most stack that was in use.
    pub deepest: i64,
    /// The farthest access below the stack pointer.
    pub below: i64,
}

impl Stack {
    /// At entry.
    pub fn new(pointer: Number) -> Stack {
        Stack { entry: Frame::new(pointer, 0), aligned: None, left_secret: false, deepest: 0, below: 0 }
    }

    /// The frame that an address is counted from.
    pub fn of(&self, root: Number) -> Option<&Frame> {
        [Some(&self.entry), self.aligned.as_ref()].into_iter().flatten().find(|frame| frame.root == root)
    }

    /// Where `pointer` is the stack pointer: writes eight bytes. What lies above the pointer is the kernel's, and so
    /// many bytes below as the convention leaves alone.
    pub fn write(&mut self, pointer: Value, red_zone: i64, at: Value, slot: Slot) -> Result<(), GaveUp> {
        if at.root != pointer.root || at.offset < pointer.offset.saturating_sub(red_zone) {
            return Err(GaveUp("a store to the stack that its pointer does not protect"));
        }
        match &mut self.aligned {
            Some(frame) if frame.root == at.root => frame.set(at.offset, slot),
            None if self.entry.root == at.root => self.entry.set(at.offset, slot),
            _ => Err(GaveUp("a store to stack of another frame than the pointer's")),
        }
    }

    /// Reads eight bytes.
    pub fn read(&self, pointer: Value, red_zone: i64, at: Value) -> Result<Slot, GaveUp> {
        let frame = self.of(at.root).ok_or(GaveUp("a load from stack that is nobody's"))?;
        if at.root == pointer.root && at.offset < pointer.offset.saturating_sub(red_zone) {
            return Err(GaveUp("a load from stack that its pointer does not protect"));
        }
        frame.get(at.offset)
    }

    /// Notes how far below the lower one of an instruction's stack pointers it reads or writes.
    pub fn note_below(&mut self, pointers: [Value; 2], at: Value) {
        let same = pointers.into_iter().filter(|pointer| pointer.root == at.root);
        let below =
            same.map(|pointer| pointer.offset).min().map_or(0, |lower| lower.saturating_sub(at.offset));
        self.below = self.below.max(below);
    }

    /// The stack pointer moves. `aligned`: of an address that is counted from an aligned pointer, what that was made
    /// of and what it is a multiple of. It stays within the kernel's own stack: not above the `pushed` bytes of the
    /// return address, which a return takes off.
    pub fn moved(
        &mut self,
        to: Value,
        aligned: Option<(Value, i64)>,
        (red_zone, pushed): (i64, i64),
        numbers: &Numbers,
    ) -> Result<(), GaveUp> {
        self.deepest = self.deepest.max(self.depth());
        let above = aligned.map_or(0, |(before, multiple)| multiple.saturating_sub(before.offset));
        if above.saturating_sub(to.offset) > DEEPEST {
            return Err(GaveUp("a stack pointer that is lowered too far"));
        }
        // What the caller and the kernel keep above the pointer would be nobody's.
        let too_high = GaveUp("a stack pointer above the kernel's stack");
        if to.root == self.entry.root {
            if to.offset > pushed {
                return Err(too_high);
            }
            if let Some(frame) = self.aligned.take() {
                self.left_secret |= frame.slots.iter().any(|slot| slot.is_secret(numbers));
            }
            self.left_secret |= self.entry.forget_below(to.offset.saturating_sub(red_zone), numbers);
            return Ok(());
        }
        let Some((before, multiple)) = aligned else { return Err(GaveUp("a stack pointer of another kind")) };
        if let Some(frame) = &mut self.aligned {
            if frame.root != to.root {
                return Err(GaveUp("a stack that is aligned twice"));
            }
            if to.offset > frame.top {
                return Err(too_high);
            }
            self.left_secret |= frame.forget_below(to.offset.saturating_sub(red_zone), numbers);
            return Ok(());
        }
        if before.root != self.entry.root || before.offset > self.entry.lowest() {
            return Err(GaveUp("a stack pointer that is aligned from above what is in use"));
        }
        // Between the pointer before it was aligned and what is in use, there is room above the aligned one.
        let top = self.entry.lowest().saturating_sub(before.offset) / 8 * 8;
        if to.offset > top {
            return Err(too_high);
        }
        self.aligned = Some(Frame { multiple, ..Frame::new(to.root, top) });
        Ok(())
    }

    /// Bytes in use, at most, as far as they were written, and what aligning may have skipped.
    pub fn depth(&self) -> i64 {
        let aligned = self.aligned.as_ref().map_or(0, |frame| frame.multiple + 8 * frame.slots.len() as i64);
        aligned - self.entry.lowest()
    }

    /// Whether a place may hold a secret.
    pub fn holds_secret(&self, numbers: &Numbers) -> bool {
        let frames = [Some(&self.entry), self.aligned.as_ref()];
        self.left_secret
            || frames.into_iter().flatten().any(|f| f.slots.iter().any(|slot| slot.is_secret(numbers)))
    }
}
