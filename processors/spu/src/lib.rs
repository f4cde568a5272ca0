//! The SPU of the Cell Broadband Engine.

pub mod cycles;
pub mod dimensions;
mod elf;
mod gnu;
pub mod judge;
pub mod kernels;
pub mod table;

#[cfg(test)]
mod kernel_tests;
#[cfg(test)]
mod meaning_tests;
#[cfg(test)]
mod table_tests;

use aesmith_arrange::Table;
use aesmith_cipher::firmware::Firmware;
use aesmith_processor::core::Core;
use aesmith_processor::processor::Record;

/// The processors of this family.
pub static CORES: &[Core] = &[Core {
    record: Record {
        checked: None,
        name: "spu",
        about: "Cell SPU: two instructions a cycle as aligned pairs, 128 registers of 128 bits, 256 KiB of local store",
        model_about: "modelled by pipes, latencies and aligned pairs and hints as IBM's guide has them; no judge that is free runs an SPU",
        cached: false,
        table: &Table::new("spu", dimensions::DIMENSIONS, dimensions::technique),
        solves: Firmware::is_offered,
        starts: include_str!("starts.txt"),
    },
    linking: &elf::LINKING,
    isa: &table::isa,
    timing: &cycles::SPU,
    convention: &table::CONVENTION,
    memory: &[(0, 1 << 18)],
    stack_top: 0x3fff0,
    buffers: 0x30000,
    build: &kernels::build,
    judges: &Vec::new,
    bound: &kernels::bound,
    port: None,
    cpu: None,
    in_registers: |_| None,
    jump: None,
    gnu: gnu::gnu,
}];
