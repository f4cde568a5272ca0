//! The test cases of the specification of GCM (McGrew and Viega 2005, appendix B) with a nonce of 12 bytes and a text of four
//! blocks, and with its first 60 bytes and additional data.

use super::Vector;
use aesmith_cipher::KeySize;
use aesmith_cipher::mode::Hashed;

/// The tags of a vector of GCM, in hexadecimal.
#[derive(Clone, Copy, Debug)]
pub struct Tags {
    /// Additional data.
    pub data: &'static str,
    /// The tag of the whole text without the data.
    pub alone: &'static str,
    /// The tag of the first 60 bytes of the text with the data.
    pub with_data: &'static str,
}

const PLAIN: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                     1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255";
/// The counter block of the text, and the value of GHASH before it.
const CHAIN: &str = "cafebabefacedbaddecaf8880000000200000000000000000000000000000000";
const DATA: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";

struct Row {
    size: KeySize,
    key: &'static str,
    cipher: &'static str,
    alone: &'static str,
    with_data: &'static str,
}

/// Test cases 3 and 4, 9 and 10, 15 and 16.
const ROWS: [Row; 3] = [
    Row {
        size: KeySize::Aes128,
        key: "feffe9928665731c6d6a8f9467308308",
        cipher: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                 21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
        alone: "4d5c2af327cd64a62cf35abd2ba6fab4",
        with_data: "5bc94fbc3221a5db94fae95ae7121a47",
    },
    Row {
        size: KeySize::Aes192,
        key: "feffe9928665731c6d6a8f9467308308feffe9928665731c",
        cipher: "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c\
                 7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710acade256",
        alone: "9924a7c8587336bfb118024db8674a14",
        with_data: "2519498e80f1478f37ba55bd6d27618c",
    },
    Row {
        size: KeySize::Aes256,
        key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        cipher: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                 8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
        alone: "b094dac5d93471bdec1a502270e3cc6c",
        with_data: "76fc6ece0f4e1768cddf8853bb2d551b",
    },
];

/// The vector of a function that encrypts or decrypts; the answers of key set-ups are those of `plain`.
pub(super) fn vector(size: KeySize, hashed: Hashed, plain: Vector) -> Vector {
    let Row { key, cipher, alone, with_data, .. } =
        *ROWS.iter().find(|row| row.size == size).expect("every key size has a row");
    let (input, output) = match hashed {
        Hashed::Output => (PLAIN, cipher),
        Hashed::Text => (cipher, PLAIN),
    };
    Vector { key, iv: CHAIN, input, output, tags: Some(Tags { data: DATA, alone, with_data }), ..plain }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::{Direction, Problem, Task, modes::gcm};

    fn hex(s: &str) -> Vec<u8> {
        (0..s.len()).step_by(2).map(|i| u8::from_str_radix(&s[i..i + 2], 16).unwrap()).collect()
    }

    #[test]
    fn tags_are_those_of_the_standard() {
        for row in &ROWS {
            let problem = Problem::new(row.size, Task::Gcm(Direction::Encrypt));
            let sealed =
                |data: &str, text: &[u8]| gcm(problem, &hex(row.key), &hex(CHAIN)[..12], &hex(data), text);
            let (cipher, tag) = sealed("", &hex(PLAIN));
            assert_eq!((cipher, tag.to_vec()), (hex(row.cipher), hex(row.alone)));
            let (cipher, tag) = sealed(DATA, &hex(PLAIN)[..60]);
            assert_eq!((cipher, tag.to_vec()), (hex(row.cipher)[..60].to_vec(), hex(row.with_data)));
        }
    }
}
