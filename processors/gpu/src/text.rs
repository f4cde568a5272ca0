//! PTX modules as text: printed from a program, and parsed to one. The parsed program is proved and
//! interpreted; any text that is not written in this form is refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aesmith_cipher::mode::Role;
use aesmith_isa::grid::{GridProgram, Parameter};
use aesmith_isa::table::Kind;
use aesmith_isa::{Insn, Isa};

use crate::table::{DOUBLES, IV, KEYS, PARAMETERS, PREDICATES, WORDS, isa};

/// The PTX version: the oldest that supports all of sm_75 to sm_90.
const VERSION: &str = ".version 7.8";
/// The oldest version that supports more than [`MOST_PARAMETERS`] bytes of parameters.
const VERSION_LARGE: &str = ".version 8.1";
/// The comment above it.
const LARGE: &str = "// The parameters are larger than 4096 bytes, which drivers take from CUDA 12.1 on, of GPUs from Volta on.\n";
/// Limit of the parameters in bytes before CUDA 12.1, and since (NVIDIA, "CUDA 12.1 Supports Large Kernel
/// Parameters", 2023).
const MOST_PARAMETERS: u32 = 4096;
const MOST_LARGE_PARAMETERS: u32 = 32_764;
/// The oldest architecture; `ptxas` compiles for it and all later ones.
const TARGET: &str = ".target sm_75";
/// The comment before the number of bytes of shared memory: PTX has no directive for the amount that a launch
/// provides.
const SHARED: &str = "// Shared memory that a launch gives each block, in bytes: ";

/// The limit of a module's constants in bytes (CUDA C++ Programming Guide, table of technical specifications).
const MOST_CONSTANTS: usize = 0x1_0000;

/// The parameter name of the number of streams.
const STREAMS: &str = PARAMETERS[3];

/// The limit of a thread block's shared memory in bytes (same table).
const MOST_SHARED: u32 = 227 << 10;

/// The limit of a thread block's threads (same table).
const MOST_THREADS: u32 = 1024;

/// The limits of the registers of a thread block and of a thread (same table). `ptxas` 13.0 raises a limit
/// below 24 to 24.
const REGISTERS: u32 = 64 << 10;
const MOST_REGISTERS: u32 = 255;
const FEWEST_REGISTERS: u32 = 24;

/// The parameters of a kernel, in order.
pub fn parameters(roles: &[(Role, u32)]) -> Vec<Parameter> {
    roles.iter().map(|&(role, bytes)| parameter(role, bytes, false)).collect()
}

/// The parameters of a kernel for several streams: an array for each role, and the number of streams.
pub(crate) fn parameters_of_streams(roles: &[Role]) -> Vec<Parameter> {
    roles.iter().map(|&role| parameter(role, 8, true)).chain([streams()]).collect()
}

/// The number of streams as a parameter.
fn streams() -> Parameter {
    Parameter { role: Role::Length, name: STREAMS.to_owned(), at: 24, bytes: 8, each: false }
}

pub(crate) fn parameter(role: Role, bytes: u32, each: bool) -> Parameter {
    let (name, at) = match role {
        Role::Input => (PARAMETERS[0], 0),
        Role::Output => (PARAMETERS[1], 8),
        Role::Length => (PARAMETERS[2], 16),
        Role::Iv if each => (PARAMETERS[5], 40),
        Role::Iv => ("iv", IV),
        Role::Key | Role::CipherKey if each => (PARAMETERS[4], 32),
        Role::Key | Role::CipherKey => ("keys", KEYS),
    };
    Parameter { role, name: name.to_owned(), at, bytes, each }
}

/// The index of the field that holds a branch target, if a row has one.
fn target(isa: &Isa, insn: &Insn) -> Option<usize> {
    isa.of(insn).fields.iter().position(|field| matches!(field.kind, Kind::Relative { .. }))
}

pub(crate) fn label(place: usize) -> String {
    format!("L{place}")
}

/// The indices of branch targets.
pub(crate) fn targets(program: &GridProgram) -> Vec<usize> {
    let to = |(at, insn): (usize, &Insn)| {
        Some((at as i64 + i64::from(insn.fields[target(isa(), insn)?])) as usize)
    };
    program.insns.iter().enumerate().filter_map(to).collect()
}

