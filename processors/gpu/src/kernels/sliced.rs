//! Bit-sliced kernels: a word holds one bit of the state, of 32 blocks of text. No data is used as an address,
//! so the time is independent of data by construction.
//!
//! SubBytes is a circuit of three-input functions, ShiftRows a renaming, MixColumns and AddRoundKey are sums of
//! up to three terms. Blocks are loaded and stored as words, which are transposed: 32 words of a column become
//! 32 words of one bit each.

use aesmith_cipher::firmware::Packing;
use aesmith_cipher::{Direction, Problem};
use aesmith_dataflow::circuits::Gates;

use super::message::{Course, Share, around, counted, store, sum, summand, text};
use super::tables::xor3;
use super::writer::Writer;

/// Blocks of text per thread: the bits of a word.
pub const BLOCKS: usize = 32;
/// The number of the circuit with three-input functions in [`Gates::of`].
const CIRCUIT: u8 = 1;
/// Blocks of text that are read before one of them is written.
const AT_ONCE: usize = 4;
/// The `lop3` table of `c ? a : b`.
const SELECT: i32 = 0xe4;

/// A byte of the state, lowest bit first.
pub type Byte = [i32; 8];
/// The state.
pub type State = [Byte; 16];

/// A bit-sliced kernel.
#[derive(Clone, Copy, Debug)]
pub struct Sliced {
    /// The problem.
    pub problem: Problem,
    /// Threads per thread block.
    pub threads: i32,
    /// True if counters share the common parts of their first two rounds.
    pub cached: bool,
    /// True if rounds are a loop, false if they are unrolled.
    pub looped: bool,
    /// True if other threads of a thread block look up tables: then all round keys precede the masks in plain
    /// form.
    pub mixed: bool,
}

/// The location of a round's key.
#[derive(Clone, Copy, Debug)]
enum Round {
    /// Among the parameters, by the number of the round.
    Number(usize),
    /// At the address in a register.
    At(i32),
}

/// The places of a thread's blocks in an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The number of the first block.
    pub number: i32,
    /// True if that block is known to exist.
    pub first_is_there: bool,
    /// Their distance in blocks.
    pub apart: i32,
}

impl Sliced {
    /// Writes the kernel.
    pub fn write(self, w: &mut Writer) {
        let thread = w.word("tid", &[]);
        self.take(w, thread, Share::All);
        w.put("ret", &[]);
    }

    /// Writes the loop of threads with these numbers, which process a share of the text.
    pub fn take(self, w: &mut Writer, thread: i32, share: Share) {
        let taken = BLOCKS as i32 * self.threads;
        if self.cached {
            let first = super::sliced_counter::first(w, thread, self.threads);
            let course = Course::write(w, self.problem, first, taken, share);
            super::sliced_counter::write(self, w, &course);
        } else {
            let course = Course::write(w, self.problem, thread, taken, share);
            around(w, &course, course.end, |w| self.turn(w, &course));
        }
    }

    /// The layout of round keys in memory.
    pub fn packing(self) -> Packing {
        let plain = self.plain() as u8;
        if self.mixed { Packing::WordsAndMasks(plain) } else { Packing::Masks(plain) }
    }

    /// The number of inner loop iterations (rounds) per iteration.
    pub fn inner(self) -> u32 {
        if self.looped { (self.problem.key.rounds() - self.plain()) as u32 } else { 1 }
    }

    /// The number of first round keys without masks.
    fn plain(self) -> usize {
        if self.cached { 3 } else { 1 }
    }

    /// One iteration, with blocks at a distance of one thread block's threads.
    fn turn(self, w: &mut Writer, course: &Course) {
        let places = Places { number: course.next, first_is_there: true, apart: self.threads };
        let first = self.whole_key(w, 0);
        let mut blocks: Vec<[i32; 4]> = Vec::with_capacity(BLOCKS);
        let from = places.address(w, course.input);
        for k in 0..BLOCKS as i32 {
            let block = if self.problem.mode().counts() {
                let number = places.number(w, k);
                counted(w, course.counter, number)
            } else {
                let there = places.there(w, course, k);
                text(w, from, places.offset(k), there)
            };
            blocks.push(sum(w, block, first));
        }
        let state = sliced(w, &blocks);
        let state = self.rounds(w, 1, state);
        self.put(w, course, places, &state);
    }

