//! Builds for which the assembly is wrong are refused by one sentence; the right ones are built as one unit, and linked
//! by linkers other than GNU's.

mod blocks;

use aesmith_emit::package::{Form, Scope, write};
use aesmith_emit::{Function, assembly};
use aesmith_judge::outside::step;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;
use blocks::{MINUTE, functions, package, package_of, there_is};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes the assembly files of a processor's package into a folder.
fn sources(processor: &str, problems: &[&str], folder: &Path) -> Vec<PathBuf> {
    let package = package(processor, &functions(processor, problems), Scope::Problem);
    write(&package.files(Form::Assembly), folder).unwrap();
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == "S")).collect()
}

/// The compiler and the options of a build.
fn compiler(build: &str) -> Command {
    let mut words = build.split(' ');
    let mut compiler = Command::new(words.next().unwrap());
    compiler.args(words).arg("-DAESMITH_NO_DATA_CACHE");
    compiler
}

/// True if the compiler of a build is installed; otherwise prints a note.
fn has(build: &str) -> bool {
    there_is(build.split(' ').next().unwrap())
}

/// Returns the errors of a build; `None` if it succeeds.
fn errors(build: &str, file: &Path) -> Option<Vec<String>> {
    let said = step(compiler(build).args(["-c", "-o", "/dev/null"]).arg(file), MINUTE).err()?;
    let is_error = |line: &&str| line.contains("rror: ") || line.contains("rror:\t");
    Some(said.lines().filter(is_error).map(str::to_owned).collect())
}

/// Checks that a file is refused by one sentence that contains `words`.
fn refused(build: &str, file: &Path, words: &str) {
    if !has(build) {
        return;
    }
    let errors = errors(build, file).unwrap_or_else(|| panic!("{build} assembles {}", file.display()));
    assert_eq!(errors.len(), 1, "{build}: {errors:#?}");
    assert!(errors[0].contains(words), "{build}: {errors:#?}");
}

/// Checks that a file can be linked to a shared object without text relocations.
fn shared(build: &str, file: &Path) {
    let mut compiler = compiler(build);
    compiler.args(["-nostdlib", "-shared", "-Wl,-z,text", "-o"]).arg(file.with_extension("so")).arg(file);
    step(&mut compiler, MINUTE).unwrap_or_else(|e| panic!("{build}: {e}"));
}

#[test]
fn builds_of_another_kind_are_refused_by_one_sentence() {
    const CASES: &[(&str, &str, &str)] = &[
        ("avr", "avr-gcc -mmcu=attiny10", "AVRrc"),
        ("avr", "avr-gcc -mmcu=at90s8515", "without movw"),
        ("avr", "avr-gcc -mmcu=attiny26", "without movw"),
        ("avrxt", "avr-gcc -mmcu=atmega328p", "before AVRxm"),
        ("avrxt", "avr-gcc -mmcu=attiny10", "AVRrc"),
        ("arm7tdmi", "arm-none-eabi-gcc -mcpu=arm7tdmi -mbig-endian", "big-endian"),
        ("arm7tdmi", "arm-none-eabi-gcc -mcpu=arm7tdmi -fPIC", "-fPIC"),
        ("arm7tdmi", "clang --target=armv4t-none-eabi -mbig-endian", "big-endian"),
        ("cortex-m0", "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -mbig-endian", "big-endian"),
        ("cortex-m0", "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -fPIC", "-fPIC"),
        ("cortex-m3", "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -mbig-endian", "big-endian"),
        ("cortex-m3", "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -fPIC", "-fPIC"),
        ("cortex-m3", "clang --target=thumbv7m-none-eabi -fropi -frwpi", "moved at run time"),
        ("cortex-m3", "clang --target=thumbv7-pc-windows-msvc", "Windows"),
        ("rv32imc", "riscv64-unknown-elf-gcc -march=rv32ec -mabi=ilp32e", "RV32E"),
        ("rv32imc", "riscv64-unknown-elf-gcc -march=rv64imc -mabi=lp64", "another width"),
        ("rv32i", "riscv64-unknown-elf-gcc -march=rv32e -mabi=ilp32e", "RV32E"),
        (
            "rv32-zkn",
            "riscv64-unknown-elf-gcc -march=rv32i -mabi=ilp32",
            "which this processor does not have",
        ),
        ("ppc7410", "powerpc-linux-gnu-gcc -mlittle", "little-endian"),
        ("ppc7410", "powerpc-linux-gnu-gcc -m64", "64 bits"),
        ("ppc7410", "powerpc-linux-gnu-gcc -fPIC", "-fPIC"),
        ("ppc7410", "clang --target=powerpc-ibm-aix", "XCOFF"),
        ("ultrasparc3", "sparc64-linux-gnu-gcc -m32", "32 bits"),
        ("ultrasparc3", "sparc64-linux-gnu-gcc -fPIC", "-fPIC"),
        ("pentium4", "gcc", "this build is for x86-64"),
        ("pentium4", "gcc -mx32", "x32"),
        ("pentium4", "i686-linux-gnu-gcc -fPIC", "-fPIC"),
        ("pentium4", "clang --target=i686-pc-windows-gnu", "Windows"),
        ("microblaze-5", "gcc -E -undef -D__MICROBLAZE__ -D__MICROBLAZEEB__", "big-endian"),
    ];
    for (processor, build, words) in CASES {
        let folder = tempfile::TempDir::new().unwrap();
        for file in sources(processor, &["aes128-ecb"], folder.path()) {
            if *words == "-fPIC" && has(build) && errors(build, &file).is_none() {
                // Code without addresses may be moved.
                shared(build, &file);
            } else {
                refused(build, &file, words);
            }
        }
    }
}

