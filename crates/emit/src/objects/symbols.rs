//! The symbols of a file that a linker or a loader can bind a call to, and the reasons why one of them is not the
//! symbol of a kernel. Anything not known to be harmless is refused.

use crate::EmitError;
use crate::objects::optimized::{defined_by_gcc, defined_by_llvm};
use object::read::elf::{ElfFile, FileHeader, SectionHeader, Sym, SymbolTable};
use object::{Endianness, SectionIndex, SymbolIndex, elf};
use std::collections::{BTreeSet, HashSet};

/// Maximum length of a name in bytes; compilers write shorter ones.
const LONGEST_NAME: usize = 64 << 10;

/// A symbol that is defined in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Definition {
    /// Its name without a version.
    pub name: String,
    /// True if its name has a version.
    pub versioned: bool,
    /// Offset in its section (in an object), or address (in a linked file).
    pub value: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its type (`STT_FUNC` and others).
    pub kind: u8,
    /// Its binding (`STB_GLOBAL` and others).
    pub binding: u8,
    /// Its visibility (`STV_HIDDEN` and others), and machine-dependent bits.
    pub other: u8,
    /// Its section, if it is in one.
    pub section: Option<SectionIndex>,
}

impl Definition {
    /// True if calls from other objects or files can be bound to it.
    pub fn is_global(&self) -> bool {
        self.binding != elf::STB_LOCAL
    }
}

/// True if a local function's name belongs to a part of a function that the file exports: the key schedule of a kernel
/// or of a key that kernels share, or the kernel of a level. Only the file's own code can call it, so its name makes no
/// claim to others.
pub fn is_part<'n>(name: &str, mut callable: impl Iterator<Item = &'n str>) -> bool {
    callable.any(|whole| {
        let key = whole.strip_suffix("_init").filter(|_| name.ends_with(crate::SCHEDULE_SUFFIX));
        let whole = key.unwrap_or(whole);
        let whole = whole.strip_suffix(crate::VARIABLE_TIME_SUFFIX).unwrap_or(whole);
        name.strip_prefix(whole).is_some_and(|rest| rest.starts_with('_'))
    })
}

/// The symbols that a file defines, and the names that it needs from others.
#[derive(Debug, Default)]
pub struct Symbols {
    /// Symbols that the file defines.
    pub defined: Vec<Definition>,
    /// Names that claim a problem and are defined elsewhere.
    pub undefined: BTreeSet<String>,
}

/// Reads both tables of symbols: linkers read one, loaders the other. Of names that are defined elsewhere, only those
/// that claim a problem are kept.
///
/// # Errors
/// Damaged tables.
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
    // An exported symbol is in both tables, in one of them with its version.
    let essence = |d: &Definition| Definition { versioned: false, ..d.clone() };
    let known: HashSet<Definition> = found.defined.iter().map(essence).collect();
    for (index, symbol) in table.enumerate() {
        let name = table.symbol_name(endian, symbol).map_err(damaged)?;
        if name.len() > LONGEST_NAME {
            return Err(EmitError(format!("the name of a symbol is longer than {LONGEST_NAME} bytes")));
        }
        let name = String::from_utf8_lossy(name).into_owned();
        let kind = symbol.st_type();
        // A local symbol of a file or a section is never bound to a name; a global one is, like any other.
        let names_a_place = [elf::STT_FILE, elf::STT_SECTION].contains(&kind);
        if name.is_empty() || (names_a_place && symbol.st_bind() == elf::STB_LOCAL) {
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
            other: symbol.st_other(),
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

/// Returns the symbols of a linked file in its table for debuggers, which the loader never reads; a stripped file has
/// none.
pub(crate) fn for_debuggers(file: &[u8]) -> Vec<Definition> {
    let read = || {
        let header = elf::FileHeader64::<Endianness>::parse(file).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, file).ok()?;
        let table = sections.symbols(endian, file, elf::SHT_SYMTAB).ok()?;
        let mut found = Symbols::default();
        add(&table, endian, &|_: &str| false, &mut found).ok()?;
        Some(found.defined)
    };
    read().unwrap_or_default()
}

/// Kinds of sections that occur in objects of any machine and that change no other section.
const PLAIN: &[u32] = &[
    elf::SHT_NULL,
    elf::SHT_PROGBITS,
    elf::SHT_SYMTAB,
    elf::SHT_STRTAB,
    elf::SHT_NOBITS,
    elf::SHT_NOTE,
    elf::SHT_INIT_ARRAY,
    elf::SHT_FINI_ARRAY,
    elf::SHT_PREINIT_ARRAY,
    elf::SHT_GROUP,
    elf::SHT_SYMTAB_SHNDX,
    // LLVM's sections for significant addresses and for the call graph.
    0x6fff_4c03,
    0x6fff_4c09,
];

/// Name prefixes of sections for tools that linkers read and that change no code. Other sections of GNU and LLVM may
/// change code.
const FOR_TOOLS: &[&str] = &[
    ".gnu.attributes",
    ".gnu.build.attributes",
    ".gnu.warning",
    ".gnu_debuglink",
    ".gnu_debugaltlink",
    ".gnu.hash",
    ".llvm_addrsig",
    ".llvm.call-graph-profile",
    ".llvmcmd",
];

pub(super) fn name_of<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
    section: &Elf::SectionHeader,
) -> Result<String, EmitError> {
    let name = elf.elf_section_table().section_name(elf.endian(), section).map_err(damaged)?;
    Ok(String::from_utf8_lossy(name).into_owned())
}

