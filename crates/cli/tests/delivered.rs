//! Console, JSON, wisdom, certificate, package and report of one tuning run name the same kernel, and a restriction
//! holds in every written file.

use crate::support::{Place, has_aes, sorted};
use serde_json::Value;

/// The hash of the kernel in a folder, by its certificate.
fn hash_in(place: &Place, folder: &str) -> String {
    let certificate = place.read_json(format!("{folder}/aesmith_aes128_ecb.certificate.json"));
    certificate["sha256"].as_str().unwrap().to_owned()
}

/// The word after a heading at the start of a line.
fn after<'t>(text: &'t str, heading: &str) -> &'t str {
    let line = text.lines().find_map(|l| l.strip_prefix(heading));
    line.unwrap_or_else(|| panic!("no `{heading}` in {text}")).trim()
}

/// A short run.
const TUNE: &str = "tune aes128-ecb --trials 12 --time 3s";

#[test]
fn console_wisdom_certificate_package_and_report_name_one_kernel() {
    if !has_aes() {
        return;
    }
    let place = Place::new("one-kernel");
    let said = place.ok(&format!("{TUNE} -o free"));
    let variant = after(&said.out, "variant").to_owned();
    let best = after(&said.out, "best");
    let cost = best.split_whitespace().next().unwrap();
    let hash = hash_in(&place, "free");
    assert!(best.contains(&hash[..8]), "the kernel that is printed is the one that is certified: {best}");
    assert!(best.contains("quartiles"), "{best}");
    assert!(said.out.contains("times faster") || said.out.contains("not measured"), "{}", said.out);
    let assembly = place.read("free/aesmith_aes128_ecb.S");
    assert!(assembly.contains(&variant) && assembly.contains(&hash), "the package holds what is printed");
    let stored = place.json("wisdom show aes128-ecb --size 32KiB --json");
    assert_eq!(stored["variant"].as_str(), Some(&*variant));
    // If other variants are best at other lengths, the kernel contains several.
    assert!(best.contains("-by-length-") || stored["sha256"].as_str() == Some(&*hash), "{best}: {stored}");
    assert_eq!(format!("{:.4}", stored["median"].as_f64().unwrap()), cost);
    let report = place.read("free/report.html");
    // HTML escapes the `>` in an order of instructions such as 21>22.
    let shown = variant.replace('>', "&gt;");
    assert!(report.contains(&shown) && report.contains(&hash), "the report is of what is printed");
    assert!(said.err.contains("stage 1 of "), "{}", said.err);
    let stages: Vec<(usize, usize)> = said
        .err
        .lines()
        .filter_map(|l| l.strip_prefix("stage ")?.split([',', ':']).next()?.split_once(" of "))
        .map(|(number, of)| (number.parse().unwrap(), of.parse().unwrap()))
        .collect();
    assert_eq!(stages.iter().map(|(n, of)| of - n).min(), Some(0), "the last stage is reached: {stages:?}");
    assert!(stages.iter().all(|(number, of)| number <= of), "{stages:?}");

    // A restricted run has its own best, and the best without restriction stays.
    let narrow = place.json(&format!("{TUNE} --width xmm --json -o narrow"));
    assert_eq!(narrow["restriction"], "up to xmm");
    let emitted = |folder: &str, more: &str| {
        place.ok(&format!("emit aes128-ecb --as asm -o {folder} {more}"));
        hash_in(&place, folder)
    };
    assert_eq!(emitted("again", ""), hash);
    let of_narrow = hash_in(&place, "narrow");
    assert_eq!(emitted("again-narrow", "--width xmm"), of_narrow);
    let bench = place.run("bench aes128-ecb --sizes 64B --width xmm --json");
    assert!(bench.out.contains(&of_narrow[..8]), "bench measures what is delivered: {}", bench.out);
}

#[test]
fn a_run_for_cold_calls_has_a_kernel_of_its_own_in_all_that_it_says() {
    if !has_aes() {
        return;
    }
    let place = Place::new("cold");
    let said = place.ok(&format!("{TUNE} --for cold -o cold")).says("one call of 32 KiB after 100 us");
    assert!(after(&said.out, "bound").ends_with("of calls in steady state alone"), "{}", said.out);
    assert!(said.err.contains("each of one call after 100 microseconds of other work"), "{}", said.err);
    let variant = after(&said.out, "variant").to_owned();
    let hash = hash_in(&place, "cold");
    let report = place.read("cold/report.html");
    assert!(report.contains(&hash) && report.contains("in one call after 100 microseconds of other work"));
    let shown = place.json("wisdom show aes128-ecb --size 32KiB --json");
    assert_eq!((&shown["calls"], &shown["variant"]), (&"cold".into(), &Value::from(variant.as_str())));
    assert_eq!(shown["bound"], Value::Null);
    // If other variants are best at other lengths, the kernel contains several.
    let best = after(&said.out, "best");
    assert!(best.contains("-by-length-") || shown["sha256"].as_str() == Some(&*hash), "{best}: {shown}");

    // It is emitted for cold calls only.
    place.ok("emit aes128-ecb --as asm --for cold -o again");
    assert_eq!(hash_in(&place, "again"), hash);
    let steady = place.run("emit aes128-ecb --as asm -o steady");
    assert!(steady.err.contains("wisdom has no best of aes128-ecb"), "{}", steady.err);
}

