//! qemu's user mode as the judge of the outputs of i386 programs. It counts nothing.

use std::path::PathBuf;

use aesmith_judge::outside::qemu::Machine;
use aesmith_judge::outside::{find, need};

/// A program of GNU binutils for i386 (`as`, `ld`, `objdump`); on an x86 machine its own binutils support i386,
/// too.
///
/// # Errors
/// No such program is installed.
pub fn binutils(program: &str) -> Result<PathBuf, String> {
    let own = || if cfg!(target_arch = "x86_64") { find(program) } else { None };
    need(&format!("i686-linux-gnu-{program}"), "binutils-i686-linux-gnu").or_else(|why| own().ok_or(why))
}

fn assembler() -> Result<PathBuf, String> {
    binutils("as")
}

/// Additional options for GNU as.
pub const OPTIONS: &[&str] = &["--32"];

/// qemu-i386.
pub(crate) const QEMU: Machine = Machine {
    program: "qemu-i386",
    // qemu has no Pentium 4 model; a Pentium III has all instructions of our kernels.
    cpus: &["pentium3", "qemu32"],
    names_cpu: false,
    packages: &["qemu-user", "binutils-i686-linux-gnu"],
    assembler,
    options: OPTIONS,
    harness: include_str!("../judges/qemu/i386.S"),
    head: crate::elf::HEAD,
    flags: 0,
    in_registers: 0,
    home: 0,
    kept: &["ebx", "esi", "edi", "ebp"],
    calls: [3, 4, 1, 104],
    thumb: false,
    // The return address.
    pushed: 4,
};
