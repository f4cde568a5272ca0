//! What packages say of kernels whose launch takes one message.

use aesmith_cipher::mode::Role;
use aesmith_processor::grid::certificate::ProvedGrid;

use super::{Values, only};

/// Counts a counter on by so many blocks: 128 bits, the highest byte first.
const ADVANCED: &str = "
/* Counts a counter on. */
static void advance(uint8_t counter[16], size_t by)
{
    unsigned at;
    for (at = 16; at-- && by; by >>= 8) {
        by += counter[at];
        counter[at] = (uint8_t)by;
    }
}
";

/// What the self-test gives a block of a text that is alone: its counter, or the block before it.
const COUNTED: &str = "            size_t carry = block;
            memcpy(own, counter, 16);
            for (at = 16; at-- && carry; carry >>= 8) {
                carry += own[at];
                own[at] = (uint8_t)carry;
            }
";
const CHAINED: &str = "            memcpy(own, block ? in + 16 * (block - 1) : counter, 16);
";

/// Names in the templates with what stands for them.
pub fn values(proved: &ProvedGrid) -> Values {
    let (program, proof) = (&proved.kernel().program, &proved.certificate().proof);
    let problem = proved.kernel().contract.problem;
    let (counts, has_iv) = (problem.mode().counts(), problem.has_iv());
    let apart = !problem.mode().is_in_place_by_threads();
    let iv = if counts { "counter" } else { "iv" };
    let argument = |role: Role| match role {
        Role::Key | Role::CipherKey => "(void *)round_keys",
        Role::Iv if counts => "(void *)counter",
        Role::Iv => "(void *)iv",
        Role::Input => "&in",
        Role::Output => "&out",
        Role::Length => "&count",
    };
    let arguments: Vec<&str> = program.parameters.iter().map(|parameter| argument(parameter.role)).collect();
    let said_of_iv = match (counts, has_iv) {
        (true, _) => " The counter is the\n * first block's; it is not written back.",
        (false, true) => " The initial\n * vector is that of the first block; it is not written back.",
        _ => "",
    };
    let overlap = match apart {
        true => "the result overlaps the text",
        false => "the result overlaps the text and does not take its place",
    };
    let advance = match (counts, has_iv) {
        (true, _) => "\n        advance(next, now);",
        // The text's last block, which a result in the host's memory may overwrite later.
        (false, true) => "\n        memcpy(next, in + 16 * (done + now) - 16, 16);",
        _ => "",
    };
    // Of kinds of threads, that of those which are through with it first: more blocks of threads have something to do.
    let a_turn = proof.kinds().iter().map(|kind| kind.threads * kind.a_turn).min();
    vec![
        ("@INTERFACE@", include_str!("template/message.h").into()),
        ("@WORK@", include_str!("template/message.cu").into()),
        ("@TESTS@", include_str!("template/message_test.cu").into()),
        ("@TESTED@", "texts of many lengths against the cipher on the host".into()),
        ("@KEPT@", "Round keys stay in the driver's copies of arguments after a call.".into()),
        ("@ALIGNMENT_SAID@", "a pointer is at no multiple of 16".into()),
        ("@OVERLAP_SAID@", overlap.into()),
        ("@MORE_RESULTS@", String::new()),
        ("@MORE_SENTENCES@", String::new()),
        ("@TURN@", a_turn.unwrap_or(1).to_string()),
        ("@ARGUMENTS@", arguments.join(", ")),
        ("@APART@", u8::from(apart).to_string()),
        ("@PLACE@", if apart { "the result apart from the text" } else { "in place or apart" }.into()),
        ("@COUNTER_SAID@", said_of_iv.into()),
        ("@COUNTER@", only(has_iv, &format!(", const uint8_t {iv}[16]"))),
        ("@OR_NO_COUNTER@", only(has_iv, &format!(" || !{iv}"))),
        ("@PASSED_COUNTER@", only(has_iv, ", counter")),
        ("@PASSED@", only(has_iv, ", next")),
        ("@NEXT@", only(has_iv, "\n    uint8_t next[16];")),
        ("@START@", only(has_iv, &format!("    memcpy(next, {iv}, 16);\n"))),
        ("@ADVANCE@", advance.into()),
        ("@ADVANCED@", only(counts, ADVANCED)),
        ("@OWN@", if counts || !has_iv { COUNTED } else { CHAINED }.into()),
    ]
}
