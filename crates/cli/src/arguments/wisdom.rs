//! Options of `aesmith wisdom`.

use super::values::ProblemParser;
use crate::quantity::size;
use aesmith_cipher::Problem;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `aesmith wisdom`.
#[derive(Subcommand, Debug)]
pub enum Wisdom {
    /// The best confirmed of each problem and size, and the runs
    List(Chosen),
    /// The best confirmed of a problem, whole: variant, costs, certificate
    Show {
        /// The problem
        #[arg(value_parser = ProblemParser, hide_possible_values = true)]
        problem: Problem,
        /// Length of the messages [default: all]
        #[arg(long, value_parser = size)]
        size: Option<usize>,
    },
    /// Write wisdom as lines of JSON, to carry it
    Export {
        /// What to export
        #[command(flatten)]
        chosen: Chosen,
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
