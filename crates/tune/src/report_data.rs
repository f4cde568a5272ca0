//! Collects a report's data from wisdom.
//!
//! [`Shown`] determines the kernel that all of it is about.

use crate::anatomy::Anatomy;
use crate::bench::Bench;
use crate::bound::{correct, shown_bound};
use crate::count::{BASELINE, Classes, waterfall};
use crate::decide::quick::PART;
use crate::deliver::chosen;
use crate::deliver::judged::Judged;
use crate::deliver::{Delivery, registers};
use crate::error::TuneError;
use crate::evaluate::search_times::SearchTimes;
use crate::figures::{COMPARED, FIGURE_1, FIGURE_2, Own, figure_3, surface, title};
use crate::loops::{distances, loop_chart, mix};
use crate::machine;
use crate::options::{DEFAULT_SIZE, OF_A_RUN};
use crate::workplace::Workplace;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::{Calls, Problem};
use aesmith_processor::measured::Kernel;
use aesmith_report::{
    Account, Certificate, Claim, Convergence, Cost, Outcome, ReportData, SearchTime, SizePoint, Sizes,
    Strategy, Subject, Summary,
};
use aesmith_wisdom::{Best, Filter, RunRow};

pub use crate::figures::paper_figures;

/// The kernel of a report.
pub struct Shown {
    /// The delivered kernel.
    pub delivery: Delivery,
    /// Its variant for messages of the report's size.
    pub variant: Variant,
    /// The code of that variant.
    pub kernel: Kernel,
    /// Bytes of the report's messages; 0 for key set-ups.
    pub size: usize,
    /// The last confirmed costs of this variant at this size, if any.
    pub confirmed: Option<Best>,
    /// Kind of calls for its costs.
    pub calls: Calls,
}

impl Shown {
    /// The kernel that is currently delivered for a problem, for messages of `size` bytes.
    ///
    /// # Errors
    /// The store failed, or there is no kernel.
    pub fn of(place: &mut Workplace, problem: Problem, size: usize) -> Result<Shown, TuneError> {
        let size = if problem.is_message() { size } else { 0 };
        let delivery = place.best_known(problem, size)?;
        let variant = chosen(&delivery, size).clone();
        let kernel = place
            .target
            .build(&variant)
            .map_err(|e| TuneError::Unsupported(format!("`{variant}` is no kernel here: {e}")))?;
        let bests = place.store.bests(&Filter::exactly(&place.key, problem, size as u64))?;
        let text = variant.to_string();
        // Runs of several restrictions may have confirmed it: the one that decides now, else the last.
        let decides = place.best_at(problem, size)?.filter(|best| best.variant == text);
        let last =
            || bests.into_iter().filter(|best| best.variant == text).max_by_key(|best| best.confirmed_ms);
        let confirmed = decides.or_else(last);
        if let Some(best) = confirmed.as_ref().filter(|_| !place.calls().is_cold()) {
            correct(place, &variant, size, best.median)?;
        }
        let calls = place.calls();
        Ok(Shown { delivery, variant, kernel, size, confirmed, calls })
    }

    /// Its cost: the confirmed one, else the one from the benchmark.
    pub fn cost(&self, bench: &Bench) -> Option<Cost> {
        self.confirmed.as_ref().map(cost).or_else(|| self.measured(bench, "aesmith"))
    }

    /// The benchmark's cost of a subject at the report's problem and size.
    fn measured(&self, bench: &Bench, subject: &str) -> Option<Cost> {
        let problem = self.delivery.problem.to_string();
        let at = |r: &&crate::bench::Row| {
            r.problem == problem && r.bytes == self.size as u64 && r.subject == subject
        };
        bench.rows.iter().find(at)?.cost(self.calls)
    }

