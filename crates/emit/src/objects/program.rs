//! ELF files that no build takes functions from: programs, and the debug data that was split off another file.

use super::contents::kind_of;
use super::dynamic::Dynamic;
use super::loaded::Loaded;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SectionKind, elf};

/// The bytes of the smallest pages.
const PAGE: u64 = 4096;
/// A part of every name in a package.
const OURS: &str = "aes";

/// True for an ELF program, or for a dump of its memory. Programs of fixed addresses are never linked to others. A program
/// that can be placed anywhere differs from a library only by its marks (an interpreter, `DF_1_PIE`), which some linkers and
/// loaders overlook: it counts as a library if it exports a name of AES.
pub fn is_program(file: &[u8]) -> bool {
    match object::FileKind::parse(file) {
        Ok(object::FileKind::Elf32) => is_marked::<elf::FileHeader32<Endianness>>(file),
        Ok(object::FileKind::Elf64) => is_marked::<elf::FileHeader64<Endianness>>(file),
        _ => None,
    }
    .is_some_and(|mark| mark == Mark::Fixed || mark == Mark::Placed && !exports(file))
}

/// True for debug data that was split off a linked file: none of its code is in the file.
pub fn is_debug_data(file: &[u8]) -> bool {
    match object::FileKind::parse(file) {
        Ok(object::FileKind::Elf32) => has_no_code::<elf::FileHeader32<Endianness>>(file),
        Ok(object::FileKind::Elf64) => has_no_code::<elf::FileHeader64<Endianness>>(file),
        _ => None,
    }
    .unwrap_or(false)
}

#[derive(PartialEq, Eq)]
enum Mark {
    /// A program at fixed addresses, or its memory.
    Fixed,
    /// A program for any address.
    Placed,
    /// None.
    Other,
}

/// The kind of program that a file is by its headers; `None` if these cannot be read.
fn is_marked<H: FileHeader<Endian = Endianness>>(file: &[u8]) -> Option<Mark> {
    let header = H::parse(file).ok()?;
    let endian = header.endian().ok()?;
    if [elf::ET_EXEC, elf::ET_CORE].contains(&header.e_type(endian)) {
        return Some(Mark::Fixed);
    }
    if header.e_type(endian) != elf::ET_DYN {
        return Some(Mark::Other);
    }
    for program in header.program_headers(endian, file).ok()? {
        let entries = program.dynamic(endian, file).ok()?.unwrap_or_default();
        let is_pie = |entry: &H::Dyn| {
            let flags: u64 = entry.d_val(endian).into();
            let tag: u64 = entry.d_tag(endian).into();
            tag == u64::from(elf::DT_FLAGS_1) && flags & u64::from(elf::DF_1_PIE) != 0
        };
        if program.p_type(endian) == elf::PT_INTERP || entries.iter().any(is_pie) {
            return Some(Mark::Placed);
        }
    }
    Some(Mark::Other)
}

/// True if a linker, which reads sections, or a loader, which does not, may find a name of AES in a linked file.
fn exports(file: &[u8]) -> bool {
    let Ok(read) = object::File::parse(file) else { return true };
    let is_loaded = |dynamic: Option<Dynamic>| {
        dynamic.is_some_and(|dynamic| dynamic.defined.iter().any(|symbol| symbol.name.contains(OURS)))
    };
    let is_found = match kind_of(file) {
        Ok((dialect, _)) => {
            Loaded::new(dialect, file, |_| false).map_or(true, |loaded| is_loaded(loaded.dynamic))
        }
        // Files for other machines are not read as loaders do: if they have no sections, nothing tells what they export.
        Err(_) => read.sections().all(|section| section.kind() == SectionKind::Metadata),
    };
    let is_ours = |name: object::Result<&str>| name.is_ok_and(|name| name.contains(OURS));
    is_found || read.dynamic_symbols().any(|symbol| !symbol.is_undefined() && is_ours(symbol.name()))
}

