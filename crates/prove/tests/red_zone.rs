//! The proof's statement on the red zone: how far below the stack pointer a kernel reads or writes. Our kernels leave
//! the red zone alone, so systems whose interrupts write there can call them.

use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::levels::LEVELS;
use aesmith_x86::targets;

#[test]
fn kernels_leave_it_alone() {
    let mut prover = prover();
    for (text, level) in [
        ("aes128-ctr", "aesni"),
        ("aes256-ctr interleave=8 counter=precomputed wipe=yes", "avx-aesni"),
        ("aes128-ctr width=ymm interleave=2 cached=2", "avx2-vaes"),
        ("aes128-ctr technique=bitsliced layout=sliced", "sse2"),
        ("aes192-ctr technique=vperm interleave=2", "ssse3"),
        ("aes128-cbc-x4 unroll=2 together=yes xor=folded", "aesni"),
        ("aes128-cbc-dec interleave=4", "aesni"),
        ("aes128-key-dec", "aesni"),
    ] {
        let level = LEVELS.iter().find(|l| l.name == level).unwrap();
        let variant = dimensions::variant(text).unwrap();
        let kernel = build(&variant, &targets::of(level.features)).unwrap_or_else(|e| panic!("{text}: {e}"));
        let proof = prover.prove(variant.problem, &kernel.bytes).unwrap();
        assert_eq!(proof.red_zone_bytes, 0, "{text}");
    }
}

/// Instructions before a kernel that use the red zone, and others that do not.
#[test]
fn what_uses_it_is_told_how_far() {
    let variant = dimensions::variant("aes128-ecb").unwrap();
    let kernel = build(&variant, &targets::AESNI).unwrap();
    let (store, load): (&[u8], &[u8]) = (&[0x48, 0x89, 0x7c, 0x24, 0xf0], &[0x48, 0x8b, 0x44, 0x24, 0xf0]);
    let pushed: &[u8] = &[0x57, 0x5f];
    let lowered: &[u8] = &[0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x3c, 0x24, 0x48, 0x83, 0xc4, 0x18];
    for (code, below) in [
        (store.to_vec(), 16),
        ([store, load].concat(), 16),
        (pushed.to_vec(), 0),
        (lowered.to_vec(), 0),
        // The bytes were written above the stack pointer, but lie below it when they are read.
        ([&[0x57, 0x58][..], &[0x48, 0x8b, 0x44, 0x24, 0xf8]].concat(), 8),
    ] {
        let bytes = [&code[..], &kernel.bytes].concat();
        let proof = prover().prove(variant.problem, &bytes).unwrap_or_else(|e| panic!("{code:x?}: {e}"));
        assert_eq!(proof.red_zone_bytes, below, "{code:x?}");
    }
}
