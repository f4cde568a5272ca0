//! The specification in numbers has the examples of the standards.

use crate::concrete::model::{cipher, inverse_key_schedule, key_schedule, message};
use aesmith_check::spec::Mode;

/// FIPS-197, appendix C.
#[test]
fn examples_of_the_standard() {
    let text = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.swap_bytes();
    for (bytes, cipher_text) in [
        (16, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128),
        (24, 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191),
        (32, 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089),
    ] {
        let key: Vec<u8> = (0..bytes).collect();
        let out = cipher(&key_schedule(&key), text, false);
        assert_eq!(out, cipher_text.swap_bytes());
        assert_eq!(cipher(&inverse_key_schedule(&key), out, true), text);
    }
}

/// SP 800-38A, F.2.1 and F.5.1, the first two blocks.
#[test]
fn examples_of_the_modes() {
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
    };
    let keys = key_schedule(&bytes("2b7e151628aed2a6abf7158809cf4f3c"));
    let inverse = inverse_key_schedule(&bytes("2b7e151628aed2a6abf7158809cf4f3c"));
    let text = bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
    let iv = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.swap_bytes();
    let (cbc, chain) = message(Mode::Cbc, false, &keys, iv, &text);
    assert_eq!(cbc, bytes("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"));
    assert_eq!(chain.to_le_bytes(), cbc[16..]);
    assert_eq!(message(Mode::Cbc, true, &inverse, iv, &cbc), (text.clone(), chain));
    let counter = 0xf0f1_f2f3_f4f5_f6f7_f8f9_fafb_fcfd_feff_u128;
    let (ctr, next) = message(Mode::Ctr, false, &keys, counter.swap_bytes(), &text);
    assert_eq!(ctr, bytes("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"));
    assert_eq!(next, (counter + 2).swap_bytes());
    assert_eq!(message(Mode::Ctr, false, &keys, u128::MAX, &text[..20]).1, 1_u128.swap_bytes());
    assert_eq!(message(Mode::Ecb, false, &keys, 0, &text[..31]).0.len(), 16);
}
