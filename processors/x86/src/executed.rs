//! The instructions that one call of a kernel executes, counted in the simulator.

use crate::concrete::{Bytes, Stop, zeroed};
use crate::lines::Taker;
use crate::registers::{ARGUMENTS, gpr::RSP};
use crate::semantics::execute;
use aesmith_cipher::block::{encrypt, expand_key, expand_key_inverse};
use aesmith_cipher::{Direction, Problem, Task, contract};
use aesmith_isa::instructions::Flow;
use aesmith_isa::lanes::Decision;
use aesmith_processor::measured::Executed;
use iced_x86::{Decoder, DecoderOptions, Instruction};
use std::collections::BTreeMap;

/// An instruction limit above what any kernel needs for the longer message.
const LIMIT: u64 = 40_000_000;

const CODE: u64 = 0x10_0000;
const KEY: u64 = 0x20_0000;
const IV: u64 = 0x30_0000;
const ARRAYS: u64 = 0x50_0000;
const STACK: u64 = 0x70_0000;
const STACK_BYTES: u64 = 0x8000;
const INPUT: u64 = 0x1000_0000;
const OUTPUT: u64 = 0x2000_0000;
/// The distance between the buffers of two streams, in bytes.
const APART: u64 = 0x1_0000;

/// The executed instructions by address, each with its number of executions.
type Visits = BTreeMap<u64, (Instruction, f64)>;

fn key_structure(problem: Problem) -> Vec<u8> {
    let key: Vec<u8> = (0..problem.key.bytes() as u8).map(|i| i.wrapping_mul(29)).collect();
    let inverse = problem.key_schedule().task == Task::KeySchedule(Direction::Decrypt);
    let keys = if inverse { expand_key_inverse(problem.key, &key) } else { expand_key(problem.key, &key) };
    let mut structure = keys.concat();
    structure.resize(contract::TABLE_OFFSET, 0);
    match problem.key_table().map(|table| table.task) {
        Some(Task::CtrTable) => {
            structure.extend((0..=255).flat_map(|value| contract::table_entry(&keys[0], value)));
        }
        Some(Task::GcmTable) => {
            structure.extend(contract::hash_table(encrypt(&keys, [0; 16])));
        }
        _ => {}
    }
    structure
}

/// The executed instructions of one call by address, each with its number of executions. The call processes `length`
/// bytes of each stream, with counters from zero.
///
/// # Errors
/// The code does not run to its end in the simulator.
pub fn executed(problem: Problem, code: &[u8], length: usize) -> Result<Vec<Executed>, String> {
    let visits =
        call(problem, code, length).map_err(|stop| format!("the kernel stops in the simulator: {stop}"))?;
    let mut taker = Taker::new();
    Ok(visits
        .values()
        .map(|(instruction, times)| Executed { line: taker.line(instruction), times: *times })
        .collect())
}

fn call(problem: Problem, code: &[u8], length: usize) -> Result<Visits, Stop> {
    let streams = problem.streams() as u64;
    let mut memory = Bytes { code_base: CODE, ..Bytes::default() };
    memory.map(CODE, code.to_vec(), false);
    memory.map(STACK - STACK_BYTES, vec![0; STACK_BYTES as usize + 8], true);
    for stream in 0..streams {
        let at = |base: u64| base + APART * stream;
        memory.map(at(KEY), key_structure(problem), problem.is_key_set_up());
        memory.map(at(IV), vec![0; 32], true);
        memory.map(at(INPUT), vec![0x5a; length], false);
        memory.map(at(OUTPUT), vec![0; length], true);
    }
    let arguments = if problem.is_key_set_up() {
        vec![KEY, IV]
    } else if streams > 1 {
        for (i, base) in [KEY, IV, INPUT, OUTPUT].into_iter().enumerate() {
            let array: Vec<u8> = (0..streams).flat_map(|s| (base + APART * s).to_le_bytes()).collect();
            memory.map(ARRAYS + APART * i as u64, array, false);
        }
        let lengths: Vec<u8> = (0..streams).flat_map(|_| (length as u64).to_le_bytes()).collect();
        memory.map(ARRAYS + APART * 4, lengths, false);
        (0..5).map(|i| ARRAYS + APART * i).collect()
    } else if problem.has_iv() {
        vec![KEY, IV, INPUT, OUTPUT, length as u64]
    } else {
        vec![KEY, INPUT, OUTPUT, length as u64]
    };
    let mut machine = zeroed();
    machine.gpr[RSP] = STACK;
    for (place, argument) in ARGUMENTS.iter().zip(arguments) {
        machine.gpr[*place] = argument;
    }
    let mut visits: Visits = BTreeMap::new();
    let mut ip = 0;
    for _ in 0..LIMIT {
        let (instruction, times) = visits.entry(ip).or_insert_with(|| {
            let bytes = code.get(ip as usize..).unwrap_or(&[]);
            (Decoder::with_ip(64, bytes, ip, DecoderOptions::NONE).decode(), 0.0)
        });
        *times += 1.0;
        let instruction = *instruction;
        ip = match execute(&mut machine, &mut memory, &instruction)? {
            Flow::Next => instruction.next_ip(),
            Flow::Jump(target) | Flow::Branch { target, decision: Decision::Taken } => target,
            Flow::Branch { .. } => instruction.next_ip(),
            Flow::Return => return Ok(visits),
        };
    }
    Err(Stop::TooLong(LIMIT))
}
