//! PTX modules of one kernel, as text. Only one form of text is read, with an instruction on each line, since a compiler may read
//! other notations otherwise.

use crate::grid::rows::{Instruction, Operand, Row, Special, rows};
use crate::rows::tokens;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The comment that says how many bytes of shared memory a launch gives each block of threads: PTX has no directive for it.
const SHARED: &str = "// Shared memory that a launch gives each block, in bytes: ";
/// The most of it, the most threads of a block, and the most registers of a kind.
const MOST_SHARED: usize = 1 << 18;
const MOST_THREADS: usize = 1024;
const MOST_REGISTERS: usize = 1 << 12;
/// Versions of PTX, the latter for more parameters.
const VERSIONS: [&str; 2] = [".version 7.8", ".version 8.1"];

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The bytes of an array by value; 0 for a number of 64 bits.
    pub bytes: usize,
}

/// A kernel and its module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The name of the kernel.
    pub name: String,
    /// The bytes of the constants.
    pub constants: Vec<u8>,
    /// The bytes of shared memory.
    pub shared: usize,
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
    /// The threads of a block.
    pub threads: usize,
    /// The number of registers of 1, 32 and 64 bits.
    pub registers: [usize; 3],
    /// The rows.
    pub rows: Vec<Row>,
    /// The instructions.
    pub code: Vec<Instruction>,
    /// Places by their labels.
    pub labels: BTreeMap<String, usize>,
}

/// The lines of a module's text that mean something: all but comments and empty lines, without indentation.
pub fn meaning(text: &str) -> impl Iterator<Item = &str> {
    let is_meant = |line: &&str| line.starts_with(SHARED) || !line.is_empty() && !line.starts_with("//");
    text.lines().map(str::trim).filter(is_meant)
}

/// True for a name that no compiler takes for anything else.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// A number in decimals without superfluous zeros: one that begins with zero is octal in PTX.
fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.bytes().all(|c| c.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if is_plain { text.parse().ok() } else { None }
}

/// The lines of a text that are no comments, with their numbers.
struct Lines<'t> {
    all: Vec<(usize, &'t str)>,
    next: usize,
}

impl<'t> Lines<'t> {
    fn wrong(&self) -> String {
        match self.all.get(self.next.saturating_sub(1)) {
            Some((line, text)) => format!("line {line} of the module is not understood: {text}"),
            None => "the module is empty".into(),
        }
    }

    fn take(&mut self) -> Result<&'t str, String> {
        self.next += 1;
        let line = self.all.get(self.next - 1);
        line.map(|line| line.1).ok_or_else(|| "the module ends too early".into())
    }

    fn needs(&mut self, wanted: &str) -> Result<(), String> {
        if self.take()? == wanted { Ok(()) } else { Err(self.wrong()) }
    }

    /// The text between a beginning and an end of the next line.
    fn between(&mut self, begin: &str, end: &str) -> Result<&'t str, String> {
        let line = self.take()?;
        let inner = line.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
        inner.ok_or_else(|| self.wrong())
    }

    fn number(&mut self, begin: &str, end: &str, most: usize) -> Result<usize, String> {
        let found = number(self.between(begin, end)?).and_then(|number| usize::try_from(number).ok());
        found.filter(|number| (1..=most).contains(number)).ok_or_else(|| self.wrong())
    }

    /// True, and the line is taken, if the next one begins so.
    fn begins(&self, begin: &str) -> bool {
        self.all.get(self.next).is_some_and(|line| line.1.starts_with(begin))
    }
}

