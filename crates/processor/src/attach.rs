//! Extends a processor with an extension's instructions: rows added to a copy of its table, kernels that use them, and
//! judges with the unit attached.

mod beside;
mod names;

use std::sync::OnceLock;

use aesmith_cipher::problem::Direction;
use aesmith_extension::code::{Bit, functions};
use aesmith_extension::cover::orders::{Ordered, found};
use aesmith_extension::cover::{Costs, cover};
use aesmith_extension::encoding::overlap;
use aesmith_extension::file::{Extension, Instruction, Mistake};
use aesmith_extension::meaning;
use aesmith_extension::nearest::nearest;
use aesmith_extension::order::Order;
use aesmith_extension::program::{Custom, Goal, Program};
use aesmith_extension::verilog::Unit;
use aesmith_isa::pattern::Pattern;
use aesmith_isa::table::Text;
use aesmith_isa::{Insn, Isa, Kind};

use self::names::{locals, renamed, spells};
use crate::core::Core;

/// A processor's interface for custom instructions.
pub struct Port {
    /// Its name, as a part of a sentence: "PicoRV32's PCPI".
    pub name: &'static str,
    /// Maximum number of registers that an instruction can name and read.
    pub reads: usize,
    /// Registers that a unit may be wired to, by their names in the table; empty if it sees only the operands.
    pub fixed: &'static [&'static str],
    /// The encoding of a custom instruction: a [`aesmith_isa::pattern::Pattern`] with ten `F`, the bits
    /// of the function's number from the highest, and `xd`, `xa` and `xb` for the registers.
    pub encoding: &'static str,
    /// True if a register that is both read and written also occupies one of the fields of registers read.
    pub repeats: bool,
    /// The family whose encodings are taken from the file, if it has any; empty to ignore them.
    pub standard: &'static str,
    /// Fields that all rows have, with their values.
    pub fields: &'static [(&'static str, i32)],
    /// Costs of plain code beside custom instructions.
    pub costs: Costs,
    /// The interface for which a wrapper of the unit is printed as Verilog (`pcpi`, `cfu`), if there is one.
    pub wrapper: Option<&'static str>,
    /// True if instructions are tried on it where no processor is named.
    pub tried: bool,
    /// Creates the processor with the instructions.
    pub core: fn(&'static Core, &'static Attached) -> Core,
}

/// An extension attached to a base processor.
pub struct Attached {
    /// The base.
    pub base: &'static Core,
    /// Its port.
    pub port: &'static Port,
    /// The extension.
    pub extension: &'static Extension,
    /// The implementation of its unit.
    pub unit: Unit,
    /// The base's table plus the rows of the extension, which are named after its instructions.
    pub isa: &'static Isa,
    /// The extension's table by itself.
    pub alone: Isa,
    programs: [OnceLock<Result<Program, String>>; Goal::ALL.len()],
    /// Rounds of each direction in an order of the state that costs less than the order in the file.
    reordered: [OnceLock<Option<Ordered>>; 2],
}

/// The kind of a field that names a register.
const REGISTER: Kind = Kind::Register { base: 0, step: 1 };

/// Kinds of fields of custom instructions. Names of selectors contain their width, so that a name has one width in all
/// instructions: `two0` is the first selector, if it has two bits.
const KINDS: &[(&str, Kind)] = &[
    ("xd", REGISTER),
    ("xa", REGISTER),
    ("xb", REGISTER),
    ("one", number(1)),
    ("two", number(2)),
    ("three", number(3)),
    ("four", number(4)),
    ("five", number(5)),
];

const fn number(width: u8) -> Kind {
    Kind::Number { signed: false, width }
}

/// The field of a selector.
fn selector(number: usize, width: u8) -> String {
    format!("{}{number}", KINDS[usize::from(width) + 2].0)
}

/// The fields of registers read, by their index among the instruction's reads.
const PLACES: [&str; 2] = ["xa", "xb"];

/// The fields of registers read, in the order of the instruction's reads; the written register is `xd`, even where it
/// is read.
fn registers(instruction: &Instruction) -> Vec<&'static str> {
    let named = instruction.reads.iter().zip(PLACES);
    named.map(|(name, place)| if *name == instruction.writes { "xd" } else { place }).collect()
}

impl Port {
    /// The first feature that an instruction needs and the port lacks: line and sentence.
    fn lacks(&self, base: &Core, instruction: &Instruction) -> Option<(usize, String)> {
        let (reads, wired) = (instruction.reads.len(), instruction.fixed.len());
        let port = format!("{} of {}", self.name, base.name);
        if reads > self.reads {
            let what = format!("it reads {reads} registers, and {port} hands over {}", self.reads);
            return Some((instruction.lines.reads, what));
        }
        if wired > self.fixed.len() {
            let wires = match self.fixed.len() {
                0 => "has no registers wired to the unit".to_owned(),
                n => format!("can wire {n}"),
            };
            return Some((
                instruction.lines.fixed,
                format!("it is wired to {wired} registers, and {port} {wires}"),
            ));
        }
        None
    }

