//! Console, JSON, wisdom, certificate, package and report of one tuning run name the same kernel, and a restriction
//! holds in every written file.

mod support;

use serde_json::Value;
use std::fs;
use support::{Place, has_aes};

/// A certificate of a package.
fn certificate(place: &Place, folder: &str, symbol: &str) -> Value {
    let path = place.path(format!("{folder}/{symbol}.certificate.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The word after a heading at the start of a line.
fn after<'t>(text: &'t str, heading: &str) -> &'t str {
    let line = text.lines().find_map(|l| l.strip_prefix(heading));
    line.unwrap_or_else(|| panic!("no `{heading}` in {text}")).trim()
}

const BUDGET: [&str; 4] = ["--trials", "12", "--time", "3s"];

fn tune<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["tune", "aes128-ecb"].into_iter().chain(BUDGET).chain(more.iter().copied()).collect()
}

#[test]
fn console_wisdom_certificate_package_and_report_name_one_kernel() {
    if !has_aes() {
        return;
    }
    let place = Place::new("one-kernel");
    let said = place.run(&tune(&["-o", "free"]));
    assert_eq!(said.code, 0, "{}", said.err);
    let variant = after(&said.out, "variant").to_owned();
    let best = after(&said.out, "best");
    let cost = best.split_whitespace().next().unwrap();
    let hash = certificate(&place, "free", "aesmith_aes128_ecb")["sha256"].as_str().unwrap().to_owned();
    assert!(best.contains(&hash[..8]), "the kernel that is printed is the one that is certified: {best}");
    assert!(best.contains("quartiles"), "{best}");
    assert!(said.out.contains("times faster") || said.out.contains("not measured"), "{}", said.out);
    let assembly = fs::read_to_string(place.path("free/aesmith_aes128_ecb.S")).unwrap();
    assert!(assembly.contains(&variant) && assembly.contains(&hash), "the package holds what is printed");
    let stored = place.json(&["wisdom", "show", "aes128-ecb", "--size", "32KiB", "--json"]);
    assert_eq!(stored["variant"].as_str(), Some(&*variant));
    // If other variants are best at other lengths, the kernel contains several.
    assert!(best.contains("-by-length-") || stored["sha256"].as_str() == Some(&*hash), "{best}: {stored}");
    assert_eq!(format!("{:.4}", stored["median"].as_f64().unwrap()), cost);
    let report = fs::read_to_string(place.path("free/report.html")).unwrap();
    // HTML escapes the `>` in an order of instructions such as 21>22.
    let shown = variant.replace('>', "&gt;");
    assert!(report.contains(&shown) && report.contains(&hash), "the report is of what is printed");
    assert!(said.err.contains("stage 1 of ") && !said.err.contains(" of 0"), "{}", said.err);
    let stages: Vec<(usize, usize)> = said
        .err
        .lines()
        .filter_map(|l| l.strip_prefix("stage ")?.split([',', ':']).next()?.split_once(" of "))
        .map(|(number, of)| (number.parse().unwrap(), of.parse().unwrap()))
        .collect();
    assert_eq!(stages.iter().map(|(n, of)| of - n).min(), Some(0), "the last stage is reached: {stages:?}");
    assert!(stages.iter().all(|(number, of)| number <= of), "{stages:?}");

    // A restricted run has its own best, and the best without restriction stays.
    let narrow = place.run(&tune(&["--width", "xmm", "--json", "-o", "narrow"]));
    assert_eq!(narrow.code, 0, "{}", narrow.err);
    let narrow: Value = serde_json::from_str(&narrow.out).unwrap();
    assert_eq!(narrow["restriction"], "up to xmm");
    let emitted = |folder: &str, more: &[&str]| {
        let mut arguments = vec!["emit", "aes128-ecb", "--as", "asm", "-o", folder];
        arguments.extend(more);
        assert_eq!(place.run(&arguments).code, 0);
        certificate(&place, folder, "aesmith_aes128_ecb")["sha256"].as_str().unwrap().to_owned()
    };
    assert_eq!(emitted("again", &[]), hash);
    let of_narrow = certificate(&place, "narrow", "aesmith_aes128_ecb")["sha256"].clone();
    assert_eq!(emitted("again-narrow", &["--width", "xmm"]), of_narrow);
    let bench = place.run(&["bench", "aes128-ecb", "--sizes", "64B", "--width", "xmm", "--json"]);
    let named = of_narrow.as_str().unwrap()[..8].to_owned();
    assert!(bench.out.contains(&named), "bench measures what is handed out: {}", bench.out);
}

