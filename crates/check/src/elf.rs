//! The functions of ELF objects for x86-64, and their comparison with the bytes of a proof.
//!
//! A linker moves sections and writes the distances between them. So an object's function is the code of a proof if both
//! are equal but for these distances, each distance leads to the place of the constants that the proof reads there, and the
//! constants are equal. An executed instruction has such a distance in its memory operand, and nowhere else. Sources: the System V ABI (gABI 4.1, chapter 4) and its supplement for AMD64 (4.4).

use aesmith_check::{Certificate, Executed};
use std::collections::BTreeSet;

/// The first bytes of ELF files.
const ELF: &[u8] = b"\x7fELF";
/// The first bytes of archives.
const ARCHIVE: &[u8] = b"!<arch>\n";
/// The alignment that proofs assume.
const ALIGNMENT: u64 = 64;
/// The byte between code and constants, which is no instruction that the checker executes.
const PADDING: u8 = 0xcc;

// Numbers of the ABI: section types and flags, symbol types, section numbers, the relocation of a 32-bit distance.
const PROGBITS: u64 = 1;
const SYMBOLS: u64 = 2;
const RELOCATIONS: u64 = 4;
/// Relocations in all forms: RELA, REL, CREL.
const OF_LINKERS: [u64; 3] = [RELOCATIONS, 9, 0x4000_0014];
const ALLOCATED: u64 = 2;
const EXECUTABLE: u64 = 4;
/// The flag of a section that is kept even if nothing refers to it. Sections with others are written, merged, unpacked, left out,
/// taken from another object, or more.
const RETAINED: u64 = 0x20_0000;
/// Sections that linkers copy as they are; more may follow behind a dot. Some of others they write anew, or leave out.
const COPIED: [&str; 2] = [".text", ".rodata"];
/// Sections that stand for code which replaces that of the object.
const REPLACING: [&str; 2] = [".gnu.lto_", ".llvm.lto"];
const FUNCTION: u64 = 2;
/// Types of symbols that are the address of bytes: none, object, function, section.
const OF_BYTES: [u64; 4] = [0, 1, FUNCTION, 3];
const RESERVED: u64 = 0xff00;
const DISTANCE: u64 = 2;
/// Relocations that write their field only: none, addresses, distances. For others linkers may change what is near.
const OF_FIELDS: [u64; 8] = [0, 1, DISTANCE, 4, 10, 11, 24, 26];
/// The most bytes before and behind a relocation's place that a linker changes, with a field there.
const CHANGED: u64 = 24;

/// True if a file is an object, or an archive of them.
pub fn is_object(file: &[u8]) -> bool {
    file.starts_with(ELF) || file.starts_with(ARCHIVE)
}

/// A function of an object.
pub struct Function<'f> {
    /// Its symbol.
    pub name: String,
    object: Object<'f>,
    /// The number of its section.
    section: usize,
    /// Its offset in the section.
    at: u64,
    /// The number of bytes of its code.
    size: u64,
}

/// The global functions of an object, or of the objects of an archive.
///
/// # Errors
/// The file is damaged, or it is not for x86-64, or it is linked.
pub fn functions(file: &[u8]) -> Result<Vec<Function<'_>>, String> {
    if file.starts_with(ELF) {
        return Object::new(file)?.functions();
    }
    let (mut all, mut at) = (Vec::new(), ARCHIVE.len());
    while at < file.len() {
        let head = file.get(at..at + 60).ok_or("the archive is damaged")?;
        let size: usize = text(&head[48..58]).trim().parse().map_err(|_| "the archive is damaged")?;
        let member = file.get(at + 60..).and_then(|rest| rest.get(..size)).ok_or("the archive is damaged")?;
        if member.starts_with(ELF) {
            all.extend(Object::new(member)?.functions()?);
        }
        at += 60 + size.next_multiple_of(2);
    }
    Ok(all)
}

/// True if a section of this alignment begins at a multiple of that which proofs assume.
fn is_aligned(section: u64) -> bool {
    section != 0 && section.is_multiple_of(ALIGNMENT)
}

/// The bytes up to the first zero as text.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned()
}

