//! Encryption of two blocks in constant time: eight words, one a bit of their bytes
//! ([`aesmith_cipher::firmware::slice`]), the S-box as a circuit of 113 gates, no look-up. ShiftRows
//! is left out (fixslicing: Adomnicai and Peyrin, TCHES 2021, section 3): bytes stay where they are,
//! and MixColumns takes the next row of the column that stands there. Rows are bytes of words, columns
//! pairs of their bits.

use aesmith_cipher::problem::KeySize;
use aesmith_dataflow::circuits::Gates;
use aesmith_isa::assemble::{Item, Section};

use super::writer::{FREE, How, LR, Line, SAVED, SP, STACK, TEXT, Turned, branch, function, section};

/// The registers of the state between rounds, word 0 first, and of the round keys.
const STATE: [u8; 8] = [4, 5, 6, 7, 8, 9, 10, 11];
const KEY: u8 = 0;
/// Words of the stack for values that no register is left for; above them a count.
const SLOTS: usize = 24;
const COUNT: i32 = 4 * SLOTS as i32;
const FRAME: i32 = COUNT + 8;

/// Exchanges bits `mask << by` of one word with bits `mask` of another.
fn exchanged(line: &mut Line, high: i32, low: i32, by: i32, mask: u32) -> (i32, i32) {
    let t = line.op_by("eor", low, high, "lsr", by);
    let t = line.op_number("and", t, mask);
    (line.op_by("eor", high, t, "lsl", by), line.op("eor", low, t))
}

/// Eight words that hold bytes as eight that hold bits, or back: word j, bit b of each byte to word
/// b, bit j.
fn transposed(line: &mut Line, words: [i32; 8]) -> [i32; 8] {
    let mut words = words;
    for (by, mask) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f)] {
        for j in (0..8).filter(|j| j & by == 0) {
            (words[j], words[j + by]) = exchanged(line, words[j], words[j + by], by as i32, mask);
        }
    }
    words
}

/// A number that is the same in every byte.
fn bytes(byte: u32) -> u32 {
    byte * 0x0101_0101
}

/// The bits of each byte rotated down by so many.
fn turned_bytes(line: &mut Line, x: i32, by: i32) -> Turned {
    if by == 0 {
        return Turned::plain(x);
    }
    // The upper bits go down; the lower ones go up to where a rotation of all then has them.
    let lower = bytes((1 << by) - 1);
    let low = line.op_number("and", x, lower);
    let high = line.op_number("bic", x, lower);
    Turned { v: line.op_by("eor", high, low, "ror", 24), by: 32 - by }
}

/// SubBytes plus 0x63, words highest bit first.
fn substituted(line: &mut Line, s: [i32; 8]) -> [i32; 8] {
    let gates = Gates::of(0, false);
    let mut wires = s.to_vec();
    for gate in &gates.gates {
        let [a, b, _] = gate.arguments.map(|k| wires[k]);
        // The four complemented sums are outputs, and what 0x63 complements.
        wires.push(line.op(if gate.table == 0x88 { "and" } else { "eor" }, a, b));
    }
    gates.outputs.map(|w| wires[w])
}

/// MixColumns where `shift` ShiftRows were left out: 2 (a + a') + a' + (a + a')'' in which a prime
/// is the next row of the column, which stands so many columns on.
fn mixed(line: &mut Line, s: [i32; 8], shift: i32) -> [i32; 8] {
    let next = |line: &mut Line, x: i32, rows: i32| {
        let t = turned_bytes(line, x, 2 * (rows * shift % 4));
        Turned { v: t.v, by: (t.by - 8 * rows).rem_euclid(32) }
    };
    let after: [Turned; 8] = s.map(|a| next(line, a, 1));
    let sums: [i32; 8] = std::array::from_fn(|w| line.xor(after[w], Turned::plain(s[w])).v);
    std::array::from_fn(|w| {
        // Twice: the next lower bit; the highest comes back into bits 0, 1, 3 and 4.
        let mut v = line.xor(after[w], Turned::plain(sums[(w + 1) % 8]));
        let second = next(line, sums[w], 2);
        v = line.xor(second, v);
        if matches!(w, 3 | 4 | 6) {
            v = line.xor(Turned::plain(sums[0]), v);
        }
        v.v
    })
}

/// ShiftRows twice: rows 1 and 3 change halves of their bytes.
fn shifted_twice(line: &mut Line, x: i32) -> i32 {
    let t = line.op_by("eor", x, x, "lsr", 4);
    let t = line.op_number("and", t, 0x0f00_0f00);
    let x = line.op("eor", x, t);
    line.op_by("eor", x, t, "lsl", 4)
}

/// The next round key added.
fn keyed(line: &mut Line, key: i32, s: [i32; 8]) -> [i32; 8] {
    let keys: [i32; 8] = std::array::from_fn(|_| {
        let rt = line.block.fresh();
        line.put("ldr.post_up", &[("rt", rt), ("rn", key), ("imm", 4)]);
        rt
    });
    std::array::from_fn(|w| line.op("eor", s[w], keys[w]))
}

