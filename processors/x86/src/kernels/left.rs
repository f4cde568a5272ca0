//! The possible remaining lengths of a message at a place in a kernel: code that no length reaches is not written.

use aesmith_processor::measured::Lengths;

/// Ranges of the number of message bytes that may be left at a place in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left(Vec<(u64, u64)>);

impl Left {
    /// The whole message.
    pub fn of(lengths: Lengths) -> Left {
        Left(vec![(lengths.least, lengths.most.unwrap_or(u64::MAX))])
    }

    /// True if `bytes` bytes or more may be left.
    pub fn reaches(&self, bytes: u64) -> bool {
        self.0.iter().any(|&(_, most)| most >= bytes)
    }

    /// Updates the ranges for a step that takes `bytes` if at least that many are left.
    pub fn after(&mut self, bytes: u64) {
        let parts = self.0.iter().flat_map(|&(least, most)| {
            let stays = (least < bytes).then(|| (least, most.min(bytes - 1)));
            let taken = (most >= bytes).then(|| (least.max(bytes) - bytes, most - bytes));
            [stays, taken]
        });
        self.0 = parts.flatten().collect();
    }

    /// Updates the range for a loop of steps that take `bytes` each: fewer are left.
    pub(crate) fn after_all(&mut self, bytes: u64) {
        self.0 = vec![(0, bytes - 1)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
