//! Contents of a file beside the functions whose names claim a problem: the names that it defines for others, and code
//! that runs though nothing calls it. Linkers and startup code look at both, whatever was proved.

use super::archive::Archive;
use super::symbols::{Definition, name_of};
use crate::EmitError;
use aesmith_processors::by_a_function;
use object::read::elf::{ElfFile, FileHeader, Rel, Rela, SectionHeader, Sym};
use object::{Endianness, elf};
use std::collections::BTreeSet;

/// A file's names and sections beside its functions. A member is that of an archive; a file that is no archive has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// All names that the file defines for others, of every type, each with its member.
    pub names: Vec<(Option<String>, String)>,
    /// Loaded sections that no kernel has, each with its member.
    pub sections: Vec<(Option<String>, String)>,
    /// Symbols and relocations that make code run as a program starts, each with its member.
    pub started: Vec<(Option<String>, String)>,
    /// Members that are compiled when they are linked and do not tell which names they define.
    pub unknown: Vec<Option<String>>,
    /// True if the file is linked.
    pub is_linked: bool,
}

/// The names and sections of an archive's members while they are read, by the numbers of the members.
#[derive(Default)]
pub(super) struct Noted {
    names: BTreeSet<(String, usize)>,
    sections: Vec<(usize, String)>,
    started: Vec<(usize, String)>,
    /// True for a linked file.
    pub(super) is_linked: bool,
}

impl Noted {
    pub(super) fn names<'n>(&mut self, member: usize, names: impl IntoIterator<Item = &'n String>) {
        self.names.extend(names.into_iter().map(|name| (name.clone(), member)));
    }

    /// Notes the sections of an object that no kernel has, and what makes code run as a program starts. Returns those that
    /// run though nothing calls them.
    ///
    /// # Errors
    /// Names that cannot be read.
    pub(super) fn sections<Elf: FileHeader<Endian = Endianness>>(
        &mut self,
        member: usize,
        elf: &ElfFile<'_, Elf>,
    ) -> Result<Vec<String>, EmitError> {
        let mut unasked = Vec::new();
        for section in elf.elf_section_table().iter() {
            let (endian, kind) = (elf.endian(), section.sh_type(elf.endian()));
            let flags: u64 = section.sh_flags(endian).into();
            let size: u64 = section.sh_size(endian).into();
            let name = name_of(elf, section)?;
            if flags & u64::from(elf::SHF_ALLOC) == 0 || size == 0 || is_plain(&name, kind) {
                continue;
            }
            let code = flags & u64::from(elf::SHF_EXECINSTR) != 0;
            if code || LISTS.contains(&kind) || RUN.iter().any(|run| name.starts_with(run)) {
                unasked.push(format!("`{name}` (a section that may run though nothing calls it)"));
            }
            self.sections.push((member, name));
        }
        let started = started(elf)?;
        unasked.extend(started.iter().map(|what| format!("{what} (runs as a program starts)")));
        self.started.extend(started.into_iter().map(|what| (member, what)));
        Ok(unasked)
    }

    /// Returns the reason why a name that begins with a function's may be that of other code than the code beside the
    /// function: two members define it, or the index leads from it to a member that does not.
    pub(super) fn elsewhere(&self, archive: &Archive<'_>, function: &str) -> Option<String> {
        let begins = format!("{function}_");
        let mut before: Option<&(String, usize)> = None;
        for part in self.names.range((begins.clone(), 0)..).take_while(|(name, _)| name.starts_with(&begins))
        {
            let (name, member) = part;
            let shown = |member: usize| archive.members[member].name.as_deref().unwrap_or("the file");
            if let Some((_, other)) = before.filter(|(known, _)| known == name) {
                return Some(format!(
                    "is used with `{name}`, which both {} and {} define: which one is linked depends on their order",
                    shown(*other),
                    shown(*member)
                ));
            }
            if let Some(other) = archive.another(name, *member) {
                return Some(format!(
                    "is used with `{name}`, from which the archive's index of symbols leads to {}, and {} defines it",
                    shown(other),
                    shown(*member)
                ));
            }
            before = Some(part);
        }
        None
    }

    /// The names and sections by the names of their members.
    pub(super) fn finish(self, archive: &Archive<'_>, unknown: &[usize]) -> Beside {
        let member = |number: usize| archive.members[number].name.clone();
        Beside {
            names: self.names.into_iter().map(|(name, number)| (member(number), name)).collect(),
            sections: self.sections.into_iter().map(|(number, name)| (member(number), name)).collect(),
            started: self.started.into_iter().map(|(number, what)| (member(number), what)).collect(),
            unknown: unknown.iter().map(|number| member(*number)).collect(),
            is_linked: self.is_linked,
        }
    }
}