    /// Adds the last round key and the mode's summand, and stores.
    pub fn put(self, w: &mut Writer, course: &Course, places: Places, state: &State) {
        let blocks = unsliced(w, state);
        let last = self.whole_key(w, self.problem.key.rounds());
        let [from, to] = [course.input, course.output].map(|buffer| places.address(w, buffer));
        for (at, group) in blocks.chunks(AT_ONCE).enumerate() {
            let taken = ((AT_ONCE * at) as i32..).zip(group);
            let read: Vec<_> = taken
                .map(|(k, block)| {
                    let there = places.there(w, course, k);
                    let number = places.number(w, k);
                    let at = (from, places.offset(k));
                    let text = summand(w, course, self.problem, (number, there), at);
                    (k, block, there, text)
                })
                .collect();
            for (k, block, there, text) in read {
                let out = std::array::from_fn(|c| match text {
                    Some(text) => xor3(w, block[c], text[c], last[c]),
                    None => w.word("xor", &[("a", block[c]), ("b", last[c])]),
                });
                store(w, to, places.offset(k), there, out);
            }
        }
    }

    /// One of the first round keys or the last, as words.
    pub(crate) fn whole_key(self, w: &mut Writer, round: usize) -> [i32; 4] {
        let at = if round < self.plain() || self.mixed { 16 * round } else { self.masks(round) };
        std::array::from_fn(|c| w.word("key", &[("n", (at + 4 * c) as i32)]))
    }

    /// The offset of a round key's masks, or of the data after all masks.
    fn masks(self, round: usize) -> usize {
        let words = if self.mixed { self.problem.key.rounds() + 1 } else { self.plain() };
        16 * words + 512 * (round - self.plain())
    }

    /// One bit of a key of another round, as a mask.
    fn mask(self, w: &mut Writer, round: Round, byte: usize, bit: usize) -> i32 {
        let at = 32 * byte + 4 * bit;
        match round {
            Round::Number(round) => w.word("key", &[("n", (self.masks(round) + at) as i32)]),
            Round::At(key) => w.word("key_at", &[("y", key), ("m", at as i32)]),
        }
    }

    /// Rounds from number `from` on, without the last key addition.
    pub fn rounds(self, w: &mut Writer, from: usize, mut state: State) -> State {
        let rounds = self.problem.key.rounds();
        if self.looped {
            state = self.in_loop(w, from, state);
        } else {
            for round in from..rounds {
                state = self.round(w, Some(Round::Number(round)), state);
            }
        }
        self.round(w, None, state)
    }

    /// All rounds except the last, as a loop over one round.
    fn in_loop(self, w: &mut Writer, from: usize, state: State) -> State {
        let begin = w.double("keys", &[]);
        let key = w.double("add64_n", &[("y", begin), ("m", self.masks(from) as i32)]);
        let done = w.word("mov_n", &[("n", from as i32)]);
        let kept: State = std::array::from_fn(|_| w.several());
        let moved = |w: &mut Writer, to: Byte, from: Byte| {
            for (to, from) in to.into_iter().zip(from) {
                w.put("mov", &[("d", to), ("a", from)]);
            }
        };
        for (to, from) in kept.into_iter().zip(state) {
            moved(w, to, from);
        }
        w.put("nounroll", &[]);
        w.label("ROUND");
        // A column replaces the bytes that it was computed from, since the others are still needed.
        for column in 0..4 {
            let made = self.column(w, Some(Round::At(key)), &kept, column);
            for (row, byte) in made.into_iter().enumerate() {
                moved(w, kept[4 * self.shifted(column, row) + row], byte);
            }
        }
        for row in 1..4 {
            let made: [Byte; 4] = std::array::from_fn(|column| kept[4 * self.shifted(column, row) + row]);
            let copies: [Byte; 4] = made.map(|byte| byte.map(|bit| w.word("mov", &[("a", bit)])));
            for (column, copy) in copies.into_iter().enumerate() {
                moved(w, kept[4 * column + row], copy);
            }
        }
        w.put("add64_n", &[("x", key), ("y", key), ("m", 512)]);
        w.put("add_n", &[("d", done), ("a", done), ("n", 1)]);
        let more = w.predicate("lt_n", &[("a", done), ("n", self.problem.key.rounds() as i32)]);
        w.branch_if(more, "ROUND");
        kept
    }

