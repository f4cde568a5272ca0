//! Functions on one block as a loop of one round with T-table look-ups, for small flash: the last round is
//! unrolled, or a loop over its columns.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Section};

use super::block::{bytes, first, output, stored};
use super::rounds::{Keys, column_of_bytes, last, mixed};
use super::tables;
use super::writer::{FREE, How, Line, TEXT, branch, function, section};
use crate::dimensions::{Last, Memory};

/// The registers that are live across rounds.
const STATE: [u8; 4] = [4, 5, 6, 7];
const KEY: u8 = 0;
const TABLE: u8 = 12;
const COUNT: u8 = 3;
/// The output pointer.
const OUT: u8 = 1;
/// Temporary for rotating words.
const WAITING: u8 = 2;

/// The form of a function.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The memory of its table.
    pub memory: Memory,
    /// The form of the last round.
    pub last: Last,
}

/// A line with the inputs of a round in their registers.
fn entered() -> (Line, i32, i32, [i32; 4]) {
    let mut line = Line::new();
    let key = line.block.enter(KEY);
    let table = line.block.enter(TABLE);
    let state = STATE.map(|r| line.block.enter(r));
    (line, key, table, state)
}

/// Leaves the inputs of the next round in their registers.
fn left(line: &mut Line, key: i32, table: i32, state: [i32; 4]) {
    for (v, r) in [key, table].into_iter().chain(state).zip([KEY, TABLE].into_iter().chain(STATE)) {
        line.block.leave(v, Some(r));
    }
}

/// Code in the making, the registers that lines may use, and those that they used.
struct Code<'a> {
    how: &'a How,
    free: Vec<u8>,
    items: Vec<Item>,
    used: Vec<i32>,
}

impl Code<'_> {
    fn line(&mut self, line: &Line) -> Result<(), String> {
        let (items, used) = line.arranged(self.how, &self.free)?;
        self.items.extend(items);
        self.used.extend(used);
        Ok(())
    }

    fn put(&mut self, insn: Insn) {
        self.items.push(Item::Insn(insn));
    }
}

/// The body of the loop: a round.
fn round(code: &mut Code, direction: Direction) -> Result<(), String> {
    let (mut body, key, table, state) = entered();
    let state = mixed(&mut body, direction, table, state, Keys::Next(key));
    left(&mut body, key, table, state);
    code.line(&body)
}

/// The last round as a loop: computes and stores one column, and rotates the words, so that the next column
/// finds its inputs in the same registers.
fn columns(code: &mut Code, symbol: &str, direction: Direction) -> Result<(), String> {
    let again = format!(".L{symbol}_column");
    let (count, out) = (i32::from(COUNT), i32::from(OUT));
    let (mut head, key, table, state) = entered();
    // The end of the output; decryption has another table for the last round.
    let (base, scale) = bytes(&mut head, direction, table);
    let to = output(&mut head);
    head.block.leave(to, Some(OUT));
    left(&mut head, key, base, state);
    code.line(&head)?;
    let (mut body, key, table, state) = entered();
    let isa = body.isa;
    code.put(isa.insn("movs_imm", &[("rd", count), ("imm", 4)]));
    code.items.push(Item::Label(again.clone()));
    let to = body.block.enter(OUT);
    let column = column_of_bytes(&mut body, direction, (table, scale), state, Keys::Next(key));
    let insn = isa.insn("str.post_up", &[("rt", column), ("rn", to), ("imm", 4)]);
    body.block.push_in(insn, TEXT);
    body.block.leave(to, Some(OUT));
    left(&mut body, key, table, state);
    code.line(&body)?;
    let mut moved = |rd: u8, rm: u8| {
        code.put(isa.insn("mov_any", &[("rd", i32::from(rd)), ("rm", i32::from(rm))]));
    };
    moved(WAITING, STATE[0]);
    for w in 0..3 {
        moved(STATE[w], STATE[w + 1]);
    }
    moved(STATE[3], WAITING);
    code.used.extend([count, out]);
    code.put(isa.insn("subs_imm8", &[("rd", count), ("imm", 1)]));
    code.items.push(branch(isa, "bne", &again));
    Ok(())
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`
pub fn function_of(
    size: KeySize,
    symbol: &str,
    direction: Direction,
    Shape { memory, last: shape }: Shape,
    how: &How,
) -> Result<Vec<Section>, String> {
    let free: Vec<u8> = FREE.into_iter().filter(|&r| r != COUNT).collect();
    let (label, pool) = (format!("{symbol}_tables"), format!(".L{symbol}_tables"));
    let again = format!(".L{symbol}_round");
    let mut code = Code { how, free, items: Vec::new(), used: Vec::new() };
    let mut head = Line::new();
    let isa = head.isa;
    let (key, input) = (head.block.enter(KEY), head.block.enter(1));
    let table = head.literal(&pool);
    let state = first(&mut head, input, Keys::Next(key));
    left(&mut head, key, table, state);
    code.line(&head)?;
    code.put(isa.insn("movs_imm", &[("rd", i32::from(COUNT)), ("imm", size.rounds() as i32 - 1)]));
    code.items.push(Item::Label(again.clone()));
    round(&mut code, direction)?;
    code.put(isa.insn("subs_imm8", &[("rd", i32::from(COUNT)), ("imm", 1)]));
    code.items.push(branch(isa, "bne", &again));
    match shape {
        Last::Row => {
            let (mut tail, key, table, state) = entered();
            let entries = bytes(&mut tail, direction, table);
            let result = last(&mut tail, direction, entries, state, Keys::Next(key));
            let out = output(&mut tail);
            stored(&mut tail, result, out);
            code.line(&tail)?;
        }
        Last::Columns => columns(&mut code, symbol, direction)?,
    }
    let items = function(isa, &[2], &code.used, (0, 0), code.items);
    Ok(vec![section(isa, symbol, items, &[(&pool, &label)]), tables::rounds(&label, direction, memory)])
}
