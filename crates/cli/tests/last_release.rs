//! The wisdom, certificates and packages of the last release are read, verified and tuned on. `last_release` keeps them as
//! that release wrote them; its README says how.

use crate::support;
use crate::support::{Place, Said, has_aes};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of files that `emit` wrote, and a change of one byte of its code.
struct Emitted {
    folder: &'static str,
    code: &'static str,
    from: &'static str,
    to: &'static str,
}

const EMITTED: &[Emitted] = &[
    Emitted {
        folder: "certificates/x86-64",
        code: "aesmith_aes128_cbc_dec_vaes.S",
        from: "0x30(%rdi)",
        to: "0x20(%rdi)",
    },
    Emitted {
        folder: "certificates/avr",
        code: "aesmith_aes128_encrypt.S",
        from: "0x63,0x7c",
        to: "0x63,0x7d",
    },
    Emitted {
        folder: "certificates/gpu",
        code: "aesmith_aes128_ecb.ptx",
        from: "0xa56363c6",
        to: "0xa56363c7",
    },
    Emitted { folder: "packages/x86-64", code: "aesmith_aes128_ctr.S", from: " 8(%rsi)", to: " 9(%rsi)" },
    Emitted {
        folder: "packages/cortex-m3",
        code: "src/aesmith_aes128_encrypt.S",
        from: "ldr r2, [r1, #0]",
        to: "ldr r2, [r1, #4]",
    },
    Emitted {
        folder: "packages/gpu",
        code: "aesmith_aes128_key.ptx",
        from: "xor.b32 %r6, %r2, %r8",
        to: "xor.b32 %r6, %r3, %r8",
    },
];

/// The CPU that the wisdom is of.
const CPU: &str = "GenuineIntel/6/207/2/aes+avx+avx2+avx512bw+avx512dq+avx512f+avx512vbmi+avx512vl+bmi2+gfni+movbe+\
                   pclmulqdq+prefetchw+sse4.1+ssse3+vaes+vpclmulqdq";
/// The stand-in of a card that it is of.
const CARD: &str = "gpu/Stand-in-of-a-card/sm_86/3/13.0";

fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/last_release").join(name)
}

/// Files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    all.sort();
    all
}

/// A copy of a folder; the kept one is never written.
fn copied(place: &Place, folder: &str) -> PathBuf {
    let (from, to) = (kept(folder), place.path(folder));
    for file in files(&from) {
        let copy = to.join(file.strip_prefix(&from).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(&file, copy).unwrap();
    }
    to
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(json).collect()
}

fn of_kind<'a>(lines: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    lines.iter().filter(move |line| line["kind"] == kind)
}

fn certificate(file: &Path) -> Value {
    json(&fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display())))
}

/// The export of the old wisdom.
fn export() -> Vec<Value> {
    lines(&fs::read_to_string(kept("wisdom.jsonl")).unwrap())
}

/// A place with a copy of the old wisdom, which may be migrated.
fn with_wisdom(name: &str) -> Place {
    let place = Place::new(name);
    fs::copy(kept("wisdom.sqlite"), place.path("wisdom.sqlite")).unwrap();
    place
}

/// True if tools are missing, which a note says.
fn lacks_tools(said: &Said) -> bool {
    let lacks = said.err.contains("cannot be run");
    if lacks {
        println!("skipped: {}", said.err);
    }
    lacks
}

