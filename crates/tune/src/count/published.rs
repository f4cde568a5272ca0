//! Counts that Bernstein and Schwabe published for table-based AES, in their classes of instructions ("New AES software
//! speed records", Indocrypt 2008), for comparison with kernels.

use super::Classes;
use serde::Serialize;

/// Instructions of a block, in the classes of Bernstein and Schwabe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Mix {
    /// Total.
    pub instructions: f64,
    /// Loads that do not compute.
    pub loads: f64,
    /// Stores.
    pub stores: f64,
    /// All other instructions.
    pub integer: f64,
}

impl Mix {
    /// The mix of a kernel's counts.
    pub fn of(classes: &Classes) -> Mix {
        Mix {
            instructions: classes.instructions,
            loads: classes.loads,
            stores: classes.stores,
            integer: classes.instructions - classes.loads - classes.stores,
        }
    }

    /// Subtracts another mix.
    pub fn minus(self, other: Mix) -> Mix {
        Mix {
            instructions: self.instructions - other.instructions,
            loads: self.loads - other.loads,
            stores: self.stores - other.stores,
            integer: self.integer - other.integer,
        }
    }

    /// Names and counts of the classes, without the total.
    pub fn rows(&self) -> [(&'static str, f64); 3] {
        [("loads", self.loads), ("stores", self.stores), ("integer", self.integer)]
    }
}

/// The paper's count before any saving (section 2): a block of AES-128 in counter mode.
pub const BASELINE: Mix = Mix { instructions: 720.0, loads: 208.0, stores: 4.0, integer: 508.0 };

/// The published saving of each choice in instructions per block.
const SAVINGS: [(&str, u64); 12] = [
    ("index=scaled", 80),
    ("extract=registers", 40),
    ("words=padded", 80),
    ("tables=padded", 80),
    ("words=narrow", 120),
    ("last=bytes", 4),
    ("last=two-bytes", 8),
    ("last=masked", 16),
    ("loadxor=combined", 160),
    ("roundkeys=recomputed", 0),
    ("cached=2", 100),
    ("counter=cached", 100),
];

/// The published saving of a variant's choice, given as text (`last=masked`).
pub fn published_of(choice: &str) -> Option<u64> {
    SAVINGS.iter().find(|(text, _)| *text == choice).map(|(_, saved)| *saved)
}

/// A count of instructions: without decimals if whole, else with two.
pub fn number(n: f64) -> String {
    let n = if n == 0.0 { 0.0 } else { n };
    if n.fract() == 0.0 { format!("{n:.0}") } else { format!("{n:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_the_published_savings_of_their_techniques() {
        assert_eq!(published_of("index=scaled"), Some(80));
        assert_eq!(published_of("last=two-bytes"), Some(8));
        assert_eq!(published_of("counter=cached"), Some(100));
        assert_eq!(published_of("counter=each"), None);
    }
}
