//! Two processes write at once, and a writer is killed at any moment: samples that a process was told are stored are in
//! fact stored.

use aesmith_wisdom::record::{Processor, Run, Sample};
use aesmith_wisdom::{Filter, RunId, Store};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const STORE: &str = "AESMITH_TEST_STORE";
const KEY: &str = "AESMITH_TEST_RUN";
const BATCHES: &str = "AESMITH_TEST_BATCHES";
const BATCH: u64 = 16;

fn start(store: &mut Store, key: &str) -> RunId {
    let processor = Processor::named("v", "n");
    let run = Run {
        key: key.into(),
        processor: store.put_processor(&processor).unwrap(),
        problem: "aes128-ctr".into(),
        size: 64,
        strategy: "random".into(),
        judge: "none".into(),
        unit: "cycles per byte".into(),
        calls: "steady".into(),
        tool_version: "0".into(),
        session: "s".into(),
        command: "c".into(),
        state: "running".into(),
        ..Run::default()
    };
    store.start_run(&run).unwrap()
}

fn batch(from: u64) -> Vec<Sample> {
    let sample = |trial| Sample {
        trial,
        phase: "screen".into(),
        size: 64,
        variant: "aes128-ctr".into(),
        technique: "aes".into(),
        verdict: "measured".into(),
        cost: Some(1.0),
        cycles: vec![64.0],
        ticks: vec![60],
        time_ms: 1,
        ..Sample::default()
    };
    (from..from + BATCH).map(sample).collect()
}

/// The other process. It writes batches, and after each prints the number of stored samples.
#[test]
#[ignore = "the child process of the tests below"]
fn writer() {
    let Ok(path) = std::env::var(STORE) else {
        eprintln!("not started by a test below: nothing to write to");
        return;
    };
    let mut store = Store::open(Path::new(&path)).unwrap();
    let run = start(&mut store, &std::env::var(KEY).unwrap());
    for number in 0..std::env::var(BATCHES).unwrap().parse().unwrap() {
        store.record(run, &batch(number * BATCH + 1)).unwrap();
        println!("stored {}", (number + 1) * BATCH);
    }
}

fn child(path: &Path, key: &str, batches: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["processes::writer", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(STORE, path)
        .env(KEY, key)
        .env(BATCHES, batches.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_writer_has_lost_nothing_that_it_was_told_is_stored() {
    let place = tempfile::TempDir::new().unwrap();
    let path = place.path().join("wisdom.sqlite");
    let mut told_of = Vec::new();
    // Killed after more and more batches, once even before the first.
    for (round, after) in [0u64, 1, 3, 10, 40].into_iter().enumerate() {
        let key = format!("round {round}");
        let mut writer = child(&path, &key, u64::MAX);
        let mut said = BufReader::new(writer.stdout.take().unwrap()).lines();
        let stored = |line: &str| line.rsplit_once("stored ").and_then(|(_, n)| n.parse::<u64>().ok());
        let mut told = 0;
        while told < after * BATCH {
            let line = said.next().expect("the writer ended by itself").unwrap();
            told = stored(&line).unwrap_or(told);
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        // Output that it had written before the kill.
        told = said.map_while(Result::ok).filter_map(|line| stored(&line)).last().unwrap_or(told);
        told_of.push((key, told));
        let store = Store::open(&path).unwrap();
        store.check_whole().unwrap();
        let runs = store.runs(&Filter::default()).unwrap();
        for (key, told) in &told_of {
            let held = runs.iter().find(|r| r.run.key == *key).map_or(0, |r| r.samples);
            assert!(held >= *told, "{key}: told that {told} are stored, {held} are");
            assert_eq!(held % BATCH, 0, "{key}: half a batch is stored");
        }
    }
    assert!(told_of.iter().map(|(_, told)| told).sum::<u64>() >= 54 * BATCH);
}

#[test]
fn two_processes_make_one_store_and_write_at_once() {
    let place = tempfile::TempDir::new().unwrap();
    let path = place.path().join("wisdom.sqlite");
    let batches = 150;
    let mut writers = [child(&path, "one", batches), child(&path, "two", batches)];
    for writer in &mut writers {
        // Read to the end: closing the pipe earlier would make the writer fail.
        let said = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
        let last = format!("stored {}", batches * BATCH);
        assert_eq!(said.filter(|l| l.ends_with(&last)).count(), 1);
    }
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let store = Store::open(&path).unwrap();
    let runs = store.runs(&Filter::default()).unwrap();
    assert_eq!(runs.iter().map(|r| r.samples).collect::<Vec<_>>(), [batches * BATCH; 2]);
    assert_eq!(store.processors().unwrap().len(), 1);
}
