//! 64-bit SPARC V9, big-endian: UltraSPARC III.

pub mod cycles;
pub mod dimensions;
mod elf;
mod gnu;
pub mod judge;
pub mod kernels;
pub mod table;
mod undefined;

#[cfg(test)]
mod kernel_tests;
#[cfg(test)]
mod meaning_tests;
#[cfg(test)]
mod schedule_tests;

use aesmith_arrange::Table;
use aesmith_cipher::firmware::Firmware;
use aesmith_processor::core::Core;
use aesmith_processor::processor::Record;

/// The processors of this family.
pub static CORES: &[Core] = &[Core {
    record: Record {
        checked: None,
        name: TABLE.processor,
        about: "UltraSPARC III: four instructions a cycle in order, 64 KiB of data cache",
        model_about: "modelled in order by the grouping rules and latencies that GCC has for it, everything in the first-level cache; no judge that is free counts its cycles, so the error is not known",
        cached: true,
        table: &TABLE,
        solves: Firmware::is_offered,
        starts: include_str!("starts.txt"),
    },
    linking: &elf::LINKING,
    isa: &table::isa,
    timing: &cycles::ULTRASPARC3,
    convention: &table::CONVENTION,
    memory: &[(0, 1 << 20)],
    stack_top: 0x80000,
    buffers: 0x40000,
    build: &|v| kernels::build(v, &cycles::ULTRASPARC3),
    judges: &|| vec![Box::new(judge::QEMU)],
    bound: &|v| kernels::bound(v, &cycles::ULTRASPARC3),
    port: None,
    cpu: Some("ultrasparc3"),
    in_registers: |_| None,
    jump: None,
    gnu: gnu::gnu,
}];

static TABLE: Table = Table {
    check: dimensions::check,
    settle: dimensions::settle,
    ..Table::new("ultrasparc3", dimensions::DIMENSIONS, dimensions::technique)
};
