//! Options of the commands that measure, count and explain what is known.

use super::values::ProblemParser;
use super::{Choice, Via, values};
use crate::quantity::{Sizes, size, sizes};
use aesmith_arrange::Technique;
use aesmith_cipher::Problem;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `aesmith bench`.
#[derive(Args, Debug)]
pub struct Bench {
    /// The problem [default: all, and the table of goals]
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Option<Problem>,
    /// Which goals are measured, where no problem is named
    #[arg(long, value_enum, default_value = "all", conflicts_with = "problem")]
    pub goals: Goals,
    /// On this processor, which `aesmith processors` lists, instead of the CPU: the best known kernel beside the plain
    /// one and the bound
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["cpu", "width", "key_life", "markdown"], requires = "problem")]
    pub processor: Option<String>,
    /// Message lengths: a list, 16B,1KiB, or the powers of two in a range, 16B..1MiB
    #[arg(long, value_parser = sizes)]
    pub sizes: Option<Sizes>,
    /// Also measure one call after 100 microseconds of other work, as a program with rare messages makes it
    #[arg(long, conflicts_with = "processor")]
    pub cold: bool,
    /// Which code may be chosen.
    #[command(flatten)]
    pub choice: Choice,
    /// Write the tables as Markdown, with the machine that they were measured on, into this file
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// With --goals gpu: also what was measured on a card, from a file of `scripts/card.sh`
    #[arg(long, value_name = "FILE", conflicts_with = "problem")]
    pub card: Option<PathBuf>,
    /// Overwrite a file that aesmith did not write
    #[arg(long, requires = "markdown")]
    pub force: bool,
}

/// Parts of the table of goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Goals {
    /// All of it, after every problem
    All,
    /// With AES instructions, after every problem
    Instructions,
    /// Without AES instructions, and no problem else
    Software,
    /// On the processors other than this machine, and no problem else
    Processors,
    /// With custom instructions on those processors, and no problem else
    Extensions,
    /// On GPUs, by static bounds and what --card names, and no problem else
    Gpu,
}

/// `aesmith explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// On this processor, which `aesmith processors` lists, instead of the CPU
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["cpu", "size", "width", "key_life"], requires = "problem")]
    pub processor: Option<String>,
    /// The problem [default: the one confirmed last]
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Option<Problem>,
    /// Which code may be chosen.
    #[command(flatten)]
    pub choice: Choice,
    /// Length of the messages
    #[arg(long, value_parser = size, default_value = "32KiB")]
    pub size: usize,
}

/// `aesmith profile`.
#[derive(Args, Debug)]
pub struct Profile {
    /// The technique, which is bytewise: the only one whose steps are those of FIPS-197
    pub technique: Technique,
    /// Profile the C form on this machine
    #[arg(long)]
    pub c: bool,
    /// Profile it on another processor: microblaze-5, microblaze-3, microblaze-v, picorv32, ...
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["c", "compiler"])]
    pub processor: Option<String>,
    /// The compiler
    #[arg(long, value_enum, default_value = "gcc")]
    pub compiler: Via,
    /// Leave the C files, and profile.json, in this directory
    #[arg(short, long = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Overwrite files in that directory that aesmith did not write
    #[arg(long, requires = "output")]
    pub force: bool,
}

/// `aesmith count`.
#[derive(Args, Debug)]
pub struct Count {
    /// A variant's text form, or a file: one with a variant in it, an object file, or assembly (.S)
    #[arg(value_name = "VARIANT|FILE", required_unless_present = "accounting")]
    pub what: Option<String>,
    /// Bernstein and Schwabe's accounting on six processors: from 720 instructions to our kernels, a technique at a time
    #[arg(long, conflicts_with_all = ["what", "processor", "classes"])]
    pub accounting: bool,
    /// Count a variant of this processor, which `aesmith processors` lists
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true)]
    pub processor: Option<String>,
    /// Which classes are shown
    #[arg(long = "as", value_enum, value_name = "CLASSES", default_value = "all")]
    pub classes: CountAs,
    /// Write the accounting as one HTML file, with a waterfall for each processor
    #[arg(long, value_name = "FILE", requires = "accounting", conflicts_with = "what")]
    pub html: Option<PathBuf>,
    /// Write the accounting as Markdown into this file
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
    /// As Bernstein and Schwabe count: loads, stores, and all others as integer
    #[value(name = "b-s")]
    BernsteinSchwabe,
}
