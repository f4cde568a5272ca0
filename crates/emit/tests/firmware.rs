//! Tests packages: every file but the kernels is as reviewed, C compiles under gcc and clang without warnings and
//! computes published answers, and the library is built by the processor's own tools.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::blocks::{
    MINUTE, changed, function, functions, package, package_of, preprocessed, there_is, with_variant, written,
};
use aesmith_cipher::problem::KeySize;
use aesmith_emit::Code;
use aesmith_emit::package::{Form, Package, Scope, write};
use aesmith_judge::outside::{binutils, find, step};

#[test]
fn files_are_as_reviewed() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/firmware");
    let package = package("avr", &functions("avr", &["aes128-ecb", "aes128-ecb-dec"]), Scope::Problem);
    let mut files = package.files(Form::Package);
    // Kernels change with every better variant, and are compared with GNU as elsewhere.
    files.retain(|f| !f.name.ends_with(".S") && !f.name.ends_with(".certificate.json"));
    files.retain(|f| !f.name.starts_with("LICENSE-"));
    if std::env::var_os("AESMITH_BLESS").is_some() {
        let _ = std::fs::remove_dir_all(&golden);
        write(&files, &golden).unwrap();
    }
    for file in &files {
        let reviewed = std::fs::read_to_string(golden.join(&file.name)).unwrap_or_default();
        assert!(
            reviewed == file.contents,
            "{} is not as reviewed; set AESMITH_BLESS=1, run again and look at the difference",
            file.name
        );
    }
    assert_eq!(files.len(), 9);
}

#[test]
fn c_is_clean_and_right() {
    let sets: [(&str, &[&str], Scope); 3] = [
        (
            "avr",
            &["aes128-ecb", "aes192-ecb", "aes256-ecb", "aes128-ecb-dec", "aes192-ecb-dec", "aes256-ecb-dec"],
            Scope::AnyKey,
        ),
        ("arm7tdmi", &["aes128-ctr", "aes192-cbc", "aes256-cbc-dec"], Scope::Several),
        ("cortex-m3", &["aes128-ecb", "aes128-ctr", "aes256-ecb-dec"], Scope::Several),
    ];
    for (processor, problems, scope) in sets {
        let package = package(processor, &functions(processor, problems), scope);
        let folder = written(&package.files(Form::Package));
        for compiler in ["gcc", "clang"].into_iter().filter(|compiler| there_is(compiler)) {
            let program = folder.path().join("selftest");
            let mut sources: Vec<_> = std::fs::read_dir(folder.path().join("src"))
                .unwrap()
                .map(|e| e.unwrap().path())
                .filter(|p| p.extension().is_some_and(|e| e == "c"))
                .collect();
            sources.push(folder.path().join(format!("examples/selftest/{}_selftest.c", package.name())));
            let mut build = Command::new(compiler);
            build.args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-DSELFTEST_MAIN", "-I"]);
            build.arg(folder.path().join("src")).arg("-o").arg(&program).args(&sources);
            step(&mut build, MINUTE).unwrap();
            let said = step(&mut Command::new(&program), MINUTE).unwrap();
            assert_eq!(String::from_utf8_lossy(&said.out), "ok\n", "{processor} by {compiler}");
        }
    }
}

