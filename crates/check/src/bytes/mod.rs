//! Proofs about processors with rows of instructions, over terms of bytes: their text. docs/CERTIFICATES.md describes it.

pub mod claim;
pub mod functions;
pub mod memory;
pub mod rows;
pub mod run;
pub mod terms;

use crate::avr::Avr;
use crate::certificate::{Edge, edge, hex, is_name, number, offset};
use crate::check::Accepted;
use crate::contract::Contract;
use crate::linear::{AtomId, Linear};
use crate::spec::Mode;
use crate::words::{FAMILIES, Words};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use claim::Keys;
use run::{Machine, Run};
use terms::{TABLES, reduced};

/// The beginning of a proof, up to the name of the processor.
pub const TITLE: &str = "aesmith certificate with proof, version 3\nprocessor ";
/// The name of AVR.
pub const AVR: &str = "avr";

/// Bytes that the code reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The name.
    pub name: String,
    /// True if it is in the memory of the program, and not in that of data.
    pub is_flash: bool,
    /// The table is at a multiple of this power of two: on AVR of 256, else of 4 at least.
    pub alignment: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A linker's field of an instruction, whose field is zero in the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Link {
    /// The low (0) or high byte of the address of a table, by its number.
    Table(usize, u8),
    /// The address of another place in the code.
    Place(usize),
    /// The low part of the address of a table plus a number, or, if true, what is left of it without that.
    Part(usize, bool, i128),
    /// A word in the code that is data: the address of a table plus a number.
    Word(usize, i128),
}

impl Link {
    /// The most bytes of an instruction that a linker writes into.
    pub const LONGEST: usize = 4;

    /// The bytes of the instruction that a linker writes into.
    pub fn width(&self) -> usize {
        match self {
            Link::Table(..) => 2,
            Link::Place(_) | Link::Part(..) | Link::Word(..) => 4,
        }
    }
}

/// A proof: the claim, the code, and what holds at places.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The name of the processor.
    pub processor: &'static str,
    /// The problem.
    pub contract: Contract,
    /// The number of blocks of a call in ECB; other modes have it as an argument.
    pub blocks: u8,
    /// Contents of the key's memory.
    pub keys: Keys,
    /// True if addresses in tables may depend on secrets.
    pub lookups: bool,
    /// True if a condition on a secret may leave out one instruction.
    pub skips: bool,
    /// The code.
    pub code: Vec<u8>,
    /// The offset of the entry.
    pub first: usize,
    /// Tables.
    pub tables: Vec<Table>,
    /// Fields that linkers write, by the offset of the instruction.
    pub links: BTreeMap<usize, Link>,
    /// The paths that leave the entry, in order.
    pub entry: Vec<Edge>,
    /// The statements.
    pub heads: Vec<Head>,
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
    /// The paths that leave it, in order.
    pub edges: Vec<Edge>,
}

/// A statement of a head. Values are expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A form is at least 0.
    Fact(String),
    /// The number of bytes of output that are done.
    Done(String),
    /// The stack pointer, by its distance from that at entry.
    Pointer(i128),
    /// A register.
    Register(u8, String),
    /// A byte of the stack, by its distance from the stack pointer at entry.
    Cell(i128, String),
    /// The IV's memory holds the first bytes of the chain value or counter of a block: this number of them; the others are unknown.
    Chain(usize, String),
}

/// True if a text is such a proof.
pub fn is_meant(text: &str) -> bool {
    text.starts_with(TITLE)
}

/// True for the contracts with rules here: key schedules and several streams have none.
pub fn has_rules(contract: &Contract) -> bool {
    contract.mode.is_plain() && contract.streams == 1
}

/// Checks a proof.
///
/// # Errors
/// The reason why it is refused.
pub fn check(proof: &Proof) -> Result<Accepted, String> {
    match FAMILIES.iter().find(|family| family.name == proof.processor) {
        Some(family) => Run::new(Words(family), proof)?.checked(),
        None => Run::new(Avr, proof)?.checked(),
    }
}

