//! Objects of 32-bit PowerPC.

use aesmith_isa::ByteOrder;
use aesmith_isa::assemble::Part;
use aesmith_isa::elf::Head;
use aesmith_processor::elf::{How, Linking};
use object::elf;

/// The head of ELF files for 32-bit PowerPC.
pub const HEAD: Head = Head { number: elf::EM_PPC, name: "32-bit PowerPC", bits: 32, order: ByteOrder::Big };

/// Objects of 32-bit PowerPC, as linkers treat them.
pub static LINKING: Linking = Linking {
    instructions: 4,
    place: 2,
    relocations: &[
        (elf::R_PPC_ADDR16_HA, How::Field(Part::HighAdjusted, 0xffff)),
        (elf::R_PPC_ADDR16_HI, How::Field(Part::Half(1), 0xffff)),
        (elf::R_PPC_ADDR16_LO, How::Field(Part::LowSigned, 0xffff)),
    ],
    ..Linking::plain(HEAD)
};
