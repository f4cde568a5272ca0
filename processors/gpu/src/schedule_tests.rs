//! Key schedules: round keys of many keys, and those that threads expand from their stream's cipher key; and
//! their faults, which are refused.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::kernel_tests::launched;
use crate::proof_tests::{faulty, printed, proved};

#[test]
fn many_keys_are_expanded() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    for (variant, count) in [
        ("aes128-key", 300),
        ("aes192-key", 1),
        ("aes256-key replicas=4", 128),
        ("aes128-key-dec", 129),
        ("aes192-key-dec", 0),
        ("aes256-key-dec", 40),
    ] {
        let variant = format!("{variant} threads=128");
        let (text, contract) = printed(&variant);
        launched(&text, &variant, 2, count, &mut random);
        let proof = proved(&text, &contract).unwrap_or_else(|e| panic!("{variant}: {e}"));
        assert_eq!(proof.constant_time, !variant.contains("replicas"), "{variant}");
    }
}

#[test]
fn faults_of_schedules_are_refused() {
    let (text, contract) = printed("aes192-key threads=128");
    let whole = "ld.global.v4.b32 {%r4, %r5, %r2, %r3}, [%rd0+0];";
    let (first, rest) = text.split_once("ld.global.b64 %rd7, [%rd0+0];").expect("a key is loaded");
    for (what, wrong, why) in [
        ("another constant", faulty(&text, "xor_n", 3, "n", |n| n ^ 0x10), "not what FIPS-197 says"),
        ("a constant too early", faulty(&text, "prmt", 12, "n", |n| n ^ 0x10), "not what FIPS-197 says"),
        ("no RotWord", faulty(&text, "prmt", 3, "n", |n| n ^ 0x30), "not what FIPS-197 says"),
        ("the key before", faulty(&text, "product", 3, "m", |m| m - 8), "no offset of a block of text"),
        (
            "another key",
            faulty(&text, "ld_global_64", 2, "off", |off| off + 8),
            "nothing says that there is such a",
        ),
        ("a step too short", faulty(&text, "product", 6, "m", |m| m / 2), "not what FIPS-197 says"),
        ("a round key twice", faulty(&text, "st_global", 5, "off", |off| off - 16), "is written twice"),
        // For every second key, the address would not be a multiple of 16, which a GPU refuses.
        ("an access of 16 bytes", format!("{first}{whole}{rest}"), "not one access of it"),
    ] {
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
}

#[test]
fn faults_of_cipher_keys_of_streams_are_refused() {
    let (text, contract) = printed("aes192-ecb keys=group schedule=fly threads=128");
    let whole = "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd3+0];";
    let at = text.rfind("ld.global.b64").expect("a key is loaded");
    let from = text[..at].rfind("ld.global.b64").and_then(|at| text[..at].rfind("ld.global.b64"));
    let from = from.expect("in three parts");
    let end = from + text[from..].find('\n').expect("a line ends");
    for (what, wrong, why) in [
        ("another constant", faulty(&text, "xor_n", 0, "n", |n| n ^ 1), "not what FIPS-197 says"),
        ("another stream's key", faulty(&text, "product", 2, "m", |m| m + 24), "accesses memory of stream"),
        ("an access of 16 bytes", format!("{}{whole}{}", &text[..from], &text[end..]), "no part of it"),
    ] {
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
}
