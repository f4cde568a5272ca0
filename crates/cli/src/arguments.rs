//! The command line: every command, flag and example, in one place.

mod bench;
mod choice;
pub mod developer;
mod emit;
pub mod isa;
mod tune;
mod values;
pub mod wisdom;

use crate::failure::EXIT_CODES;
use crate::quantity::{count, size, time};
use crate::sources::Width;
use aesmith_cipher::Problem;
use aesmith_tune::TechniqueRequest;
use aesmith_tune::program::Argument;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
use values::ProblemParser;

pub use bench::{Bench, Count, CountAs, Explain, Part, Profile};
pub use choice::{Choice, Sought, Via};
pub use emit::{Directions, Emit, Form, Keys, Schedule, Source};
pub use tune::{Judging, Tune};
pub use wisdom::{Chosen, Wisdom};

/// Generates the fastest AES code for a processor and proves that it computes AES.
#[derive(Parser, Debug)]
#[command(name = "aesmith", version, max_term_width = 100, after_help = after_help(), subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    /// The options of every command.
    #[command(flatten)]
    pub shared: Shared,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The options of every command of both programs.
#[derive(Args, Debug)]
pub struct Shared {
    /// Print results as JSON, one object per line
    #[arg(long, global = true)]
    pub json: bool,
    /// Wisdom file, which stores measurements [default: $AESMITH_WISDOM, or aesmith/wisdom.sqlite in the XDG data directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub wisdom: Option<PathBuf>,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Search for the fastest proved kernel
    #[command(after_help = include_str!("arguments/help/tune.txt").trim_end())]
    Tune(Tune),
    /// Show the dimensions of a problem's search space and count its variants
    #[command(after_help = "Examples:
  aesmith space aes256-ctr
  aesmith space aes128-cbc-x4 --json
  aesmith space aes128-ecb --processor avr")]
    Space(Space),
    /// Write the best known kernel or a given variant as code
    #[command(after_help = include_str!("arguments/help/emit.txt").trim_end())]
    Emit(Emit),
    /// Prove emitted code again from its bytes alone
    #[command(after_help = include_str!("arguments/help/verify.txt").trim_end())]
    Verify(Verify),
    /// Measure the best known kernels and other libraries alternately
    #[command(after_help = include_str!("arguments/help/bench.txt").trim_end())]
    Bench(Bench),
    /// Explain what makes the best kernel fast
    #[command(after_help = "Examples:
  aesmith explain aes256-ctr
  aesmith explain aes256-ctr --size 1KiB --json
  aesmith explain aes128-ecb --processor avr --only sbox=flash")]
    Explain(Explain),
    /// List, show, export, import and delete stored measurements
    #[command(after_help = include_str!("arguments/help/wisdom.txt").trim_end())]
    #[command(subcommand)]
    Wisdom(Wisdom),
    /// Write a report as one HTML file
    #[command(after_help = include_str!("arguments/help/report.txt").trim_end())]
    Report(Report),
    /// Repeat a paper's evaluation on this CPU and test its statements
    #[command(after_help = include_str!("arguments/help/reproduce.txt").trim_end())]
    Reproduce(Reproduce),
    /// Compare search strategies on a recorded space, without hardware and noise
    #[command(after_help = include_str!("arguments/help/replay.txt").trim_end())]
    Replay(Replay),
    /// Measure the time of each step of byte-wise AES in C
    #[command(after_help = include_str!("arguments/help/profile.txt").trim_end())]
    Profile(Profile),
    /// Count a kernel's instructions per block, by class
    #[command(after_help = include_str!("arguments/help/count.txt").trim_end())]
    Count(Count),
    /// List the processors other than this machine and their judges
    #[command(after_help = include_str!("arguments/help/processors.txt").trim_end())]
    Processors,
    /// Measure the cost of a function of any program on another processor
    #[command(after_help = include_str!("arguments/help/judge.txt").trim_end())]
    Judge(Judge),
    /// Evaluate custom instructions: cycles, code size and area
    #[command(after_help = include_str!("arguments/help/isa.txt").trim_end())]
    #[command(subcommand)]
    Isa(isa::Isa),
    /// Show this machine's features and tools, and how to install missing ones
    #[command(after_help = "Examples:
  aesmith doctor
  aesmith doctor --json")]
    Doctor,
    /// Print a shell completion script
    #[command(after_help = "Examples:
  aesmith completions bash > ~/.local/share/bash-completion/completions/aesmith
  aesmith completions zsh > ~/.zfunc/_aesmith")]
    Completions(Completions),
    /// Write the man pages into a directory
    #[command(after_help = "Examples:
  aesmith man ~/.local/share/man/man1")]
    Man(Man),
}

