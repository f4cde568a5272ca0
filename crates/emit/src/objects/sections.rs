//! Reads objects and archives for processors other than this machine: the functions whose names claim a problem, each
//! with the sections that run when it is called, or the reason why the file does not determine them.

use crate::objects::symbols::{
    Definition, Optimized, check, check_object, check_section, check_tables, is_part, is_plain, optimized,
    symbols,
};
use crate::{EmitError, problem_of_blocks, shared_table};
use aesmith_cipher::Problem;
use aesmith_processor::core::IN_REGISTERS;
use object::read::elf::{ElfFile, FileHeader, SectionHeader};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionIndex,
    SymbolIndex, elf,
};
use std::collections::{HashMap, HashSet};

use super::archive::Archive;
use super::beside::{Noted, is_callable, is_for_linkers};
use super::optimized::{defined_by_llvm, is_bitcode, mentioned, mentions};
use super::{Binding, Contents, MOST_FUNCTIONS, behind_others, local_to};
use crate::objects::pieces::{Code, Fix, Piece};
use aesmith_isa::ByteOrder;
use aesmith_isa::assemble::Part;
use aesmith_processor::elf::{How, Linking, Memory};
use aesmith_processors::{bits_of, linking};

/// Maximum size of a section in bytes; the largest kernels have some tens of thousands.
const MOST_BYTES: usize = 1 << 20;
/// The largest alignment of a section.
const MOST_ALIGNED: u64 = 4096;

/// A function of firmware, as the sections that a linker joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSections {
    /// The archive member that contains it.
    pub member: Option<String>,
    /// Its symbol.
    pub symbol: String,
    /// The problem that its name claims.
    pub problem: Problem,
    /// The machine's number in ELF.
    pub machine: u16,
    /// True if its symbol has the mark of another state of the processor (Thumb).
    pub is_marked: bool,
    /// The file's flags (`e_flags`).
    pub flags: u32,
    /// Offset in bytes of its function on a block in registers, if the file has one.
    pub in_registers: Option<u64>,
    /// Its code and tables, or the reason why other code may run under its name.
    pub code: Result<Code, EmitError>,
}

/// Returns the machine of an ELF file for another processor, or of the first object of an archive.
pub fn machine_of(file: &[u8]) -> Option<u16> {
    let archive = Archive::read(file).ok()?;
    let object = archive.members.iter().find(|member| member.data.starts_with(&elf::ELFMAG))?;
    machine_of_object(object.data)
}

fn machine_of_object(file: &[u8]) -> Option<u16> {
    let number = aesmith_isa::elf::machine(file)?;
    (file[4] == 1 || bits_of(number) == 64).then_some(number)
}

/// Reads the functions of an object or archive.
///
/// # Errors
/// The file is neither an object for one of the machines nor an archive of such objects, or it is damaged.
pub fn contents(file: &[u8]) -> Result<Contents<FoundSections>, EmitError> {
    let archive = Archive::read(file)?;
    let machine = machine_of(file);
    let mut reader = Reader {
        archive: &archive,
        found: Vec::new(),
        known: HashSet::new(),
        contents: Contents::default(),
        suspects: Vec::new(),
        noted: Noted::default(),
    };
    let mut defined = Vec::new();
    for (number, member) in archive.members.iter().enumerate() {
        let names = match &member.name {
            None => reader.object(number),
            Some(name) => {
                let names = reader.member(number, name, machine);
                names.map_err(|EmitError(e)| EmitError(format!("its member {name}: {e}")))
            }
        };
        defined.push(names?);
    }
    archive.check_index(&defined)?;
    Ok(reader.finish())
}

/// Reads the members in file order.
struct Reader<'a, 'f> {
    archive: &'a Archive<'f>,
    /// Functions, each with the number of its member and its binding.
    found: Vec<(FoundSections, usize, Binding)>,
    /// Names of the functions, each with the number of its member.
    known: HashSet<(usize, String)>,
    contents: Contents<FoundSections>,
    /// Members that are compiled only at link time and do not tell which names they define.
    suspects: Vec<usize>,
    noted: Noted,
}

