//! Programs that are measured: the emitted C of a combination, and a driver around it.

use crate::tools::{self, Compiler};
use crate::{Combination, Cost, Profile, ProfileError, Step, callgrind, sizes};
use aesmith_arrange::Variant;
use aesmith_cipher::{Problem, modes};
use aesmith_emit::Naming;
use aesmith_emit::c::portable::{self, Steps};
use aesmith_emit::c::{Place, Program};
use std::path::Path;
use std::process::Command;

/// The problem that is computed: the lab report's AES-128, whole blocks.
pub const PROBLEM: &str = "aes128-ecb";
/// Blocks of the message: 1 KiB.
pub const BLOCKS: usize = 64;
/// Compiler options except those that name inputs and outputs. Identical functions are not merged, so that each keeps
/// its own address and counts can be attributed to it.
pub const OPTIONS: &[&str] = &["-O2", "-g", "-std=gnu99", "-fno-ipa-icf"];

/// The key and the text that programs are checked and measured on.
const KEY: [u8; 16] =
    [0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c];

fn text() -> Vec<u8> {
    (0..16 * BLOCKS).map(|i| (i * 151 + i / 256 * 29) as u8).collect()
}

/// Measures one combination.
///
/// # Errors
/// The program does not compile or run, or its output differs from the cipher's.
pub fn measure(
    combination: Combination,
    compiler: &Compiler,
    by_callgrind: bool,
    folder: &Path,
) -> Result<Profile, ProfileError> {
    let problem: Problem = PROBLEM.parse().expect("a problem's name");
    let variant = combination.variant(problem);
    let schedule = variant.table.plain_by(problem.key_schedule(), variant.technique);
    let program = Program {
        problem,
        choices: vec![(None, variant.clone())],
        schedule: Some(schedule),
        table: false,
        naming: Naming::default(),
    };
    let emit =
        |steps| portable::file_with(&program, Place::Alone, steps).map_err(|e| ProfileError(e.to_string()));
    let name = portable::name(&program);
    let stem = stem(&variant);
    let kernel = format!("{stem}.c");
    let source = emit(Steps::Plain)?;
    tools::write(&folder.join(&kernel), &source)?;
    let object = folder.join(format!("{stem}.o"));
    tools::run(compile(compiler, folder).args(["-c", &kernel, "-o"]).arg(&object))?;
    let object = std::fs::read(&object)
        .map_err(|e| ProfileError(format!("{} cannot be read: {e}", object.display())))?;

    let plain = build(compiler, folder, &format!("{stem}-whole"), &driver(&name, &kernel, false))?;
    let traced_kernel = format!("{stem}-traced.c");
    tools::write(&folder.join(&traced_kernel), &emit(Steps::Traced)?)?;
    let traced = build(compiler, folder, &format!("{stem}-steps"), &driver(&name, &traced_kernel, true))?;
    for program in [&plain, &traced] {
        check(problem, program, &variant)?;
    }
    let whole = times(&plain)?;
    let steps = times(&traced)?;
    let counts = if by_callgrind { Some(count(&plain, folder, &stem, &kernel, &source)?) } else { None };
    // Only the C files are kept: they are meant to be read.
    for made in
        [format!("{stem}.o"), format!("{stem}-whole"), format!("{stem}-steps"), format!("{stem}.callgrind")]
    {
        let _ = std::fs::remove_file(folder.join(made));
    }
    let rounds = problem.key.rounds() as u64;
    let blocks = BLOCKS as u64;
    let calls = [1, (rounds + 1) * blocks, rounds * blocks, rounds * blocks, (rounds - 1) * blocks];
    let cost = |calls, instructions, (cycles, nanoseconds)| Cost { calls, instructions, cycles, nanoseconds };
    Ok(Profile {
        combination,
        variant: variant.to_string(),
        steps: (0..5)
            .map(|i| {
                let instructions = counts.as_ref().map(|c| c.steps[i]);
                (Step::ALL[i], cost(calls[i], instructions, steps[i]))
            })
            .collect(),
        whole: cost(1, counts.as_ref().map(|c| c.whole), whole[5]),
        sizes: sizes::read(&object)?,
    })
}

/// `bytewise-unrolled-table-inlined-words`, with the parts that are on.
fn stem(variant: &Variant) -> String {
    let mut stem = "bytewise".to_owned();
    for (dimension, name) in
        [("subbytes", "unrolled"), ("mixcolumns", "look-up"), ("inline", "inlined"), ("words", "words")]
    {
        if variant.on(dimension) {
            stem.push('-');
            stem.push_str(name);
        }
    }
    stem
}

fn compile(compiler: &Compiler, folder: &Path) -> Command {
    let mut command = Command::new(&compiler.program);
    command.current_dir(folder).args(OPTIONS);
    command
}

/// Compiles a driver and returns the program's path.
fn build(
    compiler: &Compiler,
    folder: &Path,
    stem: &str,
    driver: &str,
) -> Result<std::path::PathBuf, ProfileError> {
    let source = format!("{stem}-driver.c");
    tools::write(&folder.join(&source), driver)?;
    let program = folder.join(stem);
    tools::run(compile(compiler, folder).arg(&source).arg("-o").arg(&program))?;
    Ok(program)
}

/// The driver: without an argument it prints the ciphertext in hexadecimal, with `count` it runs once, with `time` it
/// prints ticks and nanoseconds (see `driver.c`).
fn driver(name: &str, kernel: &str, traced: bool) -> String {
    let list = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    include_str!("driver.c")
        .replace("@TRACED@", if traced { "1" } else { "0" })
        .replace("@KERNEL@", kernel)
        .replace("@NAME@", name)
        .replace("@KEY@", &list(&KEY))
        .replace("@TEXT@", &list(&text()))
}

fn check(problem: Problem, program: &Path, variant: &Variant) -> Result<(), ProfileError> {
    let output = tools::run(&mut Command::new(program))?;
    let expected = modes::message(problem, &KEY, [0; 16], &text()).0;
    let hex: String = expected.iter().map(|b| format!("{b:02x}")).collect();
    if String::from_utf8_lossy(&output.stdout).trim() == hex {
        return Ok(());
    }
    Err(ProfileError(format!("what the compiler made of `{variant}` is not AES, so it is not measured")))
}

/// Cycles and nanoseconds of the five steps and of the whole.
fn times(program: &Path) -> Result<[(f64, f64); 6], ProfileError> {
    let output = tools::run(Command::new(program).arg("time"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = said.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    if numbers.len() != 12 {
        return Err(ProfileError(format!("{} said `{}` for its times", program.display(), said.trim())));
    }
    Ok(std::array::from_fn(|i| (numbers[2 * i], numbers[2 * i + 1])))
}

fn count(
    program: &Path,
    folder: &Path,
    stem: &str,
    kernel: &str,
    source: &str,
) -> Result<callgrind::Counts, ProfileError> {
    let out = folder.join(format!("{stem}.callgrind"));
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "-q", "--compress-strings=no", "--compress-pos=no", "--dump-line=yes"]);
    command.args(["--collect-atstart=no", "--toggle-collect=measured"]);
    command.arg(format!("--callgrind-out-file={}", out.display())).arg(program).arg("count");
    tools::run(&mut command)?;
    let text = std::fs::read_to_string(&out)
        .map_err(|e| ProfileError(format!("{} cannot be read: {e}", out.display())))?;
    Ok(callgrind::read(&text, kernel, source))
}
