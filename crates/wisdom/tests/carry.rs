//! Tests of export and import, resuming, forgetting, and the data of reports.

use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_wisdom::import::parse_line;
use aesmith_wisdom::record::{Best, Cpu, MachineModel, Processor, Run, Sample};
use aesmith_wisdom::{Filter, Imported, RunId, Store, WisdomError, finding_of};
use aesmith_x86::dimensions::{DIMENSIONS, Dim, TABLE};
use proptest::prelude::*;

const CTR: Problem = Problem::new(KeySize::Aes128, Task::Ctr);

/// A store for the test. On Linux it stays open when its directory is deleted.
fn fresh() -> Store {
    let place = tempfile::TempDir::new().unwrap();
    Store::open(&place.path().join("wisdom.sqlite")).unwrap()
}

fn processor(model: u32) -> Processor {
    let features = vec!["aes".into()];
    Cpu { vendor: "GenuineIntel".into(), family: 6, model, stepping: 2, features }.processor("Xeon")
}

fn run(key: &str, processor: &str, problem: &str) -> Run {
    Run {
        key: key.into(),
        processor: processor.into(),
        problem: problem.into(),
        size: 32768,
        strategy: "guided".into(),
        seed: 3,
        options: "explore=0.1".into(),
        judge: "native".into(),
        unit: if problem.contains("key") { "cycles per key" } else { "cycles per byte" }.into(),
        calls: "steady".into(),
        tool_version: "0.1.0".into(),
        session: "s".into(),
        command: "aesmith tune".into(),
        state: "running".into(),
        started_ms: 1000,
        ..Run::default()
    }
}

fn sample(trial: u64, variant: &str, cost: Option<f64>) -> Sample {
    Sample {
        trial,
        phase: "screen".into(),
        size: 32768,
        variant: variant.into(),
        technique: "aes".into(),
        sha256: Some("ab".repeat(32)),
        verdict: if cost.is_some() { "measured" } else { "does-not-fit" }.into(),
        instructions: 9,
        cost,
        cycles: cost.iter().map(|c| c * 32768.0).collect(),
        ticks: cost.iter().map(|c| (c * 30000.0) as u64).collect(),
        time_ms: 1000 + trial,
        ..Sample::default()
    }
}

/// Two processors, three runs, two problems.
fn filled() -> (Store, RunId) {
    let mut store = fresh();
    let one = store.put_processor(&processor(1)).unwrap();
    let two = store.put_processor(&processor(2)).unwrap();
    let model = serde_json::json!({"aesenc": {"latency": 2.98}});
    let model = MachineModel { processor: one.clone(), made_ms: 7, tool_version: "0.1.0".into(), model };
    store.put_machine_model(&model).unwrap();
    let first = store.start_run(&run("a", &one, "aes128-ctr")).unwrap();
    let samples = [
        sample(1, "aes128-ctr", Some(1.0 / 3.0)),
        sample(2, "aes128-ctr width=ymm keys=0x0003 interleave=4", Some(0.2)),
        sample(3, "aes128-ctr width=ymm keys=0x0003 interleave=4 order=2>1", Some(0.19)),
        sample(4, "aes128-ctr keys=0x7fff interleave=15", None),
        sample(5, "aes128-ctr width=ymm keys=0x0300 interleave=5", Some(0.25)),
    ];
    store.record(first, &samples).unwrap();
    let duel = Sample { phase: "duel".into(), cost: Some(0.18), ..samples[1].clone() };
    store.record(first, &[duel]).unwrap();
    let second = store.start_run(&run("b", &one, "aes256-cbc")).unwrap();
    store.record(second, &[sample(1, "aes256-cbc", Some(2.8))]).unwrap();
    let third = store.start_run(&run("c", &two, "aes128-ctr")).unwrap();
    store.record(third, &[sample(1, "aes128-ctr", Some(0.5))]).unwrap();
    let best = Best {
        processor: one,
        problem: "aes128-ctr".into(),
        size: 32768,
        run: "a".into(),
        confirmed_ms: 2000,
        variant: "aes128-ctr width=ymm keys=0x0003 interleave=4".into(),
        technique: "aes".into(),
        sha256: "ab".repeat(32),
        judge: String::new(),
        certificate: serde_json::json!({"level": "E3"}),
        low: 0.19,
        median: 0.2,
        high: 0.21,
        baseline: Some(0.33),
        bound: Some(0.1563),
        restriction: "up to ymm".into(),
        code: Some(1234),
        noise: Some(0.004),
    };
    store.put_best(&best).unwrap();
    store.set_state(first, "finished").unwrap();
    (store, first)
}

