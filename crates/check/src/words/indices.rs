//! Addresses in tables into which an index is inserted, in place of another one.

use super::Word;
use crate::bytes::memory::Memory;
use crate::bytes::terms::{ByteId, TABLES, Terms, reduced};
use crate::linear::Linear;

impl Memory<'_> {
    /// An address in a table without the bits of a mask, if all bits of its index are of the mask, and the rest has none of
    /// them: the table's alignment, and the number that is added to its address.
    pub(super) fn without_index(&mut self, address: Word, mask: Word) -> Option<Linear> {
        let mask = self.terms.as_word(mask)?.as_number()?;
        let (form, index) = match self.terms.as_indexed(address) {
            Some((form, index)) => (form, i128::from(self.possible(index))),
            None => (self.terms.as_word(address)?, 0),
        };
        let [(id, 1)] = form.terms[..] else { return None };
        let alignment = self.proof.tables.get(id.checked_sub(TABLES)? as usize)?.alignment as i128;
        (mask < alignment && form.constant & mask == 0 && index & !mask == 0).then_some(form)
    }
}

impl Terms {
    /// The sum of a form and of an unknown secret word that has no bits but those of a mask.
    pub fn within(&mut self, form: &Linear, mask: u32) -> Word {
        let unknown = mask.to_le_bytes().map(|mask| {
            let (byte, mask) = (self.unknown(true), self.constant(mask));
            self.and(byte, mask)
        });
        self.indexed(form, unknown)
    }

    /// True if bytes are the sum of a form and of a word that has no bits but those of a mask.
    pub fn is_within(&mut self, bytes: &[ByteId], form: &Linear, mask: u32) -> bool {
        let Ok(bytes) = Word::try_from(bytes) else { return false };
        let form = reduced(form, self.modulus());
        match self.as_indexed(bytes) {
            Some((own, index)) => {
                own == form && (0..4).all(|k| self.possible(index[k]) & !mask.to_le_bytes()[k] == 0)
            }
            None => self.as_word(bytes).is_some_and(|own| reduced(&own, self.modulus()) == form),
        }
    }
}
