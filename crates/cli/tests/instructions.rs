//! `aesmith isa list` and `isa check` for a user.

mod support;

use serde_json::Value;
use support::{Place, Said};

fn objects(said: &Said) -> Vec<Value> {
    said.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn sets_are_listed_and_each_can_be_checked_where_it_fits() {
    let place = Place::new("isa-list");
    let said = place.run(&["isa", "list", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let sets = objects(&said);
    assert!(sets.len() >= 10);
    for set in sets {
        let name = set["set"].as_str().expect("a name");
        assert!(set["source"].as_str().is_some_and(|s| !s.is_empty()), "{name}");
        let checked = place.run(&["isa", "check", name, "--base", "arm7tdmi", "--json"]);
        assert_eq!(checked.code, 0, "{name}: {}", checked.err);
        let lines = objects(&checked);
        assert_eq!(lines.len(), set["instructions"].as_array().expect("some").len() + 1, "{name}");
        let round = &lines.last().expect("goals")["goals"][0];
        assert_eq!(round["goal"], "a round of encryption");
        assert!(round["added"].as_u64().is_some_and(|n| (4..=16).contains(&n)), "{name}: {round}");
    }
}

#[test]
fn a_mistake_has_its_file_line_and_reason() {
    let place = Place::new("isa-check");
    let text = "name = \"mine\"\n\n[[instruction]]\nname = \"f\"\nreads = [\"a\"]\nwrites = \"d\"\nmeaning = \"d = sbox(a)\"\n";
    std::fs::write(place.path("mine.toml"), text).expect("is written");
    let said = place.run(&["isa", "check", "mine.toml"]);
    assert_eq!(said.code, 1);
    assert_eq!(said.err.trim(), "error: mine.toml, line 7: f: d: 8 bits are wanted, the value has 32");
    let said = place.run(&["isa", "check", "smix4"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("no set of that name; near it are: smix3"), "{}", said.err);
    // A named processor that cannot carry the instructions is a mistake; without names one that can is enough.
    let said = place.run(&["isa", "check", "bertoni-words", "--base", "picorv32"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("the nearest that fits is smix of the set smix3"), "{}", said.err);
    assert_eq!(place.run(&["isa", "check", "bertoni-words"]).code, 0);
    assert_eq!(place.run(&["isa", "check", "smix3", "--base", "avr"]).code, 1);
    assert_eq!(place.run(&["isa", "check", "smix3", "--base", "arm7"]).code, 2);
}

/// The refusal comes before anything is built and before the wisdom is opened.
#[test]
fn codes_of_the_processor_itself_are_refused_at_once() {
    let place = Place::new("isa-codes");
    // The encoding is that of `xor` in RV32I.
    let text = "name = \"mine\"\n[[instruction]]\nname = \"f\"\nreads = [\"a\", \"b\"]\nwrites = \"d\"\nmeaning = \"d = a ^ b\"\n\
        encoding = { rv32 = \"0000000 b[4:0] a[4:0] 100 d[4:0] 0110011\" }\n";
    std::fs::write(place.path("mine.toml"), text).expect("is written");
    for command in ["check", "explore"] {
        let said = place.run(&["isa", command, "mine.toml", "--base", "picorv32"]);
        assert_eq!(said.code, 2, "{command}: {}", said.err);
        let why = "mine.toml, line 7: on picorv32: f: its encoding has codes in common with that of xor";
        assert!(said.err.contains(why), "{}", said.err);
    }
    assert!(!place.path("wisdom.sqlite").exists());
    let said = place.run(&["isa", "verilog", "mine.toml", "-o", "unit"]);
    assert!(said.code == 2 && said.err.contains("codes in common with that of xor"), "{}", said.err);
    assert!(!place.path("unit").exists());
}
