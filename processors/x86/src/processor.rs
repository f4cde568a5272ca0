//! The x86-64 record that all stages use.

use crate::c::INTRINSICS;
use crate::dimensions::TABLE;
use crate::executed::executed;
use crate::features::of_this_machine;
use crate::instructions::prover;
use crate::kernels::{build_for, dispatch};
use crate::libraries::withheld;
use crate::lines::lines;
use crate::print::DIALECT;
use crate::requirements::REQUIREMENTS;
use crate::starts::by_known_speed;
use aesmith_processor::measured::{KnownMachine, Measured};
use aesmith_processor::processor::Record;

/// CPUs whose instructions were measured.
const MACHINES: &[KnownMachine] = &[KnownMachine {
    name: "intel-6-207",
    about: "Intel Xeon, family 6 model 207, in a virtual machine, measured by aesmith 0.1.0 on 2026-11-27",
    level: "vaes",
    model: include_str!("machines/intel-6-207.json"),
}];

/// x86-64 with the System V calling convention.
pub static X86_64: Measured = Measured {
    record: Record {
        checked: Some("x86-64"),
        name: DIALECT.name,
        about: "x86-64: an Intel or AMD processor of 64 bits, with or without AES instructions, to which this program's own \
                machine belongs",
        model_about: "cycles are measured where the program runs, with latencies and throughputs of each class of \
                      instructions, from which bounds follow",
        cached: true,
        table: &TABLE,
        solves: |_| true,
        starts: include_str!("starts.txt"),
    },
    dialect: &DIALECT,
    requirements: &REQUIREMENTS,
    here: of_this_machine,
    prover,
    build: build_for,
    join: dispatch,
    lines,
    executed,
    machines: MACHINES,
    withheld,
    by_known_speed,
    intrinsics: &INTRINSICS,
};
