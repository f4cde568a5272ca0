//! A straight-line block of instructions, and the constraints on it.

use aesmith_isa::Insn;
use aesmith_isa::assemble::Item;

/// An instruction, and the memory region that it accesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// [`Item::Insn`] or [`Item::Linked`].
    pub item: Item,
    /// The memory region. Different regions never overlap; `None` may be any memory. Regions that are only read, such
    /// as tables, need no numbers of their own.
    pub region: Option<u16>,
}

/// Straight-line code over virtual registers. A virtual register is one register from its first access to its last;
/// values that are not updated in place get a new one each.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Block {
    /// The instructions, in a valid order.
    pub pieces: Vec<Piece>,
    /// Virtual registers that hold a value at the start, each with its physical register.
    pub enters: Vec<(i32, u8)>,
    /// Virtual registers that are needed at the end, each with the required physical register, if any.
    pub leaves: Vec<(i32, Option<u8>)>,
    /// The number of virtual registers.
    pub count: i32,
    /// Positions between pieces at which few values are live, so that a loop iteration may be cut there; see
    /// [`crate::modulo`].
    pub cuts: Vec<usize>,
}

impl Block {
    /// Creates a virtual register.
    pub fn fresh(&mut self) -> i32 {
        self.count += 1;
        Insn::VIRTUAL + self.count - 1
    }

    /// Creates a virtual register for the value that `register` holds at the start.
    pub fn enter(&mut self, register: u8) -> i32 {
        let v = self.fresh();
        self.enters.push((v, register));
        v
    }

    /// Requires a virtual register's value at the end, in `register` if one is given.
    pub fn leave(&mut self, v: i32, register: Option<u8>) {
        self.leaves.push((v, register));
    }

    /// Marks this position as one at which few values are live.
    pub fn cut(&mut self) {
        self.cuts.push(self.pieces.len());
    }

    /// Adds an instruction that accesses no memory, or only memory that is never written.
    pub fn push(&mut self, insn: Insn) {
        self.pieces.push(Piece { item: Item::Insn(insn), region: None });
    }

    /// Adds an instruction that accesses memory of a region.
    pub fn push_in(&mut self, insn: Insn, region: u16) {
        self.pieces.push(Piece { item: Item::Insn(insn), region: Some(region) });
    }

    /// Adds an item.
    pub fn item(&mut self, item: Item, region: Option<u16>) {
        self.pieces.push(Piece { item, region });
    }
}

/// The spill instructions. The caller reserves the memory.
pub struct Spill<'a> {
    /// Builds the store of a register to a slot.
    pub store: &'a dyn Fn(usize, i32) -> Insn,
    /// Builds the reload from a slot.
    pub load: &'a dyn Fn(usize, i32) -> Insn,
    /// The number of slots.
    pub slots: usize,
}

/// The constraints that the surrounding code puts on a block.
#[derive(Default)]
pub struct Constraints<'a> {
    /// Registers that virtual ones may get, the preferred ones first. Other registers keep their values, unless the
    /// block's own instructions name them.
    pub free: &'a [u8],
    /// Flags that are live after the block; the others are dead.
    pub flags: &'a [u8],
    /// True if loads of unmarked regions may pass stores, because unmarked memory is only read.
    pub unmarked_is_constant: bool,
    /// The way to spill values; without it, a block with too few registers is refused.
    pub spill: Option<Spill<'a>>,
    /// The fillers for the first and the second half of a pair without an instruction, where two instructions issue
    /// together only as an aligned pair. The block begins at a pair.
    pub idle: Option<[Insn; 2]>,
    /// The size in bytes of an instruction, if it depends on the registers: registers are then chosen for short code.
    pub bytes: Option<&'a dyn Fn(&Insn) -> usize>,
}

/// The instruction of an item.
pub fn insn(item: &Item) -> Option<&Insn> {
    match item {
        Item::Insn(insn) | Item::Linked { insn, .. } => Some(insn),
        _ => None,
    }
}
