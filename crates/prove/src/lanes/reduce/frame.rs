//! The stack of a kernel that is reduced: eight-byte slots below the stack pointer at entry, and below one that was
//! aligned. Other code cannot see it, so a kernel may use it freely as long as the rules here hold.

use std::rc::Rc;

use super::free::{GaveUp, Value};
use super::numbers::{Number, Numbers};

/// Size of the deepest frame in bytes.
const DEEPEST: i64 = 1 << 16;

/// Eight bytes of stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Never written, or not kept.
    Untouched,
    /// A scalar.
    Word(Value),
    /// Half of a lane: bytes 8 to 15 if true.
    Half(Number, bool),
    /// Written on some paths only, or with different kinds of values: it may not be read.
    Lost {
        /// True if it may hold a secret.
        secret: bool,
    },
}

impl Slot {
    /// True if it may hold a key or message byte.
    pub fn is_secret(self, numbers: &Numbers) -> bool {
        match self {
            Slot::Untouched => false,
            Slot::Lost { secret } => secret,
            Slot::Word(value) => numbers.is_secret(value.root),
            Slot::Half(lane, _) => numbers.is_secret(lane),
        }
    }
}

/// Slots below an address: slot `i` holds the bytes from `top - 8 (i + 1)`, counted from that address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The address that offsets are counted from.
    pub root: Number,
    /// The upper end, as an offset from `root`.
    pub top: i64,
    /// Alignment in bytes of `root`, and the most bytes that aligning it may have skipped; 0 at entry.
    pub multiple: i64,
    /// The slots.
    pub slots: Rc<Vec<Slot>>,
}

impl Frame {
    /// An empty frame.
    pub fn new(root: Number, top: i64) -> Frame {
        Frame { root, top, multiple: 0, slots: Rc::default() }
    }

    /// The index of the slot that begins at `offset`.
    fn place(&self, offset: i64) -> Result<usize, GaveUp> {
        let below = self.top.saturating_sub(offset);
        match below % 8 == 0 && (8..=DEEPEST).contains(&below) {
            true => Ok(below as usize / 8 - 1),
            false => Err(GaveUp("a place of the stack that is no whole slot below its top")),
        }
    }

    /// The slot at an offset.
    pub fn get(&self, offset: i64) -> Result<Slot, GaveUp> {
        let place = self.place(offset)?;
        Ok(self.slots.get(place).copied().unwrap_or(Slot::Untouched))
    }

    /// Writes the slot at an offset.
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

    /// Forgets the slots below an offset; true if any of them may be secret.
    pub(crate) fn forget_below(&mut self, offset: i64, numbers: &Numbers) -> bool {
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
    /// The frame below the pointer at entry.
    pub entry: Frame,
    /// The frame below an aligned pointer, while the stack pointer is relative to it.
    pub aligned: Option<Frame>,
    /// True if a secret was left where the stack pointer no longer protects it.
    pub left_secret: bool,
    /// Maximum stack use in bytes.
    pub deepest: i64,
    /// The farthest access below the stack pointer, in bytes.
    pub below: i64,
}

impl Stack {
    /// The stack at entry.
    pub fn new(pointer: Number) -> Stack {
        Stack { entry: Frame::new(pointer, 0), aligned: None, left_secret: false, deepest: 0, below: 0 }
    }

    /// The frame that an address is relative to.
    pub fn of(&self, root: Number) -> Option<&Frame> {
        [Some(&self.entry), self.aligned.as_ref()].into_iter().flatten().find(|frame| frame.root == root)
    }

    /// Writes eight bytes, where `pointer` is the stack pointer. The kernel owns the stack above the pointer, and
    /// `red_zone` bytes below it.
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
        let frame = self.of(at.root).ok_or(GaveUp("a load from the stack of no known frame"))?;
        if at.root == pointer.root && at.offset < pointer.offset.saturating_sub(red_zone) {
            return Err(GaveUp("a load from stack that its pointer does not protect"));
        }
        frame.get(at.offset)
    }

    /// Notes how far below the lower of an instruction's stack pointers it reads or writes.
    pub(crate) fn note_below(&mut self, pointers: [Value; 2], at: Value) {
        let same = pointers.into_iter().filter(|pointer| pointer.root == at.root);
        let below =
            same.map(|pointer| pointer.offset).min().map_or(0, |lower| lower.saturating_sub(at.offset));
        self.below = self.below.max(below);
    }

    /// Moves the stack pointer. For an address relative to an aligned pointer, `aligned` is the value that was aligned,
    /// and the alignment in bytes. The pointer must stay within the kernel's own stack: not above the `pushed` bytes of
    /// the return address, which a return pops.
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
        // A pointer above that would give up stack of the caller and the kernel.
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
        // The stack between the pointer before aligning and the lowest used slot is room above the aligned pointer.
        let top = self.entry.lowest().saturating_sub(before.offset) / 8 * 8;
        if to.offset > top {
            return Err(too_high);
        }
        self.aligned = Some(Frame { multiple, ..Frame::new(to.root, top) });
        Ok(())
    }

    /// An upper bound of the stack use in bytes: the written slots, and the bytes that aligning may have skipped.
    pub fn depth(&self) -> i64 {
        let aligned = self.aligned.as_ref().map_or(0, |frame| frame.multiple + 8 * frame.slots.len() as i64);
        aligned - self.entry.lowest()
    }

    /// True if a slot may hold a secret.
    pub(crate) fn holds_secret(&self, numbers: &Numbers) -> bool {
        let frames = [Some(&self.entry), self.aligned.as_ref()];
        self.left_secret
            || frames.into_iter().flatten().any(|f| f.slots.iter().any(|slot| slot.is_secret(numbers)))
    }
}
