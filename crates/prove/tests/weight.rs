//! Kernels carry no dead weight: no instruction that no path executes, and no counter table that no path reads.

use std::ops::Range;

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_cipher::contract::{TABLE_BYTES, TABLE_OFFSET};
use aesmith_processor::measured::Joined;
use aesmith_prove::Coverage;
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::{Kernel, build, dispatch};
use aesmith_x86::targets;

/// The longest message of a kernel, in bytes, and its variant without the problem.
type Part = (Option<u64>, &'static str);

/// Choices by length; with true if the kernels may read the counter table.
const PLANS: [(&[Part], bool); 7] = [
    // The result of a run of 30 seconds; no length of the middle kernel reaches its loop.
    (
        &[
            (Some(16), "keys=0x00ff interleave=0 fold=yes"),
            (Some(64), "width=zmm keys=0x6000 distance=12 restrict=yes loop=top align=64 tail=halve"),
            (
                Some(480),
                "width=zmm keys=0x2582 interleave=8 distance=8 ii=4 prefetch=cache source=8 cached=2 \
                 counter=precomputed fold=yes loop=top align=64 tail=halve",
            ),
            (Some(6064), "width=zmm keys=0x0fff interleave=4 ii=10 prefetch=register source=4 ahead=3"),
            (None, "width=zmm keys=0x2582 interleave=8 distance=8 ii=4 cached=2 tail=halve"),
        ],
        false,
    ),
    (
        &[
            (Some(1000), "width=zmm interleave=8 ii=5 cached=1 tail=halve wipe=yes"),
            (None, "width=zmm interleave=4"),
        ],
        false,
    ),
    (&[(Some(1000), "width=zmm interleave=4 cached=1 fold=yes"), (None, "width=zmm interleave=4")], true),
    (&[(Some(16), "interleave=4 cached=1"), (None, "interleave=8 cached=2 wipe=yes streaming=yes")], false),
    (
        &[
            (Some(100), "technique=gfni layout=sliced width=zmm cached=2"),
            (Some(1024), "technique=gfni width=zmm interleave=8 cached=1 ii=3"),
            (None, "technique=gfni layout=sliced width=zmm cached=2"),
        ],
        false,
    ),
    (
        &[
            (Some(90), "technique=bitsliced layout=sliced width=ymm wipe=yes"),
            (None, "technique=vperm cached=1"),
        ],
        true,
    ),
    (
        &[
            (Some(31), "technique=table extract=registers roundkeys=vectors cached=2 interleave=2"),
            (None, "technique=table extract=registers roundkeys=vectors cached=1 interleave=2"),
        ],
        false,
    ),
];

fn plan(key: usize, plan: &[Part]) -> Vec<(Option<u64>, Variant)> {
    let variant = |text: &str| {
        dimensions::variant(&format!("aes{key}-ctr {text}")).unwrap_or_else(|e| panic!("{text}: {e}"))
    };
    plan.iter().map(|(limit, text)| (*limit, variant(text))).collect()
}

fn joined(kernels: &[Kernel], plan: &[(Option<u64>, Variant)]) -> Joined {
    let parts: Vec<_> = plan.iter().map(|(limit, _)| *limit).zip(kernels).collect();
    dispatch(&parts).unwrap_or_else(|e| panic!("{plan:?}: {e}"))
}

fn coverage(joined: &Joined, kernels: &[Kernel]) -> Coverage {
    let proof = prover().prove(kernels[0].variant.problem, &joined.bytes);
    proof.unwrap_or_else(|r| panic!("{}: {r}", kernels[0].variant)).coverage
}

#[test]
fn kernels_chosen_by_length_have_no_code_and_no_table_that_no_length_reaches() {
    for key in [128, 192, 256] {
        for (texts, may_read_table) in PLANS {
            let plan = plan(key, texts);
            let given: Vec<_> = plan.iter().map(|(limit, variant)| (*limit, variant)).collect();
            let kernels = targets::ALL.parts(&given).unwrap_or_else(|e| panic!("{plan:?}: {e}"));
            let joined = joined(&kernels, &plan);
            let coverage = coverage(&joined, &kernels);
            assert_eq!(prover().unreached(&coverage, &joined.bytes, &joined.code), [], "{plan:?}");
            assert_eq!(coverage.reads_table(), may_read_table, "{plan:?}");
            // A variant claims to cache only if its kernel does.
            let table = |v: &Variant| v.get(Dim::Cached) == 1 && !v.technique.on_words();
            assert_eq!(kernels.iter().any(|k| table(&k.variant)), may_read_table, "{plan:?}");
        }
    }
}

#[test]
fn code_and_tables_behind_a_length_that_never_comes_are_found() {
    let plan = plan(256, &[(Some(480), "width=zmm interleave=8 cached=1"), (None, "width=zmm interleave=4")]);
    let whole: Vec<Kernel> = plan.iter().map(|(_, variant)| build(variant, &targets::ALL).unwrap()).collect();
    let joined = joined(&whole, &plan);
    let coverage = coverage(&joined, &whole);
    let unreached: usize =
        prover().unreached(&coverage, &joined.bytes, &joined.code).iter().map(|r| r.len()).sum();
    assert!(unreached > 1000, "{unreached} bytes");
    assert!(!coverage.reads_table());
    assert_eq!(coverage.key_bytes(), 15 * 16);
}

#[test]
fn padding_is_no_dead_code() {
    // ret; nop; int3; ret; int3
    let kernel = [0xc3, 0x90, 0xcc, 0xc3, 0xcc];
    let one = |range: Range<usize>| Vec::from_iter([range]);
    let coverage = Coverage { executed: one(0..1), ..Coverage::default() };
    let unreached = |code: &[Range<usize>]| prover().unreached(&coverage, &kernel, code);
    assert_eq!(unreached(&one(0..3)), []);
    assert_eq!(unreached(&one(0..5)), one(3..4));
    assert_eq!(unreached(&[0..1, 4..5]), []);
}

#[test]
fn a_proof_says_which_bytes_of_a_key_structure_are_read() {
    let mut prover = prover();
    let keys = |bytes: usize| (0, bytes);
    let table = (TABLE_OFFSET, TABLE_OFFSET + TABLE_BYTES);
    for (text, wanted) in [
        ("aes128-ctr width=zmm interleave=4", vec![keys(176)]),
        ("aes256-ctr width=zmm interleave=4 cached=1", vec![keys(240), table]),
        // Its table is on the stack, not in the key structure.
        ("aes256-ctr width=zmm interleave=4 cached=2", vec![keys(240)]),
        ("aes192-cbc-dec width=ymm interleave=3", vec![keys(208)]),
        ("aes128-cbc-x4 together=yes", vec![keys(176)]),
        ("aes128-ctr-table", vec![keys(16)]),
        ("aes128-key", vec![]),
    ] {
        let variant = dimensions::variant(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let kernel = build(&variant, &targets::ALL).unwrap_or_else(|e| panic!("{text}: {e}"));
        let proof = prover.prove(variant.problem, &kernel.bytes).unwrap_or_else(|r| panic!("{text}: {r}"));
        let read: Vec<_> = proof.coverage.key.iter().map(|bytes| (bytes.start, bytes.end)).collect();
        assert_eq!(read, wanted, "{text}");
        let certificate = prover.certify(variant.problem, text, &kernel.bytes).expect("proved");
        assert_eq!(
            certificate.key_bytes_read,
            Some(wanted.iter().map(|(from, to)| to - from).sum()),
            "{text}"
        );
    }
}

/// Tests every problem with every technique. Long kernels are left out: their proofs take long, and they are made of
/// the same parts.
#[test]
fn no_kernel_has_code_that_no_path_reaches() {
    const LONGEST: usize = 12_000;
    const ROUNDS: usize = 2;
    let (mut prover, mut seed) = (prover(), 7u64);
    let mut below = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let mut seen = 0;
    for problem in Problem::all().into_iter().flat_map(|problem| [problem; ROUNDS]) {
        for technique in Technique::ALL {
            let space = dimensions::TABLE.space_by(problem, technique, targets::ALL.lanes_of(technique));
            let mut variant = dimensions::plain(problem, technique);
            for axis in &space.axes {
                if below(2) == 0 {
                    variant.set(axis.dimension.place, axis.values[below(axis.values.len())]);
                }
            }
            let Ok(kernel) = build(&variant, &targets::ALL) else { continue };
            if kernel.code_end > LONGEST {
                continue;
            }
            let Ok(proof) = prover.prove(problem, &kernel.bytes) else { continue };
            let code = 0..kernel.code_end;
            let unreached = prover.unreached(&proof.coverage, &kernel.bytes, std::slice::from_ref(&code));
            assert_eq!(unreached, [], "{variant}: {:?}", kernel.places);
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen} kernels");
}
