//! GHASH and its field, exactly as in SP 800-38D, 6.3 to 6.4. Simple: the reference for all tests.

use crate::block::{Block, xor};

/// The product in GF(2^128), by algorithm 1 of SP 800-38D. Bit 0, the coefficient of x^0, is the highest bit of byte 0.
pub fn multiply(x: Block, y: Block) -> Block {
    const R: u128 = 0xe1 << 120;
    let (x, mut v) = (u128::from_be_bytes(x), u128::from_be_bytes(y));
    let mut z = 0;
    for i in (0..128).rev() {
        if x >> i & 1 == 1 {
            z ^= v;
        }
        v = if v & 1 == 1 { v >> 1 ^ R } else { v >> 1 };
    }
    z.to_be_bytes()
}

/// The hash after more data, whose last block is padded with zeros: from the value before, under a hash key.
pub fn hash(key: Block, before: Block, data: &[u8]) -> Block {
    data.chunks(16).fold(before, |value, part| {
        let mut block = [0; 16];
        block[..part.len()].copy_from_slice(part);
        multiply(xor(value, block), key)
    })
}

/// The power of a hash key with an exponent of 1 or more.
pub fn power(key: Block, exponent: usize) -> Block {
    (1..exponent).fold(key, |power, _| multiply(power, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(value: u128) -> Block {
        value.to_be_bytes()
    }

    /// GHASH of test case 2 of the GCM specification (McGrew and Viega 2005, appendix B).
    #[test]
    fn a_published_hash() {
        let key = block(0x66e94bd4ef8a2c3b884cfa59ca342b2e);
        let data = [block(0x0388dace60b6a392f328c2b971b2fe78), block(0x80)].concat();
        assert_eq!(hash(key, [0; 16], &data), block(0xf38cbb1ad69223dcc3457ae5b6b0f885));
    }

    #[test]
    fn the_product_is_that_of_a_field() {
        let mut value = block(0x0123456789abcdeffedcba9876543210);
        let mut next = || {
            value = multiply(value, block(0x66e94bd4ef8a2c3b884cfa59ca342b2e));
            value
        };
        let one = block(1 << 127);
        for _ in 0..20 {
            let (a, b, c) = (next(), next(), next());
            assert_eq!(multiply(a, b), multiply(b, a));
            assert_eq!(multiply(multiply(a, b), c), multiply(a, multiply(b, c)));
            assert_eq!(multiply(a, xor(b, c)), xor(multiply(a, b), multiply(a, c)));
            assert_eq!(multiply(a, one), a);
            assert_eq!(multiply(power(a, 3), power(a, 2)), power(a, 5));
        }
    }

    /// Whole blocks may be absorbed in parts.
    #[test]
    fn parts_are_absorbed_one_after_another() {
        let (key, data) = (block(0xb83b533708bf535d0aa6e52980d53b78), [7u8; 45]);
        let first = hash(key, [1; 16], &data[..32]);
        assert_eq!(hash(key, first, &data[32..]), hash(key, [1; 16], &data));
        let padded = [&data[..], &[0; 3]].concat();
        assert_eq!(hash(key, [1; 16], &data), hash(key, [1; 16], &padded));
    }
}
