//! The command line: every command, flag and example, in one place.

mod bench;
mod choice;
mod emit;
pub mod isa;
mod values;
pub mod wisdom;

use crate::failure::EXIT_CODES;
use crate::quantity::{count, seed, size, time};
use crate::sources::Width;
use aesmith_cipher::Problem;
use aesmith_tune::program::Argument;
use aesmith_tune::{Effort, TechniqueRequest};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
use values::ProblemParser;

pub use bench::{Bench, Count, CountAs, Explain, Goals, Profile};
pub use choice::{Choice, Sought, Via};
pub use emit::{Directions, Emit, Form, Keys, Schedule, Source};
pub use wisdom::{Chosen, Wisdom};

/// Writes the fastest AES for this processor, and proves that it is AES.
#[derive(Parser, Debug)]
#[command(name = "aesmith", version, max_term_width = 100, after_help = after_help(), subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    /// Write data as JSON, one object a line
    #[arg(long, global = true)]
    pub json: bool,
    /// The wisdom file [default: $AESMITH_WISDOM, or aesmith/wisdom.sqlite in the XDG data directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub wisdom: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Find the fastest proved kernel for this CPU
    #[command(after_help = "Examples:
  aesmith tune aes256-ctr
  aesmith tune aes128-cbc-x4 --effort patient
  aesmith tune aes256-ctr --strategy annealing:start=0.1,reduce=0.8 --alone --seed 7
  aesmith tune aes256-ctr --time 30s --weight keys=20 --weight align=0
  aesmith tune aes256-ctr --trials 1500 --size 1KiB --json
  aesmith tune aes256-ctr --effort exhaustive --only keys=0x7fff --only ii=0..3
  aesmith tune aes128-ctr --cpu avx2                     for a CPU without AES instructions
  aesmith tune aes128-ctr --cpu sse2,avx2-aesni,vaes     the levels of a package, one after another
  aesmith tune aes128-ctr --technique table --allow-variable-time --size 4KiB
  aesmith tune aes128-ecb --processor avr --objective pareto
  aesmith tune aes128-ctr --processor avr --strategy random --seed 7 --trials 20 --size 64
  aesmith tune aes128-ecb --processor cortex-m4 --technique bitsliced --only rounds=looped
  aesmith tune aes128-ecb --processor cortex-m3 --constant-time --max-flash 4k --max-stack 64

Ctrl-C stops, keeps every sample, prints the best so far and exits with 130; the same command goes on from there.")]
    Tune(Tune),
    /// Show every dimension of a problem's search space, and count its variants
    #[command(after_help = "Examples:
  aesmith space aes256-ctr
  aesmith space aes128-cbc-x4 --json
  aesmith space aes128-ecb --processor avr")]
    Space(Space),
    /// Write the best known kernel, or a given variant, as code
    #[command(after_help = "Examples:
  aesmith emit aes256-ctr --as package -o aes256-ctr
  aesmith emit aes256-ctr --as package -o out --cpu sse2,avx2-aesni,vaes --prefix mylib
  aesmith emit aes128-ecb,aes128-ctr,aes256-ctr --as package -o out --cpu sse2,avx2-aesni
  aesmith emit aes128-cbc --as c -o out
  aesmith emit aes128-ecb --as package --source c -o out
  aesmith emit aes256-ctr --as asm -o out --variant my.variant
  aesmith emit aes256-ctr --as package -o again --variant out/README.md
  aesmith emit aes128-ecb --processor avr --as package --keys all --directions both -o lib

With several levels, a CPU runs the kernel of the first that it can: one that needs more stands before one that needs less of it. Several problems share keys, and one question to the CPU. A variant file holds a variant's text form, as `aesmith wisdom show` prints it; before the last may stand others for short messages, as `up to 256 bytes: aes256-ctr ...`; lines that start with # are comments.")]
    Emit(Emit),
    /// Prove emitted code again, from its bytes alone
    #[command(after_help = "Examples:
  aesmith verify libaesmith_aes256_ctr.a
  aesmith verify kernel.o
  aesmith verify aesmith_aes256_ctr.S
  aesmith verify aesmith_aes256_ctr.json
  aesmith verify lib                          a package for firmware, whole

