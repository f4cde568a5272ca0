//! Linkers, loaders and assemblers make of a file exactly the code that `verify` proves, or it refuses the file and
//! says why. Each attack changes the assembly of a package that is built here; its control is a harmless change of the
//! same kind, which is accepted.

#[path = "attacks/case.rs"]
mod case;
#[path = "attacks/files.rs"]
mod files;
#[path = "attacks/places.rs"]
mod places;
mod support;
#[path = "attacks/symbols.rs"]
mod symbols;

use case::{BuiltKernel, Case, N};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Place, Said, has_aes};

/// Emits a package and returns the assembly of its kernel, which is attacked.
fn package(place: &Place) -> Option<String> {
    if !has_aes() || !["as", "cc", "ar"].iter().all(|t| Command::new(t).arg("--version").output().is_ok()) {
        println!("skipped: there is no as, cc or ar");
        return None;
    }
    let variants = "aes128-ctr width=xmm keys=0x07ff interleave=2\naes128-key schedule=aesenclast\n";
    fs::write(place.path("variants"), variants).unwrap();
    let said = place.run(&[
        "emit",
        "aes128-ctr",
        "--as",
        "package",
        "--cpu",
        "avx-aesni",
        "-o",
        "of",
        "--variant",
        "variants",
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    let text = fs::read_to_string(place.path(format!("of/{N}.S"))).unwrap();
    assert!(text.contains("\tvaesenclast"), "the attacks are of this instruction");
    Some(text)
}

fn tool(folder: &Path, program: &str, arguments: &[&str]) {
    let said = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    let shown = folder.display();
    assert!(
        said.status.success(),
        "{shown}: {program} {arguments:?}: {}",
        String::from_utf8_lossy(&said.stderr)
    );
}

/// Builds the file of a case in its own folder, and verifies it.
fn verified(place: &Place, number: &str, made: BuiltKernel, text: &str, original: &str) -> Said {
    let folder = place.path(number);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("attack.h"), "#define vaesenclast vaesenc\n").unwrap();
    fs::write(folder.join("empty.h"), "").unwrap();
    let source = if made == BuiltKernel::Lower { "kernel.s" } else { "kernel.S" };
    fs::write(folder.join(source), text).unwrap();
    let run = |program: &str, arguments: &[&str]| tool(&folder, program, arguments);
    let support = format!("../of/{N}_support.c");
    let file: PathBuf = match made {
        BuiltKernel::S | BuiltKernel::Lower => source.into(),
        BuiltKernel::Object => {
            run("cc", &["-c", "-o", "kernel.o", "kernel.S"]);
            "kernel.o".into()
        }
        BuiltKernel::Shared(option) => {
            // A control without its own text is the original text without the option.
            let (option, text) = if text.is_empty() { ("-O2", original) } else { (option, text) };
            fs::write(folder.join(source), text).unwrap();
            run("cc", &["-shared", "-nostdlib", option, "-o", "kernel.so", "kernel.S"]);
            "kernel.so".into()
        }
        BuiltKernel::Archive | BuiltKernel::Twice => {
            run("cc", &["-c", "-o", "kernel.o", "kernel.S"]);
            run("cc", &["-c", "-fPIC", "-I../of", "-o", "support.o", &support]);
            run("ar", &["rcs", "all.a", "kernel.o", "support.o"]);
            if made == BuiltKernel::Twice {
                fs::write(folder.join("first.S"), original).unwrap();
                run("cc", &["-c", "-o", "first.o", "first.S"]);
                run("ar", &["rcs", "all.a", "first.o"]);
            }
            "all.a".into()
        }
        BuiltKernel::Package => {
            for entry in fs::read_dir(place.path("of")).unwrap() {
                let from = entry.unwrap().path();
                fs::copy(&from, folder.join(from.file_name().unwrap())).unwrap();
            }
            fs::write(folder.join(format!("{N}.S")), text).unwrap();
            format!("{N}.S").into()
        }
    };
    place.run(&["verify", &format!("{number}/{}", file.display())])
}

#[test]
fn what_linkers_and_loaders_would_change_is_refused() {
    let place = Place::new("attacks");
    let Some(text) = package(&place) else { return };
    let cases: Vec<&Case> = symbols::CASES.iter().chain(places::CASES).collect();
    assert!(cases.len() >= 35);
    let mut wrong = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let refused = verified(&place, &format!("{number}-attack"), case.made, &(case.attack)(&text), &text);
        let said = format!("{}{}", refused.out, refused.err);
        if refused.code != 3 || !said.contains(case.why) {
            wrong.push(format!("{}: {} instead of `{}`: {said}", case.what, refused.code, case.why));
        }
        let accepted =
            verified(&place, &format!("{number}-control"), case.made, &(case.control)(&text), &text);
        if accepted.code != 0 || !accepted.out.contains("proved E3") {
            wrong.push(format!(
                "the control of {}: {}: {}{}",
                case.what, accepted.code, accepted.out, accepted.err
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
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
    let made = verified(&place, "made", BuiltKernel::Shared("-O2"), &text, &text);
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
    let good = fs::read(place.path("made/kernel.so")).unwrap();
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
        fs::write(place.path(name), bytes).unwrap();
        let said = place.run(&["verify", name]);
        (said.code, format!("{}{}", said.out, said.err))
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
        place.command(&["verify", &file]).env(variable, value).output().unwrap().into()
    };
    assert_eq!(run("CPPFLAGS", "-DUNUSED=1").code, 0);
    let refused = run("CPPFLAGS", "-Dvaesenclast=vaesenc");
    assert_eq!(refused.code, 3, "{}", refused.out);
    let none = run("CC", "no-such-compiler");
    assert_eq!(none.code, 1, "{}", none.out);
    assert!(none.err.contains("Makefile") && none.err.contains("no-such-compiler"), "{}", none.err);
    // An assembler that does not end is stopped, and a file that is too large is not made.
    fs::write(place.path("huge.S"), "\t.text\n\t.fill 1 << 40\n").unwrap();
    let huge = place.run(&["verify", "huge.S"]);
    assert_eq!(huge.code, 3, "{}", huge.err);
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
        let said = place.run(&["verify", &file]);
        assert_eq!(said.code, 0, "{}{}", said.out, said.err);
        assert!(said.out.contains("nothing is proved of the C"), "{}", said.out);
        let json = place.run(&["verify", &file, "--json"]);
        for line in json.out.lines() {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            let names: Vec<&str> =
                object["not_proved"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
            let expected = ["_init", "_kernel", "_supported", "_wipe"].map(|suffix| format!("{N}{suffix}"));
            assert!(expected.iter().all(|name| names.contains(&name.as_str())), "{names:?}");
        }
    }
}
