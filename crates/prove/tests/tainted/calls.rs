//! Calls of a kernel on random keys and messages, and checks that the claims of a proof hold in each.

use super::{Layout, Run, run};
use aesmith_cipher::block::{Block, expand_key, expand_key_inverse};
use aesmith_cipher::modes::message;
use aesmith_cipher::{Direction, Problem, Task, contract};
use aesmith_prove::Proof;
use aesmith_x86::concrete::Bytes;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CODE: u64 = 0x10_0000;
const KEY: u64 = 0x20_0000;
const IV: u64 = 0x30_0000;
const ARRAYS: u64 = 0x50_0000;
/// The stack pointer at entry: a call leaves it 8 bytes below a multiple of 16.
const STACK: u64 = 0x7f_fff8;
const STACK_BYTES: u64 = 0x1_0000;
const INPUT: u64 = 0x1000_0000;
const OUTPUT: u64 = 0x2000_0000;
/// The distance between the objects of two streams, in bytes.
const APART: u64 = 0x1_0000;
/// The size of the largest key structure: round keys and the counter table.
const STRUCTURE: usize = contract::TABLE_OFFSET + contract::TABLE_BYTES;

fn bytes(random: &mut ChaCha8Rng, count: usize) -> Vec<u8> {
    (0..count).map(|_| random.random()).collect()
}

/// Random numbers and zeros, which a kernel may find in its caller's registers.
fn registers(random: &mut ChaCha8Rng) -> [u64; 16] {
    std::array::from_fn(|_| if random.random() { random.random() } else { 0 })
}

