//! Options that several commands share: the choice of kernels, and its limits.

use super::values;
use crate::quantity::{bytes, count};
use crate::sources::Width;
use aesmith_cipher::Calls;
use aesmith_tune::TechniqueRequest;
use aesmith_tune::front::Objective;
use aesmith_tune::key_life::KeyLife;
use clap::{Args, ValueEnum};

/// Another processor, the objective there, and limits of memory.
#[derive(Args, Clone, Debug)]
pub struct Sought {
    /// Processor to generate code for instead of this machine's CPU; `aesmith processors` lists them
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["cpu", "width", "key_life"])]
    pub processor: Option<String>,
    /// Objective on that processor: fewest cycles, smallest code, least ram, or pareto for the whole Pareto front
    #[arg(long, value_parser = values::objective(), hide_possible_values = true, default_value = "cycles", requires = "processor")]
    pub objective: Objective,
    /// Maximum bytes of code and constants, such as 700 or 2k: of the kernel, and with `emit` of the whole package. On
    /// another processor, bytes of flash
    #[arg(long, alias = "max-code", value_parser = bytes, allow_hyphen_values = true, value_name = "BYTES")]
    pub max_flash: Option<u64>,
    /// Maximum bytes of RAM for tables
    #[arg(long, value_parser = bytes, allow_hyphen_values = true, value_name = "BYTES", requires = "processor")]
    pub max_ram: Option<u64>,
    /// Maximum bytes of stack
    #[arg(long, value_parser = bytes, allow_hyphen_values = true, value_name = "BYTES", requires = "processor")]
    pub max_stack: Option<u64>,
}

/// The kernels that may be chosen.
#[derive(Args, Clone, Debug)]
pub struct Choice {
    /// Technique that computes the rounds
    #[arg(long, value_parser = values::technique(), default_value = "auto")]
    pub technique: TechniqueRequest,
    /// Only code whose time does not depend on secrets (the default). For another processor, this option also
    /// excludes look-ups at secret addresses if the processor has no data cache, unless no chip of its kind has one
    #[arg(long, conflicts_with = "allow_variable_time")]
    pub constant_time: bool,
    /// Also allow code that reads tables at secret addresses, which other programs on the machine may
    /// observe; the names of such functions contain _vt
    #[arg(long)]
    pub allow_variable_time: bool,
    /// The CPU to generate code for.
    #[arg(long, value_name = "LEVEL", value_delimiter = ',', value_parser = values::cpu(), hide_possible_values = true, help = values::cpu_help())]
    pub cpu: Vec<String>,
    /// Maximum width of vector registers [default: the widest of this CPU]
    #[arg(long, value_enum)]
    pub width: Option<Width>,
    /// Restrict a dimension to some values, such as keys=0x7fff, interleave=1..8, counter=add,swap or wipe=yes;
    /// repeatable; `aesmith space` lists the dimensions
    #[arg(long, value_name = "NAME=VALUES", value_parser = values::only(), hide_possible_values = true)]
    pub only: Vec<String>,
    /// Number of messages per key; comparisons of kernels spread the set-up of the key and of its tables over
    /// them. 128 is the number of TLS records of a 2 MiB web page; a disk key is used longer
    #[arg(long, value_name = "N", default_value_t = KeyLife::DEFAULT.0, value_parser = count, allow_hyphen_values = true)]
    pub key_life: u64,
    /// Calls to optimize for: steady (independent calls, back to back) or cold (one call after 100
    /// microseconds of other work); wisdom keeps the results of both apart
    #[arg(long = "for", value_name = "CALLS", value_parser = values::calls(), hide_possible_values = true, default_value = "steady")]
    pub calls: Calls,
}

/// Compilers of the C form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Via {
    /// GNU C
    Gcc,
    /// Clang
    Clang,
}

impl Via {
    /// The compiler's usual name.
    pub fn name(self) -> &'static str {
        match self {
            Via::Gcc => "gcc",
            Via::Clang => "clang",
        }
    }
}
