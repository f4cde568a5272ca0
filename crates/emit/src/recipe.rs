//! The recipe of a package, one entry a line: the variants that it was made from and the CPU features that they may
//! use. It is part of the README and the header, and reproduces the package.
//!
//! ```text
//! version 0.1.0
//! level avx2-aesni
//! variant up to 64 bytes: aes256-ctr width=xmm ...
//! variant aes256-ctr width=xmm ...
//! variant aes256-key schedule=keygenassist ...
//! ```
//!
//! A line `prefix NAME` gives the prefix of names, if it is not aesmith's. In a package of several problems, a line
//! such as `recipe aes256-ctr` begins the part of one of them.

mod given;

pub(crate) use given::NOT_TUNED;
pub use given::{Given, marked_variants};

use crate::{EmitError, NATIVE};
use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_processors::{levels, this_machine};

/// Characters before the words of a line: blanks, and the marks of comments.
const MARKS: [char; 5] = [' ', '\t', '*', '#', '/'];

/// One set of functions: a package has one for each level, or a single one without a level.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Part {
    /// The level in its symbols.
    pub level: Option<String>,
    /// The CPU features that kernels may use, as for `--cpu`, if the level does not determine them.
    pub cpu: Option<String>,
    /// The function over messages: variants with the longest message that each is used for, ascending; the last has no
    /// limit.
    pub message: Vec<(Option<u64>, Variant)>,
    /// The key schedule.
    pub schedule: Option<Variant>,
    /// The builder of the key's table.
    pub table: Option<Variant>,
}

/// The variants that a package is made from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Recipe {
    /// Its sets of functions, in order of preference.
    pub parts: Vec<Part>,
}

impl Part {
    /// The lines, without comment marks.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.level.iter().map(|level| format!("level {level}")));
        lines.extend(self.cpu.iter().map(|cpu| format!("cpu {cpu}")));
        let message = self.message.iter().map(|(limit, variant)| limited(*limit, variant));
        let set_up = self.schedule.iter().chain(&self.table).map(Variant::to_string);
        lines.extend(message.chain(set_up).map(|variant| format!("variant {variant}")));
        lines
    }

    /// Stores a variant in the field of its problem.
    fn take(&mut self, limit: Option<u64>, variant: Variant, problem: Problem) -> Result<(), EmitError> {
        let place = match variant.problem {
            same if same == problem && problem.is_message() => {
                self.message.push((limit, variant));
                return Ok(());
            }
            schedule if schedule == problem.key_schedule() => &mut self.schedule,
            table if Some(table) == problem.key_table() => &mut self.table,
            other => {
                return Err(EmitError(format!("it has a variant of {other}, and {problem} was asked for")));
            }
        };
        if limit.is_some() || place.is_some() {
            return Err(EmitError(format!("it has more than one variant of {}", variant.problem)));
        }
        *place = Some(variant);
        Ok(())
    }

    /// Checks that the level is known, because symbols and files are named after it.
    fn check_level(&self) -> Result<(), EmitError> {
        let Some(level) = &self.level else { return Ok(()) };
        if level != NATIVE && !levels().any(|l| l == level) {
            return Err(EmitError(format!("there is no CPU level `{level}`")));
        }
        if level != NATIVE && self.cpu.is_some() {
            return Err(EmitError(format!(
                "the level {level} says what its kernels may use, and so does `cpu`"
            )));
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.message.is_empty() && self.schedule.is_none() && self.table.is_none()
    }
}

/// `up to 64 bytes: aes256-ctr ...`, or the variant alone.
pub fn limited(limit: Option<u64>, variant: &Variant) -> String {
    limit.map_or_else(|| variant.to_string(), |limit| format!("up to {limit} bytes: {variant}"))
}

/// Parses the text form of [`limited`].
fn parse_limited(text: &str) -> Result<(Option<u64>, Variant), EmitError> {
    let bad = |e: String| EmitError(format!("`{text}` is no variant: {e}"));
    let (limit, variant) = match text.strip_prefix("up to ").and_then(|rest| rest.split_once(" bytes: ")) {
        Some((limit, variant)) => {
            let limit = limit.parse().map_err(|_| bad(format!("`{limit}` is no number of bytes")))?;
            (Some(limit), variant)
        }
        None => (None, text),
    };
    Ok((limit, this_machine().table.parse(variant).map_err(|e| bad(format!("{e}")))?))
}

impl Recipe {
    /// The lines of all parts.
    pub fn lines(&self) -> Vec<String> {
        self.parts.iter().flat_map(Part::lines).collect()
    }

