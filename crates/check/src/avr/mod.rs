//! AVR: its rows of instructions, registers, stack and interrupts.

pub mod execute;

use crate::bytes::Link;
use crate::bytes::memory::{Memory, STACK, Stop, refused};
use crate::bytes::run::{Machine, Run};
use crate::bytes::terms::{Atom, ByteId, TABLES, Terms};
use crate::linear::{AtomId, Linear};
use crate::rows::{Bytes, Flow, Registers, Rows};
use alloc::format;
use alloc::string::String;
use execute::execute;

/// The rows of instructions.
pub const ROWS: &str = include_str!("rows.txt");
/// The most bytes of stack.
const STACK_BYTES: i128 = 1024;
/// Registers that are the caller's, and r1, which is zero.
const SAVED: [usize; 19] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29];
/// The number of the flag that lets interrupts happen.
const INTERRUPTS: usize = 7;

/// The processor.
#[derive(Clone, Copy, Debug)]
pub struct Avr;

fn no_pointer() -> Stop {
    Stop::Refused("the stack pointer is no allowed place on the stack, and an interrupt may happen".into())
}

impl Machine for Avr {
    type Registers = Registers<ByteId>;
    const UNIT: usize = 1;
    const WIDTH: u8 = 2;
    const STACK_BYTES: i128 = STACK_BYTES;
    const FREE: i128 = 1;

    fn registers(self) -> u8 {
        32
    }

    fn stack_step(self) -> i128 {
        1
    }

    fn code_step(self) -> usize {
        2
    }

    fn rows(self) -> Result<Rows, String> {
        Rows::read(ROWS)
    }

    fn entry(self, terms: &mut Terms, arguments: &[AtomId]) -> Registers<ByteId> {
        let mut general = core::array::from_fn(|k| terms.atom(Atom::Entry(k as u8)));
        general[1] = terms.constant(0);
        for (place, &argument) in arguments.iter().enumerate() {
            for half in 0..2 {
                general[24 - 2 * place + half] = terms.half(&Linear::atom(argument), half as u8);
            }
        }
        let mut flags = core::array::from_fn(|_| terms.unknown_bit(true));
        flags[INTERRUPTS] = terms.atom(Atom::Interrupts);
        let pointer = [0, 1].map(|half| terms.half(&Linear::atom(STACK), half));
        Registers { general, flags, pointer }
    }

    fn unknown(self, terms: &mut Terms, start: &Registers<ByteId>) -> Registers<ByteId> {
        let general = core::array::from_fn(|_| terms.unknown(true));
        let mut flags = core::array::from_fn(|_| terms.unknown_bit(true));
        flags[INTERRUPTS] = start.flags[INTERRUPTS];
        Registers { general, flags, pointer: start.pointer }
    }

    fn general(self, registers: &mut Registers<ByteId>, number: usize) -> &mut [ByteId] {
        &mut registers.general[number..=number]
    }

    fn pointer(self, registers: &mut Registers<ByteId>) -> &mut [ByteId] {
        &mut registers.pointer
    }

    fn kept(self, own: &Registers<ByteId>, old: &Registers<ByteId>) -> Result<(), &'static str> {
        let is_own = own.flags[INTERRUPTS] == old.flags[INTERRUPTS];
        if is_own { Ok(()) } else { Err("the interrupt flag") }
    }

    fn returned(self, own: &Registers<ByteId>, old: &Registers<ByteId>) -> Result<(), Stop> {
        // At entry r1 is zero.
        if !SAVED.iter().all(|&register| own.general[register] == old.general[register]) {
            return refused("a register is not that of the caller at the return, or r1 is not zero");
        }
        if own.flags[INTERRUPTS] != old.flags[INTERRUPTS] {
            return refused("interrupts are not as they were at the return");
        }
        Ok(())
    }

    fn step(
        run: &mut Run<'_, Avr>,
        registers: &mut Registers<ByteId>,
        at: usize,
    ) -> Result<Option<usize>, Stop> {
        run.step_of_avr(registers, at)
    }
}

