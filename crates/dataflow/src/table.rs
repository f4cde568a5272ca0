//! The T-table technique: SubBytes, ShiftRows and MixColumns of a column are four look-ups of 32-bit words (Daemen and
//! Rijmen's proposal, 5.2.1), with the choices of Bernstein and Schwabe, "New AES software speed records" (Indocrypt
//! 2008), section 4.

use crate::Round;
use crate::memory::{Direction, Layout, Memory};
use crate::program::{Element, Node, Program, Value, Word};

/// The look-ups of the last round, which has no MixColumns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Last {
    /// The S-box, one byte at a time, shifted into place.
    Substitution,
    /// Words of tables with all but one byte masked off.
    Masked,
    /// Bytes of the T-tables, shifted into place. Only the T-tables of the cipher, not of its inverse, contain the
    /// plain S-box.
    Bytes,
    /// Bytes, pairs and words of the T-tables that hold the S-box in place, masked.
    TwoBytes,
}

impl Last {
    /// All forms, in the order of the dimension `last`.
    pub const ALL: [Last; 4] = [Last::Substitution, Last::Masked, Last::Bytes, Last::TwoBytes];
}

/// The choices of this technique that change the computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tables {
    /// The memory layout of the T-tables.
    pub layout: Layout,
    /// The look-ups of the last round.
    pub last: Last,
    /// The cipher or its inverse.
    pub direction: Direction,
}

/// The look-ups of a round that a program performs: true at `[w][k]` for byte `k` of word `w`.
pub type Present = [[bool; 4]; 4];

/// All look-ups of a round.
pub const ALL: Present = [[true; 4]; 4];

/// All look-ups of round 1 except that of the fast counter byte: see [`Tables::fast`].
pub const SLOW: Present = {
    let mut present = ALL;
    present[3][3] = false;
    present
};

impl Tables {
    /// True if state and round keys between the first round and the last are padded words.
    pub fn padded(self) -> bool {
        self.layout == Layout::Padded
    }

    /// The column to which ShiftRows or InvShiftRows moves byte `k` of word `w`.
    fn column(self, w: usize, k: usize) -> usize {
        match self.direction {
            Direction::Forward => (w + 4 - k) % 4,
            Direction::Inverse => (w + k) % 4,
        }
    }

    /// The table index for byte `k` of `state`: the byte, or with a padded state 16 times the byte.
    fn index(self, p: &mut Program, state: Value, k: u8, plain: bool, last: bool) -> Value {
        if plain || !self.padded() {
            return p.push(Node::Byte(state, k));
        }
        let half = p.push(Node::Half(state, k));
        if last { p.push(Node::ShiftRight(Element::B32, half, 4)) } else { half }
    }

    /// The look-up of byte `k` in a round with MixColumns.
    fn mixed(self, p: &mut Program, index: Value, k: u8, plain: bool) -> Value {
        let from = Memory::Mixed(self.layout, self.direction);
        let place = from.place(k);
        let padded = self.padded();
        // A padded state already contains offsets into a padded table.
        let scale = if padded && !plain { 1 } else { place.scale };
        let bytes = if padded { 8 } else { 4 };
        let entry = p.push(Node::Load { from, index, scale, offset: place.offset, bytes });
        rotated(p, entry, place.rotate)
    }

