//! Messages: a thread processes blocks of text at a fixed stride, up to the end.

use aesmith_cipher::Problem;
use aesmith_cipher::mode::Added;

use super::schedule::Schedule;
use super::tables::{Places, Shape};
use super::writer::Writer;
use crate::dimensions as d;

/// A kernel for messages.
#[derive(Clone, Debug)]
pub struct Message {
    /// The problem.
    pub problem: Problem,
    /// The implementation of rounds.
    pub shape: Shape,
    /// Blocks of text that a thread processes side by side; their distance is the number of threads of a thread
    /// block.
    pub blocks: i32,
    /// True if 256 counters share the common parts of their first two rounds.
    pub cached: bool,
    /// The number of threads per stream with its own key, if a launch has such streams.
    pub of_a_stream: Option<i32>,
    /// The block before a thread's next one, if blocks are chained.
    pub chain: Option<[i32; 4]>,
    /// The time at which the round keys of a stream are expanded.
    pub schedule: d::Schedule,
    /// The source of round keys.
    pub keys: Keys,
    /// True if a thread prefetches its text one iteration ahead.
    pub ahead: bool,
}

/// The source of round keys.
#[derive(Clone, Debug)]
pub enum Keys {
    /// Kernel parameters.
    Parameters,
    /// Registers.
    Registers(Vec<[i32; 4]>),
    /// Expanded from the cipher key in registers, for each block or each group of blocks side by side.
    Fly(Vec<i32>),
}

/// Loop-invariant registers, and the number of the next block.
pub struct Course {
    /// Address of the text.
    pub input: i32,
    /// Address of the output.
    pub output: i32,
    /// The number of blocks of text.
    pub count: i32,
    /// The end of the blocks of text for the thread and others of its kind.
    pub end: i32,
    /// True if other threads process the blocks after them.
    pub is_first: bool,
    /// The number of the thread's next block of text, or of the warp's next counters.
    pub next: i32,
    /// The stride of that number per iteration.
    pub step: i32,
    /// Halves of the first counter, the lower one first.
    pub counter: [i32; 2],
    /// The initial vector, if it is in registers.
    pub vector: Option<[i32; 4]>,
}

/// The share of the blocks of text that threads process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// All blocks.
    All,
    /// The first blocks: this many parts of [`PARTS`].
    First(i32),
    /// The blocks after the first this many parts.
    Rest(i32),
}

/// The number of parts that a text is divided into.
pub const PARTS: i32 = 32;
/// Only whole groups of this many blocks of text, as a power of two, are divided into parts: a part begins at a
/// multiple of 256.
const DIVIDED: u32 = 8 + PARTS.trailing_zeros();

impl Share {
    /// Writes the number of blocks of text in the first `of_parts` parts of `count` blocks.
    fn part(w: &mut Writer, count: i32, of_parts: i32) -> i32 {
        let whole = w.double("shr64", &[("y", count), ("m", DIVIDED as i32)]);
        let places = (0..32).filter(|place| of_parts >> place & 1 == 1);
        let terms: Vec<i32> =
            places.map(|place| w.double("shl64", &[("y", whole), ("m", 8 + place)])).collect();
        let sum = terms.into_iter().reduce(|sum, term| w.double("add64", &[("y", sum), ("z", term)]));
        sum.unwrap_or(count)
    }
}

impl Course {
    /// Writes the code before a loop whose iteration processes `taken` blocks of text per thread block; `first`
    /// is the number of the thread's first block in its share.
    pub fn write(w: &mut Writer, problem: Problem, first: i32, taken: i32, share: Share) -> Course {
        let parameter = |w: &mut Writer, of: i32| w.double("parameter", &[("of", of)]);
        let [input, output, count] = [0, 1, 2].map(|of| parameter(w, of));
        let counter = if problem.mode().counts() { [8, 0].map(|at| number(w, at)) } else { [0, 0] };
        let (block, blocks) = (w.word("ctaid", &[]), w.word("nctaid", &[]));
        let wide = w.double("widen", &[("a", first)]);
        let first = w.double("product", &[("a", block), ("m", taken)]);
        let mut next = w.double("add64", &[("y", first), ("z", wide)]);
        let step = w.double("product", &[("a", blocks), ("m", taken)]);
        let end = match share {
            Share::First(of_parts) => Share::part(w, count, of_parts),
            _ => count,
        };
        if let Share::Rest(of_parts) = share {
            let part = Share::part(w, count, of_parts);
            next = w.double("add64", &[("y", next), ("z", part)]);
        }
        let is_first = matches!(share, Share::First(_));
        Course { input, output, count, end, is_first, next, step, counter, vector: None }
    }
}