#[test]
fn certificates_and_packages_are_verified_and_changed_ones_are_refused() {
    let place = Place::new("last-release-verified");
    for Emitted { folder, code, from, to } in EMITTED {
        let copy = copied(&place, folder);
        let verify = |file: &Path| place.run(&["verify", file.to_str().unwrap()]);
        let whole = verify(&copy);
        if lacks_tools(&whole) {
            continue;
        }
        assert_eq!(whole.code, 0, "{folder}: {}{}", whole.out, whole.err);
        let certificates: Vec<PathBuf> = files(&copy)
            .into_iter()
            .filter(|file| file.to_str().unwrap().ends_with(".certificate.json"))
            .collect();
        assert!(!certificates.is_empty(), "{folder}");
        assert_eq!(whole.out.matches("says the same").count(), certificates.len(), "{folder}: {}", whole.out);

        // Every certificate by itself; then one hexadecimal digit of its hash is another.
        for file in &certificates {
            let said = verify(file);
            assert_eq!(said.code, 0, "{}: {}{}", file.display(), said.out, said.err);
        }
        let file = &certificates[0];
        let stated = fs::read_to_string(file).unwrap();
        let digit = stated.find("\"sha256\": \"").unwrap() + "\"sha256\": \"".len();
        let other = if stated.as_bytes()[digit] == b'0' { "1" } else { "0" };
        let changed = format!("{}{other}{}", &stated[..digit], &stated[digit + 1..]);
        fs::write(file, changed).unwrap();
        let said = verify(file);
        assert_eq!(said.code, 3, "{}: {}{}", file.display(), said.out, said.err);
        assert!(said.out.contains("SHA-256"), "{}", said.out);
        fs::write(file, stated).unwrap();

        let file = copy.join(code);
        let text = fs::read_to_string(&file).unwrap();
        let changed = text.replacen(from, to, 1);
        let differing = text.bytes().zip(changed.bytes()).filter(|(a, b)| a != b).count();
        assert_eq!((differing, text.len()), (1, changed.len()), "{folder}: `{from}`");
        fs::write(&file, changed).unwrap();
        let said = verify(&copy);
        assert_eq!(said.code, 3, "{folder}: {}{}", said.out, said.err);
        assert!(said.out.contains("NOT PROVED"), "{folder}: {}", said.out);
    }
}

/// `verify` runs no kernel: a CPU without AES and vector instructions proves kernels of them.
#[test]
fn certificates_are_verified_on_a_cpu_that_lacks_the_instructions() {
    let place = Place::new("last-release-lacking");
    let mut lesser = Command::new("qemu-x86_64");
    lesser.args(["-cpu", "qemu64", support::aesmith(), "verify"]).current_dir(place.path(""));
    lesser
        .args(EMITTED.iter().map(|emitted| kept(emitted.folder)).filter(|folder| folder.ends_with("x86-64")));
    let Ok(said) = lesser.output() else { return println!("skipped: qemu-x86_64 is not installed") };
    let said = Said::from(said);
    if lacks_tools(&said) {
        return;
    }
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("needs a CPU with aes, avx, avx512f, vaes"), "{}", said.out);
    assert_eq!(said.out.matches("says the same").count(), 4, "{}", said.out);
}

