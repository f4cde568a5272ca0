//! Builds for which the assembly is wrong are refused by one sentence; the right ones are built as one unit, and linked
//! by linkers other than GNU's.

use crate::blocks::{MINUTE, functions, package, package_of, there_is};
use aesmith_emit::package::{Form, Scope, write};
use aesmith_emit::{Function, assembly};
use aesmith_judge::outside::step;
use aesmith_processor::gnu::{NOT_ELF, SHARED};
use aesmith_x86::kernels::build;
use aesmith_x86::targets;
use std::collections::BTreeSet;
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
    // SSE instructions that the assembler encodes as AVX are other bytes, and fault on CPUs without AVX.
    let aesni = targets::of(aesmith_x86::requirements::REQUIREMENTS.level("aesni").unwrap());
    let kernel = build(&aesmith_x86::dimensions::variant("aes128-ecb width=xmm").unwrap(), &aesni).unwrap();
    std::fs::write(&file, assembly::file(&[Function::new(&kernel)]).unwrap()).unwrap();
    assert_eq!(errors("gcc", &file), None);
    refused("gcc -Wa,-msse2avx", &file, "encodes SSE as AVX (-msse2avx)");
}

/// Assemblers that insert bytes stop behind the first function, where the proved bytes end.
#[test]
fn bytes_that_assemblers_insert_stop_the_build() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("kernel.S");
    for (variant, level) in [("aes128-ctr width=xmm", "aesni"), ("aes128-ecb width=ymm", "avx2-vaes")] {
        let target = targets::of(aesmith_x86::requirements::REQUIREMENTS.level(level).unwrap());
        let kernel = build(&aesmith_x86::dimensions::variant(variant).unwrap(), &target).unwrap();
        std::fs::write(&file, assembly::file(&[Function::new(&kernel)]).unwrap()).unwrap();
        assert_eq!(errors("gcc", &file), None, "{variant}");
        for options in
            ["-mbranches-within-32B-boundaries", "-mlfence-after-load=yes", "-mlfence-before-ret=shl"]
        {
            let said = errors(&format!("gcc -Wa,{options}"), &file);
            let said = said.unwrap_or_else(|| panic!("{variant}: {options} is taken"));
            assert!(said.iter().any(|line| line.contains(".org")), "{variant}: {options}: {said:#?}");
        }
    }
}

/// Changes that make a right build a wrong one, by the words for the wrong one: options of the preprocessor beside those of the
/// right build.
const WRONG: &[(&str, &[&str])] = &[
    (NOT_ELF.what, &["-U__ELF__"]),
    (SHARED.what, &["-D__PIC__=2"]),
    ("big-endian ARM", &["-D__ARMEB__"]),
    ("a convention before the AAPCS", &["-U__ARM_EABI__"]),
    ("code and data that are moved at run time (-fropi, -frwpi, -mfdpic)", &["-D__ARM_RWPI"]),
    ("a core of 16 registers (AVRrc: ATtiny4 to ATtiny40)", &["-D__AVR_TINY__"]),
    ("a core without movw and lpm of any register", &["-U__AVR_HAVE_LPMX__"]),
    ("an AVR before AVRxm and AVRxt", &["-U__AVR_XMEGA__"]),
    ("x86-64 with pointers of 32 bits (x32)", &["-U__i386__", "-D__x86_64__", "-D__ILP32__"]),
    ("x86-64", &["-U__i386__", "-D__x86_64__"]),
    ("the convention of Intel's MCUs, which passes arguments in registers", &["-D__iamcu__"]),
    ("PowerPC of 64 bits", &["-D__powerpc64__"]),
    ("little-endian PowerPC", &["-D__LITTLE_ENDIAN__"]),
    ("RISC-V of another width", &["-U__riscv_xlen", "-D__riscv_xlen=64"]),
    ("RV32E, which has 16 registers, or its convention", &["-D__riscv_abi_rve"]),
    ("big-endian RISC-V", &["-D__ORDER_LITTLE_ENDIAN__=1234", "-D__BYTE_ORDER__=4321"]),
    ("SPARC of 32 bits", &["-U__arch64__"]),
    ("little-endian SPARC", &["-D__ORDER_BIG_ENDIAN__=4321", "-D__BYTE_ORDER__=1234"]),
    ("big-endian MicroBlaze", &["-D__MICROBLAZEEB__"]),
    ("MicroBlaze of 64 bits", &["-D__arch64__"]),
];

