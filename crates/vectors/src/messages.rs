//! Functions on messages: groups of blocks that are processed side by side, and the remaining blocks one at a time.
//!
//! ```text
//!         keep constants; store the round keys in the form of rounds in the frame; load the chain
//! next:   if fewer blocks are left than a group has, or the counter's last byte would wrap in it, go to `one`
//!         begin a group; if this reads text ahead and there is no other group, go to `last`
//! group:  a group of blocks, and the beginning of the next; if the counter's last byte would wrap in that, go to
//!         `over`; unless fewer blocks are left than that has, or, if this reads text ahead, than two have, go to
//!         `group`
//! last:   if this reads text ahead: the rest of a group
//!         go to `rest`
//! over:   wrap the counter's last byte; go to `rest`
//! one:    a block
//! rest:   if any block is left, go to `next`
//!         store the chain
//! ```
//!
//! The number of rounds of the next group that are begun is a choice; with zero, a group is computed completely.

use aesmith_cipher::{Direction, Problem, Task};
use aesmith_dataflow::technique::{self, Sliced};

use crate::counter::{self, Shares};
use crate::function::Function;
use crate::kernels::{BLOCK, Rounds};
use crate::lower::{Constants, lowered};
use crate::machine::{Flag, Machine, region};

/// The choices of a function on messages.
#[derive(Clone, Copy, Debug)]
pub struct Choices {
    /// The choices of the rounds; the group is that of the loop.
    pub rounds: Rounds,
    /// The number of constants that stay in registers.
    pub constants: usize,
    /// True if the part of the first two rounds that 256 counters share is computed once; for groups of four.
    pub cached: bool,
    /// The number of rounds of the next group that an iteration begins. AddRoundKey of the first key counts as one; so
    /// do the two rounds that counters share.
    pub ahead: usize,
}

/// True if an iteration may begin the next one, with or without shared rounds of counters. Serial chains cannot, and
/// the proof does not follow blocks ahead with whole counters.
pub fn begins_ahead(task: Task, cached: bool) -> bool {
    match task {
        Task::Ctr => cached,
        Task::CbcDecrypt => true,
        _ => false,
    }
}

/// Registers that a function uses throughout.
#[derive(Clone, Copy)]
pub(crate) struct Registers {
    /// The address of the prepared round keys.
    pub(crate) key: i32,
    iv: u8,
    input: i32,
    output: i32,
    /// The number of blocks left.
    pub(crate) blocks: u8,
    /// The chain value: the counter of the next block, or the previous block.
    pub(crate) chain: i32,
    /// The counter's last byte, as a number.
    pub(crate) last: Option<u8>,
}

/// The cipher of a number of blocks.
pub(crate) struct Cipher<'s> {
    pub(crate) form: &'s Sliced,
    task: Task,
}

/// A counter plus a constant, with carries between all its words.
pub(crate) fn later(w: &mut dyn Machine, constants: &mut Constants, counter: i32, by: usize) -> i32 {
    let by = constants.get(w, last_word(by as u8));
    let (mut sum, mut carry) = (w.add_words(counter, by), w.carry_words(counter, by));
    for word in (0..3).rev() {
        let moved = w.words_before(constants, carry);
        let before = sum;
        sum = w.add_words(before, moved);
        if word > 0 {
            carry = w.carry_words(before, moved);
        }
    }
    sum
}

fn last_word(number: u8) -> [u8; 16] {
    std::array::from_fn(|i| if i == 15 { number } else { 0 })
}