    /// The confirmed cost of the plain variant of its technique at its size.
    ///
    /// # Errors
    /// The store failed.
    fn baseline(&self, place: &Workplace) -> Result<Option<f64>, TuneError> {
        if let Some(best) = &self.confirmed {
            return Ok(best.baseline);
        }
        let filter = Filter::exactly(&place.key, self.delivery.problem, self.size as u64);
        let same = |b: &Best| b.technique == self.variant.technique.name();
        Ok(place.store.best_history(&filter)?.iter().rev().find(|b| same(b)).and_then(|b| b.baseline))
    }
}

/// The report of a problem from wisdom and a benchmark over message sizes.
///
/// # Errors
/// The store or the judge failed.
pub fn report_data(
    place: &mut Workplace,
    problem: Problem,
    size: usize,
    measured: &Bench,
) -> Result<ReportData, TuneError> {
    let shown = Shown::of(place, problem, size)?;
    let filter = Filter::exactly(&place.key, problem, shown.size as u64);
    let runs = place.store.runs(&filter)?;
    let (cost, baseline) = (shown.cost(measured), shown.baseline(place)?);
    let bound = shown_bound(place, &shown.variant, shown.size);
    let own = Own {
        variant: &shown.variant,
        cost: cost.map(|c| c.median),
        confirmed: shown.confirmed.is_some(),
        baseline,
    };
    let mut data = ReportData {
        problem: problem.to_string(),
        title: title(problem),
        processor: machine::processor(place),
        made: machine::now(),
        unit: if problem.is_message() { "cycles/byte".into() } else { "cycles/key".into() },
        cold: shown.calls.is_cold(),
        convergence: convergence(place, &shown, bound, &runs)?,
        sizes: sizes(problem, shown.calls, measured),
        search: search(&shown, &runs),
        outcomes: outcomes(place, &filter)?,
        ..ReportData::default()
    };
    data.summary = cost.map(|cost| summary(&shown, cost, baseline, bound, measured, &runs));
    if !shown.calls.is_cold() {
        // The paper's figures and bounds apply to calls in steady state.
        data.figure1 = surface(place, problem, &FIGURE_1)?;
        data.figure2 = surface(place, problem, &FIGURE_2)?;
        data.figure3 = figure_3(place, (shown.size == DEFAULT_SIZE).then_some(&own))?;
        data.distances = distances(place, &shown, cost, baseline);
    }
    if let Some(anatomy) = Anatomy::of(&shown.kernel) {
        data.loop_chart = Some(loop_chart(&place.model, &anatomy, &shown.variant));
        data.mix = mix(&place.model, &anatomy);
    }
    if shown.variant.has("tables") {
        data.accounting = accounting(place, &shown.variant)?;
    }
    let profile = place.store.finding(&place.key, PROFILE)?;
    data.profile = profile.and_then(|json| serde_json::from_value(json).ok());
    data.certificate = Some(certificate(&Judged::new(shown.delivery.clone(), &place.settings.wisdom)));
    data.machine = Some(machine::machine(place, &runs, measured)?);
    Ok(data)
}

/// Name in wisdom of the profile of the byte-wise cipher in C ([`aesmith_report::Profile`]).
pub const PROFILE: &str = "profile bytewise";

/// The published count of a plain T-table cipher, then our counts from the plain variant to this one.
fn accounting(place: &Workplace, variant: &Variant) -> Result<Vec<Account>, TuneError> {
    let of = |name: &str, c: &Classes| Account {
        name: name.into(),
        loads: c.loads,
        stores: c.stores,
        // An instruction that computes and loads is counted once, where it computes.
        integer: c.instructions - c.loads - c.stores - c.branches,
        branches: c.branches,
    };
    let fall = waterfall(variant, &place.target)?;
    let mut steps = vec![Account {
        name: "published, before any savings".into(),
        loads: BASELINE.loads,
        stores: BASELINE.stores,
        integer: BASELINE.integer,
        branches: 0.0,
    }];
    steps.push(of("the plain variant", &fall.plain));
    steps.extend(fall.steps.iter().map(|(name, left)| of(name, left)));
    Ok(steps)
}

