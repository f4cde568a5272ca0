//! CBC encryption of several streams: each has its own text, key and IV.

use aesmith_check::{Certificate, check};
use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proofs").join(name);
    std::fs::read_to_string(path).expect("a text")
}

fn verdict(text: &str) -> Result<(), String> {
    Certificate::read(text).and_then(|certificate| check(&certificate)).map(|_| ())
}

#[test]
fn a_contract_of_one_stream_has_no_others() {
    let whole = text("cbc.proof").replace("version 1", "version 2");
    verdict(&whole).expect("it is accepted");
    for (line, reason) in [
        ("done.1 = 0", "no stream"),
        ("iv.1.0 = iv.0", "is not understood"),
        ("iv.1.0 = key", "of stream 1 is not as"),
        ("rax = key.1", "is not understood"),
        ("rax = keys", "is not understood"),
        ("rax = len.1", "is not understood"),
        ("xmm9 = k1.1", "is not understood"),
        ("xmm9 = x.1[p]", "is not understood"),
        ("xmm9 = chain.1[p]", "is not understood"),
        ("xmm9 = iv.1", "is not understood"),
        ("done.0 = 0", "is not understood"),
        ("done.16 = 0", "is not understood"),
        ("iv.16.0 = 0", "is not understood"),
        ("iv.1.2 = 0", "is not understood"),
    ] {
        let changed = whole.replacen("variable p\n", &format!("variable p\n{line}\n"), 1);
        assert_ne!(changed, whole);
        let error = verdict(&changed).expect_err(line);
        assert!(reason.split('|').any(|reason| error.contains(reason)), "{line}: {error}");
    }
}

#[test]
fn each_stream_is_complete() {
    let whole = text("cbc-x4.proof");
    verdict(&whole).expect("it is accepted");
    for (from, to, reason) in [
        ("aes128-cbc-x4", "aes128-cbc-x8", "for each stream"),
        ("aes128-cbc-x4", "aes128-cbc-x2", "outside|is not understood|no stream"),
        ("aes128-cbc-x4", "aes192-cbc-x4", "is not as"),
        ("aes128-cbc-x4", "aes128-cbc", "not that of a known object"),
    ] {
        let error = verdict(&whole.replacen(from, to, 1)).expect_err(to);
        assert!(reason.split('|').any(|reason| error.contains(reason)), "{to}: {error}");
    }
    // A return that forgets a stream, or has one too many, and each with another number of blocks.
    let exit = whole.lines().rfind(|line| line.starts_with("to exit ")).expect("a return");
    let forms: Vec<&str> = exit.trim_start_matches("to exit ").split("; ").collect();
    assert_eq!(forms.len(), 4);
    let other = |forms: &[String]| whole.replacen(exit, &format!("to exit {}", forms.join("; ")), 1);
    let own: Vec<String> = forms.iter().map(ToString::to_string).collect();
    assert_eq!(other(&own), whole);
    for number in [3, 5] {
        let mut forms = own.clone();
        forms.resize(number, "0".into());
        let error = verdict(&other(&forms)).expect_err("another number of streams");
        assert!(error.contains("for each stream"), "{error}");
    }
    for stream in 0..4 {
        let mut forms = own.clone();
        forms[stream] += " + 1";
        let error = verdict(&other(&forms)).expect_err("another number of blocks");
        assert!(error.contains("another number of blocks"), "{error}");
    }
    // The address of another stream's text, key, or IV in a load from an array: `[rdx + 8]` and `[rdx + 16]`.
    let proof = Certificate::read(&whole).expect("a certificate");
    let mut tried = 0;
    for (at, bytes) in proof.code.windows(4).enumerate() {
        // `mov r64, [base + disp8]` with rdi, rsi, rdx, rcx or r8, the displacement being that of an element.
        let is_load = matches!(bytes[0], 0x48 | 0x49 | 0x4c | 0x4d) && bytes[1] == 0x8b && bytes[2] >> 6 == 1;
        if is_load
            && [8, 16, 24].contains(&bytes[3])
            && aesmith_check::decode::decode(&proof.code[at..]).is_some()
        {
            let mut changed = proof.clone();
            changed.code[at + 3] ^= 24;
            let found = check(&changed);
            tried += usize::from(found.is_err());
            assert!(found.is_err(), "the load at {at:#x} is of another stream");
        }
    }
    assert!(tried > 12, "{tried}");
}
