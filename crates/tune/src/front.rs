//! Objectives, budgets, and the Pareto front over cycles, flash and RAM, with constant time as a further
//! objective.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use aesmith_processor::cost::Cost;

/// The objective of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// Fewest cycles; ties are broken by flash, then RAM.
    #[default]
    Cycles,
    /// Fewest bytes of flash; ties are broken by cycles.
    Code,
    /// Fewest bytes of RAM, tables and stack together; ties are broken by cycles.
    Ram,
    /// Every kernel that no other dominates in cycles, flash and RAM.
    Pareto,
}

impl Objective {
    /// All objectives.
    pub const ALL: [Objective; 4] = [Objective::Cycles, Objective::Code, Objective::Ram, Objective::Pareto];

    /// True if the fewest cycles are sought, among others.
    pub fn is_speed(self) -> bool {
        matches!(self, Objective::Cycles | Objective::Pareto)
    }

    /// The sort key of costs; the lowest is best.
    pub fn key(self, cost: &Cost) -> [f64; 4] {
        let (flash, ram, stack) = (cost.flash as f64, cost.ram as f64, cost.stack as f64);
        match self {
            Objective::Cycles | Objective::Pareto => [cost.cycles, flash, ram, stack],
            Objective::Code => [flash, cost.cycles, ram, stack],
            Objective::Ram => [ram + stack, cost.cycles, flash, stack],
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Objective::Cycles => "cycles",
            Objective::Code => "code",
            Objective::Ram => "ram",
            Objective::Pareto => "pareto",
        })
    }
}

impl FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Objective, String> {
        let found = Objective::ALL.into_iter().find(|o| o.to_string() == text);
        found.ok_or_else(|| format!("'{text}' is no objective, which is cycles, code, ram or pareto"))
    }
}

/// Hard limits on the assembled program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Budgets {
    /// Most bytes of flash.
    pub flash: Option<u64>,
    /// Most bytes of RAM for tables.
    pub ram: Option<u64>,
    /// Most bytes of stack.
    pub stack: Option<u64>,
}

impl Budgets {
    /// True if a cost is within all limits.
    pub fn hold(&self, cost: &Cost) -> bool {
        self.excess(cost) == 0.0
    }

    /// The excess of a cost over the limits, as the sum of shares of each limit.
    pub fn excess(&self, cost: &Cost) -> f64 {
        let pairs = [(self.flash, cost.flash), (self.ram, cost.ram), (self.stack, cost.stack)];
        let over = |(limit, used): (Option<u64>, u64)| {
            let limit = limit?;
            Some(used.saturating_sub(limit) as f64 / limit.max(1) as f64)
        };
        pairs.into_iter().filter_map(over).sum()
    }

    /// The bytes of flash, RAM and stack that exceed the limits, in words; empty if none do.
    pub fn lack(&self, [flash, ram, stack]: [u64; 3]) -> String {
        let all = [("flash", self.flash, flash), ("RAM", self.ram, ram), ("stack", self.stack, stack)];
        let lacks = all.iter().filter_map(|(name, limit, needed)| {
            let limit = limit.filter(|limit| *needed > *limit)?;
            Some(format!("{needed} bytes of {name} needed, {limit} allowed"))
        });
        let lacks = lacks.collect::<Vec<_>>().join("; ");
        if lacks.is_empty() { String::new() } else { format!("Does not fit: {lacks}. ") }
    }

    /// The limits in words.
    pub fn describe(&self) -> String {
        let parts = [("flash", self.flash), ("RAM", self.ram), ("stack", self.stack)];
        let said = parts.iter().filter_map(|(name, limit)| Some(format!("{} bytes of {name}", (*limit)?)));
        said.collect::<Vec<_>>().join(", ")
    }
}

/// True if `a` is at least as good as `b` in everything and better in something. RAM is tables and stack
/// together; constant time is better than variable time.
pub(crate) fn beats(a: (&Cost, bool), b: (&Cost, bool)) -> bool {
    let goods = |(cost, constant): (&Cost, bool)| {
        [cost.cycles, cost.flash as f64, (cost.ram + cost.stack) as f64, f64::from(u8::from(!constant))]
    };
    let (a, b) = (goods(a), goods(b));
    a.iter().zip(&b).all(|(x, y)| x <= y) && a.iter().zip(&b).any(|(x, y)| x < y)
}

/// Indices of the Pareto-optimal points, sorted by cycles; among equal points the first is kept.
pub fn front(points: &[(Cost, bool)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    let key = |i: &usize| Objective::Cycles.key(&points[*i].0);
    order.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(b)));
    let mut on: Vec<usize> = Vec::new();
    for i in order {
        let (cost, constant) = &points[i];
        let beaten = on.iter().any(|&j| {
            let (other, its) = &points[j];
            beats((other, *its), (cost, *constant))
                || (other.cycles, other.flash, other.ram + other.stack, its)
                    == (cost.cycles, cost.flash, cost.ram + cost.stack, constant)
        });
        if !beaten {
            // With equal cycles and flash, a later point may have less RAM and stack together, or constant
            // time.
            on.retain(|&j| !beats((cost, *constant), (&points[j].0, points[j].1)));
            on.push(i);
        }
    }
    on
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(cycles: f64, flash: u64, ram: u64) -> Cost {
        Cost { cycles, once: 0.0, flash, ram, stack: 0 }
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        let points = [
            (cost(1600.0, 2000, 512), false),
            (cost(1500.0, 2300, 512), false),
            (cost(1600.0, 2100, 512), false),
            (cost(2400.0, 700, 0), false),
            (cost(9000.0, 900, 0), true),
            (cost(9000.0, 1000, 0), false),
            (cost(1600.0, 2000, 512), false),
        ];
        assert_eq!(front(&points), [1, 0, 3, 4]);
        for (i, p) in points.iter().enumerate() {
            let beaten = points.iter().any(|q| beats((&q.0, q.1), (&p.0, p.1)));
            assert_eq!(beaten, [2, 5].contains(&i), "{i}");
        }
    }

    #[test]
    fn budgets_are_limits() {
        let budgets = Budgets { flash: Some(1000), ram: Some(0), stack: None };
        assert!(budgets.hold(&cost(1.0, 1000, 0)));
        assert!(!budgets.hold(&cost(1.0, 1001, 0)) && !budgets.hold(&cost(1.0, 10, 1)));
        assert!(budgets.excess(&cost(1.0, 1100, 0)) < budgets.excess(&cost(1.0, 1200, 0)));
        assert_eq!(budgets.describe(), "1000 bytes of flash, 0 bytes of RAM");
        assert_eq!("ram".parse(), Ok(Objective::Ram));
        assert!("size".parse::<Objective>().unwrap_err().contains("pareto"));
    }
}
