//! Processors: a record with the facts that do not depend on how cycles are found, and optional parts, of which a processor
//! has one or several.

use aesmith_arrange::Table;
use aesmith_cipher::Problem;

use crate::core::Core;
use crate::grid::Grids;
use crate::measured::Measured;

/// The facts of a processor that every stage may know.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Its name on the command line.
    pub name: &'static str,
    /// A description in a sentence.
    pub about: &'static str,
    /// The kind of its cycle figures, with their source and known error compared with its judge.
    pub model_about: &'static str,
    /// True if the time of a look-up may depend on its address: a data cache, or memory of uneven latency.
    pub cached: bool,
    /// The choices of its kernels.
    pub table: &'static Table,
    /// True if it has kernels for a problem.
    pub solves: fn(Problem) -> bool,
}

/// A processor as every stage may know it.
pub trait Processor: Sync {
    /// Its record.
    fn record(&self) -> &Record;
    /// Its name on the command line.
    fn name(&self) -> &'static str {
        self.record().name
    }
    /// The choices of its kernels.
    fn table(&self) -> &'static Table {
        self.record().table
    }
    /// True if it has kernels for a problem.
    fn solves(&self, problem: Problem) -> bool {
        (self.record().solves)(problem)
    }
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
    fn record(&self) -> &Record {
        &self.record
    }

    fn core(&'static self) -> Option<&'static Core> {
        Some(self)
    }
}

impl Processor for Measured {
    fn record(&self) -> &Record {
        &self.record
    }

    fn measured(&'static self) -> Option<&'static Measured> {
        Some(self)
    }
}

impl Processor for Grids {
    fn record(&self) -> &Record {
        &self.record
    }

    fn grids(&'static self) -> Option<&'static Grids> {
        Some(self)
    }
}