Functions are found by their names (aesmith_aes256_ctr, ...). Of a certificate, the code beside it is proved again and every field that a proof shows is compared; cycles, judges and tests are not. Exit code 3 says that something is not proved or differs.")]
    Verify(Verify),
    /// Measure the best known kernels against other libraries, interleaved
    #[command(after_help = "Examples:
  aesmith bench
  aesmith bench aes256-ctr --sizes 16B..1MiB
  aesmith bench aes128-ctr --sizes 16B,64B,1KiB --json
  aesmith bench aes128-ctr --processor avr --sizes 16B..1KiB
  aesmith bench --goals processors --markdown goals.md   processors other than this machine
  aesmith bench --goals extensions                       what custom instructions buy there")]
    Bench(Bench),
    /// Say why the winner wins
    #[command(after_help = "Examples:
  aesmith explain aes256-ctr
  aesmith explain aes256-ctr --size 1KiB --json
  aesmith explain aes128-ecb --processor avr --only sbox=flash")]
    Explain(Explain),
    /// List, show, carry and forget what has been measured
    #[command(after_help = "Examples:
  aesmith wisdom list
  aesmith wisdom show aes256-ctr
  aesmith wisdom export -o wisdom.jsonl
  aesmith wisdom import wisdom.jsonl
  aesmith wisdom forget aes256-ctr --yes")]
    #[command(subcommand)]
    Wisdom(Wisdom),
    /// Write a report as one HTML file
    #[command(after_help = "Examples:
  aesmith report aes256-ctr
  aesmith report aes256-ctr -o report.html --figures 1min
  aesmith report --processor avr -o avr.html             every front that has been tuned for
  aesmith report aes128-ctr --processor gpu              static bounds, occupancy and landscape of a GPU's kernels")]
    Report(Report),
    /// Do a paper's evaluation again on this CPU, and say what of it holds
    #[command(after_help = "Examples:
  aesmith reproduce manley2010
  aesmith reproduce manley2010 --time 30min -o manley2010
  aesmith reproduce manley2010 --json

manley2010 is Manley, Magrath and Gregg, Code Generation for Hardware Accelerated AES (ASAP 2010). The folder gets REPRODUCTION.md, reproduction.html and reproduction.json, and progress.jsonl: Ctrl-C stops, or the time is over, and the same command goes on from there.")]
    Reproduce(Reproduce),
    /// Compare search strategies on a recorded space, without the machine and its noise
    #[command(after_help = "Examples:
  aesmith replay recordings/aes256-ctr-paper-xmm-amd-25-17.jsonl.gz
  aesmith replay paper.jsonl.gz --strategy memetic --strategy annealing:start=0.05,reduce=0.8 --seeds 100
  aesmith replay paper.jsonl.gz --trials 500 --weight keys=40 -o strategies.html
  aesmith replay --record paper.jsonl.gz --problem aes256-ctr --paper --width xmm

A recording is a file of --record, or lines of JSON as of `aesmith wisdom export`. Ctrl-C keeps what was recorded; the same command goes on from there.")]
    Replay(Replay),
    /// Say where the time of byte-wise AES in C goes, step by step
    #[command(after_help = "Examples:
  aesmith profile bytewise --c
  aesmith profile bytewise --c --compiler clang --json
  aesmith profile bytewise --c -o profile

All 16 combinations of four optimizations are measured: SubBytes unrolled, MixColumns by look-up, steps inlined, 32-bit words.")]
    Profile(Profile),
    /// Count a kernel's instructions for a block, by class
    #[command(after_help = "Examples:
  aesmith count 'aes128-ctr technique=table cached=2'
  aesmith count my.variant
  aesmith count aesmith_aes256_ctr.S --json
  aesmith count 'aes128-ctr counter=cached' --processor ppc7410
  aesmith count --accounting                             720 instructions, and what techniques save of them
  aesmith count --accounting --html accounting.html --markdown ACCOUNTING.md

