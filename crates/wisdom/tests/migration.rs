//! Opens a store of an earlier version: every sample, best, certificate and variant is kept, with equal values, and
//! importing that version's export gives the same.

use aesmith_wisdom::{Best, Costs, Filter, Imported, Sample, Store};
use aesmith_x86::dimensions::TABLE;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tempfile::TempDir;

const SCHEMA_6: &str = include_str!("before/schema6.sql");

/// The file in the state in which the earlier version left it.
fn before(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("wisdom.sqlite");
    Connection::open(&path).unwrap().execute_batch(SCHEMA_6).unwrap();
    path
}

/// All rows of a query as JSON objects; columns that hold JSON are parsed.
fn rows(path: &PathBuf, sql: &str, of_json: &[&str]) -> Vec<Value> {
    let db = Connection::open(path).unwrap();
    let mut statement = db.prepare(sql).unwrap();
    let names: Vec<String> = statement.column_names().iter().map(|n| (*n).to_owned()).collect();
    let found = statement.query_map([], |row| {
        let value = |n: usize| -> rusqlite::Result<Value> {
            use rusqlite::types::ValueRef;
            Ok(match row.get_ref(n)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(i) => i.into(),
                ValueRef::Real(r) => r.into(),
                ValueRef::Text(t) if of_json.contains(&&*names[n]) => serde_json::from_slice(t).unwrap(),
                ValueRef::Text(t) => String::from_utf8(t.to_vec()).unwrap().into(),
                ValueRef::Blob(_) => panic!("there are none"),
            })
        };
        (0..names.len()).map(|n| Ok((names[n].clone(), value(n)?))).collect::<rusqlite::Result<_>>()
    });
    found.unwrap().map(|row| Value::Object(row.unwrap())).collect()
}

fn technique(variant: &Value) -> String {
    let parsed = TABLE.parse(variant.as_str().unwrap());
    parsed.map_or_else(|_| String::new(), |v| v.technique.name().to_owned())
}

/// All samples of runs of a judge, by run and number.
fn samples(store: &Store, judge: &str) -> BTreeMap<(String, u64), Sample> {
    let mut all = BTreeMap::new();
    for row in store.runs(&Filter::default()).unwrap().into_iter().filter(|row| row.run.judge == judge) {
        store
            .each_sample(row.id, |number, sample| {
                all.insert((row.run.key.clone(), number), sample);
                Ok(())
            })
            .unwrap();
    }
    all
}

