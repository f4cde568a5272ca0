//! Options of `aesmith wisdom`.

use super::values::ProblemParser;
use crate::quantity::size;
use aesmith_cipher::Problem;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `aesmith wisdom`.
#[derive(Subcommand, Debug)]
pub enum Wisdom {
    /// The best confirmed of each problem and size, and the runs, the last first
    List {
        /// What to list
        #[command(flatten)]
        chosen: Chosen,
        /// Only so many runs and bests, the last ones [default: all]
        #[arg(short = 'n', long = "last", value_name = "N", value_parser = crate::quantity::count, allow_hyphen_values = true)]
        last: Option<u64>,
    },
    /// The best confirmed of a problem, whole: variant, costs, certificate
    Show {
        /// The problem
        #[arg(value_parser = ProblemParser, hide_possible_values = true)]
        problem: Problem,
        /// Length of the messages [default: all]
        #[arg(long, value_parser = size)]
        size: Option<usize>,
    },
    /// Write wisdom as lines of JSON, to carry it, or its samples as one table
    Export {
        /// What to export
        #[command(flatten)]
        chosen: Chosen,
        /// All that there is, which `import` reads, or the samples alone, a row each
        #[arg(long, value_enum, default_value = "all")]
        kind: Kind,
        /// Lines of JSON, or comma-separated values with headings (of --kind samples)
        #[arg(long = "as", value_enum, default_value = "json", value_name = "FORM")]
        form: Form,
        /// The file [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite a file that aesmith did not write
        #[arg(long, requires = "output")]
        force: bool,
    },
    /// Read an export, all of it or nothing
    Import {
        /// The file; - is standard input
        file: PathBuf,
    },
    /// Forget runs with their samples and bests
    Forget {
        /// What to forget
        #[command(flatten)]
        chosen: Chosen,
        /// Forget everything, of all problems
        #[arg(long, conflicts_with = "problem")]
        all: bool,
        /// Do it without asking
        #[arg(long, short)]
        yes: bool,
    },
}

/// What an export has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Processors, runs, samples and bests
    All,
    /// Samples, a row each, with what their runs were for
    Samples,
}

/// How an export is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// An object a line
    Json,
    /// Comma-separated values
    Csv,
}

/// Which part of wisdom.
#[derive(Args, Debug)]
pub struct Chosen {
    /// Only of this problem
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Option<Problem>,
    /// Only of this message length
    #[arg(long, value_parser = size)]
    pub size: Option<usize>,
}
