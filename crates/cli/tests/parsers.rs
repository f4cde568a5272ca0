//! Whatever is read from files and arguments: arbitrary bytes are an answer or an error in a
//! sentence, never a panic. The targets in fuzz/ go on from here with coverage to guide them.

use aesmith_arrange::Variant;
use aesmith_cipher::{Problem, Task};
use aesmith_emit::{object_file, problem_of_symbol};
use aesmith_kernel::Target;
use aesmith_prove::{Certificate, Prover};
use proptest::prelude::*;
use std::sync::OnceLock;

/// A kernel's object, of which near misses are made.
fn object() -> &'static [u8] {
    static OBJECT: OnceLock<Vec<u8>> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let variant: Variant = "aes128-ecb width=xmm keys=0x07ff interleave=2".parse().unwrap();
        let kernel = aesmith_kernel::build(&variant, &Target::ALL).unwrap();
        object_file::object(&[aesmith_emit::Function::new(&kernel)]).unwrap()
    })
}

fn certificate() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let functions = object_file::functions(object()).unwrap();
        let (symbol, bytes) = &functions[0];
        let problem = problem_of_symbol(symbol).unwrap();
        serde_json::to_string(&Prover::new().certify(problem, symbol, bytes).unwrap()).unwrap()
    })
}

/// Words of variants and near them.
fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "(width|keys|interleave|ii|order|cached|prefetch|source)=(xmm|zmm|0x[0-9a-f]{0,5}|[0-9]{1,6}|[0-9]{1,3}>[0-9]{1,3}(,[0-9]>[0-9])?|none|cache)",
        1 => "\\PC{0,12}",
    ];
    let problem = prop_oneof!["aes(128|192|256)-(ctr|ecb|cbc-x4|key)", "\\PC{0,10}"];
    (problem, prop::collection::vec(word, 0..6)).prop_map(|(p, w)| format!("{p} {}", w.join(" ")))
}

/// Some bytes of a text or file replaced.
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
        match text.parse::<Variant>() {
            Ok(variant) => prop_assert_eq!(variant.to_string().parse::<Variant>(), Ok(variant)),
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
        prop_assert!(aesmith_wisdom::import::parse_line(&text).is_err());
    }

    #[test]
    fn objects(edits in prop::collection::vec((any::<usize>(), any::<u8>()), 0..8), cut in 0usize..6000) {
        let bytes = edited(object(), &edits, cut);
        match object_file::functions(&bytes) {
            Ok(functions) => prop_assert!(functions.iter().all(|(_, code)| code.len() <= bytes.len())),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn certificates(edits in prop::collection::vec((any::<usize>(), 32u8..127), 0..4), cut in 0usize..4000) {
        let bytes = edited(certificate().as_bytes(), &edits, cut);
        if let Ok(read) = serde_json::from_slice::<Certificate>(&bytes) {
            prop_assert!(read.check(&bytes).is_err(), "a certificate over itself");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Machine code that is none of ours is refused: AES does not fit into 40 bytes.
    #[test]
    fn code(code in prop::collection::vec(any::<u8>(), 0..40), choice in any::<prop::sample::Index>()) {
        let all = Problem::all();
        let problem = all[choice.index(all.len())];
        let refused = Prover::new().prove(problem, &code).unwrap_err();
        prop_assert_eq!(&refused.problem, &problem.to_string());
    }

    #[test]
    fn near_code(edits in prop::collection::vec((any::<usize>(), any::<u8>()), 1..3)) {
        let functions = object_file::functions(object()).unwrap();
        let (symbol, bytes) = &functions[0];
        let problem = problem_of_symbol(symbol).unwrap();
        prop_assert_eq!(problem.task, Task::Ecb(aesmith_cipher::Direction::Encrypt));
        if let Err(refused) = Prover::new().prove(problem, &edited(bytes, &edits, bytes.len())) {
            prop_assert!(!refused.reason.is_empty());
        }
    }
}
