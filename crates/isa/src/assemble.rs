//! The built-in assembler: turns items with labels into a program, so that a search needs no external program.

use std::collections::BTreeMap;

use crate::image::{Image, Segment};
use crate::table::{Insn, Isa};
use crate::unplaced::{Extent, Link, Target};

/// The value that a field gets from a label's address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// The distance from the instruction, for fields of [`crate::table::Kind::Relative`].
    Distance,
    /// The address itself.
    Whole,
    /// The address divided by this number (jumps of AVR count words).
    Over(u8),
    /// The byte of the address with this index, the lowest first (AVR: `lo8`, `hi8`).
    Byte(u8),
    /// This byte of the negated address, which code subtracts (AVR: `lo8(-(label))`).
    Negated(u8),
    /// The 16-bit half of the address with this index, the lowest first (ARM: `:lower16:`, `:upper16:`).
    Half(u8),
    /// The upper 20 bits that pair with [`Part::Low12`] (RISC-V: `%hi`).
    High20,
    /// The lower 12 bits, signed (RISC-V: `%lo`).
    Low12,
    /// The upper 16 bits that pair with [`Part::LowSigned`], signed (PowerPC: `@ha`).
    HighAdjusted,
    /// The lower 16 bits, signed (PowerPC: `@l`).
    LowSigned,
    /// Bits 43 to 22 (SPARC: `%h44`).
    Upper44,
    /// Bits 21 to 12 (SPARC: `%m44`).
    Middle44,
    /// Bits 11 to 0 (SPARC: `%l44`).
    Lower44,
    /// Bits 31 to 10 of an address whose higher bits are zero (SPARC: `%hi`).
    Upper32,
    /// Bits 9 to 0 (SPARC: `%lo`).
    Lower32,
    /// The upper 20 bits of the distance from the instruction, which pair with [`Part::AwayLow12`] (RISC-V:
    /// `%pcrel_hi`).
    AwayHigh20,
    /// The lower 12 bits, signed, of the distance from an instruction that stands this many bytes before this one
    /// (RISC-V: `%pcrel_lo`).
    AwayLow12(i32),
    /// The distance from the instruction's own address plus this number, `8` or `4`, as a positive offset
    /// (`ldr rd, label`, `adr`); with `4`, the sum is rounded down to a multiple of 4.
    Ahead(u8),
}

impl Part {
    /// True if the value is known without a linker when both places are in one section.
    pub fn is_distance(self) -> bool {
        matches!(self, Part::Distance | Part::Ahead(_) | Part::AwayHigh20 | Part::AwayLow12(_))
    }
}

/// An item of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A label for this place. Labels that start with `.L` are not exported.
    Label(String),
    /// An instruction.
    Insn(Insn),
    /// An instruction with a field that depends on a label's address.
    Linked {
        /// The instruction.
        insn: Insn,
        /// The field.
        field: String,
        /// The label that it depends on.
        label: String,
        /// A number that is added to the label's address.
        addend: i64,
        /// The value that the field gets from the sum.
        part: Part,
    },
    /// A 32-bit word: the number, plus the address of the label if there is one.
    Word(Option<String>, u32),
    /// A 32-bit word: the difference of two addresses, each given as a label and an offset in bytes.
    Distance {
        /// The minuend.
        plus: (String, i64),
        /// The subtrahend.
        less: (String, i64),
    },
    /// Literal bytes.
    Bytes(Vec<u8>),
    /// Padding to a multiple of this power of two.
    Align(u8),
    /// A comment line in the printed text.
    Comment(String),
}

/// A sequence of items at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The assembler's section name: `.text`, `.data`, `.rodata`, `.progmem.data`.
    pub name: &'static str,
    /// Its start address.
    pub address: u64,
    /// True if it may be written at run time.
    pub writable: bool,
    /// Its contents.
    pub items: Vec<Item>,
}

impl Section {
    /// Its size in bytes, which needs all its items.
    pub fn size(&self, isa: &Isa) -> u64 {
        self.items.iter().fold(self.address, |at, item| at + size(isa, item, at)) - self.address
    }

    /// The section as a linker sees it. Its alignment is the largest of `promised`, its items' own and the instruction
    /// set's, but no more than its address here has.
    fn extent(&self, isa: &Isa, promised: u64) -> Extent {
        let code = self.name.starts_with(".text");
        let asked = self.items.iter().map(|item| match item {
            Item::Align(to) => u64::from(*to),
            _ => 1,
        });
        let unit = if code { u64::from(isa.shortest()) } else { 1 };
        let alignment =
            asked.fold(promised.max(unit), u64::max).min(1 << self.address.trailing_zeros().min(62));
        let alignment = if alignment.is_power_of_two() { alignment } else { 1 };
        Extent { name: self.name.to_owned(), address: self.address, size: self.size(isa), alignment, code }
    }
}

