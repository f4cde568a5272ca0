//! Reads the functions of an object, shared object or archive whose names claim a problem: each with the bytes that run
//! when it is called, or the reason why the file does not determine them.

use super::apart::{Apart, Together};
use super::archive::Archive;
use super::beside::{Noted, is_callable};
use super::linked::Linked;
use super::optimized::{check_linked, defined_by_llvm, is_bitcode, mentioned};
use super::{Binding, Contents, MOST_FUNCTIONS, behind_others, local_to};
use crate::EmitError;
use crate::objects::symbols::{
    Definition, Optimized, check, check_object, check_tables, is_part, optimized, symbols,
};
use aesmith_processor::dialect::Dialect;
use object::read::elf::{ElfFile64, SectionHeader};
use object::{Endianness, Object, ObjectSymbol, ReadRef, SectionIndex, elf};
use std::collections::{HashMap, HashSet};

/// Maximum number of bytes of all functions of a file together, constants included; the largest kernels have some tens
/// of thousands.
const MOST_BYTES: u64 = 64 << 20;

/// A function of a 64-bit machine as the bytes that run; these are final in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundBytes {
    /// The archive member that contains it.
    pub member: Option<String>,
    /// Its symbol.
    pub symbol: String,
    /// Its bytes as they are proved: code and constants, joined if they are stored apart. Or the reason why other code
    /// may run under its name.
    pub bytes: Result<Vec<u8>, EmitError>,
    /// True if it is an ordinary function that calls others or has data of its own, which no kernel does.
    pub leads_elsewhere: bool,
    /// True if the file tells where its constants end; otherwise the bytes behind them are included.
    pub bounded: bool,
}

/// Reads the functions of an object, shared object or archive.
///
/// # Errors
/// The file is neither a 64-bit ELF object of a known machine nor an archive of such objects, or it is damaged.
pub fn contents(file: &[u8]) -> Result<Contents<FoundBytes>, EmitError> {
    read(file, |symbol| crate::problem_of_symbol(&symbol.name).is_some())
}

/// Reads all functions of a file by name, whether or not the names claim a problem.
///
/// # Errors
/// See [`contents`]; also a function whose bytes are not final.
pub fn functions(file: &[u8]) -> Result<Vec<(String, Vec<u8>)>, EmitError> {
    let all = read(file, |symbol| symbol.kind == elf::STT_FUNC)?;
    all.functions.into_iter().map(|found| Ok((found.symbol, found.bytes?))).collect()
}

/// A requested function and its place.
struct Placed {
    found: FoundBytes,
    definition: Definition,
    /// The number of the member that contains it.
    member: usize,
    binding: Binding,
}

fn read(file: &[u8], wanted: impl Fn(&Definition) -> bool) -> Result<Contents<FoundBytes>, EmitError> {
    let archive = Archive::read(file)?;
    let mut reader = Reader {
        wanted,
        archive: &archive,
        placed: Vec::new(),
        known: HashSet::new(),
        contents: Contents::default(),
        bytes: 0,
        suspects: Vec::new(),
        mentioned: HashMap::new(),
        defined: Vec::new(),
        noted: Noted::default(),
    };
    for number in 0..archive.members.len() {
        let name = archive.members[number].name.clone().unwrap_or_default();
        let defined = reader.member(number);
        let of_member =
            |e: EmitError| if name.is_empty() { e } else { EmitError(format!("its member {name}: {e}")) };
        reader.defined.push(defined.map_err(of_member)?);
    }
    archive.check_index(&reader.defined)?;
    Ok(reader.finish())
}

/// Names that a member defines for others; `None` if they are not known.
type Names = Option<HashSet<String>>;

/// Reads the members in file order.
struct Reader<'a, 'f, W> {
    wanted: W,
    archive: &'a Archive<'f>,
    placed: Vec<Placed>,
    /// Names of the requested functions, each with the number of its member.
    known: HashSet<(usize, String)>,
    contents: Contents<FoundBytes>,
    /// Total bytes of the functions read so far.
    bytes: u64,
    /// Members that are compiled only at link time and do not tell which names they define.
    suspects: Vec<usize>,
    /// Names of the functions that occur in these members, each with those members.
    mentioned: HashMap<String, Vec<usize>>,
    /// Names that each member defines.
    defined: Vec<Names>,
    noted: Noted,
}

