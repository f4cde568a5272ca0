//! Objects of the SPU.

use aesmith_isa::ByteOrder;
use aesmith_isa::assemble::Part;
use aesmith_isa::elf::Head;
use aesmith_processor::elf::{How, Linking};

/// A distance in an instruction (binutils, include/elf/spu.h). Not in the crate `object`.
const R_SPU_REL16: u32 = 7;

/// Objects of the SPU, as linkers treat them.
pub static LINKING: Linking = Linking {
    instructions: 4,
    relocations: &[(R_SPU_REL16, How::Field(Part::Distance, 0x007f_ff80))],
    ..Linking::plain(Head { number: object::elf::EM_SPU, name: "SPU", bits: 32, order: ByteOrder::Big })
};
