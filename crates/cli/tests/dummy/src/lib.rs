//! A processor with eleven of the instructions of RV32I. It shows the least that a family consists of: a table, a
//! timing, a convention, dimensions, and kernels.

mod kernels;
mod table;

use aesmith_arrange::{Dimension, Table, Technique, Variant, choices, numbered};
use aesmith_cipher::Task;
use aesmith_isa::ByteOrder;
use aesmith_isa::assemble::Part;
use aesmith_isa::convention::{Convention, Return};
use aesmith_isa::elf::Head;
use aesmith_isa::timing::{Timing, class};
use aesmith_processor::core::Core;
use aesmith_processor::processor::Record;
use aesmith_processor::elf::{ATTRIBUTES, How, Linking};
use aesmith_processor::gnu::{Builds, Gnu, NOT_ELF, SHARED, wrong};
use object::elf;

/// The processors of this family.
pub static CORES: &[Core] = &[Core {
    record: Record {
        checked: None,
        name: "dummy",
        about: "eleven instructions of RV32I, one a cycle",
        model_about: TIMING.source,
        cached: false,
        table: &Table::new("dummy", DIMENSIONS, |_| Technique::Table),
        solves: kernels::solves,
        starts: "",
    },
    linking: &LINKING,
    isa: &table::isa,
    timing: &TIMING,
    convention: &CONVENTION,
    memory: &[(0, 0x10_0000)],
    stack_top: 0x8_0000,
    buffers: 0x4_0000,
    build: &kernels::build,
    judges: &Vec::new,
    bound: &kernels::bound,
    port: None,
    cpu: None,
    in_registers: |_| None,
    jump: None,
    gnu,
}];

choices! {
    Tables "tables" { Four "4", One "1" }
    Last "last" { Bytes "bytes", Parts "parts" }
}

fn is_message(v: &Variant) -> bool {
    matches!(v.problem.task, Task::Ecb(_))
}

/// The dimensions of its kernels.
static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Tables>("four tables of a KiB, or one whose entries are rotated", is_message),
    Dimension::of::<Last>("the last round from an S-box, or from the four tables, which hold it", |v| {
        is_message(v) && v.is(Tables::Four)
    }),
]);

/// An instruction in each cycle; a load's result is available a cycle later.
static TIMING: Timing = Timing {
    source: "modelled: made up, one cycle for each instruction and two for a load",
    classes: &[class("load", 1, 2, "made up")],
    ..Timing::SCALAR
};

/// The calling convention of C functions.
static CONVENTION: Convention = Convention {
    name: "RISC-V ilp32",
    source: "RISC-V ELF psABI, 1.1 (integer registers) and 2.1 (integer calling convention), ilp32",
    arguments: &[&[10], &[11], &[12], &[13], &[14], &[15], &[16], &[17]],
    stack_pointer: 2,
    stack_arguments: 0,
    alignment: 16,
    red_zone: 0,
    saves: (0, 0),
    returns: Return::Register(1, 0),
    saved: &[8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27],
    fixed: &[],
    windows: None,
    stack_alignment: 16,
    held_alignment: 4,
    back_chain: false,
    callers_by_fours: false,
    slot: 0,
    reserved: &[],
    halves: None,
    buffers: 4,
};

/// Its objects, as linkers treat them: those of RISC-V.
static LINKING: Linking = Linking {
    refused_flags: &[(elf::EF_RISCV_RVE, elf::EF_RISCV_RVE, "RV32E with its own convention (ilp32e)")],
    sections: &[ATTRIBUTES],
    // The immediates of the forms U and I (The RISC-V Instruction Set Manual, volume I, 2.3).
    relocations: &[
        (elf::R_RISCV_HI20, How::Field(Part::High20, 0xffff_f000)),
        (elf::R_RISCV_LO12_I, How::Field(Part::Low12, 0xfff0_0000)),
    ],
    ..Linking::plain(Head { number: elf::EM_RISCV, name: "RISC-V", bits: 32, order: ByteOrder::Little })
};

const BUILDS: Builds = Builds {
    meant: "defined(__riscv)",
    meant_earlier: None,
    defines: &["__riscv", "__riscv_xlen=32", "__ELF__"],
    form: "little-endian RV32 with 32 registers",
    wrong: &[
        wrong("__riscv_xlen != 32", "RISC-V of another width"),
        wrong("defined(__riscv_32e) || defined(__riscv_e)", "RV32E, which has 16 registers"),
        NOT_ELF,
    ],
    wrong_with_addresses: &[SHARED],
};

/// The GNU tool settings.
fn gnu(_: &Core) -> Gnu {
    Gnu {
        flags: "-march=rv32i -mabi=ilp32".into(),
        linker: "-melf32lriscv".into(),
        directives: "    .option norelax\n".into(),
        pie: Some("Linkers refuse it in a position-independent program (`-pie`)."),
        ..Gnu::plain(
            "riscv64-unknown-elf-",
            BUILDS,
            "#",
            "binutils-riscv64-unknown-elf gcc-riscv64-unknown-elf",
        )
    }
}
