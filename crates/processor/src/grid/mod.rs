//! Processors that execute grids of threads: what is said of one, what its kernels are, an interpreter of them, and
//! certificates. Their kernels are text. A translator of the maker's turns it into machine code, whose instructions bound
//! a kernel's throughput: a static bound. Where a card is in this machine (`card`), kernels are measured on it.

pub mod card;
pub mod certificate;
pub mod launch;
pub mod machine;
mod memory;
pub mod occupancy;
pub mod reach;

use std::fmt;

use aesmith_arrange::{Table, Variant};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::Isa;
use aesmith_isa::grid::{GridProgram, Launch};
use aesmith_judge::judge::Judge;
use serde::{Deserialize, Serialize};

use crate::core::Shared;
use machine::Call;
use occupancy::Room;

/// See [`Grids::build`].
pub type Build = dyn Fn(&Variant) -> Result<GridKernel, String> + Sync;

/// A processor that executes grids.
pub struct Grids {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// What kind of figure its bounds are, with their source.
    pub model_about: &'static str,
    /// Its instruction table.
    pub isa: Shared<dyn Fn() -> &'static Isa + Sync>,
    /// What a launch sets.
    pub launch: &'static Launch,
    /// The choices of its kernels.
    pub table: &'static Table,
    /// Whether it has kernels for a problem.
    pub solves: fn(Problem) -> bool,
    /// The kernel of a variant: a pure function.
    pub build: Shared<Build>,
    /// What the language is called, as files of it end.
    pub language: &'static str,
    /// What a line of comment begins with.
    pub comment: &'static str,
    /// The text of a program.
    pub print: fn(&GridProgram) -> String,
    /// The program of a text.
    pub read: fn(&str) -> Result<GridProgram, String>,
    /// What makes machine code of the text.
    pub translator: Shared<dyn Translator>,
    /// How cards in this machine are found.
    pub cards: Shared<dyn card::Cards>,
    /// Other languages that its kernels are written in.
    pub others: &'static [Language],
    /// Names of the choices that a landscape of bounds is shown over, as far as its kernels differ in them: what stands
    /// first is across.
    pub landscape: &'static [&'static str],
    /// Names of the choices that no static bound tells apart: of kernels that differ in these alone the first is counted, unless
    /// others are asked for. On a card all of the best are measured.
    pub on_card: &'static [&'static str],
}

/// Another language, in which a kernel that is proved is said over again.
pub struct Language {
    /// Its name on the command line.
    pub name: &'static str,
    /// How files of it end.
    pub ending: &'static str,
    /// What people call it.
    pub about: &'static str,
    /// A program in it, or what it cannot say.
    pub print: fn(&GridProgram) -> Result<String, String>,
    /// What devices that it is for give a block of threads, few enough that most of them do.
    pub gives: Gives,
    /// Who executes it.
    pub executors: &'static [&'static (dyn Executor + Sync)],
}

impl fmt::Debug for Grids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grids({})", self.name)
    }
}

/// What a device gives a block of threads at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gives {
    /// Bytes of shared memory.
    pub memory: u32,
    /// Threads.
    pub threads: u32,
}

impl Gives {
    /// Whatever is asked for.
    pub const ANYTHING: Gives = Gives { memory: u32::MAX, threads: u32::MAX };

    /// Whether that is enough for a program.
    pub fn is_enough(self, program: &GridProgram) -> bool {
        program.shared <= self.memory && program.threads <= self.threads
    }
}

/// The program that a variant becomes.
#[derive(Clone, Debug)]
pub struct GridKernel {
    /// Where it comes from.
    pub variant: Variant,
    /// What it promises: round keys as they lie in memory, any number of blocks.
    pub contract: Firmware,
    /// The program.
    pub program: GridProgram,
    /// What threads take in a turn, for each kind of threads that has a loop of its own, in the order of these loops in the
    /// program.
    pub turns: Vec<Turn>,
}

/// What a thread takes in a turn of its loop. Of several kinds of threads, turns are as many as are made while the others make theirs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// Blocks of text, or keys of which round keys are made.
    pub blocks: u32,
    /// How often a loop within it is gone round.
    pub inner: u32,
    /// Bytes of the result of each block of text, or key.
    pub bytes: u32,
    /// How many of these turns are counted together with those of other kinds of threads, by the shares of the text that these
    /// have; 1 where all are alike.
    pub times: u32,
    /// Whether it looks something up in shared memory.
    pub looks_up: bool,
}

impl GridKernel {
    /// Of several streams, in which form each has its key: kernels of other forms, or of one key, are other functions.
    pub fn key_of_a_stream(&self) -> Option<Packing> {
        self.program.has_streams().then_some(self.contract.packing)
    }

