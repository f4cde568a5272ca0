//! Counter mode (SP 800-38A, 6.5): `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out,
//! uint32_t blocks)`.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_isa::assemble::Item;

use super::block::first;
use super::modes::{Code, FRAME, Frame, KEY, TABLE, carry, line, next_text, rest, store_text, theirs, xored};
use super::rounds::{Keys, add, column, turn};
use super::writer::{COPIES, FREE, How, LR, Line, SP, STACK, TEXT, Turned};
use crate::dimensions::Counter;

/// The code of a function, and its frame.
type Body = (Vec<Item>, Frame);

/// The function's body.
pub fn body(size: KeySize, symbol: &str, pool: &str, kept: Counter, how: &How) -> Result<Body, String> {
    let code = Code { how, items: Vec::new() };
    match kept {
        Counter::Each => each(size, symbol, pool, code),
        Counter::Cached => shared(size, symbol, pool, (Copies::None, FRAME), code),
        Counter::Copied => {
            let frame = Frame { words: FRAME.words + 16 * (size.rounds() as i32 + 1 - FIRST_COPIED) };
            shared(size, symbol, pool, (Copies::OnStack, frame), code)
        }
    }
}

/// The registers in which a block leaves the number of remaining blocks and the counter byte.
const LEFT: u8 = 1;
const BYTE: u8 = 2;
/// Their stack offsets in bytes; the last counter byte is in the highest bits.
const AT_LEFT: i32 = 0;
const AT_BYTE: i32 = 4;

/// Counts a block, and branches to the next one.
fn counted_down(code: &mut Code, line: &Line, block: &str) {
    let left = i32::from(LEFT);
    code.put(line, "subs_imm8", &[("rd", left), ("imm", 1)]);
    code.put(line, "str_sp", &[("rt", left), ("imm", AT_LEFT)]);
    code.branch(line, "bne.w", block);
}

/// The body without shared rounds.
fn each(size: KeySize, symbol: &str, pool: &str, mut code: Code) -> Result<Body, String> {
    let block = format!(".L{symbol}_block");
    let mut head = Line::new();
    let key = head.block.enter(KEY);
    head.block.leave(key, Some(KEY));
    let blocks = head.load_in(SP, FRAME.blocks(), STACK);
    let table = head.literal(pool);
    head.block.leave(table, Some(TABLE));
    head.store(blocks, SP, AT_LEFT, STACK);
    code.line(&head)?;
    code.label(&block);
    let (mut body, key, table) = line();
    let vector = body.load_in(SP, FRAME.vector(), STACK);
    let state = first(&mut body, vector, Keys::At(key, 0));
    let state = rest(&mut body, size, Direction::Encrypt, 1, state, (&theirs(key), table));
    let text = next_text(&mut body, FRAME.input());
    let out = xored(&mut body, state, text);
    store_text(&mut body, FRAME.output(), out);
    let left = body.load_in(SP, AT_LEFT, STACK);
    body.block.leave(left, Some(LEFT));
    code.line(&body)?;
    carry(&mut code, &body, FRAME.vector(), symbol, 15);
    counted_down(&mut code, &body, &block);
    Ok((code.items, FRAME))
}

/// The first column after one round without the contribution of the last byte, and the columns after two rounds
/// without the contribution of that column.
const AT_FIRST: i32 = 8;
const AT_SECOND: i32 = 12;
/// If round keys are copied: the last byte of the first, and the address of the round keys.
const AT_LAST: i32 = 28;
const AT_KEY: i32 = 32;
/// The first round whose key is copied; the earlier rounds are computed once per 256 blocks.
const FIRST_COPIED: i32 = 3;

/// The location of the round keys that blocks do not share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copies {
    /// In the caller's memory.
    None,
    /// On the stack, addressed by the stack pointer: one more register for look-ups.
    OnStack,
}

impl Copies {
    /// A line with the values that stay in registers.
    fn line(self) -> (Line, Option<i32>, i32) {
        if self == Copies::None {
            let (line, key, table) = line();
            return (line, Some(key), table);
        }
        let mut line = Line::new();
        let table = line.block.enter(TABLE);
        line.block.leave(table, Some(TABLE));
        (line, None, table)
    }

    /// A line that needs the address of round keys occasionally, and that address.
    fn line_with_key(self) -> (Line, i32, i32) {
        let (mut line, key, table) = self.line();
        let key = key.unwrap_or_else(|| line.load_in(SP, AT_KEY, STACK));
        (line, key, table)
    }
}