/// Names that a member defines for others; `None` if they are not known.
type Names = Option<HashSet<String>>;

impl Reader<'_, '_> {
    /// Reads a member of an archive.
    fn member(&mut self, number: usize, name: &str, machine: Option<u16>) -> Result<Names, EmitError> {
        let data = self.archive.members[number].data;
        if data.starts_with(&elf::ELFMAG) {
            return self.object(number);
        }
        let what = if is_bitcode(data) { "LLVM's bitcode" } else { "no object" };
        self.contents.others.insert(format!("{name} ({what})"));
        let names = is_bitcode(data).then(|| defined_by_llvm(data));
        if names.as_ref().is_some_and(Option::is_none) {
            self.suspects.push(number);
        }
        let names = names.flatten();
        check_no_tables(names.iter().flatten())?;
        self.noted.names(number, names.iter().flatten());
        // Linkers that the index leads here fail, or link the member.
        let indexed = self.archive.indexed(number).map(str::to_owned);
        for symbol in names.clone().into_iter().flatten().chain(indexed) {
            let why = format!("`{symbol}` is in {name}, and that is {what}");
            self.refused(number, &symbol, machine.unwrap_or_default(), why);
        }
        Ok(names.map(HashSet::from_iter))
    }

    /// Notes a name that has no provable code.
    fn refused(&mut self, number: usize, symbol: &str, machine: u16, why: String) {
        let Some(problem) = problem_of_blocks(symbol) else { return };
        if !self.known.insert((number, symbol.to_owned())) {
            return;
        }
        let function = FoundSections {
            member: self.archive.members[number].name.clone(),
            problem,
            machine,
            is_marked: false,
            flags: 0,
            in_registers: None,
            code: Err(EmitError(why)),
            symbol: symbol.to_owned(),
        };
        self.found.push((function, number, Binding::Global));
    }

    /// Reads the functions of an object.
    fn object(&mut self, number: usize) -> Result<Names, EmitError> {
        let data = self.archive.members[number].data;
        match machine_of_object(data).map(bits_of) {
            Some(64) => self.object_of::<elf::FileHeader64<Endianness>>(number, data),
            _ => self.object_of::<elf::FileHeader32<Endianness>>(number, data),
        }
    }

