//! States of heads.

use aesmith_check::Certificate;
use aesmith_check::check::Run;
use aesmith_check::symbolic::Bit;

/// A head that states the stack pointer only: all else is unknown, and secret.
#[test]
fn what_a_head_does_not_state_is_unknown() {
    for (contract, of_bits) in [("aes128-cbc", ""), ("aes128-ctr", ""), ("aes128-cbc", "bits\n")] {
        let text = format!(
            "aesmith certificate with proof, version 2\ncontract {contract}\n{of_bits}code c3\nhead h 0\nrsp = stack\n"
        );
        let certificate = Certificate::read(&text).expect("it is read");
        let mut run = Run::new(&certificate);
        let start = run.entry();
        let state = run.stated(&certificate.heads[0]).expect("a state");
        let terms = &run.symbolic.terms;
        for register in (0..16).filter(|&register| register != 4) {
            let word = &state.registers.general[register];
            assert!(terms.is_secret(word) && *word != start.registers.general[register], "{register}");
        }
        for (own, old) in
            state.registers.vectors.iter().flatten().zip(start.registers.vectors.iter().flatten())
        {
            assert!(terms.is_secret_lane(*own) && own != old);
        }
        assert!(state.registers.flags.is_secret);
        assert_eq!(
            (state.registers.flags.carry, state.registers.flags.zero),
            (Bit::Arbitrary, Bit::Arbitrary)
        );
        for half in &state.path.texts[0].iv {
            assert!(terms.is_secret(half));
        }
        assert!(state.path.cells.is_empty() && state.path.decided.is_empty());
    }
}
