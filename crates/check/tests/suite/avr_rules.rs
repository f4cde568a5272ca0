//! Code and proofs that break a rule for AVR are refused, with its reason.

use crate::avr::{call, proofs};
use crate::concrete::Random;
use crate::machine::rows;
use aesmith_check::bytes::{Proof, check};

/// The first lines of a proof.
const TITLE: &str = "aesmith certificate with proof, version 3\nprocessor avr\n";

/// The verdict on words of code that claim AES-128-ECB: key in r25:r24, text in r23:r22, output in r21:r20.
fn refusal(words: &[u16], lines: &str) -> String {
    let code: String = words.iter().map(|word| format!("{:04x}", word.swap_bytes())).collect();
    let text = format!("{TITLE}contract aes128-ecb\n{lines}code {code}\nto exit\n");
    check(&Proof::read(&text).expect("a proof")).expect_err("it is no cipher")
}

#[test]
fn code_that_breaks_a_rule_is_refused_with_a_reason() {
    // in r28, SPL; in r29, SPH; sbiw r28, 16; in r0, SREG
    const FRAME: [u16; 4] = [0xb7cd, 0xb7de, 0x9760, 0xb60f];
    const NO_WAY: &str = "it returns to no known place";
    const TORN: &str = "an interrupt may happen";
    let framed = |more: &[u16]| [&FRAME, more].concat();
    let cases: [(&str, Vec<u16>, &str); 25] = [
        ("ret", vec![0x9508], "the output of the path does not end where it should"),
        (
            "the first byte of text, stored and read again",
            vec![0x01fb, 0x01da, 0x8000, 0x920c, 0x8000],
            "text is read where output is stored",
        ),
        ("output that is not stored", vec![0x01fa, 0x8000], "output is read that is not stored"),
        ("text behind its end", vec![0x01fb, 0x8800], "behind the end of the text"),
        ("the key behind its end", vec![0x01fc, 0x55e0, 0x4fff, 0x8000], "outside the key"),
        ("a store to the key", vec![0x01fc, 0x8200], "a store is not allowed there"),
        ("a store to the text", vec![0x01fb, 0x8200], "a store is not allowed there"),
        ("a branch on text", vec![0x01fb, 0x8000, 0x2000, 0xf009], "a condition depends on a secret"),
        ("a branch on a register at entry", vec![0x2000, 0xf009], "a condition depends on a secret"),
        ("a skip on text", vec![0x01fb, 0x8000, 0xfc00, 0x0000], "a condition depends on a secret"),
        ("an address of text", vec![0x01fb, 0x8000, 0x2de0, 0x8000], "depends on a secret"),
        ("a load from anywhere", vec![0x8000], "depends on a secret"),
        ("a load of the program", vec![0x01fb, 0x9004], "from no table"),
        ("push, ret", vec![0x920f, 0x9508], NO_WAY),
        ("cli, ret", vec![0x94f8, 0x9508], "interrupts are not as they were"),
        // movw r30, r22; ld r0, Z; out SREG, r0
        (
            "interrupts by a secret",
            vec![0x01fb, 0x8000, 0xbe0f],
            "whether interrupts happen depends on a secret",
        ),
        ("r1 is not zero", vec![0x9413, 0x9508], "a register is not that of the caller"),
        ("r2 is changed", vec![0x9423, 0x9508], "a register is not that of the caller"),
        ("reti", vec![0x9518], "no instruction with a known meaning"),
        ("ld r26, X+", vec![0x01dc, 0x91ad], "no instruction with a known meaning"),
        ("a byte above the stack", framed(&[0x8a09]), "outside the function's own stack"),
        ("a pointer of two halves", framed(&[0xbfde, 0xbfcd]), TORN),
        // cli; out SPH, r29; out SREG, r0; out SPL, r28; ret
        ("a frame", framed(&[0x94f8, 0xbfde, 0xbe0f, 0xbfcd, 0x9508]), NO_WAY),
        // cli; out SREG, r0; out SPH, r29; out SPL, r28
        ("a frame while interrupts may happen", framed(&[0x94f8, 0xbe0f, 0xbfde, 0xbfcd]), TORN),
        (
            "a byte of the frame that is not written",
            framed(&[0x94f8, 0xbfde, 0xbe0f, 0xbfcd, 0x8009]),
            "that is not written",
        ),
    ];
    for (what, words, reason) in cases {
        let why = refusal(&words, "");
        assert!(why.contains(reason), "{what}: {why}");
    }
    // Skips of a secret: only with the line, and only of one instruction of one cycle.
    let skip = |skipped: &[u16]| [&[0x01fb, 0x8000, 0xfc00], skipped, &[0x9508]].concat();
    assert!(refusal(&skip(&[0x0000]), "skips\n").contains("does not end"));
    assert!(refusal(&skip(&[0x9011]), "skips\n").contains("depends on a secret"));
    assert!(refusal(&skip(&[0x940e, 0x0000]), "skips\n").contains("depends on a secret"));
    // Tables: only with the line, in their memory, within them, and only those that are known.
    let table = |kind: &str, bytes: &str, more: &str| {
        format!("table t {kind}\nbytes {bytes}\nlink 0x4 high t\n{more}")
    };
    let (zeros, wrong) = ("00".repeat(256), format!("01{}80", "00".repeat(254)));
    // movw r30, r22; ld r30, Z; ldi r31, hi8(t); ld r0, Z; ret
    let look = [0x01fb, 0x81e0, 0xe0f0, 0x8000, 0x9508];
    assert!(refusal(&look, &table("ram", &zeros, "lookups\n")).contains("does not end"));
    assert!(refusal(&look, &table("ram", &zeros, "")).contains("the address of a load depends on a secret"));
    assert!(refusal(&look, &table("flash", &zeros, "lookups\n")).contains("from the other memory"));
    assert!(refusal(&look, &table("ram", &wrong, "lookups\n")).contains("no S-box and no linear map"));
    assert!(refusal(&look, &table("ram", &zeros[2..], "lookups\n")).contains("is outside t"));
    let other = [0x01fb, 0x81e0, 0xe1f0, 0x8000, 0x9508];
    assert!(refusal(&other, &table("ram", &zeros, "lookups\n")).contains("a linker writes into another"));
}

