//! qemu's user mode as the judge of the outputs of i386 programs. It counts nothing.

use std::path::PathBuf;

use aesmith_judge::judge::{Answer, Cycles, ExactJudge, Judge, Question};
use aesmith_judge::outside::qemu::{self, Machine};
use aesmith_judge::outside::{find, need, version};

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

const MACHINE: Machine = Machine {
    program: "qemu-i386",
    // qemu has no Pentium 4 model; a Pentium III has all instructions of our kernels.
    cpus: &["pentium3", "qemu32"],
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
};

/// qemu-i386.
#[derive(Clone, Copy, Debug, Default)]
pub struct QemuI386;

impl Judge for QemuI386 {
    fn name(&self) -> String {
        version(MACHINE.program)
    }

    fn needs(&self) -> &'static [&'static str] {
        &["qemu-user", "binutils-i686-linux-gnu"]
    }

    fn present(&self) -> Result<(), String> {
        qemu::present(&MACHINE)
    }

    fn cycles(&self) -> Cycles {
        Cycles::None
    }
}

impl ExactJudge for QemuI386 {
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        let mut answers = qemu::answers(&MACHINE, question)?;
        // The return address, which the call pushes, does not belong to the function.
        let pushed = crate::table::CONVENTION.pushed() as u64;
        for stack in answers.iter_mut().filter_map(|answer| answer.stack.as_mut()) {
            *stack = stack.saturating_sub(pushed);
        }
        Ok(answers)
    }
}
