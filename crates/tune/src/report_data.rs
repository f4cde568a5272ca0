//! From wisdom to a report's data.

use crate::anatomy::{Anatomy, UNITS};
use crate::bench::{Bench, BenchOptions, bench};
use crate::bound::shown_bound;
use crate::count::{Classes, PUBLISHED, waterfall};
use crate::error::TuneError;
use crate::explain::{chosen, name};
use crate::figures::{COMPARED, figure_3, surface_1, surface_2, title};
use crate::floor::floor_per_byte;
use crate::handout::{HandOut, registers};
use crate::machine;
use crate::quick::PART;
use crate::workplace::Workplace;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_kernel::{Kernel, build};
use aesmith_report::{
    Account, Certificate, Claim, Convergence, Cost, Distance, LoopChart, MixPart, Outcome, ReportData,
    SizePoint, Sizes, Slot, Strategy, Subject, Summary,
};
use aesmith_wisdom::{Best, Filter, RunRow};

pub use crate::figures::paper_figures;

/// Rounds of the benchmark that is made where none is given.
const ROUNDS: usize = 10;

/// The report of a problem from what wisdom has. Message sizes come from `given`, or from a short
/// benchmark made here.
///
/// # Errors
/// Trouble with the store or the judge.
pub fn report_data(
    place: &mut Workplace,
    problem: Problem,
    size: usize,
    given: Option<&Bench>,
) -> Result<ReportData, TuneError> {
    let size = if problem.is_message() { size } else { 0 };
    let made;
    let measured = match given {
        Some(bench) => bench,
        None => {
            let wanted = BenchOptions {
                problems: vec![problem],
                sizes: Vec::new(),
                rounds: ROUNDS,
                interrupted: Default::default(),
            };
            made = bench(place, &wanted, &mut |_| {})?;
            &made
        }
    };
    let filter = Filter::exactly(&place.key, problem, size as u64);
    let runs = place.store.runs(&filter)?;
    let best = place.best_at(problem, size)?;
    let mut data = ReportData {
        problem: problem.to_string(),
        title: title(problem),
        processor: machine::processor(place),
        made: machine::now(),
        unit: if problem.is_message() { "cycles/byte".into() } else { "cycles/key".into() },
        figure1: surface_1(place, problem)?,
        figure2: surface_2(place, problem)?,
        figure3: figure_3(place)?,
        convergence: convergence(place, problem, size, &runs)?,
        sizes: sizes(problem, measured),
        outcomes: outcomes(place, &filter)?,
        ..ReportData::default()
    };
    let kernel = place.best_known(problem, size)?;
    let variant = match &best {
        Some(best) => best.variant.parse().unwrap_or_else(|_| chosen(&kernel, size).clone()),
        None => chosen(&kernel, size).clone(),
    };
    let built = build(&variant, &place.target).ok();
    data.summary = best.as_ref().and_then(|b| summary(place, b, &variant, size, measured, &runs));
    data.distances = distances(place, built.as_ref(), best.as_ref(), size);
    if let Some(anatomy) = built.as_ref().and_then(Anatomy::of) {
        data.loop_chart = Some(loop_chart(place, &anatomy));
        data.mix = mix(place, &anatomy);
    }
    if variant.technique == Technique::Table {
        data.accounting = accounting(place, &variant)?;
    }
    let profile = place.store.finding(&place.key, PROFILE)?;
    data.profile = profile.and_then(|json| serde_json::from_value(json).ok());
    data.certificate = Some(certificate(&kernel));
    data.machine = Some(machine::machine(place, &runs)?);
    Ok(data)
}

/// Wisdom's name for the profile of the byte-wise cipher in C ([`aesmith_report::Profile`]).
pub const PROFILE: &str = "profile bytewise";

