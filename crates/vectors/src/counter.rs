//! Counter mode in which the blocks of 256 counters share most of two rounds (Bernstein and Schwabe, INDOCRYPT 2008,
//! section 5), for groups of four blocks: in the first round each block has one byte of its own, in the second four, so
//! that one register holds those of a group.
//!
//! ```text
//! fresh:    if fewer than four blocks are left, or the counter's last byte would wrap in a group, go to `one`
//!           compute the values that counters share while only their last byte changes; begin a group
//! group:    four blocks, and the beginning of the next group; if the last byte would wrap in that, go to `over`;
//!           unless fewer than four blocks are left, go to `group`
//! left:     compute the counter after the last block; go to `rest`
//! over:     unless the last byte has wrapped, go to `left`
//!           compute the counter after the last block, with carry; go to `rest`
//! one:      a block
//! rest:     if any block is left, go to `fresh`
//! ```

use aesmith_dataflow::technique::{Counter, multiple};

use crate::function::Function;
use crate::kernels::BLOCK;
use crate::lower::{Constants, lowered};
use crate::machine::{Flag, Machine};
use crate::messages::{Cipher, Registers, counted, later, settle_last, singles, unless_group};

/// The number of blocks in a group: a register holds four bytes of each.
pub const GROUP: usize = 4;
/// The first round that every block computes completely.
const FIRST_WHOLE: usize = 3;

/// Registers of the values that blocks share.
#[derive(Clone, Copy)]
struct Shared {
    /// The last byte of the group's first counter, in every byte.
    low: u8,
    /// The last byte of the first round key, in every byte.
    key: u8,
    /// Four copies of the bytes after one round that depend on the last byte, without its contribution.
    first: u8,
    /// The state after two rounds, without the contributions of these bytes.
    second: u8,
}

/// Counter mode of a problem: the whole blocks, and the values that counters share.
pub(crate) struct Shares<'s> {
    pub(crate) several: &'s Cipher<'s>,
    pub(crate) single: &'s Cipher<'s>,
    pub(crate) parts: &'s Counter,
}

/// Ones in the bytes to whose row MixColumns adds row 3 with a multiple that contains this bit.
fn rows_with(bit: u8) -> [u8; 16] {
    std::array::from_fn(|i| if multiple(i % 4, 3) & bit > 0 { 0xff } else { 0 })
}

/// Ones in all bytes but these.
fn all_but(places: &[usize]) -> [u8; 16] {
    std::array::from_fn(|i| if places.contains(&i) { 0 } else { 0xff })
}

impl Shares<'_> {
    fn substituted(
        &self,
        w: &mut dyn Machine,
        constants: &mut Constants,
        state: i32,
    ) -> Result<[i32; 2], String> {
        let both = lowered(w, constants, &self.parts.substitute, &[state])?;
        Ok([both[0], both[1]])
    }

    /// Computes the values that blocks share.
    fn made(
        &self,
        w: &mut dyn Machine,
        constants: &mut Constants,
        at: Registers,
        shared: Shared,
    ) -> Result<(), String> {
        let form = self.single.form;
        let keys = [0, 1, 2].map(|number| w.load(at.key, BLOCK * number, None));
        let all_last = constants.byte(w, 15);
        let kept = [(keys[0], shared.key), (at.chain, shared.low)];
        for (of, into) in kept {
            let last = w.shuffle(of, of, all_last);
            w.put(into.into(), last);
        }
        let mut state = lowered(w, constants, &form.pack, &[at.chain])?[0];
        state = lowered(w, constants, &form.whiten, &[state, keys[0]])?[0];
        for (number, places) in [vec![self.parts.place], self.parts.before.to_vec()].into_iter().enumerate() {
            constants.forget();
            let entered = lowered(w, constants, &self.parts.enter, &[state])?[0];
            let both = self.substituted(w, constants, entered)?;
            let mask = constants.get(w, all_but(&places));
            let [s, two] = both.map(|value| w.and(value, mask));
            state = lowered(w, constants, &self.parts.mix[number], &[s, two, keys[number + 1]])?[0];
            if number == 0 {
                let control = constants.get(w, std::array::from_fn(|i| self.parts.first[i % 4] as u8));
                let first = w.shuffle(state, state, control);
                w.put(shared.first.into(), first);
            }
        }
        w.put(shared.second.into(), state);
        let mask = constants.get(w, all_but(&[15]));
        let cleared = w.and(at.chain, mask);
        w.put(at.chain, cleared);
        Ok(())
    }

    /// The states of a group after two rounds.
    fn begun(
        &self,
        w: &mut dyn Machine,
        constants: &mut Constants,
        shared: Shared,
    ) -> Result<Vec<i32>, String> {
        let of_blocks = constants.get(w, std::array::from_fn(|i| i as u8 / 4));
        let lows = w.add_words(shared.low.into(), of_blocks);
        let packed = lowered(w, constants, &self.single.form.pack, &[lows])?[0];
        let state = w.xor(packed, shared.key.into());
        let both = self.substituted(w, constants, state)?;
        let mut state = i32::from(shared.first);
        for (value, bit) in both.into_iter().zip([1, 2]) {
            let mask = constants.get(w, rows_with(bit));
            let own = w.and(value, mask);
            state = w.xor(state, own);
        }
        let [s, two] = self.substituted(w, constants, state)?;
        let three = w.xor(s, two);
        // Each half is for two blocks: first `s`, then twice `s`.
        let halves = [0, 8].map(|from| {
            let control = std::array::from_fn(|i| from + i as u8 + if i < 8 { 0 } else { 8 });
            let control = constants.get(w, control);
            w.shuffle(s, two, control)
        });
        let own = |block: usize, at: usize| {
            let row = self.parts.second[at];
            let byte = 4 * block + row;
            let place = match multiple(at % 4, row) {
                1 => byte % 8,
                2 => 8 + byte % 8,
                _ => 16 + byte,
            };
            place as u8
        };
        let state = |block: usize| {
            let control = constants.get(w, std::array::from_fn(|at| own(block, at)));
            let own = w.shuffle(halves[block / 2], three, control);
            w.xor(own, shared.second.into())
        };
        let states = (0..GROUP).map(state).collect();
        w.block().cut();
        Ok(states)
    }

    /// Computes a group.
    fn group(
        &self,
        w: &mut dyn Machine,
        constants: &mut Constants,
        at: Registers,
        shared: Shared,
    ) -> Result<(), String> {
        let begun = self.begun(w, constants, shared)?;
        let stream = self.several.rounds_from(w, constants, at.key, FIRST_WHOLE, begun)?;
        let four = constants.byte(w, GROUP as u8);
        w.add_words_to(shared.low.into(), four);
        self.several.add_text(w, at, stream);
        counted(w, constants, at, (GROUP, GROUP));
        Ok(())
    }
}