    /// The look-up of byte `k` in the last round.
    fn last(self, p: &mut Program, index: Value, k: u8) -> Value {
        let tables = Memory::Mixed(self.layout, self.direction);
        let byte = |p: &mut Program, from: Memory, scale, offset| {
            let byte = p.push(Node::Load { from, index, scale, offset, bytes: 1 });
            if k == 0 { byte } else { p.push(Node::ShiftLeft(Element::B32, byte, 8 * k)) }
        };
        // T0 is (2, 1, 1, 3) times the S-box.
        let first = tables.place(0);
        let single = first.offset + 1;
        match self.last {
            Last::Substitution => byte(p, Memory::Substitution(self.direction), 1, 0),
            Last::Masked => {
                let from = Memory::Masked(self.layout, self.direction);
                let place = from.place(k);
                let (scale, offset) = (place.scale, place.offset);
                let entry = p.push(Node::Load { from, index, scale, offset, bytes: 4 });
                rotated(p, entry, place.rotate)
            }
            Last::Bytes => byte(p, tables, first.scale, single),
            Last::TwoBytes => {
                // T1 is (3, 2, 1, 1) times the S-box; a layout that rotates T0 does not contain it.
                let (from, bytes) = match k {
                    1 => (single, 2),
                    2 => (first.offset, 4),
                    3 if self.layout != Layout::Rotated => (tables.place(1).offset, 4),
                    _ => return byte(p, tables, first.scale, single),
                };
                let load = Node::Load { from: tables, index, scale: first.scale, offset: from, bytes };
                let load = p.push(load);
                let mut mask = [0; 16];
                mask[usize::from(k)] = 0xff;
                let mask = p.push(Node::Constant(mask));
                p.push(Node::And(load, mask))
            }
        }
    }

    /// Adds the look-ups of a round that are `present` to `start`, in an order that keeps few values live: all bytes of
    /// a word are extracted before its own column is begun, so the column can use the word's register.
    pub fn columns(
        self,
        p: &mut Program,
        state: [Option<Value>; 4],
        start: [Value; 4],
        shape: Shape,
        present: Present,
    ) -> [Value; 4] {
        let mut columns: [Option<Value>; 4] = [None; 4];
        let mut waiting: Vec<(usize, u8, Value)> = Vec::new();
        for w in 0..4 {
            for k in 0..4 {
                let (Some(word), true) = (state[w], present[w][k]) else { continue };
                let index = self.index(p, word, k as u8, shape.plain, shape.last);
                waiting.push((self.column(w, k), k as u8, index));
                if columns[self.column(w, k)].is_some() {
                    self.add(p, &mut columns, &mut waiting, shape);
                }
            }
            columns[w] = Some(start[w]);
            self.add(p, &mut columns, &mut waiting, shape);
        }
        columns.map(|column| column.expect("every column was begun"))
    }

    /// Adds the waiting look-ups to the columns that are begun.
    fn add(
        self,
        p: &mut Program,
        columns: &mut [Option<Value>; 4],
        waiting: &mut Vec<(usize, u8, Value)>,
        shape: Shape,
    ) {
        waiting.retain(|&(column, k, index)| {
            let Some(sum) = columns[column] else { return true };
            let part = if shape.last { self.last(p, index, k) } else { self.mixed(p, index, k, shape.plain) };
            columns[column] = Some(p.xor(sum, part));
            false
        });
    }

    /// Adds the round-1 contribution of the fast counter byte, byte 3 of word 3 with its round key added, to the first
    /// column.
    pub fn fast(self, p: &mut Program, column: Value, byte: Value) -> Value {
        let part = self.mixed(p, byte, 3, true);
        p.xor(column, part)
    }

    /// A round. Inputs are the four columns of the state, then those of the round key (padded in every round but the
    /// last, if the state is); outputs are the columns. `first` means that the state is not padded yet.
    pub fn round(self, round: Round, first: bool) -> Program {
        let last = matches!(round, Round::EncryptLast | Round::DecryptLast);
        let mut p = Program::new(if self.padded() { Word::U64 } else { Word::U32 }, 8);
        let state: [Option<Value>; 4] = std::array::from_fn(|w| Some(p.input(w)));
        let keys: [Value; 4] = std::array::from_fn(|w| p.input(4 + w));
        let shape = Shape { plain: first, last };
        p.outputs = self.columns(&mut p, state, keys, shape, ALL).to_vec();
        p
    }
}

