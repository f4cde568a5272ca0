//! Kernels of every family of every technique against OpenSSL and RustCrypto: every length, the carry out of
//! each byte, splits into calls, alignments, in place and separate, between unreadable pages; and a sample of
//! each technique that covers its options in pairs.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use crate::families;
use crate::families::{KeySetUp, Ready, tasks};
use crate::guarded;
use crate::guarded::Guarded;
use crate::libraries::Libraries;
use crate::native::{Bytes, Code};
use crate::trial::{Part, Trial};
use aesmith_arrange::Technique;
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_x86::kernels::dispatch;

/// Runs a test on kernels of AES instructions: every family, task and key size.
fn each(tasks: impl Iterator<Item = Task>, test: impl Fn(&mut Trial)) {
    let libraries = Libraries::new();
    let mut seed = Bytes(31);
    for problem in tasks.flat_map(|task| KeySize::ALL.map(|size| Problem::new(size, task))) {
        let Some(set_up) = KeySetUp::new(problem) else { return };
        families::each(problem, |ready| {
            named(&mut Trial::new(ready, &set_up, &libraries, 0, seed.word()), &test)
        });
    }
}

/// Runs a test such that a fault in the kernel prints its name.
fn named(trial: &mut Trial, test: impl Fn(&mut Trial)) {
    let name = trial.ready.kernel.variant.to_string();
    guarded::named(&name, || test(trial));
}

/// The offset of a text of `length` bytes: it ends at the following page, or starts at the preceding one.
fn at_edge(memory: &Guarded, length: usize, end: bool) -> usize {
    if end { memory.size() - length } else { 0 }
}

/// Every length: bytes in CTR; otherwise blocks, and some more bytes, which must stay unchanged.
fn lengths(trial: &mut Trial) {
    lengths_by(trial, 1);
}

/// Every length of the first 20 blocks, and one in `every` of the others.
fn lengths_by(trial: &mut Trial, every: usize) {
    let (ctr, most) = (trial.task() == Task::Ctr, trial.most - 16);
    let step = if ctr { 1 } else { 16 };
    let lengths = (0..=most).step_by(step).enumerate();
    for (number, length) in lengths.filter(|(number, length)| *length < 320 || number % every == 0) {
        for (to_end, in_place) in [(true, false), (false, false), (number % 2 == 0, true)] {
            let bytes = &mut trial.bytes;
            let rest = if ctr || bytes.below(2) == 0 { 0 } else { bytes.below(16) };
            let equal = bytes.below(2) == 0;
            let parts: Vec<Part> = trial
                .streams
                .iter()
                .enumerate()
                .map(|(i, stream)| {
                    let other = i > 0 && !equal;
                    let length = rest + if other { bytes.below(most) & !15 } else { length };
                    let to = at_edge(&stream.target, length, to_end);
                    let from = at_edge(&stream.source, length, to_end);
                    Part { start: 0, length, from, to: if in_place { None } else { Some(to) } }
                })
                .collect();
            trial.call(&parts);
        }
    }
}

/// Every distance of source and destination from the start of a cache line, and each with the destination
/// aligned to one, as streaming stores need.
fn alignments(trial: &mut Trial) {
    for i in 0..128 {
        let (from, to) = (i % 64, if i < 64 { 0 } else { i * 11 % 64 });
        let in_place = i % 5 == 4;
        let parts: Vec<Part> = (0..trial.streams.len())
            .map(|stream| {
                let length = trial.most - trial.bytes.below(64);
                let length = if trial.task() == Task::Ctr { length } else { length & !15 };
                let (from, to) = ((from + 5 * stream) % 64, (to + 9 * stream) % 64);
                Part { start: 0, length, from, to: if in_place { None } else { Some(to) } }
            })
            .collect();
        trial.call(&parts);
    }
}

/// Messages in several calls; each continues with the IV of the previous call.
fn cuts(trial: &mut Trial) {
    for _ in 0..4 {
        trial.restart();
        let mut starts = vec![0; trial.streams.len()];
        for calls in (0..1 + trial.bytes.below(6)).rev() {
            let (most, bytes) = (trial.most, &mut trial.bytes);
            let parts: Vec<Part> = starts
                .iter()
                .map(|&start| {
                    let left = most - start;
                    let length = if calls == 0 { left } else { bytes.below(left + 1) & !15 };
                    let (from, to) = (bytes.below(64), bytes.below(64));
                    Part { start, length, from, to: if bytes.below(3) == 0 { None } else { Some(to) } }
                })
                .collect();
            trial.call(&parts);
            starts.iter_mut().zip(&parts).for_each(|(start, part)| *start += part.length);
        }
    }
}

/// A counter that reaches the carry out of byte `carry` from the right, 1 to 16, within `blocks` blocks or just
/// after: 2^(8 carry) itself, or with a random part above it.
fn before_carry(carry: usize, blocks: usize, bytes: &mut Bytes) -> [u8; 16] {
    let high = u128::from(bytes.word()) << 64 | u128::from(bytes.word());
    let above = if bytes.below(2) == 0 { 1 } else { high };
    let power = above.checked_shl(8 * carry as u32).unwrap_or(0);
    power.wrapping_sub(bytes.below(blocks + 2) as u128).to_be_bytes()
}

