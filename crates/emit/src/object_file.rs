//! ELF relocatable objects: writing functions into one, and reading the functions of any one back.

use crate::listing::Listing;
use crate::{EmitError, Function};
use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, Object as _, ObjectSection, ObjectSymbol, SectionKind,
    SymbolFlags, SymbolKind, SymbolScope, elf,
};

/// Alignment of a function: one cache line, which its constants and loops count on.
pub const ALIGNMENT: u64 = 64;

/// An object with these functions, each with its constants behind it in `.text`; no relocations.
///
/// # Errors
/// A function whose bytes are no kernel.
pub fn object(functions: &[Function]) -> Result<Vec<u8>, EmitError> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let text = object.section_id(StandardSection::Text);
    for function in functions {
        function.check_timing()?;
        Listing::new(&function.bytes)?;
        let scope = if function.hidden { SymbolScope::Linkage } else { SymbolScope::Dynamic };
        let symbol = object.add_symbol(Symbol {
            name: function.symbol.clone().into_bytes(),
            value: 0,
            size: 0,
            kind: SymbolKind::Text,
            scope,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
        object.add_symbol_data(symbol, text, &function.bytes, ALIGNMENT);
    }
    // An executable stack is not needed (the linker assumes it is where this section is missing).
    object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    // Functions begin with endbr64 and only return: see `assembly`.
    let enforced = elf::GNU_PROPERTY_X86_FEATURE_1_IBT | elf::GNU_PROPERTY_X86_FEATURE_1_SHSTK;
    object.add_elf_gnu_property_u32(elf::GNU_PROPERTY_X86_FEATURE_1_AND, enforced);
    object.write().map_err(|e| EmitError(format!("the object cannot be written: {e}")))
}

/// The functions of an object or shared object: global and local symbols of type function with a
/// size, and their bytes as they stand in the file, in file order. Functions under a relocation are
/// left out where their names claim no problem: wrappers in C.
///
/// # Errors
/// A file that is no 64-bit x86 ELF object, or is damaged; a function under a relocation, whose
/// bytes the linker would still change, and whose name claims a problem.
pub fn functions(file: &[u8]) -> Result<Vec<(String, Vec<u8>)>, EmitError> {
    let damaged = |e: object::Error| EmitError(format!("the file is no ELF object, or a damaged one: {e}"));
    let object = object::File::parse(file).map_err(damaged)?;
    if object.format() != BinaryFormat::Elf || object.architecture() != Architecture::X86_64 {
        let (format, architecture) = (object.format(), object.architecture());
        return Err(EmitError(format!(
            "the file is {format:?} for {architecture:?}, and only ELF for x86-64 can be verified"
        )));
    }
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
        let inside = |at: u64| (start as u64..end as u64).contains(&at);
        if section.relocations().any(|(at, _)| inside(at)) {
            if crate::problem_of_symbol(name).is_none() {
                continue;
            }
            return Err(EmitError(format!(
                "the function `{name}` has relocations, so its bytes are not final: kernels have none"
            )));
        }
        found.push((name.to_owned(), data[start..end].to_vec()));
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
