//! 32-bit ARM in ARM state: ARMv4 as ARM7TDMI, ARM9TDMI and StrongARM execute it.

pub mod bound;
pub mod cycles;
pub mod dimensions;
mod elf;
pub mod extended;
mod gnu;
mod hooked;
pub mod kernels;
pub mod table;

#[cfg(test)]
mod kernel_tests;

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::convention::{ARGUMENTS, Convention, Reserved, Return};
use aesmith_isa::timing::Timing;
use aesmith_judge::outside::qemu_arm;

use aesmith_arrange::Table;
use aesmith_processor::core::{Bound, Chips, Core, InChip, Judges, Shared};
use aesmith_processor::processor::Record;

/// The calling convention of C functions.
pub static CONVENTION: Convention = Convention {
    name: "AAPCS32",
    source: "Procedure Call Standard for the Arm Architecture (AAPCS32), sections 6.1 and 6.4",
    arguments: &[&[0], &[1], &[2], &[3]],
    stack_pointer: table::SP,
    stack_arguments: 0,
    alignment: 8,
    red_zone: 0,
    // The words of arguments on the stack are the callee's: GCC and Clang reuse them.
    saves: (0, ARGUMENTS),
    returns: Return::Register(table::LR, 0),
    saved: &[4, 5, 6, 7, 8, 9, 10, 11],
    fixed: &[],
    windows: None,
    stack_alignment: 8,
    // AAPCS32, 6.2.1.1: at public interfaces 8, at all times 4.
    held_alignment: 4,
    back_chain: false,
    callers_by_fours: true,
    slot: 0,
    reserved: &[Reserved {
        registers: &[9],
        holds: "the static base or the thread",
        source: "Procedure Call Standard for the Arm Architecture (AAPCS32), section 6.1.1",
        changes: false,
        only: Some(
            "code compiled with -frwpi, and on other platforms whose r9 holds the static base or the thread",
        ),
    }],
    halves: None,
    buffers: 4,
};

const fn core(
    table: &'static Table,
    about: &'static str,
    cached: bool,
    timing: Shared<Timing>,
    model_about: &'static str,
    judges: Shared<Judges>,
    bound: Shared<Bound>,
) -> Core {
    Core {
        record: Record {
            checked: Some("arm"),
            name: table.processor,
            about,
            model_about,
            cached,
            table,
            solves: Firmware::is_offered,
            starts: include_str!("starts.txt"),
        },
        linking: &elf::LINKING,
        isa: &table::isa,
        timing,
        convention: &CONVENTION,
        memory: &[(0, 0x10_0000)],
        stack_top: 0x8_0000,
        buffers: 0x4_0000,
        build: &|v| kernels::build(v, table::isa()),
        judges,
        bound,
        port: Some(&extended::PORT),
        cpu: None,
        in_registers: |_| None,
        jump: None,
        gnu: gnu::gnu,
    }
}

/// Chips with a core of this family. ARM7TDMI is without a cache: other cores with an ARM7 in their names have one, and the
/// ARM9 of later architectures have other times.
pub static CHIPS: &Chips = &[
    (InChip::Is("arm7tdmi"), "arm7 arm7tdmis at91sam7* lpc21*"),
    (InChip::Is("arm9tdmi"), "arm920t arm922t"),
    (InChip::Is("strongarm"), "sa110 sa1110"),
    (InChip::Another, "arm7* arm9*"),
];

/// A processor without Thumb: its kernels return by moves to the program counter.
const fn without_thumb(core: Core) -> Core {
    Core { record: Record { checked: Some("armv4"), ..core.record }, ..core }
}

/// The processors of this family.
pub static CORES: &[Core] = &[
    core(
        &Table::new("arm7tdmi", dimensions::DIMENSIONS, dimensions::technique),
        "ARM7TDMI: ARMv4T, three stages, one memory for instructions and data",
        false,
        &cycles::ARM7TDMI,
        "modelled by ARM DDI 0029, chapter 6, memory without wait states; no measured set to hold it against",
        &|| vec![Box::new(qemu_arm::ARMV4T)],
        &|v| bound::bound(v, &cycles::ARM7TDMI),
    ),
    Core {
        port: Some(&extended::PIPELINED),
        ..core(
            &Table::new("arm9tdmi", dimensions::DIMENSIONS, dimensions::technique),
            "ARM9TDMI: ARMv4T, five stages, as in ARM920T and ARM922T with their caches",
            true,
            &cycles::ARM9TDMI,
            "modelled by ARM DDI 0180, chapter 7, all accesses in the caches; no measured set to hold it against",
            &|| vec![Box::new(qemu_arm::ARMV4T)],
            &|v| bound::bound(v, &cycles::ARM9TDMI),
        )
    },
    Core {
        isa: &table::strongarm,
        build: &|v| kernels::build(v, table::strongarm()),
        port: Some(&extended::UNTRIED),
        ..without_thumb(core(
            &Table::new("strongarm", dimensions::DIMENSIONS, dimensions::technique),
            "StrongARM SA-110 and SA-1110: ARMv4, five stages, caches",
            true,
            &cycles::STRONGARM,
            "modelled by the SA-1110 manual's instruction timings, all accesses in the caches; no measured set to hold it against",
            &|| vec![Box::new(qemu_arm::STRONGARM)],
            &|v| bound::bound(v, &cycles::STRONGARM),
        ))
    },
];