/// Where words of two blocks are: word 2 c of the first's column c, and the one after it.
fn place(j: usize) -> i32 {
    16 * (j as i32 % 2) + 4 * (j as i32 / 2)
}

/// The words of bits, highest first, as the transposition has them: lowest first.
fn reversed(words: [i32; 8]) -> [i32; 8] {
    std::array::from_fn(|w| words[7 - w])
}

fn entered() -> (Line, i32, [i32; 8]) {
    let mut line = Line::new();
    let key = line.block.enter(KEY);
    let state = STATE.map(|r| line.block.enter(r));
    (line, key, state)
}

fn leave(line: &mut Line, key: i32, state: [i32; 8]) {
    line.block.leave(key, Some(KEY));
    for (v, r) in state.into_iter().zip(STATE) {
        line.block.leave(v, Some(r));
    }
}

/// Code of a line, and whether its slots are enough.
fn arranged(line: &Line, how: &How) -> Result<Vec<Item>, String> {
    Ok(line.arranged_with(how, &FREE, SLOTS)?.0)
}

/// `void name(const void *key, const uint8_t in[32], uint8_t out[32])`
pub fn function_of_two(size: KeySize, symbol: &str, looped: bool, how: &How) -> Result<Vec<Section>, String> {
    let rounds = size.rounds() as i32;
    let mut head = Line::new();
    let (key, input) = (head.block.enter(KEY), head.block.enter(1));
    let words: [i32; 8] = std::array::from_fn(|j| head.load_in(input, place(j), TEXT));
    let state = reversed(transposed(&mut head, words));
    let state = keyed(&mut head, key, state);
    leave(&mut head, key, state);
    let mut items = arranged(&head, how)?;
    let isa = head.isa;

    let mut classes: [Option<Vec<Item>>; 4] = [None, None, None, None];
    let mut round = |number: i32| -> Result<Vec<Item>, String> {
        let class = (number % 4) as usize;
        if classes[class].is_none() {
            let (mut line, key, state) = entered();
            let state = substituted(&mut line, state);
            let state = mixed(&mut line, state, number % 4);
            let state = keyed(&mut line, key, state);
            leave(&mut line, key, state);
            classes[class] = Some(arranged(&line, how)?);
        }
        Ok(classes[class].clone().unwrap_or_default())
    };
    let mut first = 1;
    if looped {
        // Four rounds, in which ShiftRows left out four times is nothing.
        let again = format!(".L{symbol}_rounds");
        let times = (rounds - 1) / 4;
        let counted = |items: &mut Vec<Item>, name: &str, fields: &[(&str, i32)]| {
            items.push(Item::Insn(isa.insn(name, fields)));
        };
        counted(&mut items, "movs_imm", &[("rd", 1), ("imm", times)]);
        counted(&mut items, "str_sp", &[("rt", 1), ("imm", COUNT)]);
        items.push(Item::Label(again.clone()));
        for number in 1..5 {
            items.extend(round(number)?);
        }
        counted(&mut items, "ldr_sp", &[("rt", 1), ("imm", COUNT)]);
        counted(&mut items, "subs_imm8", &[("rd", 1), ("imm", 1)]);
        counted(&mut items, "str_sp", &[("rt", 1), ("imm", COUNT)]);
        items.push(branch(isa, "bne.w", &again));
        first += 4 * times;
    }
    for number in first..rounds {
        items.extend(round(number)?);
    }
    let (mut tail, key, state) = entered();
    let state = substituted(&mut tail, state);
    let mut state = keyed(&mut tail, key, state);
    if rounds % 4 == 2 {
        state = state.map(|x| shifted_twice(&mut tail, x));
    }
    let words = transposed(&mut tail, reversed(state));
    let out = tail.load_in(SP, FRAME, STACK);
    for (j, v) in words.into_iter().enumerate() {
        tail.store(v, out, place(j), TEXT);
    }
    items.extend(arranged(&tail, how)?);
    let used = [&SAVED[..], &[LR]].concat();
    let items = function(isa, &[2], &used, (FRAME + 4, FRAME), items);
    Ok(vec![section(isa, symbol, items, &[])])
}

#[cfg(test)]
pub fn parts(how: &How) -> Result<Vec<(String, Vec<Item>)>, String> {
    let mut found = Vec::new();
    for class in 0..4 {
        let (mut line, key, state) = entered();
        let state = substituted(&mut line, state);
        let state = mixed(&mut line, state, class);
        let state = keyed(&mut line, key, state);
        leave(&mut line, key, state);
        found.push((format!("round {class}"), arranged(&line, how)?));
    }
    let (mut line, key, state) = entered();
    let state = substituted(&mut line, state);
    leave(&mut line, key, state);
    found.push(("sbox".into(), arranged(&line, how)?));
    Ok(found)
}
