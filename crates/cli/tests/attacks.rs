//! Linkers, loaders and assemblers make of a file exactly the code that `verify` proves, or it refuses the file and
//! says why. The files are made of a package that is built here; changes of its assembly are cases of `altered.rs`.

mod files;

use crate::support::{Place, Said, has, has_aes};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The name of the attacked kernel, with which the names of its parts begin.
const N: &str = "aesmith_aes128_ctr_avx_aesni";

/// Emits a package and returns the assembly of its kernel, which is attacked.
fn package(place: &Place) -> Option<String> {
    if !has_aes() || !has(&["as", "cc", "ar"]) {
        return None;
    }
    let variants = "aes128-ctr width=xmm keys=0x07ff interleave=2\naes128-key schedule=aesenclast\n";
    place.write("variants", variants);
    place.ok("emit aes128-ctr --as package --cpu avx-aesni -o of --variant variants");
    let text = place.read(format!("of/{N}.S"));
    assert!(text.contains("\tvaesenclast"), "the attacks are of this instruction");
    Some(text)
}

fn tool(folder: &Path, program: &str, arguments: &[&str]) {
    let said = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    let (shown, errors) = (folder.display(), String::from_utf8_lossy(&said.stderr));
    assert!(said.status.success(), "{shown}: {program} {arguments:?}: {errors}");
}

/// Archives, linked files and objects that no compiler makes, and those that other linkers and `strip` make.
#[test]
fn crafted_files_are_refused_and_right_ones_accepted() {
    let place = Place::new("files");
    let Some(text) = package(&place) else { return };
    files::check(&place, &text);
}

/// If the loader's data and the sections of a shared object disagree, the loader's data count.
#[test]
fn what_only_the_loader_reads_is_what_is_proved() {
    let place = Place::new("loader");
    let Some(text) = package(&place) else { return };
    place.write("kernel.S", text);
    tool(&place.path(""), "cc", &["-shared", "-nostdlib", "-O2", "-o", "kernel.so", "kernel.S"]);
    place.ok("verify kernel.so");
    let good = fs::read(place.path("kernel.so")).unwrap();
    let word = |at: usize| u64::from_le_bytes(good[at..at + 8].try_into().unwrap()) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes([good[at], good[at + 1]]));
    let segments: Vec<usize> = (0..half(56)).map(|i| word(32) + 56 * i).collect();
    let load = |flags: u8| *segments.iter().find(|&&at| good[at] == 1 && good[at + 4] == flags).unwrap();
    let code = load(5);
    let stack = *segments.iter().find(|&&at| good[at..at + 4] == 0x6474_e551u32.to_le_bytes()).unwrap();
    let sections: Vec<usize> = (0..half(60)).map(|i| word(40) + 64 * i).collect();
    let dynamic_symbols = *sections.iter().find(|&&at| good[at + 4] == 11).unwrap();
    let table = word(dynamic_symbols + 24);
    let exported = (table + 24..table + word(dynamic_symbols + 32)).step_by(24);
    let function = exported.into_iter().find(|at| good[at + 4] & 15 == 2 && word(at + 16) > 600).unwrap();
    let verify = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        place.write(name, bytes);
        let said = place.run(&format!("verify {name}"));
        (said.code, said.all())
    };
    assert_eq!(verify("same.so", &|_| {}).0, 0);
    for (name, change, why) in [
        ("writable.so", &(|b: &mut Vec<u8>| b[code + 4] |= 2) as &dyn Fn(&mut Vec<u8>), "may be written"),
        ("not-run.so", &|b| b[code + 4] = 4, "may not be run"),
        ("elsewhere.so", &|b| b[code + 9] ^= 0x10, "not"),
        ("over.so", &|b| b.copy_within(code..code + 56, stack), "segment"),
        ("symbol.so", &|b| b[function + 8] ^= 64, "NOT PROVED"),
        ("weak.so", &|b| b[function + 4] = 0x22, "is weak"),
        ("core.so", &|b| b[16] = 4, "neither an object nor linked"),
        ("class.so", &|b| b[4] = 1, "no ELF object of 32 bits"),
        ("big-endian.so", &|b| b[5] = 2, "another kind"),
    ] {
        let (code, said) = verify(name, change);
        assert!(code == 3 && said.contains(why), "{name}: {code}: {said}");
    }
}

