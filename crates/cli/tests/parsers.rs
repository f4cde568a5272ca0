//! Parsers of files and arguments: arbitrary bytes give an answer or an error in a sentence, never a panic. The targets
//! in fuzz/ continue from here, guided by coverage.

use aesmith_cipher::{Problem, Task};
use aesmith_emit::{objects, problem_of_symbol};
use aesmith_prove::LanesCertificate;
use aesmith_wisdom::import::{Line, Numbered, parse_line};
use aesmith_wisdom::record::Sample;
use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::targets;

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A kernel's object, the origin of near misses.
fn object() -> &'static [u8] {
    static OBJECT: OnceLock<Vec<u8>> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let variant = dimensions::variant("aes128-ecb width=xmm keys=0x07ff interleave=2").unwrap();
        let kernel = aesmith_x86::kernels::build(&variant, &targets::ALL).unwrap();
        objects::object(&[aesmith_emit::Function::new(&kernel)]).unwrap()
    })
}

/// The object, an archive of it, and a linked file if there is a linker.
fn files() -> &'static [Vec<u8>] {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let head = format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", "k.o/", 0, 0, 0, 644, object().len());
        let archive = [b"!<arch>\n", head.as_bytes(), object()].concat();
        let mut all = vec![object().to_vec(), archive];
        let place = std::env::temp_dir().join(format!("aesmith-parsers-{}.o", std::process::id()));
        let linked = place.with_extension("so");
        std::fs::write(&place, object()).unwrap();
        let done =
            std::process::Command::new("ld").arg("-shared").arg("-o").arg(&linked).arg(&place).output();
        if done.is_ok_and(|said| said.status.success()) {
            all.push(std::fs::read(&linked).unwrap());
            let _ = std::fs::remove_file(&linked);
        }
        let _ = std::fs::remove_file(&place);
        all
    })
}

fn certificate() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let functions = objects::functions(object()).unwrap();
        let (symbol, bytes) = &functions[0];
        let problem = problem_of_symbol(symbol).unwrap();
        serde_json::to_string(&prover().certify(problem, symbol, bytes).unwrap()).unwrap()
    })
}

/// Words of variants, and similar ones.
fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "(width|keys|interleave|ii|order|cached|prefetch|source)=(xmm|zmm|0x[0-9a-f]{0,5}|[0-9]{1,6}|[0-9]{1,3}>[0-9]{1,3}(,[0-9]>[0-9])?|none|cache)",
        1 => "\\PC{0,12}",
    ];
    let problem = prop_oneof!["aes(128|192|256)-(ctr|ecb|cbc-x4|key)", "\\PC{0,10}"];
    (problem, prop::collection::vec(word, 0..6)).prop_map(|(p, w)| format!("{p} {}", w.join(" ")))
}

/// Replaces some bytes of a text or file.
fn edited(original: &[u8], edits: &[(usize, u8)], length: usize) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for (at, value) in edits {
        let at = at % bytes.len();
        bytes[at] = *value;
    }
    bytes.truncate(length.max(1));
    bytes
}