#[test]
fn samples_and_bests_of_the_host_stay() {
    let folder = TempDir::new().unwrap();
    let path = before(&folder);
    let sql = "SELECT r.key, s.* FROM sample s JOIN run r ON r.id = s.run";
    let old = rows(&path, sql, &["cycles", "ticks"]);
    let sql = "SELECT p.key AS processor, r.problem, r.key AS run_key, b.* FROM best b
               JOIN run r ON r.id = b.run JOIN processor p ON p.id = r.processor";
    let old_bests = rows(&path, sql, &["certificate"]);
    let old_runs = rows(&path, "SELECT * FROM run", &[]);
    let cpu = rows(&path, "SELECT * FROM processor", &[]).remove(0);
    let store = Store::open(&path).unwrap();
    assert!(old.len() > 8 && !old_bests.is_empty(), "the fixture is empty");

    let new = samples(&store, "native");
    assert_eq!(new.len(), old.len());
    for row in &old {
        let sample = &new[&(row["key"].as_str().unwrap().to_owned(), row["number"].as_u64().unwrap())];
        let mut expected = row.clone();
        let object = expected.as_object_mut().unwrap();
        ["key", "run", "number"].iter().for_each(|name| drop(object.remove(*name)));
        object.insert("technique".into(), technique(&row["variant"]).into());
        assert_eq!(serde_json::to_value(sample).unwrap(), expected);
    }
    assert!(new.values().any(|s| s.technique == "gfni") && new.values().any(|s| s.technique == "aes"));
    let new: Vec<Best> = store.best_history(&Filter::default()).unwrap();
    let new: Vec<&Best> = new.iter().filter(|b| !b.variant.contains(" processor=")).collect();
    assert_eq!(new.len(), old_bests.len());
    for row in &old_bests {
        let key = |b: &&&Best| row["run_key"] == *b.run && row["variant"] == *b.variant;
        let mut best = serde_json::to_value(new.iter().find(key).unwrap()).unwrap();
        assert_eq!(best["technique"], technique(&row["variant"]));
        for name in [
            "processor",
            "problem",
            "size",
            "confirmed_ms",
            "variant",
            "sha256",
            "certificate",
            "low",
            "median",
            "high",
            "baseline",
            "bound",
        ] {
            assert_eq!(best[name].take(), row[name], "{name}");
        }
    }
    let runs = store.runs(&Filter::default()).unwrap();
    for row in &old_runs {
        let run = runs.iter().find(|r| row["key"] == *r.run.key).unwrap();
        let mut run = serde_json::to_value(&run.run).unwrap();
        assert_eq!(run["unit"].take(), "cycles per byte");
        assert_eq!((run["calls"].take(), run["search"].take()), ("steady".into(), Value::Null));
        for name in
            ["problem", "size", "strategy", "options", "command", "session", "started_ms", "finished_ms"]
        {
            assert_eq!(run[name].take(), row[name], "{name}");
        }
    }
    let now = store.processors().unwrap().into_iter().find(|p| cpu["key"] == *p.key).unwrap();
    let id = now.cpu().unwrap();
    assert_eq!((&*now.name, &*id.vendor), (cpu["name"].as_str().unwrap(), cpu["vendor"].as_str().unwrap()));
    assert_eq!(
        json!([id.family, id.model, id.stepping]),
        json!([cpu["family"], cpu["model"], cpu["stepping"]])
    );
    assert_eq!(id.processor(&now.name), now, "key and attributes say the same");
    assert!(store.machine_model(&now.key).unwrap().is_some());
}

/// Compares the earlier version's record of a variant with the migrated one.
fn same(old: &Value, store: &Store) {
    let filter = Filter { processor: Some(old["processor"].as_str().unwrap().into()), ..Filter::default() };
    let version = old["tool_version"].as_str().unwrap();
    let all = store.costed(&filter, Some(version), &|_, text| text.to_owned()).unwrap();
    let new = all.iter().find(|c| old["variant"] == *c.variant).unwrap();
    assert_eq!(old["verdict"], new.verdict());
    assert_eq!(old["problem"], *new.problem);
    assert_eq!(old["message"], *new.message);
    assert_eq!(old["time_ms"], new.time_ms);
    assert_eq!(old["sha256"], json!(new.sha256));
    assert_eq!(old["cycles"], json!(new.cycles));
    assert_eq!(old["judge"], json!(new.judge));
    assert_eq!(old["judged"], json!(new.judged));
    assert_eq!(old["certificate"], json!(new.certificate));
    let costs = (!old["cycles"].is_null()).then(|| Costs {
        once: old["once"].as_f64().unwrap(),
        flash: old["flash"].as_u64().unwrap(),
        ram: old["ram"].as_u64().unwrap(),
        stack: old["stack"].as_u64().unwrap(),
        same_path: old["same_path"] == 1 || old["same_path"] == true,
        blocks: old["blocks"].as_u64().unwrap() as u8,
    });
    assert_eq!(costs, new.costs);
}

