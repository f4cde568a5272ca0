//! Combines several calibrations of one machine, and the bounds that follow from them.
//!
//! Disturbances only make a measurement slower, and a figure for a lower bound must not be too high: the minimum of
//! several counts, and the maximum is kept with it as an interval. A figure whose every measurement was disturbed
//! counts only if there is no other. If code is measured below a bound nevertheless, the bound is wrong, and
//! [`MachineModel::lower_to`] corrects it.

use super::{Counts, Kind, MachineModel, Timing, UnitGroup};

impl Timing {
    /// Joins the timings of one kind in two calibrations to one interval.
    pub fn join(&self, other: &Timing) -> Timing {
        if self.doubted != other.doubted {
            return if self.doubted { *other } else { *self };
        }
        let least = |a: f64, b: f64| a.min(b);
        let greatest = |a: f64, b: f64| a.max(b);
        let latency = either(self.latency, other.latency, least);
        let latency_high =
            either(self.latency_high.or(self.latency), other.latency_high.or(other.latency), greatest);
        let high = |t: &Timing| t.throughput_high.unwrap_or(t.reciprocal_throughput);
        Timing {
            kind: self.kind,
            latency,
            reciprocal_throughput: self.reciprocal_throughput.min(other.reciprocal_throughput),
            latency_high,
            throughput_high: Some(high(self).max(high(other))),
            doubted: self.doubted,
        }
    }
}

fn either(a: Option<f64>, b: Option<f64>, choose: fn(f64, f64) -> f64) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(choose(a, b)),
        (one, other) => one.or(other),
    }
}

impl MachineModel {
    /// The joint result of several calibrations of one machine: the minimum of each figure, the maximum issue width of
    /// the front end, and of the competition for units only that in all calibrations.
    pub fn least<'a>(calibrations: impl IntoIterator<Item = &'a MachineModel>) -> MachineModel {
        let mut calibrations = calibrations.into_iter();
        let mut model = calibrations.next().cloned().unwrap_or_default();
        for other in calibrations {
            for timing in &other.timings {
                match model.timings.iter_mut().find(|t| t.kind == timing.kind) {
                    Some(known) => *known = known.join(timing),
                    None => model.timings.push(*timing),
                }
            }
            model.groups = model.groups.iter().filter_map(|group| seen_by_both(group, other)).collect();
            model.issue_width = either(model.issue_width, other.issue_width, f64::max);
        }
        model
    }

    /// Lowers every bound on `counts` to at most `cycles`, the measured time of such code.
    pub fn lower_to(&mut self, counts: &Counts, cycles: f64) {
        let count = |kind: &Kind| counts.kinds.get(kind).copied().unwrap_or(0.0);
        for timing in &mut self.timings {
            let n = count(&timing.kind);
            if n * timing.reciprocal_throughput > cycles {
                timing.lower_throughput(cycles / n);
            }
        }
        for group in &mut self.groups {
            let sum: f64 = group.members.iter().map(|(kind, each)| count(kind) * each).sum();
            if sum > cycles {
                group.members.iter_mut().for_each(|(_, each)| *each *= cycles / sum);
            }
        }
        if let Some(width) = &mut self.issue_width {
            *width = width.max(counts.slots() / cycles);
        }
    }
}

impl Timing {
    /// Lowers the reciprocal throughput to a measured value, if it is above it.
    pub fn lower_throughput(&mut self, seen: f64) {
        if seen < self.reciprocal_throughput {
            self.throughput_high.get_or_insert(self.reciprocal_throughput);
            self.reciprocal_throughput = seen;
        }
    }

    /// Lowers the latency to a measured value, if it is above it.
    pub fn lower_latency(&mut self, seen: f64) {
        if let Some(known) = self.latency.filter(|known| seen < *known) {
            self.latency_high.get_or_insert(known);
            self.latency = Some(seen);
        }
    }
}