#[test]
fn builds_of_x86_64_of_another_kind_are_refused_by_one_sentence() {
    let kernel =
        build(&aesmith_x86::dimensions::variant("aes128-ecb width=xmm").unwrap(), &targets::ALL).unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("kernel.S");
    std::fs::write(&file, assembly::file(&[Function::new(&kernel)]).unwrap()).unwrap();
    for (build, words) in [
        ("gcc -mx32", "x32"),
        ("gcc -m32", "another processor"),
        ("clang --target=x86_64-w64-windows-gnu", "Windows"),
        ("clang --target=x86_64-pc-windows-msvc", "Windows"),
        ("clang --target=x86_64-apple-macos11", "Mach-O"),
        ("clang --target=x86_64-unknown-uefi", "object format"),
        ("clang --target=aarch64-linux-gnu", "another processor"),
        ("x86_64-w64-mingw32-gcc", "Windows"),
    ] {
        refused(build, &file, words);
    }
    assert_eq!(errors("gcc", &file), None);
    assert_eq!(errors("clang --target=x86_64-linux-gnu", &file), None);
}

/// Projects join all assembly to one unit.
#[test]
fn all_assembly_of_a_package_is_one_unit() {
    for (processor, compiler) in [
        ("avr", "avr-gcc -mmcu=atmega328p"),
        ("arm9tdmi", "arm-none-eabi-gcc -mcpu=arm9tdmi -marm"),
        ("cortex-m0", "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb"),
        ("cortex-m3", "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb"),
        ("rv32imc", "riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32"),
        ("ppc7410", "powerpc-linux-gnu-gcc"),
        ("ppc7450", "powerpc-linux-gnu-gcc"),
        ("ultrasparc3", "sparc64-linux-gnu-gcc"),
        ("pentium4", "i686-linux-gnu-gcc"),
    ] {
        if !has(compiler) {
            continue;
        }
        let folder = tempfile::TempDir::new().unwrap();
        let files =
            sources(processor, &["aes128-ecb", "aes128-ecb-dec", "aes256-ctr", "aes192-cbc"], folder.path());
        let all: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let unit = folder.path().join("unit.S");
        std::fs::write(&unit, all).unwrap();
        assert_eq!(errors(compiler, &unit), None, "{processor}: {} files", files.len());
    }
}

/// LLVM's linker refuses sections that are both mergeable and writable; rust-lld is the one in Rust toolchains.
#[test]
fn lld_links_what_gnu_ld_links() {
    let root = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let root = PathBuf::from(String::from_utf8(root.stdout).unwrap().trim());
    let lld = root.join("lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld");
    if !lld.is_file() {
        return println!("skipped: there is no {}", lld.display());
    }
    for (processor, build) in [
        ("cortex-m0", "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb"),
        ("cortex-m3", "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb"),
        ("cortex-m33", "arm-none-eabi-gcc -mcpu=cortex-m33 -mthumb"),
        ("arm9tdmi", "arm-none-eabi-gcc -mcpu=arm9tdmi -marm"),
        ("avr", "avr-gcc -mmcu=atmega328p"),
        ("rv32imc", "riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32"),
        ("ppc7410", "powerpc-linux-gnu-gcc"),
        ("pentium4", "i686-linux-gnu-gcc"),
    ] {
        if !has(build) {
            continue;
        }
        let folder = tempfile::TempDir::new().unwrap();
        let mut linker = Command::new(&lld);
        linker
            .args(["-flavor", "gnu", "-e", "aesmith_aes128_encrypt", "-o"])
            .arg(folder.path().join("out.elf"));
        for file in sources(processor, &["aes128-ecb", "aes128-ecb-dec"], folder.path()) {
            let object = file.with_extension("o");
            step(compiler(build).args(["-c", "-o"]).arg(&object).arg(&file), MINUTE).unwrap();
            linker.arg(object);
        }
        step(&mut linker, MINUTE).unwrap_or_else(|e| panic!("{processor}: {e}"));
    }
}

/// The README's statement on position-independent programs is true: the loader writes code with table addresses there,
/// and in no other program.
#[test]
fn programs_at_any_address_are_as_their_readme_says() {
    for (processor, build) in [
        ("pentium4", "i686-linux-gnu-gcc"),
        ("ppc7410", "powerpc-linux-gnu-gcc"),
        ("ultrasparc3", "sparc64-linux-gnu-gcc"),
    ] {
        if !has(build) {
            continue;
        }
        let folder = tempfile::TempDir::new().unwrap();
        let files = package_of(processor, "aes128-ecb").files(Form::Package);
        let readme = &files.iter().find(|file| file.name == "README.md").unwrap().contents;
        let sources = sources(processor, &["aes128-ecb"], folder.path());
        let links = |how: &[&str]| {
            let mut linker = compiler(build);
            linker.args(["-nostdlib", "-Wl,-e,aesmith_aes128_encrypt,-z,text", "-o"]);
            step(linker.arg(folder.path().join("program")).args(how).args(&sources), MINUTE).is_ok()
        };
        assert!(links(&["-no-pie"]), "{processor}");
        let is_refused = !links(&["-pie"]);
        assert_eq!(readme.contains("`-no-pie`"), is_refused, "{processor}: what `-z text` refuses\n{readme}");
    }
}
