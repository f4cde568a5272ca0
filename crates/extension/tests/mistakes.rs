//! Tests of the messages for files with mistakes: the line, the reason, and the remedy.

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
fn of_meanings() {
    assert_eq!(of("d = a ^ sbox(b)"), "line 6: f: d: 8 bits are wanted, the value has 32");
    assert_eq!(
        of("d = a ^ b[7:0]"),
        "line 6: f: d: operands of 32 and 8 bits are combined; extend one with zx or sx"
    );
    assert_eq!(
        of("d = a ^ bb"),
        "line 6: f: 'bb' is no operand, selector or local name; near it are: b, a, d"
    );
    assert_eq!(
        of("d = a ^ zx(sbx(b[7:0]), 32)"),
        "line 6: f: there is no function 'sbx'; near it are: sbox, sx, isbox"
    );
    assert_eq!(
        of("d = a ^ divu(a, b)"),
        "line 6: f: there is no function 'divu'; near it are: byte, cat, mixed"
    );
    assert_eq!(of("d = a ^ (b"), "line 6: f: ')' is missing (at byte 10)");
    assert_eq!(of("d = b; a = a ^ b"), "line 6: f: it writes a, but says that it writes d");
    assert_eq!(of("if a == b { d = a }"), "line 6: f: a choice is written d = c ? x : y, not with 'if'");
    assert_eq!(of("t := a ^ b"), "line 6: f: it must write d");
    assert_eq!(
        of("d = a + b + pc"),
        "line 6: f: 'pc' is no operand, selector or local name; near it are: a, b, d"
    );
}

#[test]
fn of_meanings_of_several_lines() {
    let text = "\"\"\"\nx := cat(a[7:0], b[7:0]);\ny := x ^ a;\nd = a ^ b\"\"\"";
    assert_eq!(
        said(&file(text, "")),
        "line 8: f: operands of 16 and 32 bits are combined; extend one with zx or sx"
    );
    let text = "\"\"\"x := a ^ b;\nd = x ^ foo\"\"\"";
    assert_eq!(
        said(&file(text, "")),
        "line 7: f: 'foo' is no operand, selector or local name; near it are: a, b, d"
    );
    // An empty first line counts, also with the line ends of Windows.
    for text in ["\"\"\"\nd = a ^ foo\"\"\"", "'''\r\nd = a ^ foo'''", "\"\"\"\r\nd = \\\n a ^\tfoo\"\"\""] {
        let line = 6 + text.matches('\n').count();
        assert_eq!(
            said(&file(text, "")),
            format!("line {line}: f: 'foo' is no operand, selector or local name; near it are: a, b, d")
        );
    }
    assert_eq!(
        said(&file("\"x := a;\\n\\nd = a ^ \\u0066oo\"", "")),
        "line 6: f: 'foo' is no operand, selector or local name; near it are: a, b, d"
    );
    let text = "\"\"\"\nx := a;\nd = a ^ b\n  ^ y\"\"\"";
    assert_eq!(
        said(&file(text, "")),
        "line 9: f: 'y' is no operand, selector or local name; near it are: a, b, d"
    );
}

