//! The contract of kernels for small processors: they process one block per call, and keep round keys in the most
//! suitable format. The arguments follow from the mode's record ([`Firmware::arguments`]):
//!
//! | problem | arguments |
//! |---|---|
//! | block (ECB) | `key`, `in`, `out` |
//! | key schedule | `key` (written), `cipher key` |
//! | CTR, CBC | `key`, `iv` (written back), `in`, `out`, `blocks` |
//!
//! `in` and `out` are the same or do not overlap; neither overlaps `key` or `iv`. `blocks` counts blocks of 16 bytes;
//! if it is zero, only the arguments are read.

use crate::block::{Block, expand_key, expand_key_inverse};
use crate::mode::{Argument, Role};
use crate::problem::{Direction, KeySize, Problem};
use crate::shuffle::Shuffle;

/// The memory format of a key. Each format is an affine function, over GF(2), of the round keys' bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Packing {
    /// The cipher key itself: the kernel computes its round keys on the fly.
    CipherKey,
    /// Consecutive round keys, in FIPS-197's byte order: for decryption those of the equivalent inverse cipher, in
    /// order of use.
    RoundKeys,
    /// The round keys of encryption, in order of encryption, for decryption with the straightforward inverse cipher
    /// (FIPS-197, 5.3).
    ForwardKeys,
    /// Round keys for kernels whose state is tiles of two rows and two columns: as in [`Packing::RoundKeys`], but for
    /// each pair of columns first rows 0 and 1, then rows 2 and 3, the second column before the first.
    Tiles,
    /// Round keys for kernels whose state is rows: for each key the bytes of row 0, of row 1 and so on.
    Rows,
    /// The format [`Packing::RoundKeys`], or with `tiles` [`Packing::Tiles`], with the bytes of each word in the order
    /// in which custom instructions read them.
    Shuffled {
        /// True if words are tiles.
        tiles: bool,
        /// The byte order.
        bytes: Shuffle,
    },
    /// The format [`Packing::RoundKeys`] in 64-bit words, the highest byte first: the first and the last round key
    /// unchanged, the others with each byte in 16 bits, shifted up by 3 or 4 bits (Bernstein and Schwabe, INDOCRYPT
    /// 2008: padded registers).
    Padded(u8),
    /// The format [`Packing::RoundKeys`], guaranteed to come from a cipher key: kernels rely on [`sum_of`].
    Expanded,
    /// The format [`Packing::Padded`], with the same guarantee.
    PaddedExpanded(u8),
    /// Bitsliced keys for two blocks in eight 32-bit words (fixsliced, Adomnicai and Peyrin, TCHES 2021): eight
    /// little-endian words per round key.
    Fixsliced,
    /// A variant of [`Packing::Fixsliced`] for kernels that leave out ShiftRows and the constant of the S-box: round
    /// key n has ShiftRows undone n times and, except for the first, 0x63 added to its bytes.
    FixslicedUnshifted,
    /// Keys for kernels whose words hold one bit of the state of 32 blocks. This number of first round keys and the
    /// last one are unchanged. Each bit of the others, in FIPS-197's byte order and the lowest bit of a byte first, is
    /// four bytes of ones or of zeros.
    Masks(u8),
    /// Keys for kernels of both kinds: [`Packing::RoundKeys`], followed by the masks of [`Packing::Masks`] alone.
    WordsAndMasks(u8),
}

/// The function of a kernel, and the memory format of its key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Firmware {
    /// The problem. Its lengths are whole blocks.
    pub problem: Problem,
    /// The key's format: read by message functions, written by key schedules.
    pub packing: Packing,
    /// The number of blocks that one call of a block function processes; for calls with a count, the maximum number
    /// that it processes side by side.
    pub blocks: u8,
}

impl Firmware {
    /// The direction whose round keys are used.
    pub fn direction(&self) -> Direction {
        self.problem.mode().direction
    }

    /// True if small processors offer this problem: they support a single stream, and compute tables on the fly.
    pub fn is_offered(problem: Problem) -> bool {
        let mode = problem.mode();
        problem.streams() == 1 && problem.is_tuned() && mode.is_plain()
    }

