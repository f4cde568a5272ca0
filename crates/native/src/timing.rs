//! Raw samples and statistics of them. All raw ticks are kept, so that every figure can be recomputed.

use serde::{Deserialize, Serialize};

/// The measured quantity of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Throughput of independent calls: short ones are made back to back, each on an IV of its own, and overlap as far
    /// as the processor allows. Wherever only one number is shown, it is this one.
    #[default]
    Throughput,
    /// Latency of dependent calls: each begins when the last result of the previous one is available.
    Latency,
}

/// Samples of one candidate taken together, in ticks of the time-stamp counter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Ticks of each sample, as read.
    pub ticks: Vec<u64>,
    /// Calls made back to back within each sample.
    pub calls: u64,
    /// Ticks that reading the counter takes, to be subtracted from each sample.
    pub overhead: f64,
    /// Ticks by which the counter steps; see `fastest` here. 0 in files of earlier versions, which took the fastest sample.
    #[serde(default)]
    pub step: u64,
    /// Core cycles a tick (see [`crate::clock`]).
    pub ratio: f64,
    /// Number of spacings of streams at which samples were taken ([`crate::place::Spacing`]): equally many at each, one
    /// spacing after the other. Omitted in files for one spacing.
    #[serde(default)]
    pub spacings: usize,
    /// True if the disturbance probes before and after ran at their best speed, and the clock's ratio had not changed
    /// afterwards.
    pub clean: bool,
}

impl Timing {
    /// Calibrated core cycles per call of each sample.
    pub fn cycles(&self) -> impl Iterator<Item = f64> + '_ {
        self.ticks.iter().map(|&ticks| self.cycles_of(ticks as f64))
    }

    /// Calibrated core cycles per call of a sample of `ticks`.
    fn cycles_of(&self, ticks: f64) -> f64 {
        (ticks - self.overhead).max(0.0) * self.ratio / self.calls.max(1) as f64
    }

    /// The fastest of some samples, in cycles per call.
    fn fastest(&self, ticks: impl Iterator<Item = u64> + Clone) -> f64 {
        self.cycles_of(fastest(ticks, self.step))
    }

    /// The fastest sample, in cycles per call; infinite if there is none. With several spacings of streams, the slowest
    /// spacing counts.
    pub fn best(&self) -> f64 {
        self.by_spacing().into_iter().reduce(f64::max).unwrap_or(f64::INFINITY)
    }

    /// The fastest sample at each spacing of streams, in cycles per call.
    pub fn by_spacing(&self) -> Vec<f64> {
        let each = self.ticks.len().div_ceil(self.spacings.max(1)).max(1);
        self.ticks.chunks(each).map(|some| self.fastest(some.iter().copied())).collect()
    }
}

/// Result of a candidate's screen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Screen {
    /// The samples.
    pub timing: Timing,
    /// Bytes processed by a call, over all streams (0 for key set-ups).
    pub bytes: usize,
    /// Number of starting points that successive samples rotate through (see [`crate::native`]).
    pub turns: usize,
    /// True if it was given up early, because it was slower than the limit.
    pub cut: bool,
}

impl Screen {
    /// The fastest sample of each starting point, averaged over the starting points; in calibrated core cycles per
    /// call.
    pub fn cycles(&self) -> f64 {
        if self.turns <= 1 {
            return self.timing.best();
        }
        let ticks = &self.timing.ticks;
        let turns = self.turns.clamp(1, ticks.len().max(1));
        let best = |turn| self.timing.fastest(ticks.iter().skip(turn).step_by(turns).copied());
        (0..turns).map(best).sum::<f64>() / turns as f64
    }

    /// Cycles per byte; per call for key set-ups.
    pub fn cycles_per_byte(&self) -> f64 {
        self.cycles() / self.bytes.max(1) as f64
    }
}

/// A candidate's samples in a duel: one [`Timing`] a round, in order of rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// The samples of each round.
    pub rounds: Vec<Timing>,
    /// Bytes processed by a call, over all streams (0 for key set-ups).
    pub bytes: usize,
    /// The measured quantity.
    #[serde(default)]
    pub quantity: Quantity,
}