fn structure(problem: Problem, key: &[u8]) -> Vec<u8> {
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

/// One call of a message kernel, in place or with separate output.
fn call(
    problem: Problem,
    code: &[u8],
    length: usize,
    iv: Block,
    in_place: bool,
    random: &mut ChaCha8Rng,
) -> Result<Run, String> {
    let streams = problem.streams();
    let mut memory = Bytes { code_base: CODE, ..Bytes::default() };
    memory.map(CODE, code.to_vec(), false);
    memory.map(STACK - STACK_BYTES, bytes(random, STACK_BYTES as usize + 8), true);
    let (mut secret, mut keys, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let at = |base: u64, stream: usize| base + APART * stream as u64;
    let lengths: Vec<usize> = (0..streams).map(|s| length.saturating_sub(16 * s)).collect();
    let output_base = if in_place { INPUT } else { OUTPUT };
    for (stream, &length) in lengths.iter().enumerate() {
        let (key, input) = (bytes(random, problem.key.bytes()), bytes(random, length));
        let structure = structure(problem, &key);
        let (from, input_from) = (at(KEY, stream), at(INPUT, stream));
        secret.extend([from..from + structure.len() as u64, input_from..input_from + length as u64]);
        keys.push(from..from + structure.len() as u64);
        memory.map(from, structure, false);
        memory.map(at(IV, stream), iv.to_vec(), true);
        memory.map(input_from, input.clone(), in_place);
        if !in_place {
            memory.map(at(OUTPUT, stream), vec![0xee; length], true);
        }
        expected.push(message(problem, &key, iv, &input));
    }
    let arguments: Vec<u64> = if streams > 1 {
        let arrays = [KEY, IV, INPUT, output_base].map(|base| (0..streams).map(|s| at(base, s)).collect());
        let arrays: Vec<Vec<u64>> =
            arrays.into_iter().chain([lengths.iter().map(|&l| l as u64).collect()]).collect();
        for (i, array) in arrays.iter().enumerate() {
            memory.map(at(ARRAYS, i), array.iter().flat_map(|word| word.to_le_bytes()).collect(), false);
        }
        (0..5).map(|i| at(ARRAYS, i)).collect()
    } else if problem.has_iv() {
        vec![KEY, IV, INPUT, output_base, length as u64]
    } else {
        vec![KEY, INPUT, output_base, length as u64]
    };
    let layout = Layout {
        code: CODE,
        code_bytes: code.len() as u64,
        stack: STACK,
        stack_bytes: STACK_BYTES,
        secret,
        registers: registers(random),
        keys,
    };
    let run = run(&mut memory, &layout, &arguments)?;
    for (stream, (output, next)) in expected.iter().enumerate() {
        let found =
            memory.at(at(output_base, stream), output.len(), false).map_err(|stop| stop.to_string())?;
        if *found != output[..] {
            return Err(format!("wrong output for {length} bytes"));
        }
        if problem.has_iv() && memory.at(at(IV, stream), 16, false).map_err(|stop| stop.to_string())? != next
        {
            return Err(format!("wrong IV after {length} bytes"));
        }
    }
    Ok(run)
}

/// One call of a key set-up.
fn set_up(problem: Problem, code: &[u8], random: &mut ChaCha8Rng) -> Result<Run, String> {
    let mut memory = Bytes { code_base: CODE, ..Bytes::default() };
    memory.map(CODE, code.to_vec(), false);
    memory.map(STACK - STACK_BYTES, bytes(random, STACK_BYTES as usize + 8), true);
    let key = bytes(random, problem.key.bytes());
    let mut found = vec![0; STRUCTURE];
    let expected = match problem.task {
        Task::KeySchedule(Direction::Encrypt) => expand_key(problem.key, &key).concat(),
        Task::KeySchedule(Direction::Decrypt) => expand_key_inverse(problem.key, &key).concat(),
        _ => {
            let keys = expand_key(problem.key, &key);
            found[..16 * keys.len()].copy_from_slice(&keys.concat());
            let mut whole = found[..contract::TABLE_OFFSET].to_vec();
            (0..=255).for_each(|value| whole.extend(contract::table_entry(&keys[0], value)));
            whole
        }
    };
    memory.map(KEY, found, true);
    memory.map(INPUT, key.clone(), false);
    let keys_end = KEY + STRUCTURE as u64;
    let layout = Layout {
        code: CODE,
        code_bytes: code.len() as u64,
        stack: STACK,
        stack_bytes: STACK_BYTES,
        secret: vec![KEY..keys_end, INPUT..INPUT + key.len() as u64],
        registers: registers(random),
        keys: Vec::new(),
    };
    let run = run(&mut memory, &layout, &[KEY, INPUT])?;
    let written = memory.at(KEY, expected.len(), false).map_err(|stop| stop.to_string())?;
    if *written != expected[..] {
        return Err("wrong key structure".to_owned());
    }
    Ok(run)
}

/// Finds a claim of a proof that does not hold in a run.
fn against(run: &Run, proof: &Proof) -> Result<(), String> {
    if let Some((ip, what)) = run.secret_branches.iter().next() {
        return Err(format!("a secret decides at {ip:#x}, `{what}`"));
    }
    if let Some((ip, what)) = run.secret_addresses.iter().next() {
        return Err(format!("an address is secret at {ip:#x}, `{what}`"));
    }
    if let (Some(ip), 0) = (run.secret_loads.iter().next(), proof.secret_loads) {
        return Err(format!("a constant is looked up at {ip:#x} at a secret address, and it is no VT"));
    }
    if run.secret_loads.len() > proof.secret_loads {
        let (found, said) = (run.secret_loads.len(), proof.secret_loads);
        return Err(format!("{found} instructions look up at secret addresses, not {said}"));
    }
    if let (true, Some(left)) = (proof.wiped, run.left.first()) {
        return Err(format!("it is said to be wiped, and left is: {left}"));
    }
    let covered =
        |ranges: &[std::ops::Range<usize>], at: u64| ranges.iter().any(|r| r.contains(&(at as usize)));
    if let Some(at) = run.executed.iter().find(|&&at| !covered(&proof.coverage.executed, at)) {
        return Err(format!("what lies at {at:#x} is executed, and said not to be"));
    }
    if let Some(at) = run.key_read.iter().find(|&&at| !covered(&proof.coverage.key, at)) {
        return Err(format!("byte {at} of the key structure is read, and said not to be"));
    }
    Ok(())
}

/// Checks that a proof's claims hold on random inputs, for lengths up to `blocks` blocks.
pub fn hold(problem: Problem, code: &[u8], proof: &Proof, blocks: usize) -> Result<(), String> {
    each(problem, code, blocks, |run| against(run, proof))
}

/// Checks that `holds` accepts each run on random inputs.
pub fn each(
    problem: Problem,
    code: &[u8],
    blocks: usize,
    mut holds: impl FnMut(&Run) -> Result<(), String>,
) -> Result<(), String> {
    let mut random = ChaCha8Rng::seed_from_u64(code.len() as u64);
    if !problem.is_message() {
        return holds(&set_up(problem, code, &mut random)?);
    }
    for n in 0..=blocks {
        let mut lengths = vec![16 * n];
        if problem.task == Task::Ctr {
            lengths.push(16 * n + 1 + n % 15);
        }
        for length in lengths {
            let mut iv: Block = random.random();
            if n % 2 == 1 {
                // The counter carries into its upper half.
                iv[8..].fill(0xff);
            }
            let run = call(problem, code, length, iv, n % 3 == 1, &mut random)
                .map_err(|what| format!("{length} bytes: {what}"))?;
            holds(&run).map_err(|what| format!("{length} bytes: {what}"))?;
        }
    }
    Ok(())
}
