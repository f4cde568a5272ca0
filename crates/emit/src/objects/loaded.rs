//! Models how the loader maps a linked file: it reads program headers, never sections. Bytes are taken from the
//! segments, and only where nothing else can be mapped at their addresses.

use crate::EmitError;
use crate::objects::dynamic::Dynamic;
use aesmith_processor::dialect::Dialect;
use object::elf;
use std::ops::Range;

/// Minimum page size in bytes by which segments are mapped.
const PAGE: u64 = 4096;

/// Kinds of program headers that change no mapped byte; `PT_GNU_RELRO` only removes permissions.
const PLAIN: &[u32] = &[
    elf::PT_NULL,
    elf::PT_LOAD,
    elf::PT_DYNAMIC,
    elf::PT_INTERP,
    elf::PT_NOTE,
    elf::PT_PHDR,
    elf::PT_TLS,
    elf::PT_GNU_EH_FRAME,
    elf::PT_GNU_STACK,
    elf::PT_GNU_RELRO,
    elf::PT_GNU_PROPERTY,
    elf::PT_GNU_SFRAME,
];

/// A program header.
struct Header {
    kind: u32,
    flags: u32,
    offset: u64,
    address: u64,
    in_file: u64,
    in_memory: u64,
    alignment: u64,
}

/// A part of the file that the loader maps.
struct Segment {
    /// Its addresses, without the zero-filled part.
    addresses: Range<u64>,
    /// The pages that it touches, including the zero-filled part.
    pages: Range<u64>,
    /// Its offset in the file.
    offset: u64,
    flags: u32,
}

/// A linked file as the loader maps it.
pub struct Loaded<'f> {
    file: &'f [u8],
    segments: Vec<Segment>,
    /// Address ranges that become read-only and non-executable after relocation.
    protected: Vec<Range<u64>>,
    /// The dynamic section; `None` if the file has none.
    pub dynamic: Option<Dynamic>,
}

