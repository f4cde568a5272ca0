//! The store behind the command: damaged, newer, read-only, exported, forgotten; no data is lost.

use crate::support;
use crate::support::Place;
use serde_json::Value;
use std::fs;

/// An export with one processor, one run and one sample, as the command writes it.
const EXPORT: &str = r#"{"kind":"aesmith-wisdom","version":3,"tool_version":"0.1.0","exported_ms":1}
{"kind":"processor","key":"TestVendor/6/1/1/aes","name":"Test CPU","attributes":{"vendor":"TestVendor","family":6,"model":1,"stepping":1,"features":["aes"]}}
{"kind":"run","key":"k1","processor":"TestVendor/6/1/1/aes","problem":"aes256-ctr","size":32768,"strategy":"random","seed":7,"options":"","judge":"native","unit":"cycles per byte","calls":"steady","search":null,"tool_version":"0.1.0","session":"s","command":"c","state":"finished","started_ms":1,"finished_ms":2}
{"kind":"sample","run":"k1","number":1,"trial":1,"phase":"screen","size":32768,"variant":"aes256-ctr width=xmm","technique":"aes","sha256":null,"verdict":"measured","message":"","instructions":9,"cost":0.5,"cycles":[16384.0],"ticks":[16000],"time_ms":1}
{"kind":"end","lines":4}
"#;

fn with_wisdom(name: &str) -> Place {
    let place = Place::new(name);
    place.write("export.jsonl", EXPORT);
    place.ok("wisdom import export.jsonl");
    place
}

#[test]
fn what_is_exported_is_imported() {
    let place = with_wisdom("carry");
    place.ok("wisdom export -o again.jsonl");
    let read = |name: &str| -> Vec<String> {
        // The first line, with the time of the export, is skipped.
        place.read(name).lines().skip(1).map(str::to_owned).collect()
    };
    let values = |lines: Vec<String>| {
        lines.iter().map(|l| serde_json::from_str::<Value>(l).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(values(read("again.jsonl")), values(read("export.jsonl")));
    let again = place.json("wisdom import again.jsonl --json");
    assert_eq!((again["samples"].as_u64(), again["known_samples"].as_u64()), (Some(0), Some(1)));
    let list = place.run("wisdom list --json");
    let run: serde_json::Value = serde_json::from_str(list.out.trim()).unwrap();
    assert_eq!((run["kind"].as_str(), run["samples"].as_u64()), (Some("run"), Some(1)));
    assert!(place.run("wisdom list").out.contains("Test CPU"));
}

#[test]
fn an_import_is_all_or_nothing() {
    let place = with_wisdom("import");
    for (wrong, why) in [
        (EXPORT.replace("\"number\":1", "\"number\":2").replace("width=xmm", "width=wmm"), "line 4"),
        (
            EXPORT.replace("\"number\":1", "\"number\":2").replace("{\"kind\":\"end\",\"lines\":4}\n", ""),
            "cut short",
        ),
        (EXPORT.replace("\"version\":3,", "\"version\":9,"), "format 9"),
        ("not json\n".to_owned(), "line 1"),
    ] {
        place.write("wrong.jsonl", &wrong);
        place.refused("wisdom import wrong.jsonl", 5, why).warns("nothing was imported");
    }
    let run = place.json("wisdom list --json");
    assert_eq!(run["samples"], 1);
}

#[test]
fn forgetting_asks_first() {
    let place = with_wisdom("forget");
    assert_eq!(place.run("wisdom forget").code, 2, "nothing was named");
    let unasked = place.command("wisdom forget aes256-ctr").stdin(std::process::Stdio::null()).output();
    assert_eq!(unasked.unwrap().status.code(), Some(2));
    assert_eq!(place.json("wisdom list --json")["samples"], 1);
    assert_eq!(place.json("wisdom forget aes128-ctr --yes --json")["runs"], 0);
    assert_eq!(place.json("wisdom forget aes256-ctr --yes --json")["runs"], 1);
    assert!(place.run("wisdom list --json").out.is_empty());
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let place = Place::new("damaged");
    place.refused("wisdom list", 5, "no wisdom yet");
    assert!(!place.path("wisdom.sqlite").exists(), "listing makes no store");

    for content in [&b"these are my notes"[..], b"SQLite format 3\0 and then something else", &[0u8; 5000]] {
        place.write("wisdom.sqlite", content);
        for command in ["wisdom list", "wisdom export", "explain aes256-ctr"] {
            let said = place.run(command);
            // Without AES instructions, `explain` ends before it reads the store.
            assert!(
                said.code == 5 || (said.code == 4 && !support::has_aes()),
                "{command:?}: {} {}",
                said.code,
                said.err
            );
        }
        assert_eq!(fs::read(place.path("wisdom.sqlite")).unwrap(), content);
        assert!(place.run("doctor").out.contains("left alone"));
    }
}

#[test]
fn a_newer_store_is_refused() {
    let place = with_wisdom("newer");
    // The version is in bytes 60 to 63 of an SQLite file (file format, section 1.3).
    let path = place.path("wisdom.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    bytes[60..64].copy_from_slice(&999u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    place.refused("wisdom list", 5, "newer").warns("999");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_store_that_cannot_be_written_is_said() {
    let place = Place::new("readonly");
    place.write("export.jsonl", EXPORT);
    // /proc accepts no new files, not even from root.
    place.refused("--wisdom /proc/aesmith/wisdom.sqlite wisdom import export.jsonl", 5, "/proc/aesmith");
}
