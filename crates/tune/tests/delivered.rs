//! The delivered kernel is the one that was found and requested: the best that a request admits, and the same
//! kernel in all output of a run. Nothing is timed. The program is its own judge's worker.

mod support;

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::timing::Timing;
use aesmith_tune::bench::Bench;
use aesmith_tune::decide::set_up;
use aesmith_tune::deliver::chosen;
use aesmith_tune::deliver::dispatch::standing;
use aesmith_tune::key_life::{self, KeyLife};
use aesmith_tune::report_data::report_data;
use aesmith_tune::{
    Effort, RaceResult, Request, RunRequest, TechniqueRequest, TuneError, Tuned, Workplace, tune,
};
use aesmith_wisdom::{Best, Filter};
use aesmith_x86::dimensions::{self, Dim};
use support::{Folder, open, problem, short};

const SIZE: usize = 4096;

fn quick(name: &str) -> RunRequest {
    RunRequest { trials: Some(12), ..short(name) }
}

fn run(place: &mut Workplace, request: &Request, options: &RunRequest) -> Tuned<RaceResult> {
    place.settings.request = request.clone();
    tune(place, options, &mut |_| {})
        .unwrap_or_else(|e| panic!("{} {}: {e}", options.problem, request.restriction()))
}

fn only(dim: Dim, values: &[u16]) -> Request {
    Request { only: vec![(dim.into(), values.to_vec())], ..Request::default() }
}

fn by(technique: Technique) -> Request {
    Request { technique: TechniqueRequest::Only(technique), timing: Timing::Variable, ..Request::default() }
}

/// The variant that is delivered now.
fn delivered(place: &mut Workplace, request: &Request, problem: Problem) -> String {
    place.settings.request = request.clone();
    let kernel = place.best_known(problem, SIZE).unwrap();
    chosen(&kernel, SIZE).to_string()
}

fn a_restricted_run_never_displaces_the_best() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let ctr = problem("aes256-ctr");
    let free = Request::default();
    let best = run(&mut place, &free, &quick("aes256-ctr")).result.variant;
    let narrow = Request { widest: Some(1), ..Request::default() };
    let restricted = [narrow, only(Dim::Keys, &[0]), Request { paper: true, ..Request::default() }];
    let mut winners = Vec::new();
    for request in &restricted {
        let tuned = run(&mut place, request, &quick("aes256-ctr"));
        assert_eq!(tuned.result.restriction, request.restriction());
        winners.push(tuned.result.variant);
    }
    for (request, winner) in restricted.iter().zip(&winners) {
        let now = delivered(&mut place, request, ctr);
        assert!(request.admits(&dimensions::variant(&now).unwrap()), "{now}");
        // A later run with another restriction may have found a better kernel that satisfies this one, too.
        assert!(winners.contains(&now) || &now == winner, "{}: {now}", request.restriction());
    }
    assert_eq!(delivered(&mut place, &free, ctr), best);
    assert_eq!(place.best_at(ctr, SIZE).unwrap().unwrap().variant, best);
}

/// The overall best satisfies the restriction, too, and is confirmed again by the restricted run.
fn a_best_that_a_restricted_run_confirms_again_stays_the_best() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let ecb = problem("aes128-ecb");
    let free = Request::default();
    let best = run(&mut place, &free, &quick("aes128-ecb")).result.variant;
    let before = place.best_at(ecb, SIZE).unwrap().unwrap();
    let width = dimensions::variant(&best).unwrap().get(Dim::Width);
    run(&mut place, &only(Dim::Width, &[width]), &quick("aes128-ecb"));
    place.settings.request = free;
    assert_eq!(place.best_at(ecb, SIZE).unwrap().unwrap(), before);
}

fn a_restricted_run_is_all_there_is_until_there_is_another() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let narrow = Request { widest: Some(1), ..Request::default() };
    let tuned = run(&mut place, &narrow, &quick("aes128-ecb"));
    assert_eq!(delivered(&mut place, &Request::default(), problem("aes128-ecb")), tuned.result.variant);
}

