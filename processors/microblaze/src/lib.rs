//! MicroBlaze (UG984), 32 bits, little-endian, with three and with five stages.

pub mod cycles;
pub mod dimensions;
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

use aesmith_isa::timing::Timing;

use aesmith_processor::core::Core;
pub use kernels::bytewise;

const fn core(name: &'static str, about: &'static str, timing: &'static Timing) -> Core {
    Core {
        name,
        about,
        machine: object::elf::EM_MICROBLAZE,
        isa: &table::isa,
        timing,
        model_about: "modelled by UG984's latencies and hazards; no judge that is free counts a MicroBlaze's cycles, so the error is not known",
        convention: &table::CONVENTION,
        cached: false,
        memory: &[(0, 1 << 20)],
        stack_top: 0x80000,
        buffers: 0x40000,
        dimensions: dimensions::DIMENSIONS,
        solves: kernels::solves,
        build: &kernels::build,
        judges: &|| vec![Box::new(judge::QemuMicroBlaze)],
        bound: &kernels::bound,
        port: None,
    }
}

/// The processors of this family.
pub static CORES: &[Core] = &[
    core(
        "microblaze-5",
        "MicroBlaze with five stages (C_AREA_OPTIMIZED = 0), program and data in local memory",
        &cycles::FIVE,
    ),
    core(
        "microblaze-3",
        "MicroBlaze with three stages (C_AREA_OPTIMIZED = 1), program and data in local memory",
        &cycles::THREE,
    ),
];
