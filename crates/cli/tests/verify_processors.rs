//! `aesmith verify` proves the output of `aesmith emit --processor`: assembly, objects, archives and whole packages,
//! and refuses changed files.

use crate::support::Place;
use std::fs;

/// A processor of each machine, a choice that keeps the number of built kernels far below hundreds, and the compiler of
/// its packages.
const EVERY: [(&str, &str, &str); 8] = [
    ("avr", "rounds=looped", "avr-gcc"),
    ("cortex-m3", "rounds=unrolled", "arm-none-eabi-gcc"),
    ("arm7tdmi", "rounds=looped", "arm-none-eabi-gcc"),
    ("rv32imc", "rounds=looped", "riscv64-unknown-elf-gcc"),
    ("microblaze-5", "rounds=looped", "microblazeel-elf-gcc"),
    ("ppc7410", "technique=table", "powerpc-linux-gnu-gcc"),
    ("ultrasparc3", "words=plain", "sparc64-linux-gnu-gcc"),
    ("pentium4", "bytes=registers", "i686-linux-gnu-gcc"),
];

/// True if a message says that tools are missing.
fn missing_tools(said: &str) -> bool {
    said.contains("cannot be run")
}

fn emitted(place: &Place, processor: &str, only: &str) -> String {
    let package = format!("emit aes128-ecb --processor {processor} --as package -o {processor}");
    place.ok(&format!("{package} --allow-variable-time --only {only}"));
    place.symbol(&format!("{processor}/src"), "aesmith_aes128_encrypt")
}

#[test]
fn packages_for_every_machine_are_proved_whole() {
    let place = Place::new("verify-packages");
    for (processor, only, compiler) in EVERY {
        let symbol = emitted(&place, processor, only);
        let said = place.run(&format!("verify {processor}"));
        if missing_tools(&said.err) {
            println!("skipped: {}", said.err);
            continue;
        }
        assert_eq!(said.code, 0, "{processor}: {}{}", said.out, said.err);
        assert!(said.out.matches("says the same").count() >= 2, "{processor}: {}", said.out);
        let certificate = format!("{processor}/certificates/{symbol}.certificate.json");
        let object = place.json(&format!("verify {certificate} --json"));
        assert_eq!(object["holds"], true, "{object}");
        assert_eq!(object["processor"], processor);
        assert_eq!(object["level"], "proved");
        let stated: serde_json::Value =
            serde_json::from_slice(&fs::read(place.path(&certificate)).unwrap()).unwrap();
        assert_eq!((&object["sha256"], &object["constant_time"]), (&stated["sha256"], &stated["class"]));
        // The archive that make builds, and its object.
        if place.shell(&format!("command -v {compiler} && make -C {processor}"), &[]).code != 0 {
            println!("skipped: {compiler} is not installed");
            continue;
        }
        let archive = place.shell(&format!("ls {processor}/*.a"), &[]).out;
        place.ok(&["verify", archive.trim()]).says(&format!("({symbol}.o): {symbol}"));
    }
}

