//! Tables of words in shared memory, and rounds by look-ups.
//!
//! A row belongs to a byte value: `replicas` words of the first table, one after another, then as many of the
//! second. A thread reads the replica of its lane. With 32 replicas, rows have 256 bytes, and one byte
//! permutation makes an address: its lowest byte is the lane's offset in a row, the next one the state byte.
//! With fewer, the rows are shorter and the address is shifted. The third and fourth table are in a region of
//! their own after the first two, or are these with their words rotated by 16 bits. If only one table is
//! stored, all others are rotations of it.

use aesmith_cipher::Direction;
use aesmith_cipher::block::{INV_SBOX, SBOX, gf_mul};

use super::writer::Writer;

/// The layout of tables, which determines the implementation of rounds.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Encryption or decryption.
    pub direction: Direction,
    /// Threads per thread block.
    pub threads: i32,
    /// Copies of each word.
    pub replicas: i32,
    /// Number of the four tables in memory: all, the first two, or the first.
    pub tables: i32,
}

/// The bytes of the program's constants: the words of the first table, and for decryption the entries of the
/// last round's table.
pub fn constants(direction: Direction) -> Vec<u8> {
    let (sbox, column): (_, [u8; 4]) = match direction {
        Direction::Encrypt => (&SBOX, [2, 1, 1, 3]),
        Direction::Decrypt => (&INV_SBOX, [14, 9, 13, 11]),
    };
    let mut bytes: Vec<u8> = sbox.iter().flat_map(|&s| column.map(|by| gf_mul(by, s))).collect();
    if direction == Direction::Decrypt {
        bytes.extend(sbox.iter().flat_map(|&s| [s; 4]));
    }
    bytes
}

/// Words per table, one for each byte value.
const ENTRIES: i32 = 256;
/// Size of one copy of a table, in bytes.
const TABLE: i32 = 4 * ENTRIES;

impl Shape {
    /// The number of tables that share a row.
    fn in_row(self) -> i32 {
        self.tables.min(2)
    }

    /// Size of the tables that share rows, with all replicas, in bytes.
    fn region(self) -> i32 {
        self.in_row() * TABLE * self.replicas
    }

    /// The offset of the last round's own table.
    fn own(self) -> i32 {
        self.region() * (self.tables / self.in_row())
    }

    /// Size of the shared memory, in bytes.
    pub fn shared(self) -> u32 {
        let own = if self.direction == Direction::Decrypt { TABLE * self.replicas } else { 0 };
        (self.own() + own) as u32
    }

    /// The number of bits that an address is shifted by.
    fn shift(self) -> i32 {
        (64 / self.replicas / self.in_row()).trailing_zeros() as i32
    }

    /// Checks that the threads can fill the tables.
    pub fn check(self) -> Result<(), String> {
        let most = (TABLE * self.replicas / 16).max(ENTRIES);
        if self.threads <= most {
            return Ok(());
        }
        Err(format!(
            "threads={} means nothing beside replicas={}: tables are filled 16 bytes a thread, or a row, by {most} threads at most",
            self.threads, self.replicas
        ))
    }

    /// Fills the tables, before the barrier.
    fn fill(self, w: &mut Writer, base: i32) {
        if self.replicas < 4 {
            return self.fill_by_rows(w, base);
        }
        // Each thread writes 16 bytes of a region at a time.
        let thread = w.word("tid", &[]);
        let words = w.double("constants", &[]);
        let quads = self.replicas / 4;
        let at = self.row(w, base, 16);
        // The second table is the first one rotated by one byte.
        let by = (self.tables > 1).then(|| {
            let second = w.word("and_n", &[("a", thread), ("n", quads)]);
            w.word("shl", &[("a", second), ("n", 3 - quads.trailing_zeros() as i32)])
        });
        self.filled(w, at, words, (self.in_row() * quads, 16), "FILL", |w, word, at| {
            let first = by.map_or(word, |by| w.word("rotate", &[("a", word), ("b", by)]));
            stored(w, at, 0, first);
            if self.tables == 4 {
                let third = w.word("prmt", &[("a", first), ("b", first), ("n", 0x1032)]);
                stored(w, at, self.region(), third);
            }
        });
        if self.direction == Direction::Decrypt {
            let at = self.row(w, base, 16);
            let own = w.double("add64_n", &[("y", words), ("m", TABLE)]);
            self.filled(w, at, own, (quads, 16), "FILL_OWN", |w, word, at| stored(w, at, self.own(), word));
        }
    }

