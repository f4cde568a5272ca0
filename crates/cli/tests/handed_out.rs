//! Console, JSON, wisdom, certificate, package and report of one tuning run name one kernel, and a
//! restriction is kept in every file that is written.

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
    // Where others are best at other lengths, the kernel is of several variants.
    assert!(best.contains("-by-length-") || stored["sha256"].as_str() == Some(&*hash), "{best}: {stored}");
    assert_eq!(format!("{:.4}", stored["median"].as_f64().unwrap()), cost);
    let report = fs::read_to_string(place.path("free/report.html")).unwrap();
    // An order of instructions is written as 21>22, which HTML escapes.
    let shown = variant.replace('>', "&gt;");
    assert!(report.contains(&shown) && report.contains(&hash), "the report is of what is printed");
    assert!(said.err.contains("stage 1 of ") && !said.err.contains(" of 0"), "{}", said.err);
    let stages: Vec<(usize, usize)> = said
        .err
        .lines()
        .filter_map(|l| l.strip_prefix("stage ")?.split_once(':')?.0.split_once(" of "))
        .map(|(number, of)| (number.parse().unwrap(), of.parse().unwrap()))
        .collect();
    assert_eq!(stages.iter().map(|(n, of)| of - n).min(), Some(0), "the last stage is reached: {stages:?}");
    assert!(stages.iter().all(|(number, of)| number <= of), "{stages:?}");

    // A restricted run has its own best, and what is handed out without restriction stays.
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
