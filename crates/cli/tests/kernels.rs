//! Kernels through the command: emitted, built, proved again; edited and refused; tuned and interrupted, with all
//! samples kept.

use crate::support;
use crate::support::Place;
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A given variant, so that the output does not depend on this machine's stored results.
const VARIANT: &str = "# a comment\n\naes128-ctr width=xmm keys=0x07ff interleave=4\n";

fn emitted(name: &str, form: &str, tools: &[&str]) -> Option<Place> {
    if !support::has_aes() || !support::has(tools) {
        return None;
    }
    let place = Place::new(name);
    place.write("my.variant", VARIANT);
    let said = place.json(&format!("emit aes128-ctr --as {form} -o out --variant my.variant --json"));
    assert_eq!(said["problem"], "aes128-ctr");
    for file in said["files"].as_array().unwrap() {
        assert!(place.path(file.as_str().unwrap()).is_file(), "{file}");
    }
    Some(place)
}

#[test]
fn assembly_is_proved_again() {
    let Some(place) = emitted("asm", "asm", &["as"]) else { return };
    place
        .ok("verify out/aesmith_aes128_ctr.S out/aesmith_aes128_ctr.certificate.json")
        .says("proved E3 to be aes128-ctr")
        .says("says the same");
    let functions = place.run("verify --json out/aesmith_aes128_ctr.S").objects();
    assert!(functions.len() >= 2, "kernel and key schedule");
    assert!(functions.iter().all(|f| f["holds"] == true && f["level"] == "E3"), "{functions:?}");
}

#[test]
fn edited_code_is_refused() {
    let Some(place) = emitted("edited", "asm", &["as"]) else { return };
    let source = place.read("out/aesmith_aes128_ctr.S");
    // A round of decryption within encryption; a changed byte of the constants; a nop, which computes the same but has
    // other bytes than the certificate's.
    let decrypts = source.replacen("vaesenc ", "vaesdec ", 1);
    let mut lines: Vec<&str> = source.lines().collect();
    let pool = lines.iter().position(|l| l.ends_with("_constant:")).expect("there are constants");
    let pool = pool + lines[pool..].iter().position(|l| l.trim_start().starts_with(".byte")).unwrap();
    let changed = lines[pool].replacen("0x0f", "0x0e", 1);
    assert_ne!(changed, lines[pool]);
    lines[pool] = &changed;
    let constants = lines.join("\n") + "\n";
    // Behind a function a line holds its length: an assembler refuses more bytes.
    let ends = source.lines().filter(|line| !line.starts_with("\t.org ")).map(|line| format!("{line}\n"));
    let longer = ends.collect::<String>().replacen("\n\tret", "\n\tnop\n\tret", 1);
    for (edited, wanted) in [(&decrypts, "NOT PROVED"), (&constants, "NOT PROVED"), (&longer, "DIFFERS")] {
        assert_ne!(*edited, source);
        place.write("out/aesmith_aes128_ctr.S", edited);
        for file in ["out/aesmith_aes128_ctr.S", "out/aesmith_aes128_ctr.certificate.json"] {
            place.ends(&format!("verify {file}"), 3).says(wanted).says("SHA-256");
        }
    }
}

#[test]
fn edited_objects_are_refused() {
    let Some(place) = emitted("object", "asm", &["as"]) else { return };
    place.shell("as -o out/k.o out/aesmith_aes128_ctr.S", &[]).ended(0);
    place.ok("verify out/k.o");
    let object = fs::read(place.path("out/k.o")).unwrap();
    // The text section comes first after the header: one bit is changed in each of some of its bytes.
    let mut refused = 0;
    for at in (0x40..0x240).step_by(61) {
        let mut edited = object.clone();
        edited[at] ^= 1;
        place.write("out/k.o", edited);
        let said = place.ends("verify out/k.o", 3);
        let other = said.out.contains("the kernel's bytes have SHA-256");
        // An edit may also create a relocation, so that the bytes are not final.
        let none = said.out.contains("NOT PROVED\n") && said.out.contains("the function has none");
        assert!(other || none, "bit 0 of byte {at:#x}: {}", said.out);
        refused += 1;
    }
    assert!(refused >= 8);
    for content in [&b""[..], b"no object", &object[..100]] {
        place.write("out/k.o", content);
        place.refused("verify out/k.o", 3, "out/k.o");
    }
}

