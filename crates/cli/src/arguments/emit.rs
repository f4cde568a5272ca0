//! Options of `aesmith emit`.

use super::values::ProblemParser;
use super::{Choice, Sought};
use crate::failure::Failure;
use crate::quantity::size;
use aesmith_cipher::Problem;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `aesmith emit`.
#[derive(Args, Clone, Debug)]
pub struct Emit {
    /// Problem; several, separated by commas, go into one package
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser, value_delimiter = ',', num_args = 1, required = true, hide_possible_values = true)]
    pub problems: Vec<Problem>,
    /// Form of the code
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub form: Form,
    /// Output directory, created if necessary
    #[arg(short, long, alias = "out", value_name = "DIR")]
    pub output: PathBuf,
    /// Overwrite files in that directory that aesmith did not write
    #[arg(long)]
    pub force: bool,
    /// Another processor, and the objective there.
    #[command(flatten)]
    pub sought: Sought,
    /// With --processor: the problem's key size, or all three key sizes, selected at run time
    #[arg(long, value_enum, default_value = "one", requires = "processor")]
    pub keys: Keys,
    /// With --processor: the problem's direction, or both directions
    #[arg(long, value_enum, default_value = "one", requires = "processor")]
    pub directions: Directions,
    /// With --processor: round keys computed in advance, or on the fly from the cipher key [default: the better
    /// one by the objective]
    #[arg(long, value_enum, requires = "processor")]
    pub schedule: Option<Schedule>,
    /// The kernels that may be chosen.
    #[command(flatten)]
    pub choice: Choice,
    /// Only code that uses no memory below the stack pointer (the red zone), for kernels of operating systems: the
    /// certificates must say so
    #[arg(long)]
    pub no_red_zone: bool,
    /// Only kernels whose proofs a second, small checker accepts
    #[arg(long)]
    pub checked: bool,
    /// Message length that the kernel is optimized for
    #[arg(long, value_parser = size, default_value = "32KiB", conflicts_with_all = ["processor", "variant"])]
    pub size: usize,
    /// File with variants instead of the best known (- is standard input): their text forms, or the
    /// README or header of a package, which is then generated again
    #[arg(long, value_name = "FILE")]
    pub variant: Option<PathBuf>,
    /// Prefix of names and files instead of aesmith
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub prefix: Option<String>,
    /// Language of the kernel in a package; the proof covers the bytes of assembly only
    #[arg(long, value_enum, default_value = "asm", conflicts_with = "processor")]
    pub source: Source,
    /// C for any processor, without intrinsics; techniques bitsliced, table and bytewise only
    #[arg(long, conflicts_with = "processor")]
    pub portable: bool,
}

impl Emit {
    /// The problem, or the first of several.
    pub fn problem(&self) -> Problem {
        self.problems[0]
    }

    /// Refuses several problems for a GPU, whose packages have one.
    pub fn one(&self, processor: &str) -> Result<(), Failure> {
        match &self.problems[..] {
            [_] => Ok(()),
            _ => Err(Failure::Usage(format!(
                "a package for {processor} is of one problem: emit them one by one"
            ))),
        }
    }
}

/// Key sizes of a package for firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keys {
    /// The problem's key size
    One,
    /// All three key sizes, selected at run time
    All,
}

/// Directions of a package for firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Directions {
    /// The problem's direction
    One,
    /// Encryption and decryption
    Both,
}

/// Times at which round keys are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Schedule {
    /// In advance, by the key schedule
    Before,
    /// At each call, from the cipher key
    Fly,
}

/// Languages of the kernel in a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Source {
    /// GNU assembly
    Asm,
    /// C99 with intrinsics
    C,
}

/// Forms of emitted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// GNU assembly, with its certificate
    Asm,
    /// C99 with intrinsics
    C,
    /// Assembly or C with header, self-test, Makefile, pkg-config and certificates
    Package,
    /// PTX text of a GPU kernel, with its certificate
    Ptx,
    /// OpenCL C of a GPU kernel, with the proved PTX text, its certificate, host code, a self-test, Makefile and CMakeLists.txt
    Opencl,
    /// PTX text of a GPU kernel, with its certificate, host code for CUDA, a self-test, Makefile and CMakeLists.txt
    Cuda,
}

impl Form {
    /// True if only processors that execute grids have kernels in this form.
    pub fn is_of_grids(self) -> bool {
        matches!(self, Form::Ptx | Form::Opencl | Form::Cuda)
    }
}
