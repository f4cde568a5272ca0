//! SPARC as a target of word kernels: windows, frames, counts and branches.

use aesmith_isa::assemble::{Item, Part};
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};
use aesmith_order::function::Target;
use aesmith_words::machine::{Machine, WordTarget};

use super::writer::Writer;
use crate::table::{I0, SP, isa};

/// The register that reads as zero.
const ZERO: i32 = 0;
/// Registers for allocation: those of a window except its stack and frame pointers and the return address, and
/// those that calls do not preserve; `%g2` and `%g3`, which belong to the application, come last.
const FREE: &[u8] = &[
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    8,
    9,
    10,
    11,
    12,
    13,
    15,
    1,
    4,
    5,
    I0 + 5,
    I0 + 4,
    I0 + 3,
    I0 + 2,
    I0 + 1,
    I0,
    2,
    3,
];
/// The area to which the system may save the window, and the arguments of functions that this one would call.
const HEADER: i32 = 128 + 48;

/// A SPARC with a timing.
pub(crate) struct Sparc {
    /// Its timing.
    pub timing: &'static Timing,
    /// See [`Writer::scaled`].
    pub scaled: bool,
    /// See [`Writer::narrow`].
    pub narrow: bool,
}

fn insn(name: &str, fields: &[(&str, i32)]) -> Insn {
    isa().insn(name, fields)
}

fn branch(name: &str, fields: &[(&str, i32)], label: &str) -> Item {
    let (insn, field, label) = (insn(name, fields), "off".to_owned(), label.to_owned());
    Item::Linked { insn, field, label, addend: 0, part: Part::Distance }
}

impl Target for Sparc {
    fn isa(&self) -> &'static Isa {
        isa()
    }

    fn timing(&self) -> &'static Timing {
        self.timing
    }

    fn volatile(&self) -> &'static [u8] {
        FREE
    }

    /// A window is saved as a whole: only the return address must be restored at the end of the function.
    fn saved(&self) -> &'static [u8] {
        &[I0 + 7]
    }

    fn stack_pointer(&self) -> i32 {
        SP.into()
    }

    fn frame_header(&self) -> i32 {
        self.bias() + HEADER
    }

    fn bias(&self) -> i32 {
        crate::table::CONVENTION.bias() as i32
    }

    fn slot(&self) -> i32 {
        8
    }

    fn always_frames(&self) -> bool {
        true
    }

    /// [`Target::leave`] releases the frame together with the window.
    fn frame(&self, bytes: i32, make: bool) -> Vec<Item> {
        let sp = i32::from(SP);
        let save = || Item::Insn(insn("save_i", &[("rs1", sp), ("simm", -bytes), ("rd", sp)]));
        make.then(save).into_iter().collect()
    }

    fn spill(&self, register: i32, at: i32, store: bool) -> Option<Insn> {
        Some(insn(
            if store { "stx_i" } else { "ldx_i" },
            &[("rd", register), ("rs1", SP.into()), ("simm", at)],
        ))
    }

    fn jump(&self, label: &str) -> Item {
        branch("ba,a", &[], label)
    }

    fn idle(&self) -> Option<Insn> {
        Some(insn("nop", &[]))
    }

    /// Less one: the instruction that counts an iteration follows the branch that tests.
    fn leave(&self) -> Vec<Item> {
        let back = insn("jmpl_i", &[("rs1", i32::from(I0) + 7), ("simm", 8), ("rd", ZERO)]);
        vec![Item::Insn(back), Item::Insn(insn("restore", &[("rs1", ZERO), ("rs2", ZERO), ("rd", ZERO)]))]
    }

    fn arguments(&self) -> &'static [u8] {
        &[I0, I0 + 1, I0 + 2, I0 + 3, I0 + 4, I0 + 5]
    }
}

impl WordTarget for Sparc {
    fn writer(&self) -> Box<dyn Machine> {
        Box::new(Writer::new(self.scaled, self.narrow))
    }

    fn if_zero(&self, register: u8, label: &str) -> Vec<Item> {
        vec![branch("brz,pn", &[("rs1", register.into())], label)]
    }

    fn counts_in_register(&self) -> bool {
        true
    }

    fn count(&self, register: u8, more: i32) -> Vec<Item> {
        let r = i32::from(register);
        let less = || Item::Insn(insn("add_i", &[("rd", r), ("rs1", r), ("simm", more - 1)]));
        (more != 1).then(less).into_iter().collect()
    }

    fn again(&self, register: u8, label: &str) -> Vec<Item> {
        let r = i32::from(register);
        let count = insn("add_i", &[("rd", r), ("rs1", r), ("simm", -1)]);
        vec![branch("brnz,pt", &[("rs1", r)], label), Item::Insn(count)]
    }
}

/// The start of a message function: returns if there are no blocks.
pub fn entry(some: &str) -> Vec<Item> {
    let nop = || Item::Insn(insn("nop", &[]));
    let back = insn("jmpl_i", &[("rs1", 15), ("simm", 8), ("rd", ZERO)]);
    vec![branch("brnz,pt", &[("rs1", 12)], some), nop(), Item::Insn(back), nop()]
}
