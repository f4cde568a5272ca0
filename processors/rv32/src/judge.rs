//! Judges of RV32 programs: the RTL of three cores under Verilator, whose cycles are the cores' own, and qemu's
//! user mode for the output of a program.
//!
//! Memory responds as fast as each core can use it, so that the cycles are those of the core and not of a
//! memory. The configurations of the cores are in `judges/rtl/*.sv`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aesmith_judge::judge::{Answer, Emulator, Instrument, Kind, Question};
use aesmith_judge::outside::qemu::Machine;
use aesmith_judge::outside::wheel::{Wheel, fetched};
use aesmith_judge::outside::{built, find, need, runner, step, there};

/// A core's RTL in a configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rtl {
    /// The name for users, including the distinguishing configuration.
    pub name: &'static str,
    /// The name of its runner in the cache.
    key: &'static str,
    wheel: Wheel,
    /// `judges/rtl/*.sv`: the core with its memories.
    wrapper: &'static str,
    /// Folder in the wheel, options to Verilator relative to it, and sources in the required order.
    folder: &'static str,
    options: &'static [&'static str],
    sources: &'static [&'static str],
}

/// PicoRV32: barrel shifter, dual-port registers, look-ahead memory.
pub(crate) const PICORV32: Rtl = Rtl {
    name: "PicoRV32 RTL (barrel shifter)",
    key: "picorv32",
    wheel: Wheel {
        name: "pythondata-cpu-picorv32",
        version: "1.0.post218",
        sha256: "c6d3e405a50c54f86a436a49cc24ea2f0c00d9cc07c96e7ee12e65736d75eabd",
    },
    wrapper: include_str!("../judges/rtl/picorv32.sv"),
    folder: "pythondata_cpu_picorv32/verilog",
    options: &["-DRISCV_FORMAL"],
    sources: &["picorv32.v"],
};

/// VexRiscv, LiteX's variant full+cfu. The function is called twice and the second call is counted, with warm
/// caches.
pub(crate) const VEXRISCV: Rtl = Rtl {
    name: "VexRiscv RTL (full+cfu, warm caches of 4 KiB)",
    key: "vexriscv",
    wheel: Wheel {
        name: "pythondata-cpu-vexriscv",
        version: "1.0.1.post407",
        sha256: "8fbdd9ee58ab2300343846e12a70e8f8f882eced13456c359a6b65a442ce0fbc",
    },
    wrapper: include_str!("../judges/rtl/vexriscv.sv"),
    folder: "pythondata_cpu_vexriscv/verilog",
    options: &["-CFLAGS", "-DRUNS=2"],
    sources: &["VexRiscv_FullCfu.v"],
};

const IBEX_WHEEL: Wheel = Wheel {
    name: "pythondata-cpu-ibex",
    version: "0.0.post2937",
    sha256: "bcb32ffccc75097248a11b3e52031eca92d21c6c6161a29151c8c79d6157e1c9",
};
const IBEX_OPTIONS: &[&str] = &[
    "-DRVFI",
    "-DSYNTHESIS",
    "-DYOSYS",
    "-Ivendor/lowrisc_ip/ip/prim/rtl",
    "-Ivendor/lowrisc_ip/dv/sv/dv_utils",
    "-y",
    "rtl",
    "-y",
    "vendor/lowrisc_ip/ip/prim/rtl",
    "-y",
    "vendor/lowrisc_ip/ip/prim_generic/rtl",
];
const IBEX_SOURCES: &[&str] = &[
    "vendor/lowrisc_ip/ip/prim/rtl/prim_cipher_pkg.sv",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_secded_pkg.sv",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_ram_1p_pkg.sv",
    "rtl/ibex_pkg.sv",
];

/// Ibex with two stages and no branch-target ALU.
pub(crate) const IBEX: Rtl = Rtl {
    name: "Ibex RTL (two stages)",
    key: "ibex",
    wheel: IBEX_WHEEL,
    wrapper: include_str!("../judges/rtl/ibex.sv"),
    folder: "pythondata_cpu_ibex/system_verilog",
    options: IBEX_OPTIONS,
    sources: IBEX_SOURCES,
};

/// Ibex with write-back stage and branch-target ALU.
pub(crate) const IBEX_WRITEBACK: Rtl = Rtl {
    name: "Ibex RTL (write-back stage, branch-target ALU)",
    key: "ibex-writeback",
    wrapper: concat!("`define WRITEBACK\n", include_str!("../judges/rtl/ibex.sv")),
    ..IBEX
};

/// The sources of the runner that executes calls on a core.
const RUNNER: [(&str, &str); 3] = [
    ("runner.cpp", include_str!("../judges/rtl/runner.cpp")),
    ("port.h", include_str!("../judges/rtl/port.h")),
    ("unit.h", UNIT_HEADER),
];

/// The interface between a runner and the shared object of a unit.
pub(crate) const UNIT_HEADER: &str = include_str!("../judges/rtl/unit.h");

/// Additional source files of a runner, and additional Verilator options; none for a core by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct More<'a> {
    /// The part of the cache name that distinguishes this runner from others of the core.
    pub key: &'a str,
    /// Options to Verilator.
    pub options: &'a [&'a str],
    /// Names and contents of files.
    pub files: &'a [(&'a str, &'a str)],
    /// Further inputs that the result depends on.
    pub by: &'a str,
}

