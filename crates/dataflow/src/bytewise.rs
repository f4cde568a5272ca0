//! The bytewise technique: the four steps of a round exactly as in FIPS-197, each a small program on parts of the
//! state. The parts are bytes, or columns as words; products in MixColumns are repeated doublings, or look-ups.

use crate::memory::{Direction, Memory};
use crate::program::{Element, Node, Program, Value, Word};

/// The choices of this technique that change the computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bytewise {
    /// True if the parts are columns, words of 32 bits with row 0 lowest; otherwise they are bytes.
    pub words: bool,
    /// True if products are looked up.
    pub by_table: bool,
    /// The cipher or its inverse.
    pub direction: Direction,
}

/// A step: programs, and the parts of the state that each reads and then writes. Parts are numbered as the bytes of a
/// block, or as its columns for words.
pub type Step = Vec<(Vec<usize>, Program)>;

impl Bytewise {
    /// The number of parts of the state.
    pub const fn parts(self) -> usize {
        if self.words { 4 } else { 16 }
    }

    /// SubBytes or InvSubBytes of one part.
    pub fn sub_bytes(self) -> Program {
        let from = Memory::Substitution(self.direction);
        let mut p = Program::new(Word::U32, 1);
        let x = p.input(0);
        let out = if self.words {
            let bytes: Vec<Value> = (0..4).map(|k| p.push(Node::Byte(x, k))).collect();
            self.joined(&mut p, &bytes, |p, index, _| look_up(p, from, index))
        } else {
            look_up(&mut p, from, x)
        };
        p.outputs.push(out);
        p
    }

    /// ShiftRows or InvShiftRows: row by row, or on all columns at once.
    pub fn shift_rows(self) -> Step {
        let from = |column: usize, row: usize| match self.direction {
            Direction::Forward => (column + row) % 4,
            Direction::Inverse => (column + 4 - row) % 4,
        };
        if !self.words {
            return (1..4)
                .map(|row| {
                    let mut p = Program::new(Word::U32, 4);
                    p.outputs = (0..4).map(|column| p.input(from(column, row))).collect();
                    ((0..4).map(|column| 4 * column + row).collect(), p)
                })
                .collect();
        }
        let mut p = Program::new(Word::U32, 4);
        for column in 0..4 {
            let rows: Vec<Value> = (0..4)
                .map(|row| {
                    let mut mask = [0; 16];
                    mask[row] = 0xff;
                    let mask = p.push(Node::Constant(mask));
                    let word = p.input(from(column, row));
                    p.push(Node::And(word, mask))
                })
                .collect();
            let sum = p.sum(&rows);
            p.outputs.push(sum);
        }
        vec![((0..4).collect(), p)]
    }

    /// MixColumns or InvMixColumns.
    pub fn mix_columns(self) -> Step {
        let column = match (self.words, self.by_table) {
            (true, true) => self.word_by_table(),
            (true, false) => self.word_by_doubling(),
            (false, true) => self.bytes_by_table(),
            (false, false) => self.bytes_by_doubling(),
        };
        let parts = |c: usize| if self.words { vec![c] } else { (4 * c..4 * c + 4).collect() };
        (0..4).map(|c| (parts(c), column.clone())).collect()
    }

    /// AddRoundKey of one part: inputs are the part and the key's.
    pub fn add_round_key(self) -> Program {
        let mut p = Program::new(Word::U32, 2);
        let (a, b) = (p.input(0), p.input(1));
        let sum = p.xor(a, b);
        p.outputs.push(sum);
        p
    }

    /// A word whose byte `k` is `of` byte `k`.
    fn joined(
        self,
        p: &mut Program,
        bytes: &[Value],
        of: impl Fn(&mut Program, Value, usize) -> Value,
    ) -> Value {
        let parts: Vec<Value> = bytes
            .iter()
            .enumerate()
            .map(|(k, &byte)| {
                let part = of(p, byte, k);
                if k == 0 { part } else { p.push(Node::ShiftLeft(Element::B32, part, 8 * k as u8)) }
            })
            .collect();
        p.sum(&parts)
    }

