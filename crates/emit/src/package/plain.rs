//! Texts in which every tool sees the same lines. What ends a line, and which line goes on in the next one, depends on the
//! tool, its version and its options; such places are refused, not followed.

/// The blanks that compilers overlook between a backslash and the end of its line.
pub const BLANKS: [char; 4] = [' ', '\t', '\u{b}', '\u{c}'];

/// Refuses characters that end a line or a text for some tools only: control characters other than blanks and ends of
/// lines, a carriage return that no line feed follows, and the separators of lines in Unicode. A byte order mark is
/// refused, too: tools that pass over it read the first line as another.
///
/// # Errors
/// A sentence with the line.
pub fn characters(text: &str) -> Result<(), String> {
    let ends_lines = |c: char| c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c);
    if text.starts_with('\u{feff}') {
        return Err("line 1: it begins with a byte order mark (U+FEFF), which some tools pass over".into());
    }
    let text = text.replace("\r\n", "\n");
    match text.char_indices().find(|(_, c)| ends_lines(*c) && *c != '\n' && !BLANKS.contains(c)) {
        None => Ok(()),
        Some((at, c)) => Err(format!(
            "line {}: it has the character U+{:04X}, which ends a line or the text for some tools and for others does not",
            line_of(&text, at),
            u32::from(c)
        )),
    }
}

/// Refuses `??/`, which compilers read as a backslash by their options, in comments and strings, too.
///
/// # Errors
/// A sentence with the line.
pub fn trigraphs(text: &str) -> Result<(), String> {
    text.find("??/").map_or(Ok(()), |at| {
        Err(format!(
            "line {}: `??/` stands where compilers may read another character, a backslash",
            line_of(text, at)
        ))
    })
}

/// Refuses lines that end with a backslash, or with blanks behind one, in comments, too: there the next line may end the
/// comment.
///
/// # Errors
/// A sentence with the line.
pub fn uncontinued(text: &str) -> Result<(), String> {
    let mut lines = (1..).zip(text.lines());
    lines
        .find(|(_, line)| goes_on(line))
        .map_or(Ok(()), |(number, _)| Err(format!("line {number}: a line is continued")))
}

/// True for a line that ends with a backslash, or with blanks behind one.
pub fn goes_on(line: &str) -> bool {
    line.trim_end_matches(BLANKS).ends_with('\\')
}

/// The number of the line with a byte.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_tools_read_alike_is_taken() {
        for text in ["/* C:\\aes */\n\tnop\r\n", "é?? \\ a\n\u{c}\n"] {
            assert_eq!(
                (characters(text), trigraphs(text), uncontinued(text)),
                (Ok(()), Ok(()), Ok(())),
                "{text}"
            );
        }
    }

    #[test]
    fn what_some_tools_read_otherwise_is_refused() {
        for text in ["\u{feff}a", "a\rb\n", "a\r\r\n", "a\0", "a\u{1a}", "a\u{85}", "a\u{2028}b"] {
            assert!(characters(text).is_err(), "{text:?}");
        }
        assert!(trigraphs("/* *??/\n/").is_err());
        for text in ["/* *\\\n/", "a\\ \t\u{b}\u{c}\nb", "a\\\r\nb", "a\\"] {
            assert_eq!(uncontinued(text), Err("line 1: a line is continued".to_owned()), "{text:?}");
        }
    }
}