Instructions are counted as they are executed, by the simulator, between two lengths of message.")]
    Count(Count),
    /// List the processors other than this machine, with their judges
    #[command(after_help = "Examples:
  aesmith processors
  aesmith processors --json

Kernels for these are made on this machine and run on theirs. A judge runs a kernel: an emulator, or the processor's own RTL.")]
    Processors,
    /// Say what a function of any program costs on another processor
    #[command(after_help = "Examples:
  aesmith judge --processor avr program.elf --symbol aes_encrypt --args hex:000102030405060708090a0b0c0d0e0f zeros:16
  aesmith judge --processor cortex-m3 program.elf --symbol checksum --args zeros:64 64 --json

Buffers are put into memory and their addresses are passed, by the processor's C calling convention; they are shown as the function leaves them.")]
    Judge(Judge),
    /// Custom instructions: what would this instruction buy?
    #[command(after_help = "Examples:
  aesmith isa list
  aesmith isa check my.toml
  aesmith isa explore my.toml --base arm7tdmi,picorv32
  aesmith isa verilog my.toml --out unit")]
    #[command(subcommand)]
    Isa(isa::Isa),
    /// Show what this machine has and lacks, and how to get it
    #[command(after_help = "Examples:
  aesmith doctor
  aesmith doctor --json")]
    Doctor,
    /// Print a completion script for a shell
    #[command(after_help = "Examples:
  aesmith completions bash > ~/.local/share/bash-completion/completions/aesmith
  aesmith completions zsh > ~/.zfunc/_aesmith")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a directory
    #[command(after_help = "Examples:
  aesmith man ~/.local/share/man/man1")]
    Man {
        /// The directory, which is made if it is not there
        directory: PathBuf,
        /// Overwrite files in that directory that aesmith did not write
        #[arg(long)]
        force: bool,
    },
}

/// `aesmith tune`.
#[derive(Args, Clone, Debug)]
pub struct Tune {
    /// What to compute: aes128-, aes192- or aes256- with ecb, ecb-dec, cbc, cbc-x2, -x3, -x4, -x8,
    /// -x16, cbc-dec, ctr, key or key-dec
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Problem,
    /// How hard to search: estimate (known-good variants only; with --processor by name, some seconds), measure
    /// (some seconds), patient (minutes) or exhaustive (every variant of the chosen part of the space)
    #[arg(help_heading = "How to search", long, value_parser = values::effort(), hide_possible_values = true, default_value = "measure")]
    pub effort: Effort,
    /// For a processor other than this machine, and what is sought there.
    #[command(flatten, next_help_heading = "A processor other than this machine")]
    pub sought: Sought,
    /// Time for the run, such as 30s or 2m: search, race, confirmation, other message lengths, report. What it has
    /// no room for is left out and said; the shortest confirmation and report are made even so
    /// [default: by effort, estimate seconds, measure 20s and patient 3min of search, exhaustive no limit]
    #[arg(help_heading = "How to search", long, value_parser = time, allow_hyphen_values = true)]
    pub time: Option<Duration>,
    /// Most variants to try [default: no limit but the time]
    #[arg(help_heading = "How to search", long, value_parser = count, allow_hyphen_values = true)]
    pub trials: Option<u64>,
    /// Seed of the search; the same seed makes the same proposals
    #[arg(help_heading = "How to search", long, default_value_t = 1, value_parser = seed, allow_hyphen_values = true)]
    pub seed: u64,
    /// The strategy, with options as NAME:OPTION=VALUE,... [default: by effort]
    #[arg(help_heading = "How to search", long, value_parser = values::strategy())]
    pub strategy: Option<String>,
    /// Length of the messages [default: 32KiB; with --processor by name, a long one, of which a block more counts]
    #[arg(help_heading = "What may be chosen", long, value_parser = size, allow_hyphen_values = true)]
    pub size: Option<usize>,
    /// Which code may be chosen.
    #[command(flatten, next_help_heading = "What may be chosen")]
    pub choice: Choice,
    /// Search the subspace of Manley, Magrath and Gregg (2010), for CTR
    #[arg(help_heading = "How to search", long, conflicts_with = "processor")]
    pub paper: bool,
    /// Measure again what wisdom knows already
    #[arg(help_heading = "How to search", long)]
    pub afresh: bool,
    /// Search from nothing: no known-good variants, no bests and costs of earlier runs. What is handed out at the end
    /// is the best known even so
    #[arg(help_heading = "How to search", long)]
    pub alone: bool,
    /// How often the search changes a dimension, relative to the others, where that is not as `aesmith space` says: 0
    /// is never; may be given for several
    #[arg(help_heading = "How to search", long, value_name = "NAME=WEIGHT")]
    pub weight: Vec<String>,
    /// Also measure the winner's C form as this compiler translates it; may be given twice
    #[arg(
        help_heading = "What is written",
        long,
        value_enum,
        value_name = "COMPILER",
        conflicts_with = "processor"
    )]
    pub via: Vec<Via>,
    /// Measure what is missing for the report's figures, for at most so long
    #[arg(help_heading = "What is written", long, value_parser = time, allow_hyphen_values = true, value_name = "TIME", conflicts_with = "processor")]
    pub figures: Option<Duration>,
    /// Write the winner as a package, and the report, into this directory
    /// [default: aesmith-PROBLEM, with the processor's name if one is named, in the working directory]
    #[arg(help_heading = "What is written", short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Overwrite files in that directory that aesmith did not write
    #[arg(help_heading = "What is written", long)]
    pub force: bool,
}

