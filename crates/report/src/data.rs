//! What a report says, as plain data: whoever has the store fills it, the page only draws it.
//!
//! Costs are in [`ReportData::unit`] (cycles/byte, calibrated core cycles). A part that is empty or
//! `None` is left out of the page, which lists at its end the commands that would fill it. A number
//! that is not finite is shown as missing.
//!
//! Result, Figure 3's own row, loop, mix, distances, accounting and certificate are about one kernel:
//! the one that is handed out, and in it the variant that runs on messages of the report's size.

use serde::{Deserialize, Serialize};

/// Everything one report shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportData {
    /// The problem as commands take it: `aes256-ctr`.
    pub problem: String,
    /// The problem in words: `AES-256-CTR`.
    pub title: String,
    /// The processor in words: `Intel Xeon (family 6, model 207, stepping 2)`.
    pub processor: String,
    /// When the report was made, as text: `2026-11-21 21:40 UTC`.
    pub made: String,
    /// Unit of every cost: `cycles/byte`, or `cycles/key` for a key schedule.
    pub unit: String,
    /// Whether costs are of one call after 100 microseconds of other work; else of calls in steady state. Bounds and the
    /// paper's figures are of the latter alone.
    #[serde(default)]
    pub cold: bool,
    /// The result: baseline, best, OpenSSL, bound.
    pub summary: Option<Summary>,
    /// The paper's Figure 1: x = initiation interval, y = round keys in registers.
    pub figure1: Option<Surface>,
    /// The paper's Figure 2, 4-stream CBC: x = interleave distance, y = round keys in registers.
    pub figure2: Option<Surface>,
    /// The paper's Figure 3, a row for each problem and key size, in the order shown.
    pub figure3: Vec<Figure3Row>,
    /// Best cost so far against trials.
    pub convergence: Option<Convergence>,
    /// Cost against message size, with the peers.
    pub sizes: Option<Sizes>,
    /// The winner's loop over cycles.
    pub loop_chart: Option<LoopChart>,
    /// Instruction mix of the winner's loop, largest class first.
    pub mix: Vec<MixPart>,
    /// Bound, model and measured of a few kernels, the winner first.
    pub distances: Vec<Distance>,
    /// Instructions of a block, from the textbook's T-tables to the winner, a step each.
    pub accounting: Vec<Account>,
    /// Where the time of the byte-wise cipher in C goes.
    pub profile: Option<Profile>,
    /// What became of the variants that were tried.
    pub outcomes: Vec<Outcome>,
    /// Where the time of the search went.
    #[serde(default)]
    pub search: Option<SearchTime>,
    /// What has been shown of the winner's bytes.
    pub certificate: Option<Certificate>,
    /// Where the numbers were taken.
    pub machine: Option<Machine>,
}

/// Instructions that a block takes, by class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// What distinguishes it from the one before.
    pub name: String,
    /// Loads.
    pub loads: f64,
    /// Stores.
    pub stores: f64,
    /// Integer and vector instructions without memory.
    pub integer: f64,
    /// Branches.
    pub branches: f64,
}

/// The lab report's tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// How it was measured: `callgrind`, `instrumented cycle reads`.
    pub how: String,
    /// Unit of the parts: `instructions`, `cycles`.
    pub unit: String,
    /// Names of the functions: `ExpandKey`, ...
    pub functions: Vec<String>,
    /// A row a combination of optimisations.
    pub rows: Vec<ProfileRow>,
}

/// One combination of optimisations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileRow {
    /// The optimisations that are on.
    pub name: String,
    /// Cost of each of [`Profile::functions`].
    pub parts: Vec<f64>,
    /// Cost of the whole.
    pub whole: f64,
    /// Bytes of code and constants.
    pub text: u64,
    /// Bytes of initialised data.
    pub data: u64,
    /// Bytes of zeroed data.
    pub bss: u64,
}

/// A measured cost: median and quartiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Median of the samples.
    pub median: f64,
    /// First quartile.
    pub low: f64,
    /// Third quartile.
    pub high: f64,
}