/// Checks that all linkers read the tables of an object in the same way, whatever its contents.
///
/// # Errors
/// Two tables of symbols, of which linkers read different ones; section numbers stored elsewhere than assemblers write
/// them.
pub fn check_tables<Elf: FileHeader<Endian = Endianness>>(elf: &ElfFile<'_, Elf>) -> Result<(), EmitError> {
    let (endian, header) = (elf.endian(), elf.elf_header());
    let sections = elf.elf_section_table();
    let of_kind = |kind| sections.iter().filter(move |s| s.sh_type(endian) == kind);
    if of_kind(elf::SHT_SYMTAB).count() > 1 {
        return Err(EmitError("there are two tables of symbols".into()));
    }
    // Section numbers have 16 bits. If there are more sections, larger numbers are stored in the first section's header
    // and in a table beside the symbol table (System V ABI, chapter 4, "ELF header" and "Symbol table").
    let first_reserved = usize::from(elf::SHN_LORESERVE);
    let many = sections.len() >= first_reserved;
    let names = header.section_strings_index(endian, elf.data()).map_err(damaged)?;
    let mut right = (header.e_shnum(endian) == 0) == many
        && (header.e_shstrndx(endian) == elf::SHN_XINDEX) == (names.0 >= first_reserved);
    let symbols = elf.elf_symbol_table();
    for (number, table) in of_kind(elf::SHT_SYMTAB_SHNDX).enumerate() {
        let size: u64 = table.sh_size(endian).into();
        right &= many
            && number == 0
            && table.link(endian) == symbols.section()
            && size == 4 * symbols.len() as u64;
    }
    for (index, symbol) in symbols.enumerate() {
        let elsewhere = symbols.shndx(endian, index).unwrap_or(0);
        right &= match symbol.st_shndx(endian) {
            elf::SHN_XINDEX => elsewhere as usize >= first_reserved,
            _ => elsewhere == 0,
        };
    }
    if !right {
        return Err(EmitError(
            "the numbers of its sections do not stand where they stand in all objects of as many sections: linkers may \
             read others"
                .into(),
        ));
    }
    Ok(())
}

/// The definitions of an object that is compiled for link-time optimization.
pub struct Optimized {
    /// The defined names; `None` if the tables cannot be read.
    pub defined: Option<Vec<String>>,
}

impl Optimized {
    /// The reason why nothing is proved of its functions.
    pub fn why() -> String {
        "is compiled for optimization when linking (LTO): what is linked is not this code".into()
    }
}

