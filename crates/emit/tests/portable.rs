//! The portable C form, compiled by gcc and clang with every warning an error, against the oracle; for 32-bit
//! processors; and on a big-endian one, if a cross compiler and qemu are installed.

use crate::compiled::{COMPILERS, Random, check, check_set_up, load, sets};
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::{Direction, Problem, Task, modes};
use aesmith_emit::Naming;
use aesmith_emit::c::{Place, Program, portable};
use aesmith_x86::dimensions::{self, Dim};
use std::ffi::c_void;
use std::path::PathBuf;
use std::process::Command;

const WARNINGS: &[&str] =
    &["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-pedantic", "-Werror"];
const TECHNIQUES: [Technique; 3] = [Technique::Table, Technique::Bytewise, Technique::Bitsliced];
/// More interleaving changes only compile time, not meaning.
const MOST_INTERLEAVED: u16 = 5;

fn flags() -> Vec<&'static str> {
    [&["-O1", "-shared", "-fPIC"], WARNINGS].concat()
}

/// Variants that have each value of each dimension at least once, as far as portable C supports it.
fn variants(problem: Problem, technique: Technique, random: &mut Random) -> Vec<Variant> {
    let mut variants = vec![dimensions::plain(problem, technique)];
    let dims: Vec<_> = dimensions::TABLE.dimensions(problem, technique).collect();
    let written = |v: &Variant| v.check().is_ok() && portable::file(&Program::of(v), Place::Alone).is_ok();
    let mut missing: Vec<(Dim, u16)> = dims
        .iter()
        .flat_map(|d| (0..d.values.count().min(16)).map(|i| (Dim::of(d), d.values.at(i))))
        .filter(|&(dim, value)| dim != Dim::Interleave || value <= MOST_INTERLEAVED)
        // Choices that the form leaves to the compiler make no difference.
        .filter(|&(dim, value)| {
            let text = portable::file(&Program::of(&variants[0].clone().with(dim, value)), Place::Alone);
            text.is_ok_and(|text| !text.contains("left to the compiler"))
        })
        .collect();
    let mut tries = 0;
    while !missing.is_empty() && tries < 2000 {
        tries += 1;
        let mut variant = dimensions::plain(problem, technique);
        for d in &dims {
            let values: Vec<u16> =
                missing.iter().filter(|(dim, _)| *dim == Dim::of(d)).map(|(_, v)| *v).collect();
            if !values.is_empty() {
                variant.set(d.place, values[random.below(values.len() as u64) as usize]);
            }
        }
        let variant = variant.clamped();
        if written(&variant) && !variants.contains(&variant) {
            missing.retain(|&(dim, value)| variant.get(dim) != value);
            variants.push(variant);
        }
    }
    variants
}

fn check_messages(technique: Technique, tasks: &str) {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for (n, name) in tasks.split(' ').enumerate() {
        let problem: Problem = name.parse().unwrap();
        let sets = sets(problem, &mut random);
        let variants = variants(problem, technique, &mut random);
        for (i, variant) in variants.iter().enumerate() {
            let program = Program::of(variant);
            let text = portable::file(&program, Place::Alone).unwrap();
            // Each variant is compiled by one compiler, the plain one by all.
            let compilers = COMPILERS.iter().enumerate().filter(|(c, _)| i == 0 || *c == (n + i) % 2);
            for (_, compiler) in compilers {
                let file = format!("{name}-{technique}-{i}");
                let Some(library) = load(compiler, &flags(), &file, &text) else { continue };
                // SAFETY: the symbol is a function of the file, kept as an address.
                let function = unsafe { library.get::<*const c_void>(&portable::name(&program)) }.unwrap();
                check(problem, &format!("{compiler}: {variant}"), *function, &sets, &mut random);
            }
        }
        println!("{name} by {technique}: {} variants", variants.len());
    }
}

#[test]
fn tables() {
    let problems = "aes128-ctr aes256-ctr aes192-ecb aes128-ecb-dec aes256-cbc-dec aes192-cbc aes128-cbc-x3";
    check_messages(Technique::Table, problems);
}

#[test]
fn bytes() {
    let problems = "aes128-ctr aes256-ecb aes192-ecb-dec aes128-cbc-dec aes256-cbc aes192-cbc-x4";
    check_messages(Technique::Bytewise, problems);
}

#[test]
fn bit_slices() {
    let problems = "aes128-ctr aes192-ctr aes128-ecb aes256-ecb-dec aes192-cbc-dec aes256-cbc aes128-cbc-x2";
    check_messages(Technique::Bitsliced, problems);
}