fn exported(store: &Store, filter: &Filter) -> String {
    let mut text = Vec::new();
    store.export(filter, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// An export without its first line, which contains the time.
fn content(store: &Store) -> String {
    exported(store, &Filter::default()).split_once('\n').unwrap().1.to_owned()
}

#[test]
fn an_export_imported_is_the_same_and_twice_changes_nothing() {
    let (store, _) = filled();
    let text = exported(&store, &Filter::default());
    let mut other = fresh();
    let brought = other.import(text.as_bytes(), &TABLE).unwrap();
    assert_eq!(brought, Imported { processors: 2, runs: 3, samples: 8, bests: 1, ..Imported::default() });
    assert_eq!(content(&store), content(&other));
    let again = other.import(text.as_bytes(), &TABLE).unwrap();
    assert_eq!(again, Imported { known_samples: 8, ..Imported::default() });
    assert_eq!(content(&store), content(&other));
}

#[test]
fn an_export_of_a_part_has_what_it_needs() {
    let (store, _) = filled();
    let filter = Filter { problem: Some(CTR), processor: Some(processor(1).key), size: None };
    let mut other = fresh();
    let brought = other.import(exported(&store, &filter).as_bytes(), &TABLE).unwrap();
    assert_eq!(brought, Imported { processors: 1, runs: 1, samples: 6, bests: 1, ..Imported::default() });
    assert_eq!(other.machine_model(&processor(1).key).unwrap().unwrap().made_ms, 7);
}

#[test]
fn a_wrong_line_is_named_and_nothing_is_imported() {
    let (store, _) = filled();
    let text = exported(&store, &Filter::default());
    let lines: Vec<&str> = text.lines().collect();
    let run_line = lines.iter().position(|l| l.contains(r#""kind":"run""#)).unwrap();
    let cases: &[(&str, &str, &str)] = &[
        ("width=ymm", "width=wmm", "wmm"),
        (" keys=0x0003", " kees=0x0003", "kees"),
        (r#""cost":0.2,"#, r#""cost":-0.2,"#, "cost"),
        (r#""cost":0.2,"#, r#""cost":null,"#, "measured"),
        (r#""cost":0.2,"#, r#""cost":1e999,"#, ""),
        (r#""cost":0.2,"#, r#""cost":0.2,"colour":1,"#, "colour"),
        (r#""phase":"duel""#, r#""phase":"dual""#, "dual"),
        (r#""certificate":{"level":"E3"}"#, r#""certificate":"E3""#, "certificate"),
        (r#""sha256":"ab"#, r#""sha256":"xy"#, "SHA-256"),
        (r#""problem":"aes256-cbc""#, r#""problem":"aes256-cbd""#, "aes256-cbc"),
        (r#""state":"finished""#, r#""state":"done""#, "done"),
        (r#""version":3"#, r#""version":4"#, "format 4"),
        (r#""unit":"cycles per byte""#, r#""unit":"seconds""#, "seconds"),
        (r#""key":"GenuineIntel/"#, r#""key":"Genuine Intel/"#, "key"),
        (r#""key":"GenuineIntel/"#, r#""vendor":"GenuineIntel/"#, "vendor"),
        (r#""kind":"best""#, r#""kind":"boast""#, "boast"),
    ];
    let mut other = fresh();
    let empty = content(&other);
    for (good, bad, named) in cases {
        let line = lines.iter().position(|l| l.contains(good)).expect(good) as u64 + 1;
        match other.import(text.replacen(good, bad, 1).as_bytes(), &TABLE) {
            Err(WisdomError::Import { line: at, why }) => {
                assert_eq!(at, line, "{bad}: {why}");
                assert!(why.contains(named), "{bad}: {why}");
            }
            result => panic!("{bad}: {result:?}"),
        }
        assert_eq!(content(&other), empty, "{bad}: a part was imported");
    }
    let without = |gone: usize| {
        let kept: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != gone).map(|(_, l)| *l).collect();
        kept.join("\n")
    };
    let broken = [
        without(0),
        without(1),
        without(run_line),
        without(lines.len() - 2),
        without(lines.len() - 1),
        text[..text.len() / 2].to_owned(),
        format!("{text}{}\n", lines[1]),
        String::new(),
    ];
    for text in broken {
        assert!(matches!(other.import(text.as_bytes(), &TABLE), Err(WisdomError::Import { .. })), "{text}");
        assert_eq!(content(&other), empty, "a part was imported");
    }
}

#[test]
fn an_import_never_changes_what_is_here() {
    let (mut store, _) = filled();
    let before = content(&store);
    let text = exported(&store, &Filter::default());
    for (good, bad) in [(r#""cost":0.2,"#, r#""cost":0.1,"#), (r#""seed":3"#, r#""seed":4"#)] {
        let error = store.import(text.replacen(good, bad, 1).as_bytes(), &TABLE).unwrap_err();
        assert!(error.to_string().contains("the store has another"), "{error}");
        assert_eq!(content(&store), before);
    }
}

#[test]
fn a_run_resumes_with_what_it_screened() {
    let (store, id) = filled();
    assert_eq!(store.run_id("a").unwrap(), Some(id));
    assert_eq!(store.run_id("z").unwrap(), None);
    let screened = store.screened(id).unwrap();
    assert_eq!(screened.iter().map(|s| s.trial).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!((screened[3].cost, screened[3].verdict.as_str()), (None, "does-not-fit"));
    let known = store.known(&Filter::exactly(&processor(1).key, CTR, 32768)).unwrap();
    assert_eq!(known.len(), 5, "the other processor's samples stay out");
}

#[test]
fn a_report_gets_its_lines_and_slices() {
    let (store, id) = filled();
    assert_eq!(store.convergence(id).unwrap(), [(1, 1.0 / 3.0), (2, 0.2), (3, 0.19), (5, 0.19)]);
    assert_eq!(store.verdicts(id).unwrap(), [("measured".into(), 4), ("does-not-fit".into(), 1)]);
    let (key, plain) = (processor(1).key, |v: &str| !v.contains("order="));
    let here = (key.as_str(), CTR, 32768);
    let cells = store
        .surface(here, &DIMENSIONS[Dim::Interleave as usize], &DIMENSIONS[Dim::Keys as usize], plain)
        .unwrap();
    let lowest = |c: &aesmith_wisdom::Cell| c.kernels.values().copied().fold(f64::INFINITY, f64::min);
    let cells: Vec<_> = cells.iter().map(|c| (c.x, c.y, lowest(c), c.samples)).collect();
    assert_eq!(cells, [(0, 0, 1.0 / 3.0, 1), (4, 2, 0.2, 1), (5, 2, 0.25, 1)]);
    assert!(
        store
            .surface(here, &DIMENSIONS[Dim::Interleave as usize], &DIMENSIONS[Dim::Unroll as usize], plain)
            .unwrap()
            .is_empty(),
        "CTR has no unroll"
    );
    let best = store.bests(&Filter::exactly(&key, CTR, 32768)).unwrap().remove(0);
    assert_eq!(best.run, "a");
    assert!(store.bests(&Filter::exactly(&processor(2).key, CTR, 32768)).unwrap().is_empty());
}

#[test]
fn forgetting_takes_what_was_named() {
    let (mut store, _) = filled();
    let problem = Filter { problem: Some(CTR), ..Filter::default() };
    let one = Filter { processor: Some(processor(1).key), ..Filter::default() };
    let both = Filter { problem: Some(CTR), ..one.clone() };
    let key = processor(1).key;
    let ecb: Problem = "aes128-ecb".parse().unwrap();
    let findings =
        [finding_of(CTR, 64, "a"), finding_of(CTR, 640, "a"), finding_of(ecb, 64, "a"), "profile".to_owned()];
    for (of, name) in findings.iter().map(|name| (&key, name)).chain([(&processor(2).key, &findings[0])]) {
        store.put_finding(of, name, "0.1.0", &serde_json::json!(1)).unwrap();
    }
    let left = |store: &Store| -> Vec<bool> {
        findings.iter().map(|name| store.finding(&key, name).unwrap().is_some()).collect()
    };
    assert_eq!(
        store.forget(&Filter { size: Some(64), ..both.clone() }).unwrap(),
        0,
        "no run was of this size"
    );
    assert_eq!(left(&store), [false, true, true, true]);
    assert_eq!(store.forget(&both).unwrap(), 1);
    assert_eq!(left(&store), [false, false, true, true]);
    assert!(store.finding(&processor(2).key, &findings[0]).unwrap().is_some());
    assert!(store.bests(&Filter::default()).unwrap().is_empty());
    assert_eq!(store.runs(&problem).unwrap().len(), 1);
    assert!(store.machine_model(&processor(1).key).unwrap().is_some());
    assert_eq!(store.forget(&one).unwrap(), 1);
    assert_eq!(store.processors().unwrap(), [processor(2)]);
    assert_eq!(store.forget(&Filter::default()).unwrap(), 1);
    assert_eq!(content(&store).lines().count(), 1, "only the end line is left");
}

proptest! {
    #[test]
    fn no_line_makes_the_parser_panic(text in ".{0,200}") {
        let _ = parse_line(&text, &TABLE);
    }

    #[test]
    fn no_change_of_a_line_makes_the_parser_panic(at in 0usize..400, byte in any::<u8>()) {
        let line = r#"{"kind":"sample","run":"a","number":2,"trial":2,"phase":"screen","size":32768,"variant":"aes128-ctr width=ymm keys=0x0003","technique":"aes","sha256":null,"verdict":"measured","message":"","instructions":9,"cost":0.2,"cycles":[6553.6],"ticks":[6000],"time_ms":1002}"#;
        prop_assert!(parse_line(line, &TABLE).is_ok());
        let mut bytes = line.as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(text) = std::str::from_utf8(&bytes) {
            // An accepted line stays the same when it is written and read again.
            if let Ok(read) = parse_line(text, &TABLE) {
                let again = serde_json::to_string(&read).unwrap();
                prop_assert_eq!(parse_line(&again, &TABLE).unwrap(), read);
            }
        }
    }
}

/// Format 1 had no units and techniques, and processors by the fields of CPUID.
#[test]
fn an_export_of_format_1_is_the_same() {
    let (store, _) = filled();
    let text = exported(&store, &Filter::default());
    let mut older: Vec<serde_json::Value> = Vec::new();
    for line in text.lines() {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let object = line.as_object_mut().unwrap();
        ["unit", "technique"].iter().for_each(|name| drop(object.remove(*name)));
        if object["kind"] == "processor" {
            object.remove("key");
            if let Some(serde_json::Value::Object(attributes)) = object.remove("attributes") {
                object.extend(attributes);
            }
        }
        if object["kind"] == "aesmith-wisdom" {
            object.insert("version".into(), 1.into());
        }
        older.push(line);
    }
    let older: String = older.iter().map(|line| format!("{line}\n")).collect();
    assert!(older.contains("vendor") && !older.contains("attributes"));
    let mut other = fresh();
    other.import(older.as_bytes(), &TABLE).unwrap();
    assert_eq!(content(&store), content(&other));
    assert_eq!(
        other.import(text.as_bytes(), &TABLE).unwrap(),
        Imported { known_samples: 8, ..Imported::default() }
    );
}

/// Key set-ups are measured interleaved with a kernel, in one run.
#[test]
fn set_ups_of_a_key_are_carried_in_a_run_of_its_problem() {
    let carried = |variant: &str| {
        let mut store = fresh();
        let key = store.put_processor(&processor(1)).unwrap();
        let run = store.start_run(&run("k", &key, "aes128-ctr")).unwrap();
        let set_up = Sample { phase: "duel".into(), ..sample(1, variant, Some(100.0)) };
        store.record(run, &[sample(1, "aes128-ctr", Some(0.5)), set_up]).unwrap();
        fresh().import(exported(&store, &Filter::default()).as_bytes(), &TABLE).is_ok()
    };
    assert!(carried("aes128-key") && carried("aes128-ctr-table"));
    assert!(!carried("aes128-cbc") && !carried("aes256-key") && !carried("aes128-key-dec"));
}
