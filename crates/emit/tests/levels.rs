//! Packages of CPU levels: their names, the choice among levels, and the query of CPU features.

use crate::built;
use crate::built::{
    assembly_package, builds_and_passes, code, files, function, level, run, scratch, there_is,
};
use aesmith_cipher::Problem;
use aesmith_emit::package::{self, File, Form, FunctionSet, Package};
use aesmith_emit::recipe::Recipe;
use aesmith_emit::{EmitError, Naming, objects};
use aesmith_x86::dimensions::{self, Dim};
use std::path::Path;
use std::process::Command;

fn can_build() -> bool {
    there_is("make") && there_is("cc")
}

fn build_library(files: &[File], folder: &Path) -> String {
    package::write(files, folder).unwrap();
    run(folder, "make", &["-s", "CFLAGS=-O2 -Werror"]);
    files.iter().find_map(|f| f.name.strip_suffix(".h")).unwrap().to_owned()
}

/// Returns the files of a package of several levels, or the reason why there is none.
fn of_levels(levels: &[FunctionSet]) -> Result<Vec<File>, EmitError> {
    Package::of_levels(levels).map(|package| package.files(Form::Package))
}

/// Counter mode of one key size at two levels, another mode, and the first once more under a prefix: one program calls
/// all of them, and those that compute the same function agree.
#[test]
fn two_packages_of_different_levels_link_into_one_program() {
    if !can_build() {
        return;
    }
    let ctr: Problem = "aes256-ctr".parse().unwrap();
    let folder = scratch("linked");
    let mine = Naming::with_prefix("mine").unwrap();
    let packages = [
        level(ctr, &Naming::default(), "sse2", false),
        level(ctr, &Naming::default(), "aesni", true),
        level("aes256-ecb".parse().unwrap(), &Naming::default(), "sse2", false),
        FunctionSet { naming: mine, ..level(ctr, &Naming::default(), "sse2", false) },
    ];
    let names: Vec<String> = packages
        .iter()
        .enumerate()
        .map(|(i, package)| build_library(&files(package).unwrap(), &folder.join(i.to_string())))
        .collect();
    assert_eq!(
        names,
        ["aesmith_aes256_ctr_sse2", "aesmith_aes256_ctr_aesni", "aesmith_aes256_ecb_sse2", "mine_aes256_ctr"]
    );
    let mut app = "#include <string.h>\n".to_owned();
    names.iter().for_each(|name| app.push_str(&format!("#include <{name}.h>\n")));
    app.push_str("int main(void)\n{\n    static uint8_t key[32] = {7}, out[4][100];\n");
    for (i, name) in names.iter().enumerate() {
        let iv = if name.contains("ctr") { "iv, " } else { "(void)iv; " };
        let call = if name.contains("ctr") {
            format!("{name}(&k, {iv}out[{i}], out[{i}], 100);")
        } else {
            format!("(void)iv; {name}(&k, out[{i}], out[{i}], 100);")
        };
        app.push_str(&format!(
            "    if ({name}_supported()) {{\n        static {name}_key k;\n        uint8_t iv[16] = {{0}};\n        \
             {name}_init(&k, key);\n        {call}\n    }} else {{\n        memmove(out[{i}], out[0], 100);\n    }}\n"
        ));
    }
    app.push_str("    return memcmp(out[0], out[1], 100) || memcmp(out[0], out[3], 100) || !memcmp(out[0], out[2], 100);\n}\n");
    std::fs::write(folder.join("app.c"), app).unwrap();
    let mut arguments = vec!["-Wall".to_owned(), "-Wextra".into(), "app.c".into(), "-o".into(), "app".into()];
    for (i, name) in names.iter().enumerate() {
        arguments.extend([format!("-I{i}"), format!("-L{i}"), format!("-l{name}")]);
    }
    run(&folder, "cc", &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    run(&folder, "./app", &[]);
}

/// One level reads a counter table and another has no AES instructions: the self-test runs every level that this CPU
/// supports, and only the interface is visible from outside.
#[test]
fn one_package_of_several_levels_chooses_by_the_cpu() {
    if !can_build() {
        return;
    }
    for name in ["aes256-ctr", "aes128-cbc-x4", "aes192-key-dec"] {
        let problem: Problem = name.parse().unwrap();
        let of = |level_name: &str| {
            level(problem, &Naming::default(), level_name, level_name == "vaes" && name == "aes256-ctr")
        };
        let files = of_levels(&["vaes", "avx2-aesni", "sse2"].map(of)).unwrap();
        let folder = builds_and_passes(&format!("levels-{name}"), &files);
        let said = run(&folder, "./selftest", &[]);
        assert!(said.contains("this CPU chooses: "), "{said}");
        // The key schedule of two levels is the same, byte for byte. Every CPU can run the last.
        let levels = if name == "aes192-key-dec" { 2 } else { 3 };
        let tested = said.lines().filter(|line| line.contains("sha256=")).count();
        let skipped = said.lines().filter(|line| line.contains("skipped")).count();
        assert_eq!((tested - 1) + skipped, levels, "{said}");
        run(&folder, "make", &["-s", "shared"]);
        let symbol = format!("aesmith_{}", problem.c_name());
        if there_is("nm") {
            let seen = run(&folder, "nm", &["-D", "--defined-only", "-j", &format!("lib{symbol}.so")]);
            let mut wanted = vec![format!("{symbol}_init"), format!("{symbol}_kernel")];
            wanted.extend([format!("{symbol}_supported"), format!("{symbol}_wipe")]);
            if problem.is_message() {
                wanted.insert(0, symbol);
            }
            assert_eq!(seen.lines().collect::<Vec<_>>(), wanted);
        }
    }
    let problem: Problem = "aes256-ctr".parse().unwrap();
    let twice = [(); 2].map(|()| level(problem, &Naming::default(), "sse2", false));
    assert!(of_levels(&twice).unwrap_err().0.contains("twice"));
}

/// CPUID takes microseconds in a virtual machine, so a program that asks a thousand times executes it once.
#[test]
fn supported_asks_the_cpu_once() {
    if !can_build() {
        return;
    }
    let problem: Problem = "aes128-ecb".parse().unwrap();
    let one = files(&level(problem, &Naming::default(), "aesni", false)).unwrap();
    let two = ["avx2-aesni", "sse2"].map(|name| level(problem, &Naming::default(), name, false));
    for (folder, files) in [("asks-one", one), ("asks-two", of_levels(&two).unwrap())] {
        let folder = scratch(folder);
        let name = build_library(&files, &folder);
        // A header of this name before the compiler's counts the queries.
        std::fs::create_dir_all(folder.join("counted")).unwrap();
        std::fs::write(
            folder.join("counted/cpuid.h"),
            "#include_next <cpuid.h>\nextern int asked;\n\
             #define __get_cpuid(...) (asked++, __get_cpuid(__VA_ARGS__))\n\
             #define __get_cpuid_count(...) (asked++, __get_cpuid_count(__VA_ARGS__))\n",
        )
        .unwrap();
        let app = format!(
            "#include \"{name}_support.c\"\n#include <stdio.h>\nint asked;\nint main(void)\n{{\n    \
             int i, sum = 0;\n    for (i = 0; i < 1000; i++) sum += {name}_supported() + ({name}_kernel()[0] == 0);\n    \
             printf(\"%d %d\\n\", asked, sum % 1000);\n    return 0;\n}}\n"
        );
        std::fs::write(folder.join("app.c"), app).unwrap();
        let objects: Vec<String> =
            files.iter().filter_map(|f| Some(format!("{}.o", f.name.strip_suffix(".S")?))).collect();
        let mut arguments = vec!["-Icounted", "app.c", "-o", "app"];
        arguments.extend(objects.iter().map(String::as_str));
        run(&folder, "cc", &arguments);
        let said = run(&folder, "./app", &[]);
        let (asked, left) = said.trim().split_once(' ').unwrap();
        assert!(["1", "2"].contains(&asked), "{asked} questions, one for each leaf of CPUID");
        assert_eq!(left, "0", "the answer changed");
    }
}

#[test]
fn objects_say_ibt_and_shstk() {
    if !can_build() || !there_is("readelf") {
        return;
    }
    let Some(function) = function(&dimensions::baseline("aes128-ecb".parse().unwrap())) else {
        println!("skipped: no AES instructions");
        return;
    };
    let folder = scratch("enforced");
    let object = objects::object(std::slice::from_ref(&function)).unwrap();
    let package = assembly_package("aes128-ecb".parse().unwrap(), Some(function)).unwrap();
    let name = build_library(&files(&package).unwrap(), &folder);
    std::fs::write(folder.join("ours.o"), object).unwrap();
    // The system's start-up files are left out, because they may lack the property.
    let (kernel, support) = (format!("{name}.o"), format!("{name}_support.o"));
    run(&folder, "cc", &["-shared", "-nostartfiles", "-o", "all.so", &kernel, &support]);
    for file in ["ours.o", &kernel, &support, "all.so"] {
        let said = run(&folder, "readelf", &["-n", "-W", file]);
        assert!(said.contains("IBT, SHSTK"), "{file}: {said}");
    }
}

/// A prefix is in every name: in C, in assembly, in file names and for pkg-config.
#[test]
fn a_prefix_replaces_aesmith_everywhere() {
    let problem: Problem = "aes128-ctr".parse().unwrap();
    let mine = Naming::with_prefix("mine").unwrap();
    let several = ["avx2-aesni", "sse2"].map(|name| level(problem, &mine, name, name != "sse2"));
    let one = FunctionSet { naming: mine, ..level(problem, &Naming::default(), "sse2", false) };
    for (name, files) in [("one", files(&one)), ("several", of_levels(&several))] {
        let files = files.unwrap();
        for file in &files {
            assert!(!file.name.contains("aesmith"), "{}", file.name);
            let upper = file.contents.to_uppercase();
            let left = upper.match_indices("AESMITH_").next();
            assert!(left.is_none(), "{} still has `aesmith_`", file.name);
        }
        if can_build() {
            builds_and_passes(&format!("prefix-{name}"), &files);
        }
    }
}

#[test]
fn licence_texts_are_inside() {
    let files = files(&level("aes128-ecb".parse().unwrap(), &Naming::default(), "sse2", false)).unwrap();
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let inside = &files.iter().find(|f| f.name == name).unwrap().contents;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        assert_eq!(*inside, std::fs::read_to_string(root).unwrap());
    }
}

