//! GPUs through PTX: a table of rows, kernels over it, printing and parsing of their text, and the machine code
//! that NVIDIA's compiler (ptxas) makes from it.

pub mod dimensions;
pub mod kernels;
pub mod machine_code;
pub mod native;
pub mod opencl;
pub mod table;
pub mod text;

#[cfg(test)]
mod ahead_tests;
#[cfg(test)]
mod attack_tests;
#[cfg(test)]
mod kernel_tests;
#[cfg(test)]
mod mixed_tests;
#[cfg(test)]
mod occupancy_tests;
#[cfg(test)]
mod proof_tests;
#[cfg(test)]
mod rounds_tests;
#[cfg(test)]
mod schedule_tests;
#[cfg(test)]
mod stream_tests;

use aesmith_arrange::{Choice, Table};
use aesmith_processor::grid::{Gives, Grids, Language};
use aesmith_processor::processor::Record;

use dimensions::{Blocks, Loads, Registers, Replicas, Threads, Width};

/// The dimensions of kernels.
pub static TABLE: Table = Table::new("gpu", dimensions::DIMENSIONS, dimensions::technique);

/// OpenCL C, for GPUs of other vendors.
const OPENCL: Language = Language {
    name: "opencl",
    ending: "cl",
    about: "OpenCL C",
    print: opencl::print,
    // The limit of AMD's devices; NVIDIA's driver also gives a kernel with many registers fewer than 1,024 (key
    // schedules on an H200, docs/GPU.md).
    gives: Gives { threads: 256, ..Gives::ANYTHING },
    executors: &[&opencl::judge::POCL, &opencl::judge::OCLGRIND],
};

/// NVIDIA's GPUs.
pub static GPU: Grids = Grids {
    record: Record {
        checked: Some("ptx"),
        name: "gpu",
        about: "GPUs of NVIDIA from Turing on, by PTX: a grid of blocks of threads, 32 of which execute an instruction together, with shared memory of 32 banks",
        model_about: "static bounds: instructions of a turn in the machine code that ptxas makes, over what a multiprocessor executes in a clock by NVIDIA's CUDA C++ Programming Guide; a card in this machine is measured besides",
        // The time of a shared-memory access depends on its banks, which a proof distinguishes from addresses.
        cached: true,
        table: &TABLE,
        solves: kernels::solves,
        starts: "",
    },
    isa: &table::isa,
    launch: &table::LAUNCH,
    build: &kernels::build,
    language: "ptx",
    comment: "//",
    print: text::print,
    read: text::read,
    translator: &machine_code::Ptxas,
    cards: &native::CUDA,
    others: &[OPENCL],
    landscape: &[Threads::NAME, Replicas::NAME, Blocks::NAME],
    on_card: &[Loads::NAME, Width::NAME, Registers::NAME],
};
