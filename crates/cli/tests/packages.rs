//! Packages through the command: built by their Makefile, proved again from the library, regenerated from their own
//! README; several levels in one.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use support::{Place, Said};

fn can_build() -> bool {
    let there = ["make", "cc"].iter().all(|tool| Command::new(tool).arg("--version").output().is_ok());
    if !there {
        println!("skipped: there is no make or no cc");
    }
    there
}

fn emit(place: &Place, arguments: &[&str]) -> Said {
    let said = place.run(&[&["emit"], arguments].concat());
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
    said
}

/// The files of a folder with their texts.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read_to_string(e.path()).unwrap())).collect()
}

/// Choices by length, so that the regenerated function contains several kernels.
const BY_LENGTH: &str = "up to 80 bytes: aes256-ctr width=xmm interleave=2
up to 1000 bytes: aes256-ctr width=xmm keys=0x7fff interleave=4 wipe=no
aes256-ctr width=xmm interleave=8 cached=2 keys=0x7fff
aes256-key schedule=aesenclast
";

#[test]
fn the_recipe_of_a_package_makes_the_same_package() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("recipes");
    for (i, (problem, variants, options)) in [
        ("aes256-ctr", BY_LENGTH, &[][..]),
        ("aes256-ctr", BY_LENGTH, &["--source", "c"]),
        (
            "aes128-ecb",
            "up to 64 bytes: aes128-ecb wipe=yes\naes128-ecb interleave=8 wipe=yes\n",
            &["--prefix", "mine"],
        ),
        ("aes192-cbc-x4", "aes192-cbc-x4 together=yes\n", &["--cpu", "avx-aesni"]),
        ("aes128-ctr", "aes128-ctr cached=1 interleave=4\naes128-ctr-table\n", &[]),
        ("aes128-cbc-dec", "aes128-cbc-dec technique=bitsliced\n", &["--source", "c", "--portable"]),
        ("aes256-key-dec", "aes256-key-dec schedule=aesenclast\n", &[]),
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(place.path("variants"), variants).unwrap();
        let first = format!("first-{i}");
        let common = [&[problem, "--as", "package"], options].concat();
        emit(&place, &[&common[..], &["-o", &first, "--variant", "variants"]].concat());
        let made = texts(&place.path(&first));
        // The recipe contains the CPU options, so that they are not repeated.
        let named_cpu = options.first() == Some(&"--cpu");
        let common = if named_cpu { &common[..3] } else { &common[..] };
        let header = made.keys().find(|name| name.ends_with(".h")).unwrap();
        // The name contains the named level, but no technique.
        if options.is_empty() || named_cpu {
            let level = if named_cpu { "_avx_aesni" } else { "" };
            assert_eq!(header, &format!("aesmith_{}{level}.h", problem.replace('-', "_")));
        }
        for (j, file) in ["README.md", header].into_iter().enumerate() {
            let (again, from) = (format!("again-{i}-{j}"), format!("{first}/{file}"));
            emit(&place, &[common, &["-o", &again, "--variant", &from]].concat());
            assert_eq!(texts(&place.path(&again)), made, "{problem} from {file}");
        }
    }
    let twice = ["emit", "aes192-cbc-x4", "--as", "package", "-o", "x", "--variant", "first-3/README.md"];
    let said = place.run(&[&twice[..], &["--cpu", "sse2"]].concat());
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("--cpu has nothing to say"), "{}", said.err);
}

