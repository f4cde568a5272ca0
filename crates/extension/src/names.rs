//! Names in a meaning: each is an operand, a local name or a function; where one is not, the mistake
//! says which are near it.

use aesmith_cipher::problem::nearest;
use aesmith_isa::Isa;
use aesmith_isa::language::{Ast, Line, Macros, parse};

use crate::file::{Instruction, Mistake};
use crate::meaning::{FUNCTIONS, line_at, operands};

/// That every name of an instruction's meaning is known.
pub fn check(isa: &Isa, instruction: &Instruction) -> Result<(), Mistake> {
    // What cannot be parsed is said where it is compiled.
    let Ok(lines) = parse(&instruction.meaning, &Macros::new(isa.about.macros)) else { return Ok(()) };
    let mut known: Vec<String> = operands(instruction).iter().map(|n| (*n).to_owned()).collect();
    known.extend(instruction.fixed.iter().cloned());
    let mut scope = Scope { isa, known };
    scope.lines(&lines).map_err(|(name, what)| Mistake {
        line: line_at(instruction, whole_word(&instruction.meaning, &name).unwrap_or(0)),
        what: format!("{}: {what}", instruction.name),
    })
}

/// Where a word stands in a text.
fn whole_word(text: &str, word: &str) -> Option<usize> {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let alone = |&(at, _): &(usize, &str)| {
        !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next())
    };
    text.match_indices(word).find(alone).map(|(at, _)| at)
}

struct Scope<'a> {
    isa: &'a Isa,
    known: Vec<String>,
}

/// The name, and the sentence on it.
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
                // Refused as a whole, by what they do.
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
                format!(
                    "'{name}' is no operand, selector or local name; near it are: {}",
                    nearest(name, &self.known, 3).join(", ")
                ),
            )),
            Ast::Slice(of, _, _) | Ast::Memory(_, _, of) => self.value(of),
            Ast::Operator(_, of) => of.iter().try_for_each(|v| self.value(v)),
            Ast::Call(name, of) if FUNCTIONS.contains(&name.as_str()) => {
                of.iter().try_for_each(|v| self.value(v))
            }
            Ast::Call(name, _) => {
                let macros = self.isa.about.macros.iter().filter_map(|(s, _)| s.split_once('('));
                let names: Vec<String> =
                    FUNCTIONS.iter().copied().chain(macros.map(|(n, _)| n)).map(str::to_owned).collect();
                let near = nearest(name, &names, 3).join(", ");
                Err((name.clone(), format!("there is no function '{name}'; near it are: {near}")))
            }
        }
    }
}
