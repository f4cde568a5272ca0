//! Counter mode in which the blocks of 256 counters share most of two rounds (Bernstein and Schwabe, INDOCRYPT 2008,
//! section 5): while only the counter's last byte changes, only one column changes in the first round, and one look-up
//! per column in the second.

use aesmith_cipher::KeySize;

use crate::function::{self, Function};
use crate::keys::Keys;
use crate::machine::{Machine, region};
use crate::modes::{Arguments, added, next_text, rounds_from, store_next, words};
use crate::rounds::Rounds;

/// The row of a counter's last byte in its last word.
const LAST_ROW: usize = 3;
/// The first round that every block computes completely.
const FIRST_WHOLE: usize = 3;
/// The origin of the last byte's index, chosen so that the index is zero where the byte wraps: with a scale of 2 bits
/// it runs from `index - 1024` up to 0. Bits above those of the index are ones both in it and in the key's byte, so the
/// XOR of the two is an index.
fn below(rounds: &Rounds) -> i32 {
    -256 << rounds.form.scale()
}

/// Registers of the values that blocks share.
#[derive(Clone, Copy)]
struct Shared {
    /// The index of the counter's last byte, relative to [`below`].
    counter: u8,
    /// The index of the first round key's last byte, relative to [`below`].
    key: u8,
    /// The first column after one round, without the contribution of the last byte.
    first: u8,
    /// The columns after two rounds, without the contribution of the first column.
    second: [u8; 4],
    /// The state of the next block after two rounds.
    ahead: Option<[u8; 4]>,
}

/// A block's state after two rounds.
fn begun(w: &mut dyn Machine, rounds: &Rounds, shared: &Shared) -> [i32; 4] {
    let index = w.xor(i32::from(shared.counter), i32::from(shared.key));
    let found = rounds.last_contribution(w, index);
    let first = w.xor(found, i32::from(shared.first));
    std::array::from_fn(|j| {
        let found = rounds.contribution(w, first, rounds.row_from(0, j), false);
        w.xor(found, i32::from(shared.second[j]))
    })
}

/// Computes the state of the next block after two rounds, in the registers where that block expects it.
fn begun_ahead(w: &mut dyn Machine, rounds: &Rounds, shared: &Shared) {
    let Some(ahead) = shared.ahead else { return };
    let state = begun(w, rounds, shared);
    for (v, r) in state.into_iter().zip(ahead) {
        w.block().leave(v, Some(r));
    }
}

/// Computes the values that blocks share until the counter's last byte is zero again.
fn made(w: &mut dyn Machine, rounds: &Rounds, keys: &Keys, (frame, at): (i32, i32), shared: &Shared) {
    keys.begin();
    let iv = w.load(w.whole(), frame, at, Some(region::FRAME));
    let counter = words(w, iv, Some(region::IV));
    let key: [i32; 4] = std::array::from_fn(|j| keys.word(w, j));
    let state = added(w, counter, key);
    // The key's index includes the offset that an index of its row has besides the byte.
    let odd = rounds.form.odd(LAST_ROW);
    for (word, register, more) in [(counter[3], shared.counter, 0), (key[3], shared.key, odd)] {
        let index = w.index(word, LAST_ROW, rounds.form.scale());
        let below = w.sum(index, below(rounds) + more);
        w.block().leave(below, Some(register));
    }
    let column = |w: &mut dyn Machine, state: [i32; 4], round: usize, j: usize, without: usize| {
        let key = keys.word(w, 4 * round + j);
        (0..4).filter(|&row| row != without).fold(key, |sum, row| {
            let found = rounds.contribution(w, state[rounds.source(j, row)], row, round == 1);
            w.xor(sum, found)
        })
    };
    let first = column(w, state, 1, 0, LAST_ROW);
    w.block().leave(first, Some(shared.first));
    let after: [i32; 4] = std::array::from_fn(|j| if j == 0 { first } else { column(w, state, 1, j, 4) });
    let second: [i32; 4] = std::array::from_fn(|j| column(w, after, 2, j, rounds.row_from(0, j)));
    for (v, r) in second.into_iter().zip(shared.second) {
        w.block().leave(v, Some(r));
    }
}

/// Writes the message function.
///
/// # Errors
/// There are too few registers.
pub fn message(
    f: &mut Function,
    size: KeySize,
    rounds: &Rounds,
    keys: &Keys,
    at: Arguments,
    ahead: bool,
) -> Result<(), String> {
    let target = f.target();
    let [input, output] = [at.input, at.output].map(i32::from);
    // The counter in memory is read once in 256 blocks, so its address is in the frame.
    f.words = 1;
    let iv = (target.stack_pointer(), f.word(0));
    function::block(f, |w| w.store(w.whole(), i32::from(at.iv), iv.0, iv.1, region::FRAME))?;
    f.fixed.retain(|&r| r != at.iv);
    // The loop is entered at the count, which is one iteration before the first.
    f.items(target.count(at.blocks, 1));
    let shared = Shared {
        counter: f.keep()?,
        key: f.keep()?,
        first: f.keep()?,
        second: [f.keep()?, f.keep()?, f.keep()?, f.keep()?],
        ahead: if ahead { Some([f.keep()?, f.keep()?, f.keep()?, f.keep()?]) } else { None },
    };
    // These registers are free for other values from a block's third round to its end.
    f.fixed.retain(|r| shared.ahead.is_none_or(|ahead| !ahead.contains(r)));
    f.label("fresh");
    function::block(f, |w| made(w, rounds, keys, iv, &shared))?;
    if ahead {
        function::block(f, |w| begun_ahead(w, rounds, &shared))?;
    }
    f.items(vec![target.jump(&f.place("counted"))]);
    f.label("block");
    f.turn();
    function::block(f, |w| {
        let state = match shared.ahead {
            Some(ahead) => ahead.map(|r| w.block().enter(r)),
            None => begun(w, rounds, &shared),
        };
        w.advance_and_test(i32::from(shared.counter), 1 << rounds.form.scale());
        let stream = rounds_from(w, rounds, keys, FIRST_WHOLE, size.rounds(), state);
        let text = next_text(w, input);
        let sum = added(w, text, stream);
        store_next(w, output, sum);
        begun_ahead(w, rounds, &shared);
    })?;
    f.branch(target.if_zero(shared.counter, &f.place("wrapped")));
    f.label("counted");
    f.items(target.again(at.blocks, &f.place("block")));
    f.turn();
    function::block(f, |w| {
        let iv = w.load(w.whole(), iv.0, iv.1, Some(region::FRAME));
        w.store_byte_of(i32::from(shared.counter), rounds.form.scale(), iv, 15, region::IV);
    })?;
    f.behind(|f| {
        f.label("wrapped");
        function::block(f, |w| {
            let iv = w.load(w.whole(), iv.0, iv.1, Some(region::FRAME));
            w.increment(iv, 15);
        })?;
        f.items(vec![target.jump(&f.place("fresh"))]);
        Ok(())
    })
}
