//! The command line of `aesmith-bench`, the program for developers.

use super::{Bench, Choice, Completions, Count, Man, Part, Replay, Reproduce, Shared, exit_codes};
use crate::quantity::{Sizes, sizes};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Measures the goals of aesmith, writes its documents, repeats a paper's evaluation, and records spaces.
#[derive(Parser, Debug)]
#[command(name = "aesmith-bench", version, max_term_width = 100, after_help = after_help(), subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    /// The options of every command.
    #[command(flatten)]
    pub shared: Shared,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Measure the goals: target figures, and the figures reached
    #[command(after_help = "Examples:
  aesmith-bench goals --markdown PERFORMANCE.md             this machine: every problem and library, and the goals
  aesmith-bench goals software
  aesmith-bench goals processors --markdown PROCESSORS.md   processors other than this machine
  aesmith-bench goals extensions                            speed-ups by custom instructions there
  aesmith-bench goals gpu --card card.jsonl                 bounds, and what a card was measured to do")]
    Goals(Goals),
    /// Repeat a paper's evaluation on this CPU and test its statements
    #[command(after_help = "Examples:
  aesmith-bench reproduce manley2010
  aesmith-bench reproduce manley2010 --time 30min -o manley2010

manley2010 is Manley, Magrath and Gregg, Code Generation for Hardware Accelerated AES (ASAP 2010). The command writes REPRODUCTION.md, reproduction.html, reproduction.json and progress.jsonl into the folder. After Ctrl-C or the end of the time limit, the same command resumes the work.")]
    Reproduce(Reproduce),
    /// Show Bernstein and Schwabe's accounting on six processors: from 720 instructions to our kernels, technique by
    /// technique
    #[command(after_help = "Examples:
  aesmith-bench accounting
  aesmith-bench accounting --html accounting.html --markdown ACCOUNTING.md")]
    Accounting(Accounting),
    /// Record a space, and compare search strategies on it
    #[command(after_help = include_str!("help/record.txt").trim_end())]
    Replay(Replay),
    /// Print a shell completion script
    #[command(after_help = "Examples:
  aesmith-bench completions bash > ~/.local/share/bash-completion/completions/aesmith-bench")]
    Completions(Completions),
    /// Write the man pages into a directory
    #[command(after_help = "Examples:
  aesmith-bench man ~/.local/share/man/man1")]
    Man(Man),
    /// Does what `aesmith bench` passes on
    #[command(hide = true)]
    Bench(Bench),
    /// Does what `aesmith count --accounting` passes on
    #[command(hide = true)]
    Count(Count),
}

/// `aesmith-bench goals`.
#[derive(Args, Debug)]
pub struct Goals {
    /// Part of the table of goals
    #[arg(value_enum, default_value = "all")]
    pub part: Part,
    /// Message lengths: a list such as 16B,1KiB, or the powers of two in a range such as 16B..1MiB
    #[arg(long, value_parser = sizes)]
    pub sizes: Option<Sizes>,
    /// Also measure one call after 100 microseconds of other work, as in a program with rare messages
    #[arg(long)]
    pub cold: bool,
    /// The kernels that may be chosen.
    #[command(flatten)]
    pub choice: Choice,
    /// Write the tables and a description of the machine into this Markdown file
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// With gpu: also show measurements on a card, from a file that `scripts/card.sh` wrote
    #[arg(long, value_name = "FILE")]
    pub card: Option<PathBuf>,
    /// Overwrite a file that aesmith did not write
    #[arg(long, requires = "markdown")]
    pub force: bool,
}

impl From<Goals> for Bench {
    fn from(goals: Goals) -> Bench {
        let Goals { part, sizes, cold, choice, markdown, card, force } = goals;
        Bench { problem: None, goals: part, processor: None, sizes, cold, choice, markdown, card, force }
    }
}

/// `aesmith-bench accounting`.
#[derive(Args, Debug)]
pub struct Accounting {
    /// Write the accounting into this HTML file, with a waterfall chart for each processor
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the accounting into this Markdown file
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Overwrite files that aesmith did not write
    #[arg(long)]
    pub force: bool,
}

impl From<Count> for Accounting {
    fn from(count: Count) -> Accounting {
        let Count { html, markdown, force, .. } = count;
        Accounting { html, markdown, force }
    }
}

fn after_help() -> String {
    format!(
        "Examples:
  aesmith-bench goals --markdown PERFORMANCE.md   this machine against the goals and other libraries
  aesmith-bench reproduce manley2010              a paper's statements, tested on this CPU

Exit codes:\n{}",
        exit_codes()
    )
}
