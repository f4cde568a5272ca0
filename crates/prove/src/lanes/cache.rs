//! Counter-mode caching (Bernstein and Schwabe 2008, section 4; Park and Lee, TCHES 2018).
//!
//! Counters that differ only in the last byte share, after one round, everything except the contribution of that byte;
//! and after two rounds, everything except the contribution of column 0 of the first round (bytes 0, 5, 10 and 15 of
//! the counter). A table over the last byte holds the contribution, and a constant holds the *rest*: `round(counter[i]
//! ^ key 0) = entry(i) ^ rest`. The rest is an opaque atom here; it is the same for all counters that share the other
//! bytes, and this lemma lets it cancel. The lemma itself is checked byte by byte in this file's tests. The owners of
//! the rests, for tables on the stack, are in [`crate::lanes::tables`].

use aesmith_cipher::contract::{TABLE_BYTES, TABLE_OFFSET};
use aesmith_cipher::mode::KeyPart;
use aesmith_isa::lanes::{AesRound, Width};

use crate::algebra::matrices::Coefficient;
use crate::lanes::forms::{ByteAtom, Form};
use crate::lanes::scalar::{Base, Linear, Word};
use crate::lanes::symbolic::{Stop, Symbolic, refuse};
use crate::lanes::terms::{Atom, Index, Lane, Order};

impl Symbolic {
    /// The sum of a counter in memory order and a constant in the last byte only: no carry enters that byte, and none
    /// leaves it if the counters differ only there.
    pub(crate) fn advance_last_byte(&mut self, lane: Lane, addend: u128) -> Option<Lane> {
        let by = (addend >> 120) as i32;
        let Some(Atom::Counter { index: Index::At(i), order: Order::MEMORY }) = self.terms.as_atom(lane)
        else {
            return None;
        };
        (addend << 8 == 0 && self.path.low_byte.same_window(i, i + by))
            .then(|| self.counter(Index::At(i + by), Order::MEMORY))
    }

    /// Rewrites a counter xored with a constant in clear bits of the last byte, which is a sum, as the later counter.
    pub(crate) fn absorb_last_byte(&mut self, lane: Lane) -> Lane {
        let constant = self.terms.constant_part(lane);
        let by = (constant >> 120) as i32;
        let known = self.path.low_byte;
        if constant << 8 != 0 || by >= known.multiple {
            return lane;
        }
        let counter = self.terms.atoms(lane).find_map(|atom| match atom {
            Atom::Counter { index: Index::At(i), order: Order::MEMORY } => Some(i),
            _ => None,
        });
        let Some(i) = counter else { return lane };
        if (i - known.at).rem_euclid(known.multiple) & by != 0 {
            return lane;
        }
        let old = self.counter(Index::At(i), Order::MEMORY);
        let new = self.counter(Index::At(i + by), Order::MEMORY);
        let constant = self.terms.constant(constant);
        let lane = self.terms.xor(lane, old);
        let lane = self.terms.xor(lane, constant);
        self.terms.xor(lane, new)
    }

    /// A lane of rounds of such a sum, as rounds of the later counter.
    pub(crate) fn absorbed(&mut self, lane: Lane) -> Lane {
        let inner = self.terms.atoms(lane).find_map(|atom| match atom {
            Atom::Round { round, of } => Some((round, of)),
            _ => None,
        });
        let Some((round, of)) = inner else { return self.absorb_last_byte(lane) };
        let later = self.absorbed(of);
        if later == of {
            return lane;
        }
        let (old, new) = (self.terms.round(round, of), self.terms.round(round, later));
        let rest = self.terms.xor(lane, old);
        self.terms.xor(rest, new)
    }

    /// Cancels two rests of a lane that are known to be equal.
    pub(crate) fn cancel_rests(&mut self, lane: Lane) -> Lane {
        let mut rests = self.terms.atoms(lane).filter_map(|atom| match atom {
            Atom::Rest { rounds, table, index } => Some(((rounds, table), index)),
            _ => None,
        });
        let found = (rests.next(), rests.next(), rests.next());
        drop(rests);
        let (Some((of, a)), Some((other, b)), None) = found else { return lane };
        if of != other || !self.path.low_byte.same_window(a, b) {
            return lane;
        }
        let (rounds, table) = of;
        let a = self.terms.atom(Atom::Rest { rounds, table, index: a });
        let b = self.terms.atom(Atom::Rest { rounds, table, index: b });
        let both = self.terms.xor(a, b);
        self.terms.xor(lane, both)
    }