impl<W: Fn(&Definition) -> bool> Reader<'_, '_, W> {
    /// Reads the functions of one member.
    fn member(&mut self, number: usize) -> Result<Names, EmitError> {
        let member = &self.archive.members[number];
        let Some(name) = &member.name else { return self.file(number, member.data) };
        if member.data.starts_with(&elf::ELFMAG) {
            let kind = match kind_of(member.data) {
                Ok((_, kind)) => kind,
                // Linkers pass over it, or fail where its names are wanted.
                Err(_) if is_of_another_machine(member.data) => {
                    self.pass(number, name, "for another machine");
                    return Ok(None);
                }
                Err(why) => return Err(why),
            };
            if kind == elf::ET_REL {
                return self.relocatable(number, member.data);
            }
            self.pass(number, name, "a linked file");
            if self.archive.is_taken(number) {
                let exported = exported(member.data)?;
                self.noted.names(number, &exported);
                exported.iter().for_each(|exported| self.of_linked(number, exported));
            }
            return Ok(None);
        }
        if is_bitcode(member.data) {
            let Some(names) = defined_by_llvm(member.data) else {
                self.suspects.push(number);
                self.pass(number, name, "LLVM's bitcode");
                return Ok(None);
            };
            self.pass(number, name, "LLVM's bitcode");
            return Ok(Some(self.bitcode(number, names)));
        }
        self.pass(number, name, "no object");
        Ok(None)
    }

    /// Notes the names that bitcode defines, and returns them.
    fn bitcode(&mut self, number: usize, names: Vec<String>) -> HashSet<String> {
        self.noted.names(number, &names);
        names.iter().for_each(|name| self.of_compiler(number, name));
        names.into_iter().collect()
    }

    /// Reads a file that is not an archive.
    fn file(&mut self, number: usize, data: &[u8]) -> Result<Names, EmitError> {
        if is_bitcode(data) {
            let unread = || {
                EmitError(
                    "the file is LLVM's bitcode, of which machine code is made when it is linked: verify that"
                        .into(),
                )
            };
            let names = defined_by_llvm(data).ok_or_else(unread)?;
            return Ok(Some(self.bitcode(number, names)));
        }
        let (dialect, kind) = kind_of(data)?;
        if kind == elf::ET_REL {
            return self.relocatable(number, data);
        }
        self.linked(number, dialect, data)?;
        Ok(None)
    }

    /// Notes a member of which nothing is proved. Linkers that the index leads to it fail, or link it.
    fn pass(&mut self, number: usize, name: &str, what: &str) {
        self.contents.others.insert(format!("{name} ({what})"));
        for indexed in self.archive.indexed(number) {
            let definition = unplaced(indexed);
            if (self.wanted)(&definition) {
                let why =
                    format!("`{indexed}` is in {name} by the archive's index of symbols, and that is {what}");
                self.known.insert((number, indexed.to_owned()));
                self.placed.push(Placed {
                    found: found(&definition, self.archive.members[number].name.clone(), Err(EmitError(why))),
                    definition,
                    member: number,
                    binding: Binding::Global,
                });
            }
        }
    }

    /// Notes a name that a linked member exports: if linkers load the member for another of its names, they bind this
    /// one to it, too.
    fn of_linked(&mut self, number: usize, name: &str) {
        let member = self.archive.members[number].name.as_deref().unwrap_or_default();
        let why = EmitError(format!(
            "`{name}` is exported by {member}, a linked file, which linkers take in where another of its names is wanted"
        ));
        self.refuse(number, name, why);
    }

    /// Notes a name that becomes code only at link time.
    fn of_compiler(&mut self, number: usize, name: &str) {
        if !(self.wanted)(&unplaced(name)) {
            self.contents.others.insert(name.to_owned());
        }
        self.refuse(number, name, EmitError(format!("`{name}` {}", Optimized::why())));
    }

    /// Notes a requested name that has no provable code, unless the member already has a function of this name.
    fn refuse(&mut self, number: usize, name: &str, why: EmitError) {
        let definition = unplaced(name);
        if (self.wanted)(&definition) && self.known.insert((number, name.to_owned())) {
            let found = found(&definition, self.archive.members[number].name.clone(), Err(why));
            self.placed.push(Placed { found, definition, member: number, binding: Binding::Global });
        }
    }

