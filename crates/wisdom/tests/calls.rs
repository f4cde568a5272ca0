//! One store holds runs for calls in steady state and runs for cold calls, and no query about costs mixes them.

use aesmith_cipher::{Calls, Problem};
use aesmith_wisdom::{Best, Filter, Processor, Run, Sample, Store, WisdomError};
use aesmith_x86::dimensions::TABLE;
use tempfile::TempDir;

const VARIANT: &str = "aes128-ctr width=zmm";

fn problem() -> Problem {
    "aes128-ctr".parse().unwrap()
}

/// Stores a run for some calls in which one variant was screened and confirmed at a cost.
fn tuned(store: &mut Store, calls: Calls, cost: f64, confirmed_ms: u64) -> Result<(), WisdomError> {
    let processor = store.put_processor(&Processor::named("this", "a CPU"))?;
    let run = Run {
        key: format!("{calls} {confirmed_ms}"),
        processor: processor.clone(),
        problem: "aes128-ctr".into(),
        size: 1024,
        strategy: "memetic".into(),
        seed: 1,
        judge: "native".into(),
        unit: "cycles per byte".into(),
        calls: calls.name().into(),
        tool_version: "0.1.0".into(),
        state: "running".into(),
        started_ms: 1,
        ..Run::default()
    };
    let id = store.start_run(&run)?;
    let sha256 = "ab".repeat(32);
    let sample = Sample {
        trial: 1,
        phase: "screen".into(),
        size: 1024,
        variant: VARIANT.into(),
        technique: "aes".into(),
        sha256: Some(sha256.clone()),
        verdict: "measured".into(),
        instructions: 1,
        cost: Some(cost),
        time_ms: 1,
        ..Sample::default()
    };
    store.record(id, &[sample])?;
    store.set_search(id, &serde_json::json!({ "proved": 1 }))?;
    store.put_best(&Best {
        processor,
        problem: "aes128-ctr".into(),
        size: 1024,
        run: run.key,
        confirmed_ms,
        variant: VARIANT.into(),
        technique: "aes".into(),
        sha256,
        certificate: serde_json::json!({}),
        low: cost,
        median: cost,
        high: cost,
        ..Best::default()
    })
}

/// The store's answers about costs: bests, history, screened costs, runs.
fn seen(store: &Store) -> [Vec<f64>; 4] {
    let filter = Filter::exactly("this", problem(), 1024);
    [
        store.bests(&filter).unwrap().iter().map(|b| b.median).collect(),
        store.best_history(&filter).unwrap().iter().map(|b| b.median).collect(),
        store.known(&filter).unwrap().iter().filter_map(|s| s.cost).collect(),
        store.runs(&filter).unwrap().iter().filter_map(|r| r.best).collect(),
    ]
}

#[test]
fn each_kind_of_calls_has_bests_samples_and_runs_of_its_own() {
    let folder = TempDir::new().unwrap();
    let mut store = Store::open(&folder.path().join("w")).unwrap();
    tuned(&mut store, Calls::Steady, 0.2, 1).unwrap();
    // Confirmed later, and at a lower cost: still neither replaces the other.
    tuned(&mut store, Calls::Cold, 0.1, 2).unwrap();
    tuned(&mut store, Calls::Cold, 0.9, 3).unwrap();
    assert_eq!(seen(&store), [vec![0.2], vec![0.2], vec![0.2], vec![0.2]]);
    let all = Filter::default();
    assert_eq!((store.all_bests(&all).unwrap().len(), store.all_runs(&all).unwrap().len()), (2, 3));
    let surface = |store: &Store| {
        use aesmith_x86::dimensions::{DIMENSIONS, Dim};
        let cells = store
            .surface(
                ("this", problem(), 1024),
                &DIMENSIONS[Dim::Width as usize],
                &DIMENSIONS[Dim::Keys as usize],
                |_| true,
            )
            .unwrap();
        cells.iter().flat_map(|cell| cell.kernels.values().copied()).collect::<Vec<f64>>()
    };
    assert_eq!(surface(&store), [0.2]);
    let store = store.about(Calls::Cold);
    assert_eq!(seen(&store), [vec![0.9], vec![0.1, 0.9], vec![0.1], vec![0.1, 0.9]]);
    assert_eq!(surface(&store), [0.1]);

    // An export has both, for either setting of the store, and an import keeps them apart.
    let mut text = Vec::new();
    store.export(&all, &mut text).unwrap();
    let mut other = Store::open(&folder.path().join("other")).unwrap();
    other.import(&text[..], &TABLE).unwrap();
    assert_eq!(seen(&other)[0], [0.2]);
    let searches = other.all_runs(&all).unwrap().into_iter().filter_map(|r| r.run.search).count();
    assert_eq!(searches, 3, "where the time of a search went is carried, too");
    assert_eq!(seen(&other.about(Calls::Cold)), seen(&store));
}

#[test]
fn a_line_of_before_is_of_steady_calls_and_an_unknown_kind_is_refused() {
    let folder = TempDir::new().unwrap();
    let mut store = Store::open(&folder.path().join("w")).unwrap();
    tuned(&mut store, Calls::Steady, 0.2, 1).unwrap();
    let mut text = Vec::new();
    store.export(&Filter::default(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let import = |name: &str, text: String| {
        let mut store = Store::open(&folder.path().join(name)).unwrap();
        store.import(text.as_bytes(), &TABLE).map(|_| seen(&store))
    };
    let (calls, search) = (r#""calls":"steady","#, r#""search":{"proved":1},"#);
    assert!(text.contains(calls) && text.contains(search), "{text}");
    let before = text.replace(calls, "").replace(search, "").replace(r#""version":3"#, r#""version":2"#);
    assert_eq!(import("before", before).unwrap()[0], [0.2]);
    let error = import("warm", text.replace(calls, r#""calls":"warm","#)).unwrap_err().to_string();
    assert!(error.contains("`warm` is no kind of calls"), "{error}");
    let error = import("search", text.replace(search, r#""search":7,"#)).unwrap_err().to_string();
    assert!(error.contains("JSON object"), "{error}");
}
