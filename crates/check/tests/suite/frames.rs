//! Stack frames that the function aligns, and attacks on their rules.

use crate::concrete::{Random, call};
use aesmith_check::certificate::Line;
use aesmith_check::terms::Region;
use aesmith_check::{Certificate, check};
use std::path::Path;

/// `push rbp; mov rbp, rsp; and rsp, -64; sub rsp, 64`.
const OPEN: &str = "55 4889e5 4883e4c0 4883ec40";
/// `mov rsp, rbp; pop rbp`.
const CLOSE: &str = "4889ec 5d";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|&c| c != b' ').collect();
    let digit = |c: u8| (c as char).to_digit(16).expect("a digit") as u8;
    digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// A kernel of the tests with other instructions at its entry and before its return, and its proof for them: the stack
/// pointer is 64 below the frame, and `rbp` points to the word with that of the caller.
fn framed(name: &str, open: &str, close: &str) -> Certificate {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proofs").join(name);
    let text = std::fs::read_to_string(path).expect("a text");
    let mut proof = Certificate::read(&text).expect("a certificate");
    let open = bytes(open);
    let end = proof.code.iter().rposition(|&byte| byte == 0xc3).expect("a return");
    assert_eq!((end + 1, proof.constants), (proof.code.len(), proof.code.len()), "the return is last");
    proof.code.splice(end..end, bytes(close));
    proof.code.splice(0..0, open.iter().copied());
    proof.constants = proof.code.len();
    proof.frame = Some((-8, 64));
    for head in &mut proof.heads {
        head.at += open.len();
        for line in &mut head.lines {
            match line {
                Line::General(4, value) => *value = "frame - 64".into(),
                Line::General(5, value) => *value = "stack - 8".into(),
                _ => {}
            }
        }
        head.lines.push(Line::Cell((Region::Stack, -8), "old.rbp".into()));
    }
    proof
}

fn plain(open: &str, close: &str) -> Certificate {
    framed("aes128-ecb.proof", open, close)
}

#[test]
fn an_aligned_frame_is_accepted() {
    for (open, close) in [
        (OPEN.to_owned(), CLOSE.to_owned()),
        // The frame is used, and the word above it.
        (format!("{OPEN} 48c7042400000000"), format!("48c744243800000000 488b442438 488b4500 {CLOSE}")),
        // Stack of the function without a frame, after it.
        (OPEN.to_owned(), format!("{CLOSE} 55 4883ec40 48c7042400000000 4883c440 5d")),
    ] {
        let proof = plain(&open, &close);
        check(&proof).unwrap_or_else(|error| panic!("{open} {close}: {error}"));
        let mut random = Random(3);
        for _ in 0..20 {
            call(&proof, &mut random).expect("it computes the specification");
        }
    }
}

