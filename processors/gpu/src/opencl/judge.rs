//! OpenCL implementations that execute kernels without a GPU: PoCL as code of this processor, Oclgrind as an
//! interpreter that checks bounds and races.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use aesmith_cipher::mode::Role;
use aesmith_isa::grid::GridProgram;
use aesmith_judge::judge::{Instrument, Kind};
use aesmith_judge::outside::{Temporary, built, need, run, step};
use aesmith_processor::grid::Executor;
use aesmith_processor::grid::machine::Call;

const RUNNER: &str = include_str!("../../judges/opencl/runner.c");
const PATIENCE: Duration = Duration::from_secs(300);

/// An OpenCL implementation.
pub(crate) struct OpenCl {
    /// A substring of its platform's name.
    platform: &'static str,
    packages: &'static [&'static str],
    /// The command that starts the runner, with its options.
    by: Option<(&'static str, &'static [&'static str])>,
    /// The properties that it reported.
    said: OnceLock<Option<Device>>,
}

/// The properties that a platform reports of itself and its device.
struct Device {
    /// The platform with its version, as OpenCL names it.
    name: String,
    /// Size of local memory in bytes, and the most work-items per work-group.
    limits: (u64, u64),
}

/// Portable Computing Language.
pub(crate) static POCL: OpenCl = OpenCl {
    platform: "Portable Computing Language",
    packages: &["pocl-opencl-icd", "ocl-icd-opencl-dev", "opencl-c-headers", "gcc"],
    by: None,
    said: OnceLock::new(),
};

/// Oclgrind.
pub(crate) static OCLGRIND: OpenCl = OpenCl {
    platform: "Oclgrind",
    packages: &["oclgrind", "ocl-icd-opencl-dev", "opencl-c-headers", "gcc"],
    by: Some(("oclgrind", &["--data-races", "--local-mem-size", "1048576"])),
    said: OnceLock::new(),
};

fn built_runner() -> Result<PathBuf, String> {
    let place = built("opencl", &[RUNNER.as_bytes()], |work| {
        let source = work.join("runner.c");
        std::fs::write(&source, RUNNER)
            .map_err(|e| format!("{} cannot be written: {e}", source.display()))?;
        let mut compiler = Command::new(need("cc", "gcc")?);
        compiler.arg("-O1").arg("-o").arg(work.join("runner")).arg(&source).arg("-lOpenCL");
        step(&mut compiler, Duration::from_secs(120)).map(|_| ())
    })?;
    Ok(place.join("runner"))
}

impl OpenCl {
    fn command(&self) -> Result<Command, String> {
        let runner = built_runner()?;
        Ok(match self.by {
            None => Command::new(runner),
            Some((program, options)) => {
                let mut command = Command::new(need(program, self.packages[0])?);
                command.args(options).arg(runner);
                command
            }
        })
    }

    /// Its device, queried once; `None` if it is not installed.
    fn device(&self) -> Option<&Device> {
        let asked = || {
            let said = step(&mut self.command().ok()?, Duration::from_secs(20)).ok()?;
            let text = String::from_utf8(said.out).ok()?;
            let line = text.lines().find(|line| line.contains(self.platform))?;
            let [local, threads, name] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { return None };
            Some(Device { name: name.to_owned(), limits: (local.parse().ok()?, threads.parse().ok()?) })
        };
        self.said.get_or_init(asked).as_ref()
    }
}

impl Instrument for OpenCl {
    fn name(&self) -> String {
        // PoCL's build configuration follows its version.
        let short = self.device().and_then(|device| device.name.split("  ").next());
        short.unwrap_or(self.platform).to_owned()
    }

    fn needs(&self) -> &'static [&'static str] {
        self.packages
    }

    fn present(&self) -> Result<(), String> {
        let missing = || {
            format!(
                "{} is not installed; install it with `apt-get install {}`, or run `scripts/need.sh test`",
                self.platform,
                self.packages.join(" ")
            )
        };
        if !Path::new("/usr/include/CL/cl.h").is_file() {
            return Err(missing());
        }
        self.device().map(|_| ()).ok_or_else(missing)
    }

    fn kind(&self) -> Kind {
        Kind::Static
    }
}

impl Executor for OpenCl {
    fn limits(&self) -> (u64, u64) {
        self.device().map_or((0, 0), |device| device.limits)
    }

