//! Processors whose time is measured where they run, since no table predicts it: they reorder instructions, and
//! guess. Their kernels are bytes of machine code made for a set of features, which the prover over lanes proves.
//!
//! A family gives one [`Measured`]; whoever tunes, counts or explains a kernel asks that record and knows no
//! processor.

mod calibration;
mod class;
mod features;
mod kernel;
mod lengths;
mod line;
mod model;
mod target;

pub use class::{TimingClass, Vectors};
pub use features::{Features, Level, Needs, Requirements, Width};
pub use kernel::{Joined, Kernel, Unfit};
pub use lengths::Lengths;
pub use line::{Executed, Line, Register};
pub use model::{Bound, Counts, Kind, MachineModel, Timing, UnitGroup};
pub use target::Target;

use crate::dialect::Dialect;
use aesmith_arrange::{Table, Variant};
use aesmith_cipher::Problem;
use aesmith_prove::Prover;
use std::fmt;

/// A kernel, and the longest message that it is chosen for; none where there is no limit.
pub type Choice<'a> = (Option<u64>, &'a Kernel);

/// See [`Measured::executed`].
pub type Simulate = fn(Problem, &[u8], usize) -> Result<Vec<Executed>, String>;

/// A processor whose time is measured.
pub struct Measured {
    /// How its machine code stands in files, and what it is called.
    pub dialect: &'static Dialect,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// What its cycles are, in a sentence.
    pub model_about: &'static str,
    /// The choices of its kernels.
    pub table: &'static Table,
    /// Sets of features, and what techniques need of them.
    pub requirements: &'static Requirements,
    /// The machine that the program runs on; a machine without any feature where that is another processor.
    pub here: fn() -> Identity,
    /// A prover of its kernels.
    pub prover: fn() -> Prover,
    /// The kernel of a variant for messages of some lengths: a pure function.
    pub build: fn(&Variant, &Target, Lengths) -> Result<Kernel, Unfit>,
    /// Kernels of one problem behind a choice by length, each with the longest message that it is meant for,
    /// ascending; the last has no limit.
    pub join: fn(&[Choice<'_>]) -> Result<Joined, Unfit>,
    /// The instructions of code, one after another.
    pub lines: fn(&[u8]) -> Vec<Line>,
    /// Each instruction that one call executes, simulated, and how often: a call over so many bytes of each
    /// stream, or a key set-up.
    pub executed: Simulate,
    /// The variables of a process in which libraries of others that read them use no more than these features.
    pub withheld: fn(Features) -> Vec<(&'static str, String)>,
}

impl PartialEq for Measured {
    fn eq(&self, other: &Measured) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Measured {}

impl fmt::Debug for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Measured({})", self.dialect.name)
    }
}

/// Which machine the program runs on: measurements are never mixed across two that differ in anything but the names
/// of brand and hypervisor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// As the processor spells it: GenuineIntel, AuthenticAMD, ...
    pub vendor: String,
    /// Family, extended family added.
    pub family: u8,
    /// Model, extended model included.
    pub model: u8,
    /// Stepping.
    pub stepping: u8,
    /// Features that programs can use.
    pub features: Features,
    /// The vendor's name of the model.
    pub brand: String,
    /// The hypervisor's signature; none on bare metal.
    pub hypervisor: Option<String>,
}