/// Functions that share a key have one structure for it, whatever its form; the README tells how to reproduce it.
#[test]
fn several_problems_share_keys() {
    let all = functions("cortex-m3", &["aes128-ecb", "aes128-ctr", "aes256-ecb", "aes128-ecb-dec"]);
    let mine = aesmith_emit::Naming::with_prefix("mine").unwrap();
    let all: Vec<_> =
        all.into_iter().map(|f| aesmith_emit::Function { symbol: mine.apply(&f.symbol), ..f }).collect();
    let package = package("cortex-m3", &all, Scope::Several);
    assert_eq!(package.name(), "mine_aes_cortex_m3");
    let files = package.files(Form::Package);
    let header = text(&files, "src/mine_aes_cortex_m3.h");
    for declared in [
        "/* The key of mine_aes128_encrypt, mine_aes128_ctr, in the form that the code reads. */",
        "} mine_aes128_key;",
        "} mine_aes128_dec_key;",
        "} mine_aes256_key;",
        "static inline void mine_aes128_init(mine_aes128_key *key, const uint8_t *cipher_key)\n{\n    mine_aes128_expand(key->words",
        "static inline void mine_aes256_wipe(mine_aes256_key *key)",
        " * prefix mine\n",
    ] {
        assert!(header.contains(declared), "{declared}\n{header}");
    }
    assert_eq!(header.matches("_init(mine_aes128_key").count(), 1);
    let readme = text(&files, "README.md");
    let command =
        "aesmith emit aes128-ecb,aes128-ctr,aes256-ecb,aes128-ecb-dec --processor cortex-m3 --as package";
    assert!(readme.contains(command), "{readme}");
    for source in [readme, header] {
        assert_eq!(aesmith_emit::recipe::prefix(source), Some("mine"));
    }
    let recipe = readme.split("## Recipe").nth(1).unwrap();
    assert_eq!(recipe.matches("\nvariant ").count(), all.len());
}

/// README, header and assembly tell code from constants, whether secrets are left behind, and whether a search found
/// the kernel.
#[test]
fn what_a_reader_of_a_package_needs_stands_in_it() {
    let plain = functions("cortex-m3", &["aes128-ecb"]);
    let leaving = changed("cortex-m3", &["aes128-ecb"], |c| c.proof.secret_registers = vec!["r1".into()]);
    let search = "aesmith tune aes128-ecb --processor cortex-m3";
    let untuned: Vec<_> = plain.iter().map(|f| f.clone().found(false, search)).collect();
    let tuned: Vec<_> = plain.iter().map(|f| f.clone().found(true, search)).collect();
    let not_tuned = format!("NOT TUNED: the best of some variants; `{search}` looks at all.");
    let says = |functions: &[aesmith_emit::Function], words: &str| -> Vec<bool> {
        let files = package("cortex-m3", functions, Scope::Problem).files(Form::Package);
        let of = ["README.md", "src/aesmith_aes128_ecb_cortex_m3.h", "src/aesmith_aes128_encrypt.S"];
        // Lines of comments are wrapped.
        of.map(|name| text(&files, name).replace("\n *  ", "").contains(words)).to_vec()
    };
    let (no_secret, secrets) = ("Leaves no secret in registers", "May leave secrets in registers");
    for (functions, words, said) in [
        (&plain, no_secret, true),
        (&plain, secrets, false),
        (&leaving, no_secret, false),
        (&leaving, secrets, true),
        (&untuned, not_tuned.as_str(), true),
        (&tuned, "NOT TUNED", false),
        (&plain, "NOT TUNED", false),
    ] {
        assert_eq!(says(functions, words), [said; 3], "{words}");
    }
    let Code::Sections { kernel, .. } = &plain[0].code else { panic!("sections") };
    let constants = aesmith_emit::package::sizes::constants(kernel);
    assert!(constants >= 256, "a table of bytes");
    let split = format!(
        "200000 bytes of flash with all tables: {} of code and {constants} of constants",
        200_000 - constants
    );
    assert_eq!(says(&plain, &split), [true; 3], "{split}");
    let parts = package("cortex-m3", &untuned, Scope::Problem);
    assert!(parts.parts().iter().all(|part| part.tuned == Some(false)), "{:?}", parts.parts());
}

/// The commands of a package's README, one a line.
fn commands(readme: &str) -> String {
    readme.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap().to_owned()
}

