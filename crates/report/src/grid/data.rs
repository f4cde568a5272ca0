//! What the page of a grid's kernel says, as plain data.

use serde::Serialize;

/// What the page is made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridPage {
    /// Its heading: `AES-128-CTR on gpu`.
    pub title: String,
    /// What the processor is.
    pub about: String,
    /// What kind of figure its bounds are.
    pub model: String,
    /// When it was made.
    pub made: String,
    /// What kernels take any number of.
    pub element: GridElement,
    /// The best kernel.
    pub winner: GridWinner,
    /// What is known of it on each architecture.
    pub bounds: Vec<GridBound>,
    /// The bounds of other variants, a technique each, that of the winner first.
    pub landscapes: Vec<GridLandscape>,
    /// Everything that was counted, the best first.
    pub candidates: Vec<GridCandidate>,
    /// What messages can reach, or why that is not known.
    pub reach: Option<Result<GridReach, String>>,
}

/// What kernels take any number of, and give a result of each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridElement {
    /// One of them.
    pub name: &'static str,
    /// Several.
    pub names: &'static str,
    /// What becomes of them.
    pub done: &'static str,
    /// Bytes of one.
    pub bytes: u64,
}

impl Default for GridElement {
    fn default() -> GridElement {
        GridElement { name: "block of text", names: "blocks of text", done: "enciphered", bytes: 16 }
    }
}

impl GridElement {
    /// Keys of so many bytes.
    pub fn keys(bytes: u64) -> GridElement {
        GridElement { name: "key", names: "keys", done: "expanded", bytes }
    }
}

/// A kernel that is proved.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridWinner {
    /// Its variant.
    pub variant: String,
    /// The kernel's name.
    pub symbol: String,
    /// `CT` or `VT`.
    pub class: String,
    /// What decides its time, in a sentence.
    pub time: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Milliseconds of the proof.
    pub proof_ms: u64,
    /// Blocks of text that the interpreter enciphered rightly.
    pub tested_blocks: u64,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory of a block.
    pub shared: u32,
    /// Blocks of text that a thread takes in a turn, of each kind of threads.
    pub a_turn: Vec<u32>,
    /// What the proof rests on.
    pub assumptions: Vec<String>,
    /// Sentences on what is missing.
    pub notes: Vec<String>,
}

/// What is known of the winner on an architecture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridBound {
    /// The architecture.
    pub architecture: String,
    /// The counts, or why there are none.
    pub counted: Result<GridCounted, String>,
    /// What a multiprocessor holds of it.
    pub room: GridRoom,
}

/// Counts of a kernel, and the bound that follows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridCounted {
    /// Whether rows of the text were counted, instead of machine code.
    pub by_text: bool,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Bytes spilled.
    pub spilled: Option<u32>,
    /// Clocks a block of text, at least.
    pub clocks: f64,
    /// Bits of output a clock of a multiprocessor, at most.
    pub bits: f64,
    /// The unit that is the bound.
    pub limit: String,
    /// All units.
    pub units: Vec<GridUnit>,
}

/// What a block of text takes of a unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridUnit {
    /// Its name.
    pub name: String,
    /// Instructions.
    pub instructions: f64,
    /// Threads for which it executes one in a clock.
    pub rate: u32,
    /// Clocks.
    pub clocks: f64,
}

/// What a multiprocessor holds of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridRoom {
    /// Blocks of threads that each limit admits; `None` where it is none, or is not known.
    pub limits: Vec<(String, Option<u32>)>,
    /// Blocks of threads that are resident.
    pub blocks: u32,
    /// Which limit admits no more.
    pub limit: String,
    /// Warps that are resident.
    pub warps: u32,
    /// Warps that a multiprocessor has room for.
    pub most_warps: u32,
}

/// Bounds over one or two choices.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridLandscape {
    /// The technique of its variants.
    pub technique: String,
    /// The choice that is across, and its values.
    pub across: (String, Vec<String>),
    /// The choice that is down, if there is one.
    pub down: Option<(String, Vec<String>)>,
    /// The cells, row by row; nothing where no variant has these values.
    pub cells: Vec<Option<GridCell>>,
}

/// The best variant of a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridCell {
    /// Bits of output a clock of a multiprocessor, at most.
    pub bits: f64,
    /// The unit that is the bound.
    pub limit: String,
    /// Whether rows of its text were counted.
    pub by_text: bool,
    /// Whether its time is proved not to depend on secrets.
    pub constant_time: bool,
    /// Whether it may be chosen.
    pub allowed: bool,
    /// Whether it is the winner.
    pub wins: bool,
    /// Variants of the cell.
    pub variants: u64,
}

/// A variant that was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridCandidate {
    /// Its choices.
    pub variant: String,
    /// Bits of output a clock of a multiprocessor, at most.
    pub bits: f64,
    /// The unit that is the bound.
    pub limit: String,
    /// The architecture.
    pub architecture: String,
    /// Whether rows of its text were counted.
    pub by_text: bool,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Bytes spilled.
    pub spilled: Option<u32>,
    /// Bytes of shared memory.
    pub shared: u32,
    /// Whether its time is proved not to depend on secrets; `None` where that was not asked.
    pub constant_time: Option<bool>,
}

/// What of the multiprocessors' bound messages can reach.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridReach {
    /// The architecture whose counts it is made from.
    pub architecture: String,
    /// Whether these are rows of the text.
    pub by_text: bool,
    /// The device.
    pub device: String,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Blocks of threads that each holds.
    pub resident: u64,
    /// Blocks of text that a block of threads takes in a turn.
    pub of_a_turn: u64,
    /// Clocks of shared memory for the filling of a block's tables.
    pub filling: f64,
    /// Bits of output a clock of all multiprocessors, at most.
    pub bits: f64,
    /// The curve, the shortest message first.
    pub points: Vec<GridReachPoint>,
    /// The lengths that are told as a table.
    pub told: Vec<GridReachPoint>,
}

/// A message's length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GridReachPoint {
    /// Bytes.
    pub bytes: u64,
    /// Part of the bound that turns alone leave.
    pub turns: f64,
    /// Part of it that turns and filling leave.
    pub all: f64,
}
