//! The second checker, in Python, has the same verdicts as the checker, on proofs and on changes of them. It is written from
//! docs/CERTIFICATES.md; where it does not know an instruction, it says so.

#[path = "suite/concrete.rs"]
#[allow(dead_code, reason = "a part of it is used")]
mod concrete;

use aesmith_check::{Certificate, check};
use concrete::Random;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Proofs that the second checker accepts: ECB and CTR on xmm.
const PROOFS: [&str; 8] = [
    "aes-ecb-wipes",
    "aes128-ecb",
    "aes128-ecb-dec",
    "aes128-ecb-pipelined",
    "aes192-ecb-streaming",
    "ctr",
    "ctr-add",
    "ctr-precomputed",
];

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The verdicts of the second checker on texts; `None` without Python.
fn verdicts(name: &str, texts: &[String]) -> Option<Vec<String>> {
    let folder = std::env::temp_dir().join(format!("aesmith-second-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let files: Vec<PathBuf> = (0..texts.len()).map(|i| folder.join(format!("{i}.proof"))).collect();
    for (file, text) in files.iter().zip(texts) {
        fs::write(file, text).expect("a file");
    }
    let said = Command::new("python3").arg(tests().join("second/checker.py")).args(&files).output();
    fs::remove_dir_all(&folder).expect("it is there");
    let Ok(said) = said else {
        println!("skipped: there is no python3");
        return None;
    };
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let lines: Vec<String> =
        String::from_utf8(said.stdout).expect("a text").lines().map(Into::into).collect();
    assert_eq!(lines.len(), texts.len(), "one line for each");
    Some(lines)
}

fn text(name: &str) -> String {
    fs::read_to_string(tests().join(format!("proofs/{name}.proof"))).expect("a proof")
}

/// The checker's verdict in the words of the second one.
fn own(text: &str) -> String {
    match Certificate::read(text).and_then(|certificate| check(&certificate)) {
        Ok(_) => "accepted".into(),
        Err(why) => format!("refused: {why}"),
    }
}

/// A text with one change: of a bit of the code, or of a line of the proof.
fn changed(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(Into::into).collect();
    let mut below = |bound: usize| random.below(bound as u64) as usize;
    let codes: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].starts_with("code ")).collect();
    let kind = below(4);
    if kind == 0 {
        let line = &mut lines[codes[below(codes.len())]];
        let at = 5 + below(line.len() - 5);
        let digit = u8::from_str_radix(&line[at..=at], 16).expect("a digit") ^ 1 << below(4);
        line.replace_range(at..=at, &format!("{digit:x}"));
        return lines.join("\n");
    }
    let proof = codes[codes.len() - 1] + 1..lines.len();
    let at = proof.start + below(proof.len());
    match kind {
        1 => drop(lines.remove(at)),
        2 => {
            let other = proof.start + below(proof.len());
            lines.swap(at, other);
        }
        _ => {
            // Another number, sign or name in the line.
            let places: Vec<usize> = lines[at]
                .char_indices()
                .filter(|(_, c)| c.is_ascii_digit() || "+-".contains(*c))
                .map(|(i, _)| i)
                .collect();
            let Some(&place) = places.get(below(places.len().max(1))) else { return lines.join("\n") };
            let old = lines[at].as_bytes()[place];
            let new = match old {
                b'+' => "-".to_owned(),
                b'-' => "+".to_owned(),
                digit => ((digit - b'0' + 1 + below(9) as u8) % 10).to_string(),
            };
            lines[at].replace_range(place..=place, &new);
        }
    }
    lines.join("\n")
}

#[test]
fn both_accept_the_proofs() {
    let texts = PROOFS.map(text);
    let Some(found) = verdicts("proofs", &texts) else { return };
    for (name, verdict) in PROOFS.iter().zip(found) {
        assert_eq!(verdict, "accepted", "{name}");
    }
}

/// A branch on a secret that a variable names, and one on a public number.
#[test]
fn both_refuse_a_secret_in_a_variable() {
    let texts = ["public-variable", "secret-variable"]
        .map(|name| fs::read_to_string(tests().join(format!("attacks/{name}.proof"))).expect("a proof"));
    assert_eq!(texts.each_ref().map(|text| own(text) == "accepted"), [true, false]);
    let Some(found) = verdicts("variables", &texts) else { return };
    assert_eq!(found[0], "accepted");
    assert!(found[1].contains("s depends on a secret"), "{}", found[1]);
}

#[test]
fn both_unpack_certificates() {
    let packed = fs::read_to_string(tests().join("packed/aes128-ecb.proof")).expect("a proof");
    let begin = packed.find("code ").expect("code") + 5;
    let mut random = Random(59);
    let mut texts = vec![packed.clone()];
    for _ in 0..60 {
        let mut text = packed.clone().into_bytes();
        let at = begin + random.below((packed.len() - begin) as u64) as usize;
        text[at] = b"ABCDEabcd019+/ \n#="[random.below(18) as usize];
        texts.push(String::from_utf8(text).expect("a text"));
    }
    let Some(found) = verdicts("packed", &texts) else { return };
    assert_eq!(found[0], "accepted");
    let [mut refused, mut accepted] = [0; 2];
    for (text, second) in texts.iter().zip(found).filter(|(_, second)| !second.starts_with("not covered")) {
        let own = own(text);
        assert_eq!(own == "accepted", second == "accepted", "{own}; second: {second}\n{text}");
        *(if own == "accepted" { &mut accepted } else { &mut refused }) += 1;
    }
    assert!(accepted > 0 && refused > 30, "{accepted} accepted, {refused} refused");
}

