//! Code that is compiled at link time: GCC's in sections of an object, LLVM's as bitcode. Nothing is proved of it; only
//! the names that it defines matter.

use crate::EmitError;
use object::read::elf::FileHeader;
use object::{Endianness, elf};
use std::collections::{BTreeMap, HashMap};

/// Magic number of LLVM's bitcode.
const BITCODE: [u8; 4] = *b"BC\xc0\xde";
/// Magic number of bitcode with a wrapper header.
const WRAPPED: [u8; 4] = 0x0b17_c0deu32.to_le_bytes();

/// Checks the section headers of a linked file, which loaders ignore but linkers use: GCC's plugin links its own
/// sections in place of the file's code, whatever the type of the file.
///
/// # Errors
/// The file has such sections, or its section headers cannot be read.
pub(crate) fn check_linked(file: &[u8]) -> Result<(), EmitError> {
    let damaged = |e: object::Error| {
        EmitError(format!(
            "its section headers, which linkers read, are damaged: {e}; without any it is read as loaders read it"
        ))
    };
    let header = elf::FileHeader64::<Endianness>::parse(file).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    let sections = header.sections(endian, file).map_err(damaged)?;
    for section in sections.iter() {
        let name = sections.section_name(endian, section).map_err(damaged)?;
        if name.starts_with(b".gnu.lto_") {
            return Err(EmitError(format!(
                "the linked file has the section `{}`, which GCC links in place of its code: leave it out",
                String::from_utf8_lossy(name)
            )));
        }
    }
    Ok(())
}

/// True if a file is LLVM's bitcode.
pub(crate) fn is_bitcode(file: &[u8]) -> bool {
    file.starts_with(&BITCODE) || file.starts_with(&WRAPPED)
}

/// Returns the names that a table of GCC (`.gnu.lto_.symtab`) defines, if it can be read. Each symbol has its name and
/// the name of its group, both zero-terminated, its kind, its visibility, its size (eight bytes) and a slot (four
/// bytes).
pub(crate) fn defined_by_gcc(mut table: &[u8]) -> Option<Vec<String>> {
    /// The kinds of a definition: plain, weak, and common. Kinds 2 and 3 are references.
    const DEFINES: [u8; 3] = [0, 1, 4];
    const WANTED: [u8; 2] = [2, 3];
    let mut names = Vec::new();
    while !table.is_empty() {
        let end = table.iter().position(|byte| *byte == 0)?;
        let name = String::from_utf8_lossy(&table[..end]).into_owned();
        let group = &table[end + 1..];
        let rest = &group[group.iter().position(|byte| *byte == 0)? + 1..];
        let kind = *rest.first()?;
        table = rest.get(14..)?;
        if DEFINES.contains(&kind) {
            names.push(name);
        } else if !WANTED.contains(&kind) {
            return None;
        }
    }
    Some(names)
}

/// A bit reader of 32-bit words; the lowest bit comes first.
struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Bits<'b> {
    fn fixed(&mut self, width: usize) -> Option<u64> {
        let mut value = 0;
        for bit in 0..width {
            let byte = self.bytes.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Some(value)
    }

    /// Reads a number in groups of `width` bits, of which the highest tells that another group follows.
    fn grouped(&mut self, width: usize) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let group = self.fixed(width)?;
            let more = 1 << (width - 1);
            value |= (group & (more - 1)).checked_shl(shift)?;
            if group & more == 0 {
                return Some(value);
            }
            shift += width as u32 - 1;
        }
    }

    /// Reads `bytes` bytes from the next multiple of 32 bits.
    fn words(&mut self, bytes: usize) -> Option<&'b [u8]> {
        let start = self.at.div_ceil(32) * 4;
        let end = start.checked_add(bytes)?;
        self.at = end.checked_mul(8)?;
        self.bytes.get(start..end)
    }
}

/// Abbreviation numbers and block numbers of bitcode.
const ENTER: u64 = 1;
const DEFINE: u64 = 2;
const NAMES: u64 = 23;
const SYMBOLS: u64 = 25;

