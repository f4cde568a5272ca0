//! Joins the code and the constants of a function, which are stored apart in a file, into the bytes that are proved:
//! the code, padding to a multiple of a cache line, the constants.
//!
//! A linker chooses the distance from the code to the constants and writes it into the instructions that address them.
//! A proof holds for every distance, because it refuses everything that is read at, or computed from, an address of the
//! code itself. So the distance is not part of the proved bytes, but every address must be one that the linker writes;
//! this module checks that.

use crate::EmitError;
use crate::objects::symbols::{Definition, check_section, is_plain};
use aesmith_processor::dialect::{Addressed, Dialect};
use object::read::elf::{ElfFile64, SectionHeader};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget,
    SectionIndex, SymbolIndex, elf,
};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A section of constants, and the range of a function's constants in it if the file tells it.
type ConstantsPlace = (SectionIndex, Option<Range<u64>>);

/// Suffix of the symbol of a function's constants.
const SUFFIX: &str = "_constants";
/// Maximum number of bytes of constants; no kernel has more.
pub(super) const MOST_CONSTANTS: u64 = 4 << 20;
/// The limit where the file does not tell where the constants end; kernels in real programs have fewer.
pub(super) const MOST_UNBOUNDED: u64 = 128 << 10;

/// The local symbol of a function's constants.
pub(crate) fn constants_symbol(function: &str) -> String {
    format!("{function}{SUFFIX}")
}

/// The constants of a function in a file.
pub(super) struct Constants<'f> {
    pub address: u64,
    pub bytes: &'f [u8],
}

/// A function in the form in which it is proved.
#[derive(Debug, PartialEq, Eq)]
pub struct Together {
    /// Code, padding and constants.
    pub bytes: Vec<u8>,
    /// True if the file tells where the constants end. If their symbol was stripped, the bytes behind them are
    /// included.
    pub bounded: bool,
}

/// An object whose functions are joined with their constants.
pub struct Apart<'o, 'f> {
    dialect: &'static Dialect,
    object: &'o ElfFile64<'f, Endianness>,
    /// Symbols of constants, by name.
    constants: HashMap<&'f str, Vec<SymbolIndex>>,
    /// Relocations of each section, by offset.
    relocations: HashMap<SectionIndex, BTreeMap<u64, Vec<Relocation>>>,
}

/// Bytes before and behind a relocation that a linker may rewrite if its type allows relaxation.
const RELAXED: u64 = 24;

/// Returns the bytes of its section that a relocation writes. An unknown type may also change the instructions around
/// the field.
fn written_by(dialect: &Dialect, at: u64, relocation: &Relocation) -> Range<u64> {
    let RelocationFlags::Elf { r_type } = relocation.flags() else { return 0..u64::MAX };
    match dialect.elf.written.iter().find(|(known, _)| *known == r_type) {
        Some((_, bytes)) => at..at.saturating_add(*bytes),
        None => at.saturating_sub(RELAXED)..at.saturating_add(RELAXED),
    }
}

impl<'o, 'f> Apart<'o, 'f> {
    /// Indexes the constants and relocations of an object.
    pub fn new(dialect: &'static Dialect, object: &'o ElfFile64<'f, Endianness>) -> Apart<'o, 'f> {
        let mut constants: HashMap<&str, Vec<SymbolIndex>> = HashMap::new();
        for symbol in object.symbols().filter(|s| s.size() > 0) {
            if let Ok(name) = symbol.name()
                && name.ends_with(SUFFIX)
            {
                constants.entry(name).or_default().push(symbol.index());
            }
        }
        let mut relocations: HashMap<_, BTreeMap<u64, Vec<Relocation>>> = HashMap::new();
        for section in object.sections() {
            for (at, relocation) in section.relocations() {
                relocations.entry(section.index()).or_default().entry(at).or_default().push(relocation);
            }
        }
        Apart { dialect, object, constants, relocations }
    }

    /// Relocations that write into a range of a section, each with its offset.
    fn relocations(
        &self,
        section: SectionIndex,
        range: Range<u64>,
    ) -> impl Iterator<Item = (u64, &Relocation)> {
        let near = range.start.saturating_sub(RELAXED)..range.end.saturating_add(RELAXED);
        let all = self.relocations.get(&section).into_iter().flat_map(move |all| all.range(near.clone()));
        let all = all.flat_map(|(at, here)| here.iter().map(|relocation| (*at, relocation)));
        all.filter(move |(at, relocation)| {
            let written = written_by(self.dialect, *at, relocation);
            written.start < range.end && range.start < written.end
        })
    }

