//! Rounds with look-ups in one table: a byte is isolated by AND, its entry loaded with the index shifted, and
//! added with a rotation; the shifts are free (DDI 0180, 7.2). No instruction reads the value that the previous
//! one loads.

use aesmith_cipher::problem::Direction;

use super::plan::{EVEN, KEY, ODD, TABLE, TEMPORARY, turned};
use super::writer::Code;

/// The column that a byte of row `row` of column `word` moves to: ShiftRows, or its inverse.
pub fn column(direction: Direction, word: usize, row: usize) -> usize {
    match direction {
        Direction::Encrypt => (word + 4 - row) % 4,
        Direction::Decrypt => (word + row) % 4,
    }
}

/// Isolates a byte of a word in a register, without moving it.
pub fn extract(code: &mut Code, to: i32, word: i32, row: usize) {
    code.op_i("and", to, word, 0xff << (8 * row));
}

/// Loads the table word for byte `row` of `index`, whose other bytes are zero.
pub fn load(code: &mut Code, to: i32, index: i32, row: usize) {
    let (name, by) = if row == 0 { ("ldr_lsl", 2) } else { ("ldr_lsr", 8 * row as i32 - 2) };
    code.put(name, &[("rd", to), ("rn", TABLE), ("rm", index), ("sh", by)]);
}

/// Loads the table byte for byte `row` of `index`, whose other bytes are zero.
pub fn load_byte(code: &mut Code, to: i32, index: i32, row: usize, last: Last) {
    let (base, scale, down) = match last {
        Last::Table => (TABLE, 2, ""),
        Last::Below => (TABLE, 0, "_down"),
        Last::Substitution(base) => (base, 0, ""),
    };
    let (form, by) = match 8 * row as i32 - scale {
        0 => ("_r", 0),
        by if by < 0 => ("_lsl", -by),
        by => ("_lsr", by),
    };
    let fields = [("rd", to), ("rn", base), ("rm", index), ("sh", by)];
    code.put(&format!("ldrb{form}{down}"), &fields[..if by == 0 { 3 } else { 4 }]);
}

/// One round with MixColumns, from `from` to `to`, whose registers hold the round key already. `from` is
/// overwritten.
pub fn mixed(code: &mut Code, direction: Direction, from: [i32; 4], to: [i32; 4]) {
    for (word, source) in from.into_iter().enumerate() {
        for rows in [[0, 1], [2, 3]] {
            contribute(code, direction, (source, word), &rows, to);
        }
    }
}

/// Adds the contributions of some bytes of a column, given by its register and number, to the next round's
/// columns. The word's last byte may overwrite the word.
pub fn contribute(code: &mut Code, direction: Direction, from: (i32, usize), rows: &[usize], to: [i32; 4]) {
    let (source, word) = from;
    let place = |row: usize| if row == 3 { source } else { TEMPORARY[row % 2] };
    for &row in rows {
        extract(code, place(row), source, row);
    }
    for &row in rows {
        load(code, place(row), place(row), row);
    }
    for &row in rows {
        let target = to[column(direction, word, row)];
        code.op_sh("eor", target, target, place(row), "ror", turn(direction, row));
    }
}

/// The rotation of a T-table entry towards the low bits for a row.
pub fn turn(direction: Direction, row: usize) -> i32 {
    (64 - turned(direction) - 8 * row as i32) % 32
}

/// The place of the last round's S-box bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// Byte 0 of the T-table's entries.
    Table,
    /// An S-box below the T-table: the highest byte of a word is an index after a shift, without a mask.
    Below,
    /// An S-box at the address in this register, likewise.
    Substitution(i32),
}

/// The last round. The register of round keys is free after the last of them.
pub fn last(code: &mut Code, direction: Direction, from: [i32; 4], to: [i32; 4], last: Last) {
    for (word, &source) in from.iter().enumerate() {
        let places = [TEMPORARY[0], TEMPORARY[1], KEY, source];
        let rows = [0, 1, 2, 3];
        for row in rows {
            if row < 3 || last == Last::Table {
                extract(code, places[row], source, row);
            }
        }
        for row in rows {
            load_byte(code, places[row], places[row], row, last);
        }
        for row in rows {
            let target = to[column(direction, word, row)];
            code.op_sh("eor", target, target, places[row], "lsl", 8 * row as i32);
        }
    }
}

/// Loads the next round key into these registers.
pub fn next_key(code: &mut Code, to: [i32; 4]) {
    code.several("ldmia_pre", KEY, &to);
}

/// The loop structure of rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// No loop.
    Unrolled,
    /// A loop of two rounds, with an exit in the middle; this register counts.
    Two(i32),
    /// A loop of one round, which moves the state back; this register counts.
    One(i32),
}

/// The parameters of the rounds, and a name for loop labels.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// A name that makes labels unique.
    pub name: &'a str,
    /// Encryption or decryption.
    pub direction: Direction,
    /// The loop structure of rounds.
    pub shape: Shape,
    /// The look-ups of the last round.
    pub tail: Tail,
}

/// All rounds, from the text in [`EVEN`] to the result, whose registers are returned.
pub fn all(code: &mut Code, frame: Frame, rounds: usize) -> [i32; 4] {
    next_key(code, ODD);
    for (s, k) in EVEN.iter().zip(ODD) {
        code.op("eor", *s, *s, k);
    }
    rest(code, frame, rounds - 1, (EVEN, ODD))
}

/// An odd number of rounds with MixColumns, and the last one: from the first of two sets of registers to the
/// returned one.
pub fn rest(code: &mut Code, frame: Frame, middle: usize, sides: ([i32; 4], [i32; 4])) -> [i32; 4] {
    let Frame { name, direction, shape, tail } = frame;
    let start = format!(".L{name}_rounds");
    let end = format!(".L{name}_last");
    let (from, to) = sides;
    let (from, to) = match shape {
        Shape::Unrolled => {
            let mut sides = (from, to);
            for _ in 0..middle {
                next_key(code, sides.1);
                mixed(code, direction, sides.0, sides.1);
                sides = (sides.1, sides.0);
            }
            sides
        }
        Shape::Two(count) => {
            code.number(count, middle as u32 / 2);
            code.label(&start);
            next_key(code, to);
            mixed(code, direction, from, to);
            code.op_i("subs", count, count, 1);
            // Negative.
            code.branch_if(4, &end);
            next_key(code, from);
            mixed(code, direction, to, from);
            code.branch(&start);
            code.label(&end);
            (to, from)
        }
        Shape::One(count) => {
            code.number(count, middle as u32);
            code.label(&start);
            next_key(code, to);
            mixed(code, direction, from, to);
            for (to, from) in from.iter().zip(to) {
                code.mov(*to, from);
            }
            code.op_i("subs", count, count, 1);
            // Not zero.
            code.branch_if(1, &start);
            (from, to)
        }
    };
    next_key(code, to);
    let how = match tail {
        Tail::Table => Last::Table,
        Tail::Below => Last::Below,
        Tail::Substitution { offset, base } => {
            code.op_i("add", base, TABLE, offset);
            Last::Substitution(base)
        }
        Tail::Ready(base) => Last::Substitution(base),
    };
    last(code, direction, from, to, how);
    to
}

/// The table of the last round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tail {
    /// The T-table.
    Table,
    /// The S-box below it.
    Below,
    /// An S-box at an offset after it, whose address is computed into this register.
    Substitution {
        /// Offset from the T-table, in bytes.
        offset: u32,
        /// The register.
        base: i32,
    },
    /// An S-box whose address is in this register already.
    Ready(i32),
}
