//! `replay` and `reproduce` for a user: mistakes are reported, and nothing is lost.

use crate::support;
use crate::support::{Place, root};

#[test]
fn a_replay_says_the_same_each_time_and_what_is_wrong_with_what_was_asked() {
    let place = Place::new("replay");
    let recording = root().join("recordings/aes256-ctr-paper-xmm-amd-25-17.jsonl.gz").display().to_string();
    let few = format!("replay '{recording}' --seeds 3 --trials 50 --json");
    let said = place.ok(&few);
    assert_eq!(said.out, place.run(&few).out);
    let weighed = place.ok(&format!("{few} --weight keys=0"));
    assert_ne!(said.out, weighed.out, "a weight takes effect");
    place.write("words.txt", "no recording\n");
    place.write("cut.gz", &std::fs::read(&recording).unwrap()[..1000]);
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
        place.refused(arguments, code, named);
    }
}

#[test]
fn a_space_is_recorded_once_and_gone_on_from() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("record");
    let part = "interleave=1..8 counter=swap,add keys=0,1,3,7,0xf,0x7fff distance=0 ii=0 prefetch=none source=1 ahead=0 \
                restrict=no streaming=no cached=0 loop=bottom align=1 tail=step width=xmm";
    let only = part.split_whitespace().map(|values| format!("--only {values} ")).collect::<String>();
    let record = format!(
        "replay --record some.jsonl.gz --problem aes128-ctr --size 1KiB {only} --seeds 2 --trials 20"
    );
    // Without enough time no file is written, and the measurements are kept.
    place.refused(&format!("{record} --time 1ms"), 1, "goes on from there");
    assert!(!place.path("some.jsonl.gz").exists());
    place.ok(&record).says("192 variants of aes128-ctr");
    let file = std::fs::read(place.path("some.jsonl.gz")).unwrap();
    place.ok(&record);
    assert_eq!(file, std::fs::read(place.path("some.jsonl.gz")).unwrap(), "it is not recorded again");
}

#[test]
fn without_aes_instructions_the_paper_is_not_reproduced_and_it_says_what_can_be_done() {
    let place = Place::new("reproduce-without");
    place.refused("reproduce manley2010 --cpu baseline -o again", 4, "aesmith replay").warns("aesmith tune");
    assert!(!place.path("again").exists());
    place.refused("reproduce manly2010", 2, "manley2010");
}
