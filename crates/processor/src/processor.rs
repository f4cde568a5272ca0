//! Processors: a record with the facts that do not depend on how cycles are found, and optional parts, of which a processor
//! has one or several.

use aesmith_arrange::Table;
use aesmith_cipher::Problem;
use std::ops::Deref;

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
    /// Its name in proofs, if the checker of proofs knows its instructions.
    pub checked: Option<&'static str>,
    /// The choices of its kernels.
    pub table: &'static Table,
    /// True if it has kernels for a problem.
    pub solves: fn(Problem) -> bool,
    /// Known-good variants, which searches try first, in the form of [`crate::starts`]; empty if none is known.
    pub starts: &'static str,
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

/// A part: it holds the record, whose fields are read as its own.
macro_rules! part {
    ($part:ident, $method:ident) => {
        impl Deref for $part {
            type Target = Record;

            fn deref(&self) -> &Record {
                &self.record
            }
        }

        impl Processor for $part {
            fn record(&self) -> &Record {
                &self.record
            }

            fn $method(&'static self) -> Option<&'static $part> {
                Some(self)
            }
        }
    };
}

part!(Core, core);
part!(Measured, measured);
part!(Grids, grids);
