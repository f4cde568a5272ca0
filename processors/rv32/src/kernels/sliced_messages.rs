//! Messages in constant time, with the rounds of [`super::sliced`]. Two blocks are processed at a time if they
//! are independent: in counter mode and CBC decryption. With an odd number of blocks, the last one fills both
//! halves of the slices, as does every block of CBC encryption.

use aesmith_cipher::problem::{KeySize, Task};

use super::function::{Function, Target};
use super::rounds::Shape;
use super::sliced::{END, KEY, Pair, place, with_masks};
use super::writer::register::{A0, SP};
use super::writer::{Writer, region};

/// The stack, from the stack pointer up: the words to be added to the text, in counter mode at first the first
/// counter; then the arguments, whose pointers and number of blocks advance.
mod frame {
    /// The words of the stream, by their offset in the text.
    pub const STREAM: i32 = 0;
    /// The arguments: key, counter, input, output, blocks.
    pub const ARGUMENTS: i32 = 32;
    /// The number of remaining blocks.
    pub const COUNT: i32 = ARGUMENTS + 16;
    /// Size of the frame in bytes.
    pub const SIZE: i32 = 52;
}

/// Indices of the arguments.
const AT_KEY: usize = 0;
const AT_IV: usize = 1;
const AT_IN: usize = 2;
const AT_OUT: usize = 3;

/// Registers outside the rounds: the arguments in order, and temporary ones.
const ARGUMENTS: [u8; 5] = [A0, A0 + 1, A0 + 2, A0 + 3, A0 + 4];
const IV: u8 = A0 + 1;
const FIRST: u8 = A0 + 2;
const COUNT: u8 = A0 + 4;
const BYTE: u8 = 5;
const AT: u8 = 6;

/// Loads an argument from the stack.
fn argument(w: &mut Writer, k: usize) -> i32 {
    w.load("lw", i32::from(SP), frame::ARGUMENTS + 4 * k as i32, Some(region::STACK + 8 + k as u16))
}

/// Advances the pointers of the text by `words` words.
fn moved(w: &mut Writer, pointers: [i32; 2], words: i32) {
    for (k, pointer) in [AT_IN, AT_OUT].into_iter().zip(pointers) {
        let moved = w.with("addi", pointer, 4 * words);
        w.store(moved, i32::from(SP), frame::ARGUMENTS + 4 * k as i32, region::STACK + 8 + k as u16);
    }
}

/// The stack offset of a word of the stream, and its region.
fn stream(offset: i32) -> (i32, u16) {
    (frame::STREAM + offset, region::STACK + (offset / 4) as u16)
}

/// Stores the words of both blocks' streams.
fn streamed(w: &mut Writer, words: [i32; 8]) {
    for (j, word) in words.into_iter().enumerate() {
        let (at, region) = stream(place(j).0);
        w.store(word, i32::from(SP), at, region);
    }
}

/// The words of text from a pointer on.
fn text(w: &mut Writer, from: i32, count: i32) -> Vec<i32> {
    (0..count).map(|k| w.load("lw", from, 4 * k, Some(region::TEXT + k as u16))).collect()
}

/// The words of the counter or the chaining value.
fn chain(w: &mut Writer, iv: i32) -> [i32; 4] {
    std::array::from_fn(|k| w.load("lw", iv, 4 * k as i32, Some(region::IV + k as u16)))
}

/// Stores words as the chaining value.
fn chained(w: &mut Writer, iv: i32, words: &[i32]) {
    for (k, &word) in words.iter().enumerate() {
        w.store(word, iv, 4 * k as i32, region::IV + k as u16);
    }
}