/// The lines of `wisdom list`.
fn listed(place: &Place) -> Vec<Value> {
    let said = place.run(&["wisdom", "list", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    lines(&said.out)
}

#[test]
fn wisdom_is_listed() {
    let place = with_wisdom("last-release-listed");
    let (export, listed) = (export(), listed(&place));
    let samples = |run: &Value| of_kind(&export, "sample").filter(|s| s["run"] == run["key"]).count() as u64;
    for run in of_kind(&export, "run") {
        let found = of_kind(&listed, "run").find(|found| found["key"] == run["key"]);
        let found = found.unwrap_or_else(|| panic!("{run} is not listed"));
        assert_eq!((&found["processor"], &found["problem"]), (&run["processor"], &run["problem"]));
        assert_eq!(found["samples"].as_u64(), Some(samples(run)), "{run}");
    }
    let told = place.run(&["wisdom", "list"]);
    for processor in [CPU, "cortex-m3", "avr", CARD] {
        assert!(of_kind(&listed, "best").any(|best| best["processor"] == processor), "{processor}");
        assert!(told.out.contains(processor), "{processor}: {}", told.out);
    }
}

/// The export of one problem, which all processors but the CPU were tuned for.
#[test]
fn the_export_is_imported() {
    let export = export();
    let count = |kind: &str| of_kind(&export, kind).count() as u64;
    let import = |place: &Place| {
        let added = place.json(&["wisdom", "import", kept("wisdom.jsonl").to_str().unwrap(), "--json"]);
        ["processors", "runs", "samples", "bests", "known_samples"].map(|name| added[name].as_u64().unwrap())
    };
    let place = Place::new("last-release-imported");
    let all = [count("processor"), count("run"), count("sample"), count("best"), 0];
    assert_eq!(import(&place), all);
    assert_eq!(of_kind(&listed(&place), "run").count() as u64, count("run"));
    let place = with_wisdom("last-release-known");
    assert_eq!(import(&place), [0, 0, 0, 0, count("sample")], "the store has it");
}

#[test]
fn a_kernel_for_firmware_is_delivered_without_a_search_and_tuned_on() {
    let place = with_wisdom("last-release-firmware");
    let name = "aesmith_aes128_encrypt.certificate.json";
    let old = certificate(&kept("packages/cortex-m3/certificates").join(name));
    // A search would find that an unrolled loop is faster; wisdom has none.
    assert!(old["variant"].as_str().unwrap().contains("rounds=looped"), "{old}");
    let of = ["aes128-ecb", "--processor", "cortex-m3"];
    let said = place.run(&[&["emit", "--as", "asm", "-o", "again"][..], &of].concat());
    if lacks_tools(&said) {
        return;
    }
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!said.err.contains("has not been tuned"), "{}", said.err);
    let emitted = certificate(&place.path("again").join(name));
    // The text may have other names today; the code is the same.
    let table = aesmith_processors::find("cortex-m3").unwrap().table();
    let today = table.parse(old["variant"].as_str().unwrap()).unwrap().to_string();
    assert_eq!((&emitted["sha256"], &emitted["variant"]), (&old["sha256"], &today.into()));

    let tune = ["tune", "--only", "rounds=looped", "--effort", "estimate", "-o", "tuned"];
    let tuned = place.json(&[&tune[..], &of, &["--json"]].concat());
    let winner = &tuned["winners"][0];
    assert!(cycles(&winner["certificate"]) <= cycles(&old), "{winner}");
    // A new version takes costs again, and delivers what an old one confirmed.
    if old["tool_version"] == env!("CARGO_PKG_VERSION") {
        assert!(tuned["remembered"].as_u64() >= Some(6), "{tuned}");
        assert_eq!(winner["known"], winner["certificate"]["sha256"] == old["sha256"], "{winner}");
    }
    let package = certificate(&place.path("tuned/certificates").join(name));
    assert_eq!(package["sha256"], winner["certificate"]["sha256"]);
    assert_eq!(of_kind(&listed(&place), "run").filter(|run| run["processor"] == "cortex-m3").count(), 4);
}

fn cycles(certificate: &Value) -> f64 {
    certificate["cost"]["cycles"].as_f64().unwrap()
}

#[test]
fn a_kernel_for_a_card_is_delivered_on_such_a_card() {
    let place = with_wisdom("last-release-card");
    let Some(library) = place.stand_in_of_cuda() else { return };
    let mut emit = place.command(&["emit", "aes128-ecb", "--as", "ptx", "-o", "again", "--processor", "gpu"]);
    for only in ["threads=128", "tables=4", "replicas=32", "blocks=1"] {
        emit.args(["--only", only]);
    }
    emit.env("AESMITH_CUDA_DRIVER", library).env("CUDA_STAND_IN", "").env("PATH", "");
    let said: Said = emit.output().unwrap().into();
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("measured on Stand-in of a card"), "{}", said.err);
    let name = "aesmith_aes128_ecb.certificate.json";
    let old = certificate(&kept("certificates/gpu").join(name));
    assert_eq!(certificate(&place.path("again").join(name))["sha256"], old["sha256"]);
}

#[test]
fn a_kernel_for_this_machine_is_delivered_where_it_was_measured() {
    let here = aesmith_tune::workplace::this_processor(None).key;
    if here != CPU || !has_aes() {
        return println!("skipped: this CPU is not that of the wisdom, but {here}");
    }
    let place = with_wisdom("last-release-here");
    let said = place.run(&["emit", "aes128-ctr", "--as", "asm", "-o", "again"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!said.err.contains("wisdom has no best of"), "{}", said.err);
    let name = "aesmith_aes128_ctr.certificate.json";
    let old = certificate(&kept("packages/x86-64").join(name));
    assert_eq!(certificate(&place.path("again").join(name))["sha256"], old["sha256"]);
}
