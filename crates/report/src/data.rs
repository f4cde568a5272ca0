//! The content of a report as plain data. The owner of the store fills it; the page only draws it.
//!
//! Costs are in [`ReportData::unit`] (cycles/byte, calibrated core cycles). A part that is empty or `None` is left out
//! of the page, which lists at its end the commands that would fill it. A number that is not finite is shown as
//! missing.
//!
//! Result, this report's row of Figure 3, loop, mix, distances, accounting and certificate describe one kernel: the one
//! that is delivered, and in it the variant that runs on messages of the report's size.

use serde::{Deserialize, Serialize};

/// The content of one report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportData {
    /// The problem as commands accept it: `aes256-ctr`.
    pub problem: String,
    /// The problem in words: `AES-256-CTR`.
    pub title: String,
    /// The processor in words: `Intel Xeon (family 6, model 207, stepping 2)`.
    pub processor: String,
    /// When the report was made, as text: `2026-11-21 21:40 UTC`.
    pub made: String,
    /// Unit of every cost: `cycles/byte`, or `cycles/key` for a key schedule.
    pub unit: String,
    /// True if costs are of one call after 100 microseconds of other work, false for calls in steady state. Bounds and
    /// the paper's figures exist only for the latter.
    #[serde(default)]
    pub cold: bool,
    /// The result: baseline, best, OpenSSL, bound.
    pub summary: Option<Summary>,
    /// The paper's Figure 1: x = initiation interval, y = round keys in registers.
    pub figure1: Option<Surface>,
    /// The paper's Figure 2, 4-stream CBC: x = interleave distance, y = round keys in registers.
    pub figure2: Option<Surface>,
    /// The paper's Figure 3: a row for each problem and key size, in the order shown.
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
    /// Instructions of a block, from the textbook's T-tables to the winner, one entry for each step.
    pub accounting: Vec<Account>,
    /// The time of the byte-wise cipher in C, by function.
    pub profile: Option<Profile>,
    /// Outcomes of the variants that were tried.
    pub outcomes: Vec<Outcome>,
    /// The time of the search, by stage.
    #[serde(default)]
    pub search: Option<SearchTime>,
    /// Claims about the winner's bytes.
    pub certificate: Option<Certificate>,
    /// The machine of the measurements.
    pub machine: Option<Machine>,
}

/// Instructions of a block, by class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// The difference from the previous entry.
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
    /// The method of measurement: `callgrind`, `instrumented cycle reads`.
    pub how: String,
    /// Unit of the parts: `instructions`, `cycles`.
    pub unit: String,
    /// Names of the functions: `ExpandKey`, ...
    pub functions: Vec<String>,
    /// A row for each combination of optimisations.
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
    /// The kernel that is delivered.
    pub best: Cost,
    /// True if `best` was confirmed in a duel; else it was measured for this report.
    pub confirmed: bool,
    /// The system's OpenSSL, where there is one.
    pub openssl: Option<Cost>,
    /// The kernel measured alternately with OpenSSL, for comparison with it.
    pub beside_openssl: Option<Cost>,
    /// Lower bound of the winner's dataflow on this machine.
    pub bound: f64,
    /// The variant that runs on messages of this length, in readable form.
    pub variant: String,
    /// Name of the kernel that is delivered.
    pub kernel: String,
    /// Variants in that kernel, which chooses among them by length.
    pub variants_by_length: u64,
    /// The winner's technique: `VAES on zmm`.
    pub technique: String,
    /// Variants tried in the session.
    pub variants_tried: u64,
    /// Duration of the session in seconds.
    pub seconds: f64,
    /// Path of the emitted kernel, if one was emitted.
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
    /// Cells by row: `cells[j * x.values.len() + i]` belongs to `x.values[i]`, `y.values[j]`; `None` was never
    /// measured. Missing cells at the end may be left out.
    pub cells: Vec<Option<Cell>>,
    /// Lower bound of the dataflow, if known.
    pub bound: Option<f64>,
    /// The number of different kernels among the measured cells, by their bytes.
    pub kernels: u64,
    /// The reason why the axes end where they do. May be empty.
    pub ends: String,
    /// Relative difference of costs that is still noise, from measuring a kernel against itself.
    pub noise: Option<f64>,
}

/// One dimension of a [`Surface`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Name: `initiation interval`.
    pub name: String,
    /// Values in ascending order.
    pub values: Vec<f64>,
}

/// One cell of a [`Surface`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The best cost among the cell's variants.
    pub cost: f64,
    /// The number of variants measured in the cell.
    pub variants: u64,
}

/// One line of the paper's Figure 3, remeasured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure3Row {
    /// `CTR`, `CTR-SP` (software-pipelined), `CBC-1` to `CBC-4`.
    pub name: String,
    /// Key size in bits.
    pub key_bits: u32,
    /// Cost without any optimisation.
    pub baseline: Option<f64>,
    /// Best cost found.
    pub best: Option<f64>,
    /// Lower bound of the dataflow.
    pub bound: Option<f64>,
    /// True if `best` was confirmed in a duel; else it is the lowest screened cost.
    pub confirmed: bool,
    /// True if this is the kernel of this report.
    pub own: bool,
}

/// The speed at which strategies find good variants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// One line for each strategy.
    pub strategies: Vec<Strategy>,
    /// Lower bound, drawn dashed.
    pub bound: Option<f64>,
}

/// One strategy's run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    /// Name: `annealing`.
    pub name: String,
    /// `(trial, best cost so far)` with ascending trials from 1: the improvements, and the last trial.
    pub best: Vec<(u64, f64)>,
}

