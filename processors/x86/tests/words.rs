//! Kernels of techniques on words on this CPU against the oracle: every option, each with every value of every
//! other, at all short lengths, across counter carries, in place and separate.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use crate::native::{Bytes, Code, key_structure};
use aesmith_arrange::Variant;
use aesmith_cipher::{Direction, KeySize, Problem, Task, modes};
use aesmith_dataflow::Technique;
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::kernels::{Unfit, build};
use aesmith_x86::targets;
use std::collections::HashSet;

/// Runs one kernel over messages of these lengths.
fn check_lengths(variant: &Variant, bytes: &mut Bytes, lengths: &[usize]) {
    let kernel = build(variant, &targets::here()).unwrap_or_else(|e| panic!("{variant}: {e}"));
    let problem = variant.problem;
    let code = Code::new(&kernel.bytes);
    let key = bytes.take(problem.key.bytes());
    let structure = key_structure(problem, &key);
    for &length in lengths {
        let length = if problem.task == Task::Ctr { length } else { length & !15 };
        let mut iv: [u8; 16] = bytes.take(16).try_into().unwrap();
        // Half the time, counters just below a byte carry.
        if bytes.below(2) == 0 {
            let from = 15 - bytes.below(16);
            iv[from..].fill(0xff);
            iv[15] = 0xff - bytes.below(8) as u8;
        }
        let input = bytes.take(length);
        let (expected, expected_iv) = modes::message(problem, &key, iv, &input);
        let mut source = vec![0xa5u8; length + 128];
        let mut target = vec![0x5au8; length + 128];
        let skew = bytes.below(64);
        source[skew..skew + length].copy_from_slice(&input);
        let in_place = bytes.below(2) == 0;
        let cut = if bytes.below(2) == 0 { length } else { bytes.below(length / 16 + 1) * 16 };
        let mut got_iv = iv;
        let from = source[skew..].as_mut_ptr();
        let to = if in_place { from } else { target[skew..].as_mut_ptr() };
        // SAFETY: a kernel of this problem, whole buffers around the texts.
        unsafe {
            code.message(problem, &structure, &mut got_iv, from, to, cut);
            code.message(problem, &structure, &mut got_iv, from.add(cut), to.add(cut), length - cut);
        }
        let (around, canary) = if in_place { (&source, 0xa5) } else { (&target, 0x5a) };
        let got = &around[skew..skew + length];
        let bad = got.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(bad, None, "{variant}\nlength {length}, cut {cut}, in place {in_place}, iv {iv:02x?}");
        assert_eq!(
            got_iv,
            if problem.has_iv() { expected_iv } else { iv },
            "IV of {variant}, length {length}"
        );
        let outside = around[..skew].iter().chain(&around[skew + length..]);
        assert!(outside.clone().all(|b| *b == canary), "{variant} writes beyond its output");
    }
}

fn check(variant: &Variant, bytes: &mut Bytes) {
    let lengths: Vec<usize> = (0..20).map(|_| bytes.below(200)).chain([0, 1, 15, 16, 4096 + 7]).collect();
    check_lengths(variant, bytes, &lengths);
}

