//! Whole runs with small budgets on this CPU: what they try, keep, resume and hand out. Nothing is
//! timed. The program is its own judge's worker, so it has its own `main`.

use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::Problem;
use aesmith_kernel::Target;
use aesmith_prove::Prover;
use aesmith_tune::bench::{BenchOptions, bench, performance_markdown, text};
use aesmith_tune::explain::explain;
use aesmith_tune::report_data::{paper_figures, report_data};
use aesmith_tune::{Effort, Event, Options, Settings, TuneError, Workplace, dispatch, tune};
use aesmith_wisdom::Filter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A folder of one test, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("aesmith-tune-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left in the system's place for such.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn settings(folder: &Path, target: Target) -> Settings {
    Settings {
        wisdom: folder.join("wisdom.sqlite"),
        target,
        cpu: None,
        scope: Default::default(),
        seed: 7,
        worker: "/proc/self/exe".into(),
        quarantine: None,
        command: "test".into(),
        remeasure: false,
    }
}

fn open(folder: &Folder) -> Workplace {
    Workplace::open(settings(&folder.0, Target::native()), &mut |_| {}).unwrap()
}

fn problem(name: &str) -> Problem {
    name.parse().unwrap()
}

fn short(name: &str) -> Options {
    Options { size: 4096, sizes: false, trials: Some(40), ..Options::new(problem(name)) }
}

fn an_estimate_measures_the_baseline_first_and_confirms_a_winner() {
    let folder = Folder::new();
    let mut place = open(&folder);
    for name in ["aes128-ctr", "aes192-ecb-dec", "aes256-cbc"] {
        let options = Options { effort: Effort::Estimate, trials: None, ..short(name) };
        let tuned = tune(&mut place, &options, &mut |_| {}).unwrap();
        assert_eq!((tuned.problem.as_str(), tuned.size), (name, 4096));
        assert_eq!(tuned.certificate_level, "E3");
        assert!(tuned.best_cycles_per_byte <= tuned.baseline_cycles_per_byte, "{tuned:?}");
        let run = place.store.run_id(&tuned.run).unwrap().unwrap();
        let screened = place.store.screened(run).unwrap();
        let first = screened.iter().find(|s| s.trial == 1).unwrap();
        assert_eq!(first.variant, Variant::baseline(problem(name)).to_string());
        let best = place.best_at(problem(name), 4096).unwrap().unwrap();
        assert_eq!((best.variant, best.median), (tuned.variant, tuned.best_cycles_per_byte));
    }
}

fn a_search_keeps_to_its_trials_and_a_second_one_remembers() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let options = short("aes128-ecb");
    let tuned = tune(&mut place, &options, &mut |_| {}).unwrap();
    assert_eq!(tuned.variants_tried, 40);
    assert_eq!(tuned.outcomes.values().sum::<u64>(), 40);
    let run = place.store.run_id(&tuned.run).unwrap().unwrap();
    let screens =
        |place: &Workplace, run| place.store.screened(run).unwrap().iter().filter(|s| s.trial > 0).count();
    assert_eq!(screens(&place, run), 40);
    let mut noted = false;
    let again = tune(&mut place, &options, &mut |event| noted |= matches!(event, Event::Note(_))).unwrap();
    let run = place.store.run_id(&again.run).unwrap().unwrap();
    assert!(noted && screens(&place, run) < 40, "variants in wisdom are not measured again");
    let afresh = Options { afresh: true, ..options };
    let tuned = tune(&mut place, &afresh, &mut |_| {}).unwrap();
    let run = place.store.run_id(&tuned.run).unwrap().unwrap();
    assert_eq!(screens(&place, run), 40);
}

fn an_interrupted_run_has_a_result() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let options = Options { time: Some(Duration::from_secs(600)), trials: None, ..short("aes256-ctr") };
    let flag = options.interrupted.clone();
    let tuned = tune(&mut place, &options, &mut |event| {
        // Nothing can come of a run that ends before anything was measured.
        if let Event::Progress(progress) = event
            && progress.best.is_some()
        {
            flag.store(true, Ordering::Relaxed);
        }
    });
    let tuned = tuned.unwrap();
    assert!(tuned.interrupted && tuned.variants_tried > 0);
    let runs = place.store.runs(&Filter::default()).unwrap();
    assert_eq!(runs[0].run.state, "interrupted");
}

fn narrow_targets_get_narrow_kernels() {
    let folder = Folder::new();
    let narrow = Target::native().within(Target::AESNI);
    let mut place = Workplace::open(settings(&folder.0, narrow), &mut |_| {}).unwrap();
    let tuned = tune(&mut place, &short("aes128-ctr"), &mut |_| {}).unwrap();
    assert_eq!(tuned.variant.parse::<Variant>().unwrap().get(Dim::Width), 0);
    assert_eq!(tuned.technique, "aesni");
}

fn requests_that_cannot_be_met_are_refused_in_a_sentence() {
    let folder = Folder::new();
    let none = Target::NONE;
    let refused = Workplace::open(settings(&folder.0, none), &mut |_| {}).err().unwrap();
    assert!(matches!(refused, TuneError::Unsupported(_)));
    let mut place = open(&folder);
    let mut usage = |options: &Options| match tune(&mut place, options, &mut |_| {}) {
        Err(TuneError::Usage(text)) => text,
        other => panic!("{other:?}"),
    };
    assert!(usage(&Options { size: 17, ..short("aes128-ecb") }).contains("16 bytes"));
    assert!(
        usage(&Options { strategy: Some("anealing".into()), ..short("aes128-ctr") }).contains("annealing")
    );
    assert!(usage(&Options { paper: true, ..short("aes128-cbc") }).contains("counter mode"));
    assert!("meazure".parse::<Effort>().unwrap_err().contains("measure"));
}

