//! Options of `aesmith emit`.

use super::values::ProblemParser;
use super::{Choice, Sought};
use crate::failure::Failure;
use crate::quantity::size;
use aesmith_cipher::Problem;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `aesmith emit`.
#[derive(Args, Debug)]
pub struct Emit {
    /// The problem; several, separated by commas, go into one package
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser, value_delimiter = ',', num_args = 1, required = true, hide_possible_values = true)]
    pub problems: Vec<Problem>,
    /// Which form
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub form: Form,
    /// The directory to write into, which is made if it is not there
    #[arg(short, long, alias = "out", value_name = "DIR")]
    pub output: PathBuf,
    /// Overwrite files in that directory that aesmith did not write
    #[arg(long)]
    pub force: bool,
    /// For a processor other than this machine, and what is sought there.
    #[command(flatten)]
    pub sought: Sought,
    /// With --processor: the problem's key size, or all three, chosen at run time
    #[arg(long, value_enum, default_value = "one", requires = "processor")]
    pub keys: Keys,
    /// With --processor: the problem's direction, or both
    #[arg(long, value_enum, default_value = "one", requires = "processor")]
    pub directions: Directions,
    /// With --processor: round keys made before, or on the fly from the cipher key [default: whichever
    /// is better by the objective]
    #[arg(long, value_enum, requires = "processor")]
    pub schedule: Option<Schedule>,
    /// Which code may be chosen.
    #[command(flatten)]
    pub choice: Choice,
    /// Length of the messages that the kernel is for
    #[arg(long, value_parser = size, default_value = "32KiB", conflicts_with_all = ["processor", "variant"])]
    pub size: usize,
    /// Variants in a file (- is standard input), instead of the best known: their text forms, or the
    /// README or header of a package, which is made again
    #[arg(long, value_name = "FILE")]
    pub variant: Option<PathBuf>,
    /// What names and files begin with, instead of aesmith
    #[arg(long, value_name = "NAME")]
    pub prefix: Option<String>,
    /// What the kernel in a package is written in; only assembly is proved to the byte
    #[arg(long, value_enum, default_value = "asm", conflicts_with = "processor")]
    pub source: Source,
    /// C for any processor, without intrinsics: of techniques bitsliced, table and bytewise
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
    /// That of the problem
    One,
    /// All three, chosen at run time
    All,
}

/// Directions of a package for firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Directions {
    /// That of the problem
    One,
    /// Encryption and decryption
    Both,
}

/// When round keys are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Schedule {
    /// Before, by the key schedule
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
    /// The text of a kernel for GPUs, with its certificate
    Ptx,
    /// The same in OpenCL C, with the text that is proved, its certificate, host code, a self-test, Makefile and CMakeLists.txt
    Opencl,
    /// The same with host code for CUDA, a self-test, Makefile and CMakeLists.txt
    Cuda,
}

impl Form {
    /// True if only processors that execute grids have kernels in this form.
    pub fn is_of_grids(self) -> bool {
        matches!(self, Form::Ptx | Form::Opencl | Form::Cuda)
    }
}