    fn object_of<H: FileHeader<Endian = Endianness>>(
        &mut self,
        number: usize,
        data: &[u8],
    ) -> Result<Names, EmitError> {
        let wrong = |why: String| Err(EmitError(why));
        let bits = machine_of_object(data).map_or(32, bits_of);
        let elf = ElfFile::<H>::parse(data).map_err(|e| {
            EmitError(format!("the file is no ELF object of {bits} bits, or a damaged one: {e}"))
        })?;
        let header = elf.elf_header();
        let machine = linking(header.e_machine(elf.endian())).map_err(EmitError)?;
        let order = ByteOrder::from(elf.endian());
        if order != machine.head.order {
            return wrong(format!(
                "the file is {}, and aesmith knows the processor as {}",
                order.name(),
                machine.head.order.name()
            ));
        }
        if header.e_type(elf.endian()) != elf::ET_REL {
            return wrong(
                "the file is linked: what can be verified is the objects or the archive that it was linked of"
                    .into(),
            );
        }
        let flags = header.e_flags(elf.endian());
        if let Some((_, _, what)) = machine.refused_flags.iter().find(|(mask, is, _)| flags & mask == *is) {
            return wrong(format!("the file's flags are those of {what}: aesmith knows none such"));
        }
        check_tables(&elf)?;
        let all = symbols(&elf, |name| problem_of_blocks(name).is_some())?;
        self.contents.missing.extend(all.undefined);
        let mut names: HashSet<String> =
            all.defined.iter().filter(|d| d.is_global()).map(|d| d.name.clone()).collect();
        self.noted.names(number, &names);
        self.contents.others.extend(self.noted.sections(number, &elf)?);
        let is_honest = |d: &Definition| {
            d.section.is_some_and(|section| is_table_of_its_name(&elf, &d.name, section, d.value))
        };
        if let Some(other) = all.defined.iter().find(|d| shared_table::is_name(&d.name) && !is_honest(d)) {
            return wrong(format!(
                "`{}` is not the table that its name says, and may be linked in the place of one",
                other.name
            ));
        }
        let optimized = optimized(&elf)?;
        let whole = match optimized {
            Some(_) => Err(EmitError(format!("its object {}", Optimized::why()))),
            None => check_object(&elf, machine.sections),
        };
        let member = self.archive.members[number].name.clone();
        for definition in &all.defined {
            let Some(problem) = problem_of_blocks(&definition.name) else {
                if is_callable(definition) && !all.defined.iter().any(|of| is_mark(of, definition)) {
                    self.contents.others.insert(definition.name.clone());
                }
                continue;
            };
            if self.found.len() == MOST_FUNCTIONS {
                return wrong(format!(
                    "there are more than {MOST_FUNCTIONS} functions, which no package has"
                ));
            }
            let part = || is_part(&definition.name, names.iter().map(String::as_str));
            let local = !definition.is_global() && !part();
            let code = match local {
                true => Err(EmitError(format!(
                    "`{}` is local, so that no other object finds it, and a call of it finds another of its name",
                    definition.name
                ))),
                false => whole.clone().and_then(|()| code(&elf, machine, definition)),
            };
            let function = FoundSections {
                member: member.clone(),
                problem,
                machine: machine.head.number,
                is_marked: definition.value & machine.mark != 0,
                flags,
                in_registers: in_registers(&all.defined, definition),
                code,
                symbol: definition.name.clone(),
            };
            let binding = match &whole {
                _ if definition.is_global() => Binding::Global,
                Ok(()) => Binding::Local,
                Err(_) => Binding::Unclear,
            };
            self.known.insert((number, function.symbol.clone()));
            self.found.push((function, number, binding));
        }
        if let Some(Optimized { defined }) = optimized {
            if let Some(name) = &member {
                self.contents.others.insert(format!("{name} (compiled for optimization when linking)"));
            }
            let Some(defined) = defined else {
                self.suspects.push(number);
                return Ok(None);
            };
            check_no_tables(&defined)?;
            self.noted.names(number, &defined);
            for name in &defined {
                if problem_of_blocks(name).is_none() {
                    self.contents.others.insert(name.clone());
                }
                self.refused(number, name, machine.head.number, format!("`{name}` {}", Optimized::why()));
            }
            names.extend(defined);
        }
        Ok(Some(names))
    }

