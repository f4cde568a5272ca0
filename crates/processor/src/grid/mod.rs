//! Processors that execute grids of threads: their description, kernels, an interpreter, and certificates. Their
//! kernels are text. A vendor compiler (ptxas) turns the text into machine code, whose instructions bound a kernel's
//! throughput: a static bound. If this machine has a GPU (`card`), kernels are measured on it.

pub mod card;
pub mod certificate;
pub mod launch;
pub mod machine;
mod memory;
pub mod occupancy;
pub mod reach;

use std::fmt;
use std::ops::Deref;

use aesmith_arrange::Variant;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::Isa;
use aesmith_isa::grid::{GridProgram, Launch};
use aesmith_judge::judge::Instrument;
use serde::{Deserialize, Serialize};

use crate::core::Shared;
use crate::processor::Record;
use machine::Call;
use occupancy::Room;

/// See [`Grids::build`].
pub type Build = dyn Fn(&Variant) -> Result<GridKernel, String> + Sync;

/// A processor that executes grids.
pub struct Grids {
    /// Its record, which every stage may know.
    pub record: Record,
    /// Its instruction table.
    pub isa: Shared<dyn Fn() -> &'static Isa + Sync>,
    /// Values that a launch sets.
    pub launch: &'static Launch,
    /// Builds the kernel of a variant: a pure function.
    pub build: Shared<Build>,
    /// The name of the language, which is also the extension of its files.
    pub language: &'static str,
    /// The start of a comment line.
    pub comment: &'static str,
    /// Prints a program as text.
    pub print: fn(&GridProgram) -> String,
    /// Parses a text to a program.
    pub read: fn(&str) -> Result<GridProgram, String>,
    /// The compiler that makes machine code of the text.
    pub translator: Shared<dyn Translator>,
    /// Finds the GPUs of this machine.
    pub cards: Shared<dyn card::Cards>,
    /// Other languages in which its kernels can be emitted.
    pub others: &'static [Language],
    /// Names of the choices that a landscape of bounds is plotted over, if its kernels differ in them; the first is the
    /// horizontal axis.
    pub landscape: &'static [&'static str],
    /// Names of the choices that static bounds do not distinguish: among kernels that differ only in these, the first
    /// is counted, unless others are requested. On a GPU all of the best are measured.
    pub on_card: &'static [&'static str],
}

/// Another language, in which a proved kernel is re-emitted.
pub struct Language {
    /// Its name on the command line.
    pub name: &'static str,
    /// Extension of its files.
    pub ending: &'static str,
    /// A description for users.
    pub about: &'static str,
    /// Prints a program in it; the error says which part of the program the language cannot express.
    pub print: fn(&GridProgram) -> Result<String, String>,
    /// Resources of a block of threads that most of its devices offer.
    pub gives: Gives,
    /// The programs that execute it.
    pub executors: &'static [&'static (dyn Executor + Sync)],
}

impl Deref for Grids {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.record
    }
}

impl fmt::Debug for Grids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grids({})", self.name)
    }
}

/// Maximum resources of a block of threads on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gives {
    /// Bytes of shared memory.
    pub memory: u32,
    /// Threads.
    pub threads: u32,
}

impl Gives {
    /// No limits.
    pub const ANYTHING: Gives = Gives { memory: u32::MAX, threads: u32::MAX };

    /// True if that is enough for a program.
    pub fn is_enough(self, program: &GridProgram) -> bool {
        program.shared <= self.memory && program.threads <= self.threads
    }
}

/// The program of a variant.
#[derive(Clone, Debug)]
pub struct GridKernel {
    /// The variant that it was built from.
    pub variant: Variant,
    /// Its contract: round keys in their memory layout, any number of blocks.
    pub contract: Firmware,
    /// The program.
    pub program: GridProgram,
    /// Work of an iteration, for each kind of threads with its own loop, in the order of these loops in the program.
    pub turns: Vec<Turn>,
}

/// Work of a thread in an iteration of its loop. With several kinds of threads, the numbers of iterations are those
/// that the kinds make in the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// Blocks of text, or keys that are expanded.
    pub blocks: u32,
    /// Number of iterations of a loop within it.
    pub inner: u32,
    /// Bytes of the result for each block of text, or for each key.
    pub bytes: u32,
    /// Number of these iterations that are counted together with those of other kinds of threads, by their shares of
    /// the text; 1 if all threads are alike.
    pub times: u32,
    /// True if it uses a table in shared memory.
    pub looks_up: bool,
}

impl GridKernel {
    /// For several streams, the form in which each has its key; kernels for other forms, or for one key, are different
    /// functions.
    pub fn key_of_a_stream(&self) -> Option<Packing> {
        self.program.has_streams().then_some(self.contract.packing)
    }

    /// True if threads of a block are of several kinds.
    pub fn is_mixed(&self) -> bool {
        self.turns.len() > 1
    }
}

/// A target architecture of the compiler, with the throughput of a multiprocessor, in threads per clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Architecture {
    /// Its name.
    pub name: &'static str,
    /// Words of shared memory.
    pub shared: u32,
    /// Logic, shifts, byte permutations and additions.
    pub logic: u32,
    /// Multiplications, and the other operations of that unit.
    pub product: u32,
    /// Instructions of any kind.
    pub issued: u32,
    /// Maximum bytes of shared memory that a launch can give a block.
    pub memory: u32,
    /// Bytes of code that the instruction cache of a multiprocessor holds.
    pub code: u32,
    /// Bytes of an instruction.
    pub instruction: u32,
    /// Resources of a multiprocessor.
    pub room: Room,
    /// A device with this architecture.
    pub device: Device,
}