    /// A round; the last one has no key here.
    fn round(self, w: &mut Writer, number: Option<Round>, state: State) -> State {
        let mut next = [[0; 8]; 16];
        for column in 0..4 {
            next[4 * column..4 * column + 4].copy_from_slice(&self.column(w, number, &state, column));
        }
        next
    }

    /// A column of a round.
    fn column(self, w: &mut Writer, number: Option<Round>, state: &State, column: usize) -> [Byte; 4] {
        let bytes: [Byte; 4] = std::array::from_fn(|row| {
            let from = self.shifted(column, row);
            self.substituted(w, state[4 * from + row])
        });
        match number {
            Some(round) => self.mixed(w, bytes, (round, column)),
            None => bytes,
        }
    }

    fn direction(self) -> Direction {
        self.problem.mode().direction
    }

    /// The source column of a byte of a column after ShiftRows.
    pub fn shifted(self, column: usize, row: usize) -> usize {
        match self.direction() {
            Direction::Encrypt => (column + row) % 4,
            Direction::Decrypt => (column + 4 - row) % 4,
        }
    }

    /// SubBytes of a byte.
    pub fn substituted(self, w: &mut Writer, byte: Byte) -> Byte {
        let gates = Gates::of(CIRCUIT, self.direction() == Direction::Decrypt);
        let mut inputs = byte;
        inputs.reverse();
        // The first operand of `lop3` is the highest bit of the table index; the first input of a circuit's
        // gate is the lowest.
        let mut out = gates.write_by_three(inputs, |table, [a, b, c]| {
            w.word("lop3", &[("a", c), ("b", b), ("c", a), ("k", table.into())])
        });
        out.reverse();
        out
    }

    /// MixColumns of a column, followed by the addition of its key.
    fn mixed(self, w: &mut Writer, mut bytes: [Byte; 4], (round, column): (Round, usize)) -> [Byte; 4] {
        if self.direction() == Direction::Decrypt {
            prepared(w, &mut bytes);
        }
        // The sums of one bit of each two consecutive bytes.
        let sums = |w: &mut Writer, bit: usize| -> [i32; 4] {
            std::array::from_fn(|i| w.word("xor", &[("a", bytes[i][bit]), ("b", bytes[(i + 1) % 4][bit])]))
        };
        let highest = sums(w, 7);
        let mut below = highest;
        let mut out = [[0; 8]; 4];
        for bit in 0..8 {
            let own = if bit == 7 { highest } else { sums(w, bit) };
            for i in 0..4 {
                // 2 (a + b) + b + c + d, for a byte `a` and the following ones.
                let sum = xor3(w, below[i], bytes[(i + 1) % 4][bit], own[(i + 2) % 4]);
                let key = self.mask(w, round, 4 * column + i, bit);
                out[i][bit] = match bit {
                    1 | 3 | 4 => xor3(w, sum, key, highest[i]),
                    _ => w.word("xor", &[("a", sum), ("b", key)]),
                };
            }
            below = own;
        }
        out
    }
}

impl Places {
    fn offset(self, k: i32) -> i32 {
        16 * k * self.apart
    }

    fn number(self, w: &mut Writer, k: i32) -> i32 {
        if k == 0 { self.number } else { w.double("add64_n", &[("y", self.number), ("m", k * self.apart)]) }
    }

    /// A predicate that says if a block of a thread exists, unless that is known.
    fn there(self, w: &mut Writer, course: &Course, k: i32) -> Option<i32> {
        (k > 0 || !self.first_is_there).then(|| {
            let number = self.number(w, k);
            w.predicate(
                "lt",
                &[("y", number), ("z", if self.first_is_there { course.end } else { course.count })],
            )
        })
    }

