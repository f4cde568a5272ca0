//! Look-ups: loads at addresses that a byte decides, perhaps a secret one. They read the kernel's
//! own constants and nothing else, inside its bounds for all 256 values of the byte, and what they
//! load is a function of it. A kernel that does so with secrets takes variable time, and is proved
//! to be no more than that: what else secrets must not decide, they do not.

use aesmith_isa::lanes::Width;

use crate::algebra::folds::Values;
use crate::lanes::forms::Form;
use crate::lanes::scalar::{Base, Linear, Word};
use crate::lanes::symbolic::{Stop, Symbolic, refuse};

/// A number that a byte decides.
#[derive(Clone, PartialEq, Eq)]
pub struct Index {
    /// The byte.
    pub of: Form,
    /// The number, by its values.
    pub values: [u64; 256],
}

impl Symbolic {
    /// A scalar times a factor as a number that one byte decides.
    fn index_of(&mut self, word: Word, factor: u8) -> Option<Index> {
        let bytes = self.word_bytes(word)?;
        let (of, parts) = self.terms.forms.as_functions(bytes)?;
        let value = |x: usize| u64::from_le_bytes(std::array::from_fn(|k| parts[k][x]));
        Some(Index { of, values: std::array::from_fn(|x| value(x).wrapping_mul(u64::from(factor))) })
    }

    /// The number of an index.
    fn index_number(&mut self, index: Index) -> u32 {
        let key = (index.of, index.values[1] ^ index.values[255] << 8 ^ index.values[0x55] << 24);
        let candidates = self.indices_of.entry(key).or_default();
        if let Some(&known) = candidates.iter().find(|&&n| self.indices[n as usize] == index) {
            return known;
        }
        let number = self.indices.len() as u32;
        candidates.push(number);
        self.indices.push(index);
        number
    }

    /// `base` plus a scalar, that is no address, times a factor: a place that a byte decides, or,
    /// where `base` is a number, the sum itself.
    pub(crate) fn indexed(&mut self, base: Linear, word: Word, factor: u8) -> Option<Word> {
        let index = self.index_of(word, factor)?;
        if base.base != Base::None {
            return Some(Word::Lookup { base, index: self.index_number(index) });
        }
        let by = base.as_number()? as u64;
        let mut bytes = [Form(0); 8];
        for (k, byte) in bytes.iter_mut().enumerate() {
            let values: Values = index.values.map(|v| (v.wrapping_add(by) >> (8 * k)) as u8);
            *byte = self.terms.forms.function(index.of, &values);
        }
        Some(self.word_of_bytes(bytes))
    }

    /// Whether a key or message byte decides an index.
    pub(crate) fn index_is_secret(&self, index: u32) -> bool {
        self.terms.form_is_secret(self.indices[index as usize].of)
    }

    /// A scalar of the kernel's constants, at a place that a byte decides.
    pub(crate) fn load_looked_up(&mut self, width: Width, base: Linear, index: u32) -> Result<Word, Stop> {
        let at = self.place(Word::Linear(base))?;
        if at.base != Base::Code {
            return refuse(format!(
                "an address that depends on a key or a message, in {}: only the kernel's own constants may be looked up so",
                at.base.name()
            ));
        }
        if self.index_is_secret(index) {
            self.secret_loads.insert(self.ip);
        }
        let key = (index, at.offset, width);
        if let Some(known) = self.looked_up.get(&key) {
            return Ok(known);
        }
        let size = width.bytes();
        let Index { of, values } = self.indices[index as usize].clone();
        let mut columns = [[0u8; 256]; 8];
        for (x, &value) in values.iter().enumerate() {
            let offset = (at.offset as u64).wrapping_add(value);
            let entry = self.constant_bytes(offset.cast_signed(), size)?;
            for (column, &byte) in columns.iter_mut().zip(entry) {
                column[x] = byte;
            }
        }
        let mut bytes = [Form(0); 8];
        for (byte, column) in bytes.iter_mut().zip(&columns).take(size) {
            *byte = self.terms.forms.function(of, column);
        }
        let word = self.word_of_bytes(bytes);
        self.looked_up.insert(key, word);
        Ok(word)
    }
}
