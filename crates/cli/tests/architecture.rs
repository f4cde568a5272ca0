//! The order of the crates, and facts that no stage may know: docs/ARCHITECTURE.md as a test. It reads the dependencies
//! from `cargo metadata`, and the sources.

use aesmith_processors::this_machine;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates, with one floor in each line, from the bottom up: a crate uses only crates of lower floors. The families of
/// processors, which are folders of `processors`, share a floor.
const FLOORS: &[&[&str]] = &[
    &["check", "cipher", "report"],
    &["dataflow", "isa", "witness"],
    &["arrange", "extension", "order"],
    &["judge", "prove", "search", "vectors", "wisdom", "words"],
    &["processor"],
    FAMILIES,
    &["native", "processors"],
    &["emit"],
    &["profile", "tune"],
    &["explore"],
    &["bench"],
    &["cli"],
];

/// The floor of the families.
const FAMILIES: &[&str] = &[];

/// Crates that may depend on the folder of x86-64 and on the assembler library that only it needs: the register of
/// processors names every family.
const OF_X86: &[&str] = &["x86", "processors", "native"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates of the workspace, without the `aesmith-` of their names, and the dependencies of their libraries or
/// programs.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let said = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let metadata: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let short = |name: &Value| {
        let name = name.as_str().expect("a name");
        name.strip_prefix("aesmith-").unwrap_or(name).to_owned()
    };
    let packages = metadata["packages"].as_array().expect("packages");
    let of = |package: &Value| {
        let all = package["dependencies"].as_array().expect("dependencies");
        all.iter().filter(|d| d["kind"].is_null()).map(|d| short(&d["name"])).collect()
    };
    packages.iter().map(|package| (short(&package["name"]), of(package))).collect()
}

/// The families of processors: the folders beside the register of processors.
fn families() -> BTreeSet<String> {
    let folders = std::fs::read_dir(root().join("processors")).expect("processors");
    let names = folders.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "all").collect()
}

/// Errors in the dependencies.
fn wrong_dependencies(all: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let families = families();
    let is_on =
        |floor: &[&str], name: &str| floor.contains(&name) || floor == FAMILIES && families.contains(name);
    let floor = |name: &str| FLOORS.iter().position(|floor| is_on(floor, name));
    let mut wrong = Vec::new();
    for (name, needs) in all {
        let Some(own) = floor(name) else {
            wrong.push(format!("{name} stands on no floor"));
            continue;
        };
        for need in needs.iter().filter(|need| all.contains_key(*need)) {
            if floor(need).is_none_or(|below| below >= own) {
                wrong.push(format!("{name} depends on {need}, which is not below it"));
            }
        }
        let knows = needs.contains("x86") || needs.contains("iced-x86");
        if knows && !OF_X86.contains(&&**name) {
            wrong.push(format!("{name} depends on x86-64, which is one processor of many"));
        }
    }
    wrong
}

#[test]
fn a_crate_uses_what_is_below_it() {
    let all = dependencies();
    assert!(all.len() > 20, "{:?}", all.keys());
    assert_eq!(wrong_dependencies(&all), Vec::<String>::new());
}

#[test]
fn what_is_forbidden_is_found() {
    let planted = |name: &str, need: &str| {
        let mut all = dependencies();
        all.get_mut(name).expect("a crate").insert(need.to_owned());
        wrong_dependencies(&all)
    };
    assert!(planted("search", "x86").iter().any(|w| w.contains("one processor of many")));
    assert!(planted("wisdom", "iced-x86").iter().any(|w| w.contains("one processor of many")));
    assert!(planted("cipher", "isa").iter().any(|w| w.contains("not below")));
    assert!(
        planted("avr", "rv32").iter().any(|w| w.contains("not below")),
        "processors know nothing of each other"
    );
    let mut all = dependencies();
    all.insert("newcomer".into(), BTreeSet::new());
    assert!(wrong_dependencies(&all).iter().any(|w| w.contains("no floor")));
}

/// Files that may name techniques: their registers, tables of starting points and of goals with a row for each
/// technique, and the lab report's combinations, which are choices of one technique.
const REGISTERS: &[&str] = &[
    "crates/bench/src/goals/instructions.rs",
    "crates/bench/src/goals/software.rs",
    "crates/check/src/bytes/mod.rs",
    "crates/check/src/words/families.rs",
    "crates/dataflow/src/technique.rs",
    "crates/emit/src/c/portable/mod.rs",
    "crates/profile/src/combination.rs",
    "processors/x86/src/kernels/target.rs",
    "processors/x86/src/requirements.rs",
    "processors/x86/src/starts.rs",
];

/// The lines of a source that are library code: without comments, and without items that only tests have.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let (mut is_next, mut is_inside) = (false, false);
    text.lines().filter(move |line| {
        let line = line.trim_end();
        if is_inside {
            is_inside = line != "}";
            return false;
        }
        if is_next {
            // Other attributes stand between.
            is_next = line.starts_with("#[");
            is_inside = !is_next && !line.ends_with(';') && !line.ends_with('}');
            return false;
        }
        is_next = line == "#[cfg(test)]";
        !is_next && !line.trim_start().starts_with("//")
    })
}