    /// The address of the first block in a buffer.
    fn address(self, w: &mut Writer, buffer: i32) -> i32 {
        let offset = w.double("shl64", &[("y", self.number), ("m", 4)]);
        w.double("add64", &[("y", buffer), ("z", offset)])
    }
}

/// Adds four times the sum of a byte and the second byte after it: the factor between InvMixColumns and
/// MixColumns.
fn prepared(w: &mut Writer, bytes: &mut [Byte; 4]) {
    for i in 0..2 {
        let sum: Byte =
            std::array::from_fn(|bit| w.word("xor", &[("a", bytes[i][bit]), ("b", bytes[i + 2][bit])]));
        let high = w.word("xor", &[("a", sum[6]), ("b", sum[7])]);
        // x^8 = x^4 + x^3 + x + 1.
        let added = [
            [Some(sum[6]), None],
            [Some(high), None],
            [Some(sum[0]), Some(sum[7])],
            [Some(sum[1]), Some(sum[6])],
            [Some(sum[2]), Some(high)],
            [Some(sum[3]), Some(sum[7])],
            [Some(sum[4]), None],
            [Some(sum[5]), None],
        ];
        for byte in [i, i + 2] {
            for (bit, of) in added.iter().enumerate() {
                let old = bytes[byte][bit];
                bytes[byte][bit] = match *of {
                    [Some(a), Some(b)] => xor3(w, old, a, b),
                    [Some(a), None] | [None, Some(a)] => w.word("xor", &[("a", old), ("b", a)]),
                    [None, None] => old,
                };
            }
        }
    }
}

/// Blocks from words to bit slices.
fn sliced(w: &mut Writer, blocks: &[[i32; 4]]) -> State {
    let mut state = [[0; 8]; 16];
    for column in 0..4 {
        let words = transposed(w, std::array::from_fn(|k| blocks[k][column]));
        for (place, word) in words.into_iter().enumerate() {
            state[4 * column + place / 8][place % 8] = word;
        }
    }
    state
}

/// Blocks from bit slices to words.
fn unsliced(w: &mut Writer, state: &State) -> Vec<[i32; 4]> {
    let columns: [[i32; 32]; 4] = std::array::from_fn(|column| {
        transposed(w, std::array::from_fn(|place| state[4 * column + place / 8][place % 8]))
    });
    (0..BLOCKS).map(|k| columns.map(|column| column[k])).collect()
}

/// Exchanges bits at this distance between two words, where a mask has ones in the first.
pub fn exchanged(w: &mut Writer, [a, b]: [i32; 2], apart: i32, mask: i32) -> [i32; 2] {
    let up = w.word("shl", &[("a", b), ("n", apart)]);
    let down = w.word("shr", &[("a", a), ("n", apart)]);
    [(a, up), (down, b)].map(|(yes, no)| chosen(w, mask, yes, no))
}

/// Bits of `yes` where the mask has ones, otherwise of `no`.
pub fn chosen(w: &mut Writer, mask: i32, yes: i32, no: i32) -> i32 {
    w.word("lop3_n", &[("a", yes), ("b", no), ("n", mask), ("k", SELECT)])
}

/// Transposes a square of 32 words of 32 bits: for words at each distance, halves are exchanged, then quarters,
/// and so on (Warren, Hacker's Delight, 7-3). Exchanges of halves and bytes take one byte permutation each.
fn transposed(w: &mut Writer, mut words: [i32; 32]) -> [i32; 32] {
    for (apart, mask) in [(16, 0), (8, 0), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
        for low in (0..32).filter(|k| k & apart == 0) {
            let (a, b) = (words[low], words[low + apart]);
            let permuted = |w: &mut Writer, n: i32| w.word("prmt", &[("a", a), ("b", b), ("n", n)]);
            (words[low], words[low + apart]) = match apart {
                16 => (permuted(w, 0x5410), permuted(w, 0x7632)),
                8 => (permuted(w, 0x6240), permuted(w, 0x7351)),
                _ => exchanged(w, [a, b], apart as i32, mask).into(),
            };
        }
    }
    words
}
