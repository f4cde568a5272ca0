//! Functions over several blocks: counter mode and chaining, `void name(const void *key, uint8_t iv[16], const
//! uint8_t *in, uint8_t *out, uint16_t blocks)`. Pointers and the number of blocks are kept on the stack while a
//! block is in registers.

use aesmith_cipher::problem::Task;

use super::function;
use super::writer::{self, Reg, Writer, XL, YH, YL, ZL};
use aesmith_arrange::Variant;

/// Arguments on the stack: offsets of their low bytes from the stack pointer, in bytes.
const BLOCKS: u8 = 1;
const OUT: u8 = 3;
const IN: u8 = 5;
const IV: u8 = 7;
const KEY: u8 = 9;

/// Loads or stores a pointer, or another 2-byte value, at a place in the frame that Y points to.
fn word(code: &mut Writer, name: &str, low: Reg, place: u8) {
    code.displaced(name, low, place);
    code.displaced(name, low + 1, place + 1);
}

fn frame(code: &mut Writer) {
    code.one("in_spl", YL);
    code.one("in_sph", YH);
}

/// Counter mode without cached sums, and chaining.
pub fn message(variant: &Variant, name: &str) -> Result<Writer, String> {
    let block = function::block(variant)?;
    let task = variant.problem.task;
    let before = block.columns.free[0];
    let mut code = Writer::default();
    for r in [25, 24, 23, 22, 21, 20, 19, 18, 17, 16] {
        code.one("push", r);
    }
    let (again, end) = (code.fresh("block"), code.fresh("end"));
    code.label(&again);
    frame(&mut code);
    word(&mut code, "ldd_y", ZL, if task == Task::CbcDecrypt { IN } else { IV });
    if matches!(task, Task::CbcEncrypt { .. }) {
        word(&mut code, "ldd_y", XL, IN);
    }
    for r in block.state {
        code.one("ld_z_inc", r);
        if matches!(task, Task::CbcEncrypt { .. }) {
            code.one("ld_x_inc", before);
            code.eor(r, before);
        }
    }
    if matches!(task, Task::CbcEncrypt { .. }) {
        word(&mut code, "std_y", XL, IN);
    }
    word(&mut code, "ldd_y", XL, KEY);
    block.pages(&mut code);
    let out = block.rounds(&mut code)?;
    let through = block.through(&out);
    frame(&mut code);
    match task {
        Task::Ctr => {
            word(&mut code, "ldd_y", XL, IN);
            word(&mut code, "ldd_y", ZL, OUT);
            for r in out {
                code.one("ld_x_inc", through);
                code.eor(r, through);
                code.one("st_z_inc", r);
            }
            word(&mut code, "std_y", XL, IN);
            word(&mut code, "std_y", ZL, OUT);
            word(&mut code, "ldd_y", ZL, IV);
            next_counter(&mut code, 24, 25);
        }
        Task::CbcEncrypt { .. } => {
            word(&mut code, "ldd_y", XL, OUT);
            word(&mut code, "ldd_y", ZL, IV);
            for r in out {
                code.one("st_x_inc", r);
                code.one("st_z_inc", r);
            }
            word(&mut code, "std_y", XL, OUT);
        }
        _ => {
            word(&mut code, "ldd_y", XL, IN);
            word(&mut code, "ldd_y", ZL, IV);
            for r in out {
                code.displaced("ldd_z", through, 0);
                code.eor(r, through);
                code.one("ld_x_inc", through);
                code.one("st_z_inc", through);
            }
            word(&mut code, "std_y", XL, IN);
            word(&mut code, "ldd_y", XL, OUT);
            for r in out {
                code.one("st_x_inc", r);
            }
            word(&mut code, "std_y", XL, OUT);
        }
    }
    word(&mut code, "ldd_y", 24, BLOCKS);
    code.word("sbiw", 24, 1);
    word(&mut code, "std_y", 24, BLOCKS);
    code.jump("breq", &end);
    code.back(&again);
    code.label(&end);
    for _ in 0..10 {
        code.one("pop", 0);
    }
    let after = code.items.len();
    Ok(writer::function(name, code, after))
}

/// Increments the 128-bit big-endian counter that Z points to.
fn next_counter(code: &mut Writer, byte: Reg, count: Reg) {
    let (carry, done) = (code.fresh("carry"), code.fresh("counted"));
    code.word("adiw", ZL, 16);
    code.constant("ldi", count, 16);
    code.label(&carry);
    code.one("ld_z_dec", byte);
    code.one("inc", byte);
    code.displaced("std_z", byte, 0);
    code.jump("brne", &done);
    code.one("dec", count);
    code.jump("brne", &carry);
    code.label(&done);
}
