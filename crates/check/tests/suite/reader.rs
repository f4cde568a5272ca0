//! The reader of certificates refuses other texts without a panic, and the example of the document is accepted.

use crate::concrete::Random;
use aesmith_check::{Certificate, check};
use std::path::Path;

fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("a text")
}

#[test]
fn the_example_of_the_document_is_accepted() {
    let document = file("../../docs/CERTIFICATES.md");
    let example =
        document.split_once("```proof\n").expect("an example").1.split_once("```").expect("its end").0;
    assert_eq!(example, file("tests/proofs/aes128-ecb.proof"), "the example is the file, word by word");
    let certificate = Certificate::read(example).expect("a certificate");
    let accepted = check(&certificate).expect("it is accepted");
    let line = format!("accepted: aes128-ecb, {} bytes, {} paths", certificate.code.len(), accepted.paths);
    assert!(document.contains(&line), "{line}");
}

#[test]
fn each_step_refuses_with_a_reason() {
    let text = file("tests/proofs/aes128-ecb.proof");
    for (from, to, reason) in [
        ("contract aes128-ecb", "contract aes128-ecb-dec", "is not as specified"),
        ("contract aes128-ecb", "contract aes192-ecb", "is not as specified"),
        ("to loop p=0", "to loop p=1", "is not as loop states"),
        ("to loop p=p+1", "to loop p=p-1", "may be negative"),
        ("to loop p=p+1\n", "", "more paths"),
        ("to exit p", "to exit p\nto exit p", "fewer paths"),
        ("to exit p", "to exit p+1", "another number of blocks"),
        ("fact len - 16*p - 16 >= 0\n", "", "outside of the text"),
        ("done = 16*p\nto tail", "done = 16*p+16\nto tail", "does not end where it should"),
        ("rbx = old.rbx\n", "", "rbx is not as tail states"),
        ("rsi = in", "rsi = in + 16", "rsi is not as loop states"),
        ("to tail p=0", "to loop p=0", "not at loop"),
        ("rsp = stack\n", "", "does not state rsp"),
        ("contract aes128-ecb", "contract aes128-ecb\nwipes", "may hold a secret"),
        ("variable p\nrsp = stack\nrdi", "variable q\nrsp = stack\nrdi", "no value for q"),
        ("to loop p=p+1", "to loop p=p+1, q=0", "values of other variables"),
        ("to loop p=p+1", "to loop p=p+1, p=p", "values of other variables"),
        ("to exit p", "to exit p, p=p", "is not understood"),
        // Lines of version 2.
        ("head loop 0xe\n", "head loop 0xe\npublic rdi\n", "is not of version 1"),
        ("head loop 0xe\n", "head loop 0xe\nxmm0.* = k0\n", "is not of version 1"),
        ("head loop 0xe\n", "head loop 0xe\nsecret frame -8\n", "is not of version 1"),
        ("head loop 0xe\n", "lines a\nhead loop 0xe\n", "is not of version 1"),
        ("head loop 0xe\n", "split\nhead loop 0xe\n", "is not of version 1"),
        ("head loop 0xe\n", "frame -8 64\nhead loop 0xe\n", "is not of version 1"),
        ("contract aes128-ecb", "contract aes128-key", "is not of version 1"),
        ("rdi = key", "rdi = key + q", "is not understood"),
        ("c5fa6f0e", "c5f96f0e", "must be a multiple of 16"),
        ("c5fa7f0a", "c5f9e70a", "must be a multiple of 16"),
        ("83c61048", "83c62048", "rsi is not as"),
        ("4883f910", "4883f900", "not at tail"),
        ("f30f1efa", "f30f1efb", "no instruction"),
    ] {
        assert!(text.contains(from), "{from}");
        let verdict =
            Certificate::read(&text.replacen(from, to, 1)).and_then(|certificate| check(&certificate));
        let said = verdict.expect_err(to);
        assert!(said.contains(reason), "{to}: {said}");
    }
}

