//! Counter mode (SP 800-38A, 6.5) with a 128-bit big-endian counter. While only its last byte changes, most of
//! the first two rounds is constant (Bernstein and Schwabe, Indocrypt 2008, section 5): one look-up of the
//! first round and four of the second remain.

use crate::dimensions;
use aesmith_cipher::problem::Direction;
use aesmith_isa::assemble::{Item, Part, Section};

use super::block::{shape, tables};
use super::plan::{EVEN, KEY, LR, ODD, OUT, PC, SP, TABLE, TEMPORARY, section, unless_none};
use super::rounds::{Frame, all, contribute, next_key, rest, turn};
use super::stack::Stack;
use super::writer::Code;
use crate::table::{ALWAYS, insn};
use aesmith_arrange::Variant;

/// Conditions: carry set, equal, not negative.
const CS: i32 = 2;
const EQ: i32 = 0;
const PL: i32 = 5;

/// `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out, uint32_t blocks)`
pub fn function(variant: &Variant, symbol: &str) -> Section {
    if variant.is(dimensions::Counter::Each) { each(variant, symbol) } else { cached(variant, symbol) }
}

/// Counter mode without shared rounds.
fn each(variant: &Variant, symbol: &str) -> Section {
    let shape = shape(variant, LR);
    let (tables, tail) = tables(variant, Direction::Encrypt, LR);
    let stack = Stack { held: false, ..Stack::new(0, shape, tail) };
    let [a, b] = TEMPORARY;
    let mut before = unless_none(symbol);
    Stack::save(&mut before);
    let mut code = Code::default();
    stack.enter(&mut code, 0);
    let start = format!(".L{symbol}_block");
    let carried = format!(".L{symbol}_carried");
    code.label(&start);
    code.memory("ldr", a, SP, stack.vector);
    code.memory("ldr", KEY, SP, stack.key);
    code.several("ldmia", a, &EVEN);
    // The counter's last byte is the highest of its word, so the addition sets its carry.
    code.op_i("adds", b, EVEN[3], 1 << 24);
    code.put("mov_lsr", &[("rd", b), ("rm", b), ("sh", 24)]);
    code.memory("strb", b, a, 15);
    call_if(&mut code, CS, &carried);
    let frame = Frame { name: symbol, direction: Direction::Encrypt, shape, tail };
    let result = all(&mut code, frame, variant.problem.key.rounds());
    finish(&mut code, stack, result, &start);
    stack.leave(&mut code);
    carry(&mut code, symbol);
    section(symbol, tables, before, code)
}

/// Inputs of a block on the stack after the key's address, in the order of registers: the counter's last byte
/// and that of the key, in the highest bits; the first column after one round without the contribution of that
/// byte; the columns after two rounds without the contribution of that column. After them come the saved inputs
/// of a block that is the last of its 256.
const AT_BYTE: i32 = 4;
const AT_KEY_BYTE: i32 = 8;
const AT_FIRST: i32 = 12;
const AT_SECOND: i32 = 16;
const AT_LOADED: i32 = 32;
const BEFORE: i32 = 60;

fn cached(variant: &Variant, symbol: &str) -> Section {
    let shape = shape(variant, LR);
    let (tables, tail) = tables(variant, Direction::Encrypt, LR);
    let stack = Stack::new(BEFORE, shape, tail);
    let [byte, t] = TEMPORARY;
    let begin: Vec<i32> = [KEY, byte, t, EVEN[0]].into_iter().chain(ODD).collect();
    let loaded: Vec<i32> = [KEY, t, EVEN[0]].into_iter().chain(ODD).chain([LR]).collect();
    let label = |what: &str| format!(".L{symbol}_{what}");
    let mut before = unless_none(symbol);
    Stack::save(&mut before);
    let mut code = Code::default();
    // Two rounds and the first key have been processed when a block begins.
    Stack { held: false, ..stack }.enter(&mut code, 48);
    code.memory("ldrb", 4, byte, 15);
    code.put("mov_lsl", &[("rd", 4), ("rm", 4), ("sh", 24)]);
    code.memory("str", 4, SP, AT_BYTE);
    call_if(&mut code, ALWAYS, &label("fresh"));
    if stack.held {
        code.memory("ldr", LR, SP, stack.count);
    }
    let tail = Stack::tail(&mut code, shape, tail);

    code.label(&label("block"));
    code.several("ldmia", SP, &begin);
    code.op("eor", t, byte, t);
    code.put("ldr_lsr", &[("rd", t), ("rn", TABLE), ("rm", t), ("sh", 22)]);
    code.op_i("adds", byte, byte, 1 << 24);
    code.memory("str", byte, SP, AT_BYTE);
    code.branch_if(CS, &label("wrapped"));
    code.label(&label("go"));
    code.op_sh("eor", EVEN[0], EVEN[0], t, "ror", turn(Direction::Encrypt, 3));
    for rows in [[0, 1], [2, 3]] {
        contribute(&mut code, Direction::Encrypt, (EVEN[0], 0), &rows, ODD);
    }
    let frame = Frame { name: symbol, direction: Direction::Encrypt, shape, tail };
    let result = rest(&mut code, frame, variant.problem.key.rounds() - 3, (ODD, EVEN));
    finish(&mut code, stack, result, &label("block"));
    code.memory("ldr", byte, SP, stack.vector);
    code.memory("ldr", t, SP, AT_BYTE);
    code.put("mov_lsr", &[("rd", t), ("rm", t), ("sh", 24)]);
    code.memory("strb", t, byte, 15);
    stack.leave(&mut code);

    // The next counter ends in zero: the next block's inputs are computed before this block continues.
    code.label(&label("wrapped"));
    code.op_i("add", byte, SP, AT_LOADED as u32);
    code.several("stmia", byte, &loaded);
    code.memory("ldr", byte, SP, stack.vector);
    code.number(t, 0);
    code.memory("strb", t, byte, 15);
    call_if(&mut code, ALWAYS, &label("carried"));
    call_if(&mut code, ALWAYS, &label("fresh"));
    code.op_i("add", byte, SP, AT_LOADED as u32);
    code.several("ldmia", byte, &loaded);
    code.branch(&label("go"));
    carry(&mut code, symbol);
    code.label(&label("fresh"));
    fresh(&mut code, stack);
    section(symbol, tables, before, code)
}

