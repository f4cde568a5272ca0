//! A run for cold calls beside one for steady-state calls: each has its own winner in all its output, and
//! bounds of one are not shown for the other. Nothing is timed. The program is its own judge's worker.

mod support;

use aesmith_cipher::Calls;
use aesmith_search::Duel;
use aesmith_tune::bench::{BenchOptions, bench};
use aesmith_tune::bound::{shown_bound, steady_bound};
use aesmith_tune::decide::contest::Contest;
use aesmith_tune::deliver::chosen;
use aesmith_tune::deliver::lengths;
use aesmith_tune::evaluate::pipeline::COLD_SAMPLES;
use aesmith_tune::explain::explain;
use aesmith_tune::options::SIZES;
use aesmith_tune::report_data::report_data;
use aesmith_tune::{RaceResult, Request, RunRequest, Settings, Tuned, Workplace, tune};
use aesmith_wisdom::{Filter, RunId, Store};
use aesmith_x86::targets;
use support::{Folder, problem, settings, short};

const SIZE: usize = 4096;

fn open(folder: &Folder, calls: Calls) -> Workplace {
    let settings = settings(&folder.0, targets::here());
    let request = Request { calls, ..Request::default() };
    Workplace::open(Settings { request, ..settings }, &mut |_| {}).unwrap()
}

fn run(place: &mut Workplace, options: &RunRequest) -> Tuned<RaceResult> {
    tune(place, options, &mut |_| {}).unwrap()
}

/// The kernel that is delivered now, and its confirmed cost in wisdom.
fn delivered(place: &mut Workplace) -> (String, Option<f64>) {
    let ctr = problem("aes128-ctr");
    let kernel = place.best_known(ctr, SIZE).unwrap();
    let best = place.best_at(ctr, SIZE).unwrap();
    if let Some(best) = &best {
        assert_eq!(
            (&best.sha256, &*best.variant),
            (&kernel.certificate.sha256, &*chosen(&kernel, SIZE).to_string())
        );
    }
    (chosen(&kernel, SIZE).to_string(), best.map(|best| best.median))
}

fn each_kind_of_calls_has_a_winner_of_its_own() {
    let folder = Folder::new();
    let options = short("aes128-ctr");
    let mut cold = open(&folder, Calls::Cold);
    let tuned = run(&mut cold, &options).result;
    assert_eq!((&*tuned.calls, tuned.bound_cycles_per_byte), ("cold", None));
    assert_eq!(delivered(&mut cold), (tuned.variant.clone(), Some(tuned.best_cycles_per_byte)));

    // A steady-state run does not see it, and does not replace it.
    let mut steady = support::open(&folder);
    assert_eq!(steady.best_at(options.problem, SIZE).unwrap(), None);
    let back_to_back = run(&mut steady, &options).result;
    assert_eq!(back_to_back.calls, "steady");
    assert!(back_to_back.bound_cycles_per_byte.is_some());
    assert_eq!(delivered(&mut steady).1, Some(back_to_back.best_cycles_per_byte));
    let mut cold = open(&folder, Calls::Cold);
    assert_eq!(delivered(&mut cold), (tuned.variant.clone(), Some(tuned.best_cycles_per_byte)));
    let filter = Filter::exactly(&cold.key, options.problem, SIZE as u64);
    assert!(
        cold.store.bests(&filter).unwrap().iter().all(|best| best.bound.is_none()),
        "a bound of a cold call"
    );
    assert!(steady.store.bests(&filter).unwrap().iter().all(|best| best.bound.is_some()));

    // The next cold run raced the steady-state winner, and outcomes are not reused across kinds of calls.
    let again = run(&mut cold, &RunRequest { afresh: true, ..options }).result;
    let mut met = Vec::new();
    let run = cold.store.run_id(&again.run).unwrap().unwrap();
    cold.store
        .each_sample(run, |_, sample| {
            if sample.phase != "screen" {
                met.push(sample.variant);
            }
            Ok(())
        })
        .unwrap();
    assert!(met.contains(&back_to_back.variant), "{met:?}");
}

fn each_length_has_a_best_among_cold_calls() {
    let folder = Folder::new();
    let mut place = open(&folder, Calls::Cold);
    let options = RunRequest { sizes: true, ..short("aes128-ctr") };
    let tuned = run(&mut place, &options).result;
    assert_eq!(tuned.by_size.len(), SIZES.len());
    assert!(tuned.by_size.iter().all(|best| best.bound_cycles_per_byte.is_none()), "{:?}", tuned.by_size);
    for best in &tuned.by_size {
        assert_eq!(chosen(&tuned.delivery, best.bytes as usize).to_string(), best.variant);
    }
    // Crossovers were measured in cold calls, and are known for them alone.
    let crossovers = |store: &Store| {
        let runs = store.runs(&Filter::default()).unwrap();
        runs.iter().filter(|row| row.run.strategy == lengths::STRATEGY).count()
    };
    assert_eq!(crossovers(&place.store), 1);
    assert_eq!(crossovers(&Store::open_to_read(&folder.0.join("wisdom.sqlite")).unwrap()), 0);
}

/// Ticks of each screened sample of a run's search.
fn ticks(place: &Workplace, run: RunId) -> Vec<usize> {
    let mut all = Vec::new();
    let keep = |_, sample: aesmith_wisdom::Sample| {
        if sample.phase == "screen" && sample.trial > 0 && !sample.ticks.is_empty() {
            all.push(sample.ticks.len());
        }
        Ok(())
    };
    place.store.each_sample(run, keep).unwrap();
    all
}

