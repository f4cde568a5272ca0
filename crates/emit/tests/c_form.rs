//! The C form, compiled by gcc and clang without a warning, against the oracle: every length to four times the group,
//! carries of the counter, in place and apart, chained calls.

// The test compiles intrinsics of this CPU and runs them.
#![cfg(target_arch = "x86_64")]

use aesmith_arrange::Variant;
use aesmith_cipher::{Problem, Task, contract};
use aesmith_emit::c::{Place, Program};
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::targets;

use crate::compiled::{COMPILERS, Random, check, check_set_up, key_structure, load, sets};
use std::ffi::c_void;

const FLAGS: &[&str] = &[
    "-O1",
    "-shared",
    "-fPIC",
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wno-sign-conversion",
    "-Werror",
];
/// Number of random variants of each problem, besides the named ones.
const RANDOM_VARIANTS: usize = 4;

/// Variants of a problem that can be written and that this machine can run.
fn variants(problem: Problem, random: &mut Random) -> Vec<Variant> {
    let widest = targets::here().lanes().ilog2() as u64;
    let mut variants = vec![dimensions::baseline(problem)];
    let base = dimensions::baseline(problem).with(Dim::Keys, 0x00ff).with(Dim::Interleave, 4);
    for (ii, width) in [(2, 0), (5, widest), (13, widest)] {
        variants.push(base.clone().with(Dim::Interval, ii).with(Dim::Width, width as u16));
    }
    let is_written = |v: &Variant| Program::of(v).file(Place::Alone).is_ok();
    variants.retain(is_written);
    let mut tries = 0;
    while variants.len() < 4 + RANDOM_VARIANTS && tries < 1000 {
        tries += 1;
        let mut variant = dimensions::baseline(problem);
        for d in dimensions::TABLE.dimensions(problem, aesmith_arrange::Technique::Aes) {
            let value = d.values.at(random.below(d.values.count()));
            variant.set(d.place, value);
        }
        variant.set(Dim::Width, random.below(widest + 1) as u16);
        // Short pipelines are many groups deep; two thirds of the draws are without pipelining.
        if random.below(3) > 0 {
            variant.set(Dim::Interval, 0);
        }
        let variant = variant.clamped();
        if is_written(&variant) && !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    variants
}

fn check_messages(tasks: &[&str]) {
    if targets::here().lanes() == 0 {
        println!("skipped: no AES instructions");
        return;
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for name in tasks {
        let variants = variants(name.parse().unwrap(), &mut random);
        check_variants(name, &variants, 3, &mut random);
    }
}

/// Checks all variants in one file, or every `step`-th in a file of its own if there are several streams.
fn check_variants(name: &str, variants: &[Variant], step: usize, random: &mut Random) {
    let problem = variants[0].problem;
    let mut program = Program::of(&variants[0]);
    let limits = (1..variants.len() as u64).map(Some).chain([None]);
    program.choices = limits.zip(variants.iter().cloned()).collect();
    let sets = sets(problem, random);
    let symbol = program.name();
    // A function of several streams is as long as a file of one, so each variant gets its own file.
    let files: Vec<(String, Vec<&Variant>)> = if problem.streams() > 1 {
        let one = |v| (Program::of(v).file(Place::Alone).unwrap(), vec![v]);
        variants.iter().step_by(step).map(one).collect()
    } else {
        let mut text = program.file(Place::Alone).unwrap();
        for bits in [128, 256, 512] {
            let hidden = format!("static TARGET{bits} void {symbol}_");
            text = text.replace(&hidden, &hidden.replace("static ", ""));
        }
        vec![(text, variants.iter().collect())]
    };
    let mut ran = 0;
    for compiler in COMPILERS {
        for (n, (text, variants)) in files.iter().enumerate() {
            let Some(library) = load(compiler, FLAGS, &format!("{name}-{n}-{step}"), text) else { break };
            for (i, variant) in variants.iter().enumerate() {
                let function = match variants.len() {
                    1 => Program::of(variant).name(),
                    _ => format!("{symbol}_{i}"),
                };
                // SAFETY: the symbol is a function of the file, kept as an address.
                let function = unsafe { library.get::<*const c_void>(&function) }.unwrap();
                check(problem, &format!("{compiler}: {variant}"), *function, &sets, random);
                ran += 1;
            }
        }
    }
    println!("{name}: {} variants, {ran} compiled functions", variants.len());
}

#[test]
fn counter_mode() {
    check_messages(&["aes128-ctr", "aes256-ctr"]);
}

#[test]
fn codebook_and_chained_decryption() {
    check_messages(&["aes192-ecb", "aes128-ecb-dec", "aes256-cbc-dec"]);
}

#[test]
fn chained_encryption() {
    check_messages(&["aes128-cbc", "aes192-cbc-x3", "aes128-cbc-x4", "aes256-cbc-x8"]);
}

/// A choice by length passes all arguments to the chosen function.
#[test]
fn choices_by_length() {
    let mut random = Random(5);
    for name in ["aes128-ecb", "aes128-cbc", "aes128-cbc-dec", "aes128-cbc-x4"] {
        let problem: Problem = name.parse().unwrap();
        let plain = dimensions::baseline(problem);
        let long = match problem.task {
            Task::CbcEncrypt { .. } => plain.clone().with(Dim::Unroll, 4),
            _ => plain.clone().with(Dim::Interleave, 4),
        };
        let mut program = Program::of(&plain);
        program.choices = vec![(Some(64), plain), (None, long.clone())];
        let text = program.file(Place::Alone).unwrap();
        let sets = &sets(problem, &mut random)[..1];
        for compiler in COMPILERS {
            let Some(library) = load(compiler, FLAGS, &format!("{name}-by-length"), &text) else { continue };
            // SAFETY: the symbol is a function of the file, kept as an address.
            let function = unsafe { library.get::<*const c_void>(&program.name()) }.unwrap();
            check(problem, &format!("{compiler}: {long}"), *function, sets, &mut random);
        }
    }
}

/// Techniques without AES instructions, on every width that this machine has for them.
fn without_aes(problem: Problem) -> Vec<Variant> {
    let avx2 = is_x86_feature_detected!("avx2");
    let avx512 = is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl");
    let (gfni, vbmi) = (is_x86_feature_detected!("gfni"), is_x86_feature_detected!("avx512vbmi"));
    let widths = [is_x86_feature_detected!("ssse3"), avx2, avx512];
    let interleave = if problem.streams() > 1 || !matches!(problem.task, Task::Ctr | Task::Ecb(_)) {
        ""
    } else {
        " interleave=2"
    };
    let mut variants: Vec<Variant> = Vec::new();
    for (options, there) in [
        ("gfni multiples=affine", gfni),
        ("gfni multiples=product", gfni),
        ("vperm", true),
        ("bitsliced", true),
        ("vbmi", vbmi),
        ("gfni layout=sliced", gfni),
        ("bitsliced layout=sliced", true),
    ] {
        for (width, has) in ["xmm", "ymm", "zmm"].iter().zip(widths) {
            let interleave = if options.contains("layout") { "" } else { interleave };
            let text = format!("{problem} technique={options} width={width}{interleave}");
            let variant = dimensions::variant(&text);
            // Some widths do not fit some techniques, and some do not fit few streams.
            let Ok(variant) = variant else { continue };
            if there && has && Program::of(&variant).file(Place::Alone).is_ok() {
                variants.push(variant);
            }
        }
    }
    variants
}

#[test]
fn techniques_without_aes_instructions() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for name in ["aes128-ctr", "aes256-cbc-dec", "aes192-cbc-x4"] {
        let variants = without_aes(name.parse().unwrap());
        if variants.is_empty() {
            println!("skipped: this machine has no SSSE3");
            return;
        }
        check_variants(name, &variants, 4, &mut random);
    }
}

#[test]
fn cached_sliced_layouts_are_refused_by_name() {
    let variant = dimensions::variant("aes128-ctr technique=gfni layout=sliced cached=2").unwrap();
    let error = Program::of(&variant).file(Place::Alone).unwrap_err();
    assert!(error.0.contains("cached=0"), "{error}");
}

#[test]
fn key_set_up() {
    if targets::here().lanes() == 0 {
        println!("skipped: no AES instructions");
        return;
    }
    let mut random = Random(7);
    for problem in Problem::all().into_iter().filter(|p| matches!(p.task, Task::KeySchedule(_))) {
        for way in 0..2 {
            let variant = dimensions::baseline(problem).with(Dim::Schedule, way);
            let text = Program::of(&variant).file(Place::Alone).unwrap();
            let Some(library) = load("gcc", FLAGS, &format!("{problem}-{way}"), &text) else { return };
            let symbol = aesmith_emit::symbol(problem);
            check_set_up(problem, &variant.to_string(), &library, &symbol, &mut random);
        }
    }
    let problem: Problem = "aes128-ctr-table".parse().unwrap();
    let Some(library) =
        load("gcc", FLAGS, "table", &Program::of(&dimensions::baseline(problem)).file(Place::Alone).unwrap())
    else {
        return;
    };
    let key = random.bytes(16);
    let ctr = Problem::new(problem.key, Task::Ctr);
    let expected = key_structure(ctr, &key);
    let mut structure = expected.clone();
    structure[contract::TABLE_OFFSET..].fill(0);
    // SAFETY: the symbol is a function of the file with this signature, and the structure has room.
    unsafe {
        let build = library.get::<unsafe extern "C" fn(*mut u8)>(&aesmith_emit::symbol(problem)).unwrap();
        build(structure.as_mut_ptr());
    }
    assert!(structure == expected);
}
