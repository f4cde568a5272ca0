//! Arbitrary machine code: the prover answers and ends. The first byte
//! chooses the problem.
#![no_main]

use aesmith_cipher::Problem;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, code)) = bytes.split_first() else { return };
    let all = Problem::all();
    let _ = aesmith_prove::Prover::new().prove(all[choice as usize % all.len()], code);
});