/// A little-endian number of up to 8 bytes.
fn number(bytes: &[u8], at: u64, size: usize) -> Result<u64, String> {
    let at = usize::try_from(at).map_err(|_| DAMAGED)?;
    let field = bytes.get(at..).and_then(|rest| rest.get(..size)).ok_or(DAMAGED)?;
    Ok(field.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)))
}

const DAMAGED: &str = "the object is damaged";

/// An object file.
#[derive(Clone)]
struct Object<'f> {
    file: &'f [u8],
    sections: Vec<Section>,
}

/// The head of a section: some of its fields.
#[derive(Clone)]
struct Section {
    name: u64,
    kind: u64,
    flags: u64,
    offset: u64,
    size: u64,
    link: u64,
    info: u64,
    alignment: u64,
}

/// A symbol.
struct Symbol {
    name: u64,
    kind: u64,
    is_global: bool,
    section: u64,
    value: u64,
    size: u64,
}

impl<'f> Object<'f> {
    fn new(file: &'f [u8]) -> Result<Object<'f>, String> {
        // Class 64, little-endian; a relocatable file; x86-64.
        if number(file, 4, 2)? != 0x0102 || number(file, 18, 2)? != 62 {
            return Err("it is not for x86-64".into());
        }
        if number(file, 16, 2)? != 1 {
            return Err("it is linked; `aesmith verify` reads such files".into());
        }
        let (first, size, count) = (number(file, 40, 8)?, number(file, 58, 2)?, number(file, 60, 2)?);
        let section = |i: u64| {
            let at = first.checked_add(i * size).ok_or(DAMAGED)?;
            let field = |offset: u64, bytes| number(file, at.saturating_add(offset), bytes);
            Ok(Section {
                name: field(0, 4)?,
                kind: field(4, 4)?,
                flags: field(8, 8)?,
                offset: field(24, 8)?,
                size: field(32, 8)?,
                link: field(40, 4)?,
                info: field(44, 4)?,
                alignment: field(48, 8)?,
            })
        };
        let sections = (0..count).map(section).collect::<Result<_, String>>()?;
        Ok(Object { file, sections })
    }

    fn section(&self, number: u64) -> Result<&Section, String> {
        let at = usize::try_from(number).ok().filter(|_| number < RESERVED);
        at.and_then(|at| self.sections.get(at)).ok_or_else(|| DAMAGED.into())
    }

    fn bytes(&self, section: &Section) -> Result<&'f [u8], String> {
        let at = usize::try_from(section.offset).map_err(|_| DAMAGED)?;
        let size = usize::try_from(section.size).map_err(|_| DAMAGED)?;
        self.file.get(at..).and_then(|rest| rest.get(..size)).ok_or_else(|| DAMAGED.into())
    }

    /// The name of a section.
    fn name(&self, section: &Section) -> Result<String, String> {
        self.text(number(self.file, 62, 2)?, section.name)
    }

    /// The text at a place in a section of texts.
    fn text(&self, section: u64, at: u64) -> Result<String, String> {
        let texts = self.bytes(self.section(section)?)?;
        usize::try_from(at).ok().and_then(|at| texts.get(at..)).map(text).ok_or_else(|| DAMAGED.into())
    }

    /// True if the bytes of a section are in memory as they are in the file, and never change.
    fn is_plain(&self, section: &Section) -> Result<bool, String> {
        let (name, flags) = (self.name(section)?, section.flags & !(EXECUTABLE | RETAINED));
        let mut rests = COPIED.iter().filter_map(|copied| name.strip_prefix(copied));
        let is_copied = rests.any(|rest| rest.is_empty() || rest.starts_with('.'));
        Ok(section.kind == PROGBITS && flags == ALLOCATED && is_copied)
    }

    fn symbol(&self, table: &[u8], index: u64) -> Result<Symbol, String> {
        let at = index.checked_mul(24).ok_or(DAMAGED)?;
        let field = |offset: u64, bytes| number(table, at.saturating_add(offset), bytes);
        let info = field(4, 1)?;
        Ok(Symbol {
            name: field(0, 4)?,
            kind: info & 15,
            is_global: info >> 4 != 0,
            section: field(6, 2)?,
            value: field(8, 8)?,
            size: field(16, 8)?,
        })
    }

