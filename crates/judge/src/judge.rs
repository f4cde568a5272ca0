//! The traits of judges. A judge runs functions of a processor and reports their cycles, exact or measured. An exact
//! judge runs a function of a program many times on given memory and also reports its results. Our own interpreters,
//! emulators and RTL all answer the same question, so that they can be compared. The measuring judge (`aesmith-native`)
//! compares kernels with each other.

use aesmith_isa::image::Image;

/// A function and its calls; each call starts with the program's memory as loaded.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The program. Its segments hold only code and tables: buffers and stack lie elsewhere.
    pub image: &'a Image,
    /// The address of the function.
    pub function: u64,
    /// The calls.
    pub calls: Vec<Call>,
    /// Maximum number of instructions in a call; a call that exceeds it ends with an error.
    pub limit: u64,
}

/// One call by the processor's C calling convention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Integer or pointer arguments, in order; those beyond the convention's registers go on the
    /// stack. Each is a 16-bit integer on AVR, 32 bits elsewhere.
    pub arguments: Vec<u32>,
    /// Memory written before the call: address (as in [`Image`], so data memory of an AVR at
    /// [`Image::DATA`] and above), bytes.
    pub writes: Vec<(u64, Vec<u8>)>,
    /// Memory read after it: address, number of bytes.
    pub reads: Vec<(u64, usize)>,
}

/// Result of a call. A field is `None` if this judge does not observe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The requested memory, in the order of [`Call::reads`].
    pub read: Vec<Vec<u8>>,
    /// Cycles from the function's first instruction to the end of its return.
    pub cycles: Option<u64>,
    /// Instructions executed, the return included.
    pub instructions: Option<u64>,
    /// Bytes of stack below the stack pointer at entry that were written; bytes that the call itself pushes (the return
    /// address on AVR) are not counted.
    pub stack: Option<u64>,
}

/// The kind of cycle counts that a judge gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cycles {
    /// Cycles of the processor, reproducible.
    Exact,
    /// Cycles measured on the processor: they vary from run to run.
    Noisy,
    /// None, or the cycles of a model.
    None,
}

/// A means to run programs of a processor.
pub trait Judge {
    /// Its name, with the version if it is known: `simavr 1.6`, `PicoRV32 RTL (Verilator)`.
    fn name(&self) -> String;
    /// The Debian or PyPI packages that it needs.
    fn needs(&self) -> &'static [&'static str];
    /// Checks that it can be used now.
    ///
    /// # Errors
    /// A sentence about what is missing and how to get it.
    fn present(&self) -> Result<(), String>;
    /// The kind of cycle counts that it gives.
    fn cycles(&self) -> Cycles;
    /// True if it gives cycles of the processor, rather than none or a model's.
    fn counts_cycles(&self) -> bool {
        self.cycles() != Cycles::None
    }
}

/// A judge that gives the same answer to the same call every time.
pub trait ExactJudge: Judge {
    /// The answers, one a call.
    ///
    /// # Errors
    /// A sentence about the first call that went wrong.
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String>;
}
