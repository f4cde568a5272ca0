//! Reads the data by which the loader binds names in a linked file: the dynamic section, its tables of symbols, hashes
//! and versions, and the addresses that it writes. Anything not known to leave a function unchanged is refused.

use crate::EmitError;
use crate::objects::loaded::{Loaded, number, wrong};
use aesmith_processor::dialect::Loading;
use object::elf;
use std::collections::BTreeMap;
use std::ops::Range;

/// Tags that change neither which function a name finds nor any byte of code. Each occurs at most once, except for
/// needed libraries, which the loader searches after this file.
const PLAIN: &[u32] = &[
    elf::DT_NEEDED,
    elf::DT_PLTRELSZ,
    elf::DT_PLTGOT,
    elf::DT_HASH,
    elf::DT_STRTAB,
    elf::DT_SYMTAB,
    elf::DT_RELA,
    elf::DT_RELASZ,
    elf::DT_RELAENT,
    elf::DT_STRSZ,
    elf::DT_SYMENT,
    elf::DT_INIT,
    elf::DT_FINI,
    elf::DT_SONAME,
    elf::DT_RPATH,
    elf::DT_SYMBOLIC,
    elf::DT_PLTREL,
    elf::DT_DEBUG,
    elf::DT_JMPREL,
    elf::DT_BIND_NOW,
    elf::DT_INIT_ARRAY,
    elf::DT_FINI_ARRAY,
    elf::DT_INIT_ARRAYSZ,
    elf::DT_FINI_ARRAYSZ,
    elf::DT_RUNPATH,
    elf::DT_FLAGS,
    elf::DT_PREINIT_ARRAY,
    elf::DT_PREINIT_ARRAYSZ,
    RELRSZ,
    RELR,
    RELRENT,
    elf::DT_GNU_HASH,
    elf::DT_VERSYM,
    elf::DT_RELACOUNT,
    elf::DT_FLAGS_1,
    elf::DT_VERDEF,
    elf::DT_VERDEFNUM,
    elf::DT_VERNEED,
    elf::DT_VERNEEDNUM,
];

/// Relative relocations in short form (`DT_RELR` and its companions). Not in the crate `object`.
const RELRSZ: u32 = 35;
const RELR: u32 = 36;
const RELRENT: u32 = 37;

/// Names of tags that make the loader search other files, or change the loaded bytes.
const NAMED: &[(u32, &str)] = &[
    (
        elf::DT_TEXTREL,
        "DT_TEXTREL: the file has text relocations, and the loader changes code before it runs",
    ),
    (elf::DT_REL, "DT_REL: relocations of a form that loaders of this machine pass over"),
    (elf::DT_AUXILIARY, "DT_AUXILIARY: names are looked for in another library first"),
    (elf::DT_FILTER, "DT_FILTER: names are looked for in another library alone"),
    (elf::DT_CONFIG, "DT_CONFIG"),
    (elf::DT_DEPAUDIT, "DT_DEPAUDIT: another library is asked about each name"),
    (elf::DT_AUDIT, "DT_AUDIT: another library is asked about each name"),
    (elf::DT_GNU_PRELINKED, "DT_GNU_PRELINKED"),
    (elf::DT_GNU_CONFLICT, "DT_GNU_CONFLICT"),
    (elf::DT_GNU_LIBLIST, "DT_GNU_LIBLIST"),
    (elf::DT_SYMINFO, "DT_SYMINFO"),
];

/// Bits of `DT_FLAGS` and `DT_FLAGS_1` that change no function: how libraries are found and kept, and when they are
/// bound.
const FLAGS: u64 = (elf::DF_ORIGIN | elf::DF_SYMBOLIC | elf::DF_BIND_NOW | elf::DF_STATIC_TLS) as u64;
const FLAGS_1: u64 = (elf::DF_1_NOW
    | elf::DF_1_GLOBAL
    | elf::DF_1_NODELETE
    | elf::DF_1_INITFIRST
    | elf::DF_1_NOOPEN
    | elf::DF_1_ORIGIN
    | elf::DF_1_NODEFLIB
    | elf::DF_1_NODUMP
    | elf::DF_1_PIE) as u64;

/// Maximum number of bytes that another relocation writes, except for a copy.
const WRITTEN: u64 = 16;
const SYMBOL: usize = 24;
const RELOCATION: u64 = 24;
/// Maximum length of all names together in bytes, and maximum number of symbols with one hash; libraries have far
/// fewer.
const MOST_NAMES: usize = 64 << 20;
const MOST_STEPS: usize = 1 << 12;

