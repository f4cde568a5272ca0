//! The commands for processors other than this machine, for a user.

use crate::support;
use crate::support::Place;

#[test]
fn processors_and_their_judges_are_listed() {
    let place = Place::new("processors");
    let all = place.ok("processors --json").objects();
    let avr = all.iter().find(|p| p["processor"] == "avr").unwrap();
    assert_eq!(avr["data_cache"], false);
    let needs = avr["judges"][0]["needs"].as_array().unwrap();
    assert!(needs.iter().any(|n| n == "libsimavr-dev"));
    assert!(place.run("doctor").out.contains("libsimavr-dev"));
    let cycles = |name: &str| {
        let found = all.iter().find(|p| p["processor"] == name).unwrap();
        found["judges"][0]["cycles"].as_str().unwrap().to_owned()
    };
    assert_eq!([cycles("avr"), cycles("cortex-m4"), cycles("x86-64")], ["exact", "none", "measured"]);
}

#[test]
fn this_machines_processor_has_a_name_like_any_other() {
    let place = Place::new("by-name");
    let free = place.ok("space aes128-ctr --json");
    assert_eq!(free.out, place.ok("space aes128-ctr --json --processor x86-64").out);
    for (option, value) in
        [("--max-ram", "0"), ("--objective", "code"), ("--keys", "all"), ("--schedule", "fly")]
    {
        let emit = format!("emit aes128-ctr --as asm -o x --processor x86-64 {option} {value}");
        place.refused(&emit, 2, &format!("leave {option} out"));
    }
    assert!(!place.path("x").exists());
    place.refused("space aes128-ctr --processor x86_64", 2, "did you mean x86-64");
    place.refused("judge a.elf --processor x86-64 --symbol f", 2, "measured where the program runs");
}

/// A chip stands for its core, and a sentence says so.
#[test]
fn chips_stand_for_their_cores() {
    let place = Place::new("by-chip");
    let core = place.ok("space aes128-ecb --json --processor avr");
    let chip = place.ok("space aes128-ecb --json --processor ATmega328P");
    assert_eq!(core.out, chip.out);
    assert!(chip.err.contains("ATmega328P has the core avr"), "{}", chip.err);
    place.refused("space aes128-ecb --processor attiny10", 2, "a core that no processor here is");
    place.refused("space aes128-ecb --processor attiny85", 2, "lacks some instructions of the core `avr`");
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
    place.write("program.o", program());
    let judge = |more: &str| place.run(&format!("judge --processor arm7tdmi {more}"));
    judge("program.o --symbol copy").ended(1).warns("link it first");
    judge("absent.elf --symbol copy").ended(1).warns("absent.elf cannot be read");
    let own = format!("'{}' --symbol main", support::aesmith());
    judge(&own).ended(1).warns("for x86-64, not for 32-bit ARM");
    let linked = place.shell("arm-none-eabi-ld -Ttext=0x10000 -e copy -o program.elf program.o", &[]);
    if linked.code != 0 {
        return println!("skipped: binutils-arm-none-eabi is not installed");
    }
    judge("program.elf --symbol cpy").ended(1).warns("near it are: copy");
    judge("program.elf --symbol forever --limit 1000").ended(1).warns("runs away");
    let object = judge("program.elf --symbol copy --args zeros:3 hex:0102ff 3 --json").ended(0).object();
    assert_eq!(object["buffers"], serde_json::json!(["0102ff", "0102ff"]));
    assert_eq!(object["model"]["instructions"], 3 * 4 + 1);
    assert_eq!(object["model"]["stack"], 0);
    let touched = object["touched"].as_array().unwrap();
    assert!(touched.iter().any(|t| t["what"] == "argument 1" && t["written"] == true && t["bytes"] == 3));
    place.refused("judge --processor avr program.elf --symbol copy", 1, "for 32-bit ARM, not for AVR");
}

