//! Common parts of message functions, and chaining: a loop over blocks with unrolled rounds. Pointers, counts
//! and values that blocks pass on lie on the stack; the pointers to round keys and table keep a register each.

use aesmith_cipher::problem::{Direction, KeySize, Task};
use aesmith_isa::assemble::{Item, Section};

use super::block::{bytes, stored};
use super::rounds::{Keys, last, mixed};
use super::writer::{FREE, How, LR, Line, SAVED, SP, STACK, TEXT, branch, function, section};
use super::{counter, tables};
use crate::dimensions::{Counter, Memory};

/// The register with the address of the round keys.
pub const KEY: u8 = 0;
/// The register with the address of the table.
pub const TABLE: u8 = 12;

/// The stack frame of all modes, from the stack pointer up: words of the mode, then saved arguments, the
/// registers of [`function`], and the fifth argument.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Size of the mode's words, in bytes.
    pub words: i32,
}

impl Frame {
    /// The stack offset of the address of counter or chaining value, in bytes.
    pub fn vector(self) -> i32 {
        self.words
    }

    /// The stack offset of the address of the next block's text.
    pub fn input(self) -> i32 {
        self.words + 4
    }

    /// The stack offset of the address of the next result.
    pub fn output(self) -> i32 {
        self.words + 8
    }

    /// The stack offset of the number of blocks.
    pub fn blocks(self) -> i32 {
        self.words + 12 + 4 * (SAVED.len() as i32 + 1)
    }
}

/// The frame of chaining, and of counters that read round keys from the caller's memory.
pub const FRAME: Frame = Frame { words: 40 };

/// A line with the registers that stay live.
pub fn line() -> (Line, i32, i32) {
    let mut line = Line::new();
    let (key, table) = (line.block.enter(KEY), line.block.enter(TABLE));
    line.block.leave(key, Some(KEY));
    line.block.leave(table, Some(TABLE));
    (line, key, table)
}

/// Four words of text from a pointer on the stack, which advances.
pub fn next_text(line: &mut Line, pointer: i32) -> [i32; 4] {
    let from = line.load_in(SP, pointer, STACK);
    let words: [i32; 3] = std::array::from_fn(|w| line.load_in(from, 4 * w as i32 + 4, TEXT));
    let first = line.block.fresh();
    let insn = line.isa.insn("ldr.post_up", &[("rt", first), ("rn", from), ("imm", 16)]);
    line.block.push_in(insn, TEXT);
    line.store(from, SP, pointer, STACK);
    [first, words[0], words[1], words[2]]
}

/// Stores four words to the pointer on the stack, which advances.
pub(crate) fn store_text(line: &mut Line, pointer: i32, block: [i32; 4]) {
    let to = line.load_in(SP, pointer, STACK);
    // The first word is stored last: its store advances the pointer.
    for (w, &v) in block.iter().enumerate().skip(1) {
        line.store(v, to, 4 * w as i32, TEXT);
    }
    let insn = line.isa.insn("str.post_up", &[("rt", block[0]), ("rn", to), ("imm", 16)]);
    line.block.push_in(insn, TEXT);
    line.store(to, SP, pointer, STACK);
}

/// The word-wise XOR of two blocks.
pub fn xored(line: &mut Line, a: [i32; 4], b: [i32; 4]) -> [i32; 4] {
    std::array::from_fn(|w| line.op("eor", a[w], b[w]))
}

/// A function in the making.
pub struct Code<'a> {
    /// The parameters of arranging lines.
    pub how: &'a How,
    /// The items written so far.
    pub items: Vec<Item>,
}

impl Code<'_> {
    /// Appends a line, arranged.
    pub fn line(&mut self, line: &Line) -> Result<(), String> {
        self.items.extend(line.arranged(self.how, &FREE)?.0);
        Ok(())
    }

    /// Appends an instruction unchanged.
    pub fn put(&mut self, line: &Line, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(line.isa.insn(name, fields)));
    }

    /// Binds a label here.
    pub fn label(&mut self, label: &str) {
        self.items.push(Item::Label(label.to_owned()));
    }

    /// A branch.
    pub fn branch(&mut self, line: &Line, name: &str, label: &str) {
        self.items.push(branch(line.isa, name, label));
    }
}

