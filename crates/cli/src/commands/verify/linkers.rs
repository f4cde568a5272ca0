//! Files that tell linkers and pkg-config what belongs to a package: they may say only what aesmith writes.

use super::lines::{is_word, single_blanks};
use super::package::Fault;
use crate::regular;
use aesmith_emit::package::plain::characters;
use std::path::Path;

/// The highest limit of tables in bytes: what an `lpm` reaches.
const REACH: u64 = 1 << 16;

/// A fault if a file cannot be read, or tells a linker or pkg-config more than the files of the packages named `packages`
/// do.
pub(super) fn told(file: &Path, packages: &[&str]) -> Option<Fault> {
    let stem = file.file_stem()?.to_string_lossy().into_owned();
    let says: fn(&str, &str, &[&str]) -> bool = match file.extension()?.to_str()? {
        "ld" | "lds" => |text, stem, _| only_holds_tables_in_reach(text, stem),
        "pc" => |text, stem, packages| packages.contains(&stem) && only_names_the_library(text, stem),
        _ => return None,
    };
    let why = match regular::read_text(file) {
        Err(_) => "it cannot be read as a text, and may put other code in place",
        Ok(text) if is_name(&stem) && characters(&text).is_ok() && says(&text, &stem, packages) => {
            return None;
        }
        Ok(_) => "it is not what aesmith's packages tell linkers, and may put other code in place",
    };
    Some((file.to_path_buf(), why.to_owned()))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word)
}

/// The number in a text, decimal or with `0x`.
fn number(text: &str) -> Option<u64> {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    match text.strip_prefix("0x") {
        Some(rest) if digits(rest) => u64::from_str_radix(rest, 16).ok(),
        None if digits(text) && (text == "0" || !text.starts_with('0')) => text.parse().ok(),
        _ => None,
    }
}

/// True if a linker script only asserts that tables are within reach: behind comments it has the two statements that
/// aesmith writes, and no comment, which could begin or end in a string.
fn only_holds_tables_in_reach(script: &str, stem: &str) -> bool {
    let mut text = script.trim_start();
    while let Some(comment) = text.strip_prefix("/*") {
        let Some((_, after)) = comment.split_once("*/") else { return false };
        text = after.trim_start();
    }
    let text = single_blanks(text);
    let begins = format!("_link_with_{stem}.ld = 0; ASSERT({stem} + ");
    let Some((asked, rest)) = text.split_once(&begins) else { return false };
    let Some((numbers, sentence)) = rest.split_once(", \"") else { return false };
    let within = numbers.split_once(" <= ").and_then(|(bytes, most)| Some((number(bytes)?, number(most)?)));
    is_name(asked)
        && within.is_some_and(|(bytes, most)| bytes > 0 && most <= REACH)
        && !text.contains("/*")
        && sentence.strip_suffix("\")").is_some_and(|sentence| !sentence.contains(['"', '\\']))
}

/// True if a pkg-config file only names the library of its own name at its place of installation.
fn only_names_the_library(text: &str, name: &str) -> bool {
    // A backslash continues a line, and a blank, a quotation mark or `#` ends a value.
    let is_folder = |c: char| c.is_alphanumeric() || "/._-+~@:,=".contains(c);
    text.lines().all(|line| {
        let line = line.trim_end_matches([' ', '\t']);
        let is = |wanted: &str| line == wanted;
        let folder = |key: &str| line.strip_prefix(key).is_some_and(|rest| rest.chars().all(is_folder));
        let says = |key: &str| line.strip_prefix(key).is_some_and(|rest| !rest.contains(['$', '\\', '#']));
        line.is_empty()
            || ["prefix=", "libdir=", "includedir="].into_iter().any(folder)
            || ["libdir=${prefix}/", "includedir=${prefix}/"].into_iter().any(folder)
            || is("Cflags: -I${includedir}")
            || is("Cflags: -I\"${includedir}\"")
            || is(&format!("Libs: -L${{libdir}} -l{name}"))
            || is(&format!("Libs: -L\"${{libdir}}\" -l{name}"))
            || ["Name: ", "Description: ", "Version: "].into_iter().any(says)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_only_holds_tables_in_reach() {
        let script = "/* So. */\n/* So. */\nlpm_link_with_a_tables.ld = 0;\nASSERT(a_tables + 256 <= 0x10000, \"a: it is so\")\n";
        assert!(only_holds_tables_in_reach(script, "a_tables"));
        assert!(only_holds_tables_in_reach(&script.replace("/* So. */\n", ""), "a_tables"));
        for (from, to) in [
            ("lpm_", "a = b; lpm_"),
            ("it is so\")", "so /* \")\na = b;\nASSERT(1, \"*/ it is\")"),
            ("it is so\")", "it is so\")\na = b;"),
            ("= 0;", "= 0; /* so */"),
            ("256", "0"),
            ("256", "b"),
            ("0x10000", "0x20000"),
            ("0x10000", "0200000"),
            ("/* So. */\n/*", "/* So. */\na = b;\n/*"),
            ("it is so", "it is \\\" so"),
        ] {
            assert!(script.contains(from), "{from}");
            assert!(!only_holds_tables_in_reach(&script.replacen(from, to, 1), "a_tables"), "{to}");
        }
        assert!(!only_holds_tables_in_reach(script, "b_tables"));
    }

    #[test]
    fn a_file_for_pkg_config_only_names_the_library() {
        let text = "prefix=/usr\nlibdir=${prefix}/lib\nincludedir=/usr/include\n\nName: a\nDescription: AES, by aesmith\n\
                    Version: 0.1.0\nLibs: -L${libdir} -la\nCflags: -I${includedir}\n";
        let quoted =
            text.replace("${libdir}", "\"${libdir}\"").replace("-I${includedir}", "-I\"${includedir}\"");
        for text in [text, &quoted] {
            assert!(only_names_the_library(text, "a"));
            assert!(!only_names_the_library(text, "b"));
        }
        for (from, to) in [
            ("}/lib", "}/lib -levil"),
            ("}/lib", "}/lib\\ -levil"),
            ("}/lib", "}/lib\"x\""),
            ("}/lib", "}/lib#"),
            ("}/lib", "}/${b}"),
            ("/include\n", "/include -Da=evil\n"),
            ("/include\n", "/include\t-Da=evil\n"),
            ("Name: a", "Name: a\\"),
            ("Name: a", "Name: ${a}"),
            ("-la", "-la -lb"),
            ("Name: a", "Requires: b"),
            ("Name: a", "# a"),
        ] {
            assert!(text.contains(from), "{from}");
            assert!(!only_names_the_library(&text.replacen(from, to, 1), "a"), "{to}");
        }
    }

    #[test]
    fn numbers_are_read_as_linkers_do() {
        assert_eq!(
            ["256", "0x10", "0", "010", "0x", "a", "1K"].map(number),
            [Some(256), Some(16), Some(0), None, None, None, None]
        );
    }
}
