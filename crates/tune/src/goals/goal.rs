//! One line of a table of goals.

use serde::Serialize;

/// What is to be reached, and what is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Goal {
    /// The custom instructions that are used; empty where none are.
    pub extension: String,
    /// The processor, or processors; empty for this machine.
    pub processor: String,
    /// The problem, where the goal is about one by name.
    pub problem: String,
    /// What is measured, besides.
    pub what: String,
    /// The unit of the figures.
    pub unit: String,
    /// What must be reached; none where the figure is only shown.
    pub must: Option<f64>,
    /// What is aimed at.
    pub aim: Option<f64>,
    /// Whether more is better.
    pub at_least: bool,
    /// The share by which the figure may differ from what must be reached on either side, where it is to be met.
    pub within: Option<f64>,
    /// What was measured, if it could be.
    pub measured: Option<f64>,
    /// The bound of the kernel's dataflow, in the unit.
    pub bound: Option<f64>,
    /// Who counted: a judge or the model; empty where this machine measured.
    pub by: String,
    /// `aim reached`, `must reached`, `missed` (with a reason where nothing keeps the limits), `shown`, or `not
    /// measured` (with a reason where one is known).
    pub verdict: String,
    /// The kernel that was measured, where it is one.
    #[serde(flatten)]
    pub kernel: Option<GoalKernel>,
    /// Whose figure must be reached, and how that is counted; empty where the goal is ours.
    pub source: String,
}

/// What a kernel takes whose cycles are held against a goal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoalKernel {
    /// The variant.
    pub variant: String,
    /// Bytes of flash: code, tables, and the initial contents of tables in RAM.
    pub flash: u64,
    /// Bytes of RAM for tables.
    pub ram: u64,
    /// Bytes of stack.
    pub stack: u64,
    /// Whether its time depends on secrets: `yes` where it does not, `here` where it does not on this processor,
    /// whose memory takes the same time at any address, `no` where it may.
    pub constant_time: &'static str,
}

impl Goal {
    /// A figure that must not be above `must`.
    pub fn at_most(what: impl Into<String>, unit: &str, must: f64, aim: impl Into<Option<f64>>) -> Goal {
        let (must, aim) = (Some(must), aim.into());
        Goal { what: what.into(), unit: unit.into(), must, aim, ..Goal::default() }
    }

    /// A figure that must not be below `must`.
    pub fn at_least(what: impl Into<String>, unit: &str, must: f64, aim: impl Into<Option<f64>>) -> Goal {
        Goal { at_least: true, ..Goal::at_most(what, unit, must, aim) }
    }

    /// A figure that must be as near to `must` as a share of it.
    pub fn near(what: impl Into<String>, unit: &str, must: f64, share: f64) -> Goal {
        Goal { within: Some(share), ..Goal::at_most(what, unit, must, None) }
    }

    /// A figure that is only shown.
    pub fn shown(what: impl Into<String>, unit: &str) -> Goal {
        Goal { what: what.into(), unit: unit.into(), ..Goal::default() }
    }

    /// The goal with its figure, and the verdict that follows.
    pub fn found(self, measured: impl Into<Option<f64>>) -> Goal {
        let measured = measured.into();
        let verdict = match measured {
            None => "not measured",
            Some(_) if self.must.is_none() => "shown",
            Some(m) if self.aim.is_some_and(|aim| self.holds(m, aim)) => "aim reached",
            Some(m) if self.must.is_some_and(|must| self.holds(m, must)) => "must reached",
            Some(_) => "missed",
        };
        Goal { measured, verdict: verdict.into(), ..self }
    }

    /// The goal without a figure: it could not be measured.
    pub fn without(self, reason: &str) -> Goal {
        Goal { verdict: format!("not measured: {reason}"), ..self }
    }

    /// The goal without a figure: nothing keeps the limits within which it must be reached.
    pub fn missed(self, reason: &str) -> Goal {
        Goal { verdict: format!("missed: {reason}"), ..self }
    }

    fn holds(&self, measured: f64, goal: f64) -> bool {
        match self.within {
            Some(share) => (measured / goal - 1.0).abs() <= share,
            None if self.at_least => measured >= goal,
            None => measured <= goal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_figures() {
        let least = |measured| Goal::at_least("", "%", 98.0, 99.0).found(measured).verdict;
        assert_eq!(least(99.5), "aim reached");
        assert_eq!(least(98.5), "must reached");
        assert_eq!(least(97.0), "missed");
        let most = |measured: Option<f64>| Goal::at_most("", "%", 5.0, 3.0).found(measured).verdict;
        assert_eq!(most(Some(2.0)), "aim reached");
        assert_eq!(most(Some(6.0)), "missed");
        assert_eq!(most(None), "not measured");
        let near = |measured| Goal::near("", "cycles", 100.0, 0.05).found(measured).verdict;
        assert_eq!([near(96.0), near(104.0)], ["must reached"; 2]);
        assert_eq!([near(94.0), near(106.0)], ["missed"; 2]);
        assert_eq!(Goal::shown("", "cycles").found(1.0).verdict, "shown");
    }
}