    fn functions(&self) -> Result<Vec<Function<'f>>, String> {
        let (mut all, mut names) = (Vec::new(), BTreeSet::new());
        // Linkers read one table only.
        if self.sections.iter().filter(|section| section.kind == SYMBOLS).count() > 1 {
            return Err(DAMAGED.into());
        }
        for section in &self.sections {
            let name = self.name(section)?;
            if REPLACING.iter().any(|of| name.starts_with(of)) {
                return Err(format!("a linker may take other code than its own: that in {name}"));
            }
        }
        for head in self.sections.iter().filter(|section| section.kind == SYMBOLS) {
            let table = self.bytes(head)?;
            for index in 0..table.len() as u64 / 24 {
                let symbol = self.symbol(table, index)?;
                if !symbol.is_global || symbol.section == 0 {
                    continue;
                }
                let name = self.text(head.link, symbol.name)?;
                // Linkers take one of two definitions, whatever their kinds and versions.
                if !names.insert(name.split('@').next().unwrap_or_default().to_string()) {
                    return Err(format!("it defines {name} twice"));
                }
                if symbol.kind != FUNCTION || symbol.section >= RESERVED {
                    continue;
                }
                all.push(Function {
                    name,
                    object: self.clone(),
                    section: symbol.section as usize,
                    at: symbol.value,
                    size: symbol.size,
                });
            }
        }
        Ok(all)
    }

    /// The relocations of a section within a range.
    fn relocations(&self, of: usize, from: u64, to: u64) -> Result<Vec<Relocation>, String> {
        let mut all = Vec::new();
        for head in self.sections.iter().filter(|s| OF_LINKERS.contains(&s.kind) && s.info == of as u64) {
            if head.kind != RELOCATIONS {
                return Err("it has relocations of another processor".into());
            }
            // Linkers take relocations by another table for bytes.
            let (entries, table) = (self.bytes(head)?, self.section(head.link)?);
            let table = self.bytes(Some(table).filter(|table| table.kind == SYMBOLS).ok_or(DAMAGED)?)?;
            for at in (0..entries.len() as u64 / 24).map(|index| index * 24) {
                let (offset, info) = (number(entries, at, 8)?, number(entries, at + 8, 8)?);
                // A field of at most 8 bytes may reach into the range.
                if (from.saturating_sub(7)..to).contains(&offset) {
                    let symbol = self.symbol(table, info >> 32)?;
                    let addend = number(entries, at + 16, 8)? as i64;
                    all.push(Relocation { offset, kind: info & 0xffff_ffff, symbol, addend });
                }
            }
        }
        Ok(all)
    }

    /// The relocations that write into a range of a section.
    fn written(&self, of: usize, from: u64, to: u64) -> Result<Vec<Relocation>, String> {
        let near = self.relocations(of, from.saturating_sub(CHANGED), to.saturating_add(CHANGED))?;
        if near.iter().any(|relocation| !OF_FIELDS.contains(&relocation.kind)) {
            return Err("a linker may change bytes near a relocation of it".into());
        }
        self.relocations(of, from, to)
    }
}

/// A place that the linker writes.
struct Relocation {
    offset: u64,
    kind: u64,
    symbol: Symbol,
    addend: i64,
}