    /// The name of a problem's function, without a prefix: `aes128_encrypt`, `aes128_expand_decrypt`.
    pub fn name(problem: Problem) -> String {
        format!("aes{}_{}", problem.key.bits(), problem.mode().verb)
    }

    /// True if a call takes any number of blocks as an argument. Without a chain value, a call takes
    /// [`Firmware::blocks`] blocks.
    pub fn counts_blocks(&self) -> bool {
        self.problem.has_iv()
    }

    /// The minimum number of blocks of a call.
    pub fn a_call(&self) -> u8 {
        if self.counts_blocks() { 1 } else { self.blocks.max(1) }
    }

    /// The maximum number of blocks that a call processes at once, which the key format determines; the last group of a
    /// message may have fewer.
    pub fn at_once(&self) -> u8 {
        let of_key = match self.packing {
            Packing::Fixsliced | Packing::FixslicedUnshifted => 2,
            _ => 1,
        };
        self.blocks.max(of_key)
    }

    /// The arguments of a call, in order; the length is a number of blocks.
    pub fn arguments(&self) -> impl Iterator<Item = Argument> {
        let counts = self.counts_blocks();
        let all = self.problem.mode().arguments.iter().copied();
        all.filter(move |argument| counts || argument.role != Role::Length)
    }

    /// The round keys, in order of use, that [`Packing::pack`] takes for a cipher key.
    pub fn round_keys(&self, cipher_key: &[u8]) -> Vec<Block> {
        if self.direction() == Direction::Encrypt || self.packing == Packing::ForwardKeys {
            expand_key(self.problem.key, cipher_key)
        } else {
            expand_key_inverse(self.problem.key, cipher_key)
        }
    }

    /// The key's bytes in memory for a cipher key.
    pub fn key_bytes(&self, cipher_key: &[u8]) -> Vec<u8> {
        match self.packing {
            Packing::CipherKey => cipher_key.to_vec(),
            packing => packing.pack(&self.round_keys(cipher_key)),
        }
    }

    /// The size of the key in memory, in bytes.
    pub fn key_size(&self) -> usize {
        self.key_bytes(&vec![0; self.problem.key.bytes()]).len()
    }

    /// The input and output sizes in bytes for each element of a launch: a block of text, or for the schedule of many
    /// keys a cipher key and its round keys.
    pub fn elements(&self) -> [usize; 2] {
        match self.problem.mode().writes {
            Some(_) => [self.problem.key.bytes(), self.key_size()],
            None => [16, 16],
        }
    }

    /// The results of a launch for these elements.
    pub fn results(&self, cipher_key: &[u8], iv: Block, input: &[u8]) -> Vec<u8> {
        match self.problem.mode().writes {
            Some(_) => input.chunks_exact(self.elements()[0]).flat_map(|key| self.key_bytes(key)).collect(),
            None => crate::modes::message(self.problem, cipher_key, iv, input).0,
        }
    }
}

/// The two earlier words whose XOR is a word of a problem's round keys, in order of use: the previous word and the word
/// one cipher-key length earlier (FIPS-197, 5.2). Round keys of the equivalent inverse cipher are in reverse order and,
/// except for the first and the last, transformed by InvMixColumns, which is linear (5.3.5): with a key of four words,
/// both words are in the previous round. `None` for words that SubWord computes, and where no such sum is known.
pub fn sum_of(problem: Problem, word: usize) -> Option<[usize; 2]> {
    let (count, last) = (problem.key.bytes() / 4, problem.key.rounds());
    let is_middle = |word: usize| word / 4 > 0 && word / 4 < last;
    match problem.mode().direction {
        Direction::Encrypt => {
            let substituted = word.is_multiple_of(count) || count == 8 && word % 8 == 4;
            Some([word.checked_sub(count).filter(|_| !substituted)?, word - 1])
        }
        Direction::Decrypt => {
            let of = [word.checked_sub(4)?, word.checked_sub(5)?];
            let known = count == 4 && !word.is_multiple_of(4) && of.into_iter().chain([word]).all(is_middle);
            known.then_some(of)
        }
    }
}

/// The byte order of a round key in [`Packing::Tiles`].
const TILES: [usize; 16] = [4, 5, 0, 1, 6, 7, 2, 3, 12, 13, 8, 9, 14, 15, 10, 11];

