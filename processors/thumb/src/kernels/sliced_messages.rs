//! Messages in constant time, with the rounds of [`super::sliced`]. Two blocks are processed at a time if they
//! are independent: in counter mode and CBC decryption. With an odd number of blocks, the last one fills both
//! halves of the slices, as does every block of CBC encryption.

use aesmith_cipher::problem::{KeySize, Task};
use aesmith_isa::assemble::{Item, Section};

use super::modes::{Code, carry};
use super::sliced::{self, KEY, SLOTS, allocated_line, begun, place};
use super::writer::{self, How, LR, Line, SAVED, SP, STACK, TEXT, section};

/// The register for testing the number of remaining blocks.
const LEFT: i32 = 1;
/// Stack offsets from the stack pointer up: the frame of the rounds; the number of remaining blocks; the first
/// counter, then the key stream to be added to the text; the arguments; the registers of [`function`]; the
/// fifth argument.
const AT_LEFT: i32 = sliced::FRAME;
const AT_STREAM: i32 = AT_LEFT + 4;
const FRAME: i32 = AT_STREAM + 36;
const KEYS: i32 = FRAME;
const VECTOR: i32 = FRAME + 4;
const INPUT: i32 = FRAME + 8;
const OUTPUT: i32 = FRAME + 12;
const BLOCKS: i32 = FRAME + 16 + 4 * (SAVED.len() as i32 + 1);

/// Adds the next `count` words to the text, from and to the pointers on the stack, which advance.
fn added(count: i32) -> Result<Vec<Item>, String> {
    let mut line = Line::new();
    let (from, to) = (line.load_in(SP, INPUT, STACK), line.load_in(SP, OUTPUT, STACK));
    for half in 0..count / 4 {
        let places: [i32; 4] = std::array::from_fn(|w| 16 * half + 4 * w as i32);
        let text = places.map(|at| line.load_in(from, at, TEXT));
        let stream = places.map(|at| line.load_in(SP, AT_STREAM + at, STACK));
        for ((at, t), s) in places.into_iter().zip(text).zip(stream) {
            let sum = line.op("eor", t, s);
            line.store(sum, to, at, TEXT);
        }
    }
    for (pointer, at) in [(from, INPUT), (to, OUTPUT)] {
        let moved = line.op_number("add", pointer, 4 * count as u32);
        line.store(moved, SP, at, STACK);
    }
    allocated_line(&line, 0)
}

/// Four words at an offset from a pointer.
fn four(line: &mut Line, from: i32, at: i32) -> [i32; 4] {
    std::array::from_fn(|w| line.load_in(from, at + 4 * w as i32, TEXT))
}

/// Stores four words at an offset from a pointer.
fn put_four(line: &mut Line, words: [i32; 4], to: i32, at: i32) {
    for (w, v) in words.into_iter().enumerate() {
        line.store(v, to, at + 4 * w as i32, TEXT);
    }
}

/// Advances a pointer on the stack by `blocks` blocks.
fn moved(line: &mut Line, pointer: i32, at: i32, blocks: i32) {
    let moved = line.op_number("add", pointer, 16 * blocks as u32);
    line.store(moved, SP, at, STACK);
}

/// Computes a counter and its successor, the inputs of the slices; the first is kept on the stack.
fn counters(code: &mut Code, symbol: &str) -> Result<(), String> {
    let mut line = Line::new();
    let vector = line.load_in(SP, VECTOR, STACK);
    let counter = four(&mut line, vector, 0);
    for (w, v) in counter.into_iter().enumerate() {
        line.store(v, SP, AT_STREAM + 4 * w as i32, STACK);
    }
    code.items.extend(allocated_line(&line, 0)?);
    carry(code, &line, VECTOR, &format!("{symbol}_first"), 15);
    let mut head = Line::new();
    let key = head.load_in(SP, KEYS, STACK);
    let vector = head.load_in(SP, VECTOR, STACK);
    // The pointer moves during the rounds, so it is not in the register of the preceding argument.
    let words = std::array::from_fn(|j| match place(j) {
        at if at < 16 => head.load_in(SP, AT_STREAM + at, STACK),
        at => head.load_in(vector, at - 16, TEXT),
    });
    begun(&mut head, key, words);
    code.items.extend(allocated_line(&head, SLOTS)?);
    Ok(())
}

/// Loads two blocks of text, the inputs of the slices; a single last block takes both places.
fn blocks(code: &mut Code, symbol: &str) -> Result<(), String> {
    const FIRST: u8 = 2;
    const SECOND: u8 = 3;
    let same = format!(".L{symbol}_same");
    let mut head = Line::new();
    let (first, second) = (i32::from(FIRST), i32::from(SECOND));
    code.put(&head, "ldr_sp", &[("rt", LEFT), ("imm", AT_LEFT)]);
    code.put(&head, "ldr_sp", &[("rt", first), ("imm", INPUT)]);
    code.put(&head, "mov_any", &[("rd", second), ("rm", first)]);
    code.put(&head, "cmp_imm", &[("rn", LEFT), ("imm", 1)]);
    code.branch(&head, "beq", &same);
    code.put(&head, "adds_imm8", &[("rd", second), ("imm", 16)]);
    code.label(&same);
    let bases = [FIRST, SECOND].map(|r| head.block.enter(r));
    let key = head.load_in(SP, KEYS, STACK);
    let words = std::array::from_fn(|j| head.load_in(bases[j % 2], place(j) % 16, TEXT));
    begun(&mut head, key, words);
    code.items.extend(allocated_line(&head, SLOTS)?);
    Ok(())
}

