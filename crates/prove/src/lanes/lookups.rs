//! Look-ups: loads at addresses that depend on a byte, possibly a secret one. They read only the kernel's own
//! constants, within bounds for all 256 values of the byte, and the loaded value is a function of the byte. A kernel
//! that does this with secrets takes variable time; the proof shows that secrets decide nothing else.

use aesmith_isa::lanes::Width;

use crate::algebra::folds::Values;
use crate::lanes::forms::Form;
use crate::lanes::functions::VALUES;
use crate::lanes::intern::{Memo, Numbered};
use crate::lanes::scalar::{Base, Linear, Word};
use crate::lanes::symbolic::{Stop, Symbolic, refuse};
use crate::lanes::words::Operand;

/// A number that is a function of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Index {
    /// The byte.
    of: Form,
    /// The list of the number's values, by the byte's value.
    numbers: u32,
}

/// A number for each value of a byte.
type Numbers = [u64; 256];

/// Memos of look-ups. Kernels look up the same bytes in the same tables repeatedly.
#[derive(Default)]
pub(crate) struct Lookups {
    /// Numbers that are functions of bytes.
    indices: Numbered<Index>,
    numbers: Numbered<Box<Numbers>>,
    /// Scalars times a factor, as numbers that are functions of a byte.
    of_scalars: Memo<(Operand, u8), Option<u32>>,
    /// Contents of tables at all places that numbers name, byte by byte.
    columns: Numbered<Box<[Values]>>,
    /// The columns of this kernel's constants, by numbers, address and width.
    of_constants: Memo<(u32, i64, Width), u32>,
    /// Words of columns, by byte.
    words: Memo<(Form, u32), Word>,
}

impl Lookups {
    /// Calls [`Memo::check`], or [`Memo::check_again`], of all memos.
    pub(super) fn check_memos(&mut self, begin: bool) {
        self.of_scalars.check_if(begin);
        self.of_constants.check_if(begin);
        self.words.check_if(begin);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.indices.clear();
        self.numbers.clear();
        self.of_scalars.clear();
        self.columns.clear();
        self.of_constants.clear();
        self.words.clear();
    }

    /// Forgets the constants of the previous kernel.
    pub(super) fn begin(&mut self) {
        self.of_constants.clear();
    }
}

impl Symbolic {
    /// A scalar times a factor as a function of one byte; returns the number of the index.
    fn index_of(&mut self, word: Word, factor: u8) -> Option<u32> {
        let key = Operand::of(word).map(|operand| (operand, factor));
        if let Some(known) = key.and_then(|key| self.lookups.of_scalars.get(&key)) {
            return known;
        }
        let index = self.index_anew(word, factor);
        if let Some(key) = key {
            self.lookups.of_scalars.insert(key, index);
        }
        index
    }

    fn index_anew(&mut self, word: Word, factor: u8) -> Option<u32> {
        let bytes = self.word_bytes(word)?;
        let (of, parts) = self.terms.forms.as_functions(bytes)?;
        self.terms.forms.work += 8 * VALUES;
        let value = |x: usize| u64::from_le_bytes(std::array::from_fn(|k| parts[k][x]));
        let values: Box<Numbers> =
            Box::new(std::array::from_fn(|x| value(x).wrapping_mul(u64::from(factor))));
        let numbers = self.lookups.numbers.number(values);
        Some(self.lookups.indices.number(Index { of, numbers }))
    }

    /// `base` plus a scalar that is not an address, times a factor: an address that depends on a byte, or, if `base` is
    /// a number, the sum itself.
    pub(crate) fn indexed(&mut self, base: Linear, word: Word, factor: u8) -> Option<Word> {
        let number = self.index_of(word, factor)?;
        if base.base != Base::None {
            return Some(Word::Lookup { base, index: number });
        }
        let by = base.as_number()? as u64;
        let Index { of, numbers } = *self.lookups.indices.get(number);
        let sums = self.lookups.numbers.get(numbers).map(|v| v.wrapping_add(by));
        let mut bytes = [Form(0); 8];
        for (k, byte) in bytes.iter_mut().enumerate() {
            let values: Values = sums.map(|v| (v >> (8 * k)) as u8);
            *byte = self.terms.forms.function(of, &values);
        }
        Some(self.word_of_bytes(bytes))
    }

    /// True if an index depends on a key or message byte.
    pub(crate) fn index_is_secret(&self, index: u32) -> bool {
        self.terms.form_is_secret(self.lookups.indices.get(index).of)
    }

    /// A scalar of the kernel's constants, at an address that depends on a byte.
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
        let Index { of, numbers } = *self.lookups.indices.get(index);
        let columns = self.columns_at(numbers, at.offset, width)?;
        if let Some(known) = self.lookups.words.get(&(of, columns)) {
            return Ok(known);
        }
        let mut bytes = [Form(0); 8];
        for (k, byte) in bytes.iter_mut().enumerate().take(width.bytes()) {
            *byte = self.terms.forms.function(of, &self.lookups.columns.get(columns)[k]);
        }
        let word = self.word_of_bytes(bytes);
        self.lookups.words.insert((of, columns), word);
        Ok(word)
    }

    /// The number of the columns of the kernel's constants at an offset plus each of some numbers. All of them count as
    /// read.
    fn columns_at(&mut self, numbers: u32, offset: i64, width: Width) -> Result<u32, Stop> {
        let key = (numbers, offset, width);
        if let Some(known) = self.lookups.of_constants.get(&key) {
            return Ok(known);
        }
        let size = width.bytes();
        self.terms.forms.work += VALUES * size as u64;
        let mut columns: Box<[Values]> = vec![[0; 256]; size].into();
        for x in 0..256 {
            let by = self.lookups.numbers.get(numbers)[x];
            let entry = self.constant_bytes((offset as u64).wrapping_add(by).cast_signed(), size)?;
            for (column, &byte) in columns.iter_mut().zip(entry) {
                column[x] = byte;
            }
        }
        let number = self.lookups.columns.number(columns);
        self.lookups.of_constants.insert(key, number);
        Ok(number)
    }
}
