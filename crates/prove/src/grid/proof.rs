//! What is proved of a program of a grid.

use serde::{Deserialize, Serialize};

use crate::bits::Place;

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
    /// How the key stands in the parameters.
    pub packing: String,
    /// For which numbers of blocks of text.
    pub blocks: String,
    /// Threads of a block: a launch of another number fails.
    pub threads: u32,
    /// Bytes of shared memory that a launch must give each block.
    pub shared: u32,
    /// Blocks of text that a thread takes in a turn.
    pub a_turn: u32,
    /// How often a turn goes round a loop within it, its rounds.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub inner: u32,
    /// Threads of a stream, where a launch is of several streams with a key each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_a_stream: Option<u32>,
    /// Whether no secret decides a bank of shared memory, an address of anything else, a branch or a count.
    pub constant_time: bool,
    /// Where secrets do; `bank` is an access of shared memory whose time is that of the bank that most threads of a warp
    /// ask for different words.
    pub hangs: Vec<Place>,
    /// Instructions executed, on all paths together.
    pub instructions: u64,
    /// What the proof rests on.
    pub assumptions: Vec<String>,
    /// How long it took.
    pub microseconds: u64,
}