fn size(isa: &Isa, item: &Item, at: u64) -> u64 {
    match item {
        Item::Label(_) | Item::Comment(_) => 0,
        Item::Insn(insn) | Item::Linked { insn, .. } => u64::from(isa.of(insn).bytes()),
        Item::Word(..) | Item::Distance { .. } => 4,
        Item::Bytes(bytes) => bytes.len() as u64,
        Item::Align(to) => at.next_multiple_of(u64::from(*to)) - at,
    }
}

/// Assembles sections into a program; the error is a sentence on what does not fit. Each section's alignment is what
/// its items and the instruction set require.
pub fn assemble(isa: &Isa, sections: &[Section]) -> Result<Image, String> {
    assemble_aligned(isa, sections, |_, _| 1)
}

/// Assembles as [`assemble`] does, for sections that a linker aligns to at least `promised` bytes, a power of two.
pub fn assemble_aligned(
    isa: &Isa,
    sections: &[Section],
    promised: impl Fn(usize, &Section) -> u64,
) -> Result<Image, String> {
    let mut labels: BTreeMap<&str, (u64, u16)> = BTreeMap::new();
    for (number, section) in (0..).zip(sections) {
        let mut at = section.address;
        for item in &section.items {
            if let Item::Label(name) = item
                && labels.insert(name, (at, number)).is_some()
            {
                return Err(format!("the label {name} stands twice"));
            }
            at += size(isa, item, at);
        }
    }
    let mut image = Image::default();
    for (number, section) in (0u16..).zip(sections) {
        image.sections.push(section.extent(isa, promised(number.into(), section)));
        let mut bytes = Vec::new();
        for item in &section.items {
            let at = section.address + bytes.len() as u64;
            let find = |label: &str| {
                let found = labels.get(label).copied();
                found.map(|(at, _)| at).ok_or_else(|| format!("there is no label {label}"))
            };
            if let Some((label, addend, how)) = linked(isa, item)
                && let Some(&(to, of)) = labels.get(label)
                && !(of == number && how.is_some_and(|(_, part)| part.is_distance()))
            {
                let from = sections[usize::from(of)].address;
                let target = Target { section: of, offset: to.wrapping_sub(from) as i64 + addend };
                let bytes = size(isa, item, at) as u8;
                let link =
                    how.map_or(Link::Word(target), |(place, part)| Link::Field(place, bytes, part, target));
                image.links.insert(at, link);
            }
            if let Item::Distance { plus, less } = item
                && let (Some(&(to, of)), Some(&(from, other))) = (labels.get(&*plus.0), labels.get(&*less.0))
                && of != other
            {
                let target = |address: u64, section: u16, more: i64| {
                    let begin = sections[usize::from(section)].address;
                    Target { section, offset: (address.wrapping_sub(begin) as i64).wrapping_add(more) }
                };
                image.links.insert(at, Link::Away(target(to, of, plus.1), target(from, other, less.1)));
            }
            match item {
                Item::Label(_) | Item::Comment(_) => {}
                Item::Insn(insn) => bytes.extend(isa.encode(insn)?),
                Item::Linked { insn, field, label, addend, part } => {
                    let to = find(label)?.wrapping_add_signed(*addend);
                    let mut insn = *insn;
                    insn.fields[place(isa, &insn, field)] = part_of(isa, *part, at, to);
                    bytes.extend(isa.encode(&insn).map_err(|e| format!("{e} (to {label})"))?);
                }
                Item::Word(label, number) => {
                    let base = label.as_deref().map_or(Ok(0), find)?;
                    let word = (base as u32).wrapping_add(*number);
                    bytes.extend(isa.about.order.bytes(u64::from(word), 4));
                }
                Item::Distance { plus, less } => {
                    let place = |(label, more): &(String, i64)| Ok(find(label)?.wrapping_add_signed(*more));
                    let (to, from): (Result<u64, String>, Result<u64, String>) = (place(plus), place(less));
                    let word = (to? as u32).wrapping_sub(from? as u32);
                    bytes.extend(isa.about.order.bytes(u64::from(word), 4));
                }
                Item::Bytes(more) => bytes.extend(more),
                Item::Align(to) => bytes.resize(bytes.len() + size(isa, &Item::Align(*to), at) as usize, 0),
            }
        }
        if !bytes.is_empty() {
            image.segments.push(Segment { address: section.address, bytes, writable: section.writable });
        }
    }
    image.segments.sort_by_key(|s| s.address);
    // Each address may belong to one section only: a layout with too little room for its sections is refused.
    let overlap = image.segments.windows(2).find(|w| w[0].address + w[0].bytes.len() as u64 > w[1].address);
    if let Some([first, second]) = overlap {
        return Err(format!(
            "the section at {:#x} has {} bytes and reaches into the one at {:#x}",
            first.address,
            first.bytes.len(),
            second.address
        ));
    }
    image.symbols = labels
        .into_iter()
        .filter(|(name, _)| !name.starts_with(".L"))
        .map(|(name, (at, _))| (name.to_owned(), at))
        .collect();
    Ok(image)
}

