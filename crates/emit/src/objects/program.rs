//! ELF files that no build takes functions from: programs, and the debug data that was split off another file.

use super::contents::kind_of;
use super::dynamic::Dynamic;
use super::loaded::Loaded;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, Object, ObjectSymbol, elf};

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
    // Of machines that are not read as loaders do, the sections alone tell.
    let loaded = kind_of(file).ok().map(|(dialect, _)| Loaded::new(dialect, file, |_| false));
    let is_loaded = |dynamic: Option<Dynamic>| {
        dynamic.is_some_and(|dynamic| dynamic.defined.iter().any(|symbol| symbol.name.contains(OURS)))
    };
    read.dynamic_symbols()
        .any(|symbol| !symbol.is_undefined() && symbol.name().is_ok_and(|name| name.contains(OURS)))
        || loaded.is_some_and(|loaded| loaded.map_or(true, |loaded| is_loaded(loaded.dynamic)))
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
        if is(elf::SHF_ALLOC) && ![elf::SHT_NOBITS, elf::SHT_NOTE].contains(&kind) {
            return Some(false);
        }
        has |= is(elf::SHF_EXECINSTR) && kind == elf::SHT_NOBITS;
    }
    for program in header.program_headers(endian, file).ok()? {
        let in_file: u64 = program.p_filesz(endian).into();
        let runs = program.p_flags(endian) & elf::PF_X != 0;
        if program.p_type(endian) == elf::PT_LOAD && runs && in_file > 0 {
            return Some(false);
        }
    }
    Some(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The headers of a file of this type with one program header.
    fn file(kind: u8, program: u8) -> Vec<u8> {
        let mut elf = vec![0; 120];
        elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        (elf[16], elf[20], elf[32], elf[52], elf[54], elf[56], elf[64]) = (kind, 1, 64, 64, 56, 1, program);
        elf
    }

    #[test]
    fn programs_are_no_libraries() {
        let (load, interpreter) = (1, 3);
        assert!(is_program(&file(2, load)));
        assert!(!is_program(&file(3, load)), "a shared object");
        assert!(is_program(&file(3, interpreter)));
        assert!(!is_program(&file(1, interpreter)), "an object");
        assert!(!is_program(b"\x7fELF"));
    }

    #[test]
    fn a_library_is_no_debug_data() {
        assert!(!is_debug_data(&file(3, 1)), "no section says that its code is elsewhere");
        assert!(!is_debug_data(b"\x7fELF"));
    }
}
