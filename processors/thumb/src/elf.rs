//! Objects of Thumb state.

use aesmith_isa::assemble::Part;
use aesmith_judge::outside::qemu_arm::HEAD;
use aesmith_processor::elf::{ATTRIBUTES, How, Layout, Linking};
use object::elf;

/// Objects of Thumb state, as linkers treat them.
pub static LINKING: Linking = Linking {
    // Bit 0 of a function's symbol means Thumb state (ELF for the Arm Architecture, section 5.5.3).
    mark: 1,
    // The index of unwinding tables changes no code (ELF for the Arm Architecture, section 4.3.2).
    sections: &[ATTRIBUTES, elf::SHT_REL, elf::SHT_ARM_EXIDX],
    relocations: &[
        (elf::R_ARM_ABS32, How::Word),
        (elf::R_ARM_THM_MOVW_ABS_NC, How::Field(Part::Half(0), 0x040f_70ff)),
        (elf::R_ARM_THM_MOVT_ABS, How::Field(Part::Half(1), 0x040f_70ff)),
    ],
    layouts: &[
        Layout::of(0x1_0000, 0x2_0000),
        // Kernels with tables in flash.
        Layout { code: 0x1_0000, constants: 0x1_8000, ram: 0x2_0000 },
    ],
    ..Linking::plain(HEAD)
};
