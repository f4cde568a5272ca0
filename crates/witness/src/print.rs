//! Terms as expressions of certificates.

use aesmith_check::certificate::{Edge, GENERAL, Line};
use aesmith_check::linear::Linear;
use aesmith_check::spec::Round;
use aesmith_check::terms::{Atom, LaneId, Part, Region, SAME, Terms};
use std::fmt::Write;

/// Writes the end of a path.
pub(crate) fn edge(all: &mut String, edge: &Edge) {
    let _ = match edge {
        Edge::Exit(blocks) => writeln!(all, "to exit {blocks}"),
        Edge::Head(name, values) => {
            let values: Vec<String> =
                values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            writeln!(all, "{}", format!("to {name} {}", values.join(", ")).trim_end())
        }
    };
}

/// Writes a statement.
pub(crate) fn line(all: &mut String, line: &Line) {
    let _ = match line {
        Line::Fact(form) => writeln!(all, "fact {form} >= 0"),
        Line::Disjoint(form, mask) => writeln!(all, "disjoint {form} {mask}"),
        Line::General(register, value) => {
            writeln!(all, "{} = {value}", GENERAL[usize::from(*register)])
        }
        Line::Vector(register, 0, value) => writeln!(all, "xmm{register} = {value}"),
        Line::Vector(register, lane, value) => writeln!(all, "xmm{register}.{lane} = {value}"),
        Line::Kept(register) => writeln!(all, "kept xmm{register}"),
        Line::Cell(at, value) => writeln!(all, "stack[{at}] = {value}"),
        Line::SecretCell(at) => writeln!(all, "secret {at}"),
        Line::Iv(half, value) => writeln!(all, "iv.{half} = {value}"),
        Line::Done(form) => writeln!(all, "done = {form}"),
        Line::Carry(form) => writeln!(all, "carry = {form}"),
        Line::Streams => writeln!(all, "streams"),
        Line::PublicFlags => writeln!(all, "flags public"),
    };
}

/// The text of a form; `None` if it has no name in the statement.
pub(crate) type Renamed<'a> = &'a dyn Fn(&Linear) -> Option<String>;

/// A sum of atoms with their names; `None` if one has no name.
pub(crate) fn form(terms: &Terms, form: &Linear, variable: &dyn Fn(u32) -> Option<String>) -> Option<String> {
    form_with(terms, form, variable, &|inner| self::form(terms, inner, variable))
}

/// A sum of atoms, with another way to print the arguments of functions.
pub(crate) fn form_with(
    terms: &Terms,
    form: &Linear,
    variable: &dyn Fn(u32) -> Option<String>,
    inner: Renamed,
) -> Option<String> {
    let mut all = String::new();
    let named = form.terms.iter().map(|&(id, c)| Some((atom(terms, id, variable, inner)?, c)));
    // Numbers of atoms differ from run to run.
    let mut named: Vec<(String, i128)> = named.collect::<Option<_>>()?;
    named.sort_by_key(|(name, coefficient)| (*coefficient < 0, name.clone()));
    for (name, coefficient) in named {
        let sign = if coefficient < 0 { "-" } else { "+" };
        if all.is_empty() {
            all += if coefficient < 0 { "-" } else { "" };
        } else {
            let _ = write!(all, " {sign} ");
        }
        match coefficient.abs() {
            1 => all += &name,
            other => {
                let _ = write!(all, "{other}*{name}");
            }
        }
    }
    match form.constant {
        0 if !all.is_empty() => {}
        number if all.is_empty() => all = number.to_string(),
        number => {
            let _ = write!(all, " {} {}", if number < 0 { "-" } else { "+" }, number.abs());
        }
    }
    Some(all)
}

/// The name of an atom.
fn atom(terms: &Terms, id: u32, variable: &dyn Fn(u32) -> Option<String>, inner: Renamed) -> Option<String> {
    Some(match terms.get_atom(id) {
        Atom::Base(Region::Key) => "key".into(),
        Atom::Base(Region::Iv) => "iv".into(),
        Atom::Base(Region::Input) => "in".into(),
        Atom::Base(Region::Output) => "out".into(),
        Atom::Base(Region::Stack) => "stack".into(),
        Atom::Base(Region::Code) => "code".into(),
        Atom::Length => "len".into(),
        Atom::Counter(half) => format!("counter.{half}"),
        Atom::Entry(register) => format!("old.{}", GENERAL[usize::from(*register)]),
        Atom::Variable(_) => variable(id)?,
        Atom::Shifted(word, by) => format!("shr({}, {by})", inner(word)?),
        Atom::Swapped(word) => format!("swap({})", inner(word)?),
        Atom::Half(half) => format!("low({})", lane(terms, *half, inner)?),
        Atom::Ones(_) | Atom::Unknown(_) => return None,
    })
}

fn bytes(bytes: [u8; 16]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A lane as an expression; `None` if a part has no name.
pub(crate) fn lane(terms: &Terms, id: LaneId, renamed: Renamed) -> Option<String> {
    let lane = terms.get_lane(id);
    let mut all = Vec::new();
    for &(id, mask) in &lane.parts {
        let (part, mask) = (terms.get_part(id), terms.get_mask(mask));
        let text = self::part(terms, part, renamed)?;
        let is_whole = *mask == SAME
            || matches!(part, Part::Word(_)) && mask[..8] == SAME[..8] && mask[8..] == [0x80; 8];
        all.push(if is_whole { text } else { format!("shuffle({text}, #{})", bytes(*mask)) });
    }
    // Numbers of parts differ from run to run.
    all.sort();
    if lane.constant != 0 || all.is_empty() {
        all.push(format!("#{}", bytes(lane.constant.to_le_bytes())));
    }
    Some(all.join(" ^ "))
}

fn part(terms: &Terms, part: &Part, renamed: Renamed) -> Option<String> {
    Some(match part {
        Part::Text(block) => format!("x[{}]", renamed(block)?),
        Part::Chain(block) => match renamed(block)?.as_str() {
            "0" => "iv".into(),
            block => format!("chain[{block}]"),
        },
        Part::Key(number) => format!("k{number}"),
        Part::Word(word) => format!("words({}, 0)", renamed(word)?),
        Part::Round(round, inner) => {
            let name = Round::ALL.iter().find(|(other, _)| other == round)?.1;
            format!("{name}({})", lane(terms, *inner, renamed)?)
        }
        Part::Entry(register, number) => format!("old.xmm{register}.{number}"),
        Part::Unknown(_) => return None,
    })
}