proptest! {
    #[test]
    fn variants(text in words()) {
        match dimensions::variant(&text) {
            Ok(variant) => prop_assert_eq!(dimensions::variant(&variant.to_string()), Ok(variant)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn names_of_problems(text in "\\PC{0,40}") {
        if let Err(error) = text.parse::<Problem>() {
            prop_assert!(error.nearest.len() >= 3);
        }
    }

    #[test]
    fn strategies(text in "(annealing|random|guided|\\PC{0,8})(:(start|end|\\PC{0,4})(=([0-9.e-]{0,8}|\\PC{0,4}))?)?") {
        if let Err(error) = aesmith_search::strategy(&text) {
            prop_assert!(!error.is_empty());
        }
    }

    #[test]
    fn lines_of_wisdom(text in "\\PC{0,200}") {
        prop_assert!(parse_line(&text, &dimensions::TABLE).is_err());
    }

    #[test]
    fn objects(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<usize>(), any::<u8>()), 0..8),
        cut in 0usize..60_000,
    ) {
        let file = &files()[which.index(files().len())];
        let bytes = edited(file, &edits, cut);
        match objects::contents(&bytes) {
            Ok(contents) => {
                for found in contents.functions {
                    match found.bytes {
                        Ok(code) => prop_assert!(code.len() <= 2 * bytes.len() + 64),
                        Err(why) => prop_assert!(why.to_string().split(' ').count() > 2, "{}", why),
                    }
                }
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn certificates(edits in prop::collection::vec((any::<usize>(), 32u8..127), 0..4), cut in 0usize..4000) {
        let bytes = edited(certificate().as_bytes(), &edits, cut);
        if let Ok(read) = serde_json::from_slice::<LanesCertificate>(&bytes) {
            prop_assert!(read.check(&bytes).is_err(), "a certificate over itself");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random machine code is refused: AES does not fit into 40 bytes.
    #[test]
    fn code(code in prop::collection::vec(any::<u8>(), 0..40), choice in any::<prop::sample::Index>()) {
        let all = Problem::all();
        let problem = all[choice.index(all.len())];
        let refused = prover().prove(problem, &code).unwrap_err();
        prop_assert_eq!(&refused.problem, &problem.to_string());
    }

    #[test]
    fn near_code(edits in prop::collection::vec((any::<usize>(), any::<u8>()), 1..3)) {
        let functions = objects::functions(object()).unwrap();
        let (symbol, bytes) = &functions[0];
        let problem = problem_of_symbol(symbol).unwrap();
        prop_assert_eq!(problem.task, Task::Ecb(aesmith_cipher::Direction::Encrypt));
        if let Err(refused) = prover().prove(problem, &edited(bytes, &edits, bytes.len())) {
            prop_assert!(!refused.reason.is_empty());
        }
    }
}

/// Texts of variants, recipes as a package prints them, and variants of other processors.
const VALID: &[&str] = &[
    "aes256-ctr width=zmm keys=0x7fff interleave=1 ii=1 counter=precomputed order=3>1,7>9",
    "aes128-cbc-x16 width=zmm unroll=4 together=yes xor=folded gather=transpose",
    "aes192-ecb-dec technique=table tables=4x1k last=masked extract=registers loadxor=combined index=scaled",
    "aes128-cbc-dec technique=bitsliced layout=sliced width=ymm circuit=1 spread=2",
    "aes256-ctr technique=gfni layout=sliced width=zmm cached=2",
    "aes128-key-dec technique=vperm wipe=yes",
    "aes128-ctr technique=bytewise subbytes=unrolled mixcolumns=table inline=yes words=yes",
];

/// A valid text with words changed, doubled, dropped and swapped.
fn mutated() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        3 => "(width|keys|interleave|unroll|ii|distance|cached|counter|prefetch|source|ahead|spread)=(xmm|zmm|add|precomputed|cache|register|0x[0-9a-f]{1,4}|[0-9]{1,2})",
        1 => "(order=[0-9]{1,5}>[0-9]{1,5}|technique=(aes|gfni|vperm|vbmi|bitsliced|table|bytewise))",
        1 => "\\PC{0,8}=?\\PC{0,8}",
    ];
    let edit = (any::<prop::sample::Index>(), 0u8..4, word);
    let text = prop::sample::select(VALID);
    (text, prop::collection::vec(edit, 0..5)).prop_map(|(text, edits)| {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        for (place, kind, word) in edits {
            let place = place.index(words.len());
            match kind {
                0 => words[place] = word,
                1 => words.push(word),
                2 if words.len() > 1 => drop(words.remove(place)),
                _ => words.swap(0, place),
            }
        }
        words.join(" ")
    })
}

fn line_of_wisdom() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let sample = Sample {
            trial: 3,
            phase: "screen".into(),
            size: 32768,
            variant: VALID[0].into(),
            technique: dimensions::variant(VALID[0]).unwrap().technique.name().into(),
            sha256: Some("ab".repeat(32)),
            verdict: "measured".into(),
            instructions: 9,
            cost: Some(0.2),
            cycles: vec![6553.6],
            ticks: vec![6000],
            time_ms: 1003,
            ..Sample::default()
        };
        let line =
            Line::Sample(Numbered { run: "a run".into(), number: 1, sample, unknown: BTreeMap::new() });
        let text = serde_json::to_string(&line).unwrap();
        assert_eq!(parse_line(&text, &dimensions::TABLE), Ok(line));
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// `count` and `emit --variant` make of any text a kernel or a sentence.
    #[test]
    fn mutated_variants_are_kernels_or_sentences(text in mutated()) {
        match dimensions::variant(&text) {
            Err(error) => prop_assert!(error.to_string().split(' ').count() > 3, "{}", error),
            Ok(variant) => match aesmith_x86::kernels::build(&variant, &targets::ALL) {
                Err(unfit) => prop_assert!(unfit.to_string().split(' ').count() > 3, "{}", unfit),
                Ok(kernel) if kernel.bytes.len() < 8 << 10 => {
                    aesmith_tune::count::executed(kernel.processor, variant.problem, &kernel.bytes).unwrap();
                }
                Ok(_) => {}
            },
        }
    }

    #[test]
    fn mutated_variants_of_other_processors(text in "(sbox|doubling|rounds|form|technique|counter|seed|\\PC{0,4})=(ram|mask|branch|looped|registers|fixsliced|each|[0-9]{1,12}|\\PC{0,4})( (rounds|form|seed)=(compact|registers|unrolled|1))?") {
        for name in ["avr", "cortex-m4", "cortex-m0", "rv32imc", "arm7tdmi", "microblaze"] {
            let Ok(core) = aesmith_processors::core(name) else { continue };
            let problem = Problem::all()[1];
            match core.table.read(problem, &text) {
                Err(error) => prop_assert!(error.0.split(' ').count() > 3, "{}", error),
                // A variant with a seed takes seconds of search.
                Ok(variant) if variant.seed > 0 => {}
                Ok(variant) => {
                    if let Err(error) = (core.build)(&variant) {
                        prop_assert!(error.split(' ').count() > 3, "{}", error);
                    }
                }
            }
        }
    }

    #[test]
    fn mutated_lines_of_wisdom(edits in prop::collection::vec((any::<usize>(), 32u8..127), 0..4)) {
        let line = line_of_wisdom().as_bytes();
        let text = String::from_utf8(edited(line, &edits, line.len())).unwrap();
        if let Err(error) = parse_line(&text, &dimensions::TABLE) {
            prop_assert!(error.split(' ').count() > 2, "{}", error);
        }
    }
}