    /// A row for each instruction.
    ///
    /// # Errors
    /// A need of an instruction that the port cannot meet.
    fn rows(&self, base: &Core, extension: &Extension) -> Result<Vec<Text>, Mistake> {
        let numbers = functions(extension)?;
        let mut rows = Vec::new();
        for (instruction, functions) in extension.instructions.iter().zip(numbers) {
            let fail =
                |line: usize, what: String| Mistake { line, what: format!("{}: {what}", instruction.name) };
            if let Some((line, what)) = self.lacks(base, instruction) {
                let near = match nearest(extension, instruction, |i| self.lacks(base, i).is_none()) {
                    Some((set, name, bytes)) => format!(
                        "the nearest that fits is {name} of the set {set}, which does the same to {}",
                        if bytes == 1 { "a byte".into() } else { format!("{bytes} bytes") }
                    ),
                    None => "no instruction of the sets that come along does the same with fewer".to_owned(),
                };
                return Err(fail(line, format!("{what}; {near}")));
            }
            let fields = registers(instruction);
            let mut names: Vec<(String, String)> =
                instruction.reads.iter().cloned().zip(fields.iter().map(|f| (*f).to_owned())).collect();
            names.push((instruction.writes.clone(), "xd".into()));
            names.extend(instruction.fixed.iter().cloned().zip(self.fixed.iter().map(|r| (*r).to_owned())));
            let selectors = instruction.selectors.iter().enumerate();
            names.extend(selectors.map(|(k, (name, width))| (name.clone(), selector(k, *width))));
            names.extend(locals(&instruction.meaning));
            let standard = instruction.encodings.iter().find(|(family, _)| *family == self.standard);
            let encoding = match standard {
                Some((_, pattern)) => renamed(pattern, &names),
                None => self.filled(instruction, &functions.bits(instruction), &fields),
            };
            let mut operands: Vec<&str> = vec!["xd"];
            operands.extend(fields.iter().filter(|f| **f != "xd"));
            let selectors: Vec<String> =
                instruction.selectors.iter().enumerate().map(|(k, (_, width))| selector(k, *width)).collect();
            operands.extend(selectors.iter().map(String::as_str));
            let operands: Vec<String> = operands.iter().map(|o| format!("{{{o}}}")).collect();
            rows.push(Text {
                name: instruction.name.clone(),
                syntax: format!("{} {}", instruction.name, operands.join(", ")),
                encoding,
                meaning: renamed(&instruction.meaning, &names),
                class: format!("custom {} {}", instruction.latency, instruction.occupancy),
                extension: String::new(),
            });
        }
        Ok(rows)
    }

    /// The port's encoding with a function's bits; fields of registers that are not named are zero.
    fn filled(&self, instruction: &Instruction, bits: &[Bit], fields: &[&str]) -> String {
        let mut bits = bits.iter();
        let mut words = Vec::new();
        for word in self.encoding.split_whitespace() {
            let (name, range) = word.split_once('[').unwrap_or((word, ""));
            if name.starts_with('x') && name != "xd" && !fields.contains(&name) {
                let tied = instruction.tied().is_some_and(|k| PLACES[k] == name);
                let high: usize = range.split(':').next().and_then(|high| high.parse().ok()).unwrap_or(0);
                words.push(if tied && self.repeats { format!("xd[{range}") } else { "0".repeat(high + 1) });
                continue;
            }
            if !range.is_empty() {
                words.push(word.to_owned());
                continue;
            }
            for c in word.chars() {
                words.push(match (c, c == 'F') {
                    (_, true) => match bits.next() {
                        Some(Bit::Selector(k, bit)) => {
                            format!("{}[{bit}]", selector(*k, instruction.selectors[*k].1))
                        }
                        Some(Bit::Fixed(true)) => "1".into(),
                        _ => "0".into(),
                    },
                    (c, _) => c.to_string(),
                });
            }
        }
        words.join(" ")
    }
}

/// The base with an extension's instructions; it lives until the program ends.
pub fn attach(
    base: &'static Core,
    extension: &'static Extension,
    unit: Unit,
) -> Result<&'static Core, Mistake> {
    fitted(base, extension, unit).map(Attached::core)
}

/// Attaches an extension to a base, by the base's own port.
pub fn fitted(
    base: &'static Core,
    extension: &'static Extension,
    unit: Unit,
) -> Result<&'static Attached, Mistake> {
    let port = base.port.ok_or_else(|| Mistake {
        line: 1,
        what: format!("{} has no port for custom instructions", base.name),
    })?;
    attached(base, port, extension, unit)
}

