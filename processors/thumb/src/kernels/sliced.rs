//! Encryption of two blocks in constant time: eight words, each of which holds one bit of their bytes
//! ([`aesmith_cipher::firmware::slice`]); the S-box is a circuit of 113 gates, without look-ups. ShiftRows is
//! omitted (fixslicing: Adomnicai and Peyrin, TCHES 2021, section 3): bytes stay in place, and MixColumns takes
//! the next row from the column where it is. Rows are bytes of words, columns pairs of their bits.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_dataflow::circuits::{AND, Gates};
use aesmith_isa::assemble::{Item, Section};

use super::evict::allocated;
use super::sliced_inverse;
use super::writer::{FREE, LR, Line, SAVED, SP, STACK, TEXT, Turned, branch, function, section};
use crate::narrow_forms::narrowed;

/// The registers of the state between rounds, word 0 first.
const STATE: [u8; 8] = [4, 5, 6, 7, 8, 9, 10, 11];
/// The register with the address of the next round key.
pub const KEY: u8 = 0;
/// Stack words for spilled values; above them a count.
pub const SLOTS: usize = 24;
const COUNT: i32 = 4 * SLOTS as i32;
/// Size of the stack frame, in bytes.
pub const FRAME: i32 = COUNT + 8;

/// Exchanges bits `mask << by` of one word with bits `mask` of another.
fn exchanged(line: &mut Line, high: i32, low: i32, by: i32, mask: u32) -> (i32, i32) {
    let t = line.op_by("eor", low, high, "lsr", by);
    let t = line.op_number("and", t, mask);
    (line.op_by("eor", high, t, "lsl", by), line.op("eor", low, t))
}

/// Converts eight words of bytes to eight words of bits, or back: bit b of each byte in word j moves to bit j
/// in word b.
pub fn transposed(line: &mut Line, words: [i32; 8]) -> [i32; 8] {
    let mut words = words;
    for (by, mask) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f)] {
        for j in (0..8).filter(|j| j & by == 0) {
            (words[j], words[j + by]) = exchanged(line, words[j], words[j + by], by as i32, mask);
        }
    }
    words
}

/// A byte replicated to all bytes of a word.
fn bytes(byte: u32) -> u32 {
    byte * 0x0101_0101
}

/// Rotates each byte down by this number of bits.
fn turned_bytes(line: &mut Line, x: i32, by: i32) -> Turned {
    if by == 0 {
        return Turned::plain(x);
    }
    // The upper bits are shifted down; the lower ones are shifted up to where the final rotation of the word
    // puts them in place.
    let lower = bytes((1 << by) - 1);
    let low = line.op_number("and", x, lower);
    let high = line.op_number("bic", x, lower);
    Turned { v: line.op_by("eor", high, low, "ror", 24), by: 32 - by }
}

/// The gates of the circuit in an order for thirteen registers, found by annealing with the cycles of a round
/// on a Cortex-M3 as cost.
#[rustfmt::skip]
const ORDER: [u8; 113] = [
    0, 1, 5, 2, 3, 9, 6, 4, 7, 11, 10, 8, 21, 41, 40, 42, 20, 43, 12, 18,
    44, 13, 17, 22, 34, 35, 19, 24, 16, 27, 29, 36, 14, 15, 26, 23, 28, 25, 30, 37,
    31, 38, 45, 39, 32, 47, 33, 46, 51, 48, 58, 49, 50, 52, 54, 55, 57, 59, 60, 61,
    63, 79, 66, 62, 65, 64, 53, 56, 71, 76, 67, 73, 74, 70, 80, 68, 75, 72, 88, 78,
    77, 96, 84, 97, 100, 86, 85, 89, 90, 69, 83, 82, 98, 101, 91, 93, 81, 92, 104, 94,
    102, 95, 103, 99, 109, 111, 108, 112, 87, 106, 110, 107, 105,
];

/// SubBytes plus 0x63; words are in order from the highest bit.
pub fn substituted(line: &mut Line, s: [i32; 8]) -> [i32; 8] {
    // The four complemented sums are outputs, whose bits 0x63 complements.
    Gates::of(0, false).write_in(ORDER.map(usize::from), s, |table, a, b| {
        line.op(if table == AND { "and" } else { "eor" }, a, b)
    })
}

