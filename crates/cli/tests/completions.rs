//! Completions of option values: the results of the Tab key, from the generated scripts.

use crate::support::Place;

/// Options with values from tables, and some values that must be offered.
const OFFERED: [(&str, &[&str]); 7] = [
    ("--strategy", &["exhaustive", "random", "annealing", "annealing-budget", "memetic"]),
    ("--technique", &["auto", "aesni", "vaes", "gfni", "vperm", "vbmi", "bitsliced", "table", "bytewise"]),
    ("--processor", &["avr", "cortex-m3", "picorv32", "microblaze-5"]),
    ("--cpu", &["native", "sse2", "avx2", "x86-64-v3", "vaes"]),
    ("--only", &["keys=", "interleave=", "wipe=", "width="]),
    ("--effort", &["estimate", "exhaustive"]),
    ("--objective", &["cycles", "pareto"]),
];

/// The completions of bash for the last of `words`.
fn bash(place: &Place, words: &str) -> Vec<String> {
    let script = format!(
        "source ./bash || exit 1
         COMP_WORDS=(aesmith {words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
         $(complete -p aesmith | sed 's/.*-F \\([^ ]*\\).*/\\1/') aesmith \"${{COMP_WORDS[COMP_CWORD]}}\" \
             \"${{COMP_WORDS[COMP_CWORD-1]}}\"
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let said = place.shell(&script, &[]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.out.lines().map(str::to_owned).collect()
}

#[test]
fn values_of_options_are_completed_from_their_tables() {
    let place = Place::new("completions");
    for shell in ["bash", "zsh", "fish"] {
        place.write(shell, place.run(&format!("completions {shell}")).out);
    }
    for (option, wanted) in OFFERED {
        let offered = bash(&place, &format!("tune aes128-ctr {option} ''"));
        for value in wanted {
            assert!(offered.iter().any(|o| o == value), "bash {option} {value}: {offered:?}");
        }
    }
    assert_eq!(bash(&place, "tune aes128-ctr --only interl"), ["interleave="]);
    assert_eq!(bash(&place, "emit aes128-ctr --technique vp"), ["vperm"]);
    for shell in ["zsh", "fish"] {
        let script = place.read(shell);
        for (option, wanted) in OFFERED {
            for value in wanted {
                assert!(script.contains(value), "{shell} {option} {value}");
            }
        }
    }
}

#[test]
fn the_help_lists_techniques_and_strategies_of_the_tables() {
    let place = Place::new("lists");
    let help = place.run("tune --help").out;
    for (option, wanted) in &OFFERED[..2] {
        let about = help.split(&format!("{option} <")).nth(1).unwrap_or_else(|| panic!("{option}: {help}"));
        let about = about.split("\n      --").next().unwrap();
        for value in *wanted {
            assert!(about.contains(&format!("- {value}:")), "{option} {value}: {about}");
        }
    }
}
