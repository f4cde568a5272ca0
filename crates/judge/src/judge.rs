//! Judges. A judge takes kernels of a processor and finds their cost: an exact one counts cycles, a noisy one measures them, a
//! static one counts instructions or predicts cycles, and runs nothing. All implement [`Judge`].
//!
//! Beneath a judge is an [`Instrument`]: an emulator, RTL, a translator, a device. An [`Emulator`] runs a function of a program
//! many times on given memory and also reports its results. Our own interpreters, emulators and RTL all answer the same
//! question, so that they can be compared.
//!
//! ```
//! use aesmith_judge::judge::{Finding, Instrument, Judge, Kind, Outcome, Trial};
//! use std::convert::Infallible;
//!
//! /// Costs a text by its length.
//! struct Lengths;
//!
//! impl Instrument for Lengths {
//!     fn name(&self) -> String {
//!         "lengths".into()
//!     }
//!     fn kind(&self) -> Kind {
//!         Kind::Static
//!     }
//! }
//!
//! impl Judge for Lengths {
//!     type Kernel = str;
//!     type Facts = ();
//!     type Error = Infallible;
//!     fn measure(&mut self, trials: &[Trial<'_, str>]) -> Result<Vec<Outcome<()>>, Infallible> {
//!         Ok(trials.iter().map(|trial| Ok(Finding::of(trial.kernel.len() as f64, ()))).collect())
//!     }
//! }
//!
//! let trials = [Trial::new("nop"), Trial::new("nop; nop")];
//! // A judge that is not noisy needs one round.
//! let rounds = Lengths.duel(&trials, 40).unwrap();
//! assert_eq!(rounds.iter().map(|r| r.as_ref().unwrap()[0].cost).collect::<Vec<_>>(), [Some(3.0), Some(8.0)]);
//! ```

use std::fmt;

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

/// The way in which a judge finds costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It counts cycles of the processor, reproducibly.
    Exact,
    /// It measures cycles on the processor: they vary from run to run.
    Noisy,
    /// It gives no cycles of the processor, but those of a model, counts of instructions, or outputs alone.
    Static,
}

/// A program or device with which kernels are judged.
pub trait Instrument: Send {
    /// Its name, with the version if it is known: `simavr 1.6`, `PicoRV32 RTL (Verilator)`.
    fn name(&self) -> String;
    /// The instrument that this one uses, if any.
    fn beneath(&self) -> Option<&dyn Instrument> {
        None
    }
    /// The Debian or PyPI packages that it needs.
    fn needs(&self) -> &'static [&'static str] {
        self.beneath().map_or(&[], Instrument::needs)
    }
    /// Checks that it can be used now.
    ///
    /// # Errors
    /// A sentence about what is missing and how to get it.
    fn present(&self) -> Result<(), String> {
        self.beneath().map_or(Ok(()), Instrument::present)
    }
    /// The way in which it finds costs.
    fn kind(&self) -> Kind;
    /// True if it gives cycles of the processor, rather than none or a model's.
    fn counts_cycles(&self) -> bool {
        self.kind() != Kind::Static
    }
}

/// An instrument that runs functions, and gives the same answer to the same call every time.
pub trait Emulator: Instrument {
    /// The answers, one a call.
    ///
    /// # Errors
    /// A sentence about the first call that went wrong.
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String>;
}

/// A kernel to judge.
#[derive(Debug)]
pub struct Trial<'a, K: ?Sized> {
    /// The kernel.
    pub kernel: &'a K,
    /// Cycles of a call that no kernel of this dataflow should beat, if known: a noisy judge measures again below them.
    pub floor: Option<f64>,
}

impl<K: ?Sized> Clone for Trial<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: ?Sized> Copy for Trial<'_, K> {}

impl<'a, K: ?Sized> Trial<'a, K> {
    /// A trial without a known bound.
    pub fn new(kernel: &'a K) -> Self {
        Trial { kernel, floor: None }
    }
}

/// The result of a kernel, of one measurement or of one round of a duel.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding<F> {
    /// Its cost, in the unit of the judge: cycles of a byte, a block or a key; `None` from a judge of outputs alone.
    pub cost: Option<f64>,
    /// Cycles of each sample; none if it was not run.
    pub cycles: Vec<f64>,
    /// Each sample as the instrument reads it.
    pub ticks: Vec<u64>,
    /// Facts that only judges of this kind know.
    pub facts: F,
}

impl<F> Finding<F> {
    /// A cost without samples.
    pub fn of(cost: f64, facts: F) -> Finding<F> {
        Finding { cost: Some(cost), cycles: Vec::new(), ticks: Vec::new(), facts }
    }
}

/// A fault of a kernel: it has no cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A short sentence, as it is stored.
    pub why: String,
    /// The sentence with what is needed to reproduce the fault.
    pub in_full: String,
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal { in_full: why.clone(), why }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_full)
    }
}

/// The finding on a kernel, or its fault.
pub type Outcome<F> = Result<Finding<F>, Refusal>;

/// The findings of a kernel in the rounds of a duel, or its fault.
pub type Rounds<F> = Result<Vec<Finding<F>>, Refusal>;

/// A judge of kernels. It may be given to another thread.
pub trait Judge: Instrument {
    /// The form of its kernels.
    type Kernel: ?Sized;
    /// Facts that only judges of this kind know.
    type Facts;
    /// A failure of the judge itself.
    type Error;

    /// Judges each kernel by itself. The outcomes are in the order of the kernels.
    ///
    /// # Errors
    /// The judge itself failed.
    fn measure(
        &mut self,
        trials: &[Trial<'_, Self::Kernel>],
    ) -> Result<Vec<Outcome<Self::Facts>>, Self::Error>;

    /// Judges one kernel.
    ///
    /// # Errors
    /// The judge itself failed.
    fn measure_one(&mut self, kernel: &Self::Kernel) -> Result<Outcome<Self::Facts>, Self::Error> {
        let outcome = self.measure(&[Trial::new(kernel)])?.pop();
        Ok(outcome.unwrap_or_else(|| Err(Refusal::from(format!("{} gave no answer", self.name())))))
    }

    /// Compares kernels: each round judges all of them. A judge that is not noisy makes one round.
    ///
    /// # Errors
    /// The judge itself failed.
    fn duel(
        &mut self,
        trials: &[Trial<'_, Self::Kernel>],
        _rounds: usize,
    ) -> Result<Vec<Rounds<Self::Facts>>, Self::Error> {
        Ok(self.measure(trials)?.into_iter().map(|outcome| outcome.map(|finding| vec![finding])).collect())
    }

    /// Makes the next question independent of all former ones: a noisy judge takes another process.
    fn renew(&mut self) {}
}
