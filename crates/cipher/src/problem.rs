//! Problems, which define the computation: key size, direction, mode, streams, or a key schedule.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::mode::{KeyPart, Mode, Role};

/// The three key sizes of FIPS-197.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeySize {
    /// 128-bit key, 10 rounds.
    Aes128,
    /// 192-bit key, 12 rounds.
    Aes192,
    /// 256-bit key, 14 rounds.
    Aes256,
}

impl KeySize {
    /// All key sizes, smallest first.
    pub const ALL: [KeySize; 3] = [KeySize::Aes128, KeySize::Aes192, KeySize::Aes256];

    /// Key length in bits.
    pub const fn bits(self) -> usize {
        match self {
            KeySize::Aes128 => 128,
            KeySize::Aes192 => 192,
            KeySize::Aes256 => 256,
        }
    }

    /// Key length in bytes.
    pub const fn bytes(self) -> usize {
        self.bits() / 8
    }

    /// Number of rounds (FIPS-197, figure 4).
    pub const fn rounds(self) -> usize {
        self.bits() / 32 + 6
    }
}

/// The direction of a cipher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// The cipher.
    Encrypt,
    /// The inverse cipher, in its equivalent form (FIPS-197, section 5.3.5).
    Decrypt,
}

/// The computation with the key; [`Task::mode`] describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// Electronic codebook (SP 800-38A, 6.1), whole blocks.
    Ecb(Direction),
    /// Cipher block chaining, encryption, of 1, 2, 3, 4, 8 or 16 independent streams.
    CbcEncrypt {
        /// Number of streams, each with its own key, IV and length.
        streams: u8,
    },
    /// Cipher block chaining, decryption, one stream.
    CbcDecrypt,
    /// Counter mode (SP 800-38A, 6.5), the counter 128 bits big-endian, any number of bytes.
    Ctr,
    /// Galois/counter mode (SP 800-38D): a call for the text of a message, which encrypts or decrypts it and updates the value of
    /// GHASH.
    Gcm(Direction),
    /// XTS (SP 800-38E, IEEE 1619): whole blocks of a data unit, from the tweak of the first of them, which is the cipher of the
    /// unit's number under another key. Keys of 128 and 256 bits.
    Xts(Direction),
    /// The key schedule: round keys for encryption, or for the equivalent inverse cipher.
    KeySchedule(Direction),
    /// The table of first-round contributions of the fast counter byte, built once per key (see
    /// [`crate::contract::TABLE_OFFSET`]).
    CtrTable,
    /// The powers of GCM's hash key, built once per key (see [`crate::contract`]).
    GcmTable,
}

/// Stream counts for which multi-stream CBC encryption is generated.
pub const STREAMS: [u8; 6] = [1, 2, 3, 4, 8, 16];

/// The largest of them.
pub const MOST_STREAMS: usize = STREAMS[STREAMS.len() - 1] as usize;

/// A set of streams: bit `n` is stream `n`.
pub type StreamSet = u32;

const _: () = assert!(MOST_STREAMS <= StreamSet::BITS as usize);

/// A problem: a key size and a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Problem {
    /// Key size.
    pub key: KeySize,
    /// The task.
    pub task: Task,
}

impl Problem {
    /// Builds a problem from its two parts.
    pub const fn new(key: KeySize, task: Task) -> Self {
        Problem { key, task }
    }

