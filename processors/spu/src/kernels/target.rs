//! The SPU as a target of vector kernels: frames, counts and branches.

use std::sync::LazyLock;

use aesmith_isa::assemble::{Item, Part};
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};
use aesmith_order::function::Target;
use aesmith_vectors::machine::{Flag, Machine, VectorTarget};

use super::writer::Writer;
use crate::cycles;
use crate::table::{self, FIRST, LR, isa};

/// The stack pointer.
const SP: i32 = table::SP as i32;
/// Registers for the results of comparisons.
const FLAGS: [u8; 2] = [2, 79];
/// The other caller-saved registers; arguments come last.
static VOLATILE: LazyLock<Vec<u8>> = LazyLock::new(|| (FIRST + 5..79).chain(FIRST..FIRST + 5).collect());
/// Callee-saved registers.
static KEPT: LazyLock<Vec<u8>> = LazyLock::new(|| (table::SAVED..128).collect());

/// The SPU, with these choices of pipes.
pub(crate) struct Spu {
    /// True to shift upper nibbles down in the even pipe.
    pub nibbles_even: bool,
    /// True to rotate columns in the even pipe.
    pub columns_even: bool,
}

fn insn(name: &str, fields: &[(&str, i32)]) -> Insn {
    isa().insn(name, fields)
}

fn branch(name: &str, fields: &[(&str, i32)], label: &str) -> Item {
    let (insn, field, label) = (insn(name, fields), "off".to_owned(), label.to_owned());
    Item::Linked { insn, field, label, addend: 0, part: Part::Distance }
}

impl Target for Spu {
    fn isa(&self) -> &'static Isa {
        isa()
    }

    fn timing(&self) -> &'static Timing {
        &cycles::SPU
    }

    fn volatile(&self) -> &'static [u8] {
        &VOLATILE
    }

    fn saved(&self) -> &'static [u8] {
        &KEPT
    }

    fn stack_pointer(&self) -> i32 {
        SP
    }

    /// The pointer to the caller's frame, and space for the return address of functions that this one would
    /// call.
    fn frame_header(&self) -> i32 {
        32
    }

    fn slot(&self) -> i32 {
        16
    }

    /// The other words of the stack pointer hold the available stack size: all four are adjusted, and restored
    /// from the frame.
    fn frame(&self, bytes: i32, make: bool) -> Vec<Item> {
        let back = FLAGS[0].into();
        let insns = if make {
            vec![
                insn("ori", &[("rt", back), ("ra", SP), ("ten", 0)]),
                insn("ai", &[("rt", SP), ("ra", SP), ("ten", -bytes)]),
                insn("stqd", &[("rt", back), ("ra", SP), ("quads", 0)]),
            ]
        } else {
            vec![insn("lqd", &[("rt", SP), ("ra", SP), ("quads", 0)])]
        };
        insns.into_iter().map(Item::Insn).collect()
    }

    fn spill(&self, register: i32, at: i32, store: bool) -> Option<Insn> {
        let fields = [("rt", register), ("ra", SP), ("quads", at)];
        Some(insn(if store { "stqd" } else { "lqd" }, &fields))
    }

    fn pairs(&self) -> Option<[Insn; 2]> {
        Some([insn("nop", &[]), insn("lnop", &[])])
    }

    fn jump(&self, label: &str) -> Item {
        branch("br", &[], label)
    }

    fn hint(&self, distance: i32, label: &str) -> Option<Item> {
        Some(branch("hbrr", &[("branch", distance)], label))
    }

    fn leave(&self) -> Vec<Item> {
        vec![Item::Insn(insn("bi", &[("ra", LR.into())]))]
    }

    fn arguments(&self) -> &'static [u8] {
        &[FIRST, FIRST + 1, FIRST + 2, FIRST + 3, FIRST + 4]
    }
}

impl VectorTarget for Spu {
    fn writer(&self, _: &[u8]) -> Box<dyn Machine> {
        Box::new(Writer::new(self.nibbles_even, self.columns_even))
    }

    fn keeps(&self) -> usize {
        0
    }

    fn fits(&self, _: u8, _: bool) -> bool {
        true
    }

    fn is_roomy(&self) -> bool {
        true
    }

    fn last_byte(&self, register: u8, address: u8) -> Vec<Item> {
        let (r, a) = (i32::from(register), i32::from(address));
        let insns = [
            insn("lqd", &[("rt", r), ("ra", a), ("quads", 0)]),
            insn("shlqbyi", &[("rt", r), ("ra", r), ("up", 12)]),
            insn("andi", &[("rt", r), ("ra", r), ("ten", 0xff)]),
        ];
        insns.map(Item::Insn).into()
    }

    fn branch(&self, flag: Flag, below: bool, label: &str) -> Item {
        branch(if below { "brz" } else { "brnz" }, &[("rt", flagged(flag))], label)
    }
}

/// The register of a flag: zero if the compared value is below the number.
pub(crate) fn flagged(flag: Flag) -> i32 {
    let number = match flag {
        Flag::Blocks => FLAGS[0],
        Flag::Wraps => FLAGS[1],
    };
    number.into()
}

/// The start of a message function: returns if there are no blocks. It has eight bytes, which preserve the
/// pairing of instructions.
pub fn entry(some: &str) -> Vec<Item> {
    vec![branch("brnz", &[("rt", 7)], some), Item::Insn(insn("bi", &[("ra", LR.into())]))]
}