/// A package of each family is built and checked by exactly the commands in its README. The assembly runs in an
/// emulator where one is installed, and a wrong answer of it is found.
#[test]
fn packages_are_built_and_checked_as_their_readme_says() {
    let sh = |script: &str, folder: &Path, more: &str| {
        let mut shell = Command::new("sh");
        let path = format!("{more}{}", std::env::var("PATH").unwrap());
        shell.current_dir(folder).env("PATH", path).args(["-e", "-c", script]);
        // Variables of the make that runs these tests must not reach the package's make.
        shell.env_remove("MAKEFLAGS").env_remove("MFLAGS").env_remove("MAKELEVEL");
        step(&mut shell, Duration::from_secs(120)).map(|said| String::from_utf8_lossy(&said.out).into_owned())
    };
    // If simavr is only installed as a library, a replacement for its program is compiled.
    let simavr = tempfile::TempDir::new().unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../processors/avr/judges/simavr/program.c");
    let mut compiler = Command::new("gcc");
    compiler.arg("-o").arg(simavr.path().join("simavr")).arg(program).args(["-lsimavr", "-lelf"]);
    let stands = find("simavr").is_none() && step(&mut compiler, MINUTE).is_ok();
    for (processor, tool, emulator) in [
        ("avr", "avr-gcc", "simavr"),
        ("avrxt", "avr-gcc", ""),
        ("arm9tdmi", "arm-none-eabi-gcc", "qemu-arm"),
        ("cortex-m0", "arm-none-eabi-gcc", "qemu-arm"),
        ("cortex-m3", "arm-none-eabi-gcc", "qemu-arm"),
        ("rv32imc", "riscv64-unknown-elf-gcc", "qemu-riscv32"),
        ("microblaze-5", "microblazeel-elf-as", ""),
        ("ppc7410", "powerpc-linux-gnu-gcc", "qemu-ppc"),
        ("ultrasparc3", "sparc64-linux-gnu-gcc", "qemu-sparc64"),
        ("spu", "spu-elf-as", ""),
        ("pentium4", "i686-linux-gnu-gcc", "qemu-i386"),
    ] {
        let core = aesmith_processors::core(processor).unwrap();
        let all: Vec<String> = KeySize::ALL.iter().map(|k| format!("aes{}-ecb", k.bits())).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let package = package(processor, &functions(processor, &all), Scope::AnyKey);
        let Some(found) = binutils(tool).filter(|_| find("make").is_some()) else {
            println!("skipped: {processor} needs make and {tool}");
            continue;
        };
        let files = package.files(Form::Package);
        let folder = written(&files);
        // Tools that were built for the tests are not in the shell's PATH.
        let place = format!("{}:{}:", simavr.path().display(), found.parent().unwrap().display());
        let commands = commands(text(&files, "README.md"));
        let said = sh(&commands, folder.path(), &place).unwrap_or_else(|e| panic!("{processor}: {e}"));
        assert!(folder.path().join(format!("lib{}.a", package.name())).is_file());
        assert!(said.contains("./selftest\nok\n"), "{processor}: {said}");
        if emulator.is_empty() {
            continue;
        }
        if find(emulator).is_none() && !(emulator == "simavr" && stands) {
            let skipped = format!("skipped: the assembly was not run, which needs {emulator}");
            assert!(said.contains(&skipped), "{said}");
            println!("skipped: the assembly of {processor} needs {emulator}");
            continue;
        }
        assert!(said.contains(&format!("ok: the assembly, in {emulator}")), "{processor}: {said}");
        // A function that does nothing.
        let symbol = |name: &str| Some(name.strip_prefix("src/")?.strip_suffix(".S")?.to_owned());
        let mut symbols = files.iter().filter_map(|file| symbol(&file.name));
        let symbol = symbols.find(|s| s.starts_with("aesmith_aes192_encrypt")).unwrap();
        let source = folder.path().join(format!("src/{symbol}.S"));
        let back = match core.name {
            "avr" | "pentium4" => "ret",
            name if name.starts_with("rv32") => "jr ra",
            _ => "bx lr",
        };
        let thumb =
            if processor.starts_with("cortex") { ".syntax unified\n.thumb\n.thumb_func\n" } else { "" };
        std::fs::write(&source, format!("{thumb}.text\n.globl {symbol}\n{symbol}:\n{back}\n")).unwrap();
        let wrong = sh(&commands, folder.path(), &place);
        assert!(wrong.is_err(), "{processor}: a function that does nothing passed: {wrong:?}");
    }
}

