//! The features that a provable object of each machine may have: kinds of sections, relocations, and the addresses at
//! which our own assembler puts code and tables. Anything not listed here is refused.

use aesmith_isa::ByteOrder;
use aesmith_isa::assemble::Part;
use aesmith_isa::image::{Image, machine_name};
use object::elf::{self, EM_386, EM_ARM, EM_AVR, EM_MICROBLAZE, EM_PPC, EM_RISCV, EM_SPARCV9, EM_SPU};

/// The value that a linker writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// A 32-bit word: the address plus the addend.
    Word,
    /// A 32-bit word: the address plus the addend, minus the word's own address.
    Away,
    /// A 32-bit word: the address plus the addend, minus the address of the global offset table.
    FromTable,
    /// A 32-bit word: the address of the global offset table plus the addend, minus the word's own address.
    AwayToTable,
    /// The non-register field of an instruction. The mask gives the bits that linkers write, whatever instruction is
    /// there.
    Field(Part, u128),
}

/// The memory that a section is loaded into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    /// Instructions, and data between them.
    Code,
    /// Constants behind the code, in program memory (AVR).
    Flash,
    /// Read-only constants.
    Constants,
    /// Tables that a program loads into RAM.
    Ram,
}

impl Memory {
    /// The assembler's name of such a section.
    pub fn name(self) -> &'static str {
        match self {
            Memory::Code => ".text",
            Memory::Flash => ".progmem.data",
            Memory::Constants => ".rodata",
            Memory::Ram => ".data",
        }
    }
}

/// A machine.
#[derive(Debug)]
pub struct Machine {
    /// Its number in ELF.
    pub number: u16,
    /// Its byte order.
    pub order: ByteOrder,
    /// Alignment of instructions in bytes, for relocations that may refer to a place within an instruction; 1 if there
    /// is no requirement.
    pub instructions: u64,
    /// Offset of that place in an instruction, in bytes.
    pub place: u64,
    /// True if linkers refuse calls of code that is not aligned to an instruction, wherever the sections are placed
    /// (the relocation `R_AVR_CALL` and similar ones hold words, not bytes).
    pub calls_are_checked: bool,
    /// Fields of a file's flags that indicate an unknown processor or calling convention: a mask, a value, a
    /// description.
    pub refused_flags: &'static [(u32, u32, &'static str)],
    /// Kinds of sections that only its objects have and that change no other section.
    pub sections: &'static [u32],
    /// Bits of a function's symbol that do not belong to its address: bit 0 marks Thumb code (ELF for the Arm
    /// Architecture, section 5.5.3).
    pub mark: u64,
    /// Its relocations by number. Bits of instructions are as in [`aesmith_isa::pattern`].
    pub relocations: &'static [(u32, How)],
    /// Addresses at which our assembler puts code and tables: the first by default, the others for some kernels. A
    /// certificate is for a program at one of these.
    pub layouts: &'static [Layout],
}

/// Start addresses of code and tables; sections with the same start address follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Instructions, and on AVR the constants behind them.
    pub code: u64,
    /// Read-only constants.
    pub constants: u64,
    /// Tables in RAM.
    pub ram: u64,
}

impl Layout {
    /// Code, and all tables at one address.
    const fn of(code: u64, tables: u64) -> Layout {
        Layout { code, constants: tables, ram: tables }
    }
}

/// GNU's relocation for an `imm` and the instruction behind it, which take an address in two halves (binutils,
/// include/elf/microblaze.h). Not in the crate `object`.
const R_MICROBLAZE_64: u32 = 5;

/// A distance in an instruction of the SPU (binutils, include/elf/spu.h). Not in the crate `object`.
const R_SPU_REL16: u32 = 7;

/// The relocation of each of these machines that changes nothing (`R_AVR_NONE`, `R_ARM_NONE`, ...).
pub const NOTHING: u32 = 0;

/// Immediate bits of RISC-V instructions: of formats U and J, of I, and of S and B (The RISC-V Instruction Set Manual,
/// volume I, 2.3).
const RV_UPPER: u128 = 0xffff_f000;
const RV_LOAD: u128 = 0xfff0_0000;
const RV_STORE: u128 = 0xfe00_0f80;