    /// Checks all functions together: a linker must find each one under its name.
    fn finish(mut self) -> Contents<FoundSections> {
        let named = self.found.iter().map(|(f, member, binding)| (&*f.symbol, *member, *binding));
        let mut behind = behind_others(named).into_iter();
        let others = &mut self.contents.others;
        self.found.retain(|(f, ..)| {
            let is_behind = behind.next().unwrap_or(false);
            others.extend(is_behind.then(|| local_to(&f.symbol, f.member.as_deref())));
            !is_behind
        });
        let mut names: HashMap<String, usize> = HashMap::new();
        self.found.iter().for_each(|(f, ..)| *names.entry(f.symbol.clone()).or_default() += 1);
        let tables =
            self.suspects.iter().any(|s| mentions(self.archive.members[*s].data, shared_table::PREFIX));
        let suspects = self.suspects.iter().map(|number| (*number, self.archive.members[*number].data));
        let all: Vec<&str> = self.found.iter().map(|(f, ..)| f.symbol.as_str()).collect();
        let mentioned = mentioned(suspects, &all);
        for (function, member, binding) in &mut self.found {
            let name = &function.symbol;
            let is_global = *binding == Binding::Global;
            if tables {
                function.code = Err(EmitError(format!(
                    "`{name}` may be linked with tables of a member that is compiled when it is linked and has no table of \
                     symbols that can be read"
                )));
                continue;
            }
            let mut suspects = mentioned.get(name).into_iter().flatten();
            if names[name] > 1 {
                function.code = Err(EmitError(format!("`{name}` stands for two functions of this file")));
            } else if let Some(suspect) = suspects.find(|suspect| **suspect != *member) {
                let other = self.archive.members[*suspect].name.as_deref().unwrap_or_default();
                function.code = Err(EmitError(format!(
                    "`{name}` may be defined by {other} as well, which is compiled when it is linked and has no table \
                     of symbols that can be read"
                )));
            } else if is_global && let Err(why) = self.archive.leads(name, *member) {
                function.code = Err(why);
            } else if is_global && let Some(why) = self.noted.elsewhere(self.archive, name) {
                function.code = Err(EmitError(format!("`{name}` {why}")));
            }
            if is_global {
                self.contents.missing.remove(name);
            }
        }
        self.contents.functions = self.found.into_iter().map(|(function, ..)| function).collect();
        self.contents.beside = self.noted.finish(self.archive, &self.suspects);
        self.contents
    }
}

/// Checks that code that is compiled at link time defines no name of a table: the table's bytes are not known.
fn check_no_tables<'n>(defined: impl IntoIterator<Item = &'n String>) -> Result<(), EmitError> {
    match defined.into_iter().find(|name| shared_table::is_name(name)) {
        None => Ok(()),
        Some(name) => Err(EmitError(format!(
            "`{name}` is defined by code that is compiled as it is linked, and may take the place of the table of that name"
        ))),
    }
}

/// True for a label of emitted assembly for linkers alone, in its function's section or hidden.
fn is_mark(of: &Definition, label: &Definition) -> bool {
    let is_hidden = label.other & 3 == elf::STV_HIDDEN;
    is_for_linkers(&of.name, &label.name) && (label.section == of.section || is_hidden)
}

/// Returns the offset of the function on a block in registers, whose name is the C function's with a suffix.
fn in_registers(all: &[Definition], of: &Definition) -> Option<u64> {
    let is_beside = |d: &&Definition| {
        d.name.strip_suffix(IN_REGISTERS) == Some(of.name.as_str())
            && d.section == of.section
            && d.is_global()
            && d.kind == elf::STT_FUNC
    };
    all.iter().find(is_beside)?.value.checked_sub(of.value)
}

/// Stands for the global offset table, which is in no section of an object: the linker makes it.
const OFFSETS: SectionIndex = SectionIndex(usize::MAX);

/// The place of a symbol that a relocation refers to.
struct Place {
    section: SectionIndex,
    /// True if the section is a table that other objects may also have.
    shared: bool,
    /// Offset in the section.
    address: i64,
    /// True if the symbol is that of the section itself.
    is_section: bool,
}

/// Returns the place that a relocation of the section `from` refers to, if it is in this object and no other object can
/// replace it.
fn place<H: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, H>,
    machine: &Linking,
    target: SymbolIndex,
    from: SectionIndex,
) -> Result<Place, EmitError> {
    let wrong = |why: String| Err(EmitError(why));
    let raw = elf.elf_symbol_table().symbol(target).map_err(|e| EmitError(e.to_string()))?;
    let target = elf.symbol_by_index(target).map_err(|e| EmitError(e.to_string()))?;
    let name = target.name().unwrap_or_default();
    const KINDS: [u8; 4] = [elf::STT_NOTYPE, elf::STT_OBJECT, elf::STT_SECTION, elf::STT_FUNC];
    if !is_plain::<H>(raw, &KINDS) {
        return wrong(format!("leads to `{name}`, which is no plain place but a symbol of another type"));
    }
    let Some(section) = target.section_index() else {
        return wrong(format!("leads to `{name}`, which is not in this object"));
    };
    let is_single = target.is_global() && !target.is_weak();
    let shared = is_single && is_table_of_its_name(elf, name, section, target.address());
    // Other objects can replace neither local symbols nor a function's own name. Tables with a hash of their bytes in
    // the name are interchangeable.
    if !(target.is_local() || is_single && section == from || shared) {
        return wrong(format!(
            "leads to `{name}`, which is not local: others of its name may take its place"
        ));
    }
    if target.address() & machine.mark != 0 && target.kind() == object::SymbolKind::Text {
        return wrong(format!("holds the address of the function `{name}`, as no kernel does"));
    }
    let address = target.address() as i64;
    Ok(Place { section, shared, address, is_section: target.kind() == object::SymbolKind::Section })
}

