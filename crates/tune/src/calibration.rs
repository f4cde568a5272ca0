//! The calibrations of this machine in wisdom, measured at different times; the least value of each figure
//! counts. A bound that a kernel beats is corrected by a further calibration, which states its reason.

use crate::error::TuneError;
use crate::options::Event;
use crate::workplace::{TOOL_VERSION, Workplace, this_processor};
use aesmith_native::quiet::Quiet;
use aesmith_native::{NativeJudge, model};
use aesmith_processor::measured::MachineModel;
use aesmith_wisdom::write::now_ms;
use aesmith_wisdom::{Store, record};
use serde::{Deserialize, Serialize};

/// Number of whole measurements of a machine before bounds are taken from them, each in its own process:
/// another tenant of the core, or a bad placement, disturbs a measurement for all its duration.
const WANTED: usize = 3;
/// Relative improvement of a figure below which no calibration of its own is stored.
const WORTH_KEEPING: f64 = 0.001;

/// One calibration as wisdom keeps it. Earlier versions stored the model alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Calibration {
    #[serde(flatten)]
    model: MachineModel,
    /// Why it was made, unless it is a measurement of the whole machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Noise on the machine while all of it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quiet: Option<Quiet>,
    /// True if the figures allow for the steps of the time-stamp counter. Figures of earlier versions do not, and are wrong
    /// by some per cent on processors of AMD.
    #[serde(default)]
    by_steps: bool,
    /// True if earlier calibrations no longer count: the user asked for a new measurement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    afresh: bool,
}

/// The machine model that results from all calibrations in wisdom, after any measurements that are still
/// needed; and true if the observer was told that the machine was not quiet.
pub(crate) fn machine_model(
    store: &mut Store,
    judge: &mut NativeJudge,
    remeasure: bool,
    observer: &mut dyn FnMut(Event),
) -> Result<(MachineModel, bool), TuneError> {
    // The machine is the same however few of its features kernels may use.
    let machine = store.put_processor(&this_processor(None))?;
    let mut known = if remeasure { Vec::new() } else { known(store, &machine, observer)? };
    let measured = known.iter().filter(|c| c.reason.is_none()).count();
    let mut noisy = false;
    for number in measured + 1..=WANTED {
        observer(Event::Detail(&format!(
            "measuring the machine, {number} of {WANTED}: latency and throughput of each kind of instruction"
        )));
        let model = judge.measure_machine_afresh()?;
        let quiet = judge.quiet()?;
        if !quiet.is_quiet() {
            if !noisy {
                observer(Event::Note(&quiet.noise()));
            }
            noisy = true;
        }
        let calibration = Calibration {
            model,
            reason: None,
            quiet: Some(quiet),
            by_steps: true,
            afresh: remeasure && number == 1,
        };
        put(store, &machine, &calibration)?;
        known.push(calibration);
    }
    Ok((MachineModel::least(known.iter().map(|c| &c.model)), noisy))
}

/// A machine's calibrations in wisdom that this version can use, oldest first.
fn known(
    store: &Store,
    machine: &str,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<Calibration>, TuneError> {
    let mut known: Vec<Calibration> = Vec::new();
    let mut lacking = 0;
    store.each_machine_model(Some(machine), |stored| {
        match serde_json::from_value::<Calibration>(stored.model) {
            Ok(calibration) if calibration.by_steps && model::is_complete(&calibration.model) => {
                if calibration.afresh {
                    known.clear();
                }
                known.push(calibration);
            }
            _ => lacking += 1,
        }
        Ok(())
    })?;
    if known.is_empty() && lacking > 0 {
        observer(Event::Note(
            "the machine models in wisdom lack instructions that this version measures, or ignore the steps of the \
             time-stamp counter; the machine is measured again",
        ));
    }
    Ok(known)
}

fn put(store: &mut Store, machine: &str, calibration: &Calibration) -> Result<(), TuneError> {
    // Two calibrations of the same millisecond would be one.
    let newest = store.machine_model(machine)?.map_or(0, |m| m.made_ms);
    store.put_machine_model(&record::MachineModel {
        processor: machine.to_owned(),
        made_ms: now_ms().max(newest + 1),
        tool_version: TOOL_VERSION.into(),
        model: serde_json::to_value(calibration).expect("a calibration has a JSON form"),
    })?;
    Ok(())
}

impl Workplace {
    /// Stores the current model as a calibration of its own.
    pub(crate) fn keep_model(&mut self, reason: &str) -> Result<(), TuneError> {
        let machine = self.store.put_processor(&this_processor(None))?;
        let calibration = Calibration {
            model: self.model.clone(),
            reason: Some(reason.to_owned()),
            quiet: None,
            by_steps: true,
            afresh: false,
        };
        put(&mut self.store, &machine, &calibration)
    }

    /// Measures the AES instructions again, within some milliseconds, in the judge's running process:
    /// alongside a confirmation, which runs in a new process.
    pub(crate) fn recalibrate(&mut self) -> Result<(), TuneError> {
        let measured = self.judge.measure_aes()?;
        let mut lower = false;
        for timing in &measured.timings {
            let Some(known) = self.model.timings.iter_mut().find(|t| t.kind == timing.kind) else { continue };
            let joined = known.join(timing);
            let below = |new: f64, old: f64| new < old * (1.0 - WORTH_KEEPING);
            lower |= below(joined.reciprocal_throughput, known.reciprocal_throughput)
                || joined.latency.zip(known.latency).is_some_and(|(new, old)| below(new, old));
            *known = joined;
        }
        if lower {
            self.keep_model("the AES instructions, measured again beside a confirmation")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_of_an_earlier_version_is_a_calibration() {
        let model = MachineModel { issue_width: Some(6.0), ..MachineModel::default() };
        let stored = serde_json::to_value(&model).unwrap();
        let calibration: Calibration = serde_json::from_value(stored).unwrap();
        assert_eq!(
            calibration,
            Calibration { model, reason: None, quiet: None, by_steps: false, afresh: false }
        );
    }

    #[test]
    fn a_calibration_reads_back_with_its_reason() {
        let calibration = Calibration {
            model: MachineModel::default(),
            reason: Some("the bound was beaten".into()),
            quiet: None,
            by_steps: true,
            afresh: true,
        };
        let text = serde_json::to_string(&calibration).unwrap();
        assert_eq!(serde_json::from_str::<Calibration>(&text).unwrap(), calibration);
    }
}