/// The published count of a plain T-table cipher, then ours from the plain variant to this one.
fn accounting(place: &Workplace, variant: &Variant) -> Result<Vec<Account>, TuneError> {
    let of = |name: &str, c: &Classes| Account {
        name: name.into(),
        loads: c.loads,
        stores: c.stores,
        // What also loads is one instruction, and stands where it computes.
        integer: c.instructions - c.loads - c.stores - c.branches,
        branches: c.branches,
    };
    let published = |class: &str| PUBLISHED.iter().find(|(n, _)| *n == class).map_or(0.0, |(_, n)| *n as f64);
    let fall = waterfall(variant, &place.target)?;
    let mut steps = vec![Account {
        name: "published, before anything is saved".into(),
        loads: published("loads"),
        stores: published("stores"),
        integer: published("integer"),
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
    place: &mut Workplace,
    best: &Best,
    variant: &Variant,
    size: usize,
    bench: &Bench,
    runs: &[RunRow],
) -> Option<Summary> {
    let row = |subject: &str| {
        let at = |r: &&crate::bench::Row| {
            r.problem == best.problem && r.bytes == size as u64 && r.subject == subject
        };
        bench.rows.iter().find(at)
    };
    let bound = shown_bound(place, variant, size)?;
    let built =
        HandOut::of_variant(variant, &place.target, &place.settings.request, &mut place.prover).ok()?;
    let seconds =
        |r: &RunRow| r.run.finished_ms.map_or(0, |end| end.saturating_sub(r.run.started_ms)) as f64 / 1e3;
    let run = runs.iter().find(|r| r.run.key == best.run);
    Some(Summary {
        message_bytes: size as u64,
        baseline: Cost { median: best.baseline, low: best.baseline, high: best.baseline },
        best: cost(best),
        openssl: row("openssl").map(|r| Cost { median: r.cycles_per_byte, low: r.low, high: r.high }),
        bound,
        variant: best.variant.clone(),
        kernel: built.name,
        technique: format!("{} on {}", variant.technique_name().to_uppercase(), registers(variant)),
        variants_tried: run.map_or(0, |r| r.samples),
        seconds: run.map_or(0.0, seconds),
        kernel_path: None,
    })
}

/// The newest run of each strategy: those that compare them, else those that searched all.
fn convergence(
    place: &mut Workplace,
    problem: Problem,
    size: usize,
    runs: &[RunRow],
) -> Result<Option<Convergence>, TuneError> {
    let compared = runs.iter().any(|r| r.run.options == COMPARED);
    let mut strategies: Vec<Strategy> = Vec::new();
    for row in runs.iter().rev() {
        let searched =
            if compared { row.run.options == COMPARED } else { row.run.options.starts_with("Options") };
        let seen = strategies.iter().any(|s| s.name == row.run.strategy);
        if !searched || seen || row.run.options == PART {
            continue;
        }
        let best = place.store.convergence(row.id)?;
        if best.len() > 1 {
            strategies.push(Strategy { name: row.run.strategy.clone(), best });
        }
    }
    strategies.sort_by(|a, b| a.name.cmp(&b.name));
    let bound = place.best_at(problem, size)?.and_then(|b| b.bound);
    Ok((!strategies.is_empty()).then_some(Convergence { strategies, bound }))
}

fn sizes(problem: Problem, bench: &Bench) -> Option<Sizes> {
    let problem = problem.to_string();
    let rows: Vec<_> = bench.rows.iter().filter(|r| r.problem == problem && r.bytes > 0).collect();
    let bound: Vec<(u64, f64)> =
        rows.iter().filter(|r| r.subject == "bound").map(|r| (r.bytes, r.cycles_per_byte)).collect();
    let mut subjects: Vec<Subject> = Vec::new();
    for row in rows.iter().filter(|r| r.subject != "bound") {
        let point = SizePoint {
            bytes: row.bytes,
            cost: Cost { median: row.cycles_per_byte, low: row.low, high: row.high },
        };
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
    (!subjects.is_empty()).then_some(Sizes { subjects, bound })
}

fn distances(place: &Workplace, built: Option<&Kernel>, best: Option<&Best>, size: usize) -> Vec<Distance> {
    let Some(kernel) = built else { return Vec::new() };
    let of = |name: &str, kernel: &Kernel, measured: Option<Cost>| {
        let anatomy = Anatomy::of(kernel)?;
        let bound = place.model.throughput_bound(&anatomy.counts);
        let limit = match bound.bottleneck.as_slice() {
            [] => "front end".to_owned(),
            kinds => kinds.iter().map(|k| name_of(*k)).collect::<Vec<_>>().join(" and "),
        };
        let bytes = if size > 0 { anatomy.bytes.max(1) as f64 } else { 1.0 };
        let of_rounds = floor_per_byte(&place.model, &kernel.variant, size);
        let of_block = || shown_bound(place, &kernel.variant, size).filter(|_| size > 0);
        let floor = of_rounds.or_else(of_block).unwrap_or(bound.cycles / bytes);
        Some(Distance {
            name: name.into(),
            bound: floor,
            limit,
            model: Some(anatomy.schedule(&place.model).cycles / bytes).filter(|c| *c > 0.0 && size > 0),
            measured,
        })
    };
    let baseline = build(
        &crate::run::baseline(kernel.variant.problem, kernel.variant.technique, &place.target),
        &place.target,
    )
    .ok();
    let confirmed = best.map(|b| Cost { median: b.baseline, low: b.baseline, high: b.baseline });
    [of("best", kernel, best.map(cost)), baseline.and_then(|b| of("baseline", &b, confirmed))]
        .into_iter()
        .flatten()
        .collect()
}

fn name_of(kind: aesmith_processor::x86::timing::Kind) -> String {
    name(kind)
}

fn loop_chart(place: &Workplace, anatomy: &Anatomy) -> LoopChart {
    let schedule = anatomy.schedule(&place.model);
    let slots = anatomy.lines.iter().enumerate().map(|(i, line)| Slot {
        text: line.text.clone(),
        unit: crate::anatomy::unit(line.kind.class),
        start: schedule.starts[i],
        occupies: schedule.occupies[i],
        latency: schedule.latencies[i],
        iteration: 0,
    });
    LoopChart {
        units: UNITS.iter().map(|u| (*u).to_owned()).collect(),
        instructions: slots.collect(),
        cycles_per_iteration: schedule.cycles,
        bytes_per_iteration: anatomy.bytes as u64,
        note:
            "Steady state in the measured machine model: program order in, as many a cycle as the front end \
               delivers; each starts when its operands and its unit are free."
                .into(),
    }
}

fn mix(place: &Workplace, anatomy: &Anatomy) -> Vec<MixPart> {
    let cycles = anatomy.schedule(&place.model).cycles;
    let occupancy = anatomy.occupancy(&place.model);
    let mut parts: Vec<MixPart> = UNITS
        .iter()
        .zip(anatomy.mix())
        .zip(occupancy)
        .filter(|((_, count), _)| *count > 0)
        .map(|((unit, count), taken)| MixPart {
            name: (*unit).to_owned(),
            count,
            occupancy: taken.filter(|_| cycles > 0.0).map(|t| (t / cycles).min(1.0)),
        })
        .collect();
    parts.sort_by_key(|p| std::cmp::Reverse(p.count));
    parts
}

/// What each verdict means.
const MEANINGS: [(&str, &str); 5] = [
    ("measured", "proved, run and timed"),
    ("does-not-fit", "no kernel: too few registers, or choices that exclude each other"),
    ("refuted", "not proved, so never run"),
    ("fault", "failed a check while it ran, or its times could not be believed"),
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

fn certificate(kernel: &HandOut) -> Certificate {
    let c = &kernel.certificate;
    let proved = |claim: &str| Claim { claim: claim.into(), shown: "proved".into() };
    let mut claims = vec![
        proved("It computes the problem for every key, IV, message and length."),
        proved("It reads and writes only what its contract allows, in place or apart."),
        proved("It keeps the registers that its callers rely on."),
        proved("No address, branch or shift count depends on a key or a text."),
    ];
    claims.push(Claim {
        claim: "Every instruction is on the vendor's list of those whose time does not depend on data."
            .into(),
        shown: if c.constant_time == "CT2" { "proved".into() } else { "not shown".into() },
    });
    claims.push(Claim {
        claim: "Nothing of key or text stays in registers or on the stack.".into(),
        shown: if c.wiped { "proved".into() } else { "not shown".into() },
    });
    Certificate {
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