/// The example of the document with shared statements, and a register whose lanes are zero in the loop.
fn sharing() -> String {
    let text = text("aes128-ecb").replace("version 1", "version 2");
    // vpxor xmm15, xmm15, xmm15 before the loop: the jump and the heads move by its length.
    let text = text.replacen("0f8263000000", "0f8268000000c44101efff", 1);
    let text =
        text.replacen("head loop 0xe", "head loop 0x13", 1).replacen("head tail 0x71", "head tail 0x76", 1);
    let saved = "rbx = old.rbx\nrbp = old.rbp\nr12 = old.r12\nr13 = old.r13\nr14 = old.r14\nr15 = old.r15\n";
    assert_eq!(text.matches(saved).count(), 2);
    let text = text.replace(saved, "with saved\n");
    text.replacen("head loop", &format!("lines saved\n{saved}head loop"), 1).replacen(
        "fact len",
        "xmm15.* = words(shr(lane, 2), 0)\nfact len",
        1,
    )
}

#[test]
fn both_read_shared_statements_and_lanes() {
    let whole = sharing();
    let cases = [
        ("", "", true),
        ("version 2", "version 1", false),
        ("to loop p=p+1", "to loop p=p+1, q=0", false),
        ("to loop p=p+1", "to loop p=p+1, p=p+1", false),
        ("version 2", "version 3", false),
        ("with saved", "with saved\nwith saved", true),
        ("with saved", "with saved\nrbx = old.rbx", true),
        ("with saved", "with saved\nrbx = old.rbp", false),
        ("with saved", "rbx = old.rbp\nwith saved", false),
        ("with saved\n", "", false),
        ("with saved", "with others", false),
        ("rbx = old.rbx", "rbx = old.rbp", false),
        ("lines saved", "lines other\nkept xmm31\nlines saved", true),
        ("lines saved", "lines other\nkept xmm32\nlines saved", false),
        ("lines saved", "lines other\nnothing\nlines saved", false),
        ("lines saved", "lines saved\nlines saved", false),
        ("lines saved", "lines saved\nwith saved", false),
        ("lines saved", "lines other\nlines saved\nwith other", false),
        ("lines saved", "lines saved\nto exit p", false),
        ("lines saved", "lines saved\nvariable p", false),
        ("lines saved", "with saved\nlines saved", false),
        ("lines saved", "lines 2", false),
        ("to tail p=p+1", "lines loop\nto tail p=p+1", false),
        ("variable p\nrsp = stack\nrdi", "variable p\nvariable lane\nrsp = stack\nrdi", false),
        ("rdi = key", "rdi = key + lane", false),
        ("to loop p=p+1", "to loop p=p+1-lane", false),
        ("shr(lane, 2)", "shr(lane, 1)", false),
        ("shr(lane, 2)", "0*lane", true),
        ("shr(lane, 2)", "lane", false),
        ("shr(lane, 2)", "shr(p, 2)", false),
        ("xmm15.*", "xmm15", false),
        ("xmm15.* = words(shr(lane, 2), 0)", "xmm15.3 = #00000000000000000000000000000000", true),
        ("xmm15.* =", "xmm15.4 =", false),
        ("xmm15.* =", "xmm32.* =", false),
        ("xmm15.* =", "xmm14.* =", false),
        ("xmm15.* =", "xmm15.*=", false),
        ("xmm15.*", "xmm15.* = k1\nxmm15.*", false),
        ("xmm15.*", "kept xmm15\nxmm15.*", false),
        ("done = 16*p\nto tail", "done = 0\ndone = 16*p\nto tail", true),
        ("done = 16*p\nto tail", "done = 16*p\ndone = 0\nto tail", false),
    ];
    let texts = cases.map(|(from, to, _)| {
        assert!(whole.contains(from), "{from}");
        whole.replacen(from, to, 1)
    });
    let Some(found) = verdicts("sharing", &texts) else { return };
    for (((from, to, is_accepted), text), second) in cases.iter().zip(&texts).zip(found) {
        let own = own(text);
        let found = [&own, &second].map(|verdict| verdict == "accepted");
        assert_eq!(found, [*is_accepted; 2], "{from} -> {to}: {own}; second: {second}");
        assert!(!second.starts_with("not covered"), "{from} -> {to}: {second}");
    }
}

#[test]
fn both_have_the_same_verdict_on_changed_proofs() {
    let is_soak = std::env::var_os("AESMITH_SOAK").is_some();
    let mut random = Random(43);
    let (mut differing, mut counts) = (Vec::new(), [0; 3]);
    for name in PROOFS {
        let whole = text(name);
        let trials = if is_soak { 400 } else { 6 };
        let texts: Vec<String> = (0..trials).map(|_| changed(&whole, &mut random)).collect();
        let Some(found) = verdicts(name, &texts) else { return };
        for (text, second) in texts.iter().zip(found) {
            let own = own(text);
            let is_accepted = [&own, &second].map(|verdict| verdict == "accepted");
            if second.starts_with("not covered") {
                counts[2] += 1;
            } else if is_accepted[0] == is_accepted[1] {
                counts[usize::from(is_accepted[0])] += 1;
            } else {
                let line = |(old, new): (&str, &str)| (old != new).then(|| format!("\n    {old} -> {new}"));
                let first = whole.lines().zip(text.lines()).find_map(line).unwrap_or_default();
                differing.push(format!("{name}: {own}; second: {second}{first}"));
            }
        }
    }
    let [refused, accepted, unknown] = counts;
    println!("{accepted} accepted and {refused} refused by both, {unknown} not covered by the second");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(refused > accepted && accepted > 0 && refused > 2 * unknown, "{counts:?}");
}
