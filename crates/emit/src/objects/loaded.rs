//! What the loader makes of a linked file: it reads program headers, never sections. Bytes are taken
//! from the segments, and only where nothing but these bytes can come to stand there.

use crate::EmitError;
use object::elf::{self, FileHeader64};
use object::read::elf::{
    Dyn, ElfFile, ElfFile64, FileHeader, GnuHashTable, HashTable, ProgramHeader, SectionHeader,
};
use object::{Endianness, SectionIndex};
use std::ops::Range;

/// Segments are mapped by pages of at least so many bytes.
const PAGE: u64 = 4096;

/// A part of the file that the loader maps.
struct Segment {
    /// Where it is mapped, without what is zeros.
    addresses: Range<u64>,
    /// The same by whole pages, zeros included.
    pages: Range<u64>,
    /// Where its bytes stand in the file.
    offset: u64,
    flags: u32,
}

/// A linked file as it is mapped.
pub struct Loaded<'f> {
    file: &'f [u8],
    segments: Vec<Segment>,
}

/// Whole pages around a range.
fn pages(range: &Range<u64>) -> Range<u64> {
    range.start / PAGE * PAGE..range.end.div_ceil(PAGE).saturating_mul(PAGE)
}

fn wrong(why: impl Into<String>) -> EmitError {
    EmitError(why.into())
}

impl<'f> Loaded<'f> {
    /// The segments of a linked file.
    ///
    /// # Errors
    /// Relocations of code; dynamic symbols that are not those of the sections.
    pub fn new(elf: &ElfFile64<'f, Endianness>) -> Result<Loaded<'f>, EmitError> {
        let endian = elf.endian();
        let mut segments = Vec::new();
        for header in elf.elf_program_headers().iter().filter(|h| h.p_type(endian) == elf::PT_LOAD) {
            let (start, offset) = (header.p_vaddr(endian), header.p_offset(endian));
            let ends =
                start.checked_add(header.p_filesz(endian)).zip(start.checked_add(header.p_memsz(endian)));
            let inside =
                offset.checked_add(header.p_filesz(endian)).is_some_and(|e| e <= elf.data().len() as u64);
            let Some((end, last)) = ends.filter(|_| inside) else {
                return Err(wrong("a segment reaches out of the file"));
            };
            let whole = pages(&(start..last.max(end)));
            segments.push(Segment {
                addresses: start..end,
                pages: whole,
                offset,
                flags: header.p_flags(endian),
            });
        }
        let loaded = Loaded { file: elf.data(), segments };
        loaded.check_dynamic(elf)?;
        Ok(loaded)
    }

    /// The bytes at an address, which one segment alone puts there.
    fn mapped(&self, range: &Range<u64>) -> Option<(&Segment, &'f [u8])> {
        let whole = pages(range);
        let mut there =
            self.segments.iter().filter(|s| s.pages.start < whole.end && whole.start < s.pages.end);
        let (segment, None) = (there.next()?, there.next()) else { return None };
        let inside = segment.addresses.start <= range.start && range.end <= segment.addresses.end;
        let start = segment.offset.checked_add(range.start.checked_sub(segment.addresses.start)?)?;
        let end = start.checked_add(range.end.checked_sub(range.start)?)?;
        let bytes = self.file.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
        inside.then_some((segment, bytes))
    }

    /// The bytes of a function or its constants, which nothing writes.
    ///
    /// # Errors
    /// Bytes that may be otherwise in memory.
    pub fn bytes(&self, name: &str, range: Range<u64>, executed: bool) -> Result<&'f [u8], EmitError> {
        let Some((segment, bytes)) = self.mapped(&range) else {
            return Err(wrong(format!(
                "`{name}` is not in one segment alone, so its bytes in memory may be others"
            )));
        };
        if segment.flags & elf::PF_W != 0 {
            return Err(wrong(format!("`{name}` is in a segment that may be written")));
        }
        let needed = elf::PF_R | if executed { elf::PF_X } else { 0 };
        if segment.flags & needed != needed {
            return Err(wrong(format!(
                "`{name}` is in a segment that may not be {}",
                if executed { "run" } else { "read" }
            )));
        }
        Ok(bytes)
    }