/// `aesmith completions`.
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `aesmith man`.
#[derive(Args, Debug)]
pub struct Man {
    /// Directory, created if necessary
    pub directory: PathBuf,
    /// Overwrite files in that directory that aesmith did not write
    #[arg(long)]
    pub force: bool,
}

/// `aesmith space`.
#[derive(Args, Debug)]
pub struct Space {
    /// Problem
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Problem,
    /// Processor instead of this machine's CPU; `aesmith processors` lists them
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["technique", "width"])]
    pub processor: Option<String>,
    /// Technique whose space is shown
    #[arg(long, value_parser = values::technique(), default_value = "aes")]
    pub technique: TechniqueRequest,
    /// Maximum width of vector registers [default: the widest of this CPU]
    #[arg(long, value_enum)]
    pub width: Option<Width>,
}

/// `aesmith verify`.
#[derive(Args, Debug)]
pub struct Verify {
    /// Object files, archives, assembly files (.S), certificates (.json) or package folders
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Processor, if it is not x86-64 [default: from the certificate]
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true)]
    pub processor: Option<String>,
    /// Custom instructions that the code uses: a file, or the name of a set that comes with aesmith
    /// [default: from the certificate]
    #[arg(long, value_name = "FILE")]
    pub isa: Option<String>,
    /// Also refuse functions that use memory below the stack pointer (the red zone)
    #[arg(long)]
    pub no_red_zone: bool,
    /// Also refuse functions that rest on the prover alone: a second, small checker must accept their proofs
    #[arg(long)]
    pub checked: bool,
}

/// `aesmith judge`.
#[derive(Args, Debug)]
pub struct Judge {
    /// Program: an ELF executable for the processor
    #[arg(value_name = "ELF")]
    pub program: PathBuf,
    /// Processor; `aesmith processors` lists them
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true)]
    pub processor: String,
    /// Function to call
    #[arg(long, value_name = "NAME")]
    pub symbol: String,
    /// Arguments of the function: numbers (17, -1, 0x11), and buffers as hex:0011ff or zeros:16
    #[arg(long, num_args = 1.., allow_negative_numbers = true, value_name = "VALUE", value_parser = str::parse::<Argument>)]
    pub args: Vec<Argument>,
    /// Maximum number of instructions of a call
    #[arg(long, default_value_t = 10_000_000, value_parser = count)]
    pub limit: u64,
}

/// `aesmith report`.
#[derive(Args, Debug)]
pub struct Report {
    /// Processor instead of this machine's CPU; `aesmith processors` lists them
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["cpu", "technique", "size", "figures", "width", "key_life"])]
    pub processor: Option<String>,
    /// Problem [default: the one confirmed last; for another processor all; for GPUs required]
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Option<Problem>,
    /// The kernels that may be chosen.
    #[command(flatten)]
    pub choice: Choice,
    /// Output file [default: aesmith-PROBLEM.html in the working directory; for another processor aesmith-NAME.html,
    /// for GPUs aesmith-PROBLEM-NAME.html]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite a file that aesmith did not write
    #[arg(long)]
    pub force: bool,
    /// Message length
    #[arg(long, value_parser = size, allow_hyphen_values = true, default_value = "32KiB")]
    pub size: usize,
    /// Time limit for measurements that the paper's figures lack [default: none are measured]
    #[arg(long, value_parser = time, allow_hyphen_values = true, value_name = "TIME")]
    pub figures: Option<Duration>,
}

