//! The command line of `aesmith isa`: custom instructions.

use super::values::ProblemParser;
use crate::quantity::time;
use aesmith_cipher::Problem;
use aesmith_extension::verilog::{SboxForm, Unit};
use aesmith_processor::core::Core;
use aesmith_processors::cores;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `aesmith isa`.
#[derive(Subcommand, Debug)]
pub enum Isa {
    /// List the sets of custom instructions that come with aesmith
    #[command(after_help = include_str!("help/isa-list.txt").trim_end())]
    List,
    /// Show what the instructions of an extension compute, and the parts of AES that they can perform
    #[command(after_help = include_str!("help/isa-check.txt").trim_end())]
    Check(Check),
    /// Evaluate an extension on processors: cycles, code size and area
    #[command(after_help = include_str!("help/isa-explore.txt").trim_end())]
    Explore(Explore),
    /// Write an extension's functional unit as Verilog, with a test bench
    #[command(after_help = "Examples:
  aesmith isa verilog my.toml --out unit
  aesmith isa verilog smix3 --sbox circuit --sboxes 1 --wrapper pcpi --out unit")]
    Verilog(Verilog),
}

/// `aesmith isa check`.
#[derive(Args, Debug)]
pub struct Check {
    /// The extension: a file, or the name of a set that comes with aesmith
    #[arg(value_name = "FILE")]
    pub extension: String,
    /// Processors that the extension must fit; `aesmith processors` lists them [default: the processors of
    /// `explore`, of which it may fit only some]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = super::values::base(), hide_possible_values = true)]
    pub base: Vec<String>,
}

/// `aesmith isa explore`.
#[derive(Args, Debug)]
pub struct Explore {
    /// The extension: a file, or the name of a set that comes with aesmith
    #[arg(value_name = "FILE")]
    pub extension: String,
    /// Processors to extend; `aesmith processors` lists them
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = super::values::base(), hide_possible_values = true, default_values_t = bases())]
    pub base: Vec<String>,
    /// Only kernels of this problem [default: encryption, decryption and key schedules of all key sizes]
    #[arg(long, value_parser = ProblemParser, hide_possible_values = true, value_name = "PROBLEM")]
    pub problem: Option<Problem>,
    /// Time limit; kernels found by then are shown and kept [default: until all are found]
    #[arg(long, value_parser = time, allow_hyphen_values = true, value_name = "TIME")]
    pub time: Option<Duration>,
    /// How the unit is built.
    #[command(flatten)]
    pub unit: UnitChoice,
    /// Write the kernels as assembly into this directory, created if necessary
    #[arg(short, long = "out", alias = "output", value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Write the report into this HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Overwrite files that aesmith did not write
    #[arg(long)]
    pub force: bool,
}

/// `aesmith isa verilog`.
#[derive(Args, Debug)]
pub struct Verilog {
    /// The extension: a file, or the name of a set that comes with aesmith
    #[arg(value_name = "FILE")]
    pub extension: String,
    /// How the unit is built.
    #[command(flatten)]
    pub unit: UnitChoice,
    /// Wrappers for a processor's port that are written beside the unit
    #[arg(long, value_enum, default_value = "all")]
    pub wrapper: Wrapper,
    /// Output directory, created if necessary [default: NAME-verilog in the working directory]
    #[arg(short, long = "out", alias = "output", value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Overwrite files in that directory that aesmith did not write
    #[arg(long)]
    pub force: bool,
}

/// How a unit is built.
#[derive(Args, Clone, Copy, Debug)]
pub struct UnitChoice {
    /// Form of the S-boxes [default: the smaller one according to yosys]
    #[arg(long, value_enum, value_name = "FORM")]
    pub sbox: Option<Sbox>,
    /// Maximum number of S-boxes in the unit; an instruction that uses more takes more cycles
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub sboxes: u8,
}

impl UnitChoice {
    /// The unit of these options.
    pub fn unit(self) -> Unit {
        let form = self.sbox.map(|form| match form {
            Sbox::Table => SboxForm::Table,
            Sbox::Circuit => SboxForm::Circuit,
        });
        Unit { form, sboxes: self.sboxes }
    }
}

/// Forms of an S-box in hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sbox {
    /// A table of 256 entries, mapped to gates by synthesis
    Table,
    /// A circuit over composite fields
    Circuit,
}

/// Wrappers of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wrapper {
    /// None
    None,
    /// PicoRV32's co-processor interface
    Pcpi,
    /// VexRiscv's custom function unit
    Cfu,
    /// Every wrapper that supports the instructions
    All,
}

/// The processors for an extension if none is named.
pub fn bases() -> Vec<String> {
    let tried = |core: &&Core| core.port.is_some_and(|port| port.tried);
    cores().filter(tried).map(|core| core.name.to_owned()).collect()
}
