//! Kernels of two kinds of warps that share a multiprocessor: half of a block's look up tables in shared memory, the others
//! are bit-sliced, so that shared memory and the unit of logic are both busy. All warps fill the tables; then each kind takes
//! its share of the text in a loop of its own, the bit-sliced ones the first blocks.
//!
//! A block has eight warps, of which registers leave room for no more: two for each of the four parts of a multiprocessor, to
//! which warps go by their number, and each of these has one warp of a kind.

use aesmith_cipher::Problem;
use aesmith_processor::grid::Turn;

use super::counter::HALVES;
use super::message::{Keys, Message, PARTS, Share};
use super::sliced::{BLOCKS, Sliced};
use super::tables::Shape;
use super::writer::Writer;
use crate::dimensions as d;

/// Threads of a block.
pub const THREADS: i32 = 256;
/// Threads of a kind.
const OF_A_KIND: i32 = THREADS / 2;
/// Blocks of text that a thread with tables works on side by side: few warps are there to wait for look-ups in turn.
const SIDE_BY_SIDE: i32 = 2;

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub struct Mixed {
    /// The problem.
    pub problem: Problem,
    /// Whether 256 counters share what is the same in their first two rounds.
    pub cached: bool,
    /// How many of [`PARTS`] of the text are the bit-sliced threads'.
    pub share: i32,
}

impl Mixed {
    /// Tables with a bank for each lane.
    pub fn shape(self) -> Shape {
        Shape { direction: self.problem.mode().direction, threads: THREADS, replicas: 32, tables: 4 }
    }

    /// The bit-sliced threads.
    pub fn sliced(self) -> Sliced {
        let Mixed { problem, cached, .. } = self;
        Sliced { problem, threads: OF_A_KIND, cached, looped: true, mixed: true }
    }

    /// Turns of each kind, of a text of which both take whole ones, in the order of their loops.
    pub fn turns(self, bytes: u32) -> Vec<Turn> {
        let (blocks, inner) = if self.cached { (8, HALVES as u32) } else { (SIDE_BY_SIDE as u32, 1) };
        let (share, sliced) = (self.share as u32, BLOCKS as u32);
        let times = (PARTS as u32 - share) * sliced / blocks;
        vec![
            Turn { blocks: sliced, inner: self.sliced().inner(), bytes, times: share, looks_up: false },
            Turn { blocks, inner, bytes, times, looks_up: true },
        ]
    }

    /// Writes it.
    pub fn write(self, w: &mut Writer) {
        let (Mixed { problem, cached, share }, blocks) = (self, SIDE_BY_SIDE);
        let (places, thread) = self.shape().begin(w);
        let own = w.word("and_n", &[("a", thread), ("n", OF_A_KIND - 1)]);
        let half = w.word("shr", &[("a", thread), ("n", OF_A_KIND.trailing_zeros() as i32)]);
        let is_sliced = w.predicate("lt_n", &[("a", half), ("n", 1)]);
        w.branch_unless(is_sliced, "TABLES");
        self.sliced().take(w, own, Share::First(share));
        w.put("ret", &[]);
        w.label("TABLES");
        let shape = Shape { threads: OF_A_KIND, ..self.shape() };
        let (schedule, keys) = (d::Schedule::Before, Keys::Parameters);
        let message = Message {
            problem,
            shape,
            blocks,
            cached,
            of_a_stream: None,
            chain: None,
            schedule,
            keys,
            ahead: false,
        };
        message.take(w, places, own, Share::Rest(share));
        w.put("ret", &[]);
    }
}
