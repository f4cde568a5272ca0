//! Counter mode in which the blocks of 256 counters share most of two rounds (Bernstein and Schwabe, INDOCRYPT
//! 2008, section 5): while only the counter's last byte changes, it affects one column of the first round, and
//! one look-up of each column of the second. See `aesmith_words::counter`, whose kernels keep the shared values
//! in registers.

use aesmith_cipher::KeySize;

use super::code::{Code, Memory};
use super::modes::{self, IV, OWN, column};
use super::rounds::{FREE, KEYS, PARKED, Place, Rounds};
use crate::table::{EAX, ECX, EDX, ESI};

/// The counter's last byte minus 256, so that it becomes zero when the byte wraps. The bits above the byte are
/// ones, both in it and in [`KEY_BYTE`]: the XOR of the two is an index.
const COUNTER: Memory = Memory::Own(OWN);
/// The first round key's last byte minus 256.
const KEY_BYTE: Memory = Memory::Own(OWN + 1);
/// The first column after one round, without the contribution of the last byte.
const FIRST: i32 = OWN + 2;
/// The columns after two rounds, without the contribution of the first column.
const SECOND: i32 = OWN + 3;
/// The number of these words.
const WORDS: i32 = 7;
/// The first round that every block computes completely.
const FIRST_WHOLE: usize = 3;

/// Size of a round key, in bytes.
const BLOCK: i32 = modes::BLOCK;

fn but_the_last_byte(word: usize, row: usize) -> bool {
    (word, row) != (3, 3)
}

fn but_the_first_word(word: usize, _: usize) -> bool {
    word > 0
}

/// Computes the values that blocks share until the counter's last byte is zero again.
fn made(code: &mut Code, rounds: &Rounds) {
    let [columns, _] = rounds.contents();
    code.load(FREE, IV);
    let state = rounds.entered(code, |code, register, j| code.load(register, column(FREE, j)));
    for (pointer, to) in [(FREE, COUNTER), (KEYS, KEY_BYTE)] {
        code.load_byte(EDX, Memory::At(pointer, 15));
        code.number("sub", EDX, 256);
        code.store(EDX, to);
    }
    let first = rounds.round_of(code, state, BLOCK, columns, but_the_last_byte);
    code.store(first[0], Memory::Own(FIRST));
    // One of the other columns goes to the frame: the one whose bytes are not all accessible, if there is one.
    let mut state = first.map(Place::Register);
    state[0] = Place::Own(FIRST);
    let aside = (1..4).max_by_key(|&j| first[j]).unwrap_or(1);
    code.store(first[aside], Memory::Own(PARKED[0]));
    state[aside] = Place::Own(PARKED[0]);
    let second = rounds.round_of(code, state, 2 * BLOCK, columns, but_the_first_word);
    for (j, register) in second.into_iter().enumerate() {
        code.store(register, Memory::Own(SECOND + j as i32));
    }
}

/// The state of a block after two rounds.
fn entered(code: &mut Code, rounds: &Rounds) -> [Place; 4] {
    let [columns, _] = rounds.contents();
    code.load(EAX, COUNTER);
    code.xor(EAX, KEY_BYTE);
    rounds.last_row(code, EAX);
    code.xor(EAX, Memory::Own(FIRST));
    let into = [ECX, EDX, ESI, EAX];
    rounds.begin(code, EAX, into, columns);
    let mut state = [0; 4];
    for (row, register) in into.into_iter().enumerate() {
        let j = rounds.column(0, row);
        code.xor(register, Memory::Own(SECOND + j as i32));
        state[j] = register;
    }
    rounds.parked(code, state)
}

/// The function for messages.
pub fn message(symbol: &str, size: KeySize, rounds: &Rounds) -> Code {
    // The function begins where blocks are counted, one iteration before the first.
    let mut code = modes::begun(symbol, WORDS, 1);
    code.label("fresh");
    made(&mut code, rounds);
    code.jump("jmp", "counted");
    code.label("block");
    code.turn(|code| {
        let state = entered(code, rounds);
        let stream = rounds.rest(code, FIRST_WHOLE, size.rounds(), state);
        modes::added(code, stream);
        code.memory("add_m_n8", COUNTER, &[("n", 1)]);
        // Skips the end of the function.
        code.jump("je_short", "wrapped");
        code.label("counted");
        modes::again(code, "block");
    });
    code.load(FREE, IV);
    code.load(EAX, COUNTER);
    code.memory("movb_m_l", Memory::At(FREE, 15), &[("q", EAX)]);
    code.leave();
    code.behind(|code| {
        code.label("wrapped");
        code.load(FREE, IV);
        modes::increment(code, 15);
        code.jump("jmp", "fresh");
    });
    code
}