    /// Whether threads of a block are of several kinds.
    pub fn is_mixed(&self) -> bool {
        self.turns.len() > 1
    }
}

/// An architecture that text is translated for: what a multiprocessor executes in a clock, in threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Architecture {
    /// Its name.
    pub name: &'static str,
    /// Words of shared memory.
    pub shared: u32,
    /// Logic, shifts, permutations of bytes and sums.
    pub logic: u32,
    /// Products, and what else that unit does.
    pub product: u32,
    /// Instructions of any kind.
    pub issued: u32,
    /// The most bytes of shared memory that a launch can give a block.
    pub memory: u32,
    /// Bytes of code that a multiprocessor keeps near it.
    pub code: u32,
    /// Bytes of an instruction.
    pub instruction: u32,
    /// What a multiprocessor has room for.
    pub room: Room,
    /// A device of it.
    pub device: Device,
}

/// A device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Device {
    /// What it is called.
    pub name: &'static str,
    /// Its multiprocessors.
    pub multiprocessors: u32,
}

/// Instructions of a turn of a kernel's loop, in an architecture's machine code, by the unit that executes them. Where there are
/// several kinds of threads, of as many turns of each as they make in the same time ([`Turn::times`]).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Counted {
    /// The architecture.
    pub architecture: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes that are spilled, stores and loads together.
    pub spilled: u32,
    /// Blocks of text of a turn.
    pub blocks: u32,
    /// Accesses of shared memory.
    pub shared: u32,
    /// Logic, shifts, permutations of bytes and sums.
    pub logic: u32,
    /// Products, and what else that unit does.
    pub product: u32,
    /// All.
    pub issued: u32,
    /// Bytes of a turn's code, a loop within it once; of all kinds of threads together.
    #[serde(default)]
    pub code: u32,
    /// What a turn of each kind of threads executes, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Executed>,
    /// Clocks of a multiprocessor for a block of text, at least.
    pub clocks: f64,
    /// Bits of output a clock of a multiprocessor, at most.
    pub bits: f64,
    /// The unit that is the bound.
    pub limit: String,
}

/// Instructions of a turn of one kind of threads.
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
    /// All.
    pub issued: u32,
}

/// A unit of a multiprocessor, and what a block of text takes of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unit {
    /// Its name.
    pub name: &'static str,
    /// Instructions of a thread.
    pub instructions: f64,
    /// Threads for which it executes one in a clock.
    pub rate: u32,
    /// Clocks.
    pub clocks: f64,
}

impl Executed {
    /// What a block of text takes of each unit.
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
    /// The sum of turns, each so often as it says, that execute this, in an architecture's machine code.
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

    /// What a turn of each kind of threads executes.
    pub fn kinds(&self) -> Vec<Executed> {
        let Counted { blocks, shared, logic, product, issued, .. } = *self;
        match self.kinds.is_empty() {
            true => vec![Executed { blocks, shared, logic, product, issued }],
            false => self.kinds.clone(),
        }
    }

    /// What a block of text takes of each unit.
    pub fn units(&self, architecture: &Architecture) -> [Unit; 4] {
        let Counted { blocks, shared, logic, product, issued, .. } = *self;
        Executed { blocks, shared, logic, product, issued }.units(architecture)
    }

    /// The bound of these counts, where each block of text becomes so many bytes.
    #[must_use]
    pub fn bounded(mut self, architecture: &Architecture, bytes: u32) -> Counted {
        let units = self.units(architecture).map(|unit| (unit.name, unit.clocks));
        let (limit, most) = units.into_iter().fold(("", 0.0), |a, b| if b.1 > a.1 { b } else { a });
        (self.limit, self.clocks) = (limit.to_owned(), most);
        self.bits = if most > 0.0 { f64::from(8 * bytes) / most } else { 0.0 };
        self
    }
}

/// Whatever executes kernels in another language.
pub trait Executor: Judge {
    /// The bytes of memory that a block's threads can share, and the most threads of a block.
    fn limits(&self) -> (u64, u64);

    /// The result of a call.
    ///
    /// # Errors
    /// It is not there, or refuses the text or what it does.
    fn run(&self, text: &str, program: &GridProgram, call: &Call) -> Result<Vec<u8>, String>;
}

/// Whatever makes machine code of text.
pub trait Translator: Judge + Sync {
    /// The architectures, the one that kernels are compared by last.
    fn architectures(&self) -> &'static [Architecture];

    /// Translates a text and counts what turns execute, one or more of each kind of threads.
    ///
    /// # Errors
    /// It is not there, or refuses the text.
    fn count(&self, text: &str, architecture: &Architecture, turns: &[Turn]) -> Result<Counted, String>;
}
