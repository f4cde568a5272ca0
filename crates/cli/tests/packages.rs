//! Packages through the command: built by their Makefile, proved again from the library, regenerated from their own
//! README; several levels in one.

use crate::support;
use crate::support::{Place, has, sorted};
use aesmith_processor::trial::is_soak;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn can_build() -> bool {
    has(&["make", "cc"])
}

/// The texts of the emitted files in a folder and its subfolders, without the results of `make`.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in sorted(folder) {
        let name = entry.file_name().unwrap().to_str().unwrap().to_owned();
        let made = entry.extension().is_some_and(|e| ["o", "a", "so"].iter().any(|made| e == *made));
        if entry.is_dir() {
            all.extend(texts(&entry).into_iter().map(|(below, text)| (format!("{name}/{below}"), text)));
        } else if !made && name != "selftest" {
            all.insert(name, fs::read_to_string(&entry).unwrap());
        }
    }
    all
}

/// Changes a copy of the package `again` by a script of sed, which must be refused.
fn change_is_refused(place: &Place, file: &str, change: &str) {
    let changed =
        format!("rm -rf bad && cp -r again bad && sed -i '{change}' bad/{file} && ! diff -rq again bad");
    assert_eq!(place.shell(&changed, &[]).code, 0, "{change} changes nothing");
    let said = place.ends("verify bad", 3);
    assert!(said.all().contains("what was proved is"), "{change}: {}", said.all());
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
        ("aes256-ctr", BY_LENGTH, ""),
        ("aes256-ctr", BY_LENGTH, "--source c"),
        (
            "aes128-ecb",
            "up to 64 bytes: aes128-ecb wipe=yes\naes128-ecb interleave=8 wipe=yes\n",
            "--prefix mine",
        ),
        ("aes192-cbc-x4", "aes192-cbc-x4 together=yes\n", "--cpu avx-aesni"),
        ("aes128-ctr", "aes128-ctr cached=1 interleave=4\naes128-ctr-table\n", ""),
        ("aes128-cbc-dec", "aes128-cbc-dec technique=bitsliced\n", "--source c --portable"),
        ("aes256-key-dec", "aes256-key-dec schedule=aesenclast\n", ""),
    ]
    .into_iter()
    .enumerate()
    {
        place.write("variants", variants);
        let first = format!("first-{i}");
        place.ok(&format!("emit {problem} --as package {options} -o {first} --variant variants"));
        let made = texts(&place.path(&first));
        // The recipe contains the CPU options, so that they are not repeated.
        let named_cpu = options.starts_with("--cpu");
        let again_with = if named_cpu { "" } else { options };
        let header = made.keys().find(|name| name.ends_with(".h")).unwrap();
        // The name contains the named level, but no technique.
        if options.is_empty() || named_cpu {
            let level = if named_cpu { "_avx_aesni" } else { "" };
            assert_eq!(header, &format!("aesmith_{}{level}.h", problem.replace('-', "_")));
        }
        // The recipe is the same in both files: outside of a soak, one of them is taken in turn.
        let is_turn = |(j, _): &(usize, _)| is_soak() || *j == i % 2;
        for (j, file) in ["README.md", &**header].into_iter().enumerate().filter(is_turn) {
            let (again, from) = (format!("again-{i}-{j}"), format!("{first}/{file}"));
            place.ok(&format!("emit {problem} --as package {again_with} -o {again} --variant {from}"));
            assert_eq!(texts(&place.path(&again)), made, "{problem} from {file}");
        }
    }
    let twice = "emit aes192-cbc-x4 --as package -o x --variant first-3/README.md --cpu sse2";
    place.refused(twice, 2, "--cpu has nothing to say");
}

#[test]
fn verify_accepts_the_archive_that_make_builds() {
    if !support::has_aes() || !can_build() {
        return;
    }
    let place = Place::new("archive");
    place.write("variants", BY_LENGTH);
    place.ok("emit aes256-ctr --as package -o one --variant variants");
    place.shell("make -s -C one check", &[]).ended(0);
    let library = "one/libaesmith_aes256_ctr.a";
    let said = place.ok(&format!("verify {library}"));
    for symbol in ["aesmith_aes256_ctr", "aesmith_aes256_ctr_schedule"] {
        let function = format!("{library}(aesmith_aes256_ctr.o): {symbol}\n");
        assert!(said.out.contains(&function), "{symbol} is not listed: {}", said.out);
    }
    assert_eq!(said.out.matches("proved E3").count(), 2, "{}", said.out);
    assert_eq!(said.out.matches("says the same").count(), 2, "{}", said.out);
    // In a shared object the linker has chosen the distance to the constants.
    place.shell("make -s -C one shared", &[]).ended(0);
    let said = place.ok("verify one/libaesmith_aes256_ctr.so");
    assert_eq!(said.out.matches("says the same").count(), 2, "{}", said.out);
    // A round of decryption within encryption: aesenc and aesdec differ in two bits of the opcode.
    let mut bytes = fs::read(place.path(library)).unwrap();
    let aesenc = [0x0f, 0x38, 0xdc];
    let vex = |w: &[u8]| w[0] == 0xc4 && w[1] & 0x1f == 2 && w[3] == 0xdc;
    let at = bytes.windows(4).position(|w| vex(w) || w[..3] == aesenc).expect("a round");
    let opcode = if bytes[at] == 0xc4 { at + 3 } else { at + 2 };
    bytes[opcode] = 0xde;
    place.write(library, bytes);
    place.ends(&format!("verify {library}"), 3).says("NOT PROVED").says("DIFFERS");
}

