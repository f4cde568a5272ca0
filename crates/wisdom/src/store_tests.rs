//! Tests of opening damaged, foreign, newer, older, read-only and full stores.

use super::*;
use crate::record::{Best, Cpu, Run, Sample};
use crate::{Filter, RunId};
use tempfile::TempDir;

/// An empty directory for the test, deleted when it is dropped.
fn directory() -> TempDir {
    TempDir::new().unwrap()
}

fn run_of(store: &mut Store) -> RunId {
    let cpu = Cpu {
        vendor: "GenuineIntel".into(),
        family: 6,
        model: 207,
        stepping: 2,
        features: vec!["vaes".into(), "aes".into()],
    };
    let processor = store.put_processor(&cpu.processor("Xeon")).unwrap();
    assert_eq!(processor, "GenuineIntel/6/207/2/aes+vaes");
    let run = Run {
        key: "r".into(),
        processor,
        problem: "aes128-ctr".into(),
        size: 32768,
        strategy: "random".into(),
        seed: u64::MAX,
        judge: "native".into(),
        unit: "cycles per byte".into(),
        calls: "steady".into(),
        tool_version: "0.1.0".into(),
        session: "s".into(),
        command: "c".into(),
        state: "running".into(),
        started_ms: 1,
        ..Run::default()
    };
    store.start_run(&run).unwrap()
}

fn sample(trial: u64) -> Sample {
    Sample {
        trial,
        phase: "screen".into(),
        size: 32768,
        variant: "aes128-ctr width=zmm".into(),
        technique: "aes".into(),
        sha256: Some("0".repeat(64)),
        verdict: "measured".into(),
        instructions: 40,
        cost: Some(0.16),
        cycles: vec![5242.9; 15],
        ticks: vec![3000; 15],
        time_ms: 1,
        ..Sample::default()
    }
}

/// A store with 500 samples, closed, so that it is one file.
fn filled(place: &TempDir) -> PathBuf {
    let path = place.path().join("wisdom.sqlite");
    let mut store = Store::open(&path).unwrap();
    let run = run_of(&mut store);
    let samples: Vec<Sample> = (1..=500).map(sample).collect();
    store.record(run, &samples).unwrap();
    path
}

