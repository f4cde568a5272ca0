//! Counters: the first is a symbol; the program computes the later ones from it and makes bits of them. A counter is
//! named by its distance from the first. Sums with the first counter are tracked through the carry between its halves.

use crate::bits::cipher::State;
use crate::bits::forms::{Bit, ZERO};
use crate::bits::value::Value as Data;
use crate::grid::domain::{Domain, Value};
use crate::grid::index::{Form, Symbol};

/// Bits of a half of a counter.
const HALF: usize = 64;

impl Domain<'_> {
    /// The first counter's bits, the lowest first.
    fn first_counter(&self) -> Vec<Bit> {
        self.iv.iter().rev().flat_map(|byte| byte.iter().copied()).collect()
    }

    /// The form of `bits` if they are the lower half of the first counter, that half without its lowest byte, or this
    /// byte.
    pub(super) fn counter_form(&self, bits: &[Bit]) -> Option<Form> {
        if !self.counts || bits.len() < 8 {
            return None;
        }
        let counter = &self.first_counter()[..HALF];
        let (whole, byte) = (Form::of(Symbol::Iv, 1), Form::of(Symbol::Low, 1));
        let none = |bits: &[Bit]| bits.iter().all(|&bit| bit == ZERO);
        if bits[..8] == counter[..8] && none(&bits[8..]) {
            return Some(byte);
        }
        if bits.len() < HALF || !none(&bits[HALF..]) || bits[8..HALF] != counter[8..] {
            return None;
        }
        match &bits[..8] {
            low if *low == counter[..8] => Some(whole),
            low if none(low) => Some(whole.minus(&byte)),
            _ => None,
        }
    }

    /// The distance of a sum from the first counter, if it begins there or at the multiple of 256 before it and adds
    /// natural numbers: then its carry is that of the counter.
    fn distance(sum: &Form) -> Option<Form> {
        let distance = sum.minus(&Form::of(Symbol::Iv, 1));
        let natural = |form: &Form| {
            [Symbol::Low, Symbol::Iv, Symbol::Count].map(|s| form.factor(s)) == [0; 3] && form.is_natural()
        };
        let aligned = distance.plus(&Form::of(Symbol::Low, 1), 1);
        (natural(&distance) || natural(&aligned)).then_some(distance)
    }

    /// A sum of 65 bits, if it is a counter's: a natural number plus the lower half of the first counter, or plus that
    /// half without its lowest byte. A sum that may have wrapped has another carry when something is added to it.
    pub(super) fn counted(a: &Form, b: &Form) -> Option<Value> {
        let first = Form::of(Symbol::Iv, 1);
        let begins = |form: &Form| *form == first || *form == first.minus(&Form::of(Symbol::Low, 1));
        let is_counter = begins(a) && b.is_natural() || begins(b) && a.is_natural();
        let sum = a.plus(b, 1);
        (is_counter && Domain::distance(&sum).is_some()).then_some(Value::Sum(sum))
    }

    /// The upper half of the counter whose lower half is `sum`, if `of` is the upper half of the first counter.
    pub(super) fn upper(&self, of: &Data, sum: &Form) -> Option<Value> {
        let bits = self.symbols.bits_of(HALF as u8, of)?;
        (!self.iv.is_empty() && bits[..] == self.first_counter()[HALF..]).then(|| Value::Upper(sum.clone()))
    }

    /// Bits of a counter's half.
    pub(super) fn counter_part(&mut self, half: &Value, low: u8, count: u8) -> Option<Value> {
        let (sum, begin) = match half {
            Value::Index(sum) => (sum, 0),
            Value::Upper(sum) => (sum, HALF),
            _ => return None,
        };
        let distance = Domain::distance(sum)?;
        if self.sketches {
            return None;
        }
        let bits = self.counter(&distance)?;
        let from = begin + usize::from(low);
        let part = bits[from..from + usize::from(count)].to_vec();
        Some(Value::Data(self.symbols.value(part)))
    }

    /// The bits of the counter at this distance from the first. Counters are counted from the multiple of 256 before
    /// the first where possible; those that differ only in the lowest byte then share the other bits.
    fn counter(&mut self, distance: &Form) -> Option<Vec<Bit>> {
        if distance.factor(Symbol::Low) == 0 {
            return Some(self.named(distance, 128));
        }
        let number = distance.plus(&Form::of(Symbol::Low, 1), 1);
        let mut byte = vec![ZERO; 8];
        let mut group = Form::default();
        let terms: Vec<(Symbol, u64)> = number.terms().collect();
        for (symbol, factor) in terms {
            let (above, below) = match symbol {
                Symbol::One => (factor & !0xff, factor & 0xff),
                // A bit of the thread's number stands at one place.
                Symbol::Bit(_) if factor < 256 && factor.is_power_of_two() => (0, factor),
                _ if factor & 0xff == 0 => (factor, 0),
                _ => return None,
            };
            group = group.plus(&Form::of(symbol, above), 1);
            let one = match symbol {
                Symbol::Bit(k) if below > 0 => self.symbols.bits.form(&[*self.thread.get(usize::from(k))?]),
                _ => 1,
            };
            for place in (0..8).filter(|place| below >> place & 1 == 1) {
                // Two bits at one place would carry.
                if std::mem::replace(&mut byte[place], one) != ZERO {
                    return None;
                }
            }
        }
        byte.extend(self.named(&group, 120));
        Some(byte)
    }

    /// `count` bits with a name.
    fn named(&mut self, name: &Form, count: usize) -> Vec<Bit> {
        if let Some(bits) = self.counters.get(&(name.clone(), count)) {
            return bits.clone();
        }
        let bits: Vec<Bit> = (0..count).map(|_| self.symbols.bits.atom(false)).collect();
        self.counters.insert((name.clone(), count), bits.clone());
        bits
    }

    /// The counter of a block of text, as input of the cipher.
    pub fn counter_block(&mut self, number: &Form) -> Option<State> {
        let bits = self.counter(number)?;
        Some(std::array::from_fn(|i| std::array::from_fn(|k| bits[8 * (15 - i) + k])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::domain::tests::with_domain;

    /// A sum that may have wrapped has lost a carry: what is added to it later has another one.
    #[test]
    fn carries_are_those_of_sums_with_the_first_counter() {
        let (first, block) = (Form::of(Symbol::Iv, 1), Form::of(Symbol::Block, 1));
        let aligned = first.minus(&Form::of(Symbol::Low, 1));
        for counter in [&first, &aligned] {
            assert!(Domain::counted(counter, &block).is_some() && Domain::counted(&block, counter).is_some());
        }
        let wrapped = first.plus(&Form::number(1), 1);
        assert!(Domain::counted(&wrapped, &block).is_none() && Domain::counted(&block, &wrapped).is_none());
        assert!(Domain::counted(&first, &block.times(u64::MAX)).is_none());
    }

    /// The lowest byte of a counter is known bit by bit, if no two of its summands have a bit at one place.
    #[test]
    fn bits_at_one_place_of_a_byte_would_carry() {
        with_domain(|domain| {
            let atoms = (0..3).map(|_| domain.symbols.bits.atom(false)).collect::<Vec<_>>();
            domain.thread = atoms.iter().map(|&bit| domain.symbols.bits.atoms_of(bit)[0]).collect();
            let mut is_known = |terms: &[(Symbol, u64)]| {
                let aligned = Form::of(Symbol::Low, u64::MAX);
                let sum = terms.iter().fold(aligned, |sum, &(symbol, by)| sum.plus(&Form::of(symbol, by), 1));
                domain.counter(&sum).is_some()
            };
            let bit = Symbol::Bit;
            assert!(is_known(&[(bit(0), 1), (bit(1), 2), (Symbol::One, 4), (Symbol::Block, 256)]));
            assert!(!is_known(&[(bit(0), 1), (bit(1), 1)]) && !is_known(&[(bit(0), 2), (Symbol::One, 6)]));
            assert!(!is_known(&[(bit(0), 3)]) && !is_known(&[(Symbol::Block, 128)]));
        });
    }
}
