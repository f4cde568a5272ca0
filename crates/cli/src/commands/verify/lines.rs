//! The lines of assembly text as preprocessors see them. What they read differently, by their versions and options, is
//! refused.

use aesmith_emit::package::plain::{BLANKS, characters, goes_on, trigraphs};

/// Words after `#` that the preprocessor acts upon; in assembly it passes on lines with any other word.
const DIRECTIVES: &[&str] = &[
    "include",
    "include_next",
    "import",
    "embed",
    "define",
    "undef",
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "elifdef",
    "elifndef",
    "else",
    "endif",
    "line",
    "error",
    "warning",
    "pragma",
    "ident",
    "sccs",
    "assert",
    "unassert",
];

/// True for a text whose macros may make words of the assembler's, which no check of the text finds.
pub(super) fn composes(text: &str) -> bool {
    text.contains('\\') || text.to_ascii_lowercase().contains("altmacro")
}

/// The lines of a text with their numbers, as the preprocessor sees them: continued lines are joined, comments are
/// removed, and strings are empty.
pub(super) fn lines(text: &str) -> Result<Vec<(usize, String)>, String> {
    characters(text)?;
    trigraphs(text)?;
    let bytes: Vec<char> = text.replace("\r\n", "\n").chars().collect();
    let (mut out, mut line) = (Vec::new(), String::new());
    let (mut at, mut number, mut begun) = (0, 1, 1);
    let splice = |at: usize| -> Option<usize> {
        let rest = bytes.get(at..)?;
        let blank = rest.iter().skip(1).take_while(|c| BLANKS.contains(c)).count();
        (rest.first() == Some(&'\\') && rest.get(1 + blank) == Some(&'\n')).then_some(at + 2 + blank)
    };
    let starts = |at: usize, what: [char; 2]| bytes.get(at..at + 2) == Some(&what);
    while at < bytes.len() {
        if let Some(next) = splice(at) {
            // The marks of a comment or a string may themselves be continued; this is refused, not followed.
            let marks = ['/', '*', '"', '\''];
            let before = at.checked_sub(1).is_some_and(|at| marks.contains(&bytes[at]));
            if before || bytes.get(next).is_some_and(|c| marks.contains(c)) {
                return Err(format!(
                    "line {number}: a line is continued within a mark of a comment or a string"
                ));
            }
            (at, number) = (next, number + 1);
        } else if bytes[at] == '\n' {
            out.push((begun, std::mem::take(&mut line)));
            (at, number) = (at + 1, number + 1);
            begun = number;
        } else if starts(at, ['/', '*']) {
            let first = number;
            at += 2;
            while !starts(at, ['*', '/']) {
                match bytes.get(at) {
                    None => return Err(format!("line {first}: its comment does not end")),
                    Some('\n') => number += 1,
                    // The next line may begin with what ends the comment.
                    Some(_) if splice(at).is_some() => {
                        return Err(format!("line {number}: a line is continued within a comment"));
                    }
                    Some(_) => {}
                }
                at += 1;
            }
            at += 2;
            line.push(' ');
        } else if bytes[at] == '"' {
            let begins = |mark: &str| line.trim_start_matches(BLANKS).starts_with(mark);
            let kept = begins("#") || begins(".section");
            // A raw string (`R"(...)"`) of newer compilers ends elsewhere.
            if line.ends_with('R') {
                return Err(format!(
                    "line {number}: `R` before a string, which compilers read by their versions"
                ));
            }
            let start = at;
            at += 1;
            loop {
                match bytes.get(at) {
                    None | Some('\n') => {
                        return Err(format!("line {number}: its string does not end on the line"));
                    }
                    Some('\\') if bytes.get(at + 1).is_some_and(|c| *c != '\n') && splice(at).is_none() => {
                        at += 2
                    }
                    Some('\\') => {
                        return Err(format!("line {number}: its string does not end on the line"));
                    }
                    Some('"') => break,
                    Some(_) => at += 1,
                }
            }
            at += 1;
            if bytes[start..at].windows(2).any(|two| two == ['?', '?']) {
                return Err(format!(
                    "line {number}: `??` in a string, which compilers read by their options"
                ));
            }
            // The names of files and the flags of sections are kept for inspection.
            line.extend(if kept { bytes[start..at].to_vec() } else { vec!['"', '"'] });
        } else if bytes[at] == '\'' || starts(at, ['/', '/']) {
            // This may be a comment or a character: it makes no difference if nothing on the line begins a comment.
            let end = bytes[at..].iter().position(|&c| c == '\n').map_or(bytes.len(), |n| at + n);
            let rest: String = bytes[at..end].iter().collect();
            if rest.contains("/*") || goes_on(&rest) {
                return Err(format!(
                    "line {number}: behind a quotation mark or `//` a comment begins or the line is continued, which tools \
                     read differently"
                ));
            }
            line.push_str(&rest);
            at = end;
        } else {
            line.push(bytes[at]);
            at += 1;
        }
    }
    out.push((begun, line));
    Ok(out)
}

/// The word after a line's `#`, if the preprocessor acts upon it, and the rest.
pub(super) fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start_matches(BLANKS).strip_prefix('#')?.trim_start_matches(BLANKS);
    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    DIRECTIVES.contains(&&rest[..end]).then(|| (&rest[..end], rest[end..].trim_matches(BLANKS)))
}

/// True for a directive with characters that only some preprocessors, by their options, take for letters.
pub(super) fn has_odd_letters(line: &str) -> bool {
    let odd = |c: char| !c.is_ascii() || c == '$';
    directive(line).is_some_and(|(word, rest)| match word {
        "error" => rest.starts_with(odd),
        _ => rest.contains(odd),
    })
}

/// Letters of words: with its usual options, the preprocessor knows no others in assembly.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A text with single blanks between its words.
pub(super) fn single_blanks(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The names in a text, without numbers.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
}
