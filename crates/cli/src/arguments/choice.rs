//! Options that several commands share: the choice of code, and its limits.

use super::values;
use crate::quantity::{bytes, count};
use crate::sources::Width;
use aesmith_cipher::Calls;
use aesmith_tune::TechniqueRequest;
use aesmith_tune::front::Objective;
use aesmith_tune::key_life::KeyLife;
use clap::{Args, ValueEnum};

/// A processor other than this machine, and what is sought there.
#[derive(Args, Clone, Debug)]
pub struct Sought {
    /// Make code for this processor, which `aesmith processors` lists, instead of for a CPU
    #[arg(long, value_name = "NAME", value_parser = values::processor(), hide_possible_values = true, conflicts_with_all = ["cpu", "width", "key_life"])]
    pub processor: Option<String>,
    /// What is sought on that processor: cycles, code, ram, or pareto for every kernel that none beats
    #[arg(long, value_parser = values::objective(), hide_possible_values = true, default_value = "cycles", requires = "processor")]
    pub objective: Objective,
    /// Most bytes of code and constants of a kernel, such as 700 or 2k: of flash on a processor by name
    #[arg(long, alias = "max-code", value_parser = bytes, allow_hyphen_values = true, value_name = "BYTES")]
    pub max_flash: Option<u64>,
    /// Most bytes of RAM for tables
    #[arg(long, value_parser = bytes, allow_hyphen_values = true, value_name = "BYTES", requires = "processor")]
    pub max_ram: Option<u64>,
    /// Most bytes of stack
    #[arg(long, value_parser = bytes, allow_hyphen_values = true, value_name = "BYTES", requires = "processor")]
    pub max_stack: Option<u64>,
}

/// Which code may be chosen.
#[derive(Args, Clone, Debug)]
pub struct Choice {
    /// How rounds are computed
    #[arg(long, value_parser = values::technique(), default_value = "auto")]
    pub technique: TechniqueRequest,
    /// Only code whose time does not depend on secrets: this is the default. With --processor by name, no
    /// look-ups at secret addresses either where it has no data cache, unless no chip of its kind has one
    #[arg(long, conflicts_with = "allow_variable_time")]
    pub constant_time: bool,
    /// Also code that looks tables up at secret addresses, which other programs of the machine may be
    /// able to observe; it has _vt in its name
    #[arg(long)]
    pub allow_variable_time: bool,
    /// The CPU to make code for.
    #[arg(long, value_name = "LEVEL", value_delimiter = ',', value_parser = values::cpu(), hide_possible_values = true, help = values::cpu_help())]
    pub cpu: Vec<String>,
    /// Only code with vector registers up to this width [default: the widest that this CPU has]
    #[arg(long, value_enum)]
    pub width: Option<Width>,
    /// Only code with some values of dimensions: keys=0x7fff, interleave=1..8, counter=add,swap, wipe=yes;
    /// `aesmith space` lists them
    #[arg(long, value_name = "NAME=VALUES", value_parser = values::only(), hide_possible_values = true)]
    pub only: Vec<String>,
    /// For how many messages one key is used, which the set-up of a key and of the tables that a kernel
    /// reads is spread over when kernels are compared; 128 are the TLS records of a web page of 2 MiB,
    /// a disk's key lives longer
    #[arg(long, value_name = "N", default_value_t = KeyLife::DEFAULT.0, value_parser = count, allow_hyphen_values = true)]
    pub key_life: u64,
    /// Which calls kernels are chosen for: steady (independent calls, back to back) or cold (one call after 100
    /// microseconds of other work); what is found for one is kept apart from the other
    #[arg(long = "for", value_name = "CALLS", value_parser = values::calls(), hide_possible_values = true, default_value = "steady")]
    pub calls: Calls,
}

/// Compilers that the C form may go through.
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
