//! Certificates: the text form, and the expressions in it. docs/CERTIFICATES.md describes both.

use crate::bits::{Basis, Mark, Plan};
use crate::claim;
use crate::contract::{Contract, STACK_BYTES};
use crate::decode::Shift;
use crate::field::{self, matrices::IDENTITY};
use crate::linear::Linear;
use crate::packed;
use crate::spec::{Mode, POWERS, Round};
use crate::symbolic::{Place, Stop, Symbolic, refused};
use crate::terms::{Atom, LaneId, Part, Region, STREAM, ZERO};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The first line of a certificate.
pub const TITLE: &str = "aesmith certificate with proof, version 2";
/// The most heads, and the most variables of one, which are compared with each other.
const MOST: usize = 1 << 12;
/// The most statements that heads take from others.
const MOST_COPIED: usize = 1 << 20;
/// The first line of an earlier version, of which every text means the same in this one, and which has fewer lines.
const FIRST_TITLE: &str = "aesmith certificate with proof, version 1";

/// Names of general registers by their numbers.
pub const GENERAL: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    "r15",
];

/// A certificate: the claim, the code and the proof.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The contract.
    pub contract: Contract,
    /// The code, from its entry, and the constants behind it.
    pub code: Vec<u8>,
    /// The offset of the constants; what is before may be executed, the rest may be read.
    pub constants: usize,
    /// The paths that leave the entry, in order.
    pub entry: Vec<Edge>,
    /// The statements.
    pub heads: Vec<Head>,
    /// How many of the first rounds of a counter block are sums on the paths from the entry; see [`Symbolic::round_of`].
    pub splits: u8,
    /// True if the round keys are those of a key schedule; see [`Symbolic::round_key`].
    pub expanded: bool,
    /// The frame that the function aligns; see [`Symbolic::frame`].
    pub frame: Option<(i128, i128)>,
    /// If terms are of bits: what is declared for them.
    pub bits: Option<Plan>,
}

/// A statement that holds whenever execution reaches a place.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The name.
    pub name: String,
    /// The place in the code.
    pub at: usize,
    /// Names of its variables, which are natural numbers.
    pub variables: Vec<String>,
    /// Statements.
    pub lines: Vec<Line>,
    /// How many of the first rounds of a counter block are sums, in the statements and on the paths from here.
    pub splits: u8,
    /// The paths that leave it, in order.
    pub edges: Vec<Edge>,
}

/// A statement of a head. Values are expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A form is at least 0.
    Fact(String),
    /// A form has no bit in common with a mask.
    Disjoint(String, u64),
    /// The value of a general register.
    General(u8, String),
    /// The value of a lane of a vector register.
    Vector(u8, u8, String),
    /// The values of all four lanes; `lane` stands for the number of each.
    Vectors(u8, String),
    /// A vector register that is as at entry.
    Kept(u8),
    /// A word of the stack.
    Cell(Place, String),
    /// Words of the stack from a place on, as many as the number says, that may hold secrets of the call.
    SecretCells(Place, i128),
    /// A table on the stack, with the expression of its blocks; see [`Symbolic::rest_of`].
    Table(Place, String),
    /// An opmask that may hold a secret of the call.
    SecretMask(u8),
    /// A word of the memory of the IV of a stream.
    Iv(usize, u8, String),
    /// The number of bytes of output of a stream that are done.
    Done(usize, String),
    /// The carry out of the low half of the counter of the first block that is not done.
    Carry(String),
    /// The number of the block before which the value of GHASH has a name.
    Hashed(String),
    /// Stores past the caches may be without a fence.
    Streams,
    /// No flag depends on a secret.
    PublicFlags,
    /// A general register holds no secret.
    Public(u8),
}

/// The end of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edge {
    /// A head, with values of its variables.
    Head(String, Vec<(String, String)>),
    /// The return, with the number of blocks of the text, of each stream.
    Exit(String),
}

/// Reads a number in decimal or with `0x`, with a sign.
pub fn number(text: &str) -> Option<i128> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    // The standard library would take another sign.
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let value = match digits.strip_prefix("0x") {
        Some(hex) if !hex.starts_with(['+', '-']) => i128::from_str_radix(hex, 16).ok()?,
        Some(_) => return None,
        None => digits.parse().ok()?,
    };
    Some(if is_negative { -value } else { value })
}

/// The bytes of pairs of digits.
pub(crate) fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| (c as char).to_digit(16).map(|d| d as u8);
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes().chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