/// Every wrong build of a family's record is refused, also where no compiler for it is at hand: by the preprocessor.
#[test]
fn every_wrong_build_of_a_record_is_refused() {
    if !has("gcc") {
        return;
    }
    let mut seen = Vec::new();
    let (mut moved, mut used) = (BTreeSet::new(), BTreeSet::new());
    for core in aesmith_processors::cores() {
        let builds = core.gnu().builds;
        if seen.contains(&builds) {
            continue;
        }
        seen.push(builds);
        let folder = tempfile::TempDir::new().unwrap();
        let file = sources(core.name, &["aes128-ecb"], folder.path()).remove(0);
        let text = std::fs::read_to_string(&file).unwrap();
        let right: Vec<String> = builds.defines.iter().map(|defined| format!("-D{defined}")).collect();
        let said = |wrong: &[&str]| {
            let mut options: Vec<&str> = vec!["gcc -E -undef"];
            options.extend(right.iter().map(String::as_str));
            options.extend(wrong);
            errors(&options.join(" "), &file)
        };
        assert_eq!(said(&[]), None, "{}: the right build", core.name);
        for (what, always) in builds
            .wrong
            .iter()
            .map(|wrong| (wrong.what, true))
            .chain(builds.wrong_with_addresses.iter().map(|wrong| (wrong.what, false)))
        {
            let row = WRONG.iter().find(|(words, _)| *words == what);
            let (_, options) = row.unwrap_or_else(|| panic!("{}: WRONG has no row `{what}`", core.name));
            used.insert(what);
            // Code without addresses may be moved.
            if !always && !text.contains(what) {
                continue;
            }
            moved.extend((!always).then_some(what));
            let errors = said(options).unwrap_or_else(|| panic!("{}: {what} is taken", core.name));
            assert_eq!(errors.len(), 1, "{}: {what}: {errors:#?}", core.name);
            assert!(errors[0].contains(&format!("this build is for {what}")), "{}: {errors:#?}", core.name);
        }
    }
    assert_eq!(used.len(), WRONG.len(), "a row is of no record");
    assert!(moved.contains(SHARED.what), "no code has addresses");
}

/// Where assembly that holds addresses refuses to be built, it names C that can be: that of a package is empty for its own
/// processor, that of `--as c` never is.
#[test]
fn c_is_for_builds_that_assembly_with_addresses_refuses() {
    let build = "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -fPIC";
    if !has(build) {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let said: Vec<String> = sources("cortex-m3", &["aes128-ecb"], folder.path())
        .iter()
        .filter_map(|file| errors(build, file))
        .flatten()
        .collect();
    assert!(said.iter().any(|line| line.contains("emit C (--as c)")), "{said:#?}");
    let package = package("cortex-m3", &functions("cortex-m3", &["aes128-ecb"]), Scope::Problem);
    write(&package.files(Form::C), folder.path()).unwrap();
    let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    let file = files.into_iter().find(|path| path.extension().is_some_and(|e| e == "c")).unwrap();
    let object = file.with_extension("o");
    step(compiler(build).arg("-ffreestanding").arg("-c").arg("-o").arg(&object).arg(&file), MINUTE).unwrap();
    let names = step(Command::new("arm-none-eabi-nm").arg(&object), MINUTE).unwrap();
    let names = String::from_utf8_lossy(&names.out).into_owned();
    assert!(names.contains(" T aesmith_aes128_encrypt"), "{names}");
}

/// Unused functions go, and those that a program calls stay, where its C is optimized when it is linked.
#[test]
fn linkers_that_drop_sections_keep_what_is_called() {
    for (processor, build) in [
        ("avr", "avr-gcc -mmcu=atmega328p"),
        ("cortex-m3", "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb"),
        ("rv32imc", "riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32"),
        ("pentium4", "i686-linux-gnu-gcc -no-pie"),
    ] {
        if !has(build) {
            continue;
        }
        let folder = tempfile::TempDir::new().unwrap();
        let mut compiler = compiler(build);
        compiler.args(["-Os", "-flto", "-nostdlib", "-nostartfiles", "-Wl,--gc-sections,-e,main", "-o"]);
        compiler.arg(folder.path().join("program")).args(sources(
            processor,
            &["aes128-ecb", "aes128-ecb-dec"],
            folder.path(),
        ));
        let main = folder.path().join("main.c");
        std::fs::write(&main, "void aesmith_aes128_encrypt(void);\nint main(void)\n{\n    aesmith_aes128_encrypt();\n    return 0;\n}\n")
            .unwrap();
        step(compiler.arg(&main).arg("-lgcc"), MINUTE).unwrap_or_else(|e| panic!("{processor}: {e}"));
        let nm = format!("{}nm", aesmith_processors::core(processor).unwrap().gnu().prefix);
        let said = step(Command::new(nm).arg(folder.path().join("program")), MINUTE).unwrap();
        let names = String::from_utf8_lossy(&said.out).into_owned();
        let has = |name: &str| names.lines().any(|line| line.ends_with(&format!(" {name}")));
        assert!(has("aesmith_aes128_encrypt"), "{processor}: {names}");
        assert!(!has("aesmith_aes128_decrypt"), "{processor}: {names}");
    }
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
        ("cortex-m3", "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb"),
        ("arm9tdmi", "arm-none-eabi-gcc -mcpu=arm9tdmi -marm"),
        ("rv32imc", "riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32"),
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
        let told = readme.contains("`-no-pie`");
        // This linker makes no position-independent programs at all.
        let never = processor.starts_with("rv32");
        assert!(told == is_refused || never && is_refused, "{processor}: what `-z text` refuses\n{readme}");
    }
    // A family whose code may hold addresses has a sentence on such programs, and only such a family.
    for core in aesmith_processors::cores() {
        let gnu = core.gnu();
        assert_eq!(gnu.builds.wrong_with_addresses.is_empty(), gnu.pie.is_none(), "{}", core.name);
    }
}
