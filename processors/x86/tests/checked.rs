//! The checker of proofs is asked about kernels: it refuses no proof that the finder finds of a correct kernel, and whatever
//! it accepts, the prover accepts, too.

use aesmith_arrange::{Technique, Variant};
use aesmith_check::contract::Contract;
use aesmith_cipher::Problem;
use aesmith_processor::checked::{Claim, Verdict};
use aesmith_processor::trial::is_soak;
use aesmith_x86::dimensions::{self, TABLE};
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::print::DIALECT;
use aesmith_x86::targets;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A random variant of a problem, half of them by AES instructions; `None` if it is no kernel.
fn random(problem: Problem, rng: &mut ChaCha8Rng) -> Option<(Variant, Vec<u8>)> {
    let techniques: Vec<_> = targets::ALL.techniques().collect();
    let any = techniques[rng.random_range(0..techniques.len())];
    let technique = if rng.random() { Technique::Aes } else { any };
    let mut variant = dimensions::plain(problem, technique);
    for axis in &TABLE.space_by(problem, technique, targets::ALL.lanes_of(technique)).axes {
        variant.set(axis.dimension.place, axis.values[rng.random_range(0..axis.values.len())]);
    }
    let variant = variant.clamped();
    let kernel = build(&variant, &targets::ALL).ok()?;
    Some((variant, kernel.bytes))
}

#[test]
fn no_found_proof_of_a_random_kernel_is_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(43);
    let trials = if is_soak() { 20_000 } else { 60 };
    // The contracts that the checker knows.
    let is_known = |problem: &Problem| Contract::named(&problem.to_string()).is_some();
    let problems: Vec<Problem> = Problem::all().into_iter().filter(is_known).collect();
    let mut prover = prover();
    let mut tally: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let (mut longest, mut slowest) = (Duration::ZERO, String::new());
    for _ in 0..trials {
        let problem = problems[rng.random_range(0..problems.len())];
        let Some((variant, bytes)) = random(problem, &mut rng) else { continue };
        let Ok(proved) = prover.certify(problem, "kernel", &bytes) else { continue };
        let begin = Instant::now();
        let (wiped, lookups) = (proved.wiped, proved.is_variable_time());
        let claim = Claim { dialect: &DIALECT, problem, wiped, lookups, bytes: &bytes };
        let verdict = claim.judge();
        let time = begin.elapsed();
        if time > longest {
            (longest, slowest) = (time, variant.to_string());
        }
        let verdict = match &verdict {
            Verdict::Accepted(_) => "accepted",
            Verdict::ProverAlone(why) => {
                println!("{variant}: {why} ({time:?})");
                "prover alone"
            }
            Verdict::Refused(no) => panic!("{variant}: {no}\n{}", no.text),
        };
        *tally
            .entry((format!("{} {}", &problem.to_string()[7..], variant.technique.name()), verdict))
            .or_default() += 1;
    }
    println!("the longest took {longest:?}: {slowest}");
    let of = |verdict: &str| {
        tally.iter().filter(|((_, v), _)| *v == verdict).map(|(_, count)| count).sum::<usize>()
    };
    for ((name, verdict), count) in &tally {
        println!("{count:5} {verdict:12} {name}");
    }
    assert!(of("accepted") > of("prover alone") / 4, "{tally:?}");
}

/// Shapes of GCM with masks, which registers of EVEX have.
const MASKED: [&str; 3] = [
    "aes128-gcm interleave=5 tail=group width=zmm",
    "aes256-gcm-dec interleave=3 tail=group width=ymm product=karatsuba",
    "aes192-gcm interleave=8 tail=group width=zmm counter=add wipe=yes",
];

/// The shapes of GCM and XTS that are tried, each on registers of all widths.
const SHAPES: [&str; 10] = [
    "aes128-gcm interleave=1",
    "aes256-gcm interleave=4 counter=add tail=halve",
    "aes128-gcm interleave=2 product=karatsuba",
    "aes192-gcm interleave=7 absorb=read product=karatsuba counter=add wipe=yes",
    "aes128-gcm interleave=2 cached=2",
    "aes256-gcm interleave=6 absorb=read cached=2 tail=halve wipe=yes",
    "aes128-gcm-dec interleave=2",
    "aes256-gcm-dec interleave=5 absorb=read product=karatsuba cached=2 wipe=yes",
    "aes128-xts interleave=3",
    "aes256-xts-dec interleave=6 wipe=yes",
];

/// The variants of GCM and XTS whose emitted texts are reviewed: the first line of each has it. Set-ups of powers have no rules.
fn reviewed() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/emit/tests/golden");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        if (name.starts_with("gcm") || name.starts_with("xts")) && name != "gcm_table.s" {
            let text = std::fs::read_to_string(&path).expect("a text");
            let line = text.lines().next().expect("a line");
            all.push(line.trim_start_matches("/* ").trim_end_matches(" */").to_string());
        }
    }
    assert!(all.len() >= 5, "{all:?}");
    all
}

/// Kernels of GCM and XTS of every shape have proofs that the checker accepts, and so have all whose texts are reviewed.
#[test]
fn kernels_of_gcm_and_xts_are_accepted() {
    let widths = ["xmm", "ymm", "zmm"];
    let shapes = SHAPES.iter().flat_map(|shape| widths.map(|width| format!("{shape} width={width}")));
    let mut prover = prover();
    for text in shapes.chain(MASKED.map(str::to_owned)).chain(reviewed()) {
        let variant = TABLE.parse(&text).expect("a variant");
        let kernel = build(&variant, &targets::ALL).unwrap_or_else(|why| panic!("{variant}: {why}"));
        let proved = prover.certify(variant.problem, "kernel", &kernel.bytes);
        let proved = proved.unwrap_or_else(|why| panic!("{variant}: {why}"));
        let (wiped, bytes) = (proved.wiped, &kernel.bytes[..]);
        let claim = Claim { dialect: &DIALECT, problem: variant.problem, wiped, lookups: false, bytes };
        let verdict = claim.judge();
        assert!(matches!(verdict, Verdict::Accepted(_)), "{variant}: {}", verdict.line());
    }
}
