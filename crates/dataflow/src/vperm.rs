//! The technique with nibble look-ups: SubBytes in the tower field (see [`crate::tower`]).
//!
//! On whole blocks, state and keys stay in the basis of FIPS-197. A round of encryption has 33 operations, of which 13
//! are look-ups, shuffles and rotations (1 for ShiftRows, 2 into the tower field, 5 to invert, 2 out of it, 3 for
//! MixColumns); a round of decryption has 39, of which 16 are. Groups, whose text and round keys are converted to the
//! tower field, have 28 with 13, or 27 with 12 where ShiftRows is left out; for decryption 33 with 17, or 32 with 16.
//! Round keys that are added early save one operation per round of encryption.

use crate::Round;
use crate::gfni::{INVERSE_MATRIX, SBOX_CONSTANT, SBOX_MATRIX};
use crate::program::{Node, Program, Value, Word};
use crate::steps::{self, Doubling};
use crate::technique::{Choices, Counter, KeyForm, Sliced};
use crate::tower::{Tower, image, inverted, mapped};
use aesmith_cipher::block::gf_mul;

/// A round: see [`crate::technique::round`].
pub fn round(round: Round) -> Program {
    let tower = Tower::get();
    let mut p = Program::new(Word::Lane, 2);
    let (state, key) = (p.input(0), p.input(1));
    let decrypts = matches!(round, Round::Decrypt | Round::DecryptLast);
    let state = steps::shift_rows(&mut p, state, decrypts);
    let x = mapped(&mut p, state, |x| if decrypts { tower.of_sbox(x) } else { tower.of(x) });
    let x = inverted(&mut p, tower, x);
    // The key includes the constants that the look-ups leave out: that of the S-box, which MixColumns keeps, and that
    // of doubling.
    let with_constant = |p: &mut Program, constant: u8| {
        let constant = steps::constant(p, constant);
        p.xor(key, constant)
    };
    let out = match round {
        Round::Encrypt | Round::EncryptLast => {
            let s = image(&mut p, tower, x, |x| SBOX_MATRIX.apply(x));
            if round == Round::Encrypt {
                let key = with_constant(&mut p, SBOX_CONSTANT ^ Doubling::Lookup.left_by_mix());
                steps::mix_columns(&mut p, s, key, Doubling::Lookup)
            } else {
                let key = with_constant(&mut p, SBOX_CONSTANT);
                p.xor(s, key)
            }
        }
        Round::Decrypt => {
            let s = image(&mut p, tower, x, |x| x);
            let four = image(&mut p, tower, x, |x| gf_mul(x, 4));
            let far = steps::rotate_rows(&mut p, four, 2);
            let before = p.sum(&[s, four, far]);
            let key = with_constant(&mut p, Doubling::Lookup.left_by_mix());
            steps::mix_columns(&mut p, before, key, Doubling::Lookup)
        }
        Round::DecryptLast => {
            let s = image(&mut p, tower, x, |x| x);
            p.xor(s, key)
        }
    };
    p.outputs.push(out);
    p
}

/// The technique in the tower field: text lanes are processed side by side, with one key lane for all. For decryption,
/// the state is converted after the inverse of the affine part of the S-box.
struct Group {
    choices: Choices,
    lanes: usize,
    rounds: usize,
    inverse: bool,
}

impl Group {
    /// A program that applies a function to each lane and the key.
    fn with_key(&self, of: impl Fn(&mut Program, Value, Value) -> Value) -> Program {
        let mut p = Program::new(Word::Lane, self.lanes as u16 + 1);
        let key = p.input(self.lanes);
        for i in 0..self.lanes {
            let state = p.input(i);
            let out = of(&mut p, state, key);
            p.outputs.push(out);
        }
        p.simplified()
    }

    /// A program that applies a function to each lane and adds the key.
    fn add_to_each(&self, of: impl Fn(&mut Program, Value) -> Value) -> Program {
        self.with_key(|p, state, key| {
            let changed = of(p, state);
            p.xor(changed, key)
        })
    }

    /// True if a round's key is added before MixColumns.
    fn is_early(&self, number: usize) -> bool {
        self.choices.early_key && !self.inverse && number > 0 && number < self.rounds
    }

    /// The number of times that ShiftRows has been left out before MixColumns of round `number`, modulo 4.
    fn turn(&self, number: usize) -> usize {
        if !self.choices.fixsliced {
            0
        } else if self.inverse {
            3 * number % 4
        } else {
            number % 4
        }
    }