impl Module {
    /// Reads a module.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn read(text: &str) -> Result<Module, String> {
        // Carriage returns may end comments, and comments may span lines, or go on in the next one.
        if let Some(c) = text.bytes().find(|&c| c != b'\n' && !(b' '..=b'~').contains(&c)) {
            return Err(format!("the module has a character {c} that a compiler may read otherwise"));
        }
        if text.contains("??/") || text.lines().any(|line| line.trim_end().ends_with('\\')) {
            return Err("the module has a line that may go on in the next one".into());
        }
        if text.contains("/*") {
            return Err("the module has a comment that may span lines".into());
        }
        let mut given = text.lines().filter_map(|line| line.strip_prefix(SHARED));
        let shared = given.next().and_then(number).and_then(|bytes| usize::try_from(bytes).ok());
        let (Some(shared), None) = (shared.filter(|&bytes| bytes <= MOST_SHARED), given.next()) else {
            return Err(format!("one line has to begin with `{SHARED}` and the bytes"));
        };
        let all = text.lines().map(str::trim).enumerate().map(|(at, line)| (at + 1, line));
        let all = all.filter(|(_, line)| !line.is_empty() && !line.starts_with("//")).collect();
        let mut lines = Lines { all, next: 0 };
        let version = lines.take()?;
        if !VERSIONS.contains(&version) {
            return Err(lines.wrong());
        }
        lines.needs(".target sm_75")?;
        lines.needs(".address_size 64")?;
        let constants = constants(&mut lines)?;
        lines.needs(".extern .shared .align 16 .b8 tables[];")?;
        let name = lines.between(".visible .entry ", "(")?.to_string();
        if !is_name(&name) {
            return Err(lines.wrong());
        }
        let parameters = parameters(&mut lines)?;
        let threads = lines.number(".reqntid ", ", 1, 1", MOST_THREADS)?;
        if lines.begins(".maxnreg ") {
            lines.number(".maxnreg ", "", 255)?;
        }
        lines.needs("{")?;
        let mut registers = [0; 3];
        for (place, kind) in [(1, ".b32 %r"), (2, ".b64 %rd"), (0, ".pred %p")] {
            registers[place] = lines.number(&format!(".reg {kind}<"), ">;", MOST_REGISTERS)?;
        }
        let rows = rows()?;
        let (code, labels) = (Vec::new(), BTreeMap::new());
        let mut module =
            Module { name, constants, shared, parameters, threads, registers, rows, code, labels };
        module.body(&mut lines)?;
        if lines.next < lines.all.len() {
            lines.take()?;
            return Err(lines.wrong());
        }
        Ok(module)
    }

    fn body(&mut self, lines: &mut Lines<'_>) -> Result<(), String> {
        // Jumps may go to labels behind them.
        let first = lines.next;
        loop {
            match lines.take()? {
                "}" => break,
                line if line.ends_with(':') => {
                    let name = &line[..line.len() - 1];
                    let is_label =
                        name.strip_prefix('L').is_some_and(|digits| number(digits).is_some_and(|n| n >= 0));
                    if !is_label || self.labels.insert(name.to_string(), 0).is_some() {
                        return Err(lines.wrong());
                    }
                }
                _ => {}
            }
        }
        lines.next = first;
        let mut place = 0;
        let mut jumps = Vec::new();
        loop {
            let line = lines.take()?;
            if line == "}" {
                break;
            }
            // It changes how the compiler treats a loop, and not what the loop does.
            if line == ".pragma \"nounroll\";" {
                continue;
            }
            if let Some(name) = line.strip_suffix(':') {
                self.labels.insert(name.to_string(), place);
                continue;
            }
            let number = lines.all[lines.next - 1].0;
            let (instruction, label) = self.instruction(line, number).ok_or_else(|| lines.wrong())?;
            jumps.extend(label.map(|label| (place, label)));
            self.code.push(instruction);
            place += 1;
        }
        for (at, label) in jumps {
            self.code[at].operands[0] = Operand::Label(self.labels[&label]);
        }
        Ok(())
    }

    /// An instruction, and the label to which it jumps.
    fn instruction(&self, line: &str, number: usize) -> Option<(Instruction, Option<String>)> {
        let mut rest = line.strip_suffix(';').filter(|rest| !rest.contains(';') && !rest.contains("  "))?;
        let mut guard = None;
        if let Some(guarded) = rest.strip_prefix('@') {
            let (predicate, behind) = guarded.split_once(' ')?;
            let (value, name) = predicate.strip_prefix('!').map_or((true, predicate), |name| (false, name));
            guard = Some((self.register(name, 1)?, value));
            rest = behind;
        }
        let (name, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        let words = words(operands);
        let mut candidates = self.rows.iter().enumerate().filter(|row| row.1.name == name);
        candidates.find_map(|(row, found)| {
            let (operands, label) = self.operands(found, &words)?;
            Some((Instruction { guard, row, operands, line: number }, label))
        })
    }

    fn operands(&self, row: &Row, words: &[String]) -> Option<(Vec<Operand>, Option<String>)> {
        if words.len() != row.syntax.len() {
            return None;
        }
        let (mut all, mut label) = (Vec::new(), None);
        for (wanted, word) in row.syntax.iter().zip(words) {
            if !wanted.as_bytes()[0].is_ascii_alphabetic() {
                if wanted != word {
                    return None;
                }
                continue;
            }
            let kind = row.kinds[all.len()];
            all.push(match kind.letter {
                b'L' => {
                    self.labels.get(word)?;
                    label = Some(word.clone());
                    Operand::Label(0)
                }
                b'n' => Operand::Number(number(word)?.try_into().ok()?),
                b's' => Operand::Special(match (word.as_str(), kind.bits) {
                    ("%tid.x", 32) => Special::Thread,
                    ("%ctaid.x", 32) => Special::Block,
                    ("%nctaid.x", 32) => Special::Blocks,
                    ("tables", 32) => Special::Shared,
                    ("words", 64) if !self.constants.is_empty() => Special::Constants,
                    _ => return None,
                }),
                b'm' => {
                    let (base, offset) = word.split_once('+').unwrap_or((word, "0"));
                    let offset = number(offset)?;
                    let parameter = self.parameters.iter().position(|parameter| parameter.name == base);
                    match (kind.bits, parameter) {
                        (0, Some(parameter)) => Operand::Parameter(parameter, offset),
                        (0, None) => return None,
                        (bits, _) => Operand::Place(self.register(base, bits)?, offset),
                    }
                }
                _ => match self.register(word, kind.bits) {
                    Some(register) => Operand::Register(register),
                    None if kind.is_written() || kind.bits == 1 => return None,
                    None => {
                        let number = number(word)?;
                        let is_fit =
                            kind.bits == 64 || i32::try_from(number).is_ok() || u32::try_from(number).is_ok();
                        if !is_fit {
                            return None;
                        }
                        Operand::Number(if kind.bits == 64 { number as u64 } else { (number as u32).into() })
                    }
                },
            });
        }
        // A register that two results are written to has one of them.
        let written = |k: &usize| row.kinds[*k].is_written();
        let results: Vec<Operand> = (0..all.len()).filter(written).map(|k| all[k]).collect();
        let is_twice = (1..results.len()).any(|k| results[..k].contains(&results[k]));
        if is_twice { None } else { Some((all, label)) }
    }

    /// The number of a register of these bits.
    fn register(&self, name: &str, bits: u32) -> Option<usize> {
        let (prefix, place) = match bits {
            1 => ("%p", 0),
            32 => ("%r", 1),
            _ => ("%rd", 2),
        };
        let number = number(name.strip_prefix(prefix)?)?;
        usize::try_from(number).ok().filter(|&number| number < self.registers[place])
    }
}

