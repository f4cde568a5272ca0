//! The message lengths for which a kernel is called. A kernel behind a dispatch by length gets a part of all lengths,
//! and code that none of these reaches is not generated.

use std::fmt;

/// Message lengths in bytes, from a minimum to a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The shortest message.
    pub least: u64,
    /// The longest message; `None` without a limit.
    pub most: Option<u64>,
}

impl Lengths {
    /// All lengths.
    pub const ALL: Lengths = Lengths { least: 0, most: None };

    /// The lengths for each of several kernels behind a dispatch by length, from the longest message of each; the last
    /// has no limit.
    pub fn between(limits: impl IntoIterator<Item = Option<u64>>) -> Vec<Lengths> {
        let mut least = 0;
        let mut next = |most: Option<u64>| {
            let lengths = Lengths { least, most };
            least = most.map_or(least, |most| most.saturating_add(1));
            lengths
        };
        limits.into_iter().map(&mut next).collect()
    }

    /// True if a message may have `bytes` bytes or more.
    pub fn reach(self, bytes: u64) -> bool {
        self.most.is_none_or(|most| most >= bytes)
    }

    /// True if all of `others` are among these.
    pub fn include(self, others: Lengths) -> bool {
        let ends_before = match (self.most, others.most) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(here), Some(there)) => there <= here,
        };
        self.least <= others.least && ends_before
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (0, None) => f.write_str("every length"),
            (least, None) => write!(f, "{least} bytes and more"),
            (least, Some(most)) => write!(f, "{least} to {most} bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_give_the_lengths_of_each_kernel() {
        let all = Lengths::between([Some(64), Some(480), None]);
        assert_eq!(
            all,
            [
                Lengths { least: 0, most: Some(64) },
                Lengths { least: 65, most: Some(480) },
                Lengths { least: 481, most: None },
            ]
        );
        assert!(!all[1].reach(512) && all[1].reach(480) && all[2].reach(1 << 40));
        assert!(Lengths::ALL.include(all[1]) && !all[1].include(all[2]) && !all[1].include(all[0]));
    }
}