#[test]
fn what_was_changed_is_refused() {
    let place = Place::new("verify-changed");
    let symbol = emitted(&place, "avr", "rounds=looped");
    let source = format!("avr/src/{symbol}.S");
    let said = place.run(&format!("verify {source}"));
    if missing_tools(&said.err) {
        return println!("skipped: {}", said.err);
    }
    assert_eq!(said.code, 0, "{}", said.err);
    let text = place.read(&source);
    let refused = |changed: &str, arguments: &[&str], why: &str| {
        assert_ne!(changed, "");
        place.write(&source, changed);
        let said = place.run(&[&["verify"], arguments].concat());
        assert!(said.code == 3, "{why}: {} {}{}", said.code, said.out, said.err);
        assert!(said.all().contains(why), "{why}: {}{}", said.out, said.err);
        place.write(&source, &text);
    };
    let one = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        changed
    };
    // Changes of an instruction, a byte of the S-box, the target of a call, and the symbol's binding.
    refused(&one("    eor ", "    or "), &[&source], "NOT PROVED");
    refused(&one("0x63,0x7c", "0x63,0x7d"), &[&source], "is not the table that its name says");
    // Code stands before the notes at the end, whose condition is free only behind all code.
    let with = |code: &str| one("#if defined(__linux__)", &format!("{code}#if defined(__linux__)"));
    let relocated = with(&format!("    .section .text.{symbol}\n    call elsewhere\n"));
    refused(&relocated, &[&source], "what another object has is not proved with it");
    refused(&one("    .global", "    .weak"), &[&source], "is weak");
    // Assembly for another processor is empty on this one.
    refused(&text, &[&source, "--processor", "cortex-m3"], "nothing to verify");
    // The function has another name, while the package still has its certificate.
    refused(
        &text.replace(&symbol, "aesmith_aes192_encrypt"),
        &["avr"],
        "is not in this file, and the certificate",
    );
    // The certificate belongs to another kernel.
    let certificates = "avr/certificates";
    let own = format!("{certificates}/{symbol}.certificate.json");
    let stated = place.read(&own);
    let schedule = fs::read_dir(place.path(certificates)).unwrap().map(|e| e.unwrap().path());
    let schedule = schedule.into_iter().find(|p| p.display().to_string().contains("expand")).unwrap();
    let of_schedule = fs::read_to_string(schedule).unwrap();
    for (field, why) in
        [("\"also\": \"safe\",", "unknown field"), ("\"level\": \"proved\",", "duplicate field")]
    {
        place.write(&own, stated.replacen('{', &format!("{{{field}"), 1));
        refused(&text, &[&source], why);
    }
    place.write(&own, of_schedule);
    refused(&text, &[&source], "the certificate is of aes128-key");
    place.write(&own, stated.replace("\"class\": \"CT\"", "\"class\": \"VT\""));
    refused(&text, &[&source], "`class` is \"VT\" in the certificate");
    place.write(&own, stated);
    // Code beside the kernel does no harm, and is named.
    let beside = with(
        "#if 1\n    .section .text.other, \"ax\", @progbits\n    .global other\n    .type other, @function\nother:\n    ret\n    .size other, .-other\n#endif\n",
    );
    place.write(&source, beside);
    let said = place.run(&format!("verify {source}"));
    assert!(
        said.code == 0 && said.out.contains("nothing is proved of") && said.out.contains("other"),
        "{}",
        said.out
    );
}

/// The function on a block in registers is proved if its certificate says that it exists; otherwise it is listed as not
/// proved, or as different.
#[test]
fn functions_on_blocks_in_registers_are_verified_where_they_are() {
    let place = Place::new("verify-registers");
    place.ok("emit aes128-ecb --processor avr --as asm --only convention=registers -o block");
    let symbol = "aesmith_aes128_encrypt";
    let source = format!("block/{symbol}.S");
    let text = place.read(&source);
    let said = place.run(&format!("verify {source}"));
    if missing_tools(&said.err) {
        return println!("skipped: {}", said.err);
    }
    let inner = format!("{symbol}_registers");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains(&format!("in registers, {inner}")), "{}", said.out);
    assert!(!said.out.contains("nothing is proved of"), "{}", said.out);
    // The symbol is one instruction further on, or missing: the code is the same.
    let label = format!("{inner}:\n");
    let own = text.replace(&format!("rcall {inner}"), "rcall 1f");
    let (before, behind) = own.split_once(&label).unwrap();
    let (first, rest) = behind.split_once('\n').unwrap();
    let moved = format!("{before}1:\n{first}\n{label}{rest}");
    for changed in [moved, text.replace(&inner, "elsewhere")] {
        place.write(&source, changed);
        let said = place.run(&format!("verify {source}"));
        assert!(said.code == 3 && said.out.contains("`in_registers` is"), "{}{}", said.out, said.err);
    }
}

#[test]
fn instructions_are_counted_on_every_machine() {
    let place = Place::new("count-processors");
    for (processor, ..) in EVERY {
        let object = place.json(&format!("count aes128-ecb --processor {processor} --json"));
        assert!(object["steady"]["loads"].as_f64().unwrap() >= 4.0, "{object}");
        let said = place.ok(&format!("count aes128-ecb --processor {processor} --as b-s"));
        assert!(said.out.contains("integer") && !said.out.contains("shuffles"), "{}", said.out);
    }
}
