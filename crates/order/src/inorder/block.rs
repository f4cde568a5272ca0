//! A straight line of instructions, and what its surroundings ask of it.

use aesmith_isa::Insn;
use aesmith_isa::assemble::Item;

/// An instruction, and where it reads or writes memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// [`Item::Insn`] or [`Item::Linked`].
    pub item: Item,
    /// Memory of another region is certainly other memory; `None` may be any. Regions that are only
    /// read, such as tables, need none that differ.
    pub region: Option<u16>,
}

/// Straight-line code over virtual registers. A virtual register is one register from its first
/// access to its last; values that are not updated in place get a new one each.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Block {
    /// The instructions, in an order that computes what is wanted.
    pub pieces: Vec<Piece>,
    /// Virtual registers that hold a value at the start, and the register they hold it in.
    pub enters: Vec<(i32, u8)>,
    /// Virtual registers that are needed at the end, and the register they must be in, if any.
    pub leaves: Vec<(i32, Option<u8>)>,
    /// How many virtual registers there are.
    pub count: i32,
    /// Places between pieces at which few values are alive, so that a turn of a loop may be cut there; see
    /// [`crate::modulo`].
    pub cuts: Vec<usize>,
}

impl Block {
    /// A new virtual register.
    pub fn fresh(&mut self) -> i32 {
        self.count += 1;
        Insn::VIRTUAL + self.count - 1
    }

    /// A virtual register that holds what this register holds at the start.
    pub fn enter(&mut self, register: u8) -> i32 {
        let v = self.fresh();
        self.enters.push((v, register));
        v
    }

    /// Asks for a virtual register's value at the end, in this register if one is given.
    pub fn leave(&mut self, v: i32, register: Option<u8>) {
        self.leaves.push((v, register));
    }

    /// Notes that few values are alive here.
    pub fn cut(&mut self) {
        self.cuts.push(self.pieces.len());
    }

    /// Adds an instruction that touches no memory, or memory that is only read.
    pub fn push(&mut self, insn: Insn) {
        self.pieces.push(Piece { item: Item::Insn(insn), region: None });
    }

    /// Adds one that touches memory of a region.
    pub fn push_in(&mut self, insn: Insn, region: u16) {
        self.pieces.push(Piece { item: Item::Insn(insn), region: Some(region) });
    }

    /// Adds an item.
    pub fn item(&mut self, item: Item, region: Option<u16>) {
        self.pieces.push(Piece { item, region });
    }
}

/// How values are spilled. The writer reserves the memory.
pub struct Spill<'a> {
    /// Stores a register to a slot.
    pub store: &'a dyn Fn(usize, i32) -> Insn,
    /// Loads it back.
    pub load: &'a dyn Fn(usize, i32) -> Insn,
    /// How many slots there are.
    pub slots: usize,
}

/// What the surroundings ask of a block.
#[derive(Default)]
pub struct Constraints<'a> {
    /// Registers that virtual ones may get, those liked most first. Others keep what they hold,
    /// unless the block's own instructions name them.
    pub free: &'a [u8],
    /// Flags that are needed after the block; the others are forgotten.
    pub flags: &'a [u8],
    /// Whether loads of unmarked regions may pass stores: memory that is not marked is only read.
    pub unmarked_is_constant: bool,
    /// How values are put off; without it, a block for which registers do not suffice is refused.
    pub spill: Option<Spill<'a>>,
    /// Where two instructions issue together only as an aligned pair: what stands in a half of a pair that has no
    /// instruction, the first and the second. The block begins at a pair.
    pub idle: Option<[Insn; 2]>,
    /// Bytes of an instruction where they depend on its registers: then registers are chosen for few.
    pub bytes: Option<&'a dyn Fn(&Insn) -> usize>,
}

/// The instruction of an item.
pub fn insn(item: &Item) -> Option<&Insn> {
    match item {
        Item::Insn(insn) | Item::Linked { insn, .. } => Some(insn),
        _ => None,
    }
}
