//! 32-bit x86: Pentium 4, Core 2 and Athlon 64 with 32-bit code.
//!
//! These processors reorder instructions, and no public model gives their cycles: figures here are counts of
//! instructions and static sums of their resources (see [`cycles`]), which do not state time.

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
mod table_tests;

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::timing::Timing;

use aesmith_arrange::Table;
use aesmith_processor::core::{Bound, Core, Shared};
use aesmith_processor::processor::Record;

const fn core(
    table: &'static Table,
    about: &'static str,
    cpu: &'static str,
    timing: Shared<Timing>,
    bound: Shared<Bound>,
) -> Core {
    Core {
        record: Record {
            checked: None,
            name: table.processor,
            about,
            model_about: "static cycles are no cycles that the processor takes: they are what instructions take of places in the front end, of ports and of units in their order, without latencies, misses and mispredictions; no public model tells this processor's cycles",
            cached: true,
            table,
            solves: Firmware::is_offered,
            starts: include_str!("starts.txt"),
        },
        linking: &elf::LINKING,
        isa: &table::isa,
        timing,
        convention: &table::CONVENTION,
        memory: &[(0, 1 << 20)],
        stack_top: 0x80000,
        buffers: 0x40000,
        build: &kernels::build,
        judges: &|| vec![Box::new(judge::QEMU)],
        bound,
        port: None,
        cpu: Some(cpu),
        in_registers: |_| None,
        jump: None,
        gnu: gnu::gnu,
    }
}

/// The processors of this family.
pub static CORES: &[Core] = &[
    core(
        &Table::new("pentium4", dimensions::DIMENSIONS, dimensions::technique),
        "Pentium 4, 32-bit code: three micro-operations a cycle",
        "pentium4",
        &cycles::PENTIUM4,
        &|v| kernels::bound(v, &cycles::PENTIUM4),
    ),
    core(
        &Table::new("core2", dimensions::DIMENSIONS, dimensions::technique),
        "Core 2, 32-bit code: four fused micro-operations a cycle",
        "core2",
        &cycles::CORE2,
        &|v| kernels::bound(v, &cycles::CORE2),
    ),
    core(
        &Table::new("athlon64", dimensions::DIMENSIONS, dimensions::technique),
        "Athlon 64, 32-bit code: three macro-operations a cycle",
        "athlon64",
        &cycles::ATHLON64,
        &|v| kernels::bound(v, &cycles::ATHLON64),
    ),
];
