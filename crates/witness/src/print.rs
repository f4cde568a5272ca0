//! Terms as expressions of certificates.

use crate::bits::{self, Map};
use aesmith_check::bits::{Mark, Plan};
use aesmith_check::certificate::{Edge, GENERAL, Line};
use aesmith_check::counters::TOP;
use aesmith_check::linear::Linear;
use aesmith_check::spec::Round;
use aesmith_check::terms::{Atom, LaneId, Part, Region, SAME, Terms, ZERO, stream_of};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Writes what is declared for bits.
pub(crate) fn plan(all: &mut String, plan: &Plan) {
    all.push_str("bits\n");
    for (number, basis) in plan.bases.iter().enumerate() {
        let (columns, constant) = basis.map();
        let kind = if basis.is_bytes { "bytes" } else { "bits" };
        let _ = writeln!(all, "basis b{number} {kind} #{} {constant}", digits(&columns));
    }
    let mut groups: BTreeMap<usize, Vec<(&Mark, usize)>> = BTreeMap::new();
    for (&at, mark) in &plan.marks {
        groups.entry(mark.group).or_default().push((mark, at));
    }
    for mut marks in groups.into_values() {
        marks.sort_by_key(|(mark, _)| mark.first);
        let offsets = marks.iter().map(|(mark, at)| match mark.others {
            0 => format!("0x{at:x}"),
            others => format!("0x{at:x}^0x{others:x}"),
        });
        let offsets: Vec<String> = offsets.collect();
        let _ = writeln!(all, "box b{} {}", marks[0].0.basis, offsets.join(" "));
    }
}

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

/// The text of a statement.
pub(crate) fn line(line: &Line) -> String {
    match line {
        Line::Fact(form) => format!("fact {form} >= 0"),
        Line::Disjoint(form, mask) => format!("disjoint {form} {mask}"),
        Line::General(register, value) => {
            format!("{} = {value}", GENERAL[usize::from(*register)])
        }
        Line::Vector(register, 0, value) => format!("xmm{register} = {value}"),
        Line::Vector(register, lane, value) => format!("xmm{register}.{lane} = {value}"),
        Line::Vectors(register, value) => format!("xmm{register}.* = {value}"),
        Line::Kept(register) => format!("kept xmm{register}"),
        Line::Cell((Region::Frame, at), value) => format!("frame[{at}] = {value}"),
        Line::Cell((_, at), value) => format!("stack[{at}] = {value}"),
        Line::SecretCells((region, at), count) => {
            let frame = if *region == Region::Frame { "frame " } else { "" };
            let count = if *count == 1 { String::new() } else { format!(" {count}") };
            format!("secret {frame}{at}{count}")
        }
        Line::Table((Region::Frame, at), entry) => format!("table frame[{at}] = {entry}"),
        Line::Table((_, at), entry) => format!("table stack[{at}] = {entry}"),
        Line::SecretMask(mask) => format!("secret k{mask}"),
        Line::Iv(stream, half, value) => format!("iv{}.{half} = {value}", further(*stream)),
        Line::Done(stream, form) => format!("done{} = {form}", further(*stream)),
        Line::Carry(form) => format!("carry = {form}"),
        Line::Hashed(form) => format!("hashed = {form}"),
        Line::Streams => "streams".into(),
        Line::Public(register) => format!("public {}", GENERAL[usize::from(*register)]),
        Line::PublicFlags => "flags public".into(),
    }
}

