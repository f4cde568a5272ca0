//! Processors of 32-bit words: families, and the execution of their instructions over canonical bytes.

mod domain;
pub mod execute;
mod families;
mod indices;
mod moves;
mod slots;

use crate::bytes::Link;
use crate::bytes::memory::{Memory, STACK, Stop, refused};
use crate::bytes::run::{Machine, Run};
use crate::bytes::terms::{Atom, ByteId, CALLER, CODE, LOWS, TABLES, Terms, VARIABLES};
use crate::linear::{AtomId, Linear};
use crate::rows::Rows;
use alloc::string::String;
use alloc::vec::Vec;
use execute::REGISTERS;
pub use families::{FAMILIES, Family};

/// The bytes of a word, the lowest first.
pub type Word = [ByteId; 4];

/// A processor of a family.
#[derive(Clone, Copy, Debug)]
pub struct Words(pub &'static Family);

impl Machine for Words {
    type Registers = [Word; REGISTERS];
    const UNIT: usize = 4;
    const WIDTH: u8 = 4;
    const STACK_BYTES: i128 = 4096;
    const FREE: i128 = 0;

    fn registers(self) -> u8 {
        self.0.registers
    }

    fn code_step(self) -> usize {
        if self.0.has_halves { 2 } else { 4 }
    }

    fn above(self, terms: &mut Terms, arguments: &[AtomId]) -> Vec<ByteId> {
        let others = arguments.get(self.0.arguments.len()..).unwrap_or_default();
        others.iter().flat_map(|&argument| word(terms, &Linear::atom(argument))).collect()
    }

    fn stack_step(self) -> i128 {
        self.0.stack_step
    }

    fn is_big(self) -> bool {
        self.0.is_big
    }

    fn rows(self) -> Result<Rows, String> {
        if self.0.has_halves { Rows::read(self.0.rows) } else { Rows::read_words(self.0.rows, self.0.is_big) }
    }

    fn entry(self, terms: &mut Terms, arguments: &[AtomId]) -> [Word; REGISTERS] {
        let mut all: [Word; REGISTERS] = core::array::from_fn(|register| {
            core::array::from_fn(|k| terms.atom(Atom::Entry((4 * register + k) as u8)))
        });
        let given = self.0.arguments.iter().zip(arguments).chain([(&self.0.stack, &STACK)]);
        for (&register, &argument) in given {
            all[usize::from(register)] = word(terms, &Linear::atom(argument));
        }
        if self.0.back > 0 {
            all[usize::from(self.0.link)] = word(terms, &Linear::atom(CALLER));
        }
        self.settled(terms, all)
    }

    fn unknown(self, terms: &mut Terms, _: &[Word; REGISTERS]) -> [Word; REGISTERS] {
        let all = core::array::from_fn(|_| core::array::from_fn(|_| terms.unknown(true)));
        self.settled(terms, all)
    }

    fn general(self, registers: &mut [Word; REGISTERS], number: usize) -> &mut [ByteId] {
        &mut registers[number]
    }

    fn pointer(self, registers: &mut [Word; REGISTERS]) -> &mut [ByteId] {
        &mut registers[usize::from(self.0.stack)]
    }

    fn kept(self, _: &[Word; REGISTERS], _: &[Word; REGISTERS]) -> Result<(), &'static str> {
        Ok(())
    }

    fn returned(self, own: &[Word; REGISTERS], old: &[Word; REGISTERS]) -> Result<(), Stop> {
        let mut saved = self.0.saved.iter().map(|&register| usize::from(register));
        if saved.all(|register| own[register] == old[register]) {
            return Ok(());
        }
        refused("a register is not that of the caller at the return")
    }

    fn step(
        run: &mut Run<'_, Words>,
        registers: &mut [Word; REGISTERS],
        at: usize,
    ) -> Result<Option<usize>, Stop> {
        let before = *registers;
        let result = slots::step(run, registers, at);
        if let Err(Stop::Split(_)) = result {
            *registers = before;
        }
        result
    }
}

impl Words {
    /// Registers of which those that are flags are bits, and that which is always zero is.
    fn settled(self, terms: &mut Terms, mut registers: [Word; REGISTERS]) -> [Word; REGISTERS] {
        let zero = terms.constant(0);
        for &flag in self.0.flags {
            let bit = terms.lowest(registers[usize::from(flag)][0]);
            registers[usize::from(flag)] = [bit, zero, zero, zero];
        }
        self.with_zero(terms, registers)
    }

    /// Registers of which that which is always zero is.
    fn with_zero(self, terms: &mut Terms, mut registers: [Word; REGISTERS]) -> [Word; REGISTERS] {
        if let Some(zero) = self.0.zero {
            registers[usize::from(zero)] = word(terms, &Linear::default());
        }
        registers
    }
}

/// A part of the address of a table plus a number: the low part is a number of its own, the same wherever the same address
/// is meant, and the high part is the rest.
fn part(
    memory: &mut Memory<'_>,
    at: usize,
    (table, is_high, add): (usize, bool, i128),
) -> Result<Word, Stop> {
    // The first link that means this address has the number of its low part.
    let is_same = |link: &Link| matches!(link, Link::Part(t, _, a) if (*t, *a) == (table, add));
    let first = memory.proof.links.values().position(is_same).unwrap_or(at);
    let low = Linear::atom(LOWS + first as AtomId);
    if first >= (VARIABLES - LOWS) as usize {
        return refused("a linker writes into too many instructions");
    }
    if !is_high {
        return Ok(word(&mut memory.terms, &low));
    }
    let whole = Linear { constant: add, terms: [(TABLES + table as AtomId, 1)].into() };
    match whole.checked(&low, -1) {
        Some(rest) => Ok(word(&mut memory.terms, &rest)),
        None => refused("a linker adds a number that is too large"),
    }
}

/// The word of a form.
fn word(terms: &mut Terms, form: &Linear) -> Word {
    [0, 1, 2, 3].map(|k| terms.half(form, k))
}

/// True if all coefficients of a form are multiples of a number. Objects, tables and the stack begin at multiples of 4.
fn is_aligned(form: &Linear, bytes: usize) -> bool {
    let by = bytes as i128;
    form.constant % by == 0 && form.terms.iter().all(|term| term.1 % by == 0)
}

/// True if a form has the address of a table, or of the code.
fn has_constants(form: &Linear) -> bool {
    form.terms.iter().any(|t| t.0 == CODE || (TABLES..VARIABLES).contains(&t.0))
}