#[test]
fn a_package_of_several_levels_is_proved_whole_and_made_again() {
    if !support::has_aes() || !can_build() {
        return;
    }
    let place = Place::new("levels");
    let levels = "--cpu sse2,avx-aesni --cpu native";
    let json = place.json(&format!("emit aes128-ctr --as package -o all --prefix mine --json {levels}"));
    let order: Vec<&str> =
        json["levels"].as_array().unwrap().iter().map(|l| l["level"].as_str().unwrap()).collect();
    // A CPU without wider AES instructions has the kernel of avx-aesni: it is there once.
    let own = if aesmith_x86::targets::here().lanes() > 1 { &["native"][..] } else { &[] };
    assert_eq!(order, [own, &["avx-aesni", "sse2"]].concat(), "the greatest first");
    place.shell("make -s -C all check", &[]).ended(0).says(" passed, 0 failed");
    let said = place.ok("verify all/libmine_aes128_ctr.a");
    for level in order {
        let level = level.replace('-', "_");
        for symbol in [level.clone(), level + "_schedule"] {
            assert!(said.out.contains(&format!(": mine_aes128_ctr_{symbol}\n")), "{symbol}: {}", said.out);
        }
    }
    let chooser = "(mine_aes128_ctr_support.o): mine_aes128_ctr\n    not a kernel, and not proved";
    assert!(said.out.contains(chooser), "{}", said.out);
    assert_eq!(said.out.matches("proved E3").count(), said.out.matches("says the same").count());
    // The support object alone contains no kernel that could be proved.
    place.ends("verify all/mine_aes128_ctr_support.o", 3);
    let before = texts(&place.path("all"));
    place.ok("emit aes128-ctr --as package -o again --variant all/README.md --prefix mine");
    assert_eq!(texts(&place.path("again")), before);
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
    // The search for proofs of bit slices takes most of the time with sse2.
    let cpu = if is_soak() { "aesni,sse2" } else { "aesni,avx-aesni" };
    place.ok(&format!("emit {problems} --as package -o all --prefix mine --cpu {cpu}"));
    let before = texts(&place.path("all"));
    place.ok(&format!("emit {problems} --as package -o again --variant all/README.md"));
    assert_eq!(texts(&place.path("again")), before);
    place.ok("verify all");
    let made = place.shell("make -s -C all check shared", &[]).ended(0);
    assert_eq!(made.out.matches(" passed, 0 failed").count(), 4, "{}", made.out);
    for file in ["all", "all/libmine_aes.a", "all/libmine_aes.so"] {
        let said = place.ok(&format!("verify {file}"));
        assert_eq!(said.out.matches("proved E3").count(), said.out.matches("says the same").count());
    }
    place.refused("emit aes128-cbc --as package -o all", 1, "holds the package mine_aes already");
    for (file, change) in [
        (
            "mine_aes.h",
            "s/void mine_aes128_ctr(const mine_aes128_key/void mine_aes128_ctr(const mine_aes256_key/",
        ),
        ("mine_aes.h", "s/int mine_aes_supported/int mine_aes_supporte/"),
        ("mine_aes_support.c", "0,/mine_aes128_ctr_aesni(key/s//mine_aes256_ctr_aesni(key/"),
        ("mine_aes_support.c", "0,/case 1:/s//case 2:/"),
    ] {
        change_is_refused(&place, file, change);
    }
}

