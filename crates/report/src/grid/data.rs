//! The content of the page of a grid's kernel as plain data.

use serde::Serialize;

/// The content of the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridPage {
    /// Its heading: `AES-128-CTR on gpu`.
    pub title: String,
    /// A description of the processor.
    pub about: String,
    /// The kind of figure that its bounds are.
    pub model: String,
    /// The date of the page.
    pub made: String,
    /// The elements that kernels process.
    pub element: GridElement,
    /// The best kernel.
    pub winner: GridWinner,
    /// The bounds of the winner on each architecture.
    pub bounds: Vec<GridBound>,
    /// The bounds of other variants by technique, the winner's first.
    pub landscapes: Vec<GridLandscape>,
    /// All variants that were counted, the best first.
    pub candidates: Vec<GridCandidate>,
    /// The throughput that messages can reach, or the reason why it is unknown.
    pub reach: Option<Result<GridReach, String>>,
}

/// The elements of which kernels process any number, with one result for each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridElement {
    /// The singular name.
    pub name: &'static str,
    /// The plural name.
    pub names: &'static str,
    /// The participle of the operation on them.
    pub done: &'static str,
    /// Bytes of one element.
    pub bytes: u64,
}

impl Default for GridElement {
    fn default() -> GridElement {
        GridElement { name: "block of text", names: "blocks of text", done: "enciphered", bytes: 16 }
    }
}

impl GridElement {
    /// Keys of `bytes` bytes.
    pub fn keys(bytes: u64) -> GridElement {
        GridElement { name: "key", names: "keys", done: "expanded", bytes }
    }
}

/// A proved kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridWinner {
    /// Its variant.
    pub variant: String,
    /// The kernel's name.
    pub symbol: String,
    /// `CT` or `VT`.
    pub class: String,
    /// A sentence on the inputs that determine its time.
    pub time: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Duration of the proof in milliseconds.
    pub proof_ms: u64,
    /// Blocks of text that the interpreter enciphered correctly.
    pub tested_blocks: u64,
    /// Threads of a thread block.
    pub threads: u32,
    /// Bytes of shared memory of a thread block.
    pub shared: u32,
    /// Blocks of text that a thread processes in an iteration, for each kind of thread.
    pub a_turn: Vec<u32>,
    /// The assumptions of the proof.
    pub assumptions: Vec<String>,
    /// Sentences on missing evidence.
    pub notes: Vec<String>,
}

/// The bound of the winner on an architecture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridBound {
    /// The architecture.
    pub architecture: String,
    /// The counts, or the reason why there are none.
    pub counted: Result<GridCounted, String>,
    /// The occupancy of a multiprocessor.
    pub room: GridRoom,
}

/// Counts of a kernel, and the bound that follows from them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridCounted {
    /// True if the counts are of the text instead of machine code.
    pub by_text: bool,
    /// Registers of one thread.
    pub registers: Option<u32>,
    /// Spilled bytes.
    pub spilled: Option<u32>,
    /// Clock cycles per block of text, a lower bound.
    pub clocks: f64,
    /// Bits of output per clock cycle of a multiprocessor, an upper bound.
    pub bits: f64,
    /// The unit that is the bottleneck.
    pub limit: String,
    /// All units.
    pub units: Vec<GridUnit>,
}

/// The use of a unit by a block of text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridUnit {
    /// The unit's name.
    pub name: String,
    /// Instructions.
    pub instructions: f64,
    /// Threads for which it executes one instruction in a clock cycle.
    pub rate: u32,
    /// Clock cycles.
    pub clocks: f64,
}

/// The occupancy of a multiprocessor by a kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridRoom {
    /// Thread blocks that each limit allows; `None` if it does not apply or is unknown.
    pub limits: Vec<(String, Option<u32>)>,
    /// Resident thread blocks.
    pub blocks: u32,
    /// The limit that allows the fewest.
    pub limit: String,
    /// Resident warps.
    pub warps: u32,
    /// The maximum number of resident warps.
    pub most_warps: u32,
}

/// Bounds over one or two choices.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridLandscape {
    /// The technique of its variants.
    pub technique: String,
    /// The horizontal choice and its values.
    pub across: (String, Vec<String>),
    /// The vertical choice and its values, if there is one.
    pub down: Option<(String, Vec<String>)>,
    /// The cells by row; `None` where no variant has these values.
    pub cells: Vec<Option<GridCell>>,
}

/// The best variant of a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridCell {
    /// Bits of output per clock cycle of a multiprocessor, an upper bound.
    pub bits: f64,
    /// The unit that is the bottleneck.
    pub limit: String,
    /// True if the counts are of the text instead of machine code.
    pub by_text: bool,
    /// True if its time is proved not to depend on secrets.
    pub constant_time: bool,
    /// True if it may be chosen.
    pub allowed: bool,
    /// True if it is the winner.
    pub wins: bool,
    /// The number of variants of the cell.
    pub variants: u64,
}

/// A variant that was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridCandidate {
    /// The choices, in text form.
    pub variant: String,
    /// Bits of output per clock cycle of a multiprocessor, an upper bound.
    pub bits: f64,
    /// The unit that is the bottleneck.
    pub limit: String,
    /// The architecture.
    pub architecture: String,
    /// True if the counts are of the text instead of machine code.
    pub by_text: bool,
    /// Registers of one thread.
    pub registers: Option<u32>,
    /// Spilled bytes.
    pub spilled: Option<u32>,
    /// Bytes of shared memory.
    pub shared: u32,
    /// True if its time is proved not to depend on secrets; `None` if this was not examined.
    pub constant_time: Option<bool>,
}

/// The share of the multiprocessors' bound that messages can reach.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GridReach {
    /// The architecture of the counts.
    pub architecture: String,
    /// True if the counts are of the text instead of machine code.
    pub by_text: bool,
    /// The device.
    pub device: String,
    /// The number of its multiprocessors.
    pub multiprocessors: u32,
    /// Resident thread blocks of each multiprocessor.
    pub resident: u64,
    /// Blocks of text that a thread block processes in an iteration.
    pub of_a_turn: u64,
    /// Clock cycles of shared memory to fill the tables of a thread block.
    pub filling: f64,
    /// Bits of output per clock cycle of all multiprocessors, an upper bound.
    pub bits: f64,
    /// The curve, the shortest message first.
    pub points: Vec<GridReachPoint>,
    /// The lengths that the table shows.
    pub told: Vec<GridReachPoint>,
}

/// A message length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GridReachPoint {
    /// Length in bytes.
    pub bytes: u64,
    /// Share of the bound that whole iterations allow.
    pub turns: f64,
    /// Share of the bound that whole iterations and filling allow.
    pub all: f64,
}
