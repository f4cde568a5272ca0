//! Decides if the machine is quiet, from several looks over a while: at the clock, by two chains of dependent
//! instructions, and at sharing of the core, by a loop that fills its units.
//!
//! If the two chains disagree about the clock, it cannot be trusted, and a shared core is slower than its clock shows.
//! Measurements on such a machine may still be right, because disturbed samples are taken again, but the machine must
//! not be reported as quiet.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::fault::JudgeError;
use crate::judge::{Config, NativeJudge};
use crate::native::Core;
use crate::probe::TOLERANCE;
use crate::timing::quantile;

/// Maximum relative difference of the two chains, and of the clock between two looks.
pub(crate) const AGREEMENT: f64 = 0.01;
/// The fraction of looks that may be disturbed: an occasional look coincides with a timer interrupt.
const STRAY: f64 = 0.1;

/// Number of looks for a verdict, and core cycles of work between two looks, about 2 ms: together a fifth of a second,
/// which is many time slices of a scheduler. The core works throughout, because an idle core lowers its clock.
const LOOKS: usize = 100;
const BETWEEN: u64 = 5_000_000;

/// Core cycles a tick of the time-stamp counter, by each of two chains that use different units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chains {
    /// Dependent additions, one cycle each.
    pub additions: f64,
    /// Dependent multiplications, three cycles each.
    pub multiplications: f64,
}

impl Chains {
    /// Their relative difference.
    pub fn difference(&self) -> f64 {
        (self.additions / self.multiplications - 1.0).abs()
    }

    /// The clock's ratio; `None` if the chains disagree, because then at least one does not have the expected latency.
    pub(crate) fn agreed(&self) -> Option<f64> {
        // The comparison also rejects NaN.
        (self.difference() <= AGREEMENT).then_some((self.additions + self.multiplications) / 2.0)
    }
}

/// One look at the machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The clock.
    pub chains: Chains,
    /// Cycles of the loop that fills the core's units.
    pub full: f64,
}

/// A summary of several looks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quiet {
    /// Looks taken.
    pub looks: usize,
    /// Looks with chains that disagree.
    pub disagreeing: usize,
    /// The median relative difference of the chains.
    pub difference: f64,
    /// Looks with a clock away from the median.
    pub moved: usize,
    /// Looks during which something else used a part of the core.
    pub shared: usize,
}

impl Quiet {
    /// The summary of `looks`.
    pub fn of(looks: &[Look]) -> Quiet {
        let median =
            |of: &dyn Fn(&Look) -> f64| quantile(&mut looks.iter().map(of).collect::<Vec<f64>>(), 0.5);
        let ratios: Vec<f64> = looks.iter().filter_map(|look| look.chains.agreed()).collect();
        let middle = quantile(&mut ratios.clone(), 0.5);
        let best = looks.iter().map(|look| look.full).fold(f64::INFINITY, f64::min);
        let count = |of: &dyn Fn(&&Look) -> bool| looks.iter().filter(of).count();
        Quiet {
            looks: looks.len(),
            disagreeing: looks.len() - ratios.len(),
            difference: median(&|look| look.chains.difference()),
            moved: ratios.iter().filter(|ratio| (*ratio / middle - 1.0).abs() > AGREEMENT).count(),
            shared: count(&|look| look.full > best * TOLERANCE),
        }
    }

    /// The strongest disturbance of the machine, in a sentence; for a machine that is not quiet.
    pub fn noise(&self) -> String {
        let Quiet { looks, disagreeing, moved, shared, .. } = *self;
        let (most, what) = [
            (shared, "another program on this core"),
            (moved, "the clock change"),
            (disagreeing, "the clock change while they looked"),
        ]
        .into_iter()
        .rev()
        .max_by_key(|(count, _)| *count)
        .unwrap_or((0, "nothing"));
        format!("Noisy machine: {most} of {looks} checks saw {what}")
    }

    /// True if, except for stray looks, both chains agreed, the clock did not move, and nothing else used the core.
    /// False without any look.
    pub fn is_quiet(&self) -> bool {
        let stray = (self.looks as f64 * STRAY) as usize;
        self.looks > 0 && [self.disagreeing, self.moved, self.shared].iter().all(|&some| some <= stray)
    }
}

impl fmt::Display for Quiet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quiet { looks, disagreeing, difference, moved, shared } = *self;
        if self.is_quiet() {
            return write!(
                f,
                "quiet: chains of additions and of multiplications agree within 1 % in {} of {looks} looks ({:.2} % \
                 apart in the median), the clock holds still, and the core is all ours",
                looks - disagreeing,
                100.0 * difference
            );
        }
        write!(
            f,
            "not quiet: {shared} of {looks} checks saw another program on this core, {moved} a clock that had moved, \
             {disagreeing} chains of additions and of multiplications more than 1 % apart"
        )
    }
}

