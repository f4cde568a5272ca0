//! Rounds with look-ups in one table on ARMv6-M. The state is in r0 to r3, a column's sum in r7; its entries
//! are summed from the last row to the first, with a rotation by one row between them. The table's address is a
//! multiple of 32 plus 24, so that it also serves as the count of these rotations, of which only five bits
//! matter.

use aesmith_cipher::problem::Direction;

use super::writer::Code;
use crate::kernels::rounds::source;

/// The table, the mask of an index, an index or entry, a sum.
pub const TABLE: i32 = 4;
const MASK: i32 = 5;
const ENTRY: i32 = 6;
const SUM: i32 = 7;
/// The registers with the address of the next round key, and with finished columns.
pub const KEY: i32 = 12;
const WAITING: [i32; 3] = [8, 9, 10];
/// The register with the end of a loop of rounds.
const END: i32 = 14;
/// The table's address modulo 32.
pub const TURN: usize = 24;

/// The mask of an index.
pub fn mask(code: &mut Code) {
    code.number(MASK, 0xff);
    code.lsl(MASK, MASK, 2);
}

/// Adds the next round key, which is loaded into r0 to r3, to the columns.
fn keyed(code: &mut Code) {
    code.mov(ENTRY, KEY);
    code.four("ldm", ENTRY, 0);
    code.mov(KEY, ENTRY);
    code.op("eors", 3, SUM);
    for (w, r) in WAITING.into_iter().enumerate() {
        code.mov(SUM, r);
        code.op("eors", w as i32, SUM);
    }
}

fn wait(code: &mut Code, column: usize) {
    if let Some(&r) = WAITING.get(column) {
        code.mov(r, SUM);
    }
}

fn mixed(code: &mut Code, direction: Direction) {
    for column in 0..4 {
        for row in (0..4).rev() {
            let to = if row == 3 { SUM } else { ENTRY };
            let from = source(direction, column, row) as i32;
            match row {
                0 => {
                    code.lsl(to, from, 24);
                    code.lsr(to, to, 22);
                }
                3 => {
                    code.lsr(to, from, 24);
                    code.lsl(to, to, 2);
                }
                _ => {
                    code.lsr(to, from, 8 * row as i32 - 2);
                    code.op("ands", to, MASK);
                }
            }
            code.indexed("ldr", to, TABLE, to);
            if row < 3 {
                code.op("rors", SUM, TABLE);
                code.op("eors", SUM, ENTRY);
            }
        }
        wait(code, column);
    }
    keyed(code);
}

/// SubBytes and ShiftRows of a column by S-box look-ups, summed from its last row to its first.
pub fn substituted(code: &mut Code, direction: Direction, column: usize, sum: i32) {
    for row in (0..4).rev() {
        let to = if row == 3 { sum } else { ENTRY };
        let from = source(direction, column, row) as i32;
        match row {
            0 => code.put("uxtb", &[("rd", to), ("rm", from)]),
            3 => code.lsr(to, from, 24),
            _ => {
                code.lsr(to, from, 8 * row as i32);
                code.put("uxtb", &[("rd", to), ("rm", to)]);
            }
        }
        code.indexed("ldrb", to, TABLE, to);
        if row < 3 {
            code.lsl(sum, sum, 8);
            code.op("eors", sum, ENTRY);
        }
    }
}

/// The last round; the S-box follows the table.
fn last(code: &mut Code, direction: Direction) {
    code.number(ENTRY, 1);
    code.lsl(ENTRY, ENTRY, 10);
    code.put("add_any", &[("rd", TABLE), ("rm", ENTRY)]);
    for column in 0..4 {
        substituted(code, direction, column, SUM);
        wait(code, column);
    }
    keyed(code);
}

/// All rounds, including the first key addition: r0 to r3 in place. The table's register is changed; `name`
/// makes labels unique.
pub fn all(code: &mut Code, name: &str, direction: Direction, rounds: usize, looped: bool) {
    code.mov(SUM, 3);
    for (w, r) in WAITING.into_iter().enumerate() {
        code.mov(r, w as i32);
    }
    keyed(code);
    if looped {
        let again = format!(".L{name}_rounds");
        // The pointer past the last round key but one.
        code.mov(SUM, KEY);
        code.add(SUM, 16 * (rounds as i32 - 1));
        code.mov(END, SUM);
        code.label(&again);
        mixed(code, direction);
        code.put("cmp_any", &[("rn", KEY), ("rm", END)]);
        code.branch("bne", &again);
    } else {
        (1..rounds).for_each(|_| mixed(code, direction));
    }
    last(code, direction);
}
