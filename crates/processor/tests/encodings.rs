//! The table's encodings against tools that nobody here wrote: GNU `as` and `objdump`.
//!
//! Random instructions of every row go two ways. Printed by iced, they are assembled by `as`;
//! encoded by iced, they are disassembled by `objdump` and that text is assembled by `as`. Both
//! must give the same bytes, or (where an instruction has several encodings) the same meaning.

mod sample;

use aesmith_processor::x86::encoding;
use aesmith_processor::x86::table::{Form, forms};
use iced_x86::{
    Decoder, DecoderOptions, Encoder, EncodingKind, Formatter, GasFormatter, Instruction, OpKind,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each instruction gets a slot, so that one of another length moves none of those behind it.
const SLOT: usize = 16;
const SAMPLES: usize = 6;

struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        // Left-over files in the temporary directory harm nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn samples() -> Vec<(&'static Form, Instruction, Vec<u8>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(0xe2c0de);
    let mut list = Vec::new();
    for form in forms() {
        for s in 0..SAMPLES {
            let ip = (list.len() * SLOT) as u64;
            // Too far for a short jump where the form is a long one.
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

fn text(instruction: &Instruction) -> String {
    let mut formatter = GasFormatter::new();
    formatter.options_mut().set_rip_relative_addresses(true);
    let mut text = String::new();
    formatter.format(instruction, &mut text);
    text
}

fn decode(code: &[u8], ip: usize) -> Instruction {
    Decoder::with_ip(64, code, ip as u64, DecoderOptions::NONE).decode()
}

/// A line for `as` that leaves it no choice between encodings, and no symbol to resolve.
fn for_as(i: &Instruction, line: &str) -> String {
    let op_code = i.code().op_code();
    let registers = i.op_count() >= 2 && i.op_kinds().take(2).all(|kind| kind == OpKind::Register);
    let in_memory_place = |k| format!("{:?}", op_code.op_kind(k)).ends_with("_or_mem");
    if i.op_count() == 1 && i.op0_kind() == OpKind::NearBranch64 {
        format!("{} .+{}", line.split_whitespace().next().unwrap(), i.near_branch64() - i.ip())
    } else if op_code.encoding() == EncodingKind::EVEX {
        let direction = if registers && in_memory_place(0) { "{store} " } else { "" };
        format!("{{evex}} {direction}{line}")
    } else if registers && in_memory_place(1) {
        format!("{{load}} {line}")
    } else if registers && in_memory_place(0) {
        format!("{{store}} {line}")
    } else {
        line.to_owned()
    }
}

/// Assembles one line a slot.
fn assemble(directory: &Path, name: &str, lines: &[String]) -> Vec<u8> {
    let source: String = lines
        .iter()
        .map(|line| format!(".balign {SLOT}, 0x90\n{line}\n"))
        .chain([format!(".balign {SLOT}, 0x90\n")])
        .collect();
    let [s, o, bin] = ["s", "o", "bin"].map(|e| directory.join(format!("{name}.{e}")));
    std::fs::write(&s, source).unwrap();
    let out = Command::new("as").arg(&s).arg("-o").arg(&o).output().unwrap();
    assert!(out.status.success(), "as refuses lines of {name}: {}", String::from_utf8_lossy(&out.stderr));
    let out =
        Command::new("objcopy").args(["-O", "binary", "-j", ".text"]).arg(&o).arg(&bin).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    std::fs::read(bin).unwrap()
}

/// What `objdump` prints of the instruction in each slot.
fn disassemble(directory: &Path, code: &[u8]) -> Vec<String> {
    let file = directory.join("code.bin");
    std::fs::write(&file, code).unwrap();
    let out = Command::new("objdump")
        .args(["-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let mut lines = vec![String::new(); code.len() / SLOT];
    for line in String::from_utf8(out.stdout).unwrap().lines() {
        let Some((address, rest)) = line.trim_start().split_once(":\t") else { continue };
        let address = usize::from_str_radix(address, 16).unwrap();
        if address.is_multiple_of(SLOT) {
            lines[address / SLOT] = rest.split(['#', '<']).next().unwrap().trim().to_owned();
        }
    }
    lines
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

/// A feature's name without what tools punctuate differently.
fn bare(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "")
}

/// The feature column against iced's data, which names the avx and avx512f that others build on
/// in some rows and not in others.
#[test]
fn features_agree_with_the_decoder_library() {
    // In every x86-64 CPU, or a no-op on those without (endbr64; Intel SDM volume 2).
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
        let ours: Vec<String> = form.features.names().map(bare).collect();
        for name in &ours {
            let implied = ["avx", "avx512f"].contains(&name.as_str()) && theirs.iter().any(|t| t != name);
            assert!(implied || theirs.iter().any(|t| t == name), "{:?}: {ours:?}, but {theirs:?}", form.code);
        }
        for name in &theirs {
            assert!(ours.contains(name), "{:?}: {ours:?}, but {theirs:?}", form.code);
        }
    }
}