/// Returns the function's section, and the sections that relocations refer to.
fn code<H: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, H>,
    machine: &Linking,
    of: &Definition,
) -> Result<Code, EmitError> {
    let wrong = |why: String| EmitError(format!("`{}` {why}", of.name));
    let first = check(elf, of)?;
    let entry = of.value & !machine.mark;
    let mut sections = vec![first];
    let mut pieces = Vec::new();
    // Places where relocations name a section itself, not a label in it.
    let mut of_sections = Vec::new();
    // For each section: true if it is a table that other objects may also have.
    let mut shared = vec![false];
    while let Some(&index) = sections.get(pieces.len()) {
        if index == OFFSETS {
            // The table itself is never read: addresses are only relative to it.
            let (memory, bytes, fixes) = (Memory::Constants, Vec::new(), Vec::new());
            pieces.push(Piece { memory, bytes, alignment: 1, fixes });
            continue;
        }
        let mut piece = piece(elf, index, pieces.is_empty(), shared[pieces.len()])
            .map_err(|EmitError(why)| wrong(why))?;
        let section = elf.section_by_index(index).map_err(|e| wrong(e.to_string()))?;
        for (at, relocation) in section.relocations() {
            let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            let there = word(machine, &piece.bytes, at);
            if machine.is_unchanging(r_type, there.as_ref().ok().map(|&word| word as u32)) {
                continue;
            }
            if let RelocationTarget::Symbol(target) = relocation.target()
                && let Some(name) = elsewhere(elf, target)
            {
                return Err(wrong(format!(
                    "needs `{name}` at {at:#x}, which is not in this object: what another object has is not proved with it"
                )));
            }
            if let Some((kinds, advice)) = machine.moving
                && kinds.contains(&r_type)
            {
                return Err(wrong(format!(
                    "has a relocation at {at:#x} by which linkers may remove or move instructions: {advice}"
                )));
            }
            let how = machine.how(r_type).ok_or_else(|| {
                wrong(format!(
                    "has a relocation at {at:#x} of a kind (number {r_type}) that no kernel has: its bytes are \
                     not final"
                ))
            })?;
            let RelocationTarget::Symbol(target) = relocation.target() else {
                return Err(wrong(format!("has a relocation at {at:#x} to no symbol")));
            };
            let is_word = !matches!(how, How::Field(..) | How::Call(..));
            let is_implicit = relocation.has_implicit_addend();
            let implicit = match is_word && is_implicit {
                true => there.map_err(|EmitError(why)| wrong(why))?,
                false => 0,
            };
            let nowhere = || wrong(format!("has a relocation at {at:#x} that leads nowhere"));
            let added = relocation.addend().checked_add(implicit).ok_or_else(nowhere)?;
            // Linkers look up the other half at the symbol itself; they add the addend to the symbol's value or not at
            // all.
            if matches!(how, How::Field(Part::AwayLow12(_), _)) && added != 0 {
                return Err(wrong(format!(
                    "has a relocation at {at:#x} of half a distance with something added to its other half: linkers differ"
                )));
            }
            // For any other symbol linkers do more than insert the table's address.
            if how == How::AwayToTable && !is_offset_table(elf, target) {
                return Err(wrong(format!(
                    "has a relocation at {at:#x} to the global offset table that does not name `{OFFSET_TABLE}`"
                )));
            }
            let place = match how {
                How::AwayToTable => Place { section: OFFSETS, shared: false, address: 0, is_section: false },
                _ => place(elf, machine, target, index).map_err(|EmitError(why)| wrong(why))?,
            };
            let mut numbered = |section: SectionIndex, is_shared: bool| {
                sections.iter().position(|s| *s == section).unwrap_or_else(|| {
                    sections.push(section);
                    shared.push(is_shared);
                    sections.len() - 1
                })
            };
            let number = numbered(place.section, place.shared);
            // The subtracted place absorbs the addend, so that the target itself lies in its section.
            let less = match how {
                How::Word | How::Field(..) | How::Call(..) => None,
                How::Away | How::AwayToTable => {
                    Some((pieces.len(), i64::try_from(at).ok().and_then(|at| at.checked_sub(added))))
                }
                How::FromTable => Some((numbered(OFFSETS, false), added.checked_neg())),
            };
            let less =
                less.map(|(of, offset)| offset.map(|offset| (of, offset)).ok_or_else(nowhere)).transpose()?;
            if shared[number] != place.shared {
                return Err(wrong(format!(
                    "leads to `{}` in a section of a group, of which linkers keep one of several",
                    elf.symbol_by_index(target)
                        .ok()
                        .and_then(|symbol| symbol.name().ok())
                        .unwrap_or_default()
                )));
            }
            let addend = match less {
                None => place.address.checked_add(added).ok_or_else(nowhere)?,
                Some(_) => place.address,
            };
            if !place.is_section && how != How::AwayToTable {
                of_sections.push((number, place.address));
            }
            if place.is_section {
                // The addend of a field is not known here; that of a distance is added to the address of the symbol.
                let is_known = less.is_none() && (is_word || !is_implicit);
                of_sections.push((number, if is_known { addend } else { i64::MAX }));
            }
            // Linkers for ARM put code of their own before functions that may be far or in the other state; it changes r12.
            if machine.mark != 0 && place.section != index && matches!(how, How::Field(Part::Distance, _)) {
                return Err(wrong(format!(
                    "has a branch at {at:#x} to another section, before which linkers may put code of their own"
                )));
            }
            let within = at % machine.instructions;
            let at = match how {
                How::Field(..) if within != machine.place => {
                    return Err(wrong(format!(
                        "has a relocation at {at:#x}, in the midst of an instruction"
                    )));
                }
                How::Field(..) => at - within,
                _ => at,
            };
            let at = usize::try_from(at).ok().filter(|at| *at < piece.bytes.len());
            let at = at.ok_or_else(|| wrong("has a relocation outside of its section".into()))?;
            piece.fixes.push(Fix { at, how, piece: number, addend, less, implicit: is_implicit });
        }
        piece.fixes.sort_by_key(|fix| fix.at);
        pair_halves(&mut piece.fixes, pieces.len()).map_err(|EmitError(why)| wrong(why))?;
        piece.fixes = piece.fixes.iter().flat_map(|fix| halves_of_call(*fix)).collect();
        pieces.push(piece);
    }
    let end = entry.checked_add(of.size).and_then(|end| usize::try_from(end).ok());
    let end = end.filter(|end| *end <= pieces[0].bytes.len());
    let end = end.ok_or_else(|| wrong("reaches out of its section".into()))?;
    // Assemblers pad the last unit of a section behind the function.
    if ((pieces[0].bytes.len() - end) as u64) < pieces[0].alignment {
        pieces[0].bytes.truncate(end);
    }
    // In a merged section the end belongs to another entry: the linker looks up the entry that contains the address,
    // both for the value of a label and for the value of a section plus the addend.
    let is_merged = |section: SectionIndex| match elf.section_by_index(section).map(|section| section.flags())
    {
        Ok(object::SectionFlags::Elf { sh_flags }) => sh_flags & u64::from(elf::SHF_MERGE) != 0,
        _ => true,
    };
    for (number, addend) in of_sections {
        if is_merged(sections[number]) && addend >= pieces[number].bytes.len() as i64 {
            return Err(wrong(
                "leads to the end of a section that linkers merge, or there from its beginning: name a label in it".into(),
            ));
        }
    }
    for piece in &pieces {
        let leaves = |fix: &&Fix| !(0..=pieces[fix.piece].bytes.len() as i64).contains(&fix.addend);
        if piece.fixes.iter().any(|fix| leaves(&fix)) {
            return Err(wrong("has a relocation to an address outside of the section that it names".into()));
        }
    }
    Ok(Code { pieces, entry })
}