/// The result of a session in one table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Message length of all the costs here, in bytes.
    pub message_bytes: u64,
    /// The first variant measured, without any optimisation.
    pub baseline: Cost,
    /// The kernel that is handed out.
    pub best: Cost,
    /// Whether `best` was confirmed in a duel; else it was measured for this report.
    pub confirmed: bool,
    /// The system's OpenSSL, where there is one.
    pub openssl: Option<Cost>,
    /// The kernel again, in turns with OpenSSL: what OpenSSL is compared with.
    pub beside_openssl: Option<Cost>,
    /// Lower bound of the winner's dataflow on this machine.
    pub bound: f64,
    /// The variant that runs on messages of this length, readable.
    pub variant: String,
    /// Name of the kernel that is handed out.
    pub kernel: String,
    /// Variants in that kernel, which chooses among them by length.
    pub variants_by_length: u64,
    /// The winner's technique: `VAES on zmm`.
    pub technique: String,
    /// Variants tried in the session.
    pub variants_tried: u64,
    /// Seconds that the session took.
    pub seconds: f64,
    /// Path of the emitted kernel, where one was emitted.
    pub kernel_path: Option<String>,
}

/// A cost over two dimensions of the space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Problem in words: `AES-256-CTR`.
    pub title: String,
    /// First dimension, across.
    pub x: Axis,
    /// Second dimension, into the page.
    pub y: Axis,
    /// `cells[j * x.values.len() + i]` is the cell of `x.values[i]`, `y.values[j]`; `None` was never
    /// measured. Missing cells at the end may be left out.
    pub cells: Vec<Option<Cell>>,
    /// Lower bound of the dataflow, where it is known.
    pub bound: Option<f64>,
    /// Different kernels among the measured cells, by their bytes.
    pub kernels: u64,
    /// Why the axes end where they do. May be empty.
    pub ends: String,
    /// Costs that differ by less than this part of them may be the same: a kernel measured against itself.
    pub noise: Option<f64>,
}

/// One dimension of a [`Surface`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Name: `initiation interval`.
    pub name: String,
    /// Values, rising.
    pub values: Vec<f64>,
}

/// One cell of a [`Surface`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The best cost among the cell's variants.
    pub cost: f64,
    /// How many variants were measured in the cell.
    pub variants: u64,
}

/// One line of the paper's Figure 3, measured again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure3Row {
    /// `CTR`, `CTR-SP` (software-pipelined), `CBC-1` to `CBC-4`.
    pub name: String,
    /// Key size in bits.
    pub key_bits: u32,
    /// Without any optimisation.
    pub baseline: Option<f64>,
    /// Best found.
    pub best: Option<f64>,
    /// Lower bound of the dataflow.
    pub bound: Option<f64>,
    /// Whether `best` was confirmed in a duel; else it is the lowest screened cost.
    pub confirmed: bool,
    /// Whether it is the kernel that this report is about.
    pub own: bool,
}

/// How fast strategies find good variants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// One line each.
    pub strategies: Vec<Strategy>,
    /// Lower bound, drawn dashed.
    pub bound: Option<f64>,
}

/// One strategy's run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    /// Name: `annealing`.
    pub name: String,
    /// `(trial, best so far)`, trials rising from 1: the improvements, and the last trial.
    pub best: Vec<(u64, f64)>,
}

/// Cost against message size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sizes {
    /// Subjects, `aesmith` first.
    pub subjects: Vec<Subject>,
    /// `(bytes, cost)` of the lower bound, drawn dashed.
    pub bound: Vec<(u64, f64)>,
}

/// Whatever was measured over message sizes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Name: `aesmith`, `OpenSSL 3.0.19`, `ipsec-mb`.
    pub name: String,
    /// Whether it is this project's kernel (drawn heavier).
    pub ours: bool,
    /// Measurements, sizes rising.
    pub points: Vec<SizePoint>,
}

/// One message size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizePoint {
    /// Message length in bytes.
    pub bytes: u64,
    /// Its cost.
    pub cost: Cost,
}

/// The kernel's loop in the steady state, as the machine model has it: every instruction once, modulo
/// the iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopChart {
    /// The variant whose loop it is.
    pub variant: String,
    /// Classes that instructions are coloured by: `AES`, `load`, `store`, `vector ALU`, `scalar`, ...
    pub units: Vec<String>,
    /// Pipes of each of [`LoopChart::units`] that the loop can use.
    pub pipes: Vec<usize>,
    /// Instructions in program order.
    pub instructions: Vec<Slot>,
    /// Cycles from one iteration's start to the next, in the model: where the axis ends.
    pub cycles_per_iteration: f64,
    /// Bytes that one iteration processes; 0 for a call that has no loop.
    pub bytes_per_iteration: u64,
    /// What the schedule is: `Steady state in the machine model: ...`. May be empty.
    pub note: String,
}

