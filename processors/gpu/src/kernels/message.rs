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
            around(w, &course, course.end, |w| self.turn(w, &course, places));
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
            around(w, &course, course.end, |w| self.turn(w, &course, places));
        }
    }

    /// A turn of the loop.
    fn turn(&self, w: &mut Writer, course: &Course, places: Places) {
        let apart = self.of_a_stream.unwrap_or(self.shape.threads);
        let offset = w.double("shl64", &[("y", course.next), ("m", 4)]);
        let from = w.double("add64", &[("y", course.input), ("z", offset)]);
        let to = w.double("add64", &[("y", course.output), ("z", offset)]);
        // The first block there is; whether the others are is asked.
        let numbers: Vec<(i32, Option<i32>)> = (0..self.blocks)
            .map(|k| match k {
                0 => (course.next, None),
                _ => {
                    let number = w.double("add64_n", &[("y", course.next), ("m", k * apart)]);
                    let there = w.predicate("lt", &[("y", number), ("z", course.end)]);
                    (number, Some(there))
                }
            })
            .collect();
        let offset = |k: i32| 16 * k * apart;
        let counts = self.problem.mode().counts();
        let states: Vec<[i32; 4]> = (0..)
            .zip(&numbers)
            .map(|(k, &(number, there))| match counts {
                true => counted(w, course.counter, number),
                false => {
                    let text = load(w, from, offset(k), there);
                    match self.chain {
                        Some(chain) => sum(w, text, chain),
                        None => text,
                    }
                }
            })
            .collect();
        let results = self.cipher(w, places, states);
        for ((k, &(number, there)), block) in (0..).zip(&numbers).zip(results) {
            let block = match summand(w, course, self.problem, (number, there), (from, offset(k))) {
                Some(text) => sum(w, block, text),
                None => block,
            };
            store(w, to, offset(k), there, block);
            for (word, chain) in block.into_iter().zip(self.chain.into_iter().flatten()) {
                w.put("mov", &[("d", chain), ("a", word)]);
            }
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

    /// The cipher on several blocks.
    fn cipher(&self, w: &mut Writer, places: Places, states: Vec<[i32; 4]>) -> Vec<[i32; 4]> {
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
        self.rounds(w, places, 1, states, key)
    }
}

/// A loop around a turn, as long as the next number is below another.
pub fn around(w: &mut Writer, course: &Course, below: i32, turn: impl FnOnce(&mut Writer)) {
    let [next, done] = if course.is_first { ["NEXT_FIRST", "DONE_FIRST"] } else { ["NEXT", "DONE"] };
    let none = w.predicate("ge", &[("y", course.next), ("z", below)]);
    w.branch_if(none, done);
    w.label(next);
    turn(w);
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

/// A block of text, if it is there.
pub fn load(w: &mut Writer, from: i32, off: i32, there: Option<i32>) -> [i32; 4] {
    let block: [i32; 4] = w.several();
    let fields = quad(from, off, block);
    match there {
        None => w.put("ld_global", &fields),
        // Of a block that is not there, whatever the registers held is enciphered and not stored.
        Some(p) => w.put("ld_global_if", &[&fields[..], &[("p", p)]].concat()),
    }
    block
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
        Added::Text => Some(load(w, from, off, there)),
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
            w.put("ld_global_if", &[&quad(from, off - 16, block)[..], &[("p", there)]].concat());
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
    let fields = quad(to, off, block);
    match there {
        None => w.put("st_global", &fields),
        Some(p) => w.put("st_global_if", &[&fields[..], &[("p", p)]].concat()),
    }
}