    /// The record of its task.
    pub const fn mode(&self) -> &'static Mode {
        self.task.mode()
    }

    /// Every problem, in a fixed order.
    pub fn all() -> Vec<Problem> {
        let mut tasks = vec![Task::Ctr, Task::Ecb(Direction::Encrypt), Task::Ecb(Direction::Decrypt)];
        tasks.extend(STREAMS.map(|streams| Task::CbcEncrypt { streams }));
        tasks.extend([
            Task::CbcDecrypt,
            Task::KeySchedule(Direction::Encrypt),
            Task::KeySchedule(Direction::Decrypt),
            Task::CtrTable,
            Task::Gcm(Direction::Encrypt),
            Task::Gcm(Direction::Decrypt),
            Task::GcmTable,
            Task::Xts(Direction::Encrypt),
            Task::Xts(Direction::Decrypt),
        ]);
        let of = |&key| tasks.iter().map(move |&task| Problem { key, task });
        KeySize::ALL.iter().flat_map(of).filter(Problem::is_standard).collect()
    }

    /// True if its standard has keys of its size: XTS has none of 192 bits (IEEE 1619, 5.1).
    const fn is_standard(&self) -> bool {
        !matches!((self.key, self.task), (KeySize::Aes192, Task::Xts(_)))
    }

    /// The name in C identifiers: `aes256_ctr`, `aes128_cbc_x4`.
    pub fn c_name(&self) -> String {
        self.to_string().replace('-', "_")
    }

    /// A description for users: `AES-128-CBC encryption of 4 streams`.
    pub fn meaning(&self) -> String {
        let meaning = self.mode().meaning.replace("{}", &format!("AES-{}", self.key.bits()));
        match self.streams() {
            1 => meaning,
            streams => format!("{meaning} of {streams} streams"),
        }
    }

    /// The key schedule whose round keys this problem's kernel reads.
    pub fn key_schedule(&self) -> Problem {
        Problem::new(self.key, Task::KeySchedule(self.mode().direction))
    }

    /// The set-up of the table of this problem's keys: of what kernels may read beside the round keys. `None` in modes
    /// without.
    pub fn key_table(&self) -> Option<Problem> {
        let mode = self.mode();
        let task = mode.reads.iter().chain(&mode.writes).find_map(|part| part.set_up())?;
        Some(Problem::new(self.key, task))
    }

    /// The kind of its keys: their schedule, and the set-up of their table if each of them has one. Problems of one kind
    /// can use one key; the table of counter mode is read by some kernels only, and makes no kind.
    pub fn key_kind(&self) -> (Problem, Option<Problem>) {
        (self.key_schedule(), self.key_table().filter(|_| self.mode().may_read(KeyPart::HashTable)))
    }

    /// True if this sets up the table of a key.
    pub fn is_key_table(&self) -> bool {
        self.key_table() == Some(*self)
    }

    /// The problem in the other direction; `None` if the mode is its own inverse, or takes several streams.
    pub fn reverse(&self) -> Option<Problem> {
        let (own, alone) = (self.mode(), self.streams() == 1);
        let reverses = |p: &Problem| {
            let other = p.mode();
            // GCM uses the cipher forward in both directions, and hashes what is the ciphertext.
            let other_way = other.direction != own.direction || other.hashed() != own.hashed();
            p.key == self.key && other.family == own.family && other_way
        };
        Problem::all().into_iter().find(|p| alone && reverses(p))
    }

    /// The range of bytes of the key structure that it writes; empty except for a key set-up.
    pub fn written_key(&self) -> Range<usize> {
        self.mode().writes.map_or(0..0, |part| part.bytes(self.key))
    }

    /// The number of independent streams: 1 except for multi-stream CBC encryption.
    pub fn streams(&self) -> usize {
        match self.task {
            Task::CbcEncrypt { streams } => streams as usize,
            _ => 1,
        }
    }

    /// True if the kernel takes (and updates) an IV or counter block.
    pub fn has_iv(&self) -> bool {
        self.mode().takes(Role::Iv)
    }

    /// True if this is a kernel over messages.
    pub const fn is_message(&self) -> bool {
        !self.is_key_set_up()
    }

    /// True if users tune for it: the table of a key is part of it and tuned with it.
    pub fn is_tuned(&self) -> bool {
        !self.is_key_table()
    }

    /// True if this is a key set-up: a schedule or a table.
    pub const fn is_key_set_up(&self) -> bool {
        self.mode().writes.is_some()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "aes{}-{}", self.key.bits(), self.mode().name)?;
        match self.streams() {
            1 => Ok(()),
            streams => write!(f, "-x{streams}"),
        }
    }
}

