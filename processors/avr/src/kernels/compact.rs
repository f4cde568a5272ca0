//! The smallest form of a block function: the state stays in the output buffer, bytes and columns are processed in
//! loops, and doubling is one subroutine. With schedule=fly the AES-128 round key lies on the stack and is
//! expanded during the rounds.

use crate::dimensions;
use aesmith_cipher::problem::{Direction, KeySize};

use super::block::{INVERSE_SBOX, SBOX};
use super::writer::{self, Reg, Writer, XH, XL, YL, ZH, ZL};
use aesmith_arrange::Variant;

/// Y points to the state; the others are the registers of a column and of values derived from it.
const S: [Reg; 4] = [18, 19, 20, 21];
const THROUGH: Reg = 0;
const ROUNDS: Reg = 22;
const COUNT: Reg = 23;
const SUM: Reg = 24;
const DOUBLED: Reg = 25;
const RCON: Reg = 16;

fn look_up(code: &mut Writer, flash: bool, to: Reg) {
    match flash {
        true => code.one("lpm", to),
        false => code.displaced("ldd_z", to, 0),
    }
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`.
pub fn ecb(variant: &Variant, name: &str, direction: Direction) -> Result<Writer, String> {
    let key = variant.problem.key;
    let flash = variant.is(dimensions::Sbox::Flash);
    let fly = variant.is(dimensions::Schedule::Fly);
    if variant.is(dimensions::Doubling::Table) {
        return Err("rounds=compact doubles by branch or by mask, in a subroutine".into());
    }
    if fly && (direction == Direction::Decrypt || key != KeySize::Aes128) {
        return Err("schedule=fly is for encryption with AES-128".into());
    }
    let mask = variant.is(dimensions::Doubling::Mask);
    let mut code = Writer::default();
    let double = format!(".Ldouble_{name}");
    code.movw(XL, 24);
    code.movw(YL, 20);
    code.movw(ZL, 22);
    let copy = code.fresh("copy");
    code.constant("ldi", COUNT, 16);
    code.label(&copy);
    code.one("ld_z_inc", THROUGH);
    code.one("st_y_inc", THROUGH);
    code.one("dec", COUNT);
    code.jump("brne", &copy);
    if fly {
        push_key(&mut code);
    }
    code.constant("ldi", ROUNDS, key.rounds() as u8);
    let (round, last, byte) = (code.fresh("round"), code.fresh("last"), code.fresh("byte"));
    code.label(&round);
    // Adds the key and looks up the S-box.
    code.word("sbiw", YL, 16);
    code.address(ZH, if direction == Direction::Encrypt { SBOX } else { INVERSE_SBOX }, 1);
    code.constant("ldi", COUNT, 16);
    code.label(&byte);
    code.displaced("ldd_y", THROUGH, 0);
    code.one("ld_x_inc", ZL);
    code.eor(ZL, THROUGH);
    look_up(&mut code, flash, THROUGH);
    code.one("st_y_inc", THROUGH);
    code.one("dec", COUNT);
    code.jump("brne", &byte);
    code.word("sbiw", YL, 16);
    shift_rows(&mut code, direction);
    if fly {
        next_key(&mut code, flash);
    }
    code.one("dec", ROUNDS);
    code.jump("breq", &last);
    code.constant("ldi", COUNT, 4);
    let column = code.fresh("column");
    code.label(&column);
    mix(&mut code, direction, &double);
    code.one("dec", COUNT);
    code.jump("brne", &column);
    code.jump("rjmp", &round);
    code.label(&last);
    code.constant("ldi", COUNT, 16);
    let final_key = code.fresh("final");
    code.label(&final_key);
    code.displaced("ldd_y", THROUGH, 0);
    code.one("ld_x_inc", ZL);
    code.eor(THROUGH, ZL);
    code.one("st_y_inc", THROUGH);
    code.one("dec", COUNT);
    code.jump("brne", &final_key);
    if fly {
        code.constant("ldi", COUNT, 16);
        let drop = code.fresh("drop");
        code.label(&drop);
        code.one("pop", THROUGH);
        code.one("dec", COUNT);
        code.jump("brne", &drop);
    }
    let after = code.items.len();
    code.label(&double);
    // Doubles the sum of two bytes; the reduction constant overwrites the mask.
    if mask {
        code.two("add", DOUBLED, DOUBLED);
        code.two("sbc", ZL, ZL);
        code.constant("andi", ZL, 0x1b);
        code.eor(DOUBLED, ZL);
    } else {
        code.constant("ldi", ZL, 0x1b);
        code.two("add", DOUBLED, DOUBLED);
        code.over_one("brcc");
        code.eor(DOUBLED, ZL);
    }
    code.plain("ret");
    Ok(writer::function(name, code, after))
}

/// (Inv)ShiftRows of the state at Y.
fn shift_rows(code: &mut Writer, direction: Direction) {
    for row in 1..4u8 {
        let by = if direction == Direction::Encrypt { row } else { 4 - row };
        for (c, r) in S.into_iter().enumerate() {
            code.displaced("ldd_y", r, 4 * c as u8 + row);
        }
        for c in 0..4u8 {
            code.displaced("std_y", S[usize::from((c + by) % 4)], 4 * c + row);
        }
    }
}

/// (Inv)MixColumns of the column at Y; advances Y.
fn mix(code: &mut Writer, direction: Direction, double: &str) {
    for (b, r) in S.into_iter().enumerate() {
        code.displaced("ldd_y", r, b as u8);
    }
    if direction == Direction::Decrypt {
        // First adds 4 (s0 + s2) and 4 (s1 + s3).
        for (a, b) in [(S[0], S[2]), (S[1], S[3])] {
            code.mov(DOUBLED, a);
            code.eor(DOUBLED, b);
            code.jump("rcall", double);
            code.jump("rcall", double);
            code.eor(a, DOUBLED);
            code.eor(b, DOUBLED);
        }
    }
    code.mov(SUM, S[0]);
    for r in &S[1..] {
        code.eor(SUM, *r);
    }
    for (b, r) in S.into_iter().enumerate() {
        let next = S[(b + 1) % 4];
        code.mov(DOUBLED, r);
        // The byte after the last is the first, which is still unchanged because results go to memory.
        code.eor(DOUBLED, next);
        code.jump("rcall", double);
        code.eor(DOUBLED, SUM);
        code.eor(DOUBLED, r);
        code.one("st_y_inc", DOUBLED);
    }
}

/// Copies the cipher key to the stack; X then points to it.
fn push_key(code: &mut Writer) {
    let copy = code.fresh("key");
    code.word("adiw", XL, 16);
    code.constant("ldi", COUNT, 16);
    code.label(&copy);
    code.one("ld_x_dec", THROUGH);
    code.one("push", THROUGH);
    code.one("dec", COUNT);
    code.jump("brne", &copy);
    code.one("in_spl", XL);
    code.one("in_sph", XH);
    code.word("adiw", XL, 1);
    code.constant("ldi", RCON, 1);
}

/// Computes the next round key (FIPS-197, 5.2) in place; X points past it at entry and to it at exit.
fn next_key(code: &mut Writer, flash: bool) {
    // The last word, rotated and substituted.
    for to in S.into_iter().rev() {
        code.one("ld_x_dec", ZL);
        look_up(code, flash, to);
    }
    code.word("sbiw", XL, 12);
    // s0 is the S-box of byte 12: the bytes of the word are used from the second one on.
    code.eor(S[1], RCON);
    code.two("add", RCON, RCON);
    code.over_one("brcc");
    code.constant("ldi", RCON, 0x1b);
    code.constant("ldi", COUNT, 4);
    let word = code.fresh("word");
    code.label(&word);
    for b in 0..4 {
        let r = S[(b + 1) % 4];
        code.one("ld_x", THROUGH);
        code.eor(r, THROUGH);
        code.one("st_x_inc", r);
    }
    code.one("dec", COUNT);
    code.jump("brne", &word);
    code.word("sbiw", XL, 16);
}