/// A device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Device {
    /// Its name.
    pub name: &'static str,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
}

/// Instruction counts of an iteration of a kernel's loop, in an architecture's machine code, by executing unit. With
/// several kinds of threads, they count the iterations of each in the same time ([`Turn::times`]).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Counted {
    /// The architecture.
    pub architecture: String,
    /// Registers per thread.
    pub registers: u32,
    /// Spilled bytes, stores and loads together.
    pub spilled: u32,
    /// Blocks of text per iteration.
    pub blocks: u32,
    /// Accesses of shared memory.
    pub shared: u32,
    /// Logic, shifts, byte permutations and additions.
    pub logic: u32,
    /// Multiplications, and the other operations of that unit.
    pub product: u32,
    /// All instructions.
    pub issued: u32,
    /// Bytes of an iteration's code, with an inner loop counted once; for all kinds of threads together.
    #[serde(default)]
    pub code: u32,
    /// Instruction counts of an iteration of each kind of threads, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Executed>,
    /// Minimum clocks of a multiprocessor for a block of text.
    pub clocks: f64,
    /// Maximum bits of output per clock of a multiprocessor.
    pub bits: f64,
    /// The unit that gives the bound.
    pub limit: String,
}

/// Instruction counts of an iteration of one kind of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Executed {
    /// Blocks of text.
    pub blocks: u32,
    /// See [`Counted::shared`].
    pub shared: u32,
    /// See [`Counted::logic`].
    pub logic: u32,
    /// See [`Counted::product`].
    pub product: u32,
    /// All instructions.
    pub issued: u32,
}

/// A unit of a multiprocessor, and its use by a block of text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unit {
    /// Its name.
    pub name: &'static str,
    /// Number of instructions per thread.
    pub instructions: f64,
    /// Number of threads for which it executes an instruction per clock.
    pub rate: u32,
    /// Clocks.
    pub clocks: f64,
}

impl Executed {
    /// The use of each unit by a block of text.
    pub fn units(&self, architecture: &Architecture) -> [Unit; 4] {
        let unit = |name, count: u32, rate: u32| {
            let instructions = f64::from(count) / f64::from(self.blocks.max(1));
            Unit { name, instructions, rate, clocks: instructions / f64::from(rate) }
        };
        [
            unit("shared memory", self.shared, architecture.shared),
            unit("logic", self.logic, architecture.logic),
            unit("products", self.product, architecture.product),
            unit("issue", self.issued, architecture.issued),
        ]
    }
}

impl Counted {
    /// The sum over kinds of threads of their iterations' instruction counts, each times [`Turn::times`], in an
    /// architecture's machine code.
    pub fn of(architecture: &str, turns: &[Turn], executed: &[Executed]) -> Counted {
        let sum = |of: &dyn Fn(&Executed) -> u32| -> u32 {
            turns.iter().zip(executed).map(|(turn, executed)| turn.times * of(executed)).sum()
        };
        Counted {
            architecture: architecture.to_owned(),
            registers: 0,
            spilled: 0,
            blocks: sum(&|of| of.blocks),
            shared: sum(&|of| of.shared),
            logic: sum(&|of| of.logic),
            product: sum(&|of| of.product),
            issued: sum(&|of| of.issued),
            code: 0,
            kinds: if executed.len() > 1 { executed.to_vec() } else { Vec::new() },
            clocks: 0.0,
            bits: 0.0,
            limit: String::new(),
        }
    }

    /// Instruction counts of an iteration of each kind of threads.
    pub fn kinds(&self) -> Vec<Executed> {
        let Counted { blocks, shared, logic, product, issued, .. } = *self;
        match self.kinds.is_empty() {
            true => vec![Executed { blocks, shared, logic, product, issued }],
            false => self.kinds.clone(),
        }
    }

    /// The use of each unit by a block of text.
    pub fn units(&self, architecture: &Architecture) -> [Unit; 4] {
        let Counted { blocks, shared, logic, product, issued, .. } = *self;
        Executed { blocks, shared, logic, product, issued }.units(architecture)
    }

    /// The bound of these counts, if each block of text yields `bytes` bytes.
    #[must_use]
    pub fn bounded(mut self, architecture: &Architecture, bytes: u32) -> Counted {
        let units = self.units(architecture).map(|unit| (unit.name, unit.clocks));
        let (limit, most) = units.into_iter().fold(("", 0.0), |a, b| if b.1 > a.1 { b } else { a });
        (self.limit, self.clocks) = (limit.to_owned(), most);
        self.bits = if most > 0.0 { f64::from(8 * bytes) / most } else { 0.0 };
        self
    }
}

/// A program that executes kernels in another language.
pub trait Executor: Instrument {
    /// Maximum bytes of memory that a block's threads can share, and maximum number of threads in a block.
    fn limits(&self) -> (u64, u64);

    /// The result of a call.
    ///
    /// # Errors
    /// It is not available, or rejects the text or its behaviour.
    fn run(&self, text: &str, program: &GridProgram, call: &Call) -> Result<Vec<u8>, String>;
}

/// A compiler that makes machine code of text.
pub trait Translator: Instrument + Sync {
    /// The target architectures; kernels are compared by the last.
    fn architectures(&self) -> &'static [Architecture];

    /// Compiles a text and counts the instructions of iterations, of one or more per kind of threads.
    ///
    /// # Errors
    /// It is not available, or rejects the text.
    fn count(&self, text: &str, architecture: &Architecture, turns: &[Turn]) -> Result<Counted, String>;
}
