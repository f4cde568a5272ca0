//! Functions that take many blocks: counter mode and cipher block chaining (SP 800-38A, 6.5, 6.2).
//! What the rounds leave no register for stands on the stack, above it the number of blocks.

use aesmith_cipher::problem::{Direction, Task};
use aesmith_isa::assemble::Section;

use super::block::{shape, tables};
use super::plan::{EVEN, KEY, LR, ODD, OUT, PC, SAVED, SP, TEMPORARY, section};
use super::rounds::{Shape, all};
use super::writer::Code;
use crate::variant::Variant;

/// Places on the stack: key, vector, text, a block, saved registers, the number of blocks.
const AT_KEY: i32 = 0;
const AT_VECTOR: i32 = 4;
const AT_TEXT: i32 = 8;

/// `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out, uint32_t blocks)`
pub fn function(variant: &Variant, symbol: &str) -> Section {
    let task = variant.problem.task;
    let chains_back = task == Task::CbcDecrypt;
    let direction = if chains_back { Direction::Decrypt } else { Direction::Encrypt };
    let shape = shape(variant, LR);
    let (tables, tail) = tables(variant, direction, LR);
    let block = if chains_back { 16 } else { 0 };
    let blocks = 12 + block + 4 * 9;
    let [a, b] = TEMPORARY;

    let mut before = Code::default();
    let saved: Vec<i32> = SAVED.into_iter().chain([LR]).collect();
    before.several("stmdb_pre", SP, &saved);
    let mut code = Code::default();
    if block > 0 {
        code.op_i("sub", SP, SP, block as u32);
    }
    code.several("stmdb_pre", SP, &[0, 1, 2]);
    code.mov(OUT, 3);
    // What a block's result is in, which does not hang on the key's size.
    let result = if matches!(shape, Shape::One(_)) { ODD } else { EVEN };
    let other = if result == ODD { EVEN } else { ODD };
    let chains = matches!(task, Task::CbcEncrypt { .. });
    if chains {
        code.several("ldmia", a, &result);
    }
    code.label(&format!(".L{symbol}_block"));
    let mut carry = Code::default();
    match task {
        Task::Ctr => {
            code.memory("ldr", a, SP, AT_VECTOR);
            code.memory("ldr", KEY, SP, AT_KEY);
            code.several("ldmia", a, &EVEN);
            // The last byte of the counter is the highest of its word: its carry is the addition's.
            code.op_i("adds", b, EVEN[3], 1 << 24);
            code.memory("str", b, a, 12);
            code.branch_if(2, &format!(".L{symbol}_carry"));
            code.label(&format!(".L{symbol}_counted"));
            carry_on(&mut carry, symbol);
        }
        _ => {
            code.memory("ldr", a, SP, AT_TEXT);
            code.memory("ldr", KEY, SP, AT_KEY);
            if chains {
                code.several("ldmia_pre", a, &other);
                code.memory("str", a, SP, AT_TEXT);
                for k in 0..4 {
                    code.op("eor", EVEN[k], result[k], other[k]);
                }
            } else {
                code.memory("ldr", b, SP, AT_VECTOR);
                code.several("ldmia_pre", a, &EVEN);
                code.memory("str", a, SP, AT_TEXT);
                code.several("ldmia", b, &ODD);
                code.several("stmia", b, &EVEN);
                code.op_i("add", a, SP, 12);
                code.several("stmia", a, &ODD);
            }
        }
    }
    let done = all(&mut code, symbol, direction, variant.problem.key.rounds(), shape, tail);
    debug_assert_eq!(done, result);
    if !chains {
        if chains_back {
            code.op_i("add", a, SP, 12);
            code.several("ldmia", a, &other);
        } else {
            code.memory("ldr", a, SP, AT_TEXT);
            code.memory("ldr", b, SP, blocks);
            code.several("ldmia_pre", a, &other);
            code.memory("str", a, SP, AT_TEXT);
        }
        for k in 0..4 {
            code.op("eor", result[k], result[k], other[k]);
        }
    }
    if task != Task::Ctr {
        code.memory("ldr", b, SP, blocks);
    }
    code.several("stmia_pre", OUT, &result);
    code.op_i("subs", b, b, 1);
    code.memory("str", b, SP, blocks);
    code.branch_if(1, &format!(".L{symbol}_block"));
    if chains {
        code.memory("ldr", a, SP, AT_VECTOR);
        code.op_i("add", SP, SP, 12);
        code.several("stmia", a, &result);
    } else {
        code.op_i("add", SP, SP, 12 + block as u32);
    }
    let back: Vec<i32> = SAVED.into_iter().chain([PC]).collect();
    code.several("ldmia_pre", SP, &back);
    code.items.extend(carry.items);
    section(symbol, tables, before, code)
}

/// Adds one to the upper fifteen bytes of the counter in memory: once in 256 blocks.
fn carry_on(code: &mut Code, symbol: &str) {
    let [vector, byte] = TEMPORARY;
    let place = ODD[0];
    let next = format!(".L{symbol}_next");
    let counted = format!(".L{symbol}_counted");
    code.label(&format!(".L{symbol}_carry"));
    code.number(place, 14);
    code.label(&next);
    code.put("ldrb_r", &[("rd", byte), ("rn", vector), ("rm", place)]);
    code.op_i("add", byte, byte, 1);
    code.put("strb_r", &[("rd", byte), ("rn", vector), ("rm", place)]);
    code.put("tst_i", &[("rn", byte), ("con", 0x100)]);
    code.branch_if(0, &counted);
    code.op_i("subs", place, place, 1);
    // Not below zero.
    code.branch_if(5, &next);
    code.branch(&counted);
}