#[test]
fn shared_statements_and_lanes_are_read() {
    let text = file("tests/proofs/aes128-ecb.proof").replace("version 1", "version 2");
    let saved = "rbx = old.rbx\nrbp = old.rbp\nr12 = old.r12\nr13 = old.r13\nr14 = old.r14\nr15 = old.r15\n";
    assert_eq!(text.matches(saved).count(), 2);
    let text = text.replace(saved, "with saved\n");
    let text = text.replacen("head loop", &format!("lines saved\n{saved}head loop"), 1);
    let verdict = |text: &str| Certificate::read(text).and_then(|certificate| check(&certificate));
    verdict(&text).expect("it is accepted");
    let lanes = "head loop 0xe\nxmm5.* = k1 ^ x[p + lane]\n";
    for (from, to, reason) in [
        ("with saved\n", "", "rbx is not as"),
        ("rbx = old.rbx", "rbx = old.rbp", "rbx is not as"),
        ("with saved", "with others", "is not understood"),
        ("lines saved\n", "lines saved\nto exit p\n", "is not understood"),
        ("lines saved\n", "lines saved\nvariable q\n", "is not understood"),
        ("lines saved\n", "lines saved\nwith saved\n", "is not understood"),
        ("lines saved\n", "lines saved\nlines saved\n", "is not understood"),
        ("variable p", "variable lane", "is not understood"),
        ("rdi = key", "rdi = key + lane", "is not understood"),
        ("head loop 0xe\n", lanes, "xmm5 is not as"),
        ("head loop 0xe\n", "head loop 0xe\nxmm32.* = k1\n", "is not understood"),
    ] {
        assert!(text.contains(from), "{from}");
        let said = verdict(&text.replacen(from, to, 1)).expect_err(to);
        assert!(said.contains(reason), "{to}: {said}");
    }
}

#[test]
fn a_split_round_refuses_what_is_not_known() {
    let text = file("tests/proofs/ctr-cached.proof");
    let verdict = |text: &str| Certificate::read(text).and_then(|certificate| check(&certificate));
    verdict(&text).expect("it is accepted");
    for (from, to, reason) in [
        ("split\n", "", "rounds are not split"),
        ("disjoint counter.0 + p 1\ndisjoint counter.0 - p 1\n", "", "no known place"),
        ("aes128-ctr", "aes192-ctr", "is not as"),
        // The share of the last byte of the counter: the key's, the counter's, and its place.
        (
            "shuffle(k0, #000102030405060708090a0b0c0d0e80)",
            "shuffle(k0, #000102030405060708090a0b0c800e80)",
            "is not as",
        ),
        ("shuffle(k0, #000102030405060708090a0b0c0d0e80)", "k0", "is not as"),
        ("#80808080808080800706050403020180", "#80808080808080800706050403020100", "is not as"),
        // Another multiple of 256, and another block of the table.
        ("shr(counter.0 + p, 8)", "shr(counter.0 + p + 2, 8)", "is not as"),
        ("4096*shr(counter.0 + p, 8)", "4096*shr(counter.0 + p, 9)", "is not as"),
    ] {
        assert!(text.contains(from), "{from}");
        let said = verdict(&text.replace(from, to)).expect_err(to);
        assert!(said.contains(reason) || said.contains("is not understood"), "{to}: {said}");
    }
    // The condition that ends the use of a table, `test r9b, r9b`, of another register.
    let mut certificate = Certificate::read(&text).expect("a certificate");
    let condition = [0x45, 0x84, 0xc9];
    let at = certificate.code.windows(3).position(|bytes| bytes == condition).expect("a condition");
    certificate.code[at + 2] = 0xc0;
    assert!(check(&certificate).is_err());
}

