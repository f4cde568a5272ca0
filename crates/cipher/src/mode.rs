//! The register of modes: the inputs, computation and outputs of each task's call, as data. Every stage reads its part
//! from a [`Mode`]; only the writers of kernels distinguish modes themselves.
//!
//! [`crate::modes`] implements the standards in simple code, and tests compare these records with it.

use std::ops::Range;

use crate::contract::{HASH_END, HASH_OFFSET, HASH_ZEROS, TABLE_BYTES, TABLE_OFFSET};
use crate::problem::{Direction, KeySize, Task};

/// The properties of a mode, or of a key set-up.
#[derive(Debug)]
pub struct Mode {
    /// The name in problems, after `aes128-`; several streams add `-x4`.
    pub name: &'static str,
    /// The name of the family in the standard and in other libraries.
    pub family: &'static str,
    /// The function's name in firmware, after `aes128_`.
    pub verb: &'static str,
    /// A description for users; `{}` stands for `AES-128`.
    pub meaning: &'static str,
    /// The defining standard.
    pub standard: &'static str,
    /// The direction of the cipher, which selects the round keys.
    pub direction: Direction,
    /// The arguments in order. Calls for several streams take an array for each, with one element per stream.
    pub arguments: &'static [Argument],
    /// The chaining rule; `None` for a key set-up.
    pub rule: Option<Rule>,
    /// The unit of message lengths.
    pub unit: Unit,
    /// The parts of the key structure that it may read.
    pub reads: &'static [KeyPart],
    /// The part of the key structure that a key set-up writes; `None` for a mode.
    pub writes: Option<KeyPart>,
}

/// An argument of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Argument {
    /// The role.
    pub role: Role,
    /// True if the call reads the memory that it points to.
    pub read: bool,
    /// True if the call writes the memory that it points to.
    pub written: bool,
}

/// The role of an argument: a length, or a pointer to this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The key structure.
    Key,
    /// The IV or counter block; the call updates it for the next call of the same message. In GCM the value of GHASH stands
    /// behind it.
    Iv,
    /// The text.
    Input,
    /// The result, in place of the text or separate from it.
    Output,
    /// The length of text and result.
    Length,
    /// The cipher key of a key set-up.
    CipherKey,
}

/// The chaining rule for one block of text. The first chain value is the IV.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The input of the cipher.
    pub enters: Enters,
    /// The value that is XORed to the cipher's output; the sum is the output block.
    pub added: Added,
    /// The next chain value.
    pub next: Next,
    /// The block that GHASH absorbs, padded with zeros if it is partial.
    pub hashed: Option<Hashed>,
}

/// The block that GHASH absorbs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hashed {
    /// The text.
    Text,
    /// The output.
    Output,
}

/// The input of the cipher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enters {
    /// The text.
    Text,
    /// The chain value.
    Chain,
    /// The XOR of both.
    Both,
}

/// The value that is XORed to the cipher's output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// No value.
    Nothing,
    /// The text.
    Text,
    /// The chain value.
    Chain,
}

/// The chain value of the next block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// None: the mode has no IV.
    Nothing,
    /// This block of text.
    Text,
    /// This block of output: a block depends on the previous one.
    Output,
    /// The chain value plus one, as a big-endian number.
    Counter,
    /// The chain value with one added to its last 32 bits, as a big-endian number, modulo 2^32.
    Counter32,
    /// Twice the chain value, in the field of XTS ([`crate::modes::doubled`]).
    Doubled,
}

/// The unit of message lengths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Whole blocks: bytes after the last whole block are ignored.
    Block,
    /// Bytes: a partial block uses up the whole block.
    Byte,
}

/// A part of the key structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyPart {
    /// The round keys in order of use.
    RoundKeys,
    /// The table of first-round contributions of the last counter byte.
    CounterTable,
    /// The powers of the hash key, and zeros.
    HashTable,
}

