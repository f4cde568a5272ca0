//! Counter mode in constant time: the counters of two blocks at a time go through the rounds of
//! [`super::sliced`]. Of an odd number of blocks, the last has half of the slices to itself.

use aesmith_cipher::problem::KeySize;
use aesmith_isa::assemble::{Item, Section};

use super::modes::{Code, carry};
use super::sliced::{self, KEY, SLOTS, allocated_line, begun, ended, middle, place};
use super::writer::{How, LR, Line, SAVED, SP, STACK, TEXT, function, section};

/// The register in which the number of blocks left is tested.
const LEFT: i32 = 1;
/// Stack from the stack pointer up: what rounds need; how many blocks are left; the first counter, then
/// what is added to the text; the arguments; the registers of [`function`]; the fifth argument.
const AT_LEFT: i32 = sliced::FRAME;
const AT_STREAM: i32 = AT_LEFT + 4;
const FRAME: i32 = AT_STREAM + 36;
const KEYS: i32 = FRAME;
const VECTOR: i32 = FRAME + 4;
const INPUT: i32 = FRAME + 8;
const OUTPUT: i32 = FRAME + 12;
const BLOCKS: i32 = FRAME + 16 + 4 * (SAVED.len() as i32 + 1);

/// The next words of text, added to: so many, from the pointers on the stack, which move on.
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

/// `void name(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out, uint32_t blocks)`
pub fn function_of_counters(
    size: KeySize,
    symbol: &str,
    looped: bool,
    how: &How,
) -> Result<Vec<Section>, String> {
    let rounds = size.rounds() as i32;
    let [block, last, done] = ["block", "last", "done"].map(|l| format!(".L{symbol}_{l}"));
    let mut code = Code { how, items: Vec::new() };
    let any = Line::new();
    code.put(&any, "ldr_sp", &[("rt", LEFT), ("imm", BLOCKS)]);
    code.put(&any, "str_sp", &[("rt", LEFT), ("imm", AT_LEFT)]);
    code.label(&block);
    let mut line = Line::new();
    let vector = line.load_in(SP, VECTOR, STACK);
    let counter: [i32; 4] = std::array::from_fn(|w| line.load_in(vector, 4 * w as i32, TEXT));
    for (w, v) in counter.into_iter().enumerate() {
        line.store(v, SP, AT_STREAM + 4 * w as i32, STACK);
    }
    code.items.extend(allocated_line(&line, 0)?);
    carry(&mut code, &any, VECTOR, &format!("{symbol}_first"), 15);
    let mut head = Line::new();
    let key = head.load_in(SP, KEYS, STACK);
    let vector = head.load_in(SP, VECTOR, STACK);
    // Moved as rounds go: not in the register of the argument before.
    let words = std::array::from_fn(|j| match place(j) {
        at if at < 16 => head.load_in(SP, AT_STREAM + at, STACK),
        at => head.load_in(vector, at - 16, TEXT),
    });
    begun(&mut head, key, words);
    code.items.extend(allocated_line(&head, SLOTS)?);
    code.items.extend(middle(rounds, symbol, looped)?);
    let (mut tail, words) = ended(rounds);
    for (j, v) in words.into_iter().enumerate() {
        tail.store(v, SP, AT_STREAM + place(j), STACK);
    }
    code.items.extend(allocated_line(&tail, SLOTS)?);
    code.put(&any, "ldr_sp", &[("rt", LEFT), ("imm", AT_LEFT)]);
    code.put(&any, "cmp_imm", &[("rn", LEFT), ("imm", 1)]);
    code.branch(&any, "beq.w", &last);
    code.items.extend(added(8)?);
    carry(&mut code, &any, VECTOR, &format!("{symbol}_second"), 15);
    code.put(&any, "ldr_sp", &[("rt", LEFT), ("imm", AT_LEFT)]);
    code.put(&any, "subs_imm8", &[("rd", LEFT), ("imm", 2)]);
    code.put(&any, "str_sp", &[("rt", LEFT), ("imm", AT_LEFT)]);
    code.branch(&any, "bne.w", &block);
    code.branch(&any, "b.w", &done);
    code.label(&last);
    code.items.extend(added(4)?);
    code.label(&done);
    debug_assert_eq!(KEY, 0);
    let used = [&SAVED[..], &[LR]].concat();
    let items = function(any.isa, &[0, 1, 2, 3], &used, (FRAME + 16, FRAME), code.items);
    Ok(vec![section(any.isa, symbol, items, &[])])
}