    /// The counter whose last byte a form is.
    pub(crate) fn as_last_byte(&self, form: Form) -> Option<i32> {
        if self.terms.forms.constant_part(form) != 0 || self.terms.forms.terms(form).len() != 1 {
            return None;
        }
        match self.terms.forms.terms(form).next() {
            Some((ByteAtom::Lane { atom, index: 15 }, 1)) => {
                match self.terms.as_atom(self.terms.single(atom))? {
                    Atom::Counter { index: Index::At(i), order: Order::MEMORY } => Some(i),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The counter whose last byte is the lowest byte of a scalar.
    pub(crate) fn last_byte_in(&mut self, word: Word) -> Option<i32> {
        if !matches!(word, Word::Quad { .. } | Word::Bytes(_) | Word::CounterByte { .. }) {
            return None;
        }
        let byte = self.word_byte(word, 0)?;
        self.as_last_byte(byte)
    }

    /// The sum in eight bits of a counter's last byte and a number: that of a later counter, whatever its other bytes are.
    pub(crate) fn last_byte_sum(&mut self, a: Word, b: Word) -> Option<Word> {
        let (word, number) = match (a.as_number(), b.as_number()) {
            (None, Some(number)) => (a, number),
            (Some(number), None) => (b, number),
            _ => return None,
        };
        let later = Index::At(self.last_byte_in(word)?).plus(i32::from(number as u8))?;
        match later {
            Index::At(index) => Some(Word::counter_byte(index)),
            Index::End(_) => None,
        }
    }

    /// The last byte of counter `i + by`, if a form is that of counter `i`, modulo 256.
    fn advance_counter_byte(&mut self, form: Form, by: u16) -> Option<Form> {
        let later = Index::At(self.as_last_byte(form)?).plus(i32::from(by))?;
        let later = self.counter(later, Order::MEMORY);
        self.terms.byte(later, 15)
    }

    /// The sum of a lane of bytes and a constant, if every byte that changes is a constant or, in sums of bytes, a
    /// counter's last byte.
    pub(crate) fn add_to_bytes(&mut self, element: Width, lane: Lane, addend: u128) -> Option<Lane> {
        let Some(Atom::Bytes { .. }) = self.terms.as_atom(lane) else { return None };
        let mut bytes = self.terms.bytes(lane)?;
        let addend = addend.to_le_bytes();
        let mut carry = 0;
        for i in 0..16 {
            if i % element.bytes() == 0 {
                carry = 0;
            }
            let more = u16::from(addend[i]) + carry;
            if more == 0 {
                continue;
            }
            if element == Width::B8
                && let Some(later) = self.advance_counter_byte(bytes[i], more)
            {
                bytes[i] = later;
                continue;
            }
            let sum = u16::from(self.terms.forms.as_constant(bytes[i])?) + more;
            bytes[i] = Form(u32::from(sum as u8));
            carry = sum >> 8;
        }
        Some(self.terms.lane_of_bytes(bytes))
    }

    /// Loads entries of a counter table at `base`, from the entry of the last byte of counter `index` on.
    pub(crate) fn load_table(&mut self, index: i32, base: Linear, lanes: &mut [Lane]) -> Result<(), Stop> {
        let at = self.place(Word::Linear(base))?;
        self.above_red_zone(at, self.stack_pointer)?;
        if !self.mode.has_counter() {
            return refuse("a counter table in a mode without a counter");
        }
        let (rounds, start, table) = match at.base {
            Base::Key if self.mode.may_read(KeyPart::CounterTable) => {
                // The counter's last byte selects the entry; any value is possible.
                self.key_read.insert(TABLE_OFFSET, TABLE_BYTES);
                (1, TABLE_OFFSET as i64, 0)
            }
            Base::Frame | Base::AlignedFrame => {
                let (start, table) = self.proved_table(at)?;
                (2, start, table)
            }
            _ => return refuse(format!("a table indexed by the counter in {}", at.base.name())),
        };
        let apart = at.offset - start;
        if apart % 16 != 0 {
            return refuse("a load from inside an entry of the counter table");
        }
        let key = |this: &mut Self, round| this.terms.atom(Atom::Key { stream: 0, round });
        for (k, lane) in lanes.iter_mut().enumerate() {
            let entry = i32::try_from(apart / 16 + k as i64).unwrap_or(i32::MAX / 2);
            let counter = index.saturating_add(entry);
            if entry.abs() > 256 || !self.path.low_byte.same_window(index, counter) {
                return refuse("a load beyond the counter table: the counter's last byte may wrap before");
            }
            if rounds == 2 && self.path.upper_fixed.is_none_or(|from| index.min(counter) < from) {
                return refuse("a load for a counter before those that are known to share bytes 0 to 10");
            }
            let block = self.counter(Index::At(counter), Order::MEMORY);
            let mut state = block;
            for round in 0..rounds {
                let key = key(self, round);
                let keyed = self.terms.xor(state, key);
                state = self.terms.round(AesRound::Encrypt, keyed);
            }
            let index = self.path.low_byte.representative(index);
            let rest = self.terms.atom(Atom::Rest { rounds, table, index });
            self.reads_table = true;
            *lane = self.terms.xor(state, rest);
        }
        Ok(())
    }

    /// Learns from `low half of counter a ^ low half of the end counter`, shifted so that only its upper three bytes
    /// are left, being zero: counters from `a` to the end share bytes 8 to 10, and with no overflow of the low half
    /// also bytes 0 to 7.
    pub(crate) fn learn_upper_bytes(&mut self, word: Word) {
        let Some(bytes) = self.word_bytes(word) else { return };
        // Byte 5 + k of the number is byte 10 - k of the block.
        let differs = |this: &Self, form: Form, place: u8| {
            let terms: Vec<(ByteAtom, Coefficient)> = this.terms.forms.terms(form).collect();
            let counter = |term: &(ByteAtom, Coefficient)| match *term {
                (ByteAtom::Lane { atom, index }, 1) if index == place => {
                    match this.terms.as_atom(this.terms.single(atom)) {
                        Some(Atom::Counter { index, order: Order::MEMORY }) => Some(index),
                        _ => None,
                    }
                }
                _ => None,
            };
            match (terms.first().and_then(counter), terms.get(1).and_then(counter), terms.len()) {
                (Some(Index::At(a)), Some(Index::End(e)), 2)
                | (Some(Index::End(e)), Some(Index::At(a)), 2) => {
                    let right = this.terms.forms.constant_part(form) == 0
                        && e >= 0
                        && this.path.no_overflow(a, Index::End(e));
                    right.then_some(a)
                }
                _ => None,
            }
        };
        let from: Option<[i32; 3]> = (|| {
            Some([differs(self, bytes[0], 10)?, differs(self, bytes[1], 9)?, differs(self, bytes[2], 8)?])
        })();
        if let Some([a, b, c]) = from
            && bytes[3..].iter().all(|&b| b == Form(0))
        {
            self.path.upper_fixed = Some(a.max(b).max(c));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::terms::Terms;

    /// State after `rounds` rounds of a block with last byte `v`; `other` selects the bytes that differ between two
    /// windows.
    fn state(terms: &mut Terms, rounds: u8, v: u8, other: u8, common: &[usize]) -> [Form; 16] {
        let base = terms.atom(Atom::CipherKey { part: 0 });
        let base = terms.bytes(base).unwrap();
        let changed = terms.atom(Atom::CipherKey { part: other });
        let changed = terms.bytes(changed).unwrap();
        let bytes = std::array::from_fn(|i| match i {
            15 => Form(u32::from(v)),
            i if common.contains(&i) => base[i],
            i => changed[i],
        });
        let mut lane = terms.lane_of_bytes(bytes);
        for round in 0..rounds {
            let key = terms.atom(Atom::Key { stream: 0, round });
            lane = terms.xor(lane, key);
            lane = terms.round(AesRound::Encrypt, lane);
        }
        terms.expand(lane)
    }

    fn rest_is_common(rounds: u8, common: &[usize]) -> bool {
        let mut terms = Terms::new();
        [1u8, 2, 0x80, 0xff].into_iter().all(|v| {
            let states = [(0, 1), (v, 1), (0, 2), (v, 2)]
                .map(|(v, other)| state(&mut terms, rounds, v, other, common));
            (0..16).all(|i| {
                terms.forms.combine(&[
                    (states[0][i], 1),
                    (states[1][i], 1),
                    (states[2][i], 1),
                    (states[3][i], 1),
                ]) == Form(0)
            })
        })
    }

    /// `state(v) ^ state'(v)` does not depend on `v`: the difference of windows is in the rest.
    #[test]
    fn the_rest_does_not_depend_on_the_last_byte() {
        assert!(rest_is_common(1, &[]));
        assert!(rest_is_common(2, &[0, 5, 10]));
        // The conditions are necessary.
        assert!(!rest_is_common(2, &[0, 5]));
        assert!(!rest_is_common(3, &[0, 5, 10]));
    }

    /// The rests of two tables do not cancel.
    #[test]
    fn rests_of_two_tables_are_two() {
        let mut symbolic = Symbolic::new("aes128-ctr".parse().unwrap(), &crate::TOY);
        let mut rest = |table| symbolic.terms.atom(Atom::Rest { rounds: 2, table, index: 0 });
        let (one, two) = (rest(1), rest(2));
        let both = symbolic.terms.xor(one, two);
        assert_ne!(both, Lane::ZERO);
        assert_eq!(symbolic.cancel_rests(both), both);
    }
}