/// A label, the addend, and the place of a field with its part; no place means a 32-bit word.
type Reference<'a> = (&'a str, i64, Option<(u8, Part)>);

/// The dependency of an item on a label's address, if it has one.
fn linked<'a>(isa: &Isa, item: &'a Item) -> Option<Reference<'a>> {
    match item {
        Item::Linked { insn, field, label, addend, part } => {
            Some((label, *addend, Some((place(isa, insn, field) as u8, *part))))
        }
        // The sum is modulo 2^32.
        Item::Word(Some(label), number) => Some((label, i64::from(*number as i32), None)),
        _ => None,
    }
}

fn place(isa: &Isa, insn: &Insn, field: &str) -> usize {
    let row = isa.of(insn);
    let place = row.fields.iter().position(|f| f.name == field);
    place.unwrap_or_else(|| panic!("{} has no field '{field}'", row.name))
}

/// The value of a field of the instruction at address `at` for a label at address `to`.
pub(crate) fn part_of(isa: &Isa, part: Part, at: u64, to: u64) -> i32 {
    // Where data memory is separate from program memory, it has an address space of its own.
    let address = if isa.about.data > 0 && to >= isa.about.data { to - isa.about.data } else { to };
    match part {
        Part::Distance => to as i64 as i32 - at as i64 as i32,
        Part::Whole => address as u32 as i32,
        Part::Over(by) => (address / u64::from(by)) as i32,
        Part::Byte(k) => (address >> (8 * k) & 0xff) as i32,
        Part::Negated(k) => (address.wrapping_neg() >> (8 * k) & 0xff) as i32,
        Part::Half(k) => (address >> (16 * k) & 0xffff) as i32,
        Part::High20 => (address.wrapping_add(0x800) >> 12 & 0xf_ffff) as i32,
        Part::Low12 => ((address as i32) << 20) >> 20,
        Part::HighAdjusted => (address as u32).wrapping_add(0x8000) as i32 >> 16,
        Part::LowSigned => i32::from(address as i16),
        Part::Upper44 => (address >> 22 & 0x3f_ffff) as i32,
        Part::Middle44 => (address >> 12 & 0x3ff) as i32,
        Part::Lower44 => (address & 0xfff) as i32,
        Part::Upper32 => (address >> 10 & 0x3f_ffff) as i32,
        Part::Lower32 => (address & 0x3ff) as i32,
        Part::AwayHigh20 => (to.wrapping_sub(at).wrapping_add(0x800) >> 12 & 0xf_ffff) as i32,
        Part::AwayLow12(before) => {
            let from = at.wrapping_sub(i64::from(before) as u64);
            ((to.wrapping_sub(from) as i32) << 20) >> 20
        }
        Part::Ahead(bias) => to as i64 as i32 - ((at as i64 + i64::from(bias)) & !3) as i32,
    }
}

/// Renders a field that depends on a label in the assembler's notation.
pub(crate) fn linked_text(part: Part, label: &str, addend: i64) -> String {
    let target = match addend {
        0 => label.to_owned(),
        a if a < 0 => format!("{label}-{}", -a),
        a => format!("{label}+{a}"),
    };
    match part {
        Part::Distance | Part::Whole | Part::Over(_) | Part::Ahead(_) => target,
        Part::Byte(0) => format!("lo8({target})"),
        Part::Byte(_) => format!("hi8({target})"),
        Part::Negated(0) => format!("lo8(-({target}))"),
        Part::Negated(_) => format!("hi8(-({target}))"),
        Part::Half(0) => format!("#:lower16:{target}"),
        Part::Half(_) => format!("#:upper16:{target}"),
        Part::High20 => format!("%hi({target})"),
        Part::Low12 => format!("%lo({target})"),
        Part::AwayHigh20 => format!("%pcrel_hi({target})"),
        Part::AwayLow12(before) => format!("%pcrel_lo(.-{before})"),
        Part::Upper44 => format!("%h44({target})"),
        Part::Middle44 => format!("%m44({target})"),
        Part::Lower44 => format!("%l44({target})"),
        Part::Upper32 => format!("%hi({target})"),
        Part::Lower32 => format!("%lo({target})"),
        Part::HighAdjusted => format!("{target}@ha"),
        Part::LowSigned => format!("{target}@l"),
    }
}