/// InvMixColumns of a column: the T-tables of the inverse cipher after the S-box, which cancels their inverse S-box.
/// Key schedules for decryption need it.
pub fn inverse_mix_columns() -> Program {
    let mut p = Program::new(Word::U32, 1);
    let word = p.input(0);
    let tables = Memory::Mixed(Layout::Separate, Direction::Inverse);
    let parts: Vec<Value> = (0..4)
        .map(|k| {
            let index = p.push(Node::Byte(word, k));
            let from = Memory::Substitution(Direction::Forward);
            let index = p.push(Node::Load { from, index, scale: 1, offset: 0, bytes: 1 });
            let place = tables.place(k);
            let (scale, offset) = (place.scale, place.offset);
            p.push(Node::Load { from: tables, index, scale, offset, bytes: 4 })
        })
        .collect();
    let sum = p.sum(&parts);
    p.outputs.push(sum);
    p
}

/// The kind of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// True if the state is not padded: the first round.
    pub plain: bool,
    /// True if MixColumns is left out: the last round.
    pub last: bool,
}

/// Rotates a word towards the high bits.
fn rotated(p: &mut Program, word: Value, bits: u8) -> Value {
    if bits == 0 { word } else { p.push(Node::RotateRight(Element::B32, word, 32 - bits)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::block::{self, Block};

    fn words(block: Block) -> Vec<u128> {
        block.chunks(4).map(|c| u128::from(u32::from_le_bytes(c.try_into().unwrap()))).collect()
    }

    fn pad(word: u128) -> u128 {
        (0..4).fold(0, |padded, k| padded | (word >> (8 * k) & 0xff) << (16 * k + 4))
    }

    #[test]
    fn tables_mix_columns_backwards() {
        for x in [0x0123_4567u32, 0xdead_beef, 1, 0x8000_0000] {
            let mut column = [0; 16];
            column[..4].copy_from_slice(&x.to_le_bytes());
            let expected = block::mix(column, block::INV_MIX);
            assert_eq!(inverse_mix_columns().run(&[x.into()]), words(expected)[..1]);
        }
    }

    /// The whole cipher from its rounds, with keys of the reference schedule.
    fn cipher(tables: Tables, keys: &[Block], text: Block) -> Vec<u128> {
        let (inner, last) = match tables.direction {
            Direction::Forward => (Round::Encrypt, Round::EncryptLast),
            Direction::Inverse => (Round::Decrypt, Round::DecryptLast),
        };
        let mut state = words(block::xor(text, keys[0]));
        let end = keys.len() - 1;
        for (r, key) in keys.iter().enumerate().skip(1) {
            let mut key = words(*key);
            if tables.padded() && r < end {
                key = key.into_iter().map(pad).collect();
            }
            state.extend(key);
            state = tables.round(if r == end { last } else { inner }, r == 1).run(&state);
        }
        state
    }

    #[test]
    fn every_table_and_last_round_is_fips_197() {
        use aesmith_cipher::KeySize;
        for size in KeySize::ALL {
            let key: Vec<u8> = (0..size.bytes()).map(|i| (i * 37 + 11) as u8).collect();
            for seed in 0..8u8 {
                let text: Block =
                    std::array::from_fn(|i| (i as u8).wrapping_mul(0x3b).wrapping_add(seed * 29));
                for layout in Layout::ALL {
                    for last in Last::ALL {
                        let forward = Tables { layout, last, direction: Direction::Forward };
                        if forward.padded() && last != Last::Substitution {
                            continue;
                        }
                        let keys = block::expand_key(size, &key);
                        let expected = words(block::encrypt(&keys, text));
                        assert_eq!(cipher(forward, &keys, text), expected, "{forward:?}");
                        if matches!(last, Last::Bytes | Last::TwoBytes) {
                            continue;
                        }
                        let inverse = Tables { direction: Direction::Inverse, ..forward };
                        let keys = block::expand_key_inverse(size, &key);
                        let expected = words(block::decrypt(&keys, text));
                        assert_eq!(cipher(inverse, &keys, text), expected, "{inverse:?}");
                    }
                }
            }
        }
    }
}