    /// Fills tables with rows of fewer than 16 bytes: each thread writes whole rows.
    fn fill_by_rows(self, w: &mut Writer, base: i32) {
        let words = w.double("constants", &[]);
        let row = self.in_row() * self.replicas * 4;
        let at = self.row(w, base, row);
        self.filled(w, at, words, (1, row), "FILL", |w, word, at| {
            for in_row in 0..self.in_row() {
                let table = self.turned(w, word, in_row);
                self.replicated(w, at, 4 * self.replicas * in_row, table);
                if self.tables == 4 {
                    let third = self.turned(w, table, 2);
                    self.replicated(w, at, self.region() + 4 * self.replicas * in_row, third);
                }
            }
        });
        if self.direction == Direction::Decrypt {
            let row = self.replicas * 4;
            let at = self.row(w, base, row);
            let own = w.double("add64_n", &[("y", words), ("m", TABLE)]);
            self.filled(w, at, own, (1, row), "FILL_OWN", |w, word, at| {
                self.replicated(w, at, self.own(), word)
            });
        }
    }

    /// The address of a thread's first piece of a region, in pieces of `bytes` bytes.
    fn row(self, w: &mut Writer, base: i32, bytes: i32) -> i32 {
        let thread = w.word("tid", &[]);
        let at = w.word("shl", &[("a", thread), ("n", bytes.trailing_zeros() as i32)]);
        w.put("add", &[("d", at), ("a", at), ("b", base)]);
        at
    }

    /// Stores all replicas of a word.
    fn replicated(self, w: &mut Writer, at: i32, off: i32, word: i32) {
        for replica in 0..self.replicas {
            w.put("st_shared", &[("a", at), ("off", off + 4 * replica), ("b", word)]);
        }
    }

    /// Loops over a table; a word takes `pieces` pieces of `bytes` bytes, one per thread.
    fn filled(
        self,
        w: &mut Writer,
        at: i32,
        words: i32,
        (pieces, bytes): (i32, i32),
        name: &'static str,
        each: impl Fn(&mut Writer, i32, i32),
    ) {
        let thread = w.word("tid", &[]);
        let row = w.word("shr", &[("a", thread), ("n", pieces.trailing_zeros() as i32)]);
        let offset = w.word("shl", &[("a", row), ("n", 2)]);
        let wide = w.double("widen", &[("a", offset)]);
        let from = w.double("add64", &[("y", words), ("z", wide)]);
        let turn = w.word("mov_n", &[("n", 0)]);
        w.label(name);
        let word = w.word("ld_const", &[("y", from), ("off", 0)]);
        each(w, word, at);
        w.put("add_n", &[("d", at), ("a", at), ("n", bytes * self.threads)]);
        w.put("add64_n", &[("x", from), ("y", from), ("m", 4 * self.threads / pieces)]);
        w.put("add_n", &[("d", turn), ("a", turn), ("n", 1)]);
        let more = w.predicate("lt_n", &[("a", turn), ("n", ENTRIES * pieces / self.threads)]);
        w.branch_if(more, name);
    }

    /// Writes the code at the start: the filling of the tables, and the barrier. Returns the registers for
    /// addressing them, and the thread's number.
    pub fn begin(self, w: &mut Writer) -> (Places, i32) {
        let base = w.word("tables", &[]);
        self.fill(w, base);
        w.put("barrier", &[]);
        let lane = self.lane(w);
        let twice = w.word("add", &[("a", lane), ("b", lane)]);
        (Places { base, lane, twice }, w.word("tid", &[]))
    }

    /// The lane's offset in a row, as the lowest byte of an unshifted address.
    pub fn lane(self, w: &mut Writer) -> i32 {
        let thread = w.word("tid", &[]);
        let lane = w.word("and_n", &[("a", thread), ("n", self.replicas - 1)]);
        w.word("shl", &[("a", lane), ("n", 2 + self.shift())])
    }

    /// The address of a table row, for one byte of a word.
    fn address(self, w: &mut Writer, places: Places, word: i32, byte: i32) -> i32 {
        let address = w.word("prmt", &[("a", word), ("b", places.lane), ("n", 0x5504 | byte << 4)]);
        let shift = self.shift();
        let row = if shift == 0 { address } else { w.word("shr", &[("a", address), ("n", shift)]) };
        w.word("add", &[("a", row), ("b", places.base)])
    }

    /// The entry of a table for one byte of a word.
    pub fn entry(self, w: &mut Writer, places: Places, table: i32, word: i32, byte: i32) -> i32 {
        let address = self.address(w, places, word, byte);
        let off = table / 2 * self.region() + table % 2 * 4 * self.replicas;
        w.word("ld_shared", &[("a", address), ("off", off)])
    }