/// True for a section that alone forms a COMDAT group whose name gives its bytes and its alignment
/// ([`crate::shared_table`]): whichever copy linkers keep equals this one.
fn is_table_of_its_name<H: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, H>,
    name: &str,
    section: SectionIndex,
    address: u64,
) -> bool {
    let (table, endian) = (elf.elf_section_table(), elf.endian());
    let is_group = table.iter().any(|group| {
        let Ok(Some((elf::GRP_COMDAT, members))) = group.group(endian, elf.data()) else { return false };
        let signature = SymbolIndex(group.sh_info(endian) as usize);
        let signature =
            elf.symbol_by_index(signature).ok().and_then(|symbol| symbol.name().ok().map(str::to_owned));
        let mut members = members.iter().map(|member| member.get(endian) as usize);
        members.next() == Some(section.0) && members.next().is_none() && signature.as_deref() == Some(name)
    });
    let no_relocations =
        elf.section_by_index(section).is_ok_and(|section| section.relocations().next().is_none());
    is_group && no_relocations && address == 0 && says_its_bytes(elf, name, section)
}

/// True if a table's name gives the bytes and the alignment of the section.
fn says_its_bytes<H: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, H>,
    name: &str,
    section: SectionIndex,
) -> bool {
    let endian = elf.endian();
    elf.elf_section_table().section(section).is_ok_and(|header| {
        let alignment: u64 = header.sh_addralign(endian).into();
        header.data(endian, elf.data()).is_ok_and(|bytes| shared_table::name(alignment.max(1), bytes) == name)
    })
}