/// Adds the preceding blocks to `count` blocks of cipher output; the last block of text becomes the chaining
/// value. The output may overlap the input: a block is read before it is overwritten.
fn unchained(count: i32) -> Result<Vec<Item>, String> {
    let mut line = Line::new();
    let [from, to, vector] = [INPUT, OUTPUT, VECTOR].map(|at| line.load_in(SP, at, STACK));
    let mut before = four(&mut line, vector, 0);
    for at in (0..count).map(|block| 16 * block) {
        let sums = std::array::from_fn(|w| {
            let stream = line.load_in(SP, AT_STREAM + at + 4 * w as i32, STACK);
            line.op("eor", stream, before[w])
        });
        before = four(&mut line, from, at);
        put_four(&mut line, sums, to, at);
    }
    put_four(&mut line, before, vector, 0);
    for (pointer, at) in [(from, INPUT), (to, OUTPUT)] {
        moved(&mut line, pointer, at, count);
    }
    allocated_line(&line, SLOTS)
}

/// Subtracts `blocks` from the number of remaining blocks, and continues if any are left.
fn next(code: &mut Code, blocks: i32, again: &str) {
    let any = Line::new();
    code.put(&any, "ldr_sp", &[("rt", LEFT), ("imm", AT_LEFT)]);
    code.put(&any, "subs_imm8", &[("rd", LEFT), ("imm", blocks)]);
    code.put(&any, "str_sp", &[("rt", LEFT), ("imm", AT_LEFT)]);
    code.branch(&any, "bne.w", again);
}

/// The loop over pairs of blocks.
fn in_pairs(
    code: &mut Code,
    (size, task): (KeySize, Task),
    symbol: &str,
    looped: bool,
) -> Result<(), String> {
    let [block, last, done] = ["block", "last", "done"].map(|l| format!(".L{symbol}_{l}"));
    let any = Line::new();
    let counts = task == Task::Ctr;
    code.label(&block);
    if counts {
        counters(code, symbol)?;
    } else {
        blocks(code, symbol)?;
    }
    let end = |count: i32| if counts { added(4 * count) } else { unchained(count) };
    let (middle, (mut tail, words)) = sliced::rounds(size, task.mode().direction, symbol, looped)?;
    code.items.extend(middle);
    for (j, v) in words.into_iter().enumerate() {
        tail.store(v, SP, AT_STREAM + place(j), STACK);
    }
    code.items.extend(allocated_line(&tail, SLOTS)?);
    code.put(&any, "ldr_sp", &[("rt", LEFT), ("imm", AT_LEFT)]);
    code.put(&any, "cmp_imm", &[("rn", LEFT), ("imm", 1)]);
    code.branch(&any, "beq.w", &last);
    code.items.extend(end(2)?);
    if counts {
        carry(code, &any, VECTOR, &format!("{symbol}_second"), 15);
    }
    next(code, 2, &block);
    code.branch(&any, "b.w", &done);
    code.label(&last);
    code.items.extend(end(1)?);
    code.label(&done);
    Ok(())
}

/// CBC encryption: each block depends on the preceding one, and takes both places.
fn one_by_one(
    code: &mut Code,
    (size, task): (KeySize, Task),
    symbol: &str,
    looped: bool,
) -> Result<(), String> {
    let again = format!(".L{symbol}_block");
    code.label(&again);
    let mut head = Line::new();
    let [key, from, vector] = [KEYS, INPUT, VECTOR].map(|at| head.load_in(SP, at, STACK));
    let (text, before) = (four(&mut head, from, 0), four(&mut head, vector, 0));
    moved(&mut head, from, INPUT, 1);
    let sums: [i32; 4] = std::array::from_fn(|w| head.op("eor", text[w], before[w]));
    begun(&mut head, key, std::array::from_fn(|j| sums[j / 2]));
    code.items.extend(allocated_line(&head, SLOTS)?);
    let (middle, (mut tail, words)) = sliced::rounds(size, task.mode().direction, symbol, looped)?;
    code.items.extend(middle);
    let [to, vector] = [OUTPUT, VECTOR].map(|at| tail.load_in(SP, at, STACK));
    let block = std::array::from_fn(|w| words[2 * w]);
    put_four(&mut tail, block, to, 0);
    put_four(&mut tail, block, vector, 0);
    moved(&mut tail, to, OUTPUT, 1);
    code.items.extend(allocated_line(&tail, SLOTS)?);
    next(code, 1, &again);
    Ok(())
}

/// `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out, uint32_t blocks)`
pub fn function(of: (KeySize, Task), symbol: &str, looped: bool, how: &How) -> Result<Vec<Section>, String> {
    let mut code = Code { how, items: Vec::new() };
    let any = Line::new();
    code.put(&any, "ldr_sp", &[("rt", LEFT), ("imm", BLOCKS)]);
    code.put(&any, "str_sp", &[("rt", LEFT), ("imm", AT_LEFT)]);
    match of.1 {
        Task::CbcEncrypt { .. } => one_by_one(&mut code, of, symbol, looped)?,
        _ => in_pairs(&mut code, of, symbol, looped)?,
    }
    debug_assert_eq!(KEY, 0);
    let used = [&SAVED[..], &[LR]].concat();
    let items = writer::function(any.isa, &[0, 1, 2, 3], &used, (FRAME + 16, FRAME), code.items);
    Ok(vec![section(any.isa, symbol, items, &[])])
}