impl Proof {
    /// The claim in words.
    pub fn claim(&self) -> String {
        let keys = Keys::ALL.iter().find(|keys| keys.1 == self.keys).map(|keys| format!(", {} keys", keys.0));
        let lookups = if self.lookups { ", look-ups" } else { "" };
        let skips = if self.skips { ", skips" } else { "" };
        let keys = keys.unwrap_or_default();
        let blocks = if self.blocks > 1 { format!(", {} blocks", self.blocks) } else { String::new() };
        format!("{} on {}{blocks}{keys}{lookups}{skips}", self.contract, self.processor)
    }

    /// Reads a proof.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn read(text: &str) -> Result<Proof, String> {
        let after = text.strip_prefix(TITLE).and_then(|rest| rest.split_once('\n'));
        let names = || FAMILIES.iter().map(|family| family.name).chain([AVR]);
        let found = after.and_then(|(own, rest)| Some((names().find(|name| *name == own)?, rest)));
        let Some((processor, rest)) = found else {
            return Err(format!("it does not begin with `{TITLE}` and the name of a processor"));
        };
        let is_avr = processor == AVR;
        let family = FAMILIES.iter().find(|family| family.name == processor);
        let registers = family.map_or(Avr.registers(), |family| family.registers);
        let (mut contract, mut keys, mut tables) = (None, Keys::Round, Vec::<Table>::new());
        let (mut blocks, mut first) = (1, 0);
        let (mut lookups, mut skips, mut code, mut links) = (false, false, Vec::new(), BTreeMap::new());
        let (mut entry, mut heads) = (Vec::new(), Vec::<Head>::new());
        let lines = rest.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            let wrong = || format!("this line is not understood: {line}");
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let words: Vec<&str> = rest.split(' ').collect();
            match (word, &words[..]) {
                ("contract", [name]) if contract.is_none() => {
                    contract = Some(Contract::named(name).filter(has_rules).ok_or_else(wrong)?);
                }
                ("keys", [name]) if keys == Keys::Round => {
                    keys = Keys::ALL.iter().find(|keys| keys.0 == *name).ok_or_else(wrong)?.1;
                }
                ("blocks", [count]) if blocks == 1 => {
                    blocks = count.parse().ok().filter(|count| (2..=16).contains(count)).ok_or_else(wrong)?;
                }
                ("lookups", [""]) => lookups = true,
                ("skips", [""]) if is_avr => skips = true,
                ("entry", [at]) if !is_avr && first == 0 => first = offset(at).ok_or_else(wrong)?,
                ("code", [digits]) => code.extend(hex(digits).ok_or_else(wrong)?),
                ("table", [name, kind @ ..])
                    if let Some(alignment) = alignment(is_avr, kind)
                        && is_name(name)
                        && tables.iter().all(|table| table.name != *name) =>
                {
                    tables.push(Table {
                        name: name.to_string(),
                        is_flash: kind == ["flash"],
                        alignment,
                        bytes: Vec::new(),
                    });
                }
                ("bytes", [digits]) => {
                    let bytes = hex(digits).ok_or_else(wrong)?;
                    tables.last_mut().ok_or_else(wrong)?.bytes.extend(bytes);
                }
                ("link", [at, half, name, more @ ..]) => {
                    let table = tables.iter().position(|table| table.name == *name);
                    let link = match (*half, table, more) {
                        (half @ ("low" | "high"), Some(table), []) if is_avr => {
                            Link::Table(table, u8::from(half == "high"))
                        }
                        (half @ ("low" | "high"), Some(table), [add]) if !is_avr => {
                            Link::Part(table, half == "high", number(add).ok_or_else(wrong)?)
                        }
                        ("word", Some(table), [add]) if !is_avr => {
                            Link::Word(table, number(add).ok_or_else(wrong)?)
                        }
                        ("to", _, []) if is_avr => Link::Place(offset(name).ok_or_else(wrong)?),
                        _ => return Err(wrong()),
                    };
                    // A linker would apply both of two.
                    if links.insert(offset(at).ok_or_else(wrong)?, link).is_some() {
                        return Err(wrong());
                    }
                }
                ("head", [name, at]) => {
                    let is_new = is_name(name) && heads.iter().all(|head| head.name != *name);
                    let at = offset(at).filter(|_| is_new).ok_or_else(wrong)?;
                    heads.push(Head { name: name.to_string(), at, ..Head::default() });
                }
                ("to", _) => {
                    let edges = heads.last_mut().map_or(&mut entry, |head| &mut head.edges);
                    edges.push(edge(rest).ok_or_else(wrong)?);
                }
                ("variable", [name]) if is_name(name) && !terms::WORDS.contains(name) => {
                    let head = heads.last_mut().ok_or_else(wrong)?;
                    if head.variables.iter().any(|other| other == name) {
                        return Err(wrong());
                    }
                    head.variables.push(name.to_string());
                }
                _ => {
                    let line = statement(word, rest, registers).ok_or_else(wrong)?;
                    heads.last_mut().ok_or_else(wrong)?.lines.push(line);
                }
            }
        }
        let contract = contract.ok_or("it names no contract")?;
        if blocks > 1 && contract.mode != Mode::Ecb {
            return Err("the number of blocks is an argument".into());
        }
        Ok(Proof {
            processor,
            contract,
            blocks,
            keys,
            lookups,
            skips,
            code,
            first,
            tables,
            links,
            entry,
            heads,
        })
    }

    /// A form modulo a power of two, which addresses of tables may be multiples of.
    pub fn modulo(&self, form: &Linear, modulus: usize) -> Linear {
        let mut form = reduced(form, modulus as i128);
        let table = |id: AtomId| self.tables.get(id.checked_sub(TABLES)? as usize);
        form.terms.retain(|&(id, _)| table(id).is_none_or(|table| table.alignment < modulus));
        form
    }

    /// True if a linker writes into a byte of the code.
    pub fn is_linked(&self, at: usize) -> bool {
        let near = self.links.range(at.saturating_sub(Link::LONGEST)..=at);
        near.into_iter().any(|(from, link)| at - from < link.width())
    }
}

