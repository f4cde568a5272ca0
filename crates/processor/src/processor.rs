//! The trait of processors: queries that do not depend on how cycles are found, and optional parts, of which a processor
//! has one or several.

use aesmith_arrange::Table;
use aesmith_cipher::Problem;

use crate::core::Core;
use crate::grid::Grids;
use crate::measured::Measured;

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
    /// Its part with a table of timing and exact judges, if it has one: cycles are predicted, and counted by judges.
    fn core(&'static self) -> Option<&'static Core> {
        None
    }
    /// Its part with a host, if it has one: kernels run, and are measured, on the machine that the program runs on.
    fn measured(&'static self) -> Option<&'static Measured> {
        None
    }
    /// Its part with a translator, if it has one: a vendor compiler (ptxas) turns text into machine code, whose
    /// instruction counts bound the time.
    fn grids(&'static self) -> Option<&'static Grids> {
        None
    }
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

    fn core(&'static self) -> Option<&'static Core> {
        Some(self)
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

    fn measured(&'static self) -> Option<&'static Measured> {
        Some(self)
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

    fn grids(&'static self) -> Option<&'static Grids> {
        Some(self)
    }
}
