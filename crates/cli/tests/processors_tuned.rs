//! The options of a search on processors other than this machine: strategies, seeds, restrictions and lengths.

use crate::support::{Place, sorted};
use aesmith_search::strategies::STRATEGIES;
use object::{Object, ObjectSection};
use serde_json::Value;

const PROCESSORS: [&str; 2] = ["avr", "cortex-m4"];

/// The JSON of `tune` for a processor, with the output directory `out`.
fn tune(place: &Place, more: &str) -> Value {
    let effort = if more.contains("--effort") { "" } else { "--effort estimate" };
    place.json(&format!("tune {more} {effort} -o out --force --json"))
}

/// The variant's text of the winner.
fn winner(tuned: &Value) -> String {
    tuned["winners"][0]["certificate"]["variant"].as_str().unwrap().to_owned()
}

/// Checks that a command is a usage error with these words.
fn refused(place: &Place, command: &str, why: &[&str]) {
    let said = place.ends(command, 2);
    assert!(why.iter().all(|w| said.err.contains(w)), "{command}: {}", said.err);
}

#[test]
fn every_strategy_ends_with_a_proved_winner_and_is_recorded() {
    for processor in PROCESSORS {
        for entry in STRATEGIES {
            let place = Place::new(&format!("strategy-{processor}-{}", entry.name));
            let command =
                format!("aes128-ecb --processor {processor} --strategy {} --seed 7 --trials 5", entry.name);
            let tuned = tune(&place, &command);
            let certificate = &tuned["winners"][0]["certificate"];
            assert_eq!(certificate["level"], "proved", "{command}: {tuned}");
            assert_eq!((&tuned["strategy"], &tuned["seed"]), (&entry.name.into(), &7.into()));
            let tried = tuned["tried"].as_u64().unwrap();
            assert!((1..=5).contains(&tried), "{command}: {tried}");
            let runs = place.run("wisdom list --json").objects_of("run");
            assert_eq!(runs.len(), 1, "{command}");
            assert_eq!((&runs[0]["strategy"], &runs[0]["seed"]), (&entry.name.into(), &7.into()));
            assert_eq!((&runs[0]["processor"], &runs[0]["state"]), (&processor.into(), &"finished".into()));
        }
    }
}

#[test]
fn a_strategy_that_there_is_not_is_refused_before_anything_is_written() {
    let place = Place::new("strategy-absent");
    let tune = "tune aes128-ecb --processor avr -o out --strategy";
    refused(&place, &format!("{tune} memetik"), &["memetik", "memetic"]);
    refused(&place, &format!("{tune} memetic:nosuch=1"), &["nosuch"]);
    assert!(!place.path("out").exists() && !place.path("wisdom.sqlite").exists());
}