/// Reads the tables for link-time optimization; `None` if the object has none.
///
/// # Errors
/// Sections that cannot be read.
pub(crate) fn optimized<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
) -> Result<Option<Optimized>, EmitError> {
    let (mut found, mut defined) = (false, Some(Vec::new()));
    for section in elf.elf_section_table().iter() {
        let name = name_of(elf, section)?;
        let data = || section.data(elf.endian(), elf.data()).map_err(damaged);
        let more = if name.starts_with(".gnu.lto_.symtab") {
            defined_by_gcc(data()?)
        } else if name.starts_with(".llvm.lto") || name.starts_with(".llvmbc") {
            defined_by_llvm(data()?)
        } else {
            found |= name.starts_with(".gnu.lto_");
            continue;
        };
        found = true;
        defined = defined.zip(more).map(|(all, more)| [all, more].concat());
    }
    // Without a table the definitions are unknown.
    let read = defined.filter(|all| !all.is_empty());
    Ok(found.then_some(Optimized { defined: read }))
}

/// Checks the assumptions about an object as a whole: every relocation is seen, and its code and no other is linked.
///
/// `more` are the kinds of sections that only objects of this machine have. If it contains `SHT_REL`, that is the form
/// of its relocations; otherwise `SHT_RELA` is.
///
/// # Errors
/// A sentence that tells what linkers may change.
pub(crate) fn check_object<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
    more: &[u32],
) -> Result<(), EmitError> {
    let (endian, wrong) = (elf.endian(), |why: String| Err(EmitError(why)));
    let table = elf.elf_symbol_table();
    let symbols = table.section();
    let relocations = if more.contains(&elf::SHT_REL) { elf::SHT_REL } else { elf::SHT_RELA };
    let (mut relocated, mut grouped, mut marked) = (HashSet::new(), HashSet::new(), HashSet::new());
    for (index, section) in elf.elf_section_table().enumerate() {
        let name = name_of(elf, section)?;
        let kind = section.sh_type(endian);
        if !PLAIN.contains(&kind) && !more.contains(&kind) && kind != relocations {
            return wrong(format!(
                "the section `{name}` is of a kind that linkers may give a meaning of their own ({kind:#x})"
            ));
        }
        let special = name.starts_with(".gnu") || name.starts_with(".llvm");
        let known =
            name.starts_with(".gnu.linkonce.") || FOR_TOOLS.iter().any(|known| name.starts_with(known));
        if special && !known {
            return wrong(format!("the section `{name}` may have a meaning for linkers that is not known"));
        }
        let long = elf.elf_header().is_type_64();
        let entry: Option<u64> = match kind {
            elf::SHT_RELA => Some(if long { 24 } else { 12 }),
            elf::SHT_REL => Some(if long { 16 } else { 8 }),
            elf::SHT_SYMTAB => Some(if long { 24 } else { 16 }),
            elf::SHT_GROUP | elf::SHT_SYMTAB_SHNDX => Some(4),
            _ => None,
        };
        if entry.is_some_and(|bytes| bytes != section.sh_entsize(endian).into()) {
            return wrong(format!("the entries of `{name}` do not have the size that they must have"));
        }
        if kind == relocations {
            let target = section.info_link(endian).0;
            if section.link(endian) != symbols || target == 0 {
                return wrong(format!(
                    "the relocations `{name}` are of no section, or by another table of symbols"
                ));
            }
            if !relocated.insert(target) {
                return wrong(format!(
                    "the relocations `{name}` are the second of one section, of which some linkers take the first alone"
                ));
            }
        }
        if kind == elf::SHT_GROUP {
            let (_, members) = section.group(endian, elf.data()).map_err(damaged)?.unwrap_or_default();
            for member in members {
                let index = SectionIndex(member.get(endian) as usize);
                let listed = elf.elf_section_table().section(index).map_err(damaged)?;
                // Relocations belong to the group of their section, marked or not.
                if listed.sh_type(endian) != relocations {
                    grouped.insert(index.0);
                }
            }
        }
        let flags: u64 = section.sh_flags(endian).into();
        if flags & u64::from(elf::SHF_GROUP) != 0 && kind != relocations {
            marked.insert(index.0);
        }
        if section.sh_addr(endian).into() != 0 {
            return wrong(format!("the section `{name}` of an object has an address"));
        }
    }
    if grouped != marked {
        return wrong(
            "the groups of its sections do not have those that are marked to be in one: linkers may leave out any of \
             these"
                .into(),
        );
    }
    // Linkers treat symbols before this number as local, and the rest as global.
    let header = elf.elf_section_table().section(symbols).map_err(damaged)?;
    let locals = header.sh_info(endian) as usize;
    let misplaced = |(index, symbol): (SymbolIndex, &Elf::Sym)| {
        (symbol.st_bind() == elf::STB_LOCAL) != (index.0 < locals)
    };
    if symbols.0 != 0 && table.enumerate().any(misplaced) {
        return wrong(
            "its table of symbols mixes local and global ones, which linkers tell apart by their place"
                .into(),
        );
    }
    Ok(())
}

