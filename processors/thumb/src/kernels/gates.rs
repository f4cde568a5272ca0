//! Key schedules in constant time: SubWord by the S-box's circuit of gates, without look-ups. The four bytes of
//! a word pass through it together, bit b of each in bit 0 of its byte. Each loop iteration computes as many
//! words as the cipher key has, from the previous ones in memory.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_isa::assemble::{Item, Section};

use super::expand::{doubled, mixed_in_place, moved_by_mixing};
use super::sliced::{allocated_line, substituted};
use super::writer::{How, LR, Line, SAVED, SP, TEXT, branch, function, section};

/// Pointer to the previous words, as many as the cipher key has.
const KEY: u8 = 0;
/// The pointer to the cipher key, later the round constant; the last word of a part.
const FROM: u8 = 1;
const CONSTANT: u8 = 1;
const LAST: u8 = 2;
/// Stack words for spilled values, and above them the round constant.
const SLOTS: usize = 15;
const AT_CONSTANT: i32 = 4 * SLOTS as i32;
const FRAME: i32 = AT_CONSTANT + 4;

/// Bit 0 of every byte; and the constant of the S-box in every byte, which the circuit omits.
const BITS: u32 = 0x0101_0101;
const LEFT_OUT: u32 = 0x6363_6363;

/// SubWord of a word, without the constant of the S-box.
fn sub_word(line: &mut Line, word: i32) -> i32 {
    let mask = line.made("mov.imm", &[("const", BITS as i32)]);
    let bits = std::array::from_fn(|k| line.op_by("and", mask, word, "lsr", 7 - k as i32));
    let s = substituted(line, bits);
    (0..7).rev().fold(s[7], |sum, k| line.op_by("eor", sum, s[k], "lsl", 7 - k as i32))
}

/// Word `k` of the previous ones, or of the new ones after them.
fn before(line: &mut Line, key: i32, k: usize) -> i32 {
    line.load_in(key, 4 * k as i32, TEXT)
}

/// Words `from..to` of an iteration, each the sum of the word one cipher key before and the preceding word;
/// `sum` is the first of them.
fn chained(line: &mut Line, key: i32, count: usize, (from, to): (usize, usize), sum: i32) -> i32 {
    let mut last = sum;
    line.store(last, key, 4 * (count + from) as i32, TEXT);
    for k in from + 1..to {
        let word = before(line, key, k);
        last = line.op("eor", word, last);
        line.store(last, key, 4 * (count + k) as i32, TEXT);
    }
    last
}

/// The first four words of an iteration; doubles the round constant, in its register and on the stack.
fn first_part(count: usize) -> Result<Vec<Item>, String> {
    let mut line = Line::new();
    let key = line.block.enter(KEY);
    let last = before(&mut line, key, count - 1);
    let t = sub_word(&mut line, last);
    let constant = line.load(SP, AT_CONSTANT);
    let word = before(&mut line, key, 0);
    let sum = line.op("eor", word, constant);
    let sum = line.op_number("eor", sum, LEFT_OUT);
    let sum = line.op_by("eor", sum, t, "ror", 8);
    let last = chained(&mut line, key, count, (0, 4), sum);
    let constant = doubled(&mut line, constant);
    line.block.leave(key, Some(KEY));
    line.block.leave(constant, Some(CONSTANT));
    line.block.leave(last, Some(LAST));
    allocated_line(&line, SLOTS)
}

/// The words of an iteration after the first four.
fn second_part(count: usize) -> Result<Vec<Item>, String> {
    let mut line = Line::new();
    let (key, last) = (line.block.enter(KEY), line.block.enter(LAST));
    let word = before(&mut line, key, 4);
    let sum = if count == 8 {
        let t = sub_word(&mut line, last);
        let sum = line.op("eor", word, t);
        line.op_number("eor", sum, LEFT_OUT)
    } else {
        line.op("eor", word, last)
    };
    chained(&mut line, key, count, (4, count), sum);
    line.block.leave(key, Some(KEY));
    allocated_line(&line, SLOTS)
}

/// A function in the making.
struct Code {
    line: Line,
    items: Vec<Item>,
}

impl Code {
    fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(self.line.isa.insn(name, fields)));
    }

    fn label(&mut self, label: &str) {
        self.items.push(Item::Label(label.to_owned()));
    }

    fn branch(&mut self, name: &str, label: &str) {
        self.items.push(branch(self.line.isa, name, label));
    }
}