    /// Reads the recipe of a package for `problem` from its README, its header or the comments of its assembly: the
    /// lines that begin with `level`, `cpu` and `variant`, after any comment mark. If no line begins with `variant`,
    /// every line that is neither empty nor a comment (`#`) is a variant.
    ///
    /// # Errors
    /// A sentence that tells why the text is no recipe of this problem.
    pub fn parse(text: &str, problem: Problem) -> Result<Recipe, EmitError> {
        let marked = of_problem(text, problem)?;
        let mut recipe = Recipe::default();
        if marked.iter().any(|(word, _)| *word == "variant") {
            for (word, rest) in marked {
                recipe.take(word, rest, problem)?;
            }
        } else {
            let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
            lines.into_iter().try_for_each(|line| recipe.take("variant", line, problem))?;
        }
        if recipe.parts.is_empty() {
            return Err(EmitError("there is no variant in it".into()));
        }
        recipe.check(problem)?;
        Ok(recipe)
    }

    fn take(&mut self, word: &str, rest: &str, problem: Problem) -> Result<(), EmitError> {
        let begun = self.parts.last().is_some_and(|part| part.is_empty() && part.cpu.is_none());
        if word == "level" || self.parts.is_empty() || (word == "cpu" && !begun) {
            self.parts.push(Part::default());
        }
        let part = self.parts.last_mut().expect("a part is there by now");
        match word {
            "level" => part.level = Some(rest.to_owned()),
            "cpu" => part.cpu = Some(rest.to_owned()),
            _ => {
                let (limit, variant) = parse_limited(rest)?;
                part.take(limit, variant, problem)?;
            }
        }
        Ok(())
    }

    fn check(&self, problem: Problem) -> Result<(), EmitError> {
        for part in &self.parts {
            part.check_level()?;
            let given = if problem.is_message() { !part.message.is_empty() } else { part.schedule.is_some() };
            let table_alone = problem.is_key_table() && part.table.is_some();
            if !given && !table_alone {
                return Err(EmitError(format!("it has no variant of {problem}")));
            }
            let limits: Vec<Option<u64>> = part.message.iter().map(|(limit, _)| *limit).collect();
            let ascend = limits.windows(2).all(|w| w[0].is_some() && (w[1].is_none() || w[0] < w[1]));
            if !ascend || limits.last().is_some_and(Option::is_some) {
                return Err(EmitError(
                    "its lengths must ascend, and the last variant takes every length (no `up to`)".into(),
                ));
            }
        }
        if self.parts.len() > 1 && self.parts.iter().any(|part| part.level.is_none()) {
            return Err(EmitError("it has several sets of functions, and one of them names no level".into()));
        }
        Ok(())
    }
}

/// Returns the problems that the recipe of a package lists; empty if the package has only one.
///
/// # Errors
/// A line `recipe` that names no problem.
pub fn problems(text: &str) -> Result<Vec<Problem>, EmitError> {
    let named = text.lines().filter_map(|line| word_of(line, "recipe"));
    named.map(|name| name.parse().map_err(|e| EmitError(format!("its line `recipe {name}`: {e}")))).collect()
}

/// Returns the prefix of names in a recipe, if it is not aesmith's.
pub fn prefix(text: &str) -> Option<&str> {
    text.lines().find_map(|line| word_of(line, "prefix"))
}

/// Returns the single word that follows `mark`, if the line contains only these two.
fn word_of<'t>(line: &'t str, mark: &str) -> Option<&'t str> {
    let line = line.trim_start_matches(MARKS).trim_end();
    let word = line.strip_prefix(mark)?.strip_prefix(' ')?.trim_start();
    (!word.is_empty() && !word.contains(' ')).then_some(word)
}

/// Returns the lines of a recipe that belong to a problem.
fn of_problem(text: &str, problem: Problem) -> Result<Vec<(&str, &str)>, EmitError> {
    let listed = problems(text)?;
    if listed.is_empty() {
        return Ok(text.lines().filter_map(marked).collect());
    }
    if !listed.contains(&problem) {
        let all: Vec<String> = listed.iter().map(Problem::to_string).collect();
        return Err(EmitError(format!("it is of {}, and {problem} was asked for", all.join(", "))));
    }
    let begins = |line: &str| word_of(line, "recipe").map(|name| name.parse() == Ok(problem));
    let lines = text.lines().skip_while(|line| begins(line) != Some(true)).skip(1);
    Ok(lines.take_while(|line| begins(line).is_none()).filter_map(marked).collect())
}

