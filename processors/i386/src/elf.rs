//! Objects of i386.

use aesmith_isa::ByteOrder;
use aesmith_isa::elf::Head;
use aesmith_processor::elf::{How, Linking};
use object::elf;

/// The head of ELF files for i386.
pub const HEAD: Head = Head { number: elf::EM_386, name: "i386", bits: 32, order: ByteOrder::Little };

/// Objects of i386, as linkers treat them.
pub static LINKING: Linking = Linking {
    sections: &[elf::SHT_REL],
    // Wherever in an instruction they stand, they are words.
    relocations: &[
        (elf::R_386_32, How::Word),
        (elf::R_386_PC32, How::Away),
        (elf::R_386_GOTOFF, How::FromTable),
        (elf::R_386_GOTPC, How::AwayToTable),
    ],
    ..Linking::plain(HEAD)
};
