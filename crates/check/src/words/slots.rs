//! A step of a processor of words: an instruction with its prefix, and that in the slot behind a jump.

use super::execute::{Domain, Flow, REGISTERS, execute};
use super::{Word, Words, part};
use crate::bytes::Link;
use crate::bytes::memory::{OUTSIDE, Stop, refused};
use crate::bytes::run::Run;
use crate::rows::Instruction;

type Registers = [Word; REGISTERS];

/// The way on: a place in the code, or none for the return to the caller.
type Way = Option<usize>;

/// Executes an instruction, and others that belong to it: the offset of the next one, or none behind a return.
///
/// # Errors
/// If it is refused, or the path has to be split; then registers may have changed, and memory has not.
pub fn step(run: &mut Run<'_, Words>, registers: &mut Registers, at: usize) -> Result<Way, Stop> {
    let (flow, i, next) = one(run, registers, at)?;
    // The place to which it jumps, or none for the return to the caller, if it jumps.
    let jump = match flow {
        Flow::Next => None,
        Flow::Jump(bit, distance) => {
            let is_taken = bit.map_or(Ok(true), |bit| run.memory.decided(bit))?;
            is_taken
                .then(|| at.checked_add_signed(distance as isize).map_or_else(nowhere, known))
                .transpose()?
        }
        Flow::To(address) => {
            let family = run.machine.0;
            let (link, back) = (usize::from(family.link), run.memory.number(family.back));
            let caller = run.memory.sum(run.start().registers[link], back);
            let place = run.memory.as_place(address, family.mark);
            Some(if address == caller { None } else { place.map_or_else(nowhere, known)? })
        }
    };
    if !run.rows.0[i.row].has_slot() {
        return Ok(jump.unwrap_or(Some(next)));
    }
    let own = run.decode(next)?;
    let row = &run.rows.0[own.row];
    if row.prefix(&own).is_some() || row.is_jump() {
        return refused("a jump or a prefix is in the slot behind a jump");
    }
    one(run, registers, next)?;
    Ok(jump.unwrap_or(Some(next + own.length)))
}

fn known(place: usize) -> Result<Way, Stop> {
    Ok(Some(place))
}

fn nowhere() -> Result<Way, Stop> {
    refused("it jumps out of its code, or to no known place")
}

/// Executes an instruction, and a prefix before it: its flow, itself, and the offset behind it.
fn one(
    run: &mut Run<'_, Words>,
    registers: &mut Registers,
    at: usize,
) -> Result<(Flow<Word>, Instruction, usize), Stop> {
    let family = run.machine.0;
    let (mut i, mut at) = (run.decode(at)?, at);
    let mut given = linked(run, &i, at, false)?;
    if let Some(number) = run.rows.0[i.row].prefix(&i) {
        let upper = given.unwrap_or_else(|| run.memory.number(number));
        at += i.length;
        i = run.decode(at)?;
        let row = &run.rows.0[i.row];
        if !row.takes_prefix() {
            return refused("a prefix is before an instruction that has none");
        }
        let number = row.lower(&i);
        let lower = linked(run, &i, at, true)?.unwrap_or_else(|| run.memory.number(number));
        given = Some(run.memory.sum(upper, lower));
    }
    let row = &run.rows.0[i.row];
    if family.foreign.iter().any(|&register| row.names(i.bits, register.into())) {
        return refused("an instruction names a register that is not the function's");
    }
    let next = at + i.length;
    run.memory.reach = Some(run.memory.free);
    let flow = execute(&mut run.memory, registers, row, &i, next, given)?;
    *registers = run.machine.with_zero(&mut run.memory.terms, *registers);
    let pointer = registers[usize::from(family.stack)];
    let Some(pointer) = run.as_pointer(pointer) else {
        return refused("the stack pointer is no allowed place on the stack");
    };
    if run.memory.reach.is_some_and(|reach| reach < pointer.min(run.memory.path.pointer)) {
        return refused(OUTSIDE);
    }
    run.follow_pointer(pointer);
    Ok((flow, i, next))
}

/// The number that a linker writes into an instruction, if it writes one: into a field that is as long as the part.
fn linked(
    run: &mut Run<'_, Words>,
    i: &Instruction,
    at: usize,
    has_prefix: bool,
) -> Result<Option<Word>, Stop> {
    let (row, family) = (&run.rows.0[i.row], run.machine.0);
    match run.proof.links.get(&at) {
        None => Ok(None),
        Some(&Link::Part(table, is_high, add))
            if row.field(i.bits, b'K') == 0
                && row.has_part(is_high, family.low)
                && (is_high || has_prefix == family.has_prefix) =>
        {
            part(&mut run.memory, at, (table, is_high, add)).map(Some)
        }
        Some(_) => refused("a linker writes into another instruction, or one that is not 0 there"),
    }
}