impl Cipher<'_> {
    /// All rounds of the blocks of a group.
    fn rounds(
        &self,
        w: &mut dyn Machine,
        constants: &mut Constants,
        key: i32,
        entered: &[i32],
    ) -> Result<Vec<i32>, String> {
        let state = lowered(w, constants, &self.form.pack, entered)?;
        self.rounds_from(w, constants, key, 0, state)
    }

    /// The rounds from one on; AddRoundKey of the first key is round 0. Each round loads the constants that are not
    /// kept again.
    pub(crate) fn rounds_from(
        &self,
        w: &mut dyn Machine,
        constants: &mut Constants,
        key: i32,
        first: usize,
        mut state: Vec<i32>,
    ) -> Result<Vec<i32>, String> {
        let programs = std::iter::once(&self.form.whiten).chain(&self.form.rounds);
        for (number, program) in programs.enumerate().skip(first) {
            constants.forget();
            state.push(w.load(key, BLOCK * number as i32, None));
            state = lowered(w, constants, program, &state)?;
            w.block().cut();
        }
        lowered(w, constants, &self.form.unpack, &state)
    }

    fn text(&self, w: &mut dyn Machine, at: Registers) -> Vec<i32> {
        (0..self.form.texts).map(|k| w.load(at.input, BLOCK * k as i32, Some(region::TEXT))).collect()
    }

    /// Stores results, and advances the pointer.
    fn store(&self, w: &mut dyn Machine, at: Registers, results: Vec<i32>) {
        for (k, result) in results.into_iter().enumerate() {
            w.store(result, at.output, BLOCK * k as i32, region::TEXT);
        }
        for pointer in [at.input, at.output] {
            w.advance(pointer, BLOCK * self.form.texts as i32);
        }
    }

    /// Stores the text with this key stream added.
    pub(crate) fn add_text(&self, w: &mut dyn Machine, at: Registers, stream: Vec<i32>) {
        let text = self.text(w, at);
        let results = text.into_iter().zip(stream).map(|(a, b)| w.xor(a, b)).collect();
        self.store(w, at, results);
    }

    /// Processes as many blocks as the form works on side by side.
    pub(crate) fn group(
        &self,
        w: &mut dyn Machine,
        constants: &mut Constants,
        at: Registers,
    ) -> Result<(), String> {
        let count = self.form.texts;
        let results = match self.task {
            Task::Ctr => {
                let mut counters = vec![at.chain];
                for k in 1..count {
                    let more = constants.get(w, last_word(k as u8));
                    counters.push(w.add_words(at.chain, more));
                }
                let next = later(w, constants, at.chain, count);
                let stream = self.rounds(w, constants, at.key, &counters)?;
                w.put(at.chain, next);
                self.add_text(w, at, stream);
                return Ok(());
            }
            Task::CbcEncrypt { .. } => {
                let text = self.text(w, at);
                let entered = w.xor(text[0], at.chain);
                let result = self.rounds(w, constants, at.key, &[entered])?;
                w.put(at.chain, result[0]);
                result
            }
            _ => {
                let text = self.text(w, at);
                let opened = self.rounds(w, constants, at.key, &text)?;
                // The text is loaded again, because its registers are not free earlier.
                let text = self.text(w, at);
                let chains = std::iter::once(at.chain).chain(text.iter().copied());
                let results = opened.into_iter().zip(chains).map(|(a, b)| w.xor(a, b)).collect();
                w.put(at.chain, text[count - 1]);
                results
            }
        };
        self.store(w, at, results);
        Ok(())
    }
}

/// Writes the function of a problem.
///
/// # Errors
/// There are too few registers, or the technique has an operation that no such machine has.
pub fn message(f: &mut Function, problem: Problem, choices: Choices) -> Result<(), String> {
    let target = f.target();
    let [key, iv, input, output, blocks] =
        *target.arguments().first_chunk().expect("five arguments in registers");
    f.inner.fixed.extend([key, iv, input, output, blocks]);
    f.prepare()?;
    let mode = problem.mode();
    let is_serial = mode.direction == Direction::Encrypt && problem.task != Task::Ctr;
    let group = if is_serial { 1 } else { choices.rounds.group };
    f.side_by_side = group;
    let form = |group: usize| Rounds { group, ..choices.rounds }.form(problem.key, mode.direction);
    let (several, single) = (form(group)?, form(1)?);
    let (several, single) =
        (Cipher { form: &several, task: problem.task }, Cipher { form: &single, task: problem.task });
    let counts = problem.task == Task::Ctr && group > 1;
    let at = Registers {
        key: key.into(),
        iv,
        input: input.into(),
        output: output.into(),
        blocks,
        chain: f.keep(true)?.into(),
        last: if counts { Some(f.keep(false)?) } else { None },
    };
    keys(f, &single, at)?;
    f.block(|w, _| {
        let chain = w.load(iv.into(), 0, Some(region::IV));
        w.block().leave(chain, Some(at.chain as u8));
        Ok(())
    })?;
    if let Some(last) = at.last {
        f.inner.items(target.last_byte(last, iv));
    }
    let parts = technique::counter(choices.rounds.technique, choices.rounds.choices());
    match parts {
        Some(parts) if choices.cached => {
            let shares = Shares { several: &several, single: &single, parts: &parts };
            counter::loops(f, &shares, at, (choices.constants, choices.ahead))?;
        }
        _ if choices.cached => return Err("the technique has no parts of rounds that counters share".into()),
        _ => {
            f.keep_constants(choices.constants, |w, constants| several.group(w, constants, at))?;
            loops(f, &several, &single, at, choices.ahead)?;
        }
    }
    f.block(|w, _| {
        w.store(at.chain, at.iv.into(), 0, region::IV);
        Ok(())
    })
}

