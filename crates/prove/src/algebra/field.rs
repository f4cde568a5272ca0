//! GHASH's field (SP 800-38D, 6.3) as maps of bits: blocks with their bytes reversed, and the carry-less products of their
//! halves with those of the stored powers of a hash key ([`aesmith_cipher::contract::hash_entry`]).
//!
//! For a block c and a power h of the hash key, let P(i, j) be the carry-less product of half i of c with its bytes reversed and
//! half j of the entry of h, of 127 bits. The product of c and h in the field, as a block in memory, is the sum of
//! [`reduced`] (i + j) of P(i, j). The bits of all P(i, j) are linearly independent as functions of c and h, for they have no
//! product of two bits in common: a sum of maps of them is a map of the field's product in one way at most.

use std::sync::LazyLock;

use aesmith_cipher::contract::hash_entry;
use aesmith_cipher::ghash::multiply;

use crate::algebra::maps::{Rows, bits};

/// The bit of a product that is always zero.
const ZERO: u128 = 1 << 127;

/// The bit of a block in memory that is the coefficient of x^k.
const fn place(k: usize) -> usize {
    8 * (k / 8) + 7 - k % 8
}

/// The maps from P(i, j) to the product in the field, by i + j: bit m of P(i, j) is x^(255 - 64 (i + j) - m).
static REDUCED: LazyLock<[Rows; 3]> = LazyLock::new(|| {
    let x = (1u128 << 126).to_be_bytes();
    let mut powers = vec![(1u128 << 127).to_be_bytes()];
    for k in 1..256 {
        powers.push(multiply(powers[k - 1], x));
    }
    std::array::from_fn(|sum| {
        std::array::from_fn(|p| {
            (0..127).fold(0, |row, m| {
                let power = u128::from_le_bytes(powers[255 - 64 * sum - m]);
                row | (power >> p & 1) << m
            })
        })
    })
});

/// The map from P(i, j) to the product in the field.
pub(crate) fn reduced(sum: usize) -> &'static Rows {
    &REDUCED[sum]
}

/// The map of the field's product that these maps of P(0, 0), P(0, 1), P(1, 0) and P(1, 1) are, if they are one.
pub(crate) fn outer([p00, p01, p10, p11]: [&Rows; 4]) -> Option<Rows> {
    // Bit m of P(1, 1) is x^(127 - m), but there is none for x^0: bit 63 of P(0, 1) is x^128 = x^7 + x^2 + x + 1.
    let rows: Rows = std::array::from_fn(|p| {
        let row = (1..128).fold(0, |row, k| row | (p11[p] >> (127 - k) & 1) << place(k));
        let others = [7, 2, 1].iter().fold(p01[p] >> 63, |sum, k| sum ^ row >> place(*k)) & 1;
        row | others << place(0)
    });
    let is_product = |of: &Rows, sum: usize| {
        let inner = reduced(sum);
        (0..128).all(|p| {
            let product = bits(rows[p]).fold(0, |row, q| row ^ inner[q]);
            (product ^ of[p]) & !ZERO == 0
        })
    };
    let all = [(p00, 0), (p01, 1), (p10, 1), (p11, 2)];
    all.iter().all(|(of, sum)| is_product(of, *sum)).then_some(rows)
}

/// The bit of a block in memory that is bit `n` of the block with its bytes reversed.
const fn reversed(n: usize) -> usize {
    8 * (15 - n / 8) + n % 8
}

/// The map of a block that reverses its bytes.
pub(crate) static REVERSED: LazyLock<Rows> = LazyLock::new(|| std::array::from_fn(|n| 1 << reversed(n)));

/// The map from a power of the hash key to its entry.
pub(crate) static ENTRY: LazyLock<Rows> = LazyLock::new(|| {
    let entries: [u128; 128] =
        std::array::from_fn(|j| u128::from_le_bytes(hash_entry((1u128 << j).to_le_bytes(), 1)));
    std::array::from_fn(|p| (0..128).fold(0, |row, j| row | (entries[j] >> p & 1) << j))
});

/// The halves of a block under the map `view` whose sum half `half` of the block under the map `rows` is, as a mask. `None` if
/// it is no such sum.
pub(crate) fn halves(rows: &Rows, half: usize, view: &Rows) -> Option<u8> {
    (0..4).find(|mask| {
        (0..64).all(|i| {
            let part = |j: usize| if mask >> j & 1 == 1 { view[64 * j + i] } else { 0 };
            rows[64 * half + i] == part(0) ^ part(1)
        })
    })
}

