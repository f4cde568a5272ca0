//! Whole runs with small budgets on this CPU: the variants that they try, keep, resume and deliver. Nothing
//! is timed. The program is its own judge's worker, so it has its own `main`.

mod support;

use aesmith_cipher::Problem;
use aesmith_tune::bench::{BenchOptions, Spacings, bench, text};
use aesmith_tune::deliver::dispatch;
use aesmith_tune::explain::explain;
use aesmith_tune::options::LONGEST;
use aesmith_tune::report_data::{paper_figures, report_data};
use aesmith_tune::{Effort, Event, KernelRequest, Request, RunRequest, TuneError, Workplace, tune};
use aesmith_wisdom::Filter;
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::instructions::prover;
use aesmith_x86::targets;

use std::sync::atomic::Ordering;
use std::time::Duration;
use support::{Folder, open, problem, settings, short};

fn an_estimate_measures_the_baseline_first_and_confirms_a_winner() {
    let folder = Folder::new();
    let mut place = open(&folder);
    for name in ["aes128-ctr", "aes192-ecb-dec", "aes256-cbc"] {
        let options = RunRequest { effort: Effort::Estimate, trials: None, ..short(name) };
        let tuned = tune(&mut place, &options, &mut |_| {}).unwrap();
        assert_eq!((tuned.problem.as_str(), tuned.result.size), (name, 4096));
        assert_eq!(tuned.result.certificate_level, "E3");
        assert!(tuned.result.best_cycles_per_byte <= tuned.result.baseline_cycles_per_byte, "{tuned:?}");
        let run = place.store.run_id(&tuned.result.run).unwrap().unwrap();
        let screened = place.store.screened(run).unwrap();
        let first = screened.iter().find(|s| s.trial == 1).unwrap();
        assert_eq!(first.variant, dimensions::baseline(problem(name)).to_string());
        let best = place.best_at(problem(name), 4096).unwrap().unwrap();
        assert_eq!((best.variant, best.median), (tuned.result.variant, tuned.result.best_cycles_per_byte));
    }
}

fn a_search_keeps_to_its_trials_and_a_second_one_remembers() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let options = short("aes128-ecb");
    let tuned = tune(&mut place, &options, &mut |_| {}).unwrap();
    assert_eq!(tuned.result.variants_tried, 40);
    assert_eq!(tuned.result.outcomes.values().sum::<u64>(), 40);
    let run = place.store.run_id(&tuned.result.run).unwrap().unwrap();
    let screens =
        |place: &Workplace, run| place.store.screened(run).unwrap().iter().filter(|s| s.trial > 0).count();
    assert_eq!(screens(&place, run), 40);
    let mut noted = false;
    let again = tune(&mut place, &options, &mut |event| noted |= matches!(event, Event::Note(_))).unwrap();
    let run = place.store.run_id(&again.result.run).unwrap().unwrap();
    assert!(noted && screens(&place, run) < 40, "variants in wisdom are not measured again");
    let afresh = RunRequest { afresh: true, ..options };
    let tuned = tune(&mut place, &afresh, &mut |_| {}).unwrap();
    let run = place.store.run_id(&tuned.result.run).unwrap().unwrap();
    assert_eq!(screens(&place, run), 40);
}

fn an_interrupted_run_has_a_result() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let options = RunRequest { time: Some(Duration::from_secs(600)), trials: None, ..short("aes256-ctr") };
    let flag = options.interrupted.clone();
    let tuned = tune(&mut place, &options, &mut |event| {
        // A run that ends before any measurement has no result.
        if let Event::Progress(progress) = event
            && progress.best.is_some()
        {
            flag.store(true, Ordering::Relaxed);
        }
    });
    let tuned = tuned.unwrap();
    assert!(tuned.interrupted && tuned.result.variants_tried > 0);
    let runs = place.store.runs(&Filter::default()).unwrap();
    let searched = runs.iter().find(|r| r.run.key == tuned.result.run).unwrap();
    assert_eq!(searched.run.state, "interrupted");
}

fn narrow_targets_get_narrow_kernels() {
    let folder = Folder::new();
    let narrow = targets::here().within(targets::AESNI);
    let mut place = Workplace::open(settings(&folder.0, narrow), &mut |_| {}).unwrap();
    let tuned = tune(&mut place, &short("aes128-ctr"), &mut |_| {}).unwrap();
    assert_eq!(dimensions::variant(&tuned.result.variant).unwrap().get(Dim::Width), 0);
    assert_eq!(tuned.result.technique, "aesni");
}

fn requests_that_cannot_be_met_are_refused_in_a_sentence() {
    let folder = Folder::new();
    let none = targets::NONE;
    let refused = Workplace::open(settings(&folder.0, none), &mut |_| {}).err().unwrap();
    assert!(matches!(refused, TuneError::Unsupported(_)));
    let mut place = open(&folder);
    let mut usage = |options: &RunRequest| match tune(&mut place, options, &mut |_| {}) {
        Err(TuneError::Usage(text)) => text,
        other => panic!("{other:?}"),
    };
    assert!(usage(&RunRequest { size: Some(17), ..short("aes128-ecb") }).contains("16 bytes"));
    assert!(
        usage(&RunRequest { size: Some(LONGEST + 1), ..short("aes128-ctr") }).contains("could not be kept")
    );
    assert!(
        usage(&RunRequest { size: Some(LONGEST), ..short("aes128-cbc-x2") }).contains("could not be kept")
    );
    assert!(RunRequest { size: Some(LONGEST), ..short("aes128-ctr") }.check().is_ok());
    assert!(RunRequest { size: Some(LONGEST), ..short("aes128-key") }.check().is_ok());
    assert!(
        usage(&RunRequest { strategy: Some("anealing".into()), ..short("aes128-ctr") }).contains("annealing")
    );
    place.settings.request = Request { paper: true, ..Request::default() };
    let refused = tune(&mut place, &short("aes128-cbc"), &mut |_| {}).unwrap_err();
    assert!(matches!(&refused, TuneError::Usage(text) if text.contains("counter mode")), "{refused}");
    assert!("meazure".parse::<Effort>().unwrap_err().contains("measure"));
}

