//! Strategies on recorded costs.

use crate::landscape::Landscape;
use aesmith_arrange::{Space, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_search::recording::{Answer, Header, KIND, RecordedKernel, VERSION, axes, write};
use aesmith_search::replay::{Line, Missing, compare};
use aesmith_search::{Budget, Evaluate, Recording, Replay, Search, Stop, Verdict, search, strategy};
use aesmith_x86::dimensions::{self, Dim};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// A recording of the synthetic processor: CTR on xmm and ymm, every variant of seven dimensions.
fn recording() -> String {
    let mut space = dimensions::space(Problem::new(KeySize::Aes128, Task::Ctr), 2);
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
    let recording = Recording::read(&recording(), &dimensions::TABLE).unwrap();
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
    let recording = Recording::read(&recording(), &dimensions::TABLE).unwrap();
    let strategies = ["memetic:order=0", "annealing-budget", "random"].map(str::to_owned);
    let space = recording.space().unwrap();
    let compared = compare(&recording, &space, &strategies, 300, 0..10, &mut || false).unwrap();
    let middle = |line: &Line| line.quartiles(300).unwrap().median;
    let [memetic, annealing, random] = &compared.lines[..] else { panic!("three strategies") };
    assert!(middle(memetic) < middle(annealing) && middle(annealing) < middle(random), "{compared:?}");
    assert_eq!(memetic.against(random, 300).unwrap().words(), "lower");
    assert_eq!(random.against(memetic, 300).unwrap().words(), "higher");
    assert_eq!(random.against(random, 300).unwrap().words(), "no evidence");
    // A complete recording lacks no variant.
    assert!(compared.lines.iter().all(|line| line.not_recorded == 0));
    let most = compared.optimum * 1.01;
    assert!(memetic.median_reached(most).unwrap() < random.median_reached(most).unwrap_or(u64::MAX));
    assert!(compare(&recording, &space, &strategies, 300, 0..10, &mut || true).is_err(), "interrupted");
}

/// A recording of the same landscape as a file.
fn file(space: &Space) -> Vec<u8> {
    let header = Header {
        kind: KIND.into(),
        version: VERSION,
        problem: space.plain.problem.to_string(),
        technique: space.plain.technique.name().into(),
        size: 32768,
        unit: "cycles per byte".into(),
        processor: "made up".into(),
        machine: "made up".into(),
        clock: "none".into(),
        made: "2026-11-25".into(),
        by: "a test".into(),
        axes: axes(space),
        variants: space.count() as u64,
    };
    let mut kernels = HashMap::new();
    let mut answers = HashMap::new();
    space.each(|variant| {
        let outcome = Landscape.evaluate(std::slice::from_ref(&variant)).remove(0);
        let answer = match outcome.cost {
            Some(cost) => {
                let hash = format!("{cost}");
                kernels.insert(
                    hash.clone(),
                    RecordedKernel { cost, samples: vec![cost * 32768.0, cost * 32800.0] },
                );
                Answer::Kernel(hash)
            }
            None => Answer::Without(outcome.verdict),
        };
        answers.insert(variant, answer);
        ControlFlow::Continue(())
    });
    let mut bytes = Vec::new();
    write(&mut bytes, &header, space, &kernels, &|variant| answers[variant].clone()).unwrap();
    bytes
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let mut space = dimensions::space(Problem::new(KeySize::Aes256, Task::Ctr), 1);
    for axis in &mut space.axes {
        match Dim::of(axis.dimension) {
            Dim::Keys => axis.values = vec![0, 1, 7, 0x7fff],
            Dim::Interleave | Dim::Distance | Dim::Fold | Dim::Counter => {}
            _ => axis.values = vec![axis.dimension.default],
        }
    }
    let bytes = file(&space);
    let recording = Recording::read_file(&bytes, &dimensions::TABLE).unwrap();
    assert_eq!(recording.len() as u128, space.count());
    assert_eq!(recording.space().unwrap().count(), space.count());
    let mut replay = Replay::new(&recording, Missing::NotRecorded);
    space.each(|variant| {
        let there = &Landscape.evaluate(std::slice::from_ref(&variant))[0];
        let read = &replay.evaluate(std::slice::from_ref(&variant))[0];
        assert_eq!((there.cost, &there.verdict), (read.cost, &read.verdict), "{variant}");
        ControlFlow::Continue(())
    });
    // A file that is cut short, as gzip or as lines, is rejected, and so is another version.
    assert!(
        Recording::read_file(&bytes[..bytes.len() / 2], &dimensions::TABLE).unwrap_err().contains("broken")
    );
    let text = aesmith_search::recording::text(&bytes).unwrap();
    let refused = |text: String| Recording::read_file(text.as_bytes(), &dimensions::TABLE).unwrap_err();
    let most = text.lines().count() - 1;
    let cut: String = text.lines().take(most).flat_map(|l| [l, "\n"]).collect();
    assert!(refused(cut).contains("not recorded to its end"));
    assert!(refused(text.replacen("\"version\":1", "\"version\":2", 1)).contains("version 2"));
    assert!(refused(text.replacen("\"name\":\"fold\"", "\"name\":\"flod\"", 1)).contains("flod"));
    assert!(refused(text.replacen("\"first\":0", "\"first\":1", 1)).contains("line 2"));
}

#[test]
fn what_was_not_recorded_is_no_trial_or_the_nearest() {
    let text = r#"{"kind":"aesmith-wisdom","version":1}
        {"variant":"aes128-ctr","cost":1.0}
        {"variant":"aes128-ctr interleave=4","cost":0.4,"sha256":"00000000000000ff00"}
        {"variant":"aes128-ctr interleave=4","cost":0.3}
        {"variant":"aes128-ctr interleave=8 width=ymm","verdict":"refuted"}"#;
    let recording = Recording::read(text, &dimensions::TABLE).unwrap();
    assert_eq!((recording.len(), recording.best()), (3, Some(0.3)));
    let there: Variant = dimensions::variant("aes128-ctr interleave=4 loop=top").unwrap();
    let answer = Replay::new(&recording, Missing::NotRecorded).evaluate(std::slice::from_ref(&there));
    assert_eq!((answer[0].cost, &answer[0].verdict), (None, &Verdict::NotRecorded));
    let answer = Replay::new(&recording, Missing::Nearest).evaluate(&[there]);
    assert_eq!(answer[0].cost, Some(0.3));
    // Variants outside the recording cost no trials, and the search still ends.
    let space = dimensions::space(Problem::new(KeySize::Aes128, Task::Ctr), 1);
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
        let error = Recording::read(text, &dimensions::TABLE).unwrap_err();
        assert!(error.contains(named), "{error}");
    }
}
