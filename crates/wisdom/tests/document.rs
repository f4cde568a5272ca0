//! docs/WISDOM.md documents exactly the tables, views, columns and keys of the store.

use aesmith_wisdom::earlier::VariantLine;
use aesmith_wisdom::import::{End, Header, Line, Numbered};
use aesmith_wisdom::record::MachineModel;
use aesmith_wisdom::{Best, Costs, Processor, Run, Sample, Store};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const DOCUMENT: &str = include_str!("../../../docs/WISDOM.md");

type Names = BTreeMap<String, BTreeSet<String>>;

/// The names in the document's tables: under a heading such as "Table `run`", those in backquotes in the first
/// cells.
fn documented(kinds: &[&str]) -> Names {
    let mut names = Names::new();
    let mut of: Option<String> = None;
    for line in DOCUMENT.lines() {
        if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.trim_matches(['#', ' ']);
            let name = heading.split_once(' ').filter(|(kind, _)| kinds.contains(kind)).map(|(_, name)| name);
            of = name.map(|n| n.trim_matches('`').to_owned());
            names.extend(of.clone().map(|of| (of, BTreeSet::new())));
        } else if let (Some(of), Some(row)) = (&of, line.strip_prefix("| `")) {
            let cell = row.split(" | ").next().unwrap_or(row);
            for name in cell.split('`').step_by(2).filter(|name| !name.is_empty()) {
                assert!(names.get_mut(of).unwrap().insert(name.to_owned()), "{of} has {name} twice");
            }
        }
    }
    names
}

#[test]
fn the_document_names_every_table_and_column() {
    let path = std::env::temp_dir().join(format!("aesmith-document-{}.sqlite", std::process::id()));
    let _ = std::fs::remove_file(&path);
    drop(Store::open(&path).unwrap());
    let file = rusqlite::Connection::open(&path).unwrap();
    let mut names = Names::new();
    let mut tables = file
        .prepare(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
             WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%'",
        )
        .unwrap();
    let rows = tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for (table, column) in rows.map(|row: rusqlite::Result<(String, String)>| row.unwrap()) {
        names.entry(table).or_default().insert(column);
    }
    std::fs::remove_file(&path).unwrap();
    assert!(names.len() > 8, "{names:?}");
    assert_eq!(documented(&["Table", "View"]), names);
}

#[test]
fn the_document_names_every_line_and_key_of_an_export() {
    let text = |of: &str| of.to_owned();
    let sample: Sample = serde_json::from_value(json!({
        "trial": 1, "phase": "screen", "size": 16, "variant": "", "sha256": null, "verdict": "fault",
        "message": "", "instructions": 0, "cost": null, "cycles": [], "ticks": [], "time_ms": 0,
        "judge": "simavr",
    }))
    .unwrap();
    let costs = Costs { once: 0.0, flash: 0, ram: 0, stack: 0, same_path: true, blocks: 1 };
    let sample = Sample { costs: Some(costs), ..sample };
    // Every field and every kind of line must be listed here, or the test does not compile.
    let lines = [
        Line::AesmithWisdom(Header { version: 1, tool_version: text(""), exported_ms: 0 }),
        Line::Processor(Processor::named("", "")),
        Line::MachineModel(MachineModel {
            processor: text(""),
            made_ms: 0,
            tool_version: text(""),
            model: json!({}),
        }),
        Line::Run(Run {
            key: text(""),
            processor: text(""),
            problem: text(""),
            size: 0,
            strategy: text(""),
            seed: 0,
            options: text(""),
            judge: text(""),
            unit: text(""),
            calls: "steady".into(),
            search: None,
            tool_version: text(""),
            session: text(""),
            command: text(""),
            state: text(""),
            started_ms: 0,
            finished_ms: None,
        }),
        Line::Sample(Numbered { run: text(""), number: 1, sample, unknown: BTreeMap::new() }),
        Line::Best(Best {
            processor: text(""),
            problem: text(""),
            size: 0,
            run: text(""),
            confirmed_ms: 0,
            variant: text(""),
            technique: text(""),
            sha256: text(""),
            judge: text("simavr"),
            certificate: json!({}),
            low: 0.0,
            median: 0.0,
            high: 0.0,
            baseline: None,
            bound: None,
            restriction: text("wipe=yes"),
            code: Some(900),
            noise: Some(0.01),
        }),
        Line::Earlier(VariantLine {
            processor: text(""),
            problem: text(""),
            variant: text(""),
            tool_version: text(""),
            sha256: None,
            verdict: text(""),
            message: text(""),
            cycles: None,
            once: None,
            flash: 0,
            ram: 0,
            stack: 0,
            same_path: false,
            blocks: 1,
            certificate: None,
            judge: None,
            judged: None,
            time_ms: 0,
        }),
        Line::End(End { lines: 0 }),
    ];
    let mut names = Names::new();
    for line in &lines {
        // A new kind of line must be added above.
        match line {
            Line::AesmithWisdom(_) | Line::Processor(_) | Line::MachineModel(_) | Line::Run(_) => {}
            Line::Sample(_) | Line::Best(_) | Line::Earlier(_) | Line::End(_) => {}
        }
        let Ok(Value::Object(object)) = serde_json::to_value(line) else { panic!("{line:?}") };
        let kind = object["kind"].as_str().unwrap().to_owned();
        names.insert(kind, object.keys().filter(|k| *k != "kind").cloned().collect());
    }
    assert_eq!(documented(&["Line"]), names);
}