/// Reverses the order of round keys by exchanging from both ends. The address of the first one stays in its
/// register.
fn turned_round(code: &mut Code, rounds: i32, symbol: &str) -> Result<(), String> {
    const LOW: u8 = 1;
    const HIGH: u8 = 2;
    let (low, high) = (i32::from(LOW), i32::from(HIGH));
    let again = format!(".L{symbol}_turn");
    code.put("mov_any", &[("rd", low), ("rm", i32::from(KEY))]);
    code.put("addw", &[("rd", high), ("rn", i32::from(KEY)), ("imm", 16 * rounds)]);
    code.label(&again);
    let mut line = Line::new();
    let (first, second) = (line.block.enter(LOW), line.block.enter(HIGH));
    let key = line.block.enter(KEY);
    let lower: [i32; 4] = std::array::from_fn(|w| line.load_in(first, 4 * w as i32, TEXT));
    let upper: [i32; 4] = std::array::from_fn(|w| line.load_in(second, 4 * w as i32, TEXT));
    for w in 0..4 {
        line.store(upper[w], first, 4 * w as i32, TEXT);
        line.store(lower[w], second, 4 * w as i32, TEXT);
    }
    for (v, r) in [(first, LOW), (second, HIGH), (key, KEY)] {
        line.block.leave(v, Some(r));
    }
    code.items.extend(allocated_line(&line, 0)?);
    code.put("adds_imm8", &[("rd", low), ("imm", 16)]);
    code.put("subs_imm8", &[("rd", high), ("imm", 16)]);
    code.put("cmp_reg", &[("rn", low), ("rm", high)]);
    code.branch("bcc", &again);
    Ok(())
}

/// `void name(void *key, const uint8_t *cipher_key)`; with `sliced`, for [`super::sliced`].
pub fn schedule(
    size: KeySize,
    symbol: &str,
    direction: Direction,
    sliced: bool,
    how: &How,
) -> Result<Vec<Section>, String> {
    let (count, rounds) = (size.bytes() / 4, size.rounds());
    let all = 4 * (rounds + 1);
    let (turns, rest) = ((all - count) / count, (all - count) % count);
    let key = i32::from(KEY);
    let bytes = 16 * (rounds as i32 + 1);
    let mut code = Code { line: Line::new(), items: Vec::new() };
    // Keys that are sliced afterwards are stored in the upper half, where the slices never overtake the reads.
    let start = if sliced { bytes } else { 0 };
    let mut head = Line::new();
    let (to, from) = (head.block.enter(KEY), head.block.enter(FROM));
    let words: Vec<i32> = (0..count).map(|w| head.load_in(from, 4 * w as i32, TEXT)).collect();
    for (w, v) in words.into_iter().enumerate() {
        head.store(v, to, start + 4 * w as i32, TEXT);
    }
    head.block.leave(to, Some(KEY));
    code.items.extend(allocated_line(&head, 0)?);
    if sliced {
        code.put("addw", &[("rd", key), ("rn", key), ("imm", start)]);
    }
    let (again, end) = (format!(".L{symbol}_words"), format!(".L{symbol}_made"));
    let constant = i32::from(CONSTANT);
    let stored = |code: &mut Code| code.put("str_sp", &[("rt", constant), ("imm", AT_CONSTANT)]);
    code.put("movs_imm", &[("rd", constant), ("imm", 1)]);
    stored(&mut code);
    code.label(&again);
    code.items.extend(first_part(count)?);
    stored(&mut code);
    // The value of the round constant identifies the iteration.
    let parts = turns + usize::from(rest > 0);
    let after = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36, 0x6c][parts];
    code.put("cmp_imm", &[("rn", constant), ("imm", after)]);
    if count > 4 {
        code.branch("beq.w", &end);
        code.items.extend(second_part(count)?);
    }
    let step = 4 * count as i32;
    if count == 4 {
        // The result of the comparison is used after this instruction.
        code.put("addw", &[("rd", key), ("rn", key), ("imm", step)]);
        code.branch("bne.w", &again);
    } else {
        code.put("adds_imm8", &[("rd", key), ("imm", step)]);
        code.branch("b.w", &again);
        code.label(&end);
    }
    // Restores the address of the first round key.
    let moved = if count == 4 { turns } else { parts - 1 } as i32 * step;
    code.put("subw", &[("rd", key), ("rn", key), ("imm", moved)]);
    let mut used = [&SAVED[..], &[LR]].concat();
    if direction == Direction::Decrypt {
        turned_round(&mut code, rounds as i32, symbol)?;
        mixed_in_place(rounds as i32 - 1, symbol, how, &mut code.items, &mut used)?;
        if sliced {
            code.put("subw", &[("rd", key), ("rn", key), ("imm", moved_by_mixing(rounds as i32 - 1))]);
        }
    }
    if sliced {
        code.put("mov_any", &[("rd", 1), ("rm", key)]);
        code.put("subw", &[("rd", key), ("rn", key), ("imm", start)]);
        let (more, _) = super::sliced_keys::slices(rounds as i32, direction, symbol)?;
        code.items.extend(more);
    }
    let items = function(code.line.isa, &[], &used, (FRAME, FRAME), code.items);
    Ok(vec![section(code.line.isa, symbol, items, &[])])
}