/// The end of a name for a stream: that of the first has none.
pub(crate) fn further(stream: usize) -> String {
    if stream == 0 { String::new() } else { format!(".{stream}") }
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
        Atom::Base(region @ (Region::Key | Region::Iv | Region::Input | Region::Output)) => {
            object(*region, 0)
        }
        Atom::Other(region, stream) => object(*region, *stream),
        Atom::Base(Region::Array(kind)) => ["keys", "ivs", "ins", "outs", "lens"][usize::from(*kind)].into(),
        Atom::Base(Region::Stack) => "stack".into(),
        Atom::Base(Region::Frame) => "frame".into(),
        Atom::Base(Region::Code) => "code".into(),
        Atom::Length => "len".into(),
        Atom::OtherLength(stream) => format!("len.{stream}"),
        Atom::Counter(half) => format!("counter.{half}"),
        Atom::Entry(register) => format!("old.{}", GENERAL[usize::from(*register)]),
        Atom::Variable(_) => variable(id)?,
        Atom::Shifted(word, by) => {
            // The upper bits of a counter that do not change.
            let fixed = if *by == TOP { form(terms, word, &|_| None) } else { None };
            format!("shr({}, {by})", fixed.or_else(|| inner(word))?)
        }
        Atom::Swapped(word) => format!("swap({})", inner(word)?),
        Atom::Half(half) => format!("low({})", lane(terms, *half, inner)?),
        Atom::Ones(_) | Atom::Unknown(_) | Atom::Public(_) => return None,
    })
}

/// The name of an object of a stream.
fn object(region: Region, stream: u8) -> String {
    let name = match region {
        Region::Key => "key",
        Region::Iv => "iv",
        Region::Input => "in",
        _ => "out",
    };
    format!("{name}{}", further(stream.into()))
}

fn digits(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).expect("four bits");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn bytes(bytes: [u8; 16]) -> String {
    digits(&bytes)
}

/// A lane as an expression; `None` if a part has no name.
pub(crate) fn lane(terms: &Terms, id: LaneId, renamed: Renamed) -> Option<String> {
    let lane = terms.get_lane(id);
    let (mut all, mut halves) = (Vec::new(), [None, None]);
    let mut parts: Vec<(u32, [u8; 16])> =
        lane.parts.iter().map(|&(part, mask)| (part, *terms.get_mask(mask))).collect();
    let mut constant = lane.constant;
    for moved in bits::moved(terms, &lane.bits, &mut constant)? {
        if let Map::Same = moved.map {
            parts.push((moved.part, moved.mask));
            continue;
        }
        let (part, mask) = (self::part(terms, terms.get_part(moved.part), renamed)?, bytes(moved.mask));
        all.push(match moved.map {
            Map::Spread(bit) => format!("spread({part}, #{mask}, {bit})"),
            _ if moved.mask == SAME => format!("map({part}, #{})", digits(&moved.columns)),
            _ => format!("shuffle(map({part}, #{}), #{mask})", digits(&moved.columns)),
        });
    }
    for (id, mask) in &parts {
        let part = terms.get_part(*id);
        if let (Part::Word(word), Some((half, is_swapped))) = (part, half(mask))
            && halves[half].is_none()
        {
            let word = renamed(word)?;
            halves[half] = Some(if is_swapped { format!("swap({word})") } else { word });
            continue;
        }
        let text = self::part(terms, part, renamed)?;
        all.push(if *mask == SAME { text } else { format!("shuffle({text}, #{})", bytes(*mask)) });
    }
    // Tweaks have the names of chain values further on.
    for &(part, matrix) in &lane.maps {
        let (Part::Chain(first), Some(exponent)) = (terms.get_part(part), terms.exponent(matrix)) else {
            return None;
        };
        all.push(match renamed(&first.offset(exponent as i128))?.as_str() {
            "0" => "iv".into(),
            block => format!("chain[{block}]"),
        });
    }
    if halves != [None, None] {
        let [low, high] = halves.map(|half| half.unwrap_or_else(|| "0".into()));
        all.push(format!("words({low}, {high})"));
    }
    // Numbers of parts differ from run to run.
    all.sort();
    if constant != 0 || all.is_empty() {
        all.push(format!("#{}", bytes(constant.to_le_bytes())));
    }
    Some(all.join(" ^ "))
}

/// The half of a lane to which a shuffle moves a word, and true if its bytes are reversed.
fn half(mask: &[u8; 16]) -> Option<(usize, bool)> {
    let (low, high) = (&mask[..8], &mask[8..]);
    let (half, bytes) = if *high == [ZERO; 8] { (0, low) } else { (1, high) };
    let is_swapped = bytes[0] == 7;
    let is_byte = |(at, &from): (usize, &u8)| usize::from(from) == if is_swapped { 7 - at } else { at };
    let is_word = bytes.iter().enumerate().all(is_byte) && (half == 0 || *low == [ZERO; 8]);
    is_word.then_some((half, is_swapped))
}

