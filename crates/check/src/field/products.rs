//! Carry-less products, and the products in the field of GCM that they make.

use crate::field::matrices::{MatrixId, PRODUCT, REVERSED_BLOCK};
use crate::terms::{HIGH, LOW, Lane, LaneId, Mask, Part, PartId, SAME, Terms, ZERO};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Eight bytes of a part, in the low half: the part, and the number of the shuffle.
pub type Half = (PartId, u32);
/// A part, and the number of its matrix.
type Mapped = (PartId, MatrixId);

/// The low and the high half of a block whose bytes are reversed.
const HALVES: [Mask; 2] = [
    [15, 14, 13, 12, 11, 10, 9, 8, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO],
    [7, 6, 5, 4, 3, 2, 1, 0, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO],
];

impl Terms {
    /// The carry-less product of a half of each of two lanes; none if it has no name.
    pub fn product(&mut self, a: (LaneId, u8), b: (LaneId, u8)) -> Option<LaneId> {
        let half =
            |terms: &mut Terms, (lane, which)| terms.shuffled(lane, if which == 0 { &LOW } else { &HIGH });
        let (x, y) = (half(self, a), half(self, b));
        for (number, other) in [(x, y), (y, x)] {
            if let Some(number) = self.as_constant(number) {
                return self.times(other, number as u64);
            }
        }
        // Products in the field are found in whole lanes.
        let (x, y) = (self.folded(a.0), self.folded(b.0));
        let (x, y) = (half(self, (x, a.1)), half(self, (y, b.1)));
        let (x, y) = (self.halves(x)?, self.halves(y)?);
        let mut odd: BTreeMap<PartId, bool> = BTreeMap::new();
        for &one in &x {
            for &other in &y {
                let part = self.number_part(Part::Product(one.min(other), one.max(other)));
                let is_odd = odd.entry(part).or_default();
                *is_odd = !*is_odd;
            }
        }
        let maps = odd.into_iter().filter(|&(_, is_odd)| is_odd).map(|(part, _)| (part, PRODUCT)).collect();
        Some(self.sum(0, Vec::new(), maps))
    }

    /// The summands of a lane whose high half is zero; none if others than shuffled parts are among them.
    fn halves(&self, lane: LaneId) -> Option<Vec<Half>> {
        let Lane { constant, parts, maps, bits } = self.get_lane(lane);
        (*constant == 0 && maps.is_empty() && bits.is_empty()).then(|| parts.clone())
    }

    /// The lane of eight bytes of a block, at their place there, times a power of the hash key.
    fn multiple(&mut self, half: Half, is_high: bool, exponent: u8) -> PartId {
        self.number_part(Part::Multiple(half, is_high, exponent))
    }

    /// A lane with eight bytes of a block in its low half, as [`Part::Multiple`] has them, times a power of the hash key; none if it
    /// is no sum of shuffled parts.
    pub(crate) fn multiple_of(&mut self, half: LaneId, is_high: bool, exponent: u8) -> Option<LaneId> {
        let halves = self.halves(half)?;
        let parts = halves.into_iter().map(|half| (self.multiple(half, is_high, exponent), 0)).collect();
        Some(self.normal(0, parts, Vec::new()))
    }

    /// Adds the shuffled parts whose sum is a block times a power of the hash key; none if the block is no sum of shuffled parts.
    pub(crate) fn add_multiples(
        &mut self,
        block: LaneId,
        exponent: u8,
        all: &mut Vec<(PartId, u32)>,
    ) -> Option<()> {
        for (is_high, mask) in [false, true].into_iter().zip(&HALVES) {
            let half = self.shuffled(block, mask);
            for half in self.halves(half)? {
                all.push((self.multiple(half, is_high, exponent), 0));
            }
        }
        Some(())
    }

    /// A product as a half of a block, the exponent of the power whose entry it is multiplied by, and the half of the entry.
    fn as_multiple(&self, part: PartId) -> Option<(Half, u8, usize)> {
        let &Part::Product(one, other) = self.get_part(part) else { return None };
        let power = |(part, mask): Half| {
            let &Part::Power(exponent) = self.get_part(part) else { return None };
            let which = [LOW, HIGH].iter().position(|half| half == self.get_mask(mask))?;
            Some((exponent, which))
        };
        match (power(one), power(other)) {
            (Some((exponent, which)), None) => Some((other, exponent, which)),
            (None, Some((exponent, which))) => Some((one, exponent, which)),
            _ => None,
        }
    }

