//! Vectors of IEEE 1619, annex B: the first four blocks of vectors 4 and 10, from the tweak of the first, which is the cipher
//! of the number of the data unit (0, and 0xff) under the second half of the key.

use super::Vector;
use aesmith_cipher::{Direction, KeySize};

const PLAIN: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\
                     202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f";

struct Row {
    size: KeySize,
    key: &'static str,
    tweak: &'static str,
    cipher: &'static str,
}

const ROWS: [Row; 2] = [
    Row {
        size: KeySize::Aes128,
        key: "27182818284590452353602874713526",
        tweak: "6dcfba212f5d82bf525ee9793cfa505a",
        cipher: "27a7479befa1d476489f308cd4cfa6e2a96e4bbe3208ff25287dd3819616e89c\
                 c78cf7f5e543445f8333d8fa7f56000005279fa5d8b5e4ad40e736ddb4d35412",
    },
    Row {
        size: KeySize::Aes256,
        key: "2718281828459045235360287471352662497757247093699959574966967627",
        tweak: "1a267577a90caad6ae988e22714a2b8b",
        cipher: "1c3b3a102f770386e4836c99e370cf9bea00803f5e482357a4ae12d414a3e63b\
                 5d31e276f8fe4a8d66b317f9ac683f44680a86ac35adfc3345befecb4bb188fd",
    },
];

/// The vector of a key size and a direction, with the rest of that of the plain cipher.
pub(super) fn vector(size: KeySize, direction: Direction, plain: Vector) -> Vector {
    let row = ROWS.iter().find(|row| row.size == size).expect("XTS has keys of 128 and 256 bits");
    let (input, output) = match direction {
        Direction::Encrypt => (PLAIN, row.cipher),
        Direction::Decrypt => (row.cipher, PLAIN),
    };
    Vector { key: row.key, iv: row.tweak, input, output, ..plain }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::{Problem, Task, modes::xts};

    fn hex(s: &str) -> Vec<u8> {
        (0..s.len()).step_by(2).map(|i| u8::from_str_radix(&s[i..i + 2], 16).unwrap()).collect()
    }

    /// The second halves of the keys, and the numbers of the units.
    #[test]
    fn whole_units_are_those_of_the_standard() {
        let halves = [
            "31415926535897932384626433832795",
            "3141592653589793238462643383279502884197169399375105820974944592",
        ];
        for ((row, half), number) in ROWS.iter().zip(halves).zip([0u128, 0xff]) {
            let problem = Problem::new(row.size, Task::Xts(Direction::Encrypt));
            let keys = [hex(row.key), hex(half)];
            let found = xts(problem, [&keys[0], &keys[1]], number.to_le_bytes(), &hex(PLAIN));
            assert_eq!(found, hex(row.cipher));
        }
    }
}
