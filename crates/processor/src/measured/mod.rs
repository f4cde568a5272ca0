//! Processors whose time is measured on the machine itself, since no table predicts it: they reorder instructions and
//! predict branches. Their kernels are bytes of machine code for a set of features, which the prover over lanes proves.
//!
//! A family provides one [`Measured`]; code that tunes, counts or explains a kernel uses only that record and is
//! independent of the processor.

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

use crate::c::Intrinsics;
use crate::dialect::Dialect;
use crate::processor::Record;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_prove::Prover;
use std::fmt;

/// A kernel, and the longest message that is dispatched to it; `None` without a limit.
pub type Choice<'a> = (Option<u64>, &'a Kernel);

/// See [`Measured::executed`].
pub type Simulate = fn(Problem, &[u8], usize) -> Result<Vec<Executed>, String>;

/// A processor whose time is measured.
pub struct Measured {
    /// Its record, which every stage may know.
    pub record: Record,
    /// The form of its machine code in files.
    pub dialect: &'static Dialect,
    /// Sets of features, and requirements of techniques.
    pub requirements: &'static Requirements,
    /// The machine that the program runs on; a machine without any feature if that is another processor.
    pub here: fn() -> Identity,
    /// Creates a prover of its kernels.
    pub prover: fn() -> Prover,
    /// Builds the kernel of a variant for messages of some lengths: a pure function.
    pub build: fn(&Variant, &Target, Lengths) -> Result<Kernel, Unfit>,
    /// Joins kernels of one problem behind a dispatch by length, each with its longest message, ascending; the last has
    /// no limit.
    pub join: fn(&[Choice<'_>]) -> Result<Joined, Unfit>,
    /// Decodes the instructions of code, in order of address.
    pub lines: fn(&[u8]) -> Vec<Line>,
    /// Simulates one call and counts the executions of each instruction: a call over a number of bytes of each stream,
    /// or a key set-up.
    pub executed: Simulate,
    /// CPUs whose model of time comes with the program.
    pub machines: &'static [KnownMachine],
    /// Environment variables that restrict other libraries to these features, if they read them.
    pub withheld: fn(Features) -> Vec<(&'static str, String)>,
    /// Sorts techniques by the known speed of their starting points for messages of a size.
    pub by_known_speed: fn(Problem, usize, Vec<Technique>) -> Vec<Technique>,
    /// Kernels in C with the intrinsics of its vector registers.
    pub intrinsics: &'static Intrinsics,
}

/// The measured costs of a CPU's instructions, which come with the program: kernels for it can be modelled on any machine.
#[derive(Clone, Copy, Debug)]
pub struct KnownMachine {
    /// Its name.
    pub name: &'static str,
    /// The CPU, and when and how it was measured, in a sentence.
    pub about: &'static str,
    /// The level of its features.
    pub level: &'static str,
    /// A [`MachineModel`] as JSON.
    pub model: &'static str,
}

impl Measured {
    /// True if a machine is such a processor: it has the features that every one of them has.
    pub fn matches(&self, machine: &Identity) -> bool {
        machine.features.has(self.requirements.baseline)
    }

    /// True if the program runs on such a processor.
    pub fn is_here(&self) -> bool {
        self.matches(&(self.here)())
    }
}

impl PartialEq for Measured {
    fn eq(&self, other: &Measured) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Measured {}

impl fmt::Debug for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Measured({})", self.name)
    }
}

/// The identity of the machine that the program runs on: measurements are never mixed across machines that differ in
/// anything but the names of brand and hypervisor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The vendor as the processor spells it: GenuineIntel, AuthenticAMD, ...
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