#[test]
fn cold_calls_are_refused_where_nothing_measures_them() {
    let place = Place::new("cold-refused");
    for command in ["tune -o made", "emit --as asm -o made", "bench", "explain", "report -o made"] {
        let command = format!("{command} aes128-ecb --processor avr --for cold");
        place.refused(&command, 2, "cycles on avr are counted");
    }
    place.refused("tune aes128-ecb --for cold --figures 1s -o made", 2, "steady state");
    place.refused("bench --for cold", 2, "name a problem");
    place.refused("tune aes128-ecb --for could -o made", 2, "did you mean cold");
    assert!(!place.path("made").exists(), "nothing is written in its place");
}

#[test]
fn what_is_restricted_to_wiping_is_wiped_or_refused() {
    if !has_aes() {
        return;
    }
    let place = Place::new("wiped");
    for (problem, form) in [("aes128-ctr", "package"), ("aes256-cbc", "asm"), ("aes128-cbc-dec", "package")] {
        place.ok(&format!("emit {problem} --as {form} --only wipe=yes -o {problem}"));
        let mut certificates = 0;
        for path in sorted(&place.path(problem)) {
            if path.to_str().unwrap().ends_with(".certificate.json") {
                assert_eq!(place.read_json(&path)["wiped"], true, "{}", path.display());
                certificates += 1;
            }
        }
        assert!(certificates >= 2, "{problem}: message and key set-up");
    }
    place.refused("emit aes128-ctr --as asm --only circuit=0 -o none", 2, "circuit");
    assert!(!place.path("none").exists(), "nothing is written in its place");
    place.ends("bench --width xmm", 2);
}

/// `--no-red-zone` holds for what is delivered, and `verify` finds a store below the stack pointer.
#[test]
fn the_red_zone_is_kept_free_where_that_is_asked_for() {
    if !has_aes() {
        return;
    }
    let place = Place::new("red-zone");
    place.ok("emit aes128-ctr --as package --no-red-zone -o all --cpu aesni");
    place.ok("verify --no-red-zone all");
    place.ok("emit aes128-ecb --as asm --no-red-zone -o one");
    assert_eq!(place.read_json("one/aesmith_aes128_ecb.certificate.json")["red_zone_bytes"], 0);
    let label = "\naesmith_aes128_ecb:\n";
    // An instruction is added, so that the line that holds the length goes.
    let text = place.read("one/aesmith_aes128_ecb.S");
    let text: String = text.split_inclusive('\n').filter(|line| !line.starts_with("\t.org ")).collect();
    assert_eq!(text.matches(label).count(), 1, "{text}");
    let below = "below/aesmith_aes128_ecb.S";
    place.shell("mkdir below", &[]).ended(0);
    place.write(below, text.replace(label, &format!("{label}    movq %rdi, -16(%rsp)\n")));
    place.ok(&format!("verify {below}"));
    let said = place.ends(&format!("verify --no-red-zone {below}"), 3);
    assert!(said.all().contains("uses 16 bytes below the stack pointer"), "{}", said.all());
    place.ok("tune aes128-ecb --cpu aesni --trials 2 --time 1s --no-red-zone -o tuned");
    // Other processors' proofs refuse such accesses; C is the compiler's, and a GPU has no stack of a caller.
    place.ok("emit aes128-ecb --processor avr --only rounds=looped --as asm --no-red-zone -o avr");
    place.ok("verify --no-red-zone avr/aesmith_aes128_encrypt.S");
    for c in ["--as c", "--as package --source c", "--as c --processor avr"] {
        place.refused(&format!("emit aes128-ecb {c} --no-red-zone -o none"), 2, "-mno-red-zone");
    }
    place.refused(
        "emit aes128-ecb --as ptx --processor gpu --no-red-zone -o none",
        2,
        "means nothing on gpu",
    );
    assert!(!place.path("none").exists(), "nothing is written in its place");
}

/// `--checked` holds for what is delivered, and `verify` refuses what rests on the prover alone.
#[test]
fn only_what_the_checker_accepts_is_delivered_where_that_is_asked_for() {
    let place = Place::new("checked");
    if has_aes() {
        place.ok("emit aes128-ctr --as package --checked --cpu aesni -o all");
        place.ok("verify --checked all");
        // A counter table may be a part of what wins.
        place.ok("tune aes128-ctr --cpu aesni --trials 4 --time 1s --checked -o tuned");
        place.ok("verify --checked tuned");
    }
    // The checker does not know this processor.
    place.ok("emit aes128-ecb --processor spu --as asm -o spu");
    place.ok("verify spu/aesmith_aes128_encrypt.S");
    let said = place.ends("verify --checked spu/aesmith_aes128_encrypt.S", 3);
    assert!(said.all().contains("rests on the prover alone"), "{}", said.all());
    place.refused("emit aes128-ecb --as asm --processor spu --checked -o none", 2, "verify --checked");
    place.refused("emit aes128-ecb --as c --checked -o none", 2, "which a compiler makes of C");
    place.refused("tune aes128-ecb --processor avr --checked -o none", 2, "verify --checked");
    place.refused("tune aes128-ecb --processor gpu --checked -o none", 2, "verify --checked");
    assert!(!place.path("none").exists(), "nothing is written in its place");
}

/// A level named by `--cpu` occurs in the names that `tune` emits as in those of `emit`.
#[test]
fn tune_and_emit_name_a_level_alike() {
    if !has_aes() {
        return;
    }
    let place = Place::new("one-level");
    place.ok("tune aes128-ecb --cpu aesni --trials 4 --time 2s -o tuned");
    place.ok("emit aes128-ecb --cpu aesni --as package -o emitted");
    for folder in ["tuned", "emitted"] {
        assert!(place.path(folder).join("aesmith_aes128_ecb_aesni.S").is_file(), "{folder}");
    }
}
