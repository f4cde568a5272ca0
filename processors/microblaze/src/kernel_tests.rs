//! Kernels in the interpreter, in the prover, in qemu and in GNU as.

use std::process::Command;
use std::time::Duration;

use aesmith_cipher::block::expand_key;
use aesmith_cipher::modes::message;
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_isa::assemble::{assemble, text};
use aesmith_isa::image::Image;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::bytewise::{self, Choices};
use super::dimensions;
use super::judge::{QemuMicroBlaze, binutils};
use super::table::isa;
use aesmith_arrange::Variant;
use aesmith_judge::judge::{Call, ExactJudge, Judge, Question};
use aesmith_judge::outside::{Temporary, step};
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::{built, judged, part};

const KEY: u64 = 0x40000;
const INPUT: u64 = 0x40200;
const OUTPUT: u64 = 0x40300;

fn problems() -> Vec<Problem> {
    Problem::all().into_iter().filter(|&p| (CORES[0].solves)(p)).collect()
}

/// The plain variant, and each variant that differs from it, or from its looped form, in one choice.
fn sample(problem: Problem, core: &'static Core) -> Vec<Variant> {
    let plain = core.table.plain(problem);
    let looped = plain.with_choice(dimensions::Rounds::Looped).expect("a choice");
    let mut found = plain.neighbours();
    for one in looped.neighbours().into_iter().chain([plain, looped]) {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

fn check(core: &'static Core, kernel: &Kernel) -> u64 {
    let answers = judged(core, kernel, &Interpreter::new(core), 3);
    answers.last().and_then(|a| a.cycles).expect("cycles")
}

#[test]
fn kernels_compute_the_cipher_in_the_interpreter() {
    for problem in problems() {
        // Fewer choices with the larger keys. Steps are multiples of each other, so that tests share built
        // kernels.
        let every = if problem.key == KeySize::Aes128 { 4 } else { 12 };
        for variant in part(sample(problem, &CORES[0]), every) {
            let kernel = built(&CORES[0], &variant).map_err(|e| format!("{variant}: {e}")).expect("is built");
            let cycles = check(&CORES[0], &kernel);
            if let Some((bound, _)) = (CORES[0].bound)(&variant) {
                assert!(cycles as f64 >= bound, "{variant}: {cycles} cycles under the bound {bound}");
                println!(
                    "{variant}: {cycles} cycles, bound {bound}, {:.1} % over",
                    cycles as f64 / bound * 100.0 - 100.0
                );
            } else {
                println!("{variant}: {cycles} cycles");
            }
        }
    }
}

#[test]
fn table_encryption_is_near_its_bound() {
    let problem: Problem = "aes128-ecb".parse().expect("a problem");
    for (core, most) in CORES.iter().zip([1.03, 1.03]) {
        let variant = core.table.plain(problem);
        let kernel = built(core, &variant).expect("is built");
        let cycles = check(core, &kernel);
        let (bound, _) = (core.bound)(&variant).expect("a bound");
        println!("{}: {cycles} cycles, bound {bound}", core.name);
        assert!((cycles as f64) < bound * most, "{}: {cycles} cycles, bound {bound}", core.name);
    }
}

#[test]
fn kernels_are_proved() {
    let mut refuted = Vec::new();
    for problem in problems() {
        for variant in part(sample(problem, &CORES[0]), 4) {
            let kernel = built(&CORES[0], &variant).expect("is built");
            let image = kernel.image(isa()).expect("assembles");
            let function = image.symbol(&kernel.symbol).expect("the function");
            let proof =
                aesmith_prove::bits::prove(isa(), CORES[0].convention, &image, function, &kernel.contract);
            refuted.extend(proof.err().map(|why| format!("{variant}: {why:?}")));
        }
    }
    assert!(refuted.is_empty(), "{}", refuted.join("\n"));
}

/// Key schedules by gates have no look-ups: their proof says so, and their cycles do not depend on data.
#[test]
fn key_schedules_by_gates_take_constant_time() {
    let core = &CORES[0];
    for problem in problems().into_iter().filter(|p| matches!(p.task, Task::KeySchedule(_))) {
        let looked_up = core.table.plain(problem).with_choice(dimensions::Rounds::Looped).expect("a choice");
        let gates = looked_up.with_choice(dimensions::Sbox::Circuit).expect("a choice");
        for barrel in [dimensions::Barrel::Yes, dimensions::Barrel::No] {
            for (variant, constant) in [(&looked_up, false), (&gates, true)] {
                let variant = variant.with_choice(barrel).expect("a choice");
                let kernel = built(core, &variant).expect("is built");
                let image = kernel.image(isa()).expect("assembles");
                let function = image.symbol(&kernel.symbol).expect("the function");
                let proof =
                    aesmith_prove::bits::prove(isa(), core.convention, &image, function, &kernel.contract)
                        .unwrap_or_else(|why| panic!("{variant}: {why}"));
                assert_eq!(proof.constant_time, constant, "{variant}");
                let answers = judged(core, &kernel, &Interpreter::new(core), 20);
                assert!(!constant || answers.iter().all(|a| a.cycles == answers[0].cycles), "{variant}");
                println!("{variant}: {:?} cycles, {} bytes", answers[0].cycles, kernel.flash(isa()));
            }
        }
    }
}

/// Slices have no look-ups: their proof says so, and their cycles do not depend on data.
#[test]
fn slices_take_constant_time() {
    let core = &CORES[0];
    for (problem, barrel) in [
        ("aes128-ecb", dimensions::Barrel::Yes),
        ("aes256-ecb", dimensions::Barrel::No),
        ("aes192-ecb-dec", dimensions::Barrel::Yes),
        ("aes128-ctr", dimensions::Barrel::Yes),
        ("aes128-cbc", dimensions::Barrel::No),
        ("aes128-cbc-dec", dimensions::Barrel::Yes),
    ] {
        let plain = core.table.plain(problem.parse().expect("a problem"));
        let sliced = plain.with_choice(dimensions::Technique::Sliced).expect("a choice");
        let kernel = built(core, &sliced.with_choice(barrel).expect("a choice")).expect("is built");
        let image = kernel.image(isa()).expect("assembles");
        let function = image.symbol(&kernel.symbol).expect("the function");
        let proof = aesmith_prove::bits::prove(isa(), core.convention, &image, function, &kernel.contract)
            .unwrap_or_else(|why| panic!("{problem}: {why}"));
        assert!(proof.constant_time, "{problem}");
        // The length of messages is not secret.
        let count = if kernel.contract.blocks == 2 { 20 } else { 1 };
        let answers = judged(core, &kernel, &Interpreter::new(core), count);
        assert!(answers.iter().all(|a| a.cycles == answers[0].cycles), "{problem}");
        println!("{}: {:?} cycles, {} bytes", kernel.variant, answers[0].cycles, kernel.flash(isa()));
    }
    let expanded = core.table.plain("aes128-key-dec".parse().expect("a problem"));
    let looped = expanded.with_choice(dimensions::Rounds::Looped).expect("a choice");
    let sliced = looped.with_choice(dimensions::Keys::Sliced).expect("a choice");
    let gates = sliced.with_choice(dimensions::Sbox::Circuit).expect("a choice");
    let kernel = built(core, &gates).expect("is built");
    let image = kernel.image(isa()).expect("assembles");
    let function = image.symbol(&kernel.symbol).expect("the function");
    let proof = aesmith_prove::bits::prove(isa(), core.convention, &image, function, &kernel.contract);
    assert!(proof.expect("is proved").constant_time);
}

#[test]
fn qemu_agrees_on_a_thousand_calls() {
    if let Err(why) = QemuMicroBlaze.present() {
        return println!("skipped: {why}");
    }
    for problem in problems() {
        for variant in part(sample(problem, &CORES[0]), 12) {
            let kernel = built(&CORES[0], &variant).expect("is built");
            let ours = judged(&CORES[0], &kernel, &Interpreter::new(&CORES[0]), 1);
            let theirs = judged(&CORES[0], &kernel, &QemuMicroBlaze, 1000);
            // qemu's harness detects how far down the stack was written, not how far it was reserved.
            assert!(theirs[0].stack <= ours[0].stack, "{variant}: {:?} {:?}", theirs[0].stack, ours[0].stack);
        }
    }
}

/// The image that GNU as and ld make from the text of a kernel.
fn by_gnu(kernel: &Kernel) -> Result<Image, String> {
    let mut source = String::new();
    for section in &kernel.sections {
        source.push_str(&format!("    .section {}\n{}", section.name, text(isa(), section, "#")));
    }
    source.push_str(&format!("    .globl {}\n", kernel.symbol));
    let (source, object, program) =
        (Temporary::new(source.as_bytes())?, Temporary::new(&[])?, Temporary::new(&[])?);
    let patience = Duration::from_secs(60);
    step(Command::new(binutils("as")?).arg("-o").arg(&object.path).arg(&source.path), patience)?;
    let mut link = Command::new(binutils("ld")?);
    link.args(["-e", &kernel.symbol]);
    for section in &kernel.sections {
        link.arg(format!("--section-start={}={:#x}", section.name, section.address));
    }
    step(link.arg("-o").arg(&program.path).arg(&object.path), patience)?;
    Image::from_elf(&std::fs::read(&program.path).map_err(|e| e.to_string())?, &CORES[0].linking.head)
}

#[test]
fn gnu_as_makes_the_same_bytes_of_the_printed_text() {
    if let Err(why) = binutils("as") {
        return println!("skipped: {why}");
    }
    for problem in problems() {
        for variant in part(sample(problem, &CORES[0]), 12) {
            let kernel = built(&CORES[0], &variant).expect("is built");
            let image = by_gnu(&kernel).map_err(|e| format!("{variant}: {e}")).expect("links");
            for segment in kernel.image(isa()).expect("assembles").segments {
                let found = image.at(segment.address);
                assert_eq!(found.get(..segment.bytes.len()), Some(&*segment.bytes), "{variant}");
            }
        }
    }
}

#[test]
fn bytewise_programs_compute_the_cipher_here_and_in_qemu() {
    let problem: Problem = "aes128-ecb".parse().expect("a problem");
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for bits in 0..16 {
        let on = |k: u8| bits >> k & 1 == 1;
        let choices = Choices { unrolled: on(0), looked_up: on(1), inlined: on(2), words: on(3) };
        let sections = bytewise::program(choices, &CORES[0]).expect("is written");
        let image = assemble(isa(), &sections).expect("assembles");
        let mut cipher_key = vec![0; 16];
        let mut block = vec![0; 16];
        rng.fill_bytes(&mut cipher_key);
        rng.fill_bytes(&mut block);
        let keys = expand_key(KeySize::Aes128, &cipher_key).concat();
        let expand = Call {
            arguments: vec![KEY as u32, INPUT as u32],
            writes: vec![(INPUT, cipher_key.clone())],
            reads: vec![(KEY, 176)],
        };
        let encrypt = Call {
            arguments: vec![KEY as u32, INPUT as u32, OUTPUT as u32],
            writes: vec![(KEY, keys.clone()), (INPUT, block.clone())],
            reads: vec![(OUTPUT, 16)],
        };
        let encrypted = message(problem, &cipher_key, [0; 16], &block).0;
        for (name, call, expected) in
            [(bytewise::EXPAND, expand, keys), (bytewise::ENCRYPT, encrypt, encrypted)]
        {
            let function = image.symbol(name).expect("the function");
            let question = Question { image: &image, function, calls: vec![call], limit: 100_000 };
            let ours = Interpreter::new(&CORES[0]).answer(&question).expect("runs");
            assert_eq!(ours[0].read, std::slice::from_ref(&expected), "{name} {choices:?}");
            if QemuMicroBlaze.present().is_ok() {
                let theirs = QemuMicroBlaze.answer(&question).expect("runs in qemu");
                assert_eq!(theirs[0].read, [expected], "{name} {choices:?}");
            }
        }
    }
}
