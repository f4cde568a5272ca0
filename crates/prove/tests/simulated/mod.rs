//! Calls kernels in the simulator and compares the results with the oracle: a check of the prover that shares with it
//! only the meaning of single instructions.

use aesmith_cipher::block::{Block, expand_key, expand_key_inverse};
use aesmith_cipher::modes::message;
use aesmith_cipher::{Direction, Problem, Task, contract};
use aesmith_x86::concrete::{Bytes, zeroed};

const CODE: u64 = 0x10_0000;
const KEY: u64 = 0x20_0000;
const IV: u64 = 0x30_0000;
const INPUT: u64 = 0x1000_0000;
const OUTPUT: u64 = 0x2000_0000;
const ARRAYS: u64 = 0x50_0000;
const STACK: u64 = 0x70_0000;
const STACK_BYTES: u64 = 0x8000;
/// The distance between the objects of two streams, in bytes.
const APART: u64 = 0x1_0000;

/// The key structure after key set-up.
fn key_structure(problem: Problem, key: &[u8]) -> Vec<u8> {
    let inverse = problem.key_schedule().task == Task::KeySchedule(Direction::Decrypt);
    let keys = if inverse { expand_key_inverse(problem.key, key) } else { expand_key(problem.key, key) };
    let mut structure = keys.concat();
    if problem.task == Task::Ctr {
        structure.resize(contract::TABLE_OFFSET, 0);
        for value in 0..=255 {
            structure.extend(contract::table_entry(&keys[0], value));
        }
    }
    structure
}

fn pattern(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

/// One call with these lengths, in place or with separate output. `Err` says what is wrong.
pub fn call(
    problem: Problem,
    code: &[u8],
    lengths: &[usize],
    iv: Block,
    in_place: bool,
) -> Result<(), String> {
    let streams = problem.streams();
    let mut memory = Bytes { code_base: CODE, ..Bytes::default() };
    memory.map(CODE, code.to_vec(), false);
    memory.map(STACK - STACK_BYTES, pattern(9, STACK_BYTES as usize + 8), true);
    let key = |stream: usize| pattern(100 + stream as u64, problem.key.bytes());
    let ivs: Vec<Block> = (0..streams).map(|s| std::array::from_fn(|i| iv[i] ^ (s as u8 * 17))).collect();
    let at = |base: u64, stream: usize| base + APART * stream as u64;
    let mut inputs = Vec::new();
    for stream in 0..streams {
        let length = lengths[stream % lengths.len()];
        let input = pattern(200 + stream as u64, length);
        memory.map(at(KEY, stream), key_structure(problem, &key(stream)), false);
        memory.map(at(IV, stream), ivs[stream].to_vec(), true);
        memory.map(at(INPUT, stream), input.clone(), in_place);
        if !in_place {
            memory.map(at(OUTPUT, stream), vec![0xee; length], true);
        }
        inputs.push(input);
    }
    let output_base = if in_place { INPUT } else { OUTPUT };
    let arguments: Vec<u64> = if streams > 1 {
        for (i, base) in [KEY, IV, INPUT, output_base].into_iter().enumerate() {
            let array: Vec<u8> = (0..streams).flat_map(|s| at(base, s).to_le_bytes()).collect();
            memory.map(at(ARRAYS, i), array, false);
        }
        let array: Vec<u8> = inputs.iter().flat_map(|i| (i.len() as u64).to_le_bytes()).collect();
        memory.map(at(ARRAYS, 4), array, false);
        (0..5).map(|i| at(ARRAYS, i)).collect()
    } else if problem.has_iv() {
        vec![KEY, IV, INPUT, output_base, inputs[0].len() as u64]
    } else {
        vec![KEY, INPUT, output_base, inputs[0].len() as u64]
    };
    let mut machine = zeroed();
    for (i, register) in machine.gpr.iter_mut().enumerate() {
        *register = 0xabcd_0000 + i as u64;
    }
    let saved = machine.gpr;
    memory.call(&mut machine, CODE, STACK, &arguments, 100_000).map_err(|stop| stop.to_string())?;
    for register in [3, 5, 12, 13, 14, 15] {
        if machine.gpr[register] != saved[register] {
            return Err(format!("register {register} is not restored"));
        }
    }
    for stream in 0..streams {
        let input = &inputs[stream];
        let (expected, next) = message(problem, &key(stream), ivs[stream], input);
        let mut whole = if in_place { input.clone() } else { vec![0xee; input.len()] };
        whole[..expected.len()].copy_from_slice(&expected);
        let output =
            memory.at(at(output_base, stream), input.len(), false).map_err(|stop| stop.to_string())?;
        if *output != whole {
            return Err(format!("wrong output for {} bytes", input.len()));
        }
        if problem.has_iv() && *memory.at(at(IV, stream), 16, false).map_err(|stop| stop.to_string())? != next
        {
            return Err(format!("wrong IV after {} bytes", input.len()));
        }
    }
    Ok(())
}

/// Calls that reach every part of a kernel: lengths around every unrolling, uneven streams, and counters around every
/// wrap.
pub fn calls(problem: Problem, code: &[u8], most_blocks: usize) -> Result<(), String> {
    let mut lengths: Vec<usize> = (0..=most_blocks).map(|n| 16 * n).collect();
    lengths.extend((0..=most_blocks).step_by(3).map(|n| 16 * n + 1 + n % 15));
    let plain: Block = std::array::from_fn(|i| i as u8 * 7 + 1);
    for (i, &length) in lengths.iter().enumerate() {
        let uneven = [length, length / 2, length + 16, length.saturating_sub(32)];
        call(problem, code, if problem.streams() > 1 { &uneven } else { &uneven[..1] }, plain, i % 2 == 0)?;
        if problem.task == Task::Ctr {
            let mut low = plain;
            low[15] = 256u64.wrapping_sub(1 + (i as u64 * 5) % 64) as u8;
            call(problem, code, &[length], low, i % 2 == 1)?;
            let mut wraps = [0xff; 16];
            wraps[15] = low[15];
            wraps[7] = 3;
            call(problem, code, &[length], wraps, false)?;
        }
    }
    Ok(())
}
