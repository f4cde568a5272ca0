//! The traits of judges. A judge runs functions of a processor and reports their cycles: exactly, or as it measures them.
//! An exact judge runs a function of a program many times on given memory and reports its results, too. Our own
//! interpreters, emulators and RTL all answer the same question, so that they can be compared. The judge that measures
//! (`aesmith-native`) compares kernels with each other.

use aesmith_isa::image::Image;

/// A function called again and again, each time from the program's memory as loaded.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The program. Segments hold code, tables and nothing else: buffers and stack lie elsewhere.
    pub image: &'a Image,
    /// The address of the function.
    pub function: u64,
    /// The calls.
    pub calls: Vec<Call>,
    /// A call that has executed so many instructions is ended with an error.
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

/// What a call did. `None` is what this judge does not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The memory asked for, in the order of [`Call::reads`].
    pub read: Vec<Vec<u8>>,
    /// Cycles from the function's first instruction to the end of its return.
    pub cycles: Option<u64>,
    /// Instructions executed, the return included.
    pub instructions: Option<u64>,
    /// Bytes of stack below the stack pointer at entry that were written; what the call itself
    /// pushes (the return address on AVR) is not counted.
    pub stack: Option<u64>,
}

/// What cycles a judge gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cycles {
    /// The processor's, the same every time.
    Exact,
    /// The processor's, measured on it: no two runs give the same.
    Noisy,
    /// None, or those of a model.
    None,
}

/// Something that runs programs of a processor.
pub trait Judge {
    /// Its name, with the version where it is known: `simavr 1.6`, `PicoRV32 RTL (Verilator)`.
    fn name(&self) -> String;
    /// What has to be installed for it: Debian or PyPI packages.
    fn needs(&self) -> &'static [&'static str];
    /// Whether it can be used now, or a sentence saying what is missing and how to get it.
    fn present(&self) -> Result<(), String>;
    /// What cycles it gives.
    fn cycles(&self) -> Cycles;
    /// Whether the cycles it gives are those of the processor, rather than none or a model's.
    fn counts_cycles(&self) -> bool {
        self.cycles() != Cycles::None
    }
}

/// A judge that says the same of the same call every time.
pub trait ExactJudge: Judge {
    /// The answers, one a call, or a sentence about the first call that went wrong.
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String>;
}
