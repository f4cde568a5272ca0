//! Checks the prover's claims with a second interpreter, which follows secrets byte by byte through runs on random
//! inputs and shares nothing with the prover but the values that instructions give: for all proved cases of the corpus,
//! and for kernels of every technique.

use crate::corpus::{self, Verdict};
use crate::tainted;
use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::levels::LEVELS;
use aesmith_x86::targets;

/// Cases in which secrets cancel, which the second interpreter does not notice.
const CANCELLED: &[&str] = &["secret-cancelled"];

#[test]
fn what_is_proved_of_the_corpus_is_so_in_every_run() {
    let (mut wrong, mut held) = (Vec::new(), 0);
    for (file, cases) in corpus::files() {
        for (case, code) in cases {
            let Ok(proof) = prover().prove(case.problem, &code) else { continue };
            if CANCELLED.contains(&case.name.as_str()) {
                continue;
            }
            held += 1;
            if let Err(what) = tainted::calls::hold(case.problem, &code, &proof, 4) {
                wrong.push(format!("{file}, {}: {what}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {held} are not so:\n{}", wrong.len(), wrong.join("\n"));
    assert!(held >= 60, "only {held} cases were proved");
}

/// Cases that the prover refuses although no branch depends on a secret: other secret-dependent choices, and flags that
/// the manual leaves undefined.
const STRICTER: &[&str] = &[
    "secret-carry-of-a-rotation-chosen",
    "secret-set-byte",
    "moved-by-a-secret",
    "carry-of-a-shift-beyond-a-byte",
    "overflow-of-a-shift-by-two",
    "overflow-of-a-rotation-by-two",
    "flags-that-a-shift-leaves-undefined",
];

/// The second interpreter is a valid witness only if it sees what the corpus hides: the secret in each branch that the
/// prover refuses, and the remains of each case that leaves some.
#[test]
fn the_second_interpreter_sees_what_is_wrong() {
    let (mut unseen, mut seen) = (Vec::new(), 0);
    for (case, code) in corpus::files().into_iter().flat_map(|(_, cases)| cases) {
        let branches = matches!(&case.verdict, Some(Verdict::Refused(why)) if why.starts_with("a condition"));
        let leaves =
            matches!(&case.verdict, Some(Verdict::Proved(words)) if words.iter().any(|w| w == "unwiped"));
        if !branches && !leaves || STRICTER.contains(&case.name.as_str()) {
            continue;
        }
        let mut found = false;
        // A kernel that leaks may also compute a wrong result.
        let _ = tainted::calls::each(case.problem, &code, 15, |run| {
            found |= branches && !run.secret_branches.is_empty() || leaves && !run.left.is_empty();
            Ok(())
        });
        match found {
            true => seen += 1,
            false => unseen.push(case.name),
        }
    }
    assert!(unseen.is_empty(), "{seen} are seen, and these are not: {}", unseen.join(", "));
    assert!(seen >= 50, "only {seen} cases leak or leave something");
}

/// Kernels, the level that each is for, and the number of blocks for the run.
const KERNELS: &[(&str, &str, usize)] = &[
    ("aes128-ecb technique=aes wipe=yes", "aesni", 9),
    ("aes192-ecb-dec technique=aes width=zmm interleave=2 wipe=yes", "vaes", 20),
    ("aes128-cbc technique=aes unroll=2", "avx-aesni", 6),
    ("aes128-cbc-x4 technique=aes width=zmm wipe=yes", "vaes", 6),
    ("aes256-cbc-dec technique=aes width=ymm interleave=2 tail=halve", "vaes", 12),
    ("aes128-ctr technique=aes interleave=4 cached=2 wipe=yes", "avx-aesni", 24),
    ("aes256-ctr technique=aes width=zmm interleave=2 cached=1 wipe=yes", "vaes", 24),
    ("aes192-ctr technique=aes width=zmm interleave=2 streaming=yes", "vaes", 20),
    ("aes128-ecb technique=gfni width=zmm wipe=yes", "gfni", 9),
    ("aes128-ctr technique=gfni layout=sliced width=zmm cached=2 wipe=yes", "gfni", 40),
    ("aes128-cbc technique=vperm wipe=yes", "ssse3", 5),
    ("aes128-ctr technique=vperm layout=sliced wipe=yes", "ssse3", 12),
    ("aes256-cbc-dec technique=vbmi width=zmm wipe=yes", "vbmi", 9),
    ("aes128-ecb technique=bitsliced layout=sliced wipe=yes", "sse2", 12),
    ("aes256-ctr technique=bitsliced layout=sliced width=zmm wipe=yes", "avx512", 33),
    ("aes128-ecb technique=table wipe=yes", "sse2", 5),
    ("aes192-cbc-dec technique=table extract=memory wipe=yes", "sse2", 5),
    ("aes128-ctr technique=table cached=2 wipe=yes", "sse2", 9),
    ("aes128-cbc technique=table tables=padded wipe=yes", "sse2", 5),
    ("aes128-ecb technique=table roundkeys=vectors wipe=yes", "sse4.1", 5),
    ("aes128-ctr technique=bytewise wipe=yes", "sse2", 4),
    ("aes128-ecb technique=bytewise words=yes mixcolumns=table subbytes=unrolled inline=yes", "sse2", 3),
    ("aes256-key technique=aes wipe=yes", "aesni", 0),
    ("aes192-key-dec technique=vperm wipe=yes", "ssse3", 0),
    ("aes128-key technique=bitsliced wipe=yes", "sse2", 0),
    ("aes256-key-dec technique=table wipe=yes", "sse2", 0),
    ("aes128-key technique=bytewise wipe=yes", "sse2", 0),
    ("aes128-ctr-table technique=aes wipe=yes", "vaes", 0),
    ("aes128-ctr-table technique=gfni wipe=yes", "gfni", 0),
];

#[test]
fn what_is_proved_of_generated_kernels_is_so_in_every_run() {
    let (mut prover, mut wrong) = (prover(), Vec::new());
    for (text, level, blocks) in KERNELS {
        let features = LEVELS.iter().find(|l| l.name == *level).expect("a level").features;
        let variant = dimensions::variant(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let kernel =
            build(&variant, &targets::of(features)).unwrap_or_else(|e| panic!("{text} on {level}: {e}"));
        let proof = prover.prove(variant.problem, &kernel.bytes).unwrap_or_else(|r| panic!("{text}: {r}"));
        assert_eq!(proof.wiped, text.contains("wipe=yes"), "{text}");
        if let Err(what) = tainted::calls::hold(variant.problem, &kernel.bytes, &proof, *blocks) {
            wrong.push(format!("{text}: {what}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are not so:\n{}", wrong.len(), KERNELS.len(), wrong.join("\n"));
}

/// Remembered results equal those computed anew, within a kernel and from one kernel to the next.
#[test]
fn what_is_remembered_is_found_again() {
    let mut checking = prover().checking_memos();
    for (case, code) in corpus::files().into_iter().flat_map(|(_, cases)| cases) {
        let checked = checking.prove(case.problem, &code);
        assert_eq!(checked.is_ok(), prover().prove(case.problem, &code).is_ok(), "{}", case.name);
    }
    for (text, level, _) in KERNELS.iter().chain(KERNELS.iter().rev()) {
        let features = LEVELS.iter().find(|l| l.name == *level).expect("a level").features;
        let variant = dimensions::variant(text).unwrap();
        let kernel = build(&variant, &targets::of(features)).unwrap();
        checking.prove_anew(variant.problem, &kernel.bytes).unwrap_or_else(|r| panic!("{text}: {r}"));
    }
}