/// The byte permutation that reverses a word.
const TURNED: i32 = 0x0123;

impl Message {
    /// Writes the kernel.
    pub fn write(mut self, w: &mut Writer) {
        let (places, thread) = self.shape.begin(w);
        if let Some(of_a_stream) = self.of_a_stream {
            let course = super::streams::begin(w, &mut self, places, (thread, of_a_stream));
            self.turns(w, &course, places);
        } else {
            self.take(w, places, thread, Share::All);
        }
        w.put("ret", &[]);
    }

    /// Writes the loop of threads with these numbers, as many as the shape says, which process a share of the
    /// text.
    pub fn take(&self, w: &mut Writer, places: Places, thread: i32, share: Share) {
        if self.cached {
            let first = super::counter::first(w, thread, self.shape.threads);
            let course = Course::write(w, self.problem, first, 8 * self.shape.threads, share);
            super::counter::write(self, w, &course, places, share != Share::All);
        } else {
            let taken = self.blocks * self.shape.threads;
            let course = Course::write(w, self.problem, thread, taken, share);
            self.turns(w, &course, places);
        }
    }

    /// The distance between consecutive blocks of a thread's iteration.
    fn apart(&self) -> i32 {
        self.of_a_stream.unwrap_or(self.shape.threads)
    }

    /// Writes the loop.
    fn turns(&self, w: &mut Writer, course: &Course, places: Places) {
        if self.ahead {
            let step = w.double("shl64", &[("y", course.step), ("m", 4)]);
            let first = |w: &mut Writer| {
                let [from] = addressed(w, course.next, [course.input]);
                let numbers = self.numbers(w, course, course.next);
                let held =
                    (0..).zip(&numbers).map(|(k, &(_, there))| text(w, from, 16 * k * self.apart(), there));
                Ahead { held: held.collect(), step }
            };
            entered(w, course, course.end, first, |w, ahead| self.turn(w, course, places, Some(ahead)));
        } else {
            around(w, course, course.end, |w| self.turn(w, course, places, None));
        }
    }

    /// The numbers of an iteration's blocks, each with a predicate that says if the block exists; the first
    /// always does.
    fn numbers(&self, w: &mut Writer, course: &Course, first: i32) -> Vec<(i32, Option<i32>)> {
        let number = |k| {
            let number = self.number(w, first, k);
            (number, (k > 0).then(|| w.predicate("lt", &[("y", number), ("z", course.end)])))
        };
        (0..self.blocks).map(number).collect()
    }

    /// The number of one of an iteration's blocks.
    fn number(&self, w: &mut Writer, first: i32, k: i32) -> i32 {
        if k == 0 { first } else { w.double("add64_n", &[("y", first), ("m", k * self.apart())]) }
    }

    /// One iteration of the loop.
    fn turn(&self, w: &mut Writer, course: &Course, places: Places, ahead: Option<&Ahead>) {
        let [from, to] = addressed(w, course.next, [course.input, course.output]);
        let numbers = self.numbers(w, course, course.next);
        let offset = |k: i32| 16 * k * self.apart();
        let counts = self.problem.mode().counts();
        let states: Vec<[i32; 4]> = (0..)
            .zip(&numbers)
            .map(|(k, &(number, there))| match counts {
                true => counted(w, course.counter, number),
                false => {
                    let text = match ahead {
                        Some(ahead) => ahead.held[k as usize],
                        None => text(w, from, offset(k), there),
                    };
                    match self.chain {
                        Some(chain) => sum(w, text, chain),
                        None => text,
                    }
                }
            })
            .collect();
        let next = |w: &mut Writer| {
            if let Some(ahead) = ahead {
                self.load_ahead(w, course, from, ahead);
            }
        };
        let results = self.cipher(w, places, states, |w| {
            if !counts {
                next(w)
            }
        });
        for ((k, &(number, there)), block) in (0..).zip(&numbers).zip(results) {
            let summand = match ahead {
                Some(ahead) if counts => Some(ahead.held[k as usize]),
                _ => summand(w, course, self.problem, (number, there), (from, offset(k))),
            };
            let block = match summand {
                Some(text) => sum(w, block, text),
                None => block,
            };
            store(w, to, offset(k), there, block);
            for (word, chain) in block.into_iter().zip(self.chain.into_iter().flatten()) {
                w.put("mov", &[("d", chain), ("a", word)]);
            }
        }
        if counts {
            next(w);
        }
    }

