//! Functions on one block, and on messages each of whose blocks is computed completely.

use aesmith_cipher::{Direction, Problem, Task};

use super::code::{Code, Memory};
use super::rounds::{FREE, KEYS, PARKED, Rounds};
use crate::table::{EAX, EBX, ECX, EDX, ESI};

/// Size of a block, in bytes.
pub const BLOCK: i32 = 16;
/// Arguments of functions: the key structure; then input and output for a block, or counter or chaining value,
/// input, output and number of blocks for a message.
const KEY: Memory = Memory::Argument(0);
/// See [`KEY`].
pub const IV: Memory = Memory::Argument(1);

/// Words of the frame that all message functions have, after the first two, which are those of a state.
pub const INPUT: Memory = Memory::Own(PARKED.len() as i32);
/// See [`INPUT`].
const OUTPUT: Memory = Memory::Own(3);
/// See [`INPUT`].
const BLOCKS: Memory = Memory::Own(4);
/// The first word for use by a mode.
pub const OWN: i32 = 5;

/// The word of a column, at a pointer.
pub fn column(pointer: i32, column: usize) -> Memory {
    Memory::At(pointer, 4 * column as i32)
}

/// The function for one block.
pub fn block(symbol: &str, problem: Problem, rounds: &Rounds) -> Code {
    let mut code = Code::new(symbol, PARKED.len() as i32);
    code.load(KEYS, KEY);
    code.load(FREE, Memory::Argument(1));
    let state = rounds.entered(&mut code, |code, register, j| code.load(register, column(FREE, j)));
    let done = rounds.rest(&mut code, 1, problem.key.rounds(), state);
    code.load(FREE, Memory::Argument(2));
    for (j, register) in done.into_iter().enumerate() {
        code.store(register, column(FREE, j));
    }
    code.leave();
    code
}

/// Begins a message function with `words` words of its own: arguments that change are stored in its frame, with
/// `more` added to the number of blocks.
pub fn begun(symbol: &str, words: i32, more: i32) -> Code {
    let mut code = Code::new(symbol, OWN + words);
    for (number, to) in [(2, INPUT), (3, OUTPUT), (4, BLOCKS)] {
        code.load(EAX, Memory::Argument(number));
        if to == BLOCKS && more > 0 {
            code.number("add", EAX, more);
        }
        code.store(EAX, to);
    }
    code.load(KEYS, KEY);
    code
}

/// Counts a block, and jumps to a label if more are left.
pub fn again(code: &mut Code, place: &str) {
    code.memory("sub_m_n8", BLOCKS, &[("n", 1)]);
    code.jump("jne", place);
}

/// Stores columns as the next block of output.
pub fn stored(code: &mut Code, done: [i32; 4]) {
    code.load(FREE, OUTPUT);
    for (j, register) in done.into_iter().enumerate() {
        code.store(register, column(FREE, j));
    }
    for pointer in [INPUT, OUTPUT] {
        code.memory("add_m_n8", pointer, &[("n", BLOCK)]);
    }
}

/// Adds the next block of input to columns, and stores the sum as the next block of output.
pub fn added(code: &mut Code, done: [i32; 4]) {
    code.load(FREE, INPUT);
    for (j, register) in done.into_iter().enumerate() {
        code.xor(register, column(FREE, j));
    }
    stored(code, done);
}

/// Adds one to the first `bytes` bytes of the counter at [`FREE`], and clears those after them: 16, or 15 if
/// the last byte wraps.
pub fn increment(code: &mut Code, bytes: usize) {
    for j in (0..4).rev() {
        code.load(EAX, column(FREE, j));
        code.put("bswap", &[("r", EAX)]);
        if j == 3 {
            if bytes == 15 {
                code.number("or", EAX, 0xff);
            }
            code.number("add", EAX, 1);
        } else {
            code.number("adc", EAX, 0);
        }
        code.put("bswap", &[("r", EAX)]);
        code.store(EAX, column(FREE, j));
    }
}

/// The function for messages.
pub fn message(symbol: &str, problem: Problem, rounds: &Rounds) -> Code {
    let chained = problem.task != Task::Ctr;
    let mut code = begun(symbol, if chained { 4 } else { 0 }, 0);
    let chain = |j: usize| Memory::Own(OWN + j as i32);
    if chained {
        code.load(FREE, IV);
        for j in 0..4 {
            code.load(EAX, column(FREE, j));
            code.store(EAX, chain(j));
        }
    }
    code.label("block");
    let last = problem.key.rounds();
    code.turn(|code| {
        code.load(FREE, if chained { INPUT } else { IV });
        let enters = chained && rounds.direction == Direction::Encrypt;
        let state = rounds.entered(code, |code, register, j| {
            code.load(register, column(FREE, j));
            if enters {
                code.xor(register, chain(j));
            }
        });
        let done = rounds.rest(code, 1, last, state);
        match (chained, enters) {
            (false, _) => {
                added(code, done);
                code.load(FREE, IV);
                increment(code, 16);
            }
            (true, true) => {
                for (j, register) in done.into_iter().enumerate() {
                    code.store(register, chain(j));
                }
                stored(code, done);
            }
            (true, false) => {
                code.load(FREE, INPUT);
                let other = other(done);
                for (j, register) in done.into_iter().enumerate() {
                    code.xor(register, chain(j));
                    code.load(other, column(FREE, j));
                    code.store(other, chain(j));
                }
                stored(code, done);
            }
        }
        again(code, "block");
    });
    if chained {
        code.load(FREE, IV);
        for j in 0..4 {
            code.load(EAX, chain(j));
            code.store(EAX, column(FREE, j));
        }
    }
    code.leave();
    code
}

/// A register that holds neither a column nor a pointer.
fn other(columns: [i32; 4]) -> i32 {
    let free = [EAX, ECX, EDX, EBX, ESI].into_iter().find(|r| !columns.contains(r));
    free.unwrap_or_else(|| unreachable!("four columns are in four registers of five"))
}
