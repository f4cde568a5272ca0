//! Counter mode and chaining, a loop of blocks with all rounds in a row. Pointers, counts and what
//! blocks hand to the next lie on the stack; round keys and table keep a register each.

use aesmith_cipher::problem::{Direction, KeySize, Task};
use aesmith_isa::assemble::{Item, Section};

use super::block::{bytes, stored};
use super::rounds::{Keys, add, column, last, mixed, turn};
use super::tables;
use super::writer::{FREE, How, LR, Line, SAVED, SP, STACK, TEXT, Turned, branch, function, section};
use crate::dimensions::Memory;

/// The registers of round keys and table.
const KEY: u8 = 0;
const TABLE: u8 = 12;

/// Stack of all modes, from the stack pointer up: words of the mode, then saved arguments, the
/// registers of [`function`], and the fifth argument.
const WORDS: i32 = 40;
const VECTOR: i32 = WORDS;
const INPUT: i32 = WORDS + 4;
const OUTPUT: i32 = WORDS + 8;
const BLOCKS: i32 = WORDS + 12 + 4 * (SAVED.len() as i32 + 1);

/// A line with the registers that stay.
fn line() -> (Line, i32, i32) {
    let mut line = Line::new();
    let (key, table) = (line.block.enter(KEY), line.block.enter(TABLE));
    line.block.leave(key, Some(KEY));
    line.block.leave(table, Some(TABLE));
    (line, key, table)
}

/// Four words of text from a pointer on the stack, which moves on.
fn next_text(line: &mut Line, pointer: i32) -> [i32; 4] {
    let from = line.load_in(SP, pointer, STACK);
    let words: [i32; 3] = std::array::from_fn(|w| line.load_in(from, 4 * w as i32 + 4, TEXT));
    let first = line.block.fresh();
    let insn = line.isa.insn("ldr.post_up", &[("rt", first), ("rn", from), ("imm", 16)]);
    line.block.push_in(insn, TEXT);
    line.store(from, SP, pointer, STACK);
    [first, words[0], words[1], words[2]]
}

/// Stores four words to the pointer on the stack, which moves on.
fn store_text(line: &mut Line, block: [i32; 4]) {
    let to = line.load_in(SP, OUTPUT, STACK);
    // The first word last: its store moves the pointer.
    for (w, &v) in block.iter().enumerate().skip(1) {
        line.store(v, to, 4 * w as i32, TEXT);
    }
    let insn = line.isa.insn("str.post_up", &[("rt", block[0]), ("rn", to), ("imm", 16)]);
    line.block.push_in(insn, TEXT);
    line.store(to, SP, OUTPUT, STACK);
}

fn xored(line: &mut Line, a: [i32; 4], b: [i32; 4]) -> [i32; 4] {
    std::array::from_fn(|w| line.op("eor", a[w], b[w]))
}

/// Code of a function being put together.
pub struct Code<'a> {
    /// How lines are arranged.
    pub how: &'a How,
    /// What was written.
    pub items: Vec<Item>,
}

impl Code<'_> {
    fn line(&mut self, line: &Line) -> Result<(), String> {
        self.items.extend(line.arranged(self.how, &FREE)?.0);
        Ok(())
    }

    /// An instruction as it is.
    pub fn put(&mut self, line: &Line, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(line.isa.insn(name, fields)));
    }

    /// A name for this place.
    pub fn label(&mut self, label: &str) {
        self.items.push(Item::Label(label.to_owned()));
    }

    /// A branch.
    pub fn branch(&mut self, line: &Line, name: &str, label: &str) {
        self.items.push(branch(line.isa, name, label));
    }
}

/// The registers in which a block leaves the number of blocks left and the counter's byte.
const LEFT: u8 = 1;
const BYTE: u8 = 2;
/// Where they are on the stack; the counter's last byte is in the highest bits.
const AT_LEFT: i32 = 0;
const AT_BYTE: i32 = 4;
/// The first column after one round without what the last byte contributes, the columns after two
/// rounds without what that column does.
const AT_FIRST: i32 = 8;
const AT_SECOND: i32 = 12;

