//! Tests of the messages for files with mistakes: the line, the reason, and the remedy (`mistakes.txt`).

use aesmith_extension::cover::{Costs, cover};
use aesmith_extension::file::Extension;
use aesmith_extension::meaning::table;
use aesmith_extension::order::Order;
use aesmith_extension::program::Goal;
use aesmith_extension::sets;
use proptest::prelude::*;

/// Costs of plain instructions.
const COSTS: Costs =
    Costs { turn: 3.0, keep: 1.0, mix: 16.0, unmix: 35.0, look: [3.0, 4.0, 4.0, 3.0], place: 1.0 };

/// A file with one instruction; `meaning` is its line 6 and `more` the lines after it.
fn file(meaning: &str, more: &str) -> String {
    format!(
        "name = \"x\"\n[[instruction]]\nname = \"f\"\nreads = [\"a\", \"b\"]\nwrites = \"d\"\nmeaning = {meaning}\n{more}"
    )
}

fn said(text: &str) -> String {
    Extension::parse(text).map(|e| e.name).expect_err("it has a mistake").to_string()
}

/// The message for a meaning in quotes.
fn of(meaning: &str) -> String {
    said(&file(&format!("\"{meaning}\""), ""))
}

#[test]
fn every_mistake_has_its_message() {
    // A case begins at a line `== MESSAGE`.
    let cases: Vec<&str> = include_str!("mistakes.txt").split("\n== ").skip(1).collect();
    assert!(cases.len() >= 44, "{} cases", cases.len());
    for case in cases {
        let (message, text) = case.split_once('\n').expect("a message and a file");
        assert_eq!(said(text), message, "{text}");
    }
    assert!(said("name = ").starts_with("line 1: "));
}

/// An empty first line of a meaning counts, also with the line ends of Windows.
#[test]
fn of_meanings_of_several_lines() {
    for text in ["\"\"\"\nd = a ^ foo\"\"\"", "'''\r\nd = a ^ foo'''", "\"\"\"\r\nd = \\\n a ^\tfoo\"\"\""] {
        let line = 6 + text.matches('\n').count();
        assert_eq!(
            said(&file(text, "")),
            format!("line {line}: f: 'foo' is no operand, selector or local name; near it are: a, b, d")
        );
    }
}

#[test]
fn of_registers_that_the_unit_is_wired_to() {
    let text = "name = \"x\"\n[[instruction]]\nname = \"one\"\nreads = []\nfixed = [\"s0\", \"s1\"]\nwrites = \"d\"\nmeaning = \"d = s0 ^ s1\"\n[[instruction]]\nname = \"two\"\nreads = []\nfixed = [\"s1\"]\nwrites = \"d\"\nmeaning = \"d = s1\"";
    assert_eq!(
        said(text),
        "line 11: two: it is wired to s1, and one to s0, s1; the unit is wired to the same registers for all, so name the first of those"
    );
    assert!(
        Extension::parse(&text.replace(
            "s1\"]\nwrites = \"d\"\nmeaning = \"d = s1",
            "s0\"]\nwrites = \"d\"\nmeaning = \"d = s0"
        ))
        .is_ok()
    );
    // Register names of other tables may be used.
    assert!(
        Extension::parse(
            &text.replace("s0", "x1").replace("[\"s1\"]", "[\"x1\"]").replace("d = s1", "d = x1")
        )
        .is_ok()
    );
}

