//! Kernels through the command: emitted, built, proved again; edited and refused; tuned and interrupted, with all
//! samples kept.

mod support;

use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::Place;

/// A given variant, so that the output does not depend on this machine's stored results.
const VARIANT: &str = "# a comment\n\naes128-ctr width=xmm keys=0x07ff interleave=4\n";

fn emitted(name: &str, form: &str) -> Option<Place> {
    if !support::has_aes() {
        return None;
    }
    let place = Place::new(name);
    fs::write(place.path("my.variant"), VARIANT).unwrap();
    let said =
        place.json(&["emit", "aes128-ctr", "--as", form, "-o", "out", "--variant", "my.variant", "--json"]);
    assert_eq!(said["problem"], "aes128-ctr");
    for file in said["files"].as_array().unwrap() {
        assert!(place.path(file.as_str().unwrap()).is_file(), "{file}");
    }
    Some(place)
}

fn there_is(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        println!("skipped: there is no {program}");
    }
    there
}

#[test]
fn assembly_is_proved_again() {
    let Some(place) = emitted("asm", "asm") else { return };
    if !there_is("as") {
        return;
    }
    let said = place.run(&["verify", "out/aesmith_aes128_ctr.S", "out/aesmith_aes128_ctr.certificate.json"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(
        said.out.contains("proved E3 to be aes128-ctr") && said.out.contains("says the same"),
        "{}",
        said.out
    );
    let json = place.run(&["verify", "--json", "out/aesmith_aes128_ctr.S"]);
    let functions: Vec<Value> = json.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(functions.len() >= 2, "kernel and key schedule");
    assert!(functions.iter().all(|f| f["holds"] == true && f["level"] == "E3"), "{}", json.out);
}

#[test]
fn edited_code_is_refused() {
    let Some(place) = emitted("edited", "asm") else { return };
    if !there_is("as") {
        return;
    }
    let source = fs::read_to_string(place.path("out/aesmith_aes128_ctr.S")).unwrap();
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
    let longer = source.replacen("\n\tret", "\n\tnop\n\tret", 1);
    for (edited, wanted) in [(&decrypts, "NOT PROVED"), (&constants, "NOT PROVED"), (&longer, "DIFFERS")] {
        assert_ne!(*edited, source);
        fs::write(place.path("out/aesmith_aes128_ctr.S"), edited).unwrap();
        for file in ["out/aesmith_aes128_ctr.S", "out/aesmith_aes128_ctr.certificate.json"] {
            let said = place.run(&["verify", file]);
            assert_eq!(said.code, 3, "{}{}", said.out, said.err);
            assert!(said.out.contains(wanted) && said.out.contains("SHA-256"), "{wanted}: {}", said.out);
        }
    }
}

#[test]
fn edited_objects_are_refused() {
    let Some(place) = emitted("object", "asm") else { return };
    if !there_is("as") {
        return;
    }
    let built = Command::new("as")
        .args(["-o", "out/k.o", "out/aesmith_aes128_ctr.S"])
        .current_dir(place.path(""))
        .status();
    assert!(built.unwrap().success());
    assert_eq!(place.run(&["verify", "out/k.o"]).code, 0);
    let object = fs::read(place.path("out/k.o")).unwrap();
    // The text section comes first after the header: one bit is changed in each of some of its bytes.
    let mut refused = 0;
    for at in (0x40..0x240).step_by(61) {
        let mut edited = object.clone();
        edited[at] ^= 1;
        fs::write(place.path("out/k.o"), edited).unwrap();
        let said = place.run(&["verify", "out/k.o"]);
        assert_eq!(said.code, 3, "bit 0 of byte {at:#x}: {}{}", said.out, said.err);
        let other = said.out.contains("the kernel's bytes have SHA-256");
        // An edit may also create a relocation, so that the bytes are not final.
        let none = said.out.contains("NOT PROVED\n") && said.out.contains("the function has none");
        assert!(other || none, "bit 0 of byte {at:#x}: {}", said.out);
        refused += 1;
    }
    assert!(refused >= 8);
    for content in [&b""[..], b"no object", &object[..100]] {
        fs::write(place.path("out/k.o"), content).unwrap();
        let said = place.run(&["verify", "out/k.o"]);
        assert!(said.code == 3 && said.err.contains("out/k.o"), "{} {}", said.code, said.err);
    }
}

#[test]
fn edited_certificates_are_refused() {
    let Some(place) = emitted("certificate", "asm") else { return };
    if !there_is("as") {
        return;
    }
    let file = "out/aesmith_aes128_ctr.certificate.json";
    let text = fs::read_to_string(place.path(file)).unwrap();
    let certificate: Value = serde_json::from_str(&text).unwrap();
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
        fs::write(place.path(file), edited.to_string()).unwrap();
        for verified in [file, "out/aesmith_aes128_ctr.S"] {
            let said = place.run(&["verify", verified]);
            assert_eq!(said.code, 3, "{field}: {}{}", said.out, said.err);
            assert!(said.out.contains("DIFFERS"), "{field}: {}", said.out);
            let named = said.out.contains(&format!("`{field}`"));
            let of_bytes = ["sha256", "bytes"].contains(&field);
            assert!(
                named || (of_bytes && said.out.contains("the certificate is over")),
                "{field}: {}",
                said.out
            );
        }
    }
    fs::write(place.path(file), "{").unwrap();
    let said = place.run(&["verify", file]);
    assert!(said.code == 3 && said.err.contains("is no certificate"), "{}", said.err);
    fs::remove_file(place.path("out/aesmith_aes128_ctr.S")).unwrap();
    fs::write(place.path(file), text).unwrap();
    let said = place.run(&["verify", file]);
    assert!(said.code == 3 && said.err.contains("nothing to verify"), "{}", said.err);
}

#[test]
fn packages_build_as_the_readme_says() {
    let Some(place) = emitted("package", "package") else { return };
    if !there_is("make") || !there_is("cc") {
        return;
    }
    let app = "#include <stdio.h>\n#include \"aesmith_aes128_ctr.h\"\n\
        int main(void) {\n  aesmith_aes128_ctr_key key; uint8_t k[16] = {0}, iv[16] = {0}, text[5] = {0};\n\
        if (!aesmith_aes128_ctr_supported()) return 77;\n\
        aesmith_aes128_ctr_init(&key, k); aesmith_aes128_ctr(&key, iv, text, text, 5);\n\
        aesmith_aes128_ctr_wipe(&key); printf(\"%02x %02x %s\\n\", text[0], iv[15], aesmith_aes128_ctr_kernel());\n\
        return 0;\n}\n";
    fs::write(place.path("out/app.c"), app).unwrap();
    let said = place.shell("cd out && make -s && cc app.c -I. -L. -laesmith_aes128_ctr -o app && ./app", &[]);
    // AES-128 of the zero block under the zero key begins with 66 (SP 800-38A's authors' test vectors, ECB variable
    // text 0); five bytes consume one counter value.
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("66 01 "), "{}", said.out);
    assert_eq!(place.run(&["verify", "out/aesmith_aes128_ctr.o"]).code, 0);
}

