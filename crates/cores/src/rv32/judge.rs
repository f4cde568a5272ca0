//! Judges of RV32 programs: the RTL of three cores under Verilator, whose cycles are the cores' own,
//! and qemu's user mode for what a program computes.
//!
//! Memory answers as fast as each core can use it, so that cycles are the core's and no memory's. A
//! core's configuration is said in `judges/rtl/*.sv`.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::judge::{Answer, Judge, Question};
use crate::outside::qemu::{self, Machine};
use crate::outside::wheel::{Wheel, fetched};
use crate::outside::{built, find, need, runner, step, there, version};

/// A core's RTL in a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Rtl {
    /// The name that people know it by, with what tells its configuration from others.
    name: &'static str,
    /// The name of its runner in the cache.
    key: &'static str,
    wheel: Wheel,
    /// `judges/rtl/*.sv`: the core with its memories.
    wrapper: &'static str,
    /// Folder in the wheel, options to Verilator relative to it, sources in the order they need.
    folder: &'static str,
    options: &'static [&'static str],
    sources: &'static [&'static str],
}

/// PicoRV32: barrel shifter, dual-port registers, look-ahead memory.
pub const PICORV32: Rtl = Rtl {
    name: "PicoRV32 RTL (barrel shifter)",
    key: "picorv32",
    wheel: Wheel {
        name: "pythondata-cpu-picorv32",
        version: "1.0.post218",
        sha256: "c6d3e405a50c54f86a436a49cc24ea2f0c00d9cc07c96e7ee12e65736d75eabd",
    },
    wrapper: include_str!("../../judges/rtl/picorv32.sv"),
    folder: "pythondata_cpu_picorv32/verilog",
    options: &["-DRISCV_FORMAL"],
    sources: &["picorv32.v"],
};

/// VexRiscv, LiteX's variant full+cfu. The function is called twice and the second call counted: the
/// caches are warm.
pub const VEXRISCV: Rtl = Rtl {
    name: "VexRiscv RTL (full+cfu, warm caches of 4 KiB)",
    key: "vexriscv",
    wheel: Wheel {
        name: "pythondata-cpu-vexriscv",
        version: "1.0.1.post407",
        sha256: "8fbdd9ee58ab2300343846e12a70e8f8f882eced13456c359a6b65a442ce0fbc",
    },
    wrapper: include_str!("../../judges/rtl/vexriscv.sv"),
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
pub const IBEX: Rtl = Rtl {
    name: "Ibex RTL (two stages)",
    key: "ibex",
    wheel: IBEX_WHEEL,
    wrapper: include_str!("../../judges/rtl/ibex.sv"),
    folder: "pythondata_cpu_ibex/system_verilog",
    options: IBEX_OPTIONS,
    sources: IBEX_SOURCES,
};

/// Ibex with write-back stage and branch-target ALU.
pub const IBEX_WRITEBACK: Rtl = Rtl {
    name: "Ibex RTL (write-back stage, branch-target ALU)",
    key: "ibex-writeback",
    wrapper: concat!("`define WRITEBACK\n", include_str!("../../judges/rtl/ibex.sv")),
    ..IBEX
};

const RUNNER: &str = include_str!("../../judges/rtl/runner.cpp");

impl Rtl {
    /// What its runner is built from: key of the cache.
    fn inputs(&self) -> [String; 4] {
        let words = |words: &[&str]| words.join(" ");
        [RUNNER.into(), self.wrapper.into(), words(self.options), self.wheel.sha256.into()]
    }

    fn tools() -> Result<PathBuf, String> {
        need("g++", "g++")?;
        need("make", "make")?;
        need("verilator", "verilator")
    }

    fn runner(&self) -> Result<PathBuf, String> {
        let inputs = self.inputs();
        let inputs = inputs.each_ref().map(|text| text.as_bytes());
        if let Some(place) = there(self.key, &inputs) {
            return Ok(place.join("runner"));
        }
        let verilator = Rtl::tools()?;
        let sources = fetched(&self.wheel)?.join(self.folder);
        let place = built(self.key, &inputs, |work| {
            let written = |name: &str, text: &str| {
                let path = work.join(name);
                std::fs::write(&path, text)
                    .map_err(|e| format!("{} cannot be written: {e}", path.display()))
                    .map(|()| path)
            };
            let (wrapper, runner) = (written("top.sv", self.wrapper)?, written("runner.cpp", RUNNER)?);
            let objects = work.join("objects");
            let mut command = Command::new(verilator);
            command.current_dir(&sources).args(["--cc", "--exe", "--build", "-j", "2", "-O3"]);
            // The cores' own warnings are not ours to judge.
            command.args(["-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-TIMESCALEMOD"]);
            command.args(["--x-assign", "fast", "--x-initial", "fast", "--noassert"]);
            command.args(["--top-module", "top", "-MAKEFLAGS", "OPT_FAST=-O2", "-o", "runner", "--Mdir"]);
            command.arg(&objects).args(self.options).args(self.sources).arg(wrapper).arg(runner);
            step(&mut command, Duration::from_secs(900))?;
            std::fs::rename(objects.join("runner"), work.join("runner"))
                .and_then(|()| std::fs::remove_dir_all(&objects))
                .map_err(|e| format!("the runner of {} cannot be moved: {e}", self.name))
        })?;
        Ok(place.join("runner"))
    }
}

impl Judge for Rtl {
    fn name(&self) -> String {
        self.name.into()
    }

    fn needs(&self) -> &'static [&'static str] {
        &["verilator", "g++", "make", "python3-pip"]
    }

    fn present(&self) -> Result<(), String> {
        let inputs = self.inputs();
        if there(self.key, &inputs.each_ref().map(|text| text.as_bytes())).is_some() {
            return Ok(());
        }
        Rtl::tools()?;
        fetched(&self.wheel).map(|_| ())
    }

    fn counts_cycles(&self) -> bool {
        true
    }

    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        // Some hundred thousand cycles a second at least, and up to ten cycles an instruction.
        let work = question.limit.saturating_mul(question.calls.len() as u64) / 10_000;
        let patience = Duration::from_secs(work.saturating_add(120).min(3600));
        runner::answers(&mut Command::new(self.runner()?), question, patience)
    }
}

