//! Counter blocks: names for the successors of a byte, and a case distinction of all counters by the reach of a carry.

use std::rc::Rc;

use crate::bits::cipher::State;
use crate::bits::forms::{Bit, Bits, Byte, ONE, ZERO};
use crate::bits::functions::Counter;
use crate::bits::truth::{PLACES, Truth, eliminated, first, truth};

/// A case of counter blocks: the chain and its successors.
pub(crate) struct Case {
    /// The counter block.
    pub chain: State,
    /// Its successors, as far as they are known.
    pub next: Vec<State>,
    /// The indices of the cases into which this case splits, where more successors are known.
    pub parts: Vec<usize>,
    /// The last byte of the counter and its successors modulo 256.
    pub lasts: Vec<Byte>,
    /// The possible values of the last byte, a bit each.
    pub values: Truth,
}

impl Case {
    /// The case of a chain that does not count, and of which nothing is known.
    pub fn any(chain: State) -> Case {
        Case { chain, next: Vec::new(), parts: Vec::new(), lasts: Vec::new(), values: [u64::MAX; 4] }
    }

    /// The possible values of the last byte after `steps` steps.
    pub(crate) fn values_after(&self, steps: usize) -> Truth {
        let values = self.values;
        truth(|x| {
            let before = x.wrapping_sub(steps) & 255;
            values[before >> 6] >> (before & 63) & 1 == 1
        })
    }
}

fn number(n: u8) -> Byte {
    std::array::from_fn(|j| Bit::from(n >> j & 1))
}

/// The number of steps from which on carries are told apart only on demand.
const WORTH: usize = 3;

/// The number of steps beyond those of an iteration for which the last byte is followed. An iteration may have begun
/// all blocks of the next one: their counters are, at its end, the present one and its next `steps - 1` successors.
pub(crate) fn ahead(steps: usize) -> usize {
    if steps >= WORTH { steps - 1 } else { 0 }
}

/// All counters, split into cases by their behaviour in `steps` steps and in the steps that code may be ahead. The last
/// byte is either below the highest few values, with names for its successors, or a number. Its carry is resolved only
/// in the parts of such a case: each byte before it is a number, or anything but 255. Parts follow all other cases.
pub(crate) fn counters(bits: &mut Bits, steps: usize) -> Option<Vec<Case>> {
    let plain = bits.bytes(16, false);
    let mut cases = Vec::new();
    let last: Byte = std::array::from_fn(|_| bits.atom(false));
    let named = steps + ahead(steps);
    let after = bits.successors(last, named as u8)?;
    let with = |low: Byte, upper: &[Byte]| -> State {
        std::array::from_fn(|i| if i == 15 { low } else { upper[i] })
    };
    cases.push(Case {
        chain: with(last, &plain),
        next: after[..steps].iter().map(|&low| with(low, &plain)).collect(),
        parts: Vec::new(),
        lasts: std::iter::once(last).chain(after).collect(),
        values: truth(|x| x < 256 - named),
    });
    let of_number = |low: usize, chain: State, next: Vec<State>| Case {
        chain,
        next,
        parts: Vec::new(),
        lasts: (0..=named).map(|k| number((low + k) as u8)).collect(),
        values: truth(|x| x == low),
    };
    let wraps = 256 - steps..256;
    let apart = steps >= WORTH;
    let numbers = if apart { 256 - named..256 } else { 0..0 };
    for low in numbers {
        let at = |low: usize| with(number(low as u8), &plain);
        let next = (low + 1..256).take(steps).map(at).collect();
        cases.push(of_number(low, at(low), next));
    }
    // The number `full` of bytes directly before the last one that are 255.
    for full in 0..=15usize {
        let (mut before, mut carried) = (plain.clone(), plain.clone());
        for i in 15 - full..15 {
            (before[i], carried[i]) = (number(255), number(0));
        }
        if full < 15 {
            let byte: Byte = std::array::from_fn(|_| bits.atom(false));
            (before[14 - full], carried[14 - full]) = (byte, bits.successors(byte, 1)?[0]);
        }
        for low in wraps.clone() {
            let chain = with(number(low as u8), &before);
            let next = (1..=steps).map(|k| {
                let upper = if low + k > 255 { &carried } else { &before };
                with(number((low + k) as u8), upper)
            });
            let next = next.collect();
            let part = cases.len();
            if apart {
                cases[1 + low + named - 256].parts.push(part);
            }
            cases.push(of_number(low, chain, next));
        }
    }
    Some(cases)
}