fn small(place: &Place, more: &[&str]) -> Command {
    let mut arguments = vec!["tune", "aes128-ctr", "--size", "2KiB", "--width", "xmm", "--json", "-o", "out"];
    arguments.extend(more);
    place.command(&arguments)
}

#[test]
fn a_run_ends_with_one_object() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("tune");
    let output = small(&place, &["--trials", "60", "--seed", "3"]).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{err}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
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
    let report = fs::read_to_string(place.path(json["report"].as_str().unwrap())).unwrap();
    assert!(report.starts_with("<!DOCTYPE html>"));
    // OpenSSL is measured once, at the run's size: the report contains the printed figure.
    if let Some(theirs) = json["openssl_cycles_per_byte"].as_f64() {
        let digits = if theirs < 1.0 { format!("{theirs:.4}") } else { format!("{theirs:.3}") };
        assert!(report.contains(&digits), "{digits}");
    }
    assert!(place.path("out/aesmith_aes128_ctr.S").is_file());
    let shown = place.run(&["wisdom", "show", "aes128-ctr"]);
    assert!(shown.code == 0 && shown.out.starts_with("aes128-ctr width="), "{}", shown.out);
    assert_eq!(place.run(&["explain", "aes128-ctr", "--size", "2KiB"]).code, 0);
}

/// The number of samples of all runs in the store.
fn samples(place: &Place) -> u64 {
    let list = place.run(&["wisdom", "list", "--json"]);
    let lines = list.out.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    lines.filter(|l| l["kind"] == "run").map(|l| l["samples"].as_u64().unwrap()).sum()
}

#[test]
fn an_interrupted_run_keeps_its_samples() {
    if !support::has_aes() {
        return;
    }
    for (signal, code) in [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGKILL, -1)] {
        let place = Place::new(&format!("interrupt-{signal}"));
        let child = small(&place, &["--effort", "patient", "--time", "100s"])
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
        let json: Value = serde_json::from_slice(&output.stdout).expect(&err);
        assert_eq!(json["interrupted"], true);
        assert!(json["best_cycles_per_byte"].as_f64().unwrap() > 0.0);
        assert!(fs::metadata(place.path("out/aesmith_aes128_ctr.S")).is_ok(), "{err}");
    }
}