impl Certificate {
    /// Reads a certificate. Numbers of lines are those of the text that a packed one stands for.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn read(text: &str) -> Result<Certificate, String> {
        let text = &*packed::plain(text).ok_or("what is packed in it cannot be unpacked")?;
        let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        let title = lines.next().map_or("", |(_, line)| line);
        if title != TITLE && title != FIRST_TITLE {
            return Err(format!("it does not begin with `{TITLE}`"));
        }
        let (mut contract, mut splits, mut expanded, mut frame) = (None::<Contract>, 0, false, None);
        let (mut code, mut constants) = (Vec::new(), None);
        let (mut entry, mut heads) = (Vec::new(), Vec::<Head>::new());
        let mut copied = 0;
        // Statements that heads share, and the name of those that are being read.
        let (mut shared, mut current) = (BTreeMap::<&str, Vec<Line>>::new(), None);
        // What is declared for bits, names of bases, and the number of groups.
        let (mut bits, mut bases, mut groups) = (None::<Plan>, Vec::new(), 0);
        for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("line {number} is not understood: {line}");
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            if title == FIRST_TITLE && is_later(word, rest) {
                return Err(format!("line {number} is not of version 1: {line}"));
            }
            match word {
                "contract" if contract.is_none() => {
                    contract = Some(Contract::named(rest).ok_or_else(wrong)?);
                }
                "split" if current.is_none() => {
                    let own = heads.last_mut().map_or(&mut splits, |head| &mut head.splits);
                    *own = ["0", "", "2"].iter().position(|known| *known == rest).ok_or_else(wrong)? as u8;
                }
                "keys" if rest == "expanded" => {
                    let is_known = |c: &Contract| (c.rounds, c.is_inverse, c.streams) == (10, false, 1);
                    let contract = contract.as_ref().filter(|c| is_known(c) && c.mode.is_of_text());
                    expanded = contract.map(|_| true).ok_or_else(wrong)?;
                }
                "frame" if frame.is_none() => frame = Some(aligned_frame(rest).ok_or_else(wrong)?),
                "bits" if rest.is_empty() && bits.is_none() => bits = Some(Plan::default()),
                "basis" => {
                    let (name, rest) = rest.split_once(' ').ok_or_else(wrong)?;
                    let is_inverse = contract.as_ref().ok_or_else(wrong)?.has_inverse_boxes();
                    let basis = basis(rest, is_inverse).filter(|_| is_name(name) && !bases.contains(&name));
                    bits.as_mut().ok_or_else(wrong)?.bases.push(basis.ok_or_else(wrong)?);
                    bases.push(name);
                }
                "box" => {
                    let (name, rest) = rest.split_once(' ').ok_or_else(wrong)?;
                    let basis = bases.iter().position(|other| *other == name).ok_or_else(wrong)?;
                    let plan = bits.as_mut().ok_or_else(wrong)?;
                    marks(plan, groups, basis, rest).ok_or_else(wrong)?;
                    groups += 1;
                }
                "wipes" => contract.as_mut().ok_or_else(wrong)?.wipes = true,
                "lookups" if rest.is_empty() => contract.as_mut().ok_or_else(wrong)?.lookups = true,
                "code" => code.extend(hex(rest).ok_or_else(wrong)?),
                "constants" if constants.is_none() => {
                    constants = Some(offset(rest).ok_or_else(wrong)?);
                }
                "head" => {
                    let (name, at) = rest.split_once(' ').ok_or_else(wrong)?;
                    let is_new =
                        is_name(name) && heads.len() < MOST && heads.iter().all(|head| head.name != name);
                    let at = offset(at).filter(|_| is_new).ok_or_else(wrong)?;
                    current = None;
                    heads.push(Head { name: name.into(), at, splits, ..Head::default() });
                }
                "lines" => {
                    if !is_name(rest) || shared.insert(rest, Vec::new()).is_some() {
                        return Err(wrong());
                    }
                    current = Some(rest);
                }
                "with" => {
                    let lines = shared.get(rest).filter(|_| current.is_none()).ok_or_else(wrong)?;
                    copied += lines.len();
                    if copied > MOST_COPIED {
                        return Err(wrong());
                    }
                    heads.last_mut().ok_or_else(wrong)?.lines.extend_from_slice(lines);
                }
                "to" if current.is_none() => {
                    let edges = heads.last_mut().map_or(&mut entry, |head| &mut head.edges);
                    edges.push(edge(rest).ok_or_else(wrong)?);
                }
                "variable" if current.is_none() => {
                    let head = heads.last_mut().filter(|_| is_name(rest)).ok_or_else(wrong)?;
                    if rest == LANE
                        || head.variables.len() >= MOST
                        || head.variables.iter().any(|other| other == rest)
                    {
                        return Err(wrong());
                    }
                    head.variables.push(rest.into());
                }
                _ => {
                    let lines = match current {
                        Some(name) => shared.get_mut(name),
                        None => heads.last_mut().map(|head| &mut head.lines),
                    };
                    lines.ok_or_else(wrong)?.push(statement(word, rest).ok_or_else(wrong)?);
                }
            }
        }
        let contract = contract.ok_or("it names no contract")?;
        let constants = constants.unwrap_or(code.len());
        if code.is_empty() || constants > code.len() {
            return Err("it has no code, or its constants are behind it".into());
        }
        Ok(Certificate { contract, code, constants, entry, heads, splits, expanded, frame, bits })
    }

    /// The claim: the contract, and what the caller must provide besides any round keys.
    pub fn claim(&self) -> String {
        let mut all = self.heads.iter().map(|head| head.splits).chain([self.splits]);
        let table = if all.any(|splits| splits == 1) { ", with a counter table" } else { "" };
        let keys = if self.expanded { ", with expanded keys" } else { "" };
        let powers = if self.contract.mode.is_gcm() { ", with powers of the hash key" } else { "" };
        format!("{}{table}{keys}{powers}", self.contract)
    }
}

