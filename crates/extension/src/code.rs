//! The function codes of an extension's unit: numbers of [`BITS`] bits that contain the instruction and its selectors.
//! Every base embeds them in its encodings.

use crate::file::{Extension, Instruction, Mistake};

/// The width of a function code in bits.
pub const BITS: u8 = 10;

/// The function codes of one instruction: its selectors are the lowest bits, the first selector lowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Functions {
    /// The lowest function code.
    pub first: u16,
    /// The width of the selectors in bits.
    pub selector_bits: u8,
}

/// A bit of a function code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bit {
    /// A constant bit.
    Fixed(bool),
    /// The bit with an index (second) in the selector with a number (first).
    Selector(usize, u8),
}

/// The function codes of each instruction, aligned; instructions with the most selector bits come first.
pub fn functions(extension: &Extension) -> Result<Vec<Functions>, Mistake> {
    let mut order: Vec<usize> = (0..extension.instructions.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(extension.instructions[k].selector_bits()));
    let mut found = vec![Functions { first: 0, selector_bits: 0 }; order.len()];
    let mut next = 0u32;
    for k in order {
        let instruction = &extension.instructions[k];
        let selector_bits = instruction.selector_bits();
        if next + (1 << selector_bits) > 1 << BITS {
            return Err(Mistake {
                line: instruction.lines.start,
                what: format!(
                    "{}: {} bits tell instructions and selectors apart, and those before it have left too few",
                    instruction.name, BITS
                ),
            });
        }
        found[k] = Functions { first: next as u16, selector_bits };
        next += 1 << selector_bits;
    }
    Ok(found)
}

impl Functions {
    /// The function code for these selectors.
    pub fn number(&self, instruction: &Instruction, selectors: &[u8]) -> u16 {
        let mut low = 0;
        let mut number = self.first;
        for ((_, bits), value) in instruction.selectors.iter().zip(selectors) {
            number |= u16::from(*value) << low;
            low += bits;
        }
        number
    }

    /// The bits of the function code, highest first.
    pub fn bits(&self, instruction: &Instruction) -> Vec<Bit> {
        let mut bits: Vec<Bit> = Vec::new();
        for (selector, (_, width)) in instruction.selectors.iter().enumerate() {
            bits.extend((0..*width).map(|bit| Bit::Selector(selector, bit)));
        }
        bits.extend((self.selector_bits..BITS).map(|bit| Bit::Fixed(self.first >> bit & 1 == 1)));
        bits.reverse();
        bits
    }
}