    /// The contribution of a byte of row `row` to its column in a round.
    pub fn contribution(self, w: &mut Writer, places: Places, word: i32, row: i32) -> i32 {
        let table = row % self.tables;
        let entry = self.entry(w, places, table, word, row);
        self.turned(w, entry, row - table)
    }

    /// A word rotated by bytes: the entry of the table that is `behind` tables further.
    fn turned(self, w: &mut Writer, word: i32, behind: i32) -> i32 {
        match behind {
            0 => word,
            _ => w.word(
                "prmt",
                &[("a", word), ("b", word), ("n", [0, 0x2103, 0x1032, 0x0321][behind as usize])],
            ),
        }
    }

    /// The entry of the last round's table: a word with the S-box value in its second byte.
    fn last_entry(self, w: &mut Writer, places: Places, word: i32, byte: i32) -> i32 {
        if self.direction == Direction::Encrypt {
            return self.entry(w, places, 0, word, byte);
        }
        // Its rows are half as long as those of two tables.
        let lane = if self.in_row() == 2 { places.twice } else { places.lane };
        let address = w.word("prmt", &[("a", word), ("b", lane), ("n", 0x5504 | byte << 4)]);
        let row = w.word("shr", &[("a", address), ("n", self.shift() + self.in_row() - 1)]);
        let address = w.word("add", &[("a", row), ("b", places.base)]);
        w.word("ld_shared", &[("a", address), ("off", self.own())])
    }

    /// The source column of a byte of a column after ShiftRows.
    pub fn shifted(self, column: usize, row: usize) -> usize {
        match self.direction {
            Direction::Encrypt => (column + row) % 4,
            Direction::Decrypt => (column + 4 - row) % 4,
        }
    }

    /// A round other than the last.
    pub fn round(self, w: &mut Writer, places: Places, state: [i32; 4], key: [i32; 4]) -> [i32; 4] {
        std::array::from_fn(|column| {
            let from = |row: usize| state[self.shifted(column, row)];
            if self.tables != 2 {
                let e: [i32; 4] =
                    std::array::from_fn(|row| self.contribution(w, places, from(row), row as i32));
                let sum = xor3(w, e[0], e[1], e[2]);
                return xor3(w, sum, e[3], key[column]);
            }
            // The two entries to be rotated are added first and rotated once.
            let e: [i32; 4] =
                std::array::from_fn(|row| self.entry(w, places, row as i32 % 2, from(row), row as i32));
            let later = w.word("xor", &[("a", e[2]), ("b", e[3])]);
            let turned = self.turned(w, later, 2);
            let sum = xor3(w, e[0], e[1], turned);
            w.word("xor", &[("a", sum), ("b", key[column])])
        })
    }

    /// The word of the S-box values of these bytes for the last round, lowest first; each is given by a word
    /// and a byte position.
    pub fn substituted(self, w: &mut Writer, places: Places, bytes: [(i32, usize); 4]) -> i32 {
        let e = bytes.map(|(word, byte)| self.last_entry(w, places, word, byte as i32));
        let low = w.word("prmt", &[("a", e[0]), ("b", e[1]), ("n", 0x0051)]);
        let high = w.word("prmt", &[("a", e[2]), ("b", e[3]), ("n", 0x0051)]);
        w.word("prmt", &[("a", low), ("b", high), ("n", 0x5410)])
    }

    /// The last round.
    pub fn last(self, w: &mut Writer, places: Places, state: [i32; 4], key: [i32; 4]) -> [i32; 4] {
        std::array::from_fn(|column| {
            let bytes = std::array::from_fn(|row| (state[self.shifted(column, row)], row));
            let word = self.substituted(w, places, bytes);
            w.word("xor", &[("a", word), ("b", key[column])])
        })
    }
}

/// Registers for addressing tables.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The address of shared memory.
    pub base: i32,
    /// See [`Shape::lane`].
    pub lane: i32,
    /// Twice that, if the last round has a table of its own.
    pub twice: i32,
}

/// The sum of three words.
pub(crate) fn xor3(w: &mut Writer, a: i32, b: i32, c: i32) -> i32 {
    w.word("lop3", &[("a", a), ("b", b), ("c", c), ("k", 0x96)])
}

fn stored(w: &mut Writer, at: i32, off: i32, word: i32) {
    w.put("st_shared_v4", &[("a", at), ("off", off), ("b", word), ("b2", word), ("b3", word), ("b4", word)]);
}