/// The map that multiplies a half by a constant.
pub(crate) fn times(constant: u64, half: usize) -> Rows {
    std::array::from_fn(|p| {
        let is_product = |q: &usize| p >= *q && p - q < 64 && constant >> (p - q) & 1 == 1;
        (0..64).filter(is_product).fold(0, |row, q| row | 1 << (64 * half + q))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::maps::Maps;

    fn apply(rows: &Rows, value: u128) -> u128 {
        (0..128).fold(0, |result, p| result | u128::from((rows[p] & value).count_ones() & 1) << p)
    }

    fn product(a: u64, b: u64) -> u128 {
        (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a) << i)
    }

    fn half(value: u128, half: usize) -> u64 {
        (value >> (64 * half)) as u64
    }

    /// The field lemma, on all pairs of a basis: both sides are bilinear.
    #[test]
    fn products_of_halves_are_the_product_in_the_field() {
        for (i, j) in (0..128).flat_map(|i| (0..128).map(move |j| (i, j))) {
            let (block, key) = ((1u128 << i).to_le_bytes(), (1u128 << j).to_le_bytes());
            let entry = u128::from_le_bytes(hash_entry(key, 1));
            let reversed = u128::from_be_bytes(block);
            let sum = (0..4).fold(0, |sum, n| {
                let (a, b) = (n & 1, n >> 1);
                sum ^ apply(reduced(a + b), product(half(reversed, a), half(entry, b)))
            });
            assert_eq!(sum, u128::from_le_bytes(multiply(block, key)), "{i} {j}");
        }
    }

    #[test]
    fn a_map_of_the_product_is_found_and_others_are_refused() {
        let mut maps = Maps::new();
        let field = [0, 1, 1, 2].map(|sum| maps.number(*reduced(sum)));
        let turned = maps.of_bytes(|i| Some(15 - i));
        let outer_of = |maps: &Maps, of: [u32; 4]| outer(of.map(|n| maps.rows(n)));
        for map in [crate::algebra::maps::IDENTITY, turned, maps.keeping(0xff00_1234)] {
            let moved = field.map(|of| maps.product(map, of));
            assert_eq!(outer_of(&maps, moved), Some(*maps.rows(map)));
            // One bit of any of them is another function, but for that which is always zero.
            for n in 0..4 {
                for (p, m) in [(0, 0), (127, 126), (64, 63)] {
                    let mut rows = *maps.rows(moved[n]);
                    rows[p] ^= 1 << m;
                    let mut other = moved;
                    other[n] = maps.number(rows);
                    assert_eq!(outer_of(&maps, other), None, "{n} {p} {m}");
                }
            }
        }
    }

    #[test]
    fn entries_are_those_of_the_contract() {
        for k in 0..64u128 {
            let block = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978u128.wrapping_mul(2 * k + 1);
            assert_eq!(apply(&ENTRY, block).to_le_bytes(), hash_entry(block.to_le_bytes(), 1), "{k}");
            assert_eq!(apply(&REVERSED, block), block.swap_bytes());
        }
    }

    #[test]
    fn halves_and_constants_are_found() {
        let mut maps = Maps::new();
        let turned = maps.of_bytes(|i| Some(15 - i));
        assert_eq!([0, 1].map(|h| halves(maps.rows(turned), h, &REVERSED)), [Some(1), Some(2)]);
        assert_eq!(
            [0, 1].map(|h| halves(
                maps.rows(crate::algebra::maps::IDENTITY),
                h,
                maps.rows(crate::algebra::maps::IDENTITY)
            )),
            [Some(1), Some(2)]
        );
        assert_eq!(halves(maps.rows(crate::algebra::maps::IDENTITY), 0, &REVERSED), None);
        let swapped = maps.of_bytes(|i| Some(7 - i % 8 + if i < 8 { 0 } else { 8 }));
        let both = maps.sum(turned, swapped);
        assert_eq!([0, 1].map(|h| halves(maps.rows(both), h, &REVERSED)), [Some(3), Some(3)]);
        assert_eq!(halves(maps.rows(0), 1, &REVERSED), Some(0));
        let value = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978;
        for constant in [0xc2 << 56, 1, u64::MAX, 0] {
            for h in [0, 1] {
                assert_eq!(apply(&times(constant, h), value), product(half(value, h), constant));
            }
        }
    }
}
