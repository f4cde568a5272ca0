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
    TABLE.get_or_init(|| xt(sheet()))
}

fn xt(mut sheet: Sheet) -> Isa {
    sheet.rows.iter_mut().for_each(|row| row.meaning = row.meaning.replace("io + 0x20", "io"));
    sheet.isa(Description { name: "avrxt", ..ABOUT }).leaving(undefined)
}

fn sheet() -> Sheet {
    Sheet::compiled_in(TEXT)
}

const TEXT: &str = include_str!("table.txt");

/// Meanings of calls and returns where the program counter has 22 bits (AVR Instruction Set Manual, DS40002198, `RCALL`, `CALL`
/// and `RET`): the address of return takes three bytes. In each pair the text of two bytes, and that of three.
const OF_THREE_BYTES: [(&str, &str); 3] = [
    (
        "zx(cat(m8[zx(p + 1, 24)], m8[zx(p + 2, 24)], zx(0, 1)), 24)",
        "cat(m8[zx(p + 1, 24)][6:0], cat(m8[zx(p + 2, 24)], m8[zx(p + 3, 24)], zx(0, 1)))",
    ),
    ("sp = sp - 2;", "at(sp - 2) = zx(next[23:17], 8); sp = sp - 3;"),
    ("p := sp; sp = p + 2;", "p := sp; sp = p + 3;"),
];

fn of_three_bytes() -> Sheet {
    let text = OF_THREE_BYTES.iter().fold(TEXT.to_owned(), |text, (two, three)| text.replace(two, three));
    Sheet::compiled_in(&text)
}

/// The table of processors with more than 128 KiB of program memory.
pub(crate) fn isa_of_three_bytes() -> &'static Isa {
    static TABLE: OnceLock<Isa> = OnceLock::new();
    TABLE.get_or_init(|| of_three_bytes().isa(ABOUT).leaving(undefined))
}

/// The table of AVRxt with more than 128 KiB of program memory.
pub(crate) fn isa_xt_of_three_bytes() -> &'static Isa {
    static TABLE: OnceLock<Isa> = OnceLock::new();
    TABLE.get_or_init(|| xt(of_three_bytes()))
}
