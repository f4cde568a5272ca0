//! The JSON output of commands matches docs/schemas in every key; docs/JSON.md is generated from them (AESMITH_BLESS=1
//! regenerates it).

use crate::support;
use crate::support::{Place, Said, root, sorted};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;

fn docs() -> PathBuf {
    root().join("docs")
}

fn read(name: &str) -> Value {
    let path = docs().join("schemas").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A schema for validation: references are inlined, and keys that it does not document are refused. Other readers accept
/// new keys, but the program itself prints none without documentation.
fn closed(schema: &Value, root: &Value) -> Value {
    match schema {
        Value::Object(object) => {
            let mut made = Map::new();
            for (key, value) in object {
                match key.as_str() {
                    "$defs" => {}
                    "$ref" => {
                        let (meant, root) = meant(value.as_str().unwrap(), root);
                        made.insert("allOf".into(), vec![closed(&meant, &root)].into());
                    }
                    "oneOf" if object.contains_key("properties") => {
                        made.insert(key.clone(), kinds(object));
                    }
                    _ => {
                        made.insert(key.clone(), closed(value, root));
                    }
                }
            }
            if object.contains_key("properties") && !object.contains_key("$ref") {
                made.entry("additionalProperties").or_insert(false.into());
            }
            Value::Object(made)
        }
        Value::Array(items) => items.iter().map(|item| closed(item, root)).collect(),
        other => other.clone(),
    }
}

/// The part of a file that a reference names, and the file.
fn meant(reference: &str, root: &Value) -> (Value, Value) {
    let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
    let root = if file.is_empty() { root.clone() } else { read(file) };
    (root.pointer(pointer).unwrap_or_else(|| panic!("{reference} leads nowhere")).clone(), root)
}

/// The kinds of objects that share a list of keys: each refuses the keys that `when` reserves for other kinds.
fn kinds(object: &Map<String, Value>) -> Value {
    let mut kinds = object["oneOf"].clone();
    for kind in kinds.as_array_mut().unwrap() {
        let name = kind["description"].as_str().unwrap().to_owned();
        for (key, value) in object["properties"].as_object().unwrap() {
            if !is_of(value, &name) {
                kind["properties"][key] = false.into();
            }
        }
    }
    kinds
}

/// True if objects of this kind may have the key.
fn is_of(property: &Value, kind: &str) -> bool {
    property["when"].as_str().is_none_or(|when| when.split(", ").any(|one| one == kind))
}

fn validator(command: &str) -> jsonschema::Validator {
    let schema = read(&format!("{command}.schema.json"));
    jsonschema::validator_for(&closed(&schema, &schema)).unwrap()
}

/// Runs commands with `--json` and checks every line: it names the form that stands before the command, and the schema
/// of the command admits it.
fn hold(place: &Place, commands: &[(&str, &str)]) {
    for (name, command) in commands {
        holds_said(name, command, &place.run(&format!("{command} --json")));
    }
}

/// Checks every line of an output. Forms for other processors are named after their command, with an ending.
fn holds_said(name: &str, command: &str, said: &Said) {
    assert_eq!(said.code, 0, "{command}: {}", said.err);
    let validator = validator(name.trim_end_matches("-processor").trim_end_matches("-grid"));
    let objects = said.objects();
    assert!(!objects.is_empty(), "{command} says nothing");
    for object in objects {
        assert_eq!(object["schema"], format!("aesmith.{name}/1"), "{command}");
        let errors: Vec<String> =
            validator.iter_errors(&object).map(|e| format!("{} at {}", e, e.instance_path())).collect();
        assert!(errors.is_empty(), "{command}: {}\n{object}", errors.join("\n"));
    }
}

#[test]
fn commands_that_measure_nothing_print_what_their_schemas_say() {
    let place = Place::new("schemas");
    let recording = root().join("recordings/aes256-ctr-paper-xmm-amd-25-17.jsonl.gz").display().to_string();
    hold(
        &place,
        &[
            ("space", "space aes256-ctr"),
            ("space", "space aes128-key"),
            ("count", "count 'aes128-ctr technique=table cached=2'"),
            ("count", "count aes128-key"),
            ("count-accounting", "count --accounting"),
            ("processors", "processors"),
            ("doctor", "doctor"),
            ("completions", "completions fish"),
            ("man", "man pages"),
            ("isa-list", "isa list"),
            ("isa-check", "isa check smix3"),
            ("isa-check", "isa check bertoni-words"),
            ("replay", &format!("replay '{recording}' --seeds 3 --trials 60 -o strategies.html")),
            ("isa-verilog", "isa verilog smix3 --sbox table --out unit"),
        ],
    );
}

/// Runs a reproduction of a few units of work; a later run continues it. On a busy machine a run may end before its
/// first unit does, so each run is given twice the time of the last.
fn reproduced(place: &Place) {
    let run = |seconds: u32| {
        hold(place, &[("reproduce", &format!("reproduce manley2010 --time {seconds}s -o again"))]);
        place.read("again/progress.jsonl")
    };
    let done = run(2);
    let more = (0..6).map(|twice| run(2 << twice)).find(|more| more.len() > done.len());
    assert!(more.is_some_and(|more| more.starts_with(&done)), "what was done is kept, and gone on from");
}

#[test]
fn commands_for_other_processors_print_what_their_schemas_say() {
    let place = Place::new("schemas-processors");
    hold(
        &place,
        &[
            ("tune-processor", "tune aes128-ecb --trials 4 --effort estimate -o p --processor arm7tdmi"),
            ("emit-processor", "emit aes128-ecb --as package -o e --processor arm7tdmi"),
            ("explain-processor", "explain aes128-ecb --processor arm7tdmi"),
            ("space-processor", "space aes128-ctr --processor arm7tdmi"),
            ("bench-processor", "bench aes128-ctr --sizes 16B,64B --processor arm7tdmi"),
            ("bench-processor", "bench aes128-ecb --processor arm7tdmi"),
            ("report", "report -o r.html --processor arm7tdmi"),
        ],
    );
    reproduced(&place);
    hold(&place, &[("wisdom-list", "wisdom list")]);
    place.write("copy.s", COPY);
    let made = place
        .shell("arm-none-eabi-as copy.s -o copy.o && arm-none-eabi-ld -Ttext=0x10000 copy.o -o copy", &[]);
    if made.code != 0 {
        return println!("skipped: binutils-arm-none-eabi is not installed");
    }
    let judge = "judge copy --symbol _start --args zeros:3 hex:0102ff 3 --processor arm7tdmi";
    hold(&place, &[("judge", judge)]);
}

#[test]
fn commands_for_grids_print_what_their_schemas_say() {
    let place = Place::new("schemas-grids");
    let on = "--processor gpu --only threads=128 --only replicas=32";
    hold(
        &place,
        &[
            ("emit-grid", &format!("emit aes128-ecb --as ptx -o e {on}")),
            ("tune-grid", &format!("tune aes128-ecb --trials 2 -o t {on}")),
            ("explain-grid", &format!("explain aes128-ecb {on}")),
            ("report", &format!("report aes128-ecb --only tables=4 --only blocks=1 -o r.html {on}")),
            ("space-processor", "space aes128-ecb --processor gpu"),
            ("emit-grid", &format!("emit aes128-ecb --as opencl -o o {on}")),
            ("verify", "verify e/aesmith_aes128_ecb.ptx"),
        ],
    );
    if let Some(library) = place.stand_in_of_cuda() {
        let tune = format!("tune aes128-ecb --effort estimate --trials 2 -o m --json {on}");
        let said = place.command(&tune).env("AESMITH_CUDA_DRIVER", library).output();
        holds_said("tune-grid", &tune, &said.unwrap().into());
        hold(&place, &[("wisdom-list", "wisdom list")]);
    }
    let count = "count --processor gpu 'aes128-ecb threads=128'";
    let said = place.run(count);
    if said.code != 0 && said.err.contains("machine code cannot be counted") {
        return println!("skipped: NVIDIA's ptxas is not in the cache, and PyPI cannot be reached");
    }
    hold(&place, &[("count-grid", count)]);
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
    let tune = "tune aes128-ctr --trials 20 --time 2s --size 1KiB";
    hold(
        &place,
        &[
            ("tune", &format!("{tune} --via gcc -o p")),
            ("tune", &format!("{tune} --for cold -o cold")),
            ("emit", "emit aes128-ctr --as package -o e"),
            ("verify", "verify p/aesmith_aes128_ctr.S p/aesmith_aes128_ctr.certificate.json"),
            ("count", "count p/aesmith_aes128_ctr.S"),
            ("explain", "explain aes128-ctr --size 1KiB"),
            ("report", "report aes128-ctr --size 1KiB -o r.html"),
            ("bench", "bench aes128-ctr --sizes 16B,1KiB --cold"),
        ],
    );
    reproduced(&place);
    hold(
        &place,
        &[
            ("wisdom-list", "wisdom list"),
            ("wisdom-show", "wisdom show aes128-ctr"),
            ("wisdom-export", "wisdom export -o x.jsonl"),
            ("wisdom-forget", "wisdom forget --all --yes"),
            ("wisdom-import", "wisdom import x.jsonl"),
        ],
    );
}

/// A refusal is printed as data, too.
#[test]
fn what_is_not_proved_is_printed_as_its_schema_says() {
    let place = Place::new("schemas-refused");
    let wrong = "    .globl aesmith_aes128_ecb\n    .type aesmith_aes128_ecb, @function\naesmith_aes128_ecb:\n    ret\n    \
                 .size aesmith_aes128_ecb, 1\n";
    place.write("wrong.S", wrong);
    let said = place.ends("verify wrong.S --json", 3);
    let object = said.object();
    let validator = validator("verify");
    assert!(validator.is_valid(&object), "{object}");
    assert_eq!((&object["holds"], &object["level"]), (&Value::Bool(false), &Value::Null));
    // A file that cannot be read has its own object.
    std::fs::create_dir(place.path("of")).unwrap();
    place.write("of/wrong.S", wrong);
    place.write("of/libwrong.so", "INPUT(wrong.o)\n");
    let said = place.ends("verify of --json", 3);
    let objects: Vec<Value> = said.objects();
    assert!(objects.iter().all(|object| validator.is_valid(object)), "{objects:?}");
    let of_file = |object: &&Value| object["file"].as_str().unwrap().ends_with("libwrong.so");
    let unread = objects.iter().find(of_file).unwrap();
    assert!(unread.get("function").is_none() && unread["reason"].is_string(), "{unread}");
}

/// An object must have all keys of its kind of processor, and none that belongs to other kinds only.
#[test]
fn objects_have_the_keys_of_their_kind() {
    let validator = validator("space");
    let space = json!({
        "schema": "aesmith.space/1", "problem": "aes128-key", "variants": 1, "dimensions": [],
        "technique": "table", "widest": "xmm", "paper_variants": null,
    });
    assert!(validator.is_valid(&space));
    for key in space.as_object().unwrap().keys() {
        let mut less = space.clone();
        less.as_object_mut().unwrap().remove(key);
        assert!(!validator.is_valid(&less), "{key} may be absent");
    }
    for (key, value) in [("processor", "arm7tdmi"), ("schema", "aesmith.space-processor/1"), ("new", "")] {
        let mut other = space.clone();
        other[key] = value.into();
        assert!(!validator.is_valid(&other), "{key} may be {value:?}");
    }
}

/// This takes minutes; `make soak` runs it.
#[test]
fn commands_that_take_minutes_print_what_their_schemas_say() {
    if !aesmith_processor::trial::is_soak() {
        return println!("skipped: `make soak` runs profile, isa explore and the tables of goals");
    }
    let place = Place::new("schemas-long");
    hold(
        &place,
        &[
            ("profile", "profile bytewise --c"),
            ("profile-processor", "profile bytewise --processor microblaze-3"),
            ("isa-explore", "isa explore smix3 --base picorv32"),
            ("bench", "bench --goals processors"),
            ("bench", "bench --goals extensions"),
        ],
    );
    if support::has_aes() {
        hold(&place, &[("bench", "bench --goals software")]);
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
    let mut text = String::new();
    for path in sorted(&docs().join("schemas")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let schema = read(name);
        let short = name.strip_suffix(".schema.json").expect("schemas are named so");
        let title = schema["title"].as_str().unwrap();
        write!(text, "\n## {short}\n\n{title}: [schemas/{name}](schemas/{name}).").unwrap();
        match schema["oneOf"].as_array() {
            Some(kinds) if schema["properties"].is_null() => {
                text.push('\n');
                for kind in kinds {
                    write!(text, "\nAs {}:", kind["description"].as_str().unwrap()).unwrap();
                    match kind["$ref"].as_str() {
                        Some(other) => writeln!(text, " the keys of {}.", referred(other)).unwrap(),
                        None => table(kind, &mut text),
                    }
                }
            }
            _ => {
                forms(&schema, &mut text);
                table(&schema, &mut text);
            }
        }
        for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
            write!(text, "\n*{name}*: {}", part["description"].as_str().unwrap()).unwrap();
            table(part, &mut text);
        }
    }
    text
}

/// Lists the values of `schema`, if each belongs to some kinds of objects.
fn forms(schema: &Value, text: &mut String) {
    let mut forms: Vec<(&str, Vec<&str>)> = Vec::new();
    for kind in schema["oneOf"].as_array().into_iter().flatten() {
        let Some(form) = kind["properties"]["schema"]["const"].as_str() else { continue };
        let name = kind["description"].as_str().unwrap();
        match forms.iter_mut().find(|(known, _)| *known == form) {
            Some((_, names)) => names.push(name),
            None => forms.push((form, vec![name])),
        }
    }
    if !forms.is_empty() {
        let forms = forms.iter().map(|(form, names)| format!("`{form}` ({})", names.join(", ")));
        write!(text, " `schema` is {}.", forms.collect::<Vec<_>>().join(", ")).unwrap();
    }
}

/// A row: path of the key, kinds of objects that have it, type, unit and meaning.
type Row = [String; 5];

/// A table of the keys below a value, without the columns that are empty.
fn table(schema: &Value, text: &mut String) {
    let mut rows = Vec::new();
    below(schema, "", &mut rows);
    text.push_str("\n\n");
    let heads = ["key", "only for", "type", "unit", "meaning"];
    let kept: Vec<usize> =
        (0..heads.len()).filter(|&at| rows.iter().any(|row| !row[at].is_empty())).collect();
    let mut line = |cell: &dyn Fn(usize) -> String| {
        writeln!(text, "| {} |", kept.iter().map(|&at| cell(at)).collect::<Vec<_>>().join(" | ")).unwrap();
    };
    line(&|at| heads[at].into());
    line(&|_| "---".into());
    for row in &rows {
        line(&|at| row[at].clone());
    }
}

/// Rows for everything below a value.
fn below(value: &Value, path: &str, rows: &mut Vec<Row>) {
    keys(value, path, rows);
    for (part, sign) in [("items", "[]"), ("additionalProperties", ".*")] {
        if value[part].is_object() {
            inner(&value[part], &format!("{path}{sign}"), rows);
        }
    }
    parts(value, path, rows);
    for choice in value["anyOf"].as_array().into_iter().flatten() {
        keys(choice, path, rows);
        if choice["items"].is_object() {
            inner(&choice["items"], &format!("{path}[]"), rows);
        }
    }
}

/// Rows for the keys of an object: first those of all kinds, then those of some.
fn keys(object: &Value, path: &str, rows: &mut Vec<Row>) {
    let kinds: Vec<&Value> = object["oneOf"].as_array().into_iter().flatten().collect();
    let owners = |value: &Value| -> Vec<usize> {
        if value["when"].is_null() {
            return Vec::new();
        }
        (0..kinds.len()).filter(|&at| is_of(value, kinds[at]["description"].as_str().unwrap())).collect()
    };
    let lacks =
        |of: &Value, key: &str| of["required"].as_array().is_none_or(|all| !all.iter().any(|k| k == key));
    let mut known: Vec<(&String, &Value)> = object["properties"].as_object().into_iter().flatten().collect();
    known.sort_by_key(|(_, value)| owners(value));
    for (key, value) in known {
        if key == "schema" && path.is_empty() {
            continue;
        }
        let may_lack = match &owners(value)[..] {
            [] => value["when"].is_null() && lacks(object, key),
            owners => owners.iter().any(|&at| lacks(kinds[at], key)),
        };
        let dot = if path.is_empty() { "" } else { "." };
        row(value, &format!("{path}{dot}{key}"), may_lack && object["required"].is_array(), rows);
    }
}

fn row(value: &Value, path: &str, may_lack: bool, rows: &mut Vec<Row>) {
    let word = |key: &str| value[key].as_str().unwrap_or("").to_owned();
    let meaning = word("description");
    assert!(!meaning.is_empty(), "{path} has no description");
    let lacking = if may_lack { ", may be absent" } else { "" };
    rows.push([
        format!("`{path}`"),
        word("when"),
        format!("{}{lacking}", kind(value)),
        word("unit"),
        meaning,
    ]);
    below(value, path, rows);
}

/// Rows for the elements of an array, or for the value under any key: objects by their keys, others by themselves.
fn inner(value: &Value, path: &str, rows: &mut Vec<Row>) {
    keys(value, path, rows);
    parts(value, path, rows);
    for choice in value["anyOf"].as_array().into_iter().flatten() {
        keys(choice, path, rows);
    }
}

/// Rows for the elements of an array whose places differ in meaning.
fn parts(array: &Value, path: &str, rows: &mut Vec<Row>) {
    for (number, item) in array["prefixItems"].as_array().into_iter().flatten().enumerate() {
        row(item, &format!("{path}[{number}]"), false, rows);
    }
}

fn kind(value: &Value) -> String {
    if let Some(other) = value["$ref"].as_str() {
        return referred(other);
    }
    if let Some(values) = value["enum"].as_array() {
        let word = |value: &Value| match value.as_str().unwrap() {
            "" => "empty".into(),
            word => format!("`{word}`"),
        };
        return values.iter().map(word).collect::<Vec<_>>().join(", ");
    }
    if let Some(constant) = value["const"].as_str() {
        return format!("`{constant}`");
    }
    match &value["type"] {
        Value::String(one) => match value["items"]["$ref"].as_str() {
            Some(other) => format!("{one} of {}", referred(other)),
            None => one.clone(),
        },
        Value::Array(all) => all.iter().map(|t| t.as_str().unwrap()).collect::<Vec<_>>().join(" or "),
        _ => {
            let choices = value["anyOf"].as_array().unwrap_or_else(|| panic!("{value} has no type"));
            choices.iter().map(kind).collect::<Vec<_>>().join(" or ")
        }
    }
}

/// The name of what a reference means: a part of the same schema, another schema, or a part of it.
fn referred(reference: &str) -> String {
    let (file, part) = reference.split_once("#/$defs/").unwrap_or((reference, ""));
    let file = file.trim_end_matches(".schema.json");
    match (file, part) {
        ("", part) => format!("*{part}*"),
        (file, "") => format!("[{file}](#{file})"),
        (file, part) => format!("*{part}* of [{file}](#{file})"),
    }
}
