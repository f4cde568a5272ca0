//! Parses the file of an extension; every error has its line.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::file::{Extension, Instruction, Layout, Lines, Mistake};
use crate::{code, encoding, meaning, names, sets};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExtension {
    name: Spanned<String>,
    #[serde(default)]
    about: String,
    #[serde(default)]
    source: String,
    layout: Option<Layout>,
    #[serde(default)]
    includes: Vec<Spanned<String>>,
    #[serde(default)]
    without: Vec<Spanned<String>>,
    #[serde(default)]
    macros: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    instruction: Vec<Spanned<RawInstruction>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawInstruction {
    name: Spanned<String>,
    #[serde(default)]
    about: String,
    reads: Spanned<Vec<String>>,
    fixed: Option<Spanned<Vec<String>>>,
    writes: Spanned<String>,
    #[serde(default)]
    selectors: BTreeMap<String, Spanned<u8>>,
    meaning: Spanned<String>,
    #[serde(default = "one")]
    latency: Spanned<u8>,
    #[serde(default = "one")]
    occupancy: Spanned<u8>,
    encoding: Option<Spanned<BTreeMap<String, String>>>,
}

fn one() -> Spanned<u8> {
    Spanned::new(0..0, 1)
}

/// The line of a byte offset in a text.
fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|&&b| b == b'\n').count() + 1
}

/// The starts of the file's lines in a quoted text of the file: byte offset and line.
fn breaks(file: &str, span: std::ops::Range<usize>, text: &str) -> Vec<(usize, usize)> {
    let raw = &file[span.clone()];
    let triple = raw.starts_with("\"\"\"") || raw.starts_with("'''");
    let escapes = raw.starts_with('"');
    let mut at = if triple { 3 } else { 1 };
    if triple {
        // TOML drops a newline directly after the opening quotes.
        at += ["\r\n", "\n"].iter().find(|end| raw[at..].starts_with(**end)).map_or(0, |end| end.len());
    }
    let mut line = line_of(file, span.start + at);
    let mut found = vec![(0, line)];
    for (place, c) in text.char_indices() {
        let rest = raw.get(at..).unwrap_or("");
        let after = rest.strip_prefix('\\').filter(|_| escapes);
        // A line that ends in '\\' continues at the next non-blank character.
        if let Some(after) = after.filter(|a| a.trim_start_matches([' ', '\t', '\r']).starts_with('\n')) {
            let blank = &after[..after.len() - after.trim_start().len()];
            at += 1 + blank.len();
            line += blank.matches('\n').count();
            found.push((place, line));
        }
        let rest = raw.get(at..).unwrap_or("");
        at += match rest.strip_prefix('\\').filter(|_| escapes) {
            Some(after) if after.starts_with('u') => 6,
            Some(after) if after.starts_with('U') => 10,
            Some(after) if after.starts_with('x') => 4,
            Some(_) => 2,
            None if rest.starts_with("\r\n") && c == '\n' => 2,
            None => c.len_utf8(),
        };
        if c == '\n' && !rest.starts_with('\\') {
            line += 1;
            found.push((place + 1, line));
        }
    }
    found
}

/// True if a name is a letter followed by lower-case letters, digits and the characters in `more`.
fn is_name(name: &str, more: &[char]) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || more.contains(&c))
}

/// Characters besides letters and digits that names of extensions may contain.
const MARKS: [char; 3] = ['-', '_', '.'];

