//! The functions of an object, shared object or archive, read back: those whose names claim a problem,
//! each with the bytes that run when it is called, or why nobody can say which those are.

use super::apart::Apart;
use super::archive::each_object;
use super::{Contents, MOST_FUNCTIONS};
use crate::EmitError;
use crate::objects::loaded::{Loaded, is_relocatable};
use crate::objects::symbols::{Definition, check, check_object, symbols};
use aesmith_processor::dialect::Dialect;
use object::read::elf::{ElfFile64, FileHeader};
use object::{Endianness, ReadRef, SectionIndex, elf};
use std::collections::HashMap;

/// Most bytes of all functions of a file together, constants included: the largest kernels have some
/// tens of thousands.
const MOST_BYTES: u64 = 64 << 20;

/// A function in a file as the bytes that run: those of 64-bit machines, which are final where their symbol stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundBytes {
    /// The member of an archive that it is in.
    pub member: Option<String>,
    /// Its symbol.
    pub symbol: String,
    /// Its bytes as they are proved: code and constants, put together where they stand apart. Or why
    /// what runs under its name may be something else.
    pub bytes: Result<Vec<u8>, EmitError>,
    /// Whether it is a plain function that calls others or has data of its own, as no kernel does.
    pub leads_elsewhere: bool,
}

/// What is in an object, shared object or archive.
///
/// # Errors
/// A file that is no 64-bit ELF object of a known machine and no archive of such, or is damaged.
pub fn contents(file: &[u8]) -> Result<Contents<FoundBytes>, EmitError> {
    read(file, |symbol| crate::problem_of_symbol(&symbol.name).is_some())
}

/// The functions of a file under their names, whatever those claim.
///
/// # Errors
/// As [`contents`]; a function whose bytes are not final.
pub fn functions(file: &[u8]) -> Result<Vec<(String, Vec<u8>)>, EmitError> {
    let all = read(file, |symbol| symbol.kind == elf::STT_FUNC)?;
    all.functions.into_iter().map(|found| Ok((found.symbol, found.bytes?))).collect()
}

/// A function that was asked for, and where it stands.
struct Placed {
    found: FoundBytes,
    definition: Definition,
    /// The number of the object in an archive.
    object: usize,
}

fn read(file: &[u8], wanted: impl Fn(&Definition) -> bool) -> Result<Contents<FoundBytes>, EmitError> {
    let mut reader =
        Reader { wanted, placed: Vec::new(), contents: Contents::default(), bytes: 0, objects: 0 };
    each_object(file, |object, member| reader.object(object, member))?;
    Ok(reader.finish())
}

/// Reads objects one behind the other.
struct Reader<W> {
    wanted: W,
    placed: Vec<Placed>,
    contents: Contents<FoundBytes>,
    /// Bytes of functions so far.
    bytes: u64,
    objects: usize,
}

impl<W: Fn(&Definition) -> bool> Reader<W> {
    /// The functions of one object.
    fn object(&mut self, file: &[u8], member: Option<&str>) -> Result<(), EmitError> {
        let (elf, dialect) = elf_of(file)?;
        let all = symbols(&elf, |name| crate::problem_of_symbol(name).is_some())?;
        self.objects += 1;
        self.contents.missing.extend(all.undefined);
        let (wanted, others): (Vec<_>, Vec<_>) = all.defined.into_iter().partition(|d| (self.wanted)(d));
        let callable =
            |d: &Definition| d.is_global() && [elf::STT_FUNC, elf::STT_GNU_IFUNC].contains(&d.kind);
        self.contents.others.extend(others.into_iter().filter(callable).map(|d| d.name));
        if wanted.is_empty() {
            return Ok(());
        }
        check_object(&elf, dialect.elf.sections)?;
        let loaded = if is_relocatable(&elf)? { None } else { Some(Loaded::new(&elf)?) };
        let whole = object::File::Elf64(elf_of(file)?.0);
        let apart = Apart::new(dialect, &whole, loaded.as_ref());
        for definition in wanted {
            self.bytes = self.bytes.saturating_add(definition.size);
            if self.placed.len() == MOST_FUNCTIONS || self.bytes > MOST_BYTES {
                return Err(EmitError(format!(
                    "there are more than {MOST_FUNCTIONS} functions, or {MOST_BYTES} bytes of them, which no \
                     package has"
                )));
            }
            let mut leads_elsewhere = false;
            let bytes = check(&elf, &definition).and_then(|section| {
                let code = code(&elf, loaded.as_ref(), &definition, section)?;
                let bytes = apart.together(&definition, section, code);
                leads_elsewhere = bytes.as_ref().map_or(true, |bytes| (dialect.fields)(bytes).is_err());
                aligned(&elf, dialect.alignment, &definition, section)?;
                bytes
            });
            self.bytes = self.bytes.saturating_add(bytes.as_ref().map_or(0, |b| b.len() as u64));
            let symbol = definition.name.clone();
            let found = FoundBytes { member: member.map(str::to_owned), symbol, bytes, leads_elsewhere };
            self.placed.push(Placed { found, definition, object: self.objects });
        }
        Ok(())
    }