/// qemu-riscv32, with the scalar AES instructions where it has them.
#[derive(Clone, Copy, Debug, Default)]
pub struct QemuRiscv;

fn assembler() -> Result<PathBuf, String> {
    find("riscv32-unknown-elf-as")
        .map_or_else(|| need("riscv64-unknown-elf-as", "binutils-riscv64-unknown-elf"), Ok)
}

const MACHINE: Machine = Machine {
    program: "qemu-riscv32",
    cpus: &["rv32,zbkb=true,zkne=true,zknd=true", "rv32"],
    assembler,
    options: &["-march=rv32i", "-mabi=ilp32"],
    harness: include_str!("../../judges/qemu/rv32.S"),
    elf: (object::elf::EM_RISCV, 0),
    // RISC-V ABIs Specification, "Integer Calling Convention".
    in_registers: 8,
    home: 0,
    kept: &["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11"],
    calls: [63, 64, 93, 103],
    thumb: false,
};

impl Judge for QemuRiscv {
    fn name(&self) -> String {
        version(MACHINE.program)
    }

    fn needs(&self) -> &'static [&'static str] {
        &["qemu-user", "binutils-riscv64-unknown-elf"]
    }

    fn present(&self) -> Result<(), String> {
        qemu::present(&MACHINE)
    }

    fn counts_cycles(&self) -> bool {
        false
    }

    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        qemu::answers(&MACHINE, question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Call;
    use aesmith_isa::image::{Image, Segment};

    fn program(code: &[u32]) -> Image {
        let bytes = code.iter().flat_map(|w| w.to_le_bytes()).collect();
        let counter = Segment { address: 0x20000, bytes: vec![5, 0, 0, 0], writable: true };
        Image {
            segments: vec![Segment { address: 0x10000, bytes, writable: false }, counter],
            ..Image::default()
        }
    }

    fn asked(judge: &dyn Judge, code: &[u32], calls: Vec<Call>) -> Option<Result<Vec<Answer>, String>> {
        if let Err(why) = judge.present() {
            println!("skipped: {why}");
            return None;
        }
        let image = program(code);
        Some(judge.answer(&Question { image: &image, function: 0x10000, calls, limit: 10_000 }))
    }

    /// `out[0] = sum of n words + ninth argument + counter++`, with four bytes of stack written.
    const LOOP: [u32; 17] = [
        0xffc10113, // addi sp, sp, -4
        0x00812023, // sw s0, 0(sp)
        0x00412403, // lw s0, 4(sp)
        0x0006a303, // lw t1, 0(a3)
        0x00640433, // add s0, s0, t1
        0x00130313, // addi t1, t1, 1
        0x0066a023, // sw t1, 0(a3)
        0x0005a303, // lw t1, 0(a1)
        0x00640433, // add s0, s0, t1
        0x00458593, // addi a1, a1, 4
        0xfff60613, // addi a2, a2, -1
        0xfe0618e3, // bnez a2, -16
        0x00852023, // sw s0, 0(a0)
        0x00012403, // lw s0, 0(sp)
        0x00410113, // addi sp, sp, 4
        0x00008067, // ret
        0,
    ];
    const N: u32 = 8;

    fn check(judge: &dyn Judge, cycles: Option<u64>) {
        let words: Vec<u8> = (0..N).flat_map(|i| (i + 1).to_le_bytes()).collect();
        let call = |i: u32| Call {
            arguments: vec![0x40000, 0x40100, N, 0x20000, 0, 0, 0, 0, i],
            writes: vec![(0x40100, words.clone())],
            reads: vec![(0x40000, 4), (0x20000, 4)],
        };
        let Some(answers) = asked(judge, &LOOP, (0..200).map(call).collect()) else { return };
        let answers = answers.unwrap();
        assert_eq!(answers.len(), 200);
        for (i, answer) in (0..).zip(&answers) {
            let sum = N * (N + 1) / 2 + 5 + i;
            let expected = Answer {
                read: vec![sum.to_le_bytes().to_vec(), 6u32.to_le_bytes().to_vec()],
                cycles,
                instructions: cycles.map(|_| 7 + 5 * u64::from(N) + 4),
                stack: Some(4),
            };
            assert_eq!(answer, &expected, "{}", judge.name());
        }
    }

    #[test]
    fn picorv32_costs_what_its_readme_says() {
        // README, "Cycles per Instruction Performance": 3 for arithmetic and branches not taken, 5
        // for loads, stores and taken branches, 6 for an indirect jump.
        let n = u64::from(N);
        check(&PICORV32, Some(3 * 3 + 4 * 5 + n * (5 + 3 * 3 + 5) - 2 + 2 * 5 + 3 + 6));
    }

    #[test]
    fn ibex_costs_what_its_manual_says() {
        // Ibex documentation, "Pipeline Details": 2 for loads, stores and jumps, 3 for taken branches;
        // with write-back stage and branch-target ALU 1 for loads and stores, 2 for taken branches,
        // and a cycle where a load's result is needed at once.
        let n = u64::from(N);
        check(&IBEX, Some(3 + 4 * 2 + n * (2 + 3 + 3) - 2 + 2 * 2 + 1 + 2));
        check(&IBEX_WRITEBACK, Some(7 + 1 + n * (5 + 1 + 1) - 1 + 4 + 1));
    }

    #[test]
    fn vexriscv_costs_what_five_stages_do() {
        // Two cycles between a load and its use, one for a predicted jump, two for a wrong prediction;
        // the caches miss nothing.
        let n = u64::from(N);
        check(&VEXRISCV, Some(11 + 5 * n + 2 * (1 + n) + (n - 1) + 2 + 1));
    }

    #[test]
    fn qemu_computes() {
        check(&QemuRiscv, None);
    }

    #[test]
    fn qemu_has_the_aes_instructions() {
        // lw a1, 0(a0); aes32esmi a1, x0, a1, 0; sw a1, 0(a0); ret
        let code = [0x00052583, 0x26b005b3, 0x00b52023, 0x00008067];
        let call =
            Call { arguments: vec![0x40000], writes: vec![(0x40000, vec![0; 4])], reads: vec![(0x40000, 4)] };
        let Some(answers) = asked(&QemuRiscv, &code, vec![call]) else { return };
        // MixColumns of the column (S-box of 0, 0, 0, 0).
        assert_eq!(answers.unwrap()[0].read, [[0xc6, 0x63, 0x63, 0xa5]]);
    }

    #[test]
    fn the_global_pointer_is_the_programs() {
        // sw gp, 0(a0); ret
        let mut image = program(&[0x00352023, 0x00008067]);
        image.symbols.insert(runner::GLOBAL_POINTER.into(), 0x20800);
        for judge in [&PICORV32 as &dyn Judge, &QemuRiscv] {
            if let Err(why) = judge.present() {
                println!("skipped: {why}");
                continue;
            }
            let call = Call { arguments: vec![0x40000], writes: vec![], reads: vec![(0x40000, 4)] };
            let question = Question { image: &image, function: 0x10000, calls: vec![call], limit: 100 };
            assert_eq!(judge.answer(&question).unwrap()[0].read, [0x20800u32.to_le_bytes()]);
        }
    }

    #[test]
    fn faults_are_sentences() {
        let cases: [(&[u32], &str); 5] = [
            (&[0x0000006f], "did not return"),
            (&[0x00000413, 0x00008067], "changed, which belongs to its caller"),
            (&[0x00052583, 0x00008067], "the function "),
            (&[0x00008023, 0x00008067], "the function "),
            (&[0x00000000], "does not have"),
        ];
        for judge in [&PICORV32 as &dyn Judge, &IBEX, &VEXRISCV, &QemuRiscv] {
            for (code, part) in cases {
                let call = Call { arguments: vec![0x4000_0000], ..Call::default() };
                let Some(answers) = asked(judge, code, vec![call]) else { break };
                let error = answers.unwrap_err();
                assert!(error.contains(part), "{} {code:x?}: {error}", judge.name());
            }
        }
    }
}
