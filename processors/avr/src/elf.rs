//! Objects of AVR.

use aesmith_isa::ByteOrder;
use aesmith_isa::assemble::Part;
use aesmith_isa::elf::Head;
use aesmith_isa::image::Image;
use aesmith_processor::elf::{How, Layout, Linking};
use object::elf;

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
    ],
    layouts: &[Layout::of(0, Image::DATA + 0x100)],
    ..Linking::plain(Head { number: elf::EM_AVR, name: "AVR", bits: 32, order: ByteOrder::Little })
};
