//! Objects of MicroBlaze.

use aesmith_isa::ByteOrder;
use aesmith_isa::assemble::Part;
use aesmith_isa::elf::Head;
use aesmith_processor::elf::{How, Linking};

/// The head of ELF files for little-endian MicroBlaze.
pub const HEAD: Head =
    Head { number: object::elf::EM_MICROBLAZE, name: "MicroBlaze", bits: 32, order: ByteOrder::Little };

/// An `imm` and the instruction behind it, which take an address in two halves (binutils, include/elf/microblaze.h). Not in
/// the crate `object`.
const R_MICROBLAZE_64: u32 = 5;

/// Objects of MicroBlaze, as linkers treat them.
pub static LINKING: Linking = Linking {
    relocations: &[(R_MICROBLAZE_64, How::Field(Part::Whole, 0x0000_ffff_0000_ffff))],
    // MicroBlaze ABI in UG984, small data areas.
    anchors: &[("r13", "_SDA_BASE_"), ("r2", "_SDA2_BASE_")],
    ..Linking::plain(HEAD)
};