/// Only systems that support the processor get metadata.
#[test]
fn metadata_is_for_systems_that_have_the_processor() {
    for (processor, arduino, platformio, zephyr) in [
        ("avr", true, true, false),
        ("avrxt", true, true, false),
        ("cortex-m3", true, true, true),
        // It has table look-ups, and PlatformIO's boards with RV32 have serial flash.
        ("rv32imc", true, false, true),
        ("arm9tdmi", false, false, false),
        ("microblaze-5", false, false, false),
        ("ppc7410", false, false, false),
        ("ultrasparc3", false, false, false),
        ("spu", false, false, false),
        ("pentium4", false, false, false),
    ] {
        let files = package_of(processor, "aes128-ecb").files(Form::Package);
        let readme = text(&files, "README.md");
        for (name, word, wanted) in [
            ("library.properties", "Arduino", arduino),
            ("library.json", "PlatformIO", platformio),
            ("zephyr/module.yml", "Zephyr", zephyr),
        ] {
            assert_eq!(files.iter().any(|f| f.name == name), wanted, "{processor}: {name}");
            assert_eq!(readme.contains(word), wanted, "{processor}: {word}");
        }
    }
    let files = package_of("avr", "aes128-ecb").files(Form::Package);
    assert!(text(&files, "library.properties").contains("architectures=avr\n"));
}

#[test]
fn a_message_without_its_key_schedule_is_refused() {
    let core = aesmith_processors::core("avr").unwrap();
    let alone = vec![function("avr", "aes128-ecb".parse().unwrap(), |_| {})];
    let error = Package::of_blocks(core, &alone, Scope::Problem).err().unwrap();
    assert!(error.0.contains("no key schedule"), "{error}");
}

/// The text of the only file whose name ends with `end`.
fn text<'f>(files: &'f [aesmith_emit::package::File], end: &str) -> &'f str {
    let found: Vec<_> = files.iter().filter(|f| f.name.ends_with(end)).collect();
    assert_eq!(found.len(), 1, "{end}: {:?}", files.iter().map(|f| &f.name).collect::<Vec<_>>());
    &found[0].contents
}

#[test]
fn variable_time_stands_in_symbols_file_names_banner_and_certificate() {
    let variable = changed("arm9tdmi", &["aes128-ecb", "aes192-ecb", "aes256-ecb"], |certificate| {
        certificate.class = "VT".into();
        certificate.constant_time = "variable time: the address of `ldr` depends on secrets".into();
    });
    let package = package("arm9tdmi", &variable, Scope::AnyKey);
    assert!(package.name().ends_with("_vt"), "{}", package.name());
    let files = package.files(Form::Package);
    let assembly = text(&files, "src/aesmith_aes128_encrypt_vt.S");
    for part in ["VARIABLE TIME", "\naesmith_aes128_encrypt_vt:\n"] {
        assert!(assembly.contains(part), "{assembly}");
    }
    let certificate = text(&files, "certificates/aesmith_aes128_encrypt_vt.certificate.json");
    assert!(certificate.contains("\"class\": \"VT\""), "{certificate}");
    let header = text(&files, "_vt.h");
    for name in ["aesmith_aes128_encrypt_vt(", "aesmith_aes256_expand_vt(", "aesmith_aes_encrypt_vt("] {
        assert!(header.contains(name), "{name}");
    }
    // No function keeps a name without a key size.
    for file in files.iter().filter(|f| f.name.ends_with(".h") || f.name.ends_with(".c")) {
        assert!(!file.contents.contains("_encrypt("), "{}", file.name);
    }
}