impl KeyPart {
    /// The task that sets it up after the round keys; `None` for the round keys themselves.
    pub const fn set_up(self) -> Option<Task> {
        match self {
            KeyPart::RoundKeys => None,
            KeyPart::CounterTable => Some(Task::CtrTable),
            KeyPart::HashTable => Some(Task::GcmTable),
        }
    }

    /// A name for users.
    pub const fn name(self) -> &'static str {
        match self {
            KeyPart::RoundKeys => "round keys",
            KeyPart::CounterTable => "a table for the counter",
            KeyPart::HashTable => "powers of the hash key",
        }
    }

    /// The range of bytes in the key structure.
    pub const fn bytes(self, key: KeySize) -> Range<usize> {
        match self {
            KeyPart::RoundKeys => 0..16 * (key.rounds() + 1),
            KeyPart::CounterTable => TABLE_OFFSET..TABLE_OFFSET + TABLE_BYTES,
            KeyPart::HashTable => HASH_OFFSET..HASH_END + HASH_ZEROS,
        }
    }
}

impl Mode {
    /// The rule for its chain values.
    pub const fn next(&self) -> Next {
        match self.rule {
            Some(rule) => rule.next,
            None => Next::Nothing,
        }
    }

    /// True if results may overwrite their texts when blocks are computed in any order. This fails where a block reads
    /// the previous text, which may be overwritten, and where round keys are computed from cipher keys, which are
    /// shorter.
    pub fn is_in_place_by_threads(&self) -> bool {
        self.rule.is_some_and(|rule| rule.next != Next::Text)
    }

    /// The block that GHASH absorbs.
    pub const fn hashed(&self) -> Option<Hashed> {
        match self.rule {
            Some(rule) => rule.hashed,
            None => None,
        }
    }

    /// The bytes behind the IV's address: the chain value, and in GCM the value of GHASH.
    pub const fn iv_bytes(&self) -> usize {
        if self.hashed().is_some() { 32 } else { 16 }
    }

    /// True if its chain values are counters of 128 bits.
    pub const fn counts(&self) -> bool {
        matches!(self.next(), Next::Counter)
    }

    /// True if its chain values are counters, of any number of bits.
    pub const fn has_counter(&self) -> bool {
        matches!(self.next(), Next::Counter | Next::Counter32)
    }

    /// True if it is a mode of SP 800-38A, or sets up a part of a key.
    pub const fn is_plain(&self) -> bool {
        self.hashed().is_none() && !matches!(self.next(), Next::Doubled)
    }

    /// True if a block depends on the output of the previous one, so that blocks of one message cannot be computed in
    /// parallel.
    pub const fn is_serial(&self) -> bool {
        matches!(self.next(), Next::Output)
    }

    /// True if it has an argument of this role.
    pub fn takes(&self, role: Role) -> bool {
        self.arguments.iter().any(|argument| argument.role == role)
    }

    /// True if it may read this part of the key structure.
    pub fn may_read(&self, part: KeyPart) -> bool {
        self.reads.contains(&part)
    }
}

const fn read(role: Role) -> Argument {
    Argument { role, read: true, written: false }
}

const fn written(role: Role) -> Argument {
    Argument { role, read: false, written: true }
}

const fn updated(role: Role) -> Argument {
    Argument { role, read: true, written: true }
}

/// Arguments without a chain value.
const UNCHAINED: &[Argument] =
    &[read(Role::Key), read(Role::Input), written(Role::Output), read(Role::Length)];
/// Arguments with a chain value, which is updated for the next call.
const CHAINED: &[Argument] =
    &[read(Role::Key), updated(Role::Iv), read(Role::Input), written(Role::Output), read(Role::Length)];
/// Arguments of a key schedule.
const SCHEDULE: &[Argument] = &[written(Role::Key), read(Role::CipherKey)];

const ROUND_KEYS: &[KeyPart] = &[KeyPart::RoundKeys];

