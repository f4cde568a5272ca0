//! Several packages for firmware in one program: packages with different prefixes link, equal parts occur once, and key
//! schedules of one name with keys of different forms are never confused.

use crate::blocks::{MINUTE, function, functions, package, there_is};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Packing;
use aesmith_emit::package::{Form, Package, Scope, write};
use aesmith_emit::{Code, Function, Naming, schedule_of};
use aesmith_judge::outside::step;
use std::path::Path;
use std::process::Command;

/// Maximum number of variants that are built to find one with keys of another form.
const MOST: usize = 40;

/// Families with a compiler of their own.
const PROCESSORS: [(&str, &str); 6] = [
    ("avr", "avr-gcc"),
    ("cortex-m3", "arm-none-eabi-gcc"),
    ("rv32imc", "riscv64-unknown-elf-gcc"),
    ("ppc7410", "powerpc-linux-gnu-gcc"),
    ("ultrasparc3", "sparc64-linux-gnu-gcc"),
    ("pentium4", "i686-linux-gnu-gcc"),
];

/// Returns the library of a package, made by its Makefile in a folder of its name.
fn library(package: &Package, place: &Path) -> Result<String, String> {
    let folder = place.join(package.name());
    write(&package.files(Form::Package), &folder).unwrap();
    let mut make = Command::new("make");
    make.arg("-C").arg(&folder).env_remove("MAKEFLAGS").env_remove("MFLAGS").env_remove("MAKELEVEL");
    step(&mut make, MINUTE)?;
    Ok(folder.join(format!("lib{}.a", package.name())).display().to_string())
}

/// Links a program that calls these functions with these libraries.
fn program(
    compiler: &str,
    core: &str,
    place: &Path,
    calls: &[&str],
    libraries: &[String],
) -> Result<(), String> {
    let declared: String = calls.iter().map(|call| format!("void {call}(void);\n")).collect();
    let called: String = calls.iter().map(|call| format!("    {call}();\n")).collect();
    let main = place.join("main.c");
    std::fs::write(&main, format!("{declared}int main(void)\n{{\n{called}    return 0;\n}}\n")).unwrap();
    let gnu = aesmith_processors::core(core).unwrap().gnu();
    let mut link = Command::new(compiler);
    link.args(gnu.flags.split_whitespace()).args(["-nostdlib", "-nostartfiles", "-Wl,-e,main", "-o"]);
    link.arg(place.join("program.elf")).arg(&main).args(libraries).args(libraries).arg("-lgcc");
    step(&mut link, MINUTE).map(|_| ())
}

fn named(functions: Vec<Function>, prefix: &str) -> Vec<Function> {
    let naming = Naming::with_prefix(prefix).unwrap();
    functions.into_iter().map(|f| Function { symbol: naming.apply(&f.symbol), ..f }).collect()
}

#[test]
fn packages_with_prefixes_of_their_own_link() {
    for (processor, compiler) in PROCESSORS {
        if !there_is(compiler) {
            continue;
        }
        let place = tempfile::TempDir::new().unwrap();
        let of = |prefix: &str| {
            let functions = named(functions(processor, &["aes128-ecb"]), prefix);
            library(&package(processor, &functions, Scope::Problem), place.path()).unwrap()
        };
        let libraries = [of("one"), of("other")];
        let calls =
            ["one_aes128_encrypt", "other_aes128_encrypt", "one_aes128_expand", "other_aes128_expand"];
        program(compiler, processor, place.path(), &calls, &libraries)
            .unwrap_or_else(|e| panic!("{processor}: {e}"));
        // Zephyr links every member of a library.
        whole(compiler, processor, place.path(), &libraries).unwrap_or_else(|e| panic!("{processor}: {e}"));
    }
}

/// Links a program with all members of these libraries.
fn whole(compiler: &str, core: &str, place: &Path, libraries: &[String]) -> Result<(), String> {
    let main = place.join("empty.c");
    std::fs::write(&main, "int main(void)\n{\n    return 0;\n}\n").unwrap();
    let gnu = aesmith_processors::core(core).unwrap().gnu();
    let mut link = Command::new(compiler);
    link.args(gnu.flags.split_whitespace()).args(["-nostdlib", "-nostartfiles", "-Wl,-e,main", "-o"]);
    link.arg(place.join("whole.elf")).arg(&main).arg("-Wl,--whole-archive").args(libraries);
    step(link.args(["-Wl,--no-whole-archive", "-lgcc"]), MINUTE).map(|_| ())
}

