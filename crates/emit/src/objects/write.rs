//! ELF relocatable objects: writing functions into one. They are read back by [`super::contents`].

use super::apart::{constants_symbol, fields};
use crate::listing::{CONSTANTS_ALIGNMENT, Listing};
use crate::{EmitError, Function};
use object::write::{Object, Relocation, StandardSection, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionKind, SymbolFlags, SymbolKind,
    SymbolScope, elf,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::functions;
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