/// True if version 1 has no such line.
fn is_later(word: &str, rest: &str) -> bool {
    let is_new = matches!(
        word,
        "lines" | "with" | "split" | "public" | "bits" | "lookups" | "keys" | "table" | "hashed"
    ) || word.starts_with("frame");
    let is_range = word == "secret" && rest.contains(' ');
    let is_contract =
        word == "contract" && ["-key", "-x", "-table", "-gcm"].iter().any(|name| rest.contains(name));
    is_new || is_range || is_contract || word.ends_with(".*")
}

/// The distance and the alignment of a frame.
fn aligned_frame(text: &str) -> Option<(i128, i128)> {
    let (from, alignment) = text.split_once(' ')?;
    let (from, alignment) = (number(from)?, number(alignment)?);
    let is_power = (8..=4096).contains(&alignment) && alignment & (alignment - 1) == 0;
    (is_power && from % 8 == 0 && (-STACK_BYTES..=0).contains(&from)).then_some((from, alignment))
}

/// The columns and the constant of a basis.
fn basis(text: &str, is_inverse: bool) -> Option<Basis> {
    let mut words = text.split(' ');
    let is_bytes = match words.next()? {
        "bits" => false,
        "bytes" => true,
        _ => return None,
    };
    let columns = hex(words.next()?.strip_prefix('#')?)?.try_into().ok()?;
    let constant = u8::try_from(number(words.next()?)?).ok()?;
    Basis::new(is_bytes, is_inverse, columns, constant).filter(|_| words.next().is_none())
}

/// Declares a group by the offsets of the instructions that have its given bits.
fn marks(plan: &mut Plan, group: usize, basis: usize, text: &str) -> Option<()> {
    let all = text.split(' ').count();
    let is_bytes = plan.bases[basis].is_bytes;
    let is_right = if is_bytes { matches!(all, 1 | 2 | 4 | 8) } else { all == 8 };
    for (number, text) in text.split(' ').enumerate() {
        let count = 8 / all;
        let first = count * number;
        let (at, others) = text.split_once('^').unwrap_or((text, "0"));
        let others = u16::try_from(offset(others)?).ok()?;
        let is_sum = others == 0 || !is_bytes && others < 512 && others >> first & 1 == 0;
        let mark = Mark { group, basis, first, count, others };
        (is_right && is_sum && plan.marks.insert(offset(at)?, mark).is_none()).then_some(())?;
    }
    Some(())
}

pub(crate) fn offset(text: &str) -> Option<usize> {
    number(text).and_then(|number| usize::try_from(number).ok())
}

pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub(crate) fn edge(text: &str) -> Option<Edge> {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    if name == "exit" {
        return Some(Edge::Exit(rest.into()));
    }
    let values = rest.split(',').filter(|part| !part.trim().is_empty());
    let values = values.map(|part| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().to_string(), value.trim().to_string()))
    });
    Some(Edge::Head(name.into(), values.collect::<Option<_>>()?))
}

