//! Shared memory at the barrier: each thread of a block is executed up to it with its number. What a launch gives, and the number of
//! the block, are unknown, so that what is stored depends on nothing but the number of the thread.

use crate::grid::module::Module;
use crate::grid::rows::{Domain, Flow, Registers, Space, Special, execute};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// The most instructions that are executed.
const MOST_STEPS: usize = 1 << 23;

/// The place from which a number is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// Zero.
    Zero,
    /// The address of shared memory.
    Shared,
    /// The address of the constants.
    Constants,
}

/// A number, if it is known.
pub type Number = Option<(Base, u64)>;

/// Shared memory by its bytes, and the place behind the barrier.
pub type Shared = (Vec<Option<u8>>, usize);

/// The values of a thread.
#[derive(Debug)]
pub struct Thread<'m> {
    /// The module.
    pub module: &'m Module,
    /// The number of the thread.
    pub number: u64,
    /// Shared memory.
    pub shared: Vec<Option<u8>>,
}

/// Shared memory at the barrier, if there is one.
///
/// # Errors
/// If it is not known, or threads do not meet.
pub fn at_barrier(module: &Module) -> Result<Option<Shared>, String> {
    let is_barrier = |at: &usize| module.rows[module.code[*at].row].name.starts_with("bar.");
    if !(0..module.code.len()).any(|at| is_barrier(&at)) {
        return Ok(None);
    }
    let mut thread = Thread { module, number: 0, shared: vec![None; module.shared] };
    let (mut steps, mut end) = (0, None);
    for number in 0..module.threads {
        thread.number = number as u64;
        let mut registers = Registers {
            words: [1, 2].map(|file| vec![None; module.registers[file]]),
            predicates: vec![None; module.registers[0]],
            carry: None,
        };
        let mut at = 0;
        let own = loop {
            let Some(instruction) = module.code.get(at) else {
                return Err("the code ends without `ret`".into());
            };
            steps += 1;
            if steps > MOST_STEPS {
                return Err("threads execute too many instructions before the barrier".into());
            }
            let row = &module.rows[instruction.row];
            let flow = execute(&mut thread, row, instruction, &mut registers);
            match flow.map_err(|why| format!("line {}, thread {number}: {why}", instruction.line))? {
                Flow::Next => at += 1,
                Flow::Jump(to) => at = to,
                Flow::Barrier => break at + 1,
                Flow::Return => return Err(format!("thread {number} ends before the barrier")),
            }
        };
        if *end.get_or_insert(own) != own {
            return Err("threads of a block wait at different barriers".into());
        }
    }
    Ok(end.map(|end| (thread.shared, end)))
}

/// A number modulo two to a number of bits.
fn cut(number: u64, bits: u32) -> u64 {
    if bits == 64 { number } else { number & ((1 << bits) - 1) }
}

/// The value of an operation on two numbers.
fn both(a: &Number, b: &Number, bits: u32, operation: impl Fn(u64, u64) -> u64) -> Number {
    match (*a, *b) {
        (Some((Base::Zero, a)), Some((Base::Zero, b))) => Some((Base::Zero, cut(operation(a, b), bits))),
        _ => None,
    }
}