/// Core cycles a tick of this machine's time-stamp counter, and its quietness; `None` if nothing can be measured.
pub fn here() -> Option<(f64, Quiet)> {
    let mut judge = NativeJudge::start(Config::default()).ok()?;
    Some((judge.ratio().ok()?, judge.quiet().ok()?))
}

impl Core {
    /// Looks at the machine for a fifth of a second.
    pub(crate) fn quiet(&mut self) -> Result<Quiet, JudgeError> {
        let mut looks = Vec::with_capacity(LOOKS);
        for _ in 0..LOOKS {
            let chains = self.clock.look(&mut self.entrance)?;
            let ticks = self.probe.ticks(&mut self.entrance, &self.clock)?;
            // By the clock of this look, because another look's clock may have been faster.
            let full = ticks * (chains.additions + chains.multiplications) / 2.0;
            looks.push(Look { chains, full });
            self.clock.work(&mut self.entrance, BETWEEN)?;
        }
        Ok(Quiet::of(&looks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(additions: f64, multiplications: f64, full: f64) -> Look {
        Look { chains: Chains { additions, multiplications }, full }
    }

    /// Recorded on a Xeon (family 6, model 207), a virtual machine: all looks during a while in which nothing shared
    /// the core.
    const STILL: [(f64, f64, f64); 8] = [
        (1.3005, 1.3037, 1004.0),
        (1.3005, 1.3005, 1004.0),
        (1.3037, 1.3005, 1010.4),
        (1.3037, 1.3037, 1009.1),
        (1.3005, 1.3005, 1001.4),
        (1.3037, 1.3069, 1018.2),
        (1.3005, 1.3037, 1010.4),
        (1.3037, 1.3037, 1006.5),
    ];

    /// That machine, while its other tenants worked: the clock moves between three steps, half of the units are at
    /// times used by another tenant, and once the chains measured different clocks.
    const SHARED: [(f64, f64, f64); 8] = [
        (1.3037, 1.3005, 2000.0),
        (1.3005, 1.3037, 1401.1),
        (1.3005, 1.3005, 1004.0),
        (1.2601, 1.2601, 1010.6),
        (1.3401, 1.3504, 1003.6),
        (1.2512, 1.2662, 1369.5),
        (1.2785, 1.2973, 2019.4),
        (1.3435, 1.3469, 1003.5),
    ];

    fn verdict(looks: &[(f64, f64, f64)]) -> Quiet {
        Quiet::of(&looks.iter().map(|&(a, m, full)| look(a, m, full)).collect::<Vec<Look>>())
    }

    #[test]
    fn a_machine_is_quiet_where_nothing_was_seen_to_disturb_it() {
        let still = verdict(&STILL);
        assert!(still.is_quiet(), "{still:?}");
        assert!(
            still.to_string().starts_with("quiet: ") && still.to_string().contains("8 of 8 looks"),
            "{still}"
        );
        let shared = verdict(&SHARED);
        assert_eq!((shared.looks, shared.disagreeing, shared.moved, shared.shared), (8, 2, 3, 4));
        assert!(!shared.is_quiet());
        assert!(shared.to_string().starts_with("not quiet: 4 of 8 checks saw another program"), "{shared}");
        assert_eq!(shared.noise(), "Noisy machine: 4 of 8 checks saw another program on this core");
        let moved = Quiet { shared: 0, moved: 5, ..shared };
        assert_eq!(moved.noise(), "Noisy machine: 5 of 8 checks saw the clock change");
    }

    /// Each of the three reasons is enough; one look in ten may be disturbed by a timer.
    #[test]
    fn a_machine_is_not_quiet_for_any_one_reason() {
        let with = |strays: usize, (a, m, full): (f64, f64, f64)| {
            let mut looks: Vec<(f64, f64, f64)> = STILL.iter().cycle().take(40).copied().collect();
            looks[..strays].fill((a, m, full));
            verdict(&looks)
        };
        for disturbed in [(1.32, 1.3005, 1004.0), (1.3435, 1.3435, 1004.0), (1.3005, 1.3005, 1401.1)] {
            assert!(with(4, disturbed).is_quiet(), "{disturbed:?}");
            assert!(!with(5, disturbed).is_quiet(), "{disturbed:?}");
        }
        assert!(!Quiet::of(&[]).is_quiet(), "nobody looked");
    }

    #[test]
    fn chains_that_disagree_give_no_clock() {
        let chains = |additions, multiplications| Chains { additions, multiplications };
        assert_eq!(chains(1.25, 1.25).agreed(), Some(1.25));
        assert!(chains(1.256, 1.25).agreed().is_some() && chains(1.25, 1.256).agreed().is_some());
        assert_eq!(chains(1.27, 1.25).agreed(), None);
        // A multiplication of four cycles, or a chain that was stopped in the middle.
        assert_eq!(chains(1.25, 1.25 * 0.75).agreed(), None);
        assert_eq!(chains(f64::NAN, 1.25).agreed(), None);
        assert_eq!(chains(0.0, 0.0).agreed(), None);
    }
}