fn cost(best: &Best) -> Cost {
    Cost { median: best.median, low: best.low, high: best.high }
}

fn summary(
    shown: &Shown,
    cost: Cost,
    baseline: Option<f64>,
    bound: Option<f64>,
    bench: &Bench,
    runs: &[RunRow],
) -> Summary {
    let seconds =
        |r: &RunRow| r.run.finished_ms.map_or(0, |end| end.saturating_sub(r.run.started_ms)) as f64 / 1e3;
    let run = found_by(shown, runs);
    let baseline = baseline.unwrap_or(f64::NAN);
    let variant = &shown.variant;
    Summary {
        message_bytes: shown.size as u64,
        baseline: Cost { median: baseline, low: baseline, high: baseline },
        best: cost,
        confirmed: shown.confirmed.is_some(),
        openssl: shown.measured(bench, "openssl"),
        beside_openssl: shown.measured(bench, "aesmith"),
        bound: bound.unwrap_or(f64::NAN),
        variant: variant.to_string(),
        kernel: shown.delivery.name.clone(),
        variants_by_length: shown.delivery.variants.len() as u64,
        technique: format!(
            "{} on {}",
            variant.technique_name().to_uppercase(),
            registers(shown.delivery.processor, variant)
        ),
        variants_tried: run.map_or(0, |r| r.samples),
        seconds: run.map_or(0.0, seconds),
        kernel_path: None,
    }
}

/// The run that confirmed the shown kernel.
fn found_by<'r>(shown: &Shown, runs: &'r [RunRow]) -> Option<&'r RunRow> {
    let best = shown.confirmed.as_ref()?;
    runs.iter().find(|r| r.run.key == best.run)
}

/// Times of the search that found the shown kernel, else of the newest search with known times.
fn search(shown: &Shown, runs: &[RunRow]) -> Option<SearchTime> {
    let known = |row: &RunRow| row.run.search.as_ref().and_then(SearchTimes::read);
    let own = found_by(shown, runs).and_then(|row| Some((row, known(row)?)));
    let newest = || runs.iter().rev().find_map(|row| Some((row, known(row)?)));
    let (found, (row, times)) = own.map(|own| (true, own)).or_else(|| Some((false, newest()?)))?;
    Some(times.shown(&row.run.strategy, found, row.samples))
}

/// The newest run of each strategy that searched the shown technique: runs that compare strategies if there
/// are any, else full searches.
fn convergence(
    place: &Workplace,
    shown: &Shown,
    bound: Option<f64>,
    runs: &[RunRow],
) -> Result<Option<Convergence>, TuneError> {
    let compared = runs.iter().any(|r| r.run.options == COMPARED);
    let mut strategies: Vec<Strategy> = Vec::new();
    for row in runs.iter().rev() {
        let searched =
            if compared { row.run.options == COMPARED } else { row.run.options.starts_with(OF_A_RUN) };
        let seen = strategies.iter().any(|s| s.name == row.run.strategy);
        if !searched || seen || row.run.options == PART {
            continue;
        }
        let best = place.store.convergence(row.id)?;
        if best.len() > 1 && searched_technique(place, row)? == Some(shown.variant.technique) {
            strategies.push(Strategy { name: row.run.strategy.clone(), best });
        }
    }
    strategies.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((!strategies.is_empty()).then_some(Convergence { strategies, bound }))
}

/// The technique of the best variant that a run screened.
fn searched_technique(place: &Workplace, run: &RunRow) -> Result<Option<Technique>, TuneError> {
    let screened = place.store.screened(run.id)?;
    let costs = screened.iter().filter_map(|s| Some((s.cost?, &s.variant)));
    let best = costs.min_by(|a, b| a.0.total_cmp(&b.0));
    Ok(best.and_then(|(_, text)| place.table().parse(text).ok()).map(|variant| variant.technique))
}

