//! Kernels of every kind are proved; certificates hold only for their bytes; and refutations say what is wrong.

use crate::simulated;
use aesmith_cipher::Problem;
use aesmith_prove::LanesCertificate;
use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::{build, dispatch};
use aesmith_x86::levels::LEVELS;
use aesmith_x86::targets;

fn kernel(text: &str) -> (Problem, Vec<u8>) {
    let variant = dimensions::variant(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let kernel = build(&variant, &targets::ALL).unwrap_or_else(|e| panic!("{text}: {e}"));
    (variant.problem, kernel.bytes)
}

/// The kernel for a machine that has only the features of a level.
fn kernel_for(text: &str, level: &str) -> (Problem, Vec<u8>) {
    let features = LEVELS.iter().find(|l| l.name == level).expect("a level").features;
    let variant = dimensions::variant(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let kernel = build(&variant, &targets::of(features)).unwrap_or_else(|e| panic!("{text}: {e}"));
    (variant.problem, kernel.bytes)
}

#[test]
fn every_baseline_is_proved() {
    let mut prover = prover();
    for problem in Problem::all() {
        let variant = dimensions::baseline(problem);
        // Sixteen streams do not fit into xmm registers.
        let Ok(kernel) = build(&variant, &targets::ALL) else { continue };
        prover.prove(problem, &kernel.bytes).unwrap_or_else(|r| panic!("{variant}: {r}"));
    }
}

#[test]
fn every_technique_is_proved() {
    let mut prover = prover();
    for text in [
        "aes128-ecb width=zmm interleave=8 keys=0x7ff",
        "aes192-ecb-dec width=ymm interleave=3 ii=5",
        "aes256-ecb interleave=5 distance=3 prefetch=register",
        "aes256-cbc-dec width=zmm interleave=4 fold=yes tail=halve",
        "aes128-cbc unroll=4 xor=folded loop=top",
        "aes128-cbc-x4 unroll=2 together=yes xor=folded streaming=yes",
        "aes256-cbc-x16 width=zmm unroll=2 together=yes xor=modified wipe=yes",
        "aes128-ctr width=zmm interleave=4 streaming=yes wipe=yes",
        "aes256-ctr width=ymm interleave=4 ii=7 fold=yes",
        "aes256-ctr width=zmm interleave=4 counter=add ii=5",
        "aes192-ctr width=zmm interleave=2 counter=precomputed loop=top",
        "aes256-ctr width=zmm interleave=4 cached=1 fold=yes",
        "aes256-ctr interleave=8 cached=1 prefetch=cache",
        "aes128-ctr width=zmm interleave=8 cached=2 wipe=yes tail=halve",
        "aes128-ctr width=ymm interleave=4 cached=2 ii=3",
        "aes256-ctr width=zmm keys=0x7fff interleave=1 ii=1 counter=precomputed",
        "aes256-key schedule=aesenclast",
        "aes192-key-dec schedule=aesenclast",
    ] {
        let (problem, code) = kernel(text);
        let proof = prover.prove(problem, &code).unwrap_or_else(|r| panic!("{text}: {r}"));
        assert_eq!(proof.wiped, text.contains("wipe=yes"), "{text}");
    }
}

/// Kernels without AES instructions, on every kind of machine: the prover itself finds the secret-dependent addresses.
#[test]
fn techniques_without_aes_instructions_are_proved() {
    let mut prover = prover();
    for (text, level, secret_loads) in [
        ("aes128-ecb technique=gfni layout=sliced width=zmm", "gfni", 0),
        ("aes256-ctr technique=gfni width=xmm interleave=4", "gfni-sse", 0),
        ("aes128-cbc technique=vperm", "ssse3", 0),
        ("aes256-ctr technique=vperm width=ymm interleave=2", "avx2", 0),
        ("aes128-ctr technique=vbmi width=zmm cached=1", "vbmi", 0),
        ("aes256-cbc-dec technique=vbmi width=zmm", "vbmi", 0),
        ("aes256-ecb technique=bitsliced layout=sliced", "sse2", 0),
        // Fifteen chained blocks: each gets its name before it enters the next.
        ("aes256-cbc technique=vperm unroll=15", "ssse3", 0),
        // Without a byte shuffle, a counter is joined from two parts.
        ("aes256-ctr technique=bitsliced counter=precomputed", "sse2", 0),
        ("aes128-ctr technique=bitsliced counter=add tail=halve", "sse2", 0),
        ("aes128-ecb-dec technique=bitsliced layout=sliced width=ymm", "avx2", 0),
        ("aes192-ctr technique=bitsliced layout=sliced width=zmm", "avx512", 0),
        ("aes128-cbc-dec technique=bitsliced layout=sliced width=zmm circuit=1 spread=4", "avx512", 0),
        ("aes128-cbc-x4 technique=bitsliced", "avx", 0),
        ("aes128-ecb technique=table", "sse2", 160),
        ("aes256-ecb-dec technique=table", "sse2", 224),
        ("aes192-cbc technique=table", "sse2", 192),
        ("aes128-ecb technique=table roundkeys=recomputed", "sse2", 160),
        ("aes128-ctr technique=table cached=2", "sse2", 480),
        ("aes128-ctr technique=gfni layout=sliced width=zmm cached=2", "gfni", 0),
        ("aes256-ctr technique=gfni layout=sliced width=zmm cached=2", "gfni", 0),
        (
            "aes128-ctr technique=table extract=registers roundkeys=vectors cached=1 interleave=2",
            "sse4.1",
            785,
        ),
        (
            "aes128-ctr technique=table extract=registers roundkeys=vectors cached=2 interleave=2",
            "sse4.1",
            773,
        ),
        ("aes128-ctr technique=bitsliced counter=precomputed interleave=2", "gfni-sse", 0),
        ("aes256-key technique=vperm", "ssse3", 0),
        ("aes128-key-dec technique=bitsliced", "sse2", 0),
    ] {
        let (problem, code) = kernel_for(text, level);
        let proof = prover.prove(problem, &code).unwrap_or_else(|r| panic!("{text}: {r}"));
        assert_eq!(proof.secret_loads, secret_loads, "{text}");
        let certificate = prover.certify(problem, text, &code).expect("proved");
        // VPERMI2B and VPERMB are on no list of instructions with data-independent timing.
        let class = match secret_loads {
            0 if text.contains("technique=vbmi") => "CT1",
            0 => "CT2",
            _ => "VT",
        };
        assert_eq!(certificate.constant_time, class, "{text}");
        let told = certificate.assumptions.iter().any(|a| a.starts_with("VT:"));
        assert_eq!(told, secret_loads > 0);
    }
}

/// Kernels selected by length form one kernel, as it is delivered.
#[test]
fn a_choice_by_length_is_proved() {
    let mut prover = prover();
    let texts = [
        "aes128-ctr width=xmm",
        "aes128-ctr width=zmm keys=0x03fb interleave=13 distance=7 ii=7 prefetch=cache source=6 ahead=3 tail=halve",
        "aes128-ctr width=zmm keys=0x04f5 interleave=4 distance=7 ii=4 prefetch=register source=1 ahead=3 cached=2 counter=add fold=yes align=64 tail=halve",
    ];
    let kernels = texts.map(|text| {
        let variant = dimensions::variant(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        build(&variant, &targets::ALL).unwrap_or_else(|e| panic!("{text}: {e}"))
    });
    let limits = [Some(64), Some(8000), None];
    let parts: Vec<_> = limits.into_iter().zip(&kernels).collect();
    let joined = dispatch(&parts).unwrap();
    prover.prove(kernels[0].variant.problem, &joined.bytes).unwrap_or_else(|r| panic!("{r}"));
}

#[test]
fn a_certificate_is_for_its_bytes_only() {
    let (problem, mut code) = kernel("aes128-ctr width=zmm interleave=2");
    let certificate = prover().certify(problem, "some name", &code).unwrap();
    assert_eq!((certificate.level.as_str(), certificate.problem.as_str()), ("E3", "aes128-ctr"));
    let text = serde_json::to_string(&certificate).unwrap();
    let read: LanesCertificate = serde_json::from_str(&text).unwrap();
    assert_eq!(read, certificate);
    read.check(&code).unwrap();
    *code.last_mut().unwrap() ^= 1;
    assert!(read.check(&code).unwrap_err().to_string().contains("SHA-256"));
    code.pop();
    assert!(read.check(&code).unwrap_err().to_string().contains("bytes"));
}

/// Pushes of the caller's registers do not count, but stores past the caches handle the text itself.
#[test]
fn unlisted_instructions_matter_where_they_handle_secrets() {
    for (text, level) in [
        ("aes128-cbc-x4 unroll=2 together=yes", "CT2"),
        ("aes128-ctr width=zmm interleave=8 cached=2", "CT2"),
        ("aes128-ecb width=zmm interleave=4 streaming=yes", "CT2"),
        ("aes128-ecb technique=vbmi width=zmm", "CT1"),
        ("aes256-key technique=vbmi", "CT1"),
    ] {
        let (problem, code) = kernel(text);
        let certificate = prover().certify(problem, text, &code).unwrap_or_else(|r| panic!("{r}"));
        assert_eq!(certificate.constant_time, level, "{text}");
        let told = certificate.assumptions.iter().any(|a| a.starts_with(&format!("{level}: ")));
        assert!(told, "{text}");
    }
}

#[test]
fn the_wrong_problem_is_refuted() {
    let mut prover = prover();
    let (_, code) = kernel("aes128-ecb width=zmm interleave=2");
    for wrong in ["aes192-ecb", "aes128-ecb-dec", "aes128-ctr", "aes128-key"] {
        let refutation = prover.prove(wrong.parse().unwrap(), &code).unwrap_err();
        assert_eq!(refutation.problem, wrong);
    }
    let refutation = prover.prove("aes192-ecb".parse().unwrap(), &code).unwrap_err();
    assert!(refutation.reason.contains("output block 0 is"), "{refutation}");
    assert!(refutation.instruction.starts_with("vmovdqu"), "{refutation}");
}

#[test]
fn random_bytes_are_refuted_and_do_no_harm() {
    let mut prover = prover();
    let mut state = 1u64;
    for length in 0..200 {
        let code: Vec<u8> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 56) as u8
            })
            .collect();
        for problem in Problem::all().into_iter().step_by(7) {
            assert!(prover.prove(problem, &code).is_err());
        }
    }
}

#[test]
fn a_proved_kernel_is_right_in_the_simulator() {
    for text in [
        "aes128-ctr width=ymm interleave=2 cached=2",
        "aes128-cbc-x3 unroll=2",
        "aes192-cbc-dec interleave=3",
    ] {
        let (problem, code) = kernel(text);
        prover().prove(problem, &code).unwrap_or_else(|r| panic!("{text}: {r}"));
        simulated::calls(problem, &code, 30).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}