/// `aesmith space`.
#[derive(Args, Debug)]
pub struct Space {
    /// The problem
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Problem,
    /// Of this processor, which `aesmith processors` lists, instead of the CPU
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["technique", "width"])]
    pub processor: Option<String>,
    /// The technique whose space is shown
    #[arg(long, value_parser = values::technique(), default_value = "aes")]
    pub technique: TechniqueRequest,
    /// Widest vector registers to count with [default: the widest that this CPU has]
    #[arg(long, value_enum)]
    pub width: Option<Width>,
}

/// `aesmith verify`.
#[derive(Args, Debug)]
pub struct Verify {
    /// Object files, archives, assembly files (.S), certificates (.json), or folders of packages
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The processor, if it is no x86-64 [default: as the certificate says]
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true)]
    pub processor: Option<String>,
    /// The file of the custom instructions that the code uses, or the name of a set that comes with aesmith
    /// [default: as the certificate says]
    #[arg(long, value_name = "FILE")]
    pub isa: Option<String>,
}

/// `aesmith judge`.
#[derive(Args, Debug)]
pub struct Judge {
    /// The program: an ELF executable for the processor
    #[arg(value_name = "ELF")]
    pub program: PathBuf,
    /// The processor; `aesmith processors` lists them
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true)]
    pub processor: String,
    /// The function to call
    #[arg(long, value_name = "NAME")]
    pub symbol: String,
    /// Its arguments: numbers (17, -1, 0x11), and buffers as hex:0011ff or zeros:16
    #[arg(long, num_args = 1.., allow_negative_numbers = true, value_name = "VALUE", value_parser = str::parse::<Argument>)]
    pub args: Vec<Argument>,
    /// End a call that has executed so many instructions
    #[arg(long, default_value_t = 10_000_000, value_parser = count)]
    pub limit: u64,
}

