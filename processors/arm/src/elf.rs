//! Objects of ARM state.

use aesmith_isa::assemble::Part;
use aesmith_judge::outside::qemu_arm::HEAD;
use aesmith_processor::elf::{ATTRIBUTES, How, Layout, Linking};
use object::elf;

/// Objects of ARM state, as linkers treat them.
pub static LINKING: Linking = Linking {
    // Bit 0 of a function's symbol means Thumb state (ELF for the Arm Architecture, section 5.5.3).
    mark: 1,
    // The index of unwinding tables changes no code (ELF for the Arm Architecture, section 4.3.2).
    sections: &[ATTRIBUTES, elf::SHT_REL, elf::SHT_ARM_EXIDX],
    relocations: &[
        (elf::R_ARM_ABS32, How::Word),
        // Of `bl`, and of other branches.
        (elf::R_ARM_CALL, How::Field(Part::Distance, 0x00ff_ffff)),
        (elf::R_ARM_JUMP24, How::Field(Part::Distance, 0x00ff_ffff)),
        (elf::R_ARM_MOVW_ABS_NC, How::Field(Part::Half(0), 0x000f_0fff)),
        (elf::R_ARM_MOVT_ABS, How::Field(Part::Half(1), 0x000f_0fff)),
    ],
    // The mark that assemblers put on a `bx` of ARMv4T: it changes nothing, unless a linker is told to make a move of it for
    // processors without Thumb state (`--fix-v4bx`).
    unchanging: &[(elf::R_ARM_V4BX, 0x0fff_fff0, 0x012f_ff10)],
    layouts: &[
        Layout::of(0x1_0000, 0x2_0000),
        // Kernels with an S-box of 256 bytes below their T-table have the T-table at a multiple of its size.
        Layout::of(0x1_0300, 0x2_0000),
    ],
    ..Linking::plain(HEAD)
};