/// Adds the contribution of the bytes in these rows of a word to their columns.
fn contribute(
    line: &mut Line,
    table: i32,
    word: (i32, usize),
    rows: &[usize],
    sums: &mut [Option<Turned>; 4],
) {
    let indices: Vec<i32> = rows.iter().map(|&row| line.byte(word.0, row as i32)).collect();
    let found: Vec<i32> = indices.into_iter().map(|i| line.entry("ldr", table, i, 4)).collect();
    for (&row, v) in rows.iter().zip(found) {
        let value = Turned { v, by: turn(Direction::Encrypt, row) };
        add(line, &mut sums[column(Direction::Encrypt, word.1, row)], value);
    }
}

/// Adds the round key to sums; the results are not rotated.
fn keyed(line: &mut Line, sums: [Option<Turned>; 4], key: i32, round: i32) -> [i32; 4] {
    let keys = Keys::At(key, 16 * round).words(line, &[0, 1, 2, 3]);
    let mut sums = sums;
    for (sum, k) in sums.iter_mut().zip(keys) {
        add(line, sum, Turned::plain(k));
    }
    sums.map(|s| s.map_or(0, |s| s.v))
}

/// The code that runs once per message.
fn begun(size: KeySize, pool: &str, (copies, frame): (Copies, Frame)) -> Line {
    let mut head = Line::new();
    let key = head.block.enter(KEY);
    let vector = head.block.enter(1);
    let blocks = head.load_in(SP, frame.blocks(), STACK);
    let table = head.literal(pool);
    head.block.leave(table, Some(TABLE));
    head.store(blocks, SP, AT_LEFT, STACK);
    let mut last_byte = |from: i32| {
        let byte = head.block.fresh();
        let insn = head.isa.insn("ldrb.imm", &[("rt", byte), ("rn", from), ("imm", 15)]);
        head.block.push_in(insn, TEXT);
        byte
    };
    let byte = last_byte(vector);
    let of_key = (copies == Copies::OnStack).then(|| last_byte(key));
    let byte = head.shifted("lsl", byte, 24);
    head.store(byte, SP, AT_BYTE, STACK);
    if let Some(of_key) = of_key {
        head.store(of_key, SP, AT_LAST, STACK);
        head.store(key, SP, AT_KEY, STACK);
        for round in FIRST_COPIED..=size.rounds() as i32 {
            let words = Keys::At(key, 16 * round).words(&mut head, &[0, 1, 2, 3]);
            for (w, v) in words.into_iter().enumerate() {
                head.store(v, SP, copy(round) + 4 * w as i32, COPIES);
            }
        }
    } else {
        head.block.leave(key, Some(KEY));
    }
    head
}

/// The stack offset of a round key, in bytes.
fn copy(round: i32) -> i32 {
    FRAME.words + 16 * (round - FIRST_COPIED)
}

/// One block after another; the location of the round keys is `copies`.
fn next_block(size: KeySize, (copies, frame): (Copies, Frame)) -> Line {
    let (mut body, key, table) = copies.line();
    let byte = body.block.enter(BYTE);
    let last = match key {
        None => body.load_in(SP, AT_LAST, STACK),
        Some(key) => {
            let last = body.block.fresh();
            body.put("ldrb.imm", &[("rt", last), ("rn", key), ("imm", 15)]);
            last
        }
    };
    let index = body.op_by("eor", last, byte, "lsr", 24);
    let entry = body.entry("ldr", table, index, 4);
    let first = body.load_in(SP, AT_FIRST, STACK);
    let value = Turned { v: entry, by: turn(Direction::Encrypt, 3) };
    let first = body.xor(value, Turned::plain(first)).v;
    let mut sums = [None; 4];
    contribute(&mut body, table, (first, 0), &[0, 1, 2, 3], &mut sums);
    for (w, sum) in sums.iter_mut().enumerate() {
        let others = body.load_in(SP, AT_SECOND + 4 * w as i32, STACK);
        add(&mut body, sum, Turned::plain(others));
    }
    let keys = |round| key.map_or(Keys::Stack(copy(round)), |key| Keys::At(key, 16 * round));
    let state = sums.map(|s| s.map_or(0, |s| s.v));
    let state = rest(&mut body, size, Direction::Encrypt, FIRST_COPIED, state, (&keys, table));
    let text = next_text(&mut body, frame.input());
    let out = xored(&mut body, state, text);
    store_text(&mut body, frame.output(), out);
    let left = body.load_in(SP, AT_LEFT, STACK);
    let byte = body.load_in(SP, AT_BYTE, STACK);
    body.block.leave(left, Some(LEFT));
    body.block.leave(byte, Some(BYTE));
    body
}