/// A subroutine: computes the values that are constant until the counter's last byte is zero again.
fn fresh(code: &mut Code, stack: Stack) {
    let [a, t] = TEMPORARY;
    code.memory("ldr", a, SP, stack.vector);
    code.memory("ldr", KEY, SP, stack.key);
    code.several("ldmia", a, &EVEN);
    code.op_i("sub", KEY, KEY, 48);
    next_key(code, ODD);
    for (s, k) in EVEN.iter().zip(ODD) {
        code.op("eor", *s, *s, k);
    }
    code.op_i("and", t, ODD[3], 0xff00_0000);
    code.memory("str", t, SP, AT_KEY_BYTE);
    next_key(code, ODD);
    // All bytes of the first round except the last byte of the last column.
    for (word, source) in EVEN.into_iter().enumerate() {
        contribute(code, Direction::Encrypt, (source, word), &[0, 1], ODD);
        let more: &[usize] = if word < 3 { &[2, 3] } else { &[2] };
        contribute(code, Direction::Encrypt, (source, word), more, ODD);
    }
    code.memory("str", ODD[0], SP, AT_FIRST);
    next_key(code, EVEN);
    for (word, source) in ODD.into_iter().enumerate().skip(1) {
        for rows in [[0, 1], [2, 3]] {
            contribute(code, Direction::Encrypt, (source, word), &rows, EVEN);
        }
    }
    code.op_i("add", a, SP, AT_SECOND as u32);
    code.several("stmia", a, &EVEN);
    code.mov(PC, LR);
}

/// Adds the key stream to the text, stores the result, and branches back to the start unless it was the last
/// block.
fn finish(code: &mut Code, stack: Stack, result: [i32; 4], start: &str) {
    let [a, b] = TEMPORARY;
    let other = if result == ODD { EVEN } else { ODD };
    code.memory("ldr", a, SP, stack.text);
    stack.load(code, b);
    code.several("ldmia_pre", a, &other);
    code.memory("str", a, SP, stack.text);
    for k in 0..4 {
        code.op("eor", result[k], result[k], other[k]);
    }
    code.several("stmia_pre", OUT, &result);
    stack.count(code, b, start);
}

fn call_if(code: &mut Code, cond: i32, label: &str) {
    code.items.push(Item::Linked {
        insn: insn("bl", &[("cond", cond)]),
        field: "to".into(),
        label: label.to_owned(),
        addend: 0,
        part: Part::Distance,
    });
}

/// A subroutine: adds one to the upper fifteen bytes of the counter in memory, once per 256 blocks.
fn carry(code: &mut Code, symbol: &str) {
    let [vector, byte] = TEMPORARY;
    let place = ODD[0];
    let next = format!(".L{symbol}_next");
    let done = format!(".L{symbol}_done");
    code.label(&format!(".L{symbol}_carried"));
    code.number(place, 14);
    code.label(&next);
    code.put("ldrb_r", &[("rd", byte), ("rn", vector), ("rm", place)]);
    code.op_i("add", byte, byte, 1);
    code.put("strb_r", &[("rd", byte), ("rn", vector), ("rm", place)]);
    code.put("tst_i", &[("rn", byte), ("con", 0x100)]);
    code.branch_if(EQ, &done);
    code.op_i("subs", place, place, 1);
    code.branch_if(PL, &next);
    code.label(&done);
    code.mov(PC, LR);
}
