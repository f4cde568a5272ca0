//! A word as a sum over the bytes of a goal's input words.

use aesmith_cipher::block::gf_mul;
use aesmith_cipher::problem::Direction;

use crate::form::{Form, Term, Via, matrix};
use crate::order::Order;
use crate::program::{Goal, Look};

/// The contribution of each input byte to a word, and a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// The contributions, by input word and byte.
    pub terms: Vec<[Term; 4]>,
    /// The constant summand.
    pub constant: u32,
}

impl Value {
    fn zero(words: usize) -> Value {
        Value { terms: vec![[Term::NOTHING; 4]; words], constant: 0 }
    }

    /// The value of an input word.
    pub fn word(words: usize, word: usize) -> Value {
        let mut value = Value::zero(words);
        for (byte, term) in value.terms[word].iter_mut().enumerate() {
            term.places[byte] = 1;
        }
        value
    }

    /// The image of a byte of an input word in a table.
    pub fn looked(words: usize, word: usize, look: Look) -> Value {
        let mut value = Value::zero(words);
        let term = &mut value.terms[word][usize::from(look.from)];
        term.via = Via::substitution(look.direction);
        term.places[usize::from(look.to)] = 1;
        value
    }

    /// The contribution of byte `k`, counted over all words.
    pub fn byte(&self, k: usize) -> &Term {
        &self.terms[k / 4][k % 4]
    }

    /// The number of bytes.
    pub fn bytes(&self) -> usize {
        4 * self.terms.len()
    }

    /// True if it is zero.
    pub fn is_nothing(&self) -> bool {
        self.terms.iter().flatten().all(Term::is_nothing)
    }

    /// True if it equals the contribution of some bytes to another value.
    pub(crate) fn is_part_of(&self, whole: &Value) -> bool {
        self.constant == 0
            && !self.is_nothing()
            && self
                .terms
                .iter()
                .flatten()
                .zip(whole.terms.iter().flatten())
                .all(|(a, b)| a.is_nothing() || a == b)
    }

    /// Applies `map` to the bytes of each term, and of the constant.
    fn mapped(&self, map: impl Fn([u8; 4]) -> [u8; 4]) -> Value {
        let one = |term: &Term| match map(term.places) {
            [0, 0, 0, 0] => Term::NOTHING,
            places => Term { via: term.via, places },
        };
        Value {
            terms: self.terms.iter().map(|terms| std::array::from_fn(|k| one(&terms[k]))).collect(),
            constant: u32::from_le_bytes(map(self.constant.to_le_bytes())),
        }
    }

    /// Rotates the word by this number of bytes towards the high bits.
    pub fn turned(&self, by: u8) -> Value {
        self.mapped(|places| std::array::from_fn(|k| places[(k + 4 - usize::from(by)) % 4]))
    }

    /// Masks the bytes of the word.
    pub fn kept(&self, mask: u8) -> Value {
        self.mapped(|places| std::array::from_fn(|k| if mask >> k & 1 == 1 { places[k] } else { 0 }))
    }

    /// Multiplies the word by a matrix.
    pub fn mixed(&self, by: &[[u8; 4]; 4]) -> Value {
        self.mapped(|places| {
            std::array::from_fn(|row| (0..4).fold(0, |sum, k| sum ^ gf_mul(by[row][k], places[k])))
        })
    }

    /// The sum of two values, if it is a sum over bytes.
    pub fn plus(&self, other: &Value) -> Option<Value> {
        let one = |(a, b): (&[Term; 4], &[Term; 4])| {
            let [w, x, y, z] = std::array::from_fn(|k| a[k].plus(&b[k]));
            Some([w?, x?, y?, z?])
        };
        let terms = self.terms.iter().zip(&other.terms).map(one).collect::<Option<_>>()?;
        Some(Value { terms, constant: self.constant ^ other.constant })
    }