/// Immediate bits of SPARC instructions: of `sethi`, and of operations with an immediate (The SPARC Architecture
/// Manual, version 9, 6.2). Linkers keep the highest bits of the latter.
const SPARC_UPPER: u128 = 0x003f_ffff;
const SPARC_LOWER: u128 = 0x1fff;

const ATTRIBUTES: u32 = elf::SHT_LOPROC + 3;

/// All known machines.
pub const MACHINES: &[Machine] = &[
    Machine {
        number: EM_AVR,
        order: ByteOrder::Little,
        instructions: 1,
        place: 0,
        mark: 0,
        calls_are_checked: true,
        refused_flags: &[(
            0x7f,
            100,
            "a core of 16 registers (avrtiny), on which the lower ones are missing",
        )],
        sections: &[],
        relocations: &[
            (elf::R_AVR_7_PCREL, How::Field(Part::Distance, 0x03f8)),
            (elf::R_AVR_13_PCREL, How::Field(Part::Distance, 0x0fff)),
            // For `jmp`, used where a relative jump cannot reach.
            (elf::R_AVR_CALL, How::Field(Part::Whole, 0x01f1_ffff)),
            (elf::R_AVR_LO8_LDI, How::Field(Part::Byte(0), 0x0f0f)),
            (elf::R_AVR_HI8_LDI, How::Field(Part::Byte(1), 0x0f0f)),
        ],
        layouts: &[Layout::of(0, Image::DATA + 0x100)],
    },
    Machine {
        number: EM_ARM,
        order: ByteOrder::Little,
        instructions: 1,
        place: 0,
        mark: 1,
        calls_are_checked: false,
        refused_flags: &[],
        sections: &[ATTRIBUTES, elf::SHT_REL],
        relocations: &[
            (elf::R_ARM_ABS32, How::Word),
            (elf::R_ARM_MOVW_ABS_NC, How::Field(Part::Half(0), 0x000f_0fff)),
            (elf::R_ARM_MOVT_ABS, How::Field(Part::Half(1), 0x000f_0fff)),
            (elf::R_ARM_THM_MOVW_ABS_NC, How::Field(Part::Half(0), 0x040f_70ff)),
            (elf::R_ARM_THM_MOVT_ABS, How::Field(Part::Half(1), 0x040f_70ff)),
        ],
        layouts: &[
            Layout::of(0x1_0000, 0x2_0000),
            // Kernels with an S-box of 256 bytes below their T-table align the T-table to its size.
            Layout::of(0x1_0300, 0x2_0000),
            // Thumb kernels with tables in flash.
            Layout { code: 0x1_0000, constants: 0x1_8000, ram: 0x2_0000 },
        ],
    },
    Machine {
        number: EM_RISCV,
        order: ByteOrder::Little,
        instructions: 1,
        place: 0,
        mark: 0,
        calls_are_checked: false,
        refused_flags: &[(elf::EF_RISCV_RVE, elf::EF_RISCV_RVE, "RV32E with its own convention (ilp32e)")],
        sections: &[ATTRIBUTES],
        // R_RISCV_RELAX and R_RISCV_ALIGN are missing: linkers remove instructions at these.
        relocations: &[
            (elf::R_RISCV_BRANCH, How::Field(Part::Distance, RV_STORE)),
            (elf::R_RISCV_JAL, How::Field(Part::Distance, RV_UPPER)),
            (elf::R_RISCV_RVC_BRANCH, How::Field(Part::Distance, 0x1c7c)),
            (elf::R_RISCV_RVC_JUMP, How::Field(Part::Distance, 0x1ffc)),
            (elf::R_RISCV_HI20, How::Field(Part::High20, RV_UPPER)),
            (elf::R_RISCV_LO12_I, How::Field(Part::Low12, RV_LOAD)),
            (elf::R_RISCV_PCREL_HI20, How::Field(Part::AwayHigh20, RV_UPPER)),
            // The symbol is a place in the code; the address is that of the relocation there.
            (elf::R_RISCV_PCREL_LO12_I, How::Field(Part::AwayLow12(0), RV_LOAD)),
            (elf::R_RISCV_LO12_S, How::Field(Part::Low12, RV_STORE)),
            (elf::R_RISCV_PCREL_LO12_S, How::Field(Part::AwayLow12(0), RV_STORE)),
        ],
        // Older certificates use the second layout.
        layouts: &[Layout::of(0x1_0000, 0x2_0400), Layout::of(0x1_0000, 0x2_0000)],
    },
    Machine {
        number: EM_PPC,
        order: ByteOrder::Big,
        instructions: 4,
        place: 2,
        mark: 0,
        calls_are_checked: false,
        refused_flags: &[],
        sections: &[],
        relocations: &[
            (elf::R_PPC_ADDR16_HA, How::Field(Part::HighAdjusted, 0xffff)),
            (elf::R_PPC_ADDR16_HI, How::Field(Part::Half(1), 0xffff)),
            (elf::R_PPC_ADDR16_LO, How::Field(Part::LowSigned, 0xffff)),
        ],
        layouts: &[Layout::of(0x1_0000, 0x2_0000)],
    },
    Machine {
        number: EM_SPARCV9,
        order: ByteOrder::Big,
        instructions: 4,
        place: 0,
        mark: 0,
        calls_are_checked: false,
        refused_flags: &[],
        // The GNU assembler records here which instructions an object uses.
        sections: &[elf::SHT_GNU_ATTRIBUTES],
        relocations: &[
            // Branches are within a function: GNU as leaves none to linkers.
            (elf::R_SPARC_H44, How::Field(Part::Upper44, SPARC_UPPER)),
            (elf::R_SPARC_M44, How::Field(Part::Middle44, SPARC_LOWER)),
            (elf::R_SPARC_L44, How::Field(Part::Lower44, SPARC_LOWER)),
            // For 32-bit addresses; linkers ignore higher bits.
            (elf::R_SPARC_HI22, How::Field(Part::Upper32, SPARC_UPPER)),
            (elf::R_SPARC_LO10, How::Field(Part::Lower32, SPARC_LOWER)),
        ],
        layouts: &[Layout::of(0x1_0000, 0x2_0000)],
    },
    Machine {
        number: EM_SPU,
        order: ByteOrder::Big,
        instructions: 4,
        place: 0,
        mark: 0,
        calls_are_checked: false,
        refused_flags: &[],
        sections: &[],
        relocations: &[(R_SPU_REL16, How::Field(Part::Distance, 0x007f_ff80))],
        layouts: &[Layout::of(0x1_0000, 0x2_0000)],
    },
    Machine {
        number: EM_386,
        order: ByteOrder::Little,
        instructions: 1,
        place: 0,
        mark: 0,
        calls_are_checked: false,
        refused_flags: &[],
        sections: &[elf::SHT_REL],
        // These relocations are words, wherever in an instruction they are.
        relocations: &[
            (elf::R_386_32, How::Word),
            (elf::R_386_PC32, How::Away),
            (elf::R_386_GOTOFF, How::FromTable),
            (elf::R_386_GOTPC, How::AwayToTable),
        ],
        layouts: &[Layout::of(0x1_0000, 0x2_0000)],
    },
    Machine {
        number: EM_MICROBLAZE,
        order: ByteOrder::Little,
        instructions: 1,
        place: 0,
        mark: 0,
        calls_are_checked: false,
        refused_flags: &[],
        sections: &[],
        relocations: &[(R_MICROBLAZE_64, How::Field(Part::Whole, 0x0000_ffff_0000_ffff))],
        layouts: &[Layout::of(0x1_0000, 0x2_0000)],
    },
];

/// Returns the machine with an ELF number.
pub fn machine(number: u16) -> Result<&'static Machine, String> {
    MACHINES
        .iter()
        .find(|m| m.number == number)
        .ok_or_else(|| format!("the file is for {}, of which nothing can be verified", machine_name(number)))
}

impl Machine {
    /// Returns the value that a linker writes for a relocation, if it is known.
    pub fn how(&self, relocation: u32) -> Option<How> {
        self.relocations.iter().find(|(number, _)| *number == relocation).map(|(_, how)| *how)
    }
}