/// README, header and the comments of the assembly contain the recipe of a package.
#[test]
fn readme_and_header_hold_the_recipe() {
    let problem: Problem = "aes256-ctr".parse().unwrap();
    let levels = ["vaes", "sse2"].map(|name| level(problem, &Naming::default(), name, name == "vaes"));
    let files = of_levels(&levels).unwrap();
    let read = |name: &str| {
        let file = files.iter().find(|f| f.name == name).unwrap();
        Recipe::parse(&file.contents, problem).unwrap()
    };
    let recipe = read("README.md");
    assert_eq!(recipe, read("aesmith_aes256_ctr.h"));
    let level_names: Vec<_> = recipe.parts.iter().map(|part| part.level.as_deref()).collect();
    assert_eq!(level_names, [Some("vaes"), Some("sse2")]);
    for (part, level) in recipe.parts.iter().zip(&levels) {
        // Compared as text: a variant's text omits what it does not choose.
        let message = &level.message.as_ref().unwrap().variants()[0].1;
        assert_eq!(part.message[0].1.to_string(), message.to_string());
        assert_eq!(part.schedule.as_ref().unwrap().to_string(), level.schedule.variants()[0].1.to_string());
        assert_eq!(part.table.is_some(), level.table.is_some());
        let assembly = read(&format!("{}.S", level.naming.apply("aesmith_aes256_ctr")));
        assert_eq!(assembly.parts[0].message, part.message);
    }
}

