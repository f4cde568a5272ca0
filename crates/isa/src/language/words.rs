//! The lexer of the language, and its macros.

use std::collections::HashMap;

use super::Mistake;

/// A token: a word, a number or a sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Number(u64),
    Name(String),
    Sign(&'static str),
}

const SIGNS: &[&str] = &[
    ":=", ">>>", "<<", ">>", "==", "!=", "<u", "<s", "=", ";", "{", "}", "(", ")", "[", "]", ",", "?", ":",
    "+", "-", "*", "&", "|", "^", "~",
];

/// The tokens of a text, each with its byte offset.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Mistake> {
    let mut found = Vec::new();
    let mut at = 0;
    'next: while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if first.is_ascii_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let word = &rest[..end];
            let token = if first.is_ascii_digit() {
                let number = match word.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16),
                    None => word.parse(),
                };
                Token::Number(number.map_err(|_| Mistake { at, what: format!("'{word}' is not a number") })?)
            } else {
                Token::Name(word.to_owned())
            };
            found.push((at, token));
            at += end;
            continue;
        }
        for sign in SIGNS {
            let word_goes_on = |s: &str| {
                s.ends_with(['u', 's']) && rest[s.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
            };
            if rest.starts_with(sign) && !word_goes_on(sign) {
                found.push((at, Token::Sign(sign)));
                at += sign.len();
                continue 'next;
            }
        }
        return Err(Mistake { at, what: format!("'{first}' is no part of the language") });
    }
    Ok(found)
}

/// The macros of a table: pieces of text with parameters.
#[derive(Clone, Default, Debug)]
pub struct Macros(pub(super) HashMap<String, (Vec<String>, String)>);

impl Macros {
    /// Collects macros from pairs of a signature `name(a, b)` and a body.
    pub fn new(texts: &[(&str, &str)]) -> Macros {
        let split = |&(signature, body): &(&str, &str)| {
            let (name, parameters) = signature.split_once('(').unwrap_or((signature, ")"));
            let parameters = parameters.trim_end_matches(')').split(',').map(|p| p.trim().to_owned());
            (name.to_owned(), (parameters.filter(|p| !p.is_empty()).collect(), body.to_owned()))
        };
        Macros(texts.iter().map(split).collect())
    }
}
