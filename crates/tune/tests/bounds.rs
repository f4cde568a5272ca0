//! Beaten bounds: the kernel is kept, and the bound is corrected and reported. These tests time nothing; they
//! raise the bounds beforehand.

mod support;

use aesmith_arrange::{Technique, Variant};
use aesmith_processor::measured::MachineModel;
use aesmith_tune::bench::{BenchOptions, bench};
use aesmith_tune::bound::{correct, problem_bound, shown_bound, variant_bound};
use aesmith_tune::explain::explain;
use aesmith_tune::{Event, Request, RunRequest, Workplace, tune};
use aesmith_wisdom::{Filter, Sampled};
use aesmith_x86::dimensions;
use support::{Folder, open, problem, short};

const SIZE: usize = 4096;

/// A machine whose calibrations were all disturbed: all figures are three times too slow.
fn slow(model: &mut MachineModel) {
    for timing in &mut model.timings {
        timing.reciprocal_throughput *= 3.0;
        timing.latency = timing.latency.map(|latency| 3.0 * latency);
    }
    model.groups.iter_mut().flat_map(|g| &mut g.members).for_each(|(_, each)| *each *= 3.0);
    model.issue_width = model.issue_width.map(|width| width / 3.0);
}

fn samples(place: &Workplace, name: &str) -> Vec<Sampled> {
    place.store.known(&Filter::exactly(&place.key, problem(name), SIZE as u64)).unwrap()
}

fn a_kernel_below_its_bound_is_measured_and_kept() {
    for (name, technique) in
        [("aes128-ecb", None), ("aes128-cbc-x4", None), ("aes128-ctr", Some(Technique::Gfni))]
    {
        let folder = Folder::new();
        let mut place = open(&folder);
        if technique.is_some_and(|t| place.target.lanes_of(t) == 0) {
            continue;
        }
        let asked = technique.map(|t| t.name().parse().unwrap());
        place.settings.request = Request { technique: asked.unwrap_or_default(), ..Request::default() };
        slow(&mut place.model);
        let mut notes = Vec::new();
        let options = RunRequest { size: Some(SIZE), ..short(name) };
        let tuned = tune(&mut place, &options, &mut |event| {
            if let Event::Note(note) = event {
                notes.push(note.to_owned());
            }
        })
        .unwrap();
        assert_eq!(tuned.result.outcomes.get("fault"), None, "{name}: {:?}", tuned.result.outcomes);
        let known = samples(&place, name);
        assert!(known.iter().all(|s| s.verdict != "fault"), "{name}");
        let bound = tuned.result.bound_cycles_per_byte.unwrap();
        assert!(
            bound <= tuned.result.best_cycles_per_byte,
            "{name}: {bound} above {}",
            tuned.result.best_cycles_per_byte
        );
        let best = place.best_at(problem(name), SIZE).unwrap().unwrap();
        assert!(best.bound.unwrap() <= best.median, "{name}: what wisdom keeps");
        // The AES instructions are measured again beside each confirmation, which corrects them first.
        if technique.is_some() {
            assert!(notes.iter().any(|n| n.contains("was beaten and is corrected")), "{name}: {notes:?}");
        }
    }
}

fn a_bound_that_was_beaten_is_corrected_for_good_and_says_why() {
    for text in [
        "aes128-ecb width=xmm",
        "aes256-ctr cached=1",
        "aes128-cbc",
        "aes128-key",
        "aes128-ctr technique=bitsliced",
    ] {
        let folder = Folder::new();
        let mut place = open(&folder);
        let variant = dimensions::variant(text).unwrap();
        let size = if variant.problem.is_message() { 32768 } else { 0 };
        let bound = variant_bound(&place, &variant, size).unwrap();
        assert_eq!(correct(&mut place, &variant, size, bound).unwrap(), None, "{text}: it holds");
        let seen = 0.93 * bound;
        let note = correct(&mut place, &variant, size, seen).unwrap().expect(text);
        assert!(
            note.contains("was beaten and is corrected") && note.contains(&variant.to_string()),
            "{note}"
        );
        drop(place);
        // Another session uses the corrected bound, and finds the reason in wisdom.
        let place = open(&folder);
        for bound in [variant_bound(&place, &variant, size), shown_bound(&place, &variant, size)] {
            assert!(bound.unwrap() <= seen, "{text}: {bound:?}, {seen} was seen");
        }
        let mut reasons = Vec::new();
        place
            .store
            .each_machine_model(None, |model| {
                reasons.extend(model.model["reason"].as_str().map(str::to_owned));
                Ok(())
            })
            .unwrap();
        assert_eq!(reasons, [note]);
    }
}

fn no_bound_is_above_what_is_printed_beside_it() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let name = "aes128-ctr";
    tune(&mut place, &short(name), &mut |_| {}).unwrap();
    slow(&mut place.model);
    let options = BenchOptions {
        problems: vec![problem(name), problem("aes128-key")],
        sizes: vec![16, 256, SIZE],
        best_at: 32768,
        rounds: 8,
        cold: false,
        interrupted: Default::default(),
    };
    let bench = bench(&mut place, &options, &mut |_| {}).unwrap();
    for row in bench.rows.iter().filter(|r| r.subject == "aesmith") {
        let bound = bench.median(&row.problem, row.bytes as usize, "bound").unwrap();
        assert!(bound <= row.cycles_per_byte, "{} at {}: bound {bound}", row.problem, row.bytes);
        assert!(row.dependent_call_cycles.unwrap() > 0.0);
    }
    assert!(bench.notes.iter().any(|n| n.contains("was beaten and is corrected")), "{:?}", bench.notes);
    slow(&mut place.model);
    let kernel = place.best_known(problem(name), SIZE).unwrap();
    let told = explain(&mut place, &kernel, SIZE).unwrap();
    let costs = told.sections.iter().find(|s| s.title.starts_with("costs")).unwrap();
    let figure = |what: &str| -> f64 {
        let (_, text) = costs.rows.iter().find(|(name, _)| name == what).unwrap();
        text.split(' ').next().unwrap().parse().unwrap()
    };
    assert!(figure("bound of the problem") <= figure("bound of the variant"), "{costs:?}");
    assert!(figure("bound of the variant") <= figure("measured"), "{costs:?}");
}

fn a_restricted_run_is_bounded_by_what_it_may_use() {
    let folder = Folder::new();
    let mut place = open(&folder);
    let ctr = problem("aes128-ctr");
    let free = problem_bound(&place, ctr, SIZE).unwrap();
    let width = |request: Request, place: &mut Workplace| {
        place.settings.request = request;
        problem_bound(place, ctr, SIZE).unwrap()
    };
    let narrow = width(Request { widest: Some(1), ..Request::default() }, &mut place);
    let xmm: Variant = dimensions::variant("aes128-ctr cached=1").unwrap();
    assert_eq!(Some(narrow), variant_bound(&place, &xmm, SIZE), "one cached round on xmm");
    assert!(narrow >= free, "{narrow} on xmm, {free} on all");
    let only =
        Request { only: vec![(aesmith_x86::dimensions::Dim::Cached.into(), vec![0])], ..Request::default() };
    assert!(width(only, &mut place) > free, "without tables more rounds are to be done");
}

fn main() {
    support::run(support::named![
        a_kernel_below_its_bound_is_measured_and_kept,
        a_bound_that_was_beaten_is_corrected_for_good_and_says_why,
        no_bound_is_above_what_is_printed_beside_it,
        a_restricted_run_is_bounded_by_what_it_may_use,
    ]);
}