    /// Row `row` of a column of bytes, with products looked up.
    fn row_by_table(self, p: &mut Program, bytes: &[Value], row: usize) -> Value {
        let matrix = self.direction.matrix();
        let parts: Vec<Value> = (0..4)
            .map(|k| match matrix[(k + 4 - row) % 4] {
                1 => bytes[k],
                by => look_up(p, Memory::Products(by), bytes[k]),
            })
            .collect();
        // A look-up comes first, because its register takes the sum.
        let first = (0..4).find(|&k| parts[k] != bytes[k]).expect("no row is all ones");
        let order: Vec<Value> = (0..4).map(|i| parts[(first + i) % 4]).collect();
        p.sum(&order)
    }

    fn bytes_by_table(self) -> Program {
        let mut p = Program::new(Word::U32, 4);
        let bytes: Vec<Value> = (0..4).map(|k| p.input(k)).collect();
        p.outputs = (0..4).map(|row| self.row_by_table(&mut p, &bytes, row)).collect();
        p
    }

    fn word_by_table(self) -> Program {
        let mut p = Program::new(Word::U32, 1);
        let x = p.input(0);
        let rows: Vec<Value> = (0..4)
            .map(|row| {
                let bytes: Vec<Value> = (0..4).map(|k| p.push(Node::Byte(x, k))).collect();
                self.row_by_table(&mut p, &bytes, row)
            })
            .collect();
        let out = self.joined(&mut p, &rows, |_, row, _| row);
        p.outputs.push(out);
        p
    }

    /// Computes `row' = row + t + 2 (row + next)` with `t` the sum of all four rows. InvMixColumns is MixColumns after
    /// adding 4 times the sum of a row and the row two further to both of them.
    fn bytes_by_doubling(self) -> Program {
        let mut p = Program::new(Word::U32, 4);
        let mut rows: [Value; 4] = std::array::from_fn(|k| p.input(k));
        if self.direction == Direction::Inverse {
            for k in 0..2 {
                let sum = p.xor(rows[k], rows[k + 2]);
                let two = self.double(&mut p, sum);
                let four = self.double(&mut p, two);
                rows[k] = p.xor(four, rows[k]);
                rows[k + 2] = p.xor(rows[k + 2], four);
            }
        }
        let t = p.sum(&rows);
        p.outputs = (0..4)
            .map(|k| {
                let sum = p.xor(rows[k], rows[(k + 1) % 4]);
                let two = self.double(&mut p, sum);
                let part = p.xor(two, rows[k]);
                p.xor(part, t)
            })
            .collect();
        p
    }

    /// Computes [`Bytewise::bytes_by_doubling`] on a word, where a rotation aligns each row with the next.
    fn word_by_doubling(self) -> Program {
        let rotated =
            |p: &mut Program, x: Value, rows: u8| p.push(Node::RotateRight(Element::B32, x, 8 * rows));
        let mut p = Program::new(Word::U32, 1);
        let mut x = p.input(0);
        if self.direction == Direction::Inverse {
            let far = rotated(&mut p, x, 2);
            let sum = p.xor(far, x);
            let two = self.double(&mut p, sum);
            let four = self.double(&mut p, two);
            x = p.xor(four, x);
        }
        let next = rotated(&mut p, x, 1);
        let sum = p.xor(x, next);
        let two = self.double(&mut p, sum);
        let far = rotated(&mut p, sum, 2);
        let out = p.sum(&[two, next, far]);
        p.outputs.push(out);
        p
    }

    /// Doubles every byte: shifts it and, where bit 7 was set, adds the modulus 0x1b, as the sum of its bits, which are
    /// shifts of bit 7.
    fn double(self, p: &mut Program, x: Value) -> Value {
        let constant = |p: &mut Program, byte: u8| {
            let mut bytes = [0; 16];
            bytes[..if self.words { 4 } else { 1 }].fill(byte);
            p.push(Node::Constant(bytes))
        };
        let (top, rest) = (constant(p, 0x80), constant(p, 0x7f));
        let top = p.push(Node::And(x, top));
        let rest = p.push(Node::And(x, rest));
        let mut sum = p.push(Node::ShiftLeft(Element::B32, rest, 1));
        for by in [7, 6, 4, 3] {
            let bit = p.push(Node::ShiftRight(Element::B32, top, by));
            sum = p.xor(sum, bit);
        }
        sum
    }
}

