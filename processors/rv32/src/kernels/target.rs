//! RV32 as a target of word kernels: frames, counts and branches.

use aesmith_isa::assemble::{Item, Part};
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};
use aesmith_order::function::Target;
use aesmith_words::machine::{Machine, WordTarget};

use super::function;
use super::writer::Writer;
use super::writer::register::{RA, SAVED, SP, ZERO};

/// Caller-saved registers; those that are not arguments of a message function come first.
const VOLATILE: &[u8] = &[5, 6, 7, 28, 29, 30, 31, 17, 16, 15, 14, 13, 12, 11, 10];
/// The range of loads: this many bytes before an address, and one less after it.
const REACH: i32 = 2048;

/// An RV32 processor.
pub(crate) struct Rv32 {
    /// Its instructions.
    pub isa: &'static Isa,
    /// Its timing.
    pub timing: &'static Timing,
    /// The number of callee-saved registers that may be used.
    pub saved: usize,
    /// True if values without a register are spilled to the stack; otherwise their block is refused.
    pub spills: bool,
}

impl Rv32 {
    fn with(&self, register: i32, by: i32) -> Item {
        Item::Insn(self.isa.insn("addi", &[("rd", register), ("rs1", register), ("imm", by)]))
    }

    /// Loads a register from the frame, or stores it.
    fn moved(&self, register: i32, at: i32, store: bool) -> Insn {
        let (name, field) = if store { ("sw", "rs2") } else { ("lw", "rd") };
        self.isa.insn(name, &[(field, register), ("rs1", SP.into()), ("imm", at)])
    }

    fn branch(&self, name: &str, register: u8, label: &str) -> Item {
        let insn = self.isa.insn(name, &[("rs1", i32::from(register)), ("rs2", i32::from(ZERO))]);
        let (field, label) = ("off".to_owned(), label.to_owned());
        Item::Linked { insn, field, label, addend: 0, part: Part::Distance }
    }
}

impl Target for Rv32 {
    fn isa(&self) -> &'static Isa {
        self.isa
    }

    fn timing(&self) -> &'static Timing {
        self.timing
    }

    fn volatile(&self) -> &'static [u8] {
        VOLATILE
    }

    fn saved(&self) -> &'static [u8] {
        &SAVED[..self.saved]
    }

    fn stack_pointer(&self) -> i32 {
        SP.into()
    }

    fn frame_header(&self) -> i32 {
        0
    }

    fn frame(&self, bytes: i32, make: bool) -> Vec<Item> {
        vec![self.with(SP.into(), if make { -bytes } else { bytes })]
    }

    fn spill(&self, register: i32, at: i32, store: bool) -> Option<Insn> {
        self.spills.then(|| self.moved(register, at, store))
    }

    fn save(&self, register: u8, at: i32, store: bool) -> Vec<Insn> {
        vec![self.moved(register.into(), at, store)]
    }

    fn jump(&self, label: &str) -> Item {
        function::jump(self.isa, label)
    }

    fn leave(&self) -> Vec<Item> {
        vec![Item::Insn(self.isa.insn("jalr", &[("rd", ZERO.into()), ("rs1", RA.into())]))]
    }

    fn arguments(&self) -> &'static [u8] {
        &[10, 11, 12, 13, 14, 15, 16, 17]
    }
}

impl WordTarget for Rv32 {
    fn writer(&self) -> Box<dyn Machine> {
        Box::new(Writer::new(self.isa, false))
    }

    fn reach(&self) -> i32 {
        REACH
    }

    fn advances_last_byte(&self) -> bool {
        true
    }

    fn if_zero(&self, register: u8, label: &str) -> Vec<Item> {
        vec![self.branch("beq", register, label)]
    }

    fn counts_in_register(&self) -> bool {
        true
    }

    fn count(&self, register: u8, more: i32) -> Vec<Item> {
        (more != 0).then(|| self.with(register.into(), more)).into_iter().collect()
    }

    /// Skips a jump, as a branch may not reach that far: see [`function::near`].
    fn again(&self, register: u8, label: &str) -> Vec<Item> {
        let done = format!("{label}_done");
        vec![
            self.with(register.into(), -1),
            self.branch("beq", register, &done),
            self.jump(label),
            Item::Label(done),
        ]
    }
}
