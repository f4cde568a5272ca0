//! Functions of a processor's first variants, for tests of the files around kernels.

use aesmith_cipher::Problem;
use aesmith_emit::package::{File, Package, Scope, write};
use aesmith_emit::{Code, Function, schedule_of};
use aesmith_judge::outside::{find, step};
use aesmith_processor::bits_certificate::{BitsCertificate, FORMAT};
use aesmith_processor::cost::Cost;
use aesmith_prove::bits::Proof;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// The time limit of a tool.
pub const MINUTE: Duration = Duration::from_secs(60);

/// A function of the first variant that can be built, with figures that do not change with the kernels; proofs and
/// measurements of kernels are tested elsewhere.
pub fn function(processor: &str, problem: Problem, change: fn(&mut BitsCertificate)) -> Function {
    let core = aesmith_processors::core(processor).unwrap();
    let all = core.table.all(problem);
    let kernel = all.iter().find_map(|v| (core.build)(v).ok()).unwrap();
    let proof = Proof {
        problem: problem.to_string(),
        packing: String::new(),
        blocks: String::new(),
        constant_time: false,
        hangs: vec![],
        products: vec![],
        stack_bytes: 0,
        own_state: None,
        reads: vec![],
        writes: vec![],
        tables: None,
        tables_in_ram: false,
        alignment: 1,
        instructions: 0,
        secret_registers: vec![],
        secret_stack: false,
        assumptions: vec![],
        conditions: vec![],
        microseconds: 0,
    };
    let mut certificate = BitsCertificate {
        format: FORMAT,
        level: "proved".into(),
        class: "CT".into(),
        constant_time: format!("constant time on {processor}: a reason"),
        tool_version: "0".into(),
        processor: processor.into(),
        problem: problem.to_string(),
        variant: "a variant".into(),
        symbol: "symbol".into(),
        sha256: "0".repeat(64),
        convention: "a convention".into(),
        proof,
        // More than the tables of any kernel take.
        cost: Cost { cycles: 1234.0, once: 0.0, flash: 200_000, ram: 50_000, stack: 10 },
        model: "a model".into(),
        judge: "a judge".into(),
        independent: true,
        tested_calls: 2004,
        judged_cycles: Some(1234.5),
        judged_range: None,
        same_cycles: Some(true),
        judged_stack: Some(10),
        notes: vec![],
        in_registers: None,
    };
    change(&mut certificate);
    Function::of_firmware(core, kernel, &certificate).unwrap()
}

/// The functions of these problems, with their key schedules, in the plain variants.
pub fn functions(processor: &str, problems: &[&str]) -> Vec<Function> {
    changed(processor, problems, |_| {})
}

/// Like [`functions`], with changed certificates.
pub fn changed(processor: &str, problems: &[&str], change: fn(&mut BitsCertificate)) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    for problem in problems {
        let message = function(processor, problem.parse().unwrap(), change);
        let Code::Sections { kernel, .. } = &message.code else {
            panic!("a kernel for firmware is sections")
        };
        let schedule = schedule_of(&kernel.contract);
        functions.push(message);
        if let Some((schedule, _)) = schedule
            && functions.iter().all(|f| f.problem != schedule)
        {
            functions.push(function(processor, schedule, change));
        }
    }
    functions
}

/// A package of functions.
pub fn package(processor: &str, functions: &[Function], scope: Scope) -> Package {
    Package::of_blocks(aesmith_processors::core(processor).unwrap(), functions, scope).unwrap()
}

/// The package of one problem, in the plain variant.
pub fn package_of(processor: &str, problem: &str) -> Package {
    package(processor, &functions(processor, &[problem]), Scope::Problem)
}

/// Writes files into a temporary folder.
pub fn written(files: &[File]) -> TempDir {
    let folder = TempDir::new().unwrap();
    write(files, folder.path()).unwrap();
    folder
}

/// The functions of a problem in the plain variant, with this one for its message.
pub fn with_variant(processor: &str, problem: &str, choices: &str) -> Vec<Function> {
    let core = aesmith_processors::core(processor).unwrap();
    let problem: Problem = problem.parse().unwrap();
    let variant = core.table.read(problem, choices).unwrap();
    let mut all = functions(processor, &[&problem.to_string()]);
    for part in all.iter_mut().filter(|f| f.problem == problem) {
        part.code = Code::Sections { core, kernel: (core.build)(&variant).unwrap() };
    }
    all
}

/// The message of this machine's preprocessor if it refuses a file with these macros, which compilers for other
/// processors define.
pub fn preprocessed(file: &Path, defined: &[&str]) -> Result<(), String> {
    let mut compiler = Command::new("gcc");
    compiler.args(defined).args(["-E", "-o", "/dev/null"]).arg(file);
    step(&mut compiler, MINUTE).map(|_| ())
}

/// True if a tool is installed; otherwise prints a note.
pub fn there_is(tool: &str) -> bool {
    let there = find(tool).is_some();
    if !there {
        println!("skipped: {tool} is not installed");
    }
    there
}
