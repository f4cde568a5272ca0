//! Kernels with two kinds of warps that share a multiprocessor: half of a thread block's warps look up tables
//! in shared memory, the others are bit-sliced, so that shared memory and the logic units are both busy. All
//! warps fill the tables; then each kind processes its share of the text in its own loop, the bit-sliced warps
//! the first blocks.
//!
//! A thread block has eight warps, the most that the registers allow: two for each of the four parts of a
//! multiprocessor. Warps are assigned to the parts by their number, so that each part has one warp of each
//! kind.

use aesmith_cipher::Problem;
use aesmith_processor::grid::Turn;

use super::counter::HALVES;
use super::message::{Keys, Message, PARTS, Share};
use super::sliced::{BLOCKS, Sliced};
use super::tables::Shape;
use super::writer::Writer;
use crate::dimensions as d;

/// Threads per thread block.
pub const THREADS: i32 = 256;
/// Threads of each kind.
const OF_A_KIND: i32 = THREADS / 2;
/// Blocks of text that a thread with tables processes side by side: few warps are available to hide the latency
/// of look-ups.
const SIDE_BY_SIDE: i32 = 2;

/// A kernel with two kinds of warps.
#[derive(Clone, Copy, Debug)]
pub struct Mixed {
    /// The problem.
    pub problem: Problem,
    /// True if 256 counters share the common parts of their first two rounds.
    pub cached: bool,
    /// The share of the bit-sliced threads, in parts of [`PARTS`] of the text.
    pub share: i32,
}

impl Mixed {
    /// The shape of the tables, with a bank for each lane.
    pub fn shape(self) -> Shape {
        Shape { direction: self.problem.mode().direction, threads: THREADS, replicas: 32, tables: 4 }
    }

    /// The bit-sliced threads.
    pub fn sliced(self) -> Sliced {
        let Mixed { problem, cached, .. } = self;
        Sliced { problem, threads: OF_A_KIND, cached, looped: true, mixed: true }
    }

    /// The iterations of each kind, for a text of which both process whole iterations, in the order of their
    /// loops.
    pub fn turns(self, bytes: u32) -> Vec<Turn> {
        let (blocks, inner) = if self.cached { (8, HALVES as u32) } else { (SIDE_BY_SIDE as u32, 1) };
        let (share, sliced) = (self.share as u32, BLOCKS as u32);
        let times = (PARTS as u32 - share) * sliced / blocks;
        vec![
            Turn { blocks: sliced, inner: self.sliced().inner(), bytes, times: share, looks_up: false },
            Turn { blocks, inner, bytes, times, looks_up: true },
        ]
    }

    /// Writes the kernel.
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