impl Domain for Thread<'_> {
    type Value = Number;
    type Stop = String;

    fn number(&mut self, value: u64) -> Number {
        Some((Base::Zero, value))
    }

    fn resized(&mut self, a: &Number, from: u32, to: u32) -> Result<Number, String> {
        Ok(a.filter(|a| from == to || a.0 == Base::Zero).map(|(base, number)| (base, cut(number, to))))
    }

    fn sum(&mut self, a: &Number, b: &Number, bits: u32) -> Number {
        match (*a, *b) {
            (Some((base, a)), Some((Base::Zero, b))) | (Some((Base::Zero, a)), Some((base, b))) => {
                Some((base, cut(a.wrapping_add(b), bits)))
            }
            _ => None,
        }
    }

    fn carry(&mut self, a: &Number, b: &Number, bits: u32) -> Result<Number, String> {
        Ok(both(a, b, bits, |a, b| u64::from(cut(a.wrapping_add(b), bits) < a)))
    }

    fn difference(&mut self, a: &Number, b: &Number, bits: u32) -> Number {
        match (*a, *b) {
            (Some((base, a)), Some((Base::Zero, b))) => Some((base, cut(a.wrapping_sub(b), bits))),
            _ => None,
        }
    }

    fn product(&mut self, a: &Number, b: &Number, bits: u32) -> Number {
        both(a, b, bits, u64::wrapping_mul)
    }

    fn and(&mut self, a: &Number, b: &Number, bits: u32) -> Result<Number, String> {
        Ok(both(a, b, bits, |a, b| a & b))
    }

    fn xor(&mut self, a: &Number, b: &Number, bits: u32) -> Number {
        both(a, b, bits, |a, b| a ^ b)
    }

    fn moved(&mut self, a: &Number, by: &Number, is_up: bool, bits: u32) -> Result<Number, String> {
        Ok(both(a, by, bits, |a, by| match u32::try_from(by).ok().filter(|&by| by < bits) {
            None => 0,
            Some(by) if is_up => a << by,
            Some(by) => a >> by,
        }))
    }

    fn permuted(&mut self, a: &Number, b: &Number, selectors: &Number) -> Result<Number, String> {
        let bytes = both(a, b, 64, |a, b| b << 32 | a);
        Ok(both(&bytes, selectors, 32, |bytes, selectors| {
            (0..4).fold(0, |all, place| {
                let selector = selectors >> (4 * place);
                let byte = (bytes >> (8 * (selector & 7))) as u8;
                let byte = if selector & 8 == 0 { byte } else { (byte >> 7) * 255 };
                all | u64::from(byte) << (8 * place)
            })
        }))
    }

    fn is_less(&mut self, a: &Number, b: &Number, bits: u32) -> Result<bool, String> {
        match both(a, b, bits, |a, b| (a < b).into()) {
            Some((_, bit)) => Ok(bit == 1),
            None => {
                Err(self.refused("before the barrier it compares what depends on the launch, or is unknown"))
            }
        }
    }

    fn special(&mut self, special: Special) -> Number {
        match special {
            Special::Thread => Some((Base::Zero, self.number)),
            Special::Shared => Some((Base::Shared, 0)),
            Special::Constants => Some((Base::Constants, 0)),
            Special::Block | Special::Blocks => None,
        }
    }

    fn parameter(&mut self, _: usize, _: i64, _: u32) -> Result<Number, String> {
        Ok(None)
    }

    fn load(&mut self, space: Space, address: &Number, bits: &[u32]) -> Result<Vec<Number>, String> {
        match (space, *address) {
            (Space::Const, Some((Base::Constants, at))) => {
                let mut at = usize::try_from(at).unwrap_or(usize::MAX);
                let mut values = Vec::new();
                for bits in bits {
                    let bytes = (*bits / 8) as usize;
                    let end = at.saturating_add(bytes);
                    let Some(found) = self.module.constants.get(at..end).filter(|_| at.is_multiple_of(bytes))
                    else {
                        return Err(self.refused("a load is not within the constants, or not aligned"));
                    };
                    let value = found.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
                    values.push(Some((Base::Zero, value)));
                    at = end;
                }
                Ok(values)
            }
            (Space::Const, _) => {
                Err(self.refused("a load from the constants has an address that is not known"))
            }
            (Space::Shared, _) => Err(self.refused("shared memory is read before the barrier")),
            // The execution for all threads judges the access.
            _ => Ok(vec![None; bits.len()]),
        }
    }

    fn store(&mut self, space: Space, address: &Number, values: &[Number]) -> Result<(), String> {
        if space != Space::Shared {
            return Ok(());
        }
        let Some((Base::Shared, at)) = *address else {
            return Err(self.refused("a store to shared memory has an address that is not known"));
        };
        if !at.is_multiple_of(4 * values.len() as u64) {
            return Err(self.refused("a store to shared memory is not aligned"));
        }
        for (place, value) in (at..).step_by(4).zip(values) {
            let Some((Base::Zero, value)) = *value else {
                return Err(
                    self.refused("what is stored to shared memory depends on the launch, or is unknown")
                );
            };
            for (place, byte) in (place..).zip((value as u32).to_le_bytes()) {
                let cell = usize::try_from(place).ok().and_then(|place| self.shared.get_mut(place));
                match cell {
                    Some(cell @ None) => *cell = Some(byte),
                    Some(Some(_)) => return Err(self.refused("a byte of shared memory is written twice")),
                    None => {
                        return Err(
                            self.refused("a store is not within the shared memory that a launch gives")
                        );
                    }
                }
            }
        }
        Ok(())
    }

    fn refused(&self, why: &str) -> String {
        why.to_string()
    }
}