/// A cost of another day that is unreachable today is measured again before it decides.
fn the_best_is_confirmed_beside_its_rivals() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let ecb = problem("aes128-ecb");
    let free = Request::default();
    let tuned = run(&mut place, &free, &quick("aes128-ecb"));
    let slow = dimensions::baseline(ecb).to_string();
    assert_ne!(tuned.result.variant, slow);
    let best = place.best_at(ecb, SIZE).unwrap().unwrap();
    let lucky = Best { variant: slow.clone(), low: 0.001, median: 0.001, high: 0.001, ..best.clone() };
    // What rests on the prover alone does not precede what the checker accepts, however fast it is.
    assert!(best.is_accepted(), "{}", best.certificate);
    place.store.put_best(&Best { certificate: serde_json::json!({}), ..lucky.clone() }).unwrap();
    assert_eq!(delivered(&mut place, &free, ecb), tuned.result.variant);
    let standing = standing(&place.store, &place.key, place.wanted(ecb, SIZE)).unwrap();
    let why = standing[0].before_faster.as_deref().unwrap_or_default();
    assert!(why.starts_with("chosen since the checker accepts its proof") && why.contains(&slow), "{why}");
    place.store.put_best(&Best { confirmed_ms: best.confirmed_ms + 1, ..lucky }).unwrap();
    assert_eq!(delivered(&mut place, &free, ecb), slow, "the lowest confirmed cost decides");
    let again = run(&mut place, &free, &quick("aes128-ecb"));
    assert_ne!(again.result.variant, slow);
    assert_eq!(delivered(&mut place, &free, ecb), again.result.variant);
    let standing = place.store.bests(&Filter::exactly(&place.key, ecb, SIZE as u64)).unwrap();
    let confirmed = standing.iter().find(|b| b.variant == slow).unwrap();
    assert!(confirmed.median > 0.01, "it was measured again: {}", confirmed.median);
}

/// Console and JSON come from [`Tuned`]; everything else is compared with it.
fn agree(place: &mut Workplace, tuned: &Tuned<RaceResult>, problem: Problem, size: usize) {
    let what = format!("{problem} {}", tuned.result.restriction);
    let size = if problem.is_message() { size } else { 0 };
    assert_eq!(chosen(&tuned.result.delivery, size).to_string(), tuned.result.variant, "{what}");
    assert_eq!(tuned.result.kernel, tuned.result.delivery.name, "{what}");
    assert!(tuned.result.delivery.certificate.check(&tuned.result.delivery.bytes).is_ok(), "{what}");
    assert_eq!(tuned.result.constant_time, tuned.result.delivery.certificate.constant_time, "{what}");
    let best = place.best_at(problem, size).unwrap().unwrap();
    assert_eq!(
        (&best.variant, best.median),
        (&tuned.result.variant, tuned.result.best_cycles_per_byte),
        "{what}"
    );
    assert_eq!((best.low, best.high), (tuned.result.best_low, tuned.result.best_high), "{what}");
    assert_eq!(best.baseline, Some(tuned.result.baseline_cycles_per_byte), "{what}");
    let known = place.best_known(problem, size).unwrap();
    assert_eq!(known, tuned.result.delivery, "{what}: what `emit` delivers");
    if known.variants.len() == 1 {
        assert_eq!(best.sha256, known.certificate.sha256, "{what}");
    }
    let data = report_data(place, problem, size, &Bench::default()).unwrap();
    let certificate = data.certificate.unwrap();
    assert_eq!(certificate.sha256, known.certificate.sha256, "{what}: the report's certificate");
    assert_eq!(certificate.kernel, tuned.result.kernel, "{what}: the report's certificate");
    let summary = data.summary.unwrap();
    assert_eq!(
        (&summary.kernel, &summary.variant),
        (&tuned.result.kernel, &tuned.result.variant),
        "{what}: its headline"
    );
    assert!(summary.confirmed, "{what}: its headline");
    assert_eq!(summary.best.median, tuned.result.best_cycles_per_byte, "{what}: its headline");
    assert_eq!(data.loop_chart.unwrap().variant, tuned.result.variant, "{what}: its loop");
    let measured = data.distances[0].measured.unwrap();
    assert_eq!(measured.median, tuned.result.best_cycles_per_byte, "{what}: its distance to the bound");
    for row in data.figure3.iter().filter(|row| row.own) {
        assert_eq!(row.best, Some(tuned.result.best_cycles_per_byte), "{what}: its row of Figure 3");
    }
    let request = place.settings.request.clone();
    for (_, variant) in &known.variants {
        assert!(request.admits(variant), "{what}: {variant}");
    }
}