/// Constants as words, in the notation of both languages: their number, and their lines.
pub(crate) fn words(constants: &[u8]) -> (usize, String) {
    let word = |bytes: &[u8]| {
        let bytes = std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0));
        format!("{:#010x}", u32::from_le_bytes(bytes))
    };
    let words: Vec<String> = constants.chunks(4).map(word).collect();
    let lines: Vec<String> = words.chunks(8).map(|line| format!("    {}", line.join(", "))).collect();
    (words.len(), lines.join(",\n"))
}

/// The PTX version for these parameters.
fn version(parameters: &[Parameter]) -> &'static str {
    if bytes_of(parameters) > MOST_PARAMETERS { VERSION_LARGE } else { VERSION }
}

/// Size of the parameters in bytes, each aligned to 16.
fn bytes_of(parameters: &[Parameter]) -> u32 {
    parameters.iter().map(|parameter| parameter.bytes.next_multiple_of(16)).sum()
}

/// The text of a program.
pub fn print(program: &GridProgram) -> String {
    let isa = isa();
    let version = version(&program.parameters);
    let said = if version == VERSION_LARGE { LARGE } else { "" };
    let mut text = format!("{said}{version}\n{TARGET}\n.address_size 64\n\n{SHARED}{}\n", program.shared);
    if !program.constants.is_empty() {
        let (count, lines) = words(&program.constants);
        // Writing to a string cannot fail.
        let _ = write!(text, ".const .align 16 .b32 words[{count}] = {{\n{lines}\n}};\n");
    }
    text.push_str(".extern .shared .align 16 .b8 tables[];\n\n");
    let declared: Vec<String> = program.parameters.iter().map(declared).collect();
    let registers = program.registers.map(|most| format!(".maxnreg {most}\n")).unwrap_or_default();
    let _ = write!(
        text,
        ".visible .entry {}(\n    {}\n)\n.reqntid {}, 1, 1\n{registers}{{\n    .reg .b32 %r<{WORDS}>;\n    .reg .b64 %rd<{DOUBLES}>;\n    .reg .pred %p<{PREDICATES}>;\n\n",
        program.symbol,
        declared.join(",\n    "),
        program.threads
    );
    let targets = targets(program);
    for (at, insn) in program.insns.iter().enumerate() {
        if targets.contains(&at) {
            let _ = writeln!(text, "{}:", label(at));
        }
        let to = target(isa, insn).map(|field| label((at as i64 + i64::from(insn.fields[field])) as usize));
        let _ = writeln!(text, "    {}", isa.print(insn, |field| to.clone().filter(|_| field == "to")));
    }
    text.push_str("}\n");
    text
}

fn declared(parameter: &Parameter) -> String {
    if parameter.by_value() {
        format!(".param .align 16 .b8 {}[{}]", parameter.name, parameter.bytes)
    } else {
        format!(".param .u64 {}", parameter.name)
    }
}

fn read_parameter(text: &str) -> Option<Parameter> {
    if let Some(name) = text.strip_prefix(".param .u64 ") {
        // The fourth role is the number of streams.
        let roles = [Role::Input, Role::Output, Role::Length].map(Some);
        let of_streams = [None, Some(Role::Key), Some(Role::Iv)];
        let place = PARAMETERS.iter().position(|known| *known == name)?;
        let Some(role) = roles.into_iter().chain(of_streams).nth(place)? else { return Some(streams()) };
        return Some(parameter(role, 8, matches!(role, Role::Key | Role::Iv)));
    }
    let (name, bytes) = text.strip_prefix(".param .align 16 .b8 ")?.strip_suffix(']')?.split_once('[')?;
    let role = match name {
        "keys" => Role::Key,
        "iv" => Role::Iv,
        _ => return None,
    };
    Some(parameter(role, bytes.parse().ok()?, false))
}