/// A symbol that other files may be bound to.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its address.
    pub value: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its type (`STT_FUNC` and others).
    pub kind: u8,
    /// Its binding (`STB_GLOBAL` and others).
    pub binding: u8,
    other: u8,
    section: u16,
    /// `Ok` if the loader finds this symbol under its name; otherwise the reason why it may find another, or none.
    pub found: Result<(), String>,
}

/// The data that the loader reads to bind names.
pub(crate) struct Dynamic {
    /// Defined symbols, in the order of the table.
    pub defined: Vec<Symbol>,
    /// Names that are looked up in other files.
    pub undefined: Vec<String>,
    /// Address ranges that the loader writes, sorted and disjoint.
    written: Vec<Range<u64>>,
}

/// The values of the dynamic section, by tag.
struct Tags(BTreeMap<u32, u64>);

impl Tags {
    fn read(bytes: &[u8]) -> Result<Tags, EmitError> {
        let mut tags = BTreeMap::new();
        for entry in bytes.chunks_exact(16) {
            let (tag, value) = (number(entry, 0, 8).unwrap_or(0), number(entry, 8, 8).unwrap_or(0));
            if tag == u64::from(elf::DT_NULL) {
                return Tags(tags).checked();
            }
            let known = u32::try_from(tag).ok().filter(|tag| PLAIN.contains(tag));
            let Some(known) = known else {
                let named = NAMED.iter().find(|(number, _)| u64::from(*number) == tag);
                let named = named.map_or_else(|| format!("{tag:#x}"), |(_, name)| (*name).to_owned());
                return Err(wrong(format!(
                    "the dynamic section has an entry by which the loader may run other code ({named})"
                )));
            };
            if tags.insert(known, value).is_some() && known != elf::DT_NEEDED {
                return Err(wrong(format!("the dynamic section has two entries of one kind ({known:#x})")));
            }
        }
        Err(wrong("the dynamic section has no end"))
    }

    fn checked(self) -> Result<Tags, EmitError> {
        let sizes = [
            (elf::DT_SYMENT, SYMBOL as u64),
            (elf::DT_RELAENT, RELOCATION),
            (RELRENT, 8),
            (elf::DT_PLTREL, u64::from(elf::DT_RELA)),
        ];
        if let Some((tag, _)) = sizes.iter().find(|(tag, size)| self.get(*tag).is_some_and(|v| v != *size)) {
            return Err(wrong(format!(
                "an entry of the dynamic section ({tag:#x}) has a value that none has"
            )));
        }
        for (tag, plain) in [(elf::DT_FLAGS, FLAGS), (elf::DT_FLAGS_1, FLAGS_1)] {
            let flags = self.get(tag).unwrap_or(0);
            if tag == elf::DT_FLAGS && flags & u64::from(elf::DF_TEXTREL) != 0 {
                return Err(wrong(
                    "the file has text relocations (DF_TEXTREL): the loader changes code before it runs",
                ));
            }
            if flags & !plain != 0 {
                return Err(wrong(format!(
                    "the dynamic section has flags ({tag:#x}: {flags:#x}) by which the loader may run other code"
                )));
            }
        }
        Ok(self)
    }

    fn get(&self, tag: u32) -> Option<u64> {
        self.0.get(&tag).copied()
    }
}