/// MixColumns after `shift` omitted ShiftRows: 2 (a + a') + a' + (a + a')'', where a prime means the next row
/// of the column, which is `shift` columns further on.
pub fn mixed(line: &mut Line, s: [i32; 8], shift: i32) -> [i32; 8] {
    let next = |line: &mut Line, x: i32, rows: i32| {
        let t = turned_bytes(line, x, 2 * (rows * shift % 4));
        Turned { v: t.v, by: (t.by - 8 * rows).rem_euclid(32) }
    };
    // One word after the other, so that few values are live.
    let both = |line: &mut Line, w: usize| {
        let after = next(line, s[w], 1);
        (after, line.xor(after, Turned::plain(s[w])).v)
    };
    let first = both(line, 0);
    let mut now = first;
    std::array::from_fn(|w| {
        let (after, sum) = now;
        let second = next(line, sum, 2);
        now = if w < 7 { both(line, w + 1) } else { first };
        // Doubling: takes the next lower bit; the highest bit is added to bits 0, 1, 3 and 4.
        let mut v = line.xor(after, Turned::plain(now.1));
        if matches!(w, 3 | 4 | 6) {
            v = line.xor(Turned::plain(first.1), v);
        }
        line.xor(second, v).v
    })
}

/// ShiftRows twice: exchanges the halves of the bytes of rows 1 and 3.
pub(crate) fn shifted_twice(line: &mut Line, x: i32) -> i32 {
    let t = line.op_by("eor", x, x, "lsr", 4);
    let t = line.op_number("and", t, 0x0f00_0f00);
    let x = line.op("eor", x, t);
    line.op_by("eor", x, t, "lsl", 4)
}

/// Adds the next round key.
pub fn keyed(line: &mut Line, key: i32, s: [i32; 8]) -> [i32; 8] {
    let mut sums = s;
    // Four at a time: a run of loads for which there are registers.
    for half in sums.chunks_mut(4) {
        let keys: [i32; 4] = std::array::from_fn(|_| {
            let rt = line.block.fresh();
            line.put("ldr.post_up", &[("rt", rt), ("rn", key), ("imm", 4)]);
            rt
        });
        for (word, k) in half.iter_mut().zip(keys) {
            *word = line.op("eor", *word, k);
        }
    }
    sums
}

/// The offset of word `j` of two blocks: words 2 c and 2 c + 1 are column c of the first and second block.
pub fn place(j: usize) -> i32 {
    16 * (j as i32 % 2) + 4 * (j as i32 / 2)
}

/// The words of bits in reverse order: from highest first to the transposition's lowest first.
pub fn reversed(words: [i32; 8]) -> [i32; 8] {
    std::array::from_fn(|w| words[7 - w])
}

/// A line with the round key pointer and the state in their registers.
pub fn entered() -> (Line, i32, [i32; 8]) {
    let mut line = Line::new();
    let key = line.block.enter(KEY);
    let state = STATE.map(|r| line.block.enter(r));
    (line, key, state)
}

/// Leaves both in their registers.
pub fn leave(line: &mut Line, key: i32, state: [i32; 8]) {
    line.block.leave(key, Some(KEY));
    for (v, r) in state.into_iter().zip(STATE) {
        line.block.leave(v, Some(r));
    }
}

/// The code of a line that uses at most `most` stack words.
pub(crate) fn allocated_line(line: &Line, most: usize) -> Result<Vec<Item>, String> {
    let (items, slots) = allocated(line.isa, &line.block, &FREE)?;
    if slots > most {
        return Err(format!("{slots} words of the stack are needed, {most} are there"));
    }
    Ok(items.into_iter().map(|item| narrowed(line.isa, item)).collect())
}

/// The code of a line of rounds.
pub fn arranged(line: &Line) -> Result<Vec<Item>, String> {
    allocated_line(line, SLOTS)
}

/// Loads the state from eight words of text, and adds the first round key.
pub fn begun(line: &mut Line, key: i32, words: [i32; 8]) {
    let state = reversed(transposed(line, words));
    let state = keyed(line, key, state);
    leave(line, key, state);
}

