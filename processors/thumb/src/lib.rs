//! Thumb of the Cortex-M: ARMv6-M (M0, M0+), ARMv7-M (M3, M4, M7) and the common part of ARMv8-M (M33).

pub mod bound;
pub mod cycles;
pub mod dimensions;
mod elf;
mod gnu;
pub mod kernels;
mod narrow_forms;
mod parts;
pub mod small;
pub mod table;
mod undefined;

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod kernel_tests;
#[cfg(test)]
mod meaning_tests;

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::convention::{ARGUMENTS, Convention, Reserved, Return};

use aesmith_arrange::Table;
use aesmith_judge::outside::qemu_arm;
use aesmith_processor::core::{Chips, Core, InChip};
use aesmith_processor::processor::Record;
use cycles::{CORTEX_M0, CORTEX_M0PLUS, CORTEX_M3, CORTEX_M4, CORTEX_M7, CORTEX_M33};

/// The calling convention of C functions.
pub static CONVENTION: Convention = Convention {
    name: "AAPCS32",
    source: "Procedure Call Standard for the Arm Architecture (AAPCS32), sections 6.1 and 6.4",
    arguments: &[&[0], &[1], &[2], &[3]],
    stack_pointer: 13,
    stack_arguments: 0,
    alignment: 8,
    red_zone: 0,
    // The words of arguments on the stack are the callee's: GCC and Clang reuse them.
    saves: (0, ARGUMENTS),
    returns: Return::Register(14, 0),
    saved: &[4, 5, 6, 7, 8, 9, 10, 11],
    fixed: &[],
    windows: None,
    stack_alignment: 8,
    // AAPCS32, 6.2.1.1: at public interfaces 8, at all times 4.
    held_alignment: 4,
    back_chain: false,
    callers_by_fours: false,
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

const M3: Core = Core {
    record: Record {
        checked: Some("thumb2"),
        name: "cortex-m3",
        about: "Cortex-M3: ARMv7-M, three stages",
        model_about: "modelled by ARM DDI 0337, 3.3, code and tables without wait states; such rules meet \
                      73 published figures of hardware within about 1 % with tables in SRAM, and fall 2 to 5 % short of \
                      them with tables in flash",
        cached: false,
        table: &Table::new("cortex-m3", dimensions::V7M, dimensions::technique),
        solves: Firmware::is_offered,
        starts: include_str!("starts.txt"),
    },
    linking: &elf::LINKING,
    isa: &table::m3,
    timing: &CORTEX_M3,
    convention: &CONVENTION,
    memory: &[(0, 0x10_0000)],
    stack_top: 0x8_0000,
    buffers: 0x4_0000,
    build: &|v| kernels::build(v, &CORTEX_M3, false),
    judges: &|| vec![Box::new(qemu_arm::CORTEX_M3)],
    bound: &|v| bound::v7m(v, &CORTEX_M3),
    port: None,
    cpu: None,
    in_registers: |_| None,
    jump: Some(|isa, label| kernels::writer::branch(isa, "b", label)),
    gnu: gnu::gnu,
};

/// Chips with a core of this family.
pub static CHIPS: &Chips = &[
    (InChip::Is("cortex-m0"), "lpc11* nrf51* stm32f0*"),
    (
        InChip::Is("cortex-m0plus"),
        "lpc11e6* lpc11u6* rp2040 samd09* samd10* samd11* samd20* samd21* samda1* stm32g0* stm32l0*",
    ),
    (InChip::Is("cortex-m3"), "lpc17* sam3* stm32f1* stm32f2* stm32l1*"),
    (InChip::Is("cortex-m4"), "nrf52* samd51* stm32f3* stm32f4* stm32g4* stm32l4*"),
    (InChip::Is("cortex-m33"), "imxrt5* imxrt6* nrf5340* nrf91* rp2350* stm32h5* stm32l5* stm32u5*"),
    (
        InChip::Is("cortex-m7"),
        "imxrt101* imxrt102* imxrt104* imxrt105* imxrt106* stm32f7* stm32h72* stm32h73* stm32h742* stm32h743*
         stm32h750* stm32h753* stm32h7a3* stm32h7b0* stm32h7b3* stm32h7r* stm32h7s*",
    ),
    (InChip::Another, "imxrt* stm32h7*"),
];

/// The processors of this family.
pub static CORES: &[Core] = &[
    M3,
    Core {
        record: Record {
            checked: Some("thumb2"),
            name: "cortex-m4",
            about: "Cortex-M4: ARMv7E-M, three stages",
            table: &Table::new("cortex-m4", dimensions::V7M, dimensions::technique),
            model_about: "modelled by ARM DDI 0439, 3.3, code and tables without wait states; such rules meet \
                          73 published figures of hardware within about 1 % with tables in SRAM, and fall 2 to 5 % short \
                          of them with tables in flash",
            ..M3.record
        },
        isa: &table::v7m,
        timing: &CORTEX_M4,
        build: &|v| kernels::build(v, &CORTEX_M4, true),
        bound: &|v| bound::v7m(v, &CORTEX_M4),
        judges: &|| vec![Box::new(qemu_arm::CORTEX_M4)],
        ..M3
    },
    Core {
        record: Record {
            checked: Some("thumb"),
            name: "cortex-m0",
            about: "Cortex-M0: ARMv6-M, three stages, multiplier of one cycle",
            model_about: "modelled by ARM DDI 0432, 3.3, memory without wait states, tables in SRAM; \
                          such rules meet published figures of hardware within about 1 %",
            table: &Table::new("cortex-m0", dimensions::V6M, dimensions::technique),
            ..M3.record
        },
        isa: &table::v6m,
        timing: &CORTEX_M0,
        build: &small::build,
        bound: &|v| bound::v6m(v, &CORTEX_M0),
        judges: &|| vec![Box::new(qemu_arm::CORTEX_M0)],
        ..M3
    },
    Core {
        record: Record {
            checked: Some("thumb"),
            name: "cortex-m0plus",
            about: "Cortex-M0+: ARMv6-M, two stages, multiplier of one cycle",
            model_about: "modelled by ARM DDI 0484, 3.3, memory without wait states, tables in SRAM; no measured set to \
                          hold it against",
            table: &Table::new("cortex-m0plus", dimensions::V6M, dimensions::technique),
            ..M3.record
        },
        isa: &table::v6m,
        timing: &CORTEX_M0PLUS,
        build: &small::build,
        bound: &|v| bound::v6m(v, &CORTEX_M0PLUS),
        judges: &|| vec![Box::new(qemu_arm::CORTEX_M0)],
        ..M3
    },
    Core {
        record: Record {
            checked: Some("thumb2"),
            name: "cortex-m33",
            about: "Cortex-M33: ARMv8-M, three stages, no cache of its own",
            table: &Table::new("cortex-m33", dimensions::V7M, dimensions::technique),
            model_about: "modelled by public measurements of an RP2350 (github.com/jnk0le/random, cortex_m33.md), one \
                          instruction a cycle, code and tables without wait states, tables in SRAM: Arm publishes no \
                          cycles of it, and no figure of a whole kernel was there to hold it against",
            ..M3.record
        },
        isa: &table::m33,
        timing: &CORTEX_M33,
        build: &|v| kernels::build(v, &CORTEX_M33, false),
        bound: &|v| bound::v7m(v, &CORTEX_M33),
        judges: &|| vec![Box::new(qemu_arm::CORTEX_M33)],
        ..M3
    },
    Core {
        record: Record {
            checked: Some("thumb2"),
            name: "cortex-m7",
            about: "Cortex-M7: ARMv7E-M, six stages, two instructions a cycle, data cache",
            table: &Table::new("cortex-m7", dimensions::V7M, dimensions::technique),
            model_about: "modelled by LLVM's ARMScheduleM7.td and public measurements of an STM32H743 \
                          (github.com/jnk0le/random, cortex_m7.md), all accesses in tightly coupled memory or in the \
                          caches and in two banks: Arm publishes no cycles of it, and no figure of a whole kernel was \
                          there to hold it against",
            cached: true,
            ..M3.record
        },
        isa: &table::v7m,
        timing: &CORTEX_M7,
        build: &|v| kernels::build(v, &CORTEX_M7, true),
        bound: &|v| bound::v7m_in_pairs(v, &CORTEX_M7),
        judges: &|| vec![Box::new(qemu_arm::CORTEX_M7)],
        ..M3
    },
];
