//! Loop invariant for text that is prefetched one iteration ahead.

use crate::bits::value::Value as Data;
use crate::grid::course::{End, Head};
use crate::grid::domain::Value;
use crate::grid::facts::Question;
use crate::grid::index::Form;
use crate::grid::setup::Thread;

/// A register that holds a word of text at the head of the loop.
pub struct Held {
    /// The index of the register.
    pub register: usize,
    /// The number of the block, in any iteration.
    number: Form,
    /// The first byte of the word within the block.
    at: usize,
}

/// Size of a register in bytes.
const WORD: usize = 4;

impl Thread<'_> {
    /// Finds the registers that hold words of text before the first iteration, and lets them hold the same words of the
    /// text of an arbitrary iteration in `any`, whose block number is greater by `moved`. A block that may not be there
    /// counts as an uncertain read: the registers then hold something else.
    pub fn held(&mut self, first: &End, any: &mut Head, moved: &Form) -> Vec<Held> {
        let Some(machine) = &first.back else { return Vec::new() };
        let mut found = Vec::new();
        for (register, value) in machine.registers.iter().enumerate() {
            let Value::Data(Data::Bits(bits)) = value else { continue };
            let place = first.path.read.iter().find_map(|number| {
                let text = self.domain.text(number);
                let at =
                    (0..text.len()).step_by(WORD).find(|&at| text[at..at + WORD].concat() == bits[..])?;
                Some((number, at))
            });
            let Some((number, at)) = place else { continue };
            let held = Held { register, number: number.plus(moved, 1), at };
            any.machine.registers[register] = self.word(&held.number, at);
            let facts = &any.path.facts;
            let end = self.domain.end.as_ref();
            let is_within =
                end.is_none_or(|end| facts.answer(&Question::within(&held.number, end)) == Some(true));
            if facts.is_there(&held.number) != Some(true) || !is_within {
                any.path.read_unsure(&held.number, at..at + WORD);
            }
            found.push(held);
        }
        found
    }

    /// True if a register holds the word of the next iteration.
    pub(super) fn is_held_again(&mut self, held: &Held, found: &Value) -> bool {
        self.word(&held.number.a_turn_later(), held.at).same(found)
    }

    /// A word of a block of text, from byte `at` on.
    fn word(&mut self, number: &Form, at: usize) -> Value {
        let word = self.domain.text(number)[at..at + WORD].concat();
        Value::Data(self.domain.symbols.value(word))
    }
}
