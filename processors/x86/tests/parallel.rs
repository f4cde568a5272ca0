//! Kernels over independent blocks on this CPU against the oracle: lengths, carries, splits into calls,
//! alignment, in place.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use aesmith_arrange::Variant;
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::targets;

use crate::checks::messages;
use crate::native::Bytes;

fn random_variant(problem: Problem, bytes: &mut Bytes, lanes: usize) -> Variant {
    let space = dimensions::space(problem, lanes);
    let mut variant = dimensions::baseline(problem);
    for axis in &space.axes {
        variant.set(axis.dimension.place, axis.values[bytes.below(axis.values.len())]);
    }
    if bytes.below(2) == 0 {
        variant.set(Dim::Interval, 0);
    }
    if problem.task == Task::Ctr && bytes.below(2) == 0 {
        variant.set(Dim::Interleave, 1 << bytes.below(4));
    }
    variant.set(Dim::Wipe, bytes.below(2) as u16);
    variant.clamped()
}

fn many(task: Task, seed: u64) {
    let lanes = targets::here().lanes();
    if lanes == 0 {
        println!("skipped: this CPU has no AES instructions");
        return;
    }
    let mut bytes = Bytes(seed);
    let mut built = 0;
    for trial in 0.. {
        let problem = Problem::new(KeySize::ALL[trial % 3], task);
        built +=
            usize::from(messages(&random_variant(problem, &mut bytes, lanes), &targets::here(), &mut bytes));
        if built == 60 {
            break;
        }
        assert!(trial < 2000, "too few variants of {problem} fit: {built}");
    }
}

#[test]
fn ctr() {
    many(Task::Ctr, 1);
}

#[test]
fn ecb() {
    many(Task::Ecb(Direction::Encrypt), 2);
    many(Task::Ecb(Direction::Decrypt), 3);
}

#[test]
fn cbc_decryption() {
    many(Task::CbcDecrypt, 4);
}