impl Dynamic {
    /// Reads a dynamic section, which is mapped at `place`. Names that claim a problem are looked up as the loader does
    /// it.
    ///
    /// # Errors
    /// Entries that are not known to be harmless; tables that are writable or cannot be read.
    pub fn read(
        loading: &Loading,
        loaded: &Loaded<'_>,
        place: Range<u64>,
        bytes: &[u8],
        claims: impl Fn(&str) -> bool,
    ) -> Result<Dynamic, EmitError> {
        let tags = Tags::read(bytes)?;
        let table = |tag: u32, name: &str| match tags.get(tag) {
            None => Ok(None),
            Some(address) => match loaded.table(address) {
                Some(bytes) => Ok(Some(bytes)),
                None => Err(wrong(format!(
                    "the loader's table of {name} is not in one segment that is read and never written"
                ))),
            },
        };
        let symbols = table(elf::DT_SYMTAB, "symbols")?.unwrap_or_default();
        let names = table(elf::DT_STRTAB, "names")?.unwrap_or_default();
        let names = &names[..names.len().min(tags.get(elf::DT_STRSZ).unwrap_or(0) as usize)];
        let hash = table(elf::DT_HASH, "hashes")?.map(Hash);
        let gnu_hash = table(elf::DT_GNU_HASH, "hashes")?.map(GnuHash);
        let unread = || wrong("the loader's table of hashes cannot be read");
        let counts = [hash.as_ref().map(Hash::count), gnu_hash.as_ref().map(GnuHash::count)];
        let mut count = 0;
        for found in counts.into_iter().flatten() {
            count = count.max(found.ok_or_else(unread)?);
        }
        let versions = Versions {
            numbers: table(elf::DT_VERSYM, "versions")?,
            defined: table(elf::DT_VERDEF, "versions")?.map(versions_of),
        };
        let mut dynamic = Dynamic { defined: Vec::new(), undefined: Vec::new(), written: Vec::new() };
        let (mut numbered, mut length) = (Vec::new(), 0usize);
        for index in 1..count {
            let symbol = symbol(symbols, names, index)
                .ok_or_else(|| wrong("the loader's table of symbols cannot be read"))?;
            length = length.saturating_add(symbol.name.len());
            if length > MOST_NAMES {
                return Err(wrong("the names of its symbols are longer than those of any library"));
            }
            // Loaders bind the address of a function to an undefined symbol that has one.
            let is_undefined = symbol.section == elf::SHN_UNDEF && symbol.value == 0;
            match (symbol.name.is_empty(), is_undefined) {
                (true, _) => {}
                (false, true) => dynamic.undefined.push(symbol.name),
                (false, false) => numbered.push((index, symbol)),
            }
        }
        let is_named = |index: usize, name: &str| {
            let at = number(symbols, index.checked_mul(SYMBOL)?, 4)? as usize;
            let found = names.get(at..)?.strip_prefix(name.as_bytes())?;
            Some(found.first() == Some(&0))
        };
        let lookup = |index: usize, name: &str| is_named(index, name).unwrap_or(false);
        for (index, mut symbol) in numbered {
            // The reader of the file's functions refuses two of a name, among whose versions the loader chooses.
            if claims(&symbol.name) {
                let by_hash = hash.as_ref().map(|table| table.find(&symbol.name, &lookup));
                let by_gnu_hash = gnu_hash.as_ref().map(|table| table.find(&symbol.name, &lookup));
                let mut found = [by_hash, by_gnu_hash].into_iter().flatten().peekable();
                symbol.found = match found.peek().is_some() && found.all(|at| at == Some(index)) {
                    true => symbol.visible().and_then(|()| versions.check(index)),
                    false => Err("is not found by the loader's table of hashes, so that a call of it finds \
                                  another of its name, or none"
                        .into()),
                };
            }
            dynamic.defined.push(symbol);
        }
        dynamic.relocations(loading, loaded, &tags, symbols)?;
        if dynamic.writes(&place) {
            return Err(wrong("the loader relocates its own dynamic section"));
        }
        Ok(dynamic)
    }

    /// Notes the address ranges that the loader writes.
    fn relocations(
        &mut self,
        loading: &Loading,
        loaded: &Loaded<'_>,
        tags: &Tags,
        symbols: &[u8],
    ) -> Result<(), EmitError> {
        let unread =
            || wrong("the loader's relocations are not in one segment that is read and never written");
        let table = |at: u32, size: u32| match (tags.get(at), tags.get(size).unwrap_or(0)) {
            (_, 0) => Ok(&[][..]),
            (Some(address), size) => {
                let whole = loaded.table(address).ok_or_else(unread)?;
                usize::try_from(size).ok().and_then(|size| whole.get(..size)).ok_or_else(unread)
            }
            (None, _) => Err(unread()),
        };
        for entries in [table(elf::DT_RELA, elf::DT_RELASZ)?, table(elf::DT_JMPREL, elf::DT_PLTRELSZ)?] {
            for entry in entries.chunks(RELOCATION as usize) {
                let (at, info) = number(entry, 0, 8).zip(number(entry, 8, 8)).ok_or_else(unread)?;
                let copied = || number(symbols, (info >> 32) as usize * SYMBOL + 16, 8).unwrap_or(u64::MAX);
                let bytes = match info as u32 {
                    kind if kind == loading.copy => copied(),
                    kind if loading.words.contains(&kind) => 8,
                    _ => WRITTEN,
                };
                self.written.push(at..at.saturating_add(bytes));
            }
        }
        // An even entry is an address; an odd one is a bitmap of the 63 words behind the last address.
        let mut next = 0u64;
        for entry in table(RELR, RELRSZ)?.chunks(8) {
            let entry = number(entry, 0, 8).ok_or_else(unread)?;
            if entry & 1 == 0 {
                self.written.push(entry..entry.saturating_add(8));
                next = entry.wrapping_add(8);
                continue;
            }
            for word in (0..63).filter(|word| entry >> (word + 1) & 1 == 1) {
                let at = next.wrapping_add(8 * word);
                self.written.push(at..at.saturating_add(8));
            }
            next = next.wrapping_add(8 * 63);
        }
        self.written.sort_by_key(|written| written.start);
        self.written.dedup_by(|next, last| {
            let joined = next.start <= last.end;
            if joined {
                last.end = last.end.max(next.end);
            }
            joined
        });
        Ok(())
    }