/// Environment variables that `make` would use are used, and without a compiler nothing is proved.
#[test]
fn assembly_is_built_as_the_makefile_builds_it() {
    let place = Place::new("as-made");
    if package(&place).is_none() {
        return;
    }
    let file = format!("of/{N}.S");
    let run = |variable: &str, value: &str| -> Said {
        place.command(&format!("verify {file}")).env(variable, value).output().unwrap().into()
    };
    assert_eq!(run("CPPFLAGS", "-DUNUSED=1").code, 0);
    let refused = run("CPPFLAGS", "-Dvaesenclast=vaesenc");
    assert_eq!(refused.code, 3, "{}", refused.out);
    let none = run("CC", "no-such-compiler");
    assert_eq!(none.code, 1, "{}", none.out);
    assert!(none.err.contains("Makefile") && none.err.contains("no-such-compiler"), "{}", none.err);
    // Variables that make reads beside the Makefile.
    for (variable, value, why) in [
        ("GNUMAKEFLAGS", "--eval=OBJECTS:=evil.o", "GNUMAKEFLAGS gives make other options"),
        ("MAKEFLAGS", "e", "MAKEFLAGS has `e`"),
        ("MAKEFLAGS", "--eval=CC:=evil", "MAKEFLAGS has `--eval=CC:=evil`"),
        ("MAKEFLAGS", "-Einclude\\ evil.mk", "MAKEFLAGS has `-Einclude evil.mk`"),
        ("MAKEFLAGS", "-- OBJECTS=evil.o", "MAKEFLAGS sets variables"),
        ("VPATH", "/tmp", "VPATH names other folders"),
        ("GPATH", "/tmp", "GPATH names other folders"),
        (".SHELLFLAGS", "-c :;", ".SHELLFLAGS is a variable of make's own"),
    ] {
        let refused = run(variable, value);
        assert!(refused.code == 3 && refused.all().contains(why), "{variable}={value}: {}", refused.all());
    }
    let taken = run("MAKEFLAGS", "kw -j4 --jobserver-auth=3,4 --no-print-directory");
    assert_eq!(taken.code, 0, "{}", taken.all());
    // A compiler that assembles by itself has any name.
    if has(&["clang"]) {
        let clang = run("CC", "env clang");
        assert_eq!(clang.code, 0, "{}", clang.all());
    }
    // A pipe to the assembler hides no text from it.
    assert_eq!(run("CFLAGS", "-O2 -pipe").code, 0);
    // An assembler that does not end is stopped, and a file that is too large is not made.
    place.write("huge.S", "\t.text\n\t.fill 1 << 40\n");
    place.refused("verify huge.S", 3, "");
}

/// Functions that are not proved are listed, in text and as JSON.
#[test]
fn what_is_not_proved_is_listed() {
    let place = Place::new("listed");
    if package(&place).is_none() {
        return;
    }
    tool(&place.path("of"), "make", &["-s", "all", "shared"]);
    for file in [format!("of/lib{N}.a"), format!("of/lib{N}.so")] {
        place.ok(&format!("verify {file}")).says("nothing is proved of the C");
        for object in place.run(&format!("verify {file} --json")).objects() {
            let names: Vec<&str> =
                object["not_proved"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
            let expected = ["_init", "_kernel", "_supported", "_wipe"].map(|suffix| format!("{N}{suffix}"));
            assert!(expected.iter().all(|name| names.contains(&name.as_str())), "{names:?}");
        }
    }
}
