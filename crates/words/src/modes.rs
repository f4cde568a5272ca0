//! Functions on blocks and on messages.

use aesmith_cipher::{Direction, Problem, Task};

use crate::counter;
use crate::function::{self, Function};
use crate::keys::{self, Keys, Schedule};
use crate::machine::{Machine, Size, region};
use crate::rounds::{Last, Rounds};
use crate::tables::{Form, Table};

/// The choices of a function.
#[derive(Clone, Copy, Debug)]
pub struct Choices {
    /// The format of the tables of words.
    pub form: Form,
    /// The kind of look-ups in the last round.
    pub last: Last,
    /// True if the part of the first two rounds that 256 counters share is computed once.
    pub cached: bool,
    /// True if a block begins the next one's third round, so that the end of one block overlaps with the start of the
    /// next.
    pub ahead: bool,
    /// True if a round's columns are summed up side by side (see [`Rounds`]).
    pub side_by_side: bool,
    /// The number of words of the round keys that stay in registers.
    pub kept: u8,
    /// The number of columns whose round key words are computed from those of the previous round (see [`Keys`]).
    pub remade: u8,
    /// The number of registers into which indices are inserted; zero if indices are added to the tables' addresses.
    pub pointers: u8,
}

/// Registers of a message function's arguments.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    /// Round keys.
    pub key: u8,
    /// The counter or chain value.
    pub iv: u8,
    /// Text.
    pub input: u8,
    /// Result.
    pub output: u8,
    /// The number of blocks.
    pub blocks: u8,
}

/// The size of a block in bytes.
pub const BLOCK: i32 = 16;
/// The offset of a counter's last byte. In a register it is kept minus 256, so that it is zero where it wraps.
pub(crate) const LAST_BYTE: i32 = BLOCK - 1;

/// Loads four words at a pointer.
pub fn words(w: &mut dyn Machine, base: i32, at: Option<u16>) -> [i32; 4] {
    std::array::from_fn(|k| w.load(Size::Word, base, 4 * k as i32, at))
}

/// Loads four words of text, after advancing the pointer by a block.
pub fn next_text(w: &mut dyn Machine, pointer: i32) -> [i32; 4] {
    let first = w.load_next(pointer, BLOCK, Some(region::TEXT));
    let rest: [i32; 3] =
        std::array::from_fn(|k| w.load(Size::Word, pointer, 4 * (k as i32 + 1), Some(region::TEXT)));
    [first, rest[0], rest[1], rest[2]]
}

/// Stores four words of text, after advancing the pointer by a block.
pub fn store_next(w: &mut dyn Machine, pointer: i32, values: [i32; 4]) {
    w.store_next(values[0], pointer, BLOCK, region::TEXT);
    for (k, &v) in values.iter().enumerate().skip(1) {
        w.store(Size::Word, v, pointer, 4 * k as i32, region::TEXT);
    }
}

/// The XOR of two blocks of words.
pub fn added(w: &mut dyn Machine, a: [i32; 4], b: [i32; 4]) -> [i32; 4] {
    std::array::from_fn(|k| w.xor(a[k], b[k]))
}

/// Computes all rounds from `first` on, including the last one, of a state.
pub fn rounds_from(
    w: &mut dyn Machine,
    rounds: &Rounds,
    keys: &Keys,
    first: usize,
    last: usize,
    state: [i32; 4],
) -> [i32; 4] {
    let into = std::array::from_fn(|_| w.block().fresh());
    rounds_to(w, rounds, keys, first, last, state, into);
    into
}

/// Computes [`rounds_from`] into these registers.
fn rounds_to(
    w: &mut dyn Machine,
    rounds: &Rounds,
    keys: &Keys,
    first: usize,
    last: usize,
    state: [i32; 4],
    into: [i32; 4],
) {
    keys.begin();
    let state = (first..last).fold(state, |s, r| rounds.round(w, s, r == 1, keys.round(r)));
    rounds.last(w, state, keys.round(last), into);
}