    /// Returns the first written range that ends behind an address.
    fn next(&self, address: u64) -> Option<&Range<u64>> {
        self.written.get(self.written.partition_point(|written| written.end <= address))
    }

    /// Returns the end of the initial part of a range that the loader does not write.
    pub fn clear(&self, range: &Range<u64>) -> u64 {
        self.next(range.start).map_or(range.end, |written| written.start.clamp(range.start, range.end))
    }

    /// True if the loader writes into a range.
    pub fn writes(&self, range: &Range<u64>) -> bool {
        self.next(range.start).is_some_and(|written| written.start < range.end)
    }
}

/// Reads a symbol of the table.
fn symbol(symbols: &[u8], names: &[u8], index: usize) -> Option<Symbol> {
    let entry = symbols.get(index.checked_mul(SYMBOL)?..)?.get(..SYMBOL)?;
    let name = names.get(number(entry, 0, 4)? as usize..)?;
    let name = &name[..name.iter().position(|byte| *byte == 0)?];
    Some(Symbol {
        name: String::from_utf8_lossy(name).into_owned(),
        value: number(entry, 8, 8)?,
        size: number(entry, 16, 8)?,
        kind: entry[4] & 15,
        binding: entry[4] >> 4,
        other: entry[5],
        section: number(entry, 6, 2)? as u16,
        found: Ok(()),
    })
}

impl Symbol {
    /// Checks that other files are bound to the symbol as to a plain one.
    fn visible(&self) -> Result<(), String> {
        if ![elf::STV_DEFAULT, elf::STV_PROTECTED].contains(&self.other) {
            return Err(format!(
                "is not visible to other files ({:#x}), so that a call of it finds another of its name",
                self.other
            ));
        }
        if self.binding == elf::STB_LOCAL {
            return Err("is local, so that a call of it finds another of its name".into());
        }
        if self.section >= elf::SHN_LORESERVE {
            return Err("is in no section, so that the loader does not move it with the file".into());
        }
        Ok(())
    }
}

/// Versions of symbols.
struct Versions<'f> {
    /// A number for each symbol; its highest bit is set if the version is hidden.
    numbers: Option<&'f [u8]>,
    /// The version numbers that the file defines; `None` inside if they cannot be read.
    defined: Option<Option<Vec<u16>>>,
}

impl Versions<'_> {
    /// Checks that a name without a version finds the symbol.
    fn check(&self, index: usize) -> Result<(), String> {
        /// The numbers of local symbols, and of global ones without a version.
        const LOCAL: u64 = 0;
        const GLOBAL: u64 = 1;
        const HIDDEN: u64 = 0x8000;
        let Some(numbers) = self.numbers else { return Ok(()) };
        let Some(version) = number(numbers, 2 * index, 2) else {
            return Err("has a version that cannot be read".into());
        };
        if version & HIDDEN != 0 {
            return Err("has a hidden version: who calls it by its name finds another, or none".into());
        }
        let defined = || self.defined.iter().flatten().flatten().any(|known| u64::from(*known) == version);
        match version {
            LOCAL => Err("is local by its version, so that a call of it finds another of its name".into()),
            GLOBAL => Ok(()),
            _ if defined() => Ok(()),
            _ => Err("has a version that the file does not define".into()),
        }
    }
}