/// Members of a group that compete for the same units in another calibration too, each with the minimum that it
/// occupies. The last member is the units' own kind ([`MachineModel::merge_groups`]).
fn seen_by_both(group: &UnitGroup, other: &MachineModel) -> Option<UnitGroup> {
    let own = |g: &UnitGroup| g.members.last().map(|(kind, _)| *kind);
    let same = other.groups.iter().find(|g| own(g) == own(group))?;
    let members: Vec<(Kind, f64)> = group
        .members
        .iter()
        .filter_map(|(kind, each)| {
            let (_, others) = same.members.iter().find(|(k, _)| k == kind)?;
            Some((*kind, each.min(*others)))
        })
        .collect();
    (members.len() > 1).then_some(UnitGroup { members })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::{TimingClass, Vectors};

    const AES: Kind = Kind { class: TimingClass::Aes, vectors: Vectors::Bits512 };
    const LOGIC: Kind = Kind { class: TimingClass::Logic, vectors: Vectors::Bits512 };
    const SHUFFLE: Kind = Kind { class: TimingClass::Shuffle, vectors: Vectors::Bits512 };

    fn calibration(aes: f64, latency: f64, logic: f64) -> MachineModel {
        MachineModel {
            timings: vec![Timing::new(AES, Some(latency), aes), Timing::new(LOGIC, Some(1.0), logic)],
            groups: vec![UnitGroup { members: vec![(SHUFFLE, 0.5), (LOGIC, logic)] }],
            issue_width: Some(6.0),
        }
    }

    /// Seven measured calibrations of one Zen 4: no bound is above any of them.
    #[test]
    fn a_bound_is_the_least_of_several_calibrations() {
        let seen = [
            (0.998, 4.00, 0.50),
            (1.012, 4.01, 0.50),
            (0.987, 3.97, 0.70),
            (1.001, 3.99, 0.51),
            (0.993, 3.61, 0.50),
            (1.006, 4.00, 0.50),
            (1.000, 3.98, 0.50),
        ];
        let all = seen.map(|(aes, latency, logic)| calibration(aes, latency, logic));
        let least = MachineModel::least(&all);
        let aes = least.timing(AES).unwrap();
        assert_eq!((aes.reciprocal_throughput, aes.throughput_high), (0.987, Some(1.012)));
        assert_eq!((aes.latency, aes.latency_high), (Some(3.61), Some(4.01)));
        let kinds = [(LOGIC, 100.0)].into_iter().collect();
        let work = Counts { kinds, instructions: 100.0, branches: 0.0 };
        assert_eq!(least.throughput_bound(&work).cycles, 50.0, "not the 70 of the disturbed one");
        assert!(all.iter().all(|c| c.throughput_bound(&work).cycles >= 50.0));
    }

    #[test]
    fn a_figure_whose_every_measurement_was_disturbed_does_not_count_beside_a_sound_one() {
        let mut doubtful = calibration(1.0, 3.61, 0.5);
        doubtful.timings[0].doubted = true;
        let sound = calibration(1.01, 4.0, 0.5);
        for both in [[&doubtful, &sound], [&sound, &doubtful]] {
            assert_eq!(MachineModel::least(both).timing(AES).unwrap().latency, Some(4.0));
        }
        assert_eq!(MachineModel::least([&doubtful]).timing(AES).unwrap().latency, Some(3.61));
    }

    #[test]
    fn units_that_one_calibration_did_not_see_shared_bound_nothing() {
        let (shared, mut free) = (calibration(1.0, 4.0, 0.5), calibration(1.0, 4.0, 0.5));
        free.groups.clear();
        assert_eq!(MachineModel::least([&shared, &free]).groups, []);
        let mut less = calibration(1.0, 4.0, 0.5);
        less.groups[0].members[0].1 = 0.25;
        assert_eq!(MachineModel::least([&shared, &less]).groups, less.groups);
    }

    #[test]
    fn a_bound_that_was_beaten_is_lowered_to_what_was_seen() {
        let mut model = calibration(1.0, 4.0, 0.7);
        let kinds = [(LOGIC, 100.0), (SHUFFLE, 100.0)].into_iter().collect();
        let work = Counts { kinds, instructions: 720.0, branches: 0.0 };
        assert!(model.throughput_bound(&work).cycles > 60.0);
        model.lower_to(&work, 60.0);
        assert!((model.throughput_bound(&work).cycles - 60.0).abs() < 1e-9);
        assert_eq!(model.timing(AES), calibration(1.0, 4.0, 0.7).timing(AES), "what it did not use stays");
        let before = model.clone();
        model.lower_to(&work, 61.0);
        assert_eq!(model, before, "a bound that holds is left alone");
    }

    #[test]
    fn a_model_of_an_earlier_version_reads() {
        let text = r#"{"timings":[{"class":"aes","vectors":"zmm","latency":3.0,"reciprocal_throughput":1.0}],
                       "groups":[],"issue_width":6.0}"#;
        let model: MachineModel = serde_json::from_str(text).unwrap();
        assert_eq!(model.timings, [Timing::new(AES, Some(3.0), 1.0)]);
    }
}