/// One instruction of a [`LoopChart`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// The instruction as assembly.
    pub text: String,
    /// Index into [`LoopChart::units`].
    pub unit: usize,
    /// Cycle at which it starts: at least 0 and less than [`LoopChart::cycles_per_iteration`].
    pub start: f64,
    /// Cycles for which it occupies its unit; what is beyond the end continues at 0.
    pub occupies: f64,
    /// Cycles until its result can be used.
    pub latency: f64,
    /// Where a memory operand is loaded: when, and for how many cycles.
    pub load: Option<(f64, f64)>,
    /// Iteration it works for, relative to the one that the busiest unit begins at 0: 1 = the next one,
    /// as out-of-order execution and a software pipeline have it.
    pub iteration: i32,
}

/// A class of instructions in the loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MixPart {
    /// Class: `AES rounds`.
    pub name: String,
    /// Index into [`LoopChart::units`], which says its colour.
    pub unit: usize,
    /// Instructions of one iteration, each counted once.
    pub count: u64,
    /// Operations of one iteration: an instruction with a memory operand is one more load or store.
    pub operations: u64,
    /// Share of the loop's cycles for which its pipes are taken (0 to 1), where the model knows it.
    pub occupancy: Option<f64>,
}

/// The three costs of one kernel, side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distance {
    /// Which kernel: `best`, `runner-up`, `baseline`.
    pub name: String,
    /// What the machine allows for its dataflow.
    pub bound: f64,
    /// What limits there: `throughput of the two AES pipes`. May be empty.
    pub limit: String,
    /// What the machine model says of the kernel.
    pub model: Option<f64>,
    /// What the judge saw.
    pub measured: Option<Cost>,
}

/// A class of outcomes of trials.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Name: `measured`, `same bytes as another`, `not proved`, `over-read`, ...
    pub name: String,
    /// What it means, in a few words. May be empty.
    pub meaning: String,
    /// How many.
    pub count: u64,
}

/// Where the time of a search went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchTime {
    /// The strategy: `memetic`.
    pub strategy: String,
    /// Whether it is the search that found the kernel shown; else the newest one that says where its time went.
    pub own: bool,
    /// Samples of its run, confirmations included.
    pub samples: u64,
    /// In the order in which a kernel passes them.
    pub stages: Vec<SearchStage>,
}

/// One stage that kernels pass in a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchStage {
    /// Name: `prove`.
    pub name: String,
    /// What it did, with counts: 812 `proofs made`.
    pub did: Vec<(u64, String)>,
    /// Seconds for it.
    pub seconds: f64,
    /// Whether it ran on another CPU beside the others.
    pub beside: bool,
}

/// What has been shown of the winner's bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Name of the kernel whose bytes these are.
    pub kernel: String,
    /// Level: `E0` to `E3`.
    pub level: String,
    /// Constant-time level: `CT2`, `CT1` or `VT`.
    pub constant_time: String,
    /// SHA-256 of the bytes, hexadecimal.
    pub sha256: String,
    /// Number of bytes.
    pub bytes: u64,
    /// What is claimed and how each is shown.
    pub claims: Vec<Claim>,
    /// What is assumed.
    pub assumptions: Vec<String>,
    /// Version of the tool that wrote it.
    pub tool_version: String,
    /// Path of the certificate, where it was written.
    pub path: Option<String>,
}

/// One claim of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The claim, a sentence.
    pub claim: String,
    /// How it is shown: `proved`, `tested`, `not shown`.
    pub shown: String,
}

/// Where the numbers were taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// CPU vendor and name.
    pub cpu: String,
    /// Family, model, stepping, microcode.
    pub model: String,
    /// CPU features that matter here.
    pub features: Vec<String>,
    /// Hypervisor, or `none`.
    pub hypervisor: String,
    /// Operating system kernel.
    pub kernel: String,
    /// Core cycles per tick of the time-stamp counter, and how it was found.
    pub clock: String,
    /// `(tool, version)`: rustc, gcc, clang, OpenSSL.
    pub toolchain: Vec<(String, String)>,
    /// Version of aesmith.
    pub tool_version: String,
    /// Commit that aesmith was built from, where the build knew it.
    pub commit: Option<String>,
    /// Compiler that built aesmith, where the build knew it.
    pub compiler: Option<String>,
    /// Who sets the CPU's frequency, where the system says it.
    pub governor: Option<String>,
    /// Load averages over 1, 5 and 15 minutes when the report was made, and the number of CPUs.
    pub load: Option<String>,
    /// Seed of the session.
    pub seed: u64,
    /// The command as it was given.
    pub command: String,
}