/// A package's promises are checked against the certificates of its bytes.
#[test]
fn a_package_that_promises_more_than_its_certificates_is_refused() {
    let problem: Problem = "aes128-ecb".parse().unwrap();
    let good = || level(problem, &Naming::default(), "sse2", false);
    let refused = |package: FunctionSet| files(&package).unwrap_err().0;
    let mut package = good();
    package.message.as_mut().unwrap().facts.as_mut().unwrap().sha256 = "0".repeat(64);
    assert!(refused(package).contains("prove it again"));
    let mut package = good();
    code(&mut package.schedule).bytes[0] ^= 1;
    assert!(refused(package).contains("prove it again"));
    let mut package = good();
    package.schedule.facts = None;
    assert!(refused(package).contains("no certificate"));
    let mut package = good();
    let message = package.message.as_mut().unwrap();
    code(message).variants.iter_mut().for_each(|(_, variant)| variant.set(Dim::Wipe, 1));
    assert!(refused(package).contains("wipe=yes"));
    let mut package = good();
    package.message.as_mut().unwrap().facts.as_mut().unwrap().constant_time = "VT".into();
    let files = files(&package).unwrap();
    assert!(files.iter().any(|f| f.name == "aesmith_aes128_ecb_sse2_vt.S"));
}

/// Every CPU reaches the kernel that needs most of its features: no level is hidden by an earlier one, in whichever
/// order they are given.
#[test]
fn every_cpu_reaches_the_level_that_needs_most_of_it() {
    let problem: Problem = "aes128-ecb".parse().unwrap();
    let named = ["avx512-aesni", "avx2-vaes", "sse2", "aesni", "avx512", "avx2-aesni", "vaes", "avx2"];
    let sets = named.map(|name| level(problem, &Naming::default(), name, false));
    for levels in [sets.to_vec(), sets.iter().rev().cloned().collect()] {
        let package = Package::of_levels(&levels).unwrap();
        let files = package.files(Form::Package);
        let support = &files.iter().find(|f| f.name.ends_with("_support.c")).unwrap().contents;
        // The queries of the C code, one level after another: `/* avx2-vaes: aes, avx, avx2, vaes */`.
        let asked: Vec<(&str, Vec<&str>)> = support
            .lines()
            .filter_map(|line| line.trim().strip_prefix("/* ")?.strip_suffix(" */")?.split_once(": "))
            .filter(|(name, _)| named.contains(name))
            .map(|(name, needs)| (name, needs.split(", ").filter(|need| *need != "every CPU").collect()))
            .collect();
        assert_eq!(asked.len() + package.notes().len(), named.len(), "{asked:?} {:?}", package.notes());
        let mut features: Vec<&str> = asked.iter().flat_map(|(_, needs)| needs.iter().copied()).collect();
        features.sort_unstable();
        features.dedup();
        let mut reached = std::collections::BTreeSet::new();
        for subset in 0u32..1 << features.len() {
            let has = |need: &&str| subset >> features.iter().position(|f| f == need).unwrap() & 1 == 1;
            let able: Vec<_> = asked.iter().filter(|(_, needs)| needs.iter().all(&has)).collect();
            let Some((chosen, needs)) = able.first() else { continue };
            reached.insert(*chosen);
            for (other, more) in &able {
                let above = more.len() > needs.len() && needs.iter().all(|need| more.contains(need));
                assert!(!above, "a CPU with {more:?} runs {chosen}, and {other} needs more");
            }
        }
        assert_eq!(reached.len(), asked.len(), "{asked:?}");
    }
}

