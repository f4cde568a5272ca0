//! The memory use of a package's kernels in a program that is linked with all of them.

use crate::EmitError;
use crate::gnu::tables::{Sharing, sharing};
use aesmith_isa::assemble::{Item, Section};
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::cost::Cost;
use object::elf::{SHF_ALLOC, SHF_WRITE};
use object::{File, Object, ObjectSection, SectionFlags, SectionKind};
use std::collections::BTreeSet;

/// Bytes of data in a kernel: tables, literals and addresses, wherever they lie.
pub fn constants(kernel: &Kernel) -> u64 {
    let size = |item: &Item| match item {
        Item::Bytes(bytes) => bytes.len() as u64,
        Item::Word(..) | Item::Distance { .. } => 4,
        _ => 0,
    };
    kernel.sections.iter().flat_map(|section| &section.items).map(size).sum()
}

/// Memory use in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Code and tables, including those that are copied to RAM at start.
    pub flash: u64,
    /// Tables in RAM.
    pub ram: u64,
    /// The maximum stack depth of a call.
    pub stack: u64,
}

impl From<&Cost> for Sizes {
    fn from(cost: &Cost) -> Sizes {
        Sizes { flash: cost.flash, ram: cost.ram, stack: cost.stack }
    }
}

impl Sizes {
    /// The memory use of both in one program, which runs one at a time.
    pub fn beside(self, other: Sizes) -> Sizes {
        Sizes {
            flash: self.flash + other.flash,
            ram: self.ram + other.ram,
            stack: self.stack.max(other.stack),
        }
    }
}

/// The memory use of a single function of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartSizes {
    /// Its symbol.
    pub symbol: String,
    /// Its memory use.
    pub sizes: Sizes,
    /// True if a search found it; see [`crate::CodeFacts::tuned`].
    pub tuned: Option<bool>,
}

/// Returns the memory use of a linked program: all loaded sections are in flash, and writable ones also in RAM. The
/// stack cannot be determined.
///
/// # Errors
/// The file is not a program.
pub fn of_program(elf: &[u8]) -> Result<Sizes, EmitError> {
    let file = File::parse(elf).map_err(|e| EmitError(format!("the linker's output is no program: {e}")))?;
    let mut all = Sizes::default();
    let mut loaded = Vec::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        let has = |flag: u32| sh_flags & u64::from(flag) != 0;
        if !has(SHF_ALLOC) {
            continue;
        }
        let (start, end) = (section.address(), section.address() + section.size());
        let stored = section.kind() != SectionKind::UninitializedData;
        loaded.push(Loaded { start, end, align: section.align(), writable: has(SHF_WRITE), stored });
    }
    loaded.sort_by_key(|section| (section.start, section.end));
    for (at, section) in loaded.iter().enumerate() {
        // Padding before a section belongs to no section, but occupies memory.
        let alike = |other: &&Loaded| other.writable == section.writable && other.end > other.start;
        let before = loaded[..at].iter().rev().find(alike);
        let gap = before.map_or(0, |other| section.start.saturating_sub(other.end));
        let filled = if gap < section.align { gap } else { 0 };
        let bytes = section.end - section.start + if section.end > section.start { filled } else { 0 };
        all.flash += if section.stored { bytes } else { 0 };
        all.ram += if section.writable { bytes } else { 0 };
    }
    Ok(all)
}

/// A section that is in memory while the program runs.
struct Loaded {
    start: u64,
    end: u64,
    align: u64,
    writable: bool,
    /// True if its contents are in the file, and so in flash.
    stored: bool,
}

/// A table that linkers merge with an equal one: its section's name, whether that is in RAM, its alignment and its
/// bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SharedTable {
    section: &'static str,
    writable: bool,
    alignment: u16,
    bytes: Vec<u8>,
}

impl SharedTable {
    /// Its memory use.
    pub fn sizes(&self) -> Sizes {
        let size = self.bytes.len() as u64;
        Sizes { flash: size, ram: if self.writable { size } else { 0 }, stack: 0 }
    }
}

/// A kernel's share of a program's memory: its own part, and the tables that it shares with kernels that have equal
/// ones.
pub struct Footprint {
    /// Code, the tables that are not shared, and stack.
    pub own: Sizes,
    /// The shared tables.
    pub tables: Vec<SharedTable>,
}

/// Returns a section of tables as a shared table, if linkers merge it with equal ones.
fn shared(core: &Core, kernel: &Kernel, section: &Section) -> Option<SharedTable> {
    let bytes = section.items.iter().filter_map(|item| match item {
        Item::Bytes(bytes) => Some(bytes.as_slice()),
        _ => None,
    });
    let bytes = bytes.collect::<Vec<_>>().concat();
    // A section with more than bytes, such as addresses, has no known equal.
    let known = section.name != ".text" && bytes.len() as u64 == section.size((core.isa)());
    let alignment = kernel.alignment(section);
    (known && !matches!(sharing(core, kernel, section), Sharing::Alone)).then_some(SharedTable {
        section: section.name,
        writable: section.writable,
        alignment,
        bytes,
    })
}

/// Returns the footprint of a kernel whose total memory use is `whole`.
pub fn footprint(core: &Core, kernel: &Kernel, whole: Sizes) -> Footprint {
    let mut own = whole;
    let tables: Vec<SharedTable> = kernel.sections.iter().filter_map(|s| shared(core, kernel, s)).collect();
    for table in &tables {
        own.flash -= table.sizes().flash;
        own.ram -= table.sizes().ram;
    }
    Footprint { own, tables }
}

/// The maximum padding that a linker inserts to align the sections of kernels, whatever precedes each of them.
pub fn filled_at_most<'a>(core: &Core, kernels: impl IntoIterator<Item = &'a Kernel>) -> Sizes {
    let unit = u64::from((core.isa)().about.unit.max(1));
    let mut all = Sizes::default();
    let mut tables = BTreeSet::new();
    let mut codes: Vec<&[Section]> = Vec::new();
    for kernel in kernels {
        if codes.contains(&kernel.sections.as_slice()) {
            continue;
        }
        codes.push(&kernel.sections);
        for section in &kernel.sections {
            let (alignment, step) = match section.name {
                ".text" => (u64::from(core.timing.aligned), unit),
                _ => (u64::from(kernel.alignment(section)), 1),
            };
            if shared(core, kernel, section).is_some_and(|table| !tables.insert(table)) {
                continue;
            }
            let filled = alignment.saturating_sub(step);
            let ram = if section.writable { filled } else { 0 };
            all = all.beside(Sizes { flash: filled, ram, stack: 0 });
        }
    }
    all
}

/// The total memory use of kernels in one program: equal tables of one alignment, which linkers merge, are counted
/// once, and so is code that several kernels share.
pub fn sizes<'a>(core: &Core, kernels: impl IntoIterator<Item = (&'a Kernel, Sizes)>) -> Sizes {
    let mut all = Sizes::default();
    let mut seen = BTreeSet::new();
    let mut codes: Vec<&[Section]> = Vec::new();
    for (kernel, whole) in kernels {
        if codes.contains(&kernel.sections.as_slice()) {
            all = all.beside(Sizes { stack: whole.stack, ..Sizes::default() });
            continue;
        }
        codes.push(&kernel.sections);
        let Footprint { own, tables } = footprint(core, kernel, whole);
        all = all.beside(own);
        for table in tables {
            let sizes = table.sizes();
            if seen.insert(table) {
                all = all.beside(sizes);
            }
        }
    }
    all
}
