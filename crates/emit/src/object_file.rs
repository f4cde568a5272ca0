//! ELF relocatable objects: writing functions into one, and reading the functions of any one, or of an
//! archive of them, back.

use crate::apart::{Apart, constants_symbol, fields};
use crate::listing::{CONSTANTS_ALIGNMENT, Listing};
use crate::{EmitError, Function};
use object::read::archive::ArchiveFile;
use object::write::{Object, Relocation, StandardSection, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, Object as _, ObjectSection, ObjectSymbol, RelocationFlags,
    SectionKind, SymbolFlags, SymbolKind, SymbolScope, archive, elf,
};

/// Alignment of a function: one cache line, which its constants and loops count on.
pub const ALIGNMENT: u64 = 64;

/// An object with these functions in `.text`, and the constants of each in `.rodata`. Where an
/// instruction addresses a constant is a relocation; there are no others.
///
/// # Errors
/// A function whose bytes are no kernel.
pub fn object(functions: &[Function]) -> Result<Vec<u8>, EmitError> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let text = object.section_id(StandardSection::Text);
    let cannot = |e: object::write::Error| EmitError(format!("the object cannot be written: {e}"));
    for function in functions {
        function.check_promises()?;
        let listing = Listing::new(&function.bytes)?;
        let split = listing.constants_at(&function.bytes)?;
        let has_constants = split < function.bytes.len();
        let scope = if function.hidden { SymbolScope::Linkage } else { SymbolScope::Dynamic };
        let symbol = |name: &str, kind, scope, section| Symbol {
            name: name.as_bytes().to_vec(),
            value: 0,
            size: 0,
            kind,
            scope,
            weak: false,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        };
        let name = object.add_symbol(symbol(&function.symbol, SymbolKind::Text, scope, text));
        if !has_constants {
            object.add_symbol_data(name, text, &function.bytes, ALIGNMENT);
            continue;
        }
        let data = object.section_id(StandardSection::ReadOnlyData);
        let pool = constants_symbol(&function.symbol);
        let pool = object.add_symbol(symbol(&pool, SymbolKind::Data, SymbolScope::Compilation, data));
        object.add_symbol_data(pool, data, &function.bytes[split..], CONSTANTS_ALIGNMENT as u64);
        let mut code = function.bytes[..listing.code_end()].to_vec();
        let fields = fields(&function.bytes, &listing);
        fields.iter().for_each(|field| code[field.at..field.at + 4].fill(0));
        let start = object.add_symbol_data(name, text, &code, ALIGNMENT);
        for field in fields {
            let relocation = Relocation {
                offset: start + field.at as u64,
                symbol: pool,
                addend: (field.target - split) as i64 - (field.end - field.at) as i64,
                flags: RelocationFlags::Elf { r_type: elf::R_X86_64_PC32 },
            };
            object.add_relocation(text, relocation).map_err(cannot)?;
        }
    }
    // An executable stack is not needed (the linker assumes it is where this section is missing).
    object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    // Functions begin with endbr64 and only return: see `assembly`.
    let enforced = elf::GNU_PROPERTY_X86_FEATURE_1_IBT | elf::GNU_PROPERTY_X86_FEATURE_1_SHSTK;
    object.add_elf_gnu_property_u32(elf::GNU_PROPERTY_X86_FEATURE_1_AND, enforced);
    object.write().map_err(cannot)
}

/// A function in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The member of an archive that it is in.
    pub member: Option<String>,
    /// Its symbol.
    pub symbol: String,
    /// Its bytes as they are proved: code and constants, put together where they stand apart. Or why
    /// the linker may still change them otherwise than by that.
    pub bytes: Result<Vec<u8>, EmitError>,
}