/// Rounds are split as a head says, else as the entry's are; the claim names the counter table if any paths read it.
#[test]
fn each_head_has_a_split_of_its_own() {
    let read = |entry: &str, head: &str| {
        let text = format!(
            "aesmith certificate with proof, version 2\ncontract aes128-ctr\n{entry}code c3\nhead a 0\n{head}head b 0\n"
        );
        let certificate = Certificate::read(&text)?;
        let splits: Vec<u8> = certificate.heads.iter().map(|head| head.splits).collect();
        Ok::<_, String>((certificate.splits, splits, certificate.claim().contains("with a counter table")))
    };
    assert_eq!(read("", ""), Ok((0, vec![0, 0], false)));
    assert_eq!(read("split\n", ""), Ok((1, vec![1, 1], true)));
    assert_eq!(read("", "split\n"), Ok((0, vec![1, 0], true)));
    assert_eq!(read("split 2\n", "split 0\n"), Ok((2, vec![0, 2], false)));
    assert_eq!(read("split 2\n", "split\n"), Ok((2, vec![1, 2], true)));
    for (entry, head) in [("split 3\n", ""), ("", "split 1\n"), ("lines s\nsplit\n", "")] {
        assert!(read(entry, head).is_err(), "{entry}{head}");
    }
}

#[test]
fn other_texts_are_refused_without_a_panic() {
    let text = file("tests/proofs/aes128-ecb.proof");
    assert!(Certificate::read("").is_err() && Certificate::read("{}").is_err());
    let mut random = Random(5);
    let alphabet: Vec<char> = "0123456789abcdefx[]()^+-*,.= \npkrs\u{e9}".chars().collect();
    for _ in 0..4000 {
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(characters.len() as u64) as usize;
            let other = alphabet[random.below(alphabet.len() as u64) as usize];
            match random.below(3) {
                0 => characters[at] = other,
                1 => characters.insert(at, other),
                _ => drop(characters.remove(at)),
            }
        }
        let changed: String = characters.into_iter().collect();
        if let Ok(certificate) = Certificate::read(&changed) {
            let _ = check(&certificate);
        }
    }
    // Deep nesting and large numbers are refused, too.
    for value in ["(".repeat(9000), "enc(".repeat(9000), format!("{}*p", "9".repeat(60)), "shr(".repeat(9000)]
    {
        let deep = text.replacen("rsi = in + 16*p", &format!("rsi = {value}"), 1);
        let other = text.replacen("rdi = key", &format!("xmm3 = {value}"), 1);
        for text in [deep, other] {
            assert!(Certificate::read(&text).and_then(|certificate| check(&certificate)).is_err());
        }
    }
}

/// Numbers have one sign, in front of them; the standard library takes others, and -2^127 is out of range.
#[test]
fn numbers_have_one_form() {
    let text = file("tests/proofs/aes128-ecb.proof");
    let is_accepted = |number: &str| {
        let changed = text.replacen("rsi = in", &format!("rsi = in + {number}"), 1);
        Certificate::read(&changed).is_ok_and(|certificate| check(&certificate).is_ok())
    };
    assert!(is_accepted("0") && is_accepted("0x0") && !is_accepted("16"));
    for number in ["0x-0", "0x+0", "-0x-0", "0x"] {
        assert!(!is_accepted(number), "{number}");
    }
    for number in ["-0x-80000000000000000000000000000000", "-0x-5", "0x-5"] {
        let constants = text.replacen("head loop", &format!("constants {number}\nhead loop"), 1);
        assert!(constants != text && Certificate::read(&constants).is_err(), "{number}");
    }
}

/// A short text makes no large certificate.
#[test]
fn what_a_text_multiplies_is_limited() {
    let of = |parts: &[&str]| {
        let first = "aesmith certificate with proof, version 2\ncontract aes128-ecb\ncode c3\n";
        let found = Certificate::read(&[&[first], parts].concat().concat());
        found.is_ok()
    };
    let lines = "lines a\n".to_owned() + &"rsi = in\n".repeat(1 << 10);
    let with = |times: usize| "with a\n".repeat(times);
    assert!(of(&[&lines, "head loop 0\n", &with(1 << 10)]));
    assert!(!of(&[&lines, "head loop 0\n", &with((1 << 10) + 1)]));
    let heads = |count: usize| (0..count).map(|n| format!("head h{n} 0\n")).collect::<String>();
    assert!(of(&[&heads(1 << 12)]) && !of(&[&heads((1 << 12) + 1)]));
    let variables = |count: usize| (0..count).map(|n| format!("variable v{n}\n")).collect::<String>();
    assert!(of(&["head loop 0\n", &variables(1 << 12)]));
    assert!(!of(&["head loop 0\n", &variables((1 << 12) + 1)]));
}