/// Rounds a range outwards to whole pages.
fn pages(range: &Range<u64>) -> Range<u64> {
    range.start / PAGE * PAGE..range.end.div_ceil(PAGE).saturating_mul(PAGE)
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

pub(super) fn wrong(why: impl Into<String>) -> EmitError {
    EmitError(why.into())
}

/// Reads a little-endian number of a table.
pub(super) fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(width)?)?;
    Some(field.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// Reads the program headers of a 64-bit file as the loader does.
fn headers(file: &[u8]) -> Option<Vec<Header>> {
    let (table, size, count) = (number(file, 32, 8)?, number(file, 54, 2)?, number(file, 56, 2)?);
    // Loaders accept no other size, and no count that is stored elsewhere.
    if size != 56 || count == u64::from(elf::PN_XNUM) {
        return None;
    }
    let header = |index: u64| {
        let at = usize::try_from(table.checked_add(56 * index)?).ok()?;
        Some(Header {
            kind: number(file, at, 4)? as u32,
            flags: number(file, at + 4, 4)? as u32,
            offset: number(file, at + 8, 8)?,
            address: number(file, at + 16, 8)?,
            in_file: number(file, at + 32, 8)?,
            in_memory: number(file, at + 40, 8)?,
            alignment: number(file, at + 48, 8)?,
        })
    };
    (0..count).map(header).collect()
}

impl<'f> Loaded<'f> {
    /// Reads the segments of a linked file and its dynamic section. Names that claim a problem are looked up.
    ///
    /// # Errors
    /// Program headers that loaders read in several ways or whose meaning is not known; relocations of code.
    pub fn new(
        dialect: &Dialect,
        file: &'f [u8],
        claims: impl Fn(&str) -> bool,
    ) -> Result<Loaded<'f>, EmitError> {
        let headers = headers(file).ok_or_else(|| wrong("the program headers cannot be read"))?;
        if let Some(other) = headers.iter().find(|header| !PLAIN.contains(&header.kind)) {
            return Err(wrong(format!(
                "the file has a program header of a kind ({:#x}) of which is not known what loaders do for it",
                other.kind
            )));
        }
        let of = |kind| headers.iter().filter(move |header| header.kind == kind);
        let segments: Result<Vec<Segment>, EmitError> =
            of(elf::PT_LOAD).map(|header| segment(file, header)).collect();
        let segments = segments?;
        if segments.windows(2).any(|two| two[1].addresses.start < two[0].addresses.start) {
            return Err(wrong("the segments do not stand in the order of their addresses"));
        }
        let protected = of(elf::PT_GNU_RELRO)
            .map(|header| pages(&(header.address..header.address.saturating_add(header.in_memory))))
            .collect();
        let mut loaded = Loaded { file, segments, protected, dynamic: None };
        let mut tables = of(elf::PT_DYNAMIC);
        let Some(table) = tables.next() else { return Ok(loaded) };
        if tables.next().is_some() {
            return Err(wrong(
                "there are two dynamic sections (PT_DYNAMIC), of which one loader reads the first and another the \
                 last",
            ));
        }
        let place = table.address..table.address.saturating_add(table.in_memory);
        let bytes = loaded.mapped(&place).filter(|(segment, _)| segment.flags & elf::PF_R != 0);
        let (_, bytes) =
            bytes.ok_or_else(|| wrong("the dynamic section cannot be read where it is mapped"))?;
        loaded.dynamic = Some(Dynamic::read(&dialect.elf.loading, &loaded, place, bytes, claims)?);
        Ok(loaded)
    }

    /// Returns the bytes of an address range if exactly one segment covers its pages.
    fn mapped(&self, range: &Range<u64>) -> Option<(&Segment, &'f [u8])> {
        let whole = pages(range);
        let mut there = self.segments.iter().filter(|s| overlap(&s.pages, &whole));
        let (segment, None) = (there.next()?, there.next()) else { return None };
        let inside = segment.addresses.start <= range.start && range.end <= segment.addresses.end;
        let start = segment.offset.checked_add(range.start.checked_sub(segment.addresses.start)?)?;
        let end = start.checked_add(range.end.checked_sub(range.start)?)?;
        let bytes = self.file.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
        inside.then_some((segment, bytes))
    }

    /// Returns the bytes of a function or its constants, which nothing writes.
    ///
    /// # Errors
    /// The bytes in memory may differ.
    pub fn bytes(&self, name: &str, range: Range<u64>, executed: bool) -> Result<&'f [u8], EmitError> {
        let Some((segment, bytes)) = self.mapped(&range) else {
            return Err(wrong(format!(
                "`{name}` is not in one segment alone, so its bytes in memory may be others"
            )));
        };
        if segment.flags & elf::PF_W != 0 {
            return Err(wrong(format!("`{name}` is in a segment that may be written")));
        }
        let needed = elf::PF_R | if executed { elf::PF_X } else { 0 };
        if segment.flags & needed != needed {
            return Err(wrong(format!(
                "`{name}` is in a segment that may not be {}",
                if executed { "run" } else { "read" }
            )));
        }
        if self.protected.iter().any(|protected| overlap(protected, &pages(&range))) {
            return Err(wrong(format!(
                "`{name}` is in what the loader protects after relocation (PT_GNU_RELRO), as no code is"
            )));
        }
        if self.dynamic.as_ref().is_some_and(|dynamic| dynamic.writes(&range)) {
            return Err(wrong(format!("the loader relocates `{name}`, so that its bytes are not final")));
        }
        Ok(bytes)
    }

    /// Returns the bytes from an address to the end of its segment if they are never written, as for tables of the
    /// loader.
    pub(super) fn table(&self, address: u64) -> Option<&'f [u8]> {
        let segment = self.segments.iter().find(|s| s.addresses.contains(&address))?;
        let (segment, bytes) = self.mapped(&(address..segment.addresses.end))?;
        (segment.flags & elf::PF_R != 0 && segment.flags & elf::PF_W == 0).then_some(bytes)
    }

    /// Returns the address range of the segment that contains this address.
    pub fn segment(&self, address: u64) -> Option<Range<u64>> {
        self.segments.iter().find(|s| s.addresses.contains(&address)).map(|s| s.addresses.clone())
    }
}

/// Reads a segment, if every loader maps it in the same way.
fn segment(file: &[u8], header: &Header) -> Result<Segment, EmitError> {
    let start = header.address;
    let ends = start.checked_add(header.in_file).zip(start.checked_add(header.in_memory));
    let inside = header.offset.checked_add(header.in_file).is_some_and(|end| end <= file.len() as u64);
    let Some((end, last)) = ends.filter(|_| inside) else {
        return Err(wrong("a segment reaches out of the file"));
    };
    let whole = header.alignment.is_power_of_two() && header.alignment.is_multiple_of(PAGE);
    if last < end || !whole || !start.wrapping_sub(header.offset).is_multiple_of(header.alignment) {
        return Err(wrong(format!(
            "the segment at {start:#x} is not at whole pages of the file, so that loaders refuse it or map it \
             otherwise"
        )));
    }
    Ok(Segment {
        addresses: start..end,
        pages: pages(&(start..last)),
        offset: header.offset,
        flags: header.flags,
    })
}