impl Function<'_> {
    /// Compares the function with the code of a proof, of which these instructions are executed.
    ///
    /// # Errors
    /// The reason why it is not this code.
    pub fn is_code_of(&self, proof: &Certificate, executed: &Executed) -> Result<(), String> {
        let section = self.object.section(self.section as u64)?;
        let bytes = self.object.bytes(section)?;
        let (size, all) = (self.size as usize, &proof.code);
        let code = usize::try_from(self.at).ok().and_then(|at| bytes.get(at..)).ok_or(DAMAGED)?;
        if !self.object.is_plain(section)? || section.flags & EXECUTABLE == 0 {
            return Err("it is in no section for code".into());
        }
        if !is_aligned(section.alignment) || !self.at.is_multiple_of(ALIGNMENT) {
            return Err(format!("it is not at a multiple of {ALIGNMENT}"));
        }
        // No instruction of the proof begins with the bytes behind the function. None may end there, either.
        let padding = all.get(size..proof.constants).ok_or("its code is longer than that of the proof")?;
        let is_inside = executed.iter().all(|(at, instruction)| at + instruction.length <= size);
        let ends_there = is_inside && padding.iter().all(|&byte| byte == PADDING);
        let (Some(code), true) = (code.get(..size), ends_there) else {
            return Err("its code ends at another place".into());
        };
        let (begin, end) = (self.at, self.at + self.size);
        let written = self.object.written(self.section, begin, end)?;
        let mut fields = Vec::new();
        let mut pool: Option<(u64, i128)> = None;
        for relocation in &written {
            let at = relocation.offset.checked_sub(self.at).filter(|at| at + 4 <= self.size);
            let at = at.filter(|_| relocation.kind == DISTANCE).ok_or("a linker writes into its code")?;
            // Another object may define a symbol of the same name.
            if relocation.symbol.is_global || !OF_BYTES.contains(&relocation.symbol.kind) {
                return Err("a linker chooses its constants".into());
            }
            let distance = number(all, at, 4)? as u32 as i32;
            let target = i128::from(relocation.symbol.value) + i128::from(relocation.addend);
            // The place of the proof's first byte in the section of the constants.
            let begin = target - i128::from(at) - i128::from(distance);
            let here = (relocation.symbol.section, begin);
            if *pool.get_or_insert(here) != here {
                return Err("its constants are not together".into());
            }
            fields.push(at as usize);
        }
        let is_field = |at: usize| fields.iter().any(|&field| (field..field + 4).contains(&at));
        if let Some(at) = (0..size).find(|&at| code[at] != all[at] && !is_field(at)) {
            return Err(format!("its byte at {at:#x} is another one than in the proof"));
        }
        if pool.is_some() {
            only_addresses_are_written(executed, &fields)?;
        }
        let (number, begin) = pool.unwrap_or((self.section as u64, i128::from(self.at)));
        self.constants(number, begin, proof)
    }

    /// Compares the constants in a section with those of a proof, whose first byte would be at `begin`.
    fn constants(&self, number: u64, begin: i128, proof: &Certificate) -> Result<(), String> {
        let section = self.object.section(number)?;
        let is_aligned = is_aligned(section.alignment) && begin.rem_euclid(i128::from(ALIGNMENT)) == 0;
        if number == 0 || !self.object.is_plain(section)? || !is_aligned {
            return Err(format!(
                "its constants are in no section for them, or at no multiple of {ALIGNMENT}"
            ));
        }
        let constants = &proof.code[proof.constants..];
        if constants.is_empty() {
            return Ok(());
        }
        let at = usize::try_from(begin + proof.constants as i128).map_err(|_| DAMAGED)?;
        let found = self.object.bytes(section)?.get(at..).and_then(|rest| rest.get(..constants.len()));
        let (from, to) = (at as u64, (at + constants.len()) as u64);
        if !self.object.written(number as usize, from, to)?.is_empty() {
            return Err("a linker writes into its constants".into());
        }
        if found == Some(constants) {
            Ok(())
        } else {
            Err("its constants are other ones than in the proof".into())
        }
    }
}

/// Requires that the linker writes each distance to an operand in memory, and no other byte of an executed instruction.
fn only_addresses_are_written(executed: &Executed, fields: &[usize]) -> Result<(), String> {
    for (&at, instruction) in executed {
        let distance = instruction.distance_at().map(|place| at + place);
        if distance.is_some_and(|distance| !fields.contains(&distance)) {
            return Err(format!("its instruction at {at:#x} reads constants at another place"));
        }
        let is_near = |&&field: &&usize| field + 4 > at && field < at + instruction.length;
        if fields.iter().filter(is_near).any(|&field| Some(field) != distance) {
            return Err(format!("a linker writes into its instruction at {at:#x}"));
        }
    }
    Ok(())
}
