//! `replay` and `reproduce` for a user: mistakes are reported, and nothing is lost.

mod support;

use std::path::Path;
use support::Place;

fn recording() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("recordings/aes256-ctr-paper-xmm-amd-25-17.jsonl.gz").to_str().unwrap().to_owned()
}

#[test]
fn a_replay_says_the_same_each_time_and_what_is_wrong_with_what_was_asked() {
    let place = Place::new("replay");
    let recording = recording();
    let few = ["replay", &recording, "--seeds", "3", "--trials", "50", "--json"];
    let said = place.run(&few);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(said.out, place.run(&few).out);
    let weighed = place.run(&[&few[..], &["--weight", "keys=0"]].concat());
    assert_eq!(weighed.code, 0, "{}", weighed.err);
    assert_ne!(said.out, weighed.out, "a weight takes effect");
    std::fs::write(place.path("words.txt"), "no recording\n").unwrap();
    std::fs::write(place.path("cut.gz"), &std::fs::read(&recording).unwrap()[..1000]).unwrap();
    for (arguments, code, named) in [
        (&["replay", "nowhere.gz"][..], 1, "nowhere.gz"),
        (&["replay", "words.txt"], 1, "line 1"),
        (&["replay", "cut.gz"], 1, "broken"),
        (&["replay", &recording, "--strategy", "anealing"], 2, "annealing"),
        (&["replay", &recording, "--strategy", "annealing:redcue=0.5"], 2, "reduce"),
        (&["replay", &recording, "--weight", "kyes=1"], 2, "keys"),
        (&["replay", &recording, "--within", "2"], 2, "--within"),
        (&["replay"], 2, "FILE"),
        (&["replay", "--record", "new.gz"], 2, "--problem"),
        (&["replay", "--record", &recording, "--problem", "aes128-ctr"], 1, "aes256-ctr"),
    ] {
        let said = place.run(arguments);
        assert_eq!(said.code, code, "{arguments:?}: {}", said.err);
        assert!(said.err.contains(named), "{arguments:?}: {}", said.err);
    }
}

#[test]
fn a_space_is_recorded_once_and_gone_on_from() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("record");
    let record =
        ["replay", "--record", "some.jsonl.gz", "--problem", "aes128-ctr", "--size", "1KiB", "--only"];
    let part = ["interleave=1..8", "--only", "counter=swap,add", "--only", "keys=0,1,3,7,0xf,0x7fff"];
    let rest = [
        "distance=0",
        "ii=0",
        "prefetch=none",
        "source=1",
        "ahead=0",
        "restrict=no",
        "streaming=no",
        "cached=0",
        "loop=bottom",
        "align=1",
        "tail=step",
        "width=xmm",
    ];
    let mut arguments = [&record[..], &part].concat();
    for only in rest {
        arguments.extend(["--only", only]);
    }
    arguments.extend(["--seeds", "2", "--trials", "20"]);
    // Without enough time no file is written, and the measurements are kept.
    let said = place.run(&[&arguments[..], &["--time", "1ms"]].concat());
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("goes on from there") && !place.path("some.jsonl.gz").exists(), "{}", said.err);
    let said = place.run(&arguments);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("192 variants of aes128-ctr"), "{}", said.out);
    let file = std::fs::read(place.path("some.jsonl.gz")).unwrap();
    assert_eq!(place.run(&arguments).code, 0);
    assert_eq!(file, std::fs::read(place.path("some.jsonl.gz")).unwrap(), "it is not recorded again");
}

#[test]
fn without_aes_instructions_the_paper_is_not_reproduced_and_it_says_what_can_be_done() {
    let place = Place::new("reproduce-without");
    let said = place.run(&["reproduce", "manley2010", "--cpu", "baseline", "-o", "again"]);
    assert_eq!(said.code, 4, "{}", said.err);
    assert!(said.err.contains("aesmith replay") && said.err.contains("aesmith tune"), "{}", said.err);
    assert!(!place.path("again").exists());
    let said = place.run(&["reproduce", "manly2010"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("manley2010"), "{}", said.err);
}