/// Rounds as a loop, whose count is on the stack.
pub fn repeated(times: i32, body: Vec<Item>, symbol: &str) -> Vec<Item> {
    let isa = Line::new().isa;
    let again = format!(".L{symbol}_rounds");
    let counted = |name: &str, fields: &[(&str, i32)]| Item::Insn(isa.insn(name, fields));
    let mut items = vec![
        counted("movs_imm", &[("rd", 1), ("imm", times)]),
        counted("str_sp", &[("rt", 1), ("imm", COUNT)]),
        Item::Label(again.clone()),
    ];
    items.extend(body);
    items.extend([
        counted("ldr_sp", &[("rt", 1), ("imm", COUNT)]),
        counted("subs_imm8", &[("rd", 1), ("imm", 1)]),
        counted("str_sp", &[("rt", 1), ("imm", COUNT)]),
        branch(isa, "bne.w", &again),
    ]);
    items
}

/// The rounds between the first round key and the last round. With `looped`, four of them are a loop, whose
/// count is on the stack.
pub fn middle(rounds: i32, symbol: &str, looped: bool) -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    let mut classes: [Option<Vec<Item>>; 4] = [None, None, None, None];
    let mut round = |number: i32| -> Result<Vec<Item>, String> {
        let class = (number % 4) as usize;
        if classes[class].is_none() {
            let (mut line, key, state) = entered();
            let state = substituted(&mut line, state);
            let state = mixed(&mut line, state, number % 4);
            let state = keyed(&mut line, key, state);
            leave(&mut line, key, state);
            classes[class] = Some(arranged(&line)?);
        }
        Ok(classes[class].clone().unwrap_or_default())
    };
    let mut first = 1;
    if looped {
        // Four rounds, after which the omitted ShiftRows cancel out.
        let times = (rounds - 1) / 4;
        let mut four = Vec::new();
        for number in 1..5 {
            four.extend(round(number)?);
        }
        items.extend(repeated(times, four, symbol));
        first += 4 * times;
    }
    for number in first..rounds {
        items.extend(round(number)?);
    }
    Ok(items)
}

/// The last round in a line of its own, with the words of text that it computes.
pub fn ended(rounds: i32) -> (Line, [i32; 8]) {
    let (mut tail, key, state) = entered();
    let state = substituted(&mut tail, state);
    let mut state = keyed(&mut tail, key, state);
    if rounds % 4 == 2 {
        state = state.map(|x| shifted_twice(&mut tail, x));
    }
    let words = transposed(&mut tail, reversed(state));
    (tail, words)
}

/// The rounds of a direction: the code of those between the first round key and the last round, and the last
/// round in a line of its own with the words of text that it computes.
pub type Rounds = (Vec<Item>, (Line, [i32; 8]));

/// The rounds of a direction.
pub fn rounds(size: KeySize, direction: Direction, symbol: &str, looped: bool) -> Result<Rounds, String> {
    let rounds = size.rounds() as i32;
    Ok(match direction {
        Direction::Encrypt => (middle(rounds, symbol, looped)?, ended(rounds)),
        Direction::Decrypt => (sliced_inverse::middle(rounds, symbol, looped)?, sliced_inverse::ended()),
    })
}

/// `void name(const void *key, const uint8_t in[32], uint8_t out[32])`
pub(crate) fn function_of_two(
    size: KeySize,
    symbol: &str,
    direction: Direction,
    looped: bool,
) -> Result<Vec<Section>, String> {
    let mut head = Line::new();
    let (key, input) = (head.block.enter(KEY), head.block.enter(1));
    let words: [i32; 8] = std::array::from_fn(|j| head.load_in(input, place(j), TEXT));
    begun(&mut head, key, words);
    let mut items = arranged(&head)?;
    let (middle, (mut tail, words)) = rounds(size, direction, symbol, looped)?;
    items.extend(middle);
    let out = tail.load_in(SP, FRAME, STACK);
    for (j, v) in words.into_iter().enumerate() {
        tail.store(v, out, place(j), TEXT);
    }
    items.extend(arranged(&tail)?);
    let used = [&SAVED[..], &[LR]].concat();
    let isa = tail.isa;
    let items = function(isa, &[2], &used, (FRAME + 4, FRAME), items);
    Ok(vec![section(isa, symbol, items, &[])])
}
