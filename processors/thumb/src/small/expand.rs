//! The key schedule on ARMv6-M (FIPS-197, 5.2), unrolled; previous words are read back from memory. For the
//! equivalent inverse cipher (5.3.5) two loops follow: one reverses the order of round keys, the other applies
//! InvMixColumns to all except the outer two.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_dataflow::memory::{self, Memory};
use aesmith_isa::assemble::{Item, Section};

use super::writer::Code;
use crate::kernels::tables;
use crate::kernels::writer::section;

/// Round constants (FIPS-197, 5.2).
const CONSTANTS: [i32; 10] = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];
/// The preceding word, its pointer, the S-box, temporaries.
const WORD: i32 = 3;
const KEY: i32 = 0;
const SBOX: i32 = 1;
const A: i32 = 2;
const B: i32 = 4;

/// A = SubWord(WORD), rotated by a byte if `rotate`; from the highest byte down.
fn substituted(code: &mut Code, rotate: bool) {
    let rows = if rotate { [0, 3, 2, 1] } else { [3, 2, 1, 0] };
    for (k, row) in rows.into_iter().enumerate() {
        let to = if k == 0 { A } else { B };
        match row {
            0 => code.put("uxtb", &[("rd", to), ("rm", WORD)]),
            3 => code.lsr(to, WORD, 24),
            _ => {
                code.lsr(to, WORD, 8 * row);
                code.put("uxtb", &[("rd", to), ("rm", to)]);
            }
        }
        code.indexed("ldrb", to, SBOX, to);
        if k > 0 {
            code.lsl(A, A, 8);
            code.op("eors", A, B);
        }
    }
}

/// `void name(void *key, const uint8_t *cipher_key)`
pub fn function(size: KeySize, symbol: &str, direction: Direction) -> Vec<Section> {
    let label = format!("{symbol}_sbox");
    let words = size.bytes() as i32 / 4;
    let all = 4 * (size.rounds() as i32 + 1);
    let inverse = direction == Direction::Decrypt;
    let mut code = Code::new();
    code.put("push", &[("list", if inverse { 0x40f0 } else { 0x4010 })]);
    if inverse {
        code.put("push", &[("list", 1)]);
    }
    for w in 0..words {
        code.memory("ldr", WORD, 1, 4 * w);
        code.memory("str", WORD, KEY, 4 * w);
    }
    // The address of the word before the function, relative to the number of instructions so far.
    let so_far = 2 * code.items.len() as i32;
    code.mov(SBOX, 15);
    code.add(SBOX, -(so_far + 8));
    code.memory("ldr", SBOX, SBOX, 0);
    for i in words..all {
        let k = i % words;
        if k == 0 || (words == 8 && k == 4) {
            substituted(&mut code, k == 0);
            if k == 0 {
                code.number(B, CONSTANTS[(i / words) as usize - 1]);
                code.op("eors", A, B);
            }
            code.mov(WORD, A);
        }
        code.memory("ldr", B, KEY, 4 * k);
        code.op("eors", WORD, B);
        code.memory("str", WORD, KEY, 4 * (k + words));
        if k == words - 1 {
            code.add(KEY, 4 * words);
        }
    }
    if inverse {
        code.put("pop", &[("list", 1)]);
        turned_round(&mut code, symbol, size.rounds() as i32);
        mixed(&mut code, symbol, size.rounds() as i32 - 1);
    }
    code.put("pop", &[("list", if inverse { 0x80f0 } else { 0x8010 })]);
    let mut function = section(code.isa, symbol, code.items, &[]);
    let word = [Item::Align(4), Item::Word(Some(label.clone()), 0)];
    function.items.splice(0..1, word);
    let sbox = Memory::Substitution(memory::Direction::Forward).contents().to_vec();
    vec![function, tables::section(&label, sbox, crate::dimensions::Memory::Ram)]
}

/// Reverses the order of round keys by exchanging pairs of words. r0 is preserved.
pub(crate) fn turned_round(code: &mut Code, symbol: &str, rounds: i32) {
    let again = format!(".L{symbol}_turn");
    let (low, high) = (1, 2);
    code.mov(low, 0);
    code.number(high, 16 * rounds);
    code.put("adds_reg", &[("rd", high), ("rn", high), ("rm", low)]);
    code.label(&again);
    for w in 0..4 {
        code.memory("ldr", 3, low, 4 * w);
        code.memory("ldr", 4, high, 4 * w);
        code.memory("str", 4, low, 4 * w);
        code.memory("str", 3, high, 4 * w);
    }
    code.add(low, 16);
    code.add(high, -16);
    code.put("cmp_reg", &[("rn", low), ("rm", high)]);
    code.branch("bcc", &again);
}

/// InvMixColumns on `keys` round keys after the first: one word at a time.
pub fn mixed(code: &mut Code, symbol: &str, keys: i32) {
    let again = format!(".L{symbol}_mix");
    let (pointer, mask, reduction, word, t, sum) = (0, 1, 2, 3, 4, 5);
    let (turn, other) = (6, 7);
    code.add(pointer, 16);
    // 0x80 in every byte, and the reduction for a bit shifted out of a byte (FIPS-197, 4.2).
    code.number(mask, 0x80);
    code.lsl(t, mask, 8);
    code.op("orrs", mask, t);
    code.lsl(t, mask, 16);
    code.op("orrs", mask, t);
    code.number(reduction, 0x1b);
    code.number(turn, 8);
    // The end: the pointer past the last of them, in a high register.
    code.number(t, 16 * keys);
    code.put("adds_reg", &[("rd", t), ("rn", t), ("rm", pointer)]);
    code.mov(12, t);
    code.label(&again);
    code.memory("ldr", word, pointer, 0);
    let doubled = |code: &mut Code| {
        code.mov(t, word);
        code.op("ands", t, mask);
        code.op("eors", word, t);
        code.lsl(word, word, 1);
        code.lsr(t, t, 7);
        code.op("muls", t, reduction);
        code.op("eors", word, t);
    };
    // 14, 11, 13 and 9 times a byte are 8 + 4 + 2, 8 + 2 + 1, 8 + 4 + 1 and 8 + 1 times.
    code.mov(sum, word);
    doubled(code);
    code.mov(other, word);
    doubled(code);
    code.mov(14, word);
    doubled(code);
    // word: 8 times; sum: once; other: twice; lr: 4 times.
    code.op("eors", sum, word);
    code.mov(t, 14);
    code.op("eors", word, t);
    code.op("eors", word, other);
    // word: 14 times; sum: 9 times. Row r adds 9 times row r + 3, 13 times r + 2, 11 times r + 1.
    code.op("eors", other, sum);
    code.op("eors", t, sum);
    // ror(11, 8) + ror(13, 16) + ror(9, 24) = ror(11 + ror(13 + ror(9, 8), 8), 8).
    code.op("rors", sum, turn);
    code.op("eors", sum, t);
    code.op("rors", sum, turn);
    code.op("eors", sum, other);
    code.op("rors", sum, turn);
    code.op("eors", word, sum);
    code.memory("str", word, pointer, 0);
    code.add(pointer, 4);
    code.put("cmp_any", &[("rn", 12), ("rm", pointer)]);
    code.branch("bne", &again);
}
