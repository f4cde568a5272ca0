//! The calculation of instructions with canonical bytes.

use super::execute::{Domain, Move};
use super::{Word, has_constants, is_aligned, word};
use crate::bytes::Link;
use crate::bytes::memory::{Memory, Stop, refused};
use crate::bytes::terms::{Atom, ByteId, CODE, Condition, TABLES, Terms, reduced};
use crate::linear::{AtomId, Linear};
use alloc::format;
use alloc::vec::Vec;

impl Terms {
    /// The address of a table and the word of bytes of which bytes are the sum.
    pub fn as_indexed(&self, bytes: Word) -> Option<(Linear, Word)> {
        let Some(Atom::Indexed(form, index, 0)) = self.as_atom(bytes[0]) else { return None };
        let is_part = |(k, &byte): (u8, &ByteId)| matches!(self.as_atom(byte), Some(Atom::Indexed(f, i, own)) if (f, i, *own) == (form, index, k));
        (0..).zip(&bytes).all(is_part).then(|| (form.clone(), *index))
    }

    /// The sum of an address of a table and a word of bytes.
    pub(super) fn indexed(&mut self, form: &Linear, index: Word) -> Word {
        let form = reduced(form, self.modulus());
        [0, 1, 2, 3].map(|k| self.atom(Atom::Indexed(form.clone(), index, k)))
    }

    /// The sum of two words that are not both public, and a bit, and its carry.
    fn chained(&mut self, a: Word, b: Word, mut carry: ByteId) -> (Word, ByteId) {
        let sum = core::array::from_fn(|k| {
            let sum = self.sum(a[k], b[k], carry);
            carry = self.carry(a[k], b[k], carry, 8);
            sum
        });
        (sum, carry)
    }
}

impl Memory<'_> {
    /// The offset in the code of which a word is the address.
    pub(super) fn as_place(&mut self, address: Word, mark: i128) -> Option<usize> {
        let form = self.terms.as_word(address)?;
        let at = (form.terms == [(CODE, 1)]).then(|| self.signed(form.constant))?;
        usize::try_from(at - mark).ok()
    }

    fn has_secret(&self, word: Word) -> bool {
        word.iter().any(|&byte| self.terms.is_secret(byte))
    }

    /// The bits of a word that are not known to be zero.
    pub(super) fn possible(&self, word: Word) -> u32 {
        u32::from_le_bytes(word.map(|byte| self.terms.possible(byte)))
    }

    fn bit(&mut self, condition: Condition) -> Word {
        self.low(|terms| terms.atom(Atom::Is(condition)))
    }

    /// The word whose lowest byte is this, and whose others are zero.
    fn low(&mut self, make: impl FnOnce(&mut Terms) -> ByteId) -> Word {
        let zero = self.terms.constant(0);
        [make(&mut self.terms), zero, zero, zero]
    }

    fn all_moved(&mut self, a: Word, by: usize, how: Move) -> Word {
        core::array::from_fn(|to| {
            let mut sum = self.terms.constant(0);
            for (from, &byte) in a.iter().enumerate() {
                let mut columns = [0; 8];
                for bit in 0..8 {
                    if let Some(source) = how.source(by, 8 * to + bit)
                        && source / 8 == from
                    {
                        columns[source % 8] |= 1 << bit;
                    }
                }
                let share = self.terms.mapped(byte, columns);
                sum = self.terms.xor(sum, share);
            }
            sum
        })
    }

    /// The sum of an address of a table and of a word of bytes, if these are that.
    fn table_sum(&mut self, a: Word, b: Word) -> Option<Word> {
        let form = self.terms.as_word(a)?;
        let (table, index) = match self.terms.as_indexed(b) {
            Some((table, index)) => (table.checked(&form, 1)?, index),
            None if has_constants(&form) => {
                // Bits that are always 1 belong to the number.
                let ones = b.map(|byte| self.terms.ones(byte));
                let number = i128::from(u32::from_le_bytes(ones));
                let ones = ones.map(|byte| self.terms.constant(byte));
                (form.offset_checked(number)?, self.xor(b, ones))
            }
            None => return None,
        };
        Some(self.terms.indexed(&table, index))
    }

    /// The address that a linker writes into a word of the code, which is zero there.
    fn linked_word(&mut self, form: &Linear, bytes: usize) -> Result<Option<Word>, Stop> {
        let at = usize::try_from(form.constant).ok().filter(|_| form.terms == [(CODE, 1)]);
        let is_zero = at.and_then(|at| self.proof.code.get(at..at + 4)) == Some(&[0; 4]);
        match at.and_then(|at| self.proof.links.get(&at)) {
            Some(&Link::Word(table, add)) if bytes == 4 && form.constant % 4 == 0 && is_zero => {
                let whole = Linear { constant: add, terms: [(TABLES + table as AtomId, 1)].into() };
                Ok(Some(word(&mut self.terms, &whole)))
            }
            _ => Ok(None),
        }
    }

    /// Bytes of a table at an index that is a byte, moved up.
    fn look_up(&mut self, table: &Linear, index: Word, bytes: usize) -> Result<Word, Stop> {
        let [(id, 1)] = table.terms[..] else { return refused("an address is in no table") };
        let (name, entries) = match self.proof.tables.get(id.wrapping_sub(TABLES) as usize) {
            Some(table) => (table.name.as_str(), &table.bytes),
            None if id == CODE => ("the code", &self.proof.code),
            None => return refused("an address is in no table"),
        };
        if self.has_secret(index) && !self.proof.lookups {
            return refused("the address of a load depends on a secret");
        }
        let possible = self.possible(index);
        let by = possible.trailing_zeros() as usize % 32;
        let (used, begin) = ((possible >> by) as usize, self.signed(table.constant));
        if used > 255 || begin % bytes as i128 != 0 || !(1_usize << by).is_multiple_of(bytes) && used > 0 {
            return refused("an index is no byte, or a word of a table is not aligned");
        }
        let byte = self.all_moved(index, by, Move::Down)[0];
        let zero = self.terms.constant(0);
        let mut value = [zero; 4];
        for (k, byte_of_value) in value.iter_mut().enumerate().take(bytes) {
            let entry = |v: usize| {
                let at = begin + ((v & used) << by) as i128 + k as i128;
                let at = usize::try_from(at).ok().filter(|&at| id != CODE || !self.proof.is_linked(at))?;
                entries.get(at).copied()
            };
            let mut all = [0; 256];
            for (v, own) in all.iter_mut().enumerate() {
                let Some(entry) = entry(v) else {
                    return refused(format!("an access is outside {name}"));
                };
                *own = entry;
            }
            let found = self.terms.entry(&all, byte).or_else(|| {
                // From the end of a table, all bits of the index are inverted.
                let inverted = self.terms.constant(used as u8);
                let inverted = self.terms.xor(byte, inverted);
                self.terms.entry(&core::array::from_fn(|v| all[v ^ used]), inverted)
            });
            let Some(found) = found else {
                return refused(format!("{name} is no S-box and no linear map"));
            };
            *byte_of_value = found;
        }
        Ok(value)
    }
}