/// The alignment of a table on AVR, or by its words: 4 if there are none.
fn alignment(is_avr: bool, words: &[&str]) -> Option<usize> {
    match words {
        ["ram" | "flash"] if is_avr => Some(256),
        [] if !is_avr => Some(4),
        [number] if !is_avr => {
            offset(number).filter(|number| number.is_power_of_two() && (8..=1 << 16).contains(number))
        }
        _ => None,
    }
}

/// The number of a register's name, of this number of registers.
pub(crate) fn register(word: &str, count: u8) -> Option<u8> {
    let number = word.strip_prefix('r').and_then(offset);
    number.filter(|&number| number < usize::from(count)).map(|number| number as u8)
}

fn statement(word: &str, rest: &str, registers: u8) -> Option<Line> {
    let value = rest.strip_prefix("= ");
    if let Some(place) = word.strip_prefix("stack[").and_then(|word| word.strip_suffix(']')) {
        return Some(Line::Cell(number(place)?, value?.into()));
    }
    Some(match word {
        "fact" => Line::Fact(rest.strip_suffix(" >= 0")?.into()),
        "done" => Line::Done(value?.into()),
        "pointer" => Line::Pointer(number(value?)?),
        "chain" => Line::Chain(16, value?.into()),
        _ if word.starts_with("chain.") => {
            Line::Chain(offset(&word[6..]).filter(|count| (1..16).contains(count))?, value?.into())
        }
        _ => Line::Register(register(word, registers)?, value?.into()),
    })
}
