//! Key set-up and dispatch on this CPU against the oracle.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use crate::checks::streams_of;
use crate::native::{Bytes, Code, key_structure};
use aesmith_arrange::Variant;
use aesmith_cipher::{Direction, KeySize, Problem, Task, contract, modes};
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::kernels::{Target, build, dispatch};
use aesmith_x86::targets;

#[test]
fn schedules_and_tables() {
    let target = targets::here();
    if target.lanes() == 0 {
        println!("skipped: this CPU has no AES instructions");
        return;
    }
    let mut bytes = Bytes(11);
    let narrow = target.within(targets::AESNI);
    for size in KeySize::ALL {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            for method in [0, 1] {
                for wipe in [0, 1] {
                    let problem = Problem::new(size, Task::KeySchedule(direction));
                    let variant =
                        dimensions::baseline(problem).with(Dim::Schedule, method).with(Dim::Wipe, wipe);
                    let code = Code::new(&build(&variant, &target).unwrap().bytes);
                    for _ in 0..20 {
                        let key = bytes.take(size.bytes());
                        let mut structure = vec![0x5a; 256];
                        // SAFETY: a key schedule's kernel and room for its result.
                        unsafe { code.key(structure.as_mut_ptr(), key.as_ptr()) };
                        let end = 16 * (size.rounds() + 1);
                        assert_eq!(structure[..end], key_structure(problem, &key)[..end], "{variant}");
                        assert!(structure[end..].iter().all(|b| *b == 0x5a), "{variant}");
                    }
                }
            }
        }
        let problem = Problem::new(size, Task::CtrTable);
        for target in [target, narrow] {
            let code = Code::new(&build(&dimensions::baseline(problem), &target).unwrap().bytes);
            let expected = key_structure(problem, &bytes.take(size.bytes()));
            let mut structure = expected.clone();
            structure[contract::TABLE_OFFSET..].fill(0);
            // SAFETY: the table's kernel and a whole key structure.
            unsafe { code.key(structure.as_mut_ptr(), std::ptr::null()) };
            assert_eq!(structure, expected);
        }
    }
}

#[test]
fn dispatch_by_length() {
    let target = targets::here();
    if target.lanes() == 0 {
        println!("skipped: this CPU has no AES instructions");
        return;
    }
    let tasks = [Task::Ctr, Task::Ecb(Direction::Encrypt), Task::CbcDecrypt, Task::CbcEncrypt { streams: 1 }];
    for problem in tasks.map(|task| Problem::new(KeySize::Aes256, task)) {
        let small = dimensions::baseline(problem);
        let mut large = small.clone();
        match problem.task {
            Task::CbcEncrypt { .. } => large.set(Dim::Unroll, 4),
            _ => {
                large.set(Dim::Interleave, 8);
                large.set(Dim::Width, target.lanes().ilog2() as u16);
            }
        }
        if problem.task == Task::Ctr {
            large.set(Dim::Cached, 2);
        }
        chosen_by_length(&target, &small, &large);
    }
}

/// Joins two kernels and checks them against the oracle at lengths on both sides of the choice.
fn chosen_by_length(target: &Target, small: &Variant, large: &Variant) {
    let problem = small.problem;
    let kernels = target.parts(&[(Some(112), small), (None, large)]).unwrap();
    let [small, large] = &kernels[..] else { panic!("two variants are two kernels") };
    let joined = dispatch(&[(Some(112), small), (None, large)]).unwrap();
    let code = Code::new(&joined.bytes);
    let mut bytes = Bytes(5);
    let key = bytes.take(32);
    let structure = key_structure(problem, &key);
    for length in [0, 1, 16, 99, 112, 113, 128, 1000, 5000] {
        let length = if problem.task == Task::Ctr { length } else { length & !15 };
        let mut iv: [u8; 16] = bytes.take(16).try_into().unwrap();
        let input = bytes.take(length);
        let (expected, next) = modes::message(problem, &key, iv, &input);
        let mut output = vec![0; length];
        // SAFETY: kernels of this problem and whole buffers.
        unsafe { code.message(problem, &structure, &mut iv, input.as_ptr(), output.as_mut_ptr(), length) };
        assert_eq!(output, expected, "{problem}, length {length}");
        assert!(!problem.has_iv() || iv == next, "{problem}, length {length}");
    }
    assert!(dispatch(&[(None, small), (None, large)]).is_err());
    assert!(dispatch(&[(Some(96), small), (Some(48), small), (None, large)]).is_err());
}

/// With several streams, the first length decides; the others are arbitrary.
#[test]
fn dispatch_by_the_first_length_of_several() {
    let target = targets::here();
    if target.lanes() == 0 {
        println!("skipped: this CPU has no AES instructions");
        return;
    }
    let mut bytes = Bytes(9);
    for streams in [2, 8] {
        let problem = Problem::new(KeySize::Aes128, Task::CbcEncrypt { streams });
        let small = dimensions::baseline(problem);
        let large = small.clone().with(Dim::Unroll, 4).with(Dim::Streams, 1);
        let kernels = target.parts(&[(Some(64), &small), (None, &large)]).unwrap();
        let joined = dispatch(&[(Some(64), &kernels[0]), (None, &kernels[1])]).unwrap();
        streams_of(problem, &joined.bytes, "a choice by length", &mut bytes);
    }
}
