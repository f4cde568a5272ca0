//! Published vectors in a package's self-test.

mod gcm;
mod xts;

use aesmith_cipher::mode::Next;
use aesmith_cipher::{Direction, KeySize, Task};
pub use gcm::Tags;

/// SP 800-38A, appendix F: the plaintext of every example.
pub const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                                    30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
/// The IV of the CBC examples (F.2).
const IV: &str = "000102030405060708090a0b0c0d0e0f";
/// The first counter block of the CTR examples (F.5).
const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

/// Keys and ciphertexts of one key size.
struct Row {
    size: KeySize,
    key: &'static str,
    /// Ciphertexts of [`PLAIN`], in the order of [`FAMILIES`].
    ciphers: [&'static str; 3],
    /// FIPS-197, appendix A: the last round key of `key`.
    last_round_key: &'static str,
    /// FIPS-197, appendix C: the ciphertext of 00112233...ff under the key 000102...
    fips197: &'static str,
}

/// Families of modes with their IVs; the one of the plain cipher comes first.
const FAMILIES: [(&str, &str); 3] = [("ECB", IV), ("CBC", IV), ("CTR", COUNTER)];

/// SP 800-38A, F.1, F.2, F.5, and FIPS-197, appendices A and C.
const ROWS: [Row; 3] = [
    Row {
        size: KeySize::Aes128,
        key: "2b7e151628aed2a6abf7158809cf4f3c",
        ciphers: [
            "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
             43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
             73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
             5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        ],
        last_round_key: "d014f9a8c9ee2589e13f0cc8b6630ca6",
        fips197: "69c4e0d86a7b0430d8cdb78070b4c55a",
    },
    Row {
        size: KeySize::Aes192,
        key: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        ciphers: [
            "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef\
             ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
            "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a\
             571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
            "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94\
             1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
        ],
        last_round_key: "e98ba06f448c773c8ecc720401002202",
        fips197: "dda97ca4864cdfe06eaf70a0ec0d7191",
    },
    Row {
        size: KeySize::Aes256,
        key: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        ciphers: [
            "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870\
             b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d\
             39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
             2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
        ],
        last_round_key: "fe4890d1e6188d0b046df344706c631e",
        fips197: "8ea2b7ca516745bfeafc49904b496089",
    },
];

/// A known answer over four blocks, in hexadecimal.
pub struct Vector {
    /// Cipher key.
    pub key: &'static str,
    /// IV or counter; all zero if there is none.
    pub iv: &'static str,
    /// Input.
    pub input: &'static str,
    /// Output.
    pub output: &'static str,
    /// FIPS-197, appendix A: the key's last round key.
    pub last_round_key: &'static str,
    /// FIPS-197, appendix C.
    pub fips197: &'static str,
    /// The tags, in modes with one.
    pub tags: Option<Tags>,
}

/// Returns the known answer of a mode; for a key set-up, that of the plain cipher.
pub fn vector(size: KeySize, task: Task) -> Vector {
    let row = ROWS.iter().find(|row| row.size == size).expect("every key size has a row");
    let mode = task.mode();
    let family = FAMILIES.iter().position(|(family, _)| *family == mode.family).unwrap_or(0);
    let (iv, cipher) = (FAMILIES[family].1, row.ciphers[family]);
    let (input, output) = match mode.direction {
        Direction::Encrypt => (PLAIN, cipher),
        Direction::Decrypt => (cipher, PLAIN),
    };
    let Row { key, last_round_key, fips197, .. } = *row;
    let plain = Vector { key, iv, input, output, last_round_key, fips197, tags: None };
    match mode.hashed() {
        None if mode.next() == Next::Doubled => xts::vector(size, mode.direction, plain),
        None => plain,
        Some(hashed) => gcm::vector(size, hashed, plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::{Problem, modes::call};

    fn hex(s: &str) -> Vec<u8> {
        (0..s.len()).step_by(2).map(|i| u8::from_str_radix(&s[i..i + 2], 16).unwrap()).collect()
    }

    #[test]
    fn the_key_schedule_ends_as_it_is_published() {
        for row in &ROWS {
            let keys = aesmith_cipher::block::expand_key(row.size, &hex(row.key));
            assert_eq!(keys.last().unwrap()[..], hex(row.last_round_key), "{}", row.key);
        }
    }

    #[test]
    fn the_oracle_gives_the_published_answers() {
        for problem in Problem::all().into_iter().filter(Problem::is_message) {
            let v = vector(problem.key, problem.task);
            let mut chain = [0; 32];
            chain[..v.iv.len() / 2].copy_from_slice(&hex(v.iv));
            assert_eq!(call(problem, &hex(v.key), chain, &hex(v.input)).0, hex(v.output), "{problem}");
            assert_eq!(v.iv.len(), 2 * problem.mode().iv_bytes(), "{problem}");
        }
    }
}