impl Packing {
    /// The key formats for custom instructions that need rows, or another byte order of words.
    pub fn instructed() -> impl Iterator<Item = Packing> {
        let others = || Shuffle::all().skip(1);
        let of = move |tiles| others().map(move |bytes| Packing::Shuffled { tiles, bytes });
        std::iter::once(Packing::Rows).chain([false, true].into_iter().flat_map(of))
    }

    /// The name in variants, headers and certificates.
    pub fn name(self) -> &'static str {
        match self {
            Packing::CipherKey => "cipher key",
            Packing::RoundKeys => "round keys",
            Packing::ForwardKeys => "round keys of encryption",
            Packing::Tiles => "round keys in tiles",
            Packing::Rows => "round keys in rows",
            Packing::Shuffled { tiles, bytes } => bytes.name(tiles),
            Packing::Padded(3) => "round keys padded from bit 3",
            Packing::Padded(_) => "round keys padded from bit 4",
            Packing::Expanded => "round keys of a cipher key",
            Packing::PaddedExpanded(3) => "round keys of a cipher key padded from bit 3",
            Packing::PaddedExpanded(_) => "round keys of a cipher key padded from bit 4",
            Packing::Fixsliced => "fixsliced round keys",
            Packing::FixslicedUnshifted => "fixsliced round keys without ShiftRows",
            Packing::Masks(1) => "round keys as masks between the first and the last",
            Packing::Masks(_) => "round keys as masks between the third and the last",
            Packing::WordsAndMasks(1) => "round keys, and masks of those between the first and the last",
            Packing::WordsAndMasks(_) => "round keys, and masks of those between the third and the last",
        }
    }

    /// The format that a key schedule writes for a kernel that reads this one.
    pub fn written(self) -> Packing {
        match self {
            // Encryption reads the same round keys.
            Packing::ForwardKeys | Packing::Expanded => Packing::RoundKeys,
            Packing::PaddedExpanded(up) => Packing::Padded(up),
            packing => packing,
        }
    }

    /// The number of first round keys that are in memory unchanged.
    pub fn plain_keys(self, key: KeySize) -> usize {
        match self {
            Packing::RoundKeys | Packing::ForwardKeys | Packing::Expanded | Packing::WordsAndMasks(_) => {
                key.rounds() + 1
            }
            Packing::Masks(plain) => plain.into(),
            _ => 0,
        }
    }

    /// The round keys that follow as masks.
    pub fn masked_keys(self, key: KeySize) -> std::ops::Range<usize> {
        match self {
            Packing::WordsAndMasks(plain) => plain.into()..key.rounds(),
            _ => 0..0,
        }
    }

    /// True if kernels rely on the round keys being expanded from a cipher key.
    pub fn is_expanded(self) -> bool {
        matches!(self, Packing::Expanded | Packing::PaddedExpanded(_))
    }

    /// The round keys, in order of use, in this memory format. [`Packing::CipherKey`] has no round keys; its result is
    /// empty.
    pub fn pack(self, keys: &[Block]) -> Vec<u8> {
        match self {
            Packing::CipherKey => Vec::new(),
            Packing::RoundKeys | Packing::ForwardKeys | Packing::Expanded => keys.concat(),
            Packing::Tiles => keys.iter().flat_map(|key| TILES.map(|byte| key[byte])).collect(),
            Packing::Rows => {
                let row = |key: &Block, row: usize| [0, 1, 2, 3].map(|column| key[4 * column + row]);
                keys.iter().flat_map(|key| (0..4).flat_map(|r| row(key, r)).collect::<Vec<u8>>()).collect()
            }
            Packing::Shuffled { tiles, bytes } => {
                let plain = if tiles { Packing::Tiles } else { Packing::RoundKeys }.pack(keys);
                plain.chunks_exact(4).flat_map(|w| bytes.of([w[0], w[1], w[2], w[3]])).collect()
            }
            Packing::Padded(up) | Packing::PaddedExpanded(up) => padded(keys, up),
            Packing::Fixsliced => fixsliced(keys),
            Packing::FixslicedUnshifted => fixsliced(&unshifted(keys)),
            Packing::Masks(plain) => masks(keys, plain.into()),
            Packing::WordsAndMasks(plain) => {
                let between = plain.into()..keys.len().saturating_sub(1);
                let masks = keys.get(between).unwrap_or_default().iter().flat_map(masks_of);
                keys.concat().into_iter().chain(masks).collect()
            }
        }
    }
}

