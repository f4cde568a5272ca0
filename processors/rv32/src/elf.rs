//! Objects of RISC-V.

use aesmith_isa::ByteOrder;
use aesmith_isa::assemble::Part;
use aesmith_isa::elf::Head;
use aesmith_judge::outside::runner::GLOBAL_POINTER;
use aesmith_processor::elf::{ATTRIBUTES, How, Layout, Linking};
use object::elf;

/// The head of ELF files for RISC-V with registers of 32 bits.
pub const HEAD: Head = Head { number: elf::EM_RISCV, name: "RISC-V", bits: 32, order: ByteOrder::Little };

/// Bits of an instruction: the immediates of the forms U and J, of I, and of S and B (The RISC-V Instruction Set Manual,
/// volume I, 2.3).
const UPPER: u128 = 0xffff_f000;
const LOAD: u128 = 0xfff0_0000;
const STORE: u128 = 0xfe00_0f80;

/// Objects of RISC-V, as linkers treat them.
pub static LINKING: Linking = Linking {
    refused_flags: &[(elf::EF_RISCV_RVE, elf::EF_RISCV_RVE, "RV32E with its own convention (ilp32e)")],
    sections: &[ATTRIBUTES],
    moving: Some((&[elf::R_RISCV_RELAX, elf::R_RISCV_ALIGN], "compile and assemble it with -mno-relax")),
    relocations: &[
        (elf::R_RISCV_BRANCH, How::Field(Part::Distance, STORE)),
        (elf::R_RISCV_JAL, How::Field(Part::Distance, UPPER)),
        (elf::R_RISCV_RVC_BRANCH, How::Field(Part::Distance, 0x1c7c)),
        (elf::R_RISCV_RVC_JUMP, How::Field(Part::Distance, 0x1ffc)),
        (elf::R_RISCV_HI20, How::Field(Part::High20, UPPER)),
        (elf::R_RISCV_LO12_I, How::Field(Part::Low12, LOAD)),
        (elf::R_RISCV_PCREL_HI20, How::Field(Part::AwayHigh20, UPPER)),
        // Of a place in the code, and the number is that of the relocation there.
        (elf::R_RISCV_PCREL_LO12_I, How::Field(Part::AwayLow12(0), LOAD)),
        (elf::R_RISCV_LO12_S, How::Field(Part::Low12, STORE)),
        // `auipc` with `jalr`: the second is deprecated, and linkers treat both alike.
        (elf::R_RISCV_CALL_PLT, How::Call(UPPER, LOAD)),
        (elf::R_RISCV_CALL, How::Call(UPPER, LOAD)),
        (elf::R_RISCV_PCREL_LO12_S, How::Field(Part::AwayLow12(0), STORE)),
    ],
    // The second is that of certificates of earlier versions.
    layouts: &[Layout::of(0x1_0000, 0x2_0400), Layout::of(0x1_0000, 0x2_0000)],
    // RISC-V ELF psABI, "Global Pointer".
    anchors: &[("gp", GLOBAL_POINTER)],
    ..Linking::plain(HEAD)
};