    fn run(&self, text: &str, program: &GridProgram, call: &Call) -> Result<Vec<u8>, String> {
        let source = Temporary::new(text.as_bytes())?;
        let roles = program.parameters.iter().map(|parameter| match parameter.role {
            Role::Key | Role::CipherKey => 'k',
            Role::Iv => 'i',
            Role::Output if !call.in_place => 'o',
            Role::Input | Role::Output => 't',
            Role::Length => 'n',
        });
        let mut command = self.command()?;
        command.arg(self.platform).arg(&source.path).arg(&program.symbol).arg(roles.collect::<String>());
        for number in [call.blocks, program.threads, program.shared] {
            command.arg(number.to_string());
        }
        for number in [call.key.len(), call.count()].into_iter().chain(call.elements) {
            command.arg(number.to_string());
        }
        let output = run(&mut command, &[call.key, &call.iv, call.input].concat(), PATIENCE)?;
        let said = output.errors.trim();
        if output.status.success() && said.is_empty() {
            Ok(output.out)
        } else {
            Err(format!("{} refuses it: {said}", self.platform))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::print;
    use crate::table::{LAUNCH, isa};
    use crate::{TABLE, kernels};
    use aesmith_processor::grid::machine;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Checks that a kernel in OpenCL C, executed by `by` on random data, computes the cipher.
    fn executed(by: &OpenCl, variant: &str, (blocks, count): (u32, usize), random: &mut ChaCha8Rng) {
        let variant = TABLE.parse(variant).expect("a variant");
        let kernel = kernels::build(&variant).expect("is built");
        let text = print(&kernel.program).expect("has statements");
        let problem = variant.problem;
        let elements = kernel.contract.elements();
        let mut bytes = |count: usize| -> Vec<u8> { (0..count).map(|_| random.random()).collect() };
        let (key, input, mut iv) = (bytes(problem.key.bytes()), bytes(elements[0] * count), [0xff; 16]);
        iv[15] = 0xf0;
        let packed = kernel.contract.key_bytes(&key);
        let in_place = random.random::<bool>() && problem.mode().is_in_place_by_threads();
        let call =
            machine::Call { blocks, key: &packed, iv, input: &input, elements, streams: &[], in_place };
        let output = by.run(&text, &kernel.program, &call).unwrap_or_else(|e| panic!("{variant}: {e}"));
        let ran = machine::run(isa(), &LAUNCH, &kernel.program, &call).expect("is executed");
        assert!(
            output == ran.output,
            "{variant}: another result than that of our interpreter, {count} blocks"
        );
        assert!(output == kernel.contract.results(&key, iv, &input), "{variant}: {count} blocks");
    }

    fn is_skipped(by: &OpenCl) -> bool {
        by.present().inspect_err(|why| println!("skipped: {why}")).is_err()
    }

    #[test]
    fn pocl_has_the_results_of_our_interpreter() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        if is_skipped(&POCL) {
            return;
        }
        for variant in [
            "aes128-ecb replicas=8",
            "aes192-ecb blocks=2 tables=2 replicas=4",
            "aes256-ecb-dec tables=2 replicas=8 loads=ahead width=8",
            "aes128-ctr tables=2 replicas=4 width=4",
            "aes256-ctr counter=cached replicas=8",
            "aes192-key-dec replicas=8",
        ] {
            let variant = format!("{variant} threads=128");
            for count in [0, 1, 127, 300] {
                executed(&POCL, &variant, (2, count), &mut random);
            }
        }
    }

    /// Oclgrind finds the faults that our interpreter finds, and accepts a kernel without faults.
    #[test]
    fn oclgrind_finds_the_faults_that_our_interpreter_finds() {
        let mut random = ChaCha8Rng::seed_from_u64(6);
        if is_skipped(&OCLGRIND) {
            return;
        }
        let variant = "aes128-ecb tables=2 replicas=4 threads=128";
        executed(&OCLGRIND, variant, (1, 130), &mut random);
        let program = kernels::build(&TABLE.parse(variant).expect("a variant")).expect("is built").program;
        let place = |row: &str| {
            let found = program.insns.iter().position(|insn| isa().of(insn).name == row);
            found.expect("it has one")
        };
        let off =
            |row: &str| isa().of(&program.insns[place(row)]).fields.iter().position(|f| f.name == "off");
        let mut no_barrier = program.clone();
        no_barrier.insns[place("barrier")] = isa().read("mov.b32 %r127, 0;", &|_| None).expect("is read");
        let mut beyond = program.clone();
        beyond.insns[place("ld_shared")].fields[off("ld_shared").expect("has one")] += 0x20_0000;
        let mut text_beyond = program.clone();
        text_beyond.insns[place("ld_global")].fields[off("ld_global").expect("has one")] += 0x20_0000;
        let (key, input) = ([7; 176], vec![9; 16 * 128]);
        let call = machine::Call {
            blocks: 1,
            key: &key,
            iv: [0; 16],
            input: &input,
            elements: [16; 2],
            streams: &[],
            in_place: false,
        };
        for (what, faulty, said) in [
            ("no barrier", no_barrier, "race"),
            ("beyond shared memory", beyond, "Invalid read"),
            ("beyond the text", text_beyond, "Invalid read"),
        ] {
            let ours = machine::run(isa(), &LAUNCH, &faulty, &call);
            assert!(ours.is_err() || ours.is_ok_and(|ran| !ran.races.is_empty()), "{what}: ours");
            let text = print(&faulty).expect("has statements");
            let refused = OCLGRIND.run(&text, &faulty, &call).expect_err(what);
            assert!(refused.contains(said), "{what}: {refused}");
        }
    }
}