fn one_kernel_in_everything_that_a_run_says_in_every_mode() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let modes = ["ecb", "gcm", "xts", "cbc", "cbc-x4", "cbc-x16", "cbc-dec", "ctr", "key"];
    // Outside of a soak one direction is enough where kernels of both have the same form.
    let more = if aesmith_processor::trial::is_soak() { &["ecb-dec", "gcm-dec", "key-dec"][..] } else { &[] };
    for (index, mode) in modes.iter().chain(more).enumerate() {
        // The states of 16 streams would fill all registers of one block.
        if *mode == "cbc-x16" && place.target.lanes_of(Technique::Aes) == 1 {
            continue;
        }
        // XTS has no keys of 192 bits.
        let bits = if *mode == "xts" { 256 } else { [128, 192, 256][index % 3] };
        let name = format!("aes{bits}-{mode}");
        // Every fourth mode also with wiping.
        for request in
            [Request::default(), only(Dim::Wipe, &[1])].into_iter().take(1 + usize::from(index % 4 == 1))
        {
            let tuned = run(&mut place, &request, &quick(&name));
            agree(&mut place, &tuned, problem(&name), SIZE);
        }
    }
}

fn one_kernel_in_everything_that_a_run_says_by_every_technique() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let few = [Technique::Aes, Technique::Gfni, Technique::Bitsliced, Technique::Table];
    let is_taken = |t: &Technique| aesmith_processor::trial::is_soak() || few.contains(t);
    let is_here = |t: &Technique| place.target.lanes_of(*t) > 0;
    let techniques: Vec<_> = Technique::ALL.into_iter().filter(is_taken).filter(is_here).collect();
    for technique in techniques {
        let options = RunRequest { effort: Effort::Estimate, trials: None, ..quick("aes128-ctr") };
        let tuned = run(&mut place, &by(technique), &options);
        assert_eq!(dimensions::variant(&tuned.result.variant).unwrap().technique, technique);
        agree(&mut place, &tuned, problem("aes128-ctr"), SIZE);
    }
    let free = Request::default();
    let best = delivered(&mut place, &free, problem("aes128-ctr"));
    assert!(
        free.admits(&dimensions::variant(&best).unwrap()),
        "what is of variable time is not delivered unasked: {best}"
    );
}

fn one_kernel_in_everything_that_a_run_says_with_a_choice_by_length() {
    let folder = Folder::new();
    let mut place = open(&folder);
    // With a time limit, sizes without time left are skipped.
    let narrow = Request { widest: Some(1), ..Request::default() };
    for (name, request) in
        [("aes128-ctr", Request::default()), ("aes128-ctr", narrow), ("aes128-cbc-x4", Request::default())]
    {
        let options = RunRequest { sizes: true, size: Some(1024), ..quick(name) };
        let tuned = run(&mut place, &request, &options);
        let sizes = 1 + aesmith_tune::options::other_sizes(problem(name), 1024).count();
        assert_eq!(tuned.result.by_size.len(), sizes);
        assert!(tuned.result.by_size.iter().all(|best| best.dependent_call_cycles.is_some()), "{tuned:?}");
        let own = tuned.result.by_size.iter().find(|best| best.bytes == 1024).unwrap();
        assert_eq!(
            (own.variant.as_str(), own.cycles_per_byte),
            (tuned.result.variant.as_str(), tuned.result.best_cycles_per_byte)
        );
        agree(&mut place, &tuned, problem(name), 1024);
    }
}

