//! The ARM instruction set in ARM state, as of ARMv4: the rows for user programs (ARM Architecture Reference
//! Manual, DDI 0100, chapters A3 and A4). Operands have several forms, and a row is an instruction with one of
//! them, so that each row has one meaning.
//!
//! Names: mnemonic, `s` if it sets flags, then the form: `eor` (register), `eor_i` (immediate), `eor_lsl`,
//! `eor_lsl_r` (by a register); `ldr` (offset), `ldr_r`, `ldr_lsl` (register, shifted), with `_down` if the
//! offset is subtracted, `_pre` and `_post` if the base is written.

mod undefined;

#[cfg(test)]
mod meaning_tests;

use std::sync::OnceLock;

use aesmith_isa::sheet::Sheet;
use aesmith_isa::table::{Coding, Counter, LowestBit};
use aesmith_isa::{Description, Guard, Insn, Isa, Kind, Unaligned};

const REGISTER: Kind = Kind::Register { base: 0, step: 1 };

/// The number of the stack pointer.
pub const SP: u8 = 13;
/// The number of the link register.
pub const LR: u8 = 14;
/// The number of the program counter.
pub const PC: u8 = 15;
/// The part of the architecture that StrongARM lacks.
pub(crate) const THUMB: &str = "ARMv4T's Thumb extension";
/// The condition `always`.
pub const ALWAYS: i32 = 14;

const fn number(width: u8) -> Kind {
    Kind::Number { signed: false, width }
}

/// Immediates of eight bits, rotated by an even number of bits (DDI 0100, A5.1.3); assemblers use the smallest
/// rotation.
static ROTATED: Coding = Coding {
    name: "eight bits rotated",
    number: |bits| i64::from((bits as u32 & 0xff).rotate_right(bits as u32 >> 8 << 1)),
    bits: |number| {
        let word = number as u32;
        let turn = (0..16).find(|t| word.rotate_left(2 * t) < 256)?;
        Some(u64::from(turn << 8 | word.rotate_left(2 * turn)))
    },
};

const KINDS: &[(&str, Kind)] = &[
    ("rd", REGISTER),
    ("rn", REGISTER),
    ("rm", REGISTER),
    ("rs", REGISTER),
    ("con", Kind::Coded { width: 32, label: false, coding: &ROTATED }),
    ("imm", number(32)),
    ("sh", number(8)),
    ("list", number(16)),
    ("to", Kind::Relative { bias: 8, width: 32 }),
    ("cond", Kind::Names { width: 4, names: CONDITIONS }),
];

const CONDITIONS: &[&str] =
    &["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", ""];

/// The common properties of rows.
fn description(lowest_bit: LowestBit) -> Description {
    Description {
        name: "ARMv4",
        general: 16,
        unaligned: Unaligned::Never {
            is: "rotates the word that is loaded, and stores at the multiple below",
            source: "ARM Architecture Reference Manual, ARM DDI 0100, A2.8, before ARMv6",
        },
        // DDI 0100, A2.4.3: an instruction reads its own address plus 8.
        counter: Some(Counter { register: PC, ahead: 8, lowest_bit }),
        kinds: KINDS,
        guard: Guard::Field("cond"),
        conditions: &[
            "z",
            "~z",
            "c",
            "~c",
            "n",
            "~n",
            "v",
            "~v",
            "c & ~z",
            "~c | z",
            "n == v",
            "n != v",
            "~z & (n == v)",
            "z | (n != v)",
            "1",
        ],
        ..Description::PLAIN
    }
}

fn table(description: Description) -> Isa {
    Sheet::compiled_in(include_str!("table.txt")).isa(description).leaving(undefined::undefined)
}

/// The table of ARMv4T. Extensions are added to a clone of it.
pub fn isa() -> &'static Isa {
    static TABLE: OnceLock<Isa> = OnceLock::new();
    TABLE.get_or_init(|| table(description(LowestBit::Caller)))
}

/// The table of ARMv4 without Thumb state, which has the same rows.
pub fn strongarm() -> &'static Isa {
    static TABLE: OnceLock<Isa> = OnceLock::new();
    TABLE.get_or_init(|| table(description(LowestBit::Nothing)).without("a StrongARM", &[THUMB]))
}

/// An instruction that is always executed.
pub fn insn(name: &str, fields: &[(&str, i32)]) -> Insn {
    let isa = isa();
    let mut insn = isa.insn(name, fields);
    if !fields.iter().any(|(f, _)| *f == "cond")
        && let Some(cond) = isa.of(&insn).fields.iter().position(|f| f.name == "cond")
    {
        insn.fields[cond] = ALWAYS;
    }
    insn
}