#[test]
fn what_was_known_by_exact_judges_stays() {
    let folder = TempDir::new().unwrap();
    let path = before(&folder);
    let old = rows(&path, "SELECT * FROM described", &["certificate"]);
    let store = Store::open(&path).unwrap();
    let kinds: std::collections::BTreeSet<&str> =
        old.iter().map(|o| o["verdict"].as_str().unwrap()).collect();
    assert!(kinds.len() >= 4, "{kinds:?}");
    old.iter().for_each(|old| same(old, &store));
    let runs = store.runs(&Filter::default()).unwrap();
    let runs: Vec<_> = runs.iter().filter(|r| r.run.command == "by an earlier version").collect();
    let mut of: Vec<_> = old
        .iter()
        .map(|o| (&o["processor"], &o["problem"], &o["tool_version"]))
        .map(|o| format!("{o:?}"))
        .collect();
    of.sort();
    of.dedup();
    assert_eq!(runs.len(), of.len(), "a run for each processor, problem and version");
    let units =
        |of: &str| runs.iter().filter(|r| r.run.problem == of).all(|r| r.run.unit == "cycles per key");
    assert!(units("aes128-key") && !units("aes128-ecb"));
    let bests = store.best_history(&Filter::default()).unwrap();
    let certified = old.iter().filter(|o| !o["certificate"].is_null()).count();
    assert_eq!(bests.iter().filter(|b| b.variant.contains(" processor=")).count(), certified);

    // Export and import keep everything unchanged.
    let mut text = Vec::new();
    store.export(&Filter::default(), &mut text).unwrap();
    let mut other = Store::open(&folder.path().join("other.sqlite")).unwrap();
    other.import(&text[..], &TABLE).unwrap();
    old.iter().for_each(|old| same(old, &other));
    assert_eq!(samples(&other, "machine model"), samples(&store, "machine model"));
    assert_eq!(other.best_history(&Filter::default()).unwrap(), bests);
}

/// The lines that the earlier version exported of its variants.
fn exported(old: &[Value]) -> String {
    let mut text =
        r#"{"kind":"aesmith-wisdom","version":1,"tool_version":"0.1.0","exported_ms":5}"#.to_owned();
    for row in old {
        let mut line = row.clone();
        line["kind"] = "described".into();
        line["same_path"] = (row["same_path"] == 1).into();
        text.push_str(&format!("\n{line}"));
    }
    text.push_str(&format!("\n{}\n", json!({ "kind": "end", "lines": old.len() + 1 })));
    text
}

#[test]
fn an_export_of_the_earlier_version_is_read_once() {
    let folder = TempDir::new().unwrap();
    let path = before(&folder);
    let old = rows(&path, "SELECT * FROM described", &["certificate"]);
    let text = exported(&old);
    let migrated = Store::open(&path).unwrap();
    let mut fresh = Store::open(&folder.path().join("fresh.sqlite")).unwrap();
    let brought = fresh.import(text.as_bytes(), &TABLE).unwrap();
    let all = samples(&migrated, "machine model").len() as u64;
    assert_eq!((brought.earlier, brought.samples, brought.processors), (old.len() as u64, all, 2));
    old.iter().for_each(|old| same(old, &fresh));
    let again = fresh.import(text.as_bytes(), &TABLE).unwrap();
    assert_eq!(again, Imported { known_samples: all, ..Imported::default() });
    // Importing it into the store that it came from adds nothing either.
    let mut migrated = migrated;
    assert_eq!(migrated.import(text.as_bytes(), &TABLE).unwrap(), again);
    // An older row that is imported later changes no result.
    let mut older = old.clone();
    older.retain(|o| !o["certificate"].is_null());
    for row in &mut older {
        row["time_ms"] = (row["time_ms"].as_u64().unwrap() - 1000).into();
        row["certificate"] = Value::Null;
        row["verdict"] = "modelled".into();
    }
    fresh
        .import(exported(&older).replace("\"exported_ms\":5", "\"exported_ms\":6").as_bytes(), &TABLE)
        .unwrap();
    old.iter().for_each(|old| same(old, &fresh));
    for (good, bad) in [
        ("\"verdict\":\"confirmed\"", "\"verdict\":\"good\""),
        ("\"processor\":\"avr\"", "\"processor\":\"arm\""),
        ("aes128-ecb processor", "aes128-ecc processor"),
        ("\"certificate\":{", "\"certificate\":1,\"extra\":{"),
    ] {
        assert!(text.contains(good), "{good}");
        assert!(fresh.import(text.replace(good, bad).as_bytes(), &TABLE).is_err(), "{bad}");
    }
}
