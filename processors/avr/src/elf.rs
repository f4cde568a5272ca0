//! Objects of AVR.

use aesmith_isa::ByteOrder;
use aesmith_isa::Isa;
use aesmith_isa::assemble::Part;
use aesmith_isa::convention::Convention;
use aesmith_isa::elf::Head;
use aesmith_isa::image::Image;
use aesmith_processor::elf::{Flagged, How, Layout, Linking};
use object::elf;

use crate::table::{isa_of_three_bytes, isa_xt_of_three_bytes};
use crate::{CONVENTION_OF_THREE_BYTES, CONVENTION_XT_OF_THREE_BYTES};

/// A processor with its table and convention where the address of return takes three bytes.
type Wide = (&'static str, fn() -> &'static Isa, &'static Convention);
const PLAIN: Wide = ("avr", isa_of_three_bytes, &CONVENTION_OF_THREE_BYTES);
const XT: Wide = ("avrxt", isa_xt_of_three_bytes, &CONVENTION_XT_OF_THREE_BYTES);

/// Files of an architecture of GNU's tools for more than 128 KiB of program memory (avr6, avrxmega6, avrxmega7).
const fn of_three_bytes(architecture: u32, (core, isa, convention): Wide) -> Flagged {
    let what = "a processor with more than 128 KiB of program memory, whose calls push three bytes";
    Flagged { flags: (0x7f, architecture, what), core, isa, convention }
}

/// Objects of AVR, as linkers treat them.
pub static LINKING: Linking = Linking {
    calls_are_checked: true,
    refused_flags: &[(0x7f, 100, "a core of 16 registers (avrtiny), on which the lower ones are missing")],
    relocations: &[
        (elf::R_AVR_7_PCREL, How::Field(Part::Distance, 0x03f8)),
        (elf::R_AVR_13_PCREL, How::Field(Part::Distance, 0x0fff)),
        // Of `jmp`, which stands where a distance is too far.
        (elf::R_AVR_CALL, How::Field(Part::Whole, 0x01f1_ffff)),
        (elf::R_AVR_LO8_LDI, How::Field(Part::Byte(0), 0x0f0f)),
        (elf::R_AVR_HI8_LDI, How::Field(Part::Byte(1), 0x0f0f)),
        (elf::R_AVR_LO8_LDI_NEG, How::Field(Part::Negated(0), 0x0f0f)),
        (elf::R_AVR_HI8_LDI_NEG, How::Field(Part::Negated(1), 0x0f0f)),
    ],
    flagged: &[
        of_three_bytes(6, PLAIN),
        of_three_bytes(106, PLAIN),
        of_three_bytes(107, PLAIN),
        of_three_bytes(6, XT),
        of_three_bytes(106, XT),
        of_three_bytes(107, XT),
    ],
    layouts: &[Layout::of(0, Image::DATA + 0x100)],
    ..Linking::plain(Head { number: elf::EM_AVR, name: "AVR", bits: 32, order: ByteOrder::Little })
};