#[test]
fn tuned_resumed_limited_emitted_and_reported() {
    let place = Place::new("tune-processors");
    let tune = "tune aes128-ecb --processor arm7tdmi --effort estimate -o out --json";
    let first = place.json(tune);
    let winner = &first["winners"][0];
    assert_eq!(winner["certificate"]["level"], "proved");
    assert!(winner["certificate"]["cost"]["cycles"].as_f64().unwrap() <= first["baseline"].as_f64().unwrap());
    assert!(first["tried"].as_u64().unwrap() > 0);
    let second = place.json(tune);
    assert_eq!((&second["tried"], &second["winners"][0]["known"]), (&0.into(), &true.into()));
    assert_eq!(second["winners"][0]["certificate"], winner["certificate"]);
    for file in ["report.html", "Makefile", "README.md", "examples/selftest/emulated.c"] {
        assert!(place.path("out").join(file).is_file(), "{file}");
    }
    place.refused(&format!("{tune} --max-flash 100"), 1, "the nearest takes");
    place.ends("tune aes128-ecb --processor arm7tdmi --size 1KiB", 2);
    place.refused("tune aes128-ecb --processor arm7", 2, "arm7tdmi");
    let emitted = place.json("emit aes128-ecb --processor arm7tdmi --as asm -o asm --json");
    let files = emitted["files"].as_array().unwrap();
    assert!(files.iter().any(|f| f.as_str().unwrap().ends_with("aesmith_aes128_encrypt.S")));
    place.ok("report --processor arm7tdmi -o page.html");
    assert!(place.read("page.html").contains("aes128-ecb"));
    place
        .ok("wisdom list")
        .says("Variants costed by machine models")
        .says("Best confirmed, in cycles per block");
    let runs = place.run("wisdom list --json").objects_of("run");
    // The third run has the limit that no variant meets.
    assert_eq!(runs.len(), 3, "{runs:?}");
    assert!(runs.iter().all(|r| r["state"] == "finished" && r["unit"] == "cycles per block"), "{runs:?}");
    // The latest run is listed first.
    let samples: Vec<u64> = runs.iter().rev().map(|r| r["samples"].as_u64().unwrap()).collect();
    assert!(samples[0] >= first["tried"].as_u64().unwrap() && samples[1..] == [0, 0], "{samples:?}");
    place.ok("wisdom export -o wisdom.jsonl");
    let brought = place.json("--wisdom other.sqlite wisdom import wisdom.jsonl --json");
    assert_eq!(brought["samples"].as_u64(), Some(samples[0]));
    let third = place.json(&format!("--wisdom other.sqlite {tune} --force"));
    assert_eq!((&third["tried"], &third["winners"][0]["known"]), (&0.into(), &true.into()));
    place.ok("explain aes128-ecb --processor arm7tdmi").says("the best confirmed");
}

/// Regression: `tune --constant-time` on a Cortex-M4 wrote no package, said so on stderr and exited with 0.
#[test]
fn a_restriction_is_kept_or_the_run_ends_with_a_sentence() {
    let place = Place::new("restricted-processors");
    let small = "aes128-ecb --processor arm7tdmi --objective code";
    let tune = format!("tune {small} --effort estimate -o out");
    let object = place.json(&format!("{tune} --json"));
    let flash = object["winners"][0]["certificate"]["cost"]["flash"].as_u64().unwrap().to_string();
    std::fs::remove_dir_all(place.path("out")).unwrap();
    // The kernel meets the limit, but its package with the key schedule does not.
    let nearest = "the nearest package with its key schedules";
    place
        .refused(&format!("{tune} --max-flash {flash}"), 1, nearest)
        .warns("comes nearer")
        .says("without a package");
    assert!(place.path("out/report.html").is_file() && !place.path("out/Makefile").exists());
    place.refused(&format!("emit {small} --as package -o emitted --max-flash {flash}"), 1, nearest);
    assert!(!place.path("emitted").exists());
    // The C form looks up tables, and so does any kernel of this size on a Cortex-M0.
    let emit = "emit aes128-ecb -o constant --constant-time --processor";
    place.refused(&format!("{emit} arm7tdmi --as c"), 2, "looks tables up");
    place.refused(&format!("{emit} cortex-m0 --as asm --max-flash 2k"), 1, "no look-up at a secret address");
    assert!(!place.path("constant").exists());
    place.ok(&format!("{emit} arm7tdmi --as asm"));
    for name in ["encrypt", "expand"] {
        let certificate = place.read_json(format!("constant/aesmith_aes128_{name}.certificate.json"));
        assert_eq!(certificate["class"], "CT", "{name}");
    }
}

