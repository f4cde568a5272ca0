//! The commands for processors other than this machine, for a user.

mod support;

use support::Place;

#[test]
fn processors_and_their_judges_are_listed() {
    let place = Place::new("processors");
    let said = place.run(&["processors", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let all: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let avr = all.iter().find(|p| p["processor"] == "avr").unwrap();
    assert_eq!(avr["data_cache"], false);
    let needs = avr["judges"][0]["needs"].as_array().unwrap();
    assert!(needs.iter().any(|n| n == "libsimavr-dev"));
    assert!(place.run(&["doctor"]).out.contains("libsimavr-dev"));
    let cycles = |name: &str| {
        let found = all.iter().find(|p| p["processor"] == name).unwrap();
        found["judges"][0]["cycles"].as_str().unwrap().to_owned()
    };
    assert_eq!([cycles("avr"), cycles("cortex-m4"), cycles("x86-64")], ["exact", "none", "measured"]);
}

#[test]
fn this_machines_processor_has_a_name_like_any_other() {
    let place = Place::new("by-name");
    let [free, named] = [vec![], vec!["--processor", "x86-64"]].map(|more| {
        let said = place.run(&[&["space", "aes128-ctr", "--json"], &more[..]].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        said.out
    });
    assert_eq!(free, named);
    let emit = |more: &[&str]| {
        let said = place.run(
            &[&["emit", "aes128-ctr", "--as", "asm", "-o", "x", "--processor", "x86-64"], more].concat(),
        );
        (said.code, said.err)
    };
    for option in [["--max-ram", "0"], ["--objective", "code"], ["--keys", "all"], ["--schedule", "fly"]] {
        let (code, sentence) = emit(&option);
        assert!(code == 2 && sentence.contains(&format!("leave {} out", option[0])), "{sentence}");
    }
    assert!(!place.path("x").exists());
    let said = place.run(&["space", "aes128-ctr", "--processor", "x86_64"]);
    assert!(said.code == 2 && said.err.contains("did you mean x86-64"), "{}", said.err);
    let said = place.run(&["judge", "a.elf", "--processor", "x86-64", "--symbol", "f"]);
    assert!(said.code == 2 && said.err.contains("measured where the program runs"), "{}", said.err);
}

/// An ELF file for ARM with `copy(void *to, const void *from, unsigned n)` and an endless loop, written by hand.
fn program() -> Vec<u8> {
    use object::write::{Object, Symbol, SymbolSection};
    use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
    // ldrb r3,[r1],#1; strb r3,[r0],#1; subs r2,r2,#1; bne .-12; bx lr; b .
    let code: [u32; 6] = [0xe4d13001, 0xe4c03001, 0xe2522001, 0x1afffffb, 0xe12fff1e, 0xeafffffe];
    let mut object = Object::new(BinaryFormat::Elf, Architecture::Arm, Endianness::Little);
    let text = object.add_section(vec![], b".text".to_vec(), SectionKind::Text);
    let bytes: Vec<u8> = code.iter().flat_map(|c| c.to_le_bytes()).collect();
    object.append_section_data(text, &bytes, 4);
    for (name, value, size) in [("copy", 0u64, 20u64), ("forever", 20, 4)] {
        object.add_symbol(Symbol {
            name: name.as_bytes().to_vec(),
            value,
            size,
            kind: SymbolKind::Text,
            scope: SymbolScope::Linkage,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
    }
    object.write().unwrap()
}

#[test]
fn any_program_is_judged() {
    let place = Place::new("judge");
    std::fs::write(place.path("program.o"), program()).unwrap();
    let judge = |name: &str, more: &[&str]| {
        let mut arguments = vec!["judge", "--processor", "arm7tdmi", name];
        arguments.extend(more);
        place.run(&arguments)
    };
    let said = judge("program.o", &["--symbol", "copy"]);
    assert!(said.code == 1 && said.err.contains("link it first"), "{}", said.err);
    let said = judge("absent.elf", &["--symbol", "copy"]);
    assert!(said.code == 1 && said.err.contains("absent.elf cannot be read"), "{}", said.err);
    let said = judge(support::aesmith(), &["--symbol", "main"]);
    assert!(said.code == 1 && said.err.contains("for x86-64, not for 32-bit ARM"), "{}", said.err);
    let linked = place.shell("arm-none-eabi-ld -Ttext=0x10000 -e copy -o program.elf program.o", &[]);
    if linked.code != 0 {
        return println!("skipped: binutils-arm-none-eabi is not installed");
    }
    let said = judge("program.elf", &["--symbol", "cpy"]);
    assert!(said.code == 1 && said.err.contains("near it are: copy"), "{}", said.err);
    let said = judge("program.elf", &["--symbol", "forever", "--limit", "1000"]);
    assert!(said.code == 1 && said.err.contains("runs away"), "{}", said.err);
    let said = judge("program.elf", &["--symbol", "copy", "--args", "zeros:3", "hex:0102ff", "3", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let object: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(object["buffers"], serde_json::json!(["0102ff", "0102ff"]));
    assert_eq!(object["model"]["instructions"], 3 * 4 + 1);
    assert_eq!(object["model"]["stack"], 0);
    let touched = object["touched"].as_array().unwrap();
    assert!(touched.iter().any(|t| t["what"] == "argument 1" && t["written"] == true && t["bytes"] == 3));
    let said = place.run(&["judge", "--processor", "avr", "program.elf", "--symbol", "copy"]);
    assert!(said.code == 1 && said.err.contains("for 32-bit ARM, not for AVR"), "{}", said.err);
}

#[test]
fn tuned_resumed_limited_emitted_and_reported() {
    let place = Place::new("tune-processors");
    let tune =
        ["tune", "aes128-ecb", "--processor", "arm7tdmi", "--effort", "estimate", "-o", "out", "--json"];
    let first = place.json(&tune);
    let winner = &first["winners"][0];
    assert_eq!(winner["certificate"]["level"], "proved");
    assert!(winner["certificate"]["cost"]["cycles"].as_f64().unwrap() <= first["baseline"].as_f64().unwrap());
    assert!(first["tried"].as_u64().unwrap() > 0);
    let second = place.json(&tune);
    assert_eq!((&second["tried"], &second["winners"][0]["known"]), (&0.into(), &true.into()));
    assert_eq!(second["winners"][0]["certificate"], winner["certificate"]);
    for file in ["report.html", "Makefile", "README.md", "examples/selftest/emulated.c"] {
        assert!(place.path("out").join(file).is_file(), "{file}");
    }
    let mut limited = tune.to_vec();
    limited.extend(["--max-flash", "100"]);
    let said = place.run(&limited);
    assert!(said.code == 1 && said.err.contains("the nearest takes"), "{}", said.err);
    let said = place.run(&["tune", "aes128-ecb", "--processor", "arm7tdmi", "--size", "1KiB"]);
    assert_eq!(said.code, 2, "{}", said.err);
    let said = place.run(&["tune", "aes128-ecb", "--processor", "arm7"]);
    assert!(said.code == 2 && said.err.contains("arm7tdmi"), "{}", said.err);
    let emitted =
        place.json(&["emit", "aes128-ecb", "--processor", "arm7tdmi", "--as", "asm", "-o", "asm", "--json"]);
    let files = emitted["files"].as_array().unwrap();
    assert!(files.iter().any(|f| f.as_str().unwrap().ends_with("aesmith_aes128_encrypt.S")));
    let said = place.run(&["report", "--processor", "arm7tdmi", "-o", "page.html"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(std::fs::read_to_string(place.path("page.html")).unwrap().contains("aes128-ecb"));
    let said = place.run(&["wisdom", "list"]);
    assert!(said.out.contains("Variants costed by machine models"), "{}", said.out);
    assert!(said.out.contains("Best confirmed, in cycles per block"), "{}", said.out);
    let listed = place.run(&["wisdom", "list", "--json"]).out;
    let runs: Vec<serde_json::Value> = listed
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .filter(|o: &serde_json::Value| o["kind"] == "run")
        .collect();
    // The third run has the limit that no variant meets.
    assert_eq!(runs.len(), 3, "{listed}");
    assert!(runs.iter().all(|r| r["state"] == "finished" && r["unit"] == "cycles per block"), "{listed}");
    // The latest run is listed first.
    let samples: Vec<u64> = runs.iter().rev().map(|r| r["samples"].as_u64().unwrap()).collect();
    assert!(samples[0] >= first["tried"].as_u64().unwrap() && samples[1..] == [0, 0], "{samples:?}");
    assert_eq!(place.run(&["wisdom", "export", "-o", "wisdom.jsonl"]).code, 0);
    let elsewhere = ["--wisdom", "other.sqlite"];
    let brought = place.json(&[&elsewhere[..], &["wisdom", "import", "wisdom.jsonl", "--json"]].concat());
    assert_eq!(brought["samples"].as_u64(), Some(samples[0]));
    let third = place.json(&[&elsewhere[..], &tune[..], &["--force"]].concat());
    assert_eq!((&third["tried"], &third["winners"][0]["known"]), (&0.into(), &true.into()));
    let said = place.run(&["explain", "aes128-ecb", "--processor", "arm7tdmi"]);
    assert!(said.code == 0 && said.out.contains("the best confirmed"), "{} {}", said.out, said.err);
}

/// Regression: `tune --constant-time` on a Cortex-M4 wrote no package, said so on stderr and exited with 0.
#[test]
fn a_restriction_is_kept_or_the_run_ends_with_a_sentence() {
    let place = Place::new("restricted-processors");
    let small = ["aes128-ecb", "--processor", "arm7tdmi", "--objective", "code"];
    let tune = |more: &[&str]| {
        let mut arguments = vec!["tune"];
        arguments.extend(small);
        arguments.extend(["--effort", "estimate", "-o", "out"]);
        arguments.extend(more);
        place.run(&arguments)
    };
    let first = tune(&["--json"]);
    assert_eq!(first.code, 0, "{}", first.err);
    let object: serde_json::Value = serde_json::from_str(&first.out).unwrap();
    let flash = object["winners"][0]["certificate"]["cost"]["flash"].as_u64().unwrap().to_string();
    std::fs::remove_dir_all(place.path("out")).unwrap();
    // The kernel meets the limit, but its package with the key schedule does not.
    let said = tune(&["--max-flash", &flash]);
    assert!(
        said.code == 1 && said.err.contains("the nearest package with its key schedules"),
        "{}",
        said.err
    );
    assert!(said.err.contains("comes nearer") && said.out.contains("without a package"), "{}", said.err);
    assert!(place.path("out/report.html").is_file() && !place.path("out/Makefile").exists());
    let mut emit = vec!["emit"];
    emit.extend(small);
    emit.extend(["--as", "package", "-o", "emitted", "--max-flash", &flash]);
    let said = place.run(&emit);
    assert!(
        said.code == 1 && said.err.contains("the nearest package with its key schedules"),
        "{}",
        said.err
    );
    assert!(!place.path("emitted").exists());
    // The C form looks up tables, and so does any kernel of this size on a Cortex-M0.
    let with = |processor: &str, more: &[&str]| {
        let mut arguments = vec!["emit", "aes128-ecb", "--processor", processor, "-o", "constant"];
        arguments.extend(more);
        place.run(&arguments)
    };
    let said = with("arm7tdmi", &["--as", "c", "--constant-time"]);
    assert!(said.code == 2 && said.err.contains("looks tables up"), "{}", said.err);
    let said = with("cortex-m0", &["--as", "asm", "--constant-time", "--max-flash", "2k"]);
    assert!(said.code == 1 && said.err.contains("no look-up at a secret address"), "{}", said.err);
    assert!(!place.path("constant").exists());
    let said = with("arm7tdmi", &["--as", "asm", "--constant-time"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for name in ["encrypt", "expand"] {
        let file = place.path(format!("constant/aesmith_aes128_{name}.certificate.json"));
        let certificate: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!(certificate["class"], "CT", "{name}");
    }
}

#[test]
fn a_branch_on_secrets_is_handed_out_only_where_that_is_allowed_and_under_its_name() {
    let place = Place::new("branch-processors");
    let text = "aes128-ecb processor=avr doubling=branch rounds=looped";
    std::fs::write(place.path("variant.txt"), text).unwrap();
    let emit = |more: &[&str]| {
        let mut arguments = vec!["emit", "aes128-ecb", "--processor", "avr", "--as", "asm", "-o", "out"];
        arguments.extend(["--variant", "variant.txt"]);
        arguments.extend(more);
        place.run(&arguments)
    };
    let said = emit(&[]);
    assert!(said.code == 2 && said.err.contains("--allow-variable-time"), "{}", said.err);
    let said = emit(&["--allow-variable-time"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let assembly = std::fs::read_to_string(place.path("out/aesmith_aes128_encrypt_vt.S")).unwrap();
    assert!(assembly.contains("VARIABLE TIME") && assembly.contains("the branch of"), "{assembly}");
    let certificate =
        std::fs::read_to_string(place.path("out/aesmith_aes128_encrypt_vt.certificate.json")).unwrap();
    assert!(certificate.contains("\"class\": \"VT\""), "{certificate}");
}

/// Without a linker the limit includes the maximum fill before tables of 256 bytes.
#[test]
fn without_a_linker_the_most_that_one_fills_up_is_counted() {
    let place = Place::new("no-linker");
    let emit = |more: &[&str]| -> support::Said {
        let words = [&["emit", "aes128-ecb", "--processor", "avr", "--as", "package", "-o"], more].concat();
        place.command(&words).env("PATH", "/nonexistent").output().unwrap().into()
    };
    let taken = |said: &str| -> u64 {
        let number = said.split("take ").nth(1).and_then(|rest| rest.split(' ').next());
        number.unwrap_or_else(|| panic!("{said}")).parse().unwrap()
    };
    let plain = taken(&emit(&["plain"]).err);
    let object: serde_json::Value = serde_json::from_str(&emit(&["most", "--json"]).out).unwrap();
    assert_eq!(object["sizes"]["by"], "model");
    let most = object["sizes"]["flash"].as_u64().unwrap();
    assert!(most >= plain + 255, "{plain} bytes, and {most} with what is filled up");
    let limited = emit(&["limited", "--max-flash", &most.to_string()]);
    assert_eq!((limited.code, taken(&limited.err)), (0, most), "{}", limited.err);
    // With a limit one byte lower there is a smaller package or none; the sizes include the fill.
    let limited = emit(&["less", "--max-flash", &(most - 1).to_string()]);
    match limited.code {
        0 => assert!(taken(&limited.err) < most, "{}", limited.err),
        _ => assert!(limited.err.contains("the most that a linker fills up"), "{}", limited.err),
    }
}

/// C that chooses the key size is part of the program, and so of its sizes and limits.
#[test]
fn a_package_is_counted_as_its_processors_linker_puts_it() {
    let place = Place::new("linked-processors");
    let emit = ["emit", "aes128-ecb", "--processor", "avr", "--as", "package", "--keys", "all", "-o"];
    let object = place.json(&[&emit[..], &["out", "--json"]].concat());
    let of = |value: &serde_json::Value, what: &str| value[what].as_u64().unwrap();
    let (sizes, parts) = (&object["sizes"], object["parts"].as_array().unwrap());
    assert_eq!(parts.len(), 6, "{parts:?}");
    let sum: u64 = parts.iter().map(|part| of(part, "flash")).sum();
    let deepest = parts.iter().map(|part| of(part, "stack")).max().unwrap();
    assert_eq!(of(sizes, "stack"), deepest);
    assert!(of(sizes, "flash") < sum, "tables are counted once");
    if std::process::Command::new("avr-gcc").arg("--version").output().is_err() {
        assert_eq!(sizes["by"], "model");
        return println!("skipped: gcc-avr is not installed");
    }
    assert_eq!(sizes["by"], "linker");
    // By the model the assembly alone meets this limit; with the C it does not.
    let limit = (of(sizes, "flash") - 1).to_string();
    let said = place.run(&[&emit[..], &["limited", "--max-flash", &limit]].concat());
    let model = place.run(&[&emit[..], &["unlimited"]].concat()).err;
    let modelled = model.split("take ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(modelled.parse::<u64>().unwrap() < of(sizes, "flash"), "{model}");
    // Then a smaller package is found, or a message says that there is none.
    match said.code {
        0 => assert!(said.err.contains("stock linker"), "{}", said.err),
        _ => assert!(said.err.contains("no package is written"), "{}", said.err),
    }
    assert!(!said.err.contains(&format!("take {} bytes", of(sizes, "flash"))), "{}", said.err);
}