#[test]
fn edited_certificates_are_refused() {
    let Some(place) = emitted("certificate", "asm", &["as"]) else { return };
    let file = "out/aesmith_aes128_ctr.certificate.json";
    let (text, certificate) = (place.read(file), place.read_json(file));
    for (field, value) in [
        ("level", Value::from("E9")),
        ("constant_time", "CT9".into()),
        ("problem", "aes256-ctr".into()),
        ("sha256", "0".repeat(64).into()),
        ("bytes", 1.into()),
        ("wiped", (!certificate["wiped"].as_bool().unwrap()).into()),
        ("assumptions", Value::Array(vec![])),
    ] {
        let mut edited = certificate.clone();
        edited[field] = value;
        place.write(file, edited.to_string());
        for verified in [file, "out/aesmith_aes128_ctr.S"] {
            let said = place.ends(&format!("verify {verified}"), 3).says("DIFFERS");
            let named = said.out.contains(&format!("`{field}`"));
            let of_bytes =
                ["sha256", "bytes"].contains(&field) && said.out.contains("the certificate is over");
            let of_problem = field == "problem" && said.out.contains("the certificate is of aes256-ctr");
            assert!(named || of_bytes || of_problem, "{field}: {}", said.out);
        }
    }
    place.write(file, "{");
    place.refused(&format!("verify {file}"), 3, "is no certificate");
    fs::remove_file(place.path("out/aesmith_aes128_ctr.S")).unwrap();
    place.write(file, text);
    place.refused(&format!("verify {file}"), 3, "nothing to verify");
}

#[test]
fn packages_build_as_the_readme_says() {
    let Some(place) = emitted("package", "package", &["make", "cc"]) else { return };
    let app = "#include <stdio.h>\n#include \"aesmith_aes128_ctr.h\"\n\
        int main(void) {\n  aesmith_aes128_ctr_key key; uint8_t k[16] = {0}, iv[16] = {0}, text[5] = {0};\n\
        if (!aesmith_aes128_ctr_supported()) return 77;\n\
        aesmith_aes128_ctr_init(&key, k); aesmith_aes128_ctr(&key, iv, text, text, 5);\n\
        aesmith_aes128_ctr_wipe(&key); printf(\"%02x %02x %s\\n\", text[0], iv[15], aesmith_aes128_ctr_kernel());\n\
        return 0;\n}\n";
    place.write("out/app.c", app);
    let said = place.shell("cd out && make -s && cc app.c -I. -L. -laesmith_aes128_ctr -o app && ./app", &[]);
    // AES-128 of the zero block under the zero key begins with 66 (SP 800-38A's authors' test vectors, ECB variable
    // text 0); five bytes consume one counter value.
    assert!(said.ended(0).out.starts_with("66 01 "));
    place.ok("verify out/aesmith_aes128_ctr.o");
}

/// A run with a small space.
const TUNE: &str = "tune aes128-ctr --size 2KiB --width xmm --json -o out";

