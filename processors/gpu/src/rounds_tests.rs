//! Rounds as an inner loop of an iteration, and round keys at an address in a register: texts with faults there
//! are refused.

use crate::proof_tests::{printed, proved, replaced};
use crate::text;

const SLICED: &str = "aes128-ecb technique=bitsliced warps=1";

/// The labels of the main loop, and of the loop of rounds.
const MAIN: &str = "L12:\n";
const ROUNDS: &str = "L1396:\n";
const KEYS: &str = "    mov.u64 %rd4, keys;\n    add.u64 %rd6, %rd4, 16;\n";
const FIRST: &str = "    mov.b32 %r62, 1;\n";
const LAST: &str = "    setp.lt.u32 %p0, %r62, 10;\n";

/// A label with text inserted before it or, if `behind`, after it.
fn at(label: &str, inserted: &str, behind: bool) -> String {
    if behind { format!("{label}{inserted}") } else { format!("{inserted}{label}") }
}

#[test]
fn rounds_are_followed_as_they_go() {
    let (text, contract) = printed(SLICED);
    let of = |register: &str| LAST.replace("%r62", register);
    let other = "    mov.u64 %rd20, keys;\n    add.u64 %rd20, %rd20, 16;\n";
    let [before, bound] = [(KEYS, ""), ("add.u64 %rd6, %rd6, 512", "add.u64 %rd20, %rd20, 512")];
    let kept = replaced(&text, &[before, (MAIN, &at(MAIN, other, false)), bound]);
    let kept: String = kept
        .lines()
        .map(|line| if line.contains("ld.param") { line.replace("%rd6+", "%rd20+") } else { line.to_owned() } + "\n")
        .collect();
    let number = "    mov.b32 %r190, 16;\n    mov.b32 %r191, 2;\n    mov.b64 %rd6, {%r190, %r191};\n";
    let below = format!(
        "{KEYS}    mov.b32 %r190, 0;\n    mov.b32 %r191, -1;\n    mov.b64 %rd20, {{%r190, %r191}};\n    add.u64 %rd20, %rd20, %rd4;\n    ld.param.b32 %r190, [%rd20+0];\n"
    );
    let none = "at an address outside its own memory";
    for (what, wrong, why) in [
        ("a number for the address of the key", replaced(&text, &[(KEYS, number)]), none),
        ("what stands before the key", replaced(&text, &[(KEYS, &below)]), "of the key are not there"),
        (
            "a word that begins within another",
            replaced(&text, &[("%rd4, 16;", "%rd4, 18;")]),
            "at no multiple of their size",
        ),
        ("an address that goes on from turn to turn", kept, none),
        (
            "a count that goes on from turn to turn",
            replaced(
                &text,
                &[
                    (FIRST, ""),
                    (MAIN, &at(MAIN, "    mov.b32 %r190, 1;\n", false)),
                    ("add.u32 %r62, %r62, 1;", "add.u32 %r190, %r190, 1;"),
                    (LAST, &of("%r190")),
                ],
            ),
            "control hangs on a secret",
        ),
        (
            "as many rounds as the thread's number",
            replaced(&text, &[(LAST, &format!("    mov.u32 %r190, %tid.x;\n{}", of("%r190")))]),
            "control hangs on data",
        ),
        (
            "as many rounds as the key says",
            replaced(&text, &[(LAST, &format!("    ld.param.b32 %r190, [keys+0];\n{}", of("%r190")))]),
            "control hangs on data",
        ),
        (
            "rounds without end",
            replaced(&text, &[(ROUNDS, &at(ROUNDS, "L900:\n    bra L900;\n", false))]),
            "a loop within a turn does not end",
        ),
        (
            "the first turn from within",
            replaced(&text, &[(MAIN, &at(MAIN, "    bra L1396;\n", false))]),
            none,
        ),
        (
            "a turn begun again from its rounds",
            replaced(&text, &[(ROUNDS, &at(ROUNDS, "    bra L12;\n", true))]),
            "nothing says that there is such a",
        ),
        (
            "a loop behind the loop",
            replaced(&text, &[("L5792:\n", "L5792:\n    bra L5792;\n")]),
            "there are loops one after another",
        ),
    ] {
        let refused = proved(&wrong, &contract).expect_err(what).to_string();
        assert!(refused.contains(why), "{what}: {refused}");
    }
    // PTX takes it as a signed number; a table of unsigned numbers would add it as 2^32 - 4.
    let less = replaced(&text, &[("%r146, [%rd6+0];", "%r146, [%rd6+-4];")]);
    assert!(text::read(&less).is_err_and(|why| why.contains("no instruction")), "a distance below zero");
}
