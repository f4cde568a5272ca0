//! Words of a key schedule in constant time: SubWord by the S-box's circuit of gates, without look-ups. The
//! four bytes of a word pass through it together, bit b of each in bit 0 of its byte. Each loop iteration
//! computes as many words as the cipher key has, from the previous ones in memory.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_isa::assemble::Item;
use aesmith_order::inorder::{Block, Search};

use super::expand::CONSTANTS;
use super::plan::{LR, SP};
use super::sliced::{Lines, arranged};
use super::writer::Code;
use crate::table::insn;

/// Pointer to the previous words, as many as the cipher key has.
const KEY: i32 = 0;
/// The last word of a part.
const LAST: u8 = 2;
/// Stack slots for spilled values; above them the round constant.
const SLOTS: usize = 15;
const AT_CONSTANT: i32 = 4 * SLOTS as i32;
/// Size of the stack frame, in bytes.
pub const FRAME: u32 = AT_CONSTANT as u32 + 4;

/// A byte replicated to all four positions.
fn everywhere(lines: &mut Lines, byte: i32) -> i32 {
    let one = lines.0.fresh();
    lines.put("mov_i", &[("rd", one), ("con", byte)]);
    let two = lines.shifted("orr", one, one, "lsl", 8);
    lines.shifted("orr", two, two, "lsl", 16)
}

/// SubWord of a word, without the constant of the S-box.
fn sub_word(lines: &mut Lines, word: i32) -> i32 {
    let mask = everywhere(lines, 1);
    let bits = std::array::from_fn(|k| match k {
        7 => lines.op("and", mask, word, 0),
        _ => lines.shifted("and", mask, word, "lsr", 7 - k as i32),
    });
    let s = lines.gates(bits, Direction::Encrypt, false);
    (0..7).rev().fold(s[7], |sum, k| lines.shifted("eor", sum, s[k], "lsl", 7 - k as i32))
}

/// Loads or stores word `k` from the pointer on; each has a region of its own.
fn word(lines: &mut Lines, name: &str, v: i32, k: usize) {
    lines.0.push_in(insn(name, &[("rd", v), ("rn", KEY), ("imm", 4 * k as i32)]), 1 + k as u16);
}

/// Words `from..to` of an iteration: each is the sum of the word one cipher key before and the preceding word;
/// `sum` is the first of them.
fn chained(lines: &mut Lines, count: usize, (from, to): (usize, usize), sum: i32) -> i32 {
    let mut last = sum;
    word(lines, "str", last, count + from);
    for k in from + 1..to {
        let before = lines.0.fresh();
        word(lines, "ldr", before, k);
        last = lines.op("eor", before, last, 0);
        word(lines, "str", last, count + k);
    }
    last
}

/// The first four words of an iteration.
fn first_part(count: usize, search: Search) -> Result<Vec<Item>, String> {
    let mut lines = Lines(Block::default());
    let (last, before, constant) = (lines.0.fresh(), lines.0.fresh(), lines.0.fresh());
    word(&mut lines, "ldr", last, count - 1);
    let t = sub_word(&mut lines, last);
    // A region that the line never writes.
    lines.0.push_in(insn("ldr", &[("rd", constant), ("rn", SP), ("imm", AT_CONSTANT)]), 0);
    word(&mut lines, "ldr", before, 0);
    let left_out = everywhere(&mut lines, 0x63);
    let sum = lines.op("eor", before, constant, 0);
    let sum = lines.op("eor", sum, left_out, 0);
    let sum = lines.op("eor", sum, t, 8);
    let last = chained(&mut lines, count, (0, 4), sum);
    lines.0.leave(last, Some(LAST));
    arranged(&lines, SLOTS, search)
}

/// The words of an iteration after the first four.
fn second_part(count: usize, search: Search) -> Result<Vec<Item>, String> {
    let mut lines = Lines(Block::default());
    let last = lines.0.enter(LAST);
    let before = lines.0.fresh();
    let sum = if count == 8 {
        let t = sub_word(&mut lines, last);
        let left_out = everywhere(&mut lines, 0x63);
        word(&mut lines, "ldr", before, 4);
        let sum = lines.op("eor", before, left_out, 0);
        lines.op("eor", sum, t, 0)
    } else {
        word(&mut lines, "ldr", before, 4);
        lines.op("eor", before, last, 0)
    };
    chained(&mut lines, count, (4, count), sum);
    arranged(&lines, SLOTS, search)
}

/// All words after the cipher key, which the pointer points to; afterwards it points to the end of the
/// schedule. The code uses [`FRAME`] bytes of the stack.
pub fn words(code: &mut Code, size: KeySize, symbol: &str, search: Search) -> Result<(), String> {
    let count = size.bytes() / 4;
    let parts = (4 * (size.rounds() + 1) - count).div_ceil(count);
    let (again, end) = (format!(".L{symbol}_words"), format!(".L{symbol}_made"));
    code.number(LR, 1);
    code.memory("str", LR, SP, AT_CONSTANT);
    code.label(&again);
    code.items.extend(first_part(count, search)?);
    code.memory("ldr", LR, SP, AT_CONSTANT);
    // Doubles the constant in GF(2^8): 0x100 becomes 0x1b; the tenth is the only one after it.
    code.put("mov_lsl", &[("rd", LR), ("rm", LR), ("sh", 1)]);
    code.put("tst_i", &[("rn", LR), ("con", 0x100)]);
    code.put("mov_i", &[("cond", 1), ("rd", LR), ("con", 0x1b)]);
    code.memory("str", LR, SP, AT_CONSTANT);
    // The constant after the last iteration.
    let after = CONSTANTS.get(parts).copied().unwrap_or(0x6c);
    code.put("cmp_i", &[("rn", LR), ("con", after as i32)]);
    if count > 4 {
        code.branch_if(0, &end);
        code.items.extend(second_part(count, search)?);
    }
    code.op_i("add", KEY, KEY, 4 * count as u32);
    if count > 4 {
        code.branch(&again);
        code.label(&end);
        code.op_i("add", KEY, KEY, 4 * (count as u32 + 4));
    } else {
        code.branch_if(1, &again);
        code.op_i("add", KEY, KEY, 16);
    }
    Ok(())
}
