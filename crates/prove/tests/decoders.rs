//! Reads the instructions of our kernels with a second decoder: GNU objdump prints each, GNU as assembles the printed
//! text, and the result has to be the same instruction. If two decoders differ, two processors might.

use crate::binutils::{Directory, SLOT, assemble, decode, disassemble, for_as, text};
use aesmith_cipher::Problem;
use aesmith_x86::dimensions;
use aesmith_x86::encoding;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::targets;
use std::collections::BTreeSet;
use std::process::Command;

const LEVELS: [&str; 9] =
    ["sse2", "ssse3", "aesni", "gfni-sse", "avx-aesni", "avx2-gfni", "vaes", "gfni", "vbmi"];
const FORMS: [&str; 13] = [
    "technique=aes",
    "technique=aes width=zmm interleave=4 streaming=yes wipe=yes",
    "technique=aes width=zmm interleave=4 tail=halve",
    "technique=aes interleave=4 cached=2",
    "technique=gfni",
    "technique=gfni width=zmm",
    "technique=gfni layout=sliced",
    "technique=vperm",
    "technique=vbmi width=zmm",
    "technique=bitsliced",
    "technique=bitsliced layout=sliced",
    "technique=table",
    "technique=bytewise",
];

/// The bytes of each executed instruction of these kernels, without jumps, whose distances mean nothing here.
fn instructions() -> (usize, BTreeSet<Vec<u8>>) {
    let (mut kernels, mut seen) = (0, BTreeSet::new());
    let mut prover = prover();
    for level in LEVELS {
        let features = REQUIREMENTS.level(level).expect("a level");
        for problem in ["aes128-ecb", "aes256-cbc-dec", "aes192-ctr", "aes128-cbc-x4", "aes256-key"] {
            let problem: Problem = problem.parse().expect("a problem");
            for form in FORMS {
                let Ok(variant) = dimensions::variant(&format!("{problem} {form}")) else { continue };
                let Ok(kernel) = build(&variant, &targets::of(features)) else { continue };
                let proof = prover.prove(problem, &kernel.bytes).unwrap_or_else(|r| panic!("{variant}: {r}"));
                kernels += 1;
                for range in &proof.coverage.executed {
                    let mut at = range.start;
                    while at < range.end {
                        let i = decode(&kernel.bytes[at..], at);
                        let bytes = &kernel.bytes[at..at + i.len()];
                        encoding::check(&i, bytes).unwrap_or_else(|e| panic!("{variant}: {}: {e}", text(&i)));
                        at += i.len();
                        if !i.is_jmp_short_or_near() && !i.is_jcc_short_or_near() {
                            seen.insert(bytes.to_vec());
                        }
                    }
                }
            }
        }
    }
    (kernels, seen)
}

#[test]
fn a_second_decoder_reads_the_same() {
    if ["as", "objdump", "objcopy"].iter().any(|tool| Command::new(tool).arg("--version").output().is_err()) {
        println!("skipped: GNU as, objdump or objcopy is not installed (Debian package binutils)");
        return;
    }
    let (kernels, seen) = instructions();
    let mut code = Vec::new();
    for bytes in &seen {
        code.extend_from_slice(bytes);
        code.resize(code.len().next_multiple_of(SLOT), 0x90);
    }
    let directory = Directory(std::env::temp_dir().join(format!("aesmith-decoders-{}", std::process::id())));
    std::fs::create_dir_all(&directory.0).unwrap();
    let printed: Vec<String> = disassemble(&directory.0, &code)
        .iter()
        .enumerate()
        .map(|(slot, line)| for_as(&decode(&code[slot * SLOT..], slot * SLOT), line))
        .collect();
    let again = assemble(&directory.0, "kernels", &printed);
    let mut wrong = Vec::new();
    for slot in 0..seen.len() {
        let [ours, theirs] = [&code, &again].map(|code| text(&decode(&code[slot * SLOT..], slot * SLOT)));
        if ours != theirs {
            wrong.push(format!("'{ours}' is '{theirs}' to objdump, which printed '{}'", printed[slot]));
        }
    }
    println!("{} instructions of {kernels} kernels are the same to both decoders", seen.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(kernels > 100 && seen.len() > 3000, "{} instructions of {kernels} kernels", seen.len());
}
