//! The rank test of Mann and Whitney ("On a Test of Whether one of Two Random Variables is Stochastically Larger than
//! the Other", 1947), which tests if one strategy's results are lower than another's, for any distribution.

use serde::Serialize;

/// Result of the test on two sets of costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rank {
    /// Fraction of pairs in which the first cost is lower, equal ones counted half: 0.5 shows no difference.
    pub lower: f64,
    /// Standard deviations of that from chance, corrected for equal costs.
    pub z: f64,
}

/// A deviation this large, to either side, happens by chance once in a hundred times.
const CLEAR: f64 = 2.576;

impl Rank {
    /// `lower`, `higher` or `no evidence`.
    pub fn words(self) -> &'static str {
        match self.z {
            z if z >= CLEAR => "lower",
            z if z <= -CLEAR => "higher",
            _ => "no evidence",
        }
    }
}

/// The test; `None` if a set is empty.
pub fn rank(first: &[f64], second: &[f64]) -> Option<Rank> {
    let (n, m) = (first.len() as f64, second.len() as f64);
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| a.total_cmp(b)));
    let wins: f64 = pairs
        .map(|order| match order {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        })
        .sum();
    let mut all: Vec<f64> = first.iter().chain(second).copied().collect();
    all.sort_by(f64::total_cmp);
    let ties: f64 = all
        .chunk_by(|a, b| a.total_cmp(b).is_eq())
        .map(|equal| equal.len() as f64)
        .map(|t| t * t * t - t)
        .sum();
    let both = n + m;
    let variance = n * m / 12.0 * (both + 1.0 - ties / (both * (both - 1.0)).max(1.0));
    let z = if variance > 0.0 { (wins - n * m / 2.0) / variance.sqrt() } else { 0.0 };
    Some(Rank { lower: wins / (n * m), z })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_by_hand() {
        // All five are below the other five: U = 25, mean 12.5, variance 25 * 11 / 12.
        let clear = rank(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]).unwrap();
        assert_eq!(clear.lower, 1.0);
        assert!((clear.z - 12.5 / (25.0f64 * 11.0 / 12.0).sqrt()).abs() < 1e-12);
        assert_eq!(clear.words(), "lower");
        let same = rank(&[1.0, 1.0, 1.0], &[1.0, 1.0]).unwrap();
        assert_eq!((same.lower, same.z, same.words()), (0.5, 0.0, "no evidence"));
        // Equal costs reduce the variance: 4 * 4 / 12 * (9 - (6 + 24) / 56).
        let tied = rank(&[1.0, 1.0, 2.0, 2.0], &[2.0, 3.0, 4.0, 5.0]).unwrap();
        let z = (15.0 - 8.0) / (16.0f64 / 12.0 * (9.0 - 30.0 / 56.0)).sqrt();
        assert!((tied.z - z).abs() < 1e-12, "{tied:?} {z}");
        assert_eq!(rank(&[], &[1.0]), None);
    }
}