    /// Prefetches the text of the next iteration, as far as it exists, into the registers of the current text,
    /// which is dead.
    fn load_ahead(&self, w: &mut Writer, course: &Course, from: i32, ahead: &Ahead) {
        let next = w.double("add64", &[("y", course.next), ("z", course.step)]);
        let from = w.double("add64", &[("y", from), ("z", ahead.step)]);
        for (k, &block) in (0..).zip(&ahead.held) {
            let number = self.number(w, next, k);
            let there = w.predicate("lt", &[("y", number), ("z", course.end)]);
            load_into(w, block, from, 16 * k * self.apart(), Some(there));
        }
    }

    /// The words of a round key that is a parameter.
    pub fn key(w: &mut Writer, round: usize) -> [i32; 4] {
        std::array::from_fn(|k| w.word("key", &[("n", (16 * round + 4 * k) as i32)]))
    }

    /// Rounds from number `from` on, without the addition of the first key, on several blocks; `key` provides
    /// the key of a round.
    pub fn rounds(
        &self,
        w: &mut Writer,
        places: Places,
        from: usize,
        mut states: Vec<[i32; 4]>,
        mut key: impl FnMut(&mut Writer, usize) -> [i32; 4],
    ) -> Vec<[i32; 4]> {
        let rounds = self.problem.key.rounds();
        for round in from..=rounds {
            let key = key(w, round);
            for state in &mut states {
                *state = match round {
                    _ if round < rounds => self.shape.round(w, places, *state, key),
                    _ => self.shape.last(w, places, *state, key),
                };
            }
        }
        states
    }

    /// The cipher on several blocks. `begun` writes other code after the addition of the first key.
    fn cipher(
        &self,
        w: &mut Writer,
        places: Places,
        states: Vec<[i32; 4]>,
        begun: impl FnOnce(&mut Writer),
    ) -> Vec<[i32; 4]> {
        let mut made = match &self.keys {
            Keys::Fly(cipher_key) => Some(Schedule::of(self.problem.key, cipher_key.clone())),
            _ => None,
        };
        let mut key = |w: &mut Writer, round: usize| match (&mut made, &self.keys) {
            (Some(schedule), _) => schedule.round_key(w, self.shape, places, round),
            (None, Keys::Registers(keys)) => keys[round],
            _ => Message::key(w, round),
        };
        let first = key(w, 0);
        let states = states.into_iter().map(|state| sum(w, state, first)).collect();
        begun(w);
        self.rounds(w, places, 1, states, key)
    }
}

/// Text that is prefetched one iteration ahead.
struct Ahead {
    /// Registers of the text of an iteration's blocks.
    held: Vec<[i32; 4]>,
    /// The distance in bytes between iterations.
    step: i32,
}

/// A loop that runs as long as the next number is below `below`.
pub fn around(w: &mut Writer, course: &Course, below: i32, turn: impl FnOnce(&mut Writer)) {
    entered(w, course, below, |_| (), |w, ()| turn(w));
}

/// Like [`around`]; `first` writes code before the first iteration, if there is one.
fn entered<T>(
    w: &mut Writer,
    course: &Course,
    below: i32,
    first: impl FnOnce(&mut Writer) -> T,
    turn: impl FnOnce(&mut Writer, &T),
) {
    let [next, done] = if course.is_first { ["NEXT_FIRST", "DONE_FIRST"] } else { ["NEXT", "DONE"] };
    let none = w.predicate("ge", &[("y", course.next), ("z", below)]);
    w.branch_if(none, done);
    let begun = first(w);
    w.label(next);
    turn(w, &begun);
    w.put("add64", &[("x", course.next), ("y", course.next), ("z", course.step)]);
    let more = w.predicate("lt", &[("y", course.next), ("z", below)]);
    w.branch_if(more, next);
    w.label(done);
}

fn turned(w: &mut Writer, word: i32) -> i32 {
    w.word("prmt", &[("a", word), ("b", word), ("n", TURNED)])
}

/// Half of a launch's counter as a number.
fn number(w: &mut Writer, at: i32) -> i32 {
    let bytes = w.double("iv", &[("n", at)]);
    let [high, low] = halves(w, bytes);
    w.double("joined", &[("a", low), ("b", high)])
}

/// Half of a counter as a number, from its two words in memory order.
pub(crate) fn number_of(w: &mut Writer, words: [i32; 2]) -> i32 {
    let [high, low] = words.map(|word| turned(w, word));
    w.double("joined", &[("a", low), ("b", high)])
}

/// The words of a double whose bytes are in memory order, or the reverse: swaps the halves and reverses the
/// bytes of each.
fn halves(w: &mut Writer, double: i32) -> [i32; 2] {
    let [a, b] = w.several();
    w.put("halves", &[("a", a), ("b", b), ("x", double)]);
    [turned(w, a), turned(w, b)]
}

