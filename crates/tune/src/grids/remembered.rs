//! Measurements on a card, in wisdom: every time, and each kernel's last figure. They are stored by the kind
//! of card and its driver, so that a card only receives kernels that were measured on its kind.

use aesmith_arrange::Variant;
use aesmith_cipher::{Calls, Problem};
use aesmith_processor::cost::now_ms;
use aesmith_processor::grid::Grids;
use aesmith_processor::grid::card::About;
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_wisdom::{Best, Filter, Processor, Sample, Store};

use super::given;
use super::measured::{Measured, OnCard};
use crate::error::TuneError;
use crate::record::{self, Origin, Started, Subject, command};
use crate::request::Request;

/// Stores a run.
///
/// # Errors
/// The store cannot be written.
pub fn remember(
    store: &mut Store,
    grids: &Grids,
    kernels: &[ProvedGrid],
    on_card: &OnCard,
    (request, seed): (&Request, u64),
) -> Result<(), TuneError> {
    let Some(problem) = kernels.first().map(|proved| proved.certificate().problem.clone()) else {
        return Ok(());
    };
    let (about, now) = (&on_card.card, now_ms());
    let attributes = serde_json::to_value(about).ok().and_then(|value| value.as_object().cloned());
    let processor = Processor {
        key: about.key(grids.name),
        name: about.name.clone(),
        attributes: attributes.unwrap_or_default(),
    };
    let subject = Subject {
        processor: &processor,
        problem: problem.clone(),
        size: on_card.bytes as u64,
        judge: format!("{}, CUDA {}", about.name, about.driver),
        unit: "cycles per block".into(),
        calls: Calls::Steady,
        command: command(),
    };
    let options = format!("{} rounds", on_card.rounds);
    let version = env!("CARGO_PKG_VERSION");
    let origin = Origin { strategy: "finalists by static bound", options: &options, seed, version };
    let Started { id, key } = record::start(store, subject, origin)?;
    let of = |row: &Measured| kernels.iter().find(|proved| proved.certificate().variant == row.variant);
    for (row, proved) in on_card.kernels.iter().filter_map(|row| Some((row, of(row)?))) {
        let certificate = proved.certificate();
        let [low, median, high] = row.clocks();
        let technique = proved.kernel().variant.technique.name().to_owned();
        let sample = Sample {
            sha256: Some(certificate.sha256.clone()),
            cost: Some(median),
            cycles: row.findings.iter().flat_map(|finding| finding.cycles.clone()).collect(),
            ticks: row.findings.iter().flat_map(|finding| finding.ticks.clone()).collect(),
            time_ms: now,
            ..record::sample("confirm", &proved.kernel().variant, on_card.bytes)
        };
        store.record(id, &[sample])?;
        store.put_best(&Best {
            processor: processor.key.clone(),
            problem: problem.clone(),
            size: on_card.bytes as u64,
            run: key.clone(),
            confirmed_ms: now,
            variant: row.variant.clone(),
            technique,
            sha256: certificate.sha256.clone(),
            certificate: serde_json::to_value(certificate).expect("a certificate has a JSON form"),
            judge: String::new(),
            low,
            median,
            high,
            baseline: None,
            bound: row.bound.as_ref().map(|bound| bound.clocks),
            restriction: request.restriction(),
            code: None,
            noise: None,
        })?;
    }
    Ok(store.set_state(id, "finished")?)
}

/// The fastest kernel on a kind of card, and its clocks of a multiprocessor per block.
#[derive(Debug)]
pub struct Remembered {
    /// The kernel, proved again.
    pub proved: ProvedGrid,
    /// The measured median.
    pub clocks: f64,
}

/// The fastest kernel of the last run with the same request on this kind of card; kernels whose text has
/// changed since are left out.
///
/// # Errors
/// The store cannot be read, or a kernel is not proved.
pub fn fastest(
    store: &Store,
    grids: &Grids,
    about: &About,
    problem: Problem,
    request: &Request,
    symbol: &dyn Fn(Problem, bool) -> String,
) -> Result<Option<Remembered>, TuneError> {
    let filter =
        Filter { processor: Some(about.key(grids.name)), problem: Some(problem), ..Filter::default() };
    let restriction = request.restriction();
    let mut known: Vec<(Best, Variant)> = store
        .bests(&filter)?
        .into_iter()
        .filter_map(|best| grids.table.parse(&best.variant).ok().map(|variant| (best, variant)))
        .filter(|(best, variant)| best.restriction == restriction && request.names(variant))
        .collect();
    // Figures of two runs are not compared: clocks may have differed.
    let Some(last) = known.iter().map(|(best, _)| best.confirmed_ms).max() else { return Ok(None) };
    known.retain(|(best, _)| best.confirmed_ms == last);
    // Sorted by measured cost; ties are broken by the text of variants.
    let cost = |best: &Best| (best.median * 1e6).round();
    known.sort_by(|(a, _), (b, _)| cost(a).total_cmp(&cost(b)).then_with(|| a.variant.cmp(&b.variant)));
    for (best, variant) in known {
        let proved = match given(grids, &variant, request, symbol) {
            Ok(proved) => proved,
            // Its choices no longer fit together, or it has variable time, which is not requested.
            Err(TuneError::Usage(_)) => continue,
            Err(error) => return Err(error),
        };
        if proved.certificate().sha256 == best.sha256 {
            return Ok(Some(Remembered { proved, clocks: best.median }));
        }
    }
    Ok(None)
}
