//! Variables that live across blocks, in registers as far as programs leave some and otherwise in the stack
//! frame, and the layout of the frame.

use super::Writer;
use super::select::{Set, r64};
use crate::dimensions::Dim;
use crate::kernels::Unfit;
use crate::kernels::asm::{Assembler, at};
use aesmith_cipher::Task;
use iced_x86::{Code, Instruction, Register};

/// Base of the read-only memory.
pub(super) const TABLE: u8 = 15;
/// All registers except the stack pointer.
pub(super) const ALL: Set = 0xffef;

// The layout of the stack frame, in bytes from the stack pointer.

/// Counter blocks, or texts if the input address has no register, or the state of steps, or the key stream of
/// the last bytes.
pub(super) const COUNTERS: i32 = 0;
/// Variables without a register.
const HOMES: i32 = COUNTERS + 32;
/// The argument arrays of several streams.
pub(super) const ARRAYS: i32 = HOMES + 8 * 8;
/// The round-key byte of the fast counter byte.
pub(super) const FAST_KEY: i32 = ARRAYS + 8 * 5;
/// Constants of the counter-mode cache.
pub(super) const CACHED: i32 = FAST_KEY + 8;
/// Padded round keys, from round key 1 on.
pub(super) const PADDED: i32 = CACHED + 8 * 5;

/// A variable that lives across blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Var {
    Key,
    /// Eight times the number of the current stream.
    Stream,
    Input,
    Output,
    /// The lower half of the counter as a native integer.
    Low,
    Length,
    /// The upper half.
    High,
    Iv,
}

/// The location of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    Register(u8),
    Frame(i32),
}

impl Writer<'_> {
    pub(super) fn ctr(&self) -> bool {
        self.cipher.task == Task::Ctr
    }

    pub(super) fn keys_in_vectors(&self) -> bool {
        self.variant.get(Dim::RoundKeys) == 2
    }

    /// The variables of this kernel, in order of register priority. Round keys in memory are operands, so their
    /// address must have a register.
    pub(super) fn variables(&self) -> impl Iterator<Item = Var> {
        let all = [Var::Key, Var::Stream, Var::Input, Var::Output, Var::Low, Var::Length, Var::High];
        let (keys, ctr) = (!self.keys_in_vectors(), self.ctr());
        let streams = self.variant.problem.streams() > 1;
        all.into_iter().filter(move |v| match v {
            Var::Key => keys,
            Var::Low | Var::High => ctr,
            Var::Stream => streams,
            _ => true,
        })
    }

    pub(super) fn home(&self, var: Var) -> Home {
        match self.variables().position(|v| v == var) {
            Some(place) if place < usize::from(self.level) => Home::Register(TABLE - 1 - place as u8),
            _ => Home::Frame(HOMES + 8 * var as i32),
        }
    }

    /// Registers that programs may use.
    pub(super) fn free(&self) -> Set {
        (0..=self.level).fold(ALL, |free, i| free & !(1 << (TABLE - i)))
    }

    /// Keeps as many variables in registers as possible while leaving enough for the code that `trial` writes.
    pub(super) fn settle(&mut self, trial: impl Fn(&mut Self) -> Result<(), Unfit>) -> Result<(), Unfit> {
        // The address of round keys must have a register, and so must the stream counter and the addresses of
        // the streams' texts, which the proof of a loop relies on.
        let least = u8::from(!self.keys_in_vectors()) + 3 * u8::from(self.variant.problem.streams() > 1);
        self.level = self.variables().count() as u8;
        let asm = std::mem::replace(&mut self.asm, Assembler::new());
        let fits = loop {
            match trial(self) {
                Err(Unfit::Registers { .. }) if self.level > least => self.level -= 1,
                other => break other,
            }
        };
        self.asm = asm;
        fits
    }

    /// Returns the register of a variable: its own, or `spare` after a load.
    pub(super) fn get(&mut self, var: Var, spare: u8) -> Register {
        match self.home(var) {
            Home::Register(r) => r64(r),
            Home::Frame(place) => {
                self.asm.load(r64(spare), at(Register::RSP, place));
                r64(spare)
            }
        }
    }

    pub(super) fn set(&mut self, var: Var, from: Register) {
        match self.home(var) {
            Home::Register(r) => self.asm.mov(r64(r), from),
            Home::Frame(place) => self.asm.store(at(Register::RSP, place), from),
        }
    }

    /// `op variable, value` for a form with an immediate byte.
    pub(super) fn small(&mut self, code: Code, var: Var, value: i32) {
        match self.home(var) {
            Home::Register(r) => self.asm.made(Instruction::with2(code, r64(r), value)),
            Home::Frame(place) => self.asm.made(Instruction::with2(code, at(Register::RSP, place), value)),
        }
    }

    /// `op variable, value`, in the form with an immediate byte if the value fits.
    pub(super) fn immediate(&mut self, short: Code, long: Code, var: Var, value: i32) {
        self.small(if i8::try_from(value).is_ok() { short } else { long }, var, value);
    }

    /// A register that holds no variable and is not in `taken`.
    pub(super) fn spare(&self, taken: &[u8]) -> Result<u8, Unfit> {
        let free = taken.iter().fold(self.free(), |free, r| free & !(1 << r));
        match free {
            0 => Err(Unfit::Registers { needed: 16, available: 15 }),
            free => Ok(15 - free.leading_zeros() as u8),
        }
    }

    /// Size of the stack frame, in bytes.
    pub(super) fn frame(&self) -> i32 {
        (self.scratch + 8 * self.scratch_used as i32 + 15) & !15
    }
}