#[test]
fn a_run_for_cold_calls_has_a_kernel_of_its_own_in_all_that_it_says() {
    if !has_aes() {
        return;
    }
    let place = Place::new("cold");
    let said = place.run(&tune(&["--for", "cold", "-o", "cold"]));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("one call of 32 KiB after 100 us"), "{}", said.out);
    assert!(after(&said.out, "bound").ends_with("of calls in steady state alone"), "{}", said.out);
    assert!(said.err.contains("each of one call after 100 microseconds of other work"), "{}", said.err);
    let variant = after(&said.out, "variant").to_owned();
    let hash = certificate(&place, "cold", "aesmith_aes128_ecb")["sha256"].as_str().unwrap().to_owned();
    let report = fs::read_to_string(place.path("cold/report.html")).unwrap();
    assert!(report.contains(&hash) && report.contains("in one call after 100 microseconds of other work"));
    let shown = place.json(&["wisdom", "show", "aes128-ecb", "--size", "32KiB", "--json"]);
    assert_eq!((&shown["calls"], &shown["variant"]), (&"cold".into(), &Value::from(variant.as_str())));
    assert_eq!(shown["bound"], Value::Null);
    // If other variants are best at other lengths, the kernel contains several.
    let best = after(&said.out, "best");
    assert!(best.contains("-by-length-") || shown["sha256"].as_str() == Some(&*hash), "{best}: {shown}");

    // It is emitted for cold calls only.
    let emitted = place.run(&["emit", "aes128-ecb", "--as", "asm", "--for", "cold", "-o", "again"]);
    assert_eq!(emitted.code, 0, "{}", emitted.err);
    assert_eq!(certificate(&place, "again", "aesmith_aes128_ecb")["sha256"], hash.as_str());
    let steady = place.run(&["emit", "aes128-ecb", "--as", "asm", "-o", "steady"]);
    assert!(steady.err.contains("wisdom has no best of aes128-ecb"), "{}", steady.err);
}

#[test]
fn cold_calls_are_refused_where_nothing_measures_them() {
    let place = Place::new("cold-refused");
    for command in [
        &["tune", "aes128-ecb", "-o", "made"][..],
        &["emit", "aes128-ecb", "--as", "asm", "-o", "made"],
        &["bench", "aes128-ecb"],
        &["explain", "aes128-ecb"],
        &["report", "aes128-ecb", "-o", "made"],
    ] {
        let said = place.run(&[command, &["--processor", "avr", "--for", "cold"]].concat());
        assert_eq!(said.code, 2, "{command:?}: {}", said.err);
        assert!(said.err.contains("cycles on avr are counted"), "{command:?}: {}", said.err);
    }
    let figures = place.run(&["tune", "aes128-ecb", "--for", "cold", "--figures", "1s", "-o", "made"]);
    assert!(figures.code == 2 && figures.err.contains("steady state"), "{}", figures.err);
    let goals = place.run(&["bench", "--for", "cold"]);
    assert!(goals.code == 2 && goals.err.contains("name a problem"), "{}", goals.err);
    let unknown = place.run(&["tune", "aes128-ecb", "--for", "could", "-o", "made"]);
    assert!(unknown.code == 2 && unknown.err.contains("did you mean cold"), "{}", unknown.err);
    assert!(!place.path("made").exists(), "nothing is written in its place");
}

#[test]
fn what_is_restricted_to_wiping_is_wiped_or_refused() {
    if !has_aes() {
        return;
    }
    let place = Place::new("wiped");
    for (problem, form) in [("aes128-ctr", "package"), ("aes256-cbc", "asm"), ("aes128-cbc-dec", "package")] {
        let said = place.run(&["emit", problem, "--as", form, "--only", "wipe=yes", "-o", problem]);
        assert_eq!(said.code, 0, "{}", said.err);
        let mut certificates = 0;
        for entry in fs::read_dir(place.path(problem)).unwrap() {
            let path = entry.unwrap().path();
            if path.to_str().unwrap().ends_with(".certificate.json") {
                let json: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
                assert_eq!(json["wiped"], true, "{}", path.display());
                certificates += 1;
            }
        }
        assert!(certificates >= 2, "{problem}: message and key set-up");
    }
    let refused = place.run(&["emit", "aes128-ctr", "--as", "asm", "--only", "circuit=0", "-o", "none"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("circuit"), "{}", refused.err);
    assert!(!place.path("none").exists(), "nothing is written in its place");
    let refused = place.run(&["bench", "--width", "xmm"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
}

/// A level named by `--cpu` occurs in the names that `tune` emits as in those of `emit`.
#[test]
fn tune_and_emit_name_a_level_alike() {
    if !has_aes() {
        return;
    }
    let place = Place::new("one-level");
    let said =
        place.run(&["tune", "aes128-ecb", "--cpu", "aesni", "--trials", "4", "--time", "2s", "-o", "tuned"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = place.run(&["emit", "aes128-ecb", "--cpu", "aesni", "--as", "package", "-o", "emitted"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for folder in ["tuned", "emitted"] {
        assert!(place.path(folder).join("aesmith_aes128_ecb_aesni.S").is_file(), "{folder}");
    }
}