/// Rounds from the one given to the last; key and table.
fn rest(
    line: &mut Line,
    size: KeySize,
    direction: Direction,
    from: i32,
    state: [i32; 4],
    (key, table): (i32, i32),
) -> [i32; 4] {
    let rounds = size.rounds() as i32;
    let state = (from..rounds)
        .fold(state, |state, round| mixed(line, direction, table, state, Keys::At(key, 16 * round)));
    let bytes = bytes(line, direction, table);
    last(line, direction, bytes, state, Keys::At(key, 16 * rounds))
}

/// What the byte of a row of a word contributes to its column.
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

/// Adds the round key to sums; the result is not turned.
fn keyed(line: &mut Line, sums: [Option<Turned>; 4], key: i32, round: i32) -> [i32; 4] {
    let keys = Keys::At(key, 16 * round).words(line, &[0, 1, 2, 3]);
    let mut sums = sums;
    for (sum, k) in sums.iter_mut().zip(keys) {
        add(line, sum, Turned::plain(k));
    }
    sums.map(|s| s.map_or(0, |s| s.v))
}

/// `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out, uint32_t blocks)` in
/// counter mode (SP 800-38A, 6.5). While only the counter's last byte changes, most of the first two
/// rounds is the same (Bernstein and Schwabe, Indocrypt 2008, section 5).
fn counter(size: KeySize, symbol: &str, pool: &str, cached: bool, how: &How) -> Result<Vec<Item>, String> {
    let mut code = Code { how, items: Vec::new() };
    let [fresh, block, wrapped, counted, done] =
        ["fresh", "block", "wrapped", "counted", "done"].map(|l| format!(".L{symbol}_{l}"));
    let mut head = Line::new();
    let key = head.block.enter(KEY);
    head.block.leave(key, Some(KEY));
    let vector = head.block.enter(1);
    let blocks = head.load_in(SP, BLOCKS, STACK);
    let table = head.literal(pool);
    head.block.leave(table, Some(TABLE));
    head.store(blocks, SP, AT_LEFT, STACK);
    let byte = head.block.fresh();
    let insn = head.isa.insn("ldrb.imm", &[("rt", byte), ("rn", vector), ("imm", 15)]);
    head.block.push_in(insn, TEXT);
    let byte = head.shifted("lsl", byte, 24);
    head.store(byte, SP, AT_BYTE, STACK);
    code.line(&head)?;
    let start = |line: &mut Line, key: i32| -> [i32; 4] {
        let vector = line.load_in(SP, VECTOR, STACK);
        super::block::first(line, vector, Keys::At(key, 0))
    };
    if cached {
        code.branch(&head, "bl", &fresh);
    }
    code.label(&block);
    let (mut body, key, table) = line();
    let state = if cached {
        let byte = body.block.enter(BYTE);
        let last = body.block.fresh();
        body.put("ldrb.imm", &[("rt", last), ("rn", key), ("imm", 15)]);
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
        rest(&mut body, size, Direction::Encrypt, 3, sums.map(|s| s.map_or(0, |s| s.v)), (key, table))
    } else {
        let state = start(&mut body, key);
        rest(&mut body, size, Direction::Encrypt, 1, state, (key, table))
    };
    let text = next_text(&mut body, INPUT);
    let out = xored(&mut body, state, text);
    store_text(&mut body, out);
    let left = body.load_in(SP, AT_LEFT, STACK);
    let byte = body.load_in(SP, AT_BYTE, STACK);
    body.block.leave(left, Some(LEFT));
    body.block.leave(byte, Some(BYTE));
    code.line(&body)?;
    let (left, byte) = (i32::from(LEFT), i32::from(BYTE));
    let isa = &body;
    if cached {
        code.put(isa, "adds.imm", &[("rd", byte), ("rn", byte), ("const", 1 << 24)]);
        code.put(isa, "str_sp", &[("rt", byte), ("imm", AT_BYTE)]);
        code.branch(isa, "bcs", &wrapped);
        code.label(&counted);
    } else {
        carry(&mut code, isa, VECTOR, symbol, 15);
    }
    code.put(isa, "subs_imm8", &[("rd", left), ("imm", 1)]);
    code.put(isa, "str_sp", &[("rt", left), ("imm", AT_LEFT)]);
    code.branch(isa, "bne.w", &block);
    if !cached {
        return Ok(code.items);
    }
    // The counter in memory gets its last byte.
    code.put(isa, "ldr_sp", &[("rt", 3), ("imm", VECTOR)]);
    code.put(isa, "lsrs_imm", &[("rd", byte), ("rm", byte), ("right", 24)]);
    code.put(isa, "strb_imm", &[("rt", byte), ("rn", 3), ("imm", 15)]);
    code.branch(isa, "b.w", &done);
    // What the blocks of the next 256 counters share is made before blocks are counted, so that
    // every block begins alike.
    code.label(&wrapped);
    code.put(isa, "ldr_sp", &[("rt", 3), ("imm", VECTOR)]);
    code.put(isa, "strb_imm", &[("rt", byte), ("rn", 3), ("imm", 15)]);
    carry(&mut code, isa, VECTOR, symbol, 14);
    code.branch(isa, "bl", &fresh);
    code.put(isa, "ldr_sp", &[("rt", left), ("imm", AT_LEFT)]);
    code.branch(isa, "b.w", &counted);
    code.label(&fresh);
    code.items.extend(shared(&start, how)?);
    code.label(&done);
    Ok(code.items)
}