/// `key, iv, in, out, blocks`, by the task.
pub fn message(
    target: Target,
    symbol: &str,
    (size, task): (KeySize, Task),
    shape: Shape,
) -> Result<Function, String> {
    let direction = task.mode().direction;
    with_masks(|masks| {
        let pair = Pair { size, direction, shape, masks };
        let mut f = Function::new(target, symbol, &pair.lasting(), 12);
        f.scratch = frame::SIZE;
        f.block_before(&ARGUMENTS, |w| {
            pair.set_up(w);
            for (k, &r) in ARGUMENTS.iter().enumerate() {
                w.store(
                    i32::from(r),
                    i32::from(SP),
                    frame::ARGUMENTS + 4 * k as i32,
                    region::STACK + 8 + k as u16,
                );
            }
        })?;
        match task {
            Task::Ctr => in_pairs(&mut f, &pair, counters, counted)?,
            Task::CbcDecrypt => in_pairs(&mut f, &pair, blocks, unchained)?,
            _ => one_by_one(&mut f, &pair)?,
        }
        Ok(f)
    })
}

/// Registers that stay live when the round keys start again.
fn kept(pair: &Pair) -> Vec<u8> {
    pair.lasting().into_iter().filter(|r| ![KEY, END].contains(r)).collect()
}

/// Two blocks at a time: `begin` provides the input of the cipher; `end` computes the text of one or two blocks
/// from its output, and gets a name for labels.
fn in_pairs(
    f: &mut Function,
    pair: &Pair,
    begin: fn(&mut Function, &Pair) -> Result<(), String>,
    end: fn(&mut Function, i32, &str) -> Result<(), String>,
) -> Result<(), String> {
    f.label("pair");
    begin(f, pair)?;
    pair.rounds(f, streamed)?;
    f.with("addi", BYTE, 0, 1);
    f.with("lw", COUNT, SP, frame::COUNT);
    f.branch("beq", COUNT, BYTE, "last");
    end(f, 2, "second")?;
    next(f, pair, 2, "pair")?;
    f.label("last");
    end(f, 1, "")?;
    f.label("done");
    Ok(())
}

/// Counts `blocks` blocks, and continues with the others or ends.
fn next(f: &mut Function, pair: &Pair, blocks: i32, again: &str) -> Result<(), String> {
    f.with("lw", COUNT, SP, frame::COUNT);
    f.with("addi", COUNT, COUNT, -blocks);
    f.block_before(&[pair.lasting(), vec![COUNT]].concat(), |w| {
        w.store(i32::from(COUNT), i32::from(SP), frame::COUNT, region::STACK + 12);
    })?;
    f.branch("beq", COUNT, 0, "done");
    f.jump(again);
    Ok(())
}

/// The counter and its successor.
fn counters(f: &mut Function, pair: &Pair) -> Result<(), String> {
    let sp = i32::from(SP);
    f.block(false, |w| {
        let iv = argument(w, AT_IV);
        w.block.leave(iv, Some(IV));
        for k in 0..4 {
            let word = w.load("lw", iv, 4 * k, Some(region::IV + k as u16));
            let (at, region) = stream(4 * k);
            w.store(word, sp, at, region);
        }
    })?;
    advanced(f, "first");
    f.block_before(&kept(pair), |w| {
        let (key, iv) = (argument(w, AT_KEY), argument(w, AT_IV));
        let counters = std::array::from_fn(|j| match place(j).0 {
            at if at < 16 => {
                let (at, region) = stream(at);
                w.load("lw", sp, at, Some(region))
            }
            at => w.load("lw", iv, at - 16, Some(region::IV + (at - 16) as u16 / 4)),
        });
        w.block.leave(key, Some(KEY));
        pair.begin(w, key, counters);
    })
}

/// Adds the stream to the text; advances the counter after two blocks.
fn counted(f: &mut Function, blocks: i32, which: &str) -> Result<(), String> {
    f.block(false, |w| {
        let (from, to) = (argument(w, AT_IN), argument(w, AT_OUT));
        for k in 0..4 * blocks {
            let region = region::TEXT + k as u16;
            let text = w.load("lw", from, 4 * k, Some(region));
            let (at, of_stack) = stream(4 * k);
            let word = w.load("lw", i32::from(SP), at, Some(of_stack));
            let sum = w.xor(text, word);
            w.store(sum, to, 4 * k, region);
        }
        moved(w, [from, to], 4 * blocks);
        let iv = argument(w, AT_IV);
        w.block.leave(iv, Some(IV));
    })?;
    if blocks == 2 {
        advanced(f, which);
    }
    Ok(())
}

