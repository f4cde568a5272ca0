//! The evidence of a proof of a grid's program.

use std::time::Instant;

use aesmith_cipher::firmware::Firmware;
use serde::{Deserialize, Serialize};

use crate::bits::Place;
use crate::grid::kinds::{Share, told};
use crate::grid::setup::Thread;

fn once() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields so")]
fn is_once(times: &u32) -> bool {
    *times == 1
}

/// Evidence for one program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GridProof {
    /// The problem, by name.
    pub problem: String,
    /// The format of the key in the parameters.
    pub packing: String,
    /// The numbers of blocks of text that the proof covers.
    pub blocks: String,
    /// Threads of a block; a launch with another number fails.
    pub threads: u32,
    /// Bytes of shared memory that a launch must give each block.
    pub shared: u32,
    /// Blocks of text that a thread takes in an iteration.
    pub a_turn: u32,
    /// The number of iterations of a loop nested in an iteration, which are rounds.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub inner: u32,
    /// Kinds of threads, where they take different parts of the text; `a_turn` and `inner` are the maximum over all
    /// kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<GridKind>,
    /// Threads of a stream, where a launch has several streams with a key each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_a_stream: Option<u32>,
    /// True if no secret decides a bank of shared memory, any other address, a branch or a count.
    pub constant_time: bool,
    /// The places where secrets decide one of these. `bank` is an access of shared memory whose time depends on the
    /// bank of which the threads of a warp request the most different words.
    pub hangs: Vec<Place>,
    /// Instructions executed, on all paths together.
    pub instructions: u64,
    /// Assumptions of the proof; the third and fourth are [`GridProof::conditions`].
    pub assumptions: Vec<String>,
    /// Duration of the proof in microseconds.
    pub microseconds: u64,
}

/// A part of the blocks of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Part {
    /// The number of bits by which the number of all blocks is shifted to the right.
    pub shift: u8,
    /// The factor that the result is multiplied with.
    pub times: u64,
}

impl Part {
    /// The number of blocks in this part of `blocks` blocks.
    pub fn of(self, blocks: u64) -> u64 {
        (blocks >> self.shift) * self.times
    }
}

/// Threads of a block that have a loop and a part of the text of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GridKind {
    /// Number of threads in a block.
    pub threads: u32,
    /// Blocks of text that a thread takes in an iteration.
    pub a_turn: u32,
    /// The number of iterations of a loop nested in an iteration.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub inner: u32,
    /// The part of the text behind which theirs begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Part>,
    /// The part of the text with which theirs ends, if others take the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Part>,
}

impl GridKind {
    /// The number of blocks of text that the threads of this kind take, out of `blocks`.
    pub fn text(&self, blocks: u64) -> u64 {
        let until = self.until.map_or(blocks, |until| until.of(blocks));
        until - self.from.map_or(0, |from| from.of(blocks))
    }
}

impl GridProof {
    /// The assumptions about a launch and its buffers, which whoever launches the kernel has to keep.
    pub fn conditions(&self) -> &[String] {
        self.assumptions.get(2..4).unwrap_or_default()
    }

    /// The kinds of threads: one if all are alike.
    pub fn kinds(&self) -> Vec<GridKind> {
        let alike = GridKind {
            threads: self.threads,
            a_turn: self.a_turn,
            inner: self.inner,
            from: None,
            until: None,
        };
        if self.kinds.is_empty() { vec![alike] } else { self.kinds.clone() }
    }
}

/// The evidence that the followed threads give, with their shares of the text.
pub(super) fn evidence(
    thread: &Thread,
    contract: &Firmware,
    shares: &[Share],
    started: Instant,
) -> GridProof {
    let of_a_stream = shares.iter().find_map(|share| share.lanes).map(|lanes| 1 << lanes);
    let hangs: Vec<Place> = thread
        .domain
        .hangs
        .iter()
        .map(|&(address, what)| {
            let instruction = thread.refuse(address, "").instruction;
            Place { address, instruction, what: what.into() }
        })
        .collect();
    let name = thread.isa.about.name;
    let (threads, shared) = (thread.program.threads, thread.domain.shared.end);
    let warp = thread.launch.warp;
    GridProof {
        problem: contract.problem.to_string(),
        packing: contract.packing.name().into(),
        blocks: "0 and more".into(),
        threads,
        shared,
        a_turn: shares.iter().map(|share| share.taken.len() as u32).max().unwrap_or(0),
        inner: shares.iter().map(|share| share.inner).max().unwrap_or(1),
        kinds: told(shares),
        of_a_stream,
        constant_time: hangs.is_empty(),
        hangs,
        instructions: thread.instructions,
        assumptions: vec![
            format!("The meanings in the table {name} are those of the language, and what a translator makes of the text means the same; where the class is CT, it leaves look-ups and addresses as the text has them."),
            "The number of blocks of text, the addresses of the buffers and the first counter, or the initial vector, are public: time may depend on them.".into(),
            match of_a_stream {
                None => format!("A launch has one dimension, blocks of {threads} threads, at least one of them and fewer than 2^31, and gives each {shared} bytes of shared memory."),
                Some(of_a_stream) => format!("A launch has one dimension, blocks of {threads} threads, fewer than 2^31 of them and at least as many as give each stream {of_a_stream} threads, and gives each {shared} bytes of shared memory. Each array has an element for every stream, those of keys and initial vectors at multiples of 16, the others at multiples of 8. No result overlaps an array, nor text or result of another stream. The number of streams is public."),
            },
            format!("Input and output{} are as many {} as the launch is told, fewer than 2^38, at multiples of 16; they {}. Nobody else writes them during the launch.", if of_a_stream.is_some() { " of a stream" } else { "" }, if contract.problem.mode().writes.is_some() { "cipher keys, and the round keys of each," } else { "whole blocks of text" }, if contract.problem.mode().is_in_place_by_threads() { "are the same memory or do not overlap" } else { "do not overlap, and are not the same memory" }),
            format!("{warp} threads of following numbers are a warp. An access of shared memory takes as long as the bank that most of a warp's threads ask for different words; a word lies in the bank of its number modulo {}.", thread.launch.banks),
        ],
        microseconds: started.elapsed().as_micros() as u64,
    }
}
