//! qemu's user mode as the judge of the outputs of PowerPC programs. Cycles are modelled.

use std::path::PathBuf;

use aesmith_judge::outside::need;
use aesmith_judge::outside::qemu::Machine;

/// A program of GNU binutils for PowerPC (`as`, `ld`, `objdump`).
pub fn binutils(program: &str) -> Result<PathBuf, String> {
    need(&format!("powerpc-linux-gnu-{program}"), "binutils-powerpc-linux-gnu")
}

fn assembler() -> Result<PathBuf, String> {
    binutils("as")
}

/// qemu-ppc as an MPC7410.
pub(crate) const QEMU: Machine = Machine {
    program: "qemu-ppc",
    cpus: &["7410", "7400_v2.9"],
    names_cpu: false,
    packages: &["qemu-user", "binutils-powerpc-linux-gnu"],
    assembler,
    options: &[],
    harness: include_str!("../judges/qemu/powerpc.S"),
    head: crate::elf::HEAD,
    flags: 0,
    in_registers: 8,
    // System V ABI, PowerPC Processor Supplement, 3-17: the caller's frame begins with two words.
    home: 8,
    kept: &[
        "r2", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25",
        "r26", "r27", "r28", "r29", "r30", "r31",
    ],
    calls: [3, 4, 1, 104],
    thumb: false,
    pushed: 0,
};
