//! Kernels with `wipe=yes` leave nothing of key and text behind, with every technique, in every mode and for every kind
//! of machine; and a single place that is not cleared is found.

use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::{Kernel, build};
use aesmith_x86::levels::LEVELS;
use aesmith_x86::targets;

const MESSAGES: &[&str] =
    &["aes128-ecb", "aes192-ecb-dec", "aes128-cbc", "aes128-cbc-x4", "aes256-cbc-dec", "aes128-ctr"];
/// Problems that fill registers of four blocks.
const WIDE: &[&str] = &["aes128-ecb", "aes192-ecb-dec", "aes128-cbc-x4", "aes256-cbc-dec", "aes128-ctr"];
/// Problems whose blocks do not depend on each other, which have a sliced layout.
const PARALLEL: &[&str] = &["aes128-ecb", "aes128-ecb-dec", "aes192-cbc-dec", "aes256-ctr"];
const CTR: &[&str] = &["aes128-ctr"];
const SET_UP: &[&str] = &["aes128-key", "aes192-key-dec", "aes256-key", "aes128-ctr-table"];

/// Problems, a technique with options, and levels that it is built for: one for each encoding.
const FAMILIES: &[(&[&str], &str, &[&str])] = &[
    (MESSAGES, "technique=aes", &["aesni", "avx-aesni"]),
    (WIDE, "technique=aes width=zmm", &["vaes"]),
    (MESSAGES, "technique=gfni", &["gfni-sse", "avx2-gfni", "gfni"]),
    (MESSAGES, "technique=vperm", &["ssse3", "avx"]),
    (WIDE, "technique=vperm width=zmm", &["avx512"]),
    (WIDE, "technique=vbmi width=zmm", &["vbmi"]),
    (MESSAGES, "technique=bitsliced", &["sse2", "avx"]),
    (MESSAGES, "technique=table", &["sse2"]),
    (PARALLEL, "technique=table extract=memory", &["sse2"]),
    (MESSAGES, "technique=table tables=padded", &["sse2"]),
    (MESSAGES, "technique=table roundkeys=vectors", &["sse4.1"]),
    (MESSAGES, "technique=bytewise", &["sse2"]),
    (MESSAGES, "technique=bytewise words=yes mixcolumns=table subbytes=unrolled inline=yes", &["sse2"]),
    (PARALLEL, "technique=gfni layout=sliced", &["gfni-sse", "avx2-gfni"]),
    (PARALLEL, "technique=gfni layout=sliced width=zmm", &["gfni"]),
    (PARALLEL, "technique=vperm layout=sliced", &["ssse3"]),
    (PARALLEL, "technique=bitsliced layout=sliced", &["sse2", "avx"]),
    (PARALLEL, "technique=bitsliced layout=sliced width=ymm", &["avx2"]),
    (PARALLEL, "technique=bitsliced layout=sliced width=zmm", &["avx512"]),
    (CTR, "technique=aes interleave=4 cached=2", &["avx-aesni"]),
    (CTR, "technique=gfni layout=sliced width=zmm cached=2", &["gfni"]),
    (CTR, "technique=table cached=2", &["sse2"]),
    (SET_UP, "technique=aes", &["aesni", "avx-aesni", "vaes"]),
    (SET_UP, "technique=gfni", &["gfni-sse", "gfni"]),
    (SET_UP, "technique=vperm", &["ssse3", "avx", "avx512"]),
    (SET_UP, "technique=vbmi", &["vbmi"]),
    (SET_UP, "technique=bitsliced", &["sse2", "avx", "avx512"]),
    (SET_UP, "technique=table", &["sse2"]),
    (SET_UP, "technique=bytewise", &["sse2"]),
];

fn kernel(text: &str, level: &str) -> Kernel {
    let features = LEVELS.iter().find(|l| l.name == level).expect("a level").features;
    let variant = dimensions::variant(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    build(&variant, &targets::of(features)).unwrap_or_else(|e| panic!("{text} on {level}: {e}"))
}

#[test]
fn every_technique_mode_and_encoding_is_wiped() {
    let mut prover = prover();
    let mut left = Vec::new();
    for &(problems, technique, levels) in FAMILIES {
        for problem in problems {
            for level in levels {
                let text = format!("{problem} {technique} wipe=yes");
                let kernel = kernel(&text, level);
                match prover.prove(kernel.variant.problem, &kernel.bytes) {
                    Ok(proof) if proof.wiped => {}
                    Ok(_) => left.push(format!("{text} on {level}")),
                    Err(refutation) => left.push(format!("{text} on {level}: {refutation}")),
                }
            }
        }
    }
    assert!(left.is_empty(), "{} are not proved to leave nothing:\n{}", left.len(), left.join("\n"));
}

/// One clearing instruction is replaced by no-ops.
#[test]
fn a_place_that_is_not_cleared_is_found() {
    const NOP: u8 = 0x90;
    let mut prover = prover();
    // vzeroall; pxor of xmm1 and kxorq of k2 with themselves.
    let cases: [(&str, &str, &[u8]); 3] = [
        ("aes128-ecb technique=gfni width=zmm", "gfni", &[0xc5, 0xfc, 0x77]),
        ("aes128-ecb technique=vperm", "ssse3", &[0x66, 0x0f, 0xef, 0xc9]),
        ("aes128-ecb technique=vbmi width=zmm", "vbmi", &[0xc4, 0xe1, 0xec, 0x47, 0xd2]),
    ];
    for (text, level, clearing) in cases {
        let kernel = kernel(&format!("{text} wipe=yes"), level);
        let mut bytes = kernel.bytes;
        let found = bytes[..kernel.code_end].windows(clearing.len()).rposition(|w| w == clearing);
        let at = found.unwrap_or_else(|| panic!("{text}: nothing is cleared by {clearing:02x?}"));
        bytes[at..at + clearing.len()].fill(NOP);
        let proof = prover.prove(kernel.variant.problem, &bytes).unwrap_or_else(|r| panic!("{text}: {r}"));
        assert!(!proof.wiped, "{text} without what clears at {at:#x}");
    }
}