    /// Reads the functions of an object.
    fn relocatable(&mut self, number: usize, data: &[u8]) -> Result<Names, EmitError> {
        let (dialect, _) = kind_of(data)?;
        let damaged =
            |e: object::Error| EmitError(format!("the file is no ELF object, or a damaged one: {e}"));
        let elf = ElfFile64::<Endianness>::parse(data).map_err(damaged)?;
        check_tables(&elf)?;
        let all = symbols(&elf, |name| crate::problem_of_symbol(name).is_some())?;
        self.contents.missing.extend(all.undefined);
        let mut names: HashSet<String> =
            all.defined.iter().filter(|d| d.is_global()).map(|d| d.name.clone()).collect();
        self.noted.names(number, &names);
        self.contents.others.extend(self.noted.sections(number, &elf)?);
        let (wanted, others): (Vec<_>, Vec<_>) = all.defined.into_iter().partition(|d| (self.wanted)(d));
        self.contents.others.extend(others.into_iter().filter(is_callable).map(|d| d.name));
        let optimized = optimized(&elf)?;
        let whole = match optimized {
            Some(_) => Err(EmitError(format!("its object {}", Optimized::why()))),
            None if wanted.is_empty() => Ok(()),
            None => check_object(&elf, dialect.elf.sections),
        };
        let apart = Apart::new(dialect, &elf);
        for definition in wanted {
            let together = whole.clone().and_then(|()| {
                let section = check(&elf, &definition)?;
                let code = code(&elf, &definition, section)?;
                Ok((section, apart.together(&definition, section, code)?))
            });
            let claims = |name: &str| crate::problem_of_symbol(name).is_some();
            let part = || is_part(&definition.name, names.iter().map(String::as_str));
            let local = !definition.is_global() && claims(&definition.name) && !part();
            let stands = match &together {
                _ if local => Err(EmitError(format!(
                    "`{}` is local, so that no other object finds it, and a call of it finds another of its name",
                    definition.name
                ))),
                Ok((section, _)) => aligned(&elf, dialect.alignment, &definition, *section),
                Err(_) => Ok(()),
            };
            let binding = match &whole {
                _ if definition.is_global() => Binding::Global,
                Ok(()) => Binding::Local,
                Err(_) => Binding::Unclear,
            };
            let together = together.map(|(_, together)| together);
            self.place((number, binding), definition, together, stands, dialect)?;
        }
        if let Some(Optimized { defined }) = optimized {
            let name = self.archive.members[number].name.clone();
            if let Some(name) = &name {
                self.contents.others.insert(format!("{name} (compiled for optimization when linking)"));
            }
            let Some(defined) = defined else {
                self.suspects.push(number);
                return Ok(None);
            };
            defined.iter().for_each(|name| self.of_compiler(number, name));
            self.noted.names(number, &defined);
            names.extend(defined);
        }
        Ok(Some(names))
    }

    /// Reads the functions of a linked file.
    fn linked(&mut self, number: usize, dialect: &'static Dialect, data: &[u8]) -> Result<(), EmitError> {
        check_linked(data)?;
        self.noted.is_linked = true;
        let linked = Linked::new(dialect, data, |name| (self.wanted)(&unplaced(name)))?;
        let claims = |name: &str| crate::problem_of_symbol(name).is_some();
        self.contents.missing.extend(linked.undefined().filter(|name| claims(name)).map(str::to_owned));
        self.contents.stripped = linked.is_stripped();
        for function in linked.functions(|definition| (self.wanted)(definition)) {
            let definition = function.definition.clone();
            self.noted.names(number, definition.is_global().then_some(&definition.name));
            if !(self.wanted)(&definition) {
                if is_callable(&definition) {
                    self.contents.others.insert(definition.name);
                }
                continue;
            }
            let stands = match definition.value.is_multiple_of(dialect.alignment) {
                true => Ok(()),
                false => Err(not_aligned(&definition.name, dialect.alignment)),
            };
            let binding = if definition.is_global() { Binding::Global } else { Binding::Unclear };
            self.place((number, binding), definition, linked.together(&function), stands, dialect)?;
        }
        Ok(())
    }

    /// Notes a requested function. `stands` is the error of its alignment or binding, if it has one.
    fn place(
        &mut self,
        (member, binding): (usize, Binding),
        definition: Definition,
        together: Result<Together, EmitError>,
        stands: Result<(), EmitError>,
        dialect: &Dialect,
    ) -> Result<(), EmitError> {
        let mut found =
            found(&definition, self.archive.members[member].name.clone(), Err(EmitError(String::new())));
        if let Ok(together) = &together {
            found.leads_elsewhere = (dialect.addressed)(&together.bytes).is_err();
            found.bounded = together.bounded;
        }
        found.bytes = together.and_then(|together| stands.map(|()| together.bytes));
        let more = found.bytes.as_ref().map_or(0, |b| b.len() as u64).saturating_add(definition.size);
        self.bytes = self.bytes.saturating_add(more);
        if self.placed.len() == MOST_FUNCTIONS || self.bytes > MOST_BYTES {
            return Err(EmitError(format!(
                "there are more than {MOST_FUNCTIONS} functions, or {MOST_BYTES} bytes of them, which no package has"
            )));
        }
        self.known.insert((member, definition.name.clone()));
        self.placed.push(Placed { found, definition, member, binding });
        Ok(())
    }