#[test]
fn verify_accepts_the_archive_that_make_builds() {
    if !support::has_aes() || !can_build() {
        return;
    }
    let place = Place::new("archive");
    fs::write(place.path("variants"), BY_LENGTH).unwrap();
    emit(&place, &["aes256-ctr", "--as", "package", "-o", "one", "--variant", "variants"]);
    let made = place.shell("make -s -C one check", &[]);
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
    let library = "one/libaesmith_aes256_ctr.a";
    let said = place.run(&["verify", library]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for symbol in ["aesmith_aes256_ctr", "aesmith_aes256_ctr_schedule"] {
        let function = format!("{library}(aesmith_aes256_ctr.o): {symbol}\n");
        assert!(said.out.contains(&function), "{symbol} is not listed: {}", said.out);
    }
    assert_eq!(said.out.matches("proved E3").count(), 2, "{}", said.out);
    assert_eq!(said.out.matches("says the same").count(), 2, "{}", said.out);
    // In a shared object the linker has chosen the distance to the constants.
    let made = place.shell("make -s -C one shared", &[]);
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
    let said = place.run(&["verify", "one/libaesmith_aes256_ctr.so"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert_eq!(said.out.matches("says the same").count(), 2, "{}", said.out);
    // A round of decryption within encryption: aesenc and aesdec differ in two bits of the opcode.
    let mut bytes = fs::read(place.path(library)).unwrap();
    let aesenc = [0x0f, 0x38, 0xdc];
    let vex = |w: &[u8]| w[0] == 0xc4 && w[1] & 0x1f == 2 && w[3] == 0xdc;
    let at = bytes.windows(4).position(|w| vex(w) || w[..3] == aesenc).expect("a round");
    let opcode = if bytes[at] == 0xc4 { at + 3 } else { at + 2 };
    bytes[opcode] = 0xde;
    fs::write(place.path(library), bytes).unwrap();
    let said = place.run(&["verify", library]);
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
    assert!(said.out.contains("NOT PROVED") && said.out.contains("DIFFERS"), "{}", said.out);
}

#[test]
fn a_package_of_several_levels_is_proved_whole_and_made_again() {
    if !support::has_aes() || !can_build() {
        return;
    }
    let place = Place::new("levels");
    let levels = ["--cpu", "sse2,avx-aesni", "--cpu", "native"];
    let arguments =
        [&["aes128-ctr", "--as", "package", "-o", "all", "--prefix", "mine", "--json"], &levels[..]];
    let said = emit(&place, &arguments.concat());
    let json: Value = serde_json::from_str(&said.out).unwrap();
    let order: Vec<&str> =
        json["levels"].as_array().unwrap().iter().map(|l| l["level"].as_str().unwrap()).collect();
    assert_eq!(order, ["native", "avx-aesni", "sse2"], "the greatest first");
    let made = place.shell("make -s -C all check", &[]);
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
    assert!(made.out.contains(" passed, 0 failed"), "{}", made.out);
    let said = place.run(&["verify", "all/libmine_aes128_ctr.a"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for symbol in ["native", "avx_aesni", "sse2", "native_schedule", "avx_aesni_schedule", "sse2_schedule"] {
        assert!(said.out.contains(&format!(": mine_aes128_ctr_{symbol}\n")), "{symbol}: {}", said.out);
    }
    let chooser = "(mine_aes128_ctr_support.o): mine_aes128_ctr\n    not a kernel, and not proved";
    assert!(said.out.contains(chooser), "{}", said.out);
    assert_eq!(said.out.matches("proved E3").count(), said.out.matches("says the same").count());
    // The support object alone contains no kernel that could be proved.
    let said = place.run(&["verify", "all/mine_aes128_ctr_support.o"]);
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
    let before: BTreeMap<_, _> = texts_of_sources(&place.path("all"));
    let from = ["--variant", "all/README.md", "--prefix", "mine"];
    emit(&place, &[&["aes128-ctr", "--as", "package", "-o", "again"][..], &from].concat());
    assert_eq!(texts_of_sources(&place.path("again")), before);
}

/// Several problems at several levels in one package: proved as folder, archive and shared library after its build,
/// regenerated from its README alone, and compared with the proofs after changes of its header or C.
#[test]
fn a_package_of_several_problems_is_proved_whole_and_made_again() {
    if !support::has_aes() || !can_build() {
        return;
    }
    let place = Place::new("several");
    let problems = "aes128-ecb,aes128-ctr,aes256-ctr,aes128-ecb-dec";
    let common = [problems, "--as", "package"];
    emit(&place, &[&common[..], &["-o", "all", "--prefix", "mine", "--cpu", "aesni,sse2"]].concat());
    let before = texts_of_sources(&place.path("all"));
    emit(&place, &[&common[..], &["-o", "again", "--variant", "all/README.md"]].concat());
    assert_eq!(texts_of_sources(&place.path("again")), before);
    let said = place.run(&["verify", "all"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let made = place.shell("make -s -C all check shared", &[]);
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
    assert_eq!(made.out.matches(" passed, 0 failed").count(), 4, "{}", made.out);
    for file in ["all", "all/libmine_aes.a", "all/libmine_aes.so"] {
        let said = place.run(&["verify", file]);
        assert_eq!(said.code, 0, "{file}: {}{}", said.out, said.err);
        assert_eq!(said.out.matches("proved E3").count(), said.out.matches("says the same").count());
    }
    let said = place.run(&["emit", "aes128-cbc", "--as", "package", "-o", "all"]);
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("holds the package mine_aes already"), "{}", said.err);
    for (file, change, why) in [
        (
            "mine_aes.h",
            "s/void mine_aes128_ctr(const mine_aes128_key/void mine_aes128_ctr(const mine_aes256_key/",
            "what was proved is",
        ),
        ("mine_aes.h", "s/int mine_aes_supported/int mine_aes_supporte/", "what was proved is"),
        (
            "mine_aes_support.c",
            "0,/mine_aes128_ctr_aesni(key/s//mine_aes256_ctr_aesni(key/",
            "what was proved is",
        ),
        ("mine_aes_support.c", "0,/case 1:/s//case 2:/", "what was proved is"),
    ] {
        let changed =
            format!("rm -rf bad && cp -r again bad && sed -i '{change}' bad/{file} && ! diff -q again bad");
        assert_eq!(place.shell(&changed, &[]).code, 0, "{change} changes nothing");
        let said = place.run(&["verify", "bad"]);
        assert_eq!(said.code, 3, "{change}: {}{}", said.out, said.err);
        assert!(said.out.contains(why) || said.err.contains(why), "{change}: {}{}", said.out, said.err);
    }
}

/// Several problems in one package for firmware: functions that share a key read it in one form, the limit is for the
/// whole package, and the README regenerates it.
#[test]
fn a_package_of_several_problems_for_firmware_is_proved_whole_and_made_again() {
    let place = Place::new("several-firmware");
    let problems = "aes128-ecb,aes128-ctr,aes256-ecb,aes128-ecb-dec";
    let common = [problems, "--as", "package", "--processor", "cortex-m3"];
    let object = place.json(
        &[&["emit"], &common[..], &["-o", "all", "--prefix", "mine", "--max-flash", "20000", "--json"]]
            .concat(),
    );
    assert_eq!(object["package"], "mine_aes_cortex_m3");
    assert_eq!(object["problems"].as_array().unwrap().len(), 4);
    assert!(object["sizes"]["flash"].as_u64().unwrap() <= 20_000, "{object}");
    // The two functions that share a key have one schedule.
    let parts = object["parts"].as_array().unwrap();
    assert_eq!(parts.iter().filter(|part| part["symbol"] == "mine_aes128_expand").count(), 1, "{parts:?}");
    let before = texts_below(&place.path("all"));
    emit(&place, &[&common[..], &["-o", "again", "--variant", "all/README.md"]].concat());
    let again = texts_below(&place.path("again"));
    assert!(again.keys().eq(before.keys()), "{:?}", again.keys());
    // A certificate contains the duration of its proof, which varies.
    for (name, text) in again.iter().filter(|(name, _)| !name.starts_with("certificates/")) {
        assert!(*text == before[name], "{name} is not made again");
    }
    let said = place.run(&["verify", "all"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let header = "src/mine_aes_cortex_m3.h";
    let fewer = place.run(&[
        "emit",
        "aes128-ecb",
        "--as",
        "package",
        "--processor",
        "cortex-m3",
        "-o",
        "x",
        "--variant",
        "all/README.md",
    ]);
    assert_eq!(fewer.code, 2, "{}", fewer.err);
    assert!(fewer.err.contains("ask for aes128-ctr, too"), "{}", fewer.err);
    for (file, change) in [
        (header, "s/mine_aes128_expand(key->words/mine_aes256_expand(key->words/"),
        (header, "s/uint32_t words\\[[0-9]*\\]/uint32_t words[3]/"),
        (header, "s/word\\[n\\] = 0;/word[0] = 0;/"),
    ] {
        let changed =
            format!("rm -rf bad && cp -r again bad && sed -i '{change}' bad/{file} && ! diff -rq again bad");
        assert_eq!(place.shell(&changed, &[]).code, 0, "{change} changes nothing");
        let said = place.run(&["verify", "bad"]);
        assert_eq!(said.code, 3, "{change}: {}{}", said.out, said.err);
        assert!(
            said.err.contains("what was proved is") || said.out.contains("what was proved is"),
            "{change}"
        );
    }
}

/// The texts of a folder and its subfolders.
fn texts_below(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap().to_owned();
        if entry.is_dir() {
            all.extend(
                texts_below(&entry).into_iter().map(|(below, text)| (format!("{name}/{below}"), text)),
            );
        } else {
            all.insert(name, fs::read_to_string(&entry).unwrap());
        }
    }
    all
}

/// The texts of the emitted files, without the results of `make`.
fn texts_of_sources(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let made = |p: &Path| {
        p.extension().is_some_and(|e| ["o", "a", "so"].iter().any(|m| e == *m)) || p.ends_with("selftest")
    };
    entries
        .filter(|p| !made(p))
        .map(|p| (p.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&p).unwrap()))
        .collect()
}

#[test]
fn what_several_levels_cannot_be_is_said() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("refused-levels");
    for (arguments, code, why) in [
        (&["emit", "aes128-ctr", "--as", "asm", "-o", "x", "--cpu", "sse2,ssse3"][..], 2, "one by one"),
        (
            &["emit", "aes128-ctr", "--as", "package", "-o", "x", "--cpu", "sse2,sse3"],
            2,
            "no CPU level 'sse3'",
        ),
        (&["emit", "aes128-ctr", "--as", "package", "-o", "x", "--cpu", "sse2,baseline"], 1, "twice"),
        (&["emit", "aes128-ctr", "--as", "package", "-o", "x", "--prefix", "1st"], 2, "cannot be a prefix"),
        (&["bench", "aes128-ctr", "--cpu", "sse2,ssse3"], 2, "only `tune` and `emit`"),
        (&["emit", "aes128-ctr,aes128-ecb", "--as", "asm", "-o", "x"], 2, "one package of assembly"),
        (&["emit", "aes128-ctr,aes128-key", "--as", "package", "-o", "x"], 1, "so leave it out"),
        (
            &["emit", "aes128-ctr,aes128-ecb", "--as", "cuda", "-o", "x", "--processor", "gpu"],
            2,
            "one by one",
        ),
        (
            &["emit", "aes128-ctr,aes128-ctr", "--as", "package", "-o", "x", "--processor", "avr"],
            2,
            "is there twice",
        ),
        (
            &[
                "emit",
                "aes128-ctr,aes128-ecb",
                "--as",
                "package",
                "-o",
                "x",
                "--processor",
                "avr",
                "--keys",
                "all",
            ],
            2,
            "goes with one problem",
        ),
    ] {
        let said = place.run(arguments);
        assert_eq!(said.code, code, "{arguments:?}: {}", said.err);
        assert!(said.err.contains(why), "{arguments:?}: {}", said.err);
        assert!(!place.path("x").exists(), "{arguments:?} wrote files");
    }
}
