//! Texts that can make the assembler read other files, by a directive or by a macro that makes one.

use super::lines::{self, directive, lines};
use aesmith_emit::package::plain::uncontinued;

/// Checks a text for an assembler that does not report the files that it reads: macros may not compose words, and no
/// word may name a directive that reads a file.
///
/// # Errors
/// A sentence with the line.
pub fn assembled(text: &str) -> Result<(), String> {
    for (number, line) in lines(text)? {
        // The preprocessor may put the dot before a word.
        let low = line.to_ascii_lowercase();
        let is_header = directive(&line).is_some_and(|(word, _)| word == "include");
        let mut words = lines::names(&low).filter(|_| !is_header);
        if let Some(word) = words.find(|word| ["incbin", "include", "altmacro"].contains(word)) {
            return Err(format!(
                "line {number}: `{word}` is refused where the assembler does not say what it reads"
            ));
        }
        if line.contains('\\') {
            return Err(format!(
                "line {number}: arguments of macros may make any directive; a compiler with GNU's assembler says what is read"
            ));
        }
    }
    Ok(())
}

/// Directives of compilers with strings alone, which are often names of files.
const OF_STRINGS: &[&str] = &[".file", ".string", ".ascii", ".asciz"];

/// True for a line that has one of these directives and nothing else, or that only tells a number of a line and its file
/// (`# 1 "a.h"`): its strings have no character that ends a string, a statement or a line, or begins a comment.
fn is_of_strings(line: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " \t\"/._-+<>,=:~()".contains(c);
    let mut words = line.split_ascii_whitespace();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let rest = match (words.next(), words.next()) {
        (Some("#"), Some(word)) if is_number(word) => line.trim_start().strip_prefix('#'),
        (Some(word), _) if OF_STRINGS.contains(&word) => Some(line),
        _ => None,
    };
    rest.is_some_and(|rest| rest.chars().all(plain))
}

/// True for a text in which nothing can be a directive of the assembler's that reads a file: neither such a word, nor a
/// macro or a continued line that may make one.
pub fn reads_no_file(text: &str) -> bool {
    let has_word = |line: &str| {
        let low = line.to_ascii_lowercase();
        ["incbin", "include", "macro", "irp"].iter().any(|word| low.contains(word))
    };
    !text.lines().any(|line| !is_of_strings(line) && has_word(line)) && uncontinued(text).is_ok()
}

/// True if a text gives a file's name by `.file`, by which the assembler reads nothing.
pub fn names(text: &str, file: &str) -> bool {
    let quoted = format!("\"{file}\"");
    let gives = |line: &str| {
        is_of_strings(line)
            && line.split_ascii_whitespace().next() == Some(".file")
            && line.contains(quoted.as_str())
    };
    text.lines().any(gives)
}

#[cfg(test)]
mod tests {
    use super::{assembled, names, reads_no_file};

    #[test]
    fn words_that_read_files_are_found_behind_a_dot_and_without_one() {
        for text in ["#include \"a.h\"\n\tnop\n", "\t.ascii \"include\"\n", "/* incbin */\n\tnop\n"] {
            assert_eq!(assembled(text), Ok(()), "{text}");
        }
        for text in [
            "\t.incbin \"a\"\n",
            "#define other incbin\n\t.other \"a\"\n",
            "#define of(word) .word\n\tof(INCLUDE) \"a\"\n",
            "\t.macro of a\n\t.inc\\a \"b\"\n\t.endm\n",
            "\t.altmacro\n",
        ] {
            assert!(assembled(text).is_err(), "{text}");
        }
    }

    #[test]
    fn texts_of_compilers_read_no_file() {
        assert!(reads_no_file("\t.file\t\"a.c\"\n\t.string \"a\\n\"\n\tnop\n"));
        assert!(reads_no_file(
            "# 7 \"/usr/include/a.h\" 1 3\n\t.file 1 \"/usr/include/a.h\"\n\t.file 0 \"/include\" \"a.c\"\n\t.string\t\"/usr/include\"\n"
        ));
        for text in [
            "\t.file \"a\"\n\t.incbin \"a\"\n",
            "# 7 \"a\"; .incbin \"a\"\n",
            "\t.file \"a\"; .incbin \"a\"\n",
            "\t.file \"a\\\"\n\t.incbin \"a\"\n",
            "# /*\n\t.INCBIN \"a\"\n# */\n",
            "\t.inc\\\nbin \"a\"\n",
            "\t.macro of a\n\t.inc\\a \"b\"\n\t.endm\n",
            "\t.irp a, bin\n\t.inc\\a \"b\"\n\t.endr\n",
        ] {
            assert!(!reads_no_file(text), "{text}");
        }
    }

    #[test]
    fn names_of_files_are_given_by_one_directive_alone() {
        let text =
            "\t.file\t\"a.c\"\n\t.string \"b\"\n\tnop # .file \"d\"\n\t.file 1 \"/usr/include\" \"c.h\"\n";
        for (name, given) in [("a.c", true), ("c.h", true), ("b", false), ("c", false), ("d", false)] {
            assert_eq!(names(text, name), given, "{name}");
        }
    }
}