/// Short files with huge meanings.
#[test]
fn of_meanings_without_end() {
    let deep = "line 6: f: more than 200 parentheses or operators stand in each other; name parts with ':='";
    let parentheses = format!("d = b ^ {}a{}", "(".repeat(3000), ")".repeat(3000));
    assert_eq!(of(&parentheses), format!("{deep} (at byte 208)"));
    assert_eq!(of(&format!("d = b{}", " ^ a".repeat(3000))), format!("{deep} (at byte 4)"));
    assert_eq!(of(&format!("d = b ^ a{}", "[31:0]".repeat(1000))), format!("{deep} (at byte 4)"));
    assert_eq!(of(&format!("d = b ^ {}a", "~".repeat(3000))), format!("{deep} (at byte 208)"));
    assert!(of(&format!("{}d = a ^ b", "if a == b {".repeat(500))).contains("stand in each other"));
    assert!(
        of(&format!("d = a ^ b{}", ";".repeat(10_000)))
            .starts_with("line 6: f: it has more than 10000 words and signs")
    );
    let names: String = (0..300).map(|k| format!("t{k} := a ^ b; ")).collect();
    assert_eq!(of(&format!("{names}d = t0")), "line 6: f: it has more than 255 local names; join some");
    let bomb = |first: &str, times: fn(usize) -> String, last: usize| {
        let more: String = (2..=last).map(|k| format!("\"f{k}(x)\" = \"{}\"\n", times(k - 1))).collect();
        said(&format!(
            "name = \"x\"\n[macros]\n\"f1(x)\" = \"{first}\"\n{more}[[instruction]]\nname = \"f\"\nreads = [\"a\"]\nwrites = \"d\"\nmeaning = \"d = f{last}(a)\""
        ))
    };
    let wide = bomb("x ^ x", |k| format!("f{k}(x) ^ f{k}(x)"), 22);
    assert!(wide.starts_with("line 29: f: the macro 'f2' expands too far, to more than 10000 words and signs; name parts of it with ':=' (at byte "), "{wide}");
    let nested = bomb("x ^ x", |k| format!("f{k}(f{k}(f{k}(f{k}(x))))"), 5);
    assert!(nested.starts_with("line 12: f: the macro 'f1' expands too far"), "{nested}");
}

#[test]
fn of_what_cannot_compute_aes() {
    let why = |text: &str, goal: Goal| {
        let extension = Extension::parse(text).unwrap_or_else(|m| panic!("{m}"));
        let isa = table(&extension).expect("compiles");
        cover(&extension, &isa, goal, Order::default(), &COSTS).map(|p| p.steps.len()).unwrap_err()
    };
    let round = Goal::ALL[0];
    let only = sets::find("smix3").expect("it is there");
    let why_not = why(only, Goal::ALL[2]);
    assert!(why_not.starts_with("smix3 cannot compute a round of decryption: "), "{why_not}");
    let sum = file("\"d = a ^ b\"", "");
    assert!(why(&sum, round).contains("a round of encryption"), "{}", why(&sum, round));
    let product = file("\"d = a & b\"", "");
    assert_eq!(why(&product, round), "no instruction of x is a sum over bytes that AES could use");
}

/// The example in docs/EXTENSIONS.md.
#[test]
fn the_example_that_is_documented_encrypts() {
    let page = include_str!("../../../docs/EXTENSIONS.md");
    let text = page.split("```toml\n").nth(1).and_then(|t| t.split("```").next()).expect("it is there");
    assert!(text.lines().count() <= 10);
    let extension = Extension::parse(text).unwrap_or_else(|m| panic!("{m}"));
    let isa = table(&extension).expect("compiles");
    for goal in [Goal::ALL[0], Goal::ALL[1], Goal::SubWord { turned: false }] {
        let program =
            cover(&extension, &isa, goal, Order::default(), &COSTS).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(program.customs(), if program.outputs.len() == 4 { 16 } else { 4 });
    }
    for (signature, _, _) in aesmith_extension::meaning::BUILT_IN {
        assert!(page.contains(&format!("| `{signature}` |")), "{signature} is documented");
    }
    for (name, _) in sets::ALL {
        assert!(page.contains(&format!("| `{name}` |")), "{name} is documented");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any text is parsed or refused with a sentence, for any part cut out of a file or inserted into it.
    #[test]
    fn of_files_that_are_torn(set in 0..sets::ALL.len(), from in 0usize..4000, length in 0usize..60, put in "[a-z0-9\\[\\]{}()\"=^;:,. \n]{0,12}") {
        let text = sets::ALL[set].1;
        let from = text.floor_char_boundary(from.min(text.len()));
        let to = text.floor_char_boundary((from + length).min(text.len()));
        let torn = format!("{}{put}{}", &text[..from], &text[to..]);
        match Extension::parse(&torn) {
            Ok(extension) => prop_assert!(!extension.instructions.is_empty()),
            Err(mistake) => {
                prop_assert!(mistake.line >= 1 && mistake.line <= torn.lines().count() + 1, "{mistake}");
                prop_assert!(!mistake.what.is_empty() && !mistake.what.contains('\n'), "{mistake}");
            }
        }
    }
}
