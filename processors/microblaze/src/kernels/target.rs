//! MicroBlaze as a target of the word kernels that processors share: frames, counts and branches.

use aesmith_isa::assemble::Item;
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};
use aesmith_order::function::Target;
use aesmith_words::machine::{Machine, WordTarget};

use super::super::table::isa;
use super::function::{VOLATILE, branch, memory};
use super::writer::{SCRATCH_WORDS, SP, Shape, Writer};

/// A MicroBlaze.
pub struct MicroBlaze {
    /// Its timing.
    pub timing: &'static Timing,
    /// The implementation of byte accesses.
    pub shape: Shape,
    /// Callee-saved registers that a function may use.
    pub saved: &'static [u8],
    /// True if values without a register are spilled to the stack; otherwise their block is refused.
    pub spills: bool,
}

fn sum(register: i32, by: i32) -> Item {
    Item::Insn(isa().insn("addik", &[("rd", register), ("ra", register), ("imm", by)]))
}

/// Loads a register from the frame, or stores it.
fn moved(register: i32, at: i32, store: bool) -> Insn {
    memory(if store { "swi" } else { "lwi" }, register, at)
}

impl Target for MicroBlaze {
    fn isa(&self) -> &'static Isa {
        isa()
    }

    fn timing(&self) -> &'static Timing {
        self.timing
    }

    fn volatile(&self) -> &'static [u8] {
        &VOLATILE
    }

    fn saved(&self) -> &'static [u8] {
        self.saved
    }

    fn stack_pointer(&self) -> i32 {
        SP
    }

    /// The bottom of the frame is scratch space for bytes of words.
    fn frame_header(&self) -> i32 {
        if self.always_frames() { 4 * i32::from(SCRATCH_WORDS) } else { 0 }
    }

    fn always_frames(&self) -> bool {
        self.shape.extract_by_memory || self.shape.join_by_stores
    }

    fn frame(&self, bytes: i32, make: bool) -> Vec<Item> {
        vec![sum(SP, if make { -bytes } else { bytes })]
    }

    fn spill(&self, register: i32, at: i32, store: bool) -> Option<Insn> {
        self.spills.then(|| moved(register, at, store))
    }

    fn save(&self, register: u8, at: i32, store: bool) -> Vec<Insn> {
        vec![moved(register.into(), at, store)]
    }

    fn jump(&self, label: &str) -> Item {
        branch("bri", None, label)
    }

    fn idle(&self) -> Option<Insn> {
        Some(isa().insn("nop", &[]))
    }

    /// See [`super::function::in_slots`] for the instructions allowed in the delay slot.
    fn leave(&self) -> Vec<Item> {
        let back = isa().insn("rtsd", &[("ra", 15), ("imm", 8)]);
        vec![Item::Insn(back), Item::Insn(isa().insn("nop", &[]))]
    }

    fn arguments(&self) -> &'static [u8] {
        &[5, 6, 7, 8, 9, 10]
    }
}

impl WordTarget for MicroBlaze {
    fn writer(&self) -> Box<dyn Machine> {
        Box::new(Writer::new(self.shape))
    }

    fn advances_last_byte(&self) -> bool {
        true
    }

    fn if_zero(&self, register: u8, label: &str) -> Vec<Item> {
        vec![branch("beqid", Some(register.into()), label)]
    }

    fn counts_in_register(&self) -> bool {
        true
    }

    /// Less one: the instruction that counts an iteration follows the branch that tests.
    fn count(&self, register: u8, more: i32) -> Vec<Item> {
        (more != 1).then(|| sum(register.into(), more - 1)).into_iter().collect()
    }

    fn again(&self, register: u8, label: &str) -> Vec<Item> {
        vec![branch("bneid", Some(register.into()), label), sum(register.into(), -1)]
    }
}