    /// A lane in which products by both halves of an entry are replaced by the product in the field, wherever they make one:
    /// their matrices are those of a product that is reduced, as a block or with its bytes reversed.
    pub fn folded(&mut self, lane: LaneId) -> LaneId {
        let Lane { constant, parts, maps, .. } = self.get_lane(lane);
        if maps.is_empty() {
            return lane;
        }
        let (constant, mut parts, mut rest) = (*constant, parts.clone(), Vec::new());
        let mut pairs: BTreeMap<(Half, u8), [Option<Mapped>; 2]> = BTreeMap::new();
        for &(part, matrix) in maps {
            match self.as_multiple(part) {
                Some((half, exponent, which)) => {
                    pairs.entry((half, exponent)).or_default()[which] = Some((part, matrix));
                }
                None => rest.push((part, matrix)),
            }
        }
        if self.matrices.reduced.is_empty() {
            self.matrices.reductions();
        }
        // Halves of products that are multiplied once more, by the product, the exponent and true if the result is reversed.
        let mut again: BTreeMap<(PartId, u8, bool), [Option<Half>; 2]> = BTreeMap::new();
        for ((half, exponent), pair) in pairs {
            let reduced = pair[0].zip(pair[1]).and_then(|(low, high)| {
                self.matrices.reduced.iter().position(|known| *known == [low.1, high.1])
            });
            let Some(place) = reduced else {
                rest.extend(pair.into_iter().flatten());
                continue;
            };
            let (is_high, is_reversed) = (place % 2 == 1, place / 2 == 1);
            let is_whole = *self.get_mask(half.1) == HALVES[usize::from(is_high)];
            if is_whole && matches!(self.get_part(half.0), Part::Multiple(..)) {
                let both = again.entry((half.0, exponent, is_reversed)).or_default();
                both[usize::from(is_high)] = Some(half);
                continue;
            }
            parts.push(self.placed(half, is_high, exponent, is_reversed));
        }
        for ((part, exponent, is_reversed), both) in again {
            let sum = match *self.get_part(part) {
                Part::Multiple(half, is_high, own) if both.iter().all(Option::is_some) => {
                    own.checked_add(exponent).map(|exponent| (half, is_high, exponent))
                }
                _ => None,
            };
            if let Some((half, is_high, exponent)) = sum {
                parts.push(self.placed(half, is_high, exponent, is_reversed));
                continue;
            }
            for (half, is_high) in both.into_iter().zip([false, true]) {
                let Some(half) = half else { continue };
                parts.push(self.placed(half, is_high, exponent, is_reversed));
            }
        }
        rest.sort_unstable();
        self.normal(constant, parts, rest)
    }

    /// The sum of two lanes. A sum of products that is added to shuffled parts is complete.
    pub(crate) fn xor_folded(&mut self, a: LaneId, b: LaneId) -> LaneId {
        let has_parts = |lane: LaneId| !self.get_lane(lane).parts.is_empty();
        match has_parts(a) != has_parts(b) {
            true => {
                let (a, b) = (self.folded(a), self.folded(b));
                self.xor(a, b)
            }
            false => self.xor(a, b),
        }
    }

    /// A multiple, and the number of the shuffle of the result.
    fn placed(&mut self, half: Half, is_high: bool, exponent: u8, is_reversed: bool) -> (PartId, u32) {
        let part = self.multiple(half, is_high, exponent);
        (part, self.number_mask(if is_reversed { REVERSED_BLOCK } else { SAME }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Linear;

    /// The reduction of Gueron and Kounavis of products of a reversed block, whose halves are added, as kernels have it.
    fn multiplied(t: &mut Terms, block: LaneId, entry: LaneId) -> LaneId {
        let mut of = |a, b| t.product((block, a), (entry, b)).expect("a product");
        let (low, high, one, other) = (of(0, 0), of(1, 1), of(0, 1), of(1, 0));
        let (mixed, polynomial) = (t.xor(one, other), t.constant(0xc2 << 56));
        let mut onto = |of, onto| {
            let first = t.product((of, 0), (polynomial, 0)).expect("a product");
            let swapped = t.shuffled(of, &core::array::from_fn(|k| (k as u8 + 8) % 16));
            let sum = t.xor(swapped, first);
            t.xor(onto, sum)
        };
        let mixed = onto(low, mixed);
        onto(mixed, high)
    }

    #[test]
    fn reduced_products_are_products_in_the_field() {
        let mut t = Terms::default();
        let (x, y) = (t.part(Part::Text(Linear::number(0))), t.part(Part::Text(Linear::number(1))));
        let power = |t: &mut Terms, exponent| t.part(Part::Power(exponent));
        let (x, y) = (t.shuffled(x, &REVERSED_BLOCK), t.shuffled(y, &REVERSED_BLOCK));
        // (x H + y) H^2, and x H^3 + y H^2.
        let (one, two, three) = (power(&mut t, 1), power(&mut t, 2), power(&mut t, 3));
        let inner = multiplied(&mut t, x, one);
        let sum = t.xor(inner, y);
        let horner = multiplied(&mut t, sum, two);
        let (a, b) = (multiplied(&mut t, x, three), multiplied(&mut t, y, two));
        let powers = t.xor(a, b);
        let (horner, powers) = (t.folded(horner), t.folded(powers));
        assert_eq!(horner, powers);
        let mut all = Vec::new();
        let (x, y) = (t.shuffled(x, &REVERSED_BLOCK), t.shuffled(y, &REVERSED_BLOCK));
        t.add_multiples(x, 3, &mut all).expect("a block");
        t.add_multiples(y, 2, &mut all).expect("a block");
        let expected = t.normal(0, all, Vec::new());
        let reversed = t.shuffled(expected, &REVERSED_BLOCK);
        assert_eq!(horner, reversed);
        // Another power is another product.
        let other = multiplied(&mut t, x, two);
        assert_ne!(t.folded(other), t.folded(a));
    }
}