impl Bits {
    /// Marks a byte of atoms as a counter byte: names its next `count` successors and excludes its `count` highest
    /// values. Returns the successors, the next one first.
    pub fn successors(&mut self, byte: Byte, count: u8) -> Option<Vec<Byte>> {
        let basis = self.basis(&byte)?;
        let (mut rows, mut named) = (Vec::new(), Vec::new());
        let mut derived: Vec<(u32, Truth)> = Vec::new();
        let mut enter = |t: Truth, bit: Bit| {
            // Sums of named bits are sets of at most 64.
            if named.len() == 64 {
                return None;
            }
            let (rest, of) = eliminated(&rows, t);
            let pivot = first(&rest)?;
            rows.push((rest, pivot, of ^ 1 << named.len()));
            named.push(bit);
            Some(())
        };
        enter([u64::MAX; 4], ONE)?;
        for j in 0..8 {
            enter(PLACES[j], byte[j])?;
        }
        for k in 0..count {
            enter(truth(|x| x == 255 - usize::from(k)), ZERO)?;
        }
        let mut successors = Vec::new();
        for k in 1..=count {
            let mut next = [ZERO; 8];
            for (j, place) in next.iter_mut().enumerate() {
                let t = truth(|x| (x + usize::from(k)) >> j & 1 == 1);
                let (rest, of) = eliminated(&rows, t);
                *place = if rest == [0; 4] {
                    let sum = named.iter().enumerate().filter(|(i, _)| of >> i & 1 == 1).map(|(_, &b)| b);
                    let bits: Vec<Bit> = sum.collect();
                    self.sum(bits)
                } else {
                    let bit = self.atom(byte.iter().any(|&b| self.is_secret(b)));
                    derived.push((self.atoms_of(bit)[0], t));
                    if named.len() == 64 {
                        return None;
                    }
                    let pivot = first(&rest)?;
                    rows.push((rest, pivot, of ^ 1 << named.len()));
                    named.push(bit);
                    bit
                };
            }
            successors.push(next);
        }
        self.functions.notable.push(basis);
        self.functions.bases[basis as usize].counter = Some(Rc::new(Counter { rows, named, derived }));
        Some(successors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of a counter byte and a number of steps settles to the successor's name.
    #[test]
    fn sums_have_the_names_of_successors() {
        for steps in 1..=4u8 {
            let mut bits = Bits::new();
            let byte: Byte = std::array::from_fn(|_| bits.atom(false));
            let after = bits.successors(byte, steps).expect("independent bits");
            let number: Vec<Bit> = (0..8).map(|j| Bit::from(steps >> j & 1)).collect();
            let (sum, carry) = bits.add(&byte, &number, ZERO, false);
            let settled: Vec<Option<Bit>> = sum.into_iter().map(|bit| bits.settle(bit)).collect();
            let wanted: Vec<Option<Bit>> = after[usize::from(steps) - 1].iter().map(|&b| Some(b)).collect();
            assert_eq!(settled, wanted, "{steps}");
            assert_eq!(bits.settle(carry), Some(ZERO), "{steps}");
        }
    }

    /// Each last byte is in exactly one case that is not part of another, and its successors are right.
    #[test]
    fn cases_are_all_counters() {
        for steps in [1, 2, 4] {
            let mut bits = Bits::new();
            let cases = counters(&mut bits, steps).expect("independent bits");
            let is_part = |case: &usize| cases.iter().any(|of| of.parts.contains(case));
            let whole: Vec<usize> = (0..cases.len()).filter(|case| !is_part(case)).collect();
            for x in 0..256usize {
                let has = |&&case: &&usize| cases[case].values[x >> 6] >> (x & 63) & 1 == 1;
                // There is a case for each number of carrying bytes where these cases are not parts.
                let count = whole.iter().filter(has).count();
                assert_eq!(count, if steps < WORTH && x >= 256 - steps { 16 } else { 1 }, "{x}");
            }
            for case in &cases[1..] {
                let low = (0..256).find(|x| case.values[x >> 6] >> (x & 63) & 1 == 1).expect("a number");
                assert_eq!(case.chain[15], number(low as u8));
                for (k, last) in case.lasts.iter().enumerate() {
                    assert_eq!(*last, number((low + k) as u8), "{low} and {k}");
                    assert_eq!(case.values_after(k), truth(|x| x == (low + k) & 255));
                }
            }
            assert_eq!(cases[0].lasts.len(), steps + ahead(steps) + 1);
        }
    }
}
