//! The message lengths that a kernel is called with. A kernel behind a choice by length gets a part
//! of all lengths, and what none of these reaches is not written.

use std::fmt;

/// Message lengths in bytes, from the least to the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The shortest message.
    pub least: u64,
    /// The longest; none where there is no limit.
    pub most: Option<u64>,
}

impl Lengths {
    /// Every length.
    pub const ALL: Lengths = Lengths { least: 0, most: None };

    /// The lengths for each of several kernels behind a choice by length, from the longest message
    /// of each; the last has no limit.
    pub fn between(limits: impl IntoIterator<Item = Option<u64>>) -> Vec<Lengths> {
        let mut least = 0;
        let mut next = |most: Option<u64>| {
            let lengths = Lengths { least, most };
            least = most.map_or(least, |most| most.saturating_add(1));
            lengths
        };
        limits.into_iter().map(&mut next).collect()
    }

    /// Whether a message may be `bytes` long or longer.
    pub fn reach(self, bytes: u64) -> bool {
        self.most.is_none_or(|most| most >= bytes)
    }

    /// Whether all of some lengths are among these.
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

/// How many bytes of a message may be left at a place in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left(Vec<(u64, u64)>);

impl Left {
    /// All of a message.
    pub fn of(lengths: Lengths) -> Left {
        Left(vec![(lengths.least, lengths.most.unwrap_or(u64::MAX))])
    }

    /// Whether as many bytes may be left.
    pub fn reaches(&self, bytes: u64) -> bool {
        self.0.iter().any(|&(_, most)| most >= bytes)
    }

    /// What is left behind a step that takes `bytes` where at least as many are left.
    pub fn after(&mut self, bytes: u64) {
        let parts = self.0.iter().flat_map(|&(least, most)| {
            let stays = (least < bytes).then(|| (least, most.min(bytes - 1)));
            let taken = (most >= bytes).then(|| (least.max(bytes) - bytes, most - bytes));
            [stays, taken]
        });
        self.0 = parts.flatten().collect();
    }

    /// What is left behind a loop of steps that take `bytes` each: less than that.
    pub fn after_all(&mut self, bytes: u64) {
        self.0 = vec![(0, bytes - 1)];
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

    #[test]
    fn what_is_left_is_what_every_length_leaves() {
        for (least, most) in [(0, 5), (65, 480), (480, 481), (200, 200), (13, 700)] {
            let lengths = Lengths { least, most: Some(most) };
            let mut left = Left::of(lengths);
            let mut each: Vec<u64> = (least..=most).collect();
            for step in [256, 128] {
                left.after(step);
                each.iter_mut().filter(|n| **n >= step).for_each(|n| *n -= step);
            }
            for n in 0..=most {
                let said = left.0.iter().any(|&(least, most)| least <= n && n <= most);
                assert_eq!(said, each.contains(&n), "{n} of {lengths:?} in {left:?}");
                assert_eq!(left.reaches(n), each.iter().any(|&l| l >= n));
            }
        }
    }
}