/// Variants of a problem that fit, in a random order, such that every two compatible values of two dimensions
/// occur together.
fn pairwise(problem: Problem, technique: Technique, bytes: &mut Bytes) -> Vec<Variant> {
    let space = dimensions::TABLE.space_by(problem, technique, 1);
    let axes: Vec<(Dim, Vec<u16>)> = space
        .axes
        .iter()
        .map(|a| (Dim::of(a.dimension), a.values.clone()))
        .filter(|a| a.0 != Dim::Restrict)
        .collect();
    let mut open = HashSet::new();
    for (i, a) in axes.iter().enumerate() {
        for b in &axes[..i] {
            for &x in &a.1 {
                open.extend(b.1.iter().map(|&y| (a.0, x, b.0, y)));
            }
        }
    }
    let mut found = Vec::new();
    // Pairs that exclude each other stay open; the number of consecutive trials that cover no pair is bounded.
    let mut idle = 0;
    while !open.is_empty() && idle < 300 {
        let mut best: Option<(usize, Variant)> = None;
        for _ in 0..8 {
            let mut variant = dimensions::plain(problem, technique);
            for (dim, values) in &axes {
                variant.set(*dim, values[bytes.below(values.len())]);
            }
            variant.set(Dim::Wipe, bytes.below(2) as u16);
            let new =
                open.iter().filter(|(a, x, b, y)| variant.get(*a) == *x && variant.get(*b) == *y).count();
            if new > best.as_ref().map_or(0, |b| b.0)
                && variant.check().is_ok()
                && build(&variant, &targets::here()).is_ok()
            {
                best = Some((new, variant));
            }
        }
        match best {
            Some((_, variant)) => {
                open.retain(|(a, x, b, y)| variant.get(*a) != *x || variant.get(*b) != *y);
                found.push(variant);
                idle = 0;
            }
            None => idle += 1,
        }
    }
    found
}

fn all_pairs(technique: Technique, tasks: &[Task], seed: u64) {
    let mut bytes = Bytes(seed);
    for (i, &task) in tasks.iter().enumerate() {
        // Every key size for CTR, which has the most options, and one each for the others.
        for key in KeySize::ALL.into_iter().skip(i % 3).take(if task == Task::Ctr { 3 } else { 1 }) {
            let problem = Problem::new(key, task);
            let variants = pairwise(problem, technique, &mut bytes);
            assert!(variants.len() > 8, "{problem} by {technique}: {} variants", variants.len());
            for variant in &variants {
                check(variant, &mut bytes);
            }
            println!("{problem} by {technique}: {} variants ({i})", variants.len());
        }
    }
}

const TASKS: [Task; 5] = [
    Task::Ctr,
    Task::Ecb(Direction::Encrypt),
    Task::Ecb(Direction::Decrypt),
    Task::CbcEncrypt { streams: 1 },
    Task::CbcDecrypt,
];

#[test]
fn tables_in_pairs_of_options() {
    all_pairs(Technique::Table, &TASKS, 11);
}

#[test]
fn bytes_in_pairs_of_options() {
    all_pairs(Technique::Bytewise, &TASKS, 13);
}

/// The four optimizations of "Optimization of AES in Software", each switched independently.
#[test]
fn all_sixteen_ways_of_bytes() {
    let mut bytes = Bytes(14);
    for ways in 0..16u16 {
        for task in TASKS {
            let mut variant = dimensions::plain(Problem::new(KeySize::Aes128, task), Technique::Bytewise);
            for (i, dim) in [Dim::SubBytes, Dim::MixColumns, Dim::Inline, Dim::Words].into_iter().enumerate()
            {
                variant.set(dim, ways >> i & 1);
            }
            check_lengths(&variant, &mut bytes, &[0, 16, 48, 1024]);
        }
    }
}

#[test]
fn key_set_up() {
    let mut bytes = Bytes(16);
    // Nothing on words computes the powers of a hash key.
    let is_known = |problem: &Problem| problem.is_key_set_up() && problem.task != Task::GcmTable;
    for problem in Problem::all().into_iter().filter(is_known) {
        for technique in [Technique::Table, Technique::Bytewise] {
            for wipe in 0..2 {
                let variant = dimensions::plain(problem, technique).with(Dim::Wipe, wipe);
                let kernel = build(&variant, &targets::here()).unwrap();
                let key = bytes.take(problem.key.bytes());
                let expected = key_structure(problem, &key);
                let mut structure = vec![0x5a; expected.len() + 64];
                let part = match problem.task {
                    Task::CtrTable => {
                        structure[..256].copy_from_slice(&expected[..256]);
                        expected.len()
                    }
                    _ => 16 * (problem.key.rounds() + 1),
                };
                // SAFETY: a kernel of this problem with room for the structure.
                unsafe { Code::new(&kernel.bytes).key(structure.as_mut_ptr(), key.as_ptr()) };
                assert_eq!(structure[..part], expected[..part], "{variant}");
                assert!(structure[part..].iter().all(|b| *b == 0x5a), "{variant}");
            }
        }
    }
}