/// A word of the key schedule that uses SubWord (FIPS-197, 5.2). Inputs are the previous word and the word one
/// cipher-key length earlier. With a round constant, RotWord comes first and the constant is added.
pub fn schedule_word(constant: Option<u8>) -> Program {
    let mut p = Program::new(Word::U32, 2);
    let (before, first) = (p.input(0), p.input(1));
    let turn = u8::from(constant.is_some());
    let mut sum = first;
    for k in 0..4 {
        let byte = p.push(Node::Byte(before, (k + turn) % 4));
        let s = look_up(&mut p, Memory::Substitution(Direction::Forward), byte);
        let s = if k == 0 { s } else { p.push(Node::ShiftLeft(Element::B32, s, 8 * k)) };
        sum = p.xor(s, sum);
    }
    if let Some(constant) = constant {
        let mut bytes = [0; 16];
        bytes[0] = constant;
        let constant = p.push(Node::Constant(bytes));
        sum = p.xor(sum, constant);
    }
    p.outputs.push(sum);
    p
}

fn look_up(p: &mut Program, from: Memory, index: Value) -> Value {
    p.push(Node::Load { from, index, scale: 1, offset: 0, bytes: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::KeySize;
    use aesmith_cipher::block::{self, Block};

    fn parts(way: Bytewise, block: Block) -> Vec<u128> {
        let size = 16 / way.parts();
        let part = |bytes: &[u8]| bytes.iter().rev().fold(0, |x, &b| x << 8 | u128::from(b));
        block.chunks(size).map(part).collect()
    }

    fn step(state: &mut [u128], step: &Step) {
        for (at, program) in step {
            let inputs: Vec<u128> = at.iter().map(|&i| state[i]).collect();
            for (&i, out) in at.iter().zip(program.run(&inputs)) {
                state[i] = out;
            }
        }
    }

    /// The values of FIPS-197, appendix A.1: words 3, 0 and 4 of the expanded key.
    #[test]
    fn a_word_of_the_schedule() {
        let word = |hex: u32| u128::from(hex.swap_bytes());
        let found = schedule_word(Some(1)).run(&[word(0x09cf_4f3c), word(0x2b7e_1516)]);
        assert_eq!(found, [word(0xa0fa_fe17)]);
        // SubWord alone, appendix A.3: words 11, 4 and 12.
        let found = schedule_word(None).run(&[word(0xa8b0_9c1a), word(0x1f35_2c07)]);
        let sub = |x: u32| u32::from_be_bytes(x.to_be_bytes().map(|b| block::SBOX[usize::from(b)]));
        assert_eq!(found, [word(sub(0xa8b0_9c1a) ^ 0x1f35_2c07)]);
    }

    #[test]
    fn every_way_is_fips_197() {
        let key: Vec<u8> = (0..16u8).map(|i| i.wrapping_mul(91) ^ 5).collect();
        for words in [false, true] {
            for by_table in [false, true] {
                for direction in [Direction::Forward, Direction::Inverse] {
                    let way = Bytewise { words, by_table, direction };
                    let keys = match direction {
                        Direction::Forward => block::expand_key(KeySize::Aes128, &key),
                        Direction::Inverse => block::expand_key_inverse(KeySize::Aes128, &key),
                    };
                    let add = |state: &mut Vec<u128>, key: Block| {
                        for (part, key) in state.iter_mut().zip(parts(way, key)) {
                            *part = way.add_round_key().run(&[*part, key])[0];
                        }
                    };
                    for seed in 0..16u8 {
                        let text: Block =
                            std::array::from_fn(|i| (i as u8).wrapping_mul(77) ^ seed.wrapping_mul(41));
                        let mut state = parts(way, text);
                        add(&mut state, keys[0]);
                        for (round, &key) in keys.iter().enumerate().skip(1) {
                            for part in &mut state {
                                *part = way.sub_bytes().run(&[*part])[0];
                            }
                            step(&mut state, &way.shift_rows());
                            if round < 10 {
                                step(&mut state, &way.mix_columns());
                            }
                            add(&mut state, key);
                        }
                        let expected = match direction {
                            Direction::Forward => block::encrypt(&keys, text),
                            Direction::Inverse => block::decrypt(&keys, text),
                        };
                        assert_eq!(state, parts(way, expected), "{way:?}");
                    }
                }
            }
        }
    }
}