/// True if a line asks for a specific technique, machine or processor.
fn names_one(line: &str, techniques: &[String]) -> bool {
    let compares = ["machine ==", "machine !=", "processor ==", "processor !=", "processor.name =="];
    techniques.iter().any(|technique| line.contains(technique.as_str()))
        || compares.iter().any(|compare| line.contains(compare) && line.contains(['"', '0', '4', 'E']))
}

/// Files of `crates` that may name families of processors, processors or features: formats of files that name instruction sets,
/// the emulator of an architecture that two families share, tables of goals and of published figures, and what runs code on
/// x86-64.
const NAMED: &[&str] = &[
    "crates/bench/src/goals/extensions.rs",
    "crates/bench/src/goals/software.rs",
    "crates/check/src/bytes/mod.rs",
    "crates/check/src/words/families.rs",
    "crates/dataflow/src/technique.rs",
    "crates/extension/src/encoding.rs",
    "crates/extension/src/verilog/wrapper.rs",
    "crates/judge/src/outside/qemu_arm.rs",
    "crates/native/src/enter/x86_64.rs",
];

/// Families of processors, processors and features.
fn names() -> BTreeSet<String> {
    let requirements = this_machine().requirements;
    let features = requirements.features.iter().chain(requirements.levels.iter().map(|level| &level.name));
    families()
        .into_iter()
        .chain(aesmith_processors::all().map(|processor| processor.name().to_owned()))
        .chain(features.map(|name| name.to_lowercase()))
        .filter(|name| name != "aes" && name != "native")
        .collect()
}

/// True if a line names a machine of ELF, asks which one something is for, or has a string that is a name.
fn names_a_machine(line: &str, names: &BTreeSet<String>) -> bool {
    let is_number = |rest: &str| rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
    let number = line.match_indices("EM_").any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_') && is_number(&line[at + 3..])
    });
    let asks = [".machine {", ".machine() {", ".linking.head.number {"];
    let matches = line.contains("match ") && asks.iter().any(|ask| line.contains(ask));
    // Which code is compiled at all is a question to the compiler.
    let is_condition = line.contains("target_arch");
    let strings = line.split('"').skip(1).step_by(2);
    number || matches || !is_condition && strings.into_iter().any(|text| names.contains(&text.to_lowercase()))
}

#[test]
fn no_crate_names_a_family_a_processor_or_a_feature() {
    let names = names();
    assert!(
        ["avr", "cortex-m3", "gpu", "gfni", "avx2-vaes"].iter().all(|name| names.contains(*name)),
        "{names:?}"
    );
    for planted in [
        "    match core.machine {",
        "    match found.machine() {",
        "        EM_AVR => own(core),",
        "    if number == object::elf::EM_ARM {",
        "    if family == \"rv32\" {",
        "    let base = find(\"cortex-m3\")?;",
        "    target: &[\"aes\", \"avx512f\"],",
    ] {
        assert!(names_a_machine(planted, &names), "{planted}");
    }
    for plain in [
        "    match run.machine.flags {",
        "    let SYSTEM_V = 1;",
        "#[cfg(target_arch = \"x86_64\")]",
        "    \"aes128-ecb\"",
    ] {
        assert!(!names_a_machine(plain, &names), "{plain}");
    }
    let root = root().canonicalize().expect("a folder");
    let (mut found, all) = (BTreeSet::new(), library_sources(&root));
    for (name, text) in all.iter().filter(|(name, _)| !NAMED.contains(&&**name)) {
        let lines = code(text).filter(|line| names_a_machine(line, &names));
        found.extend(lines.map(|line| format!("{name}: {}", line.trim())));
    }
    assert!(all.len() > 300, "{} sources", all.len());
    assert_eq!(found, BTreeSet::new(), "these name a machine, a family, a processor or a feature");
}

/// Files and folders of `crates` that may name registers and features of x86-64, each with its reason.
const WITH_X86: &[(&str, &str)] = &[
    ("crates/native/", "measures x86-64, and depends on its folder"),
    ("crates/check/", "the format of proofs of its code"),
    ("crates/witness/", "the format of proofs of its code"),
    ("crates/dataflow/src/", "two techniques have the names of the instructions whose mathematics they use"),
    ("crates/processor/src/measured/class.rs", "stored models name widths by its registers"),
    ("crates/cli/src/commands/verify/words.rs", "macros that compilers predefine"),
    ("crates/profile/src/lib.rs", "reads its time-stamp counter"),
    ("crates/bench/src/goals/software.rs", "published figures"),
    ("crates/bench/src/reproduce/", "the tables of a paper on it"),
];

/// Words of x86-64: its features, its registers and its C.
fn words_of_x86() -> BTreeSet<String> {
    let requirements = this_machine().requirements;
    let features = requirements.features.iter().map(|name| name.split('.').next().unwrap_or(name));
    let registers = requirements.widths.iter().map(|width| width.name);
    let others = ["x86", "avx512", "aesni", "cpuid", "immintrin", "m128i", "mm", "mm256", "mm512"];
    let all = features.chain(registers).chain(others).map(str::to_lowercase);
    all.filter(|name| name != "aes").collect()
}

