//! Packed certificates stand for a text, and other texts are refused without a panic.

use crate::concrete::Random;
use aesmith_check::packed::{TITLE, plain};
use aesmith_check::{Certificate, check};
use std::fmt::Write;
use std::path::Path;

fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)).expect("a text")
}

fn verdict(text: &str) -> Result<(), String> {
    Certificate::read(text).and_then(|certificate| check(&certificate)).map(|_| ())
}

/// Bytes as base64 without padding.
fn digits(bytes: &[u8]) -> String {
    let digit =
        |value: usize| char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[value]);
    let bit = |at: usize| usize::from(bytes.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1));
    let six = |first: usize| (0..6).fold(0, |value, k| value << 1 | bit(first + k));
    (0..8 * bytes.len()).step_by(6).map(|first| digit(six(first))).collect()
}

/// A packed certificate of blocks.
fn of_blocks(code: &[u8], text: &[u8]) -> String {
    format!("{TITLE}\ncode {}\ntext {}\n", digits(code), digits(text))
}

/// A block of bytes as they stand.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut all = vec![(bytes.len().min(15) << 4) as u8];
    if let Some(rest) = bytes.len().checked_sub(15) {
        all.extend(vec![255; rest / 255]);
        all.push((rest % 255) as u8);
    }
    all.extend_from_slice(bytes);
    all
}

/// The code of a text of version 1 or 2, and its other lines but the first.
fn parts(text: &str) -> (Vec<u8>, String) {
    let (mut code, mut rest) = (Vec::new(), String::new());
    for line in text.lines().skip(1) {
        match line.strip_prefix("code ") {
            Some(hex) => code.extend(
                (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("a byte")),
            ),
            None => writeln!(rest, "{line}").expect("a text"),
        }
    }
    (code, rest)
}

/// The example is packed by another program.
#[test]
fn a_packed_certificate_stands_for_its_text() {
    let (text, packed) = (file("proofs/aes128-ecb.proof"), file("packed/aes128-ecb.proof"));
    let unpacked = plain(&packed).expect("a text");
    assert!(unpacked.starts_with("aesmith certificate with proof, version 2\ncode f30f1efa48"), "{unpacked}");
    assert_eq!(parts(&unpacked), parts(&text));
    verdict(&packed).expect("it is accepted");
    verdict(&packed.replace('\n', "\r\n")).expect("it is accepted");
    assert_eq!(plain(&text).as_deref(), Some(&*text), "another text stands for itself");
    // All that is wrong in the text is found.
    let (code, rest) = parts(&text);
    verdict(&of_blocks(&stored(&code), &stored(rest.as_bytes()))).expect("it is accepted");
    let wrong = rest.replacen("rsi = in", "rsi = in + 16", 1);
    let said = verdict(&of_blocks(&stored(&code), &stored(wrong.as_bytes()))).expect_err("it is wrong");
    assert!(said.contains("rsi is not as loop states"), "{said}");
    let mut wrong = code;
    wrong[3] ^= 1;
    let said = verdict(&of_blocks(&stored(&wrong), &stored(rest.as_bytes()))).expect_err("it is wrong");
    assert!(said.contains("no instruction"), "{said}");
}

#[test]
fn copies_are_those_of_the_format() {
    let code = |block: &[u8]| {
        let text = of_blocks(block, b"\x00");
        let hex = plain(&text)?.lines().filter_map(|line| line.strip_prefix("code ")).collect::<String>();
        Some(hex)
    };
    let is = |block: &[u8], hex: &str| assert_eq!(code(block).as_deref(), Some(hex), "{block:x?}");
    is(&[0], "");
    is(&[0x20, 1, 2], "0102");
    // Five bytes from a distance of two, and then none.
    is(&[0x21, 1, 2, 2, 0, 0], "01020102010201");
    // Lengths of 19 and of 4 + 15 + 255 + 1.
    is(&[&[0xf0, 4], &[9; 19][..]].concat(), &"09".repeat(19));
    is(&[0x1f, 7, 1, 0, 255, 1, 0x10, 8], &("07".repeat(276) + "08"));
    let refused: [&[u8]; 10] = [
        &[],
        &[0x20, 1],
        &[0xf0, 4, 9],
        &[0xf0],
        // No distance, or half of one.
        &[0x21, 1, 2, 2, 0],
        &[0x21, 1, 2, 2],
        // A distance of none, or to before the beginning.
        &[0x21, 1, 2, 0, 0, 0],
        &[0x21, 1, 2, 3, 0, 0],
        &[0x21, 1, 2, 0, 1, 0],
        // A length without an end.
        &[0x1f, 7, 1, 0, 255],
    ];
    for block in refused {
        assert_eq!(code(block), None, "{block:x?}");
    }
    let long = |more: usize| [&[0x1f, 7, 1, 0], &vec![255; more][..], &[0, 0]].concat();
    assert!(code(&long((1 << 24) / 255 - 1)).is_some());
    assert_eq!(code(&long((1 << 24) / 255 + 1)), None, "it is too long");
    assert!(code(&stored(&[7; 1 << 24])).is_some());
    assert_eq!(code(&stored(&[7; (1 << 24) + 1])), None, "it is too long");
}

#[test]
fn code_is_in_its_own_lines() {
    for (text, is_read) in [("wipes\ncodes 00\n", true), ("wipes\ncode 00\n", false), (" code 00", false)] {
        assert_eq!(plain(&of_blocks(b"\x10\x90", &stored(text.as_bytes()))).is_some(), is_read, "{text:?}");
    }
}

#[test]
fn other_lines_and_digits_are_refused() {
    let packed = file("packed/aes128-ecb.proof");
    let first = "code 8Q3z";
    for (from, to) in [
        (first, "code  8Q3z"),
        (first, "code 8Q3z="),
        (first, "code 8Q3-z"),
        (first, "code f30f\ncode 8Q3z"),
        (first, "code\ncode 8Q3z"),
        (first, "wipes\ncode 8Q3z"),
        // Bits and digits that are left over.
        ("dww\n", "dwx\n"),
        ("dww\n", "dwwA\n"),
        ("version 4", "version 3"),
        ("version 4", "version 5"),
        ("version 4", "version 4 "),
    ] {
        let changed = packed.replacen(from, to, 1);
        assert!(changed != packed, "{from}");
        assert_eq!(verdict(&changed).is_ok(), to == "version 4 ", "{from} -> {to}");
    }
}

/// The text that changed digits stand for is judged, if there is one.
#[test]
fn changed_digits_are_another_text_or_none() {
    let packed = file("packed/aes128-ecb.proof");
    let mut random = Random(61);
    let (mut none, mut refused) = (0, 0);
    for _ in 0..2000 {
        let mut changed = packed.clone().into_bytes();
        let at = packed.find("code ").expect("code") + random.below(packed.len() as u64 / 2) as usize;
        changed[at] = b"ABCabc019+/ \n#"[random.below(14) as usize];
        let changed = String::from_utf8(changed).expect("a text");
        match plain(&changed) {
            None => none += 1,
            Some(text) => {
                assert_eq!(verdict(&changed), verdict(&text));
                refused += usize::from(verdict(&changed).is_err());
            }
        }
    }
    println!("{none} are no text, {refused} are refused");
    assert!(none > 200 && refused > 200);
}