    /// Applies ShiftRows `turn` times.
    fn turned(&self, p: &mut Program, x: Value, turn: usize) -> Value {
        if turn == 0 {
            return x;
        }
        p.push(Node::Bytes(x, std::array::from_fn(|i| (i % 4 + 4 * ((i / 4 + turn * (i % 4)) % 4)) as u8)))
    }

    /// Row `i` of each column takes row `i + rows`. Where ShiftRows has been left out `turn` times, that row is also
    /// `rows * turn` columns further.
    fn rotated(&self, p: &mut Program, x: Value, rows: usize, turn: usize) -> Value {
        let columns = rows * turn % 4;
        if columns == 0 {
            return steps::rotate_rows(p, x, rows as u8);
        }
        let from = |i: usize| (i % 4 + rows) % 4 + 4 * ((i / 4 + columns) % 4);
        p.push(Node::Bytes(x, std::array::from_fn(|i| from(i) as u8)))
    }

    /// ShiftRows, unless it is left out.
    fn shifted(&self, p: &mut Program, state: Value) -> Value {
        if self.choices.fixsliced { state } else { steps::shift_rows(p, state, self.inverse) }
    }

    /// A round of encryption with the key added early. With `s` after SubBytes, `s1` one row further and so on,
    /// MixColumns is `x + s3 + x1` where `x = 2 s + s1`. A value added to every `s` except in `2 s` adds the sum of
    /// three of its rotations to the result. That sum is the round key `k` if the value is itself the same sum for `k`
    /// (see [`Group::key`]): the sum of its three rotations contains `k` three times and each other rotation twice,
    /// which leaves `k`.
    fn early_round(&self, number: usize) -> Program {
        self.with_key(|p, state, key| {
            let state = self.shifted(p, state);
            let [s, two] = substituted(p, state);
            self.mixed(p, [s, two], key, number)
        })
    }

    /// MixColumns of an early round, from `s` and `2 s`.
    fn mixed(&self, p: &mut Program, [s, two]: [Value; 2], key: Value, number: usize) -> Value {
        let turn = self.turn(number);
        let s = p.xor(s, key);
        let next = self.rotated(p, s, 1, turn);
        let both = p.xor(two, next);
        let (last, far) = (self.rotated(p, s, 3, turn), self.rotated(p, both, 1, turn));
        p.sum(&[both, last, far])
    }

    fn round(&self, number: usize) -> Program {
        if self.is_early(number) {
            return self.early_round(number);
        }
        let tower = Tower::get();
        let turn = self.turn(number);
        let linear =
            |x: u8| tower.of(if self.inverse { INVERSE_MATRIX.apply(x) } else { SBOX_MATRIX.apply(x) });
        self.add_to_each(|p, state| {
            let state = self.shifted(p, state);
            let x = inverted(p, tower, state);
            if number == self.rounds {
                return image(p, tower, x, |x| if self.inverse { x } else { SBOX_MATRIX.apply(x) });
            }
            if self.inverse {
                let parts = [14, 11, 13, 9].map(|by| image(p, tower, x, |x| linear(gf_mul(x, by))));
                let [own, rest @ ..] = parts;
                let rest = [1, 2, 3].map(|rows| self.rotated(p, rest[rows - 1], rows, turn));
                return p.sum(&[own, rest[0], rest[1], rest[2]]);
            }
            let s = image(p, tower, x, linear);
            let two = image(p, tower, x, |x| tower.of(gf_mul(SBOX_MATRIX.apply(x), 2)));
            let next = self.rotated(p, s, 1, turn);
            let both = p.xor(s, next);
            let far = self.rotated(p, both, 2, turn);
            let next_two = self.rotated(p, two, 1, turn);
            p.sum(&[two, next, next_two, far])
        })
    }

    fn key(&self, number: usize) -> Program {
        let tower = Tower::get();
        let mut p = Program::new(Word::Lane, 1);
        let key = p.input(0);
        let last = number == self.rounds;
        let key = match (self.inverse, last) {
            (true, true) => key,
            (true, false) => mapped(&mut p, key, |x| tower.of_sbox(x)),
            (false, true) => {
                let constant = steps::constant(&mut p, SBOX_CONSTANT);
                p.xor(key, constant)
            }
            (false, false) => {
                let constant = if number == 0 { 0 } else { SBOX_CONSTANT };
                mapped(&mut p, key, |x| tower.of(x ^ constant))
            }
        };
        let mut out = self.turned(&mut p, key, (4 - self.turn(number)) % 4);
        if self.is_early(number) {
            let parts = [1, 2, 3].map(|rows| self.rotated(&mut p, out, rows, self.turn(number)));
            out = p.sum(&parts);
        }
        p.outputs.push(out);
        p
    }