/// True if a relocation may refer to this symbol: a plain name of a place. Other symbols have special meanings, such as
/// expressions, indirect functions, or places that are known only at run time.
pub fn is_plain<Elf: FileHeader<Endian = Endianness>>(symbol: &Elf::Sym, kinds: &[u8]) -> bool {
    // Zero is the same in both byte orders.
    let at_start = symbol.st_type() != elf::STT_SECTION || symbol.st_value(Endianness::Little).into() == 0;
    kinds.contains(&symbol.st_type()) && at_start && symbol.st_other() & !3 == 0
}

/// Checks that a symbol is that of a plain function.
///
/// # Errors
/// The reason why the definition is not a function whose bytes are as in the file.
pub(crate) fn check_function(of: &Definition) -> Result<(), EmitError> {
    let wrong = |why: &str| Err(EmitError(format!("`{}` {why}", of.name)));
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
    if of.other & !3 != 0 {
        return wrong(&format!("has a mark that is not known ({:#x})", of.other));
    }
    if of.size == 0 {
        return wrong("has no size: the line `.size` that says where it ends is missing");
    }
    Ok(())
}

/// Checks a function of an object and returns its section.
///
/// # Errors
/// The reason why the definition is not a function whose bytes are as in the section.
pub fn check<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
    of: &Definition,
) -> Result<SectionIndex, EmitError> {
    let name = &of.name;
    let wrong = |why: &str| Err(EmitError(format!("`{name}` {why}")));
    check_function(of)?;
    if of.versioned {
        return wrong("has a version (.symver): linkers choose among the versions of a name");
    }
    let Some(index) = of.section else { return wrong("is in no section") };
    let section = elf.elf_section_table().section(index).map_err(damaged)?;
    let plain = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
    check_section(elf, section, plain, ".text")
        .map_err(|EmitError(why)| EmitError(format!("`{name}` {why}")))?;
    Ok(index)
}

/// Checks that a section is plain code, constants or data: its flags are exactly `plain`, and its name begins with
/// `prefix`.
///
/// # Errors
/// The property that is not plain.
pub(crate) fn check_section<Elf: FileHeader<Endian = Endianness>>(
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
    if has(elf::SHF_GROUP) && plain & elf::SHF_GROUP == 0 {
        return wrong("a section of a group, of which linkers keep one of several");
    }
    if has(elf::SHF_EXECINSTR) != (plain & elf::SHF_EXECINSTR != 0) {
        return wrong(if has(elf::SHF_EXECINSTR) { "which holds code" } else { "which holds data" });
    }
    // A section that is kept even if it is not referenced is like any other.
    let others = flags & !u64::from(elf::SHF_GNU_RETAIN);
    if others != u64::from(plain) || section.sh_type(endian) != elf::SHT_PROGBITS {
        return wrong(&format!("whose type and flags ({flags:#x}) are not those of plain code or data"));
    }
    // Other names have meanings for linkers: `.gnu.linkonce`, `.init`, `.ctors`.
    let known = name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    if !known {
        wrong(&format!("and only `{prefix}` and `{prefix}.*` are known to be plain"))
    } else {
        Ok(())
    }
}