fn part(terms: &Terms, part: &Part, renamed: Renamed) -> Option<String> {
    Some(match part {
        Part::Text(block) => format!("x{}[{}]", further(stream_of(block, 1).0), renamed(block)?),
        Part::Chain(block) => {
            let stream = further(stream_of(block, 1).0);
            match renamed(block)?.as_str() {
                "0" => format!("iv{stream}"),
                block => format!("chain{stream}[{block}]"),
            }
        }
        Part::Key(number) => format!("k{}{}", number % 16, further(usize::from(number / 16))),
        Part::Word(word) => format!("words({}, 0)", renamed(word)?),
        Part::Round(round, inner) => {
            let name = Round::ALL.iter().find(|(other, _)| other == round)?.1;
            format!("{name}({})", lane(terms, *inner, renamed)?)
        }
        Part::Entry(register, number) => format!("old.xmm{register}.{number}"),
        Part::Nonce => "nonce".into(),
        Part::Hash(block) => format!("hash[{}]", renamed(block)?),
        Part::Power(exponent) => format!("h{exponent}"),
        Part::Product(..) | Part::Multiple(..) | Part::Begin(..) => return None,
        Part::Unknown(_) | Part::Box(..) | Part::Function(..) => return None,
    })
}

/// One expression for four lanes, in which `lane` is the number of each; `None` if they have none.
pub(crate) fn common(texts: [&str; 4]) -> Option<String> {
    if texts.iter().all(|text| *text == texts[0]) {
        return Some(texts[0].to_string());
    }
    // Numbers that grow by 1 from lane to lane. That of the first may be absent, if it is zero.
    let [first, one, two, three] = texts.map(pieces);
    if one.len() != two.len() || one.len() != three.len() {
        return None;
    }
    let (mut all, mut at_first) = (String::new(), String::new());
    for (k, &piece) in one.iter().enumerate() {
        let numbers = [piece, two[k], three[k]].map(|piece| piece.parse::<i64>().ok());
        match numbers {
            _ if piece == two[k] && piece == three[k] => {
                all += piece;
                at_first += piece;
            }
            [Some(a), Some(b), Some(c)] if b == a + 1 && c == a + 2 && !all.ends_with("- ") => {
                all += &if a == 1 { "lane".into() } else { format!("{} + lane", a - 1) };
                at_first += &(a - 1).to_string();
            }
            _ => return None,
        }
    }
    let at_first = at_first.replace(" + 0", "").replace("[0 + ", "[").replace("(0 + ", "(");
    (first.concat() == at_first).then_some(all)
}

/// Numbers, and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '#' || c == '_';
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|other| is_part(other) != is_part(c)).unwrap_or(rest.len());
        let (piece, next) = rest.split_at(end);
        all.push(piece);
        rest = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn lanes_that_count_have_one_expression() {
        let of = common;
        assert_eq!(of(["k1"; 4]).as_deref(), Some("k1"));
        let counted = ["x[p]", "x[1 + p]", "x[2 + p]", "x[3 + p]"];
        assert_eq!(of(counted).as_deref(), Some("x[lane + p]"));
        let counted =
            ["words(a + p, 0)", "words(a + 1 + p, 0)", "words(a + 2 + p, 0)", "words(a + 3 + p, 0)"];
        assert_eq!(of(counted).as_deref(), Some("words(a + lane + p, 0)"));
        let counted = ["x[4 + p]", "x[5 + p]", "x[6 + p]", "x[7 + p]"];
        assert_eq!(of(counted).as_deref(), Some("x[4 + lane + p]"));
        assert_eq!(of(["k1", "k2", "k3", "k4"]), None);
        assert_eq!(of(["x[4 + p]", "x[5 + p]", "x[6 + p]", "x[8 + p]"]), None);
    }
}