/// Several problems in one package for firmware: functions that share a key read it in one form, the limit is for the
/// whole package, and the README regenerates it.
#[test]
fn a_package_of_several_problems_for_firmware_is_proved_whole_and_made_again() {
    let place = Place::new("several-firmware");
    let problems = "aes128-ecb,aes128-ctr,aes256-ecb,aes128-ecb-dec";
    let emit = format!("emit {problems} --as package --processor cortex-m3");
    let object = place.json(&format!("{emit} -o all --prefix mine --max-flash 20000 --json"));
    assert_eq!(object["package"], "mine_aes_cortex_m3");
    assert_eq!(object["problems"].as_array().unwrap().len(), 4);
    assert!(object["sizes"]["flash"].as_u64().unwrap() <= 20_000, "{object}");
    // The two functions that share a key have one schedule.
    let parts = object["parts"].as_array().unwrap();
    assert_eq!(parts.iter().filter(|part| part["symbol"] == "mine_aes128_expand").count(), 1, "{parts:?}");
    let before = texts(&place.path("all"));
    // No search was made here, which the package says of each function, as the one made of it does.
    let header = "src/mine_aes_cortex_m3.h";
    assert!(parts.iter().all(|part| part["tuned"] == false), "{parts:?}");
    let says =
        "NOT TUNED: the best of some variants; `aesmith tune aes128-ctr --processor cortex-m3` looks at all.";
    for file in ["README.md", header] {
        // Lines of comments are wrapped.
        assert!(before[file].replace("\n *  ", "").contains(says), "{}", before[file]);
        assert_eq!(before[file].matches("in registers or on the stack.").count(), parts.len());
        place.ok(&format!("{emit} -o again --variant all/{file}"));
        let again = texts(&place.path("again"));
        assert!(again.keys().eq(before.keys()), "{:?}", again.keys());
        // A certificate contains the duration of its proof, which varies.
        for (name, text) in again.iter().filter(|(name, _)| !name.starts_with("certificates/")) {
            assert!(*text == before[name], "{name} is not made again from {file}");
        }
    }
    place.ok("verify all");
    let fewer = "emit aes128-ecb --as package --processor cortex-m3 -o x --variant all/README.md";
    place.refused(fewer, 2, "ask for aes128-ctr, too");
    for change in [
        "s/mine_aes128_expand(key->words/mine_aes256_expand(key->words/",
        "s/uint32_t words\\[[0-9]*\\]/uint32_t words[3]/",
        "s/word\\[n\\] = 0;/word[0] = 0;/",
    ] {
        change_is_refused(&place, header, change);
    }
}

#[test]
fn what_several_levels_cannot_be_is_said() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("refused-levels");
    for (arguments, code, why) in [
        ("emit aes128-ctr --as asm -o x --cpu sse2,ssse3", 2, "one by one"),
        ("emit aes128-ctr --as package -o x --cpu sse2,sse3", 2, "no CPU level 'sse3'"),
        ("emit aes128-ctr --as package -o x --cpu sse2,baseline", 1, "twice"),
        ("emit aes128-ctr --as package -o x --prefix 1st", 2, "cannot be a prefix"),
        ("bench aes128-ctr --cpu sse2,ssse3", 2, "only `tune` and `emit`"),
        ("emit aes128-ctr,aes128-ecb --as asm -o x", 2, "one package of assembly"),
        ("emit aes128-ctr,aes128-key --as package -o x", 1, "so leave it out"),
        ("emit aes128-ctr,aes128-ecb --as cuda -o x --processor gpu", 2, "one by one"),
        ("emit aes128-ctr,aes128-ctr --as package -o x --processor avr", 2, "is there twice"),
        (
            "emit aes128-ctr,aes128-ecb --as package -o x --processor avr --keys all",
            2,
            "goes with one problem",
        ),
    ] {
        place.refused(arguments, code, why);
        assert!(!place.path("x").exists(), "{arguments:?} wrote files");
    }
}

/// AES instructions come first among levels whose kernels need different features, if none is measured: kernels of AVX2
/// without them are many times slower.
#[test]
fn aes_instructions_come_before_wide_registers() {
    let place = Place::new("order-of-levels");
    let levels = |cpu: &str, at: &str| -> Vec<String> {
        let said = place.run(&format!("emit aes128-ctr,aes256-cbc --as package --cpu {cpu} -o {at} --json"));
        if said.code == 4 {
            return Vec::new();
        }
        let names = said.object()["levels"].as_array().unwrap().clone();
        names.iter().map(|level| level["level"].as_str().unwrap().to_owned()).collect()
    };
    // The kernels of avx2-aesni for these need AES and AVX alone.
    let orders = ["avx2,avx2-aesni,sse2", "avx2,avx-aesni,sse2"];
    for (at, cpu) in orders.iter().take(if is_soak() { 2 } else { 1 }).enumerate() {
        let levels = levels(cpu, &format!("out{at}"));
        if levels.is_empty() {
            println!("skipped: no AVX2");
            return;
        }
        assert!(levels[0].ends_with("-aesni") && levels[1..] == ["avx2", "sse2"], "{cpu}: {levels:?}");
    }
}