static ECB: Mode = Mode {
    name: "ecb",
    family: "ECB",
    verb: "encrypt",
    meaning: "{} encryption of whole blocks (ECB)",
    standard: "SP 800-38A, 6.1",
    direction: Direction::Encrypt,
    arguments: UNCHAINED,
    rule: Some(Rule { enters: Enters::Text, added: Added::Nothing, next: Next::Nothing, hashed: None }),
    unit: Unit::Block,
    reads: ROUND_KEYS,
    writes: None,
};

static ECB_DECRYPT: Mode = Mode {
    name: "ecb-dec",
    verb: "decrypt",
    meaning: "{} decryption of whole blocks (ECB)",
    direction: Direction::Decrypt,
    ..ECB
};

static CBC: Mode = Mode {
    name: "cbc",
    family: "CBC",
    verb: "cbc_encrypt",
    meaning: "{}-CBC encryption",
    standard: "SP 800-38A, 6.2",
    arguments: CHAINED,
    rule: Some(Rule { enters: Enters::Both, added: Added::Nothing, next: Next::Output, hashed: None }),
    ..ECB
};

static CBC_DECRYPT: Mode = Mode {
    name: "cbc-dec",
    verb: "cbc_decrypt",
    meaning: "{}-CBC decryption",
    direction: Direction::Decrypt,
    rule: Some(Rule { enters: Enters::Text, added: Added::Chain, next: Next::Text, hashed: None }),
    ..CBC
};

/// The text plus the ciphers of counters.
const COUNTED: Rule = Rule { enters: Enters::Chain, added: Added::Text, next: Next::Counter, hashed: None };

static CTR: Mode = Mode {
    name: "ctr",
    family: "CTR",
    verb: "ctr",
    meaning: "{}-CTR",
    standard: "SP 800-38A, 6.5",
    direction: Direction::Encrypt,
    arguments: CHAINED,
    rule: Some(COUNTED),
    unit: Unit::Byte,
    reads: &[KeyPart::RoundKeys, KeyPart::CounterTable],
    writes: None,
};

static GCM: Mode = Mode {
    name: "gcm",
    family: "GCM",
    verb: "gcm_encrypt",
    meaning: "{}-GCM encryption of text, with its part of GHASH",
    standard: "SP 800-38D, 6.4 and 6.5",
    direction: Direction::Encrypt,
    arguments: CHAINED,
    rule: Some(Rule { next: Next::Counter32, hashed: Some(Hashed::Output), ..COUNTED }),
    unit: Unit::Byte,
    reads: &[KeyPart::RoundKeys, KeyPart::HashTable],
    writes: None,
};

static GCM_DECRYPT: Mode = Mode {
    name: "gcm-dec",
    verb: "gcm_decrypt",
    meaning: "{}-GCM decryption of text, with its part of GHASH",
    rule: Some(Rule { next: Next::Counter32, hashed: Some(Hashed::Text), ..COUNTED }),
    ..GCM
};

static XTS: Mode = Mode {
    name: "xts",
    family: "XTS",
    verb: "xts_encrypt",
    meaning: "{}-XTS encryption of whole blocks, from the tweak of the first",
    standard: "SP 800-38E; IEEE 1619, 5.3",
    rule: Some(Rule { enters: Enters::Both, added: Added::Chain, next: Next::Doubled, hashed: None }),
    ..CBC
};

static XTS_DECRYPT: Mode = Mode {
    name: "xts-dec",
    verb: "xts_decrypt",
    meaning: "{}-XTS decryption of whole blocks, from the tweak of the first",
    standard: "SP 800-38E; IEEE 1619, 5.4",
    direction: Direction::Decrypt,
    ..XTS
};

static GCM_TABLE: Mode = Mode {
    name: "gcm-table",
    family: "powers of a hash key",
    verb: "gcm_table",
    meaning: "powers of the hash key of {}-GCM",
    standard: "SP 800-38D, 6.3 and 6.4",
    arguments: &[updated(Role::Key)],
    reads: ROUND_KEYS,
    writes: Some(KeyPart::HashTable),
    ..KEY
};

