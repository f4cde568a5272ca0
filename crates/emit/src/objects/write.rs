//! Writes functions to an ELF relocatable object. [`super::contents`] reads it back.

use super::constants_symbol;
use crate::{EmitError, Function};
use object::write::{Object, Relocation, StandardSection, Symbol, SymbolSection};
use object::{BinaryFormat, Endianness, RelocationFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope};

/// Returns an object with these functions in `.text` and the constants of each in `.rodata`. Each address of a constant
/// in an instruction is a relocation; there are no others.
///
/// # Errors
/// The bytes of a function are no kernel.
pub fn object(functions: &[Function]) -> Result<Vec<u8>, EmitError> {
    let Some(first) = functions.first() else { return Err(EmitError("an object needs a function".into())) };
    let dialect = first.machine_code()?.dialect;
    let mut object = Object::new(BinaryFormat::Elf, dialect.elf.architecture, Endianness::Little);
    let text = object.section_id(StandardSection::Text);
    let cannot = |e: object::write::Error| EmitError(format!("the object cannot be written: {e}"));
    for function in functions {
        function.check_promises()?;
        let bytes = &function.machine_code()?.bytes;
        let split = (dialect.split)(bytes).map_err(EmitError)?;
        let has_constants = split.constants < bytes.len();
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
            object.add_symbol_data(name, text, bytes, dialect.alignment);
            continue;
        }
        let data = object.section_id(StandardSection::ReadOnlyData);
        let pool = constants_symbol(&function.symbol);
        let pool = object.add_symbol(symbol(&pool, SymbolKind::Data, SymbolScope::Compilation, data));
        object.add_symbol_data(pool, data, &bytes[split.constants..], dialect.constants_alignment as u64);
        let mut code = bytes[..split.code].to_vec();
        let fields = (dialect.addressed)(bytes).map_err(EmitError)?.fields;
        fields.iter().for_each(|field| code[field.at..field.at + 4].fill(0));
        let start = object.add_symbol_data(name, text, &code, dialect.alignment);
        for field in fields {
            let relocation = Relocation {
                offset: start + field.at as u64,
                symbol: pool,
                addend: (field.target - split.constants) as i64 - (field.end - field.at) as i64,
                flags: RelocationFlags::Elf { r_type: dialect.elf.distance },
            };
            object.add_relocation(text, relocation).map_err(cannot)?;
        }
    }
    // The linker assumes an executable stack if this section is missing.
    object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    let (property, value) = dialect.elf.property;
    object.add_elf_gnu_property_u32(property, value);
    object.write().map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{functions, of_bytes};

    fn function(symbol: &str, bytes: &[u8]) -> Function {
        Function { hidden: symbol.ends_with("b"), ..of_bytes(symbol, bytes.to_vec()) }
    }

    #[test]
    fn what_is_written_is_read() {
        let written = [function("a", &[0x90, 0xc3]), function("b", &[0x90, 0x90, 0xc3])];
        let file = object(&written).unwrap();
        let read = functions(&file).unwrap();
        assert_eq!(read, [("a".into(), vec![0x90, 0xc3]), ("b".into(), vec![0x90, 0x90, 0xc3])]);
    }

    /// Every truncation and every changed byte gives a result or an error, never a panic.
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