/// True if a line has a word of x86-64.
fn names_x86(line: &str, words: &BTreeSet<String>) -> bool {
    let line = line.to_lowercase();
    // Which code is compiled at all is a question to the compiler.
    !line.contains("target_arch")
        && line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| words.contains(word))
}

#[test]
fn no_crate_names_registers_or_features_of_x86() {
    let words = words_of_x86();
    for planted in [
        "    let width = [\"xmm\", \"ymm\", \"zmm\"][lanes];",
        "        Vectors::Zmm => 4,",
        "        t.line(\"v = _mm_xor_si128(v, t);\");",
        "    elf::R_X86_64_COPY => copied(),",
        "    \"no technique can be used: at least SSE4.1 is needed\"",
        "    if features.has(VAES) {",
    ] {
        assert!(names_x86(planted, &words), "{planted}");
    }
    for plain in
        ["#[cfg(target_arch = \"x86_64\")]", "    technique=aes comma", "    let lanes = variant.lanes();"]
    {
        assert!(!names_x86(plain, &words), "{plain}");
    }
    let root = root().canonicalize().expect("a folder");
    let (mut found, mut unused) = (BTreeSet::new(), WITH_X86.to_vec());
    for (name, text) in library_sources(&root) {
        let lines: Vec<&str> = code(&text).filter(|line| names_x86(line, &words)).collect();
        match WITH_X86.iter().find(|(start, _)| name.starts_with(start)) {
            Some(allowed) if !lines.is_empty() => unused.retain(|known| known != allowed),
            Some(_) => {}
            None => found.extend(lines.iter().map(|line| format!("{name}: {}", line.trim()))),
        }
    }
    assert_eq!(found, BTreeSet::new(), "these name registers or features of x86-64");
    assert_eq!(unused, [], "these exceptions have no use");
}

/// The library sources of `crates`: paths below the root, and texts.
fn library_sources(root: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for folder in std::fs::read_dir(root.join("crates")).expect("crates") {
        sources(&folder.expect("an entry").path().join("src"), &mut all);
    }
    let is_test = |name: &str| name.ends_with("/tests.rs") || name.ends_with("_tests.rs");
    let named = all.into_iter().map(|path| {
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("a source"))
    });
    named.filter(|(name, _)| !is_test(name)).collect()
}

/// Collects the sources below a folder.
fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|e| e == "rs") {
            all.push(path);
        }
    }
}

#[test]
fn no_stage_asks_which_technique_or_processor_it_is() {
    // The names as the register spells them.
    let register =
        std::fs::read_to_string(root().join("crates/dataflow/src/technique.rs")).expect("the register");
    let techniques: Vec<String> = code(&register)
        .filter_map(|line| {
            Some(format!(
                "Technique::{}",
                line.trim().strip_prefix("technique: Technique::")?.strip_suffix(',')?
            ))
        })
        .collect();
    assert!(techniques.len() >= 7, "{techniques:?}");
    assert!(names_one("if variant.technique == Technique::Vbmi {", &techniques));
    assert!(names_one("if core.machine == 40 {", &techniques));
    assert!(names_one("if processor == \"microblaze-3\" {", &techniques));
    assert!(!names_one("if variant.technique.is_instruction() {", &techniques));
    let (mut found, mut files) = (BTreeSet::new(), 0);
    let root = root().canonicalize().expect("a folder");
    let crates = std::fs::read_dir(root.join("crates")).expect("crates").map(|e| e.expect("an entry").path());
    for folder in crates.chain([root.join("processors/x86")]) {
        let mut all = Vec::new();
        sources(&folder.join("src"), &mut all);
        for path in all.iter().filter(|path| !path.ends_with("tests.rs")) {
            files += 1;
            let text = std::fs::read_to_string(path).expect("a source");
            let name = path.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
            if !REGISTERS.contains(&&*name) && code(&text).any(|line| names_one(line, &techniques)) {
                found.insert(name);
            }
        }
    }
    assert!(files > 300, "{files} sources");
    assert_eq!(found, BTreeSet::new(), "these name a technique, a machine or a processor");
}

/// Which parts a processor has decides how its kernels are costed: `kernels` asks, and commands work with what it gives.
#[test]
fn one_place_asks_for_the_parts_of_a_processor() {
    let asks = |line: &str| line.contains("aesmith_processors::find(");
    assert!(
        asks("let found = aesmith_processors::find(name)?;") && !asks("let found = all().find(is_named);")
    );
    let root = root().canonicalize().expect("a folder");
    // Tests may take any processor.
    let asking = library_sources(&root).into_iter().filter(|(_, text)| code(text).any(asks));
    let found: Vec<String> = asking.map(|(name, _)| name).collect();
    assert_eq!(found, ["crates/cli/src/kernels/mod.rs"]);
}