/// A state with the first round key added.
fn whitened(w: &mut dyn Machine, keys: &Keys, text: [i32; 4]) -> [i32; 4] {
    std::array::from_fn(|j| {
        let key = keys.word(w, j);
        w.xor(text[j], key)
    })
}

/// The cipher of a state.
fn cipher(w: &mut dyn Machine, rounds: &Rounds, keys: &Keys, last: usize, text: [i32; 4]) -> [i32; 4] {
    let state = whitened(w, keys, text);
    rounds_from(w, rounds, keys, 1, last, state)
}

/// Writes the function of a problem; returns its tables.
///
/// # Errors
/// There are too few registers.
pub fn function(
    f: &mut Function,
    problem: Problem,
    schedule: Schedule,
    choices: Choices,
) -> Result<Vec<Table>, String> {
    if let Task::KeySchedule(direction) = problem.task {
        return keys::schedule(f, problem.key, direction, schedule);
    }
    let direction = problem.mode().direction;
    let mut rounds = Rounds::new(direction, choices.form, choices.last);
    rounds.side_by_side = choices.side_by_side;
    if matches!(problem.task, Task::Ecb(_)) {
        block(f, problem, rounds, choices)
    } else {
        message(f, problem, rounds, choices)
    }
}

/// Writes a block function, whose arguments are the key structure, input, output.
fn block(
    f: &mut Function,
    problem: Problem,
    mut rounds: Rounds,
    choices: Choices,
) -> Result<Vec<Table>, String> {
    let (arguments, reach) = (f.target().arguments(), f.target().reach());
    let last = problem.key.rounds();
    let tables = rounds.tables();
    function::block(f, |w| {
        let [key, input, output] = [0, 1, 2].map(|k| w.block().enter(arguments[k]));
        let registers: Vec<i32> =
            (0..rounds.addresses(choices.pointers, reach)).map(|_| w.block().fresh()).collect();
        rounds.put_addresses(w, &registers, choices.pointers, reach);
        let text = words(w, input, Some(region::TEXT));
        let keys = Keys::at(key, problem, choices);
        let state = cipher(w, &rounds, &keys, last, text);
        for (k, &v) in state.iter().enumerate() {
            w.store(Size::Word, v, output, 4 * k as i32, region::TEXT);
        }
    })?;
    Ok(tables)
}

/// Words of the round keys that stay in registers: in the rounds that each block executes, one word of each round in
/// turn, so that no round has all of its loads.
fn kept(problem: Problem, choices: Choices) -> Vec<usize> {
    let first = if choices.cached && problem.task == Task::Ctr { 3 } else { 0 };
    let rounds = first..=problem.key.rounds();
    let all = (0..4).flat_map(|j| rounds.clone().map(move |round| 4 * round + j));
    all.take(usize::from(choices.kept)).collect()
}

/// Writes a message function, whose arguments are the key structure, counter or chain, input, output, number of blocks.
fn message(
    f: &mut Function,
    problem: Problem,
    mut rounds: Rounds,
    choices: Choices,
) -> Result<Vec<Table>, String> {
    let [key, iv, input, output, blocks] =
        *f.target().arguments().first_chunk().expect("five arguments in registers");
    let arguments = Arguments { key, iv, input, output, blocks };
    let counted = problem.task == Task::Ctr && choices.cached;
    rounds.by_index = counted;
    let reach = f.target().reach();
    f.fixed.extend([key, iv, input, output]);
    let bases = (0..rounds.addresses(choices.pointers, reach))
        .map(|_| f.keep())
        .collect::<Result<Vec<u8>, String>>()?;
    let bases: Vec<i32> = bases.into_iter().map(i32::from).collect();
    let mut keys = Keys::at(i32::from(key), problem, choices);
    for number in kept(problem, choices) {
        keys.kept.push((number, f.keep()?));
    }
    // The register holds the number of blocks until the count has started.
    f.fixed.push(blocks);
    function::block(f, |w| {
        rounds.put_addresses(w, &bases, choices.pointers, reach);
        for pointer in [input, output] {
            w.advance(i32::from(pointer), -BLOCK);
        }
        for &(number, register) in &keys.kept {
            let word = keys.load(w, number);
            w.block().leave(word, Some(register));
        }
    })?;
    if !f.target().counts_in_register() {
        f.fixed.pop();
    }
    if counted {
        counter::message(f, problem.key, &rounds, &keys, arguments, choices.ahead)?;
    } else {
        let chain = match problem.task {
            Task::Ctr => None,
            _ => Some([f.keep()?, f.keep()?, f.keep()?, f.keep()?]),
        };
        each(f, problem, &rounds, &keys, arguments, chain)?;
    }
    Ok(rounds.tables())
}