/// The error for a name that is no problem, with the nearest valid names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProblem {
    /// The given name.
    pub name: String,
    /// The nearest valid names, best first.
    pub nearest: Vec<String>,
}

impl fmt::Display for UnknownProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match crate::not_offered(&self.name) {
            Some(said) => write!(f, "there is no problem `{}`: {said}", self.name),
            None => {
                write!(f, "there is no problem `{}`; did you mean {}?", self.name, self.nearest.join(", "))
            }
        }
    }
}

impl std::error::Error for UnknownProblem {}

impl FromStr for Problem {
    type Err = UnknownProblem;

    fn from_str(name: &str) -> Result<Self, UnknownProblem> {
        let wanted = name.trim().to_ascii_lowercase().replace('_', "-");
        let wanted = wanted.strip_suffix("-enc").unwrap_or(&wanted).to_owned();
        let all = Problem::all();
        if let Some(found) = all.iter().find(|p| p.to_string() == wanted) {
            return Ok(*found);
        }
        let names: Vec<String> = all.iter().map(Problem::to_string).collect();
        Err(UnknownProblem { name: name.to_owned(), nearest: nearest(&wanted, &names, 3) })
    }
}

/// The `most` candidates nearest to `wanted` by Levenshtein distance, best first.
pub fn nearest(wanted: &str, candidates: &[String], most: usize) -> Vec<String> {
    let mut ranked: Vec<(usize, &String)> = candidates.iter().map(|c| (levenshtein(wanted, c), c)).collect();
    ranked.sort();
    ranked.into_iter().take(most).map(|(_, c)| c.clone()).collect()
}

fn levenshtein(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let next = (diagonal + usize::from(ca != *cb)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for problem in Problem::all() {
            assert_eq!(problem.to_string().parse(), Ok(problem));
            assert_eq!(problem.c_name().parse(), Ok(problem));
        }
        assert_eq!(Problem::all().len(), 3 * 18 - 2);
    }

    #[test]
    fn what_reverses_a_mode() {
        let reverse = |name: &str| name.parse::<Problem>().unwrap().reverse().map(|p| p.to_string());
        for (a, b) in [
            ("aes128-ecb", "aes128-ecb-dec"),
            ("aes192-cbc", "aes192-cbc-dec"),
            ("aes256-key", "aes256-key-dec"),
            ("aes256-gcm", "aes256-gcm-dec"),
            ("aes128-xts", "aes128-xts-dec"),
        ] {
            assert_eq!((reverse(a).as_deref(), reverse(b).as_deref()), (Some(b), Some(a)));
        }
        for alone in ["aes128-ctr", "aes128-ctr-table", "aes128-gcm-table", "aes128-cbc-x4"] {
            assert_eq!(reverse(alone), None);
        }
    }

    #[test]
    fn keys_are_of_one_kind_where_each_has_the_same_parts() {
        let kind = |name: &str| name.parse::<Problem>().unwrap().key_kind();
        assert_eq!(kind("aes128-ctr"), kind("aes128-ecb"));
        assert_eq!(kind("aes128-gcm"), kind("aes128-gcm-dec"));
        for (a, b) in
            [("aes128-gcm", "aes128-ctr"), ("aes128-ecb", "aes128-ecb-dec"), ("aes128-gcm", "aes256-gcm")]
        {
            assert_ne!(kind(a), kind(b));
        }
        assert_eq!(kind("aes128-key"), ("aes128-key".parse().unwrap(), None));
    }

    #[test]
    fn a_typo_names_the_nearest() {
        let error = "aes256-ctl".parse::<Problem>().unwrap_err();
        assert_eq!(error.nearest[0], "aes256-ctr");
        assert!(error.to_string().contains("aes256-ctl"));
        let error = "aes192-xts".parse::<Problem>().unwrap_err();
        assert!(error.to_string().contains("XTS has no keys of 192 bits"), "{error}");
    }
}