/// CBC encryption of several streams with different lengths.
#[test]
fn streams_one_after_the_other() {
    let mut bytes = Bytes(15);
    for streams in [2u8, 3, 4, 8, 16] {
        for (i, technique) in [Technique::Table, Technique::Bytewise].into_iter().enumerate() {
            let key = KeySize::ALL[(usize::from(streams) + i) % 3];
            let problem = Problem::new(key, Task::CbcEncrypt { streams });
            for variant in pairwise(problem, technique, &mut bytes).into_iter().take(8) {
                check_streams(&variant, &mut bytes);
            }
        }
    }
}

fn check_streams(variant: &Variant, bytes: &mut Bytes) {
    let kernel = build(variant, &targets::here()).unwrap();
    let problem = variant.problem;
    let code = Code::new(&kernel.bytes);
    let single = Problem::new(problem.key, Task::CbcEncrypt { streams: 1 });
    let count = problem.streams();
    let keys: Vec<Vec<u8>> = (0..count).map(|_| bytes.take(problem.key.bytes())).collect();
    let structures: Vec<Vec<u8>> = keys.iter().map(|key| key_structure(problem, key)).collect();
    let ivs: Vec<[u8; 16]> = (0..count).map(|_| bytes.take(16).try_into().unwrap()).collect();
    let texts: Vec<Vec<u8>> = (0..count)
        .map(|_| {
            let blocks = bytes.below(20);
            bytes.take(16 * blocks)
        })
        .collect();
    let mut outputs: Vec<Vec<u8>> = texts.iter().map(|t| vec![0x5a; t.len() + 32]).collect();
    let mut got_ivs = ivs.clone();
    // SAFETY: a kernel of this problem, whole buffers behind every pointer.
    unsafe {
        code.streams(
            &structures.iter().map(|s| s.as_ptr()).collect::<Vec<_>>(),
            &got_ivs.iter_mut().map(|iv| iv.as_mut_ptr()).collect::<Vec<_>>(),
            &texts.iter().map(|t| t.as_ptr()).collect::<Vec<_>>(),
            &outputs.iter_mut().map(|o| o.as_mut_ptr()).collect::<Vec<_>>(),
            &texts.iter().map(Vec::len).collect::<Vec<_>>(),
        );
    }
    for stream in 0..count {
        let (expected, iv) = modes::message(single, &keys[stream], ivs[stream], &texts[stream]);
        let (got, beyond) = outputs[stream].split_at(texts[stream].len());
        assert_eq!(got, expected, "{variant}: stream {stream}");
        assert_eq!(beyond, [0x5a; 32], "{variant}: beyond stream {stream}");
        assert_eq!(got_ivs[stream], iv, "{variant}: IV of stream {stream}");
    }
}

#[test]
fn every_short_length() {
    let mut bytes = Bytes(12);
    let lengths: Vec<usize> = (0..=100).collect();
    for task in TASKS {
        for key in KeySize::ALL {
            let plain = dimensions::plain(Problem::new(key, task), Technique::Table);
            check_lengths(&plain, &mut bytes, &lengths);
            if task == Task::Ctr {
                for cached in 1..=2 {
                    let variant = plain.clone().with(Dim::Cached, cached).with(Dim::Extract, 1);
                    check_lengths(&variant, &mut bytes, &lengths);
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_says_why() {
    let say = |text: &str| match build(&dimensions::variant(text).unwrap(), &targets::here()) {
        Err(error @ (Unfit::Shape(_) | Unfit::Registers { .. })) => error.to_string(),
        other => panic!("{text}: {:?}", other.map(|_| ())),
    };
    let error = say("aes128-ctr technique=table interleave=5");
    assert!(error.contains("interleave=5") && error.contains("2 may"), "{error}");
    let error = say("aes128-ctr technique=table interleave=2 extract=registers");
    assert!(error.contains("registers and there are 15"), "{error}");
}
