//! Key schedules: each round key is that of the standard, and no other memory is written.

use aesmith_check::{Certificate, check};
use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proofs").join(name);
    std::fs::read_to_string(path).expect("a text")
}

/// The code of a proof with the first appearance of some bytes replaced, all as digits.
fn changed(text: &str, from: &str, to: &str) -> Certificate {
    let mut proof = Certificate::read(text).expect("a certificate");
    let digits: String = proof.code.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(from.len() == to.len() && digits.contains(from), "{from} in {digits}");
    let at = digits.match_indices(from).find(|(at, _)| at % 2 == 0).expect("whole bytes").0 / 2;
    for (k, byte) in proof.code[at..at + to.len() / 2].iter_mut().enumerate() {
        *byte = u8::from_str_radix(&to[2 * k..2 * k + 2], 16).expect("digits");
    }
    proof
}

#[test]
fn a_wrong_word_place_or_number_is_refused() {
    let text = text("aes128-key.proof");
    check(&Certificate::read(&text).expect("a certificate")).expect("it is accepted");
    for (from, to, reason) in [
        // `vmovdqu [rdi + 16], xmm0` to another place, of another register, and not at all.
        ("c5fa7f4710", "c5fa7f4720", "is not as specified"),
        ("c5fa7f4710", "c5fa7f4700", "stored twice"),
        ("c5fa7f4710", "c5fa7f4718", "at no known place|more than one block"),
        ("c5fa7f4710", "c5fa7f5710", "is not as specified"),
        ("c5fa7f4710", "c5fa7f4610", "not allowed there"),
        ("c5fa7f4710", "0f1f440000", "is not as specified|with gaps"),
        // The last key one place farther, and not at all.
        ("c5fa7f87a0000000", "c5fa7f87b0000000", "outside"),
        ("c5fa7f87a0000000", "0f1f840000000000", "does not end where it should"),
        // `vmovdqu xmm0, [rsi]` from elsewhere.
        ("c5fa6f06", "c5fa6f07", "not allowed there"),
        ("c5fa6f06", "c5fa6f02", "depends on a secret"),
        // The first constant of `vaeskeygenassist`, and another word of it.
        ("c4e379dfd001", "c4e379dfd003", "is not as specified"),
        ("c4e379dfd001", "c4e379dfd201", "is not as specified"),
        ("c5f970d2ff", "c5f970d2aa", "is not as specified"),
        // A shift by another distance.
        ("c5e173f804", "c5e173f805", "is not as specified"),
    ] {
        let error = check(&changed(&text, from, to)).expect_err(to);
        assert!(reason.split('|').any(|reason| error.contains(reason)), "{from} -> {to}: {error}");
    }
    for (from, to, reason) in [
        ("contract aes128-key", "contract aes128-key-dec", "is not as specified"),
        ("contract aes128-key", "contract aes192-key", "is not as specified"),
        ("contract aes128-key", "contract aes128-ecb", "outside of the text"),
        ("contract aes128-key", "contract aes128-key\nwipes", "may hold a secret"),
        ("to exit 11", "to exit 10", "another number of blocks"),
        ("to exit 11", "to exit 12", "another number of blocks"),
        ("to exit 11", "to exit len", "another number of blocks"),
    ] {
        assert!(text.contains(from), "{from}");
        let error =
            check(&Certificate::read(&text.replacen(from, to, 1)).expect("it is read")).expect_err(to);
        assert!(error.contains(reason), "{to}: {error}");
    }
}

/// The key of AES-192 has 24 bytes, and nothing behind it is read.
#[test]
fn nothing_behind_the_cipher_key_is_read() {
    let text = text("aes192-key-dec.proof");
    // `vmovq xmm1, [rsi + 16]`, and the 16 bytes there.
    for (from, to) in
        [("c5fa7e4e10", "c5fa6f4e10"), ("c5fa7e4e10", "c5fa7e4e18"), ("c5fa7e4e10", "c5fa7e4e11")]
    {
        let error = check(&changed(&text, from, to)).expect_err(to);
        assert!(error.contains("outside of the text"), "{to}: {error}");
    }
}