/// The counter of a block, as words.
pub fn counted(w: &mut Writer, counter: [i32; 2], number: i32) -> [i32; 4] {
    let low = w.double("add_out", &[("y", counter[0]), ("z", number)]);
    let high = w.double("add_in", &[("y", counter[1]), ("m", 0)]);
    let [second, first] = halves(w, high);
    let [fourth, third] = halves(w, low);
    [first, second, third, fourth]
}

fn quad(at: i32, off: i32, block: [i32; 4]) -> [(&'static str, i32); 6] {
    [("y", at), ("off", off), ("b", block[0]), ("b2", block[1]), ("b3", block[2]), ("b4", block[3])]
}

/// Two words at an address.
pub fn bytes_at(w: &mut Writer, at: i32, off: i32) -> [i32; 2] {
    let bytes = w.double("ld_global_64", &[("y", at), ("off", off)]);
    let [a, b] = w.several();
    w.put("halves", &[("a", a), ("b", b), ("x", bytes)]);
    [a, b]
}

/// The addresses of the block with this number in buffers.
fn addressed<const N: usize>(w: &mut Writer, number: i32, buffers: [i32; N]) -> [i32; N] {
    let offset = w.double("shl64", &[("y", number), ("m", 4)]);
    buffers.map(|buffer| w.double("add64", &[("y", buffer), ("z", offset)]))
}

/// Four words at an address.
pub fn load(w: &mut Writer, from: i32, off: i32) -> [i32; 4] {
    let block: [i32; 4] = w.several();
    w.put("ld_global", &quad(from, off, block));
    block
}

/// A block of text, loaded if it exists.
pub fn text(w: &mut Writer, from: i32, off: i32, there: Option<i32>) -> [i32; 4] {
    let block = w.several();
    load_into(w, block, from, off, there);
    block
}

/// Like [`text`], into given registers: if the block does not exist, they keep their values, which are encrypted
/// but not stored.
fn load_into(w: &mut Writer, block: [i32; 4], from: i32, off: i32, there: Option<i32>) {
    access(w, "ld_global", block, from, off, there);
}

/// Accesses to a block of text with the writer's width, guarded by a predicate if one is given.
fn access(w: &mut Writer, row: &str, block: [i32; 4], at: i32, off: i32, there: Option<i32>) {
    let words = w.width / 4;
    let kind = if words < 4 { format!("_v{words}") } else { String::new() };
    let row = format!("{row}{kind}{}", if there.is_some() { "_if" } else { "" });
    for first in (0..4).step_by(words as usize) {
        let fields =
            ["b", "b2", "b3", "b4"].into_iter().zip(block.into_iter().skip(first)).take(words as usize);
        let place = [("y", at), ("off", off + 4 * first as i32)].into_iter();
        let fields: Vec<_> = place.chain(fields).chain(there.map(|p| ("p", p))).collect();
        w.put(&row, &fields);
    }
}

/// The value added to the cipher's output for a block: none, its text, or the preceding text. Arguments: the
/// block's number, a predicate that says if it exists unless that is known, and an address with an offset. A
/// thread's block that is known to exist may be the first of all, which the initial vector precedes.
pub fn summand(
    w: &mut Writer,
    course: &Course,
    problem: Problem,
    (number, there): (i32, Option<i32>),
    (from, off): (i32, i32),
) -> Option<[i32; 4]> {
    match problem.mode().rule?.added {
        Added::Nothing => None,
        Added::Text => Some(text(w, from, off, there)),
        Added::Chain => {
            let before = w.double("sub64_n", &[("y", number), ("m", 1)]);
            let there = w.predicate("lt", &[("y", before), ("z", course.count)]);
            let block: [i32; 4] = w.several();
            if off == 0
                && let Some(vector) = course.vector
            {
                for (word, of) in block.into_iter().zip(vector) {
                    w.put("mov", &[("d", word), ("a", of)]);
                }
            } else if off == 0 {
                for half in 0..2 {
                    let bytes = w.double("iv", &[("n", 8 * half)]);
                    let [a, b] = [2 * half, 2 * half + 1].map(|word| block[word as usize]);
                    w.put("halves", &[("a", a), ("b", b), ("x", bytes)]);
                }
            }
            load_into(w, block, from, off - 16, Some(there));
            Some(block)
        }
    }
}

/// The sum of two blocks.
pub fn sum(w: &mut Writer, a: [i32; 4], b: [i32; 4]) -> [i32; 4] {
    std::array::from_fn(|k| w.word("xor", &[("a", a[k]), ("b", b[k])]))
}

/// Stores a block if it exists.
pub fn store(w: &mut Writer, to: i32, off: i32, there: Option<i32>, block: [i32; 4]) {
    access(w, "st_global", block, to, off, there);
}