/// A Cortex-M7 has a data cache, and runs the code of a Cortex-M4.
#[test]
fn look_ups_are_refused_where_there_may_be_a_data_cache() {
    let files = package_of("cortex-m4", "aes128-ecb").files(Form::Package);
    let manifest = text(&files, "library.json");
    for with_cortex_m7 in ["ststm32", "teensy"] {
        assert!(!manifest.contains(with_cortex_m7), "{manifest}");
    }
    assert!(text(&files, "README.md").contains("AESMITH_NO_DATA_CACHE"));
    assert!(text(&files, "Makefile").contains("-DAESMITH_NO_DATA_CACHE"));
    let constant =
        changed("cortex-m4", &["aes128-ecb"], |certificate| certificate.proof.constant_time = true);
    let everywhere = package("cortex-m4", &constant, Scope::Problem).files(Form::Package);
    assert!(text(&everywhere, "library.json").contains("ststm32"));
    assert!(!text(&everywhere, "encrypt.S").contains("AESMITH_NO_DATA_CACHE"));
    let folder = written(&files);
    let source = folder.path().join("src/aesmith_aes128_encrypt.S");
    let built =
        |defined: &[&str]| preprocessed(&source, &[&["-D__thumb__", "-D__thumb2__"], defined].concat());
    let (cortex_m3, cortex_m4_or_m7) = ("-D__ARM_ARCH_7M__", "-D__ARM_ARCH_7EM__");
    built(&[cortex_m3]).unwrap();
    let refused = built(&[cortex_m4_or_m7]).unwrap_err();
    assert!(refused.contains("only without a data cache"), "{refused}");
    built(&[cortex_m4_or_m7, "-DAESMITH_NO_DATA_CACHE"]).unwrap();
    built(&[cortex_m4_or_m7, "-D__ZEPHYR__"]).unwrap();
    built(&[cortex_m4_or_m7, "-D__ZEPHYR__", "-DCONFIG_CPU_HAS_DCACHE"]).unwrap_err();
}

