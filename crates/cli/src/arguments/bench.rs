//! Options of the commands that measure, count and explain known kernels.

use super::values::ProblemParser;
use super::{Choice, Via, values};
use crate::quantity::{Sizes, size, sizes};
use aesmith_arrange::Technique;
use aesmith_cipher::Problem;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `aesmith bench`. Without a problem, and with `--markdown`, it is a command of `aesmith-bench`.
#[derive(Args, Debug)]
pub struct Bench {
    /// Problem [default: all problems, and the table of goals]
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Option<Problem>,
    /// Part of the table of goals to measure, if no problem is given
    #[arg(long, value_enum, default_value = "all", conflicts_with = "problem")]
    pub goals: Part,
    /// Processor instead of this machine's CPU (`aesmith processors` lists them): compares the best known kernel
    /// with the plain kernel and the bound
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["cpu", "width", "key_life", "markdown"], requires = "problem")]
    pub processor: Option<String>,
    /// Message lengths: a list such as 16B,1KiB, or the powers of two in a range such as 16B..1MiB
    #[arg(long, value_parser = sizes)]
    pub sizes: Option<Sizes>,
    /// Also measure one call after 100 microseconds of other work, as in a program with rare messages
    #[arg(long, conflicts_with = "processor")]
    pub cold: bool,
    /// The kernels that may be chosen.
    #[command(flatten)]
    pub choice: Choice,
    /// Write the tables and a description of the machine into this Markdown file
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// With --goals gpu: also show measurements on a card, from a file that `scripts/card.sh` wrote
    #[arg(long, value_name = "FILE", conflicts_with = "problem")]
    pub card: Option<PathBuf>,
    /// Overwrite a file that aesmith did not write
    #[arg(long, requires = "markdown")]
    pub force: bool,
}

impl Bench {
    /// True if this is a task of `aesmith-bench`.
    pub fn is_for_developers(&self) -> bool {
        self.problem.is_none() || self.markdown.is_some()
    }
}

/// Parts of the table of goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// All goals, and every problem
    All,
    /// Goals with AES instructions, and every problem
    Instructions,
    /// Only goals without AES instructions
    Software,
    /// Only whole messages of GCM, by packages: needs make and a C compiler
    Messages,
    /// Only goals of processors other than this machine
    Processors,
    /// Only goals with custom instructions on other processors
    Extensions,
    /// Only goals of GPUs: static bounds, and the measurements of --card
    Gpu,
}

/// `aesmith explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// Processor instead of this machine's CPU; `aesmith processors` lists them
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["cpu", "size", "width", "key_life"], requires = "problem")]
    pub processor: Option<String>,
    /// Problem [default: the one confirmed last]
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Option<Problem>,
    /// The kernels that may be chosen.
    #[command(flatten)]
    pub choice: Choice,
    /// Message length
    #[arg(long, value_parser = size, default_value = "32KiB")]
    pub size: usize,
}

/// `aesmith profile`.
#[derive(Args, Debug)]
pub struct Profile {
    /// Technique, which must be bytewise: only its steps are the steps of FIPS-197
    pub technique: Technique,
    /// Profile the C form on this machine
    #[arg(long)]
    pub c: bool,
    /// Profile the C form on another processor: microblaze-5, microblaze-3, microblaze-v, picorv32, ...
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["c", "compiler"])]
    pub processor: Option<String>,
    /// Compiler
    #[arg(long, value_enum, default_value = "gcc")]
    pub compiler: Via,
    /// Write the C files and profile.json into this directory
    #[arg(short, long = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Overwrite files in that directory that aesmith did not write
    #[arg(long, requires = "output")]
    pub force: bool,
}

/// `aesmith count`.
#[derive(Args, Debug)]
pub struct Count {
    /// Text form of a variant, or a file: a variant file, an object file, or assembly (.S)
    #[arg(value_name = "VARIANT|FILE", required_unless_present = "accounting")]
    pub what: Option<String>,
    /// Show Bernstein and Schwabe's accounting on six processors: from 720 instructions to our kernels, technique by technique
    #[arg(long, conflicts_with_all = ["what", "processor", "classes"])]
    pub accounting: bool,
    /// Processor of the variant; `aesmith processors` lists them
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true)]
    pub processor: Option<String>,
    /// Classes of instructions to show
    #[arg(long = "as", value_enum, value_name = "CLASSES", default_value = "all")]
    pub classes: CountAs,
    /// Write the accounting into this HTML file, with a waterfall chart for each processor
    #[arg(long, value_name = "FILE", requires = "accounting", conflicts_with = "what")]
    pub html: Option<PathBuf>,
    /// Write the accounting into this Markdown file
    #[arg(long, value_name = "FILE", requires = "accounting", conflicts_with = "what")]
    pub markdown: Option<PathBuf>,
    /// Overwrite files that aesmith did not write
    #[arg(long, requires = "accounting", conflicts_with = "what")]
    pub force: bool,
}

/// Classes of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CountAs {
    /// Loads, stores, integer, branches, vector, shuffles, AES, others
    All,
    /// The classes of Bernstein and Schwabe: loads, stores, and all others as integer
    #[value(name = "b-s")]
    BernsteinSchwabe,
}