/// Stores the round keys in the form of rounds in the frame.
fn keys(f: &mut Function, cipher: &Cipher, at: Registers) -> Result<(), String> {
    let target = f.target();
    let header = target.frame_header();
    let place = (header + BLOCK - 1) / BLOCK * BLOCK;
    f.inner.words = (place - header + BLOCK * cipher.form.keys.len() as i32) / target.slot();
    let frame = target.stack_pointer();
    f.block(|w, constants| {
        for (number, program) in cipher.form.keys.iter().enumerate() {
            constants.forget();
            let raw = w.load(at.key, BLOCK * number as i32, None);
            let made = lowered(w, constants, program, &[raw])?[0];
            w.store(made, frame, place + BLOCK * number as i32, region::KEYS + number as u16);
        }
        Ok(())
    })?;
    f.block(|w, _| {
        w.put_near(at.key, frame, place);
        Ok(())
    })
}

/// Counts processed blocks, and makes the comparisons for the branches of an iteration: if fewer blocks are left than
/// `least`, and if the counter's last byte would wrap in a group.
pub(crate) fn counted(
    w: &mut dyn Machine,
    constants: &mut Constants,
    at: Registers,
    (done, least): (usize, usize),
) {
    w.count(constants, at.blocks.into(), -(done as i32));
    w.compare(at.blocks.into(), least as i32, Flag::Blocks);
    if let Some(last) = at.last {
        w.count(constants, last.into(), done as i32);
        w.compare(last.into(), wraps(done), Flag::Wraps);
    }
}

/// The lowest last byte with which a counter wraps within a group of `group` blocks.
pub(crate) fn wraps(group: usize) -> i32 {
    257 - group as i32
}

/// Jumps to a label if a group is impossible: fewer blocks are left, or the counter would wrap in it.
pub(crate) fn unless_group(f: &mut Function, at: Registers, group: usize, label: &str) -> Result<(), String> {
    f.branch(at.blocks, group as i32, true, label)?;
    if let Some(last) = at.last {
        f.branch(last, wraps(group), false, label)?;
    }
    Ok(())
}

/// Reduces the counter's last byte to 8 bits, after a possible wrap.
pub(crate) fn settle_last(f: &mut Function, at: Registers) -> Result<(), String> {
    let Some(last) = at.last else { return Ok(()) };
    f.block(|w, constants| {
        w.count_byte(constants, last.into(), 0);
        Ok(())
    })
}

/// Writes the loop of single blocks, and the end of the outer loop.
pub(crate) fn singles(f: &mut Function, single: &Cipher, at: Registers, next: &str) -> Result<(), String> {
    f.inner.label("one");
    f.block(|w, constants| {
        single.group(w, constants, at)?;
        w.count(constants, at.blocks.into(), -1);
        if let Some(last) = at.last {
            w.count_byte(constants, last.into(), 1);
        }
        Ok(())
    })?;
    f.inner.label("rest");
    f.branch(at.blocks, 1, false, next)
}

fn loops(
    f: &mut Function,
    several: &Cipher,
    single: &Cipher,
    at: Registers,
    ahead: usize,
) -> Result<(), String> {
    let target = f.target();
    let count = several.form.texts;
    let [next, group, last, over, rest, one] =
        ["next", "group", "last", "over", "rest", "one"].map(|name| f.inner.place(name));
    // If the next group is begun ahead, its text has been read.
    let least = if ahead > 0 { 2 * count } else { count };
    let turns = f.turns(ahead, &[region::TEXT], |w, constants| {
        several.group(w, constants, at)?;
        counted(w, constants, at, (count, least));
        Ok(())
    })?;
    if count > 1 {
        f.inner.label("next");
        unless_group(f, at, count, &one)?;
    }
    f.inner.put_ahead(&turns);
    if ahead > 0 {
        f.branch(at.blocks, least as i32, true, &last)?;
    }
    f.inner.label("group");
    f.inner.turn();
    f.inner.put_turn(&turns);
    if at.last.is_some() {
        f.inner.items(vec![target.branch(Flag::Wraps, false, &over)]);
    }
    f.inner.turn_again(target.branch(Flag::Blocks, false, &group), &group);
    f.inner.turn();
    if ahead > 0 {
        f.inner.label("last");
        f.inner.put_rest(&turns);
    }
    if count == 1 {
        return Ok(());
    }
    f.inner.items(vec![target.jump(&rest)]);
    if at.last.is_some() {
        f.inner.label("over");
        settle_last(f, at)?;
        f.inner.items(vec![target.jump(&rest)]);
    }
    singles(f, single, at, &next)
}