fn has_no_code<H: FileHeader<Endian = Endianness>>(file: &[u8]) -> Option<bool> {
    let header = H::parse(file).ok()?;
    let endian = header.endian().ok()?;
    if ![elf::ET_EXEC, elf::ET_DYN].contains(&header.e_type(endian)) {
        return Some(false);
    }
    let mut has = false;
    for section in header.section_headers(endian, file).ok()? {
        let flags: u64 = section.sh_flags(endian).into();
        let is = |flag: u32| flags & u64::from(flag) != 0;
        let kind = section.sh_type(endian);
        // Loaders find names without sections: those that say what is loaded need not tell the truth.
        let is_here = is(elf::SHF_ALLOC) && ![elf::SHT_NOBITS, elf::SHT_NOTE].contains(&kind);
        if is_here || [elf::SHT_DYNSYM, elf::SHT_DYNAMIC].contains(&kind) {
            return Some(false);
        }
        has |= is(elf::SHF_EXECINSTR) && kind == elf::SHT_NOBITS;
    }
    for program in header.program_headers(endian, file).ok()? {
        let in_file: u64 = program.p_filesz(endian).into();
        let runs = program.p_flags(endian) & elf::PF_X != 0;
        let address: u64 = program.p_vaddr(endian).into();
        let kind = program.p_type(endian);
        // Loaders map whole pages, so that code that is not at the beginning of one has bytes of the file before it.
        let is_mapped = kind == elf::PT_LOAD && runs && (in_file > 0 || !address.is_multiple_of(PAGE));
        if is_mapped || kind == elf::PT_DYNAMIC && in_file > 0 {
            return Some(false);
        }
    }
    Some(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A segment: its type, its flags, and its bytes.
    type Segment<'b> = (u32, u32, &'b [u8]);

    /// A file of this type for this machine, with segments, and with sections of these types and flags.
    fn made(kind: u16, machine: u16, segments: &[Segment], sections: &[(u32, u32)]) -> Vec<u8> {
        // Numbers, each with its size in bytes.
        let put = |elf: &mut Vec<u8>, fields: &[(u64, usize)]| {
            fields.iter().for_each(|(n, bytes)| elf.extend(&n.to_le_bytes()[..*bytes]));
        };
        let mut at = 64 + 56 * segments.len() as u64;
        let end = at + segments.iter().map(|(.., bytes)| bytes.len() as u64).sum::<u64>();
        // The first section stands for none, and the last has the names, which are empty.
        let (first, count) = if sections.is_empty() { (0, 0) } else { (end, sections.len() as u64 + 2) };
        let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
        elf.resize(16, 0);
        put(&mut elf, &[(kind.into(), 2), (machine.into(), 2), (1, 4), (0, 8), (64, 8), (first, 8), (0, 4)]);
        let names = count.saturating_sub(1);
        put(&mut elf, &[(64, 2), (56, 2), (segments.len() as u64, 2), (64, 2), (count, 2), (names, 2)]);
        for (kind, flags, bytes) in segments {
            let size = bytes.len() as u64;
            // What has no bytes is at the beginning of memory.
            let address = if size > 0 { at } else { 0 };
            put(&mut elf, &[((*kind).into(), 4), ((*flags).into(), 4), (at, 8), (address, 8), (at, 8)]);
            put(&mut elf, &[(size, 8), (size, 8), (1, 8)]);
            at += size;
        }
        segments.iter().for_each(|(.., bytes)| elf.extend(*bytes));
        if count > 0 {
            elf.resize(elf.len() + 64, 0);
        }
        for (kind, flags) in sections.iter().chain([&(elf::SHT_STRTAB, 0)]).take(names as usize) {
            put(&mut elf, &[(0, 4), ((*kind).into(), 4), ((*flags).into(), 8)]);
            elf.resize(elf.len() + 48, 0);
        }
        elf
    }

    /// A dynamic section with one entry.
    fn entry(tag: u32, value: u32) -> Vec<u8> {
        [tag, 0, value, 0, 0, 0, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A section without symbols.
    const NOTE: (u32, u32) = (elf::SHT_NOTE, elf::SHF_ALLOC);

    /// A file of this type with a segment of this type.
    fn file(kind: u16, segment: u32) -> Vec<u8> {
        made(kind, 0, &[(segment, 0, &[])], &[NOTE])
    }

    #[test]
    fn programs_are_no_libraries() {
        assert!(is_program(&file(elf::ET_EXEC, elf::PT_LOAD)));
        assert!(is_program(&file(elf::ET_CORE, elf::PT_LOAD)));
        assert!(!is_program(&file(elf::ET_DYN, elf::PT_LOAD)), "a shared object");
        assert!(is_program(&file(elf::ET_DYN, elf::PT_INTERP)));
        assert!(!is_program(&file(elf::ET_REL, elf::PT_INTERP)), "an object");
        assert!(!is_program(b"\x7fELF"));
    }

    /// One of the flags of a dynamic section is the mark of a program.
    #[test]
    fn flags_of_libraries_are_no_marks() {
        let with = |tag: u32, value: u32| {
            is_program(&made(elf::ET_DYN, 0, &[(elf::PT_DYNAMIC, 0, &entry(tag, value))], &[NOTE]))
        };
        assert!(with(elf::DT_FLAGS_1, elf::DF_1_PIE) && with(elf::DT_FLAGS_1, elf::DF_1_PIE | elf::DF_1_NOW));
        assert!(!with(elf::DT_FLAGS_1, 0) && !with(elf::DT_FLAGS_1, elf::DF_1_NOW | elf::DF_1_NODELETE));
        assert!(!with(elf::DT_FLAGS, elf::DF_1_PIE), "other flags");
    }

    /// A program may export anything if its names cannot be read.
    #[test]
    fn a_program_whose_names_cannot_be_read_is_a_library() {
        let twice = [(elf::PT_INTERP, 0, &[][..]), (elf::PT_DYNAMIC, 0, &[]), (elf::PT_DYNAMIC, 0, &[])];
        let of =
            |machine: u16, sections: &[(u32, u32)]| is_program(&made(elf::ET_DYN, machine, &twice, sections));
        assert!(of(0, &[NOTE]) && !of(elf::EM_X86_64, &[NOTE]));
        assert!(!of(0, &[]), "nothing tells what a file for another machine exports");
    }

    #[test]
    fn a_library_is_no_debug_data() {
        assert!(
            !is_debug_data(&file(elf::ET_DYN, elf::PT_LOAD)),
            "no section says that its code is elsewhere"
        );
        assert!(!is_debug_data(b"\x7fELF"));
        let code = (elf::SHT_NOBITS, elf::SHF_ALLOC | elf::SHF_EXECINSTR);
        let (note, zeros) = (NOTE, (elf::SHT_NOBITS, elf::SHF_ALLOC));
        let runs = elf::PF_R | elf::PF_X;
        let of = |kind: u16, segments: &[Segment], sections: &[(u32, u32)]| {
            is_debug_data(&made(kind, 0, segments, sections))
        };
        for kind in [elf::ET_EXEC, elf::ET_DYN] {
            assert!(of(kind, &[(elf::PT_LOAD, runs, &[])], &[note, code, zeros]));
            assert!(of(kind, &[(elf::PT_LOAD, elf::PF_R, b"note")], &[note, code]));
            assert!(!of(kind, &[(elf::PT_LOAD, runs, b"code")], &[note, code]), "the loader maps code");
            assert!(!of(kind, &[], &[note, zeros]), "no code is elsewhere");
            assert!(!of(kind, &[], &[code, (elf::SHT_PROGBITS, elf::SHF_ALLOC)]), "data is here");
            assert!(!of(kind, &[], &[code, (elf::SHT_DYNSYM, 0)]), "the loader reads names without sections");
            assert!(!of(kind, &[], &[code, (elf::SHT_DYNAMIC, 0)]));
            assert!(of(kind, &[(elf::PT_DYNAMIC, elf::PF_R, b"")], &[code]), "the loader finds no names");
            assert!(!of(kind, &[(elf::PT_DYNAMIC, elf::PF_R, b"names")], &[code]));
            let mut within = made(kind, 0, &[(elf::PT_LOAD, runs, &[])], &[code]);
            assert!(is_debug_data(&within));
            within[64 + 17] = 1;
            assert!(!is_debug_data(&within), "the loader maps the whole page");
            let mut mapped = made(kind, 0, &[(elf::PT_LOAD, runs, b"code")], &[code]);
            mapped[64 + 16..64 + 24].copy_from_slice(&4096u64.to_le_bytes());
            assert!(!is_debug_data(&mapped), "the loader maps code at the beginning of a page");
        }
        assert!(!of(elf::ET_REL, &[], &[note, code]), "an object");
    }
}
