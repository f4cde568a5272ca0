//! Texts that can make the assembler read other files, by a directive or by a macro that makes one.

use super::lines::{directive, lines, names};
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
        let mut words = names(&low).filter(|_| !is_header);
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

/// True for a text in which nothing can be a directive of the assembler's that reads a file: neither such a word, nor a
/// macro or a continued line that may make one.
pub fn reads_no_file(text: &str) -> bool {
    let low = text.to_ascii_lowercase();
    !["incbin", "include", "macro", "irp"].iter().any(|word| low.contains(word)) && uncontinued(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{assembled, reads_no_file};

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
        for text in [
            "\t.file \"a\"\n\t.incbin \"a\"\n",
            "# /*\n\t.INCBIN \"a\"\n# */\n",
            "\t.inc\\\nbin \"a\"\n",
            "\t.macro of a\n\t.inc\\a \"b\"\n\t.endm\n",
            "\t.irp a, bin\n\t.inc\\a \"b\"\n\t.endr\n",
        ] {
            assert!(!reads_no_file(text), "{text}");
        }
    }
}
