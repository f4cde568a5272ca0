//! Options of `aesmith wisdom`.

use super::values::ProblemParser;
use crate::quantity::size;
use aesmith_cipher::Problem;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `aesmith wisdom`.
#[derive(Subcommand, Debug)]
pub enum Wisdom {
    /// List the best confirmed kernel of each problem and size, and the runs, newest first
    List {
        /// The part to list
        #[command(flatten)]
        chosen: Chosen,
        /// Show only the N newest runs and best kernels [default: all]
        #[arg(short = 'n', long = "last", value_name = "N", value_parser = crate::quantity::count, allow_hyphen_values = true)]
        last: Option<u64>,
    },
    /// Show the best confirmed kernel of a problem: variant, costs, certificate
    Show {
        /// Problem
        #[arg(value_parser = ProblemParser, hide_possible_values = true)]
        problem: Problem,
        /// Message length [default: all]
        #[arg(long, value_parser = size)]
        size: Option<usize>,
    },
    /// Export wisdom as JSON lines for `import`, or its samples as one table
    Export {
        /// The part to export
        #[command(flatten)]
        chosen: Chosen,
        /// Records to export
        #[arg(long, value_enum, default_value = "all")]
        kind: Kind,
        /// JSON lines, or comma-separated values with headings (with --kind samples)
        #[arg(long = "as", value_enum, default_value = "json", value_name = "FORM")]
        form: Form,
        /// Output file [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite a file that aesmith did not write
        #[arg(long, requires = "output")]
        force: bool,
    },
    /// Import an export completely, or nothing on an error
    Import {
        /// File; - is standard input
        file: PathBuf,
    },
    /// Delete runs with their samples and best kernels
    Forget {
        /// The part to delete
        #[command(flatten)]
        chosen: Chosen,
        /// Delete everything, of all problems
        #[arg(long, conflicts_with = "problem")]
        all: bool,
        /// Do not ask for confirmation
        #[arg(long, short)]
        yes: bool,
    },
}

/// Records of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Processors, runs, samples and best kernels, for `import`
    All,
    /// One row per sample, with the purpose of its run
    Samples,
}

/// Formats of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// One object per line
    Json,
    /// Comma-separated values
    Csv,
}

/// A part of wisdom.
#[derive(Args, Debug)]
pub struct Chosen {
    /// Only of this problem
    #[arg(value_parser = ProblemParser, hide_possible_values = true)]
    pub problem: Option<Problem>,
    /// Only of this message length
    #[arg(long, value_parser = size)]
    pub size: Option<usize>,
}
