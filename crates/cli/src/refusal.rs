//! Sentences on command lines that the argument parser refuses, in the style of all errors: the mistake, and its
//! remedy.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error;

/// The sentence on a refused command line; `None` if help or the version is the answer.
pub fn sentence(error: &clap::Error, program: &Command) -> Option<String> {
    of_command(error, &command(program, std::env::args().skip(1)))
}

/// The command that `words` name, as users write it: `aesmith wisdom list`.
fn command(program: &Command, words: impl Iterator<Item = String>) -> String {
    let (mut within, mut path) = (program, program.get_name().to_owned());
    for word in words {
        if let Some(found) = within.find_subcommand(&word) {
            within = found;
            path = format!("{path} {word}");
        }
    }
    path
}

fn of_command(error: &clap::Error, command: &str) -> Option<String> {
    let [of, value] = [ContextKind::InvalidArg, ContextKind::InvalidValue].map(|kind| texts(error, kind));
    let (first, value) = (of.first().map_or("", String::as_str), value.concat());
    let option = flag(first);
    Some(match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => return None,
        ErrorKind::InvalidSubcommand => {
            let word = texts(error, ContextKind::InvalidSubcommand).concat();
            let meant = meant(&texts(error, ContextKind::SuggestedSubcommand));
            format!("`{command}` has no command `{word}`; {meant}`{command} --help` lists them")
        }
        ErrorKind::UnknownArgument if first.starts_with('-') => {
            let meant = meant(&texts(error, ContextKind::SuggestedArg));
            format!("`{command}` has no option `{first}`; {meant}`{command} --help` lists them")
        }
        ErrorKind::UnknownArgument => {
            format!("`{command}` has no place for `{first}`; `{command} --help` says what it takes")
        }
        ErrorKind::MissingRequiredArgument => {
            format!("`{command}` needs {}, too; `{command} --help` says what it takes", list(&of, "and"))
        }
        ErrorKind::ArgumentConflict => {
            let others: Vec<String> =
                texts(error, ContextKind::PriorArg).iter().map(|other| flag(other).to_owned()).collect();
            match others.iter().any(|other| other == option) {
                true => format!("{option} may be given once"),
                false => format!("{option} does not go with {}: leave one out", list(&others, "and")),
            }
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("{option} needs a value: {first}"),
        ErrorKind::InvalidValue => {
            let meant = meant(&texts(error, ContextKind::SuggestedValue));
            let valid = list(&texts(error, ContextKind::ValidValue), "or");
            format!("{option} takes {valid}, and not `{value}`; {meant}")
                .trim_end_matches([' ', ';'])
                .to_owned()
        }
        ErrorKind::ValueValidation if value.is_empty() => {
            format!("{first}: a name is empty; `{command} --help` says what it takes")
        }
        ErrorKind::ValueValidation => {
            let said = texts(error, ContextKind::Suggested).concat();
            let why = error.source().map_or(said, ToString::to_string);
            let at = if option.starts_with('-') { format!("{option} {value}") } else { value };
            format!("{at}: {why}")
        }
        // The first line of any other error says what is wrong.
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            format!("{}; `{command} --help` says what it takes", line.trim_start_matches("error: "))
        }
    })
}

/// An option without its value: `--as` of `--as <FORM>`.
fn flag(argument: &str) -> &str {
    argument.split([' ', '=']).next().unwrap_or_default()
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// A question with the likely names; empty if there are none.
fn meant(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { String::new() } else { format!("did you mean {}? ", list(&quoted, "or")) }
}

/// `a, b and c`.
fn list(all: &[String], last: &str) -> String {
    match all {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use clap::{CommandFactory, Parser};

    fn said(line: &str) -> String {
        let words = || line.split(' ').map(str::to_owned);
        let error = Arguments::try_parse_from(["aesmith".to_owned()].into_iter().chain(words())).unwrap_err();
        of_command(&error, &command(&Arguments::command(), words()))
            .unwrap_or_else(|| panic!("{line} has no sentence"))
    }

    #[test]
    fn each_kind_of_mistake_has_a_sentence() {
        for (line, wanted) in [
            (
                "tun aes128-ctr",
                "`aesmith` has no command `tun`; did you mean `tune`? `aesmith --help` lists them",
            ),
            ("wisdom foo", "`aesmith wisdom` has no command `foo`; `aesmith wisdom --help` lists them"),
            (
                "tune aes128-ctr --effrt x",
                "`aesmith tune` has no option `--effrt`; did you mean `--effort`? `aesmith tune --help` lists them",
            ),
            (
                "tune aes128-ctr more",
                "`aesmith tune` has no place for `more`; `aesmith tune --help` says what it takes",
            ),
            ("tune aes128-ctr --time", "--time needs a value: --time <TIME>"),
            (
                "emit aes128-ctr,,aes128-ecb --as asm -o x",
                "<PROBLEM>...: a name is empty; `aesmith emit --help` says what it takes",
            ),
            (
                "emit aes128-ctr --as asm -o x --cpu sse2,",
                "--cpu <LEVEL>: a name is empty; `aesmith emit --help` says what it takes",
            ),
            ("emit aes128-ctr --as asm -o x --prefix=", "--prefix needs a value: --prefix <NAME>"),
            ("tune aes128-ctr --trials 0", "--trials 0: it is a whole number from 1 on, such as 500"),
            (
                "tune aes128-ctr --seed x",
                "--seed x: a seed is a whole number from 0 to 18446744073709551615, such as 7",
            ),
            (
                "tune aes128-ctx",
                "aes128-ctx: there is no such problem; the nearest are aes128-ctr, aes128-cbc and aes128-xts",
            ),
            ("tune", "`aesmith tune` needs <PROBLEM>, too; `aesmith tune --help` says what it takes"),
            (
                "emit",
                "`aesmith emit` needs --as <FORM>, --output <DIR> and <PROBLEM>..., too; `aesmith emit --help` says what it takes",
            ),
            (
                "emit aes128-ctr --as asn -o x",
                "--as takes asm, c, package, ptx, opencl or cuda, and not `asn`; did you mean `asm`?",
            ),
            (
                "tune aes128-ctr --constant-time --allow-variable-time",
                "--constant-time does not go with --allow-variable-time: leave one out",
            ),
            ("tune aes128-ctr --time 3s --time 4s", "--time may be given once"),
            (
                "judge x --processor avr --symbol f --limit 0",
                "--limit 0: it is a whole number from 1 on, such as 500",
            ),
        ] {
            assert_eq!(said(line), wanted);
        }
        let size = said("tune aes128-ctr --max-flash -1");
        assert!(size.starts_with("--max-flash -1: a size is a whole number of bytes"), "{size}");
    }

    #[test]
    fn help_and_version_are_no_errors() {
        for line in ["--help", "--version", "tune --help", "wisdom"] {
            let words = ["aesmith"].into_iter().chain(line.split(' '));
            let error = Arguments::try_parse_from(words).unwrap_err();
            assert_eq!(of_command(&error, "aesmith"), None, "{line}");
        }
    }
}
