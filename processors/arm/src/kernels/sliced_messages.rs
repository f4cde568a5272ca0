//! Messages in constant time, with the rounds of [`super::sliced`]. Two blocks are processed at a time if they
//! are independent: in counter mode and CBC decryption. With an odd number of blocks, the last one fills both
//! halves of the slices, as does every block of CBC encryption.

use aesmith_arrange::Variant;
use aesmith_cipher::problem::Task;
use aesmith_isa::assemble::Section;

use super::plan::{NE, SAVED, SP, unless_none};
use super::sliced::{self, KEY, text};
use super::writer::Code;

/// Stack offsets above the frame of the rounds: the first counter, then the words to be added to the text; the
/// arguments.
const STREAM: i32 = sliced::FRAME as i32;
const KEYS: i32 = STREAM + 32;
const VECTOR: i32 = KEYS + 4;
const INPUT: i32 = KEYS + 8;
const OUTPUT: i32 = KEYS + 12;
const LEFT: i32 = KEYS + 16;
const FRAME: u32 = LEFT as u32 + 4;
/// The registers of pointers and counts outside the rounds.
const A: i32 = 1;
const B: i32 = 2;
const C: i32 = 3;
/// Conditions: equal, not equal, not negative.
const EQ: i32 = 0;
const PL: i32 = 5;

/// Adds one to the counter in memory, byte by byte while bytes become zero. Its address is left in a register.
fn advanced(code: &mut Code, symbol: &str, which: &str) {
    let [next, done] = ["next", "counted"].map(|l| format!(".L{symbol}_{l}_{which}"));
    code.memory("ldr", A, SP, VECTOR);
    code.number(C, 15);
    code.label(&next);
    code.put("ldrb_r", &[("rd", B), ("rn", A), ("rm", C)]);
    code.op_i("add", B, B, 1);
    code.put("strb_r", &[("rd", B), ("rn", A), ("rm", C)]);
    code.put("tst_i", &[("rn", B), ("con", 0x100)]);
    code.branch_if(EQ, &done);
    code.op_i("subs", C, C, 1);
    code.branch_if(PL, &next);
    code.label(&done);
}

/// Adds the stream to `blocks` blocks of text; advances the pointers on the stack.
fn added(code: &mut Code, blocks: i32) {
    let (words, stream) = SAVED.split_at(4);
    code.memory("ldr", A, SP, INPUT);
    code.memory("ldr", B, SP, OUTPUT);
    for block in 0..blocks {
        code.op_i("add", C, SP, (STREAM + 16 * block) as u32);
        code.several("ldmia", C, stream);
        code.several("ldmia_pre", A, words);
        for (&word, &s) in words.iter().zip(stream) {
            code.op("eor", word, word, s);
        }
        code.several("stmia_pre", B, words);
    }
    code.memory("str", A, SP, INPUT);
    code.memory("str", B, SP, OUTPUT);
}

/// Loads a counter and its successor as words of text; the first is kept.
fn counters(code: &mut Code, symbol: &str) {
    code.memory("ldr", A, SP, VECTOR);
    code.several("ldmia", A, &SAVED[..4]);
    code.op_i("add", B, SP, STREAM as u32);
    code.several("stmia", B, &SAVED[..4]);
    advanced(code, symbol, "first");
    for (j, register) in SAVED.into_iter().enumerate() {
        let word = 4 * (j as i32 / 2);
        let (base, at) = if j % 2 == 0 { (SP, STREAM + word) } else { (A, word) };
        code.memory("ldr", register, base, at);
    }
}

/// Loads two blocks of text; a single last block takes both places.
fn blocks(code: &mut Code, symbol: &str) {
    let same = format!(".L{symbol}_same");
    code.memory("ldr", A, SP, LEFT);
    code.memory("ldr", B, SP, INPUT);
    code.mov(C, B);
    code.put("cmp_i", &[("rn", A), ("con", 1)]);
    code.branch_if(EQ, &same);
    code.op_i("add", C, C, 16);
    code.label(&same);
    for (j, register) in SAVED.into_iter().enumerate() {
        code.memory("ldr", register, [B, C][j % 2], 4 * (j as i32 / 2));
    }
}