#[test]
fn linkers_write_only_whole_instructions_that_are_executed() {
    // The second word of a jump that is linked is no instruction by itself: rjmp .+2; jmp 0; ret.
    let jumps = [0xc001, 0x940c, 0x0000, 0x9508];
    assert!(refusal(&jumps, "link 0x2 to 0x6\n").contains("into the middle of an instruction"));
    // A field that begins within an instruction: ldi r31, 0; ret.
    let table = format!("table t ram\nbytes {}\n", "00".repeat(256));
    for at in ["0x1", "0x3"] {
        let why = refusal(&[0xe0f0, 0x9508], &format!("{table}link {at} high t\n"));
        assert!(why.contains("into the middle of an instruction"), "{at}: {why}");
    }
    // Two fields in one place.
    let both = format!("{TITLE}contract aes128-ecb\ncode e0f00895\n{table}link 0x0 low t\nlink 0x0 high t\n");
    assert!(Proof::read(&both).is_err());
}

#[test]
fn interrupts_stay_off_where_the_caller_has_them_off() {
    // in r0, SREG; sei; out SREG, r0; ret
    let why = refusal(&[0xb60f, 0x9478, 0xbe0f, 0x9508], "");
    assert!(why.contains("where its caller does not"), "{why}");
    // in r0, SREG; cli; out SREG, r0; ret
    assert!(refusal(&[0xb60f, 0x94f8, 0xbe0f, 0x9508], "").contains("does not end"));
}

#[test]
fn a_loop_without_a_head_is_refused() {
    assert!(refusal(&[0xcfff], "").contains("a loop has no head"));
}

#[test]
fn other_texts_about_avr_are_refused() {
    let wrong = |lines: &str| {
        let read = Proof::read(&format!("{TITLE}{lines}"));
        read.and_then(|proof| check(&proof)).expect_err("it is no proof")
    };
    for lines in [
        "",
        "contract aes128-gcm",
        "contract aes128-ecb\nwipes",
        "contract aes128-ecb\ncode 0",
        "contract aes128-ecb\nlink 0 high t",
        "contract aes128-ctr\nhead h 0\nvariable blocks",
        "contract aes128-ctr\nhead h 0\nvariable p\nvariable p",
    ] {
        wrong(lines);
    }
    assert!(wrong("contract aes128-ecb-dec\nkeys cipher\ncode 0895\nto exit").contains("other direction"));
    assert!(wrong("contract aes128-ecb\nkeys forward\ncode 0895\nto exit").contains("other direction"));
    assert!(wrong("contract aes128-ecb\ncode 0895\n").contains("a path ends elsewhere than is listed"));
    assert!(Proof::read("aesmith certificate with proof, version 2\nprocessor avr\n").is_err());
}

/// One of this many changes of statements is tried; all in a soak.
const SAMPLED: usize = 7;

#[test]
fn no_change_of_a_statement_about_avr_makes_a_wrong_claim_accepted() {
    let (rows, mut change, mut all, mut accepted) = (rows(), 0, 0, 0);
    let share = if std::env::var_os("AESMITH_SOAK").is_some() { 1 } else { SAMPLED };
    for (name, text) in proofs() {
        let lines: Vec<&str> = text.lines().collect();
        let is_statement =
            |line: &str| !["code", "bytes", "aesmith", "processor"].iter().any(|word| line.starts_with(word));
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| is_statement(line)) {
            let mut others = vec![String::new()];
            for (at, digit) in line.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
                let value = digit.to_digit(10).expect("a digit");
                others.extend(
                    [1, 3, 8].map(|by| format!("{}{}{}", &line[..at], (value + by) % 10, &line[at + 1..])),
                );
            }
            for (from, to) in [
                ("low", "high"),
                ("high", "low"),
                ("in", "out"),
                ("out", "in"),
                ("+", "-"),
                ("-", "+"),
                ("old.r2", "old.r3"),
                ("aes128", "aes256"),
                ("ctr", "cbc"),
                ("ecb", "ecb-dec"),
                ("ram", "flash"),
                ("blocks", "p"),
                ("p", "blocks"),
                ("t0", "t1"),
                ("exit", "loop p=p+1"),
                ("loop p = p+1", "exit"),
                (" >= 0", " + 1 >= 0"),
                ("iv", "key"),
                ("chain.1", "chain.2"),
                ("chain[", "chain[1"),
                ("256", "512"),
                ("expanded", "cipher"),
            ] {
                others.extend(line.contains(from).then(|| line.replacen(from, to, 1)));
            }
            for other in others {
                change += 1;
                if change % share != 0 {
                    continue;
                }
                all += 1;
                let mut lines = lines.clone();
                lines[number] = &other;
                let Ok(proof) = Proof::read(&lines.join("\n")) else { continue };
                if check(&proof).is_ok() {
                    accepted += 1;
                    let mut random = Random(13);
                    for _ in 0..8 {
                        let verdict = call(&proof, &mut random, &rows);
                        verdict
                            .unwrap_or_else(|error| panic!("{name}, {line} as {other} is accepted: {error}"));
                    }
                }
            }
        }
    }
    println!("{accepted} of {all} changed proofs are accepted, with true claims");
    assert!(all > 100, "{all}");
}