    fn each(&self, of: impl Fn(&mut Program, Value) -> Value) -> Program {
        let mut p = Program::new(Word::Lane, self.lanes as u16);
        for i in 0..self.lanes {
            let x = p.input(i);
            let out = of(&mut p, x);
            p.outputs.push(out);
        }
        p.simplified()
    }
}

/// SubBytes of a state in the tower field, without its constant, and twice that.
fn substituted(p: &mut Program, state: Value) -> [Value; 2] {
    let tower = Tower::get();
    let x = inverted(p, tower, state);
    let times = |by: u8| move |x: u8| tower.of(gf_mul(SBOX_MATRIX.apply(x), by));
    [image(p, tower, x, times(1)), image(p, tower, x, times(2))]
}

/// The shared computation of counters that differ in their last byte: see [`crate::technique::counter`].
pub fn counter(choices: Choices) -> Counter {
    let group =
        Group { choices: Choices { early_key: true, ..choices }, lanes: 1, rounds: 10, inverse: false };
    // `entered` is a byte's place before MixColumns of a round; `reached` is the place, `rows` rows before it, of a
    // byte to which MixColumns adds it.
    let entered = |at: usize| if choices.fixsliced { at } else { at % 4 + 4 * ((at / 4 + 4 - at % 4) % 4) };
    let reached = |at: usize, rows: usize, number: usize| {
        (at % 4 + 4 - rows) % 4 + 4 * ((at / 4 + 4 * 4 - rows * group.turn(number)) % 4)
    };
    let place = entered(15);
    let first = std::array::from_fn(|row| reached(place, 3 - row, 1));
    let before = first.map(entered);
    let mut second = [0; 16];
    for (row, &at) in before.iter().enumerate() {
        for rows in 0..4 {
            second[reached(at, rows, 2)] = row;
        }
    }
    let mix = [1, 2].map(|number| {
        let mut p = Program::new(Word::Lane, 3);
        let [s, two, key] = [0, 1, 2].map(|k| p.input(k));
        let out = group.mixed(&mut p, [s, two], key, number);
        p.outputs.push(out);
        p
    });
    let mut substitute = Program::new(Word::Lane, 1);
    let state = substitute.input(0);
    let out = substituted(&mut substitute, state);
    substitute.outputs.extend(out);
    let enter = group.each(|p, state| group.shifted(p, state));
    Counter { enter, substitute, mix, place, first, before, second }
}

/// The form of groups: see [`crate::technique::sliced`]. It has one key lane for all words.
pub fn sliced(choices: Choices, rounds: usize, inverse: bool) -> Sliced {
    let lanes = 1 << choices.spread.min(2);
    let group = Group { choices, lanes, rounds, inverse };
    let tower = Tower::get();
    let enter = |x| tower.of(if inverse { INVERSE_MATRIX.apply(x) } else { x });
    Sliced {
        words: lanes,
        texts: lanes,
        pack: group.each(|p, x| mapped(p, x, enter)),
        keys: (0..=rounds).map(|number| group.key(number)).collect(),
        key_form: KeyForm::Lane,
        whiten: group.add_to_each(|_, x| x),
        rounds: (1..=rounds).map(|number| group.round(number)).collect(),
        unpack: group.each(|p, x| group.turned(p, x, group.turn(rounds))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_ups_are_counted() {
        let operations = |program: Program| {
            let nodes = program.nodes.iter();
            let shuffles = nodes
                .clone()
                .filter(|n| matches!(n, Node::Nibble(..) | Node::Bytes(..) | Node::RotateRight(..)));
            let leaves = nodes.filter(|n| matches!(n, Node::Input(_) | Node::Constant(_))).count();
            (shuffles.count(), program.nodes.len() - leaves)
        };
        assert_eq!(operations(round(Round::Encrypt)), (13, 33));
        assert_eq!(operations(round(Round::Decrypt)), (16, 39));
        let grouped = |fixsliced, inverse| {
            let choices = Choices { fixsliced, ..Choices::default() };
            operations(sliced(choices, 10, inverse).rounds.swap_remove(1))
        };
        assert_eq!([grouped(false, false), grouped(true, false)], [(13, 28), (12, 27)]);
        assert_eq!([grouped(false, true), grouped(true, true)], [(17, 33), (16, 32)]);
        let early = Choices { fixsliced: true, early_key: true, ..Choices::default() };
        assert_eq!(operations(sliced(early, 10, false).rounds.swap_remove(1)), (12, 26));
    }
}