/// Computes all blocks alike; chain values stay in registers.
fn each(
    f: &mut Function,
    problem: Problem,
    rounds: &Rounds,
    keys: &Keys,
    at: Arguments,
    chain: Option<[u8; 4]>,
) -> Result<(), String> {
    let target = f.target();
    let [iv, input, output] = [at.iv, at.input, at.output].map(i32::from);
    let last = problem.key.rounds();
    let counts = problem.task == Task::Ctr && target.advances_last_byte();
    let last_byte = if counts { Some(f.keep()?) } else { None };
    f.items(target.count(at.blocks, 0));
    if let Some(register) = last_byte {
        function::block(f, |w| {
            let byte = w.load(Size::Byte, iv, LAST_BYTE, Some(region::IV));
            let below = w.sum(byte, -256);
            w.block().leave(below, Some(register));
        })?;
    }
    if let Some(chain) = chain {
        function::block(f, |w| {
            let words = words(w, iv, Some(region::IV));
            for (v, r) in words.into_iter().zip(chain) {
                w.block().leave(v, Some(r));
            }
        })?;
    }
    f.label("block");
    f.turn();
    function::block(f, |w| {
        let Some(chain) = chain else {
            let counter = words(w, iv, Some(region::IV));
            let stream = cipher(w, rounds, keys, last, counter);
            let text = next_text(w, input);
            let sum = added(w, text, stream);
            store_next(w, output, sum);
            match last_byte.map(i32::from) {
                Some(byte) => {
                    w.advance_and_test(byte, 1);
                    w.store_byte_of(byte, 0, iv, LAST_BYTE, region::IV);
                }
                None => w.increment(iv, 16),
            }
            return;
        };
        let chain = chain.map(i32::from);
        let text = next_text(w, input);
        let result = if rounds.direction == Direction::Encrypt {
            let entered = added(w, text, chain);
            let state = whitened(w, keys, entered);
            rounds_to(w, rounds, keys, 1, last, state, chain);
            chain
        } else {
            let open = cipher(w, rounds, keys, last, text);
            let result = added(w, open, chain);
            // The text is loaded again, because its registers are not free earlier.
            for (k, &word) in chain.iter().enumerate() {
                w.load_to(word, Size::Word, input, 4 * k as i32, Some(region::TEXT));
            }
            result
        };
        store_next(w, output, result);
    })?;
    if let Some(register) = last_byte {
        f.branch(target.if_zero(register, &f.place("wrapped")));
        f.label("counted");
        f.behind(|f| {
            f.label("wrapped");
            function::block(f, |w| {
                w.increment(iv, 15);
                w.advance(i32::from(register), -256);
            })?;
            f.items(vec![target.jump(&f.place("counted"))]);
            Ok(())
        })?;
    }
    f.items(target.again(at.blocks, &f.place("block")));
    f.turn();
    if let Some(chain) = chain {
        function::block(f, |w| {
            for (k, r) in chain.into_iter().enumerate() {
                w.store(Size::Word, i32::from(r), iv, 4 * k as i32, region::IV);
            }
        })?;
    }
    Ok(())
}
