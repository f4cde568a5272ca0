//! Every technique on every CPU level and width that this CPU runs, against the oracle.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use crate::checks;
use crate::native::Bytes;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::kernels::{Target, build};
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::targets;

/// The levels on which a technique's code differs from its code on lower ones.
const LEVELS: [(&str, &[Technique]); 9] = [
    ("sse2", &[Technique::Bitsliced]),
    ("ssse3", &[Technique::Vperm, Technique::Bitsliced]),
    ("aesni", &[Technique::Aes]),
    ("gfni-sse", &[Technique::Gfni]),
    ("avx", &[Technique::Vperm, Technique::Bitsliced]),
    ("avx2", &[Technique::Vperm, Technique::Bitsliced]),
    ("avx2-gfni", &[Technique::Gfni]),
    ("avx512", &[Technique::Vperm, Technique::Bitsliced]),
    ("gfni", &[Technique::Gfni, Technique::Vbmi]),
];

/// Calls `visit` with each level that this CPU has and each technique that is new on it.
fn each(mut visit: impl FnMut(&str, Target, Technique)) {
    for (level, techniques) in LEVELS {
        let target = targets::of(REQUIREMENTS.level(level).unwrap());
        if !targets::here().has(target.features) {
            println!("skipped: kernels for {level}, which this CPU is not");
            continue;
        }
        techniques.iter().for_each(|technique| visit(level, target, *technique));
    }
}

/// The plain variant of a problem, a random one in the sliced layout if it exists, and random ones, at each
/// width.
fn some(
    problem: Problem,
    target: Target,
    technique: Technique,
    bytes: &mut Bytes,
    run: impl Fn(&Variant, &Target, &mut Bytes) -> bool,
) {
    let widest = target.lanes_of(technique);
    for width in (0..3u16).filter(|w| 1 << w <= widest && (technique != Technique::Vbmi || *w == 2)) {
        if !problem.streams().is_multiple_of(1 << width) && matches!(problem.task, Task::CbcEncrypt { .. }) {
            continue;
        }
        let sliceable = dimensions::TABLE
            .space_by(problem, technique, widest)
            .axes
            .iter()
            .any(|axis| axis.dimension.place == Dim::Layout);
        let mut fitting = 0;
        for trial in 0..200 {
            let mut variant = dimensions::plain(problem, technique);
            if trial > 0 {
                for axis in &dimensions::TABLE.space_by(problem, technique, widest).axes {
                    variant.set(axis.dimension.place, axis.values[bytes.below(axis.values.len())]);
                }
                // Long loops are slow to write, so most have few blocks.
                if matches!(problem.task, Task::CbcEncrypt { .. }) {
                    variant.set(Dim::Unroll, 1 + bytes.below(4) as u16);
                } else {
                    variant.set(Dim::Interval, [0, 5][bytes.below(2)]);
                    variant.set(Dim::Interleave, 1 << bytes.below(3));
                }
                variant.set(Dim::Wipe, bytes.below(2) as u16);
            }
            variant.set(Dim::Width, width);
            if trial == 1 {
                variant.set(Dim::Layout, u16::from(sliceable));
            }
            fitting += usize::from(run(&variant.clamped(), &target, bytes));
            if fitting == 3 {
                break;
            }
        }
        assert!(fitting > 0, "no variant of {problem} by {technique} of width {width} fits {target}");
    }
}

#[test]
fn parallel_modes() {
    let mut bytes = Bytes(21);
    let mut turn = 0;
    each(|_, target, technique| {
        for task in
            [Task::Ctr, Task::Ecb(Direction::Encrypt), Task::Ecb(Direction::Decrypt), Task::CbcDecrypt]
        {
            turn += 1;
            let problem = Problem::new(KeySize::ALL[turn % 3], task);
            some(problem, target, technique, &mut bytes, checks::messages);
        }
    });
}

#[test]
fn cbc_encryption() {
    let mut bytes = Bytes(22);
    let mut turn = 0;
    each(|_, target, technique| {
        for streams in [1, 4] {
            turn += 1;
            let problem = Problem::new(KeySize::ALL[turn % 3], Task::CbcEncrypt { streams });
            some(problem, target, technique, &mut bytes, checks::streams);
        }
    });
}

#[test]
fn key_set_up() {
    let mut bytes = Bytes(23);
    each(|level, target, technique| {
        for size in KeySize::ALL {
            for task in
                [Task::KeySchedule(Direction::Encrypt), Task::KeySchedule(Direction::Decrypt), Task::CtrTable]
            {
                for wipe in [0, 1] {
                    let problem = Problem::new(size, task);
                    let variant = dimensions::plain(problem, technique).with(Dim::Wipe, wipe);
                    let built = checks::keys(&variant, &target, &mut bytes);
                    assert!(built, "{variant} does not fit {level}");
                }
            }
        }
    });
}

#[test]
fn what_a_cpu_lacks_is_told_with_what_would_work() {
    let sentence = |text: &str, level: &str| {
        let target = targets::of(REQUIREMENTS.level(level).unwrap());
        build(&dimensions::variant(text).unwrap(), &target).unwrap_err().to_string()
    };
    let lacking = sentence("aes128-ctr technique=gfni", "avx2");
    assert!(lacking.contains("gfni needs GFNI") && lacking.contains("avx2 lacks"), "{lacking}");
    assert!(lacking.contains("vperm, bitsliced"), "{lacking}");
    let lacking = sentence("aes128-ctr", "sse2");
    assert!(lacking.contains("AES instructions") && lacking.contains("bitsliced"), "{lacking}");
    let narrow = sentence("aes128-ctr technique=bitsliced width=zmm", "avx2");
    assert!(narrow.contains("width=zmm") && narrow.contains("ymm is the widest"), "{narrow}");
    let streams = sentence("aes128-cbc-x16", "aesni");
    assert!(streams.contains("16 streams") && streams.contains("aes128-cbc-x8"), "{streams}");
}