impl Run<'_, Avr> {
    /// Executes the effect of an instruction on registers and memory.
    fn effect(
        &mut self,
        registers: &mut Registers<ByteId>,
        at: usize,
    ) -> Result<(Flow<ByteId>, usize), Stop> {
        let i = self.decode(at)?;
        let row = &self.rows.0[i.row];
        let given = match self.proof.links.get(&at) {
            Some(&Link::Table(table, half)) => {
                if row.name != "ldi" || row.field(i.bits, b'K') != 0 {
                    return refused("a linker writes into another instruction than an ldi of 0");
                }
                Some(self.memory.terms.half(&Linear::atom(TABLES + table as AtomId), half))
            }
            Some(Link::Place(_)) if row.code.len() == 16 || row.field(i.bits, b'k') != 0 => {
                return refused("a linker writes into another instruction than a jump to 0");
            }
            _ => None,
        };
        Ok((execute(&mut self.memory, registers, row, &i, given)?, at + i.length))
    }

    /// Executes an instruction: the offset of the next one, or none behind a return to the caller.
    fn step_of_avr(&mut self, registers: &mut Registers<ByteId>, at: usize) -> Result<Option<usize>, Stop> {
        let was_off = self.memory.terms.as_constant(registers.flags[INTERRUPTS]) == Some(0);
        let (flow, next) = self.effect(registers, at)?;
        let target = |distance: Option<i32>| match (distance, self.proof.links.get(&at)) {
            (Some(words), _) => next.checked_add_signed(2 * words as isize),
            (None, Some(&Link::Place(place))) => Some(place),
            _ => None,
        };
        let behind = match flow {
            Flow::Next => Some(next),
            Flow::Jump(None, distance) => target(distance),
            Flow::Jump(Some(bit), distance) => {
                let target = target(distance);
                self.branch(registers, bit, next, target)?
            }
            Flow::Skip(bit) => {
                let length = self.decode(next)?.length;
                self.branch(registers, bit, next, Some(next + length))?
            }
            Flow::Call(distance) => {
                let target = target(distance);
                let p = self
                    .as_pointer(registers.pointer)
                    .filter(|p| p - 2 >= -STACK_BYTES)
                    .ok_or_else(no_pointer)?;
                for half in [0, 1] {
                    let byte = self.memory.terms.atom(Atom::Code(next, half));
                    self.memory.path.cells.insert(p - i128::from(half), byte);
                }
                self.set_pointer(registers, p - 2);
                target
            }
            Flow::Return => {
                let p = self.as_pointer(registers.pointer).ok_or_else(no_pointer)?;
                if p == 0 {
                    return Ok(None);
                }
                let cell = |at: i128| {
                    self.memory.path.cells.get(&at).and_then(|&byte| self.memory.terms.as_atom(byte))
                };
                let (Some(Atom::Code(low, 0)), Some(Atom::Code(high, 1))) = (cell(p + 2), cell(p + 1)) else {
                    return refused("it returns to no known place");
                };
                let back = (low == high).then_some(*low);
                self.set_pointer(registers, p + 2);
                back
            }
        };
        self.moved(registers, was_off)?;
        match behind {
            Some(next) => Ok(Some(next)),
            None => refused("it jumps out of its code, or to no known place"),
        }
    }

    /// The target of a jump under a condition, or else the next instruction. If the condition is secret, and one instruction
    /// between them of one cycle is left out, what the jump takes longer, both ways take the same time.
    fn branch(
        &mut self,
        registers: &mut Registers<ByteId>,
        bit: ByteId,
        next: usize,
        target: Option<usize>,
    ) -> Result<Option<usize>, Stop> {
        if !self.memory.terms.is_secret(bit) {
            return Ok(if self.memory.decided_bit(bit)? { target } else { Some(next) });
        }
        let is_plain = self.decode(next).is_ok_and(|i| self.rows.0[i.row].is_plain());
        if !self.proof.skips || !is_plain || target != Some(next + 2) {
            return refused("a condition depends on a secret");
        }
        let mut other = registers.clone();
        self.effect(&mut other, next)?;
        let terms = &mut self.memory.terms;
        for (one, other) in registers.general.iter_mut().zip(other.general) {
            *one = terms.chosen(bit, *one, other);
        }
        for (one, other) in registers.flags.iter_mut().zip(other.flags) {
            *one = terms.chosen(bit, *one, other);
        }
        Ok(target)
    }

    /// Follows the stack pointer. It may have the halves of two words only while no interrupt can happen: if interrupts
    /// are off, or were before this instruction, which lets them happen behind the next one.
    fn moved(&mut self, registers: &Registers<ByteId>, was_off: bool) -> Result<(), Stop> {
        if self.memory.terms.is_secret(registers.flags[INTERRUPTS]) {
            return refused("whether interrupts happen depends on a secret");
        }
        let flag = registers.flags[INTERRUPTS];
        if flag != self.start().registers.flags[INTERRUPTS] && self.memory.terms.as_constant(flag) != Some(0)
        {
            return refused("it may let interrupts happen where its caller does not");
        }
        let is_off = was_off || self.memory.terms.as_constant(registers.flags[INTERRUPTS]) == Some(0);
        match self.as_pointer(registers.pointer) {
            Some(at) => {
                self.follow_pointer(at);
                Ok(())
            }
            None if is_off => Ok(()),
            None => Err(no_pointer()),
        }
    }
}