#[test]
fn a_branch_on_secrets_is_delivered_only_where_that_is_allowed_and_under_its_name() {
    let place = Place::new("branch-processors");
    let text = "aes128-ecb processor=avr doubling=branch rounds=looped";
    place.write("variant.txt", text);
    let emit = "emit aes128-ecb --processor avr --as asm -o out --variant variant.txt";
    place.refused(emit, 2, "--allow-variable-time");
    place.ok(&format!("{emit} --allow-variable-time"));
    let assembly = place.read("out/aesmith_aes128_encrypt_vt.S");
    assert!(assembly.contains("VARIABLE TIME") && assembly.contains("the branch of"), "{assembly}");
    let certificate = place.read("out/aesmith_aes128_encrypt_vt.certificate.json");
    assert!(certificate.contains("\"class\": \"VT\""), "{certificate}");
}

/// Without a linker the limit includes the maximum fill before tables of 256 bytes.
#[test]
fn without_a_linker_the_most_that_one_fills_up_is_counted() {
    let place = Place::new("no-linker");
    let emit = |more: &str| -> support::Said {
        let emit = format!("emit aes128-ecb --processor avr --as package -o {more}");
        place.command(&emit).env("PATH", "/nonexistent").output().unwrap().into()
    };
    let taken = |said: &str| -> u64 {
        let number = said.split("take ").nth(1).and_then(|rest| rest.split(' ').next());
        number.unwrap_or_else(|| panic!("{said}")).parse().unwrap()
    };
    let plain = taken(&emit("plain").err);
    let object = emit("most --json").object();
    assert_eq!(object["sizes"]["by"], "model");
    let most = object["sizes"]["flash"].as_u64().unwrap();
    assert!(most >= plain + 255, "{plain} bytes, and {most} with what is filled up");
    let limited = emit(&format!("limited --max-flash {most}"));
    assert_eq!((limited.code, taken(&limited.err)), (0, most), "{}", limited.err);
    // With a limit one byte lower there is a smaller package or none; the sizes include the fill.
    let limited = emit(&format!("less --max-flash {}", most - 1));
    match limited.code {
        0 => assert!(taken(&limited.err) < most, "{}", limited.err),
        _ => assert!(limited.err.contains("the most that a linker fills up"), "{}", limited.err),
    }
}

/// C that chooses the key size is part of the program, and so of its sizes and limits.
#[test]
fn a_package_is_counted_as_its_processors_linker_puts_it() {
    let place = Place::new("linked-processors");
    let emit = "emit aes128-ecb --processor avr --as package --keys all -o";
    let object = place.json(&format!("{emit} out --json"));
    let of = |value: &serde_json::Value, what: &str| value[what].as_u64().unwrap();
    let (sizes, parts) = (&object["sizes"], object["parts"].as_array().unwrap());
    assert_eq!(parts.len(), 6, "{parts:?}");
    let sum: u64 = parts.iter().map(|part| of(part, "flash")).sum();
    let deepest = parts.iter().map(|part| of(part, "stack")).max().unwrap();
    assert_eq!(of(sizes, "stack"), deepest);
    assert!(of(sizes, "flash") < sum, "tables are counted once");
    if !support::has(&["avr-gcc"]) {
        return assert_eq!(sizes["by"], "model");
    }
    assert_eq!(sizes["by"], "linker");
    // By the model the assembly alone meets this limit; with the C it does not.
    let limit = of(sizes, "flash") - 1;
    let said = place.run(&format!("{emit} limited --max-flash {limit}"));
    let model = place.run(&format!("{emit} unlimited")).err;
    let modelled = model.split("take ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(modelled.parse::<u64>().unwrap() < of(sizes, "flash"), "{model}");
    // Then a smaller package is found, or a message says that there is none.
    match said.code {
        0 => assert!(said.err.contains("stock linker"), "{}", said.err),
        _ => assert!(said.err.contains("no package is written"), "{}", said.err),
    }
    assert!(!said.err.contains(&format!("take {} bytes", of(sizes, "flash"))), "{}", said.err);
}