static KEY: Mode = Mode {
    name: "key",
    family: "key schedule",
    verb: "expand",
    meaning: "key schedule of {}",
    standard: "FIPS-197, 5.2",
    direction: Direction::Encrypt,
    arguments: SCHEDULE,
    rule: None,
    unit: Unit::Block,
    reads: &[],
    writes: Some(KeyPart::RoundKeys),
};

static KEY_DECRYPT: Mode = Mode {
    name: "key-dec",
    verb: "expand_decrypt",
    meaning: "key schedule of {} for decryption",
    standard: "FIPS-197, 5.3.5",
    direction: Direction::Decrypt,
    ..KEY
};

static CTR_TABLE: Mode = Mode {
    name: "ctr-table",
    family: "counter table",
    verb: "ctr_table",
    meaning: "counter table of {}-CTR",
    standard: "Bernstein and Schwabe 2008, section 4",
    arguments: &[updated(Role::Key)],
    reads: ROUND_KEYS,
    writes: Some(KeyPart::CounterTable),
    ..KEY
};

impl Task {
    /// The record of this task.
    pub const fn mode(self) -> &'static Mode {
        match self {
            Task::Ecb(Direction::Encrypt) => &ECB,
            Task::Ecb(Direction::Decrypt) => &ECB_DECRYPT,
            Task::CbcEncrypt { .. } => &CBC,
            Task::CbcDecrypt => &CBC_DECRYPT,
            Task::Ctr => &CTR,
            Task::Gcm(Direction::Encrypt) => &GCM,
            Task::Gcm(Direction::Decrypt) => &GCM_DECRYPT,
            Task::Xts(Direction::Encrypt) => &XTS,
            Task::Xts(Direction::Decrypt) => &XTS_DECRYPT,
            Task::KeySchedule(Direction::Encrypt) => &KEY,
            Task::KeySchedule(Direction::Decrypt) => &KEY_DECRYPT,
            Task::CtrTable => &CTR_TABLE,
            Task::GcmTable => &GCM_TABLE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Block, decrypt, encrypt, expand_key, expand_key_inverse, xor};
    use crate::modes::call;
    use crate::problem::Problem;

    /// The result of a message according to the record, and what GHASH absorbs.
    fn by_record(problem: Problem, key: &[u8], iv: Block, input: &[u8]) -> (Vec<u8>, Block, Vec<u8>) {
        let mode = problem.mode();
        let rule = mode.rule.expect("a mode");
        let cipher = |block: Block| match mode.direction {
            Direction::Encrypt => encrypt(&expand_key(problem.key, key), block),
            Direction::Decrypt => decrypt(&expand_key_inverse(problem.key, key), block),
        };
        let (mut chain, mut output, mut hashed) = (iv, Vec::new(), Vec::new());
        for part in input.chunks(16).filter(|part| mode.unit == Unit::Byte || part.len() == 16) {
            let mut text = [0; 16];
            text[..part.len()].copy_from_slice(part);
            let out = cipher(match rule.enters {
                Enters::Text => text,
                Enters::Chain => chain,
                Enters::Both => xor(text, chain),
            });
            let out = match rule.added {
                Added::Nothing => out,
                Added::Text => xor(out, text),
                Added::Chain => xor(out, chain),
            };
            chain = match rule.next {
                Next::Nothing => chain,
                Next::Text => text,
                Next::Output => out,
                Next::Counter => u128::from_be_bytes(chain).wrapping_add(1).to_be_bytes(),
                Next::Counter32 => crate::modes::increment(chain),
                // Byte by byte from the last one, as IEEE 1619, 5.2, says it.
                Next::Doubled => {
                    let carry = if chain[15] >> 7 == 1 { 0x87 } else { 0 };
                    std::array::from_fn(|i| chain[i] << 1 ^ if i == 0 { carry } else { chain[i - 1] >> 7 })
                }
            };
            output.extend(&out[..part.len()]);
            match rule.hashed {
                None => {}
                Some(Hashed::Text) => hashed.extend(part),
                Some(Hashed::Output) => hashed.extend(&out[..part.len()]),
            }
        }
        (output, chain, hashed)
    }