/// The non-empty lines of a text, with their numbers, and the bytes of shared memory.
struct Lines<'a> {
    left: std::iter::Peekable<std::vec::IntoIter<(usize, &'a str)>>,
    shared: Option<u32>,
    end: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Lines<'a> {
        let mut sizes = text.lines().filter_map(|line| line.strip_prefix(SHARED));
        // Of two sizes, a launch may have either.
        let shared =
            sizes.next().filter(|_| sizes.next().is_none()).and_then(|size| size.trim().parse().ok());
        let all: Vec<(usize, &str)> =
            text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).collect();
        let end = all.len();
        let says = all.into_iter().filter(|(_, line)| !line.is_empty() && !line.starts_with("//"));
        Lines { left: says.collect::<Vec<_>>().into_iter().peekable(), shared, end }
    }

    fn next(&mut self) -> Result<(usize, &'a str), String> {
        self.left.next().ok_or_else(|| format!("line {}: the text ends within the module", self.end))
    }

    /// Checks that the next line equals `wanted`.
    fn exactly(&mut self, wanted: &str) -> Result<(), String> {
        let (at, line) = self.next()?;
        if line == wanted {
            Ok(())
        } else {
            Err(format!("line {at}: `{wanted}` is wanted, `{line}` stands there"))
        }
    }

    /// The part of the next line between `begin` and `end`.
    fn between(&mut self, begin: &str, end: &str) -> Result<(usize, &'a str), String> {
        let (at, line) = self.next()?;
        let middle = line.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
        middle
            .map(|middle| (at, middle))
            .ok_or_else(|| format!("line {at}: `{begin}...{end}` is wanted, `{line}` stands there"))
    }

    fn number<T: std::str::FromStr>(&mut self, begin: &str, end: &str) -> Result<T, String> {
        let (at, text) = self.between(begin, end)?;
        text.parse().map_err(|_| format!("line {at}: `{text}` is no number that can stand there"))
    }
}

/// The program of a text.
///
/// # Errors
/// A sentence with the line that differs from the form of [`print()`].
pub fn read(text: &str) -> Result<GridProgram, String> {
    let mut lines = Lines::new(text);
    // The parameters determine which of the two versions it must be.
    if lines.left.next_if(|(_, line)| *line == VERSION_LARGE).is_none() {
        lines.exactly(VERSION)?;
    }
    for wanted in [TARGET, ".address_size 64"] {
        lines.exactly(wanted)?;
    }
    let shared =
        lines.shared.ok_or_else(|| format!("one line has to begin with `{SHARED}`, the number of bytes"))?;
    let constants = constants(&mut lines)?;
    lines.exactly(".extern .shared .align 16 .b8 tables[];")?;
    let (at, symbol) = lines.between(".visible .entry ", "(")?;
    // An invalid name may contain another kernel.
    let in_name = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    if !symbol.bytes().all(in_name)
        || symbol.starts_with(|first: char| first.is_ascii_digit())
        || symbol.is_empty()
    {
        return Err(format!("line {at}: `{symbol}` is no name of a kernel"));
    }
    let mut parameters: Vec<Parameter> = Vec::new();
    loop {
        let (at, line) = lines.next()?;
        if line == ")" {
            break;
        }
        let found = read_parameter(line.trim_end_matches(','));
        let found = found.filter(|new| parameters.iter().all(|old| old.name != new.name));
        parameters.push(found.ok_or_else(|| format!("line {at}: `{line}` is no parameter of a kernel"))?);
    }
    // If the number of streams is a parameter, all other parameters are arrays.
    if parameters.iter().any(|parameter| parameter.name == STREAMS) {
        for parameter in parameters.iter_mut().filter(|parameter| parameter.name != STREAMS) {
            parameter.each = true;
        }
    }
    let threads = lines.number(".reqntid ", ", 1, 1")?;
    let registers = match lines.left.peek().is_some_and(|(_, line)| line.starts_with(".maxnreg ")) {
        true => Some(lines.number(".maxnreg ", "")?),
        false => None,
    };
    lines.exactly("{")?;
    for (kind, count) in [(".b32 %r", WORDS), (".b64 %rd", DOUBLES), (".pred %p", PREDICATES)] {
        lines.exactly(&format!(".reg {kind}<{count}>;"))?;
    }
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(format!("a launch cannot have blocks of {threads} threads: 1 to {MOST_THREADS}"));
    }
    if shared > MOST_SHARED {
        return Err(format!(
            "no GPU gives a block of threads {shared} bytes of shared memory: {MOST_SHARED} at most"
        ));
    }
    if bytes_of(&parameters) > MOST_LARGE_PARAMETERS {
        return Err(format!("a launch has no parameters of more than {MOST_LARGE_PARAMETERS} bytes"));
    }
    let insns = body(&mut lines)?;
    if let Some((at, line)) = lines.left.next() {
        return Err(format!("line {at}: `{line}` stands behind the kernel"));
    }
    if let Some(most) = registers {
        if !(FEWEST_REGISTERS..=MOST_REGISTERS).contains(&most) {
            return Err(format!(
                "a limit of registers is {FEWEST_REGISTERS} to {MOST_REGISTERS}, not {most}"
            ));
        }
        // Otherwise the compiler would allocate a thread more registers than by default, and no launch would
        // fit.
        if most * threads > REGISTERS {
            return Err(format!(
                "{threads} threads of {most} registers are more than the {REGISTERS} of a block"
            ));
        }
    }
    let symbol = symbol.to_owned();
    let program = GridProgram { symbol, insns, parameters, constants, shared, threads, registers };
    as_printed(text, &program)?;
    Ok(program)
}