    /// Everything that is mapped behind an address in its segment.
    fn rest(&self, address: u64) -> Option<&'f [u8]> {
        let segment = self.segments.iter().find(|s| s.addresses.contains(&address))?;
        self.mapped(&(address..segment.addresses.end)).map(|(_, bytes)| bytes)
    }

    /// Holds what the dynamic linker reads against what was read of sections.
    fn check_dynamic(&self, elf: &ElfFile64<'f, Endianness>) -> Result<(), EmitError> {
        let endian = elf.endian();
        let Some(header) = elf.elf_program_headers().iter().find(|h| h.p_type(endian) == elf::PT_DYNAMIC)
        else {
            return Ok(());
        };
        let bytes = self.rest(header.p_vaddr(endian)).unwrap_or_default();
        let (entries, _) = object::pod::slice_from_bytes::<elf::Dyn64<Endianness>>(bytes, bytes.len() / 16)
            .map_err(|()| wrong("the dynamic section cannot be read"))?;
        let mut tables = [None; 4];
        for entry in entries {
            let (tag, value) = (entry.d_tag(endian), entry.d_val(endian));
            match u32::try_from(tag).unwrap_or(0) {
                elf::DT_NULL if tag == 0 => break,
                elf::DT_TEXTREL => return Err(text_relocations()),
                elf::DT_FLAGS if value & u64::from(elf::DF_TEXTREL) != 0 => return Err(text_relocations()),
                elf::DT_SYMTAB => tables[0] = Some(value),
                elf::DT_STRTAB => tables[1] = Some(value),
                elf::DT_HASH => tables[2] = Some(value),
                elf::DT_GNU_HASH => tables[3] = Some(value),
                _ => {}
            }
        }
        let [symbols, names, hash, gnu_hash] = tables;
        let table = elf.elf_dynamic_symbol_table();
        let others = || {
            wrong(
                "the dynamic symbols that the loader finds are not those of the section .dynsym, or may be written",
            )
        };
        for (address, index) in [(symbols, table.section()), (names, table.string_section())] {
            if address != self.address(elf, index).map_err(|_| others())? {
                return Err(others());
            }
        }
        let count = table.len();
        let counted = [
            hash.map(|at| {
                Some(HashTable::<FileHeader64<_>>::parse(endian, self.rest(at)?).ok()?.symbol_table_length())
            }),
            gnu_hash.map(|at| gnu_hash_length(self.rest(at)?, endian)),
        ];
        match counted.into_iter().flatten().all(|found| found.is_some_and(|found| found as usize <= count)) {
            true => Ok(()),
            false => Err(others()),
        }
    }

    /// Where a section is mapped, whose bytes are those that the loader maps there; none for section 0.
    fn address(&self, elf: &ElfFile64<'f, Endianness>, index: SectionIndex) -> object::Result<Option<u64>> {
        if index.0 == 0 {
            return Ok(None);
        }
        let section = elf.elf_section_table().section(index)?;
        let data = section.data(elf.endian(), elf.data())?;
        let address = section.sh_addr(elf.endian());
        let same = address
            .checked_add(data.len() as u64)
            .and_then(|end| self.mapped(&(address..end)))
            .is_some_and(|(segment, bytes)| segment.flags & elf::PF_W == 0 && bytes == data);
        Ok(same.then_some(address))
    }
}

/// How many symbols a table has by its hash table, none where that is none.
fn gnu_hash_length(data: &[u8], endian: Endianness) -> Option<u32> {
    let hash = GnuHashTable::<FileHeader64<Endianness>>::parse(endian, data).ok()?;
    let word = |at: usize| Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?) as usize);
    let (buckets, blooms) = (word(0)?, word(8)?);
    let first = 16 + 8 * blooms;
    // No symbol at all can be found by it.
    if data.get(first..first + 4 * buckets)?.iter().all(|byte| *byte == 0) {
        return Some(0);
    }
    hash.symbol_table_length(endian)
}

fn text_relocations() -> EmitError {
    wrong("the file has text relocations (DT_TEXTREL): the loader changes code before it runs")
}

/// Whether a file is relocatable: what a linker reads, as opposed to what is loaded.
pub fn is_relocatable<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
) -> Result<bool, EmitError> {
    match elf.elf_header().e_type(elf.endian()) {
        elf::ET_REL => Ok(true),
        elf::ET_DYN | elf::ET_EXEC => Ok(false),
        other => Err(wrong(format!("the file is neither an object nor linked (ELF type {other})"))),
    }
}