    #[test]
    fn records_say_what_the_standards_say() {
        let bytes = |seed: u8, count: usize| -> Vec<u8> {
            (0..count).map(|i| (i as u8).wrapping_mul(73).wrapping_add(seed)).collect()
        };
        for problem in Problem::all().into_iter().filter(Problem::is_message) {
            let key = bytes(1, problem.key.bytes());
            let iv: Block = std::array::from_fn(|i| 0xff - (i == 3) as u8);
            for length in [0, 15, 16, 17, 32, 57, 80] {
                let input = bytes(length as u8, length);
                let (output, chain, hashed) = by_record(problem, &key, iv, &input);
                let before = [7; 16];
                let hash_key = encrypt(&expand_key(problem.key, &key), [0; 16]);
                let after = match problem.mode().hashed() {
                    Some(_) => crate::ghash::hash(hash_key, before, &hashed),
                    None => before,
                };
                let wanted = call(problem, &key, [iv, before].concat().try_into().unwrap(), &input);
                assert_eq!((output, [chain, after].concat()), (wanted.0, wanted.1.to_vec()), "{problem}");
            }
        }
    }

    #[test]
    fn counters_of_32_bits_do_not_carry_into_the_nonce() {
        let gcm: Problem = "aes192-gcm".parse().unwrap();
        let (_, next, _) = by_record(gcm, &[1; 24], [0xff; 16], &[0; 83]);
        assert_eq!((&next[..12], &next[12..]), (&[0xff; 12][..], &[0, 0, 0, 5][..]));
    }

    #[test]
    fn a_record_agrees_with_itself() {
        for problem in Problem::all() {
            let mode = problem.mode();
            let whole: Vec<Role> = mode.arguments.iter().map(|a| a.role).collect();
            assert_eq!(mode.rule.is_none(), mode.writes.is_some(), "{problem}");
            assert_eq!(mode.next() != Next::Nothing, mode.takes(Role::Iv), "{problem}");
            assert_eq!(mode.rule.is_some(), mode.takes(Role::Input) && mode.takes(Role::Output), "{problem}");
            // The key structure comes first; set-ups write it, and problems that use a part of it read it.
            assert_eq!(whole[0], Role::Key, "{problem}");
            assert_eq!(mode.arguments[0].written, mode.writes.is_some(), "{problem}");
            assert_eq!(mode.arguments[0].read, !mode.reads.is_empty(), "{problem}");
            assert_eq!(mode.is_plain(), !["GCM", "XTS"].contains(&mode.family), "{problem}");
            // Only a key stream can produce a partial block.
            let stream = mode.rule.is_some_and(|r| r.enters == Enters::Chain && r.added == Added::Text);
            assert!(mode.unit == Unit::Block || stream, "{problem}");
            assert!(mode.meaning.contains("{}") && mode.standard.contains(|c: char| c.is_ascii_digit()));
        }
    }

    #[test]
    fn what_problems_are_called() {
        let called = |name: &str| name.parse::<Problem>().unwrap().meaning();
        assert_eq!(called("aes128-ecb-dec"), "AES-128 decryption of whole blocks (ECB)");
        assert_eq!(called("aes192-cbc-x4"), "AES-192-CBC encryption of 4 streams");
        assert_eq!(called("aes256-ctr-table"), "counter table of AES-256-CTR");
        assert_eq!(called("aes128-gcm-table"), "powers of the hash key of AES-128-GCM");
    }
}
