//! Functions on one block, with look-ups in a T-table or an S-box: common parts, and unrolled rounds.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_isa::Isa;
use aesmith_isa::assemble::{Item, Section};
use aesmith_order::inorder::block::insn;

use super::bytes::Doubling;
use super::rounds::{Keys, last, mixed, substituted};
use super::tables;
use super::writer::{FREE, How, Line, SP, TEXT, branch, function, section};
use crate::dimensions::Memory;

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

/// The kind of table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A T-table of columns.
    Columns,
    /// An S-box of bytes, with this implementation of doubling.
    Bytes(Doubling),
}

impl Form {
    /// A round with MixColumns.
    pub fn round(
        self,
        line: &mut Line,
        direction: Direction,
        table: i32,
        state: [i32; 4],
        keys: Keys,
    ) -> [i32; 4] {
        match self {
            Form::Columns => mixed(line, direction, table, state, keys),
            Form::Bytes(doubling) => {
                let columns = substituted(line, direction, (table, 1), state, None);
                doubling.columns(line, direction, columns, keys)
            }
        }
    }

    /// The base of the last round's bytes and the size of its entries.
    pub fn bytes(self, line: &mut Line, direction: Direction, table: i32) -> (i32, i32) {
        match self {
            Form::Columns => bytes(line, direction, table),
            Form::Bytes(_) => (table, 1),
        }
    }

    /// The section of its table.
    pub fn tables(self, label: &str, direction: Direction, memory: Memory) -> Section {
        match self {
            Form::Columns => tables::rounds(label, direction, memory),
            Form::Bytes(_) => tables::bytes(label, direction, memory),
        }
    }
}

/// The address of the output, which was saved below all other registers.
pub fn output(line: &mut Line) -> i32 {
    let out = line.block.fresh();
    line.put("ldr.post_up", &[("rt", out), ("rn", SP), ("imm", 4)]);
    out
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`
pub fn unrolled(
    size: KeySize,
    symbol: &str,
    direction: Direction,
    form: Form,
    how: &How,
) -> Result<Vec<Section>, String> {
    let (label, pool) = (format!("{symbol}_tables"), format!(".L{symbol}_tables"));
    let mut line = Line::new();
    let (key, input) = (line.block.enter(0), line.block.enter(1));
    let table = line.literal(&pool);
    let mut state = first(&mut line, input, Keys::At(key, 0));
    let rounds = size.rounds() as i32;
    for round in 1..rounds {
        state = form.round(&mut line, direction, table, state, Keys::At(key, 16 * round));
    }
    let bytes = form.bytes(&mut line, direction, table);
    let result = last(&mut line, direction, bytes, state, Keys::At(key, 16 * rounds));
    let out = output(&mut line);
    stored(&mut line, result, out);
    let (items, used) = line.arranged(how, &FREE)?;
    let items = function(line.isa, &[2], &used, (0, 0), items);
    Ok(vec![reached(line.isa, symbol, items, (&pool, &label)), form.tables(&label, direction, Memory::Ram)])
}

/// The distance in bytes after an instruction within which it can read words.
const REACH: usize = 4000;

/// The section of a function whose first instructions read a word: the word follows the function or, if that is
/// too far, lies in its middle with a branch over it.
fn reached(isa: &Isa, symbol: &str, items: Vec<Item>, (pool, label): (&str, &str)) -> Section {
    let mut sizes = items.iter().filter_map(insn).map(|i| usize::from(isa.of(i).bytes()));
    if sizes.clone().sum::<usize>() < REACH {
        return section(isa, symbol, items, &[(pool, label)]);
    }
    let mut at = 0;
    // A 4-byte branch at a multiple of four leaves the word aligned.
    let place = sizes.position(|bytes| {
        at += bytes;
        at > REACH / 2 && at % 4 == 0
    });
    let mut items = items;
    let over = format!("{pool}_over");
    let inside = [
        branch(isa, "b.w", &over),
        Item::Label(pool.to_owned()),
        Item::Word(Some(label.to_owned()), 0),
        Item::Label(over),
    ];
    let place = place.map_or(items.len(), |place| place + 1);
    items.splice(place..place, inside);
    section(isa, symbol, items, &[])
}