/// Carries out of each byte of the counter in the middle of a message.
fn carries(trial: &mut Trial) {
    for number in 0..96 {
        let most = trial.most;
        let iv = before_carry(1 + number % 16, most / 16, &mut trial.bytes);
        trial.restart_stream(0, iv);
        let bytes = &mut trial.bytes;
        let (length, from, to) = (most - bytes.below(most / 2), bytes.below(64), bytes.below(64));
        let to = if bytes.below(4) == 0 { None } else { Some(to) };
        trial.call(&[Part { start: 0, length, from, to }]);
    }
}

/// Random calls at the edges of the memory.
fn random_calls(trial: &mut Trial, calls: usize) {
    let most = trial.most;
    for number in 0..calls {
        if trial.task() == Task::Ctr {
            let iv = before_carry(1 + number % 16, most / 16, &mut trial.bytes);
            trial.restart_stream(0, iv);
        }
        let bytes = &mut trial.bytes;
        let (end, in_place) = (bytes.below(2) == 0, bytes.below(3) == 0);
        let parts: Vec<Part> = trial
            .streams
            .iter()
            .map(|stream| {
                let length = bytes.below(most + 1);
                let to = at_edge(&stream.target, length, end);
                let from = at_edge(&stream.source, length, end);
                Part { start: 0, length, from, to: if in_place { None } else { Some(to) } }
            })
            .collect();
        trial.call(&parts);
    }
}

#[test]
fn every_length() {
    each(tasks(), lengths);
}

#[test]
fn every_alignment() {
    each(tasks(), alignments);
}

#[test]
fn cuts_into_calls() {
    each(tasks(), cuts);
}

#[test]
fn every_carry() {
    each([Task::Ctr].into_iter(), carries);
}

/// Several kernels with dispatch by length: every length, across each crossover.
#[test]
fn dispatched() {
    let (libraries, mut bytes) = (Libraries::new(), Bytes(71));
    let problems = tasks().map(|task| Problem::new(KeySize::Aes256, task));
    for problem in problems.filter(|problem| problem.streams() == 1) {
        let Some(set_up) = KeySetUp::new(problem) else { return };
        let mut kernels = Vec::new();
        families::each(problem, |ready| kernels.push((ready.kernel.clone(), ready.target)));
        for limits in [[16, 100], [255, 256]] {
            let mut take = || kernels[bytes.below(kernels.len())].clone();
            let ((small, _), (middle, _), (large, target)) = (take(), take(), take());
            let parts = [(Some(limits[0]), &small), (Some(limits[1]), &middle), (None, &large)];
            let code = Code::new(&dispatch(&parts).unwrap().bytes);
            let ready = Ready { kernel: large, code, target };
            let name = format!("{} after {} and {}", ready.kernel.variant, small.variant, middle.variant);
            let mut trial = Trial::new(&ready, &set_up, &libraries, 400, bytes.word());
            guarded::named(&name, || lengths(&mut trial));
        }
    }
}

/// Random variants from the whole space of AES instructions.
#[test]
fn random_variants() {
    let (libraries, mut bytes) = (Libraries::new(), Bytes(61));
    for (task, number) in tasks().flat_map(|task| (0..24).map(move |number| (task, number))) {
        let problem = Problem::new(KeySize::ALL[number % 3], task);
        let Some(set_up) = KeySetUp::new(problem) else { return };
        let Some(ready) = families::random(problem, &mut bytes) else {
            println!("skipped: random variants of {problem}, as none fits this CPU");
            continue;
        };
        let mut trial = Trial::new(&ready, &set_up, &libraries, 0, bytes.word());
        named(&mut trial, |trial| random_calls(trial, 24));
    }
}

/// Every family of a technique: lengths, alignments, splits, carries. Long loops have too many lengths, so that some
/// are left out.
fn family(technique: Technique) {
    let (libraries, mut seed) = (Libraries::new(), Bytes(91));
    families::each_family(technique, |ready| {
        let set_up = KeySetUp::by(ready.kernel.variant.problem, technique, &ready.target);
        let mut trial = Trial::new(ready, &set_up, &libraries, 0, seed.word());
        named(&mut trial, |trial| {
            let step = if trial.task() == Task::Ctr { 1 } else { 16 };
            // Odd, so that every remainder of a block occurs.
            lengths_by(trial, (trial.most / (200 * step)) | 1);
            alignments(trial);
            cuts(trial);
            if trial.task() == Task::Ctr {
                carries(trial);
            }
        });
    });
}

mod families_of_every_technique {
    by_each_technique!(family);
}

/// The sample of a technique that covers its options in pairs.
fn options(technique: Technique) {
    let (libraries, mut seed) = (Libraries::new(), Bytes(101));
    for ready in &families::covering(technique) {
        let set_up = KeySetUp::by(ready.kernel.variant.problem, technique, &ready.target);
        let mut trial = Trial::new(ready, &set_up, &libraries, 0, seed.word());
        named(&mut trial, |trial| {
            random_calls(trial, 16);
            cuts(trial);
        });
    }
}

mod options_in_pairs {
    by_each_technique!(options);
}