    /// Returns the bytes that are proved for a function with this code.
    ///
    /// # Errors
    /// A linker may change more of the function than the address of its constants.
    pub fn together(
        &self,
        function: &Definition,
        index: SectionIndex,
        code: &[u8],
    ) -> Result<Together, EmitError> {
        let name = &function.name;
        let relocations =
            || self.relocations(index, function.value..function.value.saturating_add(code.len() as u64));
        let place = match self.place(name)? {
            Some(place) => place,
            None => match relocations().next() {
                None => return Ok(Together { bytes: code.to_vec(), bounded: true }),
                Some((_, first)) => {
                    let (section, _) = self.target(first).ok_or_else(|| not_final(name))?;
                    (section, None)
                }
            },
        };
        // The offset of each field and its target (symbol plus addend), as linkers compute it.
        let mut targets = BTreeMap::new();
        for (at, relocation) in relocations() {
            let at = at.checked_sub(function.value).and_then(|at| usize::try_from(at).ok());
            let (Some(at), Some((section, target))) = (at, self.target(relocation)) else {
                return Err(not_final(name));
            };
            // A second relocation of a field would add to the result of the first.
            if section != place.0 || targets.insert(at, target).is_some() {
                return Err(not_final(name));
            }
        }
        let data = self.plain_data(&constants_symbol(name), place.0)?;
        let Some(range) = place.1 else {
            let all = 0..data.len() as u64;
            return unbounded(self.dialect, name, code, &targets, all, |range| {
                let written = self.relocations(place.0, range.clone());
                let written = written.map(|(at, relocation)| written_by(self.dialect, at, relocation).start);
                let end = written.min().map_or(range.end, |at| at.clamp(range.start, range.end));
                data.get(range.start as usize..end as usize)
            });
        };
        let wrong = |why: &str| EmitError(format!("the constants `{}` {why}", constants_symbol(name)));
        if !range.start.is_multiple_of(self.dialect.constants_alignment as u64) {
            return Err(wrong(&format!("are not at a multiple of {}", self.dialect.constants_alignment)));
        }
        if range.end - range.start > MOST_CONSTANTS {
            return Err(wrong("are larger than any kernel's"));
        }
        if self.relocations(place.0, range.clone()).next().is_some() {
            return Err(wrong("have relocations, so they are not final"));
        }
        let bytes = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
        let bytes = bytes.and_then(|(start, end)| data.get(start..end));
        let bytes = bytes.ok_or_else(|| wrong("reach out of their section"))?;
        let constants = Constants { address: range.start, bytes };
        let bytes = put_together(self.dialect, name, code, &constants, &targets)?;
        Ok(Together { bytes, bounded: true })
    }

    /// Returns the target of a relocation if it is of the kind that kernels have: a section, and an offset from its
    /// beginning.
    fn target(&self, relocation: &Relocation) -> Option<(SectionIndex, i64)> {
        const KINDS: [u8; 3] = [elf::STT_NOTYPE, elf::STT_OBJECT, elf::STT_SECTION];
        let RelocationTarget::Symbol(symbol) = relocation.target() else { return None };
        let raw = self.object.elf_symbol_table().symbol(symbol).ok()?;
        let symbol = self.object.symbol_by_index(symbol).ok()?;
        let pc32 = RelocationFlags::Elf { r_type: self.dialect.elf.distance };
        let known = relocation.flags() == pc32 && !relocation.has_implicit_addend();
        // The definition of a symbol that is not local may be replaced.
        let plain = symbol.is_local() && is_plain::<elf::FileHeader64<Endianness>>(raw, &KINDS);
        let section = symbol.section_index().filter(|_| known && plain)?;
        Some((section, (symbol.address() as i64).wrapping_add(relocation.addend())))
    }

    /// Finds the constants of a function by their symbol: the section, and the range in it.
    fn place(&self, function: &str) -> Result<Option<ConstantsPlace>, EmitError> {
        let name = constants_symbol(function);
        let wrong = |why: &str| EmitError(format!("the constants `{name}` {why}"));
        let index = match self.constants.get(name.as_str()).map(Vec::as_slice) {
            None => return Ok(None),
            Some([one]) => *one,
            Some(_) => return Err(wrong("are there twice")),
        };
        let symbol = self.object.symbol_by_index(index).map_err(|e| damaged(&name, e))?;
        if !symbol.is_local() {
            return Err(wrong("are not local, so that others may take their place"));
        }
        let index = symbol.section_index().ok_or_else(|| wrong("are in no section"))?;
        let end = symbol.address().checked_add(symbol.size());
        let end = end.ok_or_else(|| wrong("reach out of their section"))?;
        Ok(Some((index, Some(symbol.address()..end))))
    }