/// Checks that opening fails as expected, for writing and for reading, and that the file stays unchanged.
fn refused(path: &Path, expected: impl Fn(&WisdomError) -> bool) {
    let before = std::fs::read(path).unwrap();
    for error in [Store::open(path).unwrap_err(), Store::open_to_read(path).unwrap_err()] {
        assert!(expected(&error), "{error:?}");
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
    assert_eq!(std::fs::read(path).unwrap(), before, "the refused file was changed");
}

#[test]
fn random_bytes_are_refused() {
    let place = directory();
    let path = place.path().join("wisdom.sqlite");
    let bytes: Vec<u8> = (0..40_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    std::fs::write(&path, bytes).unwrap();
    refused(&path, |e| matches!(e, WisdomError::NotWisdom(_)));
}

#[test]
fn a_short_text_is_refused() {
    let place = directory();
    let path = place.path().join("notes.txt");
    std::fs::write(&path, "to do: wisdom\n").unwrap();
    refused(&path, |e| matches!(e, WisdomError::NotWisdom(_)));
}

#[test]
fn a_foreign_database_is_refused() {
    let place = directory();
    let path = place.path().join("other.sqlite");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    refused(&path, |e| matches!(e, WisdomError::NotWisdom(_)));
}

#[test]
fn truncated_files_are_refused_at_every_length() {
    let place = directory();
    let path = filled(&place);
    let whole = std::fs::read(&path).unwrap();
    for part in [1, 50, 100, 1000, 4096, 5000, 8192, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        std::fs::write(&path, &whole[..part]).unwrap();
        refused(&path, |e| matches!(e, WisdomError::Corrupt(..) | WisdomError::NotWisdom(_)));
    }
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(Store::open(&path).unwrap().runs(&Filter::default()).unwrap()[0].samples, 500);
}

#[test]
fn damage_in_the_middle_is_found() {
    let place = directory();
    let path = filled(&place);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 64].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    refused(&path, |e| matches!(e, WisdomError::Corrupt(..)));
}

#[test]
fn a_newer_schema_is_refused() {
    let place = directory();
    let path = filled(&place);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
    // The change above stays in the log until the last connection writes it into the file on closing.
    refused(&path, |e| matches!(e, WisdomError::Newer(_, found, _) if *found == VERSION + 1));
}

#[test]
fn an_older_schema_is_migrated_with_its_data() {
    let place = directory();
    let path = place.path().join("wisdom.sqlite");
    let old = Connection::open(&path).unwrap();
    STEPS[0].take(&old).unwrap();
    old.execute_batch("INSERT INTO processor VALUES (1, 'v/6/1/1/aes', 'v', 6, 1, 1, 'aes', 'n')").unwrap();
    old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    drop(old);
    // Opening for reading migrates as well, because readers need columns that the older schema lacks.
    let store = Store::open_to_read(&path).unwrap();
    assert_eq!(store.processors().unwrap()[0].key.clone(), "v/6/1/1/aes");
    assert!(store.bests(&Filter::default()).unwrap().is_empty());
    assert_eq!(store.number("PRAGMA user_version").unwrap(), VERSION);
}

#[test]
fn a_full_disk_loses_nothing_stored_and_stores_no_half() {
    let place = directory();
    let path = place.path().join("wisdom.sqlite");
    let mut store = Store::open(&path).unwrap();
    let run = run_of(&mut store);
    let pages = store.number("PRAGMA page_count").unwrap();
    store.db.pragma_update(None, "max_page_count", pages + 20).unwrap();
    let batch: Vec<Sample> = (1..=10).map(sample).collect();
    let mut stored = 0;
    let error = loop {
        match store.record(run, &batch) {
            Ok(()) => stored += 10,
            Err(error) => break error,
        }
        assert!(stored < 10_000, "the limit never came");
    };
    assert!(matches!(error, WisdomError::Full(_)), "{error:?}");
    assert!(stored > 0);
    drop(store);
    assert_eq!(Store::open(&path).unwrap().runs(&Filter::default()).unwrap()[0].samples, stored);
}

#[test]
fn a_locked_store_is_waited_for_and_then_given_up() {
    let place = directory();
    let path = filled(&place);
    let mut writer = Store::open(&path).unwrap();
    let mut other = Store::open(&path).unwrap();
    other.db.busy_timeout(Duration::from_millis(30)).unwrap();
    let held = writer.transaction().unwrap();
    let error = other.set_state(RunId(1), "finished").unwrap_err();
    assert!(matches!(error, WisdomError::Locked(_)), "{error:?}");
    drop(held);
    other.set_state(RunId(1), "finished").unwrap();
}

#[test]
fn a_store_that_cannot_be_written_is_read_and_refused() {
    let place = directory();
    let path = filled(&place);
    let directory = path.parent().unwrap();
    let mode = |mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode & !0o111)).unwrap();
        std::fs::set_permissions(directory, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o555);
    let probe = std::fs::write(directory.join("probe"), "").is_ok();
    if probe {
        // The superuser ignores permissions; only SQLite's own read-only mode remains to test.
        eprintln!("running as root: permissions are not tested, only the read-only connection");
    } else {
        assert!(matches!(Store::open(&path), Err(WisdomError::ReadOnly(_))));
    }
    let mut reader = Store::open_to_read(&path).unwrap();
    assert_eq!(reader.screened(RunId(1)).unwrap().len(), 500);
    let error = reader.record(RunId(1), &[sample(1)]).unwrap_err();
    assert!(matches!(error, WisdomError::ReadOnly(_)), "{error:?}");
    drop(reader);
    mode(0o755);
}

#[test]
fn a_store_on_read_only_media_is_read_whatever_its_name() {
    let place = directory();
    let path = place.path().join("a store? 50% #1.sqlite");
    std::fs::rename(filled(&place), &path).unwrap();
    let store = Store::immutable(&path).unwrap();
    assert_eq!(store.screened(RunId(1)).unwrap().len(), 500);
}

/// Work whose result is not wisdom continues if the store cannot be written, or has no place.
#[test]
fn a_copy_in_memory_has_all_and_keeps_nothing() {
    let place = directory();
    let path = filled(&place);
    let mut copy = Store::copy(&path).unwrap();
    assert_eq!(copy.screened(RunId(1)).unwrap().len(), 500);
    copy.record(RunId(1), &[sample(1)]).unwrap();
    assert_eq!(copy.screened(RunId(1)).unwrap().len(), 501);
    assert_eq!(Store::open_to_read(&path).unwrap().screened(RunId(1)).unwrap().len(), 500);
    let (empty, copied) = Store::open_or_copy(Path::new("")).unwrap();
    assert!(copied && empty.screened(RunId(1)).unwrap().is_empty());
    let (own, copied) = Store::open_or_copy(&path).unwrap();
    assert!(!copied && own.path() == path);
}

