//! The interface of machine models: the cycles that each executed instruction adds.

use crate::execute::Executed;

/// A timing model of a processor that executes in order, one instruction at a time. It may keep state between
/// instructions (interlocks, consecutive loads).
pub trait Cycles {
    /// Resets the state.
    fn start(&mut self);
    /// The cycles that this instruction adds.
    fn step(&mut self, executed: &Executed) -> u32;
    /// The maximum number of instructions that issue in a cycle; an instruction that issues with the one before it adds
    /// no cycle.
    fn width(&self) -> usize {
        1
    }
}

/// The latency and the occupancy of a custom instruction, in cycles, if the class is `custom LATENCY OCCUPANCY`: the
/// cycles until its result can be used and until the unit accepts the next one.
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
