//! The key schedule of ARMv6-M in constant time: SubWord by the S-box's circuit of gates, without look-ups. The
//! four bytes of a word pass through it together, bit b of each in bit 0 of its byte. Each loop iteration
//! computes four or six words from the previous ones in memory.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_dataflow::circuits::{AND, Gates};
use aesmith_isa::assemble::Section;

use super::expand::{mixed, turned_round};
use super::straight::Straight;
use super::writer::Code;
use super::{SP, sliced};
use crate::kernels::writer::section;

/// Stack words for spilled values; above them the loop's variables: the pointer to new words, the first round
/// key, the round constant, a mask, and the rotation of SubWord's result.
const SLOTS: i32 = 16;
const AT_KEY: i32 = 4 * SLOTS;
const AT_START: i32 = AT_KEY + 4;
const AT_CONSTANT: i32 = AT_KEY + 8;
const AT_MASK: i32 = AT_KEY + 12;
const AT_TURN: i32 = AT_KEY + 16;
const FRAME: i32 = AT_KEY + 20;
// The same frame is used for slicing.
const _: () = assert!(FRAME >= sliced::KEYS_FRAME);

const KEY: i32 = 0;
const WORD: i32 = 1;
const A: i32 = 2;
const B: i32 = 3;

/// WORD = SubWord(WORD); every other register is changed.
fn sub_word(code: &mut Code) -> Result<(), String> {
    let mask = A;
    code.memory("ldr", mask, SP, AT_MASK);
    let mut line = Straight::of(&[WORD, mask]);
    let bits = std::array::from_fn(|k| {
        let down = if k == 7 { 0 } else { line.down(0, 7 - k as i32) };
        line.two("ands", down, 1)
    });
    // Complements would set all other bits, too: their constant is added at the end.
    let out = Gates::of(0, false)
        .write(bits, |table, a, b| line.two(if table == AND { "ands" } else { "eors" }, a, b));
    out[1..].iter().fold(out[0], |sum, &bit| line.doubled(sum, bit));
    let slots = line.write(code, WORD)?;
    if slots as i32 > SLOTS {
        return Err(format!("{slots} words of the stack are needed, {SLOTS} are there"));
    }
    code.number(A, 0x63);
    code.memory("ldr", B, SP, AT_MASK);
    code.op("muls", A, B);
    code.op("eors", WORD, A);
    Ok(())
}

/// Words `from..to` of an iteration, each the sum of the word one cipher key before and of WORD, the preceding
/// word.
fn chained(code: &mut Code, count: i32, from: i32, to: i32) {
    for k in from..to {
        code.memory("ldr", A, KEY, 4 * k);
        code.op("eors", WORD, A);
        code.memory("str", WORD, KEY, 4 * (count + k));
    }
}

/// `void name(void *key, const uint8_t *cipher_key)`; with `slices`, for [`super::sliced`].
pub fn function(
    size: KeySize,
    symbol: &str,
    direction: Direction,
    slices: bool,
) -> Result<Vec<Section>, String> {
    let count = size.bytes() as i32 / 4;
    let words = 4 * (size.rounds() as i32 + 1) - count;
    let [again, plain, made] = ["words", "plain", "made"].map(|l| format!(".L{symbol}_{l}"));
    let mut code = Code::new();
    code.save();
    code.put("sp_down", &[("imm", FRAME)]);
    let bytes = 16 * (size.rounds() as i32 + 1);
    if slices {
        // Keys that are sliced afterwards are stored in the upper half, where the slices never overtake the
        // reads.
        code.number(A, bytes);
        code.put("adds_reg", &[("rd", KEY), ("rn", KEY), ("rm", A)]);
    }
    code.memory("str", KEY, SP, AT_START);
    for w in 0..count {
        code.memory("ldr", A, 1, 4 * w);
        code.memory("str", A, KEY, 4 * w);
    }
    // 1 in every byte.
    code.number(A, 1);
    code.memory("str", A, SP, AT_CONSTANT);
    for by in [8, 16] {
        code.lsl(B, A, by);
        code.op("orrs", A, B);
    }
    code.memory("str", A, SP, AT_MASK);
    code.number(A, 8);
    if count == 8 {
        code.memory("str", A, SP, AT_TURN);
    }
    code.label(&again);
    code.memory("str", KEY, SP, AT_KEY);
    code.memory("ldr", WORD, KEY, 4 * (count - 1));
    sub_word(&mut code)?;
    code.memory("ldr", KEY, SP, AT_KEY);
    code.number(A, 8);
    if count == 8 {
        // Every other iteration rotates nothing and adds no constant.
        code.memory("ldr", B, SP, AT_TURN);
        code.op("eors", A, B);
        code.memory("str", A, SP, AT_TURN);
        code.op("rors", WORD, B);
        code.put("cmp_imm", &[("rn", B), ("imm", 0)]);
        code.branch("beq", &plain);
    } else {
        code.op("rors", WORD, A);
    }
    // The constant of this iteration, and its double for the next (FIPS-197, 4.2.1).
    code.memory("ldr", B, SP, AT_CONSTANT);
    code.op("eors", WORD, B);
    code.lsl(B, B, 1);
    code.lsr(A, B, 8);
    code.number(4, 0x1b);
    code.op("muls", A, 4);
    code.op("eors", B, A);
    code.put("uxtb", &[("rd", B), ("rm", B)]);
    code.memory("str", B, SP, AT_CONSTANT);
    code.label(&plain);
    chained(&mut code, count, 0, 4);
    if count == 6 {
        // The value of the constant identifies the iteration: after the eighth, only four words are needed.
        code.put("cmp_imm", &[("rn", B), ("imm", 0x1b)]);
        code.branch("beq", &made);
        chained(&mut code, count, 4, 6);
        code.add(KEY, 24);
    } else {
        code.add(KEY, 16);
        // The end of the words, after the cipher key.
        code.memory("ldr", A, SP, AT_START);
        code.add(A, 4 * words);
        code.put("cmp_reg", &[("rn", KEY), ("rm", A)]);
        code.branch("beq", &made);
    }
    code.branch("b", &again);
    code.label(&made);
    if direction == Direction::Decrypt {
        code.memory("ldr", KEY, SP, AT_START);
        turned_round(&mut code, symbol, size.rounds() as i32);
        mixed(&mut code, symbol, size.rounds() as i32 - 1);
    }
    if slices {
        code.memory("ldr", B, SP, AT_START);
        code.number(A, bytes);
        code.put("subs_reg", &[("rd", A), ("rn", B), ("rm", A)]);
        sliced::keys(&mut code, symbol, (A, B), size.rounds() as i32 + 1)?;
    }
    code.put("sp_up", &[("imm", FRAME)]);
    code.back();
    Ok(vec![section(code.isa, symbol, code.items, &[])])
}
