//! The recipe of a package for firmware, from its README or header, or plain lines of variants.

use super::{MARKS, marked, prefix};
use crate::EmitError;
use aesmith_cipher::Problem;

/// The beginning of the sentence before the variant of a kernel that no search chose.
pub(crate) const NOT_TUNED: &str = "NOT TUNED";

/// The recipe of a package for firmware: variants as text, each with its problem, and the prefix of names, if it is not
/// aesmith's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// The variants, including those of key schedules.
    pub variants: Vec<(Problem, String)>,
    /// The problems whose variants no search chose, by the package's own words.
    pub untuned: Vec<Problem>,
    /// The prefix.
    pub prefix: Option<String>,
}

impl Given {
    /// Reads the README or header of a package, or plain lines of variants.
    ///
    /// # Errors
    /// A line that is no variant of a problem, or a problem with two variants.
    pub fn parse(text: &str) -> Result<Given, EmitError> {
        let text = &unwrapped(text);
        let prefix = prefix(text).map(str::to_owned);
        Ok(Given { variants: variants(text)?, untuned: untuned(text), prefix })
    }
}

/// Joins the lines of C comments that version 0.1.0 wrapped: they continue with a larger indentation.
fn unwrapped(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let continued = line.strip_prefix(" *   ").filter(|rest| !rest.starts_with(' '));
        out.push(if continued.is_some() { ' ' } else { '\n' });
        out.push_str(continued.unwrap_or(line));
    }
    out
}

/// The problems whose variants follow the sentence that no search chose them.
fn untuned(text: &str) -> Vec<Problem> {
    let mut all = Vec::new();
    let mut said = false;
    for line in text.lines() {
        said |= line.trim_start_matches(MARKS).starts_with(NOT_TUNED);
        if let Some(("variant", variant)) = marked(line) {
            let problem: Option<Problem> =
                variant.split_whitespace().next().and_then(|first| first.parse().ok());
            all.extend(problem.filter(|_| said));
            said = false;
        }
    }
    all
}

/// Returns the text forms of variants behind the word `variant`, after any comment mark, each once.
pub fn marked_variants(text: &str) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for (word, rest) in text.lines().filter_map(marked) {
        let begins = |first: &str| first.parse::<Problem>().is_ok();
        if word == "variant" && rest.split_whitespace().next().is_some_and(begins) && !all.contains(&rest) {
            all.push(rest);
        }
    }
    all
}

/// Returns the text forms of variants of a package for firmware, each with its problem. They are the lines that begin
/// with `variant`, after any comment mark; if there are none, all lines that are neither empty nor comments (`#`).
fn variants(text: &str) -> Result<Vec<(Problem, String)>, EmitError> {
    let mut lines = marked_variants(text);
    if lines.is_empty() {
        lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    }
    let mut all: Vec<(Problem, String)> = Vec::new();
    for line in lines {
        let first = line.split_whitespace().next().unwrap_or_default();
        // The message shows no contents of the file, which may be any file.
        let problem: Problem = first.parse().map_err(|_| {
            EmitError(
                "a line of it is no variant: one begins with a problem, such as `aes128-ecb sbox=flash`, as `tune` and \
                 `explain` print it"
                    .into(),
            )
        })?;
        match all.iter().find(|(known, _)| *known == problem) {
            Some((_, text)) if text != line => {
                return Err(EmitError(format!("it has two variants of {problem}")));
            }
            Some(_) => {}
            None => all.push((problem, line.to_owned())),
        }
    }
    if all.is_empty() {
        return Err(EmitError("there is no variant in it".into()));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_firmware_are_read_as_they_stand() {
        let names = |text: &str| {
            let all = variants(text)?;
            Ok::<_, EmitError>(all.into_iter().map(|(p, text)| format!("{p}: {text}")).collect::<Vec<_>>())
        };
        let own = "aes128-ecb processor=avr sbox=flash";
        let readme =
            format!("Words.\n\n * variant {own}  \nvariant aes128-key processor=avr\nvariant {own}\n");
        assert_eq!(
            names(&readme),
            Ok(vec![format!("aes128-ecb: {own}"), "aes128-key: aes128-key processor=avr".into()])
        );
        assert_eq!(names(&format!("# mine\n\n{own}\n")), Ok(vec![format!("aes128-ecb: {own}")]));
        for (text, why) in [
            ("root:x:0", "is no variant"),
            ("", "no variant in it"),
            ("aes128-ecb a=1\naes128-ecb a=2", "two variants of aes128-ecb"),
        ] {
            let error = names(text).unwrap_err();
            assert!(error.0.contains(why) && !error.0.contains("root"), "{error}");
        }
    }

    /// Version 0.1.0 wrapped the lines of comments; a variant that was cut would be another one.
    #[test]
    fn wrapped_variants_of_firmware_are_read_whole() {
        let header = "/*\n * NOT TUNED: the best of some variants; `x` looks at\n *   all.\n * variant aes128-ecb processor=avr\n *   sbox=flash keys=own\n * sha256 00\n */\nvoid f();\n/*\n * variant aes128-key processor=avr\n */\n";
        let given = Given::parse(header).unwrap();
        let texts: Vec<&str> = given.variants.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["aes128-ecb processor=avr sbox=flash keys=own", "aes128-key processor=avr"]);
        assert_eq!(given.untuned, ["aes128-ecb".parse().unwrap()]);
    }
}