/// Writes the loops of a message, with this number of constants in registers, and this number of rounds of the next
/// group begun in each iteration; the two rounds that counters share count as one.
pub(crate) fn loops(
    f: &mut Function,
    shares: &Shares,
    at: Registers,
    (constants, ahead): (usize, usize),
) -> Result<(), String> {
    let target = f.target();
    let last = at.last.expect("counters have one");
    let shared =
        Shared { low: f.keep(true)?, key: f.keep(true)?, first: f.keep(true)?, second: f.keep(true)? };
    f.keep_constants(constants, |w, constants| shares.group(w, constants, at, shared))?;
    let [fresh, group, left, over, one, rest] =
        ["fresh", "group", "left", "over", "one", "rest"].map(|name| f.inner.place(name));
    let turns = f.turns(ahead, &[], |w, constants| shares.group(w, constants, at, shared))?;
    f.inner.label("fresh");
    unless_group(f, at, GROUP, &one)?;
    f.block(|w, constants| shares.made(w, constants, at, shared))?;
    f.inner.put_ahead(&turns);
    f.inner.label("group");
    f.inner.turn();
    f.inner.put_turn(&turns);
    f.inner.items(vec![target.branch(Flag::Wraps, false, &over)]);
    f.inner.turn_again(target.branch(Flag::Blocks, false, &group), &group);
    f.inner.turn();
    // Replaces the counter's last byte by that of another register.
    let with_last = |w: &mut dyn Machine, constants: &mut Constants, last: i32| {
        let control = constants.get(w, std::array::from_fn(|i| if i == 15 { 31 } else { i as u8 }));
        w.shuffle(at.chain, last, control)
    };
    f.inner.label("left");
    f.block(|w, constants| {
        let counter = with_last(w, constants, shared.low.into());
        w.put(at.chain, counter);
        Ok(())
    })?;
    f.inner.items(vec![target.jump(&rest)]);
    f.inner.label("over");
    f.branch(last, 256, true, &left)?;
    f.block(|w, constants| {
        // The last byte of the previous counter: words are one less in each byte.
        let less = constants.get(w, std::array::from_fn(|i| if i % 4 == 3 { 0xff } else { 0xfe }));
        let before = w.add_words(shared.low.into(), less);
        let counter = with_last(w, constants, before);
        let next = later(w, constants, counter, 1);
        w.put(at.chain, next);
        Ok(())
    })?;
    settle_last(f, at)?;
    f.inner.items(vec![target.jump(&rest)]);
    singles(f, shares.single, at, &fresh)
}