/// `aesmith report`.
#[derive(Args, Debug)]
pub struct Report {
    /// Of this processor, which `aesmith processors` lists, instead of the CPU
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["cpu", "technique", "size", "figures", "width", "key_life"])]
    pub processor: Option<String>,
    /// The problem [default: the one confirmed last; with --processor by name all, but for GPUs one must be named]
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Option<Problem>,
    /// Which code may be chosen.
    #[command(flatten)]
    pub choice: Choice,
    /// The file [default: aesmith-PROBLEM.html in the working directory; with --processor by name aesmith-NAME.html, for
    /// GPUs aesmith-PROBLEM-NAME.html]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite a file that aesmith did not write
    #[arg(long)]
    pub force: bool,
    /// Length of the messages
    #[arg(long, value_parser = size, allow_hyphen_values = true, default_value = "32KiB")]
    pub size: usize,
    /// Measure what is missing for the paper's figures, for at most so long
    #[arg(long, value_parser = time, allow_hyphen_values = true, value_name = "TIME")]
    pub figures: Option<Duration>,
}

/// `aesmith replay`.
#[derive(Args, Debug)]
pub struct Replay {
    /// The recording
    #[arg(required_unless_present = "record", conflicts_with = "record")]
    pub file: Option<PathBuf>,
    /// Record a space into this file first, if it is not there: every variant proved and measured, with its samples
    #[arg(long, value_name = "FILE", requires = "problem")]
    pub record: Option<PathBuf>,
    /// The problem whose space is recorded
    #[arg(long, value_parser = ProblemParser, hide_possible_values = true, requires = "record")]
    pub problem: Option<Problem>,
    /// Record the subspace of Manley, Magrath and Gregg (2010), for CTR
    #[arg(long, requires = "record")]
    pub paper: bool,
    /// Length of the messages of a recording
    #[arg(long, value_parser = size, allow_hyphen_values = true, default_value = "32KiB", requires = "record")]
    pub size: usize,
    /// Longest time of recording; what was recorded is kept
    #[arg(long, value_parser = time, allow_hyphen_values = true, value_name = "TIME", requires = "record")]
    pub time: Option<Duration>,
    /// Which code is recorded.
    #[command(flatten)]
    pub choice: Choice,
    /// A strategy, with options as NAME:OPTION=VALUE,...; may be given several times
    /// [default: memetic, annealing, annealing-budget, random]
    #[arg(long, value_parser = values::strategy())]
    pub strategy: Vec<String>,
    /// Seeds of each strategy, from 1 on
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(2..=10_000))]
    pub seeds: u64,
    /// Most trials of each search
    #[arg(long, value_name = "N", default_value_t = 1501, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub trials: u64,
    /// How near to the lowest recorded cost a search has to come, as a part of it
    #[arg(long, value_name = "PART", default_value_t = 0.01)]
    pub within: f64,
    /// How often strategies change a dimension, relative to the others; may be given for several
    #[arg(long, value_name = "NAME=WEIGHT")]
    pub weight: Vec<String>,
    /// Write the comparison as a page into this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite files that aesmith did not write
    #[arg(long)]
    pub force: bool,
}

/// `aesmith reproduce`.
#[derive(Args, Debug)]
pub struct Reproduce {
    /// The paper
    #[arg(value_parser = [aesmith_tune::reproduce::NAME])]
    pub paper: String,
    /// Time for all of it; what does not fit is left for the next time
    #[arg(long, value_parser = time, allow_hyphen_values = true, value_name = "TIME", default_value = "20min")]
    pub time: Duration,
    /// The folder for what is found and for the progress [default: aesmith-PAPER in the working directory]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// A lesser CPU to measure as, on this one.
    #[arg(long, value_name = "LEVEL", value_parser = values::cpu(), hide_possible_values = true, help = values::cpu_help())]
    pub cpu: Option<String>,
    /// Overwrite files in the folder that aesmith did not write
    #[arg(long)]
    pub force: bool,
}

fn after_help() -> String {
    let mut text = String::from(
        "Examples:
  aesmith tune aes256-ctr                                  tune for this CPU
  aesmith emit aes256-ctr --as package -o aes256-ctr       take the kernel home
  aesmith verify aes256-ctr/aesmith_aes256_ctr.S           prove it again
  aesmith bench aes256-ctr                                 hold it against OpenSSL

Exit codes:\n",
    );
    for (code, meaning) in EXIT_CODES {
        text.push_str(&format!("  {code:>3}  {meaning}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
