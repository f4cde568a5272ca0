//! Functions that take one block, by look-ups: all rounds in a row, or a loop of one round.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_isa::assemble::{Item, Section};

use super::rounds::{Keys, last, mixed};
use super::tables;
use super::writer::{FREE, How, Line, SP, TEXT, branch, function, section};

/// The state after the first round key is added.
pub fn first(line: &mut Line, input: i32, keys: Keys) -> [i32; 4] {
    let words: [i32; 4] = std::array::from_fn(|w| line.load_in(input, 4 * w as i32, TEXT));
    let keys = keys.words(line, &[0, 1, 2, 3]);
    std::array::from_fn(|w| line.op("eor", words[w], keys[w]))
}

/// The base of the last round's bytes and the size of its entries.
pub fn bytes(line: &mut Line, direction: Direction, table: i32) -> (i32, i32) {
    match direction {
        Direction::Encrypt => (table, 4),
        Direction::Decrypt => (line.op_number("add", table, 1024), 1),
    }
}

/// Stores a block.
pub fn stored(line: &mut Line, block: [i32; 4], out: i32) {
    for (w, v) in block.into_iter().enumerate() {
        line.store(v, out, 4 * w as i32, TEXT);
    }
}

/// The address of the output, saved below all others.
fn output(line: &mut Line) -> i32 {
    let out = line.block.fresh();
    line.put("ldr.post_up", &[("rt", out), ("rn", SP), ("imm", 4)]);
    out
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`
pub fn unrolled(
    size: KeySize,
    symbol: &str,
    direction: Direction,
    how: &How,
) -> Result<Vec<Section>, String> {
    let (label, pool) = (format!("{symbol}_tables"), format!(".L{symbol}_tables"));
    let mut line = Line::new();
    let (key, input) = (line.block.enter(0), line.block.enter(1));
    let table = line.literal(&pool);
    let mut state = first(&mut line, input, Keys::At(key, 0));
    let rounds = size.rounds() as i32;
    for round in 1..rounds {
        state = mixed(&mut line, direction, table, state, Keys::At(key, 16 * round));
    }
    let bytes = bytes(&mut line, direction, table);
    let result = last(&mut line, direction, bytes, state, Keys::At(key, 16 * rounds));
    let out = output(&mut line);
    stored(&mut line, result, out);
    let (items, used) = line.arranged(how, &FREE)?;
    let items = function(line.isa, &[2], &used, (0, 0), items);
    Ok(vec![section(line.isa, symbol, items, &[(&pool, &label)]), tables::rounds(&label, direction)])
}

/// The same with a loop of one round.
pub fn looped(size: KeySize, symbol: &str, direction: Direction, how: &How) -> Result<Vec<Section>, String> {
    const STATE: [u8; 4] = [4, 5, 6, 7];
    const KEY: u8 = 0;
    const TABLE: u8 = 12;
    const COUNT: u8 = 3;
    let free: Vec<u8> = FREE.into_iter().filter(|&r| r != COUNT).collect();
    let (label, pool) = (format!("{symbol}_tables"), format!(".L{symbol}_tables"));
    let again = format!(".L{symbol}_round");
    let mut head = Line::new();
    let (key, input) = (head.block.enter(KEY), head.block.enter(1));
    let table = head.literal(&pool);
    head.block.leave(table, Some(TABLE));
    let state = first(&mut head, input, Keys::Next(key));
    head.block.leave(key, Some(KEY));
    for (v, r) in state.into_iter().zip(STATE) {
        head.block.leave(v, Some(r));
    }
    let (mut items, mut used) = head.arranged(how, &free)?;
    let isa = head.isa;
    items.push(Item::Insn(
        isa.insn("movs_imm", &[("rd", i32::from(COUNT)), ("imm", size.rounds() as i32 - 1)]),
    ));
    items.push(Item::Label(again.clone()));
    let entered = || {
        let mut line = Line::new();
        let key = line.block.enter(KEY);
        let table = line.block.enter(TABLE);
        let state = STATE.map(|r| line.block.enter(r));
        (line, key, table, state)
    };
    let (mut body, key, table, state) = entered();
    let state = mixed(&mut body, direction, table, state, Keys::Next(key));
    for (v, r) in [key, table].into_iter().chain(state).zip([KEY, TABLE].into_iter().chain(STATE)) {
        body.block.leave(v, Some(r));
    }
    let (round, more) = body.arranged(how, &free)?;
    used.extend(more);
    items.extend(round);
    items.push(Item::Insn(isa.insn("subs_imm8", &[("rd", i32::from(COUNT)), ("imm", 1)])));
    items.push(branch(isa, "bne", &again));
    let (mut tail, key, table, state) = entered();
    let bytes = bytes(&mut tail, direction, table);
    let result = last(&mut tail, direction, bytes, state, Keys::Next(key));
    let out = output(&mut tail);
    stored(&mut tail, result, out);
    let (end, more) = tail.arranged(how, &free)?;
    used.extend(more);
    items.extend(end);
    let items = function(isa, &[2], &used, (0, 0), items);
    Ok(vec![section(isa, symbol, items, &[(&pool, &label)]), tables::rounds(&label, direction)])
}
