//! Certificates of kernels are accepted, and accepted certificates compute the specification.

use crate::concrete::{Random, call};
use aesmith_check::{Certificate, check};
use std::path::Path;

/// The certificates of `tests/proofs`, and those of `tests/crafted` that are accepted.
fn proofs() -> Vec<(String, String)> {
    let folders = ["tests/proofs", "tests/crafted/accept"];
    let folders = folders.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let entries = folders.map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let mut all: Vec<(String, String)> = entries
        .into_iter()
        .flatten()
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            (path.file_name().expect("a name").to_string_lossy().into_owned(), text)
        })
        .collect();
    all.retain(|(_, text)| !aesmith_check::bytes::is_meant(text));
    all.sort();
    all
}

#[test]
fn proofs_are_accepted_and_true() {
    let all = proofs();
    assert!(all.len() >= 5, "{}", all.len());
    for (name, text) in all {
        let certificate = Certificate::read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        check(&certificate).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut random = Random(7);
        for _ in 0..30 {
            call(&certificate, &mut random).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// Every change of the small kernels of [`WHOLE`] is tried, and one of this many of the others; all in a soak.
const SAMPLED: usize = 307;
/// Kernels whose every change is tried.
const WHOLE: [&str; 3] = ["aes128-ecb.proof", "aes128-ecb-dec.proof", "aes128-key.proof"];

/// Changes of a certificate that are tried: one of this many.
fn share(name: &str) -> usize {
    let is_all = WHOLE.contains(&name) || std::env::var_os("AESMITH_SOAK").is_some();
    if is_all { 1 } else { SAMPLED }
}

/// Checks a changed certificate. If it is accepted, its claim must be true of its code.
fn is_accepted_and_true(what: &str, certificate: &Certificate) -> bool {
    if check(certificate).is_err() {
        return false;
    }
    let mut random = Random(11);
    for _ in 0..12 {
        call(certificate, &mut random).unwrap_or_else(|error| panic!("{what} is accepted: {error}"));
    }
    true
}

#[test]
fn no_change_of_a_bit_of_code_is_accepted_unless_it_is_harmless() {
    let (mut all, mut accepted) = (0, 0);
    for (name, text) in proofs() {
        let certificate = Certificate::read(&text).expect("a certificate");
        for bit in (0..8 * certificate.code.len()).step_by(share(&name)) {
            let mut changed = certificate.clone();
            changed.code[bit / 8] ^= 1 << (bit % 8);
            all += 1;
            accepted += usize::from(is_accepted_and_true(&format!("{name}, bit {bit}"), &changed));
        }
    }
    println!("{accepted} of {all} changed kernels are accepted, and compute the same");
    assert!(all > 2000 && accepted < all / 20, "{accepted} of {all}");
}

/// Changes of a line: each number by some amounts, and each word to the one of another line.
fn changed_lines(line: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = (at..bytes.len()).find(|&k| !bytes[k].is_ascii_digit()).unwrap_or(bytes.len());
        if end > at {
            if let Ok(number) = line[at..end].parse::<i64>() {
                for other in
                    [number ^ 1, number.wrapping_add(1), number.wrapping_sub(1), number ^ 16, number ^ 64, 0]
                {
                    all.push(format!("{}{other}{}", &line[..at], &line[end..]));
                }
            }
            at = end;
        }
        at += 1;
    }
    for (from, to) in [
        ("in ", "out "),
        ("out ", "in "),
        ("- ", "+ "),
        ("+ ", "- "),
        ("enc(", "dec("),
        ("enc(", "enclast("),
        ("rbx", "rbp"),
        ("r12", "r13"),
        (" >= 0", " + 1 >= 0"),
        ("rsi", "rdi"),
        ("rcx", "rdx"),
        ("len", "key"),
    ] {
        all.extend(line.contains(from).then(|| line.replacen(from, to, 1)));
    }
    all.retain(|other| other != line);
    all
}

#[test]
fn no_change_of_a_statement_makes_a_wrong_claim_accepted() {
    let (mut all, mut accepted, mut change) = (0, 0, 0);
    for (name, text) in proofs() {
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            if line.starts_with("code") || line.starts_with('#') {
                continue;
            }
            for changed in changed_lines(line) {
                change += 1;
                if change % share(&name) != 0 {
                    continue;
                }
                let mut lines = lines.clone();
                lines[number] = &changed;
                all += 1;
                let Ok(certificate) = Certificate::read(&lines.join("\n")) else { continue };
                let what = format!("{name}, line {}: {changed}", number + 1);
                accepted += usize::from(is_accepted_and_true(&what, &certificate));
            }
        }
    }
    // Weaker and redundant statements are as good.
    println!("{accepted} of {all} changed certificates are accepted, with true claims");
    assert!(all > 500, "{all}");
}