    /// What holds of each function by itself is not enough: a name stands for one, and an address.
    fn finish(mut self) -> Contents<FoundBytes> {
        let mut names: HashMap<String, usize> = HashMap::new();
        self.placed.iter().for_each(|p| *names.entry(p.found.symbol.clone()).or_default() += 1);
        let mut order: Vec<usize> = (0..self.placed.len()).collect();
        let place = |p: &Placed| (p.object, p.definition.section.map(|s| s.0), p.definition.value);
        order.sort_by_key(|&i| place(&self.placed[i]));
        let mut refused: Vec<Option<String>> = vec![None; self.placed.len()];
        // The one before that reaches furthest.
        let mut last: Option<usize> = None;
        for &i in &order {
            let here = &self.placed[i];
            if names[&here.found.symbol] > 1 {
                refused[i] = Some("stands for two functions of this file".into());
            }
            let end = |p: &Placed| p.definition.value.saturating_add(p.definition.size);
            let together =
                |p: &&Placed| (p.object, p.definition.section) == (here.object, here.definition.section);
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
            self.contents.missing.remove(&placed.found.symbol);
        }
        self.contents.functions = self.placed.into_iter().map(|placed| placed.found).collect();
        self.contents
    }
}

/// A file as ELF of 64 bits, and how the code of its machine stands there.
fn elf_of(file: &[u8]) -> Result<(ElfFile64<'_, Endianness>, &'static Dialect), EmitError> {
    let damaged = |e: object::Error| EmitError(format!("the file is no ELF object, or a damaged one: {e}"));
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
    let elf = ElfFile64::<Endianness>::parse(file).map_err(damaged)?;
    let machine = elf.elf_header().e_machine(elf.endian());
    let Some(dialect) = aesmith_processors::dialects().find(|dialect| dialect.elf.machine == machine) else {
        let known: Vec<&str> = aesmith_processors::dialects().map(|dialect| dialect.name).collect();
        return Err(EmitError(format!(
            "the file is for machine {machine}, and only ELF for {} can be verified",
            known.join(", ")
        )));
    };
    Ok((elf, dialect))
}

/// The code of a function, as it is loaded or linked.
fn code<'f>(
    elf: &ElfFile64<'f, Endianness>,
    loaded: Option<&Loaded<'f>>,
    of: &Definition,
    section: SectionIndex,
) -> Result<&'f [u8], EmitError> {
    use object::read::elf::SectionHeader;
    let outside = || EmitError(format!("the function `{}` reaches out of its section", of.name));
    let section = elf.elf_section_table().section(section).map_err(|_| outside())?;
    let (offset, bytes) = section.file_range(elf.endian()).ok_or_else(outside)?;
    let start = of.value.checked_sub(section.sh_addr(elf.endian())).ok_or_else(outside)?;
    let end = start.checked_add(of.size).filter(|end| *end <= bytes).ok_or_else(outside)?;
    if let Some(loaded) = loaded {
        return loaded.bytes(&of.name, of.value..of.value + of.size, true);
    }
    elf.data()
        .read_bytes_at(offset.checked_add(start).ok_or_else(outside)?, end - start)
        .map_err(|()| outside())
}

/// A function begins at a multiple of its alignment wherever its section comes to stand.
fn aligned(
    elf: &ElfFile64<'_, Endianness>,
    alignment: u64,
    of: &Definition,
    section: SectionIndex,
) -> Result<(), EmitError> {
    use object::read::elf::SectionHeader;
    let table = elf.elf_section_table();
    let align = table.section(section).map_or(0, |s| s.sh_addralign(elf.endian()));
    let moves = is_relocatable(elf)? && !(align.is_power_of_two() && align >= alignment);
    if !of.value.is_multiple_of(alignment) || moves {
        return Err(EmitError(format!(
            "`{}` is not at a multiple of {alignment}, which its certificate assumes",
            of.name
        )));
    }
    Ok(())
}