/// The limit of bytes is of the whole package: of all levels and problems, with their key set-up.
#[test]
fn the_limit_of_bytes_is_for_the_whole_package() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("limited");
    let emit = "emit aes128-ecb,aes128-ctr --as package --cpu sse2,aesni --json";
    let taken = |object: &serde_json::Value| object["sizes"]["flash"].as_u64().unwrap();
    let free = place.json(&format!("{emit} -o free"));
    let parts = free["parts"].as_array().unwrap();
    assert_eq!(taken(&free), parts.iter().map(|part| part["flash"].as_u64().unwrap()).sum::<u64>());
    let same = place.json(&format!("{emit} -o same --max-code {}", taken(&free)));
    assert_eq!(taken(&same), taken(&free));
    // Each kernel is far below this limit, and all of them together are not.
    let most = taken(&free) * 9 / 10;
    assert!(parts.iter().all(|part| part["flash"].as_u64().unwrap() < most), "{parts:?}");
    let said = place.ok(&format!("{emit} -o less --max-code {most}")).warns("taken are the best of at most");
    assert!(taken(&said.object()) <= most, "{}", said.all());
    place.ok("verify less");
    // A recipe is used as it is, or refused.
    let recipe =
        format!("emit aes128-ecb,aes128-ctr --as package --variant free/README.md -o none --max-code {most}");
    place.refused(
        &recipe,
        1,
        &format!("{} bytes of code and constants needed, {most} allowed", taken(&free)),
    );
    assert!(!place.path("none").exists());
    // What is needed is what small kernels need, also where one alone is too large.
    for most in if is_soak() { &[10, 600][..] } else { &[600] } {
        let said = place.refused(&format!("{emit} -o none --max-code {most}"), 1, "Does not fit: ");
        let needed =
            said.err.split("Does not fit: ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        let needed: u64 = needed.expect("a number of bytes");
        assert!(*most < needed && needed < taken(&free) * 3 / 4, "{needed} of {}", taken(&free));
        let enough = needed + needed / 8;
        let fits = place.json(&format!("{emit} -o at-{most} --max-code {enough}"));
        assert!(taken(&fits) <= enough, "{needed}");
    }
    assert!(!place.path("none").exists());
}

/// A folder holds one package: another one of the same name, with other problems, levels or languages, is refused, and
/// the same one is written over an earlier version of itself, of which nothing is left.
#[test]
fn a_folder_holds_one_package() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("one-folder");
    let problems = "emit aes128-ecb,aes128-ctr --as package --cpu aesni";
    place.ok(&format!("{problems} -o problems"));
    let before = texts(&place.path("problems"));
    place.ok(&format!("{problems} -o problems"));
    place.refused(
        "emit aes128-ecb,aes256-ctr --as package --cpu aesni -o problems",
        1,
        "aesmith_aes128_ctr.certificate.json is of another package aesmith_aes",
    );
    assert_eq!(texts(&place.path("problems")), before, "nothing is written");
    place.ok("emit aes128-ctr --as package --cpu aesni,avx-aesni -o levels");
    let fewer = "emit aes128-ctr --as package --cpu avx-aesni,sse2 -o levels";
    place.refused(fewer, 1, "aesmith_aes128_ctr_aesni");
    place.ok(&format!("{fewer} --force"));
    // The table belongs to the kernel that reads it, and goes with it.
    place.write("table", "aes128-ctr cached=1 interleave=4\naes128-ctr-table\n");
    place.write("plain", "aes128-ctr interleave=4\n");
    place.ok("emit aes128-ctr --as package -o one --variant table");
    let table = place.path("one/aesmith_aes128_ctr_table.certificate.json");
    assert!(table.exists());
    place.ok("emit aes128-ctr --as package -o one --variant plain").warns("is removed");
    assert!(!table.exists());
    place.ok("verify one");
    // So does the proof of a kernel if the checker accepts none of the new one.
    let proof = place.path("one/aesmith_aes128_ctr.proof");
    assert!(proof.exists());
    place.write("pipelined", "aes128-ctr width=xmm cached=2 interleave=1 ii=3\n");
    place
        .ok("emit aes128-ctr --as package -o one --variant pipelined")
        .warns("aesmith_aes128_ctr.proof is removed");
    assert!(!proof.exists());
    place.ok("verify one");
    place.refused("emit aes128-ctr --as package --source c -o one", 1, "languages");
    // Files that aesmith did not write stay, whatever their names.
    place.write("one/aesmith_aes192_ctr.S", "/* mine */\n");
    place.ok("emit aes128-ctr --as package -o one --variant plain");
    assert!(place.path("one/aesmith_aes192_ctr.S").exists());
}
