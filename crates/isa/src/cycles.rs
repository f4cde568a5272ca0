//! What a machine model is: cycles of one executed instruction after another.

use crate::execute::Executed;

/// A model of a processor's timing, in order, one instruction at a time. It may remember what went
/// before (interlocks, loads that follow each other).
pub trait Cycles {
    /// Forgets what went before.
    fn start(&mut self);
    /// Cycles that this instruction adds.
    fn step(&mut self, executed: &Executed) -> u32;
}
