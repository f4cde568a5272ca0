//! Records that a run with exact judges stores: the run, the modelled costs of each variant, the counts of
//! judges, and the confirmed kernels.

use aesmith_arrange::Variant;
use aesmith_cipher::{Calls, Problem};
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::checked::{Verdict, of_kernel};
use aesmith_processor::core::Core;
use aesmith_processor::cost::Cost;
use aesmith_search::racing::Quartiles;
use aesmith_wisdom::{Best, Costed, Costs, Processor, Sample, Store, WisdomError};

use crate::evaluate::costing::Point;
use crate::evaluate::record::{self, Origin, RunSubject, Started, command};

/// Starts a run and registers its processor.
pub fn start(
    store: &mut Store,
    core: &Core,
    problem: Problem,
    origin: Origin,
) -> Result<Started, WisdomError> {
    let subject = RunSubject {
        processor: &Processor::named(core.name, core.about),
        problem: problem.to_string(),
        size: 0,
        judge: "machine model".into(),
        unit: format!("{} per {}", core.timing.unit, if problem.is_message() { "block" } else { "key" }),
        calls: Calls::Steady,
        command: command(),
    };
    record::start(store, subject, origin)
}

/// The modelled costs of a variant, or why it does not fit.
pub fn modelled(trial: u64, variant: &Variant, result: &Result<Point, String>) -> Sample {
    let sample = Sample { trial, ..record::sample("model", variant, 0) };
    match result {
        Ok(point) => Sample {
            sha256: Some(point.sha256.clone()),
            cost: Some(point.cost.cycles),
            costs: Some(Costs {
                once: point.cost.once,
                flash: point.cost.flash,
                ram: point.cost.ram,
                stack: point.cost.stack,
                same_path: point.same_path,
                blocks: point.blocks,
            }),
            ..sample
        },
        Err(why) => Sample { verdict: "does-not-fit".into(), message: why.clone(), ..sample },
    }
}

/// The cycles that a judge counts, as a sample.
pub fn judged(point: &Point, judge: &str, cycles: f64) -> Sample {
    Sample {
        phase: "judge".into(),
        cost: Some(cycles),
        costs: None,
        judge: judge.into(),
        ..modelled(0, &point.variant, &Ok(point.clone()))
    }
}

/// The refusal of a kernel by its proof or by a judge, as a sample.
pub fn refuted(point: &Point, why: &str) -> Sample {
    Sample {
        phase: "judge".into(),
        verdict: "refuted".into(),
        message: why.into(),
        cost: None,
        costs: None,
        ..modelled(0, &point.variant, &Ok(point.clone()))
    }
}

/// A kernel that is proved and tested, and the cycles that the judge counted for it.
pub fn confirmation(
    run: &Started,
    point: &Point,
    certificate: &BitsCertificate,
    bound: Option<f64>,
) -> (Best, Option<Sample>) {
    let cycles = certificate.cycles();
    let judge = if certificate.independent { certificate.judge.clone() } else { String::new() };
    let sample = certificate.judged_cycles.map(|cycles| judged(point, &judge, cycles));
    let verdict = match aesmith_processors::core(&certificate.processor) {
        Ok(core) => (core.build)(&point.variant)
            .map_or_else(Verdict::ProverAlone, |kernel| of_kernel(core, &kernel, certificate)),
        Err(_) => Verdict::of_other_processor(&certificate.processor),
    };
    let best = record::best(
        (&run.key, &certificate.processor),
        &point.variant,
        (certificate, &verdict),
        Quartiles { low: cycles, median: cycles, high: cycles },
    );
    let best = Best { judge, bound: bound.filter(|bound| *bound > 0.0), ..best };
    (best, sample)
}

/// The known costs of a variant, or why it has none.
pub fn point(variant: &Variant, known: &Costed) -> Result<Point, String> {
    match (known.cycles, known.costs, &known.sha256) {
        (Some(cycles), Some(costs), Some(sha256)) => Ok(Point {
            variant: variant.clone(),
            cost: Cost { cycles, once: costs.once, flash: costs.flash, ram: costs.ram, stack: costs.stack },
            same_path: costs.same_path,
            sha256: sha256.clone(),
            blocks: costs.blocks,
        }),
        _ => Err(known.message.clone()),
    }
}

/// The certificate of a kernel, from any exam; it names the variant as today.
pub fn certificate(known: &Costed) -> Option<BitsCertificate> {
    let mut certificate: BitsCertificate = serde_json::from_value(known.certificate.clone()?).ok()?;
    certificate.variant.clone_from(&known.variant);
    (known.sha256.as_deref() == Some(&certificate.sha256)).then_some(certificate)
}

/// The certificate of a kernel that is confirmed by the full exam.
pub fn in_full(known: &Costed) -> Option<BitsCertificate> {
    certificate(known).filter(BitsCertificate::in_full)
}