    /// The value without S-boxes: each byte contributes as it is.
    pub fn plain(&self) -> Value {
        let one = |term: &Term| Term { via: Via::Same, places: term.places };
        Value { terms: self.terms.iter().map(|t| std::array::from_fn(|k| one(&t[k]))).collect(), constant: 0 }
    }

    /// The value of a form applied to values; missing operands are zero. `None` if it is no sum over bytes.
    pub fn of(words: usize, form: &Form, operands: &[Option<&Value>]) -> Option<Value> {
        let mut made = Value { constant: form.constant, ..Value::zero(words) };
        for (terms, operand) in form.inputs.iter().zip(operands) {
            for (byte, term) in terms.iter().enumerate().filter(|(_, t)| !t.is_nothing()) {
                match operand {
                    Some(value) => made.add(term, value, byte)?,
                    None => made.constant ^= term.of(0),
                }
            }
        }
        Some(made)
    }

    /// Adds the contribution of a byte of a value through a term.
    fn add(&mut self, term: &Term, value: &Value, byte: usize) -> Option<()> {
        let constant = value.constant.to_le_bytes()[byte];
        let share = |t: &Term| t.places[byte];
        if term.via != Via::Same {
            // A nonlinear function of a sum is a sum over bytes only if there is one summand with coefficient 1.
            let count = value.terms.iter().flatten().filter(|t| share(t) != 0).count();
            if count > 1 || (count == 1 && constant != 0) {
                return None;
            }
            if count == 0 {
                self.constant ^= term.of(constant);
                return Some(());
            }
        } else {
            self.constant ^= term.of(constant);
        }
        for (to, from) in self.terms.iter_mut().flatten().zip(value.terms.iter().flatten()) {
            let factor = share(from);
            if factor == 0 {
                continue;
            }
            if term.via != Via::Same && factor != 1 {
                return None;
            }
            let via = term.via.after(from.via)?;
            let places = term.places.map(|p| gf_mul(p, factor));
            *to = to.plus(&Term { via, places })?;
        }
        Some(())
    }
}

/// The outputs of a goal as values over its inputs without keys. Words of key schedules are columns as in FIPS-197, for
/// any order of the state.
pub(crate) fn goal_values(goal: Goal, order: Order) -> Vec<Value> {
    let one = |via: Via, terms: &dyn Fn(usize) -> [u8; 4]| {
        let bytes = std::array::from_fn(|byte| Term { via, places: terms(byte) });
        vec![Value { terms: vec![bytes], constant: 0 }]
    };
    let unit = |k: usize| std::array::from_fn(|place| u8::from(place == k));
    match goal {
        Goal::Round(direction) => state(direction, order, matrix(direction)),
        Goal::Last(direction) => state(direction, order, std::array::from_fn(unit)),
        // RotWord moves each byte down by one place (FIPS-197, 5.2, words as bytes in order).
        Goal::SubWord { turned } => one(Via::Sbox, &|byte| unit((byte + if turned { 3 } else { 0 }) % 4)),
        Goal::InverseMix => {
            let matrix = matrix(Direction::Decrypt);
            one(Via::Same, &|byte| std::array::from_fn(|row| matrix[row][byte]))
        }
    }
}

/// The words after SubBytes, ShiftRows and a matrix, or their inverses.
fn state(direction: Direction, order: Order, matrix: [[u8; 4]; 4]) -> Vec<Value> {
    let via = Via::substitution(direction);
    let mut words = vec![Value::zero(4); 4];
    for (word, value) in words.iter_mut().enumerate() {
        for byte in 0..4 {
            let (row, column) = order.place(word, byte);
            for (from, &factor) in matrix[row].iter().enumerate().filter(|(_, f)| **f != 0) {
                // ShiftRows takes row r from r columns on (FIPS-197, 5.1.2), its inverse from r columns back.
                let shift = if direction == Direction::Encrypt { from } else { 4 - from };
                let (w, b) = order.find(from, (column + shift) % 4);
                let term = &mut value.terms[w][b];
                term.via = via;
                term.places[byte] = factor;
            }
        }
    }
    words
}