impl Extension {
    /// Parses a file, and makes all checks that need no processor.
    pub fn parse(text: &str) -> Result<Extension, Mistake> {
        let raw: RawExtension = toml::from_str(text).map_err(|e| Mistake {
            line: e.span().map_or(1, |s| line_of(text, s.start)),
            what: e.message().trim().replace('\n', ", "),
        })?;
        let fail = |at: usize, what: String| Err(Mistake { line: line_of(text, at), what });
        let name = raw.name.as_ref();
        if !is_name(name, &MARKS) {
            let what =
                format!("'{name}' is no name: small letters, digits, '-', '_' and '.', after a letter");
            return fail(raw.name.span().start, what);
        }
        let mut extension = Extension {
            name: raw.name.into_inner(),
            about: raw.about,
            source: raw.source,
            layout: raw.layout,
            macros: Vec::new(),
            instructions: Vec::new(),
        };
        for set in raw.includes {
            let line = line_of(text, set.span().start);
            let included = sets::included(set.as_ref()).map_err(|what| Mistake { line, what })?;
            let layout = |of: Option<Layout>| of.unwrap_or_default();
            if raw.layout.is_some_and(|stated| stated != layout(included.layout))
                || (!extension.instructions.is_empty() && layout(extension.layout) != layout(included.layout))
            {
                let what = format!("the set {} has another layout of the state", included.name);
                return Err(Mistake { line, what });
            }
            extension.layout = raw.layout.or(included.layout);
            extension.macros.extend(included.macros);
            let twice = |i: &&Instruction| extension.instructions.iter().any(|k| k.name == i.name);
            if let Some(twice) = included.instructions.iter().find(twice) {
                let what = format!(
                    "the set {} has an instruction '{}', and so has a set before it; include one of them",
                    included.name, twice.name
                );
                return Err(Mistake { line, what });
            }
            let lines = Lines {
                start: line,
                meaning: line,
                breaks: Vec::new(),
                reads: line,
                fixed: line,
                encoding: line,
            };
            let instructions = included.instructions.into_iter();
            extension.instructions.extend(instructions.map(|i| Instruction { lines: lines.clone(), ..i }));
        }
        for left_out in raw.without {
            let place = extension.instructions.iter().position(|i| i.name == *left_out.as_ref());
            let Some(place) = place else {
                let what =
                    format!("no included set has an instruction '{}' to be left out", left_out.as_ref());
                return fail(left_out.span().start, what);
            };
            extension.instructions.remove(place);
        }
        let mut bodies = Vec::new();
        for (signature, body) in raw.macros {
            let at = body.span().start;
            if let Err(what) = macro_is_sound(&signature, body.as_ref(), &extension.macros) {
                return fail(at, what);
            }
            bodies.push((signature.clone(), body.span()));
            extension.macros.push((signature, body.into_inner()));
        }
        let macros = meaning::macros(&extension);
        for (signature, span) in bodies {
            let (_, body) = macros.iter().find(|(s, _)| *s == signature).copied().unwrap_or_default();
            names::check_macro(&signature, body, &macros).map_err(|(at, what)| {
                let breaks = breaks(text, span.clone(), body);
                let line = breaks.iter().rev().find(|(start, _)| *start <= at);
                Mistake { line: line.map_or(line_of(text, span.start), |(_, line)| *line), what }
            })?;
        }
        for spanned in raw.instruction {
            let instruction = instruction(text, spanned)?;
            if extension.instructions.iter().any(|i| i.name == instruction.name) {
                let what = format!("there are two instructions '{}'; rename one", instruction.name);
                return Err(Mistake { line: instruction.lines.start, what });
            }
            extension.instructions.push(instruction);
        }
        if extension.instructions.is_empty() {
            return fail(
                text.len(),
                "the extension has no instruction; each starts with [[instruction]]".into(),
            );
        }
        wired_alike(&extension)?;
        code::functions(&extension)?;
        encoding::check(&extension)?;
        meaning::table(&extension)?;
        Ok(extension)
    }
}

/// Checks that all instructions are wired to the same registers, each to the first of them or to all.
fn wired_alike(extension: &Extension) -> Result<(), Mistake> {
    let most = extension.instructions.iter().rev().max_by_key(|i| i.fixed.len());
    let Some(most) = most else { return Ok(()) };
    match extension.instructions.iter().find(|i| !most.fixed.starts_with(&i.fixed)) {
        None => Ok(()),
        Some(other) => Err(Mistake {
            line: other.lines.fixed,
            what: format!(
                "{}: it is wired to {}, and {} to {}; the unit is wired to the same registers for all, so name the first of those",
                other.name,
                other.fixed.join(", "),
                most.name,
                most.fixed.join(", ")
            ),
        }),
    }
}

/// Checks that a macro is `name(parameters)`, and does not hide anything in the language or in an included set.
fn macro_is_sound(signature: &str, body: &str, known: &[(String, String)]) -> Result<(), String> {
    let split = signature.strip_suffix(')').and_then(|s| s.split_once('('));
    let word = |w: &str| is_name(w.trim(), &['_']);
    let Some((name, parameters)) = split.filter(|(name, _)| word(name)) else {
        return Err(format!("a macro is written \"name(a, b)\" = \"text\", not \"{signature}\""));
    };
    if meaning::FUNCTIONS.contains(&name)
        || meaning::BUILT_IN.iter().any(|(s, _, _)| s.starts_with(&format!("{name}(")))
    {
        return Err(format!("the macro '{name}' has the name of a function that is built in; rename it"));
    }
    if known.iter().any(|(s, _)| s.starts_with(&format!("{name}("))) {
        return Err(format!("there are two macros '{name}', of this file and what it includes; rename one"));
    }
    if let Some(other) = parameters.split(',').find(|p| !p.trim().is_empty() && !word(p)) {
        return Err(format!("'{}' is no name of a parameter of the macro '{name}'", other.trim()));
    }
    if body.contains(';') || body.contains('=') && !body.contains("==") && !body.contains("!=") {
        return Err(format!("the macro '{name}' is an expression; statements belong to the meaning"));
    }
    Ok(())
}