/// The register in which a block leaves the number of remaining blocks, and its stack offset.
const LEFT: u8 = 1;
const AT_LEFT: i32 = 0;

/// Rounds from the given one to the last; `keys` provides the keys of each.
pub fn rest(
    line: &mut Line,
    size: KeySize,
    direction: Direction,
    from: i32,
    state: [i32; 4],
    (keys, table): (&dyn Fn(i32) -> Keys, i32),
) -> [i32; 4] {
    let rounds = size.rounds() as i32;
    let state = (from..rounds).fold(state, |state, round| mixed(line, direction, table, state, keys(round)));
    let bytes = bytes(line, direction, table);
    last(line, direction, bytes, state, keys(rounds))
}

/// Round keys in the caller's memory.
pub fn theirs(key: i32) -> impl Fn(i32) -> Keys {
    move |round| Keys::At(key, 16 * round)
}

/// Adds one to the counter in memory, in its bytes up to `last`; its address is on the stack.
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

/// The stack offset of the preceding block in decryption.
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
    /// The registers of the preceding block in encryption.
    const CHAIN: [u8; 4] = [4, 5, 6, 7];
    let encrypts = direction == Direction::Encrypt;
    let mut code = Code { how, items: Vec::new() };
    let again = format!(".L{symbol}_block");
    let mut head = Line::new();
    let key = head.block.enter(KEY);
    head.block.leave(key, Some(KEY));
    let vector = head.block.enter(1);
    let blocks = head.load_in(SP, FRAME.blocks(), STACK);
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
        let text = next_text(&mut body, FRAME.input());
        let text = xored(&mut body, text, before);
        let keys = Keys::At(key, 0).words(&mut body, &[0, 1, 2, 3]);
        let state = xored(&mut body, text, [keys[0], keys[1], keys[2], keys[3]]);
        let out = rest(&mut body, size, direction, 1, state, (&theirs(key), table));
        store_text(&mut body, FRAME.output(), out);
        for (v, r) in out.into_iter().zip(CHAIN) {
            body.block.leave(v, Some(r));
        }
        body.load_in(SP, AT_LEFT, STACK)
    } else {
        let input = body.load_in(SP, FRAME.input(), STACK);
        let state = super::block::first(&mut body, input, Keys::At(key, 0));
        let out = rest(&mut body, size, direction, 1, state, (&theirs(key), table));
        let before: [i32; 4] = std::array::from_fn(|w| body.load_in(SP, AT_CHAIN + 4 * w as i32, STACK));
        let out = xored(&mut body, out, before);
        // The output may overlap the input: text that is still needed is read first.
        let text = next_text(&mut body, FRAME.input());
        for (w, v) in text.into_iter().enumerate() {
            body.store(v, SP, AT_CHAIN + 4 * w as i32, STACK);
        }
        store_text(&mut body, FRAME.output(), out);
        body.load_in(SP, AT_LEFT, STACK)
    };
    body.block.leave(left, Some(LEFT));
    code.line(&body)?;
    let left = i32::from(LEFT);
    code.put(&body, "subs_imm8", &[("rd", left), ("imm", 1)]);
    code.put(&body, "str_sp", &[("rt", left), ("imm", AT_LEFT)]);
    code.branch(&body, "bne.w", &again);
    let mut tail = Line::new();
    let vector = tail.load_in(SP, FRAME.vector(), STACK);
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
    kept: Counter,
    how: &How,
) -> Result<Vec<Section>, String> {
    let (label, pool) = (format!("{symbol}_tables"), format!(".L{symbol}_tables"));
    let direction = task.mode().direction;
    let (items, frame) = match task {
        Task::Ctr => counter::body(size, symbol, &pool, kept, how)?,
        _ => (chain(size, symbol, &pool, direction, how)?, FRAME),
    };
    let isa = Line::new().isa;
    let used = [&SAVED[..], &[LR]].concat();
    let items = function(isa, &[1, 2, 3], &used, (frame.words + 12, frame.words), items);
    Ok(vec![section(isa, symbol, items, &[(&pool, &label)]), tables::rounds(&label, direction, Memory::Ram)])
}
