//! Options of `aesmith tune`.

use super::values::{self, ProblemParser};
use super::{Choice, Sought, Via};
use crate::quantity::{count, seed, size, time};
use aesmith_cipher::Problem;
use aesmith_tune::Effort;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Judges of kernels for this machine's processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Judging {
    /// Measure on this machine
    #[default]
    Native,
    /// Schedule main loops on the machine model; nothing is measured
    Model,
}

/// `aesmith tune`.
#[derive(Args, Clone, Debug)]
pub struct Tune {
    /// Problem: aes128-, aes192- or aes256- followed by ecb, ecb-dec, cbc, cbc-x2, -x3, -x4, -x8,
    /// -x16, cbc-dec, ctr, key or key-dec
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Problem,
    /// Who says how long kernels take: this machine, or the model of a CPU whose instructions were measured, on any machine
    #[arg(help_heading = "How to search", long, value_enum, default_value_t)]
    pub judge: Judging,
    /// Search effort: estimate (known-good variants only; for another processor some seconds), measure
    /// (some seconds), patient (minutes) or exhaustive (every variant of the chosen part of the space)
    #[arg(help_heading = "How to search", long, value_parser = values::effort(), hide_possible_values = true, default_value = "measure")]
    pub effort: Effort,
    /// Another processor, and the objective there.
    #[command(flatten, next_help_heading = "A processor other than this machine")]
    pub sought: Sought,
    /// Time limit of the run, such as 30s or 2m, for search, race, confirmation, other message lengths and report.
    /// Steps that do not fit are skipped and reported; the shortest confirmation and report always run
    /// [default: by effort: estimate seconds, measure 20s and patient 3min of search, exhaustive no limit]
    #[arg(help_heading = "How to search", long, value_parser = time, allow_hyphen_values = true)]
    pub time: Option<Duration>,
    /// Maximum number of variants to try [default: limited only by time]
    #[arg(help_heading = "How to search", long, value_parser = count, allow_hyphen_values = true)]
    pub trials: Option<u64>,
    /// Seed of the search; equal seeds give equal proposals
    #[arg(help_heading = "How to search", long, default_value_t = 1, value_parser = seed, allow_hyphen_values = true)]
    pub seed: u64,
    /// Search strategy, with options as NAME:OPTION=VALUE,... [default: by effort]
    #[arg(help_heading = "How to search", long, value_parser = values::strategy())]
    pub strategy: Option<String>,
    /// Message length [default: 32KiB; for another processor a long message, of which one further block counts]
    #[arg(help_heading = "Allowed kernels", long, value_parser = size, allow_hyphen_values = true)]
    pub size: Option<usize>,
    /// The kernels that may be chosen.
    #[command(flatten, next_help_heading = "Allowed kernels")]
    pub choice: Choice,
    /// Only code that uses no memory below the stack pointer (the red zone), for kernels of operating systems: the
    /// certificate of what is delivered must say so
    #[arg(help_heading = "Allowed kernels", long)]
    pub no_red_zone: bool,
    /// Only kernels whose proofs a second, small checker accepts, measured on this machine
    #[arg(help_heading = "Allowed kernels", long)]
    pub checked: bool,
    /// Search only the subspace of Manley, Magrath and Gregg (2010), for CTR
    #[arg(help_heading = "How to search", long, conflicts_with = "processor")]
    pub paper: bool,
    /// Measure again even if wisdom already has a measurement
    #[arg(help_heading = "How to search", long)]
    pub afresh: bool,
    /// Search without known-good variants and without the best kernels and costs of earlier runs. The kernel
    /// delivered at the end is still the best known one
    #[arg(help_heading = "How to search", long)]
    pub alone: bool,
    /// Relative frequency with which the search changes a dimension, instead of the weight that `aesmith space`
    /// shows; 0 means never; repeatable
    #[arg(help_heading = "How to search", long, value_name = "NAME=WEIGHT")]
    pub weight: Vec<String>,
    /// Also measure the winner's C form compiled by this compiler; repeatable
    #[arg(help_heading = "Output", long, value_enum, value_name = "COMPILER", conflicts_with = "processor")]
    pub via: Vec<Via>,
    /// Time limit for measurements that the report's figures lack [default: none are measured]
    #[arg(help_heading = "Output", long, value_parser = time, allow_hyphen_values = true, value_name = "TIME", conflicts_with = "processor")]
    pub figures: Option<Duration>,
    /// Directory for the winner's package and the report
    /// [default: aesmith-PROBLEM, followed by the processor's name if given, in the working directory]
    #[arg(help_heading = "Output", short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Overwrite files in that directory that aesmith did not write
    #[arg(help_heading = "Output", long)]
    pub force: bool,
}