impl Samples {
    /// Each round's fastest sample, in cycles per call.
    pub fn cycles(&self) -> Vec<f64> {
        self.rounds.iter().map(Timing::best).collect()
    }

    /// The medians over the rounds at each spacing of streams, in cycles per byte; empty if there is one stream.
    pub fn by_spacing(&self) -> Vec<f64> {
        let rounds: Vec<Vec<f64>> = self.rounds.iter().map(Timing::by_spacing).collect();
        let spacings = rounds.iter().map(Vec::len).min().filter(|spacings| *spacings > 1).unwrap_or(0);
        (0..spacings)
            .map(|at| {
                let mut best: Vec<f64> = rounds.iter().map(|round| round[at]).collect();
                quantile(&mut best, 0.5) / self.bytes.max(1) as f64
            })
            .collect()
    }

    /// A quantile over the rounds, in cycles per call.
    pub fn quantile(&self, q: f64) -> f64 {
        quantile(&mut self.cycles(), q)
    }

    /// A quantile over the rounds, in cycles per byte (per call for key set-ups).
    pub fn cycles_per_byte(&self, q: f64) -> f64 {
        self.quantile(q) / self.bytes.max(1) as f64
    }
}

/// Ticks of the fastest of some samples; infinite if there is none. AMD's time-stamp counters step by tens of ticks (26 on a
/// Zen 4 at 2.6 GHz, where a step takes 10 ns), so that a sample is too short or too long by up to one step. Samples begin
/// anywhere within a step; the mean of those that are at most a step above the least is what they have in common.
pub(crate) fn fastest(ticks: impl Iterator<Item = u64> + Clone, step: u64) -> f64 {
    let Some(least) = ticks.clone().min() else { return f64::INFINITY };
    let near = ticks.filter(|ticks| ticks - least <= step);
    let (sum, count) = near.fold((0, 0), |(sum, count), ticks| (sum + ticks, count + 1));
    sum as f64 / f64::from(count)
}

/// Quantile `q` (0 to 1) by linear interpolation; sorts `values`; NaN if there are none.
pub fn quantile(values: &mut [f64], q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return f64::NAN };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let (low, high) = (values[at.floor() as usize], values[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The first is faster, by more than noise.
    Faster,
    /// The first is slower, by more than noise.
    Slower,
    /// The interval does not exceed the noise floor.
    NoEvidence,
}

/// A comparison of two candidates measured in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Median over the rounds of (cycles of the first / cycles of the second).
    pub ratio: f64,
    /// Lower end of the 99 % interval of that median.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
    /// The verdict, given the noise floor.
    pub verdict: Verdict,
}

/// Compares `a` with `b` round by round. The interval is that of a median by order statistics (binomial, with no
/// assumption on the distribution), so it needs 8 rounds for a statement at 99 %. `noise` is the relative A-against-A
/// difference that the interval must exceed as well.
pub fn compare(a: &Samples, b: &Samples, noise: f64) -> Comparison {
    let mut ratios: Vec<f64> = a.cycles().iter().zip(b.cycles()).map(|(x, y)| x / y).collect();
    let ratio = quantile(&mut ratios, 0.5);
    let Some(rank) = median_interval_rank(ratios.len()) else {
        return Comparison { ratio, low: 0.0, high: f64::INFINITY, verdict: Verdict::NoEvidence };
    };
    let (low, high) = (ratios[rank], ratios[ratios.len() - 1 - rank]);
    let verdict = if high < 1.0 - noise {
        Verdict::Faster
    } else if low > 1.0 + noise {
        Verdict::Slower
    } else {
        Verdict::NoEvidence
    };
    Comparison { ratio, low, high, verdict }
}

/// The noise floor from two sets of samples of the *same* candidate: the maximum distance from 1 of the interval of
/// their ratio.
pub fn noise_floor(a: &Samples, again: &Samples) -> f64 {
    let c = compare(a, again, 0.0);
    if c.high.is_finite() { (c.high - 1.0).abs().max((1.0 - c.low).abs()) } else { f64::INFINITY }
}

