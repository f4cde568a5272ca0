//! The signals that select the executed instruction: a sum of products over the bits of the function code that is 1 for
//! some instructions, 0 for others, and anything for unused codes.

use std::fmt::Write;

use crate::code::{BITS, Functions};
use crate::verilog::node::Set;

/// A product: the bits that it reads, and their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cube {
    mask: u16,
    value: u16,
}

impl Cube {
    fn holds(self, number: u16) -> bool {
        number & self.mask == self.value
    }

    fn text(self) -> String {
        let literal = |bit: u8| {
            (self.mask >> bit & 1 == 1)
                .then(|| format!("{}operation[{bit}]", if self.value >> bit & 1 == 1 { "" } else { "~" }))
        };
        let all: Vec<String> = (0..BITS).filter_map(literal).collect();
        all.join(" & ")
    }
}

/// The function codes of an instruction.
fn numbers(functions: &Functions) -> std::ops::Range<u16> {
    functions.first..functions.first + (1 << functions.selector_bits)
}

/// A one-bit expression: 1 for the instructions of `set`, 0 for the others of `care`.
pub fn signal(functions: &[Functions], set: Set, care: Set) -> String {
    let of = |wanted: Set| -> Vec<u16> {
        let chosen = functions.iter().enumerate().filter(|(k, _)| wanted >> k & 1 == 1);
        chosen.flat_map(|(_, f)| numbers(f)).collect()
    };
    let (on, off) = (of(set & care), of(care & !set));
    if off.is_empty() {
        return "1'b1".into();
    }
    if on.is_empty() {
        return "1'b0".into();
    }
    let (plain, inverted) = (products(&on, &off), products(&off, &on));
    let literals = |of: &[Cube]| of.iter().map(|c| c.mask.count_ones()).sum::<u32>() + of.len() as u32;
    let text = |of: &[Cube]| of.iter().map(|c| c.text()).collect::<Vec<_>>().join(" | ");
    let mut out = String::new();
    if literals(&plain) <= literals(&inverted) {
        let _ = write!(out, "{}", text(&plain));
    } else {
        let _ = write!(out, "~({})", text(&inverted));
    }
    out
}

/// Products that cover all numbers of one list and none of the other. Each number yields the product that remains after
/// dropping bits as long as no number of the other list is covered.
fn products(on: &[u16], off: &[u16]) -> Vec<Cube> {
    let mut found: Vec<Cube> = Vec::new();
    for &number in on {
        if found.iter().any(|c| c.holds(number)) {
            continue;
        }
        let mut best: Option<Cube> = None;
        // Bits are dropped from the lowest and from the highest on; the product with fewer bits is kept.
        for order in [(0..BITS).collect::<Vec<u8>>(), (0..BITS).rev().collect()] {
            let mut cube = Cube { mask: (1 << BITS) - 1, value: number };
            for bit in order {
                let wider = Cube { mask: cube.mask & !(1 << bit), value: cube.value & !(1 << bit) };
                if !off.iter().any(|&n| wider.holds(n)) {
                    cube = wider;
                }
            }
            if best.is_none_or(|b| cube.mask.count_ones() < b.mask.count_ones()) {
                best = Some(cube);
            }
        }
        found.extend(best);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_tell_instructions_apart_by_few_bits() {
        let four: Vec<Functions> = (0..4).map(|k| Functions { first: 4 * k, selector_bits: 2 }).collect();
        assert_eq!(signal(&four, 0b1100, 0b1111), "operation[3]");
        assert_eq!(signal(&four, 0b0101, 0b1111), "~operation[2]");
        assert_eq!(signal(&four, 0b0001, 0b0011), "~operation[2]");
        assert_eq!(signal(&four, 0b1000, 0b1111), "operation[2] & operation[3]");
        assert_eq!(signal(&four, 0b0111, 0b1111), "~(operation[2] & operation[3])");
        assert_eq!(signal(&four, 0b0011, 0b0011), "1'b1");
    }
}