/// Loads two blocks of text; a single last block takes both places.
fn blocks(f: &mut Function, pair: &Pair) -> Result<(), String> {
    f.with("lw", COUNT, SP, frame::COUNT);
    f.with("lw", FIRST, SP, frame::ARGUMENTS + 4 * AT_IN as i32);
    f.with("addi", AT, FIRST, 0);
    f.with("addi", BYTE, 0, 1);
    f.branch("beq", COUNT, BYTE, "same");
    f.with("addi", AT, AT, 16);
    f.label("same");
    f.block_before(&[kept(pair), vec![FIRST, AT]].concat(), |w| {
        let key = argument(w, AT_KEY);
        let text = std::array::from_fn(|j| {
            let base = [FIRST, AT][j % 2];
            w.load("lw", i32::from(base), 4 * (j as i32 / 2), Some(place(j).1))
        });
        w.block.leave(key, Some(KEY));
        pair.begin(w, key, text);
    })
}

/// Adds the preceding blocks to the cipher output; the last block of text becomes the chaining value.
fn unchained(f: &mut Function, blocks: i32, _: &str) -> Result<(), String> {
    f.block(false, |w| {
        let [from, to, iv] = [AT_IN, AT_OUT, AT_IV].map(|k| argument(w, k));
        // The output may overlap the input: text that is still needed is read first.
        let text = text(w, from, 4 * blocks);
        let before = [&chain(w, iv)[..], &text].concat();
        for k in 0..4 * blocks {
            let (at, of_stack) = stream(4 * k);
            let word = w.load("lw", i32::from(SP), at, Some(of_stack));
            let sum = w.xor(word, before[k as usize]);
            w.store(sum, to, 4 * k, region::TEXT + k as u16);
        }
        chained(w, iv, &before[4 * blocks as usize..]);
        moved(w, [from, to], 4 * blocks);
    })
}

/// CBC encryption: each block depends on the preceding one.
fn one_by_one(f: &mut Function, pair: &Pair) -> Result<(), String> {
    f.label("block");
    f.block_before(&kept(pair), |w| {
        let [key, iv, from] = [AT_KEY, AT_IV, AT_IN].map(|k| argument(w, k));
        let (text, before) = (text(w, from, 4), chain(w, iv));
        let sums: [i32; 4] = std::array::from_fn(|k| w.xor(text[k], before[k]));
        w.block.leave(key, Some(KEY));
        pair.begin(w, key, std::array::from_fn(|j| sums[j / 2]));
    })?;
    pair.rounds(f, |w, words| {
        let [iv, from, to] = [AT_IV, AT_IN, AT_OUT].map(|k| argument(w, k));
        let block: [i32; 4] = std::array::from_fn(|k| words[2 * k]);
        for (k, &word) in block.iter().enumerate() {
            w.store(word, to, 4 * k as i32, region::TEXT + k as u16);
        }
        chained(w, iv, &block);
        moved(w, [from, to], 4);
    })?;
    next(f, pair, 1, "block")?;
    f.label("done");
    Ok(())
}

/// Increments the counter in memory, byte by byte while bytes become zero.
fn advanced(f: &mut Function, name: &str) {
    let [byte, done] = ["byte", "counted"].map(|l| format!("{l}_{name}"));
    f.with("addi", AT, IV, 15);
    f.label(&byte);
    f.with("lbu", BYTE, AT, 0);
    f.with("addi", BYTE, BYTE, 1);
    f.store_byte(BYTE, AT, 0);
    f.with("andi", BYTE, BYTE, 255);
    f.branch("bne", BYTE, 0, &done);
    f.with("addi", AT, AT, -1);
    f.with("addi", BYTE, AT, 1);
    f.branch("bne", BYTE, IV, &byte);
    f.label(&done);
}
