//! Rounds with S-box look-ups on ARMv6-M, and MixColumns on four bytes at a time. The state is in r0 to r3
//! until all its bytes are looked up; then these registers hold the constants of MixColumns. The table's
//! address is a multiple of 32 plus 8, so that it also serves as the count of rotations by a byte, of which
//! only five bits matter.

use aesmith_cipher::problem::Direction;

use super::rounds::{self, KEY, TABLE};
use super::writer::Code;

/// The table's address modulo 32.
pub const TURN: usize = 8;

/// An index or entry.
const ENTRY: i32 = 6;
/// Bit 0 of every byte, while bytes are looked up.
const BITS: i32 = 10;
/// Address of the last round key.
const END: i32 = 14;
/// The registers of columns after their look-ups, and in MixColumns: low registers as far as available.
const LOOKED_UP: [i32; 4] = [5, 8, 9, 7];
const MIXED: [i32; 4] = [5, 8, 7, 11];

/// The constants of MixColumns, in registers of the state.
const LOWEST: i32 = 0;
const HALF: i32 = 1;
const REDUCTION: i32 = 2;
const TURNED: i32 = 3;

/// Adds the next round key, which is loaded into r0 to r3, to the columns.
fn keyed(code: &mut Code, columns: [i32; 4]) {
    code.mov(ENTRY, KEY);
    code.four("ldm", ENTRY, 0);
    code.mov(KEY, ENTRY);
    for (w, column) in columns.into_iter().enumerate() {
        let low = if column < 8 { column } else { ENTRY };
        if low != column {
            code.mov(low, column);
        }
        code.op("eors", w as i32, low);
    }
}

/// SubBytes and ShiftRows: a column is summed from its last row to its first.
fn substituted(code: &mut Code, direction: Direction) {
    for (column, place) in LOOKED_UP.into_iter().enumerate() {
        let sum = if place < 8 { place } else { LOOKED_UP[3] };
        rounds::substituted(code, direction, column, sum);
        if place != sum {
            code.mov(place, sum);
        }
    }
}

/// Doubles four bytes in place (FIPS-197, 4.2.1); `scratch` is changed.
fn doubled(code: &mut Code, word: i32, scratch: i32) {
    code.lsr(scratch, word, 7);
    code.op("ands", scratch, LOWEST);
    code.lsl(word, word, 1);
    // Clears carries into the next byte.
    code.op("bics", word, LOWEST);
    code.op("muls", scratch, REDUCTION);
    code.op("eors", word, scratch);
}

fn copied(code: &mut Code, to: i32, from: i32) {
    code.put("movs_reg", &[("rd", to), ("rm", from)]);
}

/// (Inv)MixColumns of a column in place: row r is twice the sum of rows r and r + 1, plus rows r + 1, r + 2 and
/// r + 3. The inverse matrix is that of MixColumns times circ(5, 0, 4, 0).
fn mixed(code: &mut Code, direction: Direction, word: i32) {
    if direction == Direction::Decrypt {
        copied(code, TURNED, word);
        code.op("rors", TURNED, HALF);
        code.op("eors", TURNED, word);
        doubled(code, TURNED, ENTRY);
        doubled(code, TURNED, ENTRY);
        code.op("eors", word, TURNED);
    }
    copied(code, TURNED, word);
    code.op("rors", TURNED, TABLE);
    code.op("eors", word, TURNED);
    copied(code, ENTRY, word);
    code.op("rors", ENTRY, HALF);
    code.op("eors", TURNED, ENTRY);
    doubled(code, word, ENTRY);
    code.op("eors", word, TURNED);
}

/// MixColumns of the looked-up columns, plus the next round key.
fn mixed_and_keyed(code: &mut Code, direction: Direction) {
    code.mov(LOWEST, BITS);
    code.number(HALF, 16);
    code.number(REDUCTION, 0x1b);
    let low = LOOKED_UP[3];
    mixed(code, direction, low);
    code.mov(MIXED[3], low);
    mixed(code, direction, LOOKED_UP[0]);
    code.mov(low, LOOKED_UP[1]);
    mixed(code, direction, low);
    code.mov(MIXED[1], low);
    code.mov(low, LOOKED_UP[2]);
    mixed(code, direction, low);
    keyed(code, MIXED);
}

/// All rounds, including the first key addition: r0 to r3 in place; `name` makes labels unique.
pub fn all(code: &mut Code, name: &str, direction: Direction, rounds: usize, looped: bool) {
    for (w, r) in LOOKED_UP.into_iter().enumerate() {
        code.mov(r, w as i32);
    }
    code.number(0, 1);
    code.lsl(1, 0, 8);
    code.op("orrs", 1, 0);
    code.lsl(0, 1, 16);
    code.op("orrs", 0, 1);
    code.mov(BITS, 0);
    keyed(code, LOOKED_UP);
    if looped {
        let [again, more, end] = ["round", "more", "end"].map(|what| format!(".L{name}_{what}"));
        // The pointer past the last round key but one: the loop is left in its middle, so that the look-ups are
        // written once.
        code.mov(ENTRY, KEY);
        code.add(ENTRY, 16 * (rounds as i32 - 1));
        code.mov(END, ENTRY);
        code.label(&again);
        substituted(code, direction);
        code.put("cmp_any", &[("rn", KEY), ("rm", END)]);
        match direction {
            Direction::Encrypt => code.branch("beq", &end),
            // Out of the range of a conditional branch.
            Direction::Decrypt => {
                code.branch("bne", &more);
                code.branch("b", &end);
                code.label(&more);
            }
        }
        mixed_and_keyed(code, direction);
        code.branch("b", &again);
        code.label(&end);
    } else {
        for _ in 1..rounds {
            substituted(code, direction);
            mixed_and_keyed(code, direction);
        }
        substituted(code, direction);
    }
    keyed(code, LOOKED_UP);
}
