//! The time of a search by stage: in JSON, in wisdom with the run, and in a report's chart.

use crate::evaluate::pipeline::Counts;
use aesmith_report::{SearchStage, SearchTime};
use serde::{Deserialize, Serialize};

/// Time of a search by stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchTimes {
    /// Number of distinct kernels built.
    pub built: u64,
    /// Built kernels that were proved.
    pub proved: u64,
    /// Proved kernels whose proof was a reduction to an earlier kernel.
    pub reduced: u64,
    /// Cones of rounds that the proofs simplified, each as a function of the lane it is computed from.
    pub cones: u64,
    /// Cache hits for those functions, from other lanes.
    pub cones_found_again: u64,
    /// Seconds for building kernels.
    pub generate_seconds: f64,
    /// Seconds for reducing kernels to others.
    pub reduce_seconds: f64,
    /// Seconds for the other proofs.
    pub prove_seconds: f64,
    /// Seconds for screening, in parallel on another CPU.
    pub measure_seconds: f64,
    /// Seconds for writing samples to wisdom.
    pub store_seconds: f64,
}

impl From<Counts> for SearchTimes {
    fn from(counts: Counts) -> Self {
        SearchTimes {
            built: counts.kernels,
            proved: counts.proved,
            reduced: counts.reduced,
            cones: counts.cones.simplified,
            cones_found_again: counts.cones.again,
            generate_seconds: counts.building.as_secs_f64(),
            reduce_seconds: counts.reducing.as_secs_f64(),
            prove_seconds: counts.proving.as_secs_f64(),
            measure_seconds: counts.screening.as_secs_f64(),
            store_seconds: counts.storing.as_secs_f64(),
        }
    }
}

impl SearchTimes {
    /// Reads stored times; `None` for another version's format.
    pub fn read(stored: &serde_json::Value) -> Option<SearchTimes> {
        SearchTimes::deserialize(stored).ok()
    }

    /// The times as a report shows them, for a run by `strategy` with `samples` samples; `own` is true if it
    /// found the shown kernel.
    pub fn shown(&self, strategy: &str, own: bool, samples: u64) -> SearchTime {
        let stage = |name: &str, did: &[(u64, &str)], seconds: f64, beside: bool| SearchStage {
            name: name.into(),
            did: did.iter().map(|(count, what)| (*count, (*what).to_owned())).collect(),
            seconds,
            beside,
        };
        let SearchTimes { built, proved, reduced, cones, cones_found_again, .. } = *self;
        let afresh = proved.saturating_sub(reduced);
        let proofs = [
            (afresh, "proofs made"),
            (cones, "parts of rounds simplified"),
            (cones_found_again, "of them found again"),
        ];
        let stages = vec![
            stage("generate", &[(built, "different kernels built")], self.generate_seconds, false),
            stage("reduce", &[(reduced, "proofs reduced to another\u{2019}s")], self.reduce_seconds, false),
            stage("prove", &proofs, self.prove_seconds, false),
            stage("store", &[], self.store_seconds, false),
            stage("measure", &[(proved, "proved kernels run")], self.measure_seconds, true),
        ];
        SearchTime { strategy: strategy.into(), own, samples, stages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_prove::ConeCount;
    use std::time::Duration;

    #[test]
    fn what_wisdom_keeps_reads_back_and_a_report_has_each_second_once() {
        let seconds = Duration::from_secs;
        let counts = Counts {
            kernels: 9,
            proved: 7,
            reduced: 4,
            cones: ConeCount { simplified: 5, again: 6 },
            shared: 2,
            building: seconds(1),
            reducing: seconds(2),
            proving: seconds(4),
            screening: seconds(8),
            storing: seconds(16),
        };
        let times = SearchTimes::from(counts);
        assert_eq!(SearchTimes::read(&serde_json::json!(times)), Some(times));
        assert_eq!(SearchTimes::read(&serde_json::json!({ "built": 1 })), None);
        let shown = times.shown("memetic", true, 11);
        let of = |beside| shown.stages.iter().filter(|s| s.beside == beside).map(|s| s.seconds).sum::<f64>();
        assert_eq!((of(false), of(true)), (23.0, 8.0));
        let counts: Vec<u64> =
            shown.stages.iter().flat_map(|s| s.did.iter().map(|(count, _)| *count)).collect();
        assert_eq!(counts, [9, 4, 3, 5, 6, 7]);
    }
}