fn statement(word: &str, rest: &str) -> Option<Line> {
    let assigned = || rest.strip_prefix("= ").map(ToString::to_string);
    if let Some(register) = GENERAL.iter().position(|&name| name == word) {
        return Some(Line::General(register as u8, assigned()?));
    }
    if let Some(place) = word.strip_prefix("xmm") {
        let (register, lane) = place.split_once('.').unwrap_or((place, "0"));
        if lane == "*" {
            let register = offset(register).filter(|&register| register < 32)?;
            return Some(Line::Vectors(register as u8, assigned()?));
        }
        let (register, lane) = (offset(register)?, offset(lane)?);
        return (register < 32 && lane < 4).then_some(Line::Vector(register as u8, lane as u8, assigned()?));
    }
    if let Some(place) = stack_place(word) {
        return Some(Line::Cell(place, assigned()?));
    }
    Some(match word {
        "fact" => Line::Fact(rest.strip_suffix(" >= 0")?.into()),
        "disjoint" => {
            let (form, mask) = rest.rsplit_once(' ')?;
            Line::Disjoint(form.into(), u64::try_from(number(mask)?).ok()?)
        }
        "secret" if rest.starts_with('k') => {
            Line::SecretMask(offset(&rest[1..]).filter(|&mask| mask < 8)? as u8)
        }
        "secret" => {
            let (region, rest) = match rest.strip_prefix("frame ") {
                Some(rest) => (Region::Frame, rest),
                None => (Region::Stack, rest),
            };
            let (at, count) = rest.split_once(' ').unwrap_or((rest, "1"));
            let count = number(count).filter(|count| (1..=STACK_BYTES / 8).contains(count))?;
            Line::SecretCells((region, number(at)?), count)
        }
        "table" => {
            let (place, entry) = rest.split_once(" = ")?;
            Line::Table(stack_place(place)?, entry.into())
        }
        "iv.0" => Line::Iv(0, 0, assigned()?),
        "iv.1" => Line::Iv(0, 1, assigned()?),
        "iv.2" => Line::Iv(0, 2, assigned()?),
        "iv.3" => Line::Iv(0, 3, assigned()?),
        "done" => Line::Done(0, assigned()?),
        "carry" => Line::Carry(assigned()?),
        "hashed" => Line::Hashed(assigned()?),
        "streams" if rest.is_empty() => Line::Streams,
        "flags" if rest == "public" => Line::PublicFlags,
        "public" => Line::Public(GENERAL.iter().position(|&name| name == rest)? as u8),
        "kept" => Line::Kept(rest.strip_prefix("xmm").and_then(offset).filter(|&n| n < 32)? as u8),
        _ => {
            let (name, half) = word.rsplit_once('.')?;
            match (name.strip_prefix("iv."), name, half) {
                (Some(stream), _, "0") => Line::Iv(further(stream)?, 0, assigned()?),
                (Some(stream), _, "1") => Line::Iv(further(stream)?, 1, assigned()?),
                (None, "done", stream) => Line::Done(further(stream)?, assigned()?),
                _ => return None,
            }
        }
    })
}

/// A place on the stack.
fn stack_place(text: &str) -> Option<Place> {
    let (name, at) = text.strip_suffix(']')?.split_once('[')?;
    let region = match name {
        "stack" => Region::Stack,
        "frame" => Region::Frame,
        _ => return None,
    };
    Some((region, number(at)?))
}

/// The number of another stream than the first.
fn further(text: &str) -> Option<usize> {
    offset(text).filter(|stream| (1..16).contains(stream))
}

/// A name, and the number of the stream behind it, which is 0 if there is none.
fn of_stream(word: &str) -> Option<(&str, usize)> {
    match word.split_once('.') {
        Some((name, stream)) => Some((name, further(stream)?)),
        None => Some((word, 0)),
    }
}

/// The name that stands for the number of a lane.
const LANE: &str = "lane";
/// The name of what the blocks of a table have in common.
const REST: &str = "rest";
/// The largest number in an expression.
const LARGEST: i128 = 1 << 65;
/// The deepest nesting of an expression.
const DEEPEST: usize = 64;

/// Values of expressions for lanes.
pub type Known<'t> = BTreeMap<&'t str, LaneId>;