    /// Returns the bytes of a section of constants: read-only data, aligned as the dialect requires.
    fn plain_data(&self, name: &str, index: SectionIndex) -> Result<&'f [u8], EmitError> {
        let wrong = |why: &str| EmitError(format!("the constants `{name}` {why}"));
        let header = self.object.elf_section_table().section(index).map_err(|e| damaged(name, e))?;
        check_section(self.object, header, elf::SHF_ALLOC, ".rodata")
            .map_err(|EmitError(why)| wrong(&format!("are not plain read-only data: each {why}")))?;
        let multiple = self.dialect.constants_alignment as u64;
        let align = header.sh_addralign(Endianness::Little);
        if !(align.is_power_of_two() && align >= multiple) {
            return Err(wrong(&format!("are not at a multiple of {multiple}")));
        }
        header.data(Endianness::Little, self.object.data()).map_err(|e| damaged(name, e))
    }
}

/// Joins a function with constants that have no symbol. They begin at the 64-byte line that holds the lowest address
/// used, and may end anywhere behind it. `bytes_of` returns the final bytes of a range within `all`, from its start.
pub(super) fn unbounded<'f>(
    dialect: &Dialect,
    name: &str,
    code: &[u8],
    targets: &BTreeMap<usize, i64>,
    all: Range<u64>,
    bytes_of: impl Fn(Range<u64>) -> Option<&'f [u8]>,
) -> Result<Together, EmitError> {
    let line = dialect.constants_alignment as u64;
    let together = |start: u64| {
        let range = start..all.end.min(start.saturating_add(MOST_UNBOUNDED));
        let bytes = bytes_of(range).ok_or_else(|| not_final(name))?;
        put_together(dialect, name, code, &Constants { address: start, bytes }, targets)
    };
    // A target is relative to the field, not to the end of the instruction, so it lies a little before the constant.
    let lowest = targets.values().min().copied().unwrap_or_default().max(0) as u64;
    let start = (lowest / line * line).max(all.start.next_multiple_of(line));
    let bytes = together(start)?;
    let Addressed { fields, code: end } = (dialect.addressed)(&bytes).map_err(|why| no_kernel(name, &why))?;
    let padded = end.next_multiple_of(dialect.constants_alignment);
    let first = fields.iter().map(|field| field.target).min().and_then(|first| first.checked_sub(padded));
    let skipped = first.ok_or_else(|| not_final(name))? as u64 / line * line;
    let bytes = if skipped == 0 { bytes } else { together(start + skipped)? };
    Ok(Together { bytes, bounded: false })
}

fn damaged(name: &str, e: object::Error) -> EmitError {
    EmitError(format!("`{name}` cannot be read: {e}"))
}

/// Joins code, padding and constants, and sets the fields to the resulting distance.
pub(super) fn put_together(
    dialect: &Dialect,
    name: &str,
    code: &[u8],
    constants: &Constants<'_>,
    targets: &BTreeMap<usize, i64>,
) -> Result<Vec<u8>, EmitError> {
    let mut bytes = code.to_vec();
    bytes.resize(code.len().next_multiple_of(dialect.constants_alignment), dialect.padding);
    let moved = (bytes.len() as i64).wrapping_sub(constants.address as i64);
    bytes.extend_from_slice(constants.bytes);
    for (&at, target) in targets {
        let distance = i32::try_from(target.wrapping_add(moved).wrapping_sub(at as i64));
        let inside = at.checked_add(4).is_some_and(|end| end <= code.len());
        let (Ok(distance), true) = (distance, inside) else { return Err(not_final(name)) };
        bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
    }
    let Addressed { fields, code: end } = (dialect.addressed)(&bytes).map_err(|why| no_kernel(name, &why))?;
    // The constants are in another section; behind the code a linker may place anything.
    if end > code.len() {
        return Err(no_kernel(
            name,
            "execution leaves its code, and would go on in what a linker puts behind it",
        ));
    }
    // The prover takes everything from the cache line behind the last instruction on as constants, so bytes that are
    // not executed are left out.
    let line = dialect.constants_alignment;
    if end.next_multiple_of(line) != code.len().next_multiple_of(line) {
        return put_together(dialect, name, &code[..end], constants, targets);
    }
    // Every address must be written by the linker, and the linker must write nothing else.
    if fields.len() != targets.len() || fields.iter().any(|field| !targets.contains_key(&field.at)) {
        return Err(not_final(name));
    }
    Ok(bytes)
}

fn no_kernel(name: &str, why: &str) -> EmitError {
    EmitError(format!("the function `{name}` is no kernel: {why}"))
}

