//! Code and constants of a function, which stand apart in a file, put together as the bytes that are
//! proved: the code, padding up to a multiple of a cache line, the constants.
//!
//! A linker decides how far the constants are from the code, and writes it into the instructions that
//! address them. A proof holds at every distance, for it refuses whatever is read at, or computed
//! from, an address of the code itself. So the distance is not part of what is proved, but every
//! address must really be one that the linker writes: this is checked here.

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

/// A section of constants, and their bytes in it where the file says which these are.
type ConstantsPlace = (SectionIndex, Option<Range<u64>>);

/// What the symbol of a function's constants ends with.
const SUFFIX: &str = "_constants";
/// More bytes of constants than any kernel has.
pub(super) const MOST_CONSTANTS: u64 = 4 << 20;
/// As many where their end does not stand in the file: more than those of kernels that programs have.
pub(super) const MOST_UNBOUNDED: u64 = 128 << 10;

/// The local symbol of a function's constants.
pub fn constants_symbol(function: &str) -> String {
    format!("{function}{SUFFIX}")
}

/// The constants of a function in a file.
pub(super) struct Constants<'f> {
    pub address: u64,
    pub bytes: &'f [u8],
}

/// A function as it is proved.
#[derive(Debug, PartialEq, Eq)]
pub struct Together {
    /// Code, padding and constants.
    pub bytes: Vec<u8>,
    /// Whether the file says where the constants end. Where their symbol was stripped, what stands behind them is taken
    /// as well.
    pub bounded: bool,
}

/// An object of which functions are put together with their constants.
pub struct Apart<'o, 'f> {
    dialect: &'static Dialect,
    object: &'o ElfFile64<'f, Endianness>,
    /// Symbols of constants by their names.
    constants: HashMap<&'f str, Vec<SymbolIndex>>,
    /// Relocations of each section by where they are.
    relocations: HashMap<SectionIndex, BTreeMap<u64, Vec<Relocation>>>,
}

/// How far around it a linker may write that relaxes the code at a relocation of a kind that says so.
const RELAXED: u64 = 24;

/// Which bytes of its section a relocation writes: what is not known to write its field alone may
/// write instructions around it.
fn written_by(dialect: &Dialect, at: u64, relocation: &Relocation) -> Range<u64> {
    let RelocationFlags::Elf { r_type } = relocation.flags() else { return 0..u64::MAX };
    match dialect.elf.written.iter().find(|(known, _)| *known == r_type) {
        Some((_, bytes)) => at..at.saturating_add(*bytes),
        None => at.saturating_sub(RELAXED)..at.saturating_add(RELAXED),
    }
}

impl<'o, 'f> Apart<'o, 'f> {
    /// Notes where constants and relocations are.
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

    /// The relocations that write into a range of a section, and where each begins.
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

    /// The bytes that are proved, of a function with this code.
    ///
    /// # Errors
    /// A function whose bytes a linker may change in another way than by where its constants are.
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
        // Where each field stands, and where it leads to, as linkers compute it: symbol and addend.
        let mut targets = BTreeMap::new();
        for (at, relocation) in relocations() {
            let at = at.checked_sub(function.value).and_then(|at| usize::try_from(at).ok());
            let (Some(at), Some((section, target))) = (at, self.target(relocation)) else {
                return Err(not_final(name));
            };
            // A second one of the same field adds to what the first has written.
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

    /// Where a relocation of a field leads to, if it is one that kernels have: a section, and how far behind its begin.
    fn target(&self, relocation: &Relocation) -> Option<(SectionIndex, i64)> {
        const KINDS: [u8; 3] = [elf::STT_NOTYPE, elf::STT_OBJECT, elf::STT_SECTION];
        let RelocationTarget::Symbol(symbol) = relocation.target() else { return None };
        let raw = self.object.elf_symbol_table().symbol(symbol).ok()?;
        let symbol = self.object.symbol_by_index(symbol).ok()?;
        let pc32 = RelocationFlags::Elf { r_type: self.dialect.elf.distance };
        let known = relocation.flags() == pc32 && !relocation.has_implicit_addend();
        // Another definition may take the place of what is not local.
        let plain = symbol.is_local() && is_plain::<elf::FileHeader64<Endianness>>(raw, &KINDS);
        let section = symbol.section_index().filter(|_| known && plain)?;
        Some((section, (symbol.address() as i64).wrapping_add(relocation.addend())))
    }

    /// Where the constants of a function are, if its symbol of constants is there: their section, and their bytes in it.
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

    /// The bytes of a section of constants: read-only data at a multiple of 64.
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

/// A function put together with constants that have no symbol: they begin at the line of 64 bytes that holds the first
/// that is addressed, and may end anywhere behind. `bytes_of` gives those of addresses in `all` that are final, from the
/// first on.
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
    // A target is where a field would be, from which the instruction's rest is still to be gone.
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

/// Code, padding and constants, with the fields as they are at this distance.
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
    // Constants stand in another section: what is behind the code there is whatever a linker puts there.
    if end > code.len() {
        return Err(no_kernel(
            name,
            "execution leaves its code, and would go on in what a linker puts behind it",
        ));
    }
    // The prover takes what stands a line behind the last instruction for constants: bytes that are not executed are left out.
    let line = dialect.constants_alignment;
    if end.next_multiple_of(line) != code.len().next_multiple_of(line) {
        return put_together(dialect, name, &code[..end], constants, targets);
    }
    // Neither an address that no linker writes, nor anything else that it writes.
    if fields.len() != targets.len() || fields.iter().any(|field| !targets.contains_key(&field.at)) {
        return Err(not_final(name));
    }
    Ok(bytes)
}

fn no_kernel(name: &str, why: &str) -> EmitError {
    EmitError(format!("the function `{name}` is no kernel: {why}"))
}

/// Why a function under a relocation is no kernel.
pub fn not_final(symbol: &str) -> EmitError {
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

    /// An object as ours, but for what a test changes of it.
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

    /// Whatever a linker would make of a function that is not what is proved is refused.
    #[test]
    fn other_relocations_and_other_constants_are_refused() {
        assert_eq!(made(|_| {}), Ok(kernel()));
        let refused = |change: &dyn Fn(&mut BuiltKernel), why: &str| {
            let error = made(change).unwrap_err().0;
            assert!(error.contains(why), "{why}: {error}");
        };
        // An absolute address; the opcode; the last byte of the code and what is behind it; before it.
        refused(&|m| m.flags = elf::R_X86_64_32S, "relocations");
        refused(&|m| m.at = 1, "relocations");
        refused(&|m| m.at = 5, "relocations");
        // An address past the constants, and one of the code itself.
        refused(&|m| m.addend = 64, "outside");
        refused(&|m| m.addend = -64 - 4, "read as a constant");
        // A second instruction that addresses them by a distance that no linker changes.
        refused(
            &|m| m.code = vec![0x48, 0x8b, 0x05, 0, 0, 0, 0, 0x48, 0x8b, 0x05, 50, 0, 0, 0, 0xc3],
            "relocations",
        );
        // Constants that the program may write, run, or that are not final.
        refused(&|m| (m.section, m.kind) = (b".data", object::SectionKind::Data), "plain read-only");
        refused(&|m| (m.section, m.kind) = (b".code", object::SectionKind::Text), "plain read-only");
        refused(&|m| m.of_constants = true, "have relocations");
    }
}