fn a_search_for_cold_calls_takes_fewer_samples_and_says_where_its_time_went() {
    let folder = Folder::new();
    for calls in Calls::ALL {
        let mut place = open(&folder, calls);
        let mut stages = Vec::new();
        let mut observer = |event: aesmith_tune::Event| {
            if let aesmith_tune::Event::Stage(stage) = event {
                stages.push(stage.to_owned());
            }
        };
        let tuned = tune(&mut place, &short("aes128-cbc-dec"), &mut observer).unwrap().result;
        let said = stages[0].contains(&format!("{COLD_SAMPLES} samples of a variant"));
        assert_eq!(said, calls.is_cold(), "{stages:?}");
        let run = place.store.run_id(&tuned.run).unwrap().unwrap();
        let ticks = ticks(&place, run);
        let whole = ticks.iter().max();
        assert_eq!(whole == Some(&COLD_SAMPLES), calls.is_cold(), "{ticks:?}");
        let runs = place.store.runs(&Filter::default()).unwrap();
        let row = runs.iter().find(|row| row.run.key == tuned.run).unwrap();
        assert_eq!(row.run.search, Some(serde_json::json!(tuned.search)));
        assert!(tuned.search.built > 0 && tuned.search.proved >= tuned.search.reduced);
    }
}

fn no_bound_is_said_of_a_cold_call_and_none_is_corrected_by_one() {
    let folder = Folder::new();
    let ctr = problem("aes128-ctr");
    for calls in Calls::ALL {
        let mut place = open(&folder, calls);
        let variant = chosen(&place.best_known(ctr, SIZE).unwrap(), SIZE).clone();
        assert_eq!(shown_bound(&place, &variant, SIZE).is_none(), calls.is_cold());
        assert!(steady_bound(&place, &variant, SIZE).is_some());
        let run = run(&mut place, &short("aes128-ctr")).result.run;
        let run = place.store.run_id(&run).unwrap().unwrap();
        let before = place.model.clone();
        let mut contest = Contest::new(&mut place, run, SIZE);
        assert_eq!(contest.bound(&variant).is_none(), calls.is_cold());
        // Far below every bound.
        contest.confirmed(&variant, 1e-3);
        let mut notes = 0;
        contest.finish(&mut |_| notes += 1).unwrap();
        assert_eq!(notes == 0, calls.is_cold());
        assert_eq!(place.model == before, calls.is_cold());
    }
}

fn a_report_of_cold_calls_has_their_costs_and_a_benchmark_has_both() {
    let folder = Folder::new();
    let ecb = problem("aes128-ecb");
    let mut place = open(&folder, Calls::Cold);
    let tuned = run(&mut place, &short("aes128-ecb")).result;
    let wanted = BenchOptions {
        problems: vec![ecb],
        sizes: vec![64, SIZE],
        best_at: SIZE,
        rounds: 8,
        cold: true,
        interrupted: Default::default(),
    };
    let mut measured = bench(&mut place, &wanted, &mut |_| {}).unwrap();
    // Makes cold costs distinguishable from here on.
    for cold in measured.rows.iter_mut().filter_map(|row| row.cold.as_mut()) {
        cold.cycles_per_byte += 1000.0;
    }
    let ours = measured.rows.iter().find(|r| r.subject == "aesmith" && r.bytes == SIZE as u64).unwrap();
    assert!(ours.cost(Calls::Cold).is_some_and(|cost| cost.median > 1000.0));
    assert!(ours.cost(Calls::Steady).is_some_and(|cost| cost.median < 1000.0));
    assert!(measured.median("aes128-ecb", SIZE, "bound").is_some(), "of the calls in steady state beside it");
    let data = report_data(&mut place, ecb, SIZE, &measured).unwrap();
    let summary = data.summary.unwrap();
    assert_eq!((data.cold, summary.best.median), (true, tuned.best_cycles_per_byte));
    assert!(summary.bound.is_nan() && data.distances.is_empty() && data.figure3.is_empty());
    let sizes = data.sizes.unwrap();
    assert!(sizes.bound.is_empty());
    let point = sizes.subjects[0].points.iter().find(|p| p.bytes == SIZE as u64).unwrap();
    assert_eq!(Some(point.cost), ours.cost(Calls::Cold));
    assert!(data.search.is_some_and(|search| search.own && search.stages.len() == 5));

    let kernel = place.best_known(ecb, SIZE).unwrap();
    let explanation = explain(&mut place, &kernel, SIZE).unwrap();
    let rows: Vec<&(String, String)> = explanation.sections.iter().flat_map(|s| &s.rows).collect();
    let of = |name: &str| &rows.iter().find(|(row, _)| row == name).unwrap().1;
    assert!(of("measured").contains(Calls::Cold.meaning()) && of("bound").contains("cold calls have none"));
    assert!(!rows.iter().any(|(name, _)| name.starts_with("bound of ") || name.starts_with("model of ")));
}

fn main() {
    support::run(support::named![
        each_kind_of_calls_has_a_winner_of_its_own,
        each_length_has_a_best_among_cold_calls,
        a_search_for_cold_calls_takes_fewer_samples_and_says_where_its_time_went,
        no_bound_is_said_of_a_cold_call_and_none_is_corrected_by_one,
        a_report_of_cold_calls_has_their_costs_and_a_benchmark_has_both,
    ]);
}