/// `aesmith replay`.
#[derive(Args, Debug)]
pub struct Replay {
    /// Recording
    #[arg(required_unless_present = "record", conflicts_with = "record")]
    pub file: Option<PathBuf>,
    /// First record a space into this file unless it exists: every variant is proved and measured, with its samples
    #[arg(long, value_name = "FILE", requires = "problem")]
    pub record: Option<PathBuf>,
    /// Problem whose space is recorded
    #[arg(long, value_parser = ProblemParser, hide_possible_values = true, requires = "record")]
    pub problem: Option<Problem>,
    /// Record only the subspace of Manley, Magrath and Gregg (2010), for CTR
    #[arg(long, requires = "record")]
    pub paper: bool,
    /// Message length of the recording
    #[arg(long, value_parser = size, allow_hyphen_values = true, default_value = "32KiB", requires = "record")]
    pub size: usize,
    /// Time limit of the recording; recorded variants are kept
    #[arg(long, value_parser = time, allow_hyphen_values = true, value_name = "TIME", requires = "record")]
    pub time: Option<Duration>,
    /// The kernels that are recorded.
    #[command(flatten)]
    pub choice: Choice,
    /// Search strategy, with options as NAME:OPTION=VALUE,...; repeatable
    /// [default: memetic, annealing, annealing-budget, random]
    #[arg(long, value_parser = values::strategy())]
    pub strategy: Vec<String>,
    /// Number of seeds of each strategy, starting at 1
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(2..=10_000))]
    pub seeds: u64,
    /// Maximum number of trials of each search
    #[arg(long, value_name = "N", default_value_t = 1501, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub trials: u64,
    /// Relative distance from the lowest recorded cost within which a search succeeds
    #[arg(long, value_name = "PART", default_value_t = 0.01)]
    pub within: f64,
    /// Relative frequency with which strategies change a dimension; repeatable
    #[arg(long, value_name = "NAME=WEIGHT")]
    pub weight: Vec<String>,
    /// Write the comparison into this HTML file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite files that aesmith did not write
    #[arg(long)]
    pub force: bool,
}

/// `aesmith reproduce`.
#[derive(Args, Debug)]
pub struct Reproduce {
    /// Paper
    #[arg(value_parser = [aesmith_bench::reproduce::NAME])]
    pub paper: String,
    /// Time limit of this run; the next run does the rest
    #[arg(long, value_parser = time, allow_hyphen_values = true, value_name = "TIME", default_value = "20min")]
    pub time: Duration,
    /// Folder for results and progress [default: aesmith-PAPER in the working directory]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// A lower CPU level to measure on this machine.
    #[arg(long, value_name = "LEVEL", value_parser = values::cpu(), hide_possible_values = true, help = values::cpu_help())]
    pub cpu: Option<String>,
    /// Overwrite files in this folder that aesmith did not write
    #[arg(long)]
    pub force: bool,
}

fn after_help() -> String {
    let mut text = String::from(
        "Examples:
  aesmith tune aes256-ctr                                  tune for this CPU
  aesmith emit aes256-ctr --as package -o aes256-ctr       write the kernel as a package
  aesmith verify aes256-ctr/aesmith_aes256_ctr.S           prove it again
  aesmith bench aes256-ctr                                 compare it with OpenSSL

Exit codes:\n",
    );
    text.push_str(&exit_codes());
    text
}

/// The exit codes, one a line.
fn exit_codes() -> String {
    EXIT_CODES.iter().map(|(code, meaning)| format!("  {code:>3}  {meaning}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
        developer::Arguments::command().debug_assert();
    }
}
