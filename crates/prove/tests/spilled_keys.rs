//! Kernels that spill round keys are proved like all others, and clear them from the stack if requested.

use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;

#[test]
fn spilled_round_keys_are_proved_and_wiped() {
    let mut prover = prover();
    for text in [
        "aes256-ctr ii=3 fold=yes",
        "aes256-ctr interleave=8 cached=2",
        "aes192-ctr interleave=4 counter=precomputed distance=3",
        "aes256-cbc unroll=3 xor=folded",
        "aes256-cbc-x4 together=yes distance=5",
        "aes128-cbc-dec interleave=12",
        "aes256-ecb interleave=8",
    ] {
        for wipe in ["no", "yes"] {
            let variant = format!("{text} keys=0x7fff overflow=spill wipe={wipe}");
            let variant = aesmith_x86::dimensions::variant(&variant).unwrap();
            let kernel = build(&variant, &targets::AESNI).unwrap();
            let kept = kernel.keys_in_registers.count_ones() as usize;
            assert!(
                kept <= variant.problem.key.rounds(),
                "{text}: {kept} keys found registers, so that none was spilled"
            );
            let proof =
                prover.prove(variant.problem, &kernel.bytes).unwrap_or_else(|why| panic!("{variant}: {why}"));
            assert!(proof.frame_bytes > 0, "{variant} has no stack slots");
            assert_eq!(proof.wiped, wipe == "yes", "{variant}");
        }
    }
}