/// While only the last byte of the counter changes, most of the first two rounds is constant (Bernstein and
/// Schwabe, Indocrypt 2008, section 5).
fn shared(
    size: KeySize,
    symbol: &str,
    pool: &str,
    (copies, frame): (Copies, Frame),
    mut code: Code,
) -> Result<Body, String> {
    let [fresh, block, wrapped, counted, done] =
        ["fresh", "block", "wrapped", "counted", "done"].map(|l| format!(".L{symbol}_{l}"));
    let head = begun(size, pool, (copies, frame));
    code.line(&head)?;
    code.branch(&head, "bl", &fresh);
    code.label(&block);
    let body = next_block(size, (copies, frame));
    code.line(&body)?;
    let byte = i32::from(BYTE);
    let isa = &body;
    code.put(isa, "adds.imm", &[("rd", byte), ("rn", byte), ("const", 1 << 24)]);
    code.put(isa, "str_sp", &[("rt", byte), ("imm", AT_BYTE)]);
    code.branch(isa, "bcs", &wrapped);
    code.label(&counted);
    counted_down(&mut code, isa, &block);
    // Stores the last byte of the counter to memory.
    code.put(isa, "ldr_sp", &[("rt", 3), ("imm", frame.vector())]);
    code.put(isa, "lsrs_imm", &[("rd", byte), ("rm", byte), ("right", 24)]);
    code.put(isa, "strb_imm", &[("rt", byte), ("rn", 3), ("imm", 15)]);
    code.branch(isa, "b.w", &done);
    // The values shared by the next 256 counters are computed before blocks are counted, so that every block
    // starts in the same state.
    code.label(&wrapped);
    code.put(isa, "ldr_sp", &[("rt", 3), ("imm", frame.vector())]);
    code.put(isa, "strb_imm", &[("rt", byte), ("rn", 3), ("imm", 15)]);
    carry(&mut code, isa, frame.vector(), symbol, 14);
    code.branch(isa, "bl", &fresh);
    code.put(isa, "ldr_sp", &[("rt", i32::from(LEFT)), ("imm", AT_LEFT)]);
    code.branch(isa, "b.w", &counted);
    code.label(&fresh);
    code.items.extend(made((copies, frame), code.how)?);
    code.label(&done);
    Ok((code.items, frame))
}

/// A subroutine that computes the values which blocks share until the last byte of the counter is zero again,
/// and returns the byte for [`AT_BYTE`].
fn made((copies, frame): (Copies, Frame), how: &How) -> Result<Vec<Item>, String> {
    let (mut line, key, table) = copies.line_with_key();
    let vector = line.load_in(SP, frame.vector(), STACK);
    let state = first(&mut line, vector, Keys::At(key, 0));
    let mut sums = [None; 4];
    for (word, &v) in state.iter().enumerate() {
        // All bytes of the first round except the last byte of the last word.
        let rows: &[usize] = if word == 3 { &[0, 1, 2] } else { &[0, 1, 2, 3] };
        contribute(&mut line, table, (v, word), rows, &mut sums);
    }
    let columns = keyed(&mut line, sums, key, 1);
    line.store(columns[0], SP, AT_FIRST, STACK);
    let mut sums = [None; 4];
    for (word, &v) in columns.iter().enumerate().skip(1) {
        contribute(&mut line, table, (v, word), &[0, 1, 2, 3], &mut sums);
    }
    let columns = keyed(&mut line, sums, key, 2);
    for (w, v) in columns.into_iter().enumerate() {
        line.store(v, SP, AT_SECOND + 4 * w as i32, STACK);
    }
    let byte = line.load_in(SP, AT_BYTE, STACK);
    line.block.leave(byte, Some(BYTE));
    let free: Vec<u8> = FREE.into_iter().filter(|&r| i32::from(r) != LR).collect();
    let (mut items, _) = line.arranged(how, &free)?;
    items.push(Item::Insn(line.isa.insn("bx", &[("rm", LR)])));
    Ok(items)
}
