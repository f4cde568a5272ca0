//! Strategies against recorded costs.

mod landscape;

use aesmith_arrange::{Dim, Space, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_search::replay::{Missing, compare};
use aesmith_search::{Budget, Evaluate, Recording, Replay, Search, Stop, Verdict, search, strategy};
use landscape::Landscape;
use std::ops::ControlFlow;

/// A recording of the made-up processor: CTR on xmm and ymm, every variant of seven dimensions.
fn recording() -> String {
    let mut space = Space::new(Problem::new(KeySize::Aes128, Task::Ctr), 2);
    for axis in &mut space.axes {
        match Dim::of(axis.dimension) {
            Dim::Width | Dim::Interleave | Dim::Counter | Dim::Fold | Dim::Cached => {}
            Dim::Align => axis.values.truncate(2),
            Dim::Keys => axis.values = (0..12u32).map(|n| ((1 << n) - 1) as u16).collect(),
            _ => axis.values.truncate(1),
        }
    }
    let mut text = String::new();
    space.each(|v| {
        let outcome = &Landscape.evaluate(std::slice::from_ref(&v))[0];
        let verdict = outcome.verdict.name();
        text += &match outcome.cost {
            Some(cost) => format!("{{\"variant\":\"{v}\",\"cost\":{cost},\"verdict\":\"{verdict}\"}}\n"),
            None => format!("{{\"kind\":\"sample\",\"variant\":\"{v}\",\"verdict\":\"{verdict}\"}}\n"),
        };
        ControlFlow::Continue(())
    });
    text
}

#[test]
fn a_recorded_space_is_replayed_exactly() {
    let recording = Recording::read(&recording()).unwrap();
    let space = recording.space().unwrap();
    assert_eq!(recording.len() as u128, space.count());
    let mut replay = Replay::new(&recording, Missing::NotRecorded);
    let request = Search::new(space, Budget::default(), 0);
    let found = search(strategy("exhaustive").unwrap().as_mut(), &request, &mut replay, &mut |_| {});
    assert_eq!(found.trials, recording.len() as u64);
    assert_eq!(found.best.map(|b| b.1), recording.best());
}

#[test]
fn strategies_rank_on_a_recording_as_on_the_machine() {
    let recording = Recording::read(&recording()).unwrap();
    let recording: &'static Recording = Box::leak(Box::new(recording));
    let mut judge = || Box::new(Replay::new(recording, Missing::NotRecorded)) as Box<dyn Evaluate>;
    let strategies = ["memetic:order=0", "annealing-budget", "random"];
    let comparison = compare(&strategies, &recording.space().unwrap(), 300, 10, &mut judge).unwrap();
    println!("{comparison}best recorded {:.4}", recording.best().unwrap());
    let last: Vec<f64> = comparison.rows.iter().map(|(_, means)| *means.last().unwrap()).collect();
    assert!(last[0] < last[1] && last[1] < last[2], "{last:?}");
    let table = comparison.to_string();
    assert_eq!(table.lines().count(), 4);
    assert!(table.lines().next().unwrap().ends_with("300"), "{table}");
}

#[test]
fn what_was_not_recorded_is_no_trial_or_the_nearest() {
    let text = r#"{"kind":"aesmith-wisdom","version":1}
        {"variant":"aes128-ctr","cost":1.0}
        {"variant":"aes128-ctr interleave=4","cost":0.4,"sha256":"00000000000000ff00"}
        {"variant":"aes128-ctr interleave=4","cost":0.3}
        {"variant":"aes128-ctr interleave=8 width=ymm","verdict":"refuted"}"#;
    let recording = Recording::read(text).unwrap();
    assert_eq!((recording.len(), recording.best()), (3, Some(0.3)));
    let there: Variant = "aes128-ctr interleave=4 loop=top".parse().unwrap();
    let answer = Replay::new(&recording, Missing::NotRecorded).evaluate(std::slice::from_ref(&there));
    assert_eq!((answer[0].cost, &answer[0].verdict), (None, &Verdict::NotRecorded));
    let answer = Replay::new(&recording, Missing::Nearest).evaluate(&[there]);
    assert_eq!(answer[0].cost, Some(0.3));
    // All that is asked for outside the recording costs nothing, and the search still ends.
    let space = Space::new(Problem::new(KeySize::Aes128, Task::Ctr), 1);
    let request = Search::new(space, Budget::of_trials(100), 0);
    let mut replay = Replay::new(&recording, Missing::NotRecorded);
    let found = search(strategy("random").unwrap().as_mut(), &request, &mut replay, &mut |_| {});
    assert_eq!((found.trials, found.stop), (1, Stop::Exhausted));
}

#[test]
fn a_wrong_recording_is_refused_by_line() {
    for (text, named) in [
        ("{\"variant\":\"aes128-ctr\",\"cost\":1}\n{\"variant\":\"aes128-cbc\",\"cost\":1}", "line 2"),
        ("\n{\"variant\":\"aes128-ctr interleave=99\",\"cost\":1}", "line 2"),
        ("{\"variant\":\"aes128-ctr\",\"cost\":-1}", "positive"),
        ("{\"variant\":\"aes128-ctr\",\"verdict\":\"fine\"}", "fine"),
        ("no json", "line 1"),
    ] {
        let error = Recording::read(text).unwrap_err();
        assert!(error.contains(named), "{error}");
    }
}