/// The symbol of the global offset table.
const OFFSET_TABLE: &str = "_GLOBAL_OFFSET_TABLE_";

/// True if the symbol is that of the global offset table, which only the linker defines.
fn is_offset_table<H: FileHeader<Endian = Endianness>>(elf: &ElfFile<'_, H>, symbol: SymbolIndex) -> bool {
    elf.symbol_by_index(symbol).is_ok_and(|symbol| {
        symbol.name() == Ok(OFFSET_TABLE) && symbol.is_undefined() && symbol.is_global() && !symbol.is_weak()
    })
}

/// Pairs the halves of distances: a lower half names the instruction with the upper half and belongs to the same
/// address (RISC-V ELF psABI, section "PC-relative symbol addresses"). `section` is the number of their section.
fn pair_halves(fixes: &mut [Fix], section: usize) -> Result<(), EmitError> {
    let upper: HashMap<i64, Fix> = fixes
        .iter()
        .filter(|fix| matches!(fix.how, How::Field(Part::AwayHigh20, _)))
        .map(|fix| (fix.at as i64, *fix))
        .collect();
    for fix in fixes.iter_mut() {
        let How::Field(Part::AwayLow12(_), bits) = fix.how else { continue };
        let first = upper.get(&fix.addend).filter(|_| fix.piece == section);
        let first = first.ok_or_else(|| {
            let at = fix.at;
            EmitError(format!("has a relocation at {at:#x} of half a distance, whose other half is nowhere"))
        })?;
        let before = i32::try_from(fix.at as i64 - first.at as i64).unwrap_or(i32::MAX);
        *fix = Fix { at: fix.at, how: How::Field(Part::AwayLow12(before), bits), ..*first };
    }
    Ok(())
}

