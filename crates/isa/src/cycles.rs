//! What a machine model is: cycles of one executed instruction after another.

use crate::execute::Executed;

/// A model of a processor's timing, in order, one instruction at a time. It may remember what went
/// before (interlocks, loads that follow each other).
pub trait Cycles {
    /// Forgets what went before.
    fn start(&mut self);
    /// Cycles that this instruction adds.
    fn step(&mut self, executed: &Executed) -> u32;
    /// How many instructions issue in a cycle; an instruction that issues with the one before it adds
    /// no cycle.
    fn width(&self) -> usize {
        1
    }
}

/// Timing of a custom instruction, if the class is that of one: `custom LATENCY OCCUPANCY`, the
/// cycles until its result can be used and until the unit takes the next.
pub fn custom(class: &str) -> Option<(u32, u32)> {
    let (latency, occupancy) = class.strip_prefix("custom ")?.split_once(' ')?;
    Some((latency.parse().ok()?, occupancy.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::custom;

    #[test]
    fn classes_of_custom_instructions_are_read() {
        assert_eq!(custom("custom 2 1"), Some((2, 1)));
        assert_eq!(custom("custom 2"), None);
        assert_eq!(custom("load"), None);
    }
}
