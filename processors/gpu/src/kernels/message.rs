//! Messages: a thread takes every so-manieth block of text, as far as there are any.

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
    /// How rounds are computed.
    pub shape: Shape,
    /// Blocks of text that a thread works on side by side, a block of threads apart.
    pub blocks: i32,
    /// Whether 256 counters share what is the same in their first two rounds.
    pub cached: bool,
    /// How many threads share a stream that has a key of its own, if a launch is of such streams.
    pub of_a_stream: Option<i32>,
    /// The block before a thread's next, of which there is one where blocks wait for each other.
    pub chain: Option<[i32; 4]>,
    /// When the round keys of a stream are made.
    pub schedule: d::Schedule,
    /// Where round keys come from.
    pub keys: Keys,
    /// Whether a thread loads its text a turn before it is enciphered.
    pub ahead: bool,
}

/// Where round keys come from.
#[derive(Clone, Debug)]
pub enum Keys {
    /// They are parameters.
    Parameters,
    /// They are in registers.
    Registers(Vec<[i32; 4]>),
    /// Each block, or those that are side by side, has them made of the cipher key in registers.
    Fly(Vec<i32>),
}

/// Registers that stay as they are, and the number of the next block.
pub struct Course {
    /// Address of the text.
    pub input: i32,
    /// Address of the result.
    pub output: i32,
    /// The number of blocks of text.
    pub count: i32,
    /// Where the blocks of text end that the thread and others of its kind take.
    pub end: i32,
    /// Whether others take those behind.
    pub is_first: bool,
    /// The number of the thread's next block of text, or of the warp's next counters.
    pub next: i32,
    /// By how many it moves on.
    pub step: i32,
    /// Halves of the first counter, the lower first.
    pub counter: [i32; 2],
    /// The initial vector, where it is in registers.
    pub vector: Option<[i32; 4]>,
}

/// Which blocks of text threads take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// All.
    All,
    /// The first, so many of each [`PARTS`].
    First(i32),
    /// Those behind.
    Rest(i32),
}

/// Of how many parts of the text threads take some.
pub const PARTS: i32 = 32;
/// Blocks of text of which each whole so many are divided into parts, as a power of two: a part begins at a multiple of 256.
const DIVIDED: u32 = 8 + PARTS.trailing_zeros();

impl Share {
    /// Writes how many blocks of text the first threads take, of so many.
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
    /// Writes what stands before a loop whose turn takes so many blocks of text a block of threads, the thread's first at a
    /// number of their share.
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

/// How bytes of a word are turned round.
const TURNED: i32 = 0x0123;

impl Message {
    /// Writes it.
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

    /// Writes the loop of threads with these numbers, as many as the shape says, which take a share of the text.
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

    /// How far a block is from the next one of a thread's turn.
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

    /// The numbers of a turn's blocks, the first of which there is; and of the others whether they are there.
    fn numbers(&self, w: &mut Writer, course: &Course, first: i32) -> Vec<(i32, Option<i32>)> {
        let number = |k| {
            let number = self.number(w, first, k);
            (number, (k > 0).then(|| w.predicate("lt", &[("y", number), ("z", course.end)])))
        };
        (0..self.blocks).map(number).collect()
    }

    /// The number of one of a turn's blocks.
    fn number(&self, w: &mut Writer, first: i32, k: i32) -> i32 {
        if k == 0 { first } else { w.double("add64_n", &[("y", first), ("m", k * self.apart())]) }
    }

    /// A turn of the loop.
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

    /// Loads the text of the next turn, as far as it is there, into the registers of this one's, which is not needed any more.
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

    /// Rounds from one on, but for the addition of the first key, on several blocks, with the key of a round that is asked for.
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

    /// The cipher on several blocks. Behind the addition of the first key, something else is written.
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

/// Text that is loaded a turn before it is enciphered.
struct Ahead {
    /// Registers of the text of the turn's blocks.
    held: Vec<[i32; 4]>,
    /// By how many bytes a turn moves on.
    step: i32,
}

/// A loop around a turn, as long as the next number is below another.
pub fn around(w: &mut Writer, course: &Course, below: i32, turn: impl FnOnce(&mut Writer)) {
    entered(w, course, below, |_| (), |w, ()| turn(w));
}

/// The same, before whose first turn something is done, if there is one.
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

/// Half of the counter of a launch as a number.
fn number(w: &mut Writer, at: i32) -> i32 {
    let bytes = w.double("iv", &[("n", at)]);
    let [high, low] = halves(w, bytes);
    w.double("joined", &[("a", low), ("b", high)])
}

/// Half of a counter as a number, of its two words as they are in memory.
pub fn number_of(w: &mut Writer, words: [i32; 2]) -> i32 {
    let [high, low] = words.map(|word| turned(w, word));
    w.double("joined", &[("a", low), ("b", high)])
}

/// Words of a double that is bytes, the first first, or the other way round, each with its bytes turned round.
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

/// The addresses of a block of a number in buffers.
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

/// A block of text, if it is there.
pub fn text(w: &mut Writer, from: i32, off: i32, there: Option<i32>) -> [i32; 4] {
    let block = w.several();
    load_into(w, block, from, off, there);
    block
}

/// The same into registers: where the block is not there, they keep what they held, which is enciphered and not stored.
fn load_into(w: &mut Writer, block: [i32; 4], from: i32, off: i32, there: Option<i32>) {
    access(w, "ld_global", block, from, off, there);
}

/// Accesses of a block of text, as wide as they are to be, which happen only where a predicate holds.
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

/// What is added to what the cipher makes of a block: nothing, its text, or the text before it. The block has a number, is
/// there if that is not known, and stands at a distance from an address. The block of a thread that is known to be there
/// may be the first of all, before which the initial vector stands.
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

/// Stores a block, if it is there.
pub fn store(w: &mut Writer, to: i32, off: i32, there: Option<i32>, block: [i32; 4]) {
    access(w, "st_global", block, to, off, there);
}
