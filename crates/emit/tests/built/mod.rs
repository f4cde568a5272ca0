//! Packages for tests, and helpers that build and run them.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_emit::package::{self, File, Form, FunctionSet};
use aesmith_emit::{Code, CodeFacts, EmitError, Function, Naming};
use aesmith_processor::dialect::MachineCode;
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::kernels::{Target, build};
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::targets;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Adds a certificate without a proof; proofs are tested in the command.
pub fn certified(mut function: Function, wiped: bool) -> Function {
    function.facts = Some(CodeFacts {
        level: "E3".into(),
        constant_time: "CT2".into(),
        sha256: function.hash().unwrap(),
        wiped,
        json: format!("{{\"sha256\":\"{}\"}}\n", function.hash().unwrap()),
        ..CodeFacts::default()
    });
    function
}

/// The machine code of a function.
pub fn code(function: &mut Function) -> &mut MachineCode {
    match &mut function.code {
        Code::Machine(code) => code,
        Code::Sections { .. } => panic!("it is no machine code"),
    }
}

pub fn function_for(variant: &Variant, target: &Target) -> Option<Function> {
    Some(certified(Function::new(&build(variant, target).ok()?), variant.on(Dim::Wipe)))
}

pub fn function(variant: &Variant) -> Option<Function> {
    function_for(variant, &targets::here())
}

pub fn assembly_package(problem: Problem, message: Option<Function>) -> Option<FunctionSet> {
    let schedule = function(&dimensions::baseline(problem.key_schedule()))?;
    let table = problem.key_table().map(|table| function(&dimensions::baseline(table)));
    let table = if let Some(table) = table { Some(table?) } else { None };
    Some(FunctionSet { problem, naming: Naming::default(), cpu: None, message, schedule, table, cost: None })
}

/// The functions of a level: by AES instructions if it has them, otherwise by bit slicing.
pub fn level(problem: Problem, naming: &Naming, name: &str, cached: bool) -> FunctionSet {
    let target = targets::of(REQUIREMENTS.level(name).unwrap());
    let aes = target.lanes_of(Technique::Aes);
    let technique = if aes > 0 { Technique::Aes } else { Technique::Bitsliced };
    let of = |problem| {
        let width = target.lanes_of(technique).ilog2() as u16;
        dimensions::plain(problem, technique).with(Dim::Width, width).clamped()
    };
    let message = of(problem).with(Dim::Interleave, if aes > 0 { 4 } else { 0 });
    let message = if cached { message.with(Dim::Cached, 1).with(Dim::Counter, 0) } else { message };
    let made =
        |variant: &Variant| function_for(variant, &target).unwrap_or_else(|| panic!("{name}: {variant}"));
    let is_needed = |table: &Problem| cached || problem.key_kind().1 == Some(*table);
    let table = problem.key_table().filter(is_needed).map(|table| made(&of(table)));
    FunctionSet {
        problem,
        naming: naming.at_level(name),
        cpu: None,
        message: problem.is_message().then(|| made(&message)),
        schedule: made(&of(problem.key_schedule())),
        table,
        cost: None,
    }
}

/// True if kernels run on this CPU; otherwise prints a note.
pub fn has_aes() -> bool {
    let here = targets::here().lanes() > 0;
    if !here {
        println!("skipped: this CPU has no AES instructions");
    }
    here
}

/// Returns the files of a package of these functions, or the reason why there is none.
pub fn files(set: &FunctionSet) -> Result<Vec<File>, EmitError> {
    set.package().map(|package| package.files(Form::Package))
}

pub fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("packages").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

pub fn run(folder: &Path, command: &str, arguments: &[&str]) -> String {
    let output = Command::new(command).args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|e| panic!("{command}: {e}"));
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (said(&output.stdout), said(&output.stderr));
    let shown = format!("{command} {}", arguments.join(" "));
    assert!(output.status.success(), "{shown} in {}:\n{out}{err}", folder.display());
    assert!(err.is_empty(), "{shown} in {} complains:\n{err}", folder.display());
    out
}

pub fn there_is(command: &str) -> bool {
    let there = Command::new(command).arg("--version").output().is_ok();
    if !there {
        println!("skipped: there is no {command}");
    }
    there
}

/// Builds and self-tests a package, links a user's program, and compiles the header as C++.
pub fn builds_and_passes(name: &str, files: &[File]) -> PathBuf {
    let folder = scratch(name);
    package::write(files, &folder).unwrap();
    for compiler in ["clang", "cc"].into_iter().filter(|c| there_is(c)) {
        run(&folder, "make", &["-s", "CFLAGS=-O2 -Werror", &format!("CC={compiler}")]);
        run(&folder, "make", &["-s", "clean"]);
    }
    let said = run(&folder, "make", &["-s", "check", "CFLAGS=-O2 -Werror"]);
    assert!(said.contains(" passed, 0 failed") || said.contains("skipped: this CPU"), "{said}");
    println!("{name}: {}", said.lines().last().unwrap_or_default());
    let symbol = files.iter().find_map(|f| f.name.strip_suffix(".h")).unwrap();
    let app = format!(
        "#include <{symbol}.h>\nint main(void)\n{{\n    static {symbol}_key key;\n    \
         static const uint8_t bytes[32] = {{1}};\n    if ({symbol}_supported()) {symbol}_init(&key, bytes);\n    \
         {symbol}_wipe(&key);\n    return {symbol}_kernel()[0] == 0;\n}}\n"
    );
    for (compiler, file) in [("cc", "app.c"), ("g++", "app.cpp")] {
        if there_is(compiler) {
            std::fs::write(folder.join(file), &app).unwrap();
            let library = format!("-l{symbol}");
            run(&folder, compiler, &["-Wall", "-Wextra", file, "-I.", "-L.", &library, "-o", "app"]);
            run(&folder, "./app", &[]);
        }
    }
    folder
}
