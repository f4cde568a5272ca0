//! Sums of addresses of sections, of parts of them, and of data: the algebra in which what a linker writes in halves becomes
//! an address again. All is modulo the width; what is no address in the end is of no use.

use std::rc::Rc;

use crate::bits::forms::{Bit, ZERO};
use crate::bits::memory::ObjectId;

/// An address of a section, or how far it is from a place in another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Where {
    /// The section, and the offset in it.
    pub plus: (ObjectId, i64),
    /// The place that the distance is counted from.
    pub minus: Option<(ObjectId, i64)>,
}

/// What a sum is made of, besides numbers and data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// The beginning of a section, shifted right by so many bits, which are zero.
    Base(ObjectId, u8),
    /// Less the beginning of a section.
    Less(ObjectId),
    /// Shifted right by so many bits, whatever they are.
    Upper(Where, u8),
    /// The same with so many lowest bits cleared.
    High(Where, u8),
    /// So many lowest bits, the highest of which is a sign.
    Signed(Where, u8),
}

/// A sum.
#[derive(Clone, PartialEq, Debug)]
pub struct Sum {
    /// Its width. Bits beyond those of an address are not right where it is wider.
    pub width: u8,
    /// What is unknown.
    pub terms: Vec<Term>,
    /// A number.
    pub number: i64,
    /// Data, of the sum's width.
    pub bits: Option<Rc<[Bit]>>,
}

/// Terms of the longest sum: an address in two halves, and the place that a distance is counted from.
const MOST_TERMS: usize = 6;

impl Sum {
    /// One term and a number.
    pub fn of(width: u8, term: Term, number: i64) -> Sum {
        Sum { width, terms: vec![term], number, bits: None }
    }

    /// Of no section.
    pub fn plain(width: u8, number: i64, bits: Option<Rc<[Bit]>>) -> Sum {
        Sum { width, terms: Vec::new(), number, bits }
    }

    /// The section and the shift, where it is the beginning of one section and what is added to it.
    pub fn base(&self) -> Option<(ObjectId, u8)> {
        match self.terms.as_slice() {
            [Term::Base(object, shift)] => Some((*object, *shift)),
            _ => None,
        }
    }

    /// The same with zeros above it, up to a width.
    pub fn wider(mut self, width: u8) -> Sum {
        let more = usize::from(width - self.width);
        self.bits =
            self.bits.map(|bits| bits.iter().copied().chain(std::iter::repeat_n(ZERO, more)).collect());
        self.width = width;
        self
    }

    /// Its lowest so many bits.
    pub fn lowest(mut self, width: u8) -> Sum {
        self.bits = self.bits.map(|bits| bits[..usize::from(width)].into());
        self.width = width;
        self
    }

    /// Terms that cancel each other, and halves that are an address together. `unit` says of an object what power of two its
    /// beginning is a multiple of.
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

    /// Two terms that are simpler together: nothing, or a place.
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

/// Whether the upper part of one address, rounded for the sign of the lower, is that of another: always if it is the same
/// address, and if both lie in one unit of the section's alignment.
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

    /// Halves of one address are an address; those of neighbours where no bit can carry between them.
    #[test]
    fn halves_of_different_addresses_are_none() {
        assert!(together(0, 0, 1) && together(5, 5, 1) && together(-4, -4, 4));
        assert!(together(0, 4, 8) && !together(0, 4, 4) && !together(0, 8, 8) && together(8, 12, 8));
        assert!(together(0, 2047, 4096) && !together(0, 2048, 4096), "a sign changes");
    }

    /// The claim behind it, held against numbers: for each beginning of such alignment.
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