#[test]
fn frames_are_restored_and_apart() {
    for (open, close, reason) in [
        // The stack pointer stays in the frame, or is one word off, or at the frame's end.
        (OPEN, "", "is not at the return address"),
        (OPEN, "5d", "nothing is known of"),
        (OPEN, "4889ec", "is not at the return address"),
        (OPEN, "4883c440", "is not at the return address"),
        (OPEN, "4883c440 5d", "outside of its object"),
        (OPEN, "4883c448", "no allowed place"),
        // Another register.
        (OPEN, "4889ec 5b", "is not that of the caller"),
        // Words between the frame and the place that was aligned, above the frame, and below the stack pointer.
        (OPEN, "48c745f000000000 4889ec 5d", "outside of its object"),
        (OPEN, "48c744244000000000 4889ec 5d", "outside of its object"),
        (OPEN, "48c74424f800000000 4889ec 5d", "outside of its object"),
        (OPEN, "48c7450800000000 4889ec 5d", "outside of its object"),
        // A word of the frame after the stack pointer was above it, under both names.
        (OPEN, "48c7042400000000 4889e0 4889ec 4889c4 488b0424 4889ec 5d", "nothing is known of"),
        (OPEN, "48c7042400000000 4889e0 4889ec 488b00 5d", "below the stack pointer"),
        (OPEN, "48c7042400000000 4889ec 4883ec40 488b0424 4889ec 5d", "nothing is known of"),
        // A frame aligned to less, from another place, or not aligned.
        ("55 4889e5 4883e4e0 4883ec40", CLOSE, "not that of a known object"),
        ("55 4889e5 4883ec10 4883e4c0 4883ec40", CLOSE, "not that of a known object"),
        ("55 4889e5 4883e4c0 4883ec20", CLOSE, "rsp is not as"),
        ("55 4889e5 4883ec08 4883ec40", CLOSE, "rsp is not as"),
        // Aligned again, from another place.
        (OPEN, "4889ec 4883ec40 4883e4c0 48c7042400000000 4889ec 5d", "not that of a known object"),
        // Too far down.
        (OPEN, "4881ec00000100 4889ec 5d", "no allowed place"),
    ] {
        let error = check(&plain(open, close)).expect_err(close);
        assert!(error.contains(reason), "{open} / {close}: {error}");
    }
    let proof = plain(OPEN, CLOSE);
    for frame in [None, Some((-8, 32)), Some((-8, 128)), Some((0, 64)), Some((-16, 64))] {
        let error = check(&Certificate { frame, ..proof.clone() }).expect_err("another frame");
        assert!(error.contains("not that of a known object"), "{frame:?}: {error}");
    }
}

#[test]
fn a_secret_in_a_frame_is_wiped_under_its_name() {
    let wiped = |close: &str| check(&framed("aes-ecb-wipes.proof", OPEN, close));
    wiped(CLOSE).expect("nothing is in the frame");
    // The registers are wiped at the end: a key is loaded again.
    let load = "c5fa6f07 c5fa7f0424 c5f9efc0";
    wiped(&format!("{load} c5fa7f0424 {CLOSE}")).expect("it is wiped in the frame");
    for close in [
        format!("{load} {CLOSE}"),
        format!("{load} c5fa7f442410 {CLOSE}"),
        // Wiped at another name, which is the same place for some stack pointers only.
        format!("{load} 4889ec 4883ec40 c5fa7f0424 {CLOSE}"),
        format!("{load} 4889ec 4883ec40 4883ec40 c5fa7f0424 {CLOSE}"),
    ] {
        let error = wiped(&close).expect_err(&close);
        assert!(error.contains("the stack may hold a secret"), "{close}: {error}");
    }
}

#[test]
fn lines_about_frames_are_read() {
    let text = "aesmith certificate with proof, version 2\ncontract aes128-ecb\ncode c3\n";
    for (line, is_read) in [
        ("frame -8 64", true),
        ("frame 0 8", true),
        ("frame -8 4096", true),
        ("frame -8", false),
        ("frame -4 64", false),
        ("frame 8 64", false),
        ("frame -8 48", false),
        ("frame -8 4", false),
        ("frame -8 8192", false),
        ("frame -8 -64", false),
        ("frame -8 0", false),
        ("frame -65544 64", false),
        ("frame -8 64\nframe -8 64", false),
    ] {
        let read = Certificate::read(&format!("{text}{line}\n"));
        assert_eq!(read.is_ok(), is_read, "{line}: {read:?}");
    }
    let head = "frame -8 64\nhead h 0\nrsp = frame - 8\nframe[-8] = len\nsecret frame -8\n";
    let read = Certificate::read(&format!("{text}{head}")).expect("it is read");
    let cell = (Region::Frame, -8);
    assert_eq!(read.heads[0].lines[1..], [Line::Cell(cell, "len".into()), Line::SecretCells(cell, 1)]);
    // Without the line, there is no frame.
    let none =
        Certificate::read(&format!("{text}{}", head.replace("frame -8 64\n", ""))).expect("it is read");
    assert!(check(&none).is_err());
}