impl Domain for Memory<'_> {
    type Word = Word;
    type Stop = Stop;

    fn number(&mut self, value: u32) -> Word {
        value.to_le_bytes().map(|byte| self.terms.constant(byte))
    }

    fn sum(&mut self, a: Word, b: Word) -> Word {
        if let (Some(x), Some(y)) = (self.terms.as_word(a), self.terms.as_word(b))
            && let Some(sum) = x.checked(&y, 1)
        {
            return word(&mut self.terms, &sum);
        }
        if let Some(sum) = self.table_sum(a, b).or_else(|| self.table_sum(b, a)) {
            return sum;
        }
        if a.iter().zip(&b).all(|(&a, &b)| self.terms.possible(a) & self.terms.possible(b) == 0) {
            return self.xor(a, b);
        }
        // Words that end with zeros are moved down before.
        let by = (self.possible(a) | self.possible(b)).trailing_zeros() as usize;
        let (a, b) = (self.all_moved(a, by, Move::Down), self.all_moved(b, by, Move::Down));
        let zero = self.terms.constant(0);
        let (sum, _) = self.terms.chained(a, b, zero);
        self.all_moved(sum, by, Move::Up)
    }

    /// The carry of the sum of two words and the lowest bit of a third.
    fn carry(&mut self, a: Word, b: Word, c: Word) -> Word {
        let carry = self.terms.lowest(c[0]);
        if self.terms.as_constant(carry) == Some(0)
            && let (Some(x), Some(y)) = (self.terms.as_word(a), self.terms.as_word(b))
            && let Some(sum) = x.checked(&y, 1)
        {
            let sum = word(&mut self.terms, &sum);
            return self.is_less(sum, a, false);
        }
        self.low(|terms| terms.chained(a, b, carry).1)
    }

    fn difference(&mut self, a: Word, b: Word) -> Word {
        if let Some(y) = self.terms.as_word(b)
            && let Some(negative) = Linear::default().checked(&y, -1)
            && (!y.terms.is_empty() || self.terms.as_word(a).is_some())
        {
            let negative = word(&mut self.terms, &negative);
            return self.sum(a, negative);
        }
        // A word is a number, with ones where the word may have them, less the inverted word.
        if let Some(x) = self.terms.as_word(a).filter(has_constants)
            && let Some(begin) = x.offset_checked(-i128::from(self.possible(b)))
        {
            let (begin, most) = (word(&mut self.terms, &begin), Domain::number(self, self.possible(b)));
            let rest = self.xor(b, most);
            return self.sum(begin, rest);
        }
        let (ones, one) = (self.terms.constant(255), self.terms.constant(1));
        let b = b.map(|byte| self.terms.xor(byte, ones));
        self.terms.chained(a, b, one).0
    }

    fn product(&mut self, a: Word, b: Word) -> Word {
        let number = |terms: &mut Terms, word: Word| terms.as_word(word).and_then(|form| form.as_number());
        let (by, of) = match (number(&mut self.terms, a), number(&mut self.terms, b)) {
            (_, Some(by)) => (by, a),
            (Some(by), _) => (by, b),
            _ => {
                let is_secret = self.has_secret(a) || self.has_secret(b);
                return [(); 4].map(|()| self.terms.unknown(is_secret));
            }
        };
        let mut sum = Domain::number(self, 0);
        for bit in (0..32).filter(|bit| by >> bit & 1 == 1) {
            let moved = self.all_moved(of, bit, Move::Up);
            sum = Domain::sum(self, sum, moved);
        }
        sum
    }

    fn xor(&mut self, a: Word, b: Word) -> Word {
        core::array::from_fn(|k| self.terms.xor(a[k], b[k]))
    }

    fn and(&mut self, a: Word, b: Word) -> Word {
        core::array::from_fn(|k| self.terms.and(a[k], b[k]))
    }

    fn moved(&mut self, a: Word, by: Word, how: Move) -> Result<Word, Stop> {
        let by = self.terms.as_word(by).and_then(|form| form.as_number()).filter(|by| (0..32).contains(by));
        let Some(by) = by else { return refused("bits are moved by a number that is not known") };
        // A public word that moves up is a product.
        let scaled = self.terms.as_word(a).filter(|form| how == Move::Up && !form.terms.is_empty());
        Ok(match scaled.and_then(|form| Linear::default().checked(&form, 1 << by)) {
            Some(form) => word(&mut self.terms, &form),
            None => self.all_moved(a, by as usize, how),
        })
    }

    fn decided(&mut self, bit: Word) -> Result<bool, Stop> {
        self.decided_bit(bit[0])
    }

    fn count(&mut self, a: Word, in_circle: bool) -> Result<u32, Stop> {
        if let Some(low) = self.terms.as_constant(a[0]) {
            return Ok(low.into());
        }
        let form = self.terms.as_word(a).map(|form| self.proof.modulo(&form, 32)).filter(|_| in_circle);
        match form.and_then(|form| form.as_number()) {
            Some(number @ 1..) => Ok(number as u32),
            _ => refused("bits are moved by a number that is not known"),
        }
    }

    fn needs_public(&mut self, a: Word) -> Result<(), Stop> {
        if self.has_secret(a) { refused("the time of an instruction depends on a secret") } else { Ok(()) }
    }

    fn freed(&mut self, address: Word, mask: Word) -> Option<Word> {
        let form = self.without_index(address, mask)?;
        Some(word(&mut self.terms, &form))
    }

    fn is_less(&mut self, a: Word, b: Word, is_signed: bool) -> Word {
        let (x, y) = (self.terms.as_word(a), self.terms.as_word(b));
        let [m, n] = [&x, &y].map(|form| form.as_ref().and_then(Linear::as_number));
        let zero = Domain::number(self, 0);
        match (m, n) {
            (Some(m), Some(n)) => {
                let is_less = if is_signed { self.signed(m) < self.signed(n) } else { m < n };
                Domain::number(self, is_less.into())
            }
            (None, Some(0)) if is_signed => self.all_moved(a, 31, Move::Down),
            (None, Some(1)) if !is_signed => self.is_equal(a, zero),
            (Some(0), None) if !is_signed => {
                let (is_zero, one) = (self.is_equal(b, zero), Domain::number(self, 1));
                self.xor(is_zero, one)
            }
            _ => match (x, y) {
                (Some(x), Some(y)) if !is_signed => {
                    let modulus = self.terms.modulus();
                    self.bit(Condition::Less(reduced(&x, modulus), reduced(&y, modulus)))
                }
                _ => {
                    let is_secret = self.has_secret(a) || self.has_secret(b);
                    self.low(|terms| terms.unknown_bit(is_secret))
                }
            },
        }
    }

    fn is_equal(&mut self, a: Word, b: Word) -> Word {
        if let (Some(x), Some(y)) = (self.terms.as_word(a), self.terms.as_word(b)) {
            let modulus = self.terms.modulus();
            // A difference and its negative are zero together.
            let both =
                [(&x, &y), (&y, &x)].map(|(x, y)| x.checked(y, -1).map(|form| reduced(&form, modulus)));
            let [Some(one), Some(other)] = both else { return self.low(|terms| terms.unknown_bit(true)) };
            let least = if one.terms <= other.terms { one } else { other };
            return match least.as_number() {
                Some(number) => Domain::number(self, (number == 0).into()),
                None => self.bit(Condition::ZeroWord(least)),
            };
        }
        let difference = self.xor(a, b);
        let by = self.possible(difference).trailing_zeros() as usize % 32;
        let difference = self.all_moved(difference, by, Move::Down);
        let is_number =
            |byte: ByteId, number: fn(u8) -> bool| self.terms.as_constant(byte).is_some_and(number);
        if difference.iter().any(|&byte| is_number(byte, |number| number != 0)) {
            return Domain::number(self, 0);
        }
        let open = difference.into_iter().filter(|&byte| !is_number(byte, |number| number == 0));
        let open: Vec<ByteId> = open.collect();
        if open.is_empty() {
            return Domain::number(self, 1);
        }
        let one = self.terms.constant(1);
        if let [byte] = open[..] {
            let is_bit = self.terms.possible(byte) == 1;
            return self.low(|terms| if is_bit { terms.xor(byte, one) } else { terms.zero(byte) });
        }
        // One byte is zero, and so are all others where it is.
        for (number, &byte) in open.iter().enumerate() {
            let is_zero = self.terms.zero(byte);
            let mut rest = open.iter().enumerate().filter(|other| other.0 != number);
            let is_function = rest.all(|(_, &other)| {
                let found = self.terms.of_one_bit([other]);
                found.is_some_and(|(bit, values)| bit == is_zero && values[0][1] == 0)
            });
            if is_function {
                return self.low(|_| is_zero);
            }
        }
        let is_secret = self.has_secret(a) || self.has_secret(b);
        self.low(|terms| terms.unknown_bit(is_secret))
    }

    fn code(&mut self, at: usize) -> Word {
        word(&mut self.terms, &Linear { constant: at as i128, terms: [(CODE, 1)].into() })
    }

    fn load(&mut self, address: Word, bytes: usize) -> Result<Word, Stop> {
        if let Some((table, index)) = self.terms.as_indexed(address) {
            return self.look_up(&table, index, bytes);
        }
        let zero = Domain::number(self, 0);
        if let Some(form) = self.terms.as_word(address)
            && has_constants(&form)
        {
            return match self.linked_word(&form, bytes)? {
                Some(word) => Ok(word),
                None => self.look_up(&form, zero, bytes),
            };
        }
        let (base, offset) = self.place(address)?;
        if !is_aligned(&offset, bytes) {
            return refused("an access is not aligned");
        }
        let mut value = zero;
        for (k, byte) in value.iter_mut().enumerate().take(bytes) {
            let Some(at) = offset.offset_checked(k as i128) else {
                return refused("an address is too large");
            };
            *byte = self.load_at(base, &at)?;
        }
        Ok(value)
    }

    fn store(&mut self, address: Word, bytes: usize, value: Word) -> Result<(), Stop> {
        let (base, offset) = self.place(address)?;
        if !is_aligned(&offset, bytes) {
            return refused("an access is not aligned");
        }
        for (k, &byte) in value.iter().enumerate().take(bytes) {
            let Some(at) = offset.offset_checked(k as i128) else {
                return refused("an address is too large");
            };
            self.store_at(base, &at, byte)?;
        }
        Ok(())
    }

    fn unknown(&self) -> Stop {
        Stop::Refused("a row of the table has no meaning".into())
    }
}