/// Evaluates expressions. A method fails if its text is no expression of its kind.
#[derive(Debug)]
pub struct Evaluator<'e, 's, 'a> {
    /// The terms, and the facts of the path.
    pub s: &'e mut Symbolic<'s>,
    /// The values of variables.
    pub variables: &'e BTreeMap<&'a str, Linear>,
}

/// The rest of an expression.
struct Rest<'t> {
    text: &'t str,
    depth: usize,
}

impl<'t> Rest<'t> {
    fn skip(&mut self) {
        self.text = self.text.trim_start();
    }

    /// True if a symbol follows, which is taken.
    fn takes(&mut self, symbol: &str) -> bool {
        self.skip();
        match self.text.strip_prefix(symbol) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn needs(&mut self, symbol: &str) -> Result<(), Stop> {
        if self.takes(symbol) { Ok(()) } else { self.wrong() }
    }

    /// Letters, digits, and the dots and signs within names.
    fn word(&mut self) -> &'t str {
        self.skip();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '#';
        let end = self.text.find(|c| !is_part(c)).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        word
    }

    /// The next word as a value, which it must be.
    fn word_as<T>(&mut self, value: impl FnOnce(&str) -> Option<T>) -> Result<T, Stop> {
        let value = value(self.word());
        self.known(value)
    }

    fn wrong<T>(&self) -> Result<T, Stop> {
        let text: String = self.text.chars().take(40).collect();
        refused(format!("an expression of the certificate is not understood at `{text}`"))
    }

    /// A value, which must be known at this place.
    fn known<T>(&self, value: Option<T>) -> Result<T, Stop> {
        value.map_or_else(|| self.wrong(), Ok)
    }

    fn deeper(&self) -> Result<Rest<'t>, Stop> {
        let depth = self.depth + 1;
        if depth > DEEPEST { self.wrong() } else { Ok(Rest { text: self.text, depth }) }
    }
}