/// The largest r such that the r-th smallest and r-th largest of n values (counted from 0) enclose the median of their
/// distribution with a probability of at least 99 %.
fn median_interval_rank(n: usize) -> Option<usize> {
    let mut probability = 0.5f64.powi(n as i32);
    let mut below = 0.0;
    let mut rank = None;
    for k in 0..n / 2 {
        below += probability;
        if below > 0.005 {
            break;
        }
        rank = Some(k);
        probability *= (n - k) as f64 / (k + 1) as f64;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(cycles: impl IntoIterator<Item = u64>) -> Samples {
        let timing = |t| Timing {
            ticks: vec![t + 10, t + 30],
            calls: 2,
            overhead: 10.0,
            step: 0,
            ratio: 2.0,
            spacings: 1,
            clean: true,
        };
        Samples { rounds: cycles.into_iter().map(timing).collect(), bytes: 100, ..Samples::default() }
    }

    #[test]
    fn cycles_are_calibrated_and_the_overhead_taken_off() {
        let s = samples([100, 300, 200]);
        assert_eq!(s.cycles(), [100.0, 300.0, 200.0]);
        assert_eq!(s.quantile(0.5), 200.0);
        assert_eq!(s.cycles_per_byte(0.0), 1.0);
    }

    /// Sixteen streams as measured on a Xeon (family 6, model 207): slow at page spacing.
    #[test]
    fn the_worst_spacing_counts() {
        let ticks = vec![790, 780, 785, 240, 235, 250, 231, 230, 260];
        let timing = Timing { ticks, calls: 1, ratio: 1.0, spacings: 3, ..Timing::default() };
        assert_eq!(timing.by_spacing(), [780.0, 235.0, 230.0]);
        assert_eq!(timing.best(), 780.0);
        let screen = Screen { timing: timing.clone(), bytes: 1000, turns: 1, cut: false };
        assert_eq!(screen.cycles_per_byte(), 0.78);
        let faster = Timing { ticks: timing.ticks.iter().map(|t| t - 10).collect(), ..timing.clone() };
        let s =
            Samples { rounds: vec![timing.clone(), faster.clone(), timing], bytes: 10, ..Samples::default() };
        assert_eq!(s.by_spacing(), [78.0, 23.5, 23.0]);
        assert_eq!(s.cycles(), [780.0, 770.0, 780.0]);
        assert_eq!(samples([100, 200]).by_spacing(), [0.0; 0], "of one stream nothing is said");
        assert_eq!(Timing::default().best(), f64::INFINITY);
        assert_eq!(Timing { spacings: 1, ..faster }.best(), 220.0);
    }

    /// A call of 100.5 steps of 26 ticks, as a counter that steps shows it; two samples were disturbed.
    #[test]
    fn steps_of_the_counter_cancel() {
        let ticks = [2600, 2626, 2626, 2600, 2990, 2626, 2600, 2704];
        assert_eq!(fastest(ticks.into_iter(), 26), 2613.0);
        assert_eq!(fastest(ticks.into_iter(), 0), 2600.0);
        assert_eq!(fastest(std::iter::empty(), 26), f64::INFINITY);
        let timing = Timing {
            ticks: ticks.to_vec(),
            calls: 2,
            overhead: 13.0,
            step: 26,
            ratio: 1.5,
            ..Timing::default()
        };
        assert_eq!(timing.best(), 1950.0);
    }

    /// Ranks from tables of the sign test: n = 8 is the first with 99 %, n = 20 gives the 4th from each end.
    #[test]
    fn interval_of_the_median() {
        assert_eq!(median_interval_rank(7), None);
        assert_eq!(median_interval_rank(8), Some(0));
        assert_eq!(median_interval_rank(20), Some(3));
    }

    #[test]
    fn verdicts_clear_the_noise() {
        let a = samples((0..20).map(|i| 1000 + i % 3));
        let b = samples((0..20).map(|i| 1020 + i % 3));
        assert_eq!(compare(&a, &b, 0.005).verdict, Verdict::Faster);
        assert_eq!(compare(&b, &a, 0.005).verdict, Verdict::Slower);
        assert_eq!(compare(&a, &b, 0.05).verdict, Verdict::NoEvidence);
        assert_eq!(compare(&a, &a, 0.0).verdict, Verdict::NoEvidence);
        assert!(noise_floor(&a, &b) > 0.015);
        assert_eq!(noise_floor(&samples([1]), &samples([1])), f64::INFINITY);
    }
}