/// The variants that a run costed, in order.
fn samples(place: &Place) -> Vec<String> {
    let mut all = place.ok("wisdom export").objects_of("sample");
    all.sort_by_key(|sample| sample["number"].as_u64());
    all.iter().map(|sample| sample["variant"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_seed_repeats_a_search() {
    for entry in STRATEGIES {
        let run = |which: &str, seed: u32| {
            let place = Place::new(&format!("seed-{}-{which}", entry.name));
            let strategy = format!("--strategy {} --seed {seed} --trials 12", entry.name);
            let tuned = tune(&place, &format!("aes128-ecb --processor avr {strategy}"));
            (samples(&place), winner(&tuned))
        };
        let first = run("first", 3);
        assert!(first.0.len() >= 12, "{first:?}");
        assert_eq!(first, run("second", 3), "{}", entry.name);
        if entry.name == "random" {
            assert_ne!(first.0, run("other", 4).0);
        }
    }
}

/// Kernels of these processors number their orders: moves of instructions would be other names of the same code.
#[test]
fn a_strategy_proposes_orders_by_number() {
    let place = Place::new("strategy-orders");
    tune(&place, "aes128-key --processor cortex-m4 --strategy memetic --trials 40 --effort measure --seed 3");
    let all = samples(&place);
    assert!(all.iter().all(|variant| !variant.contains("order=")), "{all:?}");
    assert!(all.iter().any(|variant| variant.contains("seed=")), "{all:?}");
}

#[test]
fn a_restriction_holds_for_winner_certificate_report_and_emitted_code() {
    let place = Place::new("only");
    let ecb = "aes128-ecb --processor avr";
    // Stored results outside a restriction neither win nor are shown.
    assert!(winner(&tune(&place, ecb)).contains("doubling=table"));
    let only = format!("{ecb} --only doubling=mask --only rounds=looped,compact");
    let kept = |text: &str| {
        text.contains("doubling=mask") && (text.contains("rounds=looped") || text.contains("rounds=compact"))
    };
    let tuned = tune(&place, &only);
    assert!(kept(&winner(&tuned)), "{}", winner(&tuned));
    let page = place.read("out/report.html");
    assert!(page.contains("doubling=mask") && !page.contains("doubling=table"));
    let certified = |file: &str| place.read_json(file)["variant"].as_str().unwrap().to_owned();
    let of_package = certified("out/certificates/aesmith_aes128_encrypt.certificate.json");
    assert_eq!(of_package, winner(&tuned), "the package is of the winner");
    place.json(&format!("emit {only} --as asm -o asm --json"));
    assert_eq!(certified("asm/aesmith_aes128_encrypt.certificate.json"), winner(&tuned));
    // A given variant must meet the restriction, too.
    let other = "aes128-ecb processor=avr doubling=table rounds=looped";
    place.write("other.txt", other);
    let emit = format!("emit {only} --as asm -o given --variant other.txt");
    refused(&place, &emit, &["doubling=table", "values that are asked for"]);
    refused(&place, &format!("tune {ecb} --only doubling=zzz"), &["zzz", "table | branch | mask"]);
    refused(&place, &format!("tune {ecb} --only dubling=mask"), &["dubling", "doubling"]);
}

#[test]
fn a_technique_is_kept_for_blocks_and_keys() {
    for problem in ["aes128-ecb", "aes128-key"] {
        let place = Place::new(&format!("technique-{problem}"));
        let mut variants = 0;
        let all = ["table", "bitsliced", "bytewise"];
        // No round keys are for bytes alone.
        let all = if problem == "aes128-key" { &all[..2] } else { &all };
        for technique in all {
            let expected = &format!("technique={technique}");
            let command = format!("{problem} --processor cortex-m4 --technique {technique}");
            let tuned = tune(&place, &command);
            variants += tuned["space"].as_u64().unwrap();
            assert!(winner(&tuned).contains(expected), "{command}: {}", winner(&tuned));
            let page = place.read("out/report.html");
            assert_eq!(page.matches("technique=").count(), page.matches(expected).count());
            let function = if problem == "aes128-key" { "expand" } else { "encrypt" };
            let file = format!("out/certificates/aesmith_aes128_{function}.certificate.json");
            let certificate = place.read(file);
            assert!(certificate.contains(expected), "{command}: {certificate}");
        }
        // The sum matches the space: variants that a technique excludes are not counted.
        let space = place.json(&format!("space {problem} --processor cortex-m4 --json"));
        assert_eq!(space["variants"], variants, "{problem}");
    }
    let place = Place::new("technique-absent");
    let avr = "tune aes128-ecb --processor avr --technique bitsliced";
    refused(&place, avr, &["bitsliced", "bytewise"]);
    assert!(!place.path("wisdom.sqlite").exists());
}

#[test]
fn a_length_counts_what_a_message_costs_besides() {
    let place = Place::new("size");
    for problem in ["aes128-ecb", "aes256-key"] {
        let command = format!("tune {problem} --processor avr --size 64");
        refused(&place, &command, &["no length of a message changes its cycles", "--size"]);
    }
    refused(&place, "tune aes128-ctr --processor avr --size 10", &["whole blocks"]);
    assert!(!place.path("wisdom.sqlite").exists());
    // A table of values that 256 counters share pays off for a long message, not for one block.
    let ctr = "aes128-ctr --processor avr --only doubling=table --only rounds=unrolled --only sbox=ram";
    let short = tune(&place, &format!("{ctr} --size 16"));
    let long = tune(&place, &format!("{ctr} --size 4KiB"));
    assert!(winner(&short).contains("counter=each"), "{}", winner(&short));
    assert!(winner(&long).contains("counter=cached"), "{}", winner(&long));
    let cost = |tuned: &Value, blocks: f64| {
        let cost = &tuned["winners"][0]["certificate"]["cost"];
        cost["cycles"].as_f64().unwrap() + cost["once"].as_f64().unwrap() / blocks
    };
    assert!(cost(&short, 1.0) < cost(&long, 1.0) && cost(&long, 256.0) < cost(&short, 256.0));
}

#[test]
fn a_space_counts_what_a_run_says_of_it() {
    for processor in PROCESSORS {
        for problem in ["aes128-ecb", "aes128-ctr", "aes192-key"] {
            let place = Place::new(&format!("space-{processor}-{problem}"));
            let space = place.json(&format!("space {problem} --processor {processor} --json"));
            let tuned =
                tune(&place, &format!("{problem} --processor {processor} --effort measure --trials 2"));
            assert_eq!(space["variants"], tuned["space"], "{problem} on {processor}");
        }
    }
}

/// The parts of a package are chosen so that they meet the limits together, as linked.
#[test]
fn a_package_of_both_directions_keeps_its_limits_as_linked() {
    let place = Place::new("package-limits");
    let emit = "emit aes128-ecb --processor avr --as package --directions both -o out";
    place.refused(&format!("{emit} --max-flash 400 --max-ram 0"), 1, "400 bytes of flash, 0 bytes of RAM");
    assert!(!place.path("out").exists());
    let said = place.ok(&format!("{emit} --max-flash 2k --max-ram 512"));
    // The program's own sections come before the tables, which are aligned.
    let other = ".text\n nop\n nop\n.section .rodata, \"a\"\n.balign 4\n.byte 1, 0, 0, 0\n.data\n.byte 1\n";
    place.write("out/other.S", other);
    let mut sources = sorted(&place.path("out/src"));
    sources.retain(|path| path.extension().is_some_and(|e| e == "S"));
    let sizes = |sources: &[std::path::PathBuf]| {
        let mut compiler = std::process::Command::new("avr-gcc");
        let options = ["-mmcu=atmega328p", "-nostdlib", "-o", "all.elf", "-Wl,-e0"];
        compiler.current_dir(place.path("out")).args(options);
        let linked = compiler.arg("other.S").args(sources).output().ok()?;
        assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
        let elf = std::fs::read(place.path("out/all.elf")).unwrap();
        let file = object::File::parse(&*elf).unwrap();
        let size = |name| file.section_by_name(name).map_or(0, |s| s.size());
        Some((size(".text"), size(".data")))
    };
    let Some(own) = sizes(&[]) else { return println!("skipped: needs gcc-avr") };
    let all = sizes(&sources).unwrap();
    let (text, data) = (all.0 - own.0, all.1 - own.1);
    assert!(text > 600 && text + data <= 2048 && data <= 512, "{text} bytes of code, {data} of data");
    let sentence = format!("take {} bytes of flash, {data} of RAM", text + data);
    assert!(said.err.contains(&sentence), "{sentence}: {}", said.err);
}
