//! One line of a table of goals.

use serde::Serialize;

/// A target figure and the figure reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Goal {
    /// The custom instructions used; empty if none.
    pub extension: String,
    /// The processor, or processors; empty for this machine.
    pub processor: String,
    /// The problem, if the goal is about a single one.
    pub problem: String,
    /// A description of the goal.
    pub what: String,
    /// The unit of the figures.
    pub unit: String,
    /// The figure that must be reached; `None` if the figure is only shown.
    pub must: Option<f64>,
    /// The figure aimed at.
    pub aim: Option<f64>,
    /// True if more is better.
    pub at_least: bool,
    /// The largest deviation from `must`, as a fraction of it, for a figure to be met on both sides.
    pub within: Option<f64>,
    /// The measured figure, if any.
    pub measured: Option<f64>,
    /// The bound of the kernel's dataflow, in the unit.
    pub bound: Option<f64>,
    /// The source of the count: a judge or the model; empty for a measurement on this machine.
    pub by: String,
    /// `aim reached`, `must reached`, `missed` (with a reason if no kernel keeps the limits), `shown`, or
    /// `not measured` (with a reason if one is known).
    pub verdict: String,
    /// The kernel that was measured, if any.
    #[serde(flatten)]
    pub kernel: Option<GoalKernel>,
    /// Source of the figure that must be reached, and how it is counted; empty if the goal is ours.
    pub source: String,
}

/// The sizes of a kernel whose cycles are compared with a goal.
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
    /// `yes` if its time does not depend on secrets, `here` if it does not on this processor, whose memory
    /// takes equal time at any address, `no` if it may.
    pub constant_time: &'static str,
}

impl Goal {
    /// A figure that must be at most `must`.
    pub(crate) fn at_most(
        what: impl Into<String>,
        unit: &str,
        must: f64,
        aim: impl Into<Option<f64>>,
    ) -> Goal {
        let (must, aim) = (Some(must), aim.into());
        Goal { what: what.into(), unit: unit.into(), must, aim, ..Goal::default() }
    }

    /// A figure that must be at least `must`.
    pub(crate) fn at_least(
        what: impl Into<String>,
        unit: &str,
        must: f64,
        aim: impl Into<Option<f64>>,
    ) -> Goal {
        Goal { at_least: true, ..Goal::at_most(what, unit, must, aim) }
    }

    /// A figure that must deviate from `must` by at most a fraction `share` of it.
    pub fn near(what: impl Into<String>, unit: &str, must: f64, share: f64) -> Goal {
        Goal { within: Some(share), ..Goal::at_most(what, unit, must, None) }
    }

    /// A figure that is only shown.
    pub fn shown(what: impl Into<String>, unit: &str) -> Goal {
        Goal { what: what.into(), unit: unit.into(), ..Goal::default() }
    }

    /// Sets the figure, and the verdict that follows.
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

    /// Marks the goal as not measured.
    pub fn without(self, reason: &str) -> Goal {
        Goal { verdict: format!("not measured: {reason}"), ..self }
    }

    /// Marks the goal as missed: no kernel keeps its limits.
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
