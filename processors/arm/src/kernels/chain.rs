//! Cipher block chaining (SP 800-38A, 6.2).

use aesmith_cipher::problem::{Direction, Task};
use aesmith_isa::assemble::Section;

use super::block::{shape, tables};
use super::plan::{EVEN, KEY, LR, ODD, OUT, SP, TEMPORARY, section, unless_none};
use super::rounds::{Frame, Shape, all};
use super::stack::Stack;
use super::writer::Code;
use aesmith_arrange::Variant;

/// `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out, uint32_t blocks)`
pub fn function(variant: &Variant, symbol: &str) -> Section {
    let decrypts = variant.problem.task == Task::CbcDecrypt;
    let direction = if decrypts { Direction::Decrypt } else { Direction::Encrypt };
    let shape = shape(variant, LR);
    let (tables, tail) = tables(variant, direction, LR);
    let rounds = variant.problem.key.rounds();
    let [a, b] = TEMPORARY;
    // The key; decryption also keeps the preceding block, four words.
    let stack = Stack::new(if decrypts { 16 } else { 0 }, shape, tail);
    let before_it = 4u32;
    let mut before = unless_none(symbol);
    Stack::save(&mut before);
    let mut code = Code::default();
    stack.enter(&mut code, 0);
    let tail = Stack::tail(&mut code, shape, tail);
    let frame = Frame { name: symbol, direction, shape, tail };
    let start = format!(".L{symbol}_block");
    let result = if matches!(shape, Shape::One(_)) { ODD } else { EVEN };
    let other = if result == ODD { EVEN } else { ODD };
    if !decrypts {
        code.several("ldmia", a, &result);
    }
    code.label(&start);
    code.memory("ldr", a, SP, stack.text);
    code.memory("ldr", KEY, SP, stack.key);
    if decrypts {
        code.memory("ldr", b, SP, stack.vector);
        code.several("ldmia_pre", a, &EVEN);
        code.memory("str", a, SP, stack.text);
        code.several("ldmia", b, &ODD);
        code.several("stmia", b, &EVEN);
        code.op_i("add", a, SP, before_it);
        code.several("stmia", a, &ODD);
        all(&mut code, frame, rounds);
        code.op_i("add", a, SP, before_it);
        code.several("ldmia", a, &other);
        stack.load(&mut code, b);
        for k in 0..4 {
            code.op("eor", result[k], result[k], other[k]);
        }
    } else {
        code.several("ldmia_pre", a, &other);
        code.memory("str", a, SP, stack.text);
        for k in 0..4 {
            code.op("eor", EVEN[k], result[k], other[k]);
        }
        all(&mut code, frame, rounds);
        stack.load(&mut code, b);
    }
    code.several("stmia_pre", OUT, &result);
    stack.count(&mut code, b, &start);
    if !decrypts {
        code.memory("ldr", a, SP, stack.vector);
        code.several("stmia", a, &result);
    }
    stack.leave(&mut code);
    section(symbol, tables, before, code)
}
