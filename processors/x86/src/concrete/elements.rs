//! Lane elements as numbers, conditions over flags, and inverses in the field.

use super::Flags;
use aesmith_cipher::block::gf_mul;
use aesmith_isa::lanes::{Condition, Half, Width};
use std::array::from_fn;

/// Inverses in GF(2^8) modulo 0x11b, and 0 for 0.
pub(super) const INVERSE: [u8; 256] = {
    let mut inverse = [0; 256];
    let mut a = 1;
    while a < 256 {
        // The field has 255 units, so a^254 = 1/a: six times square and multiply by a, then a final square.
        let (mut power, mut squarings) = (a as u8, 0);
        while squarings < 6 {
            power = gf_mul(gf_mul(power, power), a as u8);
            squarings += 1;
        }
        inverse[a] = gf_mul(power, power);
        a += 1;
    }
    inverse
};

/// Applies `f` to elements, given as integers.
pub(super) fn by_elements(element: Width, a: [u8; 16], b: [u8; 16], f: impl Fn(u64, u64) -> u64) -> [u8; 16] {
    let mut result = [0; 16];
    let size = element.bytes();
    for i in (0..16).step_by(size) {
        let value = f(integer(&a[i..i + size]), integer(&b[i..i + size]));
        result[i..i + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
    result
}

pub(super) fn integer(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

pub(super) fn half(lane: [u8; 16], half: Half) -> [u8; 8] {
    from_fn(|i| lane[i + if half == Half::High { 8 } else { 0 }])
}

pub(super) fn holds(condition: Condition, f: Flags) -> bool {
    let less = f.sign != f.overflow;
    match condition {
        Condition::Overflow => f.overflow,
        Condition::NoOverflow => !f.overflow,
        Condition::Below => f.carry,
        Condition::AboveEqual => !f.carry,
        Condition::Equal => f.zero,
        Condition::NotEqual => !f.zero,
        Condition::BelowEqual => f.carry || f.zero,
        Condition::Above => !f.carry && !f.zero,
        Condition::Sign => f.sign,
        Condition::NoSign => !f.sign,
        Condition::Parity => f.parity,
        Condition::NoParity => !f.parity,
        Condition::Less => less,
        Condition::GreaterEqual => !less,
        Condition::LessEqual => f.zero || less,
        Condition::Greater => !f.zero && !less,
    }
}

/// ZF, SF and PF of a result; the other flags as given.
pub(super) fn result_flags(width: Width, value: u64, carry: bool, overflow: bool) -> Flags {
    Flags {
        carry,
        parity: (value as u8).count_ones().is_multiple_of(2),
        zero: value == 0,
        sign: value >> (width.bits() - 1) & 1 == 1,
        overflow,
    }
}