/// The built package asks the CPU as its comments say: models of CPUs, with and without single features, reach the level
/// that needs most of what they have.
#[test]
fn models_of_cpus_reach_the_level_that_needs_most_of_them() {
    if !can_build() || !there_is("qemu-x86_64") {
        return;
    }
    let problem: Problem = "aes128-ecb".parse().unwrap();
    let levels = [
        ("sse2", 9.0),
        ("aesni", 0.7),
        ("avx2", 5.0),
        ("avx2-aesni", 0.6),
        ("avx2-vaes", 0.3),
        ("vaes", 0.2),
    ]
    .map(|(name, cost)| FunctionSet { cost: Some(cost), ..level(problem, &Naming::default(), name, false) });
    let folder = scratch("models");
    let files = of_levels(&levels).unwrap();
    let name = build_library(&files, &folder);
    let app = format!(
        "#include \"{name}.h\"\n#include <stdio.h>\nint main(void)\n{{\n    puts({name}_kernel());\n    \
         return !{name}_supported();\n}}\n"
    );
    std::fs::write(folder.join("app.c"), app).unwrap();
    run(&folder, "cc", &["app.c", "-o", "app", "-L.", &format!("-l{name}")]);
    let mut wrong = Vec::new();
    for (model, wanted) in [
        ("Conroe", "sse2"),
        ("Nehalem", "sse2"),
        ("Westmere", "aesni"),
        // The kernel of this level needs AVX alone.
        ("SandyBridge", "avx2_aesni"),
        ("Haswell", "avx2_aesni"),
        ("Haswell,-aes", "avx2"),
        // The system does not save the upper halves of registers.
        ("Haswell,-xsave", "aesni"),
        ("EPYC-Rome", "avx2_aesni"),
        ("max", "avx2_vaes"),
        ("max,-aes", "avx2"),
        ("max,-aes,-xsave", "sse2"),
    ] {
        let qemu =
            Command::new("qemu-x86_64").args(["-cpu", model, "./app"]).current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&qemu.stdout).into_owned();
        let hash = said.split("sha256=").nth(1).map(str::trim).unwrap_or("none");
        let of_hash = |file: &&File| file.name.ends_with(".S") && file.contents.contains(hash);
        let chosen = files.iter().find(of_hash).map_or("none", |file| file.name.as_str());
        if !qemu.status.success() || chosen != format!("{name}_{wanted}.S") {
            let err = String::from_utf8_lossy(&qemu.stderr);
            wrong.push(format!("{model} chooses {chosen}, wanted {wanted}: {said}{err}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Among levels with different needs, the one measured as faster is tried first. Among two with the same needs, no CPU would
/// reach the second; of two with the same bytes, one is in the package.
#[test]
fn measured_cost_decides_where_needs_do_not() {
    let problem: Problem = "aes128-ecb".parse().unwrap();
    let of = |name: &str, cost| FunctionSet { cost, ..level(problem, &Naming::default(), name, false) };
    let order = |levels: &[FunctionSet]| {
        let files = of_levels(levels).unwrap();
        let header = &files.iter().find(|f| f.name.ends_with(".h")).unwrap().contents;
        let recipe = Recipe::parse(header, problem).unwrap();
        recipe.parts.into_iter().filter_map(|part| part.level).collect::<Vec<_>>()
    };
    for (avx2, aesni) in [(Some(9.0), Some(0.6)), (Some(0.6), Some(9.0)), (None, Some(0.6))] {
        let first = if aesni < avx2 && avx2.is_some() { ["aesni", "avx2"] } else { ["avx2", "aesni"] };
        assert_eq!(order(&[of("avx2", avx2), of("aesni", aesni)]), first);
    }
    let package = Package::of_levels(&[of("sse4.1", None), of("ssse3", None)]).unwrap();
    assert!(package.notes()[0].contains("level sse4.1 is left out"), "{:?}", package.notes());
    let slower = dimensions::baseline(problem).with(Dim::Interleave, 2);
    let target = aesmith_x86::targets::of(aesmith_x86::requirements::REQUIREMENTS.level("aesni").unwrap());
    let slower = FunctionSet { message: built::function_for(&slower, &target), ..of("sse4.1", Some(2.0)) };
    let schedule = of("aesni", None).schedule;
    let refused = of_levels(&[FunctionSet { schedule, ..slower }, of("aesni", Some(0.6))]).unwrap_err().0;
    assert!(refused.contains("no CPU would reach the level sse4.1: aesni needs the same"), "{refused}");
}
