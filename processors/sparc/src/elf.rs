//! Objects of 64-bit SPARC.

use aesmith_isa::ByteOrder;
use aesmith_isa::assemble::Part;
use aesmith_isa::elf::Head;
use aesmith_processor::elf::{How, Linking};
use object::elf;

/// The head of ELF files for 64-bit SPARC.
pub const HEAD: Head =
    Head { number: elf::EM_SPARCV9, name: "64-bit SPARC", bits: 64, order: ByteOrder::Big };

/// Bits of an instruction: of `sethi`, and of operations with a number (The SPARC Architecture Manual, version 9, 6.2).
/// Linkers leave the highest of the latter as they are.
const UPPER: u128 = 0x003f_ffff;
const LOWER: u128 = 0x1fff;

/// Objects of 64-bit SPARC, as linkers treat them.
pub static LINKING: Linking = Linking {
    instructions: 4,
    // Objects of the GNU assembler say here which instructions they have.
    sections: &[elf::SHT_GNU_ATTRIBUTES],
    relocations: &[
        // Branches are within a function: GNU as leaves none to linkers.
        (elf::R_SPARC_H44, How::Field(Part::Upper44, UPPER)),
        (elf::R_SPARC_M44, How::Field(Part::Middle44, LOWER)),
        (elf::R_SPARC_L44, How::Field(Part::Lower44, LOWER)),
        // Of addresses of 32 bits, and linkers look at no others.
        (elf::R_SPARC_HI22, How::Field(Part::Upper32, UPPER)),
        (elf::R_SPARC_LO10, How::Field(Part::Lower32, LOWER)),
    ],
    ..Linking::plain(HEAD)
};