impl Evaluator<'_, '_, '_> {
    /// The value of all of a text.
    fn whole<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Self, &mut Rest) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut rest = Rest { text, depth: 0 };
        let value = read(self, &mut rest)?;
        rest.skip();
        if rest.text.is_empty() { Ok(value) } else { rest.wrong() }
    }

    /// The value of an expression for an integer.
    pub fn form(&mut self, text: &str) -> Result<Linear, Stop> {
        self.whole(text, Self::sum)
    }

    /// The value of an expression for the bytes of a stream that are done, with the number of the stream.
    pub fn done(&mut self, stream: usize, text: &str) -> Result<Linear, Stop> {
        let done = self.form(text)?.offset_checked(16 * STREAM * stream as i128);
        match done {
            Some(done) if stream < usize::from(self.s.contract.streams) => Ok(done),
            _ => refused("the certificate states output of no stream"),
        }
    }

    /// The value of an expression for a lane.
    pub fn lane(&mut self, text: &str) -> Result<LaneId, Stop> {
        self.whole(text, Self::lanes)
    }

    /// The value of an expression for a lane that has no number in it, and so is the same everywhere: from values that
    /// are known, or else the value becomes known.
    pub fn lane_of<'t>(&mut self, text: &'t str, known: &mut Known<'t>) -> Result<LaneId, Stop> {
        if ["[", "words", REST].iter().any(|name| text.contains(name)) {
            return self.lane(text);
        }
        if let Some(&lane) = known.get(text) {
            return Ok(lane);
        }
        let lane = self.lane(text)?;
        known.insert(text, lane);
        Ok(lane)
    }

    /// The values of an expression for all lanes, in which `lane` is the number of each.
    pub fn lanes_of<'t>(&mut self, text: &'t str, known: &mut Known<'t>) -> Result<[LaneId; 4], Stop> {
        if !text.contains(LANE) {
            return Ok([self.lane_of(text, known)?; 4]);
        }
        let mut all = [0; 4];
        for (number, lane) in all.iter_mut().enumerate() {
            let mut variables = self.variables.clone();
            variables.insert(LANE, Linear::number(number as i128));
            *lane = Evaluator { s: self.s, variables: &variables }.lane(text)?;
        }
        Ok(all)
    }

    /// `sum := [-] product { (+ | -) product }`.
    fn sum(&mut self, rest: &mut Rest) -> Result<Linear, Stop> {
        let is_negative = rest.takes("-");
        let mut sum = self.product(rest)?;
        if is_negative {
            sum = rest.known(Linear::default().checked(&sum, -1))?;
        }
        loop {
            let factor = if rest.takes("+") {
                1
            } else if rest.takes("-") {
                -1
            } else {
                return Ok(sum);
            };
            let product = self.product(rest)?;
            sum = rest.known(sum.checked(&product, factor))?;
        }
    }

    /// `product := number [* atom] | atom`.
    fn product(&mut self, rest: &mut Rest) -> Result<Linear, Stop> {
        rest.skip();
        if !rest.text.starts_with(|c: char| c.is_ascii_digit()) {
            return self.atom(rest);
        }
        let number = rest.word_as(|word| number(word).filter(|number| *number <= LARGEST))?;
        if !rest.takes("*") {
            return Ok(Linear::number(number));
        }
        let atom = self.atom(rest)?;
        rest.known(Linear::default().checked(&atom, number))
    }

    /// `atom := variable | name | function(...)`.
    fn atom(&mut self, rest: &mut Rest) -> Result<Linear, Stop> {
        let start = rest.text;
        let word = rest.word();
        if let Some(value) = self.variables.get(word) {
            return Ok(value.clone());
        }
        if let Some(name) = word.strip_prefix("old.")
            && let Some(register) = GENERAL.iter().position(|&other| other == name)
        {
            return Ok(self.s.terms.word(Atom::Entry(register as u8)));
        }
        // Of each stream, and arrays of these.
        let elements = [("key", "keys"), ("iv", "ivs"), ("in", "ins"), ("out", "outs"), ("len", "lens")];
        let streams = usize::from(self.s.contract.streams);
        if let Some((name, stream)) = of_stream(word).filter(|(_, stream)| *stream < streams)
            && let Some(kind) = elements.iter().position(|element| element.0 == name)
        {
            return Ok(self.s.terms.element(kind as u8, stream as u8));
        }
        if let Some(kind) = elements.iter().position(|element| element.1 == word && streams > 1) {
            return Ok(self.s.terms.word(Atom::Base(Region::Array(kind as u8))));
        }
        let atom = match word {
            "stack" => Atom::Base(Region::Stack),
            "frame" if self.s.frame.is_some() => Atom::Base(Region::Frame),
            "code" => Atom::Base(Region::Code),
            "counter.0" => Atom::Counter(0),
            "counter.1" => Atom::Counter(1),
            "counter.2" => Atom::Counter(2),
            "shr" | "swap" | "low" | "high" => {
                let mut inner = rest.deeper()?;
                let value = self.function(word, &mut inner)?;
                rest.text = inner.text;
                return Ok(value);
            }
            _ => {
                rest.text = start;
                return rest.wrong();
            }
        };
        Ok(self.s.terms.word(atom))
    }

    /// The arguments of a function to words.
    fn function(&mut self, name: &str, rest: &mut Rest) -> Result<Linear, Stop> {
        use crate::execute::Domain;
        rest.needs("(")?;
        let value = match name {
            "low" | "high" => {
                let lane = self.lanes(rest)?;
                self.s.terms.half(lane, u8::from(name == "high"))
            }
            _ => {
                let word = self.sum(rest)?.into_word();
                if name == "swap" {
                    self.s.terms.swapped(&word)
                } else {
                    rest.needs(",")?;
                    let by = rest.word_as(|word| number(word).filter(|by| (1..=63).contains(by)))?;
                    self.s.shifted(&word, Shift::Right, by as u8)
                }
            }
        };
        rest.needs(")")?;
        Ok(value)
    }

    /// `lane := part { ^ part }`.
    fn lanes(&mut self, rest: &mut Rest) -> Result<LaneId, Stop> {
        let mut sum = self.s.terms.constant(0);
        loop {
            let mut inner = rest.deeper()?;
            let part = self.part(&mut inner)?;
            rest.text = inner.text;
            sum = self.s.terms.xor(sum, part);
            if !rest.takes("^") {
                return Ok(sum);
            }
        }
    }

    /// A lane and bytes, after a function's name.
    fn of_lane<const N: usize>(&mut self, rest: &mut Rest) -> Result<(LaneId, [u8; N]), Stop> {
        rest.needs("(")?;
        let lane = self.lanes(rest)?;
        rest.needs(",")?;
        Ok((lane, rest.word_as(|word| hex(word.strip_prefix('#')?)?.try_into().ok())?))
    }

    /// A part of a lane.
    fn part(&mut self, rest: &mut Rest) -> Result<LaneId, Stop> {
        let start = rest.text;
        let word = rest.word();
        if let Some(digits) = word.strip_prefix('#') {
            let bytes = rest.known(hex(digits).and_then(|bytes| bytes.try_into().ok()))?;
            return Ok(self.s.terms.constant(u128::from_le_bytes(bytes)));
        }
        if let Some(&(round, _)) = Round::ALL.iter().find(|(_, name)| *name == word) {
            rest.needs("(")?;
            let lane = self.lanes(rest)?;
            rest.needs(")")?;
            return Ok(self.s.round_of(round, lane));
        }
        let streams = usize::from(self.s.contract.streams);
        let named = of_stream(word).filter(|(_, stream)| *stream < streams);
        let (name, stream) = named.unwrap_or((word, 0));
        let first = stream as i128 * STREAM;
        match name {
            REST if stream == 0 => {
                let table = self.s.path.table.as_ref();
                return rest.known(table.map(|table| table.rest));
            }
            "iv" => {
                let part = Part::Chain(Linear::number(first));
                return Ok(match self.s.contract.mode {
                    Mode::Xts => self.s.terms.mapped(part, IDENTITY),
                    _ => self.s.terms.part(part),
                });
            }
            "nonce" if self.s.contract.mode.is_gcm() => return Ok(self.s.terms.part(Part::Nonce)),
            "x" | "y" | "chain" | "hash" => {
                rest.needs("[")?;
                let block = self.sum(rest)?.offset_checked(first);
                let block = rest.known(block)?;
                rest.needs("]")?;
                return match name {
                    "chain" => claim::chain(self.s, &block),
                    "y" if self.s.contract.mode.is_gcm() => {
                        claim::output_with(self.s, &block, &Linear::default())
                    }
                    "hash" if self.s.contract.mode.is_gcm() => field::hash(self.s, &block),
                    "x" => Ok(self.s.terms.part(Part::Text(block))),
                    _ => rest.wrong(),
                };
            }
            "words" => {
                rest.needs("(")?;
                let low = self.sum(rest)?.into_word();
                rest.needs(",")?;
                let high = self.sum(rest)?.into_word();
                rest.needs(")")?;
                return Ok(self.s.terms.words(&low, &high));
            }
            "shuffle" => {
                let (lane, mask) = self.of_lane(rest)?;
                rest.needs(")")?;
                let mask = mask.map(|byte: u8| if byte < 16 { byte } else { ZERO });
                return Ok(self.s.terms.shuffled(lane, &mask));
            }
            "spread" => {
                use crate::execute::Domain;
                let (lane, mask) = self.of_lane::<16>(rest)?;
                rest.needs(",")?;
                let bit = rest.word_as(|word| offset(word).filter(|bit| *bit < 8))?;
                rest.needs(")")?;
                let from = |at: usize| if mask[at / 8] < 16 { 8 * mask[at / 8] + bit as u8 } else { 128 };
                return self.s.moved(&lane, &core::array::from_fn(from));
            }
            "map" => {
                use crate::execute::Domain;
                let (lane, columns) = self.of_lane::<8>(rest)?;
                rest.needs(")")?;
                let image = |x: usize| {
                    let set = (0..8).filter(|k| x >> k & 1 == 1);
                    set.fold(0, |all, k| all ^ columns[k])
                };
                return self.s.applied(&lane, &core::array::from_fn(image));
            }
            _ => {}
        }
        let part = if let Some(place) = word.strip_prefix("old.xmm") {
            let (register, lane) = place.split_once('.').unwrap_or((place, "0"));
            match (offset(register), offset(lane)) {
                (Some(register @ 0..32), Some(lane @ 0..4)) => Part::Entry(register as u8, lane as u8),
                _ => return rest.wrong(),
            }
        } else {
            let power = name.strip_prefix('h').and_then(offset).filter(|_| self.s.contract.mode.is_gcm());
            if let Some(power) = power.filter(|&power| (1..=POWERS as usize).contains(&power)) {
                return Ok(self.s.terms.part(Part::Power(power as u8)));
            }
            match name.strip_prefix('k').and_then(offset) {
                Some(key) if key <= usize::from(self.s.contract.rounds) => {
                    return Ok(self.s.round_key((key + 16 * stream) as u16));
                }
                _ => {
                    rest.text = start;
                    return rest.wrong();
                }
            }
        };
        Ok(self.s.terms.part(part))
    }
}