/// A subroutine: makes what blocks share until the counter's last byte is zero again, and leaves the
/// byte that [`AT_BYTE`] has.
fn shared(start: &dyn Fn(&mut Line, i32) -> [i32; 4], how: &How) -> Result<Vec<Item>, String> {
    let (mut line, key, table) = line();
    let state = start(&mut line, key);
    let mut sums = [None; 4];
    for (word, &v) in state.iter().enumerate() {
        // All of the first round but the last byte of the last word.
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

/// One is added to the bytes of the counter in memory up to the one given; its address is on the stack.
pub fn carry(code: &mut Code, isa: &Line, vector: i32, name: &str, last: i32) {
    let [next, carried] = ["next", "carried"].map(|l| format!(".L{name}_{l}"));
    code.put(isa, "ldr_sp", &[("rt", 3), ("imm", vector)]);
    code.put(isa, "movs_imm", &[("rd", 4), ("imm", last)]);
    code.label(&next);
    code.put(isa, "ldrb_reg", &[("rt", 5), ("rn", 3), ("rm", 4)]);
    code.put(isa, "adds_imm8", &[("rd", 5), ("imm", 1)]);
    code.put(isa, "strb_reg", &[("rt", 5), ("rn", 3), ("rm", 4)]);
    code.put(isa, "lsrs_imm", &[("rd", 5), ("rm", 5), ("right", 8)]);
    code.branch(isa, "beq", &carried);
    code.put(isa, "subs_imm8", &[("rd", 4), ("imm", 1)]);
    code.branch(isa, "bpl", &next);
    code.label(&carried);
}

/// The block before, on the stack when chains are decrypted.
const AT_CHAIN: i32 = 4;

/// Chaining: `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out,
/// uint32_t blocks)` (SP 800-38A, 6.2).
fn chain(
    size: KeySize,
    symbol: &str,
    pool: &str,
    direction: Direction,
    how: &How,
) -> Result<Vec<Item>, String> {
    /// Where encryption has the block before.
    const CHAIN: [u8; 4] = [4, 5, 6, 7];
    let encrypts = direction == Direction::Encrypt;
    let mut code = Code { how, items: Vec::new() };
    let again = format!(".L{symbol}_block");
    let mut head = Line::new();
    let key = head.block.enter(KEY);
    head.block.leave(key, Some(KEY));
    let vector = head.block.enter(1);
    let blocks = head.load_in(SP, BLOCKS, STACK);
    let table = head.literal(pool);
    head.block.leave(table, Some(TABLE));
    head.store(blocks, SP, AT_LEFT, STACK);
    let words: [i32; 4] = std::array::from_fn(|w| head.load_in(vector, 4 * w as i32, TEXT));
    for (w, v) in words.into_iter().enumerate() {
        if encrypts {
            head.block.leave(v, Some(CHAIN[w]));
        } else {
            head.store(v, SP, AT_CHAIN + 4 * w as i32, STACK);
        }
    }
    code.line(&head)?;
    code.label(&again);
    let (mut body, key, table) = line();
    let left = if encrypts {
        let before = CHAIN.map(|r| body.block.enter(r));
        let text = next_text(&mut body, INPUT);
        let text = xored(&mut body, text, before);
        let keys = Keys::At(key, 0).words(&mut body, &[0, 1, 2, 3]);
        let state = xored(&mut body, text, [keys[0], keys[1], keys[2], keys[3]]);
        let out = rest(&mut body, size, direction, 1, state, (key, table));
        store_text(&mut body, out);
        for (v, r) in out.into_iter().zip(CHAIN) {
            body.block.leave(v, Some(r));
        }
        body.load_in(SP, AT_LEFT, STACK)
    } else {
        let input = body.load_in(SP, INPUT, STACK);
        let state = super::block::first(&mut body, input, Keys::At(key, 0));
        let out = rest(&mut body, size, direction, 1, state, (key, table));
        let before: [i32; 4] = std::array::from_fn(|w| body.load_in(SP, AT_CHAIN + 4 * w as i32, STACK));
        let out = xored(&mut body, out, before);
        // The output may lie over the input: what is needed of this is read first.
        let text = next_text(&mut body, INPUT);
        for (w, v) in text.into_iter().enumerate() {
            body.store(v, SP, AT_CHAIN + 4 * w as i32, STACK);
        }
        store_text(&mut body, out);
        body.load_in(SP, AT_LEFT, STACK)
    };
    body.block.leave(left, Some(LEFT));
    code.line(&body)?;
    let left = i32::from(LEFT);
    code.put(&body, "subs_imm8", &[("rd", left), ("imm", 1)]);
    code.put(&body, "str_sp", &[("rt", left), ("imm", AT_LEFT)]);
    code.branch(&body, "bne.w", &again);
    let mut tail = Line::new();
    let vector = tail.load_in(SP, VECTOR, STACK);
    let last: [i32; 4] = if encrypts {
        CHAIN.map(|r| tail.block.enter(r))
    } else {
        std::array::from_fn(|w| tail.load_in(SP, AT_CHAIN + 4 * w as i32, STACK))
    };
    stored(&mut tail, last, vector);
    code.line(&tail)?;
    Ok(code.items)
}

/// The function of a mode.
pub fn message(
    size: KeySize,
    task: Task,
    symbol: &str,
    cached: bool,
    how: &How,
) -> Result<Vec<Section>, String> {
    let (label, pool) = (format!("{symbol}_tables"), format!(".L{symbol}_tables"));
    let direction = task.mode().direction;
    let items = match task {
        Task::Ctr => counter(size, symbol, &pool, cached, how)?,
        _ => chain(size, symbol, &pool, direction, how)?,
    };
    let isa = Line::new().isa;
    let used = [&SAVED[..], &[LR]].concat();
    let items = function(isa, &[1, 2, 3], &used, (WORDS + 12, WORDS), items);
    Ok(vec![section(isa, symbol, items, &[(&pool, &label)]), tables::rounds(&label, direction, Memory::Ram)])
}