/// The error for a function with relocations that no kernel has.
pub(crate) fn not_final(symbol: &str) -> EmitError {
    EmitError(format!(
        "the function `{symbol}` has relocations other than of its constants (`{}`), so its bytes are not \
         final: kernels have none",
        constants_symbol(symbol)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Function;
    use crate::objects::{contents, object, of_bytes};
    use object::write;
    use object::{Architecture, BinaryFormat, File, SymbolFlags, SymbolKind, SymbolScope};

    const NAME: &str = "aesmith_aes128_ecb";

    /// mov rax, [rip + 57]; ret; padding; constants.
    fn kernel() -> Vec<u8> {
        let mut bytes = vec![0x48, 0x8b, 0x05, 57, 0, 0, 0, 0xc3];
        bytes.resize(64, 0xcc);
        bytes.extend(0..64u8);
        bytes
    }

    fn function() -> Function {
        of_bytes(NAME, kernel())
    }

    #[test]
    fn constants_stand_in_rodata_and_come_back() {
        let file = object(&[function()]).unwrap();
        assert_eq!(contents(&file).unwrap().functions[0].bytes, Ok(kernel()));
        let read = File::parse(&file[..]).unwrap();
        let text = read.section_by_name(".text").unwrap();
        assert_eq!(text.data().unwrap(), [0x48, 0x8b, 0x05, 0, 0, 0, 0, 0xc3], "code and nothing else");
        assert_eq!(read.section_by_name(".rodata").unwrap().data().unwrap(), &kernel()[64..]);
    }

    /// An object like ours, except for the changes that a test makes.
    struct BuiltKernel {
        code: Vec<u8>,
        section: &'static [u8],
        kind: object::SectionKind,
        at: u64,
        flags: u32,
        addend: i64,
        of_constants: bool,
    }

    fn made(change: impl FnOnce(&mut BuiltKernel)) -> Result<Vec<u8>, EmitError> {
        let mut m = BuiltKernel {
            code: kernel()[..8].to_vec(),
            section: b".rodata",
            kind: object::SectionKind::ReadOnlyData,
            at: 3,
            flags: elf::R_X86_64_PC32,
            addend: -4,
            of_constants: false,
        };
        change(&mut m);
        let mut file = write::Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let text = file.section_id(write::StandardSection::Text);
        let data = file.add_section(vec![], m.section.to_vec(), m.kind);
        let symbol = |name: &str, kind, section| write::Symbol {
            name: name.as_bytes().to_vec(),
            value: 0,
            size: 0,
            kind,
            scope: if kind == SymbolKind::Data { SymbolScope::Compilation } else { SymbolScope::Linkage },
            weak: false,
            section: write::SymbolSection::Section(section),
            flags: SymbolFlags::None,
        };
        let function = file.add_symbol(symbol(NAME, SymbolKind::Text, text));
        let constants = file.add_symbol(symbol(&constants_symbol(NAME), SymbolKind::Data, data));
        file.add_symbol_data(constants, data, &kernel()[64..], 64);
        file.add_symbol_data(function, text, &m.code, 64);
        let flags = RelocationFlags::Elf { r_type: m.flags };
        let relocation = write::Relocation { offset: m.at, symbol: constants, addend: m.addend, flags };
        file.add_relocation(if m.of_constants { data } else { text }, relocation).unwrap();
        contents(&file.write().unwrap())?.functions.remove(0).bytes
    }

    /// A function that a linker may turn into code other than the proved code is refused.
    #[test]
    fn other_relocations_and_other_constants_are_refused() {
        assert_eq!(made(|_| {}), Ok(kernel()));
        let refused = |change: &dyn Fn(&mut BuiltKernel), why: &str| {
            let error = made(change).unwrap_err().0;
            assert!(error.contains(why), "{why}: {error}");
        };
        // An absolute address; the opcode; the last byte of the code and the byte behind it.
        refused(&|m| m.flags = elf::R_X86_64_32S, "relocations");
        refused(&|m| m.at = 1, "relocations");
        refused(&|m| m.at = 5, "relocations");
        // An address past the constants, and an address of the code itself.
        refused(&|m| m.addend = 64, "outside");
        refused(&|m| m.addend = -64 - 4, "read as a constant");
        // A second instruction that addresses them by a distance that no linker changes.
        refused(
            &|m| m.code = vec![0x48, 0x8b, 0x05, 0, 0, 0, 0, 0x48, 0x8b, 0x05, 50, 0, 0, 0, 0xc3],
            "relocations",
        );
        // Constants that are writable, executable, or not final.
        refused(&|m| (m.section, m.kind) = (b".data", object::SectionKind::Data), "plain read-only");
        refused(&|m| (m.section, m.kind) = (b".code", object::SectionKind::Text), "plain read-only");
        refused(&|m| m.of_constants = true, "have relocations");
    }
}