fn what_is_handed_out_is_proved_with_or_without_wisdom() {
    let folder = Folder::new();
    let mut prover = Prover::new();
    for problem in Problem::all() {
        let kernel =
            dispatch::best_known(None, "", problem, &Target::native(), Default::default(), &mut prover)
                .unwrap();
        assert!(kernel.certificate.check(&kernel.bytes).is_ok(), "{problem}");
        assert!(!kernel.notes.is_empty(), "{problem}: it is said that wisdom has nothing");
    }
    let mut place = open(&folder);
    let options =
        Options { size: 1024, sizes: true, time: Some(Duration::from_secs(3)), ..short("aes128-ctr") };
    let tuned = tune(&mut place, &options, &mut |_| {}).unwrap();
    assert_eq!(tuned.by_size.len(), aesmith_tune::by_size::SIZES.len());
    let Workplace { store, key, target, prover, .. } = &mut place;
    let kernel =
        dispatch::best_known(Some(store), key, options.problem, target, Default::default(), prover).unwrap();
    assert_eq!(kernel.notes, Vec::<String>::new());
    assert!(kernel.certificate.check(&kernel.bytes).is_ok());
    let explanation = explain(&place, &kernel, 1024).unwrap();
    let titles: Vec<&str> = explanation.sections.iter().map(|s| s.title.as_str()).collect();
    for title in ["the kernel", "registers", "variants tried at this size"] {
        assert!(titles.contains(&title), "{title} in {titles:?}");
    }
}

fn a_bench_and_a_report_say_what_was_measured() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let problems = vec![problem("aes128-ctr"), problem("aes128-key"), problem("aes128-cbc-x4")];
    let wanted =
        BenchOptions { problems, sizes: vec![64, 1000, 4096], rounds: 8, interrupted: Default::default() };
    let measured = bench(&mut place, &wanted, &mut |_| {}).unwrap();
    for (name, bytes) in [("aes128-ctr", 1000), ("aes128-key", 0), ("aes128-cbc-x4", 4096)] {
        assert!(measured.median(name, bytes, "aesmith").is_some_and(|c| c > 0.0), "{name}");
        assert!(measured.median(name, bytes, "bound").is_some(), "{name}");
    }
    assert_eq!(measured.median("aes128-cbc-x4", 1000, "aesmith"), None);
    assert!(measured.notes.iter().any(|n| n.contains("1000 bytes")));
    assert!(text(&measured).contains("aes128-cbc-x4"));
    assert!(performance_markdown(&place, &measured).contains("## aes128-ctr"));

    let ctr = problem("aes128-ctr");
    tune(&mut place, &Options { size: 32768, ..short("aes128-ctr") }, &mut |_| {}).unwrap();
    let little = Duration::from_millis(1500);
    paper_figures(&mut place, ctr, little, &Default::default(), &mut |_| {}).unwrap();
    let data = report_data(&mut place, ctr, 32768, Some(&measured)).unwrap();
    assert_eq!(data.title, "AES-128-CTR");
    assert!(data.summary.is_some_and(|s| s.best.median <= s.baseline.median));
    assert!(data.sizes.is_some_and(|s| s.subjects[0].ours && s.subjects[0].points.len() == 3));
    assert!(data.loop_chart.is_some_and(|c| !c.instructions.is_empty()));
    assert!(data.figure1.is_some_and(|f| f.cells.iter().flatten().count() > 10));
    assert!(!data.mix.is_empty() && !data.distances.is_empty() && data.machine.is_some());
}

/// Every test, by name.
fn tests() -> Vec<(&'static str, fn())> {
    macro_rules! named {
        ($($test:ident),* $(,)?) => { vec![$((stringify!($test), $test as fn())),*] };
    }
    named![
        an_estimate_measures_the_baseline_first_and_confirms_a_winner,
        a_search_keeps_to_its_trials_and_a_second_one_remembers,
        an_interrupted_run_has_a_result,
        narrow_targets_get_narrow_kernels,
        requests_that_cannot_be_met_are_refused_in_a_sentence,
        what_is_handed_out_is_proved_with_or_without_wisdom,
        a_bench_and_a_report_say_what_was_measured,
    ]
}

/// Runs the tests whose names contain the first argument, and ends as the standard harness does.
fn main() {
    aesmith_judge::worker::run_if_worker();
    let filter = std::env::args().nth(1).filter(|a| !a.starts_with('-')).unwrap_or_default();
    let all = tests();
    let chosen: Vec<_> = all.iter().filter(|(name, _)| name.contains(&filter)).collect();
    println!("\nrunning {} tests", chosen.len());
    let mut failed = 0;
    for (name, test) in &chosen {
        if Target::native().lanes() == 0 {
            println!("test {name} ... ok (skipped: this CPU has no AES instructions)");
            continue;
        }
        let passed = std::panic::catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += u32::from(!passed);
    }
    let (result, passed) = (if failed == 0 { "ok" } else { "FAILED" }, chosen.len() as u32 - failed);
    let filtered = all.len() - chosen.len();
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {filtered} filtered out\n"
    );
    std::process::exit(i32::from(failed > 0));
}
