//! Rounds with look-ups in one table of 1 KB: a byte is extracted, its entry loaded, and added with a free
//! rotation. Loads are grouped in runs: all but the first of a run take one cycle.

use aesmith_cipher::problem::Direction;

use super::writer::{COPIES, Line, SP, Turned};

/// The source word of byte `row` of column `column`: ShiftRows, or its inverse.
pub fn source(direction: Direction, column: usize, row: usize) -> usize {
    match direction {
        Direction::Encrypt => (column + row) % 4,
        Direction::Decrypt => (column + 4 - row) % 4,
    }
}

/// The column that byte `row` of word `word` moves to.
pub fn column(direction: Direction, word: usize, row: usize) -> usize {
    match direction {
        Direction::Encrypt => (word + 4 - row) % 4,
        Direction::Decrypt => (word + row) % 4,
    }
}

/// The rotation of the table for a row, in bits to the left: the entry for a byte in row `row` is the table's
/// entry rotated by it. The encryption table starts with the row that contains the S-box itself, so that the
/// last round finds it in byte 0.
pub fn turn(direction: Direction, row: usize) -> i32 {
    let first = if direction == Direction::Encrypt { 3 } else { 0 };
    (8 * (row as i32 - first)).rem_euclid(32)
}

/// Runs of loads in a round: words whose bytes are looked up, and words of the round key loaded with them.
/// Fewer runs would need more than the 14 registers: at the end of a run its loads, the remaining words and the
/// sums are all live.
const RUNS: &[Run] = &[(&[0, 1], &[]), (&[2], &[]), (&[3], &[0, 1, 2, 3])];
/// The runs if no register points to the round keys.
const RUNS_WITHOUT_POINTER: &[Run] = &[(&[0, 1], &[0, 1, 2]), (&[2, 3], &[3])];

type Run = (&'static [usize], &'static [usize]);

/// The source of round keys.
#[derive(Clone, Copy, Debug)]
pub enum Keys {
    /// This offset in bytes from a pointer.
    At(i32, i32),
    /// From this pointer, which then points past them.
    Next(i32),
    /// These registers.
    Here([i32; 4]),
    /// A copy at this offset in bytes from the stack pointer.
    Stack(i32),
}

impl Keys {
    /// Words of the round key, requested in order.
    pub fn words(self, line: &mut Line, which: &[usize]) -> Vec<i32> {
        let mut word = |w: usize| match self {
            Keys::At(pointer, offset) => line.load(pointer, offset + 4 * w as i32),
            Keys::Next(pointer) => {
                let rt = line.block.fresh();
                line.put("ldr.post_up", &[("rt", rt), ("rn", pointer), ("imm", 4)]);
                rt
            }
            Keys::Here(words) => words[w],
            Keys::Stack(offset) => line.load_in(SP, offset + 4 * w as i32, COPIES),
        };
        which.iter().map(|&w| word(w)).collect()
    }

    fn runs(self) -> &'static [Run] {
        if matches!(self, Keys::Stack(_)) { RUNS_WITHOUT_POINTER } else { RUNS }
    }
}

/// Adds a value to the partial sum of a column; the result is not rotated if one of the two is not.
pub fn add(line: &mut Line, sum: &mut Option<Turned>, value: Turned) {
    *sum = Some(match *sum {
        None => value,
        Some(sum) if sum.by == 0 => line.xor(value, sum),
        Some(sum) => line.xor(sum, value),
    });
}

/// A round with MixColumns. The new state is not rotated.
pub fn mixed(line: &mut Line, direction: Direction, table: i32, state: [i32; 4], keys: Keys) -> [i32; 4] {
    let mut sums = [None; 4];
    for &(words, keyed) in keys.runs() {
        let mut indices = Vec::new();
        for &word in words {
            for row in 0..4 {
                indices.push((line.byte(state[word], row as i32), word, row));
            }
        }
        let found: Vec<(i32, usize, usize)> =
            indices.into_iter().map(|(i, word, row)| (line.entry("ldr", table, i, 4), word, row)).collect();
        let added = keys.words(line, keyed);
        for (t, word, row) in found {
            add(line, &mut sums[column(direction, word, row)], Turned { v: t, by: turn(direction, row) });
        }
        for (&w, k) in keyed.iter().zip(added) {
            add(line, &mut sums[w], Turned::plain(k));
        }
    }
    sums.map(|s| s.expect("every column has five parts").v)
}

/// The last round: bytes of the S-box, in entries of `scale` bytes.
pub fn last(
    line: &mut Line,
    direction: Direction,
    table: (i32, i32),
    state: [i32; 4],
    keys: Keys,
) -> [i32; 4] {
    substituted(line, direction, table, state, Some(keys))
}

/// SubBytes and ShiftRows, with an optional round key.
pub fn substituted(
    line: &mut Line,
    direction: Direction,
    table: (i32, i32),
    state: [i32; 4],
    keys: Option<Keys>,
) -> [i32; 4] {
    // Sums that are still to be shifted left, with the number of bits.
    let mut sums: [Option<(i32, i32)>; 4] = [None; 4];
    for &(words, keyed) in keys.map_or(RUNS, Keys::runs) {
        let mut indices = Vec::new();
        for &word in words {
            for row in 0..4 {
                indices.push((line.byte(state[word], row as i32), word, row));
            }
        }
        let found: Vec<(i32, usize, usize)> = indices
            .into_iter()
            .map(|(i, word, row)| (line.entry("ldrb", table.0, i, table.1), word, row))
            .collect();
        let added = keys.map_or(Vec::new(), |keys| keys.words(line, keyed));
        let mut parts: Vec<(usize, i32, i32)> = found
            .into_iter()
            .map(|(t, word, row)| (column(direction, word, row), t, 8 * row as i32))
            .collect();
        for (&w, k) in keyed.iter().zip(added) {
            parts.push((w, k, 0));
        }
        for (column, v, by) in parts {
            sums[column] = Some(match sums[column] {
                None => (v, by),
                Some((sum, due)) if due > by => (line.op_by("eor", v, sum, "lsl", due - by), by),
                Some((sum, due)) => (line.op_by("eor", sum, v, "lsl", by - due), due),
            });
        }
    }
    sums.map(|s| s.expect("every column has four parts, and a fifth of the key").0)
}

/// A column of SubBytes and ShiftRows plus a word of the key: the column that begins with the first word of the
/// state, in one run of loads.
pub(crate) fn column_of_bytes(
    line: &mut Line,
    direction: Direction,
    (table, scale): (i32, i32),
    state: [i32; 4],
    keys: Keys,
) -> i32 {
    let indices: [i32; 4] =
        std::array::from_fn(|row| line.byte(state[source(direction, 0, row)], row as i32));
    let found = indices.map(|index| line.entry("ldrb", table, index, scale));
    let key = keys.words(line, &[0])[0];
    (0..4).fold(key, |sum, row| line.op_by("eor", sum, found[row], "lsl", 8 * row as i32))
}