/// Cost against message size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sizes {
    /// When they were measured, in UTC: `2026-11-21 21:40 UTC`; empty if that is not known.
    pub made: String,
    /// Subjects, `aesmith` first.
    pub subjects: Vec<Subject>,
    /// `(bytes, cost)` of the lower bound, drawn dashed.
    pub bound: Vec<(u64, f64)>,
}

/// A subject measured over message sizes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Name: `aesmith`, `OpenSSL 3.0.19`, `ipsec-mb`.
    pub name: String,
    /// True for this project's kernel (drawn heavier).
    pub ours: bool,
    /// Measurements, by ascending size.
    pub points: Vec<SizePoint>,
}

/// One message size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizePoint {
    /// Message length in bytes.
    pub bytes: u64,
    /// Cost at this length.
    pub cost: Cost,
}

/// The kernel's loop in the steady state by the machine model: every instruction once, modulo the iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopChart {
    /// The variant whose loop it is.
    pub variant: String,
    /// Classes that determine the colours of instructions: `AES`, `load`, `store`, `vector ALU`, `scalar`, ...
    pub units: Vec<String>,
    /// The number of pipes of each of [`LoopChart::units`] that the loop can use.
    pub pipes: Vec<usize>,
    /// Instructions in program order.
    pub instructions: Vec<Slot>,
    /// Cycles from one iteration's start to the next in the model: the end of the axis.
    pub cycles_per_iteration: f64,
    /// Bytes that one iteration processes; 0 for a call that has no loop.
    pub bytes_per_iteration: u64,
    /// A description of the schedule: `Steady state in the machine model: ...`. May be empty.
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
    /// Cycles for which it occupies its unit; the part after the end continues at 0.
    pub occupies: f64,
    /// Cycles until its result is available.
    pub latency: f64,
    /// The load of a memory operand: its start and its duration, in cycles.
    pub load: Option<(f64, f64)>,
    /// Iteration it belongs to, relative to the one that the busiest unit begins at 0: 1 = the next one, as happens
    /// with out-of-order execution and software pipelines.
    pub iteration: i32,
}

/// A class of instructions in the loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MixPart {
    /// Class: `AES rounds`.
    pub name: String,
    /// Index into [`LoopChart::units`], which determines its colour.
    pub unit: usize,
    /// Instructions of one iteration, each counted once.
    pub count: u64,
    /// Operations of one iteration: a memory operand counts as one more load or store.
    pub operations: u64,
    /// Share of the loop's cycles in which its pipes are busy (0 to 1), if the model knows it.
    pub occupancy: Option<f64>,
}

/// The three costs of one kernel, side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distance {
    /// The kernel: `best`, `runner-up`, `baseline`.
    pub name: String,
    /// The lower bound of its dataflow on this machine.
    pub bound: f64,
    /// The bottleneck of the bound: `throughput of the two AES pipes`. May be empty.
    pub limit: String,
    /// The machine model's cost.
    pub model: Option<f64>,
    /// The cost measured by the judge.
    pub measured: Option<Cost>,
}

/// A class of outcomes of trials.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Name: `measured`, `same bytes as another`, `not proved`, `over-read`, ...
    pub name: String,
    /// The meaning, in a few words. May be empty.
    pub meaning: String,
    /// The number of trials.
    pub count: u64,
}

/// The time of a search, by stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchTime {
    /// The strategy: `memetic`.
    pub strategy: String,
    /// True if this search found the kernel shown; else it is the newest search with recorded times.
    pub own: bool,
    /// Samples of its run, including confirmations.
    pub samples: u64,
    /// Stages in the order in which a kernel passes them.
    pub stages: Vec<SearchStage>,
}

/// One stage of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchStage {
    /// Name: `prove`.
    pub name: String,
    /// The work done, with counts: 812 `proofs made`.
    pub did: Vec<(u64, String)>,
    /// Seconds of this stage.
    pub seconds: f64,
    /// True if it ran on another CPU in parallel.
    pub beside: bool,
}

/// Claims about the winner's bytes.
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
    /// The claims, and how each is shown.
    pub claims: Vec<Claim>,
    /// The assumptions.
    pub assumptions: Vec<String>,
    /// Version of the tool that wrote it.
    pub tool_version: String,
    /// Path of the certificate, if it was written.
    pub path: Option<String>,
}

/// One claim of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The claim, a sentence.
    pub claim: String,
    /// The kind of evidence: `proved`, `tested`, `accepted by ...`, `not shown`, which may be followed by a reason.
    pub shown: String,
}

/// The machine of the measurements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// CPU vendor and name.
    pub cpu: String,
    /// Family, model, stepping, microcode.
    pub model: String,
    /// Relevant CPU features.
    pub features: Vec<String>,
    /// Hypervisor, or `none`.
    pub hypervisor: String,
    /// Operating system kernel.
    pub kernel: String,
    /// Core cycles per tick of the time-stamp counter, and how the ratio was determined.
    pub clock: String,
    /// `(tool, version)`: rustc, gcc, clang, OpenSSL.
    pub toolchain: Vec<(String, String)>,
    /// Version of aesmith.
    pub tool_version: String,
    /// Commit that aesmith was built from, if the build knew it.
    pub commit: Option<String>,
    /// Compiler that built aesmith, if the build knew it.
    pub compiler: Option<String>,
    /// The governor of the CPU's frequency, if the system reports it.
    pub governor: Option<String>,
    /// Load averages over 1, 5 and 15 minutes when the report was made, and the number of CPUs.
    pub load: Option<String>,
    /// Seed of the session.
    pub seed: u64,
    /// The command line.
    pub command: String,
}