/// Renders a section for GNU as: only its items; the caller writes the object's directives.
pub fn text(isa: &Isa, section: &Section, comment: &str) -> String {
    let mut out = String::new();
    for item in &section.items {
        match item {
            Item::Label(name) => out.push_str(&format!("{name}:\n")),
            Item::Insn(insn) => out.push_str(&format!("    {}\n", isa.print(insn, |_| None))),
            Item::Linked { insn, field, label, addend, part } => {
                let line =
                    isa.print(insn, |name| (name == field).then(|| linked_text(*part, label, *addend)));
                out.push_str(&format!("    {line}\n"));
            }
            Item::Word(None, number) => out.push_str(&format!("    .long {number:#x}\n")),
            Item::Word(Some(label), number) => out.push_str(&format!("    .long {label}+{number}\n")),
            Item::Distance { plus, less } => {
                out.push_str(&format!("    .long {}+{}-({}+{})\n", plus.0, plus.1, less.0, less.1));
            }
            Item::Bytes(bytes) => {
                for line in bytes.chunks(16) {
                    let line: Vec<String> = line.iter().map(|b| format!("0x{b:02x}")).collect();
                    out.push_str(&format!("    .byte {}\n", line.join(",")));
                }
            }
            Item::Align(to) => out.push_str(&format!("    .balign {to}\n")),
            Item::Comment(line) => out.push_str(&format!("{comment} {line}\n")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Part, part_of};
    use crate::table::{Description, Isa};

    /// Where data has an address space of its own, its addresses are counted from the beginning of that.
    #[test]
    fn addresses_of_data_are_those_in_its_own_memory() {
        let about = Description { name: "none", data: 0x80_0000, ..Description::PLAIN };
        let isa = Isa::new(about, &[]).expect("it has no rows");
        for (to, address) in [(0x123, 0x123), (0x7f_fffe, 0x7f_fffe), (0x80_0000, 0), (0x80_0123, 0x123)] {
            assert_eq!(part_of(&isa, Part::Whole, 0, to), address, "{to:#x}");
            assert_eq!(part_of(&isa, Part::Byte(1), 0, to), address >> 8 & 0xff, "{to:#x}");
        }
    }

    /// The parts that instructions put together are the address again, wherever carries and signs are.
    #[test]
    fn parts_of_an_address_make_up_the_address() {
        let isa = Isa::new(Description { name: "none", ..Description::PLAIN }, &[]).expect("it has no rows");
        let at = 0x1234_5678;
        for high in [0_u64, 1, 0x7ff, 0x800, 0x7_ffff, 0x8_0000, 0xf_ffff] {
            for low in [0_u64, 1, 0x3ff, 0x400, 0x7ff, 0x800, 0xfff] {
                let to = high << 12 | low;
                let of = |part| i64::from(part_of(&isa, part, at, to));
                let sum = |upper: Part, by: u32, lower: Part| ((of(upper) << by) + of(lower)) as u32;
                assert_eq!(sum(Part::High20, 12, Part::Low12), to as u32, "{to:#x}");
                assert_eq!(sum(Part::HighAdjusted, 16, Part::LowSigned), to as u32, "{to:#x}");
                assert_eq!(sum(Part::Upper32, 10, Part::Lower32), to as u32, "{to:#x}");
                assert_eq!(sum(Part::Half(1), 16, Part::Half(0)), to as u32, "{to:#x}");
                let away = sum(Part::AwayHigh20, 12, Part::AwayLow12(0));
                assert_eq!(away, (to as u32).wrapping_sub(at as u32), "{to:#x}");
                let bytes = |part: fn(u8) -> Part| (0..4).map(|k| of(part(k)) << (8 * k)).sum::<i64>();
                assert_eq!(bytes(Part::Byte) as u32, to as u32);
                assert_eq!(bytes(Part::Negated) as u32, (to as u32).wrapping_neg());
                // These are of addresses of 44 bits.
                let to = to << 12 | 0xabc;
                let of = |part| i64::from(part_of(&isa, part, at, to));
                let whole = (of(Part::Upper44) << 22) + (of(Part::Middle44) << 12) + of(Part::Lower44);
                assert_eq!(whole as u64, to, "{to:#x}");
            }
        }
    }
}
