//! Measurements on a card, in wisdom: every time, and each kernel's last figure. They are stored by the kind
//! of card and its driver, so that a card only receives kernels that were measured on its kind.

use aesmith_arrange::Variant;
use aesmith_cipher::{Calls, Problem};
use aesmith_processor::checked::{Stated, Verdict};
use aesmith_processor::cost::now_ms;
use aesmith_processor::grid::Grids;
use aesmith_processor::grid::card::About;
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_wisdom::{Best, Filter, Processor, Run, Sample, Store};

use super::given;
use super::measured::{Measured, OnCard, clocks_of};
use crate::error::TuneError;
use crate::request::Request;
use crate::workplace::{run_key, session};

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
    let run = Run {
        key: run_key(),
        processor: store.put_processor(&processor)?,
        problem: problem.clone(),
        size: on_card.bytes as u64,
        strategy: "finalists by static bound".into(),
        seed,
        options: format!("{} rounds", on_card.rounds),
        judge: format!("{}, CUDA {}", about.name, about.driver),
        unit: "cycles per block".into(),
        calls: Calls::Steady.name().into(),
        search: None,
        tool_version: env!("CARGO_PKG_VERSION").into(),
        session: session(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
        state: "running".into(),
        started_ms: now,
        finished_ms: None,
    };
    let id = store.start_run(&run)?;
    let of = |row: &Measured| kernels.iter().find(|proved| proved.certificate().variant == row.variant);
    for (row, proved) in on_card.kernels.iter().filter_map(|row| Some((row, of(row)?))) {
        let certificate = proved.certificate();
        let [low, median, high] = row.clocks();
        let technique = proved.kernel().variant.technique.name().to_owned();
        let clocks = |timed| clocks_of(timed, about, on_card.bytes / 16);
        let sample = Sample {
            trial: 0,
            phase: "confirm".into(),
            size: on_card.bytes as u64,
            variant: row.variant.clone(),
            technique: technique.clone(),
            sha256: Some(certificate.sha256.clone()),
            verdict: "measured".into(),
            message: String::new(),
            instructions: 0,
            cost: Some(median),
            costs: None,
            judge: String::new(),
            cycles: row.taken.iter().map(clocks).collect(),
            ticks: row.taken.iter().map(|timed| (timed.milliseconds * 1e6).round() as u64).collect(),
            time_ms: now,
        };
        store.record(id, &[sample])?;
        let verdict = Verdict::of_other_processor(&certificate.processor);
        store.put_best(&Best {
            processor: run.processor.clone(),
            problem: problem.clone(),
            size: on_card.bytes as u64,
            run: run.key.clone(),
            confirmed_ms: now,
            variant: row.variant.clone(),
            technique,
            sha256: certificate.sha256.clone(),
            certificate: serde_json::to_value(Stated::new(certificate, &verdict))
                .expect("a certificate has a JSON form"),
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