/// Returns the only record of a block, a blob: LLVM writes names and symbols in this form.
fn bytes_of(block: &[u8], width: usize) -> Option<&[u8]> {
    let mut bits = Bits { bytes: block, at: 0 };
    // The form of the record: two operands, of which the first is a literal.
    if bits.fixed(width)? != DEFINE || bits.grouped(5)? != 2 || bits.fixed(1)? != 1 {
        return None;
    }
    bits.grouped(8)?;
    let is_bytes = bits.fixed(1)? == 0 && bits.fixed(3)? == 5;
    if !is_bytes || bits.fixed(width)? != 4 {
        return None;
    }
    let length = usize::try_from(bits.grouped(6)?).ok()?;
    bits.words(length)
}

/// Returns the names that bitcode defines, if its table of symbols can be read.
pub(crate) fn defined_by_llvm(file: &[u8]) -> Option<Vec<String>> {
    let word = |bytes: &[u8], at: usize| {
        let field = bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(field.try_into().ok()?) as usize)
    };
    let file = if file.starts_with(&WRAPPED) {
        let start = word(file, 8)?;
        file.get(start..start.checked_add(word(file, 12)?)?)?
    } else {
        file
    };
    let mut bits = Bits { bytes: file.strip_prefix(&BITCODE)?, at: 0 };
    let (mut names, mut symbols) = (None, None);
    while bits.bytes.len() * 8 >= bits.at + 32 {
        // Files are padded with zeros behind their last block.
        match bits.fixed(2)? {
            ENTER => {}
            0 if bits.bytes[bits.at / 8..].iter().all(|byte| *byte == 0) => break,
            _ => return None,
        }
        let block = bits.grouped(8)?;
        let width = usize::try_from(bits.grouped(4)?).ok().filter(|width| *width <= 32)?;
        let length = word(bits.words(4)?, 0)?;
        let contents = bits.words(length.checked_mul(4)?)?;
        let (place, wanted) = match block {
            NAMES => (&mut names, true),
            SYMBOLS => (&mut symbols, true),
            _ => (&mut names, false),
        };
        if wanted && place.replace(bytes_of(contents, width)?).is_some() {
            return None;
        }
    }
    let (names, symbols) = (names?, symbols?);
    // The header: a version, the producer's name, an offset and a count each for modules and groups, then for symbols.
    let (place, count) = (word(symbols, 28)?, word(symbols, 32)?);
    let mut defined = Vec::new();
    for number in 0..count {
        let at = number.checked_mul(24)?.checked_add(place)?;
        let name = word(symbols, at)?;
        let name = names.get(name..name.checked_add(word(symbols, at + 4)?)?)?;
        const WANTED: usize = 1 << 3;
        const GLOBAL: usize = 1 << 10;
        if word(symbols, at + 20)? & (WANTED | GLOBAL) == GLOBAL {
            defined.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    Some(defined)
}

/// A state of a search for several names: the bytes read last that may begin one.
#[derive(Default)]
struct State {
    next: BTreeMap<u8, usize>,
    /// The state of the longest of its ends that may begin a name.
    shorter: usize,
}

/// The state behind another byte.
fn step(states: &[State], mut at: usize, byte: u8) -> usize {
    loop {
        match states[at].next.get(&byte) {
            Some(next) => return *next,
            None if at == 0 => return 0,
            None => at = states[at].shorter,
        }
    }
}

/// Maximum number of bytes of names that are searched together; if there are more, every file may mention each.
const MOST_SEARCHED: usize = 1 << 20;

/// Names that occur anywhere in files, each with the numbers of these. Each file is read once (Aho and Corasick, 1975).
pub(super) fn mentioned<'f>(
    files: impl Iterator<Item = (usize, &'f [u8])>,
    names: &[&str],
) -> HashMap<String, Vec<usize>> {
    let all = names.iter().map(|name| name.len()).sum::<usize>() > MOST_SEARCHED;
    let (mut states, mut ends) = (vec![State::default()], Vec::new());
    for name in names.iter().filter(|_| !all) {
        let mut at = 0;
        for byte in name.bytes() {
            let new = states.len();
            at = *states[at].next.entry(byte).or_insert(new);
            if at == new {
                states.push(State::default());
            }
        }
        ends.push(at);
    }
    // Shorter states stand before longer ones.
    let mut order = vec![0];
    let mut done = 0;
    while let Some(&at) = order.get(done) {
        let next: Vec<(u8, usize)> = states[at].next.iter().map(|(byte, next)| (*byte, *next)).collect();
        for (byte, next) in next {
            states[next].shorter = if at == 0 { 0 } else { step(&states, states[at].shorter, byte) };
            order.push(next);
        }
        done += 1;
    }
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, file) in files {
        let (mut seen, mut at) = (vec![false; states.len()], 0);
        for byte in file {
            at = step(&states, at, *byte);
            seen[at] = true;
        }
        for &at in order.iter().rev().filter(|at| **at > 0) {
            seen[states[at].shorter] |= seen[at];
        }
        for (place, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            if all || ends.get(place).is_some_and(|end| seen[*end]) {
                found.entry((*name).to_owned()).or_default().push(number);
            }
        }
    }
    found
}