/// Indirect functions of an object, local ones too, and its relocations by the value of a function.
fn started<Elf: FileHeader<Endian = Endianness>>(elf: &ElfFile<'_, Elf>) -> Result<Vec<String>, EmitError> {
    let damaged = |e: object::Error| {
        EmitError(format!("its symbols or relocations cannot be read, by which code may run: {e}"))
    };
    let (endian, table) = (elf.endian(), elf.elf_symbol_table());
    let mut found = Vec::new();
    for (_, symbol) in table.enumerate() {
        if symbol.st_type() == elf::STT_GNU_IFUNC && symbol.st_shndx(endian) != elf::SHN_UNDEF {
            let name = table.symbol_name(endian, symbol).map_err(damaged)?;
            found.push(format!("the indirect function `{}`", String::from_utf8_lossy(name)));
        }
    }
    let machine = elf.elf_header().e_machine(endian);
    let Some(kind) = by_a_function(machine) else { return Ok(found) };
    for section in elf.elf_section_table().iter() {
        let rela = section.rela(endian, elf.data()).map_err(damaged)?.map_or(&[][..], |(all, _)| all);
        let rel = section.rel(endian, elf.data()).map_err(damaged)?.map_or(&[][..], |(all, _)| all);
        let is_one = rela.iter().any(|one| one.r_type(endian, false) == kind)
            || rel.iter().any(|one| one.r_type(endian) == kind);
        if is_one {
            found.push(format!("a relocation of `{}` by a function's value", name_of(elf, section)?));
        }
    }
    Ok(found)
}

/// Lists of functions that are called before and after `main` (System V ABI, chapter 5, "Initialization and Termination
/// Functions").
const LISTS: [u32; 3] = [elf::SHT_INIT_ARRAY, elf::SHT_FINI_ARRAY, elf::SHT_PREINIT_ARRAY];

/// Beginnings of names of sections that run before and after `main`, or hold lists of functions that do: those of GNU's
/// linker scripts, of avr-libc (`.init0` to `.fini0`, `.vectors`), and of Zephyr.
const RUN: &[&str] =
    &[".init", ".fini", ".preinit", ".ctors", ".dtors", ".vectors", ".isr_vector", ".z_init", "._init"];

/// Names of loaded sections of kernels, and of those that assemblers add for other tools. Each may be followed by a dot
/// and anything.
const PLAIN: &[&str] = &[
    ".text",
    ".rodata",
    ".data",
    ".bss",
    ".progmem.data",
    ".sdata",
    ".sbss",
    ".sdata2",
    ".note",
    ".eh_frame",
    ".sframe",
    ".ARM.exidx",
    ".ARM.extab",
];

fn is_plain(name: &str, kind: u32) -> bool {
    let is =
        |plain: &&str| name.strip_prefix(*plain).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    !LISTS.contains(&kind) && PLAIN.iter().any(is)
}

/// True if emitted assembly defines this name beside a function for linkers alone: the form of the keys that a schedule
/// makes, or tables that have to be in reach. Nothing calls it.
pub fn is_for_linkers(function: &str, name: &str) -> bool {
    name.strip_prefix(function).is_some_and(|rest| rest.starts_with("_makes_") || rest == "_tables")
}

/// True if a definition is listed where nothing is proved of it: calls can be bound to every name but that of data.
pub(super) fn is_callable(definition: &Definition) -> bool {
    definition.is_global() && ![elf::STT_OBJECT, elf::STT_COMMON, elf::STT_TLS].contains(&definition.kind)
}
