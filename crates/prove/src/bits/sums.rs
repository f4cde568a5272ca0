//! Sums of section addresses, of parts of them, and of data: the algebra in which halves written by a linker become an
//! address again. All arithmetic is modulo 2^width; a sum is of use only if it becomes an address.

use std::rc::Rc;

use crate::bits::forms::{Bit, ZERO};
use crate::bits::memory::ObjectId;

/// An address in a section, or its distance from a place in another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Where {
    /// The section and the offset in it.
    pub plus: (ObjectId, i64),
    /// The place from which the distance is measured.
    pub minus: Option<(ObjectId, i64)>,
}

/// A term of a sum, besides numbers and data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// The beginning of a section, shifted right by this number of bits, which are zero.
    Base(ObjectId, u8),
    /// The negated beginning of a section.
    Less(ObjectId),
    /// An address or distance, shifted right by this number of bits, whatever they are.
    Upper(Where, u8),
    /// An address or distance with this number of lowest bits cleared.
    High(Where, u8),
    /// This number of lowest bits of an address or distance, read as a signed number.
    Signed(Where, u8),
}

/// A sum of terms, a number and data.
#[derive(Clone, PartialEq, Debug)]
pub struct Sum {
    /// The width in bits. If it exceeds that of an address, the bits beyond the address are not right.
    pub width: u8,
    /// The unknown terms.
    pub terms: Vec<Term>,
    /// The number.
    pub number: i64,
    /// The data, of the sum's width.
    pub bits: Option<Rc<[Bit]>>,
}

/// The most terms of a sum: an address in two halves, and the place from which a distance is measured.
const MOST_TERMS: usize = 6;

impl Sum {
    /// The sum of one term and a number.
    pub fn of(width: u8, term: Term, number: i64) -> Sum {
        Sum { width, terms: vec![term], number, bits: None }
    }

    /// A sum without terms.
    pub fn plain(width: u8, number: i64, bits: Option<Rc<[Bit]>>) -> Sum {
        Sum { width, terms: Vec::new(), number, bits }
    }

    /// The section and the shift, if the sum is the beginning of one section plus an offset.
    pub fn base(&self) -> Option<(ObjectId, u8)> {
        match self.terms.as_slice() {
            [Term::Base(object, shift)] => Some((*object, *shift)),
            _ => None,
        }
    }

    /// The sum, extended with zeros to `width` bits.
    pub fn wider(mut self, width: u8) -> Sum {
        let more = usize::from(width - self.width);
        self.bits =
            self.bits.map(|bits| bits.iter().copied().chain(std::iter::repeat_n(ZERO, more)).collect());
        self.width = width;
        self
    }

    /// The lowest `width` bits of the sum.
    pub fn lowest(mut self, width: u8) -> Sum {
        self.bits = self.bits.map(|bits| bits[..usize::from(width)].into());
        self.width = width;
        self
    }

    /// Removes terms that cancel each other, and combines halves into addresses; `None` if too many terms remain.
    /// `unit` returns the alignment of an object's beginning.
    pub fn reduced(mut self, unit: impl Fn(ObjectId) -> u64) -> Option<Sum> {
        while let Some((i, j, found)) = self.pair(&unit) {
            let (first, second) = (i.min(j), i.max(j));
            self.terms.remove(second);
            self.terms.remove(first);
            if let Some(found) = found {
                let (object, offset) = found.plus;
                self.terms.push(Term::Base(object, 0));
                self.number = self.number.wrapping_add(offset);
                if let Some((object, offset)) = found.minus {
                    self.terms.push(Term::Less(object));
                    self.number = self.number.wrapping_sub(offset);
                }
            }
        }
        (self.terms.len() <= MOST_TERMS).then_some(self)
    }

    /// Finds two terms that cancel each other, or that combine into a place.
    fn pair(&self, unit: &impl Fn(ObjectId) -> u64) -> Option<(usize, usize, Option<Where>)> {
        for (i, a) in self.terms.iter().enumerate() {
            for (j, b) in self.terms.iter().enumerate() {
                match (a, b) {
                    (Term::Base(o, 0), Term::Less(p)) if o == p => return Some((i, j, None)),
                    (Term::High(high, k), Term::Signed(low, bits))
                        if k == bits && belongs(*high, *low, *k, unit) =>
                    {
                        return Some((i, j, Some(*low)));
                    }
                    _ => {}
                }
            }
        }
        None
    }
}

/// True if the upper part of one address, rounded for the sign of the lower part, is that of the other: always for the
/// same address, and if both addresses lie in one unit of the section's alignment.
fn belongs(high: Where, low: Where, bits: u8, unit: &impl Fn(ObjectId) -> u64) -> bool {
    let half = 1i64 << (bits - 1);
    let places = (high.plus.1.wrapping_sub(half), low.plus.1);
    high.plus.0 == low.plus.0
        && high.minus == low.minus
        && (places.0 == places.1
            || low.minus.is_none() && {
                let unit = unit(low.plus.0).min(half as u64) as i64;
                places.0.div_euclid(unit) == places.1.div_euclid(unit)
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(offset: i64) -> Where {
        Where { plus: (1, offset), minus: None }
    }

    fn together(high: i64, low: i64, unit: u64) -> bool {
        let sum = Sum {
            width: 32,
            terms: vec![Term::High(at(high + 0x800), 12), Term::Signed(at(low), 12)],
            number: 0,
            bits: None,
        };
        sum.reduced(|_| unit).is_some_and(|sum| sum.terms == [Term::Base(1, 0)] && sum.number == low)
    }

    /// Halves of one address make an address; halves of neighbours only if no bit can carry between them.
    #[test]
    fn halves_of_different_addresses_are_none() {
        assert!(together(0, 0, 1) && together(5, 5, 1) && together(-4, -4, 4));
        assert!(together(0, 4, 8) && !together(0, 4, 4) && !together(0, 8, 8) && together(8, 12, 8));
        assert!(together(0, 2047, 4096) && !together(0, 2048, 4096), "a sign changes");
    }

    /// Checks this claim with numbers, for each beginning of the given alignment.
    #[test]
    fn halves_are_what_linkers_write() {
        for unit in [1u64, 4, 16, 64] {
            for (high, low) in [(0, 0), (0, 4), (4, 0), (0, 15), (12, 15), (60, 63), (0, 64), (3, 5)] {
                let right = (0..0x4000u64).step_by(unit as usize).all(|base| {
                    let sum = ((base + high + 0x800) & !0xfff) as i64 + (((base + low) as i64) << 52 >> 52);
                    sum == (base + low) as i64
                });
                assert!(right || !together(high as i64, low as i64, unit), "{unit}: {high} and {low}");
                assert!(!right || high != low || together(high as i64, low as i64, unit));
            }
        }
    }
}