/// Bitslices two equal blocks: bit `b` of byte `4 r + c` (row `r`, column `c` of the state) becomes bits `8 r + 2 c`
/// and `8 r + 2 c + 1` of word `7 - b`, so that rows are bytes of words.
pub fn slice(block: &Block) -> [u32; 8] {
    let mut words = [0; 8];
    for (i, byte) in block.iter().enumerate() {
        let (row, column) = (i % 4, i / 4);
        for (b, word) in words.iter_mut().enumerate() {
            let bit = u32::from(byte >> (7 - b) & 1);
            *word |= (bit * 3) << (8 * row + 2 * column);
        }
    }
    words
}

fn padded(keys: &[Block], up: u8) -> Vec<u8> {
    let last = keys.len().saturating_sub(1);
    let word = |round: usize, bytes: &[u8]| -> u64 {
        let lane = if round == 0 || round == last { 8 } else { 16 };
        let word = bytes.iter().fold(0, |word, &byte| word << lane | u64::from(byte));
        if lane == 8 { word } else { word << up }
    };
    let words = keys.iter().enumerate().flat_map(|(round, key)| key.chunks(4).map(move |c| word(round, c)));
    words.flat_map(u64::to_be_bytes).collect()
}

fn masks(keys: &[Block], plain: usize) -> Vec<u8> {
    let last = keys.len().saturating_sub(1);
    let of = |(round, key): (usize, &Block)| -> Vec<u8> {
        if round < plain || round == last { key.to_vec() } else { masks_of(key).collect() }
    };
    keys.iter().enumerate().flat_map(of).collect()
}

/// Each bit of a round key as four bytes.
fn masks_of(key: &Block) -> impl Iterator<Item = u8> + use<> {
    let bits = |byte: u8| (0..8).flat_map(move |bit| [(byte >> bit & 1) * 0xff; 4]);
    (*key).into_iter().flat_map(bits)
}

fn fixsliced(keys: &[Block]) -> Vec<u8> {
    keys.iter().flat_map(slice).flat_map(u32::to_le_bytes).collect()
}

/// The round keys for a state whose row r is displaced by r columns for each earlier round.
fn unshifted(keys: &[Block]) -> Vec<Block> {
    let moved = |n: usize, key: &Block| -> Block {
        let constant = if n == 0 { 0 } else { 0x63 };
        std::array::from_fn(|i| {
            let (row, column) = (i % 4, i / 4);
            key[row + 4 * ((column + 3 * n * row) % 4)] ^ constant
        })
    };
    keys.iter().enumerate().map(|(n, key)| moved(n, key)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Firmware, Packing, sum_of};
    use crate::problem::{Problem, Task};
    use crate::{Direction, KeySize};

    #[test]
    fn words_are_the_sums_that_they_are_said_to_be() {
        let mut sums = Vec::new();
        for key in [KeySize::Aes128, KeySize::Aes192, KeySize::Aes256] {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let problem = Problem::new(key, Task::Ecb(direction));
                let contract = Firmware { problem, packing: Packing::RoundKeys, blocks: 1 };
                let cipher_key: Vec<u8> = (0..key.bytes()).map(|k| (37 * k + 11) as u8).collect();
                let words: Vec<[u8; 4]> = contract
                    .round_keys(&cipher_key)
                    .iter()
                    .flat_map(|key| key.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect::<Vec<_>>())
                    .collect();
                let mut count = 0;
                for (i, word) in words.iter().enumerate() {
                    let Some([a, b]) = sum_of(problem, i) else { continue };
                    count += 1;
                    let sum: [u8; 4] = std::array::from_fn(|k| words[a][k] ^ words[b][k]);
                    assert_eq!(*word, sum, "word {i} of {problem}");
                }
                sums.push(count);
            }
        }
        // For AES-128 encryption, these are all words but those that SubWord computes and the first four; for
        // decryption, 3 in each round except the first one with InvMixColumns.
        assert_eq!(sums, [30, 24, 38, 0, 39, 0]);
    }
}
