//! Streams with a key each, processed by groups of threads (of 16: Osvik, Bos, Stefan and Canright, 2010): a
//! thread keeps the round keys of its stream in registers, and its group processes the stream's blocks of text.

use aesmith_cipher::mode::{Next, Role};

use super::message::{Course, Keys, Message, load, number_of};
use super::schedule::{Schedule, cipher_key};
use super::tables::Places;
use super::writer::Writer;
use crate::dimensions as d;

/// Writes the code before the loop, for a thread of this number; `of_a_stream` threads share a stream. A thread
/// without a stream exits.
pub fn begin(
    w: &mut Writer,
    message: &mut Message,
    places: Places,
    (thread, of_a_stream): (i32, i32),
) -> Course {
    let [input, output, blocks, streams, keys] =
        [0, 1, 2, 3, 4].map(|of| w.double("parameter", &[("of", of)]));
    let block = w.word("ctaid", &[]);
    let group = w.word("shr", &[("a", thread), ("n", of_a_stream.trailing_zeros() as i32)]);
    let groups = message.shape.threads / of_a_stream;
    let times = |w: &mut Writer, by: i32| {
        let above = w.double("product", &[("a", block), ("m", groups * by)]);
        let own = w.double("product", &[("a", group), ("m", by)]);
        w.double("add64", &[("y", above), ("z", own)])
    };
    let stream = times(w, 1);
    let none = w.predicate("ge", &[("y", stream), ("z", streams)]);
    w.branch_if(none, "DONE");
    let offset = w.double("shl64", &[("y", stream), ("m", 3)]);
    let [input, output, count] = [input, output, blocks].map(|array| {
        let at = w.double("add64", &[("y", array), ("z", offset)]);
        w.double("ld_global_64", &[("y", at), ("off", 0)])
    });
    let (key, rounds) = (message.problem.key, message.problem.key.rounds());
    let element = if message.schedule == d::Schedule::Before { 16 * (rounds + 1) } else { key.bytes() };
    let offset = times(w, element as i32);
    let at = w.double("add64", &[("y", keys), ("z", offset)]);
    message.keys = match message.schedule {
        d::Schedule::Before => {
            Keys::Registers((0..=rounds as i32).map(|round| load(w, at, 16 * round)).collect())
        }
        d::Schedule::Once => {
            let mut schedule = Schedule::of(key, cipher_key(w, key, at));
            let keys = (0..=rounds).map(|round| schedule.round_key(w, message.shape, places, round));
            Keys::Registers(keys.collect())
        }
        d::Schedule::Fly => Keys::Fly(cipher_key(w, key, at)),
    };
    let (mut counter, mut vector) = ([0, 0], None);
    if message.problem.mode().takes(Role::Iv) {
        let array = w.double("parameter", &[("of", 5)]);
        let offset = w.double("shl64", &[("y", stream), ("m", 4)]);
        let at = w.double("add64", &[("y", array), ("z", offset)]);
        let loaded = load(w, at, 0);
        match message.problem.mode().next() {
            Next::Output => message.chain = Some(loaded),
            Next::Counter => counter = [2, 0].map(|k| number_of(w, [loaded[k], loaded[k + 1]])),
            _ => vector = Some(loaded),
        }
    }
    let lane = w.word("and_n", &[("a", thread), ("n", of_a_stream - 1)]);
    let next = w.double("widen", &[("a", lane)]);
    let step = w.double("mov64_n", &[("m", message.blocks * of_a_stream)]);
    Course { input, output, count, end: count, is_first: false, next, step, counter, vector }
}
