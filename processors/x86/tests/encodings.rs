//! The table's encodings against independent tools: GNU `as` and `objdump`.
//!
//! Random instructions of every row go two ways. Printed by iced, they are assembled by `as`; encoded by iced,
//! they are disassembled by `objdump` and that text is assembled by `as`. Both must give the same bytes, or (if
//! an instruction has several encodings) the same semantics.

use crate::binutils::{Directory, SLOT, assemble, decode, disassemble, for_as, text};
use crate::sample;
use aesmith_x86::encoding;
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::table::{Form, form, forms};
use iced_x86::{Encoder, Instruction, OpKind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::process::Command;

const SAMPLES: usize = 6;
/// Number of byte strings tried near those of each instruction.
const NEAR: usize = 12;

fn samples() -> Vec<(&'static Form, Instruction, Vec<u8>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(0xe2c0de);
    let mut list = Vec::new();
    for form in forms() {
        for s in 0..SAMPLES {
            let ip = (list.len() * SLOT) as u64;
            // Out of the range of a short jump if the form is a long one.
            let far = format!("{:?}", form.code).ends_with("rel32_64");
            let code = ip + if far { 0x4000 } else { 64 };
            let targets = sample::Targets { data: ip + 0x1234, code };
            let asked = sample::sample(form, s % 2 == 1, targets, &mut rng);
            let mut encoder = Encoder::new(64);
            if let Err(e) = encoder.encode(&asked, ip) {
                panic!("{:?} does not encode: {e}", form.code);
            }
            let bytes = encoder.take_buffer();
            let instruction = decode(&bytes, ip as usize);
            assert_eq!(instruction.code(), form.code, "another row shadows this one");
            assert_eq!(instruction.memory_displacement64(), asked.memory_displacement64(), "{:?}", form.code);
            list.push((form, instruction, bytes));
        }
    }
    list
}

fn hold_against(what: &str, samples: &[(&Form, Instruction, Vec<u8>)], code: &[u8], lines: &[String]) {
    let mut identical = 0;
    let mut wrong = Vec::new();
    for (slot, (form, instruction, bytes)) in samples.iter().enumerate() {
        let theirs = &code[slot * SLOT..];
        let as_decoded = decode(&theirs[..SLOT], slot * SLOT);
        if let Err(why) = encoding::check(&as_decoded, &theirs[..as_decoded.len()]) {
            wrong.push(format!(
                "{:?}: '{}' is {:02x?}: {why}",
                form.code,
                lines[slot],
                &theirs[..as_decoded.len()]
            ));
        }
        if theirs.starts_with(bytes) {
            identical += 1;
            continue;
        }
        let again = decode(&theirs[..SLOT], slot * SLOT);
        if text(&again) != text(instruction) {
            wrong.push(format!(
                "{:?}: '{}' became '{}' by '{}'",
                form.code,
                text(instruction),
                text(&again),
                lines[slot]
            ));
        }
    }
    println!(
        "{what}: {identical} of {} instructions have the same bytes, the others the same meaning",
        samples.len()
    );
    assert!(wrong.is_empty(), "{what}: {} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(identical * 20 > samples.len() * 19, "{what}: only {identical} of {} identical", samples.len());
}

#[test]
fn encodings_agree_with_gnu_binutils() {
    if ["as", "objdump", "objcopy"].iter().any(|tool| Command::new(tool).arg("--version").output().is_err()) {
        println!("skipped: GNU as, objdump or objcopy is not installed (Debian package binutils)");
        return;
    }
    let directory = Directory(std::env::temp_dir().join(format!("aesmith-encodings-{}", std::process::id())));
    std::fs::create_dir_all(&directory.0).unwrap();
    let samples = samples();

    let lines: Vec<String> = samples.iter().map(|(_, i, _)| for_as(i, &text(i))).collect();
    hold_against(
        "printed by iced, assembled by as",
        &samples,
        &assemble(&directory.0, "iced", &lines),
        &lines,
    );

    let mut code = Vec::new();
    for (_, _, bytes) in &samples {
        code.extend_from_slice(bytes);
        code.resize(code.len().next_multiple_of(SLOT), 0x90);
    }
    let lines: Vec<String> = disassemble(&directory.0, &code)
        .iter()
        .zip(&samples)
        .map(|(line, (_, i, _))| for_as(i, line))
        .collect();
    hold_against(
        "disassembled by objdump, assembled by as",
        &samples,
        &assemble(&directory.0, "objdump", &lines),
        &lines,
    );
}

/// The name of a feature without punctuation that differs between tools.
fn bare(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "")
}

/// The feature column against iced's data, which lists the prerequisites avx and avx512f in some rows and not
/// in others.
#[test]
fn features_agree_with_the_decoder_library() {
    // Features of every x86-64 CPU, and endbr64, which is a no-op on CPUs without it (Intel SDM volume 2).
    let everywhere =
        ["x64", "intel8086", "intel186", "intel386", "intel486", "cmov", "sse", "multibytenop", "cetibt"];
    for form in forms() {
        let theirs: Vec<String> = form
            .code
            .cpuid_features()
            .iter()
            .map(|f| bare(&format!("{f:?}")))
            .filter(|name| !everywhere.contains(&name.as_str()))
            .collect();
        let ours: Vec<String> = REQUIREMENTS.names(form.features).map(bare).collect();
        for name in &ours {
            let implied = ["avx", "avx512f"].contains(&name.as_str()) && theirs.iter().any(|t| t != name);
            assert!(implied || theirs.iter().any(|t| t == name), "{:?}: {ours:?}, but {theirs:?}", form.code);
        }
        for name in &theirs {
            assert!(ours.contains(name), "{:?}: {ours:?}, but {theirs:?}", form.code);
        }
    }
}

/// Bytes near those of the rows: with one or two more prefixes, with a flipped bit, or both.
fn near(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    const PREFIXES: [u8; 12] = [0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x3e, 0x64, 0xf0, 0x40, 0x48, 0x44, 0x41];
    let mut near = bytes.to_vec();
    for _ in 0..rng.random_range(0..3) {
        let at = rng.random_range(0..near.len().min(3));
        near.insert(at, PREFIXES[rng.random_range(0..PREFIXES.len())]);
    }
    if near == bytes || rng.random() {
        let at = rng.random_range(0..near.len().min(7));
        near[at] ^= 1 << rng.random_range(0..8);
    }
    near
}

/// Byte strings close to a row's instruction that are accepted as an instruction of a row are the same
/// instruction to objdump.
#[test]
fn what_is_accepted_is_read_alike_by_objdump() {
    if ["as", "objdump", "objcopy"].iter().any(|tool| Command::new(tool).arg("--version").output().is_err()) {
        println!("skipped: GNU as, objdump or objcopy is not installed (Debian package binutils)");
        return;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0x0dd);
    let (mut code, mut accepted, mut refused) = (Vec::new(), Vec::new(), 0);
    for (_, _, bytes) in samples() {
        for _ in 0..NEAR {
            let bytes = near(&bytes, &mut rng);
            let ip = code.len();
            // Appends immediates and displacements for instructions that have become longer.
            let slot: Vec<u8> = bytes.iter().copied().chain([0x11; SLOT]).take(SLOT).collect();
            let i = decode(&slot, ip);
            // The target of a jump may be anywhere, so its text says little.
            if form(i.code()).is_none() || i.op0_kind() == OpKind::NearBranch64 {
                continue;
            }
            match encoding::check(&i, &slot[..i.len()]) {
                Err(_) => refused += 1,
                Ok(()) => {
                    code.extend_from_slice(&slot[..i.len()]);
                    code.resize(ip + SLOT, 0x90);
                    accepted.push(i);
                }
            }
        }
    }
    let directory = Directory(std::env::temp_dir().join(format!("aesmith-near-{}", std::process::id())));
    std::fs::create_dir_all(&directory.0).unwrap();
    let printed: Vec<String> = disassemble(&directory.0, &code)
        .iter()
        .zip(&accepted)
        .map(|(line, i)| match line.contains("(bad)") {
            true => "ud2".to_owned(),
            false => for_as(i, line),
        })
        .collect();
    let again = assemble(&directory.0, "near", &printed);
    let mut wrong = Vec::new();
    for (slot, i) in accepted.iter().enumerate() {
        let theirs = decode(&again[slot * SLOT..], slot * SLOT);
        if text(&theirs) != text(i) {
            wrong.push(format!(
                "{:02x?}: '{}' is '{}' to objdump, which printed '{}'",
                &code[slot * SLOT..slot * SLOT + i.len()],
                text(i),
                text(&theirs),
                printed[slot]
            ));
        }
    }
    println!("{} encodings near those of the rows are read alike; {refused} are refused", accepted.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(accepted.len() > 5000 && refused > 1000, "{} and {refused}", accepted.len());
}