/// The RP2040 has a Cortex-M0+ without a data cache, and a cache before its flash; the FE310 reads its flash through a
/// serial interface.
#[test]
fn look_ups_in_flash_are_refused_on_parts_whose_flash_is_known_to_be_uneven() {
    let built = |processor: &str, in_ram: bool, defined: &[&str]| {
        let all = match in_ram {
            true => changed(processor, &["aes128-ecb"], |c| c.proof.tables_in_ram = true),
            false => functions(processor, &["aes128-ecb"]),
        };
        let folder = written(&package(processor, &all, Scope::Problem).files(Form::Assembly));
        preprocessed(&folder.path().join("aesmith_aes128_encrypt.S"), defined)
    };
    let v6m = ["-D__thumb__", "-D__ARM_ARCH_6M__"];
    let riscv = ["-D__riscv", "-D__riscv_xlen=32", "-D__ZEPHYR__"];
    for (processor, plain, part, name) in [
        ("cortex-m0plus", &v6m[..], "-DPICO_RP2040", "the RP2040"),
        ("cortex-m0plus", &v6m[..], "-DARDUINO_ARCH_SAMD", "the SAM D21"),
        ("cortex-m0", &v6m[..], "-DSTM32L0xx", "the STM32L0"),
        ("fe310", &riscv[..], "-DCONFIG_SOC_SERIES_SIFIVE_FREEDOM_FE300", "the FE310"),
        ("rv32imc", &riscv[..], "-DESP_PLATFORM", "the ESP32-C3"),
        ("rv32imc", &riscv[..], "-DCONFIG_SOC_SERIES_QINGKE_V4F", "the CH32V20x and CH32V30x"),
    ] {
        built(processor, false, plain).unwrap();
        let with = |more: &[&'static str]| [plain, &[part], more].concat();
        let refused = built(processor, false, &with(&[])).unwrap_err();
        assert!(refused.contains("do not take the same time") && refused.contains(name), "{refused}");
        built(processor, false, &with(&["-DAESMITH_NO_DATA_CACHE"])).unwrap();
        built(processor, true, &with(&[])).unwrap();
    }
}

/// A Cortex-M3 has no SIMD instructions on bytes, which code for the Cortex-M4 may use for doubling.
#[test]
fn instructions_that_a_processor_lacks_are_refused() {
    let built = |technique: &str, defined: &[&str]| {
        let all = with_variant("cortex-m4", "aes128-ecb", &format!("technique={technique} rounds=looped"));
        let folder = written(&package("cortex-m4", &all, Scope::Problem).files(Form::Assembly));
        let plain = ["-D__thumb__", "-D__thumb2__", "-DAESMITH_NO_DATA_CACHE"];
        let source = folder.path().join("aesmith_aes128_encrypt.S");
        preprocessed(&source, &[&plain[..], defined].concat())
    };
    built("table", &[]).unwrap();
    let refused = built("bytewise", &[]).unwrap_err();
    assert!(refused.contains("uses the DSP extension, which this processor does not have"), "{refused}");
    built("bytewise", &["-D__ARM_FEATURE_DSP"]).unwrap();
}

/// `lpm` reaches 64 KiB of flash: on a processor with more, a program links only if its tables are there.
#[test]
fn tables_out_of_reach_do_not_link() {
    if !there_is("avr-gcc") {
        return;
    }
    let all = with_variant("avr", "aes128-ecb", "sbox=flash doubling=branch rounds=looped");
    let package = package("avr", &all, Scope::Problem);
    let folder = written(&package.files(Form::Assembly));
    let filler = "#include <avr/pgmspace.h>\n\
        #define FULL(n) const char n[30000] PROGMEM __attribute__((used)) = {1};\n\
        #ifndef SMALL\nFULL(a)\n#endif\n#ifdef HIGH\nFULL(b)\nFULL(c)\n#endif\n\
        void aesmith_aes128_encrypt(const void *, const unsigned char *, unsigned char *);\n\
        unsigned char block[176];\n\
        int main(void) { aesmith_aes128_encrypt(block, block, block); return block[0]; }\n";
    std::fs::write(folder.path().join("main.c"), filler).unwrap();
    let linked = |options: &[&str]| {
        let mut compiler = Command::new("avr-gcc");
        compiler.current_dir(folder.path()).args(["-Os", "-o", "out.elf", "main.c"]).args(options);
        step(compiler.arg("aesmith_aes128_encrypt.S"), MINUTE).map(|_| ())
    };
    let (big, script) = ("-mmcu=atmega2560", "aesmith_aes128_encrypt_tables.ld");
    linked(&["-mmcu=atmega328p", "-DSMALL"]).unwrap();
    let unsaid = linked(&[big]).unwrap_err();
    assert!(unsaid.contains("lpm_reaches_64_KiB__link_with_aesmith_aes128_encrypt_tables.ld"), "{unsaid}");
    linked(&[big, script]).unwrap();
    let high = linked(&[big, script, "-DHIGH"]).unwrap_err();
    assert!(high.contains("its tables lie above 64 KiB of flash, where lpm does not reach"), "{high}");
    let readme = package.files(Form::Package);
    assert!(text(&readme, "README.md").contains(script));
}

/// Encryption, decryption and their key schedules share one S-box, one inverse and one table of doubles in RAM.
#[test]
fn functions_of_a_program_share_their_tables() {
    if !there_is("avr-gcc") {
        return;
    }
    let all = functions("avr", &["aes128-ecb", "aes128-ecb-dec"]);
    let alone: u64 = all
        .iter()
        .map(|function| match &function.code {
            Code::Sections { core, kernel } => kernel.ram((core.isa)()),
            Code::Machine(_) => panic!("a kernel for firmware is sections"),
        })
        .sum();
    let folder = written(&package("avr", &all, Scope::Problem).files(Form::Assembly));
    let main = "void aesmith_aes128_encrypt(void), aesmith_aes128_decrypt(void);\n\
        void aesmith_aes128_expand(void), aesmith_aes128_expand_decrypt(void);\n\
        int main(void) { aesmith_aes128_encrypt(); aesmith_aes128_decrypt(); aesmith_aes128_expand();\n\
        aesmith_aes128_expand_decrypt(); return 0; }\n";
    std::fs::write(folder.path().join("main.c"), main).unwrap();
    let mut compiler = Command::new("avr-gcc");
    compiler.current_dir(folder.path()).args(["-mmcu=atmega328p", "-o", "out.elf", "main.c"]);
    for name in ["encrypt", "decrypt", "expand", "expand_decrypt"] {
        compiler.arg(format!("aesmith_aes128_{name}.S"));
    }
    step(&mut compiler, MINUTE).unwrap();
    let elf = std::fs::read(folder.path().join("out.elf")).unwrap();
    let file = object::File::parse(&*elf).unwrap();
    let data = object::Object::section_by_name(&file, ".data").unwrap();
    let together = object::ObjectSection::size(&data);
    assert!(alone > 1024, "{alone} bytes of tables, each function by itself");
    assert!(together <= 768, "{together} bytes of tables in a program, where {alone} stand in its functions");
}