impl Bytes for Memory<'_> {
    type Byte = ByteId;
    type Stop = Stop;

    fn number(&mut self, value: u8) -> ByteId {
        self.terms.constant(value)
    }

    fn xor(&mut self, a: ByteId, b: ByteId) -> ByteId {
        self.terms.xor(a, b)
    }

    fn and(&mut self, a: ByteId, b: ByteId) -> ByteId {
        self.terms.and(a, b)
    }

    fn mapped(&mut self, a: ByteId, columns: [u8; 8]) -> ByteId {
        self.terms.mapped(a, columns)
    }

    fn sum(&mut self, a: ByteId, b: ByteId, c: ByteId) -> ByteId {
        self.terms.sum(a, b, c)
    }

    fn carry(&mut self, a: ByteId, b: ByteId, c: ByteId, bits: u8) -> ByteId {
        self.terms.carry(a, b, c, bits)
    }

    fn is_zero(&mut self, a: ByteId) -> ByteId {
        self.terms.zero(a)
    }

    fn load(&mut self, address: [ByteId; 2], of_program: bool) -> Result<ByteId, Stop> {
        if let Some((table, page)) = self.terms.as_page(address[1]) {
            let table = &self.proof.tables[table];
            let entries = usize::try_from(page).ok().and_then(|page| table.bytes.get(page..page + 256));
            let Some(entries) = entries.and_then(|entries| <&[u8; 256]>::try_from(entries).ok()) else {
                return refused(format!("an access is outside {}", table.name));
            };
            if table.is_flash != of_program {
                return refused(format!("{} is read from the other memory", table.name));
            }
            if self.terms.is_secret(address[0]) && !self.proof.lookups {
                return refused("the address of a load depends on a secret");
            }
            let value = self.terms.entry(entries, address[0]);
            return value
                .map_or_else(|| refused(format!("{} is no S-box and no linear map", table.name)), Ok);
        }
        if of_program {
            return refused("a load from the program is from no table");
        }
        let (base, offset) = self.place(address)?;
        self.load_at(base, &offset)
    }

    fn store(&mut self, address: [ByteId; 2], value: ByteId) -> Result<(), Stop> {
        let (base, offset) = self.place(address)?;
        self.store_at(base, &offset, value)
    }

    fn unknown(&self) -> Stop {
        Stop::Refused("a row of the table has no meaning".into())
    }
}