#[test]
fn what_is_not_valid_is_not_stored() {
    let place = directory();
    let path = place.path().join("deep").join("wisdom.sqlite");
    assert!(matches!(Store::open_to_read(&path), Err(WisdomError::Missing(_))));
    let mut store = Store::open(&path).unwrap();
    let run = run_of(&mut store);
    let bad = Sample { cost: Some(f64::NAN), ..sample(1) };
    assert!(matches!(store.record(run, &[sample(1), bad]), Err(WisdomError::Invalid(_))));
    let bad = Sample { verdict: "refuted".into(), ..sample(1) };
    assert!(matches!(store.record(run, &[bad]), Err(WisdomError::Invalid(_))));
    assert!(store.screened(run).unwrap().is_empty());
    let best = Best {
        processor: "GenuineIntel/6/207/2/aes+vaes".into(),
        problem: "aes128-ctr".into(),
        size: 32768,
        run: "nobody's".into(),
        confirmed_ms: 5,
        variant: "aes128-ctr width=zmm".into(),
        technique: "aes".into(),
        sha256: "0".repeat(64),
        certificate: serde_json::json!({"level": "E3"}),
        low: 0.1,
        median: 0.2,
        high: 0.3,
        baseline: Some(0.9),
        code: Some(900),
        noise: Some(0.001),
        ..Best::default()
    };
    assert!(matches!(store.put_best(&best), Err(WisdomError::Invalid(_))));
    let best = Best { run: "r".into(), ..best };
    store.put_best(&best).unwrap();
    let worse = Best { confirmed_ms: 6, median: 0.21, ..best.clone() };
    store.put_best(&worse).unwrap();
    let all = Filter::default();
    assert_eq!(
        store.bests(&all).unwrap(),
        std::slice::from_ref(&worse),
        "a kernel's last confirmation counts"
    );
    assert_eq!(store.best_history(&all).unwrap(), [best.clone(), worse.clone()]);
    let other = Best {
        confirmed_ms: 7,
        low: 0.5,
        median: 0.5,
        high: 0.5,
        variant: "aes128-ctr technique=gfni width=zmm".into(),
        technique: "gfni".into(),
        ..best
    };
    store.put_best(&other).unwrap();
    let narrow = Best {
        restriction: "up to xmm".into(),
        variant: "aes128-ctr".into(),
        technique: "aes".into(),
        ..other.clone()
    };
    store.put_best(&narrow).unwrap();
    let bests = store.bests(&all).unwrap();
    assert_eq!(bests.len(), 3, "each kernel has a standing of its own, also two of one moment");
    let again = Best { restriction: "up to zmm".into(), confirmed_ms: 9, ..worse.clone() };
    store.put_best(&again).unwrap();
    assert!(store.bests(&all).unwrap().contains(&worse), "a restricted run leaves the standing of a best");
    assert!([&worse, &other, &narrow].iter().all(|best| bests.contains(best)));
    let slower =
        Best { variant: "aes128-ctr width=ymm".into(), low: 0.4, median: 0.4, high: 0.4, ..worse.clone() };
    let all = vec![narrow.clone(), slower, other.clone(), worse.clone()];
    assert_eq!(crate::leaders(all), [worse, other, narrow], "of each technique and restriction the lowest");
}

#[test]
fn a_finding_replaces_the_one_before() {
    let place = directory();
    let mut store = Store::open(&place.path().join("wisdom.sqlite")).unwrap();
    run_of(&mut store);
    let key = store.processors().unwrap()[0].key.clone();
    assert_eq!(store.finding(&key, "profile").unwrap(), None);
    for value in [1, 2] {
        store.put_finding(&key, "profile", "0", &serde_json::json!({ "value": value })).unwrap();
    }
    assert_eq!(store.finding(&key, "profile").unwrap(), Some(serde_json::json!({ "value": 2 })));
    assert!(matches!(store.put_finding("nobody", "profile", "0", &0.into()), Err(WisdomError::Invalid(_))));
}
