//! Groups of 256 counters that share most of two rounds (Bernstein and Schwabe, INDOCRYPT 2008, section 4; Park
//! and Lee, 2018, for the second round): they differ only in their lowest byte. It enters one column of the
//! first round, and one byte of each column of the second; everything else is computed once for eight blocks of
//! a thread.
//!
//! A warp processes 256 counters, and each of its lanes every 32nd of them. They begin at a multiple of 256, so
//! the first may precede the message.

use super::message::{Course, Message, around, counted, store, sum, text};
use super::tables::Places;
use super::writer::Writer;

/// Blocks of 256 that a thread processes.
const BLOCKS: i32 = 8;
/// Number of parts of an iteration, if these are an inner loop.
pub(crate) const HALVES: i32 = 2;
/// Threads per warp.
const WARP: i32 = 32;

/// The offset of a thread's warp's first counters among those of a thread block.
pub fn first(w: &mut Writer, thread: i32, threads: i32) -> i32 {
    let warp = w.word("and_n", &[("a", thread), ("n", threads - WARP)]);
    w.word("shl", &[("a", warp), ("n", 3)])
}

/// The values shared by 256 counters.
struct Shared {
    /// The first column after round 1, without the entry of the lowest byte.
    first: i32,
    /// The columns after round 2, each without the entry of the byte from the first column.
    columns: [i32; 4],
    /// The byte of the first round key that is added to the lowest byte, in the highest byte of a word.
    key: i32,
}

/// Counters from the multiple of 256 at or before the first counter.
pub struct Even {
    /// The number of the thread among those that process the same 256 counters.
    lane: i32,
    /// That number in the highest byte of a word, which holds the lowest byte of a counter.
    pub byte: i32,
    /// The lowest byte of the first counter.
    low: i32,
    /// The lower half of the first counter with that byte cleared.
    half: i32,
    /// The end of the numbers that are counted this way.
    pub end: i32,
}

impl Even {
    /// Writes the code before the loop; `threads` threads process 256 counters.
    pub fn begin(w: &mut Writer, course: &Course, threads: i32) -> Even {
        let thread = w.word("tid", &[]);
        let lane32 = w.word("and_n", &[("a", thread), ("n", threads - 1)]);
        let lane = w.double("widen", &[("a", lane32)]);
        let low = w.double("and64_n", &[("y", course.counter[0]), ("m", 255)]);
        let half = w.double("shr64", &[("y", course.counter[0]), ("m", 8)]);
        let half = w.double("shl64", &[("y", half), ("m", 8)]);
        // The first part ends at a multiple of 256 counters.
        let end = match course.is_first {
            true => course.end,
            false => w.double("add64", &[("y", course.count), ("z", low)]),
        };
        let byte = w.word("shl", &[("a", lane32), ("n", 24)]);
        Even { lane, byte, low, half, end }
    }

    /// The first of the 256 counters of an iteration.
    pub fn counter(&self, w: &mut Writer, course: &Course) -> [i32; 4] {
        counted(w, [self.half, course.counter[1]], course.next)
    }

    /// The number of the thread's first block of text in an iteration: negative before the message.
    pub fn number(&self, w: &mut Writer, course: &Course) -> i32 {
        let before = w.double("add64", &[("y", course.next), ("z", self.lane)]);
        w.double("sub64", &[("y", before), ("z", self.low)])
    }
}

/// A thread's blocks of an iteration, or consecutive ones of them.
#[derive(Clone, Copy)]
struct Row {
    /// The number of the first block.
    own: i32,
    /// Its address in the input.
    from: i32,
    /// Its address in the output.
    to: i32,
    /// Its lowest counter byte, in the highest byte of a word.
    byte: i32,
}