    /// Returns the reason why another function may be linked under this name, if there is one.
    fn elsewhere(&self, placed: &Placed) -> Option<String> {
        if !placed.definition.is_global() {
            return None;
        }
        let name = &placed.found.symbol;
        let mut suspects = self.mentioned.get(name).into_iter().flatten();
        if let Some(suspect) = suspects.find(|suspect| **suspect != placed.member) {
            let member = self.archive.members[*suspect].name.as_deref().unwrap_or_default();
            return Some(format!(
                "may be defined by {member} as well, which is compiled when it is linked and has no table of symbols \
                 that can be read"
            ));
        }
        let leads = self.archive.leads(name, placed.member);
        let leads =
            leads.err().map(|EmitError(why)| why.trim_start_matches(&format!("`{name}` ")).to_owned());
        leads.or_else(|| self.noted.elsewhere(self.archive, name))
    }

    /// Checks all functions together: a name must stand for one function, and an address for one claim.
    fn finish(mut self) -> Contents<FoundBytes> {
        let named = self.placed.iter().map(|p| (&*p.found.symbol, p.member, p.binding));
        let mut behind = behind_others(named).into_iter();
        let others = &mut self.contents.others;
        self.placed.retain(|p| {
            let is_behind = behind.next().unwrap_or(false);
            others.extend(is_behind.then(|| local_to(&p.found.symbol, p.found.member.as_deref())));
            !is_behind
        });
        let suspects = self.suspects.iter().map(|number| (*number, self.archive.members[*number].data));
        let all: Vec<&str> = self.placed.iter().map(|p| p.found.symbol.as_str()).collect();
        self.mentioned = mentioned(suspects, &all);
        let mut names: HashMap<String, usize> = HashMap::new();
        self.placed.iter().for_each(|p| *names.entry(p.found.symbol.clone()).or_default() += 1);
        let mut order: Vec<usize> = (0..self.placed.len()).collect();
        let place = |p: &Placed| (p.member, p.definition.section.map(|s| s.0), p.definition.value);
        order.sort_by_key(|&i| place(&self.placed[i]));
        let mut refused: Vec<Option<String>> = vec![None; self.placed.len()];
        // The earlier function that reaches furthest.
        let mut last: Option<usize> = None;
        for &i in &order {
            let here = &self.placed[i];
            refused[i] = match names[&here.found.symbol] {
                1 => self.elsewhere(here),
                _ => Some("stands for two functions of this file".into()),
            };
            let end = |p: &Placed| p.definition.value.saturating_add(p.definition.size);
            let together =
                |p: &&Placed| (p.member, p.definition.section) == (here.member, here.definition.section);
            if let Some(before) = last.map(|l| &self.placed[l]).filter(together)
                && end(before) > here.definition.value
                && names[&here.found.symbol] == 1
            {
                let claims = |p: &Placed| crate::problem_of_symbol(&p.found.symbol);
                let alias = place(before) == place(here) && before.definition.size == here.definition.size;
                if !alias || claims(before) != claims(here) {
                    let name = &before.found.symbol;
                    refused[i] = Some(format!("shares code with `{name}`, whose claim is another"));
                    refused[last.unwrap_or(i)].get_or_insert_with(|| {
                        format!("shares code with `{}`, whose claim is another", here.found.symbol)
                    });
                }
            }
            if last.is_none_or(|l| {
                let last = &self.placed[l];
                !together(&last) || end(last) <= end(here)
            }) {
                last = Some(i);
            }
        }
        for (placed, why) in self.placed.iter_mut().zip(refused) {
            if let Some(why) = why {
                placed.found.bytes = Err(EmitError(format!("`{}` {why}", placed.found.symbol)));
                placed.found.leads_elsewhere = false;
            }
            // A local function is called only by its own file.
            if placed.definition.is_global() {
                self.contents.missing.remove(&placed.found.symbol);
            }
        }
        self.contents.functions = self.placed.into_iter().map(|placed| placed.found).collect();
        self.contents.beside = self.noted.finish(self.archive, &self.suspects);
        self.contents
    }
}