fn what_is_delivered_is_proved_with_or_without_wisdom() {
    let folder = Folder::new();
    let mut prover = prover();
    for problem in Problem::all() {
        let (target, request) = (targets::here(), Request::default());
        let wanted = KernelRequest { problem, size: 32768, target: &target, request: &request };
        let kernel = match dispatch::best_known(None, "", wanted, &mut prover) {
            // The states of 16 streams would fill all registers of one block.
            Err(TuneError::Unsupported(why)) if target.lanes() == 1 && problem.streams() == 16 => {
                assert!(why.contains("cbc-x8 called 2 times does the same"), "{why}");
                continue;
            }
            found => found.unwrap(),
        };
        assert!(kernel.certificate.check(&kernel.bytes).is_ok(), "{problem}");
        assert_eq!(
            kernel.notes.is_empty(),
            !problem.is_tuned(),
            "{problem}: it is said that wisdom has nothing of what is tuned for"
        );
    }
    let mut place = open(&folder);
    let options = RunRequest { size: Some(1024), sizes: true, ..short("aes128-ctr") };
    let tuned = tune(&mut place, &options, &mut |_| {}).unwrap();
    assert_eq!(tuned.result.by_size.len(), aesmith_tune::options::SIZES.len());
    let kernel = place.best_known(options.problem, 1024).unwrap();
    assert_eq!(kernel.notes, Vec::<String>::new());
    assert!(kernel.certificate.check(&kernel.bytes).is_ok());
    let explanation = explain(&mut place, &kernel, 1024).unwrap();
    let titles: Vec<&str> = explanation.sections.iter().map(|s| s.title.as_str()).collect();
    for title in ["the kernel", "registers", "variants tried at this size"] {
        assert!(titles.contains(&title), "{title} in {titles:?}");
    }
}

fn a_bench_and_a_report_say_what_was_measured() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let problems = vec![problem("aes128-ctr"), problem("aes128-key"), problem("aes128-cbc-x4")];
    let sizes = vec![64, 1000, 4096];
    let wanted = BenchOptions {
        problems,
        sizes,
        best_at: 32768,
        rounds: 8,
        cold: true,
        interrupted: Default::default(),
    };
    let measured = bench(&mut place, &wanted, &mut |_| {}).unwrap();
    for (name, bytes) in [("aes128-ctr", 1000), ("aes128-key", 0), ("aes128-cbc-x4", 4096)] {
        assert!(measured.median(name, bytes, "aesmith").is_some_and(|c| c > 0.0), "{name}");
        assert!(measured.median(name, bytes, "bound").is_some(), "{name}");
    }
    assert_eq!(measured.median("aes128-cbc-x4", 1000, "aesmith"), None);
    assert!(measured.notes.iter().any(|n| n.contains("1000 bytes")));
    assert!(text(&measured).contains("aes128-cbc-x4") && text(&measured).contains("streams at pages"));
    for row in measured.rows.iter().filter(|row| row.subject != "bound") {
        let several = row.problem == "aes128-cbc-x4";
        assert_eq!(row.spacings.is_some(), several, "{row:?}");
        assert!(row.cold.as_ref().is_some_and(|cold| cold.low > 0.0 && cold.low <= cold.high), "{row:?}");
        let of_a_spacing =
            |s: Spacings| [s.pages, s.odd, s.scattered].iter().all(|c| *c <= row.cycles_per_byte);
        assert!(row.spacings.is_none_or(of_a_spacing), "the worst counts: {row:?}");
    }

    let ctr = problem("aes128-ctr");
    tune(&mut place, &RunRequest { size: Some(32768), ..short("aes128-ctr") }, &mut |_| {}).unwrap();
    let little = Duration::from_millis(1500);
    paper_figures(&mut place, ctr, little, &Default::default(), &mut |_| {}).unwrap();
    let data = report_data(&mut place, ctr, 32768, &measured).unwrap();
    assert_eq!(data.title, "AES-128-CTR");
    assert!(data.summary.is_some_and(|s| s.best.median <= s.baseline.median));
    assert!(data.sizes.is_some_and(|s| s.subjects[0].ours && s.subjects[0].points.len() == 3));
    assert!(data.loop_chart.is_some_and(|c| !c.instructions.is_empty()));
    assert!(data.figure1.is_some_and(|f| f.cells.iter().flatten().count() > 10));
    assert!(!data.mix.is_empty() && !data.distances.is_empty() && data.machine.is_some());
}

fn main() {
    support::run(support::named![
        an_estimate_measures_the_baseline_first_and_confirms_a_winner,
        a_search_keeps_to_its_trials_and_a_second_one_remembers,
        an_interrupted_run_has_a_result,
        narrow_targets_get_narrow_kernels,
        requests_that_cannot_be_met_are_refused_in_a_sentence,
        what_is_delivered_is_proved_with_or_without_wisdom,
        a_bench_and_a_report_say_what_was_measured,
    ]);
}
