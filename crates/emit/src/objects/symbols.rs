//! The symbols of a file that a linker or a loader can bind a call to, and why one of them is no
//! symbol of a kernel. What is not known to be harmless is refused.

use crate::EmitError;
use crate::objects::loaded::is_relocatable;
use object::read::elf::{ElfFile, FileHeader, SectionHeader, Sym, SymbolTable};
use object::{Endianness, SectionIndex, elf};
use std::collections::{BTreeSet, HashSet};

/// Longer names than compilers write.
const LONGEST_NAME: usize = 64 << 10;

/// A symbol that stands for something in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Definition {
    /// Its name without a version.
    pub name: String,
    /// Whether its name has a version.
    pub versioned: bool,
    /// In an object, from the beginning of its section; else its address.
    pub value: u64,
    /// How many bytes it has.
    pub size: u64,
    /// `STT_FUNC` and others.
    pub kind: u8,
    /// `STB_GLOBAL` and others.
    pub binding: u8,
    /// Where it is, if that is a section.
    pub section: Option<SectionIndex>,
}

impl Definition {
    /// Whether calls from other objects or files can be bound to it.
    pub fn is_global(&self) -> bool {
        self.binding != elf::STB_LOCAL
    }
}

/// All that a file defines, and the names that it wants of others.
#[derive(Debug, Default)]
pub struct Symbols {
    /// What stands in the file.
    pub defined: Vec<Definition>,
    /// Names that claim a problem and are defined elsewhere.
    pub undefined: BTreeSet<String>,
}

/// Reads every table of symbols: linkers read one, loaders the other. Of names that are defined
/// elsewhere, those that claim a problem.
///
/// # Errors
/// Tables that are damaged.
pub fn symbols<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
    claims: impl Fn(&str) -> bool,
) -> Result<Symbols, EmitError> {
    let mut found = Symbols::default();
    for table in [elf.elf_symbol_table(), elf.elf_dynamic_symbol_table()] {
        add(table, elf.endian(), &claims, &mut found)?;
    }
    Ok(found)
}

fn add<Elf: FileHeader<Endian = Endianness>>(
    table: &SymbolTable<'_, Elf>,
    endian: Endianness,
    claims: &impl Fn(&str) -> bool,
    found: &mut Symbols,
) -> Result<(), EmitError> {
    // What is exported stands in both tables, in one of them with its version.
    let essence = |d: &Definition| Definition { versioned: false, ..d.clone() };
    let known: HashSet<Definition> = found.defined.iter().map(essence).collect();
    for (index, symbol) in table.enumerate() {
        let name = table.symbol_name(endian, symbol).map_err(damaged)?;
        if name.len() > LONGEST_NAME {
            return Err(EmitError(format!("the name of a symbol is longer than {LONGEST_NAME} bytes")));
        }
        let name = String::from_utf8_lossy(name).into_owned();
        let kind = symbol.st_type();
        // What names a file or a section is bound to nothing.
        if name.is_empty() || [elf::STT_FILE, elf::STT_SECTION].contains(&kind) {
            continue;
        }
        let versioned = name.contains('@');
        let name = name.split('@').next().unwrap_or_default().to_owned();
        if symbol.st_shndx(endian) == elf::SHN_UNDEF {
            if claims(&name) {
                found.undefined.insert(name);
            }
            continue;
        }
        let definition = Definition {
            name,
            versioned,
            value: symbol.st_value(endian).into(),
            size: symbol.st_size(endian).into(),
            kind,
            binding: symbol.st_bind(),
            section: table.symbol_section(endian, symbol, index).map_err(damaged)?,
        };
        if known.contains(&essence(&definition)) {
            continue;
        }
        found.defined.push(definition);
    }
    Ok(())
}

fn damaged(e: object::Error) -> EmitError {
    EmitError(format!("the file is no ELF object, or a damaged one: {e}"))
}

/// Kinds of sections that objects of any machine have and that change no other section.
const PLAIN: &[u32] = &[
    elf::SHT_NULL,
    elf::SHT_PROGBITS,
    elf::SHT_SYMTAB,
    elf::SHT_STRTAB,
    elf::SHT_RELA,
    elf::SHT_NOBITS,
    elf::SHT_NOTE,
    elf::SHT_INIT_ARRAY,
    elf::SHT_FINI_ARRAY,
    elf::SHT_PREINIT_ARRAY,
    elf::SHT_GROUP,
    elf::SHT_SYMTAB_SHNDX,
    // Of LLVM: which addresses matter, and which functions call which.
    0x6fff_4c03,
    0x6fff_4c09,
];

