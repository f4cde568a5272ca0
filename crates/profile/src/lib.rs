//! Where byte-wise AES in C spends its time: calls, instructions, cycles and time of each step, and the size of the
//! code, under all 16 combinations of the four optimizations of "Optimization of AES in Software": SubBytes unrolled,
//! products of MixColumns looked up, steps inlined, 32-bit words.
//!
//! Instructions are callgrind's counts, which repeat exactly. Cycles are reads of the time-stamp counter around each
//! step, less the cost of an empty read, times the ratio of the core's rate to the counter's. Every program's output is
//! compared with the cipher stage before it is timed.
//!
//! ```
//! use aesmith_profile::Combination;
//!
//! let names: Vec<String> = Combination::all().map(|c| c.to_string()).collect();
//! assert_eq!(names.len(), 16);
//! assert_eq!(names[15], "unrolled + look-up + inlined + words");
//! ```

mod callgrind;
mod code;
mod combination;
pub mod counted;
pub mod memory;
mod program;
pub mod published;
mod sizes;
mod tools;

pub use combination::Combination;
pub use sizes::Sizes;

use serde::Serialize;
use std::fmt;
use std::path::Path;

/// A step of AES, as the lab report divides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Step {
    /// The key schedule.
    ExpandKey,
    /// The XOR with a round key.
    AddRoundKey,
    /// The S-box applied to each byte.
    SubBytes,
    /// The rotation of rows.
    ShiftRows,
    /// The product of columns with the matrix.
    MixColumns,
}

impl Step {
    /// All steps, in the order of the tables.
    pub const ALL: [Step; 5] =
        [Step::ExpandKey, Step::AddRoundKey, Step::SubBytes, Step::ShiftRows, Step::MixColumns];

    /// The step's name in FIPS-197.
    pub fn name(self) -> &'static str {
        match self {
            Step::ExpandKey => "ExpandKey",
            Step::AddRoundKey => "AddRoundKey",
            Step::SubBytes => "SubBytes",
            Step::ShiftRows => "ShiftRows",
            Step::MixColumns => "MixColumns",
        }
    }
}

/// The cost of a step, or of the whole, over the measured message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// The number of executions: one key setup, and the steps of every block.
    pub calls: u64,
    /// Instructions executed, by callgrind; `None` without valgrind.
    pub instructions: Option<u64>,
    /// Core cycles.
    pub cycles: f64,
    /// Time in nanoseconds.
    pub nanoseconds: f64,
}

/// The profile of one combination. It can be drawn as a stacked bar: one bar for each combination, with a part for each
/// step and one for [`Profile::rest`], in instructions or cycles a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Profile {
    /// The optimizations that are on.
    pub combination: Combination,
    /// The variant's text form.
    pub variant: String,
    /// Costs by step, in the order of [`Step::ALL`].
    pub steps: Vec<(Step, Cost)>,
    /// The cost of key setup and message, without the reads of the counter in between.
    pub whole: Cost,
    /// Sizes of the object file, in bytes.
    pub sizes: Sizes,
}

impl Profile {
    /// Instructions that belong to no step: loads and stores of blocks, calls, loops.
    pub fn rest(&self) -> Option<u64> {
        let steps: Option<u64> = self.steps.iter().map(|(_, cost)| cost.instructions).sum();
        Some(self.whole.instructions?.saturating_sub(steps?))
    }
}

/// The profiles of all combinations on this machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The problem that is computed.
    pub problem: String,
    /// Blocks of the measured message.
    pub blocks: usize,
    /// The compiler's version and options.
    pub compiler: String,
    /// The method of counting instructions, or the reason why they were not counted.
    pub instructions: String,
    /// The method of reading cycles.
    pub cycles: String,
    /// The profile of each combination: no optimization first, all four last.
    pub profiles: Vec<Profile>,
}

/// The reason why there is no profile, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError(pub String);

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProfileError {}

/// Profiles every combination with this compiler (`gcc` or `clang`), working in `folder`, where the C files are left.
/// Calls `tell` with each combination before it is measured.
///
/// # Errors
/// There is no compiler, or a program does not compile, run, or compute AES.
pub fn profile(
    compiler: &str,
    folder: &Path,
    mut tell: impl FnMut(Combination),
) -> Result<Report, ProfileError> {
    if !cfg!(target_arch = "x86_64") {
        return Err(ProfileError(format!(
            "cycles of this machine are read from the time-stamp counter of x86-64, and this is {}; name another \
             processor, whose cycles are counted by its judge or model",
            std::env::consts::ARCH
        )));
    }
    let compiler = tools::compiler(compiler)?;
    let valgrind = tools::valgrind();
    let mut profiles = Vec::new();
    for combination in Combination::all() {
        tell(combination);
        profiles.push(program::measure(combination, &compiler, valgrind.is_ok(), folder)?);
    }
    Ok(Report {
        problem: program::PROBLEM.into(),
        blocks: program::BLOCKS,
        compiler: format!("{}, {}", compiler.version, program::OPTIONS.join(" ")),
        instructions: match valgrind {
            Ok(version) => format!("callgrind of {version}"),
            Err(why) => format!("not counted: {why}"),
        },
        cycles: "least of many runs by the time-stamp counter, fenced around each step, less an empty read, \
                 in core cycles by a chain of additions"
            .into(),
        profiles,
    })
}