/// Checks that the base's own instructions share no encodings with those of an extension.
///
/// # Errors
/// An instruction shares an encoding with the base: the file is wrong, whatever else may prevent its use on the base.
pub fn codes_are_free(base: &Core, extension: &Extension) -> Result<(), Mistake> {
    let Some(Ok(rows)) = base.port.map(|port| port.rows(base, extension)) else { return Ok(()) };
    let isa = (base.isa)();
    for (row, instruction) in rows.iter().zip(&extension.instructions) {
        let Ok(pattern) = Pattern::parse(&row.encoding) else { continue };
        // An instruction of the same name is the base's own, or is refused because of its name.
        if isa.find(&row.name).is_none() {
            code_is_free(base, isa, &row.name, &pattern, instruction.lines.encoding)?;
        }
    }
    Ok(())
}

fn code_is_free(base: &Core, isa: &Isa, name: &str, pattern: &Pattern, line: usize) -> Result<(), Mistake> {
    let Some(known) = isa.rows.iter().find(|r| overlap(&r.pattern, pattern)) else { return Ok(()) };
    let what = format!(
        "on {}: {name}: its encoding has codes in common with that of {}; change it, or leave it out and one is \
         chosen",
        base.name, known.name
    );
    Err(Mistake { line, what })
}

/// Attaches an extension to a base, by this port.
pub fn attached(
    base: &'static Core,
    port: &'static Port,
    extension: &'static Extension,
    unit: Unit,
) -> Result<&'static Attached, Mistake> {
    let mut isa = (base.isa)().clone();
    let kinds = [isa.about.kinds, KINDS].concat();
    let mut macros = isa.about.macros.to_vec();
    macros.extend(meaning::macros(extension));
    isa.about.kinds = Box::leak(kinds.into_boxed_slice());
    isa.about.macros = Box::leak(macros.into_boxed_slice());
    let extension: &'static Extension = Box::leak(Box::new(unit.timed(extension)?));
    for (row, instruction) in port.rows(base, extension)?.iter().zip(&extension.instructions) {
        let wrong = |line: usize, what: String| Mistake { line, what: format!("on {}: {what}", base.name) };
        if isa.find(&row.name).is_some() || isa.rows.iter().any(|r| spells(r, &row.name)) {
            let what = format!("{} is an instruction of the processor itself; rename it", row.name);
            return Err(wrong(instruction.lines.start, what));
        }
        let pattern =
            Pattern::parse(&row.encoding).map_err(|what| wrong(instruction.lines.encoding, what))?;
        code_is_free(base, &isa, &row.name, &pattern, instruction.lines.encoding)?;
        isa.add(row).map_err(|what| wrong(instruction.lines.meaning, what))?;
    }
    Ok(Box::leak(Box::new(Attached {
        base,
        port,
        extension,
        unit,
        isa: Box::leak(Box::new(isa)),
        alone: meaning::table(extension)?,
        programs: std::array::from_fn(|_| OnceLock::new()),
        reordered: std::array::from_fn(|_| OnceLock::new()),
    })))
}

impl Attached {
    /// The processor with the instructions; it lives until the program ends.
    pub fn core(&'static self) -> &'static Core {
        Box::leak(Box::new((self.port.core)(self.base, self)))
    }

    /// The order of the state that the file specifies.
    pub fn stated(&self) -> Order {
        self.extension.layout.unwrap_or_default().into()
    }

    /// The program that computes a piece of AES with the instructions; rounds are in the order of [`Attached::stated`].
    ///
    /// # Errors
    /// The reason why the instructions cannot compute it.
    pub fn program(&self, goal: Goal) -> Result<&Program, String> {
        let place = Goal::ALL.iter().position(|g| *g == goal).unwrap_or_default();
        self.programs[place]
            .get_or_init(|| cover(self.extension, &self.alone, goal, self.stated(), &self.port.costs))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The rounds of a direction in an order of the state that costs less than the order in the file, if there is one.
    pub fn reordered(&self, direction: Direction) -> Option<&Ordered> {
        let find = || {
            let stated = [Goal::Round(direction), Goal::Last(direction)].map(|goal| self.program(goal).ok());
            let stated = match stated {
                [Some(round), Some(last)] => Some([round, last]),
                _ => None,
            };
            found(self.extension, &self.alone, direction, stated, &self.port.costs)
        };
        let known = &self.reordered[usize::from(direction == Direction::Decrypt)];
        known.get_or_init(find).as_ref()
    }

    /// Builds an instruction. `reads` are in the order of the extension's file; the register of a tied operand is
    /// `writes`, which holds its value before.
    pub fn insn(&self, custom: &Custom, writes: i32, reads: &[i32]) -> Insn {
        let instruction = &self.extension.instructions[custom.instruction];
        let mut fields = vec![("xd", writes)];
        let named = registers(instruction);
        fields.extend(named.iter().copied().zip(reads.iter().copied()).filter(|(f, _)| *f != "xd"));
        fields.extend_from_slice(self.port.fields);
        let mut insn = self.isa.insn(&instruction.name, &fields);
        for (k, ((_, width), value)) in instruction.selectors.iter().zip(&custom.selectors).enumerate() {
            let name = selector(k, *width);
            let row = self.isa.of(&insn);
            if let Some(place) = row.fields.iter().position(|f| f.name == name) {
                insn.fields[place] = i32::from(*value);
            }
        }
        insn
    }
}