/// The functions of an object, shared object or archive: global and local symbols of type function
/// with a size, in file order. Those under a relocation are there only where their names claim a
/// problem: others are C around kernels.
///
/// # Errors
/// A file that is no 64-bit x86 ELF object and no archive of such, or is damaged.
pub fn contents(file: &[u8]) -> Result<Vec<Found>, EmitError> {
    if !file.starts_with(&archive::MAGIC) && !file.starts_with(&archive::THIN_MAGIC) {
        return of_object(file, None);
    }
    let damaged = |e: object::Error| EmitError(format!("the file is a damaged archive: {e}"));
    let all = ArchiveFile::parse(file).map_err(damaged)?;
    if all.is_thin() {
        return Err(EmitError(
            "the file is a thin archive, which only names its objects: give those, or make it without `T`"
                .into(),
        ));
    }
    let mut found = Vec::new();
    for member in all.members() {
        let member = member.map_err(damaged)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let data = member.data(file).map_err(damaged)?;
        let functions = of_object(data, Some(&name));
        found.extend(functions.map_err(|EmitError(e)| EmitError(format!("its member {name}: {e}")))?);
    }
    Ok(found)
}

/// The functions of a file with final bytes: see [`contents`].
///
/// # Errors
/// As [`contents`]; a function under a relocation whose name claims a problem.
pub fn functions(file: &[u8]) -> Result<Vec<(String, Vec<u8>)>, EmitError> {
    contents(file)?.into_iter().map(|found| Ok((found.symbol, found.bytes?))).collect()
}

/// The functions of one object.
fn of_object(file: &[u8], member: Option<&str>) -> Result<Vec<Found>, EmitError> {
    let damaged = |e: object::Error| EmitError(format!("the file is no ELF object, or a damaged one: {e}"));
    let object = object::File::parse(file).map_err(damaged)?;
    if object.format() != BinaryFormat::Elf || object.architecture() != Architecture::X86_64 {
        let (format, architecture) = (object.format(), object.architecture());
        return Err(EmitError(format!(
            "the file is {format:?} for {architecture:?}, and only ELF for x86-64 can be verified"
        )));
    }
    let apart = Apart::new(&object);
    let mut found = Vec::new();
    for symbol in object.symbols().filter(|s| s.kind() == SymbolKind::Text && s.size() > 0) {
        let name = symbol.name().map_err(damaged)?;
        let Some(index) = symbol.section_index() else { continue };
        let section = object.section_by_index(index).map_err(damaged)?;
        let start = symbol.address().checked_sub(section.address());
        let bytes = start.and_then(|start| {
            let start = usize::try_from(start).ok()?;
            let end = start.checked_add(usize::try_from(symbol.size()).ok()?)?;
            Some((start, end))
        });
        let data = section.data().map_err(damaged)?;
        let Some((start, end)) = bytes.filter(|&(_, end)| end <= data.len()) else {
            return Err(EmitError(format!("the function `{name}` reaches out of its section")));
        };
        let bytes = apart.together(name, &symbol, &data[start..end]);
        if bytes.is_ok() || crate::problem_of_symbol(name).is_some() {
            found.push(Found { member: member.map(str::to_owned), symbol: name.to_owned(), bytes });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::Problem;

    fn function(symbol: &str, bytes: &[u8]) -> Function {
        Function {
            symbol: symbol.into(),
            hidden: symbol.ends_with("b"),
            problem: "aes128-ecb".parse::<Problem>().unwrap(),
            bytes: bytes.to_vec(),
            places: vec![],
            variant: String::new(),
            technique: String::new(),
            certificate: None,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let written = [function("a", &[0x90, 0xc3]), function("b", &[0x90, 0x90, 0xc3])];
        let file = object(&written).unwrap();
        let read = functions(&file).unwrap();
        assert_eq!(read, [("a".into(), vec![0x90, 0xc3]), ("b".into(), vec![0x90, 0x90, 0xc3])]);
    }

    /// Every truncation and every changed byte is an answer or an error, never a panic.
    #[test]
    fn damaged_files_do_not_panic() {
        let file = object(&[function("a", &[0x90, 0xc3])]).unwrap();
        for length in 0..file.len() {
            let _ = functions(&file[..length]);
        }
        let mut refused = 0;
        for at in 0..file.len() {
            for value in [0x00, 0x01, 0x7f, 0x80, 0xff] {
                let mut changed = file.clone();
                changed[at] = value;
                refused += usize::from(functions(&changed).is_err());
            }
        }
        assert!(refused > 0);
        assert!(functions(b"no object").unwrap_err().0.contains("no ELF"));
    }
}