#[test]
fn a_run_ends_with_one_object() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("tune");
    let json = place.json(&format!("{TUNE} --trials 60 --seed 3"));
    for field in [
        "problem",
        "variants_tried",
        "seconds",
        "variants_per_second",
        "baseline_cycles_per_byte",
        "best_cycles_per_byte",
        "bound_cycles_per_byte",
        "certificate_level",
        "kernel",
        "report",
    ] {
        assert!(!json[field].is_null(), "{field}: {json}");
    }
    assert_eq!(json["certificate_level"], "E3");
    let report = place.read(json["report"].as_str().unwrap());
    assert!(report.starts_with("<!DOCTYPE html>"));
    // OpenSSL is measured once, at the run's size: the report contains the printed figure.
    if let Some(theirs) = json["openssl_cycles_per_byte"].as_f64() {
        let digits = if theirs < 1.0 { format!("{theirs:.4}") } else { format!("{theirs:.3}") };
        assert!(report.contains(&digits), "{digits}");
        // A report shows what the run measured, and measures nothing.
        place.ok("report aes128-ctr --size 2KiB --width xmm -o again.html");
        assert!(place.read("again.html").contains(&digits), "{digits}");
    }
    assert!(place.path("out/aesmith_aes128_ctr.S").is_file());
    let shown = place.ok("wisdom show aes128-ctr");
    assert!(shown.out.starts_with("aes128-ctr width="), "{}", shown.out);
    place.ok("explain aes128-ctr --size 2KiB");
}

/// The number of samples of all runs in the store.
fn samples(place: &Place) -> u64 {
    let runs = place.run("wisdom list --json").objects_of("run");
    runs.iter().map(|run| run["samples"].as_u64().unwrap()).sum()
}

/// A signal in the first moments of a command is answered by a sentence: nothing is written where it ends there. Commands that
/// first finish what they are at, which takes seconds, are tried in the soak test.
#[test]
fn a_signal_is_answered_at_once() {
    let place = Place::new("interrupt-early");
    let (aesmith, developer) = (support::aesmith(), support::aesmith_bench());
    let commands = [
        (aesmith, "emit aes128-ctr --processor spu --as package --output out"),
        (aesmith, "explain aes128-ctr --processor spu"),
        (aesmith, "isa explore smix3 --base picorv32 --out out"),
        (developer, "reproduce manley2010"),
        (aesmith, "tune aes128-ctr --output out"),
    ];
    let soak = aesmith_processor::trial::is_soak();
    for (program, command) in commands.into_iter().take(if soak { commands.len() } else { 2 }) {
        let words: Vec<&str> = command.split(' ').collect();
        let mut child = place.command_of(program, &words);
        let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The handler is there from the program's first moments on: bit 1 of the signals that are caught.
        let status = format!("/proc/{}/status", child.id());
        let catches = || {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:\t"));
            caught.and_then(|bits| u64::from_str_radix(bits, 16).ok()).is_some_and(|bits| bits >> 1 & 1 == 1)
        };
        let deadline = Instant::now() + Duration::from_secs(30);
        while !catches() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(20));
        // SAFETY: the child belongs to this process and has not been waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        let told = ["interrupted before there was a result", "stopping, and what was found is kept"];
        assert!(told.iter().any(|words| err.contains(words)), "{command}: {err}");
        assert_eq!(output.status.code(), Some(130), "{command}: {err}");
        let ended = err.contains(told[0]);
        assert!(!ended || !place.path("out").exists(), "{command} has written: {err}");
        assert!(ended || soak, "{command} went on: {err}");
        let _ = fs::remove_dir_all(place.path("out"));
    }
}

#[test]
fn an_interrupted_run_keeps_its_samples() {
    if !support::has_aes() {
        return;
    }
    for (signal, code) in [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGKILL, -1)] {
        let place = Place::new(&format!("interrupt-{signal}"));
        let child = place
            .command(&format!("{TUNE} --effort patient --time 100s"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while samples(&place) < 50 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(100));
        }
        let before = samples(&place);
        assert!(before >= 50, "no samples within a minute");
        // SAFETY: the child belongs to this process and has not been waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(samples(&place) >= before, "signal {signal}: {err}");
        if code < 0 {
            continue;
        }
        assert_eq!(output.status.code(), Some(code), "{err}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect(&err);
        assert_eq!(json["interrupted"], true);
        assert!(json["best_cycles_per_byte"].as_f64().unwrap() > 0.0);
        assert!(fs::metadata(place.path("out/aesmith_aes128_ctr.S")).is_ok(), "{err}");
    }
}