/// Splits a line into its keyword and the rest, if the keyword is one of a recipe.
fn marked(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(MARKS).trim_end();
    let (word, rest) = line.split_once(' ')?;
    ["level", "cpu", "variant"].contains(&word).then_some((word, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::dimensions::variant;

    fn parse(text: &str, problem: &str) -> Result<Recipe, EmitError> {
        Recipe::parse(text, problem.parse().unwrap())
    }

    #[test]
    fn what_is_written_is_read() {
        let part = |level: &str| Part {
            level: Some(level.into()),
            cpu: (level == "native").then(|| "sse2+ssse3".into()),
            message: vec![
                (Some(64), variant("aes256-ctr").unwrap()),
                (None, variant("aes256-ctr width=zmm cached=1").unwrap()),
            ],
            schedule: Some(variant("aes256-key").unwrap()),
            table: Some(variant("aes256-ctr-table").unwrap()),
        };
        let recipe = Recipe { parts: vec![part("native"), part("avx2-aesni")] };
        let plain = recipe.lines().join("\n");
        let comment = format!("/* Some words.\n * {}\n */", recipe.lines().join("\n * "));
        for text in [plain, comment] {
            assert_eq!(parse(&text, "aes256-ctr"), Ok(recipe.clone()), "{text}");
        }
        assert!(parse(&recipe.lines().join("\n"), "aes128-ctr").is_err());
    }

    /// Each of several problems has its own lines; the prefix occurs once.
    #[test]
    fn problems_of_one_package_are_told_apart() {
        let text = "version 0.1.0\nprefix mine\nrecipe aes128-ecb\nlevel sse2\nvariant aes128-ecb\nvariant aes128-key\n\
                    recipe aes256-ctr\ncpu sse2\nvariant aes256-ctr\n";
        assert_eq!(prefix(text), Some("mine"));
        let all: Vec<String> = problems(text).unwrap().iter().map(Problem::to_string).collect();
        assert_eq!(all, ["aes128-ecb", "aes256-ctr"]);
        let ecb = parse(text, "aes128-ecb").unwrap();
        assert_eq!((ecb.parts.len(), ecb.parts[0].level.as_deref()), (1, Some("sse2")));
        let ctr = parse(text, "aes256-ctr").unwrap();
        assert_eq!((ctr.parts[0].cpu.as_deref(), &ctr.parts[0].schedule), (Some("sse2"), &None));
        let refused = parse(text, "aes128-ctr").unwrap_err();
        assert!(refused.0.contains("it is of aes128-ecb, aes256-ctr"), "{refused}");
        assert!(problems("recipe aes1-ecb").is_err());
        assert_eq!(prefix("prefix of a sentence"), None);
    }

    #[test]
    fn lines_of_variants_alone_will_do() {
        let recipe =
            parse("# mine\n\nup to 80 bytes: aes128-ecb\naes128-ecb width=zmm\n", "aes128-ecb").unwrap();
        assert_eq!(recipe.parts[0].message.len(), 2);
        assert_eq!(recipe.parts[0].schedule, None);
        let key = parse("aes192-key-dec", "aes192-key-dec").unwrap();
        assert!(key.parts[0].schedule.is_some() && key.parts[0].message.is_empty());
    }

    #[test]
    fn what_is_no_recipe_is_refused_by_a_sentence() {
        for (text, why) in [
            ("", "no variant in it"),
            ("aes128-ctr width=hmm", "is no variant"),
            ("aes128-cbc", "aes128-ctr was asked for"),
            ("up to many bytes: aes128-ctr", "no number of bytes"),
            ("up to 64 bytes: aes128-ctr", "must ascend"),
            ("aes128-ctr\naes128-ctr", "must ascend"),
            ("up to 64 bytes: aes128-ctr\nup to 32 bytes: aes128-ctr\naes128-ctr", "must ascend"),
            ("aes128-key", "no variant of aes128-ctr"),
            ("aes128-ctr\naes128-key\naes128-key", "more than one variant"),
            ("level mine\nvariant aes128-ctr", "no CPU level `mine`"),
            ("level avx2\ncpu sse2\nvariant aes128-ctr", "so does `cpu`"),
            ("level avx2\nvariant aes128-ctr\ncpu vaes\nvariant aes128-ctr", "names no level"),
        ] {
            let error = parse(text, "aes128-ctr").unwrap_err();
            assert!(error.0.contains(why), "{text}: {error}");
        }
    }
}
