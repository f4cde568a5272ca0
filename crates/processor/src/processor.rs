//! The trait of processors, for queries that do not depend on how cycles are determined.

use aesmith_arrange::Table;
use aesmith_cipher::Problem;

use crate::core::Core;
use crate::grid::Grids;
use crate::measured::Measured;

/// The method that determines the cycles of a processor's kernels.
#[derive(Clone, Copy, Debug)]
pub enum Timed {
    /// A table of timing predicts them, and exact judges count them.
    Modelled(&'static Core),
    /// They are measured on the machine that the program runs on.
    Measured(&'static Measured),
    /// A vendor compiler (ptxas) turns the text into machine code; its instruction counts give a static bound.
    Translated(&'static Grids),
}

/// A processor as every stage may know it.
pub trait Processor: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// A description in a sentence.
    fn about(&self) -> &'static str;
    /// The kind of its cycle figures, with their source and known error.
    fn model(&self) -> &'static str;
    /// True if the time of a look-up may depend on its address.
    fn cached(&self) -> bool;
    /// The choices of its kernels.
    fn table(&self) -> &'static Table;
    /// True if it has kernels for a problem.
    fn solves(&self, problem: Problem) -> bool;
    /// The method that determines the cycles of its kernels.
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

    /// The time of a shared-memory access depends on its banks, which a proof distinguishes from addresses.
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
