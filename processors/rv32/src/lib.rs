//! 32-bit RISC-V processors: cores whose RTL is the judge, cores that are only documented, and AMD's MicroBlaze
//! V.

pub mod cycles;
pub mod dimensions;
mod elf;
pub mod extended;
mod gnu;
pub mod judge;
pub mod kernels;
mod parts;
pub mod scarv;
pub mod table;
mod undefined;
mod unit_judge;

#[cfg(test)]
mod extended_tests;
#[cfg(test)]
mod kernel_tests;
#[cfg(test)]
mod meaning_tests;

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::convention::{Convention, Reserved, Return};

use aesmith_arrange::Table;
use aesmith_judge::judge::Emulator;
use aesmith_processor::core::{Chips, Core, InChip};
use aesmith_processor::processor::Record;
use judge::QEMU;
use kernels::Base;

/// The calling convention of C functions.
pub static CONVENTION: Convention = Convention {
    name: "RISC-V ilp32",
    source: "RISC-V ELF psABI, 1.1 (integer registers) and 2.1 (integer calling convention), ilp32",
    arguments: &[&[10], &[11], &[12], &[13], &[14], &[15], &[16], &[17]],
    stack_pointer: 2,
    stack_arguments: 0,
    alignment: 16,
    red_zone: 0,
    saves: (0, 0),
    returns: Return::Register(1, 0),
    saved: &[8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27],
    fixed: &[],
    windows: None,
    stack_alignment: 16,
    // "must remain aligned throughout procedure execution" (RISC-V ELF psABI, 2.1).
    held_alignment: 16,
    back_chain: false,
    callers_by_fours: false,
    slot: 0,
    reserved: &[
        Reserved {
            registers: &[3],
            holds: "the global pointer, which handlers of interrupts and signals go by",
            source: "RISC-V ELF psABI, 1.1 and 2.1",
            changes: false,
            only: None,
        },
        Reserved {
            registers: &[4],
            holds: "the thread pointer, which handlers of interrupts and signals go by",
            source: "RISC-V ELF psABI, 1.1 and 2.1",
            changes: false,
            only: None,
        },
    ],
    halves: None,
    buffers: 4,
};

macro_rules! core {
    ($name:literal, $about:literal, $isa:path, $rules:path, $cached:literal, $dimensions:path, $judges:expr, $port:expr) => {
        core!($name, $about, $isa, $rules, $cached, $dimensions, $judges, $port, None)
    };
    ($name:literal, $about:literal, $isa:path, $rules:path, $cached:literal, $dimensions:path, $judges:expr, $port:expr,
     $instructions:expr) => {
        Core {
            record: Record {
                checked: Some("rv32"),
                name: $name,
                about: $about,
                model_about: $rules.source,
                cached: $cached,
                table: &Table::new($name, $dimensions, dimensions::technique),
                solves: Firmware::is_offered,
                starts: include_str!("starts.txt"),
            },
            linking: &elf::LINKING,
            isa: &$isa,
            timing: &$rules,
            convention: &CONVENTION,
            memory: &[(0, 0x10_0000)],
            stack_top: 0x8_0000,
            buffers: 0x4_0000,
            build: &|variant| {
                kernels::build(variant, Base { isa: $isa(), timing: &$rules, instructions: $instructions })
            },
            judges: &$judges,
            bound: &|variant| {
                kernels::bound(variant, Base { isa: $isa(), timing: &$rules, instructions: $instructions })
            },
            port: $port,
            cpu: None,
            in_registers: |_| None,
            jump: Some(kernels::function::jump),
            gnu: gnu::gnu,
        }
    };
}

fn only_qemu() -> Vec<Box<dyn Emulator>> {
    vec![Box::new(QEMU)]
}

/// `rv32-zkn` without its AES instructions.
static ZBKB: Core = core!(
    "rv32-zbkb",
    "RV32IMC with Zbkb, five stages",
    table::zbkb,
    cycles::ZKN,
    false,
    dimensions::COMPRESSED,
    only_qemu,
    None
);

/// Chips with a core of this family.
pub static CHIPS: &Chips = &[
    (InChip::Is("fe310"), "fe310g*"),
    (
        InChip::Is("rv32imc"),
        "ch32v203* ch32v208* ch32v303* ch32v305* ch32v307* ch32v317* esp32c2* esp32c3* esp32c5* esp32c6*
         esp32h2* gd32vf103*",
    ),
    (InChip::Another, "ch32v* esp32*"),
];

/// The processors of this family.
pub static CORES: &[Core] = &[
    core!(
        "rv32i",
        "RV32I, an instruction a cycle",
        table::rv32i,
        cycles::BARE,
        false,
        dimensions::PLAIN,
        only_qemu,
        Some(&extended::PLAIN)
    ),
    core!(
        "rv32imc",
        "RV32IMC, an instruction a cycle: for code size",
        table::rv32imc,
        cycles::BARE,
        false,
        dimensions::COMPRESSED,
        only_qemu,
        None
    ),
    core!(
        "picorv32",
        "PicoRV32: no pipeline, dual-port registers, barrel shifter, memory without wait states",
        table::rv32im,
        cycles::PICORV32,
        false,
        dimensions::PLAIN,
        || vec![Box::new(judge::PICORV32), Box::new(QEMU)],
        Some(&extended::PCPI)
    ),
    core!(
        "ibex",
        "Ibex: two stages, no branch-target ALU, memory without wait states",
        table::ibex,
        cycles::IBEX,
        false,
        dimensions::COMPRESSED,
        || vec![Box::new(judge::IBEX), Box::new(QEMU)],
        None
    ),
    core!(
        "ibex-writeback",
        "Ibex with write-back stage and branch-target ALU, memory without wait states",
        table::ibex,
        cycles::IBEX_WRITEBACK,
        false,
        dimensions::COMPRESSED,
        || vec![Box::new(judge::IBEX_WRITEBACK), Box::new(QEMU)],
        None
    ),
    core!(
        "vexriscv",
        "VexRiscv as LiteX's full variant: five stages, caches of 4 KiB",
        table::rv32im,
        cycles::VEXRISCV,
        true,
        dimensions::PLAIN,
        || vec![Box::new(judge::VEXRISCV), Box::new(QEMU)],
        Some(&extended::CFU)
    ),
    core!(
        "fe310",
        "SiFive FE310: the E31 core, five stages, tables in its tightly integrated memory",
        table::rv32imc,
        cycles::E31,
        false,
        dimensions::COMPRESSED,
        only_qemu,
        Some(&extended::PLAIN)
    ),
    core!(
        "scarv",
        "SCARV: five stages, no caches, jumps taken at the end of the pipeline",
        table::rv32im,
        scarv::SCARV,
        false,
        dimensions::PLAIN,
        only_qemu,
        Some(&extended::PLAIN)
    ),
    core!(
        "rv32-zkn",
        "RV32IMC with the AES instructions of Zkne and Zknd, five stages",
        table::zkn,
        cycles::ZKN,
        false,
        dimensions::ZKN,
        only_qemu,
        None,
        Some(extended::ratified())
    ),
    core!(
        "microblaze-v",
        "MicroBlaze V with five stages: RV32IM, everything in local memory",
        table::rv32im,
        cycles::MICROBLAZE_V,
        false,
        dimensions::PLAIN,
        only_qemu,
        None
    ),
];
