//! Rounds with look-ups in an S-box of 256 bytes and MixColumns on four bytes at a time. Bytes are doubled
//! (FIPS-197, 4.2.1) by an addition in byte lanes, whose carries then select the reduction, if the processor
//! has such instructions.

use aesmith_cipher::problem::Direction;

use super::expand;
use super::rounds::Keys;
use super::writer::Line;

/// The implementation of doubling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubling {
    /// Plain instructions.
    Plain,
    /// Carries of an addition in byte lanes select the reduction.
    Carries,
}

impl Doubling {
    fn doubled(self, line: &mut Line, word: i32) -> i32 {
        if self == Doubling::Plain {
            return expand::doubled(line, word);
        }
        let twice = line.made("uadd8", &[("rn", word), ("rm", word)]);
        let reduced = line.op_number("eor", twice, 0x1b1b_1b1b);
        line.made("sel", &[("rn", reduced), ("rm", twice)])
    }

    /// (Inv)MixColumns of a column, with a word of the key: row r is twice the sum of rows r and r + 1, plus
    /// rows r + 1, r + 2 and r + 3.
    pub fn mixed(self, line: &mut Line, direction: Direction, word: i32, key: i32) -> i32 {
        let mut word = word;
        if direction == Direction::Decrypt {
            // The inverse matrix is that of MixColumns times circ(5, 0, 4, 0).
            let sum = line.op_by("eor", word, word, "ror", 16);
            let twice = self.doubled(line, sum);
            let four = self.doubled(line, twice);
            word = line.op("eor", word, four);
        }
        let pairs = line.op_by("eor", word, word, "ror", 8);
        let twice = self.doubled(line, pairs);
        let sum = line.op_by("eor", twice, word, "ror", 8);
        let sum = line.op_by("eor", sum, pairs, "ror", 16);
        line.op("eor", sum, key)
    }

    /// (Inv)MixColumns of looked-up columns, and a round key. The key words are loaded in a separate run: no
    /// registers are free for them before.
    pub fn columns(self, line: &mut Line, direction: Direction, columns: [i32; 4], keys: Keys) -> [i32; 4] {
        let keys = keys.words(line, &[0, 1, 2, 3]);
        std::array::from_fn(|c| self.mixed(line, direction, columns[c], keys[c]))
    }
}
