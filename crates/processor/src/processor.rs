//! The trait of processors: what a command or a stage asks before it asks how cycles are found.

use aesmith_arrange::Table;
use aesmith_cipher::Problem;

use crate::core::Core;
use crate::grid::Grids;
use crate::measured::Measured;

/// How the cycles of a processor's kernels are found.
#[derive(Clone, Copy, Debug)]
pub enum Timed {
    /// A table of timing predicts them, and exact judges count them.
    Modelled(&'static Core),
    /// They are measured where the program runs.
    Measured(&'static Measured),
    /// Others' translator makes machine code of their text, and instructions of that bound them.
    Translated(&'static Grids),
}

/// What every stage may know of a processor.
pub trait Processor: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// What it is, in a sentence.
    fn about(&self) -> &'static str;
    /// What kind of figures its cycles are, with their source and known error.
    fn model(&self) -> &'static str;
    /// Whether the time of a look-up may depend on its address.
    fn cached(&self) -> bool;
    /// The choices of its kernels.
    fn table(&self) -> &'static Table;
    /// Whether it has kernels for a problem.
    fn solves(&self, problem: Problem) -> bool;
    /// How cycles of its kernels are found.
    fn timed(&'static self) -> Timed;
}

impl Processor for Core {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn model(&self) -> &'static str {
        self.model_about
    }

    fn cached(&self) -> bool {
        self.cached
    }

    fn table(&self) -> &'static Table {
        self.table
    }

    fn solves(&self, problem: Problem) -> bool {
        (self.solves)(problem)
    }

    fn timed(&'static self) -> Timed {
        Timed::Modelled(self)
    }
}

impl Processor for Measured {
    fn name(&self) -> &'static str {
        self.dialect.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn model(&self) -> &'static str {
        self.model_about
    }

    /// Processors that reorder instructions have data caches.
    fn cached(&self) -> bool {
        true
    }

    fn table(&self) -> &'static Table {
        self.table
    }

    fn solves(&self, _: Problem) -> bool {
        true
    }

    fn timed(&'static self) -> Timed {
        Timed::Measured(self)
    }
}

impl Processor for Grids {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn model(&self) -> &'static str {
        self.model_about
    }

    /// Shared memory takes its time by banks, which a proof tells apart from addresses.
    fn cached(&self) -> bool {
        true
    }

    fn table(&self) -> &'static Table {
        self.table
    }

    fn solves(&self, problem: Problem) -> bool {
        (self.solves)(problem)
    }

    fn timed(&'static self) -> Timed {
        Timed::Translated(self)
    }
}
