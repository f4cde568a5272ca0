//! CBC encryption of one and several streams on this CPU against the oracle.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use aesmith_cipher::{KeySize, Problem, Task, problem::STREAMS};
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::targets;

use crate::checks::streams as streams_agree;
use crate::native::Bytes;

#[test]
fn every_number_of_streams() {
    let lanes = targets::here().lanes();
    if lanes == 0 {
        println!("skipped: this CPU has no AES instructions");
        return;
    }
    let mut bytes = Bytes(7);
    for streams in STREAMS {
        // Their states would fill all registers, and their rounds need one more.
        if lanes == 1 && streams == 16 {
            println!("skipped: 16 streams, as this CPU has no VAES");
            continue;
        }
        let mut built = 0;
        for trial in 0.. {
            let problem = Problem::new(KeySize::ALL[trial % 3], Task::CbcEncrypt { streams });
            let mut variant = dimensions::baseline(problem);
            for axis in &dimensions::space(problem, lanes).axes {
                variant.set(axis.dimension.place, axis.values[bytes.below(axis.values.len())]);
            }
            if bytes.below(2) == 0 {
                variant.set(Dim::Prefetch, 0);
            }
            variant.set(Dim::Wipe, bytes.below(2) as u16);
            built += usize::from(streams_agree(&variant.clamped(), &targets::here(), &mut bytes));
            if built == 25 {
                break;
            }
            assert!(trial < 2000, "too few variants of {problem} fit: {built}");
        }
    }
}