/// Holds what is assumed of an object as a whole against it: that every relocation is seen, and that
/// what is linked is its code and not what a compiler would make of it anew.
///
/// `more` are the kinds of sections that objects of the machine have besides those of all.
///
/// # Errors
/// What linkers may change, in a sentence.
pub fn check_object<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
    more: &[u32],
) -> Result<(), EmitError> {
    let (endian, wrong) = (elf.endian(), |why: String| Err(EmitError(why)));
    if !is_relocatable(elf)? {
        return Ok(());
    }
    let symbols = elf.elf_symbol_table().section();
    for (index, section) in elf.elf_section_table().enumerate() {
        let name = elf.elf_section_table().section_name(endian, section).map_err(damaged)?;
        let name = String::from_utf8_lossy(name);
        let kind = section.sh_type(endian);
        if !PLAIN.contains(&kind) && !more.contains(&kind) {
            return wrong(format!(
                "the section `{name}` is of a kind that linkers may give a meaning of their own ({kind:#x})"
            ));
        }
        if kind == elf::SHT_SYMTAB && index != symbols {
            return wrong("there are two tables of symbols".into());
        }
        let long = elf.elf_header().is_type_64();
        let entry: Option<u64> = match kind {
            elf::SHT_RELA => Some(if long { 24 } else { 12 }),
            elf::SHT_REL => Some(if long { 16 } else { 8 }),
            elf::SHT_SYMTAB => Some(if long { 24 } else { 16 }),
            _ => None,
        };
        if entry.is_some_and(|bytes| bytes != section.sh_entsize(endian).into()) {
            return wrong(format!("the entries of `{name}` do not have the size that they must have"));
        }
        let ours = section.link(endian) == symbols && section.info_link(endian).0 != 0;
        if [elf::SHT_RELA, elf::SHT_REL].contains(&kind) && !ours {
            return wrong(format!(
                "the relocations `{name}` are of no section, or by another table of symbols"
            ));
        }
        if section.sh_addr(endian).into() != 0 {
            return wrong(format!("the section `{name}` of an object has an address"));
        }
        if name.starts_with(".gnu.lto_") || name.starts_with(".llvm.lto") {
            return wrong(format!(
                "`{name}` is for optimization when linking (LTO): what is linked is not this code"
            ));
        }
    }
    Ok(())
}

/// The section of a function.
///
/// # Errors
/// Why the definition is none of a function whose bytes are as the section has them.
pub fn check<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
    of: &Definition,
) -> Result<SectionIndex, EmitError> {
    let name = &of.name;
    let wrong = |why: &str| Err(EmitError(format!("`{name}` {why}")));
    match of.kind {
        elf::STT_FUNC => {}
        elf::STT_NOTYPE => {
            return wrong("has no type: the line `.type` that says that it is a function is missing");
        }
        elf::STT_GNU_IFUNC => {
            return wrong("is an indirect function (IFUNC): the program decides what it is as it starts");
        }
        elf::STT_OBJECT | elf::STT_COMMON | elf::STT_TLS => {
            return wrong("is data, and bears the name of a function");
        }
        other => return wrong(&format!("is a symbol of type {other}, and no function")),
    }
    match of.binding {
        elf::STB_GLOBAL | elf::STB_LOCAL => {}
        elf::STB_WEAK => return wrong("is weak: another of its name takes its place"),
        elf::STB_GNU_UNIQUE => {
            return wrong("is unique in a process (STB_GNU_UNIQUE): another of its name may take its place");
        }
        other => return wrong(&format!("is bound in a way that is not known ({other})")),
    }
    if is_relocatable(elf)? && of.versioned {
        return wrong("has a version (.symver): linkers choose among the versions of a name");
    }
    if of.size == 0 {
        return wrong("has no size: the line `.size` that says where it ends is missing");
    }
    let Some(index) = of.section else { return wrong("is in no section") };
    let section = elf.elf_section_table().section(index).map_err(damaged)?;
    let plain = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
    check_section(elf, section, plain, ".text")
        .map_err(|EmitError(why)| EmitError(format!("`{name}` {why}")))?;
    Ok(index)
}

/// Holds a section against what plain code, constants or data are: its flags are these and no others.
///
/// # Errors
/// What is not plain about it.
pub fn check_section<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
    section: &Elf::SectionHeader,
    plain: u32,
    prefix: &str,
) -> Result<(), EmitError> {
    let endian = elf.endian();
    let flags: u64 = section.sh_flags(endian).into();
    let name = elf.elf_section_table().section_name(endian, section).map_err(damaged)?;
    let name = String::from_utf8_lossy(name);
    let has = |flag: u32| flags & u64::from(flag) != 0;
    let wrong = |why: &str| Err(EmitError(format!("is in `{name}`, {why}")));
    if has(elf::SHF_WRITE) && plain & elf::SHF_WRITE == 0 {
        return wrong("which may be written");
    }
    if has(elf::SHF_STRINGS) || has(elf::SHF_MERGE) && plain & elf::SHF_MERGE == 0 {
        return wrong("a section that linkers merge");
    }
    if has(elf::SHF_GROUP) {
        return wrong("a section of a group, of which linkers keep one of several");
    }
    if has(elf::SHF_EXECINSTR) != (plain & elf::SHF_EXECINSTR != 0) {
        return wrong(if has(elf::SHF_EXECINSTR) { "which holds code" } else { "which holds data" });
    }
    // A section that is kept even if nothing names it is as any other.
    let others = flags & !u64::from(elf::SHF_GNU_RETAIN);
    if others != u64::from(plain) || section.sh_type(endian) != elf::SHT_PROGBITS {
        return wrong(&format!("whose type and flags ({flags:#x}) are not those of plain code or data"));
    }
    // Others have meanings for linkers: `.gnu.linkonce`, `.init`, `.ctors`.
    let known = name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    if !known {
        wrong(&format!("and only `{prefix}` and `{prefix}.*` are known to be plain"))
    } else {
        Ok(())
    }
}
