//! The template values of kernels whose launch takes one array of elements: blocks of a message, or keys to expand.

use aesmith_cipher::mode::Next;
use aesmith_processor::grid::certificate::ProvedGrid;

use super::fill::{Values, only};

/// Advances a counter.
pub(crate) const ADVANCED: &str = include_str!("template/advance.c");
/// The counter of a block, for self-tests.
pub const COUNTED: &str = include_str!("template/counted.c");

/// The headers' sentence on the counter or the initial vector.
const COUNTER_SAID: &str = " The counter is the\n * first block's; it is not written back.";
const VECTOR_SAID: &str = " The initial\n * vector is that of the first block; it is not written back.";

/// Names in the templates, with their values.
pub fn values(proved: &ProvedGrid) -> Values {
    let proof = &proved.certificate().proof;
    let contract = proved.kernel().contract;
    let mode = contract.problem.mode();
    let (of_keys, has_iv) = (mode.writes.is_some(), contract.problem.has_iv());
    let apart = !mode.is_in_place_by_threads();
    let [taken, made] = contract.elements();
    let overlap = match (of_keys, apart) {
        (true, _) => "the round keys overlap the cipher keys",
        (false, true) => "the result overlaps the text",
        (false, false) => "the result overlaps the text and does not take its place",
    };
    let iv = if mode.counts() { "counter" } else { "iv" };
    // The counter or vector with which the next part of a message begins. The text is the caller's, because a result
    // may not be ready yet.
    let (said, advance, own) = match mode.next() {
        Next::Counter32 | Next::Doubled => unreachable!("no kernel for a grid has such chain values"),
        Next::Counter => (COUNTER_SAID, "\n        advance(next, now);", "counted(own, counter, block)"),
        Next::Text => (
            VECTOR_SAID,
            "\n        memcpy(next, in + 16 * (done + now) - 16, 16);",
            "memcpy(own, block ? in + 16 * (block - 1) : counter, 16)",
        ),
        Next::Nothing | Next::Output => ("", "", "memcpy(own, counter, 16)"),
    };
    // With several kinds of threads, the kind that finishes first decides, so that more thread blocks have work.
    let a_turn = proof.kinds().iter().map(|kind| kind.threads * kind.a_turn).min();
    vec![
        ("@ELEMENT@", if of_keys { "a key" } else { "a block of text" }.into()),
        ("@TURN@", a_turn.unwrap_or(1).to_string()),
        ("@TAKEN@", taken.to_string()),
        ("@MADE@", made.to_string()),
        ("@APART@", u8::from(apart).to_string()),
        ("@OVERLAP_SAID@", overlap.into()),
        ("@PLACE@", if apart { "the result apart from the text" } else { "in place or apart" }.into()),
        ("@ROUND_KEYS@", only(!of_keys, ",\n    const uint8_t round_keys[@KEYS@]")),
        ("@OR_NO_KEYS@", only(!of_keys, " || !round_keys")),
        ("@PASSED_KEYS@", only(!of_keys, ", round_keys")),
        ("@COUNTER_SAID@", said.into()),
        ("@COUNTER@", only(has_iv, &format!(", const uint8_t {iv}[16]"))),
        ("@OR_NO_COUNTER@", only(has_iv, &format!(" || !{iv}"))),
        ("@PASSED_COUNTER@", only(has_iv, ", counter")),
        ("@PASSED@", only(has_iv, ", next")),
        ("@NEXT@", only(has_iv, "\n    uint8_t next[16];")),
        ("@START@", only(has_iv, &format!("    memcpy(next, {iv}, 16);\n"))),
        ("@ADVANCE@", advance.into()),
        ("@ADVANCED@", only(mode.counts(), ADVANCED)),
        ("@COUNTED@", only(mode.counts(), COUNTED)),
        ("@OWN@", own.into()),
    ]
}
