//! 32-bit PowerPC, big-endian: MPC7410 and MPC7450 (PowerPC G4).

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
#[cfg(test)]
mod vector_tests;

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::timing::Timing;

use aesmith_arrange::Table;
use aesmith_processor::core::{Bound, Build, Chips, Core, InChip, Shared};
use aesmith_processor::processor::Record;

const fn core(
    table: &'static Table,
    about: &'static str,
    cpu: &'static str,
    timing: Shared<Timing>,
    build: Shared<Build>,
    bound: Shared<Bound>,
) -> Core {
    Core {
        record: Record {
            checked: Some("ppc"),
            name: table.processor,
            about,
            model_about: "modelled in order by the manuals' dispatch, units and latencies, everything in the first-level cache; no judge that is free counts a G4's cycles, so the error is not known",
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
        build,
        judges: &|| vec![Box::new(judge::QEMU)],
        bound,
        port: None,
        cpu: Some(cpu),
        in_registers: |_| None,
        jump: None,
        gnu: gnu::gnu,
    }
}

/// Chips with a core of this family.
pub static CHIPS: &Chips = &[(InChip::Is("ppc7410"), "mpc7410*"), (InChip::Is("ppc7450"), "g4 mpc7450*")];

/// The processors of this family.
pub static CORES: &[Core] = &[
    core(
        &Table::new("ppc7410", dimensions::DIMENSIONS, dimensions::technique),
        "MPC7410 (PowerPC G4): two instructions dispatched a cycle, 32 KiB of data cache",
        "7400",
        &cycles::MPC7410,
        &|v| kernels::build(v, &cycles::MPC7410),
        &|v| kernels::bound(v, &cycles::MPC7410),
    ),
    core(
        &Table::new("ppc7450", dimensions::DIMENSIONS, dimensions::technique),
        "MPC7450 (PowerPC G4): three instructions dispatched a cycle, 32 KiB of data cache",
        "7450",
        &cycles::MPC7450,
        &|v| kernels::build(v, &cycles::MPC7450),
        &|v| kernels::bound(v, &cycles::MPC7450),
    ),
];