#[test]
fn of_operands() {
    let operands = |reads: &str, more: &str| {
        said(&format!(
            "name = \"x\"\n[[instruction]]\nname = \"f\"\nreads = {reads}\nwrites = \"d\"\nmeaning = \"d = a\"\n{more}"
        ))
    };
    assert_eq!(
        operands("[\"a\", \"b\", \"c\", \"e\"]", ""),
        "line 4: f: it reads 4 registers; three are the most that an instruction names"
    );
    assert_eq!(
        operands("[\"a\"]", "fixed = [\"s\", \"t\", \"u\", \"v\", \"w\"]"),
        "line 7: f: it is wired to 5 registers; four are the most, the state's"
    );
    assert_eq!(operands("[\"a\", \"a\"]", ""), "line 4: f: two operands are named 'a'; rename one");
    assert_eq!(
        operands("[\"a\"]", "selectors = { n = 9 }"),
        "line 7: f: the selector n has 1 to 5 bits, not 9"
    );
    assert_eq!(
        operands("[\"a\", \"Rb\"]", ""),
        "line 4: f: 'Rb' is no name of an operand: small letters and digits, after a letter, and no function's name"
    );
    assert_eq!(
        operands("[\"a\"]", "selectors = { k = 5, m = 5, n = 1 }"),
        "line 3: f: 10 bits tell instructions and selectors apart, and those before it have left too few"
    );
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

#[test]
fn of_macros() {
    let macros = |lines: &str, meaning: &str| {
        said(&format!(
            "name = \"x\"\n[macros]\n{lines}\n[[instruction]]\nname = \"f\"\nreads = [\"a\", \"r4\"]\nwrites = \"d\"\nmeaning = \"{meaning}\""
        ))
    };
    assert_eq!(
        macros("\"g(x)\" = \"x ^ r4\"", "d = g(a)"),
        "line 3: the macro 'g': 'r4' is no parameter of it; near it are: x"
    );
    assert_eq!(
        macros("\"h(x)\" = \"g(x)\"\n\"g(x)\" = \"\"\"\nx ^^ 1\"\"\"", "d = a ^ r4"),
        "line 5: the macro 'g': a value is missing"
    );
    assert_eq!(
        macros("\"g(x)\" = \"sbx(x)\"", "d = a ^ r4"),
        "line 3: the macro 'g': there is no function 'sbx'; near it are: sbox, sx, isbox"
    );
    assert_eq!(
        macros("\"g(x)\" = \"turn(x)\"", "d = a ^ r4"),
        "line 3: the macro 'g': 'turn' takes 2 arguments, here are 1"
    );
    assert_eq!(
        macros("\"g(x)\" = \"h(x)\"\n\"h(x)\" = \"g(x)\"", "d = g(a)"),
        "line 3: the macro 'g' calls itself"
    );
    assert_eq!(
        macros("\"g(x)\" = \"x\"\n\"g(y)\" = \"y\"", "d = a ^ r4"),
        "line 4: there are two macros 'g', of this file and what it includes; rename one"
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
fn of_encodings() {
    let encoding = |text: &str| said(&file("\"d = a ^ b\"", &format!("encoding = {{ {text} }}")));
    assert_eq!(
        encoding("avr = \"0\""),
        "line 7: f: no encodings are taken for 'avr'; they are for arm and rv32"
    );
    assert_eq!(
        encoding("rv32 = \"0000000 b[4:0] a[4:0] 000 0001011\""),
        "line 7: f: an encoding has whole bytes, at most 15, this one has 27 bits: 0000000 b[4:0] a[4:0] 000 0001011"
    );
    assert_eq!(
        encoding("rv32 = \"00000 b[4:0] a[4:0] 00 0001011\""),
        "line 7: f: its encoding for rv32 has 24 bits, not 32"
    );
    assert_eq!(
        encoding("rv32 = \"0000000 b[4:0] 00000 000 d[4:0] 0001011\""),
        "line 7: f: its encoding for rv32 has not all bits of a; write a[4:0]"
    );
    assert_eq!(
        encoding("rv32 = \"000 n[3:0] b[4:0] a[4:0] 000 d[4:0] 0001011\""),
        "line 7: f: its encoding for rv32 has the field n, which is no operand"
    );
    let ends =
        "line 7: f: its encoding for rv32 does not end as codes of 32 bits do: in 11, and not in 11111";
    assert_eq!(encoding("rv32 = \"0000000 b[4:0] a[4:0] 000 d[4:0] 0110001\""), ends);
    assert_eq!(encoding("rv32 = \"0000000 b[4:0] a[4:0] 000 d[4:0] 0011111\""), ends);
    let condition = "line 7: f: its encoding for arm starts with the condition: write cond[3:0] first";
    assert_eq!(encoding("arm = \"1110 1110 0000 a[3:0] d[3:0] 0000 0000 b[3:0]\""), condition);
    assert_eq!(encoding("arm = \"1110 cond[3:0] 0000 a[3:0] d[3:0] 0000 0000 b[3:0]\""), condition);
    let second = "encoding = { rv32 = \"0000000 b[4:0] a[4:0] 000 d[4:0] 0001011\" }\n[[instruction]]\nname = \"g\"\nreads = [\"a\", \"b\"]\nwrites = \"d\"\nmeaning = \"d = a & b\"\nencoding = { rv32 = \"0..0000 b[4:0] a[4:0] 000 d[4:0] 0001011\" }";
    assert_eq!(
        said(&file("\"d = a ^ b\"", second)),
        "line 13: g: its encoding for rv32 has codes in common with that of f; change a bit that is fixed in both, or leave the encoding out and one is chosen"
    );
}

#[test]
fn of_files() {
    assert_eq!(
        said("name = \"x\""),
        "line 1: the extension has no instruction; each starts with [[instruction]]"
    );
    assert_eq!(
        said("name = \"x\"\nincludes = [\"smix\"]"),
        "line 2: no set 'smix' comes with aesmith; near it are: smix3, pair, v1"
    );
    assert!(said("name = ").starts_with("line 1: "));
    assert_eq!(
        said("name = \"X y\"\n"),
        "line 1: 'X y' is no name: small letters, digits, '-', '_' and '.', after a letter"
    );
    assert_eq!(
        said("name = \"x\"\nincludes = [\"v2\", \"v5\"]"),
        "line 2: the set v5 has another layout of the state"
    );
    assert_eq!(
        said("name = \"x\"\nincludes = [\"bertoni-bytes\",\n\"smix3\"]"),
        "line 3: the set smix3 has an instruction 'smix', and so has a set before it; include one of them"
    );
    assert_eq!(
        said("name = \"x\"\nincludes = [\"smix3\"]\nwithout = [\"ssub\", \"ssbu\"]"),
        "line 3: no included set has an instruction 'ssbu' to be left out"
    );
    assert_eq!(
        said("name = \"x\"\n[macros]\n\"turn(x)\" = \"x\""),
        "line 3: the macro 'turn' has the name of a function that is built in; rename it"
    );
    assert_eq!(
        said(
            "name = \"x\"\nincludes = [\"smix3\"]\n[[instruction]]\nname = \"smix\"\nreads = [\"a\"]\nwrites = \"d\"\nmeaning = \"d = a\""
        ),
        "line 4: there are two instructions 'smix'; rename one"
    );
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