impl Row {
    /// Writes the code for `count` blocks.
    fn write(
        self,
        message: &Message,
        w: &mut Writer,
        course: &Course,
        places: Places,
        shared: &Shared,
        count: i32,
    ) {
        for k in 0..count {
            let number = w.double("add64_n", &[("y", self.own), ("m", WARP * k)]);
            let there = w.predicate("lt", &[("y", number), ("z", course.count)]);
            let byte = w.word("or_n", &[("a", self.byte), ("n", (WARP * k) << 24)]);
            let state = second(message, w, places, shared, byte);
            let stream = message.rounds(w, places, 3, vec![state], Message::key)[0];
            let text = text(w, self.from, 16 * WARP * k, Some(there));
            let sum = sum(w, stream, text);
            store(w, self.to, 16 * WARP * k, Some(there), sum);
        }
    }
}

/// Writes the loop. If other threads have a second loop, the halves of an iteration become an inner loop: then
/// less code has to fit in a multiprocessor's instruction cache.
pub fn write(message: &Message, w: &mut Writer, course: &Course, places: Places, is_halved: bool) {
    let even = Even::begin(w, course, WARP);
    around(w, course, even.end, |w| {
        let begun = even.counter(w, course);
        let shared = shared(message, w, places, begun);
        let own = even.number(w, course);
        let offset = w.double("shl64", &[("y", own), ("m", 4)]);
        let from = w.double("add64", &[("y", course.input), ("z", offset)]);
        let to = w.double("add64", &[("y", course.output), ("z", offset)]);
        let row = Row { own, from, to, byte: even.byte };
        if !is_halved {
            return row.write(message, w, course, places, &shared, BLOCKS);
        }
        let half = BLOCKS / HALVES;
        let row = Row { byte: w.word("mov", &[("a", even.byte)]), ..row };
        let done = w.word("mov_n", &[("n", 0)]);
        w.put("nounroll", &[]);
        w.label("HALF");
        row.write(message, w, course, places, &shared, half);
        for (register, by) in [(own, WARP * half), (from, 16 * WARP * half), (to, 16 * WARP * half)] {
            w.put("add64_n", &[("x", register), ("y", register), ("m", by)]);
        }
        w.put("or_n", &[("d", row.byte), ("a", row.byte), ("n", (WARP * half) << 24)]);
        w.put("add_n", &[("d", done), ("a", done), ("n", 1)]);
        let more = w.predicate("lt_n", &[("a", done), ("n", HALVES)]);
        w.branch_if(more, "HALF");
    });
}

/// Computes the values shared by 256 counters.
fn shared(message: &Message, w: &mut Writer, places: Places, begun: [i32; 4]) -> Shared {
    let shape = message.shape;
    let key = Message::key(w, 0);
    let state = sum(w, begun, key);
    let after = |w: &mut Writer, state: [i32; 4], column: usize, without: Option<usize>, key: i32| {
        let rows = (0..4).filter(|&row| Some(row) != without);
        let mut sum = key;
        for row in rows {
            let found = shape.contribution(w, places, state[shape.shifted(column, row)], row as i32);
            sum = w.word("xor", &[("a", sum), ("b", found)]);
        }
        sum
    };
    let (key1, key2) = (Message::key(w, 1), Message::key(w, 2));
    // Row 3 of the first column comes from the last column.
    let columns: [i32; 4] = std::array::from_fn(|c| after(w, state, c, (c == 0).then_some(3), key1[c]));
    // ShiftRows moves a byte of the first column to row `row` of the column that precedes it by `row`.
    let columns2 = std::array::from_fn(|c| after(w, columns, c, Some((4 - c) % 4), key2[c]));
    Shared { first: columns[0], columns: columns2, key: key[3] }
}

/// The state after two rounds for the counter whose lowest byte is the highest byte of the word `byte`.
fn second(message: &Message, w: &mut Writer, places: Places, shared: &Shared, byte: i32) -> [i32; 4] {
    let shape = message.shape;
    let entered = w.word("xor", &[("a", byte), ("b", shared.key)]);
    let found = shape.contribution(w, places, entered, 3);
    let first = w.word("xor", &[("a", shared.first), ("b", found)]);
    std::array::from_fn(|c| {
        let row = (4 - c) % 4;
        let found = shape.contribution(w, places, first, row as i32);
        w.word("xor", &[("a", shared.columns[c]), ("b", found)])
    })
}