/// The words of operands: `[`, `]`, `{`, `}`, commas, and what stands between.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for part in text.split_inclusive(['[', ']', '{', '}', ',']) {
        let (word, symbol) = match part.char_indices().next_back() {
            Some((at, symbol @ ('[' | ']' | '{' | '}' | ','))) => (&part[..at], Some(symbol)),
            _ => (part, None),
        };
        let word = word.trim();
        all.extend((!word.is_empty()).then(|| word.to_string()));
        all.extend(symbol.map(|symbol| symbol.to_string()));
    }
    all
}

/// The constants, if there are some.
fn constants(lines: &mut Lines<'_>) -> Result<Vec<u8>, String> {
    if !lines.begins(".const ") {
        return Ok(Vec::new());
    }
    let count = lines.number(".const .align 16 .b32 words[", "] = {", 1 << 14)?;
    let mut bytes = Vec::new();
    loop {
        let line = lines.take()?;
        if line == "};" {
            break;
        }
        for word in tokens(line).iter().filter(|word| *word != ",") {
            let digits = word.strip_prefix("0x").filter(|digits| digits.len() == 8);
            let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            bytes.extend(value.ok_or_else(|| lines.wrong())?.to_le_bytes());
        }
    }
    if bytes.len() == 4 * count {
        Ok(bytes)
    } else {
        Err("the module has another number of constants".into())
    }
}

/// The parameters, up to the bracket behind them.
fn parameters(lines: &mut Lines<'_>) -> Result<Vec<Parameter>, String> {
    let mut all: Vec<Parameter> = Vec::new();
    loop {
        let line = lines.take()?;
        let (line, is_last) = line.strip_suffix(',').map_or((line, true), |line| (line, false));
        let array = line.strip_prefix(".param .align 16 .b8 ").and_then(|rest| rest.strip_suffix(']'));
        let (name, bytes) =
            match (line.strip_prefix(".param .u64 "), array.and_then(|rest| rest.split_once('['))) {
                (Some(name), _) => (name, 0),
                (_, Some((name, bytes))) => (
                    name,
                    number(bytes)
                        .and_then(|bytes| usize::try_from(bytes).ok())
                        .filter(|&bytes| bytes > 0)
                        .ok_or_else(|| lines.wrong())?,
                ),
                _ => return Err(lines.wrong()),
            };
        if !is_name(name) || name == "words" || name == "tables" || all.iter().any(|other| other.name == name)
        {
            return Err(lines.wrong());
        }
        all.push(Parameter { name: name.to_string(), bytes });
        if is_last {
            lines.needs(")")?;
            return Ok(all);
        }
    }
}