fn sizes(problem: Problem, calls: Calls, bench: &Bench) -> Option<Sizes> {
    let problem = problem.to_string();
    let rows: Vec<_> = bench.rows.iter().filter(|r| r.problem == problem && r.bytes > 0).collect();
    let bounds = rows.iter().filter(|r| r.subject == "bound");
    let bound = bounds.filter_map(|r| Some((r.bytes, r.cost(calls)?.median))).collect();
    let mut subjects: Vec<Subject> = Vec::new();
    for row in rows.iter().filter(|r| r.subject != "bound") {
        let Some(cost) = row.cost(calls) else { continue };
        let point = SizePoint { bytes: row.bytes, cost };
        match subjects.iter_mut().find(|s| s.name == row.subject) {
            Some(subject) => subject.points.push(point),
            None => subjects.push(Subject {
                name: row.subject.clone(),
                ours: row.subject == "aesmith",
                points: vec![point],
            }),
        }
    }
    subjects.sort_by_key(|s| !s.ours);
    (!subjects.is_empty()).then_some(Sizes { made: bench.made.clone(), subjects, bound })
}

/// Meaning of each verdict.
const MEANINGS: [(&str, &str); 5] = [
    ("measured", "proved, run and timed"),
    ("does-not-fit", "no kernel: too few registers, or choices that exclude each other"),
    ("refuted", "not proved, so never run"),
    ("fault", "failed a check while it ran"),
    ("unsupported", "needs instructions that this processor lacks"),
];

fn outcomes(place: &Workplace, filter: &Filter) -> Result<Vec<Outcome>, TuneError> {
    let known = place.store.known(filter)?;
    let count = |verdict: &str| known.iter().filter(|s| s.verdict == verdict).count() as u64;
    let all = MEANINGS.iter().map(|(name, meaning)| Outcome {
        name: (*name).into(),
        meaning: (*meaning).into(),
        count: count(name),
    });
    Ok(all.filter(|o| o.count > 0).collect())
}

fn certificate(Judged { kernel, verdict }: &Judged) -> Certificate {
    let c = &kernel.certificate;
    let proved = |claim: &str| Claim { claim: claim.into(), shown: "proved".into() };
    let inputs = match (kernel.problem.is_message(), kernel.problem.has_iv()) {
        (true, true) => "key, IV, message and length",
        (true, false) => "key, message and length",
        (false, _) => "key",
    };
    let variable = c.constant_time == "VT";
    let mut claims = vec![
        proved(&format!("It computes {} for every {inputs}.", title(kernel.problem))),
        proved("It reads and writes only memory that its contract allows, with equal or separate buffers."),
        proved("It keeps the registers that its callers rely on."),
    ];
    let secrets = "No address, branch or shift count depends on a key or a text.";
    claims.push(match variable {
        false => proved(secrets),
        true => Claim { claim: secrets.into(), shown: "false: secrets address tables".into() },
    });
    claims.push(Claim {
        claim:
            "Every instruction on secrets is on Intel's list of instructions with data-independent timing."
                .into(),
        shown: if c.constant_time == "CT2" { "proved".into() } else { "not shown".into() },
    });
    claims.push(Claim {
        claim: "No part of key or text remains in registers or on the stack.".into(),
        shown: if c.wiped { "proved".into() } else { "not shown".into() },
    });
    claims.push(Claim {
        claim: "A small checker that shares no code with the prover accepts a proof of the kernel.".into(),
        shown: match verdict.checked() {
            Some(checked) => format!("accepted by {}", checked.by),
            None => format!("not shown: {}", verdict.unchecked().unwrap_or_default()),
        },
    });
    Certificate {
        kernel: kernel.name.clone(),
        level: c.level.clone(),
        constant_time: c.constant_time.clone(),
        sha256: c.sha256.clone(),
        bytes: c.bytes as u64,
        claims,
        assumptions: c.assumptions.clone(),
        tool_version: c.tool.clone(),
        path: None,
    }
}
