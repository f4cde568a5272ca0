//! The JSON output of commands matches docs/schemas in every key; docs/JSON.md is generated from them (AESMITH_BLESS=1
//! regenerates it).

mod support;

use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use support::{Place, Said};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn read(name: &str) -> Value {
    let path = docs().join("schemas").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A schema with the schemas that it refers to. It is closed: readers must accept new keys, but our own output has only
/// documented ones.
fn closed(schema: Value) -> Value {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(name)) = object.get("$ref") {
                return closed(read(name));
            }
            let mut object: Map<String, Value> = object.into_iter().map(|(k, v)| (k, closed(v))).collect();
            if object.contains_key("properties") {
                object.entry("additionalProperties").or_insert(false.into());
            }
            Value::Object(object)
        }
        Value::Array(items) => items.into_iter().map(closed).collect(),
        other => other,
    }
}

/// Runs a command with `--json` and validates every line against the schema that it names, which must be `name`.
fn holds(place: &Place, name: &str, arguments: &[&str]) {
    let mut all = arguments.to_vec();
    all.push("--json");
    holds_said(name, arguments, &place.run(&all));
}

/// Validates the output of a command.
fn holds_said(name: &str, arguments: &[&str], said: &Said) {
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
    let validator = jsonschema::validator_for(&closed(read(&format!("{name}.schema.json")))).unwrap();
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(!lines.is_empty(), "{arguments:?} says nothing");
    for line in lines {
        let object: Value =
            serde_json::from_str(line).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {line}"));
        assert_eq!(object["schema"], format!("aesmith.{name}/1"), "{arguments:?}");
        let errors: Vec<String> =
            validator.iter_errors(&object).map(|e| format!("{} at {}", e, e.instance_path())).collect();
        assert!(errors.is_empty(), "{arguments:?}: {}\n{line}", errors.join("\n"));
    }
}

#[test]
fn commands_that_measure_nothing_print_what_their_schemas_say() {
    let place = Place::new("schemas");
    holds(&place, "space", &["space", "aes256-ctr"]);
    holds(&place, "space", &["space", "aes128-key"]);
    holds(&place, "count", &["count", "aes128-ctr technique=table cached=2"]);
    holds(&place, "count", &["count", "aes128-key"]);
    holds(&place, "count-accounting", &["count", "--accounting"]);
    holds(&place, "processors", &["processors"]);
    holds(&place, "doctor", &["doctor"]);
    holds(&place, "completions", &["completions", "fish"]);
    holds(&place, "man", &["man", "pages"]);
    holds(&place, "isa-list", &["isa", "list"]);
    holds(&place, "isa-check", &["isa", "check", "smix3"]);
    holds(&place, "isa-check", &["isa", "check", "bertoni-words"]);
    let recording = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../recordings/aes256-ctr-paper-xmm-amd-25-17.jsonl.gz");
    let replay =
        ["replay", recording.to_str().unwrap(), "--seeds", "3", "--trials", "60", "-o", "strategies.html"];
    holds(&place, "replay", &replay);
    holds(&place, "isa-verilog", &["isa", "verilog", "smix3", "--sbox", "table", "--out", "unit"]);
}