/// True if a name occurs anywhere in a file.
pub fn mentions(file: &[u8], name: &str) -> bool {
    !name.is_empty() && file.windows(name.len()).any(|window| window == name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_together() {
        let files: [&[u8]; 3] = [b"xabcab\0", b"aab", b""];
        let files = || files.iter().enumerate().map(|(number, file)| (number + 5, *file));
        let names = ["abc", "ab", "b", "bca", "bcb", "aab", "", "x", "ab"];
        let found = mentioned(files(), &names);
        for name in names {
            let alone: Vec<usize> =
                files().filter(|(_, file)| mentions(file, name)).map(|(number, _)| number).collect();
            let mut together = found.get(name).cloned().unwrap_or_default();
            together.dedup();
            assert_eq!(together, alone, "{name}");
        }
        let long = "a".repeat(MOST_SEARCHED + 1);
        assert_eq!(mentioned(files(), &["b", &long])["b"], [5, 6, 7], "too long to search");
    }

    #[test]
    fn tables_of_gcc_tell_what_is_defined() {
        let entry = |name: &str, kind: u8| [name.as_bytes(), &[0, 0, kind], &[0; 13]].concat();
        let table = [entry("g", 0), entry("f", 2), entry("weak", 1), entry("common", 4)].concat();
        assert_eq!(defined_by_gcc(&table).unwrap(), ["g", "weak", "common"]);
        assert_eq!(defined_by_gcc(&entry("g", 9)), None);
        assert_eq!(defined_by_gcc(&table[..table.len() - 1]), None);
    }

    /// The output of `clang -flto -c` for `int f(void); int g(void) { return f() + 1; }`, reduced to its blocks of
    /// names and symbols.
    #[test]
    fn tables_of_llvm_tell_what_is_defined() {
        let words: [u32; 55] = [
            0xdec0_4342,
            0x0c65,
            37,
            0x2894_0312,
            1,
            3,
            2,
            6,
            0x4c,
            1,
            0x58,
            0,
            0x58,
            2,
            0x88,
            0,
            8,
            19,
            27,
            3,
            1,
            0,
            0x88,
            0,
            0,
            2,
            0,
            0,
            1,
            0,
            1,
            !0,
            0x2400,
            1,
            1,
            1,
            1,
            !0,
            0x2408,
            0,
            0x0c5d,
            10,
            0x1e94_0312,
            0x3431_6667,
            0x362e_302e,
            0x5f36_3878,
            0x702d_3436,
            0x696c_2d63,
            0x2d78_756e,
            0x6375_6e67,
            0x0063_2e63,
            0,
            0,
            0,
            0,
        ];
        let file: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(is_bitcode(&file));
        assert_eq!(defined_by_llvm(&file).as_deref(), Some(&["g".to_owned()][..]));
        assert_eq!(defined_by_llvm(&file[..100]), None);
        for at in 0..file.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = file.clone();
                changed[at] = value;
                let _ = defined_by_llvm(&changed);
            }
        }
    }
}
