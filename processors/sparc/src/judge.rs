//! qemu's user mode as the judge of the outputs of SPARC programs. Cycles are modelled.

use std::path::PathBuf;

use aesmith_judge::outside::need;
use aesmith_judge::outside::qemu::Machine;

/// A program of GNU binutils for 64-bit SPARC (`as`, `ld`, `objdump`).
pub fn binutils(program: &str) -> Result<PathBuf, String> {
    need(&format!("sparc64-linux-gnu-{program}"), "binutils-sparc64-linux-gnu")
}

fn assembler() -> Result<PathBuf, String> {
    binutils("as")
}

/// qemu-sparc64 as an UltraSPARC III.
pub(crate) const QEMU: Machine = Machine {
    program: "qemu-sparc64",
    cpus: &["Sun-UltraSparc-III", "TI-UltraSparc-II"],
    names_cpu: false,
    packages: &["qemu-user", "binutils-sparc64-linux-gnu"],
    assembler,
    options: &[],
    harness: include_str!("../judges/qemu/sparc.S"),
    head: crate::elf::HEAD,
    flags: 0,
    in_registers: 6,
    // The area before it is for the window's 16 registers and the six arguments.
    home: 176,
    // Registers have two words each.
    kept: &[
        "l0", "l0", "l1", "l1", "l2", "l2", "l3", "l3", "l4", "l4", "l5", "l5", "l6", "l6", "l7", "l7", "i0",
        "i0", "i1", "i1", "i2", "i2", "i3", "i3", "i4", "i4", "i5", "i5", "i6", "i6", "i7", "i7", "g6", "g6",
        "g7", "g7",
    ],
    calls: [3, 4, 1, 83],
    thumb: false,
    pushed: 0,
};
