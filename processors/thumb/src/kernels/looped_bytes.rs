//! A function on one block as a loop of one round with S-box look-ups, for small code. Values that are live
//! across its lines have fixed registers, chosen so that most instructions are short: all except the columns
//! are among the eight registers that short instructions can name.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_isa::assemble::{Item, Section};
use aesmith_order::inorder::block::insn;

use super::block::{output, stored};
use super::bytes::Doubling;
use super::rounds::{Keys, substituted};
use super::tables;
use super::writer::{FREE, How, Line, TEXT, branch, function, list, section};
use crate::dimensions::{Memory, Tail};

/// Pointer past the round key that was added.
const KEY: u8 = 0;
const TABLE: u8 = 1;
/// The last round key's address.
const END: u8 = 12;
/// The state between rounds.
const STATE: [u8; 4] = [2, 3, 4, 5];
/// Its columns after the look-ups.
const COLUMNS: [u8; 4] = [10, 11, 8, 9];
/// A round key.
const KEYS: [u8; 4] = [4, 5, 6, 7];

/// The backward range of a short branch in bytes, from its own end.
const REACH: usize = 254;

/// The form of a function.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The implementation of doubling.
    pub doubling: Doubling,
    /// The memory of the S-box.
    pub memory: Memory,
    /// The look-ups of the last round.
    pub tail: Tail,
}

/// A function in the making.
struct Code<'a> {
    how: &'a How,
    direction: Direction,
    items: Vec<Item>,
    used: Vec<i32>,
}

impl Code<'_> {
    /// A line that may use all registers except `kept`.
    fn line(&mut self, line: &Line, kept: &[u8]) -> Result<(), String> {
        let free: Vec<u8> = FREE.into_iter().filter(|r| !kept.contains(r)).collect();
        let (items, used) = line.arranged_short(self.how, &free)?;
        self.items.extend(items);
        self.used.extend(used);
        Ok(())
    }

    fn put(&mut self, name: &str, fields: &[(&str, u8)]) {
        let fields: Vec<(&str, i32)> = fields.iter().map(|&(f, v)| (f, i32::from(v))).collect();
        self.items.push(Item::Insn(Line::new().isa.insn(name, &fields)));
    }

    /// Loads a round key, and moves the pointer past it.
    fn key(&mut self) {
        let keys = KEYS.map(i32::from);
        let isa = Line::new().isa;
        self.items.push(Item::Insn(isa.insn("ldm", &[("rn", i32::from(KEY)), ("list", list(&keys))])));
        self.used.extend(keys);
    }

    /// The text plus the first round key, and the set-up of rounds.
    fn head(&mut self, size: KeySize, pool: &str) -> Result<(), String> {
        self.key();
        let mut line = Line::new();
        let input = line.block.enter(1);
        let keys = KEYS.map(|r| line.block.enter(r));
        let text: [i32; 4] = std::array::from_fn(|w| line.load_in(input, 4 * w as i32, TEXT));
        let table = line.literal(pool);
        let state = std::array::from_fn(|w| line.op("eor", text[w], keys[w]));
        line.block.leave(table, Some(TABLE));
        leave(&mut line, state, STATE);
        self.line(&line, &[KEY, END])?;
        self.put("add.imm", &[("rd", END), ("rn", KEY), ("const", 16 * (size.rounds() as u8 - 1))]);
        self.used.push(i32::from(END));
        Ok(())
    }

    /// SubBytes and ShiftRows of the state.
    fn look_ups(&mut self) -> Result<(), String> {
        let mut line = Line::new();
        let table = line.block.enter(TABLE);
        let state = STATE.map(|r| line.block.enter(r));
        let columns = substituted(&mut line, self.direction, (table, 1), state, None);
        line.block.leave(table, Some(TABLE));
        leave(&mut line, columns, COLUMNS);
        self.line(&line, &[KEY, END])
    }

    /// (Inv)MixColumns of the columns, plus the next round key.
    fn mix(&mut self, doubling: Doubling) -> Result<(), String> {
        self.key();
        let mut line = Line::new();
        let columns = COLUMNS.map(|r| line.block.enter(r));
        let keys = KEYS.map(|r| line.block.enter(r));
        let state = std::array::from_fn(|c| doubling.mixed(&mut line, self.direction, columns[c], keys[c]));
        leave(&mut line, state, STATE);
        self.line(&line, &[KEY, TABLE, END])
    }

    /// Branches back to a label until the last round key is next.
    fn again(&mut self, label: &str) {
        self.put("cmp_any", &[("rn", KEY), ("rm", END)]);
        let isa = Line::new().isa;
        let from = self.items.iter().position(|i| matches!(i, Item::Label(l) if l == label));
        let inside = self.items.iter().skip(from.unwrap_or(0)).filter_map(insn);
        let bytes: usize = inside.map(|i| usize::from(isa.of(i).bytes())).sum();
        self.items.push(branch(isa, if bytes + 2 <= REACH { "bne" } else { "bne.w" }, label));
    }

    /// The last round's look-ups in a line with the last round key; stores the result.
    fn last_round(&mut self) -> Result<(), String> {
        let mut line = Line::new();
        let key = line.block.enter(KEY);
        let table = line.block.enter(TABLE);
        let state = STATE.map(|r| line.block.enter(r));
        let block = substituted(&mut line, self.direction, (table, 1), state, Some(Keys::At(key, 0)));
        let out = output(&mut line);
        stored(&mut line, block, out);
        self.line(&line, &[])
    }

    /// Adds the last round key to the columns of the last round, and stores them.
    fn last_key(&mut self) -> Result<(), String> {
        let mut line = Line::new();
        let key = line.block.enter(KEY);
        let columns = COLUMNS.map(|r| line.block.enter(r));
        let keys = Keys::At(key, 0).words(&mut line, &[0, 1, 2, 3]);
        let out = output(&mut line);
        let block = std::array::from_fn(|w| line.op("eor", columns[w], keys[w]));
        stored(&mut line, block, out);
        self.line(&line, &[])
    }
}

fn leave(line: &mut Line, values: [i32; 4], registers: [u8; 4]) {
    for (v, r) in values.into_iter().zip(registers) {
        line.block.leave(v, Some(r));
    }
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`
pub fn function_of(
    size: KeySize,
    symbol: &str,
    direction: Direction,
    Shape { doubling, memory, tail }: Shape,
    how: &How,
) -> Result<Vec<Section>, String> {
    let (label, pool) = (format!("{symbol}_tables"), format!(".L{symbol}_tables"));
    let (again, midst) = (format!(".L{symbol}_round"), format!(".L{symbol}_look_ups"));
    let mut code = Code { how, direction, items: Vec::new(), used: Vec::new() };
    let isa = Line::new().isa;
    code.head(size, &pool)?;
    match tail {
        Tail::Own => {
            code.items.push(Item::Label(again.clone()));
            code.look_ups()?;
            code.mix(doubling)?;
            code.again(&again);
            code.last_round()?;
        }
        Tail::Shared => {
            code.items.push(branch(isa, "b", &midst));
            code.items.push(Item::Label(again.clone()));
            code.mix(doubling)?;
            code.items.push(Item::Label(midst));
            code.look_ups()?;
            code.again(&again);
            code.last_key()?;
        }
    }
    let items = function(isa, &[2], &code.used, (0, 0), code.items);
    let table = tables::bytes(&label, direction, memory);
    Ok(vec![section(isa, symbol, items, &[(&pool, &label)]), table])
}