/// Reads the version numbers that a file defines: a chain of entries, each with the offset of the next.
fn versions_of(table: &[u8]) -> Option<Vec<u16>> {
    let (mut at, mut all) = (0usize, Vec::new());
    loop {
        let version = number(table, at + 4, 2)? as u16;
        if number(table, at, 2)? != 1 || all.contains(&version) {
            return None;
        }
        all.push(version);
        match number(table, at.checked_add(16)?, 4)? {
            0 => return Some(all),
            next => at = at.checked_add(next as usize)?,
        }
    }
}

/// A System V hash table: two counts, the first symbol of each chain, and for each symbol its successor.
struct Hash<'f>(&'f [u8]);

impl Hash<'_> {
    fn word(&self, at: usize) -> Option<usize> {
        Some(number(self.0, at.checked_mul(4)?, 4)? as usize)
    }

    fn count(&self) -> Option<usize> {
        let (chains, count) = (self.word(0)?, self.word(1)?);
        // Loaders follow a chain wherever it leads, whatever the number of symbols is.
        let end = chains.checked_add(count)?.checked_add(2)?;
        (2..end).all(|at| self.word(at).is_some_and(|next| next == 0 || next < count)).then_some(count)
    }

    fn find(&self, name: &str, named: &impl Fn(usize, &str) -> bool) -> Option<usize> {
        let (chains, count) = (self.word(0)?, self.word(1)?);
        let mut at = self.word(2 + (elf::hash(name.as_bytes()) as usize).checked_rem(chains)?)?;
        // The limit ends the search in a cyclic chain.
        for _ in 0..count.min(MOST_STEPS) {
            if at == 0 || named(at, name) {
                break;
            }
            at = self.word(2 + chains + at)?;
        }
        (at != 0 && at < count && named(at, name)).then_some(at)
    }
}

/// A GNU hash table: four words, a filter, the first symbol of each chain, and the hash of each symbol, whose lowest
/// bit ends a chain.
struct GnuHash<'f>(&'f [u8]);

impl GnuHash<'_> {
    fn word(&self, at: usize) -> Option<usize> {
        Some(number(self.0, at.checked_mul(4)?, 4)? as usize)
    }

    /// Returns the number of chains, the first symbol with a hash, the number of filter words, and the word offset of
    /// the chains' first symbols.
    fn about(&self) -> Option<(usize, usize, usize, usize)> {
        let (chains, first, filter) = (self.word(0)?, self.word(1)?, self.word(2)?);
        filter.is_power_of_two().then_some(())?;
        Some((chains, first, filter, filter.checked_mul(2)?.checked_add(4)?))
    }

    /// Returns the number of symbols: the last chain ends with the table.
    fn count(&self) -> Option<usize> {
        let (chains, first, _, at) = self.about()?;
        let mut last = 0;
        for chain in 0..chains {
            last = last.max(self.word(at + chain)?);
        }
        if last == 0 {
            return Some(first);
        }
        let hashes = at + chains;
        while self.word(hashes.checked_add(last.checked_sub(first)?)?)? & 1 == 0 {
            last += 1;
        }
        Some(last + 1)
    }

    fn find(&self, name: &str, named: &impl Fn(usize, &str) -> bool) -> Option<usize> {
        let (chains, first, filter, at) = self.about()?;
        let hash = elf::gnu_hash(name.as_bytes());
        let word = number(self.0, 16 + 8 * (hash as usize / 64 % filter), 8)?;
        let second = hash.checked_shr(self.word(3)? as u32)?;
        if word >> (hash % 64) & 1 == 0 || word >> (second % 64) & 1 == 0 {
            return None;
        }
        let begin = self.word(at + (hash as usize).checked_rem(chains)?)?;
        if begin == 0 {
            return None;
        }
        for index in (begin..).take(MOST_STEPS) {
            let known = self.word((at + chains).checked_add(index.checked_sub(first)?)?)?;
            if known as u32 | 1 == hash | 1 && named(index, name) {
                return Some(index);
            }
            if known & 1 == 1 {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table without words behind its end, or whose words lead beyond the symbols that it counts, is not read.
    #[test]
    fn a_table_of_hashes_leads_to_symbols_that_it_counts() {
        let count = |words: &[u32]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            Hash(&bytes).count()
        };
        assert_eq!(count(&[1, 3, 2, 0, 0, 1]), Some(3));
        assert_eq!(count(&[1, 3, 3, 0, 0, 1]), None, "a bucket leads to a fourth");
        assert_eq!(count(&[1, 3, 2, 0, 0, 3]), None, "a chain leads to a fourth");
        assert_eq!(count(&[1, 3, 2, 0, 0]), None, "a word is missing");
    }
}