fn a_restriction_is_a_promise() {
    let folder = Folder::new();
    let mut place = open(&folder);
    for name in ["aes128-ctr", "aes256-cbc-x4", "aes192-ecb-dec"] {
        let wiped = only(Dim::Wipe, &[1]);
        let tuned = run(&mut place, &wiped, &quick(name));
        assert!(tuned.result.delivery.certificate.wiped, "{name}");
        let schedule = place.best_known(problem(name).key_schedule(), 0).unwrap();
        assert!(schedule.certificate.wiped, "the key schedule of {name}");
        assert!(schedule.variants.iter().all(|(_, v)| v.on(Dim::Wipe)), "the key schedule of {name}");
    }
    let narrow = Request { widest: Some(1), ..Request::default() };
    let tuned = run(&mut place, &narrow, &quick("aes128-ecb"));
    assert_eq!(dimensions::variant(&tuned.result.variant).unwrap().lanes(), 1);
    place.settings.request = only(Dim::Circuit, &[0]);
    let refused = tune(&mut place, &quick("aes128-ctr"), &mut |_| {}).unwrap_err();
    assert!(matches!(&refused, TuneError::Usage(text) if text.contains("circuit")), "{refused}");
    assert!(place.best_known(problem("aes128-ctr"), SIZE).is_err(), "nothing else is delivered in its place");
}

/// The delivered kernel depends on the lifetime of keys.
fn a_table_is_delivered_only_where_a_key_lives_long_enough() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let ctr = problem("aes256-ctr");
    let plain = run(&mut place, &only(Dim::Cached, &[0]), &quick("aes256-ctr")).result.variant;
    let best = place.best_at(ctr, SIZE).unwrap().unwrap();
    let free = Request::default();
    place.settings.request = free.clone();
    set_up::measure(&mut place, &dimensions::variant(&plain).unwrap(), SIZE, 1, None).unwrap();
    let set_up = key_life::known(&place.store, &place.key, ctr, &free).unwrap().unwrap();
    assert!(set_up.table_cycles > 10.0 && set_up.schedule_cycles > 10.0, "{set_up:?}");
    // Its gain is a tenth of the cost of its table.
    let cost = best.median - set_up.table_cycles / SIZE as f64 / 10.0;
    let table: Variant = dimensions::variant("aes256-ctr interleave=8 cached=1").unwrap();
    let later = Best { restriction: String::new(), confirmed_ms: best.confirmed_ms + 1, ..best };
    let with_table =
        Best { variant: table.to_string(), low: cost, median: cost, high: cost, ..later.clone() };
    for best in [later, with_table] {
        place.store.put_best(&best).unwrap();
    }
    let lives = |messages| Request { key_life: KeyLife(messages), ..free.clone() };
    assert_eq!(delivered(&mut place, &lives(1000), ctr), table.to_string());
    assert_eq!(delivered(&mut place, &lives(1), ctr), plain);
}

fn main() {
    support::run(support::named![
        a_restricted_run_never_displaces_the_best,
        a_best_that_a_restricted_run_confirms_again_stays_the_best,
        a_restricted_run_is_all_there_is_until_there_is_another,
        the_best_is_confirmed_beside_its_rivals,
        one_kernel_in_everything_that_a_run_says_in_every_mode,
        one_kernel_in_everything_that_a_run_says_by_every_technique,
        one_kernel_in_everything_that_a_run_says_with_a_choice_by_length,
        a_restriction_is_a_promise,
        a_table_is_delivered_only_where_a_key_lives_long_enough,
    ]);
}
