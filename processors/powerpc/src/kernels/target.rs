//! PowerPC as a target of word kernels: frames, counts and branches.

use aesmith_isa::assemble::{Item, Part};
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};
use aesmith_order::function::Target;
use aesmith_words::machine::{Machine, WordTarget};

use super::writer::Writer;
use crate::table::isa;

/// The stack pointer.
pub const SP: i32 = 1;
/// Volatile registers except the linker's; those that are not arguments come first, and 0, which no address can
/// name, last.
pub const VOLATILE: &[u8] = &[12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 0];
/// Callee-saved registers.
pub const SAVED: &[u8] = &[14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31];

/// A PowerPC with a timing.
pub struct PowerPc {
    /// Its timing.
    pub timing: &'static Timing,
}

pub fn insn(name: &str, fields: &[(&str, i32)]) -> Insn {
    isa().insn(name, fields)
}

pub fn branch(name: &str, fields: &[(&str, i32)], label: &str) -> Item {
    let (insn, field, label) = (insn(name, fields), "off".to_owned(), label.to_owned());
    Item::Linked { insn, field, label, addend: 0, part: Part::Distance }
}

impl Target for PowerPc {
    fn isa(&self) -> &'static Isa {
        isa()
    }

    fn timing(&self) -> &'static Timing {
        self.timing
    }

    fn volatile(&self) -> &'static [u8] {
        VOLATILE
    }

    fn saved(&self) -> &'static [u8] {
        SAVED
    }

    fn stack_pointer(&self) -> i32 {
        SP
    }

    /// The pointer to the caller's frame, and a word for the return address of functions that this one would
    /// call.
    fn frame_header(&self) -> i32 {
        8
    }

    fn frame(&self, bytes: i32, make: bool) -> Vec<Item> {
        vec![Item::Insn(if make {
            insn("stwu", &[("rt", SP), ("ra", SP), ("d", -bytes)])
        } else {
            insn("addi", &[("rt", SP), ("ra", SP), ("si", bytes)])
        })]
    }

    fn spill(&self, register: i32, at: i32, store: bool) -> Option<Insn> {
        Some(insn(if store { "stw" } else { "lwz" }, &[("rt", register), ("ra", SP), ("d", at)]))
    }

    fn jump(&self, label: &str) -> Item {
        branch("b", &[], label)
    }

    fn leave(&self) -> Vec<Item> {
        vec![Item::Insn(insn("blr", &[]))]
    }

    fn arguments(&self) -> &'static [u8] {
        &[3, 4, 5, 6, 7, 8, 9, 10]
    }
}

impl WordTarget for PowerPc {
    fn writer(&self) -> Box<dyn Machine> {
        Box::new(Writer::default())
    }

    fn if_zero(&self, _: u8, label: &str) -> Vec<Item> {
        vec![branch("beq", &[("cr", i32::from(crate::table::CR0))], label)]
    }

    fn count(&self, register: u8, more: i32) -> Vec<Item> {
        let r = i32::from(register);
        let first = (more != 0).then(|| insn("addi", &[("rt", r), ("ra", r), ("si", more)]));
        first.into_iter().chain([insn("mtctr", &[("rs", r)])]).map(Item::Insn).collect()
    }

    fn again(&self, _: u8, label: &str) -> Vec<Item> {
        vec![branch("bdnz", &[], label)]
    }
}
