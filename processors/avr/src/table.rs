//! The instruction table of AVRe+ (AVR Instruction Set Manual, DS40002198): encodings, semantics and flags. `spm`,
//! `sleep` and `break` are left out, as their effects are outside the processor model.

use std::sync::OnceLock;

use aesmith_isa::sheet::Sheet;
use aesmith_isa::{Description, Isa, Kind, Unaligned};

use crate::undefined::undefined;

const ABOUT: Description = Description {
    name: "avr",
    // The width of a byte address in program memory; data addresses have 16 bits and are extended.
    address: 24,
    unit: 2,
    general: 32,
    unaligned: Unaligned::Works { source: "every access is of one byte" },
    pairs: &[("X", "r27", "r26"), ("Y", "r29", "r28"), ("Z", "r31", "r30"), ("product", "r1", "r0")],
    kinds: &[
        ("rd", Kind::Register { base: 0, step: 1 }),
        ("rr", Kind::Register { base: 0, step: 1 }),
        ("hd", Kind::Register { base: 16, step: 1 }),
        ("hr", Kind::Register { base: 16, step: 1 }),
        ("md", Kind::Register { base: 16, step: 1 }),
        ("mr", Kind::Register { base: 16, step: 1 }),
        ("ed", Kind::Register { base: 0, step: 2 }),
        ("er", Kind::Register { base: 0, step: 2 }),
        ("wd", Kind::Register { base: 24, step: 2 }),
        ("k", Kind::Number { signed: false, width: 8 }),
        ("q", Kind::Number { signed: false, width: 16 }),
        ("io", Kind::Number { signed: false, width: 24 }),
        ("bit", Kind::Number { signed: false, width: 8 }),
        ("m", Kind::Number { signed: false, width: 16 }),
        ("w", Kind::Number { signed: false, width: 24 }),
        ("t", Kind::Relative { bias: 2, width: 24 }),
    ],
    data: aesmith_isa::image::Image::DATA,
    ..Description::PLAIN
};

/// The compiled table.
pub fn isa() -> &'static Isa {
    static TABLE: OnceLock<Isa> = OnceLock::new();
    TABLE.get_or_init(|| sheet().isa(ABOUT).leaving(undefined))
}

/// The table of AVRxt, whose I/O registers start at data address 0: its general registers have no data addresses.
pub(crate) fn isa_xt() -> &'static Isa {
    static TABLE: OnceLock<Isa> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut sheet = sheet();
        sheet.rows.iter_mut().for_each(|row| row.meaning = row.meaning.replace("io + 0x20", "io"));
        sheet.isa(Description { name: "avrxt", ..ABOUT }).leaving(undefined)
    })
}

fn sheet() -> Sheet {
    Sheet::compiled_in(include_str!("table.txt"))
}