/// Two packages with one name for their key schedules are no whole program, as their README and the quick start say: one
/// package of both is.
#[test]
fn whole_libraries_with_a_function_of_one_name_do_not_link() {
    let (processor, compiler) = PROCESSORS[1];
    if !there_is(compiler) {
        return;
    }
    let place = tempfile::TempDir::new().unwrap();
    let of = |problems: &[&str], scope: Scope| {
        let package = package(processor, &functions(processor, problems), scope);
        assert!(package.files(Form::Package).iter().any(|file| {
            file.name == "README.md" && file.contents.contains("links every member of a library")
        }));
        library(&package, place.path()).unwrap()
    };
    let libraries = [of(&["aes128-ecb"], Scope::Problem), of(&["aes128-ctr"], Scope::Problem)];
    let why = whole(compiler, processor, place.path(), &libraries).unwrap_err();
    assert!(why.contains("multiple definition of") && why.contains("aesmith_aes128_expand"), "{why}");
    let both = [of(&["aes128-ecb", "aes128-ctr"], Scope::Several)];
    whole(compiler, processor, place.path(), &both).unwrap();
}

/// Returns a function of a problem and its key schedule, from the first variant with keys of the given form (`same`) or
/// of another form.
fn with_form(processor: &str, problem: &str, form: Packing, same: bool) -> Option<Vec<Function>> {
    let core = aesmith_processors::core(processor).unwrap();
    let built = |problem: Problem, wanted: &dyn Fn(Packing) -> bool| {
        let all = core.table.all(problem).into_iter().take(MOST);
        let kernel = all.filter_map(|v| (core.build)(&v).ok()).find(|k| wanted(k.contract.packing))?;
        let code = Code::Sections { core, kernel };
        Some(Function { code, ..function(processor, problem, |_| {}) })
    };
    let message =
        built(problem.parse().unwrap(), &|p| p != Packing::CipherKey && (p.written() == form) == same)?;
    let Code::Sections { kernel, .. } = &message.code else { return None };
    let (schedule, written) = schedule_of(&kernel.contract)?;
    let schedule = built(schedule, &|p| p == written)?;
    Some(vec![message, schedule])
}

/// Compiles a file that includes the headers beside two libraries.
fn both_headers(compiler: &str, libraries: &[String; 2], same: bool) {
    let mut text = String::new();
    let mut check = Command::new(compiler);
    check.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fsyntax-only"]);
    for library in libraries {
        let folder = Path::new(library).parent().unwrap();
        check.arg("-I").arg(folder.join("src"));
        text += &format!("#include \"{}.h\"\n", folder.file_name().unwrap().to_str().unwrap());
    }
    let file = Path::new(&libraries[0]).with_file_name("both.c");
    std::fs::write(&file, text).unwrap();
    check.arg(&file);
    match step(&mut check, MINUTE) {
        Ok(_) => assert!(same, "{compiler}: keys of two forms under one name"),
        Err(why) => assert!(!same && why.contains("round keys of another form"), "{compiler}: {why}"),
    }
}

#[test]
fn key_schedules_of_one_name_and_two_forms_are_never_mixed_up() {
    let mut tried = 0;
    for (processor, compiler) in PROCESSORS {
        if !there_is(compiler) {
            continue;
        }
        let first = functions(processor, &["aes128-ecb"]);
        let Code::Sections { kernel, .. } = &first[0].code else { panic!("sections") };
        let form = kernel.contract.packing.written();
        for same in [true, false] {
            let Some(second) = with_form(processor, "aes128-ctr", form, same) else { continue };
            tried += usize::from(!same);
            let place = tempfile::TempDir::new().unwrap();
            let of = |functions: &[Function]| {
                library(&package(processor, functions, Scope::Problem), place.path()).unwrap()
            };
            let libraries = [of(&first), of(&second)];
            both_headers(compiler, &libraries, same);
            let calls = ["aesmith_aes128_encrypt", "aesmith_aes128_ctr", "aesmith_aes128_expand"];
            let linked = program(compiler, processor, place.path(), &calls, &libraries);
            match same {
                // One schedule serves both.
                true => linked.unwrap_or_else(|e| panic!("{processor}: {e}")),
                false => {
                    let why = linked.expect_err(processor);
                    assert!(why.contains("multiple definition of"), "{processor}: {why}");
                    assert!(why.contains("aesmith_aes128_expand"), "{processor}: {why}");
                }
            }
            // A function by itself links with round keys that were made before.
            program(compiler, processor, place.path(), &calls[..1], &libraries[..1])
                .unwrap_or_else(|e| panic!("{processor}: {e}"));
        }
    }
    assert!(tried > 0, "no processor has counter mode with keys of another form");
}
