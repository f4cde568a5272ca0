//! Checks the names in a meaning: each must be an operand, a local or a function; an error lists similar names.

use aesmith_cipher::problem::nearest;
use aesmith_isa::Isa;
use aesmith_isa::language::{Ast, Line, Macros, parse};

use crate::file::{Instruction, Mistake};
use crate::meaning::{FUNCTIONS, line_at, operands};

/// Checks that every name of an instruction's meaning is known.
pub fn check(isa: &Isa, instruction: &Instruction) -> Result<(), Mistake> {
    // Syntax errors are reported by the compiler.
    let Ok(lines) = parse(&instruction.meaning, &Macros::new(isa.about.macros)) else { return Ok(()) };
    let mut known: Vec<String> = operands(instruction).iter().map(|n| (*n).to_owned()).collect();
    known.extend(instruction.fixed.iter().cloned());
    let mut scope = Scope { macros: isa.about.macros, known, are: "operand, selector or local name" };
    scope.lines(&lines).map_err(|(name, what)| Mistake {
        line: line_at(instruction, whole_word(&instruction.meaning, &name).unwrap_or(0)),
        what: format!("{}: {what}", instruction.name),
    })
}

/// The position of a word in a text.
fn whole_word(text: &str, word: &str) -> Option<usize> {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let alone = |&(at, _): &(usize, &str)| {
        !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next())
    };
    text.match_indices(word).find(alone).map(|(at, _)| at)
}

/// A prefix that makes a statement of a macro's body.
const VALUE: &str = "value = ";

/// Checks that a macro is an expression of its parameters, of functions and of other macros, without recursion. An
/// error has the byte offset in the body.
pub(crate) fn check_macro(
    signature: &str,
    body: &str,
    macros: &[(&str, &str)],
) -> Result<(), (usize, String)> {
    let (name, parameters) = split(signature);
    let wrong = |at: usize, what: String| (at, format!("the macro '{name}': {what}"));
    let lines = parse(&format!("{VALUE}{body}"), &Macros::default())
        .map_err(|m| wrong(m.at.saturating_sub(VALUE.len()), m.what))?;
    let [Line::Assign(_, value)] = lines.as_slice() else {
        return Err(wrong(0, "it is no expression".into()));
    };
    let known = parameters.iter().map(|p| (*p).to_owned()).collect();
    let scope = Scope { macros, known, are: "parameter of it" };
    scope.value(value).map_err(|(name, what)| wrong(whole_word(body, &name).unwrap_or(0), what))?;
    let mut reached = calls(body, macros);
    let mut next = 0;
    while let Some(&called) = reached.get(next) {
        if called == name {
            return Err((0, format!("the macro '{name}' calls itself")));
        }
        let body = macros.iter().find(|(s, _)| split(s).0 == called).map_or("", |(_, body)| body);
        let further = calls(body, macros);
        reached.extend(further.into_iter().filter(|f| !reached.contains(f)).collect::<Vec<_>>());
        next += 1;
    }
    Ok(())
}

/// The name and parameters of a macro.
fn split(signature: &str) -> (&str, Vec<&str>) {
    let (name, parameters) = signature.split_once('(').unwrap_or((signature, ""));
    let parameters = parameters.trim_end_matches(')').split(',').map(str::trim);
    (name, parameters.filter(|p| !p.is_empty()).collect())
}

/// The macros that a text calls.
fn calls<'a>(text: &str, macros: &[(&'a str, &str)]) -> Vec<&'a str> {
    let names = macros.iter().map(|(s, _)| split(s).0);
    names.filter(|name| whole_word(text, name).is_some()).collect()
}

struct Scope<'a> {
    macros: &'a [(&'a str, &'a str)],
    known: Vec<String>,
    /// The kind of the known names.
    are: &'static str,
}

/// The unknown name, and the sentence about it.
type Unknown = (String, String);

impl Scope<'_> {
    fn lines(&mut self, lines: &[Line]) -> Result<(), Unknown> {
        for line in lines {
            match line {
                Line::Local(name, value) => {
                    self.value(value)?;
                    self.known.push(name.clone());
                }
                Line::Assign(place, value) => {
                    self.value(place)?;
                    self.value(value)?;
                }
                Line::If(condition, then, otherwise) => {
                    self.value(condition)?;
                    let outside = self.known.len();
                    for branch in [then, otherwise] {
                        self.lines(branch)?;
                        self.known.truncate(outside);
                    }
                }
                // The caller refuses these statements because of their effects.
                Line::Jump(..) | Line::Skip | Line::Multiple(..) => {}
            }
        }
        Ok(())
    }

    fn value(&self, value: &Ast) -> Result<(), Unknown> {
        match value {
            Ast::Number(_) => Ok(()),
            Ast::Name(name) if self.known.contains(name) => Ok(()),
            Ast::Name(name) => Err((
                name.clone(),
                match nearest(name, &self.known, 3).as_slice() {
                    [] => format!("'{name}' is no {}", self.are),
                    near => format!("'{name}' is no {}; near it are: {}", self.are, near.join(", ")),
                },
            )),
            Ast::Slice(of, _, _) | Ast::Memory(_, _, of) => self.value(of),
            Ast::Operator(_, of) => of.iter().try_for_each(|v| self.value(v)),
            Ast::Call(name, of) if FUNCTIONS.contains(&name.as_str()) => {
                of.iter().try_for_each(|v| self.value(v))
            }
            Ast::Call(name, of) => {
                if let Some((_, parameters)) =
                    self.macros.iter().map(|(s, _)| split(s)).find(|(n, _)| n == name)
                {
                    if parameters.len() != of.len() {
                        let (wanted, here) = (parameters.len(), of.len());
                        return Err((
                            name.clone(),
                            format!("'{name}' takes {wanted} arguments, here are {here}"),
                        ));
                    }
                    return of.iter().try_for_each(|v| self.value(v));
                }
                let macros = self.macros.iter().map(|(s, _)| split(s).0);
                let names: Vec<String> = FUNCTIONS.iter().copied().chain(macros).map(str::to_owned).collect();
                let near = nearest(name, &names, 3).join(", ");
                Err((name.clone(), format!("there is no function '{name}'; near it are: {near}")))
            }
        }
    }
}