/// The relocations of the two instructions of a call; another relocation stays as it is.
fn halves_of_call(fix: Fix) -> Vec<Fix> {
    let How::Call(upper, lower) = fix.how else { return vec![fix] };
    let first = Fix { how: How::Field(Part::AwayHigh20, upper), ..fix };
    let second = Fix { at: fix.at + 4, how: How::Field(Part::AwayLow12(4), lower), ..fix };
    vec![first, second]
}

/// The name of a symbol that the object does not define, but for that of the global offset table, which linkers make.
fn elsewhere<H: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, H>,
    symbol: SymbolIndex,
) -> Option<String> {
    let of = elf.symbol_by_index(symbol).ok().filter(|of| of.is_undefined())?;
    let name = of.name().ok().filter(|name| !name.is_empty() && *name != OFFSET_TABLE)?;
    Some(name.to_owned())
}

fn word(machine: &Linking, bytes: &[u8], at: u64) -> Result<i64, EmitError> {
    let outside = || EmitError(format!("has a relocation at {at:#x}, outside of its section"));
    let at = usize::try_from(at).map_err(|_| outside())?;
    let four = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()).ok_or_else(outside)?;
    Ok(i64::from(machine.head.order.number(four) as i32))
}

/// Reads a section, if it is plain.
fn piece<H: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, H>,
    index: SectionIndex,
    first: bool,
    shared: bool,
) -> Result<Piece, EmitError> {
    let table = elf.elf_section_table();
    let damaged = |e: object::Error| EmitError(format!("cannot be read: {e}"));
    let header = table.section(index).map_err(damaged)?;
    let name = table.section_name(elf.endian(), header).map_err(damaged)?;
    let name = String::from_utf8_lossy(name);
    let flags: u64 = header.sh_flags(elf.endian()).into();
    let has = |flag: u32| flags & u64::from(flag) != 0;
    let constants = elf::SHF_ALLOC;
    let is_code = first || has(elf::SHF_EXECINSTR);
    let (memory, plain, prefix) = if is_code {
        (Memory::Code, elf::SHF_ALLOC | elf::SHF_EXECINSTR, ".text")
    } else if has(elf::SHF_WRITE) {
        (Memory::Ram, elf::SHF_ALLOC | elf::SHF_WRITE, ".data")
    } else if name.starts_with(".progmem.data") {
        (Memory::Flash, constants, ".progmem.data")
    } else {
        (Memory::Constants, constants, ".rodata")
    };
    // Linkers may replace an entry by an equal one. Here the whole section is one entry, so its bytes stay.
    let (entry, size): (u64, u64) =
        (header.sh_entsize(elf.endian()).into(), header.sh_size(elf.endian()).into());
    let whole = !is_code && entry == size;
    let plain = if whole && has(elf::SHF_MERGE) { plain | elf::SHF_MERGE } else { plain };
    let plain = if shared && !is_code { plain | elf::SHF_GROUP } else { plain };
    let what = if first { "" } else { "leads to what " };
    check_section(elf, header, plain, prefix).map_err(|EmitError(why)| EmitError(format!("{what}{why}")))?;
    let alignment: u64 = header.sh_addralign(elf.endian()).into();
    let alignment = alignment.max(1);
    if !alignment.is_power_of_two() || alignment > MOST_ALIGNED {
        return Err(EmitError(format!("is in `{name}`, whose alignment is {alignment}")));
    }
    let bytes = header.data(elf.endian(), elf.data()).map_err(damaged)?;
    if bytes.len() > MOST_BYTES {
        return Err(EmitError(format!("leads to `{name}`, which is larger than any kernel's section")));
    }
    Ok(Piece { memory, bytes: bytes.to_vec(), alignment, fixes: Vec::new() })
}
