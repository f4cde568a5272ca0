//! MicroBlaze (UG984), 32 bits, little-endian, with three and with five stages.

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

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::timing::Timing;

use aesmith_arrange::Table;
use aesmith_processor::core::{Bound, Build, Core, Shared};
use aesmith_processor::processor::Record;
pub use kernels::bytewise;

const fn core(
    table: &'static Table,
    about: &'static str,
    timing: Shared<Timing>,
    build: Shared<Build>,
    bound: Shared<Bound>,
) -> Core {
    Core {
        record: Record {
            checked: Some("microblaze"),
            name: table.processor,
            about,
            model_about: "modelled by UG984's latencies and hazards; no judge that is free counts a MicroBlaze's cycles, so the error is not known",
            cached: false,
            table,
            solves: Firmware::is_offered,
            starts: include_str!("starts.txt"),
        },
        linking: &elf::LINKING,
        isa: &table::plain,
        timing,
        convention: &table::CONVENTION,
        memory: &[(0, 1 << 20)],
        stack_top: 0x80000,
        buffers: 0x40000,
        build,
        judges: &|| vec![Box::new(judge::QEMU)],
        bound,
        port: None,
        cpu: None,
        in_registers: |_| None,
        jump: None,
        gnu: gnu::gnu,
    }
}

/// The processors of this family.
pub static CORES: &[Core] = &[
    core(
        &Table::new("microblaze-5", dimensions::DIMENSIONS, dimensions::technique),
        "MicroBlaze with five stages (C_AREA_OPTIMIZED = 0), program and data in local memory",
        &cycles::FIVE,
        &|v| kernels::build(v, &cycles::FIVE),
        &|v| kernels::bound(v, &cycles::FIVE),
    ),
    core(
        &Table::new("microblaze-3", dimensions::DIMENSIONS, dimensions::technique),
        "MicroBlaze with three stages (C_AREA_OPTIMIZED = 1), program and data in local memory",
        &cycles::THREE,
        &|v| kernels::build(v, &cycles::THREE),
        &|v| kernels::bound(v, &cycles::THREE),
    ),
];