/// Adds the preceding blocks to `blocks` blocks of cipher output; the last block of text becomes the chaining
/// value. The output may overlap the input: a block is read before it is overwritten.
fn unchained(code: &mut Code, blocks: i32) {
    let (chain, plain) = SAVED.split_at(4);
    code.memory("ldr", A, SP, INPUT);
    code.memory("ldr", B, SP, OUTPUT);
    code.memory("ldr", C, SP, VECTOR);
    code.several("ldmia", C, chain);
    for block in 0..blocks {
        code.op_i("add", C, SP, (STREAM + 16 * block) as u32);
        code.several("ldmia", C, plain);
        for (&p, &before) in plain.iter().zip(chain) {
            code.op("eor", p, p, before);
        }
        code.several("ldmia_pre", A, chain);
        code.several("stmia_pre", B, plain);
    }
    code.memory("ldr", C, SP, VECTOR);
    code.several("stmia", C, chain);
    code.memory("str", A, SP, INPUT);
    code.memory("str", B, SP, OUTPUT);
}

/// The loop over pairs of blocks.
fn in_pairs(code: &mut Code, variant: &Variant, symbol: &str) -> Result<(), String> {
    let [pair, last, done] = ["pair", "last", "done"].map(|l| format!(".L{symbol}_{l}"));
    let counts = variant.problem.task == Task::Ctr;
    let (begin, end) = if counts {
        (counters as fn(&mut Code, &str), added as fn(&mut Code, i32))
    } else {
        (blocks as _, unchained as _)
    };
    code.label(&pair);
    begin(code, symbol);
    code.memory("ldr", KEY, SP, KEYS);
    sliced::rounds(code, variant, symbol)?;
    code.op_i("add", B, SP, STREAM as u32);
    text(code, "str", B);
    code.memory("ldr", A, SP, LEFT);
    code.put("cmp_i", &[("rn", A), ("con", 1)]);
    code.branch_if(EQ, &last);
    end(code, 2);
    if counts {
        advanced(code, symbol, "second");
    }
    code.memory("ldr", A, SP, LEFT);
    code.op_i("subs", A, A, 2);
    code.memory("str", A, SP, LEFT);
    code.branch_if(NE, &pair);
    code.branch(&done);
    code.label(&last);
    end(code, 1);
    code.label(&done);
    Ok(())
}

/// CBC encryption: each block depends on the preceding one, and takes both places.
fn one_by_one(code: &mut Code, variant: &Variant, symbol: &str) -> Result<(), String> {
    let again = format!(".L{symbol}_block");
    let (words, chain) = SAVED.split_at(4);
    code.label(&again);
    code.memory("ldr", A, SP, INPUT);
    code.several("ldmia_pre", A, words);
    code.memory("str", A, SP, INPUT);
    code.memory("ldr", B, SP, VECTOR);
    code.several("ldmia", B, chain);
    for (&word, &before) in words.iter().zip(chain) {
        code.op("eor", word, word, before);
    }
    for j in (1..8).rev() {
        code.mov(SAVED[j], SAVED[j / 2]);
    }
    code.memory("ldr", KEY, SP, KEYS);
    sliced::rounds(code, variant, symbol)?;
    let block: Vec<i32> = SAVED.into_iter().step_by(2).collect();
    code.memory("ldr", A, SP, OUTPUT);
    code.several("stmia_pre", A, &block);
    code.memory("str", A, SP, OUTPUT);
    code.memory("ldr", A, SP, VECTOR);
    code.several("stmia", A, &block);
    code.memory("ldr", A, SP, LEFT);
    code.op_i("subs", A, A, 1);
    code.memory("str", A, SP, LEFT);
    code.branch_if(NE, &again);
    Ok(())
}

/// `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out, uint32_t blocks)`
pub fn function(variant: &Variant, symbol: &str) -> Result<Section, String> {
    sliced::framed(symbol, unless_none(symbol), FRAME, |code| {
        for (register, at) in [(KEY, KEYS), (A, VECTOR), (B, INPUT), (C, OUTPUT)] {
            code.memory("str", register, SP, at);
        }
        // The fifth argument is above the nine saved registers.
        code.memory("ldr", A, SP, FRAME as i32 + 36);
        code.memory("str", A, SP, LEFT);
        match variant.problem.task {
            Task::CbcEncrypt { .. } => one_by_one(code, variant, symbol),
            _ => in_pairs(code, variant, symbol),
        }
    })
}