#[test]
fn commands_for_other_processors_print_what_their_schemas_say() {
    let place = Place::new("schemas-processors");
    let on = ["--processor", "arm7tdmi"];
    let with = |words: &[&'static str]| [words, &on].concat();
    holds(
        &place,
        "tune-processor",
        &with(&["tune", "aes128-ecb", "--trials", "4", "--effort", "estimate", "-o", "p"]),
    );
    holds(&place, "emit-processor", &with(&["emit", "aes128-ecb", "--as", "package", "-o", "e"]));
    holds(&place, "explain-processor", &with(&["explain", "aes128-ecb"]));
    holds(&place, "space-processor", &with(&["space", "aes128-ctr"]));
    holds(&place, "bench-processor", &with(&["bench", "aes128-ctr", "--sizes", "16B,64B"]));
    holds(&place, "bench-processor", &with(&["bench", "aes128-ecb"]));
    holds(&place, "report", &with(&["report", "-o", "r.html"]));
    // A few units of work; the second run continues the first.
    let reproduce = ["reproduce", "manley2010", "--time", "5s", "-o", "again"];
    holds(&place, "reproduce", &reproduce);
    let done = std::fs::read_to_string(place.path("again/progress.jsonl")).unwrap();
    holds(&place, "reproduce", &reproduce);
    let more = std::fs::read_to_string(place.path("again/progress.jsonl")).unwrap();
    assert!(more.len() > done.len() && more.starts_with(&done), "what was done is kept, and gone on from");
    holds(&place, "wisdom-list", &["wisdom", "list"]);
    std::fs::write(place.path("copy.s"), COPY).unwrap();
    let made = place
        .shell("arm-none-eabi-as copy.s -o copy.o && arm-none-eabi-ld -Ttext=0x10000 copy.o -o copy", &[]);
    if made.code != 0 {
        return println!("skipped: binutils-arm-none-eabi is not installed");
    }
    let called = ["judge", "copy", "--symbol", "_start", "--args", "zeros:3", "hex:0102ff", "3"];
    holds(&place, "judge", &[&called[..], &on].concat());
}

#[test]
fn commands_for_grids_print_what_their_schemas_say() {
    let place = Place::new("schemas-grids");
    let on = ["--processor", "gpu", "--only", "threads=128", "--only", "replicas=32"];
    let with = |words: &[&'static str]| [words, &on].concat();
    holds(&place, "emit-grid", &with(&["emit", "aes128-ecb", "--as", "ptx", "-o", "e"]));
    holds(&place, "tune-grid", &with(&["tune", "aes128-ecb", "--trials", "2", "-o", "t"]));
    holds(&place, "explain-grid", &with(&["explain", "aes128-ecb"]));
    let one = ["report", "aes128-ecb", "--only", "tables=4", "--only", "blocks=1", "-o", "r.html"];
    holds(&place, "report", &with(&one));
    holds(&place, "space-processor", &["space", "aes128-ecb", "--processor", "gpu"]);
    holds(&place, "emit-grid", &with(&["emit", "aes128-ecb", "--as", "opencl", "-o", "o"]));
    holds(&place, "verify", &["verify", "e/aesmith_aes128_ecb.ptx"]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../processors/gpu/tests/cuda/card.c");
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-std=c99", "-O2", "-shared", "-fPIC", "-o"]).arg(place.path("libcuda.so")).arg(source);
    match compiler.status() {
        Ok(status) => {
            assert!(status.success());
            let tune =
                with(&["tune", "aes128-ecb", "--effort", "estimate", "--trials", "2", "-o", "m", "--json"]);
            let said = place.command(&tune).env("AESMITH_CUDA_DRIVER", place.path("libcuda.so")).output();
            holds_said("tune-grid", &tune, &said.unwrap().into());
        }
        Err(_) => println!("skipped: there is no C compiler `cc`; install gcc"),
    }
    let count = ["count", "--processor", "gpu", "aes128-ecb threads=128"];
    let said = place.run(&count);
    if said.code != 0 && said.err.contains("machine code cannot be counted") {
        return println!("skipped: NVIDIA's ptxas is not in the cache, and PyPI cannot be reached");
    }
    holds(&place, "count-grid", &count);
}

const COPY: &str = "
    .global _start
    .type _start, %function
_start:
    ldrb r3, [r1], #1
    strb r3, [r0], #1
    subs r2, r2, #1
    bne _start
    bx lr
    .size _start, . - _start
";

#[test]
fn commands_that_measure_print_what_their_schemas_say() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("schemas-measured");
    let tune = ["tune", "aes128-ctr", "--trials", "20", "--time", "2s", "--size", "1KiB"];
    holds(&place, "tune", &[&tune[..], &["--via", "gcc", "-o", "p"]].concat());
    holds(&place, "tune", &[&tune[..], &["--for", "cold", "-o", "cold"]].concat());
    holds(&place, "emit", &["emit", "aes128-ctr", "--as", "package", "-o", "e"]);
    holds(&place, "verify", &["verify", "p/aesmith_aes128_ctr.S", "p/aesmith_aes128_ctr.certificate.json"]);
    holds(&place, "count", &["count", "p/aesmith_aes128_ctr.S"]);
    holds(&place, "explain", &["explain", "aes128-ctr", "--size", "1KiB"]);
    holds(&place, "report", &["report", "aes128-ctr", "--size", "1KiB", "-o", "r.html"]);
    holds(&place, "bench", &["bench", "aes128-ctr", "--sizes", "16B,1KiB", "--cold"]);
    // A few units of work; the second run continues the first.
    let reproduce = ["reproduce", "manley2010", "--time", "5s", "-o", "again"];
    holds(&place, "reproduce", &reproduce);
    let done = std::fs::read_to_string(place.path("again/progress.jsonl")).unwrap();
    holds(&place, "reproduce", &reproduce);
    let more = std::fs::read_to_string(place.path("again/progress.jsonl")).unwrap();
    assert!(more.len() > done.len() && more.starts_with(&done), "what was done is kept, and gone on from");
    holds(&place, "wisdom-list", &["wisdom", "list"]);
    holds(&place, "wisdom-show", &["wisdom", "show", "aes128-ctr"]);
    holds(&place, "wisdom-export", &["wisdom", "export", "-o", "x.jsonl"]);
    holds(&place, "wisdom-forget", &["wisdom", "forget", "--all", "--yes"]);
    holds(&place, "wisdom-import", &["wisdom", "import", "x.jsonl"]);
}

/// A refusal is printed as data, too.
#[test]
fn what_is_not_proved_is_printed_as_its_schema_says() {
    let place = Place::new("schemas-refused");
    let wrong = "    .globl aesmith_aes128_ecb\n    .type aesmith_aes128_ecb, @function\naesmith_aes128_ecb:\n    ret\n    \
                 .size aesmith_aes128_ecb, 1\n";
    std::fs::write(place.path("wrong.S"), wrong).unwrap();
    let said = place.run(&["verify", "wrong.S", "--json"]);
    assert_eq!(said.code, 3, "{}", said.err);
    let object: Value = serde_json::from_str(said.out.trim()).unwrap();
    let validator = jsonschema::validator_for(&closed(read("verify.schema.json"))).unwrap();
    assert!(validator.is_valid(&object), "{object}");
    assert_eq!((&object["holds"], &object["level"]), (&Value::Bool(false), &Value::Null));
    // A file that cannot be read has its own object.
    std::fs::create_dir(place.path("of")).unwrap();
    std::fs::write(place.path("of/wrong.S"), wrong).unwrap();
    std::fs::write(place.path("of/libwrong.so"), "INPUT(wrong.o)\n").unwrap();
    let said = place.run(&["verify", "of", "--json"]);
    assert_eq!(said.code, 3, "{}", said.err);
    let objects: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(objects.iter().all(|object| validator.is_valid(object)), "{objects:?}");
    let of_file = |object: &&Value| object["file"].as_str().unwrap().ends_with("libwrong.so");
    let unread = objects.iter().find(of_file).unwrap();
    assert!(unread.get("function").is_none() && unread["reason"].is_string(), "{unread}");
}

/// This takes minutes; `make soak` runs it.
#[test]
fn commands_that_take_minutes_print_what_their_schemas_say() {
    if !aesmith_processor::trial::is_soak() {
        return println!("skipped: `make soak` runs profile, isa explore and the tables of goals");
    }
    let place = Place::new("schemas-long");
    holds(&place, "profile", &["profile", "bytewise", "--c"]);
    holds(&place, "profile-processor", &["profile", "bytewise", "--processor", "microblaze-3"]);
    holds(&place, "isa-explore", &["isa", "explore", "smix3", "--base", "picorv32"]);
    holds(&place, "bench", &["bench", "--goals", "processors"]);
    holds(&place, "bench", &["bench", "--goals", "extensions"]);
    if support::has_aes() {
        holds(&place, "bench", &["bench", "--goals", "software"]);
    }
}

#[test]
fn the_document_is_made_of_the_schemas() {
    let path = docs().join("JSON.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, _) = text.split_once(MARK).expect("the mark stands in it");
    let made = format!("{head}{MARK}{}", tables());
    if std::env::var_os("AESMITH_BLESS").is_some() {
        std::fs::write(&path, made).unwrap();
    } else {
        assert!(text == made, "docs/JSON.md is not what docs/schemas say; AESMITH_BLESS=1 makes it again");
    }
}

const MARK: &str = "<!-- From here on made from docs/schemas by crates/cli/tests/schemas.rs. -->\n";

/// A section for each schema, with a row for each key.
fn tables() -> String {
    let mut names: Vec<String> = std::fs::read_dir(docs().join("schemas"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut text = String::new();
    for name in names {
        let schema = read(&name);
        let short = name.strip_suffix(".schema.json").expect("schemas are named so");
        let title = schema["title"].as_str().unwrap();
        write!(text, "\n## {short}\n\n{title}: [schemas/{name}](schemas/{name}).\n").unwrap();
        match schema["oneOf"].as_array() {
            Some(kinds) => {
                for kind in kinds {
                    write!(text, "\nAs {}:\n", kind["description"].as_str().unwrap()).unwrap();
                    table(kind, &mut text);
                }
            }
            None => table(&schema, &mut text),
        }
    }
    text
}

fn table(schema: &Value, text: &mut String) {
    text.push_str("\n| key | type | unit | meaning |\n|---|---|---|---|\n");
    rows(schema, "", text);
}

fn rows(schema: &Value, prefix: &str, text: &mut String) {
    let required = schema["required"].as_array();
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        if key == "schema" && prefix.is_empty() {
            continue;
        }
        let path = format!("{prefix}{key}");
        let may_lack = required.is_some_and(|r| !r.iter().any(|k| k == key));
        row(&path, value, may_lack, text);
    }
}

fn row(path: &str, value: &Value, may_lack: bool, text: &mut String) {
    let unit = value["unit"].as_str().unwrap_or("");
    let meaning = value["description"].as_str().unwrap_or_else(|| panic!("{path} has no description"));
    let lacking = if may_lack { ", may be absent" } else { "" };
    writeln!(text, "| `{path}` | {}{lacking} | {unit} | {meaning} |", kind(value)).unwrap();
    let below = [("items", "[]"), ("additionalProperties", ".*")];
    rows(value, &format!("{path}."), text);
    for (part, sign) in below {
        if value[part].is_object() {
            inner(&format!("{path}{sign}"), &value[part], text);
        }
    }
    for (number, item) in value["prefixItems"].as_array().into_iter().flatten().enumerate() {
        row(&format!("{path}[{number}]"), item, false, text);
    }
    for choice in value["anyOf"].as_array().into_iter().flatten() {
        rows(choice, &format!("{path}."), text);
        if choice["items"].is_object() {
            inner(&format!("{path}[]"), &choice["items"], text);
        }
    }
}

/// Adds rows for the contents of an array or of any key: objects by their keys, other values alone.
fn inner(path: &str, value: &Value, text: &mut String) {
    if value["properties"].is_object() {
        rows(value, &format!("{path}."), text);
    } else if value["prefixItems"].is_array() {
        for (number, item) in value["prefixItems"].as_array().into_iter().flatten().enumerate() {
            row(&format!("{path}[{number}]"), item, false, text);
        }
    }
}

fn kind(value: &Value) -> String {
    if let Some(other) = value["$ref"].as_str() {
        return other.trim_end_matches(".schema.json").to_owned();
    }
    if let Some(values) = value["enum"].as_array() {
        return values.iter().map(|v| format!("`{}`", v.as_str().unwrap())).collect::<Vec<_>>().join(", ");
    }
    if let Some(constant) = value["const"].as_str() {
        return format!("`{constant}`");
    }
    match &value["type"] {
        Value::String(one) => one.clone(),
        Value::Array(all) => all.iter().map(|t| t.as_str().unwrap()).collect::<Vec<_>>().join(" or "),
        _ => {
            let choices = value["anyOf"].as_array().unwrap_or_else(|| panic!("{value} has no type"));
            choices.iter().map(kind).collect::<Vec<_>>().join(" or ")
        }
    }
}
