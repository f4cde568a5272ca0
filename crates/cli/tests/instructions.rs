//! `aesmith isa list` and `isa check` for a user.

use crate::support::{Place, Said};
use serde_json::Value;

fn objects(said: &Said) -> Vec<Value> {
    said.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn sets_are_listed_and_each_can_be_checked_where_it_fits() {
    let place = Place::new("isa-list");
    let said = place.ok("isa list --json");
    let sets = objects(&said);
    assert!(sets.len() >= 10);
    for set in sets {
        let name = set["set"].as_str().expect("a name");
        assert!(set["source"].as_str().is_some_and(|s| !s.is_empty()), "{name}");
        let checked = place.ok(&format!("isa check {name} --base arm7tdmi --json"));
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
    place.write("mine.toml", text);
    let said = place.ends("isa check mine.toml", 1);
    assert_eq!(said.err.trim(), "error: mine.toml, line 7: f: d: 8 bits are wanted, the value has 32");
    place.refused("isa check smix4", 1, "no set of that name; near it are: smix3");
    // A named processor that cannot carry the instructions is a mistake; without names one that can is enough.
    place.refused(
        "isa check bertoni-words --base picorv32",
        1,
        "the nearest that fits is smix of the set smix3",
    );
    place.ok("isa check bertoni-words");
    place.ends("isa check smix3 --base avr", 1);
    place.ends("isa check smix3 --base arm7", 2);
}

/// The refusal comes before anything is built and before the wisdom is opened.
#[test]
fn codes_of_the_processor_itself_are_refused_at_once() {
    let place = Place::new("isa-codes");
    // The encoding is that of `xor` in RV32I.
    let text = "name = \"mine\"\n[[instruction]]\nname = \"f\"\nreads = [\"a\", \"b\"]\nwrites = \"d\"\nmeaning = \"d = a ^ b\"\n\
        encoding = { rv32 = \"0000000 b[4:0] a[4:0] 100 d[4:0] 0110011\" }\n";
    place.write("mine.toml", text);
    for command in ["check", "explore"] {
        let said = place.ends(&format!("isa {command} mine.toml --base picorv32"), 2);
        let why = "mine.toml, line 7: on picorv32: f: its encoding has codes in common with that of xor";
        assert!(said.err.contains(why), "{}", said.err);
    }
    assert!(!place.path("wisdom.sqlite").exists());
    place.refused("isa verilog mine.toml -o unit", 2, "codes in common with that of xor");
    assert!(!place.path("unit").exists());
}