impl Rtl {
    /// The name in the cache, and the inputs of the build.
    fn inputs(&self, more: More) -> (String, Vec<String>) {
        let words = |words: &[&str]| words.join(" ");
        let mut inputs = vec![self.wrapper.into(), words(self.options), self.wheel.sha256.into()];
        inputs.extend(RUNNER.map(|(_, text)| text.to_owned()));
        inputs.extend(more.options.iter().chain([&more.by]).map(|o| (*o).to_owned()));
        inputs.extend(more.files.iter().flat_map(|(name, text)| [(*name).to_owned(), (*text).to_owned()]));
        (format!("{}{}", self.key, more.key), inputs)
    }

    /// The compiler and Verilator, or an error with the missing one.
    pub fn tools() -> Result<PathBuf, String> {
        need("g++", "g++")?;
        need("make", "make")?;
        need("verilator", "verilator")
    }

    /// Checks that the runner exists or can be built.
    pub fn buildable(&self, more: More) -> Result<(), String> {
        let (key, inputs) = self.inputs(more);
        let inputs: Vec<&[u8]> = inputs.iter().map(|text| text.as_bytes()).collect();
        if there(&key, &inputs).is_some() {
            return Ok(());
        }
        Rtl::tools()?;
        fetched(&self.wheel).map(|_| ())
    }

    /// The runner, built if it is missing.
    pub fn runner(&self, more: More) -> Result<PathBuf, String> {
        let (key, inputs) = self.inputs(more);
        let inputs: Vec<&[u8]> = inputs.iter().map(|text| text.as_bytes()).collect();
        if let Some(place) = there(&key, &inputs) {
            return Ok(place.join("runner"));
        }
        let verilator = Rtl::tools()?;
        let sources = fetched(&self.wheel)?.join(self.folder);
        let place = built(&key, &inputs, |work| {
            let written = |name: &str, text: &str| written(work, name, text);
            let wrapper = written("top.sv", self.wrapper)?;
            let objects = work.join("objects");
            let mut command = Command::new(verilator);
            command.current_dir(&sources).args(["--cc", "--exe", "--build", "-j", "2", "-O3"]);
            // Warnings about the cores' own sources are ignored.
            command.args(["-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-TIMESCALEMOD"]);
            command.args(["--x-assign", "fast", "--x-initial", "fast", "--noassert"]);
            command.args(["--top-module", "top", "-MAKEFLAGS", "OPT_FAST=-O2", "-o", "runner", "--Mdir"]);
            command.arg(&objects).args(self.options).args(more.options).args(self.sources).arg(wrapper);
            for (name, text) in more.files.iter().chain(&RUNNER) {
                let path = written(name, text)?;
                if !name.ends_with(".h") {
                    command.arg(path);
                }
            }
            step(&mut command, Duration::from_secs(900))?;
            std::fs::rename(objects.join("runner"), work.join("runner"))
                .and_then(|()| std::fs::remove_dir_all(&objects))
                .map_err(|e| format!("the runner of {} cannot be moved: {e}", self.name))
        })?;
        Ok(place.join("runner"))
    }

    /// The answers of a runner.
    pub fn answers(command: &mut Command, question: &Question) -> Result<Vec<Answer>, String> {
        // At least some hundred thousand cycles per second, and up to ten cycles per instruction.
        let work = question.limit.saturating_mul(question.calls.len() as u64) / 10_000;
        let patience = Duration::from_secs(work.saturating_add(120).min(3600));
        runner::answers(command, question, patience)
    }
}

/// Writes a file for a build.
pub fn written(work: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = work.join(name);
    std::fs::write(&path, text).map_err(|e| format!("{} cannot be written: {e}", path.display()))?;
    Ok(path)
}

impl Instrument for Rtl {
    fn name(&self) -> String {
        self.name.into()
    }

    fn needs(&self) -> &'static [&'static str] {
        &["verilator", "g++", "make", "python3-pip"]
    }

    fn present(&self) -> Result<(), String> {
        self.buildable(More::default())
    }

    fn kind(&self) -> Kind {
        Kind::Exact
    }
}

impl Emulator for Rtl {
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        Rtl::answers(&mut Command::new(self.runner(More::default())?), question)
    }
}

fn assembler() -> Result<PathBuf, String> {
    find("riscv32-unknown-elf-as")
        .map_or_else(|| need("riscv64-unknown-elf-as", "binutils-riscv64-unknown-elf"), Ok)
}

/// qemu-riscv32, including the scalar AES instructions if it supports them.
pub(crate) const QEMU: Machine = Machine {
    program: "qemu-riscv32",
    cpus: &["rv32,zbkb=true,zkne=true,zknd=true", "rv32"],
    names_cpu: false,
    packages: &["qemu-user", "binutils-riscv64-unknown-elf"],
    assembler,
    options: &["-march=rv32i", "-mabi=ilp32"],
    harness: include_str!("../judges/qemu/rv32.S"),
    head: crate::elf::HEAD,
    flags: 0,
    // RISC-V ABIs Specification, "Integer Calling Convention".
    in_registers: 8,
    home: 0,
    kept: &["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11"],
    calls: [63, 64, 93, 103],
    thumb: false,
    pushed: 0,
};

#[cfg(test)]
mod tests;