/// Parses an instruction of the file.
fn instruction(text: &str, spanned: Spanned<RawInstruction>) -> Result<Instruction, Mistake> {
    let fail = |at: usize, what: String| Err(Mistake { line: line_of(text, at), what });
    let start = spanned.span().start;
    let raw = spanned.into_inner();
    let at = raw.name.span().start;
    let name = raw.name.into_inner();
    if !is_name(&name, &['_', '.']) {
        let what = format!("'{name}' is no mnemonic: small letters, digits, '_' and '.', after a letter");
        return fail(at, what);
    }
    let reads = raw.reads.as_ref();
    let fixed = raw.fixed.as_ref().map_or(&[][..], |f| f.as_ref());
    if reads.len() > 3 {
        let what = format!(
            "{name}: it reads {} registers; three are the most that an instruction names",
            reads.len()
        );
        return fail(raw.reads.span().start, what);
    }
    if fixed.len() > 4 {
        let what =
            format!("{name}: it is wired to {} registers; four are the most, the state's", fixed.len());
        return fail(raw.fixed.as_ref().map_or(at, |f| f.span().start), what);
    }
    let named: Vec<&String> = reads.iter().chain(fixed).chain(raw.selectors.keys()).collect();
    let reads_at = raw.reads.span().start;
    let mut places = vec![reads_at; reads.len()];
    places.extend(fixed.iter().filter_map(|_| raw.fixed.as_ref()).map(|f| f.span().start));
    places.extend(raw.selectors.values().map(|bits| bits.span().start));
    places.push(raw.writes.span().start);
    for (k, operand) in named.iter().copied().chain([raw.writes.as_ref()]).enumerate() {
        let at = places[k];
        if !is_name(operand, &[]) || meaning::FUNCTIONS.contains(&operand.as_str()) {
            let what = format!(
                "{name}: '{operand}' is no name of an operand: small letters and digits, after a letter, and no function's name"
            );
            return fail(at, what);
        }
        let twice = match named.get(k) {
            Some(_) => named[..k].contains(&operand),
            // The written register may also be read, but no other.
            None => named[reads.len()..].contains(&operand),
        };
        if twice {
            return fail(at, format!("{name}: two operands are named '{operand}'; rename one"));
        }
    }
    for (selector, bits) in &raw.selectors {
        if !(1..=5).contains(bits.as_ref()) {
            let what = format!("{name}: the selector {selector} has 1 to 5 bits, not {}", bits.as_ref());
            return fail(bits.span().start, what);
        }
    }
    for (what, cycles) in [("latency", &raw.latency), ("occupancy", &raw.occupancy)] {
        if *cycles.as_ref() == 0 {
            return fail(cycles.span().start, format!("{name}: its {what} is at least one cycle"));
        }
    }
    let line = |at: usize| line_of(text, at);
    let lines = Lines {
        start: line(at),
        meaning: line(raw.meaning.span().start),
        breaks: breaks(text, raw.meaning.span(), raw.meaning.as_ref()),
        reads: line(raw.reads.span().start),
        fixed: line(raw.fixed.as_ref().map_or(start, |f| f.span().start)),
        encoding: line(raw.encoding.as_ref().map_or(start, |e| e.span().start)),
    };
    Ok(Instruction {
        name,
        about: raw.about,
        lines,
        encodings: raw.encoding.map(|e| e.into_inner().into_iter().collect()).unwrap_or_default(),
        fixed: raw.fixed.map(Spanned::into_inner).unwrap_or_default(),
        reads: raw.reads.into_inner(),
        writes: raw.writes.into_inner(),
        selectors: raw.selectors.into_iter().map(|(n, b)| (n, b.into_inner())).collect(),
        meaning: raw.meaning.into_inner(),
        latency: raw.latency.into_inner(),
        occupancy: raw.occupancy.into_inner(),
    })
}