#[test]
fn key_set_up() {
    let mut random = Random(7);
    for problem in Problem::all().into_iter().filter(|p| matches!(p.task, Task::KeySchedule(_))) {
        for technique in TECHNIQUES {
            let variant =
                dimensions::plain(problem, technique).with(Dim::Wipe, u16::from(problem.key.bits() == 192));
            let program = Program::of(&variant);
            let text = portable::file(&program, Place::Alone).unwrap();
            let file = format!("{problem}-{technique}");
            let Some(library) = load("gcc", &flags(), &file, &text) else { return };
            check_set_up(problem, &variant.to_string(), &library, &portable::name(&program), &mut random);
        }
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("portable").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The variants for the other processors, among them 64-bit words and both caches.
fn elsewhere() -> Vec<Variant> {
    [
        "aes128-ctr technique=table tables=padded cached=2 interleave=2",
        "aes256-ecb-dec technique=table tables=2k last=masked",
        "aes192-cbc technique=bytewise words=yes mixcolumns=table",
        "aes128-cbc-dec technique=bytewise inline=yes",
        "aes256-ctr technique=bitsliced",
        "aes192-ecb-dec technique=bitsliced",
    ]
    .map(|v| dimensions::variant(v).unwrap())
    .into()
}

#[test]
fn thirty_two_bits() {
    for compiler in COMPILERS {
        let folder = folder("m32");
        for (i, variant) in elsewhere().iter().enumerate() {
            let source = folder.join(format!("{i}.c"));
            std::fs::write(&source, portable::file(&Program::of(variant), Place::Alone).unwrap()).unwrap();
            let mut command = Command::new(compiler);
            command.args(["-m32", "-O1", "-ffreestanding", "-c", "-o"]).arg(folder.join("m32.o"));
            let Ok(output) = command.args(WARNINGS).arg(&source).output() else {
                println!("skipped: there is no {compiler}");
                break;
            };
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.is_empty(), "{compiler} -m32 {variant}:\n{said}");
        }
    }
}

#[test]
fn big_endian() {
    const COMPILER: &str = "powerpc-linux-gnu-gcc";
    const EMULATOR: &str = "qemu-ppc";
    for tool in [COMPILER, EMULATOR] {
        if Command::new(tool).arg("--version").output().is_err() {
            println!("skipped: there is no {tool}");
            return;
        }
    }
    let folder = folder("big-endian");
    let mut random = Random(11);
    for (i, message) in elsewhere().iter().enumerate() {
        let problem = message.problem;
        let schedule = dimensions::plain(problem.key_schedule(), message.technique);
        let program = Program {
            problem,
            choices: vec![(None, message.clone())],
            schedule: Some(schedule),
            table: false,
            naming: Naming::default(),
        };
        let name = portable::name(&program);
        let length = 16 * 600 + if problem.task == Task::Ctr { 7 } else { 0 };
        let (key, text) = (random.bytes(problem.key.bytes()), random.bytes(length));
        let iv: [u8; 16] = random.bytes(16).try_into().unwrap();
        let list = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        let iv_argument = if problem.has_iv() { "iv, " } else { "" };
        let main = format!(
            "#include <stdio.h>\n\nint main(void)\n{{\n    static {name}_key k;\n    static const uint8_t key[] = \
             {{{}}};\n    static uint8_t iv[16] = {{{}}}, text[] = {{{}}};\n    size_t i;\n    \
             {name}_schedule(&k, key);\n    {name}(&k, {iv_argument}text, text, sizeof text);\n    \
             for (i = 0; i < sizeof text; i++) {{\n        printf(\"%02x\", text[i]);\n    }}\n    \
             for (i = 0; i < 16; i++) {{\n        printf(\"%02x\", iv[i]);\n    }}\n    return 0;\n}}\n",
            list(&key),
            list(&iv),
            list(&text),
        );
        let source = folder.join(format!("{i}.c"));
        std::fs::write(&source, portable::file(&program, Place::Alone).unwrap() + &main).unwrap();
        let binary = folder.join(i.to_string());
        let mut command = Command::new(COMPILER);
        command.args(["-O1", "-static"]).args(WARNINGS).arg("-o").arg(&binary).arg(&source);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{COMPILER} {message}:\n{said}");
        let output = Command::new(EMULATOR).arg(&binary).output().unwrap();
        assert!(output.status.success(), "{EMULATOR} {message}");
        let (expected, iv_after) = modes::message(problem, &key, iv, &text);
        let iv_after = if problem.has_iv() { iv_after } else { iv };
        let hex: String = expected.iter().chain(&iv_after).map(|b| format!("{b:02x}")).collect();
        assert!(
            String::from_utf8_lossy(&output.stdout) == hex,
            "{message} differs on a big-endian processor"
        );
    }
}

#[test]
fn what_it_cannot_be_is_said() {
    let say = |text: &str| {
        let variant = dimensions::variant(text).unwrap();
        portable::file(&Program::of(&variant), Place::Alone).unwrap_err().0
    };
    assert!(say("aes128-ctr technique=gfni").contains("technique=bitsliced"));
    // Built by hand, because the text form is already refused.
    let bytes = dimensions::plain("aes128-ecb-dec".parse().unwrap(), Technique::Table).with(Dim::Last, 2);
    let error = portable::file(&Program::of(&bytes), Place::Alone).unwrap_err();
    assert!(error.0.contains("last=sbox"), "{error}");
    let decrypt = Problem::new(aesmith_cipher::KeySize::Aes128, Task::KeySchedule(Direction::Decrypt));
    assert!(say(&decrypt.to_string()).contains("technique=bitsliced"));
    let banner = |text: &str| {
        let variant = dimensions::variant(text).unwrap();
        portable::file(&Program::of(&variant), Place::Alone).unwrap()
    };
    let table = banner("aes128-ctr technique=table extract=memory");
    assert!(table.contains("VARIABLE TIME") && table.contains("aesmith_aes128_ctr_table_vt("));
    assert!(table.contains("left to the compiler: extract=memory"));
    assert!(!banner("aes128-ctr technique=bitsliced").contains("VARIABLE"));
}
