//! Single-fault mutants of kernels: the prover alone refutes all that are faults. The mutants that it proves are run in
//! the simulator, which must find no fault either.

use crate::simulated;
use aesmith_prove::{Proof, Refutation};
use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::levels::LEVELS;
use aesmith_x86::mutants::mutants;
use aesmith_x86::targets;

/// Kernels, the level of CPU features that each is for, the number of blocks for its runs in the simulator, and the
/// step between the mutants that are tried; all mutants would take minutes on a slow core.
const KERNELS: [(&str, &str, usize, usize); 15] = [
    ("aes128-ecb width=zmm interleave=2", "", 20, 5),
    ("aes256-ecb-dec interleave=3", "", 8, 5),
    ("aes128-cbc-dec width=ymm interleave=2 fold=yes", "", 10, 5),
    ("aes128-cbc unroll=2 xor=folded", "", 6, 5),
    ("aes128-cbc-x2 unroll=2 together=yes xor=modified", "", 8, 5),
    ("aes128-ctr interleave=2", "", 8, 5),
    ("aes128-ctr width=zmm interleave=2 counter=add fold=yes", "", 40, 5),
    ("aes128-ctr width=zmm interleave=2 cached=1", "", 40, 5),
    ("aes128-ecb technique=gfni layout=sliced width=xmm", "gfni", 20, 37),
    ("aes128-cbc technique=gfni width=xmm", "gfni-sse", 4, 17),
    ("aes128-ecb-dec technique=vperm", "ssse3", 4, 41),
    ("aes128-ecb technique=vbmi width=zmm", "vbmi", 6, 31),
    ("aes128-ecb technique=bitsliced layout=sliced", "sse2", 10, 401),
    ("aes128-ecb technique=table", "sse2", 4, 67),
    ("aes128-ctr technique=table cached=1", "sse2", 4, 131),
];

/// The step between the mutants that are also proved without short cuts.
const PLAIN: usize = 3;

/// The verdict on a kernel: its class, whether it is wiped, and its stack in bytes; `None` if it is refuted.
fn verdict(found: &Result<Proof, Box<Refutation>>) -> Option<(&'static str, bool, usize)> {
    found.as_ref().ok().map(|proof| (proof.constant_time(), proof.wiped, proof.frame_bytes))
}

#[test]
fn the_prover_kills_every_fault() {
    let mut plain = prover().without_short_cuts();
    let mut prover = prover();
    let (mut refuted, mut equal) = (0, 0);
    for (text, level, blocks, step) in KERNELS {
        let variant = dimensions::variant(text).unwrap();
        let level = LEVELS.iter().find(|l| l.name == level);
        let target = level.map_or(targets::ALL, |level| targets::of(level.features));
        let kernel = build(&variant, &target).unwrap();
        prover.prove(variant.problem, &kernel.bytes).unwrap_or_else(|r| panic!("{text}: {r}"));
        simulated::calls(variant.problem, &kernel.bytes, blocks).unwrap_or_else(|e| panic!("{text}: {e}"));
        for (number, mutant) in mutants(&kernel.bytes).step_by(step).enumerate() {
            let found = prover.prove(variant.problem, &mutant.code);
            if number % PLAIN == 0 {
                let (found, plain) = (verdict(&found), verdict(&plain.prove(variant.problem, &mutant.code)));
                let what = format!("{text}, {} at {:#x}", mutant.fault, mutant.offset);
                assert_eq!(found, plain, "{what}: with and without short cuts");
            }
            match found {
                Err(_) => refuted += 1,
                Ok(_) => {
                    equal += 1;
                    if let Err(wrong) = simulated::calls(variant.problem, &mutant.code, blocks) {
                        panic!(
                            "{text}: proved with a fault at {:#x}, {}: {wrong}",
                            mutant.offset, mutant.fault
                        );
                    }
                }
            }
        }
    }
    println!("{refuted} mutants refuted, {equal} proved to be no faults and confirmed in the simulator");
    assert!(refuted >= 1000, "only {refuted} mutants");
    assert!(equal * 10 < refuted, "{equal} of {refuted} mutants are no faults: the faults are too weak");
}