/// A line, with the number of its label removed if the label has our form.
fn without_label(line: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if line.strip_prefix('L').and_then(|rest| rest.strip_suffix(':')).is_some_and(digits) {
        return "L";
    }
    match line.rsplit_once("bra L") {
        Some((before, label)) if label.strip_suffix(';').is_some_and(digits) => &line[..before.len() + 5],
        _ => line,
    }
}

/// Checks that the text equals the output of [`print()`]: a compiler may read numbers in other notations, names
/// that end a comment or contain instructions, and operands that must be equal differently from us.
fn as_printed(text: &str, program: &GridProgram) -> Result<(), String> {
    let printed = print(program);
    let says = |text: &str| -> Vec<(usize, String)> {
        let lines = text.split('\n').enumerate().map(|(at, line)| (at + 1, line.trim().to_owned()));
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("//")).collect()
    };
    let (found, wanted) = (says(text), says(&printed));
    for ((at, line), (_, wanted)) in found.iter().zip(&wanted) {
        if without_label(line) != without_label(wanted) {
            return Err(format!("line {at}: `{wanted}` is what is read there, `{line}` stands there"));
        }
    }
    let strange =
        |c: char| c.is_control() && !['\n', '\t'].contains(&c) || ['\u{2028}', '\u{2029}'].contains(&c);
    let goes_on = |line: &str| line.trim_end().ends_with('\\') || line.contains("??/");
    if text.contains(strange) || text.contains("/*") || text.lines().any(goes_on) {
        return Err("comments over lines, and lines that are continued or end otherwise, are not read".into());
    }
    Ok(())
}

/// The bytes of the constants, if there are any.
fn constants(lines: &mut Lines) -> Result<Vec<u8>, String> {
    const BEGIN: &str = ".const .align 16 .b32 words[";
    if !lines.left.peek().is_some_and(|(_, line)| line.starts_with(BEGIN)) {
        return Ok(Vec::new());
    }
    let count: usize = lines.number(BEGIN, "] = {")?;
    let mut bytes = Vec::new();
    loop {
        let (at, line) = lines.next()?;
        if line == "};" {
            break;
        }
        for word in line.trim_end_matches(',').split(", ") {
            let number = word.strip_prefix("0x").and_then(|hex| u32::from_str_radix(hex, 16).ok());
            let number = number.ok_or_else(|| format!("line {at}: `{word}` is no word as 0x01234567"))?;
            bytes.extend(number.to_le_bytes());
        }
    }
    if bytes.len() == 4 * count && bytes.len() <= MOST_CONSTANTS {
        Ok(bytes)
    } else {
        Err(format!("{count} words are declared, and {} stand there", bytes.len() / 4))
    }
}

/// A register that an instruction writes in two of its fields, if any: PTX leaves its value undefined.
fn written_twice(insn: &Insn) -> Option<&'static str> {
    let registers = isa().of(insn).effects.written_fields.iter();
    let mut written: Vec<i32> = registers.map(|&(field, _)| insn.fields[usize::from(field)]).collect();
    written.sort_unstable();
    let twice = written.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(isa().about.registers[twice[0] as usize].0)
}

/// The instructions up to the closing brace.
fn body(lines: &mut Lines) -> Result<Vec<Insn>, String> {
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    let mut written: Vec<(usize, &str)> = Vec::new();
    loop {
        let (at, line) = lines.next()?;
        match line.strip_suffix(':') {
            _ if line == "}" => break,
            Some(label) if labels.insert(label, written.len()).is_some() => {
                return Err(format!("line {at}: the label {label} stands twice"));
            }
            Some(_) => {}
            None => written.push((at, line)),
        }
    }
    let read = |(place, (at, line)): (usize, &(usize, &str))| {
        let distance = |name: &str| labels.get(name).map(|&to| to as i32 - place as i32);
        let insn = isa().read(line, &distance).map_err(|e| format!("line {at}: {e}"))?;
        match written_twice(&insn) {
            Some(name) => Err(format!("line {at}: {name} is written twice by one instruction")),
            None => Ok(insn),
        }
    };
    written.iter().enumerate().map(read).collect()
}