/// Names that a linked file defines for others in either of its symbol tables.
fn exported(data: &[u8]) -> Result<HashSet<String>, EmitError> {
    let file =
        object::File::parse(data).map_err(|e| EmitError(format!("it is linked, and cannot be read: {e}")))?;
    let mut names = HashSet::new();
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        if symbol.is_undefined() || symbol.is_local() {
            continue;
        }
        let name = symbol.name_bytes().map_err(|e| EmitError(format!("its symbols cannot be read: {e}")))?;
        let name = String::from_utf8_lossy(name);
        names.insert(name.split('@').next().unwrap_or_default().to_owned());
    }
    Ok(names)
}

/// A definition of which only the name is known.
fn unplaced(name: &str) -> Definition {
    Definition {
        name: name.to_owned(),
        versioned: false,
        value: 0,
        size: 0,
        kind: elf::STT_FUNC,
        binding: elf::STB_GLOBAL,
        other: 0,
        section: None,
    }
}

fn found(of: &Definition, member: Option<String>, bytes: Result<Vec<u8>, EmitError>) -> FoundBytes {
    FoundBytes { member, symbol: of.name.clone(), bytes, leads_elsewhere: true, bounded: true }
}

/// Returns the dialect for the machine of a 64-bit ELF file, and the type of the file.
pub(super) fn kind_of(file: &[u8]) -> Result<(&'static Dialect, u16), EmitError> {
    // ELF, 64 bits, little-endian.
    match file.get(..6) {
        Some([0x7f, b'E', b'L', b'F', 2, 1]) => {}
        Some([0x7f, b'E', b'L', b'F', ..]) => {
            return Err(EmitError(
                "the file is ELF of another kind, and only 64 bits, little-endian, can be verified".into(),
            ));
        }
        _ => return Err(EmitError("the file is no ELF object, and no archive of such".into())),
    }
    let [kind, machine] = match file.get(16..20) {
        Some(&[a, b, c, d]) => [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])],
        _ => {
            return Err(EmitError(
                "the file is no ELF object, or a damaged one: it ends in its header".into(),
            ));
        }
    };
    let Some(dialect) = aesmith_processors::dialects().find(|dialect| dialect.elf.head.number == machine)
    else {
        let known: Vec<&str> = aesmith_processors::dialects().map(|dialect| dialect.name).collect();
        return Err(EmitError(format!(
            "the file is for machine {machine}, and only ELF for {} can be verified",
            known.join(", ")
        )));
    };
    match kind {
        elf::ET_REL | elf::ET_DYN | elf::ET_EXEC => Ok((dialect, kind)),
        other => Err(EmitError(format!("the file is neither an object nor linked (ELF type {other})"))),
    }
}

/// True for an ELF file of 32 bits, or for a machine whose code is not of 64 bits here.
fn is_of_another_machine(file: &[u8]) -> bool {
    let known = |number: u16| aesmith_processors::dialects().any(|dialect| dialect.elf.head.number == number);
    match file.get(..20) {
        Some([0x7f, b'E', b'L', b'F', 1, ..]) => true,
        Some([0x7f, b'E', b'L', b'F', 2, 1, .., a, b]) => !known(u16::from_le_bytes([*a, *b])),
        _ => false,
    }
}

/// Returns the code of a function of an object.
fn code<'f>(
    elf: &ElfFile64<'f, Endianness>,
    of: &Definition,
    section: SectionIndex,
) -> Result<&'f [u8], EmitError> {
    let outside = || EmitError(format!("the function `{}` reaches out of its section", of.name));
    let section = elf.elf_section_table().section(section).map_err(|_| outside())?;
    let (offset, bytes) = section.file_range(elf.endian()).ok_or_else(outside)?;
    of.value.checked_add(of.size).filter(|end| *end <= bytes).ok_or_else(outside)?;
    elf.data()
        .read_bytes_at(offset.checked_add(of.value).ok_or_else(outside)?, of.size)
        .map_err(|()| outside())
}

/// Checks that a function is aligned wherever its section is placed.
fn aligned(
    elf: &ElfFile64<'_, Endianness>,
    alignment: u64,
    of: &Definition,
    section: SectionIndex,
) -> Result<(), EmitError> {
    let table = elf.elf_section_table();
    let align = table.section(section).map_or(0, |s| s.sh_addralign(elf.endian()));
    match of.value.is_multiple_of(alignment) && align.is_power_of_two() && align >= alignment {
        true => Ok(()),
        false => Err(not_aligned(&of.name, alignment)),
    }
}

fn not_aligned(name: &str, alignment: u64) -> EmitError {
    EmitError(format!("`{name}` is not at a multiple of {alignment}, which its certificate assumes"))
}
