//! The program for developers: its commands, and the commands of `aesmith` that it does.

use crate::support;
use crate::support::{Place, Said, aesmith, aesmith_bench};
use std::fs;

fn run(place: &Place, arguments: &[&str]) -> Said {
    place.command_of(aesmith_bench(), arguments).output().unwrap().into()
}

#[test]
fn help_pages_and_completions_are_whole() {
    let place = Place::new("developer-help");
    let top = run(&place, &["--help"]).out;
    assert!(top.contains("Exit codes") && !top.contains("  bench "), "{top}");
    for command in ["goals", "reproduce", "accounting", "replay", "completions", "man"] {
        assert!(top.contains(command), "{command}: {top}");
        let help = run(&place, &[command, "--help"]);
        assert!(help.out.contains(&format!("aesmith-bench {command}")), "{command}: {}", help.out);
    }
    let said = run(&place, &["man", "pages"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for page in ["aesmith-bench.1", "aesmith-bench-goals.1", "aesmith-bench-accounting.1"] {
        assert!(place.path("pages").join(page).exists(), "{page}: {}", said.out);
    }
    assert!(!place.path("pages/aesmith-bench-count.1").exists(), "{}", said.out);
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&place, &["completions", shell]);
        assert!(script.code == 0 && script.out.contains("markdown"), "{shell}: {}", script.out);
    }
    fs::write(place.path("bash"), run(&place, &["completions", "bash"]).out).unwrap();
    let said = place.shell(
        "source ./bash && declare -F $(complete -p aesmith-bench | sed 's/.*-F \\([^ ]*\\).*/\\1/')",
        &[],
    );
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}

#[test]
fn aesmith_says_the_same() {
    let place = Place::new("developer-same");
    let passed_on = place.run(&["count", "--accounting", "--json"]);
    assert_eq!(passed_on.code, 0, "{}", passed_on.err);
    assert_eq!(passed_on.out, run(&place, &["accounting", "--json"]).out);
    for (arguments, code, wanted) in [
        (&["bench", "--goals", "gpus"][..], 2, "gpu"),
        (&["bench", "--goals", "software", "--width", "xmm"], 2, "every technique and width"),
        (&["bench", "--card", "card.jsonl"], 2, "--card"),
        (&["reproduce", "manly2010"], 2, "manley2010"),
    ] {
        let said = place.run(arguments);
        assert!(said.code == code && said.err.contains(wanted), "{arguments:?}: {} {}", said.code, said.err);
    }
    let said = run(&place, &["goals", "gpus"]);
    assert!(said.code == 2 && said.err.contains("gpu"), "{}", said.err);
    // Commands for users are not here.
    let said = run(&place, &["count", "aes128-ecb"]);
    assert!(said.code == 2 && said.err.contains("`aesmith`"), "{}", said.err);
    assert_eq!(run(&place, &["tune", "aes128-ecb"]).code, 2);
}

#[test]
fn rows_of_a_problem_are_a_document() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("developer-rows");
    let said = place.run(&["bench", "aes128-ctr", "--sizes", "1KiB", "--markdown", "rows.md"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let written = fs::read_to_string(place.path("rows.md")).unwrap();
    for part in ["Measured by `aesmith-bench bench aes128-ctr", "## aes128-ctr", "| 1 KiB |"] {
        assert!(written.contains(part), "{part}: {written}");
    }
    assert!(said.out.contains("1 KiB"), "{}", said.out);
}

/// A program beside which the one for developers does not stand says what is missing, and does all else.
#[test]
fn without_it_a_sentence_says_what_is_missing() {
    let place = Place::new("developer-alone");
    let alone = place.path("aesmith");
    if fs::hard_link(aesmith(), &alone).is_err() {
        fs::copy(aesmith(), &alone).unwrap();
    }
    let run = |arguments: &[&str]| Said::from(place.command_of(&alone, arguments).output().unwrap());
    for arguments in [
        &["reproduce", "manley2010"][..],
        &["count", "--accounting"],
        &["bench"],
        &["bench", "--goals", "processors"],
        &["bench", "aes128-ecb", "--markdown", "rows.md"],
        &["replay", "--record", "new.jsonl.gz", "--problem", "aes128-ctr"],
    ] {
        let said = run(arguments);
        assert_eq!(said.code, 1, "{arguments:?}: {}", said.err);
        for wanted in ["aesmith-bench, the program for developers", "cargo build --release"] {
            assert!(said.err.contains(wanted), "{arguments:?}: {}", said.err);
        }
        assert!(said.out.is_empty(), "{arguments:?}: {}", said.out);
    }
    let said = run(&["space", "aes256-ctr"]);
    assert_eq!(said.code, 0, "{}", said.err);
}

/// A test that was skipped is known by a reason of the list, or by a tool that the set-up could not install: that tool alone.
#[test]
fn skipped_tests_have_reasons() {
    let place = Place::new("skips");
    let log = [
        "skipped: cli/kernels a: this CPU has no AES instructions",
        "skipped: cli/altered b: avr-gcc or make is not installed",
        "skipped: arm/aesmith_arm c: arm-none-eabi-gcc is not installed",
        "skipped: make/test cargo-deny: cargo-deny is not installed",
        "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    ];
    place.write("log", log.join("\n") + "\n");
    place.write("nothing", "");
    place.write(
        "no-avr",
        "they could not be installed together: trying one by one\ngcc-avr could not be installed: AVR\n",
    );
    let script = support::root().join("scripts/skips.sh");
    let unknown = |setup: &str| {
        let said = place.shell("\"$0\" log \"$1\"", &[script.to_str().unwrap(), setup]);
        assert_eq!(said.code, 0, "{}", said.all());
        said.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(unknown("nothing"), [log[2], log[1]]);
    assert_eq!(unknown("no-avr"), [log[2]]);
}
